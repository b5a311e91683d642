"""Agents of Python that are named by text, ``module:name``, in everything that takes an agent."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stier
from stier import _imports
from stier.cli import main

AGENTS = """
import random as stdlib
from functools import partial

import stier
from helping import elsewhere

made = []


def first(state):
    return state.legal_actions()[0]


class Last:
    def __init__(self):
        made.append(self)
        self.games = 0

    def restart(self):
        self.games += 1

    def step(self, state):
        return state.legal_actions()[-1]

    class Inner:
        def __call__(self, state):
            return state.legal_actions()[0]


def make():
    return Last()


def engine():
    return stier.load_agent("ismcts:iterations=4,seed=3", "kuhn_poker")


one = Last()
bound = one.step
counted = partial(first)
table = stier.solve("kuhn_poker", iterations=20)
number = 3


class Needs:
    def __init__(self, budget):
        pass


class Idle:
    pass


def two(a, b):
    return 0


def nothing():
    return 5


def fails(state):
    raise ZeroDivisionError("no bet")
"""

#: Names of things that play.
PLAYING = ["first", "Last", "Last.Inner", "make", "engine", "one", "bound", "counted", "table", "elsewhere"]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current folder whose name no other test has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"agents_{abs(hash(tmp_path))}"
    helping = f"helping_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(AGENTS.replace("from helping", f"from {helping}"))
    (tmp_path / f"{helping}.py").write_text("def elsewhere(state):\n    return state.legal_actions()[0]\n")
    return name


@pytest.mark.parametrize(
    ("text", "path"),
    [
        *[(text, True) for text in ("a:b", "a.b:c.d", " a:b ", "a:b(c=1)", "a:b(c='x:y', d=(1,))", "übung:wählen")],
        *[(text, True) for text in ("ismcts:open", "openspiels:a")],
        *[
            (text, False)
            for text in ("", "a", "a:", ":b", "a:b=1", "ismcts:iterations=5", "a:b=c(d)", "C:\\x", "a:b c")
        ],
        *[
            (text, False)
            for text in ("openspiel:leduc_poker", "openspiel:leduc_poker(players=2)", "a:1", "1:a", "a::b")
        ],
        *[(text, False) for text in ("a:b(c", "https://a", "lbr:against=(a:b)", "./a:b", "a-b:c")],
    ],
)
def test_names_are_told_from_options_and_files(text: str, path: bool) -> None:
    assert _imports.is_path(text) is path


def test_no_agent_or_game_of_the_engine_is_taken_for_a_name() -> None:
    for agent in stier.describe_agents():
        for option in agent.options:
            assert not _imports.is_path(f"{agent.name}:{option.name}={option.default}")
    for name in stier.registered_names():
        for option in stier.catalogue.describe_game(name):
            assert not _imports.is_path(f"{name}:{option.name}={option.default}")


#: Everything that takes an agent, with the name that it shows, if it shows one.
TAKING: dict[str, Callable[[Any], Any]] = {
    "pit": lambda agent: stier.pit("kuhn_poker", ["random", agent], deals=2).agents[1],
    "exploit": lambda agent: stier.exploit("kuhn_poker", agent, "random", deals=2).agent,
    "responder": lambda agent: stier.exploit("kuhn_poker", "random", agent, deals=2).responder,
    "exploitability": lambda agent: stier.solving.best_response("kuhn_poker", agent).against.name,
    "schwingfest": lambda agent: stier.schwingfest.schwingfest(["random", "random", agent]).ranking and None,
    "leaks": lambda agent: (
        next(name for name in stier.check_no_leak("kuhn_poker", games=1, agents=[agent]).compared if "agent" in name)
    ).removeprefix("agent "),
    "is_better": lambda agent: (
        stier.ratings.is_better("kuhn_poker", agent, "random", by=0.5, most_deals=2, deals_at_once=2).deals and None
    ),
    "policy_of": lambda agent: stier.solving.GameTree("kuhn_poker").policy_of(agent).name,
    "gymnasium": lambda agent: stier.gymnasium.make("kuhn_poker", opponents=agent).reset(seed=1) and None,
    "chances": lambda agent: stier.train.chances("kuhn_poker", agent, "bet", judge=agent, deals=2).agent,
    "widget": lambda agent: stier.widget.play("kuhn_poker", agent) and None,
}
#: Calls that take agents of the engine alone.
OF_ENGINE: dict[str, Callable[[Any], Any]] = {
    "VectorEnv": lambda agent: stier.VectorEnv("kuhn_poker", 1, opponents=agent).reset(seed=1) and None,
    "VectorEnv, several": lambda agent: stier.VectorEnv("kuhn_poker", 1, opponents=[agent]).reset(seed=1) and None,
    "VectorEnv, opening": lambda agent: stier.VectorEnv("kuhn_poker", 1, opening=agent).reset(seed=1) and None,
    "resample_many": lambda agent: stier.resample_many([opened()], 1, agent=agent).game and None,
    "vectors": lambda agent: stier.gymnasium.make_vec("kuhn_poker", opponents=agent).reset(seed=1) and None,
    "duel": lambda agent: stier.train.duel(network(), [agent], deals=2).mean and None,
    "evaluation": lambda agent: stier.train.Evaluation("kuhn_poker", [agent]).against[0],
    "opponents": lambda agent: learner(opponents=agent).settings.opponents[0],
    "several opponents": lambda agent: learner(opponents=["self", agent]).settings.opponents[1],
    "opening": lambda agent: learner(opening=agent).settings.opening,
    "against": lambda agent: stier.train.learn("kuhn_poker", "dmc", against=agent, **SMALL).headlines and None,
    "victim": lambda agent: stier.train.best_response("kuhn_poker", agent, "dmc", **SMALL).agent,
}
#: The same for agents that search.
SEARCHING: dict[str, Callable[[Any], Any]] = {
    "searches": lambda agent: stier.search_many(agent, [opened()])[0] and None,
    "replay": lambda agent: stier.replays.replay(opened(), 0, agent).agent,
}
EXTRAS = {
    "is_better": "scipy",
    "gymnasium": "gymnasium",
    "vectors": "gymnasium",
    "widget": "anywidget",
    **dict.fromkeys(["chances", *OF_ENGINE], "jax"),
}
SMALL: dict[str, Any] = {"steps": 1, "num_envs": 2, "hidden": (2,), "deals": 2, "evaluations": 1}


def learner(**settings: Any) -> Any:
    settings = {name: SMALL[name] for name in ("num_envs", "hidden")} | settings
    return stier.train.learner("kuhn_poker", "dmc", **settings)


def network() -> Any:
    return learner().network()


def opened() -> stier.State:
    state = stier.load_game("kuhn_poker").new_initial_state(seed=1)
    state.apply_action(state.string_to_action("pass"))
    return state


#: The forms of an agent: made from the name of the module, and true if it is one of the engine.
FORMS: dict[str, tuple[Callable[[str], Any], bool]] = {
    "text": (lambda module: "ismcts:iterations=4,seed=3", True),
    "agent": (lambda module: stier.load_agent("ismcts:iterations=4,seed=3", "kuhn_poker"), True),
    "name of an agent": (lambda module: f"{module}:engine", True),
    "name of a function": (lambda module: f"{module}:first", False),
    "name of a class": (lambda module: f"{module}:Last", False),
    "name of a solution": (lambda module: f"{module}:table", False),
    "function": (lambda module: _imports.load(f"{module}:first"), False),
    "object": (lambda module: _imports.load(f"{module}:one"), False),
    "Python agent": (lambda module: stier.PythonAgent(_imports.load(f"{module}:first"), "mine"), False),
    "solution": (lambda module: _imports.load(f"{module}:table"), False),
    "file of a solution": (lambda module: saved(module), False),
}


def saved(module: str) -> str:
    _imports.load(f"{module}:table").save("kuhn.policy")
    return "kuhn.policy"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tool", [*TAKING, *OF_ENGINE, *SEARCHING])
def test_every_tool_takes_every_form_or_says_why_not(module: str, tool: str, form: str) -> None:
    pytest.importorskip(EXTRAS.get(tool, "stier"))
    make, of_engine = FORMS[form]
    agent = make(module)
    if tool == "schwingfest" and ("solution" in form or form.endswith("agent")) and form != "Python agent":
        with pytest.raises(stier.AgentError, match=r"for kuhn_poker, (not for|the state is of) schwinget"):
            TAKING[tool](agent)
        return
    take = (TAKING | OF_ENGINE | SEARCHING)[tool]
    if of_engine or tool in TAKING:
        shown = take(agent)
        if isinstance(agent, str):
            assert shown in (None, agent, "ismcts:iterations=4,seed=3" if of_engine else "cfr+")
        return
    why = "is not an agent of the engine. VectorEnv and " if tool in OF_ENGINE else "does not search"
    with pytest.raises(stier.AgentError, match=why):
        take(agent)


#: Texts that name nothing that plays, and the error.
WRONG = {
    "MODULE:numbre": "has no 'numbre'; did you mean 'number'? Names: made, first, Last, make, engine, one, ",
    "MODULE:Last.Outer": "MODULE.Last has no 'Outer'; ",
    "MODULE:number": "must name a function f(state) -> action, an object with step(state), or a class or function that "
    "makes one of them without arguments, got int",
    "MODULE:Needs": "without arguments: missing a required argument: 'budget'",
    "MODULE:Idle": "without arguments, got Idle",
    "MODULE:two": "without arguments: missing a required argument: 'a'",
    "MODULE:nothing": "without arguments, got int",
    "MODULE:Last(games=1)": "arguments are not allowed",
    "no_such_module:first": "there is no module 'no_such_module' in ",
    "MODULE.sub:first": "there is no module 'MODULE.sub' in ",
    "broken:first": "importing broken raised NameError: name 'undefined' is not defined",
    "wrong:first": "importing wrong raised SyntaxError: ",
    "needing:first": "needing needs a module that is not installed: No module named 'no_such_module'",
}


@pytest.mark.parametrize("text", WRONG)
def test_errors_name_the_module_and_what_it_lacks(module: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, line in [("broken", "undefined"), ("wrong", "def"), ("needing", "import no_such_module")]:
        Path(f"{name}.py").write_text(f"{line}\n")
    text, error = (one.replace("MODULE", module) for one in (text, WRONG[text]))
    with pytest.raises(stier.AgentError) as caught:
        stier.pit("kuhn_poker", ["random", text], deals=1)
    assert str(caught.value).startswith(text)
    assert error in str(caught.value)
    assert main(["pit", "kuhn_poker", "random", text, "--deals", "1", "--no-progress"]) == 2
    assert capsys.readouterr().err == f"stier: {caught.value}\n"


@pytest.mark.parametrize("name", PLAYING)
def test_everything_that_plays_can_be_named(module: str, name: str) -> None:
    text = f"{module}:{name}"
    found = stier.pit("kuhn_poker", ["random", text], deals=3, seed=2)
    own = _imports.load(text)
    own = own() if name in ("Last", "Last.Inner", "make", "engine") else own
    same = own if name in ("engine", "table") else stier.PythonAgent(own, text)
    assert stier.pit("kuhn_poker", ["random", same], deals=3, seed=2) == found


def test_each_player_has_an_object_of_its_own(module: str) -> None:
    text = f"{module}:Last"
    made = _imports.load(f"{module}:made")
    before = len(made)
    found = stier.pit("kuhn_poker", [text, text], deals=3)
    assert [one.games for one in made[before:]] == [len(found.games)] * 2
    before = len(made)
    found = stier.exploit("kuhn_poker:players=3", text, "random", deals=1).games
    assert len(made) == before + 2
    # A player whose turn never comes is not restarted.
    assert made[-1] is not made[-2]
    assert all(0 < one.games <= len(found.games) for one in made[-2:])


def test_an_agent_that_is_checked_is_made_once(module: str) -> None:
    made = _imports.load(f"{module}:made")
    before = len(made)
    stier.check_no_leak("kuhn_poker", games=1, agents=[f"{module}:Last"])
    assert sum(not one.games for one in made[before:]) == 1


def test_the_current_folder_is_searched_as_by_python(module: str) -> None:
    """The command `stier` begins without it."""
    program = (
        "import sys; sys.path[:] = filter(None, sys.path); from stier.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "pit", "kuhn_poker", "random", f"{module}:Last", "--deals", "2"]
    for safe, code in [("", 0), ("1", 2)]:
        found = subprocess.run(command, env={**os.environ, "PYTHONSAFEPATH": safe}, capture_output=True, text=True)
        if not safe or sys.version_info >= (3, 11):
            assert found.returncode == code, found.stderr


def in_process(program: str) -> str:
    """Runs a program in the current folder and returns what it prints."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_experiments_keep_rows_by_the_source_of_their_agents(module: str) -> None:
    pytest.importorskip("pyarrow")
    program = f"""
        from stier import experiments
        plan = experiments.Experiment("kuhn_poker", {{"luck": "random", "last": "{module}:Last"}}, deals=4)
        others = [
            ("suite", {{"games": ["kuhn_poker"], "deals": 2, "agents": ["random", "{module}:Last"]}}),
            ("exploitability", {{"game": "kuhn_poker", "budgets": [2], "agents": ["{module}:elsewhere"]}}),
        ]
        plans = [plan, *(experiments._run.from_dict({{"kind": kind, **given}}) for kind, given in others)]
        for number, one in enumerate(plans):
            store = experiments.run(one, f"out{{number}}", threads=1)
            print(sorted(one.networks), [one.task(part).key for part in range(one.parts())])
    """
    first = in_process(program).splitlines()
    helping = module.replace("agents", "helping")
    assert first[0].startswith(f"['module {module}'] ")
    assert first[2].startswith(f"['module {module}', 'module {helping}'] ")
    assert in_process(program).splitlines() == first
    with Path(f"{helping}.py").open("a") as file:
        file.write("# another line\n")
    changed = f"""
        from stier import experiments, StierError
        plan = experiments.Experiment("kuhn_poker", {{"luck": "random", "last": "{module}:elsewhere"}}, deals=4)
        before = plan.task(0).key
        with open("{helping}.py", "a") as file:
            file.write("# and another")
        again = lambda: experiments.Experiment("kuhn_poker", ["random", "{module}:elsewhere"])
        for call in (plan.check_networks, again):
            try:
                call()
            except StierError as error:
                print(error)
    """
    assert in_process(changed).splitlines() == [
        f"module {helping} has changed since the experiment began: restore it",
        f"{module}:elsewhere: {helping} has changed since it was imported: start Python anew",
    ]
    with Path(f"{module}.py").open("a") as file:
        file.write("# another line\n")
    program = program.replace("experiments.run(one, f", "experiments._run.begin(one, experiments._run.Path('new') / f")
    program = program.replace(", threads=1", "")
    second = in_process(program).splitlines()
    assert not {*first} & {*second}
    refused = f"""
        from stier import experiments, ArgumentError
        plan = experiments.Experiment("kuhn_poker", {{"luck": "random", "last": "{module}:Last"}}, deals=4)
        try:
            experiments.run(plan, "out0")
        except ArgumentError as error:
            print(error)
    """
    assert f"out0 has another experiment (other content of module {module})" in in_process(refused)


