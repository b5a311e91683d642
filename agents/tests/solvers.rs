//! The solvers on games with known values, compared with each other, and across threads and interruptions.

use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::game_tree::{SMALL_SCHWINGET, game};
use crate::toys::{self, KUHN, KUHN_THREE, LEDUC, matrix::Matrix};
use stier_agents::agent::CheckpointError;
use stier_agents::agent::threads::pool;
use stier_agents::erased::{AskSettings, DynEntrant, erase};
use stier_agents::solve::{GameTree, Look, Policy, RunLog};
use stier_agents::solve::{Iterative as _, Mccfr, Sampling};
use stier_agents::solve::{NashConv, nash_conv, values};
use stier_agents::solve::{RangePolicy, RangeSolver, RangeTree};
use stier_agents::solve::{SeatRows, SequenceForm, Solver, Tree, Variant, policy_of_rows};
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::liars_dice::LiarsDice;
use stier_core::games::schwinget::Schwinget;
use stier_core::hash::fnv1a;
use stier_core::{Game, Rng, Seat};

fn tree<G: Game>(game: &G) -> GameTree<G> {
    GameTree::new(game, 1_000_000).expect("a small game")
}

/// The NashConv of the average policy after this many iterations.
fn cfr<G: Game>(tree: &GameTree<G>, variant: Variant, iterations: u64) -> NashConv {
    let mut solver = Solver::new(tree, variant, iterations);
    assert_eq!(solver.run(iterations, &|_| ControlFlow::Continue(())), ControlFlow::Continue(()));
    assert_eq!(solver.iterations(), iterations);
    nash_conv(tree, &solver.average())
}

/// The value of the game is within the NashConv of the policy's value, because one seat's gain is the other's loss.
#[track_caller]
fn is_near(found: &NashConv, value: f64, most: f64) {
    assert!(found.total() >= -1e-12 && found.total() < most, "NashConv {}", found.total());
    assert!((found.values[Seat(0)] - value).abs() <= found.total() + 1e-9, "{found:?}, the value is {value}");
}

#[test]
fn cfr_plus_finds_the_values_of_the_literature() {
    is_near(&cfr(&tree(&*KUHN), Variant::CfrPlus, 2_000), -1.0 / 18.0, 1e-4);
    is_near(&cfr(&tree(&*LEDUC), Variant::CfrPlus, 1_000), -0.085_606, 1e-3);
    is_near(&cfr(&tree(&toys::plain::<LiarsDice>("sides=3")), Variant::CfrPlus, 500), 1.0 / 9.0, 1e-3);
    is_near(&cfr(&tree(&toys::plain::<Goofspiel>("cards=4")), Variant::CfrPlus, 300), 0.0, 5e-3);
}

