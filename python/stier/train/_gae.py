"""Generalized advantage estimation where turns do not alternate (J. Schulman et al. 2016, arXiv:1506.02438)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stier.errors import ArgumentError


class Advantages(NamedTuple):
    """What :func:`gae` gives; arrays of shape ``(steps, lanes)``."""

    #: How much better each action was than the critic had expected, for the player who chose it.
    advantages: npt.NDArray[np.float32]
    #: What the critic should have said: value and advantage.
    returns: npt.NDArray[np.float32]
    #: Where the two are known. Without sign changes nothing is known of a player's last decision before the end of the
    #: arrays, if another player is to move there and the game goes on.
    known: npt.NDArray[np.bool_]


def gae(
    rewards: npt.ArrayLike,
    values: npt.ArrayLike,
    terminated: npt.ArrayLike,
    current_player: npt.ArrayLike,
    *,
    gamma: float = 1.0,
    lam: float = 0.95,
    zero_sum: bool = False,
) -> Advantages:
    """Give the advantages of all decisions, each from the perspective of the player who decided.

    The next state's value belongs to whoever is to move there, in general another player. For two players with zero sum
    it counts negatively then, and so does what comes after it (``zero_sum=True``). Otherwise each player has a
    trajectory of its own: from decision to decision of that player, with all that it receives in between.

    Args:
        rewards: ``(steps, lanes, players)``: what each player received between a decision and the next one of its lane;
            ``Batch.rewards`` of the step that took the action.
        values: ``(steps + 1, lanes)``: the critic's value of each decision and of the one after the last, for the
            player to move there. Where a game ended, the next value is that of another game and is not used.
        terminated: ``(steps, lanes)``: whether the game ended with this action.
        current_player: ``(steps + 1, lanes)``: whose decisions they are.
        gamma: Discount: between neighbouring decisions, with trajectories of their own between those of one player.
        lam: How far to look ahead: 0 trusts the critic after one decision, 1 waits for the end of the game.
        zero_sum: Whether the game is for two players with zero sum.

    Raises `ValueError` for shapes that do not go together.

    >>> import numpy as np
    >>> rewards = np.zeros((2, 1, 2))
    >>> rewards[1, 0] = [-1, 1]  # player 0 decides, then player 1, who wins
    >>> gae(rewards, np.zeros((3, 1)), [[False], [True]], [[0], [1], [0]], lam=1.0, zero_sum=True).advantages.tolist()
    [[-1.0], [1.0]]
    """
    rewards = np.asarray(rewards, np.float32)
    values = np.asarray(values, np.float32)
    terminated = np.asarray(terminated, bool)
    current_player = np.asarray(current_player)
    _check(rewards, values, terminated, current_player, zero_sum)
    if zero_sum:
        return _by_sign(rewards, values, terminated, current_player, gamma, lam)
    return _by_player(rewards, values, terminated, current_player, gamma, lam)


def _check(
    rewards: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    terminated: npt.NDArray[np.bool_],
    current_player: npt.NDArray[np.integer],
    zero_sum: bool,
) -> None:
    if rewards.ndim != 3:
        raise ArgumentError(f"rewards must be (steps, lanes, players), not {rewards.shape}")
    steps, lanes, players = rewards.shape
    for name, array, rows in [
        ("values", values, steps + 1),
        ("terminated", terminated, steps),
        ("current_player", current_player, steps + 1),
    ]:
        if array.shape != (rows, lanes):
            raise ArgumentError(f"{name} must be {(rows, lanes)} for rewards of {rewards.shape}, not {array.shape}")
    if zero_sum and players != 2:
        raise ArgumentError(f"zero_sum is for two players, not for {players}")


def _by_sign(
    rewards: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    terminated: npt.NDArray[np.bool_],
    current_player: npt.NDArray[np.integer],
    gamma: float,
    lam: float,
) -> Advantages:
    steps, lanes, _ = rewards.shape
    lane = np.arange(lanes)
    advantages = np.empty((steps, lanes), np.float32)
    later = np.zeros(lanes, np.float32)
    for step in reversed(range(steps)):
        same = current_player[step] == current_player[step + 1]
        factor = np.where(terminated[step], 0, np.where(same, gamma, -gamma)).astype(np.float32)
        own = rewards[step, lane, current_player[step]]
        later = own + factor * values[step + 1] - values[step] + lam * factor * later
        advantages[step] = later
    return Advantages(advantages, advantages + values[:-1], np.ones((steps, lanes), bool))


def _by_player(
    rewards: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    terminated: npt.NDArray[np.bool_],
    current_player: npt.NDArray[np.integer],
    gamma: float,
    lam: float,
) -> Advantages:
    steps, lanes, players = rewards.shape
    lane = np.arange(lanes)
    advantages = np.zeros((steps, lanes), np.float32)
    known = np.zeros((steps, lanes), bool)
    # Of each player: the value and the advantage of its next decision in the game, whether there is anything to go by,
    # and what it receives until then.
    value = np.zeros((lanes, players), np.float32)
    advantage = np.zeros((lanes, players), np.float32)
    certain = np.zeros((lanes, players), bool)
    received = np.zeros((lanes, players), np.float32)
    value[lane, current_player[-1]] = values[-1]
    certain[lane, current_player[-1]] = True
    for step in reversed(range(steps)):
        over = terminated[step][:, None]
        value[over[:, 0]] = 0
        advantage[over[:, 0]] = 0
        certain |= over
        received = np.where(over, rewards[step], received + rewards[step])
        mover = current_player[step]
        delta = received[lane, mover] + gamma * value[lane, mover] - values[step]
        known[step] = certain[lane, mover]
        advantages[step] = np.where(known[step], delta + gamma * lam * advantage[lane, mover], 0)
        value[lane, mover] = values[step]
        advantage[lane, mover] = advantages[step]
        certain[lane, mover] = True
        received[lane, mover] = 0
    return Advantages(advantages, advantages + values[:-1], known)
