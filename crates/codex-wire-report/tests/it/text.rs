//! The text format.

use std::io;

use codex_wire_check::{Outcome, Severity};
use codex_wire_report::{Format, Report, Settings, Styles};
use unicode_width::UnicodeWidthStr;

use crate::golden;
use crate::samples::{
    cut, everything, identified, note_without_excerpt, render, stated, unknown_value, wide,
    with_findings,
};

fn plain(outcomes: &[Outcome]) -> String {
    render(Format::Text, Styles::plain(), outcomes).0
}

#[test]
fn everything_plain() {
    golden::check("everything.txt", &plain(&everything()));
}

#[test]
fn everything_coloured() {
    let (text, _) = render(Format::Text, Styles::coloured(), &everything());
    // Escapes as text, so that the golden file can be read and compared.
    golden::check("everything.ansi.txt", &text.replace('\x1b', "␛"));
}

#[test]
fn colours_change_nothing_but_colours() {
    let (coloured, _) = render(Format::Text, Styles::coloured(), &everything());
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find("\x1b[") {
        stripped.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain(&everything()));
}

#[test]
fn silence_when_all_is_well() {
    let mut outcomes = vec![stated("a.jsonl", 1200); 61];
    outcomes.push(stated("b.jsonl", 34));
    assert_eq!(
        plain(&outcomes),
        "62 inputs, 73,234 messages: all conform (exec 0.44.0)\n\
         \x20 by codex-wire 0.0.0, schema exec 2c2c2c2c2c2c\n"
    );
}

#[test]
fn the_line_of_sums() {
    let warned = || with_findings(stated("a.jsonl", 2), vec![wide()], 0);
    let noted = || with_findings(stated("a.jsonl", 2), vec![note_without_excerpt()], 0);
    let denied = |dropped| with_findings(stated("a.jsonl", 2), vec![unknown_value()], dropped);
    let empty = || Outcome::new("empty.jsonl");
    let unreadable = || Outcome::unreadable("gone.jsonl", "no such file");
    let cases: Vec<(Vec<Outcome>, &str)> = vec![
        (vec![], "no inputs: nothing was checked"),
        (
            vec![stated("a", 1)],
            "1 input, 1 message: conforms (exec 0.44.0)",
        ),
        (
            vec![identified("a", 1, 44, 49)],
            "1 input, 1 message: conforms (identified as exec 0.44.0 to 0.49.0)",
        ),
        (
            vec![warned()],
            "1 input, 2 messages: conforms; 1 warning (exec 0.44.0)",
        ),
        (
            vec![warned(), warned(), noted()],
            "3 inputs, 6 messages: all conform; 2 warnings, 1 note (exec 0.44.0)",
        ),
        (
            vec![noted(), noted()],
            "2 inputs, 4 messages: all conform; 2 notes (exec 0.44.0)",
        ),
        (
            vec![denied(0)],
            "1 input, 2 messages: does not conform; 1 error (exec 0.44.0)",
        ),
        (
            vec![denied(0), denied(1999)],
            "2 inputs, 4 messages: 2 do not conform; 2,001 errors (exec 0.44.0)",
        ),
        (
            vec![stated("a", 1), denied(0), empty(), unreadable()],
            "4 inputs, 3 messages: 1 conforms, 1 does not conform, 1 holds no messages, \
             1 unreadable; 1 error (exec 0.44.0)",
        ),
        (
            vec![stated("a", 1), stated("b", 1), empty(), empty()],
            "4 inputs, 2 messages: 2 conform, 2 hold no messages (exec 0.44.0)",
        ),
        (vec![empty()], "1 input, 0 messages: nothing was checked"),
        (
            vec![unreadable()],
            "1 input, 0 messages: nothing was checked",
        ),
        (
            vec![empty(), unreadable()],
            "2 inputs, 0 messages: nothing was checked, 1 unreadable",
        ),
    ];
    for (outcomes, expected) in cases {
        let text = plain(&outcomes);
        let lines: Vec<&str> = text.lines().collect();
        let (sums, by) = (lines[lines.len() - 2], lines[lines.len() - 1]);
        assert_eq!(sums, expected, "whole report:\n{text}");
        assert!(by.starts_with("  by codex-wire 0.0.0"), "{text}");
    }
}

