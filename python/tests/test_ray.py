"""Experiments on a real Ray cluster of two nodes on this machine: the same bytes, whatever dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import kept as kept_in
from test_kinds import KINDS

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

# Before Ray is imported: no reports, no warnings about them.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"
pytest.importorskip("ray")


from stier import experiments
from stier.experiments import Experiment, Store, _ray, _store

pytestmark = [
    # Whatever Ray warns of is not ours.
    pytest.mark.filterwarnings("default"),
    pytest.mark.timeout(120),
]

#: Bytes of a node for what tasks give back.
STORE = 80 * 1024 * 1024

TOML = """
game = "schwinget"
deals = 24
deals_per_part = 4
agents = ["random", "greedy", "ismcts:iterations=2000"]
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    # That a node is dead is known after five seconds, not after fifteen.
    watch = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_failure_threshold": 5}
    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": STORE, "_system_config": watch}
    found = Cluster(initialize_head=True, head_node_args=head)
    yield found
    found.shutdown()


@pytest.fixture(scope="module")
def toml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ray") / "long.toml"
    path.write_text(TOML)
    return path


def test_lost_nodes_and_killed_drivers_change_no_byte(cluster, toml: Path, tmp_path: Path, monkeypatch) -> None:
    """A driver is killed; what follows loses a node in the middle; the parts are those of an undisturbed local run."""
    whole = experiments.run(toml, tmp_path / "whole")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "stier", "run", str(toml), "--out", str(out), "--ray", cluster.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while len(kept_in(out)) < 2:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.kill()
    before = experiments.load(out).missing()
    assert 1 < len(before) < whole.experiment.parts()

    node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    cluster.wait_for_nodes()
    keep, kept = Store.keep, []

    def keep_and_lose_a_node(self: Store, number: int, *more: Any) -> None:
        keep(self, number, *more)
        kept.append(number)
        if len(kept) == 2:
            cluster.remove_node(node, allow_graceful=False)

    monkeypatch.setattr(Store, "keep", keep_and_lose_a_node)
    games = experiments.run(toml, out, ray=cluster.address)
    assert games.complete
    assert sorted(kept) == before
    assert kept_in(out) == kept_in(whole.folder)


@pytest.mark.parametrize("kind", ["exploitability", "suite"])
def test_every_kind_is_played_on_a_cluster(cluster, kind: str, tmp_path: Path) -> None:
    toml = tmp_path / f"{kind}.toml"
    toml.write_text(KINDS[kind][0])
    here, there = (
        experiments.run(toml, tmp_path / "here"),
        experiments.run(toml, tmp_path / "there", ray=cluster.address),
    )
    assert there.complete
    for number in range(here.experiment.parts()):
        frames = [store.part(number).to_pandas().drop(columns=KINDS[kind][1]) for store in (here, there)]
        assert frames[0].equals(frames[1])


def test_agents_of_python_play_on_a_cluster(cluster, tmp_path: Path, monkeypatch) -> None:
    """Their module is in the folder of the driver, which is not that of the nodes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = f"agents_{abs(hash(tmp_path))}"
    Path(f"{module}.py").write_text("def last(state):\n    return state.legal_actions()[-1]\n")
    plan = Experiment("schwinget", ["random", f"{module}:last"], deals=6, deals_per_part=2)
    here, there = experiments.run(plan, "here"), experiments.run(plan, "there", ray=cluster.address)
    assert kept_in(here.folder) == kept_in(there.folder)


def test_what_a_task_raises_is_raised(cluster, toml: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(_ray, "build", lambda: "0.0")
    with pytest.raises(ValueError, match=r"^this node has stier .*, the experiment is played with 0\.0$"):
        experiments.run(toml, tmp_path / "out", ray=cluster.address)


def test_jobs_are_worth_their_while() -> None:
    pace = _ray._Pace(lambda number: number % 2)
    missing = _ray.deque(range(100))
    # Nothing is known: one part each.
    assert pace.take(missing) == [0]
    pace.learn([0], 0.1)
    pace.learn([1], 0.3)
    # 0.3 + 0.1 + 0.3 is the first to reach half a second.
    assert pace.take(missing) == [1, 2, 3]
    pace.learn([2, 3, 4, 5], 4.0)
    assert pace.take(missing) == [4]
    few = _ray.deque([98])
    assert pace.take(few) == [98]


def test_jobs_are_functions_of_the_experiment(tmp_path: Path) -> None:
    experiment = Experiment("schwinget", ["random", "greedy"], deals=4, deals_per_part=2)
    version = _ray.build()
    store = Store(experiment, tmp_path)
    tables, machine, seconds = _ray.job(store, version, [1, 0])
    assert machine == _store.machine()
    assert seconds > 0
    assert [table["deal"].to_pylist() for table in tables] == [[2, 2, 3, 3], [0, 0, 1, 1]]
    assert tables == _ray.job(store, version, [1, 0])[0]
    with pytest.raises(ValueError, match=r"this node has stier .*, the experiment is played with 0\.0"):
        _ray.job(store, "0.0", [0])
    with pytest.raises(ValueError, match="give threads or ray, not both"):
        experiments.run(experiment, "nowhere", ray="local", threads=2)
