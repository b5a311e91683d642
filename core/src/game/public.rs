//! Two-player games as public states, each with the hands that the players may hold.
//!
//! A *public state* is everything that all have seen. A player's *hand* is everything else that it knows: its private
//! state. Two hands fit together if chance can deal both. Then a solver needs no histories: a public state with a probability for each hand
//! of each player, its *range*, stands for all of them.
//!
//! Hands are numbered, in each public state anew. Where a player acts, each public event says how its hands move, and
//! which hands of the other player remain. A random event that nobody chooses is a move without a choice. Chance counts
//! where the game ends: values there are multiplied by the probability that chance leads there with both hands.

use std::any::Any;

use thiserror::Error;

use crate::actions::Action;
use crate::game::Turn;
use crate::seats::Seat;

/// The number of a public state.
pub type PublicState = u32;

/// The part of a game that counts only in the end, in a form that the game knows.
pub type Score = u64;

/// The number of a change of the score.
pub type Gain = u32;

/// The reason why a game has no form as public states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum NoPublicForm {
    /// There is none for these rules. The text says what has one.
    #[error("these rules have none; {0}")]
    Rules(&'static str),
    /// The number of players.
    #[error("public states need two players, and it has {0}")]
    Seats(usize),
    /// A player may fail to notice a move.
    #[error("its moves are hidden, so that players do not always know whose turn it is, or what all have seen")]
    HiddenMoves,
    /// More histories than were allowed.
    #[error("its public states are found from its histories, of which it has more than max_histories, {0}")]
    TooMany(usize),
    /// Too many hands.
    #[error("a public state has too many hands: more than 65,535 of a player, or four million pairs at the end")]
    Hands,
    /// More than 256 events in a game.
    #[error("it has more than 256 events, and its public states are found from all histories")]
    TooLong,
    /// The legal actions of a player differ.
    #[error("the legal actions of player {0} differ in histories that it cannot tell apart")]
    OtherActions(u8),
    /// The caller stopped it.
    #[error("interrupted")]
    Stopped,
    /// More than 255 public events in one public state, or more actions of a hand.
    #[error("a public state has more than 255 public events, or a player more than 255 actions")]
    Branches,
}

/// A two-player game as public states.
pub trait PublicForm: Send + Sync {
    /// The public states in which a player acts for the first time.
    fn openings(&mut self) -> Vec<Opening>;

    /// The events of a public state, one of the openings or of those that followed an earlier one.
    fn scene(&mut self, public: PublicState) -> PublicScene;

    /// A public state from which on the same can happen, with other names of public events: the first of those that were
    /// asked for, where the game can tell, and else this one.
    fn first_alike(&mut self, public: PublicState) -> PublicState {
        public
    }

    /// The score after an event, which is a branch of the public state that led to this score, or its ending.
    fn gain(&self, score: Score, gain: Gain) -> Score;

    /// The returns of both seats at the end, times [`weight`](Self::weight).
    fn returns(&self, score: Score) -> [f64; 2];

    /// The probability of chance at the end that is counted in no opening and no branch.
    fn weight(&self, score: Score) -> f64;

    /// The number of a hand, given by its [key](Place::hand); `None` if a seat cannot hold it.
    fn hand(&self, public: PublicState, seat: Seat, key: u64) -> Option<usize>;

    /// True if an action is the same in the game, and chosen in public states alone. Else public states name suits in an
    /// order of their own, or leave out what follows once nobody has a choice.
    fn keeps_name(&self, _action: Action) -> bool {
        true
    }

    /// More about a public state than solvers need.
    fn detail(&self, public: PublicState) -> PublicDetail;

    /// Calls `visit` with each pair of hands that fit together, and the probability of chance that is counted in no opening
    /// and no branch.
    fn each_pair(&self, public: PublicState, visit: &mut dyn FnMut([usize; 2], f64));

    /// True if hands or public states that differ only by names count once.
    fn is_folded(&self) -> bool {
        false
    }

    /// The same form, without the public states that it has met if it can meet them again.
    fn fresh(&self) -> Box<dyn PublicForm>;

    /// The key of a hand, given by its number.
    fn key(&self, public: PublicState, seat: Seat, hand: usize) -> u64;

