"""Studies: questions about the games, answered by play. Needs the extra ``study``.

*When is an attack in Schwinget right?* Players play games against copies of themselves. Every decision at which the
mover may attack is a position, and the game is played on from it in three ways with common random numbers: it attacks
now; it does something else and later as it likes (waits); it never attacks. Values are mean returns of the mover.
"""

from __future__ import annotations

from importlib.util import find_spec

from stier.errors import MissingExtraError

for _name in ("pandas", "pyarrow"):
    if find_spec(_name) is None:
        raise MissingExtraError(f"stier.study needs {_name}: pip install 'stier[study]'")

from stier.study._timing import AttackTiming, attack_timing, load_attack_timing  # noqa: E402

__all__ = ["AttackTiming", "attack_timing", "load_attack_timing"]
