//! Schwinget as public states: plays, attacks and the card turned up are public, hands and draws are not.
//!
//! The order in which a player drew its cards is forgotten. That loses nothing: cards never pass from one player to the
//! other, so whether two hands fit together, and how likely that is, depends on the cards held and played alone, and so do
//! the legal actions and the returns (well-formed imperfect recall: M. Lanctot, R. Gibson, N. Burch, M. Zinkevich and M.
//! Bowling, *No-Regret Learning in Extensive-Form Games with Imperfect Recall*, 2012).
//!
//! In a folded form, suits of which nothing has been seen are alike: chance deals their cards alike, and no choice has told
//! them apart. So hands that differ only by the names of these suits share one policy, and a card of the first of them
//! stands for the same card of each: the hands that follow are those in which the two suits have exchanged their names.

use std::any::Any;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::iter;
use std::sync::Arc;

use arrayvec::ArrayVec;
use rustc_hash::FxHashMap;

use crate::actions::{Action, ActionSet as _};
use crate::bits;
use crate::game::history::History;
use crate::game::public::{
    Branch, Ending, Gain, HandMove, Opening, Place, PublicChoice, PublicDetail, PublicForm, PublicScene, PublicState,
    Score, Twin,
};
use crate::game::{Game as _, SeatView as _, Turn};
use crate::seats::Seat;

use super::Schwinget;
use super::cards::{Card, NO_CARD, NO_TRUMP};
use super::state::{NOBODY, Neutral, Phase, State};
use super::view::{Arrivals, Play, SeenEvent, View};

/// The public part of a bout that decides what can happen from now on.
#[derive(PartialEq, Eq, Clone, Debug)]
struct Public {
    /// By seat: the hands that it may hold, ascending.
    hands: [Arc<[u32]>; 2],
    /// The cards in the hands and in the pool.
    unseen: u32,
    trump: u8,
    phase: Phase,
    mover: u8,
    leader: u8,
    led: Card,
    pile: u8,
    attacked: bool,
    /// The suits whose highest card is still there, where that counts apart from the order of cards: see
    /// [`Schwinget::pressed`].
    highest: u8,
}

/// Hands count by their number and sum, which takes less time and seldom makes two alike.
impl Hash for Public {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { ref hands, unseen, trump: _, phase, mover, leader, led, pile, attacked, highest: _ } = *self;
        (unseen, phase, [mover, leader, led, pile], attacked).hash(state);
        let sum = |hands: &Arc<[u32]>| hands.iter().fold(0, |sum: u32, &hand| sum.wrapping_add(hand));
        hands.each_ref().map(|hands| (hands.len(), sum(hands))).hash(state);
    }
}

/// The part that counts in the end.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    pub(super) taken: [u8; 2],
    pub(super) after_attack: [u8; 2],
    pub(super) attacker: u8,
    /// The number of the variant of [`Neutral`].
    pub(super) neutral: u8,
}

impl Tally {
    const START: Self = Self { taken: [0; 2], after_attack: [0; 2], attacker: NOBODY, neutral: Neutral::None as u8 };

    fn score(self) -> Score {
        let Self { taken: [a, b], after_attack: [c, d], attacker, neutral } = self;
        Score::from_le_bytes([a, b, c, d, attacker, neutral, 0, 0])
    }

    fn of(score: Score) -> Self {
        let [a, b, c, d, attacker, neutral, _, _] = score.to_le_bytes();
        Self { taken: [a, b], after_attack: [c, d], attacker, neutral }
    }

    /// The same after a change.
    pub(super) fn after(mut self, gain: Gain) -> Self {
        let attacked = self.attacker != NOBODY;
        match gain {
            NOTHING => {}
            NEUTRAL => {
                let neutral = if attacked { Neutral::AfterAttack } else { Neutral::BeforeAttack };
                self.neutral = neutral as u8;
            }
            _ if ATTACK.contains(&gain) => self.attacker = (gain - ATTACK[0]) as u8,
            _ => {
                let seat = (gain - TRICK[0]) as usize;
                self.taken[seat] += 1 + u8::from(self.neutral != Neutral::None as u8);
                let after = u8::from(self.neutral == Neutral::AfterAttack as u8);
                self.after_attack[seat] += u8::from(attacked) + after;
                self.neutral = Neutral::None as u8;
            }
        }
        self
    }
}

