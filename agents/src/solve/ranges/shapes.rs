//! The shapes of public states: what can happen in them, with no regard to what happened before.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use stier_core::public::{Ending, Gain, HandMove, Opening, PublicChoice, PublicForm, PublicScene, PublicState};
use stier_core::{Seat, Turn};

use super::RangesTooLarge;
use crate::agent::threads::{Watch, goes_on};

/// The events in the public states of one shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// A player acts.
    Choice(Choice),
    /// Nobody has a choice any more.
    Ending(Pairs),
    /// A public state whose successors are left out: the values of its hands, so many of each seat, come from the caller.
    Leaf([u16; 2]),
}

/// A player acts, or chance in place of the first one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Choice {
    pub(super) turn: Turn,
    pub(super) hands: [u16; 2],
    /// By hand of the mover, and after the last: the start of its actions among those of all hands. A hand with a single
    /// action has none, and neither has one that shares the policy of another.
    pub(super) cells: Vec<u16>,
    /// By hand of the mover: the hand whose policy and values it shares, itself or one before it. Empty if none does.
    pub(super) twins: Vec<u16>,
    /// The places of actions of a hand that differ only by names, at least two; by hand.
    pub(super) alike: Vec<Vec<u16>>,
    pub(super) branches: Vec<Branch>,
    /// The moves of the mover's hands, and the hands of the other player that remain; by branch, one after another.
    moves: Vec<Move>,
    kept: Vec<u16>,
}

/// A public event and what follows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Branch {
    /// The shape.
    pub(super) shape: u32,
    /// The number of hands of each seat in this shape, and whether it is an ending.
    pub(super) hands: [u16; 2],
    pub(super) is_ending: bool,
    /// The number of the event's change of the score, and of its probability.
    pub(super) effect: u32,
    /// The number of events for which it stands. The numbers of hands that follow are those of one of them.
    pub(super) copies: u8,
    /// The places among the moves of the mover's hands.
    moves: Range<u32>,
    /// The same for the values of the mover's hands: without hands that share those of others.
    own_moves: Range<u32>,
    /// The places among the hands that remain.
    kept: Range<u32>,
}

/// A hand of the mover, its action, and a hand that it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Move {
    pub(super) from: u16,
    pub(super) to: u16,
    /// The place of the action; [`SINGLE`] for a hand with a single one.
    cell: u16,
}

/// There are fewer places of actions.
const SINGLE: u16 = u16::MAX;

impl Move {
    /// The place of the action; `single` for a hand with a single one.
    #[inline(always)]
    pub(super) fn cell(self, single: usize) -> usize {
        if self.cell == SINGLE { single } else { self.cell.into() }
    }
}

/// Pairs of hands at the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pairs {
    pub(super) hands: [u16; 2],
    /// The numbers of the possible changes of the score.
    pub(super) effects: Vec<u32>,
    /// By seat, its hand, and change: the hands of the other seat.
    pub(super) partners: [Lists; 2],
}

/// Lists of hands, one after another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Lists {
    /// By list: its end.
    pub(super) ends: Vec<u32>,
    pub(super) hands: Vec<u16>,
}

impl Lists {
    /// So many lists, of hands that are given with the number of their list.
    fn new(count: usize, hands: impl Iterator<Item = (usize, u16)> + Clone) -> Self {
        // First the lengths, then the starts, which become ends as the lists are filled.
        let mut ends = vec![0; count];
        hands.clone().for_each(|(list, _)| ends[list] += 1);
        let mut all = 0;
        for end in &mut ends {
            all += std::mem::replace(end, all);
        }
        let mut own = Self { ends, hands: vec![0; all as usize] };
        for (list, hand) in hands {
            own.hands[own.ends[list] as usize] = hand;
            own.ends[list] += 1;
        }
        own
    }
}

impl Choice {
    /// The seat whose hands move.
    pub(super) fn mover(&self) -> usize {
        self.turn.seat().map_or(0, Seat::index)
    }

