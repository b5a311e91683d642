"""The study of attack timing: what is kept, what is computed, what is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import kept

import stier
from stier.cli import main

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


from stier import experiments, study  # noqa: E402
from stier.experiments._plans import build  # noqa: E402
from stier.network import Network  # noqa: E402
from stier.study import Study  # noqa: E402
from stier.study._champion import respond, responders  # noqa: E402
from stier.study._runs import Scope, Size, better_arm_losses, count, means, value  # noqa: E402
from stier.study._thumb import RULE_OF_THUMB, Thumb, fit, judged  # noqa: E402

TABLES = Path(__file__).parents[2] / "notebooks" / "data" / "attack_timing"


def positions(folder: Path, name: str) -> pd.DataFrame:
    """The positions of a run of the study in the folder."""
    store = experiments.load(folder)
    run = next(run for run in store.experiment.runs if run.name == name)
    return study._Parts(store).read(run)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, study.AttackTiming]:
    """All chapters, of a few games."""
    folder = tmp_path_factory.mktemp("study")
    return folder, study.attack_timing(folder, quick=True, scale=0.05, threads=1)


@pytest.mark.timeout(600)
def test_all_chapters_have_tables_an_answer_and_figures(small, tmp_path: Path) -> None:
    _, found = small
    assert set(found.tables) == {
        *("by_tricks", "by_circumstance", "by_hand", "by_count", "by_rule", "parts", "rule_played_on"),
        *("mistakes", "lights", "lights_by_tricks", "matches", "match", "match_by_count", "match_searched"),
        *("equilibria", "equilibria_by_hand", "responders", "swapped", "champion_mistakes"),
        *("champion_by_circumstance", "champion_by_hand", "champion_by_count", "champion_by_rule", "champion_parts"),
        *("rule_fitted", "rule_worth", "rule_cells", "attacks_by_hand", "step", "step_asked"),
    }
    for name, table in found.tables.items():
        # The champion was trained for `points`: what only it can answer is asked under that.
        both = name not in ("swapped", "step", "step_asked")
        assert set(table["scoring"]) == ({"points", "schwinger"} if both else {"points"}), name
    chapters = {"broad", "strong", "played_on", "champion", "champion_own"}
    assert set(found.tables["by_tricks"]["chapter"]) == chapters
    broad = found.tables["by_tricks"].query("chapter == 'broad' and scoring == 'points'")
    assert broad["tricks"].tolist() == [0, 1, 2, 3, 4, 5]
    assert np.allclose(broad["now"] - broad["wait"], broad["now_minus_wait"], atol=1e-6)
    # Whoever waits after the fifth trick never attacks.
    assert broad["attacks_later"].iloc[-1] == 0
    assert broad["wait"].iloc[-1] == broad["never"].iloc[-1]
    starts = [
        "fitted policy: attack rather than wait where",
        "champion: attack rather than wait where",
        "champion: the fitted rule instead of",
        "the champion, which is",
        "cost of",
        "the rule against",
        "`pimc` over",
        "attack rather than wait when",
    ]
    for start in starts:
        assert f"| {start}" in found.answer
    assert study.RULE in str(found) == found.answer
    drawn = found.draw(tmp_path)
    assert sorted(path.name for path in drawn) == [
        f"attack_{name}.png" for name in ("gain", "lights", "match", "probability", "rule", "value", "value_champion")
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_equilibria_attack_where_it_is_right(small) -> None:
    _, found = small
    table = found.tables["equilibria"].set_index(["scoring", "deck", "player"])
    assert (table["exploitability"] < 1e-3).all()
    losses = (table["loss_bad"] + table["loss_missed"]).unstack()
    assert (losses["equilibrium"] < 5e-3).all()
    # Whoever always attacks misses none, whoever never does makes no bad one; both lose what searches do not.
    assert (losses[["always", "never"]].min(axis=1) > losses[["pimc", "best:iterations=1000"]].max(axis=1)).all()
    assert (table.xs("always", level="player")["loss_missed"] == 0).all()
    assert (table.xs("never", level="player")["loss_bad"] == 0).all()
    hands = found.tables["equilibria_by_hand"]
    # Everybody who is dealt a hand may attack before the first trick.
    first = hands[hands["tricks"] == 0].groupby(["scoring", "deck"])["reach"].sum()
    assert np.allclose(first, 1)
    assert hands["attack_share"].between(0, 1).all()


@pytest.mark.timeout(600)
def test_the_champion_is_asked_for_its_own_probabilities(tmp_path: Path) -> None:
    """A search with a step of 0 says what the network plays, so its share is that of the champion's own decision."""
    found = study.attack_timing(tmp_path, quick=True, scale=0.05, chapters=["champion_own", "champion"], threads=1)
    own, asked = (found.settings[f"{name}/points"] for name in ("champion_own", "champion"))
    settings = {key: own[key] for key in ("continuation", "repeats", "hidden", "share", "seed")}
    game = stier.load_game("schwinget", scoring="points")
    call = stier._native.timing_positions
    told = pd.DataFrame(
        call(game, players=own["players"], lights=asked["lights"], **settings, first=0, games=50, threads=1)
    )
    assert 0 < told["share"].mean() < 1
    assert np.allclose(told["light0_share"], told["share"], atol=1e-6)
    # The other scoring has a stand-in.
    assert own["players"] == "network:choose=sample"
    assert found.settings["champion/schwinger"]["continuation"] == "network:choose=sample,rules=any"


