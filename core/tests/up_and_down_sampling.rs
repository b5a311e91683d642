//! Exact sampling in Up & Down. Samplers are compared with the enumeration of all histories in small games, with an
//! independent deal of the cards in late positions of the full game, and with rejection sampling.

use std::collections::{HashMap, HashSet};

use crate::naive::up_and_down::{Match, Next, Variant};
use crate::samplers::{Found, SMALLEST_P, fast_path_follows, information_sets};
use stier_core::games::up_and_down::{Rules, State, UpAndDown};
use stier_core::{Action, ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};
use stier_testing::chi_square;

/// The cards of a hand at the deal.
fn hand_size(game: &UpAndDown) -> u8 {
    game.rules().downcast_ref::<Rules>().expect("its rules").hand_size
}

fn game(rules: &str) -> UpAndDown {
    UpAndDown::new(Rules::from_text(rules).unwrap()).unwrap()
}

/// A random game, played to its end.
fn played(game: &UpAndDown, rng: &mut Rng) -> History<UpAndDown> {
    let mut history = History::dealt(game, rng);
    while game.turn(history.state()).seat().is_some() {
        history.push(game, game.legal(history.state()).pick(rng));
        history.settle(game, rng);
    }
    history
}

/// The number of cards that lie face down in front of seats other than `seat`, from the picture for that seat.
fn face_down(game: &UpAndDown, state: &State, seat: Seat) -> usize {
    game.text(state, Some(seat)).matches("card: ??").count()
}

#[test]
fn samplers_match_the_enumeration_of_all_histories() {
    let mut found = Found::none();
    let (mut at_chance, mut with_hidden_choice) = (0, 0);
    let somewhere = |game: &UpAndDown, rng: &mut Rng| {
        let whole = played(game, rng);
        whole.prefix(game, 1 + rng.below(whole.events().len() as u32) as usize)
    };
    for (rules, wanted) in [
        ("players=2,die_faces=2,hand_size=1", 6),
        ("players=2,die_faces=2,hand_size=2", 12),
        ("players=2,die_faces=2,hand_size=3", 12),
        ("players=2,die_faces=3,hand_size=2", 8),
        ("players=2,die_faces=2,hand_size=1,rounds=2", 8),
        ("players=3,die_faces=2,hand_size=1", 8),
        ("players=3,die_faces=2,hand_size=2", 6),
        ("players=3,die_faces=2,hand_size=1,tie_break_rounds=1", 6),
        ("players=4,die_faces=2,hand_size=1", 8),
    ] {
        let game = game(rules);
        information_sets(&game, (77, rules, wanted), somewhere, |history, seat, rng, context| {
            let few = (2..=3_000).contains(&game.sampler(&game.view(history, seat)).count());
            let hidden = face_down(&game, history.state(), seat);
            // At least half of them while cards lie face down.
            let fits = few && (hidden > 0 || 2 * with_hidden_choice >= found.sets);
            if fits {
                found.compare(&game, (history, seat), 20_000, rng, context);
                with_hidden_choice += u32::from(hidden > 0);
                at_chance += u32::from(game.turn(history.state()) == Turn::Chance);
            }
            fits
        });
    }
    println!("{found:?}, {with_hidden_choice} with a hidden choice, {at_chance} at a random event");
    assert!(found.sets >= 60 && with_hidden_choice >= 30 && at_chance >= 5, "{with_hidden_choice} and {at_chance}");
}

/// All histories that the seat cannot distinguish from the true one, by their actions, with their chance reach
/// probabilities.
fn histories(game: &UpAndDown, truth: &History<UpAndDown>, seat: Seat) -> HashMap<Vec<Action>, f64> {
    let dealt = game.num_seats() * usize::from(hand_size(game));
    let mut found = vec![(History::new(game), 1.0)];
    for count in 1..=truth.events().len() {
        let view = game.view(&truth.prefix(game, count), seat);
        let mut longer = Vec::new();
        for (history, reach) in found {
            for action in game.possible(history.state()) {
                let outcomes = game.chance(history.state());
                let probability = outcomes.iter().find(|o| o.action == action).map_or(1.0, |o| o.probability);
                let mut next = history.clone();
                next.push(game, action);
                // The order of a dealt hand is not known, so views are compared only once it is complete.
                if count < dealt || game.view(&next, seat) == view {
                    longer.push((next, reach * probability));
                }
            }
        }
        found = longer;
    }
    found.into_iter().map(|(history, reach)| (actions(&history), reach)).collect()
}

