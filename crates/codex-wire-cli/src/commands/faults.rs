//! Implements `codex-wire faults`: lists the faults.
//!
//! As JSON: `{"version":1,"faults":[{"id","summary","protocols","expects","client","inject","residue"}]}`, which
//! `schemas/faults.json` describes.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_base::Protocol;
use codex_wire_replay::faults::{FAULTS, Fault, Injection};
use codex_wire_report::{Format, wrapped};
use serde_json::json;

use crate::flags::values::{named, text_or_json};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  codex-wire faults
  codex-wire faults --protocol exec
  codex-wire faults --format json | jq -r '.faults[] | select(.expects == \"same\") | .id'
  codex-wire explain fault/turn-fails

Exit codes:
  0  the faults were listed
  2  the faults could not be listed";

/// List the faults that a stand-in can have
///
/// Prints the name of each fault, what it is, and what a client that handles it shows, compared with a run without
/// the fault: the same (same), something else, such as a failure (different), either of them (same-or-failure), or
/// something else, and that it ends by itself (different-and-ends).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FaultsArgs {
    /// Only faults of this protocol, as a client of it is tried with them
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// The protocols in which a stand-in meets a client.
fn protocol() -> impl TypedValueParser<Value = Protocol> {
    let played = [Protocol::Exec, Protocol::AppServer, Protocol::Core];
    named(played, Protocol::as_str)
}

/// Lists the faults.
pub(crate) fn run(args: &FaultsArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let is_of = |protocol: Protocol| move |fault: &&Fault| fault.protocols.contains(&protocol);
    let mut faults: Vec<&Fault> = FAULTS.to_vec();
    if let Some(protocol) = args.protocol {
        faults.retain(is_of(protocol));
    }
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => json(&mut out, &faults, args.protocol)?,
        _ => text(&mut out, &faults, args.protocol)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(out: &mut dyn Write, faults: &[&'static Fault], of: Option<Protocol>) -> io::Result<()> {
    let bold = Style::new().bold();
    let width = faults.iter().map(|fault| fault.short().len()).max();
    let width = width.unwrap_or(0);
    for fault in faults {
        let (_, expected) = Injection::to_try(fault).with_company(of);
        let (name, expects) = (fault.short(), expected.as_str());
        writeln!(out, "{bold}{name:<width$}{bold:#}  {expects}")?;
        write!(out, "{}", wrapped(fault.summary, 4))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, faults: &[&'static Fault], of: Option<Protocol>) -> io::Result<()> {
    let fault = |fault: &&'static Fault| {
        let (inject, expected) = Injection::to_try(fault).with_company(of);
        let inject: Vec<String> = inject.iter().map(Injection::short).collect();
        let protocols: Vec<&str> = fault.protocols.iter().map(|of| of.as_str()).collect();
        json!({
            "id": fault.short(),
            "summary": fault.summary,
            "protocols": protocols,
            "expects": expected.as_str(),
            "client": fault.client,
            "inject": inject,
            "residue": fault.residue,
        })
    };
    let faults: Vec<_> = faults.iter().map(fault).collect();
    serde_json::to_writer_pretty(&mut *out, &json!({"version": 1, "faults": faults}))?;
    writeln!(out)
}
