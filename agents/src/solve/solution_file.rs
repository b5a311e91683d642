//! Policies in tables as bytes, for files.
//!
//! A line of text (format, game, rules, sizes and a fingerprint of the tree), a line that says where the policy is from, then the
//! probabilities of every action of every information set, eight bytes each, the lowest first. The tree is not in the file: who reads
//! it enumerates the game again, and the fingerprint tells whether information sets are numbered as they were.

use std::iter::once;

use stier_core::{ActionSet as _, Game, Options as _};
use thiserror::Error;

use crate::agent::checkpoint::{CheckpointError, Reader};
use crate::solve::game_tree::{GameTree, Policy};

const FORMAT: &str = "stier-policy 1";

/// Where a policy is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// What found it, as a word.
    pub source: String,
    /// After how many iterations.
    pub iterations: u64,
}

/// A file that is no policy, or another one's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SolutionFileError {
    /// It does not begin as it should.
    #[error("this is no policy of stier: it begins with '{0}'")]
    Format(String),
    /// It is of another tree.
    #[error("the policy is of '{found}', not of '{expected}'")]
    Other {
        /// What it is of.
        found: String,
        /// What it should be of.
        expected: String,
    },
    /// Too short, too long, or not made of probabilities.
    #[error("the policy is damaged: {0}")]
    Damaged(String),
}

/// What a policy fits.
fn heading<G: Game>(tree: &GameTree<G>) -> String {
    format!(
        "{FORMAT} {}:{} histories={} sets={} actions={} tree={:016x}",
        G::NAME,
        tree.game().rules().to_text(),
        tree.num_nodes(),
        tree.num_sets(),
        tree.num_rows(),
        tree_hash(tree)
    )
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A hash of the probabilities.
pub fn policy_hash(policy: &Policy) -> u64 {
    hash(policy.rows().iter().flat_map(|share| share.to_le_bytes()))
}

/// A hash of who may do what at each information set, one set after the other.
fn tree_hash<G: Game>(tree: &GameTree<G>) -> u64 {
    hash(tree.sets().flat_map(|set| {
        let legal = set.legal().iter().map(|action| action.0);
        once(set.seat().0).chain(legal).chain(once(u8::MAX))
    }))
}

/// The policy as bytes.
pub fn write<G: Game>(tree: &GameTree<G>, policy: &Policy, label: &Label) -> Vec<u8> {
    let text = format!("{}\n{} {}\n", heading(tree), label.iterations, label.source.replace('\n', " "));
    let mut bytes = text.into_bytes();
    bytes.extend(policy.rows().iter().flat_map(|share| share.to_le_bytes()));
    bytes
}

/// The name and the rules of the game that a policy is of: `("schwinget", "suits=2,values=2")`.
pub fn game_of(bytes: &[u8]) -> Result<(&str, &str), SolutionFileError> {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let strange = || SolutionFileError::Format(String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned());
    let game = || std::str::from_utf8(line).ok()?.strip_prefix(FORMAT)?.trim_start().split(' ').next()?.split_once(':');
    game().ok_or_else(strange)
}

/// The policy that was [written](write()), for the same tree.
pub fn read<G: Game>(tree: &GameTree<G>, bytes: &[u8]) -> Result<(Policy, Label), SolutionFileError> {
    game_of(bytes)?;
    let damaged = |what: &str| SolutionFileError::Damaged(what.to_string());
    let expected = heading(tree);
    let failed = |error| match error {
        CheckpointError::Other { found, expected } => SolutionFileError::Other { found, expected },
        other => damaged(&other.to_string()),
    };
    let mut reader = Reader::new(bytes, &expected).map_err(failed)?;
    let label = reader.line().map_err(|error| failed(error.into()))?;
    let (iterations, source) = label.split_once(' ').ok_or_else(|| damaged("it does not say where it is from"))?;
    let iterations = iterations.parse().map_err(|_| damaged("it does not say where it is from"))?;
    let shares: Vec<f64> = (0..tree.num_rows()).map(|_| reader.f64()).collect::<Result<_, _>>().map_err(failed)?;
    reader.end().map_err(failed)?;
    let mut shares = shares.into_iter();
    let rows: Vec<Vec<f64>> =
        tree.sets().map(|set| shares.by_ref().take(set.legal().len()).collect::<Vec<f64>>()).collect();
    let sound = |row: &Vec<f64>| {
        row.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-6
    };
    if let Some(set) = rows.iter().position(|row| !sound(row)) {
        return Err(damaged(&format!("the numbers of information set {set} are no probabilities")));
    }
    let mut rows = rows.into_iter();
    let policy = Policy::from_fn(tree, |_| rows.next().expect("a row for each set"));
    Ok((policy, Label { source: source.to_string(), iterations }))
}
