//! Agents decide by what their seat knows: exchange the hidden cards for any others, and nothing changes.

use stier_agents::{Agent, AgentSpec, Decision, spec};
use stier_core::{ActionSet as _, Game, Hints, History, Rng, Sampler as _, Turn, for_each_game};

/// Everything but the time taken.
fn essence(decision: Decision) -> Decision {
    let search = decision.search.map(|mut search| {
        search.seconds = 0.0;
        search
    });
    Decision { search, ..decision }
}

/// Plays random games; at each decision, the agent must decide alike, to the last statistic, in other worlds of the view.
fn decides_alike_in_every_world<G: Hints>(game: &G, agent: &AgentSpec, games: u64) {
    for index in 0..games {
        let mut rng = Rng::stream(3, "no peeking", index);
        let mut history = History::new(game);
        let mut others = 0;
        loop {
            history.settle(game, &mut rng);
            let Turn::Seat(seat) = game.turn(history.state()) else { break };
            let legal = game.legal(history.state());
            let view = game.view(&history, seat);
            let decide = |history: &History<G>| {
                let mut agent: Box<dyn Agent<G>> = agent.build(11);
                essence(agent.act(game, &game.view(history, seat), game.legal(history.state())))
            };
            let here = decide(&history);
            assert!(legal.contains(here.action));
            assert!((here.policy.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
            let sampler = game.sampler(&view);
            for _ in 0..3 {
                let other = sampler.sample_history(game, &mut rng);
                others += usize::from(other.state() != history.state());
                assert_eq!(decide(&other), here, "{agent} in another world of the same view");
            }
            history.push(game, legal.pick(&mut rng));
        }
        assert!(others > 0, "the worlds differ");
    }
}

macro_rules! every_agent {
    ($name:ident, $game:ty) => {
        #[test]
        fn $name() {
            let game = <$game as Game>::new(Default::default()).expect("default rules");
            for agent in spec::NAMES {
                let text = match *agent {
                    "ismcts" => "ismcts:iterations=200".to_string(),
                    "ris_mcts" => "ris_mcts:iterations=30,self_determination=0.2".to_string(),
                    other => other.to_string(),
                };
                decides_alike_in_every_world(&game, &text.parse().expect("an agent"), 12);
            }
            for text in [
                "ismcts:iterations=100,threads=3",
                "ismcts:iterations=100,rollout=hints,choose=sample",
                "ismcts:iterations=50,beliefs=policy,model=greedy,particles=80",
                "ris_mcts:iterations=100,redeterminization=off",
            ] {
                decides_alike_in_every_world(&game, &text.parse().expect("an agent"), 3);
            }
        }
    };
}
for_each_game!(every_agent);
