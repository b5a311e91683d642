//! Exact sampling: samplers against the enumeration of all histories, and against rejection sampling with the full
//! deck.

use std::collections::HashMap;

use crate::naive::schwinget::{Match, Variant};
use crate::samplers::{Found, SMALLEST_P, fast_path_follows, information_sets};
use stier_core::games::schwinget::{Rules, Schwinget, State};
use stier_core::{Action, ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};
use stier_testing::chi_square;

/// The cards of a hand at the deal.
fn hand_size(game: &Schwinget) -> u8 {
    game.rules().downcast_ref::<Rules>().expect("its rules").hand_size
}

fn game(rules: &str) -> Schwinget {
    Schwinget::new(Rules::from_text(rules).unwrap()).unwrap()
}

/// The names of the events, each with the player or chance that acted.
fn named(game: &Schwinget, history: &History<Schwinget>) -> Vec<(Turn, String)> {
    let mut state = game.root();
    let mut names = Vec::new();
    for event in history.events() {
        names.push((event.turn, game.event_name(&state, event.action)));
        game.apply(&mut state, event.action);
    }
    names
}

/// The number of draws of each seat after it had shown a void in the first bout, by the public rules.
fn draws_after_a_void(game: &Schwinget, history: &History<Schwinget>) -> [u32; 2] {
    let rules = game.rules().to_text();
    let dealt = usize::from(2 * hand_size(game));
    let is_special = |card: &str| card == "KR" || card == "BK";
    let mut trump = "";
    let mut led: Option<&str> = None;
    let mut last = 0;
    let mut void = [false; 2];
    let mut draws = [0; 2];
    let events = named(game, history);
    for (place, (turn, name)) in events.iter().enumerate() {
        match turn {
            Turn::Chance if place < dealt => {}
            Turn::Chance if place == dealt => trump = if is_special(name) { "" } else { &name[..1] },
            Turn::Chance => draws[last] += u32::from(void[last]),
            Turn::Seat(_) if name == "attack" || name.starts_with("lead:") => {}
            Turn::Seat(seat) => {
                last = seat.index();
                let Some(card) = led.take() else {
                    led = Some(name);
                    continue;
                };
                let follows = name[..1] == card[..1] && !is_special(name);
                let trumps = !trump.is_empty() && name.starts_with(trump);
                let exempt = is_special(name) && rules.contains("specials=anytime");
                void[last] |= !is_special(card) && !follows && !trumps && !exempt;
            }
            Turn::Over => unreachable!("there are no events after the end"),
        }
    }
    draws
}

/// A random game up to a random event, with rare attacks.
fn somewhere(game: &Schwinget, rng: &mut Rng) -> History<Schwinget> {
    let mut history = History::dealt(game, rng);
    let attack = game.parse_action("attack").unwrap();
    while game.turn(history.state()).seat().is_some() {
        let mut action = game.legal(history.state()).pick(rng);
        if action == attack && rng.below(4) > 0 {
            action = game.legal(history.state()).nth(0);
        }
        history.push(game, action);
        history.settle(game, rng);
    }
    let dealt = usize::from(2 * hand_size(game)) + 1;
    history.prefix(game, dealt + rng.below((history.events().len() - dealt) as u32) as usize)
}

/// Compares samplers with the enumeration at `wanted` information sets under these rules. In three quarters of them
/// the seat's opponent has drawn after showing a void. Returns the number of these.
fn compare(rules: &str, wanted: u32, found: &mut Found) -> u32 {
    let game = game(rules);
    let (mut sets, mut after_void) = (0, 0);
    information_sets(&game, (77, rules, wanted), somewhere, |history, seat, rng, context| {
        let has_void = draws_after_a_void(&game, history)[1 - seat.index()] > 0;
        let count = game.sampler(&game.view(history, seat)).count();
        let enough = if has_void { count >= 3 } else { after_void * 4 >= sets * 3 && count >= 6 };
        if enough {
            found.compare(&game, (history, seat), 20_000, rng, context);
            sets += 1;
            after_void += u32::from(has_void);
        }
        enough
    });
    after_void
}

