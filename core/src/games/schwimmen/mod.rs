//! Schwimmen (Schnauz, Thirty-One): players exchange cards with the three on the table, and the lowest hand loses a
//! stake.
//!
//! The rulebook calls a hand of 31 points *31*, three aces *Blitz* (or *Feuer*), the table cards *Stock*, leaving
//! one's turn *schieben* (push), ending the deal *passen* or *zumachen* (knock), drawing cards to break a tie
//! *Stechen* (cut), and having no stakes left *schwimmen* (swim). Rules: Wikibooks, *Kartenspiele: Schwimmen*. Where
//! the rulebook is silent, [`Rules`] has an option or the code says so.
//!
//! Cards are `D7`..`CA`: suits D H S C, ranks 7 8 9 T J Q K A. Action ids: `take:` 0 to 31, `give:` 32 to 63,
//! `swap_all`, `push`, `knock`, `keep`, `swap`. Chance outcomes are card ids. Smaller decks use a subset of the same
//! ids.

mod advice;
mod cards;
mod encode;
mod notation;
mod playout;
mod rules;
mod sampler;
mod state;
mod view;

use crate::actions::{Action, Actions128};
use crate::bits;
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::key::mix;
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, Turn, evenly};
use crate::options::DynOptions;
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;
use crate::utility;

use cards::{CARDS, Card, NO_CARD};
pub use rules::{DealerSwap, FirstDealer, Payoff, Play, Rules};
pub use sampler::Sampler;
pub use state::State;
use state::{LIVES, NOBODY, PLAYERS, Phase, after};
pub use view::View;

/// The first action that gives a card.
const GIVE: u8 = 32;
/// Exchange the whole hand for the table.
const SWAP_ALL: u8 = 64;
/// End the turn without an exchange.
const PUSH: u8 = 65;
/// End the turn without an exchange; every other player has one more turn.
const KNOCK: u8 = 66;
/// As the dealer, keep the dealt hand.
const KEEP: u8 = 67;
/// As the dealer, swap the dealt hand for the table.
const SWAP: u8 = 68;
/// The number of cards on the table and in a hand.
const THREE: u32 = 3;

/// Schwimmen under fixed rules.
#[derive(Clone, Debug)]
pub struct Schwimmen {
    rules: Rules,
    deck: u32,
    first_dealer: u8,
    info: GameInfo,
}

impl Schwimmen {
    /// The value of a hand, in half points.
    #[inline(always)]
    fn score(&self, hand: u32) -> u8 {
        cards::score(hand, self.rules.three_of_a_kind)
    }

    /// True if the table cards are face down.
    fn table_is_hidden(&self, state: &State) -> bool {
        self.rules.dealer_swap == DealerSwap::Blind && matches!(state.phase, Phase::Table | Phase::Swap)
    }

    /// Creates a new deal in the same game.
    fn deal(&self, lives: [u8; PLAYERS], dealer: u8, deals: u8) -> State {
        State::new(self.deck, lives, dealer, deals, self.rules.max_turns)
    }

    /// Deals the mover a card. The dealer's third card completes the hands.
    fn deal_card(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.hands[usize::from(state.mover)] |= 1 << card;
        if state.mover == state.dealer && state.hands[usize::from(state.dealer)].count_ones() == THREE {
            state.phase = Phase::Table;
        }
        state.mover = after(state.active, state.mover);
    }

    /// Deals the table a card. After the third one, the dealer decides on the swap if there is one.
    fn deal_table(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.table |= 1 << card;
        if state.table.count_ones() == THREE {
            self.finish_deal(state);
        }
    }

    /// Ends the deal: the dealer decides on the swap if there is one.
    fn finish_deal(&self, state: &mut State) {
        match self.rules.dealer_swap {
            DealerSwap::Off => self.begin(state),
            DealerSwap::Blind | DealerSwap::Open => {
                state.phase = Phase::Swap;
                state.mover = state.dealer;
            }
        }
    }

