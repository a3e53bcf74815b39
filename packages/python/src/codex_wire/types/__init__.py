"""Types of the protocols, as models of pydantic: `pip install codex-wire[pydantic]`.

Each module has one protocol in all its releases: `exec`, `exec_legacy`, `app_server`, `core`, `rollout`,
`hooks` and `notify`. Nothing is lost: members and kinds that are not declared are kept, and `write` leaves
out what was absent and writes what was null.

`codex_wire.types.msgspec` has the same as structs of msgspec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codex_wire.types._base import Model, Unknown, adapter, write

__all__ = ["Model", "Unknown", "adapter", "write"]


def __getattr__(name: str) -> Any:
    """pydantic is imported when it is needed: `codex_wire.types.msgspec` does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from codex_wire.types import _base

    return getattr(_base, name)
