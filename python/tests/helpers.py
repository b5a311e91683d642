"""Parts that several test files share."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import stier

#: The games of the package.
OWN_GAMES = stier.registered_names()
#: The folder of the games written in Python, which are games like all others.
EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))
#: The games of the examples, by the place of their classes.
PYTHON_GAMES = ["kuhn:Kuhn", "leduc:Leduc", "trumps:Trumps"]
for _place in PYTHON_GAMES:
    stier.load_game(_place)

#: Options of every game that are not the default, beside the default game itself.
VARIANTS: dict[str, list[dict[str, object]]] = {
    "schweins_galopp": [
        {"players": 2, "placement": "choice", "track_food": True, "utility": "score"},
        {"players": 3, "food": 3, "rounds": 1, "utility": "win"},
    ],
    "up_and_down": [
        {"players": 2, "rounds": 2, "utility": "score"},
        {"players": 3, "die_faces": 3, "hand_size": 4, "tie_break_rounds": 1, "utility": "win"},
    ],
    "schwimmen": [
        {"players": 2, "play": "match", "max_deals": 3, "utility": "win"},
        {"players": 5, "ranks": 6, "dealer_swap": "open", "three_of_a_kind": True, "max_turns": 12},
    ],
    "schwinget": [
        {"scoring": "schwinger", "bouts": 2, "utility": "score"},
        {"suits": 2, "values": 4, "counter": False, "hand_size": 2, "set_aside": 1, "specials": "anytime"},
    ],
}


def all_games() -> list[stier.Game]:
    names = stier.registered_names()
    return [stier.load_game(name, **rules) for name in names for rules in [{}, *VARIANTS.get(name, [])]]


def kept(folder: Path) -> dict[str, bytes]:
    """The parts that an experiment has kept, by key."""
    path = folder / "experiment.sqlite"
    if not path.exists() or not path.stat().st_size:
        return {}
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        found = dict(connection.execute("SELECT key, content FROM kept").fetchall())
    return {key: content for key, content in found.items() if key not in ("experiment", "holder")}


def forget(store: Any, *numbers: int) -> None:
    """Removes parts, as if they had never been played."""
    keys = [(store.experiment.task(number).key,) for number in numbers]
    with closing(sqlite3.connect(store.folder / "experiment.sqlite")) as connection, connection:
        connection.executemany("DELETE FROM kept WHERE key = ?", keys)


def has_chance(game: stier.Game) -> bool:
    """Tells whether the game has chance nodes: dark_hex and goofspiel have none, so a seed changes nothing in them."""
    return game.max_chance_nodes_in_history() > 0


def random_walk(state: stier.State, seed: int) -> Iterator[stier.State]:
    """Plays at random to the end, chance included; yields the state itself before every event and at the end."""
    rng = random.Random(seed)
    while not state.is_terminal():
        yield state
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


def decisions(game: stier.Game, seed: int) -> Iterator[stier.State]:
    """Copies of the states of one random game in which a player is to move."""
    for state in random_walk(game.new_initial_state(seed=seed), seed):
        if not state.is_terminal():
            yield state.clone()


def illegal_action(mask: Any) -> int:
    """Returns the first action that a mask of legal actions forbids.

    If the mask allows every action, as at the start of Dark Hex and always in Kuhn poker, this is the first number that
    is not an action.
    """
    forbidden = np.flatnonzero(np.asarray(mask) == 0)
    return int(forbidden[0]) if forbidden.size else len(mask)


def hides_attempts(game: stier.Game) -> bool:
    """Tells whether a player can act without the others noticing.

    In Dark Hex, a stone on a cell that the opponent occupies is refused and its player tries again; the opponent does
    not learn of it. So the histories of one information set differ in length.
    """
    return game.short_name() == "dark_hex"


def player_actions(state: stier.State) -> list[int]:
    return [action for player, action in state.history() if player != stier.CHANCE]


def fast_agent(game: stier.Game) -> str:
    """`greedy`, or a random agent in games that it refuses."""
    return "greedy" if "greedy" in stier.registered_agents(game) else "random:seed=9"


class DiscountedCFR:
    """Brown and Sandholm 2019, with alpha 3/2, beta 0 and gamma 2."""

    def __init__(self, rows: stier.solving.Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: stier.solving.Step) -> tuple[npt.NDArray[Any], float]:
        power = step.iteration**1.5
        self.regrets += step.regrets
        self.regrets *= np.where(self.regrets > 0, power / (power + 1), 0.5)
        return self.rows.normalize(np.maximum(self.regrets, 0)), step.iteration**2


#: Settings of PPO with which an update takes milliseconds.
TINY = {"hidden": (16,), "num_envs": 32, "horizon": 8, "minibatches": 4}


def small_deck() -> stier.Game:
    """A deck of Schwinget that is solved and learned in seconds."""
    return stier.load_game("schwinget", suits=2, values=3, referee=False, hand_size=2, set_aside=1)


#: The environment of a process that compiles networks as a user's does: conftest.py chooses fast compilation.
COMPILING_AS_USERS = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "0", "XLA_FLAGS": ""}


def above_the_folds(page: str) -> str:
    """The text that a reader sees without opening a fold."""
    folds = r"^(:::+)\{dropdown\}.*?^\1$|^<details>.*?^</details>$"
    return re.sub(folds, "", page, flags=re.DOTALL | re.MULTILINE)


def assert_form(page: str, pictures: int | None = None) -> None:
    """Asserts that a page has the form of a page that answers a question, with so many pictures above its folds."""
    text = above_the_folds(page)
    title, answer = text.split("\n\n")[:2]
    assert re.fullmatch(r"# .*\?", title)
    assert answer.startswith("**")
    assert len(re.findall(r"\.(?:\*\*)?(?=\s|$)", answer)) <= 3
    assert len(re.findall("±", text)) <= 3
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^\|.*", prose, re.MULTILINE) == []
    assert re.findall(r"\b\d[\d,]*\.\d{3,}|\b\d+(?:\.\d+)?e[-+]\d+", prose) == []
    if pictures is not None:
        assert len(re.findall(r"^!\[.+\]\(", text, re.MULTILINE)) == pictures
    sure, _, repeat = text.partition("## How sure?\n")[2].partition("## Repeat it\n")
    assert re.findall(r"^- \*\*(.*?)\.\*\*", sure, re.MULTILINE) == [
        "What was compared",
        "What could change the answer",
        "What is not known",
    ]
    assert repeat.strip()


def sentence(game: Any, **arguments: Any) -> str:
    """The first fault of a game."""
    with pytest.raises(stier.GameError) as caught:
        stier.check_game(game, **arguments)
    return str(caught.value)


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "stier", *arguments], input=stdin, capture_output=True, text=True, check=False
    )
