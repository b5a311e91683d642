"""One seat of a game, agents in the others: `gymnasium.Env`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from stier import _adapting, _arguments
from stier._native import Agent, Game, PythonAgent, derive_seed
from stier.errors import ArgumentError, IllegalActionError, SeatError
from stier.playing import AnyAgent, AnyGame, as_opponent

_Array: TypeAlias = npt.NDArray[np.float32]


class SeatEnv(_adapting.AdaptedGame, gymnasium.Env[_Array, np.int64]):
    """A game from one seat, without the wrappers that `gymnasium.make` adds.

    Observations are float32 tensors with values between 0 and 1. The legal actions are ``info["action_mask"]``, int8 as
    `Discrete.sample` takes it, and `action_masks()`, bool as MaskablePPO looks for it. Nothing else is in an info; all
    arrays are new every time.

    The reward is 0 until the game is over and then the seat's return, of float32 precision as in a vector environment;
    `stier_state` has it exactly. An illegal action ends the game with
    `illegal_reward`, and ``info["illegal_action"]`` is the action.

    A deal may be over before the seat has a choice, as after a blitz in Schwimmen. `reset` then hands out the end, and
    the next step, whichever action it is given, pays the return: so the seed fixes the game, and no deal is left out.
    When the game is over every action is allowed by the mask.

    Args:
        game: A name as for `stier.load_game`, or a game.
        opponents: The agents at the other seats: one for all, or a list, from the left of the seat. They remember
            nothing from one decision to the next: each is made by the agent started anew, from a seed that follows from
            that of the game and the number of events before.
        seat: The seat that learns; ``"rotate"`` for the next one in every game, ``"random"`` for one drawn from the
            seed of the game.
        tensor: ``"observation"``, what the seat sees now, or ``"information_state"``, all it knows with perfect recall.
        illegal_reward: The reward for an illegal action; the game's lowest utility if left out.
        render_mode: ``"ansi"`` for text as the seat sees the game, ``"human"`` to have it printed after every step,
            ``"ansi_open"`` for text with all cards.
        rules: Options of the game.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": _adapting.RENDER_MODES, "render_fps": 4}  # type: ignore[misc]

    def __init__(
        self,
        game: AnyGame,
        *,
        opponents: AnyAgent | Sequence[AnyAgent] = "random",
        seat: int | Literal["rotate", "random"] = 0,
        tensor: Literal["observation", "information_state"] = "observation",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        _adapting.check_keywords(game, rules, SeatEnv)
        game = self._adapt(game, rules, tensor, illegal_reward, render_mode)
        if not isinstance(seat, str):
            seat = _arguments.whole("seat", seat, None)
        if seat not in (*range(game.num_players()), "rotate", "random"):
            raise SeatError(f"seat must be between 0 and {game.num_players() - 1}, 'rotate' or 'random', got {seat!r}")
        #: The seed of the game that is played, from which everything hidden follows; 0 before the first.
        self.deal_seed = 0
        #: The seat that learns.
        self.seat = 0 if isinstance(seat, str) else int(seat)
        self._seating = seat
        self._opponents = _opponents(game, opponents)
        self.observation_space = Box(0.0, 1.0, self._shape, np.float32)
        self.action_space = Discrete(game.num_distinct_actions())
        self._over = True
        self._episodes = _adapting.Episodes()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Array, dict[str, Any]]:
        """Deals anew: the game of that seed, or of one that follows from the last seed given. Options are ignored."""
        del options
        # Gymnasium takes Python's own numbers only.
        seed = None if seed is None else _arguments.seed(seed)
        super().reset(seed=seed)
        self.deal_seed = self._episodes.begin(seed)
        self._world = self.game.new_initial_state(seed=self.deal_seed)
        if self._seating == "rotate":
            self.seat = self._episodes.number % self.game.num_players()
        elif self._seating == "random":
            # The seat that `stier.VectorEnv` draws; it draws again in less than one of 10**8 games.
            self.seat = (derive_seed(self.deal_seed, "learner", 0) >> 32) * self.game.num_players() >> 32
        self._over = False
        self._others_play()
        return self._seen()

    def step(self, action: np.int64 | int) -> tuple[_Array, float, bool, bool, dict[str, Any]]:
        """Plays an action of the seat, then those of the others until it is the seat's turn again."""
        world = self.stier_state
        if self._over:
            raise RuntimeError("the game is over: call reset() first")
        if not world.is_terminal():
            try:
                world.apply_action(action)
            except IllegalActionError:
                self._over = True
                observation, info = self._seen()
                info["illegal_action"] = action
                return observation, self.illegal_reward, True, False, info
            self._others_play()
        self._over = world.is_terminal()
        observation, info = self._seen()
        return observation, float(np.float32(world.player_return(self.seat))), self._over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns the legal actions as a new bool array; all true when the game is over."""
        world = self.stier_state
        if self._over or world.is_terminal():
            return np.ones(self.game.num_distinct_actions(), np.bool_)
        return world.legal_actions_mask(self.seat)

    def render(self) -> str | None:
        """Returns the seat's view as text, or prints it in mode ``human``; all cards in ``ansi_open``."""
        return _adapting.render(self.stier_state, self.seat, self.render_mode)

    def _others_play(self) -> None:
        world = self.stier_state
        players = self.game.num_players()
        while (player := world.current_player()) != self.seat and player >= 0:
            # Opponents sit in the order given, from the seat's left.
            opponent, salt = self._opponents[(player - self.seat - 1) % players]
            opponent.restart(derive_seed(self.deal_seed ^ salt, "opponent", world.move_number()))
            world.apply_action(opponent.step(world))

    def _seen(self) -> tuple[_Array, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        return self._tensor(self.stier_state, self.seat), {"action_mask": self.action_masks().view(np.int8)}


def _opponents(game: Game, given: AnyAgent | Sequence[AnyAgent]) -> list[tuple[Agent | PythonAgent, int]]:
    """Returns the agents of the other seats, from the left of the learner, with what their own seeds add."""
    others = game.num_players() - 1
    each: Sequence[AnyAgent] = [given] * others if isinstance(given, str) or not isinstance(given, Sequence) else given
    if len(each) != others:
        raise ArgumentError(f"opponents must be one agent or a list of {others}, got {len(each)}")
    return [(agent, _salt(agent)) for agent in (as_opponent(opponent, game) for opponent in each)]


def _salt(agent: Agent | PythonAgent) -> int:
    """Returns the seed of an agent with its halves exchanged."""
    seed = agent.seed if isinstance(agent, Agent) else 0
    return (seed << 32 | seed >> 32) & 0xFFFF_FFFF_FFFF_FFFF


#: The name in Gymnasium.
make = SeatEnv
