//! Searches the first decision of a game: `cargo run -p stier-agents-tests --example search`.

use std::error::Error;

use stier_agents::{Agent, AgentSpec};
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{Action, FromRules as _, Game as _, History, Notation as _, Rng};
use stier_games as _; // Only linked: agents/tests/Cargo.toml says why.

fn main() -> Result<(), Box<dyn Error>> {
    let game = Schwinget::new(Rules::default())?;
    let history = History::dealt(&game, &mut Rng::stream(7, "example", 0));
    let seat = game.turn(history.state()).seat().ok_or("chance is to act")?;
    println!("{}\n", game.text(history.state(), Some(seat)));

    // The agent gets the view of its seat and never the state.
    let spec: AgentSpec = "ismcts:iterations=5000,selection=puct".parse()?;
    let mut agent: Box<dyn Agent<Schwinget>> = spec.build(&game, 1);
    let decision = agent.act(&game, &game.view(&history, seat), game.legal(history.state()));

    let search = decision.search.ok_or("the agent does not search")?;
    println!("{spec}: {} iterations, {} nodes", search.iterations, search.nodes);
    for stats in &search.actions {
        let name = game.action_name(Action(stats.action));
        println!("{name:8} {:5} visits, value {:+.3}", stats.visits, stats.value);
    }
    println!("choice: {}", game.action_name(decision.action));
    assert_eq!(search.actions.iter().map(|stats| stats.visits).sum::<u64>(), search.iterations);
    Ok(())
}
