//! A part of a game solved anew, from the ranges of both players at its root.
//!
//! With the ranges as they are, the policies are an equilibrium of the part, but a player that follows one may lose more
//! against an opponent who knows it: such an opponent chooses with which hands it comes there. The gadgets keep a player
//! safe by what each hand of the opponent was worth against the policy before, its *alternative*: the value of a best
//! response. See N. Burch, M. Johanson and M. Bowling, *Solving Imperfect Information Games Using Decomposition*, AAAI 2014,
//! and M. Moravčík, M. Schmid, K. Ha, M. Hladík and S. Gaukrodger, *Refining Subgames in Large Imperfect Information
//! Games*, AAAI 2016.

use std::sync::{Arc, Mutex};

use stier_core::{Action, Seat, Turn};

use super::measure::pass;
use super::parts::RangeTree;
use super::passes::Task;
use super::policy::RangePolicy;
use super::solver::RangeSolver;
use crate::agent::endings::{EndingSettings, Gadget};
use crate::agent::threads::{Halted, Watch, goes_on};
use crate::solve::cfr::Variant;

/// The public events since a tree begins, and the hands of a seat with a choice there.
pub(crate) type Question = (Vec<Action>, Vec<u64>);

/// Answers questions: the probabilities of all actions of these hands. May be stopped.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(&[Question]) -> Result<Vec<f64>, Halted>;

/// The least number of a hand of the player that learns, compared with its largest.
const LEAST: f32 = 1e-6;

/// The hands with which the opponent begins.
struct Beginning<'a> {
    gadget: Gadget,
    /// The probability that the hand comes from its range, not from the gadget.
    range_share: f64,
    /// By hand: the probability of the range, by pair of hands that fit.
    range: Vec<f64>,
    alternatives: &'a [f64],
    /// By hand: the probability that the gadget is about it, by pair of hands that fit; with max-margin, if it is chosen.
    weights: Vec<f64>,
    /// By hand: the probability that it begins, or with max-margin that it is chosen.
    shares: Vec<f64>,
    /// By hand: the regrets of these, and of the alternative.
    regrets: Vec<[f64; 2]>,
}

impl<'a> Beginning<'a> {
    /// `pairs` is, by hand, the sum of the other player's range over the hands that fit.
    fn new(gadget: Gadget, range_share: f64, range: &[f32], alternatives: &'a [f64], pairs: &[f64]) -> Self {
        let inverse = |sum: f64| if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let all = inverse(pairs.iter().sum());
        let scale = inverse(range.iter().zip(pairs).map(|(&number, pairs)| f64::from(number) * pairs).sum());
        let range = range.iter().map(|&number| if scale > 0.0 { f64::from(number) * scale } else { all }).collect();
        let (weights, shares) = match gadget {
            Gadget::MaxMargin => {
                (pairs.iter().map(|&sum| inverse(sum)).collect(), vec![1.0 / pairs.len() as f64; pairs.len()])
            }
            _ => (vec![all; pairs.len()], vec![1.0; pairs.len()]),
        };
        let range_share = if gadget == Gadget::Unsafe { 1.0 } else { range_share };
        Self { gadget, range_share, range, alternatives, weights, shares, regrets: vec![[0.0; 2]; pairs.len()] }
    }

    /// The range that counts for the other player.
    fn range(&self) -> Vec<f32> {
        let Self { range_share, range, weights, shares, .. } = self;
        let begins = weights.iter().zip(shares).map(|(weight, share)| (1.0 - range_share) * weight * share);
        range.iter().zip(begins).map(|(number, begins)| (range_share * number + begins) as f32).collect()
    }

    /// Learns from the values of the hands.
    fn learn(&mut self, values: &[f32]) {
        let gains = values.iter().map(|&value| f64::from(value)).zip(self.alternatives).zip(&self.weights);
        let gains: Vec<f64> = gains.map(|((value, other), weight)| (value - other) * weight).collect();
        let is_one = self.gadget == Gadget::MaxMargin;
        let mean: f64 = gains.iter().zip(&self.shares).map(|(gain, share)| gain * share).sum();
        for ((gain, share), [begins, leaves]) in gains.iter().zip(&self.shares).zip(&mut self.regrets) {
            let mean = if is_one { mean } else { gain * share };
            *begins = (*begins + gain - mean).max(0.0);
            *leaves = if is_one { 0.0 } else { (*leaves - mean).max(0.0) };
        }
        let all: f64 = self.regrets.iter().map(|regrets| regrets[0]).sum();
        let even = if is_one { 1.0 / gains.len() as f64 } else { 0.5 };
        for (share, [begins, leaves]) in self.shares.iter_mut().zip(&self.regrets) {
            let sum = if is_one { all } else { begins + leaves };
            *share = if sum > 0.0 { begins / sum } else { even };
        }
    }
}

