//! What several groups of tests use.

pub(crate) mod chance;
pub(crate) mod message_sets;
pub(crate) mod mutants;
pub(crate) mod property;
pub(crate) mod values;

use std::path::{Path, PathBuf};

use codex_wire::Release;
use codex_wire_check::{Options, rules};
use libtest_mimic::{Failed, Trial};

/// The folder of transcripts.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The transcripts of a folder below `fixtures/`.
///
/// # Panics
/// When there are none: a test over no transcripts would hold of anything.
pub(crate) fn transcripts(folder: &str) -> Vec<PathBuf> {
    let found = codex_wire_testing::transcripts(fixtures().join(folder)).unwrap();
    assert!(!found.is_empty(), "fixtures/{folder} holds no transcripts");
    found
}

/// Where recordings lie of which mutants are made: below `fixtures/`, or where `CODEX_WIRE_UNSEEN` says,
/// which is a folder that `cargo xtask record` has written.
pub(crate) fn recordings_root() -> PathBuf {
    unseen().unwrap_or_else(fixtures)
}

/// The folder of recordings that no fixture covers, if mutants are to be made of those.
pub(crate) fn unseen() -> Option<PathBuf> {
    std::env::var_os("CODEX_WIRE_UNSEEN").map(PathBuf::from)
}

/// The recordings of a protocol or dialect of which mutants are made. A folder of unseen ones need
/// not have all of them.
pub(crate) fn recordings(folder: &str) -> Vec<PathBuf> {
    let path = recordings_root().join(folder);
    match unseen() {
        Some(_) if !path.is_dir() => Vec::new(),
        Some(_) => codex_wire_testing::transcripts(path).unwrap(),
        None => transcripts(folder),
    }
}

/// Whether a text fits a pattern, in which `*` stands for anything.
pub(crate) fn is_called(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && is_called(&rest[at..], tail))
        }),
    }
}

/// The session files below a folder of recordings: plain ones, and ones that Codex has compressed.
pub(crate) fn session_files(folder: &str) -> Vec<PathBuf> {
    let root = recordings_root().join(folder);
    let entries = walkdir::WalkDir::new(&root).sort_by_file_name();
    let files = entries.into_iter().filter_map(Result::ok);
    let files = files.filter(|entry| entry.file_type().is_file());
    let files = files.filter(|entry| entry.file_name().to_string_lossy().starts_with("rollout-"));
    let found: Vec<PathBuf> = files.map(walkdir::DirEntry::into_path).collect();
    let may_be_none = unseen().is_some();
    assert!(
        may_be_none || !found.is_empty(),
        "{root:?} holds no session files"
    );
    found
}

/// The bytes of a session file, unpacked.
pub(crate) fn session_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    match path.extension().is_some_and(|ending| ending == "zst") {
        true => zstd::decode_all(&*bytes),
        false => Ok(bytes),
    }
}

/// The path below the folder of recordings without its extension, for names of tests.
pub(crate) fn name(path: &Path) -> String {
    let root = recordings_root();
    let below = path
        .strip_prefix(root)
        .or_else(|_| path.strip_prefix(fixtures()));
    let below = below.unwrap().with_extension("");
    let parts: Vec<_> = below.iter().map(|part| part.to_str().unwrap()).collect();
    parts.join("/")
}

/// The release whose folder the transcript lies in.
pub(crate) fn release_of(path: &Path) -> Result<Release, Failed> {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    folder.to_str().unwrap().parse().map_err(Failed::from)
}

/// Options for parts of streams, without rules about order and pairing.
pub(crate) fn without_order(mut options: Options) -> Options {
    for rule in rules::RULES.iter() {
        if ["sequence", "rpc", "hooks"].contains(&rule.group()) {
            options.levels.set(rule, None);
        }
    }
    options
}

/// A function that panics when something is wrong, as a test.
pub(crate) fn trial(name: &'static str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
