//! Exact beliefs: all hands that a seat considers possible for the other player, carried forward through the deal.
//!
//! The weight of a hand is the sum, over all orders in which its cards can have come, of the probabilities of the player's
//! actions ([`ranges`](super::ranges)). A decision costs one query of the model for each hand before each action of that
//! player, however many histories there are. Hands that what follows excludes are not weighed. The next decision in the same
//! deal goes on from the last.

use std::any::Any;
use std::cell::RefCell;

use stier_core::endings::PublicPlay;
use stier_core::{Action, ActionSet as _, Hints, Seat, Turn};

use super::Weigher;
use super::ranges::{Range, act, dealt, draw, restrict};
use crate::agent::beliefs::{Belief, NoBelief, Weighing};
use crate::agent::stop::Stop;
use crate::agent::threads::Halted;

/// The hands that a seat considers possible for the other player, with their weights.
struct Carried<S> {
    seat: Seat,
    /// The cards that the other player can have had.
    cards: u64,
    /// The actions so far, each with the public state before it.
    actions: Vec<(S, Action)>,
    range: Range,
}

/// The hands of the last decision, from which the next one in the same deal goes on.
#[derive(Default)]
pub(crate) struct Earlier(RefCell<Option<Box<dyn Any + Send>>>);

impl<S: Copy + PartialEq> Carried<S> {
    /// Tells whether the deal of this play is the same and not yet further. The possible cards become fewer.
    fn leads_to(&self, play: &PublicPlay<S>, cards: u64, seat: Seat) -> bool {
        self.seat == seat
            && cards & !self.cards == 0
            && self.actions.len() <= play.actions.len()
            && self.actions.iter().zip(&play.actions).all(|(known, now)| *known == (now.state, now.action))
    }
}

impl<G: Hints> Weigher<'_, G> {
    /// The exact belief of the observer. Goes on from the belief of an earlier decision, if it was in the same deal, and
    /// replaces it.
    pub(super) fn carry(&mut self, view: &G::View, earlier: &Earlier, stop: &Stop<'_>) -> Result<Belief<G>, NoBelief> {
        let (game, seat) = (self.game, self.observer);
        let hands = game.hands().ok_or(NoBelief::NothingToInfer)?;
        let play = hands.known_play(view).ok_or(NoBelief::NothingToInfer)?;
        let other = seat.after(1, 2);
        let cards = play.cards[other.index()];
        let known = earlier.0.take().and_then(|known| known.downcast::<Carried<G::State>>().ok());
        let known = known.filter(|known| known.leads_to(&play, cards, seat));
        let start = || Box::new(Carried { seat, cards, actions: Vec::new(), range: dealt(cards, play.hand_size) });
        let mut own = known.unwrap_or_else(start);
        own.cards = cards;
        own.range.retain(|&(hand, _)| hand & !cards == 0);
        let mut shares = |states: &[_], action, shares: &mut Vec<f64>| self.shares(states, action, stop, shares);
        for (number, action) in play.actions.iter().enumerate().skip(own.actions.len()) {
            own.actions.push((action.state, action.action));
            if action.seat == other {
                restrict(&mut own.range, &play.actions[number..]);
                act((game, hands), &mut own.range, action, &mut shares).map_err(|_| NoBelief::Failed)?;
                own.range.retain(|&(_, weight)| weight > 0.0);
                draw(&mut own.range, action.drawn);
            }
        }
        let (states, weights): (Vec<_>, Vec<_>) =
            own.range.iter().map(|&(hand, weight)| (hands.world(view, hand), weight)).unzip();
        // Not kept at a chance node: the card to be drawn would later belong to the last action, which has been carried already.
        if states.first().is_some_and(|state| game.turn(state) != Turn::Chance) {
            earlier.0.replace(Some(own));
        }
        let count = states.len() as u64;
        match play.actions.iter().any(|action| action.seat == other) {
            true => Belief::new(states, weights, Weighing::Exact, count),
            false => Err(NoBelief::NothingToInfer),
        }
    }

    /// Appends the probability of an action in each of these states, by the model.
    fn shares(
        &mut self,
        states: &[G::State],
        action: Action,
        stop: &Stop<'_>,
        shares: &mut Vec<f64>,
    ) -> Result<(), Halted> {
        if stop.is_due() {
            return Err(Halted::Interrupted);
        }
        for chunk in states.chunks(self.model.batch()) {
            self.scores.clear();
            self.model.scores_of_states(self.game, chunk, &mut self.scores);
            let mut scores = &self.scores[..];
            for state in chunk {
                let legal = self.game.legal(state);
                let (own, others) = scores.split_at(legal.len());
                scores = others;
                let rank = legal.iter().position(|other| other == action).expect("the action is legal");
                shares.push(self.probability(own, rank));
            }
        }
        Ok(())
    }
}
