//! Rollouts follow their policy and end at their cutoff.

use std::sync::LazyLock;
use stier_agents::rollout::fitted;
use stier_agents::rollout::{Cutoff, Roller, Rollout, RolloutSettings};
use stier_core::options::{OptionType as _, Switch};
use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, FromRules, Game, GameInfo, Hints, Log,
    Observer, OptionValue, Pen, Rng, RulesError, Seat, Turn, for_each_default_game, options,
};

options! {
    /// The game does not have options.
    struct NoRules for "digits" {}
}

/// In turn, two players add 0, 1 or 2 to their sums, eight times in all, and the margin is the return. Hints leave
/// the even numbers. Estimates are 100. Exact values are known for the last two turns and are 10.
#[derive(Clone, Debug)]
struct Digits;

const TURNS: u8 = 8;

/// The policy's weights, for the numbers and for the number of turns. The exponential of the last one overflows.
const WEIGHTS: [f32; 4] = [0.0, 1.0, -0.5, 200.0];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Sums {
    turns: u8,
    sums: [u8; 2],
    /// The number of times that each number was played.
    counts: [u8; 3],
}

impl FromRules for Digits {
    type Rules = NoRules;

    fn new(_rules: NoRules) -> Result<Self, RulesError> {
        Ok(Self)
    }
}

impl Game for Digits {
    type State = Sums;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &NoRules {}
    }

    fn info(&self) -> &GameInfo {
        static INFO: LazyLock<GameInfo> = LazyLock::new(|| GameInfo {
            num_seats: 2,
            num_actions: 3,
            max_decisions: usize::from(TURNS),
            utility_range: (-8.0, 8.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        });
        &INFO
    }

    fn root(&self) -> Sums {
        Sums::default()
    }

    fn turn(&self, state: &Sums) -> Turn {
        if state.turns == TURNS { Turn::Over } else { Turn::Seat(Seat(state.turns % 2)) }
    }

    fn legal(&self, state: &Sums) -> Actions64 {
        Actions64(if state.turns == TURNS { 0 } else { 0b111 })
    }

    fn apply(&self, state: &mut Sums, action: Action) {
        state.sums[usize::from(state.turns % 2)] += action.0;
        state.counts[action.index()] += 1;
        state.turns += 1;
    }

    fn chance(&self, _state: &Sums) -> Chance {
        Chance::new()
    }

    fn returns(&self, state: &Sums) -> BySeat<f64> {
        let margin = f64::from(state.sums[0]) - f64::from(state.sums[1]);
        BySeat::from(if state.turns == TURNS { [margin, -margin] } else { [0.0; 2] })
    }

    fn observe<P: Pen>(&self, state: &Sums, _observer: Observer, pen: &mut P) {
        pen.counted("sums", [2, 8]).counts(state.sums);
        pen.counted("counts", [3, 8]).counts(state.counts);
    }
}

impl Hints for Digits {
    fn rollout(&self, _state: &Sums, legal: Actions64) -> Actions64 {
        legal.and(Actions64(0b101))
    }

    fn features(&self, state: &Sums, action: Action, add: &mut impl FnMut(usize, f32)) {
        add(action.index(), 1.0);
        // A term that is the same for each action does not change a probability.
        add(3, f32::from(state.turns));
    }

    fn weights(&self) -> &[f32] {
        &WEIGHTS
    }

    fn evaluate(&self, _state: &Sums) -> BySeat<f32> {
        BySeat::from([100.0, -100.0])
    }

    fn ending(&self, state: &Sums) -> Option<BySeat<f32>> {
        (state.turns >= TURNS - 2).then(|| BySeat::from([10.0, -10.0]))
    }
}

/// The end of a rollout with these settings, and its result.
fn roll(settings: RolloutSettings, rng: &mut Rng) -> (Sums, f32) {
    let mut state = Digits.root();
    let returns = Roller::new(settings).returns(&Digits, &mut state, rng);
    assert_eq!(returns[Seat(0)], -returns[Seat(1)]);
    (state, returns[Seat(0)])
}