fn actions(history: &History<UpAndDown>) -> Vec<Action> {
    history.events().iter().map(|event| event.action).collect()
}

#[test]
fn sampled_histories_match_the_enumeration() {
    let mut smallest: f64 = 1.0;
    for rules in ["players=2,die_faces=2,hand_size=2", "players=3,die_faces=2,hand_size=1"] {
        let game = game(rules);
        let somewhere = |game: &UpAndDown, rng: &mut Rng| {
            let whole = played(game, rng);
            let setup = game.num_seats() * usize::from(hand_size(game)) + 3;
            whole.prefix(game, setup + rng.below((whole.events().len() - setup) as u32) as usize)
        };
        information_sets(&game, (79, rules, 8), somewhere, |history, seat, rng, context| {
            let all = histories(&game, history, seat);
            let fits = (20..=800).contains(&all.len());
            if fits {
                let sampler = game.sampler(&game.view(history, seat));
                let mut sampled = HashMap::new();
                for _ in 0..100 * all.len() {
                    *sampled.entry(actions(&sampler.sample_history(&game, rng))).or_default() += 1;
                }
                let p = chi_square(&sampled, &all);
                assert!(p > SMALLEST_P, "{context}: p-value {p} over {} histories", all.len());
                smallest = smallest.min(p);
            }
            fits
        });
    }
    println!("smallest p-value {smallest}");
}

/// Every card of the full deck, by name.
fn deck() -> Vec<String> {
    "DHSC".chars().flat_map(|suit| "23456789TJQ".chars().map(move |value| format!("{suit}{value}"))).collect()
}

/// Public information about the opponents' cards, from the record alone: the cards that `seat` has not seen, and for
/// each opponent the seat, the number of cards in hand and whether one lies face down.
fn unseen(game: &UpAndDown, history: &History<UpAndDown>, seat: Seat) -> (Vec<String>, Vec<(usize, usize, bool)>) {
    let players = game.num_seats();
    let mut state = game.root();
    let mut rest = deck();
    let mut held = vec![0_usize; players];
    // The cards on the table since the last change of the rules.
    let mut trick: Vec<(usize, String)> = Vec::new();
    for (place, event) in history.events().iter().enumerate() {
        let name = game.event_name(&state, event.action);
        match event.turn {
            Turn::Chance if name.len() == 2 && name != "up" => {
                let owner = place % players;
                held[owner] += 1;
                if owner == seat.index() {
                    rest.retain(|card| *card != name);
                }
            }
            Turn::Seat(player) if name.len() == 2 => {
                trick.push((player.index(), name));
                if trick.len() == players {
                    for (player, card) in trick.drain(..) {
                        held[player] -= 1;
                        rest.retain(|other| *other != card);
                    }
                }
            }
            _ => {}
        }
        game.apply(&mut state, event.action);
    }
    let chosen = |other: usize| trick.iter().any(|(player, _)| *player == other);
    let others = (0..players).filter(|&other| other != seat.index());
    (rest, others.map(|other| (other, held[other], chosen(other))).collect())
}

/// A deal of the hidden cards: for each opponent the sorted cards in hand and the face-down card.
type HandOut = Vec<(Vec<String>, Option<String>)>;

fn hand_outs(cards: &[String], others: &[(usize, usize, bool)]) -> Vec<HandOut> {
    let Some(&(_, count, chosen)) = others.first() else { return vec![vec![]] };
    let mut all = Vec::new();
    for hand in combinations(cards, count) {
        let rest: Vec<String> = cards.iter().filter(|card| !hand.contains(card)).cloned().collect();
        let mut ways: Vec<(Vec<String>, Option<String>)> = Vec::new();
        if chosen {
            for card in &hand {
                ways.push((hand.iter().filter(|other| *other != card).cloned().collect(), Some(card.clone())));
            }
        } else {
            ways.push((hand.clone(), None));
        }
        for further in hand_outs(&rest, &others[1..]) {
            for way in &ways {
                all.push([vec![way.clone()], further.clone()].concat());
            }
        }
    }
    all
}

fn combinations(cards: &[String], count: usize) -> Vec<Vec<String>> {
    if count == 0 {
        return vec![vec![]];
    }
    let Some((first, rest)) = cards.split_first() else { return vec![] };
    let with = combinations(rest, count - 1).into_iter().map(|tail| [vec![first.clone()], tail].concat());
    with.chain(combinations(rest, count)).collect()
}

