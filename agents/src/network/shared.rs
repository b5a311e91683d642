//! Networks read from files, shared.
//!
//! A process reads a file once. As long as a network is in use, others who ask for the same path share it, unless the
//! file has changed since.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use super::file::{Fault, Network, NetworkError};

/// Identifies a version of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// The inode number on Unix.
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

/// The networks in use, by path.
static LOADED: LazyLock<Mutex<HashMap<String, InUse>>> = LazyLock::new(Mutex::default);

/// The version of a file, and its network for as long as it is in use.
type InUse = (Stamp, Weak<Network>);

/// The network of a path, shared if it is in use and read otherwise.
pub(super) fn load(path: &str) -> Result<Arc<Network>, NetworkError> {
    let unreadable =
        |reason: &str| NetworkError { path: path.to_string(), fault: Fault::Unreadable(reason.to_string()) };
    if path.is_empty() {
        return Err(unreadable("the path is empty"));
    }
    // The stamp is taken first. If the file changes while it is read, the next call reads it again.
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
