"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from stier._output import plus_minus

#: What is shown of each table: its title and its columns; figures with an interval are one column.
SHOWN = {
    "by_tricks": (
        "Attack now, wait, never attack, by finished tricks",
        ["chapter", "scoring", "tricks", "n", "now", "wait", "never", "now_minus_wait", "attack_share"],
    ),
    "by_rule": (
        "Where the rule attacks, and where it waits (tricks -1: all)",
        ["scoring", "tricks", "rule", "n", "now_minus_wait"],
    ),
    "by_count": ("By the rule's count (-1: no trump suit)", ["scoring", "count", "n", "now", "wait", "now_minus_wait"]),
    "mistakes": (
        "What wrong decisions cost",
        ["scoring", "players", "n", "attack_share", "right", "loss", "bout_bad", "bout_missed"],
    ),
    "lights": (
        "What searches say, beside what it came to",
        ["scoring", "light", "n", "optimism_now", "optimism_wait", "attack_share", "right_where_clear", "loss"],
    ),
    "equilibria": (
        "Scaled-down decks, solved: one decision against an opponent who plays the equilibrium",
        ["scoring", "deck", "player", "attack_share", "optimism_now", "optimism_wait", "loss_bad", "loss_missed"],
    ),
    "matches": ("The rule in play", ["scoring", "cards", "against", "deals", "mean", "wins"]),
    "match": (
        "Four bouts, won or lost: value of attacking against waiting by the standing",
        ["scoring", "bouts_left", "standing", "n", "now_minus_wait", "now_minus_never"],
    ),
}


def tables_as_text(tables: Mapping[str, pd.DataFrame]) -> str:
    """Those tables that fit a screen, with their intervals."""
    parts = []
    for name, (title, columns) in SHOWN.items():
        if name in tables:
            parts.append(f"{title}\n{_compact(tables[name], columns).to_string(index=False)}\n")
    return "\n".join(parts)


def _compact(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The columns, each with its interval."""
    found = {}
    for name in columns:
        half = f"{name}_ci95"
        if half in table:
            pairs = zip(table[name], table[half], strict=True)
            found[name] = ["-" if pd.isna(mean) else f"{mean:+.3f}{plus_minus(width)}" for mean, width in pairs]
        elif pd.api.types.is_float_dtype(table[name]):
            found[name] = [f"{value:g}" for value in table[name]]
        else:
            found[name] = [str(value) for value in table[name]]
    return pd.DataFrame(found)
