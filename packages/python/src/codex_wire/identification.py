"""What `codex-wire identify --format json` says, as dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from codex_wire.report import ReleaseRange, Skipped

__all__ = [
    "Claim",
    "Evidence",
    "Identification",
    "IdentifiedInput",
    "Releases",
    "ReleasesRun",
    "Tally",
]


@dataclass(frozen=True)
class Releases:
    """A set of releases."""

    text: str
    """In words, such as `0.125.0 to 0.144.6`."""
    count: int
    ranges: tuple[ReleaseRange, ...]


@dataclass(frozen=True)
class Evidence:
    """Something that only these releases write."""

    line: int
    message_number: int
    pointer: str
    what: str
    releases: Releases


@dataclass(frozen=True)
class Claim:
    """What the recording says of itself, and whether that agrees."""

    protocol: str | None
    release: str | None
    holds: bool | None
    """`None` if it names nothing that is known."""


@dataclass(frozen=True)
class Tally:
    """How many lines, and the first of them."""

    count: int
    first: int


@dataclass(frozen=True)
class ReleasesRun:
    """Lines of a session file that the same releases could have written."""

    since: int
    until: int | None
    """`None` for the last line of the file."""
    releases: Releases


@dataclass(frozen=True)
class IdentifiedInput:
    """What one input is."""

    path: str
    kind: Literal["identified", "mixed", "unknown"]
    protocol: str | None
    dialect: str | None
    releases: Releases | None
    """The releases that could have written it."""
    evidence: tuple[Evidence, ...]
    claim: Claim | None
    messages: int
    unrecognized: Tally | None
    """Lines that are not messages of any protocol."""
    unmatched: Tally | None
    """Messages that none of the releases writes."""
    reason: str | None
    """Why it is mixed or unknown."""
    created_by: str | None
    """The release that a session file names."""
    runs: tuple[ReleasesRun, ...]


@dataclass(frozen=True)
class Identification:
    """What the inputs are."""

    version: int
    inputs: tuple[IdentifiedInput, ...]
    skipped: tuple[Skipped, ...]
