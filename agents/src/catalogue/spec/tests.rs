use std::collections::HashSet;

use stier_core::OptionInfo;
use stier_core::options::Allowed;

use super::{AgentInfo, AgentSpec, NAMES, SpecError, describe};

#[test]
fn text_round_trips() {
    for text in [
        "random",
        "greedy",
        "flat_mc:allocation=ucb1,cutoff=4,evaluation=network",
        "ismcts",
        "ismcts:iterations=10000,c=0.5",
        "ismcts:threads=2,seed=7",
        "random:seed=3",
        "rule:when=random,cards=(ismcts:iterations=100,c=0.5),seed=4",
        "rule:cards=(rule:when=never,cards=(greedy:seed=1))",
        "lbr:worlds=50,against=(ismcts:iterations=100,c=0.5),continuation=hints",
    ] {
        let spec: AgentSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), text);
    }
    let spec: AgentSpec = "ismcts: seed=7 , threads=2".parse().unwrap();
    assert_eq!(spec.to_string(), "ismcts:threads=2,seed=7");
}

#[test]
fn errors_name_the_alternatives() {
    let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    assert_eq!(error("alphazero"), format!("unknown agent 'alphazero'; agents: {}", NAMES.join(", ")));
    assert!(
        error("ismcts:iteratons=5")
            .starts_with("ismcts has no option 'iteratons'; did you mean 'iterations'? Options: ")
    );
    assert!(error("random:c=1").contains("options: none"));
    assert!(error("ismcts:iterations=0").contains("iterations must be between 1 and "));
    assert!(error("random:seed=x").contains("seed must be between 0 and 18446744073709551615, got 'x'"));
    assert!(error("random:seed=1,seed=2").contains("given twice"));
    assert!(error("random:seed=seed=5").contains("got 'seed=5'"));
}

#[test]
fn quick_agents_have_small_budgets() {
    let is_quick = |text: &str| text.parse::<AgentSpec>().unwrap().is_quick();
    for text in ["greedy", "random", "ismcts", "ismcts:iterations=20000", "flat_mc:iterations=2000,rollouts=10"] {
        assert!(is_quick(text), "{text}");
    }
    for text in [
        "ismcts:iterations=20001",
        "ismcts:iterations=2000,rollouts=11",
        "ismcts:iterations=100,self_determination=0.1",
        "ismcts:iterations=100,beliefs=policy",
        "ismcts:time_ms=5",
        "ris_mcts:iterations=100",
        "best:iterations=100",
        "pimc:worlds=1",
        "ismcts_br:iterations=100",
        "rule",
    ] {
        assert!(!is_quick(text), "{text}");
    }
}

#[test]
fn agents_answer_for_those_among_their_options() {
    let agent = |text: &str| text.parse::<AgentSpec>().unwrap();
    for text in
        ["ismcts:time_ms=5", "rule:cards=(pimc:time_ms=1)", "lbr:against=(rule:timing=(best:time_ms=2),when=timing)"]
    {
        assert!(agent(text).is_timed(), "{text}");
    }
    for text in ["ismcts", "rule:cards=pimc", "lbr:against=(ismcts:iterations=5)"] {
        assert!(!agent(text).is_timed(), "{text}");
    }
    assert_eq!(agent("rule:cards=(pimc:rollout=network),when=never").networks(), [""]);
    assert_eq!(agent("lbr:against=network,continuation=network").networks(), ["", ""]);
    assert!(!agent("rule:cards=pimc").has_network());
}

