"""Public names, what stands for an agent or a game, and results that can be stored."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stier
from stier.catalogue import describe_game
from stier.playing import ActionStats, Line, PlayerAction


class Lowest:
    """An object with a step, as OpenSpiel's bots are."""

    def step(self, state: stier.State) -> int:
        return min(state.legal_actions())


NO_GAME = "game must be a Game, the name of one, such as 'schwinget', or the class of one, got int"


def lowest(state: stier.State) -> int:
    return min(state.legal_actions())


@pytest.fixture
def state() -> stier.State:
    return stier.load_game("schwinget").new_initial_state(seed=3)


def test_submodules_are_imported_when_they_are_used() -> None:
    code = "import sys, stier; assert 'stier.schwingfest' not in sys.modules; stier.schwingfest.Bout"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"leaks", "ratings", "solving", "train"} <= set(dir(stier))
    with pytest.raises(AttributeError, match="'stier' has no attribute 'ratingz'"):
        stier.ratingz  # type: ignore[attr-defined]  # noqa: B018
    assert len(stier.__all__) < 40


def test_the_stub_gets_the_docstrings_of_the_engine() -> None:
    tool = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "generate.py"))
    stub = tool["STUB"].read_text("utf-8")
    written = ast.parse(tool["with_docstrings"](stub, stier._native))
    for node in written.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            public = getattr(stier._native, node.name)
            assert ast.get_docstring(node) == inspect.getdoc(public)
            members = [member for member in ast.iter_child_nodes(node) if isinstance(member, ast.FunctionDef)]
            texts = {member.name: ast.get_docstring(member) for member in reversed(members)}
            found = {name: inspect.getdoc(getattr(public, name)) for name in texts if not name.startswith("_")}
            assert {name: texts[name] for name in found} == found
    with pytest.raises(SystemExit, match="pit has a docstring, which belongs into the Rust code"):
        tool["with_docstrings"]('def pit() -> None:\n    """A text."""\n', stier._native)


@pytest.mark.parametrize("agent", [Lowest(), stier.PythonAgent(Lowest()), stier.PythonAgent(lowest)])
def test_anything_with_a_step_plays(agent: Any) -> None:
    expected = stier.pit("schwinget", [lowest, "greedy"], deals=3)
    found = stier.pit("schwinget", [agent, "greedy"], deals=3)
    assert (found.mean == expected.mean).all()
    assert found.agents[0] == ("lowest" if "lowest" in str(agent) else "Lowest")


def _bet(state: stier.State) -> int:
    return 1


#: Every public function that takes a game, with arguments for which its result can be compared.
OF_A_GAME: dict[str, Callable[[Any], object]] = {
    "stier.check_no_leak": lambda game: str(stier.check_no_leak(game, games=1, agents=[])),
    "stier.exploit": lambda game: str(stier.exploit(game, "random", deals=2)),
    "stier.exploitability": lambda game: stier.exploitability(game, "random"),
    "stier.load_agent": lambda game: repr(stier.load_agent("random", game)),
    "stier.pit": lambda game: str(stier.pit(game, ["random", "random"], deals=2)),
    "stier.registered_agents": lambda game: stier.registered_agents(game),
    "stier.solve": lambda game: stier.solve(game, iterations=2).nash_conv,
    "stier.experiments.with_option": lambda game: stier.experiments.with_option("ismcts", game, ["iterations"], 3),
    "stier.gymnasium.make": lambda game: stier.gymnasium.make(game).game,
    "stier.gymnasium.make_vec": lambda game: stier.gymnasium.make_vec(game).game,
    "stier.pettingzoo.env": lambda game: stier.pettingzoo.env(game).game,
    "stier.pettingzoo.parallel_env": lambda game: _refusal(stier.pettingzoo.parallel_env, game),
    "stier.playing.properties": lambda game: str(stier.playing.properties(game, deals=2, games=2)),
    "stier.ratings.is_better": lambda game: str(stier.ratings.is_better(game, "random", "random", 1, most_deals=2)),
    "stier.ratings.variance_reduction": lambda game: str(
        stier.ratings.variance_reduction(game, "random", "random", control=("random", "random"), deals=10)
    ),
    "stier.open_spiel.tabular": lambda game: stier.open_spiel.tabular(game, _Uniform()).nash_conv,
    "stier.solving.best_response": lambda game: stier.solving.best_response(game, "random").against.nash_conv,
    "stier.solving.nash_conv": lambda game: stier.solving.nash_conv(game, "random"),
    "stier.widget.play": lambda game: stier.widget.play(game, "random").frames,
    "stier.train.best_response": lambda game: (
        stier.train.best_response(game, "random", steps=8, num_envs=4, horizon=2, deals=2).responder
    ),
    "stier.train.chances": lambda game: str(stier.train.chances(game, _bet, "bet", deals=2)),
    "stier.train.learn": lambda game: (
        stier.train.learn(game, steps=8, num_envs=4, horizon=2, minibatches=4, deals=2).headlines
    ),
    "stier.train.learner": lambda game: stier.train.learner(game, num_envs=4, horizon=2, minibatches=4).game,
}


