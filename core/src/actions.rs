//! Actions and sets of actions.
//!
//! An [`Action`] is a small number with one fixed meaning per game: a card, not a slot in a hand. Chance outcomes are
//! numbered the same way, in a separate space. A set of actions is a bit set.

use std::fmt;
use std::ops::Range;

use crate::bits;
use crate::rng::Rng;

/// A player's move or a chance outcome: an id below the game's number of actions or of chance outcomes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Action(pub u8);

impl Action {
    /// The action as an index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action {}", self.0)
    }
}

/// The number of actions that vector instructions work on at a time.
pub const LANES: usize = 8;

/// One value per lane. A loop by hand: iterators over arrays compile to far more, in every function that has lanes.
#[inline(always)]
pub fn lanes<T: Copy + Default>(mut value: impl FnMut(usize) -> T) -> [T; LANES] {
    let mut values = [T::default(); LANES];
    let mut lane = 0;
    while lane < LANES {
        values[lane] = value(lane);
        lane += 1;
    }
    values
}

/// A set of actions: `Copy`, without heap memory, iterated in ascending order.
pub trait ActionSet: Copy + Eq + Default + fmt::Debug + Send + Sync + 'static {
    /// Upper bound on ids, exclusive.
    const CAPACITY: usize;

    /// The number of actions in the set.
    fn len(self) -> usize;
    /// True if the action is in the set.
    fn contains(self, action: Action) -> bool;
    /// The set with this action added.
    fn with(self, action: Action) -> Self;
    /// The intersection of both sets.
    fn and(self, other: Self) -> Self;
    /// The actions in this set that are not in the other.
    fn without(self, other: Self) -> Self;
    /// The action with exactly `rank` smaller actions in the set; `rank < len`.
    fn nth(self, rank: usize) -> Action;

    /// The members `64 * index` to `64 * index + 63` as bits, lowest first; `64 * index < CAPACITY`.
    fn word(self, index: usize) -> u64;

    /// For each of these ids below [`CAPACITY`](ActionSet::CAPACITY): 1 if it is in the set, 0 otherwise.
    /// Branch-free.
    fn lanes(self, ids: &[u8; LANES]) -> [u32; LANES];

    /// True if the set is empty.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Draws an action uniformly from a non-empty set.
    #[inline(always)]
    fn pick(self, rng: &mut Rng) -> Action {
        self.nth(rng.below(self.len() as u32) as usize)
    }

    /// Iterates over the actions in ascending order.
    fn iter(self) -> Each<Self> {
        Each { set: self, ranks: 0..self.len() }
    }
}

/// The actions of a set in ascending order. A type of its own instead of adapters compiles to less code.
#[derive(Clone, Debug)]
pub struct Each<A> {
    set: A,
    ranks: Range<usize>,
}

impl<A: ActionSet> Iterator for Each<A> {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        self.ranks.next().map(|rank| self.set.nth(rank))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ranks.size_hint()
    }
}

/// A set as a collection.
macro_rules! collection {
    ($name:ident) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_set().entries(self.iter().map(|a| a.0)).finish()
            }
        }

        impl FromIterator<Action> for $name {
            fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Self {
                actions.into_iter().fold(Self::default(), Self::with)
            }
        }
    };
}

macro_rules! action_bits {
    ($name:ident, $bits:ty, $nth:path, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(pub $bits);

        impl ActionSet for $name {
            const CAPACITY: usize = <$bits>::BITS as usize;

            #[inline(always)]
            fn len(self) -> usize {
                self.0.count_ones() as usize
            }

            #[inline(always)]
            fn contains(self, action: Action) -> bool {
                action.index() < Self::CAPACITY && self.0 >> action.0 & 1 == 1
            }

            #[inline(always)]
            fn with(self, action: Action) -> Self {
                debug_assert!(action.index() < Self::CAPACITY);
                Self(self.0 | 1 << action.0)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }

            #[inline(always)]
            fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }

            #[inline(always)]
            fn nth(self, rank: usize) -> Action {
                debug_assert!(rank < self.len());
                Action($nth(self.0, rank as u32) as u8)
            }

            #[inline(always)]
            fn word(self, index: usize) -> u64 {
                (self.0 >> (64 * index)) as u64
            }

            #[inline(always)]
            fn lanes(self, ids: &[u8; LANES]) -> [u32; LANES] {
                lanes(|i| (self.0.wrapping_shr(u32::from(ids[i])) & 1) as u32)
            }
        }

        collection!($name);
    };
}

