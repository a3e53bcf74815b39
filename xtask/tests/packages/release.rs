//! The release workflow, as far as it goes without GitHub: what it builds, packs and publishes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use regex::Regex;
use xtask::pack::platforms::platforms;
use xtask::pack::{VERSION, python};
use xtask::repository;
use yaml_rust2::Yaml;

use crate::github::read_yaml;
use crate::stage::{empty_folder, trial};
use crate::tools::{self, done};

/// A test for each part of it.
pub(crate) fn trials() -> Vec<Trial> {
    let tools = python::tools(&repository()).err();
    let tools = tools.map(|_| "the tools for Python are not installed".to_owned());
    let tools = tools.or_else(|| tools::npm().err());
    vec![
        trial(
            "release::builds_every_platform",
            &None,
            builds_every_platform,
        ),
        trial("release::actions_are_pinned", &None, actions_are_pinned),
        trial("release::writes_its_notes", &None, writes_its_notes),
        trial("release::packs_and_publishes", &tools, packs_and_publishes),
    ]
}

static WORKFLOW: LazyLock<Yaml> = LazyLock::new(|| read_yaml(&path()));

fn path() -> PathBuf {
    repository().join(".github/workflows/release.yml")
}

/// The script of the step with this name.
fn script(job: &str, name: &str) -> &'static str {
    let steps = WORKFLOW["jobs"][job]["steps"].as_vec().unwrap();
    let step = steps
        .iter()
        .find(|step| step["name"].as_str() == Some(name));
    step.unwrap()["run"].as_str().unwrap()
}

/// Runs the script of a step in a folder.
fn run(script: &str, folder: &Path, variables: &[(&str, &str)]) -> Result<String, String> {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
    done(command.current_dir(folder).envs(variables.iter().copied()))
}

fn builds_every_platform() {
    let built = WORKFLOW["jobs"]["programs"]["strategy"]["matrix"]["include"].as_vec();
    let text = |row: &Yaml, key: &str| row[key].as_str().unwrap().to_owned();
    let built: Vec<(String, String)> = built
        .unwrap()
        .iter()
        .map(|row| (text(row, "platform"), text(row, "target")))
        .collect();
    let platforms = platforms(&repository()).unwrap();
    let expected: Vec<(String, String)> = platforms
        .into_iter()
        .map(|platform| (platform.name, platform.target))
        .collect();
    assert_eq!(built, expected);
}

/// Each action is a commit, with its version for readers.
fn actions_are_pinned() {
    let pinned = Regex::new(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let text = fs::read_to_string(path()).unwrap();
    let mut count = 0;
    for line in text.lines().filter(|line| line.contains("uses:")) {
        assert!(pinned.is_match(line), "{line}");
        count += 1;
    }
    assert!(count > 5);
}

/// The notes of a release are its part of the changelog.
fn writes_its_notes() {
    let folder = empty_folder("release-notes");
    let changelog = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.3] - 2026-01-01\n\n\
                     - this\n\n### Fixed\n- that\n\n## [1.2.2] - 2025-12-01\n\n- before\n";
    fs::write(folder.join("CHANGELOG.md"), changelog).unwrap();
    let script = script("github", "publish with the notes of the changelog");
    let (notes, publish) = script.split_once("gh release create").unwrap();
    assert!(publish.contains("--notes-file notes.md"));
    run(notes, &folder, &[("TAG", "v1.2.3")]).unwrap();
    let notes = fs::read_to_string(folder.join("notes.md")).unwrap();
    assert_eq!(notes.trim(), "- this\n\n### Fixed\n- that");
}

/// Packs what the workflow packs, of one platform, and runs the step that publishes to npm with an `npm`
/// that writes down what it is asked.
fn packs_and_publishes() {
    let (programs, out) = (empty_folder("release-programs"), empty_folder("release"));
    fs::create_dir(programs.join("linux-x64")).unwrap();
    // Any program of this platform: what is packed is tried elsewhere.
    fs::copy("/bin/true", programs.join("linux-x64/codex-wire")).unwrap();
    let mut pack = Command::new(repository().join(".ci/pack"));
    pack.arg(&programs).arg(&out);
    pack.env("XTASK", env!("CARGO_BIN_EXE_xtask"));
    done(&mut pack).unwrap_or_else(|problem| panic!("{problem}"));
    let sums = out.join("github");
    done(
        Command::new("sha256sum")
            .args(["--check", "--strict", "SHA256SUMS"])
            .current_dir(&sums),
    )
    .unwrap_or_else(|problem| panic!("{problem}"));
    let wheels = fs::read_dir(out.join("pypi")).unwrap().count();
    assert_eq!(
        wheels, 3,
        "a wheel with the program, one without, the sources"
    );
    let bin = empty_folder("release-bin");
    // One package has been published before.
    let npm = "#!/bin/sh\n\
               if [ \"$1\" = view ]; then case \"$2\" in codex-wire-linux-arm64@*) echo 1;; *) exit 1;; esac; exit; fi\n\
               echo \"$@\" >> asked.txt\n";
    fs::write(bin.join("npm"), npm).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(bin.join("npm"), executable).unwrap();
    fs::write(
        out.join(format!("npm/codex-wire-linux-arm64-{VERSION}.tgz")),
        "",
    )
    .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let tag = format!("v{VERSION}");
    let step = script(
        "npm",
        "publish, the packages of platforms before the one that needs them",
    );
    run(step, &out, &[("PATH", &path), ("VERSION", &tag)])
        .unwrap_or_else(|problem| panic!("{problem}"));
    let asked = fs::read_to_string(out.join("npm/asked.txt")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    let publish =
        |name: &str| format!("publish --provenance --access public ./{name}-{VERSION}.tgz");
    assert_eq!(
        asked,
        [
            publish("codex-wire-linux-x64"),
            publish("codex-wire-types"),
            publish("codex-wire")
        ]
    );
}
