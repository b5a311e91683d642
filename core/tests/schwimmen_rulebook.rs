//! The rulebook of Schwimmen, rule by rule. Events are written as in records; `+C7` is a card dealt by chance.

use stier_core::games::schwimmen::{Rules, Schwimmen};
use stier_core::{Action, ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};
use stier_testing::observed_rows;

/// A game under way.
#[derive(Clone)]
struct Table {
    game: Schwimmen,
    history: History<Schwimmen>,
}

impl Table {
    /// A game before the first card.
    fn new(rules: &str) -> Self {
        let game = Schwimmen::new(Rules::from_text(rules).unwrap()).unwrap();
        let history = History::new(&game);
        Self { game, history }
    }

    /// Deals these hands, the first one to the dealer's left, and these table cards.
    fn deal(mut self, hands: &[&str], table: &str) -> Self {
        let hands: Vec<Vec<&str>> = hands.iter().map(|hand| hand.split(' ').collect()).collect();
        for round in 0..3 {
            for hand in &hands {
                self.event(hand[round], Turn::Chance);
            }
        }
        for card in table.split(' ') {
            self.event(card, Turn::Chance);
        }
        self
    }

    /// Plays these actions, and cards after a `+`. `X>Y` takes X and gives Y.
    fn play(mut self, events: &str) -> Self {
        for name in events.split_whitespace() {
            if let Some(card) = name.strip_prefix('+') {
                self.event(card, Turn::Chance);
            } else if let Some((take, give)) = name.split_once('>') {
                self.action(&format!("take:{take}"));
                self.action(&format!("give:{give}"));
            } else {
                self.action(name);
            }
        }
        self
    }

    fn action(&mut self, name: &str) {
        assert!(self.turn().seat().is_some(), "a player must act at {name}: {:?}", self.turn());
        self.event(name, self.turn());
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

    /// The names of the possible events.
    fn options(&self) -> String {
        let state = self.history.state();
        let names: Vec<String> =
            self.game.possible(state).into_iter().map(|action| self.game.event_name(state, action)).collect();
        names.join(" ")
    }

    fn may_knock(&self) -> bool {
        self.options().contains("knock")
    }

    /// The rule that forbids this action.
    fn refusal(&self, name: &str) -> String {
        self.game.check(self.history.state(), self.game.parse_action(name).unwrap()).unwrap_err().rule
    }

    /// The rest of the line of the text picture, with all cards open, that contains this text.
    fn line(&self, start: &str) -> String {
        let text = self.game.text(self.history.state(), None);
        let line = text.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("no {start} in {text}"));
        line.split(start).nth(1).unwrap().trim().to_string()
    }

    /// The hand of a seat.
    fn hand(&self, seat: u8) -> String {
        self.line(&format!("seat {seat}   hand: "))[..8].to_string()
    }

    fn table(&self) -> String {
        self.line("table: ").split("   ").next().unwrap().to_string()
    }

    /// The number of cards in the pile.
    fn pile(&self) -> usize {
        self.line("pile: ").split(' ').next().unwrap().parse().unwrap()
    }

    fn away(&self) -> String {
        self.line("laid away: ")
    }

    fn knows(&self, seat: u8) -> String {
        self.game.knowledge(&self.game.view(&self.history, Seat(seat)))
    }

    /// The rows of a field of a seat's observation, as cards.
    fn observes(&self, seat: u8, field: &str) -> Vec<String> {
        let names = |row: Vec<f32>| {
            let cards = (0..).zip(row).filter(|(_, value)| *value == 1.0);
            cards.map(|(card, _)| self.game.outcome_name(Action(card))).collect::<Vec<_>>().join(" ")
        };
        observed_rows(&self.game, self.history.state(), Seat(seat), field).into_iter().map(names).collect()
    }

    /// The hands that seat `of` holds in the worlds consistent with the view of seat `by`.
    fn hands_thought_possible(&self, of: u8, by: u8) -> Vec<String> {
        let sampler = self.game.sampler(&self.game.view(&self.history, Seat(by)));
        let mut rng = Rng::stream(7, "hands", 0);
        let mut hands: Vec<String> = (0..20_000)
            .map(|_| {
                let text = self.game.text(&sampler.sample(&mut rng), None);
                text.lines().find(|line| line.starts_with(&format!("seat {of}"))).unwrap()[15..23].to_string()
            })
            .collect();
        hands.sort();
        hands.dedup();
        hands
    }

    fn worlds(&self, by: u8) -> u64 {
        self.game.sampler(&self.game.view(&self.history, Seat(by))).count().try_into().expect("few worlds")
    }

    fn is_over(&self) -> bool {
        self.turn() == Turn::Over
    }

    fn returns(&self) -> Vec<f64> {
        assert!(self.is_over(), "{:?}", self.turn());
        self.game.returns(self.history.state()).as_slice().to_vec()
    }
}

