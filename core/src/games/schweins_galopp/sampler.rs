//! Exact sampling of the states consistent with a view.

use arrayvec::ArrayVec;

use crate::actions::Action;
use crate::game::history::History;
use crate::game::{self, Game as _, SeatView as _, World};
use crate::rng::Rng;

use super::SchweinsGalopp;
use super::counts::{Colour, Counts};
use super::deals::{Draws, Hidden, MAX_HIDDEN, Ways};
use super::state::{MAX_PLAYERS, Phase, State};
use super::view::View;

/// Draws the opponents' hands given everything the seat has seen. See the `deals` module for the weights of hands.
///
/// If there are few worlds, as always with two players, a sample takes one draw from a list of all of them. Otherwise
/// it takes one draw less than there are colours.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The seats whose cards are not seen.
    others: ArrayVec<u8, MAX_HIDDEN>,
    ways: Ways,
    draws: Draws,
    view: View,
}

impl Sampler {
    /// The world with these hidden hands.
    #[inline(always)]
    fn world(&self, hidden: Hidden) -> State {
        let mut state = self.view.seen;
        for (&seat, hand) in self.others.iter().zip(hidden) {
            state.hands[usize::from(seat)] = hand;
        }
        state
    }
}

/// The opponents' seats, the cards each has played in this round, and the number of cards it holds.
fn hidden(game: &SchweinsGalopp, view: &View) -> impl Iterator<Item = (u8, (Counts, u8))> {
    (0..game.rules.players)
        .filter(|&seat| seat != view.seat().0)
        .map(move |seat| (seat, (view.seen.played[usize::from(seat)], game.cards_held(&view.seen, seat))))
}

impl game::Sampler<SchweinsGalopp> for Sampler {
    fn new(game: &SchweinsGalopp, view: &View) -> Self {
        let (others, hidden): (ArrayVec<_, MAX_HIDDEN>, ArrayVec<_, MAX_HIDDEN>) = hidden(game, view).unzip();
        let own = view.seat().index();
        let own = view.seen.hands[own] + view.seen.played[own];
        let unseen: ArrayVec<u8, 5> =
            (0..usize::from(game.rules.colours)).map(|colour| game.rules.cards_per_colour - own.get(colour)).collect();
        let ways = Ways::new(&unseen, &hidden);
        let draws = Draws::new(&ways);
        Self { others, ways, draws, view: view.clone() }
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> State {
        self.world(self.draws.draw(rng))
    }

    fn count(&self) -> u128 {
        self.draws.count().into()
    }

    fn worlds(&self) -> impl Iterator<Item = World<State>> {
        self.ways.all().map(|(hidden, weight)| World { state: self.world(hidden), weight })
    }

    fn sample_history_of(&self, game: &SchweinsGalopp, world: &State, rng: &mut Rng) -> History<SchweinsGalopp> {
        let rounds = &self.view.rounds;
        let mut public = self.view.public.iter().copied();
        let mut history = History::new(game);
        for (round, known) in rounds.iter().enumerate() {
            let is_present = round + 1 == rounds.len() && world.phase != Phase::Over;
            // Every order in which a hand can have been dealt is equally likely.
            let mut hands: [ArrayVec<Colour, 7>; MAX_PLAYERS] = std::array::from_fn(|seat| {
                let own = seat == self.view.seat().index();
                let held = if is_present && !own { world.hands[seat] } else { Counts::NONE };
                let mut cards: ArrayVec<Colour, 7> = (known[seat] + held).iter().collect();
                rng.shuffle(&mut cards);
                cards
            });
            while usize::from(history.state().round) == round {
                let state = history.state();
                let next =
                    if state.phase == Phase::Deal { hands[usize::from(state.mover)].pop() } else { public.next() };
                let Some(event) = next else { break };
                history.push(game, Action(event));
            }
        }
        debug_assert_eq!(game.turn(history.state()), game.turn(world));
        history
    }

    fn worlds_fix_views(&self) -> bool {
        true
    }
}
