//! The toys are games of the literature, with the published rules, sizes and values.

use crate::toys::{self, KUHN, KUHN_THREE, LEDUC, in_kuhn};
use stier_agents::solve::{BuildError, GameTree, InformationSet, Node, Policy, TooLarge};
use stier_agents::solve::{best_response, nash_conv, values};
use stier_agents::{AgentSpec, catalogue};
use stier_core::games::dark_hex::DarkHex;
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::games::leduc_poker::{CALL, FOLD, RAISE};
use stier_core::games::liars_dice::LiarsDice;
use stier_core::{Action, Game, Plain, Rng, Seat, Turn};

/// The largest number of histories of a toy.
const MAX_NODES: usize = 1_000_000;

fn tree<G: Game>(game: &G) -> GameTree<G> {
    GameTree::new(game, MAX_NODES).expect("a small game")
}

fn dice(sides: u8) -> Plain {
    toys::plain::<LiarsDice>(&format!("sides={sides}"))
}

fn goofspiel(cards: u8) -> Plain {
    toys::plain::<Goofspiel>(&format!("cards={cards}"))
}

/// The return of seat 0 at the end of these events.
fn value<G: Game>(game: &G, events: &[u8]) -> f64 {
    let mut state = game.root();
    for &event in events {
        assert_ne!(game.turn(&state), Turn::Over);
        game.apply(&mut state, Action(event));
    }
    assert_eq!(game.turn(&state), Turn::Over);
    game.returns(&state)[Seat(0)]
}

#[test]
fn returns_are_those_of_the_rules() {
    let [fold, call, raise] = [FOLD, CALL, RAISE].map(|action| action.0);
    // A king against a queen, checked through, with a jack on the table.
    assert_eq!(value(&*LEDUC, &[4, 2, call, call, 0, call, call]), 1.0);
    // The queen pairs, with two raises in each round.
    let all = [4, 2, raise, raise, call, 3, raise, raise, call];
    assert_eq!(value(&*LEDUC, &all), -13.0);
    // A fold costs the amount paid.
    assert_eq!(value(&*LEDUC, &[4, 2, raise, raise, fold]), -3.0);
    assert_eq!(value(&*LEDUC, &[4, 2, raise, call, 0, call, raise, fold]), -3.0);
    assert_eq!(value(&*LEDUC, &[4, 2, raise, call, 0, raise, raise, call]), 11.0);
    // Equal ranks share the pot.
    assert_eq!(value(&*LEDUC, &[4, 5, raise, call, 0, call, call]), 0.0);

    // With three sides the bids are 1-1, 1-2, 1-3, 2-1, 2-2 and 2-3, followed by the call.
    let game = dice(3);
    assert_eq!(value(&game, &[0, 1, 0, 6]), 1.0);
    assert_eq!(value(&game, &[1, 1, 0, 6]), -1.0);
    assert_eq!(value(&game, &[0, 2, 0, 3, 6]), -1.0);
    assert_eq!(value(&game, &[0, 1, 0, 3, 6]), 1.0);
    assert_eq!(value(&game, &[2, 2, 5, 6]), 1.0);

    // The prizes are 3, 2 and 1; the last cards are forced.
    let game = goofspiel(3);
    assert_eq!(value(&game, &[2, 0, 1, 1]), 1.0);
    assert_eq!(value(&game, &[2, 0, 0, 1]), 0.0);
    assert_eq!(value(&game, &[2, 2, 0, 1]), -1.0);
    assert_eq!(value(&game, &[2, 2, 1, 1]), 0.0);
}

/// Information sets by seat, and the NashConv of uniform play.
fn size_and_nash_conv<G: Game>(game: &G) -> ([usize; 2], f64) {
    let tree = tree(game);
    let sets = [0, 1].map(|seat| tree.sets().filter(|set| set.seat() == Seat(seat)).count());
    (sets, nash_conv(&tree, &Policy::uniform(&tree)).total())
}