#[test]
fn samplers_match_the_enumeration_of_all_histories() {
    let mut found = Found::none();
    let mut after_void = 0;
    for specials in ["void_only", "anytime"] {
        for (deck, sets) in [
            ("suits=2,values=4,hand_size=2,set_aside=2", 8),
            ("suits=3,values=3,hand_size=2,set_aside=1", 12),
            ("suits=3,values=3,counter=off,hand_size=2,set_aside=2", 8),
            ("suits=3,values=2,hand_size=2,set_aside=2", 4),
            ("suits=3,values=4,referee=off,counter=off,hand_size=2,set_aside=2", 6),
            ("suits=3,values=4,counter=off,hand_size=3,set_aside=1", 4),
        ] {
            after_void += compare(&format!("specials={specials},{deck}"), sets, &mut found);
        }
    }
    println!("{found:?}, {after_void} after a void");
    assert!(found.sets >= 60, "{found:?}");
    assert!(after_void >= 40, "{after_void}");
    assert!(found.unequal >= 10, "{found:?}");
}

#[test]
fn samplers_match_the_enumeration_in_a_second_bout() {
    let game = game("suits=2,values=2,hand_size=1,set_aside=2,bouts=2");
    let mut found = Found::none();
    information_sets(&game, (78, "second bout", 10), somewhere, |history, seat, rng, context| {
        let first_bout = 2 + 1 + 2 + 2;
        let fits = history.events().len() >= first_bout + 4 && game.sampler(&game.view(history, seat)).count() >= 2;
        if fits {
            found.compare(&game, (history, seat), 5_000, rng, context);
        }
        fits
    });
}

/// All histories that the seat cannot distinguish from the true one, by their actions. They are equally likely,
/// because chance draws from sets of the same size in all of them.
fn histories(game: &Schwinget, truth: &History<Schwinget>, seat: Seat) -> HashMap<Vec<Action>, f64> {
    let dealt = usize::from(2 * hand_size(game));
    let mut found = vec![History::new(game)];
    for count in 1..=truth.events().len() {
        let view = game.view(&truth.prefix(game, count), seat);
        let mut longer = Vec::new();
        for history in found {
            for action in game.possible(history.state()) {
                let mut next = history.clone();
                next.push(game, action);
                // The order of a dealt hand is not known, so views are compared only once it is complete.
                if count < dealt || game.view(&next, seat) == view {
                    longer.push(next);
                }
            }
        }
        found = longer;
    }
    found.iter().map(|history| (actions(history), 1.0)).collect()
}

fn actions(history: &History<Schwinget>) -> Vec<Action> {
    history.events().iter().map(|event| event.action).collect()
}

