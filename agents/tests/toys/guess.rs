//! Two textbook traps in one: guess a hidden coin, or take something for certain.
//!
//! A coin falls, and seat 0 takes what is certain or lets the coin be guessed. With `guesser=0` it guesses itself, unseen, for 1 or -1,
//! and half a point is certain. In every world with open cards it guesses right: letting it be guessed seems to be worth 1, and is
//! worth 0 (*strategy fusion*: I. Frank and D. Basin, *Search in Games with Incomplete Information*, 1998). With `guesser=1` it has
//! seen the coin, and seat 1, who has not, guesses for -1 or 1; losing half a point is certain. With open cards seat 1 guesses right:
//! the guess seems to be worth -1, and is worth 0 (the opponent's knowledge over-estimated).

use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, Game, Hints, History, Outcome, Rng, RulesError, Sampler, Seat,
    SeatView, Turn, World, options,
};

options! {
    /// The option of the game.
    pub(crate) struct Rules for "guess" {
        /// Who guesses.
        guesser: u8 = 0, 0..=1;
    }
}

/// What is certain; or heads, when guessing.
pub(crate) const SAFE: Action = Action(0);
/// On to the guess; or tails, when guessing.
pub(crate) const PLAY: Action = Action(1);

/// The coin, the choice of seat 0, the guess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct State {
    coin: Option<u8>,
    choices: [Option<u8>; 2],
}

/// The choices, and the coin if the seat has seen it.
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

/// Heads or tails.
#[derive(Clone, Debug)]
pub(crate) struct Coins {
    seen: State,
    coins: Vec<u8>,
}

impl Coins {
    fn state(&self, coin: u8) -> State {
        State { coin: Some(coin), ..self.seen }
    }
}

impl Sampler<Guess> for Coins {
    fn sample(&self, rng: &mut Rng) -> State {
        self.state(self.coins[rng.below(self.coins.len() as u32) as usize])
    }

    fn count(&self) -> u64 {
        self.coins.len() as u64
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.coins.iter().map(|&coin| World { state: self.state(coin), weight: 1 })
    }

    fn sample_history(&self, game: &Guess, rng: &mut Rng) -> History<Guess> {
        let mut history = History::new(game);
        let state = self.sample(rng);
        for event in [state.coin].into_iter().chain(state.choices).flatten() {
            history.push(game, Action(event));
        }
        history
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    rules: Rules,
}

impl Guess {
    fn sees(&self, seat: Seat) -> bool {
        self.rules.guesser == 1 && seat == Seat(0)
    }
}

impl Game for Guess {
    const NAME: &'static str = "guess";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Coins;
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
        2
    }

    fn num_outcomes(&self) -> usize {
        2
    }

    fn max_decisions(&self) -> usize {
        2
    }

    fn max_chance_events(&self) -> usize {
        1
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
        match (state.coin, state.choices) {
            (None, _) => Turn::Chance,
            (_, [None, _]) => Turn::Seat(Seat(0)),
            (_, [Some(1), None]) => Turn::Seat(Seat(self.rules.guesser)),
            _ => Turn::Over,
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) => Actions64::default().with(SAFE).with(PLAY),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let places = [&mut state.coin].into_iter().chain(&mut state.choices);
        *places.into_iter().find(|place| place.is_none()).expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, state: &State) -> Chance {
        let outcomes = if self.turn(state) == Turn::Chance { 2 } else { 0 };
        (0..outcomes).map(|coin| Outcome { action: Action(coin), probability: 0.5 }).collect()
    }

    fn sample_chance(&self, _state: &State, rng: &mut Rng) -> Action {
        Action(rng.below(2) as u8)
    }

    fn sight(&self, state: &State, seat: Seat) -> u64 {
        state.coin.map_or(0, |coin| if self.sees(seat) { u64::from(coin) + 1 } else { 0 })
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let sign = if self.rules.guesser == 0 { 1.0 } else { -1.0 };
        let first = match state.choices {
            [Some(0), _] => 0.5 * sign,
            [Some(1), guess @ Some(_)] if guess == state.coin => sign,
            [Some(1), Some(_)] => -sign,
            _ => 0.0,
        };
        BySeat::from([first, -first])
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        let state = *history.state();
        View { seat, seen: State { coin: state.coin.filter(|_| self.sees(seat)), ..state } }
    }

    fn sampler(&self, view: &View) -> Coins {
        let coins = view.seen.coin.map_or(vec![0, 1], |coin| vec![coin]);
        Coins { seen: view.seen, coins }
    }
}

super::no_tensors!(Guess);
impl Hints for Guess {}
