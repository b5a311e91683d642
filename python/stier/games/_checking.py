"""The conformance suite for games: what a game promises, and how its histories show that it keeps it."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations, pairwise, takewhile
from typing import Any

from stier import _arguments
from stier._native import CHANCE, TERMINAL
from stier._output import Update, bar
from stier.errors import GameError
from stier.games._histories import ENDLESS, Histories, Node, noticed_after
from stier.games._members import check_members, member, shown, wrong_answer
from stier.games._registry import python_members
from stier.games._sheet import words

#: States and histories that are drawn for the checks at the end.
_DRAWN = 100

#: The values that must be the same in two histories that have something in common, and how to mend it.
_SAME = {
    "equal states": "{what} differs in equal states: {values}; a state must contain, and its equality compare, "
    "everything that matters from there on",
    "hash": "two equal states have different hashes: {values}; equality and hash must depend on the same things",
    "spectator": "a spectator sees more than player {player}, who observes {seen} both times: {values}; show every "
    "player what observation(state, None) shows",
    "noticed": "a spectator notices more than player {player} (the number of times, and the last): {values}; let every "
    "player notice what observed(state, action, None) returns",
    "length": "the number of features differs: {values}; return the same number each time",
    "features": "features(state, {player}) differs though the observation is {seen} both times: {values}; make them of "
    "the observation only",
    "exact": "features(state, {player}) is the same for two observations: {values}; add features that tell them apart, "
    "or write exact_features = False",
    "told": "{what}(state, {player}) differs though player {player} cannot tell the histories apart: {values}; make it "
    "of what the player has seen, or let the observation show the difference",
    "legal": "legal_actions differ though player {player} cannot tell the histories apart: {values}; let "
    "observation(state, {player}) show what they depend on",
    "decisions": "the number of decisions differs though player {player} cannot tell the histories apart: {values}; "
    "let the observation show that others have acted, or write hidden_moves = True",
}


@dataclass(frozen=True)
class GameReport:
    """The extent of a check of a game in which no fault was found."""

    #: The name of the game.
    game: str
    #: Histories that were visited, from the empty one to finished games.
    histories: int
    #: Those of them in which a player is to act.
    decisions: int
    #: Information sets in which a player is to act, by player.
    information_sets: tuple[int, ...]
    #: The most decisions in a history.
    longest: int
    #: True if these are all histories of the game.
    exhaustive: bool

    def __str__(self) -> str:
        extent = f"all {self.histories} histories" if self.exhaustive else f"{self.histories} of its histories"
        sets = " + ".join(map(str, self.information_sets))
        return (
            f"{self.game}: no fault found in {extent}: {self.decisions} decisions in {sets} information sets, at most "
            f"{self.longest} in a game"
        )


def check_game(game: Any, *, histories: int = 10_000, seed: int = 0, progress: bool = False) -> GameReport:
    """Checks that a game keeps its promises. Raises for the first one that is broken.

    A small game is explored in full. Of a larger game the shortest histories are visited, then random games, and in
    these other histories that a player cannot tell apart from the one that was played. So a report proves a small game
    right and is good evidence for a large one. These properties are checked:

    - *Form*: all members are there and take the right arguments, options have types and defaults, names tell actions
      apart, and every method returns values of the right kind.
    - *Rules*: a player to act has legal actions, in order and in range. Probabilities are positive and add up to 1. The
      game ends within `max_decisions` and `max_chance_events`. Returns lie in `utility_range` and add up to
      `utility_sum`.
    - *Pure functions*: no method changes its arguments or anything else, and the same call always returns the same.
      States can be hashed and compared, and equal states have the same player, actions, returns and observations. So
      histories can be replayed, moves undone and states pickled.
    - *Perfect recall* holds by construction. A player knows the log of its own actions, of every change of its
      observation, of what it `observed`, and of its turns (waiting, to act, over).
    - *No leak*: legal actions, `facts` and `hand` follow from that log, and `features` from the observation. A
      spectator sees nothing that a player does not see.
    - *Layers*, for solvers: histories with the same log have the same number of decisions, unless the game has
      `hidden_moves`.

    Args:
        game: A class, which is checked with the defaults of its options, an instance of one, or a game as for
            `stier.load_game`: loaded, or its name. Of games that are not written in Python, the states of the engine
            are checked.
        histories: A game with at most this many histories is explored in full. Of a larger one, about twice as many are
            visited.
        seed: The seed of the random games.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        GameError: The first fault: the method, what is wrong with it, and the histories that show it.
        RulesError: A game or an option that does not exist, or options that do not fit together.
    """
    limit = _arguments.whole("histories", histories, 1)
    with bar(progress, "histories", leave=False) as update:
        return _Checker(python_members(game), limit, random.Random(_arguments.seed(seed)), update).run()


class _Checker(Histories):
    def __init__(self, game: Any, limit: int, rng: random.Random, update: Update) -> None:
        check_members(game)
        super().__init__(game, range(game.num_players))
        self.name, self.limit, self.rng, self.update = game.name, limit, rng, update
        self.observers = [None, *self.players]
        #: The first history that leads to each state.
        self.states: dict[Any, Node] = {}
        #: The first history of each kind, and what must be the same in the others.
        self.first: dict[Hashable, tuple[Node, Any]] = {}
        self.decisions = self.longest = 0
        #: The logs after which each player is to act.
        self.to_act: list[set[int]] = [set() for _ in self.players]
        self.names: dict[str, dict[int, str]] = {"action_name": {}, "outcome_name": {}}
        for method, number in ("action_name", game.num_actions), ("outcome_name", self.optional("num_outcomes") or 0):
            for one in range(number):
                self.named(method, one)

    def run(self) -> GameReport:
        root = self.root()
        self.compare(root.state, self.ask("initial_state", None), "initial_state", root)
        visited, exhaustive = self.explore(root, self.limit)
        if not exhaustive:
            self.play(root, visited)
        self.compare_hashes()
        self.replay(visited)
        return GameReport(self.name, self.count, self.decisions, tuple(map(len, self.to_act)), self.longest, exhaustive)

    def optional(self, name: str) -> Any:
        return member(self.game, name)

    # Messages

    def fault(self, sentence: str) -> GameError:
        return GameError(f"{self.name}: {sentence}")

    def differ(self, promise: str, *found: tuple[Node, Any], **words: Any) -> GameError:
        """Returns the error for two histories that must not differ in a value."""
        names = self.names["action_name"]
        show = shown if promise != "legal" else lambda actions: ", ".join(names[action] for action in actions)
        values = ", and ".join(f"{show(value)}{self.after(node)}" for node, value in found)
        return self.fault(_SAME[promise].format(values=values, **words))

    def same(self, promise: str, key: Hashable, node: Node, value: Any, **words: Any) -> None:
        """Checks that a value is the same in all histories that have the key in common."""
        first = self.first.setdefault((promise, key), (node, value))
        if first[1] != value:
            raise self.differ(promise, first, (node, value), **words)

    def after(self, node: Node | None) -> str:
        words = [
            f"chance: {self.named('outcome_name', event)}"
            if player == CHANCE
            else f"player {player}: {self.named('action_name', event)}"
            for player, event in (one.event for one in (node.path() if node else ()) if one.event is not None)
        ]
        return f" after [{', '.join(words)}]" if words else " at the start" if node else ""

    def named(self, method: str, number: int) -> str:
        """Returns the name of an action or an outcome. It must not be another's."""
        names = self.names[method]
        if number not in names:
            name = self.ask(method, None, number) if self.optional(method) else str(number)
            for other, others in names.items():
                if others.split() == name.split():
                    raise self.fault(f"{method} is {name!r} for both {other} and {number}; names must differ")
            names[number] = name
        return names[number]

    def ask(self, method: str, node: Node | None, *arguments: Any) -> Any:
        """Calls a method, for the state of a history. It must not raise, nor change the state."""
        states = [] if node is None else [node.state]
        call = f"{method}({', '.join(['state'] * len(states) + [str(argument) for argument in arguments])})"
        try:
            found = getattr(self.game, method)(*states, *arguments)
            text = "" if node is None else repr(node.state)
        except (Exception, SystemExit) as error:
            is_spectator = isinstance(error, TypeError) and arguments[-1:] == (None,)
            hint = "; player is None for a spectator" if is_spectator else ""
            raise self.fault(f"{call} raises {_raised(error, self.after(node))}{hint}") from error
        if node is not None and text != node.text:
            raise self.fault(
                f"{method} changes the state that it is given{self.after(node)}, from {shown(node.text, str)} to "
                f"{shown(text, str)}; states must never change, so return a new one"
            )
        if wrong := wrong_answer(method, found, self.game):
            raise self.fault(f"{call if arguments else method} is {shown(found)}{self.after(node)}; {wrong}")
        return found

    def answers(self, node: Node) -> dict[str, Any]:
        answers: dict[str, Any] = {"current_player": int(self.ask("current_player", node))}
        if answers["current_player"] == TERMINAL:
            answers["returns"] = tuple(map(float, self.ask("returns", node)))
        elif answers["current_player"] == CHANCE:
            outcomes = self.ask("chance_outcomes", node)
            answers["chance_outcomes"] = tuple((int(outcome), float(share)) for outcome, share in outcomes)
        else:
            answers["legal_actions"] = tuple(map(int, self.ask("legal_actions", node)))
        for one in self.observers:
            answers[f"observation(state, {one})"] = self.ask("observation", node, one)
        if self.optional("facts"):
            facts = self.ask("facts", node, None)
            answers["facts(state, None)"] = ", ".join(f"{name}: {words(value)}" for name, value in facts.items())
        return answers

    # Histories

    def root(self) -> Node:
        return self.visit(self.ask("initial_state", None))

    def child(self, node: Node, action: int) -> Node:
        if action not in node.children:
            child = self.visit(self.ask("apply", node, action), node, (node.player, action))
            self.unchanged(node, f"after apply(state, {action}) was called,")
            self.compare(child.state, self.ask("apply", node, action), "apply", child)
            node.children[action] = child
        return node.children[action]

    def visit(self, state: Any, parent: Node | None = None, event: tuple[int, int] | None = None) -> Node:
        """Checks a new history and the state that it leads to."""
        node = Node(state, parent, event)
        try:
            node.text = repr(state)
            hash(state)
        except Exception as error:
            raise self.fault(
                f"the state {shown(state)}{self.after(node)} cannot be hashed ({_raised(error)}); states are tuples, "
                "named tuples or frozen dataclasses, with tuples and frozensets in place of lists, dicts and sets"
            ) from error
        node.answers = self.answers(node)
        node.player = node.answers["current_player"]
        outcomes = [outcome for outcome, _ in node.answers.get("chance_outcomes", ())]
        node.actions = outcomes or list(node.answers.get("legal_actions", ()))
        self.check_length(node)
        first = self.states.setdefault(state, node)
        for (what, there), (_, here) in zip(first.answers.items(), node.answers.items(), strict=True):
            if here != there:
                raise self.differ("equal states", (first, there), (node, here), what=what)
        self.note(node, self.look(node))
        self.update(min(self.count, 2 * self.limit), 2 * self.limit)
        for player in self.players:
            self.know(node, player)
        if node.player == TERMINAL:
            self.unchanged(node, "asked again,")
        return node

    def check_length(self, node: Node) -> None:
        self.longest = max(self.longest, node.decisions)
        most, most_chance = self.game.max_decisions, self.optional("max_chance_events")
        if node.player >= 0:
            self.decisions += 1
            if node.decisions >= most:
                raise self.fault(f"max_decisions is {most}, and player {node.player} is to act{self.after(node)}")
            if self.optional("evaluate"):
                self.ask("evaluate", node)
        if node.player == CHANCE:
            if most_chance is not None and node.chances >= most_chance:
                raise self.fault(f"max_chance_events is {most_chance}, and chance is to act{self.after(node)}")
            if node.in_a_row >= ENDLESS:
                start = node.path()[-1 - ENDLESS]
                raise self.fault(f"the game does not end: chance acts {ENDLESS} times in a row{self.after(start)}")

    def look(self, node: Node) -> list[Any]:
        """Checks what must follow from what every observer sees. Returns what the players see."""
        noticed = list(node.parent.noticed) if node.parent else [(0, None)] * len(self.observers)
        for place, observer in enumerate(self.observers):
            if node.parent and node.event and self.optional("observed"):
                what = self.ask("observed", node.parent, node.event[1], observer)
                noticed[place] = noticed_after(noticed[place], what)
        node.noticed = noticed
        seen = [node.answers[f"observation(state, {observer})"] for observer in self.observers]
        sights = [*zip(seen, noticed, strict=True)]
        for observer, sight in zip(self.observers, sights, strict=True):
            words = {"player": observer, "seen": shown(sight[0])}
            self.same("spectator", (observer, sight), node, seen[0], **words)
            self.same("noticed", (observer, sight), node, noticed[0], **words)
            if self.optional("features"):
                features = tuple(map(int, self.ask("features", node, observer)))
                self.same("length", None, node, len(features))
                self.same("features", (observer, sight), node, features, **words)
                if self.optional("exact_features"):
                    self.same("exact", (observer, features), node, sight if sight[1][0] else sight[0], **words)
        return sights[1:]

    def know(self, node: Node, player: int) -> None:
        known = node.known[player]
        for method in "facts", "hand":
            if self.optional(method):
                self.same("told", (method, known), node, self.ask(method, node, player), what=method, player=player)
        if node.player != player:
            return
        self.to_act[player].add(known)
        self.same("legal", known, node, node.answers["legal_actions"], player=player)
        if not self.optional("hidden_moves"):
            self.same("decisions", known, node, node.decisions, player=player)

    def compare(self, one: Any, other: Any, method: str, node: Node) -> None:
        try:
            equal, hashes = bool(one == other), (hash(one), hash(other))
        except Exception as error:
            raise self.fault(f"states cannot be compared{self.after(node)}: {_raised(error)}") from error
        if not equal:
            reason = f"{shown(one)} and {shown(other)}; draw nothing at random here, and keep nothing in self"
            if type(one).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
                reason = f"a {type(one).__name__} equals nothing but itself; use named tuples or frozen dataclasses"
            raise self.fault(f"two calls of {method} return states that are not equal{self.after(node)}: {reason}")
        if hashes[0] != hashes[1]:
            raise self.fault(f"equal states have different hashes{self.after(node)}: {shown(one)}")

    def unchanged(self, node: Node, then: str) -> None:
        """Checks that all answers about a state are as they were when they were asked first."""
        for (method, before), (_, after) in zip(node.answers.items(), self.answers(node).items(), strict=False):
            if before != after:
                raise self.fault(
                    f"{method} is {shown(before)}{self.after(node)} and, {then} {shown(after)} for the same state; "
                    "methods must draw nothing at random, and change neither states nor anything in self"
                )
            if hash(before) != hash(after):
                raise self.fault(f"equal answers of {method} have different hashes{self.after(node)}: {shown(after)}")

    def play(self, root: Node, visited: list[Node]) -> None:
        """Plays random games, and looks in them for other histories that a player cannot tell apart."""
        end, idle = self.count + self.limit, 0
        while self.count < end and idle < _DRAWN:
            before = self.count
            game = [root, *takewhile(lambda _: self.count < end, self.random_game(root, self.rng))]
            visited.append(game[-1])
            decisions = [node for node in game if node.player >= 0]
            for node in self.rng.sample(decisions, min(3, len(decisions))):
                self.find_twin(root, node, node.player, self.rng)
            idle = 0 if self.count > before else idle + 1

    def compare_hashes(self) -> None:
        states = list(self.states)
        drawn = self.rng.sample(states, min(_DRAWN, len(states)))
        # Most neighbours have all but one event in common.
        for one, other in [*pairwise(states), *combinations(drawn, 2)]:
            if one == other and hash(one) != hash(other):
                raise self.differ("hash", (self.states[one], one), (self.states[other], other))

    def replay(self, visited: list[Node]) -> None:
        for node in self.rng.sample(visited, min(_DRAWN, len(visited))):
            for step in node.path():
                method, before = ("apply", step.parent) if step.parent else ("initial_state", None)
                self.compare(step.state, self.ask(method, before, *(step.event or ())[1:]), method, step)


def _raised(error: BaseException, where: str = "") -> str:
    return f"{type(error).__name__}{where}{f': {error}' if str(error) else ''}"
