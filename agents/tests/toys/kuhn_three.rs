//! Kuhn poker for three: four cards, one each, one bet. N. Abou Risk and D. Szafron, *Using Counterfactual Regret
//! Minimization to Create Competitive Multiplayer Poker Agents*, 2010.

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Seat, SeatView,
    Turn, options,
};

use super::Listed;
use super::kuhn::{BET, PASS};

options! {
    /// The game has no options.
    pub(crate) struct Rules for "kuhn_three" {}
}

const PLAYERS: usize = 3;
const CARDS: u8 = 4;

/// Cards (`None` before the deal) and the actions so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    cards: [Option<u8>; PLAYERS],
    actions: [Option<u8>; 2 * PLAYERS - 1],
}

impl State {
    fn actions(&self) -> impl Iterator<Item = u8> + Clone {
        self.actions.into_iter().flatten()
    }

    /// After how many actions the bet was made.
    fn bet(&self) -> Option<usize> {
        self.actions().position(|action| action == BET.0)
    }
}

/// The own card and the actions of all; from the end of the deal on.
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
pub(crate) struct KuhnThree;

impl Game for KuhnThree {
    const NAME: &'static str = "kuhn_three";
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
        PLAYERS
    }

    fn num_actions(&self) -> usize {
        2
    }

    fn num_outcomes(&self) -> usize {
        usize::from(CARDS)
    }

    fn max_decisions(&self) -> usize {
        2 * PLAYERS - 1
    }

    fn max_chance_events(&self) -> usize {
        PLAYERS
    }

    fn utility_range(&self) -> (f64, f64) {
        (-2.0, 4.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(0.0)
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        let made = state.actions().count();
        if state.cards.contains(&None) {
            Turn::Chance
        } else if made == state.bet().unwrap_or(0) + PLAYERS {
            Turn::Over
        } else {
            Turn::Seat(Seat((made % PLAYERS) as u8))
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(PASS).with(BET),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let card = state.cards.iter_mut().find(|card| card.is_none());
        let place = card.or_else(|| state.actions.iter_mut().find(|action| action.is_none()));
        *place.expect("the game is not over") = Some(action.0);
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
        state.cards[seat.index()].map_or(0, |card| u64::from(card) + 1)
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        if self.turn(state) != Turn::Over {
            return BySeat::filled(PLAYERS, 0.0);
        }
        let actions: Vec<u8> = state.actions().collect();
        // Without a bet all show their cards, otherwise who has bet or called.
        let has_bet = |seat: usize| (seat..actions.len()).step_by(PLAYERS).any(|place| actions[place] == BET.0);
        let shows = |seat: &usize| state.bet().is_none() || has_bet(*seat);
        let winner = (0..PLAYERS).filter(shows).max_by_key(|&seat| state.cards[seat]).expect("somebody shows");
        let paid = |seat: usize| if has_bet(seat) { 2.0 } else { 1.0 };
        let pot: f64 = (0..PLAYERS).map(paid).sum();
        BySeat::from_fn(PLAYERS, |seat| if seat.index() == winner { pot } else { 0.0 } - paid(seat.index()))
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let mut seen = *history.state();
        seen.cards = [None; PLAYERS];
        seen.cards[seat.index()] = history.state().cards[seat.index()];
        View { seat, seen }
    }

    fn sampler(&self, view: &View) -> Listed<State> {
        let deals = (0..CARDS.pow(PLAYERS as u32)).map(|n| [n % CARDS, n / CARDS % CARDS, n / CARDS / CARDS]);
        let fits = |cards: &[u8; PLAYERS]| {
            let differ = (1..PLAYERS).all(|place| !cards[..place].contains(&cards[place]));
            differ && view.seen.cards[view.seat.index()] == Some(cards[view.seat.index()])
        };
        let histories =
            deals.filter(fits).map(|cards| cards.into_iter().chain(view.seen.actions()).map(Action).collect());
        Listed::new(self, histories)
    }
}

super::no_tensors!(KuhnThree);
impl Hints for KuhnThree {}
