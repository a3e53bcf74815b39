"""One test for each fault: whether a client handles it."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from codex_wire import _program
from codex_wire._decode import decode
from codex_wire._program import CodexWireError
from codex_wire.client_log import Started
from codex_wire.double import Double
from codex_wire.faults import Fault, Faults

__all__ = ["test_faults"]

TIMEOUT = 20.0
"""How long a client may take, in seconds."""


def test_faults(
    codex: Double,
    start_client: Callable[[Path], Any],
    *,
    faults: str | Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> Callable[[Any], None]:
    """A test of pytest for each fault: whether your client handles it. Give it to a name that pytest collects::

        test_copes = codex_wire.test_faults(codex_wire.fake_codex(release="0.169.0").say("Hello."), start_client)

    In a class of tests, make it a `staticmethod`. `start_client` runs the client with the program whose path it is given, and
    returns what the client shows: the same each time, such as the answer of the agent. If the client fails, it raises. It may be a coroutine function. It is run twice
    without a fault, and once with each. A fault that is none of the protocol that the client speaks, or has no place in the
    script, is a test that is skipped. `faults` are those to try, all if it is not given; `timeout` is how long the client may
    take, in seconds.
    """
    import pytest

    client = _Client(codex, start_client, timeout)
    tried = [None, *_chosen(faults)]
    names = ["without-a-fault" if fault is None else fault.id for fault in tried]

    @pytest.mark.parametrize("fault", tried, ids=names)
    def test(fault: Fault | None) -> None:
        undisturbed = client.undisturbed()
        if fault is None:
            if isinstance(undisturbed, BaseException):
                raise undisturbed
            return
        if isinstance(undisturbed, BaseException):
            pytest.skip("the client fails without any fault")
        found = [one for protocol in undisturbed.protocols for one in _faults(protocol) if one.id == fault.id]
        if not found:
            pytest.skip(f"it is not a fault of {' and '.join(undisturbed.protocols)}")
        try:
            ran = client.run(found[0].inject)
        except CodexWireError as refused:
            # A release may get no faults of messages: the program says so of the fault.
            if "fault/" not in str(refused):
                raise
            pytest.skip(str(refused))
        if f"fault/{fault.id}" not in ran.injected:
            pytest.skip("the script has no place for it")
        problem = _problem(ran, undisturbed, found[0])
        if problem is not None:
            text = f"with {fault.id} ({fault.summary}), {problem}\nhelp: {fault.client}\n{_told(ran, undisturbed)}"
            pytest.fail(text.rstrip(), pytrace=False)

    return test


# It begins like a test, and is none.
test_faults.__test__ = False  # type: ignore[attr-defined]


@lru_cache(maxsize=None)
def _faults(protocol: str | None = None) -> tuple[Fault, ...]:
    """The faults of a protocol, as a client of it is tried with them; of all protocols if none is given."""
    flags = [] if protocol is None else ["--protocol", protocol]
    output, _ = _program.run(["faults", "--format", "json", *flags])
    return decode(Faults, json.loads(output)).faults


def _chosen(ids: str | Sequence[str] | None) -> Sequence[Fault]:
    """The faults with these ids; all if none are given."""
    known = {fault.id: fault for fault in _faults()}
    if ids is None:
        return list(known.values())
    names = [id.removeprefix("fault/") for id in ([ids] if isinstance(ids, str) else ids)]
    for name in names:
        if name not in known:
            raise ValueError(f"there is no fault {name!r}, but {', '.join(known)}")
    return [known[name] for name in names]


@dataclass(frozen=True)
class _Ran:
    """What a client showed."""

    ended: Literal["with a value", "with an error", "never"]
    value: Any
    protocols: Sequence[str]
    injected: Sequence[str]
    unexpected: Sequence[str]


class _Client:
    """A client, and what it shows undisturbed."""

    def __init__(self, codex: Double, start: Callable[[Path], Any], timeout: float) -> None:
        self._codex = codex
        self._start = start
        self._timeout = timeout
        self._undisturbed: _Ran | BaseException | None = None

    def undisturbed(self) -> _Ran | BaseException:
        """What two runs without a fault showed, or what is wrong with them."""
        if self._undisturbed is None:
            self._undisturbed = self._run_twice()
        return self._undisturbed

    def _run_twice(self) -> _Ran | BaseException:
        first, second = self.run(()), self.run(())
        for ran in (first, second):
            if ran.ended == "never":
                return CodexWireError("the client did not end in time, without any fault")
            if ran.ended == "with an error":
                error: BaseException = ran.value
                return error
        if first.unexpected:
            return CodexWireError(f"the script does not have what the client does: {first.unexpected[0]}")
        if not first.protocols:
            return CodexWireError(
                "the client did not start Codex: it has to run the path that it is given"
            )
        if first.value != second.value:
            return CodexWireError(
                "two runs of the client without any fault return different values, so that nothing can be compared: "
                "return what is the same each time, such as the answer\n"
                f"first: {first.value!r}\nthen: {second.value!r}"
            )
        return first

    def run(self, faults: Sequence[str]) -> _Ran:
        """Runs the client with a double of its own."""
        with self._codex.with_faults(faults) as double:
            ended, value = _settled(lambda: self._start(double.path), self._timeout)
            started = [event for event in double.events if isinstance(event, Started)]
            protocols = tuple(dict.fromkeys(event.protocol for event in started))
            return _Ran(ended, value, protocols, double.injected, double.unexpected)


def _settled(
    start: Callable[[], Any], timeout: float
) -> tuple[Literal["with a value", "with an error", "never"], Any]:
    """How something ends, if it does in time. Nothing ends a thread: it ends when the stand-in is gone, or with the process."""
    values: list[Any] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            value = start()
            values.append(asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body, daemon=True, name="codex-wire client")
    thread.start()
    thread.join(timeout)
    if values:
        return "with a value", values[0]
    return ("with an error", errors[0]) if errors else ("never", None)


async def _awaited(value: Any) -> Any:
    return await value


def _problem(ran: _Ran, undisturbed: _Ran, fault: Fault) -> str | None:
    """What is wrong with what a client shows, in words."""
    if ran.ended == "never":
        return "the client did not end in time"
    is_same = ran.ended == "with a value" and _without(ran.value, fault.residue) == undisturbed.value
    expects = fault.expects
    if expects == "same":
        return None if is_same else "the client shows something else than without it"
    if expects == "same-or-failure":
        if is_same or ran.ended == "with an error":
            return None
        return "the client shows neither the same as without it nor a failure"
    if expects in ("different", "different-and-ends"):
        return "the client shows a success" if is_same else None
    raise CodexWireError(f"the program expects {expects!r}, which this package does not know")


def _told(ran: _Ran, undisturbed: _Ran) -> str:
    """What the client showed, for people."""
    if ran.ended == "never":
        return ""
    if ran.ended == "with an error":
        return f"the client failed: {ran.value!r}"
    return f"the client showed: {ran.value!r}\nwithout it: {undisturbed.value!r}"


def _without(value: Any, residue: Sequence[str]) -> Any:
    """What a client showed, without what a fault put into texts. Objects that are equal by their values are copied."""
    if not residue:
        return value
    if isinstance(value, str):
        for part in residue:
            value = value.replace(part, "")
        return value
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_without(inner, residue) for inner in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(_without(inner, residue) for inner in value)
    if isinstance(value, dict):
        changed = copy.copy(value)
        changed.update({key: _without(inner, residue) for key, inner in value.items()})
        return changed
    equals: object = type(value).__eq__
    if equals is object.__eq__:
        return value
    return _object_without(value, residue)


def _object_without(value: Any, residue: Sequence[str]) -> Any:
    """The same of an object, such as that of a dataclass, also if it is frozen."""
    slots = [slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ())]
    names = {*getattr(value, "__dict__", ()), *slots} - {"__dict__", "__weakref__"}
    present = [name for name in names if hasattr(value, name)]
    if not present:
        return value
    changed = copy.copy(value)
    for name in present:
        inner = _without(getattr(value, name), residue)
        try:
            object.__setattr__(changed, name, inner)
        except TypeError:
            # A struct of msgspec. One that is frozen stays as it is.
            with suppress(AttributeError):
                setattr(changed, name, inner)
    return changed
