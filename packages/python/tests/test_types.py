"""The types. `tools/type-codegen` tries them on every recorded line."""

from __future__ import annotations

import importlib
import json

import pydantic
import pytest

from codex_wire.types import Unknown, adapter, app_server, exec, write

STARTED = '{"type":"thread.started","thread_id":"t"}'
CALL = '{"id":"i","server":"s","tool":"t","status":"completed","type":"mcp_tool_call"%s}'


def item(members: str) -> exec.ThreadItem:
    event = exec.read_thread_event('{"type":"item.completed","item":' + CALL % members + "}")
    assert isinstance(event, exec.ItemCompletedEvent)
    return event.item


def test_kinds_are_classes() -> None:
    match exec.read_thread_event(STARTED):
        case exec.ThreadStartedEvent(thread_id=thread):
            assert thread == "t"
        case other:
            pytest.fail(f"{other}")


def test_null_is_not_absent() -> None:
    null, absent = item(',"error":null'), item("")
    assert isinstance(null, exec.McpToolCallItem) and isinstance(absent, exec.McpToolCallItem)
    assert null.error is None and "error" in null.model_fields_set
    assert absent.error is None and "error" not in absent.model_fields_set
    assert '"error":null' in write(null)
    assert "error" not in write(absent)


def test_what_is_not_known_is_kept() -> None:
    line = '{"type":"turn.started","later":{"a":[1,null,1.0]}}'
    event = exec.read_thread_event(line)
    assert event.model_extra == {"later": {"a": [1, None, 1.0]}}
    assert write(event) == line
    line = '{"type":"item.completed","item":{"type":"later","id":"i"}}'
    event = exec.read_thread_event(line)
    assert isinstance(event, exec.ItemCompletedEvent) and isinstance(event.item, Unknown)
    assert event.item.model_extra == {"type": "later", "id": "i"}
    assert write(event) == line
    line = '{"type":"later","more":1}'
    assert write(exec.read_thread_event(line)) == line


def test_known_kinds_are_checked() -> None:
    for wrong in ('{"type":"thread.started"}', '{"type":"thread.started","thread_id":1}', "{}", "1"):
        with pytest.raises(pydantic.ValidationError):
            exec.read_thread_event(wrong)
    with pytest.raises(pydantic.ValidationError):
        item(',"error":1')


def test_of_a_duplicate_key_the_last_value_is_read() -> None:
    search = '{"id":"item_0","type":"web_search","id":"ws_1","query":"q","action":{"type":"other"}}'
    event = exec.read_thread_event('{"type":"item.started","item":' + search + "}")
    assert isinstance(event, exec.ItemStartedEvent)
    assert isinstance(event.item, exec.WebSearchItem)
    assert event.item.id == "ws_1"


def test_members_have_names_of_python_and_are_written_as_they_were() -> None:
    line = '{"method":"thread/archived","params":{"threadId":"t"}}'
    message = app_server.read_server_notification(line)
    assert isinstance(message, app_server.ThreadArchivedMessage)
    assert message.params.thread_id == "t"
    assert write(message) == line


def test_results_go_by_the_method_of_the_request() -> None:
    result = adapter(app_server.SERVER_RESULTS["thread/archive"]).validate_json("{}")
    assert result is not None
    with pytest.raises(pydantic.ValidationError):
        adapter(app_server.SERVER_RESULTS["thread/start"]).validate_json("{}")


@pytest.mark.parametrize(
    "name", ["app_server", "core", "exec", "exec_legacy", "hooks", "notify", "rollout"]
)
def test_messages_and_results_can_be_read(name: str) -> None:
    module = importlib.import_module(f"codex_wire.types.{name}")
    readers = [value for key, value in vars(module).items() if key.startswith("read_")]
    assert readers
    for read in readers:
        with pytest.raises(pydantic.ValidationError):
            read(json.dumps("no message"))
    for results in (value for value in vars(module).values() if isinstance(value, dict)):
        for result in results.values() if "__name__" not in results else ():
            adapter(result).core_schema
