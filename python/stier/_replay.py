"""A finished or unfinished game once more, decision by decision, from one seat's perspective."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import SupportsIndex, overload

from stier import draw, terminal
from stier._native import Agent, Beliefs, Game, Search, State, load_agent, read_record
from stier.errors import AgentError

#: Who is asked if nobody is named.
AGENT = "ismcts:iterations=10000,beliefs=policy"

#: Quantiles of Student's t distribution for two-sided 95 % intervals, by degrees of freedom from 1 on.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


@dataclass(frozen=True)
class Decision:
    """One decision of the seat.

    Attributes:
        number: How many events of the game came before it.
        view: A state drawn from what the seat knew: seen with its eyes it is the true one, and what it could not know
            is not in it.
        truth: The true state, if `replay` was asked to `reveal` it.
        beliefs: Where the agent believes the cards to be, from what the seat knew.
        searches: What the agent's searches saw: none if only one action was legal.
        action: What was chosen.
        name: What it is called.
        best: The action of the highest mean value over the searches; the one chosen if nothing was searched.
        best_name: What that is called.
        cost: By how much the value of `best` is above that of `action`, for the seat, in the game's utility; 0 if they
            are the same, `None` if an action was not tried by every search. The values are those of the agent, and of a
            little tried action they are rough: see its visits.
        cost_ci95: The half width of a 95 % interval of the cost over the searches, which differ by their seeds alone;
            `None` for fewer than two searches. How far the agent errs in all of them alike, it does not tell.
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
        """What was chosen and what it cost, in words."""
        if not self.searches:
            return f"chose {self.name}, the only legal action"
        over = f" in the mean of {len(self.searches)} searches" if len(self.searches) > 1 else ""
        if self.action == self.best:
            return f"chose {self.name}, which the agent values most{over}"
        if self.cost is None:
            return f"chose {self.name}, which was not tried by every search; {self.best_name} is valued most"
        within = "" if self.cost_ci95 is None else f" ± {self.cost_ci95:.3f}"
        return f"chose {self.name}; {self.best_name} is valued higher by {self.cost:.3f}{within}{over}"


class Replay(Sequence[Decision]):
    """The decisions of one seat, in order; made by `replay`. Printed, or as the last line of a cell, it shows them."""

    def __init__(self, game: Game, seat: int, agent: str, decisions: Sequence[Decision], end: State | None) -> None:
        self.game = game
        #: Whose eyes the game is seen with.
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
    def cost(self) -> float:
        """What all choices cost together, by the agent's values; those of unknown cost left out."""
        return sum(decision.cost or 0.0 for decision in self)

    def _title(self) -> str:
        count = f"{len(self)} decision{'' if len(self) == 1 else 's'}"
        return f"{self.game}: {count} of seat {self.seat}, seen by {self.agent}"

    def _sum(self) -> str:
        costs = f"All choices cost {self.cost:.3f} by the values of the agent."
        if self.end is None:
            return costs
        return f"{costs} Returns: {', '.join(f'{value:+g}' for value in self.end.returns().tolist())}."

    def to_text(self, *, colour: bool | None = None) -> str:
        """For a terminal; colours as `stier.terminal` has them."""
        parts = [self._title()]
        for count, decision in enumerate(self, start=1):
            parts.append(f"\n── decision {count} of {len(self)}, after {decision.number} events " + "─" * 40)
            parts.append(terminal.state(decision.view, self.seat, colour=colour))
            if decision.searches:
                parts.append("")
                parts.append(terminal.beliefs(decision.beliefs, colour=colour))
                parts.append("")
                parts.append(terminal.search(decision.searches[0], colour=colour))
            if decision.truth is not None:
                parts.extend(["", "What was really there:", terminal.state(decision.truth, colour=colour)])
            parts.append(f"\nSeat {self.seat} {decision.verdict()}.")
        parts.append(f"\n{self._sum()}")
        return "\n".join(parts)

    def to_html(self) -> str:
        """For a web page: one element without scripts; every decision can be opened."""
        parts = [f'<div style="font:14px/1.5 system-ui,sans-serif"><p><b>{escape(self._title())}</b></p>']
        for count, decision in enumerate(self, start=1):
            opened = " open" if count == 1 else ""
            parts.append(f"<details{opened}><summary>{count}. {escape(decision.verdict())}</summary>")
            pictures = [draw.state(decision.view, self.seat)]
            if decision.searches:
                pictures.extend([draw.beliefs(decision.beliefs), draw.search(decision.searches[0])])
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

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text(colour=False)

    def __repr__(self) -> str:
        return f"<stier.Replay of seat {self.seat} of {self.game}, {len(self)} decisions>"


