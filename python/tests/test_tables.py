"""Tables of the project: what is measured again has their numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_kinds import BENCHES, DECK, attack, pa, pd, scaling, strength

import stier
from stier import experiments
from stier.experiments import Exploitability, Training, exploitability
from stier.experiments._run import begin, tomllib
from stier.network import Network

read_csv = pytest.importorskip("pyarrow.csv").read_csv


def test_a_match_is_that_of_the_table(tmp_path: Path) -> None:
    row = {"game": "schwimmen:players=2", "time_ms": 1, "deals": 500, "agents": ["random", "greedy"], "seed": 1}
    found = experiments.run(strength.Strength(row), tmp_path)
    made = found.experiment.results(found).iloc[0]
    there = pd.read_csv(BENCHES / "strength.csv").set_index(["game", "time_ms", "agent", "opponent"])
    before = there.loc[(row["game"], 1, "random", "greedy")]
    assert made["made_by"] == before["made_by"]
    columns = ["mean", "share", "low", "high"]
    assert made[columns].tolist() == pytest.approx(before[columns].tolist(), nan_ok=True)
    # Without the skewness the interval is a little wider.
    assert made["ci95"] < before["ci95"] < 1.25 * made["ci95"]


def test_both_sides_of_a_match_have_the_figures_of_pit() -> None:
    result = stier.pit("schwinget", ["greedy", "random"], deals=400, seed=1)
    sides = [strength.figures_of(result, agent) for agent in (0, 1)]
    assert [(one["mean"], one["ci95"]) for one in sides] == list(zip(result.mean, result.ci95, strict=True))
    decided = [played for played in result.games if played.returns[0] != played.returns[1]]
    won = sum(played.returns[played.agents.index(0)] > 0 for played in decided)
    assert sides[0]["share"] == pytest.approx(won / len(decided))
    ends = ("share", "low", "high"), ("share", "high", "low")
    assert [sides[0][end] for end in ends[0]] == pytest.approx([1 - sides[1][end] for end in ends[1]])


def test_a_game_of_the_ladder_is_that_of_the_table(tmp_path: Path) -> None:
    given = {"game": DECK, "seed": 1, "budgets": [100], "agents": ["ismcts", "pimc"], "watch": "attack"}
    store = experiments.run(Exploitability({**given, "target": 1e-4, "iterations": 100_000}), tmp_path)
    keys, columns = ["game", "policy", "iterations"], ["histories", "information_sets", "value", "exploitability"]
    found = store.experiment.results(store)
    # pandas before 3 reads some numbers with another last digit.
    there = read_csv(BENCHES / "ladder.csv").to_pandas()
    both = found.merge(there, on=keys, suffixes=("", "_there"))
    assert len(both) == len(found) == 4
    for column in [*columns, "frequency", "made_by"]:
        assert both[column].tolist() == both[f"{column}_there"].tolist()


#: The decks of the ladder that are solved on the tree of histories.
ROWS = tomllib.loads((BENCHES / "ladder.toml").read_text("utf-8"))["row"]
RUNGS = sorted({row["game"] for row in ROWS if row["game"].startswith("schwinget") and "ranges" not in row})


@pytest.mark.parametrize("game", RUNGS)
def test_a_deck_of_the_ladder_is_the_same_on_public_states(game: str, tmp_path: Path) -> None:
    """Its agents are exactly as far from equilibrium, and so is its solution, after as many iterations."""
    there = read_csv(BENCHES / "ladder.csv").to_pandas()
    there = there[(there["game"] == game) & there["policy"].isin(["cfr+", "random", "greedy"])].set_index("policy")
    iterations = int(there.loc["cfr+", "iterations"])
    row = {"game": game, "agents": ["greedy"], "ranges": True, "iterations": iterations, "target": 0.0}
    plan = Exploitability(row)
    found = plan.results(experiments.run(plan, tmp_path)).set_index("policy")
    assert found["histories"].isna().all()
    assert (found["information_sets"] < there["information_sets"]).all()
    for column in ("value", "exploitability"):
        for policy in ("random", "greedy"):
            assert found.loc[policy, column] == pytest.approx(there.loc[policy, column], abs=1e-9)
        # The tree keeps the order of draws apart.
        assert found.loc["cfr+", column] == pytest.approx(there.loc["cfr+", column], abs=5e-6)
    if there["histories"].iloc[0] < 100_000:
        solution = stier.solve(game, iterations=iterations, target=0.0, ranges=True)
        known = stier.solving.GameTree(game).policy_of(solution)
        assert (solution.value, solution.exploitability) == tuple(found.loc["cfr+", ["value", "exploitability"]])
        assert known.value == pytest.approx(solution.value, abs=1e-9)
        assert known.exploitability == pytest.approx(solution.exploitability, abs=1e-9)


def nobody(done: int, total: int) -> None:
    """Is told the progress of a task."""


class Forced(attack.Discounted):
    """Attacks at the first lead."""

    def __init__(self, rows: Any) -> None:
        super().__init__(rows)
        action, deals = rows.tree.game.string_to_action("attack"), rows.tree.information_state_strings()
        first = rows.spread(np.array([deals[number].endswith("|") for number in rows.sets]))
        self.first, self.attack = first.astype(bool), (rows.actions == action).astype(float)

    def __call__(self, step: Any) -> tuple[Any, float]:
        policy, weight = super().__call__(step)
        return np.where(self.first, self.attack, policy), weight


@pytest.mark.parametrize("scoring", ["points", "schwinger"])
def test_the_price_of_an_attack_is_that_of_the_tree(scoring: str, tmp_path: Path) -> None:
    """On the tree of histories, the game is solved with the first lead kept fixed, and attacks are counted."""
    game = f"schwinget:scoring={scoring},suits=2,values=3,referee=off,hand_size=2,set_aside=1"
    plan = attack.Attack({"game": game})
    deck, *hands = plan.measure(plan.task(0).what, 1, tmp_path, nobody)
    tree = stier.solving.GameTree(game)
    forced = stier.solving.run(tree, Forced, iterations=300)
    assert 0 <= deck["most"] - deck["least"] < 2 * deck["nash_conv"]
    assert forced.value == pytest.approx(deck["least"], abs=deck["nash_conv"])
    assert deck["least"] < deck["value"]
    # A free leader attacks in some hands only; what it does there is found by random deals, too.
    solution = stier.solve(game, "discounted_cfr", iterations=deck["iterations"], ranges=True)
    assert solution.value == deck["value"]
    assert sum(hand["share"] for hand in hands) == pytest.approx(1)
    assert deck["attack"] == pytest.approx(sum(hand["share"] * hand["attack"] for hand in hands))
    states = [tree.game.new_initial_state(seed=seed) for seed in range(3000)]
    found = pd.DataFrame([attack.counts(state) for state in states])
    action = tree.game.string_to_action("attack")
    found["attack"] = [dict(solution.policy(state)).get(action, 0.0) for state in states]
    means = found.groupby(["trumps", "longest"], dropna=False)["attack"].agg(["mean", "size"])
    assert len(means) == len(hands)
    for hand, (mean, size) in zip(hands, means.itertuples(index=False), strict=True):
        assert mean == pytest.approx(hand["attack"], abs=0.05)
        assert size / 3000 == pytest.approx(hand["share"], abs=0.03)


def test_a_deck_of_the_attacks_is_that_of_the_table(tmp_path: Path) -> None:
    game = "schwinget:scoring=schwinger,suits=2,values=4,referee=off,hand_size=2,set_aside=3"
    store = experiments.run(attack.Attack({"game": game}), tmp_path)
    made, there = store.experiment.results(store), read_csv(BENCHES / "attack.csv").to_pandas()
    there = there[there["game"] == game].reset_index(drop=True)
    assert made["made_by"].tolist() == there["made_by"].tolist()
    columns = there.select_dtypes("number").columns.drop("seconds")
    assert made[columns].astype(float).to_numpy() == pytest.approx(
        there[columns].to_numpy(float), abs=1e-5, nan_ok=True
    )


def test_games_with_more_histories_than_can_be_counted_are_measured_on_public_states(
    tmp_path: Path, monkeypatch
) -> None:
    game, given = RUNGS[-1], {"agents": [], "iterations": 2, "watch": ""}
    monkeypatch.setattr(exploitability, "MOST_HISTORIES", 10_000)
    exploitability._tree.cache_clear()
    plan = Exploitability({**given, "row": [{"game": game}, {"game": "kuhn_poker", "compared": False}]})
    store = experiments.run(plan, tmp_path / "own")
    found = plan.results(store)
    assert found.set_index("game")["histories"].notna().groupby(level=0).all().to_dict() == {
        game: False,
        "kuhn_poker": True,
    }
    text = str(experiments.report(store))
    assert f"{found['information_sets'].iloc[0]:,} information sets on public states." in text
    assert "Measured in one game, each" in text
    for ranges, message in ((False, "max_histories is 10000"), (True, "these rules have none")):
        plan = Exploitability({**given, "game": RUNGS[-1] if not ranges else "up_and_down:players=2", "ranges": ranges})
        with pytest.raises(stier.ArgumentError, match=message):
            plan.play(plan.task(1), 1, tmp_path, nobody)


def test_the_seconds_of_a_solver_that_was_resumed_are_not_known(tmp_path: Path) -> None:
    given = {"game": DECK, "agents": [], "iterations": 200, "target": 0.0}
    work = tmp_path / "work"
    plan = Exploitability({**given, "iterations": 100})
    (whole,) = plan.measure(plan.task(0).what, 1, work, nobody)
    assert whole["seconds"] > 0
    plan = Exploitability(given)
    (resumed,) = plan.measure(plan.task(0).what, 1, work, nobody)
    assert (resumed["iterations"], resumed["seconds"]) == (200, None)
    store = begin(plan, tmp_path)
    for number, row in enumerate([resumed, whole]):
        store.keep(number, pa.Table.from_pylist([{**row, "made_by": "x"}], schema=plan.schema), "here")
    assert re.search(r"\| `cfr\+` \| 200 \| \S+ \| \S+ \|  \|  \|\n", str(experiments.report(store)))


def test_several_seeds_average_their_policies(tmp_path: Path) -> None:
    given = {"game": DECK, "seed": 1, "budgets": [20], "agents": ["ismcts"], "iterations": 10}
    one, two = Exploitability(given), Exploitability({**given, "seeds": 2})
    # The solver is not asked.
    assert one.task(0).key == two.task(0).key
    assert one.task(2).key != two.task(2).key
    assert one.task(2).key == Exploitability({**given, "seeds": 1}).task(2).key
    found = two.results(experiments.run(two, tmp_path)).set_index("policy").loc["ismcts"]
    expected = stier.exploitability(DECK, "ismcts:iterations=20", seed=1, seeds=2)
    assert found["exploitability"] == pytest.approx(expected)
    with pytest.raises(ValueError, match="seeds must be at least 1, got 0"):
        Exploitability({**given, "seeds": 0})


def test_a_network_is_measured_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    row = {"name": "given", "game": DECK, "file": str(file), "matches": ["random"], "deals": 20}
    given = {**row, "tables": str(tmp_path), "page": str(tmp_path / "PAGE.md")}
    for seed in (1, 2):
        Network.random(stier.load_game(DECK), hidden=(8,), seed=seed).save(file)
        store = experiments.run(Training(given), tmp_path / "out", threads=1)
        assert store.experiment.parts() == 1
        found, _, _ = experiments.publish(store)
        assert "| run | seeds | decisions | CPU seconds | against random |" in str(found)
        assert f"**For `given (one seed)` in `{DECK}`, the mean return against random is " in str(found)
        assert "The ends of one training with one seed, in deals" in str(found)
        assert len(set(pd.read_csv(tmp_path / "training.csv")["made_by"])) == 1
    given["published"] = str(tmp_path / "training.csv")
    assert begin(Training(given), tmp_path / "again").complete
    changed = Training({**given, "deals": 30})
    assert begin(changed, tmp_path / "changed").missing() == [0]
    assert "Nothing has been measured yet." in str(experiments.report(begin(changed, tmp_path / "changed")))
    with pytest.raises(stier.StierError, match="file must be the file of a network, got "):
        Training({**given, "file": str(tmp_path / "missing")})


def test_between_two_lengths_is_a_line_of_logarithms() -> None:
    frame = pd.DataFrame({"seed": [0, 0, 1, 1, 2, 2], "steps": [1, 100] * 3, "share": [16, 1, 16, 4, 16, 16]})
    value, low, high = scaling.read(frame, "steps", 10, "share")
    assert value == pytest.approx(8)
    logs = np.log([4, 8, 16])
    half = 4.302653 * logs.std(ddof=1) / np.sqrt(3)
    assert (low, high) == pytest.approx((8 * np.exp(-half), 8 * np.exp(half)))
    assert scaling.read(frame, "steps", 100, "share").value == pytest.approx(4)
    assert scaling.read(frame[frame["seed"] == 0], "share", 4, "steps").value == pytest.approx(10)
    assert np.isnan(scaling.read(frame[frame["seed"] == 0], "steps", 1, "share").low)


def test_published_rows_of_an_earlier_commit_are_kept(tmp_path: Path) -> None:
    """Their settings may be unknown, and no row of the plan names them. Rows of other settings are not kept."""
    found = {"run": "a", "seed": 1, "steps": 9, "cpu_seconds": 1.5, "measure": "against greedy", "value": 0.25}
    names = {"old": "commit 1234567", "gone": "0123456789abcdef"}
    rows = [{**found, "run": run, "ci95": 0.125, "made_by": made} for run, made in names.items()]
    table = tmp_path / "training.csv"
    pd.DataFrame(rows).to_csv(table, index=False)
    given = {"name": "a", "game": DECK, "settings": {"steps": 9}, "published": str(table), "tables": str(tmp_path)}
    store = begin(Training(given), tmp_path / "out")
    assert store.missing() == [0]
    for _ in range(2):
        report, _, _ = experiments.publish(store)
        assert report.tables["training"]["run"].tolist() == ["old"] == pd.read_csv(table)["run"].tolist()
    line = "| old | 1 | 9 | 2 | 0.250 (0.125 to 0.375), one seed |"
    assert f"{line}\n\n- old: commit 1234567\n\n</details>" in str(report)
    assert str(report).startswith("# Which training is best?\n\n**Nothing has been measured yet.**\n\n## How sure?")
    table.unlink()
    assert "old" not in str(experiments.report(store))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_of_the_project_measure_what_they_lack(suffix: str, tmp_path: Path, monkeypatch) -> None:
    """Rows that are there keep their bytes, and a run that was stopped goes on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(BENCHES / "python"))
    rows = pytest.importorskip("rows")
    monkeypatch.setattr(rows.Report, "large", 1_000 if suffix == "csv" else 1)
    made: list[tuple[str, str]] = []
    path, keys = tmp_path / f"squares.{suffix}", [("a", "02"), ("a", "03"), ("b", "")]

    def square(name: str, number: str) -> dict[str, str]:
        made.append((name, number))
        if len(made) == 2:
            raise KeyboardInterrupt
        return {"name": name, "number": number, "square": f"{int(number or 0) ** 2}.0"}

    def completed(wanted: list[tuple[str, str]]) -> list[tuple[str, ...]]:
        return [tuple(row.values()) for row in rows.completed(path, ("name", "number"), wanted, square)]

    with pytest.raises(KeyboardInterrupt):
        completed(keys)
    assert completed(keys) == [("a", "02", "4.0"), ("a", "03", "9.0"), ("b", "", "0.0")]
    assert made == [keys[0], keys[1], *keys[1:]]
    before = path.read_bytes()
    assert completed(keys[:1]) == completed(keys[::-1]) == completed(keys)
    assert (path.read_bytes(), len(made)) == (before, 4)
    assert completed([("c", "5"), *keys])[3:] == [("c", "5", "25.0")]
    if suffix == "csv":
        assert path.read_bytes() == before + b"c,5,25.0\n"
