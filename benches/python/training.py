"""Trains the networks of benches/training.toml, plays the matches, writes table and page; interrupted runs resume."""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import stier
import stier.train
from stier._files import write, write_text
from stier.network import Network
from stier.plots import COLOURS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BENCHES = Path(__file__).resolve().parent.parent
TABLE, PAGE, CURVE = BENCHES / "training.csv", BENCHES / "TRAINING.md", BENCHES / "training.png"
#: The seed of the matches, which no training or evaluation has used.
HELD_OUT = 1_000_003
#: The folder for checkpoints, and the number of positions for timing a decision.
OUT, POSITIONS = Path("out/training"), 200
#: Deals for counting the chances of watched actions.
DEALS = 3000
#: A note for runs trained with biased advantages; their rows have the measure ``attack %``.
BIASED = """**These networks must be trained again.** Except with deep Monte Carlo, they learned from biased advantages.
In two-player games an estimate continued with minus the opponent's value, which ignores the player's own hand. In all
games decisions at the end of a batch were kept or dropped depending on the winner. The networks for Schwinget attack
at nearly every chance, with any hand. "attack" is the share of *games* with an attack, which says little. The commands
above the tables are those of the next run; these networks were trained with an earlier version."""
#: The name of the solver in the table.
EQUILIBRIUM = "CFR+"
COLUMNS = ["run", "seed", "steps", "cpu_seconds", "measure", "value", "ci95"]

Row = dict[str, Any]


