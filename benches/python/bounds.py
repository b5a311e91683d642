"""Lower bounds on the exploitability of four agents in full Schwinget: writes `bounds.csv` and `bounds.png`.

Rows that are in the table already are not measured again. All five take about a quarter of an hour of one core.
"""

from __future__ import annotations

import time
from pathlib import Path

from rows import Row, completed

import stier
from stier.experiments import save_picture

HERE = Path(__file__).parents[1]
TABLE, PICTURE = HERE / "bounds.csv", HERE / "bounds.png"
GAME, SEED = "schwinget", 9_000_003

#: A search guided by the network that it exploits.
GUIDED = "lbr:continuation=network,margin=1"
#: Each agent, how the chart calls it, the responder that gained most from it in earlier deals, and the deals.
AGENTS = (
    ("greedy", "greedy\na fitted policy", "lbr", 4_000),
    ("ismcts:iterations=1000", "ISMCTS\n1,000 iterations", "network", 10_000),
    ("network", "network\nwithout search", GUIDED, 4_000),
    ("best:iterations=1000", "best\n1,000 iterations", "network", 20_000),
)
#: Rows of the table that the chart does not show: the same search with exact beliefs.
OTHERS = (("network", f"{GUIDED},particles=exact", "4000"),)
#: The responders in words.
FOUND_BY = {
    "lbr": "found by a search that knows its policy",
    GUIDED: "found by a search that knows its policy",
    "network": "found by the network, which does not know its policy",
}
COLUMNS = ("agent", "responder", "deals", "gain", "ci95", "cpu_seconds")


def measured(agent: str, responder: str, deals: str) -> Row:
    """The gain of a responder against an agent, on average over the seats."""
    before = time.process_time()
    found = stier.exploit(GAME, agent, responder, deals=int(deals), seed=SEED)
    seconds = time.process_time() - before
    values = (agent, responder, deals, f"{found.gain:.4f}", f"{found.ci95:.4f}", f"{seconds:.0f}")
    return dict(zip(COLUMNS, values, strict=True))


def draw(rows: list[Row]) -> None:
    """A bar for each agent, dark if the opponent knows its policy. An arrow at its end says that it may be longer."""
    from matplotlib import pyplot as plt

    from stier.plots import COLOURS

    by_match = {(row["agent"], row["responder"]): row for row in rows}
    shown = [(by_match[agent, responder], label) for agent, label, responder, _ in reversed(AGENTS)]
    gains, widths = ([float(row[name]) for row, _ in shown] for name in ("gain", "ci95"))
    figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
    colours = [COLOURS[4] if row["responder"] == "network" else COLOURS[0] for row, _ in shown]
    ax.barh(range(len(shown)), gains, height=0.5, color=colours)
    longest = max(gains)
    for place, ((row, _), gain, width) in enumerate(zip(shown, gains, widths, strict=True)):
        ax.annotate(
            "",
            (gain + 0.09 * longest, place),
            (gain, place),
            arrowprops={"arrowstyle": "-|>", "color": colours[place], "lw": 1.5, "shrinkA": 0},
        )
        ax.text(gain + 0.11 * longest, place + 0.04, f"at least {gain:.2f} ± {width:.2f}", weight="bold", va="bottom")
        ax.text(gain + 0.11 * longest, place - 0.04, FOUND_BY[row["responder"]], fontsize=8, va="top")
    ax.set_yticks(range(len(shown)), [label for _, label in shown])
    ax.set_xlim(0, 1.75 * longest)
    ax.set_xlabel("points per bout that an opponent wins from it: a lower bound (95 % intervals)")
    ax.spines[["top", "right"]].set_visible(False)
    network = float(by_match["network", GUIDED]["gain"])
    figure.suptitle(
        f"The network can be beaten by at least {network:.2f} points per bout, greedy by {max(gains):.2f}", x=0.5
    )
    save_picture(figure, PICTURE)


if __name__ == "__main__":
    wanted = [(agent, responder, str(deals)) for agent, _, responder, deals in AGENTS]
    draw(completed(TABLE, COLUMNS[:3], [*wanted, *OTHERS], measured))
