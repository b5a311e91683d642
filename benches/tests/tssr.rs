//! The ratio is 1 for models and histories that say nothing, and above 1 for the right model.

use stier_agents::AgentSpec;
use stier_agents::arena::Estimate;
use stier_agents::belief::policy_model::{GreedyModel, Model, PolicyModel, RolloutModel};
use stier_agents::belief::{BeliefSettings, Beliefs};
use stier_benches::tssr::{ratio, tssr};
use stier_core::games::schweins_galopp::SchweinsGalopp;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{ActionSet as _, FromRules, Hints, History, Rng, Sampler as _, Seat, Turn, for_each_default_game};

fn policy(model: Model) -> BeliefSettings {
    BeliefSettings { beliefs: Beliefs::Policy, model, ..BeliefSettings::default() }
}

/// Plays random games and calls `check` at their decisions.
fn at_decisions<G: Hints>(game: &G, games: u64, mut check: impl FnMut(&History<G>, Seat, &mut Rng)) {
    for index in 0..games {
        let mut rng = Rng::stream(8, "beliefs", index);
        let mut history = History::dealt(game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            if rng.below(4) == 0 {
                check(&history, seat, &mut rng);
            }
            history.push(game, game.legal(history.state()).pick(&mut rng));
            history.settle(game, &mut rng);
        }
    }
}

/// If the true history is drawn by chance like all others, the mean ratio of any model is 1.
fn chance_is_worth_one<G: Hints>(game: &G) {
    let settings = BeliefSettings { particles: 30, ..policy(Model::Rollout) };
    for model in [&GreedyModel as &dyn PolicyModel<G>, &RolloutModel] {
        let mut ratios = Vec::new();
        at_decisions(game, 6, |history, seat, rng| {
            let sampler = game.sampler(&game.view(history, seat));
            for _ in 0..20 {
                let drawn = sampler.sample_history(game, rng);
                ratios.extend(ratio(game, &drawn, seat, &settings, model, rng));
            }
        });
        let found = Estimate::of(&ratios).expect("ratios");
        assert!((found.mean - 1.0).abs() <= 2.5 * found.ci95, "{found:?}");
    }
}

macro_rules! every_game {
    ($name:ident, $game:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn no_model_is_better_than_chance_about_chance() {
                chance_is_worth_one(&$game);
            }
        }
    };
}
for_each_default_game!(every_game);

/// Against greedy players the right model is better than chance.
fn right_is_better<G: Hints + FromRules>() {
    let game = G::new(Default::default()).expect("default rules");
    let greedy: AgentSpec = "greedy".parse().expect("an agent");
    let settings = BeliefSettings { particles: 60, ..policy(Model::Greedy) };
    let found = tssr(&game, &greedy, &settings, &GreedyModel, 40, 3).expect("decisions");
    assert!(found.mean - found.ci95 > 1.0, "{}: {found:?}", G::NAME);
}

#[test]
fn the_right_model_is_better_than_chance() {
    right_is_better::<SchweinsGalopp>();
    right_is_better::<Schwimmen>();
    right_is_better::<Schwinget>();
    right_is_better::<UpAndDown>();
}

#[test]
fn a_model_that_is_the_same_in_all_worlds_has_ratio_one() {
    /// A model that gives the same weight to every action in every world.
    struct Deaf;
    impl<G: Hints> PolicyModel<G> for Deaf {
        fn scores(&self, _: &G, _: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
            scores.extend(legal.iter().map(|_| 0.0));
        }
    }
    // In Up & Down every card of a hand is legal, and all hands have the same size.
    let game = UpAndDown::new(Default::default()).expect("a game");
    at_decisions(&game, 2, |history, seat, rng| {
        let settings = BeliefSettings { particles: 20, ..policy(Model::Rollout) };
        if let Some(found) = ratio(&game, history, seat, &settings, &Deaf, rng) {
            assert!((found - 1.0).abs() < 1e-9, "{found}");
        }
    });
}
