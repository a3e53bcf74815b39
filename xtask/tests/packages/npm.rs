//! The program from npm: `codex-wire`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use libtest_mimic::Trial;
use xtask::pack::npm;
use xtask::pack::platforms::Binary;
use xtask::repository;

use crate::registry::Registry;
use crate::stage::{
    NPM, empty_folder, furnish, install, npm_command, package, platform, program, project, trial,
    without_npm, without_tables,
};
use crate::tools::{self, done};

/// A test for each way to use the packages.
pub(crate) fn trials() -> Vec<Trial> {
    let npm = without_npm();
    let node = npm.clone().or_else(|| tools::node_packages().err());
    let sdk = npm.clone().or_else(|| tools::typescript_sdk().err());
    let tables = npm.clone().or_else(without_tables);
    let both = node.clone().or_else(|| sdk.clone());
    vec![
        trial(
            "npm::packs_are_the_same_every_time",
            &None,
            the_same_every_time,
        ),
        trial("npm::npx_checks", &npm, npx_checks),
        trial("npm::npx_writes_tables", &tables, npx_writes_tables),
        trial("npm::functions", &npm, functions),
        trial("npm::without_optional_dependencies", &npm, without_optional),
        trial("npm::from_a_registry", &npm, from_a_registry),
        trial("npm::doubles", &npm, doubles),
        trial("npm::doubles_with_vitest", &both, vitest_doubles),
        trial("npm::node_test", &sdk, node_test),
        trial("npm::vitest", &node, vitest),
        trial("npm::vitest_pools", &node, vitest_pools),
        trial("npm::thread", &sdk, thread),
        trial("npm::types", &both, types),
    ]
}

/// A project that has the packages, a recording, the one of the README, and a broken one; and a client.
static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let project = project("npm");
    let ours = package(&format!("codex-wire-{}", platform()));
    install(&project, &[], &[package("codex-wire"), ours]);
    furnish(&project);
    let recording = blocks("json").swap_remove(0);
    fs::write(project.join("tests/recordings/run.jsonl"), recording).unwrap();
    fs::copy(source("client.mjs"), project.join("client.mjs")).unwrap();
    project
});

fn the_same_every_time() {
    let placeholder = empty_folder("same").join("program");
    fs::write(&placeholder, "no program").unwrap();
    let pack = |folder: &str| -> Vec<(String, Vec<u8>)> {
        let binary = Binary {
            platform: "linux-x64".to_owned(),
            path: placeholder.clone(),
        };
        let packed = npm::pack(&repository(), &[binary], &empty_folder(folder)).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let read = |path: &PathBuf| (name(path), fs::read(path).unwrap());
        packed.iter().map(read).collect()
    };
    let first = pack("same-1");
    // What an archive could keep of its files.
    let touched = fs::File::options().write(true).open(&placeholder).unwrap();
    touched.set_modified(std::time::UNIX_EPOCH).unwrap();
    fs::set_permissions(
        &placeholder,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert!(first == pack("same-2"));
    let names: Vec<&str> = first.iter().map(|(name, _)| &**name).collect();
    let version = xtask::pack::VERSION;
    assert_eq!(
        names,
        [
            format!("codex-wire-linux-x64-{version}.tgz"),
            format!("codex-wire-{version}.tgz")
        ]
    );
}

fn npx_checks() {
    let check = |file: &str| {
        let mut command = Command::new("npx");
        command.args(["--no-install", "codex-wire", "check", file]);
        let output = command.current_dir(&*INSTALLED).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let (code, text) = check("recordings/run.jsonl");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("conforms"), "{text}");
    let (code, text) = check("broken.jsonl");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("error[schema/unknown-value]"), "{text}");
}

/// The program that `codex-wire table` runs is in the package of the platform, beside it.
fn npx_writes_tables() {
    let package = format!("node_modules/codex-wire-{}", platform());
    assert!(INSTALLED.join(package).join("codex-wire-table").is_file());
    let mut command = Command::new("npx");
    command.args("--no-install codex-wire table recordings --out tables".split(' '));
    done(command.current_dir(&*INSTALLED)).unwrap_or_else(|problem| panic!("{problem}"));
    for table in ["transcripts", "findings"] {
        assert!(INSTALLED.join("tables").join(table).is_dir(), "{table}");
    }
}

