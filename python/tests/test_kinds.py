"""Kinds of experiments: their pages, their numbers, and what is left of a kill."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import time
from inspect import Parameter, signature
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import assert_form, kept

import stier
from stier import _content
from stier.cli import main

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
read_csv = pytest.importorskip("pyarrow.csv").read_csv

from stier import experiments, ratings  # noqa: E402
from stier.experiments import Exploitability, Interval, TablePlan, Training, _plans, _run, exploitability, training  # noqa: E402
from stier.experiments._run import begin, tomllib  # noqa: E402
from stier.network import Network  # noqa: E402

BENCHES = Path(__file__).parents[2] / "benches"
sys.path.append(str(BENCHES))
attack, strength = pytest.importorskip("attack"), pytest.importorskip("strength")
scaling = pytest.importorskip("scaling")
DECK = "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1"

STRENGTH = """
kind = "strength:Strength"
seed = 1
time_ms = 0
deals = 60
[[row]]
game = "schwinget"
agents = ["random", "greedy", "ismcts:iterations=300"]
[[row]]
game = "schwimmen"
deals = 20
agents = ["random"]
against = "greedy"
"""
SUITE = """
kind = "suite"
games = ["kuhn_poker", "schwinget:bouts=2"]
agents = ["random", "greedy", "ismcts:iterations=300"]
deals = 20
deals_per_part = 4
"""
LADDER = f"""
kind = "exploitability"
seed = 1
watch = "attack"
[[row]]
game = "{DECK}"
budgets = [100, 1_000]
agents = ["greedy", "ismcts", "pimc"]
[[row]]
game = "{DECK}"
budgets = [10]
agents = ["ris_mcts"]
"""
TRAINING = f"""
kind = "training"
seeds = 2
game = "{DECK}"
settings = {{ steps = 3_000, hidden = [8], num_envs = 32 }}
exact = true
matches = ["greedy"]
deals = 4
[[row]]
name = "small deck"
settings = {{ symmetry = false }}
[[row]]
name = "sorted"
seeds = 1
"""
ATTACK = f"""
kind = "attack:Attack"
[[row]]
game = "{DECK}"
[[row]]
game = "schwinget:scoring=schwinger,suits=2,values=3,referee=off,hand_size=2,set_aside=1"
"""
SCALING = f"""
kind = "scaling:Scaling"
decisions = [256, 512]
agents = ["random", "greedy"]
seeds = 3
[recipes.small]
num_envs = 32
horizon = 8
minibatches = 4
hidden = [8]
[solvers]
"cfr+" = [30]
external_sampling = [10]
[[row]]
name = "one"
game = "{DECK}"
sets = 100
[[row]]
name = "two"
game = "{DECK.replace("values=2", "values=3")}"
sets = 1_000
"""
#: The files of each kind, and the columns with measured times.
KINDS = {
    "attack": (ATTACK, ["seconds"]),
    "suite": (SUITE, []),
    "strength": (STRENGTH, []),
    "exploitability": (LADDER, ["seconds"]),
    "training": (TRAINING, ["cpu_seconds"]),
    "scaling": (SCALING, ["cpu_seconds"]),
}


#: A key of an example, which is a comment if it may be left out, and what it means.
KEY = re.compile(r"^(?P<optional># )?(?P<key>\w+) = (?P<value>.+?)(?: +#.*)?$")
#: Tables whose keys are names and options.
FREE = {"agents", "rules"}


def keys_of_example(kind: str) -> dict[str, dict[str, Any]]:
    """All keys of an example with the values that are there, by the table in which they are."""
    found: dict[str, dict[str, Any]] = {"": {}}
    table = ""
    for number, line in enumerate(experiments.example(kind).splitlines()):
        if heading := re.match(r"\[+(\w+)\]", line):
            table = heading[1]
            found.setdefault(table, {})
        elif (own := KEY.match(line)) is not None:
            found[table] |= tomllib.loads(f"{own['key']} = {own['value']}")
        else:
            assert not line or (number < 3 and line.startswith("# ")), line
    return found


@pytest.mark.parametrize("kind", _run.KINDS)
def test_the_example_of_a_kind_has_all_its_keys(kind: str) -> None:
    found, plan = keys_of_example(kind), _run.plan_of(kind)
    of_tables = {key: one for key, one in _plans.OF_TABLES.items() if key != "row"}
    common = _plans.COMMON | (of_tables if issubclass(plan, TablePlan) else {})
    inner = {"row": plan.keys} if issubclass(plan, TablePlan) else {}
    free = {key: {} for key in found.keys() & FREE}
    known = {"kind": str, **plan.keys, **common}
    everywhere = set().union(*(table.keys() for name, table in found.items() if name not in free))
    assert everywhere | free.keys() == known.keys()
    for table, types in {"": known, **inner}.items():
        _plans.checked(found[table], types, optional=types)
    # What may be left out has its default behind the comment, if it has one.
    defaults = {name: one.default for name, one in signature(plan.__init__).parameters.items()}
    defaults |= plan.defaults
    given = tomllib.loads(experiments.example(kind))
    for key, value in found[""].items():
        if key not in given and defaults.get(key) not in (None, {}, [], Parameter.empty) and key != "pairings":
            assert value == (list(defaults[key]) if isinstance(defaults[key], tuple) else defaults[key]), key


#: The text of the page of each example.
SAID = {
    "matches": r"\n\*\*`\w+` has the highest mean return in `kuhn_poker`: .* ahead of .*, but not clearly of `\w+`\.",
    "suite": r" of 2 games\.\*\* By 95 % intervals, .* of 2 games\.\n",
    "exploitability": r"Measured in both games, .*: 2 agents\. Exact for .*\. A search was asked with one seed, which",
    "training": r" NashConv in % of uniform play in .*(?s:.*) The ends of 2 trainings with 2 seeds, in deals",
}


@pytest.mark.parametrize("kind", _run.KINDS)
def test_the_example_of_a_kind_runs(kind: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--example", kind]) == 0
    text = capsys.readouterr().out
    assert text == experiments.example(kind)
    if kind == "training":
        pytest.importorskip("jax")
        text = text.replace("steps = 20_000, num_envs = 64", "steps = 64, num_envs = 8, horizon = 8, hidden = [8]")
    Path("plan.toml").write_text(text)
    assert main(["run", "plan.toml", "--threads", "2", "--no-progress"]) == 0
    store = experiments.load("plan.toml")
    assert store.complete
    report = experiments.report(store)
    page = report.markdown
    assert_form(page)
    assert re.search(SAID[kind], page), page
    # The title of a picture is a finding, and not the sentence below which it stands.
    titles = [make().get_suptitle().replace("\n", " ") for make in report.figures.values()]
    assert f"\n\n![{titles[0]}](" in page
    for title in titles:
        assert re.search(r" (is|are|leads?|comes?|do not tell) ", title), title
        assert title != re.split(r"\. |\*\*", page.split("\n\n")[1].replace("`", ""))[1]
    pytest.importorskip("matplotlib.pyplot").close("all")
    # Keys that may be left out are read, too, each by itself.
    lines = experiments.example(kind).splitlines()
    for number, line in enumerate(lines):
        own = KEY.match(line)
        if own is not None and own["optional"] and own["key"] not in {"mine", "file", "published"}:
            Path("more.toml").write_text("\n".join([*lines[:number], line.removeprefix("# "), *lines[number + 1 :]]))
            experiments.read("more.toml")


OWN_KIND = """
from stier.experiments import Plan, Report, Task, build, digest, page
import pyarrow as pa

