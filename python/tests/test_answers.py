"""Answers of experiments: who is ranked, what is claimed, and what pages and pictures say."""

from __future__ import annotations

import re
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import assert_form
from test_kinds import BENCHES, DECK, KINDS, SCALING, TRAINING, attack, pa, pd, scaling, strength

import stier
from stier import experiments, ratings
from stier.experiments import Exploitability, Interval, Training, _run, exploitability, training
from stier.experiments._run import begin
from stier.network import Network

#: `random` wins more games of Leduc poker than this search, and less in all.
LOSES = {"agents": ["random", "pimc:worlds=10"], "deals": 60}


@pytest.mark.parametrize(
    ("kind", "given", "games"),
    [
        ("matches", {"game": "leduc_poker", **LOSES}, 1),
        ("suite", {"games": ["leduc_poker", "kuhn_poker"], **LOSES}, 2),
        ("strength:Strength", {"game": "leduc_poker", "time_ms": 0, **LOSES}, 1),
        (
            "strength:Strength",
            {"row": [{"game": name} for name in ("leduc_poker", "kuhn_poker")], "time_ms": 0, **LOSES},
            2,
        ),
    ],
)
def test_agents_rank_by_mean_return_and_not_by_games_won(kind: str, given: Any, games: int, tmp_path: Path) -> None:
    store = experiments.run(_run.from_dict({"kind": kind, **given}, BENCHES), tmp_path)
    report = experiments.report(store)
    result = stier.pit("leduc_poker", LOSES["agents"], deals=1_000)
    assert result.wins[0] > result.wins[1]
    assert result.mean[0] < result.mean[1]
    if kind == "matches":
        assert report.tables["standings"]["wins"].idxmax() == 0
    measure = "mean return with 0 ms per decision" if "strength" in kind else "mean return"
    answer = report.markdown.split("\n\n")[1]
    if games == 1:
        number = r"(\S+) \((\S+) to (\S+)\)"
        said = f"`pimc:worlds=10` has the highest {measure} in `leduc_poker`: {number}. "
        said = f"\\*\\*{said.strip()}\\*\\* The next is `random`, with {number}"
        found = re.match(said, answer)
        assert found is not None
        mean, low, high, *others = map(float, found.groups())
        assert low < mean < high
        assert [-mean, -high, -low] == others
        unknown = "The results do not tell `pimc:worlds=10` from `random`."
        assert answer.endswith(unknown if low <= 0 else "`pimc:worlds=10` is ahead of `random`.")
    else:
        assert answer.startswith(
            f"**`pimc:worlds=10` has the highest {measure} in 2 of 2 games.** By 95 % intervals, `pimc:worlds=10` is "
        )
    axes = report.figures["strength"]().axes
    assert len(axes) == games
    for panel in axes:
        assert [label.get_text() for label in panel.get_yticklabels()] == ["pimc:worlds=10", "random"]
        assert panel.patches[0].get_width() > panel.patches[1].get_width()
    pytest.importorskip("matplotlib.pyplot").close("all")


@pytest.mark.parametrize(
    ("games", "lowest", "answer"),
    [
        ({}, False, "Nothing has been measured yet."),
        ({"": {}}, False, "Nothing has been measured yet."),
        ({"": {"a": (1, 1, 1)}}, True, "For `a`, the loss is 1.00."),
        ({"g": {"a": (1, 0, 2)}}, True, "For `a` in `g`, the loss is 1.00 (0.00 to 2.00)."),
        (
            {"g": {"a": (1, 0.5, 1.5), "b": (1.5, 0.9, 2.1)}},
            False,
            "`b` has the highest loss in `g`: 1.50 (0.90 to 2.10). The next is `a`, with 1.00 (0.50 to 1.50). "
            "The results do not tell `b` from `a`.",
        ),
        (
            {"": {"a": (1, 0.5, 1.5), "c": (9, 9, 9), "b": (2, 1.6, 2.4)}},
            True,
            "`a` has the lowest loss: 1.00 (0.50 to 1.50). The next is `b`, with 2.00 (1.60 to 2.40). "
            "`a` is ahead of all others.",
        ),
        (
            {"": {"a": (1, np.nan, np.nan), "b": (2, 1.6, 2.4)}},
            True,
            "`a` has the lowest loss: 1.00. The next is `b`, with 2.00 (1.60 to 2.40). "
            "The results do not tell `a` from `b`.",
        ),
        # Exact figures have no interval that shows who is ahead.
        (
            {"": {"a": (1, 1, 1), "b": (2, 2, 2)}},
            True,
            "`a` has the lowest loss: 1.00. The next is `b`, with 2.00.",
        ),
        (
            {"g": {"a": (1, 1, 1), "b": (2, 2, 2)}, "h": {"a": (2, 2, 2), "b": (3, 3, 3)}},
            True,
            "`a` has the lowest loss in 2 of 2 games.",
        ),
        (
            {"g": {"a": (1, 1, 1), "b": (2, 2, 2)}, "h": {"a": (2, 1, 3), "b": (1, 0, 2)}, "i": {"c": (1, 1, 1)}},
            True,
            "`a` and `b` each have the lowest loss in 1 of 2 games. "
            "By 95 % intervals, the first is ahead of all others in 1 of 2 games.",
        ),
        (
            {"g": {"a": (1, 1, 1), "b": (2, 2, 2)}, "h": {"a": (1, 1, 1), "b": (3, 2, 4)}},
            False,
            "`b` has the highest loss in 2 of 2 games. By 95 % intervals, `b` is ahead of all others in 2 of 2 games.",
        ),
        (
            {"g": {"a": (1, 0, 3), "b": (2, 2, 2)}, "h": {"a": (2, 1, 3), "b": (3, 2, 4)}},
            False,
            "`b` has the highest loss in 2 of 2 games. "
            "By 95 % intervals, `b` is ahead of all others in none of 2 games.",
        ),
    ],
)
def test_answers_name_the_best_and_whether_it_is_known(games: Any, lowest: bool, answer: str) -> None:
    ranks = {game: {name: Interval(*own) for name, own in ranked.items()} for game, ranked in games.items()}
    assert experiments.Answer("?", "loss", ranks, lowest, [], {}).text() == answer