    /// The type that the game knows.
    fn as_any(&self) -> &dyn Any;
}

/// A public state in which a player acts for the first time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opening {
    /// The public state.
    pub public: PublicState,
    /// The score.
    pub score: Score,
    /// The probability that chance leads there and deals one given pair of hands that fit together.
    pub weight: f64,
    /// The random event by which openings differ.
    pub event: Option<Action>,
}

/// The events of a public state.
#[derive(Clone, PartialEq, Debug)]
pub enum PublicScene {
    /// A player acts.
    Choice(PublicChoice),
    /// Nobody has a choice any more.
    Ending(Ending),
    /// The public states that follow are left out.
    Leaf {
        /// The turn.
        turn: Turn,
        /// The number of hands of each seat.
        hands: [usize; 2],
    },
}

impl PublicScene {
    /// The turn; over where nobody has a choice any more.
    pub fn turn(&self) -> Turn {
        match self {
            Self::Choice(choice) => choice.turn,
            Self::Ending(_) => Turn::Over,
            Self::Leaf { turn, .. } => *turn,
        }
    }

    /// The public states that follow, by public event.
    pub fn branches(&self) -> &[Branch] {
        match self {
            Self::Choice(choice) => &choice.branches,
            _ => &[],
        }
    }
}

/// A public state in which a player acts. Chance acts as the first player, without a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct PublicChoice {
    /// The player, or chance.
    pub turn: Turn,
    /// The number of hands of each seat.
    pub hands: [usize; 2],
    /// By hand of the mover: the number of legal actions.
    pub widths: Vec<u8>,
    /// By hand of the mover: the hand whose policy it shares. Empty if each hand has a policy of its own.
    pub twins: Vec<Twin>,
    /// The public states that follow, by public event.
    pub branches: Vec<Branch>,
}

/// The hand whose policy a hand shares: the first of those that differ only by names that can be exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Twin {
    /// The number of the hand; of the hand itself if it stands for others.
    pub hand: u16,
    /// By rank of an action: the rank of the same action there, the first of those that differ only by names.
    pub ranks: Vec<u8>,
}

impl PublicChoice {
    /// The player whose hands move.
    pub fn mover(&self) -> Seat {
        self.turn.seat().unwrap_or(Seat(0))
    }
}

/// A public event and what follows.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The event: in Schwinget the action, else its number.
    pub event: Action,
    /// The public state that follows.
    pub public: PublicState,
    /// The change of the score.
    pub gain: Gain,
    /// The probability of one given private draw after it; 1 if there is none.
    pub weight: f64,
    /// The number of public events for which it stands: it, and those that differ from it only by names that can be
    /// exchanged. The products along a line of play are below 256.
    pub copies: u8,
    /// The changes of the mover's hands.
    pub moves: Vec<HandMove>,
    /// By hand of the other player afterwards: its number before. Then the same for each other event for which it stands.
    pub kept: Vec<u16>,
}

/// More about a public state than solvers need.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PublicDetail {
    /// By hand of the mover, and its action: the legal actions. Empty if no player acts.
    pub legal: Vec<Vec<Action>>,
    /// By branch: the actions, or outcomes of chance, that look like this event to a spectator.
    pub alike: Vec<Vec<Action>>,
}

/// A hand of the mover that takes the action, and a hand that it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HandMove {
    /// The number of the hand.
    pub from: u16,
    /// The number of the hand that follows.
    pub to: u16,
    /// The place of the action among the legal ones of the hand.
    pub rank: u8,
}

/// A public state from which on nobody has a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// The number of hands of each seat.
    pub hands: [usize; 2],
    /// The different changes of the score until the end.
    pub gains: Vec<Gain>,
    /// By hand of the first seat, then of the second: the place among the gains; `None` if the hands do not fit together.
    pub outcomes: Vec<Option<u16>>,
}

/// The place of a player's knowledge among the public states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The number of the opening.
    pub opening: usize,
    /// The public events since then.
    pub events: Vec<Action>,
    /// The hand, in a form that the game knows.
    pub hand: u64,
    /// The legal actions by rank.
    pub actions: Vec<Action>,
}
