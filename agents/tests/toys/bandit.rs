//! A bandit whose arms always pay the same: one choice, nothing hidden, nothing left to chance.

use stier_core::{
    Action, Actions64, BySeat, Chance, Game, Hints, History, Rng, RuleOfThumb, RulesError, Seat, SeatView, Turn,
    options,
};

use super::Listed;

options! {
    /// The bandit has no options.
    pub(crate) struct Rules for "bandit" {}
}

/// What the arms pay, to the first seat; the second gets the rest of 1.
pub(crate) const REWARDS: [f64; 4] = [0.1, 0.9, 0.7, 0.85];

/// Who looks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    seat: Seat,
    chosen: Option<u8>,
}

impl SeatView for View {
    fn seat(&self) -> Seat {
        self.seat
    }
}

/// The game.
#[derive(Clone, Debug)]
pub(crate) struct Bandit;

impl Game for Bandit {
    const NAME: &'static str = "bandit";
    type Rules = Rules;
    /// The arm that was chosen.
    type State = Option<u8>;
    type View = View;
    type Sampler = Listed<Option<u8>>;
    type Actions = Actions64;

    fn new(_rules: Rules) -> Result<Self, RulesError> {
        Ok(Self)
    }

    fn rules(&self) -> &Rules {
        &Rules {}
    }

    fn num_seats(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        REWARDS.len()
    }

    fn num_outcomes(&self) -> usize {
        0
    }

    fn max_decisions(&self) -> usize {
        1
    }

    fn max_chance_events(&self) -> usize {
        0
    }

    fn utility_range(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn utility_sum(&self) -> Option<f64> {
        Some(1.0)
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

    fn sample_chance(&self, _chosen: &Option<u8>, _rng: &mut Rng) -> Action {
        unreachable!("there is no chance in it")
    }

    fn sight(&self, _chosen: &Option<u8>, _seat: Seat) -> u64 {
        0
    }

    fn returns(&self, chosen: &Option<u8>) -> BySeat<f64> {
        let reward = chosen.map(|arm| REWARDS[usize::from(arm)]);
        BySeat::from(reward.map_or([0.0, 0.0], |reward| [reward, 1.0 - reward]))
    }

    fn view(&self, history: &History<Self>, seat: Seat) -> View {
        View { seat, chosen: *history.state() }
    }

    fn sampler(&self, view: &View) -> Listed<Option<u8>> {
        Listed::new(self, [view.chosen.into_iter().map(Action).collect()])
    }
}

super::no_tensors!(Bandit);
impl Hints for Bandit {
    /// The arm that pays the least: its id comes before all others.
    fn rule_of_thumb(&self, _view: &Self::View) -> Option<RuleOfThumb> {
        Some(RuleOfThumb { action: Action(0), takes: false })
    }
}
