"""The command line, a module for each command; ``stier --help`` lists them.

What takes time is imported in `main`, where Ctrl-C is answered.
"""

from __future__ import annotations

import signal
import sys
import time

from stier.cli._interrupts import INTERRUPTED, interrupts, leave

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
        return _main()
    from stier.cli import _app, _process

    try:
        return _app.execute(arguments)
    except KeyboardInterrupt:
        _process.say("interrupted")
        return INTERRUPTED


def _main() -> int:
    # A process in the background of a shell ignores Ctrl-C.
    answers = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if answers:
            signal.signal(signal.SIGINT, interrupts.answer)
            sys.unraisablehook = interrupts.repeat
        code = in_process(sys.argv[1:])
        # A library that swallows an interrupt does not undo it.
        if not interrupts.noticed:
            if answers:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            return code
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except BaseException:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Libraries turn an interrupt into errors of their own.
        if not interrupts.noticed:
            raise
    from stier.cli import _process

    # Another one ends the process at once, even if a handler at its end waits.
    interrupts.first = interrupts.first or time.monotonic()
    signal.signal(signal.SIGINT, interrupts.answer)
    _process.end()
    return leave()


def in_process(arguments: Sequence[str]) -> int:
    """Runs a command line with the standard streams of this process and returns the exit code."""
    from stier.cli import _process

    if not _process.set_streams():
        return _process.FAILED
    from stier.cli._app import execute

    return execute(arguments)