    /// The hand whose policy and values a hand shares.
    #[inline(always)]
    pub(super) fn twin(&self, hand: usize) -> usize {
        self.twins.get(hand).map_or(hand, |&twin| twin.into())
    }

    /// The places of a hand's actions; none if it has a single one, or shares the policy of another.
    #[inline(always)]
    pub(super) fn row(&self, hand: usize) -> Range<usize> {
        usize::from(self.cells[hand])..usize::from(self.cells[hand + 1])
    }

    /// The number of hands with policies of their own.
    pub(super) fn num_own(&self) -> usize {
        (0..self.cells.len() - 1).filter(|&hand| self.twin(hand) == hand).count()
    }

    /// The hands with a choice, each with the places of its actions.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, Range<usize>)> + Clone + '_ {
        (0..self.cells.len() - 1).map(|hand| (hand, self.row(hand))).filter(|(_, row)| !row.is_empty())
    }

    /// The number of actions of all hands with a choice.
    pub(super) fn num_cells(&self) -> usize {
        usize::from(self.cells[self.cells.len() - 1])
    }

    /// By the hand that follows a branch: the moves of the mover's hands.
    #[inline(always)]
    pub(super) fn moves(&self, branch: &Branch) -> &[Move] {
        &self.moves[branch.moves.start as usize..branch.moves.end as usize]
    }

    /// Those from which the values of the mover's hands are summed.
    #[inline(always)]
    pub(super) fn value_moves(&self, branch: &Branch) -> &[Move] {
        &self.moves[branch.own_moves.start as usize..branch.own_moves.end as usize]
    }

    /// By event for which a branch stands, and hand of the other player that follows: its number before.
    #[inline(always)]
    pub(super) fn kept(&self, branch: &Branch) -> &[u16] {
        &self.kept[branch.kept.start as usize..branch.kept.end as usize]
    }

    /// The numbers of hands that describe what follows.
    pub(super) fn num_moves(&self) -> [usize; 2] {
        [self.moves.len(), self.kept.len()]
    }
}

impl Shape {
    /// The number of hands of each seat.
    pub(super) fn hands(&self) -> [usize; 2] {
        let hands = match self {
            Self::Choice(choice) => choice.hands,
            Self::Ending(pairs) => pairs.hands,
            Self::Leaf(hands) => *hands,
        };
        hands.map(usize::from)
    }

    pub(super) fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf(_))
    }

    pub(super) fn choice(&self) -> Option<&Choice> {
        if let Self::Choice(choice) = self { Some(choice) } else { None }
    }

    /// The number of actions of all hands with a choice.
    pub(super) fn num_cells(&self) -> usize {
        self.choice().map_or(0, Choice::num_cells)
    }

    pub(super) fn branches(&self) -> &[Branch] {
        self.choice().map_or(&[], |choice| &choice.branches)
    }
}

/// All shapes of a game, each after all that can follow it.
pub(super) struct Shapes {
    pub(super) all: Vec<Shape>,
    /// Changes of the score, each with a probability.
    pub(super) effects: Vec<(Gain, f64)>,
    /// The shape of each opening.
    pub(super) openings: Vec<(u32, Opening)>,
}

/// The most numbers of hands that the description of shapes may hold: 0.4 GB.
const MAX_MOVES: usize = 1 << 26;

/// Finds the shapes of public states.
struct Finder<'a> {
    form: &'a mut dyn PublicForm,
    shapes: Vec<Arc<Shape>>,
    numbers: FxHashMap<Arc<Shape>, u32>,
    known: FxHashMap<PublicState, u32>,
    effects: Vec<(Gain, f64)>,
    effect_numbers: FxHashMap<(Gain, u64), u32>,
    moves: usize,
    /// By shape: the least number of bytes that a public state and all that can follow it take.
    below: Vec<u64>,
    /// That of all public states so far, and the most that they may take.
    bytes: u64,
    max_bytes: u64,
    watch: Watch<'a>,
}

