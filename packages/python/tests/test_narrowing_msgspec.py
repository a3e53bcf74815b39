"""What type checkers narrow: the gate runs `mypy --strict` over this file. What must not be accepted says so, and
an `ignore` that is not needed is an error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from codex_wire.types.msgspec import Unknown, exec, rollout

if TYPE_CHECKING:
    from typing_extensions import assert_never
elif sys.version_info >= (3, 11):
    from typing import assert_never
else:

    def assert_never(value: object) -> None:
        raise AssertionError(value)


def title(item: exec.CurrentThreadItem) -> str:
    """A case for each kind of the newest release, and none for older ones."""
    match item:
        case exec.AgentMessageItem(text=text) | exec.ReasoningItem(text=text):
            return text
        case exec.CommandExecutionItem(command=command):
            return command
        case exec.ErrorItem(message=message):
            return message
        case exec.FileChangeItem() | exec.McpToolCallItem() | exec.CollabToolCallItem():
            return "a call"
        case exec.WebSearchItem() | exec.TodoListItem():
            return "another"
        case _:
            assert_never(item)


def incomplete(item: exec.CurrentThreadItem) -> str:
    match item:
        case exec.AgentMessageItem(text=text):
            return text
        case _:
            assert_never(item)  # type: ignore[arg-type]


def of_any_release(item: exec.ThreadItem) -> str:
    """What is unknown is a case of its own, and so is what the newest release no longer has."""
    if isinstance(item, exec.CurrentThreadItem):
        return title(item)
    match item:
        case exec.AssistantMessageItem(text=text):
            return text
        case Unknown():
            return "unknown"
        case _:
            assert_never(item)


def rest(event: exec.ThreadEvent) -> exec.RetiredThreadEvent | Unknown | None:
    if isinstance(event, exec.CurrentThreadEvent):
        return None
    return event


def too_few(event: exec.ThreadEvent) -> exec.RetiredThreadEvent | Unknown | None:
    if isinstance(event, exec.ThreadStartedEvent):
        return None
    return event  # type: ignore[return-value]


def test_what_the_newest_release_has_is_told_apart() -> None:
    def item(members: str) -> exec.ThreadItem:
        event = exec.read_thread_event('{"type":"item.completed","item":{"id":"item_0",%s}}' % members)
        assert isinstance(event, exec.ItemCompletedEvent)
        return event.item

    assert of_any_release(item('"type":"agent_message","text":"now"')) == "now"
    assert of_any_release(item('"item_type":"assistant_message","text":"then"')) == "then"
    assert of_any_release(item('"type":"later"')) == "unknown"
    event = exec.read_thread_event('{"type":"session.created","session_id":"s"}')
    assert isinstance(rest(event), exec.SessionCreatedEvent)


def about(line: rollout.SessionLine) -> str:
    """A line of a session file of any release."""
    match line:
        case rollout.SessionMetaLine(payload=payload):
            return str(payload.id)
        case rollout.EarlyHeader(id=session):
            return session
        case rollout.EarlyRecord(record_type=kind):
            return kind
        case rollout.MessageItem(role=role):
            return role
        case Unknown():
            return "unknown"
        case other:
            return type(other).__name__


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id":"a","timestamp":"2025-08-16T08:00:00.000Z","instructions":null}', "a"),
        ('{"record_type":"state"}', "state"),
        ('{"type":"message","role":"user","content":[]}', "user"),
        ('{"timestamp":"2026-11-26T08:00:00.000Z","type":"later","payload":{}}', "unknown"),
        ('{"type":"later"}', "unknown"),
        (
            '{"timestamp":"2026-11-26T08:00:00.000Z","type":"response_item",'
            '"payload":{"type":"message","role":"user","content":[]}}',
            "ResponseItemLine",
        ),
    ],
)
def test_session_files_of_all_releases_have_one_reader(line: str, expected: str) -> None:
    assert about(rollout.read_session_line(line)) == expected
