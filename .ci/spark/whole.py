"""The tables of a large fleet: on one machine, on Spark with two executors, and on Spark while an executor is killed.

    python whole.py 10000 [TABLE…]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

import pyarrow.dataset

import codex_wire
import codex_wire.spark
import fleet
from cluster import Cluster
from codex_wire._program import find_table_program

TASKS = 8


def main() -> int:
    count = int(sys.argv[1])
    warnings.simplefilter("ignore", codex_wire.CodexWireWarning)
    with tempfile.TemporaryDirectory() as folder:
        paths = fleet.make(Path(folder, "fleet"), count)
        print(f"{count} transcripts, of which {sum('-' in Path(path).stem for path in paths)} are poisoned")
        cluster = Cluster(Path(folder, "cluster"), find_table_program())
        try:
            return compare(cluster, paths, sys.argv[2:] or fleet.TABLES, Path(folder))
        finally:
            cluster.stop()


def compare(cluster: Cluster, paths: list[str], tables: Iterable[str], folder: Path) -> int:
    differences = 0
    for table in tables:
        schema = codex_wire.table([], table).schema
        begun = time.monotonic()
        alone = fleet.digest(fleet.rows(codex_wire.table(paths, table)))
        seconds = [time.monotonic() - begun]
        found = []
        for fault in None, "kills":
            if fault:
                cluster.fault(fault)
            begun = time.monotonic()
            out = folder / f"{table}-{fault}"
            frame = codex_wire.spark.table(cluster.frame(paths, TASKS), table)
            frame.write.parquet(os.fspath(out))
            assert fault is None or cluster.happened(fault)
            written = pyarrow.dataset.dataset(out, format="parquet").to_table().cast(schema)
            found.append(fleet.digest(written.to_pylist()))
            seconds.append(time.monotonic() - begun)
        same = found == [alone, alone]
        differences += not same
        took = ", ".join(f"{second:.0f}" for second in seconds)
        print(f"{table:12} {alone}: {'the same on Spark, and after a kill' if same else found} ({took} s)", flush=True)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