/// Shorthand for a seat's turn.
fn seat(seat: u8) -> Turn {
    Turn::Seat(Seat(seat))
}

/// No swap: the first turn follows the deal.
const OFF: &str = "dealer_swap=off";
const OFF2: &str = "players=2,dealer_swap=off";

/// Three hands of 25, 24 and 23 points and a table that helps little.
const HANDS: [&str; 3] = ["D7 D8 DT", "H7 H8 H9", "S7 S8 C8"];
const OPEN: &str = "C7 S9 CT";

// The deal.

#[test]
fn cards_are_dealt_one_at_a_time_from_the_dealers_left() {
    let table = Table::new("players=2,dealer=0").play("+D7 +H7 +D8 +H8 +D9 +H9");
    assert_eq!((table.hand(1).as_str(), table.hand(0).as_str()), ("D7 D8 D9", "H7 H8 H9"));
    assert_eq!(table.turn(), Turn::Chance);
    let table = table.play("+S7 +S8 +S9");
    assert_eq!((table.table().as_str(), table.pile()), ("S7 S8 S9", 32 - 9));
    assert_eq!(table.turn(), seat(0), "the dealer decides on the swap");
}

#[test]
fn the_last_seat_deals_so_that_seat_0_begins() {
    let table = Table::new(OFF).deal(&HANDS, OPEN);
    assert_eq!(table.turn(), seat(0));
    assert_eq!(table.hand(2), "S7 S8 C8");
    let table = Table::new("dealer_swap=off,dealer=0").deal(&HANDS, OPEN);
    assert_eq!((table.turn(), table.hand(1).as_str()), (seat(1), "D7 D8 DT"));
}

// The dealer's swap.

#[test]
fn only_the_dealer_may_swap_and_only_before_the_first_turn() {
    let table = Table::new("").deal(&HANDS, OPEN);
    assert_eq!((table.turn(), table.options().as_str()), (seat(2), "keep swap"));
    let table = table.play("keep");
    assert_eq!(table.turn(), seat(0));
    assert!(table.refusal("swap").contains("only the dealer"));
    assert!(table.play("push push").refusal("swap").contains("before the first turn"));
}

#[test]
fn a_blind_swap_takes_unseen_cards() {
    let table = Table::new("").deal(&HANDS, OPEN);
    for seat in 0..3 {
        assert!(table.knows(seat).ends_with("| table: ? ? ?"), "{}", table.knows(seat));
        let text = table.game.text(table.history.state(), Some(Seat(seat)));
        assert!(text.contains("table: ?? ?? ??"), "{text}");
    }
    let swapped = table.play("swap");
    assert_eq!((swapped.hand(2).as_str(), swapped.table().as_str()), ("S9 C7 CT", "S7 S8 C8"));
    assert_eq!(swapped.turn(), seat(0), "a swap does not count as a turn");
}

#[test]
fn after_a_blind_swap_the_old_hand_is_public_and_the_new_one_secret() {
    let table = Table::new("players=2,ranks=4").deal(&["DJ DQ HJ", "SJ SQ CJ"], "HQ SK CQ").play("swap");
    assert!(table.knows(0).ends_with("| play: swap | seen: SJ SQ CJ"), "{}", table.knows(0));
    assert!(table.knows(1).ends_with("| play: swap | seen: HQ SK CQ"), "{}", table.knows(1));
    // Ten cards are left for the dealer's hand. Three hearts, three clubs, or three of the four aces would have ended
    // the deal.
    let unseen = ["DK", "DA", "HQ", "HK", "HA", "SK", "SA", "CQ", "CK", "CA"];
    let ending = 1 + 1 + 4;
    assert_eq!(table.worlds(0), unseen.len() as u64 * 9 * 8 / 6 - ending);
    let hands = table.hands_thought_possible(1, 0);
    assert_eq!(hands.len() as u64, table.worlds(0));
    for ending in ["HQ HK HA", "CQ CK CA", "DA HA SA"] {
        assert!(!hands.contains(&ending.to_string()), "{ending}");
    }
}

#[test]
fn after_a_keep_the_table_is_turned_up() {
    let table = Table::new("").deal(&HANDS, OPEN).play("keep");
    for seat in 0..3 {
        assert!(table.knows(seat).ends_with("| play: keep | seen: S9 C7 CT"), "{}", table.knows(seat));
    }
    assert_eq!((table.hand(2).as_str(), table.table().as_str()), ("S7 S8 C8", "S9 C7 CT"));
}

#[test]
fn an_open_swap_is_seen_by_all_on_both_sides() {
    let table = Table::new("dealer_swap=open").deal(&HANDS, OPEN);
    assert!(table.knows(0).ends_with("| table: S9 C7 CT"), "{}", table.knows(0));
    let table = table.play("swap");
    assert!(table.knows(0).ends_with("| play: swap | seen: S7 S8 C8"), "{}", table.knows(0));
    assert!(table.knows(2).ends_with("| play: swap"), "{}", table.knows(2));
    assert_eq!(table.hands_thought_possible(2, 0), ["S9 C7 CT"]);
}

