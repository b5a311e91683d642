//! The public states of an ending down to the last two tricks.

use stier_core::endings::Tricks;
use stier_core::list::Listing as _;
use stier_core::{Action, Seat, bits};

use super::hands::Hands;
use super::last_two::{CardRules, LastTwo, Layout, Spot};
use crate::agent::threads::{Halted, Watch, goes_on};

/// The event in a public state.
pub(super) enum Kind {
    /// A player plays a card; before a lead no rules bind it.
    Play(usize, CardRules),
    /// A player leads the next trick, or lets the other one lead.
    Decide(usize),
    /// The last two tricks begin.
    LastTwo(LastTwo),
}

/// A public state.
pub(super) struct Node {
    pub(super) kind: Kind,
    /// By seat: the place of its hands among the lists of hands.
    pub(super) hands: [usize; 2],
    /// The place of the first number.
    pub(super) first: usize,
    /// By event that can follow: the number of the card or decision, and the place of the public state after it.
    pub(super) branches: Vec<(usize, usize)>,
}

/// The hands of a seat that have several actions in a public state, given by the events before it.
pub(crate) struct Question {
    pub(crate) events: Vec<Action>,
    pub(crate) hands: Vec<u64>,
}

/// An ending.
pub(super) struct Tree {
    /// The cards, ascending.
    cards: Vec<u8>,
    decisions: [Action; 2],
    /// By number of cards in a hand, and of cards that are left.
    lists: Vec<((u32, u32), Hands)>,
    /// The first one is the root.
    pub(super) nodes: Vec<Node>,
    /// The number of numbers.
    pub(super) size: usize,
}

/// The questions to a seat, and the places of the answers: the probabilities of all actions.
#[derive(Default)]
pub(super) struct Questions {
    pub(super) all: Vec<Question>,
    pub(super) cells: Vec<usize>,
}

impl Questions {
    /// Asks about those of these hands that have several actions, which have these places.
    fn add<C: IntoIterator<Item = usize>>(&mut self, events: &[Action], hands: impl Iterator<Item = (u64, C)>) {
        let mut several = Vec::new();
        for (hand, cells) in hands {
            let before = self.cells.len();
            self.cells.extend(cells);
            if self.cells.len() > before + 1 {
                several.push(hand);
            } else {
                self.cells.truncate(before);
            }
        }
        if !several.is_empty() {
            self.all.push(Question { events: events.to_vec(), hands: several });
        }
    }
}

/// Finds the public states that are possible.
struct Finder<'a> {
    tricks: &'a dyn Tricks,
    tree: Tree,
    /// The seat to ask, if any.
    asked: Option<usize>,
    questions: Questions,
    /// The winners of the tricks so far, and the events.
    winners: Vec<Option<Seat>>,
    events: Vec<Action>,
    watch: Watch<'a>,
}

/// By seat and hand: true if the seat may hold it.
type Held = [Vec<bool>; 2];

impl Tree {
    /// The ending, if the seats may hold these hands. Also the questions to a seat.
    pub(super) fn new(
        tricks: &dyn Tricks,
        hands: [&[u64]; 2],
        asked: Option<usize>,
        watch: Watch<'_>,
    ) -> Result<(Self, Questions), Halted> {
        let cards: Vec<u8> = bits::members(tricks.cards() as u32).collect();
        let (lists, nodes, decisions) = (Vec::new(), Vec::new(), tricks.decisions());
        let tree = Self { cards, decisions, lists, nodes, size: 0 };
        let (questions, winners, events) = (Questions::default(), Vec::new(), Vec::new());
        let mut finder = Finder { tricks, tree, asked, questions, winners, events, watch };
        let list = finder.list(tricks.count(), finder.tree.cards.len());
        let all = finder.tree.lists[list].1.all.len();
        let held = hands.map(|hands| {
            let mut held = vec![false; all];
            hands.iter().for_each(|&hand| held[finder.tree.number(hand)] = true);
            held
        });
        let left = finder.tree.cards.clone();
        finder.lead(&left, tricks.leader().index(), &held)?;
        Ok((finder.tree, finder.questions))
    }

    /// The most numbers that an ending of so many tricks can take, with so many cards.
    pub(super) fn most(tricks: u32, cards: u32, has_neutral: bool) -> u64 {
        if tricks == 2 {
            return Layout::new(cards as usize, has_neutral).size() as u64;
        }
        let lead = bits::binomial(cards, tricks) * u64::from(tricks);
        let reply = bits::binomial(cards - 1, tricks) * u64::from(tricks);
        let (all, with_neutral) =
            (u64::from(cards * (cards - 1)), u64::from(if has_neutral { 2 * (cards - 1) } else { 0 }));
        let after = |has_neutral| Self::most(tricks - 1, cards - 2, has_neutral);
        let decision = 2 * bits::binomial(cards - 2, tricks - 1);
        let replies = lead.saturating_add(reply.saturating_mul(cards.into()));
        let decided = if with_neutral > 0 {
            with_neutral.saturating_mul(after(false).saturating_mul(2).saturating_add(decision))
        } else {
            0
        };
        replies.saturating_add((all - with_neutral).saturating_mul(after(has_neutral))).saturating_add(decided)
    }

