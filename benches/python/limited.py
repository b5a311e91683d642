"""Endings that are solved in part: up to a depth, and for the hands that are possible by what one player knows.

Only the tools of `stier.public` are used, on decks where NashConv is exact. Rows that are in `benches/limited.csv`
already are not computed again. Run `endings.py` then, which writes the page.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from decks import SEEDS, game_of, network
from rows import Row, completed

import stier
from stier.public import PublicState, PublicTree
from stier.solving import iterate

TABLE = Path(__file__).resolve().parents[1] / "limited.csv"
ITERATIONS = 50
KEY = ("deck", "seed", "method")

#: The decks of three and of four tricks, both with two cards in the pile.
THREE, FOUR = "2x4, hand 2", "2x4, hand 3"
#: By method: the decisions to the cut, the source of values there, and true if later tricks are then solved in full.
CUTS = {
    "one trick, value head": (2, "head", False),
    "one trick, head after a trick": (2, "ahead", False),
    "one trick, network plays on": (2, "play", False),
    "two tricks, network plays on": (4, "play", False),
    "one trick, network plays on, then all": (2, "play", True),
    "one trick, solved endings, then all": (2, "solved", True),
}
#: Methods without a cut: nothing is solved, or all tricks but the first.
ALONE, LATER = "alone", "all but the first trick"
#: The last two tricks, anew for each hand of a player.
KNOWN = "last two tricks, known hands"

Policies = list[npt.NDArray[np.float32]]


class Discounted:
    """Discounted CFR, as in the guide *Solve a large game*."""

    def __init__(self, rows: stier.solving.Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: stier.solving.Step) -> tuple[npt.NDArray[np.float32], float]:
        """Learns from the regrets of a step."""
        power = step.iteration**1.5
        self.regrets += step.regrets
        self.regrets *= np.where(self.regrets > 0, np.float32(power / (power + 1)), np.float32(0.5))
        return self.rows.normalize(np.maximum(self.regrets, 0)), step.iteration**2


class Deck:
    """A deck with a network."""

    def __init__(self, deck: str, seed: str) -> None:
        self.game = game_of(deck)
        self.hand, self.pile = self.game.rules()["hand_size"], self.game.new_initial_state(seed=0).facts(0)["pile"]
        self.tricks = self.hand + self.pile // 2
        name = f"network:path={network(deck, seed)},choose=sample"
        self.tree, self.agent = PublicTree(self.game, threads=1), stier.load_agent(name, self.game)
        self.policies: Policies = [np.array(rows) for rows in self.tree.policies_of(name)]

    def part(self, state: PublicState, **options: Any) -> PublicTree:
        """The part of the game that follows a public state."""
        return PublicTree(self.game, root=state, threads=1, **options)

    def tricks_left(self, state: PublicState) -> float:
        """The tricks that are left, in halves."""
        attacked = "attack" in state.history
        before = state.history[: state.history.index("attack")] if attacked else state.history
        plays, drawn = len(state.history) - attacked, min(len(before), self.pile)
        return self.hand + (drawn - plays) / 2 + (0 if attacked else (self.pile - drawn) / 2)

    def beginnings(self, tricks: int) -> Iterator[PublicState]:
        """The first public states with at most so many tricks left, at the beginning of one."""
        open_states = list(self.tree.roots)
        while open_states:
            state = open_states.pop()
            left = self.tricks_left(state)
            if left <= tricks and left == int(left):
                if state.player >= 0 and state.fits.any():
                    yield state
            else:
                open_states += state.children()

    def solved(self, policies: Policies, tricks: int) -> Policies:
        """The policies in which the last tricks are solved in full, from the ranges to which the policies lead."""
        play, found = self.tree.follow(policies), [rows.copy() for rows in policies]
        for state in self.beginnings(tricks):
            part = self.part(state, ranges=play.ranges(state))
            copy(iterate(part, Discounted, iterations=ITERATIONS), part.roots[0], found, state)
        return found

    def cut(self, depth: int, source: str) -> Policies:
        """The network's policies, in which the first decisions are solved with values at a cut."""
        found = [rows.copy() for rows in self.policies]
        policies = self.solved(self.policies, self.tricks - 1) if source == "solved" else self.policies
        solution = self.tree.solution(policies)
        for state in self.tree.roots:
            leaves = self.part(state, depth=depth, values=nothing).leaves
            if source in ("head", "ahead"):
                tables = [self.guessed(leaf, solution, 2 * (source == "ahead")) for leaf in leaves]
            else:
                tables = [self.pairs(leaf, solution) for leaf in leaves]
            part = self.part(state, depth=depth, values=partial(summed, tables))
            copy(iterate(part, Discounted, iterations=ITERATIONS), part.roots[0], found, state)
        return found

    def pairs(self, state: PublicState, solution: stier.TabularPolicy, **options: Any) -> npt.NDArray[np.floating[Any]]:
        """The values of pairs of hands for the first player, if both follow a solution, up to a cut or to the end."""
        if state.player < 0:
            return state.returns(0) * state.weights
        table = np.zeros(state.fits.shape)
        if state.fits.any():
            part = self.part(state, **options)
            policies = part.follow(solution).policies
            for hand, one in enumerate(np.eye(state.hands(1), dtype=np.float32)):
                own = part.with_ranges([np.ones(state.hands(0), np.float32), one])
                table[:, hand] = own.follow(policies).values(own.roots[0])[0]
        return table

    def guessed(self, state: PublicState, solution: stier.TabularPolicy, ahead: int) -> npt.NDArray[np.floating[Any]]:
        """The same, with the network's value for the player to act in place of the rest, after so many decisions."""
        if state.player < 0 or not state.fits.any():
            return self.pairs(state, solution)
        if ahead:
            leaves = self.part(state, depth=ahead, values=nothing).leaves
            tables = [self.guessed(leaf, solution, 0) for leaf in leaves]
            return self.pairs(state, solution, depth=ahead, values=partial(summed, tables))
        values = np.zeros(state.hands(state.player))
        for hand in np.flatnonzero(state.fits.any(axis=1 - state.player)):
            values[hand] = self.agent.search(state.state(state.player, int(hand))).actions[0].value
        return state.weights * (values[:, None] if state.player == 0 else -values)

    def known(self) -> Policies:
        """The policies in which the last two tricks are solved for each hand of a player by itself.

        The other player may hold the hands that fit it, and the player all hands that fit one of these.
        """
        play, found = self.tree.follow(self.policies), [rows.copy() for rows in self.policies]
        for state in self.beginnings(2):
            ranges, part = play.ranges(state), self.part(state)
            for player in (0, 1):
                fits = state.fits if player == 0 else state.fits.T
                for hand in np.flatnonzero(fits.any(axis=1)):
                    own = list(ranges)
                    own[1 - player] = own[1 - player] * fits[hand]
                    rows = iterate(part.with_ranges(own), Discounted, iterations=ITERATIONS)
                    copy_hand(rows[player], part.roots[0], found[player], state, player, int(hand))
        return found


