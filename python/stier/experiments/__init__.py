"""Experiments: a file describes the matches, and the results are kept. Needs the extra ``experiments``.

>>> from stier import experiments
>>> experiment = experiments.Experiment("schwinget", {"luck": "random", "advice": "greedy"}, deals=200)
>>> games = experiments.run(experiment, "out/first")  # doctest: +SKIP
>>> print(experiments.report(games))  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from stier.errors import MissingExtraError

_needed = ["pandas", "pyarrow", "scipy"] + (["tomli"] if sys.version_info < (3, 11) else [])
for _name in _needed:
    if find_spec(_name) is None:
        raise MissingExtraError(f"stier.experiments needs {_name}: pip install 'stier[experiments]'")

from stier.experiments._decisions import Decisions, decisions  # noqa: E402
from stier.experiments._plans import (  # noqa: E402
    OnProgress,
    Plan,
    Report,
    Task,
    build,
    checked,
    digest,
    header,
    line,
    page,
)
from stier.experiments._run import example, load, publish, read, report, run  # noqa: E402
from stier.experiments._store import Store  # noqa: E402
from stier.experiments._suite import Suite  # noqa: E402
from stier.experiments.matches import Experiment, MatchReport  # noqa: E402

__all__ = [
    "Decisions",
    "Experiment",
    "MatchReport",
    "OnProgress",
    "Plan",
    "Report",
    "Store",
    "Suite",
    "Task",
    "build",
    "checked",
    "decisions",
    "digest",
    "example",
    "header",
    "line",
    "load",
    "page",
    "publish",
    "read",
    "report",
    "run",
]
