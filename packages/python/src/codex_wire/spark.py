"""Tables of transcripts on Spark: each task feeds one program, and a row of a data frame is one transcript.

    frame = spark.createDataFrame([(str(path),) for path in paths], "path string").repartition(64)
    codex_wire.spark.table(frame, "turns").write.parquet("turns")

The package has to be installed on the executors.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codex_wire._program import CodexWireError, ProgramNotFound, find_table_program
from codex_wire._table import TableName, Transcript, read_table, table_command

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["check", "table"]


def table(
    frame: DataFrame,
    table: TableName = "transcripts",
    *,
    with_text: bool = False,
    filesystem: object = None,
    arguments: Sequence[str] = (),
) -> DataFrame:
    """One of the tables of `codex_wire.table`, of the transcripts of a data frame.

    The frame has a column `path`, of paths and URLs that each executor can read, and perhaps a column `content` of binary, such
    as that of `spark.read.format("binaryFile")`. Rows are transcripts, because a rule of order holds for a whole one; the
    partitions of the frame are the tasks.

    An executor runs the program `codex-wire-table`: the one beside `CODEX_WIRE_PROGRAM` of its environment; or else the one
    that `SparkContext.addFile` has sent there; or else that of its installed package. Without one, the task fails with
    `ProgramNotFound`. The columns are those of the program here, and those of each executor have to be the same.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    columns = [name for name in ("path", "content") if name in frame.columns]
    if "path" not in columns:
        raise ValueError(f"the frame has no column `path`; it has {', '.join(frame.columns)}")
    command = table_command(table, with_text, arguments)
    schema = read_table([], table, command).schema
    task = _Task(table, tuple(command), schema, filesystem)
    return frame.select(*columns).mapInArrow(task, from_arrow_schema(schema))


def check(frame: DataFrame, *, filesystem: object = None, arguments: Sequence[str] = ()) -> DataFrame:
    """The verdict of each transcript: a row for each row of the frame.

    `table(frame, "findings")` has what was found.
    """
    checked = table(frame, "transcripts", filesystem=filesystem, arguments=arguments)
    return checked.select(*VERDICT)


VERDICT = (
    *("path", "digest", "protocol", "release_min", "release_max"),
    *("verdict", "error", "errors", "warnings", "notes"),
)
"""The columns of `check`."""


@dataclass(frozen=True)
class _Task:
    """What an executor does with the transcripts of one partition."""

    table: str
    command: tuple[str, ...]
    schema: Any
    filesystem: object

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        transcripts = (one for batch in batches for one in _transcripts(batch))
        first = next(transcripts, None)
        # Spark makes empty partitions, too.
        if first is None:
            return
        reader = read_table(
            chain([first], transcripts),
            self.table,
            self.command,
            filesystem=self.filesystem,
            program=_program_of_the_executor(),
        )
        if not reader.schema.equals(self.schema, check_metadata=True):
            raise CodexWireError(
                f"the program on {socket.gethostname()} writes other columns than the one of the driver: "
                "install the same version on both"
            )
        yield from reader


def _transcripts(batch: Any) -> Iterator[Transcript]:
    """The transcripts of a batch, one by one: the contents of all of them are there only once."""
    paths = batch.column("path")
    contents = batch.column("content") if "content" in batch.schema.names else None
    for row in range(batch.num_rows):
        path = paths[row].as_py()
        if path is None:
            raise ValueError("a row has no path")
        if contents is None or not contents[row].is_valid:
            yield path
        else:
            yield path, contents[row].as_py()


def _program_of_the_executor() -> Path:
    from pyspark import SparkFiles

    if not os.environ.get("CODEX_WIRE_PROGRAM"):
        for name in "codex-wire-table", "codex-wire-table.exe":
            # The folder of files is the working folder of an executor, under the name of `.`.
            sent = Path(SparkFiles.getRootDirectory(), name).absolute()
            if sent.is_file():
                return sent
    try:
        return find_table_program()
    except ProgramNotFound as error:
        raise ProgramNotFound(f"on {socket.gethostname()}: {error}") from None
