//! Schwimmen as naively as the rules read: lists of cards, strings for actions, no tables, no bit sets.

use std::collections::HashMap;

/// Suit and rank, both by their letters.
pub(crate) type Card = (char, char);

const SUITS: &str = "DHSC";
const RANKS: &str = "789TJQKA";

/// The place of a card in the order of the deck.
fn place(card: Card) -> (usize, usize) {
    (SUITS.find(card.0).unwrap(), RANKS.find(card.1).unwrap())
}

fn name(card: Card) -> String {
    format!("{}{}", card.0, card.1)
}

fn points(card: Card) -> i32 {
    match card.1 {
        'A' => 11,
        'T' | 'J' | 'Q' | 'K' => 10,
        digit => digit.to_digit(10).unwrap() as i32,
    }
}

/// The options by name, as text, with defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct Variant(HashMap<String, String>);

impl Variant {
    /// The variant given by an options text, or `None` if the options are inconsistent. Each value must be valid.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let defaults = "players=3,three_of_a_kind=off,dealer_swap=blind,max_turns=60,play=deal,dealer=last,max_deals=200,\
                        utility=stakes,suits=4,ranks=8";
        let mut options = HashMap::new();
        for part in defaults.split(',').chain(text.split(',').filter(|part| !part.is_empty())) {
            let (key, value) = part.split_once('=').unwrap();
            options.insert(key.to_string(), value.to_string());
        }
        let variant = Self(options);
        let fits = variant.deck().len() >= 3 * variant.number("players") + 3 + variant.number("players");
        let dealer = variant.0["dealer"] == "last" || variant.number("dealer") < variant.number("players");
        (fits && dealer).then_some(variant)
    }

    fn number(&self, key: &str) -> usize {
        self.0[key].parse().unwrap()
    }

    fn is(&self, key: &str, value: &str) -> bool {
        self.0[key] == value
    }

    fn deck(&self) -> Vec<Card> {
        let lowest = 8 - self.number("ranks");
        let suits = || SUITS.chars().take(self.number("suits"));
        suits().flat_map(|suit| RANKS.chars().skip(lowest).map(move |rank| (suit, rank))).collect()
    }

    /// Points of a hand, doubled because of the half point.
    pub(crate) fn worth(&self, hand: &[Card]) -> i32 {
        let same_rank = hand.iter().all(|card| card.1 == hand[0].1);
        if same_rank && hand[0].1 == 'A' {
            return 999;
        }
        let suit_sum = |suit| 2 * hand.iter().filter(|card| card.0 == suit).map(|&card| points(card)).sum::<i32>();
        let best = SUITS.chars().map(suit_sum).max().unwrap();
        if same_rank && self.is("three_of_a_kind", "on") { best.max(61) } else { best }
    }
}

/// The next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Chance deals a card to this seat, to the table, to the table again, or to this seat in a cut.
    DealTo(usize),
    DealTable,
    Renew,
    CutBy(usize),
    /// This seat acts.
    Swap(usize),
    Turn(usize),
    Give(usize),
    Over,
}

#[derive(Clone, Debug)]
pub(crate) struct Match {
    variant: Variant,
    pub(crate) next: Next,
    hands: Vec<Vec<Card>>,
    table: Vec<Card>,
    away: Vec<Card>,
    pile: Vec<Card>,
    taken: Option<Card>,
    dealer: usize,
    turns: usize,
    without_exchange: usize,
    /// Turns that are left after a knock.
    last_turns: Option<usize>,
    cutting: Vec<(usize, Option<Card>)>,
    stakes: Vec<i32>,
    is_in: Vec<bool>,
    deals: usize,
    deal_loser: Option<usize>,
    /// Players in the order in which they sank.
    sunk: Vec<usize>,
}

impl Match {
    pub(crate) fn new(variant: Variant) -> Self {
        let players = variant.number("players");
        let dealer = if variant.is("dealer", "last") { players - 1 } else { variant.number("dealer") };
        let mut new = Self {
            variant,
            next: Next::Over,
            hands: vec![],
            table: vec![],
            away: vec![],
            pile: vec![],
            taken: None,
            dealer,
            turns: 0,
            without_exchange: 0,
            last_turns: None,
            cutting: vec![],
            stakes: vec![3; players],
            is_in: vec![true; players],
            deals: 0,
            deal_loser: None,
            sunk: vec![],
        };
        new.start_deal();
        new
    }

    fn players(&self) -> usize {
        self.stakes.len()
    }

    fn start_deal(&mut self) {
        self.hands = vec![vec![]; self.players()];
        self.table.clear();
        self.away.clear();
        self.pile = self.variant.deck();
        self.turns = 0;
        self.without_exchange = 0;
        self.last_turns = None;
        self.cutting.clear();
        self.deal_loser = None;
        self.next = Next::DealTo(self.left_of(self.dealer));
    }

    fn left_of(&self, seat: usize) -> usize {
        let mut left = (seat + 1) % self.players();
        while !self.is_in[left] {
            left = (left + 1) % self.players();
        }
        left
    }

