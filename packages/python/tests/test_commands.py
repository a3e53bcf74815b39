"""The functions, with the program that is installed."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import codex_wire
from codex_wire import _program, difference, identification, report, session


def test_a_recording_conforms(good: Path) -> None:
    checked = codex_wire.check(good)
    assert checked.conforms
    assert list(checked.findings()) == []
    assert checked.totals.messages > 0
    assert checked.inputs[0].protocol == "exec"


def test_a_finding_is_data_and_names_its_input(bad: Path) -> None:
    checked = codex_wire.check(str(bad), release="0.125.0", protocol="exec")
    assert not checked.conforms
    finding = next(checked.findings())
    assert finding.rule == "schema/unknown-value"
    assert finding.path == str(bad)
    assert finding.pointer == "/item/status"
    assert finding.excerpt is not None
    line = bad.read_text(encoding="utf-8").splitlines()[finding.line - 1]
    assert line[finding.column - 1 :].startswith('"exploded"')
    # The text is what people read: the excerpt, the place in the message, and what would be right.
    printed = subprocess.run(
        [str(codex_wire.find_program()), "check", "--release", "0.125.0", "--protocol", "exec", str(bad)],
        capture_output=True,
        check=False,
    )
    assert str(checked) == printed.stdout.decode("utf-8").strip()
    assert "^^^" in str(checked) and "at /item/status" in str(checked)


def test_options_reach_the_program(bad: Path) -> None:
    allowed = codex_wire.check(bad, allow=["schema/unknown-value"], arguments=["--threads", "1"])
    assert allowed.conforms
    warned = codex_wire.check(bad, warn=["schema/*"])
    assert {finding.severity for finding in warned.findings()} == {"warning"}
    assert codex_wire.check(bad, max_findings=0).inputs[0].dropped > 0
    assert codex_wire.check(bad.name, cwd=bad.parent).inputs[0].path == bad.name


def test_an_unknown_option_is_refused(good: Path, tmp_path: Path) -> None:
    misspelt: Any = {"relase": "0.44.0"}
    with pytest.raises(TypeError, match="^unknown option 'relase'; did you mean 'release'\\?$"):
        codex_wire.check(good, **misspelt)
    with pytest.raises(TypeError, match="did you mean 'release'"):
        list(codex_wire.iter_findings(good, **misspelt))
    faults: Any = {"fault": ["turn-fails"]}
    with pytest.raises(TypeError, match="^unknown option 'fault'; did you mean 'faults'\\?$"):
        codex_wire.install_stand_in(tmp_path, good, **faults)
    assert list(tmp_path.iterdir()) == []
    strange: Any = {"x": 1}
    with pytest.raises(TypeError, match="^unknown option 'x'; the options are .*, release, "):
        codex_wire.check(good, **strange)


def test_an_input_without_messages_is_in_the_report(good: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    for source, path in ([], "-"), ("empty.jsonl", "empty.jsonl"):
        checked = codex_wire.check(source, cwd=tmp_path)
        assert [i.verdict for i in checked.inputs] == ["not-exercised"]
        assert not checked.conforms
        said = f"{path}: holds no messages, so nothing was checked"
        assert said.replace("-:", "<stdin>:") in str(checked)
        # There is no report that could say it.
        with pytest.raises(codex_wire.CodexWireError) as caught:
            list(codex_wire.iter_findings(source, cwd=tmp_path))
        assert (str(caught.value), caught.value.exit_code) == (said, 2)
    assert list(codex_wire.iter_findings(good, tmp_path / "empty.jsonl")) == []


def test_lines_are_one_input(good: Path, bad: Path) -> None:
    text = good.read_text(encoding="utf-8").splitlines()
    assert codex_wire.check(text).conforms
    assert codex_wire.check(good.read_bytes().splitlines(keepends=True)).conforms
    with bad.open("rb") as file:
        assert not codex_wire.check(file).conforms
    assert {finding.path for finding in codex_wire.check(iter(text[:2]), good).findings()} == {"-"}


def test_what_is_neither_path_nor_lines_is_refused(good: Path) -> None:
    paths: Any = [good]
    with pytest.raises(TypeError, match="several arguments"):
        codex_wire.check(paths)
    data: Any = good.read_bytes()
    with pytest.raises(TypeError, match="splitlines"):
        codex_wire.check(data)
    numbers: Any = iter([1])
    decoded: Any = (json.loads(line) for line in good.read_bytes().splitlines())
    with pytest.raises(TypeError, match="^a line is str or bytes, not dict$"):
        codex_wire.check(decoded)
    with pytest.raises(TypeError, match="^a line is str or bytes, not int$"):
        list(codex_wire.iter_findings(numbers))
    message: Any = {"type": "turn.started"}
    with pytest.raises(TypeError, match="a mapping is not a transcript"):
        codex_wire.check(message)
    text = good.read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="^text with a line feed is not a path: give `io.StringIO\\(text\\)`$"):
        codex_wire.check(text)
    assert codex_wire.check(io.StringIO(text)).conforms
    with pytest.raises(TypeError, match="only one"):
        codex_wire.check([""], [""])
    with pytest.raises(TypeError, match="give a path"):
        codex_wire.check()


def test_a_name_that_looks_like_an_option_is_a_path(good: Path, tmp_path: Path) -> None:
    (tmp_path / "--help").write_bytes(good.read_bytes())
    assert codex_wire.check("--help", cwd=tmp_path).conforms


def test_what_could_not_be_checked_is_an_exception(good: Path, tmp_path: Path) -> None:
    with pytest.raises(codex_wire.CheckError, match="nothere") as caught:
        codex_wire.check(good, tmp_path / "nothere.jsonl")
    assert caught.value.exit_code == 2
    assert [i.verdict for i in caught.value.report.inputs] == ["conforms", "unreadable"]
    assert not caught.value.report.conforms
    with pytest.raises(codex_wire.CodexWireError, match="9.x"):
        codex_wire.check(good, release="9.x")
    with pytest.raises(codex_wire.CodexWireError):
        list(codex_wire.iter_findings(tmp_path / "nothere.jsonl"))


def test_findings_are_yielded(bad: Path) -> None:
    lines = bad.read_text(encoding="utf-8").splitlines()
    expected = [dataclasses.replace(f, path="-") for f in codex_wire.check(bad).findings()]
    assert list(codex_wire.iter_findings(lines)) == expected
    assert list(codex_wire.iter_findings(bad)) == list(codex_wire.check(bad).findings())


def test_a_reader_may_stop(bad: Path) -> None:
    findings = codex_wire.iter_findings(*[bad] * 5000, arguments=["--threads", "1"])
    assert next(findings).rule
    findings.close()
    assert list(findings) == []


def test_what_the_iterator_raises_is_raised() -> None:
    def broken() -> Iterator[str]:
        yield '{"type":"turn.started"}'
        raise ValueError("from the caller")

    with pytest.raises(ValueError, match="from the caller"):
        list(codex_wire.iter_findings(broken()))


def test_a_program_that_gives_up_does_not_wait_for_lines() -> None:
    is_over = threading.Event()

    def waiting() -> Iterator[str]:
        is_over.wait(60)
        yield "{}"

    begun = time.monotonic()
    with pytest.raises(codex_wire.CodexWireError, match="walrus"):
        list(codex_wire.iter_findings(waiting(), protocol="walrus"))
    assert time.monotonic() - begun < 30
    is_over.set()


def test_identify(good: Path, tmp_path: Path) -> None:
    found = codex_wire.identify(good).inputs[0]
    assert found.kind == "identified"
    assert found.protocol == "exec"
    assert found.releases is not None and found.releases.ranges[0].since == "0.125.0"
    assert found.evidence[0].releases.count > 0
    (tmp_path / "plain.jsonl").write_text("hello\n")
    with pytest.raises(codex_wire.IdentifyError, match="plain.jsonl") as caught:
        codex_wire.identify(tmp_path / "plain.jsonl")
    assert caught.value.identification.inputs[0].kind == "unknown"


def test_what_the_program_remarks_is_a_warning(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CI systems ask for colors, also where there is no terminal.
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    said = r"^0\.1250\.0 is newer than .*, the newest known release; using "
    with pytest.warns(codex_wire.CodexWireWarning, match=said) as caught:
        codex_wire.check(good, release="0.1250.0")
        list(codex_wire.iter_findings(good, release="0.1250.0", protocol="exec"))
        codex_wire.diff("exec", "0.124.0", "0.1250.0")
        codex_wire.schema("exec", release="0.1250.0")
    # Each at the line that called.
    lines = {warning.lineno for warning in caught}
    assert {warning.filename for warning in caught} == {__file__} and len(lines) == len(caught) == 4


def test_what_is_no_warning(good: Path, tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(good.read_bytes())
    (tmp_path / "server.log").write_text("started\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The report has what was not read.
        assert [skipped.path for skipped in codex_wire.check(tmp_path).skipped]
        assert [skipped.path for skipped in codex_wire.identify(tmp_path).skipped]
        codex_wire.install_stand_in(tmp_path / "bin", good)


def test_a_remark_about_a_stand_in_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "codex-wire: 9.9.9 is newer\ncodex-wire: bin/codex plays a script as Codex 0.169.0\n"
    monkeypatch.setattr("codex_wire._program.run_any", lambda *_, **__: ("", said, 0))
    with pytest.warns(codex_wire.CodexWireWarning) as caught:
        codex_wire.install_stand_in(tmp_path, script="s.toml", release="9.9.9")
    assert [str(warning.message) for warning in caught] == ["9.9.9 is newer"]


def test_schema() -> None:
    exact = codex_wire.schema("exec", release="0.44.0", profile="exact")
    assert "2020-12" in exact["$schema"]
    assert "draft-07" in codex_wire.schema("exec", draft="draft-07")["$schema"]
    assert exact != codex_wire.schema("exec", all_releases=True)
    with pytest.raises(codex_wire.CodexWireError, match="tcp"):
        codex_wire.schema("tcp")


def test_diff() -> None:
    found = codex_wire.diff("exec", "0.43.0", "0.44.0")
    assert found.totals.breaking == len(list(found.breaking())) > 0
    judgement = next(found.breaking()).judgements[0]
    assert judgement.counterexample is not None and judgement.counterexample.value
    assert str(found) == (
        "breaking  ThreadItem: variant renamed: `assistant_message` → `agent_message`\n"
        "breaking  ThreadItem: tag renamed: `item_type` → `type`\n"
        "0.43.0 → 0.44.0: 2 breaking"
    )
    # It says the same as the program, which also proves it.
    printed = subprocess.run(
        [str(codex_wire.find_program()), "diff", "exec", "0.43.0", "0.44.0"], capture_output=True, check=True
    )
    for change in found.differences:
        assert str(change) in printed.stdout.decode("utf-8")
    assert str(codex_wire.diff("exec", "0.44.0", "0.44.0")) == "0.44.0 → 0.44.0: no difference"
    one = dataclasses.replace(found, hidden=difference.Hidden(0, 2, 0, 1, 0), unlisted=3, left_out=("x",))
    assert str(one).endswith(
        "\nnot shown: 2 maybe, 1 compatible\n3 more changes are not listed\nnot compared: x"
    )


def test_diff_of_some_changes() -> None:
    releases = ("exec", "0.44.0", "0.169.0")
    found = codex_wire.diff(*releases)
    worst = codex_wire.diff(*releases, only="breaking", side="codex")
    assert 0 < len(worst.differences) < len(found.differences)
    assert {change.verdict for change in worst.differences} == {"breaking"}
    both = codex_wire.diff(*releases, only=["breaking", "maybe"])
    assert {change.verdict for change in both.differences} == {"breaking", "maybe"}
    turns = codex_wire.diff(*releases, message=["turn.completed", "turn.f*"])
    names = {name.name for change in turns.differences for name in change.messages}
    assert "turn.completed" in names and not turns.differences == found.differences
    assert codex_wire.diff(*releases, side="client").differences == ()


def test_diff_of_a_transcript(good: Path) -> None:
    found = codex_wire.diff_transcript(good, to="0.169.0", from_release="0.125.0")
    assert (found.to, found.transcript.release, found.transcript.protocol) == ("0.169.0", "0.125.0", "exec")
    messages = len(good.read_bytes().splitlines())
    assert (found.transcript.inputs, found.transcript.messages) == (1, messages)
    assert sum(kind.lines for kind in found.transcript.kinds) == messages
    assert found.unmatched.count == len(found.unmatched.lines) > 0
    assert found.unmatched.lines[0].rule.startswith("schema/")
    whole = codex_wire.diff("exec", "0.125.0", "0.169.0")
    assert 0 < len(found.differences.differences) < len(whole.differences)
    text = good.read_text(encoding="utf-8").splitlines()
    of_lines = codex_wire.diff_transcript(
        text, to="0.169.0", from_release="0.125.0", protocol="exec", only="breaking"
    )
    assert of_lines.unmatched.count == found.unmatched.count
    assert {change.verdict for change in of_lines.differences.differences} <= {"breaking"}


def test_a_stream_is_compared_with_its_session_file(repository: Path) -> None:
    run = repository / "fixtures/rollout/0.169.0/commands"
    stream = (run / "exec-1.jsonl").read_bytes().splitlines()
    assert codex_wire.check(stream, release="0.169.0", with_rollout=run / "home").conforms
    less = [line for line in stream if b"command_execution" not in line]
    alone = codex_wire.check(less, release="0.169.0")
    assert "with-rollout/item-added" not in {finding.rule for finding in alone.findings()}
    found = codex_wire.check(less, release="0.169.0", with_rollout=[run / "home"])
    assert "with-rollout/item-added" in {finding.rule for finding in found.findings()}


def test_what_a_hook_prints_is_checked(tmp_path: Path) -> None:
    asked = codex_wire.CheckOptions(protocol="hooks", event="PreToolUse", side="hook", release="0.169.0")
    denies = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":%s}}'
    wrong = codex_wire.check([denies % '"never"'], **asked)
    assert not wrong.conforms
    # An exit status of 2 blocks, and Codex wants to read why on standard error.
    reason, silent = tmp_path / "reason", tmp_path / "silent"
    reason.write_text("not here")
    silent.touch()
    for file, errors in (reason, 0), (silent, 1):
        blocked: codex_wire.CheckOptions = {**asked, "exit_status": 2, "stderr": file}
        assert codex_wire.check([], **blocked).totals.error == errors
    # As `subprocess` says it of a hook that a signal ended.
    ended: codex_wire.CheckOptions = {**asked, "exit_status": -9}
    assert codex_wire.check([], **ended).totals.error == 1


@pytest.mark.parametrize(
    ("classes", "file", "root", "differs"),
    [
        # The path of a finding stands in its input. The text is another report of the same check.
        (report, "report.json", "Report", {("Finding", "path"), ("Report", "text")}),
        (difference, "diff.json", "Diff", set()),
        # `Skipped` and `ReleaseRange` are those of reports.
        (identification, "identification.json", "Identification", set()),
    ],
)
def test_the_classes_are_what_the_schemas_say(
    repository: Path, classes: Any, file: str, root: str, differs: set[tuple[str, str]]
) -> None:
    schema = json.loads((repository / "schemas" / file).read_text(encoding="utf-8"))
    named = {"Difference": "Change"}
    objects: dict[str, Any] = {root: schema} | {n: d for n, d in schema["$defs"].items() if "properties" in d}
    if root == "Diff":
        objects["DiffTotals"] = schema["properties"]["totals"]
        objects["Hidden"] = schema["properties"]["hidden"]
        difference_members = schema["$defs"]["Difference"]["properties"]
        objects["MessageName"] = difference_members["messages"]["items"]
        judgement = schema["$defs"]["Judgement"]["properties"]
        objects["Counterexample"] = judgement["counterexample"]["anyOf"][0]
    assert len(objects) > 5
    for name, definition in objects.items():
        cls = getattr(classes, named.get(name, name))
        fields = {(name, f.name) for f in dataclasses.fields(cls)}
        assert fields - differs == {(name, p) for p in definition["properties"]}, name
        defaults = {(name, f.name) for f in dataclasses.fields(cls) if f.default is not dataclasses.MISSING}
        optional = {field for _, field in defaults - differs}
        assert optional == set(definition["properties"]) - set(definition["required"]), name


def test_a_session_is_read_from_each_surface(repository: Path) -> None:
    run = repository / "fixtures/rollout/0.169.0/commands"
    for source in run / "exec-1.jsonl", run / "home":
        (read,) = codex_wire.sessions(source)
        items = read.threads[0].turns[0].items
        commands = [item for item in items if isinstance(item, session.Command)]
        assert commands and commands[0].exit_code == 0 and commands[0].status == "completed"
        assert any(isinstance(item, session.Message) and item.role == "assistant" for item in items)
        # What it does not hold is absent, and no empty list is `None`.
        assert read.unread == () and items[0].duration_ms is None
    lines = (run / "exec-1.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(read.source, read.protocol) for read in codex_wire.sessions(lines)] == [("-", "exec")]
    fixtures = repository / "fixtures"
    surfaces = [
        ("app-server", fixtures / "rollout/0.169.0/i_turns/app-server-1.jsonl"),
        ("rollout", fixtures / "rollout/0.169.0/i_turns/home"),
        ("core", fixtures / "core/0.21.0/exec_approved.jsonl"),
        ("exec", fixtures / "exec-legacy/0.22.0/command_ok.jsonl"),
    ]
    for protocol, source in surfaces:
        (read,) = codex_wire.sessions(source)
        assert isinstance(read, session.Session) and read.protocol == protocol
        turn = read.threads[0].turns[0]
        assert isinstance(turn, session.Turn) and turn.lines.from_ >= 1
        assert turn.items and all(dataclasses.is_dataclass(item) for item in turn.items)
    with pytest.raises(codex_wire.CodexWireError) as raised:
        list(codex_wire.sessions(["no message"]))
    assert raised.value.exit_code == 2


def test_every_kind_of_item_is_a_class(repository: Path) -> None:
    fixtures = repository / "fixtures"
    homes = sorted(fixtures.glob("rollout/*/*/home"))
    kinds = set[str]()
    for read in codex_wire.sessions(fixtures / "app-server/0.169.0", *homes):
        for thread in read.threads:
            for item in [*thread.outside, *(item for turn in thread.turns for item in turn.items)]:
                assert dataclasses.is_dataclass(item)
                kinds.add(item.type)
    assert len(kinds) > 15


# Codex was stopped before it wrote what the last answer of these cost.
STOPPED = {"0.44.0/interrupted", "0.44.0/killed", "0.147.0/killed"}


def test_usage_is_what_the_model_returned(repository: Path) -> None:
    corpus = repository / "fixtures/accounting"
    bill: dict[str, int] = {}
    for model in corpus.glob("*/*/model.jsonl"):
        answers = [json.loads(line) for line in model.read_text(encoding="utf-8").splitlines()]
        if model.parent.relative_to(corpus).as_posix() in STOPPED:
            answers.pop()
        for answer in answers:
            bill[answer["thread"]] = bill.get(answer["thread"], 0) + answer["total"]
    assert len(bill) > 150
    with warnings.catch_warnings():
        # What is not read: the bill itself.
        warnings.simplefilter("ignore", codex_wire.CodexWireWarning)
        used = codex_wire.usage(corpus, by="thread")
    rows = {row.keys[0]: row.tokens.total for row in used.rows}
    assert {thread: rows.get(thread) for thread in bill} == bill
    assert used.total.tokens.total == sum(bill.values())


def test_usage_has_the_options_of_the_program(repository: Path) -> None:
    run = repository / "fixtures/rollout/0.169.0/commands/home"
    where = ["status=completed", "tokens>0"]
    used = codex_wire.usage(run, by=["model", "status"], where=where, top=1, cost=True, utc=True)
    assert used.by == ("model", "status")
    assert [row.keys[1] for row in used.rows] == ["completed"]
    assert used.prices is not None and used.total.cost is not None
    with pytest.raises(codex_wire.UsageError) as raised:
        codex_wire.usage(["no message"])
    assert raised.value.usage.inputs == 0


def test_a_stand_in_records_and_logs_its_faults(good: Path, tmp_path: Path) -> None:
    log, record = tmp_path / "faults.log", tmp_path / "record.jsonl"
    codex = codex_wire.install_stand_in(tmp_path / "bin", good, faults="turn-fails", fault_log=log, record=record)
    subprocess.run([str(codex), "exec", "--json", "Do it."], capture_output=True, check=False, cwd=tmp_path)
    assert "turn-fails" in log.read_text(encoding="utf-8")
    assert codex_wire.identify(record).inputs[0].protocol == "exec"


def test_an_unknown_kind_stays_what_it_is() -> None:
    from codex_wire._decode import decode

    told = {"type": "message", "role": "user", "text": "Hi.", "lines": {"from": 1, "to": 1}}
    turn = {"lines": {"from": 1, "to": 2}, "status": "completed", "items": [told, {"type": "later", "x": 1}]}
    items: tuple[Any, ...] = decode(session.Turn, turn).items
    known, unknown = items
    assert isinstance(known, session.Message) and known.text == "Hi."
    assert unknown == {"type": "later", "x": 1}


def test_what_a_later_version_adds_is_left_out(bad: Path) -> None:
    from codex_wire._decode import decode

    assert decode(report.Tool, {"name": "codex-wire", "version": "9.0.0", "built": 2030}).version


def test_a_wheel_without_the_program_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_WIRE_PROGRAM", str(tmp_path / "nothing"))
    with pytest.raises(codex_wire.ProgramNotFound, match="CODEX_WIRE_PROGRAM"):
        codex_wire.check("x.jsonl")
    monkeypatch.delenv("CODEX_WIRE_PROGRAM")
    monkeypatch.setattr("codex_wire._program._script_folders", lambda: iter([tmp_path]))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(codex_wire.ProgramNotFound, match="wheel without it.*cargo install --locked --git https://"):
        codex_wire.check("x.jsonl")


def test_another_program_can_be_named_by_a_relative_path(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = codex_wire.find_program()
    with monkeypatch.context() as patch:
        patch.setenv("CODEX_WIRE_PROGRAM", os.path.join(".", program.name))
        patch.chdir(program.parent)
        assert codex_wire.check(good).conforms
        assert codex_wire.check(good.name, cwd=good.parent).conforms
        assert _program.find_table_program().is_absolute()


def test_the_module_is_the_program(bad: Path) -> None:
    command = [sys.executable, "-m", "codex_wire", "check", str(bad)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 1
    assert "schema/unknown-value" in done.stdout


def test_a_stand_in_plays_a_recording(good: Path, tmp_path: Path) -> None:
    codex = codex_wire.install_stand_in(tmp_path / "bin", good, release="0.125.0")
    done = subprocess.run(
        [str(codex), "exec", "--json", "Do it."], capture_output=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert codex_wire.check(done.stdout.splitlines(), release="0.125.0").conforms
    assert len(done.stdout.splitlines()) == len(good.read_bytes().splitlines())
    failing = codex_wire.install_stand_in(tmp_path / "failing", good, faults="turn-fails")
    done = subprocess.run([str(failing), "exec", "--json", "Do it."], capture_output=True, check=False)
    assert b'"turn.failed"' in done.stdout
    with pytest.raises(codex_wire.CodexWireError, match="no-such"):
        codex_wire.install_stand_in(tmp_path / "other", good, faults=["no-such"])
    several: Any = [good]
    with pytest.raises(TypeError, match="recordings are paths"):
        codex_wire.install_stand_in(tmp_path / "other", several)
