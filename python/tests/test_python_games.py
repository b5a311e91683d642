"""Games written in Python: what only they can do wrong. All other tests play those of the examples, too."""

from __future__ import annotations

import io
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from helpers import EXAMPLES, PYTHON_GAMES, random_walk
from kuhn import Kuhn
from leduc import Leduc
from trumps import Trumps

import stier
from stier.cli import main
from stier.games._sheet import Sheet, Trusted
from stier.solving import GameTree

TWINS = {"kuhn:Kuhn": "kuhn_poker", "kuhn:Kuhn(players=3)": "kuhn_poker:players=3", "leduc:Leduc": "leduc_poker"}


@pytest.mark.parametrize(("python", "rust"), TWINS.items())
def test_the_same_game_has_the_same_tree_and_values(python: str, rust: str) -> None:
    ours, theirs = (stier.solve(game, iterations=30) for game in (python, rust))
    assert (ours.histories, ours.information_sets) == (theirs.histories, theirs.information_sets)
    assert ours.values == pytest.approx(theirs.values, abs=1e-12)
    assert ours.nash_conv == pytest.approx(theirs.nash_conv, abs=1e-12)
    assert stier.exploitability(python, "random") == pytest.approx(stier.exploitability(rust, "random"), abs=1e-12)


@pytest.mark.parametrize("place", PYTHON_GAMES)
def test_results_do_not_depend_on_threads_or_on_what_is_remembered(place: str) -> None:
    found = []
    for threads, deals in [(1, 0), (4, 0), (1, 20)]:
        stier.games.forget()
        game = stier.load_game(place)
        if deals:
            stier.pit(game, ["random", "random"], deals=deals)
        states = [game.new_initial_state(seed=seed) for seed in range(6)]
        searches = stier.search_many("ismcts:iterations=60", states, seed=1, threads=threads)
        result = stier.pit(game, ["random", "pimc:worlds=3,iterations=20"], deals=10, threads=threads)
        solved = stier.solve(game, iterations=5, threads=threads)
        found.append((str(searches), result.mean.tolist(), solved.values, str(states)))
    assert found[0] == found[1] == found[2]


COMMANDS = [
    "games {game}",
    "rules {game}",
    "pit {game} random ismcts:iterations=20 --deals 4",
    "solve {game} --iterations 5 --save {folder}/solution",
    "exploitability {game} random {folder}/solution",
    "exploit {game} random --deals 12",
    "properties {game} --deals 3 --games 2",
    "check-leak {game} --games 2",
    "play {game} --seed 1 --seat 0 --record {folder}/game.txt",
    "replay {folder}/game.txt",
    "train {game} --steps 2000 --evaluations 1 --deals 4 --out {folder}/run --set num_envs=64 --set hidden=16",
    "pit {game} network:path={folder}/run/network.safetensors random --deals 4",
    "run {folder}/plan.toml --out {folder}/results",
    "report {folder}/results",
]
PLAN = """
game = "{game}"
agents = ["random", "ismcts:iterations=10"]
deals = 4
"""


@pytest.mark.parametrize("game", PYTHON_GAMES)
def test_every_command_takes_it(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.format(game=game), "utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 20))
    for command in COMMANDS:
        assert main(command.format(game=game, folder=tmp_path).split()) == 0, command


@pytest.mark.parametrize("place", PYTHON_GAMES)
def test_every_library_takes_it(place: str) -> None:
    game = stier.load_game(place)
    name = game.short_name()
    stier.open_spiel.register()
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"stier_{name}").new_initial_state()
    stier.open_spiel.deal(theirs, 3)
    ours = game.new_initial_state(seed=3)
    assert theirs.information_state_string(0) == ours.information_state_string(0)
    env = stier.pettingzoo.env(place)
    env.reset(seed=3)
    single = stier.gymnasium.make(place, opponents="random")
    vector = stier.gymnasium.make_vec(place, num_envs=3, opponents="random")
    assert single.reset(seed=3)[0].shape == vector.reset(seed=3)[0].shape[1:] == tuple(game.observation_tensor_shape())
    assert env.last()[0]["observation"].shape == tuple(game.observation_tensor_shape())
    assert game.new_initial_state(seed=3).to_svg().startswith("<svg")
    assert stier.check_no_leak(game, games=3).ok
    assert "no fault" in str(stier.check_game(place))