def main() -> None:
    """Run what has not been done yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="RUN", action="append", help="only this run; may be repeated")
    parser.add_argument("--seeds", type=int, help="only this many seeds, for now")
    parser.add_argument("--page", action="store_true", help="only write page and picture again")
    arguments = parser.parse_args()
    plan = tomllib.loads((BENCHES / "training.toml").read_text("utf-8"))
    names = [EQUILIBRIUM, *(run["name"] for run in plan["run"])]
    rows = read()
    if not any(row["run"] == EQUILIBRIUM for row in rows):
        rows = equilibrium(next(run for run in plan["run"] if run.get("exact"))) + rows
        write(TABLE, partial(save, rows=rows))
    if not arguments.page:
        for seed in range(arguments.seeds or plan["seeds"]):
            for run in plan["run"]:
                if arguments.only and run["name"] not in arguments.only:
                    continue
                done = {row["measure"] for row in rows if row["run"] == run["name"] and int(row["seed"]) == seed}
                if found := measure(run, seed, done):
                    # Another process may have written in the meantime.
                    rows = sorted(read() + found, key=lambda row: (names.index(row["run"]), int(row["seed"])))
                    write(TABLE, partial(save, rows=rows))
    write_text(PAGE, page(plan, rows))
    write(CURVE, partial(curve, plan=plan, rows=rows))


def read() -> list[Row]:
    """Read the results so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def save(path: Path, rows: list[Row]) -> None:
    """Write the results so far."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def folder_of(run: dict[str, Any], seed: int) -> Path:
    """Return the folder of a run."""
    return OUT / run["name"].lower().replace(" ", "_").replace(",", "").replace("&", "and") / str(seed)


def measure(run: dict[str, Any], seed: int, done: set[str]) -> list[Row]:
    """Train one network and evaluate it, as far as that has not been done."""
    matches = {f"against {agent}": ("network:path=NETWORK", agent, run["deals"]) for agent in run.get("matches", ())}
    for agent in run.get("guided_matches", ()):
        matches[f"guided against {agent}"] = (run["guided"], agent, run["guided_deals"])
    responders = {f"gain of {responder}": responder for responder in run.get("responders", ())}
    if (done and matches.keys() | responders.keys() <= done) or (seed and "file" in run):
        return []
    print(f"{run['name']}, seed {seed}", flush=True)
    game = stier.load_game(run["game"])
    network, file, log = published(run) if "file" in run else train(run, game, seed)
    rows: list[Row] = []

    def note(line: dict[str, Any], measure: str, value: float, ci95: float | None = None) -> None:
        at = {"run": run["name"], "seed": seed, "steps": int(line["steps"]), "cpu_seconds": line["cpu_seconds"]}
        rows.append(at | {"measure": measure, "value": f"{value:.6g}", "ci95": "" if ci95 is None else f"{ci95:.4g}"})

    for line in log if not done else ():
        if "eval/nash_conv" in line:
            note(line, "eval/nash_conv", line["eval/nash_conv"])
        if "eval/greedy/mean" in line:
            note(line, "eval/greedy/mean", line["eval/greedy/mean"], line["eval/greedy/ci95"])
    last = log[-1]
    for name, value, interval in chances_of(run, network, HELD_OUT + seed) if not done else ():
        note(last, name, value, interval)
    for name, (text, other, deals) in matches.items():
        if name not in done:
            own, agent = text.replace("NETWORK", file), other.replace("NETWORK", file)
            result = stier.pit(game, [own] + [agent] * (game.num_players() - 1), deals=deals, seed=HELD_OUT + seed)
            note(last, name, result.mean[0], result.ci95[0])
            if agent.startswith("ismcts:iterations"):
                who = "guided, times" if name.startswith("guided") else "times"
                note(last, f"{who} as fast as {agent}", seconds_of(game, agent) / seconds_of(game, own))
    for name, responder in responders.items():
        if name not in done:
            deals = run["responder_deals"]
            found = stier.exploit(game, f"network:path={file}", responder, deals=deals, seed=HELD_OUT + seed)
            note(last, name, found.gain, found.ci95)
    return rows


def train(run: dict[str, Any], game: stier.Game, seed: int) -> tuple[Network, str, list[dict[str, Any]]]:
    """Train a network and return it with its file and its log."""
    folder, exact = folder_of(run, seed), run.get("exact", False)
    trained = stier.train.learn(
        game,
        run["algorithm"],
        folder=folder,
        against=() if exact else ("greedy",),
        evaluations=run["evaluations"],
        exact=exact,
        watch=run.get("watch", ()),
        judge=run.get("judge"),
        progress=sys.stderr.isatty(),
        seed=seed,
        **run["settings"],
    )
    return trained.network, str(folder / "network.safetensors"), trained.log


def published(run: dict[str, Any]) -> tuple[Network, str, list[dict[str, Any]]]:
    """Return a network of the repository with its file and a line for the length of its training."""
    network = Network.load(BENCHES.parent / run["file"])
    return network, run["file"], [{"steps": network.training["steps_done"], "cpu_seconds": ""}]


def chances_of(
    run: dict[str, Any], player: Network | stier.Solution, seed: int
) -> list[tuple[str, float, float | None]]:
    """Return the probabilities of watched actions: per chance, at the first chance, and by the judge."""
    game = stier.load_game(run["game"])
    rows: list[tuple[str, float, float | None]] = []
    for action in run.get("watch", ()):
        found = stier.train.chances(game, player, action, judge=run.get("judge"), deals=DEALS, seed=seed)
        for row in found.rows:
            if row.round in (None, 0):
                when = "per chance" if row.round is None else "at the first lead"
                by = "" if row.judge is None else f", {run['judge']} {row.judge}"
                rows.append(
                    (f"P({action}) {when}{by}", row.probability, (row.probability_high - row.probability_low) / 2)
                )
        first = found.row(round=0)
        rows.append((f"P({action}) above 0.9 at the first lead", first.above_90, None))
        rows.append((f"P({action}) below 0.1 at the first lead", first.below_10, None))
        rows.append((f"chances of {action} after the first lead", found.row().chances - first.chances, None))
    return rows


def seconds_of(game: stier.Game, agent: str) -> float:
    """Return the seconds per decision: the quickest of three searches, averaged over positions with a choice."""
    player, times = stier.load_agent(agent, game), []
    for seed in range(POSITIONS):
        state = game.new_initial_state(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(seed % 12):
            state.apply_action(int(rng.choice(state.legal_actions())))
            if state.is_terminal():
                break
        if not state.is_terminal() and len(state.legal_actions()) > 1:
            times.append(min(player.search(state).seconds for _ in range(3)))
    return float(np.mean(times))


def of(rows: list[Row], run: str, measure: str, last: bool = True) -> dict[int, list[Row]]:
    """Return by seed the rows with that measure, the last of each seed or all."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        if row["run"] == run and row["measure"] == measure:
            found.setdefault(int(row["seed"]), []).append(row)
    return {seed: own[-1:] if last else own for seed, own in found.items()}


