"""One search step at every information set: the exact exploitability of update-equivalent search.

At each decision the search takes one step of magnetic mirror descent from the network's policy (`mirror_step`). Here
its parts are exact: values of actions instead of rollouts, the posterior instead of sampled worlds. With ``--agent``
the policy of an agent that samples is measured in the same way.

Writes `benches/one_step.parquet` and `benches/one_step.png`, and prints the tables of `benches/SEARCH_STEP.md`. Rows
that are in the table already are not computed again (see `rows.completed`). Networks are kept in ``out/one_step``, and
those that are missing are trained.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from responders import DECKS
from rows import Row, completed

import stier
import stier.train
from stier.experiments import save_picture
from stier.solving import GameTree, mirror_step

ROOT = Path(__file__).parents[2]
OUT = Path("out/one_step")
TABLE, PICTURE = ROOT / "benches" / "one_step.parquet", ROOT / "benches" / "one_step.png"

#: The recipe of the networks.
RECIPE = {
    "entropy_decay": 0.4,
    "minibatches": 16,
    "central_critic": True,
    "critic_hidden": (128, 128),
    "action_critic": True,
}
#: The decisions of the longest trainings, which end with a smaller entropy bonus.
LONG = 25_000_000
#: Ends the names of trainings with sorted suits.
SORTED = " sorted"
#: By deck: the decisions that networks learn from, and the seeds.
NETWORKS = {
    "small": {"2000000": range(5), f"2000000{SORTED}": range(5)},
    "large": {"5000000": range(5), f"{LONG}": range(2), f"5000000{SORTED}": range(5)},
}
#: By toy: iterations of CFR+, whose policy is then mixed with a random one in these shares.
TOYS = {"kuhn_poker": 1000, "leduc_poker": 1000}
SHARES = (0.03, 0.1, 0.3)
STEPS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
#: Beliefs and temperatures of the magnet; in the large deck only those without one.
KINDS = {
    ("policy", 0.0): "exact beliefs",
    ("uniform", 0.0): "beliefs by chance alone",
    ("policy", 0.001): "exact beliefs, T = 0.001",
    ("policy", 0.03): "exact beliefs, T = 0.03",
}
#: The names of games in tables, in their order there.
NAMES = {"small": "Small deck", "large": "Large deck", "leduc_poker": "Leduc poker", "kuhn_poker": "Kuhn poker"}
#: The agent of exact steps, and the one that takes the likeliest action of the policy without a step.
EXACT, LIKELIEST = "exact", "likeliest"
#: The columns that identify a row: a game, the training or noise and seed of the policy before the step, and the step.
KEY = ("game", "start", "seed", "agent", "beliefs", "step", "temperature", "rollouts", "queries")
FIGURES = ("nash_conv", "of_uniform", "gain", "cpu_seconds")

Policy = npt.NDArray[np.floating[Any]]


@dataclass
class Start:
    """A policy from which steps are taken."""

    policy: Policy
    #: A typical return, by which values are divided.
    scale: float
    #: The file of the network.
    file: Path | None = None
    #: Exact values of actions, by beliefs.
    values: dict[str, Policy] = field(default_factory=dict)


class Measured:
    """A game in memory, in which policies are measured."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.game = DECKS[name][0] if name in DECKS else name
        self.exact = stier.train.Exact(GameTree(self.game, threads=1))
        legal = self.exact.tree.legal_action_masks()
        self.legal, self.uniform = legal, legal / legal.sum(axis=1, keepdims=True)
        self.uniform_nash_conv = self.exact.tree.policy(self.uniform).nash_conv

    def start(self, start: str, seed: int) -> Start:
        """A policy to start from: that of a network, or a noisy one."""
        return self._noisy(float(start), seed) if self.name in TOYS else self._network(start, seed)

    def _network(self, start: str, seed: int) -> Start:
        steps = decisions(start)
        folder = OUT / self.name / start.replace(SORTED, "-sorted") / str(seed)
        last = 0.001 if steps == LONG else 0.004
        trained = stier.train.learn(
            self.game,
            folder=folder,
            seed=seed,
            steps=steps,
            final_entropy_coefficient=last,
            against=(),
            evaluations=1,
            symmetry=start.endswith(SORTED),
            **RECIPE,
        )
        network = trained.network
        policy = self.exact.probabilities(network)
        return Start(policy, network.value_scale, folder / "network.safetensors")

    def _noisy(self, share: float, seed: int) -> Start:
        tree = self.exact.tree
        solved = tree.policy_of(stier.solve(self.game, iterations=TOYS[self.name])).probabilities()
        noise = np.random.default_rng(seed).exponential(size=solved.shape) * self.legal
        policy = (1 - share) * solved + share * noise / noise.sum(axis=1, keepdims=True)
        return Start(policy, 1.0)

    def row(self, start: Start, key: Row) -> Row:
        """The row of a step from a policy: an exact one, or that of an agent which samples."""
        before = time.process_time()
        if key["agent"] == LIKELIEST:
            policy: Policy = np.eye(start.policy.shape[1])[start.policy.argmax(axis=1)]
        else:
            policy = self._stepped(start, key) if key["agent"] == EXACT else self._asked(start, key)
        seconds = time.process_time() - before
        found = self.exact.tree.policy(policy).nash_conv
        figures = (found, found / self.uniform_nash_conv, self.exact.gain(start.policy, policy))
        return key | dict(zip(FIGURES, [*(f"{figure:.8f}" for figure in figures), f"{seconds:.2f}"], strict=True))

    def _stepped(self, start: Start, key: Row) -> Policy:
        beliefs = key["beliefs"]
        if beliefs not in start.values:
            values = self.exact.tree.action_values(start.policy, beliefs=beliefs)  # type: ignore[arg-type]
            start.values[beliefs] = values / start.scale
        size, temperature = float(key["step"]), float(key["temperature"])
        return mirror_step(start.policy, start.values[beliefs], step=size, magnet=temperature)

    def _asked(self, start: Start, key: Row) -> Policy:
        """The policy on average over the agent's random numbers: what plays in a match."""
        agent = key["agent"].format(network=start.file, step=key["step"], rollouts=key["rollouts"])
        return self.exact.tree.policy_of(agent, seeds=int(key["queries"])).probabilities()


