//! All histories of a Python game, listed without keeping what was asked on the way.

use rustc_hash::FxHashMap;
use stier_core::listed::{Listed, ListedNode, ListedSet, Unlisted};
use stier_core::{Action, ActionSet as _, Seat, Turn};

use super::position::Path;
use super::source::Source;
use super::thread::with_python;

/// Histories between two questions to the caller.
const HISTORIES_PER_POLL: usize = 1 << 10;

impl Source {
    /// Lists all histories of a game whose information states are texts: one after another, in the order of their first
    /// events, so that few Python objects exist at a time.
    pub(super) fn list_histories(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Result<Listed, Unlisted> {
        with_python(|py| {
            let mut listed = Listed { nodes: vec![ListedNode::End { returns: 0 }], ..Listed::default() };
            let mut sets: Vec<FxHashMap<String, u32>> = vec![FxHashMap::default(); self.info.num_seats];
            let mut open = vec![(self.root_node().object.bind(py).clone(), 0_usize, Path::new())];
            let mut done = 0_usize;
            while let Some((object, place, path)) = open.pop() {
                done += 1;
                if listed.nodes.len() > most {
                    return Err(Unlisted::TooMany);
                }
                if done.is_multiple_of(HISTORIES_PER_POLL) {
                    // The thread that called the engine answers Ctrl-C meanwhile.
                    py.detach(|| ());
                    if !goes_on(listed.nodes.len()) {
                        return Err(Unlisted::Stopped);
                    }
                }
                let first = listed.nodes.len() as u32;
                let (turn, (legal, chance, returns)) = self.answers(&object, &path);
                let mut events: Vec<Action> = Vec::new();
                listed.nodes[place] = match turn {
                    Turn::Over => {
                        listed.returns.push(returns);
                        ListedNode::End { returns: listed.returns.len() as u32 - 1 }
                    }
                    Turn::Chance => {
                        events.extend(chance.iter().map(|outcome| outcome.action));
                        listed.chances.push(chance);
                        ListedNode::Chance { first, chance: listed.chances.len() as u32 - 1 }
                    }
                    Turn::Seat(seat) => {
                        events.extend(legal.iter());
                        let told = self.ask(py, "information_state", (&object, seat.0), &path, |_| true);
                        let set = self.set_of(&mut listed.sets, &mut sets[seat.index()], told, (seat, &events), &path);
                        ListedNode::Decision { first, set }
                    }
                };
                for event in events {
                    open.push((self.applied(&object, event, &path), listed.nodes.len(), path.with(event, turn)));
                    listed.nodes.push(ListedNode::End { returns: 0 });
                }
            }
            Ok(listed)
        })
    }

    /// The place of the information set with this text.
    fn set_of(
        &self,
        all: &mut Vec<ListedSet>,
        known: &mut FxHashMap<String, u32>,
        told: String,
        (seat, actions): (Seat, &[Action]),
        path: &Path,
    ) -> u32 {
        let set = *known.entry(told).or_insert_with(|| {
            all.push(ListedSet { seat, actions: actions.to_vec() });
            all.len() as u32 - 1
        });
        if all[set as usize].actions != actions {
            self.contradiction(&format!("player {seat} knows the same as elsewhere and has other legal actions"), path);
        }
        set
    }
}
