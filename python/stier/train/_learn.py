"""The algorithms by name, their learners, and `learn`."""

from __future__ import annotations

import dataclasses
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from stier import _arguments
from stier._adapting import as_game
from stier._native import GameTree, registered_agents
from stier.errors import MissingExtraError, missing_extra
from stier.network import Network
from stier.playing import AnyAgent, AnyGame, of_engine
from stier.train._checkpoint import network_of, set_by_initial
from stier.train._run import Learner, Logger, Trained, run
from stier.train.evaluation import Evaluation, Exact, exact_of
from stier.train.settings import AGENTS, CommonSettings, DistillSettings, DMCSettings, Settings


class Algorithm(NamedTuple):
    """An algorithm: the module and the name of its learner, and its settings."""

    module: str
    learner: str
    settings: type[CommonSettings]


ALGORITHMS = {
    "ppo": Algorithm("stier.train.ppo", "PPO", Settings),
    "dmc": Algorithm("stier.train.dmc", "DMC", DMCSettings),
    "distill": Algorithm("stier.train.distill", "Distill", DistillSettings),
}


def learner(
    game: AnyGame,
    algorithm: str = "ppo",
    *,
    initial: Network | str | os.PathLike[str] | None = None,
    device: str | None = None,
    **settings: Any,
) -> Learner:
    """Returns an algorithm at its beginning, with its `Settings` as keywords.

    Args:
        game: The game, or its name as for `stier.load_game`.
        algorithm: ``"ppo"``, ``"dmc"`` or ``"distill"``.
        initial: A network to start from, or its file, for the same observations and actions. `hidden` and `symmetry`
            are then those of the network. PPO takes over the policy and the value head if there is one; the optimizer
            begins anew. Deep Monte Carlo takes networks of its own kind only, distillation none.
        device: The device of the network, by its name in JAX (``"gpu:0"``; ``"cpu"`` uses all cores). If left out, one
            thread of the CPU, which gives the same bits on any number of cores.
        settings: `Settings` for PPO, `DMCSettings` for deep Monte Carlo, `DistillSettings` for distillation. Agents
            among them may be given in any form, if they are agents of the engine.

    Raises `ValueError` for an unknown algorithm, setting or device or a network that does not fit, `ImportError` if a
    package that the algorithm needs is not installed.
    """
    device = _arguments.device(device)
    learner_class = _learner_class(algorithm)
    check_settings(algorithm, settings)
    if initial is not None and not isinstance(initial, Network):
        initial = network_of("initial", initial)
    game = as_game(game)
    # Settings are text, for the files.
    settings = settings | {name: of_engine(settings[name], game) for name in AGENTS if name in settings}
    if initial is not None:
        hidden = tuple(weight.shape[1] for weight, _ in initial.hidden)
        settings = {"hidden": hidden, "symmetry": initial.classes is not None} | settings
    return learner_class(game, algorithm_of(algorithm).settings(**settings), initial, device)


def algorithm_of(name: str) -> Algorithm:
    return ALGORITHMS[_arguments.known("algorithm", name, ALGORITHMS)]


def _learner_class(algorithm: str) -> Callable[..., Learner]:
    """Returns the class of an algorithm's learner, from a module that needs JAX."""
    module, learner_name, _ = algorithm_of(algorithm)
    if find_spec("jax") is None:
        if (sys.platform, platform.machine()) == ("darwin", "x86_64"):
            raise MissingExtraError(f"{algorithm} needs jax 0.5 or newer, which Macs with Intel processors cannot run")
        raise missing_extra(algorithm, "jax", "train")
    found: Callable[..., Learner] = getattr(import_module(module), learner_name)
    return found


def check_settings(algorithm: str, settings: Mapping[str, Any]) -> None:
    known = [field.name for field in dataclasses.fields(algorithm_of(algorithm).settings)]
    for name in settings:
        _arguments.known("setting", name, known, listed=f"settings of {algorithm}")


