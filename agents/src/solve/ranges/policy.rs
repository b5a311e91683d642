//! Policies on public states, and an agent that plays by one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use stier_core::hash::fnv1a;
use stier_core::public::{Place, PublicForm, PublicScene, PublicState};
use stier_core::{Action, ActionSet as _, Game, Rng, Seat, SeatView as _};

use super::measure::{RangeValues, measure, respond};
use super::parts::{RangeTree, Spot};
use super::passes::TINY;
use super::shapes::Shape;
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
    form: Arc<Mutex<Guide>>,
}

/// The form of a game, with the ways to public states.
pub(super) struct Guide {
    pub(super) form: Box<dyn PublicForm>,
    openings: Vec<PublicState>,
    /// By public state: the events, with the public states that follow.
    known: HashMap<PublicState, Arc<[(Action, PublicState)]>>,
}

/// The largest number of public states that are remembered.
const MAX_KNOWN: usize = 1 << 16;

impl Guide {
    pub(super) fn new(mut form: Box<dyn PublicForm>) -> Self {
        let openings = form.openings().iter().map(|opening| opening.public).collect();
        Self { form, openings, known: HashMap::new() }
    }

    /// The events in a public state, with the public states that follow.
    pub(super) fn events(&mut self, public: PublicState) -> Arc<[(Action, PublicState)]> {
        if let Some(known) = self.known.get(&public) {
            return known.clone();
        }
        let events = match self.form.scene(public) {
            PublicScene::Choice(choice) => {
                let named = (0..).zip(&choice.branches);
                named.map(|(number, branch)| (branch.action.unwrap_or(Action(number)), branch.public)).collect()
            }
            PublicScene::Ending(_) => Arc::default(),
        };
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(public, events);
        self.known[&public].clone()
    }
}

impl RangePolicy {
    /// Combines a tree and a policy of this tree, which holds for every hand a number for each action: the probabilities up
    /// to a factor. `form` is the form of the game, and `game` its name with its rules.
    pub(super) fn new(tree: Arc<RangeTree>, rows: Vec<Vec<f32>>, form: Box<dyn PublicForm>, game: &str) -> Self {
        Self::with_guide(tree, rows, Guide::new(form), game)
    }

    pub(super) fn with_guide(tree: Arc<RangeTree>, rows: Vec<Vec<f32>>, guide: Guide, game: &str) -> Self {
        Self { tree, game: game.to_string(), rows, form: Arc::new(Mutex::new(guide)) }
    }

    /// The game, with its rules.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The probabilities up to a factor; by part, action of a hand with a choice, and public state.
    pub(super) fn rows(&self) -> &[Vec<f32>] {
        &self.rows
    }

    /// A new form of the game.
    pub fn form(&self) -> Box<dyn PublicForm> {
        locked(&self.form).form.fresh()
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

    /// The best responses of both seats to the policy, in one policy.
    pub fn best_response(&self) -> Self {
        let Self { tree, game, rows, form } = self;
        Self { tree: tree.clone(), game: game.clone(), rows: respond(tree, rows), form: form.clone() }
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
        let mut spot = tree.opening(place.opening, *guide.openings.get(place.opening)?)?;
        for event in &place.events {
            let events = guide.events(spot.public);
            let branch = events.iter().position(|(other, _)| other == event)?;
            spot = tree.after(tree.below(spot), branch, events[branch].1);
        }
        let Spot { public, shape, lane, part } = tree.below(spot);
        let hand = guide.form.hand(public, seat, place.hand)?;
        let Shape::Choice(choice) = &tree.shapes.all[shape as usize] else { return None };
        let cells = usize::from(choice.cells[hand])..usize::from(choice.cells[hand + 1]);
        let block = tree.block(part, shape);
        let number = |cell: usize| f64::from(self.rows[part][block.cells + cell * block.width + lane].max(0.0));
        Some(normalized(&cells.map(number).collect::<Vec<_>>()))
    }
}

/// Probabilities in proportion to numbers of 0 or more.
pub(super) fn normalized(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    let even = 1.0 / row.len() as f64;
    row.iter().map(|&number| if sum > f64::from(TINY) { number / sum } else { even }).collect()
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
