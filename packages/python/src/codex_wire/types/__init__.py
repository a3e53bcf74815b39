"""Types of the protocols, as models of pydantic: `pip install codex-wire[pydantic]`.

Each module has one protocol in all its releases: `exec`, `exec_legacy`, `app_server`, `core`, `rollout`,
`hooks` and `notify`. Nothing is lost: members and kinds that are not declared are kept, and `write` leaves
out what was absent and writes what was null.
"""

from __future__ import annotations

try:
    from codex_wire.types._base import Model, Unknown, adapter, write
except ModuleNotFoundError as error:
    if error.name is None or error.name.split(".")[0] != "pydantic":
        raise
    raise ModuleNotFoundError(
        "codex_wire.types needs pydantic: pip install 'codex-wire[pydantic]'", name="pydantic"
    ) from error

__all__ = ["Model", "Unknown", "adapter", "write"]
