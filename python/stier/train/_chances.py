"""Rare actions, counted per chance: how often an agent takes one, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier import _arguments
from stier._adapting import as_game
from stier._native import Agent, Game, State, TabularPolicy, derive_seed, share
from stier._output import bar, between, table
from stier.network import Network
from stier.playing import AnyAgent, AnyGame, as_agent

#: Games of a network that are played side by side.
SIDE_BY_SIDE = 1024


@dataclass(frozen=True)
class ChanceRow:
    """Statistics of a group of chances, with 95 % intervals over deals."""

    #: Finished rounds at the chance; None for all.
    round: int | None
    #: The judge's verdict, ``"takes"`` or ``"declines"``; None for both.
    judge: str | None
    #: The number of chances.
    chances: int
    #: The number of deals in which they came.
    deals: int
    #: The share of the chances that was taken.
    share: float
    #: The lower end of its interval, that of `stier.ratings.share`.
    share_low: float
    #: The upper end of its interval.
    share_high: float
    #: The mean probability with which a chance was taken.
    probability: float
    #: The lower end of its interval; NaN for a single deal.
    probability_low: float
    #: The upper end of its interval.
    probability_high: float
    #: The share of the chances with a probability above 0.9.
    above_90: float
    #: The share of the chances with a probability below 0.1.
    below_10: float


@dataclass(frozen=True)
class Chances:
    """The result of :func:`chances`."""

    #: The game.
    game: Game
    #: The agent in all seats, as text.
    agent: str
    #: The name of the action.
    action: str
    #: The number of deals.
    deals: int
    #: Statistics of all chances, by the judge's verdict, by finished rounds, and by both.
    rows: list[ChanceRow]

    def row(self, round: int | None = None, judge: str | None = None) -> ChanceRow:  # noqa: A002
        """Returns the row of a group. Raises `KeyError` for an unknown chance, `ValueError` for another judge."""
        for row in self.rows:
            if (row.round, row.judge) == (round, judge):
                return row
        _arguments.choice("judge", judge, ("takes", "declines", None))
        raise KeyError(f"no chances with round={round}, judge={judge}")

    def to_pandas(self) -> Any:
        """Returns the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=[field.name for field in fields(ChanceRow)])

    def __str__(self) -> str:
        head = ["rounds", "judge", "chances", "taken", "probability", "above 0.9", "below 0.1"]
        rows = []
        for row in self.rows:
            taken = f"{100 * row.share:.1f} % {between(row.share_low, row.share_high)}"
            probability = f"{row.probability:.3f} {between(row.probability_low, row.probability_high, 1, 3)}"
            group = ["all" if row.round is None else str(row.round), row.judge or "both", f"{row.chances:,}"]
            rows.append([*group, taken, probability, f"{row.above_90:.1%}", f"{row.below_10:.1%}"])
        title = f"{self.action} in {self.game}, {self.agent} in all seats, {self.deals} deals"
        return f"{title}\n{table(head, rows, left=2)}"


class _Chance(NamedTuple):
    deal: int
    round: int
    judge: str | None
    probability: float
    taken: bool


