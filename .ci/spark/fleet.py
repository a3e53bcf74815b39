"""A fleet of transcripts, some of them poisoned, and digests of the tables of it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import codex_wire

REPOSITORY = Path(__file__).resolve().parents[2]
TABLES = ("transcripts", "findings", "items", "turns", "threads", "commands", "tools", "usage")
LARGEST = 200_000
"""Recordings that are larger are left out: a fleet is many transcripts."""

POISONS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda text: text[: len(text) * 2 // 3],
    "not-utf-8": lambda text: text.replace(b'"', b'"\xff', 9),
    "zeros": lambda text: text + bytes(4096),
    "a-log": lambda _: b"12:00:01 INFO started\n12:00:02 WARN no model\n",
    "changed": lambda text: text.replace(b'type', b'kind', 5),
    "deep": lambda text: text + b"[" * 20_000 + b"\n",
    "long": lambda text: text + b'{"type":"' + b"x" * 300_000 + b'"}\n',
    "gzip-cut": lambda text: gzip.compress(text)[:-9],
    "twice": lambda text: text + text,
}


def recordings() -> list[Path]:
    """Recordings of all protocols, in an order in which each protocol comes early."""
    folders = ["exec", "rollout", "app-server", "core", "exec-legacy"]
    found = [sorted((REPOSITORY / "fixtures" / folder).rglob("*.jsonl")) for folder in folders]
    small = [[path for path in paths if path.stat().st_size <= LARGEST] for paths in found]
    longest = max(map(len, small))
    turns = ((paths[number] for paths in small if number < len(paths)) for number in range(longest))
    return list(chain.from_iterable(turns))


def make(folder: Path, count: int) -> list[str]:
    """Writes that many transcripts. Every fourth is poisoned, each of these in another way; returns their paths."""
    folder.mkdir(parents=True)
    poisons = cycle([*POISONS, "missing", "folder"])
    paths = []
    for number, source in enumerate(islice(cycle(recordings()), count)):
        path = folder / f"{number:06}.jsonl"
        text = source.read_bytes()
        if number % 4 == 3:
            poison = next(poisons)
            path = folder / f"{number:06}-{poison}.jsonl"
            if poison == "missing":
                path.symlink_to("nowhere")
            elif poison == "folder":
                path.mkdir()
            else:
                path.write_bytes(POISONS[poison](text))
        else:
            path.write_bytes(text)
        paths.append(os.fspath(path))
    return paths


def rows(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist()


def digest(rows: Iterable[dict[str, Any]]) -> str:
    """The same for the same rows in another order. A row that is there twice counts."""
    lines = sorted(json.dumps(row, default=str, sort_keys=True) for row in rows)
    count = f"{len(lines)} rows"
    return f"{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:16]} of {count}"


class Alone(dict[str, str]):
    """The digest of each table on one machine, read when it is asked for."""

    def __init__(self, paths: list[str]) -> None:
        super().__init__()
        self._paths = paths

    def __missing__(self, table: str) -> str:
        self[table] = digest(rows(codex_wire.table(self._paths, table)))
        return self[table]
