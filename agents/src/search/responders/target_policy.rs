//! The known policy of an agent that a responder exploits. A responder knows how the agent is made but not its random
//! numbers. It uses the policy to infer cards and to simulate the agent.
//!
//! For a view, a newly restarted agent is queried for its policy, with seeds that differ from those of the game. The
//! answers of several seeds are averaged. An agent whose decisions depend on earlier ones (`reuse=on`) is treated as
//! if it forgot them, and one that sees everything (an oracle) as if it were blindfolded.
//!
//! A network needs neither seeds nor views. It is evaluated for many positions together: for particles when histories
//! are weighed, and for simulations that go on side by side. One that solves [endings](crate::search::endings) is weighed by
//! its solutions, but each simulation that begins before the ending would lead to another one: there it plays on by the
//! network alone, so it is not quite the agent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stier_core::list::Listing as _;
use stier_core::options::{Allowed, OptionType};
use stier_core::{
    Action, ActionSet as _, BySeat, Hints, History, OptionValue, Rng, Seat, SeatView as _, Turn, choice, float, options,
};

use crate::agent::Agent;
use crate::agent::batch_agent::Query;
use crate::agent::sampling;
use crate::agent::stop::Stop;
use crate::belief::policy_model::{NETWORK_BATCH, PolicyModel};
use crate::belief::{BeliefSettings, Beliefs, PARTICLES};
use crate::network::agent::NetworkAgent;
use crate::network::option::Guide;
use crate::rollout::fitted;
use crate::rollout::{Cutoff, Evaluation, Roller, Rollout};
use crate::search::algorithm::Task;
use crate::search::future::Future;
use crate::search::greedy;

choice! {
    /// The policy for the parts of simulations that are not searched.
    pub(crate) enum Continuation {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly random among the actions that the game's hints leave.
        Hints = "hints",
        /// The game's policy, fitted to the decisions of a search.
        Fitted = "fitted",
        /// The action that the game's hints prefer.
        Greedy = "greedy",
        /// The policy of the exploited agent. The result is then one step of policy improvement over it.
        Against = "against",
        /// The likeliest actions of a trained network, such as one that learned to exploit the agent. The result is
        /// then one step of policy improvement over it.
        Network = "network",
    }
}

/// A number of particles, none, or all states in their place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Particles {
    /// So many; 0 for none.
    Number(u64),
    /// All states, carried forward.
    Exact,
}

/// The name of [`Particles::Exact`].
const EXACT: &str = "exact";

impl OptionType for Particles {
    type Limits = ();

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        match text {
            "0" => Ok(Self::Number(0)),
            EXACT => Ok(Self::Exact),
            _ => u64::parse(text, &PARTICLES).map(Self::Number).map_err(|_| Self::allowed(&()).refuse(text)),
        }
    }

    fn value(&self) -> OptionValue {
        match self {
            Self::Number(number) => number.value(),
            Self::Exact => OptionValue::Name(EXACT.to_string()),
        }
    }

    fn allowed((): &()) -> Allowed {
        Allowed::Other(format!("0, {EXACT} or a number between {} and {}", PARTICLES.start(), PARTICLES.end()))
    }
}

