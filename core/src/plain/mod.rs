//! One type for all plain games: games that need no speed.
//!
//! Code that is generic over the game (searches, solvers, matches) is compiled once for each type of game. For small
//! games, compile time matters more than speed. [`Plain`] is one [`Game`] for all of them: it asks the object-safe
//! [`PlainGame`], which every game implements whose view is a [`Log`] and whose sampler is a [`Filter`].
//!
//! ```
//! use stier_core::games::kuhn_poker::KuhnPoker;
//! use stier_core::{Game, History, Plain, Rng, FromRules};
//!
//! let game = Plain::new(KuhnPoker::from_text("players=3")?);
//! assert_eq!((game.name(), game.num_seats()), ("kuhn_poker", 3));
//! let history = History::dealt(&game, &mut Rng::stream(7, "example", 0));
//! assert_eq!(history.events().len(), 3);
//! # Ok::<(), stier_core::RulesError>(())
//! ```

mod state;

use std::fmt;
use std::sync::Arc;

use crate::actions::{Action, ActionSet, Actions256};
use crate::encode::{Pen, Places};
use crate::failure::Foreign;
use crate::filter::Filter;
use crate::game::hints::{Hints, RuleOfThumb};
use crate::game::listed::{Listed, Unlisted};
use crate::game::log::Log;
use crate::game::notation::Notation;
use crate::game::{Chance, FullGame, Game, GameInfo, Observer, Turn};
use crate::options::DynOptions;
use crate::scene::{Face, Scene};
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;

pub use state::{PlainState, StateType};

