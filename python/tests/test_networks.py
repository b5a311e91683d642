"""Trained networks from files: what they say, who may ask them, what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers import OWN_GAMES, decisions
from numpy.typing import NDArray

import stier
from stier.cli import main
from stier.network import Network

pytest.importorskip("safetensors")

from safetensors.numpy import save_file

Tensors = dict[str, NDArray[np.float32]]


def make(game: stier.Game, hidden: tuple[int, ...] = (24, 16), seed: int = 0) -> tuple[Tensors, dict[str, str]]:
    """Random weights for a game, with the metadata that they need."""
    rng = np.random.default_rng(seed)
    tensors, inputs = {}, game.observation_tensor_shape()[0]
    layers = [(f"hidden.{index}", width) for index, width in enumerate(hidden)]
    for name, width in [*layers, ("policy", game.num_distinct_actions()), ("value", 1)]:
        tensors[f"{name}.weight"] = rng.normal(0, 2 / inputs**0.5, (inputs, width)).astype(np.float32)
        tensors[f"{name}.bias"] = rng.normal(0, 0.1, width).astype(np.float32)
        inputs = width if name.startswith("hidden") else inputs
    metadata = {
        "format": "stier.network",
        "version": "1",
        "architecture": "mlp",
        "activation": "relu",
        "game": game.short_name(),
        "rules": str(game),
        "observation": game.observation_signature(),
        "actions": game.action_signature(),
        "value_scale": "1.5",
        "training": "{}",
    }
    return tensors, metadata


def save(path: Path, game: stier.Game, **changed: str) -> Path:
    tensors, metadata = make(game)
    save_file(tensors, path, metadata | changed)
    return path


@pytest.fixture
def path(tmp_path: Path, game: stier.Game) -> Path:
    return save(tmp_path / "net.safetensors", game)


def forward(tensors: Tensors, observation: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    x = observation.astype(np.float64)
    index = 0
    while f"hidden.{index}.weight" in tensors:
        x = np.maximum(x @ tensors[f"hidden.{index}.weight"] + tensors[f"hidden.{index}.bias"], 0)
        index += 1
    logits = x @ tensors["policy.weight"] + tensors["policy.bias"]
    return logits, float((x @ tensors["value.weight"] + tensors["value.bias"])[0])


def test_signatures_are_version_and_shape(game: stier.Game) -> None:
    version, fields = game.observation_signature().split(":", 1)
    layout = game.observation_tensor_layout()
    assert fields == ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in layout)
    assert int(version) >= 1
    version, actions = game.action_signature().split(":")
    assert int(version) >= 1
    assert int(actions) == game.num_distinct_actions()


def test_a_network_does_what_its_file_says(game: stier.Game, path: Path) -> None:
    tensors, metadata = make(game)
    best = stier.load_agent("network", game, path=path)
    drawn = stier.load_agent(f"network:choose=sample,path={path}", game)
    for state in decisions(game, 3):
        player, legal = state.current_player(), state.legal_actions()
        logits, value = forward(tensors, state.observation_tensor(player))
        weights = np.exp(logits[legal] - logits[legal].max())
        policy, action = drawn.step_with_policy(state)
        assert [other for other, _ in policy] == legal
        assert action in legal
        np.testing.assert_allclose([share for _, share in policy], weights / weights.sum(), atol=1e-5)
        policy, action = best.step_with_policy(state)
        assert policy == [(other, float(other == action)) for other in legal]
        assert logits[action] == pytest.approx(logits[legal].max(), abs=1e-4)
        found = best.search(state)
        np.testing.assert_allclose([stats.probability for stats in found.actions], weights / weights.sum(), atol=1e-5)
        expected = np.clip(value * float(metadata["value_scale"]), game.min_utility(), game.max_utility())
        assert [stats.value for stats in found.actions] == pytest.approx([expected] * len(legal), abs=1e-4)


def test_networks_cannot_peek(game: stier.Game, path: Path) -> None:
    agents = [f"network:choose=sample,seed=3,path={path}", f"{SEARCH},iterations=30,seed=3,network={path}"]
    for state in list(decisions(game, 25))[::3]:
        other = state.resample_from_infostate(state.current_player(), 1)
        for agent in agents:
            one, two = (stier.load_agent(agent, game).step_with_policy(world) for world in (state, other))
            assert one == two


SEARCH = "ismcts:selection=puct,prior=network,cutoff=0,evaluation=network"


def test_searches_ask_networks(game: stier.Game, path: Path) -> None:
    state = game.new_initial_state(seed=1)
    for agent in [
        SEARCH,
        "ismcts:rollout=network",
        "ismcts:beliefs=policy,model=network,particles=64",
        "flat_mc:rollout=hints,cutoff=2,evaluation=network",
    ]:
        found = stier.load_agent(agent, game, iterations=100, network=path, seed=1).search(state)
        assert found.action in state.legal_actions()
        again = stier.load_agent(agent, game, iterations=100, network=path, seed=1).search(state)
        assert [(stats.visits, stats.value) for stats in found.actions] == [
            (stats.visits, stats.value) for stats in again.actions
        ]


def test_networks_play_everywhere(game: stier.Game, path: Path) -> None:
    text = f"network:path={path},choose=sample"
    result = stier.pit(game, [text] + ["random"] * (game.num_players() - 1), deals=3, threads=1)
    assert text in str(result)
    state = game.new_initial_state(seed=1)
    assert stier.search_many(text, [state, state])[0].action in state.legal_actions()
    envs = stier.VectorEnv(game, num_envs=16, seed=0, opponents=text, threads=1)
    twin = stier.VectorEnv(game, num_envs=16, seed=0, opponents=text, threads=2)
    one, two = envs.reset(), twin.reset()
    for _ in range(20):
        actions = one.legal_action_mask.argmax(axis=1)
        one, two = envs.step(actions), twin.step(actions)
        np.testing.assert_array_equal(one.observation, two.observation)
        np.testing.assert_array_equal(one.rewards, two.rewards)
    agent = stier.load_agent(text, game)
    assert str(pickle.loads(pickle.dumps(agent))) == str(agent)


TINY = {"suits": 2, "values": 2, "counter": False, "hand_size": 1, "set_aside": 1}


def everywhere(game: stier.Game, agent: str) -> list[Callable[[], object]]:
    """Every place where an agent's text meets a game."""
    state = game.new_initial_state(seed=1)
    return [
        lambda: stier.load_agent(agent, game),
        lambda: stier.pit(game, [agent, "random"], deals=1),
        lambda: stier.VectorEnv(game, num_envs=2, opponents=agent),
        lambda: stier.search_many(agent, [state]),
        lambda: stier.exploitability(game, agent),
        lambda: stier.exploit(game, agent, deals=1),
        lambda: stier.replay(state.child(state.legal_actions()[0]), seat=0, agent=agent),
        lambda: stier.resample_many(state, 2, agent=agent),
    ]


