"""What `codex-wire show --format json` writes. Made from schemas/session.json by `cargo xtask generate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, Union

__all__ = [
    "Approval",
    "ChangeKind",
    "Command",
    "Compaction",
    "Continues",
    "Decision",
    "ErrorReport",
    "FileChange",
    "Git",
    "HookRun",
    "Image",
    "Item",
    "Lineage",
    "Lines",
    "McpCall",
    "Message",
    "Other",
    "Patch",
    "Plan",
    "Reasoning",
    "Response",
    "Review",
    "Role",
    "Session",
    "Settings",
    "Status",
    "SubAgent",
    "Thread",
    "Time",
    "TodoList",
    "TodoStep",
    "Tokens",
    "ToolCall",
    "Turn",
    "TurnError",
    "TurnStatus",
    "Unread",
    "Warning",
    "WebSearch",
]


@dataclass(frozen=True, kw_only=True)
class Session:
    """Everything that one input says: a stream, a recording or a session file."""

    format: int
    """The version of this format: 1."""
    protocol: str | None = None
    """The protocol: `exec`, `core`, `app-server` or `rollout` (session files). Absent if no message has
    shown it.
    """
    source: str
    """The name of the input: a path, or `-`."""
    threads: tuple[Thread, ...]
    """The threads, in the order in which they appear. Sub-agents have threads of their own."""
    unread: tuple[Unread, ...] = ()
    """The lines that hold no message."""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Somebody was asked for permission, or for an answer."""

    type: Literal["approval"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    about: str
    """What it is about: `command`, `patch`, `permissions`, `question`, `elicitation` or another word."""
    answer: Decision | None = None
    """The answer. Absent if there was none, or another client gave it."""
    command: str | None = None
    """The command, for one."""
    item: str | None = None
    """The id of the item that waits for it."""
    reason: str | None = None
    """Why it is asked."""


ChangeKind: TypeAlias = Literal["add", "delete", "update", "other"]
"""What became of a file.

`add`: It is new.

`delete`: It is gone.

`update`: It changed, or moved.

`other`: The source says something else.
"""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command."""

    type: Literal["command"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    argv: tuple[str, ...] = ()
    """The program and its arguments, where the source has them."""
    command: str
    """What runs: the text that the agent gave a shell, without the call of the shell around it."""
    cwd: str | None = None
    """The folder it ran in."""
    exit_code: int | None = None
    """Its exit code."""
    is_by_user: bool = False
    """Whether the user ran it, and not the agent."""
    output: str | None = None
    """What it wrote, as far as the source keeps it."""
    status: Status | None = None
    """How far it came."""


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """The history was summed up to make room."""

    type: Literal["compaction"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    summary: str | None = None
    """What the model gets instead of the history. Only session files hold it; absent where the
    provider keeps it.
    """


@dataclass(frozen=True, kw_only=True)
class Continues:
    """The place in another session file that a file goes on from."""

    end_byte: int | None = None
    """The bytes of the other file that belong to the history."""
    end_ordinal: int | None = None
    """The ordinal of the first line that does not belong to the history."""
    thread: str
    """The thread of the other file."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """An answer to a request for approval."""

    by: str | None = None
    """Who answered: the name that the client gave itself."""
    decision: str | None = None
    """The decision in the words of the source, such as `accept`, `decline`, `approved`, `denied`. Absent
    for answers that decide nothing.
    """


@dataclass(frozen=True, kw_only=True)
class ErrorReport:
    """An error that did not end the turn."""

    type: Literal["error"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    kind: str | None = None
    """The kind of error as the protocol names it."""
    message: str
    """For people."""
    will_retry: bool = False
    """Whether Codex tries again."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """The change of a file."""

    content: str | None = None
    """The content of a file that was added or deleted, where the source has it."""
    diff: str | None = None
    """The unified diff of an update, where the source has it."""
    kind: ChangeKind
    """What became of it."""
    moved_to: str | None = None
    """Where it was moved to."""
    path: str
    """The file."""


@dataclass(frozen=True, kw_only=True)
class Git:
    """The repository of a working folder."""

    branch: str | None = None
    """The branch."""
    commit: str | None = None
    """The commit that was checked out."""
    origin: str | None = None
    """The address of `origin`."""


@dataclass(frozen=True, kw_only=True)
class HookRun:
    """A hook ran. Only the app-server says so."""

    type: Literal["hook_run"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    event: str
    """The event, such as `preToolUse`."""
    status: str | None = None
    """How it ended, in the words of the source, such as `completed` or `blocked`."""


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image that the model looked at, or made."""

    type: Literal["image"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    is_generated: bool = False
    """Whether the model made it."""
    path: str | None = None
    """The file it was read from, or saved to."""


Item: TypeAlias = Union[
    "Message",
    "Reasoning",
    "Command",
    "Patch",
    "McpCall",
    "ToolCall",
    "WebSearch",
    "Plan",
    "TodoList",
    "Image",
    "Compaction",
    "Review",
    "Approval",
    "SubAgent",
    "ErrorReport",
    "Warning",
    "HookRun",
    "Other",
]
"""Something that happened in a turn."""


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """Where a thread comes from."""

    continues: Continues | None = None
    """The other file, and the place in it, that this session file goes on from. Since 0.147.0."""
    copies_are_guessed: bool = False
    """Whether times alone say which turns were copied from the parent, so that it may be wrong. In forks
    made before 0.100.0.
    """
    forked_from: str | None = None
    """The thread it is a fork of. Since 0.80.0."""
    is_review: bool = False
    """Whether it is the work of a reviewer. Since 0.63.0."""
    is_sub_agent: bool = False
    """Whether it is a sub-agent, a reviewer included."""
    nickname: str | None = None
    """The name of the sub-agent for people. Since 0.105.0."""
    parent: str | None = None
    """The thread that started it as a sub-agent. Since 0.92.0."""
    path: str | None = None
    """The place of the sub-agent among the agents, such as `/root/kid_one`. Since 0.121.0."""
    root: str | None = None
    """The first thread of the tree it belongs to. Session files name it since 0.142.0."""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Lines of the input, from 1."""

    from_: int = field(metadata={"key": "from"})
    """The first."""
    to: int
    """The last."""


@dataclass(frozen=True, kw_only=True)
class McpCall:
    """A call of a tool of an MCP server."""

    type: Literal["mcp_call"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    arguments: Any = None
    """What it was called with."""
    error: str | None = None
    """Why it failed."""
    result: Any = None
    """What the server answered, as MCP has it: `content`, `structuredContent`. Session files of older
    releases keep only the text that the model reads: a string.
    """
    server: str
    """The server."""
    status: Status | None = None
    """How far it came."""
    tool: str
    """The tool."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """Something somebody said."""

    type: Literal["message"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    author: str | None = None
    """The path of the other agent, if one speaks."""
    images: int | None = None
    """How many images come with it."""
    phase: str | None = None
    """Whether the agent says it on the way (`commentary`) or as its answer (`final_answer`), if the model
    says so. Since 0.98.0.
    """
    role: Role
    """Who speaks."""
    text: str
    """The text, without images."""


@dataclass(frozen=True, kw_only=True)
class Other:
    """Something that this model does not name."""

    type: Literal["other"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    kind: str
    """Its kind in the words of the source: the type of an item, a method, the type of an event."""
    value: Any
    """What the source says."""


@dataclass(frozen=True, kw_only=True)
class Patch:
    """Changes of files."""

    type: Literal["patch"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    changes: tuple[FileChange, ...] = ()
    """The changed files."""
    output: str | None = None
    """What the tool answered."""
    status: Status | None = None
    """How far it came."""
    text: str | None = None
    """The patch as the model wrote it, where the source has it."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The plan of plan mode."""

    type: Literal["plan"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    text: str
    """The plan, in Markdown."""


@dataclass(frozen=True, kw_only=True)
class Reasoning:
    """What the model thought."""

    type: Literal["reasoning"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    content: str | None = None
    """The reasoning itself, where the model shows it."""
    summary: str
    """The summary. Its sections are separated by an empty line."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """A response of the model. Where the source has only a sum, more than one."""

    at: Time | None = None
    """When that line was written."""
    is_cumulative: bool = False
    """Whether the count goes back to the beginning of the thread, so that it may hold what earlier runs used:
    the first one of a thread in a stream of `codex exec`, which counts so since 0.80.0. Later ones there hold what is new.
    """
    line: int
    """The line that counts its tokens."""
    model: str | None = None
    """The model that was in force."""
    tokens: Tokens
    """What it used."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """A review begins or ends. Its work is in a thread of its own."""

    type: Literal["review"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    is_end: bool
    """Whether it ends."""
    text: str | None = None
    """What is reviewed, in words for people; at the end, what was found."""


Role: TypeAlias = Literal["user", "assistant", "context", "agent"]
"""Who speaks.

`user`: The user, or whoever started a sub-agent.

`assistant`: The agent.

`context`: Codex: where it runs, what the project's instructions are, what a hook says. Only session files hold
it.

`agent`: Another agent.
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings in force in a turn, as far as the source says."""

    approval_policy: str | None = None
    """When a person has to approve what runs, as in the source. An object is given as its JSON."""
    cwd: str | None = None
    """The working folder."""
    effort: str | None = None
    """The effort of reasoning; absent if it is the default."""
    mode: str | None = None
    """How the agent works with the user: `default` or `plan`."""
    model: str | None = None
    """The model. Session files name it since 0.36.0."""
    sandbox_policy: str | None = None
    """What commands may touch: the name of the sandbox policy, such as `workspace-write`."""


Status: TypeAlias = Literal["in_progress", "completed", "failed", "declined"]
"""How far something came.

`in_progress`: It runs, or nothing says that it ended.

`completed`: It ended well.

`failed`: It failed.

`declined`: Somebody, or a policy, kept it from running.
"""


@dataclass(frozen=True, kw_only=True)
class SubAgent:
    """Something was done with sub-agents."""

    type: Literal["sub_agent"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    action: str
    """What: `spawn_agent`, `send_input`, `wait`, `close_agent` or another word."""
    prompt: str | None = None
    """The prompt that they received."""
    status: Status | None = None
    """How far it came."""
    threads: tuple[str, ...] = ()
    """The threads of the agents."""


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A conversation with one agent."""

    children: tuple[str, ...] = ()
    """The threads of the sub-agents it started, in that order."""
    client: str | None = None
    """The client that made it, such as `codex_exec`."""
    context_window: int | None = None
    """How many tokens the model takes at once."""
    created: Time | None = None
    """When it began."""
    cwd: str | None = None
    """The working folder at the beginning."""
    git: Git | None = None
    """The repository that the working folder is in."""
    id: str | None = None
    """Its id."""
    lineage: Lineage | None = None
    """Where it comes from."""
    model_provider: str | None = None
    """The provider of the model."""
    name: str | None = None
    """The name that somebody gave it."""
    outside: tuple[Item, ...] = ()
    """What happened outside of turns."""
    rate_limits: Any = None
    """The limits of the account, as Codex reported them last, in the words of the source."""
    release: str | None = None
    """The release of Codex that made it. A later release may have gone on with it."""
    reported: Tokens | None = None
    """The last total that Codex itself reported. It may lack what was used before a resume (up to 0.77.0),
    and may include what other files hold.
    """
    tokens: Tokens
    """The tokens of the responses that this input holds, without copied ones. Zero where the source counts
    none: files before 0.34.0, a turn that did not end.
    """
    turns: tuple[Turn, ...]
    """The turns. Those of a parent that a fork copied into its file are among them."""


Time: TypeAlias = str
"""A point in time in UTC, to the millisecond."""


@dataclass(frozen=True, kw_only=True)
class TodoList:
    """The steps that the agent means to take."""

    type: Literal["todo_list"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    explanation: str | None = None
    """Why it changed."""
    steps: tuple[TodoStep, ...]
    """The steps as they were last."""


@dataclass(frozen=True, kw_only=True)
class TodoStep:
    """A step."""

    is_done: bool
    """Whether it is done."""
    text: str
    """What is to be done."""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Numbers of tokens.

    Cached tokens are a part of the input, and reasoning is a part of the output: whoever adds them counts
    them twice.
    """

    cache_write_input: int
    """Those of the input that were written to the cache. Counted since 0.145.0."""
    cached_input: int
    """Those of the input that were read from the cache."""
    input: int
    """Sent to the model, cached ones included."""
    output: int
    """Written by the model, reasoning included."""
    reasoning_output: int
    """Those of the output that were reasoning. `codex exec` counts them since 0.125.0."""
    total: int
    """All of them, as the provider counts."""


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call of another tool: of agents, of the client, of plans."""

    type: Literal["tool_call"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    arguments: Any = None
    """What it was called with. A string where the tool takes plain text."""
    name: str
    """The tool."""
    namespace: str | None = None
    """The group of tools."""
    output: str | None = None
    """What it answered, as the model reads it."""
    status: Status | None = None
    """How far it came."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A piece of work: from a prompt to the end of the answer."""

    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    ended: Time | None = None
    """When it ended, or when its last line was written."""
    error: TurnError | None = None
    """Why it failed."""
    id: str | None = None
    """Its id. `codex exec` names none; session files do since 0.100.0."""
    is_copied: bool = False
    """Whether the turn is history of another thread, which a fork copied into this file."""
    is_rolled_back: bool = False
    """Whether the user took it back. From 0.80.0 to 0.150.1; later releases leave out such turns by going
    on in another file.
    """
    items: tuple[Item, ...]
    """What happened, in order."""
    lines: Lines
    """The lines of the input from its first to its last."""
    responses: tuple[Response, ...] = ()
    """What the responses of the model used, in order."""
    retries: int | None = None
    """How often Codex asked the model again after an error."""
    root: str | None = None
    """The turn of the root thread that it serves. Since 0.157.0."""
    settings: Settings | None = None
    """The settings in force."""
    started: Time | None = None
    """When it began."""
    status: TurnStatus
    """How it ended."""


@dataclass(frozen=True, kw_only=True)
class TurnError:
    """Why a turn failed."""

    kind: str | None = None
    """The kind of error as the protocol names it, such as `usageLimitExceeded`."""
    message: str
    """For people."""


TurnStatus: TypeAlias = Literal["completed", "failed", "interrupted", "unfinished", "unmarked"]
"""How a turn ended.

`completed`: It came to its end. In session files up to 0.144.6 this may hide a failure, as they keep no error.

`failed`: It failed.

`interrupted`: Somebody stopped it.

`unfinished`: It began and did not end: Codex was killed, is still at work, or the input was cut.

`unmarked`: The release that wrote it marks no ends: session files before 0.100.0.
"""


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A line that holds no message."""

    line: int
    """Its number, from 1."""
    problem: str
    """Why, in a few words."""


@dataclass(frozen=True, kw_only=True)
class Warning:
    """A warning of Codex."""

    type: Literal["warning"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    message: str
    """For people."""


@dataclass(frozen=True, kw_only=True)
class WebSearch:
    """A search of the web, or a visit to a page."""

    type: Literal["web_search"]
    completed: Time | None = None
    """When it ended. Absent if it did not, or if the source has no times."""
    duration_ms: int | None = None
    """How long it took in milliseconds, as Codex says."""
    id: str | None = None
    """Its id: that of the model's call if there is one, else that of the source's item."""
    lines: Lines
    """The lines of the input: where it began and where it ended."""
    started: Time | None = None
    """When it began."""
    action: str | None = None
    """`search`, `open_page`, `find_in_page` or `other`. Since 0.89.0."""
    query: str
    """What was searched for, or the address of the page."""
