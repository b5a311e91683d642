//! Policies in tables: lookups, files, agents that play them, and the interface without type parameters.

use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::game_tree::{any_policy, game};
use crate::toys::{KUHN, LEDUC};
use stier_agents::agent::Agent;
use stier_agents::agent::CheckpointError;
use stier_agents::agent::DecideError;
use stier_agents::arena::{PitError, Settings as PitSettings};
use stier_agents::erased::{AskError, AskSettings, DynEntrant, DynGame, DynPolicy, DynTree};
use stier_agents::solve::nash_conv;
use stier_agents::solve::solution_file::{self, Label, SolutionFileError};
use stier_agents::solve::{Algorithm, Look, Progress, Settings, SolveError, Solved, solve};
use stier_agents::solve::{GameTree, Policy};
use stier_agents::solve::{IndexedTree, TableAgent, TabularPolicy, frequency, policy_of};
use stier_core::games::kuhn_poker::BET;
use stier_core::games::schwinget::Schwinget;
use stier_core::hash::fnv1a;
use stier_core::{Action, ActionSet as _, Actions64, Game, Rng, Seat, Turn};

/// Five cards, one in each hand and two in the pile: 544 information sets.
const TINY: &str = "suits=2,values=2,counter=off,hand_size=1,set_aside=1";

fn on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn typed(rules: &str) -> (Schwinget, GameTree<Schwinget>) {
    let game: Schwinget = game(rules);
    let tree = GameTree::new(&game, 100_000).expect("a small game");
    (game, tree)
}

fn face(rules: &str) -> (Arc<dyn DynGame>, Arc<dyn DynTree>) {
    let game = stier_games::load("schwinget", rules).expect("rules");
    let tree = game.enumerate(100_000, 1, &|_| ControlFlow::Continue(())).expect("a small game");
    (game, tree)
}

fn asked(tree: &dyn DynTree, entrant: &DynEntrant, seed: u64) -> Result<Arc<dyn DynPolicy>, AskError> {
    tree.policy_of(entrant, &AskSettings { seed, seeds: 1, threads: 1 }, &Arc::default(), &|| ControlFlow::Continue(()))
}

fn named(text: &str) -> DynEntrant {
    DynEntrant::Spec(text.parse().expect("an agent"))
}

#[test]
fn information_sets_are_found_by_their_views() {
    fn check<G: Game>(game: &G) {
        let tree = IndexedTree::new(GameTree::new(game, 100_000).expect("a small game"));
        for set in tree.tree().sets() {
            assert_eq!(tree.find(&set.view()), Some(set.number()));
        }
    }
    check(&*KUHN);
    check(&*LEDUC);
    let (larger, smaller) = (typed("suits=2,values=3,hand_size=1,set_aside=2,counter=off,referee=off"), typed(TINY));
    let index = IndexedTree::new(larger.1);
    index.tree().sets().for_each(|set| assert_eq!(index.find(&set.view()), Some(set.number())));
    // Views of the other game are found here only if they are the same knowledge.
    for set in smaller.1.sets() {
        let found = index.find(&set.view());
        assert!(found.is_none_or(|found| index.tree().set(found).view() == set.view()));
    }
}

#[test]
fn agents_play_by_the_table() {
    let (game, tree) = typed(TINY);
    let policy = any_policy(&tree, 1);
    let table = Arc::new(TabularPolicy::new(Arc::new(IndexedTree::new(tree)), policy));
    let mut agent = TableAgent::new(table.clone(), 3);
    let tree = table.tree().tree();
    for set in tree.sets() {
        let decision = agent.act(&game, &set.view(), set.legal());
        let shares: Vec<f64> = decision.policy.iter().map(|&(_, share)| share).collect();
        assert_eq!(shares, table.policy().row(set.number()));
        assert!(decision.policy.iter().map(|&(action, _)| action).eq(set.legal().iter()));
    }
    let widest = tree.sets().max_by_key(|set| set.legal().len()).expect("sets");
    let mut counts = vec![0_u32; widest.legal().len()];
    let draws = 20_000;
    for _ in 0..draws {
        let action = agent.act(&game, &widest.view(), widest.legal()).action;
        counts[widest.legal().iter().position(|other| other == action).expect("legal")] += 1;
    }
    for (&count, share) in counts.iter().zip(table.policy().row(widest.number())) {
        assert!((f64::from(count) / f64::from(draws) - share).abs() < 0.02, "{counts:?}");
    }
}

