//! Two-player zero-sum games of two choices each, made at once.

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Game, Hints, History, Rng, RulesError, Sampler, Seat, SeatView,
    Turn, World, options,
};

options! {
    /// What the first seat gets if both choose their first action, if both choose their second, and else loses.
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

/// The own choice before the end, everything after it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    seen: State,
    first_has_chosen: bool,
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The states that agree with a view.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    states: Vec<State>,
}

impl Sampler<Matrix> for Choices {
    fn sample(&self, rng: &mut Rng) -> State {
        self.states[rng.below(self.states.len() as u32) as usize]
    }

    fn count(&self) -> u64 {
        self.states.len() as u64
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.states.iter().map(|&state| World { state, weight: 1 })
    }

    fn sample_history(&self, game: &Matrix, rng: &mut Rng) -> History<Matrix> {
        let mut history = History::new(game);
        for choice in self.sample(rng).choices.into_iter().flatten() {
            history.push(game, Action(choice));
        }
        history
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    rules: Rules,
}

impl Game for Matrix {
    const NAME: &'static str = "matrix";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Choices;
    type Actions = Actions64;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        Ok(Self { rules })
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn num_seats(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        2
    }

    fn num_outcomes(&self) -> usize {
        0
    }

    fn max_decisions(&self) -> usize {
        2
    }

    fn max_chance_events(&self) -> usize {
        0
    }

    fn utility_range(&self) -> (f64, f64) {
        let most = self.rules.heads.max(self.rules.tails).max(self.rules.mixed);
        (-f64::from(most), f64::from(most))
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(0.0)
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

    fn sample_chance(&self, _state: &State, _rng: &mut Rng) -> Action {
        unreachable!("there is no chance in it")
    }

    fn is_simultaneous(&self) -> bool {
        true
    }

    fn observed(&self, before: &State, action: Action, observer: Seat) -> u64 {
        match before.choices[0] {
            None if observer == Seat(0) => u64::from(action.0),
            None => u64::MAX,
            Some(first) => 256 + u64::from(2 * first + action.0),
        }
    }

    fn sight(&self, _state: &State, _seat: Seat) -> u64 {
        0
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

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let state = *history.state();
        let mut seen = state;
        if self.turn(&state) != Turn::Over {
            seen.choices[seat.index() ^ 1] = None;
        }
        View { seat, seen, first_has_chosen: state.choices[0].is_some() }
    }

    fn sampler(&self, view: &View) -> Choices {
        let states = match view.seen.choices {
            [None, None] if view.first_has_chosen => {
                (0..2).map(|first| State { choices: [Some(first), None] }).collect()
            }
            _ => vec![view.seen],
        };
        Choices { states }
    }
}

super::no_tensors!(Matrix);
impl Hints for Matrix {}
