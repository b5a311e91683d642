//! The networks that agents use.

use std::borrow::Cow;

use stier_core::list::Listing as _;
use stier_core::options::Allowed;
use stier_core::{Hints, OptionInfo, OptionValue};

use super::list::Kind;
use super::{AgentSpec, Unsuited};
use crate::network::agent::NetworkAgent;
use crate::network::file::Network;
use crate::network::option::{NetworkFile, RulesOf};

impl AgentSpec {
    /// The agent, if it is only a network.
    pub(crate) fn network_agent<G: Hints>(&self, game: &G) -> Option<NetworkAgent> {
        self.network_before_endings(game).filter(|_| self.endings().is_none())
    }

    /// The network, if the agent is one apart from its endings.
    pub(super) fn network_before_endings<G: Hints>(&self, game: &G) -> Option<NetworkAgent> {
        match &self.completed(game).kind {
            Kind::Network(options) => Some(NetworkAgent::new(options.clone(), 0)),
            _ => None,
        }
    }

    /// The network that the agent's own options name.
    pub(super) fn network(&self) -> Option<&Network> {
        self.all_of::<NetworkFile>().first()?.network().map(|network| &**network)
    }

    /// True if a network for other rules will do.
    pub(super) fn plays_other_rules(&self) -> bool {
        self.all_of().contains(&&RulesOf::Any)
    }

    /// The need for a network that is not given: the option that asks for it, and the one that names it.
    pub(super) fn missing(&self) -> Option<(String, &'static str)> {
        self.need().filter(|_| self.network().is_none())
    }

    /// The need for a network: the option that asks for it, and the one that names it.
    fn need(&self) -> Option<(String, &'static str)> {
        match self.kind {
            Kind::Network(_) => Some(("it".to_string(), "path")),
            Kind::Mmds(_) => Some(("it".to_string(), "network")),
            _ if self.solves_endings() => Some(("endings=ranges".to_string(), "network")),
            _ => self.asking().next().map(|option| (format!("{option}=network"), "network")),
        }
    }

    /// The options that ask for a network: those with one of several names, which is `network`.
    pub(super) fn asking(&self) -> impl Iterator<Item = &'static str> {
        let asks = |(info, (_, value)): (OptionInfo, (_, OptionValue))| {
            let is_network = matches!(value, OptionValue::Name(name) if name == "network");
            (is_network && matches!(info.allowed, Allowed::Names(_))).then_some(info.name)
        };
        self.kind.info().options.into_iter().zip(self.options()).filter_map(asks)
    }

    /// The agent with the game's own network if it needs one and none is given.
    pub(super) fn completed<G: Hints>(&self, game: &G) -> Cow<'_, Self> {
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
        own.into_iter().chain(self.inner().flat_map(Self::networks)).list()
    }

    pub(super) fn check_network<G: Hints>(&self, game: &G) -> Result<(), Unsuited> {
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

    /// An option that names a network, although no option uses it.
    pub(super) fn idle_network(&self) -> Option<(&'static str, String)> {
        let given = match self.network() {
            Some(_) => "network",
            None if self.plays_other_rules() => "network_rules",
            None => return None,
        };
        let needed = match self.kind {
            Kind::Best(_) => "endings=ranges",
            _ => "an option with the value network",
        };
        self.need().is_none().then(|| (given, needed.to_string()))
    }
}
