//! The recordings of the scenarios of conformance.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use codex_wire_replay::scenarios::SCENARIOS;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::{Map, Value, json};

/// The file of the recordings that are built in has the fixtures as they are.
#[test]
fn the_embedded_recordings_are_those_of_the_fixtures() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixtures = package.join("../../fixtures");
    let file = package.join("src/conformance/recordings.deflate");
    let mut expected = BTreeMap::new();
    for (_, path) in SCENARIOS.iter().flat_map(|scenario| scenario.recordings) {
        let (protocol, inside) = path.split_once('/').unwrap();
        let manifest = fs::read(fixtures.join(protocol).join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let mut entries = manifest["transcripts"].as_array().unwrap().iter();
        let entry = entries.find(|entry| entry["file"] == inside).unwrap();
        let keys = ["release", "argv", "exit_code", "signal"];
        let known = keys
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), entry.get(*key)?.clone())));
        let about: Map<String, Value> = known.collect();
        let text = fs::read_to_string(fixtures.join(path)).unwrap();
        expected.insert(*path, json!({ "text": text, "about": about }));
    }
    let expected = serde_json::to_string(&expected).unwrap();
    if golden_files::is_update() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(expected.as_bytes()).unwrap();
        fs::write(&file, encoder.finish().unwrap()).unwrap();
    }
    let mut found = String::new();
    DeflateDecoder::new(fs::read(&file).unwrap().as_slice())
        .read_to_string(&mut found)
        .unwrap();
    assert!(
        found == expected,
        "`cargo xtask generate --only faults` makes the file again"
    );
}
