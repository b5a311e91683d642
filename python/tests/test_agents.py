"""Agents by name, and callables as agents."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from helpers import decisions, fast_agent, has_chance

import stier


@pytest.fixture
def state(schwinget: stier.Game) -> stier.State:
    return schwinget.new_initial_state(seed=7)


def first(state: stier.State) -> int:
    return state.legal_actions()[0]


def test_names_are_sorted_and_load(game: stier.Game) -> None:
    names = stier.registered_agents(game)
    assert {"epimc", "ismcts", "oracle", "pimc", "random"} <= set(names) <= set(stier.registered_agents())
    assert names == sorted(names)
    assert [stier.load_agent(name, game).name for name in names] == names


@pytest.mark.parametrize(
    "same",
    [
        lambda game: stier.load_agent("ismcts:iterations=50,threads=2,seed=1", game),
        lambda game: stier.load_agent("ismcts", game, iterations=50, threads=2, seed=1),
        lambda game: stier.load_agent("ismcts", game, seed=np.int64(1), threads="2", iterations=50),
        lambda game: stier.load_agent("ismcts:threads=2", game, iterations=50, seed=1),
        lambda game: stier.load_agent("ismcts(threads=2, iterations=50)", game, seed=1),
    ],
)
def test_ways_to_write_the_same_agent(schwinget: stier.Game, same) -> None:
    agent = same(schwinget)
    assert str(agent) == "ismcts:iterations=50,threads=2,seed=1"
    assert str(stier.load_agent(str(agent), schwinget)) == str(agent)
    assert agent.game == schwinget
    assert repr(agent) == "<stier.Agent 'ismcts:iterations=50,threads=2,seed=1' for schwinget>"


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("alphazero", {}, ["unknown agent 'alphazero'", "greedy", "ismcts", "random"]),
        ("", {}, ["unknown agent ''", "random"]),
        ("ismcts", {"iteratons": 5}, ["no option 'iteratons'", "iterations", "threads"]),
        ("ismcts", {"iterations": 0}, ["ismcts: iterations must be between 1 and 1000000000, got 0"]),
        ("ismcts", {"iterations": 10**30}, ["between 1 and "]),
        ("ismcts", {"iterations": "many"}, ["'many'", "between 1 and "]),
        ("ismcts", {"rollout": "deep"}, ["ismcts: rollout must be random, hints", ", got 'deep'"]),
        ("ismcts", {"rollout": "hints,c=1"}, ["must not contain ',' or '='"]),
        ("ismcts", {"c": -1.0}, ["between 0 and 100"]),
        ("ismcts", {"c": float("nan")}, ["ismcts: c must be between ", "got nan"]),
        ("ismcts", {"seed": -1}, ["seed must be between 0 and 18446744073709551615, got -1"]),
        ("random", {"c": 1}, ["no option 'c'", "none"]),
        ("ismcts:iterations=5", {"iterations": 6}, ["'iterations' is given twice"]),
        ("ismcts:seed=5", {"seed": 6}, ["'seed' is given twice"]),
        ("ismcts:iterations", {}, ["name=value"]),
    ],
)
def test_what_is_no_agent_is_refused_with_what_there_is(schwinget: stier.Game, name, options, named) -> None:
    with pytest.raises(stier.AgentError) as caught:
        stier.load_agent(name, schwinget, **options)
    assert isinstance(caught.value, ValueError)
    for part in named:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["random", "greedy", "ismcts:iterations=60", "ismcts:iterations=60,threads=2", "pimc:worlds=3,iterations=10"],
)
def test_decisions_are_legal_and_repeatable(game: stier.Game, name: str) -> None:
    if name == "greedy":
        name, _, _ = fast_agent(game).partition(":")
    one, two = (stier.load_agent(name, game, seed=4) for _ in range(2))
    for state in decisions(game, 41):
        before = state.clone()
        action = one.step(state)
        assert type(action) is int
        assert action in state.legal_actions()
        policy, chosen = two.step_with_policy(state)
        assert chosen == action
        assert [legal for legal, _ in policy] == state.legal_actions()
        assert sum(probability for _, probability in policy) == pytest.approx(1)
        assert dict(policy)[chosen] > 0
        assert state == before


def test_agents_are_options_of_agents(schwinget: stier.Game) -> None:
    agent = stier.load_agent("lbr", schwinget, against="(ismcts:iterations=5,c=1)", worlds=2)
    assert str(agent) == "lbr:worlds=2,against=(ismcts:iterations=5,c=1)"
    assert str(stier.load_agent("lbr", schwinget, against="(random)")) == "lbr:against=random"
    with pytest.raises(stier.AgentError, match="against cannot be used: unknown agent 'nobody'"):
        stier.load_agent("lbr", schwinget, against="(nobody)")


def test_restart_begins_again(state: stier.State) -> None:
    agent = stier.load_agent("random", state.get_game(), seed=9)

    def some() -> list[int]:
        return [agent.step(state) for _ in range(30)]

    begun = some()
    assert some() != begun
    agent.restart()
    assert some() == begun
    agent.restart(10)
    assert some() != begun
    agent.restart(seed=9)
    assert some() == begun
    with pytest.raises(ValueError, match="seed must be"):
        agent.restart(-1)


def test_search_shows_what_it_saw(state: stier.State) -> None:
    game = state.get_game()
    search = stier.load_agent("ismcts", game, iterations=2000, seed=1).search(state)
    assert search.iterations == 2000
    assert search.nodes > 1
    assert search.seconds > 0
    assert [stats.action for stats in search.actions] == state.legal_actions()
    assert [stats.name for stats in search.actions] == [state.action_to_string(a) for a in state.legal_actions()]
    assert sum(stats.visits for stats in search.actions) == 2000
    assert sum(stats.probability for stats in search.actions) == pytest.approx(1)
    for stats in search.actions:
        assert game.min_utility() <= stats.value <= game.max_utility()
        assert stats.visits <= stats.availability <= 2000
    assert search.action == max(search.actions, key=lambda stats: stats.visits).action
    assert search.action == stier.load_agent("ismcts", game, iterations=2000, seed=1).step(state)
    assert "2000 iterations" in str(search)
    assert "visits=" in repr(search.actions[0])


def test_only_searchers_search(state: stier.State) -> None:
    game = state.get_game()
    for agent in [stier.load_agent("random", game), stier.load_agent(fast_agent(game), game), stier.PythonAgent(first)]:
        with pytest.raises(stier.AgentError, match=r"does not search; agents that search: .*ismcts"):
            agent.search(state)


def test_time_budgets_are_kept(state: stier.State) -> None:
    start = time.perf_counter()
    search = stier.load_agent("ismcts", state.get_game(), time_ms=100).search(state)
    assert 0.09 < time.perf_counter() - start < 1
    assert search.iterations > 100


def test_nothing_to_decide_is_an_error(game: stier.Game) -> None:
    end = game.new_initial_state(seed=1)
    while not end.is_terminal():
        end.apply_action(first(end))
    for agent in [stier.load_agent("random", game), stier.PythonAgent(first)]:
        if has_chance(game):
            start = game.new_initial_state()
            while not start.is_chance_node():
                start.apply_action(first(start))
            with pytest.raises(stier.AgentError, match="no player can act: a random event comes next"):
                agent.step(start)
        with pytest.raises(stier.AgentError, match="no player can act: the game is over"):
            agent.step(end)


def test_states_of_other_games_are_refused(state: stier.State) -> None:
    agent = stier.load_agent("random", stier.load_game("schwinget", bouts=2))
    with pytest.raises(stier.AgentError, match=r"made for schwinget:bouts=2, the state is of schwinget$"):
        agent.step(state)
    with pytest.raises(TypeError):
        agent.step("state")  # type: ignore[arg-type]


def test_pickled_agents_come_back_as_newly_loaded(state: stier.State) -> None:
    agent = stier.load_agent("random", state.get_game(), seed=3)
    begun = [agent.step(state) for _ in range(20)]
    again = pickle.loads(pickle.dumps(agent))
    assert str(again) == str(agent)
    assert [again.step(state) for _ in range(20)] == begun


def test_descriptions_have_every_agent() -> None:
    agents = {agent.name: agent for agent in stier.describe_agents()}
    assert list(agents) == stier.registered_agents()
    assert all(agent.description for agent in agents.values())
    options = {option.name: option for option in agents["ismcts"].options}
    assert options["iterations"].default == 1000
    assert options["rollout"].allowed == "random | hints | fitted | network"
    assert all(option.description for option in options.values())


def test_other_threads_run_during_a_search(state: stier.State) -> None:
    agent = stier.load_agent("ismcts", state.get_game(), time_ms=300)
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    agent.step(state)
    during = counted - before
    stop.set()
    thread.join()
    assert during > 1000


def test_one_agent_decides_once_at_a_time(state: stier.State) -> None:
    agent = stier.load_agent("ismcts", state.get_game(), time_ms=400)
    thread = threading.Thread(target=agent.step, args=[state])
    thread.start()
    time.sleep(0.1)
    with pytest.raises(stier.AgentError, match="deciding in another thread"):
        agent.step(state)
    with pytest.raises(RuntimeError):
        state.apply_action(first(state))
    thread.join()
    assert agent.step(state) in state.legal_actions()


def test_callables_decide(game: stier.Game) -> None:
    agent = stier.PythonAgent(first)
    assert agent.name == str(agent) == "first"
    for state in decisions(game, 42):
        assert agent.step(state) == first(state)
        policy, action = agent.step_with_policy(state)
        assert policy == [(legal, float(legal == action)) for legal in state.legal_actions()]


def test_callables_have_names() -> None:
    assert stier.PythonAgent(first, name="low").name == "low"
    assert stier.PythonAgent(lambda state: 0).name == "<lambda>"

    class Player:
        def __call__(self, state: stier.State) -> int:
            return first(state)

    assert stier.PythonAgent(Player()).name == "Player"
    with pytest.raises(TypeError, match="callable"):
        stier.PythonAgent("random")  # type: ignore[arg-type]


def test_callables_cannot_peek(game: stier.Game) -> None:
    shown: list[stier.State] = []

    def look(state: stier.State) -> int:
        shown.append(state)
        return first(state)

    different = 0
    for state in decisions(game, 43):
        player = state.current_player()
        shown.clear()
        agent = stier.PythonAgent(look, seed=1)
        for world in [state, state.resample_from_infostate(player, 1)]:
            agent.restart()
            agent.step(world)
        assert shown[0] == shown[1]
        assert shown[0].information_state_string(player) == state.information_state_string(player)
        for _ in range(5):
            agent.step(state)
        different += len(set(shown)) > 1
    assert different > 0


def test_callables_may_play_with_what_they_are_shown(state: stier.State) -> None:
    def spoil(shown: stier.State) -> int:
        action = first(shown)
        while not shown.is_terminal():
            shown.apply_action(first(shown))
        return action

    before = state.clone()
    assert stier.PythonAgent(spoil).step(state) == first(state)
    assert state == before


@pytest.mark.parametrize("action", [-1, 27, 29, 300, 10**30])
def test_callables_that_choose_illegal_actions_are_told(state: stier.State, action: int) -> None:
    with pytest.raises(stier.IllegalActionError, match=r"wrong chose an illegal action .*; legal here: G4 \(3\)"):
        stier.PythonAgent(lambda _: action, name="wrong").step(state)


@pytest.mark.parametrize("answer", [None, "G4", 1.5, []])
def test_callables_that_choose_no_action_are_told(state: stier.State, answer) -> None:
    told = r"agent wrong in schwinget raised TypeError, after G4 .*: it must return the number of an action, got "
    with pytest.raises(stier.AgentError, match=told):
        stier.PythonAgent(lambda _: answer, name="wrong").step(state)


def test_callables_may_answer_with_numpy(state: stier.State) -> None:
    assert stier.PythonAgent(lambda shown: np.int64(first(shown))).step(state) == first(state)


def test_what_callables_raise_is_the_cause(state: stier.State) -> None:
    error = KeyError("mine")

    def fail(_: stier.State) -> int:
        raise error

    with pytest.raises(stier.AgentError, match=r"agent fail in schwinget raised KeyError, after G4 ") as caught:
        stier.PythonAgent(fail).step(state)
    assert caught.value.__cause__ is error


FORKED = """
import os, signal, stier
game = stier.load_game("schwinget")
state = game.new_initial_state(seed=7)
agent = stier.load_agent("ismcts:iterations=500,threads=3,seed=1", game)
chosen = agent.step(state)
child = os.fork()
if child == 0:
    signal.alarm(60)
    agent.restart(1)
    os._exit(0 if agent.step(state) == chosen else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_agents_with_threads_survive_a_fork() -> None:
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True)
    assert run.stdout == "0\n", run.stderr