class _Uniform:
    """A policy of OpenSpiel."""

    def action_probabilities(self, state: Any) -> dict[int, float]:
        return {action: 1 / len(state.legal_actions()) for action in state.legal_actions()}


def _refusal(function: Callable[[Any], object], game: Any) -> str:
    with pytest.raises(stier.RulesError) as caught:
        function(game)
    return str(caught.value)


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    for module in dir(stier):
        if inspect.ismodule(getattr(stier, module, None)):
            found = import_module(f"stier.{module}")
            yield from ((f"stier.{module}.{name}", getattr(found, name)) for name in getattr(found, "__all__", []))


def test_every_function_that_takes_a_game_takes_its_name() -> None:
    pytest.importorskip("jax")
    pytest.importorskip("pyspiel")
    functions = {name: thing for name, thing in public_functions() if inspect.isroutine(thing)}
    functions |= {f"stier.{name}": getattr(stier, name) for name in stier.__all__ if callable(getattr(stier, name))}
    functions = {name: thing for name, thing in functions.items() if inspect.isroutine(thing)}
    taking = {thing for thing in functions.values() if "game" in inspect.signature(thing).parameters}
    # A replay is of a state or a record, and a state is written with its own game.
    taking -= {stier.replay, stier.widget.replay, stier.serialize_game_and_state}
    # These are for games written in Python.
    taking -= {stier.check_game, stier.register_game}
    called = {functions[name] for name in OF_A_GAME.keys() & functions}
    assert sorted(thing.__name__ for thing in taking - called) == []


@pytest.mark.parametrize("name", OF_A_GAME)
def test_a_game_by_name_is_the_game(name: str) -> None:
    for library, package in (("stier.train", "jax"), ("stier.open_spiel", "pyspiel"), ("stier.experiments", "pyarrow")):
        if name.startswith(library):
            pytest.importorskip(package)
    call = OF_A_GAME[name]
    assert call("kuhn_poker") == call(stier.load_game("kuhn_poker"))


