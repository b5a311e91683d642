//! Counterfactual regret minimization on a whole tree.
//!
//! In every iteration each player's policy matches the regrets of its information sets: an action is played in
//! proportion to its regret. The regret is the gain over the policy that was played, weighted by the probability that
//! chance and the others lead to the set (M. Zinkevich, M. Johanson, M. Bowling and C. Piccione, *Regret Minimization
//! in Games with Incomplete Information*, 2007). In two-player zero-sum games the average of all iterations' policies
//! approaches an equilibrium. Its [NashConv](crate::solve::best_response::nash_conv) falls at least as
//! 1/sqrt(iterations), with a constant that grows with the number of information sets and the range of the returns.
//! With more players, or with general sums, only the regrets are guaranteed to vanish. The joint play of all iterations
//! is then a coarse correlated equilibrium, but its average need not be one. The solver does not warn about this.
//!
//! The variants differ in how they discount and average iterations ([`Variant`]). Their bounds have the same order;
//! in practice CFR+ and the discounted variants are faster by orders of magnitude.
//!
//! An iteration passes over all histories twice for each seat. Memory besides the tree is at most 12 bytes per history,
//! 32 per action of an information set and 8 per set. The calculation uses the threads of the current pool; their
//! number does not change a bit of the result.

mod checkpoint;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use stier_core::{Seat, choice, float};

use crate::agent::threads::for_each_task;
use crate::solve::best_response::nash_conv;
use crate::solve::game_tree::{Layout, MAX_WIDTH, NodeNumbers, Numbers, Policy, RowTask, Run, Sweep, Tree, row_tasks};
use crate::solve::{Iterative, RunLog, atomic_file};

/// Numbers whose sum is not above this have lost their meaning to rounding: all actions are played alike.
pub(crate) const TINY: f32 = 1e-30;

choice! {
    /// The discounting of regrets and the averaging of policies.
    pub enum Variant {
        /// No discounting; all iterations count equally; all players update at once (Zinkevich et al. 2007).
        Cfr = "cfr",
        /// Regrets do not fall below 0; iterations count in proportion to their number; players update in turn (O.
        /// Tammelin, *Solving Large Imperfect Information Games Using CFR+*, 2014).
        CfrPlus = "cfr+",
        /// Regrets and policies of an iteration count in proportion to its number; players update in turn (N. Brown
        /// and T. Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization*, 2019).
        Linear = "linear_cfr",
        /// After iteration t, positive regrets are multiplied by t^1.5 / (t^1.5 + 1) and negative ones by 1/2;
        /// policies count in proportion to t^2; players update in turn (the same paper, with alpha 3/2, beta 0, gamma
        /// 2).
        Discounted = "discounted_cfr",
        /// CFR+ that expects the next regrets of an iteration to be those of the last: the policy matches the sum of both;
        /// policies count in proportion to t^2; players update in turn (G. Farina, C. Kroer and T. Sandholm, *Faster Game
        /// Solving via Predictive Blackwell Approachability*, 2021).
        Predictive = "predictive_cfr+",
        /// Discounted CFR whose exponents move with the share x of the planned iterations that are done. After iteration t,
        /// positive regrets are multiplied by t^a / (t^a + 1) and negative ones by t^b / (t^b + 1), with a = 1 + 3x and b =
        /// -1 - 2x. When the policy of iteration t is added, the sum of earlier ones is multiplied by ((t - 1) / t)^g, with
        /// g = 30 - 5x. Players update in turn. A schedule in the manner of HS-DCFR (N. Zhang, S. McAleer and T. Sandholm,
        /// *Faster Game Solving via Hyperparameter Schedules*, 2024), which may differ in detail. A run of 100 iterations is
        /// not the beginning of a run of 1000.
        Scheduled = "scheduled_cfr",
    }
}

/// The share of the planned iterations that is done after `t`.
fn done(t: f64, planned: u64) -> f64 {
    (t / planned as f64).min(1.0)
}

