"""Decisions of recorded games, for learning: knowledge, legal actions, the policy of a search, and the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from stier import _arguments, _native
from stier._files import write
from stier._native import CHANCE, Agent, Game, State, TabularPolicy, alternatives, derive_seed
from stier._output import bar
from stier.errors import AgentError, ArgumentError
from stier.experiments._run import load
from stier.experiments._store import Store
from stier.experiments.matches import experiment_of
from stier.playing import as_agent

#: The teacher that stands for the agent that played.
OWN = "own"


@dataclass(frozen=True)
class Decisions:
    """Decisions in the order in which they were made, game by game.

    Attributes:
        part: The part of the experiment: int64 (n,).
        row: The row of the game in the part: int64 (n,).
        move: Events of the game before it, chance included: int64 (n,).
        player: The player to move: int8 (n,).
        agent: The agent of that player, as its number in the experiment: int64 (n,).
        action: The chosen action: int64 (n,).
        view: The knowledge of the player as a tensor: float32 (n, D).
        legal: The legal actions: bool (n, actions).
        outcome: The return of the player at the end of the game: float64 (n,).
        policy: The probabilities of a search: float32 (n, actions); without columns if none was asked for.
    """

    part: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    move: npt.NDArray[np.int64]
    player: npt.NDArray[np.int8]
    agent: npt.NDArray[np.int64]
    action: npt.NDArray[np.int64]
    view: npt.NDArray[np.float32]
    legal: npt.NDArray[np.bool_]
    outcome: npt.NDArray[np.float64]
    policy: npt.NDArray[np.float32]

    def __len__(self) -> int:
        """Returns the number of decisions."""
        return len(self.action)

    def save(self, path: str | Path) -> None:
        """Writes all arrays to an ``.npz`` file, which `numpy.load` reads."""
        arrays = {one.name: getattr(self, one.name) for one in fields(self)}
        write(Path(path), partial(_save, arrays))


def _save(arrays: dict[str, Any], path: Path) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def decisions(
    games: Store | str | Path,
    *,
    parts: Iterable[int] | None = None,
    agents: Sequence[str] | None = None,
    teacher: str | None = None,
    tensor: Literal["observation", "information_state"] = "observation",
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
) -> Decisions:
    """Goes through recorded games again and collects the decisions in which there was a choice.

    All are in memory at once: of a large experiment take some parts at a time. The result depends on neither the
    other parts nor the threads.

    Args:
        games: The result of `run` or `load`, or the folder.
        parts: Numbers of parts; all that have been played if left out.
        agents: Names of agents whose decisions are wanted; all if left out.
        teacher: The agent that is queried for a policy in each decision, as text: for a search, how often it chose each
            action at its root. ``own`` asks the agent that played, with other random numbers than in the game. If left
            out, there are no policies.
        tensor: The tensor of the player's knowledge.
        seed: The seed of the teacher.
        threads: Threads of the teacher; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: A teacher that does not exist.
        ValueError: An experiment that is not one of matches, a part that has not been played, or an unknown name or
            tensor.
    """
    seed, threads = _arguments.seed(seed), _arguments.threads(threads)
    games = games if isinstance(games, Store) else load(games)
    if tensor not in ("observation", "information_state"):
        raise ArgumentError(f"tensor must be observation or information_state, got {tensor!r}")
    experiment = experiment_of(games)
    names = experiment.names
    for name in agents or ():
        if name not in names:
            raise ArgumentError(f"unknown agent '{name}'{alternatives(name, 'agents', names)}")
    missing = set(games.missing())
    there = [number for number in range(experiment.parts()) if number not in missing]
    chosen = there if parts is None else list(parts)
    for number in chosen:
        if number not in there:
            raise ArgumentError(f"part {number} has not been played; there are {len(there)} of {experiment.parts()}")
    game = experiment.load_game()
    if teacher is not None and teacher != OWN:
        as_agent(teacher, game)
    collector = _Collector(games, game, set(names if agents is None else agents), teacher, tensor, seed, threads)
    with bar(progress, "parts") as update:
        for done, number in enumerate(chosen):
            if update is not None:
                update(done, len(chosen))
            collector.add(number)
        if update is not None:
            update(len(chosen), len(chosen))
    return collector.collected()


class _Collector:
    """Collects the decisions of parts, one after another."""

    def __init__(
        self, games: Store, game: Game, wanted: set[str], teacher: str | None, tensor: str, seed: int, threads: int
    ) -> None:
        experiment = experiment_of(games)
        self._games, self._game, self._wanted = games, game, wanted
        self._teacher, self._seed, self._threads = teacher, seed, threads
        self._information = tensor == "information_state"
        self._place = {name: number for number, name in enumerate(experiment.names)}
        self._texts = experiment.agents
        self._numbers: list[tuple[int, ...]] = []
        self._views: list[npt.NDArray[np.float32]] = []
        self._legal: list[npt.NDArray[np.bool_]] = []
        self._policies: list[npt.NDArray[np.float32]] = []
        self._outcomes: list[float] = []

    def add(self, number: int) -> None:
        """Goes through the games of a part."""
        table = self._games.part(number)
        columns = (table[name].to_pylist() for name in ("names", "actions", "returns"))
        for row, (names, actions, returns) in enumerate(zip(*columns, strict=True)):
            asked: list[tuple[str, State]] = []
            state = self._game.new_initial_state()
            for move, action in enumerate(actions):
                player = state.current_player()
                if player != CHANCE and names[player] in self._wanted and len(state.legal_actions()) > 1:
                    self._numbers.append((number, row, move, player, self._place[names[player]], action))
                    self._legal.append(state.legal_actions_mask())
                    self._views.append(
                        state.information_state_tensor(player)
                        if self._information
                        else state.observation_tensor(player)
                    )
                    self._outcomes.append(returns[player])
                    if self._teacher is not None:
                        teacher = self._texts[names[player]] if self._teacher == OWN else self._teacher
                        asked.append((teacher, state.clone()))
                state.apply_action(action)
            self._ask(asked, derive_seed(derive_seed(self._seed, "decisions", number), "game", row))

    def _ask(self, asked: list[tuple[str, State]], seed: int) -> None:
        """The policies of the teachers in the states of a game."""
        found: dict[int, list[tuple[int, float]]] = {}
        for teacher in dict.fromkeys(text for text, _ in asked):
            places = [place for place, (text, _) in enumerate(asked) if text == teacher]
            states = [asked[place][1] for place in places]
            found |= dict(zip(places, _policies(teacher, states, seed, self._threads), strict=True))
        for place in range(len(asked)):
            policy = np.zeros(self._game.num_distinct_actions(), dtype=np.float32)
            for action, probability in found[place]:
                policy[action] = probability
            self._policies.append(policy)

    def collected(self) -> Decisions:
        """Returns all decisions as arrays."""
        count, actions = len(self._numbers), self._game.num_distinct_actions()
        shape = (
            self._game.information_state_tensor_shape() if self._information else self._game.observation_tensor_shape()
        )
        numbers = np.array(self._numbers, dtype=np.int64).reshape(count, 6)
        return Decisions(
            part=numbers[:, 0],
            row=numbers[:, 1],
            move=numbers[:, 2],
            player=numbers[:, 3].astype(np.int8),
            agent=numbers[:, 4],
            action=numbers[:, 5],
            view=np.array(self._views, dtype=np.float32).reshape(count, shape[0]),
            legal=np.array(self._legal, dtype=np.bool_).reshape(count, actions),
            outcome=np.array(self._outcomes, dtype=np.float64),
            policy=np.array(self._policies, dtype=np.float32).reshape(count, actions if self._teacher else 0),
        )


def _policies(teacher: str, states: list[State], seed: int, threads: int) -> list[list[tuple[int, float]]]:
    """Returns the policies of a search or another agent in states of one game."""
    agent = as_agent(teacher, states[0].get_game())
    if isinstance(agent, Agent):
        with suppress(AgentError):  # one that does not search
            searches = _native.search_many(agent, states, seed, threads)
            return [[(one.action, one.probability) for one in search.actions] for search in searches]
    policies = []
    for number, state in enumerate(states):
        if not isinstance(agent, TabularPolicy):
            agent.restart(derive_seed(seed, "search", number))
        policies.append(agent.step_with_policy(state)[0])
    return policies
