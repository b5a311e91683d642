//! Sorting that compiles to little: the sort of the standard library is a thousand instructions for each type of item.

use std::cmp::Ordering;

use stier_core::list::Listing as _;

/// The numbers below `count` in this order. Equal ones ascend.
pub(crate) fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).list();
    order.sort_by(|&one, &other| compare(one, other));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sorted;

    proptest! {
        #[test]
        fn equal_items_keep_their_order(keys in prop::collection::vec(0_u8..4, 0..12)) {
            let mut expected: Vec<(u8, usize)> = keys.iter().copied().zip(0..).collect();
            expected.sort();
            let order = sorted(keys.len(), &mut |one, other| keys[one].cmp(&keys[other]));
            prop_assert_eq!(order, expected.iter().map(|&(_, place)| place).collect::<Vec<_>>());
        }
    }
}
