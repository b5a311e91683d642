"""How much slower a game written in Python is: writes `PYTHON_GAMES.md`.

Each game of `python/examples` plays beside one written in Rust: the same game, and for the trick-taking game one of
about the same size. All figures are of one thread and CPU time, the best of five.
"""

from __future__ import annotations

import sys
from pathlib import Path

from measure import machine, seconds

import stier
from stier.solving import GameTree

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE.parent / "python" / "examples"))

#: The Python game and the one in Rust.
PAIRS = [
    ("kuhn:Kuhn", "kuhn_poker"),
    ("leduc:Leduc", "leduc_poker"),
    ("trumps:Trumps", "schwinget:suits=2,values=3,hand_size=2"),
]
ROUNDS, LANES, STEPS, ITERATIONS, CFR = 5, 64, 200, 2000, 100


def fresh(text: str) -> stier.Game:
    """Loads a game that remembers nothing."""
    stier.games._loaded.clear()
    return stier.load_game(text)


def steps(game: stier.Game) -> float:
    """Returns random decisions per second in environments side by side."""
    envs = stier.VectorEnv(game, LANES, seed=0, threads=1, observation="uint8")
    envs.reset()

    def play() -> None:
        for _ in range(STEPS):
            envs.step(envs.sample_actions())

    return LANES * STEPS / seconds(play, ROUNDS)


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
    once, often = (seconds(lambda n=n: stier.solve(game, iterations=n, threads=1), ROUNDS) for n in (1, 1 + CFR))
    return 1000 * (often - once) / CFR


def main() -> None:
    """Measures and writes the table."""
    rows = []
    for python, rust in PAIRS:
        for text in (python, rust):
            game = fresh(text)
            rows.append((text, steps(game), search(game), first(text), solve(game)))
    lines = [
        "# Games written in Python",
        "",
        "How fast the games of `python/examples` are beside games written in Rust: the same game, and for the",
        "trick-taking game one of about the same size. Python is asked once about each position, so what counts is",
        "how many positions are new: all in a tree that is grown (*new*), few in a small game that is played often.",
        "Solvers do not ask the game.",
        "Made by `python/python_games.py`: one thread, CPU time, the best of five.",
        "",
        "| game | decisions/s | ISMCTS iterations/s | new histories/s | ms per CFR+ iteration |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [f"| `{text}` | {a:,.0f} | {b:,.0f} | {c:,.0f} | {d:.3g} |" for text, a, b, c, d in rows]
    (HERE / "PYTHON_GAMES.md").write_text("\n".join([*lines, "", *machine()]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
