//! A trained network as a player: one evaluation of the seat's observation, without search.
//!
//! It plays the legal action with the highest probability, the first of equals, or draws one. Its decisions contain
//! the probabilities, which are the softmax over the legal actions even if the best is chosen. The value of every
//! action is the value of the position, or NaN for a network without a value head.

use std::sync::Arc;

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet, Game, Hints, choice, options};
use web_time::Instant;

use super::evaluator::{Evaluator, draw};
use super::file::Network;
use super::option::{NetworkFile, RulesOf};
use crate::agent::batch_agent::{BatchAgent, Query};
use crate::agent::endings::EndingSettings;
use crate::agent::streams::Streams;
use crate::agent::{ActionStats, Agent, Decision, Search};

choice! {
    /// The action that a network plays.
    pub(crate) enum NetworkChoice {
        /// The most probable action.
        Best = "best",
        /// An action drawn by its probability.
        Sample = "sample",
    }
}

options! {
    /// The options of [`NetworkAgent`].
    pub(crate) struct NetworkOptions for "network" {
        /// The file of the network. If left out, the game's own.
        path: NetworkFile = NetworkFile::NONE, ();
        /// The action that the network plays.
        choose: NetworkChoice = NetworkChoice::Best, ();
        /// The divisor of the logits. Above 1 the probabilities are closer to each other, below 1 further apart.
        temperature: f64 = 1.0, 0.001..=1000.0;
        /// The rules for which the network must have been trained.
        rules: RulesOf = RulesOf::Exact, ();
        /// Its play when few tricks are left.
        ..endings: EndingSettings = EndingSettings::default();
    }
}

/// The player: see the [module](self) documentation.
#[derive(Clone, Debug)]
pub(crate) struct NetworkAgent {
    options: NetworkOptions,
    streams: Streams,
    /// The network with its working space.
    pub(crate) evaluator: Evaluator,
}

impl NetworkAgent {
    /// Creates a player with the streams of `seed`. Panics without a network; building an agent from its text ensures
    /// that there is one.
    pub(crate) fn new(options: NetworkOptions, seed: u64) -> Self {
        let network: &Arc<Network> = options.path.network().expect("a parsed network agent has a file");
        Self { evaluator: Evaluator::new(network.clone()), options, streams: Streams::new(seed) }
    }

    /// Creates the player of a network that plays its likeliest actions.
    pub(crate) fn of(network: &Arc<Network>) -> Self {
        let options = NetworkOptions { path: network.clone().into(), ..NetworkOptions::default() };
        Self::new(options, 0)
    }

    /// Appends the probabilities of the legal actions in these positions, one after another. They are those of the
    /// decisions in [`act`](Agent::act).
    pub(crate) fn policies<G: Game>(&mut self, game: &G, queries: &[Query<'_, G>], shares: &mut Vec<f64>) {
        let options = &self.options;
        for (evaluation, query) in self.evaluator.evaluate_many(game, queries).zip(queries) {
            let (weights, _) = evaluation.weights(query.legal(game).iter(), options.temperature as f32);
            shares.extend(options.choose.probabilities(&weights));
        }
    }
}

impl<G: Game> BatchAgent<G> for NetworkAgent {
    /// Chooses exactly the actions of one [`act`](Agent::act) after another.
    fn decide(&mut self, game: &G, queries: &[Query<'_, G>], actions: &mut Vec<Action>) {
        let options = &self.options;
        for (evaluation, query) in self.evaluator.evaluate_many(game, queries).zip(queries) {
            let legal = query.legal(game);
            let (weights, sum) = evaluation.weights(legal.iter(), options.temperature as f32);
            actions.push(options.choose.action(&query.streams, legal, &weights, sum));
        }
    }
}

impl NetworkChoice {
    /// The action to play, given the weights of the legal ones and their sum.
    fn action<A: ActionSet>(self, streams: &Streams, legal: A, weights: &[f32], sum: f32) -> Action {
        match self {
            Self::Best => legal.nth(largest(weights)),
            Self::Sample => draw(legal, weights, sum, &mut streams.rng("network choice")),
        }
    }

    /// The probabilities with which legal actions with these weights are played.
    fn probabilities(self, weights: &[f32]) -> impl Iterator<Item = f64> {
        let (best, total) = (largest(weights), weights.iter().map(|&weight| f64::from(weight)).sum::<f64>());
        weights.iter().enumerate().map(move |(place, &weight)| match self {
            Self::Best => f64::from(u8::from(place == best)),
            Self::Sample => f64::from(weight) / total,
        })
    }

    /// The decision by these weights of the legal actions, whose probabilities are filled in, and their sum.
    pub(crate) fn decide<A: ActionSet>(
        self,
        mut search: Search,
        streams: &Streams,
        legal: A,
        weights: &[f32],
        sum: f32,
    ) -> Decision {
        let action = self.action(streams, legal, weights, sum);
        for (stats, share) in search.actions.iter_mut().zip(Self::Sample.probabilities(weights)) {
            stats.probability = share;
        }
        let policy = legal.iter().zip(self.probabilities(weights)).list();
        Decision { action, policy, search: Some(search) }
    }
}

/// The place of the largest weight, the first of equals.
fn largest(weights: &[f32]) -> usize {
    (1..weights.len()).fold(0, |best, next| if weights[next] > weights[best] { next } else { best })
}

impl<G: Hints> Agent<G> for NetworkAgent {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let evaluation = self.evaluator.evaluate_view(game, view);
        let (weights, sum) = evaluation.weights(legal.iter(), self.options.temperature as f32);
        let value = f64::from(evaluation.value);
        let stats =
            |action: Action| ActionStats { action: action.0, visits: 0, value, availability: 0, probability: 0.0 };
        let actions = legal.iter().map(stats).list();
        let search = Search { actions, iterations: 0, nodes: 1, seconds: start.elapsed().as_secs_f64() };
        let decision = self.options.choose.decide(search, &self.streams, legal, &weights, sum);
        self.streams.advance();
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
    }
}
