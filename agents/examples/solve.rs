//! Solves Kuhn poker and measures agents against the solution: `cargo run -p stier-agents-tests --example solve`.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use stier_agents::AgentSpec;
use stier_agents::solve::{Algorithm, GameTree, Policy, Settings, Solved, nash_conv, policy_of, solve};
use stier_core::games::kuhn_poker::{KuhnPoker, Rules};
use stier_core::{FromRules as _, Seat};
use stier_games as _; // Only linked: agents/tests/Cargo.toml says why.

fn main() -> Result<(), Box<dyn Error>> {
    let game = KuhnPoker::new(Rules::default())?;
    let tree = GameTree::new(&game, 100_000)?;
    println!("{} histories, {} information sets", tree.num_nodes(), tree.num_sets());

    let settings = Settings { algorithm: Algorithm::CfrPlus, iterations: 2000, target: 1e-3, ..Settings::default() };
    let Solved { policy: equilibrium, iterations, .. } =
        solve(&tree, &settings, &Arc::default(), &|_| ControlFlow::Continue(()))?;
    let solved = nash_conv(&tree, &equilibrium);
    println!("value for player 0: {:+.4}, after {iterations} iterations", solved.values[Seat(0)]);

    let spec: AgentSpec = "greedy".parse()?;
    let greedy = policy_of(&tree, &|| spec.build(&game, 0), &[1], 0, &|| ControlFlow::Continue(()))?;
    for (name, policy) in [("cfr+", &equilibrium), ("greedy", &greedy), ("random", &Policy::uniform(&tree))] {
        println!("{name:7} exploitability {:.4}", nash_conv(&tree, policy).exploitability());
    }
    assert!((solved.values[Seat(0)] + 1.0 / 18.0).abs() < 1e-3, "the value of Kuhn poker is -1/18");
    Ok(())
}
