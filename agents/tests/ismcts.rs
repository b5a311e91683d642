//! Properties of the search that hold in any game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_agents::{Agent, AgentSpec, Search};
use stier_core::{
    ActionSet as _, FromRules as _, Game, History, Rng, Sampler as _, Seat, Turn, games::schwinget::Schwinget,
};

type State = <Schwinget as Game>::State;

fn game(rules: &str) -> Schwinget {
    Schwinget::from_text(rules).expect("a game")
}

fn agent(game: &Schwinget, text: &str, seed: u64) -> Box<dyn Agent<Schwinget>> {
    text.parse::<AgentSpec>().expect("an agent").build(game, seed)
}

fn search(game: &Schwinget, history: &History<Schwinget>, agent: &mut dyn Agent<Schwinget>) -> Search {
    let seat = game.turn(history.state()).seat().expect("a player must be to act");
    agent.act(game, &game.view(history, seat), game.legal(history.state())).search.expect("a search")
}

#[test]
fn counts_add_up() {
    let game = game("");
    let history = History::dealt(&game, &mut Rng::stream(2, "counts", 0));
    for (text, iterations) in [("ismcts:iterations=777", 777), ("ismcts:iterations=1001,threads=4", 1001)] {
        let found = search(&game, &history, agent(&game, text, 1).as_mut());
        assert_eq!(found.iterations, iterations);
        assert_eq!(found.actions.iter().map(|a| a.visits).sum::<u64>(), iterations, "every iteration leaves the root");
        assert_eq!(found.actions.len(), game.legal(history.state()).len());
        for stats in &found.actions {
            // At the root every action is always legal, and so available from its first try on.
            assert!(stats.availability <= iterations && stats.availability > iterations - 4 * 32, "{stats:?}");
            assert!(stats.visits >= 1 && stats.value.abs() <= 7.0, "{stats:?}");
        }
        assert_eq!(found.actions.iter().map(|a| a.probability).sum::<f64>(), 1.0);
        assert!(found.nodes > 10);
    }
}

#[test]
fn decisions_depend_only_on_seed_and_threads() {
    let game = game("scoring=schwinger");
    let history = History::dealt(&game, &mut Rng::stream(2, "seeds", 0));
    let run = |text: &str, seed| search(&game, &history, agent(&game, text, seed).as_mut()).actions;
    for text in ["ismcts", "ismcts:threads=3", "ismcts:choose=sample"] {
        assert_eq!(run(text, 1), run(text, 1));
        assert_ne!(run(text, 1), run(text, 2));
    }
    // A restarted agent is the same as a new one.
    let mut used = agent(&game, "ismcts", 9);
    search(&game, &history, used.as_mut());
    used.restart(1);
    assert_eq!(search(&game, &history, used.as_mut()).actions, run("ismcts", 1));
}

#[test]
fn exploration_and_final_choice_are_options() {
    let game = game("");
    let history = History::dealt(&game, &mut Rng::stream(4, "options", 0));
    let top = |text: &str| {
        let actions = search(&game, &history, agent(&game, text, 1).as_mut()).actions;
        let most = actions.iter().map(|a| a.visits).max().expect("actions") as f64;
        (most / 5000.0, actions)
    };
    let (narrow, _) = top("ismcts:iterations=5000,c=0.1");
    let (wide, actions) = top("ismcts:iterations=5000,c=5");
    assert!(narrow > wide + 0.1, "a small c concentrates visits: {narrow} against {wide}");
    assert_eq!(actions.iter().filter(|a| a.probability == 1.0).count(), 1);
    let (_, sampled) = top("ismcts:iterations=5000,c=5,choose=sample");
    assert!(sampled.iter().all(|a| (a.probability - a.visits as f64 / 5000.0).abs() < 1e-12));
    let (_, valued) = top("ismcts:iterations=5000,c=5,choose=value");
    let best = valued.iter().map(|a| a.value).fold(f64::NEG_INFINITY, f64::max);
    assert!(valued.iter().all(|a| (a.probability == 1.0) == (a.value == best)));
}