@pytest.mark.parametrize(
    "agent", ["network:path={}", SEARCH + ",network={}", "rule:when=cards,cards=(network:path={})"]
)
def test_another_network_is_refused_everywhere(tmp_path: Path, schwinget: stier.Game, agent: str) -> None:
    game = stier.load_game("schwinget", **TINY)
    wrong = agent.format(save(tmp_path / "wrong.safetensors", schwinget))
    for use in everywhere(game, wrong):
        with pytest.raises(stier.AgentError, match="was trained for the rules 'schwinget', not for 'schwinget:suits=2"):
            use()
    missing = agent.format(tmp_path / "missing.safetensors")
    for use in everywhere(game, missing):
        with pytest.raises(stier.AgentError, match=r"missing\.safetensors' cannot be read"):
            use()
    right = agent.format(save(tmp_path / "right.safetensors", game))
    uses = [*everywhere(game, right)[:5], *everywhere(game, right)[7:]]
    if agent.startswith("rule"):
        del uses[3]  # It does not search.
    for use in uses:
        use()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"game": "schwimmen"}, "the game 'schwimmen', not for 'schwinget'"),
        ({"observation": "7:hand:36"}, "the observation '7:hand:36', not for '1:seat:2,"),
        ({"actions": "7:41"}, "the actions '7:41', not for '1:"),
        ({"version": "3"}, "version=3 in its metadata, expected 1 or 2"),
        ({"architecture": "transformer"}, "architecture=transformer in its metadata, expected mlp"),
        ({"value_scale": "inf"}, "value_scale=inf"),
        (
            {"observation": stier.load_game("schwinget").observation_signature() + ",beliefs:1x26"},
            "reads beliefs about the cards",
        ),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, schwinget: stier.Game, changed: dict[str, str], named: str) -> None:
    path = tmp_path / "net.safetensors"
    tensors, metadata = make(schwinget)
    if changed.get("actions"):
        tensors["policy.weight"], tensors["policy.bias"] = (
            tensors["policy.weight"][:, :1].repeat(41, 1),
            np.zeros(41, np.float32),
        )
    save_file({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, path, metadata | changed)
    with pytest.raises(stier.AgentError, match="^.*" + named.replace("[", r"\[")):
        stier.load_agent("network", schwinget, path=path)


def test_other_rules_can_be_welcome(tmp_path: Path, schwinget: stier.Game) -> None:
    path = save(tmp_path / "net.safetensors", stier.load_game("schwinget", scoring="schwinger"))
    state = schwinget.new_initial_state(seed=1)
    for text, rules in [(f"network:path={path}", "rules"), (f"{SEARCH},iterations=20,network={path}", "network_rules")]:
        with pytest.raises(stier.AgentError, match="the rules"):
            stier.load_agent(text, schwinget)
        assert stier.load_agent(f"{text},{rules}=any", schwinget).step(state) in state.legal_actions()


def test_the_game_s_own_network_plays_if_none_is_named() -> None:
    for name in stier.registered_names():
        game = stier.load_game(name)
        if "network" in stier.registered_agents(game):
            state = game.new_initial_state(seed=1)
            for agent in ("network", "mmds:rollouts=8", f"{SEARCH},iterations=8"):
                assert stier.load_agent(agent, game).step(state) in state.legal_actions()
        else:
            for agent, message in [("network", "it needs .*: path=FILE"), ("ismcts:rollout=network", "network=FILE")]:
                with pytest.raises(stier.AgentError, match=f"{message}; {name} has none of its own"):
                    stier.load_agent(agent, game)
    assert "network" in stier.registered_agents("schwinget")
    assert "network" not in stier.registered_agents("schwinget:suits=2")


def test_a_changed_file_is_read_again(tmp_path: Path, schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=1)
    path = tmp_path / "net, with (odd) name.safetensors"

    def value() -> float:
        return stier.load_agent("network", schwinget, path=path).search(state).actions[0].value

    values = []
    for seed in (0, 1):
        tensors, metadata = make(schwinget, seed=seed)
        save_file(tensors, path, metadata)
        values.append(value())
    assert values[0] != values[1]


def test_the_command_line_takes_networks(
    tmp_path: Path, schwinget: stier.Game, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path / "net.safetensors", schwinget)
    assert main(["pit", "schwinget", f"network:path={path}", "random", "--deals", "2"]) == 0
    assert "network:path=" in capsys.readouterr().out
    assert main(["pit", "schwimmen:players=2", f"network:path={path}", "random", "--deals", "2"]) != 0
    assert "was trained for the game 'schwinget', not for 'schwimmen'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a,b.st", "a,choose=sample.st", "a(b).st", "a, b (c),d.st"])
