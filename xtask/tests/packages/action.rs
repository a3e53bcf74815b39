//! `action.yml`, step by step.

use std::fs;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use type_codegen::project::Project;
use xtask::pack::VERSION;
use xtask::repository;
use yaml_rust2::Yaml;

use crate::github::{Done, Runner, read_yaml};
use crate::registry::Registry;
use crate::stage::{NPM, furnish, program, project, trial, without_npm};

/// A test for each way to use the action.
pub(crate) fn trials() -> Vec<Trial> {
    let npm = without_npm();
    vec![
        trial(
            "action::installs_this_version",
            &None,
            installs_this_version,
        ),
        trial("action::conforms", &npm, conforms),
        trial("action::finds", &npm, finds),
        trial(
            "action::takes_the_installed_program",
            &npm,
            installed_program,
        ),
        trial("action::needs_paths", &npm, needs_paths),
        trial("action::installs_what_exists", &npm, installs_what_exists),
    ]
}

static ACTION: LazyLock<Yaml> = LazyLock::new(|| read_yaml(&repository().join("action.yml")));
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::start(&NPM));

fn run(name: &str, inputs: &[(&str, &str)]) -> (Runner, Done) {
    run_with(&REGISTRY, name, inputs)
}

fn run_with(registry: &Registry, name: &str, inputs: &[(&str, &str)]) -> (Runner, Done) {
    let workspace = project(name);
    furnish(&workspace);
    let runner = Runner {
        variables: vec![
            ("npm_config_registry", registry.url.clone()),
            ("npm_config_cache", format!("{}/.npm", workspace.display())),
            (
                "npm_config_userconfig",
                format!("{}/.npmrc", workspace.display()),
            ),
        ],
        path: std::env::var("PATH").unwrap(),
        workspace,
    };
    let done = runner.run(&ACTION, inputs);
    (runner, done)
}

fn installs_this_version() {
    let version = ACTION["inputs"]["version"]["default"].as_str();
    assert_eq!(version, Some(VERSION));
    let page = fs::read_to_string(repository().join("docs/reports.md")).unwrap();
    let repository = Project::read().repository;
    for text in [
        format!("- uses: {repository}@v{VERSION}\n"),
        format!("- repo: https://github.com/{repository}\n  rev: v{VERSION}\n"),
    ] {
        assert!(page.contains(&text), "{text}");
    }
}

fn conforms() {
    let inputs = [("paths", "recordings/run.jsonl\ntests\n")];
    // Its own: what the other tests ask for at the same time does not count.
    let registry = Registry::start(&NPM);
    let (runner, done) = run_with(&registry, "action-conforms", &inputs);
    assert!(done.is_success, "{done:?}");
    assert_eq!(done.outputs["conforms"], "true");
    assert!(done.summary.starts_with("before\n"), "{}", done.summary);
    assert!(
        done.summary.contains("codex-wire: conforms"),
        "{}",
        done.summary
    );
    assert!(!done.log.contains("::error"), "{}", done.log);
    // The second use of it in a job installs nothing.
    let asked = registry.asked().len();
    assert!(asked > 0);
    fs::copy(
        runner.workspace.join("recordings/run.jsonl"),
        runner.workspace.join("name with space.jsonl"),
    )
    .unwrap();
    let inputs = [
        ("paths", "recordings\nname with space.jsonl"),
        ("summary", "false"),
    ];
    let done = runner.run(&ACTION, &inputs);
    assert!(done.is_success, "{done:?}");
    assert_eq!(done.summary, "before\n");
    assert_eq!(registry.asked().len(), asked);
}

fn finds() {
    let inputs = [
        ("paths", "recordings\nbroken.jsonl"),
        (
            "arguments",
            "--release=0.44.0\n--warn\nschema/unknown-value",
        ),
        ("sarif", "check.sarif"),
    ];
    let (runner, done) = run("action-warns", &inputs);
    assert!(done.is_success, "{done:?}");
    assert!(
        done.log.contains("::warning file=broken.jsonl,line="),
        "{}",
        done.log
    );
    let sarif = fs::read_to_string(runner.workspace.join("check.sarif")).unwrap();
    assert!(sarif.contains("\"schema/unknown-value\""));
    let (_, done) = run("action-finds", &inputs[..1]);
    assert!(!done.is_success, "{done:?}");
    assert_eq!(done.outputs["conforms"], "false");
    assert!(
        done.log.contains("::error file=broken.jsonl,line="),
        "{}",
        done.log
    );
    assert!(
        done.summary.contains("schema/unknown-value"),
        "{}",
        done.summary
    );
}

/// No registry is asked.
fn installed_program() {
    let workspace = project("action-installed");
    furnish(&workspace);
    let folder = program().parent().unwrap().display().to_string();
    let mut runner = Runner {
        workspace,
        path: format!("{folder}:{}", std::env::var("PATH").unwrap()),
        variables: vec![("npm_config_registry", "http://127.0.0.1:9".to_owned())],
    };
    let inputs = [("paths", "recordings"), ("version", "")];
    let done = runner.run(&ACTION, &inputs);
    assert!(done.is_success, "{done:?}");
    assert_eq!(done.outputs["conforms"], "true");
    // There is none.
    runner.path = "/usr/bin:/bin".to_owned();
    let done = runner.run(&ACTION, &inputs);
    assert!(!done.is_success, "{done:?}");
}

fn needs_paths() {
    let (_, done) = run("action-paths", &[("paths", "\n")]);
    assert!(!done.is_success, "{done:?}");
    assert!(
        done.log.contains("::error::codex-wire: no paths are given"),
        "{}",
        done.log
    );
}

fn installs_what_exists() {
    let (_, done) = run(
        "action-version",
        &[("paths", "recordings"), ("version", "99.0.0")],
    );
    assert!(!done.is_success, "{done:?}");
    assert!(done.log.contains("99.0.0"), "{}", done.log);
}
