//! Up & Down: a trick-taking game with simultaneous choices, in which a player changes the rules before every trick.
//!
//! The rulebook calls the boss of a trick *Chef vum Streech*, a trick *Streech*, the pot *Dëppen*, the trump value
//! *Tromp*. The UP&DOWN card lies in the middle. Its side shows whether the highest card (UP) or the lowest card
//! (DOWN) wins, and it points a suit at each side of the table. Rules: Jens Merkl and Jean-Claude Pellin, *Up &
//! Down*. Where the rulebook is silent, [`Rules`] has an option or the code says so.
//!
//! Cards are `D2`..`CQ` (diamonds, hearts, spades, clubs; ten, jack and queen are `T`, `J`, `Q`). Action ids are the
//! cards, suit * number of values + (value - 2), then `flip`, `rotate:1`..`rotate:3`, `roll`. Chance outcomes are the
//! card ids, then the sums of the dice from `dice:2`, then `up`, `down`, then `orient:0`..`orient:3`.
//!
//! At the table all players choose their cards at once. Here they choose in turn, from the boss on; the cards stay
//! face down until the last player has chosen.

mod advice;
mod cards;
mod encode;
mod notation;
mod playout;
mod rules;
mod sampler;
mod state;
mod view;

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::bits;
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::key::{HIDDEN, mix};
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, Turn, evenly};
use crate::options::DynOptions;
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};
use crate::utility::Utility;

use cards::{CLUBS, Card, Deck, Trick};
pub use rules::Rules;
pub use sampler::Sampler;
pub use state::State;
use state::{NO_CARD, Phase, SEATS};
pub use view::View;

/// The number of ways to change the rules of a trick.
const CHANGES: u8 = 5;

/// One way to change the rules of a trick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// Turn the UP&DOWN card over.
    Flip,
    /// Rotate it by this many quarter turns.
    Rotate(u8),
    /// Roll the dice.
    Roll,
}

/// Up & Down under fixed rules.
#[derive(Clone, Debug)]
pub struct UpAndDown {
    rules: Rules,
    deck: Deck,
    /// The number of players.
    players: u8,
    /// The number of cards in a hand and of tricks in a round.
    tricks: u8,
    info: GameInfo,
}

impl UpAndDown {
    /// The side of the table at which a seat sits.
    #[inline(always)]
    fn side_of(&self, seat: u8) -> u8 {
        seat << u8::from(self.players == 2)
    }

    /// The suit that points at a seat.
    #[inline(always)]
    fn suit_at(&self, orientation: u8, seat: u8) -> u8 {
        (orientation + self.side_of(seat)) & 3
    }

    /// The player to whom clubs point, or the next one clockwise if that side is empty.
    fn first_boss(&self, orientation: u8) -> u8 {
        let pointed = (CLUBS + 4 - orientation) % 4;
        (0..4)
            .map(|steps| (pointed + steps) % 4)
            .find_map(|side| (0..self.players).find(|&seat| self.side_of(seat) == side))
            .expect("a game has players")
    }

    /// The next seat clockwise.
    #[inline(always)]
    fn left_of(&self, seat: u8) -> u8 {
        if seat + 1 == self.players { 0 } else { seat + 1 }
    }

    /// The change that an action stands for; `None` if it is a card.
    #[inline(always)]
    fn change_of(&self, action: Action) -> Option<Change> {
        Some(match action.0.checked_sub(self.deck.size)? {
            0 => Change::Flip,
            quarters @ 1..=3 => Change::Rotate(quarters),
            _ => Change::Roll,
        })
    }

    /// The first ids of the sums of the dice, of the sides of the UP&DOWN card and of its orientations.
    fn setup_ids(&self) -> [u8; 3] {
        let dice = self.deck.size;
        [dice, dice + self.deck.values, dice + self.deck.values + 2]
    }

    /// Lets the boss change the rules of the trick. The cards of the last trick leave the table.
    #[inline(always)]
    fn change(&self, state: &mut State, action: Action) {
        state.table = [NO_CARD; SEATS];
        state.phase = Phase::Choose;
        match self.change_of(action) {
            Some(Change::Flip) => state.down ^= 1,
            Some(Change::Rotate(quarters)) => state.orientation = (state.orientation + quarters) & 3,
            Some(Change::Roll) => state.phase = Phase::Roll,
            None => debug_assert!(false, "the boss must change the rules"),
        }
    }

