//! The derive serves other packages too: `outside/` is one, and no member of the workspace.

use std::fs;
use std::path::Path;
use std::process::Command;

use sampling::spread;

use crate::support::files;

/// Runs the tests of the package, with the dependencies the workspace has and without a network.
fn holds(features: &str) {
    let package = files::root().join("outside");
    // The same versions, so that there is nothing to be had from anywhere.
    fs::copy(files::root().join("Cargo.lock"), package.join("Cargo.lock"))
        .expect("the list of versions can be copied");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the folder lies in that of what is built");
    let done = Command::new(env!("CARGO"))
        .args(["test", "--lib", "--offline", "--features", features])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo can be run");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "with {features:?}:\n{said}");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(!said.contains("running 0 tests"), "{said}");
}

/// In one test, for they share a folder. Each set builds `codex-wire` again, so every run tries one, with features of its own
/// that have the same names.
#[test]
fn what_the_derive_writes_needs_no_features_of_the_package_it_is_in() {
    for features in spread(["elsewhere", "", "app-server-core", "schema,proptest"], 1) {
        holds(features);
    }
}
