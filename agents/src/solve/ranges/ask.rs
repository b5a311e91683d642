//! The policy of an agent on public states.

use std::sync::Arc;

use stier_core::public::{Place, PublicForm, PublicState};
use stier_core::{ActionSet as _, Game, Rng, Seat, Turn};

use super::excerpt::Route;
use super::parts::{RangeTree, Spot};
use super::policy::RangePolicy;
use super::shapes::Choice;
use crate::agent::Agent;
use crate::agent::threads::{Halted, Watch, each, goes_on};

/// The number of hands that are gathered before an agent is asked about them.
const BATCH: u64 = 1 << 16;

/// A public state in which an agent is to be asked about hands with a choice.
struct Question {
    route: Route,
    public: PublicState,
    spot: Spot,
    mover: Seat,
    /// The number of the first hand among all hands with a choice.
    first: u64,
}

/// Seeds, one after another.
type Seeds<'a> = &'a mut dyn Iterator<Item = u64>;

/// An agent that answers for places.
pub(crate) trait Respondent: Send {
    /// Adds the probabilities of its actions at this place of a seat, by rank, if it is restarted with each of these seeds.
    /// Hands that do not fit any of the other player have none.
    fn add(&mut self, form: &dyn PublicForm, seat: Seat, place: &Place, seeds: Seeds<'_>, row: &mut [f64]);
}

/// An agent for a game.
pub(crate) struct InGame<'a, G: Game> {
    pub(crate) game: &'a G,
    pub(crate) agent: Box<dyn Agent<G>>,
}

impl<G: Game> Respondent for InGame<'_, G> {
    fn add(&mut self, form: &dyn PublicForm, seat: Seat, place: &Place, seeds: Seeds<'_>, row: &mut [f64]) {
        let history = self.game.public_history(form, seat, place);
        let known = history.map(|history| (self.game.view(&history, seat), self.game.legal(history.state())));
        for seed in seeds {
            if let Some((view, legal)) = &known {
                debug_assert_eq!(legal.len(), row.len());
                self.agent.restart(seed);
                let decision = self.agent.act(self.game, view, *legal);
                row.iter_mut().zip(&decision.policy).for_each(|(sum, (_, share))| *sum += share);
            }
        }
    }
}

/// A policy that is put together from answers.
struct Interview<'a, 'g> {
    tree: &'a RangeTree,
    enter: &'a (dyn Fn() -> Box<dyn Respondent + 'g> + Sync),
    seeds: &'a [u64],
    threads: usize,
    watch: Watch<'a>,
    /// The policy so far.
    rows: Vec<Vec<f32>>,
    open: Vec<Question>,
    /// The number of hands with a choice that have been met.
    count: u64,
}

impl Interview<'_, '_> {
    /// Notes the hands with a choice in a public state.
    fn visit(
        &mut self,
        form: &dyn PublicForm,
        route: &Route,
        (public, spot): (PublicState, Spot),
        choice: &Choice,
    ) -> Result<(), Halted> {
        let hands = choice.rows().count() as u64;
        if let Turn::Seat(mover) = choice.turn
            && hands > 0
        {
            self.open.push(Question { route: route.clone(), public, spot, mover, first: self.count });
            self.count += hands;
            if self.count - self.open[0].first >= BATCH {
                self.ask(form)?;
            }
        }
        Ok(())
    }

    /// Asks about all hands that have been gathered.
    fn ask(&mut self, form: &dyn PublicForm) -> Result<(), Halted> {
        let open = std::mem::take(&mut self.open);
        let own = &*self;
        let found = each(self.threads, open.len() as u64, self.enter, |agent, number| {
            own.answer(form, &mut **agent, &open[number as usize])
        })?;
        for (question, shares) in open.iter().zip(found) {
            let (spot, block) = (question.spot, self.tree.block(question.spot));
            for (cell, share) in shares.into_iter().enumerate() {
                self.rows[spot.part][block.cell(cell) + spot.lane] = share;
            }
        }
        Ok(())
    }

    /// The policy at a public state: by action of a hand with a choice.
    fn answer(
        &self,
        form: &dyn PublicForm,
        agent: &mut dyn Respondent,
        question: &Question,
    ) -> Result<Vec<f32>, Halted> {
        let &Question { route: Route { opening, ref events }, public, spot, mover, mut first } = question;
        let choice = self.tree.shape(spot).choice().expect("a player acts");
        let mut shares = Vec::with_capacity(choice.num_cells());
        let mut place = Place { opening, events: events.clone(), hand: 0, actions: Vec::new() };
        for (hand, actions) in choice.rows() {
            place.hand = form.key(public, mover, hand);
            let mut row = vec![0.0; actions.len()];
            let mut halted = Ok(());
            let seed = |&seed| {
                halted = goes_on((self.watch)());
                halted.is_ok().then(|| Rng::stream(seed, "policy of an agent", first).bits())
            };
            agent.add(form, mover, &place, &mut self.seeds.iter().map_while(seed), &mut row);
            halted?;
            shares.extend(row.iter().map(|&share| (share / self.seeds.len() as f64) as f32));
            first += 1;
        }
        Ok(shares)
    }
}

impl RangePolicy {
    /// The policy of an agent, which is asked once for every public state and hand with a choice: the mean of those with
    /// each of the seeds. `enter` creates an agent, which is restarted with its own seed before each query. `watch` is
    /// called before every query, from any thread, and may stop the calculation. The result depends on the seeds alone, not
    /// on the number of threads; 0 uses all cores.
    ///
    /// Of what an agent knows, it is asked with one [history](Game::public_history) for each hand: an agent whose choices
    /// depend on what public states forget, such as the order of draws, or on names of suits, is asked about a part of them.
    pub(crate) fn of_agent<'g>(
        tree: Arc<RangeTree>,
        enter: &(dyn Fn() -> Box<dyn Respondent + 'g> + Sync),
        seeds: &[u64],
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Self, Halted> {
        let rows = tree.zeros();
        let (open, count) = (Vec::new(), 0);
        let mut interview = Interview { tree: &tree, enter, seeds, threads, watch, rows, open, count };
        let mut known = tree.fresh();
        tree.walk(&mut known, &mut |form, route, at, choice| interview.visit(form, route, at, choice))?;
        interview.ask(&*known.form)?;
        let rows = interview.rows;
        Ok(Self::new(tree, rows))
    }
}