#[test]
fn the_share_of_withheld_actions_is_redistributed() {
    let (game, tree) = typed(TINY);
    let policy = any_policy(&tree, 1);
    let table = Arc::new(TabularPolicy::new(Arc::new(IndexedTree::new(tree)), policy));
    let mut agent = TableAgent::new(table.clone(), 3);
    let mut withheld = 0;
    for set in table.tree().tree().sets().filter(|set| set.legal().len() > 1) {
        let row = table.policy().row(set.number());
        let first = set.legal().nth(0);
        let others = set.legal().without(Actions64::default().with(first));
        let decision = agent.act(&game, &set.view(), others);
        assert!(others.contains(decision.action));
        assert!(decision.policy.iter().map(|&(action, _)| action).eq(others.iter()));
        for (&(_, share), in_table) in decision.policy.iter().zip(&row[1..]) {
            let left = 1.0 - row[0];
            let expected = if left > 0.0 { in_table / left } else { 1.0 / others.len() as f64 };
            assert!((share - expected).abs() < 1e-9, "{decision:?}, in the table {row:?}");
        }
        withheld += 1;
    }
    assert!(withheld > 50, "{withheld}");
}

#[test]
fn policy_of_agrees_with_policy_of_agent() {
    let (game, tree) = typed(TINY);
    let spec = "ismcts:iterations=30,choose=sample".parse().expect("an agent");
    let expected = crate::policy_of(&game, &tree, &spec, 5);
    let found =
        policy_of(&tree, &|| spec.build(&game, 0), &[5], 0, &|| ControlFlow::Continue(())).expect("no interruption");
    assert_eq!(found, expected);
    let (_, face) = face(TINY);
    let policy = asked(&*face, &named("ismcts:iterations=30,choose=sample"), 5).expect("asked");
    assert_eq!(policy.nash_conv(1), Ok(nash_conv(&tree, &expected)));
    assert_ne!(asked(&*face, &named("ismcts:iterations=30"), 6).expect("asked").nash_conv(2), policy.nash_conv(1));
}

#[test]
fn policy_queries_can_be_interrupted() {
    let (_, face) = face(TINY);
    let done = AtomicU64::new(0);
    let watch =
        || if done.fetch_add(1, Ordering::Relaxed) == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let settings = AskSettings { seed: 0, seeds: 1, threads: 1 };
    let found = face.policy_of(&named("greedy"), &settings, &Arc::default(), &watch);
    assert!(matches!(found, Err(AskError::Halted(_))));
    assert_eq!(done.into_inner(), 10);
    assert!(matches!(asked(&*face, &named("oracle"), 0), Err(AskError::Oracle(_))));
}

/// By hand: 1/2 for the first bet, 1/2 for the second player's, and 1/4 for the first player's answer times 1/2.
#[test]
fn actions_are_counted() {
    let tree = GameTree::new(&*KUHN, 100).expect("a small game");
    assert!((frequency(&tree, &Policy::uniform(&tree), BET) - 1.125).abs() < 1e-12);
    // Compared with play: the attacks in random games of Schwinget.
    let (game, tree) = typed(TINY);
    let attack = Action(game.num_actions() as u8 - 3);
    let expected = frequency(&tree, &Policy::uniform(&tree), attack);
    let games = 20_000;
    let mut attacks = 0;
    for index in 0..games {
        let mut rng = Rng::stream(4, "attacks", index);
        let mut state = game.root();
        game.settle(&mut state, &mut rng);
        while let Turn::Seat(_) = game.turn(&state) {
            let action = game.legal(&state).pick(&mut rng);
            attacks += u64::from(action == attack);
            game.step(&mut state, action, &mut rng);
        }
    }
    assert!((attacks as f64 / games as f64 - expected).abs() < 0.02, "{attacks} of {games}, expected {expected}");
}

