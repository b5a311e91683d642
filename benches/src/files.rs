//! Files for the results.

use std::error;
use std::io::Write as _;
use std::path::Path;

use stier_agents::solve::atomic_file;
use thiserror::Error;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("{path}: {reason}")]
pub struct FileError {
    path: String,
    reason: Box<dyn error::Error + Send + Sync>,
}

/// Writes a file atomically, so that no reader ever sees half of it.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), FileError> {
    let failed = |reason| FileError { path: path.display().to_string(), reason: Box::from(reason) };
    atomic_file::write(path, |out| out.write_all(bytes.as_ref())).map_err(failed)
}
