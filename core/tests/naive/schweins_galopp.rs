//! Schweins-Galopp straight from the rules: lists of cards, a track of cells, one step at a time. It is slow and
//! plain, so that it can be compared with the rules, and shares no code with the engine.

use std::collections::BTreeMap;

/// The options of the rules.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) players: usize,
    food: usize,
    rounds: usize,
    choice: bool,
    track_food: bool,
    utility: String,
    colours: usize,
    of_each: usize,
    hand: usize,
    track: usize,
}

impl Variant {
    /// Parses the text form of the engine's rules; `None` if the options are inconsistent.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let given: BTreeMap<&str, &str> = text.split(',').filter_map(|part| part.split_once('=')).collect();
        let number = |name: &str, default: usize| given.get(name).map_or(default, |value| value.parse().unwrap());
        let variant = Self {
            players: number("players", 4),
            food: number("food", 55),
            rounds: number("rounds", 3),
            choice: given.get("placement") == Some(&"choice"),
            track_food: given.get("track_food") == Some(&"on"),
            utility: given.get("utility").unwrap_or(&"margin").to_string(),
            colours: number("colours", 5),
            of_each: number("cards_per_colour", 7),
            hand: number("hand_size", 7),
            track: number("track", 22),
        };
        let enough_cards = variant.players * variant.hand <= variant.colours * variant.of_each;
        let enough_spaces = !variant.track_food || variant.track >= variant.colours + 4 + variant.players;
        (enough_cards && enough_spaces).then_some(variant)
    }
}

/// A space of the track.
#[derive(Clone, Copy, Default)]
struct Cell {
    pig: Option<char>,
    food: bool,
}

/// The next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    PlaceByChance,
    Place(usize),
    Lay(usize),
    Deal(usize),
    Play(usize),
    Over,
}

/// A game under way.
#[derive(Clone)]
pub(crate) struct Table {
    v: Variant,
    cells: Vec<Cell>,
    /// The distance that each pig on the track has run.
    run: BTreeMap<char, usize>,
    /// Undealt cards.
    deck: Vec<char>,
    hands: Vec<Vec<char>>,
    supply: usize,
    left: Vec<usize>,
    right: Vec<usize>,
    round: usize,
    first: usize,
    laid: usize,
    dealt: usize,
    played: usize,
    /// The effect of the last card played.
    pub(crate) last: Option<Effect>,
}

/// The effect of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) moved: usize,
    pub(crate) jumped_a_lapped_pig: bool,
    pub(crate) leads: bool,
    pub(crate) found: bool,
    pub(crate) took: bool,
    pub(crate) banked: usize,
    pub(crate) lost: usize,
}

impl Table {
    pub(crate) fn new(v: Variant) -> Self {
        let mut table = Self {
            cells: vec![],
            run: BTreeMap::new(),
            deck: vec![],
            hands: vec![],
            supply: v.food,
            left: vec![0; v.players],
            right: vec![0; v.players],
            round: 0,
            first: 0,
            laid: 0,
            dealt: 0,
            played: 0,
            last: None,
            v,
        };
        table.begin_round();
        table
    }

    fn begin_round(&mut self) {
        self.cells = vec![Cell::default(); self.v.track];
        self.run.clear();
        self.deck = self.letters().into_iter().flat_map(|letter| vec![letter; self.v.of_each]).collect();
        self.hands = vec![vec![]; self.v.players];
        self.laid = 0;
        self.dealt = 0;
        self.played = 0;
    }

    fn letters(&self) -> Vec<char> {
        "abcde".chars().take(self.v.colours).collect()
    }

    fn all_food(&self) -> usize {
        let on_track = self.cells.iter().filter(|cell| cell.food).count();
        self.supply + on_track + self.left.iter().sum::<usize>() + self.right.iter().sum::<usize>()
    }

    pub(crate) fn next(&self) -> Next {
        let cards = self.v.players * self.v.hand;
        let turn = |events: usize| (self.first + events) % self.v.players;
        if self.round == self.v.rounds {
            Next::Over
        } else if self.run.len() < self.v.colours {
            if self.v.choice { Next::Place(self.first) } else { Next::PlaceByChance }
        } else if self.v.track_food && self.laid < self.v.players && self.dealt == 0 && self.supply > 0 {
            Next::Lay(turn(self.laid))
        } else if self.dealt < cards {
            Next::Deal(turn(self.dealt))
        } else {
            Next::Play(turn(self.played))
        }
    }

