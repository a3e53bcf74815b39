"""The first five minutes of the README work as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def block(language: str) -> str:
    """The first block in a language."""
    found = re.search(f"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, language
    return found[1]


def test_the_first_five_minutes(pytester: pytest.Pytester) -> None:
    project = pytester.path
    recording = project / "tests/recordings/hello.jsonl"
    recording.parent.mkdir(parents=True)
    recording.write_text(block("json"))
    (project / "pyproject.toml").write_text(block("toml"))
    (project / "tests/test_client.py").write_text(block("python"))
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["tests/recordings/hello.jsonl::conforms PASSED*"])
    found = re.search("## From Python\n\n```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    done = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = re.search("# (schema/.*)", found[1])
    assert said is not None and said[1] == done.stdout.strip()
    recording.write_text(block("json").replace("agent_message", "agent_mesage"))
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*schema/unknown-kind*"])


def test_the_example_of_types(good: Path) -> None:
    text = README.read_text(encoding="utf-8").split("## Types")[1]
    found = re.search("```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    with good.open("rb") as lines:
        done = subprocess.run(
            [sys.executable, "-c", found[1]], stdin=lines, capture_output=True, text=True, check=True
        )
    assert "tokens" in done.stdout
    assert '"type":"turn.started"' in done.stdout
    assert "later release" not in done.stdout
