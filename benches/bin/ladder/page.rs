//! The page, from the ledger.

use std::fmt::Write as _;

use stier_agents::catalogue::SpecError;

use super::ledger::{Ledger, Line};
use super::plan::{Plan, Rung};

/// The introduction of the page.
const NOTES: &str = "\
The distance of every agent from equilibrium in scaled-down games with exact solutions. Made by `make ladder` from `benches/ladder.toml`;
all figures are in `benches/ladder.csv`. Every game here is a zero-sum game for two players.

*Histories* are distinct histories: consecutive random events count as one, and the order in which a hand was dealt does not count.
*Exploitability* is the average gain of a player from a best response, computed exactly on the whole game: half the NashConv, and 0 exactly at
an equilibrium. *Value* is the expected return of the first player; it differs from the value of the game by at most twice the
exploitability. *Attack* is the probability of an attack if both players use the policy; equilibria may differ in it.
";

const AGENTS: &str = "\
A fresh agent with a seed of its own is queried once at each information set, so the policy includes the noise of the searches. Columns
are iterations per decision, or worlds for agents that count worlds. A cell is empty where the search would have taken too long.
";

/// The whole page.
pub(super) fn page(plan: &Plan, ledger: &Ledger) -> Result<String, SpecError> {
    let mut text = format!("# The ladder\n\n{NOTES}\n{}\n", stier_benches::circumstances());
    text += &games(plan, ledger);
    text += "\n## Exploitability by number of iterations\n\n";
    text += plan.findings.trim();
    write!(text, "\n\n{}\n## The agents, game by game\n\n{AGENTS}", change(plan, ledger)?).expect("text");
    for rung in &plan.rung {
        write!(text, "\n### `{}`\n\n{}\n\n{}", rung.game, rung.about, agents(rung, plan, ledger)?).expect("text");
    }
    Ok(text)
}

/// A line for each game.
fn games(plan: &Plan, ledger: &Ledger) -> String {
    let mut text = format!(
        "| game | histories | information sets | value | attack | exploitability | of uniform play | {} iterations | seconds |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        plan.algorithm
    );
    for rung in &plan.rung {
        let Some(line) = ledger.solution(&rung.game, &plan.algorithm) else { continue };
        let uniform = ledger.line(&rung.game, "random", None);
        writeln!(
            text,
            "| `{}` | {} | {} | {:+.4} | {} | {:.1e} | {} | {} | {:.1} |",
            rung.game,
            grouped(line.histories),
            grouped(line.information_sets),
            line.value,
            percent(line),
            line.exploitability,
            uniform.map_or(String::new(), |line| format!("{:.4}", line.exploitability)),
            line.iterations.map_or(String::new(), grouped),
            line.seconds
        )
        .expect("text");
    }
    text
}

/// A line for each agent of a game.
fn agents(rung: &Rung, plan: &Plan, ledger: &Ledger) -> Result<String, SpecError> {
    let mut text = "| agent |".to_string();
    plan.budgets.iter().for_each(|&budget| write!(text, " {} |", grouped(budget)).expect("text"));
    text += " attack | value | seconds |\n| --- |";
    text += &" ---: |".repeat(plan.budgets.len() + 3);
    text.push('\n');
    if let Some(line) = ledger.solution(&rung.game, &plan.algorithm) {
        let blank = " |".repeat(plan.budgets.len() - 1);
        let Line { exploitability, value, seconds, .. } = line;
        writeln!(
            text,
            "| *{}* | {exploitability:.1e} |{blank} {} | {value:+.3} | {seconds:.1} |",
            line.policy,
            percent(line)
        )
        .expect("text");
    }
    for agent in &plan.agents {
        let budgets = plan.budgets_of(agent)?;
        let lines: Vec<_> = budgets.iter().map(|&budget| ledger.line(&rung.game, agent, budget)).collect();
        let Some(last) = lines.iter().rev().find_map(|line| *line) else { continue };
        write!(text, "| `{agent}` |").expect("text");
        for place in 0..plan.budgets.len() {
            let cell = lines.get(place).and_then(|line| *line);
            let cell = cell.map_or(String::new(), |line| format!("{:.4}", line.exploitability));
            write!(text, " {cell} |").expect("text");
        }
        writeln!(text, " {} | {:+.3} | {:.1} |", percent(last), last.value, last.seconds).expect("text");
    }
    text += "\nAttack, value and seconds belong to the last figure in the line.\n";
    Ok(text)
}

/// The change of exploitability with the budget, for each agent over the games in which it was queried with every
/// budget.
fn change(plan: &Plan, ledger: &Ledger) -> Result<String, SpecError> {
    let mut text = "\
Exploitability as a share of that of uniform play, on average over the games in which the agent was queried with every budget. *Fell* and
*rose* count the games in which it changed, from the smallest to the largest budget, by more than a tenth and by more than half a percent of
that of uniform play. Agents differ in their games, so compare them game by game, below.

| agent | games |"
        .to_string();
    plan.budgets.iter().for_each(|&budget| write!(text, " {} |", grouped(budget)).expect("text"));
    text += " fell | rose |\n| --- | ---: |";
    text += &" ---: |".repeat(plan.budgets.len() + 2);
    text.push('\n');
    for agent in &plan.agents {
        let budgets = plan.budgets_of(agent)?;
        let shares: Vec<Vec<f64>> = plan.rung.iter().filter_map(|rung| shares(rung, agent, &budgets, ledger)).collect();
        if budgets.len() < 2 || shares.is_empty() {
            continue;
        }
        let games = shares.len() as f64;
        write!(text, "| `{agent}` | {games} |").expect("text");
        for place in 0..budgets.len() {
            let mean = shares.iter().map(|row| row[place]).sum::<f64>() / games;
            write!(text, " {:.1} % |", 100.0 * mean).expect("text");
        }
        let change = |row: &Vec<f64>| {
            let (first, last) = (row[0], row[row.len() - 1]);
            if (last - first).abs() > (0.1 * first).max(0.005) { last - first } else { 0.0 }
        };
        let fell = shares.iter().filter(|row| change(row) < 0.0).count();
        let rose = shares.iter().filter(|row| change(row) > 0.0).count();
        writeln!(text, " {fell} | {rose} |").expect("text");
    }
    Ok(text)
}

/// The exploitability of the agent in a game as a share of that of uniform play, by budget; `None` unless all are
/// known.
fn shares(rung: &Rung, agent: &str, budgets: &[Option<u64>], ledger: &Ledger) -> Option<Vec<f64>> {
    let uniform = ledger.line(&rung.game, "random", None)?.exploitability;
    let share = |&budget: &Option<u64>| Some(ledger.line(&rung.game, agent, budget)?.exploitability / uniform);
    budgets.iter().map(share).collect()
}

/// The probability of an attack.
fn percent(line: &Line) -> String {
    line.attack.map_or("–".to_string(), |share| format!("{:.1} %", 100.0 * share))
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped() {
        let found: Vec<String> = [0, 999, 1000, 1_234_567].map(grouped).to_vec();
        assert_eq!(found, ["0", "999", "1,000", "1,234,567"]);
    }
}