def learn(
    game: AnyGame,
    algorithm: str = "ppo",
    *,
    folder: str | os.PathLike[str] | None = None,
    against: AnyAgent | Sequence[AnyAgent] | None = None,
    deals: int = 500,
    evaluations: int = 20,
    exact: bool | GameTree = False,
    watch: str | Sequence[str] = (),
    judge: AnyAgent | None = None,
    initial: Network | str | os.PathLike[str] | None = None,
    device: str | None = None,
    threads: int = 0,
    checkpoint_every: int = 0,
    log: Logger | None = None,
    progress: bool = False,
    **settings: Any,
) -> Trained:
    """Trains a network by self-play, or against other agents.

    Args:
        game: The game, of any size, or its name as for `stier.load_game`.
        algorithm: ``"ppo"``, ``"dmc"``, deep Monte Carlo, or ``"distill"``, a network in integers that learns from
            another network.
        folder: The folder for ``network.safetensors``, the network at the end, ``best.safetensors``, the best one of
            all evaluations, ``log.csv`` and ``checkpoint.safetensors``. Training continues from a checkpoint in it, and
            is extended if `steps` is larger than before. Learning rate and entropy bonus then follow the schedule of
            the new total, so they rise again after a finished training. Without a folder nothing is saved.
        against: The agents of the engine that the network meets in each evaluation. By default ``greedy``, or
            ``random`` in games without a built-in policy. The opponents of the training are the setting `opponents`.
        deals: The number of paired deals against each of them.
        evaluations: The number of evaluations after the one at the beginning.
        exact: Computes NashConv in evaluations, as `stier.solving.nash_conv` does: for games whose tree fits into
            memory, and on public states for larger ones that have them. A tree is used as given. The best network is
            then the one with the lowest NashConv. Otherwise it is the one with the highest mean return against the
            first agent of `against`, when its actions are drawn from its policy. Without either, no network is called
            the best.
        watch: One or several names of actions, such as ``"attack"``. Each evaluation counts their `chances` in `deals`
            games of the network against itself. Win rates do not show that a learner has lost an action.
        judge: An agent for `watch`: chances are also grouped by whether it would take the action.
        initial: A network to start from, or its file: `learner`.
        device: The device of the network: `learner`.
        threads: Threads of the agents in evaluations; 0 for all cores.
        checkpoint_every: Keep the network of every so many iterations as ``checkpoints/STEPS.safetensors`` in the
            folder; 0 keeps the last one only.
        log: Called after each iteration with its metrics and after each evaluation with its columns, both with
            ``steps`` and ``cpu_seconds``: for TensorBoard and the like.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.
        settings: Those of the algorithm, such as ``steps``, ``seed`` and ``hidden``: `Settings` for PPO, `DMCSettings`
            for deep Monte Carlo, `DistillSettings` for distillation.

    The same settings give the same network on the same machine, however often training was stopped.

    A `stier.errors.TrainingWarning` says that the network at the end is clearly worse than the best one: its NashConv
    is more than 10 % higher, or its mean return lower by more than the 95 % interval of a difference between
    independent deals.

    Raises:
        ValueError: An unknown algorithm, setting, device or action, a checkpoint that is damaged, of other settings or
            evaluations, of agents whose files have changed or of another format, an initial network that does not fit,
            or a game that is too large for `exact`.
        TypeError: An argument of a wrong type.
        TrainingError: A loss is not finite, or the outputs of the network overflow; the files stay as they were before.
        ImportError: A package that the algorithm needs is not installed.
    """
    watch = (watch,) if isinstance(watch, str) else tuple(watch)
    game = as_game(game)
    if against is None:
        against = "greedy" if "greedy" in registered_agents(game) else "random"
    against = tuple(against) if isinstance(against, Sequence) and not isinstance(against, str) else (against,)
    if folder is not None and initial is None:
        # A network to start from need not be named again.
        settings = set_by_initial(Path(folder)) | settings
    made = learner(game, algorithm, initial=initial, device=device, **settings)
    known = Exact(exact) if isinstance(exact, GameTree) else exact_of(game) if exact else None
    seed = made.settings.seed
    evaluation = Evaluation(game, against, deals, seed=seed, exact=known, threads=threads, watch=watch, judge=judge)
    return run(
        made,
        folder=None if folder is None else Path(folder),
        evaluation=evaluation,
        evaluations=evaluations,
        checkpoint_every=checkpoint_every,
        log=log,
        progress=progress,
    )
