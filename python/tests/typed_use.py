"""A user's program; mypy checks that the types of the package carry it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import stier
import stier.gymnasium
import stier.network
import stier.train
from stier import experiments, ratings


def play_out(state: stier.State, agent: stier.Agent | stier.PythonAgent) -> npt.NDArray[np.float64]:
    while not state.is_terminal():
        state.apply_action(agent.step(state))
    return state.returns()


def lowest(state: stier.State) -> int:
    return min(state.legal_actions())


def main() -> None:
    game: stier.Game = stier.load_game("schwinget", scoring="schwinger", bouts=2, counter=True)
    state = game.new_initial_state(seed=np.int64(7))
    agent = stier.load_agent("ismcts", game, iterations=100, c=0.7)
    policy, action = agent.step_with_policy(state)
    probabilities: dict[int, float] = dict(policy)
    best: stier.playing.ActionStats = max(agent.search(state).actions, key=lambda stats: stats.visits)
    names: list[str] = [state.action_to_string(action), state.action_to_string(0, best.action)]
    mask: npt.NDArray[np.bool_] = state.legal_actions_mask()
    tensor: npt.NDArray[np.float32] = state.observation_tensor(0)
    returns = play_out(state.clone(), stier.PythonAgent(lowest))
    result = stier.pit(game, [agent, "random", lowest, stier.PythonAgent(lowest, name="low")], deals=2)
    meeting = result.meeting(0, 1)
    mean: float = meeting[0] if meeting is not None else 0.0
    found: stier.playing.Properties = stier.playing.properties(game, deals=2, games=2, play="hints")
    correlation: tuple[float, float] | None = found.leaf_correlation
    bias: float = found.bias[0]
    small = stier.load_game("schwinget", suits=1, values=4, hand_size=1, set_aside=2, referee=False, counter=False)
    solution: stier.TabularPolicy = stier.solve(small, iterations=10)
    shares: list[tuple[int, float]] = solution.policy(small.new_initial_state(seed=1))
    response: stier.TabularPolicy = stier.solving.best_response(small, lowest)
    gap: float = stier.exploitability(small, solution) + stier.solving.nash_conv(small, response)
    stier.pit(small, [solution, response, lowest, "random"], deals=2)
    print(shares, gap, solution.values, response.against.values)
    tree = stier.solving.GameTree(small)
    uniform = tree.legal_action_masks() / tree.legal_action_masks().sum(axis=1, keepdims=True)
    table: stier.TabularPolicy = tree.policy(uniform, name="uniform")
    bytes_seen: npt.NDArray[np.uint8] = tree.observation_tensors(0, 5, "uint8")
    policies = [np.full(len(rows), 0.5) for rows in (stier.solving.Rows.of(tree, player) for player in range(2))]
    rule: stier.solving.Rule = lambda rows: lambda step: (rows.normalize(step.policy), step.iteration)  # noqa: E731
    ruled: stier.TabularPolicy = stier.solving.run(tree, rule, iterations=2, alternating=False)
    seconds: npt.NDArray[np.float64] = ruled.history["seconds"]
    print(len(policies), seconds.sum(), tree.information_state_strings(0, 1), table.to_pandas().shape)
    print(table.nash_conv, stier.exploitability(small, table), bytes_seen.sum(), tree.players())
    public = stier.public.PublicTree("kuhn_poker", depth=2, values=lambda player, ranges: ranges[player])
    own_rules: list[npt.NDArray[np.float32]] = stier.solving.iterate(public, rule, iterations=2)
    play: stier.public.Play = public.follow(own_rules)
    where: stier.public.PublicState = public.roots[0].child("hidden")
    often: stier.public.Frequency = stier.public.frequency(play, 0)[None]
    print(where.table(own_rules[0]).shape, play.ranges(where)[0].sum(), where.history, often.share)
    trained: stier.train.Trained = stier.train.learn(small, steps=64, num_envs=4, horizon=4, hidden=(4,), against=())
    network: stier.network.Network = trained.network
    print(
        network(bytes_seen, tree.legal_action_masks(0, 5))[0].sum(), stier.train.duel(network, "random", deals=4).mean
    )
    better: bool = bool(ratings.is_better(small, "greedy", lowest, by=0.5, most_deals=200))
    strongest: list[int] = ratings.bradley_terry(result, resamples=100).order()
    experiment = experiments.Experiment("schwinget", {"luck": "random", "advice": "greedy"}, deals=2)
    fest: stier.schwingfest.Schwingfest = stier.schwingfest.schwingfest(
        {"Sepp": lowest, "Ueli": "greedy", "Kari": "random"}
    )
    print(better, strongest, experiment.games, fest[0].rank)
    envs = stier.VectorEnv(game, 4, opponents=[agent], seat="rotate")
    batch: stier.Batch = envs.step(envs.sample_actions())
    rewards: npt.NDArray[np.float32] = batch.rewards
    held: npt.NDArray[np.uint8] = stier.resample_many(state, 10, histories=True).holdings()
    searches: list[stier.Search] = stier.search_many(agent, [state], seed=1)
    total: float | None = game.utility_sum()
    env: stier.gymnasium.SeatEnv = stier.gymnasium.make(game, opponents=["random"], seat="rotate")
    observation, info = env.reset(seed=7)
    observation, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
    masks: npt.NDArray[np.bool_] = env.action_masks()
    many: stier.gymnasium.VectorEnv = stier.gymnasium.make_vec(game, 4, opponents=[agent], autoreset_mode="SameStep")
    seen, infos = many.reset(seed=[7, None, 8, 9], options={"reset_mask": np.ones(4, np.bool_)})
    seen, gains, ended, _, infos = many.step(many.action_masks().argmax(axis=1))
    print(seen.shape, gains.sum(), ended.any(), infos["action_mask"].shape)
    report: stier.leaks.LeakReport = stier.check_no_leak(game, games=1, agents=[lowest, "random"])
    print(observation.shape, reward, over, masks.any(), report.ok)
    options: list[stier.catalogue.OptionInfo] = stier.catalogue.describe_game(game.short_name())
    print(correlation, bias, rewards.sum(), held.sum(), searches[0].action)
    print(probabilities, names, mask.sum(), tensor.shape, returns, result.mean, mean, total, options[0].allowed)


if __name__ == "__main__":
    main()
