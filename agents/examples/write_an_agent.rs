//! Writes an agent and plays it against random: `cargo run -p stier-agents-tests --example write_an_agent`.
//!
//! The agent draws worlds that are consistent with its view. It tries each legal action in every world, plays on at
//! random, and chooses the action with the highest mean return. It works for every game.

use std::error::Error;
use std::ops::ControlFlow;

use stier_agents::arena::{self, Entrant, Settings};
use stier_agents::{Agent, AgentSpec, Decision, Player};
use stier_core::games::schwimmen::{Rules, Schwimmen};
use stier_core::{ActionSet as _, FromRules as _, Game, Options as _, Rng, Sampler as _, SeatView as _};
use stier_games as _; // Only linked: agents/tests/Cargo.toml says why.

struct Flat {
    worlds: u32,
    rng: Rng,
}

impl<G: Game> Agent<G> for Flat {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let sampler = game.sampler(view);
        let mut totals = vec![0.0; legal.len()];
        for _ in 0..self.worlds {
            let world = sampler.sample(&mut self.rng);
            for (action, total) in legal.iter().zip(&mut totals) {
                let mut state = world;
                game.step(&mut state, action, &mut self.rng);
                game.playout(&mut state, &mut self.rng);
                *total += game.returns(&state)[view.seat()];
            }
        }
        let best = legal.iter().zip(&totals).max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (action, _) = best.expect("at least one action is legal");
        Decision::certain(action, legal.iter())
    }

    fn restart(&mut self, seed: u64) {
        self.rng = Rng::stream(seed, "flat", 0);
    }
}

/// Makes players for matches, one for each table.
struct FlatEntrant {
    worlds: u32,
}

impl<G: Game> Entrant<G> for FlatEntrant {
    fn label(&self) -> String {
        format!("flat:worlds={}", self.worlds)
    }

    fn enter(&self, _game: &G) -> Player<G> {
        Player::Fair(Box::new(Flat { worlds: self.worlds, rng: Rng::stream(0, "flat", 0) }))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = Schwimmen::new(Rules::from_text("players=2")?)?;
    let random: AgentSpec = "random".parse()?;
    let settings = Settings { deals: 100, seed: 1, ..Settings::default() };
    let result = arena::pit(&game, &[&FlatEntrant { worlds: 10 }, &random], &settings, &|| ControlFlow::Continue(()))?;
    println!("{result}");
    assert!(result.standing(0).mean.mean > 0.5, "a little search beats random play");
    Ok(())
}
