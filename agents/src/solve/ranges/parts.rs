//! The public states themselves: the lanes of each shape, and where their numbers are.
//!
//! The tree is cut below its first decisions: one part on top, and parts below that share the shapes, can be worked on by
//! different threads, and are the same for any number of threads.

use std::sync::{Mutex, MutexGuard};

use stier_core::Action;
use stier_core::public::{Opening, PublicForm, PublicState, Score};

use super::excerpt::{Excerpt, Route};
use super::known::Known;
use super::shapes::{Choice, Shape, Shapes};
use super::{RangeSize, RangesTooLarge};
use crate::agent::order::sorted;
use crate::agent::threads::{Halted, Watch, locked};

/// The number of lanes in a vector.
pub(super) const LANES: usize = 8;
/// The most parts below the top.
const MAX_PARTS: u64 = 64;
/// The number of hands in a part, unless that makes too many parts. More would take more working memory, fewer would leave
/// the lanes of a shape too few for vector registers.
pub(super) const HANDS: u64 = 2_000_000;
/// The least number of public states at the cut for each part, so that all get about as much work.
const SHARE: usize = 4;

/// The number of lanes of a shape in memory: whole vectors, but one if it is alone.
fn padded(lanes: usize) -> usize {
    if lanes > 1 { lanes.next_multiple_of(LANES) } else { lanes }
}

/// The place of a shape's numbers in a part.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// True if the part ends here: what follows is in other parts, and so are the numbers of actions.
    pub(super) is_cut: bool,
    /// The number of public states.
    pub(super) lanes: usize,
    /// The number of lanes in memory.
    pub(super) width: usize,
    /// The start of the offsets of its branches.
    pub(super) offsets: usize,
    /// By seat: the start of the numbers of its hands.
    pub(super) hands: [usize; 2],
    /// The start of the numbers of its actions.
    pub(super) cells: usize,
    /// At the end: by change of the score and lane, the start of the returns.
    pub(super) returns: usize,
    /// At the end: by lane, the start of the numbers of copies.
    pub(super) copies: usize,
}

/// The places of rows of numbers, one for each hand or action.
#[derive(Clone, Copy)]
pub(super) struct Places {
    first: usize,
    width: usize,
}

impl Places {
    #[inline(always)]
    pub(super) fn new(first: usize, width: usize) -> Self {
        Self { first, width }
    }

    #[inline(always)]
    pub(super) fn at(self, number: usize) -> usize {
        self.first + number * self.width
    }
}

impl Block {
    /// The places of the numbers of a seat's hands from a lane on, after so many numbers.
    #[inline(always)]
    pub(super) fn places(&self, seat: usize, lane: usize, after: usize) -> Places {
        Places { first: self.hands[seat] + lane - after, width: self.width }
    }

    /// The places of the numbers of actions from a lane on.
    #[inline(always)]
    pub(super) fn cells(&self, lane: usize) -> Places {
        Places { first: self.cells + lane, width: self.width }
    }

    /// The place of the numbers of a seat's hand.
    #[inline(always)]
    pub(super) fn hand(&self, seat: usize, hand: usize) -> usize {
        self.hands[seat] + hand * self.width
    }

    /// The place of the numbers of an action.
    #[inline(always)]
    pub(super) fn cell(&self, cell: usize) -> usize {
        self.cells + cell * self.width
    }
}

/// Some of the public states of a game.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// By shape.
    pub(super) blocks: Vec<Block>,
    /// By shape and branch: the first lane in the next shape.
    offsets: Vec<usize>,
    /// The shape and lane of each public state in which the part begins.
    pub(super) openings: Vec<(u32, usize)>,
    /// By seat: returns at the end, times the probability of chance; by shape, change of the score and lane.
    pub(super) returns: [Vec<f64>; 2],
    /// The same for a return of 1, if it is wanted.
    pub(super) weights: Vec<f64>,
    /// At the end: the number of public states for which each stands; by shape and lane.
    pub(super) copies: Vec<u8>,
    /// The sizes of all numbers of hands by seat, and of actions.
    pub(super) num_hands: [usize; 2],
    pub(super) num_cells: usize,
}

/// The part of what happened before a public state that counts in the end.
#[derive(Clone, Copy, Debug)]
struct Past {
    score: Score,
    /// The probability of chance.
    weight: f64,
    /// The number of public states for which it stands.
    copies: u8,
}

impl Past {
    /// The same after an effect.
    fn after(self, form: &dyn PublicForm, shapes: &Shapes, effect: u32) -> Self {
        let (gain, chance) = shapes.effects[effect as usize];
        Self { score: form.gain(self.score, gain), weight: self.weight * chance, ..self }
    }
}

