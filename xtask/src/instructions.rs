//! Counts the instructions needed to check one byte. A busy machine gives the same count as an idle
//! one, so a gate can compare it.

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

/// Where the figures are kept.
pub const FILE: &str = "benches/INSTRUCTIONS.md";

/// By how much our own figures may rise before that is a fault.
const RISE: f64 = 1.10;

const CORPORA: &[&str] = &["exec", "app-server", "rollout"];

/// How many times as many instructions for a byte an input may take that is made to hurt.
const MOST: f64 = 20.0;

/// Our ways, which are held.
const OURS: &[&str] = &[
    "prefilter",
    "prefilter, portable",
    "places",
    "view",
    "check",
    "identify",
];

/// Those they are compared with.
const OTHERS: &[&str] = &["serde_json Value and jsonschema", "serde_json IgnoredAny"];

const INTRODUCTION: &str = "\
# How many instructions

Written by `cargo xtask instructions --write`: instructions per byte, counted by valgrind over a
fixed generated corpus. The gate fails when a figure of ours rises by more than a tenth. The last
column is how many times as many instructions it takes as the prefilter.

| corpus | way | instructions per byte | against the prefilter |
|---|---|--:|--:|
";

const HOSTILE: &str = "
## Inputs that are made to hurt

About a megabyte of each, made by `crates/codex-wire-check/tests/it/hostile/inputs.rs` and looked at in the same way as a
megabyte that is right, of the same protocol: what has many lines against short lines that are right, what is one line
against one of as small values. \"How many times\" is how many times as many instructions it takes. The gate fails where
that is more than 20.

| input | way | instructions per byte | how many times |
|---|---|--:|--:|
";

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The corpus.
    pub corpus: String,
    /// The way its lines are examined.
    pub way: String,
    /// Instructions per byte.
    pub per_byte: f64,
}

/// What an input takes that is made to hurt.
#[derive(Clone, Debug, PartialEq)]
pub struct Hostile {
    /// Its name, and whether it is checked or identified.
    pub name: String,
    /// Its protocol.
    pub protocol: String,
    /// Whether it is checked or identified.
    pub way: String,
    /// Instructions per byte.
    pub per_byte: f64,
    /// How many times as many as what is right takes, of the same protocol in the same way: short
    /// lines, or a line of small values.
    pub times: f64,
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
    count_ways(root, &[OURS, OTHERS].concat())
}

/// Counts our ways, for all corpora.
///
/// # Errors
/// When the program cannot be built or run.
pub fn count_ours(root: &Path) -> Result<Vec<Count>> {
    count_ways(root, OURS)
}

fn count_ways(root: &Path, ways: &[&str]) -> Result<Vec<Count>> {
    let program = program(root)?;
    let mut wanted = Vec::new();
    for corpus in CORPORA {
        wanted.extend(ways.iter().map(|way| (*corpus, *way)));
    }
    each(&wanted, |(corpus, way)| {
        let per_byte = per_byte(&program, &[corpus, way])?;
        Ok(Count {
            corpus: (*corpus).to_owned(),
            way: (*way).to_owned(),
            per_byte,
        })
    })
}

/// Counts, for all inputs that are made to hurt.
///
/// # Errors
/// When the program cannot be built or run.
pub fn hostile(root: &Path) -> Result<Vec<Hostile>> {
    let program = program(root)?;
    let list = Command::new(&program).arg("hostile").output()?;
    let list = String::from_utf8(list.stdout)?;
    let inputs: Vec<Vec<&str>> = list.lines().map(|line| line.split(' ').collect()).collect();
    let mut wanted = Vec::new();
    for way in ["check", "identify"] {
        for input in &inputs {
            match input[..] {
                [name, protocol, lines, what] => wanted.push((name, protocol, lines, what, way)),
                _ => bail!("{input:?}: no input"),
            }
        }
    }
    if wanted.is_empty() {
        bail!("there are no inputs that are made to hurt");
    }
    let counted = each(&wanted, |(name, _, _, _, way)| {
        per_byte(&program, &["hostile", way, name])
    })?;
    let right = |protocol: &str, lines: &str, way: &str| {
        let is_it = |w: &(&str, &str, &str, &str, &str)| {
            (w.1, w.2, w.3, w.4) == (protocol, lines, "right", way)
        };
        let at = wanted.iter().position(is_it);
        at.map_or(f64::NAN, |at| counted[at])
    };
    let rows = wanted.iter().zip(&counted);
    Ok(rows
        .map(|(&(name, protocol, lines, _, way), per_byte)| Hostile {
            name: name.to_owned(),
            protocol: protocol.to_owned(),
            way: way.to_owned(),
            per_byte: *per_byte,
            times: per_byte / right(protocol, lines, way),
        })
        .collect())
}

