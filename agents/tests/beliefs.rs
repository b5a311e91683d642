//! Beliefs are exact if the answer is known, uniform by default, the same for the same view and seed, and better than
//! chance against players that the model describes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::toys::{
    self, KUHN,
    claims::{self, Claims},
};
use stier_agents::agent::Stop;
use stier_agents::agent::Worlds;
use stier_agents::agent::{Belief, Weighing};
use stier_agents::belief::policy_model::{Model, PolicyModel};
use stier_agents::belief::{Basis, marginals};
use stier_agents::belief::{BeliefSettings, Beliefs, Kept};
use stier_agents::{Agent, AgentSpec};
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::games::schwinget::Schwinget;
use stier_core::{
    Action, ActionSet as _, FromRules, FullGame, Game, Hints, History, Plain, Rng, Sampler as _, Seat, Turn,
    for_each_default_game,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A stop without a limit; only the number of particles ends the inference.
fn no_limit() -> Stop<'static> {
    Stop::new(Instant::now(), 0, &NEVER)
}

fn policy(model: Model) -> BeliefSettings {
    BeliefSettings { beliefs: Beliefs::Policy, model, ..BeliefSettings::default() }
}

fn kuhn(cards: [u8; 2], actions: &[Action]) -> History<Plain> {
    let mut history = History::new(&*KUHN);
    cards.map(Action).into_iter().chain(actions.iter().copied()).for_each(|action| history.push(&*KUHN, action));
    history
}

/// The first player always bets with a king, never with a queen, and one time in three with a jack.
struct BetsByCard;

impl PolicyModel<Plain> for BetsByCard {
    fn scores(&self, game: &Plain, so_far: &History<Plain>, _legal: <Plain as Game>::Actions, scores: &mut Vec<f32>) {
        let card = so_far.events()[usize::from(game.turn(so_far.state()) == Turn::Seat(Seat(1)))].action.0;
        let bet = [1.0_f32 / 3.0, 0.0, 1.0][usize::from(card)];
        scores.extend([(1.0 - bet).ln(), bet.ln()]);
    }
}

/// The second player's belief after the first player's `action`: the probability of each card of the first player.
fn kuhn_posterior(own: u8, action: Action, settings: &BeliefSettings) -> HashMap<u8, f64> {
    let other = (0..3).find(|&card| card != own).expect("a card");
    let history = kuhn([other, own], &[action]);
    let view = KUHN.view(&history, Seat(1));
    let mut rng = Rng::stream(1, "posterior", 0);
    let worlds = settings.worlds(Some(&BetsByCard), Kept::States, &*KUHN, &view, &no_limit(), &mut rng);
    let belief = worlds.belief().expect("a belief");
    assert!(belief.covers_all_worlds());
    let card = |state| (0..3).find(|&card| *kuhn([card, own], &[action]).state() == state).expect("a world");
    belief.worlds().map(|(&state, share)| (card(state), share)).collect()
}

#[test]
fn posteriors_in_kuhn_follow_bayes_rule() {
    let strict = BeliefSettings { model_epsilon: 0.0, model_temperature: 1.0, ..policy(Model::Rollout) };
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    // With a queen: a bet comes from a king (1) or a jack (1/3), a check from a jack.
    close(kuhn_posterior(1, BET, &strict)[&2], 0.75);
    close(kuhn_posterior(1, PASS, &strict)[&0], 1.0);
    // With a jack: a bet comes from a king, a check from a queen.
    close(kuhn_posterior(0, BET, &strict)[&2], 1.0);
    close(kuhn_posterior(0, PASS, &strict)[&1], 1.0);
    // With a king: a queen checks, and a jack does two times in three.
    close(kuhn_posterior(2, PASS, &strict)[&1], 0.6);
    // A fifth of the decisions are random: a king bets with 0.9, a jack with 0.1 + 0.8 / 3.
    let loose = BeliefSettings { model_epsilon: 0.2, ..strict.clone() };
    let (king, jack) = (0.9, 0.1 + 0.8 / 3.0);
    close(kuhn_posterior(1, BET, &loose)[&2], king / (king + jack));
    // At temperature 2 a jack bets with sqrt(1/3) against sqrt(2/3).
    let soft = BeliefSettings { model_temperature: 2.0, ..strict.clone() };
    let jack = (1.0_f64 / 3.0).sqrt() / ((1.0_f64 / 3.0).sqrt() + (2.0_f64 / 3.0).sqrt());
    close(kuhn_posterior(1, BET, &soft)[&2], 1.0 / (1.0 + jack));
}

