//! What several tests use.

use std::path::Path;
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_diff::{Comparison, Side, diff, history, message_sets};
use codex_wire_schema::Stability;

/// Compares a text with the golden file of that name.
pub(crate) fn golden(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    golden_files::assert_file(&folder.join(name), text);
}

/// The history of the app-server, made once for all tests: it takes long.
pub(crate) fn app_server() -> &'static [Comparison] {
    static HISTORY: LazyLock<Vec<Comparison>> = LazyLock::new(|| history(Protocol::AppServer));
    &HISTORY
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
