"""Tables of many transcripts, as Arrow: the program is fed on its standard input, and writes them to its output."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

from codex_wire import _program
from codex_wire._files import CHUNK, Files
from codex_wire._program import CodexWireError

if TYPE_CHECKING:
    import pyarrow

__all__ = ["TableName", "Transcript", "read_table", "require_pyarrow", "table", "table_command"]

StrPath: TypeAlias = str | PathLike[str]

Transcript: TypeAlias = StrPath | tuple[str, bytes]
"""A path, a URL such as `s3://bucket/key`, or a name and the contents."""

TableName: TypeAlias = Literal[
    "transcripts", "threads", "turns", "items", "commands", "tools", "usage", "findings"
]


def table(
    transcripts: StrPath | Iterable[Transcript],
    table: TableName = "transcripts",
    *,
    with_text: bool = False,
    filesystem: object = None,
    arguments: Sequence[str] = (),
    cwd: StrPath | None = None,
) -> pyarrow.RecordBatchReader:
    """Reads transcripts into one of the tables that `codex-wire-table` writes: a reader of Arrow's record batches.

    Transcripts are paths of files or folders, URLs, or pairs of a name and the contents. They are taken from an iterator
    while the table is read, so neither has to fit into memory::

        reader = codex_wire.table(Path("recordings").glob("*.jsonl"), "turns")
        frame = polars.from_arrow(reader)

    Local files are read by the program. What has a scheme is read here, through `pyarrow.fs` or else `fsspec`; with
    `filesystem`, of either of the two, all paths are. A transcript that cannot be read is a row of the table `transcripts`
    whose verdict is `unreadable`.

    Raises `CodexWireError` if the program fails: of what it says first here, of the rest while the table is read. The program
    ends when nothing refers to the reader any more.
    """
    sources = [transcripts] if isinstance(transcripts, (str, PathLike)) else transcripts
    command = table_command(table, with_text, arguments)
    return read_table(sources, table, command, filesystem=filesystem, cwd=cwd)


def require_pyarrow() -> Any:
    """The module `pyarrow`, which is installed with an extra."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError('tables need pyarrow: pip install "codex-wire[table]"') from error
    return pyarrow


def table_command(table: str, with_text: bool, arguments: Sequence[str]) -> list[str]:
    """The arguments of the program."""
    command = ["--format", "arrow-stream", "--table", table, "--files-from", "-"]
    return [*command, *(["--with-text"] if with_text else []), *arguments]


def read_table(
    transcripts: Iterable[Transcript],
    table: str,
    command: Sequence[str],
    *,
    filesystem: object = None,
    cwd: StrPath | None = None,
    program: Path | None = None,
) -> pyarrow.RecordBatchReader:
    """What a command writes of transcripts."""
    arrow = require_pyarrow()
    entries = _Entries(filesystem, cwd)
    program = program or _program.find_table_program()
    running = _program.Running(command, feed=entries.of(transcripts), cwd=cwd, program=program)
    read = _read(running, entries, table)
    return arrow.RecordBatchReader.from_batches(next(read), read)


def _read(running: _program.Running, entries: _Entries, table: str) -> Generator[Any, None, None]:
    """The schema of a table, and then its batches."""
    arrow = require_pyarrow()
    broken: Exception | None = None
    with running as output:
        try:
            with arrow.ipc.open_stream(output) as stream:
                yield stream.schema
                for batch in stream:
                    yield batch
                    yield from entries.unreadable_rows(table, stream.schema)
        except arrow.ArrowException as error:
            if output.read(1):
                raise
            # The program ended too early: its exit code says why.
            broken = error
    if broken is not None:
        raise CodexWireError("codex-wire-table ended in the middle of a table") from broken
    yield from entries.unreadable_rows(table, stream.schema)


class _Entries:
    """What the program reads on its standard input: a path in each line, or a frame with the contents."""

    def __init__(self, filesystem: object, cwd: StrPath | None) -> None:
        self._files = Files(filesystem, cwd)
        # One thread adds to it, and another one takes out.
        self._unreadable: deque[tuple[str, Exception]] = deque()

    def of(self, transcripts: Iterable[Transcript]) -> Iterator[bytes]:
        for transcript in transcripts:
            if isinstance(transcript, tuple):
                name, content = transcript
                yield from _frame(name, len(content), [content])
                continue
            path = os.fspath(transcript)
            if self._files.is_local(path):
                yield os.fsencode(path) + b"\n"
                continue
            try:
                size, file = self._files.open(path)
            # An unknown kind of store is a ValueError of Arrow or of fsspec.
            except (OSError, ValueError) as error:
                self._unreadable.append((path, error))
                continue
            with file:
                yield from _frame(path, size, _chunks(file))

    def unreadable_rows(self, table: str, schema: Any) -> Iterator[Any]:
        """A row for each transcript that could not be read here. Those that the program cannot read it writes itself."""
        rows = []
        while self._unreadable:
            path, error = self._unreadable.popleft()
            rows.append({"path": path, "verdict": "unreadable", "error": str(error)})
        if rows and table == "transcripts":
            yield require_pyarrow().RecordBatch.from_pylist(rows, schema=schema)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _frame(name: str, size: int, chunks: Iterable[bytes]) -> Iterator[bytes]:
    # JSON has no bytes that are not text.
    shown = os.fsencode(name).decode("utf-8", "replace")
    yield json.dumps({"path": shown, "bytes": size}).encode() + b"\n"
    yield from chunks
    yield b"\n"
