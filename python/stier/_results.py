"""Results of searches, beliefs and measurements, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import isnan
from operator import attrgetter, index
from typing import TYPE_CHECKING, Any, SupportsIndex

from stier._arguments import known
from stier._native import Game, PitResult
from stier._output import between, duration, plus_minus, table
from stier.errors import SeatError, optional

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class _Numbers:
    """Data that is equal if all its numbers are. In place of a value there may be none: not a number."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(vars(self)) == repr(vars(other))


@dataclass(frozen=True, eq=False)
class ActionStats(_Numbers):
    """The statistics of a search for one action at the root; see `Search.actions`."""

    #: The number of the action.
    action: int
    #: The name of the action.
    name: str
    #: The number of iterations of a tree search, or worlds of PIMC, that tried the action.
    visits: int
    #: The mean return of the searching player, in the units of the game: between `Game.min_utility` and
    #: `Game.max_utility`. 0 if never tried. For ``network``, the value of the position, the same for every action. NaN
    #: where there is none: in solved endings, and for a network without a value head.
    value: float
    #: The number of iterations in which the action was available: at least `visits`.
    availability: int
    #: The probability of the action under the policy of the agent. For ``network``, the probability from the network,
    #: even if the agent plays the best action. The probabilities of a decision sum to 1.
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class Line(_Numbers):
    """A line of play that a search followed: the actions of the players, without the chance outcomes in between."""

    #: The players who acted, in order, from the state on.
    players: list[int]
    #: Their actions.
    actions: list[int]
    #: The names of the actions.
    names: list[str]
    #: The number of iterations that began with this line.
    visits: int
    #: The mean return of these iterations for the searching player.
    value: float

    def __repr__(self) -> str:
        steps = " ".join(f"{player}:{name}" for player, name in zip(self.players, self.names, strict=True))
        return f"Line('{steps}', visits={self.visits}, value={self.value})"


@dataclass(frozen=True, repr=False)
class Search:
    """The result of a search; made by `Agent.search` and `search_many`. Printed, it is a table.

    Two are equal if everything but the duration is equal.
    """

    #: The game that was searched.
    game: Game
    #: The player who searched.
    player: int
    #: The action chosen.
    action: int
    #: One `ActionStats` per legal action, ascending by action.
    actions: list[ActionStats]
    #: The number of determinizations searched: 0 if only one action was legal. Iterations kept from an earlier decision
    #: by ``reuse=on`` count as visits, but not here.
    iterations: int
    #: The number of nodes of the trees, including the roots.
    nodes: int
    #: The duration in seconds of wall time: the only number here that differs between runs.
    seconds: float = field(compare=False)
    #: The lines of play that were recorded with ``tree_depth``. Each comes before its continuations.
    lines: list[Line]

    def __str__(self) -> str:
        rows = (
            [one.name, str(one.visits), "-" if isnan(one.value) else f"{one.value:+.3f}", f"{one.probability:.3f}"]
            for one in sorted(self.actions, key=attrgetter("visits", "probability"), reverse=True)
        )
        effort = f"{self.iterations} iterations, {self.nodes} nodes, {duration(self.seconds)}"
        return f"{effort}\n{table(['action', 'visits', 'value', 'probability'], rows)}".rstrip()

    def __repr__(self) -> str:
        return f"<stier.Search of {len(self.actions)} actions, {self.iterations} iterations>"

    def to_svg(self) -> str:
        """A self-contained SVG: bars for each action, and the top of the tree if ``tree_depth`` was given."""
        from stier import draw

        return draw.search(self)

    _repr_html_ = to_svg


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """The beliefs of a player about the cards; made by `Agent.beliefs`.

    For each card and seat, the expected number of copies of the card that the seat holds. If there is one copy of each
    card, this is the probability that the seat holds it. In Schweins-Galopp, where all cards of a colour are alike, it
    is an expected count.
    """

    #: The game.
    game: Game
    #: The player whose beliefs these are.
    player: int
    #: The names of the cards. They are also the names of actions and chance outcomes that name nothing but a card.
    cards: list[str]
    #: The expected numbers, a float64 array that cannot be written, cards x seats. Each column sums to the number of
    #: cards the seat holds.
    expected: npt.NDArray[np.float64]
    #: The method of computation:
    #:
    #: - ``"enumerated"``: every world with its exact probability, under the agent's model of the other players if it
    #:   has one;
    #: - ``"estimated"``: every world, with a likelihood under the model that was estimated from some of its histories;
    #: - ``"sampled"``: `worlds` worlds drawn by chance alone;
    #: - ``"particles"``: `worlds` histories, weighted by the model;
    #: - ``"chance"``: `worlds` worlds enumerated or drawn by chance alone, because the model excludes every history or
    #:   too few histories were weighted.
    basis: str
    #: The number of worlds.
    worlds: int
    #: The effective sample size: this many worlds of equal weight carry the same information. A small number means a
    #: sure belief, or poor particles.
    effective: float

    def __post_init__(self) -> None:
        self.expected.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Beliefs) and self._parts() == other._parts()

    def _parts(self) -> dict[str, Any]:
        return vars(self) | {"expected": self.expected.tolist()}

    def tensor(self) -> npt.NDArray[np.float32]:
        """The expected numbers in the hands of the others, clockwise: a new float32 array, seats x cards.

        In this order they follow the observation in ``VectorEnv(beliefs=...)``.
        """
        import numpy as np

        found: npt.NDArray[np.float32] = np.roll(self.expected, -self.player, axis=1)[:, 1:].T.astype(np.float32, "C")
        return found

    def of(self, card: str, seat: SupportsIndex) -> float:
        """The expected number for one card, by name, and one seat.

        Raises `KeyError`, which lists the cards, for an unknown card, and `SeatError` for an unknown seat.
        """
        seat, seats = index(seat), self.game.num_players()
        if seat not in range(seats):
            raise SeatError(f"{self.game.short_name()} has no seat {seat}; seats: 0 to {seats - 1}")
        row = self.cards.index(known("card", card, self.cards, KeyError))
        return float(self.expected[row, seat])

    def __str__(self) -> str:
        head = f"player {self.player} believes ({self.basis}, {self.worlds} worlds)"
        if not self.cards:
            name = self.game.short_name()
            return f"{head}\n{name} has no cards to show; State.resample_from_infostate draws a possible state"
        seats = [f"seat {seat}" for seat in range(self.game.num_players())]
        held = ((card, row) for card, row in zip(self.cards, self.expected, strict=True) if row.any())
        rows = ([card, *(f"{expected:.3f}" for expected in row)] for card, row in held)
        return f"{head}\n{table(['card', *seats], rows)}".rstrip()

    def __repr__(self) -> str:
        cards, seats = len(self.cards), self.game.num_players()
        return f"<stier.Beliefs of player {self.player} over {cards} cards and {seats} seats, {self.basis}>"

    def to_svg(self) -> str:
        """A heat map, cards by seats, as a self-contained SVG."""
        from stier import draw

        return draw.beliefs(self)

    _repr_html_ = to_svg


