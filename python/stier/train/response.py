"""Networks that are trained to exploit an agent: lower bounds on its exploitability."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from stier import _arguments
from stier._adapting import as_game
from stier._native import derive_seed, load_agent
from stier.errors import ArgumentError
from stier.network import Network
from stier.playing import AnyAgent, AnyGame, of_engine
from stier.solving._bounds import Gain, constant_sum
from stier.train._checkpoint import set_by_initial
from stier.train._learn import algorithm_of, check_settings, learn
from stier.train._run import Logger, Trained
from stier.train.evaluation import Duel, duel
from stier.train.settings import CommonSettings

__all__ = ["LearnedResponse", "best_response"]


@dataclasses.dataclass(frozen=True)
class LearnedResponse(Gain):
    """The gain of a network that was trained to exploit an agent; made by `best_response`.

    Attributes:
        game: The game.
        agent: The agent at all seats but the responder's, as text.
        responder: The responder, as the text of an agent; without a folder a description.
        gain: Mean return of the responder per game, in the game's utility and above an equal share of what all returns
            add up to (0 in zero-sum games). Averaged over the seats, with the agent in all others.
        ci95: Half the width of the 95 % interval around `gain`; deals are the units.
        deals: The number of paired deals behind `gain`.
        seed: The seed of the training and the measurement.
        choose: ``"best"`` if the responder takes the network's likeliest actions, ``"sample"`` if it draws them.
        trained: The network, and the log of its training.
    """

    deals: int
    seed: int
    choose: Literal["best", "sample"]
    trained: Trained

    def __str__(self) -> str:
        """The gain in words, with the bound that follows from it and the cost of the training."""
        last = self.trained.log[-1]
        worse = (
            "The responder plays worse than the agent would against itself: train it longer (steps) or start it from a "
            "network (initial).\n"
        )
        return (
            f"{self._text(self.deals, self.seed)}{worse if self.gain + self.ci95 < 0 else ''}"
            f"Learned from {last['steps']:,} decisions in {last['cpu_seconds']:.0f} CPU seconds of training.\n"
        )


def settings_of_responder(algorithm: str, given: Mapping[str, Any], *, begun: bool) -> dict[str, Any]:
    """Returns the settings of a responder, `begun` if it starts from a network; raises for those it cannot have."""
    if "opponents" in given:
        raise ArgumentError(f"opponents must be left out, since the agent sits there, got {given['opponents']!r}")
    check_settings(algorithm, given)
    return {**algorithm_of(algorithm).settings.of_responder(begun=begun), **given}


def best_response(
    game: AnyGame,
    agent: AnyAgent,
    algorithm: str = "ppo",
    *,
    folder: str | os.PathLike[str] | None = None,
    deals: int = 1000,
    evaluations: int = 4,
    initial: Network | str | os.PathLike[str] | None = None,
    device: str | None = None,
    threads: int = 0,
    log: Logger | None = None,
    progress: bool = False,
    **settings: Any,
) -> LearnedResponse:
    """Trains a network as a best response to an agent, and measures its gain: a lower bound on the exploitability.

    The network decides for one seat at a time, and the agent, which does not learn, for all others. This is `learn`
    with the agent as `opponents`. Then the network plays the agent from every seat in held-out deals, as by `duel` with
    ``seed=stier.derive_seed(seed, "held out", 0)``. It takes its likeliest actions, or draws them from its policy if
    that gained clearly more in other deals, which are used for this choice only.

    A best response is learned for the agent's policy on average over its random numbers. Where
    `stier.solving.best_response` can enumerate the game, it computes one exactly.

    Args:
        game: The game, of any size, or its name as for `stier.load_game`. Its returns must add up to a constant.
        agent: The agent to exploit, at all seats but one: an agent of the engine, such as a search or
            ``"network:path=FILE"``.
        algorithm: The algorithm, as in `learn`.
        folder: The folder of `learn`: training continues from a checkpoint in it. Without one, nothing is saved; the
            result contains the network.
        deals: The number of paired deals of each evaluation, of the choice and of the measurement, at least 2.
        evaluations: The number of evaluations after the one at the beginning.
        initial: A network to start from, or its file: `learner`. A network's own weights are a good beginning for its
            responder.
        device: The device of the network: `learner`.
        threads: Threads of the agent in evaluations and measurements; 0 for all cores.
        log: Called with metrics, as in `learn`.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.
        settings: Those of the algorithm, as in `learn`; the defaults that differ are in ``Settings.of_responder``, and
            ``stier exploit --help`` lists them.

    The same settings give the same network and the same gain on the same machine, however often training was stopped,
    with or without a folder.

    Raises what `learn` raises, `AgentError` for an agent that is not of the engine or is for another game,
    and `ValueError` if the returns do not add up to a constant.
    """
    game = as_game(game)
    total = constant_sum(game)
    deals = _arguments.whole("deals", deals, 2)
    begun = initial is not None or (folder is not None and bool(set_by_initial(Path(folder))))
    settings = settings_of_responder(algorithm, settings, begun=begun)
    victim = str(load_agent(of_engine(agent, game), game))
    trained = learn(
        game,
        algorithm,
        folder=folder,
        against=victim,
        deals=deals,
        evaluations=evaluations,
        initial=initial,
        device=device,
        threads=threads,
        log=log,
        progress=progress,
        opponents=victim,
        **settings,
    )
    seed = settings.get("seed", CommonSettings.seed)

    def play(purpose: str, choose: Literal["best", "sample"]) -> Duel:
        own = derive_seed(seed, purpose, 0)
        return duel(trained.network, victim, deals=deals, seed=own, choose=choose, threads=threads)

    if progress:
        print(f"measuring the gain against {victim}", file=sys.stderr, flush=True)
    spread = game.max_utility() - game.min_utility()
    sampled, likeliest = (play("choice of actions", choose).values for choose in ("sample", "best"))
    more = Duel(sampled - likeliest, (-spread, spread))
    choose: Literal["best", "sample"] = "sample" if more.mean > more.ci95 else "best"
    measured = play("held out", choose)
    if trained.file is None:
        responder = f"network, {'drawn' if choose == 'sample' else 'likeliest'} actions"
    else:
        responder = str(load_agent("network", game, path=trained.file, choose=choose))
    gain = measured.mean - total / game.num_players()
    return LearnedResponse(game, victim, responder, gain, measured.ci95, deals, seed, choose, trained)
