//! Lanes are states: a lane does the same as a single state with the lane's seed.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_agents::AgentSpec;
use stier_agents::agent::threads::Halted;
use stier_agents::batch::vector::{
    Autoreset, Barred, Cells, LearnerSeat, NOBODY, Opening, Opponents, Rows, Seeds, Settings, Shape, Span, TensorKind,
    VectorError,
};
use stier_agents::erased::{DynGame, DynState, DynVector};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, FromRules as _, Rng, Seat, Turn, encode, games};

use crate::networks::files::Draft;

/// Every game, with variants: small ones, long ones and those with several deals.
pub(crate) const GAMES: [&str; 17] = [
    "dark_hex",
    "goofspiel",
    "kuhn_poker",
    "kuhn_poker:players=3",
    "leduc_poker",
    "liars_dice",
    "schweins_galopp",
    "schweins_galopp:players=2,placement=choice,track_food=on,utility=score",
    "schwimmen",
    "schwimmen:players=2,play=match,max_deals=3,utility=win",
    "schwimmen:players=5,ranks=6,dealer_swap=open,three_of_a_kind=on,max_turns=12",
    "schwinget",
    "schwinget:scoring=schwinger,bouts=2,utility=score",
    "schwinget:suits=2,values=4,counter=off,hand_size=2,set_aside=1,specials=anytime",
    "up_and_down",
    "up_and_down:players=2,rounds=2,utility=score",
    "up_and_down:players=3,die_faces=3,hand_size=4,tie_break_rounds=1,utility=win",
];

pub(crate) fn game(text: &str) -> Arc<dyn DynGame> {
    let (name, rules) = text.split_once(':').unwrap_or((text, ""));
    stier_games::load(name, rules).expect("a game")
}

fn settings(lanes: usize) -> Settings {
    Settings {
        lanes,
        seed: 5,
        threads: 1,
        autoreset: Autoreset::SameStep,
        tensor: TensorKind::Observation,
        opponents: None,
        opening: None,
        barred: None,
        beliefs: None,
    }
}

fn against(agents: &[&str], learner: LearnerSeat) -> Option<Opponents> {
    Some(Opponents { agents: agents.iter().map(|text| text.parse().expect("an agent")).collect(), learner })
}

fn begun_by(agent: &str, share: f64, decisions: u32) -> Option<Opening> {
    Some(Opening { agent: agent.parse().expect("an agent"), span: Span { share, decisions } })
}

fn bar(share: f64, decisions: u32) -> Option<Barred> {
    Some(Barred { action: Action(0), span: Span { share, decisions } })
}

/// The number of decisions at the beginning of a game.
fn length(span: Span, seed: u64, name: &str) -> u32 {
    let mut rng = Rng::stream(seed, name, 0);
    if rng.unit() < span.share { 1 + rng.below(span.decisions) } else { 0 }
}

fn lanes(game: &dyn DynGame, settings: &Settings) -> Box<dyn DynVector> {
    game.vector(settings.clone(), Arc::default()).expect("lanes")
}

/// The outputs of lanes, in arrays that are first filled with garbage.
#[derive(Clone, PartialEq, Debug)]
struct Told {
    observation: Vec<f32>,
    last: Vec<f32>,
    mask: Vec<u8>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    player: Vec<i32>,
}

impl Told {
    fn new(lanes: usize, shape: Shape) -> Self {
        Self {
            observation: vec![f32::NAN; lanes * shape.tensor],
            last: vec![-1.0; lanes * shape.tensor],
            mask: vec![7; lanes * shape.actions],
            rewards: vec![f32::NAN; lanes * shape.seats],
            terminated: vec![true; lanes],
            player: vec![99; lanes],
        }
    }

    fn rows(&mut self) -> Rows<'_> {
        Rows {
            observation: Some(Cells::Floats(&mut self.observation)),
            final_observation: Some(Cells::Floats(&mut self.last)),
            action_mask: Some(&mut self.mask),
            rewards: Some(&mut self.rewards),
            terminated: Some(&mut self.terminated),
            current_player: Some(&mut self.player),
        }
    }
}

/// All outputs in `steps` steps of random actions, beginning with the reset.
fn told(vector: &mut dyn DynVector, steps: usize) -> Vec<Told> {
    let (lanes, shape) = (vector.settings().lanes, vector.shape());
    let mut first = Told::new(lanes, shape);
    vector.reset(Seeds::One(9), None, first.rows()).expect("a reset");
    let mut all = vec![first];
    let mut actions = vec![0; lanes];
    for _ in 0..steps {
        let mut next = Told::new(lanes, shape);
        vector.sample_actions(&mut actions).expect("actions");
        vector.step(&actions, next.rows()).expect("legal actions");
        all.push(next);
    }
    all
}

