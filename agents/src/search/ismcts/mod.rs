//! Information set Monte Carlo tree search: one observer or one per seat, five selection rules.
//!
//! P. I. Cowling, E. J. Powley and D. Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on
//! Computational Intelligence and AI in Games 4(2), 2012. Every iteration draws a state from the view (exactly: see
//! [`Sampler`](stier_core::Sampler)), descends a tree shared by all iterations, expands one edge, plays on to the end
//! and updates the path. Exploration uses the number of times an action was *available*, not the visits of its node.
//!
//! | option | effect |
//! | --- | --- |
//! | `observer=single` | Nodes are the searcher's observations of actions (SO-ISMCTS). A choice hidden from it leads to one node, whatever was chosen. |
//! | `observer=multi` | Nodes are the observations and cards of the seat to move (MO-ISMCTS; keyed like the ISMCTS of OpenSpiel). An opponent with other cards has other statistics, so its choices fit its hand. In simultaneous choices players do not see each other's choices. |
//! | `draws=merge` | Random events after the root do not branch. With `multi` a seat is identified by its cards at the root. |
//! | `draws=branch` | A seat's draws lead to separate nodes. Nodes are then full information sets, with far fewer visits each. |
//! | `selection` | The rule that selects edges, see [`Rule`]: `ucb1` and `puct` (deterministic; with more visits closer to a best reply to itself), `exp3` and `regret_matching` (mixed strategies), `smooth_uct` (in between). |
//! | `choose` | The final choice, see [`Choose`]. `exp3` and `regret_matching` keep an average strategy, without their exploration; that of `smooth_uct` is the visits. |
//! | `reuse=on` | The searcher's nodes are kept from one decision of a game to the next. |
//!
//! With `reuse=on` the keys of nodes start at the beginning of the game. Nodes that the next search reaches again are
//! taken over. Nodes that two consecutive searches do not reach are forgotten, and so is everything if a view does
//! not continue the previous one. With `observer=multi` the keys of the other seats' nodes start at the root, so
//! these nodes begin anew. The statistics of a decision include the inherited ones: visits add up to `iterations`
//! plus the inherited visits.
//!
//! `memory_mb` bounds the trees of all threads together. Once a tree is full, iterations still follow and update its
//! nodes, and roll out instead of adding one. A new edge is then added only if the last block of its node has room,
//! or at the root.
//!
//! Known weaknesses:
//!
//! - `single`: opponents are modelled as if they held all possible cards at once, so their choices are averages over
//!   hands. In simultaneous choices, later players are modelled as if they saw the searcher's choice.
//! - `multi`: if an opponent can hold very many hands, its nodes are rarely visited twice and it is modelled by its
//!   rollouts. This pays if there are few hands or many iterations.
//! - `draws=branch`: the same applies to the searcher's own nodes.
//! - All settings: every world contains the searcher's own cards, so opponents are modelled as if they knew them.
//! - The deterministic rules: play can be exploited. More iterations sharpen the reply to this model of the game,
//!   which is not an equilibrium; on Kuhn poker exploitability rises with them.
//! - The mixed rules explore more and need more iterations. Their returns come from strategies that still explore
//!   further down, so at best they converge near an equilibrium. With many actions and few iterations they are weak.
//!   A mixed final choice costs strength against opponents that do not exploit.
//!
//! Neither beliefs nor self-determination make the play an equilibrium. A wrong model costs more than none. A correct
//! model leaves the searcher indifferent where it should be, and chance then decides its play.
//!
//! Recommendations: use `puct` if the game's hints are informative about single moves, or with `prior=fitted`.
//! Otherwise use `ucb1` or `smooth_uct`, which are about equally strong. Use `multi` with
//! `regret_matching` and `choose=mixed` for simultaneous choices, and if there are few hands and opponents adapt.

mod fast_math;
mod observers;
mod puct;
mod regret;
mod selection;
#[cfg(test)]
mod tests;
mod tree;
mod ucb;

use std::marker::PhantomData;

use arrayvec::ArrayVec;
use stier_core::key::Past;
use stier_core::options::Switch;
use stier_core::processor::{self, Processor, Work};
use stier_core::{ActionSet as _, BySeat, Hints, Rng, Seat, SeatView as _, Turn, choice, options};

