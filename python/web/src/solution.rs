//! Equilibria of small games on public states, to be looked at one by one.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use stier_agents::erased::DynGame;
use stier_agents::solve::solution_file::Label;
use stier_agents::solve::{
    Iterative as _, Play, PublicTree, RangePolicy, RangeSolver, RangesTooLarge, TreeState, Variant, read_ranges,
    write_ranges,
};
use stier_agents::tell::Table;
use stier_core::public::{PublicDetail, PublicScene};
use stier_core::{Action, Seat, Turn};
use web_time::Instant;

use crate::engine::Problem;
use crate::progress::{tell, tell_at_times};

/// The most bytes that solving a game may take here.
const MAX_BYTES: u64 = 800_000_000;
/// The most histories of a game whose public states are found from them.
const MAX_HISTORIES: usize = 2_000_000;
/// The time after which [`Solutions::iterate`] returns.
const MOMENT: Duration = Duration::from_millis(50);

/// The size of a game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Size {
    public_states: u64,
    /// Hands of the player to act, in all public states.
    sets: u64,
    /// About the bytes that solving it takes.
    bytes: u64,
}

/// The solutions at hand, as many as fit.
#[derive(Default)]
pub(crate) struct Solutions {
    /// The last one is looked at.
    solved: Vec<Solved>,
    begun: Option<Begun>,
}

/// A game that is being solved.
struct Begun {
    name: [String; 2],
    game: Arc<dyn DynGame>,
    tree: PublicTree,
    solver: RangeSolver,
}

/// A solved game.
pub(crate) struct Solved {
    /// Its name and rules, as they were given.
    name: [String; 2],
    game: Arc<dyn DynGame>,
    tree: PublicTree,
    policies: [Vec<f32>; 2],
    play: Play,
    about: About,
}

/// A description of the solution.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Solution"))]
pub(crate) struct About {
    public_states: u64,
    /// Hands of the player to act, in all public states.
    sets: u64,
    iterations: u64,
    /// The value of the game for each seat.
    values: Vec<f64>,
    /// The gain of all best responses together, in the game's utility; 0 in an equilibrium.
    nash_conv: f64,
    /// The same for uniformly random play: the scale.
    uniform: f64,
}

/// A public state, if both players follow the solution.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PublicNode {
    /// The way here: the number of the opening, and of the event in each public state.
    path: Vec<usize>,
    /// The random event by which the opening differs from others.
    opening: Option<String>,
    /// The player to act; none for chance.
    seat: Option<u8>,
    /// True where nobody has a choice any more.
    is_over: bool,
    /// The probability that play leads here.
    reach: f64,
    /// The expected return of each seat; none if play never leads here.
    values: Option<[f64; 2]>,
    events: Vec<Followed>,
    /// By seat.
    hands: [Vec<Held>; 2],
}

/// A public event, and the public state after it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Followed {
    name: String,
    /// The probability of the event in the public state.
    share: f64,
    path: Vec<usize>,
}

/// A hand that a player may hold in a public state.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Held {
    cards: Vec<String>,
    /// The probability of the hand for a spectator, who knows both policies.
    share: f64,
    /// The expected return with the hand; none if the others never lead to it.
    value: Option<f64>,
    /// Those of the player to act.
    actions: Vec<Weighed>,
}

/// A legal action with a hand.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Weighed {
    name: String,
    probability: f64,
    value: Option<f64>,
}

/// The public states of a game, one after the other if it is small enough.
fn enumerate(name: &str, rules: &str) -> Result<(Arc<dyn DynGame>, PublicTree), Problem> {
    let game = stier_games::load(name, rules)?;
    tell("Finding the public states …");
    let form = game.public_form(MAX_HISTORIES, false, &|| true)?;
    let goes_on = || ControlFlow::Continue(());
    let tree = PublicTree::new((form, &game.identity()), None, None, (MAX_BYTES, 1), &goes_on);
    let tree = tree.map_err(|error| match error {
        RangesTooLarge::Memory { size, .. } => Problem::Large { needs: size.bytes() / 1_000_000, most: MAX_MB },
        RangesTooLarge::Moves { .. } => Problem::TooLarge { most: MAX_MB },
        other => Problem::Ranges(other),
    })?;
    Ok((game, tree))
}

const MAX_MB: u64 = MAX_BYTES / 1_000_000;

