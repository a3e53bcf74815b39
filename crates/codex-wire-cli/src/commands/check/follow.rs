//! Implements `codex-wire check --follow`: checks a file that is still being written.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_check::{Checker, Outcome};
use codex_wire_live::{Follow, Followed, Gone};
use codex_wire_report::Format;

use super::args::CheckArgs;
use crate::reports::{self, Reports};
use crate::telemetry::{Clock, Telemetry};
use crate::{exit_code, inputs, interrupt, output};

/// Follows the file that the command line names.
pub(crate) fn run(
    args: &CheckArgs,
    checker: &Checker,
    color: ColorChoice,
) -> anyhow::Result<ExitCode> {
    let path = file(args)?;
    interrupt::watch().context("cannot watch for signals")?;
    let mut files = reports::files(&args.reports, &args.files_read())?;
    let mut out = output::stdout(color);
    let mut reports = Reports::begin(args.format, &mut out, &mut files, false)?;
    let name = path.display().to_string();
    let telemetry = Telemetry::of(&args.telemetry, color)?;
    let mut follow = Follow::new(checker, path, interrupt::stop()).until_idle(args.until_idle);
    if let Some(telemetry) = &telemetry {
        // What is in the file was written at times that only the file can know.
        follow = follow.observed_by(telemetry.observer(&args.telemetry, &name, Clock::Unknown));
    }
    for followed in follow {
        match followed {
            Followed::Findings(findings) => reports.findings(&name, &findings)?,
            Followed::Ended(outcome, rest) => {
                reports.findings(&name, &rest)?;
                reports.outcome(&outcome)?;
            }
            Followed::Missing(other) => {
                let other = other.map_or_else(String::new, |other| {
                    format!("; {} is there, and is not followed", other.display())
                });
                output::remark(color, &format!("waiting for {name}{other}"));
            }
            Followed::Gone(how) => {
                let how = match how {
                    Gone::Compressed => "was compressed",
                    Gone::Removed => "was removed",
                };
                output::remark(color, &format!("{name} {how}: nothing more can come"));
            }
            Followed::Unreadable(error) => {
                reports.outcome(&unreadable(&name, &error, args.format, color))?;
            }
        }
    }
    if let Some(telemetry) = telemetry {
        telemetry.finish();
    }
    let totals = reports.finish()?;
    for (_, file) in files {
        file.keep()?;
    }
    Ok(exit_code::of(&totals))
}

/// The file to follow.
fn file(args: &CheckArgs) -> anyhow::Result<&Path> {
    let [path] = args.paths.as_slice() else {
        bail!("`--follow` takes one file");
    };
    let shown = path.display();
    if path.as_os_str() == inputs::STDIN {
        bail!(
            "`--follow` cannot read standard input; `codex-wire tap` checks what a command writes"
        );
    }
    if path.is_dir() {
        bail!("{shown} is a folder; `--follow` takes one file");
    }
    if path
        .extension()
        .is_some_and(|ending| ending == "gz" || ending == "zst")
    {
        bail!("{shown} is compressed; `--follow` takes an uncompressed file");
    }
    Ok(path)
}

fn unreadable(name: &str, error: &io::Error, format: Format, color: ColorChoice) -> Outcome {
    // The text report shows this to people. They do not read the others.
    if format != Format::Text {
        output::complain(color, &format!("cannot read {name}: {error}"));
    }
    Outcome::unreadable(name, error.to_string())
}
