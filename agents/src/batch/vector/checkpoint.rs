//! Lanes as bytes.
//!
//! A line of text (format, game, rules, opponents, beginnings), then numbers, the lowest byte first: seed and calls of
//! `sample_actions`, the number of lanes; for every lane seed, episode, stage and the decisions of all players; then the
//! checksum. Games are replayed from their seeds.

use std::io::Write as _;

use stier_core::list::Listing as _;
use stier_core::{FullGame, Game, Turn};

use super::lane::{Lane, Stage};
use super::{ActionDraws, Barred, Opening, Settings, Span, VectorError};
use crate::agent::checkpoint::{CheckpointError, Reader, to_bytes};

const FORMAT: &str = "stier-lanes 2";
/// The oldest version that can be read.
const OLDEST: u32 = 1;

/// The line of a checkpoint that must be equal to be read: the lanes, but not how they are shown.
fn heading<G: Game>(game: &G, settings: &Settings) -> String {
    let opening = settings.opening.as_ref();
    let games = |span: &Span| format!("in {} with {}", span.share, span.decisions);
    let opening =
        opening.map_or(String::new(), |Opening { agent, span }| format!(" opened by {agent} {}", games(span)));
    let barred = settings.barred.as_ref();
    let barred =
        barred.map_or(String::new(), |Barred { action, span }| format!(" without {} {}", action.0, games(span)));
    let opponents = settings.opponents.as_ref().map_or(String::new(), |opponents| {
        let agents: Vec<String> = opponents.agents.iter().map(ToString::to_string).list();
        format!(" against {} from {:?}", agents.join(" "), opponents.learner)
    });
    format!("{FORMAT} {}:{}{opponents}{opening}{barred}", game.name(), game.rules().to_text())
}

/// The checkpoint of lanes.
pub(super) fn write<G: Game>(game: &G, settings: &Settings, draws: ActionDraws, lanes: &[Lane<G>]) -> Vec<u8> {
    to_bytes(&heading(game, settings), |out| {
        for number in [draws.seed, draws.calls, lanes.len() as u64] {
            out.write_all(&number.to_le_bytes())?;
        }
        lanes.iter().try_for_each(|lane| {
            let decisions = lane.history.events().iter().filter(|event| event.turn != Turn::Chance);
            out.write_all(&lane.root.to_le_bytes())?;
            out.write_all(&lane.episode.to_le_bytes())?;
            out.write_all(&[lane.stage as u8])?;
            out.write_all(&lane.decisions.to_le_bytes())?;
            out.write_all(&decisions.map(|event| event.action.0).list())
        })
    })
}

/// The lanes that [`write`] was given.
pub(super) fn read<G: FullGame>(
    game: &G,
    settings: &Settings,
    bytes: &[u8],
) -> Result<(ActionDraws, Vec<Lane<G>>), VectorError> {
    let bad = |why: String| VectorError::Checkpoint(why);
    let failed = |error: CheckpointError| bad(format!("it {error}"));
    let mut reader = Reader::new(bytes, &heading(game, settings), OLDEST).map_err(failed)?;
    let seed = reader.u64().map_err(failed)?;
    let calls = reader.u64().map_err(failed)?;
    let count = reader.u64().map_err(failed)?;
    if count != settings.lanes as u64 {
        return Err(bad(format!("it is of {count} environments, and there are {}", settings.lanes)));
    }
    let lane = |index: usize| {
        let root = reader.u64().map_err(failed)?;
        let episode = reader.u64().map_err(failed)?;
        let [stage] = reader.bytes().map_err(failed)?;
        let stages = [Stage::Running, Stage::Ended, Stage::Finished];
        let unknown = || bad(format!("environment {index} has the unknown stage {stage}"));
        let stage = *stages.get(usize::from(stage)).ok_or_else(unknown)?;
        let length = u32::from_le_bytes(reader.bytes().map_err(failed)?);
        let decisions: Result<Vec<[u8; 1]>, _> = (0..length).map(|_| reader.bytes()).collect();
        Lane::new(game, index)
            .replayed(game, settings, root, episode, stage, decisions.map_err(failed)?.as_flattened())
            .ok_or_else(|| bad(format!("the decisions of environment {index} are not legal")))
    };
    let lanes = (0..settings.lanes).map(lane).collect::<Result<_, _>>()?;
    reader.end().map_err(failed)?;
    Ok((ActionDraws { seed, calls }, lanes))
}