/// A plain game, for callers that do not know its type. Each method calls the method of the same name in [`Game`],
/// [`Notation`] or [`Hints`]. Overrides of any other method, such as [`Game::step`], are ignored. Every state passed in
/// must come from the same game.
///
/// It is implemented for every game with such a view and such a sampler.
pub trait PlainGame: Send + Sync {
    /// See [`Game::rules`].
    fn rules(&self) -> &dyn DynOptions;
    /// See [`Game::info`].
    fn info(&self) -> &GameInfo;
    /// See [`Game::actions_version`].
    fn actions_version(&self) -> u32;
    /// See [`Game::observation_version`].
    fn observation_version(&self) -> u32;
    /// See [`Game::symmetry`].
    fn symmetry(&self) -> Option<Symmetry>;
    /// See [`Game::root`].
    fn root(&self) -> PlainState;
    /// See [`Game::turn`].
    fn turn(&self, state: &PlainState) -> Turn;
    /// See [`Game::legal`].
    fn legal(&self, state: &PlainState) -> Actions256;
    /// See [`Game::apply`].
    fn apply(&self, state: &mut PlainState, action: Action);
    /// See [`Game::chance`].
    fn chance(&self, state: &PlainState) -> Chance;
    /// See [`Game::returns`].
    fn returns(&self, state: &PlainState) -> BySeat<f64>;
    /// See [`Game::deal_number`].
    fn deal_number(&self, state: &PlainState) -> u32;
    /// See [`Game::observe`].
    fn observe(&self, state: &PlainState, observer: Observer, pen: &mut DynPen<'_>);
    /// See [`Game::foreign`].
    fn foreign(&self) -> Option<&dyn Foreign>;
    /// See [`Game::list`].
    fn list(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Result<Listed, Unlisted>;
    /// See [`Game::observed`].
    fn observed(&self, before: &PlainState, action: Action, observer: Seat) -> u64;
    /// See [`Game::sight`].
    fn sight(&self, state: &PlainState, seat: Seat) -> u64;
    /// See [`Notation::action_name`].
    fn action_name(&self, action: Action) -> String;
    /// See [`Notation::outcome_name`].
    fn outcome_name(&self, outcome: Action) -> String;
    /// See [`Notation::rule_broken`].
    fn rule_broken(&self, state: &PlainState, action: Action) -> String;
    /// See [`Notation::knowledge`].
    fn knowledge(&self, view: &Log) -> String;
    /// See [`Notation::scene`].
    fn scene(&self, state: &PlainState, perspective: Option<Seat>) -> Scene;
    /// See [`Notation::cards`].
    fn cards(&self) -> Vec<String>;
    /// See [`Notation::faces`].
    fn faces(&self) -> Vec<Face>;
    /// See [`Notation::holdings`].
    fn holdings(&self, state: &PlainState, seat: Seat, counts: &mut [u8]);
    /// See [`Hints::best_agent`].
    fn best_agent(&self) -> &'static str;
    /// See [`Hints::has_policy`].
    fn has_policy(&self) -> bool;
    /// See [`Hints::network`].
    fn network(&self) -> Option<&'static [u8]>;
    /// See [`Hints::appeal`].
    fn appeal(&self, view: &Log, action: Action) -> f32;
    /// See [`Hints::rule_of_thumb`].
    fn rule_of_thumb(&self, view: &Log) -> Option<RuleOfThumb>;
    /// See [`Hints::rollout`].
    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256;
    /// See [`Hints::features`].
    fn features(&self, state: &PlainState, action: Action, add: &mut dyn FnMut(usize, f32));
    /// See [`Hints::weights`].
    fn weights(&self) -> &[f32];
    /// See [`Hints::evaluate`].
    fn evaluate(&self, state: &PlainState) -> BySeat<f32>;
    /// See [`Hints::ending`].
    fn ending(&self, state: &PlainState) -> Option<BySeat<f32>>;
}

impl<G: FullGame + Game<View = Log, Sampler = Filter<G>>> PlainGame for G {
    fn rules(&self) -> &dyn DynOptions {
        Game::rules(self)
    }

    fn info(&self) -> &GameInfo {
        Game::info(self)
    }

    fn actions_version(&self) -> u32 {
        Game::actions_version(self)
    }

    fn observation_version(&self) -> u32 {
        Game::observation_version(self)
    }

    fn symmetry(&self) -> Option<Symmetry> {
        Game::symmetry(self)
    }

    fn root(&self) -> PlainState {
        PlainState::new(Game::root(self))
    }

    fn turn(&self, state: &PlainState) -> Turn {
        Game::turn(self, state.get())
    }

    fn legal(&self, state: &PlainState) -> Actions256 {
        Actions256::of(Game::legal(self, state.get()))
    }

    fn apply(&self, state: &mut PlainState, action: Action) {
        Game::apply(self, state.get_mut(), action);
    }

    fn chance(&self, state: &PlainState) -> Chance {
        Game::chance(self, state.get())
    }

    fn returns(&self, state: &PlainState) -> BySeat<f64> {
        Game::returns(self, state.get())
    }

    fn deal_number(&self, state: &PlainState) -> u32 {
        Game::deal_number(self, state.get())
    }

    fn observe(&self, state: &PlainState, observer: Observer, pen: &mut DynPen<'_>) {
        Game::observe(self, state.get(), observer, pen);
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        Game::foreign(self)
    }

    fn list(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Result<Listed, Unlisted> {
        Game::list(self, most, goes_on)
    }

    fn observed(&self, before: &PlainState, action: Action, observer: Seat) -> u64 {
        Game::observed(self, before.get(), action, observer)
    }

    fn sight(&self, state: &PlainState, seat: Seat) -> u64 {
        Game::sight(self, state.get(), seat)
    }

    fn action_name(&self, action: Action) -> String {
        Notation::action_name(self, action)
    }

    fn outcome_name(&self, outcome: Action) -> String {
        Notation::outcome_name(self, outcome)
    }

    fn rule_broken(&self, state: &PlainState, action: Action) -> String {
        Notation::rule_broken(self, state.get(), action)
    }

    fn knowledge(&self, view: &Log) -> String {
        Notation::knowledge(self, view)
    }

    fn scene(&self, state: &PlainState, perspective: Option<Seat>) -> Scene {
        Notation::scene(self, state.get(), perspective)
    }

    fn cards(&self) -> Vec<String> {
        Notation::cards(self)
    }

    fn faces(&self) -> Vec<Face> {
        Notation::faces(self)
    }

    fn holdings(&self, state: &PlainState, seat: Seat, counts: &mut [u8]) {
        Notation::holdings(self, state.get(), seat, counts);
    }

    fn best_agent(&self) -> &'static str {
        Hints::best_agent(self)
    }

    fn has_policy(&self) -> bool {
        Hints::has_policy(self)
    }

    fn network(&self) -> Option<&'static [u8]> {
        Hints::network(self)
    }

    fn appeal(&self, view: &Log, action: Action) -> f32 {
        Hints::appeal(self, view, action)
    }

    fn rule_of_thumb(&self, view: &Log) -> Option<RuleOfThumb> {
        Hints::rule_of_thumb(self, view)
    }

    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256 {
        let legal = legal.iter().fold(G::Actions::default(), G::Actions::with);
        Actions256::of(Hints::rollout(self, state.get(), legal))
    }

    fn features(&self, state: &PlainState, action: Action, mut add: &mut dyn FnMut(usize, f32)) {
        Hints::features(self, state.get(), action, &mut add);
    }

    fn weights(&self) -> &[f32] {
        Hints::weights(self)
    }

    fn evaluate(&self, state: &PlainState) -> BySeat<f32> {
        Hints::evaluate(self, state.get())
    }

    fn ending(&self, state: &PlainState) -> Option<BySeat<f32>> {
        Hints::ending(self, state.get())
    }
}

/// A plain game under fixed rules.
#[derive(Clone)]
pub struct Plain(Arc<dyn PlainGame>);

impl Plain {
    /// The game with these rules.
    pub fn new(rules: impl PlainGame + 'static) -> Self {
        Self(Arc::new(rules))
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plain").field(&self.0.rules()).finish()
    }
}

impl Game for Plain {
    type State = PlainState;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions256;

