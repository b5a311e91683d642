//! Exact sampling of the states consistent with a view.
//!
//! A player's choices reveal nothing about the cards it keeps, because every card of a hand may be chosen in every
//! trick. Hence every way to distribute the unseen cards is equally likely, and so is every choice of face-down
//! cards. All worlds of a view have the same weight.

use std::iter;

use arrayvec::ArrayVec;

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::bits;
use crate::game::history::History;
use crate::game::{self, Game as _, SeatView as _, World};
use crate::rng::Rng;

use super::UpAndDown;
use super::cards::Card;
use super::state::{FACE_DOWN, NO_CARD, Phase, SEATS, State};
use super::view::{Round, View};

/// Knowledge of another player's cards.
#[derive(Clone, Copy, Debug)]
struct Other {
    seat: u8,
    /// The number of cards in hand, including a face-down one.
    cards: u8,
    /// True if one of them lies face down.
    chosen: bool,
}

/// Draws the opponents' hands and their face-down cards.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The state without the opponents' cards, which are in the pool.
    seen: State,
    others: ArrayVec<Other, { SEATS - 1 }>,
    view: View,
}

impl Sampler {
    /// Iterates over all ways to deal cards of the pool to the opponents from the `index`-th on.
    fn hand_out(&self, index: usize, state: State) -> Box<dyn Iterator<Item = State> + '_> {
        let Some(&other) = self.others.get(index) else { return Box::new(iter::once(state)) };
        let seat = usize::from(other.seat);
        Box::new(bits::subsets_wide(state.pool, u32::from(other.cards)).flat_map(move |hand| {
            let choices = if other.chosen { hand } else { 1 };
            (0..choices.count_ones()).flat_map(move |rank| {
                let mut next = state;
                next.pool ^= hand;
                next.hands[seat] = hand;
                if other.chosen {
                    next.table[seat] = bits::nth_bit(hand, rank) as Card;
                    next.hands[seat] ^= 1 << next.table[seat];
                }
                self.hand_out(index + 1, next)
            })
        }))
    }
}

impl game::Sampler<UpAndDown> for Sampler {
    fn new(game: &UpAndDown, view: &View) -> Self {
        let mut seen = view.seen;
        let own = view.seat().0;
        let held = seen.hands[usize::from(own)].count_ones() as u8;
        let shows = |seat: u8| seen.phase == Phase::Choose && seen.table[usize::from(seat)] != NO_CARD;
        // All have as many cards as the seat itself, but while cards are dealt.
        let cards = |seat: u8| match seen.phase {
            Phase::Deal => held + u8::from(seat < seen.mover) - u8::from(own < seen.mover),
            _ => held + u8::from(shows(own)),
        };
        let others = (0..game.players)
            .filter(|&seat| seat != own)
            .map(|seat| Other { seat, cards: cards(seat), chosen: shows(seat) })
            .collect();
        for card in &mut seen.table {
            if *card == FACE_DOWN {
                *card = NO_CARD;
            }
        }
        Self { seen, others, view: view.clone() }
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> State {
        let mut state = self.seen;
        for other in &self.others {
            let seat = usize::from(other.seat & 3);
            let mut hand = bits::random_subset(state.pool, u32::from(other.cards), rng);
            state.pool ^= hand;
            if other.chosen {
                let card = bits::nth_bit(hand, rng.below(u32::from(other.cards)));
                state.table[seat] = card as Card;
                hand ^= 1 << card;
            }
            state.hands[seat] = hand;
        }
        state
    }

    fn count(&self) -> u128 {
        let mut rest = self.seen.pool.count_ones();
        let mut count = 1;
        for other in &self.others {
            let choices = if other.chosen { u128::from(other.cards) } else { 1 };
            count *= u128::from(bits::binomial(rest, u32::from(other.cards))) * choices;
            rest -= u32::from(other.cards);
        }
        count
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.hand_out(0, self.seen).map(|state| World { state, weight: 1 })
    }

    fn sample_history_of(&self, game: &UpAndDown, world: &State, rng: &mut Rng) -> History<UpAndDown> {
        let [dice, side, orientation] = game.setup_ids();
        let rounds = &self.view.rounds;
        let mut history = History::new(game);
        for (round, number) in rounds.iter().zip(0..) {
            let held = if number == self.seen.round { Some(world) } else { None };
            for card in deal(game, &self.view, round, held, rng) {
                history.push(game, Action(card));
            }
            for (first, came) in [(dice, round.dice), (side, round.side), (orientation, round.orientation)] {
                if let Some(came) = came {
                    history.push(game, Action(first + came));
                }
            }
            for trick in &round.tricks {
                history.push(game, trick.change);
                if let Some(sum) = trick.rolled {
                    history.push(game, Action(dice + sum));
                }
                let boss = history.state().boss;
                for seat in (0..game.players).map(|steps| usize::from((boss + steps) % game.players)) {
                    match trick.cards[seat] {
                        NO_CARD => {}
                        FACE_DOWN => history.push(game, Action(world.table[seat])),
                        card => history.push(game, Action(card)),
                    }
                }
            }
        }
        history
    }

    fn worlds_fix_views(&self) -> bool {
        true
    }
}

/// Draws an order in which the cards of one round can have been dealt, each with the same probability. `held` has the
/// cards not yet played.
fn deal(game: &UpAndDown, view: &View, round: &Round, held: Option<&State>, rng: &mut Rng) -> Vec<Card> {
    let seats = game.num_seats();
    let mut piles: [Vec<Card>; SEATS] = Default::default();
    for (seat, pile) in piles.iter_mut().enumerate().take(seats) {
        let mut cards = 0;
        if seat == view.seat().index() {
            cards = round.hand;
        } else {
            for trick in &round.tricks {
                cards |= match trick.cards[seat] {
                    NO_CARD => 0,
                    FACE_DOWN => held.map_or(0, |world| 1 << world.table[seat]),
                    card => 1 << card,
                };
            }
            cards |= held.map_or(0, |world| world.hands[seat]);
        }
        pile.extend(Actions64(cards).iter().map(|action| action.0));
        rng.shuffle(pile);
    }
    (0..usize::from(round.dealt)).map(|place| piles[place % seats][place / seats]).collect()
}
