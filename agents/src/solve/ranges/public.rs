//! Public states for callers: a game or a part of it, its public states one by one, and passes over all of them.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use stier_core::public::{Branch, Opening, Place, PublicDetail, PublicForm, PublicScene, PublicState, Score};
use stier_core::{Action, Seat};

use super::excerpt::{Excerpt, Route};
use super::parts::{RangeTree, Spot};
use super::policy::{RangePolicy, normalized};
use super::rows::{
    HandRows, Leaf, LeafValues, Numbers, PassError, RowPass, Scratch, Sweep, choosing, most_hands, scatter,
};
use super::shapes::{Choice, Shape};
use super::{RangeSize, TooManyHands};
use crate::agent::threads::{Halted, Watch, Workers, goes_on, locked};
use crate::solve::passes::NoPolicy;

/// A game, or a part of it, on public states.
pub struct PublicTree {
    tree: Arc<RangeTree>,
    /// The form of the whole game.
    whole: Box<dyn PublicForm>,
    known: Mutex<Known>,
    /// The route from the beginning of the game, if the tree begins elsewhere.
    root: Option<Route>,
    rows: [HandRows; 2],
    leaves: Vec<Leaf>,
    /// By leaf: the route from the root.
    routes: Vec<Route>,
    /// Working memory that no pass is using.
    idle: Mutex<Vec<Scratch>>,
    workers: Mutex<Workers>,
    threads: usize,
}

/// The form of a tree, with the public states that were asked for last.
struct Known {
    form: Box<dyn PublicForm>,
    states: HashMap<PublicState, Seen>,
    /// The moves of hands in these public states.
    moves: usize,
}

/// A public state that was asked for.
#[derive(Clone)]
struct Seen {
    scene: Arc<PublicScene>,
    detail: Arc<PublicDetail>,
}

/// The most moves of hands in public states that are remembered: about 40 MB.
const MAX_MOVES: usize = 1 << 22;

impl Known {
    fn seen(&mut self, public: PublicState) -> Seen {
        if let Some(known) = self.states.get(&public) {
            return known.clone();
        }
        let (scene, detail) = (Arc::new(self.form.scene(public)), Arc::new(self.form.detail(public)));
        if self.moves > MAX_MOVES {
            self.states.clear();
            self.moves = 0;
        }
        self.moves += 1 + branches(&scene).iter().map(|branch| branch.moves.len()).sum::<usize>();
        self.states.entry(public).or_insert(Seen { scene, detail }).clone()
    }
}

fn branches(scene: &PublicScene) -> &[Branch] {
    match scene {
        PublicScene::Choice(choice) => &choice.branches,
        PublicScene::Ending(_) => &[],
    }
}

