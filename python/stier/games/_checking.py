"""The conformance suite for games written in Python."""

from __future__ import annotations

import inspect
import math
import random
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

from stier import _arguments, _native
from stier._native import CHANCE, TERMINAL, Game
from stier.errors import ArgumentError, GameError, RulesError
from stier.games._registry import _classes
from stier.games._sheet import RANGES, REQUIRED, name_of, read_options

__all__ = ["GameReport", "check_game"]

#: The methods of a game, with the arguments that they are called with.
_METHODS = {
    "initial_state": [],
    "current_player": ["state"],
    "legal_actions": ["state"],
    "chance_outcomes": ["state"],
    "apply": ["state", "action"],
    "returns": ["state"],
    "observation": ["state", "player"],
    "action_name": ["action"],
    "outcome_name": ["outcome"],
    "observed": ["state", "action", "player"],
    "features": ["state", "player"],
    "evaluate": ["state"],
    "facts": ["state", "player"],
    "hand": ["state", "player"],
}

#: Random events without a decision in between after which a game counts as endless.
_ENDLESS = 1000
#: Probabilities, returns and their sums may be off by this much.
_ROUNDING = 1e-9
#: States and histories that are drawn for the checks at the end.
_DRAWN = 100
#: Events that a search for a history with the same knowledge tries, and as many again for each event of the first one.
_TRIES, _TRIES_PER_EVENT = 200, 4

#: The role of a player in what happens next, as in its log.
_WAITING, _TO_ACT, _OVER = range(3)


@dataclass(frozen=True)
class GameReport:
    """The extent of a check of a game in which no fault was found."""

    #: The name of the game.
    game: str
    #: Histories that were visited, from the empty one to finished games.
    histories: int
    #: Those of them in which a player is to act.
    decisions: int
    #: Information sets in which a player is to act, by player.
    information_sets: tuple[int, ...]
    #: The most decisions in a history.
    longest: int
    #: True if these are all histories of the game.
    exhaustive: bool

    def __str__(self) -> str:
        extent = f"all {self.histories} histories" if self.exhaustive else f"{self.histories} of its histories"
        sets = " + ".join(map(str, self.information_sets))
        return (
            f"{self.game}: no fault found in {extent}: {self.decisions} decisions in {sets} information sets, at most "
            f"{self.longest} in a game"
        )


def check_game(game: Any, *, histories: int = 10_000, seed: int = 0) -> GameReport:
    """Checks that a game written in Python keeps its promises. Raises for the first one that is broken.

    A small game is explored in full. Of a larger game the shortest histories are visited, then random games, and in
    these other histories that a player cannot tell apart from the one that was played. So a report proves a small game
    right and is good evidence for a large one. These properties are checked:

    - *Form*: all members are there and take the right arguments, options have types and defaults, names tell actions
      apart, and every method returns values of the right kind.
    - *Rules*: a player to act has legal actions, in order and in range. Probabilities are positive and add up to 1. The
      game ends within `max_decisions` and `max_chance_events`. Returns lie in `utility_range` and add up to
      `utility_sum`.
    - *Pure functions*: no method changes its arguments or anything else, and the same call always returns the same.
      States can be hashed and compared, and equal states have the same player, actions, returns and observations. So
      histories can be replayed, moves undone and states pickled.
    - *Perfect recall* holds by construction. A player knows the log of its own actions, of every change of its
      observation, of what it `observed`, and of its turns (waiting, to act, over).
    - *No leak*: legal actions, `facts` and `hand` follow from that log, and `features` from the observation. A
      spectator sees nothing that a player does not see.
    - *Layers*, for solvers: histories with the same log have the same number of decisions, unless the game has
      `hidden_moves`.

    Args:
        game: A class, which is checked with the defaults of its options, an instance of one, or a loaded game or its
            name as for `stier.load_game`.
        histories: A game with at most this many histories is explored in full. Of a larger one, up to twice as many are
            visited.
        seed: The seed of the random games.

    Raises:
        GameError: The first fault: the method, what is wrong with it, and the histories that show it.
        ArgumentError: A game that is not written in Python.
    """
    limit = _arguments.count("histories", histories)
    rng = random.Random(_arguments.seed(seed))
    return _Checker(_instance(game), limit, rng).run()


