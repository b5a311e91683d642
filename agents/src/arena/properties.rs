//! Properties of a game that predict the success of sampling worlds and searching them with open cards: leaf
//! correlation, bias and disambiguation.
//!
//! J. R. Long, N. R. Sturtevant, M. Buro and T. Furtak, *Understanding the Success of Perfect Information Monte Carlo
//! Sampling in Game Tree Search*, AAAI 2010. The paper defines them for two players, win or loss, and no chance after
//! the deal. Here they are extended to any game, and estimated from games in which all players act at random (or by
//! hints):
//!
//! - **Leaf correlation** is the probability that sibling leaves have the same payoff. Sibling leaves are the actions
//!   of a player after whose choice there are only forced moves and chance until the end. All siblings get the same
//!   cards from the same pile. The payoff is that player's result, won, shared or lost (a share in the
//!   [win](crate::arena::win_share)), or, more finely, the return. Games that end otherwise, because a last choice
//!   could also have led to further ones, have no sibling leaves and do not count.
//! - **Bias** is the degree to which a deal favours a player, P(win) - P(loss). Several games are played with the
//!   same cards. The seat that has won most of one half of them is the favourite. The bias is its share in the wins
//!   of the other half, scaled so that an even share is 0 and every win is 1. (The paper asks how far a game favours
//!   one player; here seats differ little and deals differ much.) With many games the favourite is rarely mistaken,
//!   and mistakes only lower the figure.
//! - **Disambiguation** is the rate at which information sets shrink: 1 - (worlds at a decision) / (worlds at the
//!   same player's previous decision), averaged over consecutive decisions of one player in one deal. Worlds are
//!   states, as [`Sampler::count`](stier_core::Sampler::count) counts them. If players draw hidden cards between
//!   decisions, sets can grow, which those in the paper cannot; growth counts as shrinking by 0. The *net*
//!   disambiguation includes growth: it is one minus the geometric mean of the same ratios, the constant rate that
//!   leads from the first set of a deal to the last.
//!
//! The higher the three, the less is lost by searching with open cards. In the paper, Kuhn poker, on which it fails,
//! has a leaf correlation of 0.5 and a disambiguation of 0. Skat and Hearts, on which it works, have 0.8 to 1 and
//! 0.6.
//!
//! Known weaknesses: leaf correlation looks only at the very end of games. All three depend on the players' policies,
//! and good players do not act at random. Equal numbers of worlds need not be equally likely.
//!
//! Intervals are over deals. That of the net disambiguation, which has no least value, is Student's.

use std::fmt;

use serde::Serialize;
use stier_core::list::Listing as _;
use stier_core::{
    Action, ActionSet as _, BySeat, Dealer, Game, Hints, History, Rng, Sampler as _, Seat, Turn, choice, float,
};
use thiserror::Error;

use crate::agent::threads::{Halted, Watch, each, goes_on, stopping_all};
use crate::arena::{Estimate, win_share};

choice! {
    /// The policy of all players in the games measured.
    #[derive(Serialize)]
    pub enum Play {
        /// All legal actions with the same probability.
        Random = "random",
        /// The actions that the game's hints leave, with the same probability.
        Hints = "hints",
    }
}

/// The settings of a measurement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// The number of deals, at least 1.
    pub deals: u64,
    /// The number of games of each deal, at least 2, all with the same cards.
    pub games: u64,
    /// The seed of deals and play.
    pub seed: u64,
    /// The policy of all players.
    pub play: Play,
    /// The number of threads; 0 uses all cores. It does not change the results.
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
    /// The settings of the measurement.
    pub settings: Settings,
    /// The share of games that end with sibling leaves.
    pub leaves: Estimate,
    /// The share of sibling leaves that give the choosing player the same result; `None` if there were none.
    pub leaf_correlation: Option<Estimate>,
    /// The share of sibling leaves that give the choosing player the same return; `None` if there were none.
    pub return_correlation: Option<Estimate>,
    /// The favourite's wins in a deal above an even share, from about 0 to 1.
    pub bias: Estimate,
    /// The share by which information sets shrink from one decision of a player to the next, with growth counted as
    /// 0; `None` if no player decided twice in a deal.
    pub disambiguation: Option<Estimate>,
    /// The same as a constant rate, including growth; negative if sets grow.
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
        line("bias", Some(self.bias), "the favourite's wins in a deal above an even share")?;
        line("disambiguation", self.disambiguation, "share by which information sets shrink per decision")?;
        line("net disambiguation", self.net_disambiguation, "the same as a constant rate, including growth")
    }
}

