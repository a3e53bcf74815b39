"""What `codex-wire faults --format json` writes. Made from schemas/faults.json by `cargo xtask generate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "Expectation",
    "Fault",
    "Faults",
]


@dataclass(frozen=True, kw_only=True)
class Faults:
    """The faults that a stand-in can have."""

    faults: tuple[Fault, ...]
    """The faults, in the order of the documentation."""
    version: int
    """The version of this format: 1."""


Expectation: TypeAlias = Literal["same", "different", "same-or-failure", "different-and-ends"]
"""What a client that handles a fault shows, compared with a run without it.

`same`: The same.

`different`: Something else: it reports the failure.

`same-or-failure`: The same, or a failure.

`different-and-ends`: Something else, and it ends by itself.
"""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that a stand-in does wrong, or differently, on purpose."""

    client: str
    """What a client should do."""
    expects: Expectation
    id: str
    """Its name, such as `turn-fails`."""
    inject: tuple[str, ...]
    """What to inject to try a client with it: this fault, at a place if it needs one, and those that it needs beside it in the protocol that was asked for."""
    protocols: tuple[str, ...]
    """The protocols in which it makes sense: `exec`, `app-server`, and `core`, which is `codex proto`."""
    residue: tuple[str, ...]
    """What it puts into texts, in each form in which a client may show them. It is left out before what a client shows is compared."""
    summary: str
    """What it is, in a few words."""
