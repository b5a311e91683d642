//! Places of what players know among the public states of small games.

use std::collections::HashSet;

use stier_core::games::{goofspiel, kuhn_poker, leduc_poker, liars_dice, schwinget};
use stier_core::public::{Place, PublicForm, PublicScene, PublicState};
use stier_core::{Action, ActionSet as _, FromRules, FullGame, Game, History, Plain, Seat, Turn};

/// Decks with all options, one to four suits, and a card turned up that names no trump.
const DECKS: [&str; 10] = [
    "suits=2,values=3,referee=off,hand_size=3,set_aside=1",
    "suits=2,values=2,counter=off,hand_size=1,set_aside=1",
    "suits=2,values=2,hand_size=2,set_aside=2",
    "suits=2,values=3,referee=off,hand_size=2,set_aside=1,scoring=schwinger",
    "suits=3,values=2,hand_size=2,set_aside=2,specials=anytime",
    "suits=3,values=2,referee=off,hand_size=2,set_aside=1",
    "suits=4,values=1,hand_size=2,set_aside=2",
    "suits=1,values=5,hand_size=2,set_aside=3,consolation_tricks=1",
    "suits=2,values=3,counter=off,hand_size=3,set_aside=1",
    "suits=2,values=3,counter=off,hand_size=1,set_aside=1",
];

/// Goes through all places in which a seat acts.
fn each_place(form: &mut dyn PublicForm, visit: &mut dyn FnMut(&dyn PublicForm, Seat, Place)) {
    for (opening, start) in form.openings().into_iter().enumerate() {
        let mut open = vec![(start.public, Vec::new())];
        while let Some((public, events)) = open.pop() {
            let PublicScene::Choice(choice) = form.scene(public) else { continue };
            let detail = form.detail(public);
            let after = |event| [&events[..], &[event]].concat();
            open.extend(choice.branches.iter().map(|branch| (branch.public, after(branch.event))));
            let Turn::Seat(mover) = choice.turn else { continue };
            let hands = choice.hands[mover.index()];
            let widths = detail.legal.iter().map(Vec::len).take(hands);
            assert!(widths.eq(choice.widths.iter().take(hands).map(|&width| usize::from(width))));
            // A view is that of the hand whose policy others share.
            let is_own = |hand: &usize| choice.twins.get(*hand).is_none_or(|twin| usize::from(twin.hand) == *hand);
            for hand in (0..hands).filter(is_own) {
                let key = form.key(public, mover, hand);
                assert_eq!(form.hand(public, mover, key), Some(hand));
                let place = Place { opening, events: events.clone(), hand: key, actions: Vec::new() };
                visit(form, mover, place);
            }
        }
    }
}

/// Checks the history of a place, and returns true if there is one.
fn is_found<G: FullGame>(game: &G, form: &dyn PublicForm, seat: Seat, place: &Place) -> bool {
    let Some(history) = game.public_history(form, seat, place) else { return false };
    for (state, event) in history.steps(game) {
        game.check(&state, event.action).unwrap();
    }
    assert_eq!(game.turn(history.state()), Turn::Seat(seat));
    let found = game.public_place(form, &game.view(&history, seat)).unwrap();
    assert_eq!((found.opening, &found.events, found.hand), (place.opening, &place.events, place.hand));
    // Ranks are the order of the legal actions.
    assert!(found.actions.iter().copied().eq(game.legal(history.state()).iter()));
    true
}

/// Checks that all places to which play leads have histories, and no others, in a form with folded hands and in one without.
fn check<G: FullGame>(game: &G, label: &str) {
    let mut forms = [false, true].map(|fold| game.public_form(1_000_000, fold, &|| true).unwrap());
    let mut reached = forms.each_ref().map(|_| HashSet::new());
    let mut open = vec![History::new(game)];
    while let Some(history) = open.pop() {
        let state = history.state();
        let actions: Vec<Action> = match game.turn(state) {
            Turn::Over => continue,
            Turn::Chance => game.chance(state).iter().map(|outcome| outcome.action).collect(),
            Turn::Seat(seat) => {
                let view = game.view(&history, seat);
                for (form, reached) in forms.iter().zip(&mut reached) {
                    let Place { opening, events, hand, .. } = game.public_place(&**form, &view).unwrap();
                    reached.insert((opening, events, hand));
                }
                game.legal(state).iter().collect()
            }
        };
        open.extend(actions.into_iter().map(|action| {
            let mut next = history.clone();
            next.push(game, action);
            next
        }));
    }
    for (form, reached) in forms.iter_mut().zip(reached) {
        let (mut found, mut lost) = (HashSet::new(), Vec::new());
        each_place(&mut **form, &mut |form, seat, place| match is_found(game, form, seat, &place) {
            true => assert!(found.insert((place.opening, place.events, place.hand))),
            false => lost.push((place.opening, place.events, place.hand)),
        });
        assert!(found.is_subset(&reached), "{label}");
        assert!(lost.iter().all(|place| !reached.contains(place)), "{label}");
        assert!(found.len() > 10, "{label}");
    }
}

#[test]
fn places_have_histories_in_every_deck() {
    for deck in DECKS {
        check(&schwinget::Schwinget::from_text(deck).unwrap(), deck);
    }
}

/// The scene of a public state, where those that follow and that are alike have one number, and no event a name.
fn nameless(form: &mut dyn PublicForm, public: PublicState) -> PublicScene {
    let mut scene = form.scene(public);
    if let PublicScene::Choice(choice) = &mut scene {
        for branch in &mut choice.branches {
            (branch.event, branch.public) = (Action(0), form.first_alike(branch.public));
        }
    }
    scene
}

#[test]
fn the_same_can_happen_from_public_states_that_are_alike() {
    let (mut all, mut firsts) = (0, 0);
    for (deck, fold) in DECKS.iter().flat_map(|deck| [(deck, false), (deck, true)]) {
        let game = schwinget::Schwinget::from_text(deck).unwrap();
        let mut form = game.public_form(0, fold, &|| true).unwrap();
        let mut open: Vec<PublicState> = form.openings().iter().map(|opening| opening.public).collect();
        let mut known: HashSet<PublicState> = open.iter().copied().collect();
        while let Some(public) = open.pop() {
            let first = form.first_alike(public);
            firsts += usize::from(first == public);
            assert_eq!(nameless(&mut *form, public), nameless(&mut *form, first), "{deck}, {fold}");
            let next = form.scene(public);
            open.extend(next.branches().iter().map(|branch| branch.public).filter(|&public| known.insert(public)));
        }
        all += known.len();
    }
    assert!(firsts < all / 2, "{firsts} of {all}");
}

#[test]
fn places_have_histories_in_plain_games() {
    let games = [
        Plain::new(kuhn_poker::KuhnPoker::from_text("").unwrap()),
        Plain::new(leduc_poker::LeducPoker::from_text("").unwrap()),
        Plain::new(liars_dice::LiarsDice::from_text("sides=3").unwrap()),
        Plain::new(goofspiel::Goofspiel::from_text("cards=4").unwrap()),
    ];
    for game in games {
        check(&game, game.name());
    }
}