/// The reason why nothing was measured.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MeasureError {
    /// Too few deals or games.
    #[error("deals must be at least 1 and games of each at least 2")]
    TooFew,
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// Measures a game. `watch` is called after every game, from any thread, and may stop the measurement.
pub fn measure<G: Hints>(game: &G, settings: &Settings, watch: Watch<'_>) -> Result<Properties, MeasureError> {
    if settings.deals == 0 || settings.games < 2 {
        return Err(MeasureError::TooFew);
    }
    let watch = stopping_all(watch);
    let play = |(): &mut (), deal| Deal::play(game, settings, deal, &watch);
    let deals = each(settings.threads, settings.deals, || (), play)?;
    let ratio = |part: fn(&Deal) -> f64, whole: fn(&Deal) -> f64, range| {
        Estimate::ratio(&deals.iter().map(|deal| (part(deal), whole(deal))).list(), range)
    };
    let mean = |value: &dyn Fn(&Deal) -> f64, range| {
        Estimate::within(&deals.iter().map(value).list(), range).expect("at least one deal")
    };
    let share = (0.0, 1.0);
    let least_lead = -1.0 / (game.num_seats() as f64 - 1.0);
    Ok(Properties {
        game: game.name().to_string(),
        rules: game.rules().to_text(),
        settings: settings.clone(),
        leaves: mean(&|deal| deal.leaves / settings.games as f64, share),
        leaf_correlation: ratio(|deal| deal.same_result, |deal| deal.leaves, share),
        return_correlation: ratio(|deal| deal.same_return, |deal| deal.leaves, share),
        bias: mean(&|deal| deal.bias, (least_lead, 1.0)),
        disambiguation: ratio(|deal| deal.shrunk, |deal| deal.steps, share),
        net_disambiguation: ratio(|deal| deal.logarithm, |deal| deal.steps, (f64::NEG_INFINITY, f64::INFINITY))
            .map(net),
    })
}

/// The rate of shrinking, from the mean logarithm of the remaining share.
fn net(logarithm: Estimate) -> Estimate {
    let left = float::exp(logarithm.mean);
    Estimate { mean: 1.0 - left, ci95: left * logarithm.ci95, ..logarithm }
}

/// The sums over the games of one deal.
#[derive(Clone, Default, Debug)]
struct Deal {
    /// The number of games that end with sibling leaves, and of those with the same result and with the same return.
    leaves: f64,
    same_result: f64,
    same_return: f64,
    bias: f64,
    /// The number of pairs of consecutive decisions of one player, the sum of the shares by which information sets
    /// shrank between them, and the sum of the logarithms of the remaining shares.
    steps: f64,
    shrunk: f64,
    logarithm: f64,
}

impl Deal {
    /// Plays all games of a deal.
    fn play<G: Hints>(game: &G, settings: &Settings, deal: u64, watch: Watch<'_>) -> Result<Self, Halted> {
        let mut found = Self::default();
        let seats = game.num_seats();
        let mut shares = [BySeat::filled(seats, 0.0), BySeat::filled(seats, 0.0)];
        for number in 0..settings.games {
            let end = found.play_game(game, settings, deal, number);
            for (share, seat) in shares[(number % 2) as usize].iter_mut().zip(Seat::all(seats)) {
                *share += win_share(&end, seat);
            }
            goes_on(watch())?;
        }
        let games = [settings.games.div_ceil(2) as f64, (settings.games / 2) as f64];
        let [even, odd] = &shares;
        found.bias = (lead(even, odd, games[1]) + lead(odd, even, games[0])) / 2.0;
        Ok(found)
    }

    /// Plays one game and returns its returns. Adds the results of its leaves and, if it is the first game, of its
    /// information sets.
    fn play_game<G: Hints>(&mut self, game: &G, settings: &Settings, deal: u64, number: u64) -> BySeat<f64> {
        let mut rng = Rng::stream(settings.seed, "properties", deal * settings.games + number);
        // Views and counts cost more than everything else.
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
                f64::from(leaves.iter().all(|returns| value(returns) == first))
            };
            self.leaves += 1.0;
            self.same_result += alike(&|returns| win_share(returns, seat));
            self.same_return += alike(&|returns| returns[seat]);
        }
        game.returns(history.state())
    }
}

/// The returns after each action, with this dealer's cards; `None` if a player has a choice after one of them.
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

/// The wins above an even share, in `games` games, of the favourites according to `others`; the mean if there are
/// several.
fn lead(others: &BySeat<f64>, wins: &BySeat<f64>, games: f64) -> f64 {
    let most = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let favourites: Vec<f64> =
        others.iter().zip(wins.iter()).filter(|&(&other, _)| other == most).map(|(_, &wins)| wins).list();
    let share = favourites.iter().sum::<f64>() / favourites.len() as f64 / games;
    let even = 1.0 / wins.len() as f64;
    (share - even) / (1.0 - even)
}
