"""One function for each command of the program."""

from __future__ import annotations

import difflib
import json
import os
import sys
import tempfile
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

from codex_wire import _program
from codex_wire._decode import decode
from codex_wire._program import COULD_NOT_CHECK, CodexWireError, Line, Source, split_sources
from codex_wire.difference import Diff, TranscriptDiff
from codex_wire.identification import Identification
from codex_wire.report import WITHOUT_MESSAGES, Finding, Input, Report
from codex_wire.session import Session
from codex_wire.usage import Usage

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "CheckError",
    "CheckOptions",
    "IdentifyError",
    "StandIn",
    "StandInOptions",
    "UsageError",
    "check",
    "diff",
    "diff_transcript",
    "identify",
    "install_stand_in",
    "iter_findings",
    "schema",
    "sessions",
    "usage",
]

StrPath: TypeAlias = str | PathLike[str]

Only: TypeAlias = Literal["breaking", "maybe"]
"""A verdict; `unknown` counts as `maybe`."""


class CheckOptions(TypedDict, total=False):
    """The options of `codex-wire check`; `codex-wire check --help` explains them."""

    protocol: str
    release: str
    """Without it, the possible releases are inferred."""
    profile: str
    side: Literal["codex", "client", "hook"]
    deny: str | Sequence[str]
    warn: str | Sequence[str]
    allow: str | Sequence[str]
    baseline: StrPath
    with_rollout: StrPath | Sequence[StrPath]
    show_values: bool
    max_findings: int
    """How many findings of an input are listed; all of them if it is not given."""
    event: str
    exit_status: int
    """`--exit`: how the hook exited."""
    stderr: StrPath
    """A file with what the hook wrote to standard error."""
    arguments: Sequence[str]
    """Further arguments."""
    cwd: StrPath
    """The folder that paths are relative to."""


class StandInOptions(TypedDict, total=False):
    """The options of `codex-wire replay`; `codex-wire replay --help` explains them."""

    script: StrPath
    """In the place of recordings: https://github.com/codex-wire/codex-wire/blob/main/docs/scripts.md"""
    protocol: str
    release: str
    """Which release a script is played as. Of recordings, `--version` and the errors of Codex are of it, not the lines."""
    as_release: str
    """Recordings are played as this release would have written them."""
    speed: str
    on_miss: Literal["error", "fail", "synthesize"]
    times: Literal["recorded", "now"]
    faults: str | Sequence[str]
    """`codex-wire replay --help` lists them."""
    seed: int
    fault_log: StrPath
    """A file to which the ids of faults are written when they happen."""
    record: StrPath
    """A file to which the exchange is recorded."""
    arguments: Sequence[str]
    """Further arguments."""
    cwd: StrPath
    """The folder that paths of recordings and of the script are relative to."""


class StandIn(Protocol):
    """The type of the fixture `codex_wire_stand_in`: writes a program named `codex`, and returns its path."""

    def __call__(self, *recordings: StrPath, **options: Unpack[StandInOptions]) -> Path: ...


class CheckError(CodexWireError):
    """An input could not be checked. `report` has what was found in the others."""

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message, exit_code=COULD_NOT_CHECK)
        self.report = report


class IdentifyError(CodexWireError):
    """An input is not a transcript. `identification` has what the others are."""

    def __init__(self, message: str, identification: Identification) -> None:
        super().__init__(message, exit_code=COULD_NOT_CHECK)
        self.identification = identification


