"""The evaluation of networks: paired deals against agents, NashConv, and rare actions counted per chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from stier._adapting import as_agent, as_game
from stier._native import (
    Agent,
    Game,
    GameTree,
    State,
    TabularPolicy,
    VectorEnv,
    derive_seed,
    estimate,
    load_agent,
    share,
)
from stier._output import bar, between
from stier.errors import ArgumentError
from stier.network import Network
from stier.playing import AnyAgent
from stier.solving import constant_sum

__all__ = ["ChanceRow", "Chances", "Duel", "Evaluation", "Exact", "chances", "duel"]

#: Games of a network that are played side by side.
SIDE_BY_SIDE = 1024
#: Information sets whose probabilities are computed at a time.
ROWS = 8192


class _TellsPolicy(Protocol):
    def step_with_policy(self, state: State, /) -> tuple[list[tuple[int, float]], int]: ...


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
        """Returns the row of a group. Raises `KeyError` if there was no such chance, `ValueError` for another judge."""
        for row in self.rows:
            if (row.round, row.judge) == (round, judge):
                return row
        if judge not in (None, "takes", "declines"):
            raise ArgumentError(f"judge must be 'takes', 'declines' or None, got {judge!r}")
        raise KeyError(f"no chances with round={round}, judge={judge}")

    def to_pandas(self) -> Any:
        """Returns the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=[field.name for field in fields(ChanceRow)])

    def __str__(self) -> str:
        lines = [
            f"{self.action} in {self.game}, {self.agent} in all seats, {self.deals} deals",
            "rounds  judge     chances  taken                   probability             above 0.9  below 0.1",
        ]
        for row in self.rows:
            taken = f"{100 * row.share:6.1f} % {between(row.share_low, row.share_high)}"
            probability = f"{row.probability:.3f} {between(row.probability_low, row.probability_high, 1, 3)}"
            group = f"{'all' if row.round is None else row.round:>6}  {row.judge or 'both':8}"
            lines.append(
                f"{group}  {row.chances:7,}  {taken:22}  {probability:22}  {row.above_90:9.1%}  {row.below_10:9.1%}"
            )
        return "\n".join(lines) + "\n"


class _Chance(NamedTuple):
    deal: int
    round: int
    judge: str | None
    probability: float
    taken: bool


#: Gives for each state the probabilities of the legal actions, and the action.
_Decide = Callable[[Sequence[State]], list[tuple[dict[int, float], int]]]


