//! Lists made and sorted by plain loops, which compile to little.

/// For lists that are made once in a while. [`Iterator::collect`] reserves their memory at once, but is compiled into many
/// functions for each kind of iterator, and this loop into one.
pub trait Listing: Iterator + Sized {
    /// The items as a list.
    fn list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> Listing for I {}

/// Sorts a few items, given whether one comes before another. Equal ones keep their order. The sorts of the standard
/// library compile to thousands of lines for each order.
pub fn sort_few<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut place = end;
        while place > 0 && is_before(&items[place], &items[place - 1]) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sort_few;

    proptest! {
        #[test]
        fn equal_items_keep_their_order(keys in prop::collection::vec(0_u8..4, 0..12)) {
            let mut few: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = few.clone();
            sort_few(&mut few, |one, other| one.0 < other.0);
            expected.sort();
            prop_assert_eq!(few, expected);
        }
    }
}