@pytest.mark.parametrize(("low", "is_ahead"), [(0.1, True), (0, False), (-0.1, False)])
@pytest.mark.parametrize("others", [0.1, 2])
def test_the_match_of_the_first_two_decides(low: float, is_ahead: bool, others: float) -> None:
    """It does so even if the intervals of their means against all do not overlap."""
    ranks = {"a": Interval.around(2, others), "b": Interval.around(1.5, others), "c": Interval.exact(-9)}
    answer = experiments.Answer("?", "win", {"g": ranks}, False, [], {}, leads={"g": {("a", "b"): Interval(3, low, 6)}})
    assert answer.near("g") == ["b"] * (not is_ahead)
    said = "`a` is ahead of all others." if is_ahead else "The results do not tell `a` from `b`."
    assert answer.text().endswith(said)


@pytest.mark.parametrize("kind", ["matches", "suite", "strength:Strength"])
def test_agents_that_met_are_compared_by_their_own_match(kind: str, tmp_path: Path, monkeypatch) -> None:
    seen: list[experiments.Answer] = []
    monkeypatch.setattr(experiments.Plan, "tell", lambda *given: ("", "", str(seen.append(given[2])), {}))
    keys = {"suite": {"games": ["leduc_poker"]}, "strength:Strength": {"game": "leduc_poker", "time_ms": 0}}
    given = {"agents": ["random", "pimc:worlds=10", "ismcts:iterations=5"], "deals": 40}
    plan = _run.from_dict({"kind": kind, **keys.get(kind, {"game": "leduc_poker"}), **given}, BENCHES)
    store = experiments.run(plan, tmp_path)
    experiments.report(store)
    (answer,) = seen
    leads = answer.leads["leduc_poker"]
    assert set(leads) == set(permutations(given["agents"], 2))
    for (first, second), lead in leads.items():
        if kind == "strength:Strength":
            rows = plan.results(store).set_index(["agent", "opponent"]).loc[(first, second)]
            expected = Interval.around(2 * rows["mean"], 2 * rows["ci95"])
        else:
            rows = store.to_pandas()
            rows = rows[[{*names} == {first, second} for names in rows["names"]]]
            signs = [
                2 * own[list(names).index(first)] for own, names in zip(rows["returns"], rows["names"], strict=True)
            ]
            deals = pd.Series(signs).groupby(rows["deal"].to_numpy()).mean()
            expected = Interval.around(*ratings.estimate(deals, (-26, 26))[:2])
        assert lead == pytest.approx(expected)
    first, second = list(answer.ranked()["leduc_poker"])[:2]
    assert (second in answer.near("leduc_poker")) == (leads[first, second].low <= 0)


#: Agents that play in every game of the tests below.
THREE = ["random", "pimc:worlds=2", "ismcts:iterations=5"]
SELF = "network:path=NETWORK"