impl Finder<'_> {
    fn effect(&mut self, gain: Gain, weight: f64) -> u32 {
        let effects = &mut self.effects;
        *self.effect_numbers.entry((gain, weight.to_bits())).or_insert_with(|| {
            effects.push((gain, weight));
            effects.len() as u32 - 1
        })
    }

    fn find(&mut self, public: PublicState) -> Result<u32, RangesTooLarge> {
        let first = self.form.first_alike(public);
        if let Some(&found) = self.known.get(&first) {
            return self.count(found, self.below[found as usize]);
        }
        goes_on((self.watch)())?;
        let shape = match self.form.scene(first) {
            PublicScene::Choice(choice) => self.choice(choice)?,
            PublicScene::Ending(ending) => self.ending(&ending)?,
            PublicScene::Leaf { hands, .. } => Shape::Leaf(narrow(hands)?),
        };
        let own = 8 * shape.num_cells() as u64 + 2 * shape.hands().iter().sum::<usize>() as u64;
        let (shapes, moves, below) = (&mut self.shapes, &mut self.moves, &mut self.below);
        let number = *self.numbers.entry(Arc::new(shape)).or_insert_with_key(|shape| {
            *moves += shape.choice().map_or(0, |choice| choice.num_moves().iter().sum());
            let after = shape.branches().iter().map(|branch| below[branch.shape as usize]);
            below.push(own + after.sum::<u64>());
            shapes.push(shape.clone());
            shapes.len() as u32 - 1
        });
        self.known.insert(first, number);
        self.count(number, own)
    }

    /// Counts so many bytes for a shape that has been found, unless they are too many.
    fn count(&mut self, number: u32, bytes: u64) -> Result<u32, RangesTooLarge> {
        self.bytes += bytes;
        if self.moves > MAX_MOVES || self.bytes > self.max_bytes {
            return Err(RangesTooLarge::Moves { states: self.known.len(), most: self.max_bytes });
        }
        Ok(number)
    }

    fn choice(&mut self, choice: PublicChoice) -> Result<Shape, RangesTooLarge> {
        // All hands count, so that games that are far too large are refused at once.
        let actions = choice.widths.iter().filter(|&&width| width > 1).map(|&width| usize::from(width)).sum::<usize>();
        if actions > u16::MAX.into() {
            return Err(RangesTooLarge::Actions);
        }
        let twins: Vec<u16> = choice.twins.iter().map(|twin| twin.hand).collect();
        let mut cells = vec![0_u16];
        for (hand, &width) in choice.widths.iter().enumerate() {
            let has_own = twins.get(hand).is_none_or(|&twin| usize::from(twin) == hand);
            let width = if width > 1 && has_own { u16::from(width) } else { 0 };
            cells.push(cells[cells.len() - 1] + width);
        }
        let cell = |hand: u16, rank: u8| match cells[usize::from(hand)..] {
            [from, to, ..] if from < to => from + u16::from(rank),
            _ => SINGLE,
        };
        let mut alike = Vec::new();
        for (hand, twin) in (0..).zip(&choice.twins).filter(|(hand, twin)| *hand == twin.hand) {
            for first in 0..twin.ranks.len() as u8 {
                let ranks = (0..).zip(&twin.ranks).filter(|&(_, &other)| other == first);
                let group: Vec<u16> = ranks.map(|(rank, _)| cell(hand, rank)).collect();
                alike.extend((group.len() > 1).then_some(group));
            }
        }
        let mut branches = Vec::with_capacity(choice.branches.len());
        let (mut all_moves, mut all_kept) = (Vec::new(), Vec::new());
        for mut branch in choice.branches {
            // Of hands that share a policy, the first that takes an action gives its value.
            let mut first: FxHashMap<(u16, u16), u16> = FxHashMap::default();
            let mut shared = |&HandMove { from, to, rank }: &HandMove| {
                let twin = choice.twins.get(usize::from(from));
                let (hand, rank) = twin.map_or((from, rank), |twin| (twin.hand, twin.ranks[usize::from(rank)]));
                let step = Move { from: hand, to, cell: cell(hand, rank) };
                (step, twin.is_none() || *first.entry((hand, step.cell)).or_insert(from) == from)
            };
            branch.moves.sort_by_key(|step| step.to);
            let found: Vec<(Move, bool)> = branch.moves.iter().map(&mut shared).collect();
            let moves = added(&mut all_moves, found.iter().map(|&(step, _)| step));
            let own_moves = match twins.is_empty() {
                true => moves.clone(),
                false => added(&mut all_moves, found.iter().filter(|(_, is_own)| *is_own).map(|&(step, _)| step)),
            };
            let (kept, effect) = (added(&mut all_kept, branch.kept), self.effect(branch.gain, branch.weight));
            let (shape, copies) = (self.find(branch.public)?, branch.copies);
            let next = &*self.shapes[shape as usize];
            let (hands, is_ending) = (next.hands().map(|count| count as u16), matches!(next, Shape::Ending(_)));
            branches.push(Branch { shape, hands, is_ending, effect, copies, moves, own_moves, kept });
        }
        let (hands, moves, kept) = (narrow(choice.hands)?, all_moves, all_kept);
        Ok(Shape::Choice(Choice { turn: choice.turn, hands, cells, twins, alike, branches, moves, kept }))
    }

    fn ending(&mut self, ending: &Ending) -> Result<Shape, RangesTooLarge> {
        let [first, second] = ending.hands;
        let hands = narrow(ending.hands)?;
        let changes = ending.gains.len();
        let rows = (0..).zip(ending.outcomes.chunks(second.max(1)));
        let pairs = rows.flat_map(|(hand, row)| {
            (0..).zip(row).filter_map(move |(other, &change)| Some(([hand, other], usize::from(change?))))
        });
        let partners = [0, 1].map(|seat| {
            let partner =
                move |(pair, change): ([u16; 2], usize)| (usize::from(pair[seat]) * changes + change, pair[seat ^ 1]);
            Lists::new([first, second][seat] * changes, pairs.clone().map(partner))
        });
        let effects = ending.gains.iter().map(|&gain| self.effect(gain, 1.0)).collect();
        Ok(Shape::Ending(Pairs { hands, effects, partners }))
    }
}

