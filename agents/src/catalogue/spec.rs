//! Agents by name. This is the only list of them.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use stier_core::options::{Allowed, OptionType, number};
use stier_core::{DynOptions, Hints, OptionError, OptionInfo, OptionValue, Options, options};

use super::error::{MAX_NESTED, SpecError, Unsuited};
use crate::agent::Agent;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB};
use crate::agent::player::Player;
use crate::agent::stop::TimeLimit;
use crate::network::agent::{NetworkAgent, NetworkOptions};
use crate::network::file::Network;
use crate::network::option::{NetworkFile, RulesOf};
use crate::rollout::{Cutoff, Evaluation};
use crate::search::epimc::{Epimc, EpimcOptions};
use crate::search::flat_mc::{FlatMc, FlatMcOptions};
use crate::search::greedy::{Greedy, GreedyOptions};
use crate::search::ismcts::{Ismcts, IsmctsOptions};
use crate::search::mmds::{Mmds, MmdsOptions};
use crate::search::oracle::{Oracle, OracleOptions};
use crate::search::pimc::{Pimc, PimcOptions};
use crate::search::presumed::{PresumedOptions, PresumedPimc};
use crate::search::random::{Random, RandomOptions};
use crate::search::recursive::{RecursiveOptions, RecursivePimc};
use crate::search::responders::ismcts_br::{IsmctsBr, IsmctsBrSettings};
use crate::search::responders::local_best_response::{LbrSettings, LocalBestResponse};
use crate::search::responders::target_policy::{CachedAgent, ResponderSettings, Target, TargetPolicy};
use crate::search::ris_mcts::{RisMcts, RisMctsOptions};
use crate::search::rule::{Rule, RuleSettings};

/// The properties of an agent that callers must know.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AgentFacts {
    /// True if the agent sees everything, including hidden cards: a bound on fair players rather than one of them.
    pub is_oracle: bool,
    /// True if the agent decides without a search that could be interrupted.
    pub is_instant: bool,
    /// True if the agent leaves its decisions to others, which may search or not.
    pub is_combined: bool,
    /// True if the agent plays only games with a [built-in policy](Hints::has_policy).
    pub needs_policy: bool,
}

/// The description of an agent.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentInfo {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub about: &'static str,
    /// The options besides `seed`.
    pub options: Vec<OptionInfo>,
    /// The properties.
    pub facts: AgentFacts,
}

/// Each agent has its name, its options, the type that plays (unless the options build it), and the [`AgentFacts`] that
/// are true.
macro_rules! agents {
    ($($(#[doc = $about:literal])+ $name:literal => $variant:ident($options:ident $(, $agent:ident)?)
        $([$($fact:ident),+])?;)+) => {
        /// The kind and options of an agent.
        #[derive(Clone, PartialEq, Debug)]
        enum Kind { $($variant($options)),+ }

        /// The names of all agents, ascending.
        pub const NAMES: &[&str] = &[$($name),+];

        impl Kind {
            fn parse(name: &str, options: &[&str]) -> Result<Self, SpecError> {
                match name {
                    $($name => Ok(Self::$variant($options::from_parts(options)?)),)+
                    _ => Err(SpecError::UnknownAgent { name: name.to_string(), known: NAMES.join(", ") }),
                }
            }

            fn set(&mut self, option: &str, value: &str) -> Result<(), OptionError> {
                match self { $(Self::$variant(options) => options.set(option, value)),+ }
            }

            fn visit_mut<'a>(&'a mut self, see: &mut dyn FnMut(&'a mut dyn Any)) {
                match self { $(Self::$variant(options) => options.visit_mut(see)),+ }
            }

            fn options(&self) -> &dyn DynOptions {
                match self { $(Self::$variant(options) => options),+ }
            }

            fn idle(&self) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$variant(options) => options.idle()),+ }
            }

            fn info(&self) -> AgentInfo {
                match self {
                    $(Self::$variant(_) => AgentInfo {
                        name: $name,
                        about: concat!($($about),+).trim(),
                        options: $options::describe(),
                        facts: self.facts(),
                    }),+
                }
            }

            fn facts(&self) -> AgentFacts {
                match self {
                    $(Self::$variant(_) => AgentFacts { $($($fact: true,)+)? ..AgentFacts::default() }),+
                }
            }

            fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
                match self { $(Self::$variant(options) => agents!(@build options, game, seed $(, $agent)?)),+ }
            }
        }

        /// The descriptions of all agents, ascending by name.
        pub fn describe() -> Vec<AgentInfo> {
            vec![$(Kind::$variant($options::default()).info()),+]
        }
    };
    (@build $options:ident, $game:ident, $seed:ident, $agent:ident) => { Box::new($agent::new($options.clone(), $seed)) };
    (@build $options:ident, $game:ident, $seed:ident) => { $options.build($game, $seed) };
}

