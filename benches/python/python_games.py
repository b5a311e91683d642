"""The speed of games written in Python: writes `PYTHON_GAMES.md` and `python_games.png`.

Each game of `python/examples` plays beside one written in Rust: the same game, and for the trick-taking game one of
about the same size. All figures are of one thread and CPU time, the best of five.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from charts import draw, illustrated
from measure import machine, seconds

import stier
from stier.experiments import markdown_table, page
from stier.solving import GameTree

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE.parent / "python" / "examples"))

#: The Python game and the one in Rust.
PAIRS = [
    ("kuhn:Kuhn", "kuhn_poker"),
    ("leduc:Leduc", "leduc_poker"),
    ("trumps:Trumps", "schwinget:suits=2,values=2,hand_size=2,counter=off,set_aside=1"),
]
ROUNDS, GAMES, STEPS, ITERATIONS = 5, 64, 200, 2000
#: The shortest time in which iterations of CFR+ are counted, in seconds.
SHORTEST = 0.2


class Row(NamedTuple):
    """The figures of a game: decisions, iterations and new histories per second, milliseconds per iteration of CFR+."""

    text: str
    decisions: float
    iterations: float
    histories: float
    milliseconds: float


def fresh(text: str) -> stier.Game:
    """Loads a game that remembers nothing."""
    stier.games.forget()
    return stier.load_game(text)


def steps(game: stier.Game) -> float:
    """Returns random decisions per second in environments side by side."""
    envs = stier.VectorEnv(game, GAMES, seed=0, threads=1, observation="uint8")
    envs.reset()

    def play() -> None:
        for _ in range(STEPS):
            envs.step(envs.sample_actions())

    return GAMES * STEPS / seconds(play, ROUNDS)


def search(game: stier.Game) -> float:
    """Returns iterations of ISMCTS per second, at first decisions."""
    agent = stier.load_agent("ismcts", game, iterations=ITERATIONS)
    states = [game.new_initial_state(seed=seed) for seed in range(5)]
    return ITERATIONS * len(states) / seconds(lambda: [agent.step(state) for state in states], ROUNDS)


def first(text: str) -> float:
    """Returns positions per second that were not seen before, in a tree that is grown."""
    trees: list[GameTree] = []
    fastest = float("inf")
    for _ in range(ROUNDS):
        game = fresh(text)
        fastest = min(fastest, seconds(lambda game=game: trees.append(GameTree(game, threads=1))))
    return trees[-1].histories / fastest


def solve(game: stier.Game) -> float:
    """Returns milliseconds of CFR+ per iteration."""

    def run(iterations: int) -> float:
        return seconds(lambda: stier.solve(game, iterations=iterations, threads=1), ROUNDS)

    once, iterations = run(1), 128
    while (longer := run(1 + iterations) - once) < SHORTEST:
        iterations *= 2
    return 1000 * longer / iterations


def python_games(rows: list[Row], where: list[str]) -> str:
    """Returns the page."""

    def factors(column: str) -> str:
        """Returns how many times as long Python takes, from the least to the most over the pairs."""
        pairs = zip(rows[::2], rows[1::2], strict=True)
        shares = [getattr(rust, column) / getattr(python, column) for python, rust in pairs]
        return f"{min(shares):.1f} to {max(shares):.1f}"

    lines = []
    for text, decisions, iterations, histories, milliseconds in rows:
        cells = (f"{decisions:,.0f}", f"{iterations:,.0f}", f"{histories:,.0f}", f"{milliseconds:.3g}")
        lines.append([f"`{text}`", *cells])
    names = ["game", "decisions/s", "ISMCTS iterations/s", "new histories/s", "ms per CFR+ iteration"]
    table = markdown_table(names, lines)
    text = page(
        "How fast are games written in Python?",
        f"A decision takes {factors('decisions')} times as long as in a game written in Rust, an iteration of ISMCTS "
        f"{factors('iterations')} times, and a position that was not seen before {factors('histories')} times. "
        "Python is asked once about each position, so what counts is how many positions are new. "
        "Solvers do not ask the game.",
        sure=[
            "The games of `python/examples` with games written in Rust: the same game, and for "
            "the trick-taking game one of about the same size. One thread, CPU time, the best of five.",
            "The game: in a large one nearly all positions are new (*new "
            "histories* in the table), in a small one that is played often only few.",
            "Games with many more positions than memory holds.",
        ],
        command="python benches/python/python_games.py",
        details={"All games": table, "Where and when": "\n".join(where)},
    )
    return illustrated("python_games", text)


def main() -> None:
    """Measures and writes the page."""
    rows = []
    for pair in PAIRS:
        for text in pair:
            game = fresh(text)
            rows.append(Row(text, steps(game), search(game), first(text), solve(game)))
    text = python_games(rows, machine())
    (HERE / "PYTHON_GAMES.md").write_text(text, "utf-8")
    draw("python_games", text)


if __name__ == "__main__":
    main()
