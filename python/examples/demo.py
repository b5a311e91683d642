"""The demonstration: three agents at Schwinget, and the times at which the search attacks.

Plays a cross-table of random, greedy and ISMCTS under both scorings, prints it with 95 % intervals, and counts after
how many tricks the ISMCTS player attacks. Everything goes through the public interface of ``stier``.

Only the picture needs matplotlib: ``play`` and ``draw`` do one half each.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import stier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEARCHER = "ismcts:iterations=1000"
AGENTS = ["random", "greedy", SEARCHER]
GAME = "schwinget"
SCORINGS = ["points", "schwinger"]
#: Tricks that can be finished before an attack: after the sixth the pile is empty.
TRICKS = range(6)


@dataclass
class Attacks:
    """The attacks of a player, by the number of finished tricks."""

    #: Bouts played.
    bouts: int
    #: ``on_lead[k]``: bouts in which the player led after k tricks and could still attack.
    on_lead: np.ndarray
    #: ``attacked[k]``: bouts in which it did.
    attacked: np.ndarray

    def share(self) -> tuple[np.ndarray, np.ndarray]:
        """Of all bouts, the share with an attack after k tricks, and the half width of its 95 % interval.

        The interval is the one of A. Agresti and B. A. Coull (1998): never attacked is not known to be never.
        """
        share, near = self.attacked / self.bouts, (self.attacked + 2) / (self.bouts + 4)
        return share, abs(near - share) + 1.96 * np.sqrt(near * (1 - near) / (self.bouts + 4))


def count_attacks(games: Iterable[stier.playing.Played], player: int, num_cards: int) -> Attacks:
    """Counts the attacks of one player, named by its index, over finished bouts."""
    bouts, on_lead, attacked = 0, np.zeros(len(TRICKS), int), np.zeros(len(TRICKS), int)
    for game in games:
        if player not in game.agents:
            continue
        bouts += 1
        seat = game.agents.index(player)
        plays = 0
        for actor, action in game.state().history():
            if actor < 0:
                continue
            if action == num_cards:  # the attack: nobody may attack after it
                if actor == seat:
                    on_lead[plays // 2] += 1
                    attacked[plays // 2] += 1
                break
            if action < num_cards:
                if plays % 2 == 0 and plays // 2 in TRICKS and actor == seat:
                    on_lead[plays // 2] += 1
                plays += 1
    return Attacks(bouts, on_lead, attacked)


def print_attacks(attacks: Attacks) -> None:
    """The attacks as a table."""
    share, interval = attacks.share()
    print(f"attacks of {SEARCHER} in {attacks.bouts} bouts:")
    print("tricks finished   of all bouts         of those on lead")
    for k in TRICKS:
        rate = attacks.attacked[k] / max(attacks.on_lead[k], 1)
        of_all = f"{100 * share[k]:5.1f} ± {100 * interval[k]:.1f} %"
        print(f"{k:>15}   {of_all}   {100 * rate:14.1f} % of {attacks.on_lead[k]}")
    total = attacks.attacked.sum() / attacks.bouts
    print(f"{'in all':>15}   {100 * total:5.1f} %\n")


def draw(axes: Axes, scoring: str, attacks: Attacks) -> None:
    """Bars: the share of bouts in which the player attacks, by finished tricks."""
    share, interval = attacks.share()
    axes.bar(TRICKS, 100 * share, yerr=100 * interval, capsize=3, color="#c62828", width=0.7)
    axes.set_title(f"scoring = {scoring}: most often after {attacks.attacked.argmax()} tricks", fontsize=11)
    axes.set_xlabel("tricks finished when it attacks")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def games_by_players(name: str) -> list[stier.Game]:
    """A game with each number of players that it can be played with."""
    for option in stier.catalogue.describe_game(name):
        if option.name == "players":
            return [stier.load_game(name, players=count) for count in range(option.minimum, option.maximum + 1)]
    return [stier.load_game(name)]


def print_other_games(deals: int, seed: int) -> None:
    """The search against random players in all other seats, for every other game and number of players."""
    print(f"{SEARCHER} with random players in all other seats, {deals} paired deals per game ({4 * deals} in poker):")
    print(f"{'game':<16} players   {'mean return':>15}   {'wins, 95 % interval':<22} share")
    for name in stier.registered_names():
        for game in games_by_players(name) if name != GAME else []:
            players, count = game.num_players(), 4 * deals if "poker" in name else deals
            result = stier.pit(game, [SEARCHER] + ["random"] * (players - 1), deals=count, seed=seed, progress=True)
            mean = f"{result.mean[0]:+.3f} ± {result.ci95[0]:.3f}"
            wins, low, high = (100 * float(ends[0]) for ends in (result.wins, result.wins_low, result.wins_high))
            line = f"{name:<16} {players:>7}   {mean:>15}   {wins:5.1f} % ({low:.1f} to {high:.1f})"
            print(f"{line:<68} {100 / players:.1f} %")


def play(deals: int, seed: int, counts: Path) -> None:
    """Plays everything, prints the tables, and writes the counts of the attacks for `draw_picture`."""
    found: dict[str, Attacks] = {}
    for scoring in SCORINGS:
        game = stier.load_game(GAME, scoring=scoring)
        result = stier.pit(game, AGENTS, deals=deals, seed=seed, progress=True)
        print(result, flush=True)
        found[scoring] = count_attacks(result.games, AGENTS.index(SEARCHER), game.max_chance_outcomes())
        print_attacks(found[scoring])
    counts.write_text(
        json.dumps({s: [a.bouts, a.on_lead.tolist(), a.attacked.tolist()] for s, a in found.items()}), encoding="utf-8"
    )
    print_other_games(max(deals // 10, 2), seed)


def draw_picture(counts: Path, picture: Path) -> None:
    """Draws the counts that `play` wrote."""
    import matplotlib

    matplotlib.use("Agg")

    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(SCORINGS), figsize=(9, 3.6), sharey=True, layout="constrained")
    found = json.loads(counts.read_text(encoding="utf-8"))
    for scoring, axes in zip(SCORINGS, panels, strict=True):
        bouts, on_lead, attacked = found[scoring]
        draw(axes, scoring, Attacks(bouts, np.array(on_lead), np.array(attacked)))
    panels[0].set_ylabel("% of bouts (95 % interval)")
    totals = " and ".join(f"{100 * sum(attacked) / bouts:.0f} %" for bouts, _, attacked in found.values())
    figure.suptitle(f"Against random and greedy, {SEARCHER} attacks in {totals} of bouts", fontsize=12)
    temporary = picture.with_suffix(".new.png")
    figure.savefig(temporary, dpi=150)
    temporary.replace(picture)
    print(f"picture: {picture}")


def main() -> None:
    """Plays, prints, draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["play", "draw"], help="one half of the work (default: both)")
    parser.add_argument(
        "--deals",
        type=int,
        default=250,
        help="paired deals for each pair of agents; a tenth in the other games, in poker four tenths (default: 250)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of deals and agents (default: 0)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture (default: out)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    counts = arguments.out / "attack_timing.json"
    if arguments.deals < 1:
        parser.error("--deals must be at least 1")
    if arguments.step == "draw" and not counts.is_file():
        parser.error(f"{counts} is not there: play first")
    if arguments.step != "draw":
        play(arguments.deals, arguments.seed, counts)
    if arguments.step != "play":
        draw_picture(counts, arguments.out / "attack_timing.png")


if __name__ == "__main__":
    main()
