//! The top of a search tree for inspection: the lines of play that the search followed, with their visits and
//! results.
//!
//! A line contains the players' actions from the root on, without random events. It is not the same as a node: lines
//! that differ in a choice hidden from the searcher may lead to the same node.

use rustc_hash::FxHashMap;
use stier_core::list::Listing as _;
use stier_core::{Action, Seat};

/// Actions from the root of a search, with their statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The seats and their actions, in order.
    pub path: Vec<(Seat, Action)>,
    /// The number of iterations that began with these actions.
    pub visits: u64,
    /// Their mean return for the searching seat, in the game's utility.
    pub value: f64,
}

/// Counts the lines of a search, down to a depth.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    depth: usize,
    found: FxHashMap<Vec<(Seat, Action)>, (u64, f64)>,
}

impl Lines {
    /// Counts lines of up to `depth` actions.
    pub(crate) fn new(depth: usize) -> Self {
        Self { depth, found: FxHashMap::default() }
    }

    /// Adds an iteration: its actions in the tree, so many, and the return of the searching seat.
    pub(crate) fn add(&mut self, count: usize, step: &dyn Fn(usize) -> (Seat, Action), result: f64) {
        let mut line = Vec::with_capacity(self.depth);
        for place in 0..count.min(self.depth) {
            line.push(step(place));
            self.count(&line, 1, result);
        }
    }

    fn count(&mut self, line: &[(Seat, Action)], visits: u64, result: f64) {
        match self.found.get_mut(line) {
            Some(found) => *found = (found.0 + visits, found.1 + result),
            None => drop(self.found.insert(line.to_vec(), (visits, result))),
        }
    }

    /// Adds the lines of another search for the same decision.
    pub(crate) fn merge(&mut self, other: Self) {
        other.found.into_iter().for_each(|(line, (visits, sum))| self.count(&line, visits, sum));
    }

    /// All lines, each before those that continue it.
    pub(crate) fn finish(self) -> Vec<Line> {
        let line = |(path, (visits, sum))| Line { path, visits, value: sum / visits as f64 };
        let mut lines: Vec<Line> = self.found.into_iter().map(line).list();
        lines.sort_by(|one, other| one.path.cmp(&other.path));
        lines
    }
}

#[cfg(test)]
mod tests {
    use stier_core::{Action, Seat};

    use super::Lines;

    #[test]
    fn lines_come_before_those_that_continue_them() {
        let step = |seat, action| (Seat(seat), Action(action));
        let add =
            |lines: &mut Lines, path: &[(Seat, Action)], result| lines.add(path.len(), &|place| path[place], result);
        let mut lines = Lines::new(2);
        add(&mut lines, &[step(0, 3), step(1, 1), step(0, 0)], 1.0);
        add(&mut lines, &[step(0, 3), step(1, 0)], -1.0);
        let mut other = Lines::new(2);
        add(&mut other, &[step(0, 2)], 0.5);
        add(&mut other, &[step(0, 3), step(1, 1)], 0.0);
        lines.merge(other);
        let found: Vec<_> = lines.finish().into_iter().map(|line| (line.path, line.visits, line.value)).collect();
        assert_eq!(
            found,
            [
                (vec![step(0, 2)], 1, 0.5),
                (vec![step(0, 3)], 3, 0.0),
                (vec![step(0, 3), step(1, 0)], 1, -1.0),
                (vec![step(0, 3), step(1, 1)], 2, 0.5),
            ]
        );
    }
}
