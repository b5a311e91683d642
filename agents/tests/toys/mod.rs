//! Small games with known answers, made of nothing but the public traits.

pub(crate) mod bandit;
pub(crate) mod checks;
pub(crate) mod claims;
pub(crate) mod goofspiel;
pub(crate) mod guess;
pub(crate) mod kuhn;
pub(crate) mod kuhn_three;
pub(crate) mod leduc;
pub(crate) mod liars_dice;
pub(crate) mod matrix;
pub(crate) mod nim;

use stier_core::{Action, Game, History, Rng, Sampler, World};

/// Tensors without fields, for a game that nobody learns.
macro_rules! no_tensors {
    ($game:ty) => {
        impl stier_core::Encode for $game {
            const OBSERVATION_VERSION: u32 = 1;

            fn observation_layout(&self) -> Vec<stier_core::Field> {
                Vec::new()
            }
            fn observation<T: stier_core::encode::Cell>(&self, _: &Self::State, _: stier_core::Seat, _: &mut [T]) {}
            fn information_state_layout(&self) -> Vec<stier_core::Field> {
                Vec::new()
            }
            fn information_state(&self, _: &Self::View, _: &mut [f32]) {}
        }
    };
}
pub(crate) use no_tensors;

/// A sampler for games so small that every world can be listed: each is as likely as the others.
#[derive(Clone, Debug)]
pub(crate) struct Listed<S> {
    /// Each state with the events that lead to it.
    worlds: Vec<(S, Vec<Action>)>,
}

impl<S: Copy> Listed<S> {
    /// The worlds to which these sequences of events lead; no two of them lead to the same one.
    pub(crate) fn new<G: Game<State = S>>(game: &G, histories: impl IntoIterator<Item = Vec<Action>>) -> Self {
        let world = |events: Vec<Action>| {
            let mut state = game.root();
            events.iter().for_each(|&event| game.apply(&mut state, event));
            (state, events)
        };
        Self { worlds: histories.into_iter().map(world).collect() }
    }
}

impl<G: Game> Sampler<G> for Listed<G::State> {
    fn sample(&self, rng: &mut Rng) -> G::State {
        self.worlds[rng.below(self.worlds.len() as u32) as usize].0
    }

    fn count(&self) -> u128 {
        self.worlds.len() as u128
    }

    fn worlds(&self) -> impl Iterator<Item = World<G::State>> {
        self.worlds.iter().map(|&(state, _)| World { state, weight: 1 })
    }

    fn sample_history_of(&self, game: &G, world: &G::State, _rng: &mut Rng) -> History<G> {
        let (_, events) = self.worlds.iter().find(|(state, _)| state == world).expect("a world of the view");
        let mut history = History::new(game);
        events.iter().for_each(|&event| history.push(game, event));
        history
    }

    fn worlds_fix_views(&self) -> bool {
        true
    }
}