use crate::agent::budget::Budget;
use crate::agent::choice::Choose;
use crate::agent::lines::{Line, Lines};
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::TimeLimit;
use crate::agent::threads::Workers;
use crate::agent::{Decision, Search, permitted};
use crate::belief::{BeliefSettings, Beliefs};
use crate::rollout::fitted;
use crate::rollout::{Roller, RolloutSettings};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::spread::{ReturnScale, ReturnSpread};
use crate::search::ucb::ActionRecord;
pub(crate) use observers::{Draws, TreeObserver};
use observers::{Keyed, Linked, Observers};
pub(crate) use puct::PriorFrom;
use puct::{NetworkPuct, Puct};
use regret::RegretRule;
pub(crate) use selection::Rule;
use selection::{Expansion, Selection, Visit};
use tree::{Edge, NONE, Tree};
use ucb::{SmoothUct, Ucb1};

choice! {
    /// The choice of the other players' actions in the tree.
    pub(crate) enum Opponents {
        /// The tree, by the other players' own returns.
        Search = "search",
        /// The game's policy ([`fitted`]). The tree then contains only the searcher's decisions and finds the best
        /// reply to it.
        Fitted = "fitted",
    }
}

options! {
    /// The options of [`Ismcts`].
    pub(crate) struct IsmctsOptions for "ismcts" {
        /// Iterations per decision, over all threads.
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The observations by which nodes are distinguished.
        observer: TreeObserver = TreeObserver::Single, ();
        /// The treatment of cards that a seat draws after the root.
        draws: Draws = Draws::Merge, ();
        /// The rule by which iterations select edges.
        selection: Rule = Rule::Ucb1, ();
        /// Exploration in UCB1, PUCT and Smooth-UCT, for returns scaled so that twice their standard deviation in this
        /// search is 1. The literature uses 0.7 for games won or lost.
        c: f64 = 0.7, 0.0..=100.0, "selection=ucb1|puct|smooth_uct";
        /// The share of uniform exploration in EXP3 and regret matching, or the smallest share of UCB1 in Smooth-UCT.
        /// 0 selects a share that falls with the square root of the visits in EXP3, and 0.1 in the others.
        gamma: f64 = 0.0, 0.0..=1.0, "selection=exp3|regret_matching|smooth_uct";
        /// The source of PUCT's prior.
        prior: PriorFrom = PriorFrom::Hints, (), "selection=puct";
        /// The policy that plays iterations to the end.
        ..rollouts: RolloutSettings = RolloutSettings::default();
        /// The choice of the other players' actions in the tree.
        opponents: Opponents = Opponents::Search, ();
        /// The rule by which an action is chosen after the search.
        choose: Choose = Choose::Visits, ();
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
        /// The share of the worlds that are drawn from another player's possible beliefs, with the searcher's own
        /// cards redrawn. With observer=multi they teach the others' nodes that these players cannot know the
        /// searcher's cards. With observer=single, other cards of the searcher have separate trees, which serve no
        /// purpose.
        self_determination: f64 = 0.0, 0.0..=1.0;
        /// Keeps statistics from one decision to the next.
        reuse: Switch = Switch::Off, ();
        /// The number of threads. Each has its own tree, and statistics are added at the root. Results are
        /// deterministic for a given number.
        threads: u64 = 1, 1..=256;
        /// Mebibytes that the trees of all threads may take, including those of the last decision with reuse=on. Once
        /// they are full, the search continues with the existing nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// The tree does not follow longer paths.
const MAX_DEPTH: usize = 256;
/// The largest number of iterations for one tree: the counts of its edges fit in 31 bits.
const MAX_ITERATIONS: u64 = 1 << 30;

/// The algorithm: see the [module](self) documentation.
pub(crate) struct Ismcts<G: Hints> {
    options: IsmctsOptions,
    /// One for each thread.
    trees: Vec<Box<dyn SearchTree<G>>>,
    workers: Workers,
    past: Option<Past>,
    /// The lines of the last decision.
    lines: Vec<Line>,
}

impl<G: Hints> Algorithm<G> for Ismcts<G> {
    /// Searches, adds up the roots and chooses an action.
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let reuse = self.options.reuse == Switch::On;
        let past = task.view.past();
        let past = if reuse { past.clone() } else { past.only_now() };
        let continues = reuse && self.past.as_ref().is_some_and(|earlier| past.continues(earlier));
        let Self { options, trees, workers, .. } = self;
        let count = trees.len() as u64;
        let mut parts = Vec::new();
        for tree in trees {
            if continues {
                tree.age()
            } else {
                tree.clear()
            }
            parts.push((parts.len() as u64, tree, Found::default()));
        }
        workers.run_all(&mut parts, |(index, tree, found)| {
            *found = tree.search(task, options, &past, (*index, count));
            found.iterations
        });
        let mut all = Found::default();
        for (_, _, found) in parts {
            all.add(found);
        }
        let Found { iterations, nodes, roots, spread, lines } = all;
        self.past = Some(past);
        self.lines = lines.map_or(Vec::new(), Lines::finish);
        let scale = ReturnScale::new(task.game);
        let mut weights = Vec::new();
        let stats = |action| {
            let edges = roots.iter().filter(|(edge, _)| edge.action == action);
            weights.push(edges.clone().filter_map(|(_, weight)| *weight).sum::<f64>());
            let all = edges.map(|(edge, _)| *edge).fold(ActionRecord::new(action), ActionRecord::plus);
            all.stats(if all.visits == 0 { 0.0 } else { scale.value(all.mean()) })
        };
        let actions = task.legal.iter().map(stats).collect();
        let search = Search { actions, iterations, nodes, seconds: 0.0 };
        let average = roots.iter().any(|(_, weight)| weight.is_some()).then_some(weights);
        let rng = &mut task.streams.advanced().rng("ismcts choice");
        self.options.choose.decide(search, spread * scale.range, average, rng)
    }

    fn restart(&mut self, _seed: u64) {
        self.past = None;
        self.lines = Vec::new();
        self.trees.iter_mut().for_each(|tree| tree.clear());
    }

    fn lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }
}

