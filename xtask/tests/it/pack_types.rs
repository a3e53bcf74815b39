//! The package of TypeScript types is packed whole. What its types say is tried in `type-codegen`.

use std::collections::BTreeSet;
use std::fs;

use codex_wire::Protocol;
use flate2::read::GzDecoder;
use serde_json::Value;
use xtask::pack::types;
use xtask::repository;

/// Every release of every protocol leads to a file, and each file of types is led to.
pub(crate) fn every_release_resolves() {
    let out = tempfile::tempdir().unwrap();
    let path = types::pack(&repository(), out.path()).unwrap();
    let archive = GzDecoder::new(fs::File::open(path).unwrap());
    tar::Archive::new(archive).unpack(out.path()).unwrap();
    let package = out.path().join("package");
    let manifest = fs::read_to_string(package.join("package.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let exports = manifest["exports"].as_object().unwrap();
    for protocol in Protocol::ALL {
        let releases = protocol.release_list().releases();
        let named = releases
            .iter()
            .map(|release| format!("./{protocol}/{release}"));
        for import in named.chain([format!("./{protocol}")]) {
            let types = exports[&import]["types"].as_str().unwrap();
            assert!(package.join(types).is_file(), "{import}: {types}");
        }
    }
    let targets = exports
        .values()
        .filter_map(|target| target["types"].as_str());
    let targets: BTreeSet<&str> = targets.collect();
    let mut found = 0;
    let mut left = vec![package.clone()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ts") {
                let name = path.strip_prefix(&package).unwrap().to_str().unwrap();
                assert!(targets.contains(&*format!("./{name}")), "{name}");
                found += 1;
            }
        }
    }
    assert_eq!(found, targets.len());
    for path in [
        "schemas/catalog.json",
        "README.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
    ] {
        assert!(package.join(path).is_file(), "{path}");
    }
}
