//! The rulebook of Up & Down, rule by rule. Events are written as in records.

use stier_core::games::up_and_down::{Rules, UpAndDown};
use stier_core::{ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};

/// A game under way.
#[derive(Clone)]
struct Table {
    game: UpAndDown,
    history: History<UpAndDown>,
}

impl Table {
    /// A game before the first card.
    fn new(rules: &str) -> Self {
        let game = UpAndDown::new(Rules::from_text(rules).unwrap()).unwrap();
        let history = History::new(&game);
        Self { game, history }
    }

    /// Deals these hands to the seats in turn, then applies the dice and the UP&DOWN card.
    fn deal(mut self, hands: &[&str], setup: &str) -> Self {
        let hands: Vec<Vec<&str>> = hands.iter().map(|hand| hand.split(' ').collect()).collect();
        for place in 0..hands[0].len() {
            for hand in &hands {
                self.event(hand[place]);
            }
        }
        setup.split(' ').for_each(|name| self.event(name));
        assert!(self.turn().seat().is_some(), "the hands must be complete");
        self
    }

    /// Plays these events, including random ones.
    fn play(mut self, events: &str) -> Self {
        events.split_whitespace().for_each(|name| self.event(name));
        self
    }

    fn event(&mut self, name: &str) {
        let action = match self.turn() {
            Turn::Chance => self.game.parse_outcome(name).unwrap(),
            _ => self.game.parse_action(name).unwrap(),
        };
        self.game.check(self.history.state(), action).unwrap();
        self.history.push(&self.game, action);
    }

    fn turn(&self) -> Turn {
        self.game.turn(self.history.state())
    }

    /// The names of the possible events.
    fn possible(&self) -> String {
        let state = self.history.state();
        let names: Vec<_> = self.game.possible(state).iter().map(|&a| self.game.event_name(state, a)).collect();
        names.join(" ")
    }

    fn text(&self) -> String {
        self.game.text(self.history.state(), None)
    }

    /// The numbers after `label` in the text picture, by seat.
    fn column(&self, label: &str) -> Vec<String> {
        let text = self.text();
        let rows = text.lines().filter(|line| line.starts_with("seat "));
        rows.map(|row| row.split(label).nth(1).unwrap().split_whitespace().next().unwrap().to_string()).collect()
    }

    /// The tricks of this round by seat, and those in the pot.
    fn tricks(&self) -> (Vec<u32>, u32) {
        let text = self.text();
        let pot = text.lines().next().unwrap().split("pot: ").nth(1).unwrap();
        (self.column("tricks: ").iter().map(|count| count.parse().unwrap()).collect(), pot.parse().unwrap())
    }

    /// The suits that point at the seats.
    fn suits(&self) -> String {
        self.column("suit: ").concat()
    }

    fn returns(&self) -> Vec<f64> {
        assert_eq!(self.turn(), Turn::Over);
        self.game.returns(self.history.state()).as_slice().to_vec()
    }

    fn knowledge(&self, seat: u8) -> String {
        self.game.knowledge(&self.game.view(&self.history, Seat(seat)))
    }

    /// The error for an action that is not legal.
    fn refused(&self, name: &str) -> String {
        let action = self.game.parse_action(name).unwrap();
        self.game.check(self.history.state(), action).unwrap_err().to_string()
    }
}

/// Shorthand for a seat's turn.
fn seat(seat: u8) -> Turn {
    Turn::Seat(Seat(seat))
}

/// Plays one trick with these cards, seat by seat, under these rules, and returns the winner. Each hand has another
/// card, so that the round goes on.
fn trick(trump: &str, side: &str, orientation: usize, cards: &str) -> Option<usize> {
    let cards: Vec<&str> = cards.split(' ').collect();
    let mut others = "D2 D3 D4 D5 D6 D7 D8 H2 H3 H4".split(' ').filter(|card| !cards.contains(card));
    let hands: Vec<String> = cards.iter().map(|card| format!("{card} {}", others.next().unwrap())).collect();
    let hands: Vec<&str> = hands.iter().map(String::as_str).collect();
    let players = cards.len();
    let before = (orientation + 3) % 4;
    let mut table = Table::new(&format!("players={players},hand_size=2"))
        .deal(&hands, &format!("dice:{trump} {side} orient:{before}"))
        .play("rotate:1");
    for _ in 0..players {
        let chooser = table.turn().seat().expect("a player must choose").index();
        table.event(cards[chooser]);
    }
    let (tricks, pot) = table.tricks();
    assert_eq!(tricks.iter().sum::<u32>() + pot, 1);
    tricks.iter().position(|&taken| taken == 1)
}