#[test]
fn without_the_swap_the_first_turn_follows_the_deal() {
    let table = Table::new(OFF).deal(&HANDS, OPEN);
    assert_eq!(table.turn(), seat(0));
    assert_eq!(table.options(), "take:S9 take:C7 take:CT swap_all push");
}

// A turn.

#[test]
fn a_card_is_taken_and_then_one_of_the_three_held_before_is_given() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("take:CT");
    assert_eq!((table.turn(), table.options().as_str()), (seat(0), "give:D7 give:D8 give:DT"));
    assert!(table.refusal("give:CT").contains("one of the three held before"));
    assert!(table.refusal("push").contains("must be given"));
    let table = table.play("give:D7");
    assert_eq!((table.hand(0).as_str(), table.table().as_str()), ("D8 DT CT", "D7 S9 C7"));
    assert_eq!(table.turn(), seat(1));
}

#[test]
fn swap_all_exchanges_the_whole_hand() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("swap_all");
    assert_eq!((table.hand(0).as_str(), table.table().as_str()), ("S9 C7 CT", "D7 D8 DT"));
    assert_eq!(table.turn(), seat(1));
    assert!(table.knows(1).ends_with("play: swap_all | seen: D7 D8 DT"), "{}", table.knows(1));
}

#[test]
fn a_push_changes_nothing_but_the_turn() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push");
    assert_eq!((table.hand(0).as_str(), table.table().as_str(), table.turn()), ("D7 D8 DT", "S9 C7 CT", seat(1)));
}

// Knocking.

#[test]
fn no_player_knocks_in_the_first_turn() {
    let mut table = Table::new(OFF).deal(&HANDS, OPEN);
    for _ in 0..3 {
        assert!(!table.may_knock());
        assert!(table.refusal("knock").contains("first turn"));
        table = table.play("push");
    }
    assert!(table.play("+HT +D9 +ST").may_knock());
}

#[test]
fn after_a_knock_every_other_player_has_one_more_turn() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("C7>D7 S9>H7 push knock");
    assert_eq!(table.turn(), seat(1));
    assert!(!table.may_knock());
    assert!(table.refusal("knock").contains("knocked already"));
    let table = table.play("H7>S9");
    assert_eq!(table.turn(), seat(2));
    assert!(table.play("push").is_over());
}

#[test]
fn the_hands_are_shown_at_the_end() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("C7>D7 push push knock +D9 +DJ +DQ push push");
    assert!(table.is_over());
    // 18 for diamonds, 24 for hearts, 15 for spades.
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
    assert!(table.knows(0).ends_with("| shown: H7 H8 H9 S7 S8 C8"), "{}", table.knows(0));
    assert_eq!(table.worlds(0), 1);
}

// New cards on the table.

#[test]
fn after_a_round_of_pushes_three_new_cards_come() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push push push");
    assert_eq!((table.turn(), table.table().as_str(), table.away().as_str()), (Turn::Chance, "-", "S9 C7 CT"));
    assert_eq!(table.pile(), 32 - 12);
    let table = table.play("+HT +D9 +ST");
    assert_eq!((table.turn(), table.table().as_str(), table.pile()), (seat(0), "D9 HT ST", 32 - 15));
}

#[test]
fn an_exchange_interrupts_the_round() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push push C7>C8 push push");
    assert_eq!(table.turn(), seat(2));
    let table = table.play("push");
    assert_eq!(table.turn(), Turn::Chance, "three turns in a row");
}

#[test]
fn a_knock_counts_towards_the_round() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push push C7>C8 push knock");
    assert_eq!(table.turn(), seat(2));
    let table = table.play("push");
    assert_eq!(table.turn(), Turn::Chance, "push, knock, push");
    let table = table.play("+HT +D9 +ST");
    assert_eq!((table.turn(), table.options().as_str()), (seat(0), "take:D9 take:HT take:ST swap_all push"));
    assert!(table.play("push").is_over());
}

#[test]
fn a_deal_that_ends_with_the_round_gets_no_new_cards() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push push C7>C8 knock push push");
    assert!(table.is_over());
    assert_eq!(table.table(), "S9 C8 CT");
}

#[test]
fn cards_that_came_at_the_same_time_are_known_as_a_set() {
    let start = Table::new(OFF).deal(&HANDS, OPEN).play("push push push");
    let (one, other) = (start.clone().play("+HT +D9 +ST"), start.play("+ST +HT +D9"));
    assert_eq!(one.history.state(), other.history.state());
    for seat in 0..3 {
        assert_eq!(one.knows(seat), other.knows(seat));
        assert_eq!(one.game.view(&one.history, Seat(seat)), other.game.view(&other.history, Seat(seat)));
    }
}

