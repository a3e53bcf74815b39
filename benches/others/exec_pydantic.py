"""The messages of `codex exec --json` of 0.169.0 as pydantic models.

They say what the exact schema does: no member more, none less, and no value of another type.
Integers beyond 64 bits are the one thing they let through that the schema does not.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Running = Literal["in_progress", "completed", "failed"]
ExitCode = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AgentMessage(Closed):
    type: Literal["agent_message"]
    id: str
    text: str


class Reasoning(Closed):
    type: Literal["reasoning"]
    id: str
    text: str


class CommandExecution(Closed):
    type: Literal["command_execution"]
    id: str
    command: str
    aggregated_output: str
    exit_code: ExitCode | None
    status: Literal["in_progress", "completed", "failed", "declined"]


class FileUpdateChange(Closed):
    path: str
    kind: Literal["add", "delete", "update"]


class FileChange(Closed):
    type: Literal["file_change"]
    id: str
    changes: list[FileUpdateChange]
    status: Running


class McpResult(Closed):
    content: list[Any]
    structured_content: Any
    meta: Any = Field(default=None, alias="_meta")


class Message(Closed):
    message: str


class McpToolCall(Closed):
    type: Literal["mcp_tool_call"]
    id: str
    server: str
    tool: str
    arguments: Any
    result: McpResult | None
    error: Message | None
    status: Running


class AgentState(Closed):
    status: Literal[
        "pending_init", "running", "interrupted", "completed", "errored", "shutdown", "not_found"
    ]
    message: str | None


class CollabToolCall(Closed):
    type: Literal["collab_tool_call"]
    id: str
    tool: Literal["spawn_agent", "send_input", "wait", "close_agent"]
    sender_thread_id: str
    receiver_thread_ids: list[str]
    prompt: str | None
    agents_states: dict[str, AgentState]
    status: Running


# A member that may be left out is a string where it stands, so its default is not a value of it.
class Search(Closed):
    type: Literal["search"]
    query: str = ""
    queries: list[str] = []


class OpenPage(Closed):
    type: Literal["open_page"]
    url: str = ""


class FindInPage(Closed):
    type: Literal["find_in_page"]
    url: str = ""
    pattern: str = ""


class Other(Closed):
    type: Literal["other"]


class WebSearch(Closed):
    type: Literal["web_search"]
    id: str
    query: str
    action: Annotated[Search | OpenPage | FindInPage | Other, Field(discriminator="type")]


class TodoItem(Closed):
    text: str
    completed: bool


class TodoList(Closed):
    type: Literal["todo_list"]
    id: str
    items: list[TodoItem]


class ErrorItem(Closed):
    type: Literal["error"]
    id: str
    message: str


Item = Annotated[
    AgentMessage
    | Reasoning
    | CommandExecution
    | FileChange
    | McpToolCall
    | CollabToolCall
    | WebSearch
    | TodoList
    | ErrorItem,
    Field(discriminator="type"),
]


class ThreadStarted(Closed):
    type: Literal["thread.started"]
    thread_id: str


class TurnStarted(Closed):
    type: Literal["turn.started"]


class Usage(Closed):
    input_tokens: int
    cached_input_tokens: int
    cache_write_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int


class TurnCompleted(Closed):
    type: Literal["turn.completed"]
    usage: Usage


class TurnFailed(Closed):
    type: Literal["turn.failed"]
    error: Message


class ItemStarted(Closed):
    type: Literal["item.started"]
    item: Item


class ItemUpdated(Closed):
    type: Literal["item.updated"]
    item: Item


class ItemCompleted(Closed):
    type: Literal["item.completed"]
    item: Item


class Error(Closed):
    type: Literal["error"]
    message: str


Event = Annotated[
    ThreadStarted
    | TurnStarted
    | TurnCompleted
    | TurnFailed
    | ItemStarted
    | ItemUpdated
    | ItemCompleted
    | Error,
    Field(discriminator="type"),
]
