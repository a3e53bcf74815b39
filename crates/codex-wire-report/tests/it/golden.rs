//! The golden files.

use std::path::Path;

/// Compares `actual` with the golden file of that name.
pub(crate) fn check(name: &str, actual: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    golden_files::assert_file(&folder.join(name), actual);
}
