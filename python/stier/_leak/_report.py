"""What a leak check has found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from stier.errors import LeakError


@dataclass(frozen=True)
class Difference:
    """Something that a player is given, and that is not the same in a world that the player cannot tell apart."""

    #: What differs, such as ``information_state_tensor`` or ``agent greedy``.
    fact: str
    #: Who is given it.
    player: int
    #: Which of the random games, counted from 0.
    game: int
    #: After how many events of it.
    position: int
    #: What the player is given in the true world.
    here: Any
    #: What the player is given in the other.
    there: Any
    #: The true state or environment, to look into.
    truth: Any
    #: The other one.
    world: Any

    def __str__(self) -> str:
        return (
            f"{self.fact} of player {self.player} in game {self.game} after {self.position} events\n"
            f"    in the true world: {_short(self.here)}\n"
            f"    in another:        {_short(self.there)}"
        )


@dataclass(frozen=True)
class ImpossibleWorld:
    """A world that was drawn for a player and that no legal game leads to, or that leads nowhere."""

    #: What is wrong with it.
    fault: str
    #: What exactly.
    detail: str
    #: For whom it was drawn.
    player: int
    #: Of which of the random games, counted from 0.
    game: int
    #: After how many events of it.
    position: int
    #: The true state, to look into.
    truth: Any
    #: The impossible one.
    world: Any

    def __str__(self) -> str:
        where = f"player {self.player} in game {self.game} after {self.position} events"
        return f"{self.fault} in a world for {where}: {_short(self.detail)}"


@dataclass
class LeakReport:
    """The result of `check_no_leak`: what was compared, and the first difference of every kind.

    A place is a position with a player. Where no drawn world differs from the truth, a place is no evidence of
    anything.
    """

    #: What was checked.
    subject: str
    #: Where the other worlds come from.
    method: str
    #: Games played.
    games: int = 0
    #: Positions in them.
    positions: int = 0
    #: Positions with players.
    places: int = 0
    #: Places in which no world other than the true one was drawn.
    bare_places: int = 0
    #: Worlds compared.
    worlds: int = 0
    #: How many of them are not the true one.
    other_worlds: int = 0
    #: How often each fact was compared.
    compared: Counter[str] = field(default_factory=Counter)
    #: How often it was not the same.
    differences: Counter[str] = field(default_factory=Counter)
    #: The first difference of each fact.
    leaks: dict[str, Difference] = field(default_factory=dict)
    #: How many worlds cannot be, by what is wrong with them. They are not compared.
    impossible: Counter[str] = field(default_factory=Counter)
    #: The first of each kind.
    impossible_worlds: dict[str, ImpossibleWorld] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether other worlds were compared, all of them possible, and nothing differed."""
        return self.other_worlds > 0 and not self.leaks and not self.impossible

    @property
    def first(self) -> Difference | None:
        """The first difference found."""
        return next(iter(self.leaks.values()), None)

    def raise_for_leak(self) -> None:
        """Raise `LeakError` with the whole report unless it is `ok`."""
        if not self.ok:
            raise LeakError(str(self))

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self._verdict()}", f"  worlds: {self.method}"]
        lines.append(
            f"  {self.games} games, {self.positions} positions, {self.worlds} worlds compared, "
            f"{self.other_worlds} of them not the true one"
        )
        if self.bare_places:
            lines.append(
                f"  nothing shown in {self.bare_places} of {self.places} places: no other world was drawn there"
            )
        for fact, count in self.compared.items():
            found = self.differences[fact]
            lines.append(f"  {'LEAK' if found else 'same'}  {fact}: {found} of {count} differ")
        lines.extend(f"  FAULT {what}: {count} worlds" for what, count in self.impossible.items())
        lines.extend(f"  first: {found}" for found in (*self.leaks.values(), *self.impossible_worlds.values()))
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.leaks:
            return f"LEAK in {', '.join(self.leaks)}"
        if self.impossible:
            return "no leak found, but worlds were drawn that cannot be"
        if not self.other_worlds:
            return "nothing shown, no other world was drawn"
        return "no leak found"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:197]}..."
