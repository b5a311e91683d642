"""``stier agents``."""

from __future__ import annotations

import click

import stier
from stier.catalogue import AgentInfo, OptionInfo, describe_agent
from stier.cli._command import Command, first_sentence, print_json, print_options
from stier.cli._options import AGENT, as_json

_SEED = OptionInfo("seed", 0, 0, 2**64 - 1, None, f"0 to {2**64 - 1}", "The seed of its random numbers.")


@click.command(cls=Command, examples=["stier agents", "stier agents ismcts", "stier agents ismcts --json"])
@click.argument("name", type=AGENT, required=False)
@as_json
def agents(name: str | None, as_json: bool) -> None:
    """List the agents, or one agent with its options.

    NAME may have options behind it, such as ismcts:iterations=5. Their values are then shown instead of the defaults.
    """
    described = stier.describe_agents() if name is None else [_with_values(name)]
    if as_json:
        print_json(
            [
                {
                    "name": agent.name,
                    "description": agent.description,
                    "options": [option._asdict() for option in [*agent.options, _SEED]],
                }
                for agent in described
            ]
        )
        return
    if name is None:
        for agent in described:
            print(f"{agent.name:16}{first_sentence(agent.description)}")
        print("Options of an agent: stier agents NAME")
        return
    for agent in described:
        print(agent.name)
        print(click.wrap_text(agent.description, 100, "    ", "    "))
        print_options([*agent.options, _SEED])


def _with_values(text: str) -> AgentInfo:
    """Returns an agent with the options that its text sets."""
    name, given, _ = text.partition(":")
    agent = describe_agent(name)
    if not given:
        return agent
    game = next(
        game for game in map(stier.load_game, stier.registered_names()) if name in stier.registered_agents(game)
    )
    values = stier.load_agent(text, game).options
    return agent._replace(options=[option._replace(default=values[option.name]) for option in agent.options])