impl IsmctsOptions {
    /// The most rollouts of a decision; `None` if more than rollouts takes time.
    pub(crate) fn only_rollouts(&self) -> Option<u64> {
        let draws_only = self.belief.beliefs == Beliefs::Uniform && self.self_determination == 0.0;
        draws_only.then(|| self.iterations.saturating_mul(self.rollouts.rollouts.into()))
    }
}

impl<G: Hints> Ismcts<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: IsmctsOptions, seed: u64) -> SearchAgent<Self> {
        let tree = match options.selection {
            Rule::Ucb1 if Linked::suffices(&options) => boxed::<G, Ucb1, Linked>,
            Rule::Ucb1 => boxed::<G, Ucb1, Keyed>,
            Rule::Puct if options.prior == PriorFrom::Network => boxed::<G, NetworkPuct, Keyed>,
            Rule::Puct => boxed::<G, Puct<G::Actions>, Keyed>,
            Rule::Exp3 | Rule::RegretMatching => boxed::<G, RegretRule, Keyed>,
            Rule::SmoothUct => boxed::<G, SmoothUct, Keyed>,
        };
        // The tree of the current decision and, with `reuse`, that of the last one.
        let trees_per_thread = if options.reuse == Switch::On { 2 } else { 1 };
        let memory = Memory::share(options.memory_mb, options.threads * trees_per_thread);
        let trees = (0..options.threads).map(|_| tree(&options, memory)).collect();
        let IsmctsOptions { time_ms, self_determination: share, iterations, .. } = options;
        let belief = options.belief.clone();
        let algorithm = Self { options, trees, workers: Workers::default(), past: None, lines: Vec::new() };
        SearchAgent::new(time_ms, belief, seed, algorithm).self_determined(share, iterations)
    }
}

/// The result of a search.
#[derive(Default)]
struct Found {
    iterations: u64,
    nodes: u64,
    /// The edges of all roots, with their weights in the average strategy.
    roots: Vec<(ActionRecord, Option<f64>)>,
    /// Twice the standard deviation of the searcher's returns, as a share of the range of utilities. This is the
    /// largest value of all trees.
    spread: f64,
    /// The lines of all trees, if they were recorded.
    lines: Option<Lines>,
}

