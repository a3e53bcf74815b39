//! Transcripts with one fault each, and what is found in them.
//!
//! `fixtures/invalid/<group>-<fault>.jsonl` is named after its fault; `<group>` is the group of
//! the rule it breaks, or `unreadable` where nothing can be checked at all. Beside it,
//! `.expected` holds on its first line what it is checked against
//!
//! ```text
//! # exec 0.169.0 exact max-depth=20
//! # identified open
//! ```
//!
//! and then all that is found. `cargo xtask generate --only rules` writes everything but that
//! first line; whoever accepts it reads it as a user would.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_check::{
    Checker, Excerpt, Finding, Options, Outcome, Profile, Rule, Verdict, Writer, rules,
};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::support::{fixtures, name, transcripts, trial, without_order};

pub(crate) fn trials() -> Vec<Trial> {
    let each = |path: PathBuf| {
        let below = name(&path);
        let name = below.trim_start_matches("invalid/");
        Trial::test(format!("invalid::{name}"), move || found(&path))
    };
    let mut trials: Vec<Trial> = transcripts("invalid").into_iter().map(each).collect();
    trials.push(trial("invalid::every_rule_can_fail", every_rule_can_fail));
    trials.push(trial("invalid::files_come_in_pairs", files_come_in_pairs));
    trials.push(trial("invalid::payload_is_masked", payload_is_masked));
    trials.push(trial("invalid::places_are_true", places_are_true));
    trials
}

/// What a fixture is checked against where its expectation does not say.
const DEFAULT: &str = "# exec 0.169.0 exact";

fn found(path: &Path) -> Result<(), Failed> {
    let expected_path = path.with_extension("expected");
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    let header = expected.lines().next().unwrap_or(DEFAULT);
    let outcome = codex_wire_testing::check(path, &options(header)?)?;
    let found = format!("{header}\n{}", render(&outcome));
    golden_files::assert_file(&expected_path, &found);
    // A fault is for the reader to see; what conforms belongs elsewhere.
    if outcome.findings.is_empty() && outcome.verdict != Verdict::Unreadable {
        return Err("nothing was found".into());
    }
    Ok(())
}

/// The rules and the messages of all that is expected.
pub(crate) fn messages() -> Result<Vec<(String, String)>, Failed> {
    let mut out = Vec::new();
    for path in transcripts("invalid") {
        let expected = fs::read_to_string(path.with_extension("expected"))?;
        let lines: Vec<&str> = expected.lines().collect();
        // `error[RULE]`, and the message in the line behind it.
        out.extend(lines.windows(2).filter_map(|pair| {
            let (_, rule) = pair[0].strip_suffix(']')?.split_once('[')?;
            Some((rule.to_owned(), pair[1].strip_prefix("  ")?.to_owned()))
        }));
    }
    Ok(out)
}

/// Reads the first line of an expectation.
fn options(header: &str) -> Result<Options, String> {
    let words = header
        .strip_prefix("# ")
        .ok_or("the first line has no `# `")?;
    // The fixtures are parts of streams; rules about order have their own in `rules`.
    settings(without_order(Options::new()), words)
}

/// Options changed by words: a protocol, a release, a profile, limits.
pub(crate) fn settings(mut options: Options, words: &str) -> Result<Options, String> {
    for word in words.split(' ') {
        if let Some(side) = word.strip_prefix("side=") {
            options.side = Some(match side {
                "codex" => Writer::Codex,
                "client" => Writer::Client,
                _ => return Err(format!("{side}: no side")),
            });
        } else if let Some((limit, number)) = word.split_once('=') {
            let number = number.parse().map_err(|_| format!("{word}: no number"))?;
            match limit {
                "max-line-bytes" => options.limits.line_bytes = number,
                "max-depth" => options.limits.depth = number,
                "max-values" => options.limits.values = number,
                "max-findings" => options.limits.findings = number,
                _ => return Err(format!("{limit}: no limit")),
            }
        } else if let Ok(protocol) = word.parse() {
            options.protocol = Some(protocol);
        } else if let Ok(profile) = word.parse::<Profile>() {
            options.profile = profile;
        } else if let Ok(release) = word.parse() {
            options.release = Some(release);
        } else if word == "show-values" {
            options.show_values = true;
        } else if word == "rpc" {
            for rule in rules::RULES.iter().filter(|rule| rule.group() == "rpc") {
                options.levels.set(rule, Some(rule.level));
            }
        } else if word != "identified" {
            return Err(format!("{word}: what is that?"));
        }
    }
    Ok(options)
}

/// All that was found, one block per finding.
fn render(outcome: &Outcome) -> String {
    let mut out = format!(
        "{}, {} messages",
        outcome.verdict.as_str(),
        outcome.messages
    );
    if let Some(releases) = outcome.releases {
        let how = if outcome.identified {
            "identified as "
        } else {
            ""
        };
        out += &format!(", {how}{releases}");
    }
    let counts = outcome.counts;
    for (number, one, many) in [
        (counts.error, "error", "errors"),
        (counts.warning, "warning", "warnings"),
        (counts.note, "note", "notes"),
    ] {
        match number {
            0 => {}
            1 => out += &format!(", 1 {one}"),
            _ => out += &format!(", {number} {many}"),
        }
    }
    out.push('\n');
    if let Some(error) = &outcome.error {
        out += &format!("{error}\n");
    }
    for finding in &outcome.findings {
        out += &block(finding);
    }
    out
}

