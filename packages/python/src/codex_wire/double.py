"""A double of Codex for one test: it plays a script, and tells what the client sent."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    cast,
    get_args,
    get_type_hints,
)

from codex_wire import _program, client_log
from codex_wire._commands import (
    _flags,  # pyright: ignore[reportPrivateUsage]
    _refuse_unknown,  # pyright: ignore[reportPrivateUsage]
)
from codex_wire._decode import decode
from codex_wire._temporary import temporary
from codex_wire._program import CodexWireError
from codex_wire.client_log import ClientEvent

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Answer",
    "Approval",
    "Choice",
    "CommandApproval",
    "Decision",
    "Double",
    "FakeCodex",
    "FakeCodexOptions",
    "PatchApproval",
    "PlanStep",
    "Run",
    "fake_codex",
]

Decision: TypeAlias = Literal["accept", "acceptForSession", "decline", "cancel"]
"""What a client answers when Codex asks."""


class _Choice(TypedDict):
    label: str


class Choice(_Choice, total=False):
    """An answer to choose."""

    description: str


class _PlanStep(TypedDict):
    step: str


class PlanStep(_PlanStep, total=False):
    """A step of a plan."""

    status: Literal["pending", "in_progress", "completed"]


class CommandApproval(TypedDict):
    """What the client answered when Codex asked before it ran a command."""

    command: str
    decision: str


class PatchApproval(TypedDict):
    """What the client answered when Codex asked before it changed files."""

    files: list[str]
    decision: str


Approval: TypeAlias = CommandApproval | PatchApproval


class Answer(TypedDict):
    """What the client answered to a question."""

    question: str
    answers: list[str]


class _Run(TypedDict):
    arguments: list[str]
    directory: str


class Run(_Run, total=False):
    """A run of the program `codex`. It has no status while it goes on, and if something else ended it."""

    status: int


class FakeCodexOptions(TypedDict, total=False):
    """The options of `fake_codex`; `codex-wire replay --help` explains most of them."""

    release: str
    """The release of Codex that it plays; the newest one if it is not given."""
    model: str
    """The name of the model."""
    faults: str | Sequence[str]
    """What goes wrong on purpose, such as `turn-fails`."""
    seed: int
    """What faults leave open follows from this number."""
    on_miss: Literal["error", "fail", "synthesize"]
    """What a client gets that sends what no script has; `synthesize` if it is not given."""
    speed: str | float
    times: Literal["recorded", "now"]


class FakeCodex(Protocol):
    """The type of the fixture `fake_codex`: as the function, and the double ends with the test."""

    def __call__(self, **options: Unpack[FakeCodexOptions]) -> Double: ...


def fake_codex(**options: Unpack[FakeCodexOptions]) -> Double:
    """A double of Codex: a program named `codex` that plays a script to your client, and tells what the client sent::

        with codex_wire.fake_codex(release="0.169.0").say("Looking.").run("ls").say("Done.") as codex:
            run_my_client(codex.path)
        assert codex.prompts == ["Look around."]

    The fixture `fake_codex` of pytest takes the same, and ends the double with the test.
    """
    _refuse_unknown(options, FakeCodexOptions.__optional_keys__)
    return Double(_Script(options.get("model")), options)


class _Script:
    """Steps, turn by turn."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.turns: list[list[Mapping[str, object]]] = [[]]

    def copy(self) -> _Script:
        """The same, to which steps can be added."""
        copy = _Script(self.model)
        copy.turns = [list(steps) for steps in self.turns]
        return copy

    def text(self) -> str:
        script: dict[str, object] = {} if self.model is None else {"model": self.model}
        if len(self.turns) == 1:
            script["step"] = self.turns[0]
        else:
            script["turn"] = [{"step": steps} for steps in self.turns]
        return json.dumps(script, indent=1)


