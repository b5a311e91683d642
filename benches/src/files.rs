//! Files for plans, ledgers and pages.

use std::io::{self, Write as _};
use std::path::Path;
use std::{error, fs};

use serde::Serialize;
use serde::de::DeserializeOwned;
use stier_agents::solve::atomic_file;
use thiserror::Error;

/// A file that cannot be read or written.
#[derive(Debug, Error)]
#[error("{path}: {reason}")]
pub struct FileError {
    path: String,
    reason: Box<dyn error::Error + Send + Sync>,
}

impl FileError {
    fn of<E: Into<Box<dyn error::Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        move |reason| Self { path: path.display().to_string(), reason: reason.into() }
    }
}

/// Reads a TOML file.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    let text = fs::read_to_string(path).map_err(FileError::of(path))?;
    toml::from_str(&text).map_err(FileError::of(path))
}

/// Reads the lines of a CSV file; none if the file does not exist.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, FileError> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(FileError::of(path))?,
    };
    csv::Reader::from_reader(&*text).deserialize().collect::<Result<_, _>>().map_err(FileError::of(path))
}

/// Writes lines to a CSV file.
pub fn write_lines<T: Serialize>(path: &Path, lines: impl IntoIterator<Item = T>) -> Result<(), FileError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(FileError::of(path))?;
    }
    write(path, &writer.into_inner().map_err(|error| FileError::of(path)(error.to_string()))?)
}

/// Writes a file atomically, so that no reader ever sees half of it.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), FileError> {
    atomic_file::write(path, |out| out.write_all(bytes.as_ref())).map_err(FileError::of(path))
}
