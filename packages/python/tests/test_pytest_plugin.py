"""The plugin of pytest, in projects made for a test."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import codex_wire

CONFIGURED = '[tool.pytest.ini_options]\ncodex_wire_recordings = ["tests/recordings"]\n'


@pytest.fixture
def project(pytester: pytest.Pytester, good: Path) -> Path:
    """A project with a test and a recording."""
    recordings = pytester.path / "tests/recordings/exec"
    recordings.mkdir(parents=True)
    shutil.copy(good, recordings / "good.jsonl")
    (recordings / "history.jsonl").write_text('{"session_id":"a","ts":1,"text":"Hello."}\n')
    (recordings / "manifest.json").write_text("{}\n")
    (pytester.path / "tests/test_own.py").write_text("def test_own(): pass\n")
    (pytester.path / "pyproject.toml").write_text(CONFIGURED)
    return pytester.path


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_each_recording_is_a_test(pytester: pytest.Pytester, project: Path, bad: Path) -> None:
    shutil.copy(bad, project / "tests/recordings/bad.jsonl")
    result = run(pytester, "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "tests/recordings/bad.jsonl::conforms FAILED*",
            "tests/recordings/exec/good.jsonl::conforms PASSED*",
            "*schema/unknown-value* tests/recordings/bad.jsonl:*",
        ]
    )
    assert "Traceback" not in result.stdout.str()


@pytest.mark.skipif(sys.platform == "win32", reason="the program in between is a script of a shell")
def test_one_process_checks_all(
    pytester: pytest.Pytester, project: Path, good: Path, bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, program = pytester.path / "processes.log", pytester.path / "counted.sh"
    program.write_text(f'#!/bin/sh\necho "$#" >> "{log}"\nexec "{codex_wire.find_program()}" "$@"\n')
    program.chmod(0o755)
    for number in range(20):
        shutil.copy(good, project / f"tests/recordings/{number}.jsonl")
    monkeypatch.setenv("CODEX_WIRE_PROGRAM", str(program))
    run(pytester).assert_outcomes(passed=22)
    assert len(log.read_text().splitlines()) == 1
    # One is broken, one has no last line, one cannot be read: each of these is checked again by itself.
    shutil.copy(bad, project / "tests/recordings/3.jsonl")
    lines = good.read_text(encoding="utf-8").splitlines(keepends=True)
    (project / "tests/recordings/4.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    (project / "tests/recordings/5.jsonl").write_text("no transcript\n", encoding="utf-8")
    run(pytester).assert_outcomes(passed=20, failed=2, warnings=1)
    assert len(log.read_text().splitlines()) == 1 + 4


def test_one_recording_can_be_chosen(pytester: pytest.Pytester, project: Path) -> None:
    run(pytester, "tests/recordings/exec/good.jsonl").assert_outcomes(passed=1)
    run(pytester, "tests/test_own.py").assert_outcomes(passed=1)
    run(pytester, "-k", "good").assert_outcomes(passed=1, deselected=1)


def test_recordings_elsewhere_are_found(pytester: pytest.Pytester, project: Path) -> None:
    (project / "unit").mkdir()
    (project / "tests/test_own.py").rename(project / "unit/test_own.py")
    (project / "pyproject.toml").write_text(CONFIGURED + 'testpaths = ["unit"]\n')
    run(pytester).assert_outcomes(passed=2)


def test_the_option_adds_a_folder(pytester: pytest.Pytester, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    run(pytester).assert_outcomes(passed=1)
    good = project / "tests/recordings/exec/good.jsonl"
    shutil.copy(good, good.with_suffix(".log"))
    run(pytester, "--codex-wire-recordings", "tests/recordings").assert_outcomes(passed=2)
    named = ["--codex-wire-recordings", "tests/recordings/exec/good.jsonl", "tests/test_own.py"]
    run(pytester, *named).assert_outcomes(passed=2)


def test_a_folder_without_recordings_is_an_error(pytester: pytest.Pytester, project: Path) -> None:
    (project / "tests/recordings/exec/good.jsonl").unlink()
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no recordings in *recordings"])


def test_a_recording_may_have_the_name_of_what_codex_keeps(
    pytester: pytest.Pytester, project: Path, good: Path
) -> None:
    shutil.copy(good, project / "tests/recordings/history.jsonl")
    shutil.copy(good, project / "tests/recordings/session_index.jsonl")
    members = "schema_version seq wall_time_unix_ms rollout_id thread_id codex_turn_id payload".split()
    trace = json.dumps(dict.fromkeys(members))
    (project / "tests/recordings/trace.jsonl").write_text(trace + "\n")
    run(pytester).assert_outcomes(passed=4)


def test_a_recording_without_messages_fails(pytester: pytest.Pytester, project: Path) -> None:
    (project / "tests/recordings/exec/good.jsonl").write_text("")
    run(pytester).assert_outcomes(passed=1, failed=1)


def test_what_conforms_with_a_warning_is_a_warning(pytester: pytest.Pytester, project: Path) -> None:
    good = project / "tests/recordings/exec/good.jsonl"
    lines = good.read_text(encoding="utf-8").splitlines(keepends=True)
    good.write_text("".join(lines[:-1]), encoding="utf-8")
    result = run(pytester)
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "tests/recordings/exec/good.jsonl::conforms",
            f"  tests/recordings/exec/good.jsonl:{len(lines) - 1}:*: RecordingWarning: sequence/exec-unfinished: *",
        ]
    )
    # What Codex wrote is not shown.
    assert "item.completed" not in result.stdout.str()
    failed = run(pytester, "-W", "error::codex_wire.RecordingWarning")
    failed.assert_outcomes(passed=1, failed=1)
    failed.stdout.fnmatch_lines(["warning?sequence/exec-unfinished? *", "The filters of warnings make an error of *"])
    settings = 'filterwarnings = ["error::codex_wire.RecordingWarning"]\n'
    (project / "pyproject.toml").write_text(CONFIGURED + settings)
    run(pytester).assert_outcomes(passed=1, failed=1)
    settings = 'codex_wire_arguments = ["--deny", "sequence/exec-unfinished"]\n'
    (project / "pyproject.toml").write_text(CONFIGURED + settings)
    run(pytester).assert_outcomes(passed=1, failed=1)


def test_a_rule_is_one_warning_of_a_recording(pytester: pytest.Pytester, project: Path) -> None:
    good = project / "tests/recordings/exec/good.jsonl"
    text = good.read_text(encoding="utf-8")
    good.write_text(text.replace('{"type":', '{"later":1,"type":'), encoding="utf-8")
    (report,) = [codex_wire.check(good)]
    assert report.conforms and report.totals.warning == text.count('{"type":') > 1
    result = run(pytester)
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines([f"*:1:*: RecordingWarning: schema/*(and {report.totals.warning - 1} more)"])
    settings = 'codex_wire_arguments = ["--max-findings", "0"]\n'
    (project / "pyproject.toml").write_text(CONFIGURED + settings)
    run(pytester).stdout.fnmatch_lines([f"*RecordingWarning: {report.totals.warning} more warnings are not listed"])


def test_what_is_expected_is_no_warning(pytester: pytest.Pytester, project: Path) -> None:
    good = project / "tests/recordings/exec/good.jsonl"
    text = good.read_text(encoding="utf-8")
    good.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    entry = {
        "rule": "sequence/exec-unfinished",
        "path": "tests/recordings/exec/good.jsonl",
        "message": next(codex_wire.check(good).findings()).message,
        "reason": "cut",
    }
    known = "".join(f'{key} = "{value}"\n' for key, value in entry.items())
    (project / "known.toml").write_text(f"[[expected]]\n{known}")
    (project / "pyproject.toml").write_text(CONFIGURED + 'codex_wire_arguments = ["--baseline", "known.toml"]\n')
    run(pytester).assert_outcomes(passed=2, warnings=0)


def test_a_release_that_is_not_known_is_a_warning(pytester: pytest.Pytester, project: Path) -> None:
    arguments = 'codex_wire_arguments = ["--release", "0.1250.0", "--allow", "*"]\n'
    (project / "pyproject.toml").write_text(CONFIGURED + arguments)
    result = run(pytester)
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*CodexWireWarning: 0.1250.0 is newer than *; using *"])
    run(pytester, "-W", "error::codex_wire.CodexWireWarning").assert_outcomes(passed=1, failed=1)


def test_the_settings_of_the_project_count(pytester: pytest.Pytester, project: Path, bad: Path) -> None:
    shutil.copy(bad, project / "tests/recordings/bad.jsonl")
    run(pytester).assert_outcomes(passed=2, failed=1)
    (project / "codex-wire.toml").write_text('[levels]\n"schema/unknown-value" = "allow"\n')
    run(pytester).assert_outcomes(passed=3)


def test_the_fixtures_are_described(pytester: pytest.Pytester, project: Path) -> None:
    said = run(pytester, "--fixtures").stdout.str()
    assert "plays recordings or a script, and returns its path.\n" in said
    # pytest prints the first paragraph: an example behind it would be missing.
    assert "path::\n" not in said


def test_arguments_reach_the_check(pytester: pytest.Pytester, project: Path, bad: Path) -> None:
    shutil.copy(bad, project / "tests/recordings/bad.jsonl")
    arguments = "codex_wire_arguments = [\"--allow\", \"schema/unknown-value\"]\n"
    (project / "pyproject.toml").write_text(CONFIGURED + arguments)
    run(pytester).assert_outcomes(passed=3)


def test_the_fixture_lists_recordings(pytester: pytest.Pytester, project: Path) -> None:
    (project / "tests/test_own.py").write_text(
        "def test_own(codex_wire_recordings):\n"
        "    assert [path.name for path in codex_wire_recordings] == ['good.jsonl']\n"
    )
    run(pytester).assert_outcomes(passed=2)


def test_the_stand_in_is_a_fixture(pytester: pytest.Pytester, project: Path) -> None:
    (project / "tests/test_own.py").write_text(
        "import subprocess\n"
        "def test_own(codex_wire_stand_in):\n"
        "    codex = codex_wire_stand_in('tests/recordings/exec/good.jsonl', release='0.125.0')\n"
        "    assert codex.stem == 'codex'\n"
        "    said = subprocess.run([codex, '--version'], capture_output=True, text=True)\n"
        "    assert '0.125.0' in said.stdout\n"
        "def test_misspelt(codex_wire_stand_in):\n"
        "    codex_wire_stand_in('tests/recordings/exec/good.jsonl', fault=['turn-fails'])\n"
    )
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*TypeError: unknown option 'fault'; did you mean 'faults'?"])


def test_a_stand_in_plays_a_script(pytester: pytest.Pytester, project: Path) -> None:
    (project / "tests/hello.toml").write_text('[[step]]\nsay = "Hello."\n')
    (project / "tests/test_own.py").write_text(
        "import subprocess\n"
        "import codex_wire\n"
        "def said(codex):\n"
        "    run = [str(codex), 'exec', '--json', 'Hi.']\n"
        "    return subprocess.run(run, capture_output=True, text=True).stdout\n"
        "def test_own(codex_wire_stand_in: codex_wire.StandIn, monkeypatch):\n"
        "    monkeypatch.chdir('tests')\n"
        "    newest = said(codex_wire_stand_in(script='tests/hello.toml'))\n"
        "    assert '\"text\":\"Hello.\"' in newest and 'cache_write_input_tokens' in newest\n"
        "    older = said(codex_wire_stand_in(script='tests/hello.toml', release='0.98.0'))\n"
        "    assert '\"text\":\"Hello.\"' in older and 'cache_write_input_tokens' not in older\n"
        "def test_a_recording_is_played_as_it_is(codex_wire_stand_in):\n"
        "    recording = 'tests/recordings/exec/good.jsonl'\n"
        "    lines = said(codex_wire_stand_in(recording))\n"
        "    other = codex_wire_stand_in(recording, release='0.98.0')\n"
        "    assert said(other).splitlines()[1:] == lines.splitlines()[1:]\n"
        "    assert said(codex_wire_stand_in(recording, as_release='0.98.0')) != lines\n"
    )
    run(pytester).assert_outcomes(passed=3)
