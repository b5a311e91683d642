//! Networks in searches: as prior, value, rollout policy and model of the others.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::toys::KUHN;
use stier_agents::agent::Stop;
use stier_agents::belief::policy_model::{Model, PolicyModel};
use stier_agents::belief::{BeliefSettings, Beliefs, Kept};
use stier_agents::network::{Guide, NetworkFile};
use stier_agents::rollout::{Cutoff, Evaluation, Roller, Rollout, RolloutSettings};
use stier_agents::{Agent, AgentSpec, Search};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{ActionSet as _, FromRules as _, Game, Hints, History, Plain, Rng, Seat};

use super::files::{Draft, Saved};
use stier_core::games::kuhn_poker::{BET, PASS};

/// A network of one layer with zero weights and biases, to be changed by hand.
fn blank<G: Hints>(game: &G) -> Draft {
    let mut draft = Draft::new(game, &[], 1);
    for (_, _, values) in &mut draft.tensors {
        values.fill(0.0);
    }
    draft
}

fn guide(file: &Saved) -> Guide {
    Guide { network: NetworkFile::load(file.path()).unwrap(), ..Guide::default() }
}

fn dealt<G: Game>(game: &G, seed: u64) -> (History<G>, Seat) {
    let history = History::dealt(game, &mut Rng::stream(seed, "network search", 0));
    let seat = game.turn(history.state()).seat().expect("a decision");
    (history, seat)
}

fn search<G: Hints>(game: &G, text: &str, (history, seat): &(History<G>, Seat)) -> Search {
    let mut agent: Box<dyn Agent<G>> = text.parse::<AgentSpec>().expect("an agent").build(game, 7);
    let mut found = agent.act(game, &game.view(history, *seat), game.legal(history.state())).search.expect("a search");
    found.seconds = 0.0;
    found
}

const VALUED: &str = "cutoff=0,evaluation=network";

/// If all values are equal, visits follow the prior: three quarters from the network, one quarter uniform.
#[test]
fn visits_follow_the_prior() {
    let game = Schwinget::new(Default::default()).unwrap();
    let position = dealt(&game, 1);
    let legal: Vec<_> = game.legal(position.0.state()).iter().collect();
    let mut draft = blank(&game);
    draft.values("policy.bias")[legal[2].index()] = 1.0;
    let file = draft.saved();
    let total = legal.len() as f64 - 1.0 + 1.0_f64.exp();
    for options in ["", ",observer=multi", ",threads=2", ",draws=branch,reuse=on"] {
        let text =
            format!("ismcts:iterations=3000,selection=puct,prior=network,{VALUED},network={}{options}", file.path());
        let found = search(&game, &text, &position);
        assert_eq!(found.iterations, 3000);
        for (index, stats) in found.actions.iter().enumerate() {
            let share = if index == 2 { 1.0_f64.exp() } else { 1.0 } / total;
            let expected = 0.25 / legal.len() as f64 + 0.75 * share;
            let visited = stats.visits as f64 / 3000.0;
            assert!((visited - expected).abs() < 0.01, "{options}: {visited} for {expected}");
            assert_eq!(stats.value, 0.0, "the value of every leaf");
        }
        assert_eq!(search(&game, &text, &position), found, "the same seed, the same bits");
    }
}

/// If the network gives a seat the same value at every leaf, this is the value of the root.
#[test]
fn leaves_have_the_network_s_value() {
    let game = Schwinget::new(Default::default()).unwrap();
    assert_eq!(game.info().utility_sum, Some(0.0));
    for seed in 1..5 {
        let position = dealt(&game, seed);
        let mut draft = blank(&game).with("value_scale", "2");
        // The first inputs encode the seat.
        draft.values("value.weight")[..2].copy_from_slice(&[0.25, -0.25]);
        let file = draft.saved();
        let expected = if position.1 == Seat(0) { 0.5 } else { -0.5 };
        for options in [
            "selection=puct,prior=network",
            "selection=puct",
            "selection=ucb1",
            "selection=puct,prior=network,rollouts=3",
        ] {
            let text = format!("ismcts:iterations=400,{options},{VALUED},network={}", file.path());
            let visited = search(&game, &text, &position).actions.into_iter().filter(|stats| stats.visits > 0);
            for stats in visited {
                assert!((stats.value - expected).abs() < 1e-5, "{options}: {} for {expected}", stats.value);
            }
        }
    }
}

