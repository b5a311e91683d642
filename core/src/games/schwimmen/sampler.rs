//! Exact sampling of the states consistent with a view.
//!
//! Hidden cards lie in several places: the cards a seat has held since the deal, or the face-down table. A world
//! fills each place with as many unseen cards as are hidden there. Chance deals all such worlds with the same
//! probability and draws from the pile alike in all of them, and players hide no choices. So all worlds have the same
//! weight, except those that cannot have happened. Whenever a hand was checked, the deal went on. Hence the hidden
//! cards, with the cards that the hand held besides at that time, made neither thirty-one nor a blitz
//! ([`Hidden::beside`](super::view::Hidden)).
//!
//! Samples are drawn by rejection. Places with one hidden card draw it from the cards allowed to them; the other
//! places draw from the rest of the unseen cards without regard to their checks. A draw is rejected if a card lies in
//! two places or a hand would have ended the deal. Most draws are accepted; the tests bound the acceptance rate.

use std::iter;
use std::sync::OnceLock;

use arrayvec::ArrayVec;
use smallvec::SmallVec;

use crate::actions::Action;
use crate::bits;
use crate::game::history::History;
use crate::game::{self, World};
use crate::list::sort_few;
use crate::rng::Rng;

use super::cards::{self, Card};
use super::state::{PLAYERS, Phase, State};
use super::view::{SeenEvent, View};
use super::{Schwimmen, THREE};

/// The index of the face-down table; lower indices are hands.
const TABLE: u8 = PLAYERS as u8;

/// A place with hidden cards.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// A seat, or [`TABLE`].
    index: u8,
    /// The number of hidden cards.
    size: u8,
    /// The other cards of the hand at each check.
    beside: SmallVec<[u32; 3]>,
}

impl Place {
    /// True if these hidden cards would not have ended the deal.
    #[inline(always)]
    fn allows(&self, cards: u32) -> bool {
        self.beside.iter().all(|&beside| !cards::ends(cards | beside))
    }
}

/// Draws all hidden cards given everything the seat has seen. See the `sampler` module.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Places with one hidden card, with the cards allowed to each.
    ones: ArrayVec<(Place, u32), PLAYERS>,
    /// Places with several hidden cards. Places with equal checks are adjacent.
    many: ArrayVec<Place, PLAYERS>,
    count: OnceLock<u64>,
    view: View,
}

/// The cards in each place.
type Filling = [u32; PLAYERS + 1];

impl Sampler {
    /// Puts these hidden cards in their place.
    #[inline(always)]
    fn put(state: &mut State, place: u8, cards: u32) {
        state.pool ^= cards;
        match state.hands.get_mut(usize::from(place)) {
            Some(hand) => *hand |= cards,
            None => state.table |= cards,
        }
    }

    /// Makes one draw; `None` if it is rejected.
    #[inline(always)]
    fn try_draw(&self, rng: &mut Rng) -> Option<State> {
        let mut state = self.view.seen;
        let mut rest = self.view.unseen;
        for (place, allowed) in &self.ones {
            let card = 1 << bits::random_bit(*allowed, rng);
            if rest & card == 0 {
                return None;
            }
            rest ^= card;
            Self::put(&mut state, place.index, card);
        }
        for place in &self.many {
            let cards = bits::random_subset(rest, u32::from(place.size), rng);
            if !place.allows(cards) {
                return None;
            }
            rest ^= cards;
            Self::put(&mut state, place.index, cards);
        }
        Some(state)
    }

    /// The share of accepted draws.
    #[cfg(test)]
    fn acceptance(&self) -> f64 {
        let ones: u64 = self.ones.iter().map(|(_, allowed)| u64::from(allowed.count_ones())).product();
        let rest = self.view.unseen.count_ones() - self.ones.len() as u32;
        let sizes: Vec<u8> = self.many.iter().map(|place| place.size).collect();
        game::Sampler::count(self) as f64 / (ones * fillings(rest, &sizes)) as f64
    }

    /// All places; those with one hidden card come first.
    fn places(&self) -> ArrayVec<&Place, { PLAYERS + 1 }> {
        let mut places = ArrayVec::new();
        self.ones.iter().for_each(|(place, _)| places.push(place));
        self.many.iter().for_each(|place| places.push(place));
        places
    }

    /// Counts the worlds by inclusion and exclusion of the fillings that would have ended the deal, which are few.
    fn count_worlds(&self) -> u64 {
        let places = self.places();
        // Places with equal sizes and checks have the same bad fillings.
        let mut groups: Vec<Group> = Vec::new();
        for place in places {
            match groups.last_mut() {
                Some(group) if group.size == place.size && group.beside == place.beside => group.places += 1,
                _ => groups.push(Group {
                    size: place.size,
                    places: 1,
                    beside: place.beside.clone(),
                    bad: bits::subsets(self.view.unseen, u32::from(place.size)).filter(|&c| !place.allows(c)).collect(),
                }),
            }
        }
        let sum = signed_sum(&groups, self.view.unseen, &mut Vec::new());
        u64::try_from(sum).expect("the number of worlds fits")
    }

