//! The Python types read every recorded line, and write it back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Bundle, BundleName, Stability};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::install::workspace;
use crate::mutants::mutants;
use crate::recorded::{Recorded, Validators, What, kind, least, lines};

pub(crate) fn trials() -> Vec<Trial> {
    let trials = FLAVOURS.iter().map(|flavour| {
        // `cargo xtask pack python --tools` installs it.
        let missing = !site().join(flavour).is_dir();
        let name = match missing {
            true => format!("python: {flavour} is not installed"),
            false => format!("python: {flavour}"),
        };
        let run = move || check(flavour).map_err(Failed::from);
        Trial::test(name, run).with_ignored_flag(missing)
    });
    trials.collect()
}

/// The libraries of which the types are.
const FLAVOURS: &[&str] = &["pydantic", "msgspec"];

fn site() -> PathBuf {
    workspace().join(".cache/python/site")
}

/// Members that stand twice in recorded objects, with different values: of two values the types have the
/// last, as every reader of JSON in Python has.
const DUPLICATES: &[&str] = &["exec id"];

fn check(flavour: &str) -> Result<(), String> {
    let report = said(flavour)?;
    for (module, least) in [
        ("exec", least(1_500, 40)),
        ("app_server", least(4_000, 300)),
        ("rollout", least(5_000, 100)),
        ("core", least(100, 50)),
        ("exec_legacy", least(100, 20)),
        ("hooks", least(50, 10)),
        ("notify", least(10, 1)),
    ] {
        let count = report["lines"][module].as_u64().unwrap_or_default();
        assert!(count > least as u64, "{module}: only {count} lines");
    }
    for problem in ["refused", "differs", "undeclared"] {
        let found = &report[problem];
        if found.as_array().is_none_or(|found| !found.is_empty()) {
            return Err(format!("{problem}: {found:#}"));
        }
    }
    // To each line a later release may add a member.
    assert_eq!(report["extended"].as_u64(), Some(numbers(&report["lines"])));
    // Some of what one release refuses, another writes.
    let wrong = report["wrong"].as_u64().unwrap_or_default();
    let taken = numbers(&report["taken"]);
    assert!(wrong > 8_000, "only {wrong} wrong lines");
    assert!(
        taken * 10 < wrong,
        "{taken} of {wrong} wrong lines are taken"
    );
    let duplicates: Vec<_> = report["duplicates"]
        .as_object()
        .into_iter()
        .flat_map(|d| d.keys())
        .collect();
    match sampling::is_wide() {
        true => assert_eq!(duplicates, DUPLICATES),
        false => assert!(
            duplicates
                .iter()
                .all(|found| DUPLICATES.contains(&found.as_str()))
        ),
    }
    Ok(())
}

/// The sum of the values of an object.
fn numbers(of: &Value) -> u64 {
    let values = of.as_object().into_iter().flat_map(|of| of.values());
    values.filter_map(Value::as_u64).sum()
}

/// Recorded lines, and lines that their release would not write: of the shortest line of each kind one member
/// left out, or one value of another type.
fn questions(lines: &BTreeSet<Recorded>) -> Vec<String> {
    let mut names = Names::default();
    let mut shortest: BTreeMap<(BundleName, String), &Recorded> = BTreeMap::new();
    // The types are those of all releases: a line is tried once.
    let mut out: BTreeMap<String, BTreeSet<Release>> = BTreeMap::new();
    for line in lines {
        let question = names.question(line, &line.text, false);
        let releases = out.entry(question.to_string()).or_default();
        releases.insert(line.release);
        let kind = (line.bundle, kind(&line.what, &line.value()));
        let known = shortest.entry(kind).or_insert(line);
        if (line.text.len(), line.release) < (known.text.len(), known.release) {
            *known = line;
        }
    }
    let mut validators = Validators::default();
    for line in shortest.into_values() {
        for mutant in mutants(&line.value()) {
            let text = mutant.to_string();
            if !validators.accepts(line, mutant) {
                let question = names.question(line, &text, true);
                out.entry(question.to_string()).or_default();
            }
        }
    }
    let asked = out.into_iter().map(|(question, releases)| {
        let mut question: Value = serde_json::from_str(&question).expect("a question");
        // For those who compare: the test itself does not ask.
        question["releases"] = releases.iter().map(ToString::to_string).collect();
        question.to_string()
    });
    asked.collect()
}

/// A file with the questions, which the flavours share.
static QUESTIONS: LazyLock<PathBuf> = LazyLock::new(|| {
    let input = questions(lines()).join("\n") + "\n";
    let folder = workspace().join("target/tmp/type-codegen");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("lines.jsonl");
    fs::write(&path, input).expect("a file");
    path
});

/// What the program says of these lines.
fn said(flavour: &str) -> Result<Value, String> {
    let source = workspace().join("packages/python/src");
    let paths = std::env::join_paths([source, site()]).expect("paths");
    let output = Command::new(if cfg!(windows) { "python" } else { "python3" })
        .arg(workspace().join("tools/type-codegen/python/check.py"))
        .arg(flavour)
        .env("PYTHONPATH", paths)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::from(fs::File::open(&*QUESTIONS).expect("a file")))
        .output()
        .map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(errors);
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {errors}"))
}

/// The definitions of messages, by release.
#[derive(Default)]
struct Names {
    known: BTreeMap<(BundleName, Release), BTreeMap<MessageSet, String>>,
}

impl Names {
    /// A line for the program.
    fn question(&mut self, line: &Recorded, text: &str, is_wrong: bool) -> Value {
        let mut question = match &line.what {
            // One type has the lines of all session files.
            What::Message(MessageSet::Rollout | MessageSet::RolloutEarly) => {
                json!({"type": "SessionLine"})
            }
            What::Message(set) => json!({"type": self.of(line.bundle, line.release, *set)}),
            What::Response(set, method) => {
                let by_codex = set.is_written();
                let results = if by_codex {
                    "SERVER_RESULTS"
                } else {
                    "CLIENT_RESULTS"
                };
                json!({"results": results, "method": method})
            }
        };
        question["module"] = json!(line.bundle.as_str().replace('-', "_"));
        question["wrong"] = json!(is_wrong);
        question["text"] = json!(text);
        question
    }

    fn of(&mut self, bundle: BundleName, release: Release, set: MessageSet) -> &str {
        let names = self.known.entry((bundle, release)).or_insert_with(|| {
            let bundle = Bundle::new(bundle, release, Stability::Experimental);
            let roots = bundle.roots.iter();
            roots
                .map(|root| (root.message_set, root.definition.to_string()))
                .collect()
        });
        &names[&set]
    }
}
