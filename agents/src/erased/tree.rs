//! Trees of small games and policies in tables, for callers that know no types.

use std::any::Any;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::list::Listing as _;
use stier_core::list::sort_few;
use stier_core::{Action, ActionSet as _, FullGame, Game, Rng, Scene, Seat, Turn};
use thiserror::Error;

use super::{DynEntrant, DynGame, DynState, ErasedEntrant, ErasedGame};
use crate::agent::player::Player;
use crate::agent::threads::{self, Halted, Watch, WatchOf};
use crate::agent::{Agent, DecideError};
use crate::arena::Entrant as _;
#[cfg(feature = "threads")]
use crate::batch::vector::Cells;
use crate::belief::Beliefs;
use crate::catalogue::Unsuited;
use crate::solve::best_response::{self, NashConv};
use crate::solve::game_tree::{GameTree, Policy, Tree, is_distribution};
use crate::solve::solution_file::{self, Label, SolutionFileError};
use crate::solve::tabular::{IndexedTree, TableAgent, TabularPolicy, frequency, policy_of, reach};
use crate::solve::{self, Progress, RangePolicy, SolveError, Solved};

/// The reason why there is no policy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AskError {
    /// The entrant sees everything.
    #[error("{0} sees everything: its behaviour is not a function of a player's knowledge")]
    Oracle(String),
    /// The table is of another game.
    #[error(transparent)]
    OtherGame(#[from] DecideError),
    /// The agent cannot play this game.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// Numbers that are not a policy of a tree.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum NotAPolicy {
    /// Too few or too many.
    #[error("a policy must have {sets} information sets times {actions} actions, got {found} numbers")]
    Size {
        /// The information sets of the tree.
        sets: usize,
        /// The actions of the game.
        actions: usize,
        /// The given number.
        found: usize,
    },
    /// Not probabilities of the legal actions.
    #[error(
        "information set {set}: the probabilities of the legal actions must not be negative and must add up to 1, and those of other actions must be 0; got {row:?}"
    )]
    Row {
        /// The information set.
        set: usize,
        /// The given row.
        row: Vec<f64>,
    },
}

/// The way in which an entrant is queried at every information set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskSettings {
    /// The first seed. The others, and that of every decision, are hashed from it.
    pub seed: u64,
    /// The number of seeds, at least 1. Their policies are averaged.
    pub seeds: u64,
    /// The number of threads; 0 for all cores. Results do not depend on it.
    pub threads: usize,
}

/// A whole game in memory; see [`GameTree`].
pub trait DynTree: Send + Sync + Debug {
    /// The game.
    fn game(&self) -> Arc<dyn DynGame>;
    /// The tree without its game.
    fn shape(&self) -> &Tree;
    /// The knowledge at some information sets, as text: [`Notation::knowledge`](stier_core::Notation::knowledge). Replays
    /// a history of each.
    fn knowledge(&self, sets: Range<usize>) -> Vec<String>;
    /// The table at an information set, as its player sees it; `None` if a player has chosen anything before.
    fn opening(&self, set: usize) -> Option<Scene>;
    /// Writes the observation tensor of the player to act at some information sets, one after the other. Replays a
    /// history of each.
    #[cfg(feature = "threads")]
    fn observations(&self, sets: Range<usize>, out: Cells<'_>);
    /// A policy of this tree.
    fn of_policy(&self, policy: Policy) -> Arc<dyn DynPolicy>;
    /// The behaviour of an entrant at every information set: the rows of a table, the policy of an agent, which is
    /// queried with its own seeds at each set, or the choices of a function. Entrants without
    /// [seeds](DynEntrant::num_seeds) are queried once. `watch` is called after every query. Once `interrupt` is set,
    /// decisions in progress end early. A function is called from one thread.
    fn policy_of(
        &self,
        entrant: &DynEntrant,
        settings: &AskSettings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<Arc<dyn DynPolicy>, AskError>;
    /// Looks for an equilibrium; see [`solve::solve`].
    fn solve(
        &self,
        settings: &solve::Settings,
        interrupt: &Arc<AtomicBool>,
        watch: WatchOf<'_, Progress>,
    ) -> Result<Solved<Arc<dyn DynPolicy>>, SolveError>;
}

impl dyn DynTree + '_ {
    /// The number of histories.
    pub fn histories(&self) -> usize {
        self.shape().num_nodes()
    }

    /// The number of information sets.
    pub fn information_sets(&self) -> usize {
        self.shape().num_sets()
    }

    /// The player of each information set.
    pub fn movers(&self) -> Vec<Seat> {
        self.shape().set_numbers().map(|set| self.shape().mover(set)).list()
    }

    /// Marks the legal actions of some information sets: `mask[set * actions + action]`.
    pub fn legal(&self, sets: Range<usize>, mask: &mut [bool]) {
        for (set, mask) in sets.zip(mask.chunks_exact_mut(self.num_actions())) {
            mask.fill(false);
            self.shape().actions(set as u32).iter().for_each(|action| mask[action.index()] = true);
        }
    }

    /// The policy of these probabilities, `probabilities[set * actions + action]`. Those of a set may be as far
    /// from adding up to 1 as single precision is, and are divided by their sum.
    pub fn policy(&self, probabilities: &[f64]) -> Result<Arc<dyn DynPolicy>, NotAPolicy> {
        Ok(self.of_policy(checked(self.shape(), self.num_actions(), probabilities)?))
    }

    /// The policy in what `to_bytes` of a policy gave, and its label.
    pub fn read(&self, bytes: &[u8]) -> Result<(Arc<dyn DynPolicy>, Label), SolutionFileError> {
        let (policy, label) = solution_file::read(self.shape(), bytes)?;
        Ok((self.of_policy(policy), label))
    }

    /// The number of actions of the game.
    fn num_actions(&self) -> usize {
        self.game().info().num_actions
    }
}

impl<G: FullGame> DynTree for ErasedTree<G> {
    fn game(&self) -> Arc<dyn DynGame> {
        Arc::new(self.erased())
    }

