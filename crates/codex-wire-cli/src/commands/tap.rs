//! Implements `codex-wire tap`: runs between a client and Codex, passes everything on, and checks
//! it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::Release;
use codex_wire_check::{Checker, Options};
use codex_wire_live::record::CodexCommand;
use codex_wire_live::tap::{self, Inspected, Route, Tap};
use codex_wire_live::{Error, Recorder};
use codex_wire_replay::arguments::Listen;
use codex_wire_report::{Format, Settings, Styles, Totals};
use codex_wire_scrub::Scrubber;

use crate::atomic_file::require_folder;
use crate::flags::checker::CheckerFlags;
use crate::flags::limits::LimitFlags;
use crate::flags::telemetry::TelemetryFlags;
use crate::flags::values::named;
use crate::live_report::{LiveReport, notices};
use crate::reports::absolute;
use crate::telemetry::{Clock, Telemetry};
use crate::{exit_code, interrupt, output, resolve_release, stdio};

const EXAMPLES: &str = "\
Examples:
  codex-wire tap -- codex app-server
      Let a client start this instead of `codex app-server`.
  codex-wire tap --record run.jsonl --log findings.txt -- codex app-server
      Record a transcript, and write findings to a file.
  codex-wire tap --record run.jsonl --scrub -- codex app-server
      Record a transcript without private data.
  codex-wire tap --verdict -- codex exec --json 'fix the tests' > run.jsonl
      Fail if what Codex writes does not conform.
  codex-wire tap --otlp http://127.0.0.1:4318 -- codex exec --json 'fix the tests'
      Send a trace of each turn to a collector of OpenTelemetry, as soon as it has ended.
  codex-wire tap --listen ws://127.0.0.1:0 --connect ws://127.0.0.1:4500 --record run.jsonl
      Stand between clients and `codex app-server --listen ws://127.0.0.1:4500`.

Checking does not change or delay the traffic. The traffic only waits if more than 32 MiB wait to
be checked. Signals that end a program are passed on to COMMAND. What a program that COMMAND has
started writes after it has exited is passed on until nothing comes for a second.

Exit codes:
  0, 1, …  as COMMAND exits; 128 plus the number of the signal if one ends it
  2        COMMAND cannot be started, or the address of --listen cannot be used
With --listen, 0 after a signal that ends it.
With --verdict:
  0        all checked messages conform
  1        there are findings at error level
  2        nothing could be checked";

/// Run Codex, pass its traffic on unchanged, record and check it
///
/// Standard input goes to COMMAND and its standard output comes back, byte for byte. Its standard
/// error is not touched. Findings and counts go to standard error or to a file. The lines of both
/// sides are checked; for `codex exec`, only those of Codex.
///
/// With `--listen`, `tap` stands between clients and an app-server on a WebSocket or a unix socket
/// instead, and starts no program.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TapArgs {
    /// The command to run, and its arguments
    #[arg(
        value_name = "COMMAND",
        required_unless_present = "listen",
        last = true
    )]
    command: Vec<OsString>,

    /// Wait for clients at this address: ws://IP:PORT or unix://PATH
    ///
    /// Each client gets a connection of its own to the address of `--connect`. Only addresses on
    /// loopback are allowed, here and there. With port 0, standard error has the port that was chosen.
    /// A signal ends `tap`.
    #[arg(
        long,
        value_name = "ADDRESS",
        value_parser = tap::address,
        requires = "connect",
        conflicts_with = "command",
        help_heading = "Sockets"
    )]
    listen: Option<Listen>,

    /// Where `codex app-server --listen` is: ws://IP:PORT or unix://PATH
    ///
    /// `unix://` without a path is the socket in the folder CODEX_HOME.
    #[arg(
        long,
        value_name = "ADDRESS",
        value_parser = tap::address,
        requires = "listen",
        conflicts_with = "command",
        help_heading = "Sockets"
    )]
    connect: Option<Listen>,

    #[command(flatten)]
    checker: CheckerFlags,

    /// The format of the report
    #[arg(long, value_parser = live_format(), default_value = Format::Text.as_str())]
    #[arg(help_heading = "Reports")]
    format: Format,

    /// Write the report to a file instead of standard error
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    log: Option<PathBuf>,

    /// Record the traffic as a transcript
    ///
    /// Each line is written at once, so that `check --follow` can read the file. The line numbers in findings
    /// are those of the file. What is in FILE is replaced once COMMAND runs. The recording names the release:
    /// a program named `codex` is asked for its version before, and checked as that; of others the first answer
    /// of an app-server has it.
    /// The file contains the whole traffic, but not the command and not its environment. A line longer than
    /// `--max-line-bytes` is cut, and `tap` reports this.
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    record: Option<PathBuf>,

    /// Replace private data in the recording, as `scrub` does
    ///
    /// Nothing private is written, not even for a moment. At the end the recording is checked, and
    /// removed if part of a replaced value is still there. Findings and their excerpts are about
    /// the real traffic.
    #[arg(long, requires = "record", help_heading = "Reports")]
    scrub: bool,

    /// Exit as `check` does, not as COMMAND does
    #[arg(long)]
    verdict: bool,

    #[command(flatten)]
    telemetry: TelemetryFlags,

    #[command(flatten)]
    limits: LimitFlags,
}

/// The formats that can be read while they grow.
fn live_format() -> impl TypedValueParser<Value = Format> {
    named([Format::Text, Format::JsonLines], Format::as_str)
}

