//! Prints the comparison with peers in other languages, as the Markdown of `benches/OTHERS.md`.
//!
//! `benches/others/run` runs those peers first; peers in Rust are run here, on the same lines.

// It is a program, and this is its output.
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use benches::corpus::Corpus;
use benches::files::{self, Outcome};
use benches::measure::{best, by_turns_of, machine, processor_time};
use benches::shapes::{Shapes, WAYS, Way, contests, runs};

const ROUNDS: usize = 15;

/// The ways in Rust that others are compared with, the first being ours.
const OURS: &[&str] = &[
    "prefilter",
    "prefilter, portable",
    "serde_json Value and jsonschema",
    "serde_json Value",
    "serde_json IgnoredAny",
];

/// Those of them that validate.
const VALIDATORS: usize = 3;

/// The columns of the summary: which of the contestants each is about.
type Column = (&'static str, fn(&str, bool) -> bool);

const SHORT: [Column; 4] = [
    ("Value and jsonschema", |name, _| {
        name == "Rust: serde_json Value and jsonschema"
    }),
    ("node's fastest validator", |name, validates| {
        validates && name.starts_with("node")
    }),
    ("Python's fastest validator", |name, validates| {
        validates && name.starts_with("Python")
    }),
    ("simdjson's walk to the tag", |name, _| {
        name == "C++: simdjson, walk to the tag"
    }),
];

const INTRODUCTION: &str = "\
# Other languages

Written by `benches/others/run`, which says in its `README.md` what it needs. One run on one
machine, and the ratios are what counts: speeds change with the machine and with what else it
does. What is written in Rust runs by turns; between two languages minutes pass, and where the
machine is at work beside, ratios between them move by a third from run to run.

All get the same lines, split before the clock starts, on one thread, and are measured by the
processor time of their best round.
*Validators* say whether a line is what its release writes, by its exact schema or by types that say
the same; the others only read. Each accepted every line of every corpus it is listed under. Of
up to 200 lines per release that were made wrong, the validators refused every one, and of those cut
in the middle all turned down every one; had one of them not, there would be no table.
The last column is by how many times the prefilter is faster.
";

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: others FOLDER"))?;
    let outcomes = files::outcomes(&folder)?;
    let (mut summary, mut tables) = (String::new(), String::new());
    for (message_set, corpus) in contests()? {
        let shapes = Shapes::new(message_set, &corpus);
        let corpus = shapes.of_message_set(&corpus);
        let rows = rows(&folder, &shapes, &corpus, &outcomes)?;
        summary += &in_short(&corpus, &rows);
        tables += &table(&corpus, rows);
    }
    println!("{INTRODUCTION}\n{}\n", machine());
    list("Versions", &folder.join("versions.txt"))?;
    list("Not here", &folder.join("skipped.txt"))?;
    println!("## In short\n\nBy how many times the prefilter is faster than\n");
    println!("| corpus | {} |", SHORT.map(|(title, _)| title).join(" | "));
    println!("|---|{}", "--:|".repeat(SHORT.len()));
    print!("{summary}\n{tables}");
    Ok(())
}

/// The lines of a file as a list, without repetition; nothing when there is none.
fn list(title: &str, file: &Path) -> io::Result<()> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    let lines: BTreeSet<&str> = text.lines().collect();
    if !lines.is_empty() {
        let lines: Vec<&str> = lines.into_iter().collect();
        println!("{title}:\n\n- {}\n", lines.join("\n- "));
    }
    Ok(())
}

/// A row: who, whether it validates, and in how many seconds.
type Row = (String, bool, f64);

/// All contestants on one corpus, the prefilter first.
fn rows(
    folder: &Path,
    shapes: &Shapes,
    corpus: &Corpus,
    outcomes: &[Outcome],
) -> io::Result<Vec<Row>> {
    if !files::are_same(folder, corpus)? {
        return Err(wrong(format!("the files hold another {}", corpus.name)));
    }
    let mut rows = ours(shapes, corpus)?;
    for outcome in outcomes {
        if outcome.corpus == corpus.name {
            check(outcome, corpus)?;
            rows.push((
                outcome.contestant.clone(),
                outcome.validates,
                outcome.seconds,
            ));
        }
    }
    Ok(rows)
}

