//! Files of policies on public states.
//!
//! The format is a line of text (format, game, rules and sizes) and a line with the source of the policy. Then come the
//! probabilities of every action of every hand with a choice, two bytes each, little-endian, in units of 1/65535; by part,
//! shape, public state and hand. The history of the run and the checksum follow. The reader enumerates the public states
//! again.

use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::parts::{RangeTree, Spot};
use super::policy::RangePolicy;
use crate::agent::order::sorted;
use crate::solve::cfr::TINY;
use crate::solve::solution_file::{Label, SolutionFileError, damaged};

const NAME: &str = "stier-ranges-policy";
const VERSION: u32 = 1;
/// The sum of the numbers of a hand.
const WHOLE: u16 = u16::MAX;

fn heading(tree: &RangeTree) -> String {
    let size = tree.size();
    format!("{NAME} {VERSION} {} states={} actions={}", tree.game(), size.states, size.actions)
}

/// The game of a policy in these bytes: `schwinget:suits=2`; `None` if they are not such a policy.
pub fn game_of_ranges(bytes: &[u8]) -> Option<&str> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let rest = std::str::from_utf8(line).ok()?.strip_prefix(NAME)?.strip_prefix(' ')?;
    Some(rest.split_once(' ')?.1.rsplit_once(" states=")?.0)
}

/// Calls `visit` for each public state and each hand with a choice, with the places of its actions.
fn each_row<E>(tree: &RangeTree, mut visit: impl FnMut(Spot, Range<usize>) -> Result<(), E>) -> Result<(), E> {
    for part in 0..=tree.parts.len() {
        for (shape, choice, block) in tree.choices(part) {
            for lane in 0..block.lanes {
                choice.rows().try_for_each(|(_, row)| visit(Spot { shape: shape as u32, lane, part }, row))?;
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
    let order = sorted(units.len(), &mut |one, other| exact[other].fract().total_cmp(&exact[one].fract()));
    let rest = WHOLE - units.iter().fold(0, |sum: u16, &share| sum.saturating_add(share));
    order.into_iter().cycle().take(usize::from(rest)).for_each(|place| units[place] += 1);
    units
}

/// Converts the policy to bytes.
pub fn write_ranges(policy: &RangePolicy, label: &Label) -> Vec<u8> {
    label.write(&heading(policy.tree()), |out| {
        each_row(policy.tree(), |spot, row| {
            in_units(&policy.numbers(spot, row)).into_iter().try_for_each(|units| out.write_all(&units.to_le_bytes()))
        })
    })
}

/// Reads a policy that was [written](write_ranges) for this tree.
pub fn read_ranges(tree: Arc<RangeTree>, bytes: &[u8]) -> Result<(RangePolicy, Label), SolutionFileError> {
    let mut rows = tree.zeros();
    let label = Label::read(bytes, &heading(&tree), 0, 0, |reader| {
        each_row(&tree, |spot, row| {
            let (mut sum, block) = (0_u32, tree.block(spot));
            for cell in row {
                let units = reader.bytes().map(u16::from_le_bytes)?;
                sum += u32::from(units);
                rows[spot.part][block.cell(cell) + spot.lane] = f32::from(units) / f32::from(WHOLE);
            }
            if sum == u32::from(WHOLE) { Ok(()) } else { Err(damaged("the numbers of a hand are not probabilities")) }
        })
    })?;
    tree.share_evenly(&mut rows);
    Ok((RangePolicy::new(tree, rows), label))
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