    fn shape(&self) -> &Tree {
        self.tree()
    }

    fn knowledge(&self, sets: Range<usize>) -> Vec<String> {
        sets.map(|set| self.tree().game().knowledge(&self.tree().set(set as u32).view())).list()
    }

    fn opening(&self, set: usize) -> Option<Scene> {
        let (game, set) = (self.tree().game(), self.tree().set(set as u32));
        let history = set.history();
        let is_first = history.events().iter().all(|event| event.turn == Turn::Chance);
        is_first.then(|| game.scene(history.state(), Some(set.seat())))
    }

    #[cfg(feature = "threads")]
    fn observations(&self, sets: Range<usize>, out: Cells<'_>) {
        let shown = |set: usize| {
            let set = self.tree().set(set as u32);
            (*set.history().state(), set.seat())
        };
        out.observe(self.tree().game(), sets.map(shown));
    }

    fn of_policy(&self, policy: Policy) -> Arc<dyn DynPolicy> {
        self.table(policy)
    }

    fn policy_of(
        &self,
        entrant: &DynEntrant,
        settings: &AskSettings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<Arc<dyn DynPolicy>, AskError> {
        let asked = Asked::new(self.erased(), entrant, settings, interrupt)?;
        if let DynEntrant::Table(_, table) = entrant {
            return Ok(self.table(self.erased().table(&**table)?.policy().clone()));
        }
        Ok(self.table(policy_of(self.tree(), &|| asked.enter(), &asked.seeds, asked.threads, watch)?))
    }

    fn solve(
        &self,
        settings: &solve::Settings,
        interrupt: &Arc<AtomicBool>,
        watch: WatchOf<'_, Progress>,
    ) -> Result<Solved<Arc<dyn DynPolicy>>, SolveError> {
        let Solved { policy, iterations, log } = solve::solve(self.tree(), settings, interrupt, watch)?;
        Ok(Solved { policy: self.table(policy), iterations, log })
    }
}

/// A policy for every information set.
pub trait DynPolicy: Any + Send + Sync + Debug {
    /// The tree of the policy.
    fn tree(&self) -> Arc<dyn DynTree>;
    /// The policy without its tree.
    fn shares(&self) -> &Policy;
    /// The behaviour of the player to act: the legal actions with their probabilities, ascending by action.
    fn probabilities(&self, state: &dyn DynState) -> Result<Vec<(Action, f64)>, DecideError>;
}

impl dyn DynPolicy + '_ {
    /// The distance from equilibrium. It does not depend on the number of threads; 0 uses all cores.
    pub fn nash_conv(&self, threads: usize) -> Result<NashConv, Halted> {
        threads::install(threads, || best_response::nash_conv(self.tree().shape(), self.shares()))
    }

    /// The probabilities, `rows[set * actions + action]`; 0 for actions that are not legal.
    pub fn rows(&self) -> Vec<f64> {
        spread(&*self.tree(), |set| self.shares().row(set))
    }