@pytest.mark.parametrize(
    ("kind", "uneven", "even", "minutes"),
    [
        ("matches", {"game": "leduc_poker", "pairings": [THREE[:2], THREE[1:]]}, {"game": "leduc_poker"}, None),
        (
            "matches",
            {"game": "up_and_down", "pairings": [[THREE[0]] * 3 + [other] for other in THREE[1:]]},
            {
                "game": "up_and_down",
                "pairings": [[one] * 3 + [other] for one, other in permutations(THREE, 2)],
            },
            None,
        ),
        ("matches", {"game": "leduc_poker"}, {"game": "leduc_poker"}, 0),
        ("suite", {"games": ["leduc_poker"]}, {"games": ["leduc_poker"]}, 0),
        (
            "strength:Strength",
            {"row": [{"game": "leduc_poker", "agents": THREE[:2]}, {"game": "leduc_poker", "agents": THREE[1:]}]},
            {"game": "leduc_poker"},
            None,
        ),
        ("strength:Strength", {"game": "leduc_poker"}, {"game": "leduc_poker"}, 0),
        ("strength:Strength", {"game": "schwimmen"}, {"game": "schwimmen"}, 0),
    ],
)
def test_agents_without_the_same_opponents_are_not_ranked(
    kind: str, uneven: Any, even: Any, minutes: float | None, tmp_path: Path
) -> None:
    """Those with the same ones are, whatever the pairings, the seats and the kind."""
    common = {"kind": kind, "agents": THREE, "deals": 2} | ({"time_ms": 0} if "strength" in kind else {})
    pages = {}
    for name, given, stop in [("uneven", uneven, minutes), ("even", even, None)]:
        store = experiments.run(_run.from_dict({**common, **given}, BENCHES), tmp_path / name, minutes=stop)
        assert store.complete == (stop is None)
        pages[name] = experiments.report(store)
    for name, report in pages.items():
        answer = report.markdown.split("\n\n")[1]
        assert ("did not meet the same opponents" in answer) == (name == "uneven")
        # The text for the terminal says so, too.
        assert ("did not meet the same opponents" in str(report)) == (name == "uneven")
        assert ("has the highest" in answer) == ("strength" in report.figures) == (name == "even")
        assert_form(report.markdown)


@pytest.mark.parametrize(("opponent", "ranks"), [(SELF, False), ("greedy", True)])
def test_trainings_that_played_their_own_networks_are_not_ranked(opponent: str, ranks: bool) -> None:
    top = {"game": DECK, "settings": {"steps": 9}, "agent": "greedy", "matches": [opponent]}
    plan = Training({**top, "row": [{"name": "a"}, {"name": "b"}]})
    row = {"seed": 0, "steps": 9, "measure": f"against {opponent}", "ci95": 0.1, "cpu_seconds": 1.0, "made_by": "x"}
    answer = plan.evaluate(pd.DataFrame([{**row, "run": "a", "value": 1.0}, {**row, "run": "b", "value": 2.0}]))
    assert ("`b (one seed)` has the highest" in answer.text(), "did not meet the same" in answer.text()) == (
        ranks,
        not ranks,
    )


def test_a_part_of_an_exploitability_plan_claims_nothing_about_the_rest(tmp_path: Path) -> None:
    games = ["kuhn_poker", DECK]
    plan = Exploitability({"row": [{"game": game} for game in games], "agents": ["pimc", "ismcts"], "budgets": [1, 4]})
    store = begin(plan, tmp_path)
    names = [(task.what["game"], task.what["policy"], task.what["iterations"]) for task in plan.tasks]
    for number, (game, policy, budget) in enumerate(names):
        text = str(experiments.report(store))
        assert_form(text)
        answer, missing = text.split("\n\n")[1], text.partition("<summary>Not measured yet</summary>")[2]
        for later, (other, agent, most) in enumerate(names):
            with_budget = "" if agent == "cfr+" or most is None else f" with {most}"
            assert (f"- `{agent}`{with_budget} in `{other}`\n" in missing) == (later >= number)
        begun = {agent for other, agent, _ in names[number:] if other == game}
        if game == games[0]:
            # Another game has not begun: the agents that are measured with all budgets are compared.
            assert not [agent for agent in ("pimc", "ismcts") if agent in begun and f"`{agent}`" in answer]
            assert "no game" not in text
        else:
            assert "Measured in 1 of 2 games, each" in text
        row = {"game": game, "policy": policy, "iterations": budget, "exploitability": 1 / (number + 1), "value": 0.0}
        row |= {"histories": 1, "information_sets": 1, "made_by": plan.tasks[number].what["made_by"]}
        store.keep(number, pa.Table.from_pylist([row], schema=plan.schema), "here")
    text = str(experiments.report(store))
    assert "Measured in both games, each" in text
    assert "Not measured yet" not in text


@pytest.mark.parametrize(("budget", "differs"), [(4, False), (1, True)])
def test_means_over_games_with_different_budgets_say_so(budget: int, differs: bool) -> None:
    rows = [{"game": "kuhn_poker", "budgets": [1, 4]}, {"game": DECK, "budgets": [budget]}]
    plan = Exploitability({"row": rows, "agents": ["ismcts"]})
    found = [{**task.what, "exploitability": number + 1.0, "value": 0.0} for number, task in enumerate(plan.tasks)]
    frame = pd.DataFrame(found).assign(histories=1, information_sets=1, frequency=np.nan, seconds=0.0)
    answer = plan.evaluate(frame)
    assert answer.text().startswith(
        "`random` has the lowest exploitability in % of uniform play (mean of 2 games): 100"
    )
    assert ("which is not the same in all games" in answer.sure[0]) == differs


