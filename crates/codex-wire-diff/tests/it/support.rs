//! What several tests use.

use std::path::Path;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_diff::{Comparison, Side, diff, message_sets};
use codex_wire_schema::Stability;
use similar::TextDiff;

/// Whether differences are to be accepted.
pub(crate) fn update() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// Compares a text with the golden file of that name.
#[track_caller]
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/golden")
        .join(name);
    if update() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    if golden != text {
        let diff = TextDiff::from_lines(golden.as_str(), text);
        panic!(
            "{name} differs; set UPDATE=1 to accept\n{}",
            diff.unified_diff()
        );
    }
}

/// What a protocol is at a release.
pub(crate) fn side(protocol: Protocol, release: &str, stability: Stability) -> Side {
    let found = protocol.release_list().resolve(release);
    // `exec` of before its present form.
    let release: Release = found
        .or_else(|_| MessageSet::ExecLegacy.release_list().resolve(release))
        .unwrap();
    Side::release(message_sets(protocol, release), release, stability)
}

/// Two releases of a protocol, with everything.
pub(crate) fn between(protocol: Protocol, before: &str, after: &str) -> Comparison {
    let side = |release| side(protocol, release, Stability::Experimental);
    diff(&side(before), &side(after)).unwrap()
}

/// Two releases of one message set.
pub(crate) fn of_message_set(
    message_set: MessageSet,
    before: Release,
    after: Release,
) -> Comparison {
    let side = |release| Side::release(&[message_set], release, Stability::Experimental);
    diff(&side(before), &side(after)).unwrap()
}
