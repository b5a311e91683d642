"""The command line, a module for each command; ``stier --help`` lists them.

What takes time is imported in `main`, where Ctrl-C is answered.
"""

from __future__ import annotations

from stier.cli import _interrupts

TYPE_CHECKING = False  # as in typing, which takes long to import
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code.

    The code is 0 for success, 2 for a wrong command, option or value, 1 for every other error and for a check that
    found something, and 130 after Ctrl-C.

    Without arguments it takes those of the process, whose standard streams and answer to Ctrl-C it sets. After Ctrl-C
    it does not return but ends the process.
    """
    if arguments is None:
        return _interrupts.main()
    from stier.cli import _app, _process

    try:
        return _app.execute(arguments)
    except KeyboardInterrupt:
        _process.say("interrupted")
        return _interrupts.INTERRUPTED
