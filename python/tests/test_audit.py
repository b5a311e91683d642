"""The audit of other libraries' games: its worlds differ where they should, and a leak is found."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import assert_form

for library in ("pettingzoo", "pyspiel", "rlcard"):
    pytest.importorskip(library)

sys.path.insert(0, str(Path(__file__).parents[2] / "benches" / "python"))
audit = importlib.import_module("audit")


def hands(env: Any, seat: int) -> Any:
    """All hands, whatever the seat."""
    return env.rlcard.get_perfect_information()["hand_cards"]


@pytest.mark.parametrize("name", ["leduc-holdem", "limit-holdem", "uno"])
def test_a_leak_is_found_and_nothing_else(name: str) -> None:
    env = audit.RlcardReplay(audit.rlcard_env(name))
    facts = {fact: read for fact, read in audit.rlcard_facts(env).items() if not fact.endswith(audit.IDLE)}
    tight, found, moving = audit.check_env(env, facts, seed=1, worlds=2)
    assert not tight.leaks, str(tight)
    assert found > 0.5 * tight.places
    assert 0 < moving < tight.worlds
    leaking, *_ = audit.check_env(env, {**facts, "hands": hands}, seed=1, worlds=2)
    assert list(leaking.leaks) == ["hands"]
    assert leaking.differences["hands"] > 0.5 * leaking.worlds


def test_twins_agree_on_what_is_known_and_on_nothing_else() -> None:
    env = audit.RlcardReplay(audit.rlcard_env("gin-rummy"))
    env.reset(seed=3)
    for _ in range(30):
        env.step(next(iter(env.legal())))
    for seat in range(2):
        twin = env.twin(seat, seed=1)
        assert twin is not None
        assert twin.actions == env.actions
        mine, theirs = (side.rlcard.game.round for side in (env, twin))
        assert mine.players[seat].hand == theirs.players[seat].hand
        assert mine.dealer.discard_pile == theirs.dealer.discard_pile
        assert mine.players[1 - seat].hand != theirs.players[1 - seat].hand
        assert sorted(map(str, mine.dealer.shuffled_deck)) == sorted(map(str, theirs.dealer.shuffled_deck))


def test_the_programs_on_the_page_hold() -> None:
    for finding in audit.FINDINGS.values():
        programs = re.findall(r"```python\n(.*?)```", finding, re.DOTALL)
        assert programs
        for program in programs:
            exec(program, {})


def test_a_run_goes_on_and_makes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "PARTS", tmp_path)
    options = argparse.Namespace(games=2, worlds=1, seconds=60.0)
    games = [("open_spiel", "euchre"), ("open_spiel", "kuhn_poker"), ("rlcard", "leduc-holdem")]
    once = {game: audit.part(*game, options) for game in games}
    monkeypatch.setattr(audit, "check", None)
    assert {game: audit.part(*game, options) for game in games} == once
    files = sorted(tmp_path.iterdir())
    assert [json.loads(file.read_text())["games"] for file in files] == [2, 2, 2]
    # A part with an error is made again, and so are all parts if the program has changed.
    monkeypatch.setattr(audit, "check", lambda *_: {"error": "", "made": "again"})
    file = tmp_path / "open_spiel-euchre.json"
    file.write_text(json.dumps(once["open_spiel", "euchre"] | {"error": "broken"}))
    assert audit.part("open_spiel", "euchre", options)["made"] == "again"
    file.write_text(json.dumps(once["open_spiel", "euchre"]))
    assert audit.part("open_spiel", "euchre", options) == once["open_spiel", "euchre"]
    monkeypatch.setattr(audit, "programs", lambda: "another digest")
    assert audit.part("open_spiel", "euchre", options)["made"] == "again"
    page = audit.page(once, [("open_spiel", "skat", "no resampler")], "--games 2")
    assert_form(page, pictures=1)
    assert "| `kuhn_poker` | 2 |" in page
    assert "an illegal past (seed " in page
    assert "- no resampler: `skat`" in page
    never = {("open_spiel", "kuhn_poker"): once["open_spiel", "kuhn_poker"] | {"found": 0}}
    assert "| 0 % | - |" in audit.page(never, [], "")
    assert audit.table(once).count("another world found") == 3
