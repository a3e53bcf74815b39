//! The archive of schemas: the same bytes each time, and each file at the path of its id.

use std::collections::BTreeMap;
use std::io::Read as _;

use codex_wire::MessageSet;
use codex_wire_schema::{BASE, release_ranges};
use flate2::read::GzDecoder;
use serde_json::Value;
use xtask::schemas::pack;

pub(crate) fn the_archive_is_the_same_each_time() {
    let sets = [MessageSet::Exec, MessageSet::Notify];
    let made = || {
        let mut out = Vec::new();
        (pack(&mut out, &sets).unwrap(), out)
    };
    let (packed, bytes) = made();
    assert_eq!((packed, &bytes), (made().0, &made().1));
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(&*bytes));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mtime().unwrap(), 0);
        let path = entry.path().unwrap().to_string_lossy().into_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        if let Some(id) = json["$id"].as_str() {
            assert_eq!(format!("schemas/{}", id.strip_prefix(BASE).unwrap()), path);
        }
        assert!(
            files.insert(path.clone(), json).is_none(),
            "{path} stands twice"
        );
    }
    assert_eq!(files.len() as u64, packed.files);
    // Two profiles and generators' form, in two drafts.
    for set in sets {
        for range in release_ranges(set) {
            let start = format!("schemas/{set}/{}.", range.since);
            let own = files.keys().filter(|path| path.starts_with(&start));
            assert_eq!(own.count(), 6, "{start}");
        }
    }
    let listed = files["schemas/catalog.json"]["schemas"].as_array().unwrap();
    // The catalogue lists neither itself nor the index of methods.
    assert_eq!(listed.len() + 2, files.len());
}
