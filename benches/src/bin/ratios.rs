//! Prints the comparison with peers in Rust, as the Markdown of `benches/RESULTS.md`.

// It is a program, and this is its output.
#![allow(clippy::print_stdout)]

use std::{env, io};

use benches::checking::{Checks, corpora};
use benches::contestants::{APP_SERVER, CORE, Contest, Contestant, EXEC, ROLLOUT, THREAD_READ};
use benches::corpus::Corpus;
use benches::measure::{Rounds, best, by_turns, machine, ratio};
use benches::shapes::{Shapes, VALIDATORS, WAYS, Way, contests, contests_with_faults, runs};
use codex_wire::{MessageSet, Protocol};

const ROUNDS: usize = 21;

const INTRODUCTION: &str = "\
# How fast

Written by `cargo run --release -p benches --features peers --bin ratios > benches/RESULTS.md`.

Contestants run by turns, so that whatever else the machine does slows all of them; a ratio is
the median over the rounds, a speed that of the best round. Below 1 is faster. A contestant that
turns lines down is measured on the lines it accepts, and so are the two it is compared with.
A contestant compared with itself shows how much noise there is. Nothing is compared with the
tagged derive on lines of which that turns some down.

- **generated**: what 0.169.0 writes, with the sizes of recorded lines (see `src/generate.rs`)
- **recorded**: the transcripts of `fixtures/exec` from 0.44.0 on
- **places: kind, ids, status**: what a client asks first, found by the prefilter on its way;
  lines it is not sure of are turned down
- **serde derive, tagged**: the plain internally tagged enums one would write; drops unknown
  members and the ids of web searches
- **serde derive, flatten**: the same with the item's kinds embedded as Codex's own type does it;
  turns down every `web_search` from 0.92.0 on, whose `id` is a duplicate key
- **codex-codes 0.166**: turns down `file_change`, `collab_tool_call` and, from 0.92.0 on,
  `web_search`
- **sonic-rs, derive**: the tagged derive, read by sonic-rs
- **view**: no value is made; the prefilter takes down where members stand, and kind, ids and
  status are asked for, or every text there is. The schema is that of 0.169.0, so that of recorded
  lines it turns down what that release no longer writes
- **core events, generated**: the pieces of messages, reasoning and output that `codex proto` of
  0.42.0 writes (see `src/generate_core.rs`)
- **core events, recorded**: what Codex wrote in the transcripts of `fixtures/core`, 0.21.0 to
  0.42.0; there the tagged derive has the newest form of each kind, keeps MCP content and history
  as plain values, and turns down what earlier releases write in another form
- **app-server, deltas**: what `codex app-server` of 0.169.0 writes while a model speaks, 80 % of
  it `item/agentMessage/delta` (see `src/generate_app_server.rs`); there the tagged derive has
  the notifications of a turn, and the kinds of item that are most frequent
- **app-server, recorded**: what Codex wrote in the transcripts of `fixtures/app-server`, 0.58.0
  to 0.169.0, relayed core events and answers included; answers stay as they came
- **app-server, thread/read**: the answer to a client that reads a long thread, as its type
- codex-codes 0.166 reads lines of the app-server as its own clients do: a tree first, then types

The crate codex-app-server-protocol 0.63 is not among them: it knows one release, and it brings
some 80 crates along, image decoders, locale data and an asynchronous runtime among them.
";

const SHAPES: &str = "\
Whether lines are what their release writes, yes or no, by the exact schema of each release. The
prefilter checks UTF-8, grammar and duplicate keys as well. Of what Codex wrote to the app-server's
clients only the notifications are examined here. A ratio above 1 means faster than the way of
the row, or, in the last column, that the row is faster than what one would write instead. All
ways get the lines already split, except the line split itself.

- **prefilter, without AVX2**: with the instructions that every processor of this kind has;
  **portable**: with none but those of any processor
- Releases that write the same share a prefilter and a validator
- **serde_json Value and jsonschema**, **and boon**: a tree per line, checked against the schema of
  the whole message
