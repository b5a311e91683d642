"""The exceptions of the package. Every message says what is allowed."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes long to import
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "AgentError",
    "ArgumentError",
    "ChangedWarning",
    "FileError",
    "GameError",
    "IllegalActionError",
    "LeakError",
    "MissingExtraError",
    "RatingError",
    "RecordError",
    "RulesError",
    "SeatError",
    "StierError",
    "TrainingError",
    "TrainingWarning",
]


class StierError(Exception):
    """Base of the errors below."""


class RulesError(StierError, ValueError):
    """A game that does not exist, an unknown option or value, or options that do not fit together."""


class GameError(StierError, RuntimeError):
    """A game written in Python that raises or contradicts itself. The message names the method and the history."""


class IllegalActionError(StierError, ValueError):
    """An action that the rules do not allow here, or that the game does not have. The state is as it was."""


class SeatError(StierError, ValueError, RuntimeError):
    """A player that the game does not have. A ``RuntimeError`` too, as in OpenSpiel."""


class AgentError(StierError, ValueError):
    """An agent that does not exist, an unknown option or value, or something that the agent does not do.

    Or an agent of Python that raises an exception, which is the cause. The message names the agent, game and history.
    """


class ArgumentError(StierError, ValueError):
    """An argument with a value that is not allowed or does not go with the others, or a file with wrong content."""


class FileError(StierError, OSError):
    """A file or folder that cannot be found, read or written. Wrong content is an `ArgumentError`."""


class MissingExtraError(StierError, ImportError):
    """An optional package that is not installed. The message names the extra that installs it."""


def optional(module: str, what: str, extra: str) -> Any:
    """Imports a module of an optional package."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing_extra(what, (error.name or module).partition(".")[0], extra) from None


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """Returns the error for a package that is needed and not installed."""
    return MissingExtraError(
        f"{what} needs {package}: pip install 'stier[{extra}]', or './python[{extra}]' in the repository"
    )


class RatingError(StierError, ValueError):
    """Results from which no rating follows, such as of agents that never met, directly or through others."""


class RecordError(StierError, ValueError):
    """A record or a serialized state that cannot be read."""


class TrainingError(StierError, ArithmeticError):
    """Training that has diverged: a loss is not a finite number, or the outputs of the network overflow."""


class TrainingWarning(UserWarning):
    """The network at the end of a training is clearly worse than an earlier one."""


class ChangedWarning(UserWarning):
    """Results that are read although the agents or games that they came from have changed since."""


class LeakError(StierError, AssertionError):
    """A leak check that did not pass."""