options! {
    /// A responder's knowledge and simulations.
    pub(crate) struct ResponderSettings for "responders" {
        /// The number of copies of the agent, each with its own seed, whose answers are averaged.
        seeds: u64 = 1, 1..=1000;
        /// The responder's policy in simulations; after `replies` decisions, the policy of all players.
        continuation: Continuation = Continuation::Fitted, ();
        /// The number of decisions per simulation, forced ones not counted, for which the agent is queried. Queries
        /// about its past decisions, for each of the `particles`, are additional.
        replies: u64 = 1000, 0..=1_000_000;
        /// Ends each simulation early and evaluates the position: this many plies after the first action, or after the
        /// deal. If it is off, and once the `replies` are used up, simulations go on to the end of the game.
        cutoff: Cutoff = Cutoff::Off, ();
        /// The source of that evaluation. The network knows what a position is worth to the player to move, so with it
        /// simulations go on to the responder's next decision.
        evaluation: Evaluation = Evaluation::Hints, (), "cutoff!=off";
        /// The number of histories weighed for a decision by the others' actions; with 0 only chance counts. `exact` weighs
        /// all states instead, as `beliefs=exact` does, if the agent is a network.
        particles: Particles = Particles::Number(1000), ();
        /// The share of the others' decisions that is assumed to be uniformly random when histories are weighed. If
        /// it is above 0, an action that the policy never takes does not rule a history out: the agent's search may
        /// use other random numbers.
        epsilon: f64 = 0.05, 0.0..=1.0, "particles!=0";
        /// A trained network of the responder.
        ..guide: Guide = Guide::default();
    }
}

/// The largest number of stored answers.
const MAX_ANSWERS: usize = 1 << 16;

/// The policies that a responder plays on by: that of the agent, and that of its own network if it has one.
pub(crate) struct TargetPolicy<G: Hints> {
    settings: ResponderSettings,
    agent: Mutex<Target<G>>,
    own: Option<Mutex<NetworkAgent>>,
}

/// The agent whose policy is known.
pub(crate) enum Target<G: Hints> {
    /// A network, which is queried in many positions at once.
    Network(Box<NetworkAgent>),
    /// Any other agent.
    Agent(CachedAgent<G>),
}

/// The policies that a responder knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// That of the agent.
    Agent,
    /// That of its own network.
    Own,
    /// That of the agent before its ending.
    BeforeEnding,
}

/// A network that solves endings, as it plays before them, and the numbers of tricks of these.
pub(crate) type BeforeEnding = (Box<NetworkAgent>, [u8; 2]);

/// An agent and its policy at the information sets for which it was queried. Only the answers of agents that search
/// are stored, until the next game.
pub(crate) struct CachedAgent<G: Hints> {
    agent: Box<dyn Agent<G>>,
    before: Option<BeforeEnding>,
    seeds: Vec<u64>,
    interrupt: Arc<AtomicBool>,
    answers: HashMap<G::View, Arc<[f64]>>,
}

impl<G: Hints> TargetPolicy<G> {
    /// Creates the policy of the agent, averaged over several seeds derived from `seed`.
    pub(crate) fn new(settings: ResponderSettings, target: Target<G>, seed: u64) -> Self {
        let own = settings.guide.network.network().map(|network| Mutex::new(NetworkAgent::of(network)));
        let mut target = Self { settings, agent: Mutex::new(target), own };
        target.restart(seed);
        target
    }

    /// The weights of worlds for a seat that knows the policy of all others.
    pub(crate) fn belief(&self) -> BeliefSettings {
        let (beliefs, particles) = match self.settings.particles {
            Particles::Number(number) => (Beliefs::Policy, number),
            Particles::Exact => (Beliefs::Exact, 0),
        };
        let model_epsilon = self.settings.epsilon;
        BeliefSettings { beliefs, particles, model_epsilon, model_temperature: 1.0, ..BeliefSettings::default() }
    }