/// A model that claims exactly if the first number is below this one.
struct Below(u8);

impl PolicyModel<Plain> for Below {
    fn scores(&self, _: &Plain, so_far: &History<Plain>, _: <Plain as Game>::Actions, scores: &mut Vec<f32>) {
        let low = so_far.events()[0].action.0 < self.0;
        scores.extend(if low { [f32::NEG_INFINITY, 0.0] } else { [0.0, f32::NEG_INFINITY] });
    }
}

/// The second player's belief after a claim, if the first player claims by `model`: the numbers of each world and its
/// share.
fn after_a_claim(cards: u8, model: &Below, seed: u64) -> (Belief<Plain>, Vec<(Vec<u8>, f64)>) {
    let game = toys::plain::<Claims>(&format!("cards={cards}"));
    let mut history = History::new(&game);
    let events = [Action(0), claims::YES, Action(1)];
    events.iter().take(usize::from(cards) + 1).for_each(|&event| history.push(&game, event));
    let view = game.view(&history, Seat(1));
    let settings = BeliefSettings { model_epsilon: 0.0, ..policy(Model::Rollout) };
    let mut rng = Rng::stream(seed, "claims", 0);
    let worlds = settings.worlds(Some(model), Kept::States, &game, &view, &no_limit(), &mut rng);
    let belief = worlds.belief().expect("a belief").clone();
    assert!(belief.covers_all_worlds());
    let shares = belief.worlds().map(|(state, share)| (state.get::<claims::State>().cards(), share)).collect();
    (belief, shares)
}

#[test]
fn worlds_that_the_model_excludes_have_no_weight() {
    for seed in 0..50 {
        let (belief, shares) = after_a_claim(1, &Below(100), seed);
        assert_eq!((belief.weighing(), belief.histories(), shares.len()), (Weighing::Exact, 200, 200));
        for (cards, share) in shares {
            let expected = if cards[0] < 100 { 0.01 } else { 0.0 };
            assert!(share == expected || cards[0] < 100 && (share - expected).abs() < 1e-12, "{cards:?}: {share}");
        }
    }
}

/// If a world has several histories, its likelihood is their mean.
#[test]
fn likelihoods_of_worlds_are_means_over_their_histories() {
    let (mut both, mut one) = (0.0, 0.0);
    for seed in 0..50 {
        let (belief, shares) = after_a_claim(2, &Below(6), seed);
        assert_eq!((belief.weighing(), belief.histories(), shares.len()), (Weighing::Estimated, 4 * 190, 190));
        for (cards, share) in shares {
            match cards.iter().filter(|&&card| card < 6).count() {
                0 => assert_eq!(share, 0.0, "seed {seed}: {cards:?}"),
                1 => one += share / 50.0,
                _ => both += share / 50.0,
            }
        }
    }
    // There are 15 worlds in which every order of the numbers leads to a claim, and 84 in which every other order
    // does.
    assert!((both - 15.0 / 57.0).abs() < 0.01 && (both + one - 1.0).abs() < 1e-9, "{both} and {one}");
}

#[test]
fn a_model_that_excludes_everything_leaves_chance() {
    /// A model that always passes.
    struct Timid;
    impl PolicyModel<Plain> for Timid {
        fn scores(&self, _: &Plain, _: &History<Plain>, _: <Plain as Game>::Actions, scores: &mut Vec<f32>) {
            scores.extend([0.0, f32::NEG_INFINITY]);
        }
    }
    let settings = BeliefSettings { model_epsilon: 0.0, ..policy(Model::Rollout) };
    let view = KUHN.view(&kuhn([0, 1], &[BET]), Seat(1));
    let mut rng = Rng::stream(1, "timid", 0);
    let mut worlds = |view, kept| settings.worlds(Some(&Timid), kept, &*KUHN, view, &no_limit(), &mut rng);
    for kept in [Kept::States, Kept::Histories] {
        let worlds = worlds(&view, kept);
        assert!(worlds.inference_failed() && worlds.belief().is_none());
    }
    // Before the other player has acted, there is nothing to infer.
    let view = KUHN.view(&kuhn([0, 1], &[]), Seat(0));
    let worlds = worlds(&view, Kept::States);
    assert!(!worlds.inference_failed() && worlds.belief().is_none());
}