    /// The values of all actions if every seat follows the policy, `values[set * actions + action]`; 0 for actions
    /// that are not legal. Where the policies of the others never lead, worlds are weighted by chance alone. See
    /// [`action_values`](best_response::action_values).
    pub fn action_values(&self, beliefs: Beliefs, threads: usize) -> Result<Vec<f64>, Halted> {
        let tree = self.tree();
        let rows = threads::install(threads, || best_response::known_values(tree.shape(), self.shares(), beliefs))?;
        Ok(spread(&*tree, |set| &rows[set as usize]))
    }

    /// The best responses of every seat to this policy, in one table. It does not depend on the number of threads;
    /// 0 uses all cores.
    pub fn best_response(&self, threads: usize) -> Result<Arc<dyn DynPolicy>, Halted> {
        let tree = self.tree();
        let policy = threads::install(threads, || best_responses(tree.shape(), self.shares()))?;
        Ok(tree.of_policy(policy))
    }

    /// The expected number of visits to each information set in a game; see [`reach`].
    pub fn reach(&self) -> Vec<f64> {
        reach(self.tree().shape(), self.shares())
    }

    /// The expected number of times that an action is chosen in a game; see [`frequency`].
    pub fn frequency(&self, action: Action) -> f64 {
        frequency(self.tree().shape(), self.shares(), action)
    }

    /// The content of a file with this label; see [`solution_file`].
    pub fn to_bytes(&self, label: &Label) -> Vec<u8> {
        solution_file::write(self.tree().shape(), self.shares(), label)
    }

    /// A hash of the probabilities.
    pub fn fingerprint(&self) -> u64 {
        solution_file::policy_hash(self.shares())
    }
}

impl<G: FullGame> DynPolicy for ErasedPolicy<G> {
    fn tree(&self) -> Arc<dyn DynTree> {
        Arc::new(self.owner())
    }

    fn shares(&self) -> &Policy {
        self.0.policy()
    }

    fn probabilities(&self, state: &dyn DynState) -> Result<Vec<(Action, f64)>, DecideError> {
        let erased = self.owner().erased();
        let found = erased.state(state)?;
        let (game, state, seat) = (&*erased.game, found.history.state(), found.mover()?);
        let row = self.0.row(&game.view(&found.history, seat)).expect("every history is in the tree");
        Ok(game.legal(state).iter().zip(row.iter().copied()).list())
    }
}

impl RangePolicy {
    /// The behaviour of the player to act: the legal actions with their probabilities, ascending by action.
    pub fn probabilities(&self, state: &dyn DynState) -> Result<Vec<(Action, f64)>, DecideError> {
        DecideError::seat(state.turn())?;
        let found = state.game().identity();
        let expected = self.tree().game();
        if found != expected {
            return Err(DecideError::OtherGame { expected: expected.to_string(), found });
        }
        let mut shares = self.row(|form| state.place(form)).expect("every state has its place");
        sort_few(&mut shares, |one, other| one.0 < other.0);
        Ok(shares)
    }
}

/// The policy of these probabilities, if they are one.
fn checked(tree: &Tree, actions: usize, probabilities: &[f64]) -> Result<Policy, NotAPolicy> {
    let sets = tree.num_sets();
    if probabilities.len() != sets * actions {
        return Err(NotAPolicy::Size { sets, actions, found: probabilities.len() });
    }
    let all = |set: u32| &probabilities[set as usize * actions..][..actions];
    let policy = Policy::try_from_rows(tree, &mut |set| {
        let row: Vec<f64> = tree.actions(set).iter().map(|action| all(set)[action.index()]).list();
        let sum = row.iter().sum::<f64>();
        let others = all(set).iter().sum::<f64>() - sum;
        let is_sound = is_distribution(all(set), 1e-4) && others.abs() <= 1e-9;
        is_sound.then(|| row.iter().map(|share| share / sum).list())
    });
    policy.map_err(|set| NotAPolicy::Row { set: set as usize, row: all(set).to_vec() })
}

/// Numbers for the legal actions of each set, `numbers[set * actions + action]`; 0 for the other actions.
fn spread<'a>(tree: &dyn DynTree, row: impl Fn(u32) -> &'a [f64]) -> Vec<f64> {
    let (tree, actions) = (tree.shape(), tree.num_actions());
    let mut numbers = vec![0.0; tree.num_sets() * actions];
    for (set, out) in (0..).zip(numbers.chunks_exact_mut(actions)) {
        tree.actions(set).iter().zip(row(set)).for_each(|(action, &number)| out[action.index()] = number);
    }
    numbers
}

