//! The vocabulary: what a game is.
//!
//! | type | what it is | who may hold it |
//! | --- | --- | --- |
//! | [`Game`] | the rules, ready to play by | everybody |
//! | [`Game::State`] | the world, hidden cards included | this crate, the arena (which deals), open-card oracles |
//! | [`Game::View`] | all that one seat knows, with perfect recall | agents |
//! | [`Game::Sampler`] | the states that a view cannot tell apart, drawn exactly | search |
//!
//! The capabilities that clients ask for on top stand beside it: [`Encode`](crate::Encode) for learning,
//! [`Notation`](crate::Notation) for people, [`Hints`](crate::Hints) for search.

use std::fmt::Debug;
use std::hash::Hash;

use crate::actions::{Action, ActionSet};
use crate::error::RulesError;
use crate::history::History;
use crate::options::Options;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

/// Who acts next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Turn {
    /// A random event: a card dealt or drawn, a die.
    Chance,
    /// A player.
    Seat(Seat),
    /// Nobody: the game has ended.
    Over,
}

impl Turn {
    /// The player to act, if it is a player.
    pub fn seat(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) => Some(seat),
            Turn::Chance | Turn::Over => None,
        }
    }
}

/// One outcome of a random event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// What came up; numbered apart from the players' actions.
    pub action: Action,
    /// Its probability; those of one event sum to 1.
    pub probability: f64,
}

/// The outcomes of one random event, in ascending order.
pub type Chance = Vec<Outcome>;

/// A game under fixed rules.
///
/// States are plain values; a `Game` holds what the rules fix (tables, counts) and interprets them. Methods that take an
/// action trust the caller that it is legal: check at the edge with [`legal`](Game::legal) or
/// [`Notation::check`](crate::Notation::check).
pub trait Game: Clone + Send + Sync + 'static {
    /// The name in records, on the command line, in Python: `snake_case`, never changed.
    const NAME: &'static str;
    /// The version of the actions' ids: raised whenever one of them comes to mean something else, so that what was trained on the old
    /// ones is refused. A test pins it (`core/tests/encodings.rs`).
    const ACTIONS_VERSION: u32 = 1;
    /// The variant: plain data whose text form is its identity.
    type Rules: Options;
    /// The world, hidden cards included. At most 64 bytes; equal states have equal futures.
    type State: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// What one seat knows.
    type View: SeatView;
    /// Draws states for a view.
    type Sampler: Sampler<Self>;
    /// Sets of this game's actions.
    type Actions: ActionSet;

    /// The game under these rules, or why they make no game.
    fn new(rules: Self::Rules) -> Result<Self, RulesError>;
    /// The rules it was made from.
    fn rules(&self) -> &Self::Rules;
    /// The number of seats, 2 to [`MAX_SEATS`](crate::seats::MAX_SEATS).
    fn num_seats(&self) -> usize;
    /// Player actions have ids below this.
    fn num_actions(&self) -> usize;
    /// What a trained network must choose among to be of use here: `version:number of actions`.
    fn action_signature(&self) -> String {
        format!("{}:{}", Self::ACTIONS_VERSION, self.num_actions())
    }
    /// Chance outcomes have ids below this.
    fn num_outcomes(&self) -> usize;
    /// No game has more player decisions than this.
    fn max_decisions(&self) -> usize;
    /// No game has more random events than this.
    fn max_chance_events(&self) -> usize;
    /// Bounds of every seat's return: lowest, highest.
    fn utility_range(&self) -> (f64, f64);
    /// What the returns of all seats add up to, where that is the same in every game.
    fn utility_sum(&self) -> Option<f64>;

    /// The state before the first random event.
    fn root(&self) -> Self::State;
    /// Who acts in this state.
    fn turn(&self, state: &Self::State) -> Turn;
    /// What the player to act may do; empty unless a player is to act. A player's options depend on nothing that this
    /// player does not know.
    fn legal(&self, state: &Self::State) -> Self::Actions;
    /// Plays a legal action, or lets chance bring an outcome that it can bring.
    fn apply(&self, state: &mut Self::State, action: Action);
    /// What chance can bring; empty unless chance is to act.
    fn chance(&self, state: &Self::State) -> Chance;
    /// Draws one outcome with the probabilities of [`chance`](Game::chance), without applying it.
    fn sample_chance(&self, state: &Self::State, rng: &mut Rng) -> Action;

    /// Whether choices made one after another are really made at once: each stays hidden from the other players until all are
    /// in. Interfaces with simultaneous moves offer the game that way, too.
    fn is_simultaneous(&self) -> bool {
        false
    }

    /// What `observer` learns when a player does `action` in the state `before`, without what chance brings next, as a number:
    /// equal numbers cannot be told apart. Below 256 it is the action itself, seen as it is and nothing more. The default fits
    /// games whose actions are public. Search branches on it.
    #[inline(always)]
    fn observed(&self, _before: &Self::State, action: Action, _observer: Seat) -> u64 {
        u64::from(action.0)
    }

    /// What `seat` sees of this state that no action told it, as a number: its own cards, the cards and dice that chance laid
    /// open. Equal in states that the seat cannot tell apart. What a seat sees at every decision, its own and the others', and
    /// what it [observes](Game::observed) of every action stand for its information set, but for the order of cards that came
    /// together. Search keys its nodes by them.
    fn sight(&self, state: &Self::State, seat: Seat) -> u64;

    /// How many deals (bouts, rounds) have begun before the present one. Random events of different deals come from streams
    /// of their own (see [`Dealer`](crate::Dealer)), so that games with one seed have the same deals whatever was played.
    fn deal_number(&self, _state: &Self::State) -> u32 {
        0
    }

    /// The fast path of play: applies a player's action and draws every random event that follows, up to the next decision
    /// or the end. Distributed as [`apply`](Game::apply) followed by [`sample_chance`](Game::sample_chance).
    #[inline]
    fn step(&self, state: &mut Self::State, action: Action, rng: &mut Rng) {
        self.apply(state, action);
        self.settle(state, rng);
    }

    /// Plays uniformly random legal actions to the end: the same bits as [`step`](Game::step) with
    /// [`pick`](ActionSet::pick) again and again. Returns the number of decisions.
    #[inline]
    fn playout(&self, state: &mut Self::State, rng: &mut Rng) -> u32 {
        let mut decisions = 0;
        while let Turn::Seat(_) = self.turn(state) {
            let action = self.legal(state).pick(rng);
            self.step(state, action, rng);
            decisions += 1;
        }
        decisions
    }

    /// Draws random events until a player is to act or the game is over.
    #[inline]
    fn settle(&self, state: &mut Self::State, rng: &mut Rng) {
        while self.turn(state) == Turn::Chance {
            let outcome = self.sample_chance(state, rng);
            self.apply(state, outcome);
        }
    }

    /// Each seat's utility at the end, exact to the last place; zeros before it.
    fn returns(&self, state: &Self::State) -> BySeat<f64>;
    /// The [returns](Game::returns) in single precision, which is enough where a search averages many of them. Rounded towards zero:
    /// no mean of them leaves the [range](Game::utility_range) of returns.
    #[inline]
    fn rounded_returns(&self, state: &Self::State) -> BySeat<f32> {
        let returns = self.returns(state);
        BySeat::from_fn(returns.len(), |seat| towards_zero(returns[seat]))
    }
    /// The [range](Game::utility_range) of the [rounded returns](Game::rounded_returns).
    #[inline]
    fn rounded_range(&self) -> (f32, f32) {
        let (low, high) = self.utility_range();
        (towards_zero(low), towards_zero(high))
    }

    /// What `seat` knows after these events. Two histories that the seat cannot tell apart give equal views, two that it
    /// can tell apart give different ones. Linear in the number of events.
    fn view(&self, history: &History<Self>, seat: Seat) -> Self::View;
    /// The sampler over the states that are consistent with a view.
    fn sampler(&self, view: &Self::View) -> Self::Sampler;
    /// Some state that is consistent with a view, the same every time: for those who only ask what the seat sees, which is alike in
    /// all of them. Not a sample. Overridden where the sampler takes long to make.
    fn any_world(&self, view: &Self::View) -> Self::State {
        self.sampler(view).sample(&mut Rng::stream(0, "any world", 0))
    }
}

