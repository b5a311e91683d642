"""A finished or unfinished game once more, decision by decision, from one seat's perspective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import SupportsIndex, overload

import numpy as np

from stier import _arguments, draw, terminal
from stier._native import Agent, Game, State, judge, judgement_seed, read_record, verdict
from stier._output import counted
from stier._results import Beliefs, Search
from stier.errors import AgentError
from stier.playing import AnyAgent, replayed, searcher

__all__ = ["Decision", "Replay", "replay"]


#: The agent that is asked, and how often at each decision, unless the caller says otherwise.
AGENT, SEARCHES = "ismcts:iterations=10000,beliefs=policy", 5

#: With fewer searches there is neither an interval nor a verdict.
_FEWEST = 3


@dataclass(frozen=True)
class Decision:
    """One decision of the seat.

    Attributes:
        number: The number of events before the decision in `view`. This is the true number, except in a game that hides
            it from the seat, as dark_hex does.
        view: A state drawn from what the seat knew: seen with its eyes it is the true one, and what it could not know
            is not in it.
        truth: The true state, if `replay` was asked to `reveal` it.
        beliefs: The agent's beliefs about the cards, from what the seat knew. Empty in a game without cards.
        searches: The agent's searches: none if only one action was legal.
        action: The chosen action.
        name: The name of the chosen action.
        best: The action that most of the searches choose; the one chosen if nothing was searched.
        best_name: The name of that action.
        cost: The value of the agent's own choice less that of `action`, for the seat, in the game's utility: on average
            over the searches, each of which chooses once and has its choice valued by all the others. 0 if they all
            choose `action`. Negative if `action` is better. `None` for a single search, and if some search has not
            tried one of these actions. The values are those of the agent.
        cost_ci95: The half width of a 95 % interval around `cost`. `None` for fewer than three searches. The searches
            differ by their seeds alone: an error that is common to all of them is not in the interval.
    """

    number: int
    view: State
    truth: State | None
    beliefs: Beliefs
    searches: tuple[Search, ...]
    action: int
    name: str
    best: int
    best_name: str
    cost: float | None
    cost_ci95: float | None

    def verdict(self) -> str:
        """Says what was chosen, and how it compares with the agent's choice if there are three searches or more."""
        agreed = sum(search.action == self.best for search in self.searches)
        names, count = (self.name, self.best_name), len(self.searches)
        return verdict(names, self.action == self.best, agreed, count, self.cost, self.cost_ci95)


class Replay(Sequence[Decision]):
    """The decisions of one seat, in order; made by `replay`. Printed, or as the last line of a cell, it shows them."""

    def __init__(self, game: Game, seat: int, agent: str, decisions: Sequence[Decision], end: State | None) -> None:
        self.game = game
        #: The seat from which the game is seen.
        self.seat = seat
        #: The agent that was asked.
        self.agent = agent
        self._decisions = tuple(decisions)
        #: The last state, all cards open, if the game is over.
        self.end = end

    def __len__(self) -> int:
        return len(self._decisions)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Decision, ...]: ...
    def __getitem__(self, index: int | slice) -> Decision | tuple[Decision, ...]:
        return self._decisions[index]

    @property
    def cost(self) -> float | None:
        """The sum of all costs, without those that are unknown; `None` if all are, as after one search per decision."""
        searched = [decision.cost for decision in self if decision.searches]
        known = [cost for cost in searched if cost is not None]
        return sum(known, 0.0) if known or not searched else None

    @property
    def cost_ci95(self) -> float | None:
        """The half width of a 95 % interval around `cost`; `None` for fewer than three searches per decision."""
        fewest = min((len(decision.searches) for decision in self if decision.searches), default=_FEWEST)
        if self.cost is None or fewest < _FEWEST:
            return None
        # The decisions are searched independently: their variances add up.
        return float(np.hypot.reduce([decision.cost_ci95 or 0.0 for decision in self]))

    def _title(self) -> str:
        return f"{self.game}: {counted(len(self), 'decision')} of seat {self.seat}, seen by {self.agent}"

    def _sum(self) -> str:
        parts = []
        searched = any(decision.searches for decision in self)
        if searched and self.cost is not None and self.cost_ci95 is not None:
            digits = 1 if self.cost_ci95 >= 1 else 2 if self.cost_ci95 >= 0.1 else 3
            parts.append(f"The costs of all choices add up to {self.cost:.{digits}f} ± {self.cost_ci95:.{digits}f}.")
            parts.append("Each compares two actions in one position, so the sum can exceed what a game pays.")
            unknown = sum(bool(decision.searches) and decision.cost is None for decision in self)
            if unknown:
                parts.append(f"{unknown} of {len(self)} decisions left out: not every search tried what was chosen.")
        if self.end is not None:
            parts.append(f"Returns: {', '.join(f'{value:+g}' for value in self.end.returns().tolist())}.")
        return " ".join(parts)

    def to_text(self, *, colour: bool | None = None) -> str:
        """For a terminal; colours as `stier.terminal` has them."""
        parts = [self._title()]
        for count, decision in enumerate(self, start=1):
            parts.append(f"\n── decision {count} of {len(self)}, after {decision.number} events " + "─" * 40)
            parts.append(terminal.state(decision.view, self.seat, colour=colour))
            if decision.searches:
                if decision.beliefs.cards:
                    parts.extend(["", terminal.beliefs(decision.beliefs, colour=colour)])
                parts.append("")
                parts.append(terminal.search(decision.searches[0], colour=colour))
            if decision.truth is not None:
                parts.extend(["", "What was really there:", terminal.state(decision.truth, colour=colour)])
            parts.append(f"\nSeat {self.seat} {decision.verdict()}.")
        return "\n".join([*parts, f"\n{self._sum()}"]).rstrip()

    def to_html(self) -> str:
        """For a web page: one element without scripts; every decision can be opened."""
        parts = [f'<div style="font:14px/1.5 system-ui,sans-serif"><p><b>{escape(self._title())}</b></p>']
        for count, decision in enumerate(self, start=1):
            opened = " open" if count == 1 else ""
            parts.append(f"<details{opened}><summary>{count}. {escape(decision.verdict())}</summary>")
            pictures = [draw.state(decision.view, self.seat)]
            if decision.searches:
                pictures.extend([draw.beliefs(decision.beliefs)] if decision.beliefs.cards else [])
                pictures.append(draw.search(decision.searches[0]))
            if decision.truth is not None:
                pictures.append(f"<div>What was really there:<br>{draw.state(decision.truth)}</div>")
            row = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:10px;margin:8px 0"
            parts.append(f'<div style="{row}">{"".join(pictures)}</div>')
            parts.append("</details>")
        parts.append(f"<p>{escape(self._sum())}</p></div>")
        return "".join(parts)

    def to_page(self) -> str:
        """A whole web page of it, light or dark as its reader likes."""
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(self._title())}</title>'
            '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
            f"body{{margin:1.5em}}details{{margin:.6em 0}}</style></head><body>{self.to_html()}</body></html>\n"
        )

    _repr_html_ = to_html

    def __str__(self) -> str:
        return self.to_text(colour=False)

    def __repr__(self) -> str:
        return f"<stier.Replay of seat {self.seat} of {self.game}, {len(self)} decisions>"