/// A lane played with single states.
struct Model {
    game: Arc<dyn DynGame>,
    settings: Settings,
    lane: usize,
    root: u64,
    episode: u64,
    seed: u64,
    state: Box<dyn DynState>,
    viewer: Seat,
    /// True if a step has reported the end of the game.
    reported: bool,
}

impl Model {
    fn new(game: &Arc<dyn DynGame>, settings: &Settings, lane: usize, root: u64) -> Self {
        let mut own = Self {
            game: game.clone(),
            settings: settings.clone(),
            lane,
            root,
            episode: 0,
            seed: root,
            state: game.new_state(Some(root)),
            viewer: Seat(0),
            reported: false,
        };
        own.deal(0);
        own
    }

    fn learner(&self) -> Option<Seat> {
        let seats = self.game.info().num_seats;
        Some(match self.settings.opponents.as_ref()?.learner {
            LearnerSeat::Fixed(seat) => seat,
            LearnerSeat::Rotate => Seat(((self.lane as u64 + self.episode) % seats as u64) as u8),
            LearnerSeat::Random => Seat(Rng::stream(self.seed, "learner", 0).below(seats as u32) as u8),
        })
    }

    fn deal(&mut self, episode: u64) {
        self.episode = episode;
        self.seed = if episode == 0 { self.root } else { Rng::stream(self.root, "episode", episode).bits() };
        self.state = self.game.new_state(Some(self.seed));
        self.reported = false;
        self.viewer = self.learner().unwrap_or(Seat(0));
        self.begin();
        self.opponents_play();
    }

    /// Plays the opening. A game that ends in it is dealt again.
    fn begin(&mut self) {
        let Some(Opening { agent, span }) = self.settings.opening.clone() else { return };
        let length = length(span, self.seed, "opening");
        for _ in 0..length {
            if !self.is_over() {
                self.play(&agent);
            }
        }
        if length > 0 && self.is_over() {
            self.state = self.game.new_state(Some(self.seed));
        }
    }

    fn play(&mut self, spec: &AgentSpec) {
        let salt = spec.seed().unwrap_or(0).rotate_left(32);
        let mut agent = self.game.agent(spec).expect("no network");
        agent.restart(Rng::stream(self.seed ^ salt, "opponent", self.state.events().len() as u64).bits());
        let action = agent.decide(&*self.state).expect("a decision").action;
        self.state.apply(action).expect("a legal action");
    }

    fn opponents_play(&mut self) {
        let Some(learner) = self.learner() else {
            self.viewer = self.state.turn().seat().unwrap_or(self.viewer);
            return;
        };
        let agents = self.settings.opponents.as_ref().expect("opponents").agents.clone();
        let seats = self.game.info().num_seats;
        while let Turn::Seat(seat) = self.state.turn() {
            if seat == learner {
                return;
            }
            // Clockwise from the learner.
            let place = (0..seats - 1).find(|&place| learner.after(place + 1, seats) == seat).expect("another seat");
            self.play(&agents[if agents.len() == 1 { 0 } else { place }]);
        }
    }

    fn is_over(&self) -> bool {
        self.state.turn() == Turn::Over
    }

    fn observation(&self) -> Vec<f32> {
        let information = self.settings.tensor == TensorKind::InformationState;
        let layout = if information {
            &self.game.facts().information_state_layout
        } else {
            &self.game.facts().observation_layout
        };
        let mut out = vec![0.0; encode::size(layout)];
        match self.settings.tensor {
            TensorKind::Observation => self.state.observation(self.viewer, &mut out),
            TensorKind::InformationState => self.state.information_state(self.viewer, &mut out),
        }
        out
    }

    /// The step's outputs: rewards, the end of the game, and the last observation.
    fn step(&mut self, action: i64) -> (Vec<f32>, bool, Option<Vec<f32>>) {
        let nothing = vec![0.0; self.game.info().num_seats];
        if self.is_over() && self.reported {
            if self.settings.autoreset == Autoreset::Disabled {
                return (nothing, true, None);
            }
            self.deal(self.episode + 1);
            return (nothing, false, None);
        }
        if !self.is_over() {
            self.state.apply(Action(action as u8)).expect("a legal action");
            self.opponents_play();
        }
        if !self.is_over() {
            return (nothing, false, None);
        }
        self.reported = true;
        let rewards = self.state.returns().iter().map(|&value| value as f32).collect();
        let last = self.observation();
        if self.settings.autoreset == Autoreset::SameStep {
            self.deal(self.episode + 1);
            return (rewards, true, Some(last));
        }
        (rewards, true, None)
    }

