//! `codex-wire schema`.

use std::io::Write;
use std::process::ExitCode;

use anstream::ColorChoice;
use codex_wire_schema::{project, timeline};

use crate::args::SchemaArgs;
use crate::{output, resolve};

/// Prints a schema.
pub(crate) fn run(args: &SchemaArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let schema = if args.timeline {
        timeline(args.protocol)
    } else {
        let release = match &args.release {
            Some(text) => resolve::release(args.protocol, text, color)?,
            None => args.protocol.timeline().latest(),
        };
        project(args.protocol, release, args.profile, args.draft)
    };
    let mut out = output::stdout(color);
    serde_json::to_writer_pretty(&mut out, &schema).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
