"""Experiments: a file describes the matches, and the results are kept. Needs the extra ``experiments``.

>>> from stier import experiments
>>> experiment = experiments.Experiment("schwinget", ["random", "greedy"], deals=200)
>>> games = experiments.run(experiment, "out/first")  # doctest: +SKIP
>>> print(experiments.report(games))  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from stier.errors import missing_extra

_needed = ["pandas", "pyarrow", "scipy"] + (["tomli"] if sys.version_info < (3, 11) else [])
for _name in _needed:
    if find_spec(_name) is None:
        raise missing_extra("stier.experiments", _name, "experiments")

from stier.experiments._match_page import MatchReport  # noqa: E402
from stier.experiments._pages import (  # noqa: E402
    Answer,
    Interval,
    Report,
    markdown_table,
    page,
    save_picture,
)
from stier.experiments._plans import (  # noqa: E402
    OnProgress,
    Plan,
    TablePlan,
    Task,
    build,
    checked,
    digest,
    with_option,
)
from stier.experiments._run import example, load, publish, read, report, run  # noqa: E402
from stier.experiments._store import Store  # noqa: E402
from stier.experiments.exploitability import Exploitability  # noqa: E402
from stier.experiments.matches import Experiment  # noqa: E402
from stier.experiments.suite import Suite  # noqa: E402
from stier.experiments.training import Training  # noqa: E402

__all__ = [
    "Answer",
    "Experiment",
    "Exploitability",
    "Interval",
    "MatchReport",
    "OnProgress",
    "Plan",
    "Report",
    "Store",
    "Suite",
    "TablePlan",
    "Task",
    "Training",
    "build",
    "checked",
    "digest",
    "example",
    "load",
    "markdown_table",
    "page",
    "publish",
    "read",
    "report",
    "run",
    "save_picture",
    "with_option",
]
