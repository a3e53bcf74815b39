"""Opens transcripts that the program does not open itself: those of stores such as S3."""

from __future__ import annotations

import os
import re
import tempfile
from os import PathLike
from typing import IO, Any
from urllib.parse import unquote

__all__ = ["CHUNK", "Files"]

CHUNK = 16 << 20
"""How many bytes are asked for at once. A store answers each time, and most transcripts are shorter."""

IN_MEMORY = 64 << 20
"""A longer transcript waits in a temporary file."""


class Files:
    """Opens paths and URLs. Each store is looked up once."""

    def __init__(self, filesystem: object, cwd: str | PathLike[str] | None) -> None:
        self._filesystem = None if filesystem is None else _arrow_filesystem(filesystem)
        self._cwd = os.fspath(cwd) if cwd is not None else ""
        self._stores: dict[str, tuple[Any, str]] = {}

    def is_local(self, path: str) -> bool:
        """Whether the program opens this path itself."""
        return self._filesystem is None and _SCHEME.match(path) is None and _is_a_plain_line(path)

    def open(self, path: str) -> tuple[int, IO[bytes]]:
        """The length of a file, and its contents.

        All of it is read before the first byte is given away: a store that fails in the middle is noticed in time, and a file
        that grows meanwhile has one length.
        """
        filesystem, key = self._located(path)
        spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)
        try:
            with filesystem.open_input_stream(key, compression=None, buffer_size=None) as stream:
                while chunk := stream.read(CHUNK):
                    spool.write(chunk)
            size = spool.tell()
            spool.seek(0)
        except BaseException:
            spool.close()
            raise
        return size, spool

    def _located(self, path: str) -> tuple[Any, str]:
        """The store of a path, and the name that the path has there."""
        from pyarrow import fs

        url = _SCHEME.match(path)
        if self._filesystem is not None:
            return self._filesystem, path[url.end() :] if url else path
        if url is None:
            return fs.LocalFileSystem(), os.path.join(self._cwd, path)
        if url["scheme"] == "file":
            name = "/" + path[url.end() :].lstrip("/")
            # With three slashes it is a URL, as of `Path.as_uri`; with one, Spark writes the name as it is.
            return fs.LocalFileSystem(), unquote(name) if path.startswith("file:///") else name
        root, _, key = path[url.end() :].partition("/")
        # Names of Hadoop for the same store.
        scheme = {"s3a": "s3", "s3n": "s3"}.get(url["scheme"], url["scheme"])
        root = f"{scheme}://{root}"
        if root not in self._stores:
            self._stores[root] = _store(root)
        filesystem, base = self._stores[root]
        return filesystem, f"{base.rstrip('/')}/{key}"


_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?://|(?<=file:)(?=/))")
"""The beginning of a URL. `file:` may have one slash: Spark writes it so."""


def _is_a_plain_line(path: str) -> bool:
    """Whether a line of a list can be this path, and nothing else."""
    return path != "" and path == path.strip() and not re.search(r"[\r\n]", path) and not path.startswith(("{", "-"))


def _arrow_filesystem(filesystem: object) -> Any:
    from pyarrow import fs

    if isinstance(filesystem, fs.FileSystem):
        return filesystem
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem))


def _store(root: str) -> tuple[Any, str]:
    """The file system of a URL, and the path of the URL in it."""
    from pyarrow import ArrowInvalid, fs

    try:
        filesystem, base = fs.FileSystem.from_uri(root)
        return filesystem, base
    except ArrowInvalid as unknown:
        try:
            import fsspec
        except ImportError:
            raise unknown from None
        filesystem, base = fsspec.core.url_to_fs(root)
        return _arrow_filesystem(filesystem), base
