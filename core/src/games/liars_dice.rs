//! Liar's Dice for two: bids on all dice together go up until a player calls the other a liar. The highest face is
//! wild: it counts as every face. Numbered and played as in OpenSpiel, for any number of dice.

use crate::actions::{Action, Actions64};
use crate::encode::Pen;
use crate::error::RulesError;
use crate::game::notation::plain_scene;
use crate::game::{self, Chance, FromRules, Game, GameInfo, Observer, Turn};
use crate::scene::Scene;
use crate::seats::{BySeat, Seat};
use crate::{DynOptions, Filter, Hints, Log, Notation, options};

options! {
    /// The options of Liar's Dice.
    #[derive(Eq, Hash)]
    pub struct Rules for "liars_dice" {
        /// Dice of each player.
        dice: u8 = 1, 1..=5;
        /// Sides of a die.
        sides: u8 = 6, 2..=8;
    }
}

const MAX_SIDES: usize = 8;

/// `dice[seat][face]`: how many dice show the face; and the bids so far, as a set: they only go up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    dice: [[u8; MAX_SIDES]; 2],
    rolled: u8,
    bids: u64,
}

/// Liar's Dice under fixed rules.
#[derive(Clone, Debug)]
pub struct LiarsDice {
    rules: Rules,
    info: GameInfo,
}

impl LiarsDice {
    /// The last action: bids are numbered by quantity, then by face; after them comes the call.
    pub fn liar(&self) -> Action {
        Action(2 * self.rules.dice * self.rules.sides)
    }

    /// The quantity and the face of a bid.
    fn bid(&self, bid: u8) -> (u8, u8) {
        (bid / self.rules.sides + 1, bid % self.rules.sides)
    }
}

impl FromRules for LiarsDice {
    type Rules = Rules;

    fn new(rules: Rules) -> Result<Self, RulesError> {
        let (dice, sides) = (usize::from(rules.dice), usize::from(rules.sides));
        let actions = 2 * dice * sides + 1;
        if actions > 64 {
            let text = format!("liars_dice: {dice} dice of {sides} sides each make {actions} actions; there may be 64");
            return Err(RulesError::Misfit(text));
        }
        let info = GameInfo {
            num_seats: 2,
            num_actions: actions,
            num_outcomes: sides,
            max_decisions: actions,
            max_chance_events: 2 * dice,
            utility_range: (-1.0, 1.0),
            utility_sum: Some(0.0),
            ..GameInfo::default()
        };
        Ok(Self { rules, info })
    }
}

impl Game for LiarsDice {
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
        if state.rolled < 2 * self.rules.dice {
            Turn::Chance
        } else if state.bids >> self.liar().0 == 1 {
            Turn::Over
        } else {
            Turn::Seat(Seat((state.bids.count_ones() % 2) as u8))
        }
    }

    fn legal(&self, state: &State) -> Actions64 {
        match self.turn(state) {
            Turn::Seat(_) if state.bids == 0 => (0..self.liar().0).map(Action).collect(),
            Turn::Seat(_) => (state.bids.ilog2() as u8 + 1..=self.liar().0).map(Action).collect(),
            Turn::Chance | Turn::Over => Actions64::default(),
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        if self.turn(state) == Turn::Chance {
            state.dice[usize::from(state.rolled / self.rules.dice)][action.index()] += 1;
            state.rolled += 1;
        } else {
            state.bids |= 1 << action.0;
        }
    }

    fn chance(&self, state: &State) -> Chance {
        game::evenly((0..self.rules.sides).filter(|_| self.turn(state) == Turn::Chance))
    }

    fn returns(&self, state: &State) -> BySeat<f64> {
        if self.turn(state) != Turn::Over {
            return BySeat::filled(2, 0.0);
        }
        let bids = state.bids ^ 1 << self.liar().0;
        let (quantity, face) = self.bid(bids.ilog2() as u8);
        let wild = usize::from(self.rules.sides - 1);
        let shows =
            |dice: &[u8; MAX_SIDES]| dice[usize::from(face)] + if usize::from(face) == wild { 0 } else { dice[wild] };
        let bidder_wins = state.dice.iter().map(shows).sum::<u8>() >= quantity;
        let bidder_is_first = bids.count_ones() % 2 == 1;
        let first = if bidder_wins == bidder_is_first { 1.0 } else { -1.0 };
        BySeat::from([first, -first])
    }

    /// Dice show themselves to their player when the last of them has been rolled, so that their order is not known.
    fn observe<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let Rules { dice, sides } = self.rules;
        let own = observer.seat().filter(|seat| state.rolled >= dice * (seat.0 + 1));
        let own_dice = own.map_or([0; MAX_SIDES], |seat| state.dice[seat.index()]);
        let [dice, sides] = [dice, sides].map(usize::from);
        pen.counted("rolled", [2 * dice]).count(state.rolled);
        pen.counted("own_dice", [sides, dice]).counts(own_dice.into_iter().take(sides));
        pen.actions("bids", [self.info.num_actions]).set(state.bids);
    }
}

impl Notation for LiarsDice {
    fn action_name(&self, action: Action) -> String {
        let (quantity, face) = self.bid(action.0);
        if action == self.liar() { "liar".to_string() } else { format!("{quantity}x{}", face + 1) }
    }

    fn outcome_name(&self, face: Action) -> String {
        (face.0 + 1).to_string()
    }

    /// Names the faces of the dice instead of counting them.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let mut scene = plain_scene(self, state, perspective);
        scene.facts.iter_mut().filter(|fact| fact.name == "own_dice").for_each(|fact| fact.words = None);
        for place in &mut scene.places {
            let dice = place.seat.map_or([0; MAX_SIDES], |seat| state.dice[seat.index()]);
            let faces = dice.into_iter().zip(1_u8..).flat_map(|(count, face)| vec![face.to_string(); count.into()]);
            for remark in place.remarks.iter_mut().filter(|remark| remark.starts_with("own_dice")) {
                *remark = format!("own dice: {}", faces.clone().collect::<Vec<_>>().join(" "));
            }
        }
        scene
    }
}

impl Hints for LiarsDice {}