/// The prefilter against the fastest of each kind.
fn in_short(corpus: &Corpus, rows: &[Row]) -> String {
    let mut out = format!("| {} |", corpus.name);
    for (_, is_meant) in SHORT {
        let meant = rows
            .iter()
            .filter(|(name, validates, _)| is_meant(name, *validates));
        let fastest = meant.map(|(_, _, seconds)| *seconds).reduce(f64::min);
        out += &match fastest {
            Some(seconds) => format!(" {:.1} |", seconds / rows[0].2),
            None => " – |".to_owned(),
        };
    }
    out + "\n"
}

fn table(corpus: &Corpus, mut rows: Vec<Row>) -> String {
    let (lines, bytes) = (corpus.lines().len(), corpus.bytes() as f64);
    let mut out = format!(
        "## {}\n\n{lines} lines, {:.1} MB, {:.2} KB per line.\n\n\
         | contestant | validates | MB/s | prefilter ÷ it |\n|---|---|--:|--:|\n",
        corpus.name,
        bytes / 1e6,
        bytes / 1e3 / lines as f64
    );
    let first = rows[0].2;
    rows.sort_by(|(_, _, one), (_, _, other)| one.total_cmp(other));
    for (name, validates, seconds) in rows {
        let validates = if validates { "yes" } else { "" };
        out += &format!(
            "| {name} | {validates} | {} | {:.2} |\n",
            speed(bytes / 1e6 / seconds),
            seconds / first
        );
    }
    out + "\n"
}

/// A speed, with a decimal where it is small.
fn speed(megabytes: f64) -> String {
    match megabytes < 10.0 {
        true => format!("{megabytes:.1}"),
        false => format!("{megabytes:.0}"),
    }
}

/// Runs what is written in Rust, after a look whether it does what it should.
fn ours(shapes: &Shapes, corpus: &Corpus) -> io::Result<Vec<Row>> {
    let named = |name: &&str| WAYS.iter().find(|(way, _)| way == name).copied();
    let ways: Vec<Way> = OURS.iter().filter_map(named).collect();
    let faulty = files::faulty(corpus);
    for (index, (name, way)) in ways.iter().enumerate() {
        let outcome = Outcome {
            contestant: (*name).to_owned(),
            corpus: corpus.name.to_owned(),
            validates: index < VALIDATORS,
            seconds: 0.0,
            accepted: way(shapes, corpus),
            wrong: way(shapes, &faulty[0]),
            broken: way(shapes, &faulty[1]),
        };
        check(&outcome, corpus)?;
    }
    let repeat = (8_000_000 / corpus.bytes() as usize).max(1);
    let mut runs = runs(&ways, shapes, corpus, repeat);
    let times = by_turns_of(processor_time, ROUNDS, &mut runs);
    let row = |(index, (name, _)): (usize, &Way)| {
        let seconds = best(&times[index]).as_secs_f64() / repeat as f64;
        (format!("Rust: {name}"), index < VALIDATORS, seconds)
    };
    Ok(ways.iter().enumerate().map(row).collect())
}

/// Whether a contestant did its job.
fn check(outcome: &Outcome, corpus: &Corpus) -> io::Result<()> {
    let Outcome {
        contestant,
        corpus: name,
        ..
    } = outcome;
    let all = corpus.lines().len();
    if outcome.accepted != all {
        let accepted = outcome.accepted;
        return Err(wrong(format!(
            "{contestant} accepts {accepted} of {all} lines of {name}"
        )));
    }
    if outcome.validates && outcome.wrong > 0 {
        let accepted = outcome.wrong;
        return Err(wrong(format!(
            "{contestant} accepts {accepted} wrong lines of {name}"
        )));
    }
    if outcome.broken > 0 {
        let accepted = outcome.broken;
        return Err(wrong(format!(
            "{contestant} accepts {accepted} lines of {name} cut in the middle"
        )));
    }
    Ok(())
}

fn wrong(message: String) -> io::Error {
    io::Error::other(message)
}
