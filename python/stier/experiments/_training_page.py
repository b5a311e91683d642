"""The page of a training plan: its tables, the commands of the runs, and its picture."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stier.experiments._plans import header, line
from stier.experiments._training_runs import ARGUMENTS, DISTANCE, FIRST, GREEDY, HELD_OUT, LEARNED, UNIFORM, solver_of
from stier.ratings import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _rows(results: pd.DataFrame, run: str, measure: str) -> pd.DataFrame:
    return results[(results["run"] == run) & (results["measure"] == measure)]


def _last(results: pd.DataFrame, run: str, measure: str) -> pd.DataFrame:
    """Returns the last row with that measure of each seed, with the seed as index."""
    return _rows(results, run, measure).groupby("seed").last()


def solved_section(game: str, runs: list[Mapping[str, Any]], results: pd.DataFrame) -> str:
    """Returns the table of the runs in a game whose equilibrium is known, and their commands."""
    solved = _last(results, solver_of(game), DISTANCE)
    if not len(solved):
        return "Not solved yet.\n"
    uniform = _number(results, solver_of(game), UNIFORM)
    share, seconds = 100 * solved["value"].iloc[0] / uniform, solved["cpu_seconds"].iloc[0]
    text = f"NashConv is {uniform:.4f} for uniform play, and CFR+ leaves {share:.2g} % of that after {seconds:.1f} s."
    watched = [f"P({action}) {FIRST}" for action in runs[0].get("watch", ())]
    for name in watched:
        text += f" In equilibrium, {name} is {_number(results, solver_of(game), name):.2f}."
    titles = ["run", "decisions", "CPU seconds", "NashConv, % of uniform play, by seed", "geometric mean"]
    titles += ["end above the lowest, at most", *watched]
    text += "\n\n" + header(titles)
    for run in runs:
        last = _last(results, run["name"], DISTANCE)
        if not len(last):
            text += line([_title(run), "not trained yet", *[""] * (len(titles) - 2)])
            continue
        shares = 100 * last["value"] / uniform
        cells = [f"{_last(results, run['name'], name)['value'].mean():.2f}".replace("nan", "") for name in watched]
        decisions, each = f"{last['steps'].iloc[0]:,}", ", ".join(f"{share:.2f}" for share in shares)
        lowest = _rows(results, run["name"], DISTANCE).groupby("seed")["value"].min()
        above = f"{100 * (last['value'] / lowest - 1).max():.0f} %"
        text += line([_title(run), decisions, _cpu_seconds(last), each, _mean(shares), above, *cells])
    return text + _commands(runs)


def _title(run: Mapping[str, Any]) -> str:
    """Returns the name of a run, with the commit at which it was trained if only that one can do it."""
    return f"{run['name']} ({run['commit']})" if "commit" in run else str(run["name"])


def _cpu_seconds(rows: pd.DataFrame) -> str:
    """Returns the fewest and most CPU seconds."""
    if not len(rows):
        return ""
    ends = (rows["cpu_seconds"].min(), rows["cpu_seconds"].max())
    return " to ".join(dict.fromkeys(f"{end:.0f}" for end in ends))


def _number(results: pd.DataFrame, run: str, measure: str) -> float:
    return float(_last(results, run, measure)["value"].iloc[0])


def _mean(values: pd.Series) -> str:
    """Returns the geometric mean of the seeds, from three seeds on with a 95 % interval for that of all seeds."""
    found = estimate(np.log(values))
    middle = f"{np.exp(found.mean):.2f}"
    if len(values) < 3:
        return middle
    low, high = np.exp([found.mean - found.ci95, found.mean + found.ci95])
    return f"{middle} ({low:.2f} to {high:.2f})"


def trained_section(runs: list[Mapping[str, Any]], results: pd.DataFrame) -> str:
    """Returns the table of the runs in a game that cannot be solved, and their commands."""
    names = [run["name"] for run in runs]
    measures = list(dict.fromkeys(results[results["run"].isin(names)]["measure"]))
    chances = [name for name in measures if _kind_of(name) == "probability" and FIRST in name]
    gains = [name for name in measures if _kind_of(name) == "gain" and name != GREEDY] or [GREEDY]
    titles = ["run", "decisions", "CPU seconds", *(f"{name}, by seed" for name in chances)]
    for name in gains:
        titles += [f"{name}, by seed", f"{name}, mean", *(["CPU seconds of the responder"] if name == LEARNED else [])]
    text = "Matches and gains are mean returns per game in held-out deals. ± is half of a 95 % interval: for one seed "
    text += "over deals, for a mean of at least three seeds over seeds.\n\n"
    for guided in dict.fromkeys(run["guided"] for run in runs if "guided" in run):
        text += f"*Guided* is `{guided}`.\n\n"
    text += header(titles)
    for run in runs:
        name = run["name"]
        last = {measure: _last(results, name, measure) for measure in (GREEDY, *chances, *gains)}
        if not len(last[GREEDY]):
            text += line([_title(run), "not trained yet", *[""] * (len(titles) - 2)])
            continue
        cells = [", ".join(f"{value:.2f}" for value in last[chance]["value"]) for chance in chances]
        for gain in gains:
            rows = last[gain]
            cells += [", ".join(_cell(gain, row) for _, row in rows.iterrows()), _average(rows["value"])]
            cells += [_cpu_seconds(rows)] if gain == LEARNED else []
        text += line([_title(run), f"{last[GREEDY]['steps'].iloc[0]:,}", _cpu_seconds(last[GREEDY]), *cells])
    return text + _commands(runs)


def _kind_of(measure: str) -> str:
    """Returns whether a measure is a `probability`, a `share` of the hands, a `gain` per game or another `number`."""
    if measure.startswith("P("):
        return "share" if measure.partition(") ")[2].startswith(("above ", "below ")) else "probability"
    return "gain" if measure == GREEDY or measure.startswith(("against ", "guided against ", "gain of ")) else "number"


def _average(values: pd.Series) -> str:
    """Returns the mean of the seeds, from three seeds on with a 95 % interval for that of all seeds."""
    values = values.dropna()
    if len(values) < 3:
        return f"{values.mean():+.3f}" if len(values) else ""
    found = estimate(values)
    return f"{found.mean:+.3f} ± {found.ci95:.3f}"


def published_section(run: Mapping[str, Any], results: pd.DataFrame) -> str:
    """Returns the table of a network with a file."""
    measures = list(dict.fromkeys(results[results["run"] == run["name"]]["measure"]))
    if not measures:
        return "Not measured yet.\n"
    lines = (line([name, _cell(name, _last(results, run["name"], name).iloc[-1])]) for name in measures)
    return header(["measure", "value"]) + "".join(lines)


def _cell(measure: str, row: pd.Series) -> str:
    """Returns a figure for the page."""
    value, ci95 = float(row["value"]), float("nan" if row["ci95"] is None else row["ci95"])
    match _kind_of(measure):
        case "share":
            return f"{100 * value:.1f} % of the hands"
        case "probability":
            return f"{value:.3f} ± {ci95:.3f}"
        case "gain":
            return f"{value:+.3f} ± {ci95:.3f}"
        case _:
            return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _commands(runs: list[Mapping[str, Any]]) -> str:
    """Returns a list of the runs and what they are about, with their commands and those of their learned responders."""
    text = "\nThe commands, for one seed; GAME is the text above.\n\n"
    for run in runs:
        about = " ".join(run.get("about", "").split())
        made = f"Trained at commit {run['commit']}." if "commit" in run else f"`{_command(run)}`"
        text += f"- {run['name']}{': ' + about if about else '.'}\n  {made}\n"
    learned = dict.fromkeys(_responder_command(run) for run in runs if "learned_responder" in run)
    about = f"The learned responder. Its SEED is larger by {HELD_OUT:,}."
    return text + "".join(f"- {about}\n  `{command}`\n" for command in learned)


def _command(run: Mapping[str, Any]) -> str:
    """Returns the command that trains the same network."""
    words = ["stier", "train", "GAME", "--out", "DIR", "--seed", "SEED"]
    words += ["--algorithm", run["algorithm"]] if run["algorithm"] != "ppo" else []
    words += _options(run["settings"])
    return shlex.join([*words, "--exact"] if run.get("exact") else words)


def _responder_command(run: Mapping[str, Any]) -> str:
    """Returns the command that trains the same responder and measures its gain."""
    file = "DIR/network.safetensors"
    given = {"initial": file, **run["learned_responder"]}
    words = ["stier", "exploit", "GAME", f"network:path={file}", "--responder", "learned", "--seed", "SEED"]
    return shlex.join([*words, *_options({key: value for key, value in given.items() if value != ""})])


def _options(given: Mapping[str, Any]) -> list[str]:
    """Returns the options for arguments of a training."""
    words = []
    for name, value in given.items():
        shown = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        shown = ("off", "on")[value] if isinstance(value, bool) else shown
        own = name == "steps" or name in ARGUMENTS["learned_responder"]
        words += [f"--{name}", shown] if own else ["--set", f"{name}={shown}"]
    return words


def distances(games: Mapping[str, list[Mapping[str, Any]]], results: pd.DataFrame) -> Figure:
    """Draws the NashConv at the end of every seed, one line per run and one panel per game."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FixedLocator, NullLocator

    from stier.plots import COLOURS

    heights = [len(runs) for runs in games.values()]
    size = (9, 1.2 * len(games) + 0.28 * sum(heights))
    figure, panels = plt.subplots(
        len(games), figsize=size, layout="constrained", squeeze=False, height_ratios=heights, sharex=True
    )
    for axes, (game, runs) in zip(panels[:, 0], games.items(), strict=True):
        uniform = _last(results, solver_of(game), UNIFORM)["value"].mean()
        names = []
        for place, run in enumerate(runs):
            last = _last(results, run["name"], DISTANCE)
            shares = 100 * last["value"] / uniform
            axes.scatter(shares, [place] * len(shares), color=COLOURS[0], s=18, alpha=0.7)
            names.append(run["name"].split(", ", 1)[-1])
            if len(shares) > 1:
                axes.scatter(np.exp(np.log(shares).mean()), place, color=COLOURS[1], marker="|", s=160)
        axes.set(xscale="log", yticks=range(len(runs)), yticklabels=names)
        axes.xaxis.set_major_locator(FixedLocator([0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g} %")
        axes.set_title(game, fontsize=9)
        axes.invert_yaxis()
        axes.tick_params(labelbottom=True)
        axes.grid(alpha=0.3, axis="x")
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1, 0].set_xlabel("NashConv in percent of uniform play (points: seeds, lines: geometric means)")
    return figure
