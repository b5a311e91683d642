"""Games of Schwinget and what follows from their positions, by the public tools of `stier` alone.

Players play games against copies of themselves. Every decision at which the mover may attack is a position, and the
game is played on from it in three ways: the mover attacks *now*; it *waits*, and attacks later if it likes; it *never*
attacks in this bout. All three have the same hidden cards, the same order of the pile and agents with the same seeds,
so they differ by the consequences of the choice and by little else. The opponent plays freely in all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import stier
from attack_timing.hands import Deck
from stier import Agent, Game, Search, State, derive_seed
from stier.solving import GameTree

#: A search with the beliefs of the mover about the hidden cards, if its opponent plays like the fitted policy.
BELIEFS = "pimc:beliefs=policy,model=fitted,model_temperature=1,model_epsilon=0.02"
#: The parts that a task is cut into, for several processors.
BLOCKS = 64

Settings = Mapping[str, Any]


def positions(settings: Settings, games: range, threads: int) -> pd.DataFrame:
    """Plays games, and all their positions on: a row for each position.

    Columns: ``game``, ``decision`` (decisions before it), ``seat``, the circumstances of `Deck`, ``share`` (the
    player's probability of an attack), ``rule`` (true if the rule of thumb attacks), ``now``, ``wait`` and ``never``
    (mean returns of the mover), their parts such as ``now_flat_throw``, ``wait_committed`` and
    ``wait_others_committed`` (the shares of the continuations in which the mover and the opponent attack later in the
    bout). With several continuations ``now_even`` and so on are the means of every second one. For each adviser
    ``adviser0_now`` and ``adviser0_wait`` are the values that it predicts for an attack and for its favourite other
    action, and ``adviser0_share`` is its probability of an attack.
    """
    size = -(-len(games) // BLOCKS)
    blocks = [games[start : start + size] for start in range(0, len(games), size)]
    play = partial(_block, dict(settings))
    workers = min(threads or os.cpu_count() or 1, len(blocks))
    if workers == 1:
        rows = [row for block in blocks for row in play(block)]
    else:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            rows = [row for part in pool.map(play, blocks) for row in part]
    frame = pd.DataFrame(rows)
    return frame.astype(dict.fromkeys(frame.select_dtypes("float64").columns, "float32"))


def _block(settings: Settings, games: range) -> list[dict[str, Any]]:
    table = _Table(settings)
    found = [position for number in games for position in table.play(number)]
    told = advice(settings["advisers"], [state for _, state in found], table.seed(games[0], "block"), 1)
    return [{**row, **said} for (row, _), said in zip(found, told, strict=True)]


class _Table:
    """The agents that play the games of a run, and play their positions on."""

    def __init__(self, settings: Settings) -> None:
        game = stier.load_game("schwinget", **settings["rules"])
        self.game, self.deck, self.settings = game, Deck(game), settings
        self.players = _seated(settings["players"], game)
        self.continuation = _seated(settings["continuation"], game)
        self.withholding = _seated(f"rule:when=never,cards=({settings['continuation']})", game)

    def seed(self, number: int, purpose: str) -> int:
        """Returns the seed of a game for a purpose."""
        return derive_seed(self.settings["seed"], purpose, number)

    def play(self, number: int) -> Iterator[tuple[dict[str, Any], State]]:
        """Plays a game and yields its positions, played on: the row of each, and its state."""
        attack, state = self.deck.attack, self.game.new_initial_state(seed=self.seed(number, "game"))
        draws = Random(self.seed(number, "players"))
        _restart([self.players], draws)
        opener, decision = state.current_player(), 0
        while not state.is_terminal():
            seat = state.current_player()
            policy, action = self.players[seat].step_with_policy(state)
            share = dict(policy).get(attack)
            if share is not None and len(policy) > 1 and draws.random() < self.settings["share"]:
                row = {"game": number, "decision": decision, "seat": seat, **self.deck.circumstances(state, opener)}
                row |= {"share": share, "rule": self.deck.rule_attacks(row)}
                yield {**row, **self._played_on(state, Random(draws.getrandbits(64)))}, state.clone()
            state.apply_action(action)
            decision += 1

    def _played_on(self, state: State, draws: Random) -> dict[str, float]:
        repeats, worlds = self.settings["repeats"], [state]
        if self.settings["hidden"] == "beliefs":
            seed = draws.getrandbits(64)
            drawn = stier.resample_many(state, repeats, seed, histories=True, agent=BELIEFS, threads=1)
            worlds = [drawn[index] for index in range(repeats)]
        found = [self._ways(world, draws.getrandbits(64)) for world in worlds]
        row = _mean(found)
        if repeats > 1:
            for start, half in enumerate(("even", "odd")):
                own = _mean(found[start::2])
                row |= {f"{arm}_{half}": own[arm] for arm in ("now", "wait")}
        return row

    def _ways(self, world: State, seed: int) -> dict[str, float]:
        """Plays a world on in all three ways."""
        ends: dict[str, dict[str, float]] = {}
        for arm in ("now", "wait", "never"):
            # A mover that does not attack after waiting plays the same game if it never attacks.
            if arm == "never" and not ends["wait"]["_committed"]:
                ends[arm] = ends["wait"]
                continue
            _restart([self.continuation, self.withholding], Random(seed))
            ends[arm] = self._end(world.clone(), arm)
        return {f"{arm}{name}": value for arm, end in ends.items() for name, value in end.items()}

    def _end(self, state: State, arm: str) -> dict[str, float]:
        """Plays a continuation to its end: the return of the mover and its parts, and who attacked in this bout."""
        attack, mover, bout = self.deck.attack, state.current_player(), state.facts()["bout"]
        first, attacked = True, [False, False]
        while not state.is_terminal():
            seat = state.current_player()
            action = attack if first and arm == "now" else self.continuation[seat].step(state)
            if action == attack and state.facts()["bout"] == bout:
                if seat == mover and (arm == "never" or (arm == "wait" and first)):
                    action = self.withholding[seat].step(state)
                attacked[seat] |= action == attack
            state.apply_action(action)
            first = False
        end = {"": state.returns()[mover], "_committed": attacked[mover], "_others_committed": attacked[1 - mover]}
        return {**end, **{f"_{part}": value for part, value in self.deck.parts_of_return(state, mover).items()}}


def _seated(agent: str, game: Game) -> list[Agent]:
    return [stier.load_agent(agent, game) for _ in range(2)]


def _restart(groups: Iterable[Sequence[Agent]], draws: Random) -> None:
    """Gives the agents of a seat the same seed, in each group."""
    for agents in zip(*groups, strict=True):
        seed = draws.getrandbits(64)
        for agent in agents:
            agent.restart(seed)


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def advice(advisers: Sequence[str], states: Sequence[State], seed: int, threads: int) -> list[dict[str, float]]:
    """Returns what searches say of each state: see `positions`."""
    rows: list[dict[str, float]] = [{} for _ in states]
    for index, adviser in enumerate(advisers if states else ()):
        searches = stier.search_many(adviser, states, seed=derive_seed(seed, "adviser", index), threads=threads)
        for row, search in zip(rows, searches, strict=True):
            row |= {f"adviser{index}_{name}": value for name, value in _opinion(search).items()}
    return rows


def _opinion(search: Search) -> dict[str, float]:
    attack = search.game.string_to_action("attack")
    own = next(action for action in search.actions if action.action == attack)
    others = [action for action in search.actions if action.action != attack]
    liked = max(others, key=lambda action: (action.visits, action.value))
    return {
        "now": own.value if own.visits > 0 else np.nan,
        "wait": liked.value,
        "share": own.probability,
    }


def match(settings: Settings, part: int, deals: int, threads: int) -> pd.DataFrame:
    """Plays paired deals of two agents: the mean return and the share of the wins of the first, by deal."""
    game = stier.load_game("schwinget", **settings["rules"])
    seed = derive_seed(settings["seed"], "part", part)
    # Both have the same returns in the game of a deal in which they have changed seats.
    games = stier.pit(game, settings["agents"], deals=deals, seed=seed, threads=threads).to_pandas()
    first = games[games["entrant"] == 0]
    win = (first["return"] > 0) + 0.5 * (first["return"] == 0)
    frame = pd.DataFrame({"deal": first["deal"] + part * deals, "value": first["return"], "win": win})
    return frame.groupby("deal", as_index=False).mean()


def equilibrium(settings: Settings, threads: int) -> pd.DataFrame:
    """Solves a deck: a row for every information set with a possible attack that the opponent's policy can reach.

    Columns: the circumstances and advisers as in `positions`; ``share`` and ``reach``, the probabilities of an attack
    and of reaching the set if both play the equilibrium; ``now``, ``wait`` and ``never``, the values of attacking, of
    the best other action, and of never attacking and otherwise playing as well as possible.
    """
    game = stier.load_game("schwinget", **settings["rules"])
    deck, tree = Deck(game), GameTree(game, threads=threads)
    solution = stier.solve(game, iterations=settings["iterations"], target=settings["target"], threads=threads)
    policy = solution.probabilities()
    masks, values = tree.legal_action_masks(), tree.action_values(policy)
    reach, others = _reach(tree, policy)
    open_ = np.flatnonzero(masks[:, deck.attack] & (masks.sum(axis=1) > 1) & (others > 0))
    rest = np.where(masks, values, -np.inf)[open_]
    rest[:, deck.attack] = -np.inf
    never = _without(tree, policy, masks, deck.attack)
    wanted = {tree.information_state_strings(number, number + 1)[0]: place for place, number in enumerate(open_)}
    states = _met(game, deck.attack, wanted)
    frame = pd.DataFrame([deck.circumstances(state, 0) for state in states])
    frame["share"], frame["reach"] = policy[open_, deck.attack], reach[open_]
    frame["now"], frame["wait"], frame["never"] = values[open_, deck.attack], rest.max(axis=1), never[open_]
    told = pd.DataFrame(advice(settings["advisers"], states, settings["seed"], threads))
    frame["information_sets"], frame["exploitability"] = solution.information_sets, solution.exploitability
    return pd.concat([frame, told], axis=1)


def _reach(tree: GameTree, policy: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the probability of reaching each information set, and that of the others and chance to lead to it.

    Both are 0 at sets with a single action.
    """
    rows = [tree.rows(player) for player in range(2)]
    repeated = [np.repeat(sets, np.diff([*first, len(actions)])) for sets, first, actions in rows]
    policies = [policy[sets, actions] for sets, (_, _, actions) in zip(repeated, rows, strict=True)]
    reach, others = np.zeros(len(policy)), np.zeros(len(policy))
    for player, (sets, _, actions) in enumerate(rows):
        own, regrets = np.empty(len(actions)), np.empty(len(actions))
        values, weights = np.empty(len(sets)), np.empty(len(sets))
        tree.regrets_into(player, policies, regrets, own, values, weights)
        others[sets] = weights
        reach[sets] = np.bincount(repeated[player], weights=own, minlength=len(policy))[sets] * weights
    return reach, others


def _without(
    tree: GameTree, policy: npt.NDArray[np.float64], masks: npt.NDArray[np.bool_], action: int
) -> npt.NDArray[np.float64]:
    """Returns the value of each information set to its player if it plays as well as it can without an action.

    The other player follows the policy. Each round improves the choices of all sets at once, and makes those final
    whose later ones are.
    """
    allowed = masks.copy()
    allowed[:, action] &= masks.sum(axis=1) == 1
    players, found = tree.players(), np.empty(len(policy))
    for player in range(2):
        own, chosen = players == player, allowed.argmax(axis=1)
        while True:
            changed = policy.copy()
            changed[own] = np.eye(policy.shape[1])[chosen[own]]
            values = np.where(allowed, tree.action_values(changed), -np.inf)
            better = values.max(axis=1) > values[np.arange(len(values)), chosen] + 1e-12
            if not (better & own).any():
                break
            chosen = np.where(better, values.argmax(axis=1), chosen)
        found[own] = values.max(axis=1)[own]
    return found


def _met(game: Game, attack: int, wanted: Mapping[str, int]) -> list[State]:
    """Returns a state of each information set, met in random games without attacks."""
    found: dict[int, State] = {}
    draws, seed = Random(0), 0
    while len(found) < len(wanted):
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal():
            legal = state.legal_actions()
            if attack in legal and len(legal) > 1:
                legal.remove(attack)
                place = wanted.get(state.information_state_string())
                if place is not None:
                    found.setdefault(place, state.clone())
            state.apply_action(draws.choice(legal))
        seed += 1
    return [found[place] for place in range(len(wanted))]
