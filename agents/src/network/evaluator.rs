//! Evaluation of states by networks.

use std::sync::Arc;

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, Rng, Seat, SeatView as _};

use super::file::Network;
use super::layers::Scratch;
use crate::agent::batch_agent::Query;
use crate::agent::sampling::{MAX_ACTIONS, place, softmax};

/// A network with its working space; one for each thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    observations: Vec<f32>,
    scratch: Scratch,
}

/// The output of a network for a state.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The logits of all actions, legal or not.
    pub logits: &'a [f32],
    /// The expected return of the player to act, in the game's utility; NaN for a network without a value head.
    pub value: f32,
}

impl Evaluator {
    /// Creates an evaluator for a network that [fits](Network::fits) the games to be evaluated.
    pub fn new(network: Arc<Network>) -> Self {
        Self { network, observations: Vec::new(), scratch: Scratch::default() }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Evaluates a state for `mover`, the seat to act. Reads nothing that is hidden from `mover`.
    #[inline]
    pub fn evaluate<G: Game>(&mut self, game: &G, state: &G::State, mover: Seat) -> Output<'_> {
        self.observations.resize(self.network.num_inputs(), 0.0);
        game.observation(state, mover, &mut self.observations);
        self.output(game)
    }

    /// Evaluates a view, whose seat must be the one to act.
    #[inline]
    pub fn evaluate_view<G: Game>(&mut self, game: &G, view: &G::View) -> Output<'_> {
        self.observations.resize(self.network.num_inputs(), 0.0);
        view.observation(game, &mut self.observations);
        self.output(game)
    }

    /// Evaluates the only observation.
    #[inline]
    fn output<G: Game>(&mut self, game: &G) -> Output<'_> {
        let (network, row) = self.outputs();
        evaluation(network, game.rounded_range(), row)
    }

    /// Evaluates many positions at once, in order, with exactly the same results.
    pub fn evaluate_many<'a, G: Game>(
        &'a mut self,
        game: &G,
        queries: &[Query<'_, G>],
    ) -> impl Iterator<Item = Output<'a>> {
        let inputs = self.network.num_inputs();
        self.observations.resize(queries.len() * inputs, 0.0);
        for (query, out) in queries.iter().zip(self.observations.chunks_exact_mut(inputs)) {
            query.observation(game, out);
        }
        let range = game.rounded_range();
        let (network, found) = self.outputs();
        found.chunks_exact(network.num_actions() + 1).map(move |row| evaluation(network, range, row))
    }

    /// The [expected returns](Output::values) of many positions.
    pub(crate) fn values<G: Hints>(&mut self, game: &G, queries: &[Query<'_, G>]) -> Vec<BySeat<f32>> {
        let mut values = Vec::with_capacity(queries.len());
        for (output, query) in self.evaluate_many(game, queries).zip(queries) {
            values.push(output.values(game, query.state, query.seat));
        }
        values
    }

    /// The outputs for the observations.
    #[inline]
    fn outputs(&mut self) -> (&Network, &[f32]) {
        let network = &*self.network;
        (network, network.layers.forward(&self.observations, network.classes.as_ref(), &mut self.scratch))
    }

    /// The raw outputs for rows of inputs, for measurements.
    pub fn forward(&mut self, inputs: &[f32]) -> &[f32] {
        self.network.layers.forward(inputs, None, &mut self.scratch)
    }
}

/// Splits a row of outputs into logits and value.
fn evaluation<'a>(network: &Network, (low, high): (f32, f32), row: &'a [f32]) -> Output<'a> {
    let (logits, value) = row.split_at(network.num_actions());
    if !network.has_value() {
        return Output { logits, value: f32::NAN };
    }
    // The value of a NaN output is the middle of the range.
    let value = value[0] * network.value_scale;
    let value = if value.is_nan() { (low + high) / 2.0 } else { value.clamp(low, high) };
    Output { logits, value }
}

impl Output<'_> {
    /// Weights in proportion to the probabilities of the legal actions, ascending, and their sum. They are the
    /// softmax of the logits at this temperature, scaled to a maximum of 1.
    #[inline]
    pub fn weights(&self, legal: impl Iterator<Item = Action>, temperature: f32) -> (ArrayVec<f32, MAX_ACTIONS>, f32) {
        let mut weights: ArrayVec<f32, MAX_ACTIONS> = legal.map(|action| self.logits[action.index()]).collect();
        let sum = softmax(&mut weights, temperature);
        (weights, sum)
    }

    /// The expected returns of all seats. The mover gets the network's value. With a fixed sum the others share the
    /// rest equally; otherwise they get the game's own estimate, which reads all cards. All are NaN without a value
    /// head.
    #[inline]
    pub fn values<G: Hints>(&self, game: &G, state: &G::State, mover: Seat) -> BySeat<f32> {
        let seats = game.num_seats();
        let (low, high) = game.rounded_range();
        let mut values = match game.info().utility_sum {
            Some(sum) => BySeat::filled(seats, ((sum as f32 - self.value) / (seats - 1) as f32).clamp(low, high)),
            None => game.evaluate(state),
        };
        values[mover] = self.value;
        values
    }
}

/// Draws a legal action in proportion to the weights.
#[inline]
pub(crate) fn draw<A: stier_core::ActionSet>(legal: A, weights: &[f32], sum: f32, rng: &mut Rng) -> Action {
    legal.nth(place(weights.iter().copied(), rng.unit() as f32 * sum))
}

/// Draws an action of the network's policy for `mover`, the seat to act.
#[inline]
pub(crate) fn pick<G: Game>(
    evaluator: &mut Evaluator,
    game: &G,
    state: &G::State,
    mover: Seat,
    legal: G::Actions,
    rng: &mut Rng,
) -> Action {
    if legal.len() == 1 {
        return legal.nth(0);
    }
    let (weights, sum) = evaluator.evaluate(game, state, mover).weights(legal.iter(), 1.0);
    draw(legal, &weights, sum, rng)
}
