//! Counterfactual regret minimization on public states.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::measure::{measure, pass};
use super::parts::{Part, RangeTree};
use super::passes::{Memory, Task};
use super::policy::RangePolicy;
use crate::agent::checkpoint::{CheckpointError, Reader, Writer};
use crate::agent::threads::{WatchOf, locked};
use crate::solve::best_response::NashConv;
use crate::solve::cfr::Variant;
use crate::solve::log::{RunLog, read_looks, write_looks};
use crate::solve::{Iterative, atomic_file};

/// The numbers of a calculation in one part: by action of a hand with a choice, and public state.
#[derive(Debug, Default)]
struct Rows {
    regrets: Vec<f32>,
    sums: Vec<f32>,
    /// The numbers that policies match if they are not the regrets: the regrets before the iteration, if all players update
    /// at once, or those that are expected after the next.
    matched: Option<Vec<f32>>,
}

/// A calculation in progress. Its numbers are in single precision; they are measured in double precision.
pub struct RangeSolver {
    tree: Arc<RangeTree>,
    variant: Variant,
    /// The number of planned iterations.
    planned: u64,
    iterations: u64,
    /// The number of seats done in the iteration in progress.
    seats_done: usize,
    /// By part, the top one last.
    rows: Vec<Rows>,
    /// Working memory that no thread is using.
    memory: Mutex<Vec<Memory<f32>>>,
}

impl RangeSolver {
    /// Starts from the uniform policy. Of the variants only [`Variant::Scheduled`] depends on the number of planned
    /// iterations.
    pub fn new(tree: Arc<RangeTree>, variant: Variant, planned: u64) -> Self {
        let rows = |part: &Part| {
            let zeros = || vec![0.0; part.num_cells];
            let matched = (variant.predicts() || !variant.alternates()).then(zeros);
            Rows { regrets: zeros(), sums: zeros(), matched }
        };
        let rows = tree.all_parts().map(rows).collect();
        Self { tree, variant, planned, iterations: 0, seats_done: 0, rows, memory: Mutex::default() }
    }

    /// Begins with regrets in proportion to a policy.
    #[cfg(test)]
    pub(super) fn start(&mut self, policy: &RangePolicy, scale: f32) {
        for (rows, shares) in self.rows.iter_mut().zip(&policy.rows) {
            rows.regrets.iter_mut().zip(shares).for_each(|(regret, share)| *regret = scale * share);
        }
    }

    /// The average policy so far.
    pub fn into_policy(self) -> RangePolicy {
        RangePolicy::new(self.tree, self.rows.into_iter().map(|rows| rows.sums).collect())
    }

    /// The distance of the average policy so far from an equilibrium.
    pub fn measure(&mut self) -> NashConv {
        // Room for the same in double precision.
        locked(&self.memory).clear();
        let rows: Vec<&[f32]> = self.rows.iter().map(|rows| &rows.sums[..]).collect();
        measure(&self.tree, &rows)
    }

    /// Updates a seat, from these ranges where the tree begins; its average policy only if it is wanted. Returns the values
    /// of its hands there.
    pub(super) fn learn(&mut self, seat: usize, begin: Option<[&[f32]; 2]>, has_average: bool) -> Vec<f32> {
        let (variant, planned, t) = (self.variant, self.planned, (self.iterations + 1) as f64);
        let discount = variant.discount(t, planned).map(|factor| factor as f32);
        let fading = variant.fading(t, planned) as f32;
        let tasks = self.rows.iter_mut().map(|rows| {
            let Rows { regrets, sums, matched } = rows;
            let (frozen, expected) = match matched.as_deref_mut() {
                Some(expected) if variant.predicts() => (None, Some(expected)),
                frozen => (frozen.map(|frozen| &*frozen), None),
            };
            let sums = has_average.then_some(&mut sums[..]);
            (frozen, Task::Learn { seat, regrets, sums, expected, discount, fading })
        });
        let (_, first) = pass(&self.tree, begin, tasks.collect(), &self.memory);
        first.into_iter().nth(seat).expect("there are two seats")
    }

    /// Begins the next iteration.
    pub(super) fn count(&mut self) {
        self.seats_done = 0;
        self.iterations += 1;
    }

    fn heading(&self) -> String {
        let (size, label) = (self.tree.size(), self.variant.label(self.planned));
        let game = self.tree.game();
        format!("stier-ranges 2 {game} algorithm={label} states={} actions={}", size.states, size.actions)
    }

    /// Goes on from a checkpoint of the same calculation.
    pub fn load(
        tree: Arc<RangeTree>,
        variant: Variant,
        planned: u64,
        path: &Path,
    ) -> Result<(Self, RunLog), CheckpointError> {
        let mut own = Self::new(tree, variant, planned);
        let file = io::BufReader::new(std::fs::File::open(path)?);
        let mut reader = Reader::new(file, &own.heading(), 0)?;
        // Earlier versions have the numbers at other places.
        if reader.version < 2 {
            return Err(CheckpointError::Earlier);
        }
        own.iterations = reader.u64()?;
        own.seats_done = reader.below(2)?;
        let seconds = reader.f64()?;
        for rows in &mut own.rows {
            let Rows { regrets, sums, matched } = rows;
            for numbers in [Some(regrets), Some(sums), matched.as_mut()].into_iter().flatten() {
                for number in numbers {
                    *number = reader.f32()?;
                }
            }
        }
        let looks = read_looks(&mut reader)?;
        reader.end()?;
        Ok((own, RunLog { seconds, looks }))
    }
}

impl Iterative for RangeSolver {
    fn iterations(&self) -> u64 {
        self.iterations
    }

    fn run(&mut self, iterations: u64, watch: WatchOf<'_, u64>) -> ControlFlow<()> {
        for _ in 0..iterations {
            if self.seats_done == 0 && !self.variant.alternates() {
                for Rows { regrets, matched, .. } in &mut self.rows {
                    matched.iter_mut().for_each(|frozen| frozen.copy_from_slice(regrets));
                }
            }
            for seat in self.seats_done..2 {
                watch(self.iterations)?;
                self.learn(seat, None, true);
                self.seats_done += 1;
            }
            self.count();
            watch(self.iterations)?;
        }
        ControlFlow::Continue(())
    }

    fn nash_conv(&mut self) -> f64 {
        self.measure().total()
    }

    fn save(&self, log: &RunLog, path: &Path) -> io::Result<()> {
        atomic_file::write(path, |out| {
            let mut out = Writer::new(out, &self.heading())?;
            out.write_all(&self.iterations.to_le_bytes())?;
            out.write_all(&(self.seats_done as u64).to_le_bytes())?;
            out.write_all(&log.seconds.to_le_bytes())?;
            for Rows { regrets, sums, matched } in &self.rows {
                for number in [Some(regrets), Some(sums), matched.as_ref()].into_iter().flatten().flatten() {
                    out.write_all(&number.to_le_bytes())?;
                }
            }
            write_looks(&log.looks, &mut out)?;
            out.end().map(drop)
        })
    }
}
