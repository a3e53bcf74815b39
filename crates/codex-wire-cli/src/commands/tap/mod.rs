//! Implements `codex-wire tap`: runs between a client and Codex, passes everything on, and checks
//! it.
//!
//! Two threads pass bytes on, one for each direction. Before that, they put a copy into a bounded
//! queue. A third thread takes copies from the queue, splits them into lines, and records and
//! checks those. The copy comes first so that a request is always queued before its response; it
//! costs a copy in memory. If checking falls far behind and the queue is full, passing on waits, as
//! for a slow reader. Nothing is lost, neither traffic nor findings.

mod conversation;
mod inspector;
mod pump;
mod queue;
pub(crate) mod recorder;
mod signals;
mod sockets;
mod stdio;
mod wiretap;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_check::{Checker, Writer};
use codex_wire_replay::arguments::Listen;
use codex_wire_report::{Format, Settings, Styles};
use codex_wire_scrub::Scrubber;
use shared_child::SharedChild;

use super::codex_version;
use crate::atomic_file::require_folder;
use crate::flags::checker::CheckerFlags;
use crate::flags::limits::LimitFlags;
use crate::flags::values::named;
use crate::{exit_code, output};
pub(crate) use inspector::{Inspected, Inspection};
use pump::Pump;
use queue::{Event, Queue};
use recorder::Recorder;
use signals::Signals;
use wiretap::QUEUE;
pub(crate) use wiretap::Wiretap;

/// How long to wait for more output after Codex has exited. A process that Codex started may keep the
/// pipe open forever.
const GRACE: Duration = Duration::from_secs(1);

/// How often the end of the output is polled.
const TICK: Duration = Duration::from_millis(50);

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
  codex-wire tap --listen ws://127.0.0.1:0 --connect ws://127.0.0.1:4500 --record run.jsonl
      Stand between clients and `codex app-server --listen ws://127.0.0.1:4500`.

Checking does not change or delay the traffic. The traffic only waits if more than 32 MiB wait to
be checked. Signals that end a program are passed on to COMMAND.

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
        value_parser = sockets::address,
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
        value_parser = sockets::address,
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
    /// a program named `codex` is asked for its version, of others the first answer of an app-server has it.
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
    limits: LimitFlags,
}

/// The formats that can be read while they grow.
fn live_format() -> impl TypedValueParser<Value = Format> {
    named([Format::Text, Format::JsonLines], Format::as_str)
}

/// Runs the command.
pub(crate) fn run(args: &TapArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let checker = Checker::new(args.checker.options(&args.limits, color)?)?;
    let program = args.command.first();
    if args.log.is_some() && args.log == args.record {
        bail!("the report and the recording cannot be one file");
    }
    let begun = Instant::now();
    let recorder = match &args.record {
        Some(path) => {
            let scrubber = match args.scrub {
                true => Some(Scrubber::new(super::scrub::key(None)?, &[])),
                false => None,
            };
            Some(Recorder::open(path, scrubber)?)
        }
        None => None,
    };
    let inspection = Inspection {
        path: name(args, program),
        protocol: args.checker.protocol,
        release: release(args, program),
        line_bytes: args.limits.max_line_bytes,
        format: args.format,
        settings: settings(args),
        begun,
        color,
    };
    let tap = Wiretap {
        checker,
        inspection,
        recorder,
        out: report_to(args, color)?,
    };
    if let (Some(listen), Some(connect)) = (&args.listen, &args.connect) {
        let home = std::env::var_os("CODEX_HOME").map(PathBuf::from);
        let route = sockets::Route {
            listen,
            connect,
            home: home.as_deref(),
        };
        return sockets::run(tap, &route, args.verdict);
    }
    let Some((program, rest)) = args.command.split_first() else {
        bail!("name a command");
    };
    let (own_in, own_out) = stdio()?;
    let (status, inspected) = tap.run(Command::new(program).args(rest), own_in, own_out)?;
    if let Some(code) = inspected.exit_code(args.verdict) {
        return Ok(code);
    }
    Ok(ExitCode::from(code_of(status)))
}

/// Our standard input and output, which are taken away from the rest of the program.
pub(crate) fn stdio() -> anyhow::Result<(File, File)> {
    stdio::take().context("cannot take over standard input and output")
}

