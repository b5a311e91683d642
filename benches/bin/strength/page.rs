//! The cross-tables, from the ledger.

use std::fmt::Write as _;

use stier_agents::arena::{Estimate, Share};

use super::ledger::{Ledger, Match, Sums};
use super::plan::{Plan, Table};

/// The introduction of the page.
const NOTES: &str = "\
Made by `make strength` from `benches/strength.toml`; the sums behind the tables are in `benches/strength.csv`. Every agent has the same
thinking time per decision, on one thread (`random` and `greedy` decide at once). Each deal is played once with the agent at each seat and
copies of its opponent at the other seats. Deals are the units of the 95 % intervals. The first figure is the mean return of the row's
agent per game. The second is its share of the decided games, those with one winner.
";

/// All tables of the plan.
pub(super) fn page(plan: &Plan, ledger: &Ledger) -> String {
    let mut text = format!("# Strength\n\n{NOTES}\nSeed {}.\n\n{}", plan.seed, stier_benches::circumstances());
    for table in &plan.table {
        let found = Found { table, ledger, sum: utility_sum(&table.game) };
        write!(text, "\n## `{}`, {} ms per decision\n\n", table.game, table.time_ms).expect("text");
        text += &match &table.against {
            Some(opponent) => found.column(opponent),
            None => found.square(),
        };
    }
    text
}

/// The sum of the returns in a game for two.
fn utility_sum(game: &str) -> Option<f64> {
    let game = stier_benches::load(game).ok()?;
    game.info().utility_sum.filter(|_| game.info().num_seats == 2)
}

struct Found<'a> {
    table: &'a Table,
    ledger: &'a Ledger,
    /// The sum of the returns, for matches seen from the opponent's side.
    sum: Option<f64>,
}

impl Found<'_> {
    fn sums(&self, agent: &str, opponent: &str) -> Option<Sums> {
        let meeting = |agent: &str, opponent: &str| Match {
            game: self.table.game.clone(),
            time_ms: self.table.time_ms,
            agent: agent.to_string(),
            opponent: opponent.to_string(),
        };
        let turned = || Some(self.ledger.sums(&meeting(opponent, agent))?.turned(self.sum?));
        self.ledger.sums(&meeting(agent, opponent)).copied().or_else(turned)
    }

    /// The table of every agent against one opponent.
    fn column(&self, opponent: &str) -> String {
        let mut text =
            "| agent | deals | mean return | decided games won |\n| --- | ---: | ---: | ---: |\n".to_string();
        for agent in self.table.agents.iter().filter(|agent| *agent != opponent) {
            if let Some(sums) = self.sums(agent, opponent) {
                let (mean, won) = (number(&sums.mean()), percent(sums.decided_wins()));
                writeln!(text, "| `{agent}` | {} | {mean} | {won} |", sums.deals).expect("text");
            }
        }
        format!("Opponent at all other seats: `{opponent}`.\n\n{text}")
    }

    /// The table of every agent against every other, with numbers for names in the header.
    fn square(&self) -> String {
        let agents = &self.table.agents;
        let mut text = "| | agent |".to_string();
        for index in 0..agents.len() {
            write!(text, " {} |", index + 1).expect("text");
        }
        text += "\n| ---: | --- |";
        text += &" ---: |".repeat(agents.len());
        text.push('\n');
        let (mut fewest, mut most) = (u64::MAX, 0);
        for (index, agent) in agents.iter().enumerate() {
            write!(text, "| {} | `{agent}` |", index + 1).expect("text");
            for opponent in agents {
                let cell = match self.sums(agent, opponent) {
                    Some(sums) => {
                        (fewest, most) = (fewest.min(sums.deals), most.max(sums.deals));
                        format!("{}, {}", number(&sums.mean()), percent(sums.decided_wins()))
                    }
                    None if agent == opponent => "–".to_string(),
                    None => String::new(),
                };
                write!(text, " {cell} |").expect("text");
            }
            text.push('\n');
        }
        let deals = match (fewest, most) {
            (u64::MAX, _) => "Not played yet.".to_string(),
            (fewest, most) if fewest == most => format!("{most} paired deals per cell."),
            (fewest, most) => format!("{fewest} to {most} paired deals per cell."),
        };
        format!("{deals}\n\n{text}")
    }
}

fn number(estimate: &Estimate) -> String {
    format!("{:+.2}{}", estimate.mean, estimate.plus_minus(2))
}

/// The share, or a dash if no game was decided: with three players or more, first place may always be shared.
fn percent(share: Option<Share>) -> String {
    share.map_or_else(
        || "–".to_string(),
        |share| format!("{} {}", share.percent(), share.interval()).trim_end().to_string(),
    )
}