    /// The dealt cards of the current deal in this world.
    fn dealt(&self, state: &State) -> super::view::Dealt {
        let mut dealt = *self.view.deals.last().expect("a deal has begun");
        for place in self.places() {
            match state.hands.get(usize::from(place.index)) {
                Some(hand) => {
                    let hidden = hand & !self.view.seen.hands[usize::from(place.index)];
                    *dealt.source(usize::from(place.index), self.view.seen.dealer) |= hidden;
                }
                None => dealt.table |= state.table,
            }
        }
        dealt
    }
}

/// Places with equal sizes and checks.
struct Group {
    size: u8,
    places: u32,
    beside: SmallVec<[u32; 3]>,
    /// Fillings that would have ended the deal.
    bad: Vec<u32>,
}

/// The number of ways in which `cards` cards can fill places of these sizes.
fn fillings(cards: u32, sizes: &[u8]) -> u64 {
    let fill = |(ways, left): (u64, u32), &size: &u8| {
        let size = u32::from(size);
        (ways * bits::binomial(left, size), left.saturating_sub(size))
    };
    sizes.iter().fold((1, cards), fill).0
}

/// The sum of signed counts over all choices of places with bad cards, with one minus sign per such place. The other
/// places, whose sizes are in `free`, hold any of the rest of the cards.
fn signed_sum(groups: &[Group], rest: u32, free: &mut Vec<u8>) -> i128 {
    let Some((group, later)) = groups.split_first() else {
        return i128::from(fillings(rest.count_ones(), free));
    };
    choose_bad(group, 0, 0, rest, later, free)
}

/// The same as [`signed_sum`], with `chosen` places of the first group already bad. Further bad cards come from index
/// `from` on, so that each set of them is visited once and stands for all its orders.
fn choose_bad(group: &Group, chosen: u32, from: usize, rest: u32, later: &[Group], free: &mut Vec<u8>) -> i128 {
    let left = group.places - chosen;
    let length = free.len();
    free.extend(iter::repeat_n(group.size, left as usize));
    let mut sum = signed_sum(later, rest, free);
    free.truncate(length);
    if left > 0 {
        for (index, &bad) in group.bad.iter().enumerate().skip(from) {
            if bad & !rest == 0 {
                // One of the remaining places takes these cards.
                sum -= i128::from(left) * choose_bad(group, chosen + 1, index + 1, rest ^ bad, later, free);
            }
        }
    }
    sum
}

