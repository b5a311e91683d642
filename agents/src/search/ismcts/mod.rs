//! Information set Monte Carlo tree search: one observer or one per seat, six selection rules.
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
//! | `selection` | The rule that selects edges, see [`Rule`]: `ucb1`, `ucb1_tuned` and `puct` (deterministic; with more visits closer to a best reply to itself), `exp3` and `regret_matching` (mixed strategies), `smooth_uct` (in between). |
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
//! Otherwise use `ucb1`, `ucb1_tuned` (c = 0.5) or `smooth_uct`, which are about equally strong. Use `multi` with
//! `regret_matching` and `choose=mixed` for simultaneous choices, and if there are few hands and opponents adapt.

mod observers;
mod prior;
mod puct;
mod selection;
mod table;
mod tree;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use stier_core::key::Past;
use stier_core::options::Switch;
use stier_core::{Action, ActionSet, BySeat, Hints, Rng, Seat, SeatView as _, Turn, choice, options};

use crate::agent::budget::Budget;
use crate::agent::choice::{Choose, without_noise};
use crate::agent::lines::{Line, Lines};
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::Stop;
use crate::agent::streams::AgentStreams;
use crate::agent::threads::Workers;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision, Search, permitted};
use crate::belief::BeliefSettings;
use crate::rollout::fitted;
use crate::rollout::{Roller, RolloutSettings};
use crate::search::spread::ReturnSpread;
pub(crate) use observers::{Draws, Observer};
use observers::{Keyed, Linked, Observers};
use prior::Prior as _;
pub(crate) use prior::PriorFrom;
use puct::Puct;
pub(crate) use selection::Rule;
use selection::{Exp3, Expansion, RegretMatching, Selection, SmoothUct, Ucb1, Ucb1Tuned};

use table::NONE;
use tree::{Edge, RootEdge, Tree};

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
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// The observations by which nodes are distinguished.
        observer: Observer = Observer::Single, ();
        /// The treatment of cards that a seat draws after the root.
        draws: Draws = Draws::Merge, ();
        /// The rule by which iterations select edges.
        selection: Rule = Rule::Ucb1, ();
        /// Exploration in UCB1, UCB1-tuned (the paper uses 0.5), PUCT and Smooth-UCT, for returns scaled so that
        /// twice their standard deviation in this search is 1. The literature uses 0.7 for games won or lost.
        c: f64 = 0.7, 0.0..=100.0;
        /// The share of uniform exploration in EXP3 and regret matching, or the smallest share of UCB1 in Smooth-UCT.
        /// 0 selects a share that falls with the square root of the visits in EXP3, and 0.1 in the others.
        gamma: f64 = 0.0, 0.0..=1.0;
        /// The initial share of UCB1 in Smooth-UCT.
        eta: f64 = 0.9, 0.0..=1.0;
        /// The rate at which that share falls, with the square root of the visits.
        d: f64 = 0.001, 0.0..=1.0;
        /// The source of PUCT's prior.
        prior: PriorFrom = PriorFrom::Hints, ();
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

/// The player: see the [module](self) documentation.
pub(crate) struct Ismcts<G: Hints> {
    options: IsmctsOptions,
    streams: AgentStreams,
    forest: Box<dyn Forest<G>>,
    past: Option<Past>,
    /// The depth to which lines are recorded.
    depth: usize,
    /// The lines of the last decision.
    lines: Vec<Line>,
}

impl<G: Hints> Ismcts<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: IsmctsOptions, seed: u64) -> Self {
        let forest: Box<dyn Forest<G>> = match options.selection {
            Rule::Ucb1 => Box::new(Trees::<G, Ucb1>::new(&options).with_links()),
            Rule::Ucb1Tuned => Box::new(Trees::<G, Ucb1Tuned>::new(&options)),
            Rule::Puct => Box::new(Trees::<G, Puct>::new(&options)),
            Rule::Exp3 => Box::new(Trees::<G, Exp3>::new(&options)),
            Rule::RegretMatching => Box::new(Trees::<G, RegretMatching>::new(&options)),
            Rule::SmoothUct => Box::new(Trees::<G, SmoothUct>::new(&options)),
        };
        Self { options, streams: AgentStreams::new(seed), forest, past: None, depth: 0, lines: Vec::new() }
    }
}

