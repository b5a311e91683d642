//! In how many ways can a hand have come about?
//!
//! A history consistent with a view puts each card that the opponent has played or holds into one arrival (see
//! [`Arrivals`]): the dealt hand takes `dealt` cards in some order, each draw takes one. Chance gives all these orders the
//! same probability, so a hand weighs as much as there are arrangements: perfect matchings of cards to arrivals in which
//!
//! - a card played came no later than the draw before its play, and after every void shown in its suit before the play;
//! - a card still held came after the last void shown in its suit.
//!
//! A card still held can therefore only be told apart by the first arrival open to it. Cards that share it form a *class*,
//! and the weight of a hand depends on nothing but how many cards it has of each class. The counts of all such compositions
//! come from one walk over the arrivals, last to first: a place goes to a card played that may lie there, or is left open
//! for the hand; as soon as no earlier place is allowed to a class, its cards choose among the open places.

use arrayvec::ArrayVec;

use super::view::Arrivals;

/// At most one class per suit, and one for the cards that no void binds.
pub(super) const MAX_CLASSES: usize = 5;

/// Cards that the opponent may hold, alike in when they can have come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Class {
    /// The cards.
    pub(super) cards: u32,
    /// The first arrival that can have brought them.
    pub(super) earliest: u8,
}

/// How many cards a hand has of each class, and how often that can have happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Composition {
    /// Cards of each class.
    pub(super) counts: [u8; MAX_CLASSES],
    /// The ways in which each single hand of this composition can have come about.
    pub(super) ways: u64,
}

/// All compositions of the opponent's hand that have at least one way. `classes` are sorted by falling `earliest`, the last
/// one has 0.
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
    /// (earliest, latest) of the cards played that a void binds from below.
    late: ArrayVec<(u8, u8), 13>,
    /// Latest arrival of the other cards played.
    free: ArrayVec<u8, 13>,
    found: Vec<Composition>,
}

impl Walk<'_> {
    /// Walks from arrival `time` down. `table[used << late | set]`: ways in which `used` of the free cards and the `set` of the
    /// late ones fill places among the `places` passed; `taken` of the rest already went to the first `class` classes.
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

    /// One more place at `time`: it stays open, or a card played takes it.
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

    /// `count` cards of a class choose among the open places, of which `untaken` less those of cards played are left.
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