/// A run with its session file.
const SESSION: &str = "fixtures/rollout/0.169.0/commands";

/// A recording of each other surface, and of the older format of `exec`.
const SURFACES: [(&str, &str); 3] = [
    ("app-server", "rollout/0.169.0/i_turns/app-server-1.jsonl"),
    ("core", "core/0.21.0/exec_approved.jsonl"),
    ("exec", "exec-legacy/0.22.0/command_ok.jsonl"),
];

fn functions() {
    let name = "functions.test.mjs";
    fs::copy(source(name), INSTALLED.join(name)).unwrap();
    symlink(repository().join(SESSION), INSTALLED.join("session")).unwrap();
    let surfaces = INSTALLED.join("surfaces");
    fs::create_dir(&surfaces).unwrap();
    for (surface, recording) in SURFACES {
        let recording = repository().join("fixtures").join(recording);
        fs::copy(recording, surfaces.join(format!("{surface}.jsonl"))).unwrap();
    }
    let accounting = repository().join("fixtures/accounting");
    symlink(accounting, INSTALLED.join("accounting")).unwrap();
    run_tests(&INSTALLED, name);
}

/// Who leaves out optional dependencies has no program, and is told so.
fn without_optional() {
    let project = project("npm-omit-optional");
    install(&project, &["--omit=optional"], &[package("codex-wire")]);
    let mut command = Command::new("npx");
    command.args(["--no-install", "codex-wire", "check"]);
    let output = command.current_dir(&project).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for part in [
        format!("the package codex-wire-{} is not installed", platform()),
        "--omit=optional".to_owned(),
        "`cargo install --locked --git https://".to_owned(),
    ] {
        assert!(errors.contains(&part), "{errors}");
    }
}

/// From a registry, npm installs the program of this platform and no other.
fn from_a_registry() {
    let registry = Registry::start(&NPM);
    let project = project("npm-registry");
    let mut command = npm_command(&project);
    command.env("npm_config_registry", &registry.url);
    command.args(["install", "--no-audit", "--no-fund", "codex-wire"]);
    done(&mut command).unwrap_or_else(|problem| panic!("{problem}"));
    let asked = registry.asked();
    let mut fetched: Vec<&str> = asked
        .iter()
        .filter_map(|path| path.strip_prefix("/-/"))
        .collect();
    fetched.sort_unstable();
    let version = xtask::pack::VERSION;
    let ours = format!("codex-wire-{}-{version}.tgz", platform());
    let mut expected = [format!("codex-wire-{version}.tgz"), ours];
    expected.sort_unstable();
    assert_eq!(fetched, expected);
    furnish(&project);
    let mut command = Command::new(project.join("node_modules/.bin/codex-wire"));
    command.args(["check", "recordings"]).current_dir(&project);
    done(&mut command).unwrap_or_else(|problem| panic!("{problem}"));
}

/// The examples of the README, with its recording, the test runner of node and the TypeScript SDK.
fn node_test() {
    let examples = examples("const lines = [];\n");
    let packages = tools::typescript_sdk().unwrap();
    link(&packages, "@openai/codex-sdk");
    for (number, example) in examples.iter().enumerate().filter(|(at, _)| *at != DOUBLE) {
        let name = format!("readme-{number}.test.mjs");
        fs::write(INSTALLED.join(&name), example).unwrap();
        run_tests(&INSTALLED, &name);
    }
}

/// Doubles, with the test runner of node.
fn doubles() {
    let name = "double.test.mjs";
    fs::copy(source(name), INSTALLED.join(name)).unwrap();
    let schema = repository().join("schemas/script.json");
    fs::copy(schema, INSTALLED.join("script.schema.json")).unwrap();
    run_tests(&INSTALLED, name);
}

