//! Nim for two or three: whoever takes the last counter wins. Nothing is hidden, nothing is left to chance.

use stier_core::{
    Action, Actions64, BySeat, Chance, Game, Hints, History, Rng, RulesError, Sampler, Seat, SeatView, Turn, World,
    options,
};

options! {
    /// How many play with what.
    pub(crate) struct Rules for "nim" {
        /// Seats.
        seats: u8 = 2, 2..=3;
        /// The sizes of the heaps, a digit each.
        heaps: u16 = 322, 1..=5555;
    }
}

/// An action takes 1 to this many counters from one heap.
const MOST: u8 = 3;

/// The heaps, and what was done so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// Counters left.
    pub(crate) heaps: [u8; 4],
    actions: [u8; 20],
    count: u8,
}

/// Everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    state: State,
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The only state there is.
#[derive(Clone, Debug)]
pub(crate) struct Only(State);

impl Sampler<Nim> for Only {
    fn sample(&self, _rng: &mut Rng) -> State {
        self.0
    }

    fn count(&self) -> u64 {
        1
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        std::iter::once(World { state: self.0, weight: 1 })
    }

    fn sample_history(&self, game: &Nim, _rng: &mut Rng) -> History<Nim> {
        let mut history = History::new(game);
        for &action in &self.0.actions[..usize::from(self.0.count)] {
            history.push(game, Action(action));
        }
        history
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Nim {
    rules: Rules,
}

impl Game for Nim {
    const NAME: &'static str = "nim";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Only;
    type Actions = Actions64;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        Ok(Self { rules })
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn num_seats(&self) -> usize {
        usize::from(self.rules.seats)
    }

    fn num_actions(&self) -> usize {
        4 * usize::from(MOST)
    }

    fn num_outcomes(&self) -> usize {
        0
    }

    fn max_decisions(&self) -> usize {
        self.root().heaps.iter().map(|&heap| usize::from(heap)).sum()
    }

    fn max_chance_events(&self) -> usize {
        0
    }

    fn utility_range(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(2.0 - self.num_seats() as f64)
    }

    fn root(&self) -> State {
        let heaps = [1000, 100, 10, 1].map(|place| (self.rules.heaps / place % 10) as u8);
        State { heaps, actions: [0; 20], count: 0 }
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
        state.actions[usize::from(state.count)] = action.0;
        state.count += 1;
    }

    fn chance(&self, _state: &State) -> Chance {
        Chance::new()
    }

    fn sample_chance(&self, _state: &State, _rng: &mut Rng) -> Action {
        unreachable!("there is no chance in it")
    }

    fn sight(&self, _state: &State, _seat: Seat) -> u64 {
        0
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

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        View { seat, state: *history.state() }
    }

    fn sampler(&self, view: &View) -> Only {
        Only(view.state)
    }
}

super::no_tensors!(Nim);
impl Hints for Nim {}
