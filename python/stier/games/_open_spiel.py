"""Games of OpenSpiel as games written in Python.

A player's knowledge is what OpenSpiel's information-state strings say: a player observes its string when it is to act,
and whose turn it is otherwise, unless that would tell more. With its own actions, that is the information set wherever
the strings have perfect recall.
Where they forget, as in ``liars_dice_ir``, players remember all the same. In games that have only observation strings,
players see theirs at all times.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from itertools import islice
from typing import Any, TypeAlias

from stier._adapting import missing

try:
    import pyspiel
except ImportError as _error:
    raise missing("open_spiel", _error) from _error

from stier._native import CHANCE, Game
from stier.errors import RulesError
from stier.games._histories import Histories, Node
from stier.games._members import RANGES
from stier.games._options import Row
from stier.games._sheet import OPEN_SPIEL, Sheet, Trusted

#: Actions and outcomes have ids below this.
_MOST_IDS = RANGES["num_actions"][1]
#: States that are looked at in breadth when a game is loaded, and events that are followed where chance acts.
_PROBED, _FEW = 1000, 2
#: Random games that are looked at then, and states of each.
_GAMES, _PLAYED = 2, 4000

#: About the memory of a state, which OpenSpiel does not tell.
_STATE_BYTES = 4000

#: A game that was found: what identifies it, and a function that makes its sheet.
Found: TypeAlias = tuple[tuple[str, str], Callable[[], Sheet]]


def find_spiel_game(what: pyspiel.Game | str, text: str, keywords: dict[str, Any]) -> Game | Found:
    """Finds a game of OpenSpiel, given itself or as text such as ``"openspiel:leduc_poker(players=2)"``.

    Returns one of this package's games if it is one inside OpenSpiel.

    Args:
        what: The game, or its text.
        text: More parameters, as in ``"players=2"``.
        keywords: More parameters, by name.

    Raises:
        RulesError: A game or a parameter that OpenSpiel does not have.
        TypeError: Parameters of a game that is loaded already.
    """
    if isinstance(what, str):
        game = load_spiel_game(what.removeprefix(OPEN_SPIEL).strip(), text, keywords)
    elif text or keywords:
        raise TypeError(f"a game that is loaded has its own parameters, got {text or ', '.join(keywords)}")
    else:
        game = what
    own = getattr(game, "game", None)
    if isinstance(own, Game):
        return own
    text = str(game)
    if game is what and not _is_loaded_by(text, game):
        text = f"{text}#{id(game)}"  # another game may have the same text
    return (OPEN_SPIEL, text), lambda: _sheet(game, text)


def parameters(text: str) -> list[Row]:
    """Returns the parameters of a game with their defaults, given its text, as rows of options."""
    known = load_spiel_game(text.removeprefix(OPEN_SPIEL).strip(), "", {}).get_type().parameter_specification
    rows: list[Row] = []
    for name, default in sorted(known.items()):
        names, words = None, {int: "a whole number", float: "a number", dict: "a game"}.get(type(default), "text")
        if isinstance(default, bool):
            names, words = ["False", "True"], "False | True"
        if type(default) not in (int, float):
            default = "" if default == {} else _line(str(default))
        rows.append(Row(name, default, default, names, words, ""))
    return rows


def turn_based(game: pyspiel.Game) -> pyspiel.Game:
    """Returns the game, or the one in which its simultaneous choices are made in turn."""
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def load_spiel_game(name: str, text: str, keywords: dict[str, Any]) -> pyspiel.Game:
    """Loads a game with the parameters in its name, in a text and by keyword."""
    if text:
        name = f"{name.removesuffix(')')}{',' if '=' in name else ''}{text})" if "(" in name else f"{name}({text})"
    try:
        parameters = pyspiel.game_parameters_from_string(name)
        short_name = parameters.pop("name", "")
        if short_name.startswith("python_"):
            import_module("open_spiel.python.games")  # registers them
        known = pyspiel.registered_names()
        if short_name not in known:
            near = ", ".join(get_close_matches(short_name, (one for one in known if "stier_" not in one), 3, 0))
            raise RulesError(f"unknown game '{short_name}'; OpenSpiel has {near}; all: pyspiel.registered_names()")
        given = {name: _parameter(name, value) for name, value in keywords.items()}
        return pyspiel.load_game(short_name, parameters | given)
    except (pyspiel.SpielError, IndexError, TypeError) as error:
        raise RulesError(f"OpenSpiel does not load '{name}': {error}") from error


def _parameter(name: str, value: Any) -> Any:
    """Returns a parameter as OpenSpiel reads it, if it is text."""
    return pyspiel.game_parameters_from_string(f"game({name}={value})")[name] if isinstance(value, str) else value


def _is_loaded_by(text: str, game: pyspiel.Game) -> bool:
    try:
        return bool(pyspiel.load_game(text).get_parameters() == game.get_parameters())
    except pyspiel.SpielError:
        return False


def _sheet(game: pyspiel.Game, text: str) -> Sheet:
    """Makes the sheet of a game. It has no options: the parameters are part of its name."""
    try:
        own = OpenSpielGame(game, text)
        return Sheet(own, [], own.trusted)
    except pyspiel.SpielError as error:
        raise RulesError(f"{OPEN_SPIEL}{game} cannot be used: {error}") from error


class OpenSpielGame:
    """A game of OpenSpiel with the members of a game written in Python. Its states are those of OpenSpiel.

    Simultaneous choices are made in turn. The later players do not see the earlier choices.

    Raises `RulesError` for a mean-field game, random events without listed outcomes, more than 256 actions or outcomes,
    and a game that says in no string what a player knows.
    """

    #: A tensor need not tell all that the string tells.
    exact_features = False

    def __init__(self, game: pyspiel.Game, text: str | None = None) -> None:
        #: The text from which `find_spiel_game` makes the same game, where OpenSpiel has one.
        self.name = f"{OPEN_SPIEL}{text or game}"
        #: The game as it was given: while it is kept, no other has its identity.
        self.given = game
        #: The game in OpenSpiel, turn-based.
        self.game = game = turn_based(game)
        kind = game.get_type()
        self.simultaneous = kind.short_name == "turn_based_simultaneous_game"
        if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
            raise RulesError(f"{self.name} is neither a sequential nor a simultaneous game")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise RulesError(f"{self.name} must list the outcomes of random events, and draws them itself")
        self._has_information_states = kind.provides_information_state_string
        if not (kind.provides_information_state_string or kind.provides_observation_string):
            raise RulesError(f"{self.name} must provide information-state strings or observation strings")
        self.num_players: int = game.num_players()
        self.num_actions = self._ids("actions", game.num_distinct_actions())
        self.num_outcomes = max(1, self._ids("chance outcomes", game.max_chance_outcomes()))
        self.max_decisions: int = game.max_game_length()
        self.max_chance_events: int = game.max_chance_nodes_in_history()
        self.utility_range: tuple[float, float] = (game.min_utility(), game.max_utility())
        self.utility_sum: float | None = game.utility_sum()
        self._tensor, self._tensor_size = pyspiel.State.information_state_tensor, 0
        if kind.provides_information_state_tensor:
            self._tensor_size = game.information_state_tensor_size()
        elif kind.provides_observation_tensor:
            self._tensor, self._tensor_size = pyspiel.State.observation_tensor, game.observation_tensor_size()
        #: None without a tensor.
        self.features = self._features if self._tensor_size else None
        self._see = pyspiel.State.observation_string
        if not kind.provides_observation_string:
            self._see = pyspiel.State.information_state_string
        #: Waiting players see whose turn it is, if that never tells more than the strings do.
        self._shows_turns = True
        found = _Probe(self)
        if not found.strings_recall or found.hidden_moves:
            self._shows_turns = False
            found = _Probe(self)
        self.hidden_moves = found.hidden_moves
        # The string of a player to act may tell everything that it knows.
        recalls = self._has_information_states and found.strings_recall
        told = pyspiel.State.information_state_string if recalls else None
        #: OpenSpiel's states cannot be compared: each history is a state.
        self.trusted = Trusted(True, recalls, _STATE_BYTES, told)
        if found.chance_events > self.max_chance_events:  # OpenSpiel's bound is too low in some games
            self.max_chance_events = 2 * found.chance_events + 8
        self._actions = _sole_names(found.names[False], self.num_actions)
        self._outcomes = _sole_names(found.names[True], self.num_outcomes)

    def _ids(self, what: str, number: int) -> int:
        if number > _MOST_IDS:
            raise RulesError(f"{self.name} has {number} {what}; at most {_MOST_IDS} are possible")
        return number

    def initial_state(self) -> pyspiel.State:
        return self.game.new_initial_state()

    # The methods of OpenSpiel's states, without a call in between.
    current_player = staticmethod(pyspiel.State.current_player)
    legal_actions = staticmethod(pyspiel.State.legal_actions)
    chance_outcomes = staticmethod(pyspiel.State.chance_outcomes)
    apply = staticmethod(pyspiel.State.child)
    returns = staticmethod(pyspiel.State.returns)

    def observation(self, state: pyspiel.State, player: int | None) -> str:
        mover = state.current_player()
        seen: str
        if player is not None and not self._has_information_states:
            seen = state.observation_string(player)
        elif player is not None and mover == player:
            seen = state.information_state_string(player)
        else:
            turn = f"turn {mover}" if mover >= 0 else "chance" if mover == CHANCE else ""
            seen = turn if self._shows_turns else ""
        return seen

    def _features(self, state: pyspiel.State, player: int | None) -> bytes:
        """Returns the tensor of the player to act, 1 where it is not 0; zeros for other players."""
        if state.current_player() != player:
            return bytes(self._tensor_size)
        return bytes(map(bool, self._tensor(state, player)))

    def facts(self, state: pyspiel.State, player: int | None) -> dict[str, str]:
        """Returns a line to show: the whole state, or what a player sees when it observes something."""
        if player is None:
            return {"state": _line(str(state))}
        sees = not self._has_information_states or state.current_player() == player
        return {"sees": _line(self._see(state, player))} if sees else {}

    def action_name(self, action: int) -> str:
        return self._actions[action]

    def outcome_name(self, outcome: int) -> str:
        return self._outcomes[outcome]


def _line(text: str) -> str:
    return " / ".join(text.strip().split("\n"))


class _Probe(Histories):
    """A look at some histories of a game: the first, in breadth, then random games.

    It finds the names of actions, which OpenSpiel knows in states only, and whether strings have perfect recall. And it
    finds out whether players miss each other's moves: then histories with different numbers of choices, or with random
    events at different places, are the same to a player.
    """

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game, range(game.num_players))
        self.hidden_moves, self.strings_recall, self.chance_events = False, True, 0
        #: The names of each outcome, if chance acts, and of each action.
        self.names: dict[bool, dict[int, set[str]]] = {True: {}, False: {}}
        #: The pattern of the histories after a log, and the log for each string of a player to act.
        self._patterns: dict[int, int] = {}
        self._strings: dict[tuple[int, str], int] = {}
        root, rng = self.root(), random.Random(0)
        if not self.explore(root, 1 + _PROBED, few=_FEW)[1]:
            for _ in range(_GAMES):
                deque(islice(self.random_game(root, rng), _PLAYED), 0)

    def visit(self, state: pyspiel.State, parent: Node | None = None, event: tuple[int, int] | None = None) -> Node:
        """Notes what a state shows."""
        node = super().visit(state, parent, event)
        mover = node.player
        self.chance_events = max(self.chance_events, node.chances)
        if mover >= 0:
            known = node.known[mover]
            self.hidden_moves |= self._patterns.setdefault(known, node.pattern) != node.pattern
            self.strings_recall &= self._strings.setdefault((mover, self.last[known][1][0]), known) == known
        for action in node.actions:
            self.names[mover == CHANCE].setdefault(action, set()).add(state.action_to_string(mover, action))
        return node


def _sole_names(found: dict[int, set[str]], number: int) -> list[str]:
    """Returns the names of ids: the name that OpenSpiel uses in all states, if it is not another's too, or the id."""
    sole = [next(iter(names)) if len(names := found.get(action, ())) == 1 else "" for action in range(number)]
    times = Counter(sole)
    return [name if name and times[name] == 1 else str(action) for action, name in enumerate(sole)]
