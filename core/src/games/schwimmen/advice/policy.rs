//! A policy for Schwimmen: a softmax over features of the legal actions, as seen by the player to act.
//!
//! The [weights](WEIGHTS) maximise the likelihood of a search's decisions. Features lie between about
//! -1 and 1. An action is described by the hand and the table that it leaves; taking a card, by those after the best
//! exchange for it. Cards that the opponents were seen to take have no influence.

use crate::actions::Action;
use crate::bits;
use crate::game::hints::tables;
use crate::games::schwimmen::cards::{self, NO_CARD};
use crate::games::schwimmen::rules::{DealerSwap, Payoff, Play};
use crate::games::schwimmen::state::{NOBODY, Phase, State};
use crate::games::schwimmen::{GIVE, KEEP, KNOCK, PUSH, SWAP, SWAP_ALL, Schwimmen};
use crate::options::Switch;

/// The number of classes of scores.
const BINS: usize = 17;
/// The number of kinds of games: two, three, or more players trying not to be last; three or more trying to have the
/// highest hand.
const TABLES: usize = 4;
const BY_TABLE: usize = TABLES * BINS;

tables! { FEATURES;
    /// The score that an action leaves, by whether the player has other turns to come.
    SCORE: 2 * BY_TABLE,
    /// The score with which the player knocks.
    KNOCK_WITH: BY_TABLE,
    /// The score with which the player pushes with other turns to come.
    PUSH_WITH: BY_TABLE,
    KNOCK_MORE: 10,
    /// By time: before anyone may knock, while knocking is possible, in the last turn.
    KIND: 3 * KINDS,
    /// The hand and table left by turns, by giving a card and by the dealer's swap, each by whether other turns are to
    /// come.
    LEFT: 5 * LEFTS,
    /// The score that the dealer keeps rather than swap for three face-down cards.
    KEEP_WITH: BINS,
    KEEP_MORE: 4,
}
const KINDS: usize = 10;
const LEFTS: usize = 20;

/// The weight of each feature. The program `fit_policy` writes the file.
#[allow(clippy::approx_constant, reason = "fitted numbers")]
pub(super) const WEIGHTS: [f32; FEATURES] = include!("policy_weights.txt");

/// `BEST_THREE[byte]`: the sum of the three highest cards of one suit, in half points.
const BEST_THREE: [u8; 256] = {
    let mut sums = [0; 256];
    let mut set = 0;
    while set < 256_usize {
        let mut three = set as u8;
        while three.count_ones() > 3 {
            three &= three - 1;
        }
        sums[set] = cards::SUMS[three as usize];
        set += 1;
    }
    sums
};

/// `BIN[score]`: the class of a score in half points.
const BIN: [u8; 65] = {
    let mut bins = [0; 65];
    let mut score = 0;
    while score < 65 {
        bins[score] = match score {
            0..=27 => 0,
            28..=33 => 1,
            34..=37 => 2,
            38..=39 => 3,
            40..=59 => (4 + (score - 40) / 2) as u8,
            60 => 14,
            61 => 15,
            _ => 16,
        };
        score += 1;
    }
    bins
};

const TENS: u32 = 0x7878_7878;

/// A sum of half points as a share of thirty-one points.
fn share(half_points: u8) -> f32 {
    f32::from(half_points) / 62.0
}

/// The player to act's knowledge of a state.
struct Known<'a> {
    game: &'a Schwimmen,
    state: &'a State,
    hand: u32,
    /// Cards that are neither in the own hand nor face up on the table nor laid away.
    unseen: u32,
    /// The kind of game; see [`TABLES`].
    table: usize,
    /// 1 in the player's last turn, 0 before it.
    last: usize,
    /// The number of players with a turn after this one.
    followers: u8,
}

impl Schwimmen {
    /// Calls `add` with the features of a legal action. Reads only what the player to act knows.
    #[inline]
    pub(super) fn policy_features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let hand = state.hands[usize::from(state.mover)];
        let taken = if state.taken == NO_CARD { 0 } else { 1 << state.taken };
        let table = if self.table_is_hidden(state) { 0 } else { state.table };
        let left = state.end - state.turns;
        let highest = self.rules.utility == Payoff::Win && self.rules.play == Play::Deal;
        let known = Known {
            game: self,
            state,
            hand,
            unseen: self.deck & !(hand | table | taken | state.away),
            table: match state.players {
                2 => 0,
                _ if highest => 3,
                3 => 1,
                _ => 2,
            },
            last: usize::from(state.knocker != NOBODY || left <= state.players),
            followers: (left - 1).min(state.players - 1),
        };
        match (state.phase, action.0) {
            (Phase::Turn, KNOCK) => known.knock(add),
            (Phase::Turn, PUSH) => known.push(add),
            (Phase::Turn, SWAP_ALL) => {
                known.exchange(4, state.table, hand, add);
                known.left(0, state.table, hand, add);
            }
            (Phase::Turn, card) => {
                let given = known.best_to_give(card);
                let (hand, table) = (hand ^ 1 << card ^ given, state.table ^ 1 << card ^ given);
                known.exchange(0, hand, table, add);
                known.left(0, hand, table, add);
            }
            (Phase::Give, id) => {
                let given = 1 << (id - GIVE);
                known.left(1, hand ^ given | taken, state.table | given, add);
            }
            (Phase::Swap, KEEP) if self.rules.dealer_swap == DealerSwap::Blind => known.keep(add),
            (Phase::Swap, KEEP) if table != 0 => known.left(2, hand, table, add),
            (Phase::Swap, SWAP) if table != 0 => known.left(2, table, hand, add),
            _ => {}
        }
    }
}

