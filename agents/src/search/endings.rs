//! Endings solved over ranges: when few tricks are left, the rest of the deal is solved once for all hands that both
//! players may hold, and the solution is played to the end.
//!
//! An ending begins in the first public state at the start of a trick with at most so many tricks left, once no cards are
//! drawn any more. Its solution is a function of the seat, of the public events before it, and of the network whose policy
//! both players are assumed to have followed. So any agent finds the same solution at any decision. Of endings that are too
//! large the first that fits is solved, with fewer tricks.
//!
//! A network seldom leaves more than a few likely hands. Those of the seat's own hands that the network was least likely to
//! play to here are left out, and with them the agent plays as before an ending. Solutions, and the bounds of gadgets, hold
//! for all other hands. All hands of the opponent stay: a gadget bounds the gain of each, and without one each hand of the
//! seat must meet some that fit.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::endings::{PublicPlay, Tricks};
use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Game, Hints, Rng, Seat, SeatView as _};
use web_time::Instant;

use crate::agent::batch_agent::Query;
use crate::agent::endings::{EndingSettings, Endings, Gadget};
use crate::agent::lines::Line;
use crate::agent::order::sorted;
use crate::agent::sampling::draw;
use crate::agent::streams::Streams;
use crate::agent::threads::{Halted, goes_on};
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision, Search};
use crate::belief::policy_model::NETWORK_BATCH;
use crate::belief::ranges::{Range, ranges, shares_of};
use crate::network::agent::{NetworkAgent, NetworkChoice, NetworkOptions};
use crate::solve::ranges::normalized;
use crate::solve::resolve::resolve;
use crate::solve::tricks::{Ask, Question, Table, TrickPolicy, TrickSolver, fits};

/// The largest number of solutions that are remembered.
const MAX_KNOWN: usize = 16;
/// The network is asked once this many positions are gathered, which bounds their memory.
const ASK_AT: usize = 16 * NETWORK_BATCH;
/// The most bytes that the solutions which are remembered may take.
const MAX_BYTES: u64 = 1 << 28;

/// A game, and its endings.
type WithEndings<'a, G> = (&'a G, &'a dyn stier_core::endings::Endings<G>);

/// An agent that plays endings by their solutions.
struct EndingAgent<G: Hints> {
    settings: EndingSettings,
    agent: Box<dyn Agent<G>>,
    model: NetworkAgent,
    /// By the public events before and the seat; the last one that was used is the last.
    known: Vec<(Known, Arc<TrickPolicy>)>,
    /// Memory of the last solver.
    spare: Table,
    streams: Streams,
    /// Set from outside to end a calculation early.
    interrupted: Arc<AtomicBool>,
}

/// The agent; with `endings=ranges` one that plays endings by their solutions, and else as this agent. Ranges are those of
/// the network.
pub(crate) fn with_endings<G: Hints>(
    settings: &EndingSettings,
    network: NetworkOptions,
    agent: Box<dyn Agent<G>>,
    seed: u64,
) -> Box<dyn Agent<G>> {
    if !G::HAS_ENDINGS || settings.endings == Endings::Off {
        return agent;
    }
    // Also a network that plays its likeliest actions is expected to choose the others now and then.
    let model = NetworkAgent::new(NetworkOptions { choose: NetworkChoice::Sample, ..network }, 0);
    Box::new(EndingAgent::new(settings.clone(), agent, model, seed))
}

/// The public events before an ending, and the seat that plays by the solution.
type Known = (Vec<Action>, Seat);

impl<G: Hints> EndingAgent<G> {
    /// Combines an agent with the network whose policy the ranges assume.
    fn new(settings: EndingSettings, agent: Box<dyn Agent<G>>, model: NetworkAgent, seed: u64) -> Self {
        let (known, spare, streams, interrupted) = (Vec::new(), Table::new(), Streams::new(seed), Arc::default());
        let mut own = Self { settings, agent, model, known, spare, streams, interrupted };
        own.restart(seed);
        own
    }

