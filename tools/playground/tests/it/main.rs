//! The module finds in a fixture what the checker finds that is compiled for this machine, and writes the same pages.
//!
//! Node runs it, and `cargo xtask playground` compiles it. Where something is missing, the tests are ignored, and say what.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::LazyLock;

use codex_wire_check::{Checker, Options};
use codex_wire_report::{Format, Report, Settings};
use libtest_mimic::{Arguments, Failed, Trial};
use playground::build;
use playground::{Outputs, Playground};
use serde_json::Value;

/// A test with its name, and what it needs.
type Test = (
    &'static str,
    fn() -> Result<PathBuf, String>,
    fn() -> Result<(), Failed>,
);

fn main() -> ExitCode {
    let tests: [Test; 3] = [
        (
            "the module finds what a check finds",
            needed,
            finds_the_same,
        ),
        (
            "the module writes what the crate writes",
            needed,
            writes_the_same,
        ),
        ("the module is small", module, is_small),
    ];
    let trials = tests.map(|(name, needed, run)| match needed() {
        Ok(_) => Trial::test(name, run),
        Err(reason) => Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true),
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The module as the site has it.
fn module() -> Result<PathBuf, String> {
    build::built(&own("../..")).map_err(|error| error.to_string())
}

/// The module, and Node, which runs it.
fn needed() -> Result<PathBuf, String> {
    let mut node = Command::new("node");
    node.arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if !node.status().is_ok_and(|status| status.success()) {
        return Err("there is no node".to_owned());
    }
    module()
}

/// The fixtures that the module is tried with.
static FIXTURES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let mut paths = Vec::new();
    files(&own("../../fixtures"), &mut paths);
    sampling::spread(paths, 1600)
});

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            out.push(path);
        }
    }
}

/// What is written of an input: the report as JSON, the report and the session as pages.
type Written = [Vec<u8>; 3];

/// What the module writes of each fixture.
static MODULE: LazyLock<Result<Vec<Written>, String>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (list, out) = (folder.path().join("list"), folder.path().join("out"));
    let paths: Vec<&str> = FIXTURES.iter().map(|path| path.to_str().unwrap()).collect();
    fs::write(&list, paths.join("\n")).unwrap();
    let mut node = Command::new("node");
    node.arg(own("tests/it/run.mjs"));
    node.arg(needed()?).arg(list).arg(&out);
    let output = node.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    }
    let bytes = fs::read(&out).unwrap();
    let mut rest = &bytes[..];
    let mut next = || {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (part, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        rest = behind;
        Some(part.to_vec())
    };
    let mut all = Vec::new();
    while let Some(json) = next() {
        all.push([json, next().unwrap(), next().unwrap()]);
    }
    assert_eq!(all.len(), FIXTURES.len());
    Ok(all)
});

/// Compares what the module writes of each fixture.
fn same(expected: impl Fn(&str, BufReader<File>, &Written) -> bool) -> Result<(), Failed> {
    let module = MODULE.as_ref()?;
    let mut wrong = Vec::new();
    for (path, written) in FIXTURES.iter().zip(module) {
        let name = path.to_str().unwrap();
        if !expected(name, BufReader::new(File::open(path)?), written) {
            wrong.push(name);
        }
    }
    let shown = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} differ: {shown:#?}", wrong.len());
    Ok(())
}

/// As `codex-wire check --format json` does it.
fn finds_the_same() -> Result<(), Failed> {
    let checker = Checker::new(Options::new())?;
    let findings = std::cell::Cell::new(0);
    same(|name, input, [json, ..]| {
        let outcome = checker.check(name, input);
        findings.set(findings.get() + outcome.findings.len());
        let mut expected = Vec::new();
        let settings = Settings::new("codex-wire", env!("CARGO_PKG_VERSION"));
        let mut report = Report::begin(Format::Json, settings, &mut expected).unwrap();
        report.outcome(&outcome).unwrap();
        report.finish().unwrap();
        let read = |report: &[u8]| serde_json::from_slice::<Value>(report).unwrap();
        read(&expected) == read(json)
    })?;
    assert!(
        findings.get() > 0,
        "fixtures that break rules have findings"
    );
    Ok(())
}

fn writes_the_same() -> Result<(), Failed> {
    let playground = Playground::new(true)?;
    same(|name, input, written| {
        let [mut json, mut report, mut session] = Written::default();
        let outputs = Outputs {
            json: &mut json,
            report: &mut report,
            session: &mut session,
        };
        playground.run(name, input, outputs).unwrap();
        [json, report, session] == *written
    })
}

/// In bytes, as a server compresses it.
const MOST: usize = 3_000_000;

fn is_small() -> Result<(), Failed> {
    let bytes = fs::read(module()?)?;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&bytes)?;
    let length = packed.finish()?.len();
    assert!(length < MOST, "{length} bytes of {}", bytes.len());
    Ok(())
}
