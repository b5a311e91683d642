"""The leak check: other worlds, the same player, the same facts."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stier._leak._report import Difference, ImpossibleWorld, LeakReport
from stier._leak._stier import StierSubject
from stier._leak._subject import Subject, equal
from stier._native import Game, load_game
from stier.errors import ArgumentError

Fact = Callable[[Any, Any], Any]

#: What stands for a fact that one of two worlds does not have.
_NOTHING = "nothing"


def check_no_leak(
    game: Any,
    *,
    games: int = 10,
    worlds: int = 3,
    seed: int = 0,
    agents: Sequence[Any] | None = None,
    facts: Mapping[str, Fact] | None = None,
    twin: Callable[[Any, Any, int], Any] | None = None,
) -> LeakReport:
    """Check that a player is given nothing that depends on what the player cannot know.

    Random games are played. In every position and for every player, hidden cards are replaced by those of other worlds
    that agree with all the player knows; then everything that the player is given has to be the same, bit by bit:
    tensors, strings, masks, renderings, and what agents decide. The result depends on the arguments only.

    Where the worlds come from:

    - A game of `stier`: from `State.resample_from_infostate`. Every world is replayed from the start as well.
    - A game of OpenSpiel: from its own `resample_from_infostate`, if it has one. Every world is replayed with legal
      actions only, and played on to the end at random: an illegal past or no future is a fault of the resampler,
      reported as an impossible world and not compared. Without a resampler, what chance or other players did is
      exchanged in the history, and worlds with the same information-state string are taken: then nothing is shown
      about the string itself, only that the rest tells no more than it does.
    - An AEC environment of PettingZoo: from `twin`. For those of `stier.pettingzoo`, wrapped or not, it is known.

    What it does not show: that the worlds are drawn from the right distribution; that nothing leaks where no other
    world was drawn, which the report counts, or in positions that random games do not reach.

    Args:
        game: A game, or its name as for `stier.load_game`; a `pyspiel.Game`; a `pettingzoo.AECEnv`, which is used up.
        games: Random games.
        worlds: Worlds for every position and player.
        seed: The seed of games and worlds.
        agents: Who is asked what to do, in every world. For games of `stier` agents, by name or loaded (if left out:
            ``greedy`` and ``ismcts:iterations=50``), or callables `f(state) -> action`; for OpenSpiel callables or
            bots. A callable is given the state itself, so that peeking is found. Who is asked the same twice has to
            answer the same, or `AgentError` is raised.
        facts: More to compare, by name: callables `f(state, player)`; for AEC environments `f(env, player)` with the
            number of the agent in `possible_agents`.
        twin: For AEC environments: `f(env, agent, seed)` gives another environment at the same point in which what the
            agent does not know is drawn anew, or None where it cannot; `env` is to be left as it is.

    Raises:
        AgentError: An agent that does not exist, or that answers the same question twice in two ways.
        RulesError: A game that does not exist.
        TypeError: Neither a game nor an environment.
        ValueError: A number below 1, or a fact whose name is taken.
    """
    if games < 1 or worlds < 1:
        raise ArgumentError("games and worlds must be at least 1")
    subject = _subject(game, agents, twin)
    report = LeakReport(subject.name, subject.method)
    for number, positions in enumerate(subject.games(games, seed)):
        report.games += 1
        rng = random.Random(f"worlds of {seed}/{number}")
        for state, position in positions:
            report.positions += 1
            for player in subject.players(state):
                _compare(report, subject, state, player, worlds, rng, facts or {}, (number, position))
    return report


def _compare(
    report: LeakReport,
    subject: Subject,
    state: Any,
    player: int,
    count: int,
    rng: random.Random,
    more: Mapping[str, Fact],
    where: tuple[int, int],
) -> None:
    """Compare what a player is given in a position with what it is given in other worlds."""
    here: dict[str, Any] | None = None
    others = 0
    for world in subject.worlds(state, player, count, rng):
        found = subject.fault(world, rng)
        if found is not None:
            fault, _ = found
            report.impossible[fault] += 1
            if fault not in report.impossible_worlds:
                shown = subject.keep(state), subject.keep(world)
                report.impossible_worlds[fault] = ImpossibleWorld(*found, player, *where, *shown)
            continue
        report.worlds += 1
        others += subject.differs(state, world, player)
        here = _facts(subject, state, player, more) if here is None else here
        there = _facts(subject, world, player, more)
        for fact in {**here, **there}:
            report.compared[fact] += 1
            values = here.get(fact, _NOTHING), there.get(fact, _NOTHING)
            if not equal(*values):
                report.differences[fact] += 1
                if fact not in report.leaks:
                    shown = subject.keep(state), subject.keep(world)
                    report.leaks[fact] = Difference(fact, player, *where, *values, *shown)
    report.places += 1
    report.bare_places += others == 0
    report.other_worlds += others


def _facts(subject: Subject, state: Any, player: int, more: Mapping[str, Fact]) -> dict[str, Any]:
    facts = subject.facts(state, player)
    if taken := facts.keys() & more.keys():
        raise ArgumentError(f"{', '.join(sorted(taken))} is compared anyway: call it something else")
    return {**facts, **{name: fact(state, player) for name, fact in more.items()}}


def _subject(game: Any, agents: Sequence[Any] | None, twin: Callable[[Any, Any, int], Any] | None) -> Subject:
    if isinstance(game, str):
        game = load_game(game)
    # The other libraries are there if something of theirs is.
    origins = {kind.__module__.split(".")[0] for kind in type(game).__mro__}
    if twin is not None and "pettingzoo" not in origins:
        raise TypeError("twin is for AEC environments only")
    if isinstance(game, Game):
        return StierSubject(game, ["greedy", "ismcts:iterations=50"] if agents is None else agents)
    if "pyspiel" in origins:
        from stier._leak._open_spiel import SpielSubject

        return SpielSubject(game, agents or [])
    if "pettingzoo" in origins:
        from stier._leak._pettingzoo import AecSubject

        return AecSubject(game, agents or [], twin)
    raise TypeError(
        "check_no_leak takes a game of stier or its name, a pyspiel.Game or a pettingzoo.AECEnv, "
        f"not {type(game).__name__}"
    )