    /// The seats still in, from the dealer's left.
    fn round(&self) -> Vec<usize> {
        let mut seats = vec![self.left_of(self.dealer)];
        loop {
            let next = self.left_of(*seats.last().unwrap());
            if next == seats[0] {
                return seats;
            }
            seats.push(next);
        }
    }

    fn may_knock(&self) -> bool {
        self.last_turns.is_none() && self.turns >= self.round().len()
    }

    /// The possible events, in the order of ids.
    pub(crate) fn possible(&self) -> Vec<String> {
        let sorted = |cards: &[Card], prefix: &str| {
            let mut cards = cards.to_vec();
            cards.sort_by_key(|&card| place(card));
            cards.into_iter().map(|card| format!("{prefix}{}", name(card))).collect::<Vec<_>>()
        };
        match self.next {
            Next::DealTo(_) | Next::DealTable | Next::Renew | Next::CutBy(_) => sorted(&self.pile, ""),
            Next::Swap(_) => vec!["keep".into(), "swap".into()],
            Next::Give(seat) => sorted(&self.hands[seat], "give:"),
            Next::Turn(_) => {
                let mut actions = sorted(&self.table, "take:");
                actions.extend(["swap_all".to_string(), "push".to_string()]);
                if self.may_knock() {
                    actions.push("knock".into());
                }
                actions
            }
            Next::Over => vec![],
        }
    }

    fn draw(&mut self, text: &str) -> Card {
        let index = self.pile.iter().position(|&card| name(card) == text).expect("the pile has the card");
        self.pile.remove(index)
    }

    pub(crate) fn apply(&mut self, text: &str) {
        match self.next {
            Next::DealTo(seat) => {
                let card = self.draw(text);
                self.hands[seat].push(card);
                let complete = seat == self.dealer && self.hands[seat].len() == 3;
                self.next = if complete { Next::DealTable } else { Next::DealTo(self.left_of(seat)) };
            }
            Next::DealTable => {
                let card = self.draw(text);
                self.table.push(card);
                if self.table.len() == 3 {
                    if self.variant.is("dealer_swap", "off") {
                        self.first_turn();
                    } else {
                        self.next = Next::Swap(self.dealer);
                    }
                }
            }
            Next::Swap(seat) => {
                if text == "swap" {
                    (self.hands[seat], self.table) = (self.table.clone(), self.hands[seat].clone());
                }
                self.first_turn();
            }
            Next::Turn(seat) => match text {
                "push" => self.end_turn(seat, false),
                "knock" => {
                    self.last_turns = Some(self.round().len());
                    self.end_turn(seat, false);
                }
                "swap_all" => {
                    (self.hands[seat], self.table) = (self.table.clone(), self.hands[seat].clone());
                    self.end_turn(seat, true);
                }
                take => {
                    let card = take.strip_prefix("take:").unwrap();
                    let index = self.table.iter().position(|&c| name(c) == card).unwrap();
                    self.taken = Some(self.table.remove(index));
                    self.next = Next::Give(seat);
                }
            },
            Next::Give(seat) => {
                let card = text.strip_prefix("give:").unwrap();
                let index = self.hands[seat].iter().position(|&c| name(c) == card).unwrap();
                let given = self.hands[seat].remove(index);
                self.table.push(given);
                self.hands[seat].push(self.taken.take().unwrap());
                self.end_turn(seat, true);
            }
            Next::Renew => {
                let card = self.draw(text);
                self.table.push(card);
                if self.table.len() == 3 {
                    let after = self.dealer_relative_turn();
                    self.next = Next::Turn(after);
                }
            }
            Next::CutBy(seat) => self.cut(seat, text),
            Next::Over => panic!("the game is over"),
        }
    }

    /// The seat to act, from the number of turns played.
    fn dealer_relative_turn(&self) -> usize {
        let round = self.round();
        round[self.turns % round.len()]
    }

    fn stops_the_deal(&self, seat: usize) -> bool {
        self.is_in[seat] && self.variant.worth(&self.hands[seat]) >= 62
    }

    fn first_turn(&mut self) {
        if (0..self.players()).any(|seat| self.stops_the_deal(seat)) {
            self.show();
        } else {
            self.next = Next::Turn(self.left_of(self.dealer));
        }
    }

    fn end_turn(&mut self, seat: usize, exchanged: bool) {
        self.turns += 1;
        self.without_exchange = if exchanged { 0 } else { self.without_exchange + 1 };
        if let Some(left) = &mut self.last_turns {
            *left -= 1;
        }
        let out_of_turns = self.last_turns == Some(0) || self.turns == self.variant.number("max_turns");
        if exchanged && self.stops_the_deal(seat) || out_of_turns {
            self.show();
            return;
        }
        self.next = Next::Turn(self.dealer_relative_turn());
        if self.without_exchange == self.round().len() {
            self.without_exchange = 0;
            self.away.append(&mut self.table);
            if self.pile.len() < 3 {
                self.pile.append(&mut self.away);
            }
            self.next = Next::Renew;
        }
    }

