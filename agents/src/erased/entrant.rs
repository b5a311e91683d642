//! Competitors in matches of games whose type is not known.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Action, ActionSet as _, FullGame, Rng, Sampler as _, SeatView as _, Turn};

use super::state::{DynState, ErasedState};
use super::{AskSettings, DynPolicy, ErasedGame};
use crate::agent::batch_agent::BatchAgent;
use crate::agent::player::Player;
use crate::agent::{Agent, Decision};
use crate::arena::Entrant;
use crate::catalogue::AgentSpec;
use crate::solve::{RangePolicy, TableAgent};

/// A caller's function as an agent: it is shown a state drawn from what the player to act knows, and told if this is the
/// player's first decision since a restart.
pub type Callback = Arc<dyn Fn(Box<dyn DynState>, bool) -> Action + Send + Sync>;

/// A competitor in matches of a game whose type is not known.
#[derive(Clone)]
pub enum DynEntrant {
    /// An agent by name.
    Spec(AgentSpec),
    /// A function, with the label that results call it and its [identity](Entrant::identity).
    Callback(String, String, Callback),
    /// A policy in a table, with the label that results call it. It plays only the game it was made for.
    Table(String, Arc<dyn DynPolicy>),
    /// A policy on public states, in the same way.
    Ranges(String, Arc<RangePolicy>),
}

impl DynEntrant {
    /// The label in results.
    pub fn label(&self) -> String {
        match self {
            Self::Spec(spec) => spec.to_string(),
            Self::Callback(label, ..) | Self::Table(label, _) | Self::Ranges(label, _) => label.clone(),
        }
    }

    /// See [`Entrant::identity`].
    pub fn identity(&self) -> String {
        match self {
            Self::Spec(spec) => spec.to_string(),
            Self::Callback(_, identity, _) => identity.clone(),
            Self::Table(label, table) => format!("{label} {:016x}", table.fingerprint()),
            Self::Ranges(label, policy) => format!("{label} {:016x}", policy.fingerprint()),
        }
    }

    /// The number of seeds with which [queries](super::DynTree::policy_of) are made; 0 for entrants whose policy needs no
    /// random numbers.
    pub fn num_seeds(&self, settings: &AskSettings) -> u64 {
        match self {
            Self::Spec(spec) if spec.facts().is_instant => 0,
            Self::Spec(_) | Self::Callback(..) => settings.seeds,
            Self::Table(..) | Self::Ranges(..) => 0,
        }
    }

    /// A number that is mixed into the seed of [queries](super::DynTree::policy_of).
    pub(super) fn seed(&self) -> u64 {
        match self {
            Self::Spec(spec) => spec.seed().unwrap_or(0),
            Self::Callback(..) | Self::Table(..) | Self::Ranges(..) => 0,
        }
    }
}

/// An entrant, with the game that it enters.
pub(super) struct ErasedEntrant<G> {
    pub(super) game: ErasedGame<G>,
    pub(super) entrant: DynEntrant,
    pub(super) interrupt: Arc<AtomicBool>,
}

impl<G: FullGame> Entrant<G> for ErasedEntrant<G> {
    fn label(&self) -> String {
        self.entrant.label()
    }

    fn identity(&self) -> String {
        self.entrant.identity()
    }

    fn suits(&self, game: &G) -> Result<(), String> {
        match &self.entrant {
            DynEntrant::Spec(spec) => spec.check(game).map_err(|error| error.to_string()),
            DynEntrant::Callback(..) => Ok(()),
            DynEntrant::Table(_, table) => {
                self.game.tabular_agent(&**table).map(|_| ()).map_err(|error| error.to_string())
            }
            DynEntrant::Ranges(_, policy) => self.game.plays(policy).map_err(|error| error.to_string()),
        }
    }

    fn enter(&self, game: &G) -> Player<G> {
        match &self.entrant {
            DynEntrant::Spec(spec) => {
                let mut player = spec.player(game, 0);
                player.interrupt_with(self.interrupt.clone());
                player
            }
            DynEntrant::Callback(_, _, function) => {
                let rng = Rng::stream(0, "callback", 0);
                let (game, function) = (self.game.clone(), function.clone());
                Player::Fair(Box::new(CallbackAgent { game, function, rng, restarted: true }))
            }
            DynEntrant::Table(_, table) => {
                let agent = self.game.tabular_agent(&**table);
                Player::Fair(Box::new(agent.expect("tables of other games have been refused")))
            }
            DynEntrant::Ranges(_, policy) => Player::Fair(Box::new(TableAgent::new::<G>(policy.clone(), 0))),
        }
    }

    fn is_instant(&self) -> bool {
        matches!(&self.entrant, DynEntrant::Spec(spec) if spec.facts().is_instant)
    }

    fn batch_agent(&self, game: &G) -> Option<Box<dyn BatchAgent<G>>> {
        match &self.entrant {
            DynEntrant::Spec(spec) => Entrant::<G>::batch_agent(spec, game),
            DynEntrant::Callback(..) | DynEntrant::Table(..) | DynEntrant::Ranges(..) => None,
        }
    }
}

/// A caller's function as an agent.
struct CallbackAgent<G> {
    game: ErasedGame<G>,
    function: Callback,
    rng: Rng,
    restarted: bool,
}

impl<G: FullGame> Agent<G> for CallbackAgent<G> {
    /// Shows the function a whole history, drawn from the view so that it reveals nothing hidden from the player.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let history = game.sampler(view).sample_history(game, &mut self.rng);
        debug_assert_eq!(game.turn(history.state()), Turn::Seat(view.seat()));
        let shown = Box::new(ErasedState { game: self.game.clone(), history, dealing: None });
        let action = (self.function)(shown, std::mem::take(&mut self.restarted));
        // The caller's side refuses illegal actions and ends the match. Until then the game continues with a legal one.
        let action = if legal.contains(action) { action } else { legal.pick(&mut self.rng) };
        Decision::certain(action, legal.iter())
    }

    fn restart(&mut self, seed: u64) {
        self.rng = Rng::stream(seed, "callback", 0);
        self.restarted = true;
    }
}
