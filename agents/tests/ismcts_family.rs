//! The common properties of the search's variants, and their differences.

use std::collections::HashMap;

use crate::toys::{
    self, KUHN,
    claims::{self, Claims},
    matrix::Matrix,
    nim::{self, Nim},
};
use stier_agents::{Agent, AgentSpec, Decision, Search};
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::games::{
    schweins_galopp::SchweinsGalopp, schwimmen::Schwimmen, schwinget::Schwinget, up_and_down::UpAndDown,
};
use stier_core::plain::PlainState;
use stier_core::{Action, ActionSet as _, FromRules, Game, Hints, History, Plain, Rng, Turn};

const RULES: [&str; 5] = ["ucb1", "puct", "exp3", "regret_matching", "smooth_uct"];

fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

fn agent<G: Hints>(game: &G, text: &str, seed: u64) -> Box<dyn Agent<G>> {
    text.parse::<AgentSpec>().expect("an agent").build(game, seed)
}

fn decide<G: Hints>(game: &G, history: &History<G>, agent: &mut dyn Agent<G>) -> Decision {
    let seat = game.turn(history.state()).seat().expect("a player must be to act");
    agent.act(game, &game.view(history, seat), game.legal(history.state()))
}

fn search<G: Hints>(game: &G, history: &History<G>, agent: &mut dyn Agent<G>) -> Search {
    decide(game, history, agent).search.expect("a search")
}

/// The total visits of all actions.
fn visits(search: &Search) -> u64 {
    search.actions.iter().map(|stats| stats.visits).sum()
}

#[test]
fn observers_are_equivalent_without_hidden_information() {
    for seats in [2, 3] {
        let game = toys::plain::<Nim>(&format!("seats={seats},heaps=5433"));
        for index in 0..5 {
            let mut rng = Rng::stream(1, "nim", index);
            let mut history = History::new(&game);
            for _ in 0..index {
                history.push(&game, game.legal(history.state()).pick(&mut rng));
            }
            for rule in RULES {
                let found = |options: &str| {
                    let text = format!("ismcts:iterations=1000,selection={rule}{options}");
                    search(&game, &history, agent(&game, &text, index).as_mut())
                };
                let plain = found("");
                assert_eq!(visits(&plain), 1000);
                for options in
                    [",observer=multi", ",draws=branch", ",observer=multi,draws=branch", ",observer=multi,reuse=on"]
                {
                    let other = found(options);
                    assert_eq!((&other.actions, other.nodes), (&plain.actions, plain.nodes), "{rule}{options}");
                }
            }
        }
    }
}

/// Upper confidence bounds applied to trees (Kocsis and Szepesvári 2006), written for nim alone: nodes by the actions
/// taken, bounds by the paper.
struct Uct {
    rng: Rng,
    /// By the actions since the root: each action with its visits and the sum of the mover's returns.
    nodes: HashMap<Vec<u8>, Vec<(Action, f64, f64)>>,
    seen: Vec<f64>,
    spread: f64,
}

