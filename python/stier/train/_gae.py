"""Generalized advantage estimation where turns do not alternate (J. Schulman et al. 2016, arXiv:1506.02438)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stier.errors import ArgumentError


class Advantages(NamedTuple):
    """The result of :func:`gae`: arrays of shape ``(horizon, environments)``."""

    #: The advantage of each action over the critic's expectation, for the player who chose it.
    advantages: npt.NDArray[np.float32]
    #: The critic's target for each decision, or for the action that was chosen if it values actions.
    returns: npt.NDArray[np.float32]
    #: False where the arrays end before the same player decides again or the game ends: the advantage is unknown there.
    known: npt.NDArray[np.bool_]


def gae(
    rewards: npt.ArrayLike,
    values: npt.ArrayLike,
    terminated: npt.ArrayLike,
    current_player: npt.ArrayLike,
    *,
    gamma: float = 1.0,
    lam: float = 0.95,
    horizon: int | None = None,
    zero_sum: bool = False,
    sees_all: bool = False,
    action_values: npt.ArrayLike | None = None,
) -> Advantages:
    """Estimates the advantage of each decision, for the player who decided.

    Each player has its own trajectory: from one of its decisions to its next, with all that it receives in between. An
    estimate continues with the value of the *same player's* next decision. If the critic is exact, the estimate is then
    right on average for every `lam`, also where cards are hidden, provided that what the critic sees includes
    everything the player has seen.

    In two-player zero-sum games many programs continue with minus the value of the opponent's decision, where that
    comes next. Where cards are hidden this is wrong. The opponent's value is an average over the hands that the
    opponent thinks possible, so the player's own hand is forgotten at each step, and the estimate is biased whatever
    the critic learns. ``zero_sum=True`` does this, and is refused unless it is unbiased: if the critic sees everything
    (``sees_all=True``), or if ``lam=1`` and every environment's last game is over. With ``lam=1`` no value is used but
    the last, and where the game is over both ways give the same numbers.

    Another bias comes from the end of the arrays. If the turn order depends on what happens, as where the winner of a
    trick leads the next, a player who wins may decide again before the end and one who loses may not. Dropping the
    decisions that are not `known` then keeps more wins than losses. Pass as many further steps as it takes until all
    of the first `horizon` decisions are known. No sum looks beyond the horizon; the further steps only supply the
    rewards and the next value of each player.

    Args:
        rewards: ``(steps, environments, players)``: the rewards of all players between a decision and the next one
            in its environment; ``Batch.rewards`` of the step that took the action.
        values: ``(steps + 1, environments)``: the critic's value of each decision and of the one after the last, for
            the player to move there. Where a game ended, the next value belongs to another game and is not used.
        terminated: ``(steps, environments)``: true if the game ended with this action.
        current_player: ``(steps + 1, environments)``: the player who decides.
        gamma: Discount from one decision to the next on the same trajectory.
        lam: The weight of later decisions: 0 trusts the critic after one decision, 1 waits for the horizon or the end
            of the game.
        horizon: The number of steps to estimate; all of them if left out.
        zero_sum: Continues with minus the opponent's value; for two players and zero sum.
        sees_all: True if the critic sees everything that any player sees; true also if nothing is hidden.
        action_values: ``(steps, environments)``: the critic's value of each action that was chosen, if it values
            actions. `values` are then their averages over the policy. The advantages are over these values of actions,
            and the luck of later choices drops out of the sum, too: Expected SARSA(lam). For the advantage over the
            expectation add ``action_values - values``.

    Raises `ValueError` for shapes that do not fit together, and for `zero_sum` where it would be biased.

    >>> import numpy as np
    >>> rewards = np.zeros((3, 1, 2))
    >>> rewards[2, 0] = [1, -1]  # player 0 decides, then player 1, then player 0, who wins
    >>> values = [[0.5], [0.25], [0.75], [0.0]]
    >>> over, players = [[False], [False], [True]], [[0], [1], [0], [0]]
    >>> gae(rewards, values, over, players, lam=0.0).advantages.tolist()
    [[0.25], [-1.25], [0.25]]
    >>> gae(rewards, values, over, players, lam=0.0, zero_sum=True)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: zero_sum=True is biased where cards are hidden: minus the opponent's value ...
    """
    rewards, values = np.asarray(rewards, np.float32), np.asarray(values, np.float32)
    terminated, current_player = np.asarray(terminated, bool), np.asarray(current_player)
    if rewards.ndim != 3:
        raise ArgumentError(f"rewards must be (steps, environments, players), got {rewards.shape}")
    steps, lanes, players = rewards.shape
    expected = values[:-1] if action_values is None else np.asarray(action_values, np.float32)
    for name, array, rows in [
        ("values", values, steps + 1),
        ("terminated", terminated, steps),
        ("current_player", current_player, steps + 1),
        ("action_values", expected, steps),
    ]:
        if array.shape != (rows, lanes):
            raise ArgumentError(f"{name} must be {(rows, lanes)} for rewards of {rewards.shape}, got {array.shape}")
    if horizon is None:
        horizon = int(steps)
    if not 0 <= horizon <= steps:
        raise ArgumentError(f"horizon must be between 0 and {steps}, the steps given, got {horizon}")
    if zero_sum and players != 2:
        raise ArgumentError(f"zero_sum is for two players, got {players}")
    if zero_sum and not sees_all and not (lam == 1 and terminated[horizon - 1 : horizon].all()):
        raise ArgumentError(
            "zero_sum=True is biased where cards are hidden: minus the opponent's value forgets the player's own hand. "
            "Leave it out, so that each player has its own trajectory. It is allowed with sees_all=True, for a critic "
            "that sees everything, and with lam=1 if every environment's last step ends its game"
        )
    lane = np.arange(lanes)
    advantages = np.zeros((horizon, lanes), np.float32)
    known = np.full((horizon, lanes), zero_sum)
    if zero_sum:
        later = np.zeros(lanes, np.float32)
        for step in reversed(range(horizon)):
            same = current_player[step] == current_player[step + 1]
            factor = np.where(terminated[step], 0, np.where(same, gamma, -gamma)).astype(np.float32)
            own = rewards[step, lane, current_player[step]]
            later = own + factor * values[step + 1] - expected[step] + lam * factor * later
            advantages[step] = later
        return Advantages(advantages, advantages + expected[:horizon], known)
    # For each player: the value and the advantage of its next decision in the game, whether one is in the arrays or the
    # game ends before it, and what the player receives until then.
    value, advantage, received = (np.zeros((lanes, players), np.float32) for _ in range(3))
    certain = np.zeros((lanes, players), bool)
    value[lane, current_player[-1]] = values[-1]
    certain[lane, current_player[-1]] = True
    for step in reversed(range(steps)):
        over, mover = terminated[step][:, None], current_player[step]
        value[over[:, 0]] = 0
        advantage[over[:, 0]] = 0
        certain |= over
        received = np.where(over, rewards[step], received + rewards[step])
        if step < horizon:
            delta = received[lane, mover] + gamma * value[lane, mover] - expected[step]
            known[step] = certain[lane, mover]
            advantages[step] = np.where(known[step], delta + gamma * lam * advantage[lane, mover], 0)
            advantage[lane, mover] = advantages[step]
        else:
            advantage[lane, mover] = 0
        value[lane, mover] = values[step]
        certain[lane, mover] = True
        received[lane, mover] = 0
    return Advantages(advantages, advantages + expected[:horizon], known)