class Powers(Plan):
    kind = "powers"
    keys = {"bases": list[int], "exponent": int}
    defaults = {"exponent": 2}

    def __init__(self, given):
        super().__init__(given)
        made = [(base, self.given["exponent"]) for base in self.given["bases"]]
        self.tasks = [Task(f"base {base}", digest([base, up, build()]), 1, up, (base, up)) for base, up in made]

    def fixed(self):
        return {"exponent": self.given["exponent"]}

    def play(self, task, threads, work, on_progress=None):
        base, exponent = task.what
        return pa.table({"base": [base], "power": [base**exponent]})

    def report(self, store):
        rows = store.to_pandas()
        text = page("How large?", f"The largest is {rows['power'].max()}.", sure=["a", "b", "c"], command="stier run")
        return Report(text, {"powers": rows})
"""


def test_a_kind_of_ones_own_is_named_by_its_class(tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "plans").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("plans/powers_kind.py").write_text(OWN_KIND)
    Path("plans/first.toml").write_text('kind = "powers_kind:Powers"\nbases = [2, 3]\n')
    assert main(["run", "plans/first.toml", "--no-progress"]) == 0
    assert (
        Path("out/first/tables/page.md").read_text().startswith("# How large?\n\n**The largest is 9.**\n\n## How sure?")
    )
    grown = experiments.read("plans/first.toml")
    grown = type(grown)({"bases": [2, 3, 5]})
    assert experiments.run(grown, "out/first", minutes=0).to_pandas()["power"].tolist() == [4, 9, 25]
    assert experiments.load("out/first").experiment == grown
    program = "import stier.experiments as e; print(e.load('out/first').complete)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True\n"
    with pytest.raises(stier.ArgumentError, match="exponent: 2 there, 3 here"):
        experiments.run(type(grown)({"bases": [2], "exponent": 3}), "out/first")
    Path("plans/second.toml").write_text('kind = "powers_kind:Powers"\nbase = [2, 3]\n')
    with pytest.raises(stier.ArgumentError, match="unknown key 'base'; did you mean 'bases'"):
        experiments.read("plans/second.toml")
    for kind, said in [
        ("powers_kind:Power", "no 'Power'; did you mean 'Powers'"),
        ("powers_kind:page", "a subclass of"),
    ]:
        with pytest.raises(stier.ArgumentError, match=said):
            _run.plan_of(kind)


def test_unknown_kinds_have_no_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--example", "trainin"]) == 2
    assert capsys.readouterr().err.startswith("stier: unknown kind 'trainin'; did you mean 'training'? ")
    for arguments in ([], ["--example", "suite", "plan.toml"]):
        assert main(["run", *arguments]) == 2
        assert capsys.readouterr().err.startswith("stier: give one of EXPERIMENT and --example\n")
    assert main(["run", "--help"]) == 0
    kinds = f"Kinds: {', '.join(_run.KINDS)}\n"
    assert kinds in capsys.readouterr().out
    assert main(["run", "--example"]) == 0
    assert capsys.readouterr().out == kinds


@pytest.mark.parametrize(
    "text", ["ismcts(rollout=hints)", "ismcts:rollout=hints", "ismcts", " ismcts : rollout=hints "]
)
def test_a_budget_is_added_to_every_form_of_an_agent(text: str) -> None:
    game = stier.load_game(DECK)
    found = experiments.with_option(text, game, ["worlds", "iterations"], 7)
    assert found == stier.load_agent(text, game, iterations=7).spec
    assert stier.load_agent(found, game).spec == found
    assert experiments.with_option("greedy", game, ["worlds", "iterations"], 7) is None


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
    monkeypatch.setattr(experiments.Plan, "tell", lambda plan, store, answer, picture: (str(seen.append(answer)), {}))
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


def test_a_kind_without_a_page_is_refused_when_it_is_defined(tmp_path: Path, monkeypatch) -> None:
    methods: dict[str, Any] = {"kind": "own", "work": lambda self, row: [], "measure": lambda self, *given: []}
    with pytest.raises(stier.ArgumentError, match="Own has no page: define evaluate"):
        type("Own", (TablePlan,), methods)
    for name in ("evaluate", "report"):
        assert type("Own", (TablePlan,), {**methods, name: lambda self, results: None}).kind == "own"
    # A class that other kinds share need not have it.
    assert type("Shared", (TablePlan,), {"kind": "shared"}).keys == {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = "import stier.experiments as e\nclass Own(e.TablePlan):\n    work = measure = lambda *given: []\n"
    Path("pageless.py").write_text(text)
    Path("unfinished.py").write_text("from stier.experiments import Plan\nclass Own(Plan): pass\n")
    for module, said in [("pageless", "has no page: define"), ("unfinished", "does not define play, report")]:
        with pytest.raises(stier.ArgumentError, match=said):
            _run.from_dict({"kind": f"{module}:Own"})


def test_the_keys_of_a_kind_replace_those_it_inherits() -> None:
    class Parent(experiments.Plan):
        keys = {"name": str, "size": (int, float)}  # noqa: RUF012
        defaults = {"size": 1, "deals": 2}  # noqa: RUF012

    class Child(Parent):
        defaults = {"size": [0.5], "deals": 2.5}  # noqa: RUF012

    class Other(Parent):
        keys = {"deals": list[int]}  # noqa: RUF012

    class Same(Child):
        pass

    assert Parent.keys == {"name": str, "size": (int, float), "deals": int}
    assert Child.keys == Same.keys == {"name": str, "size": list[float], "deals": float}
    assert Other.keys == {"size": int, "deals": list[int]}


@pytest.mark.parametrize(
    ("kind", "open_parts"),
    [("strength", 0), ("ladder", 0), ("attack", 0), ("training", None), ("scaling", None)],
)
def test_the_pages_of_the_project_are_those_of_its_tables(kind: str, open_parts: int | None, tmp_path: Path) -> None:
    store = begin(experiments.read(BENCHES / f"{kind}.toml"), tmp_path)
    assert open_parts in (None, len(store.missing()))
    found = experiments.report(store)
    page = (BENCHES / f"{kind.upper()}.md").read_text("utf-8")
    assert str(found) == page
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


def said_of_strength(plan: Any, results: Any) -> list[str]:
    ranked = {game: list(own.items())[:2] for game, own in plan.evaluate(results).ranked().items()}
    assert [own[0][0] for own in ranked.values()] == ["best"] * 4
    titles = {"schwinget": "Schwinget", "up_and_down:players=2": "Up & Down"}
    titles |= {"schweins_galopp:players=2": "Schweins-Galopp", "schwimmen:players=2": "Schwimmen"}
    there = results.set_index(["game", "time_ms", "agent", "opponent"])
    texts = {(row.game, plan.name(row.agent)): row.agent for row in results.itertuples()}
    matches = {game: there.loc[(game, 1, *(texts[game, name] for name, _ in best))] for game, best in ranked.items()}
    close = [titles[game] for game, match in matches.items() if match["mean"] <= match["ci95"]]
    assert f"shows no difference in {' and '.join(close)}." in plan.given["sure"][0]
    known = results[results["agent"] == "network"].set_index(["game", "time_ms"])
    against = {key: (row["mean"], row["ci95"]) for key, row in known.iterrows()}
    means = {key: f"{mean:.2f}" for key, (mean, half) in against.items() if mean > half}
    assert [*means] == [(game, 1) for game in ("schwinget", "up_and_down", "schweins_galopp", "schwimmen")]
    assert [*against] == [*means, ("schwinget", 10)]
    deals = [f"{row['deals']:,}" for row in sorted(plan.rows, key=lambda row: row["deals"])]
    agents = max(len(row["agents"]) for row in plan.rows)
    return ["1", *means.values(), "10", str(agents), deals[0], deals[-1], "1", "10"]


def said_of_attack(plan: Any, results: Any) -> list[str]:
    decks = attack.with_rules(results[results["share"].isna()])
    assert len(decks) == len(plan.rows)
    assert (decks["nash_conv"] <= attack.TARGET * decks["uniform"]).all()
    suits = decks[decks["hand"] > 1].groupby("suits")[["attack", "price"]].mean().iloc[::-1]
    means = [f"{100 * mean:.0f}" for mean in suits["attack"]] + [f"{mean:.3f}" for mean in suits["price"]]
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
    first = [str(len(decks)), str(sizes[0]), str(sizes[-1]), most, f"{decks['error'].max():.4f}"]
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
    poker = ["Leduc poker, settings for decks", "Leduc poker, settings for poker"]
    kept = [f"{left[run]:.0f}" for run in poker]
    kept += [f"{left[run]:.1f}" for run in ("deck, settings for poker", "deck, settings for decks")]
    runs = ["Leduc poker, central critic", "Leduc poker, settings for poker"]
    both = [f"{np.exp(np.log(left[run]) + side * half[run]):.1f}" for run in runs for side in (0, -1, 1)]
    ends = results[results["run"].isin(decks) & (results["measure"] == training.DISTANCE)].groupby(["run", "seed"])
    cost = ends[["steps", "cpu_seconds"]].last().groupby("run").mean()
    steps = [f"{side / 1e6:.0f}" for side in (cost["steps"].min(), cost["steps"].max())]
    seconds = [f"{side:.0f}" for side in (cost["cpu_seconds"].min(), cost["cpu_seconds"].max())]
    most = [str(len(decks)), *steps, *seconds]
    return [f"{left[best]:.2f}", f"{left['deck, first settings']:.2f}", *kept, *most, *both]


def said_of_scaling(plan: Any, results: Any) -> list[str]:
    uniform = results[results["player"] == "random"].set_index("game")["nash_conv"]
    logs = np.log(100 * results["nash_conv"] / results["game"].map(uniform))
    decks = {row["game"]: row["sets"] for row in plan.rows}
    small, large = min(decks, key=decks.__getitem__), max(decks, key=decks.__getitem__)
    trained = results.assign(logs=logs)[results["seed"].notna()]
    cells = trained.groupby(["player", "game", "steps"])
    # Of the longest trainings, the seeds that are there in all decks.
    longest = int(trained["steps"].max())
    seeds = cells.size().xs(longest, level="steps").min()
    trained = trained[(trained["steps"] < longest) | (trained["seed"] < seeds)]
    best, *_, middle, _ = "PPO, settings for decks", *sorted(set(trained["steps"]))
    left = np.exp(trained.groupby(["player", "game", "steps"])["logs"].mean().astype(float))

    def factor(share: float) -> str:
        """The decisions in the largest deck in parts of those in the smallest, read from lines between lengths."""
        few, many = (
            np.interp(-np.log(share), -np.log(own), np.log(own.index.astype(float)))
            for own in (left[best, game] for game in (small, large))
        )
        return f"{np.exp(many - few):.1f}"

    said = [f"{decks[large] / decks[small]:.0f}", factor(20), "20"]
    for steps in (middle, longest):
        said += [factor(left[best, large, steps]), f"{left[best, large, steps]:.1f}"]
    said += [f"{middle:,}"]
    said += [text for game, sets in decks.items() for text in (f"{left[best, game, middle]:.1f}", f"{sets:,}")]
    said += [f"{longest:,}", *(f"{left[best, game, longest]:.1f}" for game in decks)]
    solved = results[(results["player"] == "cfr+") & (results["steps"] == 100)]
    tabular = results[(results["player"] == "external_sampling") & (results["steps"] == 10_000)]
    assert list(tabular["game"]) == list(decks)[:2]
    times = tabular["cpu_seconds"].max() / tabular["cpu_seconds"].min()
    said += [f"{np.exp(logs[solved.index]).max():.2f}", f"{solved['cpu_seconds'].max():.0f}", f"{times:.0f}"]
    ends = trained[trained["steps"] == middle].groupby(["player", "game"])["cpu_seconds"].mean()
    said += [f"{trained['steps'].min():,}", f"{middle:,}", f"{ends.min():.0f}", f"{ends.max():.0f}"]
    whole = trained[trained["steps"] <= middle]
    for game in decks:
        own = whole[whole["game"] == game].assign(share=np.exp(whole["logs"].astype(float)))
        found = [scaling.read(rows, "cpu_seconds", ends.min(), "share") for _, rows in own.groupby("player")]
        assert found[0].is_above(found[1]) == (game != large)
    return [*said, str(plan.rows[0]["seeds"]), str(seeds)]


@pytest.mark.parametrize("path", sorted(BENCHES.glob("*.toml")), ids=lambda path: path.stem)
def test_answers_written_by_hand_have_the_figures_of_their_tables(path: Path, tmp_path: Path) -> None:
    if path.name == "Cargo.toml":
        return
    plan = experiments.read(path)
    tests = {"attack": said_of_attack, "ladder": said_of_ladder, "strength": said_of_strength}
    said = {**tests, "training": said_of_training, "scaling": said_of_scaling}[path.stem]
    figures = re.findall(r"\d[\d,.]*\d|\d", " ".join([plan.given["answer"], *plan.given["sure"]]))
    assert figures == said(plan, plan.results(begin(plan, tmp_path)))


@pytest.mark.parametrize("kind", ["attack", "scaling", "strength"])
def test_a_kind_of_the_project_uses_public_names_only(kind: str) -> None:
    tree = ast.parse((BENCHES / f"{kind}.py").read_text("utf-8"))
    modules = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and (node.module or "")[:5] == "stier"
    ]
    names = [name for node in modules for name in [*str(node.module).split("."), *(one.name for one in node.names)]]
    names += [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert "Answer" in names
    assert not [name for name in names if re.match("_(?!_)", name)]


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
    deck, *hands = plan.measure(plan.task(0).what, 1, tmp_path, None)
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
            plan.play(plan.task(1), 1, tmp_path)


def test_the_seconds_of_a_solver_that_was_resumed_are_not_known(tmp_path: Path) -> None:
    given = {"game": DECK, "agents": [], "iterations": 200, "target": 0.0}
    work = tmp_path / "work"
    plan = Exploitability({**given, "iterations": 100})
    (whole,) = plan.measure(plan.task(0).what, 1, work, None)
    assert whole["seconds"] > 0
    plan = Exploitability(given)
    (resumed,) = plan.measure(plan.task(0).what, 1, work, None)
    assert (resumed["iterations"], resumed["seconds"]) == (200, None)
    store = begin(plan, tmp_path)
    for number, row in enumerate([resumed, whole]):
        store.keep(number, pa.Table.from_pylist([{**row, "made_by": "x"}], schema=plan.schema), "here")
    assert re.search(r"\| `cfr\+` \| 200 \| \S+ \| \S+ \|  \|  \|\n", str(experiments.report(store)))


def test_the_networks_of_all_agents_of_a_training_enter_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of responders and of the agent itself, as those of opponents."""
    given = {"name": "a", "game": "schwinget", "file": "", "settings": {"steps": 9}}
    own = {"agent": "network", "matches": ["network"], "responders": ["lbr:continuation=network"]}
    other = Training({**given, "matches": ["greedy"]}), *(Training({**given, key: own[key]}) for key in own)
    before = [plan.task(0).what["made_by"] for plan in other]
    monkeypatch.setattr(_plans, "own_network", lambda game, agents: _content.own_network(game, agents) and "another")
    other = Training({**given, "matches": ["greedy"]}), *(Training({**given, key: own[key]}) for key in own)
    after = [plan.task(0).what["made_by"] for plan in other]
    assert [there == here for there, here in zip(before, after, strict=True)] == [True, False, False, False]


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


