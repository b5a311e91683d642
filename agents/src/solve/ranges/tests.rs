//! Parts of games solved anew on public states: the proof of the gadgets, and the measure of faster solvers.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use stier_core::endings::PublicPlay;
use stier_core::games::kuhn_poker::KuhnPoker;
use stier_core::games::leduc_poker::LeducPoker;
use stier_core::games::schwinget::{Schwinget, State};
use stier_core::processor::Vector;
use stier_core::public::{Place, PublicForm};
use stier_core::{Action, ActionSet as _, FromRules as _, Game as _, History, Plain, Rng, Seat, Turn};

use super::known::Known;
use super::measure::pass;
use super::parts::{Spot, TreeState};
use super::passes::Task;
use super::policy::{RangePolicy, normalized};
use super::public_tree::PublicTree;
use super::solver::RangeSolver;
use super::{RangeTree, Route};
use crate::agent::endings::{EndingSettings, Gadget};
use crate::solve::Iterative as _;
use crate::solve::cfr::Variant;
use crate::solve::resolve::{Subgame, resolve};
use crate::solve::tricks::{Question, TrickSolver};

const MOST: u64 = 1 << 30;
const GADGETS: [Gadget; 3] = [Gadget::Unsafe, Gadget::Resolve, Gadget::MaxMargin];

fn goes_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl Subgame for RangeSolver {
    fn learn(&mut self, iteration: u64, seat: usize, ranges: [&[f32]; 2], has_average: bool) -> Vec<f32> {
        while self.iterations() + 1 < iteration {
            self.count();
        }
        Self::learn(self, seat, Some(ranges), has_average)
    }
}

/// The values of a seat's hands where a part begins, if it plays a best response, and the other one has this range.
fn responses(policy: &RangePolicy, ranges: [&[f32]; 2], seat: usize) -> Vec<f64> {
    let task = |rows| (Some(rows), Task::Best { seats: seat..seat + 1, chosen: None });
    let tasks = policy.rows.iter().map(|rows| task(&rows[..])).collect();
    let (_, first) = pass::<f64>(policy.tree(), Some(ranges), tasks, &Mutex::default());
    first.into_iter().nth(seat).expect("there are two seats")
}

/// By hand of the other seat: the sum of a seat's range over the hands that fit.
fn pairs(tree: &RangeTree, seat: usize, ranges: [&[f32]; 2]) -> Vec<f64> {
    let own: Vec<f64> = ranges[seat].iter().map(|&number| number.into()).collect();
    let root = tree.known().openings[0].public;
    tree.sums(root, seat, &own, ranges[seat ^ 1].len())
}

/// The policy of a seat in a part of a game, solved anew.
fn resolved(before: &RangePolicy, ranges: [&[f32]; 2], seat: usize, settings: &EndingSettings) -> RangePolicy {
    let tree = before.tree();
    let mut solver = RangeSolver::new(tree.clone(), Variant::Discounted, 0);
    let known = (&responses(before, ranges, seat ^ 1)[..], &pairs(tree, seat, ranges)[..]);
    resolve(&mut solver, (seat, ranges), known, settings, &goes_on).expect("it goes on");
    solver.into_policy()
}

