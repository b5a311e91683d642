//! Passes over all histories of a tree: probabilities on the way down, values on the way up.
//!
//! One number per node serves both ways. On the way down it is the probability that chance and some of the players
//! lead to the node. On the way up, from the last layer to the root, it is the node's value times that probability. A
//! layer goes run by run: all nodes of a set have the same policy, and all sets of a run the same number of actions, which is
//! a constant in the innermost loops. A layer is cut into tasks. Each number is written by one of them and read by others
//! only in other steps, so the number of threads does not change the result.

use std::ops::Range;

use arrayvec::ArrayVec;
use stier_core::Seat;

use crate::agent::threads::for_each_task;

use super::Tree;
use super::layout::{ChancePlaces, Run, Shape};
use super::numbers::{NodeNumbers, Number, Numbers};

/// The largest number of ends or chance nodes per task.
const TASK: usize = 1 << 13;

/// The largest number of actions of a set.
const MAX_WIDTH: usize = 256;

/// Probability 1 for each action of a set.
static CERTAIN: [f64; MAX_WIDTH] = [1.0; MAX_WIDTH];

/// Stands for any closing actions.
const ANY: u64 = u64::MAX;

/// The actions of a run's sets: their number and which of them are closing, as constants for the most frequent
/// combinations; or 0 and [`ANY`].
struct Actions<const WIDTH: usize, const CLOSING: u64> {
    shape: Shape,
    /// The ranks of the open actions, then those of the closing ones, if they are not constants.
    ranks: ArrayVec<u16, MAX_WIDTH>,
}

impl<const WIDTH: usize, const CLOSING: u64> Actions<WIDTH, CLOSING> {
    #[inline(always)]
    fn new(shape: Shape) -> Self {
        let mut ranks = ArrayVec::new();
        if WIDTH == 0 {
            let all = || 0..shape.width as u16;
            ranks.extend(all().filter(|&rank| !shape.closes(u32::from(rank))));
            ranks.extend(all().filter(|&rank| shape.closes(u32::from(rank))));
        }
        Self { shape, ranks }
    }

    #[inline(always)]
    fn count(&self) -> usize {
        if WIDTH > 0 { WIDTH } else { self.shape.width as usize }
    }

    /// The number of closing actions.
    #[inline(always)]
    fn closed(&self) -> usize {
        (if CLOSING == ANY { self.shape.closing } else { CLOSING }).count_ones() as usize
    }

    /// The number of the other actions.
    #[inline(always)]
    fn open(&self) -> usize {
        self.count() - self.closed()
    }

    /// Calls a function with each open action: its place among them, and its rank.
    #[inline(always)]
    fn for_open(&self, mut each: impl FnMut(usize, usize)) {
        if WIDTH > 0 {
            let open = (0..WIDTH).filter(|rank| CLOSING >> rank & 1 == 0);
            open.enumerate().for_each(|(place, rank)| each(place, rank));
        } else {
            self.ranks[..self.open()].iter().enumerate().for_each(|(place, &rank)| each(place, rank.into()));
        }
    }

    /// The same for the closing ones.
    #[inline(always)]
    fn for_closed(&self, mut each: impl FnMut(usize, usize)) {
        if WIDTH > 0 {
            let closed = (0..WIDTH).filter(|rank| CLOSING >> rank & 1 == 1);
            closed.enumerate().for_each(|(place, rank)| each(place, rank));
        } else {
            self.ranks[self.open()..].iter().enumerate().for_each(|(place, &rank)| each(place, rank.into()));
        }
    }
}

/// Calls a function with the actions of a shape.
macro_rules! by_shape {
    ($shape:expr, $actions:ident => $call:expr) => {
        match ($shape.width, $shape.closing) {
            (1, 0) => by_shape!(@ 1, 0, $shape, $actions, $call),
            (1, 1) => by_shape!(@ 1, 1, $shape, $actions, $call),
            (2, 0) => by_shape!(@ 2, 0, $shape, $actions, $call),
            (2, 1) => by_shape!(@ 2, 1, $shape, $actions, $call),
            (2, 2) => by_shape!(@ 2, 2, $shape, $actions, $call),
            (2, 3) => by_shape!(@ 2, 3, $shape, $actions, $call),
            (3, 0) => by_shape!(@ 3, 0, $shape, $actions, $call),
            (3, 1) => by_shape!(@ 3, 1, $shape, $actions, $call),
            (3, 3) => by_shape!(@ 3, 3, $shape, $actions, $call),
            (3, 4) => by_shape!(@ 3, 4, $shape, $actions, $call),
            (4, 0) => by_shape!(@ 4, 0, $shape, $actions, $call),
            (4, 8) => by_shape!(@ 4, 8, $shape, $actions, $call),
            _ => by_shape!(@ 0, ANY, $shape, $actions, $call),
        }
    };
    (@ $width:literal, $closing:expr, $shape:expr, $actions:ident, $call:expr) => {{
        let $actions = &Actions::<$width, { $closing }>::new($shape);
        $call
    }};
}

