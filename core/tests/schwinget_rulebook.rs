//! The rulebook of Schwinget, rule by rule. Events are written as in records; `+B3` is a card drawn from the pile.

use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Seat, Turn};

/// A match under way.
#[derive(Clone)]
struct Bout {
    game: Schwinget,
    history: History<Schwinget>,
}

impl Bout {
    /// A match before the first card.
    fn new(rules: &str) -> Self {
        let game = Schwinget::new(Rules::from_text(rules).unwrap()).unwrap();
        let history = History::new(&game);
        Self { game, history }
    }

    /// Deals these hands to seat 0 and seat 1 and turns a card up.
    fn deal(mut self, hands: [&str; 2], turned: &str) -> Self {
        let [zero, one] = hands.map(|hand| hand.split(' '));
        for (a, b) in zero.zip(one) {
            self.event(a, Turn::Chance);
            self.event(b, Turn::Chance);
        }
        self.event(turned, Turn::Chance);
        assert!(self.turn().seat().is_some(), "the hands must be complete");
        self
    }

    /// Plays these actions, and draws after a `+`.
    fn play(mut self, events: &str) -> Self {
        for name in events.split_whitespace() {
            match name.strip_prefix('+') {
                Some(card) => self.event(card, Turn::Chance),
                None => {
                    assert!(self.turn().seat().is_some(), "a player must act at {name}: {:?}", self.turn());
                    self.event(name, self.turn());
                }
            }
        }
        self
    }

    fn event(&mut self, name: &str, turn: Turn) {
        assert_eq!(self.turn(), turn, "at {name}");
        let action = match turn {
            Turn::Chance => self.game.parse_outcome(name).unwrap(),
            _ => self.game.parse_action(name).unwrap(),
        };
        self.game.check(self.history.state(), action).unwrap();
        self.history.push(&self.game, action);
    }

    fn turn(&self) -> Turn {
        self.game.turn(self.history.state())
    }

    /// The names of the legal actions.
    fn options(&self) -> String {
        let legal = self.game.legal(self.history.state());
        legal.iter().map(|action| self.game.action_name(action)).collect::<Vec<_>>().join(" ")
    }

    fn may_attack(&self) -> bool {
        self.options().contains("attack")
    }

    /// The tricks of both seats in this bout, from the text picture.
    fn tricks(&self) -> [usize; 2] {
        let text = self.game.text(self.history.state(), None);
        [0, 1].map(|seat| {
            let line = text.lines().find(|line| line.starts_with(&format!("seat {seat}"))).unwrap();
            line.split("tricks: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
        })
    }

    fn returns(&self) -> [f64; 2] {
        assert_eq!(self.turn(), Turn::Over);
        let returns = self.game.returns(self.history.state());
        [returns[Seat(0)], returns[Seat(1)]]
    }
}

/// Shorthand for a seat's turn.
fn seat(seat: u8) -> Turn {
    Turn::Seat(Seat(seat))
}

/// Returns are the scores of both players.
const SCORE: &str = "utility=score";
/// Without a pile: five tricks with the dealt cards.
const NO_PILE: &str = "utility=score,set_aside=16";

// Following and winning tricks.

#[test]
fn the_suit_led_must_be_followed() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "G3 G4 R3 KR BK"], "B1").play("attack G1");
    assert_eq!(bout.options(), "G3 G4");
}

#[test]
fn a_trump_may_be_played_instead_of_following() {
    let bout = Bout::new("").deal(["G6 G2 R1 R2 Y1", "G3 G4 R3 B2 B3"], "B1").play("attack G6");
    assert_eq!(bout.options(), "G3 G4 B2 B3");
    let bout = bout.play("B2");
    assert_eq!((bout.turn(), bout.tricks()), (seat(1), [0, 1]));
}

#[test]
fn a_trump_led_must_be_followed_too() {
    let bout = Bout::new("").deal(["B5 G2 R1 R2 Y1", "G3 G4 R3 B2 B6"], "B1").play("attack B5");
    assert_eq!(bout.options(), "B2 B6");
}

#[test]
fn without_the_suit_led_any_card_may_be_played() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "R3 R4 Y2 KR BK"], "B1").play("attack G1");
    assert_eq!(bout.options(), "R3 R4 Y2 KR BK");
}

