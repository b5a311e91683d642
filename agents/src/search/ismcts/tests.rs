use stier_core::{Action, ActionSet as _, Actions64, Rng};

use super::IsmctsOptions;
use super::fast_math::{exp, ln};
use super::puct::{NetworkPuct, Puct};
use super::regret::{RegretRule, Regrets};
use super::selection::{Expansion, Rule, Selection};
use super::tree::{LANES, Tree};
use super::ucb::{SmoothUct, Ucb1};
use crate::agent::memory::Memory;

#[test]
fn the_logarithm_is_close_and_not_negative() {
    for count in (1..10_000).chain((1..260).map(|k| k * 4_000_003)) {
        let exact = f64::from(count).ln();
        let close = f64::from(ln(count));
        assert!(close >= 0.0 && (close - exact).abs() < 2e-4, "ln({count}): {close} for {exact}");
    }
}

#[test]
fn the_exponential_is_close() {
    for x in (0..86_600).map(|k| -f64::from(k) / 1000.0) {
        let close = f64::from(exp(x as f32));
        assert!((close / x.exp() - 1.0).abs() < 1e-4, "exp({x}): {close} for {}", x.exp());
    }
    for x in [-88.0, -1e6, -1e30, f32::NEG_INFINITY] {
        assert!((2.3e-38..2.4e-38).contains(&exp(x)), "{}", exp(x));
    }
}

/// The prior of a visit, and that of the edges of a block.
struct Prior {
    favoured: Actions64,
    base: f32,
    bonus: f32,
    lanes: [f32; LANES],
}

/// A node's edge as the formulas see it.
#[derive(Clone, Copy, Default)]
struct Arm {
    visits: u32,
    available: u32,
    value: f64,
}

/// Follows a rule through 3,000 visits to a node of 21 edges, a third of them legal each time, and checks that
/// every selected edge has the highest bound.
fn follows<S: Selection<Actions64>>(
    c: f64,
    spread: f32,
    set_priors: impl Fn(&mut S, &mut S::Extra, Prior),
    bound: impl Fn(&Arm, f64, f64) -> f64,
) {
    let mut rule = S::new(&IsmctsOptions { c, ..Default::default() });
    let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
    let root = tree.add_node();
    let ids: Vec<Action> = (0..21).map(|i| Action(3 * i)).collect();
    let mut arms = vec![Arm::default(); 21];
    let mut rng = Rng::stream(1, "rule", 0);
    if S::EXPANSION == Expansion::OneByOne {
        for (arm, &action) in arms.iter_mut().zip(&ids) {
            let edge = tree.expand(root, Actions64::default(), action);
            let value = rng.unit();
            *arm = Arm { visits: 1, available: 1, value };
            S::learn(&mut tree, edge, Default::default(), value);
        }
    } else {
        tree.add_edges(root, ids.iter().copied());
    }
    for _ in 0..3000 {
        let legal: Actions64 = ids.iter().copied().filter(|_| rng.below(3) == 0).collect();
        if legal.is_empty() {
            continue;
        }
        // Every second legal action is favoured: it has three times the prior of the others, about.
        let favoured: Actions64 = legal.iter().step_by(2).collect();
        let (base, bonus) = (0.5 / legal.len() as f32, 0.5 / favoured.len() as f32);
        let prior_of = |action| base + bonus * f32::from(favoured.contains(action));
        tree.for_each_block(root, |block, extra| {
            let lanes = block.action.map(|id| prior_of(Action(id)));
            set_priors(&mut rule, extra, Prior { favoured, base, bonus, lanes });
        });
        let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
        let mean = if visits == 0 { 0.5 } else { arms.iter().map(|arm| arm.value).sum::<f64>() / f64::from(visits) };
        let (edge, note) = rule.select(&mut tree, root, legal, spread, &mut rng);
        let action = tree.action(edge);
        let chosen = ids.iter().position(|&id| id == action).expect("an edge");
        assert!(legal.contains(action));
        let mut best = f64::NEG_INFINITY;
        let mut of_chosen = 0.0;
        for (index, &id) in ids.iter().enumerate().filter(|&(_, &id)| legal.contains(id)) {
            arms[index].available += 1;
            let here = bound(&arms[index], f64::from(prior_of(id)), mean);
            best = best.max(here);
            of_chosen = if index == chosen { here } else { of_chosen };
        }
        assert!(of_chosen > best - 1e-3, "chose {action:?} with {of_chosen}, best is {best}, c = {c}");
        // Some actions are better than others.
        let value = rng.unit() * f64::from(action.0 + 30) / 93.0;
        S::learn(&mut tree, edge, note, value);
        arms[chosen].visits += 1;
        arms[chosen].value += value;
    }
    for ((edge, _), arm) in tree.edges(root, S::weight).iter().zip(&arms) {
        assert_eq!((edge.visits, edge.available > 0), (u64::from(arm.visits), arm.available > 0));
        assert!(S::EXPANSION == Expansion::AllAtOnce || edge.available == u64::from(arm.available));
        assert!((edge.sum - arm.value).abs() < 1e-9);
    }
}

#[test]
fn bounds_follow_the_formulas() {
    for (c, spread) in [(0.1, 1.0), (0.7, 0.3), (2.0, 1.0), (0.0, 1.0)] {
        let wide = c * f64::from(spread);
        follows::<Ucb1>(
            c,
            spread,
            |_, _, _| {},
            |arm, _, _| {
                let visits = f64::from(arm.visits);
                arm.value / visits + wide * (f64::from(arm.available).ln() / visits).sqrt()
            },
        );
        let puct = |arm: &Arm, prior: f64, unseen: f64| {
            let visits = f64::from(arm.visits);
            let mean = if arm.visits == 0 { unseen } else { arm.value / visits };
            mean + wide * prior * f64::from(arm.available).sqrt() / (1.0 + visits)
        };
        let set = |rule: &mut Puct<Actions64>, _: &mut (), prior: Prior| {
            (rule.favoured, rule.base, rule.bonus) = (prior.favoured, prior.base, prior.bonus);
        };
        follows::<Puct<Actions64>>(c, spread, set, puct);
        follows::<NetworkPuct>(c, spread, |_, priors, prior| *priors = prior.lanes, puct);
    }
}

