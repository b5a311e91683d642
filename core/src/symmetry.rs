//! Parts of a game that can be exchanged for each other, such as suits.

use crate::actions::Action;
use crate::encode::{self, Field};
use crate::list::Listing as _;

/// Classes, such as suits, that can be exchanged without changing the game.
///
/// If two classes exchange their places in an observation, and their actions, the result is a position that is worth
/// the same. A learner that sorts the classes sees all such positions as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// The places of each class in the [observation](crate::Game::observe). The same index has the same meaning in all
    /// classes. Classes are compared by the first place first.
    pub inputs: Vec<Vec<usize>>,
    /// The actions of each class, in the same way. Outcomes of chance with the same numbers belong to the same class.
    pub actions: Vec<Vec<Action>>,
}

/// A field of an observation in which classes lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct ClassField {
    /// The name of the field.
    pub name: &'static str,
    /// The length of a row, which has the values of each class once.
    pub row: usize,
    /// The number of values of each class in a row, one class after another from the beginning.
    pub block: usize,
}

impl Symmetry {
    /// Creates so many classes from these fields of a layout, the most important first, and the actions of each class.
    /// In a row the last value of a class comes first. Fields that the layout does not have are left out.
    pub fn new(
        layout: &[Field],
        fields: &[ClassField],
        classes: usize,
        actions: &dyn Fn(usize) -> Vec<Action>,
    ) -> Option<Self> {
        if classes < 2 {
            return None;
        }
        let mut inputs = vec![Vec::new(); classes];
        for &ClassField { name, row, block } in fields {
            let Some(place) = layout.iter().position(|own| own.name == name) else { continue };
            let start = encode::size(&layout[..place]);
            for row in (start..start + layout[place].size()).step_by(row) {
                for (class, places) in inputs.iter_mut().enumerate() {
                    places.extend((row + class * block..row + (class + 1) * block).rev());
                }
            }
        }
        Some(Self { inputs, actions: (0..classes).map(actions).list() })
    }
}
