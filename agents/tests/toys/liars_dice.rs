//! Liar's dice with one die each: bids on both dice together go up until somebody calls the other a liar. The highest face is
//! wild: it counts as every face. Numbered and played as in OpenSpiel.

use stier_core::{
    Action, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Seat, SeatView, Turn, options,
};

use super::Listed;

options! {
    /// The options.
    pub(crate) struct Rules for "liars_dice" {
        /// Sides of a die.
        sides: u8 = 6, 2..=8;
    }
}

/// The dice (faces from 0; `None` before they are rolled) and the actions so far, as a set: they only go up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    dice: [Option<u8>; 2],
    bids: u32,
}

/// The own die and the bids; from the end of the rolling on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    seen: State,
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct LiarsDice {
    rules: Rules,
}

impl LiarsDice {
    /// Bids are numbered by quantity, then by face; after them comes the call.
    pub(crate) fn liar(&self) -> Action {
        Action(2 * self.rules.sides)
    }
}

impl Game for LiarsDice {
    const NAME: &'static str = "liars_dice";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Listed<State>;
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
        self.liar().index() + 1
    }

    fn num_outcomes(&self) -> usize {
        usize::from(self.rules.sides)
    }

    fn max_decisions(&self) -> usize {
        self.num_actions()
    }

    fn max_chance_events(&self) -> usize {
        2
    }

    fn utility_range(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(0.0)
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        if state.dice[1].is_none() {
            Turn::Chance
        } else if state.bids >> self.liar().0 == 1 {
            Turn::Over
        } else {
            Turn::Seat(Seat((state.bids.count_ones() % 2) as u8))
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) if state.bids == 0 => (0..self.liar().0).map(Action).collect(),
            Turn::Seat(_) => (state.bids.ilog2() as u8 + 1..=self.liar().0).map(Action).collect(),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        match state.dice.iter_mut().find(|die| die.is_none()) {
            Some(die) => *die = Some(action.0),
            None => state.bids |= 1 << action.0,
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) != Turn::Chance {
            return Chance::new();
        }
        let probability = 1.0 / f64::from(self.rules.sides);
        (0..self.rules.sides).map(|face| Outcome { action: Action(face), probability }).collect()
    }

    fn sample_chance(&self, _state: &State, rng: &mut Rng) -> Action {
        Action(rng.below(u32::from(self.rules.sides)) as u8)
    }

    fn sight(&self, state: &State, seat: Seat) -> u64 {
        state.dice[seat.index()].map_or(0, |face| u64::from(face) + 1)
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        if self.turn(state) != Turn::Over {
            return BySeat::filled(2, 0.0);
        }
        let bids = state.bids ^ 1 << self.liar().0;
        let (quantity, face) = (bids.ilog2() as u8 / self.rules.sides + 1, bids.ilog2() as u8 % self.rules.sides);
        let matches = state.dice.iter().flatten().filter(|&&die| die == face || die == self.rules.sides - 1).count();
        let bidder_wins = matches >= usize::from(quantity);
        // The bidders take turns, seat 0 first.
        let bidder_is_first = bids.count_ones() % 2 == 1;
        let first = if bidder_wins == bidder_is_first { 1.0 } else { -1.0 };
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let mut seen = *history.state();
        seen.dice[seat.index() ^ 1] = None;
        View { seat, seen }
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let bids = (0..=self.liar().0).filter(|bid| view.seen.bids >> bid & 1 == 1);
        let histories = (0..self.rules.sides).map(|face| {
            let mut dice = view.seen.dice;
            dice[view.seat.index() ^ 1] = Some(face);
            dice.into_iter().flatten().chain(bids.clone()).map(Action).collect()
        });
        Listed::new(self, histories)
    }
}

super::no_tensors!(LiarsDice);
impl Hints for LiarsDice {}
