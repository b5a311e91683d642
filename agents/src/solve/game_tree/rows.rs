//! Arrays with a number for each action of every information set, cut into tasks.

use std::ops::Range;

/// The smallest number of entries per task, if rows of sets are cut into tasks.
const ROWS: usize = 1 << 13;

/// The sets of one task, with the matching parts of arrays that hold a number for each action of a set.
pub(crate) struct RowTask<'a> {
    /// The sets.
    pub(crate) sets: Range<u32>,
    /// The start of each set's numbers in the whole arrays.
    starts: &'a [u32],
    /// The numbers of these sets, one part per array.
    parts: Vec<&'a mut [f64]>,
}

impl RowTask<'_> {
    /// The numbers of one set, in each array.
    #[inline]
    pub(crate) fn rows<const N: usize>(&mut self, set: u32) -> [&mut [f64]; N] {
        let start = self.starts[self.sets.start as usize];
        let [from, to] = [set, set + 1].map(|set| (self.starts[set as usize] - start) as usize);
        let mut parts = self.parts.iter_mut().map(|part| &mut part[from..to]);
        std::array::from_fn(|_| parts.next().expect("as many arrays as requested"))
    }
}

/// Cuts a range of sets, and the arrays with a number for each of their actions, into tasks.
pub(crate) fn row_tasks<'a>(starts: &'a [u32], sets: Range<u32>, mut parts: Vec<&'a mut [f64]>) -> Vec<RowTask<'a>> {
    let mut tasks = Vec::new();
    let mut from = sets.start;
    while from < sets.end {
        let start = starts[from as usize] as usize;
        let ends = &starts[from as usize + 1..=sets.end as usize];
        let count = (ends.partition_point(|&end| (end as usize) < start + ROWS) + 1).min(ends.len());
        let length = ends[count - 1] as usize - start;
        let (now, later) = parts.into_iter().map(|part| part.split_at_mut(length)).unzip();
        parts = later;
        tasks.push(RowTask { sets: from..from + count as u32, starts, parts: now });
        from += count as u32;
    }
    tasks
}
