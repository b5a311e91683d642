//! The caller's arrays, with one row per lane.

use stier_core::{ActionSet, FullGame, Game, History, Seat, encode};

use super::error::check_size;
use super::{Settings, TensorKind, VectorError};

/// The current player of a lane whose game is over; OpenSpiel's number for it.
pub const NOBODY: i32 = -4;

/// The lengths of a lane's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Values of a tensor, beliefs included.
    pub tensor: usize,
    /// The number of the last values that are beliefs.
    pub beliefs: usize,
    /// Actions of the game: bytes of a mask.
    pub actions: usize,
    /// Seats: rewards.
    pub seats: usize,
}

impl Shape {
    /// The lengths for a game and lanes with these settings.
    pub fn of<G: FullGame>(game: &G, settings: &Settings) -> Self {
        let layout = match settings.tensor {
            TensorKind::Observation => game.observation_layout(),
            TensorKind::InformationState => game.information_state_layout(),
        };
        // A belief is one value for each other seat and card.
        let beliefs = settings.beliefs.as_ref().map_or(0, |_| (game.num_seats() - 1) * game.cards().len());
        let tensor = encode::size(&layout) + beliefs;
        Self { tensor, beliefs, actions: game.num_actions(), seats: game.num_seats() }
    }
}

/// An array for tensors.
#[derive(Debug)]
pub enum Cells<'a> {
    /// As floats.
    Floats(&'a mut [f32]),
    /// As bytes, which observations fit exactly.
    Bytes(&'a mut [u8]),
}

impl<'a> Cells<'a> {
    fn len(&self) -> usize {
        match self {
            Self::Floats(cells) => cells.len(),
            Self::Bytes(cells) => cells.len(),
        }
    }

    /// Cuts off the first cells.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> Self {
        match self {
            Self::Floats(cells) => Self::Floats(cells.split_off_mut(..count).unwrap_or_default()),
            Self::Bytes(cells) => Self::Bytes(cells.split_off_mut(..count).unwrap_or_default()),
        }
    }

    /// Overwrites the cells with zeros.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        match self {
            Self::Floats(cells) => cells.fill(0.0),
            Self::Bytes(cells) => cells.fill(0),
        }
    }

    /// Overwrites the cells with the observations of these seats in these states, one after the other.
    pub fn observe<G: Game>(self, game: &G, shown: impl Iterator<Item = (G::State, Seat)>) {
        let width = encode::size(&game.observation_layout());
        match self {
            Self::Floats(cells) => shown
                .zip(cells.chunks_exact_mut(width))
                .for_each(|((state, seat), row)| game.observation(&state, seat, row)),
            Self::Bytes(cells) => shown
                .zip(cells.chunks_exact_mut(width))
                .for_each(|((state, seat), row)| game.observation(&state, seat, row)),
        }
    }

    /// Writes the tensor of one seat.
    #[inline(always)]
    pub(super) fn write<G: Game>(&mut self, tensor: TensorKind, game: &G, history: &History<G>, seat: Seat) {
        match (tensor, self) {
            (TensorKind::Observation, Cells::Floats(row)) => game.observation(history.state(), seat, row),
            (TensorKind::Observation, Cells::Bytes(row)) => game.observation(history.state(), seat, row),
            (TensorKind::InformationState, Cells::Floats(row)) => {
                game.information_state(&game.view(history, seat), row)
            }
            (TensorKind::InformationState, Cells::Bytes(_)) => unreachable!("refused by `Rows::check`"),
        }
    }
}

/// The arrays that a step writes, C-contiguous with the lanes first. Arrays that are `None` are not written.
#[derive(Default, Debug)]
pub struct Rows<'a> {
    /// The tensors of the current players.
    pub observation: Option<Cells<'a>>,
    /// The last tensors of games that ended in this step ([`Autoreset::SameStep`](super::Autoreset)); other rows are
    /// left as they are.
    pub final_observation: Option<Cells<'a>>,
    /// 1 for each legal action of the current player, else 0; all 1 if the lane ignores its action.
    pub action_mask: Option<&'a mut [u8]>,
    /// The rewards of each seat.
    pub rewards: Option<&'a mut [f32]>,
    /// True if the lane's game is over, or ended in this step.
    pub terminated: Option<&'a mut [bool]>,
    /// The seat that is to act, [`NOBODY`] if the game is over.
    pub current_player: Option<&'a mut [i32]>,
}