#[test]
fn when_the_pile_runs_out_the_cards_laid_away_are_shuffled_into_it() {
    let hands = ["D7 D8 D9", "H7 H8 H9", "S7 S8 S9", "C7 C8 C9", "DT HT ST"];
    let round = "push push push push push";
    let mut table = Table::new("players=5,dealer_swap=off").deal(&hands, "CT DJ HJ");
    for cards in ["+SJ +CJ +DQ", "+HQ +SQ +CQ", "+DK +HK +SK", "+CK +DA +HA"] {
        table = table.play(round).play(cards);
    }
    // Fourteen cards and four renewals leave two in the pile.
    assert_eq!((table.pile(), table.away().split(' ').count()), (2, 12));
    let table = table.play(round);
    assert_eq!((table.pile(), table.away().as_str()), (17, "-"), "the three table cards are shuffled in too");
    assert!(table.options().contains("DA") && table.options().contains("CT") && table.options().contains("CA"));
    // The unseen cards have not changed: the four other hands and the two cards that were left in the pile.
    let table = table.play("+CT +DJ +HJ");
    assert_eq!(table.pile(), 14);
    let deals = [14, 11, 8, 5].iter().map(|n| n * (n - 1) * (n - 2) / 6).product::<u64>();
    let possible = table.worlds(0);
    assert!(possible <= deals && possible > deals / 2, "{possible} of {deals}");
}

#[test]
fn a_pile_of_three_is_enough() {
    let table = Table::new("players=2,ranks=3,dealer_swap=off").deal(&["DQ HQ SK", "DK HK SQ"], "CQ CK DA");
    assert_eq!(table.pile(), 3);
    let table = table.play("push push");
    assert_eq!(table.options(), "HA SA CA");
    let table = table.play("+SA +HA +CA push push");
    assert_eq!(table.options(), "DA HA SA CQ CK CA", "the next time, those laid away are needed");
}

// Thirty-one and the blitz.

#[test]
fn thirty_one_at_the_deal_ends_it_at_once() {
    let table = Table::new(OFF).deal(&["D7 D8 DT", "HT HK HA", "S7 S8 C8"], OPEN);
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
    let table = Table::new("").deal(&["D7 D8 DT", "HT HK HA", "S7 S8 C8"], OPEN);
    assert_eq!(table.turn(), seat(2), "hands are checked after the dealer's swap");
    assert_eq!(table.clone().play("keep").returns(), [0.5, 0.5, -1.0]);
    assert_eq!(table.play("swap").returns(), [0.5, 0.5, -1.0], "19 points lose as well");
}

#[test]
fn a_blitz_at_the_deal_ends_it_at_once() {
    let table = Table::new(OFF).deal(&["D7 D8 DT", "DA SA CA", "S7 S8 C8"], OPEN);
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
    assert!(table.line("seat 1").contains("worth: blitz"));
}

#[test]
fn the_dealer_may_swap_thirty_one_away_and_blindly_into_it() {
    let away = Table::new("").deal(&["D7 D8 DT", "H7 H8 H9", "ST SK SA"], OPEN).play("swap");
    assert_eq!((away.turn(), away.table().as_str()), (seat(0), "ST SK SA"), "on the table it ends nothing");
    let into = Table::new("").deal(&["D7 D8 DT", "H7 H8 S9", "S7 S8 C8"], "CT CJ CA").play("swap");
    assert_eq!(into.returns(), [0.5, -1.0, 0.5]);
    let taken = away.play("swap_all");
    assert!(taken.is_over(), "seat 0 swaps for thirty-one");
}

#[test]
fn thirty_one_after_an_exchange_ends_the_deal() {
    let table = Table::new(OFF).deal(&["DT DJ S9", "H7 H8 H9", "S7 S8 C8"], "DA C9 CT").play("DA>S9");
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
}

#[test]
fn a_blitz_after_an_exchange_ends_the_deal() {
    let table = Table::new(OFF).deal(&["DA HA S9", "H7 H8 H9", "S7 S8 C8"], "SA C9 CT").play("SA>S9");
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
    assert!(table.line("seat 0").contains("worth: blitz"));
}

#[test]
fn thirty_one_cuts_the_last_turns_short() {
    let deal = Table::new(OFF).deal(&["D7 D8 DT", "H7 HJ HA", "S7 S8 C8"], "C7 C9 HK");
    let table = deal.play("push push push +HQ +CT +S9 knock");
    assert_eq!(table.clone().play("HQ>HA").turn(), seat(2), "27 is not enough");
    assert_eq!(table.play("HQ>H7").returns(), [0.5, 0.5, -1.0]);
}