#[test]
fn every_algorithm_solves_a_small_schwinget() {
    let (_, tree) = typed(TINY);
    let run = |algorithm, iterations, target| {
        let settings = Settings { algorithm, iterations, target, seed: 1, threads: 1, ..Settings::default() };
        let Solved { policy, iterations, .. } = solve(&tree, &settings, &Arc::default(), &on).expect("solved");
        (nash_conv(&tree, &policy), iterations)
    };
    let (best, _) = run(Algorithm::PredictiveCfrPlus, 20_000, 1e-6);
    assert!(best.total() < 1e-4, "{best:?}");
    for (algorithm, iterations, most) in [
        (Algorithm::Cfr, 2_000, 0.02),
        (Algorithm::CfrPlus, 2_000, 1e-3),
        (Algorithm::LinearCfr, 2_000, 1e-3),
        (Algorithm::DiscountedCfr, 2_000, 1e-3),
        (Algorithm::PredictiveCfrPlus, 2_000, 1e-3),
        (Algorithm::ScheduledCfr, 2_000, 1e-3),
        (Algorithm::ExternalSampling, 300, 0.2),
        (Algorithm::OutcomeSampling, 2_000, 0.8),
    ] {
        let (found, _) = run(algorithm, iterations, most);
        assert!(found.total() <= most, "{algorithm:?}: {found:?}");
        let apart = (found.values[Seat(0)] - best.values[Seat(0)]).abs();
        assert!(apart <= found.total() + best.total() + 1e-9, "{algorithm:?}");
    }
    let settings = Settings { algorithm: Algorithm::SequenceForm, ..Settings::default() };
    assert!(matches!(solve(&tree, &settings, &Arc::default(), &on), Err(SolveError::NoProgram)));
    // The run stops at the first check that reaches the target.
    let (found, iterations) = run(Algorithm::CfrPlus, 10_000, 0.05);
    let looks = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 121, 133, 146, 160, 176, 193];
    assert!(found.total() <= 0.05 && looks.contains(&iterations), "{iterations}");
}