/// The share of each of 12 arms in the average strategy and in the visits after that many pulls; arm `k` pays 1
/// with probability (k + 1) / 13.
fn bandit<S: Selection<Actions64>>(options: &IsmctsOptions, pulls: u32) -> (Vec<f64>, Vec<f64>) {
    let rule = S::new(options);
    let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
    let root = tree.add_node();
    let mut rng = Rng::stream(1, "bandit", 0);
    let legal: Actions64 = (0..12).map(Action).collect();
    for pull in 0..pulls {
        let untried = legal.without(tree.tried(root));
        let (edge, note) = if untried.is_empty() {
            rule.select(&mut tree, root, legal, 1.0, &mut rng)
        } else {
            (tree.expand(root, legal, untried.pick(&mut rng)), Default::default())
        };
        let pays = rng.below(13) <= u32::from(tree.action(edge).0);
        S::learn(&mut tree, edge, note, f64::from(pays));
        debug_assert!(pull < 12 || untried.is_empty());
    }
    let edges = tree.edges(root, S::weight);
    let mut shares = (vec![0.0; 12], vec![0.0; 12]);
    let total: f64 = edges.iter().filter_map(|(_, weight)| *weight).sum();
    for (edge, weight) in edges {
        let weight = weight.expect("an average strategy");
        assert!(weight.is_finite() && weight >= 0.0);
        shares.0[edge.action.index()] = weight / total;
        shares.1[edge.action.index()] = edge.visits as f64 / f64::from(pulls);
    }
    shares
}

#[test]
fn mixed_rules_find_the_best_arm() {
    let [exp3, matching] =
        [Rule::Exp3, Rule::RegretMatching].map(|selection| IsmctsOptions { selection, ..IsmctsOptions::default() });
    for (average, visits) in [
        bandit::<RegretRule>(&exp3, 20_000),
        bandit::<RegretRule>(&matching, 20_000),
        bandit::<SmoothUct>(&matching, 20_000),
    ] {
        assert!(average[11] > 0.7, "{average:?}");
        assert!(visits[11] > 0.6 && visits.iter().all(|&share| share > 0.0), "{visits:?}");
    }
    // Exploration costs its share of the visits and nothing of the average strategy.
    for options in [exp3, matching] {
        let (average, visits) = bandit::<RegretRule>(&IsmctsOptions { gamma: 0.6, ..options }, 20_000);
        assert!(average[11] > 0.9 && (0.40..0.46).contains(&visits[11]), "{average:?} {visits:?}");
        assert!(visits[0] > 0.04, "{visits:?}");
    }
}

/// An iteration that passes a node three times, each time without the actions chosen before, learns regrets that
/// the strategy of each visit weighs to 0.
#[test]
fn regrets_are_relative_to_the_strategy_of_their_visit() {
    for selection in [Rule::Exp3, Rule::RegretMatching] {
        let rule =
            <RegretRule as Selection<Actions64>>::new(&IsmctsOptions { selection, gamma: 0.3, ..Default::default() });
        let mut tree: Tree<Actions64, Regrets> = Tree::new(Memory::unlimited());
        let root = tree.add_node();
        let all: Actions64 = (0..12).map(Action).collect();
        for action in all.iter() {
            let edge = tree.expand(root, all, action);
            <RegretRule as Selection<Actions64>>::learn(&mut tree, edge, Default::default(), 0.5);
        }
        let rows = |tree: &mut Tree<Actions64, Regrets>| {
            let (mut strategy, mut regret) = (Vec::new(), Vec::new());
            tree.for_each_block(root, |_, extra| {
                strategy.extend(extra.strategy.map(f64::from));
                regret.extend(extra.regret);
            });
            (strategy, regret)
        };
        let mut rng = Rng::stream(1, "passed again", 0);
        for _ in 0..200 {
            let mut legal = all;
            let mut visits = Vec::new();
            for _ in 0..3 {
                let (edge, note) = rule.select(&mut tree, root, legal, 1.0, &mut rng);
                visits.push((edge, note, rows(&mut tree).0));
                legal = legal.without(Actions64::default().with(tree.action(edge)));
            }
            let value = rng.unit();
            for (edge, note, strategy) in visits.into_iter().rev() {
                let before = rows(&mut tree).1;
                RegretRule::learn(&mut tree, edge, note, value);
                let after = rows(&mut tree).1;
                let weighed: f64 = (0..after.len()).map(|i| strategy[i] * (after[i] - before[i])).sum();
                let most = after.iter().zip(&before).map(|(after, before)| (after - before).abs()).fold(1.0, f64::max);
                assert!(weighed.abs() < 0.01 * most, "{selection:?}: {weighed} of {most}");
            }
        }
    }
}

#[test]
fn ten_million_pulls_overflow_nothing() {
    let exp3 = IsmctsOptions { selection: Rule::Exp3, ..Default::default() };
    let (average, visits) = bandit::<RegretRule>(&exp3, 10_000_000);
    assert!(average[11] > 0.95 && visits[11] > 0.95, "{average:?}");
    let (average, _) = bandit::<RegretRule>(&IsmctsOptions { gamma: 0.5, ..exp3 }, 300_000);
    assert!(average[11] > 0.99, "{average:?}");
}
