"""What the models of all protocols share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

try:
    from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter
except ModuleNotFoundError as error:
    if error.name is None or error.name.split(".")[0] != "pydantic":
        raise
    raise ModuleNotFoundError(
        "codex_wire.types needs pydantic: pip install 'codex-wire[pydantic]'", name="pydantic"
    ) from error

__all__ = [
    "UNKNOWN",
    "WITH",
    "WITHOUT",
    "Field",
    "Model",
    "Tag",
    "Unknown",
    "adapter",
    "external",
    "having",
    "tagged",
    "write",
]


class Model(BaseModel):
    """A JSON object.

    A member that is absent is None and not in `model_fields_set`; one that is null is None and in it.
    Members that are not declared are in `model_extra`. Values are not converted: a text is no number.
    """

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        # A module has up to a thousand models, of which a program uses a few.
        defer_build=True,
        protected_namespaces=(),
    )


class Unknown(Model):
    """An object of a kind that no release has which this version describes. `model_extra` has its members."""


def write(message: Model) -> str:
    """The JSON of a message: what was absent is left out, what was null is null."""
    return message.model_dump_json(by_alias=True, exclude_unset=True)


@lru_cache(maxsize=None)
def adapter(cls: Any) -> TypeAdapter[Any]:
    """Reads and writes values of any type of these modules, unions among them. Made once for each type."""
    return TypeAdapter(cls)


_OTHER = ""

UNKNOWN = Tag(_OTHER)
"""Marks the variant of a union that stands for all kinds which are not described."""


def tagged(*names: str, known: tuple[str, ...]) -> Discriminator:
    """Tells objects apart by a member. Without that member it is none of them, and refused."""
    kinds = frozenset(known)

    def kind(value: Any) -> str | None:
        for name in names:
            tag = _member(value, name)
            if isinstance(tag, str):
                return tag if tag in kinds else _OTHER
        return None

    return Discriminator(kind)


def external(*, known: tuple[str, ...]) -> Discriminator:
    """Tells `"kind"` and `{"kind": …}` apart."""
    kinds = frozenset(known)

    def kind(value: Any) -> str | None:
        if isinstance(value, str):
            return value if value in kinds else _OTHER
        if isinstance(value, Model):
            names = [*_wire_names(type(value)).values(), *(value.model_extra or {})]
        elif isinstance(value, Mapping):
            names = list(cast("Mapping[str, Any]", value))
        else:
            return None
        return next((name for name in names if name in kinds), _OTHER)

    return Discriminator(kind)


WITH, WITHOUT = Tag("with"), Tag("without")
"""Mark the objects that have a member, and those that do not."""


def having(name: str) -> Discriminator:
    """Tells objects apart by whether they have a member."""

    def kind(value: Any) -> str:
        return (WITHOUT if _member(value, name) is None else WITH).tag

    return Discriminator(kind)


def _member(value: Any, name: str) -> Any:
    """A member of an object, by its name on the wire."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    if isinstance(value, Model):
        extra = value.model_extra or {}
        if name in extra:
            return extra[name]
        for field, wire in _wire_names(type(value)).items():
            if wire == name:
                return getattr(value, field)
    return None


@lru_cache(maxsize=None)
def _wire_names(cls: type[Model]) -> dict[str, str]:
    return {name: field.alias or name for name, field in cls.model_fields.items()}
