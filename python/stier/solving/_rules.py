"""Equilibria by an update rule in Python, and steps towards them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from stier import _arguments, _native
from stier._native import GameTree, PublicTree, TabularPolicy
from stier._output import bar
from stier.errors import ArgumentError
from stier.playing import AnyGame
from stier.solving._equilibria import ITERATIONS

#: The largest number of iterations.
MOST_ITERATIONS = 1_000_000_000

#: An array of numbers: float64 on a `GameTree`, float32 on a `PublicTree`.
Numbers: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one player: the actions of its information sets with several actions, one set after another.

    Information sets with a single action have no rows. There is nothing to decide, and the action has probability 1.

    On a `stier.public.PublicTree` the sets are the hands with several actions, public state after public state, and
    numbers are float32 instead of float64.

    Attributes:
        tree: The tree.
        player: The player.
        sets: The numbers of these information sets in a `GameTree`, ascending, int32 (sets,); 0, 1, … in a
            `PublicTree`.
        starts: The place of the first action of each, int64 (sets,).
        widths: The number of actions of each, 2 or more, int64 (sets,).
        actions: The actions, ascending within an information set, uint8 (rows,).
    """

    tree: GameTree | PublicTree
    player: int
    sets: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    widths: npt.NDArray[np.int64]
    actions: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, tree: GameTree | PublicTree, player: int) -> Rows:
        """Returns the rows of a player."""
        sets, starts, actions = tree.rows(player)
        return cls(tree, player, sets, starts, np.diff(starts, append=len(actions)), actions)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.actions)

    def zeros(self) -> Numbers:
        """Returns a new array of zeros, (rows,), of the type of the tree."""
        return np.zeros(len(self), self._type)

    @property
    def _type(self) -> type[np.floating[Any]]:
        return np.float32 if isinstance(self.tree, PublicTree) else np.float64

    def sums(self, numbers: Numbers) -> Numbers:
        """Returns the sum over the actions of each information set, (sets,), of numbers (rows,)."""
        return np.add.reduceat(numbers, self.starts) if len(self.sets) else numbers[:0]

    def spread(self, numbers: Numbers) -> Numbers:
        """Returns the number of its information set for each action, (rows,), of numbers (sets,)."""
        return np.repeat(numbers, self.widths)

    def normalize(self, numbers: Numbers) -> Numbers:
        """Returns the policy in proportion to numbers (rows,) of 0 or more; uniform where all are 0."""
        totals = self.sums(numbers)
        empty = totals <= 0
        totals[empty] = 1
        policy = numbers / self.spread(totals)
        if empty.any():
            policy += self.spread(empty / self.widths)
        return policy


@dataclass(eq=False)
class Step:
    """The result of a pass over the tree for one player, which a rule turns into the player's next policy.

    The arrays are used again in the next iteration: copy what is kept, and change none of them.

    Attributes:
        iteration: The number of the iteration, from 1.
        policy: The player's policy in this iteration, (rows,).
        regrets: The counterfactual regret of each action, (rows,): the gain over `policy` from choosing the action,
            times `others`.
        reach: The probability that the player's own choices lead to the information set and to the action, (rows,).
        values: The player's expected return at each information set if all follow their policies, times `others`,
            (sets,).
        others: The probability that chance and the other players lead to each information set, (sets,).
    """

    iteration: int
    policy: Numbers
    regrets: Numbers
    reach: Numbers
    values: Numbers
    others: Numbers


#: Makes the function that updates the policy of one player, which has these rows. Called once in each iteration, the
#: function returns the next policy, (rows,), and the weight of the present one in the average.
Rule: TypeAlias = Callable[[Rows], Callable[[Step], tuple[npt.ArrayLike, float]]]


