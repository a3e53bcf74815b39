"""What a stand-in with a client log writes. Made from schemas/client-log.json by `cargo xtask generate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, Union

__all__ = [
    "Answer",
    "ApprovalKind",
    "Approved",
    "ClientEvent",
    "Ended",
    "Interrupted",
    "Prompt",
    "Sent",
    "Started",
    "Unexpected",
]


ClientEvent: TypeAlias = Union[
    "Started",
    "Prompt",
    "Sent",
    "Approved",
    "Answer",
    "Interrupted",
    "Unexpected",
    "Ended",
]
"""A line of the log: something that a client did, or that happened to the process that it talks to."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The client answered a question."""

    event: Literal["answer"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    answers: tuple[str, ...]
    """What it answered."""
    question: str
    """The question."""


ApprovalKind: TypeAlias = Literal["command", "patch"]
"""What a client is asked to approve.

`command`: A command.

`patch`: A change of files.
"""


@dataclass(frozen=True, kw_only=True)
class Approved:
    """The client answered a request for approval."""

    event: Literal["approval"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    command: str | None = None
    """The command, without the shell that runs it: `rm -rf build`."""
    decision: str
    """What it decided, by the name that newer releases have for it: `accept`, `acceptForSession`, `decline`,
    `cancel`, or another word of the client. An error declines, as Codex takes it.
    """
    files: tuple[str, ...] = ()
    """The files of a patch. Those in the working directory are relative to it."""
    kind: ApprovalKind
    """What it was asked about."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The stand-in ended by itself."""

    event: Literal["ended"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    status: int
    """The exit status."""


@dataclass(frozen=True, kw_only=True)
class Interrupted:
    """The client interrupted a turn, by a request or by a signal."""

    event: Literal["interrupted"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    thread_id: str | None
    """The thread, if the client named it."""
    turn_id: str | None
    """The turn, if the client named it."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The client gave a prompt that starts a turn."""

    event: Literal["prompt"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    text: str
    """The text; of several, one after the other in lines of their own."""
    thread_id: str | None
    """The thread, if it has an id."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The client wrote a line. It has one of the two members."""

    event: Literal["sent"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    line: str | None = None
    """The line as a text, if it is not JSON."""
    message: Any = None
    """The line, as JSON."""


@dataclass(frozen=True, kw_only=True)
class Started:
    """The client started the stand-in."""

    event: Literal["started"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    arguments: tuple[str, ...]
    """The arguments, without the name of the program."""
    directory: str
    """The working directory."""
    protocol: str
    """What it speaks: `exec`, `app-server`, or `core`, which is `codex proto`."""
    release: str | None
    """The release that it plays, if that is known."""


@dataclass(frozen=True, kw_only=True)
class Unexpected:
    """The client did something that the script or the recording does not have."""

    event: Literal["unexpected"]
    pid: int
    """The number of the process of the stand-in. Several may write to one log."""
    message: str
    """What it did, in words."""
