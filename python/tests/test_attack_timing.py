"""The study of attack timing in `notebooks`: it runs by public tools, and says what enumeration and arithmetic say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stier

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
if not (NOTEBOOKS / "attack_timing").is_dir():
    pytest.skip("the notebooks are not here", allow_module_level=True)
sys.path.insert(0, str(NOTEBOOKS))

import attack_timing  # noqa: E402
from attack_timing import chapters, play  # noqa: E402
from attack_timing.hands import PARTS, Deck  # noqa: E402
from attack_timing.runs import Scope, Size, better_arm_losses, means  # noqa: E402
from attack_timing.thumb import RULE_OF_THUMB, Thumb, fit, judged  # noqa: E402

from stier.ratings import estimate  # noqa: E402
from stier.solving import GameTree  # noqa: E402

RESULTS = NOTEBOOKS / "attack_timing" / "results"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> attack_timing.Findings:
    """All chapters, of a few games and small decks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chapters, "DECKS", (chapters.DECKS[0], chapters.DECKS[2]))
        return attack_timing.run(tmp_path_factory.mktemp("study"), quick=True, scale=0.02, threads=1)


def test_only_public_names_are_used() -> None:
    for path in (NOTEBOOKS / "attack_timing").glob("*.py"):
        assert not re.search(r"stier(\.\w+)*\._|from stier(\.\w+)* import .*\b_", path.read_text("utf-8")), path


@pytest.mark.timeout(600)
def test_all_chapters_have_tables_figures_and_a_page(small, tmp_path: Path) -> None:
    assert {f"{name}.{kind}" for name in small.tables for kind in ("csv", "parquet")} >= {
        path.name for path in RESULTS.iterdir() if path.suffix in (".csv", ".parquet")
    }
    for name, table in small.tables.items():
        # The champion was trained for `points`: what only it can answer is asked under that.
        both = name not in ("swapped", "step", "step_asked")
        assert set(table["scoring"]) == ({"points", "schwinger"} if both else {"points"}), name
    broad = small.tables["by_tricks"].query("chapter == 'broad' and scoring == 'points'")
    assert broad["tricks"].tolist() == [0, 1, 2, 3, 4, 5]
    assert np.allclose(broad["now"] - broad["wait"], broad["now_minus_wait"], atol=1e-6)
    # After the fifth trick there is no later chance.
    assert broad["attacks_later"].iloc[-1] == 0
    assert broad["wait"].iloc[-1] == broad["never"].iloc[-1]
    assert str(small).startswith("# When is an attack in Schwinget right?\n")
    assert len(small.draw(tmp_path)) == 7
    small.save(tmp_path / "tables")
    again = attack_timing.load(tmp_path / "tables")
    assert (str(again), again.settings, set(again.tables)) == (str(small), small.settings, set(small.tables))


@pytest.mark.timeout(600)
def test_equilibria_attack_where_it_is_right(small) -> None:
    table = small.tables["equilibria"].set_index(["scoring", "deck", "player"])
    losses = (table["loss_bad"] + table["loss_missed"]).unstack()
    assert (losses["equilibrium"] < 5e-3).all()
    # Always attacking misses nothing, and never attacking is never a bad attack; both lose what searches do not.
    assert (losses[["always", "never"]].min(axis=1) > losses[["pimc", "best:iterations=1000"]].max(axis=1)).all()
    # The figures of the equilibria are exact: they are those of the published table.
    exact = ["information_sets", "sets", "now_minus_wait", "wait_minus_never", "attack_share", "loss_bad"]
    published = pd.read_csv(RESULTS / "equilibria.csv").set_index(["scoring", "deck", "player"])
    own = table[table.index.get_level_values("player") == "equilibrium"]
    assert np.allclose(own[exact], published.loc[own.index, exact], rtol=1e-4, atol=1e-6)