/// Orientation 0 with three or four players: diamonds point at seat 0, hearts at seat 1, spades at seat 2 (and clubs
/// at seat 3).
const DHS: usize = 0;
const POT: Option<usize> = None;

// The examples of the rulebook.

#[test]
fn example_a_the_nine_in_its_players_suit_beats_the_five_and_the_ten_off_suit() {
    let (kim, cards) = (0, "D9 H5 CT");
    assert_eq!(trick("3", "up", DHS, cards), Some(kim));
}

#[test]
fn example_b_two_queens_neutralise_each_other_and_the_jack_wins() {
    let alex = 2;
    assert_eq!(trick("3", "up", DHS, "DQ SQ SJ"), Some(alex));
    // Without the second queen, the first one would have won.
    assert_eq!(trick("3", "up", DHS, "DQ S9 SJ"), Some(0));
}

#[test]
fn example_c_two_cards_of_the_trump_value_neutralise_each_other_and_the_trick_goes_into_the_pot() {
    assert_eq!(trick("7", "up", DHS, "C7 S7 HT"), POT);
    // In the third player's suit, the ten would have won.
    assert_eq!(trick("7", "up", DHS, "C7 S7 ST"), Some(2));
}

// The winner of a trick.

#[test]
fn up_the_highest_wins_and_down_the_lowest() {
    assert_eq!(trick("2", "up", DHS, "D9 H5 ST"), Some(2));
    assert_eq!(trick("2", "down", DHS, "D9 H5 ST"), Some(1));
}

#[test]
fn a_card_off_suit_never_wins() {
    assert_eq!(trick("2", "up", DHS, "HQ H5 D9"), Some(1));
    assert_eq!(trick("2", "down", DHS, "H3 H5 D4"), Some(1));
}

#[test]
fn without_a_card_on_suit_the_trick_goes_into_the_pot() {
    assert_eq!(trick("2", "up", DHS, "HQ D5 D9"), POT);
}

#[test]
fn suits_follow_the_current_orientation() {
    // One quarter turn on: hearts at seat 0, spades at seat 1, clubs at seat 2.
    assert_eq!(trick("2", "up", 1, "D9 H5 CT"), Some(2));
    assert_eq!(trick("2", "up", 1, "H9 D5 DT"), Some(0));
}

#[test]
fn two_players_sit_opposite_each_other() {
    // Diamonds at seat 0, spades at seat 1.
    assert_eq!(trick("2", "up", 0, "D5 SQ"), Some(1));
    assert_eq!(trick("2", "up", 0, "D5 HQ"), Some(0));
    assert_eq!(trick("2", "up", 3, "C5 HQ"), Some(1));
}

#[test]
fn a_trump_wins_whatever_its_suit() {
    assert_eq!(trick("7", "up", DHS, "C7 H5 S4"), Some(0));
}

#[test]
fn a_trump_beats_higher_cards_when_up() {
    assert_eq!(trick("3", "up", DHS, "DQ C3 SJ"), Some(1));
}

#[test]
fn a_trump_beats_lower_cards_when_down() {
    assert_eq!(trick("12", "down", DHS, "D2 H3 CQ"), Some(2));
    assert_eq!(trick("9", "down", DHS, "D2 C9 S3"), Some(1));
}

#[test]
fn ten_jack_and_queen_are_ten_eleven_and_twelve() {
    assert_eq!(trick("10", "up", DHS, "CT HJ SQ"), Some(0));
    assert_eq!(trick("11", "up", DHS, "CT HJ SQ"), Some(1));
    assert_eq!(trick("12", "up", DHS, "CT HJ DQ"), Some(2));
    assert_eq!(trick("2", "up", DHS, "D9 HT SJ"), Some(2));
}

