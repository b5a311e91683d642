"""Experiments: a file says who plays what how often; the games are kept, one row each. Needs the extra ``experiments``.

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
from stier.experiments._report import Report, report  # noqa: E402
from stier.experiments._run import run  # noqa: E402
from stier.experiments._spec import Experiment, read  # noqa: E402
from stier.experiments._store import Games, load  # noqa: E402

__all__ = ["Decisions", "Experiment", "Games", "Report", "decisions", "load", "read", "report", "run"]
