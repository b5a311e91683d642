//! Lanes as bytes.
//!
//! A line of text (format, game, rules, opponents, beginnings), then numbers, the lowest byte first: seed and calls of
//! `sample_actions`, the number of lanes; for every lane seed, episode, stage and the decisions of all players. Games
//! are replayed from their seeds, so every byte is checked.

use stier_core::{FullGame, Game, Turn};

use super::lane::{Lane, Stage};
use super::{ActionDraws, Barred, Opening, Settings, Span, VectorError};
use crate::agent::checkpoint::{CheckpointError, Reader};

const FORMAT: &str = "stier-lanes 1";

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
        let agents: Vec<String> = opponents.agents.iter().map(ToString::to_string).collect();
        format!(" against {} from {:?}", agents.join(" "), opponents.learner)
    });
    format!("{FORMAT} {}:{}{opponents}{opening}{barred}", game.name(), game.rules().to_text())
}

/// The checkpoint of lanes.
pub(super) fn write<G: Game>(game: &G, settings: &Settings, draws: ActionDraws, lanes: &[Lane<G>]) -> Vec<u8> {
    let mut out = format!("{}\n", heading(game, settings)).into_bytes();
    let mut number = |value: u64| out.extend(value.to_le_bytes());
    number(draws.seed);
    number(draws.calls);
    number(lanes.len() as u64);
    for lane in lanes {
        let decisions = lane.history.events().iter().filter(|event| event.turn != Turn::Chance);
        out.extend(lane.root.to_le_bytes());
        out.extend(lane.episode.to_le_bytes());
        out.push(lane.stage as u8);
        out.extend(lane.decisions.to_le_bytes());
        out.extend(decisions.map(|event| event.action.0));
    }
    out
}

/// The lanes that [`write`] was given.
pub(super) fn read<G: FullGame>(
    game: &G,
    settings: &Settings,
    bytes: &[u8],
) -> Result<(ActionDraws, Vec<Lane<G>>), VectorError> {
    let bad = |why: String| VectorError::Checkpoint(why);
    let failed = |error: CheckpointError| bad(format!("it {error}"));
    let mut reader = Reader::new(bytes, &heading(game, settings)).map_err(failed)?;
    let seed = reader.u64().map_err(failed)?;
    let calls = reader.u64().map_err(failed)?;
    let count = reader.u64().map_err(failed)?;
    if count != settings.lanes as u64 {
        return Err(bad(format!("it is of {count} lanes, and there are {}", settings.lanes)));
    }
    let lane = |index: usize| {
        let root = reader.u64().map_err(failed)?;
        let episode = reader.u64().map_err(failed)?;
        let [stage] = reader.bytes().map_err(failed)?;
        let stages = [Stage::Running, Stage::Ended, Stage::Finished];
        let unknown = || bad(format!("lane {index} has the unknown stage {stage}"));
        let stage = *stages.get(usize::from(stage)).ok_or_else(unknown)?;
        let length = u32::from_le_bytes(reader.bytes().map_err(failed)?);
        let decisions: Result<Vec<[u8; 1]>, _> = (0..length).map(|_| reader.bytes()).collect();
        Lane::new(game, index)
            .replayed(game, settings, root, episode, stage, decisions.map_err(failed)?.as_flattened())
            .ok_or_else(|| bad(format!("the decisions of lane {index} are not legal")))
    };
    let lanes = (0..settings.lanes).map(lane).collect::<Result<_, _>>()?;
    reader.end().map_err(failed)?;
    Ok((ActionDraws { seed, calls }, lanes))
}