class Double:
    """A program named `codex` that plays a script, and what clients sent to it so far: each property reads what is there.

    `say` and the other steps say what the model does; their keywords are the other keys of that step in a script. The program
    is written when its path is first asked for: there are no further steps then. `end` ends it and its processes; so does the
    end of a `with` block, of a test that has it from the fixture `fake_codex`, and of this process.
    """

    def __init__(self, script: _Script, options: FakeCodexOptions) -> None:
        self._script = script
        self._options = options
        self._folder: Path | None = None
        self._owner = 0
        """The process that made the folder. One that was forked from it only uses it."""
        self._others: list[Double] = []
        """Those that were made from this one, and end with it."""
        self._kept: tuple[list[str], list[str]] | None = None
        """The lines of the client log and of the fault log, once the folder is gone."""

    # Steps.

    def say(self, text: str) -> Double:
        """The model writes a message to the user."""
        return self._step(say=text)

    def reason(self, summary: str | Sequence[str]) -> Double:
        """The model thinks: a summary, or a list of its parts."""
        return self._step(reason=summary)

    def run(
        self,
        command: str,
        *,
        output: str | Sequence[str] | None = None,
        exit: int | None = None,
        approval: bool | Decision | None = None,
    ) -> Double:
        """The model runs a command. With `approval`, Codex asks the client; with a decision, it has to give this one."""
        return self._step(run=command, output=output, exit=exit, approval=approval)

    def patch(
        self, patch: str, *, approval: bool | Decision | None = None, fails: bool | None = None
    ) -> Double:
        """The model changes files. The patch is in the format of Codex: `*** Begin Patch` to `*** End Patch`."""
        return self._step(patch=patch, approval=approval, fails=fails)

    def ask(
        self, question: str, *, header: str | None = None, options: Sequence[Choice] | None = None
    ) -> Double:
        """The model asks the user a question."""
        return self._step(ask=question, header=header, options=options)

    def plan(self, plan: Sequence[PlanStep], *, explanation: str | None = None) -> Double:
        """The model says what it is going to do: the whole plan each time."""
        return self._step(plan=plan, explanation=explanation)

    def search(self, query: str) -> Double:
        """The model searches the web."""
        return self._step(search=query)

    def call(
        self,
        tool: str,
        *,
        server: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        result: str | None = None,
        fails: bool | None = None,
    ) -> Double:
        """The model calls a tool of an MCP server."""
        return self._step(call=tool, server=server, arguments=arguments, result=result, fails=fails)

    def spawn(self, task: str, *, answer: str | None = None) -> Double:
        """The model starts another agent, and waits for it if it answers."""
        return self._step(spawn=task, answer=answer)

    def retry(self, reason: str, *, attempt: int | None = None, of: int | None = None) -> Double:
        """The connection to the model breaks, and Codex connects again."""
        return self._step(retry=reason, attempt=attempt, of=of)

    def fail(self, message: str, *, kind: str | None = None) -> Double:
        """The turn fails."""
        return self._step(fail=message, kind=kind)

    def hang(self) -> Double:
        """Nothing more comes until the client interrupts the turn."""
        return self._step(hang=True)

    def usage(
        self,
        *,
        input: int | None = None,
        cached: int | None = None,
        output: int | None = None,
        reasoning: int | None = None,
    ) -> Double:
        """What each answer of the model costs from here on."""
        tokens = {"input": input, "cached": cached, "output": output, "reasoning": reasoning}
        return self._step(usage=_given(tokens))

    def turn(self) -> Double:
        """What follows is the next turn."""
        self._refuse_if_made()
        self._script.turns.append([])
        return self

    def _step(self, **keys: object) -> Double:
        self._refuse_if_made()
        self._script.turns[-1].append(_given(keys))
        return self

    def _refuse_if_made(self) -> None:
        """What is added later would be missing in a script that is being played."""
        if self._folder is not None:
            raise TypeError("the double was made already: give it all steps before its path is asked for")

    # The program.

    @property
    def path(self) -> Path:
        """The program `codex`."""
        return self.folder / ("codex.exe" if sys.platform == "win32" else "codex")

    @property
    def folder(self) -> Path:
        """The folder of the program, which belongs to this double alone."""
        if self._folder is None:
            self._folder = _install(self._script, self._options)
            self._owner = os.getpid()
            _made.add(self)
        return self._folder

    def with_faults(self, faults: str | Iterable[str]) -> Double:
        """A double with the script so far, and other faults."""
        named = [faults] if isinstance(faults, str) else list(faults)
        other = Double(self._script.copy(), {**self._options, "faults": named})
        self._others.append(other)
        return other

    def end(self) -> None:
        """Ends it, and the processes of the program half a second later at most. What clients sent can still be read."""
        for other in self._others:
            other.end()
        if self._folder is None or self._kept is not None or self._owner != os.getpid():
            return
        _made.discard(self)
        self._kept = (self._lines(CLIENT_LOG), self._lines(FAULT_LOG))
        # Each process of the stand-in ends when this file is gone: also where a program that runs cannot be removed.
        (self._folder / "codex-replay.toml").unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Double:
        _ = self.folder
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    # What clients sent.

    @property
    def events(self) -> list[ClientEvent]:
        """All that is known of clients, in the order in which it happened: `codex_wire.client_log` has the types."""
        return [_event(value) for value in self._values()]

    @property
    def injected(self) -> list[str]:
        """The ids of the faults that happened, such as `fault/turn-fails`."""
        return self._kept[1] if self._kept else self._lines(FAULT_LOG)

    @property
    def prompts(self) -> list[str]:
        """The prompts that started turns."""
        return [event["text"] for event in self._values("prompt")]

    @property
    def approvals(self) -> list[Approval]:
        """What the client was asked, and what it answered."""
        found: list[Approval] = []
        for event in self._values("approval"):
            if event["kind"] == "patch":
                found.append({"files": event["files"], "decision": event["decision"]})
            else:
                found.append({"command": event["command"], "decision": event["decision"]})
        return found

    @property
    def answers(self) -> list[Answer]:
        """What the client answered to questions."""
        events = self._values("answer")
        return [{"question": event["question"], "answers": event["answers"]} for event in events]

    @property
    def sent(self) -> list[Any]:
        """The messages of clients of `codex app-server` and `codex proto`; a line that is not JSON is a string."""
        return [event.get("message", event.get("line")) for event in self._values("sent")]

    def requests(self, method: str) -> list[Any]:
        """The `params` of the requests with this method, or the submissions of this type to `codex proto`."""
        found: list[Any] = []
        for message in self.sent:
            if isinstance(message, dict) and "id" in message:
                op = message.get("op")
                if message.get("method") == method:
                    found.append(message.get("params"))
                elif isinstance(op, dict) and op.get("type") == method:
                    found.append(op)
        return found

    @property
    def unexpected(self) -> list[str]:
        """What the client did that the script does not have, in words."""
        return [event["message"] for event in self._values("unexpected")]

    @property
    def runs(self) -> list[Run]:
        """The runs of the program."""
        found: list[Run] = []
        running: dict[int, Run] = {}
        for event in self._values():
            if event["event"] == "started":
                run: Run = {"arguments": event["arguments"], "directory": event["directory"]}
                running[event["pid"]] = run
                found.append(run)
            elif event["event"] == "ended" and event["pid"] in running:
                running[event["pid"]]["status"] = event["status"]
        return found

    def wait_for(self, event: str, *, timeout: float = 10) -> ClientEvent:
        """Waits for the first event of a kind. Raises `CodexWireError` if there is none in time, in seconds."""
        end = time.monotonic() + timeout
        while True:
            for value in self._values(event):
                return _event(value)
            if self._kept or time.monotonic() > end:
                seen = ", ".join(value["event"] for value in self._values()) or "nothing"
                when = "before the end" if self._kept else f"in {timeout} s"
                raise CodexWireError(f"no event {event!r} {when}, but {seen}")
            time.sleep(0.02)

    def _values(self, event: str | None = None) -> list[dict[str, Any]]:
        values = [json.loads(line) for line in (self._kept[0] if self._kept else self._lines(CLIENT_LOG))]
        return [value for value in values if event in (None, value["event"])]

    def _lines(self, name: str) -> list[str]:
        """The lines of a file that grows. Text after the last line feed is not a line yet."""
        try:
            data = (self.folder / name).read_bytes()
        except FileNotFoundError:
            # The first process of the stand-in makes it.
            return []
        return [line.decode() for line in data.split(b"\n")[:-1]]