    /// Lets a player choose a card. The last choice reveals all cards.
    #[inline(always)]
    fn choose(&self, state: &mut State, card: Card) {
        let mover = usize::from(state.mover & 3);
        debug_assert!(state.hands[mover] >> card & 1 == 1, "the card must be in hand");
        state.hands[mover] ^= 1 << card;
        state.table[mover] = card;
        state.mover = self.left_of(state.mover);
        if state.mover == state.boss {
            self.reveal(state);
        }
    }

    /// The winner of the trick on the table.
    fn winner(&self, state: &State) -> Option<u8> {
        let mut trick = Trick::default();
        for seat in 0..self.players {
            let card = state.table[usize::from(seat)];
            let able = self.deck.able(self.suit_at(state.orientation, seat), state.trump);
            trick.add(seat, self.deck.value_of(card), able >> card & 1 == 1);
        }
        let (won, winner) = trick.winner(state.trump, state.down == 1);
        won.then_some(winner)
    }

    /// Reveals all cards, awards the trick and moves on to the next boss.
    #[inline(always)]
    fn reveal(&self, state: &mut State) {
        match self.winner(state) {
            Some(winner) => {
                state.taken[usize::from(winner)] += 1 + state.pot;
                state.pot = 0;
            }
            None => state.pot += 1,
        }
        state.boss = self.left_of(state.boss);
        state.mover = state.boss;
        state.phase = Phase::Change;
        if state.hands[0] == 0 {
            self.finish_round(state);
        }
    }

    /// Scores the round; tricks in the pot count for no player. Starts the next round or ends the game.
    fn finish_round(&self, state: &mut State) {
        for (score, taken) in state.scores.iter_mut().zip(state.taken) {
            *score += taken;
        }
        let finished = state.round + 1;
        let scores = &state.scores[..usize::from(self.players)];
        let best = scores.iter().max();
        let shared = scores.iter().filter(|&score| Some(score) == best).count() > 1;
        if finished < self.rules.rounds || finished < self.rules.most_rounds() && shared {
            *state = State::new(self.deck.all, finished, state.scores);
        } else {
            state.round = finished;
            state.phase = Phase::Over;
        }
    }

    /// Deals the next card.
    fn deal(&self, state: &mut State, card: Card) {
        debug_assert!(state.pool >> card & 1 == 1, "the card must be in the pool");
        state.pool ^= 1 << card;
        state.hands[usize::from(state.mover)] |= 1 << card;
        state.mover = self.left_of(state.mover);
        let last = state.hands[usize::from(self.players) - 1];
        if last.count_ones() == u32::from(self.tricks) {
            state.phase = Phase::Dice;
        }
    }

    /// The facts that hold in every state.
    fn facts(&self) -> GameInfo {
        let (num_seats, tricks) = (usize::from(self.players), usize::from(self.tricks));
        let rounds = usize::from(self.rules.most_rounds());
        let (low, high) = self.rules.utility.range(num_seats, 0.0, (rounds * tricks) as f64);
        // The others cannot all have won every trick.
        let share = if self.rules.utility == Utility::Margin { f64::from(self.players - 1) } else { 1.0 };
        GameInfo {
            num_seats,
            num_actions: usize::from(self.deck.size + CHANGES),
            num_outcomes: usize::from(self.setup_ids()[2] + 4),
            max_decisions: rounds * tricks * (1 + num_seats),
            max_chance_events: rounds * (tricks * num_seats + 3 + tricks),
            utility_range: (low / share, high),
            utility_sum: self.rules.utility.sum(),
            simultaneous: true,
            ..GameInfo::default()
        }
    }
}

impl FromRules for UpAndDown {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let tricks = rules.cards_each()?;
        let deck = Deck::new(&rules);
        let players = rules.players;
        let mut game = Self { rules, deck, players, tricks, info: GameInfo::default() };
        game.info = game.facts();
        Ok(game)
    }
}