#[test]
fn equal_values_neutralise_each_other_whatever_their_suits() {
    // The nine of clubs cannot win, but still cancels the nine of diamonds.
    assert_eq!(trick("2", "up", DHS, "D9 H5 C9"), Some(1));
    assert_eq!(trick("2", "down", DHS, "D3 H5 C3"), Some(1));
}

#[test]
fn neutralised_trumps_leave_the_trick_to_the_others() {
    assert_eq!(trick("5", "up", DHS, "D5 H5 S2"), Some(2));
    assert_eq!(trick("5", "down", DHS, "D5 H5 SQ"), Some(2));
}

#[test]
fn three_trumps_neutralise_each_other() {
    assert_eq!(trick("5", "up", DHS, "D5 H5 S5 C2"), Some(3));
    assert_eq!(trick("5", "up", DHS, "D5 H5 S5 D2"), POT);
}

#[test]
fn three_equal_cards_neutralise_each_other() {
    assert_eq!(trick("2", "up", DHS, "D8 H8 S8"), POT);
    assert_eq!(trick("2", "up", DHS, "D8 H8 S8 C4"), Some(3));
}

#[test]
fn four_equal_cards_neutralise_each_other() {
    assert_eq!(trick("2", "up", DHS, "D8 H8 S8 C8"), POT);
    assert_eq!(trick("8", "down", DHS, "D8 H8 S8 C8"), POT);
}

#[test]
fn two_pairs_neutralise_each_other() {
    assert_eq!(trick("2", "up", DHS, "D8 HT S8 CT"), POT);
    assert_eq!(trick("8", "up", DHS, "D8 HT S8 CT"), POT);
}

#[test]
fn a_trump_value_that_is_not_played_changes_nothing() {
    assert_eq!(trick("12", "down", DHS, "D9 H5 ST"), Some(1));
}

// The pot.

/// Two players; diamonds at seat 0 and spades at seat 1, seat 0 is the boss; the trump value is 12.
fn duel(hands: [&str; 2]) -> Table {
    let size = hands[0].split(' ').count();
    Table::new(&format!("players=2,utility=score,hand_size={size}")).deal(&hands, "dice:12 down orient:0")
}

#[test]
fn the_winner_of_a_trick_takes_the_pot_with_it() {
    let table = duel(["H2 H3 D4 D5", "C2 C3 C4 S6"]);
    assert_eq!(table.turn(), seat(0));
    let table = table.play("flip H3 C2");
    assert_eq!(table.tricks(), (vec![0, 0], 1));
    let table = table.play("flip C4 H2");
    assert_eq!(table.tricks(), (vec![0, 0], 2));
    let table = table.play("flip D5 C3");
    assert_eq!(table.tricks(), (vec![3, 0], 0));
    let table = table.play("flip S6 D4");
    assert_eq!(table.tricks(), (vec![4, 0], 0));
    assert_eq!(table.returns(), [4.0, 0.0]);
}

#[test]
fn the_pot_left_after_the_last_trick_is_lost() {
    let table = duel(["D4 H2 H3", "C4 C2 C3"]).play("flip D4 C4 flip C2 H2 flip H3 C3");
    assert_eq!(table.tricks(), (vec![0, 0], 3));
    assert_eq!(table.returns(), [0.0, 0.0]);
}

#[test]
fn the_pot_is_not_carried_into_the_next_round() {
    let table = Table::new("players=2,utility=score,hand_size=1,rounds=2")
        .deal(&["H2", "C2"], "dice:12 down orient:0")
        .play("flip H2 C2")
        .deal(&["D4", "C5"], "dice:12 down orient:0")
        .play("flip D4 C5");
    assert_eq!(table.returns(), [1.0, 0.0]);
}

// The boss.