#[test]
fn without_the_suit_led_trump_need_not_be_played() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "R3 R4 Y2 B2 BK"], "B1").play("attack G1");
    assert_eq!(bout.options(), "R3 R4 B2 Y2 BK");
}

#[test]
fn specials_anytime_may_be_played_on_a_suit_that_could_be_followed() {
    let bout = Bout::new("specials=anytime").deal(["G1 G2 R1 R2 Y1", "G3 G4 R3 KR BK"], "B1").play("attack G1");
    assert_eq!(bout.options(), "G3 G4 KR BK");
}

#[test]
fn nothing_must_be_followed_when_referee_or_counter_is_led() {
    let bout = Bout::new("").deal(["KR BK R1 R2 Y1", "G3 G4 R3 B2 B3"], "B1").play("attack");
    for led in ["KR", "BK"] {
        let bout = bout.clone().play(led);
        assert_eq!(bout.options(), "G3 G4 R3 B2 B3");
    }
}

#[test]
fn the_higher_value_wins() {
    let bout = Bout::new("").deal(["G3 G2 R1 R2 Y1", "G4 G1 R3 B2 B3"], "B1").play("attack G3");
    assert_eq!(bout.clone().play("G4").turn(), seat(1));
    assert_eq!(bout.play("G1").turn(), seat(0));
}

#[test]
fn a_higher_card_of_another_suit_loses() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "R3 R6 Y6 KR BK"], "B1").play("attack G1 Y6");
    assert_eq!((bout.turn(), bout.tricks()), (seat(0), [1, 0]));
}

#[test]
fn a_trump_led_beats_every_other_suit() {
    let bout = Bout::new("").deal(["B2 G2 R1 R2 Y1", "R3 R6 Y6 KR BK"], "B1").play("attack B2 R6");
    assert_eq!((bout.turn(), bout.tricks()), (seat(0), [1, 0]));
}

#[test]
fn there_is_no_trump_when_a_special_is_turned_up() {
    for special in ["KR", "BK"] {
        let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "R3 R4 R5 B5 B6"], special).play("attack G1 B6");
        assert_eq!(bout.tricks(), [1, 0], "{special} turned up: blue is not trump");
    }
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "R3 R4 R5 B5 B6"], "B1").play("attack G1 B6");
    assert_eq!(bout.tricks(), [0, 1], "B1 turned up: blue is trump");
}

// The counter.

#[test]
fn the_counter_beats_a_trump_six() {
    let bout = Bout::new("").deal(["B6 G2 R1 R2 Y1", "R3 R4 Y2 Y3 BK"], "B1").play("attack B6 BK");
    assert_eq!((bout.turn(), bout.tricks()), (seat(1), [0, 1]));
    let bout = Bout::new("").deal(["BK G2 R1 R2 Y1", "R3 R4 Y2 Y3 B6"], "B1").play("attack BK B6");
    assert_eq!((bout.turn(), bout.tricks()), (seat(0), [1, 0]));
}

#[test]
fn the_counter_loses_to_everything_but_a_six() {
    for low in ["G1", "R5", "B5"] {
        let hand = format!("{low} G2 R1 R2 Y1");
        let bout = Bout::new("").deal([&hand, "Y2 Y3 Y4 Y5 BK"], "B1").play(&format!("attack {low} BK"));
        assert_eq!((bout.turn(), bout.tricks()), (seat(0), [1, 0]), "{low} led");
        let hand = format!("{low} Y2 Y3 Y4 Y5");
        let bout = Bout::new("").deal(["BK G2 R1 R2 Y1", &hand], "B1").play(&format!("attack BK {low}"));
        assert_eq!((bout.turn(), bout.tricks()), (seat(1), [0, 1]), "{low} answers");
    }
}

#[test]
fn in_a_scaled_down_deck_the_counter_beats_its_highest_value() {
    let rules = "values=4,hand_size=2,set_aside=4";
    let bout = Bout::new(rules).deal(["G4 G1", "BK R1"], "B1").play("attack G4 BK");
    assert_eq!(bout.turn(), seat(1));
    let bout = Bout::new(rules).deal(["G3 G1", "BK R1"], "B1").play("attack G3 BK");
    assert_eq!(bout.turn(), seat(0));
}

// The referee.