@pytest.mark.timeout(600)
def test_losses_of_the_cells_add_up(small) -> None:
    for (chapter, scoring), cells in small.tables["rule_cells"].groupby(["chapter", "scoring"]):
        worth = small.tables["rule_worth"].query(f"chapter == '{chapter}' and scoring == '{scoring}' and tricks == -1")
        gain = worth[worth["per"] == "decision"].set_index("decides")["gain"]
        for name in ("rule", "fitted_rule", "always", *(["champion"] if chapter == "champion" else [])):
            assert cells[f"{name}_loss"].sum() == pytest.approx(gain["best_by_cell"] - gain[name], abs=1e-5)


def settings(players: str, continuation: str, **others: Any) -> dict[str, Any]:
    return {
        "rules": {}, "players": players, "continuation": continuation, "repeats": 1, "hidden": "truth", "advisers": [],
        "share": 1.0, "seed": 7, **others,
    }  # fmt: skip


def test_positions_do_not_depend_on_processors_or_parts() -> None:
    told = settings("greedy", "greedy", repeats=2, hidden="beliefs", share=0.5, advisers=["ismcts:iterations=30"])
    all_of_them = play.positions({**told, "advisers": []}, range(10, 16), 1)
    assert len(all_of_them) > 3
    parts = [play.positions({**told, "advisers": []}, games, 1) for games in (range(10, 13), range(13, 16))]
    pd.testing.assert_frame_equal(all_of_them, pd.concat(parts, ignore_index=True))
    pd.testing.assert_frame_equal(play.positions(told, range(6), 1), play.positions(told, range(6), 2))


def test_the_ways_to_play_on_differ_by_the_choice_alone() -> None:
    found = play.positions(settings(chapters.ANYHOW, "network:choose=sample"), range(200), 1)
    parts = {arm: found[[f"{arm}_{part}" for part in PARTS]].sum(axis=1) for arm in ("now", "wait")}
    for arm, whole in parts.items():
        np.testing.assert_allclose(whole, found[arm], atol=1e-6)
    calm = found["wait_committed"] == 0
    assert 50 < calm.sum() < len(found)
    assert (found["wait"] == found["never"])[calm].all(), (
        "a mover that would not attack later loses nothing by never doing so"
    )
    assert not (found["wait_committed"] * found["wait_others_committed"]).any(), "only one player can attack"
    # A search with a step of 0 says what the network plays.
    asked = settings("network:choose=sample", "greedy", advisers=["mmds:step=0,rollouts=1,beliefs=uniform"])
    own = play.positions(asked, range(40), 1)
    assert np.allclose(own["adviser0_share"], own["share"], atol=1e-6)


def test_positions_are_worth_what_enumeration_says() -> None:
    """Random players: the values of the three ways to play on from the first lead are known exactly."""
    rules = {"suits": 2, "values": 4, "referee": "off", "counter": "off", "hand_size": 2, "set_aside": 2}
    game, count = stier.load_game("schwinget", **rules), 3_000
    tree, attack = GameTree(game), Deck(game).attack
    masks, uniform = tree.legal_action_masks(), np.ones((tree.information_sets, game.num_distinct_actions()))
    calm = uniform.copy()
    calm[tree.players() == 0, attack] = 0
    calm[masks.sum(axis=1) == 1] = 1
    told = settings("random", "random", rules=rules)
    found = play.positions(told, range(count), 1).query("decision == 0")
    assert len(found) == count
    table = play._Table(told)
    strings = {text: number for number, text in enumerate(tree.information_state_strings())}
    starts = (game.new_initial_state(seed=table.seed(number, "game")) for number in range(count))
    sets = [strings[state.information_state_string()] for state in starts]
    for arm, policy in {"now": uniform, "wait": uniform, "never": calm}.items():
        policy = np.where(masks, policy, 0)
        values = tree.action_values(policy / policy.sum(axis=1, keepdims=True))[sets]
        others = np.where(np.arange(values.shape[1]) == attack, 0, masks[sets])
        exact = values[:, attack] if arm == "now" else (values * others).sum(axis=1) / others.sum(axis=1)
        error = found[arm].to_numpy() - exact
        assert abs(error.mean()) < 4 * error.std() / count**0.5, arm