@pytest.mark.timeout(600)
def test_losses_of_the_cells_add_up(small) -> None:
    _, found = small
    for (chapter, scoring), cells in found.tables["rule_cells"].groupby(["chapter", "scoring"]):
        worth = found.tables["rule_worth"]
        worth = worth[(worth["chapter"] == chapter) & (worth["scoring"] == scoring) & (worth["per"] == "decision")]
        gain = worth[worth["tricks"] == -1].set_index("decides")["gain"]
        others = ["rule", "fitted_rule", "always", *(["champion"] if chapter == "champion" else [])]
        assert set(gain.index) == {*others, "best_by_cell"}
        for name in others:
            assert cells[f"{name}_loss"].sum() == pytest.approx(gain["best_by_cell"] - gain[name], abs=1e-6)
        assert cells["n"].sum() == worth.query("tricks == -1 and decides == 'rule'")["n"].item()


@pytest.mark.timeout(600)
def test_the_same_positions_are_played_on_by_several(small) -> None:
    folder, found = small
    swapped = found.tables["swapped"]
    assert set(zip(swapped["cards"], swapped["later_attacks"], strict=True)) == {
        (cards, when) for cards in ("fitted", "champion") for when in ("own", "thumb", "always")
    }
    assert set(swapped["rule"]) == {-1, 0, 1}
    assert swapped.groupby("rule")["n"].nunique().eq(1).all()
    own = swapped[(swapped["cards"] == "fitted") & (swapped["later_attacks"] == "own")]
    assert (own["over_fitted"] == 0).all()
    step, other = (positions(folder, f"step/points/{name}") for name in ("step", "champion"))
    assert step[["game", "decision"]].equals(other[["game", "decision"]])
    row = found.tables["step"].query("rule == -1").iloc[0]
    gains = row["now_minus_wait_by_step"] - row["now_minus_wait_by_champion"]
    assert row["difference"] == pytest.approx(gains, abs=1e-6)
    # They are those of the champion's own games, and the search is asked at more of them.
    asked = positions(folder, "step/points/asked")
    assert asked.iloc[: len(other)][["game", "decision", "share"]].equals(other[["game", "decision", "share"]])
    said = found.tables["step_asked"].query("tricks == -1").iloc[0]
    assert (said["n"], said["champion_share"]) == (len(asked), pytest.approx(asked["share"].mean()))


