//! The properties of the toys, by enumeration and by hand, and those of our games. The estimates agree for any number
//! of threads.

use std::ops::ControlFlow;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::toys::{self, KUHN, KUHN_THREE, LEDUC};
use stier_agents::agent::threads::Halted;
use stier_agents::arena::properties::{MeasureError, Play, Properties, Settings, measure};
use stier_agents::arena::win_share;
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::liars_dice::LiarsDice;
use stier_core::{ActionSet as _, BySeat, Game, Hints, History, Sampler as _, Turn, for_each_default_game};

fn found<G: Hints>(game: &G, settings: &Settings) -> Properties {
    measure(game, settings, &|| ControlFlow::Continue(())).expect("properties")
}

/// The probability-weighted sums behind the estimates, over all random games.
#[derive(Default, Debug)]
struct Exact {
    leaves: f64,
    same_result: f64,
    same_return: f64,
    steps: f64,
    shrunk: f64,
    logarithm: f64,
}

impl Exact {
    /// Adds everything below a history. `last` is its last choice; `worlds` is the number of worlds of each seat at
    /// its last decision.
    fn walk<G: Game>(
        &mut self,
        game: &G,
        history: &History<G>,
        reach: f64,
        last: Option<&History<G>>,
        worlds: &BySeat<Option<u128>>,
    ) {
        let state = history.state();
        match game.turn(state) {
            Turn::Over => {
                let Some(last) = last else { return };
                let chooser = game.turn(last.state()).seat().expect("a choice");
                let ends = game.legal(last.state()).iter().map(|action| {
                    let mut next = last.clone();
                    next.push(game, action);
                    forced_end(game, next)
                });
                let Some(ends) = ends.collect::<Option<Vec<_>>>() else { return };
                self.leaves += reach;
                if ends.windows(2).all(|two| win_share(&two[0], chooser) == win_share(&two[1], chooser)) {
                    self.same_result += reach;
                }
                if ends.windows(2).all(|two| two[0][chooser] == two[1][chooser]) {
                    self.same_return += reach;
                }
            }
            Turn::Chance => {
                for outcome in game.chance(state) {
                    let mut next = history.clone();
                    next.push(game, outcome.action);
                    self.walk(game, &next, reach * outcome.probability, last, worlds);
                }
            }
            Turn::Seat(seat) => {
                let count = game.sampler(&game.view(history, seat)).count();
                if let Some(before) = worlds[seat] {
                    let left = count as f64 / before as f64;
                    self.steps += reach;
                    self.shrunk += reach * (1.0 - left).max(0.0);
                    self.logarithm += reach * left.ln();
                }
                let mut worlds = worlds.clone();
                worlds[seat] = Some(count);
                let legal = game.legal(state);
                let last = if legal.len() > 1 { Some(history) } else { last };
                for action in legal.iter() {
                    let mut next = history.clone();
                    next.push(game, action);
                    self.walk(game, &next, reach / legal.len() as f64, last, &worlds);
                }
            }
        }
    }
}

/// The returns if all remaining moves are forced, for games without chance after the deal.
fn forced_end<G: Game>(game: &G, mut history: History<G>) -> Option<BySeat<f64>> {
    while game.turn(history.state()) != Turn::Over {
        let legal = game.legal(history.state());
        if legal.len() != 1 {
            return None;
        }
        history.push(game, legal.nth(0));
    }
    Some(game.returns(history.state()))
}

/// Every estimate of random play is close to the exact value by enumeration.
fn estimates_are_exact<G: Hints>(game: &G) -> Exact {
    let mut exact = Exact::default();
    exact.walk(game, &History::new(game), 1.0, None, &BySeat::filled(game.num_seats(), None));
    let found = found(game, &Settings { deals: 4000, games: 4, seed: 3, ..Settings::default() });
    for (name, estimate, exact) in [
        ("leaves", Some(found.leaves), exact.leaves),
        ("leaf correlation", found.leaf_correlation, exact.same_result / exact.leaves),
        ("return correlation", found.return_correlation, exact.same_return / exact.leaves),
        ("disambiguation", found.disambiguation, exact.shrunk / exact.steps),
        ("net disambiguation", found.net_disambiguation, 1.0 - (exact.logarithm / exact.steps).exp()),
    ] {
        let estimate = estimate.expect("an estimate");
        // With twice the 95 % interval, one comparison in 25,000 fails.
        let near = (estimate.mean - exact).abs() <= 2.0 * estimate.ci95 + 1e-9;
        assert!(near && estimate.ci95 < 0.05, "{} {name}: {estimate:?}, exactly {exact}", game.name());
    }
    exact
}

#[test]
fn kuhn_poker_is_as_in_the_paper() {
    let exact = estimates_are_exact(&*KUHN);
    // The player that faces a bet loses either way only with the lower card, and then loses more by calling.
    assert!((exact.same_result / exact.leaves - 0.5).abs() < 1e-12);
    assert_eq!(exact.same_return, 0.0);
    // Games that end by a second pass could have continued with a bet.
    assert!((exact.leaves - 0.75).abs() < 1e-12);
    // Nothing is learned about the other card.
    assert_eq!(exact.shrunk, 0.0);
}