    fn cached(&mut self) -> Option<&mut CachedAgent<G>> {
        match self.agent.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Target::Network(_) => None,
            Target::Agent(cached) => Some(cached),
        }
    }

    /// Begins a new game.
    pub(crate) fn restart(&mut self, seed: u64) {
        let seeds = (0..self.settings.seeds).map(|index| Rng::stream(seed, "victim", index).bits()).list();
        if let Some(cached) = self.cached() {
            cached.seeds = seeds;
            cached.answers.clear();
        }
    }

    /// Sets a flag after which answers come early and are meaningless.
    pub(crate) fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        if let Some(cached) = self.cached() {
            cached.agent.interrupt_with(flag.clone());
            cached.interrupt = flag;
        }
    }

    /// Appends the probability of each legal action, ascending by action, for the players to act in these positions.
    pub(crate) fn policies(&self, of: Known, game: &G, positions: &[&History<G>], shares: &mut Vec<f64>) {
        if of == Known::Own {
            return network_policies(&mut self.own(), game, positions, shares);
        }
        match &mut *self.agent.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Network(network) => network_policies(network, game, positions, shares),
            Target::Agent(CachedAgent { before: Some((network, _)), .. }) if of == Known::BeforeEnding => {
                network_policies(network, game, positions, shares);
            }
            Target::Agent(cached) => {
                for position in positions {
                    let mover = game.turn(position.state()).seat().expect("a player is to act");
                    let view = game.view(position, mover);
                    shares.extend(cached.policy(game, view, game.legal(position.state())).iter());
                }
            }
        }
    }

    /// The policy by which the agent plays on in simulations after this view.
    fn in_simulations(&self, game: &G, view: &G::View) -> Known {
        match &*self.agent.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Agent(CachedAgent { before: Some((_, tricks)), .. })
                if game.endings().is_some_and(|endings| endings.public_play(view, *tricks).is_none()) =>
            {
                Known::BeforeEnding
            }
            _ => Known::Agent,
        }
    }

    /// The responder's own network.
    fn own(&self) -> MutexGuard<'_, NetworkAgent> {
        let own = self.own.as_ref().expect("a parsed agent has its network");
        own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends the probabilities of a network's actions, a batch of positions at a time.
fn network_policies<G: Hints>(network: &mut NetworkAgent, game: &G, positions: &[&History<G>], shares: &mut Vec<f64>) {
    for batch in positions.chunks(NETWORK_BATCH) {
        network.policies(game, &Query::all(game, batch.iter().map(|position| position.state())), shares);
    }
}

impl<G: Hints> CachedAgent<G> {
    /// Creates the source of this agent's policy.
    pub(crate) fn new(agent: Box<dyn Agent<G>>, before: Option<BeforeEnding>) -> Self {
        Self { agent, before, seeds: Vec::new(), interrupt: Arc::default(), answers: HashMap::new() }
    }

    fn policy(&mut self, game: &G, view: G::View, legal: G::Actions) -> Arc<[f64]> {
        if !self.answers.is_empty()
            && let Some(known) = self.answers.get(&view)
        {
            return known.clone();
        }
        let mut sums = vec![0.0; legal.len()];
        let mut searched = false;
        for &seed in &self.seeds {
            self.agent.restart(seed);
            let decision = self.agent.act(game, &view, legal);
            searched |= decision.search.is_some();
            sums.iter_mut().zip(&decision.policy).for_each(|(sum, (_, share))| *sum += share);
        }
        let total = self.seeds.len() as f64;
        let policy: Arc<[f64]> = sums.into_iter().map(|sum| sum / total).collect();
        // The answer of an interrupted search must not outlast the interruption.
        if searched && !self.interrupt.load(Ordering::Relaxed) {
            if self.answers.len() == MAX_ANSWERS {
                self.answers.clear();
            }
            self.answers.insert(view, policy.clone());
        }
        policy
    }
}

impl<G: Hints> PolicyModel<G> for TargetPolicy<G> {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        debug_assert_eq!(legal, game.legal(so_far.state()));
        self.scores_of_many(game, &[so_far], scores);
    }

    fn batch(&self) -> usize {
        match *self.agent.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Network(_) => NETWORK_BATCH,
            Target::Agent(_) => 1,
        }
    }

    fn scores_of_many(&self, game: &G, positions: &[&History<G>], scores: &mut Vec<f32>) {
        let mut shares = Vec::new();
        self.policies(Known::Agent, game, positions, &mut shares);
        scores.extend(shares.into_iter().map(|share| float::log(share) as f32));
    }

    fn scores_of_states(&self, game: &G, states: &[G::State], scores: &mut Vec<f32>) {
        let mut shares = Vec::new();
        match &mut *self.agent.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Network(network) => network.policies(game, &Query::all(game, states), &mut shares),
            Target::Agent(_) => unreachable!("an agent reads views"),
        }
        scores.extend(shares.into_iter().map(|share| float::log(share) as f32));
    }
}

