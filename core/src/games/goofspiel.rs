//! Goofspiel: both players bid a card at once for a prize; the higher card wins it, equal cards discard it. M. Lanctot
//! et al., *Monte Carlo Tree Search in Simultaneous Move Games with Applications to Goofspiel*, 2013; numbered and
//! played as in OpenSpiel.
//!
//! Here seat 0 bids first, hidden from seat 1. The last cards are played automatically.

use crate::actions::{Action, Actions64};
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::{self, Chance, FromRules, Game, GameInfo, Observer, Turn};
use crate::options::Switch;
use crate::seats::{BySeat, Seat};
use crate::utility::Utility;
use crate::{DynOptions, Filter, Hints, Log, Notation, choice, options};

choice! {
    /// The order in which prizes come.
    pub enum Points {
        /// The highest first.
        Descending = "descending",
        /// The lowest first.
        Ascending = "ascending",
        /// Drawn by chance.
        Random = "random",
    }
}

options! {
    /// The options of Goofspiel.
    #[derive(Eq, Hash)]
    pub struct Rules for "goofspiel" {
        /// Cards in each hand, and prizes.
        cards: u8 = 4, 2..=13;
        /// The order in which prizes come.
        points: Points = Points::Descending, ();
        /// Imperfect information: bids stay hidden for good, and a player learns only who won the prize.
        impinfo: Switch = Switch::On, ();
        /// The return of a player for its prizes; a margin is twice OpenSpiel's point difference.
        utility: Utility = Utility::Win, ();
    }
}

/// Cards and prizes as sets: bit 0 is the card, or the prize, that counts 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    hands: [u16; 2],
    /// Prizes to come.
    prizes: u16,
    /// The prize that is bid for, as a set; empty before it is drawn.
    prize: u16,
    /// The hidden bid of seat 0, as a set.
    bid: u16,
    /// The bids of the last prize, as sets; empty if bids stay hidden.
    last: [u16; 2],
    points: [u8; 2],
}

/// The member of a set with one member, or none.
fn only(set: u16) -> Option<usize> {
    set.checked_ilog2().map(|member| member as usize)
}

/// Goofspiel under fixed rules.
#[derive(Clone, Debug)]
pub struct Goofspiel {
    rules: Rules,
    info: GameInfo,
}

impl Goofspiel {
    /// Turns up the next prize, unless chance has a choice.
    fn turn_up(&self, state: &mut State) {
        state.prize = match self.rules.points {
            _ if state.prizes.count_ones() < 2 => state.prizes,
            Points::Descending => 1 << state.prizes.ilog2(),
            Points::Ascending => 1 << state.prizes.trailing_zeros(),
            Points::Random => 0,
        };
        state.prizes &= !state.prize;
    }

    /// Both have bid.
    fn award(&self, state: &mut State, bids: [u16; 2]) {
        let value = if state.prize == 0 { 0 } else { state.prize.ilog2() as u8 + 1 };
        for seat in [0, 1] {
            state.points[seat] += if bids[seat] > bids[seat ^ 1] { value } else { 0 };
            state.hands[seat] &= !bids[seat];
        }
        state.bid = 0;
        if self.rules.impinfo == Switch::Off {
            state.last = bids;
        }
        self.turn_up(state);
    }
}

impl FromRules for Goofspiel {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let cards = usize::from(rules.cards);
        let points = cards * (cards + 1) / 2;
        let random = rules.points == Points::Random;
        let info = GameInfo {
            num_seats: 2,
            num_actions: cards,
            num_outcomes: if random { cards } else { 0 },
            max_decisions: 2 * (cards - 1),
            max_chance_events: if random { cards - 1 } else { 0 },
            utility_range: rules.utility.range(2, 0.0, points as f64),
            utility_sum: rules.utility.sum(),
            simultaneous: true,
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for Goofspiel {
    type State = State;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        let all = (1 << self.rules.cards) - 1;
        let mut state = State { hands: [all; 2], prizes: all, prize: 0, bid: 0, last: [0; 2], points: [0; 2] };
        self.turn_up(&mut state);
        state
    }

    fn turn(&self, state: &State) -> Turn {
        match state.hands {
            [0, 0] => Turn::Over,
            _ if state.prize == 0 => Turn::Chance,
            _ => Turn::Seat(Seat(u8::from(state.bid != 0))),
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        Actions64(self.turn(state).seat().map_or(0, |seat| state.hands[seat.index()].into()))
    }

    fn apply(&self, state: &mut State, action: Action) {
        let card = 1 << action.0;
        match self.turn(state) {
            Turn::Seat(Seat(0)) => state.bid = card,
            Turn::Seat(_) => {
                self.award(state, [state.bid, card]);
                if state.hands[0].count_ones() == 1 {
                    self.award(state, state.hands);
                }
            }
            Turn::Chance | Turn::Over => (state.prize, state.prizes) = (card, state.prizes & !card),
        }
    }

    fn chance(&self, state: &State) -> Chance {
        let is_left = |prize: &u8| self.turn(state) == Turn::Chance && state.prizes >> prize & 1 == 1;
        game::evenly((0..self.rules.cards).filter(is_left))
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        match self.turn(state) {
            Turn::Over => self.rules.utility.of(&BySeat::from(state.points.map(f64::from))),
            _ => BySeat::filled(2, 0.0),
        }
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let cards = self.info.num_actions;
        pen.field("seat", [2]).one(observer.seat().map(Seat::index));
        pen.actions("hand", [cards]).set(observer.seat().map_or(0, |seat| state.hands[seat.index()]));
        pen.actions("bid", [cards]).one(only(if observer == Observer::Seat(Seat(0)) { state.bid } else { 0 }));
        pen.actions("prizes", [cards]).set(state.prizes);
        pen.actions("prize", [cards]).one(only(state.prize));
        pen.counted("points", [2, cards * (cards + 1) / 2]).counts(state.points);
        if self.rules.impinfo == Switch::Off {
            pen.actions("last_bids", [2, cards]).ones(state.last.map(only));
        }
    }
}

impl Notation for Goofspiel {
    fn action_name(&self, action: Action) -> String {
        (action.0 + 1).to_string()
    }

    fn outcome_name(&self, prize: Action) -> String {
        (prize.0 + 1).to_string()
    }
}

impl Hints for Goofspiel {}
