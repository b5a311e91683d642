//! Kuhn poker: three cards, one each, one bet. H. W. Kuhn, *A Simplified Two-Person Poker*, 1950.
//!
//! All that a game can be asked for, in its shortest form: the guide to adding a game shows this file.

use std::sync::LazyLock;

use stier_core::encode::{Cell, Field, Pen, size};
use stier_core::scene::{Face, Group, Hue, Place, Scene, Sign};
use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Encode, Game, Hints, History, Notation, Outcome, Rng,
    RulesError, Seat, SeatView, Turn, options,
};

use super::Listed;

options! {
    /// Kuhn poker has no options.
    pub(crate) struct Rules for "kuhn" {}
}

/// What chance deals.
pub(crate) const JACK: Action = Action(0);
pub(crate) const QUEEN: Action = Action(1);
pub(crate) const KING: Action = Action(2);
/// Their names.
const CARDS: [&str; 3] = ["J", "Q", "K"];

/// Check, or fold when facing a bet.
pub(crate) const PASS: Action = Action(0);
/// Bet, or call when facing one.
pub(crate) const BET: Action = Action(1);
/// Their names.
const ACTIONS: [&str; 2] = ["pass", "bet"];

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

/// The own card, how many cards are dealt, and the actions of both.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    dealt: u8,
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

    fn utility_range(&self) -> (f64, f64) {
        (-2.0, 2.0)
    }

    fn utility_sum(&self) -> Option<f64> {
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

    fn returns(&self, state: &State) -> BySeat<f64> {
        let showdown = |stake: f64| if state.cards[0] > state.cards[1] { stake } else { -stake };
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
        Self::seen(history.state(), seat)
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let other = view.seat.index() ^ 1;
        let hidden: Vec<Option<u8>> = match other < usize::from(view.dealt) {
            true => (0..3).map(Some).filter(|card| !view.seen.cards.contains(card)).collect(),
            false => vec![None],
        };
        let histories = hidden.into_iter().map(|card| {
            let mut cards = view.seen.cards;
            cards[other] = card;
            cards.into_iter().flatten().chain(view.seen.actions()).map(Action).collect()
        });
        Listed::new(self, histories)
    }
}

impl Kuhn {
    /// What a seat sees of a state: of this game it is all the seat knows.
    fn seen(state: &State, seat: Seat) -> View {
        let mut seen = *state;
        seen.cards[seat.index() ^ 1] = None;
        View { seat, dealt: state.cards.iter().flatten().count() as u8, seen }
    }

    /// The fields of both tensors.
    fn layout() -> Vec<Field> {
        vec![
            Field::new("seat", [2]),
            Field::new("dealt", [2]),
            Field::new("card", [CARDS.len()]),
            Field::new("actions", [3, ACTIONS.len()]),
        ]
    }

    /// What a seat sees as zeros and ones.
    fn draw<T: Cell>(view: &View, out: &mut [T]) {
        let mut pen = Pen::new(out);
        pen.one(Some(view.seat.index()), 2);
        pen.count(view.dealt, 2);
        pen.one(view.seen.cards[view.seat.index()], CARDS.len());
        for action in view.seen.actions {
            pen.one(action, ACTIONS.len());
        }
        pen.finish();
    }
}

impl Encode for Kuhn {
    const OBSERVATION_VERSION: u32 = 1;

    fn observation_layout(&self) -> Vec<Field> {
        Self::layout()
    }

    fn observation<T: Cell>(&self, state: &State, seat: Seat, out: &mut [T]) {
        Self::draw(&Self::seen(state, seat), out);
    }

    fn information_state_layout(&self) -> Vec<Field> {
        Self::layout()
    }

    fn information_state(&self, view: &View, out: &mut [f32]) {
        debug_assert_eq!(out.len(), size(&Self::layout()));
        Self::draw(view, out);
    }
}

/// What was done, by name.
fn names(actions: &[u8]) -> String {
    actions.iter().map(|&action| ACTIONS[usize::from(action)]).collect::<Vec<_>>().join(" ")
}

impl Notation for Kuhn {
    fn action_name(&self, action: Action) -> String {
        ACTIONS[action.index()].to_string()
    }

    fn outcome_name(&self, outcome: Action) -> String {
        CARDS[outcome.index()].to_string()
    }

    fn rule_broken(&self, _state: &State, _action: Action) -> String {
        "whoever is to act may pass and bet".to_string()
    }

    fn knowledge(&self, view: &View) -> String {
        let card = view.seen.cards[view.seat.index()].map_or("-", |card| CARDS[usize::from(card)]);
        format!("seat {} | {} dealt: {card} | {}", view.seat.0, view.dealt, names(&view.seen.actions()))
    }

    fn text(&self, state: &State, perspective: Option<Seat>) -> String {
        let card = |seat: Seat| match state.cards[seat.index()] {
            None => "-",
            Some(_) if perspective.is_some_and(|eye| eye != seat) => "?",
            Some(card) => CARDS[usize::from(card)],
        };
        format!("seat 0: {}   seat 1: {}   {}", card(Seat(0)), card(Seat(1)), names(&state.actions()))
    }

    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let place = |seat: Seat| {
            let card = state.cards[seat.index()].map(|card| CARDS[usize::from(card)].to_string());
            let open = perspective.is_none_or(|eye| eye == seat);
            Place { seat: Some(seat), groups: vec![Group::hand(card, open)], ..Place::default() }
        };
        let next = match self.turn(state) {
            Turn::Chance => "a card is dealt".to_string(),
            Turn::Seat(seat) => format!("seat {} passes or bets", seat.0),
            Turn::Over => "the game is over".to_string(),
        };
        Scene {
            title: "Kuhn poker",
            facts: vec![("actions", names(&state.actions()))],
            track: Vec::new(),
            places: Seat::all(2).map(place).collect(),
            next,
        }
    }

    fn faces(&self) -> Vec<Face> {
        CARDS.map(|rank| Face { rank: rank.to_string(), sign: Sign::Spade, hue: Hue::Black }).to_vec()
    }

    fn cards(&self) -> Vec<String> {
        CARDS.map(str::to_string).to_vec()
    }

    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        for (card, count) in (0..).zip(counts) {
            *count = u8::from(state.cards[seat.index()] == Some(card));
        }
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
        f32::from((action == BET) == (view.card() == 2))
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
