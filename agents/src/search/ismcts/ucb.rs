//! UCB1 (Auer, Cesa-Bianchi and Fischer 2002) and its mixture with the average strategy (Heinrich and Silver 2015).

use stier_core::{ActionSet, Rng};

use super::IsmctsOptions;
use super::fast_math::ln;
use super::selection::{Selection, count, draw, gamma_or_default, means};
use super::tree::{Block, Bounds, Edge, LANES, Tree, lanes};

/// UCB1: mean + c spread sqrt(ln(availability) / visits).
#[derive(Clone)]
pub(super) struct Ucb1 {
    c: f32,
}

impl<A: ActionSet> Selection<A> for Ucb1 {
    type Extra = ();
    type Note = ();

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32 }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, ()>, node: u32, legal: A, spread: f32, _rng: &mut Rng) -> (Edge, ()) {
        (tree.best(node, legal, Self { c: self.c * spread }), ())
    }
}

impl<A> Bounds<A, ()> for Ucb1 {
    #[inline(always)]
    fn of(&self, block: &Block<A>, (): &()) -> [f32; LANES] {
        let (mean, share) = means(block);
        let log = lanes(|i| ln(block.available[i]));
        lanes(|i| mean[i] + self.c * (log[i] * share[i]).sqrt())
    }
}

/// Smooth-UCT: with probability max(gamma, eta / (1 + d sqrt(visits))) UCB1, else an action drawn from the average
/// strategy, the visits, each divided by availability.
#[derive(Clone)]
pub(super) struct SmoothUct {
    ucb1: Ucb1,
    gamma: f32,
}

/// The initial share of UCB1 in Smooth-UCT.
const ETA: f32 = 0.9;
/// The rate at which that share falls, with the square root of the visits.
const D: f32 = 0.001;

impl<A: ActionSet> Selection<A> for SmoothUct {
    type Extra = ();
    type Note = ();

    fn new(options: &IsmctsOptions) -> Self {
        Self { ucb1: Ucb1 { c: options.c as f32 }, gamma: gamma_or_default(options) }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, ()>, node: u32, legal: A, spread: f32, rng: &mut Rng) -> (Edge, ()) {
        let mut visits = 1;
        for block in tree.blocks(node) {
            let legal = block.legal(legal);
            visits = lanes(|i| block.available[i] * legal[i]).into_iter().fold(visits, u32::max);
        }
        let eta = (ETA / (1.0 + D * (visits as i32 as f32).sqrt())).max(self.gamma);
        if (rng.unit() as f32) < eta {
            return self.ucb1.select(tree, node, legal, spread, rng);
        }
        let mut weights = count(tree, node, legal).mask;
        let mut total = 0.0;
        for (row, block) in weights.iter_mut().zip(tree.blocks(node)) {
            *row = lanes(|i| row[i] * block.visits[i] as i32 as f32 / block.available[i].max(1) as i32 as f32);
            total += row.iter().sum::<f32>();
        }
        (draw(tree, node, &weights, total, rng).0, ())
    }

    fn weight(block: &Block<A>, (): &(), lane: usize) -> Option<f64> {
        Some(f64::from(block.visits[lane]))
    }
}
