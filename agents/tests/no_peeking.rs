//! Agents decide by their seat's knowledge. Exchanging the hidden cards for any others changes nothing.

use stier_agents::catalogue;
use stier_agents::{Agent, AgentSpec, Decision};
use stier_core::{ActionSet as _, Hints, History, Rng, Sampler as _, Turn, for_each_default_game};

use crate::networks::files::Draft;

/// Everything except the duration.
fn essence(decision: Decision) -> Decision {
    let search = decision.search.map(|mut search| {
        search.seconds = 0.0;
        search
    });
    Decision { search, ..decision }
}

/// The largest number of decisions of a game that are checked.
const CHECKED: usize = 12;

/// Plays random games. At each decision, or at every so many in long games, the agent must make the same decision, to the
/// last statistic, in other worlds of the view.
fn decides_the_same_in_every_world<G: Hints>(game: &G, agent: &AgentSpec, games: u64) {
    for index in 0..games {
        let mut rng = Rng::stream(3, "no peeking", index);
        let (mut whole, mut decisions) = (History::new(game), Vec::new());
        whole.settle(game, &mut rng);
        while let Turn::Seat(seat) = game.turn(whole.state()) {
            decisions.push((whole.events().len(), seat));
            whole.push(game, game.legal(whole.state()).pick(&mut rng));
            whole.settle(game, &mut rng);
        }
        let step = decisions.len().div_ceil(CHECKED).max(1);
        let mut others = 0;
        for &(length, seat) in decisions.iter().skip(rng.below(step as u32) as usize).step_by(step) {
            let history = whole.prefix(game, length);
            let decide = |history: &History<G>| {
                let mut agent: Box<dyn Agent<G>> = agent.build(game, 11);
                essence(agent.act(game, &game.view(history, seat), game.legal(history.state())))
            };
            let here = decide(&history);
            assert!(game.legal(history.state()).contains(here.action));
            assert!((here.policy.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
            let sampler = game.sampler(&game.view(&history, seat));
            for _ in 0..3 {
                let other = sampler.sample_history(game, &mut rng);
                others += usize::from(other.state() != history.state());
                assert_eq!(decide(&other), here, "{agent} in another world of the same view");
            }
        }
        assert!(others > 0, "the worlds differ");
    }
}

macro_rules! every_agent {
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            let game = $game;
            let file = Draft::new(&game, &[24], 1).saved();
            let path = file.path();
            for agent in catalogue::NAMES {
                let text = match *agent {
                    "best" => "best:iterations=20".to_string(),
                    "epimc" => "epimc:worlds=3,depth=2,nodes=50,iterations=4,sweeps=5".to_string(),
                    "flat_mc" => "flat_mc:iterations=100".to_string(),
                    "ismcts" => "ismcts:iterations=200".to_string(),
                    "ismcts_br" => "ismcts_br:iterations=40,particles=80".to_string(),
                    "lbr" => "lbr:worlds=10,particles=80".to_string(),
                    "mmds" => format!("mmds:rollouts=20,particles=64,choose=sample,network={path}"),
                    "network" => format!("network:choose=sample,path={path}"),
                    "oracle" => "oracle:worlds=2,nodes=50,iterations=30".to_string(),
                    "pimc" => "pimc:worlds=6,nodes=50,iterations=15".to_string(),
                    "presumed_pimc" => "presumed_pimc:worlds=2,guesses=2,nodes=20,iterations=4".to_string(),
                    "recursive_pimc" => "recursive_pimc:worlds=1,inner_worlds=1,plies=3".to_string(),
                    "ris_mcts" => "ris_mcts:iterations=10,self_determination=0.2".to_string(),
                    "rule" => "rule:when=random,cards=(ismcts:iterations=50)".to_string(),
                    other => other.to_string(),
                };
                // Agents that play games within the game get fewer games.
                let games = if matches!(*agent, "epimc" | "ismcts_br" | "lbr" | "mmds" | "network" | "presumed_pimc" | "recursive_pimc") { 2 } else { 12 };
                let agent: AgentSpec = text.parse().expect("an agent");
                if agent.check(&game).is_ok() {
                    decides_the_same_in_every_world(&game, &agent, games);
                }
            }
            for text in [
                "flat_mc:iterations=60,allocation=ucb1,rollout=hints,epsilon=0.2,endings=on",
                "ismcts:iterations=100,threads=3",
                "ismcts:iterations=100,rollout=hints,choose=sample",
                "ismcts:iterations=60,rollout=hints,epsilon=0.2,cutoff=3,rollouts=2",
                "ismcts:iterations=100,rollout=hints",
                "ismcts:iterations=100,observer=multi,selection=regret_matching,choose=mixed",
                "ismcts:iterations=100,observer=multi,draws=branch,selection=puct,reuse=on",
                "ismcts:iterations=50,beliefs=policy,model=greedy,particles=80",
                "ismcts_br:iterations=10,draws=branch,particles=64,replies=1,against=(ismcts:iterations=3)",
                "lbr:worlds=2,continuation=against,particles=64,replies=2,seeds=2,against=(ismcts:iterations=2,choose=sample)",
                "ismcts:iterations=60,opponents=fitted,rollout=fitted,beliefs=policy,model=fitted,particles=80",
                "flat_mc:iterations=50,beliefs=policy,model=fitted,particles=80",
                "pimc:worlds=4,solver=rollouts,iterations=6,beliefs=policy,model=greedy,particles=80",
                "epimc:worlds=2,depth=2,solver=rollouts,iterations=2,beliefs=policy,particles=80",
                "presumed_pimc:worlds=2,guesses=2,solver=rollouts,iterations=2,beliefs=policy,model=fitted,particles=80",
                "recursive_pimc:worlds=1,inner_worlds=1,plies=2,beliefs=policy,model=fitted,particles=80",
                "ris_mcts:iterations=20,beliefs=policy,model=fitted,particles=80",
                "ris_mcts:iterations=40,redeterminization=off,beliefs=policy,particles=80",
                "ris_mcts:iterations=100,redeterminization=off",
                "epimc:worlds=2,depth=3,solver=rollouts,iterations=2,sweeps=3,mixed=on",
                "pimc:worlds=6,solver=exact,fallback=evaluate,nodes=20",
                "pimc:worlds=6,solver=rollouts,iterations=10",
                "presumed_pimc:worlds=2,guesses=2,replies=3,solver=rollouts,iterations=2",
                "recursive_pimc:worlds=1,inner_worlds=2,inner_solver=exact,inner_nodes=10,plies=2",
            ] {
                decides_the_same_in_every_world(&game, &text.parse().expect("an agent"), 2);
            }
            for text in [
                "ismcts:iterations=30,selection=puct,prior=network,cutoff=0,evaluation=network",
                "ismcts:iterations=10,observer=multi,selection=puct,prior=network,rollout=network,reuse=on",
                "ismcts:iterations=20,cutoff=2,evaluation=network,beliefs=policy,model=network,particles=64",
                "mmds:rollouts=20,cutoff=3,beliefs=uniform,magnet=0.1",
                "pimc:worlds=2,solver=rollouts,iterations=2,rollout=network",
            ] {
                let spec = format!("{text},network={path}").parse().expect("an agent");
                decides_the_same_in_every_world(&game, &spec, 1);
            }
        }
    };
}
for_each_default_game!(every_agent);