/// Changes of the score: nothing, an attack of the seat, a trick of the seat, a neutral trick.
const NOTHING: Gain = 0;
const ATTACK: [Gain; 2] = [1, 2];
pub(super) const TRICK: [Gain; 2] = [3, 4];
pub(super) const NEUTRAL: Gain = 5;

/// Schwinget with the public states that have been met.
pub(super) struct Publics {
    game: Schwinget,
    /// True if suits of which nothing has been seen count once.
    fold: bool,
    numbers: FxHashMap<Arc<Public>, PublicState>,
    all: Vec<Arc<Public>>,
    /// By public state with [pressed](Schwinget::pressed) cards: the first one that becomes it.
    firsts: FxHashMap<Public, PublicState>,
}

impl Publics {
    pub(super) fn new(game: Schwinget, fold: bool) -> Self {
        Self { game, fold, numbers: FxHashMap::default(), all: Vec::new(), firsts: FxHashMap::default() }
    }

    fn number(&mut self, public: Public) -> PublicState {
        if let Some(&number) = self.numbers.get(&public) {
            return number;
        }
        let (public, number) = (Arc::new(public), self.all.len() as PublicState);
        self.all.push(public.clone());
        self.numbers.insert(public, number);
        number
    }

    fn branch(&mut self, step: Step) -> Branch {
        let Step { action, public, gain, weight, copies, moves, kept } = step;
        Branch { event: action, public: self.number(public), gain, weight, copies, moves, kept }
    }

    /// The suits that can be exchanged: none or at least two.
    fn exchangeable(&self, public: &Public) -> Suits {
        let suits = if self.fold { self.game.unseen_suits(public.unseen) } else { Suits::new() };
        if suits.len() > 1 { suits } else { Suits::new() }
    }
}

/// Some suits.
type Suits = ArrayVec<u8, 4>;

/// By suit: its name.
type Names = [u8; 4];

/// Each suit by its own name.
const OWN_NAMES: Names = [0, 1, 2, 3];

/// The place of a hand among all, which are ascending.
fn place_in(hands: &[u32], hand: u32) -> u16 {
    hands.binary_search(&hand).expect("it is one of them") as u16
}

/// A public event, what follows, and how hands change.
struct Step {
    action: Action,
    public: Public,
    gain: Gain,
    weight: f64,
    copies: u8,
    moves: Vec<HandMove>,
    kept: Vec<u16>,
}

impl Public {
    /// An event after which both players hold what they held. `rank` is its place among the actions of a hand.
    fn stay(&self, action: Action, public: Self, gain: Gain, rank: impl Fn(usize) -> u8) -> Step {
        let me = usize::from(self.mover);
        let moves = (0..self.hands[me].len()).map(|hand| {
            let number = hand as u16;
            HandMove { from: number, to: number, rank: rank(hand) }
        });
        let kept = (0..self.hands[me ^ 1].len() as u16).collect();
        Step { action, public, gain, weight: 1.0, copies: 1, moves: moves.collect(), kept }
    }

    fn draws(&self) -> bool {
        !self.attacked && self.pile > 0
    }

    fn is_last_trick(&self) -> bool {
        self.phase == Phase::Lead && !self.draws() && self.hands[0][0].count_ones() == 1
    }
}

impl Schwinget {
    pub(super) fn returns_of(&self, Tally { taken, after_attack, attacker, .. }: Tally) -> [f64; 2] {
        self.utility_of(self.verdicts.look_up(attacker, taken, after_attack).scores)
    }