/// A number of at least 0 to a power.
fn power(base: f64, exponent: f64) -> f64 {
    float::exp(exponent * float::log(base))
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 6] =
        [Self::Cfr, Self::CfrPlus, Self::Linear, Self::Discounted, Self::Predictive, Self::Scheduled];

    /// The factors for positive and negative regrets after the first `t` of the planned iterations.
    pub(crate) fn discount(self, t: f64, planned: u64) -> [f64; 2] {
        let of = |power: f64| power / (power + 1.0);
        match self {
            Self::Cfr => [1.0, 1.0],
            Self::CfrPlus | Self::Predictive => [1.0, 0.0],
            Self::Linear => [of(t); 2],
            Self::Discounted => [of(t * t.sqrt()), 0.5],
            Self::Scheduled => {
                let done = done(t, planned);
                [of(power(t, 1.0 + 3.0 * done)), of(power(t, -1.0 - 2.0 * done))]
            }
        }
    }

    /// The factor for the sum of earlier policies when that of iteration `t` of the planned ones is added.
    pub(crate) fn fading(self, t: f64, planned: u64) -> f64 {
        let share = (t - 1.0) / t;
        match self {
            Self::Cfr => 1.0,
            Self::CfrPlus | Self::Linear => share,
            Self::Discounted | Self::Predictive => share * share,
            Self::Scheduled => power(share, 30.0 - 5.0 * done(t, planned)),
        }
    }

    /// Returns true if the next regrets are expected to be the last.
    pub(crate) fn predicts(self) -> bool {
        self == Self::Predictive
    }

    /// The name in checkpoints, with the planned iterations if the numbers depend on them.
    pub(crate) fn label(self, planned: u64) -> String {
        let plan = if self == Self::Scheduled { format!(" planned={planned}") } else { String::new() };
        self.name().to_string() + &plan
    }

    /// Returns true if the players update in turn, each seeing the updates of those before it, rather than all at
    /// once.
    pub(crate) fn alternates(self) -> bool {
        self != Self::Cfr
    }
}

/// Calls a function with the width of a set as a constant, which saves the bookkeeping of loops over two or three
/// actions. [`MAX_WIDTH`] stands for larger widths.
macro_rules! by_width {
    ($width:expr, $constant:ident => $call:expr) => {
        match $width {
            1 => by_width!(@ $constant = 1, $call),
            2 => by_width!(@ $constant = 2, $call),
            3 => by_width!(@ $constant = 3, $call),
            4 => by_width!(@ $constant = 4, $call),
            _ => by_width!(@ $constant = MAX_WIDTH, $call),
        }
    };
    (@ $constant:ident = $value:expr, $call:expr) => {{
        const $constant: usize = $value;
        $call
    }};
}

/// A calculation in progress.
#[derive(Clone, Debug)]
pub struct Solver<'a> {
    tree: &'a Tree,
    variant: Variant,
    /// The number of planned iterations.
    planned: u64,
    /// The number of finished iterations.
    iterations: u64,
    /// The number of seats done in the iteration in progress.
    seats_done: usize,
    /// By place in a policy: regrets, sums of policies and the current policy.
    regrets: Vec<f64>,
    sums: Vec<f64>,
    current: Vec<f64>,
    /// By place in a policy: first the value of each action, then the seat's own probability of playing to it; working
    /// space.
    own: Numbers,
    /// By set: the place in a policy of the seat's last choice among several actions.
    choices: Vec<Option<u32>>,
    /// The way of the passes, if it is shorter than that of the tree.
    layout: Option<Layout>,
    /// Working space.
    work: NodeNumbers,
}

impl<'a> Solver<'a> {
    /// Starts from the uniform policy. Only [`Variant::Scheduled`] depends on the number of planned iterations.
    pub fn new(tree: &'a Tree, variant: Variant, planned: u64) -> Self {
        let rows = tree.num_rows();
        let current = Policy::uniform(tree).rows().to_vec();
        Self {
            tree,
            variant,
            planned,
            iterations: 0,
            seats_done: 0,
            regrets: vec![0.0; rows],
            sums: vec![0.0; rows],
            current,
            own: Numbers::new(rows),
            choices: tree.last_choices(),
            layout: Layout::without_forced_endings(tree),
            work: NodeNumbers::new(tree),
        }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The average policy so far, which approaches an equilibrium. It is uniform at sets that the player never
    /// reached.
    pub fn average(&self) -> Policy {
        let mut rows = self.sums.clone();
        let tree = self.tree;
        for_each_task(row_tasks(tree.starts(), tree.set_numbers(), vec![&mut rows]), |mut task: RowTask<'_>| {
            for set in task.sets.clone() {
                let [row] = task.rows(set);
                normalize(row);
            }
        });
        Policy::of_rows(tree, rows)
    }

