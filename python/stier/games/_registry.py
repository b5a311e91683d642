"""The games that are not written in Rust: registered, found and loaded."""

from __future__ import annotations

import inspect
import re
import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from stier import _imports, _native
from stier._native import CHANCE, Game, State
from stier.errors import RulesError
from stier.games._members import check_members
from stier.games._options import Row, make_game, name_of, option_rows, read_options
from stier.games._sheet import OPEN_SPIEL, Sheet

_Class = TypeVar("_Class", bound=type)

#: The registered classes by name.
_classes: dict[str, type] = {}
#: Games that were loaded lately. A game remembers what it was asked, so it pays to load it once.
_cache: OrderedDict[tuple[Any, ...], Game] = OrderedDict()
#: The number of games that are kept.
_KEPT = 16


def register_game(game: _Class) -> _Class:
    """Registers a game written in Python. Then `load_game` knows its name, and it works in every tool.

    Returns the class, so it can be a decorator. A class of the same file and name replaces the one before, as when a
    cell of a notebook runs again. Other programs can load the game without registering it, by the place of its class:
    ``load_game("my_games:Trumps")``.

    Args:
        game: The class. The guide "Your own game" lists what it must have. Options are the keyword arguments of its
            ``__init__``, each with a default and one of the types int, float, bool, str, Literal or an Enum.

    Raises:
        RulesError: A class that lacks something, options that are not of this form, or a name that another game has.
    """
    if not isinstance(game, type):
        raise RulesError(f"register_game takes a class, got {type(game).__name__}")
    name = name_of(game)
    known = _classes.get(name)
    if name in _native.registered_names() and (known is None or not _places(known) & _places(game)):
        owner = f"{known.__module__}.{known.__qualname__}" if known else "a game of the package"
        own = f"give {game.__name__} a `name` of its own"
        raise RulesError(f"{game.__name__} has the name '{name}', which {owner} has already; {own}")
    check_members(make_game(game, read_options(game, "", {})))
    _classes[name] = game
    for key in [key for key in _cache if key[0] is known]:
        del _cache[key]
    return game


def _note(game: type) -> type:
    return game if _classes.get(name_of(game)) is game else register_game(game)


def _places(game: type) -> set[tuple[str, str]]:
    """Returns where a class stands: its module and its file, each with its name there."""
    files = {one.__code__.co_filename for one in vars(game).values() if inspect.isfunction(one)}
    return {(place, game.__qualname__) for place in (game.__module__, *files)}


def about(name: str) -> str | None:
    """Returns the docstring of a game's class, None for a game of the package. `stier rules` shows it."""
    if name in _native.registered_names() and name not in _classes:
        return None
    if name.startswith(OPEN_SPIEL):
        return f"# {name}\n\nA game of OpenSpiel."
    doc = inspect.getdoc(_class_of(name)) or ""
    return f"# {name}\n\n" + re.sub(r"^(\w+): ", r"- `\1`: ", doc, flags=re.MULTILINE)


def own_names() -> list[str]:
    """Returns the names of the registered classes."""
    return list(_classes)


def forget() -> None:
    """Forgets the games that were loaded, with all that they remember."""
    _cache.clear()


def _class_of(what: Any) -> type:
    """Returns the class of a game by its name, by its place, or itself."""
    if isinstance(what, str) and what.startswith("open_spiel:"):
        raise RulesError(f"a game of OpenSpiel is named {OPEN_SPIEL}{what.removeprefix('open_spiel:')}, got '{what}'")
    if isinstance(what, str) and ":" in what:
        place, what = what, _imports.load(what, RulesError)
        if not hasattr(what, "initial_state") and not hasattr(what, "name"):
            lacks = "it lacks `name` and `initial_state`" if isinstance(what, type) else "it is not a class"
            raise RulesError(f"{place} is not a game: {lacks}; stier.register_game says what a class must have")
    elif isinstance(what, str):
        if what not in _classes:
            known = _native.alternatives(what, "games", _native.registered_names())
            own = f"a game of your own is named as my_games:MyGame, one of OpenSpiel's as {OPEN_SPIEL}NAME"
            raise RulesError(f"unknown game '{what}'{known}; {own}")
        return _classes[what]
    if not isinstance(what, type):
        kind, is_one = type(what).__name__, hasattr(what, "initial_state")
        got = f"an instance of {kind}; pass the class" if is_one else kind
        raise TypeError(f"game must be a Game, the name of one, such as 'schwinget', or the class of one, got {got}")
    return what


