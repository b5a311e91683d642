//! How to play Schweins-Galopp passably by looking at one's own cards and the pigs, and what a position is worth.
//!
//! The estimate takes the chance to keep what is at risk, a logistic function of the cards in hand by how far their pigs are from the lead,
//! times what is at risk and what the cards left will add. It is fitted by least squares to the mean results of 32 hinted playouts from each
//! of 12,000 positions for two and for four players (from hinted play with one action in five random).

use crate::actions::{Action, Actions64};
use crate::float;
use crate::games::schweins_galopp::counts::MAX_COLOURS;
use crate::games::schweins_galopp::state::{MAX_PLAYERS, Phase, State};
use crate::games::schweins_galopp::{SchweinsGalopp, View, playout};
use crate::hints::Hints;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

use super::{policy, policy_weights};

/// The chance to keep what is at risk, as the logit of its parts: to start with, for any card that would lead, for each card left, for
/// each card with so many gaps before its pig.
const KEEP: f32 = -2.35;
const KEEP_BY_A_LEADER: f32 = 3.0;
const KEEP_BY_A_CARD: f32 = 0.47;
const KEEP_BY_GAPS: [f32; 4] = [1.8, 0.87, 0.1, 0.0];
/// Food that each card left will bring to what is at risk.
const FOOD_TO_COME: f32 = 0.19;
/// What a player banks in a round, for each card of the hand: this, and the second number shared by all.
const BANKED_PER_CARD: (f32, f32) = (0.16, 0.38);
/// How far apart scores are expected to end that are equal now, for each square root of a card left.
const LUCK: f32 = 0.6;

impl SchweinsGalopp {
    /// What each seat is expected to have banked at the end of the game, with all cards open.
    #[inline]
    fn prospects(&self, state: &State) -> BySeat<f32> {
        let count = usize::from(self.rules.players);
        let mut safe = [0.0; MAX_PLAYERS];
        let mut later = [0.0; MAX_PLAYERS];
        let in_play = state.phase == Phase::Play;
        if in_play {
            let colours = usize::from(self.rules.colours);
            let row = self.row(state.occupied, state.front);
            let mut gaps = [0; MAX_COLOURS];
            for (colour, gaps) in gaps.iter_mut().enumerate().take(colours) {
                let behind = state.front - state.distance[colour];
                *gaps = row.free_before(behind).min(KEEP_BY_GAPS.len() as u32 - 1) as usize;
            }
            for seat in 0..count {
                let hand = state.hands[seat];
                let cards = f32::from(hand.sum());
                let mut logit = KEEP + KEEP_BY_A_CARD * cards;
                let mut leads = false;
                for (colour, &gaps) in gaps.iter().enumerate().take(colours) {
                    let held = hand.get(colour);
                    logit += KEEP_BY_GAPS[gaps] * f32::from(held);
                    leads |= gaps == 0 && held > 0;
                }
                logit += if leads { KEEP_BY_A_LEADER } else { 0.0 };
                let keeps = if cards > 0.0 { 1.0 / (1.0 + float::expf(-logit)) } else { 0.0 };
                safe[seat] = keeps * f32::from(state.risk[seat]);
                later[seat] = keeps * FOOD_TO_COME * cards;
            }
        }
        let rounds = f32::from(self.rules.rounds.saturating_sub(state.round + u8::from(in_play)));
        let per_card = BANKED_PER_CARD.0 + BANKED_PER_CARD.1 / f32::from(self.rules.players);
        let further = rounds * per_card * f32::from(self.rules.hand_size);
        let wanted = further * count as f32 + later.iter().sum::<f32>();
        // No more than there is.
        let scale = if wanted > f32::from(state.supply) { f32::from(state.supply) / wanted } else { 1.0 };
        BySeat::from_fn(count, |Seat(seat)| {
            let seat = usize::from(seat);
            f32::from(state.banked[seat]) + safe[seat] + scale * (later[seat] + further)
        })
    }
}

impl Hints for SchweinsGalopp {
    const BEST_AGENT: &'static str = "ismcts:rollout=hints,cutoff=deal,beliefs=policy,\
        model=fitted,model_temperature=1,model_epsilon=0.05";

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(view.seen(), action)
    }

    /// Eat, but keep one card that would lead as long as there are others: the last card is the one that counts.
    #[inline(always)]
    fn rollout(&self, state: &State, legal: Actions64) -> Actions64 {
        if state.phase != Phase::Play {
            return legal;
        }
        let hand = state.hands[usize::from(state.mover)];
        let leading = legal.0 & self.would_lead(state);
        let others = legal.0 & !leading;
        let several = match leading.count_ones() {
            0 => false,
            1 => hand.get(leading.trailing_zeros() as usize) > 1,
            _ => true,
        };
        match if several { leading } else { others } {
            0 => legal,
            preferred => Actions64(preferred),
        }
    }

    fn num_features(&self) -> usize {
        policy::FEATURES
    }

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy_weights::WEIGHTS
    }

    fn evaluate(&self, state: &State) -> BySeat<f32> {
        let rounds = self.rules.rounds.saturating_sub(state.round);
        let played = if state.phase == Phase::Play { state.count / self.rules.players } else { 0 };
        let cards = u16::from(rounds) * u16::from(self.rules.hand_size) - u16::from(played);
        let scale = LUCK * f32::from(cards.max(1)).sqrt();
        self.rules.utility.expected(&self.prospects(state), scale)
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end::<true>(self, state, rng)
    }
}
