//! The arguments of `codex-wire replay`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::Protocol;
use codex_wire_live::stand_in::{ON_MISS, Speed};
use codex_wire_replay::OnMiss;
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::faults::{FAULTS, Fault, Injection};
use codex_wire_report::Format;

use crate::flags::values::named;
use crate::reports::ReportTo;

const EXAMPLES: &str = "\
Examples:
  codex-wire tap --record run.jsonl -- codex app-server
      Record Codex once.
  codex-wire replay run.jsonl
      Play it on standard input and output.
  codex-wire replay --install stand-in run.jsonl
      Write stand-in/codex, which a client can start instead of Codex.
  codex-wire replay --install stand-in accept.jsonl decline.jsonl
      Play the one in which the recorded client decided what this client decides.
  codex-wire replay --script hello.toml --protocol exec
      Play what a script says, without a recording.

Exit codes:
  0, 1, …  as Codex exited in the recording
  1        no recording goes on after what the client sent
  2        the recordings cannot be played";

/// Play recordings to a client instead of Codex
///
/// The client's requests are answered as Codex answered the recorded ones. Ids and paths are those of
/// the client. If no recording answers a request, the client gets an error, and the closest recorded
/// request goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// Recordings, or folders of them
    ///
    /// A recording is a transcript, as `tap --record` writes it, or the output of `codex exec --json`. Of
    /// several recordings, the client's requests choose one. `codex exec` has no requests: only with
    /// `--install` there can be several recordings of it.
    #[arg(value_name = "RECORDING", required_unless_present = "script")]
    pub(crate) recordings: Vec<PathBuf>,

    /// Play a script instead of recordings
    ///
    /// A script is a file that says what the model does: JSON if its name ends in `.json`, else TOML. It is played as
    /// any release.
    #[arg(long, value_name = "FILE", conflicts_with = "recordings")]
    pub(crate) script: Option<PathBuf>,

    /// What a script is played as: `exec`, `app-server`, or `core`, which is `codex proto`
    ///
    /// With --install, the arguments of the client decide.
    #[arg(long, short, value_parser = protocol())]
    #[arg(requires = "script", conflicts_with_all = ["install", "recordings"])]
    pub(crate) protocol: Option<Protocol>,

    /// Write a program named `codex` to this folder instead, with the recordings
    ///
    /// The folder then holds all that the program needs. Its settings are in `codex-replay.toml` there.
    #[arg(long, value_name = "DIR")]
    pub(crate) install: Option<PathBuf>,

    /// The release to play [default: that of the first recording; for a script, the newest]
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// Where clients of the app-server connect: `ws://IP:PORT` or `unix://PATH`
    ///
    /// The address has to be on loopback; port 0 takes any that is free. The address of a `ws://` socket is
    /// printed on standard error. Each connection is a client of its own.
    #[arg(
        long,
        value_name = "URL",
        default_value = "stdio://",
        conflicts_with = "install"
    )]
    pub(crate) listen: Listen,

    /// Play the recordings as this release would have written them
    ///
    /// Members that the release does not have are left out, and those that it always writes are added. What
    /// it cannot express is refused, with the line of the recording.
    #[arg(long, value_name = "RELEASE", conflicts_with = "script")]
    pub(crate) as_release: Option<String>,

    /// When lines are written: `instant`, `recorded`, or how many times as fast as recorded
    #[arg(long, value_parser = Speed::parse, default_value = "instant")]
    pub(crate) speed: Speed,

    /// What happens if no recording answers: `error`, `fail` or `synthesize`
    ///
    /// `error` tells the client, as the release does, and `fail` also ends the session. `synthesize`
    /// gives the client the smallest valid answer of the release. If not given, a recording has `error`
    /// and a script has `synthesize`.
    #[arg(long, value_parser = on_miss(), value_name = "WHAT")]
    pub(crate) on_miss: Option<OnMiss>,

    /// Which times messages have: `recorded`, or `now`, which moves the first of them to now
    #[arg(long, value_parser = times(), default_value = "recorded", value_name = "WHICH")]
    pub(crate) times: &'static str,

    /// Inject a fault; can be given several times
    #[arg(long = "fault", value_name = "ID[@WHERE]", value_parser = Injection::parse)]
    #[arg(help_heading = "Faults", long_help = fault_help())]
    pub(crate) faults: Vec<Injection>,

    /// The seed for what faults leave open, such as which member is added
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        help_heading = "Faults"
    )]
    pub(crate) seed: u64,

    /// Write the ids of faults to this file when they are injected
    #[arg(long, value_name = "FILE", help_heading = "Faults")]
    pub(crate) fault_log: Option<PathBuf>,

    /// The process whose end also ends the installed program; if not given, the program ends with its folder
    ///
    /// When the process with this number is gone, every stand-in that runs from the folder ends.
    #[arg(long, value_name = "PID", requires = "install")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) owner: Option<u32>,

    /// Write what the client does to this file, one line of JSON for each action
    ///
    /// It is appended to, before the client is answered. The lines are those of schemas/client-log.json.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) client_log: Option<PathBuf>,

    /// Record the exchange as a transcript
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) record: Option<PathBuf>,

    /// Report on standard error what the client did wrong, in this format
    ///
    /// The lines of the client are checked as `check` does.
    #[arg(long, value_parser = format(), conflicts_with = "install", help_heading = "Reports")]
    pub(crate) format: Option<Format>,

    /// Also write a report to a file; can be given several times
    ///
    /// The formats are those of `--format`.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = ReportTo::parse)]
    #[arg(help_heading = "Reports")]
    pub(crate) reports: Vec<ReportTo>,
}

/// The protocols in which Codex meets a client, or writes to one.
fn protocol() -> impl TypedValueParser<Value = Protocol> {
    let played = [Protocol::Exec, Protocol::AppServer, Protocol::Core];
    named(played, Protocol::as_str)
}

fn format() -> impl TypedValueParser<Value = Format> {
    named(Format::ALL.iter().copied(), Format::as_str)
}

fn on_miss() -> impl TypedValueParser<Value = OnMiss> {
    named(ON_MISS, |(name, _)| name).map(|(_, on_miss)| on_miss)
}

/// The help of `--fault`, with all ids.
fn fault_help() -> String {
    let list = |fault: &Fault| format!("{:<18} {}", fault.short(), fault.summary);
    let lines: Vec<String> = FAULTS.iter().copied().map(list).collect();
    format!(
        "Inject a fault; can be given several times\n\n\
         `codex-wire explain fault/ID` says what it does, what a client should do, and what WHERE is.\n\n{}",
        lines.join("\n")
    )
}

fn times() -> impl TypedValueParser<Value = &'static str> {
    named(["recorded", "now"], |name| name)
}
