//! The last two tricks, solved for all hands at once.
//!
//! A square has a number for each hand of two cards in two places: in the row of the card that is played first, and the
//! column of the other one. Once a card is played, the hands that are left are one row, and a trick is a few sums of rows.
//! Only regrets and average policies are stored.
//!
//! The other player cannot hold a card of the hand: its part is subtracted from sums over all cards. So values of hands
//! that fit less than a hundred-millionth of the other player's may be rounding.

use stier_core::bits;
use stier_core::processor::{Processor, Transposer, Vector, Work};

use super::squares::{Row, Square, add, add_scaled, at, chosen, each, filled, larger, set, spread, total, transpose};
use crate::solve::cfr::TINY;

/// The most cards that may be left.
pub(super) const MAX_CARDS: usize = 24;

/// The effect of a card that is led, as sets of the cards that are left.
#[derive(Clone, Copy, Default)]
pub(super) struct CardRules {
    /// The replies that win.
    pub(super) winners: u32,
    /// The leads that it beats as a reply.
    pub(super) losers: u32,
    /// The cards that bind the reply, and those that may be played then.
    pub(super) binding: [u32; 2],
}

impl CardRules {
    /// The cards of a hand with which it may be answered.
    pub(super) fn replies(&self, hand: u32) -> u32 {
        let [suit, free] = self.binding;
        if hand & suit == 0 { hand } else { hand & free }
    }
}

/// The last two tricks in a public state.
pub(super) struct LastTwo {
    pub(super) leader: usize,
    /// By card that is left.
    pub(super) cards: Vec<CardRules>,
    /// The card with which nobody wins the first trick.
    pub(super) neutral: Option<usize>,
    /// `[winner of the first trick][of the last][seat]`: the returns.
    pub(super) returns: [[[f32; 2]; 2]; 2],
    /// `[winner of the last trick][seat]`: the returns, if nobody wins the first.
    pub(super) neutral_returns: [[f32; 2]; 2],
    /// The place of its first number in the table, a multiple of 8.
    pub(super) first: usize,
}

/// A decision in the last two tricks.
#[derive(Clone, Copy)]
pub(super) enum Spot {
    Lead,
    /// The reply to a card.
    Reply(usize),
    /// The neutral card has answered this one, and its player decides who leads the last trick.
    Replied(usize),
    /// The same, after it has been led and answered by this one.
    Led(usize),
}

/// The places of numbers, with so many cards: a row for each decision and action, and a column for the other card of the hand.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    cards: usize,
    has_neutral: bool,
}

impl Layout {
    pub(super) fn new(cards: usize, has_neutral: bool) -> Self {
        Self { cards, has_neutral }
    }

    /// The numbers in a row, of which the last may not count: one of two widths, for each of which passes are compiled.
    pub(super) fn width(self) -> usize {
        if self.cards <= 8 { 8 } else { MAX_CARDS }
    }

    /// The first row of a decision.
    fn start(self, spot: Spot) -> usize {
        let decisions = self.cards * (self.cards + 1);
        match spot {
            Spot::Lead => 0,
            Spot::Reply(led) => self.cards * (led + 1),
            Spot::Replied(led) => decisions + 2 * led,
            Spot::Led(reply) => decisions + 2 * (self.cards + reply),
        }
    }

    /// All numbers.
    pub(super) fn size(self) -> usize {
        let decisions = if self.has_neutral { 4 * self.cards } else { 0 };
        (self.cards * (self.cards + 1) + decisions) * self.width()
    }

    /// The place of an action, and of the other card of the hand.
    pub(super) fn cell(self, spot: Spot, action: usize, other: usize) -> usize {
        (self.start(spot) + action) * self.width() + other
    }
}

impl LastTwo {
    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.cards.len(), self.neutral.is_some())
    }
}

/// The work of a pass for the player that learns.
pub(super) enum Task<'a> {
    /// Takes the best action of each hand.
    Best,
    /// Updates regrets, and the average policy if it is wanted.
    Learn { sums: Option<&'a mut [Vector<f32, 8>]>, discount: [f32; 2], fading: f32 },
}

/// Working space.
struct Scratch<const V: usize, const W: usize> {
    shares: Square<V, W>,
    values: Square<V, W>,
    mine: [Square<V, W>; 2],
    replies: Square<V, W>,
    more: Square<V, W>,
    transposed: Square<V, W>,
    /// The values of the learner's hands.
    found: Square<V, W>,
}

