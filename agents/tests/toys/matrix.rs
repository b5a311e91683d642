//! Two-player zero-sum games of two choices each, made at once.

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, FromRules, Game, GameInfo, Hints, Log,
    Observer, Pen, RulesError, Seat, Turn, options,
};

options! {
    /// The first seat's gain if both choose their first action, its gain if both choose their second, and its loss
    /// otherwise.
    pub(crate) struct Rules for "matrix" {
        /// Both their first.
        heads: u8 = 1, 1..=9;
        /// Both their second.
        tails: u8 = 1, 1..=9;
        /// Else, to the second seat.
        mixed: u8 = 1, 1..=9;
    }
}

/// The choices made, in order of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    choices: [Option<u8>; 2],
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    rules: Rules,
    info: GameInfo,
}

impl FromRules for Matrix {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let most = f64::from(rules.heads.max(rules.tails).max(rules.mixed));
        let info = GameInfo {
            num_seats: 2,
            num_actions: 2,
            max_decisions: 2,
            utility_range: (-most, most),
            utility_sum: Some(0.0),
            simultaneous: true,
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for Matrix {
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
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        match state.choices {
            [None, _] => Turn::Seat(Seat(0)),
            [_, None] => Turn::Seat(Seat(1)),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(Action(0)).with(Action(1)),
            _ => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let place = state.choices.iter_mut().find(|choice| choice.is_none());
        *place.expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, _state: &State) -> Chance {
        Chance::new()
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let first = match state.choices {
            [Some(0), Some(0)] => f64::from(self.rules.heads),
            [Some(1), Some(1)] => f64::from(self.rules.tails),
            [Some(_), Some(_)] => -f64::from(self.rules.mixed),
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    /// The own choice before the end, both after it.
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let open = |seat| observer == Observer::Seat(seat) || self.turn(state) == Turn::Over;
        let choices = (0..).map(Seat).zip(state.choices).map(|(seat, choice)| choice.filter(|_| open(seat)));
        pen.field("choices", [2, 2]).ones(choices);
    }
}

impl Hints for Matrix {}
