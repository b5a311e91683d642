//! Encodings that trained networks depend on, pinned so that every change raises their version.
//!
//! The positions are those of the records in `playthroughs/`. If this fails because an encoding was changed on purpose,
//! raise `Game::observation_version` or `Game::actions_version` of that game and pin the new numbers.

use std::fs;
use std::path::Path;

use stier_core::{Action, FromRules, FullGame, History, Seat, Turn, for_each_game, record};
use stier_testing::observation;

/// For each game: the version of its observations with a checksum of them, the version of its actions with a checksum
/// of their names.
const PINNED: [(&str, [(u32, u64); 2]); 9] = [
    ("dark_hex", [(1, 0xa181_18e5_6f0e_8bcf), (1, 0x0ac9_db2b_86e9_d9ff)]),
    ("goofspiel", [(1, 0xfc33_09c5_c62a_ba36), (1, 0x0f29_ddea_ba18_383b)]),
    ("kuhn_poker", [(1, 0xd97e_1b04_c201_a795), (1, 0x950f_01f5_707a_af2e)]),
    ("leduc_poker", [(1, 0x0bb1_a50b_e8ea_83ef), (1, 0xa401_d3ea_b788_7230)]),
    ("liars_dice", [(1, 0x333a_dc95_7b77_1d87), (1, 0x4dc9_f311_53df_3408)]),
    ("schweins_galopp", [(1, 0xb2e6_2895_8c4f_a744), (1, 0xea14_0e1b_4198_8f3d)]),
    ("schwimmen", [(2, 0xf316_ba24_2090_98bd), (1, 0xe4a6_7bdf_6c65_28b5)]),
    ("schwinget", [(1, 0xfa91_76e2_7bcd_09d2), (1, 0x8f37_32e0_dbd6_ed51)]),
    ("up_and_down", [(1, 0xe38e_7862_4f85_7fea), (1, 0xe95e_477d_ad8b_7ffb)]),
];

/// A checksum by FNV-1a.
struct Checksum(u64);

impl Checksum {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The records of a game, in the order of their files.
fn records<G: FromRules>() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let of_game = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(G::NAME));
    let texts = paths.iter().filter(|path| of_game(path)).map(|path| fs::read_to_string(path).unwrap());
    texts.map(|text| text.lines().take(5).map(|line| format!("{line}\n")).collect()).collect()
}

fn pinned<G: FullGame + FromRules>() {
    let records = records::<G>();
    assert!(records.len() > 2, "only {} records of {}", records.len(), G::NAME);
    let (mut observations, mut actions) = (Checksum::new(), Checksum::new());
    for text in records {
        let (game, history): (G, History<G>) = record::read(&text).unwrap();
        observations.add(game.observation_signature().bytes());
        actions.add(game.action_signature().bytes());
        (0..game.num_actions()).for_each(|id| actions.add(game.action_name(Action(id as u8)).bytes().chain([b'\n'])));
        let mut now = History::new(&game);
        for event in history.events() {
            if let Turn::Seat(_) = game.turn(now.state()) {
                for seat in Seat::all(game.num_seats()) {
                    observations.add(observation(&game, now.state(), seat).into_iter().map(|value| value as u8));
                }
            }
            now.push(&game, event.action);
        }
    }
    let game = G::from_text("").unwrap();
    let found = [(game.observation_version(), observations.0), (game.actions_version(), actions.0)];
    let (_, expected) = PINNED.iter().find(|(name, _)| *name == G::NAME).expect("every game is pinned");
    assert_eq!(found, *expected, "{}: observations, actions; found {found:x?}", G::NAME);
}

/// Checks that the signatures describe the layouts.
fn signs<G: FullGame + FromRules>() {
    let game = G::from_text("").unwrap();
    let text = game.observation_signature();
    let (version, fields) = text.split_once(':').unwrap();
    assert_eq!(version, game.observation_version().to_string());
    let layout = game.observation_layout();
    assert_eq!(fields.split(',').count(), layout.len(), "{text}");
    for (part, field) in fields.split(',').zip(&layout) {
        let (name, shape) = part.split_once(':').unwrap();
        let shape: Vec<usize> = shape.split('x').map(|size| size.parse().unwrap()).collect();
        assert_eq!((name, &shape), (field.name, &field.shape));
    }
    assert_eq!(game.action_signature(), format!("{}:{}", game.actions_version(), game.num_actions()));
}

macro_rules! pinned {
    ($module:ident, $game:ty) => {
        #[test]
        fn $module() {
            pinned::<$game>();
            signs::<$game>();
        }
    };
}
for_each_game!(pinned);
