"""Training against frozen agents and earlier networks, and games that begin differently."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import TINY, small_deck

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.network import Network
from stier.train import Settings
from stier.train._population import Population


def test_frozen_agents_are_compared_by_their_files(tmp_path: Path) -> None:
    game, file, met = small_deck(), tmp_path / "frozen.safetensors", tmp_path / "met, (2).safetensors"
    for path in (file, met):
        Network.random(game, hidden=(8,), seed=1).save(path)
    agents = {"opponents": (f"network:path={file},choose=sample", "self"), "against": f"network:path=({met})"}
    settings = {**TINY, **agents, "deals": 2, "folder": tmp_path / "out"}
    stier.train.learn(game, steps=256, **settings)
    stier.train.learn(game, steps=512, **settings)
    for path in (file, met):
        kept = path.read_bytes()
        Network.random(game, hidden=(8,), seed=2).save(path)
        with pytest.raises(stier.errors.ArgumentError, match=re.escape(f"was made when {path} had another content")):
            stier.train.learn(game, steps=768, **settings)
        path.write_bytes(kept)


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_training_against_frozen_agents(algorithm: str, tmp_path: Path) -> None:
    """Environments are split among the opponents; where there are any, the learner decides for its seat only."""
    game, file = small_deck(), tmp_path / "frozen.safetensors"
    Network.random(game, hidden=(16,), seed=1).save(file)
    opponents = ("self", f"network:path={file}", "random")
    settings = {"hidden": (16,), "num_envs": 30, "steps": 2048, "opponents": opponents, "seed": 1}
    settings |= {"symmetry": False}
    settings |= {"horizon": 8} if algorithm == "ppo" else {}
    made = stier.train.learner(game, algorithm, **settings)
    envs = made.play.envs if algorithm == "ppo" else made.play
    assert [part.num_envs for part in envs.parts] == [10, 10, 10]
    batch = envs.reset()
    assert (batch.current_player[:10] == 0).all(), "the first to move"
    for first, part in zip((0, 10, 20), envs.parts, strict=True):
        assert (batch.observation[first : first + 10] == part.observe().observation).all()
    assert (np.diff(batch.current_player[10:20]) != 0).all(), "seats rotate"
    stier.train.learn(game, algorithm, **(settings | {"steps": 1024}), against=(), folder=tmp_path / "a")
    trained = stier.train.learn(game, algorithm, **settings, against=(), folder=tmp_path / "a")
    assert trained.network.training["steps_done"] >= 2048, "extended"
    assert tuple(trained.network.training["opponents"]) == opponents


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
@pytest.mark.parametrize("name", ["opening", "barred"])
def test_some_games_begin_differently(algorithm: str, name: str) -> None:
    """Another agent decides first, or may not bet. Learning goes on as if it had not been stopped."""
    settings: dict[str, Any] = {"hidden": (8,), "num_envs": 16, "seed": 1}
    settings |= {"opening": "random"} if name == "opening" else {"barred": "bet"}
    settings |= {"horizon": 8, "minibatches": 2} if algorithm == "ppo" else {}
    all_games = settings | {f"{name}_share": 1.0, f"{name}_decisions": 1}
    made = stier.train.learner("kuhn_poker", algorithm, **all_games)
    envs = made.play.envs if algorithm == "ppo" else made.play
    first = envs.reset()
    if name == "opening":
        assert (first.current_player == 1).all(), "the first player has decided"
    else:
        bet = envs.game.string_to_action("bet")
        assert not first.legal_action_mask[:, bet].any()
        assert envs.step(np.full(16, 1 - bet)).legal_action_mask[:, bet].all(), "the second player may bet"
    whole, again = (stier.train.learner("kuhn_poker", algorithm, **settings) for _ in range(2))
    whole.iterate()
    again.restore(whole.arrays())
    for _ in range(3):
        assert whole.iterate() == again.iterate()


@pytest.mark.parametrize("algorithm", ["ppo", "ppo_torch", "dmc"])
def test_training_against_earlier_networks(algorithm: str) -> None:
    """The first network is that before any step. All have the same share, and the learner decides for one seat."""
    if algorithm == "ppo_torch":
        pytest.importorskip("torch")
    settings = {"hidden": (8,), "num_envs": 32, "seed": 1, "steps": 1536}
    settings |= {"population_share": 0.5, "population_size": 3}
    settings |= {"horizon": 8, "minibatches": 4} if algorithm.startswith("ppo") else {}
    made = stier.train.learner("kuhn_poker", algorithm, **settings)
    envs = made.play if algorithm == "dmc" else made.play.envs
    assert [part.num_envs for part in envs.parts] == [16, 5, 5, 6]
    assert ["against" in repr(part) for part in envs.parts] == [False, True, True, True]
    joined, networks = [], []
    while made.steps < 1536:
        if made.steps >= 512 * len(joined):
            joined.append(made.steps)
            networks.append(made.network().policy[0])
        made.iterate()
        members = envs.population.members
        assert [member.steps for member in members] == joined
        for member, expected in zip(members, networks, strict=True):
            assert (member.network.policy[0] == expected).all()
        texts = [str(member.agent) for member in members]
        met = [[text in repr(part) for text in texts].index(True) for part in envs.parts[1:]]
        assert met == [[], [0, 0, 0], [0, 1, 1], [0, 1, 2]][len(members)]
    assert joined[:2] == [0, 512] if algorithm != "dmc" else joined[0] == 0
    assert len(joined) == 3
    players = envs.reset().current_player
    assert (players[:16] == 0).all(), "the first to move"
    assert all(set(players[start : start + 5]) == {0, 1} for start in (16, 21, 26)), "seats rotate"


@pytest.mark.parametrize("weights", ["equal", "nash"])
def test_a_population_is_continued(weights: str) -> None:
    settings = {**TINY, "seed": 2, "population_share": 0.5, "population_size": 2, "population_weights": weights}
    whole, before, again = (stier.train.learner("leduc_poker", steps=1024, **settings) for _ in range(3))
    before.restore(whole.arrays())
    assert whole.iterate() == before.iterate()
    again.restore(whole.arrays())
    for _ in range(3):
        assert whole.iterate() == again.iterate()
    # Where training is extended, the oldest network leaves.
    more = stier.train.learner("leduc_poker", steps=2048, **settings)
    more.restore(whole.arrays())
    more.iterate()
    population = more.play.envs.population
    assert [member.steps for member in population.members] == [512, 1024]
    assert population.payoffs.shape == ((2, 2) if weights == "nash" else (0, 0))


def test_members_are_weighted_by_nash_averaging() -> None:
    game = stier.load_game("kuhn_poker")
    population = Population(game, Settings(population_share=0.5, population_size=4, population_weights="nash"))
    constant = Network.random(game, hidden=(4,), seed=1)
    for steps, logits in enumerate([(5, 0), (0, 0), (0, 5)]):
        weight, _ = constant.policy
        policy = (np.zeros_like(weight), np.array(logits, np.float32))
        population.join(dataclasses.replace(constant, policy=policy), steps)
    payoffs = population.payoffs
    agents = [member.agent for member in population.members]
    assert (payoffs == -payoffs.T).all()
    for (first, one), (second, other) in itertools.permutations(enumerate(agents), 2):
        result = stier.pit(game, [one, other], deals=2000, seed=1)
        assert abs(payoffs[first, second] - result.mean[0]) < 2 * result.ci95[0], (first, second)

    def places() -> list[int]:
        population._place()
        return [population.players().count(agent) for agent in agents]

    population.payoffs = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float)
    assert places() == [1, 1, 2], "the last of equals is met more often"
    population.payoffs = np.array([[0, 1, 1], [-1, 0, 2], [-1, -2, 0]], float)
    assert places() == [4, 0, 0], "it beats the others"
    with pytest.raises(stier.StierError, match="needs a game of two players, kuhn_poker:players=3 has 3"):
        stier.train.learner("kuhn_poker:players=3", population_share=0.5, population_weights="nash")
