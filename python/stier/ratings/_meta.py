"""The game of choosing an agent: ratings that cycles do not fool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog, minimize

from stier.errors import ArgumentError, MissingExtraError
from stier.ratings._estimate import Floats
from stier.ratings._outcomes import CrossTable

#: How far from antisymmetric payoffs may be, in parts of the largest.
ASYMMETRY = 1e-6
#: The largest ranking intensity; more than this, exponentials overflow.
MOST_INTENSE = 300
#: Weights below this are 0.
NOTHING = 1e-7


class NashAverage(NamedTuple):
    """What `nash_averaging` found."""

    #: How often the equilibrium chooses each agent: float64 (agents,).
    weights: Floats
    #: The mean payoff of each agent against that choice: float64 (agents,); 0 for those that it chooses, else less.
    averages: Floats


def nash_averaging(payoffs: CrossTable | npt.ArrayLike) -> NashAverage:
    """Rate agents against the equilibrium of the game in which each player chooses an agent.

    D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, *Re-evaluating Evaluation* (2018): of all equilibria the one of the
    largest entropy, so that copies of an agent change nothing for the others. The payoffs are taken for exact: their
    errors are not in it.

    Args:
        payoffs: A cross-table, of which the mean returns are taken, or antisymmetric numbers (agents, agents): what the
            row wins against the column.

    Raises:
        ValueError: Not a square, not antisymmetric, or not a number: two agents that did not meet.
    """
    matrix = _matrix(payoffs)
    count = len(matrix)
    largest = float(np.abs(matrix).max())
    if largest > 0:
        matrix = matrix / largest
    if np.abs(matrix + matrix.T).max() > 2 * ASYMMETRY:
        raise ArgumentError("payoffs must be antisymmetric: what the row wins, the column loses")
    # Equilibria are the choices that lose against nobody.
    first = linprog(np.zeros(count), A_ub=matrix, b_ub=np.zeros(count), A_eq=np.ones((1, count)), b_eq=[1.0])
    if not first.success:
        raise ArithmeticError(f"no equilibrium was found: {first.message}")
    # A mixture with the uniform one starts within.
    start = 0.9 * np.clip(first.x, 0, None) + 0.1 / count

    def entropy(weights: Floats) -> tuple[float, Floats]:
        logs = np.log(np.maximum(weights, 1e-300))
        return float(weights @ logs), logs + 1

    found = minimize(
        entropy,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(1e-12, 1.0)] * count,
        constraints=[
            {"type": "ineq", "fun": lambda weights: -matrix @ weights, "jac": lambda _: -matrix},
            {"type": "eq", "fun": lambda weights: weights.sum() - 1, "jac": lambda _: np.ones(count)},
        ],
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    weights = found.x if found.success else first.x
    weights = np.where(weights < NOTHING, 0.0, weights)
    weights /= weights.sum()
    return NashAverage(weights, (matrix @ weights) * (largest or 1.0))


def alpha_rank(payoffs: CrossTable | npt.ArrayLike, *, alpha: float = 100.0, population: int = 50) -> Floats:
    """Rate agents by how long evolution stays with them: needs the extra ``alpha_rank``: OpenSpiel
    computes it.

    S. Omidshafiei et al., *Alpha-Rank: Multi-Agent Evaluation by Evolution* (2019): the stationary distribution of a
    population of which mutants take over the more likely the better they do.

    Args:
        payoffs: A cross-table, of which the mean returns are taken, or numbers (agents, agents): what the row wins
            against the column.
        alpha: The ranking intensity, above 0 and at most 300, for payoffs of which the largest is made 1.
        population: The size of the population, at least 2.

    Returns:
        The share of time that each agent is what all play: float64 (agents,), of sum 1.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"alpha_rank needs {error.name}: pip install 'stier[alpha_rank]'") from None
    if not 0 < alpha <= MOST_INTENSE or population < 2:
        raise ArgumentError(f"alpha must be above 0 and at most {MOST_INTENSE}, population at least 2")
    matrix = _matrix(payoffs)
    matrix = matrix / (np.abs(matrix).max() or 1.0)
    if len(matrix) == 1:
        return np.ones(1)
    # What is certain to win overflows to infinity, as it should.
    with np.errstate(over="ignore"):
        _, _, stationary, *_ = alpharank.compute([matrix], m=population, alpha=alpha)
    return np.asarray(stationary, dtype=np.float64)


def _matrix(payoffs: CrossTable | npt.ArrayLike) -> Floats:
    """The payoffs; who plays itself wins nothing."""
    given = payoffs.mean if isinstance(payoffs, CrossTable) else payoffs
    matrix = np.array(given, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not len(matrix):
        raise ArgumentError(f"payoffs must be a square of numbers (agents, agents), not of shape {matrix.shape}")
    if isinstance(payoffs, CrossTable):
        np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise ArgumentError(f"there is no payoff of agent {row} against agent {column}: did they meet?")
    return matrix