measured_in = lru_cache(maxsize=1)(Measured)


@lru_cache(maxsize=1)
def start_of(game: str, start: str, seed: str) -> Start:
    """The policy of a row before the step."""
    return measured_in(game).start(start, int(seed))


def measured(*key: str) -> Row:
    """The row of a key."""
    game, start, seed = key[:3]
    return measured_in(game).row(start_of(game, start, seed), dict(zip(KEY, key, strict=True)))


def decisions(start: str) -> int:
    """The decisions that a network has learned from."""
    return int(start.removesuffix(SORTED))


def title_of(start: str) -> str:
    """The policy before a step, in words: the training of a network, or the noise."""
    if float(start.removesuffix(SORTED)) < 1:
        return f"{100 * float(start):g} % noise"
    return f"{decisions(start) / 1e6:g} M decisions{', suits sorted' if start.endswith(SORTED) else ''}"


def settings_of(game: str, options: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """The last entries of the wanted keys: agent, beliefs, step, temperature, rollouts, queries."""
    if options.agent is not None:
        for step, rollouts in itertools.product(options.steps, options.rollouts):
            yield options.agent, "", step, "", rollouts, str(options.queries)
        return
    yield EXACT, "policy", "0", "0", "", ""
    yield LIKELIEST, "", "", "", "", ""
    kinds = [kind for kind in KINDS if game != "large" or kind[1] == 0]
    for (beliefs, temperature), step in itertools.product(kinds, STEPS):
        yield EXACT, beliefs, f"{step:g}", f"{temperature:g}", "", ""


def mean(rows: Sequence[Row], column: str) -> float:
    """The mean of a column over the seeds."""
    return float(np.mean([float(row[column]) for row in rows]))


def chosen(rows: Sequence[Row], **key: str) -> list[Row]:
    """The rows with these entries, ascending by seed."""
    found = [row for row in rows if all(row[name] == value for name, value in key.items())]
    return sorted(found, key=lambda row: int(row["seed"]))


def curves(rows: Sequence[Row], game: str, start: str, agent: str = EXACT) -> Iterator[tuple[str, list[list[Row]]]]:
    """By beliefs and temperature, or rollouts: the rows of each step, the seeds together."""
    here = [row for row in chosen(rows, game=game, start=start, agent=agent) if row["step"] != "0"]
    found = dict.fromkeys((row["beliefs"], row["temperature"], row["rollouts"]) for row in here)
    if agent == EXACT:
        found = dict.fromkeys(kind for kind in ((one, f"{t:g}", "") for one, t in KINDS) if kind in found)
    for beliefs, temperature, rollouts in found:
        kind = chosen(here, beliefs=beliefs, temperature=temperature, rollouts=rollouts)
        name = f"{rollouts} rollouts" if agent != EXACT else KINDS[beliefs, float(temperature)]
        yield name, [chosen(kind, step=step) for step in sorted({row["step"] for row in kind}, key=float)]


def tables(rows: Sequence[Row]) -> str:
    """All curves as text: NashConv in % of uniform play's, and the gain against the policy before the step."""
    lines: list[str] = []
    places = dict.fromkeys((row["game"], row["start"], row["agent"]) for row in rows if row["agent"] != LIKELIEST)
    for game, start, agent in sorted(places, key=lambda place: list(NAMES).index(place[0])):
        before = chosen(rows, game=game, start=start, agent=EXACT, step="0")
        likeliest = chosen(rows, game=game, start=start, agent=LIKELIEST)
        seeds = ", ".join(f"{100 * float(row['of_uniform']):.2f}" for row in before)
        title = f"**{NAMES[game]}, {title_of(start)}**" + ("" if agent == EXACT else f", `{agent}`")
        lines += ["", f"{title}: {percent(before)} before the step (seeds: {seeds})."]
        if likeliest and agent == EXACT:
            won = f"{nearer(likeliest, before)}, gain {mean(likeliest, 'gain'):+.4f}"
            lines.append(
                f"The likeliest actions of these policies, without a step: {percent(likeliest)}, nearer in {won}."
            )
        found = {name: {step[0]["step"]: step for step in steps} for name, steps in curves(rows, game, start, agent)}
        head = sorted({step for steps in found.values() for step in steps}, key=float)
        if found:
            lines += ["", f"| step | {' | '.join(head)} |", f"| --- |{' ---: |' * len(head)}"]
        for name, steps in found.items():
            for title, cell in [
                (f"{name}: NashConv", percent),
                ("seeds nearer", partial(nearer, before=before)),
                ("gain", lambda step: f"{mean(step, 'gain'):+.4f}"),
            ]:
                lines.append(f"| {title} | {' | '.join(cell(steps[one]) if one in steps else '' for one in head)} |")
    return "\n".join(lines) + "\n\n" + transfers(rows)


def percent(rows: Sequence[Row]) -> str:
    """The mean NashConv in % of uniform play's."""
    return f"{100 * mean(rows, 'of_uniform'):.2f} %"


def nearer(after: Sequence[Row], before: Sequence[Row]) -> str:
    """The number of seeds with a lower NashConv than before, of all."""
    old = {row["seed"]: float(row["nash_conv"]) for row in before}
    return f"{sum(float(row['nash_conv']) < old[row['seed']] for row in after)} of {len(after)}"


def transfers(rows: Sequence[Row]) -> str:
    """The step with the lowest NashConv on one deck, and what it does on the other."""
    lines = [
        "| chosen on | step | tested on | before | after | nearer | gain |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    starts = [(game, start) for game, own in NETWORKS.items() for start in own]
    for (game, start), (other, tested) in itertools.permutations(starts, 2):
        steps = dict(curves(rows, game, start)).get("exact beliefs")
        found = dict(curves(rows, other, tested)).get("exact beliefs")
        if game == other or not steps or not found:
            continue
        step = min(steps, key=lambda step: mean(step, "nash_conv"))[0]["step"]
        after = next(rows for rows in found if rows[0]["step"] == step)
        before = chosen(rows, game=other, start=tested, agent=EXACT, step="0")
        shares, count = f"{percent(before)} | {percent(after)}", nearer(after, before)
        lines.append(
            f"| {game}, {title_of(start)} | {step} | {other}, {title_of(tested)} | {shares} | {count} "
            f"| {mean(after, 'gain'):+.4f} |"
        )
    return "\n".join(lines)


def picture(rows: Sequence[Row]) -> None:
    """Draws how a step with exact beliefs changes NashConv: the decks on the left, the poker games on the right.

    Lines are means over the seeds, bands reach from the lowest to the highest seed.
    """
    import matplotlib.pyplot as plt

    from stier.plots import COLOURS

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    starts = {game: list(own) for game, own in NETWORKS.items()} | {game: [str(one) for one in SHARES] for game in TOYS}
    looks = {"small": (COLOURS[0], "-"), "large": (COLOURS[0], "--"), "kuhn_poker": (COLOURS[1], "-")}
    helps: dict[str, float] = {}
    ends: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
    for game, own in starts.items():
        colour, style = looks.get(game, (COLOURS[1], "--"))
        ax = axes[int(game in TOYS)]
        for number, start in enumerate(own):
            steps = dict(curves(rows, game, start))["exact beliefs"]
            x = [float(step[0]["step"]) for step in steps]
            old = {row["seed"]: float(row["nash_conv"]) for row in chosen(rows, game=game, start=start, step="0")}
            after = np.array([[float(row["nash_conv"]) / old[row["seed"]] for row in step] for step in steps])
            ax.plot(x, after.mean(axis=1), style, color=colour, label=NAMES[game] if number == 0 else None)
            ax.fill_between(x, after.min(axis=1), after.max(axis=1), color=colour, alpha=0.07, lw=0)
            ends[game in TOYS].append((after[-1].mean(), title_of(start).replace(" decisions, ", ", ")))
            worse = [step for step, one in zip(x, after.mean(axis=1), strict=True) if one >= 1]
            best = max(step for step in x if step < min(worse, default=np.inf))
            helps[game] = min(best, helps.get(game, np.inf))
    for ax, names in zip(axes, ends, strict=True):
        ax.axhline(1, color="gray", lw=0.8)
        ax.set(xscale="log", yscale="log", xlabel="step", ylabel="NashConv after the step / before it")
        ax.legend(frameon=False, loc="upper left")
        ax.spines[["top", "right"]].set_visible(False)
        ax.minorticks_off()
        # The names of lines that end close to each other are moved apart.
        low, high = np.log(ax.get_ylim())
        place = -np.inf
        for end, name in sorted(names):
            place = max(np.log(end), place + 0.045 * (high - low))
            ax.text(1300, np.exp(place), name, fontsize=8, va="center")
    axes[0].set_yticks((0.5, 0.7, 1, 1.4), ("0.5", "0.7", "1", "1.4"))
    axes[1].set_yticks((1, 3, 10, 30), ("1", "3", "10", "30"))
    decks = min(helps[game] for game in NETWORKS)
    poker = " and ".join(f"{helps[game]:g} in {NAMES[game]}" for game in TOYS)
    figure.suptitle(f"Steps of up to {decks:g} come nearer to equilibrium in the decks, of up to {poker}")
    save_picture(figure, PICTURE)


def listed(text: str) -> list[str]:
    """Parses a list with commas."""
    return text.split(",") if text else []


def main() -> None:
    """Measures what is missing in the table, and prints it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=listed, default=[*TOYS, *NETWORKS], help="'' only prints and draws the table")
    parser.add_argument("--starts", type=listed, help="networks of so many decisions, with commas (default all)")
    parser.add_argument("--agent", help="an agent with {network}, {step} and {rollouts} instead of exact steps")
    parser.add_argument("--steps", type=listed, default=["0.1"], help="with --agent: values of {step} (default 0.1)")
    parser.add_argument("--rollouts", type=listed, default=["200"], help="with --agent: of {rollouts} (default 200)")
    parser.add_argument("--queries", type=int, default=8, help="with --agent: seeds to average over (default 8)")
    options = parser.parse_args()
    os.nice(10)
    wanted = [
        (game, start, str(seed), *setting)
        for game in options.games
        for start, seeds in (NETWORKS.get(game) or dict.fromkeys(map(str, SHARES), range(5))).items()
        if not options.starts or start in options.starts
        for seed in seeds
        for setting in settings_of(game, options)
    ]
    rows = completed(TABLE, KEY, wanted, measured)
    print(tables(rows))
    picture(rows)


if __name__ == "__main__":
    main()
