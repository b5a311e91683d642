"""Equilibria of small games, and how far agents are from them: exactly, or as a lower bound in large games."""

from stier._native import GameTree, TabularPolicy
from stier.solving._bounds import Exploitation, exploit
from stier.solving._distances import best_response, exploitability, nash_conv
from stier.solving._equilibria import load_solution, solve
from stier.solving._rules import Rows, Rule, Step, iterate, mirror_step, run

__all__ = [
    "Exploitation",
    "GameTree",
    "Rows",
    "Rule",
    "Step",
    "TabularPolicy",
    "best_response",
    "exploit",
    "exploitability",
    "iterate",
    "load_solution",
    "mirror_step",
    "nash_conv",
    "run",
    "solve",
]
