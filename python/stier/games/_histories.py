"""The histories of a game: all of a small one, random ones of a large one."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from stier._native import CHANCE, TERMINAL

#: Random events without a decision in between after which a game counts as endless.
ENDLESS = 1000
#: Events that a search for a history with the same knowledge tries, and as many again for each event of the first one.
_TRIES, _TRIES_PER_EVENT = 200, 4


def noticed_after(before: tuple[int, Any], seen: Any) -> tuple[int, Any]:
    """Returns how often a player has noticed an event and what it noticed last, after an event: ``seen``, or None."""
    return before if seen is None else (before[0] + 1, seen)


class Node:
    """A history, and the state that it leads to."""

    #: The player whose turn it is, and the actions or outcomes that can follow.
    player: int
    actions: list[int]
    #: If the game is checked: the state as text, the answers about it by method, and, for a spectator and each
    #: player, how often it has noticed an event, and the last thing noticed.
    text: str
    answers: dict[str, Any]
    noticed: list[tuple[int, Any]]

    def __init__(self, state: Any, parent: Node | None = None, event: tuple[int, int] | None = None) -> None:
        self.state, self.parent = state, parent
        #: The player and the action that lead here from the parent.
        self.event = event
        by_chance = event is not None and event[0] == CHANCE
        #: The decisions and the random events so far, and the random events since the last decision.
        self.decisions: int = parent.decisions + (not by_chance) if parent else 0
        self.chances: int = parent.chances + by_chance if parent else 0
        self.in_a_row: int = parent.in_a_row + 1 if parent and by_chance else 0
        #: One bit for each choice and each run of random events, after a first one: 0 for a choice.
        self.pattern: int = 1 if parent is None else parent.pattern
        if parent is not None and not (by_chance and parent.in_a_row):
            self.pattern = parent.pattern << 1 | by_chance
        #: The logs of the players, as numbers: equal logs have equal numbers.
        self.known: tuple[int, ...] = ()
        #: The histories with one more event that are kept.
        self.children: dict[int, Node] = {}

    def path(self) -> list[Node]:
        """The nodes from the start to this one."""
        path: list[Node] = []
        node: Node | None = self
        while node is not None:
            path.append(node)
            node = node.parent
        return path[::-1]


class Histories:
    """A look at histories of a game. Notes what the players know in them.

    Args:
        game: An object with the members of a game.
        players: The players whose knowledge is noted.
    """

    def __init__(self, game: Any, players: range = range(0)) -> None:
        self.game, self.players = game, players
        #: The histories that were visited.
        self.count = 0
        #: The number of each log: of the log without its last entry, and this entry.
        self.logs: dict[Hashable, int] = {}
        #: By number of a log, its player's own action in the last entry, and what the player saw then.
        self.last: list[tuple[int | None, Any]] = []

    def visit(self, state: Any, parent: Node | None = None, event: tuple[int, int] | None = None) -> Node:
        """Returns the node of a history, which ends with this event and leads to this state."""
        node = Node(state, parent, event)
        node.player = self.game.current_player(state)
        if node.player == CHANCE:
            node.actions = [outcome for outcome, share in self.game.chance_outcomes(state) if share > 0]
        else:
            node.actions = [] if node.player == TERMINAL else list(self.game.legal_actions(state))
        self.note(node, [self.game.observation(state, player) for player in self.players])
        return node

    def note(self, node: Node, seen: Sequence[Hashable]) -> None:
        """Counts a history, and notes what the players know, given what each sees."""
        self.count += 1
        known = []
        for player, sight in zip(self.players, seen, strict=True):
            entry = sight, node.player if node.player in (player, TERMINAL) else None
            before = node.parent.known[player] if node.parent else None
            own = node.event[1] if node.event and node.event[0] == player else None
            if before is None or own is not None or entry != self.last[before][1]:
                before = self.logs.setdefault((player, before, own, entry), len(self.last))
                if before == len(self.last):
                    self.last.append((own, entry))
            known.append(before)
        node.known = tuple(known)

    def root(self) -> Node:
        """Visits the history without events."""
        return self.visit(self.game.initial_state())

    def child(self, node: Node, action: int) -> Node:
        """Visits the history with one more event."""
        return self.visit(self.game.apply(node.state, action), node, (node.player, action))

    def explore(self, root: Node, limit: int, few: int = 256, merge: bool = False) -> tuple[list[Node], bool]:
        """Visits the histories that go on from here, the shortest first, until there are so many.

        Args:
            root: The first history.
            limit: The number of histories at which to stop.
            few: The events that are followed at the start and wherever chance acts.
            merge: Follows only one history to each state after each number of random events.

        Returns:
            The nodes, and whether they are all.
        """
        visited, waiting, states = [root], deque([root]), set()
        while waiting:
            node = waiting.popleft()
            actions = node.actions
            if len(actions) > few and (node is root or node.player == CHANCE):
                actions = actions[: few - 1] + actions[1 - few :]
            for action in actions:
                if len(visited) >= limit:
                    return visited, False
                child = self.child(node, action)
                state = (child.state, child.chances) if merge else child
                if state not in states:
                    states.add(state)
                    visited.append(child)
                    waiting.append(child)
        return visited, True

    def random_game(self, root: Node, rng: random.Random) -> Iterator[Node]:
        """Visits the histories of a random game, from its first event to its end, unless only chance goes on."""
        node = root
        while node.actions and node.in_a_row < ENDLESS:
            node = self.child(node, rng.choice(node.actions))
            yield node

    def find_twin(self, root: Node, target: Node, player: int, rng: random.Random) -> None:
        """Looks for another history that a player cannot tell apart from this one, and visits it."""
        path = target.path()
        logs = list(dict.fromkeys(node.known[player] for node in path))
        places = {log: place for place, log in enumerate(logs)}
        # The share of the other events in which the two are likely to agree.
        share = 0.0

        def events(node: Node) -> Iterator[int]:
            """The events to try after a history, the best first."""
            depth, known = node.decisions + node.chances, node.known[player]
            if node.player == player:
                place = places[known] + 1
                own = self.last[logs[place]][0] if place < len(logs) else None
                return iter([] if own is None else [own])
            actions = rng.sample(node.actions, len(node.actions))
            if depth + 1 < len(path) and (event := path[depth + 1].event) is not None:
                if path[depth].known[player] != path[depth + 1].known[player]:
                    del actions[2:]  # the player noticed this event, and could tell most others apart from it
                if event[1] in node.actions:
                    actions = [action for action in actions if action != event[1]]
                    actions.insert(0 if rng.random() < share else len(actions), event[1])
            return iter(actions)

        stack: list[tuple[Any, Iterator[Any]]] = []
        for tried in range(_TRIES + _TRIES_PER_EVENT * len(path)):
            # Begins anew now and then: a wrong event may show late, as a card that is seen once all are dealt.
            if tried % (3 * len(path) // 2) == 0:
                share, stack = rng.random() ** 0.125, [(root, events(root))]
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
