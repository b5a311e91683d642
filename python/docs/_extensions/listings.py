"""Directives that list what the package says about itself: games, observations, agents, the command line."""

from __future__ import annotations

from collections.abc import Sequence

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import stier
from stier.cli._app import app
from stier.experiments import example
from stier.experiments._run import KINDS


def _table(options: Sequence[stier.catalogue.OptionInfo]) -> str:
    lines = ["| option | default | values | |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{option.name}` | `{option.default}` | {_values(option.allowed)} | {_cell(option.description)} |"
        for option in options
    ]
    return "\n".join(lines)


def _values(allowed: str) -> str:
    return " \\| ".join(f"`{value}`" for value in allowed.split(" | "))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


class _Listing(SphinxDirective):
    """Markdown that is made up when the page is read."""

    def markdown(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.markdown(), allow_section_headings=True)


class Games(_Listing):
    """Every game with its options."""

    def markdown(self) -> str:
        parts = []
        for name in stier.registered_names():
            game = stier.load_game(name)
            shapes = (
                f"{game.num_players()} players by default, {game.num_distinct_actions()} actions, observations of "
                f"{game.observation_tensor_shape()[0]} numbers, returns from {game.min_utility():g} to "
                f"{game.max_utility():g}."
            )
            parts.append(f"## {name}\n\n{shapes}\n\n{_table(stier.catalogue.describe_game(name))}")
        return "\n\n".join(parts)


class Observation(_Listing):
    """The fields of a game's observation; a second argument is the game with options that add fields.

    The content has a line for each field, in order, with its meaning. Other lines, or another order, are an error.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def markdown(self) -> str:
        first, *wider_game = self.arguments[0].split()
        meanings = [line.partition(": ") for line in self.content]
        shapes = dict(stier.load_game(first).observation_tensor_layout())
        fields: list[str] = list(shapes)
        notes: dict[str, str] = {}
        if wider_game:
            (text,) = wider_game
            wider = dict(stier.load_game(text).observation_tensor_layout())
            notes = {name: f" Only with options such as `{text}`." for name in wider if name not in fields}
            fields, shapes = list(wider), wider | shapes
        explained = [name for name, _, _ in meanings]
        if explained != fields:
            raise self.error(f"{first}: the fields are {fields}, and these are explained: {explained}")
        rows = [
            f"| `{name}` | {' by '.join(map(str, shapes[name]))} | {_cell(meaning)}{notes.get(name, '')} |"
            for name, _, meaning in meanings
        ]
        return "\n".join([f"Shapes are those of `{first}`.\n", "| field | shape | |", "| --- | --- | --- |", *rows])


class Agents(_Listing):
    """Every agent with its options."""

    def markdown(self) -> str:
        parts = []
        for agent in stier.describe_agents():
            options = _table(agent.options) if agent.options else "It has no options but `seed`."
            parts.append(f"## {agent.name}\n\n{agent.description}\n\n{options}")
        return "\n\n".join(parts)


class Commands(_Listing):
    """The help of every command."""

    def markdown(self) -> str:
        return "\n\n".join(
            _helps(app, click.Context(app, info_name="stier", terminal_width=100, **app.context_settings))
        )


def _helps(command: click.Command, context: click.Context) -> list[str]:
    """Returns the help of a command and of those below it, each under its own heading."""
    parts = [f"```text\n{command.get_help(context)}\n```"]
    for name, below in command.commands.items() if isinstance(command, click.Group) else []:
        inner = click.Context(below, context, name)
        first, *rest = _helps(below, inner)
        parts.extend([f"### {inner.command_path}\n\n{first}", *rest])
    return parts


class Plans(_Listing):
    """An example of every kind of experiment, with all its keys."""

    def markdown(self) -> str:
        return "\n\n".join(f"## {kind}\n\n```toml\n{example(kind)}```" for kind in KINDS)


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the directives."""
    app.add_directive("games", Games)
    app.add_directive("observation", Observation)
    app.add_directive("agents", Agents)
    app.add_directive("commands", Commands)
    app.add_directive("plans", Plans)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