def test_classes_take_a_game_by_name() -> None:
    game = stier.load_game("kuhn_poker")
    assert stier.train.Exact.of("kuhn_poker").tree.histories == stier.train.Exact.of(game).tree.histories
    assert stier.train.Evaluation("kuhn_poker").game == game
    assert stier.gymnasium.SeatEnv("kuhn_poker").game == game
    assert stier.gymnasium.VectorEnv("kuhn_poker").game == game
    assert stier.pettingzoo.CardGameEnv("kuhn_poker").game == game
    with pytest.raises(TypeError, match=NO_GAME):
        stier.gymnasium.make(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("opponent", [Lowest(), lowest, stier.PythonAgent(lowest)])
def test_opponents_are_anything_that_plays(opponent: Any) -> None:
    env = stier.gymnasium.make("schwinget", opponents=opponent)
    other = stier.gymnasium.make("schwinget", opponents=lowest)
    for one in (env, other):
        one.reset(seed=3)
        while not one.stier_state.is_terminal():
            one.step(int(one.action_masks().argmax()))
    assert env.stier_state == other.stier_state


def test_what_does_not_play_is_refused() -> None:
    with pytest.raises(TypeError, match=r"an object with step\(state\) or a callable, got int"):
        stier.pit("schwinget", [7, "greedy"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=NO_GAME):
        stier.pit(7, ["random", "greedy"])  # type: ignore[arg-type]


def test_games_may_be_named() -> None:
    assert stier.load_agent("greedy", "schwinget:bouts=2").game == stier.load_game("schwinget", bouts=2)
    assert stier.exploitability("kuhn_poker", "random") == stier.exploitability(stier.load_game("kuhn_poker"), "random")
    assert stier.solve("kuhn_poker", iterations=10).iterations == 10
    assert stier.exploit("kuhn_poker", "random", deals=5).game == stier.load_game("kuhn_poker")
    assert stier.VectorEnv("schwinget", 2).reset().rewards.shape == (2, 2)
    assert stier.solving.GameTree("kuhn_poker").information_sets == 12


def test_agents_say_what_they_are() -> None:
    agent = stier.load_agent("ismcts:iterations=50", "schwinget", seed=7, c=0.5)
    assert agent.spec == str(agent) == "ismcts:iterations=50,c=0.5,seed=7"
    assert agent.seed == 7
    assert stier.load_agent("greedy", "schwinget").seed == 0
    assert agent.options["iterations"] == 50
    (described,) = (one for one in stier.describe_agents() if one.name == "ismcts")
    assert list(agent.options) == [option.name for option in described.options]


@pytest.mark.parametrize(
    ("spec", "reproducible"),
    [
        ("ismcts", True),
        ("ismcts:time_ms=5", False),
        ("rule:cards=(ismcts:time_ms=5)", False),
        ("rule:cards=(ismcts:iterations=5)", True),
    ],
)
def test_agents_with_a_budget_of_time_are_not_reproducible(spec: str, reproducible: bool) -> None:
    assert stier.load_agent(spec, "schwinget").is_reproducible is reproducible


def test_options_are_values() -> None:
    bouts, scoring = (
        next(one for one in describe_game("schwinget") if one.name == name) for name in ("bouts", "scoring")
    )
    assert (bouts.minimum, bouts.choices) == (1, None)
    assert isinstance(bouts.maximum, int)
    assert bouts.allowed == f"1 to {bouts.maximum}"
    assert (scoring.minimum, scoring.maximum) == (None, None)
    assert scoring.choices is not None
    assert scoring.default in scoring.choices
    assert [game.name for game in stier.describe_games()] == stier.registered_names()
    c = next(
        option
        for agent in stier.describe_agents()
        if agent.name == "ismcts"
        for option in agent.options
        if option.name == "c"
    )
    assert isinstance(c.minimum, float)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stier.load_game("schwignet"), "unknown game 'schwignet'; did you mean 'schwinget'? Games: "),
        (lambda: stier.load_game("Schwinget"), "did you mean 'schwinget'?"),
        (lambda: stier.load_game("kuhnpoker"), "unknown game 'kuhnpoker'; did you mean 'kuhn_poker'? Games: "),
        (
            lambda: stier.load_game("schwinget", scoring="schwigner"),
            "scoring must be points or schwinger, got 'schwigner'; did you mean 'schwinger'?",
        ),
        (lambda: stier.load_game("jass"), "unknown game 'jass'; games: "),
        (
            lambda: stier.load_game("schwinget", bout=2),
            "schwinget has no option 'bout'; did you mean 'bouts'? Options: ",
        ),
        (lambda: stier.load_agent("greedi", "schwinget"), "unknown agent 'greedi'; did you mean 'greedy'? Agents: "),
        (
            lambda: stier.load_agent("ismcts", "schwinget", iteration=5),
            "ismcts has no option 'iteration'; did you mean 'iterations'? Options: ",
        ),
        (
            lambda: stier.load_game("schwinget").string_to_action("atack"),
            "'atack' is not a valid action of schwinget; did you mean 'attack'? Expected one of ",
        ),
    ],
)
def test_errors_name_what_was_meant(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value)


