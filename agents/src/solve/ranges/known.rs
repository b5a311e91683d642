//! The form of a game, with the public states that were asked for last.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use stier_core::public::{Opening, PublicDetail, PublicForm, PublicScene, PublicState};

/// The form of a game, with the public states that were asked for last.
pub(super) struct Known {
    pub(super) form: Box<dyn PublicForm>,
    pub(super) openings: Vec<Opening>,
    states: FxHashMap<PublicState, Seen>,
    /// The moves of hands in these public states.
    moves: usize,
}

struct Seen {
    scene: Arc<PublicScene>,
    detail: Option<Arc<PublicDetail>>,
}

/// The most moves of hands in public states that are remembered: about 40 MB.
const MAX_MOVES: usize = 1 << 22;
/// The moves that take as much memory as everything else about a public state.
const OVERHEAD: usize = 32;

impl Known {
    pub(super) fn new(mut form: Box<dyn PublicForm>) -> Self {
        Self { openings: form.openings(), form, states: FxHashMap::default(), moves: 0 }
    }

    fn seen(&mut self, public: PublicState) -> &mut Seen {
        if !self.states.contains_key(&public) {
            if self.moves > MAX_MOVES {
                self.states.clear();
                self.moves = 0;
            }
            let scene = Arc::new(self.form.scene(public));
            self.moves += scene.branches().iter().map(|branch| branch.moves.len()).sum::<usize>() + OVERHEAD;
            self.states.insert(public, Seen { scene, detail: None });
        }
        self.states.get_mut(&public).expect("it is known")
    }

    pub(super) fn scene(&mut self, public: PublicState) -> Arc<PublicScene> {
        self.seen(public).scene.clone()
    }

    pub(super) fn detail(&mut self, public: PublicState) -> Arc<PublicDetail> {
        self.seen(public);
        let (form, seen) = (&self.form, self.states.get_mut(&public).expect("it is known"));
        seen.detail.get_or_insert_with(|| Arc::new(form.detail(public))).clone()
    }
}
