//! What decides whether sampling worlds and searching them with open cards can play a game well: leaf correlation, bias and
//! disambiguation.
//!
//! J. R. Long, N. R. Sturtevant, M. Buro and T. Furtak, *Understanding the Success of Perfect Information Monte Carlo
//! Sampling in Game Tree Search*, AAAI 2010. The paper defines the three for two players, win or loss, and no chance after
//! the deal; here they stand for any game, estimated from games in which everybody plays at random (or by hints):
//!
//! - **Leaf correlation** is the probability that sibling leaves have the same payoff. Sibling leaves are the actions of a
//!   player who has a choice after which nobody has one any more: forced moves and chance lead to the end. Chance brings all
//!   siblings the same cards from the same pile. The payoff is the result for that player, won, shared or lost (his share in
//!   the [win](crate::arena::win_share)), or, more finely, his return. Games that end otherwise, because a last choice could
//!   also have led to further ones, have no sibling leaves and do not count.
//! - **Bias** is how far a deal favours somebody, P(win) - P(loss): several games are played with the same cards; the seat
//!   that has won most of one half of them is the favourite, and the bias is its share in the wins of the other half, scaled
//!   so that an even share is 0 and every win is 1. (The paper asks how far a game favours one player; here seats differ
//!   little, and deals much.) Games are many, so the favourite is seldom mistaken, and what is lost by mistakes makes the
//!   figure smaller, never larger.
//! - **Disambiguation** is how fast information sets shrink: 1 - (worlds at a decision) / (worlds at the same player's
//!   decision before), the mean over consecutive decisions of one player in one deal. Worlds are states, as
//!   [`Sampler::count`](stier_core::Sampler::count) counts them. Where players draw hidden cards between decisions, sets can
//!   grow, which the paper's cannot: a set that grows has shrunk by 0. The *net* disambiguation takes growth into account:
//!   one minus the geometric mean of the same ratios, the constant rate that leads from the first set of a deal to the last.
//!
//! The higher the three, the less is lost by searching with open cards. Kuhn poker, in which it fails, has a leaf correlation
//! of 0.5 and a disambiguation of 0; Skat and Hearts, in which it works, have 0.8 to 1 and 0.6.
//!
//! Known weaknesses: leaf correlation looks at the very end of games only; all three depend on who plays, and nobody who
//! plays well plays at random; equal numbers of worlds need not be equally likely ones.
//!
//! Intervals are over deals.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;
use stier_core::{
    Action, ActionSet as _, BySeat, Dealer, Game, Hints, History, Options as _, Rng, Sampler as _, Seat, Turn, choice,
    float,
};
use thiserror::Error;

use crate::agent::threads::{self, ThreadsError};
use crate::arena::{Estimate, win_share};

choice! {
    /// How everybody plays in the games that are measured.
    #[derive(Serialize)]
    pub enum Play {
        /// Any legal action, each as likely as the others.
        Random = "random",
        /// Any of those that the game's hints leave.
        Hints = "hints",
    }
}

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// Deals, at least 1.
    pub deals: u64,
    /// Games of each deal, at least 2; all with the same cards.
    pub games: u64,
    /// The seed of deals and play.
    pub seed: u64,
    /// How everybody plays.
    pub play: Play,
    /// Threads; 0 for all cores. No influence on the results.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { deals: 1000, games: 32, seed: 0, play: Play::Random, threads: 0 }
    }
}