impl Uct {
    fn iterate(&mut self, game: &Plain, root: &PlainState) {
        let mut state = *root;
        let (mut path, mut passed) = (Vec::new(), Vec::new());
        while let Turn::Seat(mover) = game.turn(&state) {
            let edges = self.nodes.entry(path.clone()).or_default();
            let untried: <Plain as Game>::Actions =
                game.legal(&state).iter().filter(|&action| edges.iter().all(|edge| edge.0 != action)).collect();
            let action = if untried.is_empty() {
                let total: f64 = edges.iter().map(|edge| edge.1).sum();
                let bound = |edge: &(Action, f64, f64)| {
                    // The current pass counts.
                    edge.2 / edge.1 + 0.7 * self.spread * ((total + 1.0).ln() / edge.1).sqrt()
                };
                edges.iter().max_by(|a, b| bound(a).total_cmp(&bound(b))).expect("an edge").0
            } else {
                untried.pick(&mut self.rng)
            };
            if !untried.is_empty() {
                edges.push((action, 0.0, 0.0));
            }
            passed.push((path.clone(), action, mover));
            path.push(action.0);
            game.apply(&mut state, action);
            if !untried.is_empty() {
                break;
            }
        }
        game.playout(&mut state, &mut self.rng);
        let returns = game.returns(&state);
        for (node, action, mover) in passed {
            let edges = self.nodes.get_mut(&node).expect("a node");
            let edge = edges.iter_mut().find(|edge| edge.0 == action).expect("an edge");
            edge.1 += 1.0;
            edge.2 += (returns[mover] + 1.0) / 2.0;
        }
        let searcher = game.turn(root).seat().expect("a decision");
        self.seen.push((returns[searcher] + 1.0) / 2.0);
        let count = self.seen.len();
        if count >= 16 && count.is_power_of_two() {
            let mean = self.seen.iter().sum::<f64>() / count as f64;
            let variance = self.seen.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64;
            let before = if count == 16 { 0.05 } else { self.spread };
            self.spread = f64::max(before, 2.0 * variance.sqrt());
        }
    }
}

#[test]
fn with_one_world_the_search_is_plain_uct() {
    // Availability is counted from an action's first try on, which comes a few passes after the node's first. Bounds
    // differ from the paper's accordingly, and visits by a few per cent.
    let game = toys::plain::<Nim>("");
    let root = History::new(&game);
    for seed in 0..3 {
        let mut uct = Uct { rng: Rng::stream(seed, "ismcts", 0), nodes: HashMap::new(), seen: Vec::new(), spread: 1.0 };
        (0..20_000).for_each(|_| uct.iterate(&game, root.state()));
        let found = search(&game, &root, agent(&game, "ismcts:iterations=20000", seed).as_mut());
        for edge in &uct.nodes[&Vec::new()] {
            let stats = found.actions.iter().find(|stats| Action(stats.action) == edge.0).expect("an action");
            let (expected, here) = (edge.1 / 20_000.0, stats.visits as f64 / 20_000.0);
            assert!((expected - here).abs() < 0.02, "{stats:?} {edge:?}");
            let value = 2.0 * edge.2 / edge.1 - 1.0;
            assert!((value - stats.value).abs() < 0.04 || stats.visits < 500, "{stats:?} {edge:?}");
        }
    }
}

#[test]
fn good_moves_in_nim_are_found_by_every_rule() {
    // Heaps of 3, 2 and 2: taking the first leaves two equal ones.
    let game = toys::plain::<Nim>("");
    let root = History::new(&game);
    for rule in RULES {
        let text = format!("ismcts:iterations=30000,rollout=random,choose=mixed,selection={rule}");
        let decision = decide(&game, &root, agent(&game, &text, 1).as_mut());
        let (best, share) =
            decision.policy.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }).expect("a policy");
        let mut after = *root.state();
        game.apply(&mut after, best);
        assert_eq!(after.get::<nim::State>().heaps, [0, 0, 2, 2], "{rule}: {decision:?}");
        assert!(share > 0.5, "{rule}: {share}");
    }
}

#[test]
fn regret_matching_finds_the_equilibrium_of_simultaneous_choices() {
    for (rules, heads) in [("", 0.5), ("heads=2", 0.4), ("heads=3,tails=1,mixed=2", 3.0 / 8.0)] {
        let game = toys::plain::<Matrix>(rules);
        let root = History::new(&game);
        for (options, tolerance) in
            [("selection=regret_matching", 0.02), ("selection=exp3", 0.04), ("selection=smooth_uct", 0.1)]
        {
            let text = format!("ismcts:iterations=200000,observer=multi,choose=mixed,{options}");
            let decision = decide(&game, &root, agent(&game, &text, 1).as_mut());
            let share = decision.policy[0].1;
            assert!((share - heads).abs() < tolerance, "{rules} {options}: {share} for {heads}");
            let statistics = decision.search.expect("a search").actions;
            assert!(statistics.iter().all(|stats| stats.visits > 20_000), "{statistics:?}");
        }
    }
}

