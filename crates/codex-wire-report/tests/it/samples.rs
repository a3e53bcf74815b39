//! Outcomes built by hand.

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_check::baseline::{Expected, Stale, Why};
use codex_wire_check::finding::Earlier;
use codex_wire_check::{
    Characters, Excerpt, Finding, Location, Outcome, ReleaseRange, Rule, SchemaUsed, Severity,
    Verdict, Writer, rules,
};
use codex_wire_report::{
    Format, Kinds, Report, Settings, SkipReason, Skipped, Statistics, Styles, Totals,
};

fn rule(id: &str) -> &'static Rule {
    rules::find(id).unwrap()
}

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
    let mut place = Location::new(4, 97);
    (place.offset, place.length) = (412, 10);
    place.pointer = "/item/status".into();
    place.message = Some(4);
    place.characters = Some(Characters {
        column: 95,
        length: 10,
    });
    let message = "`status` has the value `exploded`, which no release writes";
    let mut finding = Finding::new(
        rule("schema/unknown-value"),
        Severity::Error,
        place,
        message,
    )
    .with_help("known in 0.44.0: in_progress, completed, failed")
    .with_excerpt(excerpt(
        "…,\"exit_code\":0,\"status\":\"exploded\"}}",
        "\"exploded\"",
    ));
    finding.earlier = Some(Earlier::new(2, 2, 40..90, "the item started here"));
    finding
}

