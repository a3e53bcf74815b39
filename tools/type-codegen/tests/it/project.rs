//! One file names the repository.

use std::fs;

use type_codegen::project::Project;

use crate::support::root;

#[test]
fn the_manifest_of_the_workspace_names_the_same_repository() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let package = &manifest["workspace"]["package"];
    let project = Project::read();
    assert_eq!(package["repository"].as_str(), Some(&*project.url()));
    assert_eq!(package["homepage"].as_str(), Some(&*project.url()));
    assert_eq!(package["version"].as_str(), Some(project.version()));
    let hint = "packages/python/src/codex_wire/_program.py";
    let hint = fs::read_to_string(root().join(hint)).expect("a module");
    let line = format!("REPOSITORY = \"{}\"", project.url());
    assert!(hint.lines().any(|found| found == line), "{line}");
    assert!(project.schemas.starts_with("https://") && project.schemas.ends_with('/'));
}
