"""Kinds of experiments: their examples and keys, what is refused, and what is left of a kill."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import time
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest
from helpers import assert_form, kept

import stier
from stier import _content
from stier.cli import main

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

from stier import experiments  # noqa: E402
from stier.experiments import TablePlan, Training, _plans, _run, training  # noqa: E402
from stier.experiments._run import begin, tomllib  # noqa: E402

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
    # A key that may be left out has its default behind the comment, if it has one.
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
    "exploitability": r" with \d+\.\d+\.\n(?s:.*) in both games, each with its largest budget: 3 agents\. Exact for ",
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
    printed = capsys.readouterr().out
    store = experiments.load("plan.toml")
    assert store.complete
    report = experiments.report(store)
    page = report.markdown
    assert_form(page)
    if kind != "matches":
        # The answer stands where the run ends, in the words of the page.
        assert printed.count("\n") <= 6
        assert printed.splitlines()[1:3] == [part.strip("# ") for part in re.sub("[*`]", "", page).split("\n\n")[:2]]
    assert re.search(SAID[kind], page), page
    # The title of a picture is a finding, and not the sentence below which it stands.
    assert all(f"/{name}.png)" in page for name in report.figures)
    titles = [make().get_suptitle().replace("\n", " ") for make in report.figures.values()]
    assert f"\n\n![{titles[0]}](" in page
    for title in titles:
        assert re.search(r" (is|are|leads?|has|do not tell) ", title), title
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

    def play(self, task, threads, work, on_progress):
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
    monkeypatch.chdir("plans")
    for kind, said in [
        ("power_kind:Powers", "power_kind:Powers: there is no module 'power_kind' in "),
        ("powers_kind:Power", "powers_kind:Power: powers_kind has no 'Power'; did you mean 'Powers'?"),
        ("powers_kind:page", "powers_kind:page must be a subclass of stier.experiments.Plan, got <function page"),
        ("powers_kind:Plan", "powers_kind:Plan does not define play, report"),
        ("powers_kind:Powers", "powers_kind:Powers has no example; keys: exponent, bases; kinds with an example: "),
    ]:
        with pytest.raises(stier.ArgumentError, match=re.escape(said)):
            experiments.example(kind)
        assert main(["run", "--example", kind]) == 2
        assert capsys.readouterr().err.startswith(f"stier: {said}")


def test_unknown_kinds_have_no_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--example", "trainin"]) == 2
    assert capsys.readouterr().err.startswith("stier: unknown kind 'trainin'; did you mean 'training'? ")
    for arguments in ([], ["--example", "suite", "plan.toml"]):
        assert main(["run", *arguments]) == 2
        assert capsys.readouterr().err.startswith("stier: give one of EXPERIMENT and --example\n")
    assert main(["run", "--help"]) == 0
    kinds = f"Kinds: {', '.join(_run.KINDS)}; or MODULE:CLASS, a class of your own in a module beside EXPERIMENT\n"
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


def test_a_kind_without_a_page_or_a_name_is_refused_when_it_is_defined(tmp_path: Path, monkeypatch) -> None:
    methods: dict[str, Any] = {"kind": "own", "work": lambda self, row: [], "measure": lambda self, *given: []}
    with pytest.raises(stier.ArgumentError, match="Own must define evaluate"):
        type("Own", (TablePlan,), methods)
    with pytest.raises(stier.ArgumentError, match="Own must define kind"):
        type("Own", (TablePlan,), {"work": methods["work"], "measure": methods["measure"], "report": None})
    for name in ("evaluate", "report"):
        assert type("Own", (TablePlan,), {**methods, name: lambda self, results: None}).kind == "own"
    # A class that other kinds share need not have it.
    assert type("Shared", (TablePlan,), {"kind": "shared"}).keys == {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = "import stier.experiments as e\nclass Own(e.TablePlan):\n    work = measure = lambda *given: []\n"
    Path("pageless.py").write_text(text)
    Path("unfinished.py").write_text("from stier.experiments import Plan\nclass Own(Plan): pass\n")
    for module, said in [("pageless", "must define evaluate"), ("unfinished", "does not define play, report")]:
        with pytest.raises(stier.ArgumentError, match=said):
            _run.from_dict({"kind": f"{module}:Own"})


def test_a_kind_of_ones_own_that_has_changed_keeps_its_rows_with_a_warning(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    lines = [
        "import pyarrow as pa",
        "import stier",
        "from stier.experiments import TablePlan",
        "class Own(TablePlan):",
        "    kind = 'own'",
        "    schema = pa.schema({'value': 'float64', 'made_by': 'string'})",
        "    keys = {'deals': int}",
        "    def work(self, row):",
        "        yield self.new_task('one', {'deals': row['deals']}, stier.load_game('kuhn_poker'))",
        "    def measure(self, *given):",
        "        return [{'value': 1.0}]",
        "    def report(self, results): ...",
    ]
    Path("changing.py").write_text("\n".join(lines) + "\n")
    plan = {"kind": "changing:Own", "row": [{"deals": 1}]}
    experiments.run(_run.from_dict(plan), "out")
    experiments.run(_run.from_dict(plan), "out")
    Path("changing.py").write_text("\n".join(lines).replace("1.0", "2.0") + "\n")
    with pytest.warns(stier.ChangedWarning, match="module changing has changed since out was played; the rows there"):
        store = experiments.run(_run.from_dict(plan), "out")
    assert store.to_arrow()["value"].to_pylist() == [1.0]


def test_rows_have_the_columns_of_their_schema(tmp_path: Path) -> None:
    class Own(TablePlan):
        kind = "own"
        schema = pa.schema({"value": "float64", "made_by": "string"})
        work = evaluate = lambda *given: []
        measure = lambda *given: [{"valeu": 3.0}]  # noqa: E731

    task = experiments.Task("one", "key", 1, "one", {"made_by": "text"})
    with pytest.raises(stier.ArgumentError, match="own: no column has the name 'valeu'; columns: value, made_by"):
        Own({}).play(task, 1, tmp_path, lambda done, of: None)


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
        (TRAINING.replace('"sorted"', '"small deck"'), "row 2: names of rows must differ, got 'small deck' twice"),
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
        (TRAINING.replace("hidden = [8]", "seed = 1"), "settings must not contain seed, which the experiment sets"),
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
