"""What `codex-wire usage --format json` writes. Made from schemas/usage.json by `cargo xtask generate`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Row",
    "Sums",
    "Tokens",
    "Usage",
]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What inputs used: rows, and their sum."""

    by: tuple[str, ...]
    """The names of the keys, in the order of each row."""
    currency: str | None = None
    """The currency of costs."""
    inputs: int
    """How many inputs were read."""
    prices: str | None = None
    """Where prices are from, if there are some."""
    row_count: int
    """How many rows there are, also of those that are not listed."""
    rows: tuple[Row, ...]
    """The rows: by time in its order, else those with the most tokens first."""
    total: Sums
    """The sum of all rows, also of those that are not listed."""
    unpriced: tuple[str, ...]
    """The models without a price: their tokens cost nothing here."""
    unread: int
    """How many lines hold no message."""
    version: int
    """The version of this format: 1."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row."""

    calls: int
    """How many calls of tools."""
    cost: float | None = None
    """What the tokens cost, as far as their models have prices."""
    duration_ms: int | None = None
    """How long the turns took together, in milliseconds; of tools, how long the calls took. Absent if it is known of none."""
    failed: int
    """How many turns failed."""
    failed_calls: int
    """How many calls of tools failed."""
    interrupted: int
    """How many turns somebody stopped."""
    keys: tuple[str, ...]
    """What its turns have in common: a word for each name in `by`."""
    longest_ms: int | None = None
    """The longest turn in milliseconds; of tools, the longest call. Absent if it is known of none."""
    tokens: Tokens
    """The tokens."""
    turns: int
    """How many turns."""


@dataclass(frozen=True, kw_only=True)
class Sums:
    """What turns used."""

    calls: int
    """How many calls of tools."""
    cost: float | None = None
    """What the tokens cost, as far as their models have prices."""
    duration_ms: int | None = None
    """How long the turns took together, in milliseconds; of tools, how long the calls took. Absent if it is known of none."""
    failed: int
    """How many turns failed."""
    failed_calls: int
    """How many calls of tools failed."""
    interrupted: int
    """How many turns somebody stopped."""
    longest_ms: int | None = None
    """The longest turn in milliseconds; of tools, the longest call. Absent if it is known of none."""
    tokens: Tokens
    """The tokens."""
    turns: int
    """How many turns."""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Numbers of tokens.

    Cached tokens are a part of the input, and reasoning is a part of the output: whoever adds them counts
    them twice.
    """

    cache_write_input: int
    """Those of the input that were written to the cache. Counted since 0.145.0."""
    cached_input: int
    """Those of the input that were read from the cache."""
    input: int
    """Sent to the model, cached ones included."""
    output: int
    """Written by the model, reasoning included."""
    reasoning_output: int
    """Those of the output that were reasoning. `codex exec` counts them since 0.125.0."""
    total: int
    """All of them, as the provider counts."""
