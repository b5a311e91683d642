//! A player is dealt numbers, makes a claim, and another player answers it: as many worlds as are wanted, and a model of the claims
//! can exclude any of them.
//!
//! With `cards=1` there are 200 numbers, and seat 0 knows its number before it claims anything. With `cards=2` there are 20 numbers;
//! seat 0 knows one of its two when it claims, and the world does not say which.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Sampler, Seat,
    SeatView, Turn, World, options,
};

options! {
    /// The option of the game.
    pub(crate) struct Rules for "claims" {
        /// The number of cards that seat 0 is dealt.
        cards: u8 = 1, 1..=2;
    }
}

/// Claims nothing, or denies a claim.
pub(crate) const NO: Action = Action(0);
/// Claims something, or believes it.
pub(crate) const YES: Action = Action(1);

/// The numbers, ascending, the claim, the answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    cards: [Option<u8>; 2],
    claim: Option<u8>,
    answer: Option<u8>,
}

impl State {
    /// The numbers, ascending.
    pub(crate) fn cards(&self) -> Vec<u8> {
        self.cards.iter().copied().flatten().collect()
    }
}

/// Every event that the seat sees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    events: Vec<Option<u8>>,
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// Each world with the histories that lead to it, all equally likely.
#[derive(Clone, Debug)]
pub(crate) struct Histories(Vec<(State, Vec<Vec<Action>>)>);

impl Sampler<Claims> for Histories {
    fn sample(&self, rng: &mut Rng) -> State {
        self.0[rng.below(self.0.len() as u32) as usize].0
    }

    fn count(&self) -> u128 {
        self.0.len() as u128
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.0.iter().map(|(state, histories)| World { state: *state, weight: histories.len() as u64 })
    }

    fn sample_history_of(&self, game: &Claims, world: &State, rng: &mut Rng) -> History<Claims> {
        let (_, histories) = self.0.iter().find(|(state, _)| state == world).expect("a world");
        let mut history = History::new(game);
        histories[rng.below(histories.len() as u32) as usize].iter().for_each(|&event| history.push(game, event));
        history
    }

    fn worlds_fix_views(&self) -> bool {
        self.0.iter().all(|(_, histories)| histories.len() == 1)
    }
}

/// Hooks through which tests watch a game and disturb it.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// The thread that made the game.
    main: ThreadId,
    /// The threads that have asked for returns.
    pub(crate) threads: Mutex<HashSet<ThreadId>>,
    /// Whether other threads panic that ask for returns.
    pub(crate) panics: AtomicBool,
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    rules: Rules,
    pub(crate) hooks: Arc<Hooks>,
}

impl Claims {
    fn numbers(&self) -> u8 {
        if self.rules.cards == 1 { 200 } else { 20 }
    }

    /// Whether a number is still to be dealt.
    fn deals(&self, state: &State) -> bool {
        state.cards[0].is_none() || self.rules.cards == 2 && state.claim.is_some() && state.cards[1].is_none()
    }
}

impl Game for Claims {
    const NAME: &'static str = "claims";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Histories;
    type Actions = Actions64;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let hooks = Hooks { main: thread::current().id(), threads: Mutex::default(), panics: AtomicBool::default() };
        Ok(Self { rules, hooks: Arc::new(hooks) })
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
        usize::from(self.numbers())
    }

    fn max_decisions(&self) -> usize {
        2
    }

    fn max_chance_events(&self) -> usize {
        usize::from(self.rules.cards)
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
        match (self.deals(state), state.claim, state.answer) {
            (true, _, _) => Turn::Chance,
            (_, None, _) => Turn::Seat(Seat(0)),
            (_, _, None) => Turn::Seat(Seat(1)),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(NO).with(YES),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        if self.deals(state) {
            let place = usize::from(state.cards[0].is_some());
            state.cards[place] = Some(action.0);
            state.cards[..=place].sort_unstable();
        } else if state.claim.is_none() {
            state.claim = Some(action.0);
        } else {
            state.answer = Some(action.0);
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if !self.deals(state) {
            return Chance::new();
        }
        let left: Vec<u8> = (0..self.numbers()).filter(|&number| state.cards[0] != Some(number)).collect();
        let probability = 1.0 / left.len() as f64;
        left.into_iter().map(|number| Outcome { action: Action(number), probability }).collect()
    }

    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        let outcomes = self.chance(state);
        outcomes[rng.below(outcomes.len() as u32) as usize].action
    }

    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let cards = state.cards().into_iter().fold(0, |sight, card| 256 * sight + u64::from(card) + 1);
        if seat == Seat(0) { cards } else { 0 }
    }

    /// Claiming nothing loses everything; a claim wins half if it is denied, three quarters if it is believed.
    fn returns(&self, state: &State) -> BySeat<f64> {
        let this = thread::current().id();
        self.hooks.threads.lock().expect("no panic meanwhile").insert(this);
        assert!(!self.hooks.panics.load(Ordering::Relaxed) || this == self.hooks.main, "the cards fell off the table");
        let first = match (state.claim, state.answer) {
            (Some(0), Some(_)) => -1.0,
            (Some(_), Some(answer)) => 0.5 + 0.25 * f64::from(answer),
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let seen =
            |event: &stier_core::Event| (event.turn != Turn::Chance || seat == Seat(0)).then_some(event.action.0);
        View { seat, events: history.events().iter().map(seen).collect() }
    }

    fn sampler(&self, view: &View) -> Histories {
        // Every deal that the view does not exclude.
        let deals = view.events.iter().enumerate().fold(vec![Vec::new()], |deals: Vec<Vec<Action>>, (place, event)| {
            let is_deal = place == 0 || place == 2 && self.rules.cards == 2;
            let next = |deal: &Vec<Action>| -> Vec<Vec<Action>> {
                let options = match event {
                    Some(event) => *event..*event + 1,
                    None => 0..self.numbers(),
                };
                let fresh = options.map(Action).filter(|action| !is_deal || place == 0 || deal[0] != *action);
                fresh.map(|action| [deal.as_slice(), &[action]].concat()).collect()
            };
            deals.iter().flat_map(next).collect()
        });
        let mut worlds: Vec<(State, Vec<Vec<Action>>)> = Vec::new();
        for deal in deals {
            let mut state = self.root();
            deal.iter().for_each(|&event| self.apply(&mut state, event));
            match worlds.iter_mut().find(|(other, _)| *other == state) {
                Some((_, histories)) => histories.push(deal),
                None => worlds.push((state, vec![deal])),
            }
        }
        Histories(worlds)
    }
}

super::no_tensors!(Claims);
impl Hints for Claims {
    /// A little less than nothing, where nothing was claimed: estimates may be off by that much.
    fn evaluate(&self, state: &State) -> BySeat<f32> {
        let first = if state.claim == Some(0) { -1.0 - 1e-6 } else { 0.5 };
        BySeat::from([first, -first])
    }
}