/// Tests more than two players, without a fixed sum of returns.
#[test]
fn searches_work_with_many_players() {
    let game = Schwimmen::new(Default::default()).unwrap();
    let position = dealt(&game, 1);
    let file = Draft::new(&game, &[24], 2).saved();
    let (low, high) = game.info().utility_range;
    for observer in ["single", "multi"] {
        for opponents in ["search", "fitted"] {
            let text = format!(
                "ismcts:iterations=300,observer={observer},opponents={opponents},selection=puct,prior=network,{VALUED},network={}",
                file.path()
            );
            let found = search(&game, &text, &position);
            assert_eq!(found.actions.iter().map(|stats| stats.visits).sum::<u64>(), 300);
            assert!(found.nodes > 100, "every leaf is a node: {}", found.nodes);
            for stats in found.actions {
                assert!((low..=high).contains(&stats.value));
            }
        }
    }
}

/// The returns of one rollout from the first decision of Kuhn poker.
fn roll(settings: RolloutSettings, guide: &Guide, cards: [u8; 2], rng: &mut Rng) -> [f32; 2] {
    let mut history = History::new(&*KUHN);
    cards.iter().for_each(|&card| history.push(&*KUHN, stier_core::Action(card)));
    let returns = Roller::new(settings).guided_by(guide).returns(&*KUHN, &mut history.state().clone(), rng);
    [returns[Seat(0)], returns[Seat(1)]]
}

#[test]
fn rollouts_play_by_the_network() {
    let mut rng = Rng::stream(1, "network rollouts", 0);
    let settings = RolloutSettings { rollout: Rollout::Network, ..RolloutSettings::default() };
    let biased = |action: stier_core::Action, bias: f32| {
        let mut draft = blank(&*KUHN);
        draft.values("policy.bias")[action.index()] = bias;
        guide(&draft.saved())
    };
    for _ in 0..50 {
        // A bet and a call, or two checks.
        assert_eq!(roll(settings, &biased(BET, 60.0), [0, 2], &mut rng), [-2.0, 2.0]);
        assert_eq!(roll(settings, &biased(PASS, 60.0), [2, 1], &mut rng), [1.0, -1.0]);
    }
    // With a logit of ln 3 the network bets three times in four. The king wins 2 after bet and call or check, bet and
    // call, else 1.
    let guide = biased(BET, 3.0_f32.ln());
    let mean = (0..20_000).map(|_| f64::from(roll(settings, &guide, [2, 0], &mut rng)[0])).sum::<f64>() / 20_000.0;
    let expected = 0.75 * (0.75 * 2.0 + 0.25) + 0.25 * (0.25 + 0.75 * (0.75 * 2.0 - 0.25));
    assert!((mean - expected).abs() < 0.03, "{mean} for {expected}");
}

#[test]
fn rollouts_end_with_the_network_s_value() {
    let mut rng = Rng::stream(2, "network rollouts", 0);
    let mut draft = blank(&*KUHN).with("value_scale", "1");
    draft.values("value.bias")[0] = 0.375;
    let guide = guide(&draft.saved());
    for (plies, expected) in [(0, [0.375, -0.375]), (1, [-0.375, 0.375])] {
        let settings = RolloutSettings {
            rollout: Rollout::Random,
            cutoff: Cutoff::After(plies),
            evaluation: Evaluation::Network,
            ..RolloutSettings::default()
        };
        assert_eq!(roll(settings, &guide, [0, 2], &mut rng), expected, "to the player to act after {plies}");
    }
}

