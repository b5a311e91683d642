"""Public states with ranges of hands: trees of them, their numbers as arrays, and policies followed through them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, SupportsIndex

import numpy as np

from stier import _arguments
from stier._native import Play, PublicState, PublicTree, State

__all__ = ["Frequency", "Play", "PublicState", "PublicTree", "frequency", "walk"]


def walk(states: PublicTree | PublicState | Iterable[PublicState]) -> Iterator[PublicState]:
    """Yields public states, each before all that follow it: those of a tree, or those given and all that follow.

    The first in which a player acts is `next(state for state in walk(tree) if state.player >= 0)`.
    """
    if isinstance(states, PublicTree):
        states = states.roots
    for state in [states] if isinstance(states, PublicState) else states:
        yield state
        yield from walk(state.children())


class Frequency(NamedTuple):
    """The frequency of an action.

    Attributes:
        share: The probability of the action, given that there is the choice.
        weight: The expected number of times per game that there is the choice.
    """

    share: float
    weight: float


def frequency(
    play: Play,
    action: SupportsIndex,
    feature: Callable[[State], Hashable] | None = None,
    states: Iterable[PublicState] | None = None,
) -> dict[Hashable, Frequency]:
    """Computes how often an action is chosen, by a feature of what the player knows.

    Args:
        play: The course of play; see `PublicTree.follow`.
        action: The action.
        feature: The label of a state, in which the player to move holds the hand; see `PublicState.state`. By default
            all have the label None.
        states: Public states; by default all of the tree.

    Returns:
        By label, in the order in which they are met: the frequency where the action is legal. Hands that never occur do
        not count, nor does the last trick of Schwinget, in which nobody has a choice. Public states of Schwinget name
        suits in an order of their own: if there is a trump suit, it is the first. If the referee or the counter was
        turned up there is none, and `state.facts()["trump"]` is None.

    Raises:
        ArgumentError: An action that the game does not have, or a public state of another tree.
    """
    action = _arguments.whole("action", action, 0, play.tree.game.num_distinct_actions() - 1)
    sums: dict[Hashable, list[float]] = {}
    for state in walk(play.tree) if states is None else states:
        if not play.reach(state) or state.is_leaf or action not in state.actions:
            continue
        column, player = state.actions.index(action), state.player
        weights = play.ranges(state)[player] * play.others(state)[player].astype(np.float64)
        shares = play.policy(state)[:, column]
        for hand in np.flatnonzero(state.legal[:, column] & (weights > 0)):
            label = None if feature is None else feature(state.state(player, hand))
            total = sums.setdefault(label, [0.0, 0.0])
            total[0] += weights[hand] * shares[hand]
            total[1] += weights[hand]
    return {label: Frequency(float(chosen / weight), float(weight)) for label, (chosen, weight) in sums.items()}
