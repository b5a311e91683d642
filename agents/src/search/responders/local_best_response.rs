//! Local best response: one-step lookahead against an agent whose policy is known.
//!
//! V. Lisý and M. Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots*, AAAI Workshop on
//! Computer Poker and Imperfect Information Games, 2017. The responder keeps the distribution over the others' cards
//! that follows from their policy and their actions ([`target_policy`](crate::search::responders::target_policy)). It takes the
//! action with the best return if the others play on by their policy and the responder by a simple one. In the paper
//! the simple policy checks and calls to the end; here it is the option `continuation`. Returns are means over
//! simulations, with the same worlds and futures for every action. With `continuation=network` and the network of a
//! learned responder, the result is one step of policy improvement over that responder, with the exact beliefs.
//!
//! The responder's mean return against an agent is always a lower bound on the return of a best response. It bounds the
//! agent's exploitability from below in games far too large for exact [best responses](crate::solve::best_response).
//!
//! Known weaknesses: the bound can be far below the truth, or below the agent's return against itself. The responder
//! does not plan a second move and does not take a step that only a later one rewards. With few simulations it
//! chooses between close actions by chance; `margin` helps if the policy that plays on is good. The responder exploits
//! only that one agent and is exploitable itself.
//!
//! Cost in queries: `particles` times the past decisions of the others, plus `worlds` times the legal actions times
//! the number of replies. If the agent searches, these dominate the time. If it is a network, particles and simulations
//! are evaluated side by side.

use stier_core::list::Listing as _;
use stier_core::{ActionSet as _, Hints, Rng, SeatView as _, options};

use crate::agent::Decision;
use crate::belief::policy_model::PolicyModel;
use crate::search::algorithm::Task;
use crate::search::determinized::WorldTally;
use crate::search::future::{Future, WorldValues};
use crate::search::responders::Respond;
use crate::search::responders::target_policy::{Simulation, Simulator, TargetPolicy};

options! {
    /// The options of a local best response.
    pub(crate) struct LbrSettings for "lbr" {
        /// Simulations per legal action in each decision.
        worlds: u64 = 200, 1..=100_000_000;
        /// With continuation=network or against: the continuation's likeliest action is taken unless another action's
        /// mean return is higher by this many standard errors. Above 0 it prevents deviations that only the noise of
        /// the simulations favours.
        margin: f64 = 0.0, 0.0..=100.0, "continuation=network|against";
    }
}

/// The differences between the returns of an action and those of the usual one, in the same worlds.
#[derive(Clone, Copy, Default)]
struct Gain {
    sum: f64,
    squares: f64,
}

impl Gain {
    fn add(&mut self, difference: f64) {
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// Returns true if the mean of `count` differences is greater than this many standard errors.
    fn is_clear(self, count: u64, margin: f64) -> bool {
        let count = count as f64;
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0) / (count - 1.0);
        mean > margin * variance.sqrt()
    }
}

/// The algorithm: see the [module](self) documentation.
impl<G: Hints> Respond<G> for LbrSettings {
    fn respond(&self, task: &Task<'_, G>, target: &TargetPolicy<G>) -> Decision {
        let Task { game, ref worlds, legal, stop, .. } = *task;
        let simulator = Simulator::new(task, target);
        let seed = task.streams.rng("lbr").bits();
        let (mut tally, mut queries) = (WorldTally::new(task.view.seat(), legal.iter()), 0);
        let most = self.worlds;
        let usual = (self.margin > 0.0)
            .then(|| simulator.likeliest(&worlds.draw_history(game, &mut Rng::stream(seed, "usual", 0)), legal))
            .flatten();
        let mut gains = vec![Gain::default(); legal.len()];
        while tally.worlds == 0 || tally.worlds < most && !stop.is_due() {
            let mut simulations = Vec::new();
            for world in tally.worlds..most.min(tally.worlds + target.batch() as u64) {
                let mut rng = Rng::stream(seed, "world", world);
                let history = worlds.draw_history(game, &mut rng);
                let future = Future::drawn(rng.bits());
                for action in legal.iter() {
                    let mut simulation = Simulation::new(game, history.clone(), future.clone(), rng.clone());
                    simulation.push(game, action);
                    simulations.push(simulation);
                }
            }
            simulator.play_on(&mut simulations);
            // Interrupted simulations count only if they are the first.
            if tally.worlds > 0 && stop.is_due() {
                break;
            }
            for world in simulations.chunks(legal.len()) {
                let valued = legal
                    .iter()
                    .zip(world)
                    .map(|(action, simulation)| WorldValues::once(action, simulation.returns.clone()));
                tally.add(1.0, &valued.list());
                let seat = task.view.seat();
                if let Some(usual) = usual {
                    let value = |simulation: &Simulation<G>| f64::from(simulation.returns[seat]);
                    gains.iter_mut().zip(world).for_each(|(gain, one)| gain.add(value(one) - value(&world[usual])));
                }
            }
            queries += simulations.iter().map(|simulation| simulation.queries).sum::<u64>();
        }
        let Some(usual) = usual else { return tally.decide(queries) };
        let clear = (0..gains.len()).filter(|&rank| gains[rank].is_clear(tally.worlds, self.margin));
        let best = clear.reduce(|best, next| if gains[next].sum > gains[best].sum { next } else { best });
        tally.decide_for(legal.nth(best.unwrap_or(usual)), queries)
    }
}

#[cfg(test)]
mod tests {
    use super::Gain;

    #[test]
    fn gains_are_clear_beyond_the_noise() {
        let gain_of = |differences: &[f64]| {
            let mut gain = Gain::default();
            differences.iter().for_each(|&difference| gain.add(difference));
            gain
        };
        // The mean is 0.5.
        let noisy = gain_of(&[-0.5, 1.5, -0.5, 1.5, -0.5, 1.5, 0.5, 0.5]);
        let error = (6.0_f64 / 8.0 / 7.0).sqrt();
        assert!(noisy.is_clear(8, 0.49 / error) && !noisy.is_clear(8, 0.51 / error));
        assert!(!gain_of(&[2.0]).is_clear(1, 0.1), "a single world shows nothing");
        assert!(gain_of(&[1.0, 1.0]).is_clear(2, 100.0));
        assert!(!gain_of(&[0.0, 0.0]).is_clear(2, 0.1));
    }
}
