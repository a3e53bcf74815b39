"""What `codex-wire diff --format json` says, as dataclasses.

`schemas/diff.json` describes the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

__all__ = [
    "Change",
    "ChangeVerdict",
    "Corrected",
    "Counterexample",
    "Diff",
    "DiffTotals",
    "Evidence",
    "Hidden",
    "Judgement",
    "MessageName",
    "Side",
    "Transcript",
    "TranscriptDiff",
    "TranscriptKind",
    "Unmatched",
    "UnmatchedLine",
]

ChangeVerdict: TypeAlias = Literal["breaking", "maybe", "unknown", "compatible"]


@dataclass(frozen=True)
class Side:
    """One of the two sides."""

    name: str
    messages: int


@dataclass(frozen=True)
class DiffTotals:
    """How many differences have which verdict."""

    breaking: int
    maybe: int
    unknown: int
    compatible: int


@dataclass(frozen=True)
class Hidden:
    """How many differences were left out because only some were asked for."""

    breaking: int
    maybe: int
    unknown: int
    compatible: int
    corrections: int
    """Known corrections that were left out."""


@dataclass(frozen=True)
class MessageName:
    """A message that a change reaches."""

    part: str
    name: str


@dataclass(frozen=True)
class Counterexample:
    """A message that one side accepts and the other refuses."""

    value: Any
    accepted_by: Literal["before", "after"]
    undeclared: bool
    """Whether it is accepted only where undeclared members are allowed."""


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on."""

    kind: Literal["probed", "official", "inferred"]
    release: str | None
    """If probed: the release that was asked."""
    sent: str | None
    """If probed: the line that it was sent."""
    refused: str | None
    """If probed: what it said is wrong with the line; None if it read it."""
    correction: str | None
    """If inferred: why the official schema of one of the releases is corrected."""


@dataclass(frozen=True)
class Judgement:
    """What a change means in one direction."""

    direction: Literal["codex-writes", "client-writes"]
    rule: str
    verdict: ChangeVerdict
    why: str
    counterexample: Counterexample | None
    remark: str | None
    evidence: Evidence | None
    """Of a verdict between two releases that is breaking, or would be by our description alone."""


@dataclass(frozen=True)
class Change:
    """One difference."""

    change: str
    """What happened, such as `null-added`."""
    place: str
    """Where: a definition with members, or a message."""
    former_place: str
    before: str | None
    after: str | None
    verdict: ChangeVerdict
    judgements: tuple[Judgement, ...]
    path: tuple[str, ...]
    """A shortest way to the place."""
    messages: tuple[MessageName, ...]

    def __str__(self) -> str:
        names = " → ".join(f"`{name}`" for name in (self.before, self.after) if name is not None)
        words = self.change.replace("-", " ")
        return f"{self.verdict}  {self.place}: {words}" + (f": {names}" if names else "")


@dataclass(frozen=True)
class Corrected:
    """A difference that is known, and why it is there."""

    reason: str
    difference: Change


@dataclass(frozen=True)
class Diff:
    """What changed between two releases."""

    version: int
    before: Side
    after: Side
    totals: DiffTotals
    left_out: tuple[str, ...]
    unlisted: int
    hidden: Hidden
    corrections: tuple[Corrected, ...]
    differences: tuple[Change, ...]
    """By verdict, worst first, and place."""

    def breaking(self) -> Iterator[Change]:
        """The changes that break a reader, each proven by a message."""
        return (change for change in self.differences if change.verdict == "breaking")

    def __str__(self) -> str:
        """A line for each change, and how many there are. `codex-wire diff` also prints the messages that prove it."""
        lines = [str(change) for change in self.differences]
        found = _counted(self.totals) or "no difference"
        lines.append(f"{self.before.name} → {self.after.name}: {found}")
        if hidden := _counted(self.hidden):
            lines.append(f"not shown: {hidden}")
        if self.unlisted:
            lines.append(f"{self.unlisted} more changes are not listed")
        if self.left_out:
            lines.append(f"not compared: {', '.join(self.left_out)}")
        return "\n".join(lines)


def _counted(counts: DiffTotals | Hidden) -> str:
    """Such as `2 breaking, 1 compatible`; nothing if all are 0."""
    named = ((getattr(counts, f.name), f.name) for f in fields(counts))
    return ", ".join(f"{count} {name}" for count, name in named if count)


@dataclass(frozen=True)
class TranscriptKind:
    """The messages of a kind in a transcript."""

    part: str
    name: str
    lines: int
    first: int
    """The line of the first one."""


@dataclass(frozen=True)
class Transcript:
    """What a transcript contains."""

    path: str
    protocol: str
    release: str
    """The release that the client was built for."""
    inputs: int
    messages: int
    kinds: tuple[TranscriptKind, ...]


@dataclass(frozen=True)
class UnmatchedLine:
    """A line that the other release would not write or accept."""

    path: str
    line: int
    rule: str
    message: str


@dataclass(frozen=True)
class Unmatched:
    """Lines that the other release would not write or accept."""

    count: int
    lines: tuple[UnmatchedLine, ...] = field(metadata={"key": "list"})
    """The first of them."""


@dataclass(frozen=True)
class TranscriptDiff:
    """What changes for a transcript in another release."""

    version: int
    to: str
    transcript: Transcript
    unmatched: Unmatched
    differences: Diff
    """The changes of what the transcript contains. `hidden` counts the others."""
