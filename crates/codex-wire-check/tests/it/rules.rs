//! The registry of rules: every entry is whole, can hold and fail, and has its page.
//!
//! `fixtures/rules/<group>/<name>/pass.jsonl` respects the rule, `fail.jsonl` breaks it at the
//! rule's own level. A file `settings` beside them says what they are checked with where that
//! is not the default, in the words of `fixtures/invalid`. The pages under `docs/rules` are
//! written from the registry and these files, and so is what `codex-wire explain` shows;
//! `cargo xtask generate --only rules` writes them again.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::shape::ReleaseBounds;
use codex_wire::{MessageSet, Protocol};
use codex_wire_check::{Checker, Options, Outcome, Rule, Severity, Status, rules};
use codex_wire_testing::explain;
use golden_files::assert_file;
use libtest_mimic::{Failed, Trial};

use crate::invalid::settings;
use crate::support::{fixtures, trial};

mod examples;

pub(crate) fn trials() -> Vec<Trial> {
    let each = |rule: &'static Rule| {
        let name = format!("rules::{}", rule.id);
        Trial::test(name, move || holds_and_fails(rule))
    };
    let page = |rule: &'static Rule| {
        let name = format!("rules::page::{}", rule.id);
        Trial::test(name, move || {
            assert_file(&docs().join(file_of(rule)), &page(rule)?);
            Ok(())
        })
    };
    let rules = || rules::RULES.iter().copied();
    let mut trials: Vec<Trial> = rules().map(each).chain(rules().map(page)).collect();
    trials.push(trial("rules::entries_are_whole", entries_are_whole));
    trials.push(trial("rules::levels_follow_status", levels_follow_status));
    trials.push(trial("rules::exceptions_are_keyed", exceptions_are_keyed));
    trials.push(trial("rules::no_files_without_rule", no_files_without_rule));
    trials.push(Trial::test("rules::examples", || {
        assert_file(&examples::file(), &examples::all()?);
        Ok(())
    }));
    trials.push(trial("rules::index", || {
        assert_file(&docs().join("README.md"), &index());
    }));
    trials
}

fn folder(rule: &Rule) -> PathBuf {
    fixtures()
        .join("rules")
        .join(rule.group())
        .join(rule.name())
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules")
}

fn file_of(rule: &Rule) -> PathBuf {
    Path::new(rule.group()).join(format!("{}.md", rule.name()))
}

fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The words of the file `settings`, if there is one.
fn words(rule: &Rule) -> Option<String> {
    let text = fs::read_to_string(folder(rule).join("settings")).ok()?;
    Some(text.trim().to_owned())
}

fn check(rule: &Rule, name: &str) -> Result<Outcome, Failed> {
    static PLAIN: LazyLock<Checker> = LazyLock::new(|| Checker::new(Options::new()).unwrap());
    let bytes = read(&folder(rule).join(name))?;
    let Some(words) = words(rule) else {
        return Ok(PLAIN.check(name, bytes.as_slice()));
    };
    let options = settings(Options::new(), &words)?;
    Ok(Checker::new(options)?.check(name, bytes.as_slice()))
}

fn holds_and_fails(rule: &'static Rule) -> Result<(), Failed> {
    let breaks = |outcome: &Outcome| outcome.findings.iter().any(|f| f.rule == rule);
    let pass = check(rule, "pass.jsonl")?;
    let unrecognized = |outcome: &Outcome| {
        let order = rule
            .about
            .iter()
            .any(|s| s.protocol() == Protocol::AppServer);
        let denied = |f: &&codex_wire_check::Finding| f.severity == Severity::Error;
        let mut others = outcome.findings.iter().filter(denied);
        order && others.any(|f| f.rule != rule && !goes_along(rule, f.rule))
    };
    if breaks(&pass) || unrecognized(&pass) || pass.messages == 0 {
        return Err(format!("pass.jsonl: {}", explain(&pass)).into());
    }
    let fail = check(rule, "fail.jsonl")?;
    let at_level = |f: &codex_wire_check::Finding| f.rule == rule && f.severity == rule.level;
    if !fail.findings.iter().any(at_level) || unrecognized(&fail) {
        return Err(format!("fail.jsonl: {}", explain(&fail)).into());
    }
    Ok(())
}

/// Whether the one cannot be broken without the other: an item that completes late was open when
/// its turn completed.
fn goes_along(rule: &Rule, other: &Rule) -> bool {
    rule.id == rules::APP_ITEM_LATE.id && other.id == rules::APP_ITEM_OPEN.id
}

