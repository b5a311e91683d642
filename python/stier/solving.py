"""Equilibria of small games, and how far agents are from them: exactly, or as a lower bound in large games."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from stier import _arguments, _files, _native
from stier._adapting import as_game
from stier._native import (
    Agent,
    BestResponse,
    Game,
    GameTree,
    PitResult,
    Solution,
    TabularPolicy,
    load_agent,
)
from stier._output import bar, plus_minus
from stier.catalogue import describe_agent
from stier.errors import AgentError, ArgumentError
from stier.playing import AnyAgent, AnyGame, HasPolicy, as_agent, is_named, listed, pit

__all__ = [
    "BestResponse",
    "Exploitation",
    "GameTree",
    "Rows",
    "Rule",
    "Solution",
    "Step",
    "TabularPolicy",
    "best_response",
    "exploit",
    "exploitability",
    "load_solution",
    "mirror_step",
    "nash_conv",
    "run",
    "solve",
]


#: Shows the progress of an enumeration.
_counting = partial(bar, unit="histories", leave=False)

#: The number of iterations, unless another is given, and the largest.
ITERATIONS = 1000
MOST_ITERATIONS = 1_000_000_000


def solve(
    game: AnyGame,
    algorithm: str = "cfr+",
    *,
    iterations: int = ITERATIONS,
    target: float = 0.0,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> Solution:
    """Approximates an equilibrium of a small game. Use scaled-down rules: every history is kept in memory.

    In two-player zero-sum games the average policy approaches an equilibrium; with more players nothing is guaranteed.
    The result depends on the arguments only, not on the number of threads or on interruptions.

    `Solution.history` has the NashConv during the run. Without a target it is measured after 1, 2, 4, 8, … iterations,
    which takes about 2 % of the time of 1000 iterations. Algorithms that sample begin when they have sampled as many
    games as there are information sets.

    Args:
        game: The game, or its name as for `stier.load_game`.
        algorithm: Counterfactual regret minimization, ``"cfr"`` (Zinkevich et al. 2007), ``"cfr+"`` (Tammelin 2014),
            ``"linear_cfr"`` or ``"discounted_cfr"`` (Brown and Sandholm 2019); sampled, ``"external_sampling"`` or
            ``"outcome_sampling"`` (Lanctot et al. 2009); or ``"sequence_form"``, an exact linear program for zero-sum
            games of two players with up to some thousand information sets (Koller, Megiddo and von Stengel 1996). It
            takes neither `iterations` nor `target`.
        iterations: Iterations at most, those of the checkpoint included.
        target: The NashConv, in the game's utility, at which to stop; 0 for never. It is then measured every ten
            iterations at first, and later whenever there are a tenth more.
        seed: The seed of sampling, and of the draws of `Solution.step`.
        checkpoint: A file, for the variants of CFR that do not sample. If it is there, the calculation goes on from it;
            it is written every half minute, on Ctrl-C, and at the end.
        max_histories: A game with more histories is refused; they are counted as in `Solution.histories`. A game that
            is clearly larger, as estimated from random games, is refused at once.
        threads: Threads; 0 for all cores.
        progress: Shows progress bars of counting and of solving, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A game with more histories, an unknown algorithm, a number that is out of range, or a checkpoint
            of another calculation or for an algorithm that keeps none.
        FileError: A checkpoint that cannot be written.
    """
    if checkpoint is not None:
        checkpoint = _files.regular(checkpoint)
    if algorithm == "sequence_form" and (iterations != ITERATIONS or target):
        raise ArgumentError(
            f"sequence_form is exact and takes neither iterations nor a target, got {iterations} and {target:g}"
        )
    arguments = (game, algorithm, iterations, target, seed, checkpoint, max_histories, threads)
    with _counting(progress) as count, bar(progress, "iterations") as update:

        def iterated(done: int, total: int, distance: float | None) -> None:
            if update is not None:
                update(done, total, "" if distance is None else f"NashConv {distance:.3g}")

        return _native.solve(*arguments, iterated if progress else None, count)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one player: the actions of all its information sets, one set after another.

    Attributes:
        tree: The tree.
        player: The player.
        sets: The numbers of its information sets in the tree, ascending, int32 (sets,).
        starts: The place of the first action of each, int64 (sets,).
        widths: The number of actions of each, int64 (sets,).
        actions: The actions, ascending within an information set, uint8 (rows,).
    """

    tree: GameTree
    player: int
    sets: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    widths: npt.NDArray[np.int64]
    actions: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, tree: GameTree, player: int) -> Rows:
        """Returns the rows of a player."""
        sets, starts, actions = tree.rows(player)
        return cls(tree, player, sets, starts, np.diff(starts, append=len(actions)), actions)

    def __len__(self) -> int:
        """The number of rows: actions of all information sets."""
        return len(self.actions)

    def sums(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Returns the sum over the actions of each information set, (sets,), of numbers (rows,)."""
        return np.add.reduceat(numbers, self.starts) if len(self.sets) else np.zeros(0)

    def spread(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Returns the number of its information set for each action, (rows,), of numbers (sets,)."""
        return np.repeat(numbers, self.widths)

    def normalize(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
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
    policy: npt.NDArray[np.float64]
    regrets: npt.NDArray[np.float64]
    reach: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    others: npt.NDArray[np.float64]


#: Makes the function that updates the policy of one player, which has these rows. Called once in each iteration, the
#: function returns the next policy, (rows,), and the weight of the present one in the average.
Rule: TypeAlias = Callable[[Rows], Callable[[Step], tuple[npt.ArrayLike, float]]]


def run(
    tree: GameTree | AnyGame,
    rule: Rule,
    *,
    iterations: int = ITERATIONS,
    target: float = 0.0,
    alternating: bool = True,
    average: bool = True,
    name: str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Solution:
    """Looks for an equilibrium by an update rule in Python.

    In each iteration and for each player, a native pass over the tree computes the regrets of the current policy. The
    rule turns them into the next policy with operations on whole arrays, which hold one number for each action, one
    information set after another (`Rows`). CFR as in the paper (Zinkevich et al. 2007)::

        class CFR:
            def __init__(self, rows):
                self.rows, self.regrets = rows, np.zeros(len(rows))

            def __call__(self, step):
                self.regrets += step.regrets
                return self.rows.normalize(np.maximum(self.regrets, 0)), 1

        solution = stier.solving.run(tree, CFR, iterations=100, alternating=False)

    The rule is called once for each player, with its rows. It returns the function that is called in each iteration,
    here an object with the player's regrets. Where the others reach an information set, the values of its actions in
    the game's utility, as for `mirror_step`, are
    ``(step.regrets + rows.spread(step.values)) / rows.spread(step.others)``.

    Args:
        tree: The tree of the game, or the game.
        rule: The rule; see above.
        iterations: Iterations at most.
        target: The NashConv at which to stop; 0 for never. As in `solve`, also for the times at which it is measured.
        alternating: True if the players update in turn, each seeing the updates of those before it. False if all update
            at once.
        average: True for the average of all policies, each weighted by the player's own probability of reaching the
            information set and by the weight that the rule returns. False for the last policy.
        name: The name of the solution; by default that of the rule.
        seed: The seed of the draws of `Solution.step`.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A number that is out of range, a rule of another form, or one whose function returns something
            else than probabilities of the actions of each information set and a weight of 0 or more.
    """
    iterations = _arguments.whole("iterations", iterations, 1, MOST_ITERATIONS)
    target = _arguments.number("target", target, 0)
    seed, label = _arguments.seed(seed), name or str(getattr(rule, "__name__", type(rule).__name__))
    tree = tree if isinstance(tree, GameTree) else GameTree(tree)
    players = [Rows.of(tree, player) for player in range(tree.game.num_players())]
    updates = [_update(label, rule, rows) for rows in players]
    policies = [rows.normalize(np.zeros(len(rows))) for rows in players]
    sums = [np.zeros(len(rows)) for rows in players]
    steps = [
        Step(0, policy, *(np.zeros(len(part)) for part in (rows, rows, rows.sets, rows.sets)))
        for rows, policy in zip(players, policies, strict=True)
    ]
    iteration, seconds, history = 0, 0.0, list[tuple[int, float, float]]()
    with bar(progress, "iterations") as show:
        while True:
            look, start = min(_native.next_look(iteration, target > 0), iterations), time.perf_counter()
            while iteration < look:
                iteration += 1
                following = policies if alternating else [policy.copy() for policy in policies]
                for rows, update, step, total in zip(players, updates, steps, sums, strict=True):
                    step.iteration, step.policy = iteration, policies[rows.player]
                    tree.regrets_into(rows.player, policies, step.regrets, step.reach, step.values, step.others)
                    policy, weight = _returned(label, rows, update(step))
                    if average:
                        total += weight * step.reach
                    following[rows.player][:] = policy
                policies = following
                if show is not None:
                    show(iteration, iterations, f"NashConv {history[-1][2]:.3g}" if history else "")
            seconds += time.perf_counter() - start
            found = [rows.normalize(total) for rows, total in zip(players, sums, strict=True)] if average else policies
            solution = tree.solution(
                found, name=label, iterations=iteration, seconds=seconds, history=history, seed=seed
            )
            if iteration == iterations or 0 < target >= solution.nash_conv:
                return solution
            history.append((iteration, seconds, solution.nash_conv))


def _update(name: str, rule: Rule, rows: Rows) -> Callable[[Step], tuple[npt.ArrayLike, float]]:
    """Returns the function that a rule makes for one player."""
    form = "a rule takes the rows of one player and returns a function of a step: see stier.solving.run"
    if not callable(rule) or not _arguments.takes(rule, "rows"):
        raise ArgumentError(f"{name} cannot be called with the rows alone; {form}")
    try:
        update = rule(rows)
    except AttributeError as error:
        if error.obj is rows and error.name in Step.__dataclass_fields__:
            raise ArgumentError(f"{name} looks for {error.name} in the rows, which a step has; {form}") from error
        raise
    if not callable(update) or not _arguments.takes(update, "step"):
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
        raise ArgumentError(
            f"{name} must return a policy of shape ({len(rows)},) for player {rows.player}, got {np.shape(policy)}"
        )
    return policy, _arguments.number("weight", weight, 0)


def load_solution(
    path: str | os.PathLike[str],
    seed: int = 0,
    *,
    max_histories: int = 2**30 - 1,
    threads: int = 0,
    progress: bool = False,
) -> Solution:
    """Loads a solution written by `Solution.save`. Enumerates its game again.

    Args:
        path: The file.
        seed: The seed of the draws of `Solution.step`.
        max_histories: A game with more histories is refused, as in `solve`.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        FileError: A file that cannot be read.
        RecordError: A file that is damaged or is not a solution.
        ArgumentError: A game with more histories, or a number that is out of range.
    """
    with _counting(progress) as count:
        return _native.load_solution(_files.as_path(path), seed, max_histories, threads, count)


def best_response(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> BestResponse:
    """Computes the best response of every player to an agent at all other seats, on the whole game.

    What the agent does is asked at every information set. An `Agent`, or its text form, is asked for the probabilities
    with which it chooses, each time as newly made with a seed of its own; a callable for an action, in this thread. A
    solution and a policy of OpenSpiel are read. The result depends on the arguments only, not on the number of threads.

    A search, and a callable with random numbers, answers each question with one seed only. The best response also
    exploits the noise of that seed, so the figure is too high: for ``ismcts:iterations=2`` in Kuhn poker 0.31 on
    average, where the mean of its policies has 0.19. With `seeds`, the policies of that many seeds are averaged first,
    and the figure is less too high. `BestResponse.seeds` says how many were averaged.

    Args:
        game: The game, or its name; scaled-down rules, as in `solve`.
        agent: An agent as text, an agent, a solution, another object with ``step(state)``, a policy of OpenSpiel, or a
            callable.
        seed: The seed of the agent's decisions.
        seeds: The number of seeds, hashed from `seed`, whose policies are averaged, for agents that search and for
            callables. Agents whose policy does not depend on a seed are asked once.
        max_histories: A game with more histories is refused, as in `solve`.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist, is for another game, or sees everything.
        IllegalActionError: A callable chose an action that is not legal.
        ArgumentError: A game with more histories, or a number that is out of range.
    """
    if isinstance(agent, HasPolicy):
        from stier.open_spiel import tabular

        agent = tabular(game, agent, max_histories=max_histories, progress=progress)
        game = agent.game
    arguments = (game, as_agent(agent), seed, seeds, max_histories, threads)
    with _counting(progress) as count, bar(progress, "information sets") as update:
        return _native.best_response(*arguments, update, count)


def nash_conv(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Returns the sum over the players of the gain from a best response to the agent in all other seats.

    It is 0 if the agent plays an equilibrium, and only then. Arguments and errors as in `best_response`: a search
    should be asked with several `seeds`.
    """
    return best_response(
        game, agent, seed=seed, seeds=seeds, max_histories=max_histories, threads=threads, progress=progress
    ).nash_conv


def exploitability(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Returns the average gain of a player from a best response to the agent: `nash_conv` by the number of players.

    In a zero-sum game for two it is what the agent loses against its worst opponent, beyond the value of the game and
    averaged over both seats. Arguments and errors as in `best_response`: a search should be asked with several `seeds`.
    """
    return best_response(
        game, agent, seed=seed, seeds=seeds, max_histories=max_histories, threads=threads, progress=progress
    ).exploitability


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


#: The responder, unless another is named.
RESPONDER = "ismcts_br"
#: With fewer deals an interval means too little for a bound in words.
FEWEST_DEALS = 10


@dataclass(frozen=True)
class Gain:
    """The gain of a responder against an agent: the fields of `Exploitation` and `stier.train.LearnedResponse`."""

    game: Game
    agent: str
    responder: str
    gain: float
    ci95: float

    @property
    def at_least(self) -> float:
        """The exploitability that is shown with 95 % confidence: 0 if there is no interval, or it reaches below 0."""
        return 0.0 if isnan(self.ci95) else max(0.0, self.gain - self.ci95)

    def _bound(self, deals: int) -> str:
        if deals < FEWEST_DEALS:
            return f"No lower bound is shown by fewer than {FEWEST_DEALS} deals."
        if self.at_least > 0:
            return f"Lower bound on what a best response gains: {self.at_least:.3f} (95 % confidence)."
        return "No lower bound is shown (95 % confidence)."

    def _text(self, deals: int, seed: int) -> str:
        return (
            f"{self.game}, {deals} paired deals, seed {seed}\n"
            f"agent      {self.agent}\n"
            f"responder  {self.responder}\n"
            f"gain       {self.gain:+.3f}{plus_minus(self.ci95)} per game, on average over the seats\n"
            f"{self._bound(deals)}\n"
        )


@dataclass(frozen=True)
class Exploitation(Gain):
    """The gain of a responder against an agent, a lower bound on that of a best response; made by `exploit`.

    Attributes:
        game: The game.
        agent: The agent at all seats but the responder's, as text.
        responder: The responder, as text.
        gain: Mean return of the responder per game, in the game's utility and above an equal share of what all returns
            add up to (0 in zero-sum games). Averaged over the seats, with the agent in all others.
        ci95: Half the width of the 95 % interval around `gain`, as in `PitResult.ci95`; deals are the units.
        games: The games themselves: the responder is entrant 0.
    """

    games: PitResult

    def __str__(self) -> str:
        """The gain in words, with the bound that follows from it."""
        return self._text(self.games.deals, self.games.seed)


def exploit(
    game: AnyGame,
    agent: AnyAgent,
    responder: AnyAgent = RESPONDER,
    *,
    deals: int = 100,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
) -> Exploitation:
    """Computes a lower bound on an agent's exploitability, in games too large for exact best responses.

    A responder that knows the agent's policy, but neither its cards nor its random numbers, plays it in paired deals:
    each is played once with the responder at each seat and the agent at all others. Whatever the responder does, its
    expected return cannot exceed a best response's, so the gain, on average over the seats, is a lower bound on that of
    a best response. For two players whose returns add up to a constant, that is the agent's
    exploitability, half the NashConv; for more of them it is NashConv divided by the number of seats.

    It bounds nothing from above: a gain near or below 0 says that this responder found nothing. An agent that remembers
    earlier decisions is bounded all the same, but responders take it for one that does not.

    The result depends on the arguments only, not on the number of threads.

    Args:
        game: The game, or its name. Its returns must add up to a constant.
        agent: The agent to exploit, at all seats but one: anything that `stier.pit` takes.
        responder: Any agent but ``oracle``, which sees the cards: all others give a lower bound. Text of one that has
            the option ``against`` (``lbr``, ``ismcts_br``) is completed by the agent, unless it sets the option; the
            agent must then be an `Agent` or its text. Against an agent that searches, most of the time goes into the
            agent's decisions that the responder asks for: see its options ``particles`` and ``replies``. With
            ``"lbr:continuation=network,network=FILE"`` a trained network plays the responder's later decisions in
            simulations, such as that of a `stier.train.LearnedResponse`.
        deals: Deals, at least 1; an interval needs 2.
        seed: The seed of deals and agents.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist or is for another game, one whose policy the responder cannot know, or
            ``oracle`` as the responder.
        ValueError: A number that is out of range, or returns that do not add up to a constant.
    """
    game = as_game(game)
    total, seats = constant_sum(game), game.num_players()
    others = [agent] * (seats - 1)
    if isinstance(agent, str):
        # Each seat has an object of its own.
        others = listed(others, game)
        agent = others[0]
    if responder == "learned":
        raise AgentError("a learned responder must be trained first: stier.train.best_response does both")
    if isinstance(responder, str):
        responder = as_agent(responder) if is_named(responder) else _told(game, responder, agent)
    if isinstance(responder, Agent) and responder.name == "oracle":
        raise AgentError(
            "oracle sees the hidden cards, so its gain is not a lower bound: choose another responder, such as lbr"
        )
    games = pit(game, [responder, *others], deals=deals, seed=seed, threads=threads, progress=progress)
    gain = float(games.mean[0]) - total / seats
    names = [_name(responder, games.agents[0]), _name(agent, games.agents[-1])]
    return Exploitation(game, names[1], names[0], gain, float(games.ci95[0]), games)


def _name(agent: AnyAgent, otherwise: str) -> str:
    """Returns the text of an agent; a responder's also says whose policy it models if that is the default."""
    if not isinstance(agent, Agent):
        return otherwise
    text = str(agent)
    for option in describe_agent(agent.name).options:
        if option.name == "against" and "against=" not in text:
            text += f"{',' if ':' in text else ':'}against={option.default}"
    return text


def constant_sum(game: Game) -> float:
    """Returns the sum of all returns. Raises `ValueError` if it is not a constant."""
    total = game.utility_sum()
    if total is None:
        raise ArgumentError(f"{game}: the returns add up to no constant; with utility=margin or utility=win they do")
    return total


def _told(game: Game, text: str, agent: AnyAgent) -> Agent:
    """Loads a responder and tells it which agent it plays, unless it has no such option or the text sets it."""
    # Without the option it might not load: its default is an agent that not every game has.
    options = describe_agent(re.split(r"[:(]", text, maxsplit=1)[0].strip()).options
    if "against=" in text or "against" not in [option.name for option in options]:
        return load_agent(text, game)
    if not isinstance(agent, Agent):
        given = agent if isinstance(agent, str) else type(agent).__name__
        raise AgentError(
            f"{text} must know the policy of an Agent or its text, got {given}; "
            "choose a responder without the option against, such as 'ismcts'"
        )
    return load_agent(text, game, against=f"({agent})")