#[test]
fn an_estimate_ends_a_rollout_after_the_given_plies() {
    let mut rng = Rng::stream(1, "cutoff", 0);
    for rollout in [Rollout::Random, Rollout::Hints] {
        for plies in 0..12 {
            let settings = RolloutSettings { rollout, cutoff: Cutoff::After(plies), ..Default::default() };
            let (end, value) = roll(settings, &mut rng);
            assert_eq!(end.turns, TURNS.min(plies as u8));
            assert_eq!(value == 100.0, plies < u32::from(TURNS), "an end is not estimated");
        }
        let untouched = rng.clone();
        roll(RolloutSettings { rollout, cutoff: Cutoff::After(0), ..Default::default() }, &mut rng);
        assert_eq!(rng, untouched, "no ply, no draw");
    }
}

/// Rollouts from a random decision of each of several games end at the first decision of the next deal, or with the
/// game.
fn deals_end_rollouts<G: Hints>(game: &G) {
    for index in 0..20 {
        let mut rng = Rng::stream(4, "deals", index);
        let mut start = game.root();
        game.settle(&mut start, &mut rng);
        for _ in 0..rng.below(game.info().max_decisions as u32 / 2) {
            if let Turn::Seat(_) = game.turn(&start) {
                let action = game.legal(&start).pick(&mut rng);
                game.step(&mut start, action, &mut rng);
            }
        }
        if game.turn(&start) == Turn::Over {
            continue;
        }
        for rollout in [Rollout::Random, Rollout::Hints, Rollout::Fitted] {
            let settings = RolloutSettings { rollout, cutoff: Cutoff::Deal, ..Default::default() };
            let mut end = start;
            let returns = Roller::new(settings).returns(game, &mut end, &mut rng);
            if game.turn(&end) == Turn::Over {
                assert_eq!(returns, game.rounded_returns(&end));
            } else {
                assert_eq!(game.deal_number(&end), game.deal_number(&start) + 1, "{}", game.name());
                assert_eq!(returns, game.evaluate(&end));
            }
        }
    }
}

#[test]
fn the_next_deal_ends_a_rollout() {
    deals_end_rollouts(&Digits);
    macro_rules! check {
        ($module:ident, $game:expr) => {
            deals_end_rollouts(&$game);
        };
    }
    for_each_default_game!(check);
}

#[test]
fn an_exact_ending_ends_a_rollout() {
    let mut rng = Rng::stream(1, "endings", 0);
    let settings = RolloutSettings { endings: Switch::On, ..Default::default() };
    assert_eq!(roll(settings, &mut rng).1, 10.0);
    assert_eq!(roll(settings, &mut rng).0.turns, TURNS - 2);
    // Exact values take precedence over estimates.
    assert_eq!(roll(RolloutSettings { cutoff: Cutoff::After(6), ..settings }, &mut rng).1, 10.0);
    assert_eq!(roll(RolloutSettings { cutoff: Cutoff::After(5), ..settings }, &mut rng).1, 100.0);
}

#[test]
fn epsilon_is_the_share_of_random_actions() {
    let mut rng = Rng::stream(1, "epsilon", 0);
    for epsilon in [0.0, 0.1, 0.5, 1.0] {
        let settings = RolloutSettings { rollout: Rollout::Hints, epsilon, ..Default::default() };
        let rollouts = 5000;
        let odd: f64 = (0..rollouts).map(|_| f64::from(roll(settings, &mut rng).0.counts[1])).sum();
        let share = odd / f64::from(rollouts * i32::from(TURNS));
        assert!((share - epsilon / 3.0).abs() < 0.01, "{epsilon}: {share}");
    }
}

#[test]
fn the_fitted_policy_is_a_softmax() {
    let mut rng = Rng::stream(1, "fitted", 0);
    let (draws, mut played) = (40_000_u32, [0_u32; 3]);
    for turns in 0..TURNS {
        let state = Sums { turns, ..Default::default() };
        for legal in [0b111, 0b101, 0b110, 0b010].map(Actions64) {
            let mut counts = [0_u32; 3];
            (0..draws).for_each(|_| counts[fitted::pick(&Digits, &state, legal, &mut rng).index()] += 1);
            follows_the_weights(counts, legal);
        }
    }
    let settings = RolloutSettings { rollout: Rollout::Fitted, ..Default::default() };
    for _ in 0..draws / u32::from(TURNS) {
        let counts = roll(settings, &mut rng).0.counts;
        played.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u32::from(count));
    }
    follows_the_weights(played, Actions64(0b111));
}

