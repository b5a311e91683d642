"""Ctrl-C: from the first moment to the end of the process.

Of the standard library only what is quick to import is used here: before this module is there, Ctrl-C is answered by
Python itself, with a traceback.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as in typing, which takes long to import
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

#: The exit code of Ctrl-C.
INTERRUPTED = 130
#: Seconds in which another interrupt is part of the first: programs that start this one may send it on.
_TWICE = 0.5


class _Interrupts:
    """The answer to Ctrl-C: a `KeyboardInterrupt`, raised where it is not lost.

    In the middle of an import it is not raised but ends the process: compiled modules can crash when an import of
    theirs is broken off. The second Ctrl-C ends the process everywhere.
    """

    def __init__(self) -> None:
        #: True from the first one on, unless a command takes it for an answer: errors can follow from it.
        self.noticed = False
        #: The time at which it was raised.
        self.first: float | None = None
        #: Lines that a command says before an interrupt ends it.
        self.note = ""

    def answer(self, _: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        self.noticed = True
        if self.first is not None and now < self.first + _TWICE:
            return
        if self.first is not None or _is_import(frame):
            leave()
        self.first = now
        raise KeyboardInterrupt

    def repeat(self, lost: sys.UnraisableHookArgs) -> None:
        """Repeats an interrupt that was raised where an exception leads nowhere.

        JAX has a callback of the garbage collector that is called hundreds of times when a learner is compiled.
        """
        if lost.exc_type is KeyboardInterrupt:
            self.first = None
            # Later and from another thread: here it would be lost again.
            _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
        else:
            sys.__unraisablehook__(lost)


interrupts = _Interrupts()


def _interrupt_soon(main_thread: int) -> None:
    time.sleep(0.01)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        # A real signal ends what waits, too.
        signal.pthread_kill(main_thread, signal.SIGINT)


def _is_import(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def leave() -> NoReturn:
    """Ends the process after Ctrl-C at once: at Python's own end, threads of libraries that still compute can crash."""
    try:
        os.write(2, f"{interrupts.note}stier: interrupted\n".encode())
    finally:
        os._exit(INTERRUPTED)
