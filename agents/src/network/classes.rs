//! The sorting of exchangeable classes, such as suits, before a network.
//!
//! A network that was trained on sorted positions sees all positions that differ by an exchange of classes as one. Its
//! file lists the places of each class among inputs and actions ([`Symmetry`](stier_core::Symmetry)). The class with
//! the first one where another has a zero comes first; of equal classes the first.

use arrayvec::ArrayVec;
use stier_core::list::sort_few;

/// The largest number of classes.
pub(super) const MAX_CLASSES: usize = 16;
/// The largest number of places in a [`Run`]: fewer than a word has, so that it reaches into two words at most.
const MAX_RUN: u32 = 32;

/// The places of each class among the inputs and the actions of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Classes {
    /// The places among the inputs, in the order of the lists.
    runs: Vec<Run>,
    actions: Vec<Vec<u32>>,
}

/// Places that descend one by one in the lists of all classes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Run {
    /// The lowest place of each class.
    starts: Vec<u32>,
    /// The number of places of each class.
    len: u32,
}

/// The classes of a position, sorted.
pub(super) type Order = ArrayVec<u8, MAX_CLASSES>;

impl Classes {
    /// Creates classes from lists of equal length for each class, or returns `None` if a place does not exist or is
    /// listed twice, or if there are too many.
    pub(super) fn new(inputs: &[Vec<u32>], actions: Vec<Vec<u32>>, sizes: [usize; 2]) -> Option<Self> {
        let right = |lists: &[Vec<u32>], size: usize| {
            let mut all = lists.concat();
            all.sort_unstable();
            all.windows(2).all(|pair| pair[0] < pair[1]) && all.last().is_none_or(|&last| (last as usize) < size)
        };
        let fits = (2..=MAX_CLASSES).contains(&inputs.len())
            && inputs.len() == actions.len()
            && right(inputs, sizes[0])
            && right(&actions, sizes[1]);
        if !fits {
            return None;
        }
        let mut runs: Vec<Run> = Vec::new();
        for index in 0..inputs[0].len() {
            let starts: Vec<u32> = inputs.iter().map(|places| places[index]).collect();
            match runs.last_mut() {
                Some(run) if run.len < MAX_RUN && run.starts.iter().zip(&starts).all(|(a, b)| *a == b + 1) => {
                    *run = Run { starts, len: run.len + 1 };
                }
                _ => runs.push(Run { starts, len: 1 }),
            }
        }
        Some(Self { runs, actions })
    }

    /// Sorts the classes of a position, whose inputs are bits, and returns their order. `keys` is working space.
    pub(super) fn sort(&self, ones: &mut [u64], keys: &mut Vec<u64>) -> Order {
        let classes = self.actions.len();
        keys.clear();
        for class in 0..classes {
            keys.extend(self.runs.iter().map(|run| read(ones, run.starts[class], run.len)));
        }
        let key = |class: u8| &keys[usize::from(class) * self.runs.len()..][..self.runs.len()];
        let mut order: Order = (0..classes as u8).collect();
        sort_few(&mut order, |&a, &b| key(a) > key(b));
        for (place, &class) in order.iter().enumerate().filter(|&(place, &class)| place != usize::from(class)) {
            for (run, &bits) in self.runs.iter().zip(key(class)) {
                write(ones, run.starts[place], run.len, bits);
            }
        }
        order
    }

    /// Gives each action the logit that its class has in this order.
    pub(super) fn restore(&self, order: &Order, sorted: &[f32], logits: &mut [f32]) {
        logits.copy_from_slice(sorted);
        for (places, &class) in self.actions.iter().zip(order) {
            for (&from, &to) in places.iter().zip(&self.actions[usize::from(class)]) {
                logits[to as usize] = sorted[from as usize];
            }
        }
    }
}

/// The word of a bit, and its place in it.
fn word_of(start: u32) -> (usize, u32) {
    (start as usize / 64, start % 64)
}

/// Some bits, which may reach into a second word.
fn read(ones: &[u64], start: u32, len: u32) -> u64 {
    let (word, shift) = word_of(start);
    let both = ones[word] >> shift | if shift + len > 64 { ones[word + 1] << (64 - shift) } else { 0 };
    both & ((1 << len) - 1)
}

/// Overwrites some bits, which may reach into a second word.
fn write(ones: &mut [u64], start: u32, len: u32, bits: u64) {
    let (word, shift) = word_of(start);
    let mask = (1 << len) - 1;
    ones[word] = ones[word] & !(mask << shift) | bits << shift;
    if shift + len > 64 {
        ones[word + 1] = ones[word + 1] & !(mask >> (64 - shift)) | bits >> (64 - shift);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Classes, read};

    proptest! {
        /// Three classes in two runs, the second across two words.
        #[test]
        fn sorted_classes_descend_and_are_those_of_the_position(first in any::<u64>(), second in any::<u64>()) {
            let places = |class: u32| -> Vec<u32> {
                [5, 4, 3].into_iter().map(|place| place + 7 * class).chain((0..17).rev().map(|i| 56 + i + 17 * class)).collect()
            };
            let inputs: Vec<Vec<u32>> = (0..3).map(places).collect();
            let classes = Classes::new(&inputs, vec![vec![0], vec![2], vec![1]], [128, 3]).expect("classes");
            let listed = |ones: &[u64]| -> Vec<Vec<u64>> {
                inputs.iter().map(|list| list.iter().map(|&place| read(ones, place, 1)).collect()).collect()
            };
            let before = [first, second];
            let mut after = before;
            let order = classes.sort(&mut after, &mut Vec::new());
            let (lists, sorted) = (listed(&before), listed(&after));
            prop_assert!(sorted.is_sorted_by(|a, b| a >= b));
            for (place, &class) in order.iter().enumerate() {
                prop_assert_eq!(&sorted[place], &lists[usize::from(class)]);
            }
            prop_assert!(order.windows(2).all(|pair| pair[0] < pair[1] || lists[usize::from(pair[0])] > lists[usize::from(pair[1])]));
            // Other inputs stay.
            let of_classes = inputs.concat().iter().fold([0_u64; 2], |mut mask, &place| {
                mask[place as usize / 64] |= 1 << (place % 64);
                mask
            });
            for word in 0..2 {
                prop_assert_eq!(before[word] & !of_classes[word], after[word] & !of_classes[word]);
            }
            let mut logits = [0.0; 3];
            classes.restore(&order, &[10.0, 12.0, 11.0], &mut logits);
            for (place, &class) in order.iter().enumerate() {
                prop_assert_eq!(logits[[0, 2, 1][usize::from(class)]], 10.0 + place as f32);
            }
        }
    }
}
