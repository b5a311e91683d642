//! Goofspiel with imperfect information: both bid a card at once for a prize; who bid more wins it, and that is all the other
//! learns. Prizes come in descending order; equal bids discard theirs; the last cards are played of themselves. M. Lanctot et
//! al., *Monte Carlo Tree Search in Simultaneous Move Games with Applications to Goofspiel*, 2013; numbered and played as in
//! OpenSpiel with `points_order=descending` and `returns_type=win_loss`.

use stier_core::{
    Action, Actions64, BySeat, Chance, Game, Hints, History, Rng, RulesError, Seat, SeatView, Turn, options,
};

use super::Listed;

options! {
    /// The options.
    pub(crate) struct Rules for "goofspiel" {
        /// Cards in each hand, and prizes.
        cards: u8 = 4, 2..=5;
    }
}

const MOST_CARDS: usize = 5;

/// The bids of each seat, in order; seat 0 bids first, hidden from seat 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    bids: [[Option<u8>; MOST_CARDS]; 2],
}

impl State {
    fn bids(&self, seat: usize) -> impl Iterator<Item = u8> + Clone {
        self.bids[seat].into_iter().flatten()
    }

    /// Who won each prize so far; `None` for nobody.
    fn winners(&self) -> Vec<Option<Seat>> {
        let pairs = self.bids(0).zip(self.bids(1));
        pairs.map(|(first, second)| (first != second).then_some(Seat(u8::from(second > first)))).collect()
    }
}

/// The own bids, who won, and how many bids have been made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    own: [Option<u8>; MOST_CARDS],
    winners: Vec<Option<Seat>>,
    bids: [usize; 2],
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Goofspiel {
    rules: Rules,
}

impl Goofspiel {
    /// Every sequence of `count` different bids.
    fn sequences(&self, count: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..count {
            let longer = |sequence: Vec<u8>| {
                let left: Vec<u8> = (0..self.rules.cards).filter(|card| !sequence.contains(card)).collect();
                left.into_iter().map(move |card| [sequence.as_slice(), &[card]].concat())
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    /// The events that make these bids: all but the last cards, which play themselves.
    fn events(&self, bids: [&[u8]; 2]) -> Vec<Action> {
        let chosen = usize::from(self.rules.cards) - 1;
        let rounds = (0..chosen).flat_map(|round| bids.map(|bids| bids.get(round).copied()));
        rounds.flatten().map(Action).collect()
    }
}

impl Game for Goofspiel {
    const NAME: &'static str = "goofspiel";
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
        usize::from(self.rules.cards)
    }

    fn num_outcomes(&self) -> usize {
        0
    }

    fn max_decisions(&self) -> usize {
        2 * (self.num_actions() - 1)
    }

    fn max_chance_events(&self) -> usize {
        0
    }

    fn utility_range(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(0.0)
    }

    fn is_simultaneous(&self) -> bool {
        true
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        let made = [0, 1].map(|seat| state.bids(seat).count());
        if made[1] == self.num_actions() { Turn::Over } else { Turn::Seat(Seat(u8::from(made[0] > made[1]))) }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(seat) => {
                let is_left = |card: &u8| !state.bids(seat.index()).any(|bid| bid == *card);
                (0..self.rules.cards).filter(is_left).map(Action).collect()
            }
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let Turn::Seat(seat) = self.turn(state) else { unreachable!("there is no chance") };
        let round = state.bids(seat.index()).count();
        state.bids[seat.index()][round] = Some(action.0);
        if seat == Seat(1) && round + 2 == self.num_actions() {
            for bids in &mut state.bids {
                let last = (0..self.rules.cards).find(|card| !bids.contains(&Some(*card)));
                bids[round + 1] = last;
            }
        }
    }

    fn chance(&self, _state: &State) -> Chance {
        Chance::new()
    }

    fn sample_chance(&self, _state: &State, _rng: &mut Rng) -> Action {
        unreachable!("there is no chance")
    }

    fn observed(&self, before: &State, action: Action, observer: Seat) -> u64 {
        let own = if self.turn(before) == Turn::Seat(observer) { u64::from(action.0) + 1 } else { 0 };
        let mut after = *before;
        self.apply(&mut after, action);
        match &after.winners()[before.winners().len()..] {
            [] if own > 0 => own - 1,
            revealed => {
                let winner =
                    |code: u64, winner: &Option<Seat>| 4 * code + winner.map_or(3, |seat| u64::from(seat.0) + 1);
                256 + 256 * own + revealed.iter().fold(0, winner)
            }
        }
    }

    fn sight(&self, _state: &State, _seat: Seat) -> u64 {
        0
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        if self.turn(state) != Turn::Over {
            return BySeat::filled(2, 0.0);
        }
        let mut points = [0_i32; 2];
        for (winner, prize) in state.winners().iter().zip((1..=i32::from(self.rules.cards)).rev()) {
            if let Some(winner) = winner {
                points[winner.index()] += prize;
            }
        }
        let first = (points[0] - points[1]).signum() as f64;
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let state = history.state();
        View {
            seat,
            own: state.bids[seat.index()],
            winners: state.winners(),
            bids: [0, 1].map(|seat| state.bids(seat).count()),
        }
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let own: Vec<u8> = view.own.into_iter().flatten().collect();
        let fits = |other: &Vec<u8>| {
            let bids = if view.seat == Seat(0) { [&own, other] } else { [other, &own] };
            let mut state = self.root();
            self.events([bids[0], bids[1]]).iter().for_each(|&event| self.apply(&mut state, event));
            (state.winners() == view.winners).then(|| self.events([bids[0], bids[1]]))
        };
        let sequences = self.sequences(view.bids[view.seat.index() ^ 1]);
        Listed::new(self, sequences.iter().filter_map(fits))
    }
}

super::no_tensors!(Goofspiel);
impl Hints for Goofspiel {}