/// The figures say so if a policy belief was requested but only chance remains.
#[test]
fn failed_inference_has_its_own_basis() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let mut seen = [0; 2];
    at_decisions(&game, 20, |history, seat, rng| {
        let view = game.view(history, seat);
        let few = BeliefSettings { particles: 32, ..policy(Model::Rollout) };
        let worlds = few.worlds(None, Kept::States, &game, &view, &no_limit(), rng);
        let basis = marginals(&game, &worlds).basis;
        assert_eq!(basis == Basis::Chance, worlds.inference_failed());
        let sampler = game.sampler(&view);
        let each = if sampler.worlds_fix_views() { 1 } else { 4 };
        let acted = worlds.inference_failed() || worlds.belief().is_some();
        if acted {
            assert_eq!(worlds.inference_failed(), each * sampler.count() > 32);
            seen[usize::from(worlds.inference_failed())] += 1;
        }
    });
    assert!(seen.iter().all(|&times| times > 5), "{seen:?}");
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

/// Draws worlds with these settings and this share of self-determined ones; also returns the effective sample size.
fn drawn<G: Hints>(
    game: &G,
    view: &G::View,
    (settings, imagined): (&BeliefSettings, f64),
    seed: u64,
) -> (Vec<G::State>, Option<f64>) {
    let mut rng = Rng::stream(seed, "draws", 0);
    let worlds = settings.worlds(None, Kept::States, game, view, &no_limit(), &mut rng);
    let worlds = worlds.self_determined(game, view, imagined, 1000, &no_limit(), &mut rng);
    ((0..50).map(|_| worlds.draw(&mut rng)).collect(), worlds.belief().map(|belief| belief.effective()))
}

/// Beliefs are a function of view, settings and seed. Particles are worlds of the view. Uniform worlds are exactly
/// those of the sampler.
fn function_of_the_view<G: Hints>(game: &G) {
    at_decisions(game, 3, |history, seat, rng| {
        let view = game.view(history, seat);
        let sampler = game.sampler(&view);
        let twin = game.view(&sampler.sample_history(game, rng), seat);
        for model in [Model::Rollout, Model::Greedy] {
            let settings = BeliefSettings { particles: 80, ..policy(model) };
            let (states, effective) = drawn(game, &view, (&settings, 0.3), 5);
            assert_eq!((states.clone(), effective), drawn(game, &twin, (&settings, 0.3), 5));
            assert!(effective.is_none_or(|worth| worth >= 1.0 - 1e-9 && worth.is_finite()));
            for state in states {
                assert_eq!(game.turn(&state), Turn::Seat(seat), "the seat to act is public");
            }
            for state in drawn(game, &view, (&settings, 0.0), 6).0 {
                assert_eq!(game.sight(&state, seat), game.sight(history.state(), seat), "the seat's own cards stay");
                assert_eq!(game.legal(&state), game.legal(history.state()));
            }
        }
        let mut plain = Rng::stream(5, "draws", 0);
        let expected: Vec<G::State> = (0..50).map(|_| sampler.sample(&mut plain)).collect();
        assert_eq!(drawn(game, &view, (&BeliefSettings::default(), 0.0), 5).0, expected, "uniform is the sampler");
    });
}

/// Self-determined worlds redraw the searcher's own cards.
fn minds_differ<G: Hints>(game: &G) {
    let settings = BeliefSettings::default();
    let (mut same, mut all) = (0, 0);
    at_decisions(game, 3, |history, seat, _| {
        for state in drawn(game, &game.view(history, seat), (&settings, 1.0), 1).0 {
            all += 1;
            same += usize::from(game.sight(&state, seat) == game.sight(history.state(), seat));
        }
    });
    assert!(all > 0 && same * 10 < all * 9, "{same} of {all} with the searcher's true cards");
}