    fn barred_left(&self) -> u32 {
        if self.is_over() {
            return 0;
        }
        let decisions = self.state.events().iter().filter(|event| event.turn != Turn::Chance).count() as u32;
        let length = self.settings.barred.map_or(0, |Barred { span, .. }| length(span, self.seed, "barred"));
        length.saturating_sub(decisions)
    }

    fn mask(&self) -> Vec<u8> {
        let mut possible = self.state.possible();
        if let Some(Barred { action, .. }) = self.settings.barred
            && self.barred_left() > 0
            && possible != [action]
        {
            possible.retain(|&other| other != action);
        }
        let allowed = |id: usize| self.is_over() || possible.contains(&Action(id as u8));
        (0..self.game.info().num_actions).map(|id| u8::from(allowed(id))).collect()
    }

    fn player(&self) -> i32 {
        match self.state.turn().seat() {
            None if self.learner().is_none() => NOBODY,
            _ => self.viewer.0.into(),
        }
    }
}

const AUTORESETS: [Autoreset; 3] = [Autoreset::SameStep, Autoreset::NextStep, Autoreset::Disabled];

/// All autoresets with one and two threads. Two work only where an agent searches or lanes are many.
fn autoresets_and_threads() -> impl Iterator<Item = (Autoreset, usize)> {
    AUTORESETS.into_iter().flat_map(|autoreset| [1, 2].map(|threads| (autoreset, threads)))
}

/// Plays at random in lanes and in single states. Returns the number of games that ended, and the number of those
/// that ended before their first decision.
fn agree(text: &str, settings: &Settings, steps: usize) -> (usize, usize) {
    let game = game(text);
    let mut vector = lanes(&*game, settings);
    let (count, shape) = (settings.lanes, vector.shape());
    let mut row = Told::new(count, shape);
    vector.observe(row.rows()).expect("arrays");
    let mut models: Vec<Model> = (0..count)
        .map(|lane| Model::new(&game, settings, lane, Rng::stream(settings.seed, "lane", lane as u64).bits()))
        .collect();
    let (mut ended, mut at_once) = (0, 0);
    let mut actions = vec![0; count];
    for step in 0..=steps {
        for (lane, model) in models.iter().enumerate() {
            let told = || format!("{text}, lane {lane} after {step} steps");
            assert_eq!(row.observation[lane * shape.tensor..][..shape.tensor], model.observation(), "{}", told());
            assert_eq!(row.mask[lane * shape.actions..][..shape.actions], model.mask(), "{}", told());
            assert_eq!(row.player[lane], model.player(), "{}", told());
            let state = vector.state(lane).expect("a lane");
            assert!(state.same(&*model.state), "{}: {:?} {:?}", told(), state.events(), model.state.events());
            assert_eq!(state.dealing(), model.state.dealing());
        }
        assert_eq!(vector.seeds(), models.iter().map(|model| model.seed).collect::<Vec<_>>());
        assert_eq!(vector.barred_left(), models.iter().map(Model::barred_left).collect::<Vec<_>>());
        at_once += models.iter().filter(|model| model.is_over() && !model.reported).count();
        vector.sample_actions(&mut actions).expect("actions");
        row = Told::new(count, shape);
        vector.step(&actions, row.rows()).expect("legal actions");
        for (lane, model) in models.iter_mut().enumerate() {
            let (rewards, terminated, last) = model.step(actions[lane]);
            let told = || format!("{text}, lane {lane}, step {step}");
            assert_eq!(row.rewards[lane * shape.seats..][..shape.seats], rewards, "{}", told());
            assert_eq!(row.terminated[lane], terminated, "{}", told());
            let last = last.unwrap_or_else(|| vec![-1.0; shape.tensor]);
            assert_eq!(row.last[lane * shape.tensor..][..shape.tensor], last, "{}", told());
            ended += usize::from(terminated);
        }
    }
    (ended, at_once)
}

#[test]
fn lanes_are_single_states() {
    for text in GAMES {
        for autoreset in AUTORESETS {
            for tensor in [TensorKind::Observation, TensorKind::InformationState] {
                let wanted = 3 * game(text).info().max_decisions.min(120);
                let steps = if tensor == TensorKind::Observation { wanted } else { wanted / 4 };
                let (ended, _) = agree(text, &Settings { autoreset, tensor, ..settings(3) }, steps);
                assert!(ended >= 3 || tensor == TensorKind::InformationState, "{text}: {ended} games ended");
            }
        }
    }
}

