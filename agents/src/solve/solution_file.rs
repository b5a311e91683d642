//! Files of tabular policies.
//!
//! The format is a line of text (format, game, rules, sizes and a hash of the tree) and a line with the source of the
//! policy. Then come the probabilities of every action of every information set, by the set's first history, eight
//! bytes each, little-endian, the history of the run, and the checksum. The file does not contain the tree: the reader
//! enumerates the game again, and the hash shows if it has the same information sets in the same order.

use std::io::{self, Write as _};
use std::iter::once;

use stier_core::hash::fnv1a;
use thiserror::Error;

use crate::agent::checkpoint::{CheckpointError, Reader, Writer, to_bytes};
use crate::solve::game_tree::{Policy, Tree, is_distribution};
use crate::solve::log::{Look, read_looks, write_looks};

const NAME: &str = "stier-policy";
const VERSION: u32 = 3;
/// The oldest version that can be read. Version 2 has no history.
const OLDEST: u32 = 1;
const WITH_HISTORY: u32 = 3;

/// The source of a policy.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// The algorithm or agent, as a word.
    pub source: String,
    /// The number of iterations.
    pub iterations: u64,
    /// The distances from equilibrium that were measured during the run; empty if that is not known.
    pub history: Vec<Look>,
}

/// An error in a policy file.
#[derive(Debug, Error)]
pub enum SolutionFileError {
    /// The file does not begin as it should.
    #[error("this is not a stier policy: it begins with '{0}'")]
    Format(String),
    /// The policy belongs to another tree, or the file is too short or too long or contains a number that is not
    /// finite.
    #[error("the policy {0}")]
    Frame(#[from] CheckpointError),
    /// The file does not contain a source or probabilities.
    #[error("the policy is damaged: {0}")]
    Damaged(String),
}

pub(crate) fn damaged(what: &str) -> SolutionFileError {
    SolutionFileError::Damaged(what.to_string())
}

impl Label {
    /// A file with this label.
    pub(crate) fn write(&self, heading: &str, numbers: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>) -> Vec<u8> {
        to_bytes(heading, |out| {
            writeln!(out, "{} {}", self.iterations, self.source.replace('\n', " "))?;
            numbers(out)?;
            write_looks(&self.history, out)
        })
    }

    /// The label of a file. Versions from `oldest` on can be read, and those from `with_history` on have a history.
    pub(crate) fn read(
        bytes: &[u8],
        heading: &str,
        oldest: u32,
        with_history: u32,
        numbers: impl FnOnce(&mut Reader<&[u8]>) -> Result<(), SolutionFileError>,
    ) -> Result<Self, SolutionFileError> {
        let mut reader = Reader::new(bytes, heading, oldest)?;
        let line = reader.line().map_err(CheckpointError::from)?;
        let label = line.split_once(' ').and_then(|(count, source)| Some((count.parse().ok()?, source.to_string())));
        let (iterations, source) = label.ok_or_else(|| damaged("the source is missing"))?;
        numbers(&mut reader)?;
        let history = if reader.version >= with_history { read_looks(&mut reader)? } else { Vec::new() };
        reader.end()?;
        Ok(Self { source, iterations, history })
    }
}

/// Describes the trees that a policy fits.
fn heading(tree: &Tree) -> String {
    format!("{} tree={:016x}", tree.heading(&format!("{NAME} {VERSION}")), tree_hash(tree))
}

/// A hash of the probabilities.
pub(crate) fn policy_hash(policy: &Policy) -> u64 {
    fnv1a(policy.rows().iter().flat_map(|share| share.to_le_bytes()))
}

/// A hash of the seat and legal actions of each information set.
fn tree_hash(tree: &Tree) -> u64 {
    fnv1a(tree.sets_in_files().into_iter().flat_map(|set| {
        let legal = tree.actions(set).iter().map(|action| action.0);
        once(tree.mover(set).0).chain(legal).chain(once(u8::MAX))
    }))
}

/// Converts the policy to bytes.
pub fn write(tree: &Tree, policy: &Policy, label: &Label) -> Vec<u8> {
    label.write(&heading(tree), |out| {
        let mut shares = tree.sets_in_files().into_iter().flat_map(|set| policy.row(set));
        shares.try_for_each(|share| out.write_all(&share.to_le_bytes()))
    })
}

/// The name and rules of a policy's game: `("schwinget", "suits=2,values=2")`.
pub fn game_of(bytes: &[u8]) -> Result<(&str, &str), SolutionFileError> {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let strange = || SolutionFileError::Format(String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned());
    let game = || {
        let line = std::str::from_utf8(line).ok()?;
        let (version, rest) = line.strip_prefix(NAME)?.strip_prefix(' ')?.split_once(' ')?;
        (OLDEST..=VERSION).contains(&version.parse().ok()?).then_some(())?;
        // Names may have colons and blanks of their own, rules have no colons.
        rest.rsplit_once(" histories=")?.0.rsplit_once(':')
    };
    game().ok_or_else(strange)
}

/// Reads a policy that was [written](write()) for the same tree.
pub fn read(tree: &Tree, bytes: &[u8]) -> Result<(Policy, Label), SolutionFileError> {
    game_of(bytes)?;
    let mut shares = vec![0.0; tree.num_rows()];
    let label = Label::read(bytes, &heading(tree), OLDEST, WITH_HISTORY, |reader| {
        for place in tree.sets_in_files().into_iter().flat_map(|set| tree.row(set)) {
            shares[place] = reader.f64()?;
        }
        Ok(())
    })?;
    let mut shares = shares.into_iter();
    let policy = Policy::try_from_rows(tree, &mut |set| {
        let row: Vec<f64> = shares.by_ref().take(tree.width(set) as usize).collect();
        is_distribution(&row, 1e-6).then_some(row)
    });
    let wrong = |set| damaged(&format!("the numbers of information set {set} are not probabilities"));
    Ok((policy.map_err(wrong)?, label))
}
