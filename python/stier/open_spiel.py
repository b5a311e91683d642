"""The games in OpenSpiel, and policies from there and back.

>>> import pyspiel
>>> import stier.open_spiel
>>> names = stier.open_spiel.register()
>>> game = pyspiel.load_game("stier_schwinget(scoring=schwinger,bouts=4)")
>>> state = game.new_initial_state()  # chance nodes are explicit
>>> stier.open_spiel.deal(state, seed=7)  # or deal by a seed
>>> state.apply_action(state.legal_actions()[0])

Every option of a game is a parameter, numbers as numbers and everything else by name (``counter=off``). Tensors come
from observers, in named pieces: `make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))` of
`open_spiel.python.observation`. There are those with public and the observing player's private information.

Simultaneous choices are sequential nodes, in turn: the information state of who chooses later is the same whatever was
chosen before. Illegal actions raise and leave the state as it was. OpenSpiel's C++ ISMCTS bot crashes on any Python
game; its Python one works, and `resample_from_infostate` gives it exact worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from stier._adapting import missing

try:
    import pyspiel
except ImportError as _error:
    raise missing("open_spiel", _error) from _error

import numpy as np
import numpy.typing as npt
from open_spiel.python.policy import Policy

from stier import _arguments
from stier._arguments import AnyGame
from stier._native import CHANCE, Game, GameTree, State, TabularPolicy, load_game, registered_names
from stier._output import bar
from stier.catalogue import describe_game
from stier.errors import AgentError, ArgumentError
from stier.games._members import RANGES
from stier.games._open_spiel import turn_based
from stier.games._sheet import OPEN_SPIEL

__all__ = [
    "PREFIX",
    "PolicyAgent",
    "StierGame",
    "StierObserver",
    "StierState",
    "as_policy",
    "deal",
    "register",
    "tabular",
]

#: The prefix of the games' names in OpenSpiel.
PREFIX = "stier_"


def _players(name: str) -> tuple[int, int]:
    """Returns the lowest and the highest number of players of a game under any options."""
    numbers = [load_game(name).num_players()]
    for option in describe_game(name):
        if option.name == "players" and option.choices:
            numbers = [int(choice) for choice in option.choices if choice.isdecimal()] or numbers
        elif option.name == "players":
            low, high = RANGES["num_players"]
            numbers = [int(option.minimum or low), int(option.maximum or high)]
    return min(numbers), max(numbers)


def _game_type(game: Game) -> pyspiel.GameType:
    utility_sum = game.utility_sum()
    utility = pyspiel.GameType.Utility
    chance_mode = pyspiel.GameType.ChanceMode
    random_events = game.max_chance_nodes_in_history() > 0
    least, most = _players(game.short_name())
    return pyspiel.GameType(
        short_name=PREFIX + game.short_name(),
        long_name=f"Stier: {game.short_name().replace('_', ' ').title()}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode.EXPLICIT_STOCHASTIC if random_events else chance_mode.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility={None: utility.GENERAL_SUM, 0.0: utility.ZERO_SUM}.get(utility_sum, utility.CONSTANT_SUM),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=load_game(game.short_name()).rules(),
    )


class StierGame(pyspiel.Game):
    """A game under fixed rules; made by `pyspiel.load_game`."""

    def __init__(self, game: Game) -> None:
        defaults = load_game(game.short_name()).rules()
        chosen = {name: value for name, value in game.rules().items() if value != defaults[name]}
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_distinct_actions(),
            max_chance_outcomes=game.max_chance_outcomes(),
            num_players=game.num_players(),
            min_utility=game.min_utility(),
            max_utility=game.max_utility(),
            utility_sum=game.utility_sum(),
            max_game_length=game.max_game_length(),
        )
        super().__init__(_game_type(game), info, chosen)
        #: The same game in `stier`.
        self.game = game

    def new_initial_state(self) -> StierState:
        """Returns the state before the first random event."""
        return StierState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the greatest number of random events in a game."""
        return self.game.max_chance_nodes_in_history()

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> StierObserver | None:
        """Returns an observer, or None where public and private information would have to be told apart."""
        if params:
            raise ArgumentError(f"params must be left out: observers take none, got {', '.join(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return StierObserver(self.game, perfect_recall=kind.perfect_recall)


class StierState(pyspiel.State):
    """A game from its first random event to now."""

    def __init__(self, game: StierGame) -> None:
        super().__init__(game)
        #: The same state in `stier`; to be changed through this one only.
        self.stier_state: State = game.game.new_initial_state()

    def current_player(self) -> int:
        """Returns the player to act, as `pyspiel.PlayerId`."""
        return self.stier_state.current_player()

    def is_terminal(self) -> bool:
        """Returns `True` if the game is over."""
        return self.stier_state.is_terminal()

    def _legal_actions(self, player: int) -> list[int]:
        return self.stier_state.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes of the random event to come, ascending, with their probabilities."""
        return self.stier_state.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.stier_state.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.stier_state.action_to_string(player, action)

    def returns(self) -> list[float]:
        """Returns the utility of each player; zeros before the end."""
        return [float(value) for value in self.stier_state.returns()]

    def rewards(self) -> list[float]:
        """Returns the reward of each player for the last action."""
        return [float(value) for value in self.stier_state.rewards()]

    def resample_from_infostate(self, player: int, probability_sampler: Any) -> StierState:
        """Draws a state that the player cannot tell apart from this one, with a complete and legal history.

        Drawn by chance reach probability among the histories of the information set.

        Args:
            player: The player of the information set.
            probability_sampler: A function that returns numbers from [0, 1), as OpenSpiel passes it; or a seed, or a
                NumPy generator.
        """
        world = self.stier_state.resample_from_infostate(player, _seed(probability_sampler))
        state: StierState = self.get_game().new_initial_state()
        for _, action in world.history():
            state.apply_action(action)
        return state

    def __str__(self) -> str:
        return str(self.stier_state)


def _seed(source: Any) -> int:
    if isinstance(source, np.random.Generator):
        return int(source.integers(2**63))
    if callable(source):
        draw = cast(Callable[[], float], source)
        return int(draw() * 2**32) << 32 | int(draw() * 2**32)
    return _arguments.seed(source, "probability_sampler")


class StierObserver:
    """The observer of a player, with the methods of OpenSpiel's observers.

    `tensor` is the whole, float32; `dict` has its pieces by name, views of the same memory, as
    `Game.observation_tensor_layout` or, with perfect recall, `Game.information_state_tensor_layout` lists them.
    """

    def __init__(self, game: Game, *, perfect_recall: bool) -> None:
        layout = game.information_state_tensor_layout() if perfect_recall else game.observation_tensor_layout()
        self._perfect_recall = perfect_recall
        self.tensor: npt.NDArray[np.float32] = np.zeros(sum(int(np.prod(shape)) for _, shape in layout), np.float32)
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        start = 0
        for name, shape in layout:
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def set_from(self, state: StierState, player: int) -> None:
        """Writes what the player sees into `tensor`."""
        tensor = State.information_state_tensor if self._perfect_recall else State.observation_tensor
        self.tensor[:] = tensor(state.stier_state, player)

    def string_from(self, state: StierState, player: int) -> str:
        """Returns the player's view as text: with perfect recall all it knows in a line, else the table as it lies."""
        if self._perfect_recall:
            return state.stier_state.information_state_string(player)
        return state.stier_state.to_text(player)


def deal(state: StierState, seed: int) -> None:
    """Applies the random events of a seed, up to the next decision or to the end.

    Called before every decision it makes the game of `stier`'s `Game.new_initial_state(seed=seed)`.
    Raises `ValueError` if what happened so far does not follow from the seed.
    """
    past = state.stier_state.history()
    seeded = state.stier_state.get_game().new_initial_state(seed=seed)
    for player, action in past:
        if player != CHANCE:
            seeded.apply_action(action)
    events = seeded.history()
    if events[: len(past)] != past:
        at = next(index for index, event in enumerate(past) if events[index : index + 1] != [event])
        raise ArgumentError(f"seed {seed} does not lead to this state: event {at} is {past[at]} here")
    for _, action in events[len(past) :]:
        state.apply_action(action)


def _spiel_game(game: Game) -> pyspiel.Game:
    name = game.short_name()
    if name.startswith(OPEN_SPIEL):
        return turn_based(pyspiel.load_game(name.removeprefix(OPEN_SPIEL)))
    register()
    return pyspiel.load_game(PREFIX + name, game.rules())


def _spiel_state(game: pyspiel.Game, state: State) -> pyspiel.State:
    """Returns the state in this game of OpenSpiel. It has choices made at once when all are made."""
    other = game.new_initial_state()
    choices: dict[int, int] = {}
    for player, action in state.history():
        if not other.is_simultaneous_node():
            other.apply_action(action)
            continue
        choices[player] = action
        players = range(game.num_players())
        if all(player in choices or not other.legal_actions(player) for player in players):
            other.apply_actions([choices.get(player, 0) for player in players])
            choices = {}
    return other


def _state_of(game: Game, state: pyspiel.State, player: int) -> State:
    """Returns a state of OpenSpiel in a game of this package, where this player is to act."""
    if isinstance(state, StierState):
        return state.stier_state
    own = game.new_initial_state()
    for event in state.full_history():
        if event.player == own.current_player():  # or there was nothing to choose
            own.apply_action(event.action)
    while 0 <= own.current_player() < player:  # the others' choices, made at the same time, are hidden
        own.apply_action(own.legal_actions()[0])
    return own


class StierPolicy(Policy):
    """The policy of a solution as a policy of OpenSpiel.

    It is asked state by state. Its method `to_tabular` makes a table of it. It fits the game of OpenSpiel of which the
    solution is, if its choices are made in turn (``pyspiel.convert_to_turn_based``), or the game ``stier_…`` that
    `register` makes of a game of this package. Raises `TypeError` for anything but a `TabularPolicy`.
    """

    def __init__(self, solution: TabularPolicy) -> None:
        if not isinstance(solution, TabularPolicy):
            kind = type(solution).__name__
            raise TypeError(f"as_policy takes a TabularPolicy, got {kind}")
        game = solution.game
        super().__init__(_spiel_game(game), list(range(game.num_players())))
        #: The same policy in `stier`.
        self.solution = solution

    def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
        """Returns the probability of each legal action of the player to act; where all act at once, of this player."""
        player = state.current_player() if player_id is None else player_id
        return dict(self.solution.policy(_state_of(self.solution.game, state, player)))


#: Makes a policy for OpenSpiel of a solution.
as_policy = StierPolicy


class PolicyAgent:
    """A policy of OpenSpiel as an agent. `stier.pit` and other tools make it of any object with `action_probabilities`.

    Args:
        policy: The policy. It is shown states of the same game in OpenSpiel: turn-based, unless its own game is not.
        seed: The seed of the draws of `step`.
    """

    def __init__(self, policy: Any, seed: int = 0) -> None:
        #: The policy.
        self.policy = policy
        self.__name__: str = type(policy).__name__
        self._rng = np.random.default_rng(_arguments.seed(seed))
        self._games: dict[str, pyspiel.Game] = {}

    def probabilities(self, state: State) -> list[tuple[int, float]]:
        """Returns the probability of each legal action. Raises `AgentError` if the policy does not have this state."""
        game = state.get_game()
        text = str(game)
        if text not in self._games:
            own = getattr(self.policy, "game", None)
            is_own = isinstance(own, pyspiel.Game) and f"{OPEN_SPIEL}{own}" == text
            self._games[text] = own if is_own else _spiel_game(game)
        shown = _spiel_state(self._games[text], state)
        asked = (shown, state.current_player()) if shown.is_simultaneous_node() else (shown,)
        try:
            found = dict(self.policy.action_probabilities(*asked))
        except KeyError:
            found = {}
        probabilities = [(action, float(found.get(action, 0.0))) for action in state.legal_actions()]
        if abs((total := sum(share for _, share in probabilities)) - 1) > 1e-6:
            where = f"{game}, {state.information_state_string()}"
            raise AgentError(f"{self.__name__}: probabilities must add up to 1, got {total:g} for {where}")
        return probabilities

    def step(self, state: State) -> int:
        """Draws an action for the player to move."""
        actions, shares = zip(*self.probabilities(state), strict=True)
        return int(self._rng.choice(actions, p=np.divide(shares, sum(shares))))


def tabular(game: AnyGame, policy: Any, *, max_histories: int = 50_000_000, progress: bool = False) -> TabularPolicy:
    """Reads a policy of OpenSpiel at every information set of a game.

    Args:
        game: The game, or its text, such as ``"openspiel:leduc_poker"``.
        policy: An object with OpenSpiel's `action_probabilities`.
        max_histories: A game with more histories is refused, as in `stier.solve`.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: A policy without probabilities for an information set.
        ArgumentError: A game with more histories.
    """
    # With one thread, information sets are asked about in the order of their numbers.
    tree = GameTree(game, max_histories=max_histories, threads=1)
    agent = PolicyAgent(policy)
    rows = np.zeros((tree.information_sets, tree.game.num_distinct_actions()))
    asked = iter(rows)

    def read(state: State) -> int:
        row, probabilities = next(asked), agent.probabilities(state)
        for action, share in probabilities:
            row[action] = share
        return probabilities[0][0]

    with bar(progress, "information sets") as update:
        tree.policy_of(read, on_progress=update)
    return tree.policy(rows / rows.sum(axis=1, keepdims=True), name=agent.__name__)


def _load(name: str, params: dict[str, Any]) -> StierGame:
    """Makes a game for OpenSpiel; invalid rules raise before there is one."""
    return StierGame(load_game(name, **params))


def register() -> list[str]:
    """Registers the games with OpenSpiel that are not registered yet, and returns the names of all.

    Importing this module does so, too, so that pickled games and states can be read.
    """
    known = set(pyspiel.registered_names())
    for name in registered_names():
        if PREFIX + name not in known:
            load = partial(_load, name)
            # OpenSpiel lets go of it after the interpreter is gone: that must not be the last reference.
            load.kept = load  # type: ignore[attr-defined]
            pyspiel.register_game(_game_type(load_game(name)), load)
    return [PREFIX + name for name in registered_names()]


register()