def test_unknown_cards_are_named() -> None:
    state = stier.load_game("up_and_down").new_initial_state(seed=1)
    beliefs = stier.load_agent("random", state.get_game()).beliefs(state)
    with pytest.raises(KeyError, match="unknown card 'nonsense'; cards: "):
        beliefs.of("nonsense", 0)


def copies(value: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)]


def test_searches_can_be_stored(state: stier.State) -> None:
    agent = stier.load_agent("ismcts:iterations=200", state.get_game())
    search = agent.search(state, tree_depth=2)
    for again in copies(search):
        assert again == search
        assert str(again) == str(search)
        assert again.lines == search.lines
    agent.restart()
    assert agent.search(state, tree_depth=2) == search
    assert agent.search(state) != search
    stats = search.actions[0]
    assert copies(stats) == [stats] * 3
    assert ActionStats(1, "a", 2, 0.5, 3, 0.25) != ActionStats(1, "a", 2, 0.5, 3, 0.5)
    assert copies(search.lines[0]) == [search.lines[0]] * 3
    assert Line([0], [1], ["a"], 2, 0.5).names == ["a"]


def test_beliefs_can_be_stored(state: stier.State) -> None:
    beliefs = stier.load_agent("random", state.get_game()).beliefs(state)
    for again in copies(beliefs):
        assert again == beliefs
        assert np.array_equal(again.expected, beliefs.expected)
        assert (again.basis, str(again)) == (beliefs.basis, str(beliefs))
    other = stier.load_game("schwinget").new_initial_state(seed=4)
    assert stier.load_agent("random", state.get_game()).beliefs(other) != beliefs


def test_matches_can_be_stored() -> None:
    result = stier.pit("up_and_down", ["random", "greedy", "random", "random"], deals=3, seed=5)
    for again in copies(result):
        assert again == result
        assert str(again) == str(result)
        assert (again.mean == result.mean).all()
        assert [played.record() for played in again.games] == [played.record() for played in result.games]
    assert stier.pit("up_and_down", ["random", "greedy", "random", "random"], deals=3, seed=6) != result


def test_python_agents_can_be_stored(state: stier.State) -> None:
    agent = stier.PythonAgent(lowest, name="low", seed=4)
    again = pickle.loads(pickle.dumps(agent))
    assert (again.name, again.step(state)) == ("low", agent.step(state))
    assert pickle.loads(pickle.dumps(stier.PythonAgent(Lowest()))).name == "Lowest"
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(stier.PythonAgent(lambda state: 0))


def no_state() -> int:
    return 0


class NoState:
    def step(self) -> int:
        return 0


#: Functions of which Python's own error would not say which agent is meant.
TAKING_AGENTS: dict[str, Callable[[Any], object]] = {
    "pit": lambda agent: stier.pit("kuhn_poker", ["random", agent], deals=1),
    "exploit": lambda agent: stier.exploit("kuhn_poker", agent, "random", deals=1),
    "responder": lambda agent: stier.exploit("kuhn_poker", "random", agent, deals=1),
    "exploitability": lambda agent: stier.exploitability("kuhn_poker", agent),
    "schwingfest": lambda agent: stier.schwingfest.schwingfest(["random", "random", agent]),
    "schwingfest by name": lambda agent: stier.schwingfest.schwingfest({"a": agent, "b": "random", "c": "random"}),
    "gymnasium": lambda agent: stier.gymnasium.make("kuhn_poker", opponents=agent),
}


@pytest.mark.parametrize("name", TAKING_AGENTS)
def test_an_agent_that_takes_no_state_is_named(name: str) -> None:
    if name == "gymnasium":
        pytest.importorskip("gymnasium")
    for agent, called in [(no_state, "no_state"), (NoState(), "NoState"), (lambda a, b: 0, "<lambda>")]:
        with pytest.raises(TypeError, match=f"^agent {called} must take a state and return an action: "):
            TAKING_AGENTS[name](agent)