action_bits!(Actions64, u64, bits::nth_bit, "A set of action ids below 64, in one word.");
action_bits!(Actions128, u128, bits::nth_bit_wide, "A set of action ids below 128, in two words.");

/// A set of any action ids, in four words: for games that need no speed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Actions256(pub [u64; 4]);

impl Actions256 {
    /// The members of a set.
    pub fn of<S: ActionSet>(set: S) -> Self {
        let mut words = [0; 4];
        for (index, word) in words.iter_mut().enumerate().take(S::CAPACITY / 64) {
            *word = set.word(index);
        }
        Self(words)
    }
}

impl ActionSet for Actions256 {
    const CAPACITY: usize = 256;

    fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn contains(self, action: Action) -> bool {
        self.0[action.index() / 64] >> (action.0 % 64) & 1 == 1
    }

    fn with(mut self, action: Action) -> Self {
        self.0[action.index() / 64] |= 1 << (action.0 % 64);
        self
    }

    fn and(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }

    fn without(self, other: Self) -> Self {
        let [a, b, c, d] = other.0;
        self.and(Self([!a, !b, !c, !d]))
    }

    fn nth(self, rank: usize) -> Action {
        let mut rank = rank as u32;
        for (start, word) in (0..).step_by(64).zip(self.0) {
            match rank.checked_sub(word.count_ones()) {
                Some(left) => rank = left,
                None => return Action(start + bits::nth_bit(word, rank) as u8),
            }
        }
        unreachable!("the rank is below the number of members")
    }

    fn word(self, index: usize) -> u64 {
        self.0[index]
    }

    fn lanes(self, ids: &[u8; LANES]) -> [u32; LANES] {
        lanes(|i| u32::from(self.contains(Action(ids[i]))))
    }
}

collection!(Actions256);

#[cfg(test)]
mod tests {
    use super::{Action, ActionSet, Actions64, Actions128, Actions256};
    use crate::rng::Rng;

    fn behaves_like_a_set<S: ActionSet + FromIterator<Action>>() {
        let last = (S::CAPACITY - 1) as u8;
        let ids = [3, 5, 8, 40, last].map(Action);
        let set: S = ids.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), ids);
        assert!(set.contains(Action(40)) && !set.contains(Action(41)));
        assert_eq!(set.contains(Action(255)), last == 255);
        assert_eq!(set.lanes(&[0, 3, 4, 5, 8, 39, 40, last]), [0, 1, 0, 1, 1, 0, 1, 1]);
        let words: Vec<u64> = (0..S::CAPACITY / 64).map(|index| set.word(index)).collect();
        let bit = |id: usize| words[id / 64] >> (id % 64) & 1 == 1;
        assert!((0..S::CAPACITY).all(|id| bit(id) == set.contains(Action(id as u8))));
        let rest = set.without(S::default().with(Action(5)));
        assert_eq!(rest.len(), 4);
        assert_eq!(set.without(rest).nth(0), Action(5));
        assert_eq!(set.and(rest), rest);
        assert!(S::default().is_empty() && !set.is_empty());
        let mut rng = Rng::stream(1, "test", 0);
        let mut seen = S::default();
        for _ in 0..200 {
            seen = seen.with(set.pick(&mut rng));
        }
        assert_eq!(seen, set);
    }

    #[test]
    fn all_widths_behave_as_sets() {
        behaves_like_a_set::<Actions64>();
        behaves_like_a_set::<Actions128>();
        behaves_like_a_set::<Actions256>();
        let wide = Actions128(1 << 100 | 1 << 3);
        assert_eq!(Actions256::of(wide), [3, 100].map(Action).into_iter().collect());
    }
}
