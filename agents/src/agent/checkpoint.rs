//! Checkpoints: a line of text that identifies the calculation, then little-endian numbers, and the FNV-1a hash of all
//! these bytes.

use std::io::{self, ErrorKind, Read, Write};

use stier_core::hash::Fnv1a;
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
        /// The words about its calculation that differ.
        found: String,
        /// The same of the expected calculation.
        expected: String,
    },
    /// Another file, or one of a later version.
    #[error("is of another kind: it begins with '{0}'")]
    Foreign(String),
    /// The checkpoint has an older format.
    #[error("was made by an earlier version of Stier")]
    Earlier,
    /// The checkpoint is shorter or longer than it should be.
    #[error("{0}")]
    Length(&'static str),
    /// A number that cannot occur.
    #[error("contains the invalid number {0}")]
    Number(f64),
    /// The checksum is not that of the bytes.
    #[error("is damaged: its checksum is wrong")]
    Checksum,
}

/// The words of a line that the other does not have.
fn lacking(line: &str, other: &str) -> String {
    let words = line.split(' ').filter(|word| other.split(' ').all(|known| known != *word));
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_QUOTED).collect()
}

/// Writes a checkpoint.
pub(crate) struct Writer<W> {
    to: W,
    hash: Fnv1a,
}

impl<W: Write> Writer<W> {
    /// Writes the first line. Its first two words are the format and its version.
    pub(crate) fn new(to: W, heading: &str) -> io::Result<Self> {
        let mut own = Self { to, hash: Fnv1a::default() };
        writeln!(own, "{heading}")?;
        Ok(own)
    }

    /// Writes the checksum. Returns what has been written to.
    pub(crate) fn end(mut self) -> io::Result<W> {
        self.to.write_all(&self.hash.value().to_le_bytes())?;
        Ok(self.to)
    }
}

/// The bytes of a checkpoint with these contents.
pub(crate) fn to_bytes(heading: &str, write: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>) -> Vec<u8> {
    let whole = || {
        let mut out = Writer::new(Vec::new(), heading)?;
        write(&mut out)?;
        out.end()
    };
    whole().expect("a vector takes all bytes")
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.hash.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The part of a checkpoint that has not been read.
pub(crate) struct Reader<R> {
    from: R,
    hash: Fnv1a,
    /// The version of the format.
    pub(crate) version: u32,
    /// False for the oldest version, which has no checksum.
    has_checksum: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the first line, which must be this one, or the same of an earlier version, from the oldest that can be read
    /// on. Its first two words are the format and its version. The oldest version has no checksum.
    pub(crate) fn new(from: R, heading: &str, oldest: u32) -> Result<Self, CheckpointError> {
        let mut own = Self { from, hash: Fnv1a::default(), version: 0, has_checksum: true };
        let found = own.line()?;
        fn parts(line: &str) -> Option<(&str, u32, &str)> {
            let (name, rest) = line.split_once(' ')?;
            let (version, rest) = rest.split_once(' ')?;
            Some((name, version.parse().ok()?, rest))
        }
        if let (Some((name, version, rest)), Some((expected, current, other))) = (parts(&found), parts(heading))
            && name == expected
            && version <= current
        {
            (own.version, own.has_checksum) = (version, version > oldest);
            if version < oldest {
                return Err(CheckpointError::Earlier);
            }
            return match rest == other {
                true => Ok(own),
                false => Err(CheckpointError::Other { found: lacking(rest, other), expected: lacking(other, rest) }),
            };
        }
        Err(CheckpointError::Foreign(found.chars().take(MAX_QUOTED).collect()))
    }

    /// A line, or as much of it as there is.
    pub(crate) fn line(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while bytes.len() < MAX_LINE && self.from.read(&mut byte)? == 1 {
            self.hash.add(&byte);
            if byte == *b"\n" {
                break;
            }
            bytes.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads `N` bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let mut bytes = [0; N];
        match self.from.read_exact(&mut bytes) {
            Ok(()) => {
                self.hash.add(&bytes);
                Ok(bytes)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(CheckpointError::Length("ends too early")),
            Err(error) => Err(error.into()),
        }
    }

    /// A whole number.
    pub(crate) fn u64(&mut self) -> Result<u64, CheckpointError> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> Result<usize, CheckpointError> {
        let number = self.u64()?;
        usize::try_from(number).ok().filter(|&number| number < end).ok_or(CheckpointError::Number(number as f64))
    }

    /// A finite number in single precision.
    pub(crate) fn f32(&mut self) -> Result<f32, CheckpointError> {
        let number = self.bytes().map(f32::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(CheckpointError::Number(f64::from(number))) }
    }

    /// A finite number.
    pub(crate) fn f64(&mut self) -> Result<f64, CheckpointError> {
        let number = self.bytes().map(f64::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(CheckpointError::Number(number)) }
    }

    /// Checks the checksum and refuses anything that follows.
    pub(crate) fn end(&mut self) -> Result<(), CheckpointError> {
        let expected = self.hash.value();
        if self.has_checksum && self.u64()? != expected {
            return Err(CheckpointError::Checksum);
        }
        if self.from.read(&mut [0])? == 0 { Ok(()) } else { Err(CheckpointError::Length("goes on after its end")) }
    }
}