/// The values of OpenSpiel's `exploitability.nash_conv` for its uniform policy, to six digits.
#[test]
fn sizes_and_the_nash_conv_of_uniform_play_are_as_published() {
    for (name, (sets, found), size, expected) in [
        ("kuhn", size_and_nash_conv(&*KUHN), 12, 0.916_667),
        ("leduc", size_and_nash_conv(&*LEDUC), 936, 4.747_222),
        ("liar's dice, 3 sides", size_and_nash_conv(&dice(3)), 192, 1.111_111),
        ("liar's dice, 4 sides", size_and_nash_conv(&dice(4)), 1024, 1.310_119),
        ("liar's dice, 6 sides", size_and_nash_conv(&dice(6)), 24_576, 1.561_489),
        ("goofspiel, 3 cards", size_and_nash_conv(&goofspiel(3)), 16, 1.333_333),
        ("goofspiel, 4 cards", size_and_nash_conv(&goofspiel(4)), 162, 1.416_667),
        ("goofspiel, 5 cards", size_and_nash_conv(&goofspiel(5)), 2124, 1.55),
    ] {
        assert_eq!(sets[0], sets[1], "{name}");
        assert_eq!(sets[0] + sets[1], size, "{name}");
        assert!((found - expected).abs() < 1e-6, "{name}: {found}");
    }
}

/// OpenSpiel's `kuhn_poker(players=3)`.
#[test]
fn three_players_are_as_published() {
    let tree = tree(&*KUHN_THREE);
    assert_eq!(tree.sets().len(), 48);
    let found = nash_conv(&tree, &Policy::uniform(&tree));
    for (value, expected) in found.values.iter().zip([0.234_375, -0.046_875, -0.1875]) {
        assert!((value - expected).abs() < 1e-9, "{found:?}");
    }
    assert!((found.total() - 2.0625).abs() < 1e-9 && (found.exploitability() - 0.6875).abs() < 1e-9);
}

#[test]
fn the_value_of_uniform_play_is_as_published() {
    let tree = tree(&*LEDUC);
    let found = values(&tree, &Policy::uniform(&tree));
    assert!((found[Seat(0)] + 0.078_125).abs() < 1e-9 && (found[Seat(0)] + found[Seat(1)]).abs() < 1e-12);
}

/// An equilibrium of Kuhn poker for each `alpha` from 0 to 1/3, the share of jacks that seat 0 bets.
fn equilibrium(tree: &GameTree<Plain>, alpha: f64) -> Policy {
    Policy::from_fn(tree, |set| {
        let (card, actions) = in_kuhn(&set.view());
        let bets = match (actions.as_slice(), card) {
            ([], 0) => alpha,
            ([], 1) => 0.0,
            ([], _) => 3.0 * alpha,
            ([PASS, BET], 1) => alpha + 1.0 / 3.0,
            ([PASS], 0) | ([BET], 1) => 1.0 / 3.0,
            ([PASS], 1) | (_, 0) => 0.0,
            _ => 1.0,
        };
        vec![1.0 - bets, bets]
    })
}

#[test]
fn kuhns_equilibria_cannot_be_exploited() {
    let tree = tree(&*KUHN);
    for alpha in [0.0, 0.1, 0.2, 1.0 / 3.0] {
        let found = nash_conv(&tree, &equilibrium(&tree, alpha));
        assert!(found.total().abs() < 1e-12, "{alpha}: {found:?}");
        assert!((found.values[Seat(0)] + 1.0 / 18.0).abs() < 1e-12);
    }
    let off = nash_conv(&tree, &Policy::uniform(&tree));
    assert!(off.total() > 0.01 && (off.exploitability() - off.total() / 2.0).abs() < 1e-12);
}

