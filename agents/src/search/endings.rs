//! Endings solved over ranges: when few tricks are left, the rest of the deal is solved once for all hands that both
//! players may hold, and the solution is played to the end.
//!
//! An ending begins in the first public state at the start of a trick with at most so many tricks left. Its solution is a
//! function of the public events before it and of the network whose policy both players are assumed to have followed. So
//! both seats find the same, in any order, and a new agent finds what another one has found. Of endings that are too large
//! the first that fits is solved, with fewer tricks.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::public::Place;
use stier_core::trail::Course;
use stier_core::{Action, ActionSet as _, Game, Hints, Rng, Seat, SeatView as _, Turn};
use web_time::Instant;

use crate::agent::batch_agent::Query;
use crate::agent::endings::{EndingSettings, Gadget};
use crate::agent::lines::Line;
use crate::agent::sampling::draw;
use crate::agent::streams::Streams;
use crate::agent::threads::Halted;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision, Search};
use crate::belief::policy_model::NETWORK_BATCH;
use crate::belief::ranges::ranges;
use crate::network::agent::NetworkAgent;
use crate::solve::ranges::{RangePolicy, RangeTree, RangesTooLarge, normalized};

/// The largest number of solutions that are remembered.
const MAX_KNOWN: usize = 16;
/// The most bytes that the solution of an ending may take.
const MAX_BYTES: u64 = 1 << 30;

/// An agent that plays endings by their solutions.
pub(crate) struct EndingAgent<G: Hints> {
    settings: EndingSettings,
    agent: Box<dyn Agent<G>>,
    model: NetworkAgent,
    /// By the public events before and the seat; the last one that was used is the last.
    known: Vec<(Known, Option<Arc<RangePolicy>>)>,
    streams: Streams,
    /// Set from outside to end a calculation early.
    interrupted: Arc<AtomicBool>,
}

/// The public events before an ending, and the seat that plays by the solution.
type Known = (Vec<Action>, Seat);

impl<G: Hints> EndingAgent<G> {
    /// Combines an agent, and the network of whose policy ranges are.
    pub(crate) fn new(settings: EndingSettings, agent: Box<dyn Agent<G>>, model: NetworkAgent, seed: u64) -> Self {
        let (known, streams, interrupted) = (Vec::new(), Streams::new(seed), Arc::default());
        let mut own = Self { settings, agent, model, known, streams, interrupted };
        own.restart(seed);
        own
    }

    /// The solution of an ending; `None` if it is too large, or interrupted.
    fn solution(&mut self, game: &G, course: &Course<G::State>, seat: Seat) -> Option<Arc<RangePolicy>> {
        // Without a gadget both seats have the same solution.
        let seat = if self.settings.gadget == Gadget::Unsafe { Seat(0) } else { seat };
        let key = (course.before.clone(), seat);
        let found = match self.known.iter().position(|(known, _)| *known == key) {
            Some(place) => self.known.remove(place).1,
            None => match self.solve(game, course, seat) {
                Err(RangesTooLarge::Halted(Halted::Interrupted)) => return None,
                found => found.ok().map(Arc::new),
            },
        };
        if self.known.len() == MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push((key, found.clone()));
        found
    }

    fn solve(&mut self, game: &G, course: &Course<G::State>, seat: Seat) -> Result<RangePolicy, RangesTooLarge> {
        let (model, flag) = (&mut self.model, self.interrupted.clone());
        let watch = || if flag.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut ask = |states: &[G::State], shares: &mut Vec<f64>| {
            for states in states.chunks(NETWORK_BATCH) {
                model.policies(game, &Query::all(game, states), shares);
            }
        };
        let found = ranges(game, course, &mut ask);
        let hands = found.each_ref().map(|range| range.iter().map(|&(hand, _)| hand).collect());
        let numbers = found.map(|range| evened(range.into_iter().map(|(_, number)| number as f32).collect()));
        let form = game.ending_form(&course.root, hands).expect("a game with a course has a form of its endings");
        let tree = Arc::new(RangeTree::new(form, "", MAX_BYTES, &watch)?);
        let is_safe = self.settings.gadget != Gadget::Unsafe;
        let before = RangePolicy::of_seat(tree, seat.index(), &mut |events, hands, shares| {
            if is_safe {
                let state = after(game, &course.root, events);
                let states: Vec<G::State> = hands.iter().map(|&hand| game.with_hand(&state, seat, hand)).collect();
                ask(&states, shares);
            }
        });
        Ok(before.resolved([&numbers[0], &numbers[1]], seat.index(), &self.settings, &watch)?)
    }
}

/// A range; all hands alike if the policy excludes all.
fn evened(mut range: Vec<f32>) -> Vec<f32> {
    if range.iter().all(|&number| number == 0.0) {
        range.fill(1.0);
    }
    range
}

/// The public state after these public events.
fn after<G: Game>(game: &G, root: &G::State, events: &[Action]) -> G::State {
    let mut state = *root;
    for &event in events {
        game.apply(&mut state, event);
        while game.turn(&state) == Turn::Chance {
            // All that counts is that a card is drawn.
            let drawn = game.chance(&state)[0].action;
            game.apply(&mut state, drawn);
        }
    }
    state
}

impl<G: Hints> Agent<G> for EndingAgent<G> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let EndingSettings { ending_tricks, attack_tricks, ending_iterations, .. } = self.settings;
        let (start, seat) = (Instant::now(), view.seat());
        let tricks = |fewer: u8| [ending_tricks, attack_tricks].map(|most| most.saturating_sub(fewer));
        let courses = (0..ending_tricks.max(attack_tricks)).map_while(|fewer| game.course(view, tricks(fewer)));
        let mut courses = courses.take_while(|_| legal.len() > 1);
        let solution = courses.find_map(|course| Some((self.solution(game, &course, seat)?, course)));
        let streams = self.streams;
        self.streams.advance();
        let Some((solution, course)) = solution else { return self.agent.act(game, view, legal) };
        self.agent.lines();
        let hand = game.held(view);
        let all = game.legal(&game.with_hand(&after(game, &course.root, &course.since), seat, hand));
        let place = Place { opening: 0, events: course.since, hand, actions: all.iter().collect() };
        let row = solution.row(|_| Some((place, seat))).expect("the ending has every place after its root");
        let (actions, shares): (Vec<Action>, Vec<f64>) =
            row.into_iter().filter(|&(action, _)| legal.contains(action)).unzip();
        let shares = normalized(&shares);
        let action = actions[draw(&shares, &mut streams.rng("ending"))];
        // Solutions have no values of single hands.
        let stats = |(&action, &probability): (&Action, &f64)| ActionStats {
            action: action.0,
            visits: 0,
            value: f64::NAN,
            availability: 0,
            probability,
        };
        let search = Search {
            actions: actions.iter().zip(&shares).map(stats).collect(),
            iterations: ending_iterations,
            nodes: 1,
            seconds: start.elapsed().as_secs_f64(),
        };
        Decision { action, policy: actions.into_iter().zip(shares).collect(), search: Some(search) }
    }

    fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
        self.agent.restart(Rng::stream(seed, "agent before an ending", 0).bits());
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.agent.beliefs(game, view)
    }

    fn note_lines(&mut self, depth: usize) {
        self.agent.note_lines(depth);
    }

    fn lines(&mut self) -> Vec<Line> {
        self.agent.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupted = flag.clone();
        self.agent.interrupt_with(flag);
    }
}
