"""Collects the measurements of criterion, and of the programs beside this one, in a page: writes `RESULTS.md`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from charts import draw, illustrated
from measure import machine

from stier.experiments import markdown_table, page

HERE = Path(__file__).resolve().parents[1]
GAMES = ("schweins_galopp", "schwimmen", "schwinget", "up_and_down")
#: The figures of the picture: what is measured for each game, and the name of its benchmark.
HEADLINES = {
    "decisions and random events of random play, in Rust": "playout/{}/random",
    "states drawn from what a player knows, in Rust": "sample/{}/state",
    "iterations of ISMCTS, each played to the end": "ismcts/{}/random-10k",
    "decisions in 1,024 games stepped from Python, with observations and masks": "vector/{}/python-float32",
    "the same with random opponents in the other seats": "vector/{}/python-opponents",
    "states drawn from Python, with all holdings": "worlds/{}/python-holdings",
    "decisions of a single game through PettingZoo": "python/{}/pettingzoo",
    "decisions of a single game through Gymnasium": "python/{}/gymnasium",
    "decisions of PPO, played and learned from": "train/{}/ppo-cpu",
}
#: The units of benchmarks by their names, the first that fits; others are calls.
UNITS = {
    "playout": "ply",
    "sample": "sample",
    "encode": "observation",
    "vector|python|train|network/.*/mmds": "decision",
    "worlds": "world",
    "ending": "ending",
    "open": "state",
    "ismcts|network/.*/ismcts": "iteration",
    "pit|network/.*/pit": "game",
    "network": "position",
    "solve": "history",
    "traverse": "traversal",
}
NOTES = """\
- `playout`: random play from the first decision to the end, chance included. `random` is `Game::playout`, uniform over
  the legal actions (short in Schwinget, where it attacks in most bouts). `hints` is `Hints::hinted_playout`, which
  never attacks in Schwinget. `steps` plays one decision after another through the trait, as any caller can.
- `ending`: `Hints::ending` over 2,000 deals attacked at the first lead; `plain` is without referee and counter.
- `open`: a whole bout with a pile drawn in advance, and the evaluation of a state.
- `sample`: the middle of a random game. `state` and `history` are drawn from a `sampler`, which is made from a `view`.
- `encode`: the observation of the player to move, as floats.
- `bits`: the position of the n-th bit of a set, by an instruction and by its portable twin.
- `vector`: one decision in one of 1,024 environments of random play, with actions drawn and masks written. From Rust
  without observations (`blind`) and with floats or bytes. From Python the whole loop of `sample_actions` and `step`
  into new arrays, `step_into` arrays of the caller (`into`), and against random players in all other seats
  (`opponents`).
- `worlds`: `resample_many` of one state: positions or whole histories. From Python positions, alone and with all
  holdings.
- `python`: single games. Known actions applied, and random games through the loops of PettingZoo and Gymnasium,
  including the random choice of the caller. Gymnasium's other seats are played by random players, whose decisions are
  not counted.
- `ismcts`: one iteration of a search from the first decision of 16 deals in turn, with a random or hinted playout to
  the end. Iterations in Schwinget are shorter where the tree or a random playout attacks.
- `network`: networks with random weights. A forward pass of 200 inputs, 30 of them ones, two layers of 256 and 41
  logits, for one position or 64; `game`, the evaluation of a state of Schwinget; `ismcts`, 1,000 iterations with a
  prior and value for every leaf; `pit`, games of the network against itself, side by side. `mmds-450`: one decision of
  `mmds:step=100,rollouts=450` over the game's own network, with 200 or 1,000 (the default) particles or exact beliefs,
  on average over four bouts.
- `pit`: whole games between two agents.
- `solve`: a Schwinget of two suits of four with hands of one card (199,921 histories), on all cores: the tree, values,
  best responses and one iteration of each CFR algorithm. `traverse` is one traversal of MCCFR in it.
- `train`: one decision of PPO with default settings, played and learned from, and the share of the environment in it.
  CPU time of all threads.