CLIENT_LOG = "client-log.jsonl"
FAULT_LOG = "fault-log.txt"

_made: set[Double] = set()
"""The doubles that are not ended yet. Who has only the path of one still uses it."""


@atexit.register
def _end_all() -> None:
    for double in list(_made):
        double.end()


def _install(script: _Script, options: FakeCodexOptions) -> Path:
    """Writes the program that plays a script to a new folder."""
    folder = temporary()
    source = folder / "script.json"
    source.write_text(script.text(), encoding="utf-8")
    command = ["replay", "--install", str(folder), "--script", str(source)]
    command += ["--client-log", str(folder / CLIENT_LOG), "--fault-log", str(folder / FAULT_LOG)]
    command += ["--owner", str(os.getpid())]
    command += _flags(options, "release", "seed", "on_miss", "speed", "times")
    faults = options.get("faults", ())
    for fault in [faults] if isinstance(faults, str) else faults:
        command.append(f"--fault={fault}")
    _, error, code = _program.run_any(command)
    if code != 0:
        shutil.rmtree(folder, ignore_errors=True)
        # The file is of no use to the caller: methods wrote what stands in it.
        raise _program.failure(error.replace(str(source), "the script"), code)
    # The last one names the program that was asked for.
    _program.warn(_program.remarks(error)[:-1])
    return folder


@lru_cache(maxsize=None)
def _event_classes() -> dict[str, type[Any]]:
    """The class of each kind of event."""
    classes = [getattr(client_log, name) for name in client_log.__all__]
    hints = [(one, get_type_hints(one)) for one in classes if isinstance(one, type)]
    return {get_args(known["event"])[0]: one for one, known in hints if "event" in known}


def _event(value: Mapping[str, Any]) -> ClientEvent:
    """An event. What a later program writes stays the mapping that it is in JSON."""
    known = _event_classes().get(value["event"])
    event: Any = value if known is None else decode(known, value)
    return cast("ClientEvent", event)


def _given(keys: Mapping[str, object]) -> dict[str, object]:
    """Keys that have a value: the others are as the program has them."""
    return {key: value for key, value in keys.items() if value is not None}
