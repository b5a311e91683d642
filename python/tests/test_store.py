"""The database of an experiment: parts are whole or not there, by one process at a time, and never of another plan."""

from __future__ import annotations

import copy
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from helpers import kept

import stier
from stier import _content
from stier.cli import main
from stier.errors import ArgumentError, FileError, StierError

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from test_kinds import ATTACK, LADDER, STRENGTH, TRAINING

from stier import experiments
from stier.experiments import Experiment, Store, _plans, _store
from stier.experiments._run import begin, from_dict, tomllib
from stier.network import Network

GAME = "kuhn_poker"
FILE = "experiment.sqlite"


def plan(deals: int = 8, **changes: Any) -> Experiment:
    settings: dict[str, Any] = {"agents": ["random", "greedy"], "deals": deals, "deals_per_part": 2, **changes}
    return Experiment(GAME, settings.pop("agents"), **settings)


def with_network(path: Path | str, seed: int = 1) -> Experiment:
    Network.random(stier.load_game(GAME), hidden=(8,), seed=seed).save(path)
    return plan(agents={"net": f"network:path=({path})", "other": "greedy"})


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return experiments.run(plan(), tmp_path_factory.mktemp("played"))


@pytest.fixture
def copied(played: Store, tmp_path: Path) -> Store:
    shutil.copytree(played.folder, tmp_path / "copied")
    return Store(played.experiment, tmp_path / "copied")


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute(statement, values)


def test_no_changed_byte_gives_other_rows(copied: Store) -> None:
    path, whole = copied.folder / FILE, copied.to_arrow()
    good, rng = path.read_bytes(), random.Random(0)
    # The header, and places all over the file; then shorter and longer files.
    places = [*range(100), *sorted(rng.sample(range(100, len(good)), 300))]
    flips = [good[:place] + bytes([good[place] ^ 1 << rng.randrange(8)]) + good[place + 1 :] for place in places]
    cut = [good[:size] for size in (1, 50, 512, len(good) // 2, len(good) - 4096, len(good) - 1)]
    noticed = 0
    for damaged in [*flips, *cut, good + b"more", b"nonsense" * 999, bytes(len(good))]:
        path.write_bytes(damaged)
        try:
            rows = experiments.load(copied.folder).to_arrow()
        except StierError as error:
            noticed += str(path) in str(error)
        else:
            assert rows.equals(whole)
    # The others are in bytes that mean nothing.
    assert noticed > 100


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE kept SET content = (SELECT content FROM kept WHERE key = ?1) WHERE key = ?2", "the checksum of '"),
        (
            "UPDATE kept SET (content, checksum) = (SELECT content, checksum FROM kept WHERE key = ?1) WHERE key = ?2",
            "the checksum of '",
        ),
        ("UPDATE kept SET machine = ?1 || ?2", "the checksum of '"),
        ("UPDATE kept SET content = 3 WHERE key IN (?1, ?2)", "the checksum of '"),
        (
            "DELETE FROM kept WHERE key IN (?1, ?2, 'experiment')",
            "not contain 'experiment': it has not been played",
        ),
        ("ALTER TABLE kept RENAME COLUMN content TO other", "no such column"),
        ("PRAGMA user_version = 3", "is not an experiment in format 4, but in format 3"),
    ],
)
def test_parts_do_not_stand_for_each_other(statement: str, named: str, copied: Store) -> None:
    keys = [copied.experiment.task(number).key for number in (0, 1)]
    change(copied.folder, statement, *(keys if "?" in statement else []))
    for read in (lambda: experiments.load(copied.folder), lambda: experiments.run(plan(), copied.folder)):
        with pytest.raises(ArgumentError, match=f"{re.escape(str(copied.folder / FILE))} .*{named}"):
            read()


