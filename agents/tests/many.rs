//! Calls for many states at once give the same results as single calls.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use stier_agents::agent::DecideError;
use stier_agents::agent::threads::Halted;
use stier_agents::batch::vector::Cells;
use stier_agents::batch::{ManyError, resample_many, search_many};
use stier_agents::erased::{DynGame, DynState, DynWorlds};
use stier_agents::{AgentSpec, Decision};
use stier_core::{Rng, Seat, Turn, encode};

use crate::vector::{GAMES, game};

/// Every third state of a random game in which a player is to act.
fn decisions(game: &dyn DynGame, seed: u64) -> Vec<Box<dyn DynState>> {
    let mut rng = Rng::stream(seed, "test games", 0);
    let mut state = game.new_state(Some(seed));
    let mut all = Vec::new();
    while state.turn() != Turn::Over {
        all.push(state.duplicate());
        let possible = state.possible();
        state.apply(possible[rng.below(possible.len() as u32) as usize]).expect("a legal action");
    }
    all.into_iter().step_by(3).collect()
}

fn worlds(
    game: &dyn DynGame,
    states: &[(&dyn DynState, Seat)],
    settings: resample_many::Settings,
) -> Box<dyn DynWorlds> {
    game.resample_many(states, &settings, &AtomicBool::new(false)).expect("worlds")
}

fn holdings(game: &dyn DynGame, worlds: &dyn DynWorlds) -> Vec<u8> {
    let mut out = vec![9; worlds.count() * game.info().num_seats * worlds.cards().len()];
    worlds.holdings(&mut out);
    out
}

fn observations(game: &dyn DynGame, worlds: &dyn DynWorlds, seat: Option<Seat>) -> Vec<f32> {
    let mut out = vec![f32::NAN; worlds.count() * encode::size(&game.facts().observation_layout)];
    worlds.observations(seat, Cells::Floats(&mut out));
    out
}

/// The seed of a world.
fn seed_of(seed: u64, state: usize, world: usize) -> u64 {
    Rng::stream(Rng::stream(seed, "resample many", state as u64).bits(), "world", world as u64).bits()
}

#[test]
fn worlds_with_histories_are_resampled_states() {
    for text in GAMES {
        let game = game(text);
        let states = decisions(&*game, 3);
        let seats = game.info().num_seats;
        let sources: Vec<(&dyn DynState, Seat)> =
            states.iter().enumerate().map(|(index, state)| (&**state, Seat((index % seats) as u8))).collect();
        let settings = resample_many::Settings { agent: None, worlds: 3, seed: 8, histories: true, threads: 2 };
        let found = worlds(&*game, &sources, settings);
        assert_eq!(found.count(), 3 * sources.len());
        let seen = observations(&*game, &*found, Some(Seat(0)));
        let width = encode::size(&game.facts().observation_layout);
        for index in 0..found.count() {
            let (source, seat) = sources[index / 3];
            let single = source.resample(seat, seed_of(8, index / 3, index % 3));
            let world = found.state(index).expect("a history");
            assert!(world.same(&*single), "{text}, world {index}");
            assert_eq!((world.dealing(), found.seat(index)), (single.dealing(), seat));
            let mut observation = vec![0.0; width];
            world.observation(Seat(0), &mut observation);
            assert_eq!(seen[index * width..][..width], observation);
        }
    }
}

#[test]
fn worlds_without_histories_are_consistent_with_the_view() {
    for text in GAMES {
        let game = game(text);
        let states = decisions(&*game, 4);
        let state = &states[states.len() / 2];
        let seat = state.turn().seat().expect("a decision");
        let settings = resample_many::Settings { agent: None, worlds: 5000, seed: 8, histories: false, threads: 1 };
        let found = worlds(&*game, &[(&**state, seat)], settings);
        assert!(found.state(0).is_none());
        // The player's observation is the same in all worlds.
        let mut own = vec![0.0; encode::size(&game.facts().observation_layout)];
        state.observation(seat, &mut own);
        assert!(observations(&*game, &*found, None).chunks(own.len()).all(|seen| seen == own), "{text}");
        // The cards are distributed as in the belief, up to the error of 5,000 draws (and of the belief's own).
        let belief = state.beliefs(seat);
        let (seats, cards) = (game.info().num_seats, found.cards().len());
        assert_eq!(found.cards(), belief.cards);
        let held = holdings(&*game, &*found);
        for card in 0..cards {
            for seat in 0..seats {
                let counts = held.chunks(seats * cards).map(|world| f64::from(world[seat * cards + card]));
                let mean = counts.sum::<f64>() / 5000.0;
                let expected = belief.expected[card * seats + seat];
                assert!((mean - expected).abs() < 0.1, "{text}: seat {seat} holds {mean}, expected {expected}");
            }
        }
    }
}