impl RangePolicy {
    /// The policy of a seat, asked for in every public state in which one of its hands has a choice; that of the other seat
    /// is uniform.
    pub(crate) fn of_seat(tree: Arc<RangeTree>, seat: usize, ask: Ask<'_>, watch: Watch<'_>) -> Result<Self, Halted> {
        let (mut rows, seat_number) = (tree.zeros(), Seat(seat as u8));
        let (mut questions, mut spots) = (Vec::new(), Vec::new());
        tree.walk(&mut tree.fresh(), &mut |form, route, (public, spot), choice| {
            goes_on(watch())?;
            if choice.turn == Turn::Seat(seat_number) && choice.num_cells() > 0 {
                let hands = choice.rows().map(|(hand, _)| form.key(public, seat_number, hand));
                questions.push((route.events.clone(), hands.collect()));
                spots.push(spot);
            }
            Ok(())
        })?;
        let mut shares = ask(&questions)?.into_iter();
        for spot in spots {
            let (block, cells) = (tree.block(spot), tree.shape(spot).num_cells());
            for (cell, share) in (0..cells).zip(&mut shares) {
                rows[spot.part][block.cell(cell) + spot.lane] = share as f32;
            }
        }
        Ok(Self::new(tree, rows))
    }

    /// The values of a seat's hands where the tree begins, if the seat plays a best response to this policy, and the other
    /// one has this range.
    fn responses(&self, ranges: [&[f32]; 2], seat: usize) -> Vec<f64> {
        let task = |rows| (Some(rows), Task::Best { seats: seat..seat + 1, chosen: None });
        let tasks = self.rows.iter().map(|rows| task(&rows[..])).collect();
        let (_, first) = pass::<f64>(self.tree(), Some(ranges), tasks, &Mutex::default());
        first.into_iter().nth(seat).expect("there are two seats")
    }

    /// The policy of a seat in a part of a game, solved anew. `before` is that of the seat before, which gadgets need, and
    /// `ranges` are those where the tree begins. That of the other seat is uniform. `watch` is asked before each iteration,
    /// and may stop it.
    pub(crate) fn resolved(
        (tree, before): (Arc<RangeTree>, Option<&Self>),
        ranges: [&[f32]; 2],
        seat: usize,
        settings: &EndingSettings,
        watch: Watch<'_>,
    ) -> Result<Self, Halted> {
        let &EndingSettings { gadget, range_share, ending_iterations, .. } = settings;
        let other = seat ^ 1;
        let alternatives = match gadget {
            Gadget::Unsafe => vec![0.0; ranges[other].len()],
            _ => before.expect("a gadget needs the policy before").responses(ranges, other),
        };
        let root = tree.known().openings[0].public;
        let own: Vec<f64> = ranges[seat].iter().map(|&number| number.into()).collect();
        let pairs = tree.sums(root, seat, &own, ranges[other].len());
        let mut beginning = Beginning::new(gadget, range_share, ranges[other], &alternatives, &pairs);
        let mut solver = RangeSolver::new(tree, Variant::Discounted, ending_iterations);
        for _ in 0..ending_iterations {
            goes_on(watch())?;
            for learner in [other, seat] {
                let range = beginning.range();
                let mut given = [&range[..]; 2];
                given[seat] = ranges[seat];
                let own = raised(given[learner]);
                given[learner] = &own;
                let values = solver.learn(learner, Some(given), learner == seat);
                if learner == other {
                    beginning.learn(&values);
                }
            }
            solver.count();
        }
        Ok(solver.into_policy())
    }
}

