//! Files of policies on public states.
//!
//! The format is a line of text (format, game, rules and sizes) and a line with the source of the policy. Then come the
//! probabilities of every action of every hand with a choice, two bytes each, little-endian, in units of 1/65535; by part,
//! shape, public state and hand. The history of the run and the checksum follow. The reader enumerates the public states
//! again.

use std::io::{self, Write};
use std::sync::Arc;

use stier_core::public::PublicForm;

use super::parts::{Part, RangeTree};
use super::passes::TINY;
use super::policy::RangePolicy;
use super::shapes::Shape;
use crate::agent::checkpoint::{CheckpointError, Reader, Writer};
use crate::solve::log::{read_looks, write_looks};
use crate::solve::solution_file::{Label, SolutionFileError};

const NAME: &str = "stier-ranges-policy";
const VERSION: u32 = 1;
/// The sum of the numbers of a hand.
const WHOLE: u16 = u16::MAX;

fn heading(tree: &RangeTree, game: &str) -> String {
    let size = tree.size();
    format!("{NAME} {VERSION} {game} states={} actions={}", size.states, size.actions)
}

/// The game of a policy in these bytes: `schwinget:suits=2`; `None` if they are no such policy.
pub fn game_of_ranges(bytes: &[u8]) -> Option<&str> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let rest = std::str::from_utf8(line).ok()?.strip_prefix(NAME)?.strip_prefix(' ')?;
    Some(rest.split_once(' ')?.1.rsplit_once(" states=")?.0)
}

/// Calls `visit` for each public state and each hand with a choice: with the number of the part, and the places there.
fn each_row<E>(
    tree: &RangeTree,
    mut visit: impl FnMut(usize, &mut dyn Iterator<Item = usize>) -> Result<(), E>,
) -> Result<(), E> {
    for (number, part) in tree.all_parts().enumerate() {
        for (shape, block) in part.blocks.iter().enumerate() {
            let is_elsewhere = number == tree.parts.len() && tree.cut[shape];
            let Shape::Choice(choice) = &tree.shapes.all[shape] else { continue };
            for lane in 0..if is_elsewhere { 0 } else { block.lanes } {
                for ends in choice.cells.windows(2).filter(|ends| ends[0] < ends[1]) {
                    let cells = usize::from(ends[0])..usize::from(ends[1]);
                    visit(number, &mut cells.map(|cell| block.cells + cell * block.width + lane))?;
                }
            }
        }
    }
    Ok(())
}

/// These shares in units that add up to [`WHOLE`]: rounded down, then up where most was cut off, the first of equal ones.
fn in_units(shares: &[f64]) -> Vec<u16> {
    let sum: f64 = shares.iter().sum();
    let exact = |share: f64| {
        if sum > f64::from(TINY) { share / sum * f64::from(WHOLE) } else { f64::from(WHOLE) / shares.len() as f64 }
    };
    let exact: Vec<f64> = shares.iter().map(|&share| exact(share)).collect();
    let mut units: Vec<u16> = exact.iter().map(|share| share.floor() as u16).collect();
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let rest = WHOLE - units.iter().fold(0, |sum: u16, &share| sum.saturating_add(share));
    order.into_iter().cycle().take(usize::from(rest)).for_each(|place| units[place] += 1);
    units
}

/// Converts the policy to bytes.
pub fn write_ranges(policy: &RangePolicy, label: &Label) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, policy, label).expect("a vector takes all bytes");
    bytes
}

fn write_to(bytes: &mut Vec<u8>, policy: &RangePolicy, label: &Label) -> io::Result<()> {
    let mut out = Writer::new(bytes, &heading(policy.tree(), policy.game()))?;
    writeln!(out, "{} {}", label.iterations, label.source.replace('\n', " "))?;
    each_row(policy.tree(), |part, places| {
        let shares: Vec<f64> = places.map(|place| f64::from(policy.rows()[part][place].max(0.0))).collect();
        in_units(&shares).into_iter().try_for_each(|units| out.write_all(&units.to_le_bytes()))
    })?;
    write_looks(&label.history, &mut out)?;
    out.end()
}

/// Reads a policy that was [written](write_ranges) for this tree. `form` is the form of its game.
pub fn read_ranges(
    tree: Arc<RangeTree>,
    form: Box<dyn PublicForm>,
    game: &str,
    bytes: &[u8],
) -> Result<(RangePolicy, Label), SolutionFileError> {
    let damaged = |what: &str| SolutionFileError::Damaged(what.to_string());
    let mut reader = Reader::new(bytes, &heading(&tree, game), 0)?;
    let label = reader.line().map_err(CheckpointError::from)?;
    let (iterations, source) = label.split_once(' ').ok_or_else(|| damaged("the source is missing"))?;
    let iterations = iterations.parse().map_err(|_| damaged("the source is missing"))?;
    let mut rows: Vec<Vec<f32>> = tree.all_parts().map(|part: &Part| vec![0.0; part.num_cells]).collect();
    each_row(&tree, |part, places| {
        let mut sum = 0_u32;
        for place in places {
            let units = reader.bytes().map(u16::from_le_bytes)?;
            sum += u32::from(units);
            rows[part][place] = f32::from(units) / f32::from(WHOLE);
        }
        if sum == u32::from(WHOLE) { Ok(()) } else { Err(damaged("the numbers of a hand are not probabilities")) }
    })?;
    let history = read_looks(&mut reader)?;
    reader.end()?;
    Ok((RangePolicy::new(tree, rows, form, game), Label { source: source.to_string(), iterations, history }))
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, in_units};

    #[test]
    fn units_add_up_and_stay() {
        for shares in [vec![1.0, 1.0, 1.0], vec![0.0, 0.0], vec![0.1, 0.7, 1e-9, 0.2], vec![5.0, 0.0]] {
            let units = in_units(&shares);
            assert_eq!(units.iter().map(|&share| u32::from(share)).sum::<u32>(), u32::from(WHOLE), "{shares:?}");
            let again: Vec<f64> = units.iter().map(|&share| f64::from(f32::from(share) / f32::from(WHOLE))).collect();
            assert_eq!(in_units(&again), units);
        }
    }
}
