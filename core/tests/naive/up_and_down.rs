//! Up & Down straight from the rules page, as plainly as possible: names instead of numbers, lists instead of bit
//! sets, one rule after another. It shares no code with the engine.

/// The variant.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) players: usize,
    pub(crate) rounds: usize,
    pub(crate) tie_break_rounds: usize,
    pub(crate) utility: String,
    pub(crate) die_faces: usize,
    pub(crate) hand_size: usize,
}

impl Variant {
    /// Parses `name=value,name=value`; `None` if the rules are inconsistent.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let (mut players, mut rounds, mut tie_break_rounds, mut die_faces, mut hand_size) = (4, 1, 0, 6, 0);
        let mut utility = "margin".to_string();
        for (name, value) in text.split(',').filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap()) {
            let number = || value.parse().unwrap();
            match name {
                "players" => players = number(),
                "rounds" => rounds = number(),
                "tie_break_rounds" => tie_break_rounds = number(),
                "die_faces" => die_faces = number(),
                "hand_size" => hand_size = number(),
                "utility" => utility = value.to_string(),
                other => panic!("unknown option: {other}"),
            }
        }
        let deck = 4 * (2 * die_faces - 1);
        if hand_size == 0 {
            hand_size = [15, 14, 11][players - 2];
            while hand_size * players > deck {
                hand_size -= 1;
            }
        }
        (hand_size * players <= deck).then_some(Self {
            players,
            rounds,
            tie_break_rounds,
            utility,
            die_faces,
            hand_size,
        })
    }

    fn value_letters(&self) -> Vec<char> {
        "23456789TJQ".chars().take(2 * self.die_faces - 1).collect()
    }

    fn deck(&self) -> Vec<String> {
        let values = self.value_letters();
        "DHSC".chars().flat_map(|suit| values.iter().map(move |value| format!("{suit}{value}"))).collect()
    }

    /// The sums of two dice, each with the number of ways to roll it.
    fn dice(&self) -> Vec<(usize, usize)> {
        let faces = || 1..=self.die_faces;
        let ways = |sum: usize| faces().flat_map(|a| faces().map(move |b| a + b)).filter(|&s| s == sum).count();
        (2..=2 * self.die_faces).map(|sum| (sum, ways(sum))).collect()
    }
}

/// The next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Deal(usize),
    Dice,
    Side,
    Orientation,
    Boss(usize),
    Roll,
    Card(usize),
    Over,
}

/// A game under way.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    variant: Variant,
    next: Next,
    undealt: Vec<String>,
    pub(crate) hands: Vec<Vec<String>>,
    pub(crate) face_down: Vec<Option<String>>,
    pub(crate) trump: usize,
    pub(crate) side: String,
    /// The suits that point at the four sides of the table.
    pub(crate) pointed: [char; 4],
    boss: usize,
    pub(crate) taken: Vec<usize>,
    pub(crate) pot: usize,
    pub(crate) scores: Vec<usize>,
    finished: usize,
    /// Counts of rare cases so far.
    pub(crate) coverage: Coverage,
}

/// Counts of rare cases.
#[derive(Clone, Default, Debug)]
pub(crate) struct Coverage {
    pub(crate) neutralised_trumps: u32,
    pub(crate) three_equal: u32,
    pub(crate) four_equal: u32,
    pub(crate) won_by_trump: u32,
    pub(crate) into_the_pot: u32,
    pub(crate) pots_won: u32,
    pub(crate) pots_lost: u32,
    pub(crate) clubs_at_an_empty_side: u32,
    pub(crate) tie_break_rounds: u32,
    pub(crate) later_rounds: u32,
}

impl Match {
    pub(crate) fn new(variant: Variant) -> Self {
        let players = variant.players;
        let mut new = Self {
            variant,
            next: Next::Over,
            undealt: vec![],
            hands: vec![],
            face_down: vec![],
            trump: 0,
            side: String::new(),
            pointed: ['D', 'H', 'S', 'C'],
            boss: 0,
            taken: vec![],
            pot: 0,
            scores: vec![0; players],
            finished: 0,
            coverage: Coverage::default(),
        };
        new.set_up();
        new
    }

