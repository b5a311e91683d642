//! Tensors of zeros and ones. The seat itself always comes first, then the others clockwise.

use std::ops::Range;

use crate::encode::{Cell, Field, Pen, size};
use crate::game::{Observer, SeatView as _};
use crate::options::Switch;
use crate::seats::Seat;

use super::counts::Counts;
use super::state::{MAX_PLAYERS, NOT_PLACED, PHASES, Phase, State};
use super::{FOOD_IDS, SchweinsGalopp, View};

/// Bits of an amount of food.
const FOOD_BITS: usize = 8;

/// Writes one count per colour.
fn counts<T: Cell>(pen: &mut Pen<'_, T>, counts: Counts, colours: usize, len: usize) {
    for colour in 0..colours {
        pen.count(counts.get(colour), len);
    }
}

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
}

impl SchweinsGalopp {
    /// The parts of the observation.
    pub(super) fn observation_layout(&self) -> Vec<Field> {
        let Sizes { seats, colours, of_a_colour, hand, track, rounds, risk, behind, .. } = self.sizes();
        let mut layout = vec![
            Field::new("seat", [seats]),
            Field::new("phase", [PHASES]),
            Field::new("hand", [colours, of_a_colour]),
            Field::new("played", [seats, colours, of_a_colour]),
            Field::new("cards_held", [seats, hand]),
            Field::new("pig_on_space", [colours, track]),
            Field::new("behind_the_leader", [colours, behind]),
            Field::new("supply", [FOOD_BITS]),
            Field::new("at_risk", [seats, risk]),
            Field::new("banked", [seats, FOOD_BITS]),
            Field::new("first", [seats]),
            Field::new("to_move", [seats]),
        ];
        if self.rules.track_food == Switch::On {
            layout.push(Field::new("food_on_space", [track]));
        }
        if rounds > 1 {
            layout.push(Field::new("finished_rounds", [rounds]));
        }
        layout
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first. Of the other
    /// hands, the number of cards alone is read, from `held`.
    pub(super) fn write_observation<T: Cell>(
        &self,
        state: &State,
        observer: Observer,
        held: [u8; MAX_PLAYERS],
        pen: &mut Pen<'_, T>,
    ) {
        let seat = observer.seat().unwrap_or(Seat(0));
        let own_hand = observer.seat().map_or(Counts::NONE, |seat| state.hands[seat.index()]);
        let Sizes { seats, colours, of_a_colour, hand, track, rounds, risk, behind, .. } = self.sizes();
        let others = || (0..seats).map(|steps| seat.after(steps, seats).index());
        let steps_to = |other: u8| (usize::from(other) + seats - seat.index()) % seats;
        let placed = &state.distance[..colours];
        pen.one(observer.seat().map(Seat::index), seats);
        pen.one(Some(state.phase as usize), PHASES);
        counts(pen, own_hand, colours, of_a_colour);
        for other in others() {
            counts(pen, state.played[other], colours, of_a_colour);
        }
        for other in others() {
            pen.count(held[other], hand);
        }
        for &distance in placed {
            pen.one((distance != NOT_PLACED).then(|| usize::from(self.space(distance))), track);
        }
        for &distance in placed {
            // While pigs are being placed, there is no leader before the first one.
            let front = placed.iter().filter(|&&distance| distance != NOT_PLACED).max().copied().unwrap_or(0);
            pen.count(if distance == NOT_PLACED { 0 } else { front - distance }, behind);
        }
        pen.set(u64::from(state.supply), FOOD_BITS);
        for other in others() {
            pen.count(state.risk[other], risk);
        }
        for other in others() {
            pen.set(u64::from(state.banked[other]), FOOD_BITS);
        }
        pen.one(Some(steps_to(state.first)), seats);
        pen.one((state.phase != Phase::Over).then(|| steps_to(state.mover)), seats);
        if self.rules.track_food == Switch::On {
            pen.set(u64::from(state.track_food), track);
        }
        if rounds > 1 {
            pen.count(state.round, rounds);
        }
    }

    /// The parts of the information-state tensor.
    pub(super) fn tensor_layout(&self) -> Vec<Field> {
        let Sizes { seats, colours, of_a_colour, track, rounds, plays, laid, .. } = self.sizes();
        let mut layout = vec![
            Field::new("seat", [seats]),
            Field::new("placed", [rounds, colours, colours]),
            Field::new("dealt", [rounds, plays]),
            Field::new("own_deal", [rounds, colours, of_a_colour]),
            Field::new("plays", [rounds, plays, colours]),
        ];
        if laid > 0 {
            layout.push(Field::new("food_laid", [rounds, laid, track]));
        }
        layout
    }

    /// All that the seat of a view knows, as a tensor.
    pub(super) fn write_tensor(&self, view: &View, out: &mut [f32]) {
        debug_assert_eq!(out.len(), size(&self.tensor_layout()));
        let Sizes { seats, colours, of_a_colour, track, rounds, plays, laid, .. } = self.sizes();
        // The public events of each round by kind: pigs, food, cards.
        let mut events = view.public().iter().copied().peekable();
        let mut rounds_seen: Vec<[Vec<usize>; 3]> = Vec::new();
        while events.peek().is_some() {
            let mut next = |most: usize, kind: Range<u8>| -> Vec<usize> {
                let of_kind = std::iter::from_fn(|| events.next_if(|id| kind.contains(id)));
                of_kind.take(most).map(|id| usize::from(id - kind.start)).collect()
            };
            let (colour, space) = (0..FOOD_IDS, FOOD_IDS..u8::MAX);
            rounds_seen.push([next(colours, colour.clone()), next(laid, space), next(plays, colour)]);
        }
        let mut pen = Pen::new(out);
        pen.one(Some(view.seat().index()), seats);
        let ones = |pen: &mut Pen<'_, f32>, kind: usize, most: usize, len: usize| {
            for round in 0..rounds {
                for place in 0..most {
                    pen.one(rounds_seen.get(round).and_then(|seen| seen[kind].get(place).copied()), len);
                }
            }
        };
        ones(&mut pen, 0, colours, colours);
        let seen = view.seen();
        for round in 0..rounds {
            let whole =
                round < usize::from(seen.round) || round == usize::from(seen.round) && seen.phase == Phase::Play;
            let part = if round == usize::from(seen.round) && seen.phase == Phase::Deal { seen.count } else { 0 };
            pen.count(if whole { plays as u8 } else { part }, plays);
        }
        for round in 0..rounds {
            match view.rounds().get(round) {
                Some(known) => counts(&mut pen, known[view.seat().index()], colours, of_a_colour),
                None => pen.skip(colours * of_a_colour),
            }
        }
        ones(&mut pen, 2, plays, colours);
        if laid > 0 {
            ones(&mut pen, 1, laid, track);
        }
        pen.finish();
    }
}
