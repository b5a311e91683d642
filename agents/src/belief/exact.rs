//! Exact beliefs: all states that a seat considers possible, carried forward through the deal.
//!
//! The weight of a state is the sum, over all orders in which the hidden cards can have come, of the probabilities of the
//! actions of the player that holds them. States that became equal are one, so a decision costs one query of the model for
//! each state before each action of that player, however many histories there are. States that what follows excludes are not
//! weighed. The next decision in the same deal goes on from the last.

use std::any::Any;
use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use stier_core::list::Listing as _;
use stier_core::trail::{Step, Trail};
use stier_core::{Action, ActionSet as _, Hints, Seat, Turn};

use crate::agent::beliefs::{Belief, NoBelief, Weighing};
use crate::agent::stop::Stop;
use crate::belief::Weigher;

/// All states that a seat considers possible, with their weights.
struct Carried<S> {
    seat: Seat,
    /// The knowledge of the seat when the cards were dealt.
    start: S,
    /// The events so far.
    steps: Vec<Step>,
    states: Vec<(S, f64)>,
    /// True if the other player has acted.
    chosen: bool,
}

/// The states of the last decision, from which the next one in the same deal goes on.
#[derive(Default)]
pub(crate) struct Earlier(RefCell<Option<Box<dyn Any + Send>>>);

impl<S: Copy + Eq + Hash> Carried<S> {
    /// The states after the cards were dealt.
    fn new(trail: &Trail<S>, seat: Seat) -> Self {
        let states = trail.states.iter().map(|&state| (state, 1.0)).list();
        Self { seat, start: trail.start, steps: Vec::new(), states, chosen: false }
    }

    /// Tells whether the deal of this trail is the same and not yet further.
    fn leads_to(&self, trail: &Trail<S>, seat: Seat) -> bool {
        let same = |(before, now): (&Step, &Step)| match (before, now) {
            (Step::Seen(before), Step::Seen(now)) => before == now,
            (before, now) => matches!((before, now), (Step::Hidden(_), Step::Hidden(_))),
        };
        (self.seat, self.start) == (seat, trail.start)
            && self.steps.len() <= trail.steps.len()
            && self.steps.iter().zip(&trail.steps).all(same)
    }

    /// Goes through one of these outcomes of chance, which the seat has not seen, to states in which these events can follow.
    /// States that become equal are one, in the order in which they are met, so that the sums do not depend on states that
    /// drop out.
    fn draw<G: Hints<State = S>>(&mut self, game: &G, outcomes: &[Action], rest: &[Step]) {
        let mut places = FxHashMap::default();
        let mut next: Vec<(S, f64)> = Vec::new();
        for &(state, weight) in &self.states {
            for &outcome in outcomes.iter().filter(|&&outcome| game.can_happen(&state, outcome)) {
                let mut after = state;
                game.apply(&mut after, outcome);
                if !can_follow(game, after, rest) {
                    continue;
                }
                let place = *places.entry(after).or_insert(next.len());
                match next.get_mut(place) {
                    Some((_, sum)) => *sum += weight,
                    None => next.push((after, weight)),
                }
            }
        }
        self.states = next;
    }
}

/// Tells whether what the seat saw next can follow this state. Of all hands that can attack, most cannot lead the card that
/// comes then.
fn can_follow<G: Hints>(game: &G, mut state: G::State, rest: &[Step]) -> bool {
    rest.iter().map_while(|step| if let &Step::Seen(action) = step { Some(action) } else { None }).all(|action| {
        let can = game.can_happen(&state, action);
        if can {
            game.apply(&mut state, action);
        }
        can
    })
}

impl<G: Hints> Weigher<'_, G> {
    /// The exact belief of the observer, of whose deal this is the trail. Goes on from the belief of an earlier decision, if
    /// it was in the same deal, and replaces it.
    pub(super) fn carry(
        &mut self,
        trail: &Trail<G::State>,
        earlier: &Earlier,
        stop: &Stop<'_>,
    ) -> Result<Belief<G>, NoBelief> {
        let (game, seat) = (self.game, self.observer);
        let known = earlier.0.take().and_then(|known| known.downcast::<Carried<G::State>>().ok());
        let known = known.filter(|known| known.leads_to(trail, seat));
        let mut own = known.unwrap_or_else(|| Box::new(Carried::new(trail, seat)));
        let mut rest = &trail.steps[own.steps.len()..];
        own.states.retain(|&(state, _)| can_follow(game, state, rest));
        while let Some((step, later)) = rest.split_first() {
            if stop.is_due() {
                return Err(NoBelief::Failed);
            }
            rest = later;
            match step {
                Step::Hidden(outcomes) => own.draw(game, outcomes, rest),
                &Step::Seen(action) => {
                    let turn = own.states.first().map(|(state, _)| game.turn(state));
                    if let Some(Turn::Seat(mover)) = turn
                        && mover != seat
                    {
                        own.chosen = true;
                        self.weigh_states(&mut own.states, action);
                    }
                    own.states.iter_mut().for_each(|(state, _)| game.apply(state, action));
                }
            }
            own.steps.push(step.clone());
        }
        let (states, weights): (Vec<_>, Vec<_>) = own.states.iter().copied().unzip();
        let count = states.len() as u64;
        let chosen = own.chosen;
        earlier.0.replace(Some(own));
        if chosen { Belief::new(states, weights, Weighing::Exact, count) } else { Err(NoBelief::NothingToInfer) }
    }

    /// Multiplies the weights by the probabilities of an action. States in which it has none drop out.
    fn weigh_states(&mut self, states: &mut Vec<(G::State, f64)>, action: Action) {
        for chunk in states.chunks_mut(self.model.batch()) {
            let several = |game: &G, state: &G::State| game.legal(state).len() > 1;
            let open: Vec<G::State> =
                chunk.iter().map(|&(state, _)| state).filter(|state| several(self.game, state)).list();
            self.scores.clear();
            self.model.scores_of_states(self.game, &open, &mut self.scores);
            let mut scores = &self.scores[..];
            for (state, weight) in chunk.iter_mut().filter(|(state, _)| several(self.game, state)) {
                let legal = self.game.legal(state);
                let (own, others) = scores.split_at(legal.len());
                scores = others;
                let rank = legal.iter().position(|other| other == action).expect("the action is legal");
                *weight *= self.probability(own, rank);
            }
        }
        states.retain(|&(_, weight)| weight > 0.0);
    }
}
