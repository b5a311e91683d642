"""The conformance suite for games: what a game promises, and how its histories show that it keeps it."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from stier import _arguments, _native
from stier._native import CHANCE, TERMINAL, Game
from stier.errors import GameError
from stier.games._histories import ENDLESS, Histories, Node
from stier.games._members import FORMS, check_members, shown
from stier.games._registry import _classes, class_and_options
from stier.games._sheet import made, read_options

__all__ = ["GameReport", "check_game"]

#: States and histories that are drawn for the checks at the end.
_DRAWN = 100
#: Events that a search for a history with the same knowledge tries, and as many again for each event of the first one.
_TRIES, _TRIES_PER_EVENT = 200, 4

_APART = "though player {player} cannot tell the histories apart"
#: What must be the same in two histories that have something in common: what differs in them, and how to mend it.
_SAME = {
    "in equal states": (
        "{what} differs in equal states",
        "a state must contain, and its equality compare, everything that matters from there on",
    ),
    "hashes": ("two equal states have different hashes", "equality and hash must depend on the same things"),
    "spectator": (
        "a spectator sees more than player {player}, who observes {seen} both times",
        "show every player what observation(state, None) shows",
    ),
    "noticed": (
        "a spectator notices more than player {player} (the number of times, and the last)",
        "let every player notice what observed(state, action, None) returns",
    ),
    "features": (
        "features(state, {player}) differs though the observation is {seen} both times",
        "make them of the observation only",
    ),
    "length": ("the number of features differs", "return the same number each time"),
    "exact": (
        "features(state, {player}) is the same for two observations",
        "add features that tell them apart, or write exact_features = False",
    ),
    "told": (
        "{what}(state, {player}) differs " + _APART,
        "make it of what the player has seen, or let the observation show the difference",
    ),
    "legal": ("legal_actions differ " + _APART, "let observation(state, {player}) show what they depend on"),
    "decisions": (
        "the number of decisions differs " + _APART,
        "let the observation show that others have acted, or write hidden_moves = True",
    ),
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


def check_game(game: Any, *, histories: int = 10_000, seed: int = 0) -> GameReport:
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

    Raises:
        GameError: The first fault: the method, what is wrong with it, and the histories that show it.
        RulesError: A game or an option that does not exist, or options that do not fit together.
    """
    limit = _arguments.count("histories", histories)
    return _Checker(_rules(game), limit, random.Random(_arguments.seed(seed))).run()


def _rules(game: Any) -> Any:
    """Returns an object with the rules of a game."""
    owner, options = class_and_options(game) if isinstance(game, str) else (game, {})
    if hasattr(owner, "initial_state") and not isinstance(owner, type):
        return owner
    if not isinstance(owner, type):
        loaded = _native.load_game(game)
        if loaded.short_name() not in _classes:
            return _Loaded(loaded)
        owner, options = _classes[loaded.short_name()], loaded.rules()
    return made(owner, read_options(owner, "", options))


class _Loaded:
    """A game of the package or of OpenSpiel, with the members of a game written in Python."""

    #: Games that are loaded tell solvers themselves whether they have hidden moves.
    hidden_moves = True

    def __init__(self, game: Game) -> None:
        self.name, self.utility_sum = game.short_name(), game.utility_sum()
        self.utility_range = game.min_utility(), game.max_utility()
        self.num_players, self.num_actions = game.num_players(), game.num_distinct_actions()
        self.max_decisions, self.max_chance_events = game.max_game_length(), game.max_chance_nodes_in_history()
        self.num_outcomes = game.max_chance_outcomes()
        self.initial_state = game.new_initial_state
        self.action_name: Callable[[int], str] = lambda action: game.action_to_string(0, action)
        self.outcome_name: Callable[[int], str] = lambda outcome: game.action_to_string(CHANCE, outcome)

    current_player = staticmethod(_native.State.current_player)
    legal_actions = staticmethod(_native.State.legal_actions)
    chance_outcomes = staticmethod(_native.State.chance_outcomes)
    apply = staticmethod(_native.State.child)
    returns = staticmethod(_native.State.returns)
    hand = staticmethod(_native.State.hand)

    def facts(self, state: _native.State, player: int | None) -> dict[str, Any]:
        return {} if player is None else state.facts(player)

    def observation(self, state: _native.State, player: int | None) -> str | None:
        return None if player is None else state.information_state_string(player)


