//! The continuation of a search from a leaf: to the end of the game, or to an estimate or an exact value.
//!
//! The actions are uniformly random, or those of the game's [hints](Hints::rollout) or its fitted policy, or a network's.
//! With any policy, `epsilon` is the probability of a random action.
//!
//! Known weaknesses: hints always make the same mistakes, and a stronger policy can be a worse judge of a position. An
//! estimate after `cutoff` plies and an exact ending read all cards, so that hidden cards count as known (*strategy
//! fusion*: I. Frank and D. Basin, *Search in Games with Incomplete Information*, Artificial Intelligence 100, 1998).
//! The ending also assumes that all players play perfectly.

pub mod fitted;

use stier_core::names::meant;
use stier_core::options::{Allowed, OptionType, Switch, number};
use stier_core::{ActionSet as _, BySeat, Hints, OptionValue, Rng, Seat, Turn, choice, options};

use crate::network::evaluator::{self, Evaluator};
use crate::network::option::Guide;

choice! {
    /// The policy of a rollout.
    pub enum Rollout {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly random among the actions that the game's hints leave.
        Hints = "hints",
        /// The game's policy, fitted to the decisions of a search, with its probabilities ([`Hints::logit`]).
        Fitted = "fitted",
        /// The policy of a trained network, with its probabilities.
        Network = "network",
    }
}

choice! {
    /// The source of a state's value at a rollout's cutoff.
    pub enum Evaluation {
        /// The game's hints ([`Hints::evaluate`]), with all cards open.
        Hints = "hints",
        /// A trained network, with the observation of the player to act
        /// ([`values`](crate::network::evaluator::Output::values)).
        Network = "network",
    }
}

/// The point at which an [`Evaluation`] ends a rollout, if any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cutoff {
    /// Rollouts go to the end of the game.
    Off,
    /// The state after this many plies is evaluated, unless the game has ended. With 0 there is no rollout.
    After(u32),
    /// The state after the next deal is evaluated, unless the game has ended: see [`deal_number`](stier_core::Game::deal_number). If deals are
    /// nearly independent, the rollout thus avoids the later ones and their luck.
    Deal,
}

impl Cutoff {
    /// Returns true if an evaluation ends a rollout after this many plies.
    pub(crate) fn is_reached(self, plies: u32, is_new_deal: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Off => false,
            Self::After(most) => plies >= most,
            Self::Deal => is_new_deal(),
        }
    }
}

/// The longest rollout that can be cut off.
const MAX_PLIES: u32 = 1_000_000;

impl OptionType for Cutoff {
    type Limits = ();

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "deal" => Ok(Self::Deal),
            plies => {
                let plies = number(plies).filter(|&plies| plies <= MAX_PLIES);
                plies.map(Self::After).ok_or_else(|| Self::allowed(&()).refuse(text) + &meant(text, ["off", "deal"]))
            }
        }
    }

    fn value(&self) -> OptionValue {
        match self {
            Self::Off => OptionValue::Name("off".to_string()),
            Self::Deal => OptionValue::Name("deal".to_string()),
            Self::After(plies) => OptionValue::Int(i64::from(*plies)),
        }
    }

    fn allowed((): &()) -> Allowed {
        Allowed::Other(format!("off, deal or a number between 0 and {MAX_PLIES}"))
    }
}

options! {
    /// The settings of rollouts.
    #[derive(Copy)]
    pub struct RolloutSettings for "rollouts" {
        /// The policy of a rollout.
        rollout: Rollout = Rollout::Random, ();
        /// The probability of a uniformly random action instead of the policy's.
        epsilon: f64 = 0.0, 0.0..=1.0, "rollout!=random";
        /// The point at which an evaluation ends a rollout: after this many plies, with the deal, or off.
        cutoff: Cutoff = Cutoff::Off, ();
        /// The source of that evaluation.
        evaluation: Evaluation = Evaluation::Hints, (), "cutoff!=off";
        /// Exact open-card endings end a rollout, if the game has them.
        endings: Switch = Switch::Off, ();
        /// The number of rollouts from each leaf; their mean is used.
        rollouts: u32 = 1, 1..=10_000;
    }
}

/// Plays on from leaves, for one search. Take the [`returns`](Self::returns) of each leaf at which the game has not ended.
#[derive(Clone, Debug)]
pub struct Roller {
    settings: RolloutSettings,
    /// True if the games' own playouts can be used.
    plain: bool,
    /// The largest number of plies of a rollout.
    plies: u32,
    network: Option<Box<Evaluator>>,
}

