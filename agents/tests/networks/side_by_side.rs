//! Matches of networks are played side by side, with the same games as one after another.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use stier_agents::agent::threads::Halted;
use stier_agents::arena::{Entrant, PitResult, Settings, pit};
use stier_agents::{AgentSpec, Player};
use stier_core::{FromRules as _, Hints, for_each_default_game, games::schwinget::Schwinget};

use super::files::{Draft, Saved};

/// An entrant that reveals nothing but its players.
struct Alone(AgentSpec);

impl<G: Hints> Entrant<G> for Alone {
    fn label(&self) -> String {
        Entrant::<G>::label(&self.0)
    }

    fn enter(&self, game: &G) -> Player<G> {
        self.0.enter(game)
    }
}

/// Agents that can play the game, five in all.
fn agents<G: Hints>(game: &G, files: &[Saved; 2]) -> Vec<AgentSpec> {
    let [first, second] = files.each_ref().map(Saved::path);
    [
        format!("network:path={first}"),
        format!("network:choose=sample,temperature=3,seed=7,path={second}"),
        if game.has_policy() { "greedy" } else { "random:seed=2" }.to_string(),
        "random".to_string(),
        format!("network:choose=sample,path={first}"),
    ]
    .map(|text| text.parse().expect("an agent"))
    .to_vec()
}

fn played<'a, G: Hints, E: Entrant<G> + 'a>(game: &G, entrants: &'a [E], settings: &Settings) -> PitResult {
    let entrants: Vec<&dyn Entrant<G>> = entrants.iter().map(|entrant| entrant as _).collect();
    pit(game, &entrants, settings, &|| ControlFlow::Continue(())).expect("played")
}

/// Cross-tables, paired and unpaired, on several threads, are the same as for players that decide one by one.
fn games_are_the_same<G: Hints>(game: &G) {
    let files = [1, 2].map(|seed| Draft::new(game, &[40, 20], seed).saved());
    let agents = agents(game, &files);
    let alone: Vec<Alone> = agents.iter().cloned().map(Alone).collect();
    // The paired games of each thread are more than 128, which is how many are played side by side.
    for (paired, deals) in [(true, 23), (false, 5)] {
        let settings = |threads| Settings { deals, seed: 11, paired, threads };
        let expected = played(game, &alone, &settings(1)).games;
        for threads in [1, 3] {
            assert_eq!(played(game, &agents, &settings(threads)).games, expected, "{threads} threads");
        }
        // In reversed order, entrant 4 - n is the former entrant n.
        let reversed: Vec<AgentSpec> = agents.iter().rev().cloned().collect();
        for (one, other) in played(game, &reversed, &settings(2)).games.iter().zip(&expected) {
            assert!(one.agents.iter().zip(other.agents.iter()).all(|(one, other)| one + other == 4));
            assert_eq!((one.deal, &one.returns, &one.events), (other.deal, &other.returns, &other.events));
        }
    }
}

macro_rules! same {
    ($module:ident, $game:expr) => {
        mod $module {
            #[test]
            fn games_are_the_same() {
                let game = $game;
                super::games_are_the_same(&game);
            }
        }
    };
}
for_each_default_game!(same);

#[test]
fn watchers_see_every_game_and_can_interrupt() {
    let game = Schwinget::new(Default::default()).unwrap();
    let files = [1, 2].map(|seed| Draft::new(&game, &[8], seed).saved());
    let agents = agents(&game, &files);
    let entrants: Vec<&dyn Entrant<Schwinget>> = agents[..2].iter().map(|entrant| entrant as _).collect();
    let heard = AtomicU64::new(0);
    let play = |limit| {
        let watch = || {
            let enough = heard.fetch_add(1, Ordering::Relaxed) + 1 == limit;
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        heard.store(0, Ordering::Relaxed);
        let result = pit(&game, &entrants, &Settings { deals: 500, threads: 1, ..Settings::default() }, &watch);
        (result.map(|result| result.games.len()), heard.load(Ordering::Relaxed))
    };
    assert_eq!(play(u64::MAX), (Ok(1000), 1000));
    assert_eq!(play(200), (Err(Halted::Interrupted.into()), 200));
}