/// A public state where a part begins or ends.
#[derive(Clone, Copy, Debug)]
struct Lane {
    shape: u32,
    past: Past,
}

impl Part {
    /// The part that begins with these lanes. Shapes that are `cut` have no descendants in it. Returns the lanes of these
    /// shapes, too.
    fn new(
        (form, has_weights): (&dyn PublicForm, bool),
        shapes: &Shapes,
        begin: &[Lane],
        cut: &[bool],
    ) -> (Self, Vec<(u32, usize, Lane)>) {
        let mut lanes: Vec<Vec<Past>> = vec![Vec::new(); shapes.all.len()];
        // By shape: the end of the lanes that are written, which come in whole vectors.
        let mut written = vec![0; shapes.all.len()];
        let mut own = Self {
            blocks: Vec::with_capacity(shapes.all.len()),
            offsets: Vec::new(),
            openings: Vec::with_capacity(begin.len()),
            returns: [Vec::new(), Vec::new()],
            weights: Vec::new(),
            copies: Vec::new(),
            num_hands: [0; 2],
            num_cells: 0,
        };
        for &Lane { shape, past } in begin {
            let lanes = &mut lanes[shape as usize];
            own.openings.push((shape, lanes.len()));
            lanes.push(past);
        }
        let mut ends = Vec::new();
        // All lanes of a shape are known once those that lead to it have been seen.
        for (number, shape) in shapes.all.iter().enumerate().rev() {
            let here = std::mem::take(&mut lanes[number]);
            let block = own.add(shape, here.len(), written[number], cut[number]);
            if cut[number] {
                let shape = number as u32;
                ends.extend(here.into_iter().enumerate().map(|(lane, past)| (shape, lane, Lane { shape, past })));
                own.blocks.push(block);
                continue;
            }
            for branch in shape.branches() {
                let next = &mut lanes[branch.shape as usize];
                let end = &mut written[branch.shape as usize];
                *end = (next.len() + padded(here.len())).max(*end);
                own.offsets.push(next.len());
                next.extend(here.iter().map(|past| {
                    let past = past.after(form, shapes, branch.effect);
                    Past { copies: past.copies * branch.copies, ..past }
                }));
            }
            if let Shape::Ending(pairs) = shape {
                own.copies.extend((0..block.width).map(|lane| here.get(lane).map_or(0, |past| past.copies)));
                for &effect in &pairs.effects {
                    for lane in 0..block.width {
                        let (returns, weight) = here.get(lane).map_or(([0.0; 2], 0.0), |past| {
                            let Past { score, weight, .. } = past.after(form, shapes, effect);
                            (form.returns(score).map(|value| value * weight), form.weight(score) * weight)
                        });
                        own.returns.iter_mut().zip(returns).for_each(|(all, value)| all.push(value));
                        own.weights.extend(has_weights.then_some(weight));
                    }
                }
            }
            own.blocks.push(block);
        }
        own.blocks.reverse();
        (own, ends)
    }

    /// Makes room for the numbers of a shape.
    fn add(&mut self, shape: &Shape, lanes: usize, written: usize, is_cut: bool) -> Block {
        let width = padded(lanes.max(written));
        let block = Block {
            is_cut,
            lanes,
            width,
            offsets: self.offsets.len(),
            hands: self.num_hands,
            cells: self.num_cells,
            returns: self.returns[0].len(),
            copies: self.copies.len(),
        };
        for seat in 0..2 {
            self.num_hands[seat] += shape.hands()[seat] * width;
        }
        self.num_cells += if is_cut { 0 } else { shape.num_cells() * width };
        block
    }

    /// By branch of a shape: the first lane in the next shape.
    #[inline(always)]
    pub(super) fn offsets(&self, block: &Block) -> &[usize] {
        &self.offsets[block.offsets..]
    }

    /// The places of the numbers of a seat's hands where the part begins.
    pub(super) fn begin<'a>(&'a self, shapes: &'a Shapes, seat: usize) -> impl Iterator<Item = usize> + 'a {
        self.openings.iter().flat_map(move |&opening| self.places(shapes, opening, seat))
    }

    /// The places of the numbers of a seat's hands in a public state, given by its shape and lane.
    pub(super) fn places(
        &self,
        shapes: &Shapes,
        (shape, lane): (u32, usize),
        seat: usize,
    ) -> impl Iterator<Item = usize> + use<> {
        let block = &self.blocks[shape as usize];
        let (start, hands) = (block.hands[seat] + lane, shapes.all[shape as usize].hands()[seat]);
        (start..).step_by(block.width.max(1)).take(hands)
    }
}