    /// The hands of a list.
    pub(super) fn hands(&self, list: usize) -> &Hands {
        &self.lists[list].1
    }

    /// The number of a hand at the beginning.
    pub(super) fn number(&self, hand: u64) -> usize {
        let hands = &self.lists[0].1.all;
        hands.binary_search(&numbered(hand, &self.cards)).expect("it is a hand of these cards")
    }

    /// The actions of a hand of a seat after these events, with the places of their numbers, and the hand with which it
    /// began. `None` if that is not possible.
    pub(super) fn actions(&self, events: &[Action], seat: usize, hand: u64) -> Option<(u64, Vec<(Action, usize)>)> {
        let (mut left, mut at, mut events, mut began) = (self.cards.clone(), 0, events.iter(), hand);
        loop {
            let node = &self.nodes[at];
            if let Kind::LastTwo(last) = &node.kind {
                let events = events.as_slice();
                let own = events.get(usize::from(last.leader != seat)).map_or(0, |event| 1 << event.0);
                return Some((began | own, self.in_last_two(last, &left, events, hand)?));
            }
            let Some(event) = events.next() else { return Some((began, self.at(node, &left, hand))) };
            let number = match node.kind {
                Kind::Decide(_) => self.decisions.iter().position(|decision| decision == event)?,
                _ => left.iter().position(|&card| card == event.0)?,
            };
            at = node.branches.iter().find(|branch| branch.0 == number)?.1;
            if let Kind::Play(mover, _) = node.kind {
                left.remove(number);
                began |= if mover == seat { 1 << event.0 } else { 0 };
            }
        }
    }

    fn at(&self, node: &Node, left: &[u8], hand: u64) -> Vec<(Action, usize)> {
        let hand = numbered(hand, left);
        let list = |mover: usize| &self.hands(node.hands[mover]).all;
        let number = |mover: usize| list(mover).binary_search(&hand).expect("it is one of them");
        match node.kind {
            Kind::Play(mover, rules) => {
                let first = node.first + number(mover) * hand.count_ones() as usize;
                let rank = |card: u8| (hand & ((1 << card) - 1)).count_ones() as usize;
                let cards = bits::members(rules.replies(hand));
                cards.map(|card| (Action(left[usize::from(card)]), first + rank(card))).collect()
            }
            Kind::Decide(mover) => self.decisions.into_iter().zip(node.first + 2 * number(mover)..).collect(),
            Kind::LastTwo(_) => unreachable!("it has its own actions"),
        }
    }

    fn in_last_two(&self, last: &LastTwo, left: &[u8], events: &[Action], hand: u64) -> Option<Vec<(Action, usize)>> {
        let place = |event: &Action| left.iter().position(|&card| card == event.0);
        let played: Vec<usize> = events.iter().map(place).collect::<Option<_>>()?;
        let hand = numbered(hand, left);
        let cards: Vec<usize> = bits::members(hand).map(usize::from).collect();
        let cell = |spot: Spot, action: usize, other: usize| last.first + last.layout().cell(spot, action, other);
        let (spot, legal) = match played[..] {
            [] => (Spot::Lead, hand),
            [led] => (Spot::Reply(led), last.cards[led].replies(hand)),
            [led, reply] if last.neutral == Some(led) => (Spot::Led(reply), 0),
            [led, reply] if last.neutral == Some(reply) => (Spot::Replied(led), 0),
            _ => return None,
        };
        Some(match cards[..] {
            [card] => (0..2).map(|number| (self.decisions[number], cell(spot, number, card))).collect(),
            [low, high] => {
                let both = [(low, high), (high, low)].into_iter().filter(|&(card, _)| legal >> card & 1 == 1);
                both.map(|(card, other)| (Action(left[card]), cell(spot, card, other))).collect()
            }
            _ => return None,
        })
    }
}

/// A hand by the numbers of these cards, which are ascending.
fn numbered(hand: u64, cards: &[u8]) -> u32 {
    (0..).zip(cards).fold(0, |set, (number, &card)| set | ((hand >> card & 1) as u32) << number)
}