def replay(
    game: State | str,
    seat: SupportsIndex,
    agent: Agent | str = AGENT,
    *,
    searches: int = 1,
    tree_depth: int = 0,
    reveal: bool = False,
) -> Replay:
    """Go through a game from one seat's perspective: at each of its decisions, what it knew, what an agent believes of
    the hidden cards and finds by searching, what was chosen, and what that cost.

    The agent begins every decision afresh, its seed the number of the search: the same arguments give the same replay.

    Args:
        game: A state with its history, or a record (`State.record`, `Played.record`).
        seat: Whose decisions.
        agent: Who believes and searches: an agent for the same game, or its text form. It is restarted.
        searches: How many searches of each decision. With two or more there are intervals of what the choices cost.
        tree_depth: How deep lines of play are noted; see `Agent.search`.
        reveal: Whether the true states are kept, too. Without, nothing is in the result that the seat could not know,
            but for the state at the end of the game.

    Raises:
        RecordError: A record that cannot be read.
        SeatError: A seat that the game does not have.
        AgentError: An agent of another game, or one that does not search or sees hidden cards.
    """
    last = read_record(game) if isinstance(game, str) else game
    loaded = load_agent(agent, last.get_game()) if isinstance(agent, str) else agent
    if loaded.name == "oracle":
        raise AgentError("an oracle decides by the cards that the seat cannot know; take an agent that sees views")
    if searches < 1:
        raise ValueError(f"searches={searches}: at least 1 is needed")
    last.to_text(seat)  # an unknown seat is an error before anything is searched
    own = int(seat)
    decisions = [
        _decision(state, action, own, loaded, searches, tree_depth, reveal) for state, action in _decisions(last, own)
    ]
    return Replay(last.get_game(), own, str(loaded), decisions, last.clone() if last.is_terminal() else None)


def _decisions(last: State, seat: int) -> Iterator[tuple[State, int]]:
    """The states in which the seat decided, and what it did."""
    state = last.get_game().new_initial_state()
    for player, action in last.history():
        if player == seat:
            yield state, action
        state.apply_action(action)


def _decision(
    state: State, action: int, seat: int, agent: Agent, searches: int, tree_depth: int, reveal: bool
) -> Decision:
    view = state.resample_from_infostate(seat, 0)
    found = []
    agent.restart(0)
    beliefs = agent.beliefs(view, seat)
    if len(view.legal_actions()) > 1:
        for seed in range(searches):
            agent.restart(seed)
            found.append(agent.search(view, tree_depth=tree_depth))
    best, cost, ci95 = _cost(found, action)
    return Decision(
        number=state.move_number(),
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


def _cost(found: Sequence[Search], action: int) -> tuple[int, float | None, float | None]:
    """The best action, by how much it is better than another one, and the half width of the interval."""
    if not found:
        return action, 0.0, None
    # What some search has not tried has no value.
    values = {
        stats[0].action: [one.value for one in stats]
        for stats in zip(*(search.actions for search in found), strict=True)
        if all(one.visits > 0 for one in stats)
    }
    best = max(values, key=lambda one: (sum(values[one]), one == action), default=action)
    if best == action:
        return action, 0.0, None
    if action not in values:
        return best, None, None
    differences = [high - low for high, low in zip(values[best], values[action], strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    if count < 2:
        return best, mean, None
    deviation = math.sqrt(sum((one - mean) ** 2 for one in differences) / (count - 1))
    quantile = _T[count - 2] if count - 2 < len(_T) else 1.96 + 2.6 / (count - 1)
    return best, mean, quantile * deviation / math.sqrt(count)