/// Wide characters, combining marks and characters that steer a terminal before the caret; a
/// line number of several digits.
pub(crate) fn wide() -> Finding {
    let mut place = Location::new(1234, 60);
    (place.offset, place.length) = (98_765, 6);
    place.pointer = "/item/日本\u{1b}[31m".into();
    place.message = Some(1230);
    place.characters = Some(Characters {
        column: 56,
        length: 4,
    });
    let message = "unknown member `日本\u{1b}[31m`";
    Finding::new(
        rule("schema/unknown-member"),
        Severity::Warning,
        place,
        message,
    )
    .with_releases(ReleaseBounds {
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
    let mut place = Location::new(7, 20);
    place.offset = 500;
    let text = "{\"type\":\"turn.star";
    Finding::new(
        rule("framing/cut-line"),
        Severity::Error,
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
    let mut place = Location::new(1, 1);
    place.message = Some(1);
    Finding::new(
        rule("schema/mixed-releases"),
        Severity::Note,
        place,
        "hand-made",
    )
}

fn exec(path: &str, messages: u64, since: (u32, u32), until: (u32, u32)) -> Outcome {
    let mut outcome = Outcome::new(path);
    outcome.protocol = Some(Protocol::Exec);
    outcome.releases = Some(ReleaseRange {
        since: Release::new(0, since.0, since.1),
        until: Release::new(0, until.0, until.1),
    });
    // Invented, so that the golden files do not follow every change of a schema.
    let mut schema = SchemaUsed::of(MessageSet::Exec, Release::new(0, until.0, until.1));
    schema.sha256 = format!("{:02x}", until.0).repeat(32)[..64].to_owned();
    outcome.schemas = vec![schema];
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

/// Has these findings, and `dropped` more at error level.
pub(crate) fn with_findings(mut outcome: Outcome, findings: Vec<Finding>, dropped: u64) -> Outcome {
    for finding in &findings {
        outcome.counts.add(finding.severity);
    }
    outcome.counts.error += dropped;
    outcome.findings = findings;
    if outcome.counts.error > 0 {
        outcome.verdict = Verdict::Findings;
    }
    outcome
}

/// A finding that a baseline lists.
pub(crate) fn expected() -> Finding {
    let mut finding = unknown_value();
    finding.expected = Some("our fork pauses\ncommands".into());
    finding.writer = Some(Writer::Codex);
    finding
}

/// The findings are expected, and nothing else is found.
pub(crate) fn as_expected(mut outcome: Outcome, findings: Vec<Finding>) -> Outcome {
    outcome.counts.expected = findings.len() as u64;
    outcome.findings = findings;
    outcome
}

/// Entries of a baseline that do not hold, each for another reason.
pub(crate) fn stale() -> Vec<Stale> {
    let entry = |line: u64, place: Option<&str>| Expected {
        rule: rule("schema/unknown-value"),
        path: "fixtures/*/x.jsonl".into(),
        place: place.map(str::to_owned),
        message: "`status` has the value `paused`".into(),
        reason: "our fork | pauses".into(),
        line,
    };
    let now = "`status` has the value `<b>halted</b>`".to_owned();
    [
        (3, Some("/item/status"), Why::Gone),
        (9, Some("/item/status"), Why::Changed { now }),
        (15, None, Why::NotChecked),
        (120, None, Why::BeyondLimit { dropped: 4 }),
        (130, None, Why::TooWide { inputs: 21 }),
    ]
    .into_iter()
    .map(|(line, place, why)| Stale::new(entry(line, place), why))
    .collect()
}

/// Names and texts that mean something in one format or another.
pub(crate) fn hostile() -> Vec<Outcome> {
    let mut finding = unknown_value();
    finding.message = "unknown member `a|b<script>*_[x](y)`\r\n::error::`, 100%: \u{202e}".into();
    finding.help = Some("line one\nline ##[group]two\0 ]]> &amp;".into());
    finding.place.pointer = "/a~1b/\n::stop-commands::x/\u{1b}[2J\u{ffff}".into();
    let path = "dir with space/%2e,a:b'\"<&>`*\n::set-env name=x::é|.jsonl";
    let error = "no such\nfile: ::error::x % | <b> ``` \u{7}";
    let mut lines = with_findings(stated(path, 1), vec![finding.clone()], 0);
    finding.expected = Some("because\n::error::<!-- | -->".into());
    lines.findings.push(finding);
    lines.counts.expected = 1;
    vec![
        lines,
        Outcome::unreadable("/abs/ü/../x.jsonl", error),
        Outcome::new("../up/./empty?.jsonl"),
    ]
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
        as_expected(
            stated("fixtures/known.jsonl", 3),
            vec![expected(), expected()],
        ),
    ]
}

/// A report of everything, with a baseline or without.
pub(crate) fn render_all(format: Format, with_baseline: bool) -> (String, Totals) {
    let stale = with_baseline.then(stale);
    written(format, Styles::plain(), &everything(), stale.as_deref())
}

/// A report of these outcomes.
pub(crate) fn render(format: Format, styles: Styles, outcomes: &[Outcome]) -> (String, Totals) {
    written(format, styles, outcomes, None)
}

/// A file that was not read for each reason, and a second one.
pub(crate) fn skipped() -> Vec<Skipped> {
    vec![
        Skipped::new("t/a.jsonl.zst", SkipReason::CompressedCopy),
        Skipped::new("t/b\u{7}.jsonl.zst", SkipReason::CompressedCopy),
        Skipped::new("t/history.jsonl", SkipReason::PromptHistory),
        Skipped::new("t/old.jsonl", SkipReason::NotSince),
        Skipped::new("t/session_index.jsonl", SkipReason::SessionIndex),
        Skipped::new("t/state_5.sqlite", SkipReason::Database),
        Skipped::new("t/trace-1/trace.jsonl", SkipReason::RolloutTrace),
    ]
}

fn written(
    format: Format,
    styles: Styles,
    outcomes: &[Outcome],
    stale: Option<&[Stale]>,
) -> (String, Totals) {
    let mut out = Vec::new();
    let settings = Settings::new("codex-wire", "0.0.0").with_styles(styles);
    let mut report = Report::begin(format, settings, &mut out).unwrap();
    for outcome in outcomes {
        report.outcome(outcome).unwrap();
    }
    if let Some(stale) = stale {
        report.skipped(&skipped()).unwrap();
        report.baseline("kno\u{7}wn.toml", stale).unwrap();
        let mut statistics = Statistics::default();
        for outcome in outcomes {
            let mut kinds = Kinds::default();
            kinds.add(MessageSet::Exec, "turn.st\u{7}arted");
            statistics.add(outcome, &kinds);
        }
        report.statistics(&statistics);
    }
    let totals = report.finish().unwrap();
    (String::from_utf8(out).unwrap(), totals)
}
