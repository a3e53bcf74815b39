"""A second attempt overtakes a task that is slow, and no row is there twice."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pyarrow.dataset
import pytest

import codex_wire
import codex_wire.spark
import fleet


def test_a_slow_task_is_overtaken(tmp_path: Path, paths: list[str], alone: fleet.Alone, program: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from cluster import Cluster, two_hosts

    with two_hosts(tmp_path) as master:
        cluster = Cluster(tmp_path / "cluster", program, master)
        try:
            frame = cluster.frame(paths)
            # Both executors are there.
            codex_wire.spark.table(frame).collect()
            before = cluster.runs()
            cluster.fault("waits")
            begun = time.monotonic()
            codex_wire.spark.table(frame, "items").write.parquet(os.fspath(tmp_path / "out"))
            assert cluster.happened("waits")
            assert time.monotonic() - begun < WAITS
            assert cluster.runs() - before > frame.rdd.getNumPartitions()
        finally:
            cluster.stop()
    written = pyarrow.dataset.dataset(tmp_path / "out", format="parquet").to_table()
    written = written.cast(codex_wire.table([], "items").schema)
    assert fleet.digest(written.to_pylist()) == alone["items"]


WAITS = 300
"""How many seconds a slow program waits."""
