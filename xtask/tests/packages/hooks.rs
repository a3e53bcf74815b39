//! `.pre-commit-hooks.yaml`: each hook by its entry, and by pre-commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use libtest_mimic::Trial;
use xtask::repository;
use yaml_rust2::Yaml;

use crate::github::read_yaml;
use crate::registry::Registry;
use crate::stage::{NPM, empty_folder, furnish, program, project, trial, without_npm};
use crate::tools::{self, done};

/// A test for each way to use the hooks.
pub(crate) fn trials() -> Vec<Trial> {
    let npm = without_npm();
    let pre_commit = npm.clone().or_else(|| tools::pre_commit().err());
    vec![
        trial("hooks::install_this_version", &None, install_this_version),
        trial("hooks::entries", &npm, entries),
        trial("hooks::pre_commit_installs_from_npm", &pre_commit, from_npm),
        trial("hooks::pre_commit_takes_the_program", &pre_commit, system),
    ]
}

static HOOKS: LazyLock<Vec<Yaml>> = LazyLock::new(|| {
    let hooks = read_yaml(&repository().join(".pre-commit-hooks.yaml"));
    hooks.into_vec().unwrap()
});

fn install_this_version() {
    let dependencies = HOOKS[0]["additional_dependencies"].as_vec().unwrap();
    let expected = format!("codex-wire@{}", xtask::pack::VERSION);
    assert_eq!(dependencies, &[Yaml::String(expected)]);
}

fn entries() {
    let workspace = project("hooks-entries");
    furnish(&workspace);
    for hook in HOOKS.iter() {
        let run = |file: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", "$0 \"$@\""]);
            let mut words = hook["entry"].as_str().unwrap().split(' ');
            assert_eq!(words.next(), Some("codex-wire"));
            command.arg(program()).args(words).arg(file);
            command.current_dir(&workspace).output().unwrap()
        };
        assert!(run("recordings/run.jsonl").status.success());
        assert_eq!(run("broken.jsonl").status.code(), Some(1));
    }
}

/// The program comes from the registry, into an environment of pre-commit.
fn from_npm() {
    let registry = Registry::start(&NPM);
    try_hook("codex-wire", |command| {
        command.env("npm_config_registry", &registry.url);
    });
    let fetched = format!("/-/codex-wire-{}.tgz", xtask::pack::VERSION);
    assert!(
        registry.asked().contains(&fetched),
        "{:?}",
        registry.asked()
    );
}

fn system() {
    let folder = program().parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    try_hook("codex-wire-system", |command| {
        command.env("PATH", &path);
    });
}

/// Commits recordings with a hook: those that conform pass, and a broken one does not.
fn try_hook(id: &str, furnish_command: impl Fn(&mut Command)) {
    let hooks = repository_of_hooks(&format!("hooks-of-{id}"));
    let revision = done(git(&hooks).args(["rev-parse", "HEAD"])).unwrap();
    let workspace = project(&format!("hooks-{id}"));
    furnish(&workspace);
    let settings = format!(
        "repos:\n- repo: {}\n  rev: {}\n  hooks:\n  - id: {id}\n",
        hooks.display(),
        revision.trim()
    );
    fs::write(workspace.join(".pre-commit-config.yaml"), settings).unwrap();
    commit(
        &workspace,
        &["recordings", "tests", ".pre-commit-config.yaml"],
    );
    let run = || -> Output {
        let mut command = Command::new("python3");
        command.args(["-m", "pre_commit", "run", "--all-files", "--color=never"]);
        command.env("PYTHONPATH", tools::pre_commit().unwrap());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("PRE_COMMIT_HOME", workspace.join(".git/pre-commit"));
        command.env("npm_config_cache", workspace.join(".git/npm"));
        furnish_command(&mut command);
        command.current_dir(&workspace).output().unwrap()
    };
    let text = |output: &Output| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
    };
    let output = run();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("Passed"), "{}", text(&output));
    commit(&workspace, &["broken.jsonl"]);
    let output = run();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(
        text(&output).contains("error[schema/unknown-value] broken.jsonl"),
        "{}",
        text(&output)
    );
}

/// What pre-commit needs of this repository, as a repository of its own.
fn repository_of_hooks(name: &str) -> PathBuf {
    let folder = empty_folder(name);
    let files = [".pre-commit-hooks.yaml", "package.json"];
    for file in files {
        fs::copy(repository().join(file), folder.join(file)).unwrap();
    }
    commit(&folder, &files);
    folder
}

fn commit(folder: &Path, files: &[&str]) {
    let run = |arguments: &[&str]| {
        done(git(folder).args(arguments)).unwrap_or_else(|problem| panic!("{problem}"));
    };
    run(&["init", "--quiet"]);
    run(&[&["add"], files].concat());
    run(&["commit", "--quiet", "--message", "recordings"]);
}

/// git, as somebody who has no settings.
fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for key in ["author", "committer"] {
        let key = key.to_uppercase();
        command.env(format!("GIT_{key}_NAME"), "a user");
        command.env(format!("GIT_{key}_EMAIL"), "user@example.com");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.current_dir(folder);
    command
}