agents! {
    /// The search that did best in the game at equal thinking time, without a network.
    "best" => Best(BestOptions);
    /// PIMC with the cards opened a few decisions later (Arjonilla, Saffidine and Cazenave 2024).
    "epimc" => Epimc(EpimcOptions, Epimc);
    /// Flat Monte Carlo: worlds and rollouts without a tree (Ginsberg 2001; Browne et al. 2012).
    "flat_mc" => FlatMc(FlatMcOptions, FlatMc);
    /// One-step lookahead by the game's built-in policy. It refuses games without one.
    "greedy" => Greedy(GreedyOptions, Greedy) [is_instant, needs_policy];
    /// Information set Monte Carlo tree search, single- or multi-observer (Cowling, Powley and Whitehouse 2012).
    "ismcts" => Ismcts(IsmctsOptions, Ismcts);
    /// A tree search for the best response to an agent whose policy is known; its results bound that agent's
    /// exploitability (Timbers et al. 2022).
    "ismcts_br" => IsmctsBr(IsmctsBrOptions);
    /// Local best response with one-step lookahead to an agent whose policy is known; its results bound that agent's
    /// exploitability (Lisý and Bowling 2017).
    "lbr" => Lbr(LbrOptions);
    /// A trained network, and one regularised step of policy improvement over it at each decision (Sokota et al. 2024
    /// and 2026).
    "mmds" => Mmds(MmdsOptions, Mmds);
    /// A trained network without search: the game's own, or one from a file.
    "network" => Network(NetworkOptions, NetworkAgent) [is_instant];
    /// An open-card player that sees all cards and, with future=known, those to come. It shows the value of hidden
    /// information.
    "oracle" => Oracle(OracleOptions, Oracle) [is_oracle];
    /// Perfect information Monte Carlo search (Levy 1989; Ginsberg 2001; Long et al. 2010).
    "pimc" => Pimc(PimcOptions, Pimc);
    /// PIMC in which the others reply by what they can know (after Wisser 2015).
    "presumed_pimc" => PresumedPimc(PresumedOptions, PresumedPimc);
    /// Uniformly random play.
    "random" => Random(RandomOptions, Random) [is_instant];
    /// Playouts by PIMC players that see only their own views, level 1 (Furtak and Buro 2013).
    "recursive_pimc" => RecursivePimc(RecursiveOptions, RecursivePimc);
    /// Tree search over every player's own information sets, re-determinizing (Goodman 2019).
    "ris_mcts" => RisMcts(RisMctsOptions, RisMcts);
    /// Cards by another agent; the action that binds for the rest of the deal (Schwinget's attack) by a rule of
    /// thumb, or by another agent, `timing`.
    "rule" => Rule(RuleOptions) [is_combined];
}