/// Runs the command.
pub(crate) fn run(args: &TapArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let mut options = args.checker.options(&args.limits, color)?;
    let program = args.command.first();
    let release = release(args, &options);
    let of_command = || CodexCommand::of(&args.command)?.protocol(release);
    let protocol = args.checker.protocol.or_else(of_command);
    if args.checker.release.is_none()
        && let Some(release) = release
    {
        options.release = resolve_release::of_protocol(protocol, &release.to_string(), color).ok();
    }
    let checker = Checker::new(options)?;
    let [log, record] = [&args.log, &args.record].map(|path| path.as_deref().map(absolute));
    if log.is_some() && log == record {
        bail!("the report and the recording cannot be one file");
    }
    let name = name(args, program);
    let telemetry = Telemetry::of(&args.telemetry, color)?;
    let mut tap = Tap::new(&checker, name.as_str())
        .protocol(protocol)
        .longest_line(args.limits.max_line_bytes)
        .notices(notices(color))
        .recorder(recorder(args)?)
        .release(release.map(|release| release.to_string()));
    if let Some(telemetry) = &telemetry {
        tap = tap.observed_by(telemetry.observer(&args.telemetry, &name, Clock::Now));
    }
    let log = report_file(args)?;
    let report = |out| LiveReport::begin(&name, args.format, settings(args), color, out);
    if let (Some(listen), Some(connect)) = (&args.listen, &args.connect) {
        let home = std::env::var_os("CODEX_HOME").map(PathBuf::from);
        let route = Route::new(listen.clone(), connect.clone(), home);
        interrupt::watch().context("cannot watch for signals")?;
        let listening = tap.listen(&route, interrupt::stop());
        let mut listening = listening.map_err(|error| match error {
            Error::OwnClient => anyhow!("`--listen` and `--connect` cannot be one address"),
            error => error.into(),
        })?;
        let address = listening.address();
        output::remark(color, &format!("listening on: {address}"));
        let mut out = report_to(log, color)?;
        let mut report = report(&mut *out);
        listening.by_ref().for_each(|found| report.findings(&found));
        let inspected = listening.finish();
        let totals = report.finish(&inspected);
        if let Some(telemetry) = telemetry {
            telemetry.finish();
        }
        return Ok(match args.verdict {
            true => verdict(totals.as_ref(), &inspected),
            false => ExitCode::SUCCESS,
        });
    }
    let Some((program, rest)) = args.command.split_first() else {
        bail!("name a command");
    };
    let (own_in, own_out) = stdio::taken()?;
    let tap = tap.passing_signals();
    let mut running = tap.run(Command::new(program).args(rest), own_in, own_out)?;
    let mut out = report_to(log, color)?;
    let mut report = report(&mut *out);
    running.by_ref().for_each(|found| report.findings(&found));
    let tapped = running.finish()?;
    let totals = report.finish(&tapped.inspected);
    if let Some(error) = &tapped.cut {
        let text =
            format!("cannot write standard output: {error}; the output of COMMAND is incomplete");
        output::complain(color, &text);
    }
    if let Some(telemetry) = telemetry {
        telemetry.finish();
    }
    Ok(match args.verdict {
        true => verdict(totals.as_ref(), &tapped.inspected),
        false => exit_code::of_status(tapped.status),
    })
}

/// The exit code of `check`. What is not complete proves nothing.
fn verdict(totals: Option<&Totals>, inspected: &Inspected) -> ExitCode {
    match totals {
        Some(totals) if inspected.is_complete => exit_code::of(totals),
        _ => ExitCode::from(exit_code::COULD_NOT_CHECK),
    }
}

fn recorder(args: &TapArgs) -> anyhow::Result<Option<Recorder>> {
    let Some(path) = &args.record else {
        return Ok(None);
    };
    require_folder(path)?;
    let scrubber = match args.scrub {
        true => Some(Scrubber::new(super::scrub::key(None)?, &[])),
        false => None,
    };
    Ok(Some(Recorder::open(path)?.scrubbed(scrubber)))
}

/// The release for the recording and the verdict, so that `check` finds in the recording what is found here: the one
/// that is stated, else that of a program named `codex`, which is asked. Of other programs, the first answer of an
/// app-server names it.
fn release(args: &TapArgs, options: &Options) -> Option<Release> {
    if let Some(text) = &args.checker.release {
        // What is newer than all that is known is checked as the newest, and recorded as it is.
        return options.release.map(|listed| text.parse().unwrap_or(listed));
    }
    if args.record.is_none() && !args.verdict {
        return None;
    }
    CodexCommand::of(&args.command)?.release()
}

/// The name of the conversation in reports: its recording, if there is one, else the program.
fn name(args: &TapArgs, program: Option<&OsString>) -> String {
    match (&args.record, program) {
        (Some(path), _) => path.display().to_string(),
        (None, None) => "app-server".to_owned(),
        (None, Some(program)) => {
            let path = Path::new(program);
            let name = path.file_name().map_or(path, Path::new);
            name.display().to_string()
        }
    }
}

fn settings(args: &TapArgs) -> Settings {
    let plain = Settings::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));
    match args.log {
        Some(_) => plain,
        None => plain.with_styles(Styles::coloured()),
    }
}

/// The file of the report, with what is in it until COMMAND runs.
fn report_file(args: &TapArgs) -> anyhow::Result<Option<File>> {
    let Some(path) = &args.log else {
        return Ok(None);
    };
    require_folder(path)?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Some(file))
}

/// The output of the report. Standard error is not locked, because others write there too.
fn report_to(log: Option<File>, color: ColorChoice) -> anyhow::Result<Box<dyn Write + Send>> {
    Ok(match log {
        Some(file) => {
            // A device has no length.
            if file.metadata()?.is_file() {
                file.set_len(0)?;
            }
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(AutoStream::new(io::stderr(), color))),
    })
}
