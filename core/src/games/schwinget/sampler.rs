//! Exact sampling of the states consistent with a view.

use std::iter;

use arrayvec::ArrayVec;

use crate::actions::Action;
use crate::bits;
use crate::game::history::History;
use crate::game::{self, SeatView as _, World};
use crate::rng::Rng;

use super::Schwinget;
use super::cards::{Card, Deck};
use super::state::State;
use super::view::{Arrivals, SeenEvent, View};
use super::ways::{self, Class, Composition, MAX_CLASSES};

/// Draws the opponent's hand given everything the seat has seen. See the `ways` module for the weights of hands.
///
/// Construction is linear in the length of the bout if no void has been shown. A sample takes one draw for the
/// composition and one per card.
#[derive(Clone, Debug)]
pub struct Sampler {
    opponent: usize,
    classes: ArrayVec<Class, MAX_CLASSES>,
    compositions: Vec<Composition>,
    /// `cumulated[i]`: the weight of all hands of the compositions up to and including the `i`-th.
    cumulated: Vec<u64>,
    suit_of: [u8; 32],
    view: View,
}

impl Sampler {
    /// The world in which the opponent holds `hand`.
    #[inline(always)]
    fn world(&self, hand: u32) -> State {
        let mut state = self.view.seen;
        state.hands[self.opponent] = hand;
        state.pool ^= hand;
        state
    }

    #[inline]
    fn sample_hand(&self, rng: &mut Rng) -> u32 {
        let composition = match self.compositions.as_slice() {
            [only] => only,
            all => {
                let total = self.cumulated[all.len() - 1];
                let drawn = rng.below_wide(total);
                &all[self.cumulated.partition_point(|&sum| sum <= drawn)]
            }
        };
        self.classes
            .iter()
            .zip(composition.counts)
            .fold(0, |hand, (class, count)| hand | bits::random_subset(class.cards, u32::from(count), rng))
    }
}

/// Groups the unseen cards by the first arrival that can have brought them to the opponent, in descending order; the
/// last class has 0. Cards that cannot be in its hand are in no class.
fn classes(deck: &Deck, arrivals: &Arrivals, unseen: u32) -> ArrayVec<Class, MAX_CLASSES> {
    let mut classes = ArrayVec::new();
    let mut bound = 0;
    for earliest in (1..=arrivals.draws).rev() {
        let cards = (0..4)
            .filter(|&suit| arrivals.earliest[suit] == earliest)
            .fold(0, |cards, suit| cards | deck.suit[suit] & unseen);
        if cards != 0 {
            classes.push(Class { cards, earliest });
        }
    }
    for suit in 0..4 {
        if arrivals.earliest[suit] > 0 {
            bound |= deck.suit[suit];
        }
    }
    classes.push(Class { cards: unseen & !bound, earliest: 0 });
    classes
}

/// The number of hands with this composition.
fn hands(classes: &[Class], composition: &Composition) -> u64 {
    classes
        .iter()
        .zip(composition.counts)
        .map(|(class, count)| bits::binomial(class.cards.count_ones(), u32::from(count)))
        .product()
}