impl<G: Hints> Agent<G> for Ismcts<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let mut found = if legal.len() > 1 {
            let keyed = self.keys(view);
            let stop = self.streams.stop(start, self.options.time_ms);
            let task = Task {
                game,
                seat: view.seat(),
                legal,
                worlds: &self.worlds(game, view, &stop),
                keyed,
                options: &self.options,
                stop,
                streams: &self.streams,
                depth: self.depth,
            };
            self.forest.search(&task)
        } else {
            Found::default()
        };
        self.streams.advance();
        self.lines = found.lines.take().map_or(Vec::new(), Lines::finish);
        self.decide(game, legal, &found, start.elapsed())
    }

    fn restart(&mut self, seed: u64) {
        self.streams.restart(seed);
        self.past = None;
        self.lines = Vec::new();
        self.forest.clear();
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.worlds(game, view, &self.streams.stop(Instant::now(), self.options.time_ms))
    }

    fn note_lines(&mut self, depth: usize) {
        self.depth = depth;
    }

    fn lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.streams.interrupt_with(flag);
    }
}

impl<G: Hints> Ismcts<G> {
    /// The worlds of the next decision.
    fn worlds(&self, game: &G, view: &G::View, stop: &Stop<'_>) -> Worlds<G> {
        let IsmctsOptions { iterations, self_determination, belief, .. } = &self.options;
        let draws = if stop.is_timed() { u64::MAX } else { *iterations };
        let mut rng = self.streams.rng("beliefs");
        belief.worlds(game, view, stop, &mut rng).self_determined(
            game,
            view,
            *self_determination,
            draws,
            &stop.within_share(belief.belief_share),
            &mut rng,
        )
    }

    /// Prepares the trees for a decision. Returns the keys of nodes, if nodes are found by keys.
    fn keys(&mut self, view: &G::View) -> Option<Keyed> {
        let options = &self.options;
        let reuse = options.reuse == Switch::On;
        let past = match (options.observer, options.draws) {
            _ if reuse => view.past().clone(),
            (Observer::Single, Draws::Merge)
                if options.selection == Rule::Ucb1
                    && options.self_determination == 0.0
                    && options.opponents == Opponents::Search =>
            {
                self.forest.clear();
                return None;
            }
            _ => view.past().only_now(),
        };
        let keyed = Keyed::new(options.observer, options.draws, &past, view.seat());
        match &self.past {
            Some(earlier) if reuse && past.continues(earlier) => self.forest.age(),
            _ => self.forest.clear(),
        }
        self.past = Some(past);
        Some(keyed)
    }

    /// Adds up the roots and chooses an action.
    fn decide(&self, game: &G, legal: G::Actions, found: &Found, time: Duration) -> Decision {
        let (low, high) = game.rounded_range();
        let mut weights = Vec::new();
        let actions: Vec<ActionStats> = legal
            .iter()
            .map(|action| {
                let edges = found.roots.iter().filter(|edge| edge.action == action);
                let visits: u64 = edges.clone().map(|edge| u64::from(edge.visits)).sum();
                let scaled = edges.clone().map(|edge| edge.value).sum::<f64>() / visits.max(1) as f64;
                let value = if visits == 0 { 0.0 } else { f64::from(low) + scaled * f64::from(high - low) };
                weights.push(edges.clone().filter_map(|edge| edge.weight).sum::<f64>());
                let availability = edges.map(|edge| u64::from(edge.available)).sum();
                ActionStats { action: action.0, visits, value, availability, probability: 0.0 }
            })
            .collect();
        let search = Search { actions, iterations: found.iterations, nodes: found.nodes, seconds: time.as_secs_f64() };
        if found.roots.iter().all(|edge| edge.weight.is_none()) {
            weights = without_noise(&search.actions, found.spread * f64::from(high - low));
        }
        self.options.choose.decide(search, &weights, &mut self.streams.rng("ismcts choice"))
    }
}

/// The input of a search.
struct Task<'a, G: Hints> {
    game: &'a G,
    seat: Seat,
    /// The actions that the searcher may choose at the root.
    legal: G::Actions,
    worlds: &'a Worlds<G>,
    /// The keys of nodes, if nodes are found by keys.
    keyed: Option<Keyed>,
    options: &'a IsmctsOptions,
    stop: Stop<'a>,
    /// The source of the random streams.
    streams: &'a AgentStreams,
    /// The depth to which lines are recorded; 0 if they are not.
    depth: usize,
}