/// Names, sentences and their order are as readers and programs expect them.
fn entries_are_whole() {
    let mut names = BTreeSet::new();
    for rule in rules::RULES {
        assert!(names.insert(rule.id), "{rule} is there twice");
        assert!(
            ["framing", "schema", "sequence", "rpc"].contains(&rule.group()),
            "{rule}"
        );
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(rule.name().bytes().all(plain), "{rule}");
        assert!(
            !rule.summary.is_empty() && !rule.summary.ends_with('.'),
            "{rule}"
        );
        for text in [rule.explanation, rule.evidence] {
            assert!(text.ends_with('.'), "{rule}: {text:?}");
        }
        let about_order = ["sequence", "rpc"].contains(&rule.group());
        assert_eq!(about_order, !rule.about.is_empty(), "{rule}");
        assert_eq!(rules::find(rule.id), Some(*rule));
    }
}

/// What always holds is denied; what mostly holds says where it does not. Lines are another
/// matter: their warnings are about what copied the stream.
fn levels_follow_status() {
    for rule in rules::RULES {
        let graded = rule.exceptions.iter().any(|e| e.level.is_some());
        match rule.status {
            Status::Holds => {
                let denied = rule.level == Severity::Error || rule.group() == "framing";
                assert!(denied && !graded, "{rule} holds");
            }
            Status::Advisory => assert!(graded, "{rule} is advisory"),
        }
        for exception in rule.exceptions {
            assert!(
                exception.level.is_none_or(|level| level <= rule.level),
                "{rule}"
            );
            assert!(
                !exception.seen.is_empty() && !exception.seen.ends_with('.'),
                "{rule}"
            );
        }
    }
}

/// Exceptions and availabilities are told in releases of the timelines, and each has some.
fn exceptions_are_keyed() {
    for rule in rules::RULES {
        let releases: Vec<_> = match rule.about {
            [] => Protocol::Exec.release_list().releases().to_vec(),
            about => about
                .iter()
                .flat_map(|s| s.release_list().releases())
                .copied()
                .collect(),
        };
        let availabilities = rule.exceptions.iter().map(|e| e.releases);
        for availability in availabilities.chain([rule.releases]) {
            for end in [availability.since, availability.until]
                .into_iter()
                .flatten()
            {
                assert!(releases.contains(&end), "{rule}: {end} is no release");
            }
            assert!(
                releases.iter().any(|r| availability.contains(*r)),
                "{rule}: {availability}"
            );
        }
        // Somewhere each rule is at its own level.
        let at_own = |r: &codex_wire::Release| rule.level_in(*r, None) == Some(rule.level);
        assert!(releases.iter().any(at_own), "{rule}");
    }
}

/// No fixture and no page belongs to a rule that is gone.
fn no_files_without_rule() {
    let known: BTreeSet<PathBuf> = rules::RULES
        .iter()
        .flat_map(|rule| [folder(rule), docs().join(file_of(rule))])
        .collect();
    for root in [fixtures().join("rules"), docs()] {
        for group in fs::read_dir(root).unwrap() {
            let group = group.unwrap();
            if !group.file_type().unwrap().is_dir() {
                continue;
            }
            for entry in fs::read_dir(group.path()).unwrap() {
                let path = entry.unwrap().path();
                assert!(known.contains(&path), "{} has no rule", path.display());
            }
        }
    }
}

const WRITTEN: &str =
    "<!-- Written from the registry of rules by `cargo xtask generate --only rules`. -->";

/// A sentence without its end as one with it.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn about(rule: &Rule) -> String {
    if rule.about.is_empty() {
        return "all streams".to_owned();
    }
    let names: Vec<_> = rule.about.iter().map(|s| format!("`{s}`")).collect();
    names.join(", ")
}

/// The releases of a rule, within those of its protocols.
fn releases(rule: &Rule) -> String {
    let all = rule.releases.to_string();
    let protocols: BTreeSet<&MessageSet> = rule.about.iter().collect();
    let ends: BTreeSet<String> = protocols
        .iter()
        .map(|set| {
            let list = set.release_list();
            format!("{} to {}", list.first(), list.latest())
        })
        .collect();
    match (all.as_str(), ends.len()) {
        ("every release", 1) => format!("all: {}", ends.into_iter().collect::<String>()),
        ("every release", _) => "all".to_owned(),
        _ => all,
    }
}