#[test]
fn a_run_continues_from_its_checkpoint() {
    let (_, tree) = typed(TINY);
    let folder = std::env::temp_dir().join(format!("stier-solve-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("tiny.checkpoint");
    let settings = Settings { iterations: 55, threads: 1, ..Settings::default() };
    let undisturbed = solve(&tree, &settings, &Arc::default(), &on).expect("solved");
    let measured =
        |solved: &Solved| -> Vec<_> { solved.log.looks.iter().map(|look| (look.iterations, look.nash_conv)).collect() };
    assert_eq!(measured(&undisturbed).iter().map(|&(at, _)| at).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32]);
    let kept = Settings { checkpoint: Some(path.clone()), ..settings.clone() };
    // Interrupted twice: once by the watcher in the middle of an iteration, once by the flag.
    let seen = AtomicU64::new(0);
    let watch = |_: Progress| {
        if seen.fetch_add(1, Ordering::Relaxed) == 200 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert!(matches!(solve(&tree, &kept, &Arc::default(), &watch), Err(SolveError::Halted(_))));
    let flag = Arc::<AtomicBool>::default();
    let watch = |now: Progress| {
        flag.store(now.iterations >= 30, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    assert!(matches!(solve(&tree, &kept, &flag, &watch), Err(SolveError::Halted(_))));
    let resumed = solve(&tree, &kept, &Arc::default(), &on).expect("solved");
    assert_eq!((resumed.iterations, &resumed.policy), (55, &undisturbed.policy));
    assert_eq!(measured(&resumed), measured(&undisturbed));
    let seconds: Vec<f64> = resumed.log.looks.iter().map(|look| look.seconds).chain([resumed.log.seconds]).collect();
    assert!(seconds.is_sorted() && seconds[0] > 0.0, "{seconds:?}");
    // A finished run does nothing more.
    let again = solve(&tree, &kept, &Arc::default(), &|_| ControlFlow::Break(())).expect("nothing to do");
    assert_eq!((again.iterations, &again.policy), (55, &undisturbed.policy));
    assert_eq!(again.log.looks, resumed.log.looks);
    let other = Settings { algorithm: Algorithm::Cfr, ..kept.clone() };
    assert!(matches!(solve(&tree, &other, &Arc::default(), &on), Err(SolveError::Checkpoint { .. })));
    let sampled = Settings { algorithm: Algorithm::ExternalSampling, ..kept.clone() };
    assert!(matches!(solve(&tree, &sampled, &Arc::default(), &on), Err(SolveError::NoCheckpoint(_))));
    let nowhere = Settings { checkpoint: Some(folder.join("no").join("folder")), ..settings };
    assert!(matches!(solve(&tree, &nowhere, &Arc::default(), &on), Err(SolveError::Write { .. })));
    fs::remove_dir_all(&folder).expect("a folder of ours");
}

#[test]
fn policies_are_read_back_from_bytes() {
    let (_, tree) = typed(TINY);
    let policy = any_policy(&tree, 2);
    let history = vec![Look { iterations: 16, seconds: 0.5, nash_conv: 0.25 }];
    let label = Label { source: "cfr+".to_string(), iterations: 17, history };
    let bytes = solution_file::write(&tree, &policy, &label);
    assert_eq!(solution_file::game_of(&bytes).unwrap(), ("schwinget", TINY_IN_ORDER));
    assert_eq!(solution_file::read(&tree, &bytes).unwrap(), (policy.clone(), label.clone()));
    let failed = |bytes: &[u8]| solution_file::read(&tree, bytes).unwrap_err();
    assert!(matches!(failed(&bytes[..bytes.len() - 1]), SolutionFileError::Frame(CheckpointError::Length(_))));
    assert!(matches!(failed(&[&bytes[..], &[0]].concat()), SolutionFileError::Frame(CheckpointError::Length(_))));
    for place in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[place] ^= 1 << (place % 8);
        assert!(solution_file::read(&tree, &wrong).is_err(), "another byte {place}");
    }
    // Behind the probabilities are the number of measurements, each of them, and the checksum. Version 2 has no
    // measurements, and version 1 no checksum either.
    let body = &bytes["stier-policy 3".len()..bytes.len() - (1 + 3 + 1) * 8];
    let without = Label { history: Vec::new(), ..label };
    let second = [b"stier-policy 2", body].concat();
    let second = [&*second, &fnv1a(second.iter().copied()).to_le_bytes()].concat();
    let mut before = [b"stier-policy 1", body].concat();
    for older in [&second, &before] {
        assert_eq!(solution_file::game_of(older).unwrap(), ("schwinget", TINY_IN_ORDER));
        assert_eq!(solution_file::read(&tree, older).unwrap(), (policy.clone(), without.clone()));
    }
    assert!(matches!(failed(&[b"stier-policy 4", body].concat()), SolutionFileError::Format(_)));
    let last = before.len() - 8;
    before[last..].copy_from_slice(&(-1.0_f64).to_le_bytes());
    assert!(matches!(failed(&before), SolutionFileError::Damaged(_)));
    assert!(matches!(failed(b"GIF89a"), SolutionFileError::Format(_)));
    assert!(matches!(failed(b""), SolutionFileError::Format(_)));
    let (_, other) = typed("suits=2,values=2,referee=off,hand_size=1,set_aside=1");
    let error = solution_file::read(&other, &bytes).unwrap_err();
    assert!(error.to_string().starts_with("the policy belongs to 'schwinget:"), "{error}");
}

/// The options of [`TINY`] in the order of the rules.
const TINY_IN_ORDER: &str = "suits=2,values=2,counter=off,hand_size=1,set_aside=1";

#[test]
fn solutions_play_matches_and_best_responses_win() {
    let (game, tree) = face(TINY);
    let settings = Settings { iterations: 500, threads: 1, ..Settings::default() };
    let solution = tree.solve(&settings, &Arc::default(), &on).expect("solved").policy;
    let greedy = asked(&*tree, &named("greedy"), 1).expect("asked");
    let response = greedy.best_response(1).expect("threads");
    let entrants = [
        DynEntrant::Table("response".to_string(), response),
        named("greedy"),
        DynEntrant::Table("cfr+".to_string(), solution.clone()),
    ];
    let pit = PitSettings { deals: 4_000, seed: 2, paired: true, threads: 1 };
    let result = game.pit(&entrants, &pit, &Arc::default(), &|| ControlFlow::Continue(())).expect("played");
    assert_eq!(result.agents, ["response", "greedy", "cfr+"]);
    let found = greedy.nash_conv(1).expect("threads");
    let met = result.meeting(0, 1).expect("they met");
    // Each deal is played on both seats, so the response gains half of NashConv, as returns sum to 0.
    let gain = found.exploitability();
    assert!(gain > 0.05 && (met.mean.mean - gain).abs() < 2.0 * met.mean.ci95 + 0.01, "{met:?}, expected {gain}");
    // No agent gains anything against a solution.
    let against = result.meeting(0, 2).expect("they met");
    assert!(against.mean.mean < 1.5 * against.mean.ci95 + 0.01, "{against:?}");
}

#[test]
fn tables_for_other_games_are_refused() {
    let (_, tree) = face(TINY);
    let (other, other_tree) = face("suits=2,values=2,referee=off,hand_size=1,set_aside=1");
    let table = asked(&*tree, &named("random"), 0).expect("asked");
    let entrant = DynEntrant::Table("x".to_string(), table.clone());
    assert!(matches!(asked(&*other_tree, &entrant, 0), Err(AskError::OtherGame(_))));
    let pit = PitSettings { deals: 1, ..PitSettings::default() };
    let result = other.pit(&[entrant, named("random")], &pit, &Arc::default(), &|| ControlFlow::Continue(()));
    assert!(matches!(result, Err(PitError::Unsuited { .. })));
    let state = stier_games::load("schwimmen", "").expect("rules").new_state(Some(1));
    assert!(matches!(table.probabilities(&*state), Err(DecideError::OtherGame { .. })));
    assert!(matches!(table.probabilities(&*tree.game().new_state(None)), Err(DecideError::NoDecision(_))));
}

#[test]
fn probabilities_are_those_of_the_players_knowledge() {
    let (game, tree) = face(TINY);
    let (_, typed) = typed(TINY);
    let policy = asked(&*tree, &named("ismcts:iterations=20,choose=sample"), 1).expect("asked");
    for seed in 0..50 {
        let mut state = game.new_state(Some(seed));
        while let Turn::Seat(seat) = state.turn() {
            let row = policy.probabilities(&*state).expect("a decision");
            assert!(row.iter().map(|&(action, _)| action).eq(state.possible()));
            assert!((row.iter().map(|&(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(policy.probabilities(&*state.resample(seat, seed)).expect("a decision"), row);
            state.apply(row[seed as usize % row.len()].0).expect("legal");
        }
    }
    assert_eq!((tree.histories(), tree.information_sets()), (typed.num_nodes(), typed.num_sets()));
}
