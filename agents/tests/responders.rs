//! Responders against a known policy are never better than a best response, and not much worse if that can be
//! computed.

use std::ops::RangeInclusive;

use crate::game_tree::SMALL_SCHWINGET;
use crate::networks::files::Draft;
use crate::toys::{KUHN, LEDUC};
use stier_agents::solve::{GameTree, Policy};
use stier_agents::solve::{nash_conv, values};
use stier_agents::{ActionStats, Agent, AgentSpec};
use stier_core::games::kuhn_poker::BET;
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{Action, ActionSet as _, FromRules, Game, Hints, History, Options as _, Plain, Rng, Seat, Turn};

fn spec(text: &str) -> AgentSpec {
    text.parse().expect("an agent")
}

/// A policy on a tree of histories, and the gain of a best response to it, averaged over the seats.
struct Victim<'a, G: Game> {
    game: &'a G,
    tree: &'a GameTree<G>,
    agent: String,
    policy: Policy,
    most: f64,
}

impl<'a, G: Hints> Victim<'a, G> {
    fn new(game: &'a G, tree: &'a GameTree<G>, agent: &str) -> Self {
        let policy = crate::policy_of(game, tree, &spec(agent), 1);
        let most = nash_conv(tree, &policy).exploitability();
        Self { game, tree, agent: agent.to_string(), policy, most }
    }

    /// The exact gain of a responder, averaged over the seats. In its text, `AGENT` stands for the agent.
    fn gain(&self, responder: &str) -> f64 {
        let response = crate::policy_of(self.game, self.tree, &spec(&responder.replace("AGENT", &self.agent)), 2);
        let value = |seat: Seat| {
            let mixed = Policy::from_fn(self.tree, |set| {
                let plays = if set.seat() == seat { &response } else { &self.policy };
                plays.row(set.number()).to_vec()
            });
            values(self.tree, &mixed)[seat]
        };
        let seats = self.game.num_seats();
        let sum = self.game.info().utility_sum.expect("a constant sum");
        (Seat::all(seats).map(value).sum::<f64>() - sum) / seats as f64
    }
}

/// Each responder gains at least this share of the exploitability of each of these agents.
fn gains_are_at_least<G: Hints>(game: &G, most_nodes: usize, cases: &[(&str, &[(&str, f64)])]) {
    let tree = GameTree::new(game, most_nodes).expect("a small game");
    for &(agent, responders) in cases {
        let victim = Victim::new(game, &tree, agent);
        for &(responder, share) in responders {
            let (gain, most) = (victim.gain(responder), victim.most);
            println!("{} {agent}: {gain:.4} of {most:.4}, {:.1} %, by {responder}", game.name(), 100.0 * gain / most);
            assert!(gain <= most + 1e-9, "{responder} gains {gain} of {most} against {agent}");
            assert!(gain >= share * most, "{responder} gains {gain} of {most} against {agent}");
        }
    }
}

const LBR: &str = "lbr:worlds=100,particles=200,against=(AGENT)";
const IMITATING: &str = "lbr:worlds=100,particles=200,continuation=against,against=(AGENT)";
const MERGED: &str = "ismcts_br:iterations=500,particles=200,against=(AGENT)";
const BRANCHED: &str = "ismcts_br:iterations=500,particles=200,draws=branch,choose=value,against=(AGENT)";

#[test]
fn in_pokers() {
    gains_are_at_least(
        &*KUHN,
        100,
        &[
            ("random", &[(LBR, 0.9), (MERGED, 0.95), (BRANCHED, 0.95)]),
            ("greedy", &[(IMITATING, 0.95), (MERGED, 0.95)]),
            ("ismcts:iterations=1000", &[(MERGED, 0.95)]),
        ],
    );
    // Most of the time are the worlds of 936 information sets. Smaller budgets are enough.
    let branched = "ismcts_br:iterations=100,particles=100,draws=branch,choose=value,against=(AGENT)";
    gains_are_at_least(
        &*LEDUC,
        10_000,
        &[("random", &[("lbr:worlds=30,particles=100,against=(AGENT)", 0.7), (branched, 0.8)])],
    );
}

#[test]
#[ignore = "long"]
fn in_pokers_for_long() {
    let all = [(LBR, 0.7), (IMITATING, 0.7), (MERGED, 0.8), (BRANCHED, 0.8)];
    gains_are_at_least(&*LEDUC, 10_000, &[("random", &all)]);
}