def test_another_network_can_be_the_champion(tmp_path: Path) -> None:
    own = stier.load_game("schwinget").network()
    assert own is not None
    file = tmp_path / "a,b.safetensors"
    file.write_bytes(own)
    options: dict[str, Any] = {"quick": True, "scale": 0.02, "chapters": ["champion_own", "step", "responders"]}
    default = study.attack_timing(tmp_path / "default", **options)
    found = study.attack_timing(tmp_path / "other", network=file, **options)
    assert found.tables["by_tricks"].equals(default.tables["by_tricks"])
    assert found.tables["step_asked"].equals(default.tables["step_asked"])
    # Matches with another text have other random numbers.
    guided = found.tables["responders"].query("how == 'lbr_network'").iloc[0]
    assert guided["responder"].count(str(file)) == 2
    file.write_bytes(Network.random(stier.load_game("schwinget"), hidden=(8,), seed=1)._to_bytes())
    changed = study.attack_timing(tmp_path / "changed", network=file, **options)
    runs = ("champion_own/points", "responders/points/fitted/lbr")
    assert [changed.settings[name] == found.settings[name] for name in runs] == [False, True]
    with pytest.raises(ValueError, match=r"nowhere\.safetensors"):
        study.attack_timing(tmp_path / "none", network="nowhere.safetensors", **options)


def test_a_responder_gains_from_a_bad_player() -> None:
    plan = Scope(seed=0, quick=True, scale=1.0)
    never = "rule:when=never,cards=random"
    run = respond(plan, "points", "bad", never, "lbr", Size(full=10, quick=10, chunk=10))
    assert run.settings["agents"] == [f"lbr:against=({never})", never]
    table = responders([run], [run.play(0, 1)])
    row = table.iloc[0]
    assert (row["players"], row["how"], row["deals"], row["agent"]) == ("bad", "lbr", 10, never)
    assert row["gain"] - row["gain_ci95"] > 0


