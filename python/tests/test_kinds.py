"""Experiments of the project: strength, ladder and training. Their pages, their numbers, and what is left of a kill."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import kept

import stier
from stier.cli import main

pd = pytest.importorskip("pandas")
read_csv = pytest.importorskip("pyarrow.csv").read_csv

import stier.experiments._training_measures as measures  # noqa: E402
import stier.experiments._training_runs as runs_of_plans  # noqa: E402
from stier import experiments  # noqa: E402
from stier.experiments import _plans, _run, ladder, strength, training  # noqa: E402
from stier.experiments._plans import TablePlan  # noqa: E402
from stier.experiments._run import begin, tomllib  # noqa: E402
from stier.network import Network  # noqa: E402

BENCHES = Path(__file__).parents[2] / "benches"
DECK = "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1"

STRENGTH = """
kind = "strength"
seed = 1
piece = 20
[[table]]
game = "schwinget"
deals = 60
agents = ["random", "greedy", "ismcts:iterations=300"]
[[table]]
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
kind = "ladder"
seed = 1
budgets = [100, 1_000]
most_iterations = 600_000
agents = ["random", "greedy", "ismcts", "pimc", "ris_mcts"]
[slow]
ris_mcts = 10
[[rung]]
game = "{DECK}"
about = "Four cards."
target = 1e-4
iterations = 100_000
"""
TRAINING = f"""
kind = "training"
seeds = 2
[[run]]
name = "small deck"
game = "{DECK}"
algorithm = "ppo"
settings = {{ steps = 3_000, hidden = [8], num_envs = 32, symmetry = false }}
exact = true
evaluations = 1
watch = ["attack"]
matches = ["greedy"]
deals = 4
"""
#: The files of each kind, and the columns with measured times.
KINDS = {
    "suite": (SUITE, []),
    "strength": (STRENGTH, []),
    "ladder": (LADDER, ["seconds"]),
    "training": (TRAINING, ["cpu_seconds"]),
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
    common = _plans.COMMON if issubclass(plan, _plans.TablePlan) else {}
    free = {key: {} for key in found.keys() & FREE}
    known = {"kind": str, **plan.keys, **common}
    assert found[""].keys() | free.keys() | plan.inner.keys() == known.keys()
    for table, types in {"": known, **plan.inner}.items():
        assert not table or found[table].keys() == types.keys()
        _plans.checked(found[table], types, optional=types)
    # What may be left out has its default behind the comment, if it has one.
    defaults = {name: one.default for name, one in signature(plan.__init__).parameters.items()}
    defaults |= {"about": "", "measured_on": "", **getattr(plan, "defaults", {})}
    given = tomllib.loads(experiments.example(kind))
    for key, value in found[""].items():
        if key not in given and defaults.get(key) not in (None, {}, Parameter.empty) and key != "pairings":
            assert value == (list(defaults[key]) if isinstance(defaults[key], tuple) else defaults[key]), key


@pytest.mark.parametrize("kind", _run.KINDS)
def test_the_example_of_a_kind_runs(kind: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--example", kind]) == 0
    text = capsys.readouterr().out
    assert text == experiments.example(kind)
    if kind == "training":
        pytest.importorskip("jax")
        text = text.replace("steps = 20_000, num_envs = 64", "steps = 64, num_envs = 8, horizon = 8, hidden = [8]")
    text = text.replace('["broad", "rule"]', '["broad"]\nscale = 0.02')
    Path("plan.toml").write_text(text)
    assert main(["run", "plan.toml", "--threads", "2", "--no-progress"]) == 0
    assert experiments.load("plan.toml").complete
    # Keys that may be left out are read, too, each by itself.
    lines = experiments.example(kind).splitlines()
    for number, line in enumerate(lines):
        own = KEY.match(line)
        if own is not None and own["optional"] and own["key"] not in {"mine", "file", *runs_of_plans.NEEDS}:
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
    assert Path("out/first/tables/page.md").read_text().startswith("# How large?\n\nThe largest is 9.\n\n## How sure?")
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
    assert main(["run", "--example", "laddder"]) == 2
    assert capsys.readouterr().err.startswith("stier: unknown kind 'laddder'; did you mean 'ladder'? ")
    for arguments in ([], ["--example", "ladder", "plan.toml"]):
        assert main(["run", *arguments]) == 2
        assert capsys.readouterr().err.startswith("stier: give one of EXPERIMENT and --example\n")
    assert main(["run", "--help"]) == 0
    assert f"Kinds: {', '.join(_run.KINDS)}\n" in capsys.readouterr().out


def plan(kind: str, **changes: Any) -> TablePlan:
    """The experiment of the project with other settings."""
    own: TablePlan = experiments.read(BENCHES / f"{kind}.toml")
    return type(own)({**own.given, **changes})


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "ITERATIONS", (1, 2))
    monkeypatch.setattr(measures, "CHANCES", 20)


@pytest.mark.parametrize(("kind", "open_parts"), [("strength", 0), ("ladder", 0), ("training", None)])
def test_the_pages_of_the_project_are_those_of_its_tables(kind: str, open_parts: int | None, tmp_path: Path) -> None:
    store = begin(plan(kind), tmp_path)
    assert open_parts in (None, len(store.missing()))
    found = experiments.report(store)
    assert str(found) == (BENCHES / f"{kind.upper()}.md").read_text("utf-8")
    table = pd.read_csv(BENCHES / f"{kind}.csv")
    found.save(tmp_path)
    assert pd.read_csv(tmp_path / f"{kind}.csv").equals(table)


def test_a_match_is_that_of_the_table(tmp_path: Path) -> None:
    table = {"game": "schwimmen:players=2", "time_ms": 1, "deals": 500, "agents": ["random", "greedy"]}
    found = experiments.run(strength.Strength({"seed": 1, "piece": 500, "table": [table]}), tmp_path)
    row = found.experiment.results(found).iloc[0]
    there = pd.read_csv(BENCHES / "strength.csv").set_index(list(strength.MATCH))
    assert row[[*strength.SUMS, "made_by"]].tolist() == there.loc[tuple(row[list(strength.MATCH)])].tolist()


def test_sums_give_the_intervals_of_pit() -> None:
    result = stier.pit("schwinget", ["greedy", "random"], deals=400, seed=1)
    sums = strength.Sums(**strength.sums_of(result))
    # Without the skewness the interval is a little wider.
    mean, ci95 = map(float, sums.mean(result.game).split(" ± "))
    assert mean == pytest.approx(result.mean[0], abs=0.005)
    assert result.ci95[0] < ci95 < 1.25 * result.ci95[0]
    decided = [played for played in result.games if played.returns[0] != played.returns[1]]
    won = sum(played.returns[played.agents.index(0)] > 0 for played in decided)
    assert sums.wins().startswith(f"{100 * won / len(decided):.1f} % (")
    assert sums.turned(0).mean(result.game) == f"{-mean:+.2f} ± {ci95:.2f}"
    assert sums.turned(0).turned(0) == pytest.approx(sums)


def test_a_rung_of_the_ladder_is_that_of_the_table(tmp_path: Path) -> None:
    rung = {"game": DECK, "about": "Four cards.", "target": 1e-4, "iterations": 100_000}
    given = {"seed": 1, "budgets": [100], "most_iterations": 10**9, "agents": ["random", "ismcts", "pimc"]}
    store = experiments.run(ladder.Ladder({**given, "rung": [rung]}), tmp_path)
    keys, columns = ["game", "policy", "iterations"], ["histories", "information_sets", "value", "exploitability"]
    found = store.experiment.results(store)
    # pandas before 3 reads some numbers with another last digit.
    there = read_csv(BENCHES / "ladder.csv").to_pandas()
    both = found.merge(there, on=keys, suffixes=("", "_there"))
    assert len(both) == len(found) == 4
    for column in [*columns, "attack", "made_by"]:
        assert both[column].tolist() == both[f"{column}_there"].tolist()


def test_a_ladder_of_several_seeds_averages_their_policies(tmp_path: Path) -> None:
    rung = {"game": DECK, "about": "Four cards.", "target": 1e-4, "iterations": 10}
    given = {"seed": 1, "budgets": [20], "most_iterations": 10**9, "agents": ["ismcts"], "rung": [rung]}
    one, two = ladder.Ladder(given), ladder.Ladder({**given, "seeds": 2})
    keys = [[plan.task(number).key for number in range(2)] for plan in (one, two)]
    # The solver is not asked.
    assert keys[0][0] == keys[1][0]
    assert keys[0][1] != keys[1][1]
    assert keys[0] == [ladder.Ladder({**given, "seeds": 1}).task(number).key for number in range(2)]
    found = two.results(experiments.run(two, tmp_path)).set_index("policy").loc["ismcts"]
    expected = stier.exploitability(DECK, "ismcts:iterations=20", seed=1, seeds=2)
    assert found["exploitability"] == pytest.approx(expected)
    with pytest.raises(ValueError, match="seeds must be at least 1, got 0"):
        ladder.Ladder({**given, "seeds": 0})


def test_the_solver_beside_training_is_that_of_the_table() -> None:
    rows = measures.solve({"game": DECK, "watch": ["attack"]})
    game = stier.load_game(DECK)
    assert [row["value"] for row in rows if row["measure"] == runs_of_plans.DISTANCE] == [
        float(f"{stier.solve(game, iterations=count).nash_conv:.6g}") for count in measures.ITERATIONS
    ]


def test_a_network_is_measured_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    run = {"name": "given", "game": DECK, "file": str(file), "watch": ["attack"], "matches": ["random"], "deals": 20}
    given = {"seeds": 2, "run": [run], "tables": str(tmp_path), "page": str(tmp_path / "PAGE.md")}
    for seed in (1, 2):
        Network.random(stier.load_game(DECK), hidden=(8,), seed=seed).save(file)
        store = experiments.run(training.Training(given), tmp_path / "out", threads=1)
        assert store.experiment.parts() == 1
        found, _, _ = experiments.publish(store)
        assert "| against random |" in str(found)
        assert len(set(pd.read_csv(tmp_path / "training.csv")["made_by"])) == 1
    given["published"] = str(tmp_path / "training.csv")
    assert begin(training.Training(given), tmp_path / "again").complete
    changed = training.Training({**given, "run": [{**run, "deals": 30}]})
    assert begin(changed, tmp_path / "changed").missing() == [0]
    assert "Not measured yet." in str(experiments.report(begin(changed, tmp_path / "changed")))
    with pytest.raises(stier.StierError, match=r"run given: .*No such file"):
        training.Training({**given, "run": [{**run, "file": str(tmp_path / "missing")}]})


def test_the_page_of_training_has_the_share_of_every_seed(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    toml = tmp_path / "training.toml"
    toml.write_text(TRAINING)
    store = experiments.run(toml, tmp_path / "out", threads=1)
    rows = store.experiment.results(store)
    uniform = rows[rows["measure"] == runs_of_plans.UNIFORM]["value"].iloc[0]
    ends = rows[(rows["measure"] == runs_of_plans.DISTANCE) & (rows["run"] == "small deck")].groupby("seed").last()
    shares = [f"{100 * value / uniform:.2f}" for value in ends["value"]]
    page = str(experiments.report(store))
    assert f"| {', '.join(shares)} |" in page
    assert "`stier train GAME --out DIR --seed SEED --steps 3000 --set hidden=8 --set num_envs=32 " in page
    assert " --set symmetry=off --exact`" in page


def test_a_run_has_the_keys_of_the_run_that_it_is_like() -> None:
    settings = {"steps": 9, "hidden": [8]}
    first = {"name": "a", "about": "First.", "game": DECK, "algorithm": "ppo", "settings": settings, "evaluations": 2}
    first |= {"learned_responder": {"steps": 3, "deals": 4, "initial": ""}, "exact": True}
    changes: list[dict[str, Any]] = [
        {"name": "b", "like": "a", "settings": {"steps": 7, "horizon": 4}, "learned_responder": {"steps": 5}},
        {"name": "c", "like": "b", "settings": {"hidden": [4]}, "exact": False},
        {"name": "d", "like": "c", "algorithm": "dmc", "settings": {"steps": 8}},
    ]
    written = [first]
    for change, own in zip(changes, ({"steps": 7, "hidden": [8], "horizon": 4}, {}, {"steps": 8}), strict=True):
        run = {**written[-1], **change, "settings": own or {"steps": 7, "hidden": [4], "horizon": 4}}
        run["learned_responder"] = {"steps": 5, "deals": 4, "initial": ""}
        written.append({key: value for key, value in run.items() if key not in ("like", "about")})

    def tasks(runs: list[dict[str, Any]]) -> list[tuple[str, str]]:
        plan = training.Training({"run": runs})
        return [(task.name, task.key) for task in map(plan.task, range(plan.parts()))]

    assert tasks([first, *changes]) == tasks(written)
    assert len({key for _, key in tasks(written)}) == 5


def test_a_run_of_an_earlier_commit_is_not_trained_again(tmp_path: Path) -> None:
    """Its settings may be unknown. It has the published rows of the same run without it, and no others."""
    run = {"name": "a", "game": DECK, "algorithm": "ppo", "settings": {"steps": 9, "gone": 1}, "evaluations": 1}
    with pytest.raises(ValueError, match="run 1: settings: unknown setting 'gone'"):
        training.Training({"run": [run]})
    old = {**run, "commit": "1234567"}
    assert runs_of_plans.made_by(old) == runs_of_plans.made_by(run)
    assert training.Training({"seeds": 3, "run": [old]}).parts() == 0
    row = {"run": "a", "seed": 1, "steps": 9, "cpu_seconds": 1.5, "measure": "against greedy", "value": 0.25}
    rows = [{**row, "ci95": None, "made_by": made} for made in (runs_of_plans.made_by(run), "0123456789abcdef")]
    pd.DataFrame(rows).to_csv(tmp_path / "training.csv", index=False)
    plan = training.Training({"seeds": 3, "run": [old], "published": str(tmp_path / "training.csv")})
    store = begin(plan, tmp_path / "out")
    assert store.complete
    assert [(one["run"], one["seed"], one["value"]) for one in store.to_arrow().to_pylist()] == [("a", 1, 0.25)]
    with pytest.raises(ValueError, match="run 2: settings: unknown setting 'gone'"):
        training.Training({"run": [old, {"name": "b", "like": "a"}]})


def judged(name: str, **changes: Any) -> dict[str, Any]:
    """A run whose network is judged by a learned responder."""
    settings = {"steps": 2_000, "hidden": [8], "num_envs": 32}
    run = {"name": name, "game": DECK, "algorithm": "ppo", "settings": settings, "evaluations": 1, "watch": ["attack"]}
    run |= {"judge": "rule:when=never", "matches": ["network:path=NETWORK", "random"], "deals": 4}
    return {**run, "learned_responder": {"steps": 3_000, "deals": 30, "num_envs": 32}, **changes}


def test_a_searching_responder_knows_the_file_of_the_network(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    responders = {"responders": ["lbr:worlds=10,continuation=network,network=NETWORK"], "responder_deals": 20}
    plan = training.Training(
        {"run": [{**judged("guided", **responders), "learned_responder": {"steps": 1, "deals": 2}}]}
    )
    store = experiments.run(plan, tmp_path, threads=1)
    file = store.work(plan.task(0)) / "network.safetensors"
    agent = f"lbr:worlds=10,continuation=network,network={file}"
    found = stier.exploit(DECK, f"network:path={file}", agent, deals=20, seed=runs_of_plans.HELD_OUT)
    rows = store.experiment.results(store).set_index("measure")
    assert rows.loc[f"gain of {responders['responders'][0]}", "value"] == float(f"{found.gain:.6g}")


def test_a_learned_responder_judges_a_network(tmp_path: Path) -> None:
    train = pytest.importorskip("stier.train")
    pytest.importorskip("jax")
    scratch = {"steps": 3_000, "deals": 30, "num_envs": 32, "initial": "", "hidden": [8]}
    runs = [judged("own weights"), judged("scratch", seeds=1, learned_responder=scratch), judged("later")]
    plan = training.Training({"seeds": 3, "run": runs[:2]})
    assert [(task.what["name"], task.what["seed"], task.size) for task in map(plan.task, range(plan.parts()))] == [
        ("own weights", 0, 5_000),
        ("scratch", 0, 5_000),
        ("own weights", 1, 5_000),
        ("own weights", 2, 5_000),
    ]
    store = experiments.run(plan, tmp_path, threads=1)
    rows = store.experiment.results(store)
    gains = rows[rows["measure"] == runs_of_plans.LEARNED].set_index(["run", "seed"])
    for number, (name, initial) in enumerate([("own weights", True), ("scratch", False)]):
        file = store.work(plan.task(number)) / "network.safetensors"
        found = train.best_response(
            DECK,
            f"network:path={file}",
            initial=file if initial else None,
            steps=3_000,
            num_envs=32,
            hidden=(8,),
            deals=30,
            seed=runs_of_plans.HELD_OUT,
        )
        row = gains.loc[(name, 0)]
        assert (row["value"], row["ci95"]) == (float(f"{found.gain:.6g}"), float(f"{found.ci95:.4g}"))
        assert row["steps"] == found.trained.log[-1]["steps"] == 3_072

    page = str(experiments.report(begin(training.Training({"seeds": 3, "run": runs}), tmp_path)))
    cells = [line[2:-2].split(" | ") for line in page.splitlines() if line.startswith("| ")]
    lines = {line[0]: line for line in cells}
    places = {title: place for place, title in enumerate(lines["run"])}
    shown = lines["own weights"]
    own = gains.loc["own weights"]
    each = ", ".join(f"{value:+.3f} ± {half:.3f}" for value, half in zip(own["value"], own["ci95"], strict=True))
    place = places[f"{runs_of_plans.LEARNED}, by seed"]
    assert shown[place] == each
    # Student's t for three seeds.
    assert shown[place + 1] == f"{own['value'].mean():+.3f} ± {4.302653 * own['value'].std() / 3**0.5:.3f}"
    assert lines["run"][place + 2] == "CPU seconds of the responder"
    assert shown[places["against network:path=NETWORK, by seed"]].count("+0.000 ± ") == 3
    chances = rows[(rows["run"] == "own weights") & (rows["measure"] == "P(attack) at the first lead")]["value"]
    assert shown[places["P(attack) at the first lead, by seed"]] == ", ".join(f"{value:.2f}" for value in chances)
    assert shown[1] == "2,048"
    assert lines["later"][1] == "not trained yet"
    command = "`stier exploit GAME network:path=DIR/network.safetensors --responder learned --seed SEED "
    assert page.count(command) == 2
    assert page.count("--initial DIR/network.safetensors --steps 3000 --deals 30 --set num_envs=32`") == 1


def test_a_learned_responder_is_trained_on_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    monkeypatch.setattr("stier.train._run.PAUSE", 0.0)
    plan = training.Training({"run": [judged("stopped")]})
    told: list[int] = []

    def stop(done: int, total: int) -> None:
        assert total == 5_000
        told.append(done)
        if done == 2_000 + 2_048:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan.play(plan.task(0), 1, tmp_path / "stopped", stop)
    assert told[0] == 0
    assert told == sorted(told)
    stopped = len(told)
    parts = plan.play(plan.task(0), 1, tmp_path / "stopped", lambda done, total: told.append(done))
    assert told[stopped] > 2_000
    assert told[-1] == 5_000
    whole = plan.play(plan.task(0), 1, tmp_path / "whole")
    assert parts.drop(["cpu_seconds"]).equals(whole.drop(["cpu_seconds"]))


@pytest.mark.timeout(300)
def test_trainings_keep_to_the_threads_of_their_plan(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("jax")
    seen = set()

    def spied(call: Any, name: str) -> Any:
        def noting(*arguments: Any, **options: Any) -> Any:
            seen.add((name, options.get("threads")))
            return call(*arguments, **options)

        return noting

    for owner, name in ((stier, "pit"), (stier, "exploit"), (stier.train, "learn"), (stier.train, "best_response")):
        monkeypatch.setattr(owner, name, spied(getattr(owner, name), name))
    more = 'responders = ["lbr:worlds=2"]\nresponder_deals = 2\nlearned_responder = { steps = 512, deals = 2 }\n'
    (tmp_path / "small.toml").write_text(f"{TRAINING}{more}".replace("seeds = 2", "seeds = 1"))
    experiments.run(tmp_path / "small.toml", tmp_path / "out", threads=1)
    assert seen == {("pit", 1), ("exploit", 1), ("learn", 1), ("best_response", 1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(300)
def test_killed_in_the_middle_it_ends_with_the_same_parts(kind: str, tmp_path: Path) -> None:
    if kind == "training":
        pytest.importorskip("jax")
    text, times = KINDS[kind]
    toml, out = tmp_path / f"{kind}.toml", tmp_path / "out"
    toml.write_text(text)
    program = (
        "import sys; from stier.cli import main; from stier.experiments import _training_measures as measures\n"
        "measures.ITERATIONS, measures.CHANCES = (1, 2), 20\nsys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "run", str(toml), "--out", str(out), "--threads", "1"]
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
    assert first.experiment.parts() == 3 * 3 + 1
    experiments.publish(first)
    assert (tmp_path / "PAGE.md").read_text("utf-8").startswith("# Strength\n\nSmall.\n\nSeed 1.\n\n- machine: ")
    table = (tmp_path / "results" / "strength.csv").read_bytes()
    toml.write_text(f'published = "results/strength.csv"\n{toml.read_text()}')
    assert begin(experiments.read(toml), tmp_path / "second").complete
    assert main(["run", str(toml), "--out", str(tmp_path / "second")]) == 0
    assert capsys.readouterr().out.startswith(f"200 deals in {tmp_path / 'second'}\n")
    assert (tmp_path / "results" / "strength.csv").read_bytes() == table
    # More deals come after those of the table, in both folders.
    toml.write_text(toml.read_text().replace("deals = 60", "deals = 90"))
    rows = []
    for folder in ("first", "second"):
        missing = begin(experiments.read(toml), tmp_path / folder).missing()
        more = experiments.run(toml, tmp_path / folder)
        assert [more.experiment.task(number).what[1:] for number in missing] == [(60, 20)] * 3 + [(80, 10)] * 3
        rows.append(more.experiment.results(more))
        assert set(rows[-1].query("game == 'schwinget'")["deals"]) == {90}
    pd.testing.assert_frame_equal(*rows)
    # The row of another match, and the sums of more deals than are wanted.
    toml.write_text(toml.read_text().replace("ismcts:iterations=300", "ismcts:iterations=301"))
    assert len(begin(experiments.read(toml), tmp_path / "other").missing()) == 2 + 2 * 5
    toml.write_text(toml.read_text().replace("deals = 90", "deals = 30"))
    fewer = begin(experiments.read(toml), tmp_path / "fewer")
    assert set(fewer.experiment.results(fewer).query("game == 'schwinget'")["deals"]) == {60}
    for wrong in ("a,b\n1,2\n", table.decode().replace(",made_by", ",made"), "\xff"):
        (tmp_path / "results" / "strength.csv").write_text(wrong, "latin-1")
        with pytest.raises(stier.errors.ArgumentError, match=r"strength\.csv cannot be read as a table of strength: "):
            begin(experiments.read(toml), tmp_path / "wrong")


def test_reports_draw_strength_and_convergence(tmp_path: Path) -> None:
    plots = pytest.importorskip("matplotlib")
    plots.use("Agg")
    for kind, names in [("strength", ["strength"]), ("ladder", [f"exploitability_{_plans.as_file(DECK)}"])]:
        (tmp_path / "plan.toml").write_text(KINDS[kind][0].replace("iterations=300", "iterations=10"))
        store = experiments.run(tmp_path / "plan.toml", tmp_path / kind)
        found = experiments.report(store)
        assert [path.stem for path in found.draw(tmp_path)] == names
        figure = found.figures[names[0]]().axes[0]
        if kind == "strength":
            # All but one win a game of Schwimmen, so it has no shares.
            assert [label.get_text() for label in figure.get_yticklabels()] == ["schwinget"]
            shown = {bar.get_label(): bar.lines[0].get_xdata()[0] for bar in figure.containers}
            page = re.search(r"## `schwinget`.*?## ", str(found), re.DOTALL)
            assert page is not None
            cells = [line.split("|")[2:] for line in page[0].splitlines() if line.startswith("| ")][2:]
            for name, *row in cells:
                shares = [float(share) for cell in row for share in re.findall(r", (\S+) %", cell)]
                assert shown[name.strip(" `")] == pytest.approx(np.mean(shares), abs=0.1)
        else:
            assert {line.get_label() for line in figure.lines} == {"ismcts", "pimc", "ris_mcts"}
            rows = store.experiment.results(store).set_index(["policy", "iterations"])["exploitability"]
            for line in figure.lines:
                own = [rows[line.get_label(), budget] for budget in line.get_xdata()]
                assert line.get_ydata().tolist() == own
    plots.pyplot.close("all")


def test_it_stops_after_some_minutes_and_reports_what_is_there(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short.toml").write_text(STRENGTH)
    assert main(["report", "short.toml"]) == 0
    assert "Not played yet." in capsys.readouterr().out
    for minutes in ("nan", "-1", "inf"):
        assert main(["run", "short.toml", "--minutes", minutes]) == 2
        assert f"minutes must be 0 or more and finite, got {minutes}" in capsys.readouterr().err
    assert main(["run", "short.toml", "--minutes", "0"]) == 0
    assert capsys.readouterr().out.startswith("20 deals in out/short, 9 parts are missing\n")
    assert main(["report", "short.toml"]) == 0
    assert "20 paired deals per cell." in capsys.readouterr().out
    assert main(["run", "short.toml"]) == 0
    assert capsys.readouterr().out.startswith("200 deals in out/short\n")


def test_queries_that_would_take_too_long_have_no_row(tmp_path: Path) -> None:
    (tmp_path / "ladder.toml").write_text(LADDER)
    store = experiments.run(tmp_path / "ladder.toml", tmp_path / "out")
    found = store.experiment.results(store)
    assert found[found["policy"] == "ris_mcts"]["iterations"].tolist() == [100]
    assert found[found["policy"] == "pimc"]["iterations"].tolist() == [100, 1000]
    assert store.complete
    assert "| `ris_mcts` | " in str(experiments.report(store))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('kind = "matchs"', "unknown kind 'matchs'; did you mean 'matches'?"),
        (TRAINING.replace('kind = "training"', ""), "(without kind it is read as matches; other kinds: "),
        (STRENGTH.replace("seed", "sed"), "unknown key 'sed'; did you mean 'seed'?"),
        (STRENGTH.replace("piece = 20", 'piece = "x"'), "piece must be a whole number, got 'x'"),
        (STRENGTH.replace("deals = 20", ""), "table 2: deals is missing"),
        (STRENGTH.replace(":iterations=300", ":time_ms=5"), "table 1: time_ms is missing, or iterations in 'ismcts:"),
        (STRENGTH.replace("seed = 1", "seed = true"), "seed must be a whole number, got True"),
        (LADDER.replace('"pimc"', '"pimk"'), "unknown agent 'pimk'"),
        (TRAINING.replace("matches", "mathces"), "run 1: unknown key 'mathces'; did you mean 'matches'?"),
        (f"{TRAINING}learned_responder = {{}}", "run 1: learned_responder must contain steps"),
        (f"{TRAINING}learned_responder = {{steps = 9}}", "run 1: learned_responder must contain deals"),
        (f'{TRAINING}responders = ["lbr"]', "run 1: responder_deals is missing"),
        (f'{TRAINING}[[run]]\nlike = "small desk"', "run 2: name is missing"),
        (
            f'{TRAINING}[[run]]\nname = "b"\nlike = "small desk"',
            "above it, got 'small desk'; did you mean 'small deck'?",
        ),
        (
            TRAINING.replace("exact", 'like = "b"\nexact'),
            "run 1: like must name a run above it, got 'b'; it is the first run",
        ),
        (f"{TRAINING}{TRAINING[TRAINING.index('[[run]]') :]}", "run 2: there is another run 'small deck'"),
        ('kind = "training"\nrun = [3]', "run 1: must be a table, got 3"),
        (TRAINING.replace("deals = 4\n", ""), "run 1: deals is missing"),
        (f"{TRAINING}responder_deals = 4", "run 1: responders is missing"),
        (f'{TRAINING}file = "a"', "run 1: algorithm means nothing for the network of a file"),
        (TRAINING.replace('"attack"', '"attak"'), "run 1: 'attak' is not a valid action of schwinget"),
        (TRAINING.replace('"greedy"', '"greddy"'), "run 1: unknown agent 'greddy'; did you mean 'greedy'?"),
        (TRAINING.replace("hidden = [8]", "seed = 1"), "run 1: settings must not contain a seed"),
        (
            TRAINING.replace("hidden = [8]", "hiden = [8]"),
            "run 1: settings: unknown setting 'hiden'; did you mean 'hidden'?",
        ),
        (
            TRAINING.replace("hidden = [8]", "averaging = 2"),
            "run 1: settings: averaging must be between 0 and 1, got 2",
        ),
        (TRAINING.replace("hidden = [8]", "barred_share = 0.1"), "run 1: settings: barred_share=0.1 needs barred"),
        (
            TRAINING.replace("hidden = [8]", 'barred = "atack"'),
            "run 1: settings: 'atack' is not a valid action of schwinget",
        ),
        (TRAINING.replace("hidden = [8]", 'opening = "greddy"'), "run 1: settings: unknown agent 'greddy'"),
        (TRAINING.replace("hidden = [8]", "evaluations = 2"), "run 1: settings: unknown setting 'evaluations'"),
        (
            f'{TRAINING}learned_responder = {{steps = 9, deals = 9, opponents = "self"}}',
            "learned_responder: opponents is the agent",
        ),
        (f"{TRAINING}learned_responder = {{steps = 9, deals = 1}}", "learned_responder: deals must be at least 2"),
        (
            f"{TRAINING}learned_responder = {{steps = 9, deals = 9, rate = 1}}",
            "run 1: learned_responder: unknown setting 'rate'",
        ),
        (
            f"{TRAINING}learned_responder = {{steps = 9, deals = '9'}}",
            "run 1: learned_responder: deals must be a whole",
        ),
        (
            f'{TRAINING}learned_responder = {{steps = 9, deals = 9, initial = "no"}}',
            "initial must be the file of a netw",
        ),
        (f'{TRAINING}judge = "rul"', "run 1: unknown agent 'rul'"),
    ],
)
def test_wrong_plans_are_refused(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        experiments.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert named in str(caught.value)


def test_a_learned_responder_has_its_own_defaults() -> None:
    """Its critic is central and it has 4 minibatches, so these settings are right for it and wrong for a training."""
    responder = {"steps": 3_000, "deals": 30, "action_critic": True, "num_envs": 4, "horizon": 5}
    assert training.Training({"run": [judged("own defaults", learned_responder=responder)]}).parts() == 1
    with pytest.raises(stier.StierError, match="action_critic=True needs central_critic"):
        training.Training({"run": [judged("training", settings={"steps": 9, "action_critic": True})]})


def test_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    (tmp_path / "strength.toml").write_text(STRENGTH)
    experiments.run(tmp_path / "suite.toml", tmp_path / "out")
    with pytest.raises(ValueError, match="kind: suite there, strength here"):
        experiments.run(tmp_path / "strength.toml", tmp_path / "out")