def replay(
    game: State | str,
    seat: SupportsIndex,
    agent: AnyAgent = AGENT,
    *,
    searches: int = SEARCHES,
    tree_depth: int = 0,
    reveal: bool = False,
) -> Replay:
    """Goes through a game from one seat's perspective: at each of its decisions, what it knew, what an agent believes
    about the hidden cards and finds by searching, what was chosen, and what that cost.

    The agent begins every decision afresh, with a fixed seed for each search: the same arguments give the same replay.
    A choice is compared with the agent's own, valued by searches that did not make it, so an agent judged by itself
    costs 0 on average. An interval for each of many decisions is wrong for one in twenty.

    Args:
        game: A state with its history, or a record (`State.record`, `Played.record`).
        seat: The seat of the decisions.
        agent: The agent that holds the beliefs and searches, for the same game, or its text form. It is restarted.
        searches: The number of searches per decision. Costs need two, intervals and verdicts three. More searches
            narrow the intervals; more iterations make a better judge.
        tree_depth: The depth to which lines of play are recorded; see `Agent.search`.
        reveal: Keeps the true states, too. Without, the result contains nothing that the seat could not know, except
            for the state at the end of the game.

    Raises:
        RecordError: A record that cannot be read.
        SeatError: A seat that the game does not have.
        AgentError: An agent of another game, or one that does not search or sees hidden cards.
    """
    last = read_record(game) if isinstance(game, str) else game
    loaded = searcher(agent, last.get_game())
    if loaded.name == "oracle":
        raise AgentError("an oracle decides by the cards that the seat cannot know; take an agent that sees views")
    searches = _arguments.whole("searches", searches, 1)
    tree_depth = _arguments.whole("tree_depth", tree_depth, 0)
    last.to_text(seat)  # an unknown seat is an error before anything is searched
    own = int(seat)
    asked = (loaded, searches, tree_depth, reveal)
    decisions = [_decision(state, action, own, *asked) for state, player, action in replayed(last) if player == own]
    return Replay(last.get_game(), own, str(loaded), decisions, last.clone() if last.is_terminal() else None)


def searched(view: State, agent: Agent, searches: int, tree_depth: int = 0) -> list[Search]:
    """Searches a position several times, each time with a seed of its own."""
    found = []
    for number in range(searches):
        agent.restart(judgement_seed(number, view.move_number()))
        found.append(agent.search(view, tree_depth=tree_depth))
    return found


def _decision(
    state: State, action: int, seat: int, agent: Agent, searches: int, tree_depth: int, reveal: bool
) -> Decision:
    view = state.resample_from_infostate(seat, 0)
    agent.restart(0)
    beliefs = agent.beliefs(view, seat)
    found = searched(view, agent, searches, tree_depth) if len(view.legal_actions()) > 1 else []
    best, cost, ci95 = judge(found, action)
    return Decision(
        number=view.move_number(),
        view=view,
        truth=state.clone() if reveal else None,
        beliefs=beliefs,
        searches=tuple(found),
        action=action,
        name=view.action_to_string(action),
        best=best,
        best_name=view.action_to_string(best),
        cost=cost,
        cost_ci95=ci95,
    )
