//! The answers of releases, and what we say of the same questions.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use app_server_codegen::repository::{self, Tables};
use app_server_codegen::{Kind, store};
use codex_wire_base::{Protocol, Release};
use probes::compare::{Decided, disagreements};
use probes::hooks::Output;
use probes::rounds::{NOT_CALLED, WITHOUT};
use probes::{Probes, folder};
use serde_json::Value;

static PROBES: LazyLock<Probes> = LazyLock::new(|| Probes::load(&root()).unwrap());

fn root() -> PathBuf {
    folder::folder(&repository::root())
}

fn list(releases: &BTreeSet<Release>) -> Vec<Release> {
    releases.iter().copied().collect()
}

/// What a release answered about the app-server is what our schemas say of its requests, except for what is decided
/// one by one. What is new fails, and so does what is gone.
#[test]
fn our_schemas_say_what_releases_answered() {
    let found = disagreements(&PROBES.app_server).unwrap();
    let asked = list(&PROBES.app_server.asked);
    let path = Decided::path(&repository::root());
    let decided = Decided::parse(&fs::read_to_string(&path).unwrap(), &asked).unwrap();
    let now = decided.updated(&found);
    golden_files::assert_file(&path, &now.text(&asked));
    let undecided = now.undecided().map(|log| log.text(&asked));
    if let Some(undecided) = undecided {
        panic!("each of these needs a reason:\n{undecided}");
    }
}

/// A file that somebody changed by hand does not come back.
#[test]
fn the_files_are_as_they_are_written() {
    let copy = tempfile::tempdir().unwrap();
    let domains = Tables::load().unwrap().domains;
    PROBES.write(copy.path(), &domains).unwrap();
    for path in files(copy.path()) {
        let written = fs::read_to_string(copy.path().join(&path)).unwrap();
        let kept = fs::read_to_string(root().join(&path)).unwrap_or_default();
        assert!(written == kept, "{} differs", path.display());
    }
    assert_eq!(
        files(copy.path()),
        files(&root())
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
            .collect()
    );
}

/// The files below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                out.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    out
}

/// Outputs that were tried one by one came to the same.
#[test]
fn hooks_that_run_side_by_side_do_not_disturb_each_other() {
    let folder = repository::root().join("fixtures/hooks-outcomes");
    let (mut count, mut wrong) = (0, Vec::new());
    for path in files(&folder) {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let Ok(release) = stem.parse::<Release>() else {
            continue;
        };
        for line in fs::read_to_string(folder.join(&path)).unwrap().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| record[name].as_str().unwrap().to_owned();
            let output = Output {
                stdout: text("stdout"),
                stderr: text("stderr"),
                exit: i32::try_from(record["exit"].as_i64().unwrap()).unwrap(),
            };
            let entries = text("entries").replace(" ; ", "; ");
            let expected = format!("{} {entries}", text("status"));
            let (sent, put) = (output.ending(), Value::from(output.stdout).to_string());
            let found = PROBES
                .hooks
                .log
                .find(&text("event"), &sent, &put)
                .and_then(|answers| {
                    let mut answers = answers.iter();
                    answers.find(|(_, releases)| releases.contains(&release))
                });
            count += 1;
            if found.map(|(answer, _)| answer.as_str()) != Some(expected.trim_end()) {
                wrong.push(format!("{release}: {line}: {found:?}"));
            }
        }
    }
    assert!(count > 2000, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each release on our lists was asked.
#[test]
fn releases_were_asked() {
    let Probes {
        app_server, hooks, ..
    } = &*PROBES;
    for (protocol, asked) in [
        (Protocol::AppServer, &app_server.asked),
        (Protocol::Hooks, &hooks.asked),
    ] {
        let all = protocol.release_list().releases().iter();
        let missing: Vec<&Release> = all.filter(|one| !asked.contains(one)).collect();
        assert!(missing.is_empty(), "{protocol}: {missing:?}");
    }
}

/// What the model marks as experimental is refused to a client that did not ask for the experimental API, and
/// nothing else that was tried is.
#[test]
fn the_experimental_api_is_what_the_model_marks() {
    let app_server = &PROBES.app_server;
    let mut wrong = Vec::new();
    for entry in app_server.experimental.entries() {
        for (answer, releases) in entry.answers {
            if !is_gate(answer) {
                wrong.push(format!("{}: {answer}: {releases:?}", entry.about));
            }
        }
    }
    let model = Tables::load()
        .unwrap()
        .overlay
        .apply(&store::load(&store::folder()).unwrap())
        .unwrap();
    for entry in app_server.methods.entries() {
        for (answer, releases) in entry.answers {
            // What cannot be read is refused before that.
            if !entry.sent.ends_with(WITHOUT) || answer.starts_with("refused") {
                continue;
            }
            for release in releases {
                let methods = model.method_availability(Kind::ClientRequest, entry.about);
                let is_marked = !methods.holds(*release, false) && methods.holds(*release, true);
                if answer != NOT_CALLED && is_gate(answer) != is_marked {
                    wrong.push(format!("{}: {answer}: {release}", entry.about));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_gate(answer: &str) -> bool {
    answer.starts_with("denied: ") && answer.ends_with(" requires experimentalApi capability")
}
