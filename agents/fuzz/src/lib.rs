//! The parsers of texts and files that come from others, each as a function of any bytes. None may panic, and what one
//! accepts is the same after it was written and read again.
//!
//! The fuzzer calls them (`make fuzz`), and `agents/tests/fuzzing.rs` calls them with the inputs in `corpus`.

use std::str;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use stier_agents::AgentSpec;
use stier_agents::batch::vector::{Autoreset, Settings, TensorKind};
use stier_agents::network::Network;
use stier_agents::solve::{GameTree, RunLog, Solver, Variant, solution_file};
use stier_core::{Plain, Turn, games};

/// Reads bytes.
pub type Parser = fn(&[u8]);

/// The parsers by the names of their targets and folders of inputs.
pub const PARSERS: [(&str, Parser); 6] = [
    ("agent", agent),
    ("checkpoint", checkpoint),
    ("network", network),
    ("record", record),
    ("rules", rules),
    ("solution", solution),
];

/// The tree of Kuhn poker, which files of solutions belong to.
static KUHN: LazyLock<GameTree<Plain>> = LazyLock::new(|| {
    let game = games::plain("kuhn_poker", "").expect("a plain game").expect("rules that are allowed");
    GameTree::new(&game, 1000).expect("a small tree")
});

/// Reads the record of a game.
pub fn record(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(state) = stier_games::read_record(text) {
        let again = state.record();
        let read = stier_games::read_record(&again).expect("what was written is read");
        assert_eq!(read.record(), again);
        assert!(state.same(&*read));
    }
}

/// Reads a game's name, a space and its rules, and plays the game to its end.
pub fn rules(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (name, rules) = text.split_once(' ').unwrap_or((text, ""));
    if let Ok(game) = stier_games::load(name, rules) {
        let again = stier_games::load(name, &game.facts().rules_text).expect("what was written is read");
        assert_eq!(again.facts().rules_text, game.facts().rules_text);
        let mut state = game.new_state(Some(1));
        while state.turn() != Turn::Over {
            let action = *state.possible().last().expect("a game that is not over goes on");
            state.apply(action).expect("a possible action");
        }
    }
}

/// Reads an agent with its options.
pub fn agent(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(agent) = text.parse::<AgentSpec>() {
        let again: AgentSpec = agent.to_string().parse().expect("what was written is read");
        assert_eq!(again.to_string(), agent.to_string());
    }
}

/// Reads a network file.
pub fn network(bytes: &[u8]) {
    if let Ok(network) = Network::parse("fuzz.safetensors", bytes) {
        assert!(network.num_inputs() > 0 && network.num_actions() > 0);
    }
}

/// Reads a solution of Kuhn poker, then the checkpoint of its solver.
pub fn solution(bytes: &[u8]) {
    if let Ok((policy, label)) = solution_file::read(&KUHN, bytes) {
        let again = solution_file::write(&KUHN, &policy, &label);
        assert!(solution_file::read(&KUHN, &again).is_ok());
    }
    for variant in [Variant::Cfr, Variant::CfrPlus] {
        if let Ok(read) = Solver::read(&KUHN, variant, 1000, &mut &*bytes) {
            let written = |(solver, log): (Solver<'_>, RunLog)| {
                let mut bytes = Vec::new();
                solver.write(&log, &mut bytes).expect("memory");
                bytes
            };
            let again = written(read);
            assert_eq!(
                written(Solver::read(&KUHN, variant, 1000, &mut &*again).expect("what was written is read")),
                again
            );
        }
    }
}

/// Reads a checkpoint of lanes, two of Kuhn poker or two of Schwinget.
pub fn checkpoint(bytes: &[u8]) {
    for name in ["kuhn_poker", "schwinget"] {
        let game = stier_games::load(name, "").expect("a game");
        let settings = Settings {
            lanes: 2,
            seed: 1,
            threads: 1,
            autoreset: Autoreset::NextStep,
            tensor: TensorKind::Observation,
            opponents: None,
            opening: None,
            barred: None,
            beliefs: None,
        };
        let mut lanes = game.vector(settings, Arc::new(AtomicBool::new(false))).expect("lanes");
        if lanes.load(bytes).is_ok() {
            let again = lanes.save();
            lanes.load(&again).expect("what was written is read");
            assert_eq!(lanes.save(), again);
        }
    }
}