#[test]
fn worlds_do_not_depend_on_threads_or_other_states() {
    let game = game("schwimmen");
    let states = decisions(&*game, 5);
    let sources: Vec<(&dyn DynState, Seat)> = states.iter().map(|state| (&**state, Seat(1))).collect();
    for histories in [false, true] {
        let settings = resample_many::Settings { agent: None, worlds: 5000, seed: 2, histories, threads: 1 };
        let one = holdings(&*game, &*worlds(&*game, &sources, settings));
        let many = worlds(&*game, &sources, resample_many::Settings { threads: 3, ..settings });
        assert_eq!(one, holdings(&*game, &*many));
        let fewer = worlds(&*game, &sources[..1], resample_many::Settings { agent: None, worlds: 10, ..settings });
        let fewer = holdings(&*game, &*fewer);
        assert_eq!(one[..fewer.len()], fewer);
        let other = worlds(&*game, &sources, resample_many::Settings { seed: 3, ..settings });
        assert_ne!(one, holdings(&*game, &*other));
    }
    let settings = resample_many::Settings { agent: None, worlds: 10, seed: 2, histories: false, threads: 1 };
    let stopped = game.resample_many(&sources, &settings, &AtomicBool::new(true));
    assert_eq!(stopped.err(), Some(Halted::Interrupted.into()));
}

fn search(
    game: &dyn DynGame,
    spec: &str,
    states: &[&dyn DynState],
    threads: usize,
) -> Result<Vec<Decision>, ManyError> {
    let settings = search_many::Settings { seed: 6, threads };
    let spec: AgentSpec = spec.parse().expect("an agent");
    game.search_many(&spec, states, &settings, &Arc::default(), &|| ControlFlow::Continue(()))
}

/// The decision without its duration.
fn timeless(mut decision: Decision) -> Decision {
    if let Some(search) = &mut decision.search {
        search.seconds = 0.0;
    }
    decision
}

#[test]
fn searches_are_those_of_new_agents() {
    for (text, spec) in [
        ("schwinget", "ismcts:iterations=100,reuse=on"),
        ("up_and_down", "ismcts:iterations=40"),
        ("schwimmen", "flat_mc:iterations=50"),
        ("schwinget", "oracle:future=known,nodes=200"),
        ("schweins_galopp", "random"),
    ] {
        let game = game(text);
        let states = decisions(&*game, 7);
        let states: Vec<&dyn DynState> = states.iter().map(|state| &**state).collect();
        let found: Vec<Decision> =
            search(&*game, spec, &states, 3).expect("decisions").into_iter().map(timeless).collect();
        for (index, decision) in found.iter().enumerate() {
            let seed = Rng::stream(6, "search", index as u64).bits();
            assert_eq!(search_many::seed_of(6, index), seed);
            let separator = if spec.contains(':') { ',' } else { ':' };
            let single: AgentSpec = format!("{spec}{separator}seed={seed}").parse().expect("an agent");
            let single = game.agent(&single).expect("no network").decide(states[index]).expect("a decision");
            assert_eq!(*decision, timeless(single), "{text}, {spec}, state {index}");
        }
        let alone: Vec<Decision> =
            search(&*game, spec, &states[..2], 1).expect("decisions").into_iter().map(timeless).collect();
        assert_eq!(found[..2], alone);
    }
}

#[test]
fn states_that_cannot_be_searched_are_named() {
    let here = game("schwinget");
    let (fine, dealing) = (here.new_state(Some(1)), here.new_state(None));
    let error = search(&*here, "random", &[&*fine, &*dealing], 1).expect_err("chance must be to act");
    assert_eq!(error, ManyError::State { index: 1, source: DecideError::seat(Turn::Chance).unwrap_err() });
    let other = game("schwinget:bouts=2").new_state(Some(1));
    let error = search(&*here, "random", &[&*fine, &*fine, &*other], 1).expect_err("another game");
    assert!(error.to_string().starts_with("state 2: "), "{error}");
    assert_eq!(search(&*here, "random", &[], 2), Ok(Vec::new()));
}

#[test]
fn searches_can_be_interrupted() {
    let here = game("schwinget");
    let state = here.new_state(Some(1));
    let states = vec![&*state; 100];
    let spec: AgentSpec = "ismcts:iterations=10".parse().expect("an agent");
    for threads in [1, 3] {
        let settings = search_many::Settings { seed: 0, threads };
        let done = AtomicUsize::new(0);
        let watch = || {
            let enough = done.fetch_add(1, Ordering::Relaxed) >= 4;
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = here.search_many(&spec, &states, &settings, &Arc::default(), &watch);
        assert_eq!(stopped, Err(Halted::Interrupted.into()));
        assert!((5..20).contains(&done.into_inner()));
        let interrupt = Arc::new(AtomicBool::new(true));
        let stopped = here.search_many(&spec, &states, &settings, &interrupt, &|| ControlFlow::Continue(()));
        assert_eq!(stopped, Err(Halted::Interrupted.into()));
    }
}