class Broken(Kuhn):
    """Kuhn poker in which a method raises, once it is armed."""

    name = "broken"
    armed = False
    facts = hand = None

    def __init__(self, method: str = "apply") -> None:
        super().__init__()
        work = getattr(self, method)

        def fail(*arguments: Any) -> Any:
            if Broken.armed:
                raise ZeroDivisionError("boom")
            return work(*arguments)

        setattr(self, method, fail)


def played(state: stier.State) -> stier.State:
    for action in (0, 1, 1):
        state.apply_action(action)
    return state


TOOLS: dict[str, Callable[[stier.Game], Any]] = {
    "apply_action": lambda game: played(game.new_initial_state()).legal_actions(),
    "seed": lambda game: game.new_initial_state(seed=1).returns(),
    "information_state_string": lambda game: played(game.new_initial_state()).information_state_string(0),
    "information_state_tensor": lambda game: played(game.new_initial_state()).information_state_tensor(0),
    "to_text": lambda game: played(game.new_initial_state()).to_text(1),
    "resample": lambda game: played(game.new_initial_state()).resample_from_infostate(1, 3),
    "record": lambda game: game.deserialize_state(played(game.new_initial_state()).serialize()),
    "search": lambda game: stier.load_agent("ismcts:iterations=50", game).search(game.new_initial_state(seed=1)),
    "callable": lambda game: stier.PythonAgent(lambda state: 0).step(game.new_initial_state(seed=1)),
    "pit": lambda game: stier.pit(game, ["random", "ismcts:iterations=9"], deals=9, threads=2),
    "search_many": lambda game: stier.search_many("ismcts:iterations=9", [game.new_initial_state(seed=1)]),
    "resample_many": lambda game: stier.resample_many([game.new_initial_state(seed=1)], 5).observation_tensors(),
    "solve": lambda game: stier.solve(game, iterations=2, threads=2),
    "exploitability": lambda game: stier.exploitability(game, "ismcts:iterations=3"),
    "vector": lambda game: stier.VectorEnv(game, 8, threads=2).reset(),
    "opponents": lambda game: stier.VectorEnv(game, 8, opponents="ismcts:iterations=9").reset(),
    "properties": lambda game: stier.playing.properties(game, deals=5),
}


#: Tools that do not come to the end of a game, and those that show nobody anything.
BEFORE_THE_END = (
    "information_state_string",
    "information_state_tensor",
    "to_text",
    "resample",
    "callable",
    "resample_many",
)
BEFORE_THE_END += ("vector", "opponents")
NOT_CALLED = {("returns", tool) for tool in BEFORE_THE_END}
NOT_CALLED |= {(method, tool) for method in ("returns", "observation") for tool in ("apply_action", "seed", "record")}
METHODS = ["apply", "current_player", "legal_actions", "chance_outcomes", "returns", "observation"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_raises_is_named_in_every_tool(method: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Broken, "armed", False)
    game = stier.load_game(Broken, method=method)
    monkeypatch.setattr(Broken, "armed", True)
    if (method, tool) in NOT_CALLED:
        TOOLS[tool](game)
        return
    with pytest.raises(stier.GameError) as found:
        TOOLS[tool](game)
    assert str(found.value).startswith(f"broken: {method} raised ZeroDivisionError, ")
    assert re.search(r": boom \(test_python_games\.py, line \d+\)$", str(found.value))
    assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_a_state_stays_as_it_was_where_the_game_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Broken, "armed", False)
    game = stier.load_game(Broken)
    state = game.new_initial_state(seed=1)
    before = state.clone()
    monkeypatch.setattr(Broken, "armed", True)
    with pytest.raises(stier.GameError, match="broken: apply raised"):
        state.apply_action(1)
    assert state == before
    monkeypatch.setattr(Broken, "armed", False)
    state.apply_action(1)
    assert len(state.history()) == len(before.history()) + 1


