//! Kuhn poker: three cards, one each, one bet. H. W. Kuhn, *A Simplified Two-Person Poker*, 1950.

use std::sync::LazyLock;

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Seat, SeatView,
    Turn, options,
};

use super::Listed;

options! {
    /// Kuhn poker has no options.
    pub(crate) struct Rules for "kuhn" {}
}

/// Check, or fold when facing a bet.
pub(crate) const PASS: Action = Action(0);
/// Bet, or call when facing one.
pub(crate) const BET: Action = Action(1);

/// Cards (jack 0, queen 1, king 2; `None` before the deal) and the actions so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    cards: [Option<u8>; 2],
    actions: [Option<u8>; 3],
}

impl State {
    fn actions(&self) -> Vec<u8> {
        self.actions.iter().copied().flatten().collect()
    }
}

/// The own card and the actions of both; from the end of the deal on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    seen: State,
}

impl View {
    /// The own card: jack 0, queen 1, king 2.
    pub(crate) fn card(&self) -> u8 {
        self.seen.cards[self.seat.index()].expect("after the deal")
    }

    /// What both have done.
    pub(crate) fn actions(&self) -> Vec<Action> {
        self.seen.actions().into_iter().map(Action).collect()
    }
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Kuhn;

impl Game for Kuhn {
    const NAME: &'static str = "kuhn";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Listed<State>;
    type Actions = Actions64;

    fn new(_rules: Rules) -> Result<Self, RulesError> {
        Ok(Self)
    }

    fn rules(&self) -> &Rules {
        &Rules {}
    }

    fn num_seats(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        2
    }

    fn num_outcomes(&self) -> usize {
        3
    }

    fn max_decisions(&self) -> usize {
        3
    }

    fn max_chance_events(&self) -> usize {
        2
    }

    fn utility_range(&self) -> (f32, f32) {
        (-2.0, 2.0)
    }

    fn utility_sum(&self) -> Option<f32> {
        Some(0.0)
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        if state.cards[1].is_none() {
            return Turn::Chance;
        }
        match state.actions().as_slice() {
            [0, 0] | [1, _] | [0, 1, _] => Turn::Over,
            actions => Turn::Seat(Seat(actions.len() as u8 % 2)),
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(PASS).with(BET),
            _ => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let cards = state.cards.iter_mut().find(|card| card.is_none());
        let place = cards.or_else(|| state.actions.iter_mut().find(|action| action.is_none()));
        *place.expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) != Turn::Chance {
            return Chance::new();
        }
        let left: Vec<u8> = (0..3).filter(|&card| state.cards[0] != Some(card)).collect();
        let probability = 1.0 / left.len() as f64;
        left.into_iter().map(|card| Outcome { action: Action(card), probability }).collect()
    }

    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        let outcomes = self.chance(state);
        outcomes[rng.below(outcomes.len() as u32) as usize].action
    }

    fn sight(&self, state: &State, seat: Seat) -> u64 {
        state.cards[seat.index()].map_or(0, |card| u64::from(card) + 1)
    }

    fn returns(&self, state: &State) -> BySeat<f32> {
        let showdown = |stake: f32| if state.cards[0] > state.cards[1] { stake } else { -stake };
        let first = match state.actions().as_slice() {
            [0, 0] => showdown(1.0),
            [1, 1] | [0, 1, 1] => showdown(2.0),
            [1, 0] => 1.0,
            [0, 1, 0] => -1.0,
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let mut seen = *history.state();
        seen.cards[seat.index() ^ 1] = None;
        View { seat, seen }
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let free = (0..3).filter(|card| !view.seen.cards.contains(&Some(*card)));
        let histories = free.map(|card| {
            let mut cards = view.seen.cards;
            cards[view.seat.index() ^ 1] = Some(card);
            cards.into_iter().flatten().chain(view.seen.actions()).map(Action).collect()
        });
        Listed::new(self, histories)
    }
}

/// One of Kuhn's equilibria: how often each card bets or calls as the first to act, as the second after a pass, after a bet, and as
/// the first after a pass and a bet.
const EQUILIBRIUM: [[f32; 3]; 4] =
    [[1.0 / 3.0, 0.0, 1.0], [1.0 / 3.0, 0.0, 1.0], [0.0, 1.0 / 3.0, 1.0], [0.0, 2.0 / 3.0, 1.0]];

/// The logarithms of the odds, within bounds.
static WEIGHTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let log_odds = |&bet: &f32| (bet / (1.0 - bet)).ln().clamp(-40.0, 40.0);
    EQUILIBRIUM.as_flattened().iter().map(log_odds).collect()
});

impl Hints for Kuhn {
    /// Kings bet.
    fn appeal(&self, view: &View, action: Action) -> f32 {
        f32::from(u8::from((action == BET) == (view.card() == 2)))
    }

    fn num_features(&self) -> usize {
        WEIGHTS.len()
    }

    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let Turn::Seat(mover) = self.turn(state) else { return };
        let situation = match state.actions().as_slice() {
            [] => 0,
            [passed] if *passed == PASS.0 => 1,
            [_] => 2,
            _ => 3,
        };
        if action == BET {
            add(3 * situation + usize::from(state.cards[mover.index()].expect("after the deal")), 1.0);
        }
    }

    /// The policy is an equilibrium.
    fn weights(&self) -> &[f32] {
        &WEIGHTS
    }
}