fn gains_in_a_small_schwinget(responders: &[&str]) {
    let game = Schwinget::new(Rules::from_text(SMALL_SCHWINGET).expect("rules")).expect("a game");
    let responders: Vec<(&str, f64)> = responders.iter().map(|&responder| (responder, 0.8)).collect();
    let cases = ["random", "greedy", "rule:when=always"].map(|agent| (agent, &responders[..]));
    gains_are_at_least(&game, 1_000_000, &cases);
}

#[test]
fn in_a_small_schwinget() {
    gains_in_a_small_schwinget(&[LBR, "ismcts_br:iterations=100,particles=100,against=(AGENT)"]);
}

#[test]
#[ignore = "long"]
fn in_a_small_schwinget_for_long() {
    gains_in_a_small_schwinget(&[IMITATING, MERGED, BRANCHED]);
}

/// A responder that is guided by a network improves on it.
fn is_better_than_its_network(seeds: RangeInclusive<u64>) {
    let tree = GameTree::new(&*LEDUC, 10_000).expect("a small game");
    for seed in seeds {
        let victim = Draft::new(&*LEDUC, &[16], seed).saved();
        let network = Draft::new(&*LEDUC, &[16], seed + 10).saved();
        let agent = format!("network:path={},choose=sample", victim.path());
        let victim = Victim::new(&*LEDUC, &tree, &agent);
        let (own, most) = (victim.gain(&format!("network:path={}", network.path())), victim.most);
        let guided = format!("continuation=network,network={},against=(AGENT)", network.path());
        for responder in ["lbr:worlds=30,particles=100,", "ismcts_br:iterations=150,particles=100,"] {
            let gain = victim.gain(&format!("{responder}{guided}"));
            println!("{responder}{seed}: {gain:.3} of {most:.3}, its network {own:.3}");
            assert!(gain <= most + 1e-9, "{responder} gains {gain} of {most}");
            assert!(gain >= own + 0.5 * (most - own), "{responder} gains {gain} of {most}, its network {own}");
        }
    }
}

#[test]
fn a_responder_is_better_than_its_network() {
    is_better_than_its_network(1..=1);
}

#[test]
#[ignore = "long"]
fn a_responder_is_better_for_long() {
    is_better_than_its_network(2..=6);
}

/// A network that is evaluated for many positions together is the same player as one that is queried like any other.
#[test]
fn evaluating_many_positions_together_changes_nothing() {
    fn same<G: Hints>(game: &G, settings: &[&str]) {
        let victim = Draft::new(game, &[8], 1).saved();
        let own = Draft::new(game, &[8], 2).saved();
        for (settings, choose) in settings.iter().flat_map(|one| ["best", "sample,temperature=2"].map(|two| (one, two)))
        {
            let network = format!("network:path={},choose={choose}", victim.path());
            let queried = format!("rule:when=cards,cards=({network})");
            let settings = settings.replace("OWN", own.path());
            let [together, alone] = [network, queried].map(|against| {
                let mut agent = spec(&format!("{settings},against=({against})")).build(game, 1);
                choices(game, &mut *agent, 1)
            });
            assert!(!together.is_empty());
            assert_eq!(together, alone, "{} {settings} {choose}", game.name());
        }
    }
    let settings = [
        "lbr:worlds=70,particles=100",
        "lbr:worlds=70,particles=100,continuation=against",
        "lbr:worlds=70,particles=100,replies=2,continuation=random",
        "lbr:worlds=70,particles=100,replies=1,continuation=network,network=OWN",
        "ismcts_br:iterations=100,particles=100",
        "ismcts_br:iterations=100,particles=100,replies=2,continuation=network,network=OWN",
        "lbr:worlds=70,particles=100,cutoff=1,evaluation=network,network=OWN",
        "ismcts_br:iterations=100,particles=100,cutoff=3,evaluation=network,network=OWN",
    ];
    same(&Schwinget::new(Default::default()).expect("default rules"), &settings);
    same(&*LEDUC, &settings);
}