/// The result of a search.
#[derive(Clone, Default, Debug)]
struct Found {
    iterations: u64,
    nodes: u64,
    /// The edges of all roots.
    roots: Vec<RootEdge>,
    /// Twice the standard deviation of the searcher's returns, as a share of the range of utilities. This is the
    /// largest value of all trees.
    spread: f64,
    /// The lines of all trees, if they were recorded.
    lines: Option<Lines>,
}

/// The trees of an agent, one per thread, for any selection rule.
trait Forest<G: Hints>: Send {
    /// Forgets everything.
    fn clear(&mut self);
    /// Begins the next decision of the same game.
    fn age(&mut self);
    /// Searches, with each tree on its own thread.
    fn search(&mut self, task: &Task<'_, G>) -> Found;
}

/// Trees with a selection rule.
struct Trees<G: Hints, S: Selection> {
    rule: S,
    trees: Vec<Tree<G::Actions, S::Extra>>,
    workers: Workers,
    /// The search in which edges know their nodes, without keys: faster, at the price of a second copy of the code.
    search_by_links: Option<fn(&mut Self, &Task<'_, G>) -> Found>,
}

impl<G: Hints, S: Selection> Trees<G, S> {
    fn new(options: &IsmctsOptions) -> Self {
        // The tree of the current decision and, with `reuse`, that of the last one.
        let trees_per_thread = if options.reuse == Switch::On { 2 } else { 1 };
        let memory = Memory::share(options.memory_mb, options.threads * trees_per_thread);
        let trees = (0..options.threads).map(|_| Tree::new(memory)).collect();
        Self { rule: S::new(options), trees, workers: Workers::default(), search_by_links: None }
    }

    fn with_links(self) -> Self {
        Self { search_by_links: Some(|own, task| own.search_with(task, &Linked::new(task.seat))), ..self }
    }

    fn search_with<O: Observers<G>>(&mut self, task: &Task<'_, G>, observers: &O) -> Found {
        let count = self.trees.len() as u64;
        let mut searchers: Vec<_> = (self.trees.iter_mut().zip(0..))
            .map(|(tree, index)| Searcher {
                task,
                rule: &self.rule,
                budget: Budget::part(task.options.iterations, task.stop, index, count).at_most(MAX_ITERATIONS),
                roller: Roller::new(task.game, task.options.rollouts).guided_by(&task.options.belief.guide),
                rng: task.streams.rng_of_many("ismcts", index, count),
                observers: observers.clone(),
                root: observers.plant(tree),
                spread: ReturnSpread::default(),
                lines: (task.depth > 0).then(|| Lines::new(task.depth)),
                prior: S::Prior::new(task.options),
                tree,
            })
            .collect();
        let iterations = self.workers.run_all(&mut searchers, Searcher::run);
        let lines = searchers.iter_mut().filter_map(|searcher| searcher.lines.take()).reduce(|mut all, lines| {
            all.merge(lines);
            all
        });
        Found {
            iterations,
            lines,
            nodes: searchers.iter().map(|searcher| u64::from(searcher.tree.len())).sum(),
            roots: searchers.iter().flat_map(|searcher| searcher.tree.edges(searcher.root, S::weight)).collect(),
            spread: searchers.iter().map(|searcher| f64::from(searcher.spread.scale())).fold(0.0, f64::max),
        }
    }
}

impl<G: Hints, S: Selection> Forest<G> for Trees<G, S> {
    fn clear(&mut self) {
        self.trees.iter_mut().for_each(Tree::clear);
    }

    fn age(&mut self) {
        self.trees.iter_mut().for_each(Tree::age);
    }