def test_rows_have_the_keys_at_the_top_and_their_own() -> None:
    top = {"game": DECK, "settings": {"steps": 9, "hidden": [8]}, "matches": ["random"], "seeds": 2}
    rows: list[dict[str, Any]] = [{"name": "a"}, {"name": "b", "settings": {"steps": 7, "horizon": 4}, "seeds": 1}]
    made = Training({**top, "row": rows})
    assert [row["settings"] for row in made.rows] == [top["settings"], {"steps": 7, "hidden": [8], "horizon": 4}]
    assert [(task.what["name"], task.what["seed"], task.size) for task in made.tasks] == [
        *[("a", 0, 9), ("a", 1, 9), ("b", 0, 7)]
    ]
    written = Training(
        {"row": [{**top, **row, "settings": own["settings"]} for row, own in zip(rows, made.rows, strict=True)]}
    )
    assert [task.key for task in written.tasks] == [task.key for task in made.tasks]
    renamed = Training({**top, "row": [{**rows[0], "note": "Another note."}]})
    assert renamed.task(0).key == made.task(0).key


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


@pytest.mark.timeout(300)
def test_trainings_keep_to_the_threads_of_their_plan(tmp_path: Path, monkeypatch) -> None:
    """The path of the network stands for `NETWORK` in responders and opponents."""
    train = pytest.importorskip("stier.train")
    pytest.importorskip("jax")
    seen: dict[str, Any] = {}

    def spied(call: Any, name: str) -> Any:
        def noting(*arguments: Any, **options: Any) -> Any:
            seen[name] = (options.get("threads"), arguments)
            return call(*arguments, **options)

        return noting

    for owner, name in ((stier, "pit"), (stier, "exploit"), (train, "learn")):
        monkeypatch.setattr(owner, name, spied(getattr(owner, name), name))
    more = 'responders = ["lbr:worlds=2,continuation=network,network=NETWORK"]\nresponder_deals = 2\n'
    (tmp_path / "small.toml").write_text(TRAINING.replace("seeds = 2", f"seeds = 1\n{more}"))
    store = experiments.run(tmp_path / "small.toml", tmp_path / "out", threads=1)
    assert {name: threads for name, (threads, _) in seen.items()} == {"pit": 1, "exploit": 1, "learn": 1}
    file = store.work(store.experiment.tasks[-1]) / "network.safetensors"
    assert seen["exploit"][1][1:] == (f"network:path={file}", f"lbr:worlds=2,continuation=network,network={file}")
    assert set(store.to_pandas()["measure"]) == {
        *(training.DISTANCE, training.UNIFORM, "against greedy"),
        "gain of lbr:worlds=2,continuation=network,network=NETWORK",
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(300)
def test_killed_in_the_middle_it_ends_with_the_same_parts(kind: str, tmp_path: Path) -> None:
    if kind in ("training", "scaling"):
        pytest.importorskip("jax")
    text, times = KINDS[kind]
    toml, out = tmp_path / f"{kind}.toml", tmp_path / "out"
    toml.write_text(text)
    for own in ("attack", "scaling", "strength"):
        shutil.copy(BENCHES / f"{own}.py", tmp_path)
    command = [sys.executable, "-m", "stier", "run", str(toml), "--out", str(out), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not kept(out):
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
        process.kill()
    there = kept(out)
    left = experiments.load(out)
    assert not left.complete
    assert main(["run", str(toml), "--out", str(out), "--threads", "1"]) == 0
    whole = experiments.run(toml, tmp_path / "whole", threads=2)
    assert there.items() <= kept(out).items()
    assert kept(out).keys() == kept(whole.folder).keys()
    for number in range(whole.experiment.parts()):
        frames = [store.part(number).to_pandas() for store in (experiments.load(out), whole)]
        pd.testing.assert_frame_equal(*(frame.drop(columns=times) for frame in frames), check_exact=True)
    if not times:
        assert kept(out) == kept(whole.folder)


def test_what_has_been_published_is_not_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = tmp_path / "small.toml"
    toml.write_text(f'tables = "results"\npage = "PAGE.md"\nabout = "Small."\n{STRENGTH}')
    first = experiments.run(toml, tmp_path / "first")
    assert first.experiment.parts() == 3 + 1
    experiments.publish(first)
    page = (tmp_path / "PAGE.md").read_text("utf-8")
    assert page.startswith("# Which agent is strongest?\n\n**`greedy` has the highest mean return with 0")
    assert "<summary>About</summary>\n\nSmall.\n" in page
    assert "](first/figures/strength.png)" in page
    table = (tmp_path / "results" / "strength.csv").read_bytes()
    toml.write_text(f'published = "results/strength.csv"\n{toml.read_text()}')
    assert begin(experiments.read(toml), tmp_path / "second").complete
    assert main(["run", str(toml), "--out", str(tmp_path / "second")]) == 0
    assert capsys.readouterr().out.startswith(f"200 deals in {tmp_path / 'second'}\n")
    assert (tmp_path / "results" / "strength.csv").read_bytes() == table
    # The rows of other matches are not those that are wanted.
    toml.write_text(toml.read_text().replace("ismcts:iterations=300", "ismcts:iterations=301"))
    assert len(begin(experiments.read(toml), tmp_path / "other").missing()) == 2
    toml.write_text(toml.read_text().replace("deals = 60", "deals = 30"))
    assert len(begin(experiments.read(toml), tmp_path / "fewer").missing()) == 3
    for wrong in ("a,b\n1,2\n", table.decode().replace(",made_by", ",made"), "\xff"):
        (tmp_path / "results" / "strength.csv").write_text(wrong, "latin-1")
        with pytest.raises(stier.errors.ArgumentError, match=r"strength\.csv cannot be read as a table of strength: "):
            begin(experiments.read(toml), tmp_path / "wrong")


def test_pictures_show_what_the_tables_say(tmp_path: Path) -> None:
    plots = pytest.importorskip("matplotlib")
    plots.use("Agg")
    for kind, names in [
        ("strength", ["strength"]),
        ("exploitability", ["exploitability", f"exploitability_{_plans.as_file(DECK)}"]),
    ]:
        (tmp_path / "plan.toml").write_text(KINDS[kind][0].replace("iterations=300", "iterations=10"))
        store = experiments.run(tmp_path / "plan.toml", tmp_path / kind)
        found = experiments.report(store)
        assert [path.stem for path in found.draw(tmp_path)] == names
        axes = [found.figures[name]().axes[0] for name in names]
        bars = dict(zip([label.get_text() for label in axes[0].get_yticklabels()], axes[0].patches, strict=True))
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
            rows = rows.set_index(["policy", "iterations"])["exploitability"]
            assert {line.get_label() for line in axes[1].lines} == {"ismcts", "pimc", "ris_mcts"}
            for line in axes[1].lines:
                own = [rows[line.get_label(), budget] for budget in line.get_xdata()]
                assert line.get_ydata().tolist() == own
    plots.pyplot.close("all")


def test_it_stops_after_some_minutes_and_reports_what_is_there(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short.toml").write_text(STRENGTH)
    assert main(["report", "short.toml"]) == 0
    printed = capsys.readouterr().out
    assert "**Nothing has been measured yet.**\n\n## How sure?\n\n- **What was compared.** Matches " in printed
    assert " the match of the two. 4 of 4 parts have not been played yet.\n" in printed
    for minutes in ("nan", "-1", "inf"):
        assert main(["run", "short.toml", "--minutes", minutes]) == 2
        assert f"minutes must be 0 or more and finite, got {minutes}" in capsys.readouterr().err
    assert main(["run", "short.toml", "--minutes", "0"]) == 0
    assert capsys.readouterr().out.startswith("60 deals in out/short, 3 parts are missing\n")
    assert main(["report", "short.toml"]) == 0
    assert "60 paired deals per match." in capsys.readouterr().out
    assert main(["run", "short.toml"]) == 0
    assert capsys.readouterr().out.startswith("200 deals in out/short\n")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('kind = "matchs"', "unknown kind 'matchs'; did you mean 'matches'?"),
        (TRAINING.replace('kind = "training"', ""), "(without kind it is read as matches; other kinds: "),
        (STRENGTH.replace("seed", "sed"), "unknown key 'sed'; did you mean 'seed'?"),
        (STRENGTH.replace("deals = 20", 'deals = "x"'), "row 2: deals must be a whole number, got 'x'"),
        (STRENGTH.replace("deals = 60", ""), "row 1: deals is missing"),
        (STRENGTH.replace("seed = 1", "seed = true"), "seed must be a whole number, got True"),
        (LADDER.replace('"pimc"', '"pimk"'), "row 1: unknown agent 'pimk'"),
        (LADDER.replace("seed = 1", 'algorithm = "cfrr"'), "row 1: algorithm must be cfr, cfr+, "),
        (LADDER.replace("seed = 1", 'algorithm = "sequence_form"'), "row 1: sequence_form keeps no checkpoints"),
        (LADDER.replace("seed = 1", 'algorithm = "outcome_sampling"'), "row 1: outcome_sampling keeps no checkpoints"),
        (LADDER.replace("seed = 1", "target = -1.0"), "row 1: target must be a NashConv of 0 or more, got -1"),
        (LADDER.replace("seed = 1", "target = nan"), "row 1: target must be a NashConv of 0 or more, got NaN"),
        (LADDER.replace("seed = 1", "iterations = 0"), "row 1: iterations must be between 1 and 1000000000, got 0"),
        (LADDER.replace("100, 1_000", "100, 0"), "row 1: "),
        (LADDER.replace('"attack"', '"attak"'), "row 1: 'attak' is not a valid action of schwinget"),
        (TRAINING.replace("matches", "mathces"), "unknown key 'mathces'; did you mean 'matches'?"),
        (TRAINING.replace('name = "sorted"', ""), "row 2: name is missing"),
        ('kind = "training"', "name is missing: add a table [[row]] with a name"),
        (TRAINING.replace('"sorted"', '"small deck"'), "row 2: there is another row 'small deck'"),
        ('kind = "training"\nrow = [3]', "row 1: must be a table, got 3"),
        (TRAINING.replace('"greedy"', '"greddy"'), "row 1: unknown agent 'greddy'; did you mean 'greedy'?"),
        (
            TRAINING.replace("exact", 'agent = "network:path=NETWORK,colour=red"\nexact'),
            "row 1: network has no option 'colour'",
        ),
        (
            TRAINING.replace('"greedy"', '"ismcts:rollout=network,network=NETWORK,sed=1"'),
            "row 1: ismcts has no option 'sed'",
        ),
        (
            TRAINING.replace("exact", 'responders = ["lbr:worldz=1,network=NETWORK"]\nexact'),
            "row 1: lbr has no option 'worldz'",
        ),
        (TRAINING.replace("exact", 'commit = "1234567"\nexact'), "unknown key 'commit'"),
        (TRAINING.replace("hidden = [8]", "seed = 1"), "row 1: settings must not contain seed, which the plan sets"),
        (TRAINING.replace("hidden = [8]", "folder = 'x'"), "row 1: settings must not contain folder"),
        (TRAINING.replace("hidden = [8]", "hiden = [8]"), "row 1: unknown setting 'hiden'; did you mean 'hidden'?"),
        (TRAINING.replace("hidden = [8]", "averaging = 2"), "row 1: averaging must be between 0 and 1, got 2"),
    ],
)
def test_wrong_plans_are_refused(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        experiments.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert named in str(caught.value)


def test_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE.replace("iterations=300", "iterations=3"))
    (tmp_path / "solved.toml").write_text(LADDER)
    experiments.run(tmp_path / "suite.toml", tmp_path / "out")
    with pytest.raises(ValueError, match="kind: suite there, exploitability here"):
        experiments.run(tmp_path / "solved.toml", tmp_path / "out")


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
