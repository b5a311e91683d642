"""Games of OpenSpiel, solved by OpenSpiel, LiteEFG and this package: writes `SOLVING.md` and `solving.png`.

Run it with the extra `open_spiel`, and with LiteEFG (``pip install LiteEFG``), whose columns are otherwise left out.
All figures are of one thread and CPU time. Each comes from a process of its own. It takes about half an hour.
``python solving.py algorithms`` makes the table of algorithms again, and leaves the rest of the page as it is;
``python solving.py public`` that of public states.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyspiel
from charts import draw, illustrated
from measure import machine, seconds

import stier
from stier.experiments import markdown_table, page
from stier.games._open_spiel import turn_based
from stier.open_spiel import tabular
from stier.solving import GameTree

HERE = Path(__file__).resolve().parents[1]

#: The games by name. Where all choose at once, they choose in turn, without seeing the others' choices.
GAMES = {
    "Kuhn": "kuhn_poker",
    "Leduc": "leduc_poker",
    "Liar's Dice": "liars_dice",
    "Goofspiel 4": "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "Goofspiel 5": "goofspiel(imp_info=True,num_cards=5,points_order=descending)",
    "Battleship 2x2": "battleship(board_height=2,board_width=2,num_shots=3,ship_sizes=[2],ship_values=[1])",
}
#: The NashConv to reach, the longest time for that, and the shortest time in which iterations are counted.
TARGET, LONGEST, SHORTEST = 1e-3, 200.0, 1.0
ROUNDS = 3
#: The reason for which one game takes so long.
TIES = """\
Battleship needs many iterations because of ties: its boards are symmetric, and as long as equal actions have equal
regrets to the last bit, CFR+ soon plays an equilibrium. LiteEFG keeps these ties, whereas here and in OpenSpiel
rounding breaks them."""

#: The games in which algorithms are compared, the algorithms, the numbers of iterations, and the shares of uniform
#: play's NashConv to reach.
COMPARED = {
    "Leduc": "leduc_poker",
    "Liar's Dice": "liars_dice",
    "Goofspiel 4": "goofspiel:cards=4",
    "Goofspiel 5": "goofspiel:cards=5",
    "Schwinget 2x4": "schwinget:suits=2,values=4,hand_size=2,set_aside=3,referee=off",
    "Schwinget 2x4, schwinger": "schwinget:suits=2,values=4,hand_size=2,set_aside=3,referee=off,scoring=schwinger",
    "Schwinget 2x5": "schwinget:suits=2,values=5,hand_size=2,set_aside=3,referee=off",
    "Schwinget 2x5, schwinger": "schwinget:suits=2,values=5,hand_size=2,set_aside=3,referee=off,scoring=schwinger",
}
ALGORITHMS = ["cfr", "linear_cfr", "cfr+", "discounted_cfr", "predictive_cfr+", "scheduled_cfr"]
RUNS, SHARES = (100, 300, 1000), (1e-3, 1e-4)
#: The games that this package has, too, on public states.
OWN = {"Kuhn": "kuhn_poker"} | {name: game for name, game in COMPARED.items() if name in GAMES}
#: The headings of tables that can be made again.
COMPARISON, PUBLIC = "Algorithms", "Iterating on public states"

#: The measurements of a game by package, in seconds.
Figures = dict[str, dict[str, float]]


def spiel_game(name: str) -> Any:
    """Loads a game in OpenSpiel, turn-based."""
    return turn_based(pyspiel.load_game(GAMES[name]))


class Solver(Protocol):
    """CFR+ in one of the packages, made with a game."""

    def iterate(self) -> object: ...

    def nash_conv(self) -> float: ...


class Reader:
    """A uniform policy that notes for which information states it is asked."""

    def __init__(self) -> None:
        self.information_states: list[str] = []

    def action_probabilities(self, state: Any) -> dict[int, float]:
        self.information_states.append(state.information_state_string())
        return {action: 1 / len(state.legal_actions()) for action in state.legal_actions()}


class OpenSpiel:
    """The solver of OpenSpiel in C++. Its own NashConv takes as long as thirty iterations, so it is computed here."""

    def __init__(self, game: Any) -> None:
        self._game, self._tree = game, None
        self._solver = pyspiel.CFRPlusSolver(game)
        self.iterate = self._solver.evaluate_and_update_policy

    def nash_conv(self) -> float:
        if self._tree is None:
            self._tree, self._reader = GameTree(self._game, threads=1), Reader()
            tabular(self._game, self._reader)
        policy, rows = self._solver.average_policy(), np.zeros(self._tree.legal_action_masks().shape)
        for row, information_state in zip(rows, self._reader.information_states, strict=True):
            for action, share in policy.action_probabilities(information_state).items():
                row[action] = share
        return self._tree.policy(rows).nash_conv


class LiteEfg:
    """LiteEFG, as its own `baselines.utils.train` does it."""

    def __init__(self, game: Any) -> None:
        from LiteEFG import OpenSpielEnv
        from LiteEFG.baselines import CFRplus

        self._graph, self._env = CFRplus.graph(), OpenSpielEnv(game, regenerate=True)
        self._env.set_graph(self._graph)

    def iterate(self) -> None:
        self._graph.update_graph(self._env)
        self._env.update_strategy(self._graph.current_strategy())

    def nash_conv(self) -> float:
        return float(sum(self._env.exploitability(self._graph.current_strategy(), "linear-avg-iterate")))


OTHERS: dict[str, Callable[[Any], Solver]] = {"OpenSpiel": OpenSpiel, "LiteEFG": LiteEfg}


def fastest(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of some calls: more of them if they are short."""
    rounds, once = ROUNDS, seconds(work)
    if once * ROUNDS < SHORTEST / 10:
        rounds = min(100, round(SHORTEST / 10 / once))
    return min(once, seconds(work, rounds))


