//! The recorded connections of the app-server.

use std::path::{Path, PathBuf};

use codex_wire::transcript::{Record, Side};

use crate::support::files;

/// A line of a connection.
pub(crate) struct Recorded {
    /// Where it stands, for messages.
    pub(crate) place: String,
    /// Which connection of its recording it travelled on.
    pub(crate) connection: u32,
    /// Whether Codex wrote it.
    pub(crate) of_codex: bool,
    /// The line.
    pub(crate) text: String,
}

/// The recordings, in order; with those below the folder that `CODEX_WIRE_RECORDINGS` names.
///
/// # Panics
/// When there are none: a test over no recordings would hold of anything.
pub(crate) fn app_server() -> Vec<PathBuf> {
    let mut out = files::below(&files::root().join("fixtures/app-server"), "jsonl");
    assert!(!out.is_empty(), "fixtures/app-server holds no .jsonl file");
    if let Some(folder) = std::env::var_os("CODEX_WIRE_RECORDINGS") {
        let more = files::below(Path::new(&folder), "jsonl");
        assert!(
            !more.is_empty(),
            "{} holds no .jsonl file",
            folder.display()
        );
        out.extend(more);
    }
    out
}

/// The lines of a recording that are text.
pub(crate) fn lines(path: &Path) -> Vec<Recorded> {
    let mut out = Vec::new();
    for (place, text) in files::lines(path) {
        let record: Record =
            codex_wire::from_str(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
        if let Record::Line(line) = record
            && let Some(text) = line.line.into_value()
        {
            out.push(Recorded {
                place,
                connection: line.connection.into_value().unwrap_or(0),
                of_codex: line.from == Side::Codex,
                text,
            });
        }
    }
    out
}