/// Checks that numbers were drawn about as often as by the policy, within five standard deviations.
fn follows_the_weights(counts: [u32; 3], legal: Actions64) {
    let draws = f64::from(counts.iter().sum::<u32>());
    let weight = |number: usize| match legal.contains(Action(number as u8)) {
        true => f64::from(WEIGHTS[number]).exp(),
        false => 0.0,
    };
    let total: f64 = (0..3).map(weight).sum();
    for (number, count) in counts.into_iter().enumerate() {
        let expected = weight(number) / total;
        let deviation = (draws * expected * (1.0 - expected)).sqrt();
        assert!((f64::from(count) - draws * expected).abs() <= 5.0 * deviation + 1e-6, "{counts:?} of {legal:?}");
    }
}

#[test]
fn several_rollouts_are_averaged() {
    let mut rng = Rng::stream(1, "mean", 0);
    let mut twin = rng.clone();
    let single = RolloutSettings::default();
    let sum: f32 = (0..7).map(|_| roll(single, &mut twin).1).sum();
    let mean = roll(RolloutSettings { rollouts: 7, ..single }, &mut rng).1;
    assert!((mean - sum / 7.0).abs() < 1e-5);
    assert_eq!(rng, twin);
}

#[test]
fn cutoffs_are_read_and_written() {
    for (text, cutoff, value) in [
        ("off", Cutoff::Off, OptionValue::Name("off".to_string())),
        ("deal", Cutoff::Deal, OptionValue::Name("deal".to_string())),
        ("0", Cutoff::After(0), OptionValue::Int(0)),
        ("12", Cutoff::After(12), OptionValue::Int(12)),
    ] {
        assert_eq!(Cutoff::parse(text, &()), Ok(cutoff));
        assert_eq!(cutoff.value(), value);
        assert_eq!(value.to_string(), text);
    }
    for text in ["on", "-1", "1.5", "10000000", ""] {
        let message = Cutoff::parse(text, &()).unwrap_err();
        assert!(message.starts_with("must be off, deal or a number between 0 and 1000000, got "), "{message}");
    }
    assert!(Cutoff::parse("dela", &()).unwrap_err().ends_with(", got 'dela'; did you mean 'deal'?"));
    assert!(Cutoff::parse("10000000", &()).unwrap_err().ends_with(", got 10000000"));
}

/// A cutoff that is never reached selects the slow path, which must draw the same actions as the fast one.
fn both_paths_agree<G: Hints>(game: &G) {
    let far = Cutoff::After(1_000_000);
    for index in 0..40 {
        let mut rng = Rng::stream(2, "ways", index);
        let mut start = game.root();
        game.settle(&mut start, &mut rng);
        for rollout in [Rollout::Random, Rollout::Hints] {
            let settings = RolloutSettings { rollout, ..Default::default() };
            let (mut fast, mut slow, mut plain) = (start, start, start);
            let (mut one, mut other, mut third) = (rng.clone(), rng.clone(), rng.clone());
            let found = Roller::new(settings).returns(game, &mut fast, &mut one);
            let slowly = Roller::new(RolloutSettings { cutoff: far, ..settings }).returns(game, &mut slow, &mut other);
            match rollout {
                Rollout::Hints => game.hinted_playout(&mut plain, &mut third),
                _ => game.playout(&mut plain, &mut third),
            };
            assert_eq!((fast, &found, &one), (slow, &slowly, &other));
            assert_eq!((fast, &found, &one), (plain, &game.rounded_returns(&plain), &third));
        }
        // With nothing but random actions, the other policies play the same game.
        let mut state = start;
        let settings = RolloutSettings { rollout: Rollout::Fitted, epsilon: 1.0, ..Default::default() };
        Roller::new(settings).returns(game, &mut state, &mut rng);
        assert_eq!(game.turn(&state), Turn::Over);
    }
}

macro_rules! every_game {
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            both_paths_agree(&$game);
        }
    };
}
for_each_default_game!(every_game);
