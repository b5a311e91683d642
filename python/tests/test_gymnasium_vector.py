"""`stier.gymnasium.VectorEnv`: lane by lane the single environment, and as a whole Gymnasium's loop over those."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from helpers import illegal_action

import stier

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import stier.gymnasium as sgym

LANES = 5
MODES = list(AutoresetMode)


class LaneEnv(gymnasium.Env):
    """One lane of a vector environment; in the others something is going on, too."""

    def __init__(self, envs: sgym.VectorEnv, lane: int) -> None:
        self.envs, self.lane = envs, lane
        self.observation_space, self.action_space = envs.single_observation_space, envs.single_action_space
        self.render_mode = envs.render_mode

    def own(self, infos: dict[str, Any]) -> dict[str, Any]:
        names = [name for name in infos if not name.startswith("_")]
        return {name: infos[name][self.lane] for name in names if infos[f"_{name}"][self.lane]}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        assert seed is not None
        observations, infos = self.envs.reset(seed=seed - self.lane, options=options)
        return observations[self.lane], self.own(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        actions = some_legal(self.envs, np.random.default_rng(0))
        actions[self.lane] = action
        observations, rewards, terminations, truncations, infos = self.envs.step(actions)
        lane = self.lane
        reward, over, cut = float(rewards[lane]), bool(terminations[lane]), bool(truncations[lane])
        return observations[lane], reward, over, cut, self.own(infos)

    def render(self) -> Any:
        texts = self.envs.render()
        assert texts is not None
        return texts[self.lane]


class LegalActions(Discrete):
    """Actions of an environment that samples those that its mask allows."""

    def __init__(self, env: sgym.SeatEnv) -> None:
        super().__init__(env.game.num_distinct_actions())
        self.env = env

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        return super().sample(self.env.action_masks().view(np.int8))


def some_legal(envs: Any, rng: np.random.Generator) -> Any:
    masks = envs.action_masks() if isinstance(envs, sgym.VectorEnv) else np.array(envs.call("action_masks"))
    return (masks * (1 + rng.random(masks.shape))).argmax(axis=1)


def matching(left: Any, right: Any) -> None:
    assert data_equivalence(left, right, exact=True), f"{left}\n\n{right}"


def a_pair(game: stier.Game, mode: AutoresetMode, **options: Any) -> tuple[sgym.VectorEnv, SyncVectorEnv]:
    opponents = "greedy:seed=5" if "greedy" in stier.registered_agents(game) else "random:seed=5"
    options = {"opponents": opponents, "seat": "random", **options}
    loop = SyncVectorEnv([lambda: sgym.make(game, **options)] * LANES, autoreset_mode=mode)
    return sgym.make_vec(game, LANES, autoreset_mode=mode, **options), loop


@pytest.mark.parametrize("legal", [True, False])
def test_a_lane_matches_the_single_environment(game: stier.Game, legal: bool) -> None:
    """By Gymnasium's own comparison, opponents and renderings included."""
    options: dict[str, Any] = {"opponents": "ismcts:iterations=10,seed=9", "seat": "random", "render_mode": "ansi"}
    single = sgym.make(game, **options)
    if legal:
        single.action_space = LegalActions(single)
    for lane, mode in [(3, AutoresetMode.NEXT_STEP), (1, AutoresetMode.DISABLED)]:
        envs = sgym.make_vec(game, 4, autoreset_mode=mode, **options)
        check_environments_match(single, LaneEnv(envs, lane), num_steps=30, seed=11)


@pytest.mark.parametrize("mode", MODES)
def test_all_lanes_match_gymnasiums_loop(game: stier.Game, mode: AutoresetMode) -> None:
    """Bit by bit, for several games after one seed, with illegal actions now and then."""
    rng = np.random.default_rng(1)
    native, loop = a_pair(game, mode)
    matching(native.reset(seed=20), loop.reset(seed=20))
    ended = refused = 0
    steps = 2 * min(game.max_game_length(), 60) + 40
    for step in range(steps):
        actions = some_legal(native, rng)
        matching(native.action_masks(), np.array(loop.call("action_masks")))
        if step % 7 == 5:
            actions[rng.integers(LANES, size=2)] = rng.integers(-3, native.single_action_space.n + 3, size=2)
        mine, theirs = native.step(actions), loop.step(actions)
        matching(mine, theirs)
        assert native.seats.tolist() == list(loop.get_attr("seat"))
        assert native.deal_seeds.tolist() == list(loop.get_attr("deal_seed"))
        over = mine[2]
        ended += over.sum()
        refused += "illegal_action" in mine[4] or "illegal_action" in mine[4].get("final_info", {})
        if mode is AutoresetMode.DISABLED and over.any():
            matching(*(envs.reset(options={"reset_mask": over.copy()}) for envs in (native, loop)))
    assert ended > LANES
    assert refused > 2


