//! Implements `codex-wire convert`: writes transcripts in our format.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use clap::Args;
use codex_wire_check::{Converted, Converter};
use codex_wire_report::{SkipReason, Skipped};

use crate::atomic_file::AtomicFile;
use crate::flags::folder::FolderFlags;
use crate::inputs::{self, Found, Opened, Source, Unreadable};
use crate::output;
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  codex-wire convert run.json > run.jsonl
      Convert an array of messages.
  codex-wire convert frames.log --out run.jsonl
      Convert what another recorder wrote.
  codex-wire convert recordings.tar.gz --out transcripts
      Convert each member of an archive to a file of a folder.

Exit codes:
  0  all inputs were converted
  2  an input was not";

/// Convert recordings to our transcript format
///
/// Reads everything that `check` reads: lines of Codex or of both sides, JSON arrays, records of other
/// recorders, compressed files, folders and archives. Each line becomes a record with the side that
/// wrote it; `check` finds the same in the result. A transcript stays as it is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// Files or folders; standard input if none is given, or for `-`
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Write to a file instead of standard output, or for a folder, an archive or several inputs to a
    /// folder
    ///
    /// The folder is made if it does not exist. The files in it have the names of the inputs.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    folder: FolderFlags,
}

/// Converts the inputs.
pub(crate) fn run(args: &ConvertArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let paths = inputs::or_stdin(&args.paths, "convert")?;
    let converter = Converter::new()?;
    let listing = inputs::list(&paths, args.folder.selection());
    let mut skipped = inputs::skipped(listing.skipped);
    let progress = Progress::of(listing.inputs.len(), listing.bytes);
    let is_folder = paths.len() > 1 || paths[0].is_dir();
    let mut target = Target {
        out: args.out.as_deref(),
        is_folder,
        roots: &paths,
        written: HashSet::new(),
    };
    let mut failed = false;
    for input in listing.inputs {
        let source = match input {
            Ok(source) => source,
            Err(Unreadable { name, error, .. }) => {
                output::complain(color, &format!("cannot convert {name}: {error}"));
                failed = true;
                continue;
            }
        };
        progress.input(&source.name());
        source.each(&progress, &args.folder.exclude, |found| {
            let (name, error) = match found {
                Found::Skipped(file) => return skipped.push(inputs::skipped_file(file)),
                Found::Failed(Unreadable { name, error, .. }) => (name, error.into()),
                Found::Input(opened) => {
                    let name = opened.name.clone();
                    let may_skip = args.folder.skips(&opened);
                    match target.convert(&converter, &source, opened) {
                        Ok(Converted::Written) => return,
                        Ok(Converted::Foreign) if may_skip => {
                            return skipped.push(Skipped::new(name, SkipReason::NoTranscript));
                        }
                        Ok(Converted::Foreign) => (name, anyhow!("no line is a message of Codex")),
                        Err(error) => (name, error),
                    }
                }
            };
            let _cleared = progress.clear();
            output::complain(color, &format!("cannot convert {name}: {error:#}"));
            failed = true;
        });
    }
    progress.clear();
    output::remark_skipped(color, &skipped);
    Ok(match failed {
        true => crate::exit_code::COULD_NOT_CHECK.into(),
        false => ExitCode::SUCCESS,
    })
}

/// Where transcripts are written to.
struct Target<'a> {
    out: Option<&'a Path>,
    is_folder: bool,
    roots: &'a [PathBuf],
    written: HashSet<PathBuf>,
}

impl Target<'_> {
    fn convert(
        &mut self,
        converter: &Converter,
        source: &Source,
        opened: Opened<'_>,
    ) -> anyhow::Result<Converted> {
        let is_member = opened.name != source.name();
        let Some(out) = self.out else {
            if self.is_folder || is_member {
                bail!("there may be several inputs: name a folder with --out");
            }
            // Nothing is written of files that are not transcripts.
            let mut all = tempfile::tempfile().context("cannot make a temporary file")?;
            let converted = converter.convert(&opened.name, opened.input, &mut all)?;
            if matches!(converted, Converted::Written) {
                io::Seek::rewind(&mut all)?;
                let mut stdout = io::stdout().lock();
                io::copy(&mut all, &mut stdout).context("cannot write")?;
                stdout.flush().context("cannot write")?;
            }
            return Ok(converted);
        };
        let path = match self.is_folder || is_member {
            true => {
                let path = out.join(self.name_of(&opened.name));
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)
                        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                }
                path
            }
            false => out.to_owned(),
        };
        if !self.written.insert(path.clone()) {
            bail!("another input was written to {}", path.display());
        }
        let mut file = AtomicFile::begin(&path)?;
        let converted = converter.convert(&opened.name, opened.input, &mut file)?;
        if matches!(converted, Converted::Written) {
            file.keep()?;
        }
        Ok(converted)
    }

    /// The name of a file in the folder: below the folder that the user names, or that of the member. It
    /// never leads out of the folder.
    fn name_of(&self, name: &str) -> PathBuf {
        let (path, member) = match name.split_once('!') {
            Some((archive, member)) => (self.inside(Path::new(archive)), member),
            None => (self.inside(Path::new(name)), ""),
        };
        let parts = path.components().chain(Path::new(member).components());
        let mut safe: PathBuf = parts
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect();
        for ending in ["gz", "zst"] {
            if safe.extension().is_some_and(|e| e == ending) {
                safe.set_extension("");
            }
        }
        safe.with_extension("jsonl")
    }

    fn inside(&self, path: &Path) -> PathBuf {
        let inside = self
            .roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok())
            .filter(|inside| !inside.as_os_str().is_empty());
        let inside = inside.or_else(|| path.file_name().map(Path::new));
        inside.unwrap_or(path).to_owned()
    }
}
