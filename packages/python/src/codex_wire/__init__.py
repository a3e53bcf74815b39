"""Checks Codex transcripts against the protocol of any Codex release, reads them, and plays them to clients.

The functions run the program `codex-wire`, which the wheels of most platforms contain::

    report = codex_wire.check("tests/recordings")
    assert report.conforms, str(report)

Findings are data. `CodexWireError` says that something could not be checked or done.
"""

from typing import TYPE_CHECKING

from codex_wire._commands import (
    CheckError,
    CheckOptions,
    IdentifyError,
    StandIn,
    StandInOptions,
    UsageError,
    check,
    diff,
    diff_transcript,
    identify,
    install_stand_in,
    iter_findings,
    schema,
    sessions,
    usage,
)
from codex_wire._fault_tests import test_faults
from codex_wire._program import (
    CodexWireError,
    CodexWireWarning,
    Line,
    ProgramNotFound,
    RecordingWarning,
    Source,
    find_program,
)
from codex_wire._table import TableName, Transcript, table
from codex_wire.client_log import ClientEvent
from codex_wire.difference import Diff, TranscriptDiff
from codex_wire.double import Double, FakeCodex, FakeCodexOptions, fake_codex
from codex_wire.identification import Identification
from codex_wire.report import Finding, Report
from codex_wire.session import Session
from codex_wire.usage import Usage

__all__ = [
    "CheckError",
    "CheckOptions",
    "ClientEvent",
    "CodexWireError",
    "CodexWireWarning",
    "Diff",
    "Double",
    "FakeCodex",
    "FakeCodexOptions",
    "Finding",
    "Identification",
    "IdentifyError",
    "Line",
    "ProgramNotFound",
    "RecordingWarning",
    "Report",
    "Session",
    "Source",
    "StandIn",
    "StandInOptions",
    "TableName",
    "Transcript",
    "TranscriptDiff",
    "Usage",
    "UsageError",
    "check",
    "diff",
    "diff_transcript",
    "fake_codex",
    "find_program",
    "identify",
    "install_stand_in",
    "iter_findings",
    "schema",
    "sessions",
    "table",
    "test_faults",
    "usage",
]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """The version is looked up when it is asked for: that takes longer than the rest."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        return version("codex-wire")
