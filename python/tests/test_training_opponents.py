"""Training against frozen agents, and games that begin differently."""

from __future__ import annotations

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
from stier.train._checkpoint import digests


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
        with pytest.raises(stier.errors.ArgumentError, match=re.escape(f": {path}. Restore what was there, or ")):
            stier.train.learn(game, steps=768, **settings)
        path.write_bytes(kept)


def test_networks_in_agents_are_found_as_agents_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In options of other agents, in the home folder, and the game's own where no file is named."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    game = small_deck()
    Network.random(game, hidden=(8,), seed=1).save(tmp_path / "a.safetensors")
    file, path, own = str(tmp_path / "a.safetensors"), "~/a.safetensors", f"the network of {game.short_name()}"
    for agent, found in [
        ("self", set()),
        ("", set()),
        ("greedy", set()),
        ("network", {own}),
        ("ismcts:iterations=9", set()),
        (f"network:path={path},choose=sample", {file}),
        (f"lbr:against=(network:path={path}),epsilon=0", {file}),
        (f"rule:when=thumb,cards=(network:path={path})", {file}),
    ]:
        assert set(digests(game, ["random", agent])) == found, agent


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
    envs = made.play
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
    envs = made.play
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