def _instance(game: Any) -> Any:
    """Returns an object with the rules of a game."""
    if isinstance(game, str):
        game = _native.load_game(game)
    if isinstance(game, Game):
        name = game.short_name()
        if name not in _classes:
            raise ArgumentError(f"check_game is for games written in Python, got {name}")
        return _made(_classes[name], game.rules())
    if isinstance(game, type):
        return _made(game, {})
    if not hasattr(game, "initial_state"):
        raise ArgumentError(f"game must be the class of a game, an instance of one or its name, got {_shown(game)}")
    return game


def _made(game: type, options: dict[str, Any]) -> Any:
    """Checks the name and the options of a class, and returns the game with these options."""
    try:
        name = name_of(game)
        defaults = read_options(game, "", {})
        for option, value in read_options(game, "", defaults).items():
            if value != defaults[option]:
                raise GameError(
                    f"{name}: the default of option {option}, {_shown(defaults[option])}, does not have the type that "
                    "the option has"
                )
    except RulesError as error:
        raise GameError(str(error)) from error
    try:
        return game(**read_options(game, "", options))
    except RulesError:
        raise
    except Exception as error:
        raise GameError(f"{name}: __init__ raises {_raised(error)}") from error


class _Answers(NamedTuple):
    """The answers of a game about a state."""

    player: int
    #: The legal actions, the outcomes with their probabilities, or nothing at the end.
    options: tuple[Any, ...]
    #: By player, at the end only.
    returns: tuple[float, ...]
    #: Of a spectator, then of each player.
    observations: tuple[Any, ...]


class _Node:
    """A history, and the state that it leads to."""

    def __init__(self, state: Any, parent: _Node | None, event: tuple[int, int] | None) -> None:
        self.state, self.parent = state, parent
        #: The player and the action that lead here from the parent.
        self.event = event
        #: The decisions and the random events so far, and the random events since the last decision.
        self.decisions, self.chances, self.in_a_row = 0, 0, 0
        if parent is not None and event is not None:
            by_chance = event[0] == CHANCE
            self.decisions = parent.decisions + (not by_chance)
            self.chances = parent.chances + by_chance
            self.in_a_row = parent.in_a_row + 1 if by_chance else 0
        self.text: str
        self.answers: _Answers
        #: The number of actions that each observer has noticed, and the last thing noticed.
        self.noticed: tuple[tuple[int, Any], ...]
        #: The sights of the observers, as numbers.
        self.sights: tuple[int, ...]
        #: The logs of the players, as numbers.
        self.known: tuple[int, ...]
        self.children: dict[int, _Node] = {}

    def path(self) -> list[_Node]:
        """The nodes from the start to this one."""
        path: list[_Node] = []
        node: _Node | None = self
        while node is not None:
            path.append(node)
            node = node.parent
        return path[::-1]

    def actions(self) -> list[int]:
        """The actions or outcomes that can follow."""
        options = self.answers.options
        return [outcome for outcome, _ in options] if self.answers.player == CHANCE else list(options)

    def role(self, player: int) -> int:
        """The role of a player in what happens next."""
        turn = self.answers.player
        return _OVER if turn == TERMINAL else _TO_ACT if turn == player else _WAITING


class _Observer:
    """Everything that a player or a spectator has seen and known. Equal sights and equal logs have equal numbers."""

    def __init__(self) -> None:
        #: The number of each sight: an observation, and what was noticed.
        self.sights: dict[Hashable, int] = {}
        #: By number of the sight, where it was seen first and with which features.
        self.seen_first: list[tuple[_Node, Any]] = []
        #: The sight that has these features.
        self.features: dict[Any, int] = {}
        #: The number of a log with one more entry.
        self.logs: dict[Hashable, int] = {}
        #: By number of the log, the player's own action in the last entry.
        self.own: list[int | None] = []
        #: By number of the log, where it was met first and what the player is told there.
        self.known_first: list[tuple[_Node, dict[str, Any]]] = []
        #: The logs after which the player is to act.
        self.to_act: set[int] = set()

    def log(self, before: int | None, own: int | None, sight: int, role: int) -> int:
        """Returns the number of a log with one more entry."""
        number = self.logs.setdefault((before, own, sight, role), len(self.own))
        if number == len(self.own):
            self.own.append(own)
        return number


