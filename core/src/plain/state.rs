//! States whose type is not known, kept in place.

use std::any::TypeId;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::mem::MaybeUninit;

/// The number of words in a state, besides the one that says which type it has.
const WORDS: usize = 7;

/// A state of any plain game: a value of any `Copy` type of at most 56 bytes, without heap memory. 64 bytes in all.
#[derive(Clone, Copy)]
pub struct PlainState {
    words: [MaybeUninit<u64>; WORDS],
    /// The type of the value in `words`.
    kind: &'static Kind,
}

/// A type of states.
struct Kind {
    id: fn() -> TypeId,
    eq: fn(&PlainState, &PlainState) -> bool,
    hash: fn(&PlainState, &mut dyn Hasher),
    debug: fn(&PlainState, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The requirements on the type of a state.
pub trait StateType: Copy + Eq + Hash + Debug + Send + Sync + 'static {}
impl<S: Copy + Eq + Hash + Debug + Send + Sync + 'static> StateType for S {}

impl PlainState {
    /// Wraps a state. A type that is too large does not compile.
    pub fn new<S: StateType>(state: S) -> Self {
        const {
            assert!(
                size_of::<S>() <= size_of::<[u64; WORDS]>(),
                "the state of a plain game must have at most 56 bytes"
            );
            assert!(align_of::<S>() <= align_of::<u64>(), "the state of a plain game must be aligned like a word");
        }
        let kind = const {
            &Kind {
                id: TypeId::of::<S>,
                eq: |one, other| one.get::<S>() == other.get::<S>(),
                hash: |own, mut hasher| own.get::<S>().hash(&mut hasher),
                debug: |own, f| own.get::<S>().fmt(f),
            }
        };
        let mut own = Self { words: [MaybeUninit::uninit(); WORDS], kind };
        // SAFETY: the words are large enough for an `S` and aligned for it, and nothing else refers to them.
        #[allow(unsafe_code)]
        unsafe {
            own.words.as_mut_ptr().cast::<S>().write(state);
        }
        own
    }

    /// The state, which must have this type.
    #[inline]
    pub fn get<S: StateType>(&self) -> &S {
        self.check::<S>();
        // SAFETY: the words hold a valid `S`, as `kind` says; only `new` and `get_mut` write them.
        #[allow(unsafe_code)]
        unsafe {
            &*self.words.as_ptr().cast::<S>()
        }
    }

    /// The state, to be changed; it must have this type.
    #[inline]
    pub fn get_mut<S: StateType>(&mut self) -> &mut S {
        self.check::<S>();
        // SAFETY: as in `get`, and the reference is the only one.
        #[allow(unsafe_code)]
        unsafe {
            &mut *self.words.as_mut_ptr().cast::<S>()
        }
    }

    #[inline]
    fn check<S: StateType>(&self) {
        assert!((self.kind.id)() == TypeId::of::<S>(), "the state belongs to another game");
    }
}

impl PartialEq for PlainState {
    fn eq(&self, other: &Self) -> bool {
        (self.kind.id)() == (other.kind.id)() && (self.kind.eq)(self, other)
    }
}

impl Eq for PlainState {}

impl Hash for PlainState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.kind.hash)(self, hasher);
    }
}

impl Debug for PlainState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.kind.debug)(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::PlainState;

    #[test]
    fn values_of_any_type_come_back() {
        assert_eq!(size_of::<PlainState>(), 64);
        let mut number = PlainState::new((3_u8, Some(-1_i64)));
        assert_eq!(*number.get::<(u8, Option<i64>)>(), (3, Some(-1)));
        number.get_mut::<(u8, Option<i64>)>().1 = None;
        assert_eq!(number, PlainState::new((3_u8, None::<i64>)));
        assert_eq!(format!("{number:?}"), "(3, None)");
        let full = [7_u64; 7];
        assert_eq!(*PlainState::new(full).get::<[u64; 7]>(), full);
    }

    #[test]
    fn values_of_different_types_differ() {
        let states = [PlainState::new(1_u8), PlainState::new(2_u8), PlainState::new(1_u16), PlainState::new(1_u8)];
        assert_ne!(states[0], states[2]);
        assert_eq!(HashSet::from(states).len(), 3);
    }

    #[test]
    #[should_panic(expected = "another game")]
    fn another_type_is_refused() {
        PlainState::new(1_u8).get::<u16>();
    }
}
