"""The messages of `codex exec --json` of 0.169.0 as msgspec structs.

They say what the exact schema does: no member more, none less, and no value of another type.
Integers beyond 64 bits are the one thing they let through that the schema does not.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

Running = Literal["in_progress", "completed", "failed"]
ExitCode = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class Closed(Struct, forbid_unknown_fields=True, tag_field="type"):
    pass


class Plain(Struct, forbid_unknown_fields=True):
    pass


class AgentMessage(Closed, tag="agent_message"):
    id: str
    text: str


class Reasoning(Closed, tag="reasoning"):
    id: str
    text: str


class CommandExecution(Closed, tag="command_execution"):
    id: str
    command: str
    aggregated_output: str
    exit_code: ExitCode | None
    status: Literal["in_progress", "completed", "failed", "declined"]


class FileUpdateChange(Plain):
    path: str
    kind: Literal["add", "delete", "update"]


class FileChange(Closed, tag="file_change"):
    id: str
    changes: list[FileUpdateChange]
    status: Running


class McpResult(Plain):
    content: list[Any]
    structured_content: Any
    meta: Any = field(default=UNSET, name="_meta")


class Message(Plain):
    message: str


class McpToolCall(Closed, tag="mcp_tool_call"):
    id: str
    server: str
    tool: str
    arguments: Any
    result: McpResult | None
    error: Message | None
    status: Running


class AgentState(Plain):
    status: Literal[
        "pending_init", "running", "interrupted", "completed", "errored", "shutdown", "not_found"
    ]
    message: str | None


class CollabToolCall(Closed, tag="collab_tool_call"):
    id: str
    tool: Literal["spawn_agent", "send_input", "wait", "close_agent"]
    sender_thread_id: str
    receiver_thread_ids: list[str]
    prompt: str | None
    agents_states: dict[str, AgentState]
    status: Running


class Search(Closed, tag="search"):
    query: str | UnsetType = UNSET
    queries: list[str] | UnsetType = UNSET


class OpenPage(Closed, tag="open_page"):
    url: str | UnsetType = UNSET


class FindInPage(Closed, tag="find_in_page"):
    url: str | UnsetType = UNSET
    pattern: str | UnsetType = UNSET


class Other(Closed, tag="other"):
    pass


class WebSearch(Closed, tag="web_search"):
    id: str
    query: str
    action: Search | OpenPage | FindInPage | Other


class TodoItem(Plain):
    text: str
    completed: bool


class TodoList(Closed, tag="todo_list"):
    id: str
    items: list[TodoItem]


class ErrorItem(Closed, tag="error"):
    id: str
    message: str


Item = (
    AgentMessage
    | Reasoning
    | CommandExecution
    | FileChange
    | McpToolCall
    | CollabToolCall
    | WebSearch
    | TodoList
    | ErrorItem
)


class ThreadStarted(Closed, tag="thread.started"):
    thread_id: str


class TurnStarted(Closed, tag="turn.started"):
    pass


class Usage(Plain):
    input_tokens: int
    cached_input_tokens: int
    cache_write_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int


class TurnCompleted(Closed, tag="turn.completed"):
    usage: Usage


class TurnFailed(Closed, tag="turn.failed"):
    error: Message


class ItemStarted(Closed, tag="item.started"):
    item: Item


class ItemUpdated(Closed, tag="item.updated"):
    item: Item


class ItemCompleted(Closed, tag="item.completed"):
    item: Item


class Error(Closed, tag="error"):
    message: str


Event = (
    ThreadStarted
    | TurnStarted
    | TurnCompleted
    | TurnFailed
    | ItemStarted
    | ItemUpdated
    | ItemCompleted
    | Error
)