options! {
    /// The options of `best`: the agent that the game names, with this budget.
    ///
    /// Every game names its agent ([`Hints::best_agent`]), by the cross-tables at equal thinking time in
    /// `benches/STRENGTH.md`. Networks are trained for some rules only, and have no budget; this agent plays all rules.
    struct BestOptions for "best" {
        /// Iterations per decision, as the agent counts them.
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// Mebibytes that the agent's trees may take, if it has any.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

impl BestOptions {
    fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        let mut spec: AgentSpec = game.best_agent().parse().expect("every game names an agent");
        for (option, value) in Options::values(self) {
            // Agents without a tree do not have `memory_mb`.
            spec = spec.with(option, &value.to_string()).unwrap_or(spec);
        }
        spec.build(game, seed)
    }
}

options! {
    /// The options of [`IsmctsBr`].
    struct IsmctsBrOptions for "ismcts_br" {
        /// The search.
        ..search: IsmctsBrSettings = IsmctsBrSettings::default();
        /// The agent whose policy is known. It is assumed to play all other seats.
        against: Box<AgentSpec> = named("greedy"), ();
        /// The method.
        ..responder: ResponderSettings = ResponderSettings::default();
        /// Mebibytes that the tree may take. Once it is full, the search continues with the existing nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

impl IsmctsBrOptions {
    fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        let target = TargetPolicy::new(self.responder.clone(), self.against.target(game), seed);
        Box::new(IsmctsBr::agent(self.search.clone(), self.memory_mb, target, seed))
    }
}

options! {
    /// The options of [`LocalBestResponse`].
    struct LbrOptions for "lbr" {
        /// The search.
        ..search: LbrSettings = LbrSettings::default();
        /// The agent whose policy is known. It is assumed to play all other seats.
        against: Box<AgentSpec> = named("greedy"), ();
        /// The method.
        ..responder: ResponderSettings = ResponderSettings::default();
    }
}

impl LbrOptions {
    fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        let target = TargetPolicy::new(self.responder.clone(), self.against.target(game), seed);
        Box::new(LocalBestResponse::agent(self.search.clone(), target, seed))
    }
}

options! {
    /// The options of [`Rule`].
    struct RuleOptions for "rule" {
        /// The rule.
        ..rule: RuleSettings = RuleSettings::default();
        /// With when=timing, the agent that decides about this action: it is taken when the agent would choose it.
        timing: Box<AgentSpec> = named("random"), (), "when=timing";
        /// The agent that chooses among the other actions.
        cards: Box<AgentSpec> = named("greedy"), ();
    }
}

impl RuleOptions {
    fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        Box::new(Rule::new(self.rule.clone(), self.timing.build(game, 0), self.cards.build(game, 0), seed))
    }
}

/// The agent of this name, as the default of an option.
fn named(name: &str) -> Box<AgentSpec> {
    Box::new(name.parse().expect("an agent"))
}

/// The number of rollouts that end within milliseconds.
const QUICK_ROLLOUTS: u64 = 20_000;

/// An agent as text: `greedy`, `ismcts:iterations=10000,seed=1`. It can be parsed, printed and built for any game.
///
/// ```
/// use stier_agents::AgentSpec;
///
/// let spec: AgentSpec = "ismcts:seed=1,iterations=100".parse()?;
/// assert_eq!((spec.name(), spec.seed()), ("ismcts", Some(1)));
/// assert_eq!(spec.to_string(), "ismcts:iterations=100,seed=1");
/// assert!("ismcts:iterations=0".parse::<AgentSpec>().is_err());
/// # Ok::<(), stier_agents::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct AgentSpec {
    kind: Kind,
    seed: Option<u64>,
}

impl AgentSpec {
    /// Parses an agent from its name and its options.
    pub fn new(name: &str, options: &str) -> Result<Self, SpecError> {
        if AROUND.get() >= MAX_NESTED {
            return Err(SpecError::TooDeep);
        }
        let name = name.trim();
        let (seeds, others): (Vec<&str>, Vec<&str>) =
            options::parts(options).partition(|part| part.starts_with("seed="));
        let kind = Kind::parse(name, &others)?;
        let seed = match seeds.as_slice() {
            [] => None,
            [one] => {
                let value = one.strip_prefix("seed=").expect("these parts begin with 'seed='");
                let seed = number(value);
                Some(seed.ok_or_else(|| SpecError::Seed { agent: name.to_string(), value: value.to_string() })?)
            }
            _ => {
                return Err(OptionError::Twice { owner: name.to_string(), name: "seed".to_string() }.into());
            }
        };
        let spec = Self { kind, seed };
        spec.check_named()?;
        Ok(spec)
    }