/// The properties of a game under fixed rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Properties {
    /// The game's name.
    pub game: String,
    /// Its rules.
    pub rules: String,
    /// What was measured.
    pub settings: Settings,
    /// The share of games that end with sibling leaves.
    pub leaves: Estimate,
    /// The share of sibling leaves that give the player who chooses the same result; `None` if there were none.
    pub leaf_correlation: Option<Estimate>,
    /// The share of sibling leaves that give the player who chooses the same return; `None` if there were none.
    pub return_correlation: Option<Estimate>,
    /// How much more the favourite of a deal wins than an even share; from about 0 to 1.
    pub bias: Estimate,
    /// By what share information sets shrink from one decision of a player to the next, growth counted as 0; `None` if nobody
    /// decided twice in a deal.
    pub disambiguation: Option<Estimate>,
    /// The same as a constant rate, growth included; negative if sets grow.
    pub net_disambiguation: Option<Estimate>,
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { deals, games, play, .. } = &self.settings;
        let rules = if self.rules.is_empty() { "default rules" } else { &self.rules };
        let kind = match play {
            Play::Random => "random games",
            Play::Hints => "games by hints",
        };
        writeln!(f, "{} ({rules}), {deals} deals, {games} {kind} of each", self.game)?;
        let mut line = |name: &str, found: Option<Estimate>, about: &str| match found {
            Some(found) => writeln!(f, "{name:<20} {:>6.3}{:<8}  {about}", found.mean, found.plus_minus(3)),
            None => writeln!(f, "{name:<20} {:>6}          {about}", "-"),
        };
        line("leaf correlation", self.leaf_correlation, "last choices that do not change the result")?;
        line("return correlation", self.return_correlation, "last choices that do not change the return")?;
        line("leaves", Some(self.leaves), "games with a last choice")?;
        line("bias", Some(self.bias), "by how much the favourite of a deal wins more than an even share")?;
        line("disambiguation", self.disambiguation, "by what share information sets shrink per decision")?;
        line("net disambiguation", self.net_disambiguation, "the same as a constant rate, growth included")
    }
}

/// Why nothing was measured.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MeasureError {
    /// Not enough to measure.
    #[error("deals must be at least 1 and games of each at least 2")]
    TooFew,
    /// The watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// Measures a game. `watch` is called after every game, from any thread, and may break off.