#[test]
fn opponents_play_the_other_seats() {
    for (text, agents, learner) in [
        ("schwinget", &["random"][..], LearnerSeat::Fixed(Seat(1))),
        ("schwinget", &["random:seed=3"], LearnerSeat::Random),
        ("up_and_down:players=3", &["greedy", "random"], LearnerSeat::Rotate),
        ("schweins_galopp", &["random", "greedy", "random:seed=1"], LearnerSeat::Random),
        ("schwimmen", &["ismcts:iterations=20,seed=2", "greedy"], LearnerSeat::Rotate),
        ("schwinget", &["oracle:worlds=1,solver=rollouts,iterations=10"], LearnerSeat::Rotate),
    ] {
        for autoreset in AUTORESETS {
            let settings = Settings { autoreset, opponents: against(agents, learner), ..settings(4) };
            let (ended, _) = agree(text, &settings, 40);
            assert!(ended > 0, "{text}");
        }
    }
}

#[test]
fn an_agent_begins_some_of_the_games() {
    let network = Draft::new(&Schwinget::new(Default::default()).unwrap(), &[16], 1).saved();
    let network = format!("network:choose=sample,path={}", network.path());
    let cases = [
        ("schwinget", begun_by("rule:when=never", 1.0, 16), None),
        ("schwinget", begun_by(&network, 0.5, 9), against(&["greedy"], LearnerSeat::Rotate)),
        ("schwimmen", begun_by("random:seed=4", 0.3, 3), against(&["greedy", "random"], LearnerSeat::Random)),
        // Some of these games end in their opening.
        ("kuhn_poker", begun_by("random", 0.7, 5), None),
        ("schwimmen:players=5,max_turns=3", begun_by("random", 1.0, 3), against(&["random"], LearnerSeat::Random)),
    ];
    for (text, opening, opponents) in cases {
        for (autoreset, threads) in autoresets_and_threads() {
            let (opening, opponents) = (opening.clone(), opponents.clone());
            let (ended, _) = agree(text, &Settings { autoreset, threads, opening, opponents, ..settings(24) }, 40);
            assert!(ended > 0, "{text}");
        }
    }
}

#[test]
fn an_action_is_barred_in_some_of_the_games() {
    let cases = [
        ("schwinget", "attack", 0.5, 36, None, None),
        ("schwinget", "attack", 1.0, 9, begun_by("rule:when=never", 0.5, 4), against(&["greedy"], LearnerSeat::Rotate)),
        ("schwimmen", "push", 0.8, 12, None, against(&["random"], LearnerSeat::Random)),
        ("kuhn_poker", "bet", 0.7, 2, None, None),
        // The last card must be played.
        ("up_and_down:players=2", "D2", 1.0, 99, None, None),
    ];
    for (text, action, share, decisions, opening, opponents) in cases {
        let action = game(text).parse_action(action).expect("an action");
        let barred = Some(Barred { action, span: Span { share, decisions } });
        for (autoreset, threads) in autoresets_and_threads() {
            let (opening, opponents) = (opening.clone(), opponents.clone());
            let settings = Settings { autoreset, threads, barred, opening, opponents, ..settings(12) };
            let (ended, _) = agree(text, &settings, 70);
            assert!(ended > 0, "{text}");
        }
    }
}

/// The error names the actions that are left.
#[test]
fn barred_actions_are_refused() {
    let game = game("kuhn_poker");
    let action = game.parse_action("bet").expect("an action");
    let barred = Some(Barred { action, span: Span { share: 1.0, decisions: 1 } });
    let mut vector = lanes(&*game, &Settings { barred, ..settings(2) });
    let error = vector.step(&[0, action.0.into()], Rows::default()).expect_err("it is barred");
    let told =
        "environment 1: illegal action bet (1): it is barred at the beginning of this game; legal here: pass (0)";
    assert_eq!(error.to_string(), told);
    let error = vector.step(&[2, 0], Rows::default()).expect_err("there is no such action");
    assert!(error.to_string().ends_with("actions have the ids 0 to 1; legal here: pass (0)"), "{error}");
    vector.step(&[0, 0], Rows::default()).expect("legal actions");
    vector.step(&[0, action.0.into()], Rows::default()).expect("the beginning is over");
}

/// Networks queried for many lanes at once answer as if they were queried for one.
#[test]
fn networks_play_the_other_seats_and_openings() {
    let (two, three) = (Schwinget::new(Default::default()).unwrap(), Schwimmen::new(Default::default()).unwrap());
    let files = [Draft::new(&two, &[256, 40], 1).saved(), Draft::new(&three, &[64], 2).saved()];
    let [two, three] = files.each_ref().map(|file| format!("network:choose=sample,path={}", file.path()));
    let cases = [
        ("schwinget", &[&*two][..], LearnerSeat::Random),
        ("schwimmen", &[&*three], LearnerSeat::Rotate),
        ("schwimmen", &[&*three, "greedy"], LearnerSeat::Random),
    ];
    for (text, agents, learner) in cases {
        for (autoreset, threads) in autoresets_and_threads() {
            let (opponents, opening) = (against(agents, learner), begun_by(agents[0], 0.5, 6));
            let settings = Settings { autoreset, threads, opponents, opening, ..settings(50) };
            let (ended, _) = agree(text, &settings, 25);
            assert!(ended > 0, "{text}");
        }
    }
}

