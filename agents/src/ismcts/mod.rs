//! Information set Monte Carlo tree search: one observer or one per seat, six selection rules.
//!
//! P. I. Cowling, E. J. Powley and D. Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on Computational
//! Intelligence and AI in Games 4(2), 2012. Every iteration draws a state from the view (exactly: see
//! [`Sampler`](stier_core::Sampler)), descends a tree shared by all of them, expands one edge, plays on from there and updates
//! the path. Exploration counts for an action how often it was *available*, not how often its node was passed.
//!
//! | option | what it decides |
//! | --- | --- |
//! | `observer=single` | Nodes are what the searcher observed of the actions (SO-ISMCTS): a choice hidden from it leads to one node, whatever was chosen. |
//! | `observer=multi` | Nodes are what the seat to move observed and holds (MO-ISMCTS; keyed like the ISMCTS of OpenSpiel). An opponent with other cards has other statistics: its choices fit its hand. In simultaneous choices nobody sees another's. |
//! | `draws=merge` | What chance brings after the root branches nothing; in `multi` a seat is known by what it holds at the root. |
//! | `draws=branch` | What a seat draws leads to nodes of its own: full information sets, and far fewer visits for each. |
//! | `selection` | The rule that picks edges, see [`Rule`]: `ucb1`, `ucb1_tuned` and `puct` (deterministic, the more visits the closer to a best reply to itself), `exp3` and `regret_matching` (mixed strategies), `smooth_uct` (in between). |
//! | `choose` | What is played in the end, see [`Choose`]. `exp3` and `regret_matching` keep an average strategy, without their exploration; that of `smooth_uct` is the visits. |
//! | `reuse=on` | The searcher's nodes are kept from one decision of a game to the next. |
//!
//! With `reuse=on` nodes have keys that begin with the game: those that the next search reaches again are taken over, what two
//! searches in a row do not reach is forgotten, and so is everything once a view does not continue the one before. The nodes of
//! other seats in `multi` are keyed from the root on and begin anew. The statistics of the decision include what was inherited:
//! visits add up to `iterations` plus the inherited ones.
//!
//! `memory_mb` bounds the trees of all threads together. Once a tree is full, iterations still follow and update its nodes, and roll out
//! where they would add one. Actions that have no edge yet at a node get one only where its last block has room, except at the root.
//!
//! Known weaknesses. Of `single`: opponents are modelled as holding any cards at once, their choices being averages over hands;
//! in simultaneous choices those who come later in the order are modelled as if they saw the searcher's. Of `multi`: where an
//! opponent can hold very many hands, its nodes are hardly ever passed twice, and it is modelled as playing its rollouts (at the
//! first decision in Schwinget there are 20,349 hands, and 10,000 iterations make 9,200 nodes): it pays where hands are few or
//! iterations many. Of `draws=branch`: the same for the searcher's own nodes. Of all: the worlds
//! agree on the searcher's own cards, so opponents are modelled as if they knew them. Of the deterministic rules: play can be
//! exploited, and more iterations sharpen the answer to this model of the game, which is not the equilibrium: on Kuhn poker
//! exploitability rises with them. The mixed rules explore more for it and need more iterations; their returns come from
//! strategies that still explore further down, so that they converge near an equilibrium only, where at all. With many actions
//! and few iterations they know little: in Up & Down for two, at 500 iterations, regret matching wins 35 % against UCB1. A mixed
//! final choice costs strength against opponents who do not exploit: with UCB1 in Schwinget, at 1,000 iterations, it wins 47 %
//! against the most visited action.
//!
//! Neither beliefs nor self-determination make it an equilibrium. Exploitability on Kuhn poker (half the NashConv; random play: 0.458),
//! `observer=multi`, means of ten seeds:
//!
//! | settings | 100 iterations | 1,000 | 10,000 |
//! | --- | --- | --- | --- |
//! | `choose=visits` | 0.167 | 0.167 | 0.167 |
//! | `choose=sample` | 0.120 | 0.157 | 0.165 |
//! | the same, `self_determination=0.5` | 0.119 | 0.143 | 0.152 |
//! | the same, `beliefs=policy`, the model indifferent (`rollout`) | 0.115 | 0.157 | 0.168 |
//! | the same, the model wrong (`greedy`: only kings bet) | 0.189 | 0.206 | 0.210 |
//! | the same, the model an equilibrium (`fitted`, at temperature 1 without epsilon) | 0.144 | 0.143 | 0.143 |
//! | `selection=exp3,choose=mixed` | 0.181 | 0.134 | 0.163 |
//! | the same, `self_determination=0.5` | 0.206 | 0.126 | 0.150 |
//! | the same, the model an equilibrium | 0.184 | 0.109 | 0.109 |
//!
//! With a single observer figures are alike, but self-determination does nothing at 10,000 iterations. A model that is wrong costs more
//! than none; one that is right leaves the searcher indifferent where it should be, and what it then plays is left to chance (0.09 to
//! 0.24 from seed to seed with UCB1, 0.105 to 0.114 with EXP3, at 10,000).
//!
//! When to use what: `puct` where the game's hints say much about single moves (it wins 72 % against `ucb1` in Up & Down for two,
//! 66 % in Schwimmen for two, at 500 iterations; in Schwinget it gains nothing), or with `prior=fitted` (54.2 ± 1.1 % of the decided
//! games in Schwinget, 69 ± 6 % in Up & Down for two, at 1 ms); else `ucb1`, `ucb1_tuned` (c = 0.5) or `smooth_uct`, which are about
//! equally strong; `multi` with `regret_matching` and `choose=mixed` for choices made at once and
//! where hands are few and opponents adapt.