- **serde_json IgnoredAny**: grammar alone. **serde_json Value**, **sonic-rs Value**,
  **simd-json, borrowed tree**: a tree and no validation. **simd-json, tape**: the same as one flat
  list. simd-json writes into its input, so each line is copied first, which is counted; its
  buffers are used again
- **UTF-8 check**: that of the standard library. **line split**: memchr over the whole text
- **long outputs**: the generated corpus where every command prints what the long ones of the
  recordings do, 1.8 KB per line; **one line of 5 MB** is the output of one such command
- **app-server, answer to thread/read**: with the method of its request beside the result, as
  the schema of answers wants it
";

const FAULTS: &str = "\
Valid JSON that breaks the schema: a member too many, a kind that no release writes, a member that is
missing, a number for a string. What the prefilter is not sure of it hands to the validator, which
validates; both sides give the same answers.
";

const CHECKING: &str = "\
Against a `serde_json::Value` per line and the `jsonschema` crate with the schema of the whole
message, asked for yes or no. That is less: it does not see duplicate keys, and says neither where
a fault stands nor which release would be right.
";

fn main() -> io::Result<()> {
    // One part alone, while one works on what it shows.
    match env::args().nth(1).as_deref() {
        Some("reading") => return all_reading(),
        Some("shapes") => return all_shapes(),
        Some("checking") => return all_checking(),
        _ => {}
    }
    println!("{INTRODUCTION}\n{}\n", machine());
    all_reading()?;
    all_shapes()?;
    all_checking()
}

fn all_reading() -> io::Result<()> {
    let generated = Corpus::generated();
    println!("## Reading\n");
    for corpus in [&generated, &Corpus::recorded()?] {
        reading(&EXEC, corpus);
    }
    for corpus in [Corpus::core_generated(), Corpus::core_recorded()?] {
        reading(&CORE, &corpus);
    }
    for corpus in [
        Corpus::app_server_generated(),
        Corpus::app_server_recorded()?,
    ] {
        reading(&APP_SERVER, &corpus);
    }
    reading(&THREAD_READ, &Corpus::thread_read().answers());
    reading(&ROLLOUT, &Corpus::session_file());
    println!("## Reading, by size of line\n");
    for corpus in [
        generated.only("up to 1 KB", |line| line.len() <= 1000),
        generated.only("2 to 200 KB", |line| (2000..200_000).contains(&line.len())),
        generated.only("1 MB", |line| line.len() > 1_000_000),
    ] {
        reading(&EXEC, &corpus);
    }
    Ok(())
}

fn all_shapes() -> io::Result<()> {
    println!("## Shapes\n");
    println!("{SHAPES}");
    for (message_set, corpus) in contests()? {
        shapes(message_set, &corpus);
    }
    println!("### One line of ten is wrong\n\n{FAULTS}");
    println!("| corpus | lines | prefilter, then jsonschema | Value and jsonschema | ratio |");
    println!("|---|--:|--:|--:|--:|");
    for (message_set, corpus) in contests_with_faults() {
        faults(message_set, &corpus);
    }
    println!();
    Ok(())
}

fn all_checking() -> io::Result<()> {
    println!("## Checking\n");
    println!("{CHECKING}");
    println!("| corpus | codex-wire-check | Value and jsonschema | ratio of times |");
    println!("|---|--:|--:|--:|");
    for (protocol, corpus) in corpora()? {
        checking(protocol, &corpus);
    }
    Ok(())
}

/// Compares the readers on a corpus.
fn reading(contest: &Contest, corpus: &Corpus) {
    let all = corpus.lines().len();
    println!("### {}\n", corpus.name);
    println!("{all} lines, {:.1} MB.\n", corpus.bytes() as f64 / 1e6);
    println!(
        "| reader | lines read | MB/s | lines/s | against codex-wire | against the tagged derive |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for contestant in contest.all() {
        let lines = corpus.only(corpus.name, contestant.read);
        row(contest, contestant, &lines, all);
    }
    println!();
}

