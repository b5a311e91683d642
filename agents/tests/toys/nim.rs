//! Nim for two or three players: the player that takes the last counter wins. Nothing is hidden or left to chance.

use stier_core::{
    Action, Actions64, BySeat, Chance, DynOptions, Filter, FromRules, Game, GameInfo, Hints, Log, Observer, Pen,
    RulesError, Seat, Turn, options,
};

options! {
    /// The number of players and the heaps.
    pub(crate) struct Rules for "nim" {
        /// Seats.
        seats: u8 = 2, 2..=3;
        /// The sizes of the heaps, a digit each.
        heaps: u16 = 322, 1..=5555;
    }
}

/// An action takes 1 to this many counters from one heap.
const MOST: u8 = 3;

/// The heaps, and how many actions have been done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// Counters left.
    pub(crate) heaps: [u8; 4],
    count: u8,
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Nim {
    rules: Rules,
    info: GameInfo,
}

impl FromRules for Nim {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let digits = [1000, 100, 10, 1].map(|place| usize::from(rules.heaps / place % 10));
        let info = GameInfo {
            num_seats: usize::from(rules.seats),
            num_actions: 4 * usize::from(MOST),
            max_decisions: digits.iter().sum(),
            utility_range: (-1.0, 1.0),
            utility_sum: Some(2.0 - f64::from(rules.seats)),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for Nim {
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
        let heaps = [1000, 100, 10, 1].map(|place| (self.rules.heaps / place % 10) as u8);
        State { heaps, count: 0 }
    }

    fn turn(&self, state: &State) -> Turn {
        if state.heaps == [0; 4] { Turn::Over } else { Turn::Seat(Seat(state.count % self.rules.seats)) }
    }

    fn legal(&self, state: &State) -> Actions64 {
        let ids = (0..self.num_actions() as u8).map(Action);
        ids.filter(|action| action.0 % MOST < state.heaps[usize::from(action.0 / MOST)]).collect()
    }

    fn apply(&self, state: &mut State, action: Action) {
        state.heaps[usize::from(action.0 / MOST)] -= action.0 % MOST + 1;
        state.count += 1;
    }

    fn chance(&self, _state: &State) -> Chance {
        Chance::new()
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let over = self.turn(state) == Turn::Over;
        let winner = Seat(state.count.wrapping_sub(1) % self.rules.seats);
        BySeat::from_fn(self.num_seats(), |seat| match (over, seat == winner) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => -1.0,
        })
    }

    fn observe<P: Pen>(&self, state: &State, _observer: Observer, pen: &mut P) {
        pen.counted("heaps", [4, 9]).counts(state.heaps);
    }
}

impl Hints for Nim {}