    /// The solution of an ending; `None` if it is too large, or interrupted.
    fn solution(
        &mut self,
        game: WithEndings<'_, G>,
        play: &PublicPlay<G::State>,
        seat: Seat,
    ) -> Option<Arc<TrickPolicy>> {
        let tricks = game.1.tricks(&play.root);
        if !fits(&*tricks) {
            return None;
        }
        let key = (play.before.clone(), seat);
        let found = match self.known.iter().position(|(known, _)| *known == key) {
            Some(place) => self.known.remove(place).1,
            None => Arc::new(self.solve(game, (play, &*tricks), seat).ok()?),
        };
        self.known.push((key, found.clone()));
        let bytes = |known: &[(Known, Arc<TrickPolicy>)]| known.iter().map(|(_, policy)| policy.bytes()).sum::<u64>();
        while self.known.len() > MAX_KNOWN || self.known.len() > 1 && bytes(&self.known) > MAX_BYTES {
            self.known.remove(0);
        }
        found.into()
    }

    fn solve(
        &mut self,
        (game, endings): WithEndings<'_, G>,
        (play, tricks): (&PublicPlay<G::State>, &dyn Tricks),
        seat: Seat,
    ) -> Result<TrickPolicy, Halted> {
        let (model, flag) = (&mut self.model, self.interrupted.clone());
        let watch = || if flag.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut ask = |states: &[G::State], shares: &mut Vec<f64>| {
            for states in states.chunks(NETWORK_BATCH) {
                goes_on(watch())?;
                model.policies(game, &Query::all(game, states), shares);
            }
            Ok(())
        };
        let mut shares = |states: &[G::State], action, shares: &mut Vec<f64>| {
            let mut rows = Vec::new();
            ask(states, &mut rows)?;
            shares.extend(shares_of(game, states, action, &rows));
            Ok(())
        };
        let mut found = ranges((game, endings), play, &mut shares)?.map(evened);
        likely(&mut found[seat.index()], self.settings.range_cut);
        let hands = found.each_ref().map(|range| range.iter().map(|&(hand, _)| hand).collect());
        let numbers = found.map(|range| range.into_iter().map(|(_, number)| number as f32).collect::<Vec<f32>>());
        let (ranges, number) = ([&numbers[0][..], &numbers[1]], seat.index());
        let mut policy = |questions: &[Question]| {
            let (mut states, mut shares) = (Vec::new(), Vec::new());
            for Question { events, hands } in questions {
                let state = after(game, &play.root, events);
                states.extend(hands.iter().map(|&hand| endings.with_hand(&state, seat, hand)));
                if states.len() >= ASK_AT {
                    ask(&std::mem::take(&mut states), &mut shares)?;
                }
            }
            ask(&states, &mut shares)?;
            Ok(shares)
        };
        let is_safe = self.settings.gadget != Gadget::Unsafe;
        let before: Option<Ask<'_>> = if is_safe { Some(&mut policy) } else { None };
        let spare = std::mem::take(&mut self.spare);
        let mut solver = TrickSolver::new(tricks, hands, number, before, (spare, &watch))?;
        let alternatives = match is_safe {
            true => solver.alternatives(ranges[number]),
            false => vec![0.0; ranges[number ^ 1].len()],
        };
        let pairs = solver.pairs(ranges[number]);
        resolve(&mut solver, (number, ranges), (&alternatives, &pairs), &self.settings, &watch)?;
        let (policy, spare) = solver.into_policy();
        // That of a large ending is given back.
        self.spare = if policy.bytes() < MAX_BYTES / 4 { spare } else { Table::new() };
        Ok(policy)
    }
}

/// A range; all hands alike if the policy excludes all.
fn evened(mut range: Range) -> Range {
    if range.iter().all(|&(_, number)| number == 0.0) {
        range.iter_mut().for_each(|(_, number)| *number = 1.0);
    }
    range
}

