"""Types of the protocols, as structs of msgspec: `pip install codex-wire[msgspec]`.

The modules, classes and fields have the names of those in `codex_wire.types`, which are models of pydantic.
Nothing is lost: members and kinds that are not declared are kept, and `write` leaves out what was absent and
writes what was null.
"""

from __future__ import annotations

from codex_wire.types.msgspec._base import UNSET, Model, Unknown, UnsetType, read, write

__all__ = ["UNSET", "Model", "Unknown", "UnsetType", "read", "write"]
