//! One lane: one game after another, each dealt from a seed of its own.

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Dealer, FullGame, Game, History, IllegalAction, Rng, Seat, Turn};

use super::{Opponents, Settings};

/// The stage of a lane's game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// A player is to act.
    Running,
    /// The game is over, and no step has reported it yet.
    Ended,
    /// The game is over, and a step has reported it.
    Finished,
}

/// A game, its dealer and the origin of its seed.
#[derive(Clone)]
pub(super) struct Lane<G: Game> {
    pub(super) number: usize,
    pub(super) history: History<G>,
    pub(super) dealer: Dealer,
    pub(super) stage: Stage,
    /// The seat that is to act, or acted last; with opponents, the learner's.
    pub(super) viewer: Seat,
    /// The learner's seat, if there are opponents.
    learner: Option<Seat>,
    /// The decisions of the opening that are still to be made.
    opening: u32,
    /// The number of decisions of this game, of all players.
    pub(super) decisions: u32,
    /// The number of decisions, from the first, at which an action is barred.
    barred: u32,
    /// The seed of the first game, from which those of the next ones are hashed.
    pub(super) root: u64,
    /// Games before this one.
    pub(super) episode: u64,
    /// The seed of this game.
    pub(super) seed: u64,
}

/// The seed of a lane's game.
fn seed_of(root: u64, episode: u64) -> u64 {
    if episode == 0 { root } else { Rng::stream(root, "episode", episode).bits() }
}

impl<G: FullGame> Lane<G> {
    /// A lane without a game.
    pub(super) fn new(game: &G, number: usize) -> Self {
        Self {
            number,
            history: History::new(game),
            dealer: Dealer::new(0, 0),
            stage: Stage::Finished,
            viewer: Seat(0),
            learner: None,
            opening: 0,
            decisions: 0,
            barred: 0,
            root: 0,
            episode: 0,
            seed: 0,
        }
    }

    /// Clears the table for the next game.
    pub(super) fn prepare_next(&mut self, game: &G, settings: &Settings) {
        self.prepare(game, settings, self.root, self.episode.wrapping_add(1));
    }

    /// Clears the table for the `episode`-th game after that of the seed `root`.
    pub(super) fn prepare(&mut self, game: &G, settings: &Settings, root: u64, episode: u64) {
        (self.root, self.episode, self.seed) = (root, episode, seed_of(root, episode));
        self.clear(game);
        let seat = |all: &Opponents| all.learner(game.num_seats(), self.number, episode, self.seed);
        self.learner = settings.opponents.as_ref().map(seat);
        self.viewer = self.learner.unwrap_or(Seat(0));
        self.opening = settings.opening.as_ref().map_or(0, |opening| opening.length(self.seed));
        self.barred = settings.barred.as_ref().map_or(0, |barred| barred.length(self.seed));
    }

    /// Clears the table for this game.
    fn clear(&mut self, game: &G) {
        self.history.restart(game);
        self.decisions = 0;
        self.dealer = Dealer::new(self.seed, 0);
    }

    /// Returns true if the agent of the opening decides, at whatever seat.
    pub(super) fn is_in_opening(&self) -> bool {
        self.opening > 0
    }

    /// Lets chance act until the learner must decide (without opponents, any player) or the game is over. Returns the
    /// seat of an agent that must decide first.
    #[inline(always)]
    pub(super) fn advance(&mut self, game: &G) -> Option<Seat> {
        self.dealer.settle(game, &mut self.history);
        match game.turn(self.history.state()) {
            Turn::Seat(seat) if self.is_in_opening() || self.learner.is_some_and(|learner| learner != seat) => {
                Some(seat)
            }
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

    /// Plays an action.
    #[inline(always)]
    pub(super) fn push(&mut self, game: &G, action: Action) {
        self.history.push(game, action);
        self.decisions += 1;
    }

    /// Plays the action of an agent. A game that ends in its opening is dealt again, without one.
    pub(super) fn push_of_agent(&mut self, game: &G, action: Action) {
        debug_assert!(game.legal(self.history.state()).contains(action), "agents choose legal actions");
        self.push(game, action);
        if self.is_in_opening() {
            self.opening -= 1;
            self.dealer.settle(game, &mut self.history);
            if game.turn(self.history.state()) == Turn::Over {
                self.opening = 0;
                self.clear(game);
            }
        }
    }

    /// The legal actions that are not barred; all actions if the lane ignores its action.
    #[inline]
    pub(super) fn legal(&self, game: &G, settings: &Settings, every_action: G::Actions) -> G::Actions {
        if self.stage != Stage::Running {
            return every_action;
        }
        let legal = game.legal(self.history.state());
        match &settings.barred {
            Some(barred) if self.barred_left() > 0 => barred.allowed(legal),
            _ => legal,
        }
    }

    /// The number of decisions, from this one on, at which an action is barred; 0 if the lane ignores its action.
    #[inline]
    pub(super) fn barred_left(&self) -> u32 {
        if self.stage == Stage::Running { self.barred.saturating_sub(self.decisions) } else { 0 }
    }

    /// Says why this action is not among the `allowed` ones, the [legal](Lane::legal) actions of this lane.
    pub(super) fn refusal(&self, game: &G, allowed: G::Actions, action: i64) -> IllegalAction {
        let state = self.history.state();
        let mut refusal = game.refusal(state, action);
        let legal = game.legal(state);
        if allowed != legal {
            if u8::try_from(action).is_ok_and(|action| legal.contains(Action(action))) {
                refusal.rule = "it is barred at the beginning of this game".to_string();
            }
            refusal.legal = allowed.iter().map(|action| game.event_label(state, action)).list();
        }
        refusal
    }

    /// The learner's seat; 0 if there are no opponents.
    pub(super) fn learner(&self) -> Seat {
        self.learner.unwrap_or(Seat(0))
    }

    /// The lane after these decisions of all players, those of an opening included; `None` if they are not legal or do
    /// not lead to this stage.
    pub(super) fn replayed(
        mut self,
        game: &G,
        settings: &Settings,
        root: u64,
        episode: u64,
        stage: Stage,
        decisions: &[u8],
    ) -> Option<Self> {
        self.prepare(game, settings, root, episode);
        // A call returns only after the opening.
        self.opening = 0;
        self.dealer.settle(game, &mut self.history);
        for &action in decisions {
            let seat = game.turn(self.history.state()).seat()?;
            if !game.legal(self.history.state()).contains(Action(action)) {
                return None;
            }
            self.viewer = self.learner.unwrap_or(seat);
            self.push(game, Action(action));
            self.dealer.settle(game, &mut self.history);
        }
        self.stage = stage;
        match game.turn(self.history.state()) {
            Turn::Seat(seat) => {
                self.viewer = seat;
                (stage == Stage::Running && self.learner.is_none_or(|learner| learner == seat)).then_some(self)
            }
            Turn::Chance | Turn::Over => (stage != Stage::Running).then_some(self),
        }
    }

    /// The current player: with opponents always the learner, else `None` once the game is over.
    pub(super) fn player(&self) -> Option<Seat> {
        (self.stage == Stage::Running || self.learner.is_some()).then_some(self.viewer)
    }
}
