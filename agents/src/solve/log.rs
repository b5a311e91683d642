//! The course of a run: its time, and the distances from equilibrium that were measured on the way.

use std::io::{self, Read, Write};

use crate::agent::checkpoint::{CheckpointError, Reader};

/// A measured distance from equilibrium.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// The number of finished iterations.
    pub iterations: u64,
    /// The seconds of these iterations, without building the tree, measuring and writing checkpoints.
    pub seconds: f64,
    /// The NashConv of the average policy.
    pub nash_conv: f64,
}

/// The course of a run, including the earlier parts of a continued one.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RunLog {
    /// The seconds of all iterations, as in [`Look::seconds`].
    pub seconds: f64,
    /// The measurements in order.
    pub looks: Vec<Look>,
}

/// Writes the number of measurements and then each, little-endian.
pub(crate) fn write_looks(looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    out.write_all(&(looks.len() as u64).to_le_bytes())?;
    looks.iter().try_for_each(|look| {
        out.write_all(&look.iterations.to_le_bytes())?;
        out.write_all(&look.seconds.to_le_bytes())?;
        out.write_all(&look.nash_conv.to_le_bytes())
    })
}

/// Reads what [`write_looks`] has written.
pub(crate) fn read_looks<R: Read>(reader: &mut Reader<R>) -> Result<Vec<Look>, CheckpointError> {
    let count = reader.u64()?;
    let mut look = || Ok(Look { iterations: reader.u64()?, seconds: reader.f64()?, nash_conv: reader.f64()? });
    (0..count).map(|_| look()).collect()
}