class Wrong(Kuhn):
    """Kuhn poker with a fault."""

    name = "wrong"

    def __init__(self, fault: str = "sum") -> None:
        super().__init__()
        self.fault = fault
        if fault in ("long", "chances"):
            self.max_decisions = 1
        if fault == "chances":
            self.max_chance_events = 0

    def current_player(self, state: Any) -> int:
        return 7 if self.fault == "player" else super().current_player(state)

    def legal_actions(self, state: Any) -> list[int]:
        return {"actions": [0, 2], "none": []}.get(self.fault, [0, 1])

    def chance_outcomes(self, state: Any) -> list[tuple[int, float]]:
        outcomes = super().chance_outcomes(state)
        return {"sum": outcomes[1:], "outcome": [(9, 1.0)], "empty": []}.get(self.fault, outcomes)

    def returns(self, state: Any) -> list[float]:
        wrong = {"range": [3, -3], "zero": [1, 1], "minus": [0.0, -0.0]}
        return wrong.get(self.fault, super().returns(state))


DEALT = "after [chance: J, chance: Q]"
PASSED = "after [chance: J, chance: Q, player 0: pass, player 1: pass]"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            "player",
            "current_player is 7, at the start; it must be a player from 0 to 1, stier.CHANCE or stier.TERMINAL",
        ),
        ("actions", f"legal_actions is [0, 2], {DEALT}; actions are numbers from 0 to 1, as num_actions says"),
        (
            "none",
            f"legal_actions is [], {DEALT}; a player to act needs an action, so add one for passing or let "
            "current_player skip the player",
        ),
        (
            "sum",
            "chance_outcomes is [(1, 0.3333333333333333), (2, 0.3333333333333333)], at the start; the probabilities "
            "add up to 0.6666666666666666, not to 1",
        ),
        (
            "outcome",
            "chance_outcomes is [(9, 1.0)], at the start; outcomes are numbers from 0 to 2, as num_outcomes says",
        ),
        ("empty", "chance_outcomes is [], at the start; chance needs an outcome"),
        ("range", f"returns is [3, -3], {PASSED}; utility_range is -2 to 2"),
        (
            "zero",
            f"returns is [1, 1], {PASSED}; they add up to 2.0, and utility_sum is 0; write None if the sum is not "
            "always the same",
        ),
        ("long", "max_decisions is 1, and player 1 is to act, after [chance: J, chance: Q, player 0: pass]"),
        ("chances", "a game has more than 1 events: max_decisions is 1 and max_chance_events 0, after [chance: J]"),
    ],
)
def test_what_cannot_be_is_said_with_the_history(fault: str, sentence: str) -> None:
    def play() -> None:
        state = stier.load_game(Wrong, fault=fault).new_initial_state()
        for event in (0, 1, 0, 0):
            state.apply_action(event)

    with pytest.raises(stier.GameError) as found:
        play()
    assert str(found.value) == f"wrong: {sentence}; stier.check_game explains it"


def stepped(game: stier.Game) -> None:
    envs = stier.VectorEnv(game, 8)
    envs.reset()
    envs.step(envs.sample_actions())


@pytest.mark.parametrize("tool", ["pit", "search", "solve", "exploitability", "step"])
def test_games_that_are_longer_than_they_say_are_refused(tool: str) -> None:
    with pytest.raises(stier.GameError, match=r"wrong: max_decisions is 1, and player 1 is to act, after \[chance: "):
        (TOOLS | {"step": stepped})[tool](stier.load_game(Wrong, fault="long"))


def test_returns_have_no_minus_0() -> None:
    state = list(random_walk(stier.load_game(Wrong, fault="minus").new_initial_state(), 1))[-1]
    assert str([*state.returns().tolist(), state.player_return(1)]) == "[0.0, 0.0, 0.0]"
    assert "-0" not in state.record()


