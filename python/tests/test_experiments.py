"""Experiments: what is kept, killed and gone on with, told and learnt from."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import forget, kept

import stier
from stier.cli import main

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from stier import experiments, ratings  # noqa: E402
from stier.experiments import Experiment, Store  # noqa: E402

AGENTS = {"luck": "random", "advice": "greedy", "search": "ismcts:iterations=30"}

TOML = """
game = "schwinget"
deals = 10
deals_per_part = 4
seeds = [5, 6]

[rules]
scoring = "schwinger"

[agents]
luck = "random"
advice = "greedy"
search = "ismcts:iterations=30"
"""


def small(**changes) -> Experiment:
    settings = {"rules": {"scoring": "schwinger"}, "deals": 10, "deals_per_part": 4, "seeds": (5, 6), **changes}
    return Experiment("schwinget", settings.pop("agents", AGENTS), **settings)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return experiments.run(small(), tmp_path_factory.mktemp("small"))


def test_a_file_says_what_is_played(tmp_path: Path) -> None:
    path = tmp_path / "first.toml"
    path.write_text(TOML)
    found = experiments.read(path)
    assert found == small()
    assert found.games == 10 * 2 * 3 * 2
    assert found.tables == [("luck", "advice"), ("luck", "search"), ("advice", "search")]
    parts = [found.task(number).what for number in range(found.parts())]
    assert sorted((part.seed, part.pairing, part.first, part.deals) for part in parts) == sorted(
        (seed, pairing, first, min(4, 10 - first)) for seed in (5, 6) for pairing in range(3) for first in (0, 4, 8)
    )
    path.write_text('game = "schwimmen"\nagents = ["random", "greedy", "random:seed=1"]\nseed = 3\ndeals = 1\n')
    found = experiments.read(path)
    assert (found.names, found.seeds) == (["random", "greedy", "random:seed=1"], [3])


def test_equal_experiments_have_the_same_keys() -> None:
    assert small().task(0).key == small(agents=dict(AGENTS), deals=1000).task(0).key
    others = [
        small(seeds=[5]),
        small(paired=False),
        small(deals_per_part=5),
        small(rules={}),
        small(agents={"a": "random", "b": "greedy"}),
        small(pairings=[["luck", "luck"]]),
    ]
    assert len({one.task(0).key for one in [small(), *others]}) == 7


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("game = ", "Invalid value"),
        ('agents = ["random", "greedy"]', "game is missing"),
        ('game = "schwinget"', "agents is missing"),
        ('game = "schwinget"\nagents = 3', "agents must be a table or a list, got 3"),
        (
            'game = "schwinget"\nagents = ["random", "greedy"]\ndeal = 3',
            "unknown key 'deal'; did you mean 'deals'?",
        ),
        ('game = "jass"\nagents = ["random", "greedy"]', "unknown game 'jass'; games: "),
        ('game = "schwinget"\nagents = ["random", "nobody"]', "agents: "),
        ('game = "schwinget"\nagents = ["random", "random"]', "give them names"),
        ('game = "schwinget"\nagents = ["random"]', "needs at least 2 agents"),
        ('game = "schwinget"\nagents = ["random", "ismcts:time_ms=5"]', "set iterations"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\ndeals = 0', "deals must be "),
        ('game = "schwinget"\nagents = ["random", "greedy"]\ndeals = true', "deals must be a whole number, got True"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\npaired = 1', "paired must be true or false"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\nseed = -1', "seed must be "),
        ('game = "schwinget"\nagents = ["random", "greedy"]\nseeds = [1, 1]', "different numbers"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\nseeds = []', "one or more"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\nseed = 1\nseeds = [1]', "seed or seeds, not both"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\npairings = [["random"]]', "a pairing must have 2 names"),
        (
            'game = "schwinget"\nagents = ["random", "greedy"]\npairings = [["random", "x"]]',
            "agents: random, greedy",
        ),
        ('game = "schwinget"\nagents = ["random", "greedy"]\nrules = "x"', "rules must be a table"),
        ('game = "schwinget"\nagents = ["random", "greedy"]\n[rules]\nbouts = 99', "between 1 and 12"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(text: str, named: str, tmp_path: Path, capsys) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        experiments.read(path)
    assert named in str(caught.value)
    assert str(path) in str(caught.value)
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 2
    assert named in capsys.readouterr().err


def test_a_row_is_a_game(played: Store) -> None:
    frame = played.to_pandas()
    assert len(frame) == played.experiment.games
    game = played.experiment.load_game()
    assert set(frame["rules"]) == {"schwinget:scoring=schwinger"}
    assert stier.load_game(frame["rules"][0]) == game
    for row in frame.itertuples():
        state = game.new_initial_state()
        for action in row.actions:
            state.apply_action(int(action))
        assert state.is_terminal()
        assert state.returns().tolist() == list(row.returns)
        assert [AGENTS[name] for name in row.names] == list(row.agents)
        assert set(row.names) == set(played.experiment.tables[row.pairing])
    # Every deal is played from both seats by every pairing, with the same cards.
    for _, deal in frame.groupby(["seed", "deal"]):
        assert len(deal) == 3 * 2
        assert len({tuple(sorted(names)) for names in deal["names"]}) == 3
        assert len({tuple(names) for names in deal["names"]}) == 6
        assert len({tuple(actions[:10]) for actions in deal["actions"]}) == 1
    assert frame.groupby(["seed", "deal"]).ngroups == 20


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("name", ["schwinget", "schwimmen"])
def test_naming_the_agents_in_another_order_gives_the_same_numbers(name: str, paired: bool, tmp_path: Path) -> None:
    agents = {"b": "random", "a": "random", "search": "ismcts:iterations=10", "advice": "greedy"}
    standings = []
    for order in [list(agents), sorted(agents), list(reversed(agents))]:
        experiment = Experiment(name, {name: agents[name] for name in order}, deals=6, deals_per_part=4, paired=paired)
        found = experiments.report(experiments.run(experiment, tmp_path / "-".join(order)), resamples=100).tables
        exact = ["agent", "mean", "mean_ci95", "wins", "wins_low", "wins_high"]
        standings.append(found["standings"].sort_values("agent")[exact].to_numpy().tolist())
    assert standings[0] == standings[1] == standings[2]


def test_deals_without_pairs_have_cards_of_their_own(tmp_path: Path) -> None:
    frame = experiments.run(small(paired=False, seeds=[5]), tmp_path).to_pandas()
    assert sorted(set(frame["deal"])) == list(range(20))
    assert all(len(deal) == 3 for _, deal in frame.groupby("deal"))


@pytest.mark.parametrize("name", stier.registered_names())
def test_all_games_are_played(name: str, tmp_path: Path) -> None:
    game = stier.load_game(name)
    agents = {f"agent {seat}": f"random:seed={seat}" for seat in range(game.num_players())}
    games = experiments.run(Experiment(name, agents, deals=3, deals_per_part=2), tmp_path, threads=1)
    assert len(games.to_pandas()) == games.experiment.games == 3 * {2: 2, 3: 6, 4: 24}[game.num_players()]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    """One that takes long enough to be killed in the middle, and what it comes to undisturbed."""
    folder = tmp_path_factory.mktemp("long")
    toml = folder / "long.toml"
    toml.write_text(TOML.replace("iterations=30", "iterations=2000").replace("deals = 10", "deals = 16"))
    return toml, experiments.run(toml, folder / "whole", threads=2)


@pytest.mark.parametrize("threads", [1, 2])
def test_killed_at_any_moment_it_ends_with_the_same_bytes(
    threads: int, long: tuple[Path, Store], tmp_path: Path
) -> None:
    toml, whole = long
    out = tmp_path / "out"
    command = [sys.executable, "-m", "stier", "run", str(toml), "--out", str(out), "--threads", str(threads)]
    for parts in (2, 9)[:threads]:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while len(kept(out)) < parts:
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            process.kill()
    left = experiments.load(out)
    assert not left.complete
    with pytest.raises(ValueError, match="has not been played"):
        left.part(left.missing()[0])
    there = kept(out)
    assert main(["run", str(toml), "--out", str(out), "--threads", str(threads), "--no-progress"]) == 0
    assert kept(out) == kept(whole.folder)
    assert there.items() <= kept(out).items()
    saved = [tmp_path / "out.parquet", tmp_path / "whole.parquet"]
    for folder, path in zip((out, whole.folder), saved, strict=True):
        experiments.load(folder).save(path)
    assert saved[0].read_bytes() == saved[1].read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_ctrl_c_leaves_whole_parts(long: tuple[Path, Store], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stier", "run", str(long[0]), "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not kept(tmp_path / "out"):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=40)
    assert process.returncode == 130
    said = r"stopped: \d+ of 24 parts are in .*out, and the same command continues\nstier: interrupted\n$"
    assert re.search(said, err)
    left = experiments.load(tmp_path / "out")
    assert not left.complete
    assert len(left.to_arrow()) > 0


def test_an_interrupt_before_the_first_part_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toml, out = tmp_path / "small.toml", tmp_path / "out"
    toml.write_text(TOML, encoding="utf-8")

    def interrupted(*_: object) -> Store:
        raise KeyboardInterrupt

    monkeypatch.setattr("stier.experiments._run.begin", interrupted)
    assert main(["run", str(toml), "--out", str(out)]) == 130
    said = f"stopped: 0 of {small().parts()} parts are in {out}, and the same command continues\nstier: interrupted\n"
    assert capsys.readouterr().err.endswith(said)
    assert main(["run", str(toml), "--out", str(out), "--no-progress"]) == 130
    assert capsys.readouterr().err == "stier: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_an_interrupt_of_an_import_says_how_to_go_on(tmp_path: Path) -> None:
    script = """