def chances(
    game: Game | str,
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
    if deals < 2:
        raise ArgumentError(f"deals must be at least 2, got {deals}: an interval needs them")
    game = as_game(game)
    number = game.string_to_action(action)
    asked = None if judge is None else _with_policy(judge, game)
    found: list[_Chance] = []
    with bar(progress, "deals") as update:
        if isinstance(agent, Network):
            rng = np.random.default_rng(seed)
            for first in range(0, deals, SIDE_BY_SIDE):
                numbers = range(first, min(first + SIDE_BY_SIDE, deals))
                found += _chances_of(game, numbers, seed, number, lambda states: _by_network(agent, states, rng), asked)
                if update is not None:
                    update(numbers.stop, deals)
        else:
            player = _with_policy(agent, game)
            for deal in range(deals):
                if isinstance(player, Agent):
                    player.restart(derive_seed(seed, "chances agent", deal))
                found += _chances_of(game, [deal], seed, number, lambda states: _by_player(player, states), asked)
                if update is not None:
                    update(deal + 1, deals)
    verdicts = [None] if judge is None else [None, "takes", "declines"]
    groups = [(after, verdict) for after in [None, *sorted({one.round for one in found})] for verdict in verdicts]
    rows = []
    for after, verdict in groups:
        own = [one for one in found if after in (None, one.round) and verdict in (None, one.judge)]
        if own:
            rows.append(_row(after, verdict, own))
    return Chances(game, str(agent), action, deals, rows)


def _with_policy(agent: AnyAgent, game: Game) -> _TellsPolicy:
    return cast(_TellsPolicy, agent) if hasattr(agent, "step_with_policy") else as_agent(agent, game)


def _chances_of(
    game: Game, deals: Sequence[int], seed: int, action: int, decide: _Decide, judge: _TellsPolicy | None
) -> list[_Chance]:
    """The chances of some games, which are played side by side."""
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


def _by_player(player: _TellsPolicy, states: Sequence[State]) -> list[tuple[dict[int, float], int]]:
    found = [player.step_with_policy(state) for state in states]
    return [(dict(policy), action) for policy, action in found]


def _by_network(
    network: Network, states: Sequence[State], rng: np.random.Generator
) -> list[tuple[dict[int, float], int]]:
    legal = np.stack([state.legal_actions_mask() for state in states])
    believer = load_agent(network.beliefs, network.game) if network.beliefs else None
    probabilities, _ = network(np.stack([_inputs_of(state, believer) for state in states]), legal)
    actions = draw(probabilities, rng)
    return [
        ({int(action): float(row[action]) for action in mask.nonzero()[0]}, int(chosen))
        for row, mask, chosen in zip(probabilities, legal, actions, strict=True)
    ]


def _inputs_of(state: State, believer: Agent | None) -> npt.NDArray[np.float32]:
    """Returns the inputs of a network: the observation, and the beliefs of an agent if there is one."""
    seen = state.observation_tensor()
    if believer is None:
        return seen
    believer.restart()
    return np.concatenate([seen, believer.beliefs(state).tensor().reshape(-1)])


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


@dataclass(frozen=True)
class Duel:
    """A network against agents in all other seats; the deal, played from every seat, is the unit of statistics."""

    #: The network's return in each deal, averaged over its seats.
    values: npt.NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean return of the network."""
        return float(self.values.mean())

    @property
    def ci95(self) -> float:
        """Half the width of the interval that holds it with 95 %."""
        return estimate(self.values)[1]


def duel(
    network: Network,
    opponents: Agent | str | Sequence[Agent | str],
    *,
    deals: int = 1000,
    seed: int = 0,
    choose: Literal["best", "sample"] = "best",
    threads: int = 0,
) -> Duel:
    """Plays a network against agents: every deal once from each seat, all deals side by side.

    Args:
        network: The network.
        opponents: An agent for all other seats, or one for each.
        deals: Deals, at least 2.
        seed: The seed of deals and agents.
        choose: ``"best"`` for the network's likeliest action, ``"sample"`` to draw by its probabilities.
        threads: Threads of the opponents; 0 for all cores.

    The result does not depend on the number of threads. Raises `ValueError` for fewer deals, and what
    `stier.VectorEnv` raises.
    """
    if deals < 2:
        raise ArgumentError(f"deals must be at least 2, got {deals}: an interval needs them")
    game = network.game
    values = np.zeros(deals)
    for seat in range(game.num_players()):
        envs = VectorEnv(
            game,
            deals,
            seed=seed,
            opponents=opponents,
            seat=seat,
            autoreset=False,
            observation="float32" if network.beliefs else "uint8",
            beliefs=network.beliefs or None,
            threads=threads,
        )
        values += _returns(network, envs, choose, np.random.default_rng((seed, seat)))[:, seat]
    return Duel(values / game.num_players())


def _returns(
    network: Network, envs: VectorEnv, choose: Literal["best", "sample"], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Plays a game in each environment; returns the returns of all seats."""
    batch = envs.reset()
    returns = batch.rewards.astype(np.float64)
    while not batch.terminated.all():
        playing = ~batch.terminated
        actions = np.zeros(len(envs), np.int64)
        probabilities, _ = network(batch.observation[playing], batch.legal_action_mask[playing])
        actions[playing] = draw(probabilities, rng) if choose == "sample" else probabilities.argmax(axis=1)
        batch = envs.step(actions)
        returns += batch.rewards
    return returns


@dataclass(frozen=True)
class Exact:
    """All information sets of a small game, so that a network's distance from equilibrium can be computed."""

    #: All histories of the game.
    tree: GameTree
    #: By the agent whose beliefs are inputs, or "": the inputs of all information sets.
    _observations: dict[str, list[npt.NDArray[Any]]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, game: Game | str, max_histories: int = 20_000_000) -> Exact:
        """Enumerates a game, or the game of a name. Raises `ValueError` if it is too large."""
        return cls(GameTree(game, max_histories=max_histories))

    def policy(self, network: Network) -> TabularPolicy:
        """Returns the network's policy at all information sets, with its NashConv and frequencies of actions."""
        return self.tree.policy(self.probabilities(network), name="network")

    def probabilities(self, network: Network, choose: Literal["best", "sample"] = "sample") -> npt.NDArray[np.float32]:
        """Returns the network's probabilities of actions, 0 or 1 with ``choose="best"``: float32 (sets, actions)."""
        legal = self.tree.legal_action_masks()
        starts = range(0, self.tree.information_sets, ROWS)
        if network.beliefs not in self._observations:
            self._observations[network.beliefs] = self._inputs_of_sets(network.beliefs, starts)
        rows = [
            network(observation, legal[start : start + ROWS])[0]
            for start, observation in zip(starts, self._observations[network.beliefs], strict=True)
        ]
        found = np.concatenate(rows)
        return found if choose == "sample" else np.eye(found.shape[1], dtype=np.float32)[found.argmax(axis=1)]

    def _inputs_of_sets(self, beliefs: str, starts: range) -> list[npt.NDArray[Any]]:
        if not beliefs:
            return [self.tree.observation_tensors(start, min(start + ROWS, starts.stop), "uint8") for start in starts]
        believer, found = load_agent(beliefs, self.tree.game), []

        def note(state: State) -> int:
            found.append(_inputs_of(state, believer))
            return state.legal_actions()[0]

        # Asks once at every set, in order.
        self.tree.policy_of(note)
        assert len(found) == self.tree.information_sets
        return [np.stack(found[start : start + ROWS]) for start in starts]

    def gain(self, agent: npt.ArrayLike, responder: npt.ArrayLike) -> float:
        """Returns the exact gain of a responder against an agent: that which `stier.exploit` estimates.

        Both are probabilities of actions, arrays (sets, actions).
        """
        players, seats = self.tree.players()[:, None], self.tree.game.num_players()
        values = [self.tree.policy(np.where(players == seat, responder, agent)).values[seat] for seat in range(seats)]
        return float(np.mean(values)) - constant_sum(self.tree.game) / seats


#: The columns against an agent.
_PARTS = ("mean", "ci95", "sampled_mean", "sampled_ci95")


@dataclass
class Evaluation:
    """The measurements of a network while it learns.

    Each agent is met in the same `deals` paired deals at every evaluation: once the network takes its likeliest
    actions, once it draws them from its policy.
    """

    #: The game, or its name as for `stier.load_game`.
    game: Game | str
    #: The agents that the network meets.
    against: Sequence[str] = ("random",)
    #: The number of paired deals against each of them.
    deals: int = 500
    #: The seed of deals and agents.
    seed: int = 0
    #: All information sets of the game, for NashConv; None to leave it out.
    exact: Exact | None = None
    #: Threads of the opponents; 0 for all cores.
    threads: int = 0
    #: Actions of which the chances are counted in `deals` games of the network against itself, by its probabilities.
    watch: Sequence[str] = ()
    #: An agent: chances are also counted apart by whether it would take the action.
    judge: AnyAgent | None = None

    def __post_init__(self) -> None:
        self.game = as_game(self.game)
        for name in self.watch:
            self.game.string_to_action(name)

    @property
    def headlines(self) -> list[str]:
        """The columns with the results, without their details."""
        found = [f"eval/{agent}/{part}" for agent in self.against for part in _PARTS]
        found += [] if self.exact is None else ["eval/nash_conv"]
        verdicts = ("",) if self.judge is None else ("", "/judge_takes", "/judge_declines")
        return found + [f"eval/{name}/probability{verdict}" for name in self.watch for verdict in verdicts]

    def measure(self, network: Network) -> dict[str, float]:
        """Returns the columns of an evaluation.

        ``eval/AGENT/mean`` and ``eval/AGENT/ci95`` are the returns against an agent of the network's likeliest actions,
        ``eval/AGENT/sampled_mean`` and ``eval/AGENT/sampled_ci95`` those of actions drawn from its policy.
        ``eval/nash_conv`` is the distance of that policy from equilibrium. Of each watched action,
        ``eval/ACTION/share`` is the share of the chances that was taken and ``eval/ACTION/probability`` the mean
        probability of taking one, also by finished rounds (``…/probability/round_0``) and by the judge's verdict
        (``…/judge_takes``, ``…/judge_declines``): `chances`.
        """
        found: dict[str, float] = {}
        for agent in self.against:
            figures: list[float] = []
            choices: tuple[Literal["best"], Literal["sample"]] = ("best", "sample")
            for choose in choices:
                result = duel(network, agent, deals=self.deals, seed=self.seed, choose=choose, threads=self.threads)
                figures += [result.mean, result.ci95]
            found |= {f"eval/{agent}/{part}": value for part, value in zip(_PARTS, figures, strict=True)}
        if self.exact is not None:
            found["eval/nash_conv"] = self.exact.policy(network).nash_conv
        for name in self.watch:
            counted = chances(self.game, network, name, judge=self.judge, deals=self.deals, seed=self.seed)
            for row in counted.rows:
                if row.round is None and row.judge is None:
                    found[f"eval/{name}/share"] = row.share
                    found[f"eval/{name}/probability"] = row.probability
                elif row.judge is None:
                    found[f"eval/{name}/probability/round_{row.round}"] = row.probability
                elif row.round is None:
                    found[f"eval/{name}/probability/judge_{row.judge}"] = row.probability
        return found
