//! Outcomes built by hand.

use codex_wire::shape::Lifetime;
use codex_wire::{Protocol, Release};
use codex_wire_check::{Excerpt, Finding, Outcome, Place, ReleaseRange, Severity, Verdict, rules};
use codex_wire_report::{Format, Report, Settings, Styles, Totals};

/// A window whose offending part is the first occurrence of `part`.
pub(crate) fn excerpt(text: &str, part: &str) -> Excerpt {
    let start = text.find(part).unwrap();
    Excerpt {
        text: text.to_owned(),
        start,
        end: start + part.len(),
    }
}

pub(crate) fn unknown_value() -> Finding {
    let place = Place {
        line: 4,
        column: 97,
        offset: 412,
        length: 10,
        pointer: "/item/status".into(),
        message: Some(4),
    };
    let message = "`status` has the value `exploded`, which no release writes";
    Finding::new(&rules::UNKNOWN_VALUE, Severity::Deny, place, message)
        .with_help("known in 0.44.0: in_progress, completed, failed")
        .with_excerpt(excerpt(
            "…,\"exit_code\":0,\"status\":\"exploded\"}}",
            "\"exploded\"",
        ))
}

/// Wide characters, combining marks and characters that steer a terminal before the caret; a
/// line number of several digits.
pub(crate) fn wide() -> Finding {
    let place = Place {
        line: 1234,
        column: 60,
        offset: 98_765,
        length: 6,
        pointer: "/item/日本\u{1b}[31m".into(),
        message: Some(1230),
    };
    let message = "unknown member `日本\u{1b}[31m`";
    Finding::new(&rules::UNKNOWN_MEMBER, Severity::Warn, place, message)
        .with_releases(Lifetime {
            since: Some(Release::new(0, 51, 0)),
            until: None,
        })
        .with_excerpt(excerpt(
            "\u{1b}{\"e\u{301}\":\"中文\",\"日本\":1}",
            "\"日本\"",
        ))
}

/// A point at the end of the line, in no message.
pub(crate) fn cut() -> Finding {
    let place = Place {
        line: 7,
        column: 20,
        offset: 500,
        ..Place::default()
    };
    let text = "{\"type\":\"turn.star";
    Finding::new(
        &rules::CUT_LINE,
        Severity::Deny,
        place,
        "the last line is cut",
    )
    .with_excerpt(Excerpt {
        text: text.into(),
        start: text.len(),
        end: text.len(),
    })
}

pub(crate) fn note_without_excerpt() -> Finding {
    let place = Place {
        line: 1,
        column: 1,
        message: Some(1),
        ..Place::default()
    };
    Finding::new(&rules::MIXED_RELEASES, Severity::Note, place, "hand-made")
}

fn exec(path: &str, messages: u64, since: (u32, u32), until: (u32, u32)) -> Outcome {
    let mut outcome = Outcome::new(path);
    outcome.protocol = Some(Protocol::Exec);
    outcome.releases = Some(ReleaseRange {
        since: Release::new(0, since.0, since.1),
        until: Release::new(0, until.0, until.1),
    });
    outcome.messages = messages;
    outcome.verdict = Verdict::Conforms;
    outcome
}

/// Conforms to a stated release.
pub(crate) fn stated(path: &str, messages: u64) -> Outcome {
    exec(path, messages, (44, 0), (44, 0))
}

/// Conforms, as one of a range of releases.
pub(crate) fn identified(path: &str, messages: u64, since: u32, until: u32) -> Outcome {
    let mut outcome = exec(path, messages, (since, 0), (until, 0));
    outcome.identified = true;
    outcome
}

/// Has these findings, and `dropped` more at deny level.
pub(crate) fn with_findings(mut outcome: Outcome, findings: Vec<Finding>, dropped: u64) -> Outcome {
    for finding in &findings {
        outcome.counts.add(finding.severity);
    }
    outcome.counts.deny += dropped;
    outcome.findings = findings;
    if outcome.counts.deny > 0 {
        outcome.verdict = Verdict::Findings;
    }
    outcome
}

/// One of everything.
pub(crate) fn everything() -> Vec<Outcome> {
    vec![
        identified("fixtures/good.jsonl", 1_000_000, 44, 49),
        with_findings(
            identified("fixtures/x.jsonl", 1234, 44, 49),
            vec![unknown_value(), wide(), cut(), note_without_excerpt()],
            1204,
        ),
        identified("fixtures/new.jsonl", 12, 92, 169),
        Outcome::new("fixtures/empty.jsonl"),
        Outcome::unreadable("no\u{1b}where.jsonl", "no such file"),
        with_findings(identified("-", 1, 44, 49), vec![unknown_value()], 1),
    ]
}

/// A report of these outcomes.
pub(crate) fn render(format: Format, styles: Styles, outcomes: &[Outcome]) -> (String, Totals) {
    let mut out = Vec::new();
    let settings = Settings::new("codex-wire", "0.0.0").with_styles(styles);
    let mut report = Report::begin(format, settings, &mut out).unwrap();
    for outcome in outcomes {
        report.outcome(outcome).unwrap();
    }
    let totals = report.finish().unwrap();
    (String::from_utf8(out).unwrap(), totals)
}
