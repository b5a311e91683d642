//! Parts of a game that can be exchanged for each other, such as suits.

use crate::actions::Action;
use crate::encode::Field;

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
        actions: impl Fn(usize) -> Vec<Action>,
    ) -> Option<Self> {
        let start = |place: usize| layout[..place].iter().map(Field::size).sum::<usize>();
        let found = |field: &ClassField| layout.iter().position(|own| own.name == field.name);
        let places = |class: usize| {
            let known = fields.iter().filter_map(|field| Some((field, found(field)?)));
            let rows = known.flat_map(|(field, place)| {
                let start = start(place);
                (start..start + layout[place].size()).step_by(field.row).map(move |row| (row, field.block))
            });
            rows.flat_map(|(row, block)| (row + class * block..row + (class + 1) * block).rev()).collect()
        };
        let all = 0..classes;
        (classes > 1).then(|| Self { inputs: all.clone().map(places).collect(), actions: all.map(actions).collect() })
    }
}
