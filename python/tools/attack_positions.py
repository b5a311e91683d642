"""Picks the positions of the attack trainer on the web page and measures them: writes `trainer.json`.

Positions of the full game come from games of the network that comes with the game against itself. Every
decision at which the mover may attack is a candidate. A cheap first pass compares an attack with the network's
likeliest other action and serves only to select. At every number of finished tricks it takes some positions where
waiting seems better, some close ones and some where attacking seems better. A second pass with other seeds measures
these. Its values do not select, so they are not biased by the selection. The worth of an attack is its value minus that
of the best other action, if the network plays on for both seats. One half of the searches picks the best other action
for the other half.

Positions of the small deck are first leads. Its equilibrium is computed, so their values have no interval.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import stier
from stier import Agent, Game, State, derive_seed
from stier._native import estimate
from stier.solving import GameTree, solve

RULE = (
    "Without a trump suit, attack. Otherwise count two for every trump in hand, one for every card of your longest "
    "other suit and one for the referee, and take one off for each trump that no unseen trump beats. Attack with four "
    "or more."
)
NETWORK = "network:choose=sample"
#: With step 0 its root statistics are the values of the actions if the network plays on for both seats.
JUDGE = "mmds:step=0,rollouts=1000,particles=500"
SEED = 2024
#: The number of candidates by the number of finished tricks. Waiting is seldom better before the first trick.
CANDIDATES = {0: 2400, 1: 600, 2: 600, 3: 600, 4: 600, 5: 600}
#: Searches of each candidate, and of each selected position.
FIRST, SECOND = 1, 100
#: The number of positions to take at each number of tricks, by the limits of the estimate of the first pass.
WANTED = {(-np.inf, -0.5): 7, (-0.2, 0.2): 5, (0.5, np.inf): 8}

DECK = "schwinget:suits=2,values=4,referee=off,hand_size=2,set_aside=3"
ITERATIONS = 500
#: Positions of the deck where waiting is better, and where attacking is.
WAITS, ATTACKS = 10, 20


#: The referee and the counter.
SPECIAL = ("KR", "BK")


@dataclass(frozen=True)
class Candidate:
    """A position in a game that the network plays against itself."""

    seed: int
    moves: list[int]
    state: State

    @property
    def seat(self) -> int:
        """The mover."""
        return self.state.current_player()

    @property
    def tricks(self) -> int:
        """The number of finished tricks."""
        return len(played(self.state)) // 2


def played(state: State) -> list[str]:
    """Returns the names of the cards that the players have played."""
    cards = state.get_game().card_faces()
    names = [state.action_to_string(player, action) for player, action in state.history() if player >= 0]
    return [name for name in names if name in cards]


def suit_of(card: str) -> str:
    """Returns the letter of a card's suit, or the name of a card without a suit."""
    return card if card in SPECIAL else card[0]


def count(state: State) -> int | None:
    """Returns the count of the rule of thumb from what the mover sees; None without a trump suit."""
    seat = state.current_player()
    faces = state.get_game().card_faces()
    places = {place["seat"]: place["groups"] for place in state.scene(seat)["places"]}
    turned = next(group["cards"][0] for group in places[None] if group["name"] == "trump")
    hand = [card for group in places[seat] if group["held"] for card in group["cards"] if card]
    if not turned or turned in SPECIAL:
        return None
    suits: dict[str, list[str]] = defaultdict(list)
    for card in hand:
        suits[suit_of(card)].append(card)
    trump = suit_of(turned)
    trumps = suits[trump]
    plain = [len(cards) for suit, cards in suits.items() if suit != trump and suit not in SPECIAL]
    unseen = [card for card in faces if suit_of(card) == trump and card not in {*hand, *played(state), turned}]
    unbeaten = sum(card > max(unseen, default="") for card in trumps)
    return 2 * len(trumps) + max(plain, default=0) + ("KR" in hand) - unbeaten


def thumb(state: State, rule: Agent) -> dict[str, Any]:
    """Returns the count and the decision of the rule of thumb, which must agree."""
    counted = count(state)
    attacks = rule.step(state) == state.string_to_action("attack")
    if attacks != (counted is None or counted >= enough(state.get_game())):
        raise AssertionError(f"the rule counts {counted}, but the agent does not agree:\n{state}")
    return {"count": counted, "rule": attacks}


def enough(game: Game) -> int:
    """Returns the count from which the rule attacks."""
    return int(game.rules()["hand_size"]) - 1


def candidates(game: Game) -> list[Candidate]:
    """Returns the first positions at every number of tricks, game by game."""
    network = stier.load_agent(NETWORK, game)
    attack = game.new_initial_state(seed=0).string_to_action("attack")
    found: dict[int, list[Candidate]] = {tricks: [] for tricks in CANDIDATES}
    seed = 0
    while any(len(there) < CANDIDATES[tricks] for tricks, there in found.items()):
        network.restart(derive_seed(SEED, "players", seed))
        state, moves = game.new_initial_state(seed=seed), list[int]()
        while attack not in moves and not state.is_terminal():
            if attack in state.legal_actions():
                here = Candidate(seed, moves.copy(), state.clone())
                if len(found[here.tricks]) < CANDIDATES[here.tricks]:
                    found[here.tricks].append(here)
            moves.append(network.step(state))
            state.apply_action(moves[-1])
        seed += 1
    return [candidate for there in found.values() for candidate in there]