    /// Deals all cards at once, with the same result as one after the other.
    #[inline(never)]
    fn deal_all(&self, state: &mut State, rng: &mut Rng) {
        let mut pool = state.pool;
        let mut left = pool.count_ones();
        let mut draw = || {
            let card = bits::nth_member(pool, rng.below(left));
            pool ^= card;
            left -= 1;
            card
        };
        for _ in 0..THREE {
            let mut seat = state.dealer;
            for _ in 0..state.players {
                seat = after(state.active, seat);
                state.hands[usize::from(seat)] |= draw();
            }
        }
        for _ in 0..THREE {
            state.table |= draw();
        }
        state.pool = pool;
        self.finish_deal(state);
    }

    /// Starts play after the dealer's decision. A hand may end the deal before its first turn.
    fn begin(&self, state: &mut State) {
        state.phase = Phase::Turn;
        state.mover = after(state.active, state.dealer);
        if state.hands.iter().any(|&hand| cards::ends(hand)) {
            self.end_deal(state);
        }
    }

    /// Exchanges the mover's hand and the table.
    #[inline(always)]
    fn swap_hand(&self, state: &mut State) {
        let hand = &mut state.hands[usize::from(state.mover)];
        std::mem::swap(hand, &mut state.table);
        state.open &= !state.table;
        if !self.table_is_hidden(state) {
            state.open |= state.hands[usize::from(state.mover)];
        }
    }

    /// Gives `card` for the card taken.
    #[inline(always)]
    fn give(state: &mut State, card: Card) {
        let hand = &mut state.hands[usize::from(state.mover)];
        debug_assert!(*hand >> card & 1 == 1, "the card must be in hand");
        *hand ^= 1 << card | 1 << state.taken;
        state.table |= 1 << card;
        state.open = state.open & !(1 << card) | 1 << state.taken;
        state.taken = NO_CARD;
    }

    /// The state after an action's cards have moved, before the rules are applied.
    fn with_cards_moved(&self, state: &State, action: Action) -> State {
        let mut moved = *state;
        match (state.phase, action.0) {
            (Phase::Give, id) => Self::give(&mut moved, id - GIVE),
            (Phase::Turn, SWAP_ALL) | (Phase::Swap, SWAP) => self.swap_hand(&mut moved),
            _ => {}
        }
        moved
    }

    /// Knocks: each other player has one more turn, unless the deal ends earlier at the limit of turns.
    #[inline(always)]
    fn knock(&self, state: &mut State) {
        state.knocker = state.mover;
        state.end = (state.turns + state.players).min(self.rules.max_turns);
    }

    /// Ends a turn, with or without an exchange. The deal continues with the next player, ends, or waits for new cards
    /// on the table.
    #[inline(always)]
    fn finish_turn(&self, state: &mut State, with_exchange: bool) {
        state.turns += 1;
        state.quiet = if with_exchange { 0 } else { state.quiet + 1 };
        let done = with_exchange && cards::ends(state.hands[usize::from(state.mover)]);
        if done || state.turns == state.end {
            self.end_deal(state);
            return;
        }
        state.phase = Phase::Turn;
        state.mover = after(state.active, state.mover);
        if state.quiet == state.players {
            Self::clear_table(state);
        }
    }

    /// Lays the table cards away. The pile must have three cards to replace them.
    #[inline(always)]
    fn clear_table(state: &mut State) {
        state.away |= state.table;
        state.table = 0;
        state.quiet = 0;
        if state.pool.count_ones() < THREE {
            state.pool |= state.away;
            state.away = 0;
        }
        state.phase = Phase::Refresh;
    }

    /// Shows the hands. The lowest one loses; ties are broken by a cut.
    #[inline(always)]
    fn end_deal(&self, state: &mut State) {
        let mut lowest = u8::MAX;
        let mut tied = 0;
        for seat in 0..usize::from(self.rules.players) {
            if state.active >> seat & 1 == 1 {
                let score = self.score(state.hands[seat]);
                tied = if score < lowest { 0 } else { tied } | u8::from(score <= lowest) << seat;
                lowest = lowest.min(score);
            }
        }
        if tied.is_power_of_two() {
            self.lose(state, tied.trailing_zeros() as u8);
        } else {
            Self::begin_cut(state, tied);
        }
    }

