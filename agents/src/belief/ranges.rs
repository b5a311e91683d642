//! Ranges: the hands that the players may hold by all that everybody knows.
//!
//! A player's number for a hand is the sum, over all orders in which its cards can have come, of the probabilities of its
//! own actions. It does not depend on the other player's hand. The probability of a pair of hands that share no card is in
//! proportion to the product of their numbers.

use rustc_hash::{FxBuildHasher, FxHashMap};
use stier_core::endings::{Hands, PublicAction, PublicPlay};
use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Game, bits};

use crate::agent::threads::Halted;

/// The hands of a player with their numbers. Those that the rules exclude are left out.
pub(crate) type Range = Vec<(u64, f64)>;

/// Appends the probability of an action in each of these states, in which the seat to act has several. May be stopped.
pub(crate) type Shares<'a, G> = &'a mut dyn FnMut(&[<G as Game>::State], Action, &mut Vec<f64>) -> Result<(), Halted>;

/// A game, and its hands.
pub(crate) type WithHands<'a, G> = (&'a G, &'a dyn Hands<G>);

/// The ranges of both seats at the beginning of an ending, if they follow a policy that depends on what they see now. Their
/// largest numbers are 1.
pub(crate) fn ranges<G: Game>(
    game: WithHands<'_, G>,
    play: &PublicPlay<G::State>,
    shares: Shares<'_, G>,
) -> Result<[Range; 2], Halted> {
    let mut ranges = play.cards.map(|cards| dealt(cards, play.hand_size));
    for (number, action) in play.actions.iter().enumerate() {
        let range = &mut ranges[action.seat.index()];
        restrict(range, &play.actions[number..]);
        act(game, range, action, shares)?;
        draw(range, action.drawn);
    }
    for range in &mut ranges {
        range.sort_unstable_by_key(|&(hand, _)| hand);
        let most = range.iter().fold(0.0, |most, &(_, number)| f64::max(most, number));
        range.iter_mut().for_each(|(_, number)| *number /= if most > 0.0 { most } else { 1.0 });
    }
    Ok(ranges)
}

/// The hands that may be dealt from these cards.
pub(super) fn dealt(cards: u64, hand_size: u32) -> Range {
    bits::subsets_wide(cards, hand_size).map(|hand| (hand, 1.0)).list()
}

/// Leaves out the hands after which these actions cannot follow, the first of which is one of the player.
pub(super) fn restrict<S>(range: &mut Range, actions: &[PublicAction<S>]) {
    // The cards that the player plays from now on, up to each draw, with the number of draws until then: it draws those that
    // it does not hold. And the cards that it cannot hold now: those that it lacks later, but does not play before.
    let (mut cards, mut draws, mut needed, mut lacking) = (0, 0, Vec::new(), 0);
    for action in actions.iter().filter(|action| action.seat == actions[0].seat) {
        lacking |= action.lacking & !cards;
        cards |= action.played;
        if action.drawn > 0 {
            needed.push((cards, draws));
            draws += 1;
        }
    }
    needed.push((cards, draws));
    let is_possible = |hand: u64| needed.iter().all(|&(cards, draws)| (cards & !hand).count_ones() <= draws);
    range.retain(|&(hand, _)| hand & lacking == 0 && is_possible(hand));
}

/// The probability of the action, and the cards that it takes.
pub(super) fn act<G: Game>(
    (game, hands): WithHands<'_, G>,
    range: &mut Range,
    &PublicAction { seat, state, action, played, .. }: &PublicAction<G::State>,
    shares: Shares<'_, G>,
) -> Result<(), Halted> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    range.retain(|&(hand, _)| {
        let with_hand = hands.with_hand(&state, seat, hand);
        let legal = game.legal(&with_hand);
        let is_legal = hand & played == played && legal.contains(action);
        open.extend((is_legal && legal.len() > 1).then_some(with_hand));
        is_legal
    });
    shares(&open, action, &mut found)?;
    let mut found = found.into_iter();
    for (hand, number) in range {
        if game.legal(&hands.with_hand(&state, seat, *hand)).len() > 1 {
            *number *= found.next().expect("a number for each state");
        }
        *hand &= !played;
    }
    Ok(())
}

