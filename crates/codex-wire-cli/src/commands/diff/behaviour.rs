//! Implements `codex-wire diff --behaviour`: what two releases do differently in the same scenes, though no schema says
//! so.

use std::io::Write as _;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::{MessageSet, Protocol};
use codex_wire_diff::Behaviour;
use codex_wire_report::differences::write_behaviour;
use codex_wire_report::{Format, Styles, escaped_json, escaped_lines};

use super::args::DiffArgs;
use super::scope::{About, Scope};
use crate::{output, resolve_release};

/// The protocols whose scenes are recorded.
pub(crate) const PROTOCOLS: &[Protocol] = &[Protocol::Exec, Protocol::AppServer];

/// Compares two releases in what they do.
pub(super) fn run(args: &DiffArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let (protocols, before, after) = match (&args.about, args.sides(), &args.before) {
        (Some(About::Scope(Scope::Protocol(protocol))), Some((before, after)), _) => {
            let known = PROTOCOLS.iter().position(|one| one == protocol);
            let Some(known) = known else {
                bail!("no scene of {protocol} is recorded: there are exec and app-server");
            };
            (&PROTOCOLS[known..=known], before.to_owned(), after)
        }
        (Some(About::Recording(before)), None, Some(after)) => {
            (PROTOCOLS, before.display().to_string(), &**after)
        }
        (Some(About::Release(before)), None, Some(after)) => (PROTOCOLS, before.clone(), &**after),
        _ => bail!("nothing to compare: name two releases, or a protocol and two releases"),
    };
    let sets: Vec<MessageSet> = protocols.iter().map(|one| MessageSet::from(*one)).collect();
    let resolve = |text: &str| resolve_release::of_message_sets(&sets, text, color);
    let ((_, before), (_, after)) = (resolve(&before)?, resolve(after)?);
    let found = Behaviour::recorded().between(protocols, before, after);
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => writeln!(out, "{}", escaped_json(&format!("{:#}", found.to_json())))?,
        Format::Markdown => {
            let text = format!("# Behaviour {before} to {after}\n\n{}", found.to_markdown());
            write!(out, "{}", escaped_lines(&text))?;
        }
        _ => write_behaviour(&mut out, &found, &Styles::coloured())?,
    }
    out.flush().context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}