class UsageError(CodexWireError):
    """An input holds no session. `usage` has what the others used."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message, exit_code=COULD_NOT_CHECK)
        self.usage = usage


def check(*sources: Source, **options: Unpack[CheckOptions]) -> Report:
    """Checks transcripts. What breaks a rule is a finding of the report, not an exception.

    A source is a path of a file or folder, or the lines of one transcript::

        report = codex_wire.check("tests/recordings")
        report = codex_wire.check(process.stdout, release="0.125.0")
        assert report.conforms, str(report)

    An input without messages has the verdict `not-exercised`; a report does not conform if all inputs have it.
    Raises `CheckError` if an input could not be read, and `CodexWireError` if nothing could.
    """
    paths, lines = split_sources(sources)
    report, remarks = check_with([*_check_arguments(options), *paths], lines, options.get("cwd"))
    _program.warn(remarks)
    return report


def check_with(
    arguments: Sequence[str], lines: Iterable[Line] | None, cwd: StrPath | None
) -> tuple[Report, list[str]]:
    """The report of `codex-wire check` with these arguments, and what the program remarks."""
    with tempfile.TemporaryDirectory(prefix="codex-wire-") as folder:
        text = Path(folder, "report.txt")
        command = ["check", "--format", "json", "--report", f"text={text}", *arguments]
        output, error, code = _program.run_any(command, lines=lines, cwd=cwd)
        if not output.strip() or code not in (0, 1, COULD_NOT_CHECK):
            raise _program.failure(error, code)
        report = _report(json.loads(output), text.read_text("utf-8", "replace").strip())
    # The program has this exit code too if no input has messages.
    if code == COULD_NOT_CHECK and not _is_without_messages(report):
        raise CheckError(str(_program.failure(error, code)), report)
    # The report has the files that were not read.
    return report, [r for r in _program.remarks(error) if not r.startswith("not read: ")]


def iter_findings(
    *sources: Source, **options: Unpack[CheckOptions]
) -> Generator[Finding, None, None]:
    """Checks transcripts, and yields the findings of each input as soon as that input is checked.

    Many recordings are thus checked without a report of all of them in memory. Raises `CodexWireError` behind
    the last finding if an input could not be read, or if no input has messages. To check a Codex that is running, use
    `codex-wire tap -- COMMAND`.
    """
    paths, lines = split_sources(sources)
    command = ["check", "--format", "jsonl", *_check_arguments(options), *paths]
    without_messages: list[str] = []
    unreadable = 0
    try:
        for line in _program.stream(command, lines=lines, cwd=options.get("cwd")):
            value = json.loads(line)
            if value["kind"] == "finding":
                yield decode(Finding, value)
            elif value["kind"] == "input":
                unreadable += value["verdict"] == "unreadable"
                if value["verdict"] == "not-exercised":
                    without_messages.append(value["path"])
    except CodexWireError as error:
        if unreadable or not without_messages:
            raise
        # The program says it in its report only, and who calls this function sees no report.
        said = "\n".join(f"{path}: {WITHOUT_MESSAGES}" for path in without_messages)
        raise CodexWireError(said, exit_code=error.exit_code) from None


def identify(
    *sources: Source,
    cwd: StrPath | None = None,
) -> Identification:
    """Names the protocol and the possible releases of each input, with the evidence.

    Raises `IdentifyError` if an input is not a transcript, or could not be read.
    """
    paths, lines = split_sources(sources)
    command = ["identify", "--format", "json", *paths]
    output, error, code = _program.run_any(command, lines=lines, cwd=cwd)
    if not output.strip() or code not in (0, 1, COULD_NOT_CHECK):
        raise _program.failure(error, code)
    identification = decode(Identification, json.loads(output))
    if code == COULD_NOT_CHECK:
        reasons = [f"{i.path}: {i.reason}" for i in identification.inputs if i.kind == "unknown"]
        raise IdentifyError("; ".join(reasons) or error.strip(), identification)
    return identification


def schema(
    protocol: str,
    *,
    release: str | None = None,
    draft: Literal["2020-12", "draft-07"] | None = None,
    profile: str | None = None,
    stability: Literal["stable", "experimental"] | None = None,
    all_releases: bool = False,
) -> dict[str, Any]:
    """The JSON Schema of a release, of the newest if none is given."""
    options = _flags(
        {"release": release, "draft": draft, "profile": profile, "stability": stability},
        *("release", "draft", "profile", "stability"),
    )
    if all_releases:
        options.append("--all-releases")
    output, _ = _program.run(["schema", protocol, *options])
    loaded: dict[str, Any] = json.loads(output)
    return loaded


def diff(
    protocol: str,
    before: StrPath,
    after: StrPath,
    *,
    stability: Literal["stable", "experimental"] | None = None,
    writer: Literal["codex", "client"] | None = None,
    only: Only | Sequence[Only] = (),
    side: Literal["codex", "client"] | None = None,
    message: str | Sequence[str] = (),
) -> Diff:
    """What changed between two releases, or two files of schemas, and what that breaks.

    `only`, `side` and `message` (names with wildcards) leave out other changes: `Diff.hidden` counts them.
    """
    options = _flags({"stability": stability, "writer": writer}, "stability", "writer")
    options += _selection(only, side, message)
    sides = [os.fspath(before), os.fspath(after)]
    output, _ = _program.run(["diff", "--format", "json", *options, protocol, *sides])
    return decode(Diff, json.loads(output))


def diff_transcript(
    source: Source,
    *,
    to: str,
    from_release: str | None = None,
    protocol: str | None = None,
    stability: Literal["stable", "experimental"] | None = None,
    only: Only | Sequence[Only] = (),
    side: Literal["codex", "client"] | None = None,
    message: str | Sequence[str] = (),
    cwd: StrPath | None = None,
) -> TranscriptDiff:
    """Whether a transcript, and the client that read it, still work with another release: `to`.

    Compares only what the transcript contains, and checks its lines against that release. `from_release` is the
    one that the client was built for; the oldest possible one if it is not given.
    """
    paths, lines = split_sources([source])
    options = _flags({"to": to, "from": from_release, "stability": stability}, "to", "from", "stability")
    options += _selection(only, side, message)
    named = [] if protocol is None else [protocol]
    command = ["diff", "--format", "json", *options, "--transcript", *paths, *named]
    output, _ = _program.run(command, lines=lines, cwd=cwd)
    return decode(TranscriptDiff, json.loads(output))


def sessions(
    *sources: Source, arguments: Sequence[str] = (), cwd: StrPath | None = None
) -> Generator[Session, None, None]:
    """Reads sessions: threads, turns, messages, commands, patches, calls of tools, approvals, tokens.

    A source is a session file of Codex, a stream of `codex exec --json` or a recording of `codex app-server`, of any
    release, or a folder of them. Each session is yielded as soon as its input is read::

        for session in codex_wire.sessions(Path.home() / ".codex/sessions"):
            for turn in session.threads[0].turns:
                print(turn.status, [item.type for item in turn.items])

    What a source cannot know is `None`. Raises `CodexWireError` behind the last session if an input holds no session, or
    could not be read.
    """
    paths, lines = split_sources(sources)
    command = ["show", "--format", "json", *arguments, *paths]
    for line in _program.stream(command, lines=lines, cwd=cwd):
        yield decode(Session, json.loads(line))


def usage(
    *sources: Source,
    by: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    since: str | None = None,
    top: int | None = None,
    cost: bool = False,
    prices: StrPath | None = None,
    utc: bool = False,
    arguments: Sequence[str] = (),
    cwd: StrPath | None = None,
) -> Usage:
    """Sums up tokens, turns, durations and calls of tools. Without a source, those of Codex on this machine.

    `codex-wire usage --help` explains the options: `by` has keys such as `"day"` and `"model"`, `where` conditions such as
    `"tokens>100000"`. Raises `UsageError` if an input holds no session, or could not be read.
    """
    paths, lines = split_sources(sources) if sources else ([], None)
    options = _flags({"since": since, "top": top, "prices": prices}, "since", "top", "prices")
    if by:
        options.append("--by=" + (by if isinstance(by, str) else ",".join(by)))
    for condition in [where] if isinstance(where, str) else where:
        options.append(f"--where={condition}")
    options += [flag for flag, is_set in (("--cost", cost), ("--utc", utc)) if is_set]
    command = ["usage", "--format", "json", *options, *arguments, *paths]
    output, error, code = _program.run_any(command, lines=lines, cwd=cwd)
    if not output.strip() or code not in (0, COULD_NOT_CHECK):
        raise _program.failure(error, code)
    used = decode(Usage, json.loads(output))
    if code == COULD_NOT_CHECK:
        raise UsageError(str(_program.failure(error, code)), used)
    _program.warn(_program.remarks(error))
    return used


def install_stand_in(
    folder: StrPath, *recordings: StrPath, **options: Unpack[StandInOptions]
) -> Path:
    """Writes a program named `codex` to a folder, which plays recordings or a script. Returns its path."""
    _refuse_unknown(options, StandInOptions.__optional_keys__)
    arguments = _flags(options, "script", "protocol", "release", "as_release", "speed", "on_miss")
    arguments += _flags(options, "times", "seed", "fault_log", "record")
    faults = options.get("faults", ())
    for fault in [faults] if isinstance(faults, str) else faults:
        arguments.append(f"--fault={fault}")
    arguments += options.get("arguments", ())
    paths, lines = split_sources(recordings) if recordings else ([], None)
    if lines is not None:
        raise TypeError("recordings are paths: install_stand_in(folder, *paths)")
    target = Path(folder).absolute()
    command = ["replay", "--install", str(target), *arguments, *paths]
    _, error, code = _program.run_any(command, cwd=options.get("cwd"))
    if code != 0:
        raise _program.failure(error, code)
    # The last one names the program that was asked for.
    _program.warn(_program.remarks(error)[:-1])
    return target / ("codex.exe" if sys.platform == "win32" else "codex")


def _refuse_unknown(options: Collection[str], known: Collection[str]) -> None:
    """A misspelt option must not be ignored: a test with it would pass without having tested it."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            names = ", ".join(sorted(known))
            hint = f"did you mean {near[0]!r}?" if near else f"the options are {names}"
            raise TypeError(f"unknown option {name!r}; {hint}")


