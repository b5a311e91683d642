//! Solvers as bytes.
//!
//! A line of text (format, game, rules, variant, sizes of the tree), then numbers, the lowest byte first: iterations, seats done in the
//! iteration in progress; regrets, sums of policies and the policy now, of every action of every information set.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use stier_core::{Game, Options as _};
use thiserror::Error;

use super::{Solver, Variant};
use crate::solve::atomic_file;
use crate::solve::game_tree::GameTree;

const FORMAT: &str = "stier-cfr 1";
/// No first line is longer.
const LONGEST: usize = 4096;

/// A checkpoint that cannot be gone on from.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("the checkpoint cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is of something else.
    #[error("the checkpoint is of '{found}', not of '{expected}'")]
    Other {
        /// What it is of.
        found: String,
        /// What it should be of.
        expected: String,
    },
    /// It is shorter or longer than it should be.
    #[error("the checkpoint {0}")]
    Length(&'static str),
    /// A number that no calculation leads to.
    #[error("the checkpoint has the number {0}, which no calculation leads to")]
    Number(f64),
}

/// What a checkpoint fits.
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
    /// Writes all that the calculation needs to [go on](Solver::read) as if nothing had been between.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", heading(self.tree, self.variant))?;
        out.write_all(&self.iterations.to_le_bytes())?;
        out.write_all(&(self.seats_done as u64).to_le_bytes())?;
        for number in [&self.regrets, &self.sums, &self.current].into_iter().flatten() {
            out.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }

    /// The solver that was [written](Solver::write), for the same tree and variant.
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
            _ => Err(CheckpointError::Length("goes on after its end")),
        }
    }

    /// Writes a file, [whole or not at all](atomic_file).
    pub fn save(&self, path: &Path) -> io::Result<()> {
        atomic_file::write(path, |out| self.write(out))
    }

    /// Reads a file that was [saved](Solver::save).
    pub fn load(tree: &'a GameTree<G>, variant: Variant, path: &Path) -> Result<Self, CheckpointError> {
        Self::read(tree, variant, &mut BufReader::new(File::open(path)?))
    }
}

/// The first line, or what there is of it.
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
