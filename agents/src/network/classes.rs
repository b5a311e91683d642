//! The sorting of exchangeable classes, such as suits, before a network.
//!
//! A network that was trained on sorted positions sees all positions that differ by an exchange of classes as one. Its
//! file lists the places of each class among inputs and actions ([`Symmetry`](stier_core::Symmetry)). The class with
//! the first one where another has a zero comes first; of equal classes the first.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use crate::agent::order::sort_few;

/// The largest number of classes.
pub(super) const MAX_CLASSES: usize = 16;

/// The places of each class among the inputs and the actions of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Classes {
    inputs: Vec<Vec<u32>>,
    actions: Vec<Vec<u32>>,
}

/// The classes of a position, sorted.
pub(super) type Order = ArrayVec<u8, MAX_CLASSES>;

impl Classes {
    /// Creates classes from lists of equal length for each class, or returns `None` if a place does not exist or is
    /// listed twice, or if there are too many.
    pub(super) fn new(inputs: Vec<Vec<u32>>, actions: Vec<Vec<u32>>, sizes: [usize; 2]) -> Option<Self> {
        let right = |lists: &[Vec<u32>], size: usize| {
            let mut all = lists.concat();
            all.sort_unstable();
            all.windows(2).all(|pair| pair[0] < pair[1]) && all.last().is_none_or(|&last| (last as usize) < size)
        };
        let fits = (2..=MAX_CLASSES).contains(&inputs.len())
            && inputs.len() == actions.len()
            && right(&inputs, sizes[0])
            && right(&actions, sizes[1]);
        fits.then_some(Self { inputs, actions })
    }

    /// Sorts the classes of a position and returns their order. `copy` is working space.
    pub(super) fn sort(&self, row: &mut [f32], copy: &mut Vec<f32>) -> Order {
        copy.clear();
        copy.extend(self.inputs.iter().flatten().map(|&place| row[place as usize]));
        let class = |index: u8| copy[usize::from(index) * self.inputs[0].len()..][..self.inputs[0].len()].iter();
        let mut order: Order = (0..self.inputs.len() as u8).collect();
        sort_few(&mut order, |a, b| class(b).partial_cmp(class(a)) == Some(Ordering::Less));
        for (places, &index) in self.inputs.iter().zip(&order) {
            places.iter().zip(class(index)).for_each(|(&place, &value)| row[place as usize] = value);
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
