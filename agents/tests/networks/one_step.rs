//! The step from a network's policy towards higher returns.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::toys::{BANDIT, KUHN, bandit::REWARDS, game};
use stier_agents::solve::{GameTree, NodeNumbers, decide_backwards};
use stier_agents::{AgentSpec, Decision};
use stier_core::games::schwinget::Schwinget;
use stier_core::{ActionSet, Game, Hints, History, Rng, Seat, Turn, for_each_default_game};

use super::files::{Draft, Saved};

fn spec(options: &str, file: &Saved) -> AgentSpec {
    format!("{options},network={}", file.path()).parse().expect("an agent")
}

/// The decisions of a random game in which there is a choice.
fn decisions<G: Game>(game: &G, seed: u64) -> Vec<(History<G>, Seat)> {
    let mut rng = Rng::stream(seed, "one step", 0);
    let mut history = History::dealt(game, &mut rng);
    let mut found = Vec::new();
    while let Turn::Seat(seat) = game.turn(history.state()) {
        let legal = game.legal(history.state());
        if legal.len() > 1 {
            found.push((history.clone(), seat));
        }
        history.push(game, legal.pick(&mut rng));
        history.settle(game, &mut rng);
    }
    found
}

fn decide<G: Hints>(
    game: &G,
    spec: &AgentSpec,
    (history, seat): &(History<G>, Seat),
    allowed: Option<G::Actions>,
) -> Decision {
    let legal = allowed.unwrap_or(game.legal(history.state()));
    spec.build(game, 7).act(game, &game.view(history, *seat), legal)
}

/// The mean returns of the actions, ascending.
fn values(decision: &Decision) -> Vec<f64> {
    decision.search.as_ref().expect("a search").actions.iter().map(|stats| stats.value).collect()
}

fn probabilities(decision: &Decision) -> Vec<f64> {
    decision.search.as_ref().expect("a search").actions.iter().map(|stats| stats.probability).collect()
}

/// In Kuhn poker, the mean returns are those of the exact posterior, with the network playing on for both players.
#[test]
fn values_converge_to_those_of_the_network_s_policy() {
    let file = Draft::new(&*KUHN, &[16], 2).saved();
    let tree = GameTree::new(&*KUHN, 100).expect("a small game");
    let network = format!("network:choose=sample,path={}", file.path()).parse().expect("an agent");
    let policy = crate::policy_of(&*KUHN, &tree, &network, 1);
    let mut exact = vec![Vec::new(); tree.num_sets()];
    for seat in Seat::all(2) {
        let decide = |set: u32, reach: &NodeNumbers, totals: &[f64]| {
            let weight: f64 = reach.of_set(&tree, set).sum();
            totals.iter().map(|total| total / weight).collect::<Vec<_>>()
        };
        let on = |set: u32, _: &Vec<f64>, children: &[f64]| {
            policy.row(set).iter().zip(children).map(|(share, value)| share * value).sum()
        };
        let found = decide_backwards(&tree, &policy, seat, &NodeNumbers::new(&tree), decide, on);
        exact.iter_mut().zip(found).filter(|(_, found)| !found.is_empty()).for_each(|(own, found)| *own = found);
    }
    let furthest = |options: &str| {
        let errors = tree.sets().flat_map(|set| {
            let decision = spec(options, &file).build(&*KUHN, 1).act(&*KUHN, &set.view(), set.legal());
            let expected = exact[set.number() as usize].clone();
            values(&decision).into_iter().zip(expected).map(|(found, expected)| (found - expected).abs())
        });
        errors.fold(0.0, f64::max)
    };
    // Returns are from -2 to 2, so the standard error of a mean of 20,000 is at most 0.0142.
    let exactly = furthest("mmds:rollouts=40000");
    assert!(exactly < 0.05, "{exactly}");
    let by_chance = furthest("mmds:rollouts=40000,beliefs=uniform");
    assert!(by_chance > 0.15, "the posterior matters: {by_chance}");
}

fn no_step_is_the_network<G: Hints>(game: &G) {
    let file = Draft::new(game, &[16], 3).saved();
    let playing = |text: String| text.parse::<AgentSpec>().expect("an agent").build(game, 5);
    for choose in ["best", "sample"] {
        let mut network = playing(format!("network:choose={choose},path={}", file.path()));
        let mut search =
            playing(format!("mmds:rollouts=4,particles=64,step=0,choose={choose},network={}", file.path()));
        for (history, seat) in decisions(game, 1) {
            let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
            let [network, search] = [&mut network, &mut search].map(|agent| agent.act(game, &view, legal));
            assert_eq!((network.action, &network.policy), (search.action, &search.policy));
            assert_eq!(probabilities(&network), probabilities(&search));
        }
    }
}

macro_rules! every_game {
    ($module:ident, $game:expr) => {
        mod $module {
            #[test]
            fn no_step_is_the_network() {
                super::no_step_is_the_network(&$game);
            }
        }
    };
}
for_each_default_game!(every_game);

