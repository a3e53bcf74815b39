"""The types for msgspec. `tools/type-codegen` tries them on every recorded line."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import subprocess
import sys

import msgspec
import pytest

from codex_wire.types.msgspec import UNSET, Unknown, app_server, core, exec, read, write

STARTED = '{"type":"thread.started","thread_id":"t"}'
CALL = '{"id":"i","server":"s","tool":"t","status":"completed","type":"mcp_tool_call"%s}'
COMPLETED = '{"type":"item.completed","item":%s}'


def item(members: str) -> exec.ThreadItem:
    event = exec.read_thread_event(COMPLETED % (CALL % members))
    assert isinstance(event, exec.ItemCompletedEvent)
    return event.item


def same(line: str, written: str) -> bool:
    """Whether two lines are the same JSON: 1 is not 1.0."""
    return json.dumps(json.loads(line), sort_keys=True) == json.dumps(json.loads(written), sort_keys=True)


def test_kinds_are_classes() -> None:
    match exec.read_thread_event(STARTED):
        case exec.ThreadStartedEvent(thread_id=thread):
            assert thread == "t"
        case other:
            pytest.fail(f"{other}")


def test_absent_null_and_a_value_are_told_apart() -> None:
    null, absent, value = item(',"error":null'), item(""), item(',"error":{"message":"m"}')
    assert isinstance(null, exec.McpToolCallItem) and isinstance(absent, exec.McpToolCallItem)
    assert isinstance(value, exec.McpToolCallItem) and isinstance(value.error, exec.McpToolCallError)
    assert null.error is None and absent.error is UNSET and value.error.message == "m"
    assert '"error":null' in write(null)
    assert "error" not in write(absent)


def test_what_is_not_known_is_kept() -> None:
    line = '{"type":"turn.started","later":{"a":[1,null,1.0,123456789012345678901234567890]}}'
    event = exec.read_thread_event(line)
    assert isinstance(event, exec.TurnStartedEvent)
    assert event.undeclared == {"later": {"a": [1, None, 1.0, 123456789012345678901234567890]}}
    assert write(event) == line
    line = COMPLETED % '{"type":"later","id":"i"}'
    event = exec.read_thread_event(line)
    assert isinstance(event, exec.ItemCompletedEvent) and isinstance(event.item, Unknown)
    assert event.item.undeclared == {"type": "later", "id": "i"}
    assert write(event) == line
    line = '{"type":"later","more":1}'
    assert write(exec.read_thread_event(line)) == line


def test_what_is_not_known_is_kept_at_every_depth() -> None:
    line = COMPLETED % (CALL % ',"later":1,"error":{"message":"m","later":2}')
    event = exec.read_thread_event(line)
    assert isinstance(event, exec.ItemCompletedEvent)
    assert isinstance(event.item, exec.McpToolCallItem)
    assert isinstance(event.item.error, exec.McpToolCallError)
    assert (event.undeclared, event.item.undeclared) == ({}, {"later": 1})
    assert event.item.error.undeclared == {"later": 2}
    assert same(line, write(event))


def test_an_unknown_kind_of_either_spelling_is_kept() -> None:
    line = '{"message":"m","codexErrorInfo":%s}'
    text = read(line % '"later"', app_server.TurnError)
    assert text.codex_error_info == "later" and same(line % '"later"', write(text))
    error = read(line % '{"later":{"a":1}}', app_server.TurnError)
    assert isinstance(error.codex_error_info, Unknown)
    assert same(line % '{"later":{"a":1}}', write(error))
    known = '{"message":"m","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":500,"later":1}}}'
    error = read(known, app_server.TurnError)
    assert isinstance(error.codex_error_info, app_server.HttpConnectionFailedCodexErrorInfo)
    assert same(known, write(error))


def test_a_copy_has_what_is_undeclared() -> None:
    event = exec.read_thread_event('{"type":"turn.started","later":1}')
    assert event != exec.read_thread_event('{"type":"turn.started"}')
    for copied in copy.deepcopy(event), msgspec.structs.replace(event), pickle.loads(pickle.dumps(event)):
        assert copied == event and write(copied) == write(event)


def test_a_member_named_as_our_own_field_is_no_other() -> None:
    for name in "undeclared", "~undeclared":
        line = '{"type":"turn.started","%s":{"a":1}}' % name
        event = exec.read_thread_event(line)
        assert isinstance(event, exec.TurnStartedEvent)
        assert event.undeclared == {name: {"a": 1}}
        assert same(line, write(event))
        line = COMPLETED % (CALL % ',"arguments":{"%s":{"a":1}},"later":1' % name)
        assert same(line, write(exec.read_thread_event(line)))


def test_known_kinds_are_checked() -> None:
    for wrong in ('{"type":"thread.started"}', '{"type":"thread.started","thread_id":1}', "{}", "1"):
        with pytest.raises(msgspec.ValidationError):
            exec.read_thread_event(wrong)
    with pytest.raises(msgspec.ValidationError):
        item(',"error":1')
    with pytest.raises(msgspec.DecodeError):
        exec.read_thread_event("{")


def test_what_is_nested_too_deep_is_refused() -> None:
    deep = '{"type":"turn.started","later":%s%s}' % ("[" * 100_000, "]" * 100_000)
    with pytest.raises(msgspec.ValidationError, match="nested too deep"):
        exec.read_thread_event(deep)


def test_an_error_names_the_place() -> None:
    wrong = COMPLETED % (CALL % ',"error":{"message":1}')
    with pytest.raises(msgspec.ValidationError) as caught:
        exec.read_thread_event(wrong)
    assert str(caught.value) == "Expected `str`, got `int` - at `$.item.error.message`"


def test_of_a_duplicate_key_the_last_value_is_read() -> None:
    search = '{"id":"item_0","type":"web_search","id":"ws_1","query":"q","action":{"type":"other"}}'
    event = exec.read_thread_event('{"type":"item.started","item":' + search + "}")
    assert isinstance(event, exec.ItemStartedEvent)
    assert isinstance(event.item, exec.WebSearchItem)
    assert event.item.id == "ws_1"


def test_messages_are_made_and_written() -> None:
    event = exec.ItemCompletedEvent(
        type="item.completed", item=exec.AgentMessageItem(type="agent_message", id="i", text="t")
    )
    assert same(COMPLETED % '{"type":"agent_message","id":"i","text":"t"}', write(event))
    assert exec.read_thread_event(write(event)) == event
    event.undeclared["later"] = exec.McpToolCallError(message="m", undeclared={"more": [1]})
    assert json.loads(write(event))["later"] == {"message": "m", "more": [1]}
    assert write([1, {"a": event.item}]) == '[1,{"a":%s}]' % write(event.item)


def test_members_have_names_of_python_and_are_written_as_they_were() -> None:
    line = '{"method":"thread/archived","params":{"threadId":"t"}}'
    message = app_server.read_server_notification(line)
    assert isinstance(message, app_server.ThreadArchivedMessage)
    assert message.params.thread_id == "t"
    assert write(message) == line


def test_results_go_by_the_method_of_the_request() -> None:
    assert isinstance(read("{}", app_server.SERVER_RESULTS["thread/archive"]), msgspec.Struct)
    with pytest.raises(msgspec.ValidationError):
        read("{}", app_server.SERVER_RESULTS["thread/start"])


def test_the_classes_and_fields_are_those_of_pydantic() -> None:
    from codex_wire.types import core as of_pydantic

    event = '{"id":"1","msg":{"type":"agent_message","message":"m"}}'
    ours, theirs = core.read_event(event), of_pydantic.read_event(event)
    assert type(ours).__name__ == type(theirs).__name__
    assert ours.id == theirs.id


@pytest.mark.parametrize(
    "name", ["app_server", "core", "exec", "exec_legacy", "hooks", "notify", "rollout"]
)
def test_all_types_are_ones_that_msgspec_reads(name: str) -> None:
    module = importlib.import_module(f"codex_wire.types.msgspec.{name}")
    readers = [value for key, value in vars(module).items() if key.startswith("read_")]
    assert readers
    for reader in readers:
        with pytest.raises(msgspec.ValidationError):
            reader(json.dumps("no message"))
    classes = [value for value in vars(module).values() if isinstance(value, type(msgspec.Struct))]
    for cls in classes:
        # A `TypeError` says that msgspec has no reader for a field.
        with pytest.raises(msgspec.ValidationError):
            read("1", cls)
    maps = [value for key, value in vars(module).items() if key.endswith(("_RESULTS", "_OUTPUTS"))]
    assert len(maps) == {"app_server": 2, "hooks": 1}.get(name, 0)
    for results in maps:
        for result in results.values():
            with pytest.raises(msgspec.ValidationError):
                read("[1]", result)


@pytest.mark.parametrize("library", ["pydantic", "msgspec"])
def test_one_library_is_enough(library: str) -> None:
    module, other = ("types", "msgspec") if library == "pydantic" else ("types.msgspec", "pydantic")
    code = (
        f"import sys; sys.modules['{other}'] = None\n"
        f"from codex_wire.{module} import exec, write\n"
        f"print(write(exec.read_thread_event(sys.argv[1])))"
    )
    done = subprocess.run([sys.executable, "-c", code, STARTED], capture_output=True, text=True, check=False)
    assert done.stdout == STARTED + "\n", done.stderr
    missing = code.replace(f"['{other}']", f"['{library}']")
    done = subprocess.run([sys.executable, "-c", missing, STARTED], capture_output=True, text=True, check=False)
    assert f"needs {library}: pip install 'codex-wire[{library}]'" in done.stderr