def often(work: Callable[[], object], once: float) -> float:
    """Return the CPU seconds of a call that takes about so many, on average in the fastest of some rounds of calls."""
    times = max(1, round(SHORTEST / ROUNDS / once))
    return seconds(work, ROUNDS, times) / times


def walk(game: Any) -> None:
    """Visits every history, with what any tabular method needs: information states, actions and returns."""
    stack, information_states = [game.new_initial_state()], set()
    while stack:
        state = stack.pop()
        if state.is_terminal():
            state.returns()
        elif state.is_chance_node():
            stack.extend(state.child(outcome) for outcome, _ in state.chance_outcomes())
        else:
            information_states.add(state.information_state_string())
            stack.extend(state.child(action) for action in state.legal_actions())


def measure_walk(name: str) -> dict[str, float]:
    game = spiel_game(name)
    return {"build": fastest(lambda: walk(game))}


def measure_other(package: str, name: str) -> dict[str, float]:
    """Builds, iterates, and iterates until NashConv is small enough, which is not measured."""
    game, solvers = spiel_game(name), []
    build = fastest(lambda: solvers.append(OTHERS[package](game)))
    solver, done, iterating, shortest, look = solvers[-1], 0, 0.0, float("inf"), 0
    distance = float("inf")
    while distance > TARGET and iterating < LONGEST:
        look += max(look // 10, 10)  # as this package does
        took = seconds(solver.iterate, times=look - done)
        shortest, iterating, done = min(shortest, took / (look - done)), iterating + took, look
        distance = solver.nash_conv()
    found = {"build": build, "iteration": min(shortest, often(solver.iterate, shortest))}
    return found | ({"target": build + iterating, "iterations": done} if distance <= TARGET else {})


def iteration_of(game: stier.Game, build: float, **settings: Any) -> float:
    """Returns the seconds of an iteration of this package, whose runs begin with so many seconds of building."""

    def solve(iterations: int) -> float:
        return seconds(lambda: stier.solve(game, iterations=iterations, threads=1, **settings))

    times = 100
    while (took := solve(times) - build) < max(SHORTEST, 4 * build):
        times = round(times * min(10.0, 1.5 * max(SHORTEST, 4 * build) / max(took, 1e-3)))
    once, whole = (min(solve(count) for _ in range(ROUNDS)) for count in (1, 1 + times))
    return (whole - once) / times


def measure_stier(name: str) -> dict[str, float]:
    """The same for this package. The time to the target has its measurements of NashConv in it."""
    game, found, trees = stier.load_game(f"openspiel:{GAMES[name]}"), [], []
    build = fastest(lambda: trees.append(GameTree(game, threads=1)))
    iteration = iteration_of(game, build)
    target = seconds(
        lambda: found.append(stier.solve(game, iterations=1_000_000, target=TARGET, threads=1)), rounds=ROUNDS
    )
    sizes = {"histories": trees[-1].histories, "sets": trees[-1].information_sets}
    return sizes | {
        "build": build,
        "iteration": iteration,
        "target": target,
        "iterations": found[-1].iterations,
    }


def measure_public(name: str) -> dict[str, float]:
    """Measures an iteration of OpenSpiel and of this package on public states, one after the other."""
    game, solver, found = stier.load_game(OWN[name]), OpenSpiel(spiel_game(name)), []
    build = fastest(lambda: found.append(stier.solve(game, iterations=1, threads=1, ranges=True)))
    theirs, own = often(solver.iterate, fastest(solver.iterate)), iteration_of(game, build, ranges=True)
    return {"sets": found[-1].information_sets, "OpenSpiel": theirs, "Stier": own}


def measure(package: str, name: str) -> dict[str, float]:
    """Measures in a process of its own, whose home is empty, since LiteEFG keeps games there."""
    print(package, name, file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, __file__, package, name]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | {"HOME": home})
    return dict(json.loads(run.stdout.splitlines()[-1]))