/// The arguments of a pass: the seat, the policies, the ranges at the root, the values of leaves, and the watch.
type Given<'a> = (usize, [&'a [f32]; 2], Option<[&'a [f32]; 2]>, LeafValues<'a>, Watch<'a>);

/// A public state of a tree, with what led to it.
#[derive(Clone, Debug)]
pub struct StateAt {
    /// The route from the beginning of the tree.
    pub route: Route,
    spot: Spot,
    score: Score,
    weight: f64,
}

impl PublicTree {
    /// Enumerates the public states of a game: those that follow the root, as far as so many choices. See
    /// [`RangeTree::new`].
    pub fn new(
        form: Box<dyn PublicForm>,
        root: Option<Route>,
        depth: Option<u32>,
        (max_bytes, threads): (u64, usize),
        watch: Watch<'_>,
    ) -> Result<Self, TooManyHands> {
        let is_whole = root.is_none() && depth.is_none();
        let whole = form.fresh();
        let mut form = if is_whole { form } else { Box::new(Excerpt::new(form, root.clone(), depth)) };
        let tree = Arc::new(RangeTree::build(&mut *form, true, max_bytes, watch)?);
        let rows = [HandRows::of(&tree, 0), HandRows::of(&tree, 1)];
        // Openings are asked for first, so that they are known by the same numbers ever after.
        let mut form = form.fresh();
        form.openings();
        let known = Mutex::new(Known { form, states: HashMap::new(), moves: 0 });
        let (idle, workers, leaves, routes) = (Mutex::default(), Mutex::default(), Vec::new(), Vec::new());
        let mut own = Self { tree, whole, known, root, rows, leaves, routes, idle, workers, threads };
        if depth.is_some() {
            own.find_leaves(watch)?;
        }
        Ok(own)
    }

    fn find_leaves(&mut self, watch: Watch<'_>) -> Result<(), Halted> {
        let mut roots = self.roots();
        roots.reverse();
        while let Some(state) = roots.pop() {
            goes_on(watch())?;
            if !self.shape(&state).is_leaf() {
                roots.extend((0..self.num_branches(&state)).rev().map(|branch| self.child(&state, branch)));
                continue;
            }
            self.leaves.push(Leaf { spot: state.spot, weight: state.weight });
            self.routes.push(state.route);
        }
        Ok(())
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<RangeTree> {
        &self.tree
    }

    /// The size of the tree.
    pub fn size(&self) -> RangeSize {
        self.tree.size()
    }

    /// A form of the whole game.
    pub fn form(&self) -> Box<dyn PublicForm> {
        self.whole.fresh()
    }

    /// A new form of the tree.
    pub fn tree_form(&self) -> Box<dyn PublicForm> {
        locked(&self.known).form.fresh()
    }

    /// True if the tree is that of a whole game.
    pub fn is_whole(&self) -> bool {
        self.root.is_none() && self.leaves.is_empty()
    }

    /// The numbers of a seat's rows and of its hands with a choice.
    pub fn num_rows(&self, seat: Seat) -> [usize; 2] {
        let rows = &self.rows[seat.index()];
        [rows.rows(), rows.sets()]
    }

    /// By hand with a choice of a seat: the place of its first row.
    pub fn first_rows(&self, seat: Seat) -> Vec<i64> {
        self.rows[seat.index()].firsts(&self.tree, seat.index())
    }

    /// By row of a seat: the action.
    pub fn actions(&self, seat: Seat, watch: Watch<'_>) -> Result<Vec<Action>, Halted> {
        let mut actions = vec![Action(0); self.num_rows(seat)[0]];
        let mut known: HashMap<PublicState, Arc<[Action]>> = HashMap::new();
        self.each_choice(watch, &mut |detail, spot, choice| {
            if choice.mover != seat || choice.cells.last() == Some(&0) {
                return;
            }
            let found = known
                .entry(spot.public)
                .or_insert_with(|| choosing(choice).flat_map(|hand| &detail.legal[hand]).copied().collect());
            let first = self.rows[seat.index()].first(&self.tree, spot);
            actions[first..][..found.len()].copy_from_slice(found);
        })?;
        Ok(actions)
    }

    /// The expected number of times that a player chooses an action, if both follow these policies. Fails if public states
    /// give the action other names.
    pub fn frequency(&self, policies: [&[f32]; 2], action: Action, watch: Watch<'_>) -> Result<Option<f64>, PassError> {
        if !self.whole.keeps_name(action) {
            return Ok(None);
        }
        let play = self.follow(policies, None, &|_, _, _| ControlFlow::Break(()), watch)?;
        // By public state: the hands that have the action, with its rank.
        let mut known: HashMap<PublicState, Vec<(usize, usize)>> = HashMap::new();
        let mut sum = 0.0;
        self.each_choice(watch, &mut |detail, spot, choice| {
            let found = known.entry(spot.public).or_insert_with(|| {
                let rank = |legal: &Vec<Action>| legal.iter().position(|&other| other == action);
                detail.legal.iter().map(rank).enumerate().filter_map(|(hand, rank)| Some((hand, rank?))).collect()
            });
            if found.is_empty() {
                return;
            }
            let (seat, first) = (choice.mover.index(), self.rows[choice.mover.index()].first(&self.tree, spot));
            let block = self.tree.block(spot.part, spot.shape);
            for &(hand, rank) in &*found {
                let place = block.hands[seat] + hand * block.width + spot.lane;
                let [own, other] = [&play.numbers[seat ^ 1][spot.part].range, &play.numbers[seat][spot.part].others];
                let cells = &choice.cells[hand..hand + 2];
                let share =
                    if cells[0] < cells[1] { policies[seat][first + usize::from(cells[0]) + rank] } else { 1.0 };
                sum += f64::from(own[place]) * f64::from(other[place]) * f64::from(share);
            }
        })?;
        Ok(Some(sum))
    }

    /// Goes through all public states in which a player acts, or chance.
    fn each_choice(&self, watch: Watch<'_>, visit: &mut dyn FnMut(&PublicDetail, Spot, &Choice)) -> Result<(), Halted> {
        let known = &mut *locked(&self.known);
        let mut open: Vec<Spot> = self.openings(known).into_iter().map(|(spot, _)| spot).collect();
        while let Some(spot) = open.pop() {
            let Shape::Choice(choice) = &self.tree.shapes.all[spot.shape as usize] else { continue };
            goes_on(watch())?;
            let Seen { scene, detail } = known.seen(spot.public);
            let next = branches(&scene).iter().enumerate();
            open.extend(next.map(|(branch, next)| self.after(spot, branch, next.public)));
            visit(&detail, spot, choice);
        }
        Ok(())
    }

    fn after(&self, spot: Spot, branch: usize, public: PublicState) -> Spot {
        self.tree.below(self.tree.after(spot, branch, public))
    }

    fn openings(&self, known: &mut Known) -> Vec<(Spot, Opening)> {
        let spot = |(number, opening): (usize, Opening)| {
            let spot = self.tree.opening(number, opening.public).expect("the tree is of this form");
            (self.tree.below(spot), opening)
        };
        known.form.openings().into_iter().enumerate().map(spot).collect()
    }

    /// The public states in which the tree begins.
    pub fn roots(&self) -> Vec<StateAt> {
        let openings = self.openings(&mut locked(&self.known)).into_iter().enumerate();
        let root = |(number, (spot, opening)): (usize, (Spot, Opening))| {
            let Opening { score, weight, .. } = opening;
            StateAt { route: Route { opening: number, branches: Vec::new() }, spot, score, weight }
        };
        openings.map(root).collect()
    }

    /// The random event by which the root of a public state differs from others.
    pub fn event_of_root(&self, state: &StateAt) -> Option<Action> {
        locked(&self.known).form.openings()[state.route.opening].event
    }

    /// The public states at which the tree is cut off, in the order of the arrays of [`LeafValues`].
    pub fn leaves(&self) -> Vec<StateAt> {
        self.routes.iter().map(|route| self.state_at(route)).collect()
    }

    /// The most hands of a seat at a leaf.
    pub fn most_hands(&self) -> usize {
        most_hands(&self.tree, &self.leaves)
    }

    fn state_at(&self, route: &Route) -> StateAt {
        let root = self.roots().swap_remove(route.opening);
        route.branches.iter().fold(root, |state, &branch| self.child(&state, branch.into()))
    }

    /// The route to a public state from the beginning of the game.
    pub fn whole_route(&self, state: &StateAt) -> Route {
        match &self.root {
            Some(Route { opening, branches }) => {
                Route { opening: *opening, branches: [&branches[..], &state.route.branches].concat() }
            }
            None => state.route.clone(),
        }
    }

    fn shape(&self, state: &StateAt) -> &Shape {
        &self.tree.shapes.all[state.spot.shape as usize]
    }

    /// The scene of a public state.
    pub fn scene(&self, state: &StateAt) -> Arc<PublicScene> {
        locked(&self.known).seen(state.spot.public).scene
    }

    /// More about a public state.
    pub fn detail(&self, state: &StateAt) -> Arc<PublicDetail> {
        locked(&self.known).seen(state.spot.public).detail
    }

    /// The number of public states that follow at once.
    pub fn num_branches(&self, state: &StateAt) -> usize {
        self.shape(state).branches().len()
    }

    /// The public state after an event, which must be one of those that can follow.
    pub fn child(&self, state: &StateAt, branch: usize) -> StateAt {
        let scene = self.scene(state);
        let next = &branches(&scene)[branch];
        let mut route = state.route.clone();
        route.branches.push(branch as u8);
        let score = locked(&self.known).form.gain(state.score, next.gain);
        let spot = self.after(state.spot, branch, next.public);
        StateAt { route, spot, score, weight: state.weight * next.weight }
    }

    /// Returns true if the tree is cut off here.
    pub fn is_leaf(&self, state: &StateAt) -> bool {
        self.shape(state).is_leaf()
    }

    /// The number of hands of both seats.
    pub fn hands(&self, state: &StateAt) -> [usize; 2] {
        self.shape(state).hands().map(usize::from)
    }

    /// By hand of the first seat, then of the second: the probability that chance leads here with both.
    pub fn weights(&self, state: &StateAt) -> Vec<f64> {
        let [first, second] = self.hands(state);
        let mut weights = vec![0.0; first * second];
        let mut note = |[hand, other]: [usize; 2], weight: f64| weights[hand * second + other] = weight * state.weight;
        locked(&self.known).form.each_pair(state.spot.public, &mut note);
        weights
    }

    /// By hand of the first seat, then of the second: the expected return of a seat at an end; 0 for hands that do not fit.
    /// `None` elsewhere.
    pub fn returns(&self, state: &StateAt, seat: Seat) -> Option<Vec<f64>> {
        let scene = self.scene(state);
        let PublicScene::Ending(ending) = &*scene else { return None };
        if ending.gains.is_empty() {
            return None;
        }
        let form = &locked(&self.known).form;
        let of = |&gain| {
            let score = form.gain(state.score, gain);
            form.returns(score)[seat.index()] / form.weight(score)
        };
        let returns: Vec<f64> = ending.gains.iter().map(of).collect();
        Some(ending.outcomes.iter().map(|outcome| outcome.map_or(0.0, |place| returns[usize::from(place)])).collect())
    }

    /// The seat that acts, the place of its first row, and by its hand: the number of rows. `None` where nobody has a choice.
    pub fn rows_at(&self, state: &StateAt) -> Option<(Seat, usize, Vec<usize>)> {
        let Shape::Choice(choice) = self.shape(state) else { return None };
        let widths: Vec<usize> = choice.cells.windows(2).map(|ends| usize::from(ends[1] - ends[0])).collect();
        let is_choice = widths.iter().any(|&width| width > 0);
        is_choice.then(|| (choice.mover, self.rows[choice.mover.index()].first(&self.tree, state.spot), widths))
    }

    /// The place of a hand of a seat.
    pub fn place(&self, state: &StateAt, seat: Seat, hand: usize) -> Place {
        let known = &mut *locked(&self.known);
        let (opening, mut events) = known.form.origin(state.route.opening);
        let mut public = known.form.openings()[state.route.opening].public;
        for &branch in &state.route.branches {
            let scene = known.seen(public).scene;
            let branch = &branches(&scene)[usize::from(branch)];
            events.extend(branch.action);
            public = branch.public;
        }
        Place { opening, events, hand: known.form.key(public, seat, hand), actions: Vec::new() }
    }

    /// The public states on the route to one, from where the tree begins, each with the branch that leads on.
    pub fn path(&self, state: &StateAt) -> Vec<(StateAt, usize)> {
        let mut at = self.roots().swap_remove(state.route.opening);
        let mut step = |&branch: &u8| {
            let next = self.child(&at, branch.into());
            (std::mem::replace(&mut at, next), branch.into())
        };
        state.route.branches.iter().map(&mut step).collect()
    }

    /// The rows of both seats of a policy of the whole game on public states; `None` if it is on those of another game.
    pub fn rows_of(&self, policy: &RangePolicy, watch: Watch<'_>) -> Result<Option<[Vec<f32>; 2]>, Halted> {
        let whole = policy.tree();
        let Some(mut open) = self.begin_in(whole) else { return Ok(None) };
        let mut rows = [0, 1].map(|seat: usize| vec![0.0; self.rows[seat].rows()]);
        while let Some((here, there)) = open.pop() {
            goes_on(watch())?;
            let [Shape::Choice(choice), Shape::Choice(known)] =
                [(&self.tree, here), (whole, there)].map(|(tree, spot)| &tree.shapes.all[spot.shape as usize])
            else {
                continue;
            };
            if choice.cells != known.cells || choice.branches.len() != known.branches.len() {
                return Ok(None);
            }
            let seat = choice.mover.index();
            let block = whole.block(there.part, there.shape);
            let out = &mut rows[seat][self.rows[seat].first(&self.tree, here)..];
            for ends in choice.cells.windows(2).filter(|ends| ends[0] < ends[1]) {
                let cells = usize::from(ends[0])..usize::from(ends[1]);
                let number = |cell: usize| policy.rows()[there.part][block.cells + cell * block.width + there.lane];
                let numbers: Vec<f64> = cells.clone().map(|cell| f64::from(number(cell).max(0.0))).collect();
                for (cell, share) in cells.zip(normalized(&numbers)) {
                    out[cell] = share as f32;
                }
            }
            let branches = 0..choice.branches.len();
            open.extend(
                branches.map(|branch| (self.after(here, branch, 0), whole.below(whole.after(there, branch, 0)))),
            );
        }
        Ok(Some(rows))
    }

    /// The public states in which this tree begins, here and in that of the whole game; `None` if it is of another game.
    fn begin_in(&self, whole: &Arc<RangeTree>) -> Option<Vec<(Spot, Spot)>> {
        let at = |tree: &RangeTree, number: usize| Some(tree.below(tree.opening(number, 0)?));
        let Some(route) = self.root.as_ref().filter(|_| !Arc::ptr_eq(whole, &self.tree)) else {
            return (0..self.tree.shapes.openings.len()).map(|n| Some((at(&self.tree, n)?, at(whole, n)?))).collect();
        };
        let after = |there: Spot, branch: &u8| whole.below(whole.after(there, usize::from(*branch), 0));
        let there = route.branches.iter().fold(at(whole, route.opening)?, after);
        Some(vec![(at(&self.tree, 0)?, there)])
    }

    /// The policy of these rows.
    pub fn policy(&self, policies: [&[f32]; 2], game: &str) -> Result<RangePolicy, NoPolicy> {
        let mut cells: Vec<Vec<f32>> = self.tree.all_parts().map(|part| vec![0.0; part.num_cells]).collect();
        for (seat, policy) in policies.into_iter().enumerate() {
            for (part, cells) in cells.iter_mut().enumerate() {
                if !scatter(&self.tree, part, seat, &policy[self.rows[seat].parts[part][0]..], cells) {
                    return Err(self.rows[seat].refused(&self.tree, part, seat, policy));
                }
            }
        }
        Ok(RangePolicy::new(self.tree.clone(), cells, self.form(), game))
    }

    /// Does one pass for a seat, if both seats play these policies. `ranges` are those at the root, by default 1. The results
    /// do not depend on the number of threads.
    pub fn regrets(
        &self,
        seat: Seat,
        policies: [&[f32]; 2],
        ranges: Option<[&[f32]; 2]>,
        pass: RowPass<'_>,
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
        out: Option<RowPass<'_>>,
        kept: Option<&mut [Numbers]>,
    ) -> Result<(), PassError> {
        let Self { tree, rows, leaves, known, .. } = self;
        let each_pair = |public, visit: &mut dyn FnMut([usize; 2], f64)| locked(known).form.each_pair(public, visit);
        let sweep = Sweep { tree, rows, leaves, seat, policies, ranges, values, each_pair: &each_pair, watch };
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
    fn of(&self, tree: &PublicTree, state: &StateAt, seat: usize, numbers: &[f32]) -> Vec<f32> {
        let Spot { shape, lane, part, .. } = state.spot;
        let places = tree.tree.part(part).places(&tree.tree.shapes, (shape, lane), seat);
        places.map(|place| numbers[place]).collect()
    }

    /// The range of a seat: the probability that it plays to each hand, times its range at the root.
    pub fn range(&self, tree: &PublicTree, state: &StateAt, seat: Seat) -> Vec<f32> {
        let seat = seat.index();
        self.of(tree, state, seat, &self.numbers[seat ^ 1][state.spot.part].range)
    }

    /// The values of a seat's hands: see [`RowPass::values`].
    pub fn values(&self, tree: &PublicTree, state: &StateAt, seat: Seat) -> Vec<f32> {
        self.of(tree, state, seat.index(), &self.numbers[seat.index()][state.spot.part].values)
    }

    /// The probabilities that chance and the other seat lead to a seat's hands: see [`RowPass::others`].
    pub fn others(&self, tree: &PublicTree, state: &StateAt, seat: Seat) -> Vec<f32> {
        self.of(tree, state, seat.index(), &self.numbers[seat.index()][state.spot.part].others)
    }
}
