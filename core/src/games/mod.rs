//! All games. Each is one file or folder here and one name in the lists below.
//!
//! Searches and solvers are compiled once for all plain games, which need no speed, and once for each fast game. Only the
//! crates that do so, in `agents/games/`, also name the fast games.

pub mod dark_hex;
pub mod goofspiel;
pub mod kuhn_poker;
pub mod leduc_poker;
pub mod liars_dice;
pub mod schweins_galopp;
pub mod schwimmen;
pub mod schwinget;
pub mod up_and_down;

use crate::error::RulesError;
use crate::game::FromRules;
use crate::plain::Plain;

/// Generates, from the lists of games, their names and the macros that turn a name into a type.
macro_rules! games {
    (plain: $($plain_module:ident :: $plain:ident),+; fast: $($fast_module:ident :: $fast:ident),+ $(;)?) => {
        games!(@emit ($) [$($plain_module $plain),+] [$($fast_module $fast),+] [$($plain_module $plain,)+ $($fast_module $fast),+]);
    };
    (
        @emit ($d:tt) [$($plain_module:ident $plain:ident),+] [$($fast_module:ident $fast:ident),+]
        [$($module:ident $game:ident),+]
    ) => {
        /// The names of all games: the plain ones, then the fast ones.
        pub const NAMES: &[&str] = &[$(<$module::$game as FromRules>::NAME),+];

        /// The names of the fast games.
        pub const FAST: &[&str] = &[$(<$fast_module::$fast as FromRules>::NAME),+];

        /// The plain game of that name with rules given as text; `None` if there is no plain game of that name.
        pub fn plain(name: &str, rules: &str) -> Option<Result<Plain, RulesError>> {
            match name {
                $(name if name == <$plain_module::$plain as FromRules>::NAME => {
                    Some($plain_module::$plain::from_text(rules).map(Plain::new))
                })+
                _ => None,
            }
        }

        /// Turns a run-time name into a static type. `with_game!(name, G => expression)` returns `Some` of the
        /// expression, with `G` standing for the game's type, or `None` if the name is unknown. For what needs no search:
        /// searches play plain games as [`Plain`].
        #[macro_export]
        macro_rules! with_game {
            ($d name:expr, $d type:ident => $d body:expr) => {
                match $d name {
                    $(name if name == <$crate::games::$module::$game as $crate::FromRules>::NAME => {
                        type $d type = $crate::games::$module::$game;
                        Some($d body)
                    })+
                    _ => None,
                }
            };
        }

        /// Calls a macro once per game: `for_each_game!(callback)` expands to `callback!(module, Type);` for each.
        #[macro_export]
        macro_rules! for_each_game {
            ($d callback:ident) => {
                $($d callback!($module, $crate::games::$module::$game);)+
            };
        }

        /// Calls a macro once per fast game: `for_each_fast_game!(callback)` expands to `callback!(module, Type);`.
        #[macro_export]
        macro_rules! for_each_fast_game {
            ($d callback:ident) => {
                $($d callback!($fast_module, $crate::games::$fast_module::$fast);)+
            };
        }

        /// Calls a macro once per game with an expression for the game under its default rules, as searches play it:
        /// `for_each_default_game!(callback)` expands to `callback!(module, game);`. All plain games have the type
        /// [`Plain`].
        #[macro_export]
        macro_rules! for_each_default_game {
            ($d callback:ident) => {
                $($d callback!(
                    $plain_module,
                    $crate::Plain::new(
                        <$crate::games::$plain_module::$plain as $crate::FromRules>::from_text("").expect("default rules")
                    )
                );)+
                $($d callback!(
                    $fast_module,
                    <$crate::games::$fast_module::$fast as $crate::FromRules>::from_text("").expect("default rules")
                );)+
            };
        }
    };
}

games! {
    plain:
        dark_hex::DarkHex,
        goofspiel::Goofspiel,
        kuhn_poker::KuhnPoker,
        leduc_poker::LeducPoker,
        liars_dice::LiarsDice;
    fast:
        schweins_galopp::SchweinsGalopp,
        schwimmen::Schwimmen,
        schwinget::Schwinget,
        up_and_down::UpAndDown;
}