    /// The possible events with their relative probabilities (1 for actions of players).
    pub(crate) fn odds(&self) -> Vec<(String, f64)> {
        match self.next() {
            Next::Over => vec![],
            Next::Place(_) | Next::PlaceByChance => {
                let left: Vec<char> = self.letters().into_iter().filter(|pig| !self.run.contains_key(pig)).collect();
                let odds = if self.v.choice { 1.0 } else { 1.0 / left.len() as f64 };
                left.into_iter().map(|pig| (format!("place:{pig}"), odds)).collect()
            }
            Next::Lay(_) => {
                let leader = self.cells.iter().rposition(|cell| cell.pig.is_some()).unwrap();
                let open = |space: &usize| {
                    let cell = self.cells[*space];
                    cell.pig.is_none() && !cell.food && !(leader + 1..=leader + 4).contains(space)
                };
                (0..self.v.track).filter(open).map(|space| (format!("food:{space}"), 1.0)).collect()
            }
            Next::Deal(_) => {
                let count = |letter: char| self.deck.iter().filter(|&&card| card == letter).count() as f64;
                let odds = |letter: char| (letter.to_string(), count(letter) / self.deck.len() as f64);
                self.letters().into_iter().map(odds).filter(|(_, odds)| *odds > 0.0).collect()
            }
            Next::Play(seat) => {
                let mut hand = self.hands[seat].clone();
                hand.sort();
                hand.dedup();
                hand.into_iter().map(|card| (card.to_string(), 1.0)).collect()
            }
        }
    }

    pub(crate) fn possible(&self) -> Vec<String> {
        self.odds().into_iter().map(|(name, _)| name).collect()
    }

    pub(crate) fn apply(&mut self, name: &str) {
        let letter = name.chars().last().unwrap();
        match self.next() {
            Next::Over => panic!("the game is over"),
            Next::Place(_) | Next::PlaceByChance => {
                let space = self.v.colours - 1 - self.run.len();
                self.cells[space].pig = Some(letter);
                self.run.insert(letter, space);
            }
            Next::Lay(_) => {
                let space: usize = name.strip_prefix("food:").unwrap().parse().unwrap();
                self.cells[space].food = true;
                self.supply -= 1;
                self.laid += 1;
            }
            Next::Deal(seat) => {
                let place = self.deck.iter().position(|&card| card == letter).unwrap();
                self.hands[seat].push(self.deck.remove(place));
                self.dealt += 1;
            }
            Next::Play(seat) => self.play(seat, letter),
        }
        assert_eq!(self.all_food(), self.v.food, "the amount of food must not change");
    }

    fn play(&mut self, seat: usize, card: char) {
        let place = self.hands[seat].iter().position(|&held| held == card).unwrap();
        self.hands[seat].remove(place);
        self.played += 1;

        // The pig goes from space to space until one is free.
        let from = self.cells.iter().position(|cell| cell.pig == Some(card)).unwrap();
        let mut space = from;
        let mut moved = 0;
        let mut jumped_a_lapped_pig = false;
        loop {
            space = if space + 1 == self.v.track { 0 } else { space + 1 };
            moved += 1;
            let Some(other) = self.cells[space].pig else { break };
            jumped_a_lapped_pig |= self.run[&other] < self.run[&card];
        }
        self.cells[from].pig = None;
        self.cells[space].pig = Some(card);
        *self.run.get_mut(&card).unwrap() += moved;

        let leads = self.run.iter().all(|(&pig, &run)| pig == card || run < self.run[&card]);
        let found = std::mem::take(&mut self.cells[space].food);
        self.left[seat] += usize::from(found);
        let took = leads && self.supply > 0;
        if took {
            self.supply -= 1;
            self.left[seat] += 1;
        }
        let (mut banked, mut lost) = (0, 0);
        if self.hands[seat].is_empty() {
            let risk = std::mem::take(&mut self.left[seat]);
            if leads {
                banked = risk;
                self.right[seat] += risk;
            } else {
                lost = risk;
                self.supply += risk;
            }
        }
        self.last = Some(Effect { moved, jumped_a_lapped_pig, leads, found, took, banked, lost });

        if self.hands.iter().all(Vec::is_empty) {
            self.supply += self.cells.iter().filter(|cell| cell.food).count();
            self.round += 1;
            self.first = (self.first + 1) % self.v.players;
            if self.round < self.v.rounds {
                self.begin_round();
            } else {
                self.cells.iter_mut().for_each(|cell| cell.food = false);
            }
        }
    }

    /// Each seat's banked food.
    pub(crate) fn banked(&self) -> &[usize] {
        &self.right
    }

    /// Each seat's food at risk.
    pub(crate) fn at_risk(&self) -> &[usize] {
        &self.left
    }

    pub(crate) fn supply(&self) -> usize {
        self.supply
    }

    /// Each seat's return; 0 before the end.
    pub(crate) fn returns(&self) -> Vec<f64> {
        if self.next() != Next::Over {
            return vec![0.0; self.v.players];
        }
        let scores: Vec<f64> = self.right.iter().map(|&food| food as f64).collect();
        let most = scores.iter().copied().fold(0.0, f64::max);
        let winners = scores.iter().filter(|&&score| score == most).count() as f64;
        let values: Vec<f64> = match self.v.utility.as_str() {
            "win" => scores.iter().map(|&score| if score == most { 1.0 / winners } else { 0.0 }).collect(),
            _ => scores,
        };
        if self.v.utility == "score" {
            return values;
        }
        (0..values.len())
            .map(|own| {
                let others: Vec<f64> = (0..values.len()).filter(|&seat| seat != own).map(|seat| values[seat]).collect();
                values[own] - others.iter().sum::<f64>() / others.len() as f64
            })
            .collect()
    }
}