def chances(
    game: AnyGame,
    agent: Network | AnyAgent,
    action: str,
    *,
    judge: AnyAgent | None = None,
    deals: int = 1000,
    seed: int = 0,
    progress: bool = False,
) -> Chances:
    """Counts how often an agent takes the chance of an action, in games against itself.

    A chance is a decision at which the action and at least one other are legal. The share of *games* with the action
    says little: it is near 1 for all players who take it sooner or later. Chances are grouped by finished rounds, which
    are the decisions so far divided by the number of players: in a single bout of Schwinget the finished tricks, since
    no chance comes after an attack. In a match they count on from bout to bout.

    Args:
        game: The game, or its name as for `stier.load_game`.
        agent: The agent in all seats: a network, which draws by its probabilities, or anything that `stier.pit` takes.
            Probabilities are those of the method ``step_with_policy``, as agents and solutions have it; a callable's
            are 0 or 1. So are those of ``network:path=FILE`` alone, which plays its likeliest action; give
            ``network:path=FILE,choose=sample``.
        action: The name of the action, such as ``"attack"``.
        judge: An agent that is asked at each chance whether it would take it, as ``"rule:when=thumb"``: the chances are
            then also grouped by its verdict. An agent is restarted for each question.
        deals: Games, at least 2.
        seed: The seed of deals and agents.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises `ValueError` for fewer deals or an action that the game does not have, and what `stier.load_agent` raises.
    """
    deals, game = _arguments.whole("deals", deals, 2), as_game(game)
    number = game.string_to_action(action)
    asked, player = (_with_policy(one, game) for one in (judge, agent))
    rng, at_once = np.random.default_rng(seed), SIDE_BY_SIDE if isinstance(agent, Network) else 1

    def decide(states: Sequence[State]) -> list[tuple[dict[int, float], int]]:
        """For each state the probabilities of the legal actions, and the action."""
        if isinstance(agent, Network):
            return _by_network(agent, states, rng)
        return [(dict(policy), action) for policy, action in map(player.step_with_policy, states)]

    found: list[_Chance] = []
    with bar(progress, "deals") as update:
        for first in range(0, deals, at_once):
            numbers = range(first, min(first + at_once, deals))
            if isinstance(player, Agent):
                player.restart(derive_seed(seed, "chances agent", first))
            found += _chances_of(game, numbers, seed, number, decide, asked)
            update(numbers.stop, deals)
    verdicts = [None] if judge is None else [None, "takes", "declines"]
    groups = [(after, verdict) for after in [None, *sorted({one.round for one in found})] for verdict in verdicts]
    rows = []
    for after, verdict in groups:
        own = [one for one in found if after in (None, one.round) and verdict in (None, one.judge)]
        if own:
            rows.append(_row(after, verdict, own))
    return Chances(game, agent.name if isinstance(agent, TabularPolicy) else str(agent), action, deals, rows)


def _with_policy(agent: Any, game: Game) -> Any:
    if agent is None or isinstance(agent, Network) or hasattr(agent, "step_with_policy"):
        return agent
    return as_agent(agent, game)


def _chances_of(
    game: Game, deals: Sequence[int], seed: int, action: int, decide: Callable[..., Any], judge: Any
) -> list[_Chance]:
    states = {deal: game.new_initial_state(seed=derive_seed(seed, "chances deal", deal)) for deal in deals}
    found, decisions = [], 0
    while states:
        for (deal, state), (policy, chosen) in zip(states.items(), decide(list(states.values())), strict=True):
            if action in policy and len(policy) > 1:
                verdict = None
                if judge is not None:
                    if isinstance(judge, Agent):
                        judge.restart(derive_seed(seed, f"chances judge {decisions}", deal))
                    verdict = "takes" if judge.step_with_policy(state)[1] == action else "declines"
                round_ = decisions // game.num_players()
                found.append(_Chance(deal, round_, verdict, policy[action], chosen == action))
            state.apply_action(chosen)
        decisions += 1
        states = {deal: state for deal, state in states.items() if not state.is_terminal()}
    return found


def _by_network(
    network: Network, states: Sequence[State], rng: np.random.Generator
) -> list[tuple[dict[int, float], int]]:
    legal = np.stack([state.legal_actions_mask() for state in states])
    probabilities, _ = network(np.stack([state.observation_tensor() for state in states]), legal)
    actions = draw(probabilities, rng)
    return [
        ({int(action): float(row[action]) for action in mask.nonzero()[0]}, int(chosen))
        for row, mask, chosen in zip(probabilities, legal, actions, strict=True)
    ]


def draw(probabilities: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draws an action by each row."""
    levels = probabilities.cumsum(axis=1)
    return np.asarray((levels > rng.random((len(levels), 1)) * levels[:, -1:]).argmax(axis=1), np.int64)


def _row(after: int | None, verdict: str | None, found: Sequence[_Chance]) -> ChanceRow:
    probability = np.array([one.probability for one in found])
    taken = np.array([one.taken for one in found], float)
    _, group = np.unique([one.deal for one in found], return_inverse=True)

    def sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """By deal."""
        return np.asarray(np.bincount(group, values), np.float64)

    counts = sums(np.ones(len(found)))
    mean, mean_low, mean_high, deals = share(sums(probability), counts)
    share_taken, low, high, _ = share(sums(taken), counts)
    return ChanceRow(
        round=after,
        judge=verdict,
        chances=len(found),
        deals=deals,
        share=share_taken,
        share_low=low,
        share_high=high,
        probability=mean,
        probability_low=mean_low,
        probability_high=mean_high,
        above_90=float((probability > 0.9).mean()),
        below_10=float((probability < 0.1).mean()),
    )
