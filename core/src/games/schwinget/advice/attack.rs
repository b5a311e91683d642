//! Study of the attack: the circumstances before it and the parts of its result.

use crate::actions::Action;
use crate::bits;
use crate::game::Game as _;
use crate::games::schwinget::cards::{COUNTER, PLAIN, REFEREE};
use crate::games::schwinget::rules::Scoring;
use crate::games::schwinget::state::{NOBODY, Neutral, State};
use crate::games::schwinget::{Schwinget, View};
use crate::seats::Seat;
use crate::utility::Utility;

use super::policy::Known;

/// The names of the [circumstances](Schwinget::circumstances) of an attack, in their order.
pub const CIRCUMSTANCES: [&str; 22] = [
    // Finished tricks, including a neutral one.
    "tricks",
    // Cards in the pile.
    "pile",
    // 1 if the player led the first trick of the bout.
    "opened",
    // Tricks taken, and tricks ahead.
    "own_tricks",
    "opponent_tricks",
    "lead",
    // 1 if a neutral trick waits for the winner of the next one.
    "neutral",
    // 1 if a suit is trump in this bout.
    "has_trump",
    // In hand: trumps, trumps above all unseen ones, suits other than trump, the length of the longest of them, and
    // their highest and next-to-highest values.
    "trumps",
    "boss_trumps",
    "plain_suits",
    "longest_plain",
    "plain_tops",
    "plain_seconds",
    // In hand.
    "referee",
    "counter",
    // Not in hand and not played.
    "referee_unseen",
    "counter_unseen",
    "trumps_unseen",
    // The share of the unseen cards that do not beat a card when it is led, on average over the hand. All cards beat
    // the referee, as in the last trick.
    "strength",
    // In the match: points ahead of the opponent, bouts after this one.
    "score_lead",
    "bouts_left",
];

/// The names of the [parts of a return](Schwinget::parts_of_return), in their order.
pub const PARTS_OF_RETURN: [&str; 4] = [
    // By number of tricks, without flat throws and consolation points.
    "result",
    // Added by the player's flat throw, and lost by the opponent's.
    "flat_throw",
    "opponents_flat_throw",
    // Own consolation points minus the opponent's.
    "consolation",
];

impl Schwinget {
    /// The action that locks the pile.
    pub fn attack(&self) -> Action {
        self.deck.attack()
    }

    /// The numbers that a player on lead has to consider before an attack, by [name](CIRCUMSTANCES).
    pub fn circumstances(&self, view: &View) -> [f32; CIRCUMSTANCES.len()] {
        let state = &view.seen;
        let known = Known::new(&self.deck, state);
        let (me, hand, unseen) = (known.me, known.hand, known.unseen);
        let count = |cards: u32| cards.count_ones() as f32;
        let kind = |card| known.kind(card);
        let plain: u32 =
            bits::members(hand).filter(|&card| (PLAIN..REFEREE).contains(&kind(card))).map(|card| 1 << card).sum();
        let suits = || self.deck.suit[..4].iter().map(|suit| plain & suit).filter(|&held| held != 0);
        let of_kind = |wanted: usize| bits::members(hand).filter(|&card| kind(card) == wanted).count() as f32;
        let [own, other] = [me, me ^ 1].map(|seat| f32::from(state.taken[seat]));
        let [own_score, other_score] = [me, me ^ 1].map(|seat| f32::from(state.scores[seat]) / 100.0);
        [
            f32::from(state.tricks),
            f32::from(state.pile),
            f32::from(usize::from(state.opener) == me),
            own,
            other,
            own - other,
            f32::from(state.neutral != Neutral::None),
            f32::from(known.trumps != 0),
            count(hand & known.trumps),
            known.boss_trumps() as f32,
            suits().count() as f32,
            suits().map(u32::count_ones).max().unwrap_or(0) as f32,
            of_kind(PLAIN + 5),
            of_kind(PLAIN + 4),
            of_kind(REFEREE),
            of_kind(COUNTER),
            count(unseen & self.deck.referee),
            count(unseen & self.deck.counter),
            count(unseen & known.trumps),
            known.strength(),
            own_score - other_score,
            f32::from(self.rules.bouts - 1 - state.bout),
        ]
    }

    /// The parts of the seat's return at the end of a match, by [name](PARTS_OF_RETURN); they sum to it. Unless it is
    /// the margin of a single bout, the whole return is the result.
    pub fn parts_of_return(&self, end: &State, seat: Seat) -> [f32; PARTS_OF_RETURN.len()] {
        let whole = self.rounded_returns(end)[seat];
        if self.rules.utility != Utility::Margin || self.rules.bouts > 1 {
            return [whole, 0.0, 0.0, 0.0];
        }
        let me = seat.index();
        let margin = |after_attack: [u8; 2], with_consolation: bool| {
            let verdict = self.verdicts.look_up(end.attacker, end.taken, after_attack);
            let [own, other] = [me, me ^ 1].map(|seat| f32::from(verdict.scores[seat]) / 100.0);
            // Under points the loser has nothing but the consolation point.
            let consoled = |seat: usize, score: f32| {
                if self.rules.scoring == Scoring::Points && verdict.winner == seat as u8 ^ 1 { score } else { 0.0 }
            };
            let consolation = consoled(me, own) - consoled(me ^ 1, other);
            own - other - if with_consolation { 0.0 } else { consolation }
        };
        let result = margin([0, 0], false);
        let thrown = margin(end.after_attack, false) - result;
        let thrower = self.verdicts.thrower(end.attacker, end.after_attack);
        let consolation = margin(end.after_attack, true) - margin(end.after_attack, false);
        debug_assert!(thrower != NOBODY || thrown == 0.0, "without a flat throw it adds nothing");
        if usize::from(thrower) == me { [result, thrown, 0.0, consolation] } else { [result, 0.0, thrown, consolation] }
    }
}

