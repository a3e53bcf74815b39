"""What the tests share: a poisoned fleet, its tables on one machine, and a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import codex_wire
import fleet
from codex_wire._program import find_table_program


@pytest.fixture(scope="session")
def program() -> Path:
    return find_table_program()


@pytest.fixture(scope="session")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The transcripts of a poisoned fleet."""
    return fleet.make(tmp_path_factory.mktemp("fleet") / "transcripts", int(os.environ.get("FLEET", "60")))


@pytest.fixture(scope="session")
def alone(paths: list[str]) -> fleet.Alone:
    return fleet.Alone(paths)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, program: Path) -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from cluster import Cluster

    cluster = Cluster(tmp_path_factory.mktemp("cluster"), program)
    yield cluster
    cluster.stop()
