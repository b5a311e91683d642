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
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from stier._adapting import missing

try:
    import pyspiel
except ImportError as _error:
    raise missing("open_spiel", _error) from _error

from stier._native import CHANCE, TERMINAL, Game, alternatives
from stier.errors import RulesError
from stier.games._members import RANGES
from stier.games._sheet import OPEN_SPIEL, Row, Sheet

__all__ = ["OpenSpielGame", "load", "turn_based"]

#: Actions and outcomes have ids below this.
_MOST_IDS = RANGES["num_actions"][1]
#: States that are looked at in breadth when a game is loaded, and outcomes that are followed from each random event.
_PROBED, _OUTCOMES = 1000, 2
#: Random games that are looked at then, and states of them.
_GAMES, _PLAYED = 2, 4000

#: A game that was found: what identifies it, and a function that makes its sheet.
Found: TypeAlias = tuple[tuple[str, str], Callable[[], Sheet]]


def load(what: pyspiel.Game | str, text: str, keywords: dict[str, Any]) -> Game | Found:
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
        game = _loaded(what.removeprefix(OPEN_SPIEL).strip(), text, keywords)
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
    known = _loaded(text.removeprefix(OPEN_SPIEL).strip(), "", {}).get_type().parameter_specification
    rows: list[Row] = []
    for name, default in sorted(known.items()):
        names, words = None, {int: "a whole number", float: "a number", dict: "a game"}.get(type(default), "text")
        if isinstance(default, bool):
            names, words = ["False", "True"], "False | True"
        if type(default) not in (int, float):
            default = "" if default == {} else _line(str(default))
        rows.append((name, default, default, names, words, ""))
    return rows


def turn_based(game: pyspiel.Game) -> pyspiel.Game:
    """Returns the game, or the one in which its simultaneous choices are made in turn."""
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def _loaded(name: str, text: str, keywords: dict[str, Any]) -> pyspiel.Game:
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
            raise RulesError(f"OpenSpiel has no game '{short_name}'{alternatives(short_name, 'games', known)}")
        given = {name: _parameter(name, value) for name, value in keywords.items()}
        return pyspiel.load_game(short_name, parameters | given)
    except (pyspiel.SpielError, IndexError, TypeError) as error:
        raise RulesError(f"OpenSpiel does not load '{name}': {error}") from error


def _parameter(name: str, value: Any) -> Any:
    """Returns a parameter as OpenSpiel reads it, if it is text."""
    return pyspiel.game_parameters_from_string(f"game({name}={value})")[name] if isinstance(value, str) else value


def _is_loaded_by(text: str, game: pyspiel.Game) -> bool:
    """Returns true if OpenSpiel makes the same game of the text."""
    try:
        return bool(pyspiel.load_game(text).get_parameters() == game.get_parameters())
    except pyspiel.SpielError:
        return False


def _sheet(game: pyspiel.Game, text: str) -> Sheet:
    """Makes the sheet of a game. It has no options: the parameters are part of its name."""
    try:
        return Sheet(OpenSpielGame(game, text), [])
    except pyspiel.SpielError as error:
        raise RulesError(f"{OPEN_SPIEL}{game} cannot be used: {error}") from error


class OpenSpielGame:
    """A game of OpenSpiel with the members of a game written in Python. Its states are those of OpenSpiel.

    Simultaneous choices are made in turn. The later players do not see the earlier choices.

    Raises `RulesError` for a mean-field game, random events without listed outcomes, more than 256 actions or outcomes,
    and a game that says in no string what a player knows.
    """

    #: OpenSpiel's states cannot be compared: each history is a state.
    states_are_histories = True
    #: About the memory of a state, which OpenSpiel does not tell.
    state_bytes = 4000
    #: A tensor need not tell all that the string tells.
    exact_features = False

    def __init__(self, game: pyspiel.Game, text: str | None = None) -> None:
        #: The text from which `load` makes the same game, where OpenSpiel has one.
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
            raise RulesError(f"{self.name} draws random events itself: their outcomes must be listed")
        self._has_information_states = kind.provides_information_state_string
        if not (kind.provides_information_state_string or kind.provides_observation_string):
            raise RulesError(f"{self.name} has neither information-state strings nor observation strings")
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
        found = _Probe(self).run()
        if not found.strings_recall or found.hidden_moves:
            self._shows_turns = False
            found = _Probe(self).run()
        self.hidden_moves = found.hidden_moves
        #: The string of a player to act tells everything that it knows.
        self.observations_recall = self._has_information_states and found.strings_recall
        #: With it, trees are built faster. None if it does not tell everything.
        self.information_state = pyspiel.State.information_state_string if self.observations_recall else None
        if found.chance_events > self.max_chance_events:  # OpenSpiel's bound is too low in some games
            self.max_chance_events = 2 * found.chance_events + 8
        self._actions, self._outcomes = found.actions, found.outcomes

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