/// A simulated game between one seat and all others.
pub(crate) struct Simulation<G: Hints> {
    /// The game so far.
    pub history: History<G>,
    /// The results of chance to come.
    pub future: Future,
    /// The random numbers of the players.
    pub rng: Rng,
    /// The number of queries to the agent.
    pub queries: u64,
    /// The number of actions since it began.
    plies: u32,
    /// The deal in which it began.
    deal: u32,
    /// The returns, once the game is over.
    pub returns: BySeat<f32>,
}

impl<G: Hints> Simulation<G> {
    /// Begins a simulation after this history.
    pub(crate) fn new(game: &G, history: History<G>, future: Future, rng: Rng) -> Self {
        let deal = game.deal_number(history.state());
        Self { history, future, rng, queries: 0, plies: 0, deal, returns: BySeat::filled(game.num_seats(), 0.0) }
    }

    /// Takes an action in the game.
    pub(crate) fn push(&mut self, game: &G, action: Action) {
        self.future.push(game, &mut self.history, action);
        self.plies += 1;
    }
}

/// The next step of a simulation.
enum Next {
    /// This action.
    Act(Action),
    /// An action by this policy.
    Ask(Known),
    /// The rest of the game by the continuation.
    Finish,
}

/// The reason for which a simulation waits.
enum Pause {
    /// An action by this policy.
    Ask(Known),
    /// An evaluation instead of the rest of the game.
    Evaluate,
}

/// Continues games between one seat and all others.
pub(crate) struct Simulator<'a, G: Hints> {
    /// The game.
    pub game: &'a G,
    /// The responding seat.
    pub seat: Seat,
    target: &'a TargetPolicy<G>,
    /// The policy of the agent.
    agent: Known,
    continuation: Continuation,
    /// The largest number of queries.
    replies: u64,
    cutoff: Cutoff,
    evaluation: Evaluation,
    /// Ends the queries early.
    stop: Stop<'a>,
}

impl<'a, G: Hints> Simulator<'a, G> {
    /// Creates the simulator of a responder's decision.
    pub(crate) fn new(task: &Task<'a, G>, target: &'a TargetPolicy<G>) -> Self {
        let ResponderSettings { continuation, replies, cutoff, evaluation, .. } = target.settings;
        let (seat, stop) = (task.view.seat(), task.stop);
        let agent = target.in_simulations(task.game, task.view);
        Self { game: task.game, seat, target, agent, continuation, replies, cutoff, evaluation, stop }
    }

    /// Returns true if an evaluation ends this simulation at a decision of this player.
    pub(crate) fn is_leaf(&self, simulation: &Simulation<G>, mover: Seat) -> bool {
        if self.evaluation == Evaluation::Network && mover != self.seat {
            return false;
        }
        let is_new_deal = || self.game.deal_number(simulation.history.state()) != simulation.deal;
        simulation.plies > 0 && self.cutoff.is_reached(simulation.plies - 1, is_new_deal)
    }

    /// The next step at a player's decision. The others follow the agent's policy, for at most `replies` queries. The
    /// responder follows the continuation, and after that all players do.
    fn next(&self, simulation: &mut Simulation<G>, mover: Seat) -> Next {
        let Simulation { history, rng, queries, .. } = simulation;
        let legal = self.game.legal(history.state());
        let is_network = self.continuation == Continuation::Network;
        if self.stop.is_due() || *queries >= self.replies && !is_network {
            return Next::Finish;
        }
        if legal.len() == 1 {
            return Next::Act(legal.nth(0));
        }
        match self.continuation {
            Continuation::Network if mover == self.seat || *queries >= self.replies => Next::Ask(Known::Own),
            Continuation::Against => Next::Ask(self.agent),
            _ if mover == self.seat => Next::Act(self.go_on(history, mover, rng)),
            _ => Next::Ask(self.agent),
        }
    }

