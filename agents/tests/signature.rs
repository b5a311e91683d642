//! The checksum of a fixed suite of searches.
//!
//! A change that keeps it is a refactoring. A change that alters it alters what agents do: update the numbers in the same
//! commit, and show a match against the previous version in its message.

use stier_agents::{Agent, AgentSpec};
use stier_core::{ActionSet as _, Game, Hints, History, Options as _, Rng, Turn, games::schwinget::Schwinget};

/// FNV-1a over the visits and availabilities of all roots.
fn checksum<G: Hints>(game: &G, agent: &str) -> u64 {
    let agent: AgentSpec = agent.parse().expect("an agent");
    let mut player: Box<dyn Agent<G>> = agent.build(5);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for index in 0..5 {
        let mut rng = Rng::stream(1, "signature", index);
        let mut history = History::dealt(game, &mut rng);
        player.restart(index);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let search = player.act(game, &game.view(&history, seat), legal).search.expect("a search");
            for stats in search.actions {
                for number in [u64::from(stats.action), stats.visits, stats.availability] {
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
fn searches_visit_what_they_visited() {
    let suite = [
        ("", "ismcts:iterations=1000", 0xf764_ff0b_2cd4_5db3),
        ("", "ismcts:iterations=1000,rollout=hints,c=1.5", 0xb0c3_e032_00e6_8d4d),
        ("", "ismcts:iterations=1000,threads=2", 0x8b6f_e1a6_57fc_aa62),
        ("scoring=schwinger,bouts=2,specials=anytime", "ismcts:iterations=500", 0xb419_b8eb_94cc_04cc),
        ("suits=3,values=4,hand_size=3,set_aside=2,utility=win", "ismcts:iterations=1000", 0x4272_9068_12e9_f99d),
        ("", "ismcts:iterations=500,observer=multi", 0x9abf_1971_b999_e909),
        ("", "ismcts:iterations=500,draws=branch", 0x8421_8a88_e2dd_2fbd),
        ("", "ismcts:iterations=500,observer=multi,draws=branch", 0xd17c_1814_03aa_89f5),
        ("", "ismcts:iterations=500,selection=ucb1_tuned", 0x0dd1_71c7_d373_8851),
        ("", "ismcts:iterations=500,selection=puct", 0xe46a_bb37_3ec7_b372),
        ("", "ismcts:iterations=500,selection=puct,prior=uniform,c=2", 0x07de_5110_c3cd_0cde),
        ("", "ismcts:iterations=500,selection=exp3", 0x8647_8f8c_2fda_9d81),
        ("", "ismcts:iterations=500,selection=regret_matching,observer=multi", 0x3843_43c0_02b5_c397),
        ("", "ismcts:iterations=500,selection=smooth_uct,eta=0.5", 0xfd46_5cf6_0956_f82f),
        ("", "ismcts:iterations=500,reuse=on", 0xcf94_f0ab_4e89_685f),
        ("", "ismcts:iterations=500,reuse=on,observer=multi,threads=2", 0x8ee0_9e3d_81d3_565c),
    ];
    let found = suite.map(|(rules, agent, _)| {
        let rules = <Schwinget as Game>::Rules::from_text(rules).expect("rules");
        checksum(&Schwinget::new(rules).expect("a game"), agent)
    });
    assert_eq!(found, suite.map(|(_, _, expected)| expected), "{found:#x?}");
}