/// The nearest number in single precision that is not farther from zero.
#[inline(always)]
fn towards_zero(value: f64) -> f32 {
    /// The bits of a fraction that single precision lacks.
    const LOST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    f64::from_bits(value.to_bits() & !LOST) as f32
}

/// What every view tells, whatever the game. Equal views are the same information set.
pub trait SeatView: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// Whose knowledge it is.
    fn seat(&self) -> Seat;
}

/// A state and how likely it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct World<S> {
    /// The state.
    pub state: S,
    /// Proportional to the chance reach probability of the histories that lead to the state and that the view cannot tell
    /// apart: the number of ways in which chance can have brought it about.
    pub weight: u64,
}

/// The states of one information set, with the distribution that chance gives them: each history that the view cannot tell
/// apart from the true one counts by its chance reach probability; the players' own choices are not weighed.
pub trait Sampler<G: Game>: Clone + Send + Sync {
    /// A state, drawn exactly from that distribution.
    fn sample(&self, rng: &mut Rng) -> G::State;
    /// The exact number of different states.
    fn count(&self) -> u128;
    /// Every state once, with its weight, in a fixed order. Worth it where [`count`](Sampler::count) is small.
    fn worlds(&self) -> impl Iterator<Item = World<G::State>>;
    /// A whole history of the information set that ends in `world`, one of its states, drawn exactly by chance reach
    /// probability: legal from the first random event on, and giving the same view.
    fn sample_history_of(&self, game: &G, world: &G::State, rng: &mut Rng) -> History<G>;
    /// A whole history of the information set, drawn exactly by chance reach probability. Slower than
    /// [`sample`](Sampler::sample); its last state is distributed alike.
    fn sample_history(&self, game: &G, rng: &mut Rng) -> History<G> {
        let world = self.sample(rng);
        self.sample_history_of(game, &world, rng)
    }
    /// Whether all histories of a world give every player the same view at each of its decisions. One history of each world
    /// then shows exactly how probable the players' actions were in it, whatever their policies.
    fn worlds_fix_views(&self) -> bool {
        false
    }
}
