"""The course of a game in words, as one seat may know it: see `known_events` for the limits of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from stier._native import CHANCE, State
from stier.terminal import Pen

if TYPE_CHECKING:
    from stier._native import _Place, _Scene

#: Worlds that are compared.
_WORLDS = 100
#: Worlds that are shown to the person, and lines about them.
_SHOWN_WORLDS, _MOST = 1000, 8
#: Facts and remarks of the games' scenes that repeat a move, or that are better seen on the table.
#: A new game adds its own: see "Adding a game" in the documentation.
_REPEATED = {
    "actions",
    "attacked",
    "bets",
    "bid",
    "bids",
    "dealt",
    "first player",
    "hand",
    "knocked",
    "own_stones",
    "pile",
    "prizes",
    "public_card",
    "race",
    "rolled",
    "supply",
}
#: More chance events than this in a row are a deal.
_DEAL = 4


class Narrator:
    """Tells what has happened, as far as the seat may know it."""

    def __init__(self, state: State, seat: int, pen: Pen) -> None:
        self._seat, self._pen = seat, pen
        game = state.get_game()
        self._faces = game.card_faces()
        # A second game, in which chance is told what happens: the scenes between the events come from it.
        self._game, self._told = game.new_initial_state(), 0
        #: Actions that the seat has not been told about; they may come out later.
        self._hidden: set[int] = set()
        history = state.history()
        # The deal before the first decision is best seen on the table.
        start = next((index for index, (player, _) in enumerate(history) if player != CHANCE), len(history))
        while self._told < start:
            self._step(history[self._told][1])

    def _step(self, action: int) -> tuple[_Scene, _Scene]:
        before = self._game.scene(self._seat)
        self._game.apply_action(action)
        self._told += 1
        return before, self._game.scene(self._seat)

    def tell(self, state: State, forced: Collection[int] = ()) -> list[str]:
        """Returns lines about the events since the last call; `forced` are those that the seat had no choice in."""
        history = state.history()
        known, acted = known_events(state, self._seat)
        lines = []
        for index in sorted(self._hidden & known):
            player, action = history[index]
            lines.append(f"{self._who(player)}, earlier: {self._name(state, player, action)}")
        self._hidden -= known
        for chance, group in groupby(range(self._told, len(history)), lambda index: history[index][0] == CHANCE):
            indices = list(group)
            if chance and len(indices) > _DEAL:
                scenes = [self._step(history[index][1]) for index in indices]
                lines += ["new cards are dealt", *self._changes(scenes[0][0], scenes[-1][1])]
                continue
            for index in indices:
                player, action = history[index]
                name = self._name(state, player, action) if index in known else None
                before, after = self._step(action)
                if chance:
                    lines += self._chance(name, before, after)
                elif name is not None:
                    note = " (your only move)" if index in forced else ""
                    lines.append(f"{self._who(player)}: {name}{note}")
                else:
                    self._hidden.add(index)
                    if index in acted:
                        lines.append(f"{self._who(player)}: hidden")
                lines += self._changes(before, after)
        return lines

    def _who(self, seat: int) -> str:
        return "you" if seat == self._seat else f"seat {seat}"

    def _name(self, state: State, player: int, action: int) -> str:
        return self._pen.action(state.action_to_string(player, action), self._faces)

    def _chance(self, name: str | None, before: _Scene, after: _Scene) -> list[str]:
        """Returns a line about a chance event: a drawn card if one has come to a hand."""
        held = {place["seat"]: _held(place) for place in before["places"]}
        for new in after["places"]:
            if new["seat"] is None or _held(new) <= held[new["seat"]]:
                continue
            verb = "draw" if new["seat"] == self._seat else "draws"
            return [f"{self._who(new['seat'])} {verb} {name or 'a card'}"]
        return [] if name is None else [f"turned up: {name}"]

    def _changes(self, before: _Scene, after: _Scene) -> list[str]:
        """Returns lines about tricks that were won, scores and the like."""
        lines = []
        remarks = {place["seat"]: place["remarks"] for place in before["places"]}
        for new in after["places"]:
            who = "" if new["seat"] is None else self._who(new["seat"])
            verb = "win" if who == "you" else "wins"
            for remark in (Counter(new["remarks"]) - Counter(remarks.get(new["seat"], []))).elements():
                name, _, count = remark.partition(": ")
                if name == "tricks" and count != "0":
                    lines.append(f"{who} {verb} the trick")
                elif who and name != "tricks" and name not in _REPEATED:
                    lines.append(f"{who}: {name} {count}".rstrip())
        facts: Mapping[str, str] = dict(before["facts"])
        for fact, value in after["facts"]:
            if facts.get(fact) != value and fact not in _REPEATED and value != "-":
                lines.append(f"{fact}: {value}")
        return [self._pen(f"  {line.replace('_', ' ')}", "muted") for line in lines]


def _held(place: _Place) -> int:
    return sum(len(group["cards"]) for group in place["groups"] if group["held"])


def _worlds(state: State, seat: int) -> Iterator[list[tuple[int, int]]]:
    """Yields histories that the seat cannot tell apart from the true one."""
    for seed in range(_WORLDS):
        yield state.resample_from_infostate(seat, seed).history()


def known_events(state: State, seat: int) -> tuple[set[int], set[int]]:
    """Returns the indices of the events that the seat knows, and of those whose actor, at least, it knows.

    These are the events that are alike in all of its worlds. Worlds are compared from one action of the seat to the
    next, because a game may hide how many events lie between them. The worlds are a sample, so an event that is only
    very likely may count as known.
    """
    history = state.history()
    places = by_own_actions(history, seat)
    known, acted = set(range(len(history))), set(range(len(history)))
    for world in _worlds(state, seat):
        other = dict(zip(by_own_actions(world, seat), world, strict=True))
        known &= {index for index, place in enumerate(places) if other.get(place) == history[index]}
        acted &= {
            index for index, place in enumerate(places) if place in other and other[place][0] == history[index][0]
        }
    return known, acted


def by_own_actions(history: list[tuple[int, int]], seat: int) -> list[tuple[int, int]]:
    """Returns the place of each event: the number of the seat's actions so far, and of the events since the last."""
    places, actions, since = [], 0, 0
    for player, _ in history:
        actions, since = (actions + 1, 0) if player == seat else (actions, since + 1)
        places.append((actions, since))
    return places


def hidden_events(state: State, seat: int) -> list[tuple[int, int]]:
    """Returns the events that the seat does not know to have happened at all, sorted."""
    happened = Counter(state.history())
    seen = happened.copy()
    for world in _worlds(state, seat):
        seen &= Counter(world)
    return sorted((happened - seen).elements())


def worlds_in_words(state: State, seat: int) -> str:
    """Returns what the other seats may have, with the share of worlds: for games whose cards cannot be drawn."""
    worlds = [state.resample_from_infostate(seat, seed).scene() for seed in range(_SHOWN_WORLDS)]
    lines = [f"What the others may have, in {_SHOWN_WORLDS} worlds drawn at random"]
    for other in range(state.num_players()):
        if other == seat:
            continue
        found = Counter(
            ", ".join(remark.replace("_", " ") for remark in place["remarks"] if remark != f"seat: {other}")
            for world in worlds
            for place in world["places"]
            if place["seat"] == other
        )
        lines.append(f"seat {other}")
        lines += [f"  {count / len(worlds):4.0%}  {text or 'nothing'}" for text, count in found.most_common(_MOST)]
        if len(found) > _MOST:
            lines.append(f"        and {len(found) - _MOST} more")
    return "\n".join(lines)