#[test]
fn the_referee_makes_a_trick_neutral_and_its_player_decides() {
    let bout = Bout::new("").deal(["KR G2 R1 R2 Y1", "R3 R6 Y6 B6 BK"], "B1").play("attack KR B6");
    assert_eq!((bout.turn(), bout.tricks(), bout.options()), (seat(0), [0, 0], "lead:self lead:opponent".into()));
    let bout = Bout::new("").deal(["B6 G2 R1 R2 Y1", "R3 R6 Y6 KR BK"], "B1").play("attack B6 KR");
    assert_eq!((bout.turn(), bout.tricks(), bout.options()), (seat(1), [0, 0], "lead:self lead:opponent".into()));
}

#[test]
fn the_referee_decision_names_the_leader() {
    let hands = ["B6 G2 R1 R2 Y1", "R3 R6 Y6 KR BK"];
    assert_eq!(Bout::new("").deal(hands, "B1").play("attack B6 KR lead:self").turn(), seat(1));
    assert_eq!(Bout::new("").deal(hands, "B1").play("attack B6 KR lead:opponent").turn(), seat(0));
}

#[test]
fn the_neutral_trick_goes_to_the_winner_of_the_next() {
    let hands = ["KR G2 G6 R2 Y1", "R3 R6 Y6 G4 BK"];
    assert_eq!(Bout::new("").deal(hands, "B1").play("attack KR R3 lead:self G6 G4").tricks(), [2, 0]);
    assert_eq!(Bout::new("").deal(hands, "B1").play("attack KR R3 lead:self G2 G4").tricks(), [0, 2]);
}

#[test]
fn both_draw_before_the_referee_decision() {
    let bout = Bout::new("").deal(["KR G2 R1 R2 Y1", "R3 R6 Y6 B6 BK"], "B1").play("KR +G1 R3");
    assert_eq!(bout.turn(), Turn::Chance);
    assert_eq!(bout.play("+G3").options(), "lead:self lead:opponent");
}

#[test]
fn both_specials_in_one_trick_are_neutral_unless_it_is_the_last() {
    let bout = Bout::new("").deal(["KR G2 R1 R2 Y1", "R3 R6 Y6 B6 BK"], "B1").play("attack KR BK");
    assert_eq!((bout.turn(), bout.options()), (seat(0), "lead:self lead:opponent".into()));
    let bout = Bout::new("").deal(["BK G2 R1 R2 Y1", "R3 R6 Y6 B6 KR"], "B1").play("attack BK KR");
    assert_eq!((bout.turn(), bout.options()), (seat(1), "lead:self lead:opponent".into()));
}

#[test]
fn the_referee_led_in_the_last_trick_loses() {
    let bout =
        Bout::new(SCORE).deal(["G3 G4 G5 G6 KR", "G1 G2 R1 R2 R3"], "B6").play("attack G3 G1 G4 G2 G5 R1 G6 R2 KR R3");
    assert_eq!((bout.tricks(), bout.returns()), ([4, 1], [3.0, 0.0]));
}

#[test]
fn the_referee_answered_in_the_last_trick_loses() {
    let bout =
        Bout::new(SCORE).deal(["G3 G4 G5 G6 R1", "G1 G2 B1 B2 KR"], "Y6").play("attack G3 G1 G4 G2 G5 B1 G6 B2 R1 KR");
    assert_eq!((bout.tricks(), bout.returns()), ([5, 0], [7.0, 0.0]));
}

#[test]
fn the_referee_led_in_the_last_trick_loses_to_the_counter() {
    let bout =
        Bout::new(SCORE).deal(["G3 G4 G5 G6 KR", "G1 G2 R1 R2 BK"], "B6").play("attack G3 G1 G4 G2 G5 R1 G6 R2 KR BK");
    assert_eq!(bout.tricks(), [4, 1]);
}

#[test]
fn the_referee_answering_the_counter_in_the_last_trick_loses() {
    let bout =
        Bout::new(SCORE).deal(["G3 G4 G5 G6 BK", "G1 G2 R1 R2 KR"], "B6").play("attack G3 G1 G4 G2 G5 R1 G6 R2 BK KR");
    assert_eq!((bout.tricks(), bout.returns()), ([5, 0], [7.0, 0.0]));
}

