//! The state of a solver as bytes.
//!
//! The format is a line of text (format, variant, planned iterations if the variant depends on them, game, rules, sizes of
//! the tree), then little-endian numbers:
//! iterations, seats done in the iteration in progress, and for every action of every information set, by the set's
//! first history, the regrets, policy sums and current policy; then the log of the run, and the checksum.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use super::{Solver, Variant};
use crate::agent::checkpoint::{CheckpointError, Reader, Writer};
use crate::solve::game_tree::Tree;
use crate::solve::log::{RunLog, read_looks, write_looks};

/// The oldest version that can be read. Those before [`WITH_LOG`] have no log.
const OLDEST: u32 = 2;
const WITH_LOG: u32 = 4;

/// Describes the calculations that a checkpoint fits.
fn heading(tree: &Tree, variant: Variant, planned: u64) -> String {
    tree.heading(&format!("stier-cfr 4 variant={}", variant.label(planned)))
}

/// The places in a policy, in the order of the file.
fn places(tree: &Tree) -> Vec<usize> {
    tree.sets_in_files().into_iter().flat_map(|set| tree.row(set)).collect()
}

impl<'a> Solver<'a> {
    /// Writes everything needed to [continue](Solver::read) with the same results.
    pub fn write(&self, log: &RunLog, out: &mut impl Write) -> io::Result<()> {
        let mut out = Writer::new(out, &heading(self.tree, self.variant, self.planned))?;
        out.write_all(&self.iterations.to_le_bytes())?;
        out.write_all(&(self.seats_done as u64).to_le_bytes())?;
        let rows = places(self.tree);
        for numbers in [&self.regrets, &self.sums, &self.current] {
            rows.iter().try_for_each(|&place| out.write_all(&numbers[place].to_le_bytes()))?;
        }
        out.write_all(&log.seconds.to_le_bytes())?;
        write_looks(&log.looks, &mut out)?;
        out.end().map(drop)
    }

    /// Reads a solver that was [written](Solver::write) for the same tree and variant.
    pub fn read(
        tree: &'a Tree,
        variant: Variant,
        planned: u64,
        from: &mut impl Read,
    ) -> Result<(Self, RunLog), CheckpointError> {
        let mut reader = Reader::new(from, &heading(tree, variant, planned), OLDEST)?;
        let mut solver = Self::new(tree, variant, planned);
        solver.iterations = reader.u64()?;
        solver.seats_done = reader.below(tree.num_seats())?;
        let rows = places(tree);
        for numbers in [&mut solver.regrets, &mut solver.sums, &mut solver.current] {
            for &place in &rows {
                numbers[place] = reader.f64()?;
            }
        }
        let mut log = RunLog::default();
        if reader.version >= WITH_LOG {
            log = RunLog { seconds: reader.f64()?, looks: read_looks(&mut reader)? };
        }
        reader.end()?;
        Ok((solver, log))
    }

    /// Reads a file that was [saved](super::Iterative::save).
    pub fn load(
        tree: &'a Tree,
        variant: Variant,
        planned: u64,
        path: &Path,
    ) -> Result<(Self, RunLog), CheckpointError> {
        Self::read(tree, variant, planned, &mut BufReader::new(File::open(path)?))
    }
}
