"""A plugin of pytest: recordings are tests, and stand-ins for Codex are fixtures.

In `pyproject.toml`::

    [tool.pytest.ini_options]
    codex_wire_recordings = ["tests/recordings"]

Each recording there is a test, which fails with the report of `codex-wire check`. What that finds at warning
level is a `codex_wire.RecordingWarning`. `codex_wire_arguments` has further arguments of `codex-wire check`.
`--codex-wire-recordings PATH` adds a folder or file for one run.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import codex_wire
from codex_wire import (
    CheckError,
    CodexWireError,
    CodexWireWarning,
    Double,
    FakeCodex,
    FakeCodexOptions,
    Finding,
    RecordingWarning,
    Report,
    StandIn,
    StandInOptions,
    install_stand_in,
)
from codex_wire._commands import check_with

if TYPE_CHECKING:
    from typing_extensions import Unpack

RECORDINGS = "codex_wire_recordings"
ARGUMENTS = "codex_wire_arguments"

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst")
"""The files of a folder that are recordings by their names. Others, such as `.json`, are named one by one."""

KEPT_BY_CODEX = {
    "history.jsonl": {"session_id", "text", "ts"},
    "session_index.jsonl": {"id", "thread_name", "updated_at"},
    "trace.jsonl": {
        "codex_turn_id",
        "payload",
        "rollout_id",
        "schema_version",
        "seq",
        "thread_id",
        "wall_time_unix_ms",
    },
}
"""The members of files that Codex keeps beside its session files. A name alone proves nothing."""

LONGEST_LINE = 1 << 20
"""How much is read of the first line of such a file."""

MOST_CHARACTERS = 20_000
"""How many characters of names one process is given: a command line of Windows has 32,767."""

_folders = pytest.StashKey[tuple[Path, ...]]()
_batches = pytest.StashKey["dict[str, _Batch]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("codex-wire", "recordings of Codex")
    group.addoption(
        "--codex-wire-recordings",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder of recordings, or one recording; each is a test (several times)",
    )
    parser.addini(RECORDINGS, "folders of recordings, or recordings; each is a test", "paths", [])
    parser.addini(ARGUMENTS, "further arguments of `codex-wire check` for recordings", "args", [])


def pytest_configure(config: pytest.Config) -> None:
    listed: Iterable[Path] = config.getini(RECORDINGS)
    given: list[str] = config.getoption("codex_wire_recordings") or []
    named = [config.invocation_params.dir / path for path in given]
    places = tuple(path.resolve() for path in [*listed, *named])
    config.stash[_folders] = places
    for place in places:
        # A folder without recordings, or a wrong name, must not pass for recordings that conform.
        if not any(True for _ in _recordings(place)):
            raise pytest.UsageError(f"codex-wire: no recordings in {place}")
    # What the user names on the command line decides what is collected. Otherwise all of it is.
    everything = config.args_source is not pytest.Config.ArgsSource.ARGS
    extra = places if everything else tuple(path.resolve() for path in named)
    for place in extra:
        asked = [Path(argument.split("::")[0]).resolve() for argument in config.args]
        if not any(place == path or path in place.parents for path in asked):
            config.args.append(str(place))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    for place in parent.config.stash.get(_folders, ()):
        if (file_path == place or place in file_path.parents) and _is_recording(file_path, place):
            return RecordingFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
    return None


class RecordingFile(pytest.File):
    """A recording."""

    def collect(self) -> Iterator[pytest.Item]:
        yield ConformsItem.from_parent(self, name="conforms")  # pyright: ignore[reportUnknownMemberType]


class NotConforming(Exception):
    """A recording has findings at error level, or warnings that are errors, or could not be checked."""


class ConformsItem(pytest.Item):
    """The test of a recording: no finding at error level. Those at warning level are warnings of pytest."""

    def runtest(self) -> None:
        root = self.config.rootpath
        name = self.recording()
        if name in _clean(self.session, self):
            return
        try:
            report, remarks = check_with([*self.config.getini(ARGUMENTS), name], None, root)
        except CheckError as error:
            raise NotConforming(str(error.report)) from None
        for remark in remarks:
            warnings.warn_explicit(remark, CodexWireWarning, name, 0)
        if not report.conforms:
            raise NotConforming(str(report))
        try:
            _warn(name, report)
        except RecordingWarning:
            text = "The filters of warnings make an error of codex_wire.RecordingWarning."
            raise NotConforming(f"{report}\n\n{text}") from None

    def recording(self) -> str:
        """The path as the program is given it."""
        root = self.config.rootpath
        path = self.path
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        if isinstance(excinfo.value, (NotConforming, CodexWireError, CodexWireWarning)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.path.name} conforms"


@pytest.fixture(scope="session")
def codex_wire_recordings(pytestconfig: pytest.Config) -> tuple[Path, ...]:
    """The paths of all recordings that are configured, in the order of names."""
    found = [path for place in pytestconfig.stash[_folders] for path in _recordings(place)]
    return tuple(dict.fromkeys(found))


@pytest.fixture
def codex_wire_stand_in(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> StandIn:
    """Writes a program named `codex` that plays recordings or a script, and returns its path.

    A test that is annotated takes a `codex_wire.StandIn`::

        def test_client(codex_wire_stand_in: codex_wire.StandIn) -> None:
            codex = codex_wire_stand_in("tests/recordings/run.jsonl", faults=["turn-fails"])

    Paths are relative to the root of pytest. The options are those of `codex_wire.install_stand_in`.
    """

    def install(*recordings: str | PathLike[str], **options: Unpack[StandInOptions]) -> Path:
        folder = tmp_path_factory.mktemp("codex-wire")
        options.setdefault("cwd", pytestconfig.rootpath)
        return install_stand_in(folder, *recordings, **options)

    return install


@pytest.fixture
def fake_codex() -> Iterator[FakeCodex]:
    """Makes a double of Codex that plays a script, and ends with the test. See `codex_wire.fake_codex`.

    A test that is annotated takes a `codex_wire.FakeCodex`::

        def test_client(fake_codex: codex_wire.FakeCodex) -> None:
            codex = fake_codex(release="0.169.0").say("Hello.")
    """
    made: list[Double] = []

    def make(**options: Unpack[FakeCodexOptions]) -> Double:
        made.append(codex_wire.fake_codex(**options))
        return made[-1]

    yield make
    for double in made:
        double.end()


@dataclass
class _Batch:
    """Recordings that are checked by one process, as soon as the first of them is."""

    names: list[str]
    clean: frozenset[str] | None = None
    """Those of which there is nothing to say. Each of the others is checked again by itself."""


def _clean(session: pytest.Session, item: ConformsItem) -> frozenset[str]:
    """The recordings of the batch of a test of which there is nothing to say."""
    batches = session.stash.get(_batches, None)
    if batches is None:
        names = [each.recording() for each in session.items if isinstance(each, ConformsItem)]
        batches = {name: batch for batch in _batched(names) for name in batch.names}
        session.stash[_batches] = batches
    batch = batches.get(item.recording(), _Batch([]))
    if batch.clean is None:
        batch.clean = _checked(batch.names, item.config)
    return batch.clean


def _checked(names: Sequence[str], config: pytest.Config) -> frozenset[str]:
    if len(names) < 2:
        return frozenset()
    try:
        report, remarks = check_with([*config.getini(ARGUMENTS), *names], None, config.rootpath)
    except CheckError as error:
        report, remarks = error.report, []
    except CodexWireError:
        return frozenset()
    # What is said of all together has to be said.
    if remarks or report.totals.stale > 0:
        return frozenset()
    return frozenset(
        checked.path
        for checked in report.inputs
        if checked.verdict == "conforms" and checked.counts.error == checked.counts.warning == 0
    )


def _batched(names: Iterable[str]) -> Iterator[_Batch]:
    batch, characters = _Batch([]), 0
    for name in names:
        batch.names.append(name)
        characters += len(name) + 1
        if characters > MOST_CHARACTERS:
            yield batch
            batch, characters = _Batch([]), 0
    yield batch


def _warn(name: str, report: Report) -> None:
    """A warning for each rule that has findings at warning level, at the first of them."""
    found = [f for f in report.findings() if f.severity == "warning" and f.expected is None]
    counts = Counter(finding.rule for finding in found)
    first: dict[str, Finding] = {}
    for finding in found:
        first.setdefault(finding.rule, finding)
    for rule, finding in first.items():
        more = f" (and {counts[rule] - 1} more)" if counts[rule] > 1 else ""
        text = f"{rule}: {finding.message}{more}"
        # With the line in the name, pytest does not print the line: its payload is nobody's business.
        warnings.warn_explicit(text, RecordingWarning, f"{name}:{finding.line}", finding.column)
    if (unlisted := report.totals.warning - len(found)) > 0:
        warnings.warn_explicit(f"{unlisted} more warnings are not listed", RecordingWarning, name, 0)


def _recordings(place: Path) -> Iterator[Path]:
    """The recordings of a folder, or a file itself."""
    if place.is_file():
        yield place
    elif place.is_dir():
        for path in sorted(place.rglob("*")):
            if path.is_file() and _is_recording(path, place):
                yield path


def _is_recording(path: Path, place: Path) -> bool:
    """Whether a file is read: one that is named always, of a folder as the program chooses."""
    if path == place:
        return True
    return path.name.endswith(SUFFIXES) and not _is_kept_by_codex(path)


def _is_kept_by_codex(path: Path) -> bool:
    members = KEPT_BY_CODEX.get(path.name)
    if members is None:
        return False
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(LONGEST_LINE))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and members == first.keys()