#[cfg(test)]
mod tests {
    use super::{CIRCUMSTANCES, Schwinget};
    use crate::games::schwinget::state::{NOBODY, State};
    use crate::record;
    use crate::{FromRules as _, Game as _, Options as _, Rng, Seat};

    fn game(rules: &str) -> Schwinget {
        Schwinget::new(crate::games::schwinget::Rules::from_text(rules).unwrap()).unwrap()
    }

    /// A finished bout.
    fn end(attacker: u8, taken: [u8; 2], after_attack: [u8; 2], scores: [u16; 2]) -> State {
        let over = crate::games::schwinget::state::Phase::Over;
        State { attacker, taken, after_attack, scores, phase: over, bout: 1, ..State::new(0, 0) }
    }

    #[test]
    fn parts_are_those_of_the_table_of_results() {
        let points = [
            // Won after an attack, the loser consoled: 3 to 1.
            (end(0, [6, 3], [4, 1], [300, 100]), [3.0, 0.0, 0.0, -1.0]),
            // A flat throw by the attacker, who had fewer tricks before: 7 instead of losing 0 to 3.
            (end(0, [5, 6], [5, 0], [700, 100]), [-3.0, 10.0, 0.0, -1.0]),
            // A flat throw by the defender: 5 instead of 3, against the attacker.
            (end(0, [0, 5], [0, 5], [0, 500]), [-3.0, 0.0, -2.0, 0.0]),
            // Nobody attacked: 2 to 1.
            (end(NOBODY, [5, 6], [0, 0], [100, 200]), [-2.0, 0.0, 0.0, 1.0]),
            (end(NOBODY, [5, 5], [0, 0], [100, 100]), [0.0, 0.0, 0.0, 0.0]),
        ];
        for (state, parts) in points {
            assert_eq!(game("").parts_of_return(&state, Seat(0)), parts);
            assert_eq!(game("").parts_of_return(&state, Seat(1))[3], -parts[3]);
        }
        let flat = end(1, [0, 5], [0, 5], [850, 1000]);
        assert_eq!(game("scoring=schwinger").parts_of_return(&flat, Seat(1)), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(game("scoring=schwinger").parts_of_return(&flat, Seat(0)), [-1.0, 0.0, -0.5, 0.0]);
    }

    #[test]
    fn parts_sum_to_the_return() {
        for rules in
            ["", "scoring=schwinger", "utility=win", "utility=score,bouts=3", "consolation_tricks=1,hand_size=2"]
        {
            let game = game(rules);
            for deal in 0..200 {
                let mut end = game.root();
                let mut rng = Rng::stream(deal, rules, 0);
                game.settle(&mut end, &mut rng);
                game.playout(&mut end, &mut rng);
                for seat in Seat::all(2) {
                    let difference =
                        game.parts_of_return(&end, seat).iter().sum::<f32>() - game.rounded_returns(&end)[seat];
                    assert!(difference.abs() < 1e-4, "{rules}: {end:?}");
                }
            }
        }
    }

    #[test]
    fn circumstances_are_those_of_the_hand() {
        let events = "G6 B1 G5 B2 KR B3 R6 B4 Y5 B5 G1";
        let text = format!("{}\ngame: schwinget\nrules:\nevents: {events}\nresult: open\n", record::HEADER);
        let (game, history) = record::read::<Schwinget>(&text).unwrap();
        let found = game.circumstances(&game.view(&history, Seat(0)));
        let is = |name: &str| found[CIRCUMSTANCES.iter().position(|known| *known == name).unwrap()];
        for (name, value) in [
            ("tricks", 0.0),
            ("pile", 12.0),
            ("opened", 1.0),
            ("has_trump", 1.0),
            ("trumps", 2.0),
            ("boss_trumps", 2.0),
            ("plain_suits", 2.0),
            ("longest_plain", 1.0),
            ("plain_tops", 1.0),
            ("plain_seconds", 1.0),
            ("referee", 1.0),
            ("counter", 0.0),
            ("counter_unseen", 1.0),
            ("trumps_unseen", 3.0),
            ("bouts_left", 0.0),
        ] {
            assert_eq!(is(name), value, "{name}");
        }
        // Of the 20 cards unseen the counter beats G6, none G5, all the referee, three trumps and the counter R6, three
        // trumps and Y6 the last.
        let beaten = [1.0, 0.0, 20.0, 4.0, 4.0];
        assert!((is("strength") - (1.0 - beaten.iter().sum::<f32>() / 100.0)).abs() < 1e-6, "{}", is("strength"));
    }
}
