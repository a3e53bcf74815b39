//! The distribution for Python is packed, installed without a network, and does from there what its tests
//! say. `cargo xtask pack python --tools` installs what this needs; without it the tests are ignored, and
//! say why. The program is the one beside these tests: `cargo test --workspace` builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use xtask::pack::platforms::Binary;
use xtask::pack::python;
use xtask::repository;

pub(crate) fn trials() -> Vec<Trial> {
    let reason = python::tools(&repository())
        .err()
        .map(|error| error.to_string());
    let reason = reason.or_else(|| {
        let table =
            program().with_file_name(format!("codex-wire-table{}", std::env::consts::EXE_SUFFIX));
        let missing = !program().is_file() || !table.is_file();
        let built =
            "the programs are not built: `cargo build -p codex-wire-cli -p codex-wire-table`";
        missing.then(|| built.to_owned())
    });
    let reason = reason.or_else(|| platform().is_none().then(|| "no such platform".to_owned()));
    let kind = reason.as_deref().unwrap_or_default();
    let trial = |name: &str, test: fn()| {
        let trial = Trial::test(format!("pack_python::{name}"), move || {
            test();
            Ok(())
        });
        trial.with_kind(kind).with_ignored_flag(reason.is_some())
    };
    vec![
        trial("what_is_installed_does_what_its_tests_say", installed),
        trial("two_runs_make_the_same_bytes", reproducible),
        trial("a_program_of_another_platform_is_refused", refused),
        trial("types_are_complete", typed),
    ]
}

/// An empty environment gets the distribution and pytest, both from folders.
fn installed() {
    let folder = folder("installed");
    let packed = pack(program(), &folder.join("dist"));
    let names: Vec<_> = packed
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert!(
        names[0].ends_with(".whl") && !names[0].contains("none-any"),
        "{names:?}"
    );
    assert!(names[1].ends_with("py3-none-any.whl"), "{names:?}");
    assert!(names[2].ends_with(".tar.gz"), "{names:?}");
    let environment = folder.join("venv");
    ran(python3().args(["-m", "venv"]).arg(&environment));
    let scripts = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = scripts.join("python");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-index"]);
    install.arg("--find-links").arg(folder.join("dist"));
    install
        .arg("--find-links")
        .arg(python::tools(&repository()).unwrap().join("wheels"));
    ran(install.args(["codex-wire[pydantic,msgspec]", "pytest"]));

    let version = ran(Command::new(scripts.join("codex-wire")).arg("--version"));
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");

    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"]);
    tests.current_dir(repository().join("packages/python"));
    // The Python SDK, if `cargo test --test clients -- --install` has installed it.
    let sdk = repository().join(".cache/clients/python-sdk/site");
    tests
        .env("PYTHONPATH", &sdk)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env_remove("CODEX_WIRE_PROGRAM");
    let said = ran(&mut tests);
    assert!(said.contains(" passed"), "{said}");
    // Nothing but a missing SDK makes it leave anything out.
    let left_out = usize::from(!sdk.is_dir());
    assert_eq!(said.matches("SKIPPED").count(), left_out, "{said}");
}

fn reproducible() {
    let folder = folder("reproducible");
    // Its beginning says what it is; all of it is packed by the test above.
    let beginning = folder.join("codex-wire");
    let mut program = fs::read(program()).unwrap();
    program.truncate(1 << 16);
    fs::write(&beginning, program).unwrap();
    let pack = |name: &str| pack(beginning.clone(), &folder.join(name));
    let (first, second) = (pack("1"), pack("2"));
    assert_eq!(first.len(), second.len());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.file_name(), second.file_name());
        assert!(
            fs::read(first).unwrap() == fs::read(second).unwrap(),
            "{}",
            first.display()
        );
    }
}

fn refused() {
    let folder = folder("refused");
    let another = if cfg!(windows) {
        "linux-x64"
    } else {
        "win32-x64"
    };
    let binary = Binary {
        platform: another.to_owned(),
        path: program(),
    };
    let error = python::pack(&repository(), &[binary], &folder).unwrap_err();
    assert!(
        error.to_string().contains("is not a program for"),
        "{error}"
    );
}

/// A strict type checker finds nothing to complain about, for the oldest Python that is supported.
fn typed() {
    let mut mypy = python3();
    let site = python::tools(&repository()).unwrap().join("site");
    mypy.env("PYTHONPATH", site)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    mypy.args(["-m", "mypy", "--python-version", "3.10", "--cache-dir"]);
    mypy.arg(folder("typed")).args(["src", "tests"]);
    ran(mypy.current_dir(repository().join("packages/python")));
}

fn pack(program: PathBuf, out: &Path) -> Vec<PathBuf> {
    let binary = Binary {
        platform: platform().unwrap(),
        path: program,
    };
    python::pack(&repository(), &[binary], out).unwrap()
}

/// The name of this platform in `packages/platforms.json`.
fn platform() -> Option<String> {
    let path = repository().join("packages/platforms.json");
    let platforms: Vec<serde_json::Value> =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let system = if system == "macos" { "darwin" } else { system };
    let is_this = |target: &str| target.starts_with(processor) && target.contains(system);
    let found = platforms
        .iter()
        .find(|known| is_this(known["target"].as_str().unwrap()));
    Some(found?["name"].as_str().unwrap().to_owned())
}

/// The program that was built with these tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().unwrap().parent().unwrap();
    built
        .join("codex-wire")
        .with_extension(std::env::consts::EXE_EXTENSION)
}

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pack-python");
    golden_files::folders::empty(&base, name)
}

fn python3() -> Command {
    Command::new(if cfg!(windows) { "python" } else { "python3" })
}

/// Runs a program that has to succeed, and returns what it printed.
fn ran(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}{errors}");
    said
}