pub fn measure<G: Hints>(
    game: &G,
    settings: &Settings,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Properties, MeasureError> {
    if settings.deals == 0 || settings.games < 2 {
        return Err(MeasureError::TooFew);
    }
    let stop = AtomicBool::new(false);
    let goes_on = || {
        if watch().is_break() {
            stop.store(true, Ordering::Relaxed);
        }
        !stop.load(Ordering::Relaxed)
    };
    let play = || {
        let deals = (0..settings.deals).into_par_iter();
        deals.map(|deal| Deal::play(game, settings, deal, &goes_on)).collect::<Option<Vec<Deal>>>()
    };
    let deals = match settings.threads {
        0 => play(),
        threads => threads::pool(threads)?.install(play),
    };
    let deals = deals.ok_or(MeasureError::Interrupted)?;
    let ratio = |part: fn(&Deal) -> f64, whole: fn(&Deal) -> f64| {
        Estimate::ratio(&deals.iter().map(|deal| (part(deal), whole(deal))).collect::<Vec<_>>())
    };
    let mean = |value: &dyn Fn(&Deal) -> f64| {
        Estimate::of(&deals.iter().map(value).collect::<Vec<_>>()).expect("at least one deal")
    };
    Ok(Properties {
        game: G::NAME.to_string(),
        rules: game.rules().to_text(),
        settings: settings.clone(),
        leaves: mean(&|deal| deal.leaves / settings.games as f64),
        leaf_correlation: ratio(|deal| deal.same_result, |deal| deal.leaves),
        return_correlation: ratio(|deal| deal.same_return, |deal| deal.leaves),
        bias: mean(&|deal| deal.bias),
        disambiguation: ratio(|deal| deal.shrunk, |deal| deal.steps),
        net_disambiguation: ratio(|deal| deal.logarithm, |deal| deal.steps).map(net),
    })
}

/// The rate of shrinking, from the mean logarithm of what is left.
fn net(logarithm: Estimate) -> Estimate {
    let left = float::exp(logarithm.mean);
    Estimate { mean: 1.0 - left, ci95: left * logarithm.ci95, ..logarithm }
}

/// What the games of one deal add up to.
#[derive(Clone, Default, Debug)]
struct Deal {
    /// Games that end with sibling leaves; those with the same result; those with the same return.
    leaves: f64,
    same_result: f64,
    same_return: f64,
    bias: f64,
    /// Pairs of consecutive decisions of one player, the sum of the shares by which information sets shrank between them, and
    /// the sum of the logarithms of the shares that were left.
    steps: f64,
    shrunk: f64,
    logarithm: f64,
}

impl Deal {
    /// All games of a deal; `None` if it was broken off.
    fn play<G: Hints>(game: &G, settings: &Settings, deal: u64, goes_on: &impl Fn() -> bool) -> Option<Self> {
        let mut found = Self::default();
        let seats = game.num_seats();
        let mut shares = [BySeat::filled(seats, 0.0), BySeat::filled(seats, 0.0)];
        for number in 0..settings.games {
            let end = found.play_game(game, settings, deal, number);
            for (share, seat) in shares[(number % 2) as usize].iter_mut().zip(Seat::all(seats)) {
                *share += win_share(&end, seat);
            }
            if !goes_on() {
                return None;
            }
        }
        let games = [settings.games.div_ceil(2) as f64, (settings.games / 2) as f64];
        let [even, odd] = &shares;
        found.bias = (lead(even, odd, games[1]) + lead(odd, even, games[0])) / 2.0;
        Some(found)
    }

    /// One game; adds what its leaves show, if it is the first also what its information sets show, and gives its returns.
    fn play_game<G: Hints>(&mut self, game: &G, settings: &Settings, deal: u64, number: u64) -> BySeat<f64> {
        let mut rng = Rng::stream(settings.seed, "properties", deal * settings.games + number);
        // Views and counts cost more than all the rest.
        let count_worlds = number == 0;
        let mut dealer = Dealer::new(settings.seed, deal);
        let mut history = History::new(game);
        let mut worlds: BySeat<Option<(u32, u128)>> = BySeat::filled(game.num_seats(), None);
        let mut last_choice = None;
        loop {
            dealer.settle(game, &mut history);
            let state = history.state();
            let Turn::Seat(seat) = game.turn(state) else { break };
            if count_worlds {
                let (deal, count) = (game.deal_number(state), game.sampler(&game.view(&history, seat)).count());
                let before = worlds[seat].replace((deal, count));
                if let Some((_, before)) = before.filter(|&(same, _)| same == deal) {
                    let left = count as f64 / before as f64;
                    self.steps += 1.0;
                    self.shrunk += (1.0 - left).max(0.0);
                    self.logarithm += float::log(left);
                }
            }
            let legal = game.legal(state);
            let played = match settings.play {
                Play::Random => legal,
                Play::Hints => game.rollout(state, legal),
            };
            let action = played.pick(&mut rng);
            if legal.len() > 1 {
                last_choice = Some((*state, seat, dealer.clone()));
            }
            history.push(game, action);
        }
        if let Some((state, seat, dealer)) = last_choice
            && let Some(leaves) = leaves(game, &state, &dealer)
        {
            let alike = |value: &dyn Fn(&BySeat<f64>) -> f64| {
                let first = value(&leaves[0]);
                f64::from(u8::from(leaves.iter().all(|returns| value(returns) == first)))
            };
            self.leaves += 1.0;
            self.same_result += alike(&|returns| win_share(returns, seat));
            self.same_return += alike(&|returns| returns[seat]);
        }
        game.returns(history.state())
    }
}

/// The returns after each action, with the cards that this dealer brings; `None` if somebody has a choice after one of them.
fn leaves<G: Game>(game: &G, state: &G::State, dealer: &Dealer) -> Option<Vec<BySeat<f64>>> {
    let end = |action: Action| {
        let (mut state, mut dealer) = (*state, dealer.clone());
        game.apply(&mut state, action);
        loop {
            let event = match game.turn(&state) {
                Turn::Over => return Some(game.returns(&state)),
                Turn::Chance => game.sample_chance(&state, dealer.rng(game, &state)),
                Turn::Seat(_) => {
                    let legal = game.legal(&state);
                    if legal.len() > 1 {
                        return None;
                    }
                    legal.nth(0)
                }
            };
            game.apply(&mut state, event);
        }
    };
    game.legal(state).iter().map(end).collect()
}

/// How much more than an even share those win of `games` games, whom others show to be the favourites; of several the mean.
fn lead(others: &BySeat<f64>, wins: &BySeat<f64>, games: f64) -> f64 {
    let most = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let favourites: Vec<f64> =
        others.iter().zip(wins.iter()).filter(|&(&other, _)| other == most).map(|(_, &wins)| wins).collect();
    let share = favourites.iter().sum::<f64>() / favourites.len() as f64 / games;
    let even = 1.0 / wins.len() as f64;
    (share - even) / (1.0 - even)
}
