//! Two recordings: what differs between the runs.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use anyhow::{Context as _, anyhow, bail};
use codex_wire_report::differences::write_session_comparison;
use codex_wire_report::{Format, Styles, write_json};
use codex_wire_session::{Reader, Session, compare};

use super::DiffArgs;
use crate::exit_code::{COULD_NOT_CHECK, FINDINGS};
use crate::inputs::{self, Found, Listing, Selection, Source, Unreadable};
use crate::output;
use crate::progress::Progress;

/// Compares two recordings.
pub(super) fn run(
    args: &DiffArgs,
    paths: [&Path; 2],
    color: ColorChoice,
) -> anyhow::Result<ExitCode> {
    let is_of_releases = args.fail_on.is_some()
        || args.writer.is_some()
        || args.stability.is_some()
        || !args.filter.is_empty();
    if is_of_releases || args.format == Format::Markdown {
        bail!(
            "two recordings are compared as text or json; other flags of this command are about releases"
        );
    }
    if paths.iter().all(|path| path.as_os_str() == inputs::STDIN) {
        bail!("standard input can be one of two recordings");
    }
    let reader = Reader::new();
    let [before, after] = [session(&reader, paths[0])?, session(&reader, paths[1])?];
    let comparison = compare(&before, &after);
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => {
            write_json(&mut out, &comparison)?;
            writeln!(out)?;
        }
        _ => write_session_comparison(&mut out, &comparison, &Styles::coloured())?,
    }
    out.flush().context("cannot write")?;
    for session in [&before, &after] {
        output::remark_unread(color, &session.source, session);
    }
    let is_whole = before.unread.is_empty() && after.unread.is_empty();
    Ok(match comparison.is_empty() {
        _ if !is_whole => ExitCode::from(COULD_NOT_CHECK),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FINDINGS),
    })
}

/// The session of a file or of standard input.
fn session(reader: &Reader, path: &Path) -> anyhow::Result<Session> {
    if path.is_dir() {
        bail!("{}: a folder; name a recording", path.display());
    }
    let Listing { inputs, .. } = inputs::list(&[path.to_owned()], Selection::new());
    let mut sessions = Vec::new();
    for input in inputs {
        let unreadable = |Unreadable { name, error, .. }| anyhow!("cannot read {name}: {error}");
        let source: Source = input.map_err(unreadable)?;
        let progress = Progress::new();
        source.each(&progress, &[], |found| match found {
            Found::Input(opened) => {
                let session = reader.read(&opened.name, opened.input);
                sessions.push(session.map_err(|error| anyhow!("cannot read {error}")));
            }
            Found::Failed(failed) => sessions.push(Err(unreadable(failed))),
            Found::Skipped(_) => {}
        });
    }
    let count = sessions.len();
    match (count, sessions.pop()) {
        (1, Some(Err(error))) if path.extension().is_some_and(|ending| ending == "json") => {
            bail!(
                "{error}\nschemas are compared behind a protocol: codex-wire diff app-server A.json B.json"
            )
        }
        (1, Some(session)) => session,
        _ => bail!("{}: {count} recordings; name one", path.display()),
    }
}
