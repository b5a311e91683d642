//! All games. Each is one file or folder here and one line in the list below; nothing else names a game.

pub mod dark_hex;
pub mod goofspiel;
pub mod kuhn_poker;
pub mod leduc_poker;
pub mod liars_dice;
pub mod schweins_galopp;
pub mod schwimmen;
pub mod schwinget;
pub mod up_and_down;

/// Generates, from the list of games, their names and the macros that turn a name into a type.
macro_rules! games {
    ($($module:ident :: $game:ident),+ $(,)?) => {
        games!(@emit ($) $($module $game),+);
    };
    (@emit ($d:tt) $($module:ident $game:ident),+) => {
        /// The names of all games, in ascending order.
        pub const NAMES: &[&str] = &[$(<$module::$game as crate::Game>::NAME),+];

        /// Turns a run-time name into a static type. `with_game!(name, G => expression)` returns `Some` of the
        /// expression, with `G` standing for the game's type, or `None` if the name is unknown.
        #[macro_export]
        macro_rules! with_game {
            ($d name:expr, $d type:ident => $d body:expr) => {
                match $d name {
                    $(name if name == <$crate::games::$module::$game as $crate::Game>::NAME => {
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
    };
}

games![
    dark_hex::DarkHex,
    goofspiel::Goofspiel,
    kuhn_poker::KuhnPoker,
    leduc_poker::LeducPoker,
    liars_dice::LiarsDice,
    schweins_galopp::SchweinsGalopp,
    schwimmen::Schwimmen,
    schwinget::Schwinget,
    up_and_down::UpAndDown,
];