impl<const V: usize, const W: usize> Scratch<V, W> {
    #[inline(always)]
    fn new() -> Self {
        let zeros = [filled(0.0); W];
        let (shares, values, mine, replies) = (zeros, zeros, [zeros; 2], zeros);
        Self { shares, values, mine, replies, more: zeros, transposed: zeros, found: zeros }
    }
}

/// A pass over the last two tricks. Hands are given by number.
pub(super) struct Pass<'a, const V: usize, const W: usize> {
    pub(super) tricks: &'a LastTwo,
    pub(super) learner: usize,
    /// By hand: the probability that the learner plays to it, which counts for its average policy.
    pub(super) own: &'a [f32],
    /// By hand: the range of the other player.
    pub(super) other: &'a [f32],
    /// Regrets, or a policy.
    pub(super) table: &'a mut [Vector<f32, 8>],
    pub(super) task: Task<'a>,
    /// The values of the learner's hands, which are written.
    pub(super) values: &'a mut [f32],
}

/// The cards that hands may have in a decision, and those that are legal.
struct Scene {
    cards: usize,
    /// The card that is on the table, which no hand has.
    led: Option<usize>,
    open: u32,
    /// The cards that may be played by a hand that is bound.
    free: u32,
    /// The cards that do not bind a hand.
    unbound: u32,
}

impl Scene {
    #[inline(always)]
    fn new(cards: usize, led: Option<(usize, &CardRules)>) -> Self {
        let all = u32::MAX >> (32 - cards);
        match led {
            Some((led, CardRules { binding: [suit, free], .. })) => {
                Self { cards, led: Some(led), open: all & !(1 << led), free: *free, unbound: !suit }
            }
            None => Self { cards, led: None, open: all, free: all, unbound: all },
        }
    }

    /// Returns true if hands may have a card.
    #[inline(always)]
    fn counts(&self, card: usize) -> bool {
        self.led != Some(card)
    }

    /// The other cards of hands with which this one may be played, and those that may be played instead; 1 for each.
    #[inline(always)]
    fn legal<const V: usize>(&self, card: usize) -> [Row<V>; 2] {
        let Self { open, free, unbound, .. } = *self;
        let others = open & !(1 << card);
        let legal = if free >> card & 1 == 1 { others } else { others & unbound };
        let instead = if unbound >> card & 1 == 1 { others } else { others & free };
        [chosen(legal, 1.0, 0.0), chosen(instead, 1.0, 0.0)]
    }

    /// The policy that matches these numbers.
    #[inline(always)]
    fn policy<const V: usize, const W: usize>(
        &self,
        transposer: Transposer,
        numbers: &[Row<V>],
        [shares, others]: [&mut Square<V, W>; 2],
    ) {
        for card in 0..self.cards {
            shares[card] = match self.counts(card) {
                true => each([&numbers[card]], |[number]| larger(number, 0.0)),
                false => filled(0.0),
            };
        }
        transpose(transposer, shares, others);
        for card in 0..self.cards {
            if self.counts(card) {
                let [is_legal, other_is] = self.legal(card);
                let share = |[own, other, is_legal, other_is]: [f32; 4]| {
                    let sum = own + other;
                    let even = if other_is > 0.0 { 0.5 } else { 1.0 };
                    is_legal * if sum > TINY { own / sum } else { even }
                };
                shares[card] = each([&shares[card], &others[card], &is_legal, &other_is], share);
            }
        }
    }
}

/// The numbers that change with what a pass does.
struct Update<'a, const V: usize> {
    regrets: &'a mut [Row<V>],
    sums: Option<&'a mut [Row<V>]>,
    discount: [f32; 2],
    fading: f32,
}

impl<const V: usize> Update<'_, V> {
    /// Updates the row of an action, given by hand: its probability, what it gains over the policy, 1 where it is legal, and the
    /// probability of the hand.
    #[inline(always)]
    fn row(&mut self, number: usize, [shares, gains, counts, own]: [&Row<V>; 4]) {
        let ([up, down], fading) = (self.discount, self.fading);
        let regrets = &mut self.regrets[number];
        *regrets = each([regrets, gains, counts], |[regret, gain, counts]| {
            let next = (regret + gain) * counts;
            let after = next * if next > 0.0 { up } else { down };
            if next.abs() > TINY { after } else { 0.0 }
        });
        if let Some(sums) = &mut self.sums {
            let sums = &mut sums[number];
            *sums = each([sums, shares, own, counts], |[sum, share, own, counts]| {
                let sum = (sum * fading + share * own) * counts;
                // Numbers with fewer digits are slow.
                if sum > f32::MIN_POSITIVE { sum } else { 0.0 }
            });
        }
    }
}

