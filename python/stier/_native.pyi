from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from os import PathLike
from typing import Any, Final, Literal, SupportsIndex, TypeAlias, TypedDict, final, overload

import numpy as np
import numpy.typing as npt

from stier.playing import AnyAgent, HasStep, PlayerAction

__all__ = [
    "CHANCE",
    "TERMINAL",
    "ActionStats",
    "Agent",
    "Batch",
    "Beliefs",
    "BestResponse",
    "Game",
    "GameTree",
    "Line",
    "PitResult",
    "Played",
    "Properties",
    "PythonAgent",
    "Search",
    "Solution",
    "State",
    "TabularPolicy",
    "VectorEnv",
    "Worlds",
    "__version__",
    "_python_game",
    "_restore_beliefs",
    "_restore_pit_result",
    "_restore_search",
    "_restore_solution",
    "_restore_state",
    "agent_options",
    "alternatives",
    "best_response",
    "cross_fitted",
    "derive_seed",
    "deserialize_game_and_state",
    "estimate",
    "estimate_of_sums",
    "game_options",
    "games_per_deal",
    "judge",
    "judgement_seed",
    "load_agent",
    "load_game",
    "load_solution",
    "networks_of",
    "next_look",
    "pit",
    "properties",
    "read_record",
    "registered_agents",
    "registered_names",
    "resample_many",
    "search_many",
    "serialize_game_and_state",
    "share",
    "share_of_sums",
    "solve",
    "timing_positions",
    "timing_sets",
    "verdict",
]

_AnyGame: TypeAlias = Game | str | type[Any]
_Path: TypeAlias = str | PathLike[str]
_OptionValue: TypeAlias = str | float | SupportsIndex
_OptionRow: TypeAlias = tuple[
    str, int | float | str, int | float | None, int | float | None, list[str] | None, str, str
]
_PlayedParts: TypeAlias = tuple[list[int], int, list[float], bytes]

__version__: Final[str]
CHANCE: Final = -1
TERMINAL: Final = -4

class _Space(TypedDict):
    piece: str | None
    food: bool

class _Group(TypedDict):
    name: str
    cards: list[str | None]
    layout: Literal["row", "pile", "aside"]
    held: bool

class _Place(TypedDict):
    seat: int | None
    suit: str | None
    groups: list[_Group]
    remarks: list[str]

class _Scene(TypedDict):
    title: str
    facts: list[tuple[str, str]]
    track: list[_Space]
    places: list[_Place]
    next: str
    tells_returns: bool

