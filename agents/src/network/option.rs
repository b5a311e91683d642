//! Networks as options of agents: by the path of their file.
//!
//! The file is read when the option is: an agent's text that parses has its networks. A process reads a file once; as long as somebody
//! has the network, whoever names the same path shares it, unless the file has changed since.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use stier_core::options::OptionType;
use stier_core::{OptionValue, choice, options};

use super::file::{Fault, Network, NetworkError};

choice! {
    /// Which rules a network must have been trained for.
    pub enum RulesOf {
        /// Exactly those of the game.
        Exact = "exact",
        /// Any under which observations and actions are the same.
        Any = "any",
    }
}

/// The network of a file, or none.
///
/// As text it is the path, in parentheses if it contains a comma or parentheses, or begins or ends with a space. Parentheses within must
/// come in pairs.
#[derive(Clone, Default)]
pub struct NetworkFile(Option<Arc<Network>>);

impl NetworkFile {
    /// No network.
    pub const NONE: Self = Self(None);

    /// The network of the file with this path.
    pub fn load(path: &str) -> Result<Self, NetworkError> {
        load(path).map(Some).map(Self)
    }

    /// The network, if one is named.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.0.as_ref()
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

/// The path in the text of an option; `None` if there is none that the text can hold.
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

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::NONE);
        }
        let path = path_of(text).ok_or_else(|| Self::allowed(&()))?;
        Self::load(path).map_err(|error| format!("{}; {error}", Self::allowed(&())))
    }

    fn value(&self) -> OptionValue {
        OptionValue::Name(self.0.as_ref().map_or(String::new(), |network| quoted(network.path())))
    }

    fn allowed((): &()) -> String {
        "the path of a network, in parentheses if it has commas or parentheses".to_string()
    }
}

options! {
    /// The network that an agent's options refer to.
    pub struct Guide for "networks" {
        /// The file of a trained network: for every option of the agent that says network.
        network: NetworkFile = NetworkFile::NONE, ();
        /// Whether it must have been trained for exactly the rules of the game.
        network_rules: RulesOf = RulesOf::Exact, ();
    }
}

/// What tells a file from one that took its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// On Unix the number of the file.
    number: u64,
}

impl Stamp {
    fn of(path: &str) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self { length: found.len(), modified: found.modified().ok(), number })
    }
}

/// The networks that are in use, by path.
static LOADED: LazyLock<Mutex<HashMap<String, InUse>>> = LazyLock::new(Mutex::default);

/// A network for as long as somebody has it, and the file that it was read from.
type InUse = (Stamp, Weak<Network>);

/// The network of a path: shared with those who have it, or read.
fn load(path: &str) -> Result<Arc<Network>, NetworkError> {
    let unreadable =
        |reason: &str| NetworkError { path: path.to_string(), fault: Fault::Unreadable(reason.to_string()) };
    if path.is_empty() {
        return Err(unreadable("it has no name"));
    }
    // Taken before the file is read: one that changes meanwhile is read again the next time.
    let stamp = Stamp::of(path);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = loaded.get(path).filter(|(own, _)| Some(*own) == stamp).and_then(|(_, network)| network.upgrade());
    if let Some(network) = known {
        return Ok(network);
    }
    let network = Arc::new(Network::read(path)?);
    loaded.retain(|_, (_, network)| network.strong_count() > 0);
    if let Some(stamp) = stamp {
        loaded.insert(path.to_string(), (stamp, Arc::downgrade(&network)));
    }
    Ok(network)
}