class Forgetful(Kuhn):
    """Kuhn poker in which a state after a player's action is not returned."""

    name = "forgetful"

    def apply(self, state: Any, action: int) -> Any:
        after = super().apply(state, action)
        return after if self.current_player(state) == stier.CHANCE else None


def test_a_forgotten_return_is_blamed_on_apply() -> None:
    game = stier.load_game(Forgetful)
    for play in (
        lambda: stier.load_agent("random", game).step(game.new_initial_state(seed=1).child(0)),
        lambda: stier.solve(game, iterations=1),
    ):
        with pytest.raises(stier.GameError, match=r"^forgetful: apply must return a state, got None, after \[chance: "):
            play()


class Glance(Kuhn):
    """Kuhn poker in which a card is seen before the first action only."""

    name = "glance"

    def observation(self, state: Any, player: int | None) -> Any:
        return ((), state.actions) if state.actions else super().observation(state, player)


#: The facts that the adapter of a library may tell, and no class.
TRUSTED: dict[str, Any] = {
    "states_are_histories": True,
    "observations_recall": True,
    "state_bytes": "a lot",
    "information_state": lambda self, state, player: "nothing",
}


@pytest.mark.parametrize("member", TRUSTED)
def test_no_class_is_trusted(member: str) -> None:
    assert TRUSTED.keys() == set(Trusted._fields)
    members = {"name": "own", member: TRUSTED[member]}
    glance, own = (stier.load_game(game) for game in (Glance, type("Own", (Glance,), members)))
    assert replace(stier.check_game(own), game="glance") == stier.check_game(glance)
    assert GameTree(own).information_sets == GameTree(glance).information_sets
    states = [game.new_initial_state() for game in (glance, own)]
    for event in (0, 1, 0):
        for state in states:
            state.apply_action(event)
    assert str(states[1]) == str(states[0])
    told = "seat 1 | ((), ()) waiting | ((1), ()) | ((), (0)) to act"
    assert [state.information_state_string() for state in states] == [told, told]


class Counted(tuple[Any, ...]):
    """States that know how many of them there are."""

    alive: ClassVar[int] = 0

    def __new__(cls, *items: Any) -> Counted:
        cls.alive += 1
        return super().__new__(cls, *items)

    def __del__(self) -> None:
        Counted.alive -= 1


class Long:
    """A hundred choices of 0 or 1; the sum so far is seen by all, the last two choices by nobody."""

    name = "long"
    num_players = 2
    num_actions = 2
    utility_range = (-100.0, 100.0)
    utility_sum = 0.0
    max_decisions = 120

    def __init__(self, megabytes: int = 64) -> None:
        self.memory_mb = megabytes

    def initial_state(self) -> Any:
        return Counted((0, 0, ()))

    def current_player(self, state: Any) -> int:
        return stier.TERMINAL if state[0] == self.max_decisions else state[0] % 2

    def legal_actions(self, state: Any) -> list[int]:
        return [0, 1]

    def chance_outcomes(self, state: Any) -> list[tuple[int, float]]:
        return []

    def apply(self, state: Any, action: int) -> Any:
        number, total, last = state
        last = (*last, action)
        return Counted((number + 1, total + (last[0] if len(last) > 6 else 0) * (number % 3), last[-6:]))

    def returns(self, state: Any) -> list[float]:
        return [state[1] - 50, 50 - state[1]]

    def observation(self, state: Any, player: int | None) -> Any:
        return state[0], state[1]


def test_memory_is_bounded_and_changes_nothing() -> None:
    found = []
    for megabytes in (64, 1):
        game = stier.load_game(Long, megabytes=megabytes)
        before = Counted.alive
        states = [list(random_walk(game.new_initial_state(), seed))[-1] for seed in range(60)]
        result = stier.pit(game, ["random", "random"], deals=60, seed=3)
        found.append(([(state.history(), tuple(state.returns())) for state in states], result.mean.tolist()))
        grown = Counted.alive - before
        assert grown < 2000 if megabytes == 1 else grown > 4000, grown
        record = states[0].record()
        assert stier.read_record(record) == states[0]
        assert pickle.loads(pickle.dumps(states[0])) == states[0]
    assert found[0] == found[1]