def equilibrium(run: dict[str, Any]) -> list[Row]:
    """Return the results of CFR+ by time. The tree is built anew for every line."""
    game = stier.load_game(run["game"])
    rows: list[Row] = []
    for iterations in (1, 2, 5, 10, 20, 50, 100, 200):
        start = time.process_time()
        solution = stier.solve(game, iterations=iterations, threads=1)
        at = {"run": EQUILIBRIUM, "seed": 0, "steps": iterations, "cpu_seconds": round(time.process_time() - start, 2)}
        attack = 100 * solution.frequency(game.string_to_action("attack"))
        for measure, value in [("eval/nash_conv", solution.nash_conv), ("attack %", attack)]:
            rows.append(at | {"measure": measure, "value": f"{value:.6g}", "ci95": ""})
    for measure, value, ci95 in chances_of(run, solution, HELD_OUT):
        rows.append(rows[-1] | {"measure": measure, "value": f"{value:.6g}", "ci95": f"{ci95:.4g}"})
    uniform = stier.solving.nash_conv(game, "random")
    rows.append(rows[-1] | {"steps": 0, "measure": "uniform eval/nash_conv", "value": f"{uniform:.6g}", "ci95": ""})
    return rows


def page(plan: dict[str, Any], rows: list[Row]) -> str:
    """Return the page of all runs."""
    uniform = float(of(rows, EQUILIBRIUM, "uniform eval/nash_conv")[0][0]["value"])
    solved = of(rows, EQUILIBRIUM, "attack %")[0][0]
    biased = any(row["measure"] == "attack %" and row["run"] != EQUILIBRIUM for row in rows)
    lines = [
        "# Training",
        "",
        "Networks trained by self-play, one line per seed. Made by `make training` from `benches/training.toml`; all",
        "figures are in `benches/training.csv`. CPU seconds are for playing and learning, without evaluations, on a",
        "shared machine. Matches use held-out deals, which no network has seen in training.",
        "",
        *([*BIASED.splitlines(), ""] if biased else []),
        f"- machine: {machine()}",
        "",
        "![NashConv over CPU seconds](training.png)",
        "",
        f"The deck's NashConv is {uniform:.4f} for uniform play. CFR+ approaches an equilibrium",
        f"in {float(solved['cpu_seconds']):.0f} s; {float(solved['value']):.1f} % of its games have an attack.",
    ]
    for run in plan["run"]:
        seeds = of(rows, run["name"], "eval/nash_conv" if run.get("exact") else "eval/greedy/mean")
        lines += ["", f"## {run['name']}", "", *([*run["about"].splitlines(), ""] if "about" in run else [])]
        measures = list(dict.fromkeys(row["measure"] for row in rows if row["run"] == run["name"]))
        if "file" in run:
            if not measures:
                lines.append("Not measured yet.")
                continue
            lines += ["| measure | value |", "| --- | ---: |"]
            lines += [f"| {name} | {cell(of(rows, run['name'], name)[0][-1], uniform)} |" for name in measures]
            continue
        lines += ["```sh", command(run), "```", ""]
        if not seeds:
            lines.append("Not trained yet.")
            continue
        if "guided" in run:
            lines += [f"*Guided* is `{run['guided']}`.", ""]
        shown = [name for name in measures if name != "eval/greedy/mean"]
        lines += [
            "| seed | decisions | CPU seconds | " + " | ".join(map(titled, shown)) + " |",
            "| ---: " * (3 + len(shown)) + "|",
        ]
        for seed in sorted(seeds):
            last = seeds[seed][-1]
            cells = [f"{int(last['steps']):,}", f"{float(last['cpu_seconds']):.0f}"]
            for name in shown:
                measured = of(rows, run["name"], name).get(seed)
                cells.append(cell(measured[-1], uniform) if measured else "")
            lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def titled(measure: str) -> str:
    """Return the header of a column."""
    return {"eval/nash_conv": "NashConv (of uniform)", "attack %": "attack (share of games)"}.get(measure, measure)


