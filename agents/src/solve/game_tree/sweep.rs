//! Passes over all histories of a tree: probabilities on the way down, values on the way up.
//!
//! One number per node serves both ways. On the way down it is the probability that chance and some of the players lead
//! to the node. On the way up, from the last layer to the root, it is the node's value times that probability. A layer
//! goes run by run: all nodes of a set have the same policy, and all sets of a run the same number of actions, which is
//! a constant in the innermost loops. A layer is cut into tasks. Each number is written by one of them and read by
//! others only in other steps, so the number of threads does not change the result.

use std::ops::{ControlFlow, Range};

use stier_core::Seat;

use crate::agent::threads::{Watch, for_each, for_each_part};

use super::Tree;
use super::layout::{ChancePlaces, Layout, Run, Shape};
use super::numbers::{NodeNumbers, Number, Numbers};

/// The largest number of ends or chance nodes per task.
const TASK: usize = 1 << 13;

/// The largest number of actions of a set. Where the number is a constant, it stands for any.
pub(crate) const MAX_WIDTH: usize = 256;

/// Probability 1 for each action of a set.
static CERTAIN: [f64; MAX_WIDTH] = [1.0; MAX_WIDTH];

/// Stands for any closing actions.
const ANY: u64 = u64::MAX;

/// The actions of a run's sets. Their number and which of them are closing are constants for the most frequent shapes;
/// otherwise they are [`MAX_WIDTH`] and [`ANY`]. Loops are written out, because adapters of iterators would be compiled
/// for each shape.
#[derive(Clone, Copy)]
struct Actions<const WIDTH: usize, const CLOSING: u64>(Shape);

impl<const WIDTH: usize, const CLOSING: u64> Actions<WIDTH, CLOSING> {
    #[inline(always)]
    fn count(self) -> usize {
        if WIDTH < MAX_WIDTH { WIDTH } else { self.0.width as usize }
    }

    #[inline(always)]
    fn closing(self) -> u64 {
        if CLOSING == ANY { self.0.closing } else { CLOSING }
    }

    /// The number of closing actions.
    #[inline(always)]
    fn closed(self) -> usize {
        self.closing().count_ones() as usize
    }

    /// The number of the other actions.
    #[inline(always)]
    fn open(self) -> usize {
        self.count() - self.closed()
    }

    #[inline(always)]
    fn closes(self, rank: usize) -> bool {
        rank < u64::BITS as usize && self.closing() >> rank & 1 == 1
    }
}

/// Calls a method of the sweep, which is generic over [`Actions`], with those of a run. The constants are the shapes of
/// Kuhn and Leduc poker, in which folds and calls close; of Liar's Dice, in which doubts do, and without forced endings
/// the highest bid too; and of sets without closing actions or with a single one.
macro_rules! by_shape {
    ($sweep:ident.$method:ident($run:expr $(, $argument:expr)*)) => {
        match ($run.shape.width, $run.shape.closing) {
            (1, 0) => $sweep.$method::<1, 0>($run $(, $argument)*),
            (1, 1) => $sweep.$method::<1, 1>($run $(, $argument)*),
            (2, 0) => $sweep.$method::<2, 0>($run $(, $argument)*),
            (2, 1) => $sweep.$method::<2, 1>($run $(, $argument)*),
            (2, 2) => $sweep.$method::<2, 2>($run $(, $argument)*),
            (2, 3) => $sweep.$method::<2, 3>($run $(, $argument)*),
            (3, 0) => $sweep.$method::<3, 0>($run $(, $argument)*),
            (3, 1) => $sweep.$method::<3, 1>($run $(, $argument)*),
            (3, 3) => $sweep.$method::<3, 3>($run $(, $argument)*),
            (3, 4) => $sweep.$method::<3, 4>($run $(, $argument)*),
            (3, 6) => $sweep.$method::<3, 6>($run $(, $argument)*),
            (4, 0) => $sweep.$method::<4, 0>($run $(, $argument)*),
            (4, 8) => $sweep.$method::<4, 8>($run $(, $argument)*),
            (4, 12) => $sweep.$method::<4, 12>($run $(, $argument)*),
            (5, 0) => $sweep.$method::<5, 0>($run $(, $argument)*),
            (5, 16) => $sweep.$method::<5, 16>($run $(, $argument)*),
            (5, 24) => $sweep.$method::<5, 24>($run $(, $argument)*),
            (6, 32) => $sweep.$method::<6, 32>($run $(, $argument)*),
            (6, 48) => $sweep.$method::<6, 48>($run $(, $argument)*),
            _ => $sweep.$method::<MAX_WIDTH, ANY>($run $(, $argument)*),
        }
    };
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

/// The sets of a run that have not been visited.
struct Sets<'a> {
    numbers: Range<u32>,
    /// By set: the place of its first node.
    starts: &'a [u32],
    all: &'a [Number],
    row: usize,
    children: &'a [u32],
    closed: &'a [u32],
}