    /// The rank among the `allowed` actions of the likeliest one by the policy that plays on for the responder; `None`
    /// if that is not the policy of a player.
    pub(crate) fn likeliest(&self, history: &History<G>, allowed: G::Actions) -> Option<usize> {
        let known = match self.continuation {
            Continuation::Network => Known::Own,
            Continuation::Against => self.agent,
            _ => return None,
        };
        let mut shares = Vec::new();
        self.target.policies(known, self.game, &[history], &mut shares);
        let legal = self.game.legal(history.state());
        let shares = legal.iter().zip(shares).filter(|&(action, _)| allowed.contains(action));
        let best = shares.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.and_then(|(action, _)| allowed.iter().position(|own| own == action))
    }

    /// Chooses a player's action in a simulation, like [`play_on`](Self::play_on).
    pub(crate) fn act(&self, simulation: &mut Simulation<G>, mover: Seat) -> Action {
        let legal = self.game.legal(simulation.history.state());
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let next = self.next(simulation, mover);
        let Simulation { history, rng, queries, .. } = simulation;
        let known = match next {
            Next::Act(action) => return action,
            Next::Finish => return self.go_on(history, mover, rng),
            Next::Ask(known) => known,
        };
        *queries += u64::from(known != Known::Own);
        let mut shares = Vec::new();
        self.target.policies(known, self.game, &[history], &mut shares);
        legal.nth(sampling::place(shares, rng.unit()))
    }

    /// Plays these games to their ends, side by side. Each has the same result as if it were played alone.
    pub(crate) fn play_on(&self, simulations: &mut [Simulation<G>]) {
        let game = self.game;
        let mut shares = Vec::new();
        let mut playing: Vec<usize> = (0..simulations.len()).list();
        while !playing.is_empty() {
            let (mut asking, mut leaves) = ([(self.agent, Vec::new()), (Known::Own, Vec::new())], Vec::new());
            for place in playing.drain(..) {
                match self.go_on_alone(&mut simulations[place]) {
                    Some(Pause::Ask(known)) => asking[usize::from(known == Known::Own)].1.push(place),
                    Some(Pause::Evaluate) => leaves.push(place),
                    None => (),
                }
            }
            self.evaluate(simulations, &leaves);
            for (known, asking) in asking {
                if asking.is_empty() {
                    continue;
                }
                shares.clear();
                self.target.policies(known, game, &positions(simulations, &asking), &mut shares);
                let mut shares = shares.as_slice();
                for &place in &asking {
                    let simulation = &mut simulations[place];
                    let legal = game.legal(simulation.history.state());
                    let (own, others) = shares.split_at(legal.len());
                    shares = others;
                    simulation.queries += u64::from(known != Known::Own);
                    let point = simulation.rng.unit();
                    simulation.push(game, legal.nth(sampling::place(own.iter().copied(), point)));
                }
                playing.extend(asking);
            }
        }
    }

    /// Evaluates these simulations where they are.
    fn evaluate(&self, simulations: &mut [Simulation<G>], leaves: &[usize]) {
        let game = self.game;
        if self.evaluation == Evaluation::Hints {
            for &place in leaves {
                simulations[place].returns = game.evaluate(simulations[place].history.state());
            }
            return;
        }
        for batch in leaves.chunks(NETWORK_BATCH) {
            let queries = Query::all(game, batch.iter().map(|&place| simulations[place].history.state()));
            let values = self.target.own().evaluator.values(game, &queries);
            for (&place, returns) in batch.iter().zip(values) {
                simulations[place].returns = returns;
            }
        }
    }

