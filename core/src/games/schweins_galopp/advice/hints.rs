//! Hints for Schweins-Galopp: sensible moves judged by one's own cards and the pigs, and an estimate of a position's
//! value.
//!
//! The estimate is the chance to keep the food at risk, times the sum of that food and the food that the remaining
//! cards will add. The chance is a logistic function of the cards in hand, by the distances of their pigs to the
//! lead. The coefficients were fitted by least squares to the mean results of hinted playouts.

use crate::actions::{Action, Actions64};
use crate::float;
use crate::game::hints::Hints;
use crate::games::schweins_galopp::counts::MAX_COLOURS;
use crate::games::schweins_galopp::state::{MAX_PLAYERS, Phase, State};
use crate::games::schweins_galopp::{SchweinsGalopp, View};
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

use super::policy;

/// The logit of the chance to keep the food at risk: a constant, a term for having any card that would lead, a term
/// for each card left, and terms for each card by the number of gaps before its pig.
const KEEP: f32 = -2.35;
const KEEP_BY_A_LEADER: f32 = 3.0;
const KEEP_BY_A_CARD: f32 = 0.47;
const KEEP_BY_GAPS: [f32; 4] = [1.8, 0.87, 0.1, 0.0];
/// Food that each remaining card is expected to add to the food at risk.
const FOOD_TO_COME: f32 = 0.19;
/// Food that a player is expected to bank in a round, for each card of the hand: the first number plus the second
/// divided by the number of players.
const BANKED_PER_CARD: (f32, f32) = (0.16, 0.38);
/// Expected final difference between scores that are equal now, per square root of the cards left.
const LUCK: f32 = 0.6;

impl SchweinsGalopp {
    /// The expected food banked by each seat at the end of the game, with all cards open.
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
        // Not more than the supply has.
        let scale = if wanted > f32::from(state.supply) { f32::from(state.supply) / wanted } else { 1.0 };
        BySeat::from_fn(count, |Seat(seat)| {
            let seat = usize::from(seat);
            f32::from(state.banked[seat]) + safe[seat] + scale * (later[seat] + further)
        })
    }
}

impl Hints for SchweinsGalopp {
    #[cfg(feature = "networks")]
    fn network(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("network.safetensors"))
    }

    fn best_agent(&self) -> &'static str {
        "ismcts:rollout=hints,cutoff=deal,beliefs=policy,\
        model=fitted,model_temperature=1,model_epsilon=0.05"
    }

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(&view.seen, action)
    }

    /// Prefers to eat, but keeps one card that would lead as long as there are others, because the last card decides.
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

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy::WEIGHTS
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
        Playout::<Self, true>::run(self, state, rng)
    }
}