def searched(positions: Sequence[Candidate], purpose: str, searches: int, threads: int) -> npt.NDArray[np.float64]:
    """Returns the value of each action in each search, an array (positions, searches, actions); -inf if not legal.

    Every search has a world of its own in which the mover knows the same, so that nothing hidden can enter.
    """
    seed = derive_seed(SEED, purpose, 0)
    worlds = [
        candidate.state.resample_from_infostate(candidate.seat, derive_seed(seed, "world", index * searches + search))
        for index, candidate in enumerate(positions)
        for search in range(searches)
    ]
    found = stier.search_many(JUDGE, worlds, seed=seed, threads=threads, progress=True)
    values = np.full((len(worlds), worlds[0].num_distinct_actions()), -np.inf)
    for row, search in zip(values, found, strict=True):
        for action in search.actions:
            row[action.action] = action.value
    return values.reshape(len(positions), searches, -1)


def worths(values: npt.NDArray[np.float64], attack: int) -> tuple[npt.NDArray[np.float64], int]:
    """Returns the worth of an attack in each search (searches, actions), and the best other action in all of them."""
    others = values.copy()
    others[:, attack] = -np.inf
    is_even = np.arange(len(values)) % 2 == 0
    worth = np.empty(len(values))
    for half in (is_even, ~is_even):
        best = others[~half].mean(axis=0).argmax()
        worth[half] = values[half, attack] - values[half, best]
    return worth, int(others.mean(axis=0).argmax())


def full_game(game: Game, threads: int) -> Iterator[dict[str, Any]]:
    """Yields the positions of the full game."""
    attack = game.new_initial_state(seed=0).string_to_action("attack")
    network, rule = stier.load_agent(NETWORK, game), stier.load_agent("rule:when=thumb", game)
    found = candidates(game)
    facts = [position(here.seed, here.moves, here.state, rule) for here in found]
    policies = [dict(network.step_with_policy(candidate.state)[0]) for candidate in found]
    others = [max(policy.keys() - {attack}, key=lambda action: (policy[action], -action)) for policy in policies]
    means = searched(found, "first pass", FIRST, threads).mean(axis=1)
    guesses = means[:, attack] - means[np.arange(len(found)), others]
    chosen, games = list[int](), set[int]()
    for tricks in reversed(CANDIDATES):
        for (low, high), wanted in WANTED.items():
            fits = [
                index
                for index, candidate in enumerate(found)
                if candidate.tricks == tricks and low <= guesses[index] < high and candidate.seed not in games
            ][:wanted]
            chosen += fits
            games |= {found[index].seed for index in fits}
    chosen.sort(key=lambda index: (found[index].tricks, found[index].seed))
    selected = [found[index] for index in chosen]
    measured = searched(selected, "second pass", SECOND, threads)
    for index, here, values in zip(chosen, selected, measured, strict=True):
        worth, best = worths(values, attack)
        mean, ci95, _ = estimate(worth)
        yield {
            **facts[index],
            "tricks": here.tricks,
            "other": here.state.action_to_string(best),
            "worth": round(mean, 3),
            "ci95": round(ci95, 3),
            "share": round(policies[index][attack], 4),
        }


def position(seed: int, moves: list[int], state: State, rule: Agent) -> dict[str, Any]:
    """Returns the fields that all positions share."""
    return {"seed": str(seed), "moves": moves, "seat": state.current_player(), **thumb(state, rule)}


def small_deck(game: Game, threads: int) -> Iterator[dict[str, Any]]:
    """Yields the positions of the small deck: one for each of some values, spread over all of them."""
    attack = game.new_initial_state(seed=0).string_to_action("attack")
    rule = stier.load_agent("rule:when=thumb", game)
    tree = GameTree(game, threads=threads)
    solution = solve(game, iterations=ITERATIONS, threads=threads, progress=True)
    values = tree.action_values(solution.probabilities())
    masks = tree.legal_action_masks()
    leads = np.flatnonzero(masks[:, attack] & (masks.sum(axis=1) > 1))
    sets = {tree.observation_tensors(lead, lead + 1, "uint8").tobytes(): lead for lead in leads}
    found: dict[float, dict[str, Any]] = {}
    for seed in range(len(leads)):
        state = game.new_initial_state(seed=seed)
        row = values[sets[state.observation_tensor().astype(np.uint8).tobytes()]]
        other = max(set(state.legal_actions()) - {attack}, key=lambda action: row[action])
        worth = round(float(row[attack] - row[other]), 3)
        found.setdefault(
            worth,
            {
                **position(seed, [], state, rule),
                "tricks": 0,
                "other": state.action_to_string(other),
                "worth": worth,
                "ci95": 0.0,
                "share": round(dict(solution.policy(state))[attack], 4),
            },
        )
    ascending = np.array(sorted(found))
    for worth in [*spread(ascending[ascending < 0], WAITS), *spread(ascending[ascending > 0], ATTACKS)]:
        yield found[float(worth)]


def spread(values: npt.NDArray[np.float64], number: int) -> npt.NDArray[np.float64]:
    """Returns that many of the values, or all if there are fewer, at equal distances in their order."""
    picked: npt.NDArray[np.float64] = values[np.unique(np.linspace(0, len(values) - 1, number).round().astype(int))]
    return picked


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the file to write")
    parser.add_argument("--threads", type=int, default=0, help="threads; 0 for all cores")
    given = parser.parse_args()
    games: list[dict[str, Any]] = []
    for spec, pick in [("schwinget", full_game), (DECK, small_deck)]:
        game, (name, _, rules) = stier.load_game(spec), spec.partition(":")
        games.append(
            {
                "game": name,
                "rules": rules,
                "enough": enough(game),
                "positions": sorted(pick(game, given.threads), key=lambda one: (one["tricks"], int(one["seed"]))),
            }
        )
    whole = {"rule": RULE, "searches": SECOND, "games": games}
    # A line for each position.
    given.file.write_text(json.dumps(whole, separators=(",", ":")).replace('{"seed"', '\n{"seed"') + "\n")


if __name__ == "__main__":
    main()