    /// Plays a game on to the next pause, which is returned, or to its end.
    fn go_on_alone(&self, simulation: &mut Simulation<G>) -> Option<Pause> {
        let game = self.game;
        while let Turn::Seat(mover) = game.turn(simulation.history.state()) {
            if self.is_leaf(simulation, mover) {
                return Some(Pause::Evaluate);
            }
            match self.next(simulation, mover) {
                Next::Act(action) => simulation.push(game, action),
                Next::Finish => {
                    self.finish(simulation);
                    return None;
                }
                Next::Ask(known) => return Some(Pause::Ask(known)),
            }
        }
        simulation.returns = game.rounded_returns(simulation.history.state());
        None
    }

    /// Plays to the end by the continuation alone, for all players.
    fn finish(&self, simulation: &mut Simulation<G>) {
        let game = self.game;
        let Simulation { history, future, rng, returns, .. } = simulation;
        let rollout = match self.continuation {
            Continuation::Random => Rollout::Random,
            Continuation::Hints | Continuation::Against | Continuation::Network => Rollout::Hints,
            Continuation::Fitted => Rollout::Fitted,
            Continuation::Greedy => {
                while let Turn::Seat(mover) = game.turn(history.state()) {
                    let action = self.go_on(history, mover, rng);
                    future.push(game, history, action);
                }
                *returns = game.rounded_returns(history.state());
                return;
            }
        };
        *returns = Roller::of(rollout).returns(game, &mut history.state().clone(), rng);
    }

    /// The action of the continuation, by hints if that would be a query.
    fn go_on(&self, history: &History<G>, mover: Seat, rng: &mut Rng) -> Action {
        let (game, state) = (self.game, history.state());
        let legal = game.legal(state);
        match self.continuation {
            Continuation::Random => legal.pick(rng),
            Continuation::Hints | Continuation::Against | Continuation::Network => game.rollout(state, legal).pick(rng),
            Continuation::Fitted => fitted::pick(game, state, legal, rng),
            Continuation::Greedy if legal.len() == 1 => legal.nth(0),
            Continuation::Greedy => greedy::choose(game, &game.view(history, mover), legal, rng),
        }
    }
}

/// The histories of the simulations at these places.
fn positions<'a, G: Hints>(simulations: &'a [Simulation<G>], places: &[usize]) -> Vec<&'a History<G>> {
    places.iter().map(|&place| &simulations[place].history).list()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use stier_core::games::schwimmen::Schwimmen;
    use stier_core::{ActionSet as _, FromRules as _, Game as _, History, Options as _, Rng};

    use super::{CachedAgent, Known, ResponderSettings, Target, TargetPolicy};
    use crate::search::ismcts::{Ismcts, IsmctsOptions};

    #[test]
    fn interrupted_answers_are_not_kept() {
        let game = Schwimmen::new(Default::default()).expect("default rules");
        let history = History::dealt(&game, &mut Rng::stream(1, "interrupted", 0));
        assert!(game.legal(history.state()).len() > 1);
        let policy = |target: &TargetPolicy<Schwimmen>| {
            let mut shares = Vec::new();
            target.policies(Known::Agent, &game, &[&history], &mut shares);
            shares
        };
        let new = || {
            let options = IsmctsOptions::from_text("iterations=300,choose=sample").expect("options");
            TargetPolicy::new(
                ResponderSettings::default(),
                Target::Agent(CachedAgent::new(Box::new(Ismcts::new(options, 0)), None)),
                1,
            )
        };
        let expected = policy(&new());
        let mut target = new();
        let flag = Arc::new(AtomicBool::new(true));
        target.interrupt_with(flag.clone());
        assert_ne!(policy(&target), expected, "the search ended early");
        flag.store(false, Ordering::Relaxed);
        assert_eq!(policy(&target), expected);
    }
}
