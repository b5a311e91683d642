//! Policies on public states, and an agent that plays by one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use stier_core::hash::fnv1a;
use stier_core::public::{Place, PublicForm, PublicScene, PublicState};
use stier_core::{Action, ActionSet as _, Game, Rng, Seat, SeatView as _};

use super::parts::RangeTree;
use super::passes::TINY;
use super::shapes::Shape;
use super::solver::{RangeValues, measure};
use crate::agent::sampling::draw;
use crate::agent::threads::locked;
use crate::agent::{Agent, Decision};

/// A policy for all public states of a game.
pub struct RangePolicy {
    tree: Arc<RangeTree>,
    /// The game, with its rules.
    game: String,
    /// Up to a factor for each hand: by part, action of a hand with a choice, and public state.
    rows: Vec<Vec<f32>>,
    form: Mutex<Guide>,
}

/// The way to a public state.
struct Guide {
    form: Box<dyn PublicForm>,
    openings: Vec<PublicState>,
    /// By public state and action: the public state that follows, and the number of the branch.
    known: HashMap<(PublicState, Action), (PublicState, usize)>,
}

/// The largest number of steps that are remembered.
const MAX_KNOWN: usize = 1 << 18;

impl Guide {
    fn follow(&mut self, public: PublicState, action: Action) -> Option<(PublicState, usize)> {
        if let Some(&found) = self.known.get(&(public, action)) {
            return Some(found);
        }
        let PublicScene::Choice(choice) = self.form.scene(public) else { return None };
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        for (number, branch) in choice.branches.iter().enumerate() {
            if let Some(action) = branch.action {
                self.known.insert((public, action), (branch.public, number));
            }
        }
        self.known.get(&(public, action)).copied()
    }
}

impl RangePolicy {
    /// Combines a tree and a policy of this tree, which holds for every hand a number for each action: the probabilities up
    /// to a factor. `form` is the form of the game, and `game` its name with its rules.
    pub(super) fn new(tree: Arc<RangeTree>, rows: Vec<Vec<f32>>, mut form: Box<dyn PublicForm>, game: &str) -> Self {
        let openings = form.openings().iter().map(|opening| opening.public).collect();
        Self { tree, game: game.to_string(), rows, form: Mutex::new(Guide { form, openings, known: HashMap::new() }) }
    }

    /// The game, with its rules.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The probabilities up to a factor; by part, action of a hand with a choice, and public state.
    pub(super) fn rows(&self) -> &[Vec<f32>] {
        &self.rows
    }

    /// A hash of the numbers.
    pub fn fingerprint(&self) -> u64 {
        fnv1a(self.rows.iter().flatten().flat_map(|share| share.to_le_bytes()))
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<RangeTree> {
        &self.tree
    }

    /// The values of the policy.
    pub fn measure(&self) -> RangeValues {
        measure(&self.tree, &self.rows.iter().map(|rows| &rows[..]).collect::<Vec<_>>())
    }

    /// The legal actions of a player with their probabilities. `find` finds the place and the seat of the player in the form
    /// of the game. `None` if there is no such place.
    pub fn row(&self, find: impl FnOnce(&dyn PublicForm) -> Option<(Place, Seat)>) -> Option<Vec<(Action, f64)>> {
        let mut guide = locked(&self.form);
        let (place, seat) = find(&*guide.form)?;
        let shares = match place.actions.len() {
            1 => vec![1.0],
            _ => self.shares(&mut guide, &place, seat)?,
        };
        Some(place.actions.into_iter().zip(shares).collect())
    }

    /// The probabilities of the actions of a hand, by rank.
    fn shares(&self, guide: &mut Guide, place: &Place, seat: Seat) -> Option<Vec<f64>> {
        let tree = &*self.tree;
        let mut public = *guide.openings.get(place.opening)?;
        let (mut shape, mut lane) = *tree.top.openings.get(place.opening)?;
        // The number of the part; the top one is the last.
        let mut part = tree.parts.len();
        for &event in &place.events {
            (shape, lane, part) = self.below(shape, lane, part);
            let (next, branch) = guide.follow(public, event)?;
            let blocks = &tree.all_parts().nth(part)?.blocks;
            lane += blocks[shape as usize].offsets[branch];
            shape = tree.shapes.all[shape as usize].branches()[branch].shape;
            public = next;
        }
        (shape, lane, part) = self.below(shape, lane, part);
        let hand = guide.form.hand(public, seat, place.hand)?;
        let Shape::Choice(choice) = &tree.shapes.all[shape as usize] else { return None };
        let cells = usize::from(choice.cells[hand])..usize::from(choice.cells[hand + 1]);
        let block = &tree.all_parts().nth(part)?.blocks[shape as usize];
        let number = |cell: usize| f64::from(self.rows[part][block.cells + cell * block.width + lane].max(0.0));
        let row: Vec<f64> = cells.map(number).collect();
        let sum: f64 = row.iter().sum();
        let even = 1.0 / row.len() as f64;
        Some(row.iter().map(|&number| if sum > f64::from(TINY) { number / sum } else { even }).collect())
    }

    /// The place in the part below, for a place at the end of the top part.
    fn below(&self, shape: u32, lane: usize, part: usize) -> (u32, usize, usize) {
        let tree = &*self.tree;
        if part < tree.parts.len() || !tree.cut[shape as usize] {
            return (shape, lane, part);
        }
        let openings = tree.parts.iter().zip(&tree.links).enumerate().flat_map(|(number, (part, links))| {
            part.openings.iter().zip(links).map(move |(&opening, &above)| (number, opening, above))
        });
        let is_here = |&(_, opening, above): &(usize, (u32, usize), usize)| (opening.0, above) == (shape, lane);
        let (number, opening, _) = openings.into_iter().find(is_here).expect("the cut is linked");
        (shape, opening.1, number)
    }
}

impl fmt::Debug for RangePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy of {} on public states", self.game)
    }
}

/// An agent that plays by such a policy.
#[derive(Clone)]
pub struct RangeAgent {
    policy: Arc<RangePolicy>,
    rng: Rng,
}

impl RangeAgent {
    /// Creates a player with the streams of `seed`.
    pub fn new(policy: Arc<RangePolicy>, seed: u64) -> Self {
        Self { policy, rng: stream(seed) }
    }
}

fn stream(seed: u64) -> Rng {
    Rng::stream(seed, "ranges", 0)
}

impl<G: Game> Agent<G> for RangeAgent {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let place = |form: &dyn PublicForm| Some((game.public_place(form, view)?, view.seat()));
        let shares = self.policy.row(place).expect("every view has its place");
        let mut row: Vec<f64> = legal
            .iter()
            .map(|action| shares.iter().find(|share| share.0 == action).map_or(0.0, |share| share.1))
            .collect();
        let total: f64 = row.iter().sum();
        let even = 1.0 / row.len() as f64;
        row.iter_mut().for_each(|share| *share = if total > 0.0 { *share / total } else { even });
        let action = legal.nth(draw(&row, &mut self.rng));
        Decision { action, policy: legal.iter().zip(row).collect(), search: None }
    }

    fn restart(&mut self, seed: u64) {
        self.rng = stream(seed);
    }
}
