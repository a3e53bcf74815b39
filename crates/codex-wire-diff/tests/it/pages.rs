//! The pages under `docs/changes` are what is compared now.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire_diff::pages;

use crate::support::app_server;

#[test]
fn pages_are_up_to_date() {
    let now: BTreeMap<String, String> = pages(app_server())
        .into_iter()
        .map(|page| (page.path, page.text))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/changes");
    golden_files::assert_folder(&folder, "md", &now);
    // A page is for reading, and all of them are in the repository.
    let size: usize = now.values().map(String::len).sum();
    assert!(size < 1_500_000, "{size} bytes");
}