#[test]
fn a_forced_move_needs_no_search() {
    let game = game("suits=2,values=4,hand_size=2,set_aside=2");
    let mut rng = Rng::stream(1, "forced", 0);
    let mut forced = 0;
    for _ in 0..50 {
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(_) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            if legal.len() == 1 {
                let found = search(&game, &history, agent(&game, "ismcts", 1).as_mut());
                assert_eq!((found.iterations, found.actions[0].probability), (0, 1.0));
                forced += 1;
            }
            history.push(&game, legal.pick(&mut rng));
            history.settle(&game, &mut rng);
        }
    }
    assert!(forced > 20);
}

#[test]
fn budgets_of_time_and_interruptions_end_a_search() {
    let game = game("");
    let history = History::dealt(&game, &mut Rng::stream(1, "budget", 0));
    let found = search(&game, &history, agent(&game, "ismcts:time_ms=30", 1).as_mut());
    assert!(found.seconds >= 0.03 && found.iterations > 0);
    let mut endless = agent(&game, "ismcts:iterations=1000000000", 1);
    endless.interrupt_with(Arc::new(AtomicBool::new(true)));
    let found = search(&game, &history, endless.as_mut());
    assert!(found.iterations > 0 && found.iterations < 1_000_000, "the search so far is used: {}", found.iterations);
}

/// The value of a state without chance for seat 0, if both players see everything.
fn minimax(game: &Schwinget, state: &State) -> f32 {
    match game.turn(state) {
        Turn::Over => game.rounded_returns(state)[Seat(0)],
        Turn::Chance => panic!("no chance in an ending"),
        Turn::Seat(seat) => {
            let values = game.legal(state).iter().map(|action| {
                let mut next = *state;
                game.apply(&mut next, action);
                minimax(game, &next)
            });
            if seat == Seat(0) { values.fold(f32::MIN, f32::max) } else { values.fold(f32::MAX, f32::min) }
        }
    }
}

#[test]
fn with_one_world_the_search_agrees_with_minimax() {
    // Every card except the one turned up is in play. Once the pile is empty, the mover knows everything.
    let game = game("suits=3,values=4,hand_size=4,set_aside=1,counter=off,specials=anytime");
    let (mut solved, mut hard) = (0, 0);
    for index in 0..60 {
        let mut rng = Rng::stream(6, "one world", index);
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let one_world = game.sampler(&game.view(&history, seat)).count() == 1;
            let chance_left = game.chance_is_left(history.state());
            if one_world && !chance_left && legal.len() > 1 {
                let after = |action| {
                    let mut next = *history.state();
                    game.apply(&mut next, action);
                    let value = minimax(&game, &next);
                    if seat == Seat(0) { value } else { -value }
                };
                let best = legal.iter().map(after).fold(f32::MIN, f32::max);
                let worst = legal.iter().map(after).fold(f32::MAX, f32::min);
                let found = search(&game, &history, agent(&game, "ismcts:iterations=8000,c=3", index).as_mut());
                let chosen = found.actions.iter().find(|a| a.probability == 1.0).expect("a choice");
                let value = after(stier_core::Action(chosen.action));
                assert_eq!(value, best, "{found:?}");
                // Nothing is hidden or left to chance, so all observers see the same.
                let plain = search(&game, &history, agent(&game, "ismcts:iterations=2000,c=3", index).as_mut());
                for options in ["observer=multi", "draws=branch", "observer=multi,draws=branch,reuse=on"] {
                    let text = format!("ismcts:iterations=2000,c=3,{options}");
                    let other = search(&game, &history, agent(&game, &text, index).as_mut());
                    assert_eq!((&other.actions, other.nodes), (&plain.actions, plain.nodes), "{options}");
                }
                solved += 1;
                hard += usize::from(worst < best);
            }
            history.push(&game, legal.pick(&mut rng));
            history.settle(&game, &mut rng);
        }
    }
    assert!(hard >= 30, "{solved} endings, {hard} in which the choice matters");
}

/// Tests for random events that are still to come.
trait ChanceIsLeft {
    fn chance_is_left(&self, state: &State) -> bool;
}

impl ChanceIsLeft for Schwinget {
    fn chance_is_left(&self, state: &State) -> bool {
        match self.turn(state) {
            Turn::Over => false,
            Turn::Chance => true,
            Turn::Seat(_) => self.legal(state).iter().any(|action| {
                let mut next = *state;
                self.apply(&mut next, action);
                self.chance_is_left(&next)
            }),
        }
    }
}
