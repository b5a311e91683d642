"""Exact solutions of two-player zero-sum games, by a linear program over sequences.

D. Koller, N. Megiddo and B. von Stengel, *Efficient Computation of Equilibria for Extensive Two-Person Games*, 1996.
The native module takes the sequences from the tree; the program is solved by HiGHS (Q. Huangfu and J. A. J. Hall,
*Parallelizing the dual revised simplex method*, 2018).
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stier.errors import ArgumentError, missing_extra

try:
    from scipy.optimize import linprog
    from scipy.sparse import block_array, csr_array
except ModuleNotFoundError:
    raise missing_extra("sequence_form", "scipy", "sequence_form") from None

#: The places where the information sets of a player begin in its rows, and the end of the last; and the number of the
#: sequence that leads to each. Sequence 0 is empty, and sequence r + 1 ends with row r.
Player = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

#: A smaller probability of reaching an information set under a plan is rounding, and play there is uniform.
NOTHING = 1e-9
#: By how much the solver may miss a bound.
TOLERANCE = 1e-10
#: A program with so many payoffs takes less than a second. A larger one is solved in a process of its own: while the
#: solver computes, nothing else runs in its process, and it cannot be stopped.
AT_ONCE = 20_000
#: The program of that process.
CHILD = """
import pathlib, pickle, sys
from scipy.optimize import linprog
place = pathlib.Path(sys.argv[1])
place.write_bytes(pickle.dumps(linprog(**pickle.loads(place.read_bytes()))))
"""


def solve(
    players: list[Player],
    sequences: list[npt.NDArray[np.int64]],
    payoffs: npt.NDArray[np.float64],
    goes_on: Callable[[], bool],
) -> list[npt.NDArray[np.float64]] | None:
    """Returns the policies of both players in an equilibrium, each (rows,): the probability of each row.

    None if `goes_on` says no, which is asked ten times a second while a large program is solved.

    Args:
        players: The information sets of each player.
        sequences: The sequences of both players that lead to ends together, two arrays (pairs,).
        payoffs: The first player's payoff there times the probability of chance, (pairs,).
        goes_on: False if the calculation is to end.
    """
    first, second = (_flow(*player) for player in players)
    # The solver takes very small numbers for zeros, and does not take very large ones.
    payoffs = payoffs / (np.abs(payoffs).max(initial=0) or 1)
    payoff = csr_array((payoffs, (sequences[1], sequences[0])), (second.shape[1], first.shape[1]))
    # The variables are the first player's plan, the value of the root, and the value of each of the second player's
    # information sets. A set's value is at most that of each of its actions.
    plan, values = first.shape[1], second.shape[0]
    goal = np.zeros(plan + values)
    goal[plan] = -1
    program = {
        "c": goal,
        "A_ub": block_array([[-payoff, second.T]], format="csr"),
        "b_ub": np.zeros(payoff.shape[0]),
        "A_eq": block_array([[first, csr_array((first.shape[0], values))]], format="csr"),
        "b_eq": np.eye(1, first.shape[0])[0],
        "bounds": [(0, None)] * plan + [(None, None)] * values,
        "method": "highs",
        "options": {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    }
    found = linprog(**program) if len(payoffs) <= AT_ONCE else _in_a_process(program, goes_on)
    if found is None:
        return None
    if found.status != 0:
        raise ArgumentError(f"the linear program was not solved: {found.message}; use discounted_cfr with a target")
    plans = found.x[:plan], -found.ineqlin.marginals
    return [_policy(starts, plan) for (starts, _), plan in zip(players, plans, strict=True)]


def _in_a_process(program: dict[str, Any], goes_on: Callable[[], bool]) -> Any:
    """Returns the solution of a linear program; None if `goes_on` says no."""
    with tempfile.TemporaryDirectory(prefix="stier-") as folder:
        place = Path(folder) / "program"
        place.write_bytes(pickle.dumps(program))
        # Ctrl-C in a terminal would reach it, too, if it were not in a session of its own.
        child = subprocess.Popen([sys.executable, "-c", CHILD, place], start_new_session=True)
        try:
            while child.poll() is None:
                if not goes_on():
                    return None
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(0.1)
        finally:
            child.kill()
            child.wait()
        if child.returncode != 0:
            raise ArgumentError(f"the linear program was not solved: its process ended with {child.returncode}")
        return pickle.loads(place.read_bytes())


def _flow(starts: npt.NDArray[np.int64], before: npt.NDArray[np.int64]) -> csr_array:
    """Returns the matrix of a plan's constraints, (1 + sets, 1 + rows).

    The empty sequence has probability 1, and at each information set the probabilities of the outgoing sequences add up
    to that of the incoming one.
    """
    sets, rows = np.arange(1, len(starts)), np.arange(1, starts[-1] + 1)
    values = np.concatenate([np.ones(1 + len(rows)), -np.ones(len(sets))])
    into = np.concatenate([[0], np.repeat(sets, np.diff(starts)), sets])
    return csr_array((values, (into, np.concatenate([[0], rows, before]))), (1 + len(sets), 1 + len(rows)))


def _policy(starts: npt.NDArray[np.int64], plan: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the policy of a plan, uniform at the sets that the player itself never reaches."""
    widths, policy = np.diff(starts), np.maximum(plan[1:], 0)
    if not len(widths):
        return policy
    totals = np.repeat(np.add.reduceat(policy, starts[:-1]), widths)
    return np.where(totals < NOTHING, 1 / np.repeat(widths, widths), policy / np.maximum(totals, NOTHING))
