//! Where lanes are written: the caller's arrays, one row per lane.

use stier_core::{ActionSet, Encode, Game, History, Seat, encode};

use super::{Tensor, VectorError};

/// The current player of a lane whose game is over; OpenSpiel's number for it.
pub const NOBODY: i32 = -4;

/// The lengths of a lane's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Values of a tensor.
    pub tensor: usize,
    /// Actions of the game: bytes of a mask.
    pub actions: usize,
    /// Seats: rewards.
    pub seats: usize,
}

impl Shape {
    /// The lengths for a game and the tensors asked for.
    pub fn of<G: Encode>(game: &G, tensor: Tensor) -> Self {
        let layout = match tensor {
            Tensor::Observation => game.info().observation.clone(),
            Tensor::InformationState => game.information_state_layout(),
        };
        Self { tensor: encode::size(&layout), actions: game.num_actions(), seats: game.num_seats() }
    }
}

/// Room for tensors.
#[derive(Debug)]
pub enum Cells<'a> {
    /// As floats.
    Floats(&'a mut [f32]),
    /// As bytes, which observations fit exactly.
    Bytes(&'a mut [u8]),
}

impl Cells<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Floats(cells) => cells.len(),
            Self::Bytes(cells) => cells.len(),
        }
    }

    fn row(&mut self, index: usize, width: usize) -> Cells<'_> {
        let row = index * width..(index + 1) * width;
        match self {
            Self::Floats(cells) => Cells::Floats(&mut cells[row]),
            Self::Bytes(cells) => Cells::Bytes(&mut cells[row]),
        }
    }
}

/// Arrays for what a step tells, C-contiguous with the lanes first; what is `None` is not written.
#[derive(Default, Debug)]
pub struct Rows<'a> {
    /// The tensors of the current players.
    pub observation: Option<Cells<'a>>,
    /// The last tensors of games that ended in this step ([`Autoreset::SameStep`](super::Autoreset)); other rows are left as they are.
    pub final_observation: Option<Cells<'a>>,
    /// 1 for each legal action of the current player, else 0; all 1 where the action makes no difference.
    pub action_mask: Option<&'a mut [u8]>,
    /// What each seat got by the step.
    pub rewards: Option<&'a mut [f32]>,
    /// Whether the lane's game is over, or ended in this step.
    pub terminated: Option<&'a mut [bool]>,
    /// Whose turn it is, [`NOBODY`] if the game is over.
    pub current_player: Option<&'a mut [i32]>,
}

/// The first `count` of an array and the rest.
fn cut<T>(array: Option<&mut [T]>, count: usize) -> (Option<&mut [T]>, Option<&mut [T]>) {
    array.map(|array| array.split_at_mut(count)).unzip()
}

fn cut_cells(cells: Option<Cells<'_>>, count: usize) -> (Option<Cells<'_>>, Option<Cells<'_>>) {
    match cells {
        None => (None, None),
        Some(Cells::Floats(cells)) => {
            let (first, rest) = cells.split_at_mut(count);
            (Some(Cells::Floats(first)), Some(Cells::Floats(rest)))
        }
        Some(Cells::Bytes(cells)) => {
            let (first, rest) = cells.split_at_mut(count);
            (Some(Cells::Bytes(first)), Some(Cells::Bytes(rest)))
        }
    }
}

impl Rows<'_> {
    /// Whether every array has the right length for so many lanes, and can hold what it is for.
    pub(super) fn check(&self, lanes: usize, shape: &Shape, tensor: Tensor) -> Result<(), VectorError> {
        let fits = |what: &'static str, found: Option<usize>, width: usize| match found {
            Some(found) if found != lanes * width => Err(VectorError::Size { what, expected: lanes * width, found }),
            _ => Ok(()),
        };
        fits("observation", self.observation.as_ref().map(Cells::len), shape.tensor)?;
        fits("final_observation", self.final_observation.as_ref().map(Cells::len), shape.tensor)?;
        fits("action_mask", self.action_mask.as_ref().map(|array| array.len()), shape.actions)?;
        fits("rewards", self.rewards.as_ref().map(|array| array.len()), shape.seats)?;
        fits("terminated", self.terminated.as_ref().map(|array| array.len()), 1)?;
        fits("current_player", self.current_player.as_ref().map(|array| array.len()), 1)?;
        let bytes = |cells: &Option<Cells<'_>>| matches!(cells, Some(Cells::Bytes(_)));
        if tensor == Tensor::InformationState && (bytes(&self.observation) || bytes(&self.final_observation)) {
            return Err(VectorError::Bytes);
        }
        Ok(())
    }
}