    fn opened(&self, turned: Card) -> (Public, f64) {
        let unseen = self.deck.all & !(1 << turned);
        let hands: Arc<[u32]> = bits::subsets(unseen, u32::from(self.rules.hand_size)).collect();
        let ways = (0..2 * self.rules.hand_size).map(|dealt| {
            let place = f64::from(dealt % self.rules.hand_size) + 1.0;
            place / f64::from(unseen.count_ones() - u32::from(dealt))
        });
        let public = Public {
            hands: [hands.clone(), hands],
            unseen,
            trump: self.deck.trump_when_turned(turned),
            phase: Phase::Lead,
            mover: 0,
            leader: 0,
            led: NO_CARD,
            pile: self.pile,
            attacked: false,
            highest: 0,
        };
        (public, ways.product::<f64>() / f64::from(self.deck.size))
    }

    /// The cards that are turned up in different openings, with the number of cards that open like it: suits are alike
    /// until one of them is trump.
    fn turned(&self) -> Vec<(Card, f64)> {
        let alike = |turned| match self.deck.trump_when_turned(turned) {
            NO_TRUMP => Some((turned, 1.0)),
            0 => Some((turned, f64::from(self.rules.suits))),
            _ => None,
        };
        (0..self.deck.size).filter_map(alike).collect()
    }

    /// The event of a card of the mover, whose legal cards are given by hand; `None` if it cannot be played.
    fn after_play(&self, public: &Public, card: Card, legal: &[u32]) -> Option<Step> {
        let (me, bit) = (usize::from(public.mover), 1_u32 << card);
        let draws = public.draws();
        let unseen = public.unseen & !bit;
        let (mine, theirs) = (&public.hands[me], &public.hands[me ^ 1]);
        let after = |hand: u32| {
            let rest = hand & !bit;
            let drawn = if draws { unseen & !rest } else { 0 };
            let stays = (!draws).then_some(rest);
            stays.into_iter().chain(bits::members(drawn).map(move |drawn| rest | 1 << drawn))
        };
        let players = || mine.iter().zip(legal).enumerate().filter(|&(_, (_, legal))| legal & bit != 0);
        let mut next = Vec::with_capacity(mine.len());
        next.extend(players().flat_map(|(_, (&hand, _))| after(hand)));
        next.sort_unstable();
        next.dedup();
        let others = (0..).zip(theirs.iter()).filter(|&(_, hand)| hand & bit == 0);
        let mut kept: Vec<u16> = Vec::with_capacity(theirs.len());
        kept.extend(others.map(|(place, _)| place));
        if next.is_empty() || kept.is_empty() {
            return None;
        }
        let mut moves = Vec::with_capacity(next.len());
        for (number, (from, (&hand, &legal))) in players().enumerate() {
            let rank = (legal & (bit - 1)).count_ones() as u8;
            for hand in after(hand) {
                // Without draws, hands keep their order.
                let to = if draws { place_in(&next, hand) } else { number as u16 };
                moves.push(HandMove { from: from as u16, to, rank });
            }
        }
        let others: Arc<[u32]> = kept.iter().map(|&place| theirs[usize::from(place)]).collect();
        let mut hands = [others.clone(), others];
        hands[me] = next.into();
        let pool = unseen.count_ones() - hands[0][0].count_ones() - hands[1][0].count_ones() + u32::from(draws);
        let mut public = Public { hands, unseen, pile: public.pile - u8::from(draws), ..public.clone() };
        let gain = self.complete(&mut public, card);
        let weight = if draws { 1.0 / f64::from(pool) } else { 1.0 };
        Some(Step { action: Action(card), public, gain, weight, copies: 1, moves, kept })
    }

    /// Moves on after a card has been played, and returns the change of the score.
    fn complete(&self, public: &mut Public, card: Card) -> Gain {
        if public.phase == Phase::Lead {
            public.led = card;
            public.phase = Phase::Follow;
            public.mover ^= 1;
            return NOTHING;
        }
        let led = public.led;
        public.led = NO_CARD;
        let last = public.hands[0][0] == 0;
        if (1_u32 << led | 1 << card) & self.deck.referee != 0 && !last {
            public.phase = Phase::Decide;
            public.mover = public.leader ^ u8::from(self.deck.referee >> led & 1 == 0);
            return NEUTRAL;
        }
        let winner = public.leader ^ u8::from(self.deck.beats(public.trump, led, card));
        public.leader = winner;
        public.mover = winner;
        public.phase = Phase::Lead;
        TRICK[usize::from(winner)]
    }