/// The probability of betting after a deal and some actions.
fn bets(cards: [u8; 2], actions: &[Action], text: &str) -> f64 {
    let game = KUHN.clone();
    let mut history = History::new(&game);
    for &event in cards.map(Action).iter().chain(actions) {
        history.push(&game, event);
    }
    decide(&game, &history, agent(&game, text, 1).as_mut()).policy[BET.index()].1
}

#[test]
fn in_kuhn_poker_every_mixed_rule_calls_with_kings_and_folds_jacks() {
    for rule in RULES {
        for draws in ["merge", "branch"] {
            let text = format!("ismcts:iterations=20000,observer=multi,draws={draws},selection={rule},choose=mixed");
            for other in [0, 1] {
                assert!(bets([other, 2], &[BET], &text) > 0.97, "{rule}: a king calls");
                assert!(bets([2, other], &[PASS, BET], &text) > 0.97, "{rule}: a king calls");
            }
            for other in [1, 2] {
                assert!(bets([other, 0], &[BET], &text) < 0.03, "{rule}: a jack folds");
                assert!(bets([0, other], &[PASS, BET], &text) < 0.03, "{rule}: a jack folds");
            }
            assert!(bets([1, 0], &[], &text) < 0.2, "{rule}: a queen does not bet");
        }
    }
}

#[test]
fn opponents_choose_by_their_own_hand_if_they_are_observers() {
    // Seat 0 has a queen and bets. With one observer, jack and king share a node: they call, for 0 on average, rather
    // than fold, for -1, so the queen gets (2 - 2) / 2. With two, the jack folds and the king calls: (1 - 2) / 2.
    let game = KUHN.clone();
    let mut history = History::new(&game);
    history.push(&game, Action(1));
    history.push(&game, Action(0));
    let value = |text: &str| search(&game, &history, agent(&game, text, 3).as_mut()).actions[BET.index()].value;
    let multi = value("ismcts:iterations=50000,observer=multi,c=2");
    assert!((multi + 0.5).abs() < 0.1, "{multi}");
    let single = value("ismcts:iterations=50000,c=2");
    assert!(single.abs() < 0.1, "{single}");
}

/// Plays a game at random and checks, at every decision, the visits inherited by an agent that keeps its tree.
/// Returns the number of decisions with inherited visits.
fn inherits<G: Hints>(game: &G, options: &str, index: u64) -> usize {
    let text = format!("ismcts:iterations=2000,reuse=on{options}");
    let mut rng = Rng::stream(8, "reuse", index);
    let mut history = History::dealt(game, &mut rng);
    let mut players: Vec<Box<dyn Agent<G>>> = (0..game.num_seats()).map(|_| agent(game, &text, 1)).collect();
    let mut largest: Vec<Option<u64>> = vec![None; game.num_seats()];
    let mut inherited = 0;
    while let Turn::Seat(seat) = game.turn(history.state()) {
        let legal = game.legal(history.state());
        let found = search(game, &history, players[seat.index()].as_mut());
        let action = legal.pick(&mut rng);
        if legal.len() > 1 {
            assert_eq!(found.iterations, 2000);
            let more = visits(&found) - 2000;
            match largest[seat.index()] {
                // Inherited visits were below the chosen action.
                Some(largest) => assert!(more <= largest, "{more} of {largest}"),
                None => assert_eq!(more, 0, "nothing to inherit"),
            }
            assert!(found.actions.iter().all(|stats| stats.availability >= stats.visits));
            inherited += usize::from(more > 0);
            let stats = found.actions.iter().find(|stats| Action(stats.action) == action).expect("it was legal");
            largest[seat.index()] = Some(stats.visits);
            // A new agent inherits nothing.
            assert_eq!(visits(&search(game, &history, agent(game, &text, 1).as_mut())), 2000);
        }
        history.push(game, action);
        history.settle(game, &mut rng);
    }
    inherited
}

