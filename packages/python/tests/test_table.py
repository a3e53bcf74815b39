"""Tables need pyarrow, which is not installed with the package. `.ci/spark/run` tries the rest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import codex_wire
from codex_wire import _program


def test_pyarrow_is_asked_for(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match='^tables need pyarrow: pip install "codex-wire\\[table\\]"$'):
        codex_wire.table(good)


def test_the_program_for_tables_is_installed_beside_the_other() -> None:
    assert _program.find_table_program().parent == codex_wire.find_program().parent