#[test]
fn the_last_trick_without_an_attack_is_the_last_of_the_cards() {
    // Without a pile, the fifth trick is the last and the fourth is not.
    let hands = ["G3 G4 G5 G6 KR", "G1 G2 R1 R2 R3"];
    let bout = Bout::new(NO_PILE).deal(hands, "B6").play("G3 G1 G4 G2 G5 R1 KR R2");
    assert_eq!(bout.options(), "lead:self lead:opponent");
    let bout = Bout::new(NO_PILE).deal(hands, "B6").play("G3 G1 G4 G2 G5 R1 G6 R2 KR R3");
    assert_eq!(bout.tricks(), [4, 1]);
}

#[test]
fn a_neutral_trick_before_the_last_goes_with_the_last() {
    let bout = Bout::new(NO_PILE)
        .deal(["G3 G4 G5 G6 KR", "G1 G2 R1 R2 R3"], "B6")
        .play("G3 G1 G4 G2 G5 R1 KR R2 lead:opponent R3 G6");
    assert_eq!((bout.tricks(), bout.returns()), ([3, 2], [2.0, 0.0]));
}

// Drawing.

#[test]
fn leader_plays_and_draws_then_follower_plays_and_draws() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1").play("G2");
    assert_eq!(bout.turn(), Turn::Chance);
    let bout = bout.play("+G6");
    assert_eq!((bout.turn(), bout.options()), (seat(1), "G3".into()));
    let bout = bout.play("G3");
    assert_eq!((bout.turn(), bout.tricks()), (Turn::Chance, [0, 0]));
    let bout = bout.play("+Y6");
    assert_eq!((bout.turn(), bout.tricks()), (seat(1), [0, 1]));
    assert_eq!(bout.options(), "R4 Y2 Y6 KR BK attack");
    let bout = bout.play("Y6");
    assert_eq!(bout.turn(), Turn::Chance, "the winner leads and draws first");
    assert_eq!(bout.play("+B2 Y1 +B3").turn(), seat(1));
}

#[test]
fn eleven_tricks_without_an_attack_six_of_them_with_drawing() {
    let mut rng = Rng::stream(4, "eleven", 0);
    for _ in 0..100 {
        let mut bout = Bout::new("");
        let (mut plays, mut draws, mut plays_after_last_draw) = (0, 0, 0);
        while bout.turn() != Turn::Over {
            let state = *bout.history.state();
            match bout.turn() {
                Turn::Chance => {
                    draws += u32::from(plays > 0);
                    plays_after_last_draw = 0;
                    bout.history.push(&bout.game, bout.game.sample_chance(&state, &mut rng));
                }
                _ => {
                    let cards = bout.game.possible(&state).into_iter().filter(|action| action.0 != 26);
                    let action = cards.min_by_key(|_| rng.bits()).unwrap();
                    plays += u32::from(action.0 < 26);
                    plays_after_last_draw += u32::from(action.0 < 26);
                    bout.history.push(&bout.game, action);
                }
            }
        }
        assert_eq!((plays, draws, plays_after_last_draw), (22, 12, 10));
    }
}

// The attack.