#[test]
fn trees_are_kept_between_decisions() {
    for options in
        ["", ",draws=branch", ",observer=multi", ",observer=multi,draws=branch", ",selection=exp3", ",c=2,threads=2"]
    {
        let nim: usize = (0..4).map(|index| inherits(&toys::plain::<Nim>("seats=3,heaps=5433"), options, index)).sum();
        let cards: usize = (0..4).map(|index| inherits::<Schwinget>(&game(""), options, index)).sum();
        let hidden: usize = (0..2).map(|index| inherits::<UpAndDown>(&game(""), options, index)).sum();
        assert!(nim >= 8 && cards >= 8 && hidden >= 8, "{options}: {nim} {cards} {hidden}");
    }
}

#[test]
fn another_game_inherits_nothing() {
    let game: Schwinget = game("");
    let text = "ismcts:iterations=500,reuse=on";
    let [first, second] = [0, 1].map(|index| History::dealt(&game, &mut Rng::stream(2, "another", index)));
    let mut kept = agent(&game, text, 4);
    let before = search(&game, &first, kept.as_mut());
    // If it is asked again, it continues from its last search.
    assert_eq!(visits(&search(&game, &first, kept.as_mut())), 1000);
    assert_eq!(visits(&search(&game, &second, kept.as_mut())), 500);
    kept.restart(4);
    assert_eq!(search(&game, &first, kept.as_mut()).actions, before.actions);
}

#[test]
fn all_variants_are_deterministic_on_any_game() {
    fn check<G: Hints + FromRules>(rules: &str) {
        let game: G = game(rules);
        let mut rng = Rng::stream(2, "variants", 0);
        let mut history = History::dealt(&game, &mut rng);
        while history.events().len() < 3 || game.legal(history.state()).len() < 3 {
            history.push(&game, game.legal(history.state()).pick(&mut rng));
            history.settle(&game, &mut rng);
        }
        for rule in RULES {
            for observer in ["single", "multi"] {
                for draws in ["merge", "branch"] {
                    let text = format!(
                        "ismcts:iterations=301,threads=2,selection={rule},observer={observer},draws={draws},choose=mixed"
                    );
                    let run = |seed| {
                        let Decision { action, policy, search } =
                            decide(&game, &history, agent(&game, &text, seed).as_mut());
                        (action, policy, search.expect("a search").actions)
                    };
                    let (action, policy, actions) = run(1);
                    assert_eq!((action, policy.clone(), actions.clone()), run(1), "{text}");
                    assert_ne!(actions, run(2).2, "{text}");
                    assert_eq!(actions.iter().map(|stats| stats.visits).sum::<u64>(), 301, "{text}");
                    assert!((policy.iter().map(|&(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
                    assert!(policy.iter().any(|&(id, share)| id == action && share > 0.0));
                }
            }
        }
    }
    check::<Schwinget>("");
    check::<UpAndDown>("");
    check::<Schwimmen>("");
    check::<SchweinsGalopp>("");
}

/// An estimate may be lower than the lowest return because of rounding.
#[test]
fn means_slightly_below_the_lowest_return_are_the_worst() {
    let game = toys::plain::<Claims>("");
    let mut history = History::new(&game);
    history.push(&game, Action(0));
    for rule in ["ucb1", "smooth_uct,gamma=1"] {
        let text = format!("ismcts:iterations=400,c=0,selection={rule},cutoff=0");
        let found = search(&game, &history, agent(&game, &text, 1).as_mut());
        let [no, yes] = &found.actions[..] else { panic!("two actions") };
        assert_eq!((no.action, yes.action), (claims::NO.0, claims::YES.0));
        assert!(yes.visits > 300, "{rule}: {found:?}");
        assert!(no.value >= -1.0 && yes.value > 0.4, "{rule}: {found:?}");
    }
}