impl Found {
    /// Adds the result of another tree.
    fn add(&mut self, mut other: Self) {
        self.iterations += other.iterations;
        self.nodes += other.nodes;
        self.roots.append(&mut other.roots);
        self.spread = self.spread.max(other.spread);
        match (&mut self.lines, other.lines) {
            (Some(all), Some(lines)) => all.merge(lines),
            (all, lines) => *all = all.take().or(lines),
        }
    }
}

/// A tree of an agent, for any selection rule.
trait SearchTree<G: Hints>: Send {
    /// Forgets everything.
    fn clear(&mut self);
    /// Begins the next decision of the same game.
    fn age(&mut self);
    /// Searches. `past` is the searcher's, back to where the tree began. The tree is the one with this index of so many.
    fn search(&mut self, task: &Task<'_, G>, options: &IsmctsOptions, past: &Past, part: (u64, u64)) -> Found;
}

/// A tree with a selection rule and a way to find nodes.
struct RuledTree<G: Hints, S: Selection<G::Actions>, O> {
    rule: S,
    tree: Tree<G::Actions, S::Extra>,
    observers: PhantomData<O>,
}

/// An empty tree with this room.
fn boxed<G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>>(
    options: &IsmctsOptions,
    memory: Memory,
) -> Box<dyn SearchTree<G>> {
    Box::new(RuledTree { rule: S::new(options), tree: Tree::new(memory), observers: PhantomData::<O> })
}

impl<G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>> SearchTree<G> for RuledTree<G, S, O> {
    fn clear(&mut self) {
        self.tree.clear();
    }

    fn age(&mut self) {
        self.tree.age();
    }

    fn search(
        &mut self,
        task: &Task<'_, G>,
        options: &IsmctsOptions,
        past: &Past,
        (index, count): (u64, u64),
    ) -> Found {
        let observers = O::new(options, past, task.view.seat());
        let mut searcher = Searcher {
            task,
            seat: task.view.seat(),
            opponents: options.opponents,
            rule: self.rule.clone(),
            budget: Budget::part(options.iterations, task.stop, index, count).at_most(MAX_ITERATIONS),
            roller: Roller::new(options.rollouts).guided_by(&options.belief.guide),
            rng: task.streams.rng_of_many("ismcts", index, count),
            root: observers.plant(&mut self.tree),
            observers,
            spread: ReturnSpread::new(1.0),
            lines: (task.depth > 0).then(|| Lines::new(task.depth)),
            tree: &mut self.tree,
        };
        let iterations = searcher.run();
        let Searcher { tree, root, spread, lines, .. } = searcher;
        let roots = tree.edges(root, S::weight);
        Found { iterations, nodes: tree.len().into(), roots, spread: spread.scale().into(), lines }
    }
}

/// An edge that an iteration followed.
#[derive(Clone, Copy)]
struct Step<N> {
    edge: Edge,
    mover: Seat,
    note: N,
}

type Path<N> = ArrayVec<Step<N>, MAX_DEPTH>;

/// A tree being searched. Searchers of different threads share no cache line.
#[repr(align(128))]
struct Searcher<'a, G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>> {
    task: &'a Task<'a, G>,
    seat: Seat,
    opponents: Opponents,
    rule: S,
    budget: Budget<'a>,
    roller: Roller,
    rng: Rng,
    observers: O,
    tree: &'a mut Tree<G::Actions, S::Extra>,
    /// The node of the searcher's true information set.
    root: u32,
    spread: ReturnSpread,
    lines: Option<Lines>,
}

impl<G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>> Searcher<'_, G, S, O> {
    /// Searches until the budget is spent and returns the number of iterations.
    fn run(&mut self) -> u64 {
        if G::COMPILES_SEARCH_TWICE { processor::run(self) } else { self.work(processor::Any) }
    }
}