#[test]
fn a_deal_that_goes_on_shows_that_no_player_holds_thirty_one() {
    // Twelve cards; the six that seat 0 does not see form 20 hands. DA DK DQ and three aces would have ended the
    // deal.
    let table = Table::new("players=2,ranks=3,dealer_swap=off").deal(&["HQ HK SQ", "DQ DK CA"], "SK CQ CK");
    let hands = table.hands_thought_possible(1, 0);
    assert_eq!(hands.len(), 20 - 1 - 4);
    assert!(!hands.contains(&"DQ DK DA".to_string()) && !hands.contains(&"HA SA CA".to_string()));
}

#[test]
fn a_hand_that_did_not_end_the_deal_is_remembered_after_its_cards_are_gone() {
    // Seat 1 has given CA for SK. It held CA at the deal, so CA and the two cards that it still holds are not a
    // blitz.
    let table = Table::new("players=2,ranks=3,dealer_swap=off").deal(&["HQ HK SQ", "DQ DK CA"], "SK CQ CK");
    let table = table.play("push SK>CA");
    let hands = table.hands_thought_possible(1, 0);
    // Two of DQ DK DA HA SA, but not two aces, which would have been a blitz with CA.
    let expected = ["DK DA SK", "DK HA SK", "DK SK SA", "DQ DA SK", "DQ DK SK", "DQ HA SK", "DQ SK SA"];
    assert_eq!(hands, expected);
    assert_eq!(table.worlds(0), 7);
}

#[test]
fn a_card_seen_taken_is_known_until_it_is_given() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push CT>H7");
    let hands = table.hands_thought_possible(1, 0);
    assert!(hands.iter().all(|hand| hand.contains("CT")), "{hands:?}");
    // Seat 2 takes the card that seat 1 gave; seat 1 gives back CT and holds S9.
    let table = table.play("H7>C8 push S9>CT");
    let hands = table.hands_thought_possible(1, 0);
    assert!(hands.iter().all(|hand| hand.contains("S9") && !hand.contains("CT") && !hand.contains("H7")), "{hands:?}");
    assert!(table.hands_thought_possible(2, 0).iter().all(|hand| hand.contains("H7")));
    // A whole hand taken is fully known.
    let table = table.play("push push swap_all");
    assert_eq!(table.hands_thought_possible(1, 0), ["C7 C8 CT"]);
}

// The value of a hand.

#[test]
fn the_best_single_suit_counts() {
    let table = Table::new(OFF).deal(&["D7 D8 DT", "HA SA S7", "C9 CQ HK"], "S8 S9 ST");
    for (seat, worth) in [(0, "worth: 25"), (1, "worth: 18"), (2, "worth: 19")] {
        assert!(table.line(&format!("seat {seat}")).contains(worth), "{}", table.line(&format!("seat {seat}")));
    }
}

/// Three eights against 30 and 28 points.
const EIGHTS: [&str; 3] = ["D8 H8 S8", "HT HJ HQ", "D7 DA DK"];

#[test]
fn three_of_a_kind_does_not_count_by_default() {
    let table = Table::new(OFF).deal(&EIGHTS, OPEN).play("push push push +C9 +ST +D9 knock push push");
    assert_eq!(table.returns(), [-1.0, 0.5, 0.5]);
}

#[test]
fn three_of_a_kind_counts_thirty_and_a_half_as_an_option() {
    let table = Table::new("dealer_swap=off,three_of_a_kind=on").deal(&EIGHTS, OPEN);
    assert_eq!(table.turn(), seat(0), "it does not end the deal");
    let table = table.play("push push push +C9 +ST +D9 knock push push");
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
    assert!(table.line("seat 0").contains("worth: 30\u{bd}"));
    // It is more than thirty: with two players, the one with thirty loses.
    let table = Table::new("players=2,dealer_swap=off,three_of_a_kind=on").deal(&EIGHTS[..2], OPEN);
    assert_eq!(table.play("push push +C9 +ST +D9 knock push").returns(), [1.0, -1.0]);
}

// Ties.

/// Two hands of 24, and one of 30.
const TIED: [&str; 3] = ["D7 D8 D9", "HT HJ HQ", "S7 S8 S9"];

fn tied(rules: &str) -> Table {
    Table::new(rules).deal(&TIED, "C7 C8 C9").play("push push push +DT +DJ +DQ knock push push")
}

#[test]
fn the_lowest_hands_cut_and_the_lower_rank_loses() {
    let table = tied(OFF);
    assert_eq!(table.turn(), Turn::Chance);
    assert!(table.line("next: ").contains("seat 0 draws a card in the cut"));
    assert!(table.knows(1).contains("shown: D7 D8 D9 S7 S8 S9"), "the hands lie open: {}", table.knows(1));
    let table = table.play("+CT");
    assert!(table.line("next: ").contains("seat 2 draws"), "seat 1 does not cut");
    assert_eq!(table.clone().play("+SA").returns(), [-1.0, 0.5, 0.5]);
    assert_eq!(table.play("+H7").returns(), [0.5, 0.5, -1.0]);
}