class _Found(NamedTuple):
    """The facts that a look at some states of a game shows."""

    hidden_moves: bool
    strings_recall: bool
    #: The most in one history.
    chance_events: int
    actions: list[str]
    outcomes: list[str]


class _Place(NamedTuple):
    """A state that is looked at."""

    state: pyspiel.State
    #: The number of random events so far.
    events: int
    #: One bit for each choice and each run of random events, after a first one: 0 for a choice.
    pattern: int
    #: For each player the number of what it knows: its own actions and the changes of what it observes.
    known: tuple[int, ...]


class _Probe:
    """A look at some states of a game: the first, in breadth, then those of random games.

    It finds the names of actions, which OpenSpiel knows in states only, and whether strings have perfect recall. And it
    finds out whether players miss each other's moves: then histories with different numbers of choices, or with random
    events at different places, are the same to a player.
    """

    def __init__(self, game: OpenSpielGame) -> None:
        self._game = game
        self._players = range(game.num_players)
        self._hidden_moves, self._strings_recall, self._events = False, True, 0
        self._actions: dict[int, set[str]] = {}
        self._outcomes: dict[int, set[str]] = {}
        #: The numbers of what players know, and what they saw last.
        self._numbers: dict[Any, int] = {}
        self._seen: list[tuple[str, int | None]] = []
        #: The pattern of the histories in which a player knows this and is to act.
        self._patterns: dict[tuple[int, int], int] = {}
        #: For each string of a player to act the number of what it knows.
        self._strings: dict[tuple[int, str], int] = {}

    def run(self) -> _Found:
        state, unknown = self._game.initial_state(), [None] * len(self._players)
        root = _Place(state, 0, 1, self._learned((-1,) * len(unknown), unknown, state))
        waiting = deque((root, action) for action in self._actions_at(root)[:_OUTCOMES])
        for _ in range(_PROBED):
            if not waiting:
                break
            place = self._after(*waiting.popleft())
            actions = self._actions_at(place)
            if place.state.is_chance_node():
                actions = actions[: _OUTCOMES - 1] + actions[1 - _OUTCOMES :]
            waiting.extend((place, action) for action in actions)
        place, games, rng = root, 0, random.Random(0)
        for _ in range(_PLAYED):
            if not waiting or games == _GAMES:
                break
            actions = self._actions_at(place)
            games += not actions
            place = self._after(place, rng.choice(actions)) if actions else root
        names = _names(self._actions, self._game.num_actions), _names(self._outcomes, self._game.num_outcomes)
        return _Found(self._hidden_moves, self._strings_recall, self._events, *names)

    def _actions_at(self, place: _Place) -> list[int]:
        """Notes what a state shows. Returns the possible actions or outcomes."""
        state = place.state
        mover = state.current_player()
        self._events = max(self._events, place.events)
        if mover >= 0:
            known = place.known[mover]
            self._hidden_moves |= self._patterns.setdefault((mover, known), place.pattern) != place.pattern
            self._strings_recall &= self._strings.setdefault((mover, self._seen[known][0]), known) == known
        actions: list[int] = state.legal_actions()
        names = self._outcomes if mover == CHANCE else self._actions
        for action in actions:
            names.setdefault(action, set()).add(state.action_to_string(mover, action))
        return actions

    def _after(self, place: _Place, action: int) -> _Place:
        mover, state = place.state.current_player(), self._game.apply(place.state, action)
        known = self._learned(place.known, [action if player == mover else None for player in self._players], state)
        if mover != CHANCE:
            return _Place(state, place.events, place.pattern << 1, known)
        goes_on = place.pattern > 1 and place.pattern & 1
        return _Place(state, place.events + 1, place.pattern if goes_on else place.pattern << 1 | 1, known)

    def _learned(self, before: tuple[int, ...], own: Sequence[int | None], state: pyspiel.State) -> tuple[int, ...]:
        """Returns the numbers of what the players know in a state, given what they knew before and did."""
        mover, known = state.current_player(), []
        for player, number, action in zip(self._players, before, own, strict=True):
            seen = (self._game.observation(state, player), mover if mover in (player, TERMINAL) else None)
            if number < 0 or action is not None or seen != self._seen[number]:
                number = self._numbers.setdefault((number, action, seen), len(self._seen))
                if number == len(self._seen):
                    self._seen.append(seen)
            known.append(number)
        return tuple(known)


def _names(found: dict[int, set[str]], number: int) -> list[str]:
    """Returns the names of ids: the name that OpenSpiel uses in all states, if it is not another's too, or the id."""
    sole = [next(iter(names)) if len(names := found.get(action, ())) == 1 else "" for action in range(number)]
    times = Counter(sole)
    return [name if name and times[name] == 1 else str(action) for action, name in enumerate(sole)]
