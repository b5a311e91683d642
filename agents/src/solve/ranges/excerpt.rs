//! A part of a game as public states: from one of them on, and as far as a depth.

use std::any::Any;

use rustc_hash::FxHashMap;
use stier_core::public::{Gain, Opening, PublicDetail, PublicForm, PublicScene, PublicState, Score};
use stier_core::{Action, Seat};

/// The route to a public state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Route {
    /// The number of the opening.
    pub opening: usize,
    /// The public events since then.
    pub events: Vec<Action>,
}

/// The public states that follow a root, without those behind the last choice that counts. These choices are leaves.
pub(super) struct Excerpt {
    whole: Box<dyn PublicForm>,
    root: Option<Route>,
    depth: u32,
    /// The public states of the whole, each with the number of choices that may follow.
    all: Vec<(PublicState, u32)>,
    numbers: FxHashMap<(PublicState, u32), PublicState>,
}

impl Excerpt {
    /// Without a root from all openings on, without a depth to the ends.
    pub(super) fn new(whole: Box<dyn PublicForm>, root: Option<Route>, depth: Option<u32>) -> Self {
        Self { whole, root, depth: depth.unwrap_or(u32::MAX), all: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, public: PublicState, depth: u32) -> PublicState {
        *self.numbers.entry((public, depth)).or_insert_with(|| {
            self.all.push((public, depth));
            self.all.len() as PublicState - 1
        })
    }

    /// The public state at the end of a route.
    fn follow(&mut self, route: &Route) -> Opening {
        let mut opening = self.whole.openings()[route.opening];
        for event in &route.events {
            let scene = self.whole.scene(opening.public);
            let branch = scene.branches().iter().find(|branch| branch.event == *event).expect("the route goes on");
            let (score, weight) = (self.whole.gain(opening.score, branch.gain), opening.weight * branch.weight);
            opening = Opening { public: branch.public, score, weight, ..opening };
        }
        opening
    }

    fn whole(&self, public: PublicState) -> PublicState {
        self.all[public as usize].0
    }
}

impl PublicForm for Excerpt {
    fn openings(&mut self) -> Vec<Opening> {
        let openings = match self.root.clone() {
            Some(root) => vec![self.follow(&root)],
            None => self.whole.openings(),
        };
        let depth = self.depth;
        let own = |opening: Opening| Opening { public: self.number(opening.public, depth), ..opening };
        openings.into_iter().map(own).collect()
    }

    fn scene(&mut self, public: PublicState) -> PublicScene {
        let (public, mut depth) = self.all[public as usize];
        let mut scene = self.whole.scene(public);
        if let PublicScene::Choice(choice) = &mut scene {
            if self.depth < u32::MAX && choice.widths.iter().any(|&width| width > 1) {
                let Some(left) = depth.checked_sub(1) else {
                    return PublicScene::Leaf { turn: choice.turn, hands: choice.hands };
                };
                depth = left;
            }
            choice.branches.iter_mut().for_each(|branch| branch.public = self.number(branch.public, depth));
        }
        scene
    }

    fn first_alike(&mut self, public: PublicState) -> PublicState {
        let (public, depth) = self.all[public as usize];
        let first = self.whole.first_alike(public);
        self.number(first, depth)
    }

    fn gain(&self, score: Score, gain: Gain) -> Score {
        self.whole.gain(score, gain)
    }

    fn returns(&self, score: Score) -> [f64; 2] {
        self.whole.returns(score)
    }

    fn weight(&self, score: Score) -> f64 {
        self.whole.weight(score)
    }

    fn hand(&self, public: PublicState, seat: Seat, key: u64) -> Option<usize> {
        self.whole.hand(self.whole(public), seat, key)
    }

    fn keeps_name(&self, action: Action) -> bool {
        self.whole.keeps_name(action)
    }

    fn detail(&self, public: PublicState) -> PublicDetail {
        self.whole.detail(self.whole(public))
    }

    fn each_pair(&self, public: PublicState, visit: &mut dyn FnMut([usize; 2], f64)) {
        self.whole.each_pair(self.whole(public), visit);
    }

    fn is_folded(&self) -> bool {
        self.whole.is_folded()
    }

    fn fresh(&self) -> Box<dyn PublicForm> {
        let depth = (self.depth < u32::MAX).then_some(self.depth);
        Box::new(Self::new(self.whole.fresh(), self.root.clone(), depth))
    }

    fn key(&self, public: PublicState, seat: Seat, hand: usize) -> u64 {
        self.whole.key(self.whole(public), seat, hand)
    }

    fn as_any(&self) -> &dyn Any {
        self.whole.as_any()
    }
}