    fn set_up(&mut self) {
        let players = self.variant.players;
        self.undealt = self.variant.deck();
        self.hands = vec![vec![]; players];
        self.face_down = vec![None; players];
        self.taken = vec![0; players];
        self.pot = 0;
        self.next = Next::Deal(0);
    }

    pub(crate) fn next(&self) -> Next {
        self.next
    }

    /// The side of the table at which a seat sits.
    fn side_of(&self, seat: usize) -> usize {
        match self.variant.players {
            2 => [0, 2][seat],
            _ => seat,
        }
    }

    fn left(&self, seat: usize) -> usize {
        (seat + 1) % self.variant.players
    }

    /// The possible events, each with its probability if chance decides and 0 otherwise.
    pub(crate) fn possible(&self) -> Vec<(String, f64)> {
        let dice = |but: usize| {
            let sums: Vec<_> = self.variant.dice().into_iter().filter(|&(sum, _)| sum != but).collect();
            let all: usize = sums.iter().map(|(_, ways)| ways).sum();
            sums.into_iter().map(|(sum, ways)| (format!("dice:{sum}"), ways as f64 / all as f64)).collect()
        };
        match self.next {
            Next::Deal(_) => self.undealt.iter().map(|card| (card.clone(), 1.0 / self.undealt.len() as f64)).collect(),
            Next::Dice => dice(0),
            Next::Side => ["up", "down"].map(|side| (side.to_string(), 0.5)).to_vec(),
            Next::Orientation => (0..4).map(|o| (format!("orient:{o}"), 0.25)).collect(),
            Next::Boss(_) => {
                ["flip", "rotate:1", "rotate:2", "rotate:3", "roll"].map(|name| (name.to_string(), 0.0)).to_vec()
            }
            Next::Roll => dice(self.trump),
            Next::Card(seat) => {
                let mut hand = self.hands[seat].clone();
                let deck = self.variant.deck();
                hand.sort_by_key(|card| deck.iter().position(|other| other == card));
                hand.into_iter().map(|card| (card, 0.0)).collect()
            }
            Next::Over => vec![],
        }
    }

    pub(crate) fn apply(&mut self, name: &str) {
        let number = || name.split_once(':').expect("a number").1.parse::<usize>().unwrap();
        self.next = match self.next {
            Next::Deal(seat) => {
                self.undealt.retain(|card| card != name);
                self.hands[seat].push(name.to_string());
                let dealt: usize = self.hands.iter().map(Vec::len).sum();
                if dealt == self.variant.hand_size * self.variant.players {
                    Next::Dice
                } else {
                    Next::Deal(self.left(seat))
                }
            }
            Next::Dice => {
                self.trump = number();
                Next::Side
            }
            Next::Side => {
                self.side = name.to_string();
                Next::Orientation
            }
            Next::Orientation => {
                self.pointed = ['D', 'H', 'S', 'C'];
                self.pointed.rotate_left(number());
                let mut side = self.pointed.iter().position(|&suit| suit == 'C').unwrap();
                let seated = |side: usize| (0..self.variant.players).find(|&seat| self.side_of(seat) == side);
                let empty = seated(side).is_none();
                while seated(side).is_none() {
                    side = (side + 1) % 4;
                }
                self.boss = seated(side).unwrap();
                self.coverage.clubs_at_an_empty_side += u32::from(empty);
                Next::Boss(self.boss)
            }
            Next::Boss(boss) if name == "roll" => {
                self.boss = boss;
                Next::Roll
            }
            Next::Boss(boss) => {
                if name == "flip" {
                    self.side = if self.side == "up" { "down" } else { "up" }.to_string();
                } else {
                    self.pointed.rotate_left(number());
                }
                Next::Card(boss)
            }
            Next::Roll => {
                self.trump = number();
                Next::Card(self.boss)
            }
            Next::Card(seat) => {
                self.hands[seat].retain(|card| card != name);
                self.face_down[seat] = Some(name.to_string());
                if self.face_down.iter().any(Option::is_none) { Next::Card(self.left(seat)) } else { self.turn_up() }
            }
            Next::Over => panic!("the game is over"),
        };
    }