def test_the_rule_of_thumb_is_that_of_the_game() -> None:
    for scoring in ("points", "schwinger"):
        game = stier.load_game("schwinget", scoring=scoring)
        deck, rule, count = Deck(game), stier.load_agent("rule:when=thumb", game), 0
        for seed in range(60):
            state = game.new_initial_state(seed=seed)
            while not state.is_terminal():
                legal = state.legal_actions()
                if deck.attack in legal:
                    hand = deck.circumstances(state, 0)
                    assert deck.rule_attacks(hand) == (rule.step(state) == deck.attack)
                    table = pd.DataFrame([hand])
                    assert RULE_OF_THUMB.attacks(table)[0] == deck.rule_attacks(hand)
                    count += 1
                    legal.remove(deck.attack)
                state.apply_action(legal[seed % len(legal)])
            for seat in (0, 1):
                assert sum(deck.parts_of_return(state, seat).values()) == pytest.approx(state.returns()[seat])
        assert count > 200


def test_a_match_is_that_of_pit() -> None:
    run = Scope(seed=0, quick=True, scale=1.0).match("rule/points/x", Size(50, 50, 50), {}, ["greedy", "random"])
    found = means(run.play(0, 1), [], {"mean": run.play(0, 1)["value"]}, unit="deal").iloc[0]
    game = stier.load_game("schwinget")
    result = stier.pit(game, run.settings["agents"], deals=50, seed=stier.derive_seed(run.settings["seed"], "part", 0))
    assert (found["n"], found["mean"]) == (50, pytest.approx(result.mean[0]))
    assert found["mean_ci95"] == pytest.approx(result.ci95[0], rel=0.1)


def test_another_network_can_be_the_champion(tmp_path: Path) -> None:
    own = stier.load_game("schwinget").network()
    assert own is not None
    file = tmp_path / "a,b.safetensors"
    file.write_bytes(own)
    options: dict[str, Any] = {"quick": True, "scale": 0.01, "chapters": ["champion_own"], "threads": 1}
    default = attack_timing.run(tmp_path / "default", **options)
    found = attack_timing.run(tmp_path / "other", network=file, **options)
    assert found.tables["by_tricks"].equals(default.tables["by_tricks"])
    with pytest.raises(ValueError, match=r"nowhere\.safetensors"):
        attack_timing.run(tmp_path / "none", network="nowhere.safetensors", **options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"chapters": ["narrow"]}, "unknown chapter 'narrow'; chapters: responders, broad"),
        ({"scale": 0}, "scale must be above 0 and at most 1000, got 0"),
        ({"scale": float("nan")}, "scale must be above 0 and at most 1000, got nan"),
    ],
)
def test_bad_arguments(tmp_path: Path, options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=re.escape(named)):
        attack_timing.run(tmp_path, quick=True, **options)


