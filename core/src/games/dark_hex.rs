//! Dark Hex: Hex in which a player sees its own stones only, and learns of an opponent's stone by trying to place one
//! on it. Seat 0 connects the first row with the last, seat 1 the first column with the last. Classical and abrupt
//! rules as in B. C. Tapia, *A Study of Dark Hex*, 2022, and OpenSpiel.

use crate::actions::{Action, Actions64};
use crate::bits;
use crate::encode::Pen;
use crate::error::RulesError;
use crate::fact::{Fact, Value};
use crate::game::notation::plain_scene;
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, Turn};
use crate::list::Listing as _;
use crate::scene::{Place, Scene};
use crate::seats::{BySeat, Seat};
use crate::{DynOptions, Filter, Hints, Log, Notation, choice, options};

choice! {
    /// The rule for a player who tries a cell that the opponent holds. The player learns of the stone in either case.
    pub enum Obstruction {
        /// The player tries another cell.
        Classical = "classical",
        /// The player loses the turn.
        Abrupt = "abrupt",
    }
}

options! {
    /// The options of Dark Hex.
    #[derive(Eq, Hash)]
    pub struct Rules for "dark_hex" {
        /// Rows of the board.
        rows: u8 = 3, 1..=4;
        /// Columns of the board.
        columns: u8 = 3, 1..=4;
        /// The rule for a player who tries a cell that the opponent holds.
        obstruction: Obstruction = Obstruction::Classical, ();
    }
}

/// Sets of cells, numbered row by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// `stones[seat]`.
    stones: [u16; 2],
    /// `known[seat]`: the stones of the opponent that the seat knows of.
    known: [u16; 2],
    mover: u8,
    winner: Option<u8>,
}

/// Dark Hex under fixed rules.
#[derive(Clone, Debug)]
pub struct DarkHex {
    rules: Rules,
    cells: u8,
    info: GameInfo,
}

impl DarkHex {
    /// The neighbours of a cell, of which a board has up to six, as a set.
    fn neighbours(&self, cell: u8) -> u16 {
        let (rows, columns) = (self.rules.rows as i8, self.rules.columns as i8);
        let mut set = 0;
        for (down, right) in [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)] {
            let (row, column) = (cell as i8 / columns + down, cell as i8 % columns + right);
            if (0..rows).contains(&row) && (0..columns).contains(&column) {
                set |= 1 << (row * columns + column);
            }
        }
        set
    }

    /// Tells whether stones join the two sides of a seat.
    fn connects(&self, seat: usize, stones: u16) -> bool {
        let (rows, columns) = (self.rules.rows, self.rules.columns);
        let along = |cell: u8| if seat == 0 { (cell / columns, rows) } else { (cell % columns, columns) };
        // The stones of the first row or column, and those that join them.
        let mut reached = 0;
        for cell in bits::members(stones.into()) {
            reached |= u16::from(along(cell).0 == 0) << cell;
        }
        let mut open = reached;
        while open != 0 {
            let cell = open.trailing_zeros() as u8;
            if along(cell).0 + 1 == along(cell).1 {
                return true;
            }
            let next = self.neighbours(cell) & stones & !reached;
            reached |= next;
            open = open & (open - 1) | next;
        }
        false
    }
}

impl FromRules for DarkHex {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let cells = rules.rows * rules.columns;
        let board = usize::from(cells);
        let info = GameInfo {
            num_seats: 2,
            num_actions: board,
            num_outcomes: 0,
            // Every cell takes one stone and stops the other player once.
            max_decisions: 2 * board - 1,
            max_chance_events: 0,
            utility_range: (-1.0, 1.0),
            utility_sum: Some(0.0),
            hidden_moves: rules.obstruction == Obstruction::Classical,
            ..GameInfo::default()
        };
        Ok(Self { rules, cells, info })
    }
}

impl Game for DarkHex {
    type State = State;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        if state.winner.is_some() { Turn::Over } else { Turn::Seat(Seat(state.mover)) }
    }

    fn legal(&self, state: &State) -> Actions64 {
        let mover = usize::from(state.mover);
        let board = if state.winner.is_some() { 0 } else { (1_u32 << self.cells) - 1 };
        Actions64(u64::from(board & !u32::from(state.stones[mover] | state.known[mover])))
    }

    fn apply(&self, state: &mut State, action: Action) {
        let (mover, other) = (usize::from(state.mover), usize::from(state.mover ^ 1));
        let cell = 1 << action.0;
        let is_free = state.stones[other] & cell == 0;
        if is_free {
            state.stones[mover] |= cell;
            state.winner = self.connects(mover, state.stones[mover]).then_some(state.mover);
        } else {
            state.known[mover] |= cell;
        }
        if is_free || self.rules.obstruction == Obstruction::Abrupt {
            state.mover ^= 1;
        }
    }

    fn chance(&self, _state: &State) -> Chance {
        Chance::new()
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        BySeat::from(state.winner.map_or([0.0; 2], |winner| [[1.0, -1.0], [-1.0, 1.0]][usize::from(winner)]))
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let of = |sets: [u16; 2]| observer.seat().map_or(0, |seat| sets[seat.index()]);
        pen.field("seat", [2]).one(observer.seat().map(Seat::index));
        pen.actions("own_stones", [self.info.num_actions]).set(of(state.stones));
        pen.actions("known_stones", [self.info.num_actions]).set(of(state.known));
        pen.field("winner", [2]).one(state.winner);
    }
}

impl Notation for DarkHex {
    fn action_name(&self, cell: Action) -> String {
        format!("{}{}", char::from(b'a' + cell.0 % self.rules.columns), cell.0 / self.rules.columns + 1)
    }

    fn outcome_name(&self, _outcome: Action) -> String {
        String::new()
    }

    /// Lays out the board above the seats, with the names of columns and rows. Stones are the numbers of their seats. The
    /// fact `board` is the same as values, row by row.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let stones = |seat: usize| match perspective.map(Seat::index) {
            Some(own) if own != seat => state.known[own],
            _ => state.stones[seat],
        };
        let (first, second) = (stones(0), stones(1));
        let Rules { rows, columns, .. } = self.rules;
        let names = (0..columns).map(|column| char::from(b'a' + column).to_string()).list();
        let (mut board, mut lines) = (Vec::new(), vec![format!("  {}", names.join(" "))]);
        for row in 0..rows {
            let (mut values, mut words) = (Vec::new(), Vec::new());
            for cell in row * columns..(row + 1) * columns {
                let stone = (first | second) >> cell & 1 == 1;
                let seat = stone.then_some((first >> cell & 1 ^ 1) as u8);
                words.push(seat.map_or(".".to_string(), |seat| seat.to_string()));
                values.push(Value::from(seat));
            }
            lines.push(format!("{} {}{}", row + 1, " ".repeat(row.into()), words.join(" ")));
            board.push(Value::List(values));
        }
        let line = |text| Place { remarks: vec![text], ..Place::default() };
        let mut scene = plain_scene(self, state, perspective);
        let goals = [format!("row 1 to row {rows}"), format!("column a to column {}", names[names.len() - 1])];
        for (place, goal) in scene.places.iter_mut().zip(&goals) {
            place.remarks.insert(0, format!("goal: {goal}"));
        }
        let facts = vec![Fact::new("goal", Value::from_iter(goals)), Fact::new("board", Value::List(board))];
        let seats = std::mem::replace(&mut scene.places, lines.into_iter().map(line).list());
        scene.places.extend(seats);
        let observed = std::mem::replace(&mut scene.facts, facts);
        scene.facts.extend(observed);
        scene
    }
}

impl Hints for DarkHex {}
