//! The files under `schemas/` are what the types say now.

use std::collections::BTreeMap;

use codex_wire_schema::publish;

use crate::support::schemas;

#[test]
fn drift() {
    let now: BTreeMap<String, String> = publish()
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect();
    golden_files::assert_folder(&schemas(), "json", &now);
}