/// The nodes of a set, with what follows them.
struct SetNodes<'a> {
    number: u32,
    /// Its places in a policy.
    row: Range<usize>,
    nodes: &'a [Number],
    /// By node and action: the places of children, and the returns after closing actions.
    children: &'a [u32],
    closed: &'a [u32],
}

/// A way down a tree and up again under a policy: on the way down the probability of reaching each node, and on the way up
/// the values of the nodes for one seat, each times that probability.
#[derive(Clone, Copy)]
pub(crate) struct Sweep<'a> {
    tree: &'a Tree,
    rows: &'a [f64],
    without: Option<Seat>,
    numbers: &'a [Number],
}

impl<'a> Sweep<'a> {
    /// A way under the policy `rows`. If a seat is left out, the probabilities are those with which chance and the other
    /// seats lead to a node.
    pub(crate) fn new(tree: &'a Tree, rows: &'a [f64], without: Option<Seat>, numbers: &'a NodeNumbers) -> Self {
        let numbers = &numbers.0.0[..];
        assert_eq!(numbers.len(), tree.layout.len());
        Self { tree, rows, without, numbers }
    }

    /// The tree.
    pub(crate) fn tree(self) -> &'a Tree {
        self.tree
    }

    /// The probabilities by which a set's nodes lead to their children.
    #[inline(always)]
    fn odds(self, mover: Seat, row: Range<usize>) -> &'a [f64] {
        if Some(mover) == self.without { &CERTAIN[..row.len()] } else { &self.rows[row] }
    }

    /// Calls `each` for the sets of a run.
    #[inline(always)]
    fn for_sets<const WIDTH: usize, const CLOSING: u64>(
        self,
        run: &Run,
        actions: &Actions<WIDTH, CLOSING>,
        mut each: impl FnMut(SetNodes<'a>),
    ) {
        let (tree, layout) = (self.tree, &self.tree.layout);
        let starts = &tree.member_starts[run.sets.start as usize..=run.sets.end as usize];
        let mut children = &layout.children[run.children as usize..];
        let mut closed = &layout.closed[run.closed as usize..];
        let mut row = tree.starts[run.sets.start as usize] as usize;
        for (set, range) in run.sets.clone().zip(starts.windows(2)) {
            let nodes = &self.numbers[range[0] as usize..range[1] as usize];
            let (own_children, own_closed);
            (own_children, children) = children.split_at(nodes.len() * actions.open());
            (own_closed, closed) = closed.split_at(nodes.len() * actions.closed());
            let own_row = row..row + actions.count();
            row = own_row.end;
            each(SetNodes { number: set, row: own_row, nodes, children: own_children, closed: own_closed });
        }
    }

    /// A chance node: its number, and the probabilities and places of its children.
    #[inline(always)]
    fn chance(self, node: ChancePlaces) -> (&'a Number, impl Iterator<Item = (&'a f64, &'a Number)>) {
        let (layout, odds) = (&self.tree.layout, self.tree.outcomes(node.outcomes));
        let children = &layout.children[node.children as usize..][..odds.len()];
        let numbers = self.numbers;
        let children = children.iter().map(move |&child| &numbers[child as usize]);
        (&numbers[node.here as usize], odds.iter().zip(children))
    }

    /// Computes the probability of reaching the children of a layer's nodes. Layers must be processed from the first on.
    pub(crate) fn down(self, layer: usize) {
        let layout = &self.tree.layout;
        if layer == 0 {
            self.numbers[layout.root as usize].set(1.0);
        }
        for_each_task(layout.chances(layer).chunks(TASK), |nodes| {
            for &node in nodes {
                let (here, children) = self.chance(node);
                let here = here.get();
                children.for_each(|(odds, child)| child.set(here * odds));
            }
        });
        for_each_task(layout.tasks(layer), |runs| {
            for run in runs {
                by_shape!(run.shape, actions => self.spread(run, actions));
            }
        });
    }

    /// The children of the nodes get their numbers, each times the probability of its action.
    #[inline(always)]
    fn spread<const WIDTH: usize, const CLOSING: u64>(self, run: &Run, actions: &Actions<WIDTH, CLOSING>) {
        if actions.open() == 0 {
            return;
        }
        self.for_sets(run, actions, |set| {
            let odds = &self.odds(run.shape.mover, set.row)[..actions.count()];
            for (here, children) in set.nodes.iter().zip(set.children.chunks_exact(actions.open())) {
                let here = here.get();
                actions.for_open(|place, rank| self.numbers[children[place] as usize].set(here * odds[rank]));
            }
        });
    }

    /// Turns the probabilities of a layer's nodes into their values, each times the probability. At an end it is the
    /// [payoff](Tree::payoffs). At a chance node it is the sum over the children, which are already weighted. `decisions`
    /// does it for the decisions. Layers must be processed from the last on.
    pub(crate) fn up(self, layer: usize, payoffs: &[f64], decisions: impl FnOnce()) {
        let layout = &self.tree.layout;
        for_each_task(layout.ends(layer).chunks(TASK), |ends| {
            for &(place, returns) in ends {
                let value = &self.numbers[place as usize];
                value.set(value.get() * payoffs[returns as usize]);
            }
        });
        decisions();
        for_each_task(layout.chances(layer).chunks(TASK), |nodes| {
            for &node in nodes {
                let (here, children) = self.chance(node);
                here.set(children.map(|(_, child)| child.get()).sum());
            }
        });
    }

    /// The values of the nodes of a layer's sets become the sums of their children's. For the seat that was left out, each
    /// counts times the probability of its action, and `totals`, if given, gets their sums over the nodes for each action.
    pub(crate) fn sum_up(self, layer: usize, payoffs: &[f64], totals: Option<&Numbers>) {
        for_each_task(self.tree.layout.tasks(layer), |runs| {
            for run in runs {
                match totals.filter(|_| Some(run.mover()) == self.without) {
                    Some(totals) => by_shape!(run.shape, actions => self.average(run, actions, payoffs, totals)),
                    None => self.add(run, payoffs),
                }
            }
        });
    }

    /// The values of a run's nodes become the sums of their children's.
    pub(crate) fn add(self, run: &Run, payoffs: &[f64]) {
        by_shape!(run.shape, actions => self.for_sets(run, actions, |set| {
            self.for_each(&set, actions, payoffs, |here, values| here.set(values.iter().sum()));
        }));
    }

    #[inline(always)]
    fn average<const WIDTH: usize, const CLOSING: u64>(
        self,
        run: &Run,
        actions: &Actions<WIDTH, CLOSING>,
        payoffs: &[f64],
        totals: &Numbers,
    ) {
        self.for_sets(run, actions, |set| {
            let (policy, totals) = (&self.rows[set.row.clone()][..actions.count()], &totals.0[set.row.clone()]);
            // Sums in a local array stay in registers.
            let (mut narrow, mut wide) = ([0.0; WIDTH], ArrayVec::new());
            let sums = zeros(&mut narrow, &mut wide, actions.count());
            self.for_each(&set, actions, payoffs, |here, values| {
                let share = |((sum, odds), value): ((&mut f64, &f64), &f64)| {
                    *sum += value;
                    odds * value
                };
                here.set(sums.iter_mut().zip(policy).zip(values).map(share).sum());
            });
            totals.iter().zip(sums).for_each(|(total, sum)| total.set(*sum));
        });
    }

    /// Calls `each` for the nodes of a set, ascending, with the number of the node and the values of its children.
    #[inline(always)]
    fn for_each<const WIDTH: usize, const CLOSING: u64>(
        self,
        set: &SetNodes<'_>,
        actions: &Actions<WIDTH, CLOSING>,
        payoffs: &[f64],
        mut each: impl FnMut(&Number, &[f64]),
    ) {
        let odds = &self.odds(actions.shape.mover, set.row.clone())[..actions.count()];
        let (mut narrow, mut wide) = ([0.0; WIDTH], ArrayVec::new());
        let values = zeros(&mut narrow, &mut wide, actions.count());
        let (mut children, mut closed) = (set.children, set.closed);
        for here in set.nodes {
            let reach = here.get();
            let (open, ends);
            (open, children) = children.split_at(actions.open());
            (ends, closed) = closed.split_at(actions.closed());
            actions.for_open(|place, rank| values[rank] = self.numbers[open[place] as usize].get());
            actions.for_closed(|place, rank| values[rank] = reach * odds[rank] * payoffs[ends[place] as usize]);
            each(here, values);
        }
    }

    /// Decides the sets of a run. `decide` gets the number of a set and, for each action, the sum of the values of its
    /// successors over the nodes of the set. Then `value` computes the value of each node from the decision and those of
    /// its children.
    pub(crate) fn decide<D>(
        self,
        run: &Run,
        payoffs: &[f64],
        decisions: &mut [D],
        decide: impl Fn(u32, &[f64]) -> D,
        value: impl Fn(u32, &D, &[f64]) -> f64,
    ) {
        let actions = &Actions::<0, ANY>::new(run.shape);
        let mut decisions = decisions.iter_mut();
        let mut totals = vec![0.0; actions.count()];
        self.for_sets(run, actions, |set| {
            totals.fill(0.0);
            self.for_each(&set, actions, payoffs, |_, values| {
                totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            });
            let decision = decisions.next().expect("a place for each decision");
            *decision = decide(set.number, &totals);
            self.for_each(&set, actions, payoffs, |here, values| here.set(value(set.number, decision, values)));
        });
    }
}

/// Zeros in one of two arrays: the narrow one if it has a length, else the wide one.
#[inline(always)]
fn zeros<'a, const WIDTH: usize>(
    narrow: &'a mut [f64; WIDTH],
    wide: &'a mut ArrayVec<f64, MAX_WIDTH>,
    count: usize,
) -> &'a mut [f64] {
    if WIDTH > 0 {
        return narrow;
    }
    wide.extend(std::iter::repeat_n(0.0, count));
    wide
}