@final
class Game:
    """A game under fixed rules. `load_game` makes it, and it never changes.

    Two games are equal if their names and rules are equal.
    """
    def short_name(self) -> str:
        """The name, as `registered_names()` lists it."""
    def rules(self) -> dict[str, Any]:
        """Every option with its value: numbers as numbers, all others by name."""
    def get_parameters(self) -> dict[str, Any]:
        """The same as `rules`, by OpenSpiel's name."""
    def rules_text(self) -> str:
        """The options that differ from their defaults, such as `"scoring=schwinger,bouts=4"`."""
    def num_players(self) -> int:
        """The number of players. They are numbered 0, 1, … clockwise."""
    def num_distinct_actions(self) -> int:
        """The number of actions. Actions are numbered from 0."""
    def max_chance_outcomes(self) -> int:
        """The number of chance outcomes. Outcomes are numbered from 0."""
    def max_game_length(self) -> int:
        """An upper bound on the number of decisions in a game, all players together."""
    def max_chance_nodes_in_history(self) -> int:
        """An upper bound on the number of random events in a game."""
    def max_history_length(self) -> int:
        """An upper bound on the number of events in a game: decisions and random events."""
    def min_utility(self) -> float:
        """A lower bound on the returns."""
    def max_utility(self) -> float:
        """An upper bound on the returns."""
    def is_simultaneous(self) -> bool:
        """Returns `True` if the players choose simultaneously. States still ask them one after another and hide each
        choice from the other players until all have chosen.
        """
    def utility_sum(self) -> float | None:
        """The sum of the returns of all players, or `None` if it varies."""
    def observation_tensor_shape(self) -> list[int]:
        """The shape of `State.observation_tensor`: one dimension."""
    def information_state_tensor_shape(self) -> list[int]:
        """The shape of `State.information_state_tensor`: one dimension."""
    def observation_tensor_size(self) -> int:
        """The number of values in `State.observation_tensor`."""
    def information_state_tensor_size(self) -> int:
        """The number of values in `State.information_state_tensor`."""
    def observation_tensor_layout(self) -> list[tuple[str, list[int]]]:
        """The parts of the observation tensor in order: (name, shape), each in C order."""
    def information_state_tensor_layout(self) -> list[tuple[str, list[int]]]:
        """The parts of the information-state tensor in order: (name, shape), each in C order."""
    def observation_signature(self) -> str:
        """Version and parts of the observation tensor, such as `"1:hand:36,played:2x36"`. A network fits the game only if
        it was trained on the same signature. The version is raised whenever a value changes its meaning.
        """
    def action_signature(self) -> str:
        """Version and number of the players' actions, such as `"1:37"`. A network fits the game only if it was trained on
        the same signature.
        """
    def symmetry(self) -> tuple[list[list[int]], list[list[int]]] | None:
        """The parts that can be exchanged without changing the game, such as suits: a pair (inputs, actions), None if there
        are none. Both have a list for each part: its places in the observation tensor, and its actions. Lists are in the
        same order for all parts, so exchanging parts a and b exchanges `inputs[a][i]` with `inputs[b][i]`.
        """
    def network(self) -> bytes | None:
        """The file of the network that comes with the game, as new bytes; None if it comes without one. Agents that need a
        network use it if they are given no other. `stier.network.Network.of` reads it.
        """
    def card_faces(self) -> dict[str, tuple[str, str, str]]:
        """The faces of the cards: a new dict from the name of a card to (rank, sign, colour), all in words, in the order
        of the deck.
        """
    def action_to_string(self, player: SupportsIndex, action: SupportsIndex) -> str:
        """The name of an action, or of a chance outcome if the player is `stier.CHANCE`.

        Raises `SeatError` for an unknown player and `IllegalActionError` for an unknown action.
        """
    def string_to_action(self, text: str) -> int:
        """The action of that name. Raises `IllegalActionError`, which lists the names, if there is none."""
    def new_initial_state(self, seed: SupportsIndex | None = None) -> State:
        """Makes the state before the first card is dealt. Without a seed it has explicit chance nodes. With a seed it
        deals itself: random events are drawn from the seed, and only the decisions of the players are left to the
        caller.

        The seed is 0 to 2**64-1. It fixes the order of every pile, no matter which player draws from it.
        """
    def deserialize_state(self, text: str) -> State:
        """Reads the text of `State.serialize`. Raises `RecordError` for any other text, and for a state of another game."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]: ...

@final
class State:
    """A game from its first random event to now, all cards included. `Game.new_initial_state` makes it.

    Players are numbered 0, 1, …. `stier.CHANCE` stands for chance, and `stier.TERMINAL` means that the game is over.
    Methods with a player argument raise `SeatError` for an unknown player. Where the player is optional, the default is
    the player to move.

    States are equal if their games and histories are equal, no matter whether a seed or the caller deals. Only
    `apply_action` changes a state. Do not apply actions to a state that is in a set or a key of a dict.
    """
    def get_game(self) -> Game:
        """The game of this state."""
    def num_players(self) -> int:
        """The number of players."""
    def num_distinct_actions(self) -> int:
        """The number of actions. Actions are numbered from 0."""
    def current_player(self) -> int:
        """The player to move, `stier.CHANCE` or `stier.TERMINAL`."""
    def is_chance_node(self) -> bool:
        """Returns `True` if a random event comes next. A state that deals itself has no chance nodes."""
    def is_player_node(self) -> bool:
        """Returns `True` if a player is to move."""
    def is_simultaneous_node(self) -> bool:
        """Returns `False`: simultaneous choices are made one after another and stay hidden until all players have chosen."""
    def is_terminal(self) -> bool:
        """Returns `True` if the game is over."""
    def legal_actions(self, player: SupportsIndex | None = None) -> list[int]:
        """The legal actions of the player to move, or the possible outcomes at a chance node, in ascending order. Empty at
        the end, and for a player who is not to move.
        """
    def legal_actions_mask(self, player: SupportsIndex | None = None) -> npt.NDArray[np.bool_]:
        """The legal actions of the player to move as a new bool array of `num_distinct_actions` entries. All entries are
        false at chance nodes, at the end, and for a player who is not to move.
        """
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the next random event in ascending order, with their probabilities, which sum to 1. Empty unless
        this is a chance node.
        """
    def apply_action(self, action: SupportsIndex) -> None:
        """Plays an action, or at a chance node applies an outcome. A state that deals itself then draws all random events
        up to the next decision.

        Raises `IllegalActionError`, which names the broken rule and the legal actions. The state is then unchanged.
        """
    def child(self, action: SupportsIndex) -> State:
        """Returns a copy with `action` applied to it; see `apply_action`."""
    def clone(self) -> State:
        """Returns an independent copy. The copy of a state that deals itself draws the same cards."""
    @overload
    def action_to_string(self, player_or_action: SupportsIndex, action: None = None, /) -> str:
        """`action_to_string(action)`: the name of a player's action, or at a chance node the name of an outcome.
        `action_to_string(player, action)`: the name for that player, which may be `stier.CHANCE`.
        """
    @overload
    def action_to_string(self, player_or_action: SupportsIndex, action: SupportsIndex, /) -> str: ...
    def string_to_action(self, text: str) -> int:
        """The action of that name, or at a chance node the outcome. It need not be legal here.

        Raises `IllegalActionError`, which lists the names, if there is none.
        """
    def history(self) -> list[tuple[int, int]]:
        """The events in order, hidden cards included: (player, action). For chance outcomes the player is `stier.CHANCE`."""
    def full_history(self) -> list[PlayerAction]:
        """The same as `history`, as named tuples: `[PlayerAction(player, action), …]`."""
    def undo_action(self, player: SupportsIndex, action: SupportsIndex) -> None:
        """Takes back the last event, which must be `action` of `player` (`stier.CHANCE` for an outcome). If the state deals
        itself, takes back the last decision with the random events after it: they come again after the same decision.

        Raises `ValueError` for any other event. The state is then unchanged. The history is replayed, so keep a clone
        instead where speed matters.
        """
    def move_number(self) -> int:
        """The number of events in the history."""
    def rewards(self) -> npt.NDArray[np.float64]:
        """The rewards of the last action as a new float64 array. They are zeros before the end, and the returns at the
        end.
        """
    def returns(self) -> npt.NDArray[np.float64]:
        """The utility of each player as a new float64 array: zeros before the end."""
    def player_reward(self, player: SupportsIndex) -> float:
        """The reward of one player for the last action: 0 before the end."""
    def player_return(self, player: SupportsIndex) -> float:
        """The utility of one player: 0 before the end."""
    def information_state_string(self, player: SupportsIndex | None = None) -> str:
        """Everything the player knows, with perfect recall, in one line. Equal strings mean the same information set."""
    def information_state_tensor(self, player: SupportsIndex | None = None) -> npt.NDArray[np.float32]:
        """Everything the player knows, with perfect recall, as a new float32 array with values between 0 and 1. Equal
        tensors mean the same information set. `Game.information_state_tensor_layout()` lists its parts.
        """
    def observation_string(self, player: SupportsIndex | None = None) -> str:
        """The player's present view of the table and of its own hand, as text; see `to_text`."""
    def observation_tensor(self, player: SupportsIndex | None = None) -> npt.NDArray[np.float32]:
        """The cards and facts the player sees on the table and in hand now, as a new float32 array with values between 0
        and 1. `Game.observation_tensor_layout()` lists its parts.
        """
    def resample_from_infostate(self, player: SupportsIndex, seed: SupportsIndex) -> State:
        """Draws a state that the player cannot tell apart from this one. It has a complete and legal history, drawn by
        chance reach probability from the histories of the information set. If this state deals itself, so does the new
        one, with cards of its own.
        """
    def serialize(self) -> str:
        """The state as text for `Game.deserialize_state`, with the future draws of a state that deals itself."""
    def record(self) -> str:
        """The game so far as text for `stier.read_record`: rules, events by name, result."""
    def to_text(self, player: SupportsIndex | None = None) -> str:
        """Text for a terminal: as the player sees the state, or with all cards open."""
    def hand(self, player: SupportsIndex | None = None) -> list[str]:
        """The names of the cards that the player holds, as the player sees them: a new list, empty in games without cards."""
    def facts(self, player: SupportsIndex | None = None) -> dict[str, Any]:
        """The facts that the player may know, such as trump, the card led or the scores: a new dict whose values are
        `None`, `bool`, `int`, `float`, `str`, and lists of them. The guide *Writing an agent in Python* lists the facts
        of the package's games. A game written in Python says its own; without them, `sees` is its observation.
        """
    def _story(self, player: SupportsIndex, since: int | None) -> list[tuple[str, str | None, bool, bool, bool]]: ...
    def _table(self, player: SupportsIndex | None = None) -> str: ...
    def scene(self, player: SupportsIndex | None = None) -> _Scene:
        """The picture of the state as data, as the player sees it or with all cards open. A new dict with `title`, `facts`
        (pairs of words), `track` (the spaces of a circular track, if there is one: `piece`, a card's name or `None`,
        and `food`), `places` (the seats and the middle of the table from top to bottom) and `next` (the next event).

        A place has `seat` (`None` in the middle), `suit` (a card of the suit that counts for it, or `None`), `remarks`,
        and `groups` of cards. A group has `name`, `cards` (names, or `None` for a hidden card), `layout` (`"row"`,
        `"pile"` or `"aside"`) and `held` (`True` if the seat holds the cards).
        """
    def to_svg(self, player: SupportsIndex | None = None) -> str:
        """A self-contained SVG picture, as the player sees the state or with all cards open. See `stier.draw.state`."""
    def to_html(self, player: SupportsIndex | None = None) -> str:
        """The same picture for a web page: one element without scripts."""
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: dict[int, Any]) -> State: ...
    def __reduce__(self) -> tuple[Callable[[str], State], tuple[str]]: ...

@final
class Agent:
    """An agent for one game; made by `load_agent`.

    Its decisions are a function of its seed and of the decisions since the last `restart`, unless its budget is time.
    It uses only what the player to move knows. The exception is `oracle`, which sees the whole state and, with
    `future=known`, the cards that the state's seed will deal.

    An agent makes one decision at a time: give each thread an agent of its own. Unpickling an agent loads it anew.
    """
    @property
    def name(self) -> str:
        """The agent's name, without options."""
    @property
    def spec(self) -> str:
        """The agent as text, for `load_agent`: the name and the options that differ from their defaults."""
    @property
    def seed(self) -> int:
        """The seed that `restart` begins with by default: 0 unless it was given."""
    @property
    def options(self) -> dict[str, int | float | str]:
        """Every option with its value, except the seed, as a new dict: numbers as numbers, all others by name."""
    @property
    def is_reproducible(self) -> bool:
        """Returns `False` if the agent, or one among its options, has a budget of time: its decisions then differ from run
        to run.
        """
    @property
    def game(self) -> Game:
        """The game of the agent."""
    def step(self, state: State) -> int:
        """Chooses a legal action for the player to move.

        Other threads run meanwhile, and Ctrl-C interrupts. Raises `AgentError` if no player is to move, or if the state
        belongs to another game.
        """
    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Like `step`, but also returns the probability of each legal action: `([(action, probability), …], action)`."""
    def search(self, state: State, tree_depth: SupportsIndex = 0) -> Search:
        """Like `step`, but returns the statistics of the search. Raises `AgentError` for an agent that does not search.

        With a `tree_depth`, the search also records the lines of play that it followed, up to that many actions
        (`Search.lines`). For ISMCTS they are the top of its tree. Recording takes a little time and does not change the
        choice.
        """
    def beliefs(self, state: State, player: SupportsIndex | None = None) -> Beliefs:
        """The beliefs of the agent about the cards, as the given player or by default the player to move. They use what
        that player knows and, with `beliefs=policy`, the actions of the other players.

        Raises `SeatError` if the player is left out and no player is to move, and `AgentError` for a state of another
        game.
        """
    def restart(self, seed: SupportsIndex | None = None) -> None:
        """Starts a new game: forgets the last one and draws from the streams of `seed`, by default the agent's own seed."""
    def __reduce__(self) -> tuple[Callable[[str, Game], Agent], tuple[str, Game]]: ...