/// The seat's own cards are certain, each seat has as many cards as it holds, and figures are exact if the worlds can
/// be counted.
fn marginals_add_up<G: FullGame>(game: &G) {
    let cards = game.cards().len();
    assert!(cards > 0);
    let held = |state: &G::State, seat| {
        let mut counts = vec![0; cards];
        game.holdings(state, seat, &mut counts);
        counts
    };
    let mut seen = HashMap::new();
    at_decisions(game, 4, |history, seat, rng| {
        let view = game.view(history, seat);
        let settings = policy(Model::Rollout);
        let inferred = settings.worlds(None, Kept::States, game, &view, &no_limit(), rng);
        for worlds in [Worlds::uniform(game, &view), inferred] {
            let found = marginals(game, &worlds);
            *seen.entry(found.basis.name()).or_insert(0) += 1;
            if let Some(belief) = worlds.belief() {
                let sampler = game.sampler(&view);
                let expected = match (belief.covers_all_worlds(), sampler.worlds_fix_views()) {
                    (true, true) => Basis::Enumerated,
                    (true, false) => Basis::Estimated,
                    (false, _) => Basis::Particles,
                };
                assert_eq!(found.basis, expected);
                let each = if sampler.worlds_fix_views() { 1 } else { 4 };
                assert_eq!(belief.covers_all_worlds(), each * sampler.count() <= u128::from(settings.particles));
            }
            assert_eq!((found.cards.len(), found.seats), (cards, game.num_seats()));
            for other in Seat::all(game.num_seats()) {
                let truth = held(history.state(), other);
                let expected: Vec<f64> =
                    (0..cards).map(|card| found.expected[card * found.seats + other.index()]).collect();
                if other == seat {
                    assert!(truth.iter().zip(&expected).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-9), "own cards");
                }
                let size: f64 = truth.iter().copied().map(f64::from).sum();
                assert!((expected.iter().sum::<f64>() - size).abs() < 1e-6, "as many cards as {other:?} holds");
            }
            if worlds.belief().is_none() && found.basis == Basis::Enumerated {
                // Compared with draws of the sampler, within five standard errors.
                let sampler = game.sampler(&view);
                let other = seat.after(1, game.num_seats());
                let mut sums = vec![0.0; cards];
                for _ in 0..2000 {
                    held(&sampler.sample(rng), other).iter().zip(&mut sums).for_each(|(&n, sum)| *sum += f64::from(n));
                }
                for (card, sum) in sums.iter().enumerate() {
                    let exact = found.expected[card * found.seats + other.index()];
                    assert!((sum / 2000.0 - exact).abs() < 5.0 * (exact.max(0.01) / 2000.0).sqrt() * 2.0);
                }
            }
        }
    });
    assert!(seen.len() >= 2, "{seen:?}");
}

macro_rules! every_game {
    ($name:ident, $game:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn beliefs_are_a_function_of_the_view() {
                function_of_the_view(&$game);
            }
        }
    };
}
for_each_default_game!(every_game);

/// Games with hands of cards and advice on how to play them.
macro_rules! card_game {
    ($name:ident, $game:ident) => {
        mod $name {
            use super::*;

            fn game() -> stier_core::games::$name::$game {
                FromRules::new(Default::default()).expect("default rules")
            }

            #[test]
            fn imagined_worlds_redraw_the_own_cards() {
                minds_differ(&game());
            }

            #[test]
            fn figures_add_up() {
                marginals_add_up(&game());
            }
        }
    };
}
mod hands {
    use super::*;

    card_game!(schweins_galopp, SchweinsGalopp);
    card_game!(schwimmen, Schwimmen);
    card_game!(schwinget, Schwinget);
    card_game!(up_and_down, UpAndDown);
}

#[test]
fn time_and_interruptions_end_inference() {
    let game = stier_core::games::schwinget::Schwinget::new(Default::default()).expect("a game");
    let settings = BeliefSettings { particles: 1_000_000, ..policy(Model::Greedy) };
    let stop = AtomicBool::new(true);
    let now = Instant::now();
    let (mut none, mut some) = (0, 0);
    at_decisions(&game, 3, |history, seat, rng| {
        let view = game.view(history, seat);
        let mut worlds = |stop| settings.worlds(None, Kept::States, &game, &view, &stop, rng);
        // Without any time only chance remains.
        assert!(worlds(Stop::new(now, 0, &stop)).belief().is_none());
        let late = Stop::new(now, 1, &NEVER);
        none += usize::from(worlds(late).belief().is_none());
        let soon = Stop::new(Instant::now(), 100, &NEVER);
        if let Some(belief) = worlds(soon).belief() {
            assert!(belief.histories() < 1_000_000, "{}", belief.histories());
            some += 1;
        }
    });
    assert!(none > 4 && some > 0, "{none} and {some}");
}