def python_members(game: Any) -> Any:
    """Returns an object with the members of a game written in Python, for any game."""
    owner, options = _class_and_options(game) if isinstance(game, str) else (game, {})
    if hasattr(owner, "initial_state") and not isinstance(owner, type):
        return owner
    if not isinstance(owner, type):
        loaded = _native.load_game(game)
        if loaded.short_name() not in _classes:
            return _AsPythonGame(loaded)
        owner, options = _classes[loaded.short_name()], loaded.rules()
    return make_game(owner, read_options(owner, "", options))


def _class_and_options(text: str) -> tuple[type | None, dict[str, Any]]:
    """Returns the class in Python that a text names, and the options in the text. No class for any other game."""
    name, options = _native._split_game(text)
    if name.startswith(OPEN_SPIEL) or (name in _native.registered_names() and name not in _classes):
        return None, {}
    game = _note(_class_of(name))
    return game, read_options(game, options, {})


class _AsPythonGame:
    """A game of the package or of OpenSpiel, with the members of a game written in Python."""

    #: Games that are loaded tell solvers themselves whether they have hidden moves.
    hidden_moves = True

    def __init__(self, game: Game) -> None:
        self.name, self.utility_sum = game.short_name(), game.utility_sum()
        self.utility_range = game.min_utility(), game.max_utility()
        self.num_players, self.num_actions = game.num_players(), game.num_distinct_actions()
        self.max_decisions, self.max_chance_events = game.max_game_length(), game.max_chance_nodes_in_history()
        self.num_outcomes = game.max_chance_outcomes()
        self.initial_state = game.new_initial_state
        self.action_name: Callable[[int], str] = lambda action: game.action_to_string(0, action)
        self.outcome_name: Callable[[int], str] = lambda outcome: game.action_to_string(CHANCE, outcome)

    current_player = staticmethod(State.current_player)
    legal_actions = staticmethod(State.legal_actions)
    chance_outcomes = staticmethod(State.chance_outcomes)
    apply = staticmethod(State.child)
    returns = staticmethod(State.returns)
    hand = staticmethod(State.hand)

    def facts(self, state: State, player: int | None) -> dict[str, Any]:
        return {} if player is None else state.facts(player)

    def observation(self, state: State, player: int | None) -> str | None:
        return None if player is None else state.information_state_string(player)


def load_foreign(what: Any, text: str, keywords: dict[str, Any] | None) -> Game:
    """Loads a game that is not written in Rust, with the options in the text and the keywords."""
    key: tuple[Any, ...]
    make: Callable[[], Sheet]
    pyspiel = sys.modules.get("pyspiel")
    if (isinstance(what, str) and what.startswith(OPEN_SPIEL)) or (pyspiel and isinstance(what, pyspiel.Game)):
        from stier.games._open_spiel import find_spiel_game

        found = find_spiel_game(what, text, keywords or {})
        if isinstance(found, Game):
            return found
        key, make = found
    else:
        game = _class_of(what)
        options = read_options(game, text, keywords or {})
        key, make = (game, *options.items()), partial(Sheet.of, game, options)
    if key not in _cache:
        found = _native._python_game(make())
        if isinstance(key[0], type):
            _note(key[0])
        _cache[key] = found
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    _cache.move_to_end(key)
    return _cache[key]


def _options(name: str) -> list[Row]:
    """Returns the rows of the options of a game, or of the parameters of one of OpenSpiel's."""
    if name.startswith(OPEN_SPIEL):
        from stier.games._open_spiel import parameters

        return parameters(name)
    return option_rows(_class_of(name), {})


def text_of(game: Game) -> str:
    """Returns the text from which other programs load a game: with the place of its class if it is not of the package.

    >>> text_of(stier.load_game("my_games:Trumps", hand_size=3))  # doctest: +SKIP
    'my_games:Trumps(hand_size=3)'
    """
    place = place_of(game)
    options = game.rules_text()
    if place == game.short_name():
        return str(game)
    return f"{place}({options})" if options else place


def place_of(game: Game) -> str:
    """Returns the place of a game's class, such as ``my_games:Trumps``; the name where it is not found by place."""
    owner = _classes.get(game.short_name())
    if owner is None or owner.__module__ == "__main__" or "<" in owner.__qualname__:
        return game.short_name()
    return f"{owner.__module__}:{owner.__qualname__}"


def _pickled(game: Game) -> tuple[Any, tuple[Any, ...]]:
    """Returns how a game is loaded again, in another process too if its class can be imported there."""
    owner = _classes.get(game.short_name())
    if owner is None or "<" in owner.__qualname__:
        return _native.load_game, (game.short_name(),) if owner is None else (str(game),)
    return partial(_native.load_game, owner, **game.rules()), ()