def test_seeds() -> None:
    native, loop = a_pair(stier.load_game("schwinget"), AutoresetMode.NEXT_STEP)
    for seed in [[5, 6, 2**64 - 1, 0, 5], 8, [None, 3, None, 1, None], None]:
        matching(native.reset(seed=seed), loop.reset(seed=seed))
        assert native.deal_seeds.tolist() == list(loop.get_attr("deal_seed"))
    assert native.reset(seed=np.array([4, 4, 4, 4, 4]))[0].std(axis=0).max() == 0
    assert native.np_random_seed == 8
    first = {int(seed) for _ in range(2) for envs in [sgym.make_vec("schwinget", 3)] for seed in envs.deal_seeds}
    assert len(first) == 6
    with pytest.raises(ValueError, match="a number or 5 numbers, got 2"):
        native.reset(seed=[1, 2])
    with pytest.raises(ValueError, match=r"seed must be between 0 and .*, got -1"):
        native.reset(seed=-1)
    with pytest.raises(ValueError, match="-1"):
        native.reset(seed=[-1] * 5)


def test_reset_masks() -> None:
    native, loop = a_pair(stier.load_game("schwimmen"), AutoresetMode.DISABLED)
    matching(native.reset(seed=1), loop.reset(seed=1))
    mask = np.array([True, False, True, False, False])
    mine = native.reset(seed=7, options={"reset_mask": mask})
    matching(mine, loop.reset(seed=7, options={"reset_mask": mask}))
    assert mine[1]["_action_mask"].tolist() == mask.tolist()
    assert native.action_masks().any(axis=1).all()
    for bad, error in [
        ([True] * 5, TypeError),
        (np.ones(5, np.int8), TypeError),
        (np.ones(4, np.bool_), ValueError),
        (np.zeros(5, np.bool_), ValueError),
    ]:
        with pytest.raises(error, match="reset_mask"):
            native.reset(options={"reset_mask": bad})


def test_disabled_lanes_stay_over(game: stier.Game) -> None:
    envs = sgym.make_vec(game, 3, autoreset_mode="Disabled")
    envs.reset(seed=2)
    actions = some_legal(envs, np.random.default_rng(0))
    actions[1] = illegal_action(envs.action_masks()[1])
    ended = envs.step(actions)
    assert (ended[1][1], ended[2][1]) == (game.min_utility(), True)
    for _ in range(3 * game.max_game_length()):
        observation, rewards, over, _, infos = envs.step(some_legal(envs, np.random.default_rng(0)))
        assert (rewards[1], over[1]) == (0, True)
        assert infos["action_mask"][1].all()
        assert "illegal_action" not in infos
        assert observation[1].tolist() == ended[0][1].tolist()
        if over.all():
            break
    assert over.all()
    assert envs.step([0, 1, -1])[2].all()


def test_gymnasium_makes_them() -> None:
    envs = gymnasium.make_vec("stier/Schwinget-v0", num_envs=64, opponents="random", bouts=2)
    assert isinstance(envs, sgym.VectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.game == stier.load_game("schwinget", bouts=2)
    assert repr(envs) == "VectorEnv(stier/Schwinget-v0, num_envs=64)"
    observations, infos = envs.reset(seed=3)
    assert observations in envs.observation_space
    assert envs.action_masks().dtype == np.bool_
    assert infos["action_mask"].dtype == np.int8
    assert infos["action_mask"].tolist() == envs.action_masks().tolist()
    loop = gymnasium.make_vec("stier/Schwinget-v0", num_envs=2, vectorization_mode="sync", opponents=lambda state: 0)
    assert isinstance(loop, SyncVectorEnv)


@pytest.mark.parametrize("mode", MODES)
def test_their_wrapper_counts_episodes(mode: AutoresetMode) -> None:
    inner = sgym.make_vec("schwinget", 8, autoreset_mode=mode)
    envs = RecordEpisodeStatistics(inner)
    envs.reset(seed=1)
    rng = np.random.default_rng(1)
    counted = ended = 0
    for _ in range(100):
        _, _, over, _, infos = envs.step(some_legal(inner, rng))
        counted += int(infos["_episode"].sum()) if "_episode" in infos else 0
        ended += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over.copy()})
    assert counted == ended > 8