/// By leader of the last trick, the learner before the other player; card of the other player; and card of the learner: the
/// learner's return.
type Last<const V: usize, const W: usize> = [Square<V, W>; 2];

impl<const V: usize, const W: usize> Pass<'_, V, W> {
    /// The rows of a decision that are updated; `None` if the best actions are taken.
    #[inline(always)]
    fn update(&mut self, spot: Spot) -> Option<Update<'_, V>> {
        let start = self.tricks.layout().start(spot);
        let Task::Learn { sums, discount, fading } = &mut self.task else { return None };
        let regrets = &mut self.table.as_chunks_mut().0[start..];
        let sums = sums.as_deref_mut().map(|sums| &mut sums.as_chunks_mut().0[start..]);
        Some(Update { regrets, sums, discount: *discount, fading: *fading })
    }

    #[inline(always)]
    fn rows(&self, spot: Spot) -> &[Row<V>] {
        &self.table.as_chunks().0[self.tricks.layout().start(spot)..]
    }

    /// The values of the learner's hands, given the policy and the values of actions; learns.
    #[inline(always)]
    fn decide(
        &mut self,
        transposer: Transposer,
        (scene, spot): (&Scene, Spot),
        [shares, gains, own]: [&Square<V, W>; 3],
        [found, others]: [&mut Square<V, W>; 2],
    ) {
        let Some(mut update) = self.update(spot) else {
            for card in 0..scene.cards {
                let [is_legal, _] = scene.legal(card);
                let value = |[is_legal, gain]: [f32; 2]| if is_legal > 0.0 { gain } else { f32::NEG_INFINITY };
                found[card] = each([&is_legal, &gains[card]], value);
            }
            transpose(transposer, found, others);
            for card in 0..scene.cards {
                let best = |[own, other, open]: [f32; 3]| if open > 0.0 { larger(own, other) } else { 0.0 };
                let is_there = if scene.counts(card) { scene.open & !(1 << card) } else { 0 };
                found[card] = each([&found[card], &others[card], &chosen(is_there, 1.0, 0.0)], best);
            }
            return;
        };
        for card in 0..scene.cards {
            found[card] = each([&shares[card], &gains[card]], |[share, gain]| share * gain);
        }
        transpose(transposer, found, others);
        for card in 0..scene.cards {
            if scene.counts(card) {
                add(&mut found[card], &others[card]);
                let [is_legal, _] = scene.legal(card);
                let gain = each([&gains[card], &found[card]], |[gain, mean]| gain - mean);
                update.row(card, [&shares[card], &gain, &is_legal, &own[card]]);
            }
        }
    }

    /// By card of the learner: its value after a neutral trick, given the probabilities of the other player's and of its own
    /// cards. The player that decides, which is the learner or not, leads the last trick or lets the other one lead.
    #[inline(always)]
    fn after_neutral(&mut self, spot: Spot, is_own: bool, [others, own]: [&Row<V>; 2], last: &Last<V, W>) -> Row<V> {
        let rows = self.rows(spot);
        let leads = each([&rows[0], &rows[1]], |[yes, no]| {
            let [yes, no] = [larger(yes, 0.0), larger(no, 0.0)];
            if yes + no > TINY { yes / (yes + no) } else { 0.5 }
        });
        let lets = each([&leads], |[leads]| 1.0 - leads);
        let (cards, product) = (self.tricks.cards.len(), |[a, b]: [f32; 2]| a * b);
        if !is_own {
            let mut found = met(&each([others, &lets], product), &last[0], cards);
            add(&mut found, &met(&each([others, &leads], product), &last[1], cards));
            return found;
        }
        let (first, second) = (met(others, &last[0], cards), met(others, &last[1], cards));
        let Some(mut update) = self.update(spot) else {
            return each([&first, &second], |[first, second]| larger(first, second));
        };
        let mean = |[leads, lets, first, second]: [f32; 4]| leads * first + lets * second;
        let found = each([&leads, &lets, &first, &second], mean);
        let gains = |values: &Row<V>| each([values, &found], |[value, mean]| value - mean);
        update.row(0, [&leads, &gains(&first), &filled(1.0), own]);
        update.row(1, [&lets, &gains(&second), &filled(1.0), own]);
        found
    }

    /// The returns of the last trick, given by its leader and winner, each the learner before the other player.
    #[inline(always)]
    fn last(&self, returns: [[f32; 2]; 2]) -> Last<V, W> {
        let mut found = [[filled(0.0); W]; 2];
        for (card, rules) in self.tricks.cards.iter().enumerate() {
            // The learner's cards that win when they are led, and those that win as a reply.
            found[0][card] = chosen(rules.losers, returns[0][1], returns[0][0]);
            found[1][card] = chosen(rules.winners, returns[1][0], returns[1][1]);
            set(&mut found[0][card], card, 0.0);
            set(&mut found[1][card], card, 0.0);
        }
        found
    }

    /// The values of the learner's hands, if it leads the first trick.
    #[inline(always)]
    fn lead(
        &mut self,
        transposer: Transposer,
        [own, other]: [&Square<V, W>; 2],
        [last, neutral]: [&Last<V, W>; 2],
        Scratch { shares, values, mine, replies, transposed, found: out, .. }: &mut Scratch<V, W>,
    ) {
        let (tricks, cards) = (self.tricks, self.tricks.cards.len());
        let product = |[a, b]: [f32; 2]| a * b;
        let scene = Scene::new(cards, None);
        scene.policy(transposer, self.rows(Spot::Lead), [shares, transposed]);
        transpose(transposer, &last[0], &mut mine[0]);
        transpose(transposer, &last[1], &mut mine[1]);
        for led in 0..cards {
            let rules = &tricks.cards[led];
            let reply = Scene::new(cards, Some((led, rules)));
            reply.policy(transposer, self.rows(Spot::Reply(led)), [replies, transposed]);
            for card in 0..cards {
                replies[card] = each([&replies[card], &other[card]], product);
            }
            let mut found = filled(0.0);
            if tricks.neutral == Some(led) {
                let own = each([&own[led], &shares[led]], product);
                for (card, replies) in replies[..cards].iter().enumerate().filter(|&(card, _)| card != led) {
                    let mut more = self.after_neutral(Spot::Led(card), true, [replies, &own], neutral);
                    set(&mut more, card, 0.0);
                    add(&mut found, &more);
                }
            } else {
                let counted = reply.open & !tricks.neutral.map_or(0, |card| 1 << card);
                // By winner of the first trick, the learner before the other player.
                for (winner, cards_of) in [counted & !rules.winners, counted & rules.winners].into_iter().enumerate() {
                    let (mut sum, mut own) = (filled(0.0), filled(0.0));
                    for card in bits::members(cards_of).map(usize::from) {
                        add(&mut sum, &replies[card]);
                        set(&mut own, card, total(&each([&replies[card], &mine[winner][card]], product)));
                    }
                    add(&mut found, &met(&sum, &last[winner], cards));
                    add_scaled(&mut found, -1.0, &own);
                }
                if let Some(card) = tricks.neutral {
                    let others = [&replies[card], &filled(0.0)];
                    let mut more = self.after_neutral(Spot::Replied(led), false, others, neutral);
                    set(&mut more, card, 0.0);
                    add(&mut found, &more);
                }
            }
            values[led] = each([&found, &chosen(reply.open, 1.0, 0.0)], product);
        }
        self.decide(transposer, (&scene, Spot::Lead), [shares, values, own], [out, transposed]);
    }

    /// The values of the learner's hands, if the other player leads the first trick.
    #[inline(always)]
    fn reply(
        &mut self,
        transposer: Transposer,
        [own, other]: [&Square<V, W>; 2],
        [last, neutral]: [&Last<V, W>; 2],
        Scratch { shares, values, replies: leads, more, transposed, found, .. }: &mut Scratch<V, W>,
    ) {
        let (tricks, cards) = (self.tricks, self.tricks.cards.len());
        let product = |[a, b]: [f32; 2]| a * b;
        Scene::new(cards, None).policy(transposer, self.rows(Spot::Lead), [leads, transposed]);
        for led in 0..cards {
            let rules = &tricks.cards[led];
            let scene = Scene::new(cards, Some((led, rules)));
            scene.policy(transposer, self.rows(Spot::Reply(led)), [shares, transposed]);
            let others = each([&leads[led], &other[led]], product);
            if tricks.neutral == Some(led) {
                for (card, value) in values[..cards].iter_mut().enumerate() {
                    let mut others = others;
                    set(&mut others, card, 0.0);
                    *value = self.after_neutral(Spot::Led(card), false, [&others, &filled(0.0)], neutral);
                }
            } else {
                // By winner of the first trick: the values, summed over the other player's cards.
                let sums = [met(&others, &last[0], cards), met(&others, &last[1], cards)];
                for card in 0..cards {
                    let winner = (rules.winners >> card & 1 ^ 1) as usize;
                    let share = at(&others, card);
                    values[card] = each([&sums[winner], &last[winner][card]], |[sum, own]| sum - share * own);
                }
                if let Some(card) = tricks.neutral {
                    let mut others = others;
                    set(&mut others, card, 0.0);
                    let own = each([&own[card], &shares[card]], product);
                    values[card] = self.after_neutral(Spot::Replied(led), true, [&others, &own], neutral);
                }
            }
            self.decide(transposer, (&scene, Spot::Reply(led)), [shares, values, own], [more, transposed]);
            for card in 0..cards {
                add(&mut found[card], &more[card]);
            }
        }
    }
}