#[test]
fn sampled_histories_match_the_enumeration() {
    let mut smallest: f64 = 1.0;
    for specials in ["void_only", "anytime"] {
        let game = game(&format!("specials={specials},suits=2,values=4,hand_size=2,set_aside=2"));
        information_sets(&game, (79, specials, 10), somewhere, |history, seat, rng, context| {
            if draws_after_a_void(&game, history)[1 - seat.index()] == 0 {
                return false;
            }
            let all = histories(&game, history, seat);
            let fits = (20..=1000).contains(&all.len());
            if fits {
                let sampler = game.sampler(&game.view(history, seat));
                let mut sampled = HashMap::new();
                for _ in 0..500 * all.len() {
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

#[test]
fn sampled_chance_follows_the_explicit_distribution() {
    for rules in ["", "bouts=2,scoring=schwinger", "suits=2,values=3,hand_size=2,set_aside=2"] {
        fast_path_follows(&game(rules), rules, 20_000, 5);
    }
}

/// Seat 0 sees seat 1 show a void in green, draw, show a void in red, draw, and draw once more. Cards dealt to or
/// drawn by seat 1 are written as `?`.
const SEEN: &str = "G5 ? R1 ? Y6 ? B2 ? Y2 ? B1 \
                    G5 +R2 Y1 +?  R1 +G4 Y3 +?  Y6 +BK Y5 +?";

/// Replaces the question marks of [`SEEN`] by these cards and plays it in the reference. True if it can have
/// happened.
fn reproduces(variant: &Variant, cards: &[&'static str]) -> bool {
    let mut cards = cards.iter();
    let mut game = Match::new(variant.clone());
    for word in SEEN.split_whitespace() {
        let word = word.trim_start_matches('+');
        let name = if word == "?" { cards.next().expect("enough cards") } else { word };
        if !game.possible().contains(&name) {
            return false;
        }
        game.apply(name);
    }
    true
}

/// The hand of seat 1 in a state, of these cards.
fn hand_of_seat_1<'a>(game: &Schwinget, cards: &'a [String], state: &State) -> Vec<&'a str> {
    let mut counts = vec![0; cards.len()];
    game.holdings(state, Seat(1), &mut counts);
    cards.iter().zip(counts).filter(|&(_, count)| count == 1).map(|(card, _)| &**card).collect()
}

/// The number of cards of each suit, and of specials.
fn suits_of(hand: &[&str]) -> [u8; 5] {
    let mut counts = [0; 5];
    for &card in hand {
        let kind = if card == "KR" || card == "BK" { 4 } else { "GRBY".find(&card[..1]).unwrap() };
        counts[kind] += 1;
    }
    counts
}

/// The first two cards by name.
fn first_two(hand: &[&str]) -> String {
    let mut sorted = hand.to_vec();
    sorted.sort();
    sorted[..2].join(" ")
}

#[test]
fn with_the_full_deck_samples_match_rejection() {
    let game = game("");
    let variant = Variant::from_text("").unwrap();
    let mut rng = Rng::stream(9, "rejection", 0);
    let seen: Vec<&str> = SEEN.split_whitespace().map(|word| word.trim_start_matches('+')).collect();
    let mut hidden: Vec<&'static str> = Match::new(variant.clone()).possible();
    let own = ["G5", "R1", "Y6", "B2", "Y2", "B1", "R2", "G4", "BK"];
    hidden.retain(|card| !own.contains(card));
    let count = seen.iter().filter(|&&word| word == "?").count();
    let played = ["Y1", "Y3", "Y5"];
    hidden.retain(|card| !played.contains(card));

    // Eight random cards for seat 1, again and again. Those that can have been played as they were are accepted. As all
    // others lack one of the three that it played, these are dealt each time, with five more, in random order.
    let (mut suits, mut cards) = (HashMap::new(), HashMap::new());
    let mut accepted: Vec<Vec<&'static str>> = Vec::new();
    for _ in 0..200_000 {
        rng.shuffle(&mut hidden);
        let mut arrived = [&played[..], &hidden[..count - played.len()]].concat();
        rng.shuffle(&mut arrived);
        // Five cards at the deal, then one after each trick. The reference would find this too, but more slowly.
        let in_time = (5..).zip(played).all(|(held, card)| arrived[..held].contains(&card));
        if in_time && reproduces(&variant, &arrived) {
            accepted.push(arrived);
        }
    }
    for arrived in &accepted {
        let hand: Vec<&str> = arrived.iter().filter(|card| !played.contains(card)).copied().collect();
        *suits.entry(suits_of(&hand)).or_default() += 1;
        *cards.entry(first_two(&hand)).or_default() += 1;
    }

    // A history of that information set, its view and its sampler.
    let mut unknown = accepted[0].iter();
    let mut history = History::new(&game);
    for &word in &seen {
        let name = if word == "?" { unknown.next().unwrap() } else { word };
        let action = match game.turn(history.state()) {
            Turn::Chance => game.parse_outcome(name).unwrap(),
            _ => game.parse_action(name).unwrap(),
        };
        history.push(&game, action);
    }
    let sampler = game.sampler(&game.view(&history, Seat(0)));
    let (mut exact_suits, mut exact_cards, mut unweighed) = (HashMap::new(), HashMap::new(), HashMap::new());
    let names = game.cards();
    for world in sampler.worlds() {
        let hand = hand_of_seat_1(&game, &names, &world.state);
        *exact_suits.entry(suits_of(&hand)).or_default() += world.weight as f64;
        *exact_cards.entry(first_two(&hand)).or_default() += world.weight as f64;
        *unweighed.entry(suits_of(&hand)).or_default() += 1.0;
    }
    let mut sampled = HashMap::new();
    for _ in 0..100_000 {
        *sampled.entry(suits_of(&hand_of_seat_1(&game, &names, &sampler.sample(&mut rng)))).or_default() += 1;
    }
    println!("{} accepted, {} worlds, {} compositions", accepted.len(), sampler.count(), suits.len());
    assert!(accepted.len() > 5_000, "{}", accepted.len());
    let p_values =
        [chi_square(&suits, &exact_suits), chi_square(&cards, &exact_cards), chi_square(&sampled, &exact_suits)];
    println!("p-values {p_values:?}");
    assert!(p_values.into_iter().all(|p| p > SMALLEST_P), "{p_values:?}");
    // A check of the test's power: uniform weights would not pass.
    assert!(chi_square(&suits, &unweighed) < SMALLEST_P);
}
