//! Leduc poker: two suits of three ranks, a card each and one for both, two rounds of betting. F. Southey et al.,
//! *Bayes' Bluff: Opponent Modelling in Poker*, 2005; numbered and played as in OpenSpiel.

use std::cmp::Ordering;

use crate::actions::{Action, Actions64};
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::{self, Chance, FromRules, Game, GameInfo, Observer, Turn};
use crate::scene::Face;
use crate::seats::{BySeat, Seat};
use crate::{DynOptions, Filter, Hints, Log, Notation, options};

options! {
    /// Leduc poker has no options.
    #[derive(Eq, Hash)]
    pub struct Rules for "leduc_poker" {}
}

/// Give up; only when facing a raise.
pub const FOLD: Action = Action(0);
/// Match what the other player has paid, which may be nothing more.
pub const CALL: Action = Action(1);
/// Match and pay 2 more, in the second round 4.
pub const RAISE: Action = Action(2);

/// Six cards: jacks 0 and 1, queens 2 and 3, kings 4 and 5.
const CARDS: u8 = 6;
const MAX_RAISES: usize = 2;

/// The cards of seat 0, of seat 1 and of both (`None` before they are dealt), the bets of both rounds, and what was
/// paid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    cards: [Option<u8>; 3],
    bets: [[Option<Action>; 4]; 2],
    paid: [u8; 2],
}

impl State {
    fn bets(&self, round: usize) -> Vec<Action> {
        self.bets[round].into_iter().flatten().collect()
    }

    /// Tells whether the round ends with these bets: by a fold, or by a call that is not the first bet.
    fn ends(bets: &[Action]) -> bool {
        bets.last().is_some_and(|&last| last == FOLD || last == CALL && bets.len() > 1)
    }

    /// The round of betting, 0 or 1.
    fn round(&self) -> usize {
        usize::from(Self::ends(&self.bets(0)))
    }

    /// The seat that has folded.
    fn folded(&self) -> Option<usize> {
        let round = |bets: &[Option<Action>; 4]| bets.iter().position(|&bet| bet == Some(FOLD));
        self.bets.iter().find_map(round).map(|place| place % 2)
    }

    /// Pairs beat single cards, higher ranks lower ones.
    fn strength(&self, seat: usize) -> u8 {
        let rank = |place: usize| self.cards[place].map_or(0, |card| card / 2);
        if rank(seat) == rank(2) { 10 } else { rank(seat) }
    }
}

/// Leduc poker.
#[derive(Clone, Debug)]
pub struct LeducPoker {
    rules: Rules,
    info: GameInfo,
}

impl FromRules for LeducPoker {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let info = GameInfo {
            num_seats: 2,
            num_actions: 3,
            num_outcomes: usize::from(CARDS),
            max_decisions: 8,
            max_chance_events: 3,
            utility_range: (-13.0, 13.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for LeducPoker {
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
        State { cards: [None; 3], bets: [[None; 4]; 2], paid: [1; 2] }
    }

    fn turn(&self, state: &State) -> Turn {
        let (round, bets) = (state.round(), state.bets(state.round()));
        if state.folded().is_some() || round == 1 && State::ends(&bets) {
            Turn::Over
        } else if state.cards[1 + round].is_none() {
            Turn::Chance
        } else {
            Turn::Seat(Seat(bets.len() as u8 % 2))
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        let Turn::Seat(seat) = self.turn(state) else { return Actions64::default() };
        let faces_raise = state.paid[seat.index()] < state.paid[seat.index() ^ 1];
        let raises = state.bets(state.round()).into_iter().filter(|&bet| bet == RAISE).count();
        let allowed = [(FOLD, faces_raise), (CALL, true), (RAISE, raises < MAX_RAISES)];
        allowed.into_iter().filter_map(|(action, allowed)| allowed.then_some(action)).collect()
    }

    fn apply(&self, state: &mut State, action: Action) {
        let Turn::Seat(seat) = self.turn(state) else {
            *state.cards.iter_mut().find(|card| card.is_none()).expect("a card is to come") = Some(action.0);
            return;
        };
        let round = state.round();
        *state.bets[round].iter_mut().find(|bet| bet.is_none()).expect("the round goes on") = Some(action);
        if action != FOLD {
            let raise = if action == RAISE { [2, 4][round] } else { 0 };
            state.paid[seat.index()] = state.paid[seat.index() ^ 1] + raise;
        }
    }

    fn chance(&self, state: &State) -> Chance {
        let is_left = |card: &u8| self.turn(state) == Turn::Chance && !state.cards.contains(&Some(*card));
        game::evenly((0..CARDS).filter(is_left))
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let first = match (self.turn(state), state.folded()) {
            (Turn::Over, Some(0)) => -f64::from(state.paid[0]),
            (Turn::Over, Some(_)) => f64::from(state.paid[1]),
            (Turn::Over, None) => match state.strength(0).cmp(&state.strength(1)) {
                Ordering::Greater => f64::from(state.paid[1]),
                Ordering::Equal => 0.0,
                Ordering::Less => -f64::from(state.paid[0]),
            },
            _ => 0.0,
        };
        BySeat::from([first, if first == 0.0 { 0.0 } else { -first }])
    }

    fn fold(&self, state: &mut State) {
        state.cards.iter_mut().flatten().for_each(|card| *card -= *card % 2);
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let [.., public_card] = state.cards;
        pen.counted("dealt", [2]).count(state.cards[..2].iter().flatten().count());
        pen.hand("card", usize::from(CARDS)).one(observer.seat().and_then(|seat| state.cards[seat.index()]));
        pen.outcomes("public_card", [usize::from(CARDS)]).one(public_card);
        pen.actions("bets", [2, 4, 3]).ones(state.bets.as_flattened().iter().map(|bet| bet.map(Action::index)));
    }
}

impl Notation for LeducPoker {
    fn action_name(&self, action: Action) -> String {
        ["fold", "call", "raise"][action.index()].to_string()
    }

    fn outcome_name(&self, card: Action) -> String {
        ["J1", "J2", "Q1", "Q2", "K1", "K2"][card.index()].to_string()
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        let left = (0..CARDS).filter(|card| !state.cards.contains(&Some(*card)));
        left.map(|card| self.outcome_name(Action(card))).collect()
    }

    fn faces(&self) -> Vec<Face> {
        (0..CARDS).map(|card| Face::french(1 + card % 2, ['J', 'Q', 'K'][usize::from(card / 2)])).collect()
    }
}

impl Hints for LeducPoker {}
