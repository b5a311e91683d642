//! The rulebook of Schweins-Galopp, rule by rule. Events are written as in records.
//!
//! Pigs start with `a` in front on space 4 and `e` last on space 0, unless a test says otherwise.

use stier_core::games::schweins_galopp::{Rules, SchweinsGalopp};
use stier_core::{FromRules as _, Game, History, Notation, Options, Rng, Seat, Turn};

/// A game under way.
#[derive(Clone)]
struct Table {
    game: SchweinsGalopp,
    history: History<SchweinsGalopp>,
}

impl Table {
    /// A game before the first pig is placed.
    fn new(rules: &str) -> Self {
        let game = SchweinsGalopp::new(Rules::from_text(rules).unwrap()).unwrap();
        let history = History::new(&game);
        Self { game, history }
    }

    /// Places the pigs, front first.
    fn place(mut self, pigs: &str) -> Self {
        for pig in pigs.chars() {
            self.event(&format!("place:{pig}"));
        }
        self
    }

    /// Deals these hands, starting with the first player of the round.
    fn deal(mut self, hands: &[&str]) -> Self {
        for turn in 0..hands[0].len() {
            for hand in hands {
                assert_eq!(self.turn(), Turn::Chance);
                self.event(&hand[turn..turn + 1]);
            }
        }
        assert!(self.turn().seat().is_some(), "the hands must be complete");
        self
    }

    /// Plays these events.
    fn play(mut self, events: &str) -> Self {
        for name in events.split_whitespace() {
            assert!(self.turn().seat().is_some(), "a player must act at {name}");
            self.event(name);
        }
        self
    }

    fn event(&mut self, name: &str) {
        let action = self.game.parse_event(self.history.state(), name).unwrap();
        self.game.check(self.history.state(), action).unwrap();
        self.history.push(&self.game, action);
    }

    fn turn(&self) -> Turn {
        self.game.turn(self.history.state())
    }

    fn mover(&self) -> u8 {
        self.turn().seat().expect("a player must act").0
    }

    fn possible(&self) -> String {
        let state = self.history.state();
        let names: Vec<String> = self.game.possible(state).iter().map(|&a| self.game.event_name(state, a)).collect();
        names.join(" ")
    }

    /// The rule that forbids this action now.
    fn refusal(&self, name: &str) -> String {
        let action = self.game.parse_event(self.history.state(), name).unwrap();
        self.game.check(self.history.state(), action).unwrap_err().rule
    }

    fn text(&self) -> String {
        self.game.text(self.history.state(), None)
    }

    fn word_after(&self, key: &str) -> String {
        let text = self.text();
        let word = text.split(key).nth(1).unwrap().split_whitespace().next().unwrap();
        word.to_string()
    }

    /// The spaces of the track from space 0: pigs by their letter, `*` for food, `.` for empty.
    fn track(&self) -> String {
        self.word_after("track from space 0: ")
    }

    /// The pigs in the order of the race.
    fn order(&self) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.contains("race: ")).unwrap();
        line.split("race: ").nth(1).unwrap().replace(' ', "")
    }

    fn supply(&self) -> u32 {
        self.word_after("supply: ").parse().unwrap()
    }

    /// The food of every seat, at risk or banked.
    fn food(&self, kind: &str) -> Vec<u32> {
        let text = self.text();
        let number = |line: &str| line.split(kind).nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        text.lines().filter(|line| line.starts_with("seat ")).map(number).collect()
    }

    fn at_risk(&self) -> Vec<u32> {
        self.food("at risk: ")
    }

    fn banked(&self) -> Vec<u32> {
        self.food("banked: ")
    }

    fn returns(&self) -> Vec<f64> {
        self.game.returns(self.history.state()).as_slice().to_vec()
    }
}

/// Two players with hands of seven, pigs a to e.
fn two(first: &str, second: &str) -> Table {
    Table::new("players=2").place("abcde").deal(&[first, second])
}

/// One round of a small game with two players and short hands.
fn short(hands: [&str; 2], more: &str) -> Table {
    Table::new(&format!("players=2,rounds=1,hand_size={}{more}", hands[0].len())).place("abcde").deal(&hands)
}