/// The probabilities are those of the formula, in double precision, and a longer step prefers better actions.
#[test]
fn steps_have_their_closed_form() {
    let game: Schwinget = game("");
    let file = Draft::new(&game, &[16], 4).with("value_scale", "2").saved();
    for position in decisions(&game, 2) {
        let network: AgentSpec = format!("network:path={}", file.path()).parse().expect("an agent");
        let network = probabilities(&decide(&game, &network, &position, None));
        let mut before = 0.0;
        for step in [0.0, 0.1, 1.0, 10.0] {
            for magnet in [0.0, 0.5] {
                let text = format!("mmds:rollouts=60,particles=64,step={step},magnet={magnet}");
                let found = decide(&game, &spec(&text, &file), &position, None);
                let returns = values(&found);
                let power =
                    |(share, value): (&f64, &f64)| ((share.ln() + step * value / 2.0) / (1.0 + magnet * step)).exp();
                let expected: Vec<f64> = network.iter().zip(&returns).map(power).collect();
                let total: f64 = expected.iter().sum();
                let found = probabilities(&found);
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected / total).abs() < 1e-4, "{text}: {found} for {}", expected / total);
                }
                if magnet == 0.0 {
                    let best =
                        (0..returns.len()).max_by(|&a, &b| returns[a].total_cmp(&returns[b])).expect("an action");
                    assert!(found[best] > before - 1e-5, "{text}: {} after {before}", found[best]);
                    before = found[best];
                }
            }
        }
        assert!(before > 0.0);
    }
}

/// An action has the same worlds and random numbers whichever others are tried beside it, and however many rollouts
/// are played at once.
#[test]
fn actions_are_tried_independently() {
    let game: Schwinget = game("");
    let file = Draft::new(&game, &[16], 5).saved();
    let (mut compared, mut varied) = (0, 0);
    for position in decisions(&game, 3) {
        let legal = game.legal(position.0.state());
        let of = |allowed: <Schwinget as Game>::Actions| {
            let text = format!("mmds:particles=64,rollouts={}", 100 * allowed.len());
            values(&decide(&game, &spec(&text, &file), &position, Some(allowed)))
        };
        let all = of(legal);
        let two = of([0, 1].map(|rank| legal.nth(rank)).into_iter().collect());
        assert_eq!(all[..2], two);
        compared += usize::from(legal.len() > 2);
        varied += usize::from(all[0] != all[1]);
    }
    assert!(compared > 2 && varied > 2, "{compared}, {varied}");
}

/// A network whose value is a constant for each seat: so is every rollout that is cut off.
#[test]
fn cut_off_rollouts_have_the_network_s_value() {
    let game: Schwinget = game("bouts=2");
    let mut draft = Draft::new(&game, &[], 1).with("value_scale", "2");
    for name in ["value.weight", "value.bias"] {
        draft.values(name).fill(0.0);
    }
    // The first inputs encode the seat.
    draft.values("value.weight")[..2].copy_from_slice(&[0.25, -0.25]);
    let file = draft.saved();
    let mut seen = 0;
    for position in decisions(&game, 4).into_iter().filter(|(history, _)| game.deal_number(history.state()) == 0) {
        let expected = if position.1 == Seat(0) { 0.5 } else { -0.5 };
        for cutoff in ["deal", "0", "1"] {
            let text = format!("mmds:rollouts=20,particles=64,cutoff={cutoff}");
            let found = values(&decide(&game, &spec(&text, &file), &position, None));
            assert!(found.iter().all(|value| (value - expected).abs() < 1e-6), "{text}: {found:?} for {expected}");
        }
        let found = values(&decide(&game, &spec("mmds:rollouts=20,particles=64", &file), &position, None));
        assert!(found.iter().any(|value| (value - expected).abs() > 1e-3), "{found:?}");
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn every_action_gets_its_share_of_rollouts() {
    let file = Draft::new(&*BANDIT, &[], 1).saved();
    let position = (History::new(&*BANDIT), Seat(0));
    for (rollouts, visits) in [(1, 1), (4, 1), (5, 2), (2000, 500)] {
        let decision = decide(&*BANDIT, &spec(&format!("mmds:rollouts={rollouts},step=1000"), &file), &position, None);
        let search = decision.search.expect("a search");
        assert_eq!((search.iterations, decision.action.index()), (visits, 1));
        for (stats, reward) in search.actions.iter().zip(REWARDS) {
            assert_eq!((stats.visits, stats.availability), (visits, visits));
            assert!((stats.value - reward).abs() < 1e-6, "{stats:?}");
        }
    }
}

#[test]
fn an_interrupted_search_decides() {
    let game: Schwinget = game("");
    let file = Draft::new(&game, &[8], 1).saved();
    let (history, seat) = decisions(&game, 1).remove(0);
    let mut agent = spec("mmds:rollouts=1000000", &file).build::<Schwinget>(&game, 1);
    agent.interrupt_with(Arc::new(AtomicBool::new(true)));
    let search = agent.act(&game, &game.view(&history, seat), game.legal(history.state())).search.expect("a search");
    assert!((1..=256).contains(&search.iterations), "{}", search.iterations);
}

#[test]
fn values_are_needed_only_at_a_cutoff() {
    let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    let mut draft = Draft::new(&*KUHN, &[], 1).with("value", "none");
    draft.tensors.retain(|(name, ..)| !name.starts_with("value."));
    let file = draft.saved();
    let text = format!("mmds:network={}", file.path());
    assert!(text.parse::<AgentSpec>().is_ok(), "values are needed only at a cutoff");
    assert!(error(&format!("{text},cutoff=3")).contains("needs a network with a value head"));
    assert!(format!("{text},cutoff=3,evaluation=hints").parse::<AgentSpec>().is_ok());
}