class _Checker:
    """The checks of one game."""

    def __init__(self, game: Any, limit: int, rng: random.Random) -> None:
        self.game, self.limit, self.rng = game, limit, rng
        self.name = game.name if isinstance(getattr(game, "name", None), str) else type(game).__name__
        self.count = self.decisions = self.longest = 0
        self.exhaustive = True
        #: The first history that leads to each state.
        self.states: dict[Any, _Node] = {}
        #: States cannot be compared, as those of OpenSpiel.
        self.incomparable = bool(getattr(game, "states_are_histories", False))
        self.num_features: int | None = None
        self.check_members()
        self.players = range(self.num_players)
        self.observers = [None, *self.players]
        self.seen_by = [_Observer() for _ in self.observers]

    def run(self) -> GameReport:
        """Visits histories and checks them."""
        root = self.visit(self.ask("initial_state", None), None, None)
        self.compare(root.state, self.ask("initial_state", None), "initial_state", root)
        visited = self.explore(root)
        if not self.exhaustive:
            self.play(root, visited)
        self.compare_hashes()
        self.replay(visited)
        sets = tuple(len(observer.to_act) for observer in self.seen_by[1:])
        return GameReport(self.name, self.count, self.decisions, sets, self.longest, self.exhaustive)

    # Messages

    def fault(self, sentence: str) -> GameError:
        """Returns the error for a fault."""
        return GameError(f"{self.name}: {sentence}")

    def wrong(self, what: str, value: Any, node: _Node, allowed: str) -> GameError:
        """Returns the error for a value that is not allowed."""
        return self.fault(f"{what} is {_shown(value)} {self.after(node)}; {allowed}")

    def differ(self, what: str, one: tuple[Any, _Node], other: tuple[Any, _Node], mend: str) -> GameError:
        """Returns the error for two histories that must not differ in a value."""
        values = [f"{_shown(value)} {self.after(node)}" for value, node in (one, other)]
        return self.fault(f"{what}: {values[0]}, and {values[1]}; {mend}")

    def after(self, node: _Node | None) -> str:
        """Returns a history in words."""
        events = [one.event for one in (node.path() if node else []) if one.event is not None]
        words = [
            f"chance {self.outcome_name(action)}"
            if player == CHANCE
            else f"player {player} {self.action_names[action]}"
            for player, action in events
        ]
        return f"after [{', '.join(words)}]" if words else "at the start"

    def outcome_name(self, outcome: int) -> str:
        """Returns the name of an outcome."""
        if outcome not in self.outcome_names:
            self.outcome_names[outcome] = self.new_name("outcome_name", outcome, self.outcome_names)
        return self.outcome_names[outcome]

    def new_name(self, method: str, number: int, taken: Mapping[int, str]) -> str:
        """Returns the name of an action or an outcome. It must not be taken."""
        function = getattr(self.game, method, None)
        try:
            name = str(number) if function is None else function(number)
        except Exception as error:
            raise self.fault(f"{method}({number}) raises {_raised(error)}") from error
        if not isinstance(name, str) or not name.strip():
            raise self.fault(f"{method}({number}) is {_shown(name)}; a name is a text")
        for other, others in taken.items():
            if "_".join(others.split()) == "_".join(name.split()):
                raise self.fault(f"{method} is {name!r} for both {other} and {number}; names must differ")
        return name

    # Members

    def check_members(self) -> None:
        """Checks the attributes of a game, the arguments of its methods and the names of actions."""
        game = self.game
        missing = [member for member in REQUIRED if not hasattr(game, member)]
        if missing:
            raise self.fault(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        for attribute, (is_right, allowed) in _ATTRIBUTES.items():
            value = getattr(game, attribute, None)
            if (value is not None or attribute in REQUIRED) and not is_right(value):
                raise self.fault(f"{attribute} is {_shown(value)}; it must be {allowed}")
        for method, arguments in _METHODS.items():
            function = getattr(game, method, None)
            if function is None and method not in REQUIRED:
                continue
            if not callable(function):
                raise self.fault(f"{method} is {_shown(function)}; it must be a method")
            try:
                inspect.signature(function).bind(*arguments)
            except TypeError:
                takes = inspect.signature(function)
                raise self.fault(f"{method} takes {takes}; it is called with ({', '.join(arguments)})") from None
            except ValueError:
                continue  # a function that does not say what it takes
        self.num_players: int = game.num_players
        self.num_actions: int = game.num_actions
        self.max_decisions: int = game.max_decisions
        self.low, self.high = map(float, game.utility_range)
        self.sum: float | None = game.utility_sum
        self.num_outcomes: int | None = getattr(game, "num_outcomes", None)
        self.max_chance: int | None = getattr(game, "max_chance_events", None)
        self.cards = getattr(game, "cards", None)
        self.action_names: dict[int, str] = {}
        for action in range(self.num_actions):
            self.action_names[action] = self.new_name("action_name", action, self.action_names)
        self.outcome_names: dict[int, str] = {}
        for outcome in range(self.num_outcomes or 0):
            self.outcome_name(outcome)

    def has(self, method: str) -> bool:
        """Tells whether the game has an optional method."""
        return getattr(self.game, method, None) is not None

    # Answers

    def ask(self, method: str, node: _Node | None, *arguments: Any) -> Any:
        """Calls a method for the state of a history. It must not raise, nor change the state."""
        states = [] if node is None else [node.state]
        try:
            found = getattr(self.game, method)(*states, *arguments)
            text = "" if node is None else repr(node.state)
        except Exception as error:
            words = ", ".join(["state"] * len(states) + [str(argument) for argument in arguments])
            is_spectator = isinstance(error, TypeError) and arguments[-1:] == (None,)
            hint = "; player is None for a spectator" if is_spectator else ""
            raise self.fault(f"{method}({words}) raises {_raised(error, self.after(node))}{hint}") from error
        if node is not None and text != node.text:
            raise self.fault(
                f"{method} changes the state that it is given {self.after(node)}, from {_short(node.text)} to "
                f"{_short(text)}; states must never change, so return a new one"
            )
        return found

    def compare(self, one: Any, other: Any, method: str, node: _Node) -> None:
        """Checks that two calls have returned the same state."""
        if self.incomparable:
            return
        try:
            equal, hashes = bool(one == other), (hash(one), hash(other))
        except Exception as error:
            raise self.fault(f"states cannot be compared {self.after(node)}: {_raised(error)}") from error
        if not equal:
            reason = f"{_shown(one)} and {_shown(other)}; draw nothing at random here, and keep nothing in self"
            if type(one).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
                reason = f"a {type(one).__name__} equals nothing but itself; use named tuples or frozen dataclasses"
            raise self.fault(f"two calls of {method} return states that are not equal {self.after(node)}: {reason}")
        if hashes[0] != hashes[1]:
            raise self.fault(f"equal states have different hashes {self.after(node)}: {_shown(one)}")

    def answers(self, node: _Node) -> _Answers:
        """Asks everything about a state, and checks the form of the answers."""
        player = self.ask("current_player", node)
        if not _is_whole(player) or not (player in (CHANCE, TERMINAL) or 0 <= player < self.num_players):
            allowed = f"it must be a player from 0 to {self.num_players - 1}, stier.CHANCE or stier.TERMINAL"
            raise self.wrong("current_player", player, node, allowed)
        options: tuple[Any, ...] = ()
        returns: tuple[float, ...] = ()
        if player == TERMINAL:
            returns = self.values("returns", node)
            self.check_returns(returns, node)
        elif player == CHANCE:
            options = self.outcomes(node)
        else:
            found = self.ask("legal_actions", node)
            options = self.numbers("legal_actions", "actions", found, self.num_actions, node)
        return _Answers(player, options, returns, tuple(self.ask("observation", node, one) for one in self.observers))

    def numbers(self, method: str, what: str, found: Any, limit: int, node: _Node) -> tuple[int, ...]:
        """Returns actions or outcomes that are in order and in range."""
        wrong = ""
        if not isinstance(found, (list, tuple)) or not all(map(_is_whole, found)):
            wrong = f"{what} are a list of whole numbers"
        elif not found and what == "actions":
            wrong = "a player to act needs an action, so add one for passing or let current_player skip the player"
        elif not found:
            wrong = "chance needs an outcome"
        elif min(found) < 0 or max(found) >= limit:
            wrong = f"{what} are numbers from 0 to {limit - 1}, as num_{what} says"
        elif len(set(found)) < len(found):
            wrong = f"{what} are listed once each"
        elif list(found) != sorted(found):
            wrong = f"{what} are listed in ascending order"
        if wrong:
            raise self.wrong(method, found, node, wrong)
        return tuple(map(int, found))

    def outcomes(self, node: _Node) -> tuple[tuple[int, float], ...]:
        """Returns the outcomes of a random event with their probabilities."""
        found = self.ask("chance_outcomes", node)
        pairs: list[Any] = list(found) if isinstance(found, (list, tuple)) else [None]
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise self.wrong("chance_outcomes", found, node, "it must be a list of tuples (outcome, probability)")
        limit = 256 if self.num_outcomes is None else self.num_outcomes
        self.numbers("chance_outcomes", "outcomes", [outcome for outcome, _ in pairs], limit, node)
        for outcome, probability in pairs:
            if not _is_number(probability) or probability <= 0:
                what = f"the probability of outcome {self.outcome_name(outcome)}"
                raise self.wrong(what, probability, node, "it must be positive, so leave out what cannot happen")
        total = math.fsum(probability for _, probability in pairs)
        if abs(total - 1) > _ROUNDING:
            raise self.wrong("the sum of the probabilities of chance_outcomes", total, node, "it must be 1")
        return tuple((int(outcome), float(probability)) for outcome, probability in pairs)

    def values(self, method: str, node: _Node) -> tuple[float, ...]:
        """Returns one finite number per player."""
        found = self.ask(method, node)
        try:
            values = tuple(map(float, found))
        except (TypeError, ValueError):
            values = ()
        if len(values) != self.num_players or not all(map(math.isfinite, values)):
            allowed = f"it must be a list of {self.num_players} finite numbers, one for each player"
            raise self.wrong(method, found, node, allowed)
        return values

    def check_returns(self, returns: tuple[float, ...], node: _Node) -> None:
        """Checks that returns lie in their range and add up as declared."""
        rounding = _ROUNDING * max(self.high - self.low, 1.0)
        for player, value in enumerate(returns):
            if not self.low - rounding <= value <= self.high + rounding:
                allowed = f"utility_range is {self.low:g} to {self.high:g}"
                raise self.wrong(f"the return of player {player}", value, node, allowed)
        total = math.fsum(returns)
        if self.sum is not None and abs(total - self.sum) > rounding:
            allowed = f"utility_sum is {self.sum:g}; write None if the sum is not always the same"
            raise self.wrong("the sum of the returns", total, node, allowed)

    def plain(self, value: Any, what: str, node: _Node) -> None:
        """Checks that a value consists of parts that the engine can tell apart."""
        kind = type(value)
        if isinstance(value, (tuple, frozenset)):
            for part in value:
                self.plain(part, what, node)
        elif is_dataclass(value) and kind.__dataclass_params__.frozen:
            for field in fields(value):
                self.plain(getattr(value, field.name), what, node)
        elif (value is not None and not isinstance(value, (str, bytes, Enum, Integral, float))) or value != value:
            allowed = (
                "it must be None, a bool, int, float (not nan), str, bytes or enum, or a tuple, frozenset or frozen "
                "dataclass of these"
            )
            raise self.wrong(f"a part of {what}", value, node, allowed)

    # Histories

    def visit(self, state: Any, parent: _Node | None, event: tuple[int, int] | None) -> _Node:
        """Checks a new history and the state that it leads to."""
        node = _Node(state, parent, event)
        self.count += 1
        try:
            node.text = repr(state)
            if not self.incomparable:
                hash(state)
        except Exception as error:
            raise self.fault(
                f"the state {_shown(state)} {self.after(node)} cannot be hashed ({_raised(error)}); states are tuples, "
                "named tuples or frozen dataclasses, with tuples and frozensets in place of lists, dicts and sets"
            ) from error
        node.answers = self.answers(node)
        self.longest = max(self.longest, node.decisions)
        if node.answers.player >= 0:
            self.decisions += 1
            if node.decisions >= self.max_decisions:
                turn = f"player {node.answers.player} is to act"
                raise self.fault(f"max_decisions is {self.max_decisions}, and {turn} {self.after(node)}")
            if self.has("evaluate"):
                self.values("evaluate", node)
        if node.answers.player == CHANCE:
            if self.max_chance is not None and node.chances >= self.max_chance:
                raise self.fault(f"max_chance_events is {self.max_chance}, and chance is to act {self.after(node)}")
            if node.in_a_row >= _ENDLESS:
                start = node.path()[-1 - _ENDLESS]
                raise self.fault(f"the game does not end: chance acts {_ENDLESS} times in a row {self.after(start)}")
        for observer, observation in zip(self.observers, node.answers.observations, strict=True):
            self.plain(observation, f"observation(state, {observer})", node)
        if not self.incomparable:
            known = self.states.setdefault(state, node)
            if known is not node:
                self.compare_answers(known, node)
        self.look(node)
        for player in self.players:
            self.know(node, player)
        if node.answers.player == TERMINAL:
            self.unchanged(node, None)
        return node

    def compare_answers(self, one: _Node, other: _Node) -> None:
        """Checks that equal states have equal answers."""
        for (method, here), (_, there) in zip(self.listed(one), self.listed(other), strict=True):
            if here != there:
                raise self.differ(
                    f"{method} differs in equal states",
                    (here, one),
                    (there, other),
                    "a state must contain, and its equality compare, everything that matters from there on",
                )

    def listed(self, node: _Node, answers: _Answers | None = None) -> list[tuple[str, Any]]:
        """Returns the answers about a state by the method that they come from."""
        player, options, returns, observations = answers or node.answers
        options_of = "chance_outcomes" if player == CHANCE else "legal_actions"
        seen = [(f"observation(state, {one})", seen) for one, seen in zip(self.observers, observations, strict=True)]
        return [("current_player", player), (options_of, options), ("returns", returns), *seen]

    def look(self, node: _Node) -> None:
        """Notes what every observer sees, and checks what must follow from it."""
        parent, event = node.parent, node.event
        noticed = list(parent.noticed) if parent else [(0, None)] * len(self.observers)
        sights = []
        for place, (observer, seen_by) in enumerate(zip(self.observers, self.seen_by, strict=True)):
            if parent is not None and event is not None and self.has("observed"):
                what = self.ask("observed", parent, event[1], observer)
                self.plain(what, f"observed(state, {event[1]}, {observer})", parent)
                if what is not None:
                    noticed[place] = (noticed[place][0] + 1, what)
            sight = node.answers.observations[place], noticed[place]
            sights.append(seen_by.sights.setdefault(sight, len(seen_by.sights)))
        node.noticed, node.sights = tuple(noticed), tuple(sights)
        for place, (observer, seen_by) in enumerate(zip(self.observers, self.seen_by, strict=True)):
            features = self.features(node, observer)
            number, here = node.sights[place], node.answers.observations
            if number == len(seen_by.seen_first):
                seen_by.seen_first.append((node, features))
            first, first_features = seen_by.seen_first[number]
            there = first.answers.observations
            if here[0] != there[0]:
                raise self.differ(
                    f"a spectator sees more than player {observer}, who observes {_shown(here[place])} both times",
                    (there[0], first),
                    (here[0], node),
                    "show every player what observation(state, None) shows",
                )
            if first.noticed[0] != node.noticed[0]:
                raise self.differ(
                    f"a spectator notices more than player {observer} (the number of times, and the last)",
                    (first.noticed[0], first),
                    (node.noticed[0], node),
                    "let every player notice what observed(state, action, None) returns",
                )
            if first_features != features:
                raise self.differ(
                    f"features(state, {observer}) differs though the observation is {_shown(here[place])} both times",
                    (first_features, first),
                    (features, node),
                    "make them of the observation only",
                )
            same = seen_by.features.setdefault(features, number)
            if features is not None and same != number and getattr(self.game, "exact_features", True):
                first, _ = seen_by.seen_first[same]
                raise self.differ(
                    f"features(state, {observer}) is the same for two observations",
                    (first.answers.observations[place], first),
                    (here[place], node),
                    "add features that tell them apart, or write exact_features = False",
                )

    def features(self, node: _Node, observer: int | None) -> tuple[int, ...] | None:
        """Returns the features of what an observer sees."""
        if not self.has("features"):
            return None
        found = self.ask("features", node, observer)
        try:
            features = tuple(int(value) if isinstance(value, Integral) and value in (0, 1) else -1 for value in found)
        except (TypeError, ValueError):
            features = (-1,)
        where = f"features(state, {observer})"
        if -1 in features:
            raise self.wrong(where, found, node, "it must be a list of zeros and ones")
        if self.num_features not in (None, len(features)):
            allowed = f"it was {self.num_features} before, and must not change"
            raise self.wrong(f"the length of {where}", len(features), node, allowed)
        self.num_features = len(features)
        return features

    def know(self, node: _Node, player: int) -> None:
        """Notes what a player knows, and checks what must follow from it."""
        parent, event = node.parent, node.event
        log, sight, role = self.seen_by[1 + player], node.sights[1 + player], node.role(player)
        if parent is None or event is None:
            known = log.log(None, None, sight, role)
        else:
            known, own = parent.known[player], event[1] if event[0] == player else None
            if own is not None or (sight, role) != (parent.sights[1 + player], parent.role(player)):
                known = log.log(known, own, sight, role)
        node.known = (*node.known, known) if player else (known,)
        told = self.told(node, player)
        if known == len(log.known_first):
            log.known_first.append((node, told))
        first, first_told = log.known_first[known]
        apart = f"though player {player} cannot tell the histories apart"
        for method, value in told.items():
            if value != first_told[method]:
                raise self.differ(
                    f"{method}(state, {player}) differs {apart}",
                    (first_told[method], first),
                    (value, node),
                    "make it of what the player has seen, or let the observation show the difference",
                )
        if role != _TO_ACT:
            return
        log.to_act.add(known)
        if first.answers.options != node.answers.options:
            names = [", ".join(self.action_names[action] for action in one.answers.options) for one in (first, node)]
            raise self.fault(
                f"legal_actions differ {apart}: {names[0]} {self.after(first)}, and {names[1]} {self.after(node)}; let "
                f"observation(state, {player}) show what they depend on"
            )
        if first.decisions != node.decisions and not getattr(self.game, "hidden_moves", False):
            raise self.differ(
                f"the number of decisions differs {apart}",
                (first.decisions, first),
                (node.decisions, node),
                "let the observation show that others have acted, or write hidden_moves = True",
            )

    def told(self, node: _Node, player: int) -> dict[str, Any]:
        """Returns the things that optional methods tell a player, and checks their form."""
        told: dict[str, Any] = {}
        if self.has("facts"):
            for observer in [None, player]:
                facts = self.ask("facts", node, observer)
                if not isinstance(facts, Mapping) or not all(
                    isinstance(name, str) and name and _is_plain(value) for name, value in facts.items()
                ):
                    allowed = "it must be a dict from names to None, bool, numbers, str, and lists or tuples of these"
                    raise self.wrong(f"facts(state, {observer})", facts, node, allowed)
            told["facts"] = dict(facts)
        if self.has("hand"):
            hand = self.ask("hand", node, player)
            if not isinstance(hand, (list, tuple)) or not all(isinstance(card, str) and card for card in hand):
                raise self.wrong(f"hand(state, {player})", hand, node, "it must be a list of names of cards")
            strange = [card for card in hand if self.cards is not None and card not in self.cards]
            if strange:
                raise self.wrong(f"a card of hand(state, {player})", strange[0], node, "it must be one of the cards")
            told["hand"] = list(hand)
        return told

    def child(self, node: _Node, action: int) -> _Node:
        """Returns the history with one more event."""
        if action not in node.children:
            child = self.visit(self.ask("apply", node, action), node, (node.answers.player, action))
            self.unchanged(node, action)
            self.compare(child.state, self.ask("apply", node, action), "apply", child)
            node.children[action] = child
        return node.children[action]

    def unchanged(self, node: _Node, action: int | None) -> None:
        """Checks that all answers about a state are as they were: before an action, or when they were asked first."""
        then = "asked again," if action is None else f"after apply(state, {action}) was called,"
        again = self.answers(node)
        for (method, before), (_, after) in zip(self.listed(node), self.listed(node, again), strict=True):
            if before != after:
                raise self.fault(
                    f"{method} is {_shown(before)} {self.after(node)} and, {then} {_shown(after)} for the same state; "
                    "methods must draw nothing at random, and change neither states nor anything in self"
                )
        if [*map(hash, again.observations)] != [*map(hash, node.answers.observations)]:
            raise self.fault(
                f"equal observations have different hashes {self.after(node)}: {_shown(again.observations)}"
            )

    def explore(self, root: _Node) -> list[_Node]:
        """Visits all histories, the shortest first, until there are too many."""
        visited, waiting = [root], deque([root])
        while waiting:
            node = waiting.popleft()
            for action in node.actions():
                if self.count >= self.limit:
                    self.exhaustive = False
                    return visited
                child = self.child(node, action)
                visited.append(child)
                waiting.append(child)
        return visited

    def play(self, root: _Node, visited: list[_Node]) -> None:
        """Plays random games, and looks in them for other histories that a player cannot tell apart."""
        end, idle = self.count + self.limit, 0
        while self.count < end and idle < _DRAWN:
            before, node = self.count, root
            while node.answers.player != TERMINAL and self.count < end:
                node = self.child(node, self.rng.choice(node.actions()))
            visited.append(node)
            decisions = [one for one in node.path() if one.answers.player >= 0]
            for one in self.rng.sample(decisions, min(3, len(decisions))):
                self.find_twin(root, one, one.answers.player)
            idle = 0 if self.count > before else idle + 1

    def find_twin(self, root: _Node, target: _Node, player: int) -> None:
        """Looks for another history that a player cannot tell apart from this one. Visiting it compares the two."""
        path = target.path()
        logs = list(dict.fromkeys(node.known[player] for node in path))
        places = {log: place for place, log in enumerate(logs)}
        #: The share of the other events in which the two are likely to agree.
        share = self.rng.random()

        def events(node: _Node) -> Iterator[int]:
            """The events to try after a history, the best first."""
            depth, known = node.decisions + node.chances, node.known[player]
            if node.answers.player == player:
                place = places[known] + 1
                own = self.seen_by[1 + player].own[logs[place]] if place < len(logs) else None
                return iter([] if own is None else [own])
            actions = self.rng.sample(node.actions(), len(node.actions()))
            if depth + 1 < len(path) and (event := path[depth + 1].event) is not None:
                if path[depth].known[player] != path[depth + 1].known[player]:
                    del actions[2:]  # the player noticed this event, and could tell most others apart from it
                if event[1] in node.actions():
                    actions = [action for action in actions if action != event[1]]
                    actions.insert(0 if self.rng.random() < share else len(actions), event[1])
            return iter(actions)

        stack = [(root, events(root))]
        for _ in range(_TRIES + _TRIES_PER_EVENT * len(path)):
            action = None
            while stack and (action := next(stack[-1][1], None)) is None:
                stack.pop()
            if action is None:
                return
            node = stack[-1][0]
            child = self.child(node, action)
            place = places[node.known[player]]
            if child is not target and child.known[player] in logs[place : place + 2]:
                if child.known[player] == logs[-1]:
                    return
                stack.append((child, events(child)))

    # At the end

    def compare_hashes(self) -> None:
        """Checks that equal states have equal hashes."""
        states = list(self.states)
        drawn = self.rng.sample(states, min(_DRAWN, len(states)))
        # Most neighbours have all but one event in common.
        for one, other in [*pairwise(states), *combinations(drawn, 2)]:
            if one == other and hash(one) != hash(other):
                raise self.differ(
                    "two equal states have different hashes",
                    (one, self.states[one]),
                    (other, self.states[other]),
                    "equality and hash must depend on the same things",
                )

    def replay(self, visited: list[_Node]) -> None:
        """Plays some histories once more from the start."""
        for node in self.rng.sample(visited, min(_DRAWN, len(visited))):
            _, *path = node.path()
            again = _Node(self.ask("initial_state", None), None, None)
            for step in path:
                again.text = repr(again.state)
                again = _Node(self.ask("apply", again, step.event[1]), again, step.event)  # type: ignore[index]
                self.compare(step.state, again.state, "apply", step)


def _raised(error: Exception, where: str = "") -> str:
    """Returns an exception in words."""
    return ": ".join(filter(None, [" ".join(filter(None, [type(error).__name__, where])), str(error)]))


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}..."