def cell(row: Row, uniform: float) -> str:
    """Format a figure for the page."""
    value = float(row["value"])
    if row["measure"] == "eval/nash_conv":
        return f"{value:.4f} ({value / uniform:.1%})"
    if row["measure"] == "attack %":
        return f"{value:.1f} %"
    if row["measure"].startswith("P(") and " 0." in row["measure"]:
        return f"{100 * value:.1f} % of the hands"
    if row["measure"].startswith("P("):
        return f"{value:.3f} ± {float(row['ci95']):.3f}"
    if row["ci95"]:
        return f"{value:+.3f} ± {float(row['ci95']):.3f}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def command(run: dict[str, Any]) -> str:
    """Return the command that trains the same network."""
    words = ["stier", "train", run["game"], "--out", "DIR", "--algorithm", run["algorithm"], "--seed", "SEED"]
    for name, value in run["settings"].items():
        words += ["--steps", str(value)] if name == "steps" else ["--set", f"{name}={value}"]
    words += ["--evaluations", str(run["evaluations"])] + (["--exact"] if run.get("exact") else [])
    for action in run.get("watch", ()):
        words += ["--watch", action]
    words += ["--judge", run["judge"]] if "judge" in run else []
    return " ".join(word if word in ("DIR", "SEED") else shlex.quote(word) for word in words)


def machine() -> str:
    """Return the processor's name and the number of cores."""
    names = [line for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines() if line.startswith("model name")]
    return f"{names[0].split(':')[1].strip()}, {len(names)} cores, shared"


def curve(path: Path, plan: dict[str, Any], rows: list[Row]) -> None:
    """Draw NashConv over CPU seconds, for each run the median and the range of its seeds, beside CFR+."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    exact = [run for run in plan["run"] if run.get("exact")]
    for run, colour, marker in zip(exact, COLOURS, "osD^v", strict=False):
        seeds = of(rows, run["name"], "eval/nash_conv", last=False)
        if not seeds:
            continue
        # The first evaluation is that of the network before it has learned anything.
        lines = [[row for row in points if float(row["cpu_seconds"]) > 0] for points in seeds.values()]
        at = np.median([[float(row["cpu_seconds"]) for row in points] for points in lines], axis=0)
        values = np.array([[float(row["value"]) for row in points] for points in lines])
        label = f"{labelled(run)}: {at[-1]:.0f} s, {len(lines)} seeds"
        axes.plot(at, np.median(values, axis=0), color=colour, marker=marker, markersize=4, linewidth=1.5, label=label)
        axes.fill_between(at, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.25, linewidth=0)
    points = of(rows, EQUILIBRIUM, "eval/nash_conv", last=False).get(0, [])
    at = [float(row["cpu_seconds"]) for row in points]
    values = [float(row["value"]) for row in points]
    axes.plot(at, values, color="black", marker=".", linestyle="--", label=f"{EQUILIBRIUM}: {at[-1]:.0f} s")
    uniform = float(of(rows, EQUILIBRIUM, "uniform eval/nash_conv")[0][0]["value"])
    axes.axhline(uniform, color="grey", linestyle=":")
    axes.annotate(
        f"uniform play: {uniform:.2f}", (1, uniform), (0, 4), ("axes fraction", "data"), "offset points", ha="right"
    )
    axes.set(xscale="log", yscale="log", xlabel="CPU seconds", ylabel="NashConv (points per game)")
    axes.set_title(f"Distance from equilibrium in {exact[0]['game']}\nmedian and range of the seeds", fontsize=10)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0.0, 0.0))
    figure.savefig(path, format="png", dpi=130, metadata={"Software": None})
    plt.close(figure)


def labelled(run: dict[str, Any]) -> str:
    """Return a short description of a run."""
    name = {"ppo": "PPO", "dmc": "deep Monte Carlo"}[run["algorithm"]]
    constant = run["settings"].get("entropy_coefficient")
    entropy = "" if constant is None else f", entropy {constant:g}"
    return f"{name}{entropy}, {run['settings']['steps'] / 1e6:g} M decisions"


if __name__ == "__main__":
    main()