impl game::Sampler<Schwinget> for Sampler {
    fn new(game: &Schwinget, view: &View) -> Self {
        let arrivals = view.bouts.last().expect("a bout has begun");
        let classes = classes(&game.deck, arrivals, view.seen.pool);
        let compositions = if let [only] = classes.as_slice() {
            debug_assert!(u32::from(arrivals.held()) <= only.cards.count_ones());
            let mut counts = [0; MAX_CLASSES];
            counts[0] = arrivals.held();
            vec![Composition { counts, ways: 1 }]
        } else {
            ways::compositions(arrivals, &classes)
        };
        debug_assert!(!compositions.is_empty(), "the true hand is among them");
        let cumulated = compositions
            .iter()
            .scan(0, |sum, composition| {
                *sum += composition.ways * hands(&classes, composition);
                Some(*sum)
            })
            .collect();
        Self {
            opponent: view.seat().index() ^ 1,
            classes,
            compositions,
            cumulated,
            suit_of: game.deck.suit_of,
            view: view.clone(),
        }
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> State {
        self.world(self.sample_hand(rng))
    }

    fn count(&self) -> u128 {
        self.compositions.iter().map(|composition| u128::from(hands(&self.classes, composition))).sum()
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.compositions.iter().flat_map(move |composition| {
            hands_of(&self.classes, &composition.counts)
                .map(move |hand| World { state: self.world(hand), weight: composition.ways })
        })
    }

    fn sample_history_of(&self, game: &Schwinget, world: &State, rng: &mut Rng) -> History<Schwinget> {
        let hand = world.hands[self.opponent];
        let bouts = &self.view.bouts;
        let mut log = self.view.log.iter().copied().peekable();
        let mut history = History::new(game);
        for (bout, arrivals) in bouts.iter().enumerate() {
            let held = if bout + 1 == bouts.len() { hand } else { 0 };
            let mut theirs = arrange(arrivals, held, &self.suit_of, rng).into_iter();
            // The dealt hand is known as a set: all its orders are equally likely.
            let mut ours: ArrayVec<Card, 13> = log
                .clone()
                .map_while(|seen| match seen {
                    SeenEvent::Dealt(card) => Some(card),
                    _ => None,
                })
                .flatten()
                .collect();
            rng.shuffle(&mut ours);
            let mut ours = ours.into_iter();
            let mut dealing = true;
            while let Some(seen) = log.next_if(|seen| dealing || !matches!(seen, SeenEvent::Dealt(_))) {
                dealing = matches!(seen, SeenEvent::Dealt(_));
                let card = match seen {
                    SeenEvent::Dealt(Some(_)) => ours.next(),
                    SeenEvent::Dealt(None) | SeenEvent::Drawn(None) => theirs.next(),
                    SeenEvent::TurnedUp(card) | SeenEvent::Drawn(Some(card)) => Some(card),
                    SeenEvent::Did(action) => Some(action.0),
                };
                history.push(game, Action(card.expect("every arrival has a card")));
            }
        }
        history
    }

    /// True unless hidden draws leave open which cards the opponent was dealt and which it drew.
    fn worlds_fix_views(&self) -> bool {
        self.view.bouts.iter().all(|arrivals| arrivals.draws == 0)
    }
}

/// Draws an order in which the opponent's cards of one bout can have come, each with the same probability: first the
/// dealt hand, then the cards drawn. `held` are the cards still in hand.
///
/// Places are filled from the last to the first. A card not bound by a void may lie in any place up to its last one.
/// So all free cards that may be taken leave equally many for each earlier place, and only the set of remaining bound
/// cards must be tracked.
fn arrange(arrivals: &Arrivals, held: u32, suit_of: &[u8; 32], rng: &mut Rng) -> ArrayVec<Card, 13> {
    let played = arrivals.plays.iter().map(|play| (play.card, play.earliest, play.latest));
    let in_hand = bits::members(held).map(|card| (card, arrivals.earliest(suit_of[usize::from(card)]), u8::MAX));
    let (mut free, bound): (Vec<_>, Vec<_>) = played.chain(in_hand).partition(|&(_, earliest, _)| earliest == 0);
    free.sort_unstable_by_key(|&(_, _, latest)| latest);
    let (size, all) = (free.len() + bound.len(), (1_usize << bound.len()) - 1);
    let time = |place: usize| (place + 1).saturating_sub(usize::from(arrivals.dealt)) as u8;
    let barred = |free: &[(Card, u8, u8)], place| free.iter().take_while(|&&(_, _, last)| last < time(place)).count();
    let fits = |card: usize, place| (bound[card].1..=bound[card].2).contains(&time(place));
    // ways[places << bound | left]: the number of orders of the first `places` that contain the set `left` of bound
    // cards.
    let at = |places: usize, left: usize| places << bound.len() | left;
    let mut ways = vec![0_u64; at(size + 1, 0)];
    ways[0] = 1;
    for place in 0..size {
        let open = free.len() - barred(&free, place);
        for left in 0..=all {
            // The later places took this many cards, bound and free.
            let bound_taken = bound.len() - left.count_ones() as usize;
            let Some(free_taken) = (size - 1 - place).checked_sub(bound_taken) else { continue };
            let taken_by_free = open.saturating_sub(free_taken) as u64 * ways[at(place, left)];
            let taken_by_bound = (0..bound.len())
                .filter(|&card| left >> card & 1 == 1 && fits(card, place))
                .map(|card| ways[at(place, left ^ 1 << card)]);
            ways[at(place + 1, left)] = taken_by_free + taken_by_bound.sum::<u64>();
        }
    }
    let mut left = all;
    let mut order = ArrayVec::new();
    for place in (0..size).rev() {
        let mut drawn = rng.below_wide(ways[at(place + 1, left)]);
        let first = barred(&free, place);
        let by_free = (free.len() - first) as u64 * ways[at(place, left)];
        if drawn < by_free {
            let chosen = first + rng.below((free.len() - first) as u32) as usize;
            order.push(free.remove(chosen).0);
            continue;
        }
        drawn -= by_free;
        let chosen = (0..bound.len()).filter(|&card| left >> card & 1 == 1 && fits(card, place)).find(|&card| {
            let here = ways[at(place, left ^ 1 << card)];
            let found = drawn < here;
            drawn = drawn.wrapping_sub(if found { 0 } else { here });
            found
        });
        let chosen = chosen.expect("the ways add up to the total");
        left ^= 1 << chosen;
        order.push(bound[chosen].0);
    }
    order.reverse();
    order
}

/// Iterates over all hands with these numbers of cards from the classes. The choice in the first class changes fastest.
fn hands_of<'a>(classes: &'a [Class], counts: &'a [u8]) -> Box<dyn Iterator<Item = u32> + 'a> {
    let Some((class, later)) = classes.split_first() else { return Box::new(iter::once(0)) };
    let hands = |rest| bits::subsets(class.cards, u32::from(counts[0])).map(move |hand| hand | rest);
    Box::new(hands_of(later, &counts[1..]).flat_map(hands))
}
