//! Networks asked about states.

use std::sync::Arc;

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet as _, BySeat, Encode, Game, Hints, Rng, Seat, SeatView as _};

use super::file::Network;
use super::forward::Scratch;
use crate::arena::Position;
use crate::fitted::{self, MOST};

/// A network with room for its work: one for each thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    observations: Vec<f32>,
    scratch: Scratch,
}

/// What a network says about a state.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// A logit for each action, legal or not.
    pub logits: &'a [f32],
    /// The return that the player to act expects, in the game's utility; NaN from a network without a value head.
    pub value: f32,
}

impl Evaluator {
    /// For a network that [fits](Network::fits) the games it will be asked about.
    pub fn new(network: Arc<Network>) -> Self {
        Self { network, observations: Vec::new(), scratch: Scratch::default() }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the network says to `mover`, who is to act in the state. Reads nothing that is hidden from it.
    #[inline]
    pub fn evaluate<G: Encode>(&mut self, game: &G, state: &G::State, mover: Seat) -> Evaluation<'_> {
        self.observations.resize(self.network.num_inputs(), 0.0);
        game.observation(state, mover, &mut self.observations);
        let found = self.network.mlp().forward(&self.observations, &mut self.scratch);
        evaluation(&self.network, game.rounded_range(), found)
    }

    /// The same to the seat of a view, which is to act.
    #[inline]
    pub fn evaluate_view<G: Game>(&mut self, game: &G, view: &G::View) -> Evaluation<'_> {
        self.observations.resize(self.network.num_inputs(), 0.0);
        view.observation(game, &mut self.observations);
        let found = self.network.mlp().forward(&self.observations, &mut self.scratch);
        evaluation(&self.network, game.rounded_range(), found)
    }

    /// What it says in many positions, in order: the same bits, at once.
    pub fn evaluate_many<'a, 'p, G: Encode>(
        &'a mut self,
        game: &G,
        positions: impl ExactSizeIterator<Item = Position<'p, G>>,
    ) -> impl Iterator<Item = Evaluation<'a>> {
        let inputs = self.network.num_inputs();
        self.observations.resize(positions.len() * inputs, 0.0);
        for (position, out) in positions.zip(self.observations.chunks_exact_mut(inputs)) {
            position.observation(game, out);
        }
        let (network, range) = (&*self.network, game.rounded_range());
        let found = network.mlp().forward(&self.observations, &mut self.scratch);
        found.chunks_exact(network.num_actions() + 1).map(move |row| evaluation(network, range, row))
    }

    /// What is left of rows of inputs after the forward pass, for measurements.
    pub fn forward(&mut self, inputs: &[f32]) -> &[f32] {
        self.network.mlp().forward(inputs, &mut self.scratch)
    }
}

/// A row of outputs: logits, then the value.
fn evaluation<'a>(network: &Network, (low, high): (f32, f32), row: &'a [f32]) -> Evaluation<'a> {
    let (logits, value) = row.split_at(network.num_actions());
    if !network.has_value() {
        return Evaluation { logits, value: f32::NAN };
    }
    // Of a product that is no number, the middle.
    let value = value[0] * network.value_scale();
    let value = if value.is_nan() { (low + high) / 2.0 } else { value.clamp(low, high) };
    Evaluation { logits, value }
}

impl Evaluation<'_> {
    /// What the probabilities of the legal actions, ascending, are proportional to, the most being 1, and the sum: the softmax of the
    /// logits at this temperature.
    #[inline]
    pub fn weights(&self, legal: impl Iterator<Item = Action>, temperature: f32) -> (ArrayVec<f32, MOST>, f32) {
        let mut weights: ArrayVec<f32, MOST> = legal.map(|action| self.logits[action.index()]).collect();
        let most = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        weights.iter_mut().for_each(|weight| *weight = fitted::exp((*weight - most) / temperature));
        let sum = weights.iter().sum();
        (weights, sum)
    }

    /// What every seat may expect: the mover its value; the others share what is left of a fixed sum alike, and without one are
    /// promised what the game's own estimate says, which reads all cards. All NaN without a value head.
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

/// One of the legal actions in proportion to their weights.
#[inline]
pub fn draw<A: stier_core::ActionSet>(legal: A, weights: &[f32], sum: f32, rng: &mut Rng) -> Action {
    let mut left = rng.unit() as f32 * sum;
    let drawn = weights.iter().position(|&weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave over a last bit of the sum.
    legal.nth(drawn.unwrap_or(weights.len() - 1))
}

/// An action of the network's policy for `mover`, who is to act.
#[inline]
pub fn pick<G: Encode>(
    evaluator: &mut Evaluator,
    game: &G,
    (state, mover): (&G::State, Seat),
    legal: G::Actions,
    rng: &mut Rng,
) -> Action {
    if legal.len() == 1 {
        return legal.nth(0);
    }
    let (weights, sum) = evaluator.evaluate(game, state, mover).weights(legal.iter(), 1.0);
    draw(legal, &weights, sum, rng)
}