impl<'a> Sets<'a> {
    /// The next set. Its actions are so many, some open and some closing.
    #[inline(always)]
    fn next(&mut self, open: usize, closed: usize) -> Option<SetNodes<'a>> {
        let (number, &[start, end, ..]) = (self.numbers.next()?, self.starts) else { return None };
        self.starts = &self.starts[1..];
        let nodes = &self.all[start as usize..end as usize];
        let row = self.row..self.row + open + closed;
        self.row = row.end;
        let (children, ends);
        (children, self.children) = self.children.split_at(nodes.len() * open);
        (ends, self.closed) = self.closed.split_at(nodes.len() * closed);
        Some(SetNodes { number, row, nodes, children, closed: ends })
    }
}

/// A way down a tree and up again under a policy: on the way down the probability of reaching each node, and on the way
/// up the values of the nodes for one seat, each times that probability.
#[derive(Clone, Copy)]
pub(crate) struct Sweep<'a> {
    tree: &'a Tree,
    layout: &'a Layout,
    rows: &'a [f64],
    without: Option<Seat>,
    numbers: &'a [Number],
}

impl<'a> Sweep<'a> {
    /// A way under the policy `rows`, through another layout than the tree's own if one is given. If a seat is left
    /// out, the probabilities are those with which chance and the other seats lead to a node.
    pub(crate) fn new(
        tree: &'a Tree,
        layout: Option<&'a Layout>,
        rows: &'a [f64],
        without: Option<Seat>,
        numbers: &'a NodeNumbers,
    ) -> Self {
        let numbers = &numbers.0.0[..];
        assert_eq!(numbers.len(), tree.layout.len());
        Self { tree, layout: layout.unwrap_or(&tree.layout), rows, without, numbers }
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

    #[inline(always)]
    fn sets(self, run: &Run) -> Sets<'a> {
        let Self { tree, layout, .. } = self;
        Sets {
            numbers: run.sets(),
            starts: &tree.member_starts[run.sets.start as usize..=run.sets.end as usize],
            all: self.numbers,
            row: tree.starts[run.sets.start as usize] as usize,
            children: &layout.children[run.children as usize..],
            closed: &layout.closed[run.closed as usize..],
        }
    }

    /// A chance node: its number, and the probabilities and places of its children.
    #[inline(always)]
    fn chance(self, node: ChancePlaces) -> (&'a Number, impl Iterator<Item = (&'a f64, &'a Number)>) {
        let (layout, odds) = (self.layout, self.tree.outcomes(node.outcomes));
        let children = &layout.children[node.children as usize..][..odds.len()];
        let numbers = self.numbers;
        let children = children.iter().map(move |&child| &numbers[child as usize]);
        (&numbers[node.here as usize], odds.iter().zip(children))
    }

    /// Goes down all layers: computes the probability of reaching every node.
    pub(crate) fn go_down(self, watch: Watch<'_>) -> ControlFlow<()> {
        (0..self.tree.num_layers()).try_for_each(|layer| {
            watch()?;
            self.down(layer);
            ControlFlow::Continue(())
        })
    }

    /// Goes up again: computes the value of every node for `seat`, which was left out, times the probability of
    /// reaching it. Writes to `own`, by place in a policy, the value of every action of the seat, summed over the
    /// histories of its set.
    pub(crate) fn go_up(self, seat: Seat, own: &Numbers, watch: Watch<'_>) -> ControlFlow<()> {
        let payoffs = self.tree.payoffs(seat);
        (0..self.tree.num_layers()).rev().try_for_each(|layer| {
            watch()?;
            self.up(layer, &payoffs, || self.sum_up(layer, &payoffs, Some(own)));
            ControlFlow::Continue(())
        })
    }

