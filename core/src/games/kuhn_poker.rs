//! Kuhn poker: one card each, one bet. H. W. Kuhn, *A Simplified Two-Person Poker*, 1950; for three players N. Abou
//! Risk and D. Szafron, *Using Counterfactual Regret Minimization to Create Competitive Multiplayer Poker Agents*,
//! 2010.

mod hints;

use crate::game::evenly;
use crate::{Action, ActionSet as _, Actions64, BySeat, Chance, DynOptions, Filter, Game, GameInfo, Log};
use crate::{FromRules, Notation, Observer, Pen, RulesError, Seat, Turn, options};

options! {
    /// The options of Kuhn poker.
    #[derive(Eq, Hash)]
    pub struct Rules for "kuhn_poker" {
        /// Players; the deck has one card more.
        players: u8 = 2, 2..=3;
    }
}

/// Check, or fold when facing a bet.
pub const PASS: Action = Action(0);
/// Bet, or call when facing a bet.
pub const BET: Action = Action(1);

/// The cards by seat (`None` before they are dealt) and the actions so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    cards: [Option<u8>; 3],
    actions: [Option<u8>; 5],
}

/// Kuhn poker under fixed rules.
#[derive(Clone, Debug)]
pub struct KuhnPoker {
    rules: Rules,
    info: GameInfo,
}

impl FromRules for KuhnPoker {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let players = usize::from(rules.players);
        let info = GameInfo {
            num_seats: players,
            num_actions: 2,
            num_outcomes: players + 1,
            max_decisions: 2 * players - 1,
            max_chance_events: players,
            utility_range: (-2.0, 2.0 * (players - 1) as f64),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for KuhnPoker {
    type State = State;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions64;

    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn root(&self) -> State {
        State::default()
    }

    fn turn(&self, state: &State) -> Turn {
        let (players, made) = (self.num_seats(), state.actions.iter().flatten().count());
        let first_bet = state.actions.iter().position(|&action| action == Some(BET.0));
        match state.cards[players - 1] {
            None => Turn::Chance,
            _ if made == first_bet.unwrap_or(0) + players => Turn::Over,
            _ => Turn::Seat(Seat((made % players) as u8)),
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        let to_act = self.turn(state).seat().is_some();
        if to_act { Actions64::default().with(PASS).with(BET) } else { Actions64::default() }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let card = state.cards[..self.num_seats()].iter_mut().find(|card| card.is_none());
        let place = card.or_else(|| state.actions.iter_mut().find(|action| action.is_none()));
        *place.expect("the game is not over") = Some(action.0);
    }

    fn chance(&self, state: &State) -> Chance {
        let is_left = |card: &u8| self.turn(state) == Turn::Chance && !state.cards.contains(&Some(*card));
        evenly((0..=self.rules.players).filter(is_left))
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        let players = self.num_seats();
        let bets = |seat: usize| state.actions.iter().skip(seat).step_by(players).any(|&action| action == Some(BET.0));
        let paid = BySeat::from_fn(players, |seat| if bets(seat.index()) { 2.0 } else { 1.0 });
        let shows = |seat: &usize| bets(*seat) || !state.actions.contains(&Some(BET.0));
        let winner = (0..players).filter(shows).max_by_key(|&seat| state.cards[seat]);
        BySeat::from_fn(players, |seat| match self.turn(state) {
            Turn::Over if winner == Some(seat.index()) => paid.iter().sum::<f64>() - paid[seat],
            Turn::Over => -paid[seat],
            _ => 0.0,
        })
    }

    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let GameInfo { num_seats, num_outcomes, max_decisions, .. } = self.info;
        pen.counted("dealt", [num_seats]).count(state.cards.iter().flatten().count());
        pen.hand("card", num_outcomes).one(observer.seat().and_then(|seat| state.cards[seat.index()]));
        pen.actions("actions", [max_decisions, 2]).ones(state.actions.into_iter().take(max_decisions));
    }
}

impl Notation for KuhnPoker {
    fn action_name(&self, action: Action) -> String {
        ["pass", "bet"][action.index()].to_string()
    }

    fn outcome_name(&self, card: Action) -> String {
        ["J", "Q", "K", "A"][card.index()].to_string()
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        let left = (0..self.rules.players + 1).filter(|card| !state.cards.contains(&Some(*card)));
        left.map(|card| self.outcome_name(Action(card))).collect()
    }
}