    /// The last trick: both players have one card, and none is drawn.
    fn last_trick(&self, public: &Public) -> Ending {
        let leader = usize::from(public.leader);
        let [mine, theirs] = [0, 1].map(|seat: usize| &public.hands[seat]);
        let outcome = |first: u32, second: u32| {
            let cards = [first, second].map(|hand| hand.trailing_zeros() as Card);
            let wins = self.deck.beats(public.trump, cards[leader], cards[leader ^ 1]);
            (first != second).then_some(u16::from(u8::from(wins) ^ public.leader))
        };
        let outcomes =
            mine.iter().flat_map(|&first| theirs.iter().map(move |&second| outcome(first, second))).collect();
        Ending { hands: [mine.len(), theirs.len()], gains: TRICK.to_vec(), outcomes }
    }

    /// By hand of the mover: the cards that it may play; and whether it may attack.
    fn legal_by_hand(&self, public: &Public) -> (Vec<u32>, bool) {
        let hands = &public.hands[usize::from(public.mover)];
        match public.phase {
            Phase::Follow => {
                (hands.iter().map(|&hand| self.deck.replies(public.trump, public.led, hand)).collect(), false)
            }
            _ => (hands.to_vec(), public.draws()),
        }
    }

    /// The events that can follow, and the number of legal actions by hand of the mover. A card that the other player holds
    /// in all its hands is not an event: no two hands fit together then, but it is legal. Of exchangeable suits, the cards of
    /// the first stand for those of all.
    fn events(&self, public: &Public, exchangeable: &[u8]) -> (Vec<u8>, Vec<Step>) {
        let hands = &public.hands[usize::from(public.mover)];
        if public.phase == Phase::Decide {
            let leaders = [public.mover, public.mover ^ 1];
            let event = |(action, leader): (Action, u8)| {
                let next = Public { phase: Phase::Lead, mover: leader, leader, ..public.clone() };
                public.stay(action, next, NOTHING, |_| u8::from(leader != public.mover))
            };
            return (vec![2; hands.len()], self.deck.decisions().into_iter().zip(leaders).map(event).collect());
        }
        let (legal, attacks) = self.legal_by_hand(public);
        let widths = legal.iter().map(|legal| legal.count_ones() as u8 + u8::from(attacks)).collect();
        let others = exchangeable.iter().skip(1).fold(0, |cards, &suit| cards | self.deck.suit[usize::from(suit)]);
        let cards = bits::members(public.unseen & !others).filter_map(|card| self.after_play(public, card, &legal));
        let mut steps: Vec<Step> = cards.collect();
        if let [first, others @ ..] = exchangeable {
            let theirs = &public.hands[usize::from(public.mover ^ 1)];
            let is_first = |step: &&mut Step| self.deck.suit[usize::from(*first)] >> step.action.0 & 1 == 1;
            for step in steps.iter_mut().filter(is_first) {
                step.copies = exchangeable.len() as u8;
                let kept = step.kept.clone();
                for &other in others {
                    let mut names = OWN_NAMES;
                    names.swap(usize::from(*first), usize::from(other));
                    let before = |&hand: &u16| place_in(theirs, self.renamed(theirs[usize::from(hand)], &names));
                    step.kept.extend(kept.iter().map(before));
                }
            }
        }
        if attacks {
            let next = Public { attacked: true, ..public.clone() };
            let (action, gain) = (self.deck.attack(), ATTACK[usize::from(public.mover)]);
            steps.push(public.stay(action, next, gain, |hand| legal[hand].count_ones() as u8));
        }
        (widths, steps)
    }

