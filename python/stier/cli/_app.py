"""The commands, and what comes of running one."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

import stier
from stier.cli import (
    agents,
    check_leak,
    completion,
    exploit,
    exploitability,
    games,
    pit,
    play,
    properties,
    replay,
    report,
    rules,
    run,
    schwingfest,
    solve,
    train,
    web,
)
from stier.cli._command import Group, exit_code
from stier.cli._interrupts import interrupts
from stier.cli._process import FAILED, OutputError, discard_output, say
from stier.errors import StierError

#: Errors of the system that any command can meet, whatever it does: not errors of the program.
_OF_THE_SYSTEM = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
}


@click.group(
    cls=Group,
    examples=["stier games", "stier rules schwinget", "stier play schwinget", "stier pit schwinget random greedy"],
)
@click.version_option(stier.__version__, message="stier %(version)s")
def app() -> None:
    """Hidden-information card games: play, compare, solve and train agents."""


for command in (
    *(games.games, rules.rules, agents.agents, web.web, play.play, replay.replay, pit.pit, schwingfest.schwingfest),
    *(exploit.exploit, solve.solve, exploitability.exploitability, properties.properties, check_leak.check_leak),
    *(run.run, report.report, train.train, completion.completion),
):
    app.add_command(command)


def execute(arguments: Sequence[str]) -> int:
    """Runs a command line and returns the exit code. Errors become one line on the standard error."""
    try:
        code = _code(list(arguments))
        sys.stdout.flush()
        return code
    except OSError as error:
        if isinstance(error, OutputError):
            discard_output()
        if isinstance(error, BrokenPipeError) or (isinstance(error, OutputError) and error.errno == errno.EPIPE):
            # The reader has seen enough.
            return 0
        if error.errno not in _OF_THE_SYSTEM:
            raise
        say(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror))
        return FAILED


def _code(arguments: list[str]) -> int:
    if asked := os.environ.get("_STIER_COMPLETE"):
        return shell_complete(app, {}, "stier", "_STIER_COMPLETE", asked)
    try:
        with app.make_context("stier", arguments) as context:
            return int(app.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        say(error.format_message())
        if isinstance(error, click.UsageError) and error.ctx is not None:
            print(f"Try '{error.ctx.command_path} --help'.", file=sys.stderr)
        return error.exit_code
    except StierError as error:
        if interrupts.noticed:
            raise KeyboardInterrupt from error
        say(str(error))
        return exit_code(error)