/// By card of the learner: the sum over the other player's cards, with these probabilities.
#[inline(always)]
fn met<const V: usize, const W: usize>(others: &Row<V>, returns: &Square<V, W>, cards: usize) -> Row<V> {
    let mut sum = filled(0.0);
    for (card, returns) in returns[..cards].iter().enumerate() {
        add_scaled(&mut sum, at(others, card), returns);
    }
    sum
}

impl<const V: usize, const W: usize> Work for Pass<'_, V, W> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) {
        self.run(processor.transposer());
    }
}

impl<const V: usize, const W: usize> Pass<'_, V, W> {
    #[inline(always)]
    fn run(mut self, transposer: Transposer) {
        let (tricks, cards, learner) = (self.tricks, self.tricks.cards.len(), self.learner);
        let hands = [&spread(self.own, cards), &spread(self.other, cards)];
        // By winner of the first trick, and of the last, the learner before the other player.
        let there = learner ^ 1;
        let returns = |returns: &[[f32; 2]; 2]| [returns[learner][learner], returns[there][learner]];
        let last = self.last([returns(&tricks.returns[learner]), returns(&tricks.returns[there])]);
        let neutral = self.last([returns(&tricks.neutral_returns); 2]);
        let mut scratch = Scratch::new();
        match tricks.leader == learner {
            true => self.lead(transposer, hands, [&last, &neutral], &mut scratch),
            false => self.reply(transposer, hands, [&last, &neutral], &mut scratch),
        }
        let mut values = self.values.iter_mut();
        for high in 1..cards {
            for (low, value) in (0..high).zip(&mut values) {
                *value = at(&scratch.found[high], low);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;
    use stier_core::processor::{Any, Vector, Work as _, run};

    use super::{CardRules, LastTwo, Pass, Task};

    /// One pass for each player that learns, with the other one on the lead once, on random cards.
    fn passes<const V: usize, const W: usize>(cards: usize, is_modern: bool) -> Vec<u32> {
        let mut rng = Rng::stream(cards as u64, "last two tricks", 0);
        let mut card = |_| CardRules { winners: rng.bits() as u32, losers: rng.bits() as u32, binding: [7, 31] };
        let rules: Vec<CardRules> = (0..cards).map(&mut card).collect();
        let mut number = |_| rng.unit() as f32;
        let hands = cards * (cards - 1) / 2;
        let [own, other] = [(); 2].map(|()| (0..hands).map(&mut number).collect::<Vec<f32>>());
        let returns = [[[1.0, -1.0], [2.0, -2.0]], [[-1.0, 1.0], [-3.0, 3.0]]];
        let (neutral, neutral_returns) = (Some(cards / 2), [[4.0, -4.0], [-2.0, 2.0]]);
        let mut tricks = LastTwo { leader: 0, cards: rules, neutral, returns, neutral_returns, first: 0 };
        let mut table = vec![Vector([0.0; 8]); tricks.layout().size() / 8];
        let mut sums = table.clone();
        table.iter_mut().for_each(|numbers| numbers.0 = [(); 8].map(|()| number(0) - 0.5));
        let mut bits = Vec::new();
        for (leader, learner) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            tricks.leader = leader;
            for learns in [true, false] {
                let mut values = vec![0.0; hands];
                let sums = Some(&mut sums[..]);
                let task = if learns { Task::Learn { sums, discount: [0.7, 0.5], fading: 0.3 } } else { Task::Best };
                let (tricks, values_of, table) = (&tricks, &mut values[..], &mut table[..]);
                let pass = Pass::<V, W> { tricks, learner, own: &own, other: &other, table, task, values: values_of };
                if is_modern {
                    run(pass)
                } else {
                    pass.work(Any)
                }
                bits.extend(values.iter().map(|value| value.to_bits()));
            }
        }
        bits.extend(table.iter().chain(&sums).flat_map(|numbers| numbers.0).map(f32::to_bits));
        bits
    }

    #[test]
    fn every_processor_finds_the_same_bits() {
        assert_eq!(passes::<1, 8>(7, true), passes::<1, 8>(7, false));
        assert_eq!(passes::<3, 24>(19, true), passes::<3, 24>(19, false));
    }
}
