//! What locking the pile now is worth with all cards open, averaged over every hand that the opponent may hold.
//!
//! The hands share nearly all of their play: after one trick the 20,349 hands of the first lead have become 5,985 sets of four,
//! five times over. So all endings are solved at once, from the last trick back: for every set of own cards and as large a set of
//! cards not seen, the tricks that best play collects, with either player on lead. That is about 1.7 million tricks for five
//! cards against 21, each looked up once, and what it costs hardly depends on the cards.
//!
//! The value is optimistic for both: it lets each player see everything. What the opponent cannot know is part of what an attack
//! is worth, and is not in this number.

use std::hint::select_unpredictable;

use crate::bits;
use crate::game::{Game as _, Sampler as _, SeatView as _};
use crate::seats::BySeat;

use super::cards::Deck;
use super::solve::{MAX_ENDING, Stakes};
use super::state::{Neutral, Phase, State};
use super::{Schwinget, View};

/// Own cards.
const OWN: usize = MAX_ENDING as usize;
/// Cards that may be not seen.
const UNSEEN: usize = 26;

/// `CHOOSE[k][n]`: the number of `k`-element subsets of `n` elements.
const CHOOSE: [[u32; UNSEEN]; OWN + 1] = {
    let mut choose = [[0; UNSEEN]; OWN + 1];
    let mut n = 0;
    while n < UNSEEN {
        choose[0][n] = 1;
        let mut k = 1;
        while k <= OWN && n > 0 {
            choose[k][n] = choose[k - 1][n - 1] + choose[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// One of the other player's sets of cards.
struct Other {
    set: u32,
    /// Its cards, ascending.
    cards: [u8; OWN],
    /// `without[place]`: the rank of the set that is left when a card has gone.
    without: [u32; OWN],
}

impl Other {
    /// Ranks are places in the order of [`bits::subsets`]: the sum of `CHOOSE[i + 1][card]` over the `i`-th cards.
    fn new(set: u32, size: usize) -> Self {
        let mut other = Self { set, cards: [0; OWN], without: [0; OWN] };
        for (place, card) in bits::members(set).enumerate() {
            other.cards[place] = card;
        }
        let choose = |k: usize, place: usize| CHOOSE[k][usize::from(other.cards[place])];
        let mut below = 0;
        let mut above: u32 = (1..size).map(|place| choose(place, place)).sum();
        for place in 0..size {
            other.without[place] = below + above;
            below += choose(place + 1, place);
            above -= if place + 1 < size { choose(place + 1, place + 1) } else { 0 };
        }
        other
    }

    /// Where the values of the set without one of its cards begin.
    #[inline(always)]
    fn at(&self, place: usize) -> usize {
        self.without[place] as usize * VALUES
    }
}

/// What the cards of a trick lead to, as an offset among the values of a rank: the own player has lost it.
const LOST: u8 = 0;
/// Won it; the trick is counted in.
const WON: u8 = 1;
/// Won it and the neutral one before it.
const WON_BOTH: u8 = 2;
/// Made it neutral by the referee, and decides who leads.
const OWN_REFEREE: u8 = 3;
/// The other player has made it neutral.
const OTHER_REFEREE: u8 = 4;
/// Values of a rank.
const VALUES: usize = 5;
/// The card may not be played.
const BARRED: u8 = 5;

/// The tricks that the own player collects, for every set of own cards at once: those of the size that counts have sense.
type Tricks<const SETS: usize> = [u8; SETS];

/// The values of all pairs of sets of one size: `VALUES` for each rank of the other's set, then one that stands for no choice.
struct Layer<const SETS: usize> {
    /// Room for `SETS` before the first.
    values: Vec<u8>,
    barred: usize,
}

impl<const SETS: usize> Layer<SETS> {
    fn new(ranks: usize) -> Self {
        let barred = ranks * VALUES;
        let mut values = vec![0; (barred + 2) * SETS];
        values[(barred + 1) * SETS..].fill(u8::MAX);
        Self { values, barred }
    }

    /// The values of a rank.
    fn rank(&mut self, rank: usize) -> &mut [Tricks<SETS>; VALUES] {
        let at = (rank * VALUES + 1) * SETS;
        self.values[at..].as_chunks_mut().0.first_chunk_mut().expect("a rank")
    }

    /// For every set with this own card, what is there for the set without it. No sense for the others.
    #[inline(always)]
    fn without(&self, at: usize, card: usize) -> &Tricks<SETS> {
        self.values[(at + 1) * SETS - (1 << card)..].first_chunk().expect("a value")
    }

    /// What is there for one set.
    #[inline(always)]
    fn of(&self, at: usize, set: usize) -> u8 {
        self.values[(at + 1) * SETS + set]
    }
}

/// All endings of one hand against every hand of as many cards not seen.
struct Endings<const SETS: usize> {
    /// How many own cards, and how many not seen there are. Sets of them are words in the order of their ids.
    own: usize,
    unseen: usize,
    /// Whether a neutral trick can be waiting at all.
    neutral: bool,
    /// `with[own card]`: all bits for the sets that have it.
    with: [Tricks<SETS>; OWN],
    /// For the last trick and for those before it.
    tricks: [Kinds<SETS>; 2],
}

/// What all pairs of cards come to.
struct Kinds<const SETS: usize> {
    /// `suit[own card led]`: what of the cards not seen must follow.
    suit: [u32; OWN],
    /// `own_led[other is void][own card led][answer]`.
    own_led: [[[u8; UNSEEN]; OWN]; 2],
    /// `other_led[card led][own answer]`; which answers are allowed is in `may_answer`.
    other_led: [[u8; OWN]; UNSEEN],
    /// `may_answer[card led][own answer][own set]`: all bits where the set has the card and may play it.
    may_answer: Vec<[Tricks<SETS>; OWN]>,
}

/// The cards of `of` that are in `set`, as a set of places.
fn places(of: &[u8], set: u32) -> u32 {
    of.iter().enumerate().fold(0, |places, (place, &card)| places | (set >> card & 1) << place)
}

impl<const SETS: usize> Kinds<SETS> {
    fn new(deck: &Deck, trump: u8, own: &[u8], unseen: &[u8], last: bool) -> Self {
        let is_referee = |card: u8| deck.referee >> card & 1 == 1 && !last;
        let kind = |card: u8, other: u8, won: bool| match (is_referee(card), is_referee(other)) {
            (true, _) => OWN_REFEREE,
            (_, true) => OTHER_REFEREE,
            _ if won => WON,
            _ => LOST,
        };
        let mut kinds = Self {
            suit: [0; OWN],
            own_led: [[[BARRED; UNSEEN]; OWN]; 2],
            other_led: [[BARRED; OWN]; UNSEEN],
            may_answer: vec![[[0; SETS]; OWN]; unseen.len()],
        };
        for (place, &card) in own.iter().enumerate() {
            kinds.suit[place] = places(unseen, deck.suit_led(card));
            for (answer, &other) in unseen.iter().enumerate() {
                let kind = kind(card, other, !deck.beats(trump, card, other));
                kinds.own_led[1][place][answer] = kind;
                if deck.follow(trump, card) >> other & 1 == 1 {
                    kinds.own_led[0][place][answer] = kind;
                }
            }
        }
        for (place, &led) in unseen.iter().enumerate() {
            let [suit, bound] = [deck.suit_led(led), deck.follow(trump, led)].map(|set| places(own, set));
            for (answer, &card) in own.iter().enumerate() {
                kinds.other_led[place][answer] = kind(card, led, deck.beats(trump, led, card));
                for set in 0..SETS {
                    let has = set >> answer & 1 == 1;
                    let may = set as u32 & suit == 0 || bound >> answer & 1 == 1;
                    kinds.may_answer[place][answer][set] = if has && may { u8::MAX } else { 0 };
                }
            }
        }
        kinds
    }

    /// What the answers to an own card come to when the other player holds `set`.
    #[inline(always)]
    fn own_led_to(&self, card: usize, set: u32) -> &[u8; UNSEEN] {
        &self.own_led[usize::from(set & self.suit[card] == 0)][card]
    }
}

/// Keeps the smaller of each pair.
#[inline(always)]
fn at_most<const SETS: usize>(tricks: &mut Tricks<SETS>, bound: &Tricks<SETS>) {
    for (tricks, &bound) in tricks.iter_mut().zip(bound) {
        *tricks = (*tricks).min(bound);
    }
}

/// Keeps the larger of each pair.
#[inline(always)]
fn at_least<const SETS: usize>(tricks: &mut Tricks<SETS>, bound: &Tricks<SETS>) {
    for (tricks, &bound) in tricks.iter_mut().zip(bound) {
        *tricks = (*tricks).max(bound);
    }
}

impl<const SETS: usize> Endings<SETS> {
    fn new(deck: &Deck, trump: u8, own: u32, unseen: u32, waiting: bool) -> Self {
        let [own_cards, unseen_cards] = [own, unseen].map(|set| bits::members(set).collect::<Vec<u8>>());
        debug_assert!(1 << own_cards.len() <= SETS && unseen_cards.len() < UNSEEN);
        Self {
            own: own_cards.len(),
            unseen: unseen_cards.len(),
            with: std::array::from_fn(|card| std::array::from_fn(|set| if set >> card & 1 == 1 { u8::MAX } else { 0 })),
            neutral: waiting || (own | unseen) & deck.referee != 0,
            tricks: [true, false].map(|last| Kinds::new(deck, trump, &own_cards, &unseen_cards, last)),
        }
    }

    /// The tricks collected with all own cards and the own player on lead, by the rank of the other's hand; with a neutral trick
    /// waiting if so asked.
    fn solve(&self, waiting: bool) -> Vec<u8> {
        let mut layer = Layer::new(1);
        layer.rank(0)[usize::from(WON)] = [1; SETS];
        layer.rank(0)[usize::from(WON_BOTH)] = [2; SETS];
        for size in 1..self.own {
            layer = self.above(&layer, size);
        }
        let hands = bits::subsets((1 << self.unseen) - 1, self.own as u32);
        hands.map(|set| self.with_all(&layer, &Other::new(set, self.own), waiting)).collect()
    }

    /// The tricks collected on lead with all own cards.
    #[inline(always)]
    fn with_all(&self, below: &Layer<SETS>, other: &Other, waiting: bool) -> u8 {
        let full = (1 << self.own) - 1;
        let kinds = &self.tricks[usize::from(self.own > 1)];
        let mut best = 0;
        for card in 0..self.own {
            let kinds = kinds.own_led_to(card, other.set);
            let mut worst = u8::MAX;
            for place in 0..self.own {
                let kind = kinds[usize::from(other.cards[place])];
                let kind = kind + u8::from(waiting && kind == WON);
                let at = select_unpredictable(kind == BARRED, below.barred, other.at(place) + usize::from(kind));
                worst = worst.min(below.of(at, full ^ 1 << card));
            }
            best = best.max(worst);
        }
        best
    }

    /// The values of all sets of `size` cards from those of one card less.
    fn above(&self, below: &Layer<SETS>, size: usize) -> Layer<SETS> {
        let kinds = &self.tricks[usize::from(size > 1)];
        let mut layer = Layer::new(CHOOSE[size][self.unseen] as usize);
        let sets = bits::subsets((1 << self.unseen) - 1, size as u32);
        for (rank, set) in sets.enumerate() {
            let values = layer.rank(rank);
            let other = Other::new(set, size);
            let mut lead = [[0; SETS]; 2];
            for card in 0..self.own {
                let mut after = self.own_leads(below, kinds, &other, card, size);
                for waiting in 0..=usize::from(self.neutral) {
                    at_most(&mut after[waiting], &self.with[card]);
                    at_least(&mut lead[waiting], &after[waiting]);
                }
            }
            let follow = self.other_leads(below, kinds, &other, size);
            values[usize::from(LOST)] = follow[0];
            for (value, tricks) in [(WON, 1), (WON_BOTH, 2)] {
                values[usize::from(value)] = lead[0];
                values[usize::from(value)].iter_mut().for_each(|value| *value = value.wrapping_add(tricks));
            }
            values[usize::from(OWN_REFEREE)] = lead[1];
            at_least(&mut values[usize::from(OWN_REFEREE)], &follow[1]);
            values[usize::from(OTHER_REFEREE)] = lead[1];
            at_most(&mut values[usize::from(OTHER_REFEREE)], &follow[1]);
        }
        layer
    }

    /// The tricks collected once the own player has led `card`, by the sets that have it; without and with a neutral trick waiting.
    #[inline(always)]
    fn own_leads(
        &self,
        below: &Layer<SETS>,
        kinds: &Kinds<SETS>,
        other: &Other,
        card: usize,
        size: usize,
    ) -> [Tricks<SETS>; 2] {
        let kinds = kinds.own_led_to(card, other.set);
        let mut worst = [[u8::MAX; SETS]; 2];
        for place in 0..size {
            let kind = kinds[usize::from(other.cards[place])];
            let at = select_unpredictable(kind == BARRED, below.barred, other.at(place) + usize::from(kind));
            at_most(&mut worst[0], below.without(at, card));
            if self.neutral {
                at_most(&mut worst[1], below.without(at + usize::from(kind == WON), card));
            }
        }
        worst
    }

    /// The tricks collected with the other player on lead; without and with a neutral trick waiting.
    #[inline(always)]
    fn other_leads(&self, below: &Layer<SETS>, kinds: &Kinds<SETS>, other: &Other, size: usize) -> [Tricks<SETS>; 2] {
        let mut worst = [[u8::MAX; SETS]; 2];
        for place in 0..size {
            let led = usize::from(other.cards[place]);
            let base = other.at(place);
            let mut best = [[0; SETS]; 2];
            for card in 0..self.own {
                let kind = kinds.other_led[led][card];
                let may = &kinds.may_answer[led][card];
                let at = base + usize::from(kind);
                let mut after = *below.without(at, card);
                at_most(&mut after, may);
                at_least(&mut best[0], &after);
                if self.neutral {
                    let mut after = *below.without(at + usize::from(kind == WON), card);
                    at_most(&mut after, may);
                    at_least(&mut best[1], &after);
                }
            }
            at_most(&mut worst[0], &best[0]);
            at_most(&mut worst[1], &best[1]);
        }
        worst
    }
}

/// What an attack is worth with all cards open, over the hands that the opponent may hold.
#[derive(Clone, PartialEq, Debug)]
pub struct LockValue {
    /// The mean of both seats' returns, each hand by its weight.
    pub mean: BySeat<f64>,
    /// `chances`: the returns that can come out, worst for the attacker first, each with its probability.
    pub chances: Vec<(BySeat<f32>, f64)>,
}

impl Schwinget {
    /// What it is worth to attack now and to play on with all cards open: [`open_ending`](Self::open_ending) after the attack in
    /// every world of the view, each by its weight (see [`Sampler`](crate::Sampler)). `None` unless the seat is on lead in the
    /// last bout of the match, may attack, and holds at most six cards. A few milliseconds at the first lead.
    ///
    /// Open cards flatter both sides: the attacker would know what to lead into, the opponent what to keep.
    pub fn lock_value(&self, view: &View) -> Option<LockValue> {
        let seen = view.seen();
        let seat = view.seat();
        let own = seen.hands[seat.index()];
        let may_attack = seen.phase == Phase::Lead && seen.mover == seat.0 && !seen.attacked() && seen.pile > 0;
        if !may_attack || seen.bout + 1 != self.rules.bouts || own.count_ones() > MAX_ENDING {
            return None;
        }
        let attacked = State { attacker: seat.0, ..*seen };
        let stakes = Stakes::new(self, &attacked, seat.0);
        let waiting = seen.neutral != Neutral::None;
        let tricks = if own.count_ones() <= 5 {
            Endings::<32>::new(&self.deck, seen.trump, own, seen.pool, waiting).solve(waiting)
        } else {
            Endings::<64>::new(&self.deck, seen.trump, own, seen.pool, waiting).solve(waiting)
        };
        let mut weights = vec![0_u64; stakes.len()];
        for world in self.sampler(view).worlds() {
            let hand = world.state.hands[seat.index() ^ 1];
            let rank: u32 = bits::members(hand)
                .enumerate()
                .map(|(place, card)| CHOOSE[place + 1][(seen.pool & ((1 << card) - 1)).count_ones() as usize])
                .sum();
            weights[stakes.reached_with(tricks[rank as usize])] += world.weight;
        }
        let total: u64 = weights.iter().sum();
        let share = |reached: usize| weights[reached] as f64 / total as f64;
        let mean = |seat: usize| (0..stakes.len()).map(|i| share(i) * f64::from(stakes.worth(i)[seat])).sum();
        Some(LockValue {
            mean: BySeat::from([mean(0), mean(1)]),
            chances: (0..stakes.len()).map(|i| (BySeat::from(stakes.worth(i)), share(i))).collect(),
        })
    }
}