impl<'a> Rows<'a> {
    /// The rows of the first lanes, and those of the others.
    pub(super) fn split(self, lanes: usize, shape: &Shape) -> (Self, Self) {
        let observation = cut_cells(self.observation, lanes * shape.tensor);
        let final_observation = cut_cells(self.final_observation, lanes * shape.tensor);
        let action_mask = cut(self.action_mask, lanes * shape.actions);
        let rewards = cut(self.rewards, lanes * shape.seats);
        let terminated = cut(self.terminated, lanes);
        let current_player = cut(self.current_player, lanes);
        let first = Self {
            observation: observation.0,
            final_observation: final_observation.0,
            action_mask: action_mask.0,
            rewards: rewards.0,
            terminated: terminated.0,
            current_player: current_player.0,
        };
        let rest = Self {
            observation: observation.1,
            final_observation: final_observation.1,
            action_mask: action_mask.1,
            rewards: rewards.1,
            terminated: terminated.1,
            current_player: current_player.1,
        };
        (first, rest)
    }

    /// What a game pays, or zeros.
    pub(super) fn write_rewards(&mut self, lane: usize, shape: &Shape, returns: Option<&[f64]>) {
        if let Some(rewards) = &mut self.rewards {
            let row = &mut rewards[lane * shape.seats..(lane + 1) * shape.seats];
            match returns {
                Some(returns) => row.iter_mut().zip(returns).for_each(|(reward, &value)| *reward = value as f32),
                None => row.fill(0.0),
            }
        }
    }

    /// Whether the lane's game is over.
    pub(super) fn write_terminated(&mut self, lane: usize, over: bool) {
        if let Some(terminated) = &mut self.terminated {
            terminated[lane] = over;
        }
    }

    /// The legal actions.
    #[inline]
    pub(super) fn write_mask<S: ActionSet>(&mut self, lane: usize, shape: &Shape, legal: S) {
        if let Some(masks) = &mut self.action_mask {
            let row = &mut masks[lane * shape.actions..(lane + 1) * shape.actions];
            row.chunks_mut(64).enumerate().for_each(|(index, row)| encode::spread(legal.word(index), row));
        }
    }

    /// The tensor of the player to act, or of who acted last.
    pub(super) fn write_observation<G: Encode>(
        &mut self,
        lane: usize,
        shape: &Shape,
        tensor: Tensor,
        game: &G,
        history: &History<G>,
        seat: Seat,
    ) {
        if let Some(cells) = &mut self.observation {
            write(tensor, game, history, seat, cells.row(lane, shape.tensor));
        }
    }

    /// The same for a game that ended.
    pub(super) fn write_final_observation<G: Encode>(
        &mut self,
        lane: usize,
        shape: &Shape,
        tensor: Tensor,
        game: &G,
        history: &History<G>,
        seat: Seat,
    ) {
        if let Some(cells) = &mut self.final_observation {
            write(tensor, game, history, seat, cells.row(lane, shape.tensor));
        }
    }
}

fn write<G: Encode>(tensor: Tensor, game: &G, history: &History<G>, seat: Seat, row: Cells<'_>) {
    match (tensor, row) {
        (Tensor::Observation, Cells::Floats(row)) => game.observation(history.state(), seat, row),
        (Tensor::Observation, Cells::Bytes(row)) => game.observation(history.state(), seat, row),
        (Tensor::InformationState, Cells::Floats(row)) => game.information_state(&game.view(history, seat), row),
        (Tensor::InformationState, Cells::Bytes(_)) => unreachable!("refused by `Rows::check`"),
    }
}

/// The number of a seat for programs.
pub(super) fn player_number(seat: Option<Seat>) -> i32 {
    seat.map_or(NOBODY, |seat| seat.0.into())
}

/// All actions of a game.
pub(super) fn every_action<G: Game>(game: &G) -> G::Actions {
    (0..game.num_actions()).fold(G::Actions::default(), |set, id| set.with(stier_core::Action(id as u8)))
}