    /// The policy of the next iteration.
    pub fn current(&self) -> Policy {
        Policy::of_rows(self.tree, self.current.clone())
    }

    /// Updates the seat's regrets and policy sums. Layers go from first to last, because a player reaches a set by
    /// its own earlier actions.
    fn learn(&mut self, seat: Seat) {
        let (tree, own, choices) = (self.tree, &self.own, &self.choices);
        let step = Step::new(self.variant, self.iterations + 1, self.planned);
        let mut rest = [&mut self.regrets[..], &mut self.sums, &mut self.current];
        for layer in 0..tree.num_layers() {
            let tasks = tree.tasks(layer).map(|runs| {
                let count = runs.iter().map(Run::num_rows).sum();
                (runs, rest.each_mut().map(|rest| rest.split_off_mut(..count).expect("numbers for each action")))
            });
            for_each_task(tasks, |(runs, mut parts)| {
                for run in runs {
                    let parts = parts.each_mut().map(|part| part.split_off_mut(..run.num_rows()).expect("the same"));
                    if run.mover() == seat && run.width() > 1 {
                        by_width!(run.width(), WIDTH => step.learn::<WIDTH>(tree, run, own, choices, parts));
                    }
                }
            });
        }
    }

    /// Updates the policy of all players from their regrets.
    fn match_regrets(&mut self) {
        let (tree, regrets) = (self.tree, &self.regrets);
        let all = tree.set_numbers();
        for_each_task(row_tasks(tree.starts(), all, vec![&mut self.current]), |mut task: RowTask<'_>| {
            for set in task.sets.clone() {
                let [row] = task.rows(set);
                match_row(&regrets[tree.row(set)], row);
            }
        });
    }
}

impl Iterative for Solver<'_> {
    fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Tells `watch` many times in each iteration. The next call finishes an interrupted iteration first, with the same
    /// result as without the interruption.
    fn run(&mut self, iterations: u64, watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync)) -> ControlFlow<()> {
        for _ in 0..iterations {
            for seat in Seat::all(self.tree.num_seats()).skip(self.seats_done) {
                let watch = || watch(self.iterations);
                let sweep = Sweep::new(self.tree, self.layout.as_ref(), &self.current, Some(seat), &self.work);
                sweep.go_down(&watch)?;
                sweep.go_up(seat, &self.own, &watch)?;
                self.learn(seat);
                self.seats_done += 1;
            }
            if !self.variant.alternates() {
                self.match_regrets();
            }
            self.seats_done = 0;
            self.iterations += 1;
            watch(self.iterations)?;
        }
        ControlFlow::Continue(())
    }

    fn nash_conv(&mut self) -> f64 {
        nash_conv(self.tree, &self.average()).total()
    }

    fn save(&self, log: &RunLog, path: &Path) -> io::Result<()> {
        atomic_file::write(path, |out| self.write(log, out))
    }
}

/// The factors by which an iteration updates rows.
#[derive(Clone, Copy)]
struct Step {
    /// The factors for positive and negative regrets.
    discount: [f64; 2],
    /// The factor for the sums of earlier policies.
    fading: f64,
    /// True if the policy follows the regrets at once.
    matches: bool,
    /// The factor for the last regrets, which are added to the sum that the policy matches.
    ahead: f64,
}

impl Step {
    fn new(variant: Variant, iteration: u64, planned: u64) -> Self {
        let t = iteration as f64;
        Self {
            discount: variant.discount(t, planned),
            fading: variant.fading(t, planned),
            matches: variant.alternates(),
            ahead: f64::from(u8::from(variant.predicts())),
        }
    }