mod observers;
mod puct;
mod selection;
mod table;
mod tree;

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use stier_core::key::Past;
use stier_core::options::Switch;
use stier_core::{Action, ActionSet, BySeat, Hints, Rng, Seat, SeatView as _, Turn, choice, options};

use crate::agent::{ActionStats, Agent, Decision, Search, permitted};
use crate::belief::BeliefSettings;
use crate::budget::Budget;
use crate::choice::{Choose, without_noise};
use crate::course::Course;
use crate::fitted;
use crate::lines::{Line, Lines};
use crate::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::rollout::{Roller, RolloutSettings};
use crate::spread::Spread;
use crate::stop::Stop;
use crate::threads::Workers;
use crate::worlds::Worlds;
pub use observers::{Draws, Observer};
use observers::{Keyed, Linked, Observers};
use puct::{Puct, StoredPuct};
use selection::{Exp3, Prior, PriorTable, RegretMatching, Selection, SmoothUct, UNIFORM_PART, Ucb1, Ucb1Tuned};
pub use selection::{PriorFrom, Rule};

use table::NONE;
use tree::{Edge, RootEdge, Tree};

choice! {
    /// Who chooses for the other players in the tree.
    pub enum Opponents {
        /// The tree: they choose what is best for them there.
        Search = "search",
        /// The game's policy ([`fitted`]): the tree holds the searcher's decisions only and looks for the best reply to it.
        Fitted = "fitted",
    }
}

