"""Hidden-information card games for research: exact determinization, search, paired evaluation.

The names below are what most programs need; the errors of `stier.errors` can be named here, too. The rest is in
submodules: `stier.playing`, `stier.solving`, `stier.ratings`, `stier.train` and the others that ``dir(stier)`` lists.
All of it is imported when it is first used.

>>> import stier
>>> game = stier.load_game("schwinget", scoring="schwinger")
>>> state = game.new_initial_state(seed=7)
>>> agent = stier.load_agent("ismcts:iterations=1000", game)
>>> state.apply_action(agent.step(state))
>>> print(stier.pit(game, ["random", agent], deals=100))  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes long to import
if TYPE_CHECKING:
    from typing import Any

    from stier import (
        _native as _native,
        catalogue as catalogue,
        cli as cli,
        draw as draw,
        errors as errors,
        experiments as experiments,
        games as games,
        gymnasium as gymnasium,
        leaks as leaks,
        network as network,
        open_spiel as open_spiel,
        pettingzoo as pettingzoo,
        playing as playing,
        plots as plots,
        public as public,
        ratings as ratings,
        replays as replays,
        schwingfest as schwingfest,
        solving as solving,
        terminal as terminal,
        train as train,
    )
    from stier._native import (
        CHANCE,
        TERMINAL,
        Agent,
        Batch,
        Game,
        PitResult,
        PythonAgent,
        State,
        TabularPolicy,
        VectorEnv,
        __version__,
        derive_seed,
        deserialize_game_and_state,
        load_agent,
        load_game,
        read_record,
        registered_agents,
        registered_names,
        resample_many,
        serialize_game_and_state,
    )
    from stier._results import Beliefs, Search
    from stier.catalogue import describe_agents, describe_games
    from stier.errors import (
        AgentError,
        ArgumentError as ArgumentError,
        ChangedWarning as ChangedWarning,
        FileError as FileError,
        GameError as GameError,
        IllegalActionError,
        LeakError as LeakError,
        MissingExtraError as MissingExtraError,
        RatingError as RatingError,
        RecordError as RecordError,
        RulesError,
        SeatError as SeatError,
        StierError,
        TrainingError as TrainingError,
        TrainingWarning as TrainingWarning,
    )
    from stier.games import check_game, register_game
    from stier.leaks import check_no_leak
    from stier.playing import AnyAgent, AnyGame, pit, search_many
    from stier.replays import replay
    from stier.solving import exploit, exploitability, solve

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Agent",
    "AgentError",
    "AnyAgent",
    "AnyGame",
    "Batch",
    "Beliefs",
    "Game",
    "IllegalActionError",
    "PitResult",
    "PythonAgent",
    "RulesError",
    "Search",
    "State",
    "StierError",
    "TabularPolicy",
    "VectorEnv",
    "__version__",
    "check_game",
    "check_no_leak",
    "derive_seed",
    "describe_agents",
    "describe_games",
    "deserialize_game_and_state",
    "exploit",
    "exploitability",
    "load_agent",
    "load_game",
    "pit",
    "read_record",
    "register_game",
    "registered_agents",
    "registered_names",
    "replay",
    "resample_many",
    "search_many",
    "serialize_game_and_state",
    "solve",
]


#: The modules with these names. The engine is the last: other modules have functions of the same name around its own.
_MODULES = ("errors", "catalogue", "games", "leaks", "playing", "replays", "solving", "_native")


def _submodules() -> list[str]:
    """The public submodules. Some need an extra."""
    from pkgutil import iter_modules

    return [module.name for module in iter_modules(__path__) if not module.name.startswith("_")]


if not TYPE_CHECKING:  # or type checkers would take any name for a submodule

    def __getattr__(name: str) -> Any:
        """Imports a name or a submodule when it is first used.

        So the command line can answer Ctrl-C before anything is imported that takes time.
        """
        if name == "_native" or name in _submodules():
            return import_module(f"stier.{name}")
        errors = import_module("stier.errors")
        if name in __all__ or name in errors.__all__:
            modules = (import_module(f"stier.{module}") for module in _MODULES)
            found = globals()[name] = next(getattr(module, name) for module in modules if hasattr(module, name))
            return found
        raise AttributeError(f"module 'stier' has no attribute '{name}'", name=name, obj=import_module("stier"))


def __dir__() -> list[str]:
    return sorted({*__all__, *_submodules(), *(name for name in globals() if name.startswith("__"))})
