//! Writes JUnit XML, the test results of CI systems: one suite per run, one test case per input.
//!
//! A finding at error level makes the test case a failure. An input that cannot be read is an error,
//! and one without messages is skipped. Stale entries of the baseline are failures too.

use std::io::{self, Write};

use codex_wire_check::baseline::Stale;
use codex_wire_check::{Finding, Outcome, Severity, Verdict};
use quick_junit::{
    NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite, XmlString,
};

use crate::escape::escaped_lines;
use crate::numbers::counted;
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::text::{Text, display_path, similar};
use crate::totals::Totals;
use crate::words::not_exercised;

pub(crate) struct Junit {
    settings: Settings,
    suite: TestSuite,
}

impl Junit {
    pub(crate) fn new(settings: Settings) -> Self {
        let suite = TestSuite::new(format!("{} check", settings.tool_name));
        Junit { settings, suite }
    }
}

/// Text that XML can hold.
fn xml(text: &str) -> XmlString {
    // XML has no way to write these two.
    XmlString::new(escaped_lines(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

/// The findings, each as the text format shows it.
fn described<'f>(path: &str, findings: impl Iterator<Item = &'f Finding>) -> String {
    let findings: Vec<Finding> = findings.cloned().collect();
    let texts: Vec<String> = similar(&findings)
        .into_iter()
        .map(|(finding, others)| Text::of_finding(path, finding, &others))
        .collect();
    texts.join("\n")
}

/// Whether a finding fails the test case.
fn is_failure(finding: &&Finding) -> bool {
    finding.severity == Severity::Error && finding.expected.is_none()
}

fn status(outcome: &Outcome) -> TestCaseStatus {
    let name = display_path(&outcome.path);
    match outcome.verdict {
        Verdict::Conforms => TestCaseStatus::success(),
        Verdict::Findings => {
            let failures = || outcome.findings.iter().filter(is_failure);
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(xml(&counted(outcome.counts.error, "error", "errors")));
            if let Some(first) = failures().next() {
                status.set_type(xml(first.rule.id));
            }
            let mut text = described(&name, failures());
            if outcome.dropped() > 0 {
                let more = counted(outcome.dropped(), "more finding", "more findings");
                text += &format!("\n… and {more} beyond the limit\n");
            }
            status.set_description(xml(&text));
            status
        }
        Verdict::NotExercised => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(xml(not_exercised(outcome)));
            status
        }
        Verdict::Unreadable => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            let error = outcome.error.as_deref().unwrap_or("unreadable");
            status.set_message(xml(error)).set_type("unreadable");
            status
        }
    }
}

impl Renderer for Junit {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        let version = xml(&self.settings.tool_version);
        self.suite.add_property(Property::new("version", version));
        Ok(())
    }

    fn outcome(&mut self, _: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let name = display_path(&outcome.path);
        let mut case = TestCase::new(xml(&name), status(outcome));
        let protocol = outcome.protocol.map_or("unknown", |p| p.as_str());
        case.set_classname(format!("{}.{protocol}", self.settings.tool_name));
        if let Some(releases) = outcome.releases {
            case.add_property(Property::new("releases", releases.to_string()));
            let identified = if outcome.identified { "true" } else { "false" };
            case.add_property(Property::new("identified", identified));
        }
        for schema in &outcome.schemas {
            let name = format!("schema-sha256.{}", schema.message_set);
            case.add_property(Property::new(name, schema.sha256.as_str()));
        }
        let counts = outcome.counts;
        for (name, number) in [
            ("messages", outcome.messages),
            ("error", counts.error),
            ("warning", counts.warning),
            ("note", counts.note),
            ("expected", counts.expected),
        ] {
            case.add_property(Property::new(name, number.to_string()));
        }
        // Other findings do not fail the test case, but are worth reading.
        let rest = outcome
            .findings
            .iter()
            .filter(|finding| !is_failure(finding));
        let rest = described(&name, rest);
        if !rest.is_empty() {
            case.set_system_out(xml(&rest));
        }
        self.suite.add_test_case(case);
        Ok(())
    }

    fn baseline(&mut self, _: &mut dyn Write, path: &str, stale: &[Stale]) -> io::Result<()> {
        for entry in stale {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let text = format!(
                "expected: {}\nbecause: {}\n",
                entry.entry.message, entry.entry.reason
            );
            status
                .set_message(xml(&entry.to_string()))
                .set_type("stale-baseline")
                .set_description(xml(&text));
            let name = format!("{path}:{}", entry.entry.line);
            let mut case = TestCase::new(xml(&name), status);
            case.set_classname(format!("{}.baseline", self.settings.tool_name));
            self.suite.add_test_case(case);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, totals: &Totals) -> io::Result<()> {
        for (name, number) in [
            ("inputs", totals.inputs),
            ("messages", totals.messages),
            ("error", totals.counts.error),
            ("warning", totals.counts.warning),
            ("note", totals.counts.note),
            ("expected", totals.counts.expected),
            ("stale", totals.stale),
        ] {
            self.suite
                .add_property(Property::new(name, number.to_string()));
        }
        let suite = std::mem::replace(&mut self.suite, TestSuite::new(""));
        let mut report = Report::new(xml(&self.settings.tool_name));
        report.add_test_suite(suite);
        let text = report.to_string().map_err(io::Error::other)?;
        out.write_all(text.as_bytes())
    }
}
