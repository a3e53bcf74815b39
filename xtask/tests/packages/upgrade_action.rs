//! The action `packages/upgrade`, step by step, with the program that is on the PATH.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use xtask::pack::VERSION;
use xtask::repository;
use yaml_rust2::Yaml;

use crate::github::{Done, Runner, read_yaml};
use crate::stage::{furnish, program, project, trial};

/// A test for each way to use the action.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "upgrade::installs_this_version",
            &None,
            installs_this_version,
        ),
        trial("upgrade::says_what_breaks", &None, says_what_breaks),
        trial("upgrade::asks_for_the_newest", &None, asks_for_the_newest),
        trial("upgrade::cannot_find_out", &None, cannot_find_out),
    ]
}

static ACTION: LazyLock<Yaml> =
    LazyLock::new(|| read_yaml(&repository().join("packages/upgrade/action.yml")));

/// Runs the action where `npm` says that 0.45.0 is the newest release.
fn run(name: &str, inputs: &[(&str, &str)]) -> Done {
    let workspace = project(name);
    furnish(&workspace);
    let npm = workspace.join("bin/npm");
    fs::create_dir_all(workspace.join("bin")).unwrap();
    fs::write(&npm, "#!/bin/sh\necho 0.45.0\n").unwrap();
    fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).unwrap();
    let own = program().parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let runner = Runner {
        path: format!("{}/bin:{own}:{path}", workspace.display()),
        workspace,
        variables: Vec::new(),
    };
    let inputs = [inputs, &[("version", "")]].concat();
    runner.run(&ACTION, &inputs)
}

fn installs_this_version() {
    let version = ACTION["inputs"]["version"]["default"].as_str();
    assert_eq!(version, Some(VERSION));
}

fn says_what_breaks() {
    let inputs = [
        ("from", "0.50.0"),
        ("to", "0.51.0"),
        ("recordings", "recordings"),
    ];
    let done = run("upgrade-breaks", &inputs);
    assert!(done.is_success, "{done:?}");
    assert_eq!(done.outputs["breaks"], "true");
    let title = "before\n# Codex 0.50.0 → 0.51.0: 1 change breaks what the recordings use\n";
    assert!(done.summary.starts_with(title), "{}", done.summary);
    let report = fs::read_to_string(&done.outputs["report"]).unwrap();
    assert!(done.summary.ends_with(&report));
    let strict = [&inputs[..], &[("fail", "true")]].concat();
    assert!(!run("upgrade-fails", &strict).is_success);
}

fn asks_for_the_newest() {
    let done = run(
        "upgrade-newest",
        &[("from", "0.44.0"), ("recordings", "recordings")],
    );
    assert!(done.is_success, "{done:?}");
    assert_eq!(
        (&*done.outputs["to"], &*done.outputs["breaks"]),
        ("0.45.0", "false")
    );
    let done = run("upgrade-none", &[("from", "0.45.0")]);
    assert!(done.is_success, "{done:?}");
    assert_eq!(
        (&*done.outputs["to"], done.summary.as_str()),
        ("", "before\n")
    );
}

fn cannot_find_out() {
    let inputs = [("from", "0.44.0"), ("recordings", "no/such/folder")];
    let done = run("upgrade-unknown", &inputs);
    assert!(!done.is_success, "{done:?}");
    assert_eq!(done.outputs["breaks"], "");
    // Without anything of the client the summary says what is missing.
    let done = run("upgrade-nothing", &[("from", "0.44.0")]);
    assert!(!done.is_success, "{done:?}");
    assert_eq!(done.outputs["breaks"], "");
    let title = "before\n# Codex 0.44.0 → 0.45.0: cannot tell whether your client breaks; ";
    assert!(done.summary.starts_with(title), "{}", done.summary);
}
