//! The arguments of the program.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use codex_wire_inputs::{Exclude, Since};
use codex_wire_table::Table;

const EXAMPLES: &str = "\
Examples:
  codex-wire table ~/.codex/sessions recordings/ --out tables
      Write files of Parquet. Run it again, and only new transcripts are added. A file that has grown is added whole, and its
      older rows stay: docs/fleets.md has views of the newest ones.
  duckdb -c \"select model, sum(total_tokens) from 'tables/usage/**/*.parquet' where not is_copied group by model\"
  codex-wire table --format arrow-stream --table turns run.jsonl > turns.arrows
      Write one table as a stream of Arrow.
  find /data -name '*.jsonl' | codex-wire table --files-from - --out tables

Exit codes:
  0  everything was written; an input that could not be read is a row of `transcripts`
  2  the tables could not be written, or the list of inputs is not one";

/// Write tables of transcripts: Parquet for DuckDB and Spark, or a stream of Arrow
///
/// Transcripts are session files, streams of `codex exec --json` and recordings of `codex app-server`, of any release. Each
/// has rows in the tables transcripts, threads, turns, items, commands, tools, usage and findings.
#[derive(Debug, Parser)]
#[command(name = "codex-wire-table", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders or archives; standard input for `-`
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub(crate) paths: Vec<PathBuf>,

    /// Also read what FILE lists, standard input for `-`: a path a line, or frames
    ///
    /// A frame is a line `{"path":"NAME","bytes":N}`, then the N bytes of a transcript, then the end of a line. A path that
    /// begins with `{` is written `./{…`.
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,

    /// The folder for files of Parquet; it is made if it is not there, and added to if it is
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Parquet)]
    pub(crate) format: Format,

    /// The table of a stream of Arrow [default: transcripts]
    #[arg(long, value_name = "NAME", value_parser = table_names())]
    pub(crate) table: Option<Table>,

    /// Keep what was said: messages, commands, arguments and outputs
    #[arg(long)]
    pub(crate) with_text: bool,

    /// Of folders, read only files with activity since DATE, such as 2026-11-20
    #[arg(long, value_name = "DATE", value_parser = Since::parse)]
    pub(crate) since: Option<Since>,

    /// Of folders and archives, do not read files that match GLOB; can be given several times
    #[arg(long, value_name = "GLOB", value_parser = Exclude::parse)]
    pub(crate) exclude: Vec<Exclude>,

    /// The number of threads that read transcripts
    ///
    /// What is written, and in which order, does not depend on it. Another thread opens the inputs and writes. With 1, one
    /// does everything.
    #[arg(short = 'j', long, value_name = "N", default_value = "1")]
    pub(crate) threads: NonZeroUsize,
}

impl Args {
    /// The table of a stream of Arrow.
    pub(crate) fn streamed(&self) -> Table {
        self.table.unwrap_or(Table::Transcripts)
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// All tables as files of Parquet, in the folder of `--out`
    Parquet,
    /// One table as a stream of Arrow, on standard output
    ArrowStream,
}

fn table_names() -> impl clap::builder::TypedValueParser<Value = Table> {
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};

    let names = Table::ALL.iter().map(|table| table.as_str());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Table>())
}