def test_what_is_given_out_is_not_used_again() -> None:
    envs, other = (sgym.make_vec("schwinget", LANES) for _ in range(2))
    given = envs.reset(seed=1)
    other.reset(seed=1)
    kept = []
    for step in range(20):
        actions = some_legal(other, np.random.default_rng(step))
        given[-1]["action_mask"][:] = given[-1]["_action_mask"][:] = 0
        given[0][:] = 7
        given = envs.step(actions)
        matching(given, other.step(actions))
        given[2][:] = False
        kept.append((given[0].copy(), given[0]))
        given = (given[0].copy(), given[-1])
    for left, right in kept:
        assert (left == right).all()


def test_two_sets_of_arrays_take_turns() -> None:
    envs, other = sgym.make_vec("schwinget", LANES, copy=False), sgym.make_vec("schwinget", LANES)
    seen = [envs.reset(seed=1)[0]]
    other.reset(seed=1)
    for step in range(20):
        actions = some_legal(other, np.random.default_rng(step))
        mine = envs.step(actions)
        matching(mine, other.step(actions))
        seen.append(mine[0])
    assert np.shares_memory(seen[0], seen[2])
    assert not np.shares_memory(seen[1], seen[2])


def test_seats_in_turn() -> None:
    envs = sgym.make_vec("schwimmen", LANES, seat="rotate", players=3)
    for start in [0, 1]:
        envs.reset(seed=None if start else 4)
        assert envs.seats.tolist() == [(lane + start) % 3 for lane in range(LANES)]
    single = sgym.make("schwimmen", seat="rotate", players=3)
    assert single.reset(seed=7)[0].tolist() == envs.reset(seed=4)[0][3].tolist()


def test_states_and_renderings(capsys: pytest.CaptureFixture[str]) -> None:
    envs = sgym.make_vec("schwinget", 2, render_mode="ansi", seat=1)
    observations, _ = envs.reset(seed=3)
    states = [envs.stier_state(lane) for lane in range(2)]
    assert envs.render() == tuple(state.to_text(1) for state in states)
    assert observations[1].tolist() == states[1].observation_tensor(1).tolist()
    sgym.make_vec("schwinget", 2, render_mode="human", seat=1).reset(seed=3)
    assert capsys.readouterr().out == "".join(f"{state.to_text(1)}\n" for state in states)
    assert sgym.make_vec("schwinget", 2).reset(seed=3)[0].shape[0] == 2


def test_pickles_go_on_alike() -> None:
    envs = sgym.make_vec("schwinget", LANES, seat="random", autoreset_mode="Disabled")
    envs.reset(seed=1)
    actions = np.where(np.arange(LANES) == 2, 99, some_legal(envs, np.random.default_rng(0)))
    envs.step(actions)
    again = pickle.loads(pickle.dumps(envs))
    for step in range(20):
        actions = some_legal(envs, np.random.default_rng(step))
        matching(envs.step(actions), again.step(actions))


def test_arguments() -> None:
    for options, error, message in [
        ({"autoreset_mode": "never"}, ValueError, "autoreset_mode must be 'NextStep', 'SameStep', 'Disabled'"),
        ({"render_mode": "rgb_array"}, ValueError, "render_mode must be 'ansi'"),
        ({"tensor": "hands"}, ValueError, "tensor must be 'observation'"),
        ({"num_envs": 0}, ValueError, "num_envs must be between 1 and "),
        ({"opponents": len}, ValueError, "len is not an agent of the engine"),
        ({"seat": 2}, stier.errors.SeatError, "schwinget has no seat 2; seats: 0 to 1"),
        ({"nonsense": 1}, stier.RulesError, "nonsense"),
    ]:
        with pytest.raises(error, match=message):
            sgym.make_vec("schwinget", **options)
    envs = sgym.make_vec("schwinget", 2)
    for call in [envs.action_masks, lambda: envs.step([0, 0]), envs.render, lambda: envs.stier_state(0)]:
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            call()
    envs.reset(seed=1)
    for _ in range(2):
        for actions, error in [([0], ValueError), ([0.5, 0.5], TypeError), ([[0, 0]], ValueError)]:
            with pytest.raises(error, match="actions must be whole numbers, one for each of 2 environments"):
                envs.step(actions)
        envs.step([99, 99])