@pytest.mark.timeout(300)
def test_the_command(tmp_path: Path) -> None:
    words = [
        sys.executable,
        NOTEBOOKS / "attack_timing",
        "--quick",
        "--chapter",
        "broad",
        "--scale",
        "0.02",
        "--out",
        tmp_path,
    ]
    done = subprocess.run([*map(str, words), "--threads", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# When is an attack in Schwinget right?")
    assert (tmp_path / "figures" / "attack_value.png").exists()
    assert (tmp_path / "tables" / "by_rule.csv").exists()


def test_the_published_page_is_that_of_its_tables() -> None:
    found = attack_timing.load(RESULTS)
    assert "![" not in str(found)
    found.illustrate("../../images")
    assert found.markdown == (RESULTS / "answer.md").read_text("utf-8")


def test_the_page_begins_as_the_guide_does() -> None:
    guide = (NOTEBOOKS.parent / "python" / "docs" / "guides" / "attack_timing.md").read_text("utf-8")
    (first,) = re.findall(r"^\*\*(Attack at .*?)\*\*", guide, re.DOTALL | re.MULTILINE)
    found = attack_timing.load(RESULTS)
    assert f"**{' '.join(first.split())}.**" in str(found)
    # Without the hands, or with others, the answer is about the gain alone.
    table = found.tables["attacks_by_hand"]
    usual = "**Per bout that a player leads first, attacking at once gains 0.27 ± 0.02 points over waiting"
    for others in ({}, {"attacks_by_hand": table.assign(now_minus_wait=-table["now_minus_wait"])}):
        changed = {name: one for name, one in found.tables.items() if name != "attacks_by_hand"} | others
        again = attack_timing.Findings(changed, found.settings)
        again.illustrate("images")
        assert usual in again.markdown
        assert ("![" in again.markdown) == bool(others)


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


def test_means_of_single_rows_are_the_ordinary_ones() -> None:
    group = np.repeat([0, 1, 2], [10, 40, 250])
    x = np.random.default_rng(3).normal(size=len(group))
    found = means(pd.DataFrame({"game": np.arange(len(group)), "group": group}), ["group"], {"x": x})
    for _, row in found.iterrows():
        mine = estimate(x[group == row["group"]])
        assert (row["n"], row["units"]) == (mine.units, mine.units)
        assert (row["x"], row["x_ci95"]) == pytest.approx((mine.mean, mine.ci95))


def test_rows_of_one_unit_are_not_independent() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=200)
    once = means(pd.DataFrame({"game": np.arange(200)}), [], {"x": x}).iloc[0]
    often = means(pd.DataFrame({"game": np.repeat(np.arange(200), 5)}), [], {"x": np.repeat(x, 5)}).iloc[0]
    assert (once["x"], once["x_ci95"]) == (pytest.approx(often["x"]), pytest.approx(often["x_ci95"]))
    # The intervals cover: units of random size whose rows share most of what they are.
    hit = 0
    for _ in range(400):
        sizes = rng.integers(1, 6, size=60)
        game = np.repeat(np.arange(60), sizes)
        sample = rng.normal(size=60)[game] + 0.3 * rng.normal(size=len(game))
        row = means(pd.DataFrame({"game": game}), [], {"x": sample}).iloc[0]
        hit += abs(row["x"]) <= row["x_ci95"]
    assert 0.90 <= hit / 400 <= 0.98


def test_missing_values_are_left_out_and_few_units_have_no_interval() -> None:
    few = means(pd.DataFrame({"game": [0, 0, 1, 2]}), [], {"x": [1.0, np.nan, 3.0, np.nan], "y": [np.nan] * 4}).iloc[0]
    assert few["x"] == 2
    assert np.isnan([few["x_ci95"], few["y"], few["y_ci95"]]).all()
    frame = pd.DataFrame({"game": np.arange(60).repeat(2)})
    found = means(frame, [], {"attack_share": np.ones(120), "gain": np.ones(120)}).iloc[0]
    assert 0.02 < found["attack_share_ci95"] < 0.1, "shares that are all alike are not known to be always alike"
    assert np.isnan(found["gain_ci95"]), "nothing is known of what else could be gained"


def test_the_better_arm_is_chosen_by_one_half_and_valued_by_the_other() -> None:
    frame = pd.DataFrame(
        {"now_even": [1.0, 0.0], "now_odd": [3.0, 1.0], "wait_even": [0.0, 1.0], "wait_odd": [1.0, 0.0]}
    )
    # Clear in the first position: attacking is better by 1 and 2. In the second the halves contradict each other.
    for share, losses in [(0.0, ([0, 0], [1.5, -0.5])), (1.0, ([0, -0.5], [0, 0]))]:
        bad, missed = better_arm_losses(frame, [share] * 2)
        assert (bad.tolist(), missed.tolist()) == losses