#[test]
fn clubs_point_at_the_first_boss() {
    let boss = |players: usize, orientation: usize| {
        let hands = ["D2", "H2", "S2", "C2"];
        let table = Table::new(&format!("players={players},hand_size=1"))
            .deal(&hands[..players], &format!("dice:7 up orient:{orientation}"));
        table.turn()
    };
    assert_eq!([0, 1, 2, 3].map(|o| boss(4, o)), [3, 2, 1, 0].map(seat));
    // The fourth side is empty: the next seat clockwise.
    assert_eq!([0, 1, 2, 3].map(|o| boss(3, o)), [0, 2, 1, 0].map(seat));
    // The second and the fourth side are empty.
    assert_eq!([0, 1, 2, 3].map(|o| boss(2, o)), [0, 1, 1, 0].map(seat));
}

#[test]
fn the_left_neighbour_is_the_next_boss_whatever_the_winner() {
    let mut table =
        Table::new("players=3,hand_size=3").deal(&["D2 D3 D4", "H5 H6 H7", "S8 S9 ST"], "dice:12 down orient:1");
    for (boss, cards) in [(2, "S8 D2 H5"), (0, "D3 H6 S9"), (1, "H7 ST D4")] {
        assert_eq!(table.turn(), seat(boss));
        table = table.play("flip").play(cards);
    }
    assert_eq!(table.turn(), Turn::Over);
}

#[test]
fn the_boss_must_change_the_rules_before_cards_are_chosen() {
    let table = duel(["D2 D3", "S4 S5"]);
    assert_eq!(table.possible(), "flip rotate:1 rotate:2 rotate:3 roll");
    let error = table.refused("D2");
    assert!(error.contains("illegal action D2 (0): the boss must change the rules"), "{error}");
    assert!(error.contains("legal here: flip (44), rotate:1 (45)"), "{error}");
}

#[test]
fn the_rules_are_changed_once_in_a_trick() {
    for change in ["flip", "rotate:2", "roll dice:3"] {
        let table = duel(["D2 D3", "S4 S5"]).play(change);
        assert_eq!((table.turn(), table.possible()), (seat(0), "D2 D3".to_string()));
        let error = table.refused("flip");
        assert!(error.contains("the rules of this trick have been changed already"), "{error}");
        let error = table.refused("S4");
        assert!(error.contains("the card is not in hand"), "{error}");
    }
}

#[test]
fn a_flip_turns_the_side_and_changes_no_suit() {
    let table = duel(["D2 D3", "S4 S5"]);
    assert!(table.text().contains("DOWN") && table.suits() == "DS");
    let flipped = table.play("flip");
    assert!(flipped.text().contains("UP, the highest wins   trump: Q") && flipped.suits() == "DS");
}

#[test]
fn a_rotation_changes_all_suits_and_nothing_else() {
    let start = Table::new("hand_size=1").deal(&["D2", "H2", "S2", "C2"], "dice:7 up orient:0");
    assert_eq!(start.suits(), "DHSC");
    for (change, suits) in [("rotate:1", "HSCD"), ("rotate:2", "SCDH"), ("rotate:3", "CDHS")] {
        let table = start.clone().play(change);
        assert_eq!(table.suits(), suits);
        assert!(table.text().contains("UP, the highest wins   trump: 7"));
        assert!(start.suits().chars().zip(suits.chars()).all(|(before, now)| before != now));
    }
}

#[test]
fn a_roll_changes_the_trump_value_and_nothing_else() {
    let table = duel(["D2 D3", "S4 S5"]).play("roll");
    assert_eq!(table.turn(), Turn::Chance);
    assert!(!table.possible().contains("dice:12"), "the old sum does not count: {}", table.possible());
    let table = table.play("dice:3");
    assert!(table.text().contains("DOWN, the lowest wins   trump: 3") && table.suits() == "DS");
}

