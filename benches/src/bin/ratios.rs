//! Prints how codex-wire compares, as Markdown.

// It is a program, and this is its output.
#![allow(clippy::print_stdout)]

use std::fs;
use std::io;
use std::process::Command;

use benches::contestants::{Contestant, OTHERS, OURS, PLAIN};
use benches::corpus::Corpus;
use benches::measure::{best, by_turns, ratio};

const ROUNDS: usize = 15;

fn main() -> io::Result<()> {
    println!("# How fast\n");
    println!("{}\n", machine());
    let generated = Corpus::generated();
    let recorded = Corpus::recorded()?;
    reading(&generated);
    reading(&recorded);
    for corpus in [
        generated.only("generated, lines up to 1 KB", |line| line.len() <= 1000),
        generated.only("generated, lines of 2 to 200 KB", |line| {
            (2000..200_000).contains(&line.len())
        }),
        generated.only("generated, the line of 1 MB", |line| line.len() > 1_000_000),
    ] {
        reading(&corpus);
    }
    Ok(())
}

/// Compares the readers on a corpus, each on the lines it accepts.
fn reading(corpus: &Corpus) {
    let all = corpus.lines().len();
    println!("## Reading: {}\n", corpus.name);
    println!("{all} lines, {:.1} MB.\n", corpus.bytes() as f64 / 1e6);
    println!("| reader | lines | MB/s | lines/s | time, ours = 1 | time, plain derive = 1 |");
    println!("|---|--:|--:|--:|--:|--:|");
    for contestant in [OURS, PLAIN].iter().chain(OTHERS) {
        let lines = corpus.only(corpus.name, contestant.read);
        row(contestant, &lines, lines.lines().len() as f64 / all as f64);
    }
    println!();
}

/// One contestant on lines it accepts, by turns with ours and the plain derive.
fn row(contestant: &Contestant, lines: &Corpus, share: f64) {
    if lines.lines().len() == 0 {
        println!("| {} | none | | | | |", contestant.name);
        return;
    }
    // Small corpora are read several times so that a round is long enough to measure.
    let repeat = (8_000_000 / lines.bytes() as usize).max(1);
    let run = |contestant: Contestant| {
        Box::new(move || {
            for _ in 0..repeat {
                contestant.run(lines);
            }
        }) as Box<dyn FnMut()>
    };
    let times = by_turns(ROUNDS, &mut [run(*contestant), run(OURS), run(PLAIN)]);
    let seconds = best(&times[0]).as_secs_f64() / repeat as f64;
    println!(
        "| {} | {:.1} % | {:.0} | {:.0} k | {:.2} | {:.2} |",
        contestant.name,
        share * 100.0,
        lines.bytes() as f64 / 1e6 / seconds,
        lines.lines().len() as f64 / 1e3 / seconds,
        ratio(&times[0], &times[1]),
        ratio(&times[0], &times[2]),
    );
}

/// What it was measured on.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map_or_else(
        || "unknown compiler".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    format!("{model}, {cores} cores, {rustc}, release build for the default target.")
}
