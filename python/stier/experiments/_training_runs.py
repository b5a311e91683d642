"""Runs of a training plan: their keys, what they take from other runs, and the names of what is measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import stier
from stier._files import as_path
from stier._native import alternatives
from stier.errors import ArgumentError
from stier.experiments._plans import checked, digest, networks_in
from stier.playing import as_agent, of_engine

#: The seed of the matches, which no training or evaluation has used.
HELD_OUT = 1_000_003
#: The measures of evaluations on the way, and that of uniform play.
DISTANCE, GREEDY = "eval/nash_conv", "eval/greedy/mean"
UNIFORM = f"uniform {DISTANCE}"
#: The gain of the learned responder.
LEARNED = "gain of learned responder"
#: In the names of chances before the first trick.
FIRST = "at the first lead"
#: The keys of a run, and the types of their values.
KEYS: dict[str, Any] = {
    "name": str,
    "like": str,
    "about": str,
    "commit": str,
    "seeds": int,
    "file": str,
    "game": str,
    "algorithm": str,
    "settings": dict,
    "exact": bool,
    "evaluations": int,
    "watch": list[str],
    "judge": str,
    "matches": list[str],
    "deals": int,
    "guided": str,
    "guided_matches": list[str],
    "guided_deals": int,
    "responders": list[str],
    "learned_responder": dict,
    "responder_deals": int,
}
#: The tables with arguments of a training, and the arguments that they must have.
SETTINGS = {"settings": ("steps",), "learned_responder": ("steps", "deals")}
#: Their arguments that are not settings of the algorithm, and the types of their values.
ARGUMENTS: dict[str, dict[str, type]] = {
    "settings": {"initial": str, "device": str},
    "learned_responder": {"algorithm": str, "initial": str, "deals": int, "evaluations": int, "device": str},
}
#: Arguments that the plan sets itself.
SET_BY_PLAN = {"folder", "threads", "log", "progress"}
#: Keys that mean nothing without others.
NEEDS = {
    "judge": ("watch",),
    "matches": ("deals",),
    "deals": ("matches",),
    "guided_matches": ("guided", "guided_deals"),
    "guided": ("guided_matches",),
    "guided_deals": ("guided_matches",),
    "responders": ("responder_deals",),
    "responder_deals": ("responders",),
}
#: The keys of a training, which a run with a file does not have.
TRAINING = ("algorithm", "settings", "evaluations")


def complete(runs: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Returns the runs with the keys that they have from runs above them."""
    found: dict[str, Mapping[str, Any]] = {}
    for number, run in enumerate(runs, start=1):
        where = f"run {number}: "
        own = checked(run, KEYS, where, optional=KEYS.keys() - {"name"})
        if own["name"] in found:
            raise ArgumentError(f"{where}there is another run '{own['name']}'")
        if "like" in own:
            name = own.pop("like")
            if name not in found:
                above = alternatives(name, "runs above", list(found)) if found else "; it is the first run"
                raise ArgumentError(f"{where}like must name a run above it, got '{name}'{above}")
            base = {key: value for key, value in found[name].items() if key not in ("about", "commit")}
            if "algorithm" in own and own["algorithm"] != base.get("algorithm"):
                base.pop("settings", None)
            own = base | own | {key: base[key] | own[key] for key in SETTINGS if key in base and key in own}
        found[own["name"]] = own
    return list(found.values())