@pytest.mark.parametrize(
    ("lows", "said"),
    [
        ({"b": 1, "c": 1}, "`a` is ahead of all others"),
        ({"b": 1, "c": -1}, "`a` is ahead of `b`, but not clearly of `c`"),
        ({"b": -1, "c": 1}, "The results do not tell `a` from `b`"),
        ({"b": -1, "c": -1, "d": 0}, "The results do not tell `a` from `b`, `c` and `d`"),
        (
            {"b": 1, "c": 0, "d": 0, "e": 0, "f": 0},
            "`a` is ahead of `b`, but not clearly of `c`, `d` and 2 others",
        ),
    ],
)
def test_a_near_third_agent_is_named(lows: dict[str, float], said: str) -> None:
    ranks = {name: Interval.around(9 - place, 0.1) for place, name in enumerate(["a", *lows])}
    leads = {("a", name): Interval(1, low, 2) for name, low in lows.items()}
    answer = experiments.Answer("?", "win", {"g": ranks}, False, [], {}, leads={"g": leads})
    assert answer.text().endswith(f"{said}.")
    assert answer.finding() == said
    # In several games it counts who is ahead of all others.
    both = experiments.Answer("?", "win", {"g": ranks, "h": ranks}, False, [], {}, leads={"g": leads})
    assert both.finding() == "`a` leads in 2 of 2 games"
    assert f"`a` is ahead of all others in {1 + (min(lows.values()) > 0)} of 2 games." in both.text()
    apart = experiments.Answer("?", "win", {"g": ranks, "h": ranks}, False, [], {}, apart=["h"])
    assert apart.text() == (
        "`a` has the highest win in 1 of 2 games. By 95 % intervals, `a` is ahead of all others in 1 of 2 games. "
        "In `h`, the agents did not meet the same opponents equally often, so that their means are not compared."
    )