#[test]
fn games_that_end_before_the_first_decision_are_reported() {
    // The game is over after three turns, so some of five players have none.
    let opponents = against(&["random"], LearnerSeat::Random);
    for autoreset in AUTORESETS {
        let settings = Settings { autoreset, opponents: opponents.clone(), ..settings(60) };
        let (ended, at_once) = agree("schwimmen:players=5,max_turns=3", &settings, 30);
        assert!(ended > 60 && at_once > 0, "{at_once} of {ended} games ended before the learner's turn");
        assert!(at_once < ended);
    }
}

#[test]
fn outputs_do_not_depend_on_threads() {
    for (text, lanes_of, opponents) in [
        ("schwinget", 1000, None),
        ("schwimmen:players=5", 777, None),
        ("up_and_down", 600, against(&["random"], LearnerSeat::Rotate)),
        ("schwinget", 30, against(&["ismcts:iterations=30"], LearnerSeat::Random)),
    ] {
        let game = game(text);
        let of = |threads| {
            told(&mut *lanes(&*game, &Settings { threads, opponents: opponents.clone(), ..settings(lanes_of) }), 25)
        };
        let one = of(1);
        // NaN is not equal to itself, so this shows that everything was written.
        assert_eq!(one, one.clone(), "{text}");
        assert_eq!(one, of(3), "{text}");
        assert_eq!(one, of(0), "{text}");
    }
}

#[test]
fn bytes_are_the_floats() {
    for text in GAMES {
        let game = game(text);
        let (mut floats, mut bytes) = (lanes(&*game, &settings(5)), lanes(&*game, &settings(5)));
        let size = 5 * floats.shape().tensor;
        let (mut wide, mut narrow) = (vec![0.0; size], vec![9; size]);
        let mut actions = vec![0; 5];
        for _ in 0..30 {
            floats.sample_actions(&mut actions).expect("actions");
            let rows = Rows { observation: Some(Cells::Floats(&mut wide)), ..Rows::default() };
            floats.step(&actions, rows).expect("legal actions");
            let rows = Rows { observation: Some(Cells::Bytes(&mut narrow)), ..Rows::default() };
            bytes.step(&actions, rows).expect("legal actions");
            assert!(wide.iter().zip(&narrow).all(|(&wide, &narrow)| wide == f32::from(narrow)), "{text}");
        }
    }
    let mut vector = lanes(&*game("schwimmen"), &Settings { tensor: TensorKind::InformationState, ..settings(2) });
    let mut narrow = vec![0; 2 * vector.shape().tensor];
    let rows = Rows { observation: Some(Cells::Bytes(&mut narrow)), ..Rows::default() };
    assert_eq!(vector.observe(rows), Err(VectorError::Bytes));
}

#[test]
fn an_illegal_action_moves_no_lane() {
    let mut vector = lanes(&*game("schwinget"), &settings(4));
    let mut actions = vec![0; 4];
    vector.sample_actions(&mut actions).expect("actions");
    let before = vector.save();
    let mask = {
        let mut row = Told::new(4, vector.shape());
        vector.observe(row.rows()).expect("arrays");
        row.mask
    };
    let illegal = (0..29).find(|&id| mask[2 * 29 + id] == 0).expect("not everything is legal") as i64;
    for wrong in [illegal, 29, 255, 256, -1, i64::MIN] {
        let mut tried = actions.clone();
        tried[2] = wrong;
        let error = vector.step(&tried, Rows::default()).expect_err("an illegal action").to_string();
        assert!(error.starts_with("environment 2: illegal action "), "{error}");
        assert!(error.contains(&wrong.to_string()) && error.contains("; legal here: "), "{error}");
        assert_eq!(vector.save(), before);
    }
    assert_eq!(
        vector.step(&actions[1..], Rows::default()),
        Err(VectorError::Size { what: "actions", expected: 4, found: 3 })
    );
    vector.step(&actions, Rows::default()).expect("legal actions");
    assert_ne!(vector.save(), before);
}

#[test]
fn finished_lanes_take_any_action() {
    let mut vector = lanes(&*game("schwinget"), &Settings { autoreset: Autoreset::Disabled, ..settings(2) });
    let mut row = Told::new(2, vector.shape());
    let mut actions = vec![0; 2];
    while !row.terminated.iter().all(|&over| over) || row.player[0] == 99 {
        vector.sample_actions(&mut actions).expect("actions");
        vector.step(&actions, row.rows()).expect("legal actions");
    }
    let before = vector.save();
    vector.step(&[-7, 1000], row.rows()).expect("actions are ignored");
    assert_eq!(vector.save(), before.clone());
    assert_eq!((row.player, row.terminated), (vec![NOBODY; 2], vec![true; 2]));
    assert!(row.mask.iter().all(|&byte| byte == 1) && row.rewards.iter().all(|&value| value == 0.0));
}

