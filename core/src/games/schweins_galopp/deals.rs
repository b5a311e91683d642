//! The number of ways in which the opponents can have come to hold certain cards.
//!
//! The cards that the viewer was not dealt go to the opponents or stay out of play, and every deal is equally likely.
//! If a colour has `n` such cards, hands of `h1`, `h2`, `h3` of them can be dealt in
//! `n! / (h1! h2! h3! (n - h1 - h2 - h3)!)` ways. Colours are independent except for the size of the hands. Play
//! reveals only that the cards played were in the hand: if `p` cards were played and `r` are held, `h` is `p + r`. So
//! the number of ways for what is held is a product over colours. It differs from the number of ways to deal the held
//! cards from the unseen ones: if an opponent has played much of a colour, it was probably dealt many.

use std::iter;

use arrayvec::ArrayVec;

use crate::bits;
use crate::rng::Rng;

use super::counts::{Counts, MAX_COLOURS};
use super::lottery::Lottery;

/// The largest number of hands that a viewer does not see.
pub(super) const MAX_HIDDEN: usize = 3;

/// Cards held by the players whose hands the viewer does not see.
pub(super) type Hidden = [Counts; MAX_HIDDEN];

/// The number of cards that each opponent holds, of a colour or in all: one octal digit each, so at most 7.
type Split = u16;

/// Upper bound on splits, exclusive.
const SPLITS: usize = 1 << (3 * MAX_HIDDEN);

/// Up to this many worlds are listed and drawn directly; more are drawn colour by colour.
const LISTED: u64 = 512;

#[inline(always)]
fn digit(split: Split, hidden: usize) -> u8 {
    (split >> (3 * hidden) & 7) as u8
}

/// True if no digit of the part is larger than that of the whole.
#[inline(always)]
fn is_within(part: Split, whole: Split) -> bool {
    // Digit by digit, with a spare bit between two digits, which is borrowed if the part's digit is larger.
    let spread = |split: Split| split & 0o7 | (split & 0o70) << 1 | (split & 0o700) << 2;
    const BORROWED: Split = 0b1000_1000_1000;
    ((spread(whole) | BORROWED) - spread(part)) & BORROWED == BORROWED
}

/// Sets the cards of one colour that each opponent holds.
#[inline(always)]
fn hold(hands: &mut Hidden, colour: usize, split: Split) {
    for (hidden, hand) in hands.iter_mut().enumerate() {
        *hand += Counts::of(colour, u32::from(digit(split, hidden)));
    }
}

/// One possible holding of some colours.
#[derive(Clone, Copy, Debug)]
struct Part {
    split: Split,
    /// The number of ways to deal it, together with the cards already played.
    ways: u64,
    /// The number of worlds with this holding.
    worlds: u64,
}

/// The possible holdings of each colour and the number of ways to deal each.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// `of[colour]`: all possible holdings, splits ascending.
    of: ArrayVec<Vec<Part>, MAX_COLOURS>,
    /// The number of cards held in all.
    held: Split,
}

impl Ways {
    /// `unseen[colour]` cards were not dealt to the viewer. `others` has the cards that each opponent has played and
    /// the number it holds.
    pub(super) fn new(unseen: &[u8], others: &[(Counts, u8)]) -> Self {
        let held =
            others.iter().zip(0..).fold(0, |split, (&(_, held), hidden)| split | u16::from(held) << (3 * hidden));
        let of = unseen.iter().enumerate().map(|(colour, &unseen)| {
            let mut parts = Vec::new();
            let start = Part { split: 0, ways: 1, worlds: 1 };
            deal(colour, unseen, others, start, &mut parts);
            parts
        });
        Self { of: of.collect(), held }
    }