#[test]
fn the_dice_are_rolled_until_their_sum_changes() {
    let ways = |sum: u32| f64::from(6 - sum.abs_diff(7));
    for before in 2..=12 {
        let table =
            Table::new("players=2,hand_size=1").deal(&["D2", "S4"], &format!("dice:{before} up orient:0")).play("roll");
        let outcomes = table.game.chance(table.history.state());
        assert_eq!(outcomes.len(), 10);
        let mut sum = 0.0;
        for outcome in outcomes {
            let name = table.game.outcome_name(outcome.action);
            let rolled: u32 = name.strip_prefix("dice:").unwrap().parse().unwrap();
            assert_ne!(rolled, before);
            assert!((outcome.probability - ways(rolled) / (36.0 - ways(before))).abs() < 1e-15);
            sum += outcome.probability;
        }
        assert!((sum - 1.0).abs() < 1e-12);
    }
}

// The setup.

#[test]
fn hands_have_fifteen_fourteen_or_eleven_cards() {
    for (players, cards, undealt) in [(2, 15, 14), (3, 14, 2), (4, 11, 0)] {
        let mut table = Table::new(&format!("players={players}"));
        let mut dealt = 0;
        while table.possible().split(' ').all(|name| name.len() == 2 && name != "up") && dealt < 44 {
            let first = table.possible().split(' ').next().unwrap().to_string();
            table.event(&first);
            dealt += 1;
        }
        assert_eq!((dealt, 44 - dealt), (players * cards, undealt));
        assert!(table.possible().starts_with("dice:2 "));
    }
}

#[test]
fn the_setup_is_dice_then_side_then_orientation() {
    let mut table = Table::new("players=2,hand_size=1").play("D2 S4");
    let probabilities = |table: &Table| -> Vec<f64> {
        table.game.chance(table.history.state()).iter().map(|outcome| outcome.probability).collect()
    };
    let sums = probabilities(&table);
    assert_eq!(sums, [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1].map(|ways| f64::from(ways) / 36.0));
    table.event("dice:7");
    assert_eq!((table.possible().as_str(), probabilities(&table)), ("up down", vec![0.5; 2]));
    table.event("down");
    assert_eq!(table.possible(), "orient:0 orient:1 orient:2 orient:3");
    assert_eq!(probabilities(&table), [0.25; 4]);
}

// Simultaneous choices.

#[test]
fn players_choose_from_the_boss_on_and_the_last_choice_turns_the_cards_up() {
    let table = Table::new("players=3,hand_size=2").deal(&["D2 D3", "H5 H6", "S8 S9"], "dice:7 up orient:1");
    assert!(table.game.info().simultaneous);
    let table = table.play("rotate:3 S8");
    assert_eq!(table.turn(), seat(0));
    assert!(table.knowledge(2).ends_with("| rotate:3 - - S8"));
    assert!(table.knowledge(0).ends_with("| rotate:3 - - ?"));
    let table = table.play("D3");
    assert_eq!(table.turn(), seat(1));
    assert!(table.knowledge(0).ends_with("| rotate:3 D3 - ?"));
    assert!(table.knowledge(1).ends_with("| rotate:3 ? - ?"));
    assert!(table.knowledge(2).ends_with("| rotate:3 ? - S8"));
    let table = table.play("H6");
    for seat in 0..3 {
        assert!(table.knowledge(seat).ends_with("| rotate:3 D3 H6 S8"), "{}", table.knowledge(seat));
    }
}

#[test]
fn cards_face_down_are_shown_to_their_players_only() {
    let table = Table::new("players=2,hand_size=2").deal(&["D2 D3", "S4 S5"], "dice:7 up orient:0").play("flip D3");
    let shown = |seat: u8| table.game.text(table.history.state(), Some(Seat(seat)));
    assert!(shown(0).contains("card: D3") && shown(0).contains("hand: ?? ??"), "{}", shown(0));
    assert!(shown(1).contains("card: ?? ") && !shown(1).contains("D3"), "{}", shown(1));
    let table = table.play("S4");
    assert!(table.game.text(table.history.state(), Some(Seat(1))).contains("card: D3"), "the last trick lies open");
    let table = table.play("flip");
    assert_eq!(table.column("card: "), ["-", "-"]);
}

