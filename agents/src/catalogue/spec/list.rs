//! The list of all agents.

use std::any::Any;

use stier_core::{DynOptions, Hints, OptionError, OptionInfo, Options, options};

use super::{AgentSpec, SpecError};
use crate::agent::Agent;
use crate::agent::endings::EndingSettings;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB};
use crate::agent::stop::TimeLimit;
use crate::network::agent::{NetworkAgent, NetworkOptions};
use crate::network::option::Guide;
use crate::search::endings::with_endings;
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
use crate::search::responders::local_best_response::LbrSettings;
use crate::search::responders::target_policy::{ResponderSettings, TargetPolicy};
use crate::search::responders::{Respond, Responder};
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
        pub(super) enum Kind { $($variant($options)),+ }

        /// The names of all agents, ascending.
        pub const NAMES: &[&str] = &[$($name),+];

        impl Kind {
            pub(super) fn parse(name: &str, options: &[&str]) -> Result<Self, SpecError> {
                match name {
                    $($name => Ok(Self::$variant($options::from_parts(options)?)),)+
                    _ => Err(SpecError::UnknownAgent { name: name.to_string(), known: NAMES.join(", ") }),
                }
            }

            pub(super) fn set(&mut self, option: &str, value: &str) -> Result<(), OptionError> {
                match self { $(Self::$variant(options) => options.set(option, value)),+ }
            }

            pub(super) fn visit_mut<'a>(&'a mut self, see: &mut dyn FnMut(&'a mut dyn Any)) {
                match self { $(Self::$variant(options) => options.visit_mut(see)),+ }
            }

            pub(super) fn options(&self) -> &dyn DynOptions {
                match self { $(Self::$variant(options) => options),+ }
            }

            pub(super) fn idle(&self) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$variant(options) => options.idle()),+ }
            }

            pub(super) fn info(&self) -> AgentInfo {
                match self {
                    $(Self::$variant(_) => AgentInfo {
                        name: $name,
                        about: concat!($($about),+).trim(),
                        options: $options::describe(),
                        facts: self.facts(),
                    }),+
                }
            }

            pub(super) fn facts(&self) -> AgentFacts {
                match self {
                    $(Self::$variant(_) => AgentFacts { $($($fact: true,)+)? ..AgentFacts::default() }),+
                }
            }

            pub(super) fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
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
    /// The search that did best in the game at equal thinking time. It needs a network only to solve endings.
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
    "mmds" => Mmds(MmdsOptions);
    /// A trained network without search: the game's own, or one from a file.
    "network" => Network(NetworkOptions) [is_instant];
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
    /// Cards by another agent; the action that binds for the rest of the deal, an attack, by a rule of thumb, or by another agent, `timing`.
    "rule" => Rule(RuleOptions) [is_combined];
}

options! {
    /// The options of `best` that the agent which the game names may have, too.
    pub(super) struct Budget for "best" {
        /// Iterations per decision, as the agent counts them.
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// Mebibytes that the agent's trees may take, if it has any.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

options! {
    /// The options of `best`: the agent that the game names, with this budget.
    ///
    /// Every game names its agent ([`Hints::best_agent`]), by the cross-tables at equal thinking time in
    /// `benches/STRENGTH.md`. Networks are trained for some rules only, and have no budget; without endings this agent plays
    /// all rules.
    pub(super) struct BestOptions for "best" {
        /// The budget.
        ..budget: Budget = Budget::default();
        /// Its play when few tricks are left.
        ..endings: EndingSettings = EndingSettings::default();
        /// The network that both players are assumed to have followed before an ending.
        ..guide: Guide = Guide::default();
    }
}

impl BestOptions {
    fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        let mut spec: AgentSpec = game.best_agent().parse().expect("every game names an agent");
        for (option, value) in Options::values(&self.budget) {
            // Agents without a tree do not have `memory_mb`.
            spec = spec.with(option, &value.to_string()).unwrap_or(spec);
        }
        with_endings(&self.endings, ranges_of(&self.guide), spec.build(game, seed), seed)
    }
}

impl MmdsOptions {
    fn build<G: Hints>(&self, _game: &G, seed: u64) -> Box<dyn Agent<G>> {
        with_endings(&self.endings, ranges_of(&self.belief.guide), Box::new(Mmds::new(self.clone(), seed)), seed)
    }
}

/// The network that an agent uses.
fn ranges_of(guide: &Guide) -> NetworkOptions {
    NetworkOptions { path: guide.network.clone(), ..NetworkOptions::default() }
}

impl NetworkOptions {
    fn build<G: Hints>(&self, _game: &G, seed: u64) -> Box<dyn Agent<G>> {
        with_endings(&self.endings, self.clone(), Box::new(NetworkAgent::new(self.clone(), seed)), seed)
    }
}

options! {
    /// The options of [`IsmctsBr`].
    pub(super) struct IsmctsBrOptions for "ismcts_br" {
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
        let search = IsmctsBr { options: self.search.clone(), memory_mb: self.memory_mb };
        responder(search, &self.against, &self.responder, game, seed)
    }
}

options! {
    /// The options of a local best response.
    pub(super) struct LbrOptions for "lbr" {
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
        responder(self.search.clone(), &self.against, &self.responder, game, seed)
    }
}

/// A responder to this agent.
fn responder<G: Hints>(
    search: impl Respond<G> + 'static,
    against: &AgentSpec,
    settings: &ResponderSettings,
    game: &G,
    seed: u64,
) -> Box<dyn Agent<G>> {
    let target = TargetPolicy::new(settings.clone(), against.target(game), seed);
    Box::new(Responder::agent(search, target, seed))
}

options! {
    /// The options of [`Rule`].
    pub(super) struct RuleOptions for "rule" {
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
