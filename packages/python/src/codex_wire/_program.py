"""Finds the program and runs it."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import IO, TypeAlias

__all__ = [
    "CodexWireError",
    "CodexWireWarning",
    "Line",
    "ProgramNotFound",
    "RecordingWarning",
    "Running",
    "Source",
    "find_program",
    "run",
    "stream",
]

Line: TypeAlias = str | bytes
"""A line, with or without its line feed. Text is written as UTF-8."""

Source: TypeAlias = str | PathLike[str] | Iterable[Line]
"""A path, as a string or a path object. Anything else that can be iterated is one input of lines: of `str` or `bytes`."""

REPOSITORY = "https://github.com/codex-wire/codex-wire"
"""Where the sources of the program are."""

COULD_NOT_CHECK = 2
"""The exit code of the program if something could not be done."""


class CodexWireError(Exception):
    """The program could not do what it was asked: exit code 2, or none of its own.

    A transcript that breaks rules is not an error: its findings are data.
    """

    def __init__(self, message: str, *, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class CodexWireWarning(UserWarning):
    """What the program remarks beside its result, such as that it knows no such release and takes another one."""


class RecordingWarning(CodexWireWarning):
    """A recording that is a test has findings at warning level, such as that its end is missing."""


class ProgramNotFound(CodexWireError):
    """The program `codex-wire` is not installed: this platform has a wheel without it."""


def find_program() -> Path:
    """The path of the program `codex-wire`.

    `CODEX_WIRE_PROGRAM` names another one. Otherwise it is the one that was installed with this package,
    or else the one in `PATH`.
    """
    named = os.environ.get("CODEX_WIRE_PROGRAM")
    if named:
        # A relative path would be another one in the folder that a call names; and without a folder, one in PATH.
        path = Path(named).absolute()
        if path.is_file():
            return path
        raise ProgramNotFound(f"CODEX_WIRE_PROGRAM is {named}, which is not a file")
    return _find_installed("codex-wire", "codex-wire-cli")


def find_table_program() -> Path:
    """The path of the program `codex-wire-table`: beside the one that `CODEX_WIRE_PROGRAM` names, or found as that is."""
    named = os.environ.get("CODEX_WIRE_PROGRAM")
    if named:
        path = Path(named).absolute().with_name(_executable("codex-wire-table"))
        if path.is_file():
            return path
    return _find_installed("codex-wire-table", "codex-wire-table")


def _executable(name: str) -> str:
    return f"{name}.exe" if os.name == "nt" else name


def _find_installed(name: str, package: str) -> Path:
    for folder in _script_folders():
        path = folder / _executable(name)
        if path.is_file():
            return path
    found = shutil.which(name)
    if found:
        return Path(found)
    raise ProgramNotFound(
        f"the program {name} is not installed: this platform has a wheel without it. "
        f"`cargo install --locked --git {REPOSITORY} {package}` builds it; leave it in PATH, or set "
        "CODEX_WIRE_PROGRAM to "
        + ("its path" if name == "codex-wire" else "the path of the codex-wire beside it")
    )


def _script_folders() -> Iterator[Path]:
    """Where an installer puts the scripts of this package."""
    yield Path(sysconfig.get_path("scripts"))
    # `pip install --user`
    yield Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    package = Path(__file__).resolve().parent.parent
    # `pip install --target`
    yield package / ("Scripts" if os.name == "nt" else "bin")
    yield package / "bin"
    # `pip install --prefix`: PREFIX/lib/pythonX.Y/site-packages
    if package.name == "site-packages":
        yield package.parents[1 if os.name == "nt" else 2] / ("Scripts" if os.name == "nt" else "bin")


def split_sources(sources: Sequence[Source]) -> tuple[list[str], Iterable[Line] | None]:
    """The paths, as arguments of the program, and the lines for its standard input."""
    paths: list[str] = []
    lines: Iterable[Line] | None = None
    if not sources:
        raise TypeError("give a path or lines")
    for source in sources:
        if isinstance(source, (str, PathLike)):
            if isinstance(source, str) and "\n" in source:
                raise TypeError("text with a line feed is not a path: give `io.StringIO(text)`")
            path = os.fspath(source)
            # The program takes `-` for standard input, and what begins with a dash for an option.
            paths.append(os.path.join(".", path) if path.startswith("-") else path)
        elif isinstance(source, (bytes, bytearray)):
            raise TypeError("bytes are not lines: give `data.splitlines()`, or a list of one line")
        elif isinstance(source, Mapping):
            raise TypeError("a mapping is not a transcript: a line is str or bytes")
        elif lines is None:
            lines = source
            paths.append("-")
        else:
            raise TypeError("only one input can be lines")
    return paths, lines


def _encoded(lines: Iterable[Line]) -> Iterator[bytes]:
    for line in lines:
        if isinstance(line, PathLike):
            raise TypeError("several paths are several arguments: check(*paths)")
        if not isinstance(line, (str, bytes, bytearray)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a line is str or bytes, not {type(line).__name__}")
        data = line.encode("utf-8") if isinstance(line, str) else line
        yield data if data.endswith(b"\n") else data + b"\n"


def run(
    arguments: Sequence[str],
    *,
    lines: Iterable[Line] | None = None,
    cwd: str | PathLike[str] | None = None,
) -> tuple[str, int]:
    """Runs the program to its end: what it printed, and 0 or 1. Raises for any other exit code."""
    output, error, code = run_any(arguments, lines=lines, cwd=cwd)
    if code not in (0, 1):
        raise failure(error, code)
    warn(remarks(error))
    return output, code


def run_any(
    arguments: Sequence[str],
    *,
    lines: Iterable[Line] | None = None,
    cwd: str | PathLike[str] | None = None,
) -> tuple[str, str, int]:
    """Runs the program to its end: standard output, standard error and exit code."""
    done = subprocess.run(
        [str(find_program()), *arguments],
        input=b"".join(_encoded(lines or ())),
        capture_output=True,
        cwd=cwd,
        check=False,
        env=_without_colors(),
    )
    output = done.stdout.decode("utf-8", "replace")
    return output, done.stderr.decode("utf-8", "replace"), done.returncode


def stream(
    arguments: Sequence[str],
    *,
    lines: Iterable[Line] | None = None,
    cwd: str | PathLike[str] | None = None,
) -> Generator[str, None, None]:
    """Runs the program and yields its lines while it goes on. Ends it if the caller stops reading."""
    with Running(arguments, feed=None if lines is None else _encoded(lines), cwd=cwd) as output:
        for line in output:
            yield line.decode("utf-8", "replace")


class Running:
    """A program that runs while a block reads its output; what it failed of is raised at the end of the block.

    A thread writes `feed` to its standard input, so that neither side waits for the other. A block that raises, or is left
    early, ends the program.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        feed: Iterable[bytes] | None = None,
        cwd: str | PathLike[str] | None = None,
        program: Path | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            [str(program or find_program()), *arguments],
            stdin=subprocess.PIPE if feed is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=_without_colors(),
        )
        self._errors: list[bytes] = []
        self._failures: list[BaseException] = []
        self._reader = self._started(_read, self._process.stderr, self._errors)
        self._writer: threading.Thread | None = None
        if feed is not None:
            self._writer = self._started(_write, self._process.stdin, feed, self._failures)

    def __enter__(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._process.kill()
        assert self._process.stdout is not None
        # A program that writes more than was read must not wait for a reader.
        self._process.stdout.close()
        code = self._process.wait()
        if kind is not None:
            return
        self._reader.join()
        is_done = code in (0, 1)
        # The feed of a program that gave up may wait for lines that never come.
        if is_done and self._writer is not None:
            self._writer.join()
        if self._failures:
            raise self._failures[0]
        error = b"".join(self._errors).decode("utf-8", "replace")
        if not is_done:
            raise failure(error, code)
        warn(remarks(error))

    @staticmethod
    def _started(function: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        thread.start()
        return thread


def _read(pipe: IO[bytes], into: list[bytes]) -> None:
    with pipe:
        into.append(pipe.read())


def _write(pipe: IO[bytes], feed: Iterable[bytes], failures: list[BaseException]) -> None:
    """Feeds the program. What the caller's iterator raises is raised to the caller."""
    # Without a reader the program has ended: its exit code says why.
    with suppress(BrokenPipeError), pipe:
        try:
            for data in feed:
                pipe.write(data)
                pipe.flush()
        except BrokenPipeError:
            raise
        except BaseException as error:
            # Before the pipe is closed, at which the program may fail, too.
            failures.append(error)


def _without_colors() -> dict[str, str]:
    """The environment. CI systems force colors, and what the program says becomes an exception or a warning."""
    return {**os.environ, "NO_COLOR": "1"}


def failure(error: str, code: int) -> CodexWireError:
    """What the program says on standard error, as an exception."""
    text = _without_name(error.strip().removeprefix("error: "))
    text = text or f"codex-wire ended with exit code {code}"
    return CodexWireError(text, exit_code=code)


def remarks(error: str) -> list[str]:
    """What a program that did its work says on standard error."""
    return [_without_name(line) for line in error.splitlines() if line]


def _without_name(said: str) -> str:
    """What a program says, without its name."""
    return said.removeprefix("codex-wire: ").removeprefix("codex-wire-table: ")


def warn(remarks: Iterable[str]) -> None:
    """Passes remarks on, as warnings at the line that called this package."""
    for remark in remarks:
        warnings.warn(remark, CodexWireWarning, stacklevel=_level_outside())


def _level_outside() -> int:
    """The `stacklevel`, seen from who calls this, of the first frame that is not of this package."""
    level = 0
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "codex_wire":
        frame = frame.f_back
        level += 1
    return level


def main() -> int:
    """Runs the program with the arguments of this process."""
    try:
        program = str(find_program())
    except ProgramNotFound as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT_CHECK
    if os.name == "nt":
        return subprocess.run([program, *sys.argv[1:]], check=False).returncode
    os.execv(program, [program, *sys.argv[1:]])