def factors(found: dict[str, Figures], slow: str, fast: str, key: str) -> str:
    """Returns how many times as long one package takes as another, from the least to the most over the games."""
    shares = [own[slow][key] / own[fast][key] for own in found.values() if key in own[slow]]
    low, high = (f"{share:.1f}" if share < 10 else f"{share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} to {high}"


def solving(found: dict[str, Figures], packages: list[str], where: list[str]) -> str:
    """Returns the page."""
    solvers = packages[1:]
    faster = " and ".join(
        f"{factors(found, package, 'Stier', 'target')} times as fast as {name}"
        for package, name in {"OpenSpiel": "OpenSpiel's solver in C++", "LiteEFG": "LiteEFG"}.items()
        if package in packages
    )
    names = ["histories", "information sets", "walk", *solvers, "factor"]
    building = markdown_table(
        ["game", *names],
        (
            [
                name,
                f"{figures['Stier']['histories']:,}",
                f"{figures['Stier']['sets']:,}",
                *(f"{figures[package]['build']:.3g}" for package in packages),
                f"{figures['Stier']['build'] / figures['walk']['build']:.1f}",
            ]
            for name, figures in found.items()
        ),
    )
    iterating = markdown_table(
        ["game", *solvers, *(f"times {package}" for package in solvers[:-1])],
        (
            [
                name,
                *(f"{1000 * figures[package]['iteration']:.3g}" for package in solvers),
                *(f"{figures[package]['iteration'] / figures['Stier']['iteration']:.0f}" for package in solvers[:-1]),
            ]
            for name, figures in found.items()
        ),
    )

    def until_target(figures: dict[str, float]) -> str:
        return f"{figures['target']:.3g} ({figures['iterations']:.0f})" if "target" in figures else "-"

    reaching = markdown_table(
        ["game", *solvers],
        ([name, *(until_target(figures[package]) for package in solvers)] for name, figures in found.items()),
    )
    missed = any("target" not in own[package] for own in found.values() for package in solvers)
    text = page(
        "How fast are OpenSpiel's games solved?",
        f"To a NashConv of a thousandth with CFR+, `stier.solve` is {faster}, building included. Building the tree "
        f"out of OpenSpiel takes {factors(found, 'Stier', 'walk', 'build')} times as long as a loop in Python over all "
        "histories of the game.",
        sure=[
            f"{len(found)} games, each package with its own CFR+: one thread, CPU time, the "
            f"best of {ROUNDS}, each in a process of its own. "
            "The times of the others do not include measuring NashConv.",
            "Ties: in Battleship LiteEFG keeps them, and needs far fewer iterations than the others.",
            "Larger games, several threads, and memory.",
        ],
        command="python benches/python/solving.py   # half an hour",
        details={
            "Building": "Seconds to make the solver; here, the tree. *Walk* is a loop in Python over all histories of "
            "the game, with the information states that every tabular method needs. *Factor* is how many times as long "
            f"`stier.solving.GameTree` takes.\n\n{building}",
            "Iterating": "Milliseconds per iteration, and how many times as fast this package is as the others.\n\n"
            + iterating,
            f"Until NashConv is {TARGET:g}": "Seconds, with those of building, and in brackets the number of "
            f"iterations.{f' `-` is more than {LONGEST:.0f} seconds.' * missed}\n\n{reaching}\n{TIES}",
            PUBLIC: on_public_states(),
            COMPARISON: comparison(),
            "Games": "\n".join(f"- {name}: `openspiel:{text}`" for name, text in GAMES.items()),
            "Where and when": "\n".join(where),
        },
    )
    return illustrated("solving", text)


def on_public_states() -> str:
    """Compares the speed on public states with that of OpenSpiel."""
    lines = []
    for name in OWN:
        found = measure("public", name)
        theirs, own = found["OpenSpiel"], found["Stier"]
        cells = [f"{found['sets']:,}", f"{1e3 * theirs:.3g}", f"{1e6 * own:.3g}", f"{theirs / own:,.0f}"]
        lines.append([name, *cells])
    table = markdown_table(["game", "information sets", "OpenSpiel, ms", "Stier, µs", "times OpenSpiel"], lines)
    return (
        "CFR+ of `stier.solve` with `ranges=True`, for the games of this package, and of OpenSpiel, in one process. "
        "In Leduc poker, cards of one rank count once: 288 sets, not 936.\n\n" + table + "\n" + "\n".join(machine())
    )


def compared(game: str, algorithm: str) -> list[str]:
    """Returns the cells of a line: NashConv after each run, and the iterations of the longest until it is small."""
    # A target that is never reached: NashConv is measured more often.
    runs = [stier.solve(game, algorithm, iterations=count, target=1e-300, ranges=True, threads=1) for count in RUNS]
    uniform = stier.solve(game, algorithm, iterations=1, ranges=True).nash_conv
    reached = [runs[-1].history["iterations"][runs[-1].history["nash_conv"] <= share * uniform] for share in SHARES]
    cells = [f"{run.nash_conv / uniform:.1e}" for run in runs] + [f"{min(found, default='-')}" for found in reached]
    print(game, algorithm, *cells, file=sys.stderr, flush=True)
    return cells


def comparison() -> str:
    """Compares algorithms on public states."""
    names = ["game", "algorithm", *(f"{count:,}" for count in RUNS), *(f"until {share:g}" for share in SHARES)]
    lines = (
        [name, f"`{algorithm}`", *compared(game, algorithm)]
        for name, game in COMPARED.items()
        for algorithm in ALGORITHMS
    )
    table = markdown_table(names, lines)
    return (
        "NashConv after so many iterations, and the iterations until it is small, as shares of that of uniform play; "
        f"`-` is more than {RUNS[-1]:,}. All on public states. *Schwinget 2x4* and *2x5* have two suits, hands of two, "
        "three cards set aside and no referee; *schwinger* is `scoring=schwinger`. `scheduled_cfr` is planned for as "
        f"many iterations as the run has, and for {RUNS[-1]:,} in the last columns.\n\n{table}"
    )


def main() -> None:
    """Measures and writes the page."""
    versions = {"OpenSpiel": version("open_spiel"), "Stier": stier.__version__}
    packages = ["walk", "OpenSpiel", "Stier"]
    try:
        versions["LiteEFG"] = version("LiteEFG")
        packages.insert(2, "LiteEFG")
    except PackageNotFoundError:
        pass
    found = {name: {package: measure(package, name) for package in packages} for name in GAMES}
    where = [*machine(), f"- versions: {', '.join(f'{name} {number}' for name, number in versions.items())}"]
    text = solving(found, packages, where)
    (HERE / "SOLVING.md").write_text(text, "utf-8")
    draw("solving", text)


if __name__ == "__main__":
    if sys.argv[1:] in (["algorithms"], ["public"]):
        heading, make = (COMPARISON, comparison) if sys.argv[1] == "algorithms" else (PUBLIC, on_public_states)
        path = HERE / "SOLVING.md"
        before, head, after = path.read_text("utf-8").partition(f"<summary>{heading}</summary>\n\n")
        rest = after[after.index("\n\n</details>") :]
        path.write_text(f"{before}{head}{make().strip()}{rest}", "utf-8")
    elif sys.argv[1:]:
        package, name = sys.argv[1:]
        own = {"walk": measure_walk, "Stier": measure_stier, "public": measure_public}
        measured = own[package](name) if package in own else measure_other(package, name)
        print("\n" + json.dumps(measured))
    else:
        main()
