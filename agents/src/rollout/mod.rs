//! The continuation of a search from a leaf: to the end of the game, or to an estimate or an exact value.
//!
//! The actions are uniformly random, or those of the game's [hints](Hints::rollout), or those of the *Move-Average
//! Sampling Technique*, MAST (H. Finnsson and Y. Björnsson, *Simulation-Based Approach to General Game Playing*, AAAI
//! 2008). MAST learns the average result of each action of each seat during the search, wherever it was played, and
//! prefers good ones. It uses Gibbs sampling as in that paper, or the best action with a share `epsilon` of random
//! ones. M. J. W. Tak, M. H. M. Winands and Y. Björnsson (*N-Grams and the Last-Good-Reply Policy Applied in General
//! Game Playing*, IEEE Transactions on Computational Intelligence and AI in Games 4(2), 2012) found the latter
//! better. With any policy, `epsilon` is the probability of a random action.
//!
//! Known weaknesses: hints always make the same mistakes, and a stronger policy can be a worse judge of a position.
//! MAST assumes that an action is equally good everywhere. An estimate after `cutoff` plies and an exact ending read
//! all cards, so that hidden cards count as known (*strategy fusion*: I. Frank and D. Basin, *Search in Games with
//! Incomplete Information*, Artificial Intelligence 100, 1998). The ending also assumes that all players play
//! perfectly.

pub mod fitted;
mod mast;

use stier_core::names::meant;
use stier_core::options::{Allowed, OptionType, Switch, number};
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, OptionValue, Rng, Seat, Turn, choice, options};

use crate::network::evaluator::{self, Evaluator};
use crate::network::option::Guide;
use mast::Mast;

choice! {
    /// The policy of a rollout.
    pub enum Rollout {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly random among the actions that the game's hints leave.
        Hints = "hints",
        /// The game's policy, fitted to the decisions of a search, with its probabilities ([`Hints::logit`]).
        Fitted = "fitted",
        /// Actions that did well so far in this search, for the seat that plays them.
        Mast = "mast",
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
    /// The state after the next deal is evaluated, unless the game has ended: see [`Game::deal_number`]. If deals are
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
        /// The temperature of rollout=mast, in standard deviations of the returns: a mean that is higher by this much
        /// makes an action e times as likely. 0 selects only the best action.
        temperature: f64 = 1.0, 0.0..=1000.0, "rollout=mast";
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

/// Plays on from leaves, for one search.
///
/// In every iteration, [`note`](Self::note) each action on the way to the leaf, take the [`returns`](Self::returns)
/// of the leaf unless the game has ended, and let the roller [`learn`](Self::learn) the result. Policies that do not
/// learn ignore the first and the last step.
#[derive(Clone, Debug)]
pub struct Roller {
    settings: RolloutSettings,
    /// True if the games' own playouts can be used.
    plain: bool,
    /// The largest number of plies of a rollout.
    plies: u32,
    mast: Option<Mast>,
    network: Option<Box<Evaluator>>,
}

impl Roller {
    /// Creates a roller for one search of this game, which has not learned anything yet.
    pub fn new<G: Game>(game: &G, settings: RolloutSettings) -> Self {
        let plies = match settings.cutoff {
            Cutoff::Off | Cutoff::Deal => u32::MAX,
            Cutoff::After(plies) => plies,
        };
        let learns = settings.rollout == Rollout::Mast;
        let random = settings.rollout == Rollout::Random;
        Self {
            settings,
            plain: !learns
                && !matches!(settings.rollout, Rollout::Fitted | Rollout::Network)
                && (random || settings.epsilon == 0.0)
                && settings.cutoff == Cutoff::Off
                && settings.endings == Switch::Off,
            plies,
            mast: learns.then(|| Mast::new(game.num_seats(), game.num_actions(), settings.temperature)),
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
    pub fn of<G: Game>(game: &G, rollout: Rollout) -> Self {
        Self::new(game, RolloutSettings { rollout, ..RolloutSettings::default() })
    }

    /// Records an action on the way from the root to the leaf.
    #[inline(always)]
    pub fn note(&mut self, seat: Seat, action: Action) {
        if let Some(mast) = &mut self.mast {
            mast.note(seat, action);
        }
    }

    /// Credits the recorded actions with the returns of the iteration, and forgets them.
    #[inline(always)]
    pub fn learn(&mut self, returns: &BySeat<f32>) {
        if let Some(mast) = &mut self.mast {
            mast.learn(0, returns);
            mast.count(returns);
        }
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
            Rollout::Random | Rollout::Fitted | Rollout::Mast | Rollout::Network => game.playout(state, rng),
        };
        game.rounded_returns(state)
    }

    #[inline(never)]
    fn step_by_step<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
        let path = self.mast.as_ref().map_or(0, Mast::noted);
        let returns = self.walk(game, state, rng);
        if let Some(mast) = &mut self.mast {
            mast.learn(path, &returns);
        }
        returns
    }

    #[inline(always)]
    fn walk<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
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
            let action = match (&self.mast, self.settings.rollout) {
                _ if any => legal.pick(rng),
                (Some(mast), _) => mast.pick(seat, legal, rng),
                (None, Rollout::Fitted) => fitted::pick(game, state, legal, rng),
                (None, Rollout::Network) => evaluator::pick(asked(&mut self.network), game, state, seat, legal, rng),
                (None, Rollout::Hints) => game.rollout(state, legal).pick(rng),
                (None, _) => legal.pick(rng),
            };
            self.note(seat, action);
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
