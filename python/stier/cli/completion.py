"""``stier completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from stier.cli._command import command

_SHELLS = ["bash", "fish", "zsh"]


@command(
    examples=[
        'eval "$(stier completion bash)"    # in ~/.bashrc',
        'eval "$(stier completion zsh)"     # in ~/.zshrc',
        "stier completion fish > ~/.config/fish/completions/stier.fish",
    ],
)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for completion in a shell.

    It completes commands and options, the names of games and agents, and their options after a colon.
    """
    found = get_completion_class(shell)
    assert found is not None
    print(found(context.find_root().command, {}, "stier", "_STIER_COMPLETE").source())
