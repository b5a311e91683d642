"""`stier.check_game`: it passes games that keep their promises, and names the first fault of those that do not."""

from __future__ import annotations

import enum
import math
import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from helpers import EXAMPLES, sentence
from kuhn import Kuhn

import stier
from stier import CHANCE, TERMINAL
from stier.games import _members as members


class Tiny:
    """Chance shows player 0 one of three cards; player 0 says one of two words; player 1 repeats one."""

    name = "tiny"
    num_players = 2
    num_actions = 2
    num_outcomes = 3
    max_decisions = 2
    max_chance_events = 1
    utility_range = (-1.0, 1.0)
    utility_sum: float | None = 0.0

    def initial_state(self) -> Any:
        return ()

    def current_player(self, state: Any) -> int:
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def legal_actions(self, state: Any) -> Any:
        return [0, 1]

    def chance_outcomes(self, state: Any) -> Any:
        return [(0, 0.5), (1, 0.25), (2, 0.25)]

    def apply(self, state: Any, action: int) -> Any:
        return (*state, action)

    def returns(self, state: Any) -> Any:
        return [1, -1] if state[1] == state[2] else [-1, 1]

    def observation(self, state: Any, player: int | None) -> Any:
        return state[:1] if player == 0 else (), state[1:]

    def action_name(self, action: int) -> str:
        return ["yes", "no"][action]

    def outcome_name(self, outcome: int) -> str:
        return "ABC"[outcome]


def tiny(**members: Any) -> type:
    """The game with other members."""
    return type("Broken", (Tiny,), members)


def without(name: str, **members: Any) -> type:
    """The game without a member, and with others."""
    others = {member: value for member, value in vars(Tiny).items() if member not in (name, "__dict__", "__weakref__")}
    return type("Broken", (), others | members)


class Boxed:
    """A state that is equal to itself alone."""

    def __init__(self, events: tuple[int, ...]) -> None:
        self.events = events

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.events}"

    def __len__(self) -> int:
        return len(self.events)

    def __getitem__(self, place: Any) -> Any:
        return self.events[place]

    def __iter__(self) -> Any:
        return iter(self.events)


class Equal(Boxed):
    """A state whose equality and hash disagree."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.events == other.events

    def __hash__(self) -> int:
        return id(self)


class FirstTwo(Equal):
    """A state whose equality forgets all but the first two events, and whose hash does not."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FirstTwo) and self.events[:1] == other.events[:1] and len(self) == len(other)

    def __hash__(self) -> int:
        return hash(self.events)