@final
class PythonAgent:
    """Anything that chooses actions, as an agent: a callable `f(state) -> action`, or an object with such a method `step`,
    as OpenSpiel's bots have it.

    The callable gets a state drawn from what the player to move knows, with explicit chance nodes. It cannot find
    anything there that the player does not know. It is a `stier.State`, also for OpenSpiel's bots, whose own states it
    resembles. The seed determines these draws. In a match it is derived from the name and the seed. An object with a
    method `restart()` is restarted before its first decision in each game. The agent can be pickled if the callable can,
    and begins anew then.
    """
    def __new__(
        cls, function: HasStep | Callable[[State], SupportsIndex], name: str | None = None, seed: SupportsIndex = 0
    ) -> PythonAgent: ...
    @property
    def name(self) -> str:
        """The name in tables: the given name, or the name of the callable."""
    def step(self, state: State) -> int:
        """Lets the callable choose for the player to move.

        Raises `IllegalActionError` if it chooses an illegal action, and `AgentError` if it raises an exception, which is
        the cause, or no player is to move.
        """
    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Like `step`, but also returns the probability of each legal action: 1 for the chosen one."""
    def search(self, state: State) -> Search:
        """Raises `AgentError`: a callable does not search."""
    def beliefs(self, state: State, player: SupportsIndex | None = None) -> Beliefs:
        """The beliefs of the given player, or by default the player to move, from chance alone. The callable is not
        called.
        """
    def restart(self, seed: SupportsIndex | None = None) -> None:
        """Starts a new game: draws from the streams of `seed`, by default the agent's own seed, and calls the object's
        method `restart()` if it has one.
        """
    def __reduce__(
        self,
    ) -> tuple[type[PythonAgent], tuple[HasStep | Callable[[State], SupportsIndex], str, int]]: ...

@final
class Beliefs:
    """The beliefs of a player about the cards; made by `Agent.beliefs`.

    For each card and seat, the expected number of copies of the card that the seat holds. If there is one copy of each
    card, this is the probability that the seat holds it. In Schweins-Galopp, where all cards of a colour are alike, it
    is an expected count.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[..., Beliefs], tuple[Any, ...]]: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def player(self) -> int:
        """The player whose beliefs these are."""
    @property
    def cards(self) -> list[str]:
        """The names of the cards. They are also the names of actions and chance outcomes that name nothing but a card."""
    @property
    def expected(self) -> npt.NDArray[np.float64]:
        """The expected numbers as a new float64 array, cards x seats. Each column sums to the number of cards the seat
        holds.
        """
    @property
    def basis(self) -> str:
        """The method of computation:

        - `"enumerated"`: every world with its exact probability, under the agent's model of the other players if it has
          one;
        - `"estimated"`: every world, with a likelihood under the model that was estimated from some of its histories;
        - `"sampled"`: `worlds` worlds drawn by chance alone;
        - `"particles"`: `worlds` histories, weighted by the model;
        - `"chance"`: `worlds` worlds enumerated or drawn by chance alone, because the model excludes every history or
          too few histories were weighted.
        """
    @property
    def worlds(self) -> int:
        """The number of worlds."""
    @property
    def effective(self) -> float:
        """The effective sample size: this many worlds of equal weight carry the same information. A small number means a
        sure belief, or poor particles.
        """
    def tensor(self) -> npt.NDArray[np.float32]:
        """The expected numbers in the hands of the others, clockwise from the player, as a new float32 array, seats x cards:
        in this order they follow the observation in `VectorEnv(beliefs=...)`.
        """
    def of(self, card: str, seat: SupportsIndex) -> float:
        """The expected number for one card, by name, and one seat.

        Raises `KeyError`, which lists the cards, for an unknown card, and `SeatError` for an unknown seat.
        """
    def to_svg(self) -> str:
        """A heat map, cards by seats, as a self-contained SVG. See `stier.draw.beliefs`."""
    def _repr_html_(self) -> str: ...

@final
class ActionStats:
    """The statistics of a search for one action at the root; see `Search.actions`."""
    def __new__(
        cls,
        action: SupportsIndex,
        name: str,
        visits: SupportsIndex,
        value: float,
        availability: SupportsIndex,
        probability: float,
    ) -> ActionStats: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[ActionStats], tuple[int, str, int, float, int, float]]: ...
    @property
    def action(self) -> int:
        """The number of the action."""
    @property
    def name(self) -> str:
        """The name of the action."""
    @property
    def visits(self) -> int:
        """The number of iterations of a tree search, or worlds of PIMC, that tried the action."""
    @property
    def value(self) -> float:
        """The mean return of the searching player, in the units of the game: between `Game.min_utility` and
        `Game.max_utility`. 0 if never tried. For `network`, the value of the position, the same for every action.
        """
    @property
    def availability(self) -> int:
        """The number of iterations in which the action was available: at least `visits`."""
    @property
    def probability(self) -> float:
        """The probability of the action under the policy of the agent. For `network`, the probability from the network,
        even if the agent plays the best action. The probabilities of a decision sum to 1.
        """

@final
class Line:
    """A line of play that a search followed: the actions of the players from the state on, without the chance outcomes in
    between.
    """
    def __new__(
        cls, players: Sequence[int], actions: Sequence[int], names: Sequence[str], visits: SupportsIndex, value: float
    ) -> Line: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Line], tuple[list[int], list[int], list[str], int, float]]: ...
    @property
    def players(self) -> list[int]:
        """The players who acted, in order."""
    @property
    def actions(self) -> list[int]:
        """Their actions."""
    @property
    def names(self) -> list[str]:
        """The names of the actions."""
    @property
    def visits(self) -> int:
        """The number of iterations that began with this line."""
    @property
    def value(self) -> float:
        """The mean return of these iterations for the searching player."""