    fn search(&mut self, task: &Task<'_, G>) -> Found {
        match (&task.keyed, self.search_by_links) {
            (Some(keyed), _) => self.search_with(task, keyed),
            (None, Some(search)) => search(self, task),
            (None, None) => unreachable!("nodes are found by keys"),
        }
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

/// One tree being searched. Searchers of different threads share no cache line.
#[repr(align(128))]
struct Searcher<'a, G: Hints, S: Selection, O: Observers<G>> {
    task: &'a Task<'a, G>,
    rule: &'a S,
    budget: Budget<'a>,
    roller: Roller,
    rng: Rng,
    observers: O,
    tree: &'a mut Tree<G::Actions, S::Extra>,
    /// The node of the searcher's true information set.
    root: u32,
    spread: ReturnSpread,
    lines: Option<Lines>,
    prior: S::Prior,
}

impl<G: Hints, S: Selection, O: Observers<G>> Searcher<'_, G, S, O> {
    /// Searches until the budget is spent and returns the number of iterations.
    fn run(&mut self) -> u64 {
        let task = self.task;
        let (low, high) = task.game.rounded_range();
        let low = f64::from(low);
        let scale = (f64::from(high) - low).max(f64::MIN_POSITIVE).recip();
        let mut path = Path::new();
        let mut done = 0;
        loop {
            let chunk = self.budget.next(done);
            if chunk == 0 {
                return done;
            }
            for _ in 0..chunk {
                let returns = self.iterate(&mut path);
                self.roller.learn(&returns);
                for step in &path {
                    // An estimate may be slightly below the lowest return, but bounds must not be negative.
                    let value = ((f64::from(returns[step.mover]) - low) * scale).max(0.0);
                    S::learn(self.tree, step.edge, step.note, value);
                }
                if let Some(lines) = &mut self.lines {
                    let steps = path.iter().map(|step| (step.mover, self.tree.action(step.edge)));
                    lines.add(steps, f64::from(returns[task.seat]));
                }
                self.spread.add((f64::from(returns[task.seat]) - low) * scale);
                path.clear();
            }
            done += chunk;
        }
    }

    /// Runs one determinization from the root to the end of the game. Leaves the visited edges in `path`.
    #[inline]
    fn iterate(&mut self, path: &mut Path<S::Note<G::Actions>>) -> BySeat<f32> {
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
                    self.roller.note(mover, action);
                    game.step(&mut state, action, &mut self.rng);
                    break;
                }
                self.add_edges(node, untried, room);
                if room == 0 && untried == legal {
                    break;
                }
            }
            self.prior.prepare(game, &state, legal, self.tree, node, &mut self.roller);
            let scale = self.spread.scale();
            let (edge, action, note) = self.rule.select(self.tree, node, legal, scale, &mut self.rng);
            let is_leaf = S::EXPANSION == Expansion::AllAtOnce && self.tree.visits(edge) == 0;
            path.push(Step { edge, mover, note });
            self.roller.note(mover, action);
            self.observers.see(game, &state, action);
            game.step(&mut state, action, &mut self.rng);
            if is_leaf && !self.prior.evaluates(&self.roller) {
                break;
            }
            if self.task.options.opponents == Opponents::Fitted {
                self.let_others_play(&mut state);
            }
            let Turn::Seat(next) = game.turn(&state) else { break };
            node = self.observers.next(game, &state, next, (node, edge, action), self.tree);
            if is_leaf && node != NONE {
                let legal = game.legal(&state);
                self.add_edges(node, legal.without(self.tree.tried(node)), self.room(node));
                return self.prior.evaluate(game, &state, legal, self.tree, node, &mut self.roller);
            }
        }
        self.roller.returns(game, &mut state, &mut self.rng)
    }
}

impl<G: Hints, S: Selection, O: Observers<G>> Searcher<'_, G, S, O> {
    /// The number of edges that the node may get.
    fn room(&self, node: u32) -> usize {
        if node == self.root { usize::MAX } else { self.tree.room(node) }
    }

    /// Adds edges for untried actions in random order, as many as there is room for.
    fn add_edges(&mut self, node: u32, untried: G::Actions, room: usize) {
        self.tree.add_edges(node, in_any_order(untried, &mut self.rng).take(room));
    }

    /// Lets the other players act by the game's policy until it is the searcher's turn or the game is over.
    fn let_others_play(&mut self, state: &mut G::State) {
        let game = self.task.game;
        while let Turn::Seat(mover) = game.turn(state)
            && mover != self.task.seat
        {
            let action = fitted::pick(game, state, game.legal(state), &mut self.rng);
            self.roller.note(mover, action);
            self.observers.see(game, state, action);
            game.step(state, action, &mut self.rng);
        }
    }
}

/// The actions of a set in random order.
fn in_any_order<A: ActionSet>(mut actions: A, rng: &mut Rng) -> impl Iterator<Item = Action> {
    std::iter::from_fn(move || {
        (!actions.is_empty()).then(|| {
            let action = actions.pick(rng);
            actions = actions.without(A::default().with(action));
            action
        })
    })
}