/// For any policy of the other player, the best response is the best of all pure strategies, tried one by one.
#[test]
fn best_responses_are_the_best_of_all_strategies() {
    let tree = tree(&*KUHN);
    let mut rng = Rng::stream(1, "strategies", 0);
    for _ in 0..20 {
        let policy = Policy::from_fn(&tree, |_| {
            let share = [0.0, 0.5, rng.unit()][rng.below(3) as usize];
            vec![1.0 - share, share]
        });
        for seat in [Seat(0), Seat(1)] {
            let mine: Vec<u32> = (0..12).filter(|&set| tree.set(set).seat() == seat).collect();
            let play = |strategy: u32| {
                let mut number = 0..12_u32;
                let row = |_: InformationSet<'_, Plain>| {
                    let set = number.next().expect("twelve sets");
                    match mine.iter().position(|&own| own == set) {
                        Some(place) => vec![f64::from(1 - (strategy >> place & 1)), f64::from(strategy >> place & 1)],
                        None => policy.row(set).to_vec(),
                    }
                };
                values(&tree, &Policy::from_fn(&tree, row))[seat]
            };
            let best = (0..64).map(play).fold(f64::NEG_INFINITY, f64::max);
            let found = best_response(&tree, &policy, seat);
            assert!((found.value - best).abs() < 1e-12, "{} against {best}", found.value);
            let strategy = mine.iter().enumerate().map(|(place, &set)| {
                let action = found.actions[set as usize].expect("an action at each set of the seat");
                u32::from(action.0) << place
            });
            assert!((play(strategy.sum()) - best).abs() < 1e-12, "its actions earn its value");
            let others = found.actions.iter().zip(tree.sets()).filter(|(_, set)| set.seat() != seat);
            assert!(others.into_iter().all(|(action, _)| action.is_none()));
        }
    }
}

#[test]
fn trees_list_every_history_once() {
    let tree = tree(&*KUHN);
    // The root, which deals both cards; 6 deals with 4 decisions and 5 ends each.
    assert_eq!(tree.num_nodes(), 1 + 6 * 9);
    let ends = tree.nodes().filter(|node| matches!(node, Node::End { .. })).count();
    assert_eq!((ends, tree.num_seats()), (30, 2));
    assert!((0..12).all(|set| tree.set(set).members().len() == 2 && tree.width(set) == 2));
    assert_eq!(GameTree::new(&*KUHN, 54).map(|_| ()), Err(TooLarge::Counted { most: 54 }.into()));
    assert!(GameTree::new(&*KUHN, 55).is_ok());
    let hex = |rules| GameTree::new(&toys::plain::<DarkHex>(rules), 10_000).map(|tree| tree.num_sets());
    assert_eq!(hex("rows=2,columns=2"), Err(BuildError::HiddenMoves { game: "dark_hex" }));
    assert!(hex("rows=2,columns=2,obstruction=abrupt").is_ok());
}

/// Agents that only follow a game's own policy refuse games without one, and the other agents play them.
#[test]
fn games_without_a_policy_refuse_the_agents_that_need_one() {
    let game = stier_games::load("leduc_poker", "").expect("a game");
    let refused = |text: &str| {
        let spec: AgentSpec = text.parse().expect("an agent");
        game.agent(&spec).err().map(|error| error.to_string())
    };
    let others = game.agents().join(", ");
    let expected = format!("leduc_poker has no built-in policy, so 'greedy' cannot play it; agents: {others}");
    for text in ["greedy", "rule", "lbr:worlds=5", "rule:cards=(lbr:worlds=3)"] {
        assert_eq!(refused(text).as_ref(), Some(&expected), "{text}");
    }
    for text in ["lbr:against=random", "rule:cards=random", "ismcts:rollout=fitted", "best"] {
        assert_eq!(refused(text), None, "{text}");
    }
    let all = stier_games::load("schwinget", "").expect("a game").agents();
    assert_eq!(all, catalogue::NAMES, "the game has a policy and a network");
    assert!(others.contains("ismcts") && !others.contains("network"));
}