    /// Computes the probability of reaching the children of a layer's nodes. Layers must be processed from the first
    /// on.
    pub(crate) fn down(self, layer: usize) {
        let layout = self.layout;
        if layer == 0 {
            self.numbers[layout.root as usize].set(1.0);
        }
        let chances = layout.chances(layer);
        for_each_part(chances.len(), TASK, &|part| self.spread_chances(&chances[part]));
        for_each(layout.num_tasks(layer), &|task| {
            for run in layout.task(layer, task) {
                by_shape!(self.spread(run));
            }
        });
    }

    /// The children of chance nodes get their numbers, each times its probability.
    fn spread_chances(self, nodes: &[ChancePlaces]) {
        for &node in nodes {
            let (here, children) = self.chance(node);
            let here = here.get();
            children.for_each(|(odds, child)| child.set(here * odds));
        }
    }

    /// The values of chance nodes become the sums of their children's, which are already weighted.
    fn add_chances(self, nodes: &[ChancePlaces]) {
        for &node in nodes {
            let (here, children) = self.chance(node);
            here.set(children.map(|(_, child)| child.get()).sum());
        }
    }

    /// The numbers of ends, given with those of their returns, are multiplied by the payoffs.
    fn pay(self, ends: &[(u32, u32)], payoffs: &[f64]) {
        for &(place, returns) in ends {
            let value = &self.numbers[place as usize];
            value.set(value.get() * payoffs[returns as usize]);
        }
    }

    /// The children of the nodes get their numbers, each times the probability of its action.
    fn spread<const WIDTH: usize, const CLOSING: u64>(self, run: &Run) {
        let actions = Actions::<WIDTH, CLOSING>(run.shape);
        if actions.open() == 0 {
            return;
        }
        let mut sets = self.sets(run);
        while let Some(set) = sets.next(actions.open(), actions.closed()) {
            let odds = &self.odds(run.mover(), set.row)[..actions.count()];
            let mut children = set.children;
            for here in set.nodes {
                let (reach, own);
                (own, children) = children.split_at(actions.open());
                reach = here.get();
                let (mut rank, mut open) = (0, 0);
                while rank < actions.count() {
                    if !actions.closes(rank) {
                        self.numbers[own[open] as usize].set(reach * odds[rank]);
                        open += 1;
                    }
                    rank += 1;
                }
            }
        }
    }

    /// Turns the probabilities of a layer's nodes into their values, each times the probability. At an end it is the
    /// [payoff](Tree::payoffs). At a chance node it is the sum over the children, which are already weighted.
    /// `decisions` does it for the decisions. Layers must be processed from the last on.
    pub(crate) fn up(self, layer: usize, payoffs: &[f64], decisions: impl FnOnce()) {
        let layout = self.layout;
        let (ends, chances) = (layout.ends(layer), layout.chances(layer));
        for_each_part(ends.len(), TASK, &|part| self.pay(&ends[part], payoffs));
        decisions();
        for_each_part(chances.len(), TASK, &|part| self.add_chances(&chances[part]));
    }

    /// The values of the nodes of a layer's sets become the sums of their children's. For the seat that was left out,
    /// each counts times the probability of its action, and `totals`, if given, gets their sums over the nodes for each
    /// action.
    pub(crate) fn sum_up(self, layer: usize, payoffs: &[f64], totals: Option<&Numbers>) {
        for_each(self.layout.num_tasks(layer), &|task| {
            for run in self.layout.task(layer, task) {
                match totals.filter(|_| Some(run.mover()) == self.without) {
                    Some(totals) => by_shape!(self.average(run, payoffs, totals)),
                    None => self.add(run, payoffs),
                }
            }
        });
    }

    /// The values of a run's nodes become the sums of their children's.
    pub(crate) fn add(self, run: &Run, payoffs: &[f64]) {
        by_shape!(self.add_shape(run, payoffs));
    }

    fn add_shape<const WIDTH: usize, const CLOSING: u64>(self, run: &Run, payoffs: &[f64]) {
        let actions = Actions::<WIDTH, CLOSING>(run.shape);
        let (mut sets, mut values) = (self.sets(run), [0.0; WIDTH]);
        let values = &mut values[..actions.count()];
        while let Some(set) = sets.next(actions.open(), actions.closed()) {
            let odds = &self.odds(run.mover(), set.row)[..actions.count()];
            let (mut children, mut closed) = (set.children, set.closed);
            for here in set.nodes {
                self.read(actions, here, odds, payoffs, &mut children, &mut closed, values);
                let (mut sum, mut rank) = (0.0, 0);
                while rank < actions.count() {
                    sum += values[rank];
                    rank += 1;
                }
                here.set(sum);
            }
        }
    }

