//! The checksum of a fixed suite of searches.
//!
//! A change that keeps it is a refactoring. A change that alters it alters the agents' decisions. In that case update
//! the numbers in the same commit, and show a match against the previous version in its message.

use stier_agents::{ActionStats, Agent, AgentSpec};
use stier_core::games::{schwimmen::Schwimmen, schwinget::Schwinget};
use stier_core::{ActionSet as _, FromRules, Hints, History, Rng, Turn};

use crate::networks::files::Draft;

/// A small Schwinget.
const SMALL: &str = "suits=3,values=4,hand_size=3,set_aside=2";

fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

/// The FNV-1a hash of `numbers` for the actions of all roots in these games.
fn checksum<G: Hints, const N: usize>(
    game: &G,
    agent: &str,
    games: u64,
    numbers: impl Fn(&ActionStats) -> [u64; N],
) -> u64 {
    let agent: AgentSpec = agent.parse().expect("an agent");
    let mut player: Box<dyn Agent<G>> = agent.build(game, 5);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for index in 0..games {
        let mut rng = Rng::stream(1, "signature", index);
        let mut history = History::dealt(game, &mut rng);
        player.restart(index);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let search = player.act(game, &game.view(&history, seat), legal).search.expect("a search");
            for stats in &search.actions {
                for number in numbers(stats) {
                    hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
            history.push(game, legal.pick(&mut rng));
            history.settle(game, &mut rng);
        }
    }
    hash
}

#[test]
fn searches_make_the_same_visits() {
    let suite = [
        ("", "ismcts:iterations=1000", 0xf764_ff0b_2cd4_5db3),
        ("", "ismcts:iterations=1000,rollout=hints,c=1.5", 0xb0c3_e032_00e6_8d4d),
        ("", "ismcts:iterations=1000,threads=2", 0x8b6f_e1a6_57fc_aa62),
        ("scoring=schwinger,bouts=2,specials=anytime", "ismcts:iterations=500", 0xb419_b8eb_94cc_04cc),
        ("suits=3,values=4,hand_size=3,set_aside=2,utility=win", "ismcts:iterations=1000", 0x4272_9068_12e9_f99d),
        ("", "ismcts:iterations=500,observer=multi", 0x9abf_1971_b999_e909),
        ("", "ismcts:iterations=500,draws=branch", 0x8421_8a88_e2dd_2fbd),
        ("", "ismcts:iterations=500,observer=multi,draws=branch", 0xd17c_1814_03aa_89f5),
        ("", "ismcts:iterations=500,selection=puct", 0xe46a_bb37_3ec7_b372),
        ("", "ismcts:iterations=500,selection=puct,prior=uniform,c=2", 0x07de_5110_c3cd_0cde),
        ("", "ismcts:iterations=500,selection=exp3", 0x8647_8f8c_2fda_9d81),
        ("", "ismcts:iterations=500,selection=regret_matching,observer=multi", 0x3843_43c0_02b5_c397),
        ("", "ismcts:iterations=500,selection=smooth_uct", 0x0a84_a210_7552_102b),
        ("", "ismcts:iterations=500,reuse=on", 0xcf94_f0ab_4e89_685f),
        ("", "ismcts:iterations=500,reuse=on,observer=multi,threads=2", 0x8ee0_9e3d_81d3_565c),
    ];
    let found = suite.map(|(rules, agent, _)| {
        checksum(&game::<Schwinget>(rules), agent, 5, |stats| {
            [u64::from(stats.action), stats.visits, stats.availability]
        })
    });
    assert_eq!(found, suite.map(|(_, _, expected)| expected), "{found:#x?}");
}

/// Everything that a search says about an action.
fn numbers(stats: &ActionStats) -> [u64; 5] {
    let value = u64::from((stats.value as f32).to_bits());
    [u64::from(stats.action), stats.visits, stats.availability, value, stats.probability.to_bits()]
}

/// Searches that value worlds one by one. Their visits are not informative, so values and choices are included.
#[test]
fn searches_find_the_same_values() {
    let suite = [
        ("flat_mc:iterations=500", 0x9845_8e27_77e0_33dd, 0xf437_bf7d_9e88_1a00),
        (
            "flat_mc:iterations=500,allocation=ucb1,rollout=hints,choose=visits,threads=2",
            0x22cc_905e_ebe7_96a8,
            0x6437_2bae_86c1_ca21,
        ),
        (
            "flat_mc:iterations=500,allocation=ucb1,rollout=fitted,choose=sample",
            0x0cbf_5b79_2d3d_17b5,
            0x4e94_0602_35ad_e968,
        ),
        ("pimc:worlds=20,nodes=200,iterations=50", 0x9a03_953c_c22d_0472, 0x7892_1a02_64c4_d78e),
        ("pimc:worlds=20,nodes=100,fallback=evaluate", 0x1c70_1ee9_5441_dc9a, 0x1693_2de6_fe9c_8b8d),
        ("epimc:worlds=6,nodes=100,iterations=10", 0xed1b_b155_eea7_1452, 0x3f9a_f40d_b493_11b3),
        ("epimc:worlds=6,solver=rollouts,depth=2,mixed=on", 0x341a_a5b2_04b8_36b0, 0xe59b_b45c_df60_ed4f),
        ("presumed_pimc:worlds=4,guesses=3,nodes=100,iterations=10", 0xb0f5_1ed9_44b3_5d5e, 0xc3b7_eda7_2137_25aa),
        ("recursive_pimc:worlds=3,inner_worlds=2", 0xb199_7d7f_1acf_de85, 0xa794_99f5_a258_efd2),
        ("ris_mcts:iterations=150", 0x2cd5_c765_0b06_8c63, 0x0d69_8d70_b747_c31d),
        (
            "ris_mcts:iterations=300,redeterminization=off,self_determination=0.3,rollout=hints",
            0x5e0b_bed9_8839_6071,
            0xe107_8d8d_c330_8ae8,
        ),
        ("oracle:nodes=500,iterations=100,worlds=5", 0xbf9f_0312_38f5_17f1, 0xb594_a5e0_85c6_0a4e),
        ("ismcts:iterations=300,choose=mixed", 0xd203_1957_de57_e569, 0x4858_6bd7_52a5_4007),
        ("ismcts:iterations=300,choose=sample,threads=2", 0x4ce5_cc22_33f7_77bf, 0xcba4_5f09_d8bb_3b27),
        (
            "ismcts:iterations=300,beliefs=policy,model=greedy,particles=200",
            0xfafc_ad94_fd58_f2d8,
            0x3fbd_6813_6ace_6573,
        ),
        ("ismcts:iterations=300,observer=multi,self_determination=0.3", 0xf4db_5187_baf0_6b58, 0x3a9f_2b6d_f8dd_0af4),
        (
            "ismcts:iterations=300,rollout=hints,epsilon=0.2,endings=on,rollouts=2",
            0x8f03_941c_fac6_c545,
            0x6d24_2763_8ad7_b630,
        ),
    ];
    let found = suite.map(|(agent, ..)| {
        let in_schwinget = checksum(&game::<Schwinget>(SMALL), agent, 4, numbers);
        (in_schwinget, checksum(&game::<Schwimmen>("max_turns=6"), agent, 2, numbers))
    });
    assert_eq!(found, suite.map(|(_, two, three)| (two, three)), "{found:#x?}");
}

/// Searches around a network, whose weights are random.
#[test]
fn searches_of_networks_find_the_same_values() {
    let (in_schwinget, in_schwimmen) = (game::<Schwinget>(SMALL), game::<Schwimmen>("max_turns=6"));
    let (two, three) = (Draft::new(&in_schwinget, &[32], 1).saved(), Draft::new(&in_schwimmen, &[32], 1).saved());
    let suite = [
        ("mmds:rollouts=60,particles=100", 0x26b9_ebd4_019f_2690, 0x6519_d2c4_a2d1_dd41),
        ("mmds:rollouts=300,particles=100,step=3,magnet=0.2", 0xbe79_8e8c_ef2d_9f53, 0xf03f_f2a7_66fd_5892),
        ("mmds:rollouts=60,beliefs=uniform,cutoff=3,choose=sample", 0xbce6_ff45_0590_f435, 0xf4fd_835d_99f2_8013),
        (
            "ismcts:iterations=100,selection=puct,prior=network,cutoff=0,evaluation=network",
            0x1f0d_5183_d741_37a4,
            0x9777_1491_f1a0_ecf2,
        ),
        (
            "ismcts:iterations=100,rollout=network,beliefs=policy,model=network,particles=100",
            0x77d7_540c_66d1_610e,
            0x0cfb_1dce_b156_35e7,
        ),
    ];
    let found = suite.map(|(agent, ..)| {
        let two = checksum(&in_schwinget, &format!("{agent},network={}", two.path()), 4, numbers);
        (two, checksum(&in_schwimmen, &format!("{agent},network={}", three.path()), 2, numbers))
    });
    assert_eq!(found, suite.map(|(_, two, three)| (two, three)), "{found:#x?}");
}
