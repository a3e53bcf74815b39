//! Tests the registry of rules: each entry is complete, and each rule has two transcripts and a page.
//!
//! - `rules::GROUP/NAME` checks the transcripts of one rule. `fixtures/rules/GROUP/NAME/pass.jsonl`
//!   must have no finding of the rule, and `fail.jsonl` must have one at the rule's own level. If they
//!   need other options than the defaults, a file `settings` beside them has these, written as in
//!   `fixtures/invalid`.
//!   A further file `pass-WORDS.jsonl` or `fail-WORDS.jsonl` is a test of its own,
//!   `rules::GROUP/NAME/fail-WORDS`; `note-WORDS.jsonl` has findings that are only notes.
//!   `rules::messages_have_examples` requires an example of each way to break a rule.
//!   A rule about two inputs has folders `pass` and `fail` instead, with `stream.jsonl` and
//!   `rollout.jsonl`, or with `rollout.jsonl` and `base.jsonl`. One about a home has `database.sql`, which makes the
//!   tables of both databases, and `rollout.jsonl`.
//!   A file `probes.txt` has questions to real programs, whose answers its page and `codex-wire explain` show; see
//!   [`asked`].
//! - `rules::page::GROUP/NAME` compares `docs/rules/GROUP/NAME.md` with what [`page`] makes of the
//!   registry and the transcripts. `rules::index` does so for the index, and `rules::examples` for the
//!   examples that `codex-wire explain` shows. `rules::findings` compares everything that is found in each
//!   transcript, also of other rules, with `rules/findings.txt`. `cargo xtask generate --only rules` writes
//!   these files.
//! - The other tests are about all entries of the registry.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::shape::ReleaseBounds;
use codex_wire::{MessageSet, Protocol};
use codex_wire_check::{
    Checker, HistoryBase, HomeComparison, HomeDatabase, HomeFile, HomeRows, Limits, LineEnds,
    Options, Outcome, RolloutFacts, Rule, Severity, Status, rules,
};
use codex_wire_state::{Database, MOST_BYTES};
use codex_wire_testing::describe;
use golden_files::assert_file;
use libtest_mimic::{Failed, Trial};

use crate::invalid::settings;
use crate::support::{fixtures, trial};

mod asked;
mod examples;
mod messages;

pub(crate) fn trials() -> Vec<Trial> {
    let each = |rule: &'static Rule| {
        let name = format!("rules::{}", rule.id);
        Trial::test(name, move || check_transcripts(rule))
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
    trials.extend(rules().flat_map(further));
    trials.push(trial("rules::entries_are_complete", entries_are_complete));
    trials.push(trial("rules::levels_follow_status", levels_follow_status));
    trials.push(trial("rules::releases_are_listed", releases_are_listed));
    trials.push(trial("rules::no_files_without_rule", no_files_without_rule));
    trials.push(Trial::test("rules::examples", || {
        assert_file(&examples::file(), &examples::all()?);
        Ok(())
    }));
    trials.push(Trial::test(
        "rules::messages_have_examples",
        messages::have_examples,
    ));
    trials.push(Trial::test("rules::findings", || {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rules/findings.txt");
        assert_file(&file, &messages::findings()?);
        Ok(())
    }));
    trials.push(trial("rules::index", || {
        assert_file(&docs().join("README.md"), &index());
    }));
    trials
}

/// A trial for each further example of a rule.
fn further(rule: &'static Rule) -> Vec<Trial> {
    let trial = |example: String| {
        let name = format!("rules::{}/{example}", rule.id);
        Trial::test(name, move || check_example(rule, &example))
    };
    further_examples(rule).into_iter().map(trial).collect()
}

/// The names of all examples of a rule.
fn examples_of(rule: &Rule) -> impl Iterator<Item = String> {
    let names = ["pass", "fail"].map(str::to_owned);
    names.into_iter().chain(further_examples(rule))
}