/// The size of a game.
pub(crate) fn size(name: &str, rules: &str) -> Result<Size, Problem> {
    let size = enumerate(name, rules)?.1.size();
    Ok(Size { public_states: size.states, sets: size.information_sets, bytes: size.bytes() })
}

impl Solutions {
    /// The solution that is looked at.
    pub(crate) fn current(&self) -> Result<&Solved, Problem> {
        self.solved.last().ok_or(Problem::NotBegun("there is no solution in memory; solve the game again"))
    }

    /// Solves a game by CFR+ on one thread, unless that has been done.
    pub(crate) fn solve(&mut self, name: &str, rules: &str, iterations: NonZero<u64>) -> Result<&Solved, Problem> {
        let iterations = iterations.get();
        while self.iterate(name, rules, iterations)? < iterations {}
        if !self.find(name, rules, iterations) {
            let Begun { game, tree, solver, .. } = self.begun.take().expect("it has been iterated");
            self.solved.push(Solved::new([name, rules], game, tree, solver.into_policy(), iterations)?);
        }
        self.current()
    }

    /// Goes on with CFR+ for a moment, at most to this many iterations. Returns the number of iterations done.
    pub(crate) fn iterate(&mut self, name: &str, rules: &str, iterations: u64) -> Result<u64, Problem> {
        if self.find(name, rules, iterations) {
            return Ok(iterations);
        }
        let goes_on = |begun: &Begun| begun.name == [name, rules] && begun.solver.iterations() <= iterations;
        if !self.begun.as_ref().is_some_and(goes_on) {
            let (game, tree) = self.make_room(name, rules)?;
            let solver = RangeSolver::new(tree.tree().clone(), Variant::CfrPlus, iterations);
            self.begun = Some(Begun { name: [name, rules].map(str::to_string), game, tree, solver });
        }
        let solver = &mut self.begun.as_mut().expect("it has begun").solver;
        let start = Instant::now();
        while solver.iterations() < iterations && start.elapsed() < MOMENT {
            let _ = solver.run(1, &|_| ControlFlow::Continue(()));
            tell_at_times(|| format!("Iteration {} of {iterations} …", solver.iterations()));
        }
        Ok(solver.iterations())
    }

    /// The solution in these bytes, which [`Solved::bytes`] gave, unless it is at hand.
    pub(crate) fn restore(
        &mut self,
        name: &str,
        rules: &str,
        iterations: u64,
        bytes: &[u8],
    ) -> Result<&Solved, Problem> {
        if self.find(name, rules, iterations) {
            return self.current();
        }
        let (game, tree) = self.make_room(name, rules)?;
        let (policy, label) = read_ranges(tree.tree().clone(), bytes)?;
        self.solved.push(Solved::new([name, rules], game, tree, policy, label.iterations)?);
        self.current()
    }

    /// Looks at the solution if it is at hand.
    fn find(&mut self, name: &str, rules: &str, iterations: u64) -> bool {
        let is_it = |solved: &Solved| solved.name == [name, rules] && solved.about.iterations == iterations;
        let found = self.solved.iter().position(is_it);
        if let Some(place) = found {
            let solved = self.solved.remove(place);
            self.solved.push(solved);
        }
        found.is_some()
    }

    /// The public states of a game. Solutions that take too much memory beside it are forgotten, the oldest first, and so is
    /// what has begun.
    fn make_room(&mut self, name: &str, rules: &str) -> Result<(Arc<dyn DynGame>, PublicTree), Problem> {
        self.begun = None;
        let (game, tree) = enumerate(name, rules)?;
        let mut bytes = tree.size().bytes();
        let fits = |solved: &Solved| {
            bytes += solved.tree.size().bytes();
            bytes <= MAX_BYTES
        };
        let kept = self.solved.iter().rev().map(fits).take_while(|&fits| fits).count();
        self.solved.drain(..self.solved.len() - kept);
        Ok((game, tree))
    }
}

const SEATS: [Seat; 2] = [Seat(0), Seat(1)];

fn slices(policies: &[Vec<f32>; 2]) -> [&[f32]; 2] {
    policies.each_ref().map(|rows| &rows[..])
}

/// The rows of a seat that chooses uniformly at random.
fn even(tree: &PublicTree, seat: Seat) -> Vec<f32> {
    let mut rows = vec![0.0; tree.num_rows(seat)[0]];
    let firsts: Vec<usize> = tree.first_rows(seat).into_iter().map(|first| first as usize).collect();
    for (place, &first) in firsts.iter().enumerate() {
        let end = firsts.get(place + 1).copied().unwrap_or(rows.len());
        rows[first..end].fill(1.0 / (end - first) as f32);
    }
    rows
}

