//! What several groups of tests use.

pub(crate) mod mutants;
pub(crate) mod property;
pub(crate) mod surfaces;
pub(crate) mod values;

use std::path::{Path, PathBuf};

use codex_wire::Release;
use codex_wire_check::{Options, gate, rules};
use libtest_mimic::{Failed, Trial};
use similar::TextDiff;

/// The folder of transcripts.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The transcripts of a folder below `fixtures/`.
///
/// # Panics
/// When there are none: a test over no transcripts would hold of anything.
pub(crate) fn transcripts(folder: &str) -> Vec<PathBuf> {
    let found = gate::transcripts(fixtures().join(folder)).unwrap();
    assert!(!found.is_empty(), "fixtures/{folder} holds no transcripts");
    found
}

/// The path below `fixtures/` without its extension, for names of tests.
pub(crate) fn name(path: &Path) -> String {
    let below = path.strip_prefix(fixtures()).unwrap().with_extension("");
    let parts: Vec<_> = below.iter().map(|part| part.to_str().unwrap()).collect();
    parts.join("/")
}

/// The release whose folder the transcript lies in.
pub(crate) fn release_of(path: &Path) -> Result<Release, Failed> {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    folder.to_str().unwrap().parse().map_err(Failed::from)
}

/// Options for pieces of streams, of which order and pairing say nothing.
pub(crate) fn without_order(mut options: Options) -> Options {
    for rule in rules::RULES {
        if ["life", "rpc"].contains(&rule.group()) {
            options.levels.set(rule, None);
        }
    }
    options
}

/// Whether differences are to be accepted.
pub(crate) fn update() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// A unified diff.
pub(crate) fn diff(name: &str, expected: &str, found: &str) -> String {
    TextDiff::from_lines(expected, found)
        .unified_diff()
        .context_radius(3)
        .header(&format!("{name} (expected)"), &format!("{name} (found)"))
        .to_string()
}

/// A function that panics when something is wrong, as a test.
pub(crate) fn trial(name: &'static str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
