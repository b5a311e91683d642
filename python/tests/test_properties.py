"""The properties of games that matter to searches."""

from __future__ import annotations

import pytest

import stier


def figures(found: stier.playing.Properties) -> list[tuple[float, float] | None]:
    return [
        found.leaves,
        found.leaf_correlation,
        found.return_correlation,
        found.bias,
        found.disambiguation,
        found.net_disambiguation,
    ]


def test_every_game_has_properties(game: stier.Game) -> None:
    found = stier.playing.properties(game, deals=8, games=4, seed=5, threads=1)
    assert (found.game, found.deals, found.games, found.seed, found.play) == (game, 8, 4, 5, "random")
    for figure in [found.leaves, found.leaf_correlation, found.return_correlation, found.disambiguation]:
        assert figure is None or (0 <= figure[0] <= 1 and figure[1] >= 0)
    assert -1 <= found.bias[0] <= 1
    again = stier.playing.properties(game, deals=8, games=4, seed=5, threads=2)
    assert figures(again) == figures(found)
    assert str(again) == str(found)
    assert repr(found) == f"<stier.Properties of {game}: 8 deals, 4 games of each>"


def test_the_seed_and_the_play_matter(schwinget: stier.Game) -> None:
    found = stier.playing.properties(schwinget, deals=20, games=4)
    assert figures(stier.playing.properties(schwinget, deals=20, games=4, seed=1)) != figures(found)
    hinted = stier.playing.properties(schwinget, deals=20, games=4, play="hints")
    assert hinted.play == "hints"
    assert figures(hinted) != figures(found)


def test_they_print_as_a_list(schwinget: stier.Game) -> None:
    lines = str(stier.playing.properties(schwinget, deals=20, games=4)).splitlines()
    assert lines[0] == "schwinget (default rules), 20 deals, 4 random games of each"
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "leaf correlation",
        "return correlation",
        "leaves",
        "bias",
        "disambiguation",
        "net disambiguation",
    ]
    assert all(" ± " in line for line in lines[1:])


def test_what_cannot_be_measured_is_none() -> None:
    # A card each and nothing to draw: nobody has a choice, nobody decides twice.
    rules = {"suits": 1, "values": 4, "referee": "off", "counter": "off", "hand_size": 1, "set_aside": 2}
    found = stier.playing.properties(stier.load_game("schwinget", **rules), deals=20)
    assert found.leaves[0] == 0
    assert 0.1 < found.leaves[1] < 0.2, "20 deals do not show that there are none"
    assert found.leaf_correlation is found.return_correlation is found.disambiguation is None
    assert found.net_disambiguation is None
    # The higher card wins always: the deal decides, as far as 20 deals show.
    assert found.bias[0] == 1
    assert 0 < found.bias[1] < 0.5
    assert str(found).splitlines()[1].split()[2] == "-"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"deals": 0}, "deals must be between 1 and "),
        ({"games": 1}, "games must be between 2 and "),
        ({"seed": -1}, "seed must be between 0 and "),
        ({"threads": -1}, "threads must be between 0 and "),
        ({"play": "well"}, "play must be random or hints, got 'well'"),
    ],
)
def test_bad_arguments(schwinget: stier.Game, settings, named: str) -> None:
    with pytest.raises(ValueError) as caught:
        stier.playing.properties(schwinget, **settings)
    assert named in str(caught.value)


def test_progress_goes_to_stderr(schwinget: stier.Game, terminal: pytest.CaptureFixture[str]) -> None:
    stier.playing.properties(schwinget, deals=10, games=10, progress=True)
    out, err = terminal.readouterr()
    assert out == ""
    assert "100/100" in err