class Noted(list):  # type: ignore[type-arg]
    """A list that can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))


def grows(self: Any, state: Any, action: int) -> Any:
    state.append(action)
    return state


def remembers(self: Any, state: Any, action: int) -> Any:
    self.last = action
    return (*state, action)


def with_options(make: Callable[..., None]) -> type:
    return tiny(__init__=make)


def no_default(self: Any, cards: int) -> None: ...
def no_type(self: Any, cards=2) -> None: ...  # type: ignore[no-untyped-def]
def strange_type(self: Any, cards: list[int] = []) -> None: ...  # noqa: B006
def other_type(self: Any, cards: int = "2") -> None: ...  # type: ignore[assignment]
def other_choice(self: Any, cards: Literal[2, 3] = 4) -> None: ...  # type: ignore[assignment]
def keywords(self: Any, **cards: int) -> None: ...
def counts(self: Any) -> None:
    self.calls = count()


def refuses(self: Any, cards: int = 2) -> None:
    raise ValueError("only three cards")


@dataclass(unsafe_hash=True)
class Loose:
    events: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Unequal:
    length: int


@dataclass(frozen=True)
class Forgetful:
    """A state whose equality forgets the last event."""

    length: int
    last: int | None = field(compare=False, default=None)


def forgetful(**members: Any) -> type:
    members = {
        "initial_state": lambda self: Forgetful(0),
        "current_player": lambda self, state: (CHANCE, 0, 1, TERMINAL)[state.length],
        "apply": lambda self, state, action: Forgetful(state.length + 1, action),
        "returns": lambda self, state: [0, 0],
        "observation": lambda self, state, player: state.length,
        **members,
    }
    return tiny(**members)


#: Player 0 acts once or twice before player 1 does, who sees nothing.
HIDDEN_MOVES: dict[str, Any] = {
    "current_player": lambda self, state: [CHANCE, 0, *([1] if state[1:2] == (1,) else [0, 1]), TERMINAL][len(state)],
    "max_decisions": 3,
    "returns": lambda self, state: [0, 0],
    "observation": lambda self, state, player: None,
}

#: Broken games, each with the sentence that says what is wrong with it.
FAULTS: dict[str, tuple[Any, str]] = {
    "no name": (without("name"), "Broken: name is None; it must be text such as 'my_game': a-z, 0-9 and _"),
    "a name with a capital": (
        tiny(name="Tiny"),
        "Broken: name is 'Tiny'; it must be text such as 'my_game': a-z, 0-9 and _",
    ),
    "missing attribute": (without("utility_sum"), "tiny: utility_sum is missing"),
    "missing method": (without("returns"), "tiny: returns is missing"),
    "players": (tiny(num_players=6), "tiny: num_players is 6; it must be a whole number from 2 to 5"),
    "actions": (tiny(num_actions=257), "tiny: num_actions is 257; it must be a whole number from 1 to 256"),
    "a flag": (tiny(hidden_moves=1), "tiny: hidden_moves is 1; it must be True or False"),
    "range": (
        tiny(utility_range=(1, -1)),
        "tiny: utility_range is (1, -1); it must be two finite numbers, the lowest and the highest return",
    ),
    "no method": (tiny(apply=3), "tiny: apply is 3; it must be a method"),
    "arguments": (
        tiny(apply=lambda self, state: state),
        "tiny: apply takes (state); it is called with (state, action)",
    ),
    "option without default": (
        with_options(no_default),
        "Broken: option 'cards' must have a default and one of the types int, float, bool, str, Literal or "
        "an Enum, as in 'players: int = 2', got 'cards: 'int''",
    ),
    "option without type": (
        with_options(no_type),
        "Broken: option 'cards' must have a default and one of the types int, float, bool, str, Literal or "
        "an Enum, as in 'players: int = 2', got 'cards=2'",
    ),
    "option of a strange type": (
        with_options(strange_type),
        "Broken: option 'cards' must have a default and one of the types int, float, bool, str, Literal or "
        "an Enum, as in 'players: int = 2', got 'cards: 'list[int]' = []'",
    ),
    "default of another type": (
        with_options(other_type),
        "tiny: the default of option cards, '2', does not have the type that the option has",
    ),
    "default that is not a choice": (with_options(other_choice), "tiny: cards must be 2 or 3, got '4'"),
    "keywords": (with_options(keywords), "Broken: options are keyword arguments by name, got '**cards: 'int''"),
    "raising in init": (with_options(refuses), "tiny: __init__ raises ValueError: only three cards"),
    "equal action names": (
        tiny(action_name=lambda self, action: "yes"),
        "tiny: action_name is 'yes' for both 0 and 1; names must differ",
    ),
    "action names that are not text": (
        tiny(action_name=lambda self, action: action),
        "tiny: action_name(0) is 0; a name is a text",
    ),
    "equal outcome names": (
        tiny(outcome_name=lambda self, outcome: "A"),
        "tiny: outcome_name is 'A' for both 0 and 1; names must differ",
    ),
    "raising name": (
        tiny(action_name=lambda self, action: ["yes"][action]),
        "tiny: action_name(1) raises IndexError: list index out of range",
    ),
    "raising": (
        tiny(returns=lambda self, state: [1 / state[1], 0]),
        "tiny: returns(state) raises ZeroDivisionError after [chance: A, player 0: yes, player 1: yes]: division by "
        "zero",
    ),
    "a list as state": (
        tiny(initial_state=lambda self: [], apply=lambda self, state, action: [*state, action]),
        "tiny: the state [] at the start cannot be hashed (TypeError: unhashable type: 'list'); states are "
        "tuples, named tuples or frozen dataclasses, with tuples and frozensets in place of lists, dicts "
        "and sets",
    ),
    "a state equal to itself alone": (
        tiny(initial_state=lambda self: Boxed(()), apply=lambda self, state, action: Boxed((*state, action))),
        "tiny: two calls of initial_state return states that are not equal at the start: a Boxed equals "
        "nothing but itself; use named tuples or frozen dataclasses",
    ),
    "hash by identity": (
        tiny(initial_state=lambda self: Equal(()), apply=lambda self, state, action: Equal((*state, action))),
        "tiny: equal states have different hashes at the start: Equal()",
    ),
    "hash of more than equality": (
        tiny(
            initial_state=lambda self: FirstTwo(()),
            apply=lambda self, state, action: FirstTwo((*state, action)),
        ),
        "tiny: two equal states have different hashes: FirstTwo(0, 0) after [chance: A, player 0: yes], and "
        "FirstTwo(0, 1) after [chance: A, player 0: no]; equality and hash must depend on the same things",
    ),
    "chance in apply": (
        tiny(__init__=counts, apply=lambda self, state, action: (*state, action, next(self.calls))),
        "tiny: two calls of apply return states that are not equal after [chance: A]: (0, 0) and (0, 1); "
        "draw nothing at random here, and keep nothing in self",
    ),
    "random start": (
        tiny(__init__=counts, initial_state=lambda self: (next(self.calls),)),
        "tiny: two calls of initial_state return states that are not equal at the start: (0,) and (1,); "
        "draw nothing at random here, and keep nothing in self",
    ),
    "apply changes its argument": (
        tiny(
            initial_state=lambda self: Noted(),
            apply=grows,
            observation=lambda self, state, player: tuple(state),
        ),
        "tiny: apply changes the state that it is given at the start, from [] to [0]; states must never "
        "change, so return a new one",
    ),
    "observation changes its argument": (
        tiny(
            initial_state=lambda self: Noted(),
            apply=lambda self, state, action: Noted([*state, action]),
            observation=lambda self, state, player: (state.reverse(), tuple(state)),
        ),
        "tiny: observation changes the state that it is given after [chance: A, player 0: no], from [0, 1] "
        "to [1, 0]; states must never change, so return a new one",
    ),
    "apply changes the game": (
        tiny(apply=remembers, last=None, observation=lambda self, state, player: (self.last, state)),
        "tiny: observation(state, None) is (None, ()) at the start and, after apply(state, 0) was called, "
        "(0, ()) for the same state; methods must draw nothing at random, and change neither states nor "
        "anything in self",
    ),
    "player out of range": (
        tiny(current_player=lambda self, state: 2),
        "tiny: current_player is 2 at the start; it must be a player from 0 to 1, stier.CHANCE or stier.TERMINAL",
    ),
    "no player": (
        tiny(current_player=lambda self, state: None),
        "tiny: current_player is None at the start; it must be a player from 0 to 1, stier.CHANCE or stier.TERMINAL",
    ),
    "no legal action": (
        tiny(legal_actions=lambda self, state: []),
        "tiny: legal_actions is [] after [chance: A]; a player to act needs an action, so add one for "
        "passing or let current_player skip the player",
    ),
    "unsorted actions": (
        tiny(legal_actions=lambda self, state: [1, 0]),
        "tiny: legal_actions is [1, 0] after [chance: A]; actions are listed in ascending order, once each",
    ),
    "an action twice": (
        tiny(legal_actions=lambda self, state: [0, 1, 1]),
        "tiny: legal_actions is [0, 1, 1] after [chance: A]; actions are listed in ascending order, once each",
    ),
    "an action out of range": (
        tiny(legal_actions=lambda self, state: [0, 2]),
        "tiny: legal_actions is [0, 2] after [chance: A]; actions are numbers from 0 to 1, as num_actions says",
    ),
    "actions that are not numbers": (
        tiny(legal_actions=lambda self, state: ["yes", "no"]),
        "tiny: legal_actions is ['yes', 'no'] after [chance: A]; actions are a list of whole numbers",
    ),
    "a set of actions": (
        tiny(legal_actions=lambda self, state: {0, 1}),
        "tiny: legal_actions is {0, 1} after [chance: A]; actions are a list of whole numbers",
    ),
    "no outcome": (
        tiny(chance_outcomes=lambda self, state: []),
        "tiny: chance_outcomes is [] at the start; chance needs an outcome",
    ),
    "outcomes without probabilities": (
        tiny(chance_outcomes=lambda self, state: [0, 1]),
        "tiny: chance_outcomes is [0, 1] at the start; it must be a list of tuples (outcome, probability)",
    ),
    "unsorted outcomes": (
        tiny(chance_outcomes=lambda self, state: [(1, 0.5), (0, 0.5)]),
        "tiny: chance_outcomes is [(1, 0.5), (0, 0.5)] at the start; outcomes are listed in ascending order, once each",
    ),
    "an outcome twice": (
        tiny(chance_outcomes=lambda self, state: [(1, 0.5), (1, 0.5)]),
        "tiny: chance_outcomes is [(1, 0.5), (1, 0.5)] at the start; outcomes are listed in ascending order, once each",
    ),
    "an outcome out of range": (
        tiny(chance_outcomes=lambda self, state: [(1, 0.5), (3, 0.5)]),
        "tiny: chance_outcomes is [(1, 0.5), (3, 0.5)] at the start; outcomes are numbers from 0 to 2, as "
        "num_outcomes says",
    ),
    "probability zero": (
        tiny(chance_outcomes=lambda self, state: [(1, 1.0), (2, 0.0)]),
        "tiny: chance_outcomes is [(1, 1.0), (2, 0.0)] at the start; probabilities must be positive, so leave"
        " out what cannot happen",
    ),
    "negative probability": (
        tiny(chance_outcomes=lambda self, state: [(1, 1.5), (2, -0.5)]),
        "tiny: chance_outcomes is [(1, 1.5), (2, -0.5)] at the start; probabilities must be positive, so "
        "leave out what cannot happen",
    ),
    "probability nan": (
        tiny(chance_outcomes=lambda self, state: [(1, math.nan)]),
        "tiny: chance_outcomes is [(1, nan)] at the start; probabilities must be positive, so leave out what "
        "cannot happen",
    ),
    "sum of probabilities": (
        tiny(chance_outcomes=lambda self, state: [(1, 0.5), (2, 0.499999)]),
        "tiny: chance_outcomes is [(1, 0.5), (2, 0.499999)] at the start; the probabilities add up to "
        "0.9999990000000001, not to 1",
    ),
    "too many decisions": (
        tiny(max_decisions=1),
        "tiny: max_decisions is 1, and player 1 is to act after [chance: A, player 0: yes]",
    ),
    "too many random events": (
        tiny(max_chance_events=0),
        "tiny: max_chance_events is 0, and chance is to act at the start",
    ),
    "endless chance": (
        tiny(
            max_chance_events=None,
            current_player=lambda self, state: CHANCE,
            initial_state=lambda self: 0,
            apply=lambda self, state, action: state,
            chance_outcomes=lambda self, state: [(0, 1.0)],
            observation=lambda self, state, player: None,
        ),
        "tiny: the game does not end: chance acts 1000 times in a row at the start",
    ),
    "too few returns": (
        tiny(returns=lambda self, state: [0.0]),
        "tiny: returns is [0.0] after [chance: A, player 0: yes, player 1: yes]; it must be a list of 2 "
        "finite numbers, one for each player",
    ),
    "returns that are not finite": (
        tiny(returns=lambda self, state: [math.inf, -math.inf]),
        "tiny: returns is [inf, -inf] after [chance: A, player 0: yes, player 1: yes]; it must be a list of 2 "
        "finite numbers, one for each player",
    ),
    "returns out of range": (
        tiny(returns=lambda self, state: [2, -2]),
        "tiny: returns is [2, -2] after [chance: A, player 0: yes, player 1: yes]; utility_range is -1 to 1",
    ),
    "sum of returns": (
        tiny(returns=lambda self, state: [1, -0.5]),
        "tiny: returns is [1, -0.5] after [chance: A, player 0: yes, player 1: yes]; they add up to 0.5, and "
        "utility_sum is 0; write None if the sum is not always the same",
    ),
    "chance in returns": (
        tiny(__init__=counts, returns=lambda self, state: [x := next(self.calls) % 2, -x]),
        "tiny: returns is (0.0, 0.0) after [chance: A, player 0: yes, player 1: yes] and, asked again, (1.0, "
        "-1.0) for the same state; methods must draw nothing at random, and change neither states nor "
        "anything in self",
    ),
    "no spectator": (
        tiny(observation=lambda self, state, player: (player + 1, state[1:])),
        "tiny: observation(state, None) raises TypeError at the start: unsupported operand type(s) for +: "
        "'NoneType' and 'int'; player is None for a spectator",
    ),
    "equal states with other players": (
        forgetful(current_player=lambda self, state: (CHANCE, int(state.last == 0), 1, TERMINAL)[state.length]),
        "tiny: current_player differs in equal states: 1 after [chance: A], and 0 after [chance: B]; a state "
        "must contain, and its equality compare, everything that matters from there on",
    ),
    "equal states with other actions": (
        forgetful(legal_actions=lambda self, state: [0] if state.last == 0 else [0, 1]),
        "tiny: legal_actions differs in equal states: (0,) after [chance: A], and (0, 1) after [chance: B]; "
        "a state must contain, and its equality compare, everything that matters from there on",
    ),
    "equal states with other outcomes": (
        forgetful(
            current_player=lambda self, state: (CHANCE, CHANCE, 0, TERMINAL)[state.length],
            max_chance_events=2,
            chance_outcomes=lambda self, state: [(0, 0.5), (1, 0.5)] if not state.last else [(0, 1.0)],
        ),
        "tiny: chance_outcomes differs in equal states: ((0, 0.5), (1, 0.5)) after [chance: A], and ((0, "
        "1.0),) after [chance: B]; a state must contain, and its equality compare, everything that matters "
        "from there on",
    ),
    "equal states with other observations": (
        forgetful(observation=lambda self, state, player: state.last),
        "tiny: observation(state, None) differs in equal states: 0 after [chance: A], and 1 after [chance: "
        "B]; a state must contain, and its equality compare, everything that matters from there on",
    ),
    "equal states with other returns": (
        forgetful(returns=lambda self, state: [1, -1] if state.last == 0 else [-1, 1]),
        "tiny: returns differs in equal states: (1.0, -1.0) after [chance: A, player 0: yes, player 1: yes], "
        "and (-1.0, 1.0) after [chance: A, player 0: yes, player 1: no]; a state must contain, and its "
        "equality compare, everything that matters from there on",
    ),
    "actions that depend on a hidden card": (
        tiny(legal_actions=lambda self, state: [0, 1] if len(state) == 1 or state[0] == 0 else [0]),
        "tiny: legal_actions differ though player 1 cannot tell the histories apart: yes, no after [chance: "
        "A, player 0: yes], and yes after [chance: B, player 0: yes]; let observation(state, 1) show what "
        "they depend on",
    ),
    "hidden moves": (
        tiny(**HIDDEN_MOVES),
        "tiny: the number of decisions differs though player 1 cannot tell the histories apart: 1 after "
        "[chance: A, player 0: no], and 2 after [chance: A, player 0: yes, player 0: yes]; let the observation "
        "show that others have acted, or write hidden_moves = True",
    ),
    "a spectator who sees more": (
        tiny(observation=lambda self, state, player: (state[:1] if player != 1 else (), state[1:])),
        "tiny: a spectator sees more than player 1, who observes ((), ()) both times: ((), ()) at the "
        "start, and ((0,), ()) after [chance: A]; show every player what observation(state, None) shows",
    ),
    "observed of a strange form": (
        tiny(observed=lambda self, state, action, player: [action]),
        "tiny: observed(state, 0, None) is [0] at the start; its part [0] must be None, a bool, int, float "
        "(not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of these",
    ),
    "raising observed": (
        tiny(observed=lambda self, state, action, player: [None][action]),
        "tiny: observed(state, 1, None) raises IndexError at the start: list index out of range",
    ),
    "a spectator who notices more": (
        tiny(observed=lambda self, state, action, player: action if player is None else None),
        "tiny: a spectator notices more than player 1 (the number of times, and the last): (0, None) at "
        "the start, and (1, 0) after [chance: A]; let every player notice what observed(state, action, "
        "None) returns",
    ),
    "features that are not bits": (
        tiny(features=lambda self, state, player: [len(state)]),
        "tiny: features(state, None) differs though the observation is ((), ()) both times: (0,) at the "
        "start, and (1,) after [chance: A]; make them of the observation only",
    ),
    "features that are not a list": (
        tiny(features=lambda self, state, player: None),
        "tiny: features(state, None) is None at the start; it must be a list of zeros and ones",
    ),
    "features of changing length": (
        tiny(features=lambda self, state, player: [1] * len(state)),
        "tiny: the number of features differs: 0 at the start, and 1 after [chance: A]; return the same number"
        " each time",
    ),
    "the same features for two observations": (
        tiny(features=lambda self, state, player: [int(len(state) > 1)]),
        "tiny: features(state, 0) is the same for two observations: ((), ()) at the start, and ((0,), ()) "
        "after [chance: A]; add features that tell them apart, or write exact_features = False",
    ),
    "features of a hidden card": (
        tiny(features=lambda self, state, player: [int(state[:1] == (card,)) for card in range(3)]),
        "tiny: features(state, None) differs though the observation is ((), ()) both times: (0, 0, 0) at "
        "the start, and (1, 0, 0) after [chance: A]; make them of the observation only",
    ),
    "too few values": (
        tiny(evaluate=lambda self, state: [0]),
        "tiny: evaluate is [0] after [chance: A]; it must be a list of 2 finite numbers, one for each player",
    ),
    "values that are not numbers": (
        tiny(evaluate=lambda self, state: ["high", "low"]),
        "tiny: evaluate is ['high', 'low'] after [chance: A]; it must be a list of 2 finite numbers, one "
        "for each player",
    ),
    "facts that are not a dict": (
        tiny(facts=lambda self, state, player: list(state)),
        "tiny: facts(state, None) is [] at the start; it must be a dict from names to None, bool, numbers, "
        "str, and lists or tuples of these",
    ),
    "facts that are not plain": (
        tiny(facts=lambda self, state, player: {"cards": {1, 2}}),
        "tiny: facts(state, None) is {'cards': {1, 2}} at the start; it must be a dict from names to None, "
        "bool, numbers, str, and lists or tuples of these",
    ),
    "facts of a hidden card": (
        tiny(facts=lambda self, state, player: {"card": state[:1]}),
        "tiny: facts(state, 1) differs though player 1 cannot tell the histories apart: {'card': ()} at "
        "the start, and {'card': (0,)} after [chance: A]; make it of what the player has seen, or let the "
        "observation show the difference",
    ),
    "facts of a spectator that differ in equal states": (
        forgetful(facts=lambda self, state, player: {"last": 0 if player is not None else state.last}),
        "tiny: facts(state, None) differs in equal states: 'last: 0' after [chance: A], and 'last: 1' after [chance: "
        "B]; a state must contain, and its equality compare, everything that matters from there on",
    ),
    "a hand of numbers": (
        tiny(hand=lambda self, state, player: list(state)),
        "tiny: hand(state, 0) is [0] after [chance: A]; it must be a list of names of cards",
    ),
    "a hand with a strange card": (
        tiny(cards=["A", "B"], hand=lambda self, state, player: ["ABC"[card] for card in state[: 1 - player]]),
        "tiny: hand(state, 0) is ['C'] after [chance: C]; 'C' is not one of the cards",
    ),
    "a hand that the player has not seen": (
        tiny(hand=lambda self, state, player: ["ABC"[card] for card in state[:1]]),
        "tiny: hand(state, 1) differs though player 1 cannot tell the histories apart: [] at the start, "
        "and ['A'] after [chance: A]; make it of what the player has seen, or let the observation show the "
        "difference",
    ),
    "a list as observation": (
        tiny(observation=lambda self, state, player: (len(state), [])),
        "tiny: observation(state, None) is (0, []) at the start; its part [] must be None, a bool, int, float"
        " (not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of these",
    ),
    "nan as observation": (
        tiny(observation=lambda self, state, player: math.nan),
        "tiny: observation(state, None) is nan at the start; its part nan must be None, a bool, int, float "
        "(not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of these",
    ),
    "an array as observation": (
        tiny(observation=lambda self, state, player: np.zeros(2)),
        "tiny: observation(state, None) is array([0., 0.]) at the start; its part array([0., 0.]) must be "
        "None, a bool, int, float (not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of"
        " these",
    ),
    "an object as observation": (
        tiny(observation=lambda self, state, player: ...),
        "tiny: observation(state, None) is Ellipsis at the start; its part Ellipsis must be None, a bool, "
        "int, float (not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of these",
    ),
    "a dataclass that is not frozen": (
        tiny(observation=lambda self, state, player: Loose(state[1:])),
        "tiny: observation(state, None) is Loose(events=()) at the start; its part Loose(events=()) must be "
        "None, a bool, int, float (not nan), str, bytes or enum, or a tuple, frozenset or frozen dataclass of"
        " these",
    ),
    "observations with hashes by identity": (
        tiny(observation=lambda self, state, player: Unequal(len(state))),
        "tiny: observation(state, None) is Unequal(length=0) at the start and, after apply(state, 0) was "
        "called, Unequal(length=0) for the same state; methods must draw nothing at random, and change "
        "neither states nor anything in self",
    ),
}


#: Values of wrong types and forms.
STRANGE: dict[str, Any] = {
    "None": None,
    "text": "text",
    "a dict": {0: 0.5, 1: -0.5},
    "a set": {0, 1},
    "nan": math.nan,
    "a negative number": -7,
    "an empty list": [],
    "a long list": [0.0] * 7,
    "a list of texts": ["1", "-1"],
    "a generator": (number for number in (0, 1)),
    "a number as array": np.array(0.0),
    "an array": np.array([0.25, -0.25]),
    "a table": np.zeros((2, 2)),
}
#: The answers that are allowed, by method. A state may be all that can be hashed; a game of one then fails elsewhere.
ALLOWED = {
    "observation": {"None", "text", "a negative number"},
    "observed": {"None", "text", "a negative number"},
    "returns": {"an array"},
    "evaluate": {"an array"},
    "facts": set(),
    "hand": {"an empty list", "a list of texts"},
    "features": {"an empty list"},
}
#: The beginning of what is said about each method.
ABOUT = {
    "initial_state": r"initial_state|the state |current_player\(state\) raises .* at the start",
    "apply": r"apply|the state |legal_actions\(state\)|current_player\(state\) raises .* after ",
    "observation": r"observation\(",
    "observed": r"observed\(",
    "features": r"features\(|the number of features differs",
    "facts": r"facts\(",
    "hand": r"hand\(",
}


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("method", [*members._METHODS, *members._OPTIONAL_METHODS])
def test_values_of_wrong_types_are_named(method: str, value: str) -> None:
    game = tiny(**{method: lambda self, *arguments: STRANGE[value], "exact_features": False})
    if value in ALLOWED.get(method, ()):
        stier.check_game(game)
        return
    found = sentence(game)
    assert re.match(f"tiny: (?:{ABOUT.get(method, method)})", found)
    assert re.search("; |cannot be hashed|raises", found), "says what is allowed"


@pytest.mark.parametrize("member", [*members._OPTIONAL_METHODS, *members._ATTRIBUTES, *members._OPTIONAL_ATTRIBUTES])
def test_misspelt_members_are_named(member: str) -> None:
    """A method that takes other arguments, or has a _ in front, is a helper."""
    values: dict[str, Any] = {
        "name": "tiny", "num_players": 2, "num_actions": 2, "max_decisions": 2, "utility_range": (-1, 1),
        "utility_sum": 0.0, "num_outcomes": 3, "max_chance_events": 1, "memory_mb": 9, "cards": ["A", "B"],
    }  # fmt: skip
    value = values.get(member, getattr(Tiny, member, lambda self, *arguments: []))
    if member in ("hidden_moves", "simultaneous", "exact_features"):
        value = True
    for wrong in (member[:-1], f"{member}s", member.replace("_", "")):
        if wrong in (member, "cards"):
            continue
        broken = without(member, **{wrong: value})
        found = sentence(broken)
        if member in members._ATTRIBUTES and member != "name":
            assert found == f"tiny: {member} is missing; the class has '{wrong}'"
        elif member != "name":
            assert f"tiny: {wrong} is not a member of a game; did you mean '{member}'? " in found
            with pytest.raises(stier.RulesError, match=f"tiny: {wrong} is not a member"):
                stier.load_game(broken)


def test_helpers_may_have_any_name_that_is_no_slip() -> None:
    helpers: dict[str, Any] = {
        "hands": lambda self, state: state[:1],
        "card": 3,
        "_action_names": ["yes", "no"],
        "legal_action": lambda self, state: 0,
        "rank": lambda self, card: card,
        "deck": ["A", "B", "C"],
        "winner": lambda self, state: 0,
    }
    assert stier.check_game(tiny(**helpers)).exhaustive


@pytest.mark.parametrize(("game", "expected"), FAULTS.values(), ids=FAULTS)
def test_each_fault_is_named(game: Any, expected: str) -> None:
    assert sentence(game) == expected


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_the_same_error_by_text(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, expected = FAULTS[fault]
    monkeypatch.setitem(sys.modules, "faulty", types.ModuleType("faulty"))
    monkeypatch.setattr(sys.modules["faulty"], "Game", broken, raising=False)
    assert sentence("faulty:Game") == expected


@pytest.mark.parametrize("choice", ["a:b", "a,b", "a=b", "(a)", " a", ""])
def test_choices_that_cannot_be_written_are_refused(choice: str) -> None:
    def literal(self: Any, suit: str = "spades") -> None: ...
    def member(self: Any, suit: str = "spades") -> None: ...

    literal.__annotations__["suit"] = Literal["spades", choice]
    kind: Any = enum.Enum("Suit", {"SPADES": 1, choice: 2} if choice else {"SPADES": 1, "a(": 2})
    member.__annotations__["suit"] = kind
    member.__defaults__ = (kind(1),)
    for make in (literal, member):
        with pytest.raises(stier.RulesError, match=r"tiny: option 'suit' has the choice '.*'; choices are texts"):
            stier.register_game(with_options(make))


def test_hidden_moves_can_be_declared() -> None:
    assert stier.check_game(tiny(**HIDDEN_MOVES, hidden_moves=True)).exhaustive


def test_players_know_what_they_observed() -> None:
    """Without `observed`, player 1 does not know what was said."""
    silent: dict[str, Any] = {
        "observation": lambda self, state, player: len(state) > 1,
        "legal_actions": lambda self, state: [0, 1] if len(state) == 1 else [state[1]],
    }
    assert "player 1 cannot tell the histories apart: yes after [" in sentence(tiny(**silent))
    told = tiny(**silent, observed=lambda self, state, action, player: action if len(state) == 1 else None)
    assert stier.check_game(told).information_sets == (1, 2)


class Suit(enum.Enum):
    CLUBS = 1
    HEARTS = 2


class Pair(NamedTuple):
    first: int
    second: frozenset[Any]


@dataclass(frozen=True)
class Frozen:
    name: str
    rest: Any


#: The optional members that Tiny lacks.
OTHERS: dict[str, Any] = {
    "memory_mb": 1,
    "hidden_moves": False,
    "simultaneous": True,
    "exact_features": True,
    "cards": list("ABC"),
    "observed": lambda self, state, action, player: None,
    "features": lambda self, state, player: [
        *(player == 0 and state[:1] == (card,) for card in range(3)),
        *(state[place : place + 1] == (word,) for place in (1, 2) for word in (0, 1)),
    ],
    "evaluate": lambda self, state: (0.5, -0.5),
    "facts": lambda self, state, player: {"said": list(state[1:])},
    "hand": lambda self, state, player: ["ABC"[card] for card in state[:1] if player == 0],
}
OPTIONAL = [*members._OPTIONAL_ATTRIBUTES, *members._OPTIONAL_METHODS]


@pytest.mark.parametrize("name", OPTIONAL)
def test_none_is_as_good_as_no_member(name: str) -> None:
    assert name in OTHERS or hasattr(Tiny, name)
    found = []
    for own in ({}, {name: None}):
        game = without(name, **{other: value for other, value in OTHERS.items() if other != name}, **own)
        loaded = stier.load_game(game)
        state = loaded.new_initial_state(seed=1).child(0)
        shape, most = loaded.observation_tensor_shape(), loaded.max_chance_nodes_in_history()
        searched = stier.search_many("ismcts:iterations=5", [state], seed=1)
        beliefs = stier.load_agent("random", loaded).beliefs(state)
        shown = [str(part) for part in (state, state.information_state_string(), searched, beliefs)]
        found.append((stier.check_game(game), shape, most, loaded.is_simultaneous(), shown))
    assert found[0] == found[1]


def test_everything_that_is_allowed_passes() -> None:
    def observation(self: Any, state: Any, player: int | None) -> Any:
        shown = state if player == 0 else (None, *state[1:])
        return Frozen("seen", Pair(np.int64(len(state)), frozenset([Suit.CLUBS, b"x", 0.5, True, None, shown])))

    def options(
        self: Any, cards: Literal[2, 3] = 3, suit: Suit = Suit.HEARTS, share: float = 1, name: str = "x"
    ) -> None:
        assert (cards, suit, share, name) == (3, Suit.HEARTS, 1, "x")

    game = tiny(
        __init__=options,
        observation=observation,
        legal_actions=lambda self, state: (0, np.int64(1)),
        chance_outcomes=lambda self, state: ((0, Fraction(1, 3)), (1, Fraction(1, 3)), (2, Fraction(1, 3))),
        returns=lambda self, state: np.array([1.0, -1.0]),
        num_outcomes=None,
        max_chance_events=None,
        features=lambda self, state, player: np.array([int(len(state) > 1), 0]),
        exact_features=False,
        evaluate=lambda self, state: (0.5, 0),
        facts=lambda self, state, player: {"said": list(state[1:]), "over": len(state) == 3},
        hand=lambda self, state, player: ["ABC"[card] for card in state[:1] if player == 0],
        cards=list("ABC"),
    )
    assert stier.check_game(game).exhaustive
    assert stier.check_no_leak(stier.load_game(game), games=3).ok


def test_games_are_taken_by_class_instance_and_name(monkeypatch: pytest.MonkeyPatch) -> None:
    stier.register_game(Kuhn)
    reports = [
        stier.check_game(game)
        for game in (Kuhn(players=3), "kuhn:players=3", stier.load_game("kuhn", players=3), "kuhn(players=3)")
    ]
    assert reports == [reports[0]] * 4
    assert stier.check_game(Kuhn) == stier.check_game("kuhn") != reports[0]
    monkeypatch.syspath_prepend(EXAMPLES)
    stier.games._classes.clear()
    assert stier.check_game("kuhn:Kuhn(players=3)") == reports[0]
    assert stier.check_game("kuhn:Kuhn") == stier.check_game("kuhn")
    with pytest.raises(stier.RulesError, match="players must be 2 or 3, got '4'"):
        stier.check_game("kuhn:players=4")


#: Texts of a game with three players, and texts that name none.
THREE = ["kuhn:players=3", "kuhn(players=3)", " kuhn (players=3) ", "kuhn : players = 3"]
THREE += ["kuhn:Kuhn(players=3)", "kuhn:Kuhn:players=3", " kuhn:Kuhn (players=3) "]
WRONG = ["kuhn(players=3", "kuhn:players=3)", "kuhn players=3", "kuhn:(players=3)", "kuhn()()", "kuhn:players", ""]
WRONG += ["kuhn: Kuhn(players=3)", "kuhn:Kuhn(players=3", "kuhn:Kuhn:players=3)", "kuhn:Kuhn)", "kuhn:Kuhn(", "a:b=c:d"]
WRONG += [":", "(players=3)", ":Kuhn", "kuhn_poker:Kuhn", "kuhn_poker(players=3", "openspiel:", "openspiel(kuhn_poker)"]


@pytest.mark.parametrize("text", [*THREE, *WRONG, "kuhn:", "kuhn()", "kuhn_poker (players=3)", "kuhn_poker:players=3"])
def test_all_doors_read_texts_alike(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    stier.register_game(Kuhn)
    found = []
    for door in (lambda: stier.load_game(text).num_players(), lambda: len(stier.check_game(text).information_sets)):
        try:
            found.append(door())
        except stier.StierError as error:
            found.append((type(error), str(error)))
    assert found[0] == found[1]
    assert found[0] == 3 if text in THREE else isinstance(found[0], tuple) == (text in WRONG)


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(
        TypeError, match="game must be a Game, the name of one, such as 'schwinget', or the class of one"
    ):
        stier.check_game(3)
    with pytest.raises(stier.RulesError, match="unknown game 'jass'"):
        stier.check_game("jass")
    with pytest.raises(stier.ArgumentError, match="histories must be at least 1"):
        stier.check_game(Kuhn, histories=0)


def test_causes_are_kept_and_interrupts_pass() -> None:
    def interrupted(self: Any, state: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(stier.GameError) as caught:
        stier.check_game(FAULTS["raising"][0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        stier.check_game(tiny(returns=interrupted))


@pytest.mark.parametrize("method", ["initial_state", "current_player", "legal_actions", "returns"])
def test_a_game_that_exits_is_named(method: str) -> None:
    """Such as one that ends with ``sys.exit`` where its author did not expect to come."""

    def leave(self: Any, *_: Any) -> None:
        sys.exit(3)

    with pytest.raises(stier.GameError, match=rf"tiny: {method}.* raises SystemExit.*: 3"):
        stier.check_game(tiny(**{method: leave}))
