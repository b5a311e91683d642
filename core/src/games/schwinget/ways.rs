//! The number of ways in which a hand can have come about.
//!
//! A history consistent with a view assigns each card that the opponent has played or holds to one arrival (see
//! [`Arrivals`]). The dealt hand takes `dealt` cards in some order; each draw takes one. Chance gives all these
//! orders the same probability, so the weight of a hand is the number of arrangements: perfect matchings of cards to
//! arrivals in which
//!
//! - a card already played came no later than the draw before its play, and after every earlier void shown in its
//!   suit;
//! - a card still held came after the last void shown in its suit.
//!
//! Hence cards still held differ only in the first arrival open to them. Cards that share it form a *class*, and the
//! weight of a hand depends only on the number of its cards in each class. A single walk over the arrivals, from last
//! to first, counts all such compositions. At each place, a played card takes it if it may, or the place stays open
//! for the hand. Once no earlier place is allowed for a class, its cards choose among the open places.

use arrayvec::ArrayVec;

use super::view::Arrivals;

/// At most one class per suit, and one for cards not bound by a void.
pub(super) const MAX_CLASSES: usize = 5;

/// Cards that the opponent may hold, with the same first possible arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Class {
    /// The cards.
    pub(super) cards: u32,
    /// The first arrival that can have brought them.
    pub(super) earliest: u8,
}

/// The number of cards of a hand in each class, and the number of ways to get it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Composition {
    /// The number of cards in each class.
    pub(super) counts: [u8; MAX_CLASSES],
    /// The number of ways in which each single hand of this composition can have come about.
    pub(super) ways: u64,
}

/// All compositions of the opponent's hand that have at least one way. `classes` must be sorted by descending
/// `earliest`, and the last one must have 0.
pub(super) fn compositions(arrivals: &Arrivals, classes: &[Class]) -> Vec<Composition> {
    debug_assert!(classes.windows(2).all(|pair| pair[0].earliest > pair[1].earliest));
    debug_assert!(classes.last().is_some_and(|class| class.earliest == 0));
    let late = arrivals.plays.iter().filter(|play| play.earliest > 0);
    let mut walk = Walk {
        arrivals,
        classes,
        late: late.map(|play| (play.earliest, play.latest)).collect(),
        free: arrivals.plays.iter().filter(|play| play.earliest == 0).map(|play| play.latest).collect(),
        found: Vec::new(),
    };
    let mut start = vec![0; (walk.free.len() + 1) << walk.late.len()];
    start[0] = 1;
    let mut counts = [0; MAX_CLASSES];
    walk.descend(start, arrivals.draws, 0, 0, 0, &mut counts);
    walk.found
}

struct Walk<'a> {
    arrivals: &'a Arrivals,
    classes: &'a [Class],
    /// (earliest, latest) of the played cards that a void bounds from below.
    late: ArrayVec<(u8, u8), 13>,
    /// The latest arrivals of the other played cards.
    free: ArrayVec<u8, 13>,
    found: Vec<Composition>,
}

impl Walk<'_> {
    /// Walks down from arrival `time`. `table[used << late | set]` is the number of ways in which `used` of the free
    /// cards and the `set` of the late ones fill places among the `places` passed. `taken` of the other places
    /// already went to the first `class` classes.
    fn descend(
        &mut self,
        mut table: Vec<u64>,
        mut time: u8,
        mut places: u8,
        class: usize,
        taken: u8,
        counts: &mut [u8; MAX_CLASSES],
    ) {
        let due = self.classes[class].earliest;
        loop {
            let here = if time == 0 { self.arrivals.dealt } else { 1 };
            for _ in 0..here {
                table = self.fill_place(&table, time);
            }
            places += here;
            if time == due {
                break;
            }
            time -= 1;
        }
        let held = self.arrivals.held();
        let last = class + 1 == self.classes.len();
        let most = (held - taken).min(self.classes[class].cards.count_ones() as u8);
        let least = if last { held - taken } else { 0 };
        for count in least..=most {
            counts[class] = count;
            let chosen = self.choose(&table, places - taken, count);
            if last {
                let ways = chosen[chosen.len() - 1];
                if ways > 0 {
                    self.found.push(Composition { counts: *counts, ways });
                }
            } else if chosen.iter().any(|&ways| ways > 0) {
                self.descend(chosen, time - 1, places, class + 1, taken + count, counts);
            }
        }
        counts[class] = 0;
    }

    /// Adds one place at `time`: it stays open, or a played card takes it.
    fn fill_place(&self, table: &[u64], time: u8) -> Vec<u64> {
        let late = self.late.len();
        let allowed = self.free.iter().filter(|&&latest| latest >= time).count();
        let mut next = table.to_vec();
        for (index, &ways) in table.iter().enumerate().filter(|&(_, &ways)| ways > 0) {
            let used = index >> late;
            if used < allowed {
                next[index + (1 << late)] += ways * (allowed - used) as u64;
            }
            for (card, &(earliest, latest)) in self.late.iter().enumerate() {
                if index >> card & 1 == 0 && (earliest..=latest).contains(&time) {
                    next[index | 1 << card] += ways;
                }
            }
        }
        next
    }

    /// Lets `count` cards of a class choose among the open places. Of these, `untaken` minus the places of played
    /// cards are left.
    fn choose(&self, table: &[u64], untaken: u8, count: u8) -> Vec<u64> {
        let late = self.late.len();
        let set = (1 << late) - 1;
        table
            .iter()
            .enumerate()
            .map(|(index, &ways)| {
                let played = (index >> late) as u64 + u64::from((index & set).count_ones());
                (0..u64::from(count)).fold(ways, |product, i| product * u64::from(untaken).saturating_sub(played + i))
            })
            .collect()
    }
}