/// One contestant on the lines it accepts, by turns with ours and the plain derive.
fn row(contest: &Contest, contestant: &Contestant, lines: &Corpus, all: usize) {
    let read = lines.lines().len();
    if read == 0 {
        println!("| {} | 0 | | | | |", contestant.name);
        return;
    }
    let repeat = repetitions(lines);
    let run = |contestant: Contestant| {
        Box::new(move || {
            for _ in 0..repeat {
                contestant.run(lines);
            }
        }) as Box<dyn FnMut()>
    };
    let times = by_turns(
        ROUNDS,
        &mut [run(*contestant), run(contest.ours), run(contest.plain)],
    );
    let plain = match contest.plain.run(lines) == read {
        true => format!("{:.2}", ratio(&times[0], &times[2])),
        false => "–".to_owned(),
    };
    let seconds = best(&times[0]).as_secs_f64() / repeat as f64;
    println!(
        "| {} | {read}, {:.1} % | {:.0} | {:.0} k | {:.2} | {plain} |",
        contestant.name,
        read as f64 / all as f64 * 100.0,
        lines.bytes() as f64 / 1e6 / seconds,
        read as f64 / 1e3 / seconds,
        ratio(&times[0], &times[1]),
    );
}

/// Compares the ways to validate.
fn shapes(message_set: MessageSet, corpus: &Corpus) {
    let shapes = Shapes::new(message_set, corpus);
    let corpus = &shapes.of_message_set(corpus);
    println!("### {}\n", corpus.name);
    let (lines, bytes) = (corpus.lines().len(), corpus.bytes() as f64);
    println!(
        "{lines} lines, {:.1} MB, {:.2} KB per line.\n",
        bytes / 1e6,
        bytes / 1e3 / lines as f64
    );
    println!("| way | MB/s | prefilter ÷ it | it ÷ Value and jsonschema |");
    println!("|---|--:|--:|--:|");
    let (times, speeds) = race(&shapes, corpus, WAYS);
    for ((name, _), (time, speed)) in WAYS.iter().zip(times.iter().zip(speeds)) {
        println!(
            "| {name} | {speed:.0} | {:.2} | {:.2} |",
            ratio(time, &times[0]),
            ratio(&times[1], time),
        );
    }
    println!();
}

/// Compares those that validate all lines where some are wrong.
fn faults(message_set: MessageSet, corpus: &Corpus) {
    let shapes = Shapes::new(message_set, corpus);
    let (times, speeds) = race(&shapes, corpus, VALIDATORS);
    println!(
        "| {} | {} | {:.0} MB/s | {:.0} MB/s | {:.2} |",
        corpus.name,
        corpus.lines().len(),
        speeds[0],
        speeds[1],
        ratio(&times[1], &times[0])
    );
}

/// How long each way took in each round, and its speed in megabytes per second.
fn race(shapes: &Shapes, corpus: &Corpus, ways: &[Way]) -> (Vec<Rounds>, Vec<f64>) {
    let repeat = repetitions(corpus);
    let times = by_turns(ROUNDS, &mut runs(ways, shapes, corpus, repeat));
    let megabytes = corpus.bytes() as f64 * repeat as f64 / 1e6;
    let speed = |time| megabytes / best(time).as_secs_f64();
    let speeds = times.iter().map(speed).collect();
    (times, speeds)
}

/// Compares the checker with the schema alone.
fn checking(protocol: Protocol, corpus: &Corpus) {
    let checks = Checks::new(protocol, corpus);
    let repeat = repetitions(corpus);
    let run = |check: fn(&Checks, &Corpus) -> u64| {
        let checks = &checks;
        Box::new(move || {
            for _ in 0..repeat {
                check(checks, corpus);
            }
        }) as Box<dyn FnMut()>
    };
    let times = by_turns(ROUNDS, &mut [run(Checks::checker), run(Checks::schema)]);
    let speed = |index: usize| {
        corpus.bytes() as f64 * repeat as f64 / 1e6 / best(&times[index]).as_secs_f64()
    };
    println!(
        "| {} | {:.0} MB/s | {:.0} MB/s | {:.2} |",
        corpus.name,
        speed(0),
        speed(1),
        ratio(&times[0], &times[1])
    );
}

/// How often a corpus is read in a round: a small one so often that the clock is fine enough.
fn repetitions(corpus: &Corpus) -> usize {
    (8_000_000 / corpus.bytes() as usize).max(1)
}
