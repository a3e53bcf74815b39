//! Makes transcripts, has `codex-wire-table` read them through its standard input, and prints what that took.
//!
//! ```text
//! cargo build --release -p codex-wire-table --bins --examples
//! target/release/examples/fleet 10000 100000
//! target/release/examples/fleet -j2 10000
//! ```
//!
//! Each number is a run with that many transcripts: session files with a turn, which differ in their ids and days. They
//! are made from a recording of this repository while they are read, so that nothing is stored but the tables. Options are
//! given to the program.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The recording that transcripts are made from.
const RECORDING: &str = "fixtures/rollout/0.169.0/commands/home/sessions/2026/11/22";

/// How many days the transcripts of a run are from.
const DAYS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let template = Template::read()?;
    println!(
        "transcripts  MB read  processor, s  ms each  MB/s  most memory, MB  tables, bytes each  wall, s"
    );
    let (options, counts): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with('-'));
    for count in counts {
        run(&template, &options, count.parse()?)?;
    }
    Ok(())
}

fn run(template: &Template, options: &[String], count: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    // Examples are in a folder beside the program.
    let program = std::env::current_exe()?;
    let program = program.ancestors().nth(2).ok_or("no folder")?;
    let begun = Instant::now();
    let mut child = Command::new(program.join("codex-wire-table"))
        .args(options)
        .args(["--files-from", "-", "--out"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let watched = watch(child.id());
    let mut out = BufWriter::with_capacity(1 << 20, child.stdin.take().ok_or("no pipe")?);
    let mut bytes = 0;
    for number in 0..count {
        let text = template.transcript(number, number * DAYS / count);
        bytes += text.len();
        let name = format!("fleet/{number}.jsonl");
        writeln!(out, "{{\"path\":\"{name}\",\"bytes\":{}}}", text.len())?;
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
    }
    drop(out.into_inner()?);
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut said)?;
    }
    if !child.wait()?.success()
        || !said.contains(&format!("{count} transcripts written, 0 were there"))
    {
        return Err(said.into());
    }
    let wall = begun.elapsed();
    let watched = watched.join().map_err(|_| "nobody watched")?;
    let seconds = as_number(watched.ticks) / 100.0;
    let (number, megabytes) = (as_number(count), as_number(bytes) / 1e6);
    println!(
        "{count:>11}  {megabytes:>7.1}  {seconds:>12.1}  {:>7.3}  {:>4.1}  {:>15.1}  {:>18.0}  {:>7.1}",
        seconds * 1e3 / number,
        megabytes / seconds,
        as_number(watched.memory) / 1024.0,
        as_number(size_of(folder.path())?) / number,
        wall.as_secs_f64(),
    );
    Ok(())
}

/// What a process has needed.
#[derive(Clone, Copy, Default)]
struct Watched {
    /// The most memory that it had, in KiB.
    memory: usize,
    /// The time of processors, in hundredths of a second.
    ticks: usize,
}

/// Watches a process until it ends. Zero where the system does not say it.
fn watch(process: u32) -> std::thread::JoinHandle<Watched> {
    let memory = move || {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    };
    let ticks = move || {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program, in brackets, may have spaces.
        let (_, numbers) = text.rsplit_once(')')?;
        let times = numbers.split_whitespace().skip(11).take(2);
        times
            .map(|time| time.parse::<usize>().ok())
            .sum::<Option<usize>>()
    };
    std::thread::spawn(move || {
        let mut watched = Watched::default();
        // One that has ended has no memory.
        while let Some(memory) = memory() {
            watched = Watched {
                memory,
                ticks: ticks().unwrap_or(watched.ticks),
            };
            std::thread::sleep(Duration::from_millis(20));
        }
        watched
    })
}

fn size_of(folder: &Path) -> std::io::Result<usize> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += match about.is_dir() {
            true => size_of(&entry.path())?,
            false => usize::try_from(about.len()).unwrap_or_default(),
        };
    }
    Ok(bytes)
}

#[expect(clippy::cast_precision_loss, reason = "it is shown to a person")]
fn as_number(count: usize) -> f64 {
    count as f64
}

/// A session file, without what differs.
struct Template {
    text: String,
    id: String,
}

/// The day of the recording.
const DAY: &str = "2026-11-22";

impl Template {
    fn read() -> Result<Self, Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(RECORDING);
        let entry = std::fs::read_dir(&folder)?.next().ok_or("no recording")??;
        let name = entry.file_name().into_string().map_err(|_| "no name")?;
        let id = name
            .strip_suffix(".jsonl")
            .and_then(|name| name.get(name.len() - 36..));
        Ok(Template {
            text: std::fs::read_to_string(entry.path())?,
            id: id.ok_or("no id")?.to_owned(),
        })
    }

    fn transcript(&self, number: usize, day: usize) -> String {
        let (first, rest) = self.id.split_at(self.id.len() - 12);
        let changed = format!("{first}{number:012x}");
        debug_assert_eq!(rest.len(), 12);
        let text = self.text.replace(&self.id, &changed);
        text.replace(DAY, &format!("2026-10-{:02}", day + 1))
    }
}
