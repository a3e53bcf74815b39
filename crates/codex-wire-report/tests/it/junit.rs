//! JUnit XML.

use codex_wire_report::{Format, Styles};

use crate::golden;
use crate::samples::{hostile, render, render_all};

fn attribute<'t>(tag: &'t str, name: &str) -> &'t str {
    let from = tag.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    let rest = &tag[from..];
    &rest[..rest.find('"').unwrap()]
}

#[test]
fn everything_as_junit() {
    let (text, _) = render_all(Format::Junit, true);
    golden::check("everything.junit.xml", &text);
}

/// The numbers in the head are those of what is below.
#[test]
fn the_head_counts_what_is_there() {
    let (text, totals) = render_all(Format::Junit, true);
    let head = text.lines().nth(1).unwrap();
    for (name, count) in [
        ("tests", text.matches("<testcase ").count()),
        ("failures", text.matches("<failure ").count()),
        ("errors", text.matches("<error ").count()),
        ("skipped", text.matches("<skipped ").count()),
    ] {
        assert_eq!(attribute(head, name), count.to_string(), "{name}");
    }
    let failed = totals.findings + totals.stale;
    assert_eq!(attribute(head, "failures"), failed.to_string());
    assert_eq!(
        attribute(head, "tests"),
        (totals.inputs + totals.stale).to_string()
    );
}

#[test]
fn hostile_text_stays_text() {
    let (text, _) = render(Format::Junit, Styles::plain(), &hostile());
    golden::check("hostile.junit.xml", &text);
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!(suite.test_cases.len(), 3);
    let forbidden = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{202e}')
    };
    assert!(!text.contains(forbidden));
}