class _Checker(Histories):
    """The checks of one game."""

    def __init__(self, game: Any, limit: int, rng: random.Random) -> None:
        check_members(game)
        super().__init__(game, range(game.num_players))
        self.name, self.limit, self.rng = game.name, limit, rng
        self.observers = [None, *self.players]
        #: States cannot be compared, as those of OpenSpiel.
        self.incomparable = bool(self.optional("states_are_histories"))
        #: The first history that leads to each state.
        self.states: dict[Any, Node] = {}
        #: By what histories have in common, the first one, and what must be the same in the others.
        self.first: dict[Hashable, tuple[Node, Any]] = {}
        self.decisions = self.longest = 0
        #: The logs after which each player is to act.
        self.to_act: list[set[int]] = [set() for _ in self.players]
        self.names: dict[str, dict[int, str]] = {"action_name": {}, "outcome_name": {}}
        for method, number in ("action_name", game.num_actions), ("outcome_name", self.optional("num_outcomes") or 0):
            for one in range(number):
                self.named(method, one)

    def run(self) -> GameReport:
        """Visits histories and checks them."""
        root = self.root()
        self.compare(root.state, self.ask("initial_state", None), "initial_state", root)
        visited, exhaustive = self.explore(root, self.limit)
        if not exhaustive:
            self.play(root, visited)
        self.compare_hashes()
        self.replay(visited)
        return GameReport(self.name, self.count, self.decisions, tuple(map(len, self.to_act)), self.longest, exhaustive)

    def optional(self, member: str) -> Any:
        """Returns an optional member, or None."""
        return getattr(self.game, member, None)

    # Messages

    def fault(self, sentence: str) -> GameError:
        """Returns the error for a fault."""
        return GameError(f"{self.name}: {sentence}")

    def differ(self, promise: str, one: tuple[Node, Any], other: tuple[Node, Any], **words: Any) -> GameError:
        """Returns the error for two histories that must not differ in a value."""
        what, mend = (text.format(**words) for text in _SAME[promise])
        names = self.names["action_name"]
        values = [
            f"{', '.join(names[action] for action in value) if promise == 'legal' else shown(value)} {self.after(node)}"
            for node, value in (one, other)
        ]
        return self.fault(f"{what}: {values[0]}, and {values[1]}; {mend}")

    def same(self, promise: str, key: Hashable, node: Node, value: Any, **words: Any) -> None:
        """Checks that a value is the same in all histories that have the key in common."""
        first = self.first.setdefault((promise, key), (node, value))
        if first[1] != value:
            raise self.differ(promise, first, (node, value), **words)

    def after(self, node: Node | None) -> str:
        """Returns a history in words."""
        words = [
            f"chance {self.named('outcome_name', one.event[1])}"
            if one.event[0] == CHANCE
            else f"player {one.event[0]} {self.named('action_name', one.event[1])}"
            for one in (node.path() if node else ())
            if one.event is not None
        ]
        return f"after [{', '.join(words)}]" if words else "at the start"

    def named(self, method: str, number: int) -> str:
        """Returns the name of an action or an outcome. It must not be another's."""
        names, function = self.names[method], self.optional(method)
        if number in names:
            return names[number]
        try:
            name = str(number) if function is None else function(number)
        except Exception as error:
            raise self.fault(f"{method}({number}) raises {_raised(error)}") from error
        if not isinstance(name, str) or not name.strip():
            raise self.fault(f"{method}({number}) is {shown(name)}; a name is a text")
        for other, others in names.items():
            if others.split() == name.split():
                raise self.fault(f"{method} is {name!r} for both {other} and {number}; names must differ")
        names[number] = name
        return name

    # Answers

    def ask(self, method: str, node: Node | None, *arguments: Any) -> Any:
        """Calls a method for the state of a history. It must not raise, nor change the state."""
        states = [] if node is None else [node.state]
        call = f"{method}({', '.join(['state'] * len(states) + [str(argument) for argument in arguments])})"
        try:
            found = getattr(self.game, method)(*states, *arguments)
            text = "" if node is None else repr(node.state)
        except Exception as error:
            is_spectator = isinstance(error, TypeError) and arguments[-1:] == (None,)
            hint = "; player is None for a spectator" if is_spectator else ""
            raise self.fault(f"{call} raises {_raised(error, self.after(node))}{hint}") from error
        if node is not None and text != node.text:
            raise self.fault(
                f"{method} changes the state that it is given {self.after(node)}, from {shown(node.text, str)} to "
                f"{shown(text, str)}; states must never change, so return a new one"
            )
        if wrong := FORMS[method](found, self.game):
            raise self.fault(f"{call if arguments else method} is {shown(found)} {self.after(node)}; {wrong}")
        return found

    def answers(self, node: Node) -> dict[str, Any]:
        """Asks everything about a state."""
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
            if not self.incomparable:
                hash(state)
        except Exception as error:
            raise self.fault(
                f"the state {shown(state)} {self.after(node)} cannot be hashed ({_raised(error)}); states are tuples, "
                "named tuples or frozen dataclasses, with tuples and frozensets in place of lists, dicts and sets"
            ) from error
        node.answers = self.answers(node)
        node.player = node.answers["current_player"]
        outcomes = [outcome for outcome, _ in node.answers.get("chance_outcomes", ())]
        node.actions = outcomes or list(node.answers.get("legal_actions", ()))
        self.check_length(node)
        if not self.incomparable:
            first = self.states.setdefault(state, node)
            for (what, there), (_, here) in zip(first.answers.items(), node.answers.items(), strict=True):
                if here != there:
                    raise self.differ("in equal states", (first, there), (node, here), what=what)
        self.note(node, self.look(node))
        if self.optional("facts"):
            self.ask("facts", node, None)
        for player in self.players:
            self.know(node, player)
        if node.player == TERMINAL:
            self.unchanged(node, "asked again,")
        return node

    def check_length(self, node: Node) -> None:
        """Checks that an event may follow."""
        self.longest = max(self.longest, node.decisions)
        most, most_chance = self.game.max_decisions, self.optional("max_chance_events")
        if node.player >= 0:
            self.decisions += 1
            if node.decisions >= most:
                raise self.fault(f"max_decisions is {most}, and player {node.player} is to act {self.after(node)}")
            if self.optional("evaluate"):
                self.ask("evaluate", node)
        if node.player == CHANCE:
            if most_chance is not None and node.chances >= most_chance:
                raise self.fault(f"max_chance_events is {most_chance}, and chance is to act {self.after(node)}")
            if node.in_a_row >= ENDLESS:
                start = node.path()[-1 - ENDLESS]
                raise self.fault(f"the game does not end: chance acts {ENDLESS} times in a row {self.after(start)}")

    def look(self, node: Node) -> list[Any]:
        """Checks what must follow from what every observer sees. Returns what the players see."""
        noticed = list(node.parent.noticed) if node.parent else [(0, None)] * len(self.observers)
        for place, observer in enumerate(self.observers):
            if node.parent and node.event and self.optional("observed"):
                what = self.ask("observed", node.parent, node.event[1], observer)
                noticed[place] = noticed[place] if what is None else (noticed[place][0] + 1, what)
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
                if self.optional("exact_features") is not False:
                    self.same("exact", (observer, features), node, sight if sight[1][0] else sight[0], **words)
        return sights[1:]

    def know(self, node: Node, player: int) -> None:
        """Checks what must follow from what a player knows."""
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
        """Checks that two calls have returned the same state."""
        if self.incomparable:
            return
        try:
            equal, hashes = bool(one == other), (hash(one), hash(other))
        except Exception as error:
            raise self.fault(f"states cannot be compared {self.after(node)}: {_raised(error)}") from error
        if not equal:
            reason = f"{shown(one)} and {shown(other)}; draw nothing at random here, and keep nothing in self"
            if type(one).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
                reason = f"a {type(one).__name__} equals nothing but itself; use named tuples or frozen dataclasses"
            raise self.fault(f"two calls of {method} return states that are not equal {self.after(node)}: {reason}")
        if hashes[0] != hashes[1]:
            raise self.fault(f"equal states have different hashes {self.after(node)}: {shown(one)}")

    def unchanged(self, node: Node, then: str) -> None:
        """Checks that all answers about a state are as they were when they were asked first."""
        for (method, before), (_, after) in zip(node.answers.items(), self.answers(node).items(), strict=False):
            if before != after:
                raise self.fault(
                    f"{method} is {shown(before)} {self.after(node)} and, {then} {shown(after)} for the same state; "
                    "methods must draw nothing at random, and change neither states nor anything in self"
                )
            if hash(before) != hash(after):
                raise self.fault(f"equal answers of {method} have different hashes {self.after(node)}: {shown(after)}")

    def play(self, root: Node, visited: list[Node]) -> None:
        """Plays random games, and looks in them for other histories that a player cannot tell apart."""
        end, idle = self.count + self.limit, 0
        while self.count < end and idle < _DRAWN:
            before, node = self.count, root
            for after in self.random_game(root, self.rng):
                node = after
                if self.count >= end:
                    break
            visited.append(node)
            decisions = [one for one in node.path() if one.player >= 0]
            for one in self.rng.sample(decisions, min(3, len(decisions))):
                self.find_twin(root, one, one.player)
            idle = 0 if self.count > before else idle + 1

    def find_twin(self, root: Node, target: Node, player: int) -> None:
        """Looks for another history that a player cannot tell apart from this one. Visiting it compares the two."""
        path = target.path()
        logs = list(dict.fromkeys(node.known[player] for node in path))
        places = {log: place for place, log in enumerate(logs)}
        #: The share of the other events in which the two are likely to agree.
        share = self.rng.random()

        def events(node: Node) -> Iterator[int]:
            """The events to try after a history, the best first."""
            depth, known = node.decisions + node.chances, node.known[player]
            if node.player == player:
                place = places[known] + 1
                own = self.last[logs[place]][0] if place < len(logs) else None
                return iter([] if own is None else [own])
            actions = self.rng.sample(node.actions, len(node.actions))
            if depth + 1 < len(path) and (event := path[depth + 1].event) is not None:
                if path[depth].known[player] != path[depth + 1].known[player]:
                    del actions[2:]  # the player noticed this event, and could tell most others apart from it
                if event[1] in node.actions:
                    actions = [action for action in actions if action != event[1]]
                    actions.insert(0 if self.rng.random() < share else len(actions), event[1])
            return iter(actions)

        stack = [(root, events(root))]
        for _ in range(_TRIES + _TRIES_PER_EVENT * len(path)):
            action = None
            while stack and (action := next(stack[-1][1], None)) is None:
                stack.pop()
            if action is None:
                return
            node = stack[-1][0]
            child = self.child(node, action)
            place = places[node.known[player]]
            if child is not target and child.known[player] in logs[place : place + 2]:
                if child.known[player] == logs[-1]:
                    return
                stack.append((child, events(child)))

    def compare_hashes(self) -> None:
        """Checks that equal states have equal hashes."""
        states = list(self.states)
        drawn = self.rng.sample(states, min(_DRAWN, len(states)))
        # Most neighbours have all but one event in common.
        for one, other in [*pairwise(states), *combinations(drawn, 2)]:
            if one == other and hash(one) != hash(other):
                raise self.differ("hashes", (self.states[one], one), (self.states[other], other))

    def replay(self, visited: list[Node]) -> None:
        """Plays some histories once more."""
        for node in self.rng.sample(visited, min(_DRAWN, len(visited))):
            for step in node.path():
                method, before = ("apply", step.parent) if step.parent else ("initial_state", None)
                self.compare(step.state, self.ask(method, before, *(step.event or ())[1:]), method, step)


def _raised(error: Exception, where: str = "") -> str:
    """Returns an exception in words."""
    return ": ".join(filter(None, [" ".join(filter(None, [type(error).__name__, where])), str(error)]))
