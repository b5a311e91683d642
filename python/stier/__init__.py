"""Hidden-information card games for research: exact determinization, search, paired evaluation.

>>> import stier
>>> game = stier.load_game("schwinget", scoring="schwinger")
>>> state = game.new_initial_state(seed=7)
>>> agent = stier.load_agent("ismcts:iterations=1000", game)
>>> state.apply_action(agent.step(state))
>>> print(stier.pit(game, ["random", agent], deals=100))  # doctest: +SKIP
"""

from __future__ import annotations

from stier._arena import pit
from stier._exploit import Exploitation, exploit
from stier._leak import LeakReport, check_no_leak
from stier._listing import AgentInfo, OptionInfo, describe_agents, describe_game
from stier._native import (
    CHANCE,
    TERMINAL,
    ActionStats,
    Agent,
    Batch,
    Beliefs,
    BestResponse,
    Game,
    GameTree,
    Line,
    PitResult,
    Played,
    Properties,
    PythonAgent,
    Search,
    Solution,
    State,
    TabularPolicy,
    VectorEnv,
    Worlds,
    __version__,
    derive_seed,
    deserialize_game_and_state,
    load_agent,
    load_game,
    load_solution,
    read_record,
    registered_agents,
    registered_names,
    resample_many,
    serialize_game_and_state,
)
from stier._properties import properties
from stier._replay import Decision, Replay, replay
from stier._schwingfest import Bout, Ranked, Schwingfest, schwingfest
from stier._search_many import search_many
from stier._solving import best_response, exploitability, nash_conv, solve
from stier.errors import (
    AgentError,
    ArgumentError,
    FileError,
    IllegalActionError,
    LeakError,
    MissingExtraError,
    RecordError,
    RulesError,
    SeatError,
    StierError,
)

__all__ = [
    "CHANCE",
    "TERMINAL",
    "ActionStats",
    "Agent",
    "AgentError",
    "AgentInfo",
    "ArgumentError",
    "Batch",
    "Beliefs",
    "BestResponse",
    "Bout",
    "Decision",
    "Exploitation",
    "FileError",
    "Game",
    "GameTree",
    "IllegalActionError",
    "LeakError",
    "LeakReport",
    "Line",
    "MissingExtraError",
    "OptionInfo",
    "PitResult",
    "Played",
    "Properties",
    "PythonAgent",
    "Ranked",
    "RecordError",
    "Replay",
    "RulesError",
    "Schwingfest",
    "Search",
    "SeatError",
    "Solution",
    "State",
    "StierError",
    "TabularPolicy",
    "VectorEnv",
    "Worlds",
    "__version__",
    "best_response",
    "check_no_leak",
    "derive_seed",
    "describe_agents",
    "describe_game",
    "deserialize_game_and_state",
    "exploit",
    "exploitability",
    "load_agent",
    "load_game",
    "load_solution",
    "nash_conv",
    "pit",
    "properties",
    "read_record",
    "registered_agents",
    "registered_names",
    "replay",
    "resample_many",
    "schwingfest",
    "search_many",
    "serialize_game_and_state",
    "solve",
]
