"""The examples of the README work as written."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import codex_wire

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str, word: str = "") -> str:
    """The block in a language that has this word in it; the first one without a word."""
    found = [block for block in re.findall(f"```{language}\n(.*?)```", README, re.DOTALL) if word in block]
    assert found and (not word or len(found) == 1), (language, word, len(found))
    return str(found[0])


def ran(example: str, **environment: str) -> str:
    """What an example prints."""
    done = subprocess.run(
        [sys.executable, "-c", example],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A project as the README makes it."""
    recording = pytester.path / "tests/recordings/hello.jsonl"
    recording.parent.mkdir(parents=True)
    recording.write_text(block("json"))
    (pytester.path / "pyproject.toml").write_text(block("toml"))
    (pytester.path / "tests/test_client.py").write_text(block("python"))
    return pytester.path


def test_the_first_five_minutes(pytester: pytest.Pytester, project: Path) -> None:
    recording = project / "tests/recordings/hello.jsonl"
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["tests/recordings/hello.jsonl::conforms PASSED*"])
    recording.write_text(block("json").replace("agent_message", "agent_mesage"))
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*schema/unknown-kind*"])


def test_an_incomplete_recording(pytester: pytest.Pytester, project: Path) -> None:
    recording = project / "tests/recordings/hello.jsonl"
    recording.write_text("".join(recording.read_text().splitlines(keepends=True)[:-1]))
    pytester.runpytest_subprocess().assert_outcomes(passed=2, warnings=1)
    (filters,) = re.findall("`(filterwarnings = .*?)`", README)
    for setting in block("toml", "codex_wire_arguments"), filters:
        (project / "pyproject.toml").write_text(block("toml") + setting)
        pytester.runpytest_subprocess().assert_outcomes(passed=1, failed=1)


def test_the_example_of_a_double(pytester: pytest.Pytester) -> None:
    example = block("python", "codex_wire.test_faults(")
    own = pytester.mkdir("tests") / "test_double.py"
    own.write_text(example)
    outcomes = pytester.runpytest_subprocess().parseoutcomes()
    assert outcomes["passed"] > 15 and not {"failed", "errors"} & outcomes.keys()
    check = 'if events[-1]["type"] != "turn.completed":'
    assert example.count(check) == 1
    own.write_text(example.replace(check, "if False:"))
    result = pytester.runpytest_subprocess("-k", "exit-without-end or turn-fails")
    result.assert_outcomes(passed=1, failed=1, deselected=21)


def test_the_example_of_a_double_without_pytest() -> None:
    example = block("python", "with codex_wire.fake_codex(")
    assert ran(example).splitlines()[-1:] == re.findall("^# (.*)$", example, re.MULTILINE)


def test_the_example_of_the_functions(project: Path) -> None:
    example = block("python", "codex_wire.diff(")
    assert ran(example).splitlines() == re.findall("^    # (.*)$", example, re.MULTILINE)


def test_the_python_sdk(pytester: pytest.Pytester, project: Path, repository: Path, sdk: None) -> None:
    (project / "tests/hello.toml").write_text(block("toml", "[[step]]"))
    own = project / "tests/test_sdk.py"
    own.write_text(block("python", "def test_the_sdk"))
    pytester.runpytest_subprocess().assert_outcomes(passed=3)
    record = block("python", "tap = ")
    played = 'script="tests/hello.toml"'
    assert own.read_text().count(played) == 1

    # Without Codex, nor the program `codex-wire` in PATH.
    (stand_in,) = re.findall("`(program = .*?)`", README)
    assert record.count('program = "codex"\n') == 1
    assert ran(record.replace('program = "codex"', stand_in), PATH="") == "Hello.\n"
    recording = project / "tests/recordings/run.jsonl"
    assert codex_wire.check(recording).inputs[0].protocol == "app-server"
    own.write_text(own.read_text().replace(played, '"tests/recordings/run.jsonl"'))
    pytester.runpytest_subprocess().assert_outcomes(passed=4)

    # With Codex: here the stand-in is the one that is found.
    recording.unlink()
    assert ran(record, PATH=str(project / "stand-in")) == "Hello.\n"

    # The SDK cannot read what an older release writes, unless it is played as another one.
    shutil.copy(repository / "fixtures/app-server/0.125.0/14a_web_search.jsonl", recording)
    own.write_text(own.read_text().replace('"Hello."', '"It is sunny."'))
    pytester.runpytest_subprocess().assert_outcomes(passed=3, failed=1)
    (older,) = re.findall("`codex_wire_stand_in\\((.*as_release=.*)\\)`", README)
    own.write_text(own.read_text().replace('"tests/recordings/run.jsonl"', older))
    pytester.runpytest_subprocess().assert_outcomes(passed=4)


def test_the_example_of_sessions(project: Path) -> None:
    example = block("python", "codex_wire.sessions(")
    assert ran(example).splitlines() == re.findall("^ *# (.*)$", example, re.M)


def test_all_names_are_listed() -> None:
    text = README.split("## From Python")[1].split("## pytest")[0]

    def listed(function: str) -> set[str]:
        (item,) = re.findall(f"^- `{function}`[^:]*:(.*?)(?=^- |^$)", text, re.M | re.S)
        return set(re.findall("`(\\w+)`", item))

    everywhere = {"cwd", "arguments"}
    assert listed("check") == codex_wire.CheckOptions.__optional_keys__ - everywhere
    assert listed("install_stand_in") == codex_wire.StandInOptions.__optional_keys__ - everywhere
    for function in codex_wire.schema, codex_wire.diff, codex_wire.table, codex_wire.usage:
        parameters = inspect.signature(function).parameters.values()
        assert listed(function.__name__) == {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - everywhere
    (members,) = re.findall("^A `Finding` has (.*?)\\.", text, re.M | re.S)
    names = set(re.findall("`(\\w+)`", members))
    assert names == {field.name for field in dataclasses.fields(codex_wire.Finding)}


def test_the_example_of_types(good: Path) -> None:
    with good.open("rb") as lines:
        done = subprocess.run(
            [sys.executable, "-c", block("python", "sys.stdin.buffer")],
            stdin=lines,
            capture_output=True,
            text=True,
            check=True,
        )
    assert "tokens" in done.stdout
    assert '"type":"turn.started"' in done.stdout
    assert "later release" not in done.stdout


def test_the_example_of_a_transcript(project: Path, repository: Path) -> None:
    clients = repository / "crates/codex-wire-cli/tests/clients/python-sdk/recordings"
    shutil.copy(clients / "0.169.0/thread/1.jsonl", project / "tests/recordings/run.jsonl")
    items = ran(block("python", "read_server_notification(line)")).splitlines()
    assert "text='It says: recorded.'" in items[-1]


def test_the_example_for_msgspec() -> None:
    text = README.split('pip install "codex-wire[msgspec]"')[1]
    found = re.search("```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    done = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, check=True)
    assert done.stdout == "t {'later': 1}\n"