#[test]
fn material() {
    let game = Table::new("");
    assert_eq!(game.supply(), 55);
    assert_eq!(game.track().len(), 22);
    let dealing = game.clone().place("cadbe");
    let outcomes = dealing.game.chance(dealing.history.state());
    assert_eq!(outcomes.len(), 5);
    assert!(outcomes.iter().all(|outcome| outcome.probability == 7.0 / 35.0));
    assert_eq!(Table::new("food=50").supply(), 50);
}

#[test]
fn the_pigs_start_on_five_spaces_in_a_row_the_first_placed_in_front() {
    let game = Table::new("").place("cadbe");
    assert_eq!(game.track(), "ebdac.................");
    assert_eq!(game.order(), "cadbe");
}

#[test]
fn pigs_placed_by_chance_are_equally_likely_among_those_left() {
    let mut game = Table::new("");
    for (left, pig) in (1..=5).rev().zip("cadbe".chars()) {
        assert_eq!(game.turn(), Turn::Chance);
        let outcomes = game.game.chance(game.history.state());
        assert_eq!(outcomes.len(), left);
        assert!(outcomes.iter().all(|outcome| outcome.probability == 1.0 / left as f64));
        game = game.place(&pig.to_string());
    }
}

#[test]
fn placement_by_choice_belongs_to_the_first_player_of_the_round() {
    let rules = "players=3,placement=choice,rounds=2,hand_size=1";
    let game = Table::new(rules);
    assert_eq!(game.turn(), Turn::Seat(Seat(0)));
    assert_eq!(game.possible(), "place:a place:b place:c place:d place:e");
    let game = game.place("ca");
    assert_eq!(game.turn(), Turn::Seat(Seat(0)));
    assert_eq!(game.possible(), "place:b place:d place:e");
    assert_eq!(game.refusal("place:c"), "the pig is already on the track");
    let game = game.place("deb").deal(&["a", "b", "c"]).play("a b c");
    assert_eq!(game.turn(), Turn::Seat(Seat(1)), "seat 1 must start round 2");
}

#[test]
fn names_of_pigs_to_place_and_of_cards_are_distinct() {
    let game = Table::new("placement=choice");
    let error = game.game.parse_event(game.history.state(), "a").unwrap_err().to_string();
    assert!(error.contains("expected one of place:a place:b place:c place:d place:e"), "{error}");
    let game = two("aaaaaaa", "bbbbbbb");
    let error = game.game.parse_event(game.history.state(), "place:a").unwrap_err().to_string();
    assert!(error.contains("expected one of a b c d e"), "{error}");
}

#[test]
fn each_player_gets_seven_cards_in_turn_from_the_first_player_on() {
    let mut game = Table::new("players=3").place("abcde");
    let mut seats = Vec::new();
    for card in "abcabcabcdeadeadeabcd".chars() {
        seats.push(game.text().split("a card is dealt to seat ").nth(1).unwrap().to_string());
        game.event(&card.to_string());
    }
    assert_eq!(seats.concat(), "012012012012012012012");
    assert_eq!(game.turn(), Turn::Seat(Seat(0)));
}