#[test]
fn a_choice_reveals_nothing_until_all_have_chosen() {
    let start = Table::new("players=3,hand_size=2").deal(&["D2 D3", "H5 H6", "S8 S9"], "dice:7 up orient:1");
    let observed = |table: &Table, name: &str, observer: u8| {
        let action = table.game.parse_action(name).unwrap();
        table.game.observed(table.history.state(), action, Seat(observer))
    };
    // The boss's change is public.
    for observer in 0..3 {
        assert_ne!(observed(&start, "flip", observer), observed(&start, "roll", observer));
    }
    let first = start.play("flip");
    assert_ne!(observed(&first, "S8", 2), observed(&first, "S9", 2));
    assert_eq!(observed(&first, "S8", 0), observed(&first, "S9", 0));
    assert_eq!(observed(&first, "S8", 1), observed(&first, "S9", 1));
    // The last card reveals all cards, including earlier choices, to everyone.
    let one = first.clone().play("S8 D2");
    let other = first.play("S9 D2");
    for observer in 0..3 {
        let all = [
            observed(&one, "H5", observer),
            observed(&one, "H6", observer),
            observed(&other, "H5", observer),
            observed(&other, "H6", observer),
        ];
        assert!((0..4).all(|a| (0..a).all(|b| all[a] != all[b])), "{all:?}");
    }
}

#[test]
fn choices_face_down_are_among_the_worlds() {
    let table = Table::new("players=2,die_faces=2,hand_size=2").deal(&["D2 D3", "S3 S4"], "dice:3 up orient:0");
    let count = |table: &Table, seat: u8| table.game.sampler(&table.game.view(&table.history, Seat(seat))).count();
    // Two of the ten unseen cards.
    assert_eq!((count(&table, 0), count(&table, 1)), (45, 45));
    let table = table.play("flip D3");
    // For seat 1, either of them may lie face down.
    assert_eq!((count(&table, 0), count(&table, 1)), (45, 90));
    let table = table.play("S4");
    // One of the nine unseen cards.
    assert_eq!((count(&table, 0), count(&table, 1)), (9, 9));
}

// Rounds, scores, ties.

#[test]
fn every_round_has_a_new_setup_and_scores_add_up() {
    let table = Table::new("players=2,utility=score,hand_size=2,rounds=2")
        .deal(&["D4 D5", "C2 C3"], "dice:12 down orient:0")
        .play("flip D4 C2 flip C3 D5");
    assert_eq!(table.turn(), Turn::Chance);
    assert_eq!(table.game.deal_number(table.history.state()), 1);
    assert_eq!(table.possible().split(' ').count(), 44);
    assert_eq!(
        (table.column("score: "), table.column("tricks: ")),
        (vec!["2".into(), "0".into()], vec!["0".into(); 2])
    );
    assert!(table.text().contains("trump: not rolled yet"));
    let table = table.deal(&["D4 C2", "D5 S3"], "dice:12 down orient:0").play("flip D4 D5 flip S3 C2");
    assert_eq!(table.returns(), [3.0, 1.0]);
}

/// Plays one trick of two players that seat 0, seat 1 or neither wins.
fn round(table: Table, winner: Option<usize>) -> Table {
    let hands = [["D5", "H4"], ["H5", "S4"], ["H5", "C4"]][winner.unwrap_or(2)];
    table.deal(&hands, "dice:12 down orient:0").play("flip").play(&hands.join(" "))
}

#[test]
fn ties_stay_ties_by_default() {
    let table = round(Table::new("players=2,hand_size=1"), None);
    assert_eq!(table.returns(), [0.0, 0.0]);
}

#[test]
fn a_further_round_follows_while_first_place_is_shared() {
    let table = Table::new("players=2,hand_size=1,rounds=2,tie_break_rounds=2");
    let decided = round(round(table.clone(), None), Some(1));
    assert_eq!(decided.returns(), [-1.0, 1.0]);
    let shared = round(round(table, Some(0)), Some(1));
    assert!(shared.text().contains("round: 3 of 2, first place was shared"), "{}", shared.text());
    assert_eq!(round(shared.clone(), Some(0)).returns(), [1.0, -1.0]);
    let still = round(shared, None);
    assert_eq!(still.turn(), Turn::Chance);
    // There are at most two further rounds.
    assert_eq!(round(still, None).returns(), [0.0, 0.0]);
}

