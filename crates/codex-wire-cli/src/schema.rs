//! Implements `codex-wire schema`.

use std::io::Write;
use std::process::ExitCode;

use anstream::ColorChoice;
use codex_wire_base::Surface;
use codex_wire_schema::{project, timeline};

use crate::args::SchemaArgs;
use crate::{output, resolve};

/// Where a release is looked for: `exec` at 0.34.0 can only mean its legacy form.
fn candidates(surface: Surface) -> &'static [Surface] {
    let all = surface.protocol().surfaces();
    match surface {
        Surface::Exec => all,
        other => all
            .iter()
            .position(|s| *s == other)
            .map_or(all, |at| &all[at..=at]),
    }
}

/// Prints a schema.
pub(crate) fn run(args: &SchemaArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let schema = if args.timeline {
        timeline(args.surface)
    } else {
        let (surface, release) = match &args.release {
            Some(text) => resolve::release(candidates(args.surface), text, color)?,
            None => (args.surface, args.surface.timeline().latest()),
        };
        project(surface, release, args.profile, args.draft, args.stability)
    };
    let mut out = output::stdout(color);
    serde_json::to_writer_pretty(&mut out, &schema).map_err(std::io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