/// Does something with each, on as many threads as the machine has processors.
fn each<T: Sync, O: Send>(all: &[T], one: impl Fn(&T) -> Result<O> + Sync) -> Result<Vec<O>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = all.get(at) else { break done };
            done.push((at, one(item)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut done = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let parts = all
            .into_iter()
            .map(|thread| thread.join().unwrap_or_default());
        parts.flatten().collect::<Vec<_>>()
    });
    done.sort_by_key(|(at, _)| *at);
    if done.len() != all.len() {
        bail!("a thread that counts has failed");
    }
    done.into_iter().map(|(_, result)| result).collect()
}

/// How many instructions the program takes for a byte: all that it takes, except for those with which it prepares itself.
/// Cachegrind takes half the time of callgrind, which could count in one function alone.
fn per_byte(program: &Path, arguments: &[&str]) -> Result<f64> {
    let (all, bytes) = executed(program, arguments)?;
    let (prepares, _) = executed(program, &[&["--prepare"], arguments].concat())?;
    match all - prepares {
        looks if looks > 0.0 => Ok(looks / bytes),
        _ => bail!("{}: nothing was read", arguments.join(", ")),
    }
}

/// How many instructions the program takes, and how many bytes it says.
fn executed(program: &Path, arguments: &[&str]) -> Result<(f64, f64)> {
    let output = Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .args(arguments)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{}: {said}", arguments.join(", "));
    }
    let bytes = String::from_utf8_lossy(&output.stdout);
    let bytes: f64 = bytes.trim().parse().context("the number of bytes")?;
    let instructions = references(&said).context("the number of instructions")?;
    Ok((instructions, bytes))
}

/// Builds the program that looks at lines, with the profile of the benches.
fn program(root: &Path) -> Result<PathBuf> {
    let name = "instructions";
    let build = Command::new(env!("CARGO"))
        .args(["build", "--profile", "bench", "--locked", "-p", "benches"])
        .args(["--no-default-features", "--bin", name])
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
fn references(said: &str) -> Option<f64> {
    let mut lines = said.lines().filter_map(|line| line.split_once(" refs:"));
    let (_, number) = lines.find(|(name, _)| name.trim_end().ends_with('I'))?;
    number.trim().replace(',', "").parse().ok()
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

/// What hostile inputs take, as a part of the page. It is not compared from run to run: what is held is
/// how many times as many instructions they take.
pub fn hostile_table(hostile: &[Hostile]) -> String {
    let mut out = HOSTILE.to_owned();
    for input in hostile {
        let Hostile {
            name,
            protocol,
            way,
            per_byte,
            times,
        } = input;
        let name = name.replace('_', " ");
        let _ = writeln!(
            out,
            "| {name} | {protocol}, {way} | {per_byte:.1} | {times:.1} |"
        );
    }
    out
}

/// Which inputs take too many times as many instructions as what is right.
pub fn excesses(hostile: &[Hostile]) -> Vec<String> {
    // What cannot be counted is not proof.
    let is_held = |input: &&Hostile| !matches!(input.times, 0.0..=MOST);
    let excess = |input: &Hostile| {
        format!(
            "{}, {}: {:.1} times the instructions of what is right, which is more than {MOST}",
            input.name, input.way, input.times
        )
    };
    hostile.iter().filter(is_held).map(excess).collect()
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
        let risen = "exec, prefilter: 3.31 instructions per byte, 3.00 before";
        assert_eq!(problems(&kept, &counts(3.31)), [risen]);
        assert_eq!(problems(&[], &counts(3.0)).len(), 1);
    }

    #[test]
    fn no_input_takes_too_many_times_as_many() {
        let of = |times| Hostile {
            name: "duplicate_keys".to_owned(),
            protocol: "exec".to_owned(),
            way: "check".to_owned(),
            per_byte: 10.0 * times,
            times,
        };
        assert_eq!(excesses(&[of(0.5), of(20.0)]), [""; 0]);
        let said = "duplicate_keys, check: 20.1 times the instructions of what is right, which is more \
                    than 20";
        assert_eq!(excesses(&[of(20.1), of(1.0)]), [said]);
        assert_eq!(excesses(&[of(f64::NAN)]).len(), 1);
        let table = hostile_table(&[of(2.0)]);
        assert!(table.ends_with("| duplicate keys | exec, check | 20.0 | 2.0 |\n"));
    }

    #[test]
    fn what_valgrind_says_is_read() {
        let said = "==7== \n==7== I   refs:      5,711,108\n==7== \n";
        assert_eq!(references(said), Some(5_711_108.0));
        // As newer ones say it.
        assert_eq!(references("==7== I refs:        7"), Some(7.0));
        assert_eq!(references("valgrind: no such program"), None);
    }
}