def test_what_pit_accepts_an_experiment_accepts(module: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from stier import experiments

    texts = [f"{module}:{name}" for name in PLAYING if name not in ("engine", "bound", "counted")]
    plan = experiments.Experiment("kuhn_poker", texts, deals=3, deals_per_part=2)
    store = experiments.run(plan, tmp_path / "out")
    assert str(experiments.report(store)).count(f"{module}:Last.Inner") > 2
    objects = {"Last": _imports.load(f"{module}:Last"), "first": _imports.load(f"{module}:first")}
    named = experiments.Experiment("kuhn_poker", objects, deals=3)
    assert named.agents == {name: f"{module}:{name}" for name in objects}
    engine = experiments.Experiment("kuhn_poker", [stier.load_agent("greedy", "kuhn_poker"), f"{module}:engine"])
    assert engine.agents == {"greedy": "greedy", f"{module}:engine": "ismcts:iterations=4,seed=3"}
    for wrong in (lambda state: 0, _imports.load(f"{module}:one"), 3):
        with pytest.raises(stier.ArgumentError, match="a later run must find an agent of an experiment again"):
            experiments.Experiment("kuhn_poker", ["random", wrong])  # type: ignore[list-item]


def test_the_file_of_a_solution_is_an_agent(module: str) -> None:
    pytest.importorskip("pyarrow")
    from stier import experiments

    solution = stier.solve("kuhn_poker", iterations=20)
    solution.save("kuhn.policy")
    named = stier.PythonAgent(solution, "kuhn.policy")
    found = stier.pit("kuhn_poker", ["random", "kuhn.policy"], deals=3)
    assert found == stier.pit("kuhn_poker", ["random", named], deals=3)
    assert stier.exploitability("kuhn_poker", "kuhn.policy") == pytest.approx(solution.exploitability)
    assert stier.exploit("kuhn_poker", "kuhn.policy", "random", deals=2).agent == "kuhn.policy"
    plan = experiments.Experiment("kuhn_poker", ["random", "kuhn.policy"], deals=3)
    assert list(plan.networks) == ["kuhn.policy"]
    assert experiments.run(plan, "out").complete
    stier.solve("kuhn_poker", iterations=30).save("kuhn.policy")
    with pytest.raises(stier.ArgumentError, match=r"kuhn\.policy has changed since the experiment began"):
        plan.check_networks()
    assert experiments.Experiment("kuhn_poker", ["random", "kuhn.policy"], deals=3).task(0).key != plan.task(0).key
    with pytest.raises(stier.AgentError, match=r"kuhn\.policy is for kuhn_poker, not for leduc_poker"):
        experiments.Experiment("leduc_poker", ["random", "kuhn.policy"])
    with pytest.raises(stier.AgentError, match=r"kuhn\.policy is a file: read a solution by "):
        stier.load_agent("kuhn.policy", "kuhn_poker")
    with pytest.raises(stier.FileError, match=r"none\.policy"):
        experiments.Experiment("kuhn_poker", ["random", "none.policy"])


def test_a_plan_names_them(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    Path("plan.toml").write_text(f'game = "kuhn_poker"\ndeals = 4\n[agents]\nlast = "{module}:Last"\nluck = "random"\n')
    assert main(["run", "plan.toml", "--no-progress"]) == 0
    assert main(["report", "out/plan"]) == 0
    assert "last" in capsys.readouterr().out
    # The same cards and random numbers as in a match of these agents.
    from stier import experiments

    rows = experiments.load("out/plan").to_pandas()
    seed = stier.derive_seed(0, "experiment", 0)
    same = stier.pit("kuhn_poker", [f"{module}:Last", "random"], deals=4, seed=seed)
    assert [list(row) for row in rows["returns"]] == [list(played.returns) for played in same.games]


@pytest.mark.parametrize("kind", ["matches", "suite", "exploitability"])
@pytest.mark.parametrize("gone", [False, True])
def test_finished_results_are_read_whatever_became_of_their_files(
    kind: str, gone: bool, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are reported with a warning that names the files; nothing is played on with other ones."""
    pytest.importorskip("pyarrow")
    from stier import experiments
    from stier.network import Network

    game = module.replace("agents", "kuhn")
    source = (Path(__file__).parents[1] / "examples" / "kuhn.py").read_text("utf-8")
    Path(f"{game}.py").write_text(source.replace('name = "kuhn"', f'name = "{game}"'))
    helping = module.replace("agents", "helping")
    Network.random(stier.load_game("kuhn_poker"), hidden=(4,)).save("net.safetensors")
    agents = {"mine": f"{module}:elsewhere", "net": "network:path=net.safetensors,choose=sample"}
    played = f"{game}:Kuhn" if not gone else "kuhn_poker"
    if played != "kuhn_poker":
        del agents["net"]  # it is for the other game
        agents["luck"] = "random"

    def plan(deals: int = 6) -> experiments.Plan:
        if kind == "exploitability":
            return experiments.Exploitability({"game": played, "agents": list(agents.values()), "seed": deals})
        one = experiments.Suite([played], agents, deals=deals, deals_per_part=3)
        return one if kind == "suite" else experiments.Experiment(played, agents, deals=deals, deals_per_part=3)

    text = str(experiments.report(experiments.run(plan(), "out/plan")))
    before = plan(9)
    assert before.networks
    changed = [f"module {helping}", "net.safetensors" if gone else f"module {game}"]
    for name in (f"{helping}.py", "net.safetensors" if gone else f"{game}.py"):
        if gone:
            Path(name).unlink()
        else:
            with Path(name).open("ab") as file:
                file.write(b"# another line\n")
    with pytest.warns(stier.ChangedWarning) as told:
        store = experiments.load("out/plan")
    assert all(name in str(told[0].message) for name in changed)
    assert store.complete
    assert str(experiments.report(store)) == text
    listed = ", ".join(f"{name!r}" for name in agents.values()).replace("'", '"')
    Path("plan.toml").write_text(f'games = ["{played}"]\nagents = [{listed}]\n')
    assert main(["report", "out/plan"]) == 0
    found = capsys.readouterr()
    assert found.err.startswith("warning: ")
    assert found.out.startswith(text)
    for again in (lambda: experiments.run(store.experiment, "out/plan"), lambda: experiments.run(before, "out/plan")):
        with pytest.raises(stier.ArgumentError, match="has changed since the experiment began: restore it"):
            again()
    assert main(["run", "plan.toml", "--out", "out/plan", "--no-progress"]) == 2


def test_agents_and_games_of_a_script_are_refused_in_words() -> None:
    pytest.importorskip("pyarrow")
    program = """
        from stier import experiments, ArgumentError
        def mine(state):
            return 0
        try:
            experiments.Experiment("kuhn_poker", ["random", mine])
        except ArgumentError as error:
            print(error)
    """
    assert "put it into a file of its own, not into the script that runs" in in_process(program)


def test_an_agent_that_raises_is_named_in_everything_that_plays(
    module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """So are the game and its history, in one line on the command line."""
    pytest.importorskip("pyarrow")
    from stier import experiments

    agent, begun = f"{module}:fails", stier.load_game("kuhn_poker").new_initial_state()
    for outcome in (0, 1):
        begun.apply_action(outcome)
    for call in (
        lambda: stier.pit("kuhn_poker", [agent, "random"], deals=1),
        lambda: experiments.run(experiments.Experiment("kuhn_poker", [agent, "random"], deals=1), "one"),
        lambda: experiments.run(experiments.Suite(["kuhn_poker"], [agent, "random"], deals=1), "two"),
        lambda: stier.exploit("kuhn_poker", agent, "random", deals=2),
        lambda: stier.exploitability("kuhn_poker", agent),
        lambda: stier.PythonAgent(_imports.load(agent), agent).step(begun),
    ):
        with pytest.raises(stier.AgentError) as found:
            call()
        said = f"agent {module}:fails in kuhn_poker raised ZeroDivisionError, after "
        assert str(found.value).startswith(said)
        assert ": no bet (" in str(found.value)
        assert re.search(r"\.py, line \d+\)$", str(found.value))
        assert isinstance(found.value.__cause__, ZeroDivisionError)
    Path("plan.toml").write_text(f'game = "kuhn_poker"\nagents = ["{agent}", "random"]\ndeals = 1\n')
    for command in (["pit", "kuhn_poker", agent, "random"], ["run", "plan.toml"]):
        assert main([*command, "--no-progress"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_any_text_may_be_asked_for_a_name() -> None:
    assert not any(
        map(stier.playing.is_named, ["x" * 5000, "a\0b", "", "greedy", "ismcts:iterations=5", "0.5 of them."])
    )
