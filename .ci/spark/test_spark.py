"""Tables on two executors are those of one machine, whatever happens to a transcript, a program or an executor."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pyarrow.fs
import pytest
from moto.server import ThreadedMotoServer

import codex_wire
import codex_wire.spark
import fleet


def digest(frame: Any, folder: Path, schema: Any) -> str:
    """The digest of a frame that was written as Parquet, as a job does."""
    frame.write.parquet(os.fspath(folder))
    written = pyarrow.dataset.dataset(folder, format="parquet").to_table().cast(schema)
    return fleet.digest(written.to_pylist())


def schema(table: str) -> Any:
    return codex_wire.table([], table).schema


@pytest.mark.parametrize("table", fleet.TABLES)
def test_tables_are_those_of_one_machine(
    cluster: Any, paths: list[str], alone: fleet.Alone, tmp_path: Path, table: str
) -> None:
    frame = codex_wire.spark.table(cluster.frame(paths), table)
    assert digest(frame, tmp_path / "out", schema(table)) == alone[table]


def test_check_has_a_row_for_each_transcript(cluster: Any, paths: list[str]) -> None:
    verdicts = {row.path: row.verdict for row in codex_wire.spark.check(cluster.frame(paths)).collect()}
    assert sorted(verdicts) == sorted(paths)
    assert {"conforms", "findings", "unreadable"} <= set(verdicts.values())
    assert {verdicts[path] for path in paths if "-missing" in path} == {"unreadable"}


def test_contents_are_read_from_the_frame(cluster: Any, paths: list[str]) -> None:
    files = [path for path in paths if os.path.isfile(path)]
    pairs = [(f"file:{path}", Path(path).read_bytes()) for path in files]
    here = sorted((row["path"], row["digest"]) for row in fleet.rows(codex_wire.table(pairs)))
    frame = cluster.spark.createDataFrame(pairs, "path string, content binary")
    assert sorted((row.path, row.digest) for row in codex_wire.spark.table(frame).collect()) == here
    # Spark itself leaves out empty files.
    frame = cluster.spark.read.format("binaryFile").load(files)
    found = codex_wire.spark.table(frame).collect()
    filled = [path for path, content in pairs if content]
    assert sorted((row.path, row.digest) for row in found) == [row for row in here if row[0] in filled]


def test_a_store_is_read_by_the_tasks(cluster: Any, paths: list[str]) -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        _, port = server.get_host_and_port()
        store = pyarrow.fs.S3FileSystem(
            access_key="a", secret_key="b", region="us-east-1", scheme="http",
            endpoint_override=f"127.0.0.1:{port}", allow_bucket_creation=True,
        )
        store.create_dir("fleet")
        files = [path for path in paths if os.path.isfile(path)]
        for path in files:
            with store.open_output_stream(f"fleet/{Path(path).name}") as out:
                out.write(Path(path).read_bytes())
        urls = [f"s3a://fleet/{Path(path).name}" for path in files] + ["s3a://fleet/nothing-there.jsonl"]
        rows = codex_wire.spark.table(cluster.frame(urls), filesystem=store).collect()
    finally:
        server.stop()
    assert sorted(row.path for row in rows) == sorted(urls)
    here = codex_wire.table(files).read_all()
    assert sorted(row.digest for row in rows if row.digest) == sorted(filter(None, here["digest"].to_pylist()))
    (missing,) = [row for row in rows if "nothing-there" in row.path]
    assert missing.verdict == "unreadable" and "nothing-there.jsonl" in missing.error


def test_a_task_that_failed_is_tried_again(
    cluster: Any, paths: list[str], alone: fleet.Alone, tmp_path: Path
) -> None:
    cluster.fault("exits")
    frame = codex_wire.spark.table(cluster.frame(paths), "items")
    assert digest(frame, tmp_path / "out", schema("items")) == alone["items"]
    assert cluster.happened("exits")


def test_an_executor_is_killed(
    cluster: Any, paths: list[str], alone: fleet.Alone, tmp_path: Path
) -> None:
    cluster.fault("kills")
    before = cluster.executors()
    frame = codex_wire.spark.table(cluster.frame(paths), "items")
    assert digest(frame, tmp_path / "out", schema("items")) == alone["items"]
    assert cluster.happened("kills")
    # Another one takes its place.
    wait_for(lambda: len(cluster.executors()) == 2 and not before.issuperset(cluster.executors()))


def test_a_program_is_missing_on_an_executor(
    cluster: Any, paths: list[str], alone: fleet.Alone, tmp_path: Path
) -> None:
    frame = codex_wire.spark.table(cluster.frame(paths))

    def both_have_it() -> bool:
        frame.collect()
        return len(cluster.sent()) == 2

    # An executor before this one may have been killed.
    wait_for(both_have_it)
    *_, last = sent = cluster.sent()
    hidden = [path.with_name("hidden") for path in sent]
    # Of one executor: the others do its work.
    last.rename(hidden[-1])
    assert digest(frame, tmp_path / "out", schema("transcripts")) == alone["transcripts"]
    # Of all: the job says why it fails.
    for path, to in zip(sent[:-1], hidden[:-1], strict=True):
        path.rename(to)
    with pytest.raises(Exception, match="ProgramNotFound: on .*: the program codex-wire-table is not installed"):
        frame.collect()
    for path, to in zip(sent, hidden, strict=True):
        to.rename(path)


def test_a_file_grows_while_it_is_read(cluster: Any, paths: list[str], tmp_path: Path) -> None:
    line = b'{"type":"turn.started"}\n'
    growing = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for path in growing:
        path.write_bytes(b'{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}\n')
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for path in growing:
                with path.open("ab") as file:
                    file.write(line)
            time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        rows = codex_wire.spark.table(cluster.frame([os.fspath(path) for path in growing])).collect()
    finally:
        stop.set()
        writer.join()
    assert sorted(row.path for row in rows) == [os.fspath(path) for path in growing]
    for row in rows:
        # It is what was there at one moment.
        begun = Path(row.path).read_bytes()[: row.bytes]
        assert row.bytes > 80 and hashlib.sha256(begun).hexdigest() == row.digest


def wait_for(condition: Any, limit: float = 60) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)
