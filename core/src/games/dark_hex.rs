//! Dark Hex: Hex in which a player sees its own stones only, and learns of an opponent's stone by trying to place one
//! on it. Seat 0 connects the first row with the last, seat 1 the first column with the last. Classical and abrupt
//! rules as in B. C. Tapia, *A Study of Dark Hex*, 2022, and OpenSpiel.

use crate::actions::{Action, Actions64};
use crate::encode::Pen;
use crate::error::RulesError;
use crate::fact::{Fact, Value};
use crate::game::notation::plain_scene;
use crate::game::{Chance, FromRules, Game, GameInfo, Observer, Turn};
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
    /// The neighbours of a cell, of which a board has up to six.
    fn neighbours(&self, cell: u8) -> impl Iterator<Item = u8> {
        let (rows, columns) = (self.rules.rows as i8, self.rules.columns as i8);
        let (row, column) = (cell as i8 / columns, cell as i8 % columns);
        let steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)];
        let places = steps.into_iter().map(move |(down, right)| (row + down, column + right));
        let on_board = move |&(row, column): &(i8, i8)| (0..rows).contains(&row) && (0..columns).contains(&column);
        places.filter(on_board).map(move |(row, column)| (row * columns + column) as u8)
    }

    /// Tells whether stones join the two sides of a seat.
    fn connects(&self, seat: usize, stones: u16) -> bool {
        let (rows, columns) = (self.rules.rows, self.rules.columns);
        let along = |cell: u8| if seat == 0 { (cell / columns, rows) } else { (cell % columns, columns) };
        let mut open: Vec<u8> = (0..self.cells).filter(|&cell| stones >> cell & 1 == 1 && along(cell).0 == 0).collect();
        let mut reached = open.iter().fold(0, |set, cell| set | 1 << cell);
        while let Some(cell) = open.pop() {
            if along(cell).0 + 1 == along(cell).1 {
                return true;
            }
            for next in self.neighbours(cell).filter(|next| (stones & !reached) >> next & 1 == 1).collect::<Vec<_>>() {
                reached |= 1 << next;
                open.push(next);
            }
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
        let cell = |cell: u8| [0_u8, 1].into_iter().find(|&seat| stones(seat.into()) >> cell & 1 == 1);
        let Rules { rows, columns, .. } = self.rules;
        let names: Vec<String> = (0..columns).map(|column| char::from(b'a' + column).to_string()).collect();
        let cells = |row: u8| (0..columns).map(move |column| cell(row * columns + column));
        let row = |row: u8| {
            let stones = cells(row).map(|stone| stone.map_or(".".to_string(), |seat| seat.to_string()));
            format!("{} {}{}", row + 1, " ".repeat(row.into()), stones.collect::<Vec<_>>().join(" "))
        };
        let line = |text| Place { remarks: vec![text], ..Place::default() };
        let mut scene = plain_scene(self, state, perspective);
        let goals = [format!("row 1 to row {rows}"), format!("column a to column {}", names[names.len() - 1])];
        for (place, goal) in scene.places.iter_mut().zip(&goals) {
            place.remarks.insert(0, format!("goal: {goal}"));
        }
        let board = Value::List((0..rows).map(cells).map(Value::from_iter).collect());
        scene.facts.splice(0..0, [Fact::new("goal", Value::from_iter(goals)), Fact::new("board", board)]);
        let lines = std::iter::once(format!("  {}", names.join(" "))).chain((0..rows).map(row));
        scene.places.splice(0..0, lines.map(line));
        scene
    }
}

impl Hints for DarkHex {}