class Failing(Long):
    """The game of a hundred choices, in little memory. A method raises once it is armed."""

    name = "failing"
    memory_mb = 1
    armed = ""

    def __init__(self) -> None:
        pass

    def current_player(self, state: Any) -> int:
        assert self.armed != "current_player", "boom"
        return super().current_player(state)

    def apply(self, state: Any, action: int) -> Any:
        assert self.armed != "apply", "boom"
        return super().apply(state, action)


#: Tools that ask a game about a state which it has forgotten.
FORGOTTEN: dict[str, Callable[[stier.State], Any]] = {
    "current_player": lambda state: state.current_player(),
    "legal_actions": lambda state: state.legal_actions(),
    "information_state_string": lambda state: state.information_state_string(),
    "observation_tensor": lambda state: state.observation_tensor(),
    "returns": lambda state: state.returns(),
    "child": lambda state: state.child(0),
    "resample": lambda state: state.resample_from_infostate(0, 1),
    "resample_many": lambda state: stier.resample_many([state], 5),
    "beliefs": lambda state: stier.load_agent("ismcts", state.get_game()).beliefs(state),
    "beliefs of a callable": lambda state: stier.PythonAgent(lambda state: 0).beliefs(state),
    "step": lambda state: stier.load_agent("random", state.get_game()).step(state),
    "search": lambda state: stier.load_agent("ismcts:iterations=5", state.get_game()).search(state),
    "search_many": lambda state: stier.search_many("ismcts:iterations=5", [state]),
}


