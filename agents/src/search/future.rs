//! A position with all cards open, the results of chance to come in it, and the values of its actions.

use stier_core::key::mix;
use stier_core::{Action, BySeat, Dealer, Game, History, Rng, Turn};

/// A state with all cards open, and some or all of its mover's legal actions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenPosition<'a, S, A> {
    /// The state, in which a player is to act.
    pub state: &'a S,
    /// The actions, ascending.
    pub legal: A,
}

/// The values of an action in one world.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WorldValues {
    /// The action.
    pub action: Action,
    /// The expected return of each seat; zeros if the action was never tried.
    pub values: BySeat<f32>,
    /// The number of tries.
    pub visits: u64,
    /// The number of iterations that could have tried the action.
    pub available: u64,
}

impl WorldValues {
    /// The values of an action that was tried once.
    pub(crate) fn once(action: Action, values: BySeat<f32>) -> Self {
        Self { action, values, visits: 1, available: 1 }
    }
}

/// The results of chance from here on. They do not depend on the players' actions.
#[derive(Clone, Debug)]
pub(crate) enum Future {
    /// Each random event from here on is drawn from its own stream.
    Drawn {
        /// The seed of the streams.
        seed: u64,
        /// The number of events drawn so far.
        event: u64,
    },
    /// The events of this dealer.
    Dealt(Dealer),
}

impl Future {
    /// Creates the future with this seed.
    pub(crate) fn drawn(seed: u64) -> Self {
        Self::Drawn { seed, event: 0 }
    }

    /// The next random event in a state in which chance is to act.
    #[inline]
    pub(crate) fn next<G: Game>(&mut self, game: &G, state: &G::State) -> Action {
        match self {
            Self::Drawn { seed, event } => {
                let mut rng = Rng::stream(*seed, "future", *event);
                *event += 1;
                game.sample_chance(state, &mut rng)
            }
            Self::Dealt(dealer) => game.sample_chance(state, dealer.rng(game, state)),
        }
    }

    /// Applies random events until a player is to act or the game is over. Returns true if there were any.
    #[inline]
    pub(crate) fn settle<G: Game>(&mut self, game: &G, state: &mut G::State) -> bool {
        let mut any = false;
        while game.turn(state) == Turn::Chance {
            let outcome = self.next(game, state);
            game.apply(state, outcome);
            any = true;
        }
        any
    }

    /// Appends an action to a history, and the random events that follow.
    pub(crate) fn push<G: Game>(&mut self, game: &G, history: &mut History<G>, action: Action) {
        history.push(game, action);
        while game.turn(history.state()) == Turn::Chance {
            let outcome = self.next(game, history.state());
            history.push(game, outcome);
        }
    }

    /// A number that identifies the events still to come after a state.
    #[inline]
    pub(super) fn mark<G: Game>(&self, game: &G, state: &G::State) -> u64 {
        match self {
            Self::Drawn { seed, event } => mix(mix(0, *seed), *event),
            Self::Dealt(dealer) => dealer.clone().rng(game, state).bits(),
        }
    }
}