options! {
    /// The options of [`Ismcts`].
    pub struct IsmctsOptions for "ismcts" {
        /// Iterations per decision, over all threads.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `iterations`, and results depend on the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Whose observations tell nodes apart.
        observer: Observer = Observer::Single, ();
        /// What the cards do that a seat draws after the root.
        draws: Draws = Draws::Merge, ();
        /// How iterations choose among edges.
        selection: Rule = Rule::Ucb1, ();
        /// Exploration in UCB1, UCB1-tuned (0.5 is the paper's), PUCT and Smooth-UCT, for returns scaled so that twice their
        /// standard deviation in this search is 1: 0.7 is the value of the literature for games won or lost.
        c: f64 = 0.7, 0.0..=100.0;
        /// The share of uniform exploration in EXP3 and regret matching, the least share of UCB1 in Smooth-UCT. 0 stands for
        /// a share that falls with the square root of the passes in EXP3, for 0.1 in the others.
        gamma: f64 = 0.0, 0.0..=1.0;
        /// The first share of UCB1 in Smooth-UCT.
        eta: f64 = 0.9, 0.0..=1.0;
        /// How fast that share falls, with the square root of the passes.
        d: f64 = 0.001, 0.0..=1.0;
        /// Where PUCT has its prior from.
        prior: PriorFrom = PriorFrom::Hints, ();
        /// How iterations play on to the end.
        ..rollouts: RolloutSettings = RolloutSettings::default();
        /// Who chooses for the other players in the tree.
        opponents: Opponents = Opponents::Search, ();
        /// Which action is played after the search.
        choose: Choose = Choose::Visits, ();
        /// Which worlds are likely.
        ..belief: BeliefSettings = BeliefSettings::default();
        /// The share of the worlds that are drawn from what another player could believe, the searcher's own cards included.
        /// With observer=multi they teach the others' nodes that they cannot know its cards; with observer=single other own
        /// cards have trees of their own, which serve nothing.
        self_determination: f64 = 0.0, 0.0..=1.0;
        /// Whether statistics are kept from one decision to the next.
        reuse: Switch = Switch::Off, ();
        /// Threads: a tree each, statistics added at the root; deterministic for a given number.
        threads: u64 = 1, 1..=256;
        /// Mebibytes that the trees of all threads may take, with reuse=on those of the last decision included. Once they are full, the
        /// search goes on in the nodes that there are.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// Paths longer than this are not followed by the tree.
const MAX_DEPTH: usize = 256;
/// No tree is searched for more iterations than this: the counts of its edges fit 31 bits.
const MAX_ITERATIONS: u64 = 1 << 30;

/// The player: see the [module](self) documentation.
pub struct Ismcts<G: Hints> {
    options: IsmctsOptions,
    course: Course,
    forest: Box<dyn Forest<G>>,
    past: Option<Past>,
    /// How deep lines are noted.
    depth: usize,
    /// Those of the last decision.
    lines: Vec<Line>,
}

impl<G: Hints> Ismcts<G> {
    /// A player with the streams of `seed`.
    pub fn new(options: IsmctsOptions, seed: u64) -> Self {
        let forest: Box<dyn Forest<G>> = match options.selection {
            Rule::Ucb1 => Box::new(Trees::<G, Ucb1>::new(&options)),
            Rule::Ucb1Tuned => Box::new(Trees::<G, Ucb1Tuned>::new(&options)),
            Rule::Puct if options.prior == PriorFrom::Network => Box::new(Trees::<G, StoredPuct>::new(&options)),
            Rule::Puct => Box::new(Trees::<G, Puct>::new(&options)),
            Rule::Exp3 => Box::new(Trees::<G, Exp3>::new(&options)),
            Rule::RegretMatching => Box::new(Trees::<G, RegretMatching>::new(&options)),
            Rule::SmoothUct => Box::new(Trees::<G, SmoothUct>::new(&options)),
        };
        Self { options, course: Course::new(seed), forest, past: None, depth: 0, lines: Vec::new() }
    }
}

impl<G: Hints> Agent<G> for Ismcts<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let mut found = if legal.len() > 1 {
            let keyed = self.keys(view);
            let stop = self.course.stop(start, self.options.time_ms);
            let task = Task {
                game,
                seat: view.seat(),
                legal,
                worlds: &self.worlds(game, view, &stop),
                keyed,
                options: &self.options,
                stop,
                course: &self.course,
                depth: self.depth,
            };
            self.forest.search(&task)
        } else {
            Found::default()
        };
        self.course.advance();
        self.lines = found.lines.take().map_or(Vec::new(), Lines::finish);
        self.decide(game, legal, &found, start.elapsed())
    }

    fn restart(&mut self, seed: u64) {
        self.course.restart(seed);
        self.past = None;
        self.lines = Vec::new();
        self.forest.clear();
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.worlds(game, view, &self.course.stop(Instant::now(), self.options.time_ms))
    }

    fn note_lines(&mut self, depth: usize) {
        self.depth = depth;
    }

    fn lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.course.interrupt_with(flag);
    }
}

impl<G: Hints> Ismcts<G> {
    /// The worlds of the next decision.
    fn worlds(&self, game: &G, view: &G::View, stop: &Stop<'_>) -> Worlds<G> {
        let IsmctsOptions { iterations, self_determination, belief, .. } = &self.options;
        let draws = if stop.is_timed() { u64::MAX } else { *iterations };
        let mut rng = self.course.rng("beliefs");
        Worlds::new(game, view, belief, stop, &mut rng).self_determined(
            game,
            view,
            (*self_determination, draws),
            &stop.sooner(belief.belief_share),
            &mut rng,
        )
    }