    /// Iterates over all possible holdings and their numbers of ways.
    pub(super) fn all(&self) -> impl Iterator<Item = (Hidden, u64)> + '_ {
        /// Cards held of the colours before this one, cards left for it and the colours after it, and the next
        /// candidate.
        #[derive(Clone, Copy, Default)]
        struct Level {
            hands: Hidden,
            ways: u64,
            left: Split,
            from: usize,
        }
        let mut levels = [Level::default(); MAX_COLOURS + 1];
        levels[0] = Level { ways: 1, left: self.held, ..Level::default() };
        let mut colour = Some(0);
        iter::from_fn(move || {
            loop {
                let now = colour?;
                let Level { mut hands, ways, left, from } = levels[now];
                if now == self.of.len() {
                    colour = now.checked_sub(1);
                    return Some((hands, ways));
                }
                // The last colour must use up the rest.
                let is_last = now + 1 == self.of.len();
                let fits = |part: &Part| if is_last { part.split == left } else { is_within(part.split, left) };
                let Some(steps) = self.of[now][from..].iter().position(fits) else {
                    colour = now.checked_sub(1);
                    continue;
                };
                let part = self.of[now][from + steps];
                levels[now].from = from + steps + 1;
                hold(&mut hands, now, part.split);
                levels[now + 1] = Level { hands, ways: ways * part.ways, left: left - part.split, from: 0 };
                colour = Some(now + 1);
            }
        })
    }
}

/// Adds all holdings of a colour for the last of the opponents, given those of the opponents after it and the number
/// of cards left. Recurses to the opponents before it.
fn deal(colour: usize, left: u8, others: &[(Counts, u8)], given: Part, parts: &mut Vec<Part>) {
    let Some((&(played, held), before)) = others.split_last() else {
        parts.push(given);
        return;
    };
    let played = played.get(colour);
    for held in 0..=held.min(left.saturating_sub(played)) {
        let hand = played + held;
        if hand <= left {
            let ways = given.ways * bits::binomial(left.into(), hand.into());
            let split = given.split << 3 | u16::from(held);
            deal(colour, left - hand, before, Part { split, ways, worlds: 1 }, parts);
        }
    }
}

/// Draws holdings with probabilities proportional to their numbers of ways.
#[derive(Clone, Debug)]
pub(super) enum Draws {
    /// From a list of all worlds.
    Listed(Lottery<Hidden>),
    /// Colour by colour, with a binary tree over the colours. Each inner node divides a holding between its two
    /// halves.
    ByColour(Tree),
}

/// The inner nodes of a binary tree over the colours.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The nodes; each comes before its children.
    nodes: ArrayVec<Node, { MAX_COLOURS - 1 }>,
    /// The possible holdings of the left half, for one split of one node after another.
    parts: Vec<Split>,
    /// The cumulative number of ways within the same split.
    cumulated: Vec<u64>,
    /// The number of cards held in all.
    held: Split,
    /// The number of worlds.
    worlds: u64,
}

/// Divides a holding of some colours between two halves of the colours.
#[derive(Clone, Debug)]
struct Node {
    /// `starts[split]`: the start of the parts of a split of both halves. They end at the start of the next split.
    starts: Vec<u32>,
    left: Half,
    right: Half,
}

/// Half of the colours below a node.
#[derive(Clone, Copy, Debug)]
enum Half {
    /// One colour.
    Colour(u8),
    /// Several colours, divided by another node.
    Node(u8),
}

impl Draws {
    pub(super) fn new(ways: &Ways) -> Self {
        // Hands of r cards of c colours: at most (r + c - 1 over c - 1) per opponent.
        let colours = ways.of.len() as u32;
        let worlds: u64 = (0..MAX_HIDDEN)
            .map(|hidden| bits::binomial(u32::from(digit(ways.held, hidden)) + colours - 1, colours - 1))
            .product();
        if worlds <= LISTED {
            return Self::Listed(Lottery::new(ways.all()));
        }
        let mut tree = Tree { held: ways.held, ..Tree::default() };
        let (_, parts) = tree.divide(&ways.of, 0);
        tree.worlds = parts.iter().map(|part| part.worlds).sum();
        Self::ByColour(tree)
    }

    /// The number of different worlds.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Listed(lottery) => lottery.len(),
            Self::ByColour(tree) => tree.worlds,
        }
    }

    /// Draws the hidden hands.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Hidden {
        match self {
            Self::Listed(lottery) => lottery.draw(rng),
            Self::ByColour(tree) => tree.draw(rng),
        }
    }
}

