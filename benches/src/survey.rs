//! Statistics of a game: length, branching, the returns of random play by seat, and the amount of hidden information.
//!
//! These are the figures that surveys of card games publish, for comparison.

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;
use stier_agents::arena::{Estimate, win_share};
use stier_core::{ActionSet as _, BySeat, Game, History, Rng, Sampler as _, Seat, Turn};

/// Statistics of random play under fixed rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Survey {
    /// The number of games played.
    pub games: u64,
    /// Decisions per game.
    pub decisions: Estimate,
    /// The largest number of decisions in one game.
    pub most_decisions: u64,
    /// The share of decisions at which only one action is legal.
    pub forced: f64,
    /// Legal actions per decision that is not forced.
    pub branching: f64,
    /// The largest number of legal actions at one decision.
    pub most_actions: u64,
    /// Random events per game.
    pub chance_events: f64,
    /// The mean return by seat.
    pub returns: Vec<Estimate>,
    /// The share of games won by seat. Players in first place share a win.
    pub wins: Vec<Estimate>,
    /// States per information set of the player to act: the median over decisions.
    pub median_worlds: u128,
    /// States in the largest information set seen.
    pub most_worlds: u128,
}

/// The figures of one game.
struct Single {
    chance_events: u64,
    /// Legal actions at each decision.
    actions: Vec<u64>,
    /// States of the information set at each decision.
    worlds: Vec<u128>,
    returns: BySeat<f64>,
}

/// Plays `games` random games, at least 1, on all cores. The figures depend on the seed alone.
pub fn survey<G: Game>(game: &G, games: u64, seed: u64) -> Survey {
    let played: Vec<Single> = (0..games.max(1)).into_par_iter().map(|index| one(game, seed, index)).collect();
    let decisions: Vec<f64> = played.iter().map(|played| played.actions.len() as f64).collect();
    let actions = || played.iter().flat_map(|played| played.actions.iter().copied());
    let free = actions().filter(|&count| count > 1);
    let mut worlds: Vec<u128> = played.iter().flat_map(|played| played.worlds.iter().copied()).collect();
    worlds.sort_unstable();
    let by_seat = |value: &dyn Fn(&Single, Seat) -> f64, range| -> Vec<Estimate> {
        Seat::all(game.num_seats())
            .map(|seat| {
                let values: Vec<f64> = played.iter().map(|played| value(played, seat)).collect();
                Estimate::within(&values, range).expect("at least one game")
            })
            .collect()
    };
    Survey {
        games: played.len() as u64,
        decisions: Estimate::of(&decisions).expect("at least one game"),
        most_decisions: played.iter().map(|played| played.actions.len() as u64).max().unwrap_or(0),
        forced: 1.0 - free.clone().count() as f64 / actions().count().max(1) as f64,
        branching: free.clone().sum::<u64>() as f64 / free.count().max(1) as f64,
        most_actions: actions().max().unwrap_or(0),
        chance_events: played.iter().map(|played| played.chance_events).sum::<u64>() as f64 / played.len() as f64,
        returns: by_seat(&|played, seat| played.returns[seat], game.info().utility_range),
        wins: by_seat(&|played, seat| win_share(&played.returns, seat), (0.0, 1.0)),
        median_worlds: worlds.get(worlds.len() / 2).copied().unwrap_or(0),
        most_worlds: worlds.last().copied().unwrap_or(0),
    }
}

fn one<G: Game>(game: &G, seed: u64, index: u64) -> Single {
    let mut rng = Rng::stream(seed, "survey", index);
    let mut history = History::new(game);
    let (mut actions, mut worlds) = (Vec::new(), Vec::new());
    loop {
        history.settle(game, &mut rng);
        let Turn::Seat(seat) = game.turn(history.state()) else { break };
        let legal = game.legal(history.state());
        actions.push(legal.len() as u64);
        worlds.push(game.sampler(&game.view(&history, seat)).count());
        history.push(game, legal.pick(&mut rng));
    }
    let chance_events = (history.events().len() - actions.len()) as u64;
    Single { chance_events, actions, worlds, returns: game.returns(history.state()) }
}
