"""Doubles, and tests of faults."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import pydantic
import pytest

import codex_wire
from codex_wire import client_log


def script(fake_codex: codex_wire.FakeCodex = codex_wire.fake_codex) -> codex_wire.Double:
    codex = fake_codex(release="0.169.0")
    return codex.say("Looking.").run("rm -rf build", approval="decline").say("Left it.")


def client(codex: Path, bug: str = "") -> str:
    """Runs a turn with `codex app-server`, declines what it is asked, and returns what the agent says last."""
    with subprocess.Popen([codex, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        late = threading.Timer(3, server.kill)
        if bug != "waits":
            late.start()
        try:
            return turn(server.stdin, server.stdout, bug)
        finally:
            late.cancel()
            server.kill()


def turn(to: IO[bytes], lines: IO[bytes], bug: str) -> str:
    def send(**message: Any) -> None:
        to.write(json.dumps(message).encode() + b"\n")
        to.flush()

    said = ""
    send(id=1, method="initialize", params={"clientInfo": {"name": "own", "version": "1"}})
    for line in lines:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params")
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        if method is None and message["id"] == 1:
            send(method="initialized")
            send(id=2, method="thread/start", params={})
        elif method is None and message["id"] == 2:
            asked = [{"type": "text", "text": "Clean up.", "text_elements": []}]
            thread = message["result"]["thread"]["id"]
            send(id=3, method="turn/start", params={"threadId": thread, "input": asked})
        elif method and "id" in message:
            send(id=message["id"], result={"decision": "decline"})
        elif method == "item/completed":
            kind = params["item"]["type"]
            if kind == "agentMessage":
                said = params["item"]["text"]
            elif bug == "knows all items" and kind not in ("userMessage", "commandExecution"):
                raise RuntimeError(f"what is {kind}?")
        elif method == "turn/completed":
            status = params["turn"]["status"]
            if status != "completed" and bug != "ignores the status":
                raise RuntimeError(f"the turn is {status}")
            return said
    if bug == "takes an end for a success":
        return said
    raise RuntimeError("Codex ended before its turn")


def test_the_example(fake_codex: codex_wire.FakeCodex) -> None:
    codex = fake_codex(release="0.169.0").say("Looking.").run("rm -rf build", approval="decline").say("Left it.")
    assert client(codex.path) == "Left it."
    assert codex.approvals == [{"command": "rm -rf build", "decision": "decline"}]


def test_what_the_client_sent_is_there_also_afterwards() -> None:
    with script() as codex:
        folder = codex.folder
        assert client(codex.path) == "Left it."
        started = codex.wait_for("started")
        assert isinstance(started, client_log.Started) and started.protocol == "app-server"
    assert not folder.exists()
    assert codex.prompts == ["Clean up."]
    assert codex.requests("turn/start")[0]["input"][0]["text"] == "Clean up."
    # A notification is not a request.
    assert codex.requests("initialized") == []
    assert codex.sent[0]["method"] == "initialize"
    assert codex.runs[0]["arguments"] == ["app-server"]
    assert codex.events[0] == started


def test_a_line_that_is_being_written_is_no_line_yet(fake_codex: codex_wire.FakeCodex) -> None:
    codex = script(fake_codex)
    line = json.dumps({"event": "prompt", "text": "ü"}, ensure_ascii=False).encode()
    cut = line.index("ü".encode()) + 1
    (codex.folder / "client-log.jsonl").write_bytes(line + b"\n" + line[:cut])
    assert codex.prompts == ["ü"]


def test_an_answer_that_the_script_does_not_have_ends_the_session(fake_codex: codex_wire.FakeCodex) -> None:
    codex = fake_codex(release="0.169.0").run("ls", approval="accept").say("Done.")
    with pytest.raises(RuntimeError, match="ended before"):
        client(codex.path)
    assert codex.approvals == [{"command": "ls", "decision": "decline"}]
    (unexpected,) = codex.unexpected
    assert "decline" in unexpected


def test_what_is_wrong_with_a_script_is_said(fake_codex: codex_wire.FakeCodex) -> None:
    wrong: Any = {"relase": "0.169.0"}
    with pytest.raises(TypeError, match="did you mean 'release'"):
        codex_wire.fake_codex(**wrong)
    with pytest.raises(codex_wire.CodexWireError, match=r"the script:\d+:\d+: `spawn` needs 0\.92\.0 or later"):
        _ = fake_codex(release="0.80.0").spawn("x").path
    made = fake_codex().say("x")
    assert made.path.is_file()
    with pytest.raises(TypeError, match="made already"):
        made.say("y")
    with pytest.raises(ValueError, match="no fault 'turn-fail'"):
        codex_wire.test_faults(made, client, faults="turn-fail")


def test_a_double_with_other_faults_has_a_script_of_its_own(fake_codex: codex_wire.FakeCodex) -> None:
    first = fake_codex(release="0.169.0").say("One.")
    other = first.with_faults([])
    longer = first.with_faults([]).say("Two.")
    assert client(first.path) == client(other.path) == "One."
    assert client(longer.path) == "Two."
    with pytest.raises(TypeError, match="made already"):
        other.say("Three.")


def test_the_steps_are_those_of_a_script(repository: Path) -> None:
    definitions = json.loads((repository / "schemas/script.json").read_text("utf-8"))["$defs"]
    for alternative in definitions["Step"]["oneOf"]:
        step = definitions[alternative["$ref"].split("/")[-1]]
        (key,) = step["required"]
        _, *parameters = inspect.signature(getattr(codex_wire.Double, key)).parameters.values()
        named = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
        others = set(step["properties"]) - {key}
        assert named == (set(definitions["Tokens"]["properties"]) if key == "usage" else others)


def test_nothing_is_left_of_a_test(pytester: pytest.Pytester) -> None:
    """Neither of one that leaves its client alone, nor of a process that is killed."""
    pytester.makepyfile(
        textwrap.dedent(
            """
            import os, signal, subprocess, sys

            def leave(codex):
                codex = codex.say("x")
                server = subprocess.Popen([codex.path, "app-server"], stdin=subprocess.PIPE)
                codex.wait_for("started")
                server.terminate()
                print(f"left {server.pid} {codex.folder}", flush=True)

            def test_leaves(fake_codex):
                leave(fake_codex(faults="ignores-sigterm"))

            if __name__ == "__main__":
                import codex_wire
                leave(codex_wire.fake_codex(faults="ignores-sigterm"))
                os.kill(os.getpid(), signal.SIGKILL)
            """
        )
    )
    result = pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=1)
    (file,) = pytester.path.glob("test_*.py")
    killed = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    for said in result.outlines, killed.stdout.splitlines():
        (line,) = [line for line in said if "left " in line]
        pid, folder = line.split("left ")[1].split()[:2]
        assert ended(int(pid))
        # That of the process that was killed, the next double removes.
        assert Path(folder).exists() == (said is not result.outlines)
    with codex_wire.fake_codex().say("x"):
        assert not Path(folder).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_leaves_a_double_to_its_parent() -> None:
    code = """