/// An entrant that is queried.
pub(super) struct Asked<G> {
    guest: ErasedEntrant<G>,
    pub(super) seeds: Vec<u64>,
    pub(super) threads: usize,
}

impl<G: FullGame> Asked<G> {
    /// Refuses entrants that do not play this game, or that see everything.
    pub(super) fn new(
        game: ErasedGame<G>,
        entrant: &DynEntrant,
        settings: &AskSettings,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Self, AskError> {
        let mut threads = settings.threads;
        match entrant {
            DynEntrant::Table(_, table) => game.table(&**table).map(|_| ())?,
            DynEntrant::Callback(..) => threads = 1,
            DynEntrant::Ranges(_, policy) => game.plays(policy)?,
            DynEntrant::Spec(spec) => {
                spec.check(&*game)?;
                if spec.facts().is_oracle {
                    return Err(AskError::Oracle(spec.to_string()));
                }
            }
        }
        // The first is the given one, so that one seed is the first of several.
        let further = |index| match index {
            0 => settings.seed,
            _ => Rng::stream(settings.seed, "seed of an agent", index).bits(),
        };
        let seed = |index| further(index) ^ entrant.seed().rotate_left(32);
        let seeds = (0..entrant.num_seeds(settings).max(1)).map(seed).list();
        let guest = ErasedEntrant { game, entrant: entrant.clone(), interrupt: interrupt.clone() };
        Ok(Self { guest, seeds, threads })
    }

    /// The entrant as an agent.
    pub(super) fn enter(&self) -> Box<dyn Agent<G>> {
        match self.guest.enter(&self.guest.game) {
            Player::Fair(agent) => agent,
            Player::Oracle(_) => unreachable!("oracles have been refused"),
        }
    }
}

/// The best responses of every seat, in one policy.
fn best_responses(tree: &Tree, policy: &Policy) -> Policy {
    let respond = |seat| best_response::best_response(tree, policy, seat).actions;
    let responses: Vec<_> = Seat::all(tree.num_seats()).map(respond).list();
    let row = |set: u32| {
        let chosen = responses[tree.mover(set).index()][set as usize];
        tree.actions(set).iter().map(|&action| f64::from(Some(action) == chosen)).list()
    };
    Policy::try_from_rows(tree, &mut |set| Some(row(set))).expect("a row for each set")
}

/// A tree whose game's type is known here.
pub(super) struct ErasedTree<G: Game>(pub(super) Arc<IndexedTree<G>>);

impl<G: FullGame> ErasedTree<G> {
    fn tree(&self) -> &GameTree<G> {
        self.0.tree()
    }

    fn erased(&self) -> ErasedGame<G> {
        ErasedGame::new(Arc::new(self.tree().game().clone()))
    }

    fn table(&self, policy: Policy) -> Arc<dyn DynPolicy> {
        Arc::new(ErasedPolicy(Arc::new(TabularPolicy::new(self.0.clone(), policy))))
    }
}

impl<G: Game> Debug for ErasedTree<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = self.0.tree();
        write!(f, "{} with {} histories and {} information sets", tree.game().name(), tree.num_nodes(), tree.num_sets())
    }
}

/// A policy whose game's type is known here.
struct ErasedPolicy<G: Game>(Arc<TabularPolicy<G>>);

impl<G: Game> Debug for ErasedPolicy<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy of {:?}", self.owner())
    }
}

impl<G: Game> ErasedPolicy<G> {
    fn owner(&self) -> ErasedTree<G> {
        ErasedTree(self.0.tree().clone())
    }
}

impl<G: FullGame> ErasedGame<G> {
    /// The table, if it is of this game.
    fn table<'a>(&self, policy: &'a dyn DynPolicy) -> Result<&'a Arc<TabularPolicy<G>>, DecideError> {
        (policy as &dyn Any)
            .downcast_ref::<ErasedPolicy<G>>()
            .map(|policy| &policy.0)
            .filter(|table| table.tree().tree().game().rules() == self.game.rules())
            .ok_or_else(|| self.is_not(&*policy.tree().game()))
    }

    /// An agent that plays by the table, if it is of this game.
    pub(super) fn tabular_agent(&self, policy: &dyn DynPolicy) -> Result<TableAgent<TabularPolicy<G>>, DecideError> {
        Ok(TableAgent::new::<G>(self.table(policy)?.clone(), 0))
    }
}