def check(where: str, run: Mapping[str, Any]) -> None:
    """Raises for a complete run with missing keys, or keys without effect, or names that do not exist."""
    needed = {"name", "game", *(() if "file" in run else TRAINING)}
    needed |= {other for key, others in NEEDS.items() if key in run for other in others}
    checked(run, KEYS, where, optional=KEYS.keys() - needed)
    for key in TRAINING:
        if "file" in run and key in run:
            raise ArgumentError(f"{where}{key} means nothing for the network of a file, which is not trained")
    for key, required in SETTINGS.items():
        table = run.get(key, {})
        if "seed" in table:
            raise ArgumentError(f"{where}{key} must not contain a seed: every seed is trained")
        if own := SET_BY_PLAN & table.keys():
            raise ArgumentError(f"{where}{key} must not contain {min(own)}, which the plan sets")
        for argument in required:
            if key in run and argument not in table:
                raise ArgumentError(f"{where}{key} must contain {argument}")
    try:
        game = stier.load_game(run["game"])
        if "commit" not in run:
            _check_settings(run, game)
        for action in run.get("watch", ()):
            game.string_to_action(action)
        agents = [agent for key in ("matches", "responders", "guided_matches") for agent in run.get(key, ())]
        for agent in [*agents, *([run["judge"]] if "judge" in run else [])]:
            if "NETWORK" not in agent:
                as_agent(agent, game)
    except ValueError as error:
        raise ArgumentError(f"{where}{error}") from None


def _check_settings(run: Mapping[str, Any], game: stier.Game) -> None:
    """Raises for settings that would stop a training, before anything is trained."""
    for key in SETTINGS:
        if key in run:
            try:
                _check_table(key, run, game)
            except ValueError as error:
                raise ArgumentError(f"{key}: {error}") from None


def _check_table(key: str, run: Mapping[str, Any], game: stier.Game) -> None:
    """Raises for wrong settings in one of the tables."""
    from stier.train._learn import algorithm_of, check_settings
    from stier.train.response import settings_of_responder
    from stier.train.settings import SELF

    own = {name: value for name, value in run[key].items() if name in ARGUMENTS[key]}
    given = {name: value for name, value in run[key].items() if name not in own}
    checked(own, ARGUMENTS[key], optional=ARGUMENTS[key])
    if own.get("initial") and not as_path(own["initial"]).is_file():
        raise ArgumentError(f"initial must be the file of a network, got '{own['initial']}'")
    if key == "settings":
        algorithm = run["algorithm"]
        check_settings(algorithm, given)
    else:
        algorithm = own.get("algorithm", "ppo")
        if own["deals"] < 2:
            raise ArgumentError(f"deals must be at least 2, got {own['deals']}")
        given = settings_of_responder(algorithm, given, begun=own.get("initial") != "")
    settings = algorithm_of(algorithm).settings(**given)
    for agent in (*settings.opponents, settings.opening):
        if agent not in ("", SELF):
            stier.load_agent(of_engine(agent, game), game)
    if settings.barred:
        game.string_to_action(settings.barred)


def solver_of(game: str) -> str:
    """Returns the name of the solver's rows."""
    return f"CFR+ in {game}"


def made_by(run: Mapping[str, Any]) -> str:
    """Returns a digest of what the figures of a run depend on: its keys, and the content of its file."""
    work = {key: value for key, value in run.items() if key not in ("name", "about", "commit", "seeds")}
    if "file" in run:
        try:
            work["file"] = hashlib.sha256(as_path(run["file"]).read_bytes()).hexdigest()
        except OSError as error:
            raise ArgumentError(f"run {run['name']}: {error}") from None
    # Networks in its agents.
    if networks := networks_in({key: value for key, value in run.items() if key != "file"}):
        work["networks"] = networks
    return digest(work)


def matches_of(run: Mapping[str, Any]) -> dict[str, tuple[str, str, int]]:
    """Returns the matches at the end, by name: the network's agent, its opponent and the number of deals."""
    matches = {f"against {agent}": ("network:path=NETWORK", agent, run["deals"]) for agent in run.get("matches", ())}
    for agent in run.get("guided_matches", ()):
        matches[f"guided against {agent}"] = (run["guided"], agent, run["guided_deals"])
    return matches


def responders_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Returns the responders at the end, by the name of the gain."""
    return {f"gain of {responder}": responder for responder in run.get("responders", ())}


def decisions_of(run: Mapping[str, Any]) -> dict[str, int]:
    """Returns the decisions of the training and of the learned responder's."""
    return {key: run.get(key, {}).get("steps", 0) for key in SETTINGS}