impl Known<'_> {
    fn bin(&self, score: u8) -> usize {
        self.table * BINS + usize::from(BIN[usize::from(score)])
    }

    /// The card to give for this one, as a set: the one that leaves the highest score, then the most cards of a suit,
    /// then the most points.
    #[inline]
    fn best_to_give(&self, card: u8) -> u32 {
        let four = self.hand | 1 << card;
        let worth = |given: u8| {
            let hand = four ^ 1 << given;
            let longest = hand.to_le_bytes().map(u8::count_ones).into_iter().max().unwrap_or(0);
            (u32::from(self.game.score(hand)) << 8 | longest << 4) + 7 - u32::from(given % 8)
        };
        1 << bits::members(self.hand).max_by_key(|&given| worth(given)).unwrap_or(card)
    }

    /// The start of the features of actions at this time.
    fn kind(&self) -> usize {
        let time = if self.last == 1 { 2 } else { usize::from(self.state.turns >= self.state.players) };
        KIND + time * KINDS
    }

    /// Adds the features of an exchange of a card (`first` = 0) or of the whole hand (`first` = 4).
    #[inline]
    fn exchange(&self, first: usize, hand: u32, table: u32, add: &mut impl FnMut(usize, f32)) {
        let (before, after) = (self.game.score(self.hand), self.game.score(hand));
        let first = self.kind() + first;
        add(first, 1.0);
        add(first + 1, share(after) - share(before));
        if after <= before {
            add(first + 2, 1.0);
        }
        // The next player loses or gains cards that it would like to take.
        add(first + 3, share(self.game.score(table)) - share(self.game.score(self.state.table)));
    }

    fn push(&self, add: &mut impl FnMut(usize, f32)) {
        let (state, score) = (self.state, self.game.score(self.hand));
        let renewed = state.quiet + 1 == state.players;
        add(self.kind() + 8, 1.0);
        if renewed {
            add(self.kind() + 9, 1.0);
        }
        if self.last == 0 {
            add(PUSH_WITH + self.bin(score), 1.0);
        }
        self.left(0, self.hand, if renewed { 0 } else { state.table }, add);
    }

    fn knock(&self, add: &mut impl FnMut(usize, f32)) {
        let (state, score) = (self.state, self.game.score(self.hand));
        let more = |feature: usize| KNOCK_MORE + feature;
        let renewed = state.quiet + 1 == state.players;
        let rounds = f32::from(state.turns / state.players);
        add(KNOCK_WITH + self.bin(score), 1.0);
        add(more(0), (rounds - 1.0) / 4.0);
        add(more(1), f32::from(rounds == 1.0));
        add(more(2), f32::from(rounds <= 2.0));
        add(more(3), rounds / 4.0 * share(score));
        add(more(4), f32::from(self.last == 1));
        if renewed {
            add(more(5), 1.0);
            add(more(6), share(score));
        } else {
            let table = self.game.score(state.table);
            add(more(7), share(table));
            add(more(8), f32::from(table > score));
            add(more(9), (state.table & cards::ACES).count_ones() as f32 / 2.0);
        }
    }

    fn keep(&self, add: &mut impl FnMut(usize, f32)) {
        let bytes = self.hand.to_le_bytes();
        let longest = bytes.map(u8::count_ones).into_iter().max().unwrap_or(0);
        add(KEEP_WITH + usize::from(BIN[usize::from(self.game.score(self.hand))]), 1.0);
        add(KEEP_MORE, f32::from(longest >= 2));
        add(KEEP_MORE + 1, (self.hand & cards::ACES).count_ones() as f32 / 2.0);
        add(KEEP_MORE + 2, (self.hand & TENS).count_ones() as f32 / 3.0);
        add(KEEP_MORE + 3, 1.0 / f32::from(self.state.players));
    }

    /// Adds the features of the hand left by an action, and of the table for the players that follow (none if new
    /// cards come).
    #[inline]
    fn left(&self, block: usize, hand: u32, table: u32, add: &mut impl FnMut(usize, f32)) {
        let score = self.game.score(hand);
        let first = LEFT + (2 * block + self.last).min(4) * LEFTS;
        let mut more = |feature: usize, value: f32| add(first + feature, value);
        let (of_hand, of_table, unseen) = (hand.to_le_bytes(), table.to_le_bytes(), self.unseen.to_le_bytes());
        more(0, share(score));
        more(1, share(score) * share(score));
        if self.last == 0 {
            let (mut draws, mut reach, mut longest) = (0, 0, 0);
            for suit in 0..4 {
                let cards = of_hand[suit];
                let count = cards.count_ones();
                longest = longest.max(count);
                // Part of the suit that is left when a card is drawn to it.
                let rest = if count == 3 { cards & (cards - 1) } else { cards };
                let short = i32::from(cards::SUMS[usize::from(rest)]) - i32::from(score);
                let hope = i32::from(cards::SUMS[usize::from(unseen[suit])]);
                draws += (hope + short * unseen[suit].count_ones() as i32).max(0);
                reach = reach.max(BEST_THREE[usize::from(cards | of_table[suit])]);
            }
            let aces = (hand & cards::ACES).count_ones();
            more(2, f32::from(longest == 2));
            more(3, f32::from(longest == 3));
            more(4, draws as f32 / (20.0 * self.unseen.count_ones().max(1) as f32));
            more(5, f32::from(aces == 2));
            more(6, aces as f32 / 2.0);
            more(7, (hand & TENS).count_ones() as f32 / 3.0);
            if self.game.rules.three_of_a_kind == Switch::On {
                let [a, b, c, d] = of_hand;
                more(8, f32::from(a & (b | c | d) != 0 || b & (c | d) != 0 || c & d != 0));
            }
            if table != 0 {
                more(9, share(reach.saturating_sub(score)));
                more(10, share(reach));
            }
        }
        if self.followers > 0 && table != 0 {
            let of = self.game.score(table);
            let longest = of_table.map(u8::count_ones).into_iter().max().unwrap_or(0);
            more(11, share(of));
            more(12, share(of) * share(of));
            more(13, f32::from(longest == 2));
            more(14, f32::from(longest == 3));
            more(15, (table & cards::ACES).count_ones() as f32 / 2.0);
            more(16, (table & TENS).count_ones() as f32 / 3.0);
            more(17, share(of) / f32::from(self.followers));
            more(18, f32::from(of > score));
            more(19, f32::from(score > 50) * share(of));
        }
        let last = self.last * BY_TABLE;
        add(SCORE + last + self.bin(score), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::FEATURES;
    use crate::FromRules as _;
    use crate::actions::ActionSet as _;
    use crate::game::hints::Hints as _;
    use crate::game::history::History;
    use crate::game::{Game as _, Sampler as _, Turn};
    use crate::games::schwimmen::{Rules, Schwimmen, State};
    use crate::options::Options as _;
    use crate::rng::Rng;

    const VARIANTS: [&str; 8] = [
        "players=2",
        "",
        "players=4,dealer_swap=open,three_of_a_kind=on",
        "players=5,utility=win,dealer_swap=off",
        "players=3,play=match,max_deals=3",
        "players=2,suits=3,ranks=4,max_turns=3",
        "players=2,suits=4,ranks=3,dealer_swap=open,three_of_a_kind=on",
        "players=4,utility=win,max_turns=5",
    ];

    /// Calls `check` at every decision of random games.
    fn at_every_decision(mut check: impl FnMut(&Schwimmen, &History<Schwimmen>, &mut Rng)) {
        for (index, rules) in (0..).zip(VARIANTS) {
            let game = Schwimmen::new(Rules::from_text(rules).unwrap()).unwrap();
            for deal in 0..20 {
                let mut rng = Rng::stream(index, "policy", deal);
                let mut history = History::dealt(&game, &mut rng);
                while let Turn::Seat(_) = game.turn(history.state()) {
                    check(&game, &history, &mut rng);
                    let action = game.legal(history.state()).pick(&mut rng);
                    history.push(&game, action);
                    history.settle(&game, &mut rng);
                }
            }
        }
    }

    fn logits(game: &Schwimmen, state: &State) -> Vec<f32> {
        game.legal(state).iter().map(|action| game.logit(state, action)).collect()
    }

    #[test]
    fn hidden_cards_do_not_change_the_logits() {
        let mut decisions = 0;
        at_every_decision(|game, history, rng| {
            let Turn::Seat(seat) = game.turn(history.state()) else { unreachable!() };
            let view = game.view(history, seat);
            let own = logits(game, history.state());
            assert_eq!(logits(game, &game.sampler(&view).sample(rng)), own);
            assert_eq!(logits(game, &view.seen), own);
            decisions += 1;
        });
        assert!(decisions > 2000);
    }

    #[test]
    fn features_are_small_and_not_repeated() {
        at_every_decision(|game, history, _| {
            for action in game.legal(history.state()).iter() {
                let mut given = [false; FEATURES];
                game.features(history.state(), action, &mut |feature, value| {
                    assert!(!std::mem::replace(&mut given[feature], true), "feature {feature} is repeated");
                    assert!((-2.0..=2.0).contains(&value), "feature {feature}: {value}");
                });
            }
        });
    }
}