    /// Starts a round of cutting among these seats, beginning to the dealer's left.
    fn begin_cut(state: &mut State, tied: u8) {
        state.cut = [NO_CARD; PLAYERS];
        state.cutters = tied;
        state.phase = Phase::Cut;
        state.mover = after(tied, state.dealer);
        Self::refill_pile_for_cut(state);
    }

    /// Returns the cards laid away to the pile if it is empty during a cut.
    fn refill_pile_for_cut(state: &mut State) {
        if state.pool == 0 {
            state.pool = state.away;
            state.away = 0;
        }
    }

    /// Draws the mover's card in a cut. After the last one, the lowest rank loses; ties cut again.
    fn cut(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.cut[usize::from(state.mover)] = card;
        let left = bits::members(u32::from(state.cutters)).filter(|&seat| state.cut[usize::from(seat)] == NO_CARD);
        let waiting = left.fold(0, |set: u8, seat| set | 1 << seat);
        if waiting != 0 {
            state.mover = after(waiting, state.mover);
            Self::refill_pile_for_cut(state);
            return;
        }
        let cards = || bits::members(u32::from(state.cutters)).map(|seat| (seat, state.cut[usize::from(seat)]));
        let lowest = cards().map(|(_, card)| card % 8).min().expect("a cut has players");
        let tied = cards().filter(|(_, card)| card % 8 == lowest);
        let enough = (state.pool | state.away).count_ones() >= tied.clone().count() as u32;
        // Each card is drawn at most once per cut. If too few are left for another round, the suit decides, diamonds
        // lowest, so that every game ends. With the full deck this takes a long series of ties.
        let set = tied.clone().fold(0, |set: u8, (seat, _)| set | 1 << seat);
        let (loser, _) = tied.min_by_key(|&(_, card)| card).expect("a cut has players");
        if set.is_power_of_two() || !enough {
            self.lose(state, loser);
        } else {
            Self::begin_cut(state, set);
        }
    }

    /// Ends the deal with a loser: the next deal follows, or the game ends.
    #[inline(always)]
    fn lose(&self, state: &mut State, loser: u8) {
        state.loser = loser;
        state.deals += 1;
        state.phase = Phase::Over;
        if self.rules.play == Play::Match {
            self.pay(state, loser);
        }
    }

    /// Takes a stake from the loser, or eliminates it. The loser deals next or, if it is out, the next player.
    fn pay(&self, state: &mut State, loser: u8) {
        let lives = &mut state.lives[usize::from(loser)];
        *lives -= 1;
        let sunk = *lives == 0;
        if sunk {
            state.active ^= 1 << loser;
            state.players -= 1;
        }
        if state.players > 1 && state.deals < self.rules.max_deals {
            let dealer = if sunk { after(state.active, loser) } else { loser };
            *state = self.deal(state.lives, dealer, state.deals);
        }
    }

    /// Scores that decide the win: values of hands in a deal, lives left in a match.
    fn merits(&self, state: &State) -> BySeat<f64> {
        BySeat::from_fn(self.num_seats(), |seat| {
            f64::from(match self.rules.play {
                Play::Deal => self.score(state.hands[seat.index()]),
                Play::Match => state.lives[seat.index()],
            })
        })
    }

