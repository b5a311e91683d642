//! Network files that are read, and those that are refused.

use std::fs;
use std::sync::Arc;

use crate::toys::KUHN;
use stier_agents::network::NetworkFile;
use stier_agents::network::{Fault, MAX_FILE_BYTES, Network};
use stier_agents::{Agent, AgentSpec};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{ActionSet as _, FromRules as _, Game, Hints, History, Rng, Turn, for_each_default_game};

use super::files::{Draft, Saved};

fn schwinget(rules: &str) -> Schwinget {
    Schwinget::from_text(rules).expect("a game")
}

fn draft() -> Draft {
    Draft::new(&schwinget(""), &[8, 6], 1)
}

/// The error in the file.
fn fault(draft: &Draft) -> Fault {
    Network::parse("file", &draft.bytes()).unwrap_err()
}

#[test]
fn every_defect_is_named() {
    let without = |key: &str| {
        let mut draft = draft();
        draft.metadata.remove(key);
        fault(&draft).to_string()
    };
    for key in
        ["format", "version", "architecture", "activation", "game", "rules", "observation", "actions", "value_scale"]
    {
        assert_eq!(without(key), format!("has no '{key}' in its metadata"));
    }
    assert!(Network::parse("file", &draft().with("training", "words").bytes()).is_ok());
    for (key, value, allowed) in [
        ("format", "onnx", "expected stier.network"),
        ("version", "3", "expected 1 or 2"),
        ("architecture", "cnn", "expected mlp in version 1"),
        ("activation", "gelu", "expected relu or tanh"),
        ("actions", "37", "expected version:number of actions, as in 1:37"),
        ("actions", "1:0", "as in 1:37"),
        ("value_scale", "nan", "expected a number above 0"),
        ("value_scale", "0", "expected a number above 0"),
        ("value_scale", "two", "expected a number above 0"),
    ] {
        let message = fault(&draft().with(key, value)).to_string();
        assert!(message.starts_with(&format!("has {key}={value} in its metadata, ")), "{message}");
        assert!(message.ends_with(allowed), "{message}");
    }

    let missing = |name: &str| {
        let mut draft = draft();
        draft.tensors.retain(|(own, ..)| own != name);
        fault(&draft)
    };
    for name in ["policy.weight", "policy.bias", "value.weight", "value.bias", "hidden.1.bias"] {
        assert_eq!(missing(name), Fault::NoTensor(name.to_string()));
    }
    assert_eq!(missing("hidden.0.weight"), Fault::StrangeTensor("hidden.0.bias".to_string()));
    let mut strange = draft();
    strange.tensors.push(("lstm.weight".to_string(), vec![1], vec![0.0]));
    assert_eq!(fault(&strange), Fault::StrangeTensor("lstm.weight".to_string()));

    let reshaped = |name: &str, shape: &[usize]| {
        let mut draft = draft();
        let tensor = draft.tensors.iter_mut().find(|(own, ..)| own == name).unwrap();
        (tensor.1, tensor.2) = (shape.to_vec(), vec![0.5; shape.iter().product()]);
        fault(&draft).to_string()
    };
    assert_eq!(reshaped("hidden.1.weight", &[7, 6]), "has 'hidden.1.weight' with shape [7, 6], expected [8, 6]");
    assert_eq!(reshaped("hidden.1.bias", &[5]), "has 'hidden.1.bias' with shape [5], expected [6]");
    assert_eq!(reshaped("value.weight", &[6, 2]), "has 'value.weight' with shape [6, 2], expected [6, 1]");
    assert_eq!(reshaped("value.weight", &[6]), "has 'value.weight' with shape [6], expected [6, 1]");
    assert_eq!(reshaped("hidden.0.weight", &[0, 8]), "has 'hidden.0.weight' with shape [0, 8], expected [1, 8]");
    assert!(reshaped("policy.weight", &[6, 3]).starts_with("has 'policy.weight' with shape [6, 3], expected [6, "));

    for bad in [f32::NAN, f32::INFINITY] {
        let mut draft = draft();
        draft.values("policy.weight")[3] = bad;
        assert_eq!(fault(&draft), Fault::NotFinite("policy.weight".to_string()));
    }
    let message = fault(&draft().with("value", "win")).to_string();
    assert_eq!(message, "has value=win in its metadata, expected return or none");
    let bytes = draft().bytes();
    for broken in [&bytes[..0], &bytes[..20], &bytes[..bytes.len() - 1], b"{\"a\": 1}" as &[u8]] {
        assert!(matches!(Network::parse("file", broken), Err(Fault::NoTensors(_))));
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let message = Network::read("/nowhere/net.safetensors").unwrap_err().to_string();
    assert!(message.starts_with("the network '/nowhere/net.safetensors' cannot be read: "), "{message}");
    let folder = std::env::temp_dir();
    assert!(Network::read(folder.to_str().unwrap()).unwrap_err().to_string().contains("it is not a file"));
    let text = Saved::new("", b"not a network, but long enough for a header");
    assert!(Network::read(text.path()).unwrap_err().to_string().contains("is not a safetensors file"));
}

#[test]
fn networks_fit_one_game() {
    let game = schwinget("");
    let fits = |draft: Draft, any_rules: bool| {
        let network = Network::parse("file", &draft.bytes()).unwrap();
        network.fits(&game, any_rules).map_err(|error| error.to_string())
    };
    assert_eq!(fits(draft(), false), Ok(()));
    assert_eq!(fits(draft().with("rules", "schwinget"), false), Ok(()));
    assert_eq!(fits(draft().with("rules", ""), false), Ok(()), "without the name");
    let refused = |draft: Draft, any_rules| fits(draft, any_rules).unwrap_err();
    let other = Draft::new(&Schwimmen::new(Default::default()).unwrap(), &[], 1);
    assert_eq!(refused(other, true), "the network 'file' was trained for the game 'schwimmen', not for 'schwinget'");
    let rules = draft().with("rules", "schwinget:scoring=schwinger");
    assert_eq!(
        refused(rules.clone(), false),
        "the network 'file' was trained for the rules 'schwinget:scoring=schwinger', not for 'schwinget'"
    );
    assert_eq!(fits(rules, true), Ok(()));
    assert!(refused(draft().with("rules", "schwinget:nonsense"), false).contains("the rules"));
    let own = draft().metadata["observation"].clone();
    let older = own.replacen("1:", "0:", 1);
    assert_eq!(
        refused(draft().with("observation", &older), true),
        format!("the network 'file' was trained for the observation '{older}', not for '{own}'")
    );
    let actions = draft().metadata["actions"].replacen("1:", "9:", 1);
    assert!(refused(draft().with("actions", &actions), true).contains("the actions '9:"));
    // The signature of one game with the tensors of another.
    let wide = Draft::new(&schwinget("bouts=4"), &[], 1).with("observation", &own).with("rules", "");
    assert!(refused(wide, false).contains("an observation of '"), "the metadata contradict the tensors");
}

#[test]
fn files_are_read_once_and_again_after_changes() {
    let file = draft().saved();
    let load = || NetworkFile::load(file.path()).unwrap().network().unwrap().clone();
    let first = load();
    assert!(Arc::ptr_eq(&first, &load()), "shared");
    let changed = Draft::new(&schwinget(""), &[8, 6, 4], 2);
    fs::write(&file.0, changed.bytes()).unwrap();
    let second = load();
    assert!(!Arc::ptr_eq(&first, &second) && first != second, "read again");
    fs::remove_file(&file.0).unwrap();
    assert!(NetworkFile::load(file.path()).is_err(), "the old network is not used");
}

#[test]
fn paths_are_options() {
    for mark in ["", " a", ",b", "(c)", "=d,(e,f)"] {
        let file = Saved::new(mark, &draft().bytes());
        let bare = !mark.contains([',', '(']);
        let text = if bare { file.path().to_string() } else { format!("({})", file.path()) };
        for agent in [
            format!("network:path={text},choose=sample,seed=3"),
            format!("ismcts:selection=puct,prior=network,network={text},threads=2"),
            format!("rule:cards=(network:path={text})"),
        ] {
            let spec: AgentSpec = agent.parse().unwrap();
            assert_eq!(spec.to_string(), agent);
            assert_eq!(spec.to_string().parse::<AgentSpec>().unwrap(), spec);
            assert!(spec.has_network());
        }
    }
    let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    let missing = error("network:path=/nowhere/net");
    let expected = "network: path cannot be used: the network '/nowhere/net' cannot be read: ";
    assert!(missing.starts_with(expected), "{missing}");
    assert!(error("rule:cards=(network:path=/nowhere/net)").contains("'/nowhere/net' cannot be read"));
    assert!(error("network:path=)a(").contains("path must be the path of a network"));
}

/// Agents that are given no network use the game's own, and refuse games that have none.
#[test]
fn games_may_come_with_a_network() {
    fn check<G: Hints>(game: &G) {
        let other = |text: &str| text.parse::<AgentSpec>().unwrap().check(game).unwrap_err().to_string();
        let needs_one = ["network", "network:choose=sample,path=", "mmds", "mmds:beliefs=uniform"];
        let asks = ["selection=puct,prior", "rollout", "cutoff=4,evaluation", "beliefs=policy,model"];
        let asks = asks.map(|option| format!("ismcts:{option}=network"));
        let texts = needs_one.iter().map(ToString::to_string).chain(asks);
        let Some(bytes) = game.network() else {
            for text in texts.chain(["rule:cards=network".to_string(), "lbr:against=network".to_string()]) {
                let error = other(&text);
                assert!(error.contains(" needs the path of a network: "), "{error}");
                assert!(error.ends_with(&format!("=FILE; {} has none of its own: train one", game.name())), "{error}");
            }
            return;
        };
        assert!(bytes.len() <= 600_000, "{}", game.name());
        let network = Network::parse(game.name(), bytes).unwrap();
        assert!(network.has_value() && network.fits(game, false).is_ok(), "{}", game.name());
        let mut rng = Rng::stream(1, "own network", 0);
        let history = History::dealt(game, &mut rng);
        let Turn::Seat(seat) = game.turn(history.state()) else { panic!("a player begins") };
        let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
        for text in texts {
            let spec: AgentSpec = text.parse().unwrap();
            assert!(spec.has_network() && !spec.to_string().contains(game.name()), "{spec}");
            spec.check(game).unwrap();
            let small = spec.with("iterations", "4").or_else(|_| spec.with("rollouts", "4")).unwrap_or(spec);
            assert!(legal.contains(small.build(game, 1).act(game, &view, legal).action));
        }
    }
    macro_rules! check {
        ($module:ident, $game:expr) => {
            check(&$game);
        };
    }
    for_each_default_game!(check);
    let error = AgentSpec::check(&"ismcts:rollout=network".parse().unwrap(), &*KUHN).unwrap_err();
    assert!(error.to_string().starts_with("agent ismcts: rollout=network needs the path of a network: network=FILE; "));
    let deck = schwinget("suits=2,values=2,hand_size=1");
    let error = AgentSpec::check(&"network".parse().unwrap(), &deck).unwrap_err().to_string();
    assert!(error.contains("the network 'schwinget' was trained for the rules 'schwinget', not for"), "{error}");
    assert!(!error.contains("=any"), "its observations do not fit either: {error}");
    let scoring = schwinget("scoring=schwinger");
    for (agent, option) in [("network", "rules"), ("mmds", "network_rules")] {
        let refused =
            |text: &str| AgentSpec::check(&text.parse().unwrap(), &scoring).map_err(|error| error.to_string());
        assert_eq!(
            refused(agent).unwrap_err(),
            format!(
                "agent {agent}: the network 'schwinget' was trained for the rules 'schwinget', not for \
                 'schwinget:scoring=schwinger'; with {option}=any it plays these rules, too"
            )
        );
        assert_eq!(refused(&format!("{agent}:{option}=any")), Ok(()));
    }
}

/// A network without a value head reports it. It can play and guide, but not value leaves.
#[test]
fn networks_without_a_value_head_value_no_leaves() {
    let mut draft = draft().with("value", "none");
    assert_eq!(fault(&draft), Fault::StrangeTensor("value.bias".to_string()), "the file still has a value head");
    draft.tensors.retain(|(name, ..)| !name.starts_with("value."));
    let file = draft.saved();
    let network = Network::read(file.path()).unwrap();
    assert!(!network.has_value());
    assert!(Network::parse("file", &self::draft().with("value", "return").bytes()).unwrap().has_value());
    assert!(Network::parse("file", &self::draft().bytes()).unwrap().has_value(), "older files have no such key");

    for agent in ["ismcts:cutoff=0", "flat_mc:cutoff=2", "ismcts:selection=puct,prior=network,cutoff=0"] {
        let text = format!("{agent},evaluation=network,network={}", file.path());
        let name = agent.split(':').next().unwrap();
        assert_eq!(
            text.parse::<AgentSpec>().unwrap_err().to_string(),
            format!(
                "agent {name}: evaluation=network needs a network with a value head; '{}' has none (value=none in its metadata)",
                file.path()
            )
        );
    }
    let nested = format!("rule:cards=(ismcts:cutoff=deal,evaluation=network,network={})", file.path());
    assert!(nested.parse::<AgentSpec>().unwrap_err().to_string().contains("needs a network with a value head"));

    let game = schwinget("");
    let history = History::dealt(&game, &mut Rng::stream(1, "without a value", 0));
    let seat = game.turn(history.state()).seat().unwrap();
    for text in ["network:path", "ismcts:iterations=50,selection=puct,prior=network,network"] {
        let mut agent: Box<dyn Agent<Schwinget>> =
            format!("{text}={}", file.path()).parse::<AgentSpec>().unwrap().build(&game, 1);
        let found = agent.act(&game, &game.view(&history, seat), game.legal(history.state())).search.unwrap();
        let promised: Vec<f64> = found.actions.iter().map(|stats| stats.value).collect();
        assert_eq!(promised.iter().all(|value| value.is_nan()), text.starts_with("network"), "{promised:?}");
    }
}

#[test]
fn padded_layers_stay_within_the_limit_of_files() {
    // Layers are padded to 64 columns. This one would take a row more than a gibibyte, sixty-four times its size in
    // the file.
    let rows = (MAX_FILE_BYTES / (64 * 4)) as usize + 1;
    let mut narrow = draft();
    narrow.tensors.retain(|(name, ..)| !name.starts_with("hidden."));
    narrow.tensors.push(("hidden.0.weight".to_string(), vec![rows, 1], vec![0.5; rows]));
    narrow.tensors.push(("hidden.0.bias".to_string(), vec![1], vec![0.0]));
    for (name, shape, values) in &mut narrow.tensors {
        if name.ends_with(".weight") && !name.starts_with("hidden") {
            shape[0] = 1;
            values.truncate(shape[1]);
        }
    }
    let message = fault(&narrow).to_string();
    assert!(message.starts_with("would take 1073"), "{message}");
    assert!(message.ends_with("bytes of memory; at most 1073741824 are allowed"), "{message}");
}
