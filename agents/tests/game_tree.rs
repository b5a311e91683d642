//! The tree matches the game: its information sets are the views, its probabilities are those of chance, and its
//! values are those of an enumeration event by event.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::toys::{self, KUHN, KUHN_THREE, LEDUC, matrix::Matrix};
use stier_agents::agent::threads::{Halted, pool};
use stier_agents::belief::Beliefs;
use stier_agents::solve::{BuildError, GameTree, Node, Policy, TooLarge, Tree, estimate_size};
use stier_agents::solve::{action_values, best_response, nash_conv, values};
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::liars_dice::LiarsDice;
use stier_core::games::schweins_galopp::SchweinsGalopp;
use stier_core::games::schwinget::Schwinget;
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{ActionSet as _, FromRules, Game, History, Rng, Seat, SeatView as _, Turn};
use stier_games::load;

/// The largest number of histories of a game here.
const MAX_NODES: usize = 3_000_000;

/// The game under these rules.
pub(crate) fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

fn tree<G: Game>(game: &G) -> GameTree<G> {
    GameTree::new(game, MAX_NODES).expect("a small game")
}

/// An arbitrary policy: every action has a different probability.
pub(crate) fn any_policy<G: Game>(tree: &GameTree<G>, seed: u64) -> Policy {
    Policy::from_fn(tree, |set| {
        let mut rng = Rng::stream(seed, "any policy", u64::from(set.number()));
        let weights: Vec<f64> = (0..set.legal().len()).map(|_| 0.05 + rng.unit()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    })
}

/// The number of histories, their probability if all seats follow the policy, and by beliefs their weights and the sums
/// of the weights times each action's value.
type Sums = (usize, f64, [(f64, Vec<f64>); 2]);

/// The game event by event, without merging.
struct Enumeration<'a, G: Game> {
    game: &'a G,
    policy: HashMap<G::View, Vec<f64>>,
    sets: HashMap<G::View, Sums>,
}

impl<G: Game> Enumeration<'_, G> {
    /// The expected returns from here; `reach` is by seat, with that of chance at the end.
    fn walk(&mut self, history: &History<G>, reach: &[f64]) -> Vec<f64> {
        let (game, state) = (self.game, history.state());
        let next = |event| {
            let mut next = history.clone();
            next.push(game, event);
            next
        };
        let mut total = vec![0.0; game.num_seats()];
        let mut add = |weight: f64, values: &[f64]| {
            total.iter_mut().zip(values).for_each(|(total, value)| *total += weight * value);
        };
        match game.turn(state) {
            Turn::Over => return game.returns(state).as_slice().to_vec(),
            Turn::Chance => {
                for outcome in game.chance(state) {
                    let mut reach = reach.to_vec();
                    *reach.last_mut().expect("chance") *= outcome.probability;
                    add(outcome.probability, &self.walk(&next(outcome.action), &reach));
                }
            }
            Turn::Seat(seat) => {
                let view = game.view(history, seat);
                let policy = self.policy[&view].clone();
                let mut found = Vec::new();
                for (action, &odds) in game.legal(state).iter().zip(&policy) {
                    let mut reach = reach.to_vec();
                    reach[seat.index()] *= odds;
                    let values = self.walk(&next(action), &reach);
                    add(odds, &values);
                    found.push(values[seat.index()]);
                }
                let all: f64 = reach.iter().product();
                let others = reach.iter().enumerate().filter(|&(other, _)| other != seat.index());
                let others: f64 = others.map(|(_, reach)| reach).product();
                let empty = || (0.0, vec![0.0; found.len()]);
                let set = self.sets.entry(view).or_insert_with(|| (0, 0.0, [empty(), empty()]));
                set.0 += 1;
                set.1 += all;
                for ((total, sums), weight) in set.2.iter_mut().zip([others, *reach.last().expect("chance")]) {
                    *total += weight;
                    sums.iter_mut().zip(&found).for_each(|(sum, value)| *sum += weight * value);
                }
            }
        }
        total
    }
}