#[test]
fn lanes_are_dealt_from_their_seeds() {
    let game = game("schwimmen");
    let mut vector = lanes(&*game, &settings(4));
    let first = vector.seeds();
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 4);
    assert_eq!(first[3], Rng::stream(5, "lane", 3).bits());
    vector.reset(Seeds::Each(&[1, 2, 3, 3]), None, Rows::default()).expect("a reset");
    assert_eq!(vector.seeds(), [1, 2, 3, 3]);
    assert!(vector.state(1).expect("a lane").same(&*game.new_state(Some(2))));
    vector.reset(Seeds::Next, Some(&[false, true, false, true]), Rows::default()).expect("a reset");
    let next = |root| Rng::stream(root, "episode", 1).bits();
    assert_eq!(vector.seeds(), [1, next(2), 3, next(3)]);
    vector.reset(Seeds::One(5), Some(&[false, false, false, true]), Rows::default()).expect("a reset");
    assert_eq!(vector.seeds(), [1, next(2), 3, first[3]]);
    vector.reset(Seeds::One(5), None, Rows::default()).expect("a reset");
    assert_eq!(vector.seeds(), first);
    let wrong = vector.reset(Seeds::Each(&[1]), None, Rows::default());
    assert_eq!(wrong, Err(VectorError::Size { what: "seeds", expected: 4, found: 1 }));
    let wrong = vector.reset(Seeds::Next, Some(&[true; 5]), Rows::default());
    assert_eq!(wrong, Err(VectorError::Size { what: "reset mask", expected: 4, found: 5 }));
    assert_eq!(vector.seeds(), first);
}

#[test]
fn sampled_actions_are_uniform() {
    // Lane after lane draws from one stream: 4000 draws in one position.
    let mut vector = lanes(&*game("schwinget"), &settings(4000));
    vector.reset(Seeds::Each(&[3; 4000]), None, Rows::default()).expect("a reset");
    let possible = vector.state(0).expect("a lane").possible();
    let (mut first, mut second) = (vec![0; 4000], vec![0; 4000]);
    vector.sample_actions(&mut first).expect("actions");
    vector.sample_actions(&mut second).expect("actions");
    assert_ne!(first, second);
    let mut rng = Rng::stream(5, "actions", 0);
    assert!(first.iter().all(|&action| action == i64::from(possible[rng.below(possible.len() as u32) as usize].0)));
    vector.reset(Seeds::Each(&[3; 4000]), None, Rows::default()).expect("a reset");
    vector.sample_actions(&mut second).expect("actions");
    assert_eq!(first, second);
}

#[test]
fn lanes_continue_from_checkpoints() {
    for (text, opponents, opening, barred) in [
        ("schwinget:bouts=2", None, None, None),
        ("schwinget", None, begun_by("rule:when=never", 0.5, 12), Some(("attack", 36))),
        ("schwimmen", against(&["greedy"], LearnerSeat::Rotate), begun_by("random", 1.0, 2), Some(("push", 9))),
        ("up_and_down", against(&["random"], LearnerSeat::Random), None, None),
    ] {
        let game = game(text);
        for autoreset in AUTORESETS {
            let (opening, opponents) = (opening.clone(), opponents.clone());
            let barred = barred.map(|(action, decisions)| Barred {
                action: game.parse_action(action).expect("an action"),
                span: Span { share: 0.7, decisions },
            });
            let settings = Settings { autoreset, opponents, opening, barred, ..settings(20) };
            let mut one = lanes(&*game, &settings);
            told(&mut *one, 30);
            let saved = one.save();
            let mut other = lanes(&*game, &Settings { seed: 77, threads: 2, ..settings.clone() });
            other.load(&saved).expect("a checkpoint");
            assert_eq!(other.save(), saved);
            assert_eq!((one.seeds(), 20), (other.seeds(), other.settings().lanes));
            let mut actions = vec![0; 20];
            for _ in 0..30 {
                let [mut left, mut right] = [&one, &other].map(|vector| Told::new(20, vector.shape()));
                one.sample_actions(&mut actions).expect("actions");
                one.step(&actions, left.rows()).expect("legal actions");
                other.sample_actions(&mut actions).expect("actions");
                other.step(&actions, right.rows()).expect("legal actions");
                assert_eq!(left, right);
            }
        }
    }
}