    fn turn_up(&mut self) -> Next {
        let cards: Vec<String> = self.face_down.iter_mut().map(|card| card.take().unwrap()).collect();
        match self.best(&cards) {
            Some(winner) => {
                self.coverage.pots_won += u32::from(self.pot > 0);
                self.taken[winner] += 1 + self.pot;
                self.pot = 0;
            }
            None => {
                self.coverage.into_the_pot += 1;
                self.pot += 1;
            }
        }
        self.boss = self.left(self.boss);
        if !self.hands[0].is_empty() {
            return Next::Boss(self.boss);
        }
        self.coverage.pots_lost += u32::from(self.pot > 0);
        for (score, taken) in self.scores.iter_mut().zip(&self.taken) {
            *score += taken;
        }
        self.finished += 1;
        let best = *self.scores.iter().max().unwrap();
        let shared = self.scores.iter().filter(|&&score| score == best).count() > 1;
        let further = self.finished < self.variant.rounds + self.variant.tie_break_rounds && shared;
        if self.finished < self.variant.rounds || further {
            self.coverage.later_rounds += 1;
            self.coverage.tie_break_rounds += u32::from(self.finished >= self.variant.rounds);
            self.set_up();
            self.next
        } else {
            Next::Over
        }
    }

    /// The seat with the best card.
    fn best(&mut self, cards: &[String]) -> Option<usize> {
        let letters = self.variant.value_letters();
        let value = |card: &String| 2 + letters.iter().position(|&letter| card.ends_with(letter)).unwrap();
        let values: Vec<usize> = cards.iter().map(value).collect();
        let equal = |seat: usize| values.iter().filter(|&&other| other == values[seat]).count();
        self.coverage.neutralised_trumps += u32::from(values.iter().filter(|&&value| value == self.trump).count() > 1);
        self.coverage.three_equal += u32::from((0..cards.len()).any(|seat| equal(seat) == 3));
        self.coverage.four_equal += u32::from(equal(0) == 4);
        let standing: Vec<usize> = (0..cards.len()).filter(|&seat| equal(seat) == 1).collect();
        if let Some(&seat) = standing.iter().find(|&&seat| values[seat] == self.trump) {
            self.coverage.won_by_trump += 1;
            return Some(seat);
        }
        let own_suit = |seat: &usize| cards[*seat].starts_with(self.pointed[self.side_of(*seat)]);
        let suited = standing.into_iter().filter(own_suit);
        match self.side.as_str() {
            "up" => suited.max_by_key(|&seat| values[seat]),
            _ => suited.min_by_key(|&seat| values[seat]),
        }
    }

    /// Each seat's return; zeros before the end.
    pub(crate) fn returns(&self) -> Vec<f64> {
        let players = self.variant.players;
        if self.next != Next::Over {
            return vec![0.0; players];
        }
        let scores: Vec<f64> = self.scores.iter().map(|&score| score as f64).collect();
        let best = scores.iter().copied().fold(0.0, f64::max);
        let winners = scores.iter().filter(|&&score| score == best).count() as f64;
        let values: Vec<f64> = match self.variant.utility.as_str() {
            "win" => scores.iter().map(|&score| if score == best { 1.0 / winners } else { 0.0 }).collect(),
            _ => scores,
        };
        if self.variant.utility == "score" {
            return values;
        }
        let others = |seat: usize| (0..players).filter(move |&other| other != seat);
        (0..players)
            .map(|seat| values[seat] - others(seat).map(|other| values[other]).sum::<f64>() / (players - 1) as f64)
            .collect()
    }
}
