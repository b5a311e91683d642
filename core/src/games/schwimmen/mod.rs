//! Schwimmen (Schnauz, Thirty-One): exchange cards with the three on the table; the lowest hand loses a stake.
//!
//! The rulebook calls a hand of 31 points *31*, three aces *Blitz* (or *Feuer*), the table cards *Stock*, leaving one's turn
//! *schieben* (push), ending the deal *passen* or *zumachen* (knock), drawing cards to settle a tie *Stechen* (cut), and being
//! without stakes *schwimmen*. Rules: Wikibooks, *Kartenspiele: Schwimmen*. Where the rulebook is silent, [`Rules`] has an option
//! or the code says so.
//!
//! Cards are `D7`..`CA`: suits D H S C, ranks 7 8 9 T J Q K A. Ids of actions: `take:` 0..31, `give:` 32..63, `swap_all`, `push`,
//! `knock`, `keep`, `swap`. Chance outcomes are card ids. Smaller decks use a part of the same ids.

mod cards;
mod encode;
mod hints;
mod notation;
mod picture;
mod playout;
mod policy;
mod policy_weights;
mod rules;
mod sampler;
mod state;
mod view;

use crate::actions::{Action, Actions128};
use crate::bits;
use crate::encode::{Cell, Pen};
use crate::error::RulesError;
use crate::game::{Chance, Game, GameInfo, Observer, Outcome, Turn};
use crate::key::mix;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};
use crate::utility;

use cards::{CARDS, Card, NO_CARD};
pub use rules::{DealerSwap, FirstDealer, Play, Rules, Utility};
pub use sampler::Sampler;
pub use state::State;
use state::{LIVES, NOBODY, PLAYERS, Phase, after};
pub use view::View;

/// The first of the actions that give a card.
const GIVE: u8 = 32;
/// The whole hand against the table.
const SWAP_ALL: u8 = 64;
/// A turn without an exchange.
const PUSH: u8 = 65;
/// A turn without an exchange, after which every other player has one more.
const KNOCK: u8 = 66;
/// The dealer keeps the dealt hand.
const KEEP: u8 = 67;
/// The dealer swaps the dealt hand for the table.
const SWAP: u8 = 68;
/// Cards on the table, and in a hand.
const THREE: u32 = 3;

/// Schwimmen under fixed rules.
#[derive(Clone, Debug)]
pub struct Schwimmen {
    rules: Rules,
    deck: u32,
    first_dealer: u8,
    info: GameInfo,
}

/// Whether a turn brought no exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quiet {
    No,
    Yes,
}

impl Schwimmen {
    /// What a hand is worth, in half points.
    #[inline(always)]
    fn score(&self, hand: u32) -> u8 {
        cards::score(hand, self.rules.three_of_a_kind)
    }

    /// Whether the table cards lie face down.
    fn table_is_hidden(&self, state: &State) -> bool {
        self.rules.dealer_swap == DealerSwap::Blind && matches!(state.phase, Phase::Table | Phase::Swap)
    }

    /// A new deal of the game that this state belongs to.
    fn deal(&self, lives: [u8; PLAYERS], dealer: u8, deals: u8) -> State {
        State::new(self.deck, lives, dealer, deals, self.rules.max_turns)
    }

    /// Chance deals the mover a card; the dealer's third one is the last.
    fn deal_card(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.hands[usize::from(state.mover)] |= 1 << card;
        if state.mover == state.dealer && state.hands[usize::from(state.dealer)].count_ones() == THREE {
            state.phase = Phase::Table;
        }
        state.mover = after(state.active, state.mover);
    }

    /// Chance deals the table a card; after the third one it is the dealer's turn to swap, if there is a swap.
    fn deal_table(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.table |= 1 << card;
        if state.table.count_ones() == THREE {
            self.finish_deal(state);
        }
    }

    /// Hands and table are dealt: the dealer decides on the swap, if there is one.
    fn finish_deal(&self, state: &mut State) {
        match self.rules.dealer_swap {
            DealerSwap::Off => self.begin(state),
            DealerSwap::Blind | DealerSwap::Open => {
                state.phase = Phase::Swap;
                state.mover = state.dealer;
            }
        }
    }