    fn show(&mut self) {
        let worth = |seat: &usize| self.variant.worth(&self.hands[*seat]);
        let lowest = self.round().iter().map(worth).min().unwrap();
        let tied: Vec<usize> = self.round().into_iter().filter(|seat| worth(seat) == lowest).collect();
        self.settle(tied);
    }

    /// Ends the deal with one loser, or starts a cut between these seats.
    fn settle(&mut self, tied: Vec<usize>) {
        if tied.len() == 1 {
            self.lose(tied[0]);
            return;
        }
        self.cutting = tied.into_iter().map(|seat| (seat, None)).collect();
        self.next_to_cut();
    }

    fn next_to_cut(&mut self) {
        let waiting = self.cutting.iter().find(|(_, card)| card.is_none()).unwrap();
        self.next = Next::CutBy(waiting.0);
        if self.pile.is_empty() {
            self.pile.append(&mut self.away);
        }
    }

    fn cut(&mut self, seat: usize, text: &str) {
        let card = self.draw(text);
        self.cutting.iter_mut().find(|(cutter, _)| *cutter == seat).unwrap().1 = Some(card);
        if self.cutting.iter().any(|(_, card)| card.is_none()) {
            self.next_to_cut();
            return;
        }
        let cards: Vec<(usize, Card)> = self.cutting.iter().map(|&(seat, card)| (seat, card.unwrap())).collect();
        let lowest = cards.iter().map(|&(_, card)| place(card).1).min().unwrap();
        let tied: Vec<(usize, Card)> = cards.into_iter().filter(|&(_, card)| place(card).1 == lowest).collect();
        if self.pile.len() + self.away.len() < tied.len() {
            let lowest_suit = tied.iter().min_by_key(|(_, card)| place(*card).0).unwrap();
            self.lose(lowest_suit.0);
        } else {
            self.settle(tied.into_iter().map(|(seat, _)| seat).collect());
        }
    }

    fn lose(&mut self, loser: usize) {
        self.deals += 1;
        self.deal_loser = Some(loser);
        self.next = Next::Over;
        if self.variant.is("play", "deal") {
            return;
        }
        let mut dealer = loser;
        if self.stakes[loser] > 0 {
            self.stakes[loser] -= 1;
        } else {
            self.is_in[loser] = false;
            self.sunk.push(loser);
            dealer = self.left_of(loser);
        }
        if self.sunk.len() + 1 < self.players() && self.deals < self.variant.number("max_deals") {
            self.dealer = dealer;
            self.start_deal();
        }
    }

    /// Stakes won minus stakes paid in.
    fn stakes_won(&self) -> Vec<f64> {
        let mut purse: Vec<f64> = self.stakes.iter().map(|&stakes| stakes as f64).collect();
        let mut pot = 3.0 * self.players() as f64 - purse.iter().sum::<f64>();
        let left: Vec<usize> = (0..self.players()).filter(|&seat| self.is_in[seat]).collect();
        if left.len() == 1 && self.players() > 2 {
            pot -= 3.0;
            purse[*self.sunk.last().unwrap()] += 3.0;
        }
        for &seat in &left {
            purse[seat] += pot / left.len() as f64;
        }
        purse.iter().map(|stakes| stakes - 3.0).collect()
    }

    pub(crate) fn returns(&self) -> Vec<f64> {
        let players = self.players();
        if self.next != Next::Over {
            return vec![0.0; players];
        }
        let is_deal = self.variant.is("play", "deal");
        if self.variant.is("utility", "stakes") {
            if !is_deal {
                return self.stakes_won();
            }
            let each = |seat| if Some(seat) == self.deal_loser { -1.0 } else { 1.0 / (players as f64 - 1.0) };
            return (0..players).map(each).collect();
        }
        // The win goes to the highest hands of a deal, or to the players with the most lives in a match.
        let merit: Vec<i32> = (0..players)
            .map(|seat| match (is_deal, self.is_in[seat]) {
                (true, _) => self.variant.worth(&self.hands[seat]),
                (false, true) => self.stakes[seat],
                (false, false) => -1,
            })
            .collect();
        let best = merit.iter().max().unwrap();
        let winners = merit.iter().filter(|merit| *merit == best).count() as f64;
        let share = |seat: usize| if merit[seat] == *best { 1.0 / winners } else { 0.0 };
        let others = |seat: usize| (0..players).filter(|&s| s != seat).map(share).sum::<f64>() / (players as f64 - 1.0);
        (0..players).map(|seat| share(seat) - others(seat)).collect()
    }

    /// The number of players who have sunk.
    pub(crate) fn sunk(&self) -> usize {
        self.sunk.len()
    }

    /// The number of cards in the pile, and of cards laid away.
    pub(crate) fn piles(&self) -> (usize, usize) {
        (self.pile.len(), self.away.len())
    }
}
