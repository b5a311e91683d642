//! Open-card solvers of Schwinget against plain minimax through the public trait.

use stier_core::games::schwinget::{Rules, Schwinget, State};
use stier_core::{Action, ActionSet, FromRules as _, Game, Hints, History, Options, Rng, Seat, Turn};

/// Rules that vary every option relevant to play or scores, with small decks.
const RULES: &[&str] = &[
    "",
    "scoring=schwinger",
    "specials=anytime",
    "utility=win",
    "specials=anytime,scoring=schwinger",
    "hand_size=4,set_aside=6,consolation_tricks=0",
    "hand_size=4,values=5,set_aside=4,consolation_tricks=13",
    "referee=off,counter=off,set_aside=2",
    "counter=off,hand_size=4,set_aside=5",
    "referee=off,suits=3,set_aside=1,utility=win",
    "suits=3,values=5,set_aside=3,scoring=schwinger",
    "values=1,hand_size=2,set_aside=2",
    "suits=1,hand_size=3,set_aside=2,specials=anytime",
    "values=2,hand_size=3,set_aside=2,consolation_tricks=2",
];

fn game(rules: &str) -> Schwinget {
    Schwinget::new(Rules::from_text(rules).unwrap()).unwrap()
}

fn attack(game: &Schwinget) -> Action {
    Action(game.info().num_outcomes as u8)
}

/// The value of best play for `seat` against best play of the opponent, with no cards to come.
fn minimax(game: &Schwinget, state: &State, seat: Seat) -> f32 {
    let after = |action| {
        let mut next = *state;
        game.apply(&mut next, action);
        minimax(game, &next, seat)
    };
    match game.turn(state) {
        Turn::Over => game.rounded_returns(state)[seat],
        Turn::Chance => unreachable!("no cards are drawn"),
        Turn::Seat(mover) => {
            let values = game.legal(state).iter().map(after).collect::<Vec<_>>().into_iter();
            if mover == seat { values.fold(f32::MIN, f32::max) } else { values.fold(f32::MAX, f32::min) }
        }
    }
}

/// Plays a random game by hints, with occasional attacks, and visits every decision.
fn every_decision(game: &Schwinget, rng: &mut Rng, mut visit: impl FnMut(&History<Schwinget>, &mut Rng)) {
    let mut history = History::dealt(game, rng);
    while let Turn::Seat(_) = game.turn(history.state()) {
        visit(&history, rng);
        let legal = game.legal(history.state());
        let attacks = legal.contains(attack(game)) && rng.below(12) == 0;
        let hinted = game.rollout(history.state(), legal);
        let action = if attacks { attack(game) } else { hinted.pick(rng) };
        history.push(game, action);
        history.settle(game, rng);
    }
}

#[test]
fn endings_agree_with_minimax() {
    let mut counted = 0;
    for (index, rules) in RULES.iter().enumerate() {
        let game = game(rules);
        for deal in 0..120 {
            let mut rng = Rng::stream(1, rules, deal);
            every_decision(&game, &mut rng, |history, _| {
                let state = history.state();
                let Some(returns) = game.ending(state) else { return };
                for seat in Seat::all(2) {
                    assert_eq!(returns[seat], minimax(&game, state, seat), "{rules}, deal {deal}: {state:?}");
                }
                counted += 1;
            });
        }
        assert!(counted > 600 * (index + 1), "{rules}: {counted} endings so far");
    }
    assert!(counted >= 10_000, "{counted} endings");
}

#[test]
fn an_attack_at_once_is_an_ending() {
    for rules in RULES {
        let game = game(rules);
        for deal in 0..60 {
            let mut rng = Rng::stream(2, rules, deal);
            let mut state = *History::dealt(&game, &mut rng).state();
            if game.legal(&state).contains(attack(&game)) {
                assert_eq!(game.ending(&state), None, "no ending while the pile is open");
                game.apply(&mut state, attack(&game));
            }
            let returns = game.ending(&state).expect("an attack starts the ending");
            assert_eq!(returns[Seat(0)], minimax(&game, &state, Seat(0)), "{rules}, deal {deal}");
        }
    }
}

/// Without a fixed sum, the value is exactly the score that each player can guarantee.
#[test]
fn scores_are_those_each_player_can_guarantee() {
    for rules in [
        "utility=score",
        "utility=score,scoring=schwinger",
        "utility=score,consolation_tricks=1,hand_size=4,set_aside=6",
    ] {
        let game = game(rules);
        let mut different = 0;
        for deal in 0..60 {
            let mut rng = Rng::stream(3, rules, deal);
            every_decision(&game, &mut rng, |history, _| {
                let state = history.state();
                let Some(returns) = game.ending(state) else { return };
                for seat in Seat::all(2) {
                    assert_eq!(returns[seat], minimax(&game, state, seat), "{rules}: {state:?}");
                }
                different += usize::from(returns[Seat(0)] != returns[Seat(1)]);
            });
        }
        assert!(different > 100);
    }
}

#[test]
fn only_the_last_bout_has_endings() {
    let game = game("bouts=2,hand_size=3,values=3,set_aside=2");
    let mut seen = [0; 2];
    for deal in 0..40 {
        let mut rng = Rng::stream(5, "bouts", deal);
        every_decision(&game, &mut rng, |history, _| {
            let state = history.state();
            let bout = game.deal_number(state) as usize;
            let Some(returns) = game.ending(state) else { return };
            seen[bout] += 1;
            assert_eq!(returns[Seat(1)], minimax(&game, state, Seat(1)));
        });
    }
    assert_eq!(seen[0], 0);
    assert!(seen[1] > 100);
}
