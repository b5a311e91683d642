//! A policy for Schweins-Galopp: a softmax over features of the legal actions, as seen by the player to act.
//!
//! The [weights](WEIGHTS) maximise the likelihood of a search's decisions. Features lie between about 0
//! and 1. A card is judged by the position it leaves: the places of the pigs of the remaining cards, and the possible
//! moves of the opponents' cards. The place of a pig is the number of its moves to the lead.

use crate::actions::Action;
use crate::game::hints::tables;
use crate::games::schweins_galopp::counts::Counts;
use crate::games::schweins_galopp::state::{Phase, State};
use crate::games::schweins_galopp::{FOOD_IDS, KEPT_CLEAR, SchweinsGalopp};

/// Places of a pig: it leads, it would lead with its next move, or it has one, two, or more free spaces before it.
const PLACES: usize = 5;
/// The number of places from which the next move leads.
const AT_THE_FRONT: usize = 2;

/// The number of stages of a round: one, two, three or more cards are kept.
const STAGES: usize = 4;
tables! { STAGE;
    /// The place of the card's pig, by whether another card of its colour is kept.
    MOVED: 2 * PLACES,
    ATE: 1,
    FOUND: 1,
    /// The share of kept cards with pigs in each place.
    KEPT: PLACES,
    /// The best place among the kept cards.
    BEST: PLACES,
    /// The food at risk, by that place.
    STAKE: PLACES,
    /// The share of unseen cards with pigs in each place except the last two.
    OPEN: 3,
    MORE: 15,
}

/// The number of tables of weights: for two players, for three and more.
const TABLES: usize = 2;
tables! { FEATURES;
    CARD: TABLES * STAGES * STAGE,
    /// Food on the track.
    LAY: 3,
}

/// The weight of each feature. The program `fit_policy` writes the file.
#[allow(clippy::approx_constant, reason = "fitted numbers")]
pub(super) const WEIGHTS: [f32; FEATURES] = include!("policy_weights.txt");

/// A scale for food at risk: its usual maximum.
const MAX_AT_RISK: f32 = 7.0;

/// The place of a pig, given its distance to the leader and the free spaces before it.
#[inline(always)]
fn place(behind: u8, free: u32) -> usize {
    (usize::from(behind > 0) + free as usize).min(PLACES - 1)
}