fn page(rule: &Rule) -> Result<String, Failed> {
    let mut out = format!(
        "{WRITTEN}\n\n# `{}`\n\n{}\n\n",
        rule.id,
        sentence(rule.summary)
    );
    let _ = writeln!(out, "| | |\n|---|---|");
    let status = match rule.status {
        Status::Holds => "holds: no recorded Codex breaks it",
        Status::Advisory => "advisory: Codex can break it, see the exceptions",
    };
    let _ = writeln!(out, "| level | {} |", rule.level);
    let _ = writeln!(out, "| status | {status} |");
    let _ = writeln!(out, "| messages | {} |", about(rule));
    let _ = writeln!(out, "| releases | {} |", releases(rule));
    let _ = write!(out, "\n{}\n", rule.explanation);
    let _ = write!(
        out,
        "\n**What to do.** If your client sent the message, mend the client. If a copy or a recorder \
         changed the stream, record it again with [`codex-wire tap`](../../checking.md#live-traffic). \
         If Codex sent it and you expect it, list it in a [baseline](../../reports.md#baselines), or \
         use `--allow {}`.\n",
        rule.id
    );
    if !rule.exceptions.is_empty() {
        let _ = write!(out, "\n## Exceptions\n\n");
        let _ = writeln!(
            out,
            "| releases | only for | level | what was seen |\n|---|---|---|---|"
        );
        for exception in rule.exceptions {
            let of: Vec<_> = exception.of.iter().map(|of| format!("`{of}`")).collect();
            let of = match of[..] {
                [] => "everything".to_owned(),
                _ => of.join(", "),
            };
            let level = exception.level.map_or("allowed", Severity::as_str);
            let availability: ReleaseBounds = exception.releases;
            let _ = writeln!(
                out,
                "| {availability} | {of} | {level} | {} |",
                exception.seen
            );
        }
        out += "\nA range also covers the releases between the recorded ones. If several releases can \
                have written the stream, the mildest level among them counts.\n";
    }
    let outcome = check(rule, "fail.jsonl")?;
    let _ = write!(
        out,
        "\n## Findings in the wrong example\n\n```text\n{}\n```\n",
        explain(&outcome)
    );
    let _ = write!(out, "\n## Evidence\n\n{}\n", rule.evidence);
    let with = match words(rule) {
        Some(words) => format!(", checked with `{words}`"),
        None => String::new(),
    };
    for (name, title) in [("pass", "Correct example"), ("fail", "Wrong example")] {
        let bytes = read(&folder(rule).join(format!("{name}.jsonl")))?;
        let _ = write!(out, "\n## {title}\n\n");
        let file = format!("fixtures/rules/{}/{name}.jsonl", rule.id);
        let _ = write!(
            out,
            "[`{file}`](../../../{file}){with}\n\n```text\n{}```\n",
            visible(&bytes)
        );
    }
    Ok(out)
}

/// Bytes as text that can be seen.
fn visible(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        for character in line.chars() {
            match character {
                '\u{feff}' => out += "<U+FEFF>",
                '\0' => out += "<U+0000>",
                other => out.push(other),
            }
        }
        out.push('\n');
    }
    if bytes.windows(2).any(|pair| pair == b"\r\n") {
        out = out.replace('\n', "<U+000D>\n");
    }
    out
}

fn index() -> String {
    let mut out = format!(
        "{WRITTEN}\n\n# Rules\n\ncodex-wire has {} rules for transcripts. `codex-wire rules` lists them, \
         `codex-wire explain RULE` explains one, and `--deny`, `--warn` and `--allow` change their \
         levels. [Checking transcripts](../checking.md) says how to run a check.\n\n\
         - *holds*: no recorded Codex breaks this rule. Test clients break some client rules on purpose.\n\
         - *advisory*: Codex can break this rule. The page lists the releases, and the level there.\n\n\
         Rules about order report nothing if the transcript cannot prove the error. If codex-wire \
         cannot read a line, it does not report as missing what that line may have contained. It \
         remembers the last 16,384 ids of each kind. [Endings and gaps](../endings.md) lists errors \
         that no checker can find.\n",
        rules::RULES.len()
    );
    let groups = [
        ("framing", "Lines"),
        ("schema", "Messages"),
        ("sequence", "Order and pairing"),
        ("rpc", "Requests and responses"),
    ];
    for (group, title) in groups {
        let of_group: Vec<_> = rules::RULES.iter().filter(|r| r.group() == group).collect();
        if of_group.is_empty() {
            continue;
        }
        let _ = write!(
            out,
            "\n## {title}\n\n| rule | level | status | requires that |\n|---|---|---|---|\n"
        );
        for rule in of_group {
            let _ = writeln!(
                out,
                "| [`{}`]({}) | {} | {} | {} |",
                rule.id,
                file_of(rule).display(),
                rule.level,
                rule.status.as_str(),
                rule.summary
            );
        }
    }
    out
}