    /// The agent's name, without options.
    pub fn name(&self) -> &'static str {
        self.kind.options().owner()
    }

    /// The options besides the seed, including defaults.
    pub fn options(&self) -> Vec<(&'static str, OptionValue)> {
        self.kind.options().values()
    }

    /// The options that have this type.
    fn all_of<T: 'static>(&self) -> Vec<&T> {
        self.kind.options().all_of()
    }

    /// The agents among the options.
    fn inner(&self) -> impl Iterator<Item = &Self> {
        self.all_of::<Box<Self>>().into_iter().map(|agent| &**agent)
    }

    /// The seed, if one was given.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns true if its decisions depend on the clock, or those of an agent among its options.
    pub fn is_timed(&self) -> bool {
        self.all_of().into_iter().any(|&limit: &TimeLimit| limit != TimeLimit::NONE) || self.inner().any(Self::is_timed)
    }

    /// Returns true if every decision ends within milliseconds: the agent does not search, or its budget is a small
    /// number of rollouts. The cost of worlds, beliefs, networks and other agents is not known in advance.
    pub fn is_quick(&self) -> bool {
        let rollouts = match &self.kind {
            Kind::FlatMc(options) => options.only_rollouts(),
            Kind::Ismcts(options) => options.only_rollouts(),
            _ => None,
        };
        let is_small = rollouts.is_some_and(|rollouts| rollouts <= QUICK_ROLLOUTS);
        self.facts().is_instant || is_small && !self.has_network() && !self.is_timed()
    }

    /// Returns true if the agent plays uniformly at random.
    pub fn is_random(&self) -> bool {
        matches!(self.kind, Kind::Random(_))
    }

    /// The properties of the agent.
    pub fn facts(&self) -> AgentFacts {
        self.kind.facts()
    }

    /// The same agent with this value of an option.
    pub fn with(&self, option: &str, value: &str) -> Result<Self, SpecError> {
        let mut spec = self.clone();
        spec.kind.set(option, value)?;
        spec.check_named()?;
        Ok(spec)
    }

    /// The agent, if it is only a network.
    pub(crate) fn network_agent<G: Hints>(&self, game: &G) -> Option<NetworkAgent> {
        match &self.completed(game).kind {
            Kind::Network(options) => Some(NetworkAgent::new(options.clone(), 0)),
            _ => None,
        }
    }

    /// The agent as the target of a responder.
    fn target<G: Hints>(&self, game: &G) -> Target<G> {
        match self.network_agent(game) {
            Some(network) => Target::Network(Box::new(network)),
            None => Target::Agent(CachedAgent::new(self.build(game, 0))),
        }
    }

    /// The network that the agent's own options name.
    fn network(&self) -> Option<&Network> {
        self.all_of::<NetworkFile>().first()?.network().map(|network| &**network)
    }

    /// True if a network for other rules will do.
    fn plays_other_rules(&self) -> bool {
        self.all_of().contains(&&RulesOf::Any)
    }

    /// The need for a network that is not given: the option that asks for it, and the one that names it.
    fn missing(&self) -> Option<(String, &'static str)> {
        match self.kind {
            _ if self.network().is_some() => None,
            Kind::Network(_) => Some(("it".to_string(), "path")),
            Kind::Mmds(_) => Some(("it".to_string(), "network")),
            _ => self.asking().next().map(|option| (format!("{option}=network"), "network")),
        }
    }

    /// The options that ask for a network: those with one of several names, which is `network`.
    fn asking(&self) -> impl Iterator<Item = &'static str> {
        let asks = |(info, (_, value)): (OptionInfo, (_, OptionValue))| {
            let is_network = matches!(value, OptionValue::Name(name) if name == "network");
            (is_network && matches!(info.allowed, Allowed::Names(_))).then_some(info.name)
        };
        self.kind.info().options.into_iter().zip(self.options()).filter_map(asks)
    }

    /// The agent with the game's own network if it needs one and none is given.
    fn completed<G: Hints>(&self, game: &G) -> Cow<'_, Self> {
        let own = self.missing().and_then(|_| NetworkFile::own(game));
        own.map_or(Cow::Borrowed(self), |network| {
            let mut spec = self.clone();
            spec.kind.visit_mut(&mut |value| {
                if let Some(file) = value.downcast_mut::<NetworkFile>() {
                    *file = network.clone();
                }
            });
            Cow::Owned(spec)
        })
    }

    /// Returns true if the agent uses a network.
    pub fn has_network(&self) -> bool {
        !self.networks().is_empty()
    }

    /// The paths of the networks that the agent uses, and those that it uses in turn; empty for the game's own network.
    pub fn networks(&self) -> Vec<String> {
        let own = match (self.network(), self.missing()) {
            (Some(network), _) => Some(network.path().to_string()),
            (None, missing) => missing.map(|_| String::new()),
        };
        own.into_iter().chain(self.inner().flat_map(Self::networks)).collect()
    }

    /// Returns true if the agent, or one that it uses, plays only games with a policy.
    fn needs_policy(&self) -> bool {
        self.facts().needs_policy || self.inner().any(Self::needs_policy)
    }

    /// Checks that the agent can play this game: that its network was trained for the game, and that the game has a
    /// policy if the agent needs one.
    pub fn check<G: Hints>(&self, game: &G) -> Result<(), Unsuited> {
        self.inner().try_for_each(|spec| spec.check(game))?;
        if self.facts().needs_policy && !game.has_policy() {
            let playing = playing(game).join(", ");
            return Err(Unsuited::NoPolicy { game: game.name(), agent: self.to_string(), playing });
        }
        self.check_network(game)
    }

    fn check_network<G: Hints>(&self, game: &G) -> Result<(), Unsuited> {
        let spec = self.completed(game);
        if let Some((what, needed)) = spec.missing() {
            return Err(Unsuited::NoNetwork { agent: self.name().to_string(), what, needed, game: game.name() });
        }
        let Some(network) = spec.network() else {
            return Ok(());
        };
        let option = if matches!(self.kind, Kind::Network(_)) { "rules" } else { "network_rules" };
        network.fits(game, self.plays_other_rules()).map_err(|error| match network.fits(game, true) {
            Ok(()) => Unsuited::OtherRules { agent: self.name(), error: Box::new(error), option },
            Err(_) => Unsuited::Network(error),
        })
    }

    /// Refuses an option without effect beside the others. At its default an option counts as not given, so all options of
    /// an agent can be given again.
    fn check_idle(&self) -> Result<(), SpecError> {
        let written = |needs: &str| needs.replace("!=", " other than ").replace('|', "/");
        let idle = self.kind.idle().map(|(option, needs)| (option, written(needs)));
        let idle = idle.or_else(|| self.idle_network()).or_else(|| self.idle_seeds());
        let agent = || self.name().to_string();
        idle.map_or(Ok(()), |(option, needed)| Err(SpecError::Idle { agent: agent(), option, needed }))
    }

    /// An option about a network that no other option asks for.
    fn idle_network(&self) -> Option<(&'static str, String)> {
        let asks = matches!(self.kind, Kind::Network(_) | Kind::Mmds(_)) || self.asking().next().is_some();
        let given = match self.network() {
            Some(_) => "network",
            None if self.plays_other_rules() => "network_rules",
            None => return None,
        };
        (!asks).then(|| (given, "an option with the value network".to_string()))
    }

    /// The seeds of an agent that has the same policy with each.
    fn idle_seeds(&self) -> Option<(&'static str, String)> {
        let (Kind::Lbr(LbrOptions { against, responder, .. })
        | Kind::IsmctsBr(IsmctsBrOptions { against, responder, .. })) = &self.kind
        else {
            return None;
        };
        (responder.seeds > 1 && against.facts().is_instant).then(|| ("seeds", "an agent that searches".to_string()))
    }

    /// Checks that the options that are given have an effect, and that a network has the required outputs.
    fn check_named(&self) -> Result<(), SpecError> {
        self.check_idle()?;
        let cuts_off = self.all_of().into_iter().any(|&cutoff: &Cutoff| cutoff != Cutoff::Off);
        let evaluates = cuts_off && self.all_of().contains(&&Evaluation::Network);
        match self.network() {
            Some(network) if evaluates && !network.has_value() => {
                Err(SpecError::NoValue { agent: self.name().to_string(), path: network.path().to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Builds a player with the streams of `seed`; oracles see everything. The caller must [check](Self::check)
    /// agents that come from users: an agent with a network for another game panics at its first decision.
    pub fn player<G: Hints>(&self, game: &G, seed: u64) -> Player<G> {
        match &self.completed(game).kind {
            Kind::Oracle(options) => Player::Oracle(Box::new(Oracle::new(options.clone(), seed))),
            kind => Player::Fair(kind.build(game, seed)),
        }
    }

    /// Builds an agent with the streams of `seed` that sees only views. Oracles are then blindfolded: they treat a
    /// world drawn from the view as the true one. The caller must [check](Self::check) the agent first, as for
    /// [`player`](Self::player).
    pub fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        self.completed(game).kind.build(game, seed)
    }
}

/// The names of the agents that can play a game with their default options, ascending.
pub(crate) fn playing<G: Hints>(game: &G) -> Vec<&'static str> {
    let plays = |spec: AgentSpec| (game.has_policy() || !spec.needs_policy()) && spec.check_network(game).is_ok();
    NAMES.iter().copied().filter(|name| name.parse().is_ok_and(plays)).collect()
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        Self::new(name, options)
    }
}

/// An agent as an option of another: its text, in parentheses if it has options.
///
/// ```
/// # use stier_agents::AgentSpec;
/// let spec: AgentSpec = "rule:cards=(ismcts:iterations=100,c=1),when=never".parse().unwrap();
/// assert_eq!(spec.to_string(), "rule:when=never,cards=(ismcts:iterations=100,c=1)");
/// ```
impl OptionType for Box<AgentSpec> {
    type Limits = ();

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        let spec = one_level_down(|| inner(text).parse());
        spec.map(Box::new).map_err(|error| format!("cannot be used: {error}"))
    }

    fn value(&self) -> OptionValue {
        let text = self.to_string();
        OptionValue::Name(if text.contains(':') { format!("({text})") } else { text })
    }

    fn allowed((): &()) -> Allowed {
        Allowed::Other("an agent, in parentheses if it has options: (ismcts:iterations=100,c=1)".to_string())
    }
}