/// Cuts off the first values of an array.
#[inline(always)]
fn take<'a, T>(array: &mut Option<&'a mut [T]>, count: usize) -> Option<&'a mut [T]> {
    array.as_mut()?.split_off_mut(..count)
}

impl Rows<'_> {
    /// Refuses arrays of the wrong length for the lanes, and bytes where tensors need floats.
    pub(super) fn check(&self, lanes: usize, shape: &Shape, settings: &Settings) -> Result<(), VectorError> {
        let fits =
            |what, found: Option<usize>, width| found.map_or(Ok(()), |found| check_size(what, lanes * width, found));
        fits("observation", self.observation.as_ref().map(Cells::len), shape.tensor)?;
        fits("final_observation", self.final_observation.as_ref().map(Cells::len), shape.tensor)?;
        fits("action_mask", self.action_mask.as_ref().map(|array| array.len()), shape.actions)?;
        fits("rewards", self.rewards.as_ref().map(|array| array.len()), shape.seats)?;
        fits("terminated", self.terminated.as_ref().map(|array| array.len()), 1)?;
        fits("current_player", self.current_player.as_ref().map(|array| array.len()), 1)?;
        let bytes = |cells: &Option<Cells<'_>>| matches!(cells, Some(Cells::Bytes(_)));
        match bytes(&self.observation) || bytes(&self.final_observation) {
            true if settings.tensor == TensorKind::InformationState => Err(VectorError::Bytes),
            true if settings.beliefs.is_some() => Err(VectorError::Beliefs),
            _ => Ok(()),
        }
    }
}

impl<'a> Rows<'a> {
    /// Cuts off the rows of the first lanes.
    #[inline(always)]
    pub(super) fn take(&mut self, lanes: usize, shape: &Shape) -> Self {
        Self {
            observation: self.observation.as_mut().map(|cells| cells.take(lanes * shape.tensor)),
            final_observation: self.final_observation.as_mut().map(|cells| cells.take(lanes * shape.tensor)),
            action_mask: take(&mut self.action_mask, lanes * shape.actions),
            rewards: take(&mut self.rewards, lanes * shape.seats),
            terminated: take(&mut self.terminated, lanes),
            current_player: take(&mut self.current_player, lanes),
        }
    }

    /// Writes the returns of a game, or zeros.
    #[inline]
    pub(super) fn write_rewards(&mut self, returns: Option<&[f64]>) {
        if let Some(row) = &mut self.rewards {
            match returns {
                Some(returns) => row.iter_mut().zip(returns).for_each(|(reward, &value)| *reward = value as f32),
                None => row.fill(0.0),
            }
        }
    }

    #[inline]
    pub(super) fn write_terminated(&mut self, is_over: bool) {
        if let Some(terminated) = &mut self.terminated {
            terminated[0] = is_over;
        }
    }

    #[inline]
    pub(super) fn write_mask<S: ActionSet>(&mut self, legal: S) {
        if let Some(row) = &mut self.action_mask {
            row.chunks_mut(64).enumerate().for_each(|(index, row)| encode::spread(legal.word(index), row));
        }
    }
}

/// The number of a seat in the arrays.
pub(super) fn player_number(seat: Option<Seat>) -> i32 {
    seat.map_or(NOBODY, |seat| seat.0.into())
}

/// All actions of a game.
pub(super) fn every_action<G: Game>(game: &G) -> G::Actions {
    (0..game.num_actions()).fold(G::Actions::default(), |set, id| set.with(stier_core::Action(id as u8)))
}