impl SchweinsGalopp {
    /// Calls `add` with the features of a legal action. Reads only what the player to act knows.
    #[inline]
    pub(super) fn policy_features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        match state.phase {
            Phase::Play => self.card_features(state, action.0, add),
            Phase::Food => {
                let first = self.rules.colours + KEPT_CLEAR;
                let far = f32::from(action.0 - FOOD_IDS - first) / f32::from(self.rules.track);
                add(LAY, far);
                add(LAY + 1, far * far);
                add(LAY + 2, if state.mover == state.first { far } else { 0.0 });
            }
            // Before the deal, all colours are alike.
            Phase::Place | Phase::Deal | Phase::Over => {}
        }
    }

    #[inline]
    fn card_features(&self, state: &State, colour: u8, add: &mut impl FnMut(usize, f32)) {
        let (me, pig) = (usize::from(state.mover), usize::from(colour));
        let kept = state.hands[me] - Counts::one(colour);
        let left = kept.sum();
        if left == 0 {
            // The last card leaves no choice.
            return;
        }
        let known = state.played.iter().fold(state.hands[me], |sum, &played| sum + played);
        let unseen = self.deck - known;

        // The pig runs.
        let distance = state.distance[pig];
        let behind = state.front - distance;
        let was = place(behind, self.row(state.occupied, state.front).free_before(behind));
        let from = self.space(distance);
        let stride = self.stride(state.occupied, from);
        let reached = distance + stride;
        let to = self.space(reached);
        let occupied = state.occupied ^ (1 << from | 1 << to);
        let front = state.front.max(reached);
        let ate = f32::from(reached > state.front && state.supply > 0);
        let found = f32::from(state.track_food >> to & 1 == 1);

        // The places of the pigs after the move.
        let row = self.row(occupied, front);
        let (mut mine, mut others) = ([0_u8; PLACES], [0_u8; PLACES]);
        let (mut best, mut alone, mut helped, mut danger) = (PLACES - 1, 0, 0_u32, 0_u8);
        for other in 0..usize::from(self.rules.colours) {
            let distance = if other == pig { reached } else { state.distance[other] };
            let free = row.free_before(front - distance);
            let place = place(front - distance, free);
            let (held, hidden) = (kept.get(other), unseen.get(other));
            mine[place] += held;
            others[place] += hidden;
            if held > 0 {
                best = best.min(place);
                alone += u32::from(held).saturating_sub(free);
                helped += u32::from(held) * u32::from(hidden);
            } else if place < AT_THE_FRONT {
                danger += hidden;
            }
        }

        let stage = usize::from(left.min(STAGES as u8) - 1);
        let start = CARD + (usize::from(self.rules.players > 2) * STAGES + stage) * STAGE;
        let mut add = |feature: usize, value: f32| add(start + feature, value);
        let each = 1.0 / f32::from(left);
        let each_unseen = 1.0 / f32::from(unseen.sum().max(1));
        let at_the_front = f32::from(mine[0] + mine[1]) * each;
        let open = f32::from(others[0] + others[1]) * each_unseen;
        let stake = (f32::from(state.risk[me]) + ate + found) / MAX_AT_RISK;
        let next = usize::from(self.left_of(state.mover));
        let theirs = f32::from(state.risk[next]) / MAX_AT_RISK;
        let their_last = f32::from(self.rules.hand_size - state.played[next].sum() == 1);
        let all: u8 = state.risk.iter().sum();
        let all_theirs = f32::from(all - state.risk[me]) / (MAX_AT_RISK * f32::from(self.rules.players - 1));
        let dangerous = f32::from(danger) * each_unseen;

        add(MOVED + was + if kept.get(pig) > 0 { PLACES } else { 0 }, 1.0);
        add(ATE, ate);
        add(FOUND, found);
        for (place, &cards) in mine.iter().enumerate() {
            add(KEPT + place, f32::from(cards) * each);
        }
        add(BEST + best, 1.0);
        add(STAKE + best, stake);
        for (place, &cards) in others[..3].iter().enumerate() {
            add(OPEN + place, f32::from(cards) * each_unseen);
        }
        let more = [
            f32::from(mine[0] + mine[1] > 1),
            alone as f32 * each,
            stake * at_the_front,
            if best < AT_THE_FRONT { ate } else { 0.0 },
            theirs * open,
            their_last * theirs * open,
            their_last * open,
            all_theirs * open,
            f32::from(unseen.get(pig)) * each_unseen,
            helped as f32 * each * each_unseen,
            f32::from(stride) / 5.0,
            f32::from(front - state.front) / 5.0,
            dangerous,
            dangerous * stake,
            f32::from(alone > 0),
        ];
        for (feature, value) in more.into_iter().enumerate() {
            add(MORE + feature, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, SchweinsGalopp};
    use crate::FromRules as _;
    use crate::actions::{Action, ActionSet as _};
    use crate::game::hints::Hints as _;
    use crate::game::history::History;
    use crate::game::{Game as _, Sampler as _, Turn};
    use crate::games::schweins_galopp::{Rules, State};
    use crate::options::Options as _;
    use crate::rng::Rng;

    const TABLES: [&str; 8] = [
        "players=2",
        "players=3,rounds=1",
        "players=4,track_food=on",
        "players=2,placement=choice,track_food=on,food=3",
        "players=2,colours=2,cards_per_colour=3,hand_size=2,track=6",
        "players=2,colours=3,cards_per_colour=7,hand_size=7,track=6,rounds=9",
        "players=4,colours=4,hand_size=1",
        "players=3,colours=5,track=6,food=255",
    ];

    /// The features of an action, by index.
    fn features(game: &SchweinsGalopp, state: &State, action: Action) -> Vec<(usize, f32)> {
        let mut found = Vec::new();
        game.features(state, action, &mut |feature, value| found.push((feature, value)));
        found
    }

    /// Calls `look` at every decision of some random games.
    fn decisions(text: &str, mut look: impl FnMut(&SchweinsGalopp, &History<SchweinsGalopp>, &mut Rng)) {
        let game = SchweinsGalopp::new(Rules::from_text(text).unwrap()).unwrap();
        for index in 0..20 {
            let mut rng = Rng::stream(3, "policy", index);
            let mut history = History::dealt(&game, &mut rng);
            while let Turn::Seat(_) = game.turn(history.state()) {
                look(&game, &history, &mut rng);
                let action = game.legal(history.state()).pick(&mut rng);
                history.push(&game, action);
                history.settle(&game, &mut rng);
            }
        }
    }

    #[test]
    fn features_are_few_and_small_and_not_repeated() {
        for text in TABLES {
            let mut met = 0;
            decisions(text, |game, history, _| {
                for action in game.legal(history.state()).iter() {
                    let mut found = features(game, history.state(), action);
                    assert!(found.iter().all(|&(feature, value)| feature < FEATURES && value.abs() <= 2.0));
                    assert!(game.logit(history.state(), action).is_finite());
                    met += found.len();
                    found.sort_unstable_by_key(|&(feature, _)| feature);
                    assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0), "a feature is repeated: {text}");
                }
            });
            assert_eq!(
                met > 0,
                !text.contains("hand_size=1"),
                "cards must have features unless they are the last: {text}"
            );
        }
    }

    #[test]
    fn features_are_the_same_in_every_world() {
        for text in TABLES {
            let mut others = 0;
            decisions(text, |game, history, rng| {
                let Turn::Seat(seat) = game.turn(history.state()) else { unreachable!() };
                let sampler = game.sampler(&game.view(history, seat));
                for _ in 0..4 {
                    let world = sampler.sample(rng);
                    others += u32::from(world != *history.state());
                    for action in game.legal(history.state()).iter() {
                        assert_eq!(features(game, &world, action), features(game, history.state(), action));
                    }
                }
                // The greedy agent evaluates a view, which contains no opponents' cards.
                for action in game.legal(history.state()).iter() {
                    let seen = game.view(history, seat).seen;
                    assert_eq!(game.logit(&seen, action), game.logit(history.state(), action), "{text}");
                }
            });
            assert!(others > 0, "no two worlds differ: {text}");
        }
    }
}
