//! Lanes as bytes.
//!
//! A line of text (format, game, rules, opponents), then numbers, the lowest byte first: seed and calls of `sample_actions`, the number
//! of lanes; for every lane seed, episode, stage and the decisions of all players. Games are replayed from their seeds, so every
//! byte is checked.

use stier_core::{Game, Hints, Options as _, Turn};

<<<<<<< HEAD
use super::lane::{Lane, Stage};
use super::{ActionDraws, Settings, VectorError};
=======
use super::lane::{Common, Lane, Stage};
use super::{Settings, VectorError};
use crate::agent::checkpoint::{CheckpointError, Reader};
>>>>>>> main

const FORMAT: &str = "stier-lanes 1";

/// The line of a checkpoint that must be equal to be read: the lanes, but not how they are shown.
fn heading<G: Game>(game: &G, settings: &Settings) -> String {
    let opponents = settings.opponents.as_ref().map_or(String::new(), |opponents| {
        let agents: Vec<String> = opponents.agents.iter().map(ToString::to_string).collect();
        format!(" against {} from {:?}", agents.join(" "), opponents.learner)
    });
    format!("{FORMAT} {}:{}{opponents}", G::NAME, game.rules().to_text())
}

<<<<<<< HEAD
/// The checkpoint of lanes.
pub(super) fn write<G: Game>(game: &G, settings: &Settings, draws: ActionDraws, lanes: &[Lane<G>]) -> Vec<u8> {
    let mut out = heading(game, settings).into_bytes();
=======
/// Seed, calls of `sample_actions`, lanes.
pub(super) fn write<G: Game>(game: &G, settings: &Settings, seed: u64, draws: u64, lanes: &[Lane<G>]) -> Vec<u8> {
    let mut out = format!("{}\n", heading(game, settings)).into_bytes();
>>>>>>> main
    let mut number = |value: u64| out.extend(value.to_le_bytes());
    number(draws.seed);
    number(draws.calls);
    number(lanes.len() as u64);
    for lane in lanes {
        let decisions = lane.history.events().iter().filter(|event| event.turn != Turn::Chance);
        out.extend(lane.root.to_le_bytes());
        out.extend(lane.episode.to_le_bytes());
        out.push(lane.stage as u8);
        out.extend((decisions.clone().count() as u32).to_le_bytes());
        out.extend(decisions.map(|event| event.action.0));
    }
    out
}

/// The lanes that [`write`] was given.
pub(super) fn read<G: Hints>(
    game: &G,
    settings: &Settings,
    bytes: &[u8],
) -> Result<(ActionDraws, Vec<Lane<G>>), VectorError> {
    let bad = |why: String| VectorError::Checkpoint(why);
<<<<<<< HEAD
    let heading = heading(game, settings);
    let mut reader = Reader(bytes.strip_prefix(heading.as_bytes()).ok_or_else(|| {
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = &line[..line.len().min(200)];
        bad(format!("it begins with '{}', not with '{}'", String::from_utf8_lossy(line), heading.trim_end()))
    })?);
    let short = || bad("it ends too early".to_string());
    let seed = reader.number().ok_or_else(short)?;
    let calls = reader.number().ok_or_else(short)?;
    let count = reader.number().ok_or_else(short)?;
=======
    let failed = |error: CheckpointError| bad(error.to_string());
    let mut reader = Reader::new(bytes, &heading(common.game, settings)).map_err(failed)?;
    let seed = reader.u64().map_err(failed)?;
    let draws = reader.u64().map_err(failed)?;
    let count = reader.u64().map_err(failed)?;
>>>>>>> main
    if count != settings.lanes as u64 {
        return Err(bad(format!("it has {count} lanes, not {}", settings.lanes)));
    }
    let mut lane = |index: usize| {
        let root = reader.u64().map_err(failed)?;
        let episode = reader.u64().map_err(failed)?;
        let [stage] = reader.bytes().map_err(failed)?;
        let stages = [Stage::Running, Stage::Ended, Stage::Finished];
        let unknown = || bad(format!("lane {index} has the unknown stage {stage}"));
        let stage = *stages.get(usize::from(stage)).ok_or_else(unknown)?;
<<<<<<< HEAD
        let length = u32::from_le_bytes(reader.take().ok_or_else(short)?);
        let decisions = reader.slice(length as usize).ok_or_else(short)?;
        Lane::new(game, index)
            .replayed(game, settings.opponents.as_ref(), root, episode, stage, decisions)
            .ok_or_else(|| bad(format!("the decisions of lane {index} are not legal")))
    };
    let lanes = (0..settings.lanes).map(lane).collect::<Result<_, _>>()?;
    if reader.0.is_empty() {
        Ok((ActionDraws { seed, calls }, lanes))
    } else {
        Err(bad("it goes on after its end".to_string()))
    }
}

/// The bytes that have not been read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (slice, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(slice)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.slice(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
=======
        let length = u32::from_le_bytes(reader.bytes().map_err(failed)?);
        let decisions: Result<Vec<[u8; 1]>, _> = (0..length).map(|_| reader.bytes()).collect();
        Lane::replayed(common, index, (root, episode), stage, decisions.map_err(failed)?.as_flattened())
            .ok_or_else(|| bad(format!("the decisions of lane {index} make no game")))
    };
    let lanes = (0..settings.lanes).map(&mut lane).collect::<Result<_, _>>()?;
    reader.end().map_err(failed)?;
    Ok((seed, draws, lanes))
>>>>>>> main
}
