"""The cards that a seat does not know, in words."""

from __future__ import annotations

from collections import Counter

from stier._native import State

#: Worlds that are compared.
_WORLDS = 100
#: Worlds that are shown to the person, and lines about them.
_SHOWN_WORLDS, _MOST = 1000, 8


def hidden_events(state: State, seat: int) -> list[tuple[int, int]]:
    """Returns the events that the seat does not know to have happened at all, sorted."""
    happened = Counter(state.history())
    seen = happened.copy()
    for seed in range(_WORLDS):
        seen &= Counter(state.resample_from_infostate(seat, seed).history())
    return sorted((happened - seen).elements())


def worlds_in_words(state: State, seat: int) -> str:
    """Returns what the other seats may have, with the share of worlds: for games whose cards cannot be drawn."""
    worlds = [state.resample_from_infostate(seat, seed).scene() for seed in range(_SHOWN_WORLDS)]
    lines = [f"What the others may have, in {_SHOWN_WORLDS} worlds drawn at random"]
    for other in range(state.num_players()):
        if other == seat:
            continue
        found = Counter(
            ", ".join(remark.replace("_", " ") for remark in place["remarks"] if remark != f"seat: {other}")
            for world in worlds
            for place in world["places"]
            if place["seat"] == other
        )
        lines.append(f"seat {other}")
        lines += [f"  {count / len(worlds):4.0%}  {text or 'nothing'}" for text, count in found.most_common(_MOST)]
        if len(found) > _MOST:
            lines.append(f"        and {len(found) - _MOST} more")
    return "\n".join(lines)