impl Wiretap {
    /// Runs a command. Its input comes from `own_in`, its output goes to `own_out`.
    pub(crate) fn run(
        self,
        command: &mut Command,
        own_in: impl Read + Send + 'static,
        own_out: impl Write + Send + 'static,
    ) -> anyhow::Result<(ExitStatus, Inspected)> {
        let Wiretap {
            checker,
            inspection,
            mut recorder,
            mut out,
        } = self;
        let color = inspection.color;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let child = SharedChild::spawn(command).with_context(|| {
            let program = Path::new(command.get_program()).display();
            format!("cannot start {program}")
        })?;
        let child = Arc::new(child);
        if let Some(recorder) = &mut recorder {
            recorder.begin()?;
        }
        // The command was started before, so it has the signal handlers that we inherited, not ours.
        let signals = Signals::forward(&child).context("cannot watch for signals")?;

        let queue = Arc::new(Queue::new(QUEUE));
        let inspector = {
            let consumer = Queue::consumer(&queue);
            thread::spawn(move || inspection.run(&checker, consumer, recorder, &mut *out))
        };
        if let Some(to) = child.take_stdin() {
            // This thread is never joined: it may be blocked in a read at the end.
            thread::spawn(pump(Pump::new(own_in, to, Writer::Client), &queue));
        }
        let (done, is_done) = mpsc::channel::<()>();
        let pump_out = child.take_stdout().map(|from| {
            let pump = Pump::new(from, own_out, Writer::Codex);
            let activity = pump.activity();
            let run = self::pump(pump, &queue);
            thread::spawn(move || {
                run();
                drop(done);
            });
            activity
        });
        let status = child.wait().context("cannot wait for the command")?;
        signals.keep();
        if let Some(activity) = &pump_out {
            let mut since = (activity.passed(), Instant::now());
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(TICK) {
                if signals.came() {
                    break;
                }
                let passed = activity.passed();
                if passed != since.0 || activity.is_writing() {
                    since = (passed, Instant::now());
                } else if since.1.elapsed() > GRACE {
                    break;
                }
            }
        }
        let lost = pump_out.as_ref().and_then(|activity| activity.failure());
        queue.push(Event::Exit {
            at: Instant::now(),
            status: status.code(),
            signal: signals::ended_by(status),
        });
        queue.close();
        let Ok(mut inspected) = inspector.join() else {
            bail!("the checker failed; the rest of the traffic was not checked");
        };
        if let Some(error) = lost {
            let text = format!(
                "cannot write standard output: {error}; the output of COMMAND is incomplete"
            );
            output::complain(color, &text);
            inspected.is_complete = false;
        }
        Ok((status, inspected))
    }
}

/// The function of a thread that passes bytes on.
fn pump<R, W>(pump: Pump<R, W>, queue: &Arc<Queue>) -> impl FnOnce() + Send + use<R, W>
where
    R: io::Read + Send + 'static,
    W: io::Write + Send + 'static,
{
    let queue = Arc::clone(queue);
    move || pump.run(&queue)
}

/// The exit code of the command, as shells report it.
pub(crate) fn code_of(status: ExitStatus) -> u8 {
    match (status.code(), signals::number(status)) {
        (Some(code), _) => u8::try_from(code).unwrap_or(u8::MAX),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        (None, None) => u8::MAX,
    }
}

/// The release for the recording: the one that is stated, else that of a program named `codex`, which
/// is asked. Of other programs, the first answer of an app-server names it.
fn release(args: &TapArgs, program: Option<&OsString>) -> Option<String> {
    let stated = args.checker.release.clone();
    if stated.is_some() || args.record.is_none() {
        return stated;
    }
    let program = program.filter(|program| {
        let path = Path::new(program);
        path.file_stem() == Some("codex".as_ref())
    })?;
    let release = codex_version::ask(&mut Command::new(program));
    release.map(|release| release.to_string())
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

/// The output of the report. Standard error is not locked, because others write there too.
fn report_to(args: &TapArgs, color: ColorChoice) -> anyhow::Result<Box<dyn Write + Send>> {
    Ok(match &args.log {
        Some(path) => {
            require_folder(path)?;
            let file = File::create(path);
            let file = file.with_context(|| format!("cannot write {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(AutoStream::new(io::stderr(), color))),
    })
}

impl Inspected {
    /// The exit code of `check`, if `--verdict` is given.
    fn exit_code(&self, wanted: bool) -> Option<ExitCode> {
        wanted.then(|| match (&self.totals, self.is_complete) {
            (Some(totals), true) => exit_code::of(totals),
            _ => ExitCode::from(exit_code::COULD_NOT_CHECK),
        })
    }
}
