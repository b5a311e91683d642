//! The outputs of networks, and the player that follows them.

use std::collections::HashMap;

use stier_agents::agent::Query;
use stier_agents::agent::Streams;
use stier_agents::network::Evaluator;
use stier_agents::network::NetworkFile;
use stier_agents::{Agent, AgentSpec, Decision};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{
    ActionSet as _, FromRules as _, Game, Hints, History, Rng, Seat, Turn, encode, for_each_default_game,
};

use super::files::{Draft, Saved};

/// Computes logits and value by the definition, in double precision.
fn reference(draft: &Draft, observation: &[f32]) -> (Vec<f64>, f64) {
    let tensor = |name: &str| &draft.tensors.iter().find(|(own, ..)| own == name).expect("a tensor").2;
    let layer = |name: &str, inputs: &[f64]| -> Vec<f64> {
        let (weight, bias) = (tensor(&format!("{name}.weight")), tensor(&format!("{name}.bias")));
        let sum = |output: usize| {
            let products = inputs.iter().enumerate().map(|(i, x)| x * f64::from(weight[i * bias.len() + output]));
            f64::from(bias[output]) + products.sum::<f64>()
        };
        (0..bias.len()).map(sum).collect()
    };
    let mut values: Vec<f64> = observation.iter().map(|&value| f64::from(value)).collect();
    for index in
        (0..).take_while(|index| draft.tensors.iter().any(|(name, ..)| *name == format!("hidden.{index}.bias")))
    {
        values = layer(&format!("hidden.{index}"), &values);
        let tanh = draft.metadata["activation"] == "tanh";
        values.iter_mut().for_each(|value| *value = if tanh { value.tanh() } else { value.max(0.0) });
    }
    let scale: f64 = draft.metadata["value_scale"].parse().expect("a number");
    (layer("policy", &values), layer("value", &values)[0] * scale)
}

/// Every decision of some random games.
fn decisions<G: Game>(game: &G, games: u64) -> Vec<(History<G>, Seat)> {
    let mut found = Vec::new();
    for index in 0..games {
        let mut rng = Rng::stream(5, "network games", index);
        let mut history = History::new(game);
        loop {
            history.settle(game, &mut rng);
            let Turn::Seat(seat) = game.turn(history.state()) else { break };
            found.push((history.clone(), seat));
            history.push(game, game.legal(history.state()).pick(&mut rng));
        }
    }
    found
}

fn decide<G: Hints>(game: &G, text: &str, seed: u64, (history, seat): &(History<G>, Seat)) -> Decision {
    let mut agent: Box<dyn Agent<G>> = text.parse::<AgentSpec>().expect("an agent").build(game, seed);
    agent.act(game, &game.view(history, *seat), game.legal(history.state()))
}