def test_errors_can_be_named_where_they_are_looked_for() -> None:
    for name in stier.errors.__all__:
        assert getattr(stier, name) is getattr(stier.errors, name)


def test_names_are_those_that_type_checkers_see() -> None:
    """The package imports its names when they are used; type checkers read the imports in its file."""
    import ast

    tree = ast.parse(Path(stier.__file__ or "").read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    named = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in imports
        if str(node.module).startswith("stier.")
        for alias in node.names
    }
    assert set(named) == {*stier.__all__, *stier.errors.__all__}
    for name, (module, original) in named.items():
        assert getattr(stier, name) is getattr(import_module(str(module)), original)


def test_a_missing_extra_names_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    network = stier.network.Network.random(stier.load_game("kuhn_poker"), hidden=(2,))
    result, solution = stier.pit("kuhn_poker", ["random"] * 2, deals=1), stier.solve("kuhn_poker", iterations=1)
    for package, extra, call in [
        ("safetensors.numpy", "networks", lambda: network.save(tmp_path / "net")),
        ("safetensors", "networks", lambda: stier.network.Network.of("schwinget")),
        ("onnx", "onnx", lambda: network.to_onnx(tmp_path / "net")),
        ("pettingzoo", "pettingzoo", lambda: import_module("stier.pettingzoo")),
        ("gymnasium", "gymnasium", lambda: import_module("stier.gymnasium")),
        ("pyspiel", "open_spiel", lambda: import_module("stier.open_spiel")),
        ("pyspiel", "open_spiel", lambda: stier.load_game("openspiel:kuhn_poker")),
        ("matplotlib", "plots", lambda: import_module("stier.plots")),
        ("pandas", "pandas", result.to_pandas),
        ("pandas", "pandas", solution.to_pandas),
    ]:
        with monkeypatch.context() as without:
            without.setitem(sys.modules, package, None)
            for module in ("pettingzoo", "gymnasium", "open_spiel", "games._open_spiel", "plots"):
                without.delitem(sys.modules, f"stier.{module}", raising=False)
            with pytest.raises(stier.MissingExtraError) as raised:
                call()
        text = str(raised.value)
        assert f" needs {package.partition('.')[0]}: pip install 'stier[{extra}]', or './python[{extra}]'" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("name", ["schwinget", "schwimmen", "kuhn_poker"])
def test_events_can_be_taken_back(name: str, seed: int | None) -> None:
    rng = np.random.default_rng(1)
    state = stier.load_game(name).new_initial_state(seed=seed)
    before = []
    while not state.is_terminal():
        before.append((state.clone(), state.current_player()))
        state.apply_action(int(rng.choice(state.legal_actions())))
    for expected, player in reversed(before):
        action = state.full_history()[len(expected.history())].action
        with pytest.raises(ValueError, match="the last event is"):
            state.undo_action(player, action + 1)
        state.undo_action(player, action)
        assert state == expected
    with pytest.raises(ValueError, match="nothing has happened"):
        state.undo_action(0, 0)


def test_openspiels_names(state: stier.State) -> None:
    game = state.get_game()
    state.apply_action(state.legal_actions()[0])
    assert state.full_history() == state.history()
    assert isinstance(state.full_history()[0], PlayerAction)
    assert state.observation_string(1) == state.to_text(1)
    assert state.player_reward(0) == 0
    assert game.deserialize_state(state.serialize()) == state
    with pytest.raises(stier.errors.RecordError, match="belongs to the game schwinget, not to schwinget:bouts=2"):
        stier.load_game("schwinget", bouts=2).deserialize_state(state.serialize())
    assert game.get_parameters() == game.rules()
    assert [game.observation_tensor_size()] == game.observation_tensor_shape()
    assert [game.information_state_tensor_size()] == game.information_state_tensor_shape()
    assert game.max_history_length() >= len(state.history())