#[test]
fn cfr_plus_finds_the_value_of_dice_with_six_sides() {
    let found = cfr(&tree(&toys::plain::<LiarsDice>("sides=6")), Variant::CfrPlus, 300);
    println!("{} of {}", found.values[Seat(0)], -7.0 / 258.0);
    is_near(&found, -7.0 / 258.0, 5e-3);
    assert!((found.values[Seat(0)] + 7.0 / 258.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn every_variant_converges() {
    let (kuhn, leduc) = (tree(&*KUHN), tree(&*LEDUC));
    for (variant, in_kuhn, in_leduc) in [
        (Variant::Cfr, 0.06, 0.35),
        (Variant::CfrPlus, 0.01, 0.1),
        (Variant::Linear, 0.01, 0.1),
        (Variant::Discounted, 0.01, 0.1),
        (Variant::Predictive, 0.01, 0.1),
        (Variant::Scheduled, 0.02, 0.1),
    ] {
        let found = [cfr(&kuhn, variant, 200), cfr(&leduc, variant, 200)];
        println!("{}: {:.6} in Kuhn poker, {:.6} in Leduc", variant.name(), found[0].total(), found[1].total());
        is_near(&found[0], -1.0 / 18.0, in_kuhn);
        is_near(&found[1], -0.085_606, in_leduc);
        // Convergence is at least as fast as 1 / sqrt(iterations).
        let later = cfr(&kuhn, variant, 3200);
        assert!(later.total() < found[0].total() / 4.0, "{}: {}", variant.name(), later.total());
    }
}

/// The first iterations by hand: matching pennies in which heads pays three times as much.
#[test]
fn iterations_are_those_of_the_papers() {
    let tree = tree(&toys::plain::<Matrix>("heads=3"));
    let after = |variant: Variant, iterations: u64| {
        let mut solver = Solver::new(&tree, variant, iterations);
        assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
        let rows = |policy: Policy| [policy.row(0).to_vec(), policy.row(1).to_vec()];
        (rows(solver.average()), rows(solver.current()))
    };
    let half = vec![0.5, 0.5];
    // Uniform play gives each seat regrets of 1/2 and -1/2, so both switch to their better action.
    let (average, current) = after(Variant::Cfr, 1);
    assert_eq!(average, [half.clone(), half.clone()]);
    assert_eq!(current, [vec![1.0, 0.0], vec![0.0, 1.0]]);
    // The second seat updates after the first, which now plays heads: tails returns 1 to it, heads -3.
    let (average, current) = after(Variant::CfrPlus, 1);
    assert_eq!(average, [half.clone(), half]);
    assert_eq!(current, [vec![1.0, 0.0], vec![0.0, 1.0]]);
    // In the second iteration heads loses 1 and tails wins 1: regrets are 1/2 + 0 and (0 or -1/2) + 2. The averages
    // are weighted 1 and 2, or 1 and 1.
    let (average, current) = after(Variant::CfrPlus, 2);
    assert!(
        (average[0][0] - 2.5 / 3.0).abs() < 1e-12 && (current[0][0] - 0.2).abs() < 1e-12,
        "{average:?} {current:?}"
    );
    let (average, current) = after(Variant::Cfr, 2);
    assert_eq!(average[0], [0.75, 0.25]);
    assert_eq!(current[0], [0.25, 0.75]);
    // Linear: regrets of 1/4 and -1/4 after the first, (1/4 + 0) 2/3 and (-1/4 + 2) 2/3 after the second; weights 1
    // and 2.
    let (average, current) = after(Variant::Linear, 2);
    assert!((average[0][0] - 2.5 / 3.0).abs() < 1e-12 && (current[0][0] - 0.125).abs() < 1e-12, "{current:?}");
    // Discounted: 1/4 and -1/4, then 1/4 and 7/4 with the same factor; weights 1 and 4.
    let (average, current) = after(Variant::Discounted, 2);
    assert!((average[0][0] - 0.9).abs() < 1e-12 && (current[0][0] - 0.125).abs() < 1e-12, "{average:?} {current:?}");
    // Predictive: regrets are those of CFR+, and the last are added once more: 1/2 + 0, and 2 + 2.
    let (average, current) = after(Variant::Predictive, 2);
    assert!(
        (average[0][0] - 0.9).abs() < 1e-12 && (current[0][0] - 0.5 / 4.5).abs() < 1e-12,
        "{average:?} {current:?}"
    );
    // Scheduled, two iterations of two: 1/4 and -1/4, then 1/4 and 7/4 with the same factor; weights 1 and 2^25.
    let (average, current) = after(Variant::Scheduled, 2);
    let first = 1.0 / (1.0 + (1_u64 << 25) as f64);
    assert!((average[0][0] - (1.0 - first / 2.0)).abs() < 1e-12, "{average:?}");
    assert!((current[0][0] - 0.125).abs() < 1e-12, "{current:?}");
}

/// There is no guarantee, but the solver runs.
#[test]
fn three_players_can_be_solved_for() {
    let tree = tree(&*KUHN_THREE);
    let found = cfr(&tree, Variant::CfrPlus, 500);
    assert!(found.total() < 0.05, "{found:?}");
    assert!(found.values.iter().sum::<f64>().abs() < 1e-9);
}

/// A calculation gives the same result on any number of threads, interrupted anywhere, and continued from bytes or
/// not.
#[test]
fn interruptions_and_threads_do_not_change_a_bit() {
    let tree = tree(&game::<Schwinget>(SMALL_SCHWINGET));
    for variant in Variant::ALL {
        let mut whole = Solver::new(&tree, variant, 7);
        let run = |solver: &mut Solver<'_>, iterations: u64| {
            assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
        };
        pool(1).expect("a thread").install(|| run(&mut whole, 5));
        let mut parts = Solver::new(&tree, variant, 7);
        // Interrupted every few calls of the watcher, in the middle of passes, and continued from bytes.
        let calls = AtomicU64::new(0);
        while parts.iterations() < 5 {
            let left = 5 - parts.iterations();
            let _ = pool(3).expect("threads").install(|| {
                parts.run(left, &|_| match calls.fetch_add(1, Ordering::Relaxed) % 67 {
                    66 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                })
            });
            let mut bytes = Vec::new();
            parts.write(&RunLog::default(), &mut bytes).expect("memory can be written");
            (parts, _) = Solver::read(&tree, variant, 7, &mut bytes.as_slice()).expect("a checkpoint");
        }
        assert!(calls.into_inner() > 67, "the run was interrupted");
        assert!(whole.average() == parts.average() && whole.current() == parts.current(), "{variant:?}");
        run(&mut whole, 2);
        run(&mut parts, 2);
        assert!(whole.average() == parts.average(), "{variant:?}");
    }
}

/// The same on public states. Interruptions fall between the seats, too.
#[test]
fn interruptions_and_threads_do_not_change_a_bit_of_ranges() {
    let game = game::<Schwinget>(SMALL_SCHWINGET);
    let form = game.public_form(0, true, &|| true).expect("a form");
    let tree = RangeTree::new(form, "small", u64::MAX, &|| ControlFlow::Continue(())).expect("a small game");
    let tree = Arc::new(tree);
    let path = std::env::temp_dir().join(format!("stier-ranges-{}", std::process::id()));
    for variant in Variant::ALL {
        let run = |solver: &mut RangeSolver, iterations: u64, calls: u64| {
            let left = AtomicU64::new(calls);
            let _ = solver.run(iterations, &|_| match left.fetch_sub(1, Ordering::Relaxed) {
                1 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            });
        };
        let new = || RangeSolver::new(tree.clone(), variant, 5);
        let (mut whole, mut parts) = (new(), new());
        run(&mut whole, 5, u64::MAX);
        // The second call is between the seats of the first iteration.
        for calls in [2, 3, 4, 1, u64::MAX] {
            let left = 5 - parts.iterations();
            pool(2).expect("threads").install(|| run(&mut parts, left, calls));
            parts.save(&RunLog::default(), &path).expect("a file");
            (parts, _) = RangeSolver::load(tree.clone(), variant, 5, &path).expect("a checkpoint");
        }
        let other = RangeSolver::load(tree.clone(), variant, 6, &path).map(|(solver, _)| solver.iterations());
        assert_eq!(other.is_ok(), variant != Variant::Scheduled, "{variant:?}");
        let older = [b"stier-ranges 1", &fs::read(&path).expect("a file")["stier-ranges 2".len()..]].concat();
        fs::write(&path, older).expect("a file");
        let older = RangeSolver::load(tree.clone(), variant, 5, &path).map(|(solver, _)| solver.iterations());
        assert!(matches!(older, Err(CheckpointError::Earlier)));
        let prints = [whole, parts].map(|solver| solver.into_policy().fingerprint());
        assert_eq!(prints[0], prints[1], "{variant:?}");
    }
    fs::remove_file(path).expect("a file of ours");
}

/// Iterations on the folded form are the same up to rounding. Later, ties may be broken in another way.
#[test]
fn a_folded_form_loses_nothing() {
    let trees = [false, true].map(|fold| {
        let form = LEDUC.public_form(10_000, fold, &|| true).expect("a small game");
        Arc::new(RangeTree::new(form, "leduc", u64::MAX, &|| ControlFlow::Continue(())).expect("a small game"))
    });
    assert_eq!(trees.each_ref().map(|tree| tree.size().information_sets), [936, 288]);
    assert_eq!(trees.each_ref().map(|tree| tree.size().states), [467, 242]);
    for variant in Variant::ALL {
        let mut solvers = trees.each_ref().map(|tree| RangeSolver::new(tree.clone(), variant, 100));
        for iterations in [1, 2, 7] {
            let [whole, folded] = solvers.each_mut().map(|solver| {
                assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
                solver.measure()
            });
            for seat in [Seat(0), Seat(1)] {
                let values = (whole.values[seat] - folded.values[seat]).abs();
                let responses = (whole.responses[seat] - folded.responses[seat]).abs();
                assert!(values < 1e-4 && responses < 1e-4, "{variant:?} {iterations} {whole:?} {folded:?}");
            }
        }
    }
}

/// The first policy is uniform. Later ones differ: with all suits, rounding breaks ties between cards that are alike. The
/// values of a policy and of its best response are those on the public states of all suits.
#[test]
fn suits_of_which_nothing_is_seen_count_once() {
    for (deck, states, sets) in [
        ("suits=3,values=2,hand_size=2,set_aside=2,specials=anytime", [7084, 2584], [11868, 4332]),
        ("suits=3,values=2,referee=off,hand_size=2,set_aside=1,scoring=schwinger", [1662, 662], [2070, 832]),
        ("suits=4,values=2,referee=off,counter=off,hand_size=2,set_aside=2,utility=win", [2300, 412], [3864, 696]),
    ] {
        let game = game::<Schwinget>(deck);
        let whole_game = erase(game.clone());
        let trees = [false, true].map(|fold| {
            let form = game.public_form(0, fold, &|| true).expect("a form");
            Arc::new(
                RangeTree::new(form, &format!("{whole_game:?}"), u64::MAX, &|| ControlFlow::Continue(()))
                    .expect("a small deck"),
            )
        });
        let known = trees.each_ref().map(|tree| (tree.size().states, tree.size().information_sets));
        assert_eq!(known, [(states[0], sets[0]), (states[1], sets[1])], "{deck}");
        // The numbers of a policy on the public states of all suits.
        let on_all = |policy: &Arc<RangePolicy>| {
            let settings = AskSettings { seed: 0, seeds: 1, threads: 1 };
            let entrant = DynEntrant::Ranges(String::new(), policy.clone());
            let interrupt = Arc::new(AtomicBool::new(false));
            let watch = || ControlFlow::Continue(());
            let asked = whole_game.policy_on_ranges(trees[0].clone(), &entrant, &settings, &interrupt, &watch);
            asked.expect("it answers").measure()
        };
        let assert_same = |one: &NashConv, other: &NashConv, most: f64| {
            for seat in [Seat(0), Seat(1)] {
                let values = (one.values[seat] - other.values[seat]).abs();
                let responses = (one.responses[seat] - other.responses[seat]).abs();
                assert!(values < most && responses < most, "{deck}: {one:?} {other:?}");
            }
        };
        for variant in Variant::ALL {
            let mut solvers = trees.each_ref().map(|tree| RangeSolver::new(tree.clone(), variant, 100));
            let mut run = |iterations: u64| {
                solvers.each_mut().map(|solver| {
                    assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
                    solver.measure()
                })
            };
            let [whole, folded] = run(1);
            assert_same(&whole, &folded, 1e-9);
            let [whole, folded] = run(29);
            let apart = (whole.values[Seat(0)] - folded.values[Seat(0)]).abs();
            assert!(apart < whole.total() + folded.total(), "{deck}: {whole:?} {folded:?}");
            let [_, folded] = solvers.map(|solver| Arc::new(solver.into_policy()));
            assert_same(&folded.measure(), &on_all(&folded), 1e-6);
            let response = Arc::new(folded.best_response());
            assert_same(&response.measure(), &on_all(&response), 1e-6);
        }
    }
}

#[test]
fn checkpoints_of_other_calculations_are_refused() {
    let kuhn = tree(&*KUHN);
    let solver = Solver::new(&kuhn, Variant::Cfr, 9);
    let looks = vec![Look { iterations: 8, seconds: 0.5, nash_conv: 0.25 }];
    let log = RunLog { seconds: 1.5, looks };
    let folder = std::env::temp_dir().join(format!("stier-checkpoint-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("kuhn.cfr");
    solver.save(&log, &path).expect("a file");
    assert_eq!(Solver::load(&kuhn, Variant::Cfr, 9, &path).expect("a checkpoint").1, log);
    let names: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(names, ["kuhn.cfr"], "no temporary file is left");
    let error = Solver::load(&kuhn, Variant::Linear, 9, &path).expect_err("another variant").to_string();
    assert_eq!(error, "belongs to 'variant=cfr', expected 'variant=linear_cfr'");
    fs::write(folder.join("hello"), "hello").expect("a file");
    let error = Solver::load(&kuhn, Variant::Cfr, 9, &folder.join("hello")).expect_err("another file").to_string();
    assert_eq!(error, "is of another kind: it begins with 'hello'");
    // Only the schedule depends on the planned iterations.
    for variant in Variant::ALL {
        let mut bytes = Vec::new();
        Solver::new(&kuhn, variant, 10).write(&log, &mut bytes).expect("memory can be written");
        let read =
            Solver::read(&kuhn, variant, 100, &mut bytes.as_slice()).map(|_| ()).map_err(|error| error.to_string());
        let words = |error: String| error.ends_with("belongs to 'planned=10', expected 'planned=100'");
        assert!(if variant == Variant::Scheduled { read.is_err_and(words) } else { read.is_ok() });
    }
    let leduc = tree(&*LEDUC);
    assert!(matches!(Solver::load(&leduc, Variant::Cfr, 9, &path), Err(CheckpointError::Other { .. })));
    let mut bytes = fs::read(&path).expect("a file");
    fs::remove_dir_all(&folder).expect("a folder");
    assert!(matches!(Solver::load(&kuhn, Variant::Cfr, 9, &path), Err(CheckpointError::Io(_))));
    let read = |bytes: &[u8]| Solver::read(&kuhn, Variant::Cfr, 9, &mut { bytes }).map(|(_, log)| log);
    for end in [0, 10, bytes.len() - 1] {
        assert!(read(&bytes[..end]).is_err());
    }
    // Behind the numbers are the seconds, the number of measurements and each of them, and the checksum.
    let body = &bytes["stier-cfr 4".len()..bytes.len() - (2 + 3 + 1) * 8];
    let version = |number: &[u8]| [b"stier-cfr ", number, body].concat();
    assert_eq!(read(&version(b"1")).expect_err("too old").to_string(), "was made by an earlier version of Stier");
    let third = version(b"3");
    let third = [&*third, &fnv1a(third.iter().copied()).to_le_bytes()].concat();
    assert_eq!(read(&third).expect("it has no log"), RunLog::default());
    let mut before = version(b"2");
    assert!(matches!(read(&[&*before, &[0; 8]].concat()), Err(CheckpointError::Length(_))), "it has no checksum");
    assert_eq!(read(&before).expect("it has no log and no checksum"), RunLog::default());
    let last = before.len() - 8;
    before[last..].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(matches!(read(&before), Err(CheckpointError::Number(_))));
    for place in 0..bytes.len() {
        bytes[place] ^= 1 << (place % 8);
        assert!(read(&bytes).is_err(), "another byte {place}");
        bytes[place] ^= 1 << (place % 8);
    }
    bytes.push(0);
    assert!(matches!(read(&bytes), Err(CheckpointError::Length(_))));
}

fn mccfr<G: Game>(game: &G, sampling: Sampling, iterations: u64) -> (f64, usize) {
    let mut solver = Mccfr::new(game, sampling, 1);
    assert!(solver.run(iterations, &|_| ControlFlow::Continue(())).is_continue());
    let tree = tree(game);
    (nash_conv(&tree, &solver.policy(&tree)).total(), solver.num_sets())
}

/// The bounds are loose and hold for any seed.
#[test]
fn sampling_converges() {
    let dice = toys::plain::<LiarsDice>("sides=3");
    for (sampling, in_kuhn, in_dice) in [(Sampling::External, 0.03, 0.12), (Sampling::Outcome, 0.1, 0.5)] {
        let (kuhn, sets) = mccfr(&*KUHN, sampling, 500);
        assert_eq!(sets, 12);
        let (dice, _) = mccfr(&dice, sampling, 500);
        println!("{sampling:?}: {kuhn:.4} in Kuhn poker, {dice:.4} in liar's dice");
        assert!(kuhn < in_kuhn && dice < in_dice, "{sampling:?}: {kuhn}, {dice}");
    }
}

#[test]
fn sampling_depends_on_the_seed_alone() {
    let tree = tree(&*LEDUC);
    for sampling in [Sampling::External, Sampling::Outcome] {
        let run = |seed: u64, threads: usize, parts: &[u64]| {
            let mut solver = Mccfr::new(&*LEDUC, sampling, seed);
            pool(threads).expect("threads").install(|| {
                for &part in parts {
                    assert!(solver.run(part, &|_| ControlFlow::Continue(())).is_continue());
                }
            });
            solver.policy(&tree)
        };
        let expected = run(1, 1, &[4]);
        assert!(run(1, 3, &[4]) == expected && run(1, 2, &[1, 3]) == expected);
        assert!(run(2, 1, &[4]) != expected);
    }
}

/// The payoffs by sequences give any policy the value that the tree gives it.
fn has_its_payoffs<G: Game>(game: &G) {
    let tree = tree(game);
    let rows = SeatRows::of(&tree);
    let SequenceForm { before, payoffs } = SequenceForm::new(&tree, &rows).expect("a constant sum");
    let mut rng = Rng::stream(1, "plans", 0);
    let policies: Vec<Vec<f64>> = rows
        .iter()
        .map(|own| {
            let mut policy: Vec<f64> = (0..own.len()).map(|_| rng.unit() + 0.01).collect();
            for bounds in own.starts().windows(2) {
                let row = &mut policy[bounds[0] as usize..bounds[1] as usize];
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|share| *share /= sum);
            }
            policy
        })
        .collect();
    // By sequence: the probability that its player plays it.
    let plans: Vec<Vec<f64>> = rows
        .iter()
        .zip(&policies)
        .zip(&before)
        .map(|((own, policy), before)| {
            let mut plan = vec![1.0];
            for (bounds, &before) in own.starts().windows(2).zip(before) {
                let reach = plan[before as usize];
                plan.extend(policy[bounds[0] as usize..bounds[1] as usize].iter().map(|share| reach * share));
            }
            plan
        })
        .collect();
    let played = |sequences: [u32; 2]| plans[0][sequences[0] as usize] * plans[1][sequences[1] as usize];
    let found: f64 = payoffs.iter().map(|&(sequences, payoff)| played(sequences) * payoff).sum();
    let policies: Vec<&[f64]> = policies.iter().map(|policy| &policy[..]).collect();
    let expected = values(&tree, &policy_of_rows(&tree, &rows, &policies).expect("a policy"))[Seat(0)];
    assert!((found - expected).abs() < 1e-9, "{}: {found}, not {expected}", game.name());
}

#[test]
fn the_sequence_form_has_the_payoffs_of_the_tree() {
    has_its_payoffs(&toys::plain::<Matrix>("heads=3"));
    has_its_payoffs(&*KUHN);
}

#[test]
fn the_sequence_form_needs_two_players_and_constant_sums() {
    let error = |tree: &Tree| SequenceForm::new(tree, &SeatRows::of(tree)).expect_err("no linear program").to_string();
    assert!(error(&tree(&*KUHN_THREE)).contains("has 3 players"));
    let scores = "suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2,scoring=schwinger,utility=score";
    assert!(error(&tree(&game::<Schwinget>(scores))).contains("2 players and sums from"));
}