/// The searches that deal out hidden cards, with a budget that is enough if there are few worlds.
const SEARCHES: [&str; 8] = [
    "flat_mc:iterations=400",
    "flat_mc:iterations=400,allocation=ucb1,threads=2",
    "ismcts:iterations=400",
    "pimc:worlds=40",
    "epimc:worlds=40",
    "presumed_pimc:worlds=40",
    "recursive_pimc:worlds=40",
    "ris_mcts:iterations=400",
];

#[test]
fn agents_report_their_beliefs() {
    let game = stier_core::games::schwinget::Schwinget::from_text("").expect("a game");
    let mut inferred = [0; SEARCHES.len()];
    at_decisions(&game, 3, |history, seat, _| {
        let view = game.view(history, seat);
        let beliefs = |text: &str| {
            let mut agent: Box<dyn Agent<_>> = text.parse::<AgentSpec>().expect("an agent").build(&game, 3);
            marginals(&game, &agent.beliefs(&game, &view))
        };
        let plain = marginals(&game, &Worlds::uniform(&game, &view));
        assert_eq!(beliefs("random"), plain);
        for (text, inferred) in SEARCHES.iter().zip(&mut inferred) {
            assert_eq!(beliefs(text), plain);
            let policy = beliefs(&format!("{text},beliefs=policy,model=greedy,particles=200"));
            assert_eq!(policy, beliefs(&format!("{text},beliefs=policy,model=greedy,particles=200")));
            *inferred += usize::from(policy.expected != plain.expected);
        }
    });
    assert!(inferred.iter().all(|&inferred| inferred > 3), "{inferred:?}");
}

/// A queen that faces a bet calls if jack and king are equally likely, and folds if only kings bet.
#[test]
fn agents_use_their_beliefs() {
    for (cards, actions) in [([0, 1], vec![BET]), ([1, 0], vec![PASS, BET])] {
        let history = kuhn(cards, &actions);
        let seat = KUHN.turn(history.state()).seat().expect("a decision");
        let view = KUHN.view(&history, seat);
        for text in SEARCHES {
            let action = |beliefs: &str| {
                let spec: AgentSpec = format!("{text}{beliefs}").parse().expect("an agent");
                let mut agent: Box<dyn Agent<Plain>> = spec.build(&*KUHN, 3);
                agent.act(&*KUHN, &view, KUHN.legal(history.state())).action
            };
            assert_eq!(action(""), BET, "{text}: bluffs are as likely as kings");
            assert_eq!(action(",beliefs=policy,model=greedy,model_epsilon=0"), PASS, "{text}: it must be a king");
        }
    }
}

/// The histories of a belief belong to the information set and are as likely as its worlds.
#[test]
fn histories_are_drawn_as_believed() {
    let settings = BeliefSettings { model_epsilon: 0.5, ..policy(Model::Greedy) };
    let history = kuhn([0, 1], &[BET]);
    let view = KUHN.view(&history, Seat(1));
    let mut rng = Rng::stream(4, "histories", 0);
    let worlds = settings.worlds(None, Kept::Histories, &*KUHN, &view, &no_limit(), &mut rng);
    assert!(worlds.all(10).is_none(), "particles cannot be listed as worlds");
    let kings = (0..4000)
        .map(|_| worlds.draw_history(&*KUHN, &mut rng))
        .inspect(|drawn| assert_eq!(KUHN.view(drawn, Seat(1)), view))
        .filter(|drawn| drawn.events()[0].action == Action(2));
    // A king bets with 0.75, a jack with 0.25; the belief itself is a sample too.
    let share = kings.count() as f64 / 4000.0;
    assert!((share - 0.75).abs() < 0.07, "{share}");
    // If worlds are listed, each occurs once, with its weight.
    let listed = settings.worlds(None, Kept::States, &*KUHN, &view, &no_limit(), &mut rng).all(10).expect("two worlds");
    let total: f64 = listed.iter().map(|(_, share)| share).sum();
    let king = listed.iter().find(|(state, _)| state == kuhn([2, 1], &[BET]).state()).expect("a king");
    assert!(listed.len() == 2 && (king.1 / total - 0.75).abs() < 1e-3, "{listed:?}");
}