/// Calls `visit` for each public state of a part in which a player acts, with the player and its places in both trees.
fn each(whole: &RangeTree, part: &RangeTree, (there, here): (Spot, Spot), visit: &mut dyn FnMut(usize, Spot, Spot)) {
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
    let play = tree.follow([&own[0], &own[1]], None, &|_, _, _| ControlFlow::Break(()), &goes_on).expect("it goes on");
    let settings = EndingSettings { gadget, range_share: 0.0, ending_iterations: 1000, ..EndingSettings::default() };
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
        let there = whole.find(&mut whole.known(), state.route.opening, &state.route.events).expect("it is there").1;
        let spots = (there, part.opening(0).expect("an opening"));
        let part = Arc::new(part);
        let mut known = RangePolicy::new(part.clone(), part.zeros());
        each(whole, &part, spots, &mut |_, there, here| copy((before, there), (&mut known, here)));
        for seat in 0..2 {
            let found = resolved(&known, [&ranges[0], &ranges[1]], seat, &settings);
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

/// Compares the policy of a seat in the last tricks, found on public states and by the solver for them, from random ranges
/// and a random policy before. Counts the decisions, by the number of cards held and whether there is one.
fn compare(game: &Schwinget, play: &PublicPlay<State>, part: &Arc<RangeTree>, rng: &mut Rng, seen: &mut [u32; 3]) {
    let endings = game.endings().expect("it has endings");
    let known = &mut part.fresh();
    let (root, _) = part.find(known, 0, &[]).expect("it begins");
    let chance = part.roots()[0].weight;
    let counts = part.shape(part.opening(0).expect("it begins")).hands();
    let hands = [0, 1].map(|seat: usize| -> Vec<u64> {
        (0..counts[seat]).map(|hand| known.form.key(root, Seat(seat as u8), hand)).collect()
    });
    // Most hands are unlikely.
    let random = |rng: &mut Rng| rng.unit().powi(10) as f32;
    let ranges = counts.map(|count| (0..count).map(|_| random(rng)).collect::<Vec<f32>>());
    let ranges = [&ranges[0][..], &ranges[1]];
    let mut rows = part.zeros();
    part.walk(&mut part.fresh(), &mut |_, _, (_, spot), choice| {
        for (_, cells) in choice.rows() {
            let numbers: Vec<f64> = cells.clone().map(|_| rng.unit()).collect();
            for (cell, share) in cells.zip(normalized(&numbers)) {
                rows[spot.part][part.block(spot).cell(cell) + spot.lane] = share as f32;
            }
        }
        Ok(())
    })
    .expect("it goes on");
    let before = RangePolicy::new(part.clone(), rows);
    let row = |policy: &RangePolicy, known: &mut Known, events: &[Action], seat: usize, hand: u64| {
        let (public, spot) = part.find(known, 0, events).expect("it is there");
        let hand = known.form.hand(public, Seat(seat as u8), hand).expect("it is possible");
        normalized(&policy.numbers(spot, part.shape(spot).choice().expect("a choice").row(hand)))
    };
    let tricks = endings.tricks(&play.root);
    let mut solver = |seat: usize| {
        let mut ask = |questions: &[Question]| {
            let hands = |question: &Question| {
                let shares = |&hand: &u64| row(&before, known, &question.events, seat, hand);
                question.hands.iter().flat_map(shares).collect::<Vec<f64>>()
            };
            Ok(questions.iter().flat_map(hands).collect())
        };
        // Numbers in spare memory do not count.
        let spare = vec![Vector([1.0; 8]); 99];
        TrickSolver::new(&*tricks, hands.clone(), seat, Some(&mut ask), (spare, &goes_on)).expect("it goes on")
    };
    // Gadgets would compare values that are equal but for rounding.
    let settings = EndingSettings { gadget: Gadget::Unsafe, ending_iterations: 4, ..EndingSettings::default() };
    for seat in 0..2 {
        let alternatives = solver(seat).alternatives(ranges[seat]);
        // Without regrets, actions that are worth the same would be chosen by rounding.
        let (mut own, other) = (solver(seat), solver(seat ^ 1));
        own.add(&other);
        let mut whole = RangeSolver::new(part.clone(), Variant::Discounted, 0);
        whole.start(&before, chance as f32);
        for (one, other) in alternatives.iter().zip(responses(&before, ranges, seat ^ 1)) {
            assert!((one - other / chance).abs() < 1e-4, "{one} {other}");
        }
        let sums = own.pairs(ranges[seat]);
        assert_eq!(sums, pairs(part, seat, ranges));
        for solver in [&mut own as &mut dyn Subgame, &mut whole] {
            resolve(solver, (seat, ranges), (&alternatives, &sums), &settings, &goes_on).expect("it goes on");
        }
        let ((found, _), expected) = (own.into_policy(), whole.into_policy());
        let before = play.before.len() - 1;
        let known = &mut part.fresh();
        part.walk(&mut part.fresh(), &mut |form, route, (public, _), choice| {
            let hands = choice.rows().filter(|_| choice.mover() == seat);
            for (hand, _) in hands {
                let events = &route.events[before..];
                let hand = form.key(public, Seat(seat as u8), hand);
                let shares = row(&expected, known, events, seat, hand);
                let actions = found.row(events, hand).expect("it has a policy");
                assert_eq!(shares.len(), actions.len());
                for (share, (_, other)) in shares.iter().zip(&actions) {
                    assert!((share - other).abs() < 1e-3, "{events:?} {hand} {shares:?} {actions:?}");
                }
                let is_card = !tricks.decisions().contains(&actions[0].0);
                seen[if is_card { hand.count_ones().min(3) as usize - 2 } else { 2 }] += 1;
            }
            Ok(())
        })
        .expect("it goes on");
    }
    // With a gadget, no hand of the other player wins more than before.
    for (seat, gadget) in [(0, Gadget::Resolve), (1, Gadget::MaxMargin)].into_iter().filter(|_| counts[0] < 200) {
        let mut own = solver(seat);
        let (alternatives, sums) = (own.alternatives(ranges[seat]), own.pairs(ranges[seat]));
        let settings = EndingSettings { gadget, range_share: 0.0, ending_iterations: 300, ..EndingSettings::default() };
        resolve(&mut own, (seat, ranges), (&alternatives, &sums), &settings, &goes_on).expect("it goes on");
        let most = sums.iter().copied().fold(0.0, f64::max);
        own.begin_anew();
        let after = own.alternatives(ranges[seat]);
        for ((before, after), sum) in alternatives.iter().zip(&after).zip(&sums).filter(|(_, sum)| **sum > 1e-6 * most)
        {
            assert!(after - before < 0.02 * sum, "{gadget:?} {before} {after} {sum}");
        }
    }
}

/// The solver of the last tricks finds the same values and policies as the one of public states, with and without the
/// neutral card, from two tricks to four.
#[test]
fn the_last_tricks_are_solved_like_public_states() {
    let decks = [
        ("suits=2,values=4,hand_size=3,set_aside=2", 4, 3),
        ("suits=2,values=5,hand_size=4,set_aside=1,counter=off", 5, 3),
        ("suits=3,values=3,hand_size=2,set_aside=2,referee=off", 3, 2),
        ("suits=2,values=5,hand_size=4,set_aside=2", 5, 4),
        ("suits=4,values=6", 6, 2),
    ];
    let mut seen = [0; 3];
    for (deck, values, tricks) in decks {
        let game = Schwinget::from_text(deck).expect("rules");
        let endings = game.endings().expect("it has endings");
        let suits = deck[6..7].parse::<u8>().expect("a number");
        for number in 0..4 {
            let mut rng = Rng::stream(number, "endings", 0);
            let mut history = History::dealt(&game, &mut rng);
            let (play, place) = loop {
                let Turn::Seat(seat) = game.turn(history.state()) else { unreachable!("the bout goes on") };
                let view = game.view(&history, seat);
                let form = game.public_form(0, false, &|| true).expect("a form");
                if let Some(play) = endings.public_play(&view, [tricks; 2]) {
                    break (play, game.public_place(&*form, &view).expect("it has a place"));
                }
                history.push(&game, game.legal(history.state()).pick(&mut rng));
                history.settle(&game, &mut rng);
            };
            // Suits have their own names if the first one is trump, or none.
            if (values..suits * values).contains(&play.before[0].0) {
                continue;
            }
            let form = game.public_form(0, false, &|| true).expect("a form");
            let Place { opening, events, .. } = place;
            let root = (Some(Route { opening, events }), None);
            let part = Arc::new(RangeTree::build(form, "", root, false, MOST, &goes_on).expect("it is small"));
            compare(&game, &play, &part, &mut rng, &mut seen);
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}
