//! Exact weighted draws in constant time: the alias method (Walker 1977, Vose 1991) in integers.

use crate::rng::Rng;

/// A column, as high as the sum of all weights: one item below the threshold, another from there on.
#[derive(Clone, Copy, Debug)]
struct Column<T> {
    threshold: u64,
    item: T,
    alias: T,
}

/// Items drawn with probabilities proportional to their weights.
#[derive(Clone, Debug)]
pub(super) struct Lottery<T> {
    columns: Vec<Column<T>>,
    height: u64,
}

impl<T: Copy> Lottery<T> {
    /// Creates a lottery over these items and weights. No weight may be 0, and the sum of the weights times their
    /// number must be less than 2^64.
    pub(super) fn new(items: impl Iterator<Item = (T, u64)>) -> Self {
        let mut high: Vec<(T, u64)> = items.collect();
        let mut columns = Vec::with_capacity(high.len());
        let height: u64 = high.iter().map(|&(_, weight)| weight).sum();
        // There are as many columns as items, so an item takes up its weight times that number.
        let count = high.len() as u64;
        high.iter_mut().for_each(|(_, part)| *part *= count);
        // Items that do not fill a column are topped up by items that fill more than one.
        let mut low: Vec<(T, u64)> = high.extract_if(.., |(_, part)| *part < height).collect();
        while let (Some((item, threshold)), Some((alias, part))) = (low.pop(), high.last_mut()) {
            columns.push(Column { threshold, item, alias: *alias });
            *part -= height - threshold;
            if *part < height {
                low.extend(high.pop());
            }
        }
        debug_assert!(low.is_empty() && high.iter().all(|&(_, part)| part == height));
        columns.extend(high.into_iter().map(|(item, _)| Column { threshold: height, item, alias: item }));
        Self { columns, height }
    }

    /// The number of items.
    pub(super) fn len(&self) -> u64 {
        self.columns.len() as u64
    }

    /// Draws an item.
    #[inline(always)]
    pub(super) fn draw(&self, rng: &mut Rng) -> T {
        let column = &self.columns[rng.below(self.columns.len() as u32) as usize];
        if rng.below_wide(self.height) < column.threshold { column.item } else { column.alias }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use super::Lottery;

    proptest! {
        #[test]
        fn every_item_has_exactly_its_weight(weights in vec(1_u64..1000, 1..60)) {
            let lottery = Lottery::new((0..).zip(weights.iter().copied()));
            let mut heights: HashMap<usize, u64> = HashMap::new();
            for column in &lottery.columns {
                *heights.entry(column.item).or_default() += column.threshold;
                *heights.entry(column.alias).or_default() += lottery.height - column.threshold;
            }
            for (item, weight) in weights.iter().enumerate() {
                assert_eq!(heights[&item], weight * weights.len() as u64);
            }
        }
    }
}