/// One of these cards, if there are any, joins each hand that does not have it. Hands that become equal are one, in the order
/// in which they are met, so that the sums do not depend on hands that drop out.
pub(super) fn draw(range: &mut Range, cards: u64) {
    if cards == 0 {
        return;
    }
    // Each hand that follows comes from several.
    let mut places = FxHashMap::with_capacity_and_hasher(2 * range.len(), FxBuildHasher);
    let mut next = Range::with_capacity(2 * range.len());
    for &(hand, number) in &*range {
        let mut left = cards & !hand;
        while left != 0 {
            let after = hand | left & left.wrapping_neg();
            let place = *places.entry(after).or_insert(next.len());
            match next.get_mut(place) {
                Some((_, sum)) => *sum += number,
                None => next.push((after, number)),
            }
            left &= left - 1;
        }
    }
    *range = next;
}

/// By state: the probability of an action, given those of all legal ones.
pub(crate) fn shares_of<G: Game>(game: &G, states: &[G::State], action: Action, mut rows: &[f64]) -> Vec<f64> {
    let share = |state| {
        let legal = game.legal(state);
        let row = rows.split_off(..legal.len()).expect("a number for each action");
        row[legal.iter().position(|other| other == action).expect("the action is legal")]
    };
    states.iter().map(share).list()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use stier_core::games::schwinget::Schwinget;
    use stier_core::{Action, ActionSet as _, FromRules as _, Game as _, History, Rng, Seat, Turn};

    use super::{ranges, shares_of};
    use crate::agent::Query;
    use crate::agent::stop::Stop;
    use crate::belief::policy_model::Model;
    use crate::belief::{BeliefSettings, Beliefs, Kept};
    use crate::network::agent::{NetworkAgent, NetworkChoice, NetworkOptions};
    use crate::network::option::{Guide, NetworkFile};

    /// In the full game, with and without an attack: the range of the other player, without the hands that share a card with
    /// one's own, is the exact belief.
    #[test]
    fn they_are_exact_beliefs_if_one_s_own_hand_is_known() {
        const ATTACK: Action = Action(26);
        let game = Schwinget::from_text("").expect("rules");
        let endings = game.endings().expect("it has endings");
        let path = NetworkFile::own(&game).expect("the game has one");
        let guide = Guide { network: path.clone(), ..Guide::default() };
        let options = NetworkOptions { path, choose: NetworkChoice::Sample, ..NetworkOptions::default() };
        let mut network = NetworkAgent::new(options, 0);
        let (beliefs, model) = (Beliefs::Exact, Model::Network);
        let other = BeliefSettings::default();
        let settings = BeliefSettings { beliefs, model, model_epsilon: 0.0, model_temperature: 1.0, guide, ..other };
        let flag = AtomicBool::new(false);
        for number in 0..6 {
            let mut rng = Rng::stream(number, "ranges", 0);
            let mut history = History::dealt(&game, &mut rng);
            let (seat, play) = loop {
                let Turn::Seat(seat) = game.turn(history.state()) else { unreachable!("the bout goes on") };
                if let Some(play) = endings.public_play(&game.view(&history, seat), [3, 2]) {
                    break (seat, play);
                }
                let legal = game.legal(history.state());
                let cards = legal.without(stier_core::Actions64::default().with(ATTACK));
                let attacks = number % 2 == 1 && legal.contains(ATTACK);
                history.push(&game, if attacks { ATTACK } else { cards.pick(&mut rng) });
                history.settle(&game, &mut rng);
            };
            let found = ranges((&game, endings), &play, &mut |states, action, shares| {
                let mut rows = Vec::new();
                states.chunks(256).for_each(|states| network.policies(&game, &Query::all(&game, states), &mut rows));
                shares.extend(shares_of(&game, states, action, &rows));
                Ok(())
            })
            .expect("nobody stops it");
            let view = game.view(&history, seat);
            let (stop, rng) = (Stop::new(Instant::now(), 0, &flag), &mut Rng::stream(1, "unused", 0));
            let worlds = settings.worlds(None, Kept::States, &game, &view, &stop, rng);
            let other = Seat(1 - seat.0);
            let mut expected: HashMap<u64, f64> = worlds
                .belief()
                .expect("both acted")
                .worlds()
                .map(|(state, share)| (game.sight(state, other), share))
                .collect();
            assert!(expected.len() > 15, "{}", expected.len());
            let fitting = found[other.index()].iter().filter(|(hand, _)| hand & endings.held(&view) == 0);
            let total: f64 = fitting.clone().map(|(_, number)| number).sum();
            for &(hand, number) in fitting {
                let sight = game.sight(&endings.with_hand(&play.root, other, hand), other);
                let share = expected.remove(&sight).unwrap_or(0.0);
                assert!((number / total - share).abs() < 1e-6, "{number} of {total}, {share}");
            }
            assert!(expected.is_empty(), "{number}: {expected:?}");
        }
    }
}