/// From there on, lanes go on as those of the new opponents do, in the middle of games, too.
#[test]
fn opponents_are_replaced() {
    let network = Draft::new(&Schwinget::new(Default::default()).unwrap(), &[16], 1).saved();
    let network = format!("network:choose=sample,path={}", network.path());
    let game = game("schwinget");
    for (before, after) in [("greedy", "random"), ("random", &*network), (&*network, "greedy:seed=3")] {
        for threads in [1, 2] {
            let of = |agent: &str| {
                let opponents = against(&[agent], LearnerSeat::Rotate);
                lanes(&*game, &Settings { threads, opponents, ..settings(600) })
            };
            let mut vector = of(before);
            told(&mut *vector, 4);
            let (seeds, begun) = (vector.seeds(), vector.save());
            vector.set_opponents(vec![after.parse().expect("an agent")]).expect("a new opponent");
            assert_eq!(vector.seeds(), seeds);
            let mut other = of(after);
            other.load(&vector.save()).expect("a checkpoint");
            let mut same = of(before);
            same.load(&begun).expect("a checkpoint");
            let play = |vector: &mut dyn DynVector| {
                let mut actions = vec![0; 600];
                vector.sample_actions(&mut actions).expect("actions");
                let mut told = Told::new(600, vector.shape());
                vector.step(&actions, told.rows()).expect("legal actions");
                told
            };
            let replaced = play(&mut *vector);
            assert_eq!(replaced, play(&mut *other), "{before} {after}");
            assert_ne!(replaced, play(&mut *same), "{before} {after}");
        }
    }
}

#[test]
fn bad_checkpoints_change_nothing() {
    let game_of = game("schwinget");
    let mut vector = lanes(&*game_of, &settings(3));
    told(&mut *vector, 12);
    let saved = vector.save();
    let refused = |vector: &mut dyn DynVector, bytes: &[u8]| {
        let error = vector.load(bytes).expect_err("no checkpoint");
        assert!(matches!(error, VectorError::Checkpoint(_)), "{error}");
        error.to_string()
    };
    for length in 0..saved.len() {
        refused(&mut *vector, &saved[..length]);
    }
    refused(&mut *vector, &[&saved[..], &[0]].concat());
    for place in 0..saved.len() {
        let mut wrong = saved.clone();
        wrong[place] ^= 1 << (place % 8);
        refused(&mut *vector, &wrong);
    }
    let mut wrong = saved.clone();
    let last = wrong.len() - 9;
    wrong[last] = 28;
    assert!(refused(&mut *vector, &wrong).contains("environment 2"));
    assert_eq!(vector.save(), saved);
    for other in [
        lanes(&*game("schwinget:bouts=2"), &settings(3)),
        lanes(&*game("schwimmen"), &settings(3)),
        lanes(&*game_of, &settings(4)),
        lanes(&*game_of, &Settings { opponents: against(&["greedy"], LearnerSeat::Rotate), ..settings(3) }),
        lanes(&*game_of, &Settings { opening: begun_by("greedy", 0.5, 1), ..settings(3) }),
        lanes(&*game_of, &Settings { barred: bar(0.5, 1), ..settings(3) }),
    ] {
        let mut other = other;
        refused(&mut *other, &saved);
    }
}

#[test]
fn an_interrupted_step_moves_no_lane() {
    let game = game("schwimmen");
    let opponents = against(&["ismcts:iterations=20"], LearnerSeat::Random);
    let settings = Settings { opponents, threads: 2, ..settings(8) };
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut vector = game.vector(settings.clone(), interrupt.clone()).expect("lanes");
    assert!(!vector.is_instant());
    let mut actions = vec![0; 8];
    vector.sample_actions(&mut actions).expect("actions");
    let before = vector.save();
    interrupt.store(true, Ordering::Relaxed);
    assert_eq!(vector.step(&actions, Rows::default()), Err(Halted::Interrupted.into()));
    assert_eq!(vector.reset(Seeds::Next, None, Rows::default()), Err(Halted::Interrupted.into()));
    assert_eq!(vector.save(), before);
    interrupt.store(false, Ordering::Relaxed);
    vector.step(&actions, Rows::default()).expect("legal actions");
    let mut other = lanes(&*game, &settings);
    other.load(&before).expect("a checkpoint");
    other.step(&actions, Rows::default()).expect("legal actions");
    assert_eq!(vector.save(), other.save());
}