/// The names of the examples beside `pass` and `fail`.
fn further_examples(rule: &Rule) -> Vec<String> {
    let entries = fs::read_dir(folder(rule)).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_further = |name: &String| {
        ["pass-", "fail-", "note-"]
            .iter()
            .any(|s| name.starts_with(s))
    };
    let examples = names.filter(is_further);
    let mut examples: Vec<String> = examples
        .map(|name| name.trim_end_matches(".jsonl").to_owned())
        .collect();
    examples.sort();
    examples
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

/// The text of the file `settings`, if there is one.
fn settings_of(rule: &Rule) -> Option<String> {
    let text = fs::read_to_string(folder(rule).join("settings")).ok()?;
    Some(text.trim().to_owned())
}

/// The files of an example, `pass` or `fail`: the one that is checked, and the one it is compared with, if
/// the rule is about two.
fn files(rule: &Rule, example: &str) -> Vec<String> {
    let names = match rule.group() {
        _ if rule.id == "with-rollout/base" => ["rollout.jsonl", "base.jsonl"],
        "with-rollout" => ["stream.jsonl", "rollout.jsonl"],
        "home" => ["database.sql", "rollout.jsonl"],
        _ => return vec![format!("{example}.jsonl")],
    };
    names.map(|name| format!("{example}/{name}")).to_vec()
}

fn check(rule: &Rule, example: &str) -> Result<Outcome, Failed> {
    static PLAIN: LazyLock<Checker> = LazyLock::new(|| Checker::new(Options::new()).unwrap());
    let names = files(rule, example);
    let name = names[0].as_str();
    if let [stream, file] = &names[..] {
        let (stream, file) = (folder(rule).join(stream), folder(rule).join(file));
        if rule.group() == "home" {
            return check_home(&PLAIN, name, &stream, &file);
        }
        if rule.id == "with-rollout/base" {
            let bytes = read(&stream)?;
            let mut outcome = PLAIN.check(name, bytes.as_slice());
            let first = bytes
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            let base = HistoryBase::of(first).ok_or("no base is named")?;
            let ends = LineEnds::read(read(&file)?.as_slice(), Limits::default())?;
            PLAIN.compare_with_base(&mut outcome, &base, &ends);
            return Ok(outcome);
        }
        let (mut outcome, facts) = PLAIN.check_for_rollout(name, read(&stream)?.as_slice());
        let rollout = RolloutFacts::read(&names[1], read(&file)?.as_slice(), Limits::default())?;
        PLAIN.compare_with_rollout(&mut outcome, &facts, &rollout)?;
        return Ok(outcome);
    }
    let bytes = read(&folder(rule).join(name))?;
    let Some(text) = settings_of(rule) else {
        return Ok(PLAIN.check(name, bytes.as_slice()));
    };
    let options = settings(Options::new(), &text)?;
    Ok(Checker::new(options)?.check(name, bytes.as_slice()))
}

/// The name of the session file of the examples about homes.
const SESSION_FILE: &str =
    "sessions/2026/11/26/rollout-2026-11-26T04-31-49-01a2161f-bf3e-7d73-a23f-faad0d7dbfe7.jsonl";

fn check_home(
    checker: &Checker,
    name: &str,
    sql: &Path,
    session_file: &Path,
) -> Result<Outcome, Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("home.sqlite");
    let sql = String::from_utf8(read(sql)?)?;
    rusqlite::Connection::open(&path)?.execute_batch(&sql)?;
    let database = Database::open(&path)?;
    let mut rows = HomeRows::new();
    for (table, columns) in HomeDatabase::ALL.iter().flat_map(|known| known.tables()) {
        if let Some(known) = database.table(table) {
            let names: Vec<&str> = known.columns.iter().map(|one| one.name.as_str()).collect();
            rows.add_table(table, &names);
            database.rows(known, &columns, MOST_BYTES, |row| {
                rows.add(table, row.number, &row.to_json());
            })?;
        }
    }
    let bytes = read(session_file)?;
    let file = HomeFile::read(SESSION_FILE, bytes.as_slice(), Limits::default())?;
    let mut comparison = HomeComparison::new(rows);
    comparison.file(&file.ok_or("it is not a session file")?);
    let differences = comparison.end();
    let mut outcome = Outcome::new(name);
    for known in HomeDatabase::ALL {
        checker.report_home(&mut outcome, *known, &differences);
    }
    Ok(outcome)
}

fn check_transcripts(rule: &'static Rule) -> Result<(), Failed> {
    check_example(rule, "pass")?;
    check_example(rule, "fail")
}

/// Requires that an example whose name begins with `pass` respects a rule, and that one whose name begins with
/// `fail` breaks it at the rule's level. One whose name begins with `note` breaks it where that is only noted. An
/// app-server transcript of a rule about order must have no other error
/// either.
fn check_example(rule: &'static Rule, example: &str) -> Result<(), Failed> {
    let outcome = check(rule, example)?;
    let has_other_errors = |outcome: &Outcome| {
        let about_app_server = rule
            .about
            .iter()
            .any(|s| s.protocol() == Protocol::AppServer);
        let is_error = |f: &&codex_wire_check::Finding| f.severity == Severity::Error;
        let mut others = outcome.findings.iter().filter(is_error);
        about_app_server && others.any(|f| f.rule != rule && !implies(rule, f.rule))
    };
    let breaks = |f: &codex_wire_check::Finding| f.rule == rule;
    let mut own = outcome.findings.iter().filter(|f| breaks(f));
    let is_as_named = match example.split('-').next() {
        Some("pass") => own.next().is_none() && outcome.messages > 0,
        Some("note") => own.next().is_some() && own.all(|f| f.severity == Severity::Note),
        _ => own.any(|f| f.severity == rule.level),
    };
    if !is_as_named || has_other_errors(&outcome) {
        return Err(format!("{example}: {}", describe(&outcome)).into());
    }
    Ok(())
}