#[test]
fn the_attack_comes_before_the_card_led_and_locks_the_pile() {
    let bout = Bout::new("").deal(["G1 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1");
    assert_eq!(bout.options(), "G1 G2 R1 R2 Y1 attack");
    let bout = bout.play("attack");
    assert_eq!((bout.turn(), bout.options()), (seat(0), "G1 G2 R1 R2 Y1".into()));
    assert_eq!(bout.play("G1").turn(), seat(1), "no player draws");
}

#[test]
fn no_attack_by_the_follower() {
    assert!(!Bout::new("").deal(["G1 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1").play("G1 +G4").may_attack());
}

#[test]
fn no_second_attack_by_either() {
    let bout = Bout::new("").deal(["G6 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1").play("attack G6 G3");
    assert_eq!((bout.turn(), bout.may_attack()), (seat(0), false));
    let bout = bout.play("R1 R4");
    assert_eq!((bout.turn(), bout.may_attack()), (seat(1), false));
}

#[test]
fn no_attack_on_an_empty_pile() {
    assert!(!Bout::new(NO_PILE).deal(["G1 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1").may_attack());
    let bout = Bout::new("set_aside=14").deal(["G6 G2 R1 R2 Y1", "G3 R4 Y2 KR BK"], "B1");
    assert!(bout.may_attack());
    let bout = bout.play("G6 +G4 G3 +G5");
    assert_eq!((bout.turn(), bout.may_attack()), (seat(0), false), "the pile of two has been drawn");
}

#[test]
fn an_attack_after_k_tricks_leaves_k_and_five() {
    for k in 0..=5 {
        for index in 0..20 {
            let mut rng = Rng::stream(k, "attack after", index);
            let mut bout = Bout::new("");
            let mut plays = 0;
            let mut attacked = false;
            while bout.turn() != Turn::Over {
                let state = *bout.history.state();
                let mut names: Vec<String> =
                    bout.game.possible(&state).iter().map(|&a| bout.game.event_name(&state, a)).collect();
                let may_attack = names.iter().any(|name| name == "attack");
                assert!(!attacked || bout.turn() != Turn::Chance, "no player draws after the attack");
                if may_attack && plays == 2 * k {
                    attacked = true;
                    names = vec!["attack".into()];
                }
                names.retain(|name| attacked || name != "attack");
                let name = names[rng.below(names.len() as u32) as usize].clone();
                plays += u64::from(bout.turn() != Turn::Chance && name.len() == 2);
                bout.event(&name, bout.turn());
            }
            assert!(attacked);
            assert_eq!(plays, 2 * (k + 5));
        }
    }
}

#[test]
fn attack_while_a_neutral_trick_is_pending() {
    let bout = Bout::new("").deal(["KR G5 G6 R6 B6", "G1 G2 R1 R2 Y3"], "B1").play("KR +Y2 R1 +B3 lead:self");
    assert!(bout.may_attack());
    let bout = bout.play("attack B6 B3");
    assert_eq!((bout.turn(), bout.tricks()), (seat(0), [2, 0]));
}

#[test]
fn a_neutral_trick_from_before_the_attack_counts_in_the_total_but_not_towards_the_flat_throw() {
    // Four of the five and the neutral one: five tricks, but not a flat throw.
    let bout = Bout::new(SCORE)
        .deal(["KR G5 G6 R6 B6", "G1 G2 R1 R2 Y3"], "B1")
        .play("KR +Y2 R1 +B3 lead:self attack B6 B3 G5 G1 G6 G2 R6 R2 Y2 Y3");
    assert_eq!((bout.tricks(), bout.returns()), ([5, 1], [3.0, 0.0]));
    // All of the five and the neutral one.
    let bout = Bout::new(SCORE)
        .deal(["KR G5 G6 R6 B6", "G1 G2 R1 R2 Y3"], "B1")
        .play("KR +Y6 R1 +B3 lead:self attack B6 B3 G5 G1 G6 G2 R6 R2 Y6 Y3");
    assert_eq!((bout.tricks(), bout.returns()), ([6, 0], [7.0, 0.0]));
}

#[test]
fn a_neutral_trick_from_after_the_attack_counts_towards_the_flat_throw() {
    let bout = Bout::new(SCORE)
        .deal(["KR G5 G6 R6 B6", "G1 G2 R1 B2 B3"], "Y1")
        .play("attack KR B3 lead:self G5 G1 G6 G2 R6 R1 B6 B2");
    assert_eq!((bout.tricks(), bout.returns()), ([5, 0], [7.0, 0.0]));
    // The neutral trick counts for either player: here the opponent wins it with the last trick.
    let bout = Bout::new(SCORE)
        .deal(["G5 G6 R6 B2 KR", "G1 G2 R1 B6 B3"], "Y1")
        .play("attack G5 G1 G6 G2 R6 R1 KR B3 lead:self B2 B6");
    assert_eq!((bout.tricks(), bout.returns()), ([3, 2], [3.0, 0.0]));
}

#[test]
fn the_referee_player_who_leads_may_attack() {
    let bout = Bout::new(SCORE).deal(["G1 G2 R1 R2 Y3", "KR G5 G6 R6 B6"], "B1").play("Y3 +B3 KR +Y6 lead:self");
    assert_eq!((bout.turn(), bout.may_attack()), (seat(1), true));
    let bout = bout.play("attack G5 G1 G6 G2 R6 R1 B6 B3 Y6 R2");
    assert_eq!((bout.tricks(), bout.returns()), ([0, 6], [0.0, 7.0]));
}

#[test]
fn the_opponent_told_to_lead_by_the_referee_may_attack() {
    let bout = Bout::new(SCORE).deal(["KR G5 G6 R6 B6", "G1 G2 R1 R2 Y3"], "B1").play("KR +Y6 R1 +B3 lead:opponent");
    assert_eq!((bout.turn(), bout.may_attack()), (seat(1), true));
    let bout = bout.play("attack G1 G5 G6 G2 R6 R2 B6 B3 Y6 Y3");
    assert_eq!((bout.tricks(), bout.returns()), ([6, 0], [5.0, 0.0]), "a flat throw against the opponent's attack");
}

// The flat throw.

/// Seat 1 wins five tricks, attacks, and loses the other five.
fn thrown_after_five(scoring: &str) -> Bout {
    Bout::new(&format!("{SCORE},{scoring}")).deal(["G1 R4 R5 R6 B5", "G2 G3 G4 G5 G6"], "KR").play(
        "G1 +Y1 G2 +R1  G3 +R2 Y1 +Y2  G4 +R3 Y2 +Y3  G5 +B1 Y3 +Y4  G6 +B2 Y4 +B6
         attack  R1 R4  R5 R2  R6 R3  B5 B1  B6 B2",
    )
}

#[test]
fn a_flat_throw_by_the_defender_wins_against_equal_totals() {
    assert_eq!(thrown_after_five("scoring=points").tricks(), [5, 5]);
    assert_eq!(thrown_after_five("scoring=schwinger").returns(), [10.0, 8.75]);
}

#[test]
fn the_loser_of_a_flat_throw_is_consoled_for_three_tricks() {
    assert_eq!(thrown_after_five("scoring=points").returns(), [5.0, 1.0]);
    assert_eq!(thrown_after_five("consolation_tricks=5").returns(), [5.0, 1.0]);
    assert_eq!(thrown_after_five("consolation_tricks=6").returns(), [5.0, 0.0]);
}

#[test]
fn a_flat_throw_wins_though_the_thrower_has_fewer_tricks_in_all() {
    let bout = Bout::new("utility=score,hand_size=3,set_aside=8").deal(["G1 R4 R5", "G2 G3 G4"], "KR").play(
        "G1 +Y1 G2 +R1  G3 +R2 Y1 +Y2  G4 +G5 Y2 +Y3  G5 +R3 Y3 +R6
         attack  R1 R4  R5 R2  R6 R3",
    );
    assert_eq!((bout.tricks(), bout.returns()), ([3, 4], [5.0, 1.0]));
}

#[test]
fn all_tricks_without_an_attack_are_not_a_flat_throw() {
    let bout =
        Bout::new(NO_PILE).deal(["G4 G5 G6 R5 R6", "G1 G2 G3 R1 R2"], "B1").play("G4 G1 G5 G2 G6 G3 R5 R1 R6 R2");
    assert_eq!((bout.tricks(), bout.returns()), ([5, 0], [2.0, 0.0]));
}

// The table of results.

/// One row: rules besides scoring, both hands, the play, the tricks, schwinger scores, points.
type Row = (&'static str, [&'static str; 2], &'static str, [usize; 2], [f64; 2], [f64; 2]);

const RESULTS: [Row; 8] = [
    // Flat throw, own attack.
    ("", ["G4 G5 G6 R5 R6", "G1 G2 G3 R1 R2"], "attack G4 G1 G5 G2 G6 G3 R5 R1 R6 R2", [5, 0], [10.0, 8.5], [7.0, 0.0]),
    // Flat throw, opponent's attack.
    (
        "",
        ["G1 G2 G3 R1 R2", "G4 G5 G6 R5 R6"],
        "attack G1 G4 G5 G2 G6 G3 R5 R1 R6 R2",
        [0, 5],
        [8.75, 10.0],
        [0.0, 5.0],
    ),
    // Win, the winner attacked.
    (
        "",
        ["G4 G5 G6 R1 R2", "G1 G2 G3 R3 R4"],
        "attack G4 G1 G5 G2 G6 G3 R1 R3 R4 R2",
        [3, 2],
        [9.75, 8.75],
        [3.0, 0.0],
    ),
    // Win, the loser attacked.
    (
        "",
        ["G5 G6 R1 R2 B1", "G1 G2 R3 R4 B6"],
        "attack G5 G1 G6 G2 R1 R3 R4 R2 B6 B1",
        [2, 3],
        [8.75, 9.75],
        [0.0, 3.0],
    ),
    // Win, without an attack.
    (
        "set_aside=16",
        ["G4 G5 G6 R1 R2", "G1 G2 G3 R3 R4"],
        "G4 G1 G5 G2 G6 G3 R1 R3 R4 R2",
        [3, 2],
        [9.75, 8.5],
        [2.0, 0.0],
    ),
    // Drawn bout.
    (
        "hand_size=4,set_aside=18",
        ["G5 G6 R1 R2", "G1 G2 R3 R4"],
        "G5 G1 G6 G2 R1 R3 R4 R2",
        [2, 2],
        [9.0, 9.0],
        [1.0, 1.0],
    ),
    // Drawn bout with an attack.
    ("hand_size=4", ["G5 G6 R1 R2", "G1 G2 R3 R4"], "attack G5 G1 G6 G2 R1 R3 R4 R2", [2, 2], [9.0, 9.0], [1.0, 1.0]),
    // Lost with three tricks.
    (
        "hand_size=7,set_aside=12",
        ["G4 G5 G6 B6 R1 R2 R3", "G1 G2 G3 B1 R4 R5 R6"],
        "G4 G1 G5 G2 G6 G3 B6 B1 R1 R4 R5 R2 R6 R3",
        [4, 3],
        [9.75, 8.5],
        [2.0, 1.0],
    ),
];

/// Plays a row of the table.
fn result(row: &Row, scoring: &str) -> Bout {
    let (rules, hands, events, ..) = *row;
    Bout::new(&format!("utility=score,scoring={scoring},{rules}")).deal(hands, "Y6").play(events)
}

#[test]
fn the_table_of_results_in_points() {
    for row in &RESULTS {
        let bout = result(row, "points");
        assert_eq!((bout.tricks(), bout.returns()), (row.3, row.5), "{row:?}");
    }
}

#[test]
fn the_table_of_results_as_in_wrestling() {
    for row in &RESULTS {
        let bout = result(row, "schwinger");
        assert_eq!((bout.tricks(), bout.returns()), (row.3, row.4), "{row:?}");
    }
}

#[test]
fn three_tricks_earn_a_consolation_point_and_two_do_not() {
    let rules = "utility=score,hand_size=7,set_aside=12";
    let two = Bout::new(rules)
        .deal(["G4 G5 G6 B5 B6 R1 R2", "G1 G2 G3 B1 B2 R3 R4"], "Y6")
        .play("G4 G1 G5 G2 G6 G3 B5 B1 B6 B2 R1 R3 R4 R2");
    assert_eq!((two.tricks(), two.returns()), ([5, 2], [2.0, 0.0]));
    let three = result(&RESULTS[7], "points");
    assert_eq!((three.tricks(), three.returns()), ([4, 3], [2.0, 1.0]));
}

#[test]
fn the_consolation_threshold_is_an_option() {
    let row = ("consolation_tricks=2", RESULTS[2].1, RESULTS[2].2, [3, 2], [9.75, 8.75], [3.0, 1.0]);
    assert_eq!(result(&row, "points").returns(), row.5);
    assert_eq!(result(&row, "schwinger").returns(), row.4, "as in wrestling, without consolation");
}

// The match. Bouts have two tricks and no pile.

const SMALL: &str = "suits=2,values=4,hand_size=2,set_aside=6";

/// Seat 0's result of a bout.
#[derive(Clone, Copy)]
enum Seat0 {
    Wins,
    Loses,
    Draws,
}
use Seat0::{Draws, Loses, Wins};

impl Bout {
    /// Plays a bout of the small match with this result, whichever seat opens it.
    fn bout(mut self, result: Seat0) -> Self {
        let opener = {
            let dealt = self.clone().deal(["G1 G2", "R1 R2"], "G3");
            dealt.turn().seat().unwrap()
        };
        // The cards of seat 0 and seat 1; green is led first.
        let (zero, one) = match result {
            Wins => ("G2 R2", "G1 R1"),
            Loses => ("G1 R1", "G2 R2"),
            Draws if opener == Seat(0) => ("G2 R1", "G1 R2"),
            Draws => ("G1 R2", "G2 R1"),
        };
        self = self.deal([zero, one], "KR");
        let [g0, r0] = [&zero[..2], &zero[3..]];
        let [g1, r1] = [&one[..2], &one[3..]];
        let first = if opener == Seat(0) { [g0, g1] } else { [g1, g0] };
        self = self.play(&first.join(" "));
        let second = if self.turn() == seat(0) { [r0, r1] } else { [r1, r0] };
        self.play(&second.join(" "))
    }

    /// The seat that opens the next bout.
    fn opener(self) -> Turn {
        self.deal(["G1 G2", "R1 R2"], "G3").turn()
    }
}

/// The match after these bouts.
fn after(scoring: &str, bouts: &[Seat0]) -> Bout {
    let start = Bout::new(&format!("{SMALL},scoring={scoring},bouts=12"));
    bouts.iter().fold(start, |bout, &result| bout.bout(result))
}

#[test]
fn seat_0_opens_the_first_bout() {
    assert_eq!(after("points", &[]).opener(), seat(0));
}

#[test]
fn the_loser_opens_the_next_bout() {
    for scoring in ["points", "schwinger"] {
        assert_eq!(after(scoring, &[Wins]).opener(), seat(1));
        assert_eq!(after(scoring, &[Loses]).opener(), seat(0));
        // The same if the loser of this bout is ahead in the match.
        assert_eq!(after(scoring, &[Wins, Wins, Loses]).opener(), seat(0));
        assert_eq!(after(scoring, &[Loses, Loses, Wins]).opener(), seat(1));
    }
}

#[test]
fn after_a_drawn_bout_the_seat_with_fewer_points_opens_seat_0() {
    for scoring in ["points", "schwinger"] {
        assert_eq!(after(scoring, &[Loses, Draws]).opener(), seat(0), "though it opened the bout before");
        assert_eq!(after(scoring, &[Loses, Draws, Draws]).opener(), seat(0));
    }
}

#[test]
fn after_a_drawn_bout_the_seat_with_fewer_points_opens_seat_1() {
    for scoring in ["points", "schwinger"] {
        assert_eq!(after(scoring, &[Wins, Draws]).opener(), seat(1), "though it opened the bout before");
        assert_eq!(after(scoring, &[Wins, Draws, Draws]).opener(), seat(1));
    }
}

#[test]
fn after_a_drawn_bout_with_equal_points_the_seat_opens_that_did_not() {
    for scoring in ["points", "schwinger"] {
        assert_eq!(after(scoring, &[Draws]).opener(), seat(1));
        assert_eq!(after(scoring, &[Draws, Draws]).opener(), seat(0));
        assert_eq!(after(scoring, &[Wins, Loses, Draws]).opener(), seat(1), "seat 0 opened the third bout");
        assert_eq!(after(scoring, &[Loses, Wins, Draws]).opener(), seat(0), "seat 1 opened the third bout");
    }
}

#[test]
fn an_attack_is_possible_again_in_the_next_bout() {
    let rules = "suits=2,values=4,hand_size=2,set_aside=4,bouts=2";
    let bout =
        Bout::new(rules).deal(["G2 R2", "G1 R1"], "KR").play("attack G2 G1 R2 R1").deal(["G2 R2", "G1 R1"], "KR");
    assert_eq!((bout.turn(), bout.options()), (seat(1), "G1 R1 attack".into()));
    assert_eq!(bout.play("G1").turn(), Turn::Chance, "the new pile is not locked");
}

#[test]
fn the_utility_of_a_match_is_margin_score_or_win() {
    let play = |scoring: &str, utility: &str, bouts: &[Seat0]| {
        let count = bouts.len();
        let start = Bout::new(&format!("{SMALL},scoring={scoring},utility={utility},bouts={count}"));
        bouts.iter().fold(start, |bout, &result| bout.bout(result)).returns()
    };
    assert_eq!(play("points", "margin", &[Wins, Draws, Wins]), [4.0, -4.0]);
    assert_eq!(play("points", "score", &[Wins, Draws, Wins]), [5.0, 1.0]);
    assert_eq!(play("points", "win", &[Wins, Draws, Wins]), [1.0, -1.0]);
    assert_eq!(play("points", "win", &[Loses, Draws]), [-1.0, 1.0]);
    assert_eq!(play("points", "win", &[Draws, Draws]), [0.0, 0.0]);
    assert_eq!(play("points", "score", &[Draws, Draws]), [2.0, 2.0]);
    assert_eq!(play("points", "margin", &[Wins, Loses]), [0.0, 0.0]);
    assert_eq!(play("schwinger", "margin", &[Loses, Draws]), [-1.25, 1.25]);
    assert_eq!(play("schwinger", "score", &[Loses, Draws]), [17.5, 18.75]);
    assert_eq!(play("schwinger", "win", &[Loses, Draws]), [-1.0, 1.0]);
}
