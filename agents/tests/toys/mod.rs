//! Small games with known answers, made of nothing but the public traits, and what tests ask the literature's games.

pub(crate) mod bandit;
pub(crate) mod claims;
#[allow(dead_code, unreachable_pub, reason = "it is an example as well")]
#[path = "../../../core/examples/write_a_game.rs"]
pub(crate) mod guess;
pub(crate) mod matrix;
pub(crate) mod nim;

use std::sync::LazyLock;

use stier_core::games::kuhn_poker::{BET, KuhnPoker, PASS};
use stier_core::games::leduc_poker::LeducPoker;
use stier_core::plain::PlainGame;
use stier_core::{Action, FromRules, Log, Notation, Plain};

/// Names the actions and outcomes of toys by their numbers.
macro_rules! numbered {
    ($($toy:ty),+) => {
        $(impl Notation for $toy {
            fn action_name(&self, action: Action) -> String {
                action.0.to_string()
            }

            fn outcome_name(&self, outcome: Action) -> String {
                outcome.0.to_string()
            }
        })+
    };
}
numbered!(bandit::Bandit, claims::Claims, matrix::Matrix, nim::Nim);

/// A plain game with these rules, with the type of all plain games: agents are compiled for them once.
pub(crate) fn plain<G: FromRules + PlainGame>(rules: &str) -> Plain {
    Plain::new(game::<G>(rules))
}

/// A game with these rules.
pub(crate) fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

/// Kuhn poker for two.
pub(crate) static KUHN: LazyLock<Plain> = LazyLock::new(|| plain::<KuhnPoker>(""));
/// Kuhn poker for three.
pub(crate) static KUHN_THREE: LazyLock<Plain> = LazyLock::new(|| plain::<KuhnPoker>("players=3"));
/// Leduc poker.
pub(crate) static LEDUC: LazyLock<Plain> = LazyLock::new(|| plain::<LeducPoker>(""));
/// The bandit.
pub(crate) static BANDIT: LazyLock<Plain> = LazyLock::new(|| plain::<bandit::Bandit>(""));

/// The own card in Kuhn poker for two, the jack being 0, and what both have done.
pub(crate) fn in_kuhn(view: &Log) -> (u8, Vec<Action>) {
    let (cards, actions) = view.now().values[2..].split_at(3);
    let card = cards.iter().position(|&value| value == 1).expect("after the deal");
    let action =
        |row: &[u8]| [PASS, BET].into_iter().zip(row).find_map(|(action, &value)| (value == 1).then_some(action));
    (card as u8, actions.chunks(2).filter_map(action).collect())
}