    /// All cards of a deal at once: the same as one after the other.
    #[inline(never)]
    fn deal_all(&self, state: &mut State, rng: &mut Rng) {
        let mut pool = state.pool;
        let mut left = pool.count_ones();
        let mut draw = || {
            let card = bits::deposit(1 << rng.below(left), u64::from(pool)) as u32;
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

    /// The dealer has swapped or not: a hand may end the deal before its first turn.
    fn begin(&self, state: &mut State) {
        state.phase = Phase::Turn;
        state.mover = after(state.active, state.dealer);
        if state.hands.iter().any(|&hand| cards::ends(hand)) {
            self.end_deal(state);
        }
    }

    /// The mover's hand and the table change places.
    #[inline(always)]
    fn swap_hand(state: &mut State) {
        let hand = &mut state.hands[usize::from(state.mover)];
        std::mem::swap(hand, &mut state.table);
    }

    /// The mover gives `card` for the one taken.
    #[inline(always)]
    fn give(state: &mut State, card: Card) {
        let hand = &mut state.hands[usize::from(state.mover)];
        debug_assert!(*hand >> card & 1 == 1, "the card is in hand");
        *hand ^= 1 << card | 1 << state.taken;
        state.table |= 1 << card;
        state.taken = NO_CARD;
    }

    /// The state with the cards that a player's action moves in their new places, before the rules look at them.
    fn with_cards_moved(state: &State, action: Action) -> State {
        let mut moved = *state;
        match (state.phase, action.0) {
            (Phase::Give, id) => Self::give(&mut moved, id - GIVE),
            (Phase::Turn, SWAP_ALL) | (Phase::Swap, SWAP) => Self::swap_hand(&mut moved),
            _ => {}
        }
        moved
    }

    /// Nobody has another turn after those of the others. Who knocks in the last turns of all ends the deal no later.
    #[inline(always)]
    fn knock(&self, state: &mut State) {
        state.knocker = state.mover;
        state.end = (state.turns + state.players).min(self.rules.max_turns);
    }

    /// A turn is over. The deal goes on with the player to the left, ends, or waits for new cards on the table.
    #[inline(always)]
    fn finish_turn(&self, state: &mut State, quiet: Quiet) {
        state.turns += 1;
        let done = match quiet {
            Quiet::No => {
                state.quiet = 0;
                cards::ends(state.hands[usize::from(state.mover)])
            }
            Quiet::Yes => {
                state.quiet += 1;
                false
            }
        };
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

    /// The table cards are laid away; the pile must have three for their places.
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

    /// The hands are shown: the lowest loses, equals cut.
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

    /// A round of cutting among these seats, from the dealer's left.
    fn begin_cut(state: &mut State, tied: u8) {
        state.cut = [NO_CARD; PLAYERS];
        state.cutters = tied;
        state.phase = Phase::Cut;
        state.mover = after(tied, state.dealer);
        Self::reach_for_the_cards_laid_away(state);
    }

    /// Who cuts when the pile is used up draws from the cards laid away.
    fn reach_for_the_cards_laid_away(state: &mut State) {
        if state.pool == 0 {
            state.pool = state.away;
            state.away = 0;
        }
    }

    /// The mover's card in a cut. After the last one the lowest rank loses; equals cut again.
    fn cut(&self, state: &mut State, card: Card) {
        state.pool ^= 1 << card;
        state.cut[usize::from(state.mover)] = card;
        let left = bits::members(u32::from(state.cutters)).filter(|&seat| state.cut[usize::from(seat)] == NO_CARD);
        let waiting = left.fold(0, |set: u8, seat| set | 1 << seat);
        if waiting != 0 {
            state.mover = after(waiting, state.mover);
            Self::reach_for_the_cards_laid_away(state);
            return;
        }
        let cards = || bits::members(u32::from(state.cutters)).map(|seat| (seat, state.cut[usize::from(seat)]));
        let lowest = cards().map(|(_, card)| card % 8).min().expect("somebody cuts");
        let tied = cards().filter(|(_, card)| card % 8 == lowest);
        let enough = (state.pool | state.away).count_ones() >= tied.clone().count() as u32;
        // Cards are drawn once per cut. Where there are too few for another round, the suit decides, diamonds lowest: so that
        // every game ends. With the full deck that takes ties without end.
        let set = tied.clone().fold(0, |set: u8, (seat, _)| set | 1 << seat);
        let (loser, _) = tied.min_by_key(|&(_, card)| card).expect("somebody has the lowest rank");
        if set.is_power_of_two() || !enough {
            self.lose(state, loser);
        } else {
            Self::begin_cut(state, set);
        }
    }

    /// The deal has a loser: the next deal, or the end.
    #[inline(always)]
    fn lose(&self, state: &mut State, loser: u8) {
        state.loser = loser;
        state.deals += 1;
        state.phase = Phase::Over;
        if self.rules.play == Play::Match {
            self.pay(state, loser);
        }
    }

    /// The loser pays a stake, or sinks, and deals the next deal, or the neighbour does.
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

    /// What the player to act may do, as the two words of an action set.
    #[inline(always)]
    fn options_of_mover(state: &State) -> [u64; 2] {
        match state.phase {
            Phase::Turn => {
                let may_knock = state.turns >= state.players && state.knocker == NOBODY;
                [u64::from(state.table), 0b11 | u64::from(may_knock) << 2]
            }
            Phase::Give => [u64::from(state.hands[usize::from(state.mover)]) << GIVE, 0],
            Phase::Swap => [0, 0b11000],
            Phase::Deal | Phase::Table | Phase::Refresh | Phase::Cut | Phase::Over => [0, 0],
        }
    }

    /// A card of the pile, uniformly.
    #[inline(always)]
    fn any_of_pool(state: &State, rng: &mut Rng) -> Card {
        let pool = state.pool;
        bits::nth_bit(u64::from(pool), rng.below(pool.count_ones())) as Card
    }

    /// What the win goes by: the highest hands of a deal, those furthest from sinking in a match.
    fn merits(&self, state: &State) -> BySeat<f64> {
        BySeat::from_fn(self.num_seats(), |seat| {
            f64::from(match self.rules.play {
                Play::Deal => self.score(state.hands[seat.index()]),
                Play::Match => state.lives[seat.index()],
            })
        })
    }

    /// What each seat has won or lost, in stakes.
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
                // The last to sink has the own three stakes back; between two there would be nothing to win.
                let refund = if decided && self.rules.players > 2 { 3.0 } else { 0.0 };
                for seat in 0..usize::from(self.rules.players) {
                    let is_in = state.active >> seat & 1 == 1;
                    let last_out = decided && seat == usize::from(state.loser);
                    let own = f64::from(left[seat]) - 3.0 + if last_out { refund } else { 0.0 };
                    let sharing = f64::from(state.players);
                    // Divided once, so that nothing is rounded twice.
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
                (Utility::Stakes, Play::Deal) => (-1.0, 1.0 / (players - 1.0)),
                (Utility::Stakes, Play::Match) => (-3.0, (3.0 * (players - 2.0)).max(3.0)),
                (Utility::Win, _) => (-1.0 / (players - 1.0), 1.0),
            },
            utility_sum: Some(0.0),
            observation: self.observation_layout(),
            ..GameInfo::default()
        }
    }
}

impl Game for Schwimmen {
    const NAME: &'static str = "schwimmen";
    type Rules = Rules;
    type State = State;
    type View = View;
    type Sampler = Sampler;
    type Actions = Actions128;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let first_dealer = rules.checked()?;
        let deck = cards::deck(&rules);
        let mut game = Self { rules, deck, first_dealer, info: GameInfo::default() };
        game.info = game.facts();
        Ok(game)
    }

