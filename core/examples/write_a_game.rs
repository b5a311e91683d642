//! Writes a game and checks it: `cargo run -p stier-core --example write_a_game`.
//!
//! Two textbook traps in one: guess a hidden coin, or take something for certain. A coin falls, and seat 0 takes what is certain or lets the coin be guessed. With `guesser=0` it guesses itself,
//! unseen, for 1 or -1, and half a point is certain. In every world with open cards it guesses right: letting it be
//! guessed seems to be worth 1, and is worth 0 (*strategy fusion*: I. Frank and D. Basin, *Search in Games with
//! Incomplete Information*, 1998). With `guesser=1` it has seen the coin, and seat 1, who has not, guesses for -1 or 1;
//! losing half a point is certain. With open cards seat 1 guesses right: the guess seems to be worth -1, and is worth 0
//! (the opponent's knowledge over-estimated).

use stier_core::game::evenly;
use stier_core::{Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, Game, GameInfo, Hints, Log};
use stier_core::{FromRules, Notation, Observer, Pen, RulesError, Seat, Turn, options};
use stier_testing::conformance;

options! {
    /// The option of the game.
    pub struct Rules for "guess" {
        /// The seat that guesses.
        guesser: u8 = 0, 0..=1;
    }
}

/// The safe action; heads when guessing.
pub const SAFE: Action = Action(0);
/// On to the guess; or tails, when guessing.
pub const PLAY: Action = Action(1);

/// The coin, the choice of seat 0, the guess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    coin: Option<u8>,
    choices: [Option<u8>; 2],
}

/// The game.
#[derive(Clone, Debug)]
pub struct Guess {
    rules: Rules,
    info: GameInfo,
}

impl Guess {
    fn sees(&self, seat: Seat) -> bool {
        self.rules.guesser == 1 && seat == Seat(0)
    }
}

impl FromRules for Guess {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let info = GameInfo {
            num_seats: 2,
            num_actions: 2,
            num_outcomes: 2,
            max_decisions: 2,
            max_chance_events: 1,
            utility_range: (-1.0, 1.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for Guess {
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
        match (state.coin, state.choices) {
            (None, _) => Turn::Chance,
            (_, [None, _]) => Turn::Seat(Seat(0)),
            (_, [Some(1), None]) => Turn::Seat(Seat(self.rules.guesser)),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(SAFE).with(PLAY),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let places = [&mut state.coin].into_iter().chain(&mut state.choices);
        *places.into_iter().find(|place| place.is_none()).expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, state: &State) -> Chance {
        evenly(0..if self.turn(state) == Turn::Chance { 2 } else { 0 })
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let sign = if self.rules.guesser == 0 { 1.0 } else { -1.0 };
        let first = match state.choices {
            [Some(0), _] => 0.5 * sign,
            [Some(1), guess @ Some(_)] if guess == state.coin => sign,
            [Some(1), Some(_)] => -sign,
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        // All notice the throw, but not all see the coin.
        let sees = observer.seat().is_some_and(|seat| self.sees(seat));
        pen.counted("thrown", [1]).count(state.coin.iter().count());
        pen.field("coin", [2]).one(state.coin.filter(|_| sees));
        pen.field("choices", [2, 2]).ones(state.choices);
    }
}

impl Notation for Guess {
    fn action_name(&self, action: Action) -> String {
        ["safe", "play"][action.index()].to_string()
    }

    fn outcome_name(&self, side: Action) -> String {
        ["heads", "tails"][side.index()].to_string()
    }
}

impl Hints for Guess {}

fn main() -> Result<(), RulesError> {
    for guesser in 0..=1 {
        // Random games, with every promise of the traits checked at every node.
        conformance(&Guess::new(Rules { guesser })?, 1, 200);
    }
    println!("the game keeps its promises");
    Ok(())
}