/// A model that bets by its card, and the resulting belief about the bettor's card.
#[test]
fn beliefs_follow_the_network() {
    let mut draft = blank(&*KUHN);
    // The number of cards dealt, then the own card: rows 2 to 4.
    for (card, odds) in [1.0_f32 / 3.0, 0.5, 4.0].into_iter().enumerate() {
        draft.values("policy.weight")[(2 + card) * 2 + BET.index()] = odds.ln();
    }
    let file = draft.saved();
    let mut history = History::new(&*KUHN);
    [stier_core::Action(2), stier_core::Action(1), BET].into_iter().for_each(|event| history.push(&*KUHN, event));
    let text = format!("beliefs=policy,model=network,model_epsilon=0,model_temperature=1,network={}", file.path());
    for agent in ["ismcts", "pimc", "epimc", "flat_mc", "presumed_pimc", "recursive_pimc", "ris_mcts"] {
        let spec: AgentSpec = format!("{agent}:{text},particles=4000").parse().unwrap();
        let mut agent: Box<dyn Agent<Plain>> = spec.build(&*KUHN, 1);
        let worlds = agent.beliefs(&*KUHN, &KUHN.view(&history, Seat(1)));
        let mut rng = Rng::stream(3, "network beliefs", 0);
        let kings = (0..8000).filter(|_| worlds.draw(&mut rng) == *history.state()).count() as f64 / 8000.0;
        // A king bets four times in five, a jack one time in four.
        assert!((kings - 0.8 / 1.05).abs() < 0.03, "{spec}: {kings}");
    }
    let settings = BeliefSettings {
        beliefs: Beliefs::Policy,
        model: Model::Network,
        guide: guide(&file),
        ..BeliefSettings::default()
    };
    let mut scores = Vec::new();
    let mut before = History::new(&*KUHN);
    [2, 1].into_iter().for_each(|card| before.push(&*KUHN, stier_core::Action(card)));
    settings.policy_model().scores(&*KUHN, &before, KUHN.legal(before.state()), &mut scores);
    assert!((scores[1] - scores[0] - 4.0_f32.ln()).abs() < 1e-6);
}

/// A model that is asked about one decision after another.
struct OneByOne<'a, G: Hints>(&'a dyn PolicyModel<G>);

impl<G: Hints> PolicyModel<G> for OneByOne<'_, G> {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        self.0.scores(game, so_far, legal, scores);
    }
}

/// Worlds that are weighed many at once have the same weights, to the bit.
#[test]
fn weighing_many_at_once_gives_the_same_bits() {
    let game = Schwinget::new(Default::default()).unwrap();
    let file = Draft::new(&game, &[64], 6).saved();
    let settings = BeliefSettings {
        beliefs: Beliefs::Policy,
        model: Model::Network,
        particles: 300,
        guide: guide(&file),
        ..BeliefSettings::default()
    };
    let model = settings.policy_model();
    let mut rng = Rng::stream(4, "network beliefs", 0);
    let (mut history, _) = dealt(&game, 2);
    let (flag, mut weighed) = (AtomicBool::new(false), 0);
    while let Some(seat) = game.turn(history.state()).seat() {
        let view = game.view(&history, seat);
        let [together, apart] = [&*model, &OneByOne(&*model)].map(|model: &dyn PolicyModel<Schwinget>| {
            let stop = Stop::new(Instant::now(), 0, &flag);
            settings.worlds(Some(model), Kept::States, &game, &view, &stop, &mut Rng::stream(5, "weighing", 0))
        });
        assert_eq!(together.belief().is_some(), apart.belief().is_some());
        if let (Some(together), Some(apart)) = (together.belief(), apart.belief()) {
            assert!(together.worlds().eq(apart.worlds()));
            weighed += 1;
        }
        history.push(&game, game.legal(history.state()).pick(&mut rng));
        history.settle(&game, &mut rng);
    }
    assert!(weighed > 5);
}