    fn rules(&self) -> &dyn DynOptions {
        self.0.rules()
    }

    fn info(&self) -> &GameInfo {
        self.0.info()
    }

    fn actions_version(&self) -> u32 {
        self.0.actions_version()
    }

    fn observation_version(&self) -> u32 {
        self.0.observation_version()
    }

    fn symmetry(&self) -> Option<Symmetry> {
        self.0.symmetry()
    }

    fn root(&self) -> PlainState {
        self.0.root()
    }

    fn turn(&self, state: &PlainState) -> Turn {
        self.0.turn(state)
    }

    fn legal(&self, state: &PlainState) -> Actions256 {
        self.0.legal(state)
    }

    fn apply(&self, state: &mut PlainState, action: Action) {
        self.0.apply(state, action);
    }

    fn chance(&self, state: &PlainState) -> Chance {
        self.0.chance(state)
    }

    fn returns(&self, state: &PlainState) -> BySeat<f64> {
        self.0.returns(state)
    }

    fn deal_number(&self, state: &PlainState) -> u32 {
        self.0.deal_number(state)
    }

    fn observe<P: Pen>(&self, state: &PlainState, observer: Observer, pen: &mut P) {
        self.0.observe(state, observer, &mut DynPen(pen));
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        self.0.foreign()
    }

    fn list(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Result<Listed, Unlisted> {
        self.0.list(most, goes_on)
    }

    fn observed(&self, before: &PlainState, action: Action, observer: Seat) -> u64 {
        self.0.observed(before, action, observer)
    }

    fn sight(&self, state: &PlainState, seat: Seat) -> u64 {
        self.0.sight(state, seat)
    }
}

impl Notation for Plain {
    fn action_name(&self, action: Action) -> String {
        self.0.action_name(action)
    }

    fn outcome_name(&self, outcome: Action) -> String {
        self.0.outcome_name(outcome)
    }

    fn rule_broken(&self, state: &PlainState, action: Action) -> String {
        self.0.rule_broken(state, action)
    }

    fn knowledge(&self, view: &Log) -> String {
        self.0.knowledge(view)
    }

    fn scene(&self, state: &PlainState, perspective: Option<Seat>) -> Scene {
        self.0.scene(state, perspective)
    }

    fn cards(&self) -> Vec<String> {
        self.0.cards()
    }

    fn faces(&self) -> Vec<Face> {
        self.0.faces()
    }

    fn holdings(&self, state: &PlainState, seat: Seat, counts: &mut [u8]) {
        self.0.holdings(state, seat, counts);
    }
}

impl Hints for Plain {
    fn best_agent(&self) -> &'static str {
        self.0.best_agent()
    }

    fn has_policy(&self) -> bool {
        self.0.has_policy()
    }

    fn network(&self) -> Option<&'static [u8]> {
        self.0.network()
    }

    fn appeal(&self, view: &Log, action: Action) -> f32 {
        self.0.appeal(view, action)
    }

    fn rule_of_thumb(&self, view: &Log) -> Option<RuleOfThumb> {
        self.0.rule_of_thumb(view)
    }

    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256 {
        self.0.rollout(state, legal)
    }

    fn features(&self, state: &PlainState, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.0.features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        self.0.weights()
    }

    fn evaluate(&self, state: &PlainState) -> BySeat<f32> {
        self.0.evaluate(state)
    }

    fn ending(&self, state: &PlainState) -> Option<BySeat<f32>> {
        self.0.ending(state)
    }
}

/// The object-safe part of a [`Pen`].
trait PenObject {
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places);
    fn put(&mut self, bits: u64, len: usize);
    fn single(&mut self);
}

impl<P: Pen> PenObject for P {
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places) {
        Pen::begin(self, name, shape, places);
    }

    fn put(&mut self, bits: u64, len: usize) {
        Pen::put(self, bits, len);
    }

    fn single(&mut self) {
        Pen::single(self);
    }
}

/// A pen whose type is not known.
pub struct DynPen<'a>(&'a mut dyn PenObject);

impl Pen for DynPen<'_> {
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places) {
        self.0.begin(name, shape, places);
    }

    fn put(&mut self, bits: u64, len: usize) {
        self.0.put(bits, len);
    }

    fn single(&mut self) {
        self.0.single();
    }
}