    /// The same with other names of cards: those of each suit that are still there take the place of its lowest ones. What
    /// can happen from two public states on is the same if they become equal, because only the order of a suit's cards counts
    /// in it; to the counter, also which one is the highest of the whole suit.
    fn pressed(&self, public: &Public) -> Public {
        let led = if public.led == NO_CARD { 0 } else { 1 << public.led };
        let left = public.unseen | led;
        let mut names: [Card; 32] = std::array::from_fn(|card| card as Card);
        let mut highest = 0;
        for (suit, &cards) in (0..self.rules.suits).zip(&self.deck.suit) {
            let first = suit * self.rules.values;
            (first..).zip(bits::members(left & cards)).for_each(|(name, card)| names[usize::from(card)] = name);
            highest |= u8::from(left >> (first + self.rules.values - 1) & 1 == 1) << suit;
        }
        let name = |card: Card| names[usize::from(card)];
        let rename = |cards: u32| bits::members(cards).fold(0, |all, card| all | 1 << name(card));
        Public {
            hands: public.hands.each_ref().map(|hands| hands.iter().map(|&hand| rename(hand)).collect()),
            unseen: rename(public.unseen),
            led: if led == 0 { NO_CARD } else { name(public.led) },
            highest: if left & self.deck.counter == 0 { 0 } else { highest },
            ..public.clone()
        }
    }

    /// The suits of which all cards are unseen.
    fn unseen_suits(&self, unseen: u32) -> Suits {
        (0..self.rules.suits).filter(|&suit| self.deck.suit[usize::from(suit)] & !unseen == 0).collect()
    }

    /// The cards of a suit in a set, by value.
    fn in_suit(&self, cards: u32, suit: u8) -> u32 {
        (cards & self.deck.suit[usize::from(suit)]) >> (suit * self.rules.values)
    }

    /// A card, if suits have these names.
    fn named(&self, card: Card, names: &Names) -> Card {
        match self.deck.suit_of[usize::from(card)] {
            NO_TRUMP => card,
            suit => card - suit * self.rules.values + names[usize::from(suit)] * self.rules.values,
        }
    }

    /// These cards, if suits have these names.
    fn renamed(&self, cards: u32, names: &Names) -> u32 {
        bits::members(cards).fold(0, |all, card: Card| all | 1 << self.named(card, names))
    }

    /// The order of suits in which they are named so that the hand is the first of those that differ only by their names.
    fn first_names(&self, hand: u32, mut suits: Suits) -> Suits {
        suits.sort_by_key(|&suit| Reverse(self.in_suit(hand, suit)));
        suits
    }

    /// By hand of the mover: the first of those that differ only by the names of exchangeable suits.
    fn twins(&self, public: &Public, exchangeable: &[u8]) -> Vec<Twin> {
        if exchangeable.is_empty() {
            return Vec::new();
        }
        let (legal, attacks) = self.legal_by_hand(public);
        let hands = &public.hands[usize::from(public.mover)];
        let twin = |(&hand, &legal): (&u32, &u32)| {
            let mut names = OWN_NAMES;
            let order = self.first_names(hand, exchangeable.iter().copied().collect());
            order.iter().zip(exchangeable).for_each(|(&suit, &name)| names[usize::from(suit)] = name);
            let [first, there] = [hand, legal].map(|cards| self.renamed(cards, &names));
            // Suits of which the hand has the same cards get one name.
            for pair in order.windows(2) {
                let [before, suit] = [pair[0], pair[1]];
                if self.in_suit(hand, before) == self.in_suit(hand, suit) {
                    names[usize::from(suit)] = names[usize::from(before)];
                }
            }
            let rank = |card: Card| (there & ((1 << self.named(card, &names)) - 1)).count_ones() as u8;
            let cards = legal.count_ones() as u8;
            let ranks = match public.phase {
                Phase::Decide => vec![0, 1],
                _ => bits::members(legal).map(rank).chain(attacks.then_some(cards)).collect(),
            };
            Twin { hand: place_in(hands, first), ranks }
        };
        hands.iter().zip(&legal).map(twin).collect()
    }