@pytest.mark.parametrize(
    ("kind", "open_parts"),
    [("strength", 0), ("ladder", 0), ("attack", 0), ("training", None), ("scaling", None)],
)
def test_the_pages_of_the_project_are_those_of_its_tables(
    kind: str, open_parts: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page repeats the path of the file.
    monkeypatch.chdir(BENCHES.parent)
    store = begin(experiments.read(f"benches/{kind}.toml"), tmp_path)
    assert open_parts in (None, len(store.missing()))
    found = experiments.report(store)
    page = (BENCHES / f"{kind.upper()}.md").read_text("utf-8")
    assert str(found) == page
    assert all(f"({name}.png)" in page for name in found.figures)
    table = next(path for path in (BENCHES / f"{kind}.csv", BENCHES / f"{kind}.parquet") if path.exists())
    found.save(tmp_path)
    read = pd.read_csv if table.suffix == ".csv" else pd.read_parquet
    assert read(tmp_path / table.name).equals(read(table))
    # The form of a page: what is above the folds is short.
    above = page.split("<details>", maxsplit=1)[0]
    headings = [line for line in above.splitlines() if line.startswith("#")]
    assert headings[1:] == ["## How sure?", "## Repeat it"]
    assert headings[0].endswith("?")
    assert above.count("\N{PLUS-MINUS SIGN}") <= 3
    assert above.count("\n- ") == 3
    assert len(above.split()) < 250
    assert (BENCHES / f"{kind}.png").exists()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_picture_of_strength_says_what_its_colours_are(number: int) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    panels = {("game", time): {"network": Interval(2, 1, 3), "pimc": Interval(-1, -2, 0)} for time in range(number)}
    (legend,) = strength.picture(panels, "best", "network beats best").legends
    assert [text.get_text() for text in legend.get_texts()] == ["with a network", "without a network"]
    assert "against best" in legend.get_title().get_text()
    pytest.importorskip("matplotlib.pyplot").close("all")


def said_of_strength(plan: Any, results: Any) -> list[str]:
    ranked = {game: list(own.items())[:2] for game, own in plan.evaluate(results).ranked().items()}
    assert [own[0][0] for own in ranked.values()] == ["best"] * 4
    titles = {"schwinget": "Schwinget", "up_and_down:players=2": "Up & Down"}
    titles |= {"schweins_galopp:players=2": "Schweins-Galopp", "schwimmen:players=2": "Schwimmen"}
    there = results.set_index(["game", "time_ms", "agent", "opponent"])
    texts = {(row.game, plan.name(row.agent)): row.agent for row in results.itertuples()}
    matches = {game: there.loc[(game, 1, *(texts[game, name] for name, _ in best))] for game, best in ranked.items()}
    close = [titles[game] for game, match in matches.items() if match["mean"] <= match["ci95"]]
    second = next(name for game, ((_, _), (name, _)) in ranked.items() if titles[game] in close)
    said = f"in {' and '.join(close)}, no difference between `best` and `{second}` is shown."
    assert said in plan.given["answer"]
    (against,) = {row["against"] for row in plan.rows if "network" in row["agents"]}
    panels = plan.panels_of(against, {tuple(row[:4]): row for row in results.itertuples(index=False)})
    # With 1 ms the network alone is ahead of best, in all games; with 10 ms nobody is, and two are not behind.
    games = ("schwinget", "up_and_down", "schweins_galopp", "schwimmen")
    assert {*panels} == {*((game, 1) for game in games), ("schwinget", 10)}
    ahead = {place: [name for name, won in own.items() if won.low > 0] for place, own in panels.items()}
    assert {name.partition(",")[0] for game in games for name in ahead[game, 1]} == {"network"}
    assert (ahead["schwinget", 10], all(map(len, (ahead[game, 1] for game in games)))) == ([], True)
    assert [name for name, won in panels["schwinget", 10].items() if won.high > 0] == ["mmds", "network"]
    deals = [f"{row['deals']:,}" for row in sorted(plan.rows, key=lambda row: row["deals"])]
    agents = max(len(row["agents"]) for row in plan.rows)
    return ["1", "10", str(agents), deals[0], deals[-1], str(len(panels["schwinget", 1]) - 1), "1", "10"]


def said_of_attack(plan: Any, results: Any) -> list[str]:
    decks = attack.with_rules(results[results["share"].isna()])
    assert len(decks) == len(plan.rows)
    assert (decks["nash_conv"] <= attack.TARGET * decks["uniform"]).all()
    suits = decks[decks["hand"] > 1].groupby("suits")[["attack", "price"]].mean().iloc[::-1]
    means = [f"{100 * mean:.0f}" for mean in suits["attack"]] + [f"{mean:.2f}" for mean in suits["price"]]
    by_pile = decks[decks["hand"] == 2].pivot_table(index="cards", columns="pile", values=["attack", "price"]).dropna()
    assert len(by_pile) == 12
    assert (by_pile["attack", 4] > by_pile["attack", 2]).all()
    assert (by_pile["price", 4] < by_pile["price", 2]).all()
    same = decks[decks["pile"] == 2].pivot_table(index=["suits", "cards"], columns="hand", values=["attack", "price"])
    more = 100 * (same["attack", 3] - same["attack", 2]).dropna()
    few, four = (more[own] for own in (more.index.get_level_values(0) < 4, more.index.get_level_values(0) == 4))
    ends = [f"{end:.0f}" for end in (few.min(), few.max(), -four.max(), -four.min())]
    last = same[same["attack", 4].notna()]
    assert (last["attack", 4] < last["attack", 3]).all()
    assert (last["price", 4] > last["price", 3]).all()
    ends += [f"{100 * share:.0f}" for share in last["attack", 4]] + [f"{price:.2f}" for price in last["price", 4]]
    shares = 100 * decks[(decks["suits"] == 4) & (decks["hand"] > 1)]["attack"]
    sizes = sorted(len(stier.load_game(game).card_faces()) for game in decks["game"])
    most = f"{decks['information_sets'].max() / 1e6:.0f}"
    assert decks["error"].max() < 0.01
    first = [str(len(decks)), str(sizes[0]), str(sizes[-1]), most, "0.01"]
    return [*means, *first, *ends, f"{shares.min():.0f}", f"{shares.max():.0f}", "79"]


def said_of_ladder(plan: Any, results: Any) -> list[str]:
    (own,) = plan.evaluate(results).ranked().values()
    large = results[results["histories"].isna()]
    results = results[results["histories"].notna()]
    far = large.pivot_table(index="game", columns="policy", values="exploitability")
    assert (far[["cfr+", "discounted_cfr"]].min(axis=1) < 1e-3 * far["random"]).all()
    assert (len(far), "in seven larger decks" in plan.given["answer"]) == (7, True)
    far = 100 * far["pimc"] / far["random"]
    agents = set(results["policy"]) - {"random", "cfr+"}
    largest = results[results["iterations"] == results[results["policy"] == "ismcts"]["iterations"].max()]
    uniform = results[results["policy"] == "random"].set_index("game")["exploitability"]
    galopp = largest[largest["game"].str.startswith("schweins_galopp") & (largest["policy"] == "ismcts")]
    assert (len(uniform), "over eleven small games" in plan.given["answer"]) == (11, True)
    shares = exploitability._shares(results, {"cfr+"}).drop(index=["random", "greedy"])
    hard = galopp["game"][(100 * galopp["exploitability"] / galopp["game"].map(uniform)).idxmax()]
    assert "hand_size=2" in hard
    assert shares[hard].min() > 100
    others = shares.dropna().drop(columns=hard).mean(axis=1)
    assert next(iter(own)) == others.idxmin() == "pimc"
    rows = results[(results["game"] == hard) & (results["policy"] == "ismcts")].sort_values("iterations")
    more = [(100 * row.exploitability / uniform[hard], int(row.iterations)) for row in rows.itertuples()]
    assert more == sorted(more)
    ends = [text for share, budget in (more[0], more[-1]) for text in (f"{share:.0f}", f"{budget:,}")]
    parts = (min(own.values())[0], far.min(), far.max(), others.min(), others.max(), others.min())
    means = [f"{mean:.0f}" for mean in parts]
    return [*means, *ends, str(len(agents))]


def said_of_training(plan: Any, results: Any) -> list[str]:
    ends = results.groupby(["run", "measure", "seed"], sort=False)["value"].last().unstack("measure")
    share = 100 * ends[training.DISTANCE] / ends[training.UNIFORM]
    logs = np.log(share.astype(float)).groupby("run")
    left, seeds = np.exp(logs.mean()), logs.count()
    half = 2.776 * logs.std() / np.sqrt(5)
    decks = [row["name"] for row in plan.rows if row["game"] == plan.rows[0]["game"]]
    best = left[decks].idxmin()
    assert best == "deck, six minutes, suits sorted"
    seconds = results[results["run"] == best].groupby("seed")["cpu_seconds"].last().mean()
    assert (round(seconds / 60), set(seeds[decks])) == (6, {5})
    for settings in ("for decks", "for poker"):
        cells = f"{left[f'deck, settings {settings}']:.1f} | {left[f'Leduc poker, settings {settings}']:.0f}"
        assert f"| {settings} | {cells} |" in plan.given["about"]
    with_critic, without = ends = ["deck, settings for decks", "deck, defaults"]
    kept = [f"{left[run]:.2f}" for run in ends]
    factors = np.exp(half[ends])
    assert left[with_critic] * factors[with_critic] > left[without] / factors[without]
    for run in ends:
        low, high = left[run] / factors[run], left[run] * factors[run]
        assert f"{left[run]:.2f} % ({low:.2f} to {high:.2f})" in plan.given["about"]
    assert f"ended at {left['deck, first settings']:.2f} %" in plan.given["about"]
    runs = ["Leduc poker, central critic", "Leduc poker, settings for poker"]
    both = [f"{np.exp(np.log(left[run]) + side * half[run]):.1f}" for run in runs for side in (0, -1, 1)]
    ends = results[results["run"].isin(decks) & (results["measure"] == training.DISTANCE)].groupby(["run", "seed"])
    cost = ends[["steps", "cpu_seconds"]].last().groupby("run").mean()
    steps = [f"{side / 1e6:.0f}" for side in (cost["steps"].min(), cost["steps"].max())]
    seconds = [f"{side:.0f}" for side in (cost["cpu_seconds"].min(), cost["cpu_seconds"].max())]
    most = [str(len(decks)), *steps, *seconds]
    return [f"{left[best]:.2f}", *kept, *most, *both]


def said_of_scaling(plan: Any, results: Any) -> list[str]:
    uniform = results[results["player"] == "random"].set_index("game")["nash_conv"]
    logs = np.log(100 * results["nash_conv"] / results["game"].map(uniform))
    decks = {row["game"]: row["sets"] for row in plan.rows}
    small, large = min(decks, key=decks.__getitem__), max(decks, key=decks.__getitem__)
    trained = results.assign(logs=logs)[results["seed"].notna()]
    cells = trained.groupby(["player", "game", "steps"])
    assert (cells.size() == plan.rows[0]["seeds"]).all()
    best, *_, middle, longest = "PPO, settings for decks", *sorted(set(trained["steps"]))
    left = np.exp(cells["logs"].mean().astype(float))

    def factor(share: float) -> str:
        """The decisions in the largest deck in parts of those in the smallest, read from lines between lengths."""
        few, many = (
            np.interp(-np.log(share), -np.log(own), np.log(own.index.astype(float)))
            for own in (left[best, game] for game in (small, large))
        )
        return f"{np.exp(many - few):.1f}"

    said = [f"{decks[large] / decks[small]:.0f}"]
    said += [factor(left[best, large, longest]), f"{left[best, large, longest]:.1f}"]
    solved = results[(results["player"] == "cfr+") & (results["steps"] == 100)]
    said += [f"{np.exp(logs[solved.index]).max():.2f}"]
    folded = [f"20 % of uniform play's NashConv, PPO needs {factor(20)} times"]
    folded += [f"{sets:,}" for game, sets in decks.items() if game != small]
    folded += [f"at most {solved['cpu_seconds'].max():.0f} CPU\nseconds to leave {said[-1]} %"]
    assert all(one in plan.given["about"] for one in folded)
    seconds, ends = trained["cpu_seconds"], cells["cpu_seconds"].mean().xs(middle, level="steps")
    said += [f"{trained['steps'].min():,}", f"{longest:,}", f"{seconds.min():.1f}", f"{seconds.max():.0f}"]
    said += [str(plan.rows[0]["seeds"])]
    shares = np.exp(cells.get_group((best, small, longest))["logs"].astype(float))
    said += [f"{shares.min():.1f}", f"{shares.max():.1f}"]
    whole = trained[trained["steps"] <= middle]
    for game in decks:
        own = whole[whole["game"] == game].assign(share=np.exp(whole["logs"].astype(float)))
        found = [scaling.read(rows, "cpu_seconds", ends.min(), "share") for _, rows in own.groupby("player")]
        assert found[0].is_above(found[1]) == (game != large)
    return said


@pytest.mark.parametrize("path", sorted(BENCHES.glob("*.toml")), ids=lambda path: path.stem)
def test_answers_written_by_hand_have_the_figures_of_their_tables(path: Path, tmp_path: Path) -> None:
    if path.name == "Cargo.toml":
        return
    plan = experiments.read(path)
    tests = {"attack": said_of_attack, "ladder": said_of_ladder, "strength": said_of_strength}
    said = {**tests, "training": said_of_training, "scaling": said_of_scaling}[path.stem]
    figures = re.findall(r"\d[\d,.]*\d|\d", " ".join([plan.given["answer"], *plan.given["sure"]]))
    assert figures == said(plan, plan.results(begin(plan, tmp_path)))


def test_the_answer_on_trainings_leaves_out_words_that_all_runs_begin_with() -> None:
    assert training._start(["deck, six minutes, suits sorted", "deck, six minutes"]) == len("deck, ")
    for names in (["small deck", "sorted"], ["deck, one"], ["deck, one", "small deck, one"], ["deck", "deck, one"]):
        assert training._start(names) == 0


def test_means_have_an_interval_from_three_values_on() -> None:
    found = Interval.mean([1.0, 2.0, 6.0])
    half = ratings.estimate([1.0, 2.0, 6.0]).ci95
    assert found == pytest.approx((3, 3 - half, 3 + half))
    assert Interval.mean([1.0, 10.0, 100.0], logs=True).value == pytest.approx(10)
    assert f"{Interval.mean([1.0, 4.0], logs=True)}" == "2.00"
    with pytest.raises(stier.ArgumentError, match="values must be finite numbers, got NaN"):
        Interval.mean([1.0, np.nan])
    for wrong in (np.nan, 0.0, -1.0):
        with pytest.raises(stier.ArgumentError, match=f"values must be above 0 for logs, got {wrong:g}"):
            Interval.mean([1.0, wrong], logs=True)


@pytest.mark.parametrize(
    ("values", "finding", "rest"),
    [
        ((Interval.exact(0), Interval.exact(0)), "`a` and `b` have the lowest loss", ": 0.00."),
        ((Interval.exact(0), Interval.exact(1)), "`a` has the lowest loss", ": 0.00. The next is `b`, with 1.00."),
        (
            (Interval.mean([1, 3]), Interval.mean([3, 5])),
            "`a` has the lowest loss",
            ": 2.00. The next is `b`, with 4.00.",
        ),
    ],
)
def test_values_without_intervals_do_not_say_who_is_ahead(
    values: tuple[Interval, Interval], finding: str, rest: str
) -> None:
    ranks = dict(zip("ab", values, strict=True))
    answer = experiments.Answer("Which?", "loss", {"": ranks}, lowest=True, sure=["", "", ""], details={})
    assert (answer.text(), answer.finding()) == (finding + rest, finding)
    both = experiments.Answer("Which?", "loss", {"x": ranks, "y": ranks}, lowest=True, sure=["", "", ""], details={})
    assert "ahead" not in both.text()


def test_trainings_have_the_mean_of_the_seeds_that_were_measured() -> None:
    exact = pd.DataFrame({"measure": training.DISTANCE, "value": [0.0, 1.0, np.nan], "ci95": None})
    assert f"{training._mean(exact):.3f}" == "0.001"
    played = pd.DataFrame({"measure": "against greedy", "value": [1.0, 2.0, np.nan], "ci95": [0.1, 0.3, 0.5]})
    assert training._mean(played) == pytest.approx((1.5, np.nan, np.nan), nan_ok=True)
    assert training._mean(played[1:]) == pytest.approx((2.0, 1.7, 2.3))
    more = pd.DataFrame({"measure": "against greedy", "value": [1.0, 2.0, 6.0], "ci95": 0.1})
    assert training._mean(more) == Interval.mean([1.0, 2.0, 6.0])


def test_the_page_of_training_has_every_run(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    toml = tmp_path / "training.toml"
    toml.write_text(TRAINING)
    store = experiments.run(toml, tmp_path / "out", threads=1)
    rows = store.experiment.results(store)
    uniform = stier.solving.nash_conv(DECK, "random")
    ends = rows[rows["measure"] == training.DISTANCE].groupby(["run", "seed"])["value"].last() * 100 / uniform
    page = str(experiments.report(store))
    means = np.exp(np.log(ends).groupby("run").mean())
    for name, seeds, mark in [("small deck", 2, ""), ("sorted", 1, ", one seed")]:
        assert re.search(rf"\| {name} \| {seeds} \| 3,\d+ \| \d+ \| {means[name]:.3f}{mark} \| ", page)
    best = {"small deck": "small deck", "sorted": "sorted (one seed)"}[means.idxmin()]
    assert (
        f"`{best}` has the lowest NashConv in % of uniform play in `{DECK}`: {means.min():.2f}.** The next is `" in page
    )
    # A match is that of the network in held-out deals.
    task = next(one for one in store.experiment.tasks if one.what["name"] == "sorted")
    agent = f"network:path={store.work(task) / 'network.safetensors'}"
    result = stier.pit(DECK, [agent, "greedy"], deals=4, seed=training.HELD_OUT)
    there = rows[(rows["run"] == "sorted") & (rows["measure"] == "against greedy")]["value"].iloc[0]
    assert there == float(f"{result.mean[0]:.6g}")


def test_the_page_of_scaling_has_every_length(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    pytest.importorskip("matplotlib").use("Agg")
    toml = tmp_path / "scaling.toml"
    toml.write_text(SCALING)
    shutil.copy(BENCHES / "scaling.py", tmp_path)
    store = experiments.run(toml, tmp_path / "out", threads=1)
    plan, rows = store.experiment, store.to_pandas()
    assert len(rows) == plan.parts() == 2 * (2 + 2 + 2 * 3)
    sizes = [task.size for task in plan.tasks]
    assert sizes == sorted(sizes)
    # Networks are measured by their probabilities, on the tree as on public states.
    task = plan.tasks[-1]
    network = Network.load(store.work(task) / "network.safetensors")
    known = rows[rows["made_by"] == task.what["made_by"]].iloc[0]
    assert (known["steps"], known["seed"]) == (512, 2)
    assert known["nash_conv"] == pytest.approx(stier.train.Exact.of(known["game"]).policy(network).nash_conv, abs=1e-6)
    uniform = {game: stier.solving.nash_conv(game, "random") for game in set(rows["game"])}
    rows["share"] = 100 * rows["nash_conv"] / rows["game"].map(uniform)
    page = str(experiments.report(store))
    assert_form(page)
    own = rows[(rows["game"] == DECK) & (rows["player"] == "small") & (rows["steps"] == 512)]["share"]
    middle = np.exp(np.log(own).mean())
    assert re.search(rf"\| small \| 512 \| 5\.1 \| \S+ \| 3 \| \S+ \| {middle:.3g} \(\S+ to \S+\) \|", page)
    assert f"| 512 decisions | small | {middle:.2f} (" in page
    assert re.search(r"\| `cfr\+` \| 30 \|  \| \S+ \|  \| \S+ \| \S+ \|", page)
    # The smaller deck has 5.12 decisions for each information set, the larger one 0.512 and no more.
    assert re.search(r"\| 0\.51 decisions per information set \| small \| \*over\* \d\S+ \(\S+ to \S+\) \| \d", page)
    lines = [len(axes.lines) for axes in experiments.report(store).figures["scaling"]().axes]
    assert lines == [2, 2 * (1 + 2)]
    pytest.importorskip("matplotlib.pyplot").close("all")


def test_pictures_show_what_the_tables_say(tmp_path: Path) -> None:
    plots = pytest.importorskip("matplotlib")
    plots.use("Agg")
    for kind in ("strength", "exploitability"):
        (tmp_path / "plan.toml").write_text(KINDS[kind][0].replace("iterations=300", "iterations=10"))
        store = experiments.run(tmp_path / "plan.toml", tmp_path / kind)
        found = experiments.report(store)
        axes = found.figures[kind]().axes[0]
        bars = dict(zip([label.get_text() for label in axes.get_yticklabels()], axes.patches, strict=True))
        shown = {name: bar.get_width() for name, bar in bars.items()}
        assert list(shown.values()) == sorted(shown.values(), reverse=kind == "strength")
        if kind == "strength":
            section = re.search(r"<code>schwinget</code>.*?</details>", str(found), re.DOTALL)
            assert section is not None
            cells = [line.split("|")[2:] for line in section[0].splitlines() if line.startswith("| ")][2:]
            for name, *row in cells:
                means = [float(mean) for cell in row for mean in re.findall(r"^ (\S+) \(", cell)]
                assert shown[name.strip(" `")] == pytest.approx(np.mean(means), abs=0.006)
        else:
            rows = store.experiment.results(store)
            last = rows.groupby("policy")["exploitability"].last()
            assert shown == pytest.approx({name: 100 * last[name] / last["random"] for name in shown})
            assert shown.keys() == {"random", "greedy", "ismcts", "pimc", "ris_mcts"}
    plots.pyplot.close("all")
