//! Small games with known answers, made of nothing but the public traits, and what tests ask the literature's games.

pub(crate) mod bandit;
pub(crate) mod claims;
pub(crate) mod guess;
pub(crate) mod matrix;
pub(crate) mod nim;

use std::sync::LazyLock;

use stier_core::games::kuhn_poker::{BET, KuhnPoker, PASS};
use stier_core::games::leduc_poker::LeducPoker;
use stier_core::{Action, Game, Log, Options as _};

/// A game with these rules.
pub(crate) fn game<G: Game>(rules: &str) -> G {
    G::new(G::Rules::from_text(rules).expect("rules")).expect("a game")
}

/// Kuhn poker for two.
pub(crate) static KUHN: LazyLock<KuhnPoker> = LazyLock::new(|| game(""));
/// Kuhn poker for three.
pub(crate) static KUHN_THREE: LazyLock<KuhnPoker> = LazyLock::new(|| game("players=3"));
/// Leduc poker.
pub(crate) static LEDUC: LazyLock<LeducPoker> = LazyLock::new(|| game(""));

/// The own card in Kuhn poker for two, the jack being 0, and what both have done.
pub(crate) fn in_kuhn(view: &Log) -> (u8, Vec<Action>) {
    let (cards, actions) = view.now().values[2..].split_at(3);
    let card = cards.iter().position(|&value| value == 1).expect("after the deal");
    let action =
        |row: &[u8]| [PASS, BET].into_iter().zip(row).find_map(|(action, &value)| (value == 1).then_some(action));
    (card as u8, actions.chunks(2).filter_map(action).collect())
}
