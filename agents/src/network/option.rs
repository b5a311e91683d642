//! Networks as options of agents, given by the paths of their files.
//!
//! The file is read when the option is parsed, so every parsed agent has its networks.

#[cfg(feature = "files")]
use std::borrow::Cow;
use std::collections::HashMap;
#[cfg(feature = "files")]
use std::env;
#[cfg(feature = "files")]
use std::path::MAIN_SEPARATOR;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use stier_core::options::{Allowed, OptionType};
use stier_core::{Hints, OptionValue, choice, options};

#[cfg(not(feature = "files"))]
use super::file::Fault;
use super::file::{Network, NetworkError};
#[cfg(feature = "files")]
use super::shared;

choice! {
    /// The rules for which a network must have been trained.
    pub enum RulesOf {
        /// Exactly the rules of the game.
        Exact = "exact",
        /// Any rules with the same observations and actions.
        Any = "any",
    }
}

/// The network of a file, or none.
///
/// As text it is the path; `~` stands for the user's folder. The path is in parentheses if it contains a comma or
/// parentheses, or begins or ends with a space. Commas are also read without them if there is such a file. Parentheses in
/// a path must come in pairs.
#[derive(Clone, Default)]
pub struct NetworkFile(Option<Arc<Network>>);

impl NetworkFile {
    /// No network.
    pub const NONE: Self = Self(None);

    /// The network of the file with this path.
    #[cfg(feature = "files")]
    pub fn load(path: &str) -> Result<Self, NetworkError> {
        shared::load(&expanded(path)).map(Some).map(Self)
    }

    /// Fails: files can be read only with the feature `files`.
    #[cfg(not(feature = "files"))]
    pub fn load(path: &str) -> Result<Self, NetworkError> {
        Err(NetworkError {
            path: path.to_string(),
            fault: Fault::Unreadable("this program cannot read files".to_string()),
        })
    }

    /// The game's own network: one that was [provided](Self::provide), or the one that comes with the game
    /// ([`Hints::network`]), if there is one.
    pub fn own<G: Hints>(game: &G) -> Option<Self> {
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(network) = own.get(game.name()) {
            return Some(network.clone().into());
        }
        let network = Arc::new(Network::parse(game.name(), game.network()?).expect("a game's own network can be read"));
        own.insert(game.name().to_string(), network.clone());
        Some(network.into())
    }

    /// Makes the network in `bytes` the own one of the game with this name, for programs without the feature
    /// `networks`. Agents that exist already keep theirs.
    pub fn provide(game: &str, bytes: &[u8]) -> Result<(), NetworkError> {
        let network =
            Arc::new(Network::parse(game, bytes).map_err(|fault| NetworkError { path: game.to_string(), fault })?);
        OWN.lock().unwrap_or_else(PoisonError::into_inner).insert(game.to_string(), network);
        Ok(())
    }

    /// The network, if one is given.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.0.as_ref()
    }
}

impl From<Arc<Network>> for NetworkFile {
    fn from(network: Arc<Network>) -> Self {
        Self(Some(network))
    }
}

impl PartialEq for NetworkFile {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other) || own == other,
            (None, None) => true,
            _ => false,
        }
    }
}

impl std::fmt::Debug for NetworkFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NetworkFile({})", self.value())
    }
}

/// A path in which `~` at the beginning is the user's folder.
#[cfg(feature = "files")]
fn expanded(path: &str) -> Cow<'_, str> {
    let home = || ["HOME", "USERPROFILE"].into_iter().find_map(|name| env::var(name).ok());
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]) => {
            home().map_or(path.into(), |home| (home + rest).into())
        }
        _ => path.into(),
    }
}

/// The path in the text of an option; `None` if the text is invalid.
fn path_of(text: &str) -> Option<&str> {
    let path = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let mut depth = 0_i32;
    let paired = path.chars().all(|symbol| {
        depth += i32::from(symbol == '(') - i32::from(symbol == ')');
        depth >= 0
    });
    (paired && depth == 0).then_some(path)
}

/// A path as the text of an option.
pub fn quoted(path: &str) -> String {
    let bare = !path.contains([',', '(', ')']) && path.trim() == path;
    if bare { path.to_string() } else { format!("({path})") }
}

impl OptionType for NetworkFile {
    type Limits = ();
    const HAS_COMMAS: bool = true;

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::NONE);
        }
        let path = path_of(text).ok_or_else(|| Self::allowed(&()).refuse(text))?;
        Self::load(path).map_err(|error| format!("cannot be used: {error}"))
    }

    fn value(&self) -> OptionValue {
        OptionValue::Name(self.0.as_ref().map_or(String::new(), |network| quoted(network.path())))
    }

    fn allowed((): &()) -> Allowed {
        Allowed::Other("the path of a network, in parentheses if it has commas or parentheses".to_string())
    }
}

options! {
    /// The network used by an agent's options.
    pub struct Guide for "networks" {
        /// The file of a trained network, used by every option with the value network. If left out, the game's own.
        network: NetworkFile = NetworkFile::NONE, ();
        /// The rules for which the network must have been trained.
        network_rules: RulesOf = RulesOf::Exact, ();
    }
}

/// The games' own networks, by the names of the games, as far as they have been asked for.
static OWN: LazyLock<Mutex<HashMap<String, Arc<Network>>>> = LazyLock::new(Mutex::default);
