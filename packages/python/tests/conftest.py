"""The tests run in a clone: their recordings are those of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture
def good(repository: Path) -> Path:
    """A recording that conforms."""
    return repository / "fixtures/exec/0.125.0/command_ok.jsonl"


@pytest.fixture
def bad(good: Path, tmp_path: Path) -> Path:
    """The same with a status that no release writes."""
    text = good.read_text(encoding="utf-8")
    changed = text.replace('"status":"completed"', '"status":"exploded"')
    assert changed != text
    path = tmp_path / "bad.jsonl"
    path.write_text(changed, encoding="utf-8")
    return path


@pytest.fixture
def sdk() -> None:
    """A test that needs the Python SDK is left out where it is not installed."""
    pytest.importorskip("openai_codex", reason="the Python SDK is not installed")