import os, signal, sys, time
class Interrupted:
    def find_spec(name, *_):
        if name == "pyarrow":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
sys.meta_path.insert(0, Interrupted)
from stier.cli import main
sys.exit(main())
"""
    command = [sys.executable, "-c", script, "run", str(tmp_path / "first.toml"), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    kept = f"stopped: what has been played is in {tmp_path / 'out'}, and the same command continues"
    assert done.stderr == f"{kept}\nstier: interrupted\n"


def test_another_experiment_is_refused(played: Store) -> None:
    before = kept(played.folder)
    for other, named in [
        (small(seeds=[5, 7]), r"seeds: \[5, 6\] there, \[5, 7\] here"),
        (small(paired=False), "paired: True there, False here"),
        (small(rules={"scoring": "schwinger", "bouts": 2, "hand_size": 4}), r"experiment \(other rules\): choose"),
    ]:
        with pytest.raises(ValueError, match=named):
            experiments.run(other, played.folder)
    assert kept(played.folder) == before
    with pytest.raises(ValueError, match="out must be the folder of the results"):
        experiments.run(small())


def test_more_deals_go_on_from_full_parts(tmp_path: Path) -> None:
    few = experiments.run(small(deals=8), tmp_path / "grown")
    before = kept(few.folder)
    grown = experiments.run(small(deals=10), tmp_path / "grown")
    whole = experiments.run(small(deals=10), tmp_path / "whole")
    assert kept(grown.folder) == kept(whole.folder)
    assert before.items() <= kept(grown.folder).items()
    assert grown.to_arrow().equals(whole.to_arrow())
    # A part that was not full is played again, and fewer deals are those at the beginning.
    more = experiments.run(small(deals=12), tmp_path / "grown")
    assert more.to_arrow().equals(experiments.run(small(deals=12), tmp_path / "more").to_arrow())
    assert experiments.run(small(deals=8), tmp_path / "grown").to_arrow().equals(few.to_arrow())
    assert str(experiments.report(tmp_path / "grown")) == str(experiments.report(few))


def test_reports_are_what_the_games_say(played: Store, tmp_path: Path) -> None:
    found = experiments.report(played)
    frame = played.to_pandas()
    for row in found.tables["standings"].itertuples():
        own = np.array(
            [value for names, values in zip(frame["names"], frame["returns"], strict=True)
             for name, value in zip(names, values, strict=True) if name == row.agent]
        )  # fmt: skip
        assert row.mean == pytest.approx(own.mean(), abs=1e-6)
        assert (row.text, row.deals) == (AGENTS[row.agent], 20)
        assert row.rating_low < row.rating < row.rating_high
    assert len(found.tables["meetings"]) == 6
    assert found.tables["equilibrium"]["weight"].sum() == pytest.approx(1)
    assert str(ratings.cross_table(played)) in str(found)
    assert str(found).startswith("schwinget:scoring=schwinger, 10 paired deals, 2 seeds, 120 games\n")
    saved = found.save(tmp_path)
    assert sorted(path.name for path in saved) == ["equilibrium.csv", "meetings.csv", "page.md", "standings.csv"]
    assert pd.read_csv(tmp_path / "standings.csv")["agent"].tolist() == list(AGENTS)
    drawn = found.draw(tmp_path)
    assert [path.name for path in drawn] == ["strength.png", "cross_table.png", "ratings.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_reports_of_one_deal_have_no_interval(tmp_path: Path) -> None:
    found = experiments.report(experiments.run(small(deals=1, seeds=[5]), tmp_path / "one"))
    paths = found.save(tmp_path)
    for text in [str(found.cross_table), *(path.read_text() for path in paths if path.suffix == ".csv")]:
        assert not re.search(r"\b(inf|nan)\b|±", text.lower())
    assert np.isnan(found.tables["standings"][["mean_ci95", "wins_low", "wins_high"]]).all(axis=None)


def test_reports_of_part_of_the_games_say_so(tmp_path: Path) -> None:
    games = experiments.run(small(deals=4), tmp_path)
    forget(games, 5)
    assert "40 games of 48: not all have been played yet" in str(experiments.report(tmp_path))
    forget(games, *range(5))
    with pytest.raises(ValueError, match="there are no games yet"):
        experiments.report(tmp_path)


def test_reports_of_more_players_have_their_ratings(tmp_path: Path) -> None:
    pytest.importorskip("openskill")
    agents = ["random", "greedy", "random:seed=1"]
    found = experiments.report(experiments.run(Experiment("schwimmen", agents, deals=20), tmp_path), resamples=5)
    assert found.ratings is not None
    assert found.ratings.agents[found.ratings.order()[0]] == "greedy"
    assert "Plackett-Luce" in str(found)
    assert "equilibrium" not in found.tables


def test_reports_say_why_a_table_is_missing(played: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise stier.RatingError("too hard")

    monkeypatch.setattr("stier.experiments._match_page.nash_averaging", fail)
    found = experiments.report(played)
    assert "The table shows no equilibrium: too hard.\n" in str(found)
    assert set(found.tables) == {"standings", "meetings"}


#: A game for three among games for two.
GAMES = ["kuhn_poker", "schwinget:bouts=2", "kuhn_poker:players=3"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Store:
    plan = experiments.Suite(GAMES, {"luck": "random", "advice": "greedy"}, deals=12, deals_per_part=5, seeds=[1, 2])
    return experiments.run(plan, tmp_path_factory.mktemp("suite"))


def test_a_suite_has_the_games_of_each_experiment(suite: Store, tmp_path: Path) -> None:
    plan = suite.experiment
    assert isinstance(plan, experiments.Suite)
    assert list(plan.experiments) == GAMES
    pairs = [("luck", "luck", "advice"), ("luck", "advice", "advice")]
    assert [one.tables for one in plan.experiments.values()] == [[("luck", "advice")], [("luck", "advice")], pairs]
    for game, own in plan.stores(suite).items():
        assert own.complete
        alone = experiments.run(own.experiment, tmp_path / str(GAMES.index(game)))
        assert alone.to_arrow().equals(own.to_arrow())
        assert str(ratings.cross_table(alone)) == str(ratings.cross_table(own))
    sizes = [plan.task(number).size for number in range(plan.parts())]
    assert sum(sizes) == sum(one.games for one in plan.experiments.values()) == len(suite.to_arrow())
    # The first deals of all games come first.
    assert [plan.task(number).what[0] for number in range(plan.parts())] == [0, 0, 1, 1, 2, 2, 2, 2] * 3


def test_a_suite_grows(suite: Store) -> None:
    before = kept(suite.folder)
    agents = suite.experiment.experiments["kuhn_poker"].agents
    grown = experiments.Suite([*GAMES, "schwinget"], agents, deals=14, deals_per_part=5, seeds=[1, 2])
    missing = experiments._run.begin(grown, suite.folder).missing()
    # The last parts were not full.
    assert len(missing) == 6 + 8
    experiments._run.begin(suite.experiment, suite.folder)
    assert kept(suite.folder) == before


def test_a_suite_has_one_report(suite: Store, tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    path.write_text(
        f"games = {GAMES}\nagents = {{ luck = 'random', advice = 'greedy' }}\ndeals = 12\ndeals_per_part = 5\n"
        "seeds = [1, 2]\nabout = 'Three games.'\ntables = 'tables'\nfigures = 'pictures'\npage = 'PAGE.md'\n"
    )
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "PAGE.md").read_text("utf-8")
    best = "**`advice` has the highest mean return in 3 of 3 games.** By 95 % intervals, `advice` is ahead of all "
    assert page.startswith(f"# Which agent is strongest?\n\n{best}")
    folded = re.findall(r"<summary>(.*?)</summary>", page)
    assert folded == ["About", "Each agent in each game", *(f"<code>{game}</code>" for game in GAMES), "Machines"]
    assert f"```sh\nstier run {path.as_posix()}\n```" in page
    assert (tmp_path / "out").exists()
    assert main(["report", str(tmp_path / "out")]) == 0
    assert (tmp_path / "PAGE.md").read_text("utf-8") == page
    linked = re.findall(r"\]\((.*?)\)", page)
    assert len(linked) == 1 + 2 * 3
    assert all((tmp_path / one).read_bytes().startswith(b"\x89PNG") for one in linked)
    standings = pd.read_csv(tmp_path / "tables" / "standings.csv")
    assert standings["game"].tolist() == [game for game in GAMES for _ in range(2)]
    alone = [experiments.report(own).tables["standings"] for own in suite.experiment.stores(suite).values()]
    assert standings["mean"].tolist() == pytest.approx(pd.concat(alone)["mean"].tolist(), rel=1e-5)
    wins = standings.groupby("agent")["wins"].mean()
    mean = standings.groupby("agent")["mean"].mean()
    assert f"| {mean['luck']:.2f}, {100 * wins['luck']:.1f} % |\n" in page
    begun = experiments._run.begin(suite.experiment, tmp_path / "begun")
    assert "24 of 24 parts have not been played yet." in str(experiments.report(begun))
    with pytest.raises(ValueError, match="must be an experiment of the kind matches, got suite"):
        ratings.cross_table(suite)


@pytest.mark.parametrize(
    ("games", "agents", "error"),
    [
        ([], ["random", "greedy"], "games must be a list of one or more different games, got []"),
        ("kuhn_poker", ["random", "greedy"], "games must be a list of one or more different games, got 'kuhn_poker'"),
        (["kuhn_poker", "kuhn_poker:players=2"], ["random", "greedy"], "two of the games are the same"),
        (["kuhn_poker", "jass"], ["random", "greedy"], "unknown game 'jass'"),
        (["kuhn_poker", "schwimmen"], ["random"], "a match needs at least 2 agents, got 1"),
        (["schwinget", "leduc_poker"], ["random", "greedy"], "leduc_poker has no built-in policy"),
    ],
)
def test_wrong_suites_are_refused(games: list[str], agents: list[str], error: str) -> None:
    with pytest.raises(stier.StierError) as caught:
        experiments.Suite(games, agents)
    assert error in str(caught.value)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml, out = tmp_path / "first.toml", tmp_path / "out"
    toml.write_text(TOML)
    assert main(["run", str(toml), "--out", str(out)]) == 0
    said = f"120 games in {out}\n{experiments.report(out)}\nstier report {out}\n"
    assert capsys.readouterr().out == said
    assert "mean return, row against column:" in said
    assert main(["report", str(out), "--rows", str(tmp_path / "games.parquet")]) == 0
    assert pd.read_parquet(tmp_path / "games.parquet").equals(experiments.load(out).to_pandas())
    printed = capsys.readouterr().out
    assert printed.startswith(str(experiments.report(out)))
    assert f"figures in {out / 'figures'}" in printed
    assert (out / "tables" / "standings.csv").exists()
    assert main(["report", str(tmp_path / "nothing")]) == 1
    assert "does not contain an experiment" in capsys.readouterr().err


def test_progress_counts_what_was_there(tmp_path: Path, terminal: pytest.CaptureFixture[str]) -> None:
    games = experiments.run(small(deals=8), tmp_path)
    forget(games, 3)
    experiments.run(small(deals=8), tmp_path, progress=True)
    assert "96/96" in terminal.readouterr().err