/// The agent's probabilities, value and choice are those of the definition in every position of some games.
fn outputs_follow_the_definition<G: Hints>(game: &G, draft: &Draft) {
    let file = draft.saved();
    let (low, high) = game.info().utility_range;
    for position in decisions(game, 2) {
        let (history, seat) = &position;
        let mut observation = vec![0.0; encode::size(&game.observation_layout())];
        game.observation(history.state(), *seat, &mut observation);
        let (logits, value) = reference(draft, &observation);
        let legal: Vec<_> = game.legal(history.state()).iter().collect();
        for temperature in [1.0, 0.25] {
            let power = |logit: f64| (logit / temperature).exp();
            let total: f64 = legal.iter().map(|action| power(logits[action.index()])).sum();
            let text = format!("network:choose=sample,temperature={temperature},path={}", file.path());
            let drawn = decide(game, &text, 1, &position);
            let search = drawn.search.as_ref().expect("the network's outputs");
            for ((action, (same, share)), stats) in legal.iter().zip(&drawn.policy).zip(&search.actions) {
                let expected = power(logits[action.index()]) / total;
                assert_eq!(action, same);
                assert!((share - expected).abs() < 1e-4, "{share} for {expected}");
                assert_eq!((stats.action, stats.probability), (action.0, *share));
                let value = value.clamp(low, high);
                assert!((stats.value - value).abs() < 1e-3, "{} for {value}", stats.value);
            }
            assert!((drawn.policy.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
            let best = decide(game, &text.replace("choose=sample,", ""), 1, &position);
            let most = |decision: &Decision| decision.policy.iter().map(|(_, share)| *share).fold(0.0, f64::max);
            let favourite = drawn.policy.iter().find(|(_, share)| *share == most(&drawn)).expect("a favourite").0;
            assert_eq!((best.action, most(&best)), (favourite, 1.0));
            let softmax = best.search.expect("the network's outputs").actions;
            assert!(softmax.iter().zip(&search.actions).all(|(own, other)| own.probability == other.probability));
        }
    }
}

macro_rules! says {
    ($module:ident, $game:expr) => {
        mod $module {
            #[test]
            fn outputs_follow_the_definition() {
                let game = $game;
                for (hidden, activation) in [(&[][..], "relu"), (&[32], "relu"), (&[70, 20], "tanh")] {
                    let draft = super::Draft::new(&game, hidden, 3).with("activation", activation);
                    super::outputs_follow_the_definition(&game, &draft);
                }
            }
        }
    };
}
for_each_default_game!(says);

#[test]
fn actions_are_drawn_by_their_probabilities() {
    let game = Schwinget::new(Default::default()).unwrap();
    let file = Draft::new(&game, &[16], 4).saved();
    let position = decisions(&game, 1).remove(3);
    let text = format!("network:choose=sample,path={}", file.path());
    let mut drawn: HashMap<_, f64> = HashMap::new();
    let policy = decide(&game, &text, 0, &position).policy;
    for seed in 0..4000 {
        *drawn.entry(decide(&game, &text, seed, &position).action).or_default() += 1.0 / 4000.0;
    }
    for (action, share) in policy {
        let found = drawn.get(&action).copied().unwrap_or(0.0);
        assert!((found - share).abs() < 0.035, "{action:?}: {found} for {share}");
    }
    let mut agent: Box<dyn Agent<Schwinget>> = text.parse::<AgentSpec>().unwrap().build(&game, 9);
    let (history, seat) = &position;
    let mut next = || agent.act(&game, &game.view(history, *seat), game.legal(history.state())).action;
    let first: Vec<_> = (0..40).map(|_| next()).collect();
    assert!(first.iter().any(|action| *action != first[0]), "each decision draws again");
    agent.restart(9);
    let mut next = || agent.act(&game, &game.view(history, *seat), game.legal(history.state())).action;
    assert_eq!((0..40).map(|_| next()).collect::<Vec<_>>(), first);
}

#[test]
fn evaluating_many_states_at_once_gives_the_same_bits() {
    let game = Schwimmen::new(Default::default()).unwrap();
    let file = Draft::new(&game, &[256, 100], 4).saved();
    let network = NetworkFile::load(file.path()).unwrap().network().unwrap().clone();
    let (mut one, mut many) = (Evaluator::new(network.clone()), Evaluator::new(network));
    let positions = decisions(&game, 12);
    let query = |index: usize| Query::new(positions[index].0.state(), positions[index].1, Streams::new(0));
    let asked: Vec<_> = (0..positions.len()).map(query).collect();
    let mut compared = 0;
    for ((history, seat), together) in positions.iter().zip(many.evaluate_many(&game, &asked)) {
        let alone = one.evaluate(&game, history.state(), *seat);
        assert_eq!(alone.value.to_bits(), together.value.to_bits());
        assert!(alone.logits.iter().zip(together.logits).all(|(own, other)| own.to_bits() == other.to_bits()));
        compared += 1;
    }
    assert!(compared == positions.len() && compared > 40);
}

#[test]
fn overflowing_numbers_do_no_harm() {
    let game = Schwinget::new(Default::default()).unwrap();
    let mut draft = Draft::new(&game, &[8, 8], 1).with("value_scale", "3e38");
    for name in ["hidden.0.weight", "hidden.1.weight", "policy.weight", "value.weight"] {
        draft.values(name).iter_mut().for_each(|value| *value = value.signum() * 3e38);
    }
    let file = draft.saved();
    let (low, high) = game.info().utility_range;
    for position in decisions(&game, 1) {
        let decision = decide(&game, &format!("network:choose=sample,path={}", file.path()), 1, &position);
        assert!((decision.policy.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
        let stats = &decision.search.unwrap().actions;
        assert!(stats.iter().all(|stats| (low..=high).contains(&stats.value)));
    }
}

/// The file is deleted, but agents made from it continue to play.
#[test]
fn agents_keep_their_network() {
    let game = Schwinget::new(Default::default()).unwrap();
    let file: Saved = Draft::new(&game, &[8], 1).saved();
    let spec: AgentSpec = format!("network:path={}", file.path()).parse().unwrap();
    drop(file);
    let mut agent: Box<dyn Agent<Schwinget>> = spec.build(&game, 1);
    let (history, seat) = decisions(&game, 1).remove(0);
    let legal = game.legal(history.state());
    assert!(legal.contains(agent.act(&game, &game.view(&history, seat), legal).action));
}
