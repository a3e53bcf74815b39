//! Golden files: compared as text, rewritten when `UPDATE=1` is set.

use std::path::Path;

/// Compares `actual` with the golden file of that name.
#[track_caller]
pub(crate) fn check(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/golden")
        .join(name);
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != actual {
        let diff = similar::TextDiff::from_lines(&expected, actual);
        let diff = diff.unified_diff();
        panic!("{name} differs; `cargo xtask generate --only reports` accepts it\n{diff}");
    }
}
