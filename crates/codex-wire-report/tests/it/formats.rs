//! What the formats for CI have in common, and the two that are text.

use codex_wire_report::{Format, Styles};

use crate::golden;
use crate::samples::{
    cut, everything, hostile, render, render_all, stated, unknown_value, wide, with_findings,
};

#[test]
fn everything_as_annotations() {
    let (text, _) = render_all(Format::Github, true);
    golden::check("everything.github.txt", &text);
}

#[test]
fn everything_as_markdown() {
    let (text, _) = render_all(Format::Markdown, true);
    golden::check("everything.md", &text);
}

#[test]
fn a_baseline_as_text() {
    let (text, _) = render_all(Format::Text, true);
    golden::check("baseline.txt", &text);
}

#[test]
fn every_report_names_program_protocol_release_schema_and_counts() {
    let outcomes = [stated("a.jsonl", 4321)];
    let digest = &outcomes[0].schemas[0].sha256;
    for format in Format::ALL {
        let (text, _) = render(*format, Styles::plain(), &outcomes);
        let digest = match format {
            Format::Text | Format::Github | Format::Markdown | Format::Html => &digest[..12],
            _ => digest,
        };
        let numbers = ["4321", "4,321"];
        assert!(numbers.iter().any(|n| text.contains(n)), "{format}: {text}");
        for part in ["codex-wire", "0.0.0", "exec", "0.44.0", digest] {
            assert!(text.contains(part), "{format} names no {part}: {text}");
        }
    }
}

/// GitHub shows ten of each kind in a step: twelve findings of one rule hide no other, and errors come first.
#[test]
fn findings_of_a_rule_share_an_annotation() {
    let twelve = (0..12).map(|at| {
        let mut finding = wide();
        finding.place.line = 20 + at;
        finding
    });
    let first = with_findings(stated("a.jsonl", 30), twelve.collect(), 0);
    let second = with_findings(stated("b.jsonl", 9), vec![unknown_value(), cut()], 0);
    let (text, _) = render(Format::Github, Styles::plain(), &[first, second]);
    let annotations: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    let begin = |line: &str| line.split(',').next().unwrap().to_owned();
    let begins: Vec<String> = annotations.iter().map(|line| begin(line)).collect();
    let expected = [
        "::error file=b.jsonl",
        "::error file=b.jsonl",
        "::warning file=a.jsonl",
    ];
    assert_eq!(begins, expected, "{text}");
    let others = "11 more findings of this rule: lines 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, …";
    assert!(annotations[2].ends_with(&format!("%0A{others}")), "{text}");
}

/// Every line that begins like a command is one of ours, and holds one annotation.
#[test]
fn annotations_cannot_be_forged() {
    let (text, _) = render(Format::Github, Styles::plain(), &hostile());
    golden::check("hostile.github.txt", &text);
    for line in text.lines() {
        let own = ["::error ", "::warning ", "::notice "];
        let is_command = own.iter().any(|word| line.starts_with(word));
        assert!(is_command || !line.trim_start().starts_with("::"), "{line}");
        // The old spelling of commands is read anywhere in a line that is none.
        assert!(is_command || !line.contains("##["), "{line}");
        let Some((properties, data)) = line.strip_prefix("::").and_then(|l| l.split_once("::"))
        else {
            continue;
        };
        let (_, properties) = properties.split_once(' ').unwrap();
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').unwrap();
            let known = ["file", "line", "col", "endColumn", "title"];
            assert!(known.contains(&name), "{line}");
            assert!(!value.contains(':'), "{line}");
        }
        let after = data.split('%').skip(1);
        for escape in after {
            assert!(
                escape.starts_with("25") || escape.starts_with("0A"),
                "{line}"
            );
        }
    }
}

#[test]
fn markdown_reads_nothing_into_the_input() {
    let (text, _) = render(Format::Markdown, Styles::plain(), &hostile());
    golden::check("hostile.md", &text);
    for wrong in [
        "<script>", "<b>", "](", "```", "*_", "| -->", "\u{1b}", "\n::",
    ] {
        assert!(!text.contains(wrong), "{wrong:?} in {text}");
    }
}

#[test]
fn a_summary_stays_short() {
    let mut many = Vec::new();
    for at in 0..500 {
        let mut outcome = everything().remove(1);
        outcome.path = format!("{at}.jsonl");
        many.push(outcome);
    }
    let (text, _) = render(Format::Markdown, Styles::plain(), &many);
    assert_eq!(text.matches("<details>").count(), 20);
    assert!(text.contains("… and 480 more inputs with something to say."));
    assert!(text.len() < 64 << 10, "{}", text.len());
}