impl Roller {
    /// Creates a roller with these settings.
    pub fn new(settings: RolloutSettings) -> Self {
        let plies = match settings.cutoff {
            Cutoff::Off | Cutoff::Deal => u32::MAX,
            Cutoff::After(plies) => plies,
        };
        let random = settings.rollout == Rollout::Random;
        Self {
            settings,
            plain: !matches!(settings.rollout, Rollout::Fitted | Rollout::Network)
                && (random || settings.epsilon == 0.0)
                && settings.cutoff == Cutoff::Off
                && settings.endings == Switch::Off,
            plies,
            network: None,
        }
    }

    /// Adds the network that the settings may need. Without one, rollouts that need it panic.
    #[must_use]
    pub fn guided_by(self, guide: &Guide) -> Self {
        let network = guide.network.network().map(|network| Box::new(Evaluator::new(network.clone())));
        Self { network, ..self }
    }

    /// Returns true if a rollout is only the network's evaluation of its first state.
    pub(crate) fn only_evaluates(&self) -> bool {
        let RolloutSettings { cutoff, evaluation, endings, .. } = self.settings;
        (cutoff, evaluation, endings) == (Cutoff::After(0), Evaluation::Network, Switch::Off)
    }

    /// The network with its working space.
    pub fn network(&mut self) -> Option<&mut Evaluator> {
        self.network.as_deref_mut()
    }

    /// Creates a roller that plays to the end.
    pub fn of(rollout: Rollout) -> Self {
        Self::new(RolloutSettings { rollout, ..RolloutSettings::default() })
    }

    /// The mean returns of rollouts from this state, which may be a decision or the end. The state is changed.
    #[inline]
    pub fn returns<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
        if self.settings.rollouts == 1 {
            return self.one(game, state, rng);
        }
        let start = *state;
        let mut sums = BySeat::filled(game.num_seats(), 0.0);
        for _ in 0..self.settings.rollouts {
            *state = start;
            let returns = self.one(game, state, rng);
            sums.iter_mut().zip(returns.iter()).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        BySeat::from_fn(sums.len(), |seat| (sums[seat] / f64::from(self.settings.rollouts)) as f32)
    }

    /// Runs one rollout.
    #[inline]
    fn one<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
        if !self.plain {
            return self.step_by_step(game, state, rng);
        }
        match self.settings.rollout {
            Rollout::Hints => game.hinted_playout(state, rng),
            Rollout::Random | Rollout::Fitted | Rollout::Network => game.playout(state, rng),
        };
        game.rounded_returns(state)
    }

    #[inline(never)]
    fn step_by_step<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
        let endings = self.settings.endings == Switch::On;
        let mut left = self.plies;
        let deal = (self.settings.cutoff == Cutoff::Deal).then(|| game.deal_number(state));
        while let Turn::Seat(seat) = game.turn(state) {
            if endings && let Some(returns) = game.ending(state) {
                return returns;
            }
            if left == 0 || deal.is_some_and(|deal| deal != game.deal_number(state)) {
                return self.estimate(game, state, seat);
            }
            left -= 1;
            let legal = game.legal(state);
            let any = self.settings.epsilon > 0.0 && rng.unit() < self.settings.epsilon;
            let action = match self.settings.rollout {
                _ if any => legal.pick(rng),
                Rollout::Fitted => fitted::pick(game, state, legal, rng),
                Rollout::Network => evaluator::pick(asked(&mut self.network), game, state, seat, legal, rng),
                Rollout::Hints => game.rollout(state, legal).pick(rng),
                Rollout::Random => legal.pick(rng),
            };
            game.step(state, action, rng);
        }
        game.rounded_returns(state)
    }

    /// The estimated returns of all seats in a state in which a player is to act.
    fn estimate<G: Hints>(&mut self, game: &G, state: &G::State, mover: Seat) -> BySeat<f32> {
        match self.settings.evaluation {
            Evaluation::Hints => game.evaluate(state),
            Evaluation::Network => asked(&mut self.network).evaluate(game, state, mover).values(game, state, mover),
        }
    }
}

/// The network that the settings need.
fn asked(network: &mut Option<Box<Evaluator>>) -> &mut Evaluator {
    network.as_mut().expect("a parsed agent has its network")
}