#[test]
fn ranks_are_cut_in_their_order_not_by_their_points() {
    for (low, high) in [("ST", "SJ"), ("SJ", "SQ"), ("SQ", "SK"), ("SK", "SA"), ("H9", "CT")] {
        let table = tied(OFF);
        assert_eq!(table.clone().play(&format!("+{low} +{high}")).returns(), [-1.0, 0.5, 0.5]);
        assert_eq!(table.play(&format!("+{high} +{low}")).returns(), [0.5, 0.5, -1.0]);
    }
}

#[test]
fn a_tied_cut_is_cut_again() {
    let table = tied(OFF).play("+CT +ST");
    assert!(table.line("next: ").contains("seat 0 draws"));
    assert!(!table.options().contains("CT") && !table.options().contains("ST"), "cards are drawn once");
    assert_eq!(table.play("+SK +SQ").returns(), [0.5, 0.5, -1.0]);
}

#[test]
fn only_players_still_tied_cut_again() {
    let hands = ["D7 D8 D9", "H7 H8 H9", "S7 S8 S9"];
    let table = Table::new("dealer_swap=off,dealer=0").deal(&hands, "C7 C8 C9");
    let table = table.play("push push push +DT +DJ +DQ knock push push");
    // From the dealer's left: seats 1, 2, 0.
    let table = table.play("+CT +CJ");
    assert!(table.line("next: ").contains("seat 0 draws"), "the dealer cuts last");
    let table = table.play("+ST");
    assert!(table.line("next: ").contains("seat 1 draws"));
    let table = table.play("+SA");
    assert!(table.line("next: ").contains("seat 0 draws"), "seat 2 is safe");
    assert_eq!(table.play("+SK").returns(), [-1.0, 0.5, 0.5]);
}

#[test]
fn the_cut_goes_on_with_the_cards_laid_away() {
    let deal = Table::new("players=2,ranks=3,dealer_swap=off").deal(&["DQ HQ SA", "DA HK SK"], "DK HA CQ");
    let table = deal.play("push push +SQ +CK +CA knock push");
    assert!(table.line("seat 0").contains("worth: 11") && table.line("seat 1").contains("worth: 11"));
    // The pile of three went to the table: only the three cards laid away are left to cut with.
    assert_eq!(table.options(), "DK HA CQ");
    assert_eq!(table.play("+HA +DK").returns(), [1.0, -1.0]);
}

#[test]
fn suits_break_a_tie_when_too_few_cards_are_left() {
    let deal = Table::new("players=2,ranks=3,dealer_swap=off").deal(&["DQ HQ SA", "DA HK SK"], "DK SQ CQ");
    let table = deal.play("CQ>DQ SQ>SK knock push");
    assert_eq!(table.options(), "HA CK CA", "three cards to cut with, and none laid away");
    // Two aces leave one card, too few for another round. Hearts come before clubs.
    assert_eq!(table.clone().play("+HA +CA").returns(), [-1.0, 1.0]);
    assert_eq!(table.play("+CA +HA").returns(), [1.0, -1.0]);
}

// The match.

/// Ends a deal at once: the player `loser` places to the dealer's left has the lowest hand, and another one
/// thirty-one.
fn lost(table: Table, loser: usize, players: usize) -> Table {
    let mut hands = vec!["DT DJ DA", "H8 HT HJ", "S8 ST SJ", "C8 CT CJ", "DQ DK H9"];
    hands.truncate(players - 1);
    hands.insert(loser, "D7 H7 S9");
    table.deal(&hands, "C7 S7 D8")
}

fn stakes(table: &Table) -> Vec<String> {
    let text = table.game.text(table.history.state(), None);
    let word = |line: &str| {
        ["3 stakes", "2 stakes", "1 stake", "swims", "out"]
            .iter()
            .find(|word| line.contains(**word))
            .unwrap()
            .to_string()
    };
    text.lines().filter(|line| line.starts_with("seat")).map(word).collect()
}

const MATCH: &str = "play=match,dealer_swap=off";

#[test]
fn the_loser_pays_a_stake_and_deals_the_next() {
    let table = lost(Table::new(MATCH), 1, 3);
    assert_eq!(stakes(&table), ["3 stakes", "2 stakes", "3 stakes"]);
    assert!(table.line("seat 1").contains("dealer"));
    assert!(table.line("next: ").contains("a card is dealt to seat 2"));
    assert_eq!(table.line("deal: "), "2   pile: 32 cards");
    assert_eq!(table.away(), "-");
    let table = lost(table, 2, 3);
    assert_eq!(stakes(&table), ["3 stakes", "1 stake", "3 stakes"], "the dealer is dealt the last hand");
}

