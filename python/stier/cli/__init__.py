"""The command line, a module for each command; ``stier --help`` lists them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

import stier
from stier.cli import (
    agents,
    check_leak,
    completion,
    decisions,
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
    study,
    train,
    web,
)
from stier.cli._command import INTERRUPTED, Group, exit_code
from stier.errors import StierError

__all__ = ["app", "main"]


@click.group(
    cls=Group,
    examples=["stier games", "stier rules schwinget", "stier play schwinget", "stier pit schwinget random greedy"],
)
@click.version_option(stier.__version__, message="stier %(version)s")
def app() -> None:
    """Hidden-information card games: play, compare, solve and train agents."""


for command in (
    games.games,
    rules.rules,
    agents.agents,
    web.web,
    play.play,
    replay.replay,
    pit.pit,
    schwingfest.schwingfest,
    exploit.exploit,
    solve.solve,
    exploitability.exploitability,
    properties.properties,
    check_leak.check_leak,
    run.run,
    report.report,
    decisions.decisions,
    train.train,
    study.study,
    completion.completion,
):
    app.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code.

    The code is 0 for success, 2 for a wrong command, option or value, 1 for every other error and for a check that
    found something, and 130 after Ctrl-C.
    """
    words = None if arguments is None else list(arguments)
    try:
        return int(app.main(words, prog_name="stier", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        print(f"stier: {error.format_message()}", file=sys.stderr)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            print(f"Try '{error.ctx.command_path} --help'.", file=sys.stderr)
        return error.exit_code
    except StierError as error:
        print(f"stier: {error}", file=sys.stderr)
        return exit_code(error)
    except click.Abort:
        print("stier: interrupted", file=sys.stderr)
        return INTERRUPTED
