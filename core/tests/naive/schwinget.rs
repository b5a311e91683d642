//! Schwinget straight from the rules page, as plainly as possible: cards are strings, hands are lists of them, every
//! trick is remembered. It is slow and shares no code with the engine.

use std::rc::Rc;

/// A card by its name.
pub(crate) type Card = &'static str;

/// The full deck in the order of the card ids.
const FULL_DECK: [Card; 26] = [
    "G1", "G2", "G3", "G4", "G5", "G6", "R1", "R2", "R3", "R4", "R5", "R6", "B1", "B2", "B3", "B4", "B5", "B6", "Y1",
    "Y2", "Y3", "Y4", "Y5", "Y6", "KR", "BK",
];

/// Green, red, blue, yellow.
const SUITS: [char; 4] = ['G', 'R', 'B', 'Y'];

/// The options of the rules page.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    schwinger: bool,
    anytime: bool,
    utility: String,
    bouts: usize,
    hand_size: usize,
    consolation_tricks: usize,
    values: u32,
    deck: Vec<Card>,
    pile: usize,
}

impl Variant {
    /// Parses `name=value,name=value`; `None` if the pile would be odd or negative.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let get = |name: &str, default: &str| -> String {
            let given = text.split(',').filter_map(|part| part.split_once('=')).find(|(key, _)| *key == name);
            given.map_or(default, |(_, value)| value).to_string()
        };
        let number = |name: &str, default: &str| -> usize { get(name, default).parse().expect("a number") };
        let suits = &SUITS[..number("suits", "4")];
        let values = number("values", "6") as u32;
        let deck: Vec<Card> = FULL_DECK
            .into_iter()
            .filter(|&card| match card {
                "KR" => get("referee", "on") == "on",
                "BK" => get("counter", "on") == "on",
                _ => suits.contains(&suit(card).unwrap()) && value(card).unwrap() <= values,
            })
            .collect();
        let hand_size = number("hand_size", "5");
        let pile = deck.len().checked_sub(2 * hand_size + number("set_aside", "4"))?;
        if pile % 2 != 0 {
            return None;
        }
        Some(Self {
            schwinger: get("scoring", "points") == "schwinger",
            anytime: get("specials", "void_only") == "anytime",
            utility: get("utility", "margin"),
            bouts: number("bouts", "1"),
            hand_size,
            consolation_tricks: number("consolation_tricks", "3"),
            values,
            deck,
            pile,
        })
    }
}

/// The suit of a card; referee and counter have none.
fn suit(card: Card) -> Option<char> {
    if card == "KR" || card == "BK" { None } else { card.chars().next() }
}

/// The value of a card; referee and counter have none.
fn value(card: Card) -> Option<u32> {
    if card == "KR" || card == "BK" { None } else { card.chars().nth(1).and_then(|digit| digit.to_digit(10)) }
}

/// The next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// A card is dealt to a seat.
    Deal(usize),
    /// The trump card is turned up.
    TurnUp,
    /// A seat leads, or attacks first.
    Lead(usize),
    /// A seat answers.
    Follow(usize),
    /// A seat draws from the pile.
    Draw(usize),
    /// The seat that played the referee decides who leads.
    Decide(usize),
    /// The match has ended.
    Over,
}

/// A finished trick.
#[derive(Clone, Debug)]
struct Trick {
    /// `None` while a neutral trick waits in the middle.
    taker: Option<usize>,
    after_attack: bool,
}

/// One bout.
#[derive(Clone, Debug)]
struct Bout {
    opener: usize,
    hands: [Vec<Card>; 2],
    /// Unseen cards: the pile and the cards set aside.
    unseen: Vec<Card>,
    pile: usize,
    trump: Option<char>,
    attacker: Option<usize>,
    tricks_before_attack: usize,
    leader: usize,
    /// The cards of the current trick: the leader's, then the follower's.
    table: Vec<Card>,
    tricks: Vec<Trick>,
}

/// A whole match.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    variant: Rc<Variant>,
    /// In hundredths of a point.
    scores: [i32; 2],
    bouts_played: usize,
    bout: Bout,
    next: Next,
}

impl Match {
    /// The match before the first card is dealt.
    pub(crate) fn new(variant: Variant) -> Self {
        let bout = Bout::new(&variant, 0);
        Self { variant: Rc::new(variant), scores: [0, 0], bouts_played: 0, bout, next: Next::Deal(0) }
    }

