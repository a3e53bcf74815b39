//! Implements `codex-wire scrub`: replaces private data in a transcript, for bug reports.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail, ensure};
use clap::Args;
use codex_wire_check::{Checker, Converter, Options};
use codex_wire_scrub::{Key, Pointer, Secrets, scrub_with_progress};

use crate::atomic_file::AtomicFile;
use crate::flags::output::OutputFlags;
use crate::inputs::{STDIN, Source};
use crate::output;
use crate::output_limit::{self, Counted};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  codex-wire scrub run.jsonl > report.jsonl
      Scrub a transcript, to send it with a bug report.
  codex-wire scrub --secrets run.jsonl > shared.jsonl
      Take out keys, tokens, passwords, home folders and mail addresses, and leave the rest.
  codex-wire scrub run.jsonl --out report.jsonl --keep /item/command
      Leave the commands as they are.
  codex-wire scrub run.jsonl --keep '/params/item/changes/*/diff'
      Leave the diffs of all files; `*` stands for any member or element.
  codex exec --json 'fix the tests' | codex-wire scrub | codex-wire check
      See that the findings are the same.

What stays: names of members, kinds of messages, values of enumerations, numbers of the protocol,
releases, the length of every value, line breaks and slashes in texts, what is equal to what. What goes: every
other text, path, id and command, unknown names included. See docs/scrubbing.md for what this
cannot promise, and read the result before you publish it.

Exit codes:
  0  the transcript was scrubbed
  2  it was not: it could not be read, or part of a replaced value was still there. Then nothing
     is written.";

/// Replace private data in a transcript, for a bug report
///
/// Every text, path, id and command becomes a placeholder of the same length, the same one for the
/// same value. Words of the protocol and numbers that it declares stay. So `check` and `show` find the same as
/// before, and deltas still join to their text. The placeholders come from a random key, which is
/// thrown away. The result is checked: if eight characters of a replaced value in a row are still
/// there, nothing is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScrubArgs {
    /// The transcript; standard input if it is not given, or for `-`
    #[arg(value_name = "FILE")]
    path: Option<PathBuf>,

    /// Write the result to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Leave the values at this place as they are
    ///
    /// A JSON Pointer into the messages, such as `/item/command`. `*` stands for any member or
    /// element. Can be given several times.
    #[arg(long, value_name = "POINTER")]
    keep: Vec<Pointer>,

    /// Make the placeholders from this text instead of a random key
    ///
    /// The same text makes the same placeholders, so that several transcripts stay comparable.
    /// Whoever has it can test guesses of what was replaced: keep it secret.
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,

    /// Take out secrets only, and leave texts, commands and paths
    ///
    /// Letters and digits of keys, tokens and passwords, as the rules of gitleaks know them, of names of home folders,
    /// and of mail addresses become `*`. What was found is printed to standard error. See docs/scrubbing.md for what
    /// this does not find, and read the result before you publish it.
    #[arg(long, conflicts_with_all = ["keep", "seed"])]
    secrets: bool,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Scrubs the transcript.
pub(crate) fn run(args: &ScrubArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let path = args.path.clone().unwrap_or_else(|| PathBuf::from(STDIN));
    let source = match path.as_os_str() == STDIN {
        true => Source::Stdin,
        false => Source::Named(path),
    };
    ensure!(
        args.path.is_some() || !io::stdin().is_terminal(),
        "nothing to scrub: name a file, or pipe a transcript in:\n  \
         codex-wire scrub run.jsonl > report.jsonl\n\
         See `codex-wire scrub --help` for all options."
    );
    let name = source.name();
    let cannot = || format!("cannot read {name}");
    let bytes = match &source {
        Source::Named(path) => fs::metadata(path).ok().map(|about| about.len()),
        _ => None,
    };
    if let Source::Named(path) = &source
        && path.is_dir()
    {
        bail!("cannot read {name}: it is a folder; name a file");
    }
    let progress = Progress::of(1, bytes);
    progress.input(&name);
    let opened = source.open(&progress);
    let input = opened.and_then(|mut opened| opened.whole());
    let input = input.with_context(cannot)?;
    progress.clear();
    let input = Converter::new()?.lines(&name, input).with_context(cannot)?;
    refuse_foreign(&input).with_context(cannot)?;
    let scrubbed = match args.secrets {
        true => without_secrets(&input, color),
        false => without_texts(args, &name, &input)?,
    };
    match &args.out {
        Some(path) => write_file(path, &scrubbed)?,
        None => {
            let mut out = Counted(io::stdout().lock());
            out.write_all(&scrubbed).context("cannot write")?;
            out.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses what is not a transcript, as an empty file: nothing is known of where its texts are, or in which letters.
fn refuse_foreign(input: &[u8]) -> anyhow::Result<()> {
    let known = Checker::new(Options::new())?.identify(input)?;
    match known.reason {
        Some(reason) if known.foreign || input.is_empty() => bail!(reason),
        _ => Ok(()),
    }
}

/// The transcript without its secrets. Says what was found.
fn without_secrets(input: &[u8], color: ColorChoice) -> Vec<u8> {
    let taken = Secrets::new().take_out(input);
    let found = taken.found.iter();
    let found: Vec<String> = found
        .map(|(rule, count)| format!("{rule}: {count}"))
        .collect();
    match found.is_empty() {
        true => output::remark(color, "no secrets were found"),
        false => output::remark(color, &format!("overwritten: {}", found.join(", "))),
    }
    taken.bytes
}

/// The transcript with placeholders for all that may be private.
fn without_texts(args: &ScrubArgs, name: &str, input: &[u8]) -> anyhow::Result<Vec<u8>> {
    // Nothing is written before all is checked: this is where the time goes.
    let mut progress: Option<Progress> = None;
    let key = key(args.seed.as_deref())?;
    let scrubbed = scrub_with_progress(input, key, &args.keep, |bytes, all| {
        let progress = progress.get_or_insert_with(|| {
            let progress = Progress::of(1, Some(all as u64));
            progress.input(name);
            progress
        });
        progress.advance(bytes);
    });
    if let Some(progress) = &progress {
        progress.clear();
    }
    scrubbed.with_context(|| format!("{name} was not scrubbed"))
}

/// A key from a text, or a random one.
pub(crate) fn key(seed: Option<&str>) -> anyhow::Result<Key> {
    let Some(seed) = seed else {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
        return Ok(Key::new(bytes));
    };
    ensure!(
        !seed.is_empty(),
        "`--seed` is empty, as of a variable that is not set: anybody could test guesses"
    );
    Ok(Key::of_text(seed))
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = AtomicFile::begin(path)?;
    file.write_all(bytes)
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.keep()
}
