//! Results of a match: standings and cross-tables.

use std::fmt;

use stier_core::list::Listing as _;
use stier_core::{BySeat, Seat};

use super::stats::{Estimate, Share, win_share};
use super::{Played, Settings, seat_of};
use crate::agent::order::sorted;

/// All games of a [`pit`](super::pit), in a fixed order: by table, deal, cyclic order and rotation. The order in
/// which agents are named changes only the numbers of equal labels.
#[derive(Clone, PartialEq, Debug)]
pub struct PitResult {
    /// The game's name.
    pub game: String,
    /// Its rules, as text.
    pub rules: String,
    /// The [range](stier_core::GameInfo::utility_range) of its returns.
    pub range: (f64, f64),
    /// The settings of the match.
    pub settings: Settings,
    /// The entrants' labels; the n-th of equal ones ends with "#n". They are not always the text of an agent.
    pub agents: Vec<String>,
    /// Every game.
    pub games: Vec<Played>,
}

/// An entrant's results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// Mean return per game, in the game's utility.
    pub mean: Estimate,
    /// The share of games won. Agents that share first place share the win.
    pub wins: Share,
}

impl PitResult {
    /// The entrant's results in all its games. The units are deals: the games of one deal are averaged first.
    pub fn standing(&self, entrant: usize) -> Standing {
        self.against(entrant, None).expect("every entrant has played")
    }

    /// The entrant's results in the games with `opponent` at the table; `None` if they did not meet.
    pub fn meeting(&self, entrant: usize, opponent: usize) -> Option<Standing> {
        (entrant != opponent).then(|| self.against(entrant, Some(opponent))).flatten()
    }

    /// Each entrant and its total return, best first. Ties keep the order of entry.
    pub fn totals(&self) -> Vec<(usize, f64)> {
        let mut totals: Vec<(usize, f64)> = (0..self.agents.len()).map(|entrant| (entrant, 0.0)).list();
        for played in &self.games {
            for (&entrant, &value) in played.agents.iter().zip(played.returns.iter()) {
                totals[entrant].1 += value;
            }
        }
        let order = sorted(totals.len(), &mut |one, other| totals[other].1.total_cmp(&totals[one].1));
        order.into_iter().map(|entrant| totals[entrant]).list()
    }

    fn against<'a>(&'a self, entrant: usize, opponent: Option<usize>) -> Option<Standing> {
        let meets = |played: &&Played| opponent.is_none_or(|other| seat_of(played, other).is_some());
        let seated = |played: &'a Played| Some((played, seat_of(played, entrant)?));
        let games: Vec<(&Played, Seat)> = self.games.iter().filter(meets).filter_map(seated).list();
        let order = sorted(games.len(), &mut |one, other| games[one].0.deal.cmp(&games[other].0.deal));
        let games: Vec<(&Played, Seat)> = order.into_iter().map(|place| games[place]).list();
        let per_deal = |value: fn(&BySeat<f64>, Seat) -> f64| -> Vec<f64> {
            let sum =
                |deal: &[(&Played, Seat)]| deal.iter().map(|(game, seat)| value(&game.returns, *seat)).sum::<f64>();
            games.chunk_by(|one, other| one.0.deal == other.0.deal).map(|deal| sum(deal) / deal.len() as f64).list()
        };
        let mean = Estimate::within(&per_deal(|returns, seat| returns[seat]), self.range)?;
        Some(Standing { mean, wins: Share::of(&per_deal(win_share))? })
    }

    /// Writes one line per agent and one column per opponent.
    fn matrix(
        &self,
        f: &mut fmt::Formatter<'_>,
        width: usize,
        interval: usize,
        cell: impl Fn(Standing) -> String,
    ) -> fmt::Result {
        for (row, label) in self.agents.iter().enumerate() {
            write!(f, "{label:<width$}")?;
            for column in 0..self.agents.len() {
                let text = self
                    .meeting(row, column)
                    .map_or_else(|| format!("{:>9}{:width$}", "-", "", width = interval), &cell);
                write!(f, "  {text}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for PitResult {
    /// Writes the standings and, for more than one table, the cross-tables of mean returns and wins.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = if self.rules.is_empty() { "default rules" } else { &self.rules };
        let kind = if self.settings.paired { "paired deals" } else { "deals" };
        writeln!(f, "{} ({rules}), {} {kind}, {} games", self.game, self.settings.deals, self.games.len())?;
        let width = self.agents.iter().map(String::len).max().unwrap_or(0).max(5);
        writeln!(f, "{:<width$}  {:>18}  {:>11}", "agent", "mean return", "wins")?;
        for (entrant, label) in self.agents.iter().enumerate() {
            let Standing { mean, wins } = self.standing(entrant);
            let (interval, share, shares) = (mean.plus_minus(3), wins.percent(), wins.interval());
            let line = format!("{label:<width$}  {:>+9.3}{interval:<9}  {share:>11} {shares}", mean.mean);
            writeln!(f, "{}", line.trim_end())?;
        }
        let seats = self.games.first().map_or(0, |played| played.agents.len());
        if self.agents.len() > seats {
            writeln!(f, "mean return, row against column:")?;
            self.matrix(f, width, 9, |Standing { mean, .. }| format!("{:>+9.3}{:<9}", mean.mean, mean.plus_minus(3)))?;
            writeln!(f, "wins in %, row against column:")?;
            self.matrix(f, width, 17, |Standing { wins, .. }| {
                format!("{:>9.1} {:<16}", 100.0 * wins.mean, wins.interval())
            })?;
        }
        Ok(())
    }
}
