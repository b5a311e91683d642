"""Lower bounds on the distance of agents from equilibrium in games of any size."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from stier._adapting import as_game
from stier._native import Agent, Game, PitResult, load_agent
from stier._output import plus_minus
from stier.catalogue import describe_agent
from stier.errors import AgentError, ArgumentError
from stier.playing import AnyAgent, AnyGame, as_agent, is_named, listed, name_in, pit

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
        """The exploitability that is shown with 95 % confidence: 0 without an interval, or if it reaches below 0."""
        return 0.0 if isnan(self.ci95) else max(0.0, self.gain - self.ci95)

    def _text(self, deals: int, seed: int) -> str:
        bound = "No lower bound is shown (95 % confidence)."
        if deals < FEWEST_DEALS:
            bound = f"No lower bound is shown by fewer than {FEWEST_DEALS} deals."
        elif self.at_least > 0:
            bound = f"Lower bound on what a best response gains: {self.at_least:.3f} (95 % confidence)."
        return (
            f"{self.game}, {deals} paired deals, seed {seed}\n"
            f"agent      {self.agent}\n"
            f"responder  {self.responder}\n"
            f"gain       {self.gain:+.3f}{plus_minus(self.ci95)} per game, on average over the seats\n"
            f"{bound}\n"
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
        raise AgentError("oracle sees the hidden cards, so its gain is not a lower bound: choose lbr or another")
    games = pit(game, [responder, *others], deals=deals, seed=seed, threads=threads, progress=progress)
    gain = float(games.mean[0]) - total / seats
    names = [_name(responder, games.agents[0]), _name(agent, games.agents[-1])]
    return Exploitation(game, names[1], names[0], gain, float(games.ci95[0]), games)


def _name(agent: AnyAgent, otherwise: str) -> str:
    """Returns the text of an agent; a responder's also says whose policy it models if that is the default."""
    if not isinstance(agent, Agent):
        return otherwise
    text, against = str(agent), agent.options.get("against")
    return text if against is None or "against=" in text else f"{text}{',' if ':' in text else ':'}against={against}"


def constant_sum(game: Game) -> float:
    """Returns the sum of all returns. Raises `ValueError` if it is not a constant."""
    total = game.utility_sum()
    if total is None:
        raise ArgumentError(f"{game}: the sum of the returns is not constant; with utility=margin or utility=win it is")
    return total


def _told(game: Game, text: str, agent: AnyAgent) -> Agent:
    """Loads a responder and tells it which agent it plays, unless it has no such option or the text sets it."""
    # Without the option it might not load: its default is an agent that not every game has.
    options = describe_agent(name_in(text)).options
    if "against=" in text or "against" not in [option.name for option in options]:
        return load_agent(text, game)
    if not isinstance(agent, Agent):
        given = agent if isinstance(agent, str) else type(agent).__name__
        raise AgentError(
            f"{text} must know the policy of an Agent or its text, got {given}; "
            "choose a responder without the option against, such as 'ismcts'"
        )
    return load_agent(text, game, against=f"({agent})")