/// Whether breaking `rule` always breaks `other` too: an item that completes late was open when its
/// turn completed.
fn implies(rule: &Rule, other: &Rule) -> bool {
    rule.id == "sequence/app-server-item-late" && other.id == "sequence/app-server-item-open"
}

/// Each rule has a unique id of a known group, a summary without a full stop, an explanation and
/// evidence with one, and message sets if it is about order.
fn entries_are_complete() {
    let mut names = BTreeSet::new();
    for rule in rules::RULES.iter() {
        assert!(names.insert(rule.id), "{rule} is there twice");
        assert!(
            [
                "framing",
                "schema",
                "sequence",
                "rpc",
                "hooks",
                "with-rollout",
                "home"
            ]
            .contains(&rule.group()),
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
        let about_order = ["sequence", "rpc", "hooks"].contains(&rule.group());
        assert_eq!(about_order, !rule.about.is_empty(), "{rule}");
        assert_eq!(rules::find(rule.id), Some(*rule));
    }
}

/// A rule that always holds is an error, unless it is about lines: some of these are warnings about
/// the program that copied the stream. Rules about hooks are not about Codex: some are warnings. An advisory rule has exceptions with a level, each milder
/// than the rule's own.
fn levels_follow_status() {
    for rule in rules::RULES.iter() {
        let graded = rule.exceptions.iter().any(|e| e.level.is_some());
        match rule.status {
            Status::Holds => {
                let is_error =
                    rule.level == Severity::Error || ["framing", "hooks"].contains(&rule.group());
                assert!(is_error && !graded, "{rule} holds");
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

/// The ranges of rules and exceptions end at releases of the release list, and none is empty. In some
/// release each rule has its own level.
fn releases_are_listed() {
    for rule in rules::RULES.iter() {
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
                assert!(releases.contains(&end), "{rule}: {end} is not a release");
            }
            assert!(
                releases.iter().any(|r| availability.contains(*r)),
                "{rule}: {availability}"
            );
        }
        let at_own = |r: &codex_wire::Release| rule.level_in(*r, None) == Some(rule.level);
        assert!(releases.iter().any(at_own), "{rule}");
    }
}

/// No folder of transcripts and no page belongs to a rule that does not exist.
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

/// Makes a sentence of a summary: with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn about(rule: &Rule) -> String {
    if rule.group() == "home" {
        return "rows of databases".to_owned();
    }
    if rule.about.is_empty() {
        return "all streams".to_owned();
    }
    let names: Vec<_> = rule.about.iter().map(|s| format!("`{s}`")).collect();
    names.join(", ")
}

/// The releases of a rule, for its page.
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
    let cause = match rule.group() {
        "home" => {
            "End Codex and check again: while it works, the two may differ for moments. The session file is the \
             history, and the database is read out of it."
        }
        _ => {
            "If your client sent the message, fix the client. If a copy or a recorder \
             changed the stream, record it again with [`codex-wire tap`](../../checking.md#live-traffic). \
             If Codex sent it and you expect it, list it in a [baseline](../../reports.md#baselines), or \
             use `--allow"
        }
    };
    let allowed = match rule.group() {
        "home" => {
            " If you expect it, list it in a [baseline](../../reports.md#baselines), or use `--allow"
        }
        _ => "",
    };
    let _ = write!(out, "\n**What to do.** {cause}{allowed} {}`.\n", rule.id);
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
    if rule.messages.len() > 1 {
        let _ = write!(out, "\n## What findings say\n\n");
        for message in rule.messages {
            let _ = writeln!(out, "- {message}");
        }
    }
    let outcome = check(rule, "fail")?;
    let _ = write!(
        out,
        "\n## Findings in the wrong example\n\n```text\n{}\n```\n",
        describe(&outcome)
    );
    let _ = write!(out, "\n## Evidence\n\n{}\n", rule.evidence);
    if let Some(answers) = asked::answers(rule)? {
        let _ = write!(
            out,
            "\n## What real programs answered\n\nQuestions and answers of [`probes`](../../../probes/README.md), with the \
             releases; `0.117.0..` goes on to the newest that was asked.\n\n```text\n{answers}```\n"
        );
    }
    let with = match settings_of(rule) {
        Some(text) => format!(", checked with `{text}`"),
        None => String::new(),
    };
    for (name, title) in [("pass", "Correct example"), ("fail", "Wrong example")] {
        let _ = writeln!(out, "\n## {title}");
        for name in files(rule, name) {
            let bytes = read(&folder(rule).join(&name))?;
            let file = format!("fixtures/rules/{}/{name}", rule.id);
            let _ = write!(
                out,
                "\n[`{file}`](../../../{file}){with}\n\n```text\n{}```\n",
                visible(&bytes)
            );
        }
    }
    Ok(out)
}

/// Shows bytes as text. Characters that cannot be seen are spelled out.
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
        ("hooks", "Hooks"),
        ("with-rollout", "Streams and session files"),
        ("home", "Databases and session files"),
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
