//! Max^n for any number of players.

use stier_core::{ActionSet as _, BySeat, Hints, Seat};

use super::Descent;
use super::transposition::CERTAIN;
use crate::search::future::Future;

impl<G: Hints> Descent<'_, G> {
    /// The values for all seats, with two flags. The first is true if they are those of best play. The second is
    /// false if the search was cut off because the previous chooser, who already has a better alternative, does not
    /// gain from this position.
    pub(super) fn max_n(
        &mut self,
        mut state: G::State,
        mut future: Future,
        depth: u32,
        above: Option<(Seat, f32)>,
    ) -> Option<(BySeat<f32>, bool, bool)> {
        let (seat, legal) = match self.advance(&mut state, &mut future) {
            Ok(values) => return Some((values, true, true)),
            Err(decision) => decision,
        };
        if depth == 0 {
            return Some((self.game.evaluate(&state), false, true));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        if let Some(entry) = self.tables.values.get(key)
            && entry.depth >= depth
        {
            return Some((entry.result.clone(), entry.depth == CERTAIN, true));
        }
        // Once the mover has this much, players above avoid this position, or there is nothing better to find.
        let others = (self.game.num_seats() - 2) as f32 * self.range.0;
        let enough = match (self.sum, above) {
            (Some(sum), Some((above, has))) if above != seat => self.range.1.min(sum - others - has),
            _ => self.range.1,
        };
        let mut best: Option<BySeat<f32>> = None;
        let (mut certain, mut whole) = (true, true);
        for action in legal.iter() {
            let (next, coming) = self.after(&state, &future, action);
            let has = best.as_ref().map(|best| (seat, best[seat]));
            let (values, sure, all) = self.max_n(next, coming, depth - 1, has)?;
            certain &= sure;
            if all && has.is_none_or(|(_, has)| values[seat] > has) {
                let reached = values[seat];
                best = Some(values);
                if reached >= enough {
                    whole = reached >= self.range.1;
                    break;
                }
            }
        }
        let values = best.expect("at least one action");
        if whole {
            self.tables.values.put(key, if certain { CERTAIN } else { depth }, values.clone());
        }
        Some((values, certain, whole))
    }
}
