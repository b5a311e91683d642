//! The information in a belief: the true state sampling ratio.
//!
//! C. Solinas, D. Rebstock and M. Buro, *Improving Search with Supervised Learning in Trick-Based Card Games*, AAAI
//! 2019. The ratio compares the belief's probability of the true world with that of chance alone. If all worlds have
//! the same prior weight, it is p(true world) x number of worlds. A ratio of 1 means no information; the number of
//! worlds means full information.
//!
//! Here the true history is compared with K others of its information set, drawn by chance. The ratio is K + 1 times
//! its share of the likelihood of all K + 1. If the true history were drawn like the others, the mean over deals
//! would be exactly 1 for any model. It is above 1 as far as the players' actions are informative and the model
//! understands them. The largest measurable ratio is K + 1.

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_agents::arena::Estimate;
use stier_agents::belief::policy_model::PolicyModel;
use stier_agents::belief::{BeliefSettings, Weigher};
use stier_agents::{Agent, AgentSpec};
use stier_core::{Dealer, Hints, History, Rng, Sampler as _, Seat, Turn, float};

/// The ratio for the inference of `observer` after the history `truth`, compared with as many others as the settings
/// have particles; `None` if the others have not acted in this deal.
pub fn ratio<G: Hints>(
    game: &G,
    truth: &History<G>,
    observer: Seat,
    settings: &BeliefSettings,
    model: &dyn PolicyModel<G>,
    rng: &mut Rng,
) -> Option<f64> {
    let mut weigher = Weigher::new(game, observer, settings, model);
    let sampler = game.sampler(&game.view(truth, observer));
    let mut logs = vec![weigher.log_likelihood(truth)?];
    for _ in 0..settings.particles {
        logs.push(weigher.log_likelihood(&sampler.sample_history(game, rng))?);
    }
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return Some(1.0);
    }
    let total: f64 = logs.iter().map(|log| float::exp(log - best)).sum();
    Some(logs.len() as f64 * float::exp(logs[0] - best) / total)
}

/// The mean ratio of the player to act if all seats are played by `player`. It is averaged first over the decisions
/// of a deal at which the others have acted, then over deals, which are those of [`pit`](stier_agents::arena::pit) with this
/// seed. `None` if there are no such decisions.
pub fn tssr<G: Hints>(
    game: &G,
    player: &AgentSpec,
    settings: &BeliefSettings,
    model: &dyn PolicyModel<G>,
    deals: u64,
    seed: u64,
) -> Option<Estimate> {
    let one = |deal| {
        let mut dealer = Dealer::new(seed, deal);
        let mut rng = Rng::stream(seed, "true state sampling ratio", deal);
        let mut agents: Vec<Box<dyn Agent<G>>> =
            (0..game.num_seats()).map(|_| player.build(game, rng.bits())).collect();
        let mut history = History::new(game);
        let mut ratios = Vec::new();
        loop {
            dealer.settle(game, &mut history);
            let Turn::Seat(seat) = game.turn(history.state()) else { break };
            ratios.extend(ratio(game, &history, seat, settings, model, &mut rng));
            let view = game.view(&history, seat);
            let action = agents[seat.index()].act(game, &view, game.legal(history.state())).action;
            history.push(game, action);
        }
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
    };
    let means: Vec<Option<f64>> = (0..deals).into_par_iter().map(one).collect();
    Estimate::of(&means.into_iter().flatten().collect::<Vec<f64>>())
}