/// The place of a public state's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) shape: u32,
    pub(super) lane: usize,
    /// The number of the part; the top one is the last.
    pub(super) part: usize,
}

/// Gets the form, a public state with its route and its place, and what can happen there.
pub(super) type Visit<'a> =
    &'a mut dyn FnMut(&dyn PublicForm, &Route, (PublicState, Spot), &Choice) -> Result<(), Halted>;

/// A public state of a tree, with what led to it.
#[derive(Clone, Debug)]
pub struct TreeState {
    /// The route from the beginning of the game.
    pub route: Route,
    /// The random event by which its opening differs from others.
    pub event: Option<Action>,
    pub(super) public: PublicState,
    pub(super) spot: Spot,
    pub(super) score: Score,
    pub(super) weight: f64,
}

/// All public states of a game, or of a part of it.
pub struct RangeTree {
    /// The game, with its rules.
    game: String,
    /// The form of the whole game.
    pub(super) whole: Box<dyn PublicForm>,
    /// The route to where the tree begins, if it does not begin with the game.
    pub(super) root: Option<Route>,
    /// The form of the tree.
    known: Mutex<Known>,
    pub(super) shapes: Shapes,
    pub(super) top: Part,
    pub(super) parts: Vec<Part>,
    /// By part and opening: the lane of the same public state in the top part.
    pub(super) links: Vec<Vec<usize>>,
    size: RangeSize,
}

impl RangeTree {
    /// Enumerates the public states of a game, unless solving it takes more than so many bytes. `game` is its name with its
    /// rules. `watch` is asked at each shape, and may stop it.
    pub fn new(
        form: Box<dyn PublicForm>,
        game: &str,
        max_bytes: u64,
        watch: Watch<'_>,
    ) -> Result<Self, RangesTooLarge> {
        Self::build(form, game, (None, None), false, max_bytes, watch)
    }

    /// The same for a root and a depth, with the weights of returns if they are wanted.
    pub(super) fn build(
        form: Box<dyn PublicForm>,
        game: &str,
        (root, depth): (Option<Route>, Option<u32>),
        has_weights: bool,
        max_bytes: u64,
        watch: Watch<'_>,
    ) -> Result<Self, RangesTooLarge> {
        let whole = form.fresh();
        let mut form = match (&root, depth) {
            (None, None) => form,
            _ => Box::new(Excerpt::new(form, root.clone(), depth)),
        };
        let shapes = Shapes::new(&mut *form, max_bytes, watch)?;
        let size = RangeSize::of(&shapes);
        if size.bytes() > max_bytes {
            return Err(RangesTooLarge::Memory { size, most: max_bytes });
        }
        let lane = |&(shape, Opening { score, weight, .. }): &(u32, Opening)| Lane {
            shape,
            past: Past { score, weight, copies: 1 },
        };
        let begin: Vec<Lane> = shapes.openings.iter().map(lane).collect();
        let has_leaves = shapes.all.iter().any(Shape::is_leaf);
        let count = if has_leaves { 1 } else { (size.hands / HANDS).clamp(1, MAX_PARTS) as usize };
        // A small tree has a top part alone.
        let cut = if count > 1 { cut(&shapes, SHARE * count) } else { vec![false; shapes.all.len()] };
        let with_weights = (&*form, has_weights);
        let (top, ends) = Part::new(with_weights, &shapes, &begin, &cut);
        // The largest go first, each to the part that has least.
        let below = num_cells_below(&shapes);
        let cells = |end: usize| below[ends[end].0 as usize];
        let order = sorted(ends.len(), &mut |one, other| cells(other).total_cmp(&cells(one)));
        let mut shares: Vec<Vec<Lane>> = vec![Vec::new(); count.min(ends.len())];
        let mut loads = vec![0.0; shares.len()];
        let mut links = vec![Vec::new(); shares.len()];
        for end in order {
            let (_, lane, begin) = ends[end];
            let part = (0..loads.len()).min_by(|&a, &b| f64::total_cmp(&loads[a], &loads[b])).expect("there are parts");
            loads[part] += cells(end) + 1.0;
            links[part].push(lane);
            shares[part].push(begin);
        }
        let nowhere = vec![false; shapes.all.len()];
        let parts = shares.iter().map(|share| Part::new(with_weights, &shapes, share, &nowhere).0).collect();
        let (game, known) = (game.to_string(), Mutex::new(Known::new(form.fresh())));
        Ok(Self { game, whole, root, known, shapes, top, parts, links, size })
    }