#[test]
fn equal_findings_are_shown_once() {
    let repeated = |times: u64| {
        let mut findings = vec![wide()];
        for line in 0..times {
            let mut again = unknown_value();
            again.place.line += line;
            findings.push(again);
        }
        // Alike except for one thing each: these are findings of their own.
        let mut elsewhere = unknown_value();
        elsewhere.place.pointer = "/item/other".into();
        findings.extend([elsewhere, unknown_value().with_help("another")]);
        plain(&[with_findings(stated("a", 9), findings, 0)])
    };
    let heads = |text: &str| text.matches("] a:").count();
    let text = repeated(1);
    assert!(heads(&text) == 4 && !text.contains("also at"), "{text}");
    let text = repeated(3);
    assert!(text.contains("   = also at 5:97, 6:97\n"), "{text}");
    assert_eq!(heads(&text), 4, "{text}");
    let text = repeated(9);
    assert!(text.contains(", 12:97\n"), "{text}");
    let text = repeated(10);
    assert!(text.contains(", 12:97 and 1 more place\n"), "{text}");
    let text = repeated(1010);
    assert!(text.contains(" and 1,001 more places\n"), "{text}");
    assert_eq!(heads(&text), 4, "{text}");
    assert!(text.contains("; 1,012 errors, 1 warning"), "{text}");
}

#[test]
fn releases_are_grouped() {
    let outcomes = [
        identified("c.jsonl", 1, 92, 169),
        identified("a.jsonl", 1, 44, 49),
        stated("d.jsonl", 1),
        identified("b.jsonl", 1, 44, 49),
    ];
    assert_eq!(
        plain(&outcomes),
        "4 inputs, 4 messages: all conform\n\
         \x20 checked as exec 0.44.0             d.jsonl\n\
         \x20 identified as exec 0.44.0 to 0.49.0   2 inputs\n\
         \x20 identified as exec 0.92.0 to 0.169.0  c.jsonl\n\
         \x20 by codex-wire 0.0.0, 3 schemas fc73cce6a901\n"
    );
}

/// Where the carets begin and end on the screen, and where what they point at does.
fn aligned(text: &str, part: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let carets = lines
        .iter()
        .position(|line| line.contains("| ") && line.ends_with('^'))
        .unwrap();
    let (shown, pointing) = (lines[carets - 1], lines[carets]);
    let at = shown.find(part).unwrap();
    assert_eq!(
        pointing[..pointing.find('^').unwrap()].width(),
        shown[..at].width()
    );
    assert_eq!(pointing.matches('^').count(), part.width().max(1));
}

#[test]
fn carets_stand_below_what_they_point_at() {
    for (finding, part) in [(unknown_value(), "\"exploded\""), (wide(), "\"日本\"")] {
        aligned(
            &plain(&[with_findings(stated("a", 1), vec![finding], 0)]),
            part,
        );
    }
    // A point has a caret too, behind the last character.
    let text = plain(&[with_findings(stated("a", 1), vec![cut()], 0)]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], " 7 | {\"type\":\"turn.star");
    assert_eq!(lines[3], "   |                   ^");
}

#[test]
fn an_excerpt_with_wrong_bounds_is_survived() {
    let mut finding = wide();
    if let Some(excerpt) = &mut finding.excerpt {
        // In the middle of a character, and far behind the end.
        excerpt.start = excerpt.text.find('中').unwrap() + 1;
        excerpt.end = 10_000;
    }
    let text = plain(&[with_findings(stated("a", 1), vec![finding], 0)]);
    assert!(text.contains("| ^\n"), "{text}");
}

#[test]
fn nothing_from_the_input_steers_the_terminal() {
    let text = plain(&everything());
    let steering: Vec<char> = text
        .chars()
        .filter(|c| c.is_control() && *c != '\n')
        .collect();
    assert_eq!(steering, []);
}

#[test]
fn severities_are_words() {
    let mut finding = unknown_value();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        finding.severity = severity;
        let text = plain(&[with_findings(stated("a", 1), vec![finding.clone()], 0)]);
        let expected = format!("{severity}[schema/unknown-value] a:4:97: ");
        assert!(text.starts_with(&expected), "{text}");
    }
}

/// A pipe whose reader went away.
struct Closed;

impl io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_told_from_other_failures() {
    for format in Format::ALL {
        let mut closed = Closed;
        let failed = Report::begin(*format, Settings::new("t", "0"), &mut closed)
            .and_then(|mut report| {
                report.outcome(&everything()[1])?;
                report.finish()
            })
            .unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::BrokenPipe, "{format}");
    }
}
