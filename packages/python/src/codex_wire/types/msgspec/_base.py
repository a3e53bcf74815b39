"""What the structs of all protocols share.

msgspec leaves out members that a struct does not declare, and refuses kinds that a union does not list. So each
struct has a place for such members, unions that a later release may extend are read by classes of their own
(`Open`), and `read` holds what it has read against the line: what would be written is what was there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

try:
    import msgspec
    from msgspec import UNSET, UnsetType, field
except ModuleNotFoundError as error:
    if error.name != "msgspec":
        raise
    raise ModuleNotFoundError(
        "codex_wire.types.msgspec needs msgspec: pip install 'codex-wire[msgspec]'", name="msgspec"
    ) from error

__all__ = [
    "UNSET",
    "Model",
    "Unknown",
    "UnsetType",
    "either",
    "external",
    "field",
    "having",
    "read",
    "tagged",
    "write",
]

_UNDECLARED = "~undeclared"
"""Never written: it stands in what msgspec writes of a struct that has undeclared members, and marks it."""

_MARK = f'"{_UNDECLARED}":'.encode()

_REFUSALS = (ValueError, msgspec.ValidationError)
"""The one is the other only in newer releases of msgspec."""


if TYPE_CHECKING:
    Undeclared = dict[str, Any]
else:

    class Undeclared(dict):
        """Undeclared members. A class of its own, so that `_read_open` is asked if a line has such a member."""


class Model(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A JSON object.

    A member that is absent is `UNSET`; one that is null is None. Values are not converted: a text is no number.
    """

    undeclared: Undeclared = field(default_factory=cast("Any", dict), name=_UNDECLARED)
    """Members that are not declared, by their names on the wire: JSON values."""


class Unknown(Model, kw_only=True):
    """An object of a kind that no release has which this version describes. `undeclared` has its members."""


def read(line: str | bytes, cls: Any) -> Any:
    """Reads a JSON text as a value of any type of these modules, unions among them.

    Raises `msgspec.ValidationError` if it is of another type, and `msgspec.DecodeError` if it is no JSON.
    """
    try:
        raw = msgspec.json.decode(line)
        value = _convert(raw, cls)
        if msgspec.to_builtins(value) != raw:
            _keep(value, raw)
    except _REFUSALS as error:
        if type(error) is msgspec.DecodeError:
            raise
        raise msgspec.ValidationError(_with_one_place(str(error))) from None
    except RecursionError:
        raise msgspec.ValidationError("the line is nested too deep") from None
    return value


def write(message: Any) -> str:
    """The JSON of a message: what was absent is left out, what was null is null."""
    data = msgspec.json.encode(message)
    if _MARK in data:
        data = msgspec.json.encode(_plain(message))
    return data.decode()


class _OpenType(type):
    """msgspec asks whether what it got is an instance: it is what the class has read."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return True


class Open(metaclass=_OpenType):
    """A type that msgspec does not read by itself."""

    @classmethod
    def convert(cls, raw: Any) -> Any:
        """Makes a value of a JSON value. Raises `ValueError`."""
        raise NotImplementedError


def tagged(*names: str, kinds: dict[str, Any]) -> type[Open]:
    """Objects that a member tells apart. Without that member an object is refused."""

    class Tagged(Open):
        @classmethod
        def convert(cls, raw: Any) -> Any:
            members: dict[str, Any] = raw if type(raw) is dict else {}
            for name in names:
                tag = members.get(name)
                if type(tag) is str:
                    known = kinds.get(tag)
                    return Unknown(undeclared=members) if known is None else _convert(raw, known)
            raise ValueError(f"Expected an object with the text `{names[0]}`")

    return Tagged


def external(*, kinds: dict[str, Any]) -> type[Open]:
    """`"kind"` and `{"kind": …}`."""

    class External(Open):
        @classmethod
        def convert(cls, raw: Any) -> Any:
            if type(raw) is str:
                return _convert(raw, kinds[raw]) if raw in kinds else raw
            if type(raw) is dict:
                members = cast("dict[str, Any]", raw)
                kind = next((name for name in members if name in kinds), None)
                return Unknown(undeclared=members) if kind is None else _convert(raw, kinds[kind])
            raise ValueError("Expected a text, or an object with a member that is named as its kind")

    return External


def having(name: str, present: Any, absent: Any) -> type[Open]:
    """Objects of two types: those that have a member, and those that do not."""

    class Having(Open):
        @classmethod
        def convert(cls, raw: Any) -> Any:
            return _convert(raw, present if type(raw) is dict and name in raw else absent)

    return Having


def either(*types: Any) -> type[Open]:
    """The first type that declares all there is, or else the first that the value has."""

    class Either(Open):
        @classmethod
        def convert(cls, raw: Any) -> Any:
            found: list[Any] = []
            problem: Exception | None = None
            for one in types:
                try:
                    value = _convert(raw, one)
                except _REFUSALS as error:
                    problem = error
                    continue
                found.append(value)
                # A dict declares nothing.
                if not isinstance(value, dict) and msgspec.to_builtins(value) == raw:
                    return value
            if found:
                return found[0]
            assert problem is not None
            raise problem

    return Either


def _convert(raw: Any, cls: Any) -> Any:
    if type(cls) is _OpenType:
        return _read_open(cls, raw)
    return msgspec.convert(raw, cls, dec_hook=_read_open)


def _read_open(cls: Any, raw: Any) -> Any:
    """What msgspec asks for a type that it does not know."""
    if cls is Undeclared:
        # A member of the line that has the name under which these are kept.
        return Undeclared({_UNDECLARED: raw})
    try:
        return cls.convert(raw)
    except msgspec.ValidationError as error:
        # msgspec adds the place of this value only to what is no error of its own.
        raise ValueError(str(error)) from None


_PLACE = re.compile(r" - at `\$(.*?)`(?= - at |$)", re.DOTALL)


def _with_one_place(message: str) -> str:
    """msgspec names a place for each value that it was asked to read: the innermost first."""
    places = _PLACE.findall(message)
    if not places:
        return message
    return f"{_PLACE.sub('', message)} - at `${''.join(reversed(places))}`"


_NAMES: dict[type, dict[str, str]] = {}
"""The fields of classes by their names on the wire."""


def _names(cls: type[Model]) -> dict[str, str]:
    names = _NAMES.get(cls)
    if names is None:
        names = dict(zip(cls.__struct_encode_fields__, cls.__struct_fields__))
        del names[_UNDECLARED]
        _NAMES[cls] = names
    return names


def _keep(value: Any, raw: Any) -> None:
    """Puts the members that are not declared into the structs that were made of these values."""
    if isinstance(value, Model):
        names = _names(type(value))
        value.undeclared = {name: inner for name, inner in raw.items() if name not in names}
        for name, known in names.items():
            if name in raw:
                _keep(getattr(value, known), raw[name])
    elif isinstance(value, list):
        for inner, raw_inner in zip(value, raw):
            _keep(inner, raw_inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            _keep(inner, raw[name])


def _plain(value: Any) -> Any:
    """A value as JSON has it, with undeclared members in their objects."""
    if isinstance(value, Model):
        names = _names(type(value)).items()
        members = {name: getattr(value, known) for name, known in names}
        members = {name: inner for name, inner in members.items() if inner is not UNSET}
        return {name: _plain(inner) for name, inner in (members | value.undeclared).items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value
