"""The leak check: does anything that a player is given depend on what the player cannot know?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stier import _arguments
from stier._native import Game, load_game, registered_agents
from stier._output import bar
from stier.errors import ArgumentError, LeakError
from stier.leaks._subjects import ImpossibleError, StierSubject, Subject, equal
from stier.playing import refuse_text, unwrapped

__all__ = ["Difference", "ImpossibleWorld", "LeakReport", "check_no_leak"]

Fact = Callable[[Any, Any], Any]
#: Facts by name; and a player, a random game, and a position in it.
_Facts = Mapping[str, Fact]
_Where = tuple[int, int, int]


@dataclass(frozen=True)
class _Found:
    """A player in a position of a random game, and a world drawn for it."""

    #: The player.
    player: int
    #: The number of the random game, from 0.
    game: int
    #: The number of events before the position.
    position: int
    #: The true state or environment, to look into.
    truth: Any
    #: The other one.
    world: Any

    def _place(self) -> str:
        return f"player {self.player} in game {self.game} after {self.position} events"


@dataclass(frozen=True)
class Difference(_Found):
    """Something that a player is given, and that is not the same in a world that the player cannot tell apart."""

    #: The fact that differs, such as ``information_state_tensor`` or ``agent greedy``.
    fact: str
    #: The player's value in the true world.
    here: Any
    #: The player's value in the other.
    there: Any

    def __str__(self) -> str:
        return (
            f"{self.fact} of {self._place()}\n"
            f"    in the true world: {_short(self.here)}\n"
            f"    in another:        {_short(self.there)}"
        )


@dataclass(frozen=True)
class ImpossibleWorld(_Found):
    """A world that was drawn for a player and that cannot be played: it was not compared."""

    #: The fault.
    fault: str
    #: The fault in detail.
    detail: str

    def __str__(self) -> str:
        return f"{self.fault} in a world for {self._place()}: {_short(self.detail)}"


@dataclass
class LeakReport:
    """The result of `check_no_leak`: what was compared, and the first difference of every kind.

    A place is a position with a player. Where no drawn world differs from the truth, a place is not evidence of
    anything. An impossible world is none either, and the report is not `ok`.
    """

    #: The game or environment that was checked.
    subject: str
    #: The source of the other worlds.
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
    #: The number of these that are not the true one.
    other_worlds: int = 0
    #: The number of comparisons of each fact.
    compared: Counter[str] = field(default_factory=Counter)
    #: The number of comparisons in which it differed.
    differences: Counter[str] = field(default_factory=Counter)
    #: The first difference of each fact.
    leaks: dict[str, Difference] = field(default_factory=dict)
    #: Facts that are not compared at all, with the reason.
    untested: dict[str, str] = field(default_factory=dict)
    #: The number of impossible worlds by fault. They are not compared.
    impossible: Counter[str] = field(default_factory=Counter)
    #: The first of each kind.
    impossible_worlds: dict[str, ImpossibleWorld] = field(default_factory=dict)

    @property
    def untested_share(self) -> float:
        """The share of places, 0 to 1, in which no other world was drawn: a leak could not show there."""
        return self.bare_places / max(1, self.places)

    @property
    def ok(self) -> bool:
        """True if other worlds were compared, all of them possible, and nothing differed."""
        return self.other_worlds > 0 and not self.leaks and not self.impossible

    @property
    def first(self) -> Difference | None:
        """The first difference found."""
        return next(iter(self.leaks.values()), None)

    def raise_for_leak(self) -> None:
        """Raises `LeakError` with the whole report unless it is `ok`."""
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
                f"  {self.bare_places} of {self.places} views ({self.untested_share:.0%}) were not tested, "
                "because no other world was drawn"
            )
        for fact, count in self.compared.items():
            found = self.differences[fact]
            lines.append(f"  {'LEAK' if found else 'same'}  {fact}: {found} of {count} differ")
        lines.extend(f"  not tested  {fact}: {reason}" for fact, reason in self.untested.items())
        lines.extend(f"  FAULT {what}: {count} worlds" for what, count in self.impossible.items())
        lines.extend(f"  first: {found}" for found in (*self.leaks.values(), *self.impossible_worlds.values()))
        return "\n".join(lines)

    def _compare(
        self, subject: Subject, place: _Where, state: Any, worlds: Iterator[Any], rng: random.Random, more: _Facts
    ) -> None:
        """Compares the facts of a player in a position with those in other worlds."""
        (player, *_), truth, here, others = place, None, None, 0
        for world in worlds:
            try:
                replayed = subject.replay(world, rng)
                if here is None:
                    truth = subject.replay(state, rng)
                    here = _facts(subject, truth, player, more)
            except ImpossibleError as error:
                fault, detail = error.args
                self.impossible[fault] += 1
                if fault not in self.impossible_worlds:
                    self.impossible_worlds[fault] = ImpossibleWorld(*place, state, world, fault, detail)
                continue
            self.worlds += 1
            others += subject.differs(state, world, player)
            there = _facts(subject, replayed, player, more)
            for fact in {**here, **there}:
                self.compared[fact] += 1
                values = here.get(fact, _NOTHING), there.get(fact, _NOTHING)
                if not equal(*values):
                    self.differences[fact] += 1
                    if fact not in self.leaks:
                        shown = subject.keep(truth), subject.keep(replayed)
                        self.leaks[fact] = Difference(*place, *shown, fact, *values)
        self.places += 1
        self.bare_places += others == 0
        self.other_worlds += others

    def _verdict(self) -> str:
        if self.leaks:
            return f"LEAK in {', '.join(self.leaks)}"
        if not self.other_worlds:
            return f"nothing was compared, because no other world was {'possible' if self.impossible else 'drawn'}"
        if self.impossible:
            return "no leak found, but there were impossible worlds"
        return "no leak found"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


#: The value of a fact that one of two worlds does not have.
_NOTHING = "nothing"


def check_no_leak(
    game: Any,
    *,
    games: int = 10,
    worlds: int = 3,
    seed: int = 0,
    agents: Sequence[Any] | None = None,
    facts: _Facts | None = None,
    twin: Callable[[Any, Any, int], Any] | None = None,
    progress: bool = False,
) -> LeakReport:
    """Checks that a player is given nothing that depends on what the player cannot know.

    Random games are played. In every position and for every player, hidden cards are replaced by those of other worlds
    that agree with everything the player knows. Every world is played again from the start, so that stored values
    belong to it. Then everything that the player is given must be the same, bit by bit. The report lists the facts that
    were compared and those that were not. The result depends on the arguments only.

    Where the worlds come from, and what is compared:

    - A game of `stier`: from `State.resample_from_infostate`. Compared are tensors, strings, masks, renderings and the
      decisions of agents, for every player, up to the end.
    - A game of OpenSpiel: from its own `resample_from_infostate`, if it has one. A world is a fault of the resampler if
      its history is illegal or leads to another state, or if random play from it does not reach the end. It is
      reported as an impossible world and not compared. Without a resampler, events of chance or of other players are
      exchanged in the history, and worlds with the same information-state string are taken. Then nothing is shown
      about the string itself, only that the rest tells no more than it does. Compared are strings, tensors, legal
      actions and the decisions of agents, for the player to move.
    - An AEC environment of `stier.pettingzoo`, wrapped or not: from `State.resample_from_infostate`. The true game and
      the world are each played from `reset` in a copy of the environment. Their seeds differ, because a seed determines
      all cards. Compared are `agents`, `agent_selection`, spaces, `observe`, `last`, infos, rewards, terminations and
      truncations, and `render` in mode ``ansi``, for every player, up to the end. If the environment does not deal the
      cards that it is told to deal, its worlds are impossible, and nothing is shown.
    - Any other AEC environment: from `twin`. Compared is the same, except the end. Values that the twin shares with the
      environment, or copied from it, look alike.

    The check does not show that the worlds are drawn from the right distribution. It shows nothing where no other world
    was drawn, which the report counts, or in positions that random games do not reach. It does not look at attributes
    of states and environments, or at values that they and the agents keep in a class or a module.

    Args:
        game: A game, or its name as for `stier.load_game`; a `pyspiel.Game`; a `pettingzoo.AECEnv`. With `twin`
            it is used up, otherwise copied and left as it is.
        games: Random games.
        worlds: Worlds for every position and player.
        seed: The seed of games and worlds.
        agents: The agents that decide in every world. For games of `stier`, anything that `stier.pit` takes (by default
            ``ismcts:iterations=50`` and, where there is a built-in policy, ``greedy``); for games of OpenSpiel,
            callables `f(state) -> action` or bots. A callable, or the method ``step`` of an object, is given the state
            itself, so that peeking is found. An object is copied for every query, if it can be copied. A function, or
            an object that cannot be copied, must remember nothing and give the same answer when it is queried twice.
            For games of `stier`, the policies of objects with ``step_with_policy`` are compared, such as solutions.
        facts: More to compare, by name: callables `f(state, player)` that remember nothing; for AEC environments
            `f(env, player)` with the number of the agent in `possible_agents`.
        twin: For AEC environments: `f(env, agent, seed)` returns another environment at the same point in which
            everything that the agent does not know is drawn anew, or None where it cannot. Make it by playing a fresh
            environment from `reset`, or stored values look alike. It must not change `env`.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist, or that answers the same question twice in two ways.
        RulesError: A game that does not exist.
        TypeError: Neither a game nor an environment, a number that is not a whole one, or an environment that cannot be
            copied.
        ValueError: A number out of range, or a fact whose name is taken.
    """
    games, worlds = _arguments.whole("games", games, 1), _arguments.whole("worlds", worlds, 1)
    seed = _arguments.seed(seed)
    if agents is not None:
        refuse_text(agents)
        for agent in agents:
            if not isinstance(agent, str):
                unwrapped(agent)
    subject = _subject(game, agents, twin)
    report = LeakReport(subject.name, subject.method, untested=subject.untested)
    with bar(progress) as update:
        for number, positions in enumerate(subject.games(games, seed)):
            update(number, games)
            report.games += 1
            rng = random.Random(f"worlds of {seed}/{number}")
            for state, position in positions:
                report.positions += 1
                for player in subject.players(state):
                    others = subject.worlds(state, player, worlds, rng)
                    report._compare(subject, (player, number, position), state, others, rng, facts or {})
        update(report.games, games)
    return report


def _facts(subject: Subject, state: Any, player: int, more: _Facts) -> dict[str, Any]:
    facts = subject.facts(state, player)
    if taken := facts.keys() & more.keys():
        raise ArgumentError(f"facts named {', '.join(sorted(taken))} are compared already: choose another name")
    return {**facts, **{name: fact(state, player) for name, fact in more.items()}}


def _subject(game: Any, agents: Sequence[Any] | None, twin: Callable[[Any, Any, int], Any] | None) -> Subject:
    if isinstance(game, str):
        game = load_game(game)
    # The other libraries are there if something of theirs is.
    origins = {kind.__module__.split(".")[0] for kind in type(game).__mro__}
    if twin is not None and "pettingzoo" not in origins:
        raise TypeError("twin is for AEC environments only")
    if isinstance(game, Game):
        playing = {"greedy"} & set(registered_agents(game))
        return StierSubject(game, [*playing, "ismcts:iterations=50"] if agents is None else agents)
    if "pyspiel" in origins:
        from stier.leaks._open_spiel import SpielSubject

        return SpielSubject(game, agents or [])
    if "pettingzoo" in origins:
        from stier.leaks._pettingzoo import aec_subject

        return aec_subject(game, agents or [], twin)
    kind = type(game).__name__
    raise TypeError(f"game must be a stier.Game or its name, a pyspiel.Game or a pettingzoo.AECEnv, got {kind}")