/// Appends these, and returns where they are.
fn added<T>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) -> Range<u32> {
    let start = all.len() as u32;
    all.extend(more);
    start..all.len() as u32
}

fn narrow(hands: [usize; 2]) -> Result<[u16; 2], RangesTooLarge> {
    let narrowed = hands.map(|count| u16::try_from(count).ok());
    let [Some(first), Some(second)] = narrowed else { return Err(RangesTooLarge::Hands(hands[0].max(hands[1]))) };
    Ok([first, second])
}

impl Shapes {
    /// Goes through the public states of a game, as long as it is possible that they take at most so many bytes. `watch` is
    /// asked at each, and may stop it.
    pub(super) fn new(form: &mut dyn PublicForm, max_bytes: u64, watch: Watch<'_>) -> Result<Self, RangesTooLarge> {
        let given = form.openings();
        let mut finder = Finder {
            form,
            shapes: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            effects: Vec::new(),
            effect_numbers: FxHashMap::default(),
            moves: 0,
            below: Vec::new(),
            bytes: 0,
            max_bytes,
            watch,
        };
        let mut openings = Vec::new();
        for opening in given {
            openings.push((finder.find(opening.public)?, opening));
        }
        let Finder { shapes, numbers, effects, .. } = finder;
        drop(numbers);
        let all = shapes.into_iter().map(|shape| Arc::into_inner(shape).expect("nobody else has it")).collect();
        Ok(Self { all, effects, openings })
    }
}
