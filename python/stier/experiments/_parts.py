"""One part of an experiment: played, as a table, as bytes. All of it is a function of the experiment alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from stier import _native
from stier._native import derive_seed
from stier.experiments._spec import Experiment, Part

#: One row per game. Lists are by seat, but for the actions.
SCHEMA = pa.schema(
    [
        ("rules", pa.string()),
        ("seed", pa.uint64()),
        ("pairing", pa.uint32()),
        ("deal", pa.uint64()),
        ("names", pa.list_(pa.string())),
        ("agents", pa.list_(pa.string())),
        ("actions", pa.list_(pa.uint8())),
        ("returns", pa.list_(pa.float64())),
    ]
)


def play(
    experiment: Experiment, part: Part, threads: int = 0, on_progress: Callable[[int, int], object] | None = None
) -> pa.Table:
    """Play a part. All pairings of a seed have the same cards.

    Args:
        experiment: The experiment.
        part: One of its parts.
        threads: Threads; 0 for all cores. No influence on the table.
        on_progress: Called with the games played and all games of the part.
    """
    # By name: agents with the same text are told apart by their order.
    game, table = experiment.load_game(), sorted(experiment.tables[part.pairing])
    texts = [experiment.texts[name] for name in table]
    seed = derive_seed(part.seed, "experiment", part.first)
    result = _native.pit(game, texts, part.deals, seed, experiment.paired, threads, on_progress)
    games = result.games
    # Unpaired, each game has cards of its own; deals of one number have the same cards in all pairings.
    pairings = range(len(experiment.tables))
    first = part.first * (1 if experiment.paired else max(map(experiment.games_per_deal, pairings)))
    actions = [np.array(played.state().history(), dtype=np.int64)[:, 1] for played in games]
    ends = np.cumsum([0, *map(len, actions)], dtype=np.int32)
    columns = [
        pa.array([str(game)] * len(games), pa.string()),
        pa.array(np.full(len(games), part.seed, dtype=np.uint64)),
        pa.array(np.full(len(games), part.pairing, dtype=np.uint32)),
        pa.array(np.array([first + played.deal for played in games], dtype=np.uint64)),
        pa.array([[table[agent] for agent in played.agents] for played in games], SCHEMA.field("names").type),
        pa.array([[texts[agent] for agent in played.agents] for played in games], SCHEMA.field("agents").type),
        pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate(actions).astype(np.uint8))),
        pa.array([played.returns for played in games], SCHEMA.field("returns").type),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def encode(experiment: Experiment, table: pa.Table) -> bytes:
    """The file of a part. Its bytes depend on the table, the experiment and the version of pyarrow."""
    described = table.replace_schema_metadata({"stier.experiment": experiment.hash()})
    sink = pa.BufferOutputStream()
    # One row group, and nothing left to what pyarrow takes for a default.
    pq.write_table(
        described.combine_chunks(),
        sink,
        row_group_size=max(1, table.num_rows),
        version="2.6",
        data_page_version="1.0",
        data_page_size=1 << 20,
        write_batch_size=1024,
        use_dictionary=True,
        compression="zstd",
        compression_level=3,
        write_statistics=True,
        store_schema=True,
    )
    return bytes(sink.getvalue())