def _check_arguments(options: CheckOptions) -> list[str]:
    _refuse_unknown(options, CheckOptions.__optional_keys__)
    arguments = _flags(options, "protocol", "release", "profile", "side", "baseline", "event", "stderr")
    levels = {
        "--deny": options.get("deny", ()),
        "--warn": options.get("warn", ()),
        "--allow": options.get("allow", ()),
    }
    for flag, rules in levels.items():
        if rules:
            arguments.append(f"{flag}={rules if isinstance(rules, str) else ','.join(rules)}")
    files = options.get("with_rollout", ())
    for file in [files] if isinstance(files, (str, PathLike)) else files:
        arguments.append(f"--with-rollout={os.fspath(file)}")
    if options.get("show_values"):
        arguments.append("--show-values")
    if "exit_status" in options:
        arguments.append(f"--exit={options['exit_status']}")
    arguments.append(f"--max-findings={options.get('max_findings', 'all')}")
    return [*arguments, *options.get("arguments", ())]


def _selection(
    only: str | Sequence[str], side: str | None, message: str | Sequence[str]
) -> list[str]:
    """Which changes are shown."""
    arguments = _flags({"side": side}, "side")
    for flag, values in ("--only", only), ("--message", message):
        for value in [values] if isinstance(values, str) else values:
            arguments.append(f"{flag}={value}")
    return arguments


def _flags(options: Mapping[str, object], *names: str) -> list[str]:
    """`as_release="0.98.0"` as `--as-release=0.98.0`, where there is a value: it may begin with a dash."""
    arguments: list[str] = []
    for name in names:
        value = options.get(name)
        if value is not None:
            # The text of a path object is its path.
            arguments.append(f"--{name.replace('_', '-')}={value}")
    return arguments


def _is_without_messages(report: Report) -> bool:
    """Whether all inputs were read, and none has messages."""
    return report.totals.unreadable == 0 and report.totals.not_exercised == report.totals.inputs


def _report(value: Mapping[str, Any], text: str) -> Report:
    """A report, with the path of its input in each finding."""
    inputs = tuple(
        decode(
            Input,
            checked,
            findings=tuple(decode(Finding, f, path=checked["path"]) for f in checked["findings"]),
        )
        for checked in value["inputs"]
    )
    return decode(Report, value, inputs=inputs, text=text)