    /// Updates the rows of a run: regrets, sums of policies and current policy. `own` holds the values of actions and
    /// gets the seat's own probabilities of playing to them. A set of one action needs no update.
    #[inline(always)]
    fn learn<const WIDTH: usize>(
        self,
        tree: &Tree,
        run: &Run,
        own: &Numbers,
        choices: &[Option<u32>],
        parts: [&mut [f64]; 3],
    ) {
        let mut rows = parts.map(|part| part.chunks_exact_mut(run.width()));
        for set in run.sets() {
            let rows = rows.each_mut().map(|rows| rows.next().expect("a row for each set"));
            let [regrets, sums, current] = rows.map(|row| if WIDTH < MAX_WIDTH { &mut row[..WIDTH] } else { row });
            let reach = choices[set as usize].map_or(1.0, |row| own.get(row as usize));
            let own = &own.of(tree.row(set))[..regrets.len()];
            let value: f64 = current.iter().zip(own).map(|(share, value)| share * value.get()).sum();
            for action in 0..own.len() {
                let gain = own[action].get() - value;
                let share = reach * current[action];
                own[action].set(share);
                sums[action] = sums[action] * self.fading + share;
                let regret = regrets[action] + gain;
                regrets[action] = regret * self.discount[usize::from(regret <= 0.0)];
                if self.matches {
                    current[action] = (regrets[action] + self.ahead * gain).max(0.0);
                }
            }
            if self.matches {
                normalize(current);
            }
        }
    }
}

/// Regret matching: a policy in proportion to positive regrets, uniform if there are none (S. Hart and A. Mas-Colell,
/// *A Simple Adaptive Procedure Leading to Correlated Equilibrium*, 2000).
#[inline]
pub(crate) fn match_row(regrets: &[f64], policy: &mut [f64]) {
    policy.iter_mut().zip(regrets).for_each(|(share, regret)| *share = regret.max(0.0));
    normalize(policy);
}

/// Scales non-negative numbers to a sum of 1. If all are 0, they become equal.
#[inline]
pub(crate) fn normalize(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|share| *share /= sum);
    } else {
        row.fill(1.0 / row.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use stier_core::FromRules;
    use stier_core::games::{leduc_poker::LeducPoker, liars_dice::LiarsDice, schwinget::Schwinget};

    use crate::solve::game_tree::Run;
    use crate::solve::{GameTree, Iterative as _};

    use super::{Solver, Variant};

    /// Checks that passes without forced endings change nothing. Returns the number of sets and how many are left out.
    fn compare<G: FromRules>(rules: &str) -> (usize, usize) {
        let tree = GameTree::new(&G::from_text(rules).expect("rules"), 1 << 20).expect("a small game");
        let mut visited = tree.num_sets();
        for variant in Variant::ALL {
            let mut short = Solver::new(&tree, variant, 9);
            let mut long = Solver { layout: None, ..short.clone() };
            if let Some(layout) = &short.layout {
                let runs = (0..tree.num_layers()).flat_map(|layer| layout.tasks(layer)).flatten();
                visited = runs.map(Run::num_sets).sum();
            }
            for solver in [&mut short, &mut long] {
                assert_eq!(solver.run(9, &|_| ControlFlow::Continue(())), ControlFlow::Continue(()));
            }
            assert_eq!(short.average().rows(), long.average().rows());
            assert_eq!(short.current().rows(), long.current().rows());
        }
        (tree.num_sets(), tree.num_sets() - visited)
    }

    #[test]
    fn the_schedule_moves_with_the_share_that_is_done() {
        let near = |found: f64, exact: f64| assert!((found / exact - 1.0).abs() < 1e-12, "{found}, not {exact}");
        for (t, planned, [up, down, fading]) in [
            (1.0, 4, [0.5, 0.5, 0.0]),
            (2.0, 2, [16.0 / 17.0, 1.0 / 9.0, 0.5_f64.powi(25)]),
            (4.0, 8, [32.0 / 33.0, 1.0 / 17.0, 0.75_f64.powf(27.5)]),
            // Longer than planned.
            (4.0, 2, [256.0 / 257.0, 1.0 / 65.0, 0.75_f64.powi(25)]),
        ] {
            let found = Variant::Scheduled.discount(t, planned);
            near(found[0], up);
            near(found[1], down);
            near(1.0 + Variant::Scheduled.fading(t, planned), 1.0 + fading);
        }
        assert_eq!(Variant::Scheduled.fading(1.0, 4), 0.0);
    }

    #[test]
    fn forced_endings_are_left_out_and_change_nothing() {
        assert_eq!(compare::<LeducPoker>(""), (936, 0));
        // After the highest bid, the only action is to doubt it: 2^3 sequences of bids, two faces.
        assert_eq!(compare::<LiarsDice>("sides=2"), (32, 16));
        assert_eq!(compare::<Schwinget>("suits=2,values=2,counter=off,hand_size=1,set_aside=1"), (544, 344));
    }
}