@dataclass(frozen=True, repr=False)
class Properties:
    """Properties of a game that matter to search, measured by `stier.playing.properties`.

    Each is a pair: the mean and half the width of its 95 % interval over deals. `None` if nothing could be measured.
    """

    #: The game.
    game: Game
    #: The number of deals played.
    deals: int
    #: The number of games per deal.
    games: int
    #: The seed.
    seed: int
    #: The play of all seats: ``"random"`` or ``"hints"``.
    play: str
    #: The share of games that end with a last choice: each of its actions leads to the end without another choice.
    leaves: tuple[float, float]
    #: The share of last choices that do not change whether the player who chooses wins.
    leaf_correlation: tuple[float, float] | None
    #: The share of last choices that do not change the return of the player who chooses.
    return_correlation: tuple[float, float] | None
    #: The excess of the favourite's share of wins over an even share, from about 0 to 1.
    bias: tuple[float, float]
    #: The share by which information sets shrink from one decision of a player to the next. Growth counts as 0.
    disambiguation: tuple[float, float] | None
    #: The same as a constant rate, growth included. Negative if sets grow.
    net_disambiguation: tuple[float, float] | None
    _text: str

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<stier.Properties of {self.game}: {self.deals} deals, {self.games} games of each>"


def frame(data: dict[str, Any]) -> Any:
    """Returns a `pandas.DataFrame` with these columns."""
    return optional("pandas", "to_pandas", "pandas").DataFrame(data)


def columns(result: PitResult) -> dict[str, npt.NDArray[Any]]:
    """Returns a match as columns with a row for each game and seat."""
    import numpy as np

    games, seats = result.games, result.game.num_players()
    entrants = np.array([played.agents for played in games], int).ravel()
    return {
        "game": np.arange(len(games)).repeat(seats),
        "deal": np.repeat([played.deal for played in games], seats),
        "seat": np.tile(np.arange(seats), len(games)),
        "entrant": entrants,
        "agent": np.array(result.agents, object)[entrants],
        "return": np.array([played.returns for played in games], float).ravel(),
    }


def to_pandas(result: PitResult) -> Any:
    """Returns `columns` as a `pandas.DataFrame`."""
    return frame(columns(result))


def to_html(result: PitResult, games: int) -> str:
    """Returns a match of so many games as a table of a web page."""
    rows = zip(result.agents, result.mean, result.ci95, result.wins, result.wins_low, result.wins_high, strict=True)
    cells = (
        f'<tr><td style="text-align:left">{escape(agent)}</td><td>{mean:+.3f}{plus_minus(ci95)}</td>'
        f"<td>{100 * wins:.1f} % {between(low, high)}</td></tr>"
        for agent, mean, ci95, wins, low, high in rows
    )
    head = "<tr><th>agent</th><th>mean return</th><th>wins</th></tr>"
    caption = f"<caption>{escape(str(result.game))}, {games} games</caption>"
    return f"<table>{caption}{head}{''.join(cells)}</table>"
