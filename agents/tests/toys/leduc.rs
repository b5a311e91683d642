//! Leduc poker: two suits of three ranks, a card each and one for both, two rounds of betting. F. Southey et al., *Bayes'
//! Bluff: Opponent Modelling in Poker*, 2005; numbered and played as in OpenSpiel.

use stier_core::{
    Action, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Seat, SeatView, Turn, options,
};

use super::Listed;

options! {
    /// Leduc poker has no options.
    pub(crate) struct Rules for "leduc" {}
}

/// Give up; only when facing a raise.
pub(crate) const FOLD: Action = Action(0);
/// Match what the other has paid, which may be nothing.
pub(crate) const CALL: Action = Action(1);
/// Match and pay 2 more, in the second round 4.
pub(crate) const RAISE: Action = Action(2);

/// Six cards: jacks 0 and 1, queens 2 and 3, kings 4 and 5.
const CARDS: u8 = 6;
const MOST_RAISES: u8 = 2;

/// The cards of seat 0, of seat 1, of both (`None` before they are dealt), and the bets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    cards: [Option<u8>; 3],
    bets: [[Option<u8>; 4]; 2],
    round: u8,
    /// Actions and raises in this round.
    actions: u8,
    raises: u8,
    paid: [u8; 2],
    folded: Option<u8>,
    is_over: bool,
}

/// The own card, the card of both, the bets; from the end of the deal on.
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
pub(crate) struct Leduc;

impl Leduc {
    /// Pairs beat single cards, higher ranks lower ones.
    fn strength(state: &State, seat: usize) -> u8 {
        let rank = |place: usize| state.cards[place].map_or(0, |card| card / 2);
        if rank(seat) == rank(2) { 10 } else { rank(seat) }
    }
}

impl Game for Leduc {
    const NAME: &'static str = "leduc";
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
        3
    }

    fn num_outcomes(&self) -> usize {
        usize::from(CARDS)
    }

    fn max_decisions(&self) -> usize {
        8
    }

    fn max_chance_events(&self) -> usize {
        3
    }

    fn utility_range(&self) -> (f64, f64) {
        (-13.0, 13.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(0.0)
    }

    fn root(&self) -> State {
        State {
            cards: [None; 3],
            bets: [[None; 4]; 2],
            round: 0,
            actions: 0,
            raises: 0,
            paid: [1; 2],
            folded: None,
            is_over: false,
        }
    }

    fn turn(&self, state: &State) -> Turn {
        if state.is_over {
            Turn::Over
        } else if state.cards[1].is_none() || state.round == 1 && state.cards[2].is_none() {
            Turn::Chance
        } else {
            Turn::Seat(Seat(state.actions % 2))
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        let Turn::Seat(seat) = self.turn(state) else { return Actions64::default() };
        let faces_raise = state.paid[seat.index()] < state.paid[seat.index() ^ 1];
        let allowed = [(FOLD, faces_raise), (CALL, true), (RAISE, state.raises < MOST_RAISES)];
        allowed.into_iter().filter_map(|(action, allowed)| allowed.then_some(action)).collect()
    }

    fn apply(&self, state: &mut State, action: Action) {
        let Turn::Seat(seat) = self.turn(state) else {
            *state.cards.iter_mut().find(|card| card.is_none()).expect("a card is to come") = Some(action.0);
            return;
        };
        let (own, other) = (seat.index(), seat.index() ^ 1);
        state.bets[usize::from(state.round)][usize::from(state.actions)] = Some(action.0);
        state.actions += 1;
        if action == FOLD {
            state.folded = Some(seat.0);
            state.is_over = true;
            return;
        }
        state.paid[own] = state.paid[other];
        if action == RAISE {
            state.paid[own] += if state.round == 0 { 2 } else { 4 };
            state.raises += 1;
        } else if state.actions >= 2 {
            state.is_over = state.round == 1;
            if state.round == 0 {
                (state.round, state.actions, state.raises) = (1, 0, 0);
            }
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) != Turn::Chance {
            return Chance::new();
        }
        let left: Vec<u8> = (0..CARDS).filter(|&card| !state.cards.contains(&Some(card))).collect();
        let probability = 1.0 / left.len() as f64;
        left.into_iter().map(|card| Outcome { action: Action(card), probability }).collect()
    }

    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        let outcomes = self.chance(state);
        outcomes[rng.below(outcomes.len() as u32) as usize].action
    }

    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let seen = |place: usize| state.cards[place].map_or(0, |card| u64::from(card) + 1);
        seen(seat.index()) << 8 | seen(2)
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        if !state.is_over {
            return BySeat::filled(2, 0.0);
        }
        // Who calls has paid as much as the other; who folds loses what is paid.
        let first = match state.folded {
            Some(0) => -f64::from(state.paid[0]),
            Some(_) => f64::from(state.paid[1]),
            None => match Self::strength(state, 0).cmp(&Self::strength(state, 1)) {
                std::cmp::Ordering::Greater => f64::from(state.paid[1]),
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Less => -f64::from(state.paid[0]),
            },
        };
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let mut seen = *history.state();
        seen.cards[seat.index() ^ 1] = None;
        View { seat, seen }
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let seen = &view.seen;
        let free = (0..CARDS).filter(|card| !seen.cards.contains(&Some(*card)));
        let histories = free.map(|card| {
            let mut cards = seen.cards;
            cards[view.seat.index() ^ 1] = Some(card);
            let bets = |round: usize| seen.bets[round].iter().copied().flatten();
            let deal = cards[..2].iter().copied().flatten();
            deal.chain(bets(0)).chain(cards[2]).chain(bets(1)).map(Action).collect()
        });
        Listed::new(self, histories)
    }
}

super::no_tensors!(Leduc);
impl Hints for Leduc {}
