//! The archives of a release on GitHub, as `cargo binstall` and Homebrew fetch them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use type_codegen::project::Project;
use xtask::pack::platforms::{Binary, Platform, platforms};
use xtask::pack::{VERSION, archives};
use xtask::repository;

use crate::stage::{empty_folder, trial};
use crate::tools::done;

/// A test for each way to fetch them.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("archives::binstall_finds_them", &None, binstall_finds_them),
        trial(
            "archives::the_formula_names_them",
            &None,
            the_formula_names_them,
        ),
    ]
}

/// Archives with a script in the place of each program, which says its platform.
fn packed(name: &str) -> (PathBuf, Vec<Platform>) {
    let (programs, out) = (
        empty_folder(&format!("{name}-programs")),
        empty_folder(name),
    );
    let platforms = platforms(&repository()).unwrap();
    let binaries: Vec<Binary> = platforms
        .iter()
        .map(|platform| {
            let path = programs.join(&platform.name);
            fs::write(&path, format!("#!/bin/sh\necho {}\n", platform.name)).unwrap();
            Binary {
                platform: platform.name.clone(),
                path,
            }
        })
        .collect();
    archives::pack(&repository(), &binaries, &out).unwrap();
    (out, platforms)
}

/// The metadata of the crate lead to an archive of each platform, and to the program in it.
fn binstall_finds_them() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    let text = done(cargo.current_dir(repository())).unwrap();
    let metadata: serde_json::Value = serde_json::from_str(&text).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "codex-wire-cli");
    let package = package.unwrap();
    let binstall = &package["metadata"]["binstall"];
    assert_eq!(binstall["pkg-fmt"], "tgz");
    let (out, platforms) = packed("archives-binstall");
    let url = Project::read().url();
    for platform in &platforms {
        let values = BTreeMap::from([
            ("repo", package["repository"].as_str().unwrap()),
            ("version", package["version"].as_str().unwrap()),
            ("target", &platform.target),
            ("bin", "codex-wire"),
            (
                "binary-ext",
                if platform.os == "win32" { ".exe" } else { "" },
            ),
        ]);
        let filled_in = |key: &str| {
            let text = binstall[key].as_str().unwrap().to_owned();
            values.iter().fold(text, |text, (name, value)| {
                text.replace(&format!("{{ {name} }}"), value)
            })
        };
        let address = filled_in("pkg-url");
        let file = address.strip_prefix(&format!("{url}/releases/download/v{VERSION}/"));
        let unpacked = empty_folder(&format!("archives-{}", platform.name));
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--gzip", "--file"])
            .arg(out.join(file.unwrap()));
        done(tar.current_dir(&unpacked)).unwrap_or_else(|problem| panic!("{problem}"));
        let said = done(&mut Command::new(unpacked.join(filled_in("bin-dir")))).unwrap();
        assert_eq!(said.trim(), platform.name);
    }
}

/// Homebrew gets the digest of each archive, at the address that the release has.
fn the_formula_names_them() {
    let (out, platforms) = packed("archives-homebrew");
    let formula = fs::read_to_string(out.join("codex-wire.rb")).unwrap();
    assert!(
        !formula.contains('{') || formula.matches('{').count() == formula.matches("#{").count()
    );
    for platform in platforms.iter().filter(|platform| platform.os != "win32") {
        let archive = out.join(archives::archive_name(platform));
        let digest = done(Command::new("sha256sum").arg(&archive)).unwrap();
        let digest = digest.split(' ').next().unwrap();
        let (system, processor) = (platform.os.replace("darwin", "macos"), &platform.cpu);
        let block = formula.split(&format!("on_{system} do")).nth(1).unwrap();
        let on = if processor == "arm64" {
            "on_arm do"
        } else {
            "on_intel do"
        };
        let block = block.split(on).nth(1).unwrap().split("end").next().unwrap();
        let address = format!(
            "url \"{}/releases/download/v{VERSION}/{}\"",
            Project::read().url(),
            archives::archive_name(platform)
        );
        assert!(block.contains(&address), "{block}");
        assert!(block.contains(&format!("sha256 \"{digest}\"")), "{block}");
    }
    // Where a platform is missing, there is none.
    let folder = empty_folder("archives-none");
    archives::pack(&repository(), &[], &folder).unwrap();
    assert!(!folder.join("codex-wire.rb").exists());
}