/// A cutoff beyond the end of the game changes nothing. At once, it leaves the value of a bet, after which the first player
/// decides no more, and replaces that of a pass if it is followed by a bet.
#[test]
fn evaluations_end_simulations() {
    let network = Draft::new(&*KUHN, &[8], 2).saved();
    let valued = format!("evaluation=network,network={}", network.path());
    let first = |text: &str| {
        let mut agent: Box<dyn Agent<Plain>> = spec(text).build(&*KUHN, 1);
        let history = History::dealt(&*KUHN, &mut Rng::stream(5, "responders", 0));
        let view = KUHN.view(&history, Seat(0));
        agent.act(&*KUHN, &view, KUHN.legal(history.state())).search.expect("a search").actions
    };
    for responder in ["lbr:worlds=4000,against=random", "ismcts_br:iterations=8000,c=100,against=random"] {
        let whole = first(responder);
        assert_eq!(first(&format!("{responder},cutoff=1000,{valued}")), whole, "{responder}");
        for (own, other) in first(&format!("{responder},cutoff=0,{valued}")).iter().zip(&whole) {
            assert_eq!(own.action, other.action);
            let difference = (own.value - other.value).abs();
            let is_bet = Action(own.action) == BET;
            assert!(if is_bet { difference < 0.03 } else { difference > 0.1 }, "{responder}: {own:?}, {other:?}");
        }
    }
}

#[test]
fn particles_are_enough_for_inference_or_none() {
    for text in ["lbr:particles=63", "ismcts_br:particles=1"] {
        let error = text.parse::<AgentSpec>().expect_err("too few particles").to_string();
        assert!(error.contains("particles must be 0, exact or a number between 64 and 10000000, got "), "{error}");
    }
    for text in ["mmds:particles=63", "ismcts:beliefs=policy,particles=1"] {
        let error = text.parse::<AgentSpec>().expect_err("too few particles").to_string();
        assert!(error.contains("particles must be between 64 and 10000000, got "), "{error}");
    }
    assert!("lbr:particles=0".parse::<AgentSpec>().is_ok());
}

/// The other player's action reveals its card as far as its policy does.
#[test]
fn inferences_follow_the_policy() {
    let mut history = History::new(&*KUHN);
    [0, 1].map(Action).into_iter().chain([BET]).for_each(|event| history.push(&*KUHN, event));
    let view = KUHN.view(&history, Seat(1));
    // The greedy player bets with kings only, and a fifth of its actions are random: a king bets with 0.9, a jack
    // with 0.1.
    for (epsilon, expected) in [(0.0, 1.0), (0.2, 0.9), (1.0, 0.5)] {
        for name in ["lbr", "ismcts_br"] {
            let text = format!("{name}:against=greedy,particles=20000,epsilon={epsilon}");
            let mut agent: Box<dyn Agent<Plain>> = spec(&text).build(&*KUHN, 3);
            let worlds = agent.beliefs(&*KUHN, &view);
            let belief = worlds.belief().expect("the other has acted");
            let king = |state| state != history.state();
            let share: f64 = belief.worlds().filter(|(state, _)| king(*state)).map(|(_, share)| share).sum();
            assert!((share - expected).abs() < 0.02, "{text}: {share}");
        }
    }
}

/// The same seed gives the same game, whatever was played before; another seed gives another.
#[test]
fn decisions_are_a_function_of_the_seed() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    for text in [
        "lbr:worlds=5,particles=64,replies=2,seeds=2,against=(ismcts:iterations=20)",
        "ismcts_br:iterations=20,particles=64,replies=3,choose=sample,against=(ismcts:iterations=20,choose=sample)",
    ] {
        let mut agent: Box<dyn Agent<Schwinget>> = spec(text).build(&game, 1);
        let first = choices(&game, &mut *agent, 1);
        assert_ne!(first, choices(&game, &mut *agent, 2));
        assert_eq!(first, choices(&game, &mut *agent, 1), "{text}");
    }
}

/// The statistics of an agent's decisions for the first seat in a random game, with the streams of `seed`.
fn choices<G: Hints>(game: &G, agent: &mut dyn Agent<G>, seed: u64) -> Vec<ActionStats> {
    agent.restart(seed);
    let mut rng = Rng::stream(5, "responders", 0);
    let mut history = History::dealt(game, &mut rng);
    let mut decisions = Vec::new();
    while let Turn::Seat(seat) = game.turn(history.state()) {
        let legal = game.legal(history.state());
        if seat == Seat(0) {
            let search = agent.act(game, &game.view(&history, seat), legal).search.expect("a search");
            decisions.extend(search.actions);
        }
        history.push(game, legal.pick(&mut rng));
        history.settle(game, &mut rng);
    }
    decisions
}