thread_local! {
    /// The number of agents in whose options the next one is nested.
    static AROUND: Cell<usize> = const { Cell::new(0) };
}

/// Parses an agent within another agent's options.
fn one_level_down<T>(read: impl FnOnce() -> T) -> T {
    AROUND.set(AROUND.get() + 1);
    let value = read();
    AROUND.set(AROUND.get() - 1);
    value
}

/// The text of an agent without its parentheses.
fn inner(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        let parts: Vec<String> =
            [self.kind.options().to_text()].into_iter().filter(|text| !text.is_empty()).chain(seed).collect();
        f.write_str(self.name())?;
        if parts.is_empty() { Ok(()) } else { write!(f, ":{}", parts.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use stier_core::OptionInfo;
    use stier_core::options::Allowed;

    use super::{AgentInfo, AgentSpec, NAMES, SpecError, describe};

    #[test]
    fn text_round_trips() {
        for text in [
            "random",
            "greedy",
            "flat_mc:allocation=ucb1,cutoff=4,evaluation=network",
            "ismcts",
            "ismcts:iterations=10000,c=0.5",
            "ismcts:threads=2,seed=7",
            "random:seed=3",
            "rule:when=random,cards=(ismcts:iterations=100,c=0.5),seed=4",
            "rule:cards=(rule:when=never,cards=(greedy:seed=1))",
            "lbr:worlds=50,against=(ismcts:iterations=100,c=0.5),continuation=hints",
        ] {
            let spec: AgentSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
        let spec: AgentSpec = "ismcts: seed=7 , threads=2".parse().unwrap();
        assert_eq!(spec.to_string(), "ismcts:threads=2,seed=7");
    }

    #[test]
    fn errors_name_the_alternatives() {
        let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
        assert_eq!(error("alphazero"), format!("unknown agent 'alphazero'; agents: {}", NAMES.join(", ")));
        assert!(
            error("ismcts:iteratons=5")
                .starts_with("ismcts has no option 'iteratons'; did you mean 'iterations'? Options: ")
        );
        assert!(error("random:c=1").contains("options: none"));
        assert!(error("ismcts:iterations=0").contains("iterations must be between 1 and "));
        assert!(error("random:seed=x").contains("seed must be between 0 and 18446744073709551615, got 'x'"));
        assert!(error("random:seed=1,seed=2").contains("given twice"));
        assert!(error("random:seed=seed=5").contains("got 'seed=5'"));
    }

    #[test]
    fn quick_agents_have_small_budgets() {
        let is_quick = |text: &str| text.parse::<AgentSpec>().unwrap().is_quick();
        for text in ["greedy", "random", "ismcts", "ismcts:iterations=20000", "flat_mc:iterations=2000,rollouts=10"] {
            assert!(is_quick(text), "{text}");
        }
        for text in [
            "ismcts:iterations=20001",
            "ismcts:iterations=2000,rollouts=11",
            "ismcts:iterations=100,self_determination=0.1",
            "ismcts:iterations=100,beliefs=policy",
            "ismcts:time_ms=5",
            "ris_mcts:iterations=100",
            "best:iterations=100",
            "pimc:worlds=1",
            "ismcts_br:iterations=100",
            "rule",
        ] {
            assert!(!is_quick(text), "{text}");
        }
    }

    #[test]
    fn agents_answer_for_those_among_their_options() {
        let agent = |text: &str| text.parse::<AgentSpec>().unwrap();
        for text in [
            "ismcts:time_ms=5",
            "rule:cards=(pimc:time_ms=1)",
            "lbr:against=(rule:timing=(best:time_ms=2),when=timing)",
        ] {
            assert!(agent(text).is_timed(), "{text}");
        }
        for text in ["ismcts", "rule:cards=pimc", "lbr:against=(ismcts:iterations=5)"] {
            assert!(!agent(text).is_timed(), "{text}");
        }
        assert_eq!(agent("rule:cards=(pimc:rollout=network),when=never").networks(), [""]);
        assert_eq!(agent("lbr:against=network,continuation=network").networks(), ["", ""]);
        assert!(!agent("rule:cards=pimc").has_network());
    }

    /// Options of every agent that need a value of another, with and without it.
    #[test]
    fn options_without_effect_are_refused() {
        let mut refused = 0;
        for AgentInfo { name, options, .. } in describe() {
            let value_of = |wanted: &str| options.iter().find(|option| option.name == wanted);
            // A value of the option, if there is another than these.
            let other_than = |option: &OptionInfo, others: &[&str]| {
                let values = match &option.allowed {
                    Allowed::Range(low, high) => vec![low.to_string(), high.to_string()],
                    Allowed::Names(names) => names.iter().map(|name| name.to_string()).collect(),
                    Allowed::Other(_) => ["0", "64", "greedy"].map(str::to_string).to_vec(),
                };
                let is_value = |value: &String| {
                    let read = format!("{name}:{}={value}", option.name).parse::<AgentSpec>();
                    matches!(read, Ok(_) | Err(SpecError::Idle { .. })) && !others.contains(&value.as_str())
                };
                values.into_iter().find(is_value)
            };
            for option in options.iter().filter(|option| !option.needs.is_empty()) {
                let value = other_than(option, &[&option.default.to_string()]).expect("another value");
                let given = format!("{}={value}", option.name);
                let mut met = 0;
                for needs in option.needs.split(" or ") {
                    let clause = |clause: &str| {
                        let (name, values) = clause.split_once('=').expect("a clause");
                        let values: Vec<&str> = values.split('|').collect();
                        match name.strip_suffix('!') {
                            Some(name) => Some(format!("{name}={}", other_than(value_of(name)?, &values)?)),
                            None => value_of(name).map(|_| format!("{name}={}", values[0])),
                        }
                    };
                    let Some(clauses) = needs.split(" and ").map(clause).collect::<Option<Vec<_>>>() else { continue };
                    let text = format!("{name}:{given},{}", clauses.join(","));
                    assert!(text.parse::<AgentSpec>().is_ok(), "{text}: {:?}", text.parse::<AgentSpec>());
                    met += 1;
                }
                assert!(met > 0, "{name}: {} needs {}, which it cannot have", option.name, option.needs);
                let alone = format!("{name}:{given}");
                if let Err(error) = alone.parse::<AgentSpec>() {
                    let needs = option.needs.replace("!=", " other than ").replace('|', "/");
                    let expected = format!("agent {name}: {} has no effect without {needs}", option.name);
                    assert_eq!(error.to_string(), expected);
                    refused += 1;
                }
            }
        }
        assert!(refused > 40, "{refused}");
        let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
        let nested = error("lbr:against=ismcts:particles=100,beliefs=policy");
        assert!(nested.starts_with("lbr: against cannot be used: agent ismcts: particles has no effect"), "{nested}");
        assert_eq!(
            error("lbr:seeds=3,against=network"),
            "agent lbr: seeds has no effect without an agent that searches"
        );
        assert_eq!(
            error("pimc:network_rules=any"),
            "agent pimc: network_rules has no effect without an option with the value network"
        );
        assert!("pimc:network_rules=any,rollout=network".parse::<AgentSpec>().is_ok());
    }

    #[test]
    fn nesting_is_limited() {
        let nested =
            |levels: usize, last: &str| format!("{}{last}{}", "rule:cards=(".repeat(levels), ")".repeat(levels));
        let spec: AgentSpec = nested(7, "random").parse().unwrap();
        assert_eq!(spec.to_string(), nested(7, "random").replace("(random)", "random"));
        // Each level is parsed once. Parsing each twice would take years at this depth.
        for (levels, last) in [(8, "random"), (60, "nobody"), (100_000, "random")] {
            let error = nested(levels, last).parse::<AgentSpec>().unwrap_err().to_string();
            assert!(error.ends_with("agents are nested too deeply; at most 8 levels are allowed"), "{levels}");
            let open = "rule:cards=".repeat(levels) + last;
            let error = open.parse::<AgentSpec>().unwrap_err().to_string();
            assert!(
                error.ends_with("agents are nested too deeply; at most 8 levels are allowed"),
                "{levels}, without parentheses"
            );
        }
        assert!(
            "rule:cards=(rule:cards=(nobody))".parse::<AgentSpec>().unwrap_err().to_string().contains("unknown agent")
        );
        assert!(nested(7, "random").parse::<AgentSpec>().is_ok(), "errors leave nothing behind");
    }

    #[test]
    fn the_list_is_sorted_and_described() {
        assert!(NAMES.is_sorted());
        for AgentInfo { name, about, options, .. } in describe() {
            assert!(!about.is_empty() && options.iter().all(|option| !option.about.is_empty()), "{name}");
            let different: HashSet<_> = options.iter().map(|option| option.name).collect();
            assert_eq!(different.len(), options.len(), "{name}: every option once");
        }
    }
}
