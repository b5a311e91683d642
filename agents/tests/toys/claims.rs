//! A player is dealt numbers, makes a claim, and another player answers it: as many worlds as are wanted, and a model
//! of the claims can exclude any of them.
//!
//! With `cards=1` there are 200 numbers, and seat 0 knows its number before it claims anything. With `cards=2` there
//! are 20 numbers; seat 0 knows one of its two when it claims, and the world does not say which.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use stier_core::game::evenly;
use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, FromRules, Game, GameInfo, Hints, Log,
    Observer, Pen, RulesError, Seat, Turn, options,
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

/// Hooks through which tests watch a game and disturb it.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// The thread that made the game.
    main: ThreadId,
    /// The threads that have asked for returns.
    pub(crate) threads: Mutex<HashSet<ThreadId>>,
    /// True if other threads that ask for returns must panic.
    pub(crate) panics: AtomicBool,
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    rules: Rules,
    info: GameInfo,
    pub(crate) hooks: Arc<Hooks>,
}

impl Claims {
    fn numbers(&self) -> u8 {
        self.info.num_outcomes as u8
    }

    /// Returns true if a number is still to be dealt.
    fn deals(&self, state: &State) -> bool {
        state.cards[0].is_none() || self.rules.cards == 2 && state.claim.is_some() && state.cards[1].is_none()
    }
}

impl FromRules for Claims {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let numbers = if rules.cards == 1 { 200 } else { 20 };
        let info = GameInfo {
            num_seats: 2,
            num_actions: 2,
            num_outcomes: numbers,
            max_decisions: 2,
            max_chance_events: usize::from(rules.cards),
            utility_range: (-1.0, 1.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        let hooks = Hooks { main: thread::current().id(), threads: Mutex::default(), panics: AtomicBool::default() };
        Ok(Self { rules, info, hooks: Arc::new(hooks) })
    }
}

impl Game for Claims {
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
        let is_left = |number: &u8| self.deals(state) && state.cards[0] != Some(*number);
        evenly((0..self.numbers()).filter(is_left))
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

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let numbers = state.cards.map(|card| card.filter(|_| observer == Observer::Seat(Seat(0))));
        pen.counted("dealt", [2]).count(state.cards().len());
        pen.field("numbers", [2, usize::from(self.numbers())]).ones(numbers);
        pen.field("claim", [2]).one(state.claim);
        pen.field("answer", [2]).one(state.answer);
    }
}

impl Hints for Claims {
    /// A little less than nothing, where nothing was claimed: estimates may be off by that much.
    fn evaluate(&self, state: &State) -> BySeat<f32> {
        let first = if state.claim == Some(0) { -1.0 - 1e-6 } else { 0.5 };
        BySeat::from([first, -first])
    }
}
