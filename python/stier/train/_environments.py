"""Games side by side, as learners see them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier._native import Batch, Game, VectorEnv, derive_seed
from stier.errors import ArgumentError
from stier.network import Classes
from stier.train.settings import SELF, DistillSettings, DMCSettings, Settings

Floats = npt.NDArray[np.float32]
#: Zeros and ones.
Observations = npt.NDArray[np.uint8]


class Turn(NamedTuple):
    """The fields of `stier.Batch` that learners use."""

    observation: Observations
    legal_action_mask: npt.NDArray[np.bool_]
    current_player: npt.NDArray[np.int32]
    rewards: Floats
    terminated: npt.NDArray[np.bool_]


class Environments:
    """Games side by side, split evenly among the opponents.

    The learner's seat rotates where it has opponents. Parts that can be exchanged are sorted if the settings say so;
    actions are then those of the sorted positions.
    """

    def __init__(
        self, game: Game, settings: Settings | DMCSettings | DistillSettings, *, autoreset: bool = True
    ) -> None:
        count, opponents = settings.num_envs, settings.opponents
        if len(opponents) > count:
            raise ArgumentError(f"num_envs must be at least {len(opponents)}, one for each opponent, got {count}")
        self.game = game
        self.classes = Classes.of(game) if settings.symmetry else None
        #: The payoff that counts as 1.
        self.scale = standard_deviation_of_returns(game, settings.seed)
        #: The number of decisions ahead for which the critic sees whether an action is barred.
        self.barred_ahead = min(settings.barred_decisions, game.max_game_length()) if settings.barred else 0
        self.order: Any = None
        self.actions: Any = None
        self.parts: list[VectorEnv] = []
        ends = [(count * number) // len(opponents) for number in range(len(opponents) + 1)]
        self.ends = ends[1:-1]
        beginnings: dict[str, Any] = {
            f"{name}{part}": getattr(settings, f"{name}{part}")
            for name in ("opening", "barred")
            for part in ("", "_share", "_decisions")
            if getattr(settings, name)
        }
        for number, opponent in enumerate(opponents):
            others: dict[str, Any] = {} if opponent == SELF else {"opponents": opponent, "seat": "rotate"}
            others |= {"autoreset": autoreset, "observation": "uint8", "threads": 1, **beginnings}
            size = ends[number + 1] - ends[number]
            own_seed = derive_seed(settings.seed, "training games", number)
            self.parts.append(VectorEnv(game, size, seed=own_seed, **others))

    def reset(self) -> Batch | Turn:
        return self._joined([part.reset() for part in self.parts])

    def observe(self) -> Batch | Turn:
        return self._joined([part.observe() for part in self.parts])

    def step(self, actions: npt.NDArray[Any]) -> Batch | Turn:
        if self.classes is not None:
            actions = np.take_along_axis(self.actions, np.asarray(actions)[:, None], 1)[:, 0]
        own = np.split(np.asarray(actions), self.ends)
        return self._joined([part.step(one) for part, one in zip(self.parts, own, strict=True)])

    def _joined(self, batches: list[Batch]) -> Batch | Turn:
        if len(batches) == 1 and self.classes is None:
            return batches[0]
        found = Turn(*(np.concatenate([getattr(batch, name) for batch in batches]) for name in Turn._fields))
        if self.classes is None:
            return found
        self.order = self.classes.order(found.observation)
        self.actions = self.classes.actions_of(self.order, found.legal_action_mask.shape[1])
        return found._replace(
            observation=self.classes.sorted(found.observation, self.order),
            legal_action_mask=np.take_along_axis(found.legal_action_mask, self.actions, 1),
        )

    @property
    def critic_inputs(self) -> int:
        """The number of inputs of a critic that sees everything."""
        return self.game.observation_tensor_shape()[0] * self.game.num_players() + self.barred_ahead

    def seen_by_critic(self) -> Observations:
        """Returns all that a critic needs, ``(environments, critic_inputs)``.

        These are the observations of all seats, that of the player to move first, with suits sorted for that player
        where they can be exchanged, and for each decision ahead, from the present one on, whether an action is barred.
        """
        seats = np.concatenate([part.perfect_information_observation() for part in self.parts]).swapaxes(0, 1)
        shown = list(seats)
        if self.classes is not None:
            shown = [self.classes.sorted(seat, self.order) for seat in seats]
        left = np.concatenate([part.barred_left() for part in self.parts])
        return np.concatenate([*shown, left[:, None] > np.arange(self.barred_ahead)], 1, dtype=np.uint8)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {f"games.{i}": np.frombuffer(part.get_state(), np.uint8) for i, part in enumerate(self.parts)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        for i, part in enumerate(self.parts):
            part.set_state(arrays[f"games.{i}"].tobytes())


def standard_deviation_of_returns(game: Game, seed: int, games: int = 4096) -> float:
    """Returns the standard deviation of the returns of random players; 1 if they never differ."""
    envs = VectorEnv(game, games, seed=derive_seed(seed, "payoff scale", 0), observation=None, autoreset=False)
    batch, returns = envs.reset(), np.zeros((games, game.num_players()))
    while not batch.terminated.all():
        batch = envs.step(envs.sample_actions())
        returns += batch.rewards
    return float(returns.std()) or 1.0