/// The same with vitest, which says in another way which test runs. And the example of the README, with the
/// TypeScript SDK.
fn vitest_doubles() {
    let packages = tools::node_packages().unwrap();
    link(&packages, "vitest");
    link(&tools::typescript_sdk().unwrap(), "@openai/codex-sdk");
    let folder = INSTALLED.join("vitest");
    fs::create_dir_all(&folder).unwrap();
    let name = "double.vitest.test.ts";
    fs::copy(source(name), folder.join(name)).unwrap();
    let example = &examples("")[DOUBLE];
    fs::write(folder.join("double.readme.test.ts"), example).unwrap();
    let mut command = Command::new("node");
    command.arg(packages.join("vitest/vitest.mjs"));
    command.args(["run", "--reporter=verbose", "vitest/double."]);
    command.current_dir(&*INSTALLED).env("NO_COLOR", "1");
    let said = done(&mut command).unwrap_or_else(|problem| panic!("{problem}"));
    for part in ["the example", "turn-fails: a turn fails at its end"] {
        assert!(said.contains(part), "{said}");
    }
}

/// Which of the examples of the README is the one of a double, which is for vitest.
const DOUBLE: usize = 0;

/// Recordings of two turns are one thread.
fn thread() {
    let packages = tools::typescript_sdk().unwrap();
    link(&packages, "@openai/codex-sdk");
    for (to, from) in [("turn1", "resume_1_first"), ("turn2", "resume_2_last")] {
        let from = repository().join(format!("fixtures/exec/0.125.0/{from}.jsonl"));
        fs::copy(from, INSTALLED.join(format!("{to}.jsonl"))).unwrap();
    }
    let name = "thread.test.mjs";
    fs::copy(source(name), INSTALLED.join(name)).unwrap();
    run_tests(&INSTALLED, name);
}

/// The example of the README, with vitest.
fn vitest() {
    let packages = tools::node_packages().unwrap();
    link(&packages, "vitest");
    let import = "import test from \"node:test\"; // or: import { test } from \"vitest\";";
    let example = examples("").swap_remove(1);
    assert!(example.contains(import), "{example}");
    let example = example.replace(import, "import { test } from \"vitest\";");
    fs::create_dir_all(INSTALLED.join("vitest")).unwrap();
    fs::write(INSTALLED.join("vitest/readme.test.ts"), &example).unwrap();
    let run = || {
        let mut command = Command::new("node");
        command.arg(packages.join("vitest/vitest.mjs"));
        command.args(["run", "--reporter=verbose", "vitest/readme.test.ts"]);
        done(command.current_dir(&*INSTALLED).env("NO_COLOR", "1"))
    };
    let said = run().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(said.contains("run.jsonl"), "{said}");
    // A recording that does not conform fails.
    // What is a warning is shown, though vitest keeps warnings of the process to itself.
    let cut = fs::read_to_string(INSTALLED.join("recordings/run.jsonl")).unwrap();
    let (cut, _) = cut.trim_end().rsplit_once('\n').unwrap();
    fs::write(INSTALLED.join("cut.jsonl"), format!("{cut}\n")).unwrap();
    let failing = example.replace("\"tests/recordings\"", "\"broken.jsonl\"");
    let failing = failing + "testRecordings(test, \"cut.jsonl\");\n";
    fs::write(INSTALLED.join("vitest/readme.test.ts"), failing).unwrap();
    let problem = run().expect_err("a failed test");
    assert!(problem.contains("schema/unknown-value"), "{problem}");
    let warning = "cut.jsonl:6:89: warning[sequence/exec-unfinished]";
    assert!(problem.contains(warning), "{problem}");
}

