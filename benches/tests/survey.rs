//! The statistics of a survey are consistent.

use stier_benches::survey::survey;
use stier_core::{FromRules, Game, for_each_default_game, games::schwinget::Schwinget};

macro_rules! adds_up {
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            let game = $game;
            let found = survey(&game, 200, 1);
            assert_eq!(found, survey(&game, 200, 1), "the seed decides");
            assert_eq!(found.games, 200);
            assert!(found.most_decisions as usize <= game.info().max_decisions);
            assert!(found.decisions.mean <= found.most_decisions as f64 && found.decisions.mean >= 1.0);
            assert!(found.chance_events <= game.info().max_chance_events as f64);
            assert!((0.0..1.0).contains(&found.forced) && found.branching >= 2.0);
            assert!(found.most_actions as usize <= game.num_actions());
            assert!(found.median_worlds >= 1 && found.median_worlds <= found.most_worlds);
            assert_eq!(found.returns.len(), game.num_seats());
            assert!((found.wins.iter().map(|wins| wins.mean).sum::<f64>() - 1.0).abs() < 1e-9);
            if let Some(sum) = game.info().utility_sum {
                assert!((found.returns.iter().map(|mean| mean.mean).sum::<f64>() - f64::from(sum)).abs() < 1e-4);
            }
        }
    };
}
for_each_default_game!(adds_up);

#[test]
fn known_figures_are_found() {
    // One suit of four, one card each, two set aside and nothing to draw: the leader plays, and the follower answers.
    let rules = "suits=1,values=4,referee=off,counter=off,hand_size=1,set_aside=2";
    let found = survey(&Schwinget::from_text(rules).expect("a game"), 500, 1);
    assert_eq!((found.decisions.mean, found.chance_events, found.forced), (2.0, 3.0, 1.0));
    assert_eq!((found.median_worlds, found.most_worlds), (2, 2));
}
