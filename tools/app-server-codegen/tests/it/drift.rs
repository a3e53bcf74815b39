//! The files that follow from the archive and the tables are the committed ones.

use std::collections::BTreeMap;

use app_server_codegen::repository::{self, Stale};
use libtest_mimic::{Failed, Trial};
use similar::TextDiff;

use crate::support::{MODEL, OFFICIALS, SNAPSHOTS, TABLES, none, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("drift::files", files),
        trial("drift::every-drift-is-noticed", noticed),
    ]
}

/// The model's text is what the archive folds to; the types are what the model and the tables
/// give.
fn files() -> Result<(), Failed> {
    let mut model = app_server_codegen::Model::default();
    for (stable, experimental) in SNAPSHOTS.iter() {
        model.fold(stable, experimental.as_ref());
    }
    let root = repository::root();
    let files = repository::files(&OFFICIALS, &model, &TABLES)?;
    let stale = repository::stale(&root, &files)?;
    if golden_files::is_update() {
        return Ok(repository::write(&root, &stale)?);
    }
    let complaints: Vec<String> = stale.iter().map(complaint).collect();
    none(&complaints)?;
    match model == *MODEL {
        true => Ok(()),
        false => Err("the text reads back as another model".into()),
    }
}

fn complaint(stale: &Stale) -> String {
    let Stale {
        path,
        committed,
        wanted,
    } = stale;
    match (committed, wanted) {
        (Some(committed), Some(wanted)) => {
            let diff = TextDiff::from_lines(committed.as_str(), wanted.as_str());
            let diff = diff.unified_diff().context_radius(1).to_string();
            let lines: Vec<&str> = diff.lines().take(40).collect();
            format!("{path} is not what it has to be\n{}", lines.join("\n"))
        }
        (None, _) => format!("{path} is missing"),
        (_, None) => format!("{path} is there and nothing makes it"),
    }
}

fn noticed() -> Result<(), Failed> {
    let base = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = golden_files::folders::empty(base, "drift");
    let types = "crates/codex-wire/src/app_server/types";
    let path = |name: &str| format!("{types}/{name}.rs");
    let committed = |name: &str, text: &str| Stale {
        path: path(name),
        committed: None,
        wanted: Some(text.to_owned()),
    };
    let written = [
        committed("a", "same\n"),
        committed("b", "old\n"),
        committed("c", "c\n"),
    ];
    repository::write(&root, &written)?;
    let mut wanted = BTreeMap::new();
    for (name, text) in [("a", "same\n"), ("b", "new\n"), ("d", "d\n")] {
        wanted.insert(path(name), text.to_owned());
    }
    let complaints: Vec<String> = repository::stale(&root, &wanted)?
        .iter()
        .map(complaint)
        .collect();
    let expected = [
        format!(
            "{} is not what it has to be\n@@ -1 +1 @@\n-old\n+new",
            path("b")
        ),
        format!("{} is missing", path("d")),
        format!("{} is there and nothing makes it", path("c")),
    ];
    match complaints == expected {
        true => Ok(()),
        false => Err(complaints.join("\n").into()),
    }
}
