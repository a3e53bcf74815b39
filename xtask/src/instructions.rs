//! How many instructions it takes to judge a byte: a figure that machines at work give as well
//! as idle ones, and so one that a gate can hold.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Where the figures are kept.
pub const FILE: &str = "benches/INSTRUCTIONS.md";

/// By how much our own figures may rise before that is a fault.
const RISE: f64 = 1.10;

const CORPORA: &[&str] = &["exec", "app-server"];

/// Our ways, which are held.
const OURS: &[&str] = &[
    "shape program",
    "shape program, portable",
    "places",
    "view",
    "check",
];

/// Those they are compared with.
const OTHERS: &[&str] = &["serde_json Value and jsonschema", "serde_json IgnoredAny"];

const INTRODUCTION: &str = "\
# How many instructions

Written by `cargo xtask instructions --write`: instructions per byte, counted by valgrind over a
fixed generated corpus. The gate fails when a figure of ours rises by more than a tenth. The last
column is how many times as many instructions it takes as the shape program.

| corpus | way | instructions per byte | against the shape program |
|---|---|--:|--:|
";

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The corpus.
    pub corpus: String,
    /// The way its lines are looked at.
    pub way: String,
    /// Instructions per byte.
    pub per_byte: f64,
}

/// Whether instructions can be counted here.
pub fn can_count() -> bool {
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Counts, for all corpora and ways.
///
/// # Errors
/// When the program cannot be built or run.
pub fn count(root: &Path) -> Result<Vec<Count>> {
    let program = program(root)?;
    let mut counts = Vec::new();
    for corpus in CORPORA {
        for way in OURS.iter().chain(OTHERS) {
            let output = Command::new("valgrind")
                .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
                .arg("--toggle-collect=instructions::count*")
                .arg(&program)
                .args([corpus, way])
                .output()?;
            let said = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() {
                bail!("{corpus}, {way}: {said}");
            }
            let bytes = String::from_utf8_lossy(&output.stdout);
            let bytes: f64 = bytes.trim().parse().context("the number of bytes")?;
            let instructions = collected(&said).context("the number of instructions")?;
            counts.push(Count {
                corpus: (*corpus).to_owned(),
                way: (*way).to_owned(),
                per_byte: instructions / bytes,
            });
        }
    }
    Ok(counts)
}

/// Builds the program that looks at lines. It is one of the benches, so that what they are made of
/// is built once.
fn program(root: &Path) -> Result<PathBuf> {
    let name = "instructions";
    let build = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "-p", "benches"])
        .args(["--bin", name])
        .current_dir(root)
        .status()?;
    if !build.success() {
        bail!("{name} does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), |target| root.join(target));
    Ok(target.join("release").join(name))
}

/// The number of instructions in what valgrind says.
fn collected(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    let number: f64 = line.rsplit(' ').next()?.parse().ok()?;
    (number > 0.0).then_some(number)
}

/// The figures as they are kept.
pub fn table(counts: &[Count]) -> String {
    let mut out = INTRODUCTION.to_owned();
    for count in counts {
        let is_ours = |other: &&Count| other.corpus == count.corpus && other.way == OURS[0];
        let ours = counts
            .iter()
            .find(is_ours)
            .map_or(f64::NAN, |ours| ours.per_byte);
        let against = count.per_byte / ours;
        let Count {
            corpus,
            way,
            per_byte,
        } = count;
        let _ = writeln!(out, "| {corpus} | {way} | {per_byte:.2} | {against:.2} |");
    }
    out
}

/// The figures that are kept.
pub fn read(table: &str) -> Vec<Count> {
    let count = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        Some(Count {
            corpus: cells.next()?.to_owned(),
            way: cells.next()?.to_owned(),
            per_byte: cells.next()?.parse().ok()?,
        })
    };
    table.lines().filter_map(count).collect()
}

/// Which of our figures have risen too much, or are not kept at all.
pub fn problems(kept: &[Count], now: &[Count]) -> Vec<String> {
    let mut problems = Vec::new();
    for count in now
        .iter()
        .filter(|count| OURS.contains(&count.way.as_str()))
    {
        let Count {
            corpus,
            way,
            per_byte,
        } = count;
        let same = |kept: &&Count| kept.corpus == *corpus && kept.way == *way;
        match kept.iter().find(same) {
            None => problems.push(format!("{FILE} has no figure for {corpus}, {way}")),
            Some(kept) if *per_byte > kept.per_byte * RISE => problems.push(format!(
                "{corpus}, {way}: {per_byte:.2} instructions per byte, {:.2} before",
                kept.per_byte
            )),
            Some(_) => {}
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(program: f64) -> Vec<Count> {
        let count = |way: &str, per_byte| Count {
            corpus: "exec".to_owned(),
            way: way.to_owned(),
            per_byte,
        };
        vec![count(OURS[0], program), count(OTHERS[0], 30.0)]
    }

    #[test]
    fn a_rise_is_a_problem_and_a_fall_is_none() {
        let kept = read(&table(&counts(3.0)));
        assert_eq!(kept, counts(3.0));
        assert_eq!(problems(&kept, &counts(3.29)), [""; 0]);
        assert_eq!(problems(&kept, &counts(1.0)), [""; 0]);
        let risen = "exec, shape program: 3.31 instructions per byte, 3.00 before";
        assert_eq!(problems(&kept, &counts(3.31)), [risen]);
        assert_eq!(problems(&[], &counts(3.0)).len(), 1);
    }

    #[test]
    fn what_valgrind_says_is_read() {
        let said = "==7== Events    : Ir\n==7== Collected : 5711108\n==7== \n";
        assert_eq!(collected(said), Some(5_711_108.0));
        // Nothing was counted: the function has another name now.
        assert_eq!(collected("==7== Collected : 0"), None);
        assert_eq!(collected("valgrind: no such program"), None);
    }
}
