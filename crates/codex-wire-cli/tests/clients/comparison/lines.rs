//! How long a program is.

use std::fs;
use std::path::Path;

use crate::install::workspace;

/// The lines of a program, without those that are blank, comments, or attributes of lints. Each program is formatted as
/// its language usually is.
pub(crate) fn count(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap();
    let mark = match path.extension().and_then(|end| end.to_str()) {
        Some("py") => "#",
        _ => "//",
    };
    let counts = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(mark) && !line.starts_with("#![allow")
    };
    text.lines().filter(counts).count()
}

/// The program with a turn, blocking and with Tokio.
pub(crate) fn ours_is_short() {
    let folder = workspace().join("crates/codex-wire-client/examples/compared");
    for name in ["app-server.rs", "app-server-tokio.rs"] {
        let lines = count(&folder.join(name));
        assert!((20..=35).contains(&lines), "{name}: {lines} lines");
    }
}