/// vitest ends its workers without an exit. What they leave, the next call removes.
fn vitest_pools() {
    let packages = tools::node_packages().unwrap();
    link(&packages, "vitest");
    fs::create_dir_all(INSTALLED.join("vitest")).unwrap();
    for name in ["one", "two"] {
        let to = INSTALLED.join(format!("vitest/{name}.pools.test.ts"));
        fs::copy(source("pools.test.ts"), to).unwrap();
    }
    let pools = ["forks", "threads", "vmThreads"];
    // The first is what vitest does unless it is told otherwise.
    let tried = if sampling::is_wide() { 3 } else { 1 };
    for pool in &pools[..tried] {
        let temporary = empty_folder(&format!("pool-{pool}"));
        let left = || -> Vec<String> {
            let entries = fs::read_dir(&temporary).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names
                .filter(|name| name.starts_with("codex-wire-"))
                .collect()
        };
        let run = |command: &mut Command| {
            command.current_dir(&*INSTALLED).env("TMPDIR", &temporary);
            done(command).unwrap_or_else(|problem| panic!("{pool}: {problem}"));
            left()
        };
        let tests = || {
            let mut command = Command::new("node");
            command.arg(packages.join("vitest/vitest.mjs"));
            command.args([
                "run",
                "--pool",
                pool,
                "vitest/one.pools",
                "vitest/two.pools",
            ]);
            run(&mut command)
        };
        let first = tests();
        assert!(first.len() <= 6, "{pool}: {first:?}");
        let second = tests();
        let kept = first.iter().filter(|name| second.contains(name)).count();
        assert_eq!(kept, 0, "{pool}: {first:?} {second:?}");
        let code =
            "import { replayPath } from \"codex-wire\"; replayPath(\"recordings/run.jsonl\");";
        let mut command = Command::new("node");
        let last = run(command.args(["--input-type=module", "--eval", code]));
        assert_eq!(last, Vec::<String>::new(), "{pool}");
    }
}

/// The declarations, and that a report is what they say.
fn types() {
    let packages = tools::node_packages().unwrap();
    for name in ["vitest", "@types/node"] {
        link(&packages, name);
    }
    link(&tools::typescript_sdk().unwrap(), "@openai/codex-sdk");
    let folder = INSTALLED.join("types");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(source("types.ts"), folder.join("types.ts")).unwrap();
    for (name, file) in [("conforms", "recordings"), ("broken", "broken.jsonl")] {
        let mut command = Command::new(program());
        command.args(["check", "--statistics", "--format", "json", file]);
        let output = command.current_dir(&*INSTALLED).output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        let report = report.trim_end();
        let text = format!(
            "import type {{ Report }} from \"codex-wire\";\nexport default {report} satisfies Report;\n"
        );
        fs::write(folder.join(format!("{name}.ts")), text).unwrap();
    }
    // The examples of the README, for the strictest readers.
    let mut sources = ["types", "conforms", "broken"]
        .map(|name| format!("types/{name}.ts"))
        .to_vec();
    for (number, example) in (1..).zip(examples("declare const lines: string[];\n")) {
        let name = format!("types/readme-{number}.ts");
        fs::write(INSTALLED.join(&name), example).unwrap();
        sources.push(name);
    }
    let mut command = Command::new("node");
    command.arg(packages.join("typescript/bin/tsc"));
    command.args(
        "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess".split(' '),
    );
    // The declarations of vitest are not ours to check.
    command.args("--skipLibCheck --target es2022 --module nodenext --types node".split(' '));
    command.args(sources);
    done(command.current_dir(&*INSTALLED)).unwrap_or_else(|problem| panic!("{problem}"));
    // Ours alone, with no option that leaves them out, and without the types of node.
    let mut command = Command::new("node");
    command.arg(packages.join("typescript/bin/tsc"));
    command.args("--noEmit --strict --target es2022 --module nodenext".split(' '));
    command.args([
        "--typeRoots",
        "none",
        "node_modules/codex-wire/lib/index.d.ts",
    ]);
    done(command.current_dir(&*INSTALLED)).unwrap_or_else(|problem| panic!("{problem}"));
}

/// A file beside this one.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/packages/npm")
        .join(name)
}

/// The examples of the README of the package. The reader has the lines of one from elsewhere.
fn examples(lines: &str) -> Vec<String> {
    let mut examples = blocks("ts");
    assert_eq!(examples.len(), 5);
    examples[3].insert_str(0, lines);
    examples
}

/// The blocks of the README of the package in a language.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(repository().join("packages/npm/README.md")).unwrap();
    let start = format!("```{language}\n");
    let blocks = readme.split(&start).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// Makes a package from elsewhere one of the project.
fn link(packages: &Path, name: &str) {
    let to = INSTALLED.join("node_modules").join(name);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if !to.exists() {
        symlink(packages.join(name), to).unwrap();
    }
}

/// Runs a file of tests.
fn run_tests(project: &Path, file: &str) {
    let mut command = Command::new("node");
    command.args(["--test", file]).current_dir(project);
    command.env("CODEX_HOME", project.join("home"));
    done(&mut command).unwrap_or_else(|problem| panic!("{problem}"));
}
