//! A game behind `Plain` answers every question as the game itself does.

use stier_core::filter::Filter;
use stier_core::game::FullGame;
use stier_core::games::dark_hex::DarkHex;
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::kuhn_poker::KuhnPoker;
use stier_core::games::leduc_poker::LeducPoker;
use stier_core::games::liars_dice::LiarsDice;
use stier_core::plain::{Plain, PlainState};
use stier_core::{
    Action, ActionSet, FromRules, Game, Hints as _, History, Log, Notation as _, Rng, Sampler as _, Seat, Turn, games,
};
use stier_testing::conformance;

fn ids(set: impl ActionSet) -> Vec<Action> {
    set.iter().collect()
}

/// Compares everything that can be asked at a state.
fn same_state<G: FullGame + Game<View = Log, Sampler = Filter<G>>>(
    game: &G,
    plain: &Plain,
    one: &History<G>,
    other: &History<Plain>,
) {
    let (state, hidden): (&G::State, &PlainState) = (one.state(), other.state());
    assert_eq!(hidden.get::<G::State>(), state);
    assert_eq!(plain.turn(hidden), game.turn(state));
    assert_eq!(ids(plain.legal(hidden)), ids(game.legal(state)));
    assert_eq!(plain.chance(hidden), game.chance(state));
    assert_eq!(plain.returns(hidden), game.returns(state));
    assert_eq!(plain.rounded_returns(hidden), game.rounded_returns(state));
    assert_eq!(format!("{hidden:?}"), format!("{state:?}"));
    let mut rows = [vec![7_u8; 4000], vec![7; 4000]];
    let size = stier_core::encode::size(&game.observation_layout());
    for seat in Seat::all(game.num_seats()) {
        game.observation(state, seat, &mut rows[0][..size]);
        plain.observation(hidden, seat, &mut rows[1][..size]);
        assert_eq!(rows[0], rows[1]);
        assert_eq!(plain.sight(hidden, seat), game.sight(state, seat));
        let (view, log) = (game.view(one, seat), plain.view(other, seat));
        assert_eq!(view, log);
        assert_eq!(plain.knowledge(&log), game.knowledge(&view));
        assert_eq!(plain.rule_of_thumb(&log), game.rule_of_thumb(&view));
        let (count, sampler) = (game.sampler(&view).count(), plain.sampler(&log));
        assert_eq!(sampler.count(), count);
        for perspective in [None, Some(seat)] {
            assert_eq!(plain.text(hidden, perspective), game.text(state, perspective));
        }
    }
    if let Turn::Seat(seat) = game.turn(state) {
        let (view, log) = (game.view(one, seat), plain.view(other, seat));
        assert_eq!(plain.evaluate(hidden), game.evaluate(state));
        assert_eq!(plain.ending(hidden), game.ending(state));
        assert_eq!(ids(plain.rollout(hidden, plain.legal(hidden))), ids(game.rollout(state, game.legal(state))));
        for action in game.legal(state).iter() {
            assert_eq!(plain.observed(hidden, action, seat), game.observed(state, action, seat));
            assert_eq!(plain.appeal(&log, action), game.appeal(&view, action));
            assert_eq!(plain.logit(hidden, action), game.logit(state, action));
            assert_eq!(plain.event_name(hidden, action), game.event_name(state, action));
        }
    }
    for id in 0..=game.num_actions().max(game.info().num_outcomes) as i64 {
        assert_eq!(plain.refusal(hidden, id), game.refusal(state, id));
    }
}

fn same_game<G: FullGame + FromRules + Game<View = Log, Sampler = Filter<G>>>(rules: &str) {
    let game = G::from_text(rules).expect("a game");
    let plain = games::plain(G::NAME, rules).expect("a plain game").expect("the same rules");
    assert_eq!((plain.name(), plain.info(), plain.rules()), (game.name(), game.info(), game.rules()));
    assert_eq!(plain.observation_signature(), game.observation_signature());
    assert_eq!(plain.action_signature(), game.action_signature());
    assert_eq!(plain.information_state_layout(), game.information_state_layout());
    assert_eq!((plain.faces(), plain.cards()), (game.faces(), game.cards()));
    assert_eq!((plain.best_agent(), plain.has_policy()), (game.best_agent(), game.has_policy()));
    assert_eq!(plain.weights(), game.weights());
    assert_eq!((plain.network(), plain.symmetry()), (game.network(), game.symmetry()));
    for index in 0..20 {
        let mut rng = Rng::stream(1, "plain", index);
        let (mut one, mut other) = (History::new(&game), History::new(&plain));
        loop {
            same_state(&game, &plain, &one, &other);
            let action = match game.turn(one.state()) {
                Turn::Chance => {
                    let mut twin = rng.clone();
                    let outcome = game.sample_chance(one.state(), &mut rng);
                    assert_eq!(plain.sample_chance(other.state(), &mut twin), outcome);
                    outcome
                }
                Turn::Seat(_) => game.legal(one.state()).pick(&mut rng),
                Turn::Over => break,
            };
            one.push(&game, action);
            other.push(&plain, action);
        }
    }
}

#[test]
fn plain_games_are_the_games_themselves() {
    same_game::<DarkHex>("rows=2");
    same_game::<DarkHex>("rows=2,columns=2,obstruction=abrupt");
    same_game::<Goofspiel>("");
    same_game::<Goofspiel>("cards=3,points=random,impinfo=off");
    same_game::<KuhnPoker>("");
    same_game::<KuhnPoker>("players=3");
    same_game::<LeducPoker>("");
    same_game::<LiarsDice>("sides=3");
}

#[test]
fn plain_games_conform_behind_their_type() {
    for name in games::NAMES {
        if let Some(plain) = games::plain(name, "") {
            conformance(&plain.expect("default rules"), 1, 10);
        }
    }
}

#[test]
fn other_names_and_rules_are_refused() {
    assert!(games::plain("schwinget", "").is_none());
    let error = games::plain("kuhn_poker", "players=9").expect("a plain game").expect_err("no such rules");
    assert_eq!(error.to_string(), KuhnPoker::from_text("players=9").unwrap_err().to_string());
}
