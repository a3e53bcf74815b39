//! Implements `codex-wire diff`: what changed between two releases, and whom it breaks.
//!
//! As JSON: the document of `codex_wire_diff::DIFF_SCHEMA`. With `--transcript` it stands in
//! `differences` of the document of `codex_wire_schema::own::DIFF_TRANSCRIPT`. Differences in members
//! that the transcript does not contain are only counted, in `hidden`. Two recordings give the document of
//! `codex_wire_session::Comparison`.

mod args;
pub(crate) mod behaviour;
mod fail_on;
mod filter;
pub(crate) mod recordings;
pub(crate) mod scope;
mod sessions;
pub(crate) mod sides;
pub(crate) mod transcript;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_check::Writer;
use codex_wire_diff::{Direction, diff};
use codex_wire_report::differences::write_comparison;
use codex_wire_report::{Format, Styles, escaped_json, escaped_lines};

use crate::{output, output_limit};
pub(crate) use args::DiffArgs;
use scope::About;

/// Compares two releases, or a transcript with a release.
pub(crate) fn run(args: &DiffArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    if args.behaviour {
        return behaviour::run(args, color);
    }
    if let Some(path) = &args.transcript {
        return transcript::run(args, path, color);
    }
    let (protocol, before, after) = match (&args.about, args.sides(), &args.before) {
        (Some(About::Scope(scope)), Some((before, after)), _) => (*scope, before, after),
        (Some(About::Recording(before)), None, Some(after)) => {
            return sessions::run(args, [before, Path::new(after)], color);
        }
        (Some(About::Release(name)), ..) => {
            bail!("`{name}` is a release: name a protocol before it, or add --behaviour")
        }
        (Some(About::Recording(_)), Some(_), _) => {
            bail!("three recordings are named: name two recordings")
        }
        (Some(About::Recording(_)), ..) => bail!("nothing to compare: name two recordings"),
        _ => bail!("nothing to compare: name a protocol and two releases"),
    };
    let (before, after) = sides::both(protocol, [before, after], args.stability(), color)?;
    let written = |side: codex_wire_diff::Side| match args.writer {
        Some(Writer::Codex) => side.written_by(Direction::CodexWrites),
        Some(Writer::Client) => side.written_by(Direction::ClientWrites),
        _ => side,
    };
    let comparison = args.filter.apply(diff(&written(before), &written(after))?);
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            writeln!(
                out,
                "{}",
                escaped_json(&format!("{:#}", comparison.to_json()))
            )?;
        }
        Format::Markdown => {
            let title = format!("{protocol} {} to {}", comparison.before, comparison.after);
            write!(out, "{}", escaped_lines(&comparison.to_markdown(&title)))?;
        }
        _ => write_comparison(
            &mut out,
            protocol.as_str(),
            &comparison,
            &Styles::coloured(),
        )?,
    }
    out.flush().context("cannot write")?;
    Ok(fail_on::exit_code(args.fail_on, &comparison))
}