    /// Readies the trees for a decision. How nodes are found by keys, if they are.
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

    /// Adds the roots up and chooses.
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
                weights.push(edges.clone().map(|edge| edge.weight).sum::<f64>());
                let availability = edges.map(|edge| u64::from(edge.available)).sum();
                ActionStats { action: action.0, visits, value, availability, probability: 0.0 }
            })
            .collect();
        let search = Search { actions, iterations: found.iterations, nodes: found.nodes, seconds: time.as_secs_f64() };
        if !found.averages {
            weights = without_noise(&search.actions, found.spread * f64::from(high - low));
        }
        self.options.choose.decide(search, &weights, &mut self.course.rng("ismcts choice"))
    }
}

/// What there is to search.
struct Task<'a, G: Hints> {
    game: &'a G,
    seat: Seat,
    /// The actions that the searcher may choose at the root.
    legal: G::Actions,
    worlds: &'a Worlds<G>,
    /// How nodes are found by keys, if they are.
    keyed: Option<Keyed>,
    options: &'a IsmctsOptions,
    stop: Stop<'a>,
    /// Has the streams.
    course: &'a Course,
    /// How deep lines are noted; 0 if they are not.
    depth: usize,
}

/// What was found.
#[derive(Clone, Default, Debug)]
struct Found {
    iterations: u64,
    nodes: u64,
    /// The edges of all roots.
    roots: Vec<RootEdge>,
    /// Whether their weights are an average strategy.
    averages: bool,
    /// Twice the standard deviation of the searcher's returns, as a share of the range of utilities; the largest of all trees.
    spread: f64,
    /// The lines of all trees, if they were noted.
    lines: Option<Lines>,
}

/// The trees of an agent, one per thread, whatever the selection rule.
trait Forest<G: Hints>: Send {
    /// Forgets everything.
    fn clear(&mut self);
    /// Begins the next decision of the same game.
    fn age(&mut self);
    /// Searches, each tree on a thread of its own.
    fn search(&mut self, task: &Task<'_, G>) -> Found;
}

/// Trees with a selection rule.
struct Trees<G: Hints, S: Selection> {
    rule: S,
    trees: Vec<Tree<G::Actions, S::Extra>>,
    workers: Workers,
    game: PhantomData<fn(G)>,
}

impl<G: Hints, S: Selection> Trees<G, S> {
    fn new(options: &IsmctsOptions) -> Self {
        // The present decision's tree and, with `reuse`, that of the last one.
        let trees_per_thread = if options.reuse == Switch::On { 2 } else { 1 };
        let memory = Memory::share(options.memory_mb, options.threads * trees_per_thread);
        let trees = (0..options.threads).map(|_| Tree::new(memory)).collect();
        Self { rule: S::new(options), trees, workers: Workers::default(), game: PhantomData }
    }