@final
class Search:
    """The result of a search; made by `Agent.search` and `search_many`. Printed, it is a table.

    Two are equal if everything but the duration is equal.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[..., Search], tuple[Any, ...]]: ...
    @property
    def game(self) -> Game:
        """The game that was searched."""
    @property
    def player(self) -> int:
        """The player who searched."""
    @property
    def action(self) -> int:
        """The action chosen."""
    @property
    def actions(self) -> list[ActionStats]:
        """One `ActionStats` per legal action, ascending by action."""
    @property
    def iterations(self) -> int:
        """The number of determinizations searched: 0 if only one action was legal. Iterations kept from an earlier
        decision by `reuse=on` count as visits, but not here.
        """
    @property
    def nodes(self) -> int:
        """The number of nodes of the trees, including the roots."""
    @property
    def seconds(self) -> float:
        """The duration in seconds of wall time: the only number here that differs between runs."""
    @property
    def lines(self) -> list[Line]:
        """The lines of play that were recorded with `tree_depth`. Each comes before its continuations."""
    def to_svg(self) -> str:
        """A self-contained SVG: bars for each action, and the top of the tree if `tree_depth` was given. See
        `stier.draw.search`.
        """
    def _repr_html_(self) -> str: ...

@final
class Played:
    """One finished game of a `pit`."""
    @property
    def agents(self) -> tuple[int, ...]:
        """The number of the agent at each seat."""
    @property
    def deal(self) -> int:
        """The number of the deal. In a paired match, games of the same deal have the same cards."""
    @property
    def returns(self) -> tuple[float, ...]:
        """The return of each seat."""
    def record(self) -> str:
        """The game as text for `stier.read_record`."""
    def state(self) -> State:
        """The game as a terminal state, history included."""

@final
class PitResult:
    """All games of a `pit` and their statistics. Agents are numbered in order of entry."""
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[..., PitResult], tuple[Any, ...]]: ...
    @property
    def game(self) -> Game:
        """The game that was played."""
    @property
    def agents(self) -> list[str]:
        """The agents' labels, in order of entry; the n-th of equal ones ends with "#n". A label is for tables: it need not
        be the text of an agent that `pit` takes.
        """
    @property
    def deals(self) -> int:
        """The number of deals per table of agents."""
    @property
    def seed(self) -> int:
        """The seed of deals and agents."""
    @property
    def paired(self) -> bool:
        """True if all games of a deal have the same cards."""
    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """Mean return per game of each agent, in the game's utility: float64 (agents,)."""
    @property
    def ci95(self) -> npt.NDArray[np.float64]:
        """Half the width of the 95 % interval around `mean`: float64 (agents,). The units are deals, not games. NaN for a
        single deal. Returns between the game's least and greatest that did not occur are allowed for.
        """
    @property
    def wins(self) -> npt.NDArray[np.float64]:
        """Share of games won by each agent: float64 (agents,). Players tied for first place share the win."""
    @property
    def wins_low(self) -> npt.NDArray[np.float64]:
        """The lower ends of the 95 % intervals of `wins`: float64 (agents,). The units are deals. NaN for a single deal.

        The interval is the Clopper-Pearson interval for the effective number of games. It is not symmetric: it reaches
        below 1 even for an agent that won every game.
        """
    @property
    def wins_high(self) -> npt.NDArray[np.float64]:
        """The upper ends of the 95 % intervals of `wins`: float64 (agents,)."""
    @property
    def games(self) -> list[Played]:
        """Every game, ordered by table, deal, order of the agents and rotation of the seats. Each call makes a new list
        with new items, so store it instead of calling again.
        """
    def meeting(self, i: SupportsIndex, j: SupportsIndex) -> tuple[float, float, float, float, float] | None:
        """The results of agent `i` in games with agent `j`: (mean, ci95, wins, wins_low, wins_high), or `None` if they
        never met.
        """
    def cross_table(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Mean returns of row against column and half the widths of their 95 % intervals: two float64 arrays (agents,
        agents), NaN for agents that never met.
        """
    def totals(self) -> list[tuple[int, float]]:
        """The sum of each agent's returns, best first: `[(agent, total), …]`."""
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with one row per game and seat: `game` (counted from 0), `deal`, `seat`, `entrant` (the
        number of the agent), `agent` (as text), `return`. Requires pandas.
        """
    def _repr_html_(self) -> str: ...

@final
class Properties:
    """Properties of a game that matter to search, measured by `stier.playing.properties`. Each is a pair: the mean and half the
    width of its 95 % interval over deals. `None` if nothing could be measured.
    """
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def deals(self) -> int:
        """The number of deals played."""
    @property
    def games(self) -> int:
        """The number of games per deal."""
    @property
    def seed(self) -> int:
        """The seed."""
    @property
    def play(self) -> str:
        """The play of all seats: `"random"` or `"hints"`."""
    @property
    def leaves(self) -> tuple[float, float]:
        """The share of games that end with a last choice: each of its actions leads to the end without another choice."""
    @property
    def leaf_correlation(self) -> tuple[float, float] | None:
        """The share of last choices that do not change whether the player who chooses wins."""
    @property
    def return_correlation(self) -> tuple[float, float] | None:
        """The share of last choices that do not change the return of the player who chooses."""
    @property
    def bias(self) -> tuple[float, float]:
        """The excess of the favourite's share of wins over an even share, from about 0 to 1."""
    @property
    def disambiguation(self) -> tuple[float, float] | None:
        """The share by which information sets shrink from one decision of a player to the next. Growth counts as 0."""
    @property
    def net_disambiguation(self) -> tuple[float, float] | None:
        """The same as a constant rate, growth included. Negative if sets grow."""

@final
class Solution:
    """A policy for every information set of a game, close to an equilibrium; made by `solve` and `load_solution`.

    It is an agent: it draws its actions from its policy and uses only what the player to move knows. It can be pickled;
    unpickling enumerates its game again, and its draws begin anew.
    """
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def name(self) -> str:
        """The name in tables: the algorithm."""
    @property
    def algorithm(self) -> str:
        """The algorithm, by its name in `solve`, or the name of the rule that `run` was given."""
    @property
    def iterations(self) -> int:
        """The number of iterations."""
    @property
    def information_sets(self) -> int:
        """The number of information sets of the game, including those with one legal action."""
    @property
    def histories(self) -> int:
        """The number of distinct histories of the game. Consecutive random events count as one, and the order in which a
        hand is dealt does not count.
        """
    @property
    def value(self) -> float:
        """The expected return of player 0 if all players follow the policy. In a two-player zero-sum game it differs from
        the value of the game by at most `nash_conv`.
        """
    @property
    def values(self) -> list[float]:
        """The expected returns of all players if all follow the policy."""
    @property
    def nash_conv(self) -> float:
        """The sum over all players of the gain from switching to a best response alone: 0 exactly at an equilibrium."""
    @property
    def exploitability(self) -> float:
        """The average gain of a player: `nash_conv` divided by the number of players."""
    def policy(self, state: State) -> list[tuple[int, float]]:
        """The probabilities of the legal actions of the player to move: `[(action, probability), …]`, ascending by action.

        The first call builds an index of the information sets. Raises `AgentError` if no player is to move, or if the
        state belongs to another game.
        """
    def step(self, state: State) -> int:
        """Draws an action for the player to move."""
    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Like `step`, but also returns the policy: `([(action, probability), …], action)`."""
    def beliefs(self, state: State, player: SupportsIndex | None = None) -> Beliefs:
        """The beliefs of the given player, or by default the player to move, from chance alone."""
    def restart(self, seed: SupportsIndex | None = None) -> None:
        """Draws from the streams of `seed`, by default the seed of the solution."""
    @property
    def history(self) -> npt.NDArray[np.void]:
        """The distance from equilibrium during the run, as a new structured array with the fields `iterations` (int64),
        `seconds` and `nash_conv` (float64).

        There is an entry for every time at which NashConv was measured, and one for the end. Seconds are those of the
        iterations, without building the tree, measuring and writing checkpoints. A run that was continued from a
        checkpoint has those of its earlier parts too. Empty for files of earlier versions.
        """
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with one row for each action of each information set, in the order of `GameTree`. Requires
        pandas.

        Columns: `information_set`, the knowledge of the player as in `State.information_state_string`; `player`; `action`,
        by name; `probability`; `value`, the expected return of the player if it chooses the action there and all follow
        the policy afterwards, as in `GameTree.action_values`; `reach`, the probability that a game reaches the information
        set if all follow the policy.
        """
    def frequency(self, action: SupportsIndex) -> float:
        """The expected number of times per game that any player chooses the action, if all follow the policy. It is a
        probability if a game has at most one such choice. Raises `IllegalActionError` for an unknown action.
        """
    def __reduce__(self) -> tuple[Callable[[bytes, SupportsIndex], Solution], tuple[bytes, int]]: ...
    def save(self, path: _Path) -> None:
        """Writes the policy and the history to a file for `load_solution`: eight bytes per action of each information set. An existing
        file stays intact until the new one is complete.
        """

@final
class GameTree:
    """A whole game in memory, for policies that are computed for all information sets at once.

    Information sets are numbered by the number of choices before them. Raises `ValueError` for a game with more
    histories than `max_histories`. A history takes about ten bytes, an information set about fifty.
    """
    def __new__(
        cls, game: _AnyGame, *, max_histories: SupportsIndex = 50_000_000, threads: SupportsIndex = 0
    ) -> GameTree: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def information_sets(self) -> int:
        """The number of information sets, including those with one legal action."""
    @property
    def histories(self) -> int:
        """The number of histories; see `Solution.histories`."""
    def players(self) -> npt.NDArray[np.int32]:
        """The player to move at each information set, as a new int32 array (sets,)."""
    def legal_action_masks(self, start: SupportsIndex = 0, stop: SupportsIndex | None = None) -> npt.NDArray[np.bool_]:
        """The legal actions at the information sets from `start` to `stop`, as a new bool array (sets, actions)."""
    def information_state_strings(self, start: SupportsIndex = 0, stop: SupportsIndex | None = None) -> list[str]:
        """The knowledge of the player to move at the information sets from `start` to `stop`, each as by
        `State.information_state_string`.
        """
    @overload
    def observation_tensors(
        self, start: SupportsIndex = 0, stop: SupportsIndex | None = None, dtype: Literal["float32"] = "float32"
    ) -> npt.NDArray[np.float32]:
        """The observations of the player to move at the information sets from `start` to `stop`, as a new array (sets, D)
        of type `"float32"` or `"uint8"`. Query some thousands at a time.
        """
    @overload
    def observation_tensors(
        self, start: SupportsIndex = 0, stop: SupportsIndex | None = None, *, dtype: Literal["uint8"]
    ) -> npt.NDArray[np.uint8]: ...
    @overload
    def observation_tensors(
        self, start: SupportsIndex, stop: SupportsIndex | None, dtype: Literal["uint8"]
    ) -> npt.NDArray[np.uint8]: ...
    def policy(self, probabilities: npt.ArrayLike, *, name: str = "policy", seed: SupportsIndex = 0) -> TabularPolicy:
        """Makes the policy with these probabilities, an array (sets, actions), and computes its distance from equilibrium.

        Raises `ValueError` unless the probabilities of the legal actions of every information set sum to 1 (in single
        precision) and all others are 0. Takes about as long as two iterations of a solver. `seed` determines the draws
        of `step`.
        """
    def policy_of(
        self,
        agent: AnyAgent,
        *,
        seed: SupportsIndex = 0,
        seeds: SupportsIndex = 1,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> TabularPolicy:
        """The policy of an agent, queried at every information set as by `best_response`, with its distance from equilibrium.

        A search should be queried with several `seeds`, hashed from `seed`, whose policies are averaged.

        `on_progress(done, total)` is called about ten times a second and after the last information set.
        """
    def action_values(
        self, probabilities: npt.ArrayLike, *, beliefs: Literal["policy", "uniform"] = "policy"
    ) -> npt.NDArray[np.float64]:
        """The value of every action to the player to move, if all players follow the policy afterwards.

        `probabilities` are those of a policy, an array (sets, actions) as for `policy`. Returns a new float64 array of the
        same shape: the player's expected return, in the game's utility, if play has reached the information set and the
        player chooses the action. Values of actions that are not legal are 0. Takes about as long as two iterations of a
        solver.

        An information set is a set of histories. With `beliefs="policy"` they have the exact posterior probabilities, given
        that all other players follow the policy. With `beliefs="uniform"` they have the probabilities of the random events
        alone: the other players' past actions say nothing, but they still follow the policy afterwards. The player's own
        past actions are the same in all histories and do not matter. At information sets that the other players' policies
        never reach, there is no posterior, and `"policy"` means the same as `"uniform"`.

        Raises `ValueError` as `policy` does, and for unknown beliefs.
        """
    def rows(self, player: SupportsIndex) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """The rows of a player: the actions of all its information sets, one set after another. See `stier.solving.Rows`.

        Returns the numbers of the information sets, int32 (sets of the player,), the place of the first action of each, int64
        (sets of the player,), and the actions, uint8 (rows,), as new arrays.
        """
    def regrets_into(
        self,
        player: SupportsIndex,
        policies: Sequence[npt.ArrayLike],
        regrets: npt.NDArray[np.float64],
        reach: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        others: npt.NDArray[np.float64],
    ) -> None:
        """Computes the counterfactual regrets of a player in one pass over the tree, into arrays of the caller.

        `policies` has one array (rows,) for each player: the probabilities of its actions, in the order of `rows`. The
        results overwrite C-contiguous float64 arrays, `regrets` and `reach` (rows of the player,), `values` and `others`
        (sets of the player,):

        - `others`: the probability that chance and the other players lead to the information set;
        - `values`: the player's expected return there if all follow their policies, times `others`;
        - `regrets`: the same if the player chooses the action, minus `values`;
        - `reach`: the probability that the player's own choices lead to the information set and then to the action.

        Takes about half as long as an iteration of a solver for two players. The first pass allocates 8 bytes per history and
        8 per action, which the tree keeps. Raises `ArgumentError` for arrays of another kind, and for policies that are not
        probabilities.
        """
    def solution(
        self,
        policies: Sequence[npt.ArrayLike],
        *,
        name: str = "policy",
        iterations: SupportsIndex = 1,
        seconds: float = 0.0,
        history: Sequence[tuple[int, float, float]] = (),
        seed: SupportsIndex = 0,
    ) -> Solution:
        """Makes a solution of policies that were found elsewhere, and computes its distance from equilibrium.

        `policies` are as for `regrets_into`. `name` and `iterations` are those of the solution. Its `history` is the one
        given, rows of (iterations, seconds, NashConv), and this policy after `seconds`. `seed` determines the draws of
        `Solution.step`. Raises `ArgumentError` for policies that are not probabilities.
        """

@final
class TabularPolicy:
    """A policy for every information set of a game, with its distance from equilibrium; made by a `GameTree`. It is an agent."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def name(self) -> str:
        """The name in tables."""
    @property
    def values(self) -> list[float]:
        """The expected returns of all players if all follow the policy."""
    @property
    def nash_conv(self) -> float:
        """The sum over all players of the gain from switching to a best response alone."""
    @property
    def exploitability(self) -> float:
        """The average gain of a player: `nash_conv` divided by the number of players."""
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probabilities of all actions at all information sets, as a new float64 array (sets, actions); 0 for actions
        that are not legal.
        """
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with one row for each action of each information set; see `Solution.to_pandas`."""
    def frequency(self, action: SupportsIndex) -> float:
        """The expected number of times per game that any player chooses the action; see `Solution.frequency`."""
    def policy(self, state: State) -> list[tuple[int, float]]:
        """The probabilities of the legal actions of the player to move: `[(action, probability), …]`, ascending by action.

        Raises `AgentError` if no player is to move, or if the state belongs to another game.
        """
    def step(self, state: State) -> int:
        """Draws an action for the player to move."""
    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Like `step`, but also returns the policy: `([(action, probability), …], action)`."""
    def restart(self, seed: SupportsIndex | None = None) -> None:
        """Draws from the streams of `seed`, by default the seed of the policy."""

@final
class BestResponse:
    """The best response of every player to an agent at all other seats; made by `best_response`.

    It is an agent: at each information set it plays the best action for the player to move, and the first of equally
    good actions.
    """
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def name(self) -> str:
        """The name in tables."""
    @property
    def against(self) -> str:
        """The agent that this is the best response to."""
    @property
    def seeds(self) -> int:
        """The number of seeds with which the agent was asked, whose policies were averaged; 0 if it needs none."""
    @property
    def information_sets(self) -> int:
        """The number of information sets of the game."""
    @property
    def histories(self) -> int:
        """The number of histories of the game; see `Solution.histories`."""
    @property
    def values(self) -> list[float]:
        """The expected return of this best response for each player, against the agent at all other seats."""
    @property
    def agent_values(self) -> list[float]:
        """The expected return of each player if the agent plays every seat."""
    @property
    def nash_conv(self) -> float:
        """The sum over all players of the gain from switching from the agent to the best response alone."""
    @property
    def exploitability(self) -> float:
        """The average gain of a player: `nash_conv` divided by the number of players."""
    def policy(self, state: State) -> list[tuple[int, float]]:
        """The legal actions of the player to move, with probability 1 for the chosen action and 0 for the others:
        `[(action, probability), …]`.

        Raises `AgentError` if no player is to move, or if the state belongs to another game.
        """
    def step(self, state: State) -> int:
        """The action for the player to move."""
    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """Like `step`, but also returns the policy: `([(action, probability), …], action)`."""

_Tensors: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.uint8]
_Bytes: TypeAlias = npt.NDArray[np.int8] | npt.NDArray[np.bool_] | npt.NDArray[np.uint8]
_Integers: TypeAlias = npt.NDArray[np.integer[Any]] | Sequence[int]
_Seeds: TypeAlias = SupportsIndex | Sequence[int] | npt.NDArray[np.integer[Any]]
_Mask: TypeAlias = npt.NDArray[np.bool_] | Sequence[bool]

@final
class Batch:
    """The state of all environments of a `VectorEnv` as arrays. The first axis is the environment.

    Shapes: n environments, D numbers per tensor (`VectorEnv.observation_shape`), A actions
    (`Game.num_distinct_actions`). Every row is from the view of the environment's current player. Rewards are by seat.
    """
    @property
    def observation(self) -> Any:
        """The observations of the current players, float32 or uint8 (n, D). In an environment whose game is over, the
        observation of the player who acted last. `None` without tensors.
        """
    @property
    def final_observation(self) -> Any:
        """The last observation of each game that the step ended, as seen by the player who acted, with
        `autoreset="same_step"`. Rows where `terminated` is false have no meaning. `None` in other modes.
        """
    @property
    def action_mask(self) -> npt.NDArray[np.int8]:
        """The legal actions of the current players, int8 (n, A) of 0 and 1. All 1 in environments that ignore their next
        action.
        """
    @property
    def legal_action_mask(self) -> npt.NDArray[np.bool_]:
        """The same bytes as bool (n, A)."""
    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """The rewards of the step, float32 (n, players): the returns where the step ended a game, and zeros elsewhere."""
    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """True where the game of the environment is over, bool (n,): after the step that ended it, and in environments
        that stay over.
        """
    @property
    def current_player(self) -> npt.NDArray[np.int32]:
        """The player to move, int32 (n,). `stier.TERMINAL` in environments whose game is over. Always the learner if there
        are opponents.
        """

@final
class VectorEnv:
    """Many games stepped together: n environments, each of which plays one game after another.

    One step is one decision in each environment, by the current player of the environment. Simultaneous choices are
    made one after another, as in a `State`. Environment `i` begins as the state
    `game.new_initial_state(seed=envs.seeds[i])` and goes on as it does, bit for bit, on any number of threads.

    Seeds (0 to 2**64-1): the first game of environment `i` has the seed s = `derive_seed(seed, "lane", i)`, or the seed
    given to `reset`. Game k after it has the seed `derive_seed(s, "episode", k)`.

    Autoreset: with `True` or `"same_step"`, the step that ends a game deals the next one. `observation`, masks and
    `current_player` then show the new game, while `rewards`, `terminated` and `final_observation` belong to the old
    one. With `"next_step"`, the environment stays over for one step, which ignores its action and deals. With `False`
    or `"disabled"`, the environment stays over and further steps do not change it. A game that is over before its first
    decision (31 dealt in Schwimmen) is reported by the next step, which ignores the action of the environment.

    Opponents: agents that play the other seats inside the step, so that the caller decides for one learner in each
    environment. They are text or `Agent` objects, whose options are copied: one for all other seats, or one for each,
    clockwise from the learner. Each uses only what its seat knows. It remembers nothing between decisions: its seed is
    `derive_seed(s ^ rotl(its own seed, 32), "opponent", e)`, with the seed s of the game and e events before the
    decision. `seat` is the seat of the learner: a number, `"rotate"` (environment + games before, modulo the number of
    seats) or `"random"` (drawn from the seed of the game).

    Opening: exploring starts. In some games an agent decides for all seats at first, so that the caller meets positions
    that it would not reach by itself. Which games, and how many decisions, is drawn from the seed of the game. A game
    that would end in its opening is dealt again without one.

    Barred: in some games the caller may not choose one action at first, so that it also meets what follows when nobody
    chooses it. Which games, and for how many decisions of all players, is drawn from the seed of the game. The action
    is then missing in the masks, unless it is the only legal one. No tensor shows this, nor do the states of `state`,
    whose legal actions include it; `barred_left` tells how long it lasts. Opponents and the agent of an opening may
    choose it.

    Beliefs: expected cards follow the observation: for each other seat, clockwise from the current player, and each
    card of `Beliefs.cards`, the expected number of copies that the seat holds, from 0 on; 0 once the game is over. They
    use only what the current player knows. The posterior under a known policy of the opponents is the belief of
    `"lbr:against=AGENT,epsilon=0"`. Its `particles` are the histories weighed for a decision: if there are at most that
    many worlds, all of them are enumerated. If the policy excludes all histories, the beliefs are those of chance. The
    seed of the agent is `derive_seed(s, "beliefs", e)`, as for opponents.

    Args:
        game: The game.
        num_envs: The number of environments, 1 to 2**24.
        seed: The seed from which the seeds of the environments are derived.
        threads: The number of threads; 0 for all cores. It does not change the results.
        autoreset: The treatment of an environment whose game has ended; see above.
        observation: `"float32"`, `"uint8"` (the same zeros and ones in bytes) or `None` for no tensors.
        tensor: `"observation"`, or `"information_state"` for tensors with perfect recall, which must be `"float32"`.
        opponents: The agents at the other seats; `None` if the caller decides for all seats.
        seat: The seat of the learner; by default 0. Only with opponents.
        opening: The agent that begins some of the games; `None` if all begin with the deal.
        opening_share: The share of the games that it begins, 0 to 1; by default 0.25. Only with an opening.
        opening_decisions: The largest number of its decisions in a game, at least 1; by default 8. Each number from 1
            is equally likely. Only with an opening.
        barred: The name or the number of the action; `None` if all legal ones may be chosen.
        barred_share: The share of these games, 0 to 1; by default 0.25. Only with a barred action.
        barred_decisions: The largest number of decisions at which it is barred, at least 1; by default 8. Each number
            from 1 is equally likely, so a whole game passes without the action only if this is more than its last
            decision at which the action is legal. Only with a barred action.
        beliefs: The agent whose beliefs follow the observation; `None` for observations alone. Needs
            `observation="float32"`.
        copy: Give each batch arrays of its own for as long as the batch, one of its arrays or a view of one is in use.
            Otherwise two sets of arrays take turns, and the second step or reset after a batch overwrites it.

    Only one thread may call at a time. `pickle` keeps everything that the future depends on.

    Raises:
        ValueError: A number out of range, or an unknown choice.
        AgentError: An unknown opponent, an opponent for another game, or the wrong number of opponents.
        SeatError: An unknown seat.
    """
    def __new__(
        cls,
        game: _AnyGame,
        num_envs: SupportsIndex,
        *,
        seed: SupportsIndex = 0,
        threads: SupportsIndex = 0,
        autoreset: bool | Literal["same_step", "next_step", "disabled"] = True,
        observation: Literal["float32", "uint8"] | None = "float32",
        tensor: Literal["observation", "information_state"] = "observation",
        opponents: Agent | str | Sequence[Agent | str] | None = None,
        seat: SupportsIndex | Literal["rotate", "random"] | None = None,
        opening: Agent | str | None = None,
        opening_share: float | None = None,
        opening_decisions: SupportsIndex | None = None,
        barred: str | SupportsIndex | None = None,
        barred_share: float | None = None,
        barred_decisions: SupportsIndex | None = None,
        beliefs: Agent | str | None = None,
        copy: bool = True,
    ) -> VectorEnv: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def num_envs(self) -> int:
        """The number of environments."""
    @property
    def autoreset(self) -> str:
        """The treatment of an environment whose game has ended: `"same_step"`, `"next_step"` or `"disabled"`."""
    @property
    def observation_shape(self) -> tuple[int]:
        """The shape of the tensor of one environment, even if no tensors are shown."""
    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """The seeds of the current games, as a new uint64 array (n,)."""
    def reset(self, seed: _Seeds | None = None, mask: _Mask | None = None) -> Batch:
        """Deals a new game in every environment, or in the environments of `mask`, a bool array (n,). The batch covers all
        environments.

        A `seed` starts over: either one number, from which the seeds of the environments are derived, or one seed for
        each environment. Without a seed, every environment goes on to its next game; only the first call shows the
        first games. Raises `ValueError` for seeds or a mask of the wrong length.
        """
    def step(self, actions: _Integers) -> Batch:
        """Plays one action in each environment: whole numbers (n,). The batch shows the result.

        Raises `IllegalActionError`, which names the first environment with an illegal action, `ValueError` for the
        wrong shape, and `TypeError` unless the actions are whole numbers. Invalid actions raise before any environment
        is stepped.
        """
    def observe(self) -> Batch:
        """Returns the present state of the environments, with no rewards."""
    def step_into(
        self,
        actions: _Integers,
        *,
        observation: _Tensors | None = None,
        action_mask: _Bytes | None = None,
        rewards: npt.NDArray[np.float32] | None = None,
        terminated: npt.NDArray[np.bool_] | None = None,
        current_player: npt.NDArray[np.int32] | None = None,
        final_observation: _Tensors | None = None,
    ) -> None:
        """Steps into C-contiguous arrays of the caller, named as in `Batch`. Arrays left out are not written. Observations
        may be float32 or uint8; masks may be int8, bool or uint8.

        Raises the errors of `step`. An array of the wrong shape, type or order raises `ValueError` or `TypeError`
        before any environment is stepped.
        """
    def reset_into(
        self,
        seed: _Seeds | None = None,
        mask: _Mask | None = None,
        *,
        observation: _Tensors | None = None,
        action_mask: _Bytes | None = None,
        rewards: npt.NDArray[np.float32] | None = None,
        terminated: npt.NDArray[np.bool_] | None = None,
        current_player: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Resets into arrays of the caller; see `step_into`."""
    def sample_actions(self) -> npt.NDArray[np.int64]:
        """Draws a legal action for each environment, uniformly, as a new int64 array (n,). Environments that ignore their
        action get an arbitrary one.

        Call k, counted from 0 since the environments were seeded, draws from the stream of (seed, "actions", k),
        environment after environment. If `reset` was given one seed per environment, this is the seed of the
        constructor.
        """
    def perfect_information_observation(self) -> npt.NDArray[np.uint8]:
        """The observations of all players in each environment, hidden hands included, as a new uint8 array (n, players,
        D): the current player first, then the other players in turn. For critics during training. No other method
        reveals hidden information.
        """
    def barred_left(self) -> npt.NDArray[np.uint32]:
        """The number of decisions, from the present one on, at which the barred action may not be chosen in each environment,
        as a new uint32 array (n,); 0 where it may, and in environments that are finished. For critics during training, like
        `perfect_information_observation`.
        """
    def state(self, lane: SupportsIndex) -> State:
        """Returns a copy of one environment, 0 to n - 1, as a state with its history. It deals itself and continues as the
        environment would.
        """
    def set_opponents(self, opponents: Agent | str | Sequence[Agent | str]) -> None:
        """Replaces the opponents, also in games that have begun, with agents as in the constructor. Seats, seeds and games
        stay as they are. The first games begin with the environments, so the first opponents may have acted in them.

        Raises `AgentError` as the constructor does, and `ValueError` if the environments were made without opponents.
        """
    def get_state(self) -> bytes:
        """Everything that the future depends on, as bytes: seeds, decisions, calls of `sample_actions`."""
    def set_state(self, state: bytes) -> None:
        """Continues where `get_state` was called. The environments must have the same game, number, opponents, opening and
        barred action. `observe` shows the state.

        Raises `RecordError` for other bytes. Nothing changes then.
        """
    def __len__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Game, int], dict[str, Any]]: ...
    def __getstate__(self) -> tuple[bytes, bool]: ...
    def __setstate__(self, state: tuple[bytes, bool]) -> None: ...

@final
class Worlds:
    """Determinizations drawn by `resample_many`: first the n worlds of the first state, then those of the second, and so
    on.

    `holdings()` and `observation_tensors()` return arrays. If the worlds have histories, `worlds[i]` is a `State`.
    """
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def cards(self) -> list[str]:
        """The names of the cards, in the order of `holdings`."""
    @property
    def players(self) -> npt.NDArray[np.int32]:
        """The player from whose knowledge each world was drawn, as a new int32 array (worlds,)."""
    def holdings(self) -> npt.NDArray[np.uint8]:
        """The number of copies of each card that each seat holds, as a new uint8 array (worlds, players, cards): in hand,
        laid face down, or taken but not yet paid for.
        """
    @overload
    def observation_tensors(
        self, player: SupportsIndex | None = None, dtype: Literal["float32"] = "float32"
    ) -> npt.NDArray[np.float32]:
        """The observations of a player in each world, by default the player it was drawn for, as a new array (worlds, D)
        of type `"float32"` or `"uint8"`. The tensors of other players show hands that the player cannot know.
        """
    @overload
    def observation_tensors(
        self, player: SupportsIndex | None = None, *, dtype: Literal["uint8"]
    ) -> npt.NDArray[np.uint8]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> State: ...

def load_game(name: str | type[Any], /, **options: _OptionValue | Enum) -> Game:
    """Loads a game by name, with its rules given as keywords.

    Values are strings, numbers or bools: `True` and `False` turn a switch on and off. Options left out have their
    defaults. `load_game(name, **game.rules())` loads the same game again. Options may also be part of the text:
    `"schwinget:scoring=schwinger,bouts=4"` or `"schwinget(scoring=schwinger,bouts=4)"`.

    Games written in Python are loaded by the name under which they were registered (`stier.register_game`), by the
    place of the class, as `"my_games:Trumps"` or `"my_games:Trumps(players=3)"`, or by the class itself. OpenSpiel's
    games are loaded as `"openspiel:leduc_poker(players=2)"`, or as `pyspiel.Game`.

    Raises `RulesError`, which lists what is allowed, for an unknown name, option or value, for an option given twice,
    and for options that contradict each other; `GameError` for a Python game that cannot be played.
    """

def load_agent(name: str, game: _AnyGame, /, **options: _OptionValue | PathLike[str]) -> Agent:
    """Loads an agent for a game by name. Options are keywords or part of the text (`"ismcts:iterations=10000,threads=2"`),
    or some of each. Every agent has the option `seed`.

    `describe_agents()` lists the options. Values are strings, numbers, bools or paths. Raises `AgentError`, which lists
    what is allowed, for an unknown name, option or value, for an option given twice, and for a network that cannot be
    read or was trained for another game.
    """

def read_record(text: str) -> State:
    """Reads a record and returns its last state, with explicit chance nodes; see `State.record`.

    Every event is checked. Raises `RecordError`, which names the line or event, if the text is not a record.
    """

def serialize_game_and_state(game: Game, state: State) -> str:
    """Writes game and state as versioned text. It includes the future draws of a state that deals itself.

    Raises `ValueError` if the state belongs to another game.
    """

def deserialize_game_and_state(text: str) -> tuple[Game, State]:
    """Reads the text of `serialize_game_and_state`. Raises `RecordError`, which names the line or event, for any other
    text.
    """

def registered_names() -> list[str]:
    """The names of all games, ascending: those of the package and those registered from Python."""

def registered_agents(game: _AnyGame | None = None) -> list[str]:
    """The names of all agents, ascending, or of those that can play `game` with their default options. All but `oracle` use
    only what the player to move knows. `oracle` sees everything.
    """

def networks_of(text: str) -> list[str] | None:
    """The paths of the networks that an agent in text form uses, those of the agents in its options included; empty for the
    game's own network. None if the text is no agent.
    """

def game_options(name: str) -> list[_OptionRow]:
    """The options of a game."""

def agent_options() -> list[tuple[str, str, list[_OptionRow]]]:
    """Every agent: (name, description, options other than the seed)."""

def alternatives(text: str, kind: str, known: Sequence[str]) -> str:
    """The end of an error about an unknown name: the known name that is most like it, and all of them."""

def games_per_deal(agents: Sequence[str]) -> int:
    """The number of games per deal for agents with these identities, at least one."""

def judge(searches: Sequence[Search], action: int) -> tuple[int, float | None, float | None]:
    """The action that most of the searches choose, what `action` costs against their own choices, and half the width of
    its 95 % interval; see `stier.replays.Decision`.
    """

def verdict(
    names: tuple[str, str], is_best: bool, agreed: int, searches: int, cost: float | None, ci95: float | None
) -> str:
    """A judgement in words: the names of the judged action and of the best one, whether they are the same, how many of the
    searches choose the best one, and the cost with half the width of its interval.
    """

def cross_fitted(gains: npt.NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The mean gain of choices by the searches that did not make them, and half the width of its 95 % interval.

    `gains` has a row for each search: the gain of its choice by the values of each search. The mean leaves out the
    diagonal and is `None` for a single search; the interval is the jackknife's over searches, `None` for fewer than
    three.
    """

def judgement_seed(search: int, events: int) -> int:
    """The seed of one of the searches of a decision with so many events before it."""

def estimate(
    values: npt.NDArray[np.float64],
    low: float = ...,
    high: float = ...,
    wholes: npt.NDArray[np.float64] | None = None,
) -> tuple[float, float, int]:
    """The mean, half the width of its 95 % interval and the number of values. NaN where undefined.

    `low` and `high` are the ends of the range that the values can have; with infinite ones the interval is Student's.
    With `wholes`, one for each value, it is the sum of the values divided by that of the wholes.
    """

def estimate_of_sums(units: int, total: float, squares: float, low: float, high: float) -> tuple[float, float]:
    """The mean of so many values between `low` and `high`, and half the width of its 95 % interval, given their total and
    that of their squares. NaN where undefined.
    """

def share_of_sums(
    units: int, part: float, whole: float, part_squared: float, product: float, whole_squared: float
) -> tuple[float, float, float]:
    """`share`, given the number of pairs and sums over them: of the parts, the wholes, the squared parts, the products of
    both, and the squared wholes.
    """

def share(parts: npt.NDArray[np.float64], wholes: npt.NDArray[np.float64]) -> tuple[float, float, float, int]:
    """The sum of the parts divided by the sum of the wholes, the ends of its 95 % interval and the number of pairs. No
    part may exceed its whole.
    """

def pit(
    game: _AnyGame,
    agents: Sequence[AnyAgent],
    deals: SupportsIndex,
    seed: SupportsIndex,
    paired: bool,
    threads: SupportsIndex,
    on_progress: Callable[[int, int], object] | None = None,
) -> PitResult:
    """`on_progress(done, total)` is called before the first game, then about ten times a second, and after the last. See
    `stier.pit` for the other arguments.
    """

def solve(
    game: _AnyGame,
    algorithm: str,
    iterations: SupportsIndex,
    target: float,
    seed: SupportsIndex,
    checkpoint: _Path | None,
    max_histories: SupportsIndex,
    threads: SupportsIndex,
    on_progress: Callable[[int, int, float | None], object] | None = None,
    on_count: Callable[[int, int], object] | None = None,
) -> Solution:
    """`on_progress(iterations, total, nash_conv)` is called before the first iteration, then about ten times a second, and
    after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead. See
    `stier.solve` for the other arguments.
    """

def next_look(iterations: int, has_target: bool) -> int:
    """The number of iterations after which a run measures NashConv next."""

def _restore_solution(content: bytes, seed: SupportsIndex) -> Solution:
    """A pickled solution."""

def load_solution(
    path: _Path,
    seed: SupportsIndex,
    max_histories: SupportsIndex,
    threads: SupportsIndex,
    on_count: Callable[[int, int], object] | None = None,
) -> Solution:
    """While the histories of the game are counted, `on_count(histories, estimate)` is called about ten times a second. See
    `stier.solving.load_solution` for the other arguments.
    """

def best_response(
    game: _AnyGame,
    agent: AnyAgent,
    seed: SupportsIndex,
    seeds: SupportsIndex,
    max_histories: SupportsIndex,
    threads: SupportsIndex,
    on_progress: Callable[[int, int], object] | None = None,
    on_count: Callable[[int, int], object] | None = None,
) -> BestResponse:
    """`on_progress(done, total)` is called about ten times a second while the agent is queried at the information sets,
    and after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead.
    See `stier.solving.best_response` for the other arguments.
    """

def properties(
    game: _AnyGame,
    deals: SupportsIndex,
    games: SupportsIndex,
    seed: SupportsIndex,
    play: str,
    threads: SupportsIndex,
    on_progress: Callable[[int, int], object] | None = None,
) -> Properties:
    """`on_progress(done, total)` is called before the first game, then about ten times a second, and after the last. See
    `stier.playing.properties` for the other arguments.
    """

def timing_positions(
    game: Game,
    *,
    players: str,
    continuation: str,
    repeats: SupportsIndex,
    hidden: str,
    lights: Sequence[str],
    share: float,
    seed: SupportsIndex,
    first: SupportsIndex,
    games: SupportsIndex,
    threads: SupportsIndex,
) -> dict[str, npt.NDArray[Any]]:
    """The positions of the games `first` to `first + games - 1` as columns. `stier.study` explains the arguments and columns."""

def timing_sets(
    solution: Solution,
    *,
    lights: Sequence[str],
    seed: SupportsIndex,
    threads: SupportsIndex,
) -> dict[str, npt.NDArray[Any]]:
    """Every information set of a solved game at which the player to move may attack, as columns. `stier.study` explains the
    arguments and columns.
    """

def derive_seed(seed: SupportsIndex, purpose: str, index: SupportsIndex) -> int:
    """The seed hashed from (seed, purpose, index): the first 64 bits of the engine's stream of that name.

    Seed, index and result are 0 to 2**64-1. The purpose is any text. Different purposes or indices give independent
    seeds, so one seed is enough for a whole experiment.
    """

def resample_many(
    states: State | Iterable[State],
    n: SupportsIndex,
    seed: SupportsIndex = 0,
    *,
    player: SupportsIndex | None = None,
    histories: bool = False,
    threads: SupportsIndex = 0,
) -> Worlds:
    """Draws many determinizations of a state, or n of each of several states of the same game. These are states that the
    player cannot tell apart from the true one, drawn by chance reach probability.

    World `k` of state `s` has the seed `derive_seed(derive_seed(seed, "resample many", s), "world", k)`, independently
    of the other worlds and the number of threads. With histories it is `state.resample_from_infostate(player, that
    seed)`. Without, it is a position from the same distribution and much faster to draw.

    Args:
        states: A state, or several states of the same game.
        n: The number of worlds per state; at most 10**8 in total.
        seed: The seed.
        player: The player whose knowledge counts; by default the player to move in each state.
        histories: Draw worlds with histories, which makes them states.
        threads: The number of threads; 0 for all cores.

    Raises:
        SeatError: An unknown player, or no player named where no player is to move.
        ValueError: No states, states of different games, or a number out of range.
    """

def search_many(
    agent: Agent | str,
    states: State | Iterable[State],
    seed: SupportsIndex | None,
    threads: SupportsIndex,
    on_progress: Callable[[int, int], object] | None = None,
) -> list[Search]:
    """`on_progress(done, total)` is called before the first search, then about ten times a second, and after the last. See
    `stier.search_many` for the other arguments.
    """

def _python_game(sheet: Any) -> Game: ...
def _restore_state(text: str, game: Game | None = None) -> State: ...
def _restore_beliefs(
    game: Game,
    player: SupportsIndex,
    cards: Sequence[str],
    expected: Sequence[float],
    basis: str,
    worlds: SupportsIndex,
    effective: float,
) -> Beliefs: ...
def _restore_search(
    game: Game,
    player: SupportsIndex,
    action: SupportsIndex,
    actions: Sequence[ActionStats],
    iterations: SupportsIndex,
    nodes: SupportsIndex,
    seconds: float,
    lines: Sequence[Line],
) -> Search: ...
def _restore_pit_result(
    game: Game,
    agents: Sequence[str],
    deals: SupportsIndex,
    seed: SupportsIndex,
    paired: bool,
    games: Sequence[_PlayedParts],
) -> PitResult: ...