    /// The place of a view, in which the trump suit is named as the first one. In a folded form the other suits are named in
    /// the order in which they were first seen, and those not seen so that the hand is the first of those like it.
    pub(super) fn place_of(&self, view: &View, fold: bool) -> Option<Place> {
        let seen = &view.seen;
        if !matches!(seen.phase, Phase::Lead | Phase::Follow | Phase::Decide) || seen.mover != view.seat().0 {
            return None;
        }
        let (held, size) = (seen.hands[view.seat().index()], self.deck.size);
        let did =
            view.log.iter().filter_map(|event| if let SeenEvent::Did(action) = event { Some(*action) } else { None });
        let mut names = OWN_NAMES;
        if fold {
            let plays = did.clone().filter(|action| action.0 < size).map(|action| self.deck.suit_of[action.index()]);
            let mut order = Suits::new();
            for suit in iter::once(seen.trump).chain(plays) {
                if suit != NO_TRUMP && !order.contains(&suit) {
                    order.push(suit);
                }
            }
            let others = (0..self.rules.suits).filter(|suit| !order.contains(suit)).collect();
            order.extend(self.first_names(held, others));
            (0..).zip(order).for_each(|(name, suit)| names[usize::from(suit)] = name);
        } else if seen.trump != NO_TRUMP {
            names.swap(0, usize::from(seen.trump));
        }
        let rename = |action: Action| if action.0 < size { Action(self.named(action.0, &names)) } else { action };
        let turned = self.named(seen.turned, &names);
        let opening = self.turned().iter().position(|&(card, _)| card == turned)?;
        let events = did.map(rename).collect();
        let hand = u64::from(self.renamed(held, &names));
        let mut actions: Vec<Action> = self.legal(seen).iter().collect();
        actions.sort_unstable_by_key(|&action| rename(action));
        Some(Place { opening, events, hand, actions })
    }

    /// A history of a place of a seat. Of the orders in which its cards can have come, given that it followed suit where
    /// it had to, this is the one in which those that were played first came first, and those still held last.
    pub(super) fn history_at(&self, seat: Seat, place: &Place) -> Option<History<Self>> {
        let &(turned, _) = self.turned().get(place.opening)?;
        let (all, size) = (self.deck.all, self.rules.hand_size);
        let trump = self.deck.trump_when_turned(turned);
        let mut state = self.public_start(&State { turned, trump, ..State::new(all, self.pile) });
        let mut arrivals =
            [Arrivals { dealt: size, ..Arrivals::default() }, Arrivals { dealt: size, ..Default::default() }];
        for event in &place.events {
            let mover = &mut arrivals[usize::from(state.mover)];
            if state.phase != Phase::Decide && event.0 < self.deck.size {
                mover.note(&self.deck, &state, event.0);
            }
            self.apply(&mut state, *event);
            if self.turn(&state) == Turn::Chance {
                mover.draws += 1;
                self.draw_any(&mut state);
            }
        }
        let hand = u32::try_from(place.hand).ok()?;
        let unseen = all & !(1 << turned) & !hand & !state.played[0] & !state.played[1];
        let mut cards: [_; 2] = Default::default();
        for (number, (cards, arrivals)) in cards.iter_mut().zip(&arrivals).enumerate() {
            let (held, others) = if number == seat.index() { (hand, 0) } else { (0, unseen) };
            *cards = self.in_order(arrivals, held, others)?;
        }
        let mut history = History::new(self);
        for dealt in 0..usize::from(size) {
            cards.iter().for_each(|cards| history.push(self, Action(cards[dealt])));
        }
        history.push(self, Action(turned));
        let mut drawn = cards.each_ref().map(|cards| cards[usize::from(size)..].iter());
        for event in &place.events {
            let mover = usize::from(history.state().mover);
            history.push(self, *event);
            if self.turn(history.state()) == Turn::Chance {
                history.push(self, Action(*drawn[mover].next()?));
            }
        }
        Some(history)
    }

    /// The cards of a player in the order in which they have come: those that it has played, those that it holds, and for
    /// the rest some of `others`. `None` if there is no order.
    fn in_order(&self, arrivals: &Arrivals, held: u32, mut others: u32) -> Option<ArrayVec<Card, 32>> {
        let earliest = |card: Card| arrivals.earliest(self.deck.suit_of[usize::from(card)]);
        let held = bits::members(held).map(|card| Play { card, earliest: earliest(card), latest: arrivals.draws });
        let mut known: ArrayVec<Play, 32> = arrivals.plays.iter().copied().chain(held).collect();
        let mut cards = ArrayVec::new();
        for place in 0..arrivals.dealt + arrivals.draws {
            let now = (place + 1).saturating_sub(arrivals.dealt);
            let open = (0..known.len()).filter(|&index| known[index].earliest <= now);
            // Each card comes as early as it can, the most urgent first: if there is an order, this is one.
            let card = match open.min_by_key(|&index| known[index].latest) {
                Some(index) => known.remove(index),
                None => {
                    let card = bits::members(others).find(|&card| earliest(card) <= now)?;
                    others &= !(1 << card);
                    Play { card, earliest: now, latest: now }
                }
            };
            if card.latest < now {
                return None;
            }
            cards.push(card.card);
        }
        known.is_empty().then_some(cards)
    }
}