impl Finder<'_> {
    /// The place of the list of all hands of so many cards.
    fn list(&mut self, size: u32, cards: usize) -> usize {
        let key = (size, cards as u32);
        let lists = &mut self.tree.lists;
        lists.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            lists.push((key, Hands::new(size, cards as u32)));
            lists.len() - 1
        })
    }

    fn add(&mut self, kind: Kind, hands: [usize; 2], size: usize, branches: Vec<(usize, usize)>) -> usize {
        let first = self.tree.size;
        // In whole vectors.
        self.tree.size += size.next_multiple_of(8);
        self.tree.nodes.push(Node { kind, hands, first, branches });
        self.tree.nodes.len() - 1
    }

    /// The rules of a card for the cards that are left.
    fn rules(&self, led: u8, left: &[u8]) -> CardRules {
        let losers = left.iter().filter(|&&other| self.tricks.winners(other) >> led & 1 == 1);
        CardRules {
            winners: numbered(self.tricks.winners(led), left),
            losers: numbered(losers.fold(0, |set, &card| set | 1 << card), left),
            binding: self.tricks.binding(led).map(|cards| numbered(cards, left)),
        }
    }

    /// A trick begins.
    fn lead(&mut self, left: &[u8], leader: usize, held: &Held) -> Result<usize, Halted> {
        goes_on((self.watch)())?;
        let size = self.tricks.count() - self.winners.len() as u32;
        let list = self.list(size, left.len());
        if size == 2 {
            return Ok(self.last_two(left, leader, list, held));
        }
        self.play((left, leader, CardRules::default()), [list; 2], held, |own, card, held| {
            own.reply(left, card, leader, held)
        })
    }

    /// A card is answered.
    fn reply(&mut self, left: &[u8], card: usize, leader: usize, held: &Held) -> Result<usize, Halted> {
        let (led, rest) = (left[card], [&left[..card], &left[card + 1..]].concat());
        let rules = self.rules(led, &rest);
        let size = self.tricks.count() - self.winners.len() as u32;
        let mut lists = [self.list(size, rest.len()); 2];
        lists[leader] = self.list(size - 1, rest.len());
        self.play((&rest, leader ^ 1, rules), lists, held, |own, card, held| {
            let (reply, after) = (rest[card], [&rest[..card], &rest[card + 1..]].concat());
            let neutral = own.tricks.neutral();
            let wins = own.tricks.winners(led) >> reply & 1 == 1;
            let player = if [Some(led), Some(reply)].contains(&neutral) {
                own.winners.push(None);
                own.decide(&after, leader ^ usize::from(neutral == Some(reply)), held)
            } else {
                let winner = leader ^ usize::from(wins);
                own.winners.push(Some(Seat(winner as u8)));
                own.lead(&after, winner, held)
            };
            own.winners.pop();
            player
        })
    }

    /// A player plays a card, after which `next` follows.
    fn play(
        &mut self,
        (left, mover, rules): (&[u8], usize, CardRules),
        lists: [usize; 2],
        held: &Held,
        mut next: impl FnMut(&mut Self, usize, &Held) -> Result<usize, Halted>,
    ) -> Result<usize, Halted> {
        let hands = &self.tree.lists[lists[mover]].1;
        let size = hands.all.first().map_or(0, |hand| hand.count_ones() as usize);
        let place =
            self.add(Kind::Play(mover, rules), lists, size * self.tree.hands(lists[mover]).all.len(), Vec::new());
        if self.asked == Some(mover) {
            let node = &self.tree.nodes[place];
            let hands = self.tree.hands(lists[mover]).all.iter().zip(&held[mover]).filter(|(_, is_held)| **is_held);
            let cells = |hand: u64| self.tree.at(node, left, hand).into_iter().map(|(_, cell)| cell);
            let hands = hands.map(|(&hand, _)| (named(hand, left), cells(named(hand, left))));
            self.questions.add(&self.events, hands);
        }
        for (card, &played) in left.iter().enumerate() {
            let [mine, theirs] = [mover, mover ^ 1].map(|seat| self.tree.hands(lists[seat]));
            let mut after: Held = [Vec::new(), Vec::new()];
            let plays = |&hand: &usize| held[mover][hand] && rules.replies(mine.all[hand]) >> card & 1 == 1;
            after[mover] = mine.with[card].iter().map(plays).collect();
            after[mover ^ 1] = theirs.without[card].iter().map(|&hand| held[mover ^ 1][hand]).collect();
            if after.iter().all(|held| held.contains(&true)) {
                self.events.push(Action(played));
                let found = next(self, card, &after)?;
                self.events.pop();
                self.tree.nodes[place].branches.push((card, found));
            }
        }
        Ok(place)
    }

    /// A player decides who leads.
    fn decide(&mut self, left: &[u8], mover: usize, held: &Held) -> Result<usize, Halted> {
        let list = self.list(self.tricks.count() - self.winners.len() as u32, left.len());
        let place = self.add(Kind::Decide(mover), [list; 2], 2 * self.tree.hands(list).all.len(), Vec::new());
        if self.asked == Some(mover) {
            let first = self.tree.nodes[place].first;
            let hands = (0..).zip(&self.tree.hands(list).all).zip(&held[mover]).filter(|(_, is_held)| **is_held);
            let cells = |number: usize| [first + 2 * number, first + 2 * number + 1];
            let hands = hands.map(|((number, &hand), _)| (named(hand, left), cells(number)));
            self.questions.add(&self.events, hands);
        }
        for (number, leader) in [mover, mover ^ 1].into_iter().enumerate() {
            self.events.push(self.tree.decisions[number]);
            let found = self.lead(left, leader, held)?;
            self.events.pop();
            self.tree.nodes[place].branches.push((number, found));
        }
        Ok(place)
    }

    fn last_two(&mut self, left: &[u8], leader: usize, list: usize, held: &Held) -> usize {
        let seats = [Seat(0), Seat(1)];
        let mut returns = |winners: [Option<Seat>; 2]| {
            self.winners.extend(winners);
            let found = self.tricks.returns(&self.winners).map(|value| value as f32);
            self.winners.truncate(self.winners.len() - 2);
            found
        };
        let neutral_returns = seats.map(|last| returns([None, Some(last)]));
        let returns = seats.map(|first| seats.map(|last| returns([Some(first), Some(last)])));
        let cards = left.iter().map(|&card| self.rules(card, left)).list();
        let neutral = self.tricks.neutral().and_then(|neutral| left.iter().position(|&card| card == neutral));
        let layout = Layout::new(left.len(), neutral.is_some());
        let first = self.tree.size;
        let last = LastTwo { leader, cards, neutral, returns, neutral_returns, first };
        if self.asked.is_some() {
            self.ask_last_two(&last, left, list, held);
        }
        self.add(Kind::LastTwo(last), [list; 2], layout.size(), Vec::new())
    }

    fn ask_last_two(&mut self, last: &LastTwo, left: &[u8], list: usize, held: &Held) {
        let Self { tree, asked, questions, events, .. } = self;
        let [leader, follower] = [last.leader, last.leader ^ 1];
        let possible = |seat: usize| -> Vec<u32> {
            let hands = tree.hands(list).all.iter().zip(&held[seat]).filter(|(_, is_held)| **is_held);
            hands.map(|(&hand, _)| hand).collect()
        };
        let [leads, replies] = [leader, follower].map(possible);
        let (layout, has) = (last.layout(), |hand: u32, card: usize| hand >> card & 1 == 1);
        let others = |hand: u32, card: usize| (hand & !(1 << card)).trailing_zeros() as usize;
        let row = |spot: Spot, hand: u32, legal: u32| {
            let cell = move |card: u8| last.first + layout.cell(spot, card.into(), others(hand, card.into()));
            (named(hand, left), bits::members(legal).map(cell))
        };
        let decision = |spot: Spot, card: usize| {
            (named(1 << card, left), [0, 1].map(|leads| last.first + layout.cell(spot, leads, card)))
        };
        if *asked == Some(leader) {
            questions.add(events, leads.iter().map(|&hand| row(Spot::Lead, hand, hand)));
        }
        for led in 0..left.len() {
            let rules = &last.cards[led];
            let leading = || leads.iter().copied().filter(|&hand| has(hand, led));
            let answering = || replies.iter().copied().filter(|&hand| !has(hand, led));
            if leading().next().is_none() || answering().next().is_none() {
                continue;
            }
            events.push(Action(left[led]));
            if *asked == Some(follower) {
                questions.add(events, answering().map(|hand| row(Spot::Reply(led), hand, rules.replies(hand))));
            }
            let is_neutral = last.neutral == Some(led);
            for reply in (0..left.len()).filter(|&reply| reply != led && (is_neutral || last.neutral == Some(reply))) {
                let plays = |hand: &u32| has(rules.replies(*hand), reply);
                if !answering().any(|hand| plays(&hand)) || leading().all(|hand| has(hand, reply)) {
                    continue;
                }
                events.push(Action(left[reply]));
                if is_neutral && *asked == Some(leader) {
                    let hands = leading().filter(|&hand| !has(hand, reply));
                    questions.add(events, hands.map(|hand| decision(Spot::Led(reply), others(hand, led))));
                } else if !is_neutral && *asked == Some(follower) {
                    let hands = answering().filter(plays);
                    questions.add(events, hands.map(|hand| decision(Spot::Replied(led), others(hand, reply))));
                }
                events.pop();
            }
            events.pop();
        }
    }
}

/// The cards of a hand that is given by their numbers.
fn named(hand: u32, cards: &[u8]) -> u64 {
    bits::members(hand).fold(0, |set, number| set | 1 << cards[usize::from(number)])
}