def _shown(value: object) -> str:
    """Returns a value as text that fits into a sentence."""
    try:
        return _short(repr(value))
    except Exception:
        return object.__repr__(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_number(value: Any) -> bool:
    is_number = type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))
    return is_number and math.isfinite(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, Real))


def _between(low: int, high: int) -> tuple[Callable[[Any], bool], str]:
    def is_right(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return is_right, f"a whole number from {low} to {high}"


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_number, value))
    return is_pair and value[0] <= value[1]


def _are_cards(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and all(isinstance(card, str) for card in value)
        and len(set(value)) == len(value)
    )


_FLAG: tuple[Callable[[Any], bool], str] = (lambda value: isinstance(value, bool), "True or False")

#: The attributes of a game: a test of the value, and the allowed values in words.
_ATTRIBUTES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (lambda value: isinstance(value, str), "a text such as 'my_game'"),
    **{name: _between(low, high) for name, (low, high) in RANGES.items()},
    "utility_range": (_is_range, "two finite numbers, the lowest and the highest return"),
    "utility_sum": (lambda value: value is None or _is_number(value), "a number, or None"),
    "hidden_moves": _FLAG,
    "simultaneous": _FLAG,
    "exact_features": _FLAG,
    "cards": (_are_cards, "a list of texts that differ"),
}