    fn rules(&self) -> &Rules {
        &self.rules
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
        let [low, high] = Self::options_of_mover(state);
        Actions128(u128::from(low) | u128::from(high) << 64)
    }

    #[inline(always)]
    fn apply(&self, state: &mut State, action: Action) {
        let id = action.0;
        match state.phase {
            Phase::Turn if id < GIVE => {
                debug_assert!(state.table >> id & 1 == 1, "the card is on the table");
                state.table ^= 1 << id;
                state.taken = id;
                state.phase = Phase::Give;
            }
            Phase::Turn => {
                match id {
                    SWAP_ALL => Self::swap_hand(state),
                    KNOCK => self.knock(state),
                    _ => debug_assert_eq!(id, PUSH),
                }
                self.finish_turn(state, if id == SWAP_ALL { Quiet::No } else { Quiet::Yes });
            }
            Phase::Give => {
                Self::give(state, id - GIVE);
                self.finish_turn(state, Quiet::No);
            }
            Phase::Swap => {
                if id == SWAP {
                    Self::swap_hand(state);
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
        if self.turn(state) != Turn::Chance {
            return Chance::new();
        }
        let probability = 1.0 / f64::from(state.pool.count_ones());
        bits::members(state.pool).map(|card| Outcome { action: Action(card), probability }).collect()
    }

    #[inline(always)]
    fn sample_chance(&self, state: &State, rng: &mut Rng) -> Action {
        Action(Self::any_of_pool(state, rng))
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
        let moved = Self::with_cards_moved(before, action);
        let hand_laid_open = match (before.phase, action.0) {
            (Phase::Turn, SWAP_ALL) | (Phase::Swap, SWAP) => by_other,
            (Phase::Swap, _) => blind,
            _ => false,
        };
        let hand_taken_unseen = before.phase == Phase::Swap && action.0 == SWAP && blind && !by_other;
        // A hash of the cards seen: numbers are equal by accident once in a world of worlds.
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

    #[inline]
    fn playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end(self, state, rng)
    }

    #[inline]
    fn settle(&self, state: &mut State, rng: &mut Rng) {
        while self.turn(state) == Turn::Chance {
            if state.phase == Phase::Deal && state.pool == self.deck {
                self.deal_all(state, rng);
            } else {
                self.apply(state, Action(Self::any_of_pool(state, rng)));
            }
        }
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let count = self.num_seats();
        if state.phase != Phase::Over {
            return BySeat::filled(count, 0.0);
        }
        match self.rules.utility {
            Utility::Stakes => {
                let net = self.stakes(state);
                BySeat::from_fn(count, |seat| net[seat.index()])
            }
            Utility::Win => utility::Utility::Win.of(&self.merits(state)),
        }
    }

    #[inline]
    fn observe<T: Cell>(&self, state: &State, observer: Observer, pen: &mut Pen<'_, T>) {
        self.write_observation(state, observer, state.pool.count_ones(), pen);
    }
}
