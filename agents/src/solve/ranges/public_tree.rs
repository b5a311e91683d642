//! Public states for callers: a game or a part of it, its public states one by one, and passes over all of them.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex};

use stier_core::public::{Branch, Place, PublicDetail, PublicForm, PublicScene, PublicState};
use stier_core::{Action, Seat};

use super::excerpt::Route;
use super::parts::{RangeTree, Spot, TreeState};
use super::policy::{RangePolicy, normalized};
use super::rows::{HandRows, LeafValues, Numbers, PassError, Scratch, Sweep, most_hands, scatter};
use super::shapes::{Choice, Shape};
use super::{RangeSize, RangesTooLarge};
use crate::agent::threads::{Halted, Watch, Workers, goes_on, locked};
use crate::solve::passes::{NoPolicy, RowPass};

/// A game, or a part of it, on public states.
pub struct PublicTree {
    tree: Arc<RangeTree>,
    rows: [HandRows; 2],
    leaves: Vec<TreeState>,
    /// Working memory that no pass is using.
    idle: Mutex<Vec<Scratch>>,
    workers: Mutex<Workers>,
    threads: usize,
}

/// The arguments of a pass: the seat, the policies, the ranges at the root, the values of leaves, and the watch.
type Given<'a> = (usize, [&'a [f32]; 2], Option<[&'a [f32]; 2]>, LeafValues<'a>, Watch<'a>);

/// Gets a public state, its place, and the number for which it stands.
type Visit<'a> = &'a mut dyn FnMut(&PublicDetail, PublicState, (Spot, u8), &Choice);

impl PublicTree {
    /// Enumerates the public states of a game: those that follow the root, as far as so many choices. See
    /// [`RangeTree::new`].
    pub fn new(
        (form, game): (Box<dyn PublicForm>, &str),
        root: Option<Route>,
        depth: Option<u32>,
        (max_bytes, threads): (u64, usize),
        watch: Watch<'_>,
    ) -> Result<Self, RangesTooLarge> {
        let tree = Arc::new(RangeTree::build(form, game, (root, depth), true, max_bytes, watch)?);
        let rows = [HandRows::of(&tree, 0), HandRows::of(&tree, 1)];
        let (leaves, idle, workers) = (Vec::new(), Mutex::default(), Mutex::default());
        let mut found = Self { tree, rows, leaves, idle, workers, threads };
        if depth.is_some() {
            found.leaves = found.find_leaves(watch)?;
        }
        Ok(found)
    }

    fn find_leaves(&self, watch: Watch<'_>) -> Result<Vec<TreeState>, Halted> {
        let (mut open, mut leaves) = (self.roots(), Vec::new());
        open.reverse();
        while let Some(state) = open.pop() {
            goes_on(watch())?;
            open.extend((0..self.num_branches(&state)).rev().map(|branch| self.child(&state, branch)));
            if self.is_leaf(&state) {
                leaves.push(state);
            }
        }
        Ok(leaves)
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<RangeTree> {
        &self.tree
    }

    /// The size of the tree.
    pub fn size(&self) -> RangeSize {
        self.tree.size()
    }

    /// True if the tree is that of a whole game.
    pub fn is_whole(&self) -> bool {
        self.tree.root.is_none() && self.leaves.is_empty()
    }

    /// The numbers of a seat's rows and of its hands with a choice.
    pub fn num_rows(&self, seat: Seat) -> [usize; 2] {
        self.rows[seat.index()].size()
    }

    /// By hand with a choice of a seat: the place of its first row.
    pub fn first_rows(&self, seat: Seat) -> Vec<i64> {
        self.rows[seat.index()].firsts(&self.tree, seat.index())
    }

    /// By row of a seat: the action.
    pub fn actions(&self, seat: Seat, watch: Watch<'_>) -> Result<Vec<Action>, Halted> {
        let mut actions = vec![Action(0); self.num_rows(seat)[0]];
        let mut known: HashMap<PublicState, Arc<[Action]>> = HashMap::new();
        self.each_choice(watch, &mut |detail, public, (spot, _), choice| {
            if choice.mover() != seat.index() || choice.num_cells() == 0 {
                return;
            }
            let of_rows = || choice.rows().flat_map(|(hand, _)| &detail.legal[hand]).copied().collect();
            let found = known.entry(public).or_insert_with(of_rows);
            let first = self.rows[seat.index()].first(&self.tree, spot);
            actions[first..][..found.len()].copy_from_slice(found);
        })?;
        Ok(actions)
    }

    /// The expected number of times that a player chooses an action, if both follow these policies. Fails if public states
    /// give the action other names.
    pub fn frequency(&self, policies: [&[f32]; 2], action: Action, watch: Watch<'_>) -> Result<Option<f64>, PassError> {
        if !self.tree.known().form.keeps_name(action) {
            return Ok(None);
        }
        let play = self.follow(policies, None, &|_, _, _| ControlFlow::Break(()), watch)?;
        // By public state: the hands that have the action, with its rank in the policy that they play by.
        let mut known: HashMap<PublicState, Vec<(usize, usize)>> = HashMap::new();
        let mut sum = 0.0;
        self.each_choice(watch, &mut |detail, public, (spot, copies), choice| {
            let found = known.entry(public).or_insert_with(|| {
                let rank = |hand: usize| detail.legal[choice.twin(hand)].iter().position(|&other| other == action);
                (0..detail.legal.len()).filter_map(|hand| Some((hand, rank(hand)?))).collect()
            });
            let (seat, block) = (choice.mover(), self.tree.block(spot));
            for &(hand, rank) in &*found {
                let (place, row) = (block.hand(seat, hand) + spot.lane, choice.row(choice.twin(hand)));
                let [own, other] = [&play.numbers[seat ^ 1][spot.part].range, &play.numbers[seat][spot.part].others];
                let first = self.rows[seat].first(&self.tree, spot);
                let share = if row.is_empty() { 1.0 } else { policies[seat][first + row.start + rank] };
                sum += f64::from(copies) * f64::from(own[place]) * f64::from(other[place]) * f64::from(share);
            }
        })?;
        Ok(Some(sum))
    }

    /// Goes through all public states in which a player acts, or chance, each with the number for which it stands.
    fn each_choice(&self, watch: Watch<'_>, visit: Visit<'_>) -> Result<(), Halted> {
        let mut open: Vec<_> = self.roots().iter().map(|root| (root.public, root.spot, 1)).collect();
        let known = &mut *self.tree.known();
        while let Some((public, spot, copies)) = open.pop() {
            let Some(choice) = self.tree.shape(spot).choice() else { continue };
            goes_on(watch())?;
            let scene = known.scene(public);
            let next = scene.branches().iter().enumerate();
            open.extend(next.map(|(branch, next)| (next.public, self.tree.after(spot, branch), copies * next.copies)));
            visit(&known.detail(public), public, (spot, copies), choice);
        }
        Ok(())
    }

    /// The public states in which the tree begins.
    pub fn roots(&self) -> Vec<TreeState> {
        self.tree.roots()
    }

    /// The public states at which the tree is cut off, in the order of the arrays of [`LeafValues`].
    pub fn leaves(&self) -> &[TreeState] {
        &self.leaves
    }

    /// The most hands of a seat at a leaf.
    pub fn most_hands(&self) -> usize {
        most_hands(&self.tree, &self.leaves)
    }

    fn shape(&self, state: &TreeState) -> &Shape {
        self.tree.shape(state.spot)
    }

    /// The scene of a public state.
    pub fn scene(&self, state: &TreeState) -> Arc<PublicScene> {
        self.tree.known().scene(state.public)
    }

    /// More about a public state.
    pub fn detail(&self, state: &TreeState) -> Arc<PublicDetail> {
        self.tree.known().detail(state.public)
    }

    /// The number of public states that follow at once.
    pub fn num_branches(&self, state: &TreeState) -> usize {
        self.shape(state).branches().len()
    }

    /// The public state after an event, which must be one of those that can follow.
    pub fn child(&self, state: &TreeState, branch: usize) -> TreeState {
        let known = &mut *self.tree.known();
        let scene = known.scene(state.public);
        let next = &scene.branches()[branch];
        let mut route = state.route.clone();
        route.events.push(next.event);
        TreeState {
            route,
            public: next.public,
            spot: self.tree.after(state.spot, branch),
            score: known.form.gain(state.score, next.gain),
            weight: state.weight * next.weight,
            ..*state
        }
    }

    /// Returns true if the tree is cut off here.
    pub fn is_leaf(&self, state: &TreeState) -> bool {
        self.shape(state).is_leaf()
    }

    /// The number of hands of both seats.
    pub fn hands(&self, state: &TreeState) -> [usize; 2] {
        self.shape(state).hands()
    }

    /// By hand of the first seat, then of the second: the probability that chance leads here with both.
    pub fn weights(&self, state: &TreeState) -> Vec<f64> {
        let [first, second] = self.hands(state);
        let mut weights = vec![0.0; first * second];
        let mut note = |[hand, other]: [usize; 2], weight: f64| weights[hand * second + other] = weight * state.weight;
        self.tree.known().form.each_pair(state.public, &mut note);
        weights
    }

    /// By hand of the first seat, then of the second: the expected return of a seat at an end; 0 for hands that do not fit.
    /// `None` elsewhere.
    pub fn returns(&self, state: &TreeState, seat: Seat) -> Option<Vec<f64>> {
        let scene = self.scene(state);
        let PublicScene::Ending(ending) = &*scene else { return None };
        let form = &self.tree.known().form;
        let of = |&gain| {
            let score = form.gain(state.score, gain);
            form.returns(score)[seat.index()] / form.weight(score)
        };
        let returns: Vec<f64> = ending.gains.iter().map(of).collect();
        Some(ending.outcomes.iter().map(|outcome| outcome.map_or(0.0, |place| returns[usize::from(place)])).collect())
    }

    /// The seat that acts, and the places of its rows. `None` where nobody has a choice.
    pub fn rows_at(&self, state: &TreeState) -> Option<(Seat, Range<usize>)> {
        let choice = self.shape(state).choice().filter(|choice| choice.num_cells() > 0)?;
        let first = self.rows[choice.mover()].first(&self.tree, state.spot);
        Some((Seat(choice.mover() as u8), first..first + choice.num_cells()))
    }

    /// The place of a hand of a seat.
    pub fn place(&self, state: &TreeState, seat: Seat, hand: usize) -> Place {
        let Route { opening, events } = state.route.clone();
        Place { opening, events, hand: self.tree.known().form.key(state.public, seat, hand), actions: Vec::new() }
    }

    /// The public states on the route to one, from where the tree begins, each with the branch that leads on.
    pub fn path(&self, state: &TreeState) -> Vec<(TreeState, usize)> {
        let Route { opening, events } = &state.route;
        let mut roots = self.roots().into_iter();
        let mut at = roots.find(|root| root.route.opening == *opening).expect("it is of this tree");
        let mut path = Vec::new();
        while let Some(event) = events.get(at.route.events.len()) {
            let is_it = |branch: &Branch| branch.event == *event;
            let branch = self.scene(&at).branches().iter().position(is_it).expect("it is of this tree");
            let next = self.child(&at, branch);
            path.push((std::mem::replace(&mut at, next), branch));
        }
        path
    }

    /// The rows of both seats of a policy of the whole game on public states; `None` if it is on those of another game, or
    /// only one of them is folded.
    pub fn rows_of(&self, policy: &RangePolicy, watch: Watch<'_>) -> Result<Option<[Vec<f32>; 2]>, Halted> {
        let whole = policy.tree();
        let [is_folded, is_here_folded] = [whole, &self.tree].map(|tree| tree.known().form.is_folded());
        if is_folded != is_here_folded {
            return Ok(None);
        }
        let begin_there = |root: TreeState| match Arc::ptr_eq(whole, &self.tree) {
            true => Some((root.spot, root.spot)),
            false => Some((root.spot, whole.find(&mut whole.known(), root.route.opening, &root.route.events)?.1)),
        };
        let Some(mut open) = self.roots().into_iter().map(begin_there).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let mut rows = self.rows.each_ref().map(|rows| vec![0.0; rows.size()[0]]);
        while let Some((here, there)) = open.pop() {
            goes_on(watch())?;
            let (Some(choice), Some(known)) = (self.tree.shape(here).choice(), whole.shape(there).choice()) else {
                continue;
            };
            if choice.cells != known.cells || choice.branches.len() != known.branches.len() {
                return Ok(None);
            }
            let seat = choice.mover();
            let first = self.rows[seat].first(&self.tree, here);
            for (_, row) in choice.rows() {
                let shares = normalized(&policy.numbers(there, row.clone()));
                rows[seat][first..][row].iter_mut().zip(shares).for_each(|(out, share)| *out = share as f32);
            }
            let branches = 0..choice.branches.len();
            open.extend(branches.map(|branch| (self.tree.after(here, branch), whole.after(there, branch))));
        }
        Ok(Some(rows))
    }

    /// The policy of these rows.
    pub fn policy(&self, policies: [&[f32]; 2]) -> Result<RangePolicy, NoPolicy> {
        let mut cells = self.tree.zeros();
        for (seat, policy) in policies.into_iter().enumerate() {
            for (part, cells) in cells.iter_mut().enumerate() {
                if !scatter(&self.tree, part, seat, &policy[self.rows[seat].parts[part][0]..], cells) {
                    return Err(self.rows[seat].refused(&self.tree, part, seat, policy));
                }
            }
        }
        Ok(RangePolicy::new(self.tree.clone(), cells))
    }

    /// Does one pass for a seat, if both seats play these policies. `ranges` are those at the root, by default 1. The results
    /// do not depend on the number of threads.
    pub fn regrets(
        &self,
        seat: Seat,
        policies: [&[f32]; 2],
        ranges: Option<[&[f32]; 2]>,
        pass: RowPass<'_, f32>,
        values: LeafValues<'_>,
        watch: Watch<'_>,
    ) -> Result<(), PassError> {
        self.run((seat.index(), policies, ranges, values, watch), Some(pass), None)
    }

    /// The course of play if both seats follow these policies.
    pub fn follow(
        &self,
        policies: [&[f32]; 2],
        ranges: Option<[&[f32]; 2]>,
        values: LeafValues<'_>,
        watch: Watch<'_>,
    ) -> Result<Play, PassError> {
        let mut numbers = [0, 1].map(|_| Vec::new());
        for (seat, numbers) in numbers.iter_mut().enumerate() {
            numbers.resize_with(self.tree.parts.len() + 1, Numbers::default);
            self.run((seat, policies, ranges, values, watch), None, Some(numbers))?;
        }
        Ok(Play { numbers })
    }

    fn run(
        &self,
        (seat, policies, ranges, values, watch): Given<'_>,
        out: Option<RowPass<'_, f32>>,
        kept: Option<&mut [Numbers]>,
    ) -> Result<(), PassError> {
        let Self { tree, rows, leaves, .. } = self;
        let sweep = Sweep { tree, rows, leaves, seat, policies, ranges, values, watch };
        // Values at leaves are asked for on the caller's thread, which may do other passes meanwhile.
        if !self.leaves.is_empty() {
            return sweep.run(out, kept, &self.idle);
        }
        let (mut given, mut result) = (Some((out, kept)), Ok(()));
        locked(&self.workers).install(self.threads, &mut || {
            let (out, kept) = given.take().expect("the work is done once");
            result = sweep.run(out, kept, &self.idle);
        });
        result
    }
}

/// The course of play if both seats follow policies: by public state and hand.
pub struct Play {
    /// By seat of a pass, and part.
    numbers: [Vec<Numbers>; 2],
}

impl Play {
    fn of(&self, tree: &PublicTree, state: &TreeState, seat: usize, numbers: &[f32]) -> Vec<f32> {
        tree.tree.places(state.spot, seat).map(|place| numbers[place]).collect()
    }

    /// The range of a seat: the probability that it plays to each hand, times its range at the root.
    pub fn range(&self, tree: &PublicTree, state: &TreeState, seat: Seat) -> Vec<f32> {
        let seat = seat.index();
        self.of(tree, state, seat, &self.numbers[seat ^ 1][state.spot.part].range)
    }

    /// The values of a seat's hands: see [`RowPass::values`].
    pub fn values(&self, tree: &PublicTree, state: &TreeState, seat: Seat) -> Vec<f32> {
        self.of(tree, state, seat.index(), &self.numbers[seat.index()][state.spot.part].values)
    }

    /// The probabilities that chance and the other seat lead to a seat's hands: see [`RowPass::others`].
    pub fn others(&self, tree: &PublicTree, state: &TreeState, seat: Seat) -> Vec<f32> {
        self.of(tree, state, seat.index(), &self.numbers[seat.index()][state.spot.part].others)
    }
}