#[test]
fn dealt_colours_become_rarer() {
    let game = Table::new("players=2").place("abcde");
    let mut game = game;
    "aaab".chars().for_each(|card| game.event(&card.to_string()));
    let odds: Vec<f64> = game.game.chance(game.history.state()).iter().map(|o| o.probability * 31.0).collect();
    let expected = [4.0, 6.0, 7.0, 7.0, 7.0];
    assert!(odds.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{odds:?}");
    "aaaab".chars().for_each(|card| game.event(&card.to_string()));
    assert_eq!(game.possible(), "b c d e", "all seven cards of a are dealt");
}

#[test]
fn a_card_that_is_not_in_hand_is_refused() {
    let game = two("aaabbbb", "ccccccc");
    assert_eq!(game.possible(), "a b");
    assert_eq!(game.refusal("c"), "the card is not in hand");
    assert_eq!(game.refusal("food:20"), "food may be laid only before the deal, and only with track_food=on");
}

#[test]
fn a_pig_with_a_free_space_ahead_moves_one_space() {
    let game = two("aaabbbb", "ccccccc").play("a");
    assert_eq!(game.track(), "edcb.a................");
    assert_eq!(game.order(), "abcde");
}

#[test]
fn a_pig_jumps_over_another_into_the_gap_behind_a_third() {
    // The first example of the rulebook: A jumps B and stands behind C.
    let game = two("aaabbbb", "ccccccc").play("a c");
    assert_eq!(game.track(), "ed.bca................");
    assert_eq!(game.order(), "acbde");
}

#[test]
fn a_pig_jumps_two_and_takes_the_lead() {
    // The second example: C jumps A and B.
    let game = two("ccccccc", "aaaaaaa").play("c");
    assert_eq!(game.track(), "ed.bac................");
    assert_eq!(game.order(), "cabde");
    assert_eq!(game.at_risk(), [1, 0]);
}

#[test]
fn the_last_pig_jumps_all_four_others() {
    let game = two("eeeeeee", "aaaaaaa").play("e");
    assert_eq!(game.track(), ".dcbae................");
    assert_eq!(game.order(), "eabcd");
}

#[test]
fn moving_the_leader_takes_food_and_so_does_taking_the_lead() {
    let game = two("aabbbbb", "ceeeeee").play("a");
    assert_eq!((game.at_risk(), game.supply()), (vec![1, 0], 54), "a led already");
    let game = game.play("c a e");
    assert_eq!(game.at_risk(), [2, 0], "c closes up and e jumps into a gap: neither leads");
    let game = game.play("b");
    assert_eq!((game.at_risk(), game.supply()), (vec![2, 0], 53));
}

#[test]
fn a_pig_that_is_not_first_after_its_move_earns_nothing() {
    let game = two("aabbbbb", "ddeeeee").play("a d");
    assert_eq!(game.track(), "e.cbda................");
    assert_eq!((game.at_risk(), game.supply()), (vec![1, 0], 54));
}

#[test]
fn a_lapping_pig_jumps_the_last_one() {
    // On a track of eight spaces, a runs alone to space 7 and meets the others, on spaces 0 to 3, from behind.
    let game = Table::new("players=2,track=8,food=50").place("abcde").deal(&["aaaabbb", "ccccccc"]);
    assert_eq!(game.track(), "edcba...");
    let game = game.play("a c");
    assert_eq!(game.track(), "ed.bca..");
    let game = game.play("a c a");
    assert_eq!(game.track(), "ed.b.c.a", "a has run 7 spaces");
    assert_eq!(game.order(), "acbde");
    let game = game.play("c a");
    assert_eq!(game.track(), "edab..c.", "a jumps e and d, which it laps");
    assert_eq!(game.order(), "acbde", "10 spaces run: a is first, though c stands on a higher space");
    assert_eq!(game.at_risk(), [4, 0], "every move of a led");
}

#[test]
fn a_pig_jumps_one_that_is_a_lap_ahead_and_does_not_lead() {
    let game =
        Table::new("players=2,track=8,food=50").place("abcde").deal(&["aaaaeee", "ccccccc"]).play("a c a c a c a c");
    assert_eq!(game.track(), "edab...c");
    let game = game.play("e");
    assert_eq!(game.track(), ".dabe..c", "e jumps d, then a, which is a lap ahead, then b");
    assert_eq!(game.order(), "acebd", "and is third in the race");
    assert_eq!(game.at_risk(), [4, 0], "nothing for a pig that is not first");
}

#[test]
fn three_leapfrogging_pigs_lap_the_others_on_the_track_of_22() {
    // c, b and a jump over one another, one space farther with each card; d and e stay where they started.
    let cards: Vec<char> = "cba".chars().cycle().take(21).chain("ddddeee".chars()).collect();
    let hands: Vec<String> = (0..4).map(|seat| cards.iter().skip(seat).step_by(4).collect()).collect();
    let hands: Vec<&str> = hands.iter().map(String::as_str).collect();
    let mut game = Table::new("rounds=1").place("abcde").deal(&hands);
    let mut cards = cards.iter().map(char::to_string);
    for _ in 0..17 {
        game = game.play(&cards.next().unwrap());
    }
    assert_eq!(game.track(), "ed.................acb");
    let game = game.play(&cards.next().unwrap());
    assert_eq!(game.track(), "eda.................cb", "a jumps c and b, and e and d, which it laps");
    assert_eq!(game.order(), "abcde");
    let game = game.play(&cards.next().unwrap());
    assert_eq!(game.track(), "edac.................b");
    assert_eq!(game.order(), "cabde", "c passes b, the last two and a");
    assert_eq!(game.at_risk(), [5, 5, 5, 4], "every move so far has led");
}

#[test]
fn an_empty_supply_gives_nothing_but_food_is_still_banked() {
    let game = short(["aaa", "bbb"], ",food=2").play("a b a");
    assert_eq!((game.at_risk(), game.supply()), (vec![2, 0], 0));
    let game = game.play("b");
    assert_eq!(game.at_risk(), [2, 0], "b does not lead");
    let game = game.play("a");
    assert_eq!((game.banked(), game.supply()), (vec![2, 0], 0), "the last card leads, takes nothing, and banks two");
}

#[test]
fn an_empty_supply_gives_nothing_to_a_pig_that_takes_the_lead() {
    let game = short(["bcc", "acc"], ",food=1").play("b a");
    assert_eq!(game.order(), "abcde", "b jumped a, and a jumped b");
    assert_eq!((game.at_risk(), game.supply()), (vec![1, 0], 0));
}

#[test]
fn food_lost_can_be_taken_again() {
    let game = short(["ae", "ba"], ",food=1").play("a b");
    assert_eq!((game.at_risk(), game.supply()), (vec![1, 0], 0));
    let game = game.play("e");
    assert_eq!((game.at_risk(), game.supply()), (vec![0, 0], 1), "seat 0's last card does not lead");
    let game = game.play("a");
    assert_eq!((game.banked(), game.supply()), (vec![0, 1], 0), "seat 1 takes and banks it");
}

#[test]
fn the_last_card_banks_the_food_at_risk_and_its_own() {
    let game = short(["aaa", "bbe"], "").play("a b a b a");
    assert_eq!(game.banked()[0], 3);
    assert_eq!(game.at_risk()[0], 0);
}

#[test]
fn the_last_card_loses_the_food_at_risk_if_its_pig_is_not_first() {
    let game = short(["aae", "bbb"], "").play("a b a");
    assert_eq!(game.at_risk()[0], 2);
    let supply = game.supply();
    let game = game.play("b e");
    assert_eq!((game.at_risk()[0], game.banked()[0]), (0, 0));
    assert!(game.supply() > supply, "it goes back to the supply");
}

#[test]
fn each_player_has_a_last_card_of_its_own() {
    let game = Table::new("players=3,rounds=1,hand_size=2").place("abcde").deal(&["be", "ab", "bb"]).play("b a b");
    assert_eq!(game.track(), "edc...ab..............", "each jumped the leader");
    assert_eq!(game.at_risk(), [1, 1, 1]);
    let game = game.play("e");
    assert_eq!((game.at_risk(), game.banked()), (vec![0, 1, 1], vec![0, 0, 0]), "seat 0 loses");
    let game = game.play("b");
    assert_eq!((game.at_risk(), game.banked()), (vec![0, 0, 1], vec![0, 2, 0]), "seat 1 banks");
    let game = game.play("b");
    assert_eq!((game.at_risk(), game.banked()), (vec![0, 0, 0], vec![0, 2, 2]), "and so does seat 2");
    assert_eq!((game.turn(), game.supply()), (Turn::Over, 51));
}

#[test]
fn each_player_lays_food_on_the_track_before_the_deal() {
    let game = Table::new("track_food=on,players=3").place("abcde");
    assert_eq!(game.mover(), 0);
    let spaces: Vec<String> = (9..22).map(|space| format!("food:{space}")).collect();
    assert_eq!(game.possible(), spaces.join(" "));
    let game = game.play("food:9 food:21");
    assert_eq!((game.mover(), game.supply()), (2, 53));
    assert_eq!(game.track(), "edcba....*...........*");
    let game = game.play("food:10");
    assert_eq!(game.turn(), Turn::Chance, "then cards are dealt");
}

#[test]
fn food_is_not_laid_on_forbidden_spaces() {
    let game = Table::new("track_food=on").place("abcde").play("food:12");
    assert_eq!(game.refusal("food:12"), "the space already has food");
    assert_eq!(game.refusal("food:4"), "a pig stands on the space");
    for space in 5..=8 {
        assert_eq!(
            game.refusal(&format!("food:{space}")),
            "the four spaces in front of the leading pig must stay clear"
        );
    }
    assert_eq!(game.refusal("a"), "food may be laid only before cards are played");
    let small = Table::new("track_food=on,players=2,track=12").place("abcde");
    assert_eq!(small.refusal("food:12"), "the track has 12 spaces");
}

#[test]
fn landing_on_food_takes_it_in_addition_to_the_usual_food() {
    let rules = "track_food=on,players=2,rounds=1,hand_size=5";
    let game = Table::new(rules).place("abcde").play("food:9 food:15").deal(&["aaaaa", "ccccc"]);
    let game = game.play("a c a c a c a c");
    assert_eq!(game.track(), "ed.b...ca*.....*......");
    assert_eq!(game.supply(), 55 - 2 - 4);
    let game = game.play("a");
    assert_eq!(game.banked(), [6, 0], "four at risk, the usual one, and the one on the space");
    assert_eq!(game.supply(), 55 - 1 - 6, "the other food lies on the track");
}

#[test]
fn food_on_the_track_can_be_taken_when_the_supply_is_empty() {
    let rules = "track_food=on,players=2,rounds=1,hand_size=6,food=2";
    let game = Table::new(rules).place("abcde").play("food:9 food:15").deal(&["aaaaaa", "cccccc"]);
    let game = game.play("a c a c a c a c");
    assert_eq!((game.at_risk(), game.supply()), (vec![0, 0], 0), "a led four times and got nothing");
    let game = game.play("a");
    assert_eq!((game.at_risk(), game.supply()), (vec![1, 0], 0), "the food on space 9, at risk");
    let game = game.play("c a");
    assert_eq!(game.banked(), [1, 0]);
}

#[test]
fn food_found_is_lost_with_the_rest_if_the_last_card_does_not_lead() {
    let rules = "track_food=on,players=2,rounds=1,hand_size=6";
    let game = Table::new(rules).place("abcde").play("food:9 food:15").deal(&["aaaaae", "cccccc"]);
    let game = game.play("a c a c a c a c a");
    assert_eq!((game.at_risk()[0], game.supply()), (6, 55 - 2 - 5));
    let game = game.play("c e");
    assert_eq!((game.at_risk()[0], game.banked()[0]), (0, 0));
    assert_eq!(game.supply(), 55 - 1, "only the food on space 15 is not in the supply");
}

#[test]
fn food_left_on_the_track_goes_back_at_the_end_of_the_round() {
    let rules = "track_food=on,players=2,rounds=2,hand_size=1";
    let game = Table::new(rules).place("abcde").play("food:9 food:15").deal(&["e", "a"]);
    assert_eq!(game.supply(), 53);
    let game = game.play("e a");
    assert_eq!(game.banked(), [1, 1]);
    assert_eq!((game.track(), game.supply()), (".".repeat(22), 53), "two of 55 are banked, two came back");
}

#[test]
fn with_an_empty_supply_no_player_lays_food() {
    let game = Table::new("track_food=on,players=4,food=2").place("abcde").play("food:9");
    assert_eq!(game.mover(), 1);
    let game = game.play("food:10");
    assert_eq!((game.turn(), game.supply()), (Turn::Chance, 0), "seats 2 and 3 have nothing to lay");
    // All food is banked in the first round, so none is laid in the second.
    let game = Table::new("track_food=on,players=2,food=2,rounds=2,hand_size=6,colours=3").place("abc");
    let game = game.play("food:7 food:8").deal(&["aaaaaa", "cccccc"]).play("a c a c a c a c a c a c");
    assert_eq!((game.banked(), game.supply()), (vec![2, 0], 0));
    let game = game.place("abc");
    assert_eq!((game.turn(), game.possible()), (Turn::Chance, "a b c".to_string()), "cards are dealt");
}

#[test]
fn the_first_player_of_the_next_round_is_the_left_neighbour() {
    let mut game = Table::new("players=3,rounds=4,hand_size=1");
    for first in [0, 1, 2, 0] {
        game = game.place("abcde").deal(&["a", "b", "c"]);
        assert_eq!(game.mover(), first);
        game = game.play("a b c");
    }
    assert_eq!(game.turn(), Turn::Over);
}

#[test]
fn in_each_round_the_pigs_start_again_and_all_cards_are_shuffled() {
    let game = Table::new("players=2,rounds=2,hand_size=2").place("abcde").deal(&["aa", "bb"]).play("a b a b");
    assert_eq!(game.track(), ".".repeat(22));
    let game = game.place("edcba");
    assert_eq!(game.track(), "abcde.................");
    assert!(game.game.chance(game.history.state()).iter().all(|outcome| outcome.probability == 0.2));
}

#[test]
fn banked_food_stays_banked_in_later_rounds() {
    let game = Table::new("players=2,rounds=2,hand_size=1").place("abcde").deal(&["a", "a"]).play("a a");
    assert_eq!((game.banked(), game.supply()), (vec![1, 1], 53));
    let game = game.place("abcde").deal(&["a", "e"]).play("a e");
    assert_eq!(game.banked(), [1, 2], "seat 1 began and banked; seat 0's e did not reach the front");
}

#[test]
fn returns_are_margin_score_or_a_share_of_one_win() {
    // Seats 1 and 2 bank two each, seat 0 nothing.
    let end = |utility: &str| {
        let rules = format!("players=3,rounds=1,hand_size=2,utility={utility}");
        Table::new(&rules).place("abcde").deal(&["be", "ab", "bb"]).play("b a b e b b").returns()
    };
    assert_eq!(end("score"), [0.0, 2.0, 2.0]);
    assert_eq!(end("margin"), [-2.0, 1.0, 1.0]);
    assert_eq!(end("win"), [-0.5, 0.25, 0.25]);
    // Two players: +1 and -1.
    let rules = "players=2,rounds=1,hand_size=1,utility=win";
    let game = Table::new(rules).place("abcde").deal(&["a", "c"]).play("a c");
    assert_eq!((game.banked(), game.returns()), (vec![1, 0], vec![1.0, -1.0]));
}

#[test]
fn if_no_player_banks_all_share_the_win() {
    let rules = "players=2,rounds=1,hand_size=2,utility=win";
    let game = Table::new(rules).place("abcde").deal(&["ae", "ad"]).play("a a e d");
    assert_eq!(game.track(), "..cbeda...............", "no last card reached the front");
    assert_eq!((game.turn(), game.banked(), game.supply()), (Turn::Over, vec![0, 0], 55));
    assert_eq!(game.returns(), [0.0, 0.0]);
}

#[test]
fn hands_are_hidden_and_everything_else_is_open() {
    let game = two("aabbbcc", "ccdeead").play("a");
    let seen = game.game.text(game.history.state(), Some(Seat(0)));
    assert!(seen.contains("hand: a b b b c c") && seen.contains("hand: ?? ?? ?? ?? ?? ?? ??"), "{seen}");
    let view = game.game.view(&game.history, Seat(1));
    let knowledge = game.game.knowledge(&view);
    assert_eq!(knowledge, "seat 1 | placed a b c d e | dealt 14: a c c d d e e | a");
}

#[test]
fn the_order_of_a_dealt_hand_is_not_known() {
    let [one, other] = ["abcdeab", "baedcba"].map(|hand| two(hand, "ccddeec"));
    for seat in [0, 1].map(Seat) {
        assert_eq!(one.game.view(&one.history, seat), other.game.view(&other.history, seat));
    }
    let third = two("abcdeac", "ccddeec");
    assert_ne!(one.game.view(&one.history, Seat(0)), third.game.view(&third.history, Seat(0)));
    assert_eq!(one.game.view(&one.history, Seat(1)), third.game.view(&third.history, Seat(1)));
}

#[test]
fn inconsistent_options_are_refused_with_the_reason() {
    let error = |text| SchweinsGalopp::new(Rules::from_text(text).unwrap()).unwrap_err().to_string();
    assert!(error("colours=3").contains("4 hands of 7 cards are more than the 21 race cards"));
    assert!(error("track_food=on,track=10").contains("at least 13 spaces"));
    for (text, allowed) in
        [("players=5", "between 2 and 4"), ("food=0", "between 1 and 255"), ("placement=best", "random or choice")]
    {
        assert!(Rules::from_text(text).unwrap_err().to_string().contains(allowed));
    }
}

#[test]
fn a_random_game_of_the_box_ends_after_three_rounds_of_28_cards() {
    let game = Table::new("");
    let mut rng = Rng::stream(1, "galopp", 0);
    let mut state = *History::dealt(&game.game, &mut rng).state();
    assert_eq!(game.game.playout(&mut state, &mut rng), 84);
    assert_eq!(game.game.info().max_decisions, 84);
    assert_eq!(game.game.info().max_chance_events, 3 * (5 + 28));
    assert_eq!(game.game.num_actions(), 27);
}
