//! A bandit whose arms always pay the same: one choice, nothing hidden, nothing left to chance.

use std::sync::LazyLock;

use stier_core::{
    Action, Actions64, BySeat, Chance, DynOptions, Filter, FromRules, Game, GameInfo, Hints, Log, Observer, Pen,
    RuleOfThumb, RulesError, Seat, Turn, options,
};

options! {
    /// The bandit has no options.
    pub(crate) struct Rules for "bandit" {}
}

/// The payoffs of the arms to the first seat; the second seat gets the rest of 1.
pub(crate) const REWARDS: [f64; 4] = [0.1, 0.9, 0.7, 0.85];

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Bandit;

impl FromRules for Bandit {
    type Rules = Rules;

    fn new(_rules: Rules) -> Result<Self, RulesError> {
        Ok(Self)
    }
}

impl Game for Bandit {
    /// The arm that was chosen.
    type State = Option<u8>;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &Rules {}
    }

    fn info(&self) -> &GameInfo {
        static INFO: LazyLock<GameInfo> = LazyLock::new(|| GameInfo {
            num_seats: 2,
            num_actions: REWARDS.len(),
            max_decisions: 1,
            utility_range: (0.0, 1.0),
            utility_sum: Some(1.0),
            ..GameInfo::default()
        });
        &INFO
    }

    fn root(&self) -> Option<u8> {
        None
    }

    fn turn(&self, chosen: &Option<u8>) -> Turn {
        if chosen.is_some() { Turn::Over } else { Turn::Seat(Seat(0)) }
    }

    fn legal(&self, chosen: &Option<u8>) -> Actions64 {
        match chosen {
            None => (0..REWARDS.len() as u8).map(Action).collect(),
            Some(_) => Actions64::default(),
        }
    }

    fn apply(&self, chosen: &mut Option<u8>, action: Action) {
        *chosen = Some(action.0);
    }

    fn chance(&self, _chosen: &Option<u8>) -> Chance {
        Chance::new()
    }

    fn returns(&self, chosen: &Option<u8>) -> BySeat<f64> {
        let reward = chosen.map(|arm| REWARDS[usize::from(arm)]);
        BySeat::from(reward.map_or([0.0, 0.0], |reward| [reward, 1.0 - reward]))
    }

    fn observe<P: Pen>(&self, chosen: &Option<u8>, _observer: Observer, pen: &mut P) {
        pen.field("chosen", [REWARDS.len()]).one(*chosen);
    }
}

impl Hints for Bandit {
    /// The arm that pays the least: its id comes before all others.
    fn rule_of_thumb(&self, _view: &Self::View) -> Option<RuleOfThumb> {
        Some(RuleOfThumb { action: Action(0), takes: false })
    }
}