fn dot(first: &[f32], second: &[f32]) -> f64 {
    first.iter().zip(second).map(|(&first, &second)| f64::from(first) * f64::from(second)).sum()
}

impl Solved {
    fn new(
        [name, rules]: [&str; 2],
        game: Arc<dyn DynGame>,
        tree: PublicTree,
        policy: RangePolicy,
        iterations: u64,
    ) -> Result<Self, Problem> {
        tell("Measuring the distance from equilibrium …");
        let goes_on = || ControlFlow::Continue(());
        let policies = tree.rows_of(&policy, &goes_on)?.expect("it is on this tree");
        let distance = policy.measure();
        drop(policy);
        let even = SEATS.map(|seat| even(&tree, seat));
        let uniform = tree.policy(slices(&even)).expect("a distribution for every hand").measure().total();
        let play = tree.follow(slices(&policies), None, &|_, _, _| ControlFlow::Break(()), &goes_on)?;
        let size = tree.size();
        let about = About {
            public_states: size.states,
            sets: size.information_sets,
            iterations,
            values: distance.values.as_slice().to_vec(),
            nash_conv: distance.total(),
            uniform,
        };
        Ok(Self { name: [name.to_string(), rules.to_string()], game, tree, policies, play, about })
    }

    /// The solution as bytes, which [`Solutions::restore`] reads. Probabilities are rounded to two bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let policy = self.tree.policy(slices(&self.policies)).expect("a distribution for every hand");
        let label = Label { source: "cfr+".to_string(), iterations: self.about.iterations, history: Vec::new() };
        write_ranges(&policy, &label)
    }

    /// Describes it.
    pub(crate) fn about(&self) -> About {
        self.about.clone()
    }

    /// The public states in which a player acts first.
    pub(crate) fn openings(&self) -> Result<Vec<PublicNode>, Problem> {
        (0..self.tree.roots().len()).map(|root| self.node(&[root])).collect()
    }

    /// A public state, or the one that follows where all that can follow looks the same to a spectator.
    pub(crate) fn node(&self, path: &[usize]) -> Result<PublicNode, Problem> {
        let (mut path, mut at) = (path.to_vec(), self.at(path)?);
        while self.tree.scene(&at).turn() == Turn::Chance && self.tree.num_branches(&at) == 1 {
            at = self.tree.child(&at, 0);
            path.push(0);
        }
        let scene = self.tree.scene(&at);
        let children: Vec<TreeState> = (0..scene.branches().len()).map(|branch| self.tree.child(&at, branch)).collect();
        let reach = self.reach(&at);
        let detail = self.tree.detail(&at);
        let names = self.names(scene.turn(), &detail);
        let events = names.into_iter().zip(&children).enumerate().map(|(branch, (name, child))| Followed {
            name,
            share: if reach > 0.0 { self.reach(child) / reach } else { 0.0 },
            path: [&path[..], &[branch]].concat(),
        });
        let [first, second] = SEATS.map(|seat| self.value(&at, seat));
        Ok(PublicNode {
            opening: at.event.map(|event| self.game.outcome_name(event)),
            seat: scene.turn().seat().map(|seat| seat.0),
            is_over: scene.turn() == Turn::Over,
            reach,
            values: (reach > 0.0).then_some([first / reach, second / reach]),
            events: events.collect(),
            hands: [self.hands(&at, SEATS[0], &children)?, self.hands(&at, SEATS[1], &children)?],
            path,
        })
    }

    /// The table of a public state, as a seat sees it with one of its hands.
    pub(crate) fn table(&self, path: &[usize], seat: u8, hand: usize) -> Result<Table, Problem> {
        let (at, seat) = (self.at(path)?, *SEATS.get(usize::from(seat)).ok_or(Problem::NoNode)?);
        let count = self.tree.hands(&at)[seat.index()];
        let place = (hand < count).then(|| self.tree.place(&at, seat, hand)).ok_or(Problem::NoNode)?;
        let state = self.game.public_history(&*self.tree.tree().form(), seat, &place).ok_or(Problem::NoNode)?;
        Ok(Table::of(&*state, Some(seat)))
    }

    fn at(&self, path: &[usize]) -> Result<TreeState, Problem> {
        let (&root, events) = path.split_first().ok_or(Problem::NoNode)?;
        let root = self.tree.roots().into_iter().nth(root).ok_or(Problem::NoNode)?;
        events.iter().try_fold(root, |at, &branch| {
            (branch < self.tree.num_branches(&at)).then(|| self.tree.child(&at, branch)).ok_or(Problem::NoNode)
        })
    }

    /// The probability that play leads to a public state.
    fn reach(&self, at: &TreeState) -> f64 {
        dot(&self.play.range(&self.tree, at, SEATS[0]), &self.play.others(&self.tree, at, SEATS[0]))
    }

    /// The expected return of a seat, times the reach.
    fn value(&self, at: &TreeState, seat: Seat) -> f64 {
        dot(&self.play.range(&self.tree, at, seat), &self.play.values(&self.tree, at, seat))
    }

    /// The public events that can follow.
    fn names(&self, turn: Turn, detail: &PublicDetail) -> Vec<String> {
        let name = |&action: &Action| match turn {
            Turn::Chance => self.game.outcome_name(action),
            _ => self.game.action_name(action),
        };
        detail.alike.iter().map(|alike| alike.iter().map(name).collect::<Vec<_>>().join(" or ")).collect()
    }

    /// The hands of a seat in a public state.
    fn hands(&self, at: &TreeState, seat: Seat, children: &[TreeState]) -> Result<Vec<Held>, Problem> {
        let (tree, play) = (&self.tree, &self.play);
        let [range, others, values] =
            [play.range(tree, at, seat), play.others(tree, at, seat), play.values(tree, at, seat)];
        let reach = self.reach(at);
        let scene = tree.scene(at);
        let mut actions = match &*scene {
            PublicScene::Choice(choice) if choice.turn == Turn::Seat(seat) => self.actions(at, seat, &others, children),
            _ => Vec::new(),
        };
        actions.resize_with(range.len(), Vec::new);
        let form = tree.tree().form();
        actions
            .into_iter()
            .enumerate()
            .map(|(hand, actions)| {
                let place = tree.place(at, seat, hand);
                let [range, others, value] = [range[hand], others[hand], values[hand]].map(f64::from);
                // Without a hand of the other that fits it, it cannot be held.
                let cards = match self.game.public_history(&*form, seat, &place) {
                    Some(state) => held(&Table::of(&*state, Some(seat)), seat),
                    None => Vec::new(),
                };
                Ok(Held {
                    cards,
                    share: if reach > 0.0 { range * others / reach } else { 0.0 },
                    value: (others > 0.0).then_some(value / others),
                    actions,
                })
            })
            .collect()
    }

    /// By hand of the player to act: its actions. A hand that draws after an action may become several.
    fn actions(&self, at: &TreeState, seat: Seat, others: &[f32], children: &[TreeState]) -> Vec<Vec<Weighed>> {
        let scene = self.tree.scene(at);
        let legal = &self.tree.detail(at).legal;
        let mut sums: Vec<Vec<f64>> = legal.iter().map(|legal| vec![0.0; legal.len()]).collect();
        for (branch, child) in scene.branches().iter().zip(children) {
            let after = self.play.values(&self.tree, child, seat);
            for step in &branch.moves {
                sums[usize::from(step.from)][usize::from(step.rank)] += f64::from(after[usize::from(step.to)]);
            }
        }
        let rows = self.tree.rows_at(at).map_or(&[][..], |(seat, rows)| &self.policies[seat.index()][rows]);
        let mut rows = rows.iter();
        let mut weighed = |(hand, legal): (usize, &Vec<Action>)| {
            let single = legal.len() == 1;
            let each = legal.iter().enumerate().map(|(rank, &action)| Weighed {
                name: self.game.action_name(action),
                probability: if single { 1.0 } else { f64::from(*rows.next().expect("a number for each action")) },
                value: (others[hand] > 0.0).then(|| sums[hand][rank] / f64::from(others[hand])),
            });
            each.collect()
        };
        legal.iter().enumerate().map(&mut weighed).collect()
    }
}

/// The cards that a seat holds; if it has none to show, what else it knows.
fn held(table: &Table, seat: Seat) -> Vec<String> {
    let own = || table.scene.places.iter().filter(|place| place.seat == Some(seat));
    let groups = own().flat_map(|place| &place.groups).filter(|group| group.held);
    let cards: Vec<String> = groups.flat_map(|group| group.cards.iter().flatten().cloned()).collect();
    let remarks = || own().flat_map(|place| place.remarks.iter().cloned()).collect();
    if cards.is_empty() { remarks() } else { cards }
}