    /// The game, with its rules.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// A new form of the whole game.
    pub fn form(&self) -> Box<dyn PublicForm> {
        self.whole.fresh()
    }

    /// The form of the tree, with the public states that were asked for last.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        locked(&self.known)
    }

    /// The same for visitors that may ask for public states of the tree meanwhile.
    pub(super) fn fresh(&self) -> Known {
        Known::new(self.known().form.fresh())
    }

    /// The size of the game.
    pub fn size(&self) -> RangeSize {
        self.size
    }

    /// The number of hands with a choice in all public states.
    pub fn num_choices(&self) -> u64 {
        let parts = 0..=self.parts.len();
        parts
            .flat_map(|part| self.choices(part))
            .map(|(_, choice, block)| choice.rows().count() * block.lanes)
            .sum::<usize>() as u64
    }

    /// The shapes in a part in which a player acts, or chance.
    pub(super) fn choices(&self, part: usize) -> impl Iterator<Item = (usize, &Choice, &Block)> {
        let shapes = self.shapes.all.iter().zip(&self.part(part).blocks).enumerate();
        let here = shapes.filter(|(_, (_, block))| !block.is_cut);
        here.filter_map(|(number, (shape, block))| Some((number, shape.choice()?, block)))
    }

    /// The public states in which the tree begins.
    pub(super) fn roots(&self) -> Vec<TreeState> {
        let root = |(number, &Opening { public, score, weight, event }): (usize, &Opening)| {
            let route = self.root.clone().unwrap_or(Route { opening: number, events: Vec::new() });
            let spot = self.opening(number).expect("the tree is of this form");
            TreeState { route, event, public, spot, score, weight }
        };
        self.known().openings.iter().enumerate().map(root).collect()
    }

    /// Calls `visit` for each public state in which somebody acts, before those that follow.
    pub(super) fn walk(&self, known: &mut Known, visit: Visit<'_>) -> Result<(), Halted> {
        let mut go =
            |TreeState { mut route, public, spot, .. }| self.walk_from(known, &mut route, (public, spot), visit);
        self.roots().into_iter().try_for_each(&mut go)
    }

    fn walk_from(
        &self,
        known: &mut Known,
        route: &mut Route,
        (public, spot): (PublicState, Spot),
        visit: Visit<'_>,
    ) -> Result<(), Halted> {
        let Some(choice) = self.shape(spot).choice() else { return Ok(()) };
        visit(&*known.form, route, (public, spot), choice)?;
        // Not even their scene is needed if nobody acts in those that follow.
        if choice.branches.iter().all(|branch| self.shapes.all[branch.shape as usize].choice().is_none()) {
            return Ok(());
        }
        for (number, branch) in known.scene(public).branches().iter().enumerate() {
            route.events.push(branch.event);
            self.walk_from(known, route, (branch.public, self.after(spot, number)), visit)?;
            route.events.pop();
        }
        Ok(())
    }

    /// The place of an opening.
    pub(super) fn opening(&self, number: usize) -> Option<Spot> {
        let &(shape, lane) = self.top.openings.get(number)?;
        Some(self.below(Spot { shape, lane, part: self.parts.len() }))
    }

    /// The place after a branch.
    pub(super) fn after(&self, spot: Spot, branch: usize) -> Spot {
        let Spot { lane, part, .. } = spot;
        let shape = self.shape(spot).branches()[branch].shape;
        self.below(Spot { shape, lane: lane + self.part(part).offsets(self.block(spot))[branch], part })
    }

    /// The public state after these events since an opening, and its place. `None` if it is not in the tree.
    pub(super) fn find(&self, known: &mut Known, opening: usize, events: &[Action]) -> Option<(PublicState, Spot)> {
        let mut at = (known.openings.get(opening)?.public, self.opening(opening)?);
        for event in events {
            let scene = known.scene(at.0);
            let branch = scene.branches().iter().position(|branch| branch.event == *event)?;
            at = (scene.branches()[branch].public, self.after(at.1, branch));
        }
        Some(at)
    }

    /// The place in the part below, for one at the end of the top part.
    fn below(&self, spot: Spot) -> Spot {
        if !self.block(spot).is_cut {
            return spot;
        }
        let openings = self.parts.iter().zip(&self.links).enumerate().flat_map(|(number, (part, links))| {
            part.openings.iter().zip(links).map(move |(&opening, &above)| (number, opening, above))
        });
        let is_here =
            |&(_, opening, above): &(usize, (u32, usize), usize)| (opening.0, above) == (spot.shape, spot.lane);
        let (part, (_, lane), _) = openings.into_iter().find(is_here).expect("the cut is linked");
        Spot { lane, part, ..spot }
    }

    /// By hand of a seat where a part begins: its place there, and in the top part.
    pub(super) fn seam(&self, number: usize, seat: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let part = &self.parts[number];
        part.openings.iter().zip(&self.links[number]).flat_map(move |(&opening, &lane)| {
            let above = self.top.places(&self.shapes, (opening.0, lane), seat);
            part.places(&self.shapes, opening, seat).zip(above)
        })
    }

    pub(super) fn shape(&self, spot: Spot) -> &Shape {
        &self.shapes.all[spot.shape as usize]
    }

    /// The places of the numbers of a seat's hands in a public state.
    pub(super) fn places(&self, Spot { shape, lane, part }: Spot, seat: usize) -> impl Iterator<Item = usize> + use<> {
        self.part(part).places(&self.shapes, (shape, lane), seat)
    }

    /// By hand of the other seat in a public state, of which there are so many: the sum of a seat's numbers over the hands
    /// that fit, each times the probability of chance.
    pub(super) fn sums(&self, public: PublicState, seat: usize, numbers: &[f64], count: usize) -> Vec<f64> {
        let mut sums = vec![0.0; count];
        let mut add = |hands: [usize; 2], weight: f64| sums[hands[seat ^ 1]] += weight * numbers[hands[seat]];
        self.known().form.each_pair(public, &mut add);
        sums
    }

    /// A part; the top one is the last.
    pub(super) fn part(&self, number: usize) -> &Part {
        self.parts.get(number).unwrap_or(&self.top)
    }

    /// The place of the numbers of a shape in a part.
    pub(super) fn block(&self, spot: Spot) -> &Block {
        &self.part(spot.part).blocks[spot.shape as usize]
    }

    /// A number for each action of a hand with a choice; by part.
    pub(super) fn zeros(&self) -> Vec<Vec<f32>> {
        self.all_parts().map(|part| vec![0.0; part.num_cells]).collect()
    }

    /// Gives actions that differ only by names the mean of their numbers, which hold one for each action of a hand with a
    /// choice; by part.
    pub(super) fn share_evenly(&self, rows: &mut [Vec<f32>]) {
        for (part, rows) in rows.iter_mut().enumerate() {
            for (_, choice, block) in self.choices(part) {
                for group in &choice.alike {
                    let places: Vec<usize> = group.iter().map(|&cell| block.cell(cell.into())).collect();
                    for lane in 0..block.lanes {
                        let sum: f32 = places.iter().map(|place| rows[place + lane]).sum();
                        places.iter().for_each(|place| rows[place + lane] = sum / places.len() as f32);
                    }
                }
            }
        }
    }

    /// All parts, the top one last.
    pub(super) fn all_parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().chain([&self.top])
    }
}

