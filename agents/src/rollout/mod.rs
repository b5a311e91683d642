//! How a search plays on from a leaf: to the end, or to where an estimate or an exact value stands in for it.
//!
//! Who plays: uniformly random actions; the game's [hints](Hints::rollout); or *MAST*, the Move-Average Sampling Technique (H.
//! Finnsson and Y. Björnsson, *Simulation-Based Approach to General Game Playing*, AAAI 2008), which learns during the search how
//! well each action of each seat did on average, wherever it was played, and prefers those that did well: by Gibbs sampling, as
//! there, or the best but for a share `epsilon` of random ones, which M. J. W. Tak, M. H. M. Winands and Y. Björnsson (*N-Grams and
//! the Last-Good-Reply Policy Applied in General Game Playing*, IEEE Transactions on Computational Intelligence and AI in Games 4(2),
//! 2012) found better. With `epsilon`, a random action takes the place of the policy's now and then whatever the policy.
//!
//! Known weaknesses: hints always make the same mistakes, and a stronger policy can be the worse judge of a position; MAST takes an
//! action to be as good everywhere; an estimate after `cutoff` plies and an exact ending read all cards, so that what is still
//! hidden counts as known (*strategy fusion*: I. Frank and D. Basin, *Search in Games with Incomplete Information*, Artificial
//! Intelligence 100, 1998), and the ending moreover takes everybody to play perfectly.

mod mast;

use stier_core::options::{OptionType, Switch};
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, OptionValue, Rng, Seat, Turn, choice, options};

use crate::agent::fitted;
use crate::network::evaluator::{self, Evaluator};
use crate::network::option::Guide;
use mast::Mast;

choice! {
    /// Who plays in a rollout.
    pub enum Rollout {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly among those that the game's hints leave.
        Hints = "hints",
        /// By the game's policy, fitted to the decisions of a search: each with its probability there ([`Hints::logit`]).
        Fitted = "fitted",
        /// Those that did well so far in this search, for the seat that plays them.
        Mast = "mast",
        /// By a trained network: each with the probability that it gives. Microseconds an action.
        Network = "network",
    }
}

choice! {
    /// Who says what a state promises in which a rollout is cut off.
    pub enum Evaluation {
        /// The game's hints ([`Hints::evaluate`]), with all cards open.
        Hints = "hints",
        /// A trained network, to the player to act by what that player would see
        /// ([`values`](crate::network::evaluator::Evaluation::values)).
        Network = "network",
    }
}

/// Where an [`Evaluation`] ends a rollout, if at all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cutoff {
    /// Rollouts go to the end of the game.
    Off,
    /// The state after that many plies is evaluated, unless the game has ended; 0 plays nothing.
    After(u32),
    /// The state after the next deal is evaluated, unless the game has ended: see [`Game::deal_number`]. Where deals have little to do with
    /// each other, this spares the rollout those to come, and their luck.
    Deal,
}

/// The longest rollout that can be cut off.
const MOST_PLIES: u32 = 1_000_000;

impl OptionType for Cutoff {
    type Limits = ();

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "deal" => Ok(Self::Deal),
            plies => {
                let plies = plies.parse().ok().filter(|&plies| plies <= MOST_PLIES);
                plies.map(Self::After).ok_or_else(|| Self::allowed(&()))
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

    fn allowed((): &()) -> String {
        format!("off | deal | 0 to {MOST_PLIES}")
    }
}

options! {
    /// How to roll out.
    #[derive(Copy)]
    pub struct RolloutSettings for "rollouts" {
        /// Who plays in a rollout.
        rollout: Rollout = Rollout::Random, ();
        /// The probability of a uniformly random action in a rollout, instead of the policy's.
        epsilon: f64 = 0.0, 0.0..=1.0;
        /// The temperature of rollout=mast, in standard deviations of the returns: a mean that is higher by this much makes an action
        /// e times as likely. 0 for the best action only.
        temperature: f64 = 1.0, 0.0..=1000.0;
        /// Where an evaluation ends a rollout: after so many plies, with the deal, nowhere.
        cutoff: Cutoff = Cutoff::Off, ();
        /// Whose evaluation that is.
        evaluation: Evaluation = Evaluation::Hints, ();
        /// Whether exact open-card endings end a rollout, where the game has them.
        endings: Switch = Switch::Off, ();
        /// Rollouts from each leaf; their mean counts.
        rollouts: u32 = 1, 1..=10_000;
    }
}

/// Plays on from leaves, for one search.
///
/// For every iteration: [`note`](Self::note) each action on the way to the leaf, take the [`returns`](Self::returns) of the leaf
/// unless it is the end of the game, and let the roller [`learn`](Self::learn) what the iteration brought. Rollers that learn nothing
/// ignore the first and the last.
#[derive(Clone, Debug)]
pub struct Roller {
    settings: RolloutSettings,
    /// Whether the games' own playouts do.
    plain: bool,
    /// The plies that a rollout has at most.
    plies: u32,
    mast: Option<Mast>,
    network: Option<Box<Evaluator>>,
}

impl Roller {
    /// A roller for one search of this game, which has learned nothing yet.
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

    /// The same with the network that settings may refer to. Those that do panic without one when they roll out.
    #[must_use]
    pub fn guided_by(self, guide: &Guide) -> Self {
        let network = guide.network.network().map(|network| Box::new(Evaluator::new(network.clone())));
        Self { network, ..self }
    }

    /// Whether rollouts are nothing but the network's evaluation of where they would begin.
    pub fn only_evaluates(&self) -> bool {
        let RolloutSettings { cutoff, evaluation, endings, .. } = self.settings;
        (cutoff, evaluation, endings) == (Cutoff::After(0), Evaluation::Network, Switch::Off)
    }

    /// The network, with room for its work.
    pub fn network(&mut self) -> Option<&mut Evaluator> {
        self.network.as_deref_mut()
    }

    /// A roller that plays to the end.
    pub fn of<G: Game>(game: &G, rollout: Rollout) -> Self {
        Self::new(game, RolloutSettings { rollout, ..RolloutSettings::default() })
    }

    /// An action on the way from the root to the leaf.
    #[inline(always)]
    pub fn note(&mut self, seat: Seat, action: Action) {
        if let Some(mast) = &mut self.mast {
            mast.note(seat, action);
        }
    }

    /// What the iteration brought: the noted actions are credited with it, and forgotten.
    #[inline(always)]
    pub fn learn(&mut self, returns: &BySeat<f32>) {
        if let Some(mast) = &mut self.mast {
            mast.learn(0, returns);
            mast.count(returns);
        }
    }

    /// The returns that rollouts from this state find, on average: a decision, or the end. Leaves the state anywhere.
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

    /// One rollout.
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
                (None, Rollout::Network) => evaluator::pick(asked(&mut self.network), game, (state, seat), legal, rng),
                (None, Rollout::Hints) => game.rollout(state, legal).pick(rng),
                (None, _) => legal.pick(rng),
            };
            self.note(seat, action);
            game.step(state, action, rng);
        }
        game.rounded_returns(state)
    }
    /// What a state in which a player is to act promises every seat.
    fn estimate<G: Hints>(&mut self, game: &G, state: &G::State, mover: Seat) -> BySeat<f32> {
        match self.settings.evaluation {
            Evaluation::Hints => game.evaluate(state),
            Evaluation::Network => asked(&mut self.network).evaluate(game, state, mover).values(game, state, mover),
        }
    }
}

/// The network that settings refer to.
fn asked(network: &mut Option<Box<Evaluator>>) -> &mut Evaluator {
    network.as_mut().expect("a network is named")
}