impl PublicForm for Publics {
    fn openings(&mut self) -> Vec<Opening> {
        let turned = self.game.turned().into_iter();
        let open = |(turned, alike)| {
            let (public, weight) = self.game.opened(turned);
            let (public, score, weight) = (self.number(public), Tally::START.score(), weight * alike);
            Opening { public, score, weight, event: Some(Action(turned)) }
        };
        turned.map(open).collect()
    }

    fn scene(&mut self, public: PublicState) -> PublicScene {
        let public = self.all[public as usize].clone();
        if public.is_last_trick() {
            return PublicScene::Ending(self.game.last_trick(&public));
        }
        let exchangeable = self.exchangeable(&public);
        let (widths, steps) = self.game.events(&public, &exchangeable);
        let twins = self.game.twins(&public, &exchangeable);
        let branches = steps.into_iter().map(|step| self.branch(step)).collect();
        let hands = [public.hands[0].len(), public.hands[1].len()];
        PublicScene::Choice(PublicChoice { turn: Turn::Seat(Seat(public.mover)), hands, widths, twins, branches })
    }

    fn first_alike(&mut self, public: PublicState) -> PublicState {
        let pressed = self.game.pressed(&self.all[public as usize]);
        *self.firsts.entry(pressed).or_insert(public)
    }

    fn gain(&self, score: Score, gain: Gain) -> Score {
        Tally::of(score).after(gain).score()
    }

    fn returns(&self, score: Score) -> [f64; 2] {
        self.game.returns_of(Tally::of(score))
    }

    fn hand(&self, public: PublicState, seat: Seat, key: u64) -> Option<usize> {
        let hands = &self.all[public as usize].hands[seat.index()];
        hands.binary_search(&u32::try_from(key).ok()?).ok()
    }

    fn weight(&self, _score: Score) -> f64 {
        1.0
    }

    fn keeps_name(&self, action: Action) -> bool {
        action.0 >= self.game.deck.size
    }

    fn detail(&self, public: PublicState) -> PublicDetail {
        let public = &*self.all[public as usize];
        if public.is_last_trick() {
            return PublicDetail::default();
        }
        let (cards, attacks) = self.game.legal_by_hand(public);
        let attack = attacks.then(|| self.game.deck.attack());
        let legal = match public.phase {
            Phase::Decide => vec![self.game.deck.decisions().to_vec(); cards.len()],
            _ => cards.into_iter().map(|cards| bits::members(cards).map(Action).chain(attack).collect()).collect(),
        };
        let steps = self.game.events(public, &self.exchangeable(public)).1;
        let alike = steps.iter().map(|step| vec![step.action]).collect();
        PublicDetail { legal, alike }
    }

    fn each_pair(&self, public: PublicState, visit: &mut dyn FnMut([usize; 2], f64)) {
        let [first, second] = &self.all[public as usize].hands;
        for (hand, cards) in first.iter().enumerate() {
            let fitting = second.iter().enumerate().filter(|&(_, others)| cards & others == 0);
            fitting.for_each(|(other, _)| visit([hand, other], 1.0));
        }
    }

    fn is_folded(&self) -> bool {
        self.fold
    }

    fn fresh(&self) -> Box<dyn PublicForm> {
        Box::new(Self::new(self.game.clone(), self.fold))
    }

    fn key(&self, public: PublicState, seat: Seat, hand: usize) -> u64 {
        u64::from(self.all[public as usize].hands[seat.index()][hand])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
