"""``stier agents``."""

from __future__ import annotations

import click

import stier
from stier.catalogue import AgentInfo, describe_agent
from stier.cli._command import command, show
from stier.cli._options import AGENT, SEED, as_json


@command(examples=["stier agents", "stier agents ismcts", "stier agents ismcts --json"])
@click.argument("name", type=AGENT, required=False)
@as_json
def agents(name: str | None, as_json: bool) -> None:
    """List the agents, or one agent with its options.

    With options, as in ismcts:iterations=100, the values are those of this agent.
    """
    described = stier.describe_agents() if name is None else [_with_values(name)]
    rows = [agent._replace(options=[*agent.options, SEED])._asdict() for agent in described]
    show("agent", rows, as_json=as_json, in_full=name is not None)


def _with_values(text: str) -> AgentInfo:
    name, given, _ = text.partition(":")
    agent = describe_agent(name)
    if not given:
        return agent
    values = _built(name, text).options
    return agent._replace(options=[option._replace(default=values[option.name]) for option in agent.options])


def _built(name: str, text: str) -> stier.Agent:
    """The agent in the first game in which it is possible."""
    refused: ValueError | None = None
    for game in map(stier.load_game, stier.registered_names()):
        if name in stier.registered_agents(game):
            try:
                return stier.load_agent(text, game)
            except ValueError as error:
                # An option that no game understands is refused in the same words by all.
                refused = refused or error
    assert refused is not None, "every agent is possible in some game"
    raise refused