def test_order_and_place_change_nothing(played: Store, tmp_path: Path) -> None:
    """Parts that are kept in any order, and by other processes, are saved as the same file."""
    store = begin(plan(), tmp_path / "backwards")
    for number in reversed(range(store.experiment.parts())):
        table = store.experiment.play(store.experiment.task(number), 1, tmp_path, lambda done, total: None)
        store.keep(number, table, "a processor")
    assert kept(store.folder) == kept(played.folder)
    for one, name in ((store, "a.parquet"), (played, "b.parquet")):
        one.save(tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert len({experiments.Experiment.task(store.experiment, number).key for number in range(4)}) == 4


def test_parts_name_the_machine_that_played_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ray = pytest.importorskip("stier.experiments._ray")
    monkeypatch.setattr(_ray.ray, "init", lambda **_: None)
    monkeypatch.setattr(_ray.ray, "is_initialized", lambda: False)
    monkeypatch.setattr(_ray.ray, "shutdown", lambda: None)
    played: list[str] = []

    def hand_out(store: Store, missing: Any) -> Iterator[tuple[int, Any, str]]:
        for number in missing:
            with monkeypatch.context() as node:
                node.setattr(_ray, "machine", lambda number=number: f"node {number}")
                (table,), machine, _ = _ray.job(store, _plans.build(), [number])
            played.append(machine)
            yield number, table, machine

    monkeypatch.setattr(_ray, "_hand_out", hand_out)
    found = experiments.run(plan(), tmp_path / "cluster", ray="auto")
    assert found.machines == played == [f"node {number}" for number in range(4)]
    here = experiments.run(plan(), tmp_path / "here")
    assert here.machines == [_store.machine()]
    assert kept(here.folder) == kept(found.folder)


def test_what_is_kept_is_checked_once(copied: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the folder is opened, or when a part that another process has written since is read."""
    rows, checks = copied.to_arrow(), []
    checksum, path = _store._checksum, copied.folder / FILE
    monkeypatch.setattr(_store, "_checksum", lambda *row: checks.append(row[0]) or checksum(*row))
    keys = [copied.experiment.task(number).key for number in range(4)]
    for open_again in (lambda: experiments.load(copied.folder), lambda: begin(plan(), copied.folder)):
        opened = open_again()
        assert sorted(checks) == sorted([*keys, "experiment", "holder"])
        assert opened.to_arrow().equals(opened.to_arrow())
        assert opened.to_arrow().equals(rows)
        assert len(checks) == 6
        checks.clear()
    reader = Store(copied.experiment, copied.folder)
    for _ in range(2):
        reader.part(1)
    assert checks == [keys[1]]
    # Written anew, it is checked anew.
    opened.keep(1, reader.part(1), "a processor")
    checks.clear()
    opened.to_arrow()
    assert checks == [keys[1]]
    change(copied.folder, "UPDATE kept SET machine = 'x' WHERE key = ?", keys[2])
    with pytest.raises(ArgumentError, match=f"{path} is damaged"):
        reader.part(2)


def test_a_store_is_shown_whatever_has_happened_to_it(copied: Store, tmp_path: Path) -> None:
    name = f"<stier.experiments.Store in {copied.folder}: "
    assert repr(copied) == f"{name}4 of 4 parts>"
    (copied.folder / FILE).write_bytes(b"nonsense" * 999)
    assert repr(copied) == f"{name}4 parts, whose database cannot be read>"
    assert repr(Store(copied.experiment, tmp_path / "nothing")).endswith("nothing: 0 of 4 parts>")
    assert repr(_store.Database(copied.folder))


def test_matches_are_not_another_kind(tmp_path: Path) -> None:
    store = begin(from_dict(tomllib.loads(LADDER)), tmp_path / "solved")
    with pytest.raises(ArgumentError, match="solved must be an experiment of the kind matches, got exploitability"):
        stier.ratings.cross_table(store)


def test_one_process_plays_while_others_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml, out = tmp_path / "long.toml", tmp_path / "out"
    toml.write_text(
        'game = "schwinget"\ndeals = 4_000\ndeals_per_part = 2\nagents = ["random", "ismcts:iterations=500"]\n'
    )
    command = [sys.executable, "-m", "stier", "run", str(toml), "--out", str(out), "--threads", "1", "--no-progress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while len(kept(out)) < 2:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        assert main(command[3:]) == 1
        said = capsys.readouterr().err
        assert re.fullmatch(
            rf"stier: {out} is in use by process {process.pid} on .+ since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC: "
            "wait, or choose another folder with --out\n",
            said,
        )
        there = kept(out)
        read = experiments.load(out)
        assert len(read.to_arrow()) >= 2 * len(there)
        assert not read.complete
        assert process.poll() is None
        process.kill()
    # The lock has ended with the process.
    experiments.run(toml, out, minutes=0)
    assert there.items() < kept(out).items()


def test_a_replaced_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.safetensors"
    out = tmp_path / "out"
    experiments.run(with_network(path), out, minutes=0)
    there = kept(out)
    assert len(there) == 1
    refused = rf"out has another experiment \((other )?content of {path}.*\): choose another folder"
    replaced = with_network(path, seed=2)
    with pytest.raises(ArgumentError, match=refused):
        experiments.run(replaced, out)
    with pytest.warns(stier.ChangedWarning, match=f"{path} has changed since {out} was played"):
        assert len(experiments.load(out).to_arrow()) > 0
    again = with_network(path)
    play = Experiment.play

    def replacing(self: Experiment, *arguments: Any) -> Any:
        rows = play(self, *arguments)
        with_network(path, seed=3)
        return rows

    with monkeypatch.context() as patched:
        patched.setattr(Experiment, "play", replacing)
        with pytest.raises(ArgumentError, match=f"{path} has changed since the experiment began"):
            experiments.run(again, out)
    with_network(path)
    assert kept(out) == there
    assert experiments.run(again, out).complete
    # A relative path is one of the current folder.
    for folder, seed in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        own = with_network("own.safetensors", seed)
        if seed == 1:
            experiments.run(own, tmp_path / "relative", minutes=0)
    with pytest.raises(ArgumentError, match=r"content of own\.safetensors"):
        experiments.run(own, tmp_path / "relative")


def test_the_tilde_is_the_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In folders and files of plans, in what these name, and in agents."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    home = tmp_path / "home"
    home.mkdir()
    Network.random(stier.load_game(GAME), hidden=(8,), seed=1).save(home / "net")
    assert _content.content("~/home/net") == _content.content(str(home / "net")) is not None
    assert _content.content("~nobody-has-this-name/net") is None
    (home / "a.toml").write_text(
        f'game = "{GAME}"\ndeals = 2\nagents = ["network:path=~/home/net", "random"]\npage = "~/p"'
    )
    found = experiments.run("~/home/a.toml", "~/home/out")
    assert set(found.experiment.networks.values()) == {_content.content(str(home / "net"))}
    assert found.experiment.outputs == {"page": str(tmp_path / "p")}
    assert experiments.load("~/home/out").to_arrow().equals(experiments.load(home / "out").to_arrow())
    pytest.importorskip("jax")
    run = {"name": "net", "game": GAME, "file": "~/home/net"}
    begun = {"name": "net", "game": GAME, "settings": {"steps": 1, "initial": "~/home/net"}}
    wrong = {"steps": 1, "initial": "~nobody-has-this-name/net"}
    for given, changed in ((run, {"file": "~nobody-has-this-name/net"}), (begun, {"settings": wrong})):
        assert from_dict({"kind": "training", **given}).networks
        with pytest.raises(ArgumentError, match="must be the file of a network, got '~nobody-has-this-name/net'"):
            from_dict({"kind": "training", **given, **changed})


def test_every_kind_has_other_keys_with_another_network(tmp_path: Path) -> None:
    file = tmp_path / "net.safetensors"
    agent = f"network:path={file}"
    other = {"game": GAME, "file": str(tmp_path / "second"), "matches": [agent], "deals": 2}
    given = {
        "matches": {"game": GAME, "agents": [agent, "random"]},
        "suite": {"games": [GAME], "agents": [agent, "random"]},
        "exploitability": {"game": GAME, "budgets": [9], "agents": [agent]},
        "training": {"row": [{"name": "given", "game": GAME, "file": str(file)}, {**other, "name": "other"}]},
    }
    from stier.experiments._run import KINDS

    assert given.keys() == KINDS.keys()
    for kind, keys in given.items():
        found = []
        for seed in (1, 2):
            Network.random(stier.load_game(GAME), hidden=(8,), seed=seed).save(file)
            if seed == 1:
                shutil.copy(file, tmp_path / "second")
            made = from_dict({"kind": kind, **keys})
            assert made.networks[str(file)] == _content.content(str(file))
            found.append({made.task(number).key for number in range(made.parts())})
        # Neither the solver nor uniform play has a network.
        assert len(found[0] & found[1]) == (2 if kind == "exploitability" else 0)


def test_agents_that_can_mean_the_games_own_network_are_known() -> None:
    """Those that a game without a network refuses."""
    game, refused = stier.load_game(GAME), 0
    assert game.network() is None
    for name in stier.registered_agents():
        try:
            stier.load_agent(name, game)
        except stier.AgentError as error:
            if "network" in str(error):
                assert _content.own_network(game, [name]) is None
                assert _content.own_network(stier.load_game("schwinget"), [name]) is not None, name
                refused += 1
    assert refused > 0


def test_what_is_missing_costs_one_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    calls: list[str] = []

    def noting(owner: Any, name: str, noted: list[str]) -> None:
        call = getattr(owner, name)

        def noted_call(*arguments: Any, **options: Any) -> Any:
            noted.append(name)
            return call(*arguments, **options)

        monkeypatch.setattr(owner, name, noted_call)

    first = with_network(tmp_path / "net.safetensors")
    noting(_content, "content", reads)
    noting(_plans, "load_game", calls)
    noting(_store.sqlite3, "connect", calls)
    _plans.build.cache_clear()
    many = plan(deals=4_000, agents=first.agents)
    assert (len(reads), many.parts()) == (1, 2_000)
    store = begin(many, tmp_path / "out")
    calls.clear()
    assert len(store.missing()) == 2_000
    assert (len(reads), calls) == (1, ["connect"])


def test_a_full_disk_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    toml = tmp_path / "some.toml"
    toml.write_text('game = "schwinget"\ndeals = 400\ndeals_per_part = 50\nagents = ["random", "greedy"]\n')
    connect = sqlite3.connect

    def small(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA max_page_count = 8")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(_store.sqlite3, "connect", small)
        assert main(["run", str(toml), "--out", str(tmp_path / "out"), "--no-progress"]) == 1
    said = capsys.readouterr().err
    assert said == f"stier: {tmp_path / 'out' / FILE}: database or disk is full\n"
    there = kept(tmp_path / "out")
    assert there
    store = experiments.run(toml, tmp_path / "out")
    assert there.items() < kept(store.folder).items()
    assert kept(store.folder) == kept(experiments.run(toml, tmp_path / "whole").folder)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are those of Unix")
def test_a_file_that_cannot_grow_is_told_in_a_line(tmp_path: Path) -> None:
    toml = tmp_path / "some.toml"
    toml.write_text('game = "schwinget"\ndeals = 800\ndeals_per_part = 100\nagents = ["random", "greedy"]\n')
    limited = "import resource, sys; from stier.cli import main\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (24_000, 24_000)); sys.exit(main(sys.argv[1:]))"
    command = ["run", str(toml), "--out", str(tmp_path / "out"), "--no-progress"]
    found = subprocess.run([sys.executable, "-c", limited, *command], capture_output=True, text=True)
    assert found.returncode == 1
    assert re.fullmatch(rf"stier: {tmp_path / 'out'}/experiment\.sqlite: .*\n", found.stderr)
    assert main(command) == 0


def test_folders_of_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / FILE).write_text("no database at all, " * 99)
    with pytest.raises(
        ArgumentError, match=r"experiment\.sqlite is damaged \(file is not a database\): restore it, or"
    ):
        experiments.run(plan(), tmp_path / "text")
    with pytest.raises(FileError, match=r"nothing does not contain an experiment, since experiment\.sqlite"):
        experiments.load(tmp_path / "nothing")
    # A process that was killed at once.
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / FILE).touch()
    assert experiments.run(plan(), tmp_path / "begun").complete
    monkeypatch.setattr(stier, "__version__", "0.0.0")
    for call in (lambda: experiments.load(tmp_path / "begun"), lambda: experiments.run(plan(), tmp_path / "begun")):
        with pytest.raises(ArgumentError, match=r"begun has another experiment \(version: .* there, 0\.0\.0 here"):
            call()
    with pytest.raises(ArgumentError, match="has not been played"):
        begin(plan(), tmp_path / "new").part(0)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_read(copied: Store) -> None:
    copied.folder.chmod(0o500)
    (copied.folder / FILE).chmod(0o400)
    try:
        assert experiments.load(copied.folder).complete
        with pytest.raises(FileError):
            experiments.run(plan(12), copied.folder)
    finally:
        copied.folder.chmod(0o700)


MATCHES = """
game = "kuhn_poker"
deals = 4
deals_per_part = 2
paired = true
seeds = [1, 2]
tables = "t"
figures = "f"
page = "p"
pairings = [["a", "b"]]
[rules]
players = 2
[agents]
a = "random"
b = "greedy"
"""
SUITE = MATCHES.replace('game = "kuhn_poker"', 'about = "A few."\ngames = ["kuhn_poker", "schwinget"]')
SUITE = SUITE.replace("[rules]\nplayers = 2\n", "").replace('pairings = [["a", "b"]]\n', "")
PLANS = {
    "matches": MATCHES,
    "suite": SUITE,
    "strength": STRENGTH,
    "attack": ATTACK,
    "exploitability": LADDER,
    "training": TRAINING,
}
#: Values that are written where others belong.
WRONG = [3, -1, 0, 1.5, float("nan"), True, "x", "", [], [3], ["x"], [["x"]], [[3]], {}, {"x": 1}, {"x": {}}, 2**70]


def leaves(described: Any) -> Iterator[Callable[[Any], Any]]:
    """Yields for every value in a plan, at any depth, the function that makes the plan with another value there."""
    for place, value in list(described.items() if isinstance(described, dict) else enumerate(described)):

        def put(wrong: Any, place: Any = place) -> Any:
            changed = copy.copy(described)
            changed[place] = wrong
            return changed

        yield put
        if isinstance(value, dict | list):
            for inner in leaves(value):
                yield lambda wrong, put=put, inner=inner: put(inner(wrong))


@pytest.mark.parametrize("kind", PLANS)
def test_plans_of_a_wrong_shape_are_refused(kind: str, tmp_path: Path) -> None:
    if kind == "training":
        pytest.importorskip("jax")
    given = tomllib.loads(PLANS[kind])
    from_dict(given)
    refused = 0
    for put in leaves(given):
        for wrong in WRONG:
            try:
                from_dict(put(wrong))
            except StierError:
                refused += 1
    assert refused > 90
    for path, content, named in [
        (
            "list.toml",
            b"tables = 3\n" + PLANS[kind].replace('tables = "t"\n', "").encode(),
            "tables must be a text, got 3",
        ),
        ("latin.toml", b'about = "\xe4"\n', "utf-8"),
        ("kind.toml", b"kind = [1]", "unknown kind"),
    ]:
        (tmp_path / path).write_bytes(content)
        with pytest.raises(ArgumentError, match=named) as caught:
            experiments.read(tmp_path / path)
        assert str(tmp_path / path) in str(caught.value)