/// By shape: the number of actions with a choice in it and in all that follows.
fn num_cells_below(shapes: &Shapes) -> Vec<f64> {
    let mut below: Vec<f64> = Vec::with_capacity(shapes.all.len());
    for shape in &shapes.all {
        let after: f64 = shape.branches().iter().map(|branch| below[branch.shape as usize]).sum();
        below.push(after + shape.num_cells() as f64);
    }
    below
}

/// Chooses the shapes at which the top part ends: it takes in the largest shape until at least so many public states are at its end.
fn cut(shapes: &Shapes, least: usize) -> Vec<bool> {
    let below = num_cells_below(shapes);
    // By shape: the number of its public states at the end of the top part.
    let mut ends = vec![0_usize; shapes.all.len()];
    let mut is_top = vec![false; shapes.all.len()];
    shapes.openings.iter().for_each(|&(shape, _)| ends[shape as usize] += 1);
    while ends.iter().sum::<usize>() < least {
        let open = (0..ends.len()).filter(|&shape| ends[shape] > 0 && !shapes.all[shape].branches().is_empty());
        // Of equal shapes the last, which no other leads to.
        let Some(largest) = open.max_by(|&a, &b| below[a].total_cmp(&below[b]).then(a.cmp(&b))) else { break };
        is_top[largest] = true;
        let lanes = std::mem::take(&mut ends[largest]);
        shapes.all[largest].branches().iter().for_each(|branch| ends[branch.shape as usize] += lanes);
    }
    is_top.iter().map(|&is_top| !is_top).collect()
}