impl game::Sampler<Schwimmen> for Sampler {
    fn new(_game: &Schwimmen, view: &View) -> Self {
        let mut places: ArrayVec<Place, { PLAYERS + 1 }> = ArrayVec::new();
        for (index, hidden) in (0..).zip(&view.hidden) {
            if hidden.size > 0 {
                places.push(Place { index, size: hidden.size, beside: hidden.beside.clone() });
            }
        }
        if view.face_down > 0 {
            places.push(Place { index: TABLE, size: view.face_down, beside: SmallVec::new() });
        }
        sort_few(&mut places, |a, b| (a.size, &a.beside) < (b.size, &b.beside));
        let (mut ones, mut many) = (ArrayVec::new(), ArrayVec::new());
        for place in places {
            if place.size > 1 {
                many.push(place);
                continue;
            }
            let mut allowed = 0;
            for card in bits::members(view.unseen) {
                allowed |= u32::from(place.allows(1 << card)) << card;
            }
            ones.push((place, allowed));
        }
        Self { ones, many, count: OnceLock::new(), view: view.clone() }
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> State {
        loop {
            if let Some(state) = self.try_draw(rng) {
                return state;
            }
        }
    }

    fn count(&self) -> u128 {
        (*self.count.get_or_init(|| self.count_worlds())).into()
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        let places = self.places();
        fill(places.clone(), self.view.unseen).map(move |filling| {
            let mut state = self.view.seen;
            for place in &places {
                Self::put(&mut state, place.index, filling[usize::from(place.index)]);
            }
            World { state, weight: 1 }
        })
    }

    fn sample_history_of(&self, game: &Schwimmen, world: &State, rng: &mut Rng) -> History<Schwimmen> {
        let deals = &self.view.deals;
        let mut history = History::new(game);
        for (index, (&known, log)) in deals.iter().zip(self.view.logs()).enumerate() {
            let dealt = if index + 1 == deals.len() { self.dealt(world) } else { known };
            // Cards that came at the same time are known as a set: all their orders are equally likely.
            let mut hands = dealt.hands.map(|hand| shuffled(hand, rng));
            let mut table = shuffled(dealt.table, rng);
            let mut log = log.peekable();
            while let Some(seen) = log.next() {
                let state = history.state();
                match seen {
                    SeenEvent::Dealt(_) => {
                        let card =
                            hands[usize::from(state.mover)].pop().expect("the hand has as many cards as were dealt");
                        history.push(game, Action(card));
                    }
                    SeenEvent::Table(Some(card)) if state.phase == Phase::Refresh => {
                        let mut cards: ArrayVec<Card, { THREE as usize }> = ArrayVec::from_iter([card]);
                        while let Some(SeenEvent::Table(Some(card))) =
                            log.next_if(|seen| matches!(seen, SeenEvent::Table(_)))
                        {
                            cards.push(card);
                        }
                        rng.shuffle(&mut cards);
                        cards.into_iter().for_each(|card| history.push(game, Action(card)));
                    }
                    SeenEvent::Table(_) => {
                        let card = table.pop().expect("the table has as many cards as were dealt");
                        history.push(game, Action(card));
                    }
                    SeenEvent::Did(action) => history.push(game, action),
                    SeenEvent::Cut(card) => history.push(game, Action(card)),
                    SeenEvent::Turned(_) | SeenEvent::Shown(_) => {}
                }
            }
        }
        history
    }

    fn worlds_fix_views(&self) -> bool {
        true
    }
}

/// The cards in a random order.
fn shuffled(cards: u32, rng: &mut Rng) -> ArrayVec<Card, { THREE as usize }> {
    let mut order = ArrayVec::new();
    bits::members(cards).for_each(|card| order.push(card));
    rng.shuffle(&mut order);
    order
}

/// Iterates over all ways to fill the places.
fn fill(places: ArrayVec<&Place, { PLAYERS + 1 }>, unseen: u32) -> impl Iterator<Item = Filling> {
    let choices = |place: &Place, rest: u32| bits::subsets(rest, u32::from(place.size));
    // For each place reached, the choices still to try and the cards left for it and later places.
    let mut open: Vec<_> = places.first().map(|place| (choices(place, unseen), unseen)).into_iter().collect();
    let mut filling = [0; PLAYERS + 1];
    let mut only = places.is_empty().then_some(filling);
    iter::from_fn(move || {
        loop {
            let depth = open.len();
            let Some((subsets, rest)) = open.last_mut() else {
                return only.take();
            };
            let place = places[depth - 1];
            let Some(cards) = subsets.find(|&cards| place.allows(cards)) else {
                open.pop();
                continue;
            };
            filling[usize::from(place.index)] = cards;
            let left = *rest ^ cards;
            match places.get(depth) {
                Some(next) => open.push((choices(next, left), left)),
                None => return Some(filling),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::FromRules as _;
    use crate::actions::ActionSet as _;
    use crate::game::Game as _;
    use crate::game::hints::Hints as _;
    use crate::game::history::History;
    use crate::games::schwimmen::{Rules, Schwimmen};
    use crate::options::Options as _;
    use crate::rng::Rng;
    use crate::seats::Seat;

    /// The mean and the minimum of the share of accepted draws, over all decisions of some games.
    fn kept(rules: &str, hints: bool) -> (f64, f64) {
        let game = Schwimmen::new(Rules::from_text(rules).unwrap()).unwrap();
        let mut shares = Vec::new();
        for index in 0..60 {
            let mut rng = Rng::stream(12, rules, index);
            let mut history = History::dealt(&game, &mut rng);
            while game.turn(history.state()).seat().is_some() {
                for seat in Seat::all(game.num_seats()) {
                    shares.push(game.sampler(&game.view(&history, seat)).acceptance());
                }
                let legal = game.legal(history.state());
                let actions = if hints { game.rollout(history.state(), legal) } else { legal };
                history.push(&game, actions.pick(&mut rng));
                history.settle(&game, &mut rng);
            }
        }
        (shares.iter().sum::<f64>() / shares.len() as f64, shares.iter().copied().fold(1.0, f64::min))
    }

    #[test]
    fn most_draws_are_accepted() {
        for players in 2..=5 {
            for hints in [false, true] {
                let (mean, lowest) = kept(&format!("players={players}"), hints);
                println!("{players} players, hints {hints}: {mean:.3}, at least {lowest:.3}");
                assert!(mean > 0.85 && lowest > 0.3, "{players} players, hints {hints}: {mean}, {lowest}");
            }
        }
        // The smallest decks, in which thirty-one is common.
        for rules in ["players=2,ranks=3", "players=3,suits=3,ranks=5", "players=5,ranks=6"] {
            let (mean, lowest) = kept(rules, false);
            println!("{rules}: {mean:.3}, at least {lowest:.3}");
            assert!(mean > 0.5 && lowest > 0.05, "{rules}: {mean}, {lowest}");
        }
    }
}
