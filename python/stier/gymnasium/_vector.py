"""One seat in many games at once, agents in the others: `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from stier import _adapting, _arguments, _native
from stier._native import Batch, State
from stier.errors import ArgumentError, IllegalActionError
from stier.playing import AnyAgent, AnyGame, of_engine

_Floats: TypeAlias = npt.NDArray[np.float32]
_Bools: TypeAlias = npt.NDArray[np.bool_]
_Integers: TypeAlias = npt.NDArray[np.int64]
_Seeds: TypeAlias = SupportsIndex | Sequence[SupportsIndex | None]
#: Observations, rewards, terminations, truncations and infos.
_Outcome: TypeAlias = tuple[_Floats, npt.NDArray[np.float64], _Bools, _Bools, dict[str, Any]]

_NATIVE_MODES: dict[AutoresetMode, Literal["same_step", "next_step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class VectorEnv(_adapting.Adapted, gymnasium.vector.VectorEnv[_Floats, _Integers, npt.NDArray[Any]]):
    """Many games at once, each from one seat; stepped natively on all cores.

    Environment `i` of `reset(seed=s)` is the `SeatEnv` of `reset(seed=s + i)`, bit by bit and game after game,
    opponents included; only ``seat="rotate"`` begins at seat `i` in environment `i`, so that all seats are learned from
    at once. A list gives each environment a seed of its own, or None to go on to its next game, as all of them do
    without a seed.

    Shapes, for n environments, D numbers of a tensor and A actions: observations float32 (n, D), rewards float64 (n,),
    of float32 precision, terminations and truncations bool (n,). ``infos["action_mask"]`` is int8 (n, A), all 1 where a
    game is over, and ``infos["_action_mask"]``, bool (n,), is true where it is shown: after `reset` with
    ``options={"reset_mask": bool array (n,)}`` in the environments that were reset. `action_masks()` shows all of them.

    An illegal action ends the game of its environment with `illegal_reward`, and ``infos["illegal_action"]`` is the
    action where ``infos["_illegal_action"]``; the other environments do not change. It takes time: keep to the mask.

    Autoreset, by `gymnasium.vector.AutoresetMode`: in ``NextStep`` the step after the end ignores its action and deals;
    in ``SameStep`` the step that ends a game deals the next one, ``infos["final_obs"]`` and ``infos["final_info"]`` are
    of the old one; in ``Disabled`` the environment stays over, without rewards, until it is reset.

    Args:
        game: A name as for `stier.load_game`, or a game.
        num_envs: The number of environments, 1 to 2**24.
        opponents: The agents at the other seats, as for `SeatEnv`, but only agents of the engine. Functions of Python
            need ``gymnasium.make_vec(..., vectorization_mode="sync")``.
        seat: The seat that learns; ``"rotate"`` for the environment's number plus that of its games before, modulo the
            seats; ``"random"`` for one drawn from the seed of the game.
        tensor: ``"observation"``, what the seat sees now, or ``"information_state"``, all it knows with perfect recall.
        illegal_reward: The reward for an illegal action; the game's lowest utility if left out.
        render_mode: As for `SeatEnv`; `render` gives a tuple of texts, one for each environment.
        autoreset_mode: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``.
        copy: Returns observations and masks as new arrays. Without, they are valid until the next step or reset: two
            sets of arrays take turns.
        threads: Threads; 0 for all cores. No influence on what happens.
        rules: Options of the game.
    """

    def __init__(
        self,
        game: AnyGame,
        num_envs: int = 1,
        *,
        opponents: AnyAgent | Sequence[AnyAgent] = "random",
        seat: int | Literal["rotate", "random"] = 0,
        tensor: Literal["observation", "information_state"] = "observation",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 0,
        **rules: Any,
    ) -> None:
        _adapting.check_keywords(game, rules, VectorEnv)
        game = self._adapt(game, rules, tensor, illegal_reward, render_mode)
        self.autoreset_mode: AutoresetMode = _mode(autoreset_mode)
        self.metadata = {"render_modes": _adapting.RENDER_MODES, "render_fps": 4, "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs = _arguments.whole("num_envs", num_envs, 1, 2**24)
        self.single_observation_space = Box(0.0, 1.0, self._shape, np.float32)
        self.single_action_space = Discrete(game.num_distinct_actions())
        self._copy = copy
        if not isinstance(seat, str):
            seat = _arguments.whole("seat", seat, None)
        self._envs = _native.VectorEnv(
            game,
            num_envs,
            seed=secrets.randbits(64),
            threads=threads,
            autoreset=_NATIVE_MODES[self.autoreset_mode],
            tensor=tensor,
            opponents=of_engine(opponents, game),
            seat=seat,
            copy=copy,
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._numbers = np.arange(num_envs)
        # Games that an illegal action has ended, until the next is dealt. The engine plays on there.
        self._stopped: dict[int, State] = {}
        self._mask: npt.NDArray[np.int8] | None = None
        self._seats: npt.NDArray[np.int32] = np.zeros(num_envs, np.int32)

    @property
    def deal_seeds(self) -> npt.NDArray[np.uint64]:
        """The seeds of the games that are played, from which everything hidden follows; a new array (n,)."""
        return self._envs.seeds

    @property
    def seats(self) -> npt.NDArray[np.int32]:
        """The seats that learn, a new array (n,)."""
        self._shown()
        return np.array(self._seats)

    def stier_state(self, index: int) -> State:
        """Returns a copy of an environment's game, 0 to n - 1, hidden cards included."""
        self._shown()
        return self._stopped[index].clone() if index in self._stopped else self._envs.state(index)

    def action_masks(self) -> _Bools:
        """Returns the legal actions as a new bool array (n, A); all true where a game is over."""
        return self._shown().astype(np.bool_)

    def reset(
        self, *, seed: _Seeds | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Floats, dict[str, Any]]:
        """Deals anew, in all environments or in those of ``options["reset_mask"]``; the observations are of all.

        Args:
            seed: s for s + i in environment i, or a list of one for each; None for the game after the last one.
            options: ``reset_mask``, a bool array (n,) with at least one environment; others are ignored.
        """
        mask = self._reset_mask(options)
        batch = self._deal(self._lane_seeds(seed), mask)
        self._stopped = {lane: state for lane, state in self._stopped.items() if not mask[lane]}
        observation, infos = self._seen(batch)
        if not mask.all():
            infos["action_mask"] = infos["action_mask"] * mask[:, None]
        infos["_action_mask"] = mask.copy()
        return observation, infos

    def step(self, actions: npt.ArrayLike) -> _Outcome:
        """Plays an action in each environment, whole numbers (n,), then the others' until the learner is to move."""
        self._shown()
        actions, learners = self._row(actions), self._seats
        if self._stopped:
            return self._step_with_illegal(actions)
        try:
            batch = self._envs.step(actions)
        except IllegalActionError:
            return self._step_with_illegal(actions)
        return self._outcome(batch, batch, batch.rewards[self._numbers, learners].astype(np.float64), {})

    def render(self) -> tuple[str | None, ...] | None:  # type: ignore[override]
        """Returns the seats' views as text, or prints them in mode ``human``; all cards in ``ansi_open``."""
        self._shown()
        if self.render_mode is None:
            return None
        return tuple(
            _adapting.render(self.stier_state(lane), int(self._seats[lane]), self.render_mode)
            for lane in range(self.num_envs)
        )

    def _step_with_illegal(self, actions: npt.NDArray[Any]) -> _Outcome:
        """Steps if some actions are illegal or were: any legal one takes their places, and is not shown."""
        learners, before = self._seats, self._stopped
        refused = self._refused(actions)
        substituted = np.array(actions, np.int64)
        replaced = {lane: self._envs.state(lane) for lane in before} | refused
        for lane, state in replaced.items():
            if not state.is_terminal():
                substituted[lane] = state.legal_actions()[0]
        batch = played = self._envs.step(substituted)
        rewards = batch.rewards[self._numbers, learners].astype(np.float64)
        rewards[list(before)] = 0.0

        # The engine has dealt already where the substitute ended the game, or where it had ended before.
        again: list[int] = []
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            again = [lane for lane in refused if not batch.terminated[lane]]
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            again = [lane for lane in before if not replaced[lane].is_terminal()]
        if again:
            mask = np.zeros(self.num_envs, np.bool_)
            mask[again] = True
            batch = self._envs.reset(mask=mask)

        played.terminated[list(before)] = self.autoreset_mode is AutoresetMode.DISABLED
        played.terminated[list(refused)] = True
        rewards[list(refused)] = self.illegal_reward
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = played.final_observation
            assert final is not None
            for lane, state in refused.items():
                final[lane] = self._tensor(state, int(learners[lane]))
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._stopped = dict(refused)
        else:
            self._stopped = before | refused
        return self._outcome(played, batch, rewards, {lane: int(actions[lane]) for lane in refused})

    def _refused(self, actions: npt.NDArray[Any]) -> dict[int, State]:
        """Returns the environments with illegal actions, and their games."""
        known = (actions >= 0) & (actions < self.game.num_distinct_actions())
        bad = ~known | (self._shown()[self._numbers, np.where(known, actions, 0)] == 0)
        games = {int(lane): self._envs.state(int(lane)) for lane in np.flatnonzero(bad) if lane not in self._stopped}
        return {lane: state for lane, state in games.items() if not state.is_terminal()}

    def _row(self, actions: npt.ArrayLike) -> npt.NDArray[Any]:
        row = np.asarray(actions)
        if row.shape == (self.num_envs,) and row.dtype.kind in "iu":
            return row
        error = TypeError if row.shape == (self.num_envs,) else ValueError
        raise error(
            f"actions must be whole numbers, one for each of {self.num_envs} environments, "
            f"got {row.dtype} of shape {row.shape}"
        )

    def _outcome(
        self, played: Batch, shown: Batch, rewards: npt.NDArray[np.float64], illegal: dict[int, int]
    ) -> _Outcome:
        """Returns the result of a step from two batches: one of its end, one of the present."""
        observation, infos = self._seen(shown)
        ended = played.terminated.copy()
        about = _illegal_info(self.num_envs, illegal)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            infos |= about
        elif ended.any():
            infos |= self._final(played, about)
        return observation, rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def _final(self, played: Batch, about: dict[str, Any]) -> dict[str, Any]:
        """Returns the infos on games that have ended where the next ones are shown."""
        ended, final = played.terminated, played.final_observation
        assert final is not None
        observations = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(ended):
            observations[lane] = final[lane]
        mask = np.broadcast_to(ended[:, None], (self.num_envs, self.game.num_distinct_actions())).astype(np.int8)
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": {"action_mask": mask, "_action_mask": ended.copy()} | about,
            "_final_info": ended.copy(),
        }

    def _seen(self, batch: Batch) -> tuple[_Floats, dict[str, Any]]:
        """Returns observations and masks of all environments, and keeps the masks and seats for the next step."""
        observation, mask = batch.observation, batch.action_mask
        assert observation is not None
        self._mask, self._seats = mask, batch.current_player
        for lane, state in self._stopped.items():
            observation[lane], mask[lane] = self._tensor(state, int(self._seats[lane])), 1
        if self.render_mode == "human":
            self.render()
        # The one kept is for `action_masks`, whatever is done to the other.
        infos = {"action_mask": mask.copy() if self._copy else mask, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return observation, infos

    def _deal(self, seeds: list[int | None], mask: _Bools) -> Batch:
        """Deals in the environments of a mask: by their seeds, or else the next games."""
        given = np.array([seed is not None for seed in seeds]) & mask
        following = mask & ~given
        if not following.any():
            return self._envs.reset(seed=[seed or 0 for seed in seeds], mask=given)
        if given.any():
            self._envs.reset(seed=[seed or 0 for seed in seeds], mask=given)
        return self._envs.reset(mask=following)

    def _lane_seeds(self, seed: _Seeds | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, SupportsIndex) and not isinstance(seed, np.ndarray):
            first = _arguments.seed(seed)
            _arguments.seed(first + self.num_envs - 1, "seed of the last environment")
            super().reset(seed=first)
            return [first + lane for lane in range(self.num_envs)]
        if isinstance(seed, str | bytes) or not isinstance(seed, Iterable):
            raise TypeError(f"seed must be a whole number or one for each environment, got {type(seed).__name__}")
        seeds = [None if each is None else _arguments.seed(each) for each in seed]
        if len(seeds) != self.num_envs:
            raise ArgumentError(f"seed must be a number or {self.num_envs} numbers, got {len(seeds)}")
        return seeds

    def _reset_mask(self, options: dict[str, Any] | None) -> _Bools:
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            got = f"{mask.dtype} array" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"options['reset_mask'] must be a bool array, one for each environment, got {got}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ArgumentError(
                f"options['reset_mask'] must have shape ({self.num_envs},) and at least one environment, "
                f"got shape {mask.shape} and {int(mask.sum())} environments"
            )
        return mask

    def _shown(self) -> npt.NDArray[np.int8]:
        if self._mask is None:
            raise RuntimeError("no game has begun yet: call reset() first")
        return self._mask


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise ArgumentError(f"autoreset_mode must be {known} or an AutoresetMode, got {mode!r}") from None


def _illegal_info(lanes: int, illegal: dict[int, int]) -> dict[str, Any]:
    if not illegal:
        return {}
    actions, found = np.zeros(lanes, np.int64), np.zeros(lanes, np.bool_)
    for lane, action in illegal.items():
        actions[lane], found[lane] = action, True
    return {"illegal_action": actions, "_illegal_action": found}


#: The name in Gymnasium.
make_vec = VectorEnv