#[test]
fn calls_matter_little_against_two() {
    let exact = estimates_are_exact(&*KUHN_THREE);
    // The last player to call is more likely to face a higher card than not.
    assert!(exact.same_result / exact.leaves > 0.5);
    assert_eq!(exact.shrunk, 0.0);
}

#[test]
fn leduc_poker_discloses_one_card() {
    let exact = estimates_are_exact(&*LEDUC);
    // The public card leaves four of five hands, and nothing else is shown.
    assert!(exact.shrunk > 0.0 && exact.shrunk / exact.steps < 0.2);
}

#[test]
fn liars_dice_discloses_nothing() {
    for sides in [2, 3] {
        let exact = estimates_are_exact(&toys::plain::<LiarsDice>(&format!("sides={sides}")));
        assert_eq!(exact.shrunk, 0.0);
        // Sibling leaves are a call of the second-highest bid, and the highest bid with the forced call after it.
        assert!(exact.leaves > 0.0 && exact.leaves < 1.0);
    }
}

#[test]
fn goofspiel_discloses_who_won() {
    let exact = estimates_are_exact(&toys::plain::<Goofspiel>("cards=3"));
    // Seat 1 always has a choice before its last one.
    assert!((exact.leaves - 1.0).abs() < 1e-12);
    estimates_are_exact(&toys::plain::<Goofspiel>("cards=4"));
}

/// In Kuhn poker, by hand: the higher card wins 7 of 8 random games for the first player and 3 of 4 for the second.
#[test]
fn the_favourite_of_a_deal_is_found() {
    let found = found(&*KUHN, &Settings { deals: 3000, games: 128, seed: 1, ..Settings::default() });
    // P(win) - P(loss) of the favourite, which sits on each seat half of the time.
    let expected = (0.75 + 0.5) / 2.0;
    assert!((found.bias.mean - expected).abs() < 2.0 * found.bias.ci95 + 1e-4, "{:?}", found.bias);
    // With few games the favourite is sometimes mistaken.
    let few =
        measure(&*KUHN, &Settings { deals: 3000, games: 2, ..Settings::default() }, &|| ControlFlow::Continue(()));
    // With one game each, the lead is 1 or -1, with mean (P(win) - P(loss)) squared.
    let few = few.expect("properties").bias;
    assert!((few.mean - (0.75_f64.powi(2) + 0.25) / 2.0).abs() < 2.0 * few.ci95, "{few:?}");
}

macro_rules! our_games {
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            let game = $game;
            for play in [Play::Random, Play::Hints] {
                let settings = Settings { deals: 30, games: 4, seed: 1, play, threads: 1 };
                let one = found(&game, &settings);
                let three = found(&game, &Settings { threads: 3, ..settings.clone() });
                assert_eq!(Properties { settings: settings.clone(), ..three }, one, "the seed decides");
                assert_ne!(found(&game, &Settings { seed: 2, ..settings.clone() }).bias, one.bias);
                let shares = [Some(one.leaves), one.leaf_correlation, one.return_correlation, one.disambiguation];
                let shares = shares.map(|estimate| estimate.expect("an estimate").mean);
                assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
                assert!((-1.0..=1.0).contains(&one.bias.mean));
                // No action in these two games excludes a hand.
                let excludes_none = ["kuhn_poker", "liars_dice"].contains(&game.name());
                assert_eq!(shares[3] > 0.0, !excludes_none);
                assert!(one.net_disambiguation.expect("an estimate").mean < 1.0);
                assert_eq!(one.leaves.units, 30);
                let text = one.to_string();
                assert!(text.starts_with(&format!("{} (default rules), 30 deals, 4 ", game.name())));
                assert_eq!(text.lines().count(), 7);
            }
        }
    };
}
for_each_default_game!(our_games);

#[test]
fn settings_are_checked_and_watchers_can_interrupt() {
    let go_on = || ControlFlow::Continue(());
    for (deals, games) in [(0, 2), (1, 1)] {
        let settings = Settings { deals, games, ..Settings::default() };
        assert_eq!(measure(&*KUHN, &settings, &go_on), Err(MeasureError::TooFew));
    }
    let calls = AtomicU64::new(0);
    let count = || {
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let settings = Settings { deals: 10, games: 2, ..Settings::default() };
    assert!(measure(&*KUHN, &settings, &count).is_ok());
    assert_eq!(calls.into_inner(), 20);
    assert_eq!(measure(&*KUHN, &settings, &|| ControlFlow::Break(())), Err(Halted::Interrupted.into()));
}

/// Both threads are in the middle of a deal when the first of them is told to stop, and neither is told again.
#[test]
fn one_interruption_stops_all_threads() {
    let (calls, both) = (AtomicU64::new(0), Barrier::new(2));
    let watch = || {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        if call < 2 {
            both.wait();
        }
        if call == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let settings = Settings { deals: 2, games: 100_000, threads: 2, ..Settings::default() };
    assert_eq!(measure(&*KUHN, &settings, &watch), Err(MeasureError::Halted(Halted::Interrupted)));
    assert!(calls.into_inner() < 50_000);
}