/// Drops the hands that the policy excludes, and the least likely ones, which together have at most this share.
fn likely(range: &mut Range, share: f64) {
    let order = sorted(range.len(), &mut |one, other| range[one].1.total_cmp(&range[other].1));
    let mut left = share * order.iter().map(|&hand| range[hand].1).sum::<f64>();
    let is_kept = |number: &f64| {
        left -= number;
        left < 0.0
    };
    let least = order.into_iter().map(|hand| range[hand].1).find(is_kept).unwrap_or(0.0);
    range.retain(|&(_, number)| number >= least);
}

/// The public state after these public events, in which nobody draws.
fn after<G: Game>(game: &G, root: &G::State, events: &[Action]) -> G::State {
    let mut state = *root;
    events.iter().for_each(|&event| game.apply(&mut state, event));
    state
}

impl<G: Hints> Agent<G> for EndingAgent<G> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let EndingSettings { ending_tricks, attack_tricks, ending_iterations, .. } = self.settings;
        let (start, seat, streams) = (Instant::now(), view.seat(), self.streams);
        self.streams.advance();
        let row = game.endings().filter(|_| legal.len() > 1).and_then(|endings| {
            let tricks = |fewer: u8| [ending_tricks, attack_tricks].map(|most| most.saturating_sub(fewer));
            let mut plays =
                (0..ending_tricks.max(attack_tricks)).map_while(|fewer| endings.public_play(view, tricks(fewer)));
            let (solution, play) = plays.find_map(|play| Some((self.solution((game, endings), &play, seat)?, play)))?;
            // There is none for a hand that is left out, or after events that only such hands allow.
            solution.row(&play.since, endings.held(view))
        });
        let Some(row) = row else { return self.agent.act(game, view, legal) };
        self.agent.lines();
        let (actions, shares): (Vec<Action>, Vec<f64>) =
            row.into_iter().filter(|&(action, _)| legal.contains(action)).unzip();
        let shares = normalized(&shares);
        let action = actions[draw(&shares, &mut streams.rng("ending"))];
        // Solutions have no values of single hands.
        let stats = |(&action, &probability): (&Action, &f64)| ActionStats {
            action: action.0,
            visits: 0,
            value: f64::NAN,
            availability: 0,
            probability,
        };
        let search = Search {
            actions: actions.iter().zip(&shares).map(stats).list(),
            iterations: ending_iterations,
            nodes: 1,
            seconds: start.elapsed().as_secs_f64(),
        };
        Decision { action, policy: actions.into_iter().zip(shares).list(), search: Some(search) }
    }

    fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
        self.agent.restart(Rng::stream(seed, "agent before an ending", 0).bits());
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.agent.beliefs(game, view)
    }

    fn note_lines(&mut self, depth: usize) {
        self.agent.note_lines(depth);
    }

    fn lines(&mut self) -> Vec<Line> {
        self.agent.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupted = flag.clone();
        self.agent.interrupt_with(flag);
    }
}

#[cfg(test)]
mod tests {
    use super::{evened, likely};

    #[test]
    fn the_least_likely_hands_are_left_out() {
        let kept = |numbers: &[f64], share: f64| {
            let mut range = evened((0..).zip(numbers.iter().copied()).collect());
            likely(&mut range, share);
            range.into_iter().map(|(hand, _)| hand).collect::<Vec<u64>>()
        };
        let numbers = [0.5, 0.0, 0.1, 0.3, 0.1];
        assert_eq!(kept(&numbers, 0.0), [0, 2, 3, 4]);
        // Of equal ones, all or none.
        assert_eq!(kept(&numbers, 0.15), [0, 2, 3, 4]);
        assert_eq!(kept(&numbers, 0.25), [0, 3]);
        assert_eq!(kept(&numbers, 0.499), [0, 3]);
        // A policy that excludes all hands says nothing about them.
        assert_eq!(kept(&[0.0, 0.0], 0.1), [0, 1]);
    }
}