#[test]
fn a_player_without_stakes_swims_and_sinks_with_the_next_loss() {
    let mut table = lost(Table::new(MATCH), 1, 3);
    for expected in ["1 stake", "swims"] {
        table = lost(table, 2, 3);
        assert_eq!(stakes(&table)[1], expected);
    }
    let table = lost(table, 2, 3);
    assert_eq!(stakes(&table), ["3 stakes", "out", "3 stakes"]);
    assert!(!table.is_over());
    assert!(table.line("seat 2").contains("dealer"), "the left neighbour deals instead of the player who is out");
    let table = table.deal(&["D7 D8 DT", "H7 H8 H9"], OPEN);
    assert_eq!(table.turn(), seat(0), "two hands are dealt");
    assert_eq!(table.play("push push").turn(), Turn::Chance, "two turns are a round");
}

#[test]
fn the_first_turn_skips_players_who_are_out() {
    let mut table = lost(Table::new("players=4,play=match,dealer_swap=off"), 0, 4);
    for _ in 0..3 {
        table = lost(table, 3, 4);
    }
    assert_eq!(stakes(&table), ["out", "3 stakes", "3 stakes", "3 stakes"]);
    // Seat 1 deals; seat 3 is left of seat 2, and seat 1 left of seat 3.
    let table = table.deal(&["D7 D8 DT", "H7 H8 H9", "S7 S8 C8"], OPEN);
    assert_eq!(table.turn(), seat(2));
    let table = table.play("push");
    assert_eq!(table.turn(), seat(3));
    assert_eq!(table.play("push").turn(), seat(1));
}

/// Plays one deal after another; each is lost by the next of these seats.
fn lost_by(mut table: Table, losers: &[u8]) -> Table {
    for &loser in losers {
        let order: Vec<u8> = {
            let mut order = Vec::new();
            // The order of the deal, from the text picture.
            let mut probe = table.clone();
            while !order.contains(&receiver(&probe)) {
                order.push(receiver(&probe));
                let card = probe.options().split(' ').next().unwrap().to_string();
                probe = probe.play(&format!("+{card}"));
            }
            order
        };
        let place = order.iter().position(|&seat| seat == loser).unwrap();
        table = lost(table, place, order.len());
    }
    table
}

fn receiver(table: &Table) -> u8 {
    table.line("a card is dealt to seat").parse().unwrap()
}

