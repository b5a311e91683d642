//! Ranges: the hands that the players may hold by all that everybody knows.
//!
//! A player's number for a hand is the sum, over all orders in which its cards can have come, of the probabilities of its
//! own actions. It does not depend on the other player's hand. The probability of a pair of hands that share no card is in
//! proportion to the product of their numbers.

use rustc_hash::FxHashMap;
use stier_core::endings::{Endings, PublicAction, PublicPlay};
use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Game, bits};

use crate::agent::threads::Halted;

/// The hands of a player, ascending, with their numbers. Those that the rules exclude are left out.
pub(crate) type Range = Vec<(u64, f64)>;

/// Appends the probabilities of the legal actions of the seat to act in each of these states. May be stopped.
pub(crate) type Policies<'a, G> = &'a mut dyn FnMut(&[<G as Game>::State], &mut Vec<f64>) -> Result<(), Halted>;

/// A game, and its endings.
pub(crate) type WithEndings<'a, G> = (&'a G, &'a dyn Endings<G>);

/// The ranges of both seats at the beginning of an ending, if they follow a policy that depends on what they see now.
pub(crate) fn ranges<G: Game>(
    game: WithEndings<'_, G>,
    play: &PublicPlay<G::State>,
    policies: Policies<'_, G>,
) -> Result<[Range; 2], Halted> {
    let dealt = |cards| bits::subsets_wide(cards, play.hand_size).map(|hand| (hand, 1.0)).list();
    let mut ranges = play.cards.map(dealt);
    for (number, action) in play.actions.iter().enumerate() {
        let range: &mut Range = &mut ranges[action.seat.index()];
        let (needed, lacking) = future(&play.actions[number..]);
        let is_possible = |hand: u64| needed.iter().all(|&(cards, draws)| (cards & !hand).count_ones() <= draws);
        range.retain(|&(hand, _)| hand & lacking == 0 && is_possible(hand));
        act(game, range, action, policies)?;
        if action.drawn > 0 {
            draw(range, action.drawn);
        }
        // The scale does not count.
        let most = range.iter().fold(0.0, |most, &(_, number)| f64::max(most, number));
        range.iter_mut().for_each(|(_, number)| *number /= if most > 0.0 { most } else { 1.0 });
    }
    Ok(ranges)
}

/// The cards that the player to act plays from now on, up to each draw, with the number of draws until then: it draws those
/// that it does not hold. And the cards that it cannot hold now: those that it lacks later, but does not play before.
fn future<S>(actions: &[PublicAction<S>]) -> (Vec<(u64, u32)>, u64) {
    let (mut cards, mut draws, mut all, mut lacking) = (0, 0, Vec::new(), 0);
    for action in actions.iter().filter(|action| action.seat == actions[0].seat) {
        lacking |= action.lacking & !cards;
        cards |= action.played;
        if action.drawn > 0 {
            all.push((cards, draws));
            draws += 1;
        }
    }
    all.push((cards, draws));
    (all, lacking)
}

/// The probability of the action, and the cards that it takes.
fn act<G: Game>(
    (game, endings): WithEndings<'_, G>,
    range: &mut Range,
    &PublicAction { seat, state, action, played, .. }: &PublicAction<G::State>,
    policies: Policies<'_, G>,
) -> Result<(), Halted> {
    let (mut open, mut shares) = (Vec::new(), Vec::new());
    range.retain(|&(hand, _)| {
        let with_hand = endings.with_hand(&state, seat, hand);
        let legal = game.legal(&with_hand);
        let is_legal = hand & played == played && legal.contains(action);
        open.extend((is_legal && legal.len() > 1).then_some(with_hand));
        is_legal
    });
    policies(&open, &mut shares)?;
    let mut shares = &shares[..];
    for (hand, number) in range {
        let legal = game.legal(&endings.with_hand(&state, seat, *hand));
        if legal.len() > 1 {
            let own = shares.split_off(..legal.len()).expect("a number for each action");
            *number *= own[rank(legal.iter(), action)];
        }
        *hand &= !played;
    }
    Ok(())
}

/// The place of an action among the legal ones.
fn rank(mut legal: impl Iterator<Item = Action>, action: Action) -> usize {
    legal.position(|other| other == action).expect("the action is legal")
}

/// One of these cards joins each hand that does not have it.
fn draw(range: &mut Range, cards: u64) {
    let mut next: FxHashMap<u64, f64> = FxHashMap::default();
    for &(hand, number) in &*range {
        let mut left = cards & !hand;
        while left != 0 {
            *next.entry(hand | left & left.wrapping_neg()).or_default() += number;
            left &= left - 1;
        }
    }
    *range = next.into_iter().list();
    range.sort_unstable_by_key(|&(hand, _)| hand);
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use stier_core::games::schwinget::Schwinget;
    use stier_core::{Action, ActionSet as _, FromRules as _, Game as _, History, Rng, Seat, Turn};

    use super::ranges;
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
            let found = ranges((&game, endings), &play, &mut |states, shares| {
                states.chunks(256).for_each(|states| network.policies(&game, &Query::all(&game, states), shares));
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