def nothing(player: int, ranges: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """Values of leaves that are not used."""
    return np.zeros_like(ranges[player])


def summed(
    tables: Sequence[npt.NDArray[np.floating[Any]]], player: int, ranges: Sequence[npt.NDArray[np.float32]]
) -> npt.NDArray[np.float32]:
    """The values of a player's hands at all leaves, from those of pairs."""
    found = np.zeros_like(ranges[player])
    for row, table in enumerate(tables):
        own = table if player == 0 else -table.T
        found[row, : own.shape[0]] = own @ ranges[1 - player][row, : own.shape[1]]
    return found


def copy(rows: Sequence[npt.NDArray[np.float32]], here: PublicState, found: Policies, there: PublicState) -> None:
    """Copies the policies of a part to the same public states of the game."""
    if here.player >= 0 and not here.is_leaf:
        found[here.player][there.rows] = rows[here.player][here.rows]
        for pair in zip(here.children(), there.children(), strict=True):
            copy(rows, pair[0], found, pair[1])


def copy_hand(
    rows: npt.NDArray[np.float32],
    here: PublicState,
    found: npt.NDArray[np.float32],
    there: PublicState,
    player: int,
    hand: int,
) -> None:
    """Copies the policy of a player with a hand, in a part without draws, to the same public states of the game."""
    if here.player < 0:
        return
    if here.player == player:
        counts = here.legal.sum(axis=1)
        counts[counts == 1] = 0
        own = slice(counts[:hand].sum(), counts[: hand + 1].sum())
        found[there.rows][own] = rows[here.rows][own]
    for event, next_here, next_there in zip(here.events, here.children(), there.children(), strict=True):
        before, after, _ = here.moves(event, player)
        for next_hand in after[before == hand]:
            copy_hand(rows, next_here, found, next_there, player, int(next_hand))


@lru_cache(maxsize=1)
def loaded(deck: str, seed: str) -> Deck:
    """A deck with a network."""
    return Deck(deck, seed)


def measured(deck: str, seed: str, method: str) -> Row:
    """The row of a key."""
    own, before = loaded(deck, seed), time.process_time()
    policies = own.policies
    if method in CUTS:
        depth, source, goes_on = CUTS[method]
        policies = own.cut(depth, source)
        policies = own.solved(policies, own.tricks - 1) if goes_on else policies
    elif method == KNOWN:
        policies = own.known()
    elif method != ALONE:
        policies = own.solved(policies, own.tricks - 1)
    seconds = time.process_time() - before
    found = stier.solving.nash_conv(own.game, own.tree.solution(policies), threads=1)
    return dict(zip(KEY, (deck, seed, method), strict=True)) | {
        "nash_conv": f"{found:.6f}",
        "cpu_seconds": f"{seconds:.1f}",
    }


def wanted() -> Iterator[tuple[str, ...]]:
    """The keys of all rows. Two tricks of three leave too little behind the cut."""
    for seed in map(str, SEEDS):
        for deck in (THREE, FOUR):
            methods = (method for method, (depth, *_) in CUTS.items() if depth == 2 or deck == FOUR)
            yield from ((deck, seed, method) for method in (ALONE, LATER, *methods))
    yield from ((THREE, str(seed), KNOWN) for seed in SEEDS[:2])


if __name__ == "__main__":
    os.nice(10)
    completed(TABLE, KEY, wanted(), measured)