def run(
    tree: GameTree | PublicTree | AnyGame,
    rule: Rule,
    *,
    iterations: int = ITERATIONS,
    target: float = 0.0,
    alternating: bool = True,
    average: bool = True,
    name: str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> TabularPolicy:
    """Looks for an equilibrium by an update rule in Python.

    In each iteration and for each player, a native pass over the tree computes the regrets of the current policy. The
    rule turns them into the next policy with operations on whole arrays, which hold one number for each action, one
    information set after another (`Rows`). CFR as in the paper (Zinkevich et al. 2007)::

        class CFR:
            def __init__(self, rows):
                self.rows, self.regrets = rows, rows.zeros()

            def __call__(self, step):
                self.regrets += step.regrets
                return self.rows.normalize(np.maximum(self.regrets, 0)), 1

        solution = stier.solving.run(tree, CFR, iterations=100, alternating=False)

    The rule is called once for each player, with its rows. It returns the function that is called in each iteration,
    here an object with the player's regrets. Where the others reach an information set, the values of its actions in
    the game's utility, as for `mirror_step`, are
    ``(step.regrets + rows.spread(step.values)) / rows.spread(step.others)``.

    Args:
        tree: The tree of the game, or the game. A game is run on its histories: for public states give
            `PublicTree(game)`.
        rule: The rule; see above.
        iterations: Iterations at most.
        target: The NashConv at which to stop; 0 for never. As in `solve`, also for the times at which it is measured.
        alternating: True if the players update in turn, each seeing the updates of those before it. False if all update
            at once.
        average: True for the average of all policies, each weighted by the player's own probability of reaching the
            information set and by the weight that the rule returns. False for the last policy.
        name: The name of the solution; by default that of the rule.
        seed: The seed of the draws of `TabularPolicy.step`.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A number that is out of range, a rule of another form, or one whose function returns something
            else than probabilities of the actions of each information set and a weight of 0 or more; and a public tree
            that is a part of its game: see `iterate`.
    """
    iterations = _arguments.whole("iterations", iterations, 1, MOST_ITERATIONS)
    target = _arguments.number("target", target, 0)
    seed, label = _arguments.seed(seed), name or _name(rule)
    steps = _Steps(
        tree if isinstance(tree, GameTree | PublicTree) else GameTree(tree), rule, label, alternating, average
    )
    seconds, history = 0.0, list[tuple[int, float, float]]()
    with bar(progress, "iterations") as show:
        while True:
            look = min(_native.next_look(steps.iteration, target > 0), iterations)
            start = time.perf_counter()
            while steps.iteration < look:
                steps.advance()
                show(steps.iteration, iterations, f"NashConv {history[-1][2]:.3g}" if history else "")
            seconds += time.perf_counter() - start
            solution = steps.tree.solution(
                steps.found(), name=label, iterations=look, seconds=seconds, history=history, seed=seed
            )
            if look == iterations or 0 < target >= solution.nash_conv:
                return solution
            history.append((look, seconds, solution.nash_conv))


def iterate(
    tree: GameTree | PublicTree, rule: Rule, *, iterations: int, alternating: bool = True, average: bool = True
) -> list[Numbers]:
    """Returns the policies of all players, (rows,) each, after so many iterations of an update rule in Python.

    This is `run` without a measure of the result, for a part of a game on public states.

    Args:
        tree: The tree.
        rule: The rule, as for `run`.
        iterations: Iterations.
        alternating: True if the players update in turn.
        average: True for the average of all policies, False for the last.

    Raises:
        ArgumentError: As `run`.
    """
    steps = _Steps(tree, rule, _name(rule), alternating, average)
    for _ in range(_arguments.whole("iterations", iterations, 1, MOST_ITERATIONS)):
        steps.advance()
    return steps.found()


def _name(rule: Rule) -> str:
    return str(getattr(rule, "__name__", type(rule).__name__))


class _Steps:
    """A run of a rule."""

    def __init__(self, tree: GameTree | PublicTree, rule: Rule, name: str, alternating: bool, average: bool) -> None:
        self.tree, self.iteration = tree, 0
        self._name, self._alternating, self._average = name, alternating, average
        self._players = [Rows.of(tree, player) for player in range(tree.game.num_players())]
        self._updates = [_update(name, rule, rows) for rows in self._players]
        self._policies = [rows.normalize(rows.zeros()) for rows in self._players]
        self._sums = [rows.zeros() for rows in self._players]
        self._steps = [
            Step(
                0,
                policy,
                *(np.zeros(size, policy.dtype) for size in (len(rows), len(rows), len(rows.sets), len(rows.sets))),
            )
            for rows, policy in zip(self._players, self._policies, strict=True)
        ]

    def advance(self) -> None:
        """Does one iteration."""
        self.iteration += 1
        policies = self._policies
        following = policies if self._alternating else [policy.copy() for policy in policies]
        for rows, update, step, total in zip(self._players, self._updates, self._steps, self._sums, strict=True):
            step.iteration, step.policy = self.iteration, policies[rows.player]
            self.tree.regrets_into(rows.player, policies, step.regrets, step.reach, step.values, step.others)
            policy, weight = _returned(self._name, rows, update(step))
            if self._average:
                total += weight * step.reach
            following[rows.player][:] = policy
        self._policies = following

    def found(self) -> list[Numbers]:
        """Returns the policies so far."""
        pairs = zip(self._players, self._sums, strict=True)
        return [rows.normalize(total) for rows, total in pairs] if self._average else self._policies


def _update(name: str, rule: Rule, rows: Rows) -> Callable[[Step], tuple[npt.ArrayLike, float]]:
    form = "a rule takes the rows of one player and returns a function of a step: see stier.solving.run"
    if not callable(rule) or _arguments.misfit(rule, rows):
        raise ArgumentError(f"{name} cannot be called with the rows alone; {form}")
    try:
        update = rule(rows)
    except AttributeError as error:
        if error.obj is rows and error.name in Step.__dataclass_fields__:
            raise ArgumentError(f"{name} must take {error.name} from a step, not from the rows; {form}") from error
        raise
    if not callable(update) or _arguments.misfit(update, None):
        what = "a function of other arguments" if callable(update) else type(update).__name__
        raise ArgumentError(f"{name} returns {what}; {form}")
    return update


def _returned(name: str, rows: Rows, returned: tuple[npt.ArrayLike, float]) -> tuple[npt.ArrayLike, float]:
    """Returns what a rule returned, checked but for the probabilities, which the next pass checks."""
    try:
        policy, weight = returned
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must return a policy and its weight, got {type(returned).__name__}") from None
    if np.shape(policy) != (len(rows),):
        where = f"({len(rows)},) for player {rows.player}"
        raise ArgumentError(f"{name} must return a policy of shape {where}, got {np.shape(policy)}")
    return policy, _arguments.number("weight", weight, 0)


def mirror_step(
    probabilities: npt.ArrayLike, values: npt.ArrayLike, *, step: float, magnet: float = 0.0
) -> npt.NDArray[np.float64]:
    """Computes one step of magnetic mirror descent from a policy, at all information sets at once.

    The new probability of an action is proportional to ``exp((log p + step * q) / (1 + magnet * step))``, where p
    is the old probability and q the value of the action. This maximises the expected value minus the Kullback-Leibler
    divergence from the old policy, divided by the step, plus the entropy times the magnet (Sokota et al. 2023; as
    a search at the time of the decision, 2024). Step 0 changes nothing. With a large step and magnet 0, the
    likeliest action is the one of the largest value. Actions of probability 0 keep it.

    One step towards the better actions need not lead nearer to an equilibrium: measure the result with
    `GameTree.policy`.

    Args:
        probabilities: The old policy, an array (…, actions), such as `TabularPolicy.probabilities()`.
        values: The values of the actions, an array of the same shape, such as `GameTree.action_values()`. A step of 1
            multiplies the ratio of two probabilities by e for each unit of difference, so divide the values by a
            typical return first, such as `value_scale` of a network, if steps are to be compared between games.
        step: The size of the step, 0 or more.
        magnet: The pull towards the uniform policy: 0 or more.

    Returns:
        The new policy, a float64 array of the same shape.

    Raises:
        ArgumentError: Different shapes, or a step or magnet that is negative or not finite.
    """
    old, q = np.asarray(probabilities, np.float64), np.asarray(values, np.float64)
    if old.shape != q.shape:
        raise ArgumentError(f"probabilities and values must have the same shape, got {old.shape} and {q.shape}")
    step, magnet = _arguments.number("step", step, 0), _arguments.number("magnet", magnet, 0)
    with np.errstate(divide="ignore"):
        logits = (np.log(old) + step * q) / (1 + magnet * step)
    new: npt.NDArray[np.float64] = np.exp(logits - logits.max(axis=-1, keepdims=True))
    new /= new.sum(axis=-1, keepdims=True)
    return new