#[test]
fn the_winner_gets_the_pot_and_the_last_to_sink_their_own_stakes() {
    let table = lost_by(Table::new(MATCH), &[0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(stakes(&table), ["out", "swims", "swims"]);
    let table = lost_by(table, &[1]);
    assert_eq!(table.returns(), [-3.0, 0.0, 3.0]);
    let table = lost_by(Table::new("players=4,play=match,dealer_swap=off"), &[3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(table.returns(), [0.0, -3.0, 6.0, -3.0]);
    let table = Table::new("players=5,play=match,dealer_swap=off");
    let table = lost_by(table, &[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(table.returns(), [9.0, -3.0, -3.0, -3.0, 0.0]);
}

#[test]
fn with_two_players_the_winner_gets_all() {
    let table = lost_by(Table::new("players=2,play=match,dealer_swap=off"), &[0, 1, 0, 1, 0, 1]);
    assert_eq!(stakes(&table), ["swims", "swims"]);
    assert_eq!(lost_by(table, &[0]).returns(), [-3.0, 3.0]);
}

#[test]
fn after_max_deals_the_players_still_in_share_the_pot() {
    let table = lost_by(Table::new("play=match,dealer_swap=off,max_deals=2"), &[0, 1]);
    assert_eq!(table.returns(), [-1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0]);
    // One player is out, and the two others share its stakes.
    let table = lost_by(Table::new("play=match,dealer_swap=off,max_deals=4"), &[0, 0, 0, 0]);
    assert_eq!(table.returns(), [-3.0, 1.5, 1.5]);
}

#[test]
fn a_deal_of_a_match_starts_with_a_new_deck() {
    let table = lost(Table::new("play=match"), 1, 3);
    assert_eq!(table.turn(), seat(2), "the dealer's swap");
    let table = table.play("keep");
    assert_eq!((table.pile(), table.away().as_str(), table.table().as_str()), (32, "-", "-"));
    assert_eq!(table.game.deal_number(table.history.state()), 1);
}

#[test]
fn the_win_goes_to_the_winner_of_the_match_or_the_highest_hands_of_a_deal() {
    let table = lost_by(Table::new("play=match,dealer_swap=off,utility=win"), &[0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(table.returns(), [-0.5, -0.5, 1.0]);
    let table = tied("dealer_swap=off,utility=win").play("+CT +CJ");
    assert_eq!(table.returns(), [-0.5, 1.0, -0.5]);
    let deal = Table::new("dealer_swap=off,utility=win").deal(&["DT DJ DA", "HT HJ HA", "S7 S8 C8"], OPEN);
    assert_eq!(deal.returns(), [0.25, 0.25, -0.5], "two have thirty-one");
}

// Limits.

#[test]
fn the_last_of_max_turns_ends_the_deal() {
    let table = Table::new("dealer_swap=off,max_turns=4").deal(&HANDS, OPEN).play("C7>D7 push push");
    assert_eq!(table.turn(), seat(0));
    assert_eq!(table.line("next: "), "seat 0 has turn 4 of 4");
    assert!(table.play("push").is_over());
}

#[test]
fn a_knock_does_not_prolong_the_deal() {
    let table = Table::new("dealer_swap=off,max_turns=5").deal(&HANDS, OPEN).play("push push C7>C8 knock");
    assert_eq!((table.turn(), table.line("next: ").as_str()), (seat(1), "seat 1 has turn 5 of 5"));
    assert!(table.play("push").is_over());
}

#[test]
fn a_deal_with_pushes_only_ends_after_sixty_turns() {
    let mut table = Table::new("dealer_swap=off").deal(&HANDS, OPEN);
    let mut pushes = 0;
    while !table.is_over() {
        if table.turn() == Turn::Chance {
            let card = table.options().split(' ').next().unwrap().to_string();
            table = table.play(&format!("+{card}"));
        } else {
            table = table.play("push");
            pushes += 1;
        }
        if pushes == 60 {
            break;
        }
    }
    assert!(table.is_over());
    assert_eq!(table.returns(), [0.5, 0.5, -1.0]);
}

#[test]
fn legal_actions_match_the_rules_page() {
    let table = Table::new(OFF2).deal(&["D7 D8 DT", "H7 H8 H9"], OPEN);
    let ids: Vec<u8> = table.game.legal(table.history.state()).iter().map(|action| action.0).collect();
    assert_eq!(ids, [18, 24, 27, 64, 65]);
    let table = table.play("take:S9");
    let ids: Vec<u8> = table.game.legal(table.history.state()).iter().map(|action| action.0).collect();
    assert_eq!(ids, [32, 33, 35]);
}

// The observations of players.

#[test]
fn cards_taken_from_the_table_are_known_until_they_are_given() {
    let table = Table::new(OFF).deal(&HANDS, OPEN);
    assert_eq!(table.observes(0, "open"), ["", "", ""]);
    let table = table.play("S9>D7 D7>H7");
    for (seat, expected) in [(0, ["S9", "D7", ""]), (1, ["D7", "", "S9"]), (2, ["", "S9", "D7"])] {
        assert_eq!(table.observes(seat, "open"), expected, "the own hand first, then those of the left neighbours");
    }
    let table = table.play("push H7>S9 swap_all");
    assert_eq!(table.observes(2, "open"), ["", "H7", "S9 C7 CT"]);
    // Seat 0 gives what everybody knew, and seat 1 its whole hand.
    let table = table.play("push D7>H7 swap_all");
    assert_eq!(table.observes(2, "open"), ["", "D7", "H7 H8 H9"]);
}

#[test]
fn a_card_that_one_player_gave_and_new_table_cards_are_known_when_taken() {
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("S9>D7 push D7>S7");
    assert_eq!(table.observes(1, "open"), ["", "D7", "S9"]);
    let table = Table::new(OFF).deal(&HANDS, OPEN).play("push push push +DJ +HQ +SK push HQ>H7");
    assert_eq!(table.observes(0, "open"), ["", "HQ", ""]);
}

#[test]
fn the_cards_of_the_dealers_swap_are_known_if_they_lay_open() {
    let known = |rules: &str, decision: &str, seat| {
        let table = Table::new(rules).deal(&HANDS, OPEN);
        assert_eq!(table.observes(seat, "open"), ["", "", ""], "before the decision");
        table.play(decision).observes(seat, "open")
    };
    assert_eq!(known("dealer_swap=open", "swap", 1), ["", "S9 C7 CT", ""]);
    assert_eq!(known("dealer_swap=open", "keep", 1), ["", "", ""]);
    assert_eq!(known("dealer_swap=blind", "swap", 1), ["", "", ""]);
    assert_eq!(known("dealer_swap=blind", "keep", 1), ["", "", ""]);
    let taken_back = Table::new("dealer_swap=blind").deal(&HANDS, OPEN).play("swap S7>D7 push swap_all");
    assert_eq!(taken_back.observes(0, "open"), ["S7", "", "D7 S8 C8"]);
}

#[test]
fn cards_laid_away_are_observed_until_they_are_shuffled_again() {
    let table = Table::new("players=2,dealer_swap=off,suits=2,ranks=6");
    let table = table.deal(&["D9 DT HJ", "DJ DQ H9"], "HQ HK HA");
    assert_eq!(table.observes(0, "laid_away"), [""]);
    let table = table.play("push push");
    assert_eq!(table.observes(0, "laid_away"), ["HQ HK HA"]);
    assert_eq!(table.play("+DK +DA +HT push push").observes(0, "laid_away"), [""]);
}
