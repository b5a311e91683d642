//! The states that a view cannot tell apart, drawn exactly.

use std::iter;

use arrayvec::ArrayVec;

use crate::actions::Action;
use crate::bits::{self, Subsets};
use crate::game::{self, SeatView as _, World};
use crate::history::History;
use crate::rng::Rng;

use super::Schwinget;
use super::cards::{Card, Deck};
use super::state::State;
use super::view::{Arrivals, Seen, View};
use super::ways::{self, Class, Composition, MAX_CLASSES};

/// Draws the opponent's hand given all that the seat has seen. See the `ways` module for how hands weigh.
///
/// Construction is linear in the bout where no void has been shown, microseconds otherwise; a sample takes one draw for the
/// composition and one per card.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The state without the opponent's cards.
    seen: State,
    opponent: usize,
    classes: ArrayVec<Class, MAX_CLASSES>,
    compositions: Vec<Composition>,
    /// `cumulated[i]`: weight of all hands of the compositions up to and including the `i`-th.
    cumulated: Vec<u64>,
    suit_of: [u8; 32],
    view: View,
}

impl Sampler {
    /// The world in which the opponent holds `hand`.
    #[inline(always)]
    fn world(&self, hand: u32) -> State {
        let mut state = self.seen;
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

/// The cards not seen, by the first arrival that can have brought them to the opponent; falling, the last at 0. Cards that
/// cannot be in its hand are in none.
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

/// How many hands have this composition.
fn hands(classes: &[Class], composition: &Composition) -> u64 {
    classes
        .iter()
        .zip(composition.counts)
        .map(|(class, count)| bits::binomial(class.cards.count_ones(), u32::from(count)))
        .product()
}

impl game::Sampler<Schwinget> for Sampler {
    fn new(game: &Schwinget, view: &View) -> Self {
        let seen = *view.seen();
        let arrivals = view.bouts().last().expect("a bout has begun");
        let classes = classes(&game.deck, arrivals, seen.pool);
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
            seen,
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
            hands_of(&self.classes, composition)
                .map(move |hand| World { state: self.world(hand), weight: composition.ways })
        })
    }

    fn sample_history_of(&self, game: &Schwinget, world: &State, rng: &mut Rng) -> History<Schwinget> {
        let hand = world.hands[self.opponent];
        let bouts = self.view.bouts();
        let mut log = self.view.log().peekable();
        let mut history = History::new(game);
        for (bout, arrivals) in bouts.iter().enumerate() {
            let held = if bout + 1 == bouts.len() { hand } else { 0 };
            let mut theirs = arrange(arrivals, held, &self.suit_of, rng).into_iter();
            // The hand dealt is known as a set: every order of it is as likely.
            let mut ours: ArrayVec<Card, 13> = log
                .clone()
                .map_while(|seen| match seen {
                    Seen::Dealt(card) => Some(card),
                    _ => None,
                })
                .flatten()
                .collect();
            rng.shuffle(&mut ours);
            let mut ours = ours.into_iter();
            let mut dealing = true;
            while let Some(seen) = log.next_if(|seen| dealing || !matches!(seen, Seen::Dealt(_))) {
                dealing = matches!(seen, Seen::Dealt(_));
                let card = match seen {
                    Seen::Dealt(Some(_)) => ours.next(),
                    Seen::Dealt(None) | Seen::Drawn(None) => theirs.next(),
                    Seen::TurnedUp(card) | Seen::Drawn(Some(card)) => Some(card),
                    Seen::Did(action) => Some(action.0),
                };
                history.push(game, Action(card.expect("as many cards as arrivals")));
            }
        }
        history
    }

    /// Which of the cards the opponent was dealt and which it drew is hidden.
    fn worlds_fix_views(&self) -> bool {
        self.view.bouts().iter().all(|arrivals| arrivals.draws == 0)
    }
}

/// An order in which the opponent's cards of one bout can have come, each with the same probability: the dealt hand first,
/// then the cards drawn. `held` are those still in hand.
///
/// Places are filled from the last to the first. A card that no void binds may lie in any place up to its last one, so that
/// whichever of them is taken, as many are left for each earlier place; only the set of bound cards left must be remembered.
fn arrange(arrivals: &Arrivals, held: u32, suit_of: &[u8; 32], rng: &mut Rng) -> ArrayVec<Card, 13> {
    let played = arrivals.plays.iter().map(|play| (play.card, play.earliest, play.latest));
    let in_hand = bits::members(held).map(|card| (card, arrivals.earliest(suit_of[usize::from(card)]), u8::MAX));
    let (mut free, bound): (Vec<_>, Vec<_>) = played.chain(in_hand).partition(|&(_, earliest, _)| earliest == 0);
    free.sort_unstable_by_key(|&(_, _, latest)| latest);
    let (size, all) = (free.len() + bound.len(), (1_usize << bound.len()) - 1);
    let time = |place: usize| (place + 1).saturating_sub(usize::from(arrivals.dealt)) as u8;
    let barred = |free: &[(Card, u8, u8)], place| free.iter().take_while(|&&(_, _, last)| last < time(place)).count();
    let fits = |card: usize, place| (bound[card].1..=bound[card].2).contains(&time(place));
    // ways[places << bound | left]: orders of the first `places`, with the set `left` of bound cards among them.
    let at = |places: usize, left: usize| places << bound.len() | left;
    let mut ways = vec![0_u64; at(size + 1, 0)];
    ways[0] = 1;
    for place in 0..size {
        let open = free.len() - barred(&free, place);
        for left in 0..=all {
            // Later places took that many: bound cards first, the rest free ones.
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
        let chosen = chosen.expect("the ways add up");
        left ^= 1 << chosen;
        order.push(bound[chosen].0);
    }
    order.reverse();
    order
}

/// All hands of a composition: every choice in the first class with every choice in the others.
fn hands_of<'a>(classes: &'a [Class], composition: &'a Composition) -> impl Iterator<Item = u32> + 'a {
    let choices = |class: usize| bits::subsets(classes[class].cards, u32::from(composition.counts[class]));
    let mut odometer: ArrayVec<(Subsets, u32), MAX_CLASSES> = (0..classes.len())
        .map(|class| {
            let mut subsets = choices(class);
            let first = subsets.next().expect("the class has that many cards");
            (subsets, first)
        })
        .collect();
    let mut done = false;
    iter::from_fn(move || {
        if done {
            return None;
        }
        let hand = odometer.iter().fold(0, |hand, (_, subset)| hand | subset);
        done = true;
        for (class, (subsets, subset)) in odometer.iter_mut().enumerate() {
            if let Some(next) = subsets.next() {
                *subset = next;
                done = false;
                break;
            }
            *subsets = choices(class);
            *subset = subsets.next().expect("the class has that many cards");
        }
        Some(hand)
    })
}
