//! Agents as text: parsed, printed, asked and built.

mod list;
mod networks;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use stier_core::options::{Allowed, OptionType, number};
use stier_core::{Hints, OptionError, OptionValue, options};

use self::list::{IsmctsBrOptions, Kind, LbrOptions};
use super::error::{MAX_NESTED, SpecError, Unsuited};
use crate::agent::Agent;
use crate::agent::endings::{EndingSettings, Endings};
use crate::agent::player::Player;
use crate::agent::stop::TimeLimit;
use crate::belief::Beliefs;
use crate::belief::policy_model::Model;
use crate::rollout::{Cutoff, Evaluation};
use crate::search::oracle::Oracle;
use crate::search::responders::target_policy::{CachedAgent, Particles, Target};

pub use self::list::{AgentFacts, AgentInfo, NAMES, describe};

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

/// The condition of an option in words: "a value of cutoff other than off", or "observer=single or multi".
fn in_words(clause: &str) -> String {
    match clause.split_once("!=") {
        Some((option, value)) => format!("a value of {option} other than {value}"),
        None => clause.replace('|', " or "),
    }
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
        let facts = self.kind.facts();
        AgentFacts { is_instant: facts.is_instant && !self.solves_endings(), ..facts }
    }

    /// Returns true if the agent itself solves endings.
    fn solves_endings(&self) -> bool {
        self.endings().is_some()
    }

    /// The options of its endings, if the agent itself solves them.
    fn endings(&self) -> Option<&EndingSettings> {
        let settings = match &self.kind {
            Kind::Best(options) => &options.endings,
            Kind::Mmds(options) => &options.endings,
            Kind::Network(options) => &options.endings,
            _ => return None,
        };
        (settings.endings == Endings::Ranges).then_some(settings)
    }

    /// The same agent with this value of an option.
    pub fn with(&self, option: &str, value: &str) -> Result<Self, SpecError> {
        let mut spec = self.clone();
        spec.kind.set(option, value)?;
        spec.check_named()?;
        Ok(spec)
    }

    /// The agent as the target of a responder.
    fn target<G: Hints>(&self, game: &G) -> Target<G> {
        match (self.network_before_endings(game), self.endings()) {
            (Some(network), None) => Target::Network(Box::new(network)),
            (network, endings) => {
                let tricks = endings.map(|endings| [endings.ending_tricks, endings.attack_tricks]);
                let before = network.map(Box::new).zip(tricks);
                Target::Agent(CachedAgent::new(self.build(game, 0), before))
            }
        }
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
            let playing = playing(game);
            return Err(Unsuited::NoPolicy { game: game.name(), agent: self.to_string(), playing });
        }
        if self.is_exact() && game.hands().is_none() {
            return Err(Unsuited::NoExactBeliefs { agent: self.name(), game: game.name() });
        }
        if self.solves_endings() && !(G::HAS_ENDINGS && game.endings().is_some()) {
            return Err(Unsuited::NoEndings { agent: self.name(), game: game.name() });
        }
        self.check_network(game)
    }

    /// Refuses an option that has no effect with the values of the others. At its default an option counts as not given,
    /// so all options of an agent can be given again.
    fn check_idle(&self) -> Result<(), SpecError> {
        let written = |needs: &str| needs.split(' ').map(in_words).collect::<Vec<_>>().join(" ");
        let idle = self.kind.idle().map(|(option, needs)| (option, written(needs)));
        let idle = idle.or_else(|| self.idle_network()).or_else(|| self.idle_seeds());
        let agent = || self.name().to_string();
        idle.map_or(Ok(()), |(option, needed)| Err(SpecError::Idle { agent: agent(), option, needed }))
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

    /// Returns true if the agent's own beliefs are exact.
    fn is_exact(&self) -> bool {
        self.all_of().contains(&&Beliefs::Exact) || self.all_of().contains(&&Particles::Exact)
    }

    /// The models that exact beliefs can have, if the agent has another.
    fn inexact_model(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Lbr(LbrOptions { against, .. }) | Kind::IsmctsBr(IsmctsBrOptions { against, .. }) => {
                (!matches!(against.kind, Kind::Network(_)) || against.solves_endings()).then_some("against=network")
            }
            _ => self.all_of().contains(&&Model::Greedy).then_some("model=rollout, fitted or network"),
        }
    }

    /// Checks that the options that are given have an effect, and that a network has the required outputs.
    fn check_named(&self) -> Result<(), SpecError> {
        self.check_idle()?;
        if let Some(needed) = self.inexact_model().filter(|_| self.is_exact()) {
            return Err(SpecError::NotExact { agent: self.name().to_string(), needed });
        }
        if self.endings().is_some_and(|endings| endings.ending_tricks.max(endings.attack_tricks) == 0) {
            return Err(SpecError::NoTricks { agent: self.name().to_string() });
        }
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