/// Options of every agent that need a value of another, with and without it.
#[test]
fn options_without_effect_are_refused() {
    let mut refused = 0;
    for AgentInfo { name, options, .. } in describe() {
        let value_of = |wanted: &str| options.iter().find(|option| option.name == wanted);
        // A value of the option, if there is another than these.
        let other_than = |option: &OptionInfo, others: &[&str]| {
            let values = match &option.allowed {
                Allowed::Range(low, high) => vec![low.to_string(), high.to_string()],
                Allowed::Names(names) => names.iter().map(|name| name.to_string()).collect(),
                Allowed::Other(_) => ["0", "64", "greedy"].map(str::to_string).to_vec(),
            };
            let is_value = |value: &String| {
                let read = format!("{name}:{}={value}", option.name).parse::<AgentSpec>();
                matches!(read, Ok(_) | Err(SpecError::Idle { .. })) && !others.contains(&value.as_str())
            };
            values.into_iter().find(is_value)
        };
        for option in options.iter().filter(|option| !option.needs.is_empty()) {
            let value = other_than(option, &[&option.default.to_string()]).expect("another value");
            let given = format!("{}={value}", option.name);
            let mut met = 0;
            for needs in option.needs.split(" or ") {
                let clause = |clause: &str| {
                    let (name, values) = clause.split_once('=').expect("a clause");
                    let values: Vec<&str> = values.split('|').collect();
                    match name.strip_suffix('!') {
                        Some(name) => Some(format!("{name}={}", other_than(value_of(name)?, &values)?)),
                        None => value_of(name).map(|_| format!("{name}={}", values[0])),
                    }
                };
                let Some(clauses) = needs.split(" and ").map(clause).collect::<Option<Vec<_>>>() else { continue };
                let text = format!("{name}:{given},{}", clauses.join(","));
                assert!(text.parse::<AgentSpec>().is_ok(), "{text}: {:?}", text.parse::<AgentSpec>());
                met += 1;
            }
            assert!(met > 0, "{name}: {} needs {}, which it cannot have", option.name, option.needs);
            let alone = format!("{name}:{given}");
            if let Err(error) = alone.parse::<AgentSpec>() {
                let needs = option.needs.split(' ').map(super::in_words).collect::<Vec<_>>().join(" ");
                let expected = format!("agent {name}: {} has no effect without {needs}", option.name);
                assert_eq!(error.to_string(), expected);
                refused += 1;
            }
        }
    }
    assert!(refused > 40, "{refused}");
    let error = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    let nested = error("lbr:against=ismcts:particles=100,beliefs=policy");
    assert!(nested.starts_with("lbr: against cannot be used: agent ismcts: particles has no effect"), "{nested}");
    assert_eq!(error("lbr:seeds=3,against=network"), "agent lbr: seeds has no effect without an agent that searches");
    assert_eq!(
        error("pimc:network_rules=any"),
        "agent pimc: network_rules has no effect without an option with the value network"
    );
    assert_eq!(error("network:gadget=unsafe"), "agent network: gadget has no effect without endings=ranges");
    assert_eq!(
        error("mmds:evaluation=hints"),
        "agent mmds: evaluation has no effect without a value of cutoff other than off"
    );
    assert_eq!(
        error("best:endings=ranges,ending_tricks=0,attack_tricks=0"),
        "agent best: endings=ranges needs ending_tricks or attack_tricks of at least 1; both are 0"
    );
    assert!("pimc:network_rules=any,rollout=network".parse::<AgentSpec>().is_ok());
}

#[test]
fn nesting_is_limited() {
    let nested = |levels: usize, last: &str| format!("{}{last}{}", "rule:cards=(".repeat(levels), ")".repeat(levels));
    let spec: AgentSpec = nested(7, "random").parse().unwrap();
    assert_eq!(spec.to_string(), nested(7, "random").replace("(random)", "random"));
    // Each level is parsed once. Parsing each twice would take years at this depth.
    for (levels, last) in [(8, "random"), (60, "nobody"), (100_000, "random")] {
        let error = nested(levels, last).parse::<AgentSpec>().unwrap_err().to_string();
        assert!(error.ends_with("agents are nested too deeply; at most 8 levels are allowed"), "{levels}");
        let open = "rule:cards=".repeat(levels) + last;
        let error = open.parse::<AgentSpec>().unwrap_err().to_string();
        assert!(
            error.ends_with("agents are nested too deeply; at most 8 levels are allowed"),
            "{levels}, without parentheses"
        );
    }
    assert!("rule:cards=(rule:cards=(nobody))".parse::<AgentSpec>().unwrap_err().to_string().contains("unknown agent"));
    assert!(nested(7, "random").parse::<AgentSpec>().is_ok(), "errors leave nothing behind");
}

#[test]
fn the_list_is_sorted_and_described() {
    assert!(NAMES.is_sorted());
    for AgentInfo { name, about, options, .. } in describe() {
        assert!(!about.is_empty() && options.iter().all(|option| !option.about.is_empty()), "{name}");
        let different: HashSet<_> = options.iter().map(|option| option.name).collect();
        assert_eq!(different.len(), options.len(), "{name}: every option once");
    }
}
