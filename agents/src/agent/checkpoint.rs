//! Checkpoints: a line of text that identifies the calculation, then little-endian numbers.

use std::io::{self, ErrorKind, Read};

use thiserror::Error;

/// The largest length of a line.
const MAX_LINE: usize = 1 << 16;
/// The largest part of a line that errors quote.
const MAX_QUOTED: usize = 200;

/// An error in a checkpoint. Its text continues a sentence about the checkpoint: `ends too early`.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Reading failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The checkpoint belongs to another calculation.
    #[error("belongs to '{found}', expected '{expected}'")]
    Other {
        /// The calculation it belongs to.
        found: String,
        /// The expected calculation.
        expected: String,
    },
    /// The checkpoint has an older format.
    #[error("was made by an earlier version of Stier")]
    Earlier,
    /// The checkpoint is shorter or longer than it should be.
    #[error("{0}")]
    Length(&'static str),
    /// A number that cannot occur.
    #[error("contains the invalid number {0}")]
    Number(f64),
}

/// The part of a checkpoint that has not been read.
pub(crate) struct Reader<R>(R);

impl<R: Read> Reader<R> {
    /// Reads the first line, which must be this one. Its first two words are the format and its version.
    pub(crate) fn new(from: R, heading: &str) -> Result<Self, CheckpointError> {
        let mut own = Self(from);
        let found = own.line()?;
        if found == heading {
            return Ok(own);
        }
        let format = |line: &str| {
            let (name, rest) = line.split_once(' ')?;
            Some((name.to_string(), rest.split(' ').next()?.parse::<u32>().ok()?))
        };
        if let (Some((name, version)), Some((expected, current))) = (format(&found), format(heading))
            && name == expected
            && version < current
        {
            return Err(CheckpointError::Earlier);
        }
        Err(CheckpointError::Other { found: found.chars().take(MAX_QUOTED).collect(), expected: heading.to_string() })
    }

    /// A line, or as much of it as there is.
    pub(crate) fn line(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while bytes.len() < MAX_LINE && self.0.read(&mut byte)? == 1 && byte != *b"\n" {
            bytes.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads `N` bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let mut bytes = [0; N];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(CheckpointError::Length("ends too early")),
            Err(error) => Err(error.into()),
        }
    }

    /// A whole number.
    pub(crate) fn u64(&mut self) -> Result<u64, CheckpointError> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// A finite number.
    pub(crate) fn f64(&mut self) -> Result<f64, CheckpointError> {
        let number = self.bytes().map(f64::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(CheckpointError::Number(number)) }
    }

    /// Refuses anything that follows.
    pub(crate) fn end(&mut self) -> Result<(), CheckpointError> {
        if self.0.read(&mut [0])? == 0 { Ok(()) } else { Err(CheckpointError::Length("goes on after its end")) }
    }
}
