//! Rollouts by a trained network from many states at once.
//!
//! The network plays for all players. All rollouts advance together, and each ply costs one call of the network for
//! those that have a choice. A rollout has its own random numbers for each ply and each random event, so its result
//! does not depend on the others. Rollouts with the same seed and future draw the same numbers at the same ply, even if
//! they began with different actions.

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, Seat, Turn};

use crate::agent::batch_agent::{BatchAgent as _, Query};
use crate::agent::streams::Streams;
use crate::network::agent::{NetworkAgent, NetworkChoice, NetworkOptions};
use crate::network::evaluator::Evaluator;
use crate::network::option::NetworkFile;
use crate::rollout::{Cutoff, Evaluation};
use crate::search::future::Future;

/// A state that is played on.
#[derive(Clone, Debug)]
pub(crate) struct Rollout<G: Game> {
    state: G::State,
    future: Future,
    /// The streams of the next ply.
    streams: Streams,
    /// The deal in which the rollout began.
    deal: u32,
}

impl<G: Game> Rollout<G> {
    /// Begins in this state, with these random events to come and the random numbers of `seed`.
    pub(crate) fn new(game: &G, state: G::State, future: Future, seed: u64) -> Self {
        Self { state, future, streams: Streams::new(seed), deal: game.deal_number(&state) }
    }

    /// Plays an action, and the random events that follow.
    pub(crate) fn play(&mut self, game: &G, action: Action) {
        game.apply(&mut self.state, action);
        self.future.settle(game, &mut self.state);
        self.streams.advance();
    }
}

/// A network that plays on from many states.
#[derive(Clone, Debug)]
pub(crate) struct NetworkRollouts {
    network: NetworkAgent,
    cutoff: Cutoff,
    evaluation: Evaluation,
}

impl NetworkRollouts {
    /// Creates rollouts by this network, up to a cutoff at which the rest is valued. Panics without a network; parsing
    /// an agent's text ensures that there is one.
    pub(crate) fn new(path: NetworkFile, cutoff: Cutoff, evaluation: Evaluation) -> Self {
        let options = NetworkOptions { path, choose: NetworkChoice::Sample, ..NetworkOptions::default() };
        Self { network: NetworkAgent::new(options, 0), cutoff, evaluation }
    }

    /// The network with its working space.
    pub(crate) fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.network.evaluator
    }

    /// Plays on and returns the returns of every rollout, in order. The rollouts are changed.
    pub(crate) fn returns<G: Hints>(&mut self, game: &G, rollouts: &mut [Rollout<G>]) -> Vec<BySeat<f32>> {
        let mut returns = vec![BySeat::filled(game.num_seats(), 0.0); rollouts.len()];
        let mut playing: Vec<usize> = (0..rollouts.len()).list();
        let (mut asked, mut leaves): (Vec<(usize, Seat)>, Vec<_>) = Default::default();
        for ply in 0.. {
            asked.clear();
            leaves.clear();
            playing.retain(|&index| {
                let rollout = &mut rollouts[index];
                let Turn::Seat(seat) = game.turn(&rollout.state) else {
                    returns[index] = game.rounded_returns(&rollout.state);
                    return false;
                };
                let is_leaf = self.cutoff.is_reached(ply, || game.deal_number(&rollout.state) != rollout.deal);
                let legal = game.legal(&rollout.state);
                match legal.len() {
                    _ if is_leaf => leaves.push((index, seat)),
                    1 => rollout.play(game, legal.nth(0)),
                    _ => asked.push((index, seat)),
                }
                !is_leaf
            });
            for (&(index, _), values) in leaves.iter().zip(self.values(game, rollouts, &leaves)) {
                returns[index] = values;
            }
            if playing.is_empty() {
                break;
            }
            let mut actions = Vec::with_capacity(asked.len());
            self.network.decide(game, &queries(rollouts, &asked), &mut actions);
            for (&(index, _), action) in asked.iter().zip(actions) {
                rollouts[index].play(game, action);
            }
        }
        returns
    }

    /// The estimated returns of some rollouts, each with the seat to act.
    fn values<G: Hints>(&mut self, game: &G, rollouts: &[Rollout<G>], leaves: &[(usize, Seat)]) -> Vec<BySeat<f32>> {
        match self.evaluation {
            Evaluation::Hints => leaves.iter().map(|&(index, _)| game.evaluate(&rollouts[index].state)).list(),
            Evaluation::Network => self.evaluator().values(game, &queries(rollouts, leaves)),
        }
    }
}

/// The decisions of some rollouts, each with the seat to act.
fn queries<'a, G: Game>(rollouts: &'a [Rollout<G>], asked: &[(usize, Seat)]) -> Vec<Query<'a, G>> {
    asked.iter().map(|&(index, seat)| Query::new(&rollouts[index].state, seat, rollouts[index].streams)).collect()
}
