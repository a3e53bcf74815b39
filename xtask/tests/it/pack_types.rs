//! The package of TypeScript types is packed whole. What its types say is tried in `type-codegen`.

use std::collections::BTreeSet;
use std::fs;

use codex_wire::Protocol;
use flate2::read::GzDecoder;
use serde_json::Value;
use xtask::pack::types;
use xtask::repository;

/// Every release of every protocol leads to a file, and each file of types is led to: by the map of exports, or by
/// another file, of which it declares what neighbouring releases share.
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
        for import in named.chain([format!("./{protocol}"), format!("./{protocol}/any")]) {
            let types = exports[&import]["types"].as_str().unwrap();
            assert!(package.join(types).is_file(), "{import}: {types}");
        }
    }
    let targets = exports
        .values()
        .filter_map(|target| target["types"].as_str());
    let mut targets: BTreeSet<String> = targets.map(|path| path[2..].to_owned()).collect();
    let mut unread: Vec<String> = targets.iter().cloned().collect();
    while let Some(path) = unread.pop() {
        let text = fs::read_to_string(package.join(&path)).unwrap();
        for specifier in text.split(" from \"").skip(1) {
            let (specifier, _) = specifier.split_once("\";").unwrap();
            let name = specifier.strip_suffix(".js").unwrap();
            let folder = path.split_once('/').unwrap().0;
            let other = match name.strip_prefix("../") {
                Some(name) => format!("{name}.d.ts"),
                None => format!("{folder}/{}.d.ts", name.strip_prefix("./").unwrap()),
            };
            assert!(package.join(&other).is_file(), "{path}: {other}");
            if targets.insert(other.clone()) {
                unread.push(other);
            }
        }
    }
    let mut found = 0;
    let mut bytes = 0;
    let mut left = vec![package.clone()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ts") {
                let name = path.strip_prefix(&package).unwrap().to_str().unwrap();
                assert!(targets.contains(name), "{name}");
                found += 1;
                bytes += fs::metadata(&path).unwrap().len();
            }
        }
    }
    assert_eq!(found, targets.len());
    // Without sharing they were 38 MB.
    assert!(bytes < 15_000_000, "{bytes} bytes of declarations");
    for path in [
        "schemas/catalog.json",
        "README.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
    ] {
        assert!(package.join(path).is_file(), "{path}");
    }
}
