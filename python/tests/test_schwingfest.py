"""The tournament of the rulebook and its ranking list."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import stier
from stier.cli import main
from stier.schwingfest import Schwingfest, _ranks, schwingfest

WRESTLERS = {"Sepp": "greedy", "Ueli": "ismcts:iterations=50", "Kari": "random", "<Chrigu>": "random:seed=1"}


@pytest.fixture(scope="module")
def fest() -> Schwingfest:
    return schwingfest(WRESTLERS, seed=3)


def test_every_pair_meets_twice_each_leading_once(fest: Schwingfest) -> None:
    assert (len(fest), fest.bouts) == (4, 12)
    assert {one.name: one.agent for one in fest} == WRESTLERS
    for one in fest:
        met = sorted((bout.opponent, bout.led) for bout in one.bouts)
        assert met == sorted((name, led) for name in WRESTLERS if name != one.name for led in (False, True))
        assert one.points == pytest.approx(sum(bout.points for bout in one.bouts))
        assert one.count("+") + one.count("-") + one.count("o") == 6


def test_bouts_have_two_sides(fest: Schwingfest) -> None:
    """The two sides of a bout fit each other: the scores of the rulebook."""
    sides = {(one.name, bout.opponent, bout.led): bout for one in fest for bout in one.bouts}
    for (name, opponent, led), bout in sides.items():
        other = sides[opponent, name, not led]
        assert {bout.sign + other.sign: (bout.points, other.points)}.items() <= {
            ("+o", (bout.points, other.points)),
            ("o+", (bout.points, other.points)),
            ("--", (9.0, 9.0)),
        }
        if bout.sign == "+":
            assert bout.points in (9.75, 10.0)
            assert other.points in (8.5, 8.75)


def test_the_list_is_ordered_by_points(fest: Schwingfest) -> None:
    points = [one.points for one in fest]
    assert points == sorted(points, reverse=True)
    assert fest[0].rank.startswith("1")
    assert [one.rank for one in fest] == _ranks([round(100 * value) for value in points])


def test_ranks_are_shared_with_letters_as_at_a_real_one() -> None:
    assert _ranks([5800, 5775, 5775, 5750]) == ["1", "2a", "2b", "3"]
    assert _ranks([1, 1, 1]) == ["1a", "1b", "1c"]
    assert _ranks([7] * 28)[-3:] == ["1z", "1aa", "1ab"]


def test_the_seed_decides_and_nothing_else(fest: Schwingfest) -> None:
    assert str(schwingfest(WRESTLERS, seed=3, threads=1)) == str(fest)
    assert str(schwingfest(WRESTLERS, seed=4)) != str(fest)


def test_naming_the_wrestlers_in_another_order_changes_nothing(fest: Schwingfest) -> None:
    for order in (sorted(WRESTLERS), sorted(WRESTLERS, reverse=True)):
        assert str(schwingfest({name: WRESTLERS[name] for name in order}, seed=3)) == str(fest)
    copies = {"Sepp": "random", "Ueli": "random", "Kari": "greedy"}
    assert str(schwingfest(copies)) == str(schwingfest(dict(reversed(copies.items()))))


def test_agents_without_names_are_called_what_they_are() -> None:
    fest = schwingfest(["random", "random", "greedy"])
    assert sorted(one.name for one in fest) == ["greedy", "random", "random #2"]
    with pytest.raises(stier.AgentError, match="at least 3 agents, got 2"):
        schwingfest(["random", "greedy"])


def test_pictures_and_text_have_everybody(fest: Schwingfest) -> None:
    picture = fest.to_svg()
    assert picture == fest._repr_html_()
    words = "".join(ElementTree.fromstring(picture).itertext())
    for one in fest:
        line = next(line for line in str(fest).splitlines() if line.startswith(f"{one.rank} "))
        for text in (one.name, f"{one.points:.2f}"):
            assert text in words
            assert text in line
        for bout in one.bouts:
            assert f"against {bout.opponent}{', led' if bout.led else ''}: {bout.sign} {bout.points:.2f}" in words


def test_the_command(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "list.svg"
    named = [f"{name}={agent}" for name, agent in WRESTLERS.items()]
    assert main(["schwingfest", *named, "--seed", "3", "--svg", str(file)]) == 0
    assert capsys.readouterr().out == str(schwingfest(WRESTLERS, seed=3))
    assert file.read_text("utf-8") == schwingfest(WRESTLERS, seed=3).to_svg()
    assert main(["schwingfest", "ismcts:iterations=10", "random", "greedy"]) == 0
    assert "ismcts:iterations=10" in capsys.readouterr().out
    assert main(["schwingfest", "Sepp=random", "Sepp=greedy", "random"]) == 2
    assert "a name of its own" in capsys.readouterr().err


def test_no_words_collide_in_a_wide_font() -> None:
    """DejaVu Sans is wider than the fonts that widths are estimated for; names are as long as agents are."""
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    names = {"search 300": "random", "ismcts:iterations=10000,beliefs=policy": "greedy", "MMMMMM": "random:seed=1"}
    picture = ElementTree.fromstring(schwingfest(names, seed=3).to_svg())
    lines: dict[str, list[tuple[float, float, str]]] = {}
    for text in picture.iter("{http://www.w3.org/2000/svg}text"):
        words = text.text or ""
        font = FontProperties(family="DejaVu Sans", weight=int(text.get("font-weight", "400")))
        real = TextPath((0, 0), words, size=float(text.attrib["font-size"]), prop=font).get_extents().x1
        width = float(text.get("textLength", real))
        assert width > 0.7 * real, words
        start = (
            float(text.attrib["x"]) - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")] * width
        )
        lines.setdefault(text.attrib["y"], []).append((start, start + width, words))
    for line in lines.values():
        line.sort()
        for (_, end, left), (start, _, right) in pairwise(line):
            assert end < start, (left, right)


def test_the_picture_of_the_guide_is_drawn_anew() -> None:
    """`python/docs/guides/experiments.md` shows it."""
    wrestlers = {
        "Sepp": "greedy",
        "Ueli": "ismcts:iterations=1000",
        "Kari": "random",
        "Chrigu": "ismcts:iterations=200",
        "Jörg": "best:iterations=500",
    }
    picture = Path(__file__).parents[2] / "notebooks/images/schwingfest.svg"
    assert schwingfest(wrestlers, seed=1).to_svg() == picture.read_text("utf-8")