    fn search_with<O: Observers<G>>(&mut self, task: &Task<'_, G>, observers: &O) -> Found {
        let count = self.trees.len() as u64;
        let mut searchers: Vec<_> = (self.trees.iter_mut().zip(0..))
            .map(|(tree, index)| Searcher {
                task,
                rule: &self.rule,
                budget: Budget::part(task.options.iterations, task.stop, index, count).at_most(MAX_ITERATIONS),
                roller: Roller::new(task.game, task.options.rollouts).guided_by(&task.options.belief.guide),
                rng: task.course.rng_of_many("ismcts", index, count),
                observers: observers.clone(),
                root: observers.plant(tree),
                spread: Spread::default(),
                lines: (task.depth > 0).then(|| Lines::new(task.depth)),
                table: Box::new([0.0; 256]),
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
            averages: S::AVERAGES,
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
        match &task.keyed {
            Some(keyed) => self.search_with(task, keyed),
            None if S::LINKS => self.search_with(task, &Linked::new(task.seat)),
            None => unreachable!("nodes are found by keys"),
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

/// One tree being searched. Those of different threads share no cache line.
#[repr(align(128))]
struct Searcher<'a, G: Hints, S: Selection, O: Observers<G>> {
    task: &'a Task<'a, G>,
    rule: &'a S,
    budget: Budget<'a>,
    roller: Roller,
    rng: Rng,
    observers: O,
    tree: &'a mut Tree<G::Actions, S::Extra>,
    /// The node of what the searcher really holds.
    root: u32,
    spread: Spread,
    lines: Option<Lines>,
    /// Room for a prior.
    table: Box<PriorTable>,
}

impl<G: Hints, S: Selection, O: Observers<G>> Searcher<'_, G, S, O> {
    /// Searches until the budget is spent; returns the number of iterations.
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
                    // An estimate may be a little below the lowest return; bounds must not be negative.
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

    /// One determinization from the root to the end of the game; leaves the edges passed in `path`.
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
                if S::TRIES_ALL && room > 0 {
                    let action = untried.pick(&mut self.rng);
                    let edge = self.tree.expand(node, legal, action);
                    path.push(Step { edge, mover, note: S::first_try() });
                    self.roller.note(mover, action);
                    game.step(&mut state, action, &mut self.rng);
                    break;
                }
                self.tree.add_edges(node, in_any_order(untried, &mut self.rng).take(room));
                if room == 0 && untried == legal {
                    break;
                }
            }
            if S::STORES_PRIOR && self.lacks_prior(node, legal) {
                self.ask_network(node, (&state, mover), legal);
            }
            let prior = if S::HAS_PRIOR {
                Prior::of(self.task.options.prior, game, &state, legal, &mut self.table)
            } else {
                Prior::default()
            };
            let scale = self.spread.scale();
            let (edge, action, note) = self.rule.select(self.tree, node, legal, prior, scale, &mut self.rng);
            let leaf = !S::TRIES_ALL && self.tree.visits(edge) == 0;
            path.push(Step { edge, mover, note });
            self.roller.note(mover, action);
            self.observers.see(game, &state, action);
            game.step(&mut state, action, &mut self.rng);
            let begins = leaf && S::STORES_PRIOR && self.roller.only_evaluates();
            if leaf && !begins {
                break;
            }
            if self.task.options.opponents == Opponents::Fitted {
                self.let_others_play(&mut state);
            }
            let Turn::Seat(next) = game.turn(&state) else { break };
            node = self.observers.next(game, &state, next, (node, edge, action), self.tree);
            if begins {
                if node == NONE {
                    break;
                }
                // One question gives the leaf's value and the prior of its node.
                let legal = game.legal(&state);
                let untried = legal.without(self.tree.tried(node));
                let room = self.room(node);
                self.tree.add_edges(node, in_any_order(untried, &mut self.rng).take(room));
                return self.ask_network(node, (&state, next), legal);
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

    /// Whether some legal action that has an edge has no prior yet.
    fn lacks_prior(&mut self, node: u32, legal: G::Actions) -> bool {
        let mut at = node;
        while at != NONE {
            let (block, extra) = self.tree.parts(at);
            let legal = block.legal(legal);
            let priors = S::prior_of(extra).expect("edges keep priors");
            if priors.iter().zip(legal).any(|(&prior, legal)| legal > 0 && prior == 0.0) {
                return true;
            }
            at = block.next;
        }
        false
    }

    /// Asks the network about a state in which `mover` is to act: what it promises every seat. The edges of legal actions get their
    /// prior from it, unless they have one.
    fn ask_network(&mut self, node: u32, (state, mover): (&G::State, Seat), legal: G::Actions) -> BySeat<f32> {
        let game = self.task.game;
        let network = self.roller.network().expect("a network is named");
        let evaluation = network.evaluate(game, state, mover);
        let (weights, sum) = evaluation.weights(legal.iter(), 1.0);
        let uniform = UNIFORM_PART / weights.len() as f32;
        for (action, weight) in legal.iter().zip(weights) {
            self.table[action.index()] = uniform + (1.0 - UNIFORM_PART) * weight / sum;
        }
        let mut at = node;
        while at != NONE {
            let (block, extra) = self.tree.parts(at);
            let legal = block.legal(legal);
            let priors = S::prior_of(extra).expect("edges keep priors");
            for ((prior, action), legal) in priors.iter_mut().zip(block.action).zip(legal) {
                if legal > 0 && *prior == 0.0 {
                    *prior = self.table[usize::from(action)];
                }
            }
            at = block.next;
        }
        evaluation.values(game, state, mover)
    }

    /// The other players act by the game's policy until it is the searcher's turn or the game is over.
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