def test_paths_may_contain_commas_and_begin_at_home(
    schwinget: stier.Game, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(schwinget.network())
    expected = stier.load_agent("network", schwinget, path=path).spec
    assert str(path) in expected
    assert stier.load_agent(expected, schwinget).spec == expected
    assert stier.load_agent("network", schwinget, path=str(path)).spec == expected
    monkeypatch.setenv("HOME", str(tmp_path))
    for home in [f"~/{name}", Path("~") / name]:
        assert stier.load_agent("network", schwinget, path=home).spec == expected
    texts = [f"network:path=({path})", f"network:path=({home})"]
    if ", " not in name:
        texts += [f"network:path={path}", f"network:path=~/{name}"]
    for text in texts:
        assert stier.load_agent(text, schwinget).spec == expected
    searching = stier.load_agent(
        f"ismcts:rollout=network,network={texts[-1].partition('=')[2]},iterations=5", schwinget
    )
    assert "iterations=5" in searching.spec
    solution = stier.solve("kuhn_poker", iterations=10)
    solution.save(f"~/{name}.policy")
    assert stier.solving.load_solution(tmp_path / f"{name}.policy").values == solution.values


@pytest.mark.parametrize("name", [name for name in OWN_GAMES if stier.load_game(name).network() is not None])
def test_the_origin_of_every_network_is_written_down(name: str) -> None:
    pytest.importorskip("jax")
    from stier.train._jax import digest

    benches = Path(__file__).parents[2] / "benches"
    page = (benches / "NETWORKS.md").read_text("utf-8")
    title = (Path(stier.__file__).parent / "rules" / f"{name}.md").read_text("utf-8").splitlines()[0].lstrip("# ")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith(f"| {title} |")]
    own, teacher = Network.of(name), Network.load(benches / "networks" / f"{name}.safetensors")
    assert own.training["initial"] == digest(teacher)
    for network, row in zip((own, teacher), rows, strict=False):
        training = network.training
        assert row[1] == f"`{digest(network)}`"
        assert row[2] == (f"`{training['initial']}`" if training.get("initial") else "random weights")
        assert int(row[3].split()[0].replace(",", "")) == round(training["steps_done"] / 1e6)
        assert (row[4], row[5]) == (str(training["seed"]), ", ".join(map(str, training["hidden"])))