@pytest.mark.parametrize("tool", FORGOTTEN)
@pytest.mark.parametrize("method", ["apply", "current_player"])
def test_a_game_that_fails_where_it_has_forgotten_is_named(
    method: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = stier.load_game(Failing)
    state = game.new_initial_state()
    for action in [0, 1] * 10:
        state.apply_action(action)
    stier.pit(game, ["random", "random"], deals=10, threads=1)
    monkeypatch.setattr(Failing, "armed", method)
    with pytest.raises(stier.GameError, match=rf"failing: {method} raised AssertionError, "):
        FORGOTTEN[tool](state)


class Hidden(Long):
    """Each player chooses twice in turn, and the second choice of player 0 may be another one that nobody sees."""

    name = "hidden"
    max_decisions = 4

    def current_player(self, state: Any) -> int:
        choices = state[2]
        if len(choices) == 4 or (len(choices) == 3 and choices[0] == 0):
            return stier.TERMINAL
        return 0 if len(choices) == 0 or (len(choices) == 1 and choices[0] == 1) else 1

    def observation(self, state: Any, player: int | None) -> Any:
        return ()


def test_moves_that_nobody_notices_must_be_declared() -> None:
    """A tree that is grown and one that is made from a list of all histories fail alike."""

    def told(state: Any, player: int) -> str:
        return str(state[2][1 + state[2][0] :] if player else state[2])

    grown = stier.load_game(Hidden)
    listed = stier._native._python_game(Sheet(Hidden(), [], Trusted(True, information_state=told)))
    errors = []
    for game in (listed, grown):
        with pytest.raises(stier.GameError, match=r"^hidden: player 1 does not notice some actions of others") as found:
            GameTree(game)
        errors.append(str(found.value))
    assert errors[1] == errors[0] + ", and must say hidden_moves = True"


class Unknowable(Kuhn):
    """Kuhn poker in which the legal actions tell the opponent's card."""

    name = "unknowable"

    def legal_actions(self, state: Any) -> list[int]:
        return [0, 1] if state[0][1 - self.current_player(state)] else [0]


def test_legal_actions_must_follow_from_what_the_player_knows() -> None:
    with pytest.raises(stier.GameError, match="legal_actions differ in two histories that player 0 cannot tell apart"):
        stier.solve(stier.load_game(Unknowable), iterations=1)


class Seen(Kuhn):
    """Kuhn poker that shows nobody the bets, and says who notices them."""

    name = "seen"

    def observation(self, state: Any, player: int | None) -> Any:
        cards = state[0]
        return None if player is None or player >= len(cards) else cards[player]

    def observed(self, state: Any, action: int, player: int | None) -> Any:
        return None if self.current_player(state) == stier.CHANCE else action


def test_actions_may_be_noticed_without_being_seen() -> None:
    solved = stier.solve(stier.load_game(Seen), iterations=20)
    assert solved.values == pytest.approx(stier.solve("kuhn_poker", iterations=20).values, abs=1e-12)
    assert solved.information_sets == 12


class Colour(Enum):
    RED = 1
    BLACK = 2


class Typed(Kuhn):
    """Kuhn poker with an option of each type."""

    name = "typed"

    def __init__(
        self,
        players: int = 2,
        stake: float = 1.0,
        open_cards: bool = False,
        style: Literal["slow", "fast"] = "slow",
        colour: Colour = Colour.RED,
        label: str = "x",
    ) -> None:
        if stake <= 0:
            raise ValueError("the stake must be positive")
        super().__init__(players)
        self.values = (players, stake, open_cards, style, colour, label)


def test_options_come_back_in_their_types() -> None:
    rules = {"players": 3, "stake": 0.5, "open_cards": "on", "style": "fast", "colour": "BLACK", "label": "y"}
    game = stier.load_game(Typed, **rules)
    assert game.rules() == rules
    assert stier.load_game(str(game)) == game
    assert stier.load_game("typed", open_cards=True, colour=Colour.BLACK).rules_text() == "open_cards=on,colour=BLACK"
    assert [option.name for option in stier.catalogue.describe_game("typed")] == list(rules)
    for letter in ",:=()":
        with pytest.raises(stier.RulesError, match="label must not contain"):
            stier.load_game(Typed, label=f"a{letter}b")
    for text, problem in [
        ("typed:stake=-1", "typed: the stake must be positive"),
        ("typed:style=quick", "typed: style must be slow or fast, got 'quick'"),
        ("typed:players=many", "typed: players must be a whole number, got 'many'"),
        (f"typed:players={2**63}", "typed: players must be a whole number of 64 bits, got '9"),
        ("typed:palyers=3", "typed has no option 'palyers'; did you mean 'players'?"),
        ("typed:players=2,players=3", "typed: option 'players' is given twice"),
        ("typed:fast", "typed:fast: there is no module 'typed'"),
    ]:
        with pytest.raises(stier.RulesError) as found:
            stier.load_game(text)
        assert str(found.value).startswith(problem)


def test_registering_says_what_is_wrong() -> None:
    def refused(game: Any, problem: str) -> None:
        with pytest.raises(stier.RulesError, match=problem):
            stier.games.register_game(game)

    refused(type("A", (Kuhn,), {"name": "kuhn_poker"}), "A has the name 'kuhn_poker', which a game of the package has")
    refused(type("A", (Kuhn,), {"name": "Two words"}), "must be text such as 'my_game'")
    refused(type("A", (), {}), "must be text such as 'my_game'")
    stier.load_game(Kuhn)
    refused(type("A", (Kuhn,), {"name": "kuhn"}), "A has the name 'kuhn', which kuhn.Kuhn has already; give A a `name`")
    refused(Kuhn(), "takes a class")

    class Untyped(Kuhn):
        name = "untyped"

        def __init__(self, players) -> None:  # type: ignore[no-untyped-def]
            pass

    refused(Untyped, "option 'players' must have a default and one of the types")
    refused(type("Bare", (), {"name": "bare"}), r"bare: num_players, num_actions.* are missing")
    refused(type("A", (Kuhn,), {"name": "bad", "utility_sum": "no"}), "bad: utility_sum is 'no'; it must be a number")
    assert stier.games.register_game(Leduc) is Leduc


@pytest.mark.parametrize("member", ["apply", "initial_state", "features"])
def test_a_class_that_does_not_load_takes_no_name(member: str) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises((stier.RulesError, stier.GameError)):
        stier.load_game(type("A", (Kuhn,), {"name": "late", member: None if member == "apply" else fail}))
    with pytest.raises(stier.RulesError, match="unknown game 'late'"):
        stier.load_game("late")


def test_what_is_not_a_class_is_no_game() -> None:
    for text, why in [
        ("kuhn:State", "kuhn:State is not a game: it lacks `name` and `initial_state`; "),
        ("kuhn:PASS", "kuhn:PASS is not a game: it is not a class; "),
    ]:
        with pytest.raises(stier.RulesError, match=why):
            stier.load_game(text)
    with pytest.raises(TypeError, match="or the class of one, got an instance of Kuhn; pass the class"):
        stier.load_game(Kuhn())


class Unlisted(Kuhn):
    """Kuhn poker with hands of cards that it does not list."""

    name = "unlisted"

    def __init__(self) -> None:
        super().__init__()
        del self.cards

    def outcome_name(self, outcome: int) -> str:
        return "JQK"[outcome]


def test_cards_that_are_not_listed_are_drawn() -> None:
    state = stier.load_game(Unlisted).new_initial_state(seed=1)
    card = state.hand(0)[0]
    for drawn in (state.to_text(0), state.to_svg(0), stier.terminal.state(state, 0)):
        assert card in drawn


def test_facts_and_rules_are_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    state = stier.load_game(Kuhn).new_initial_state(seed=1)
    assert "actions: -" in state.to_text(0)
    for _ in range(2):
        state.apply_action(0)
    assert "actions: pass, pass" in state.to_text(0)
    assert (state.facts(0), len(state.hand(1))) == ({"actions": ["pass", "pass"]}, 1)
    with pytest.raises(TypeError, match="it must be a whole number, got 'a'"):
        state.hand("a")  # type: ignore[arg-type]
    assert main(["rules", "trumps:Trumps"]) == 0
    assert " • hand_size: Cards in a hand, " in capsys.readouterr().out


def test_other_processes_find_the_class(tmp_path: Path) -> None:
    state = stier.load_game("kuhn:Kuhn(players=3)").new_initial_state(seed=4)
    (tmp_path / "state").write_bytes(pickle.dumps(state))
    program = "import pickle, sys; print(pickle.load(open('state', 'rb')).information_state_string(0))"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path()}, capture_output=True
    )
    assert found.stdout.decode().strip() == state.information_state_string(0), found.stderr.decode()