    /// The gain or loss of each seat, in stakes.
    fn stakes(&self, state: &State) -> [f64; PLAYERS] {
        let players = f64::from(self.rules.players);
        let mut net = [0.0; PLAYERS];
        match self.rules.play {
            Play::Deal => {
                for (seat, net) in net.iter_mut().enumerate() {
                    *net = if seat == usize::from(state.loser) { -1.0 } else { 1.0 / (players - 1.0) };
                }
            }
            Play::Match => {
                let left = state.lives.map(|lives| lives.saturating_sub(1));
                let pot = 3.0 * players - left.iter().map(|&stakes| f64::from(stakes)).sum::<f64>();
                let decided = state.players == 1;
                // The last player to sink gets back their own three stakes, except with two players, who would have
                // nothing to win.
                let refund = if decided && self.rules.players > 2 { 3.0 } else { 0.0 };
                for seat in 0..usize::from(self.rules.players) {
                    let is_in = state.active >> seat & 1 == 1;
                    let last_out = decided && seat == usize::from(state.loser);
                    let own = f64::from(left[seat]) - 3.0 + if last_out { refund } else { 0.0 };
                    let sharing = f64::from(state.players);
                    // Divided once, so that it is rounded only once.
                    net[seat] = if is_in { (own * sharing + pot - refund) / sharing } else { own };
                }
            }
        }
        net
    }

    /// The facts that hold in every state.
    fn facts(&self) -> GameInfo {
        let (deals, turns) = (self.rules.most_deals(), usize::from(self.rules.max_turns));
        let players = f64::from(self.rules.players);
        GameInfo {
            num_seats: usize::from(self.rules.players),
            num_actions: usize::from(SWAP) + 1,
            num_outcomes: CARDS,
            max_decisions: deals * (usize::from(self.rules.dealer_swap != DealerSwap::Off) + 2 * turns),
            // Every card at most once in the deal and in its cut, and three for every other turn between two players.
            max_chance_events: deals * (usize::from(self.rules.deck_size()) + 3 * (turns / 2)),
            utility_range: match (self.rules.utility, self.rules.play) {
                (Payoff::Stakes, Play::Deal) => (-1.0, 1.0 / (players - 1.0)),
                (Payoff::Stakes, Play::Match) => (-3.0, (3.0 * (players - 2.0)).max(3.0)),
                (Payoff::Win, _) => (-1.0 / (players - 1.0), 1.0),
            },
            utility_sum: Some(0.0),
            ..GameInfo::default()
        }
    }
}

impl FromRules for Schwimmen {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let first_dealer = rules.checked()?;
        let deck = cards::deck(&rules);
        let mut game = Self { rules, deck, first_dealer, info: GameInfo::default() };
        game.info = game.facts();
        Ok(game)
    }
}

impl Game for Schwimmen {
    type State = State;
    type View = View;
    type Sampler = Sampler;
    type Actions = Actions128;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn observation_version(&self) -> u32 {
        2
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        let mut lives = [0; PLAYERS];
        lives[..self.num_seats()].fill(LIVES);
        self.deal(lives, self.first_dealer, 0)
    }

