//! Writes a game and checks it: `cargo run -p stier-core --example write_a_game`.
//!
//! Player 0 gets one of three cards. It folds, or it claims to have the king. Player 1 believes the claim or doubts it.

use stier_core::game::evenly;
use stier_core::{Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, Game, GameInfo, Hints, Log};
use stier_core::{FromRules, Notation, Observer, Pen, RulesError, Seat, Turn, options};
use stier_testing::conformance;

options! {
    /// The game has no options.
    pub struct Rules for "claim" {}
}

const FOLD: Action = Action(0);
const CLAIM: Action = Action(1);
const BELIEVE: Action = Action(2);
const DOUBT: Action = Action(3);
const KING: u8 = 2;

/// The card once it is dealt, and the actions so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct State {
    card: Option<u8>,
    actions: [Option<u8>; 2],
}

#[derive(Clone)]
struct Claim {
    rules: Rules,
    info: GameInfo,
}

impl FromRules for Claim {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let info = GameInfo {
            num_seats: 2,
            num_actions: 4,
            num_outcomes: 3,
            max_decisions: 2,
            max_chance_events: 1,
            utility_range: (-2.0, 2.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for Claim {
    type State = State;
    // The log of a seat's actions and observations is its view, and the sampler filters all states by it.
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
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        match (state.card, state.actions) {
            (None, _) => Turn::Chance,
            (_, [None, _]) => Turn::Seat(Seat(0)),
            (_, [Some(first), None]) if Action(first) == CLAIM => Turn::Seat(Seat(1)),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(Seat(0)) => Actions64::default().with(FOLD).with(CLAIM),
            Turn::Seat(_) => Actions64::default().with(BELIEVE).with(DOUBT),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let [first, second] = &mut state.actions;
        let slots = [&mut state.card, first, second];
        *slots.into_iter().find(|slot| slot.is_none()).expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, state: &State) -> Chance {
        evenly(if state.card.is_none() { 0..3 } else { 0..0 })
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let first = match state.actions.map(|action| action.map(Action)) {
            [Some(FOLD), _] => -1.0,
            [_, Some(BELIEVE)] => 1.0,
            [_, Some(DOUBT)] if state.card == Some(KING) => 2.0,
            [_, Some(DOUBT)] => -2.0,
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        // Both players notice the deal, but only player 0 sees the card.
        pen.counted("dealt", [1]).count(state.card.is_some());
        pen.hand("card", 3).one(state.card.filter(|_| observer == Observer::Seat(Seat(0))));
        pen.actions("actions", [2, 4]).ones(state.actions);
    }
}

impl Notation for Claim {
    fn action_name(&self, action: Action) -> String {
        ["fold", "claim", "believe", "doubt"][action.index()].to_string()
    }

    fn outcome_name(&self, card: Action) -> String {
        ["jack", "queen", "king"][card.index()].to_string()
    }
}

impl Hints for Claim {}

fn main() -> Result<(), RulesError> {
    // Random games, with every promise of the traits checked at every node.
    conformance(&Claim::new(Rules::default())?, 1, 200);
    println!("the game keeps its promises");
    Ok(())
}
