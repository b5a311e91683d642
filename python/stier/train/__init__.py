"""Training of networks by self-play or against other agents. Needs the extra ``train`` (JAX).

>>> import stier, stier.train
>>> game = stier.load_game("schwinget")
>>> trained = stier.train.learn(game, steps=8_000_000, folder="out/schwinget", progress=True)  # doctest: +SKIP
>>> stier.pit(game, ["network:path=out/schwinget/network.safetensors", "greedy"])  # doctest: +SKIP
"""

from __future__ import annotations

from importlib.util import find_spec

from stier.errors import missing_extra

if find_spec("safetensors") is None:
    raise missing_extra("stier.train", "safetensors", "train")

from stier.train._chances import ChanceRow, Chances, chances
from stier.train._gae import Advantages, gae
from stier.train._learn import learn, learner
from stier.train._run import Best, Learner, Logger, Trained, run
from stier.train.evaluation import Duel, Evaluation, Exact, duel
from stier.train.response import LearnedResponse, best_response
from stier.train.settings import CommonSettings, DistillSettings, DMCSettings, Settings

__all__ = [
    "Advantages",
    "Best",
    "ChanceRow",
    "Chances",
    "CommonSettings",
    "DMCSettings",
    "DistillSettings",
    "Duel",
    "Evaluation",
    "Exact",
    "LearnedResponse",
    "Learner",
    "Logger",
    "Settings",
    "Trained",
    "best_response",
    "chances",
    "duel",
    "gae",
    "learn",
    "learner",
    "run",
]