    #[inline(always)]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Turn | Phase::Give | Phase::Swap => Turn::Seat(Seat(state.mover)),
            Phase::Over => Turn::Over,
            Phase::Deal | Phase::Table | Phase::Refresh | Phase::Cut => Turn::Chance,
        }
    }

    #[inline(always)]
    fn legal(&self, state: &State) -> Actions128 {
        let [low, high] = match state.phase {
            Phase::Turn => {
                let may_knock = state.turns >= state.players && state.knocker == NOBODY;
                [u64::from(state.table), 0b11 | u64::from(may_knock) << 2]
            }
            Phase::Give => [u64::from(state.hands[usize::from(state.mover)]) << GIVE, 0],
            Phase::Swap => [0, 0b11000],
            Phase::Deal | Phase::Table | Phase::Refresh | Phase::Cut | Phase::Over => [0, 0],
        };
        Actions128(u128::from(low) | u128::from(high) << 64)
    }

    #[inline(always)]
    fn apply(&self, state: &mut State, action: Action) {
        let id = action.0;
        match state.phase {
            Phase::Turn if id < GIVE => {
                debug_assert!(state.table >> id & 1 == 1, "the card must be on the table");
                state.table ^= 1 << id;
                state.taken = id;
                state.phase = Phase::Give;
            }
            Phase::Turn => {
                match id {
                    SWAP_ALL => self.swap_hand(state),
                    KNOCK => self.knock(state),
                    _ => debug_assert_eq!(id, PUSH),
                }
                self.finish_turn(state, id == SWAP_ALL);
            }
            Phase::Give => {
                Self::give(state, id - GIVE);
                self.finish_turn(state, true);
            }
            Phase::Swap => {
                if id == SWAP {
                    self.swap_hand(state);
                }
                self.begin(state);
            }
            Phase::Deal => self.deal_card(state, id),
            Phase::Table => self.deal_table(state, id),
            Phase::Refresh => {
                state.pool ^= 1 << id;
                state.table |= 1 << id;
                if state.table.count_ones() == THREE {
                    state.phase = Phase::Turn;
                }
            }
            Phase::Cut => self.cut(state, id),
            Phase::Over => debug_assert!(false, "the game is over"),
        }
    }

    fn chance(&self, state: &State) -> Chance {
        if self.turn(state) == Turn::Chance { evenly(bits::members(state.pool)) } else { Chance::new() }
    }

    #[inline(always)]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        Action(bits::random_bit(state.pool, rng) as Card)
    }

    fn observed(&self, before: &State, action: Action, observer: Seat) -> u64 {
        if action.0 < GIVE {
            return u64::from(action.0);
        }
        let mut after = *before;
        self.apply(&mut after, action);
        let ends = after.deals != before.deals || after.is_shown();
        let by_other = before.mover != observer.0;
        let blind = self.rules.dealer_swap == DealerSwap::Blind;
        let moved = self.with_cards_moved(before, action);
        let hand_laid_open = match (before.phase, action.0) {
            (Phase::Turn, SWAP_ALL) | (Phase::Swap, SWAP) => by_other,
            (Phase::Swap, _) => blind,
            _ => false,
        };
        let hand_taken_unseen = before.phase == Phase::Swap && action.0 == SWAP && blind && !by_other;
        // A hash of the cards seen; collisions are negligible.
        let number = |cards: &[u32]| {
            cards.iter().fold(mix(0, u64::from(action.0)), |key, &set| mix(key, u64::from(set))) | 1 << 63
        };
        if ends {
            let [a, b, c, d, e] = moved.hands;
            number(&[moved.table, a, b, c, d, e])
        } else if hand_laid_open {
            number(&[moved.table])
        } else if hand_taken_unseen {
            number(&[moved.hands[observer.index()]])
        } else {
            u64::from(action.0)
        }
    }

    #[inline]
    fn sight(&self, state: &State, seat: Seat) -> u64 {
        let table = if self.table_is_hidden(state) { 0 } else { state.table };
        let [a, b, c, d, e] = state.cut;
        let cut = u64::from_le_bytes([a, b, c, d, e, state.cutters, state.dealer, state.deals]);
        mix(mix(cut, u64::from(table)), u64::from(state.hands[seat.index()]))
    }

    fn deal_number(&self, state: &State) -> u32 {
        u32::from(state.deals)
    }

    fn symmetry(&self) -> Option<Symmetry> {
        self.suits()
    }

    #[inline]
    fn playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, false>::run(self, state, rng)
    }

    #[inline]
    fn settle(&self, state: &mut State, rng: &mut Rng) {
        while self.turn(state) == Turn::Chance {
            if state.phase == Phase::Deal && state.pool == self.deck {
                self.deal_all(state, rng);
            } else {
                self.apply(state, Action(bits::random_bit(state.pool, rng) as Card));
            }
        }
    }

    #[inline]
    fn returns(&self, state: &State) -> BySeat<f64> {
        let count = self.num_seats();
        if state.phase != Phase::Over {
            return BySeat::filled(count, 0.0);
        }
        match self.rules.utility {
            Payoff::Stakes => {
                let net = self.stakes(state);
                BySeat::from_fn(count, |seat| net[seat.index()])
            }
            Payoff::Win => utility::Utility::Win.of(&self.merits(state)),
        }
    }

    #[inline]
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        self.write_observation(state, observer, state.pool.count_ones(), pen);
    }
}
