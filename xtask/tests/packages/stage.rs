//! The packages, packed once, and projects that they are installed into.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use xtask::pack::npm;
use xtask::pack::platforms::{Binary, Platform, platforms};
use xtask::repository;

use crate::tools::{self, done};

/// A recording of a run that the TypeScript SDK made.
pub(crate) const RECORDING: &str =
    "crates/codex-wire-cli/tests/clients/typescript-sdk/recordings/0.169.0/run/1.jsonl";

/// The program that was built last: tests are built beside it.
pub(crate) fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.ancestors().nth(2).unwrap().join("codex-wire")
}

/// The name of this platform, as in `linux-x64`.
pub(crate) fn platform() -> String {
    let os = std::env::consts::OS.replace("macos", "darwin");
    let processor = std::env::consts::ARCH.replace("x86_64", "x64");
    format!("{os}-{}", processor.replace("aarch64", "arm64"))
}

/// The folder of the packages for npm: with the program for this platform, and a text for all others.
pub(crate) static NPM: LazyLock<PathBuf> = LazyLock::new(|| {
    let out = empty_folder("packed");
    let placeholder = empty_folder("placeholder").join("program");
    fs::write(&placeholder, "no program").unwrap();
    let binary = |known: Platform| Binary {
        path: match known.name == platform() {
            true => program(),
            false => placeholder.clone(),
        },
        platform: known.name,
    };
    let platforms = platforms(&repository()).unwrap();
    let binaries: Vec<Binary> = platforms.into_iter().map(binary).collect();
    npm::pack(&repository(), &binaries, &out).unwrap();
    out
});

/// A package of [`NPM`].
pub(crate) fn package(name: &str) -> PathBuf {
    NPM.join(format!("{name}-{}.tgz", xtask::pack::VERSION))
}

/// A test, which is ignored if something is missing. Then its name says what.
pub(crate) fn trial(name: &str, missing: &Option<String>, test: fn()) -> Trial {
    let name = match missing {
        Some(reason) => format!("{name} ({reason})"),
        None => name.to_owned(),
    };
    let test = move || {
        test();
        Ok(())
    };
    Trial::test(name, test).with_ignored_flag(missing.is_some())
}

/// Why nothing can be installed with npm, if so.
pub(crate) fn without_npm() -> Option<String> {
    match program().exists() {
        true => tools::npm().err(),
        false => Some("the program is not built".to_owned()),
    }
}

/// Why no tables can be written, if so.
pub(crate) fn without_tables() -> Option<String> {
    let missing = !program().with_file_name("codex-wire-table").exists();
    missing.then(|| "codex-wire-table is not built".to_owned())
}

/// An empty folder of this test run.
pub(crate) fn empty_folder(name: &str) -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    golden_files::folders::empty(&base, name)
}

/// A project of node without packages.
pub(crate) fn project(name: &str) -> PathBuf {
    let folder = empty_folder(name);
    let manifest = "{\"private\": true, \"type\": \"module\"}\n";
    fs::write(folder.join("package.json"), manifest).unwrap();
    folder
}

/// Gives a project recordings, and a broken one.
pub(crate) fn furnish(project: &Path) {
    let recordings = project.join("recordings");
    fs::create_dir_all(&recordings).unwrap();
    let output = project.join("recordings/run.jsonl");
    let plain = repository().join("fixtures/exec/0.44.0/command_ok.jsonl");
    fs::copy(&plain, output).unwrap();
    let broken = fs::read_to_string(plain).unwrap();
    let broken = broken.replace("\"status\":\"completed\"", "\"status\":\"exploded\"");
    fs::write(project.join("broken.jsonl"), broken).unwrap();
    fs::create_dir_all(project.join("tests/recordings")).unwrap();
    let run = project.join("tests/recordings/run.jsonl");
    fs::copy(repository().join(RECORDING), run).unwrap();
}

/// npm, as somebody has it who has never used it: with an empty cache and no settings.
pub(crate) fn npm_command(project: &Path) -> Command {
    let mut command = Command::new("npm");
    let home = project.join(".npm");
    fs::create_dir_all(&home).unwrap();
    command.env("npm_config_cache", home.join("cache"));
    command.env("npm_config_userconfig", home.join("npmrc"));
    command.env("npm_config_update_notifier", "false");
    command.current_dir(project);
    command
}

/// Installs packages from files, without a network.
pub(crate) fn install(project: &Path, flags: &[&str], packages: &[PathBuf]) {
    let mut command = npm_command(project);
    command.args(["install", "--offline", "--no-audit", "--no-fund"]);
    command.args(flags).args(packages);
    done(&mut command).unwrap_or_else(|problem| panic!("{problem}"));
}
