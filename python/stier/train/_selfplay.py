"""Self-play for learners with a critic: decisions, each with a known advantage."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier._native import Game
from stier.train._environments import Environments, Floats, Observations
from stier.train._gae import gae
from stier.train.settings import Settings

#: The weight of later errors of the critic in the advantages.
LAMBDA = 0.95


class Decisions(NamedTuple):
    """Decisions to learn from: ``(decisions, …)``, each from the perspective of the player who decided."""

    observation: Observations
    #: The critic's observations: the same array unless it sees more.
    critic_observation: Observations
    legal: npt.NDArray[np.bool_]
    action: npt.NDArray[np.int32]
    #: The logarithms of the probabilities of all actions, by the policy that played.
    log_policy: Floats
    #: Over the expectation, or over the critic's value of the action if it values actions.
    advantages: Floats
    #: The critic's targets.
    returns: Floats


class Step(NamedTuple):
    """One decision in each environment, and what followed it."""

    observation: Observations
    critic_observation: Observations
    legal: npt.NDArray[np.bool_]
    player: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    log_policy: Floats
    value: Floats
    #: The critic's value of the action; that of the decision if the critic does not value actions.
    expected: Floats
    rewards: Floats
    terminated: npt.NDArray[np.bool_]


#: Called with observations, what the critic sees, legal actions and the number of the call: returns actions, the
#: logarithms of the policy, values, and what the critic expected of the actions.
Choose = Callable[
    [Observations, Observations, npt.NDArray[np.bool_], int], tuple[npt.NDArray[Any], Floats, Floats, Floats]
]


class SelfPlay(Environments):
    """Games side by side in which one policy decides for all seats, or for one of them against opponents.

    Each decision is learned from once, with a known advantage. After `horizon` steps play goes on until every player
    has decided again or its game is over; these further steps, played by the policy before the update, are the first
    of the next batch. No decision is dropped: which ones are complete depends on who won (see :func:`stier.train.gae`).
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        super().__init__(game, settings)
        self.settings = settings
        # Minus the opponent's value is unbiased for a critic that sees everything, and comes sooner than the own one.
        self.zero_sum: bool = settings.central_critic and game.num_players() == 2 and game.utility_sum() == 0
        self.reset()
        #: Steps that have been played and not been learned from.
        self.ahead: list[Step] = []

    def collect(self, choose: Choose) -> tuple[Decisions, dict[str, float]]:
        """Plays on in all environments, and returns the next `horizon` decisions of each."""
        horizon, count = self.settings.horizon, self.settings.num_envs
        steps, calls = self.ahead, 0
        batch = self.observe()
        # Players whose decision within the horizon has no successor yet.
        waiting = np.zeros((count, self.game.num_players()), bool)

        def note(player: npt.NDArray[np.int32], terminated: npt.NDArray[np.bool_], learned: bool) -> None:
            waiting[np.arange(count), player] = learned
            waiting[terminated] = False

        for number, step in enumerate(steps):
            note(step.player, step.terminated, number < horizon)
        while True:
            observation, player, legal = batch.observation, batch.current_player, batch.legal_action_mask
            assert observation is not None
            critic = self.seen_by_critic() if self.settings.central_critic else observation
            action, log_policy, value, expected = choose(observation, critic, legal, calls)
            calls += 1
            waiting[np.arange(count), player] = False
            if len(steps) >= horizon and (self.zero_sum or not waiting.any()):
                break
            batch = self.step(action)
            note(player, batch.terminated, len(steps) < horizon)
            decided = (observation, critic, legal, player, np.asarray(action, np.int32), log_policy, value, expected)
            steps.append(Step(*decided, batch.rewards, batch.terminated))
        self.ahead, learned = steps[horizon:], steps[:horizon]

        def stacked(name: str, *last: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.stack([*(getattr(step, name) for step in steps), *last])

        found = gae(
            stacked("rewards") / self.scale,
            stacked("value", value),
            stacked("terminated"),
            stacked("player", player),
            lam=LAMBDA,
            horizon=horizon,
            zero_sum=self.zero_sum,
            sees_all=self.zero_sum,
            action_values=stacked("expected"),
        )
        columns = {name: np.concatenate([getattr(step, name) for step in learned]) for name in Decisions._fields[:5]}
        if not self.settings.central_critic:
            columns["critic_observation"] = columns["observation"]
        # The critic's error is the advantage.
        variance = float(found.returns.var())
        return Decisions(**columns, advantages=found.advantages.reshape(-1), returns=found.returns.reshape(-1)), {
            "episodes": float(sum(step.terminated.sum() for step in learned)),
            "explained_variance": 1 - float(found.advantages.var()) / variance if variance else math.nan,
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        found = super().arrays()
        for number, step in enumerate(self.ahead):
            found |= {f"ahead.{number}.{name}": array for name, array in step._asdict().items()}
        return found

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        super().restore(arrays)
        count = sum(name.endswith(".rewards") for name in arrays)
        self.ahead = [Step(*(arrays[f"ahead.{number}.{name}"] for name in Step._fields)) for number in range(count)]