#[test]
fn an_interrupt_leaves_no_lane_to_instant_opponents() {
    let schwinget = game("schwinget");
    let network = Draft::new(&Schwinget::new(Default::default()).expect("a game"), &[8], 1).saved();
    for opponent in ["greedy", "random", &format!("network:path={}", network.path())] {
        let settings = Settings { opponents: against(&[opponent], LearnerSeat::Random), ..settings(8) };
        let interrupt = Arc::new(AtomicBool::new(false));
        let mut vector = schwinget.vector(settings.clone(), interrupt.clone()).expect("lanes");
        assert!(vector.is_instant());
        let mut actions = vec![0; 8];
        vector.sample_actions(&mut actions).expect("actions");
        let before = vector.save();
        interrupt.store(true, Ordering::Relaxed);
        assert_eq!(vector.step(&actions, Rows::default()), Err(Halted::Interrupted.into()), "{opponent}");
        assert_eq!(vector.reset(Seeds::Next, None, Rows::default()), Err(Halted::Interrupted.into()), "{opponent}");
        assert_eq!(vector.save(), before, "{opponent}");
        interrupt.store(false, Ordering::Relaxed);
        vector.step(&actions, Rows::default()).expect("legal actions");
        let mut other = lanes(&*schwinget, &settings);
        other.load(&before).expect("a checkpoint");
        other.step(&actions, Rows::default()).expect("legal actions");
        assert_eq!(vector.save(), other.save(), "{opponent}");
    }
}

#[test]
fn invalid_settings_are_refused() {
    let game = game("up_and_down");
    let refused = |settings: Settings| match game.vector(settings, Arc::default()) {
        Ok(_) => panic!("lanes"),
        Err(error) => error,
    };
    assert_eq!(refused(settings(0)), VectorError::NoLanes);
    let two = against(&["random", "greedy"], LearnerSeat::Rotate);
    assert_eq!(refused(Settings { opponents: two, ..settings(1) }), VectorError::Opponents { expected: 3, found: 2 });
    let nowhere = against(&["random"], LearnerSeat::Fixed(Seat(4)));
    assert_eq!(refused(Settings { opponents: nowhere, ..settings(1) }), VectorError::Seat { seat: 4, seats: 4 });
    for share in [-0.1, 1.1, f64::NAN] {
        let error = refused(Settings { opening: begun_by("random", share, 1), ..settings(1) });
        assert!(matches!(error, VectorError::Share { name: "opening", .. }), "{error}");
        let error = refused(Settings { barred: bar(share, 1), ..settings(1) });
        assert!(matches!(error, VectorError::Share { name: "barred", .. }), "{error}");
    }
    let none = begun_by("random", 1.0, 0);
    assert_eq!(refused(Settings { opening: none, ..settings(1) }), VectorError::NoDecisions { name: "opening" });
    assert_eq!(refused(Settings { barred: bar(1.0, 0), ..settings(1) }), VectorError::NoDecisions { name: "barred" });
    let unknown = Some(Barred { action: Action(200), span: Span { share: 1.0, decisions: 1 } });
    let error = refused(Settings { barred: unknown, ..settings(1) });
    assert!(matches!(error, VectorError::Action { action: 200, .. }), "{error}");
    let unsuited = Settings { opening: begun_by("greedy", 1.0, 1), ..settings(1) };
    let error = self::game("dark_hex").vector(unsuited, Arc::default()).err();
    assert!(matches!(error, Some(VectorError::Unsuited(_))), "{error:?}");
    let agent = |text: &str| vec![text.parse::<AgentSpec>().expect("an agent")];
    let mut vector = lanes(&*game, &settings(2));
    assert_eq!(vector.set_opponents(agent("random")), Err(VectorError::NoOpponents));
    let rows = Rows { rewards: Some(&mut [0.0; 7]), ..Rows::default() };
    assert_eq!(vector.observe(rows), Err(VectorError::Size { what: "rewards", expected: 8, found: 7 }));
    assert_eq!(vector.state(2).err(), Some(VectorError::Lane { lane: 2, lanes: 2 }));
    let mut vector = lanes(&*game, &Settings { opponents: against(&["random"], LearnerSeat::Rotate), ..settings(2) });
    let two = [agent("random"), agent("random")].concat();
    assert_eq!(vector.set_opponents(two), Err(VectorError::Opponents { expected: 3, found: 2 }));
    let mut vector = lanes(
        &*self::game("dark_hex"),
        &Settings { opponents: against(&["random"], LearnerSeat::Rotate), ..settings(2) },
    );
    let error = vector.set_opponents(agent("greedy")).err();
    assert!(matches!(error, Some(VectorError::Unsuited(_))), "{error:?}");
}

#[test]
fn every_game_is_here() {
    let names: HashSet<&str> = GAMES.iter().map(|text| text.split(':').next().unwrap_or_default()).collect();
    assert_eq!(names, games::NAMES.iter().copied().collect());
    let specs: Vec<AgentSpec> = ["random", "greedy"].iter().map(|text| text.parse().expect("an agent")).collect();
    assert!(specs[0].is_random() && !specs[1].is_random());
}
