"""Makes dataclasses of JSON values.

Reports may gain fields without a new version, so what a class does not have is left out. A kind of item that a later
program adds stays the mapping that it is in JSON.
"""

from __future__ import annotations

import dataclasses
import types
from functools import lru_cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def decode(cls: type[T], value: Any, **known: Any) -> T:
    """An instance of a dataclass. `known` are fields that stand elsewhere than in the value."""
    found: tuple[tuple[str, str, Any], ...] = _fields(cast(Any, cls))
    fields = {
        name: _value(hint, value[key])
        for name, key, hint in found
        if name not in known and key in value
    }
    return cls(**fields, **known)


@lru_cache(maxsize=None)
def _fields(cls: type) -> tuple[tuple[str, str, Any], ...]:
    """Name, key and type of each field."""
    hints = get_type_hints(cls)
    found = dataclasses.fields(cast(Any, cls))
    return tuple((f.name, f.metadata.get("key", f.name), hints[f.name]) for f in found)


def _value(hint: Any, value: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        parts = [part for part in get_args(hint) if part is not type(None)]
        if len(parts) == 1:
            return _value(parts[0], value)
        variant = _variants(hint).get(value["type"]) if isinstance(value, dict) else None
        return value if variant is None else decode(variant, value)
    if origin is tuple:
        (inner, _) = get_args(hint)
        return tuple(_value(inner, item) for item in value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return decode(hint, value)
    return value


@lru_cache(maxsize=None)
def _variants(union: Any) -> dict[str, type]:
    """The classes of a union, by the one value that their field `type` has."""
    return {get_args(get_type_hints(part)["type"])[0]: part for part in get_args(union)}