"""


class Row(NamedTuple):
    """Nanoseconds per unit: the median with its 95 % interval."""

    median: float
    low: float
    high: float


def collect(folder: Path) -> dict[str, Row]:
    """Reads every folder `new` below a folder, by name. Criterion keeps older runs beside it."""
    rows = {}
    for file in folder.rglob("new/benchmark.json"):
        benchmark = json.loads(file.read_text("utf-8"))
        median = json.loads(file.with_name("estimates.json").read_text("utf-8"))["median"]
        interval = median["confidence_interval"]
        elements = (benchmark.get("throughput") or {"Elements": 1})["Elements"]
        times = (median["point_estimate"], interval["lower_bound"], interval["upper_bound"])
        rows[benchmark["full_id"]] = Row(*(time / elements for time in times))
    return dict(sorted(rows.items()))


def unit(name: str) -> str:
    """Returns the unit of a benchmark."""
    return next((own for pattern, own in UNITS.items() if re.match(rf"(?:{pattern})(?:/|-|$)", name)), "call")


def digits(nanoseconds: float) -> str:
    """Returns a time with the digits that mean something."""
    return f"{nanoseconds:.2f}" if nanoseconds < 100 else f"{nanoseconds:.0f}"


def rate(median: float) -> str:
    """Returns how many units of some nanoseconds fit into a second."""
    per_second = 1e9 / median
    for size, letter, places in ((1e6, "M", 2), (1e3, "k", 1)):
        if per_second >= size:
            return f"{per_second / size:.{places}f} {letter}"
    return f"{per_second:.1f}"


def table(rows: dict[str, Row]) -> str:
    """Returns the table of all benchmarks."""
    lines = (
        [name, unit(name), digits(median), f"{digits(low)} .. {digits(high)}", rate(median)]
        for name, (median, low, high) in rows.items()
    )
    return markdown_table(["benchmark", "unit", "ns per unit", "95 % interval", "units per second"], lines, left=2)


def millions(rows: dict[str, Row], *names: str) -> str:
    """Returns the lowest and the highest rate of these benchmarks over the games, in millions per second."""
    rates = [1e3 / rows[name.format(game)].median for name in names for game in GAMES]
    low, high = (f"{one:.1f}" if one < 1 else f"{one:.0f}" for one in (min(rates), max(rates)))
    return f"{low} to {high}"


def results(rows: dict[str, Row], where: list[str]) -> str:
    """Returns the page, with the machine in lines of a list."""
    lines = ([what, *(rate(rows[name.format(game)].median) for game in GAMES)] for what, name in HEADLINES.items())
    first = markdown_table(["per second", *(f"`{game}`" for game in GAMES)], lines)
    text = page(
        "How fast is it?",
        f"From Python, one core makes {millions(rows, 'vector/{}/python-float32')} million decisions per second in "
        f"the four games from rulebooks, observations included. A single game makes "
        f"{millions(rows, 'python/{}/pettingzoo', 'python/{}/gymnasium')} million through PettingZoo and Gymnasium. "
        f"ISMCTS makes {millions(rows, 'ismcts/{}/random-10k')} million iterations per second, each played to the end.",
        sure=[
            "Medians of one core with default rules, by criterion. The intervals are narrower than 1 % in most rows.",
            "The machine: others differ by a factor of two or more. Rules with more players or cards take longer.",
            "Speeds of other libraries for the same games: they do not have them, so no two figures are a race.",
        ],
        command="make bench",
        details={
            "The figures of the picture": f"{first}\n`k` is a thousand, `M` a million.",
            "All benchmarks, with 95 % intervals": table(rows),
            "What the benchmarks are": NOTES,
            "Where and when": "\n".join(where),
        },
    )
    return illustrated("results", text)


def main() -> None:
    """Prints the table, and writes the page."""
    rows = collect(Path(os.environ.get("CARGO_TARGET_DIR", "target"), "criterion"))
    print(table(rows))
    if missing := {name.format(game) for name in HEADLINES.values() for game in GAMES} - rows.keys():
        sys.exit(f"not measured yet, so no page: {', '.join(sorted(missing))}; make bench measures everything")
    compiler = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    text = results(rows, [*machine(), f"- compiler: {compiler}"])
    (HERE / "RESULTS.md").write_text(text, "utf-8")
    draw("results", text)


if __name__ == "__main__":
    main()