impl Tree {
    /// Adds the nodes for these colours, the first of which has the number `first`. Returns the topmost node and all
    /// possible holdings of its colours (for all colours together, only the actual sizes of the hands).
    fn divide(&mut self, of: &[Vec<Part>], first: u8) -> (Half, Vec<Part>) {
        if let [only] = of {
            return (Half::Colour(first), only.clone());
        }
        let index = self.nodes.len();
        self.nodes.push(Node { starts: Vec::new(), left: Half::Node(0), right: Half::Node(0) });
        let middle = of.len() / 2;
        let (left, lefts) = self.divide(&of[..middle], first);
        let (right, rights) = self.divide(&of[middle..], first + middle as u8);
        let mut right_part = [Part { split: 0, ways: 0, worlds: 0 }; SPLITS];
        for part in rights {
            right_part[usize::from(part.split)] = part;
        }
        let mut starts = vec![0; usize::from(self.held) + 2];
        let mut both = Vec::new();
        for whole in 0..=self.held {
            starts[usize::from(whole)] = self.parts.len() as u32;
            if index == 0 && whole != self.held || !is_within(whole, self.held) {
                continue;
            }
            let (mut ways, mut worlds) = (0, 0);
            for part in lefts.iter().filter(|part| is_within(part.split, whole)) {
                let rest = right_part[usize::from(whole - part.split)];
                if rest.ways > 0 {
                    ways += part.ways * rest.ways;
                    worlds += part.worlds * rest.worlds;
                    self.parts.push(part.split);
                    self.cumulated.push(ways);
                }
            }
            if ways > 0 {
                both.push(Part { split: whole, ways, worlds });
            }
        }
        starts[usize::from(self.held) + 1] = self.parts.len() as u32;
        self.nodes[index] = Node { starts, left, right };
        (Half::Node(index as u8), both)
    }

    #[inline]
    fn draw(&self, rng: &mut Rng) -> Hidden {
        let mut hands = Hidden::default();
        let mut wholes = [self.held; MAX_COLOURS];
        for (node, index) in self.nodes.iter().zip(0..) {
            let whole = wholes[index];
            let range = node.starts[usize::from(whole)] as usize..node.starts[usize::from(whole) + 1] as usize;
            let cumulated = &self.cumulated[range.clone()];
            let drawn = rng.below_wide(cumulated[cumulated.len() - 1]);
            let part = self.parts[range.start + cumulated.partition_point(|&ways| ways <= drawn)];
            for (half, split) in [(node.left, part), (node.right, whole - part)] {
                match half {
                    Half::Colour(colour) => hold(&mut hands, usize::from(colour), split),
                    Half::Node(index) => wholes[usize::from(index)] = split,
                }
            }
        }
        hands
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use stier_testing::chi_square;

    use super::{Counts, Draws, Hidden, Ways};
    use crate::rng::Rng;

    /// Three opponents, each of which has played some cards and holds three.
    fn ways() -> Ways {
        let played = [[2, 0, 1, 0, 0], [0, 0, 0, 3, 0], [1, 1, 1, 0, 0]];
        let counts = |hand: [u8; 5]| {
            hand.iter().enumerate().map(|(c, &n)| Counts::of(c, n.into())).fold(Counts::NONE, |a, b| a + b)
        };
        let others: Vec<_> = played.map(|hand| (counts(hand), 3)).to_vec();
        Ways::new(&[6, 5, 7, 4, 6], &others)
    }

    #[test]
    fn the_count_agrees_with_the_list() {
        let ways = ways();
        let all: HashMap<Hidden, u64> = ways.all().collect();
        assert_eq!(all.len(), ways.all().count(), "every world must be listed once");
        assert_eq!(all.len() as u64, Draws::new(&ways).count());
        assert!(all.keys().all(|hands| hands.iter().all(|hand| hand.sum() == 3)));
    }

    #[test]
    fn draws_by_colour_follow_the_ways() {
        let ways = ways();
        let draws = Draws::new(&ways);
        assert!(matches!(draws, Draws::ByColour(_)));
        let expected: HashMap<Hidden, f64> = ways.all().map(|(hands, ways)| (hands, ways as f64)).collect();
        let mut rng = Rng::stream(1, "by colour", 0);
        let mut drawn = HashMap::new();
        for _ in 0..400_000 {
            *drawn.entry(draws.draw(&mut rng)).or_default() += 1;
        }
        let p = chi_square(&drawn, &expected);
        assert!(p > 1e-6, "p-value {p} over {} worlds", expected.len());
    }
}