/// The opponents' cards in a state, from the picture with all cards open.
fn shown(game: &UpAndDown, state: &State, others: &[(usize, usize, bool)]) -> HandOut {
    let text = game.text(state, None);
    let row = |seat: usize| text.lines().nth(1 + seat).unwrap().to_string();
    others
        .iter()
        .map(|&(seat, _, chosen)| {
            let row = row(seat);
            let words = |from: &str, to: &str| -> Vec<String> {
                let part = row.split(from).nth(1).unwrap().split(to).next().unwrap();
                part.split_whitespace().filter(|&word| word != "-").map(str::to_string).collect()
            };
            let card = words("card: ", "hand: ");
            (words("hand: ", "   "), chosen.then(|| card[0].clone()))
        })
        .collect()
}

#[test]
fn late_positions_of_the_full_game_list_every_deal_of_the_unseen_cards_once() {
    let (mut sets, mut largest, mut smallest) = (0, 0, 1.0_f64);
    for players in [2, 3, 4] {
        let game = game(&format!("players={players}"));
        let mut compared = 0;
        for index in 0.. {
            if compared == 14 {
                break;
            }
            let mut rng = Rng::stream(80, "late", index * 3 + players);
            let whole = played(&game, &mut rng);
            let length = whole.events().len();
            let history = whole.prefix(&game, length - 1 - rng.below(4 * players as u32) as usize);
            let seat = Seat(rng.below(players as u32) as u8);
            let (cards, others) = unseen(&game, &history, seat);
            let sampler = game.sampler(&game.view(&history, seat));
            if !(2..=20_000).contains(&sampler.count()) {
                continue;
            }
            let expected: HashMap<HandOut, f64> =
                hand_outs(&cards, &others).into_iter().map(|hands| (hands, 1.0)).collect();
            let worlds: Vec<_> = sampler.worlds().collect();
            assert_eq!(worlds.len() as u128, sampler.count());
            assert!(
                worlds.iter().all(|world| world.weight == worlds[0].weight),
                "all worlds must have the same weight"
            );
            let found: HashSet<HandOut> = worlds.iter().map(|world| shown(&game, &world.state, &others)).collect();
            assert_eq!(found.len(), worlds.len(), "no world may be repeated");
            assert_eq!(found, expected.keys().cloned().collect::<HashSet<_>>());
            let mut drawn = HashMap::new();
            for _ in 0..(8 * worlds.len()).clamp(2_000, 30_000) {
                *drawn.entry(shown(&game, &sampler.sample(&mut rng), &others)).or_default() += 1;
            }
            let p = chi_square(&drawn, &expected);
            assert!(p > SMALLEST_P, "{players} players, game {index}, {seat:?}: p-value {p}");
            smallest = smallest.min(p);
            largest = largest.max(worlds.len());
            compared += 1;
            sets += 1;
        }
    }
    println!("{sets} information sets, the largest of {largest} worlds, smallest p-value {smallest}");
}

/// Seat 0's cards and its view of the full game for three: three tricks, then seats 1 and 2 choose.
const OWN: [&str; 14] = ["D2", "D7", "DQ", "H3", "H8", "HT", "S4", "S9", "SJ", "C5", "C6", "CT", "CJ", "CQ"];
const PLAYED: [[&str; 3]; 2] = [["H4", "D9", "C7"], ["H5", "S5", "C8"]];
const PLAY: &str = "dice:7 up orient:2 flip H4 H5 D2 roll dice:9 S5 HT D9 rotate:1 C5 C7 C8 rotate:2 ? ?";

/// The deal and [`PLAY`] with random cards for the question marks. The reference checks every event.
fn replayed(hands: &[Vec<String>; 3], rng: &mut Rng) -> Vec<String> {
    let mut naive = Match::new(Variant::from_text("players=3").unwrap());
    let deal = (0..42).map(|place| hands[place % 3][place / 3].clone());
    let mut events = Vec::new();
    for word in deal.chain(PLAY.split(' ').map(str::to_string)) {
        let possible: Vec<String> = naive.possible().into_iter().map(|(name, _)| name).collect();
        let name = match word.as_str() {
            "?" => possible[rng.below(possible.len() as u32) as usize].clone(),
            _ => word,
        };
        assert!(possible.contains(&name), "{name} after {events:?}");
        naive.apply(&name);
        events.push(name);
    }
    assert_eq!(naive.next(), Next::Card(0));
    events
}

