"""Tasks of Ray read tables as one machine does."""

from __future__ import annotations

import pytest

import codex_wire
import fleet


def test_ray(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    import ray.data

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, logging_level="error")
    try:
        frame = ray.data.from_items([{"path": path} for path in paths])
        turns = frame.map_batches(
            lambda batch: codex_wire.table(batch["path"].to_pylist(), "turns").read_all(),
            batch_format="pyarrow",
            batch_size=20,
        )
        found = sorted((row["path"], row["turn_number"]) for row in turns.take_all())
    finally:
        ray.shutdown()
    here = fleet.rows(codex_wire.table(paths, "turns"))
    assert found == sorted((row["path"], row["turn_number"]) for row in here)