/// A range in which every hand counts, so that there is a policy for it.
fn raised(range: &[f32]) -> Vec<f32> {
    let least = LEAST * range.iter().copied().fold(0.0, f32::max);
    range.iter().map(|number| number.max(least)).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use stier_core::games::kuhn_poker::KuhnPoker;
    use stier_core::games::leduc_poker::LeducPoker;
    use stier_core::games::schwinget::Schwinget;
    use stier_core::public::PublicForm;
    use stier_core::{FromRules as _, Game as _, Plain, Seat, Turn};

    use super::{EndingSettings, Gadget, RangePolicy, RangeSolver, RangeTree};
    use crate::solve::Iterative as _;
    use crate::solve::cfr::Variant;
    use crate::solve::ranges::PublicTree;
    use crate::solve::ranges::parts::{Spot, TreeState};

    const MOST: u64 = 1 << 30;
    const GADGETS: [Gadget; 3] = [Gadget::Unsafe, Gadget::Resolve, Gadget::MaxMargin];

    fn goes_on() -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Calls `visit` for each public state of a part in which a player acts, with the player and its places in both trees.
    fn each(
        whole: &RangeTree,
        part: &RangeTree,
        (there, here): (Spot, Spot),
        visit: &mut dyn FnMut(usize, Spot, Spot),
    ) {
        let Some(choice) = part.shape(here).choice() else { return };
        visit(choice.mover(), there, here);
        for branch in 0..choice.branches.len() {
            each(whole, part, (whole.after(there, branch), part.after(here, branch)), visit);
        }
    }

    /// Copies the policy in a public state.
    fn copy(from: (&RangePolicy, Spot), (to, spot): (&mut RangePolicy, Spot)) {
        let places = |tree: &RangeTree, spot: Spot| {
            let (block, cells) = (tree.block(spot), tree.shape(spot).num_cells());
            (0..cells).map(|cell| block.cell(cell) + spot.lane).collect::<Vec<usize>>()
        };
        let pairs = places(to.tree(), spot).into_iter().zip(places(from.0.tree(), from.1));
        pairs.for_each(|(here, there)| to.rows[spot.part][here] = from.0.rows[from.1.part][there]);
    }

    /// The policy in which each part of the game that begins after so many decisions is solved anew.
    fn composed(form: &dyn PublicForm, before: &RangePolicy, decisions: u32, gadget: Gadget) -> RangePolicy {
        let tree = PublicTree::new((form.fresh(), ""), None, None, (MOST, 1), &goes_on).expect("it is small");
        let own = tree.rows_of(before, &goes_on).expect("it goes on").expect("it is of this game");
        let play =
            tree.follow([&own[0], &own[1]], None, &|_, _, _| ControlFlow::Break(()), &goes_on).expect("it goes on");
        let settings =
            EndingSettings { gadget, range_share: 0.0, ending_iterations: 1000, ..EndingSettings::default() };
        let whole = before.tree();
        let mut after = RangePolicy::new(whole.clone(), before.rows.clone());
        let mut open: Vec<(TreeState, u32)> = tree.roots().into_iter().map(|root| (root, 0)).collect();
        let mut parts = 0;
        while let Some((state, done)) = open.pop() {
            let acts = matches!(tree.scene(&state).turn(), Turn::Seat(_));
            if !acts || done < decisions {
                let next = done + u32::from(acts);
                open.extend((0..tree.num_branches(&state)).map(|branch| (tree.child(&state, branch), next)));
                continue;
            }
            parts += 1;
            let ranges = [0, 1].map(|seat| play.range(&tree, &state, Seat(seat)));
            let root = (Some(state.route.clone()), None);
            let part = RangeTree::build(form.fresh(), "", root, false, MOST, &goes_on).expect("it is small");
            let there =
                whole.find(&mut whole.known(), state.route.opening, &state.route.events).expect("it is there").1;
            let spots = (there, part.opening(0).expect("an opening"));
            let part = Arc::new(part);
            let mut known = RangePolicy::new(part.clone(), part.zeros());
            each(whole, &part, spots, &mut |_, there, here| copy((before, there), (&mut known, here)));
            for seat in 0..2 {
                let found = RangePolicy::resolved(
                    (part.clone(), Some(&known)),
                    [&ranges[0], &ranges[1]],
                    seat,
                    &settings,
                    &goes_on,
                )
                .expect("it goes on");
                each(whole, &part, spots, &mut |mover, there, here| {
                    if mover == seat {
                        copy((&found, here), (&mut after, there));
                    }
                });
            }
        }
        assert!(parts > 1, "{parts}");
        after
    }

    fn forms() -> Vec<(&'static str, Box<dyn PublicForm>, u32)> {
        let plain = |game: Plain| game.public_form(1 << 20, false, &|| true).expect("a form");
        let deck = "suits=2,values=3,referee=off,hand_size=2,set_aside=1";
        vec![
            ("Kuhn", plain(Plain::new(KuhnPoker::from_text("").expect("rules"))), 1),
            ("Leduc", plain(Plain::new(LeducPoker::from_text("").expect("rules"))), 2),
            ("deck", Schwinget::from_text(deck).expect("rules").public_form(0, false, &|| true).expect("a form"), 2),
        ]
    }

    fn solved(form: &dyn PublicForm, iterations: u64) -> RangePolicy {
        let tree = Arc::new(RangeTree::new(form.fresh(), "", MOST, &goes_on).expect("it is small"));
        let mut solver = RangeSolver::new(tree, Variant::Scheduled, iterations);
        assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
        solver.into_policy()
    }

    #[test]
    fn an_equilibrium_stays_one_only_with_a_gadget() {
        for (name, form, decisions) in forms() {
            let before = solved(&*form, 2000);
            let known = before.measure().total();
            assert!(known < 1e-3, "{name}: {known}");
            let [unsafe_one, safe @ ..] =
                GADGETS.map(|gadget| composed(&*form, &before, decisions, gadget).measure().total());
            assert!(unsafe_one > known + 0.01, "{name}: {unsafe_one} after {known}");
            safe.into_iter().for_each(|found| assert!(found < known + 1e-3, "{name}: {found} after {known}"));
        }
    }

    #[test]
    fn gadgets_never_lose_by_a_bad_policy() {
        let mut lost = 0;
        for (name, form, decisions) in forms() {
            for iterations in [3, 5] {
                let before = solved(&*form, iterations);
                let known = before.measure().total();
                let [unsafe_one, safe @ ..] =
                    GADGETS.map(|gadget| composed(&*form, &before, decisions, gadget).measure().total());
                lost += u32::from(unsafe_one > known + 0.01);
                safe.into_iter().for_each(|found| assert!(found < known + 1e-3, "{name}: {found} after {known}"));
            }
        }
        assert!(lost > 0, "without a gadget some are worse");
    }
}