impl Game for UpAndDown {
    const COMPILES_SEARCH_TWICE: bool = true;
    type State = State;
    type View = View;
    type Sampler = Sampler;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        State::new(self.deck.all, 0, [0; SEATS])
    }

    #[inline(always)]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Change | Phase::Choose => Turn::Seat(Seat(state.mover)),
            Phase::Over => Turn::Over,
            Phase::Deal | Phase::Dice | Phase::Side | Phase::Orientation | Phase::Roll => Turn::Chance,
        }
    }

    #[inline(always)]
    fn legal(&self, state: &State) -> Actions64 {
        Actions64(match state.phase {
            Phase::Choose => state.hands[usize::from(state.mover & 3)],
            Phase::Change => ((1 << CHANGES) - 1) << self.deck.size,
            _ => 0,
        })
    }

    #[inline(always)]
    fn apply(&self, state: &mut State, action: Action) {
        let [dice, side, orientation] = self.setup_ids();
        match state.phase {
            Phase::Choose => self.choose(state, action.0),
            Phase::Change => self.change(state, action),
            Phase::Roll => {
                debug_assert!(action.0 - dice != state.trump, "the new sum must differ");
                state.trump = action.0 - dice;
                state.phase = Phase::Choose;
            }
            Phase::Deal => self.deal(state, action.0),
            Phase::Dice => {
                state.trump = action.0 - dice;
                state.phase = Phase::Side;
            }
            Phase::Side => {
                state.down = action.0 - side;
                state.phase = Phase::Orientation;
            }
            Phase::Orientation => {
                state.orientation = action.0 - orientation;
                state.boss = self.first_boss(state.orientation);
                state.mover = state.boss;
                state.phase = Phase::Change;
            }
            Phase::Over => debug_assert!(false, "the game is over"),
        }
    }

    fn chance(&self, state: &State) -> Chance {
        let [dice, side, orientation] = self.setup_ids();
        match state.phase {
            Phase::Deal => evenly(Actions64(state.pool).iter().map(|card| card.0)),
            Phase::Dice => self.deck.sums(None, dice),
            Phase::Roll => self.deck.sums(Some(state.trump), dice),
            Phase::Side => evenly(side..side + 2),
            Phase::Orientation => evenly(orientation..orientation + 4),
            Phase::Change | Phase::Choose | Phase::Over => Chance::new(),
        }
    }

    #[inline(always)]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        let [dice, side, orientation] = self.setup_ids();
        Action(match state.phase {
            Phase::Roll => dice + self.deck.roll_again(state.trump, rng),
            Phase::Deal => bits::random_bit(state.pool, rng) as u8,
            Phase::Dice => dice + self.deck.roll(rng),
            Phase::Side => side + rng.below(2) as u8,
            _ => orientation + rng.below(4) as u8,
        })
    }

    /// Shows a chosen card only to its player; the last choice reveals all cards to everyone.
    #[inline(always)]
    fn observed(&self, before: &State, action: Action, observer: Seat) -> u64 {
        let (mover, hidden) = (before.mover, before.phase == Phase::Choose);
        if hidden && self.left_of(mover) == before.boss {
            let mut table = before.table;
            table[usize::from(mover)] = action.0;
            return u64::from(u32::from_le_bytes(table)) | 1 << 32;
        }
        if hidden && observer.0 != mover { HIDDEN } else { u64::from(action.0) }
    }

    #[inline]
    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let card = u32::from_le_bytes([state.trump, state.down, state.orientation, state.round]);
        mix(u64::from(card), state.hands[seat.index()])
    }

    fn deal_number(&self, state: &State) -> u32 {
        u32::from(state.round)
    }

    #[inline]
    fn playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, false>::run(self, state, rng)
    }

    #[inline]
    fn returns(&self, state: &State) -> BySeat<f64> {
        let seats = self.num_seats();
        if state.phase != Phase::Over {
            return BySeat::filled(seats, 0.0);
        }
        self.rules.utility.of(&BySeat::from_fn(seats, |seat| f64::from(state.scores[seat.index()])))
    }

    #[inline]
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        self.write_observation(state, observer, pen);
    }
}