    /// The next event.
    pub(crate) fn next(&self) -> Next {
        self.next
    }

    /// The names of the possible events, in the order of their ids.
    pub(crate) fn possible(&self) -> Vec<&'static str> {
        match self.next {
            Next::Deal(_) | Next::TurnUp | Next::Draw(_) => self.sorted(&self.bout.unseen),
            Next::Lead(seat) => {
                let mut names = self.sorted(&self.bout.hands[seat]);
                if self.bout.attacker.is_none() && self.bout.pile > 0 {
                    names.push("attack");
                }
                names
            }
            Next::Follow(seat) => {
                let hand = &self.bout.hands[seat];
                let allowed: Vec<Card> = hand.iter().copied().filter(|&card| self.may_follow(hand, card)).collect();
                self.sorted(&allowed)
            }
            Next::Decide(_) => vec!["lead:self", "lead:opponent"],
            Next::Over => vec![],
        }
    }

    /// The cards in the order of their ids.
    fn sorted(&self, cards: &[Card]) -> Vec<Card> {
        self.variant.deck.iter().copied().filter(|card| cards.contains(card)).collect()
    }

    /// True if this card of the hand may answer the card led.
    fn may_follow(&self, hand: &[Card], card: Card) -> bool {
        let Some(suit_led) = suit(self.bout.table[0]) else {
            return true; // referee and counter need not be followed
        };
        let is_trump = suit(card).is_some() && suit(card) == self.bout.trump;
        let is_special = card == "KR" || card == "BK";
        let can_follow = hand.iter().any(|&other| suit(other) == Some(suit_led));
        suit(card) == Some(suit_led) || is_trump || !can_follow || (is_special && self.variant.anytime)
    }

    /// Applies the event of this name.
    pub(crate) fn apply(&mut self, name: &str) {
        let name = *self.possible().iter().find(|&&possible| possible == name).expect("the event is possible");
        let bout = &mut self.bout;
        match self.next {
            Next::Deal(seat) => {
                bout.take_from_unseen(name, seat);
                let all_dealt = bout.hands.iter().all(|hand| hand.len() == self.variant.hand_size);
                self.next = if all_dealt { Next::TurnUp } else { Next::Deal(1 - seat) };
            }
            Next::TurnUp => {
                bout.unseen.retain(|&card| card != name);
                bout.trump = suit(name);
                self.next = Next::Lead(bout.leader);
            }
            Next::Lead(seat) if name == "attack" => {
                bout.attacker = Some(seat);
                bout.tricks_before_attack = bout.tricks.len();
            }
            Next::Lead(seat) | Next::Follow(seat) => {
                bout.hands[seat].retain(|&card| card != name);
                bout.table.push(name);
                if bout.attacker.is_none() && bout.pile > 0 {
                    self.next = Next::Draw(seat);
                } else {
                    self.after_playing(seat);
                }
            }
            Next::Draw(seat) => {
                bout.take_from_unseen(name, seat);
                bout.pile -= 1;
                self.after_playing(seat);
            }
            Next::Decide(seat) => {
                bout.leader = if name == "lead:self" { seat } else { 1 - seat };
                self.next = Next::Lead(bout.leader);
            }
            Next::Over => unreachable!("nothing is possible"),
        }
    }

    /// Continues after the seat has played and, if there was a card to draw, drawn.
    fn after_playing(&mut self, seat: usize) {
        if self.bout.table.len() == 1 {
            self.next = Next::Follow(1 - seat);
        } else {
            self.settle_trick();
        }
    }

    fn settle_trick(&mut self) {
        let (leader, follower) = (self.bout.leader, 1 - self.bout.leader);
        let [led, answer] = [self.bout.table[0], self.bout.table[1]];
        self.bout.table.clear();
        let number = self.bout.tricks.len() + 1;
        let is_last = number == self.tricks_in_all();
        let after_attack = self.bout.attacker.is_some();
        if !is_last && (led == "KR" || answer == "KR") {
            self.bout.tricks.push(Trick { taker: None, after_attack });
            self.next = Next::Decide(if led == "KR" { leader } else { follower });
            return;
        }
        let winner = if self.follower_wins(led, answer, is_last) { follower } else { leader };
        self.bout.tricks.push(Trick { taker: None, after_attack });
        for trick in &mut self.bout.tricks {
            if trick.taker.is_none() {
                trick.taker = Some(winner);
            }
        }
        self.bout.leader = winner;
        self.next = Next::Lead(winner);
        if is_last {
            assert!(self.bout.hands.iter().all(Vec::is_empty), "the last trick must empty both hands");
            self.finish_bout();
        }
    }

    /// The number of tricks in this bout if there is no attack from now on.
    fn tricks_in_all(&self) -> usize {
        match self.bout.attacker {
            Some(_) => self.bout.tricks_before_attack + self.variant.hand_size,
            None => self.variant.hand_size + self.variant.pile / 2,
        }
    }

    /// Applies the list "Who wins the trick", from its second point on.
    fn follower_wins(&self, led: Card, answer: Card, is_last: bool) -> bool {
        if is_last && led == "KR" {
            return true;
        }
        if is_last && answer == "KR" {
            return false;
        }
        let highest = Some(self.variant.values);
        if led == "BK" {
            return value(answer) != highest;
        }
        if answer == "BK" {
            return value(led) == highest;
        }
        if suit(led) == suit(answer) {
            return value(answer) > value(led);
        }
        suit(answer) == self.bout.trump
    }

    fn finish_bout(&mut self) {
        let bout = &self.bout;
        let tricks = [0, 1].map(|seat| bout.tricks.iter().filter(|trick| trick.taker == Some(seat)).count());
        let after: Vec<&Trick> = bout.tricks.iter().filter(|trick| trick.after_attack).collect();
        let thrower =
            [0, 1].into_iter().find(|&seat| !after.is_empty() && after.iter().all(|trick| trick.taker == Some(seat)));
        let winner = match thrower {
            Some(seat) => Some(seat),
            None if tricks[0] > tricks[1] => Some(0),
            None if tricks[1] > tricks[0] => Some(1),
            None => None,
        };
        let Some(winner) = winner else {
            let each = if self.variant.schwinger { 900 } else { 100 };
            self.scores[0] += each;
            self.scores[1] += each;
            let opener = if self.scores[0] < self.scores[1] {
                0
            } else if self.scores[1] < self.scores[0] {
                1
            } else {
                1 - bout.opener
            };
            return self.next_bout(opener);
        };
        let loser = 1 - winner;
        // Columns: schwinger winner, schwinger loser, points winner, points loser.
        let row = match (thrower.is_some(), bout.attacker) {
            (true, Some(attacker)) if attacker == winner => [1000, 850, 700, 0],
            (true, _) => [1000, 875, 500, 0],
            (false, Some(_)) => [975, 875, 300, 0],
            (false, None) => [975, 850, 200, 0],
        };
        if self.variant.schwinger {
            self.scores[winner] += row[0];
            self.scores[loser] += row[1];
        } else {
            self.scores[winner] += row[2];
            self.scores[loser] += if tricks[loser] >= self.variant.consolation_tricks { 100 } else { row[3] };
        }
        self.next_bout(loser);
    }

    fn next_bout(&mut self, opener: usize) {
        self.bouts_played += 1;
        if self.bouts_played == self.variant.bouts {
            self.next = Next::Over;
        } else {
            self.bout = Bout::new(&self.variant, opener);
            self.next = Next::Deal(0);
        }
    }

    /// The utilities at the end, zeros before it.
    pub(crate) fn returns(&self) -> [f64; 2] {
        if self.next != Next::Over {
            return [0.0, 0.0];
        }
        [0, 1].map(|seat| {
            let (own, other) = (self.scores[seat], self.scores[1 - seat]);
            match self.variant.utility.as_str() {
                "margin" => f64::from(own - other) / 100.0,
                "score" => f64::from(own) / 100.0,
                "win" if own > other => 1.0,
                "win" if own < other => -1.0,
                "win" => 0.0,
                other => panic!("unknown utility: {other}"),
            }
        })
    }
}

impl Bout {
    fn new(variant: &Variant, opener: usize) -> Self {
        Self {
            opener,
            hands: [vec![], vec![]],
            unseen: variant.deck.clone(),
            pile: variant.pile,
            trump: None,
            attacker: None,
            tricks_before_attack: 0,
            leader: opener,
            table: vec![],
            tricks: vec![],
        }
    }

    fn take_from_unseen(&mut self, card: Card, seat: usize) {
        self.unseen.retain(|&other| other != card);
        self.hands[seat].push(card);
    }
}
