//! Tensors of zeros and ones. The seat itself always comes first, then the others clockwise.

use std::cmp::Ordering;

use crate::actions::Action;
use crate::encode::{BlockPen, Pen};
use crate::game::{Game as _, Observer, SeatView as _};
use crate::options::Switch;
use crate::seats::Seat;
use crate::symmetry::{ClassField, Symmetry};

use super::counts::Counts;
use super::state::{NOT_PLACED, PHASES, Phase, State};
use super::{FOOD_IDS, SchweinsGalopp, View};

/// Bits of an amount of food.
const FOOD_BITS: usize = 8;

/// Dimensions of the layouts.
struct Sizes {
    seats: usize,
    colours: usize,
    /// The largest number of cards of one colour in a hand.
    of_a_colour: usize,
    hand: usize,
    track: usize,
    rounds: usize,
    plays: usize,
    laid: usize,
    risk: usize,
    behind: usize,
}

impl SchweinsGalopp {
    fn sizes(&self) -> Sizes {
        let rules = &self.rules;
        let colours = usize::from(rules.colours);
        let of_a_colour = usize::from(rules.cards_per_colour.min(rules.hand_size));
        Sizes {
            seats: usize::from(rules.players),
            colours,
            of_a_colour,
            hand: usize::from(rules.hand_size),
            track: usize::from(rules.track),
            rounds: usize::from(rules.rounds),
            plays: usize::from(rules.plays()),
            laid: usize::from(rules.laid()),
            risk: usize::from(rules.most_in_a_round()),
            // Each card moves a pig at most as many spaces as there are pigs, starting from the back of the row.
            behind: colours - 1 + usize::from(rules.cards_per_colour) * colours,
        }
    }

    /// The colours, by the places of their pigs.
    pub(super) fn colours(&self) -> Option<Symmetry> {
        let Sizes { colours, of_a_colour, track, behind, .. } = self.sizes();
        let field = |name, block| ClassField { name, row: colours * block, block };
        let pigs = [field("behind_the_leader", behind), field("pig_on_space", track)];
        let cards = [field("hand", of_a_colour), field("played", of_a_colour)];
        let fields = [pigs, cards].concat();
        Symmetry::new(&self.observation_layout(), &fields, colours, &|colour| vec![Action(colour as u8)])
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first. The number of
    /// cards in the other hands follows from the deal.
    pub(super) fn write_observation<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let seat = observer.seat().unwrap_or(Seat(0));
        let own_hand = observer.seat().map_or(Counts::NONE, |seat| state.hands[seat.index()]);
        let Sizes { seats, colours, of_a_colour, hand, track, rounds, risk, behind, .. } = self.sizes();
        let others = || (0..seats).map(|steps| seat.after(steps, seats).index());
        let steps_to = |other: u8| (usize::from(other) + seats - seat.index()) % seats;
        let by_colour = |cards: Counts| (0..colours).map(move |colour| cards.get(colour));
        let placed = state.distance[..colours].iter().copied();
        let space = |distance: u8| (distance != NOT_PLACED).then(|| usize::from(self.space(distance)));
        // While pigs are being placed, there is no leader before the first one.
        let front = placed.clone().filter(|&distance| distance != NOT_PLACED).max().unwrap_or(0);
        let behind_it = |distance: u8| if distance == NOT_PLACED { 0 } else { front - distance };
        pen.field("seat", [seats]).one(observer.seat().map(Seat::index));
        pen.field("phase", [PHASES]).one(Some(state.phase as usize));
        pen.counted("hand", [colours, of_a_colour]).counts(by_colour(own_hand));
        let mut played = pen.counted("played", [seats, colours, of_a_colour]);
        for other in others() {
            played = played.counts(by_colour(state.played[other]));
        }
        pen.counted("cards_held", [seats, hand]).counts(others().map(|other| self.cards_held(state, other as u8)));
        pen.field("pig_on_space", [colours, track]).ones(placed.clone().map(space));
        pen.counted("behind_the_leader", [colours, behind]).counts(placed.map(behind_it));
        pen.field("supply", [FOOD_BITS]).set(state.supply);
        pen.counted("at_risk", [seats, risk]).counts(others().map(|other| state.risk[other]));
        pen.field("banked", [seats, FOOD_BITS]).sets(others().map(|other| state.banked[other]));
        pen.field("first", [seats]).one(Some(steps_to(state.first)));
        pen.field("to_move", [seats]).one((state.phase != Phase::Over).then(|| steps_to(state.mover)));
        if self.rules.track_food == Switch::On {
            pen.field("food_on_space", [track]).set(state.track_food);
        }
        if rounds > 1 {
            pen.counted("finished_rounds", [rounds]).count(state.round);
        }
    }

    /// Writes all that the seat of a view knows.
    pub(super) fn write_view<P: BlockPen>(&self, view: &View, pen: &mut P) {
        let Sizes { seats, colours, of_a_colour, track, rounds, plays, laid, .. } = self.sizes();
        pen.field("seat", [seats]).one(Some(view.seat().index()));
        let placed = pen.zeros("placed", [rounds, colours, colours]);
        let seen = &view.seen;
        let dealt = |round| match usize::from(seen.round).cmp(&round) {
            Ordering::Greater => plays,
            Ordering::Equal if seen.phase == Phase::Play => plays,
            Ordering::Equal if seen.phase == Phase::Deal => usize::from(seen.count),
            Ordering::Equal | Ordering::Less => 0,
        };
        pen.counted("dealt", [rounds, plays]).counts((0..rounds).map(dealt));
        let known = |round: usize| view.rounds.get(round).map_or(Counts::NONE, |known| known[view.seat().index()]);
        let own = (0..rounds).flat_map(|round| (0..colours).map(move |colour| known(round).get(colour)));
        pen.counted("own_deal", [rounds, colours, of_a_colour]).counts(own);
        let played = pen.zeros("plays", [rounds, plays, colours]);
        let food = (laid > 0).then(|| pen.zeros("food_laid", [rounds, laid, track]));
        // The public events of each round by kind: pigs, food, cards.
        let mut events = view.public.iter().copied().peekable();
        for round in 0..rounds {
            for (field, most, ids) in [
                (Some(placed), colours, 0..FOOD_IDS),
                (food, laid, FOOD_IDS..u8::MAX),
                (Some(played), plays, 0..FOOD_IDS),
            ] {
                let Some(field) = field else { continue };
                let len = pen.block(field, round).len() / most;
                for place in 0..most {
                    let Some(id) = events.next_if(|id| ids.contains(id)) else { break };
                    pen.block(field, round)[place * len + usize::from(id - ids.start)] = 1.0;
                }
            }
        }
    }
}