import os, sys, codex_wire
codex = codex_wire.fake_codex().say("x")
with codex_wire.fake_codex().say("y") as other:
    folders = [codex.folder, other.folder]
    if os.fork() == 0:
        sys.exit()
    os.wait()
    print([folder.exists() for folder in folders])
print([folder.exists() for folder in folders], *folders)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    inside, outside = done.stdout.splitlines()
    assert inside == "[True, True]" and outside.startswith("[True, False]")
    assert not Path(outside.split()[2]).exists()


def ended(pid: int) -> bool:
    """Whether a process ends within five seconds. One that nobody waits for has ended, too."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rsplit(") ")[-1][0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_two_at_once(fake_codex: codex_wire.FakeCodex) -> None:
    doubles = {name: fake_codex().say(name) for name in ("one", "other")}
    said: dict[str, str] = {}

    def run(name: str) -> None:
        said[name] = client(doubles[name].path)

    threads = [threading.Thread(target=run, args=(name,)) for name in doubles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {name: name for name in doubles}
    assert [len(double.runs) for double in doubles.values()] == [1, 1]


def outcomes(
    start: Callable[[Path], Any], faults: list[str], codex: codex_wire.Double | None = None
) -> dict[str, str]:
    """How the tests of faults end: the first line of what is wrong, or why one is skipped."""
    test: Any = codex_wire.test_faults(codex or script(), start, faults=faults, timeout=5)
    (mark,) = test.pytestmark
    found: dict[str, str] = {}
    for name, fault in zip(mark.kwargs["ids"], mark.args[1], strict=True):
        try:
            test(fault)
            found[name] = "passes"
        except pytest.skip.Exception as skipped:
            found[name] = f"skipped: {skipped.msg}"
        except (pytest.fail.Exception, Exception) as failed:
            found[name] = str(failed).split("\n", 1)[0]
    return found


@dataclasses.dataclass(frozen=True)
class Shown:
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    inner: list[str]


class Named(NamedTuple):
    text: str


class Struct(msgspec.Struct):
    text: str


class Model(pydantic.BaseModel):
    text: str


SHOWN: list[Callable[[str], object]] = [
    Shown,
    lambda text: Slotted([text]),
    Named,
    Struct,
    lambda text: Model(text=text),
    lambda text: OrderedDict({"text": (text, Path("."))}),
    lambda text: frozenset({text}),
]


@pytest.mark.parametrize("shown", SHOWN)
def test_a_right_client_may_return_objects(shown: Callable[[str], object]) -> None:
    found = outcomes(lambda path: shown(client(path)), ["line-separator"])
    assert found == {"without-a-fault": "passes", "line-separator": "passes"}


BUGS = {
    "ignores the status": ("turn-fails", "shows a success"),
    "knows all items": ("future-item", "shows something else"),
    "takes an end for a success": ("exit-without-end", "shows a success"),
    "waits": ("turn-never-ends", "did not end in time"),
}


def test_a_right_client_passes() -> None:
    faults = [fault for fault, _ in BUGS.values()]
    found = outcomes(client, [*faults, "line-separator"])
    assert set(found.values()) == {"passes"} and len(found) == 6


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found(bug: str) -> None:
    fault, problem = BUGS[bug]
    found = outcomes(lambda path: client(path, bug), [fault])
    assert found.pop("without-a-fault") == "passes"
    assert problem in found[fault]


class TestInAClass:
    test_copes = staticmethod(codex_wire.test_faults(script(), client, faults="turn-fails"))


def test_a_client_that_fails_without_a_fault_is_told_just_that() -> None:
    def fails(_: Path) -> None:
        raise RuntimeError("no configuration")

    assert outcomes(fails, ["turn-fails"]) == {
        "without-a-fault": "no configuration",
        "turn-fails": "skipped: the client fails without any fault",
    }
    assert "did not start Codex" in outcomes(lambda _: "nothing", [])["without-a-fault"]
    count = iter(range(10))
    found = outcomes(lambda path: f"{client(path)} {next(count)}", [])
    assert "different values" in found["without-a-fault"]


def test_what_a_release_has_no_fault_for_is_skipped() -> None:
    def start(path: Path) -> str:
        return subprocess.run([path, "exec", "--json", "Hi."], capture_output=True, text=True, check=True).stdout

    faults = ["future-item", "ignores-sigterm", "stdout-noise"]
    found = outcomes(start, faults, codex_wire.fake_codex(release="0.30.0").say("Hello."))
    assert found.pop("without-a-fault") == "passes"
    assert "no faults of messages" not in found.pop("stdout-noise")
    assert len(found) == 2
    for outcome in found.values():
        assert outcome.startswith("skipped: ") and outcome.endswith("gets no faults of messages")


def test_a_client_may_be_a_coroutine() -> None:
    async def start(path: Path) -> str:
        return client(path)

    assert outcomes(start, [])["without-a-fault"] == "passes"
