//! One lane: one game after another, each dealt from a seed of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::{Action, ActionSet as _, Dealer, Game, Hints, History, Rng, Seat, Turn};

use super::opponents::{Crew, Opponents};

/// How far a lane is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Somebody is to act.
    Running,
    /// The game is over, and no step has told so yet.
    Ended,
    /// The game is over, and a step has told so.
    Finished,
}

/// A game, its dealer, and where its seed comes from.
#[derive(Clone)]
pub(super) struct Lane<G: Game> {
    pub(super) history: History<G>,
    pub(super) dealer: Dealer,
    pub(super) stage: Stage,
    /// The seat that is to act, or acted last; with opponents, the learner's.
    pub(super) viewer: Seat,
    /// The learner's seat, if there are opponents.
    learner: Option<Seat>,
    /// The seed of the first game, from which those of the next ones are hashed.
    pub(super) root: u64,
    /// Games before this one.
    pub(super) episode: u64,
    /// The seed of this game.
    pub(super) seed: u64,
}

/// What all lanes share.
pub(super) struct Common<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) opponents: Option<&'a Opponents>,
    /// Once set, games are left where they are.
    pub(super) interrupt: &'a AtomicBool,
}

/// The seed of a lane's game.
fn seed_of(root: u64, episode: u64) -> u64 {
    if episode == 0 { root } else { Rng::stream(root, "episode", episode).bits() }
}

impl<G: Hints> Lane<G> {
    /// A lane without a game.
    pub(super) fn new(game: &G) -> Self {
        Self {
            history: History::new(game),
            dealer: Dealer::new(0, 0),
            stage: Stage::Finished,
            viewer: Seat(0),
            learner: None,
            root: 0,
            episode: 0,
            seed: 0,
        }
    }

    /// Clears the table for the next game.
    pub(super) fn prepare_next(&mut self, common: &Common<'_, G>, lane: usize) {
        self.prepare(common, lane, self.root, self.episode.wrapping_add(1));
    }

    /// An empty table with a new dealer, for the `episode`-th game after that of the seed `root`.
    pub(super) fn prepare(&mut self, common: &Common<'_, G>, lane: usize, root: u64, episode: u64) {
        (self.root, self.episode, self.seed) = (root, episode, seed_of(root, episode));
        self.history.restart(common.game);
        self.dealer = Dealer::new(self.seed, 0);
        let seats = common.game.num_seats();
        self.learner = common.opponents.map(|all| all.learner(seats, lane, episode, self.seed));
        self.viewer = self.learner.unwrap_or(Seat(0));
    }

    /// Has chance act: until the learner is to decide, or whoever is if there are no opponents, or until the end; or until an
    /// opponent is to, on the seat returned.
    #[inline]
    pub(super) fn advance(&mut self, game: &G) -> Option<Seat> {
        self.dealer.settle(game, &mut self.history);
        match game.turn(self.history.state()) {
            Turn::Seat(seat) if self.learner.is_some_and(|learner| learner != seat) => Some(seat),
            Turn::Seat(seat) => {
                (self.viewer, self.stage) = (seat, Stage::Running);
                None
            }
            Turn::Chance | Turn::Over => {
                self.stage = Stage::Ended;
                None
            }
        }
    }

    /// Has chance and the opponents act, as [`advance`](Self::advance) does chance, but to where nobody else is to decide.
    pub(super) fn play_on(&mut self, common: &Common<'_, G>, crew: &mut Crew<G>) {
        let game = common.game;
        while let Some(seat) = self.advance(game) {
            if common.interrupt.load(Ordering::Relaxed) {
                return;
            }
            let action = crew.decide(game, &self.history, &self.dealer, self.seed, self.learner(), seat);
            debug_assert!(game.legal(self.history.state()).contains(action), "agents choose legal actions");
            self.history.push(game, action);
        }
    }

    /// The learner's seat; 0 if there are no opponents.
    pub(super) fn learner(&self) -> Seat {
        self.learner.unwrap_or(Seat(0))
    }

    /// A game as it was, from everybody's decisions; `None` if they make no game, or do not lead to such a stage.
    pub(super) fn replayed(
        common: &Common<'_, G>,
        lane: usize,
        (root, episode): (u64, u64),
        stage: Stage,
        decisions: &[u8],
    ) -> Option<Self> {
        let game = common.game;
        let mut own = Self::new(game);
        own.prepare(common, lane, root, episode);
        own.dealer.settle(game, &mut own.history);
        for &action in decisions {
            let seat = game.turn(own.history.state()).seat()?;
            if !game.legal(own.history.state()).contains(Action(action)) {
                return None;
            }
            own.viewer = own.learner.unwrap_or(seat);
            own.history.push(game, Action(action));
            own.dealer.settle(game, &mut own.history);
        }
        own.stage = stage;
        match game.turn(own.history.state()) {
            Turn::Seat(seat) => {
                own.viewer = seat;
                (stage == Stage::Running && own.learner.is_none_or(|learner| learner == seat)).then_some(own)
            }
            Turn::Chance | Turn::Over => (stage != Stage::Running).then_some(own),
        }
    }

    /// Who the current player is: nobody once the game is over, but with opponents always the learner.
    pub(super) fn player(&self) -> Option<Seat> {
        (self.stage == Stage::Running || self.learner.is_some()).then_some(self.viewer)
    }
}