impl<G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>> Work for &mut Searcher<'_, G, S, O> {
    type Output = u64;

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) -> u64 {
        let scale = ReturnScale::new(self.task.game);
        let mut path = Path::new();
        while self.budget.next().is_some() {
            let returns = self.iterate(&mut path);
            let own = f64::from(returns[self.seat]);
            // From leaf to root: a node visited twice must undo its second visit before its first.
            for step in path.iter().rev() {
                // An estimate may be slightly below the lowest return, but bounds must not be negative.
                let value = scale.unit(f64::from(returns[step.mover])).max(0.0);
                S::learn(self.tree, step.edge, step.note, value);
            }
            if let Some(lines) = &mut self.lines {
                lines.add(path.len(), &|place| (path[place].mover, self.tree.action(path[place].edge)), own);
            }
            self.spread.add(scale.unit(own));
            path.clear();
        }
        self.budget.begun
    }
}

impl<G: Hints, S: Selection<G::Actions>, O: Observers<G, S::Extra>> Searcher<'_, G, S, O> {
    /// Runs one determinization from the root to the end of the game. Leaves the visited edges in `path`.
    #[inline(always)]
    fn iterate(&mut self, path: &mut Path<S::Note>) -> BySeat<f32> {
        let game = self.task.game;
        let mut state = self.task.worlds.draw(&mut self.rng);
        let mut node = self.observers.begin(game, &state, self.tree);
        while let Turn::Seat(mover) = game.turn(&state)
            && node != NONE
            && path.len() < MAX_DEPTH
        {
            let mut legal = game.legal(&state);
            if path.is_empty() && node == self.root {
                legal = permitted(legal, self.task.legal);
            }
            let untried = legal.without(self.tree.tried(node));
            if !untried.is_empty() {
                let room = self.room(node);
                if S::EXPANSION == Expansion::OneByOne && room > 0 {
                    let action = untried.pick(&mut self.rng);
                    let edge = self.tree.expand(node, legal, action);
                    path.push(Step { edge, mover, note: Default::default() });
                    game.step(&mut state, action, &mut self.rng);
                    break;
                }
                self.add_edges(node, untried, room);
                if room == 0 && untried == legal {
                    break;
                }
            }
            self.rule.prepare(&Visit { game, state: &state, legal, node }, self.tree, &mut self.roller);
            let (edge, note) = self.rule.select(self.tree, node, legal, self.spread.scale(), &mut self.rng);
            let action = self.tree.action(edge);
            let is_leaf = S::EXPANSION == Expansion::AllAtOnce && self.tree.visits(edge) == 0;
            path.push(Step { edge, mover, note });
            self.observers.see(game, &state, action);
            game.step(&mut state, action, &mut self.rng);
            if is_leaf && !self.rule.evaluates(&self.roller) {
                break;
            }
            if self.opponents == Opponents::Fitted {
                self.let_others_play(&mut state);
            }
            let Turn::Seat(next) = game.turn(&state) else { break };
            node = self.observers.next(game, &state, next, (node, edge), self.tree);
            if is_leaf && node != NONE {
                let legal = game.legal(&state);
                self.add_edges(node, legal.without(self.tree.tried(node)), self.room(node));
                return self.rule.evaluate(&Visit { game, state: &state, legal, node }, self.tree, &mut self.roller);
            }
        }
        self.roller.returns(game, &mut state, &mut self.rng)
    }

    /// The number of edges that the node may get.
    fn room(&self, node: u32) -> usize {
        if node == self.root { usize::MAX } else { self.tree.room(node) }
    }

    /// Adds edges for untried actions in random order, as many as there is room for.
    fn add_edges(&mut self, node: u32, mut untried: G::Actions, room: usize) {
        let next = || {
            (!untried.is_empty()).then(|| {
                let action = untried.pick(&mut self.rng);
                untried = untried.without(G::Actions::default().with(action));
                action
            })
        };
        self.tree.add_edges(node, std::iter::from_fn(next).take(room));
    }

    /// Lets the other players act by the game's policy until it is the searcher's turn or the game is over.
    fn let_others_play(&mut self, state: &mut G::State) {
        let game = self.task.game;
        while let Turn::Seat(mover) = game.turn(state)
            && mover != self.seat
        {
            let action = fitted::pick(game, state, game.legal(state), &mut self.rng);
            self.observers.see(game, state, action);
            game.step(state, action, &mut self.rng);
        }
    }
}