/// A summary suitable for chi-square: the suits of the two face-down cards, and the numbers of queens and sevens of
/// the two players.
fn kind(hands: &HandOut) -> (Vec<String>, Vec<usize>) {
    let suits = hands.iter().map(|(_, card)| card.as_ref().unwrap()[..1].to_string()).collect();
    let high = |card: &&String| card.ends_with('Q') || card.ends_with('7');
    (suits, hands.iter().map(|(hand, card)| hand.iter().chain(card).filter(high).count()).collect())
}

#[test]
fn in_the_middle_of_the_full_game_samples_match_rejection() {
    let game = game("players=3");
    let mut rng = Rng::stream(9, "rejection", 0);
    let mut hidden: Vec<String> = deck().into_iter().filter(|card| !OWN.contains(&card.as_str())).collect();
    // Random deals; those in which the opponents had the cards they played are accepted.
    let mut accepted: HashMap<_, f64> = HashMap::new();
    let mut truth = Vec::new();
    for _ in 0..1_000_000 {
        rng.shuffle(&mut hidden);
        let has = |cards: &[String], wanted: [&str; 3]| wanted.iter().all(|card| cards.iter().any(|c| c == card));
        if has(&hidden[..14], PLAYED[0]) && has(&hidden[14..28], PLAYED[1]) {
            let hands = [OWN.map(str::to_string).to_vec(), hidden[..14].to_vec(), hidden[14..28].to_vec()];
            truth = replayed(&hands, &mut rng);
            let left = |seat: usize| {
                let chosen = truth[truth.len() - 3 + seat].clone();
                let gone = |card: &&String| PLAYED[seat - 1].contains(&card.as_str()) || **card == chosen;
                (hands[seat].iter().filter(|card| !gone(card)).cloned().collect(), Some(chosen.clone()))
            };
            *accepted.entry(kind(&vec![left(1), left(2)])).or_default() += 1.0;
        }
    }
    let mut history = History::new(&game);
    for name in &truth {
        let action = match game.turn(history.state()) {
            Turn::Chance => game.parse_outcome(name).unwrap(),
            _ => game.parse_action(name).unwrap(),
        };
        game.check(history.state(), action).unwrap();
        history.push(&game, action);
    }
    let others = [(1, 11, true), (2, 11, true)];
    let sampler = game.sampler(&game.view(&history, Seat(0)));
    let total: f64 = accepted.values().sum();
    let mut sampled: HashMap<_, f64> = HashMap::new();
    for _ in 0..200_000 {
        *sampled.entry(kind(&shown(&game, &sampler.sample(&mut rng), &others))).or_default() += 1.0;
    }
    // The many samples represent the distribution; the accepted deals are tested against it.
    let (kinds, rare) = accepted.into_iter().partition::<HashMap<_, _>, _>(|(kind, _)| sampled.contains_key(kind));
    assert!(rare.values().sum::<f64>() <= 3.0, "kinds without a sample: {rare:?}");
    let accepted: HashMap<_, u64> = kinds.into_iter().map(|(kind, count)| (kind, count as u64)).collect();
    let p = chi_square(&accepted, &sampled);
    println!("{total} accepted, {} kinds, p-value {p}", sampled.len());
    assert!(total > 8_000.0, "{total}");
    assert!(p > SMALLEST_P, "p-value {p}");
}

#[test]
fn sampled_chance_follows_the_explicit_distribution() {
    for rules in ["", "players=2,rounds=2", "players=3,die_faces=2", "players=2,die_faces=4,hand_size=6"] {
        fast_path_follows(&game(rules), rules, 20_000, 6);
    }
}

#[test]
fn counts_may_exceed_64_bits() {
    let game = game("players=4,hand_size=10");
    let mut most = 0;
    for index in 0..20 {
        let mut rng = Rng::stream(81, "many worlds", index);
        let whole = played(&game, &mut rng);
        for length in 40..whole.events().len() {
            let history = whole.prefix(&game, length);
            let Turn::Seat(seat) = game.turn(history.state()) else { continue };
            let (cards, others) = unseen(&game, &history, seat);
            // Every deal of the unseen cards, with each face-down card any card of its hand.
            let (mut rest, mut expected) = (cards.len() as u128, 1_u128);
            for (_, count, face_down) in &others {
                let count = *count as u128;
                expected *= (0..count).fold(1, |ways, taken| ways * (rest - taken) / (taken + 1));
                expected *= if *face_down { count } else { 1 };
                rest -= count;
            }
            assert_eq!(game.sampler(&game.view(&history, seat)).count(), expected);
            most = most.max(expected);
        }
    }
    assert!(most > u128::from(u64::MAX), "{most}");
}