def path() -> str:
    return f"{EXAMPLES}:{Path(stier.__file__).parents[1]}"


SLOW = """
import time
import stier
from kuhn import Kuhn


class Slow(Kuhn):
    name = "slow"
    max_chance_events = 2
    pause = 0

    def apply(self, state, action):
        time.sleep(self.pause)
        return super().apply(state, action)


# Imports are done before the signal comes.
{work}
Slow.pause = 0.02
print("ready", flush=True)
while True:
    stier.games.forget()
    {work}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "work",
    [
        "stier.load_game(Slow)",
        "stier.pit(Slow, ['random', 'ismcts:iterations=9'], deals=9)",
        "stier.solve(Slow, iterations=10)",
        "stier.load_game(Slow).new_initial_state(seed=1).resample_from_infostate(0, 1)",
    ],
)
def test_ctrl_c_works_in_the_middle_of_python(work: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW.format(work=work)],
        env={**os.environ, "PYTHONPATH": path()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.4)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - sent < 3
    assert "KeyboardInterrupt" in errors.decode()[-80:], errors.decode()
    assert process.returncode in (1, -signal.SIGINT, 130)


def test_a_trick_game_shows_hands() -> None:
    state = stier.load_game(Trumps).new_initial_state(seed=2)
    beliefs = stier.load_agent("ismcts", state.get_game()).beliefs(state)
    assert beliefs.expected.sum() == 2 * 2


class Coin:
    """Chance tosses a coin before or after the first choice of player 0, and nobody sees when. Player 1 guesses."""

    name = "coin"
    num_players = 2
    num_actions = 2
    num_outcomes = 2
    max_decisions = 2
    max_chance_events = 2
    utility_range = (-1.0, 1.0)
    utility_sum = 0.0

    def initial_state(self) -> Any:
        return ()

    def current_player(self, state: Any) -> int:
        if len(state) == 4:
            return stier.TERMINAL
        late = bool(state) and state[0] == 1
        return (stier.CHANCE, 0 if late else stier.CHANCE, stier.CHANCE if late else 0, 1)[len(state)]

    def legal_actions(self, state: Any) -> list[int]:
        return [0, 1]

    def chance_outcomes(self, state: Any) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def apply(self, state: Any, action: int) -> Any:
        return (*state, action)

    def returns(self, state: Any) -> list[float]:
        won = 1.0 if state[3] == state[0] else -1.0
        return [-won, won]

    def observation(self, state: Any, player: int | None) -> Any:
        return None


def test_players_who_do_not_notice_chance_are_not_told_by_the_tree() -> None:
    with pytest.raises(stier.GameError, match="does not notice some actions of others or of chance"):
        stier.solve(Coin, iterations=1)


def test_games_with_hidden_moves_say_what_could_be_removed() -> None:
    remedy = "; remove hidden_moves if players always notice a turn"
    hidden = type("Hidden", (Kuhn,), {"name": "hidden", "hidden_moves": True})
    for game, expected in [(hidden, remedy), ("dark_hex:rows=2,columns=2", ""), ("openspiel:phantom_ttt", "")]:
        with pytest.raises(stier.errors.ArgumentError) as found:
            stier.solve(game, iterations=1)
        assert str(found.value).partition("share an information set")[2].startswith(expected)
        assert ("remove hidden_moves" in str(found.value)) == bool(expected)


class Rank:
    """A card that counts as a number, which is not all that it is."""

    def __init__(self, rank: int, suit: str) -> None:
        self.rank, self.suit = rank, suit

    def __index__(self) -> int:
        return self.rank

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rank) and (self.rank, self.suit) == (other.rank, other.suit)

    def __hash__(self) -> int:
        return hash(self.rank)


class Suited(Kuhn):
    """Kuhn poker with cards of two suits in its states, and with parts of observations of any kind."""

    name = "suited"
    shown: ClassVar[Any] = None

    def apply(self, state: Any, action: int) -> Any:
        after = super().apply(state, action)
        return after._replace(cards=tuple(Rank(int(card), "HS"[int(card) % 2]) for card in after.cards))

    def observation(self, state: Any, player: int | None) -> Any:
        return super().observation(state, player) if self.shown is None else (self.shown, len(state.cards))


def test_values_that_are_more_than_numbers_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (Suited().initial_state()._replace(cards=(Rank(1, suit),)) for suit in "HS")
    assert one != other
    assert hash(one) == hash(other)
    for shown in (Rank(1, "H"), type("Text", (str,), {})("a"), float("nan"), object()):
        monkeypatch.setattr(Suited, "shown", shown)
        stier.games.forget()
        with pytest.raises(stier.GameError, match="observation raised"):
            stier.load_game(Suited).new_initial_state().information_state_string(0)


def test_a_class_of_the_same_name_is_another_game() -> None:
    first = stier.load_game(type("Again", (Kuhn,), {"name": "again"}))
    second = stier.load_game(type("Again", (Kuhn,), {"name": "again"}))
    assert first != second
    assert first.new_initial_state() != second.new_initial_state()


def test_other_programs_read_its_records(tmp_path: Path) -> None:
    state = list(random_walk(stier.load_game("kuhn:Kuhn(players=3)").new_initial_state(), 1))[-1]
    assert "game: kuhn:Kuhn\n" in state.record()
    assert stier.read_record(state.record()) == state
    (tmp_path / "record").write_text(state.record(), "utf-8")
    program = "import stier; print(stier.read_record(open('record').read()).history())"
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path()}, capture_output=True
    )
    assert found.stdout.decode().strip() == str(state.history()), found.stderr.decode()
