"""The events of a game that a seat knows about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stier._native import State

#: Worlds that are compared.
_WORLDS = 100


def _worlds(state: State, seat: int) -> Iterator[list[tuple[int, int]]]:
    """Yields histories that the seat cannot tell apart from the true one."""
    for seed in range(_WORLDS):
        yield state.resample_from_infostate(seat, seed).history()


def known_events(state: State, seat: int) -> tuple[set[int], set[int]]:
    """Returns the indices of the events that the seat knows, and of those whose actor, at least, it knows.

    These are the events that are alike in all of its worlds. Worlds are compared from one action of the seat to the
    next, because a game may hide how many events lie between them. The worlds are a sample, so an event that is only
    very likely may count as known.
    """
    history = state.history()
    places = by_own_actions(history, seat)
    known, acted = set(range(len(history))), set(range(len(history)))
    for world in _worlds(state, seat):
        other = dict(zip(by_own_actions(world, seat), world, strict=True))
        known &= {index for index, place in enumerate(places) if other.get(place) == history[index]}
        acted &= {
            index for index, place in enumerate(places) if place in other and other[place][0] == history[index][0]
        }
    return known, acted


def by_own_actions(history: list[tuple[int, int]], seat: int) -> list[tuple[int, int]]:
    """Returns the place of each event: the number of the seat's actions so far, and of the events since the last."""
    places, actions, since = [], 0, 0
    for player, _ in history:
        actions, since = (actions + 1, 0) if player == seat else (actions, since + 1)
        places.append((actions, since))
    return places


def hidden_events(state: State, seat: int) -> list[tuple[int, int]]:
    """Returns the events that the seat does not know to have happened at all, sorted."""
    happened = Counter(state.history())
    seen = happened.copy()
    for world in _worlds(state, seat):
        seen &= Counter(world)
    return sorted((happened - seen).elements())
