//! The state of a solver as bytes.
//!
//! The format is a line of text (format, game, rules, variant, sizes of the tree), then little-endian numbers:
//! iterations, seats done in the iteration in progress, and for every action of every information set the regrets,
//! policy sums and current policy.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use stier_core::{Game, Options as _};
use thiserror::Error;

use super::{Solver, Variant};
use crate::solve::atomic_file;
use crate::solve::game_tree::GameTree;

const FORMAT: &str = "stier-cfr 1";
/// A longer first line is not one of ours.
const LONGEST: usize = 4096;

/// An error in a checkpoint.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Reading failed.
    #[error("the checkpoint cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The checkpoint belongs to another calculation.
    #[error("the checkpoint belongs to '{found}', expected '{expected}'")]
    Other {
        /// The calculation it belongs to.
        found: String,
        /// The expected calculation.
        expected: String,
    },
    /// The checkpoint is shorter or longer than it should be.
    #[error("the checkpoint {0}")]
    Length(&'static str),
    /// A number that cannot occur.
    #[error("the checkpoint contains the invalid number {0}")]
    Number(f64),
}

/// Describes the calculations that a checkpoint fits.
fn heading<G: Game>(tree: &GameTree<G>, variant: Variant) -> String {
    format!(
        "{FORMAT} {}:{} variant={} histories={} sets={} actions={}",
        G::NAME,
        tree.game().rules().to_text(),
        variant.name(),
        tree.num_nodes(),
        tree.num_sets(),
        tree.num_rows()
    )
}

impl<'a, G: Game> Solver<'a, G> {
    /// Writes everything needed to [continue](Solver::read) with the same results.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", heading(self.tree, self.variant))?;
        out.write_all(&self.iterations.to_le_bytes())?;
        out.write_all(&(self.seats_done as u64).to_le_bytes())?;
        for number in [&self.regrets, &self.sums, &self.current].into_iter().flatten() {
            out.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }

    /// Reads a solver that was [written](Solver::write) for the same tree and variant.
    pub fn read(tree: &'a GameTree<G>, variant: Variant, from: &mut impl Read) -> Result<Self, CheckpointError> {
        let expected = heading(tree, variant);
        let found = line(from)?;
        if found != expected {
            return Err(CheckpointError::Other { found, expected });
        }
        let mut solver = Self::new(tree, variant);
        solver.iterations = number(from).map(u64::from_le_bytes)?;
        let seats_done = number(from).map(u64::from_le_bytes)?;
        if seats_done >= tree.num_seats() as u64 {
            return Err(CheckpointError::Number(seats_done as f64));
        }
        solver.seats_done = seats_done as usize;
        for place in [&mut solver.regrets, &mut solver.sums, &mut solver.current].into_iter().flatten() {
            *place = number(from).map(f64::from_le_bytes)?;
            if !place.is_finite() {
                return Err(CheckpointError::Number(*place));
            }
        }
        match from.read(&mut [0])? {
            0 => Ok(solver),
            _ => Err(CheckpointError::Length("is longer than expected")),
        }
    }

    /// Writes a file, [completely or not at all](atomic_file).
    pub fn save(&self, path: &Path) -> io::Result<()> {
        atomic_file::write(path, |out| self.write(out))
    }

    /// Reads a file that was [saved](Solver::save).
    pub fn load(tree: &'a GameTree<G>, variant: Variant, path: &Path) -> Result<Self, CheckpointError> {
        Self::read(tree, variant, &mut BufReader::new(File::open(path)?))
    }
}

/// The first line, or as much of it as there is.
fn line(from: &mut impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while bytes.len() < LONGEST && from.read(&mut byte)? == 1 && byte != *b"\n" {
        bytes.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn number(from: &mut impl Read) -> Result<[u8; 8], CheckpointError> {
    let mut bytes = [0; 8];
    match from.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(CheckpointError::Length("ends too early")),
        Err(error) => Err(error.into()),
    }
}
