"""The positions of the attack trainer on the web page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stier

PAGE = Path(__file__).parents[1] / "web/page/src"
GAMES = json.loads((PAGE / "trainer.json").read_text("utf-8"))["games"]


@pytest.mark.parametrize("part", GAMES, ids=["full game", "small deck"])
def test_positions_are_those_of_the_engine_the_rule_and_the_network(part: dict) -> None:  # type: ignore[type-arg]
    game = stier.load_game(f"{part['game']}:{part['rules']}")
    rule = stier.load_agent("rule:when=thumb", game)
    network = stier.load_agent("network:choose=sample", game) if not part["rules"] else None
    worths = [one["worth"] for one in part["positions"]]
    assert len({(one["seed"], *one["moves"]) for one in part["positions"]}) == len(worths) >= 30
    assert 0.2 < sum(worth < 0 for worth in worths) / len(worths) < 0.8
    for one in part["positions"]:
        state = game.new_initial_state(seed=int(one["seed"]))
        for move in one["moves"]:
            state.apply_action(move)
        attack = state.string_to_action("attack")
        assert state.current_player() == one["seat"]
        assert {attack, state.string_to_action(one["other"])} <= set(state.legal_actions())
        assert one["rule"] == (rule.step(state) == attack)
        assert one["rule"] == (one["count"] is None or one["count"] >= part["enough"])
        if network is not None:
            # A new network needs new positions: python/tools/attack_positions.py makes them.
            assert one["share"] == pytest.approx(dict(network.step_with_policy(state)[0])[attack], abs=1e-4)
