"""``stier schwingfest``."""

from __future__ import annotations

from pathlib import Path

import click

import stier
from stier import _files
from stier.cli import _options as options
from stier.cli._command import command
from stier.errors import ArgumentError


@command(
    examples=[
        "stier schwingfest greedy random ismcts:iterations=200",
        "stier schwingfest Sepp=greedy Ueli=ismcts:iterations=1000 Kari=random --seed 1 --svg list.svg",
    ],
)
@click.argument("agents", type=options.AGENT, nargs=-1, required=True, metavar="[NAME=]AGENT...")
@options.seed("deals and agents")
@options.output("--svg", "path", about="Draw the ranking list to FILE, too.")
@options.threads
def schwingfest(agents: tuple[str, ...], seed: int, path: Path | None, threads: int) -> None:
    """Hold a tournament of Schwinget.

    Three or more agents take part. The ranking list is printed.
    """
    named = [_named(text) for text in agents]
    wrestlers: list[str] | dict[str, str] = list(agents)
    if any(name is not None for name, _ in named):
        wrestlers = {name or text: text for name, text in named}
        if len(wrestlers) < len(named):
            raise ArgumentError("give each wrestler a name of its own")
    found = stier.schwingfest.schwingfest(wrestlers, seed=seed, threads=threads)
    try:
        if path is not None:
            _files.write_text(path, found.to_svg())
    finally:
        print(found, end="")


def _named(text: str) -> tuple[str | None, str]:
    """Splits ``NAME=AGENT``; an equals sign in the options of an agent does not count."""
    name, equals, agent = text.partition("=")
    return (name, agent) if equals and ":" not in name else (None, text)
