//! Sorting that compiles to little: the sort of the standard library is a thousand instructions for each type of item.

use std::cmp::Ordering;

/// Sorts a few items, in quadratic time. Equal items keep their order.
#[inline]
pub(crate) fn sort_few<T: Copy>(items: &mut [T], is_before: impl Fn(T, T) -> bool) {
    for end in 1..items.len() {
        let (item, mut place) = (items[end], end);
        while place > 0 && is_before(item, items[place - 1]) {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

/// The numbers below `count` in this order. Equal ones ascend.
pub(crate) fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| compare(one, other));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{sort_few, sorted};

    proptest! {
        #[test]
        fn both_sort_and_keep_the_order_of_equals(keys in prop::collection::vec(0_u8..4, 0..12)) {
            let mut expected: Vec<(u8, usize)> = keys.iter().copied().zip(0..).collect();
            let mut few = expected.clone();
            sort_few(&mut few, |one, other| one.0 < other.0);
            expected.sort();
            prop_assert_eq!(&few, &expected);
            let order = sorted(keys.len(), &mut |one, other| keys[one].cmp(&keys[other]));
            prop_assert_eq!(order, expected.iter().map(|&(_, place)| place).collect::<Vec<_>>());
        }
    }
}
