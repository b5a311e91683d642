//! In how many ways can the others have come to hold what they may hold?
//!
//! The cards that the viewer was not dealt are dealt to the others and to nobody, every deal as likely. Of a colour with `n`
//! such cards, hands of `h1`, `h2`, `h3` can be dealt in `n! / (h1! h2! h3! (n - h1 - h2 - h3)!)` ways; colours are
//! independent of one another but for the size of the hands. All that play shows of a hand is that the cards played were in
//! it: with `p` cards played and `r` held, `h = p + r`. So the ways of what is held are a product over colours, which is not
//! that of dealing the held cards from those unseen: a colour of which somebody has played much is likely to have been long.

use std::iter;

use arrayvec::ArrayVec;

use crate::bits;
use crate::rng::Rng;

use super::counts::{Counts, MAX_COLOURS};
use super::lottery::Lottery;

/// The most hands that a viewer does not see.
pub(super) const MAX_HIDDEN: usize = 3;

/// What is held by those whom the viewer does not see.
pub(super) type Hidden = [Counts; MAX_HIDDEN];

/// How many cards each of the others holds, of a colour or in all: an octal digit for each, hence no more than 7.
type Split = u16;

/// There are no splits from here on.
const SPLITS: usize = 1 << (3 * MAX_HIDDEN);

/// Up to this many worlds are listed and drawn from directly; more are drawn colour by colour.
const LISTED: u64 = 512;

#[inline(always)]
fn digit(split: Split, hidden: usize) -> u8 {
    (split >> (3 * hidden) & 7) as u8
}

/// Whether nobody has more in the part than in the whole.
#[inline(always)]
fn is_within(part: Split, whole: Split) -> bool {
    // Digit by digit, with a bit between two that a larger digit of the part borrows.
    let spread = |split: Split| split & 0o7 | (split & 0o70) << 1 | (split & 0o700) << 2;
    const BORROWED: Split = 0b1000_1000_1000;
    ((spread(whole) | BORROWED) - spread(part)) & BORROWED == BORROWED
}

/// What is held of one colour by a split.
#[inline(always)]
fn hold(hands: &mut Hidden, colour: usize, split: Split) {
    for (hidden, hand) in hands.iter_mut().enumerate() {
        *hand += Counts::of(colour, u32::from(digit(split, hidden)));
    }
}

/// Something that may be held of some colours.
#[derive(Clone, Copy, Debug)]
struct Part {
    split: Split,
    /// In how many ways it can have been dealt, together with what has been played.
    ways: u64,
    /// How many worlds it is.
    worlds: u64,
}

/// What may be held of each colour, and in how many ways it can have been dealt.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// `of[colour]`: everything that can be held of it, splits ascending.
    of: ArrayVec<Vec<Part>, MAX_COLOURS>,
    /// How many cards are held in all.
    held: Split,
}

impl Ways {
    /// `unseen[colour]` cards were not dealt to the viewer; each of the others has played and holds this much.
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

    /// Everything that may be held, with the number of ways, one after the other.
    pub(super) fn all(&self) -> impl Iterator<Item = (Hidden, u64)> + '_ {
        /// What is held of the colours before this one, what is left for it and those after it, where to go on.
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
                // The last colour makes up what is left.
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

/// Adds everything that the last of the others can hold of a colour of which this many cards are left, given what those
/// after them hold; then what those before them can hold.
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

/// Draws what is held, exactly by the number of ways.
#[derive(Clone, Debug)]
pub(super) enum Draws {
    /// From a list of all worlds.
    Listed(Lottery<Hidden>),
    /// Colour by colour: a tree over the colours, of which each inner node divides what is held between two halves.
    ByColour(Tree),
}

/// The inner nodes of a tree over the colours.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Each before those below it.
    nodes: ArrayVec<Node, { MAX_COLOURS - 1 }>,
    /// For one split of one node after the other, what can be held of its left half.
    parts: Vec<Split>,
    /// Its ways, and those of the parts before it of the same split, together.
    cumulated: Vec<u64>,
    /// What is held in all.
    held: Split,
    /// How many worlds there are.
    worlds: u64,
}

/// Divides what is held of some colours between two halves of them.
#[derive(Clone, Debug)]
struct Node {
    /// `starts[split]`: where the parts of a split of both halves start; they end where those of the next number start.
    starts: Vec<u32>,
    left: Half,
    right: Half,
}

/// Half of the colours below a node.
#[derive(Clone, Copy, Debug)]
enum Half {
    /// One colour.
    Colour(u8),
    /// Several, divided again.
    Node(u8),
}

impl Draws {
    pub(super) fn new(ways: &Ways) -> Self {
        // Hands of r cards among c colours: at most (r + c - 1 over c - 1), for each of the others.
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

    /// How many different worlds there are.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Listed(lottery) => lottery.len(),
            Self::ByColour(tree) => tree.worlds,
        }
    }

    /// What is held.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Hidden {
        match self {
            Self::Listed(lottery) => lottery.draw(rng),
            Self::ByColour(tree) => tree.draw(rng),
        }
    }
}

impl Tree {
    /// Adds the nodes for these colours, the first of which has this number. Returns the uppermost node and everything that
    /// can be held of its colours; of all colours, what is held.
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

    use super::{Counts, Draws, Hidden, Ways};
    use crate::rng::Rng;
    use crate::testing::chi_square;

    /// Three others, each of whom has played some and holds three.
    fn ways() -> Ways {
        let played = [[2, 0, 1, 0, 0], [0, 0, 0, 3, 0], [1, 1, 1, 0, 0]];
        let counts = |hand: [u8; 5]| {
            hand.iter().enumerate().map(|(c, &n)| Counts::of(c, n.into())).fold(Counts::NONE, |a, b| a + b)
        };
        let others: Vec<_> = played.map(|hand| (counts(hand), 3)).to_vec();
        Ways::new(&[6, 5, 7, 4, 6], &others)
    }

    #[test]
    fn worlds_are_counted_and_listed_alike() {
        let ways = ways();
        let all: HashMap<Hidden, u64> = ways.all().collect();
        assert_eq!(all.len(), ways.all().count(), "each world once");
        assert_eq!(all.len() as u64, Draws::new(&ways).count());
        assert!(all.keys().all(|hands| hands.iter().all(|hand| hand.sum() == 3)));
    }

    #[test]
    fn drawing_by_colour_follows_the_ways() {
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
