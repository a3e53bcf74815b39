//! Implements `codex-wire upgrade`: whether a client can take another release.
//!
//! As JSON: the document of `codex_wire_diff::UPGRADE_SCHEMA`.

mod args;
mod client;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context, bail, ensure};
use codex_wire_base::{NamedRelease, Protocol, Release};
use codex_wire_check::Options;
use codex_wire_diff::{
    Behaviour, RestOfChanges, Side, UnwrittenLine, Upgrade, UpgradeVerdict, UsedChanges, diff,
};
use codex_wire_report::differences::write_upgrade;
use codex_wire_report::{Format, Styles, escaped_json, escaped_lines};
use codex_wire_schema::Stability;

use super::diff::behaviour::PROTOCOLS;
use super::diff::recordings::{Recorded, Recordings};
use super::diff::scope::Scope;
use super::diff::sides::of_release;
use super::diff::transcript::{is_unread, unmatched, used};
use crate::{exit_code, output, output_limit, resolve_release};
pub(crate) use args::UpgradeArgs;

/// Runs the command.
pub(crate) fn run(args: &UpgradeArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    output_limit::allow(args.output.max_output);
    let [from, to] = [&args.from, &args.to].map(|text| resolve_release::of_any(text, color));
    let (from, to) = (from?, to?);
    ensure!(
        from != to,
        "{from} is both releases: there is nothing to compare"
    );
    let recordings = match &args.recordings {
        Some(path) => in_recordings(path, [from, to], color)?,
        None => Vec::new(),
    };
    let trials = match &args.client {
        Some(command) => Some(client::trials(args, command, [from, to])?),
        None => None,
    };
    let mut protocols: Vec<Protocol> = recordings.iter().map(|used| used.protocol).collect();
    let tried = trials.iter().flatten();
    protocols.extend(tried.filter(|one| one.has_run()).map(|one| one.protocol));
    if protocols.is_empty() {
        let in_both = |protocol: &&Protocol| {
            [from, to].iter().all(|release| {
                NamedRelease::find(protocol.message_sets(), &release.to_string()).is_ok()
            })
        };
        protocols.extend(PROTOCOLS.iter().filter(in_both));
    }
    protocols.sort_unstable();
    protocols.dedup();
    let mut rest = Vec::new();
    for protocol in &protocols {
        let mut used = recordings.iter();
        rest.push(match used.find(|used| used.protocol == *protocol) {
            Some(used) => RestOfChanges::of(*protocol, &used.comparison, true),
            None => {
                let [before, after] = sides(*protocol, [from, to])?;
                RestOfChanges::of(*protocol, &diff(&before, &after)?, false)
            }
        });
    }
    protocols.retain(|protocol| PROTOCOLS.contains(protocol));
    let mut upgrade = Upgrade::new(Behaviour::recorded().between(&protocols, from, to));
    upgrade.recordings = recordings;
    upgrade.client = trials.map(|trials| trials.into_iter().map(|one| one.trial).collect());
    upgrade.rest = rest;
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            let text = format!("{:#}", upgrade.to_json());
            writeln!(out, "{}", escaped_json(&text))?;
        }
        Format::Markdown => write!(out, "{}", escaped_lines(&upgrade.to_markdown()))?,
        _ => write_upgrade(&mut out, &upgrade, &Styles::coloured())?,
    }
    out.flush().context("cannot write")?;
    Ok(match upgrade.verdict() {
        UpgradeVerdict::Breaks => ExitCode::from(exit_code::FINDINGS),
        UpgradeVerdict::NothingBreaks => ExitCode::SUCCESS,
        UpgradeVerdict::CannotTell => ExitCode::from(exit_code::COULD_NOT_CHECK),
    })
}

/// What changed in what recordings contain, by protocol.
fn in_recordings(
    path: &Path,
    releases: [Release; 2],
    color: ColorChoice,
) -> anyhow::Result<Vec<UsedChanges>> {
    let mut options = Options::new();
    options.release = Some(releases[0]);
    let recordings = Recordings::read(path, options.clone(), |_| {})?;
    output::remark_skipped(color, &recordings.skipped);
    let of = |(protocol, recorded): (&Protocol, &Recorded)| {
        let [before, after] = sides(*protocol, releases)?;
        let (comparison, outcomes) =
            used(&recordings, recorded, options.clone(), [&before, &after])?;
        let mut unwritten = Vec::new();
        for (path, findings) in unmatched(outcomes) {
            if let Some(finding) = findings.iter().find(|finding| is_unread(finding)) {
                bail!("{path}:{}: {}", finding.place.line, finding.message);
            }
            unwritten.extend(findings.into_iter().next().map(|finding| UnwrittenLine {
                path,
                line: finding.place.line,
                message: finding.message,
            }));
        }
        let used = UsedChanges::new(
            &recordings.name,
            *protocol,
            recorded.inputs.len(),
            recorded.messages,
            comparison,
        );
        Ok(used.unwritten(unwritten))
    };
    recordings.protocols.iter().map(of).collect()
}

/// A protocol in both releases.
fn sides(protocol: Protocol, releases: [Release; 2]) -> anyhow::Result<[Side; 2]> {
    let side = |release: Release| -> anyhow::Result<Side> {
        let named = NamedRelease::find(protocol.message_sets(), &release.to_string())?;
        let side = of_release(
            Scope::Protocol(protocol),
            named.release,
            Stability::Experimental,
        );
        Ok(side.named(release.to_string()))
    };
    let [before, after] = releases;
    Ok([side(before)?, side(after)?])
}
