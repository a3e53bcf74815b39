"""What a check found: the report of `codex-wire check --format json`, as dataclasses.

`schemas/report.json` describes the same. Fields of a later version of the program
that these classes do not have are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = [
    "Availability",
    "Baseline",
    "Characters",
    "Counts",
    "Excerpt",
    "Finding",
    "Input",
    "KindCounts",
    "ProtocolCounts",
    "ReleaseCounts",
    "ReleaseRange",
    "Report",
    "RuleCounts",
    "Schema",
    "Severity",
    "Skipped",
    "Stale",
    "Statistics",
    "Tool",
    "Totals",
    "Verdict",
]

Severity: TypeAlias = Literal["error", "warning", "note"]
Verdict: TypeAlias = Literal["conforms", "findings", "not-exercised", "unreadable"]

WITHOUT_MESSAGES = "holds no messages, so nothing was checked"
"""What the text report says of an input with the verdict `not-exercised`."""


@dataclass(frozen=True)
class Tool:
    """The program that wrote the report."""

    name: str
    version: str


@dataclass(frozen=True)
class ReleaseRange:
    """A range of releases, both ends included."""

    since: str
    until: str


@dataclass(frozen=True)
class Availability:
    """A range of releases, both ends included; open where an end is None."""

    since: str | None
    until: str | None


@dataclass(frozen=True)
class Schema:
    """A schema that messages were checked against."""

    message_set: str
    """What messages it is of, by the name in the catalogue of published schemas."""
    release: str
    sha256: str


@dataclass(frozen=True)
class Counts:
    """Findings by severity, those beyond the limit included."""

    error: int
    warning: int
    note: int
    expected: int
    """Those that the baseline lists. They are counted nowhere else."""


@dataclass(frozen=True)
class Characters:
    """A part of a line in Unicode characters."""

    column: int
    length: int


@dataclass(frozen=True)
class Earlier:
    """An earlier message that explains a finding."""

    line: int
    """Its line, from 1."""
    message_number: int
    """Which message of the input it is, from 1."""
    offset: int
    """The byte within the input at which the message begins."""
    length: int
    what: str
    """What it is: a clause such as "the item started here"."""


@dataclass(frozen=True)
class Excerpt:
    """The offending part of the line."""

    text: str
    """A window on the line; its payload is masked unless values were asked for."""
    start: int
    """Where the offending part begins, in bytes of the UTF-8 of `text`."""
    end: int


@dataclass(frozen=True)
class Finding:
    """What breaks a rule, and where."""

    path: str
    """The input it was found in."""
    rule: str
    severity: Severity
    line: int
    """The line, from 1; lines end at a line feed only."""
    column: int
    """The byte within the line, from 1."""
    offset: int
    """The byte within the input, from 0."""
    length: int
    """How many bytes are meant; 0 for a point."""
    characters: Characters | None
    """Column and length in characters; None where the line is not text."""
    pointer: str
    """The place within the message as a JSON Pointer."""
    message_number: int | None
    """Which message of the input it is, from 1."""
    message: str
    """What is wrong, without payload text."""
    help: str | None
    releases: Availability | None
    """The releases in which it would be right; None where it would be right in none."""
    writer: Literal["codex", "client"] | None
    """Who wrote the line, where a recording says so."""
    earlier: Earlier | None
    """An earlier message that explains it."""
    excerpt: Excerpt | None
    expected: str | None
    """The reason the baseline gives, where it lists the finding."""

    def __str__(self) -> str:
        return f"{self.severity}[{self.rule}] {self.path}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True)
class Input:
    """What was found in one input."""

    path: str
    """The path as it was given, `-` for lines."""
    protocol: str | None
    releases: ReleaseRange | None
    """The releases that could have written it; the stated one twice."""
    identified: bool
    """Whether the release was identified rather than stated."""
    schemas: tuple[Schema, ...]
    messages: int
    verdict: Verdict
    counts: Counts
    findings: tuple[Finding, ...]
    """The findings in the order of the input, up to the limit."""
    dropped: int
    """How many findings are beyond the limit."""
    error: str | None = None
    """Why it is unreadable."""


@dataclass(frozen=True)
class Skipped:
    """A file of a folder that was not read."""

    path: str
    reason: str


@dataclass(frozen=True)
class Stale:
    """An entry of the baseline that does not hold."""

    line: int
    rule: str
    path: str
    place: str | None
    message: str
    reason: str
    why: str
    now: str | None


@dataclass(frozen=True)
class Baseline:
    """What became of the baseline."""

    path: str
    stale: tuple[Stale, ...]


@dataclass(frozen=True)
class Totals:
    """Sums over all inputs."""

    inputs: int
    messages: int
    conforms: int
    findings: int
    not_exercised: int
    unreadable: int
    error: int
    warning: int
    note: int
    expected: int
    stale: int


@dataclass(frozen=True)
class RuleCounts:
    """Findings of a rule."""

    rule: str
    error: int
    warning: int
    note: int
    expected: int


@dataclass(frozen=True)
class ProtocolCounts:
    """Inputs and messages of a protocol."""

    protocol: str
    inputs: int
    messages: int


@dataclass(frozen=True)
class ReleaseCounts:
    """Inputs and messages of the releases that could have written them."""

    protocol: str
    since: str
    until: str
    identified: bool
    inputs: int
    messages: int


@dataclass(frozen=True)
class KindCounts:
    """Messages of a kind."""

    message_set: str
    kind: str
    messages: int


@dataclass(frozen=True)
class Statistics:
    """Counts over all inputs."""

    rules: tuple[RuleCounts, ...]
    unlisted: int
    """Findings beyond the limit."""
    protocols: tuple[ProtocolCounts, ...]
    releases: tuple[ReleaseCounts, ...]
    kinds: tuple[KindCounts, ...]
    other_kinds: int
    """Messages of kinds that are not listed."""


@dataclass(frozen=True)
class Report:
    """What a check found in all inputs."""

    version: int
    tool: Tool
    inputs: tuple[Input, ...]
    skipped: tuple[Skipped, ...]
    baseline: Baseline | None
    totals: Totals
    statistics: Statistics | None = None
    """Only with `arguments=["--statistics"]`."""
    text: str = field(default="", compare=False, repr=False)
    """What `codex-wire check` prints: `str(report)`."""

    @property
    def conforms(self) -> bool:
        """Whether the exit code of the program is 0: no finding at error level, all inputs readable."""
        bad = self.totals.error + self.totals.stale + self.totals.unreadable
        return bad == 0 and self.totals.inputs > self.totals.not_exercised

    def findings(self) -> Iterator[Finding]:
        """The findings of all inputs, in their order."""
        for checked in self.inputs:
            yield from checked.findings

    def __str__(self) -> str:
        return self.text
