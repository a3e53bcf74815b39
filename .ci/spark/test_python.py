"""Tables reach the libraries of others, and end as they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import codex_wire
import fleet


def test_a_row_for_each_transcript(paths: list[str]) -> None:
    rows = list(fleet.rows(codex_wire.table(paths)))
    assert [row["path"] for row in rows] == paths
    verdicts = {Path(row["path"]).stem.partition("-")[2]: row["verdict"] for row in rows}
    assert verdicts["missing"] == "unreadable" and verdicts["changed"] == "findings"


def test_contents_and_paths_are_the_same(paths: list[str]) -> None:
    files = [path for path in paths if os.path.isfile(path)]
    urls = [f"file://{path}" for path in files]
    for table in "transcripts", "items", "findings":
        expected = fleet.digest(fleet.rows(codex_wire.table(files, table)))
        pairs = ((path, Path(path).read_bytes()) for path in files)
        assert fleet.digest(fleet.rows(codex_wire.table(pairs, table))) == expected
        read_here = fleet.rows(codex_wire.table(urls, table))
        bare = ({**row, "path": row["path"].removeprefix("file://")} for row in read_here)
        assert fleet.digest(bare) == expected


def test_names_that_no_line_can_hold(tmp_path: Path, paths: list[str]) -> None:
    text = Path(paths[0]).read_bytes()
    names = ["a\nb.jsonl", "{c.jsonl", " d.jsonl", "-", "e.jsonl"]
    for name in names:
        (tmp_path / name).write_bytes(text)
    rows = list(fleet.rows(codex_wire.table(names, cwd=tmp_path)))
    assert [row["path"] for row in rows] == names
    assert len({row["digest"] for row in rows}) == 1 and rows[0]["verdict"] == "conforms"


def test_a_url_that_cannot_be_read_is_a_row(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/none.jsonl"
    (row,) = fleet.rows(codex_wire.table(url))
    assert (row["path"], row["verdict"]) == (url, "unreadable") and "No such file" in row["error"]
    assert codex_wire.table(url, "turns").read_all().num_rows == 0


def test_a_store_of_an_unknown_kind_is_a_row() -> None:
    (row,) = fleet.rows(codex_wire.table("nowhere://bucket/run.jsonl"))
    assert (row["path"], row["verdict"]) == ("nowhere://bucket/run.jsonl", "unreadable") and row["error"]


def test_the_url_of_a_path(tmp_path: Path, paths: list[str]) -> None:
    path = tmp_path / "a run 100%.jsonl"
    path.write_bytes(Path(paths[0]).read_bytes())
    rows = list(fleet.rows(codex_wire.table([path.as_uri(), f"file:{path}"])))
    assert [row["verdict"] for row in rows] == ["conforms", "conforms"], rows


def test_polars_and_pandas(paths: list[str]) -> None:
    polars = pytest.importorskip("polars")
    count = codex_wire.table(paths, "turns").read_all().num_rows
    assert polars.from_arrow(codex_wire.table(paths, "turns")).height == count > 0
    frame = codex_wire.table(paths, "turns").read_pandas()
    assert len(frame) == count and str(frame["started_at"].dtype) == "datetime64[us, UTC]"


def test_the_example_of_the_readme(tmp_path: Path) -> None:
    text = (fleet.REPOSITORY / "packages/python/README.md").read_text("utf-8")
    blocks = re.findall("```python\n(.*?)```", text, re.DOTALL)
    (example,) = [block for block in blocks if "codex_wire.table(" in block]
    recording = tmp_path / "tests/recordings/hello.jsonl"
    recording.parent.mkdir(parents=True)
    recording.write_text(re.findall("```json\n(.*?)```", text, re.DOTALL)[0])
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == re.findall("^ *# (.*)$", example, re.M)


def test_dask(paths: list[str]) -> None:
    dask = pytest.importorskip("dask.dataframe")
    parts = [paths[:20], paths[20:40], paths[40:]]
    columns = codex_wire.table([], "turns").read_pandas()
    frame = dask.from_map(lambda part: codex_wire.table(part, "turns").read_pandas(), parts, meta=columns)
    whole = codex_wire.table(paths, "turns").read_pandas()
    assert list(frame.compute()["path"]) == list(whole["path"])


def test_what_the_program_says_is_raised(paths: list[str]) -> None:
    no_table: Any = "sums"
    with pytest.raises(codex_wire.CodexWireError, match="sums") as caught:
        codex_wire.table(paths, no_table)
    assert caught.value.exit_code == 2


def test_what_the_iterator_raises_is_raised(paths: list[str]) -> None:
    def broken() -> Iterator[str]:
        yield paths[0]
        raise ValueError("from the caller")

    reader = codex_wire.table(broken())
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(ValueError, match="from the caller"):
        reader.read_all()


def test_a_program_that_is_killed_is_an_error(paths: list[str]) -> None:
    reader = codex_wire.table(without_end(paths))
    reader.read_next_batch()
    for process in programs():
        os.kill(process, 9)
    with pytest.raises(codex_wire.CodexWireError):
        reader.read_all()


def test_nobody_reads_on(paths: list[str]) -> None:
    reader = codex_wire.table(without_end(paths))
    assert reader.read_next_batch().num_rows > 0
    assert programs()
    del reader
    end = time.monotonic() + 60
    while programs():
        assert time.monotonic() < end
        time.sleep(0.05)


def without_end(paths: list[str]) -> Iterator[str]:
    """Transcripts that come slowly: the program writes what it has while it waits."""
    while True:
        yield paths[0]
        time.sleep(0.05)


def programs() -> list[int]:
    """The programs that this process runs."""
    found = subprocess.run(["ps", "-o", "pid=,stat=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True)
    lines = [line.split() for line in found.stdout.splitlines()]
    return [int(line[0]) for line in lines if "codex-wire" in " ".join(line[2:]) and line[1][0] != "Z"]