def planted(rule: Thumb, games: int, noise: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Positions at which attacking is better by 1 where a rule attacks, and worse by 1 elsewhere."""
    rng = np.random.default_rng(5)
    size = 4 * games
    frame = pd.DataFrame(
        {
            "game": np.repeat(np.arange(games), 4),
            "seat": np.tile([0, 1, 0, 1], games),
            "tricks": np.tile([0, 1, 2, 3], games),
            "has_trump": rng.random(size) < 0.9,
            "trumps": rng.integers(0, 5, size),
            "longest_plain": rng.integers(0, 5, size),
            "referee": rng.integers(0, 2, size),
        }
    )
    frame["boss_trumps"] = rng.integers(0, frame["trumps"] + 1)
    frame["rule"] = RULE_OF_THUMB.attacks(frame) > 0
    return frame, np.where(rule.attacks(frame) > 0, 1.0, -1.0) + noise * rng.normal(size=size)


@pytest.mark.parametrize("rule", [RULE_OF_THUMB, Thumb(1, 0, 1, 0, 1), Thumb(3, 2, 1, 0, 7)])
def test_a_planted_rule_is_found(rule: Thumb) -> None:
    frame, gain = planted(rule, 1_000, 0.0)
    found = fit(frame, gain)
    assert (found.attacks(frame) == rule.attacks(frame)).all()
    noisy = planted(rule, 10_000, 2.0)[1]
    frame = planted(rule, 10_000, 0.0)[0]
    assert (fit(frame, noisy).attacks(frame) == rule.attacks(frame)).mean() > 0.98


def test_the_simplest_of_equal_rules_is_found() -> None:
    frame, gain = planted(Thumb(1, 0, 1, 0, 1), 1_000, 0.0)
    assert fit(frame, gain) == Thumb(1, 0, 1, 0, 1)
    # If every attack gains, no feature matters.
    assert fit(frame, np.ones(len(frame))) == Thumb(0, 0, 0, 0, 0)


def test_rules_are_judged_by_games_that_they_were_not_fitted_to() -> None:
    rule = Thumb(1, 0, 1, 0, 1)
    frame, gain = planted(rule, 2_000, 0.0)
    # The even games plant a rule, and the odd ones have its opposite.
    opposite = np.where(frame["game"] % 2 == 0, gain, -gain)
    found, worth, cells = judged(frame, opposite, np.full(len(frame), 0.5))
    assert found == rule
    by = worth.query("per == 'decision' and tricks == -1").set_index("decides")
    assert by.loc["fitted_rule", "gain"] < by.loc["champion", "gain"] < 0
    assert by.loc["best_by_cell", "gain"] == pytest.approx(by.loc["fitted_rule", "gain"])
    assert by.loc["always", "over_always"] == by.loc["rule", "over_rule"] == 0
    assert by.loc["champion", "gain"] == pytest.approx(by.loc["always", "gain"] / 2)
    assert cells["rule_loss"].is_monotonic_decreasing
    # Each seat has its first chance in each game, and counts half.
    bout = worth.query("per == 'bout'").set_index("decides")
    first = frame[(frame["game"] % 2 == 1) & (frame["tricks"] < 2)]
    assert bout.loc["always", "gain"] == pytest.approx(opposite[first.index].mean())
    assert bout.loc["always", "n"] == 1_000


@pytest.mark.timeout(600)
def test_what_is_saved_is_read_back(small, tmp_path: Path) -> None:
    _, found = small
    paths = found.save(tmp_path)
    assert {path.name for path in paths} >= {"settings.json", "answer.md", "matches.csv", "by_circumstance.parquet"}
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    again = study.load_attack_timing(tmp_path)
    assert again.settings == found.settings
    assert again.tables.keys() == found.tables.keys()
    for name, table in found.tables.items():
        assert again.tables[name].columns.tolist() == table.columns.tolist()
        assert len(again.tables[name]) == len(table)
    assert np.allclose(again.tables["matches"]["mean"], found.tables["matches"]["mean"], rtol=1e-5)
    assert again.answer == found.answer
    with pytest.raises(FileNotFoundError):
        study.load_attack_timing(tmp_path / "nowhere")


@pytest.mark.timeout(600)
def test_positions_carry_what_the_tables_need(small) -> None:
    folder, found = small
    broad = positions(folder, "broad/points")
    assert broad["tricks"].between(0, 5).all()
    assert (broad["rule"] == ((broad["has_trump"] == 0) | (count(broad) >= 4))).all()
    part = positions(folder, "mistakes/points/fitted")
    for arm in ("now", "wait"):
        assert np.allclose(value(part, arm), (part[f"{arm}_even"] + part[f"{arm}_odd"]) / 2, atol=1e-4)
    settings = found.settings["mistakes/points/fitted"]
    assert (settings["hidden"], settings["repeats"], settings["version"]) == ("beliefs", 64, build())
    assert settings["seed"] == found.settings["mistakes/schwinger/search"]["seed"]


@pytest.mark.timeout(600)
def test_a_match_is_that_of_pit(small) -> None:
    _, found = small
    row = found.tables["matches"].query("scoring == 'schwinger' and cards == 'fitted' and against == 'never'").iloc[0]
    run = found.settings["rule/schwinger/fitted/never"]
    assert run["parts"] == 1
    game = stier.load_game("schwinget", scoring="schwinger")
    seed = stier.derive_seed(run["seed"], "part", 0)
    result = stier.pit(game, run["agents"], deals=run["chunk"], seed=seed)
    assert row["deals"] == run["chunk"]
    assert row["mean"] == pytest.approx(result.mean[0], abs=1e-6)
    assert row["mean_ci95"] == pytest.approx(result.ci95[0], rel=0.02)


def test_the_answer_of_the_project_is_that_of_its_tables(tmp_path: Path) -> None:
    found = study.load_attack_timing(TABLES)
    assert found.answer == (TABLES / "answer.md").read_text("utf-8")
    assert sorted(path.name for path in found.save(tmp_path)) == sorted(path.name for path in TABLES.iterdir())


def test_the_findings_follow_the_figures() -> None:
    """Every number of the paragraph, in its order."""
    tables = {
        name: table.query("scoring == 'points'") for name, table in study.load_attack_timing(TABLES).tables.items()
    }

    def row(table: str, question: str) -> pd.Series:
        found = tables[table].query(question)
        assert len(found) == 1
        return found.iloc[0]

    attacks, waits = (row("by_rule", f"tricks == -1 and rule == {rule}") for rule in (True, False))
    parts = [
        row("parts", f"tricks == -1 and part == '{part}'")["now_minus_wait"]
        for part in ("whole", "flat_throw", "opponents_flat_throw", "result")
    ]
    never, always = (row("matches", f"cards == 'champion' and against == '{other}'") for other in ("never", "always"))
    timing = row("matches", "cards == 'champion_timing'")
    by_champion = [
        row("champion_by_rule", question)
        for question in ("tricks == -1 and rule == True", "tricks == 0 and rule == False")
    ]
    last = row("champion_by_rule", "tricks == 5 and rule == False")
    searched = row("rule_played_on", "rule == False")
    cards = row("swapped", "cards == 'champion' and later_attacks == 'own' and rule == 0")
    behind, ahead = (row("match", f"bouts_left == 0 and standing == '{side}'") for side in ("behind", "ahead"))
    expected = [
        f"{never['mean']:.2f} ± {never['mean_ci95']:.2f} points per bout",
        f"{timing['mean']:.3f} ± {timing['mean_ci95']:.3f}, and",
        f"{-always['mean']:.3f} ± {always['mean_ci95']:.3f}. If",
        *(f"{one['now_minus_wait']:.2f} ± {one['now_minus_wait_ci95']:.2f} more" for one in by_champion),
        f"{-last['now_minus_wait']:.2f} ± {last['now_minus_wait_ci95']:.2f} less at the last chance",
        f"{-searched['now_minus_wait']:.2f} ± {searched['now_minus_wait_ci95']:.2f} less over all positions",
        f"{attacks['now_minus_wait']:.2f} ± {attacks['now_minus_wait_ci95']:.2f} more",
        f"{-waits['now_minus_wait']:.2f} ± {waits['now_minus_wait_ci95']:.2f} less",
        f"{cards['over_fitted']:.2f} ± {cards['over_fitted_ci95']:.2f} on the same positions",
        f"{parts[0]:.2f} points per bout over all hands",
        f"{parts[1]:.2f} from your own flat throws",
        f"{parts[2]:.2f} from preventing",
        f"{50 * behind['now_minus_wait']:+.1f} ± {50 * behind['now_minus_wait_ci95']:.1f} percentage points",
        f"{50 * ahead['now_minus_wait']:+.1f} ± {50 * ahead['now_minus_wait_ci95']:.1f})",
    ]
    words = " ".join(study.FINDINGS.split())
    places, start = [], 0
    for text in expected:
        places.append(words.find(text, start))
        start = max(start, places[-1])
    assert -1 not in places
    assert places == sorted(places)
    assert len(re.findall(r"\d\.\d", words)) == len(re.findall(r"\d\.\d", " ".join(expected)))
    assert abs(timing["mean"]) < timing["mean_ci95"]
    # Most of the rest is winning more bouts, and always attacking costs little.
    assert parts[3] > (parts[0] - parts[1] - parts[2]) / 2
    assert abs(always["mean"]) < 0.1 * never["mean"]


def test_an_interrupted_study_goes_on_and_ends_with_the_same_kept(tmp_path: Path, monkeypatch) -> None:
    options = {"quick": True, "scale": 0.03, "chapters": ["broad", "mistakes"], "threads": 1}
    study.attack_timing(tmp_path / "whole", **options)
    play, calls = Study.play, []

    def interrupted(self: Study, task: Any, *arguments: Any) -> Any:
        calls.append(task.name)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return play(self, task, *arguments)

    monkeypatch.setattr(Study, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.attack_timing(tmp_path / "parts", **options)
    there = kept(tmp_path / "parts")
    assert len(there) == 3
    monkeypatch.setattr(Study, "play", play)
    study.attack_timing(tmp_path / "parts", **options)
    assert kept(tmp_path / "parts") == kept(tmp_path / "whole")
    assert there.items() <= kept(tmp_path / "parts").items()


def test_threads_change_nothing(tmp_path: Path) -> None:
    for threads in (1, 2):
        study.attack_timing(tmp_path / str(threads), quick=True, scale=0.02, chapters=["broad"], threads=threads)
    assert kept(tmp_path / "1") == kept(tmp_path / "2")


def test_parts_of_other_settings_are_refused(tmp_path: Path) -> None:
    options = {"quick": True, "scale": 0.01, "chapters": ["broad"]}
    study.attack_timing(tmp_path, **options)
    before = kept(tmp_path)
    with pytest.raises(ValueError, match=r"has another experiment \(seed: 0 there, 1 here\)"):
        study.attack_timing(tmp_path, **options, seed=1)
    with pytest.raises(ValueError, match="games per part of broad/points: 100 there, 200 here"):
        study.attack_timing(tmp_path, **{**options, "scale": 0.02})
    assert kept(tmp_path) == before


def test_a_larger_study_goes_on_from_a_smaller_one(tmp_path: Path, monkeypatch) -> None:
    options = {"quick": True, "chapters": ["broad"]}
    # A tenth of the games: only from scale 1 on does a study have parts of one size.
    monkeypatch.setattr("stier.study._chapters.Size", lambda full, quick, chunk: Size(full, quick // 10, chunk))
    study.attack_timing(tmp_path, **options)
    before = kept(tmp_path)
    played: list[str] = []
    play = Study.play

    def noted(self: Study, task: Any, *arguments: Any) -> Any:
        played.append(task.name)
        return play(self, task, *arguments)

    monkeypatch.setattr(Study, "play", noted)
    found = study.attack_timing(tmp_path, **options, scale=2)
    assert played == ["broad/points/part-00001", "broad/schwinger/part-00001"]
    assert before.items() <= kept(tmp_path).items()
    assert found.tables["by_tricks"]["n"].iloc[0] == 2_000


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"chapters": ["narrow"]}, "unknown chapter 'narrow'; chapters: responders, broad"),
        ({"scale": 0}, "scale must be above 0 and at most 1000, got 0"),
        ({"scale": float("nan")}, "scale must be between 0 and 1000, got nan"),
        ({"threads": -1, "chapters": ["broad"]}, "threads must be between 0 and "),
    ],
)
def test_bad_arguments(tmp_path: Path, options, named: str) -> None:
    with pytest.raises(ValueError) as caught:
        study.attack_timing(tmp_path, quick=True, **options)
    assert named in str(caught.value)


def test_means_of_single_rows_are_the_ordinary_ones() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    frame = pd.DataFrame({"game": np.arange(500), "group": np.arange(500) % 2})
    found = means(frame, ["group"], {"x": x})
    for group in (0, 1):
        mine = x[group::2]
        row = found[found["group"] == group].iloc[0]
        assert (row["n"], row["units"]) == (250, 250)
        assert row["x"] == pytest.approx(mine.mean())
        assert row["x_ci95"] == pytest.approx(1.96 * mine.std(ddof=1) / 250**0.5)


def test_rows_of_one_unit_are_not_independent() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    once = means(pd.DataFrame({"game": np.arange(200)}), [], {"x": x}).iloc[0]
    often = means(pd.DataFrame({"game": np.repeat(np.arange(200), 5)}), [], {"x": np.repeat(x, 5)}).iloc[0]
    assert often["n"] == 1000
    assert (often["x"], often["x_ci95"]) == pytest.approx((once["x"], once["x_ci95"]))
    # The intervals cover: units of random size whose rows share most of what they are.
    hit = 0
    for _ in range(400):
        sizes = rng.integers(1, 6, size=60)
        game = np.repeat(np.arange(60), sizes)
        sample = rng.normal(size=60)[game] + 0.3 * rng.normal(size=len(game))
        row = means(pd.DataFrame({"game": game}), [], {"x": sample}).iloc[0]
        hit += abs(row["x"]) <= row["x_ci95"]
    assert 0.90 <= hit / 400 <= 0.98


def test_what_is_not_a_number_is_left_out() -> None:
    frame = pd.DataFrame({"game": [0, 0, 1, 2]})
    few = means(frame, [], {"x": [1.0, np.nan, 3.0, np.nan], "y": [np.nan] * 4}).iloc[0]
    assert few["x"] == 2
    assert np.isnan([few["x_ci95"], few["y"], few["y_ci95"]]).all()
    enough = pd.DataFrame({"game": np.arange(20)})
    row = means(enough, [], {"x": [1.0, 3.0] * 5 + [np.nan] * 10}).iloc[0]
    assert row["x"] == 2
    assert row["x_ci95"] == pytest.approx(1.96 * np.std([1, 3] * 5, ddof=1) / 10**0.5)


def test_shares_that_are_all_alike_have_an_interval() -> None:
    frame = pd.DataFrame({"game": np.arange(60).repeat(2), "group": np.arange(120) // 40})
    attacks = np.where(frame["group"] == 1, np.arange(120) % 2, 1.0)
    found = means(frame, ["group"], {"attack_share": attacks, "gain": attacks})
    alike = stier.ratings.estimate([1.0] * 20, (0, 1)).ci95
    assert found["attack_share_ci95"].tolist() == pytest.approx([alike, alike / 2, alike], rel=0.01)
    assert np.isnan(found["gain_ci95"]).all(), "nothing is known of what else could be gained"
    few = means(frame[:10], [], {"attack_share": attacks[:10]}).iloc[0]
    assert np.isnan(few["attack_share_ci95"]), "fewer than ten units have no interval"


def test_the_better_arm_is_chosen_by_one_half_and_valued_by_the_other() -> None:
    columns = {"now_even": [1.0, 0.0], "now_odd": [3.0, 1.0], "wait_even": [0.0, 1.0], "wait_odd": [1.0, 0.0]}
    frame = pd.DataFrame(columns)
    # Clear in the first position: attacking is better by 1 and 2. In the second the halves contradict each other.
    bad, missed = better_arm_losses(frame, [0.0, 0.0])
    assert bad.tolist() == [0, 0]
    assert missed.tolist() == [1.5, -0.5]
    bad, missed = better_arm_losses(frame, [1.0, 1.0])
    assert bad.tolist() == [0, -0.5]
    assert missed.tolist() == [0, 0]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["study", "attack-timing", "--quick", "--chapter", "broad", "--scale", "0.05", "--threads", "1"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# When is an attack right?")
    assert err == ""
    assert (tmp_path / "figures" / "attack_value.png").exists()
    assert (tmp_path / "tables" / "answer.md").read_text("utf-8").startswith("# When is an attack right?")
    assert len(kept(tmp_path)) == 2
    assert main([*command, "--out", str(tmp_path), "--seed", "5"]) == 2
    said = capsys.readouterr().err
    assert "another experiment (seed: 0 there, 5 here): choose another folder with --out, or delete it" in said
    assert main([*command[:3], "--chapter", "narrow"]) == 2
    assert "chapters: responders, broad" in capsys.readouterr().err


def test_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in sys.modules if name.startswith("stier.study")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(stier, "study")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["study", "attack-timing"]) == 1
    assert capsys.readouterr().err == "stier: stier.study needs pyarrow: pip install 'stier[study]'\n"


def test_progress_goes_to_stderr(tmp_path: Path, terminal: pytest.CaptureFixture[str]) -> None:
    study.attack_timing(tmp_path, quick=True, scale=0.01, chapters=["broad"], progress=True)
    out, err = terminal.readouterr()
    assert out == ""
    assert "2/2" in err


def test_folders_by_default() -> None:
    assert study.default_folder(quick=False) == Path("out/study")
    assert study.default_folder(quick=True) == Path("out/study/quick")