    fn average<const WIDTH: usize, const CLOSING: u64>(self, run: &Run, payoffs: &[f64], totals: &Numbers) {
        let actions = Actions::<WIDTH, CLOSING>(run.shape);
        let (mut sets, mut values, mut sums) = (self.sets(run), [0.0; WIDTH], [0.0; WIDTH]);
        let (values, sums) = (&mut values[..actions.count()], &mut sums[..actions.count()]);
        while let Some(set) = sets.next(actions.open(), actions.closed()) {
            let odds = &self.odds(run.mover(), set.row.clone())[..actions.count()];
            let (policy, totals) = (&self.rows[set.row.clone()][..actions.count()], &totals.0[set.row]);
            let (mut children, mut closed) = (set.children, set.closed);
            sums.fill(0.0);
            for here in set.nodes {
                self.read(actions, here, odds, payoffs, &mut children, &mut closed, values);
                let (mut mean, mut rank) = (0.0, 0);
                while rank < actions.count() {
                    sums[rank] += values[rank];
                    mean += policy[rank] * values[rank];
                    rank += 1;
                }
                here.set(mean);
            }
            totals.iter().zip(&*sums).for_each(|(total, sum)| total.set(*sum));
        }
    }

    /// Reads the values of a node's children.
    #[expect(clippy::too_many_arguments, reason = "the state of a loop")]
    #[inline(always)]
    fn read<const WIDTH: usize, const CLOSING: u64>(
        self,
        actions: Actions<WIDTH, CLOSING>,
        here: &Number,
        odds: &[f64],
        payoffs: &[f64],
        children: &mut &[u32],
        closed: &mut &[u32],
        values: &mut [f64],
    ) {
        let (own, ends);
        (own, *children) = children.split_at(actions.open());
        (ends, *closed) = closed.split_at(actions.closed());
        let reach = here.get();
        let (mut rank, mut open, mut end) = (0, 0, 0);
        while rank < actions.count() {
            values[rank] = if actions.closes(rank) {
                end += 1;
                reach * odds[rank] * payoffs[ends[end - 1] as usize]
            } else {
                open += 1;
                self.numbers[own[open - 1] as usize].get()
            };
            rank += 1;
        }
    }

    /// Calls `each` for the nodes of a set, ascending, with the number of the node and the values of its children.
    fn for_nodes(self, set: &SetNodes<'_>, shape: Shape, payoffs: &[f64], each: &mut dyn FnMut(&Number, &[f64])) {
        let (actions, mut values) = (Actions::<MAX_WIDTH, ANY>(shape), vec![0.0; set.row.len()]);
        let odds = self.odds(shape.mover, set.row.clone());
        let (mut children, mut closed) = (set.children, set.closed);
        for here in set.nodes {
            self.read(actions, here, odds, payoffs, &mut children, &mut closed, &mut values);
            each(here, &values);
        }
    }

    /// Decides the sets of a run. `decide` gets the number of a set and, for each action, the sum of the values of its
    /// successors over the nodes of the set. Then `value` computes the value of each node from the decision and those
    /// of its children.
    pub(crate) fn decide<D>(
        self,
        run: &Run,
        payoffs: &[f64],
        decisions: &mut [D],
        decide: impl Fn(u32, &[f64]) -> D,
        value: impl Fn(u32, &D, &[f64]) -> f64,
    ) {
        let (actions, mut sets) = (Actions::<MAX_WIDTH, ANY>(run.shape), self.sets(run));
        let mut totals = vec![0.0; actions.count()];
        for decision in decisions {
            let set = sets.next(actions.open(), actions.closed()).expect("a set for each decision");
            totals.fill(0.0);
            self.for_nodes(&set, run.shape, payoffs, &mut |_, values| {
                totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            });
            *decision = decide(set.number, &totals);
            self.for_nodes(&set, run.shape, payoffs, &mut |here, values| {
                here.set(value(set.number, decision, values));
            });
        }
    }
}