fn block(finding: &Finding) -> String {
    let place = &finding.place;
    let mut out = format!("\n{}[{}]\n", finding.severity, finding.rule);
    out += &format!("  {}\n", finding.message);
    if let Some(writer) = finding.writer {
        out += &format!("  written by {}\n", writer.as_str());
    }
    out += &format!(
        "  at {}:{}, bytes {}..{}",
        place.line,
        place.column,
        place.offset,
        place.offset + place.length
    );
    if let Some(message) = place.message {
        out += &format!(", message {message}");
    }
    if !place.pointer.is_empty() {
        out += &format!(", {}", place.pointer);
    }
    out.push('\n');
    if let Some(releases) = finding.releases {
        out += &format!("  valid in {releases}\n");
    }
    if let Some(help) = &finding.help {
        out += &format!("  help: {help}\n");
    }
    if let Some(Excerpt { text, start, end }) = &finding.excerpt {
        let before = " ".repeat(text[..*start].chars().count());
        let marks = "^".repeat(text[*start..*end].chars().count().max(1));
        out += &format!("  | {text}\n  | {before}{marks}\n");
    }
    out
}

/// A checked fixture.
struct Case {
    name: String,
    bytes: Vec<u8>,
    header: String,
    outcome: Outcome,
}

fn cases() -> Vec<Case> {
    let case = |path: PathBuf| {
        let expected = fs::read_to_string(path.with_extension("expected")).unwrap_or_default();
        let header = expected.lines().next().unwrap_or(DEFAULT).to_owned();
        let bytes = fs::read(&path).unwrap();
        let checker = Checker::new(options(&header).unwrap()).unwrap();
        Case {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            outcome: checker.check("-", bytes.as_slice()),
            bytes,
            header,
        }
    };
    transcripts("invalid").into_iter().map(case).collect()
}

/// A rule that no transcript can break does not exist; one that is broken is in the list. The
/// name of a fixture begins with the group of a rule it breaks.
fn every_rule_can_fail() {
    let without_order =
        |rule: &&&Rule| !["sequence", "hooks", "with-rollout", "home"].contains(&rule.group());
    let rules = rules::RULES.iter().filter(without_order);
    let known: BTreeSet<&str> = rules.map(|rule| rule.id).collect();
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases() {
        let group = case.name.split('-').next().unwrap();
        let mut groups = BTreeSet::new();
        for finding in &case.outcome.findings {
            *broken.entry(finding.rule.id).or_default() += 1;
            groups.insert(finding.rule.id.split('/').next().unwrap());
        }
        let fits = groups.contains(group)
            || group == "unreadable" && case.outcome.verdict == Verdict::Unreadable;
        assert!(fits, "{} breaks {groups:?}", case.name);
    }
    let broken: BTreeSet<&str> = broken.into_keys().collect();
    assert_eq!(broken, known);
}

fn files_come_in_pairs() {
    let folders = [
        fixtures().join("invalid"),
        fixtures().join("invalid/app-server"),
    ];
    let entries = folders.iter().flat_map(|f| fs::read_dir(f).unwrap());
    for entry in entries {
        let path = entry.unwrap().path();
        let partner = match path.extension().and_then(|ext| ext.to_str()) {
            Some("jsonl") => path.with_extension("expected"),
            Some("expected") => path.with_extension("jsonl"),
            _ => continue,
        };
        assert!(partner.is_file(), "{} has no partner", path.display());
    }
}

/// Whatever a fixture says that a user could have said stands between words in capitals; none
/// of it is shown without `--show-values`.
fn payload_is_masked() {
    let mut masked = 0;
    for case in cases() {
        let text = render(&case.outcome);
        let holds = memchr::memmem::find(&case.bytes, b"PAYLOAD").is_some();
        let shows = text.contains("PAYLOAD");
        if case.header.contains("show-values") {
            assert!(holds && shows, "{}", case.name);
        } else {
            assert!(!shows, "{}:\n{text}", case.name);
            masked += usize::from(holds);
        }
    }
    assert!(masked > 50, "{masked} fixtures hold payload");
}

/// Offsets, lines and columns agree with each other and with the file; the pointer leads to
/// the bytes, where it leads anywhere.
fn places_are_true() {
    for case in cases() {
        for finding in &case.outcome.findings {
            let place = &finding.place;
            let at = usize::try_from(place.offset).unwrap();
            let length = usize::try_from(place.length).unwrap();
            let before = &case.bytes[..at];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let start = before
                .iter()
                .rposition(|b| *b == b'\n')
                .map_or(0, |n| n + 1);
            let what = format!("{}: {}", case.name, block(finding));
            assert_eq!(place.line, line as u64, "{what}");
            assert_eq!(place.column, (at - start + 1) as u64, "{what}");
            let part = &case.bytes[at..at + length];
            assert!(!part.contains(&b'\n'), "{what}");
            // In a recording, columns count within the recorded line.
            let whole = case.bytes[start..]
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap();
            if place.message.is_some() && !whole.starts_with(b"{\"kind\"") {
                let is_duplicate = ["double", "duplicate"]
                    .iter()
                    .any(|w| case.name.contains(w));
                assert!(
                    points_to(&place.pointer, whole, part) || is_duplicate,
                    "{what}"
                );
            }
        }
    }
}

/// Whether a part of a line is the value at the pointer, or the name of the member there.
fn points_to(pointer: &str, line: &[u8], part: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        // A number too large for a tree is still a number of digits.
        return part.len() > 4;
    };
    let here: Value = serde_json::from_slice(part).unwrap();
    let name = pointer.rsplit('/').next().unwrap_or_default();
    message.pointer(pointer) == Some(&here) || (here == name && !name.is_empty())
}