#[test]
fn a_tie_for_second_place_needs_no_further_round() {
    let table = Table::new("players=3,hand_size=1,tie_break_rounds=3")
        .deal(&["D4", "C5", "C6"], "dice:12 down orient:0")
        .play("flip D4 C5 C6");
    assert_eq!(table.returns(), [1.0, -0.5, -0.5]);
}

#[test]
fn the_margin_is_over_the_mean_of_the_others() {
    // Seat 0 wins two tricks, seat 1 one, seat 2 none.
    let hands = ["D4 D5 C4", "C5 C6 HT", "C7 C8 C9"];
    let play = "flip D4 C5 C7 flip C6 C8 D5 flip C9 C4 HT";
    let returns = |utility: &str| {
        Table::new(&format!("players=3,hand_size=3,utility={utility}"))
            .deal(&hands, "dice:12 down orient:0")
            .play(play)
            .returns()
    };
    assert_eq!(returns("score"), [2.0, 1.0, 0.0]);
    assert_eq!(returns("margin"), [1.5, 0.0, -1.5]);
    assert_eq!(returns("win"), [1.0, -0.5, -0.5]);
}

#[test]
fn players_in_first_place_share_the_win() {
    // One trick each for seats 0 and 1.
    let table = Table::new("players=3,hand_size=2,utility=win")
        .deal(&["D4 C4", "C5 HT", "C7 C8"], "dice:12 down orient:0")
        .play("flip D4 C5 C7 flip HT C8 C4");
    assert_eq!(table.returns(), [0.25, 0.25, -0.5]);
}

// Variants.

#[test]
fn errors_for_bad_rules_name_the_allowed_values() {
    let misfit = UpAndDown::new(Rules::from_text("players=4,hand_size=12").unwrap()).unwrap_err().to_string();
    assert!(misfit.contains("at most 11 for each of 4 players, not 12"), "{misfit}");
    for (text, allowed) in [
        ("players=5", "between 2 and 4"),
        ("rounds=0", "between 1 and 8"),
        ("tie_break_rounds=9", "between 0 and 8"),
        ("die_faces=7", "between 2 and 6"),
        ("hand_size=16", "between 0 and 15"),
        ("utility=money", "margin, score or win"),
        ("suits=3", "players, rounds, tie_break_rounds, utility, die_faces, hand_size"),
    ] {
        let error = Rules::from_text(text).unwrap_err().to_string();
        assert!(error.contains(allowed), "{error}");
    }
}

#[test]
fn smaller_dice_mean_a_smaller_deck() {
    let table = Table::new("players=2,die_faces=2,hand_size=1");
    assert_eq!(table.possible(), "D2 D3 D4 H2 H3 H4 S2 S3 S4 C2 C3 C4");
    let table = table.play("D2 S4");
    assert_eq!(table.possible(), "dice:2 dice:3 dice:4");
    let table = table.play("dice:3 up orient:0 roll");
    assert_eq!(table.possible(), "dice:2 dice:4");
}

#[test]
fn every_trick_of_random_games_is_won_or_in_the_pot() {
    for players in [2, 3, 4] {
        let game = UpAndDown::new(Rules::from_text(&format!("players={players},utility=score")).unwrap()).unwrap();
        let tricks = [15.0, 14.0, 11.0][players - 2];
        for index in 0..200 {
            let mut rng = Rng::stream(31, "tricks", index);
            let mut history = History::dealt(&game, &mut rng);
            while game.turn(history.state()).seat().is_some() {
                history.push(&game, game.legal(history.state()).pick(&mut rng));
                history.settle(&game, &mut rng);
            }
            let text = game.text(history.state(), None);
            let pot: f64 = text.lines().next().unwrap().split("pot: ").nth(1).unwrap().parse().unwrap();
            let taken: f64 = game.returns(history.state()).iter().sum();
            assert_eq!(taken + pot, tricks);
        }
    }
}
