//! Numbers that stand for the knowledge of a seat.

use std::hash::{Hash, Hasher};

use crate::game::history::{Event, History};
use crate::game::{Game, Turn};
use crate::seats::Seat;

/// Adds a value to a key. Two different sequences of values get the same key only by accident, with a probability of
/// about 2^-64.
#[inline(always)]
pub const fn mix(key: u64, value: u64) -> u64 {
    let spread = key.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let product = (spread ^ spread >> 32 ^ value).wrapping_mul(0xd6e8_feb8_6659_fd93);
    product ^ product >> 32
}

/// A number for an observation from a key: apart from those of actions, [`UNNOTICED`] and [`HIDDEN`].
#[inline(always)]
pub const fn noticed(key: u64) -> u64 {
    key >> 1 | 1 << 62
}

/// The value of [`Game::observed`] where the observer does not notice an action.
pub const UNNOTICED: u64 = u64::MAX - 1;

/// [`Game::observed`] of an action that the observer notices without seeing which it is.
pub const HIDDEN: u64 = u64::MAX;

/// Separates sights from observations of actions.
const SIGHT: u64 = 0x082e_fa98_ec4e_6c89;

/// The key of everything that a seat has learned, in order. Events that the seat does not notice leave no trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chain {
    key: u64,
    /// The last sight.
    sight: u64,
}

impl Chain {
    /// A chain that begins with a number.
    pub const fn new(start: u64) -> Self {
        Self { key: start, sight: 0 }
    }

    /// The key so far.
    #[inline(always)]
    pub const fn key(self) -> u64 {
        self.key
    }

    /// Adds the sight of the seat at a decision of any seat, if it has changed.
    #[inline(always)]
    pub const fn look(&mut self, sight: u64) {
        if sight != self.sight {
            self.sight = sight;
            self.key = mix(self.key ^ SIGHT, sight);
        }
    }

    /// Adds the observation of an action, if the seat notices it.
    #[inline(always)]
    pub const fn notice(&mut self, observed: u64) {
        if observed != UNNOTICED {
            self.key = mix(self.key, observed);
        }
    }
}

/// One thing that a seat learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learned {
    /// The number that it [observed](Game::observed) of an action.
    Action(u64),
    /// The number that it [saw](Game::sight) at a decision, its own or another's, where it had not seen the same
    /// before.
    Sight(u64),
}

/// Everything that a seat learned at decisions, in order, in the form of search keys.
#[derive(Clone, Debug)]
pub struct Past {
    seat: Seat,
    learned: Vec<Learned>,
    sight: u64,
}

/// The rest of a view determines its past, so of the past only the seat is compared and hashed.
impl PartialEq for Past {
    fn eq(&self, other: &Self) -> bool {
        self.seat == other.seat
    }
}

impl Eq for Past {}

impl Hash for Past {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.seat.hash(state);
    }
}

impl Past {
    /// Everything that a seat has learned in a game. Calls `visit` with each event and the state in which it happened.
    #[inline]
    pub fn replay<G: Game>(
        game: &G,
        history: &History<G>,
        seat: Seat,
        mut visit: impl FnMut(&G::State, Event),
    ) -> Self {
        let (mut past, mut state) = (Self::with_capacity(seat, history.events().len()), game.root());
        for &event in history.events() {
            past.note(game, &state, event);
            visit(&state, event);
            game.apply(&mut state, event.action);
        }
        past.now(game, &state);
        past
    }

    /// Makes an empty past with room for a game of this many events.
    pub(crate) fn with_capacity(seat: Seat, events: usize) -> Self {
        Self { seat, learned: Vec::with_capacity(events), sight: 0 }
    }

    /// Notes an event before it happens in this state.
    #[inline(always)]
    pub(crate) fn note<G: Game>(&mut self, game: &G, before: &G::State, event: Event) {
        if event.turn != Turn::Chance {
            self.see(game.sight(before, self.seat));
            let observed = game.observed(before, event.action, self.seat);
            if observed != UNNOTICED {
                self.learned.push(Learned::Action(observed));
            }
        }
    }

    /// Notes the present sight.
    #[inline]
    pub(crate) fn now<G: Game>(&mut self, game: &G, state: &G::State) {
        self.see(game.sight(state, self.seat));
    }

    /// The past of a seat that has seen the present state only.
    pub fn only_now(&self) -> Self {
        let mut now = Self::with_capacity(self.seat, 1);
        now.see(self.sight);
        now
    }

    #[inline]
    fn see(&mut self, sight: u64) {
        if sight != self.sight {
            self.sight = sight;
            self.learned.push(Learned::Sight(sight));
        }
    }

    /// The seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Everything in order, including the present sight.
    pub fn learned(&self) -> &[Learned] {
        &self.learned
    }

    /// The chain of everything in order after this start, with or without sights.
    pub fn chain(&self, mut chain: Chain, has_sights: bool) -> Chain {
        for learned in &self.learned {
            match *learned {
                Learned::Action(observed) => chain.notice(observed),
                Learned::Sight(sight) if has_sights => chain.look(sight),
                Learned::Sight(_) => {}
            }
        }
        chain
    }

    /// The present [sight](Game::sight) of the seat.
    pub fn sight(&self) -> u64 {
        self.sight
    }

    /// Tells whether this is the same game as `earlier`, later on or at the same decision.
    pub fn continues(&self, earlier: &Self) -> bool {
        self.learned.starts_with(&earlier.learned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::mix;

    #[test]
    fn short_sequences_have_distinct_keys() {
        assert_ne!(mix(5, 2), mix(4, 3));
        let mut keys = HashSet::from([0]);
        let mut ends = vec![0];
        for _ in 0..3 {
            ends = ends.iter().flat_map(|&key| (0..60).map(move |value| mix(key, value))).collect();
            for &key in &ends {
                assert!(keys.insert(key), "two sequences have the key {key}");
            }
        }
        // Tables are indexed with the low bits alone, so these must be spread evenly.
        let low: HashSet<u64> = ends.iter().map(|key| key & 0xf_ffff).collect();
        let expected = 1_048_576.0 * (1.0 - (-216_000.0_f64 / 1_048_576.0).exp());
        assert!((low.len() as f64 - expected).abs() < 0.01 * expected, "{} of {expected}", low.len());
    }
}