/// Checks that every node matches the game's description of its history, and that sets are views. Returns the sets'
/// numbers by view.
fn sets_are_views<G: Game>(game: &G, tree: &GameTree<G>) -> HashMap<G::View, u32> {
    let name = format!("{}:{}", game.name(), game.rules().to_text());
    let mut views = HashMap::new();
    for set in tree.sets() {
        assert!(views.insert(set.view(), set.number()).is_none(), "{name}: two sets with the view {:?}", set.view());
    }
    for (number, node) in (0..).zip(tree.nodes()) {
        let history = tree.history(number);
        let state = history.state();
        match (node, game.turn(state)) {
            (Node::End { returns }, Turn::Over) => assert_eq!(*tree.returns(returns), game.returns(state)),
            (Node::Decision { set, first }, Turn::Seat(seat)) => {
                assert_eq!(views[&game.view(&history, seat)], set, "{name}: one set for each view");
                assert_eq!((tree.set(set).seat(), tree.set(set).legal()), (seat, game.legal(state)));
                assert_eq!(tree.width(set) as usize, game.legal(state).len());
                assert!(tree.set(set).members().binary_search(&number).is_ok());
                assert!((0..tree.width(set)).all(|rank| tree.parent(first + rank) == Some((number, rank))));
            }
            (Node::Chance { outcomes, first }, Turn::Chance) => {
                let odds = tree.outcomes(outcomes);
                assert!((odds.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!((0..odds.len() as u32).all(|rank| tree.parent(first + rank) == Some((number, rank))));
            }
            (node, turn) => panic!("{name}: {turn:?} at {node:?}"),
        }
    }
    assert_eq!(tree.parent(Tree::ROOT), None);
    for set in tree.sets() {
        // The player's previous action, in any of the histories.
        for &member in set.members() {
            let mut at = tree.parent(member);
            let before = std::iter::from_fn(|| {
                let (node, rank) = at?;
                at = tree.parent(node);
                Some((tree.node(node), rank))
            });
            let before = before.into_iter().find_map(|(node, rank)| match node {
                Node::Decision { set: other, .. } if tree.set(other).seat() == set.seat() => Some((other, rank)),
                _ => None,
            });
            assert_eq!(set.previous().map(|(set, rank)| (set.number(), rank)), before, "{name}: perfect recall");
        }
    }
    println!("{name}: {} histories, {} information sets", tree.num_nodes(), tree.num_sets());
    views
}

/// By history: the probability that chance and the other seats, or all seats, lead there, and its value to the seat.
fn reach_and_values<G: Game>(tree: &GameTree<G>, policy: &Policy, seat: Seat) -> [Vec<f64>; 3] {
    let children = |node: Node| match node {
        Node::End { .. } => (0, &[][..], false),
        Node::Chance { first, outcomes } => (first as usize, tree.outcomes(outcomes), false),
        Node::Decision { set, first } => (first as usize, policy.row(set), tree.set(set).seat() == seat),
    };
    let mut found = [(); 3].map(|()| vec![0.0; tree.num_nodes()]);
    let [others, all, values] = &mut found;
    (others[0], all[0]) = (1.0, 1.0);
    for (number, node) in tree.nodes().enumerate() {
        let (first, odds, is_own) = children(node);
        for (child, odds) in (first..).zip(odds) {
            others[child] = others[number] * if is_own { 1.0 } else { *odds };
            all[child] = all[number] * odds;
        }
    }
    for number in (0..tree.num_nodes()).rev() {
        let node = tree.node(number as u32);
        let (first, odds, _) = children(node);
        values[number] = match node {
            Node::End { returns } => tree.returns(returns)[seat],
            _ => (first..).zip(odds).map(|(child, odds)| odds * values[child]).sum(),
        };
    }
    found
}

/// Also compares values with an enumeration event by event. Returns the number of decisions in it and in the tree.
fn is_the_game<G: Game>(game: &G) -> [usize; 2] {
    let name = format!("{}:{}", game.name(), game.rules().to_text());
    let tree = tree(game);
    let views = sets_are_views(game, &tree);
    let policy = any_policy(&tree, 1);
    let rows = views.iter().map(|(view, &set)| (view.clone(), policy.row(set).to_vec()));
    let mut all = Enumeration { game, policy: rows.collect(), sets: HashMap::new() };
    let expected = all.walk(&History::new(game), &vec![1.0; game.num_seats() + 1]);
    for (value, expected) in values(&tree, &policy).iter().zip(&expected) {
        assert!((value - expected).abs() < 1e-9, "{name}: {value}, not {expected}");
    }
    assert_eq!(all.sets.len(), tree.num_sets());
    for seat in Seat::all(game.num_seats()) {
        let [others, all_seats, values] = reach_and_values(&tree, &policy, seat);
        for (view, (_, reach, [(weight, sums), _])) in all.sets.iter().filter(|(view, _)| view.seat() == seat) {
            let members = tree.set(views[view]).members().iter().map(|&member| member as usize);
            let total = |numbers: &[f64]| members.clone().map(|member| numbers[member]).sum::<f64>();
            assert!((total(&all_seats) - reach).abs() < 1e-12, "{name}: {view:?}");
            assert!((total(&others) - weight).abs() < 1e-12, "{name}: {view:?}");
            for (rank, sum) in sums.iter().enumerate() {
                let after = |member: usize| match tree.node(member as u32) {
                    Node::Decision { first, .. } => others[member] * values[first as usize + rank],
                    node => panic!("{node:?} in a set"),
                };
                let found: f64 = members.clone().map(after).sum();
                assert!((found - sum).abs() < 1e-9 * weight.max(1.0), "{name}: {found}, not {sum} at {view:?}");
            }
        }
    }
    for (place, beliefs) in [Beliefs::Policy, Beliefs::Uniform].into_iter().enumerate() {
        let found = action_values(&tree, &policy, beliefs);
        for (view, (_, _, weighted)) in &all.sets {
            let (weight, sums) = &weighted[place];
            for (value, sum) in found.rows[views[view] as usize].iter().zip(sums) {
                assert!((value - sum / weight).abs() < 1e-9, "{name}: {value}, not {} at {view:?}", sum / weight);
            }
        }
        let reached =
            |(view, set): (&G::View, &(usize, f64, _))| (found.reach[views[view] as usize] - set.1).abs() < 1e-9;
        assert!(beliefs != Beliefs::Policy || all.sets.iter().all(reached), "{name}");
    }
    [
        all.sets.values().map(|set| set.0).sum(),
        tree.nodes().filter(|node| matches!(node, Node::Decision { .. })).count(),
    ]
}

#[test]
fn trees_of_toys_are_the_games() {
    assert_eq!(is_the_game(&*KUHN), [24, 24]);
    is_the_game(&*KUHN_THREE);
    is_the_game(&*LEDUC);
    is_the_game(&toys::plain::<LiarsDice>("sides=3"));
    is_the_game(&toys::plain::<Goofspiel>("cards=4"));
    is_the_game(&toys::plain::<Matrix>("heads=3"));
}

/// A Schwinget with two suits of four, one card in each hand and four to draw: 199,921 histories and 78,064
/// information sets.
pub(crate) const SMALL_SCHWINGET: &str = "suits=2,values=4,referee=off,counter=off,hand_size=1,set_aside=2";

/// All games except Schwimmen, whose smallest deck has 369,600 deals.
#[test]
fn trees_of_our_games_are_the_games() {
    let locked = "suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2";
    let [single, merged] = is_the_game(&game::<Schwinget>(locked));
    assert_eq!(single, 4 * merged, "two cards in each hand, in either order");
    is_the_game(&game::<Schwinget>("suits=2,values=3,referee=off,counter=off,hand_size=1,set_aside=2"));
    is_the_game(&game::<Schwinget>("suits=2,values=2,referee=on,counter=off,hand_size=1,set_aside=1,utility=win"));
    // A second deal after the first, with several consecutive random events.
    is_the_game(&game::<Schwinget>("suits=2,values=2,referee=off,counter=off,hand_size=1,set_aside=2,bouts=2"));
    is_the_game(&game::<UpAndDown>("players=2,die_faces=2,hand_size=1"));
    is_the_game(&game::<SchweinsGalopp>(
        "players=2,rounds=1,colours=2,cards_per_colour=3,hand_size=2,track=8,track_food=off",
    ));
}

/// One thread and three give the same tree, values and best responses.
#[test]
fn trees_and_values_do_not_depend_on_threads() {
    let game = game::<Schwinget>(SMALL_SCHWINGET);
    let all = |threads: usize| {
        pool(threads).expect("threads").install(|| {
            let tree = tree(&game);
            let nodes: Vec<Node> = tree.nodes().collect();
            let views: Vec<_> = tree.sets().take(500).map(|set| set.view()).collect();
            let policy = any_policy(&tree, 2);
            let responses = [0, 1].map(|seat| best_response(&tree, &policy, Seat(seat)));
            (nodes, views, values(&tree, &policy), nash_conv(&tree, &policy), responses)
        })
    };
    assert!(all(1) == all(3));
}

#[test]
fn building_stops_at_the_limit_and_on_interruption() {
    let game = game::<Schwinget>(SMALL_SCHWINGET);
    let told = AtomicUsize::new(0);
    let stopped = GameTree::build(&game, MAX_NODES, &|histories| {
        told.fetch_max(histories, Ordering::Relaxed);
        if histories > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.map(|_| ()), Err(Halted::Interrupted.into()));
    assert!(told.into_inner() < tree(&game).num_nodes());
    // This is too close for the estimate, which has a margin of a factor of two.
    let small = GameTree::build(&game, 100_000, &|_| ControlFlow::Continue(()));
    assert_eq!(small.map(|_| ()), Err(BuildError::TooLarge(TooLarge::Counted { most: 100_000 })));
}

/// The estimate is the number of histories within four standard errors, and these are small.
fn is_estimated<G: Game>(game: &G) {
    let (histories, found) = (tree(game).num_nodes() as f64, estimate_size(game, 4000));
    let name = format!("{}:{}", game.name(), game.rules().to_text());
    assert!((found.histories - histories).abs() <= 4.0 * found.error + 1e-6, "{name}: {found:?}, not {histories}");
    assert!(found.error < 0.1 * histories, "{name}: {found:?} of {histories}");
}

#[test]
fn sizes_are_estimated() {
    is_estimated(&*KUHN);
    is_estimated(&*LEDUC);
    is_estimated(&toys::plain::<LiarsDice>("sides=3"));
    is_estimated(&toys::plain::<Goofspiel>("cards=4"));
    // Hands of two cards, dealt in either order; a card drawn in between; a second deal.
    is_estimated(&game::<Schwinget>("suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2"));
    is_estimated(&game::<Schwinget>(SMALL_SCHWINGET));
    is_estimated(&game::<Schwinget>("suits=2,values=2,referee=off,counter=off,hand_size=1,set_aside=2,bouts=2"));
    is_estimated(&game::<UpAndDown>("players=2,die_faces=2,hand_size=1"));
    is_estimated(&game::<SchweinsGalopp>(
        "players=2,rounds=1,colours=2,cards_per_colour=3,hand_size=2,track=8,track_food=off",
    ));
}

#[test]
fn large_games_are_refused_before_anything_is_enumerated() {
    for name in ["schwinget", "up_and_down", "schweins_galopp", "schwimmen"] {
        let game = load(name, "").expect("a game");
        let tree = game.enumerate((1 << 30) - 1, 1, &|_| panic!("{name} is being enumerated"));
        match tree.map(|_| ()) {
            Err(BuildError::TooLarge(TooLarge::Estimated { estimate, .. })) => {
                assert!(estimate.histories > 1e10, "{name}: {estimate:?}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}
