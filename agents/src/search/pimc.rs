//! Perfect information Monte Carlo search.
//!
//! Deals the hidden cards out in many ways, looks at each world as if it were open, and plays the action that is best on average: D.
//! N. L. Levy, *The Million Pound Bridge Program*, Heuristic Programming in Artificial Intelligence, 1989; M. L. Ginsberg, *GIB:
//! Imperfect Information in a Computationally Challenging Game*, Journal of Artificial Intelligence Research 14, 2001; on why it works
//! where it does, J. R. Long, N. R. Sturtevant, M. Buro and T. Furtak, *Understanding the Success of Perfect Information Monte Carlo
//! Sampling in Game Tree Search*, AAAI 2010. A world includes what chance will bring. If there are no more worlds than would be
//! sampled, each is looked at once, by its weight.
//!
//! A world is solved exactly ([`open_cards`](crate::search::open_cards)) where that takes no more than `nodes`; the first world of a
//! decision that takes more says that the others do too, and a tree search per world ([`uct`](crate::search::uct)) takes over. With
//! `solver=game` the game's own solver looks at each world first, where it has one. In Schwinget that is no stronger: 200 worlds so
//! solved, in 8 to 9 ms a decision, against 240 solved or searched in 6 ms, make +0.03 ± 0.18 points a bout, and -0.01 ± 0.05 under
//! `scoring=schwinger` (200 paired deals each).
//!
//! Known weaknesses (I. Frank and D. Basin, *Search in Games with Incomplete Information*, Artificial Intelligence 100, 1998):
//! *strategy fusion*: it counts on playing differently in worlds that it will not be able to tell apart, so it puts decisions off
//! until it knows more, and never pays for information or hides any; *non-locality*: worlds that the others' play makes unlikely
//! count in full, unless `beliefs=policy` weighs them by it. The others are taken to see all cards, in simultaneous choices also
//! the cards chosen before theirs. More worlds than some hundred do not help.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::{ActionSet as _, Game, Hints, SeatView as _, options};

use crate::agent::course::Course;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision};
use crate::belief::BeliefSettings;
use crate::search::determinized::{Draws, Means, Tally, Valuer, tally};

options! {
    /// The options of [`Pimc`].
    pub struct PimcOptions for "pimc" {
        /// Worlds per decision.
        worlds: u64 = 50, 1..=100_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `worlds`, and results depend on the clock. `worlds`
        /// then only says up to how many all are looked at in turn.
        time_ms: u64 = 0, 0..=3_600_000;
        /// How the worlds are valued.
        ..means: Means = Means::default();
        /// Which worlds are likely.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

/// The player: see the [module](self) documentation.
#[derive(Clone, Debug)]
pub(crate) struct Pimc<G: Game> {
    options: PimcOptions,
    course: Course,
    valuer: Valuer<G>,
}

impl<G: Hints> Pimc<G> {
    /// A player with the streams of `seed`.
    pub(crate) fn new(options: PimcOptions, seed: u64) -> Self {
        let valuer = Valuer::new(options.means, &options.belief.guide);
        Self { options, course: Course::new(seed), valuer }
    }
}

impl<G: Hints> Agent<G> for Pimc<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let stop = self.course.stop(start, self.options.time_ms);
        let mut rng = self.course.rng("determinized");
        self.valuer.begin();
        let tally = if legal.len() > 1 {
            let worlds = self.options.belief.worlds(game, view, &stop, &mut self.course.rng("beliefs"));
            let draws = Draws::new(worlds, self.options.worlds, &mut rng);
            tally(game, &draws, view.seat(), legal, &mut self.valuer, &stop)
        } else {
            Tally::new(view.seat(), legal.iter())
        };
        self.course.advance();
        tally.decide(self.valuer.nodes(), start)
    }

    fn restart(&mut self, seed: u64) {
        self.course.restart(seed);
        self.valuer.restart();
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.course.stop(Instant::now(), self.options.time_ms);
        self.options.belief.worlds(game, view, &stop, &mut self.course.rng("beliefs"))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.course.interrupt_with(flag);
    }
}
