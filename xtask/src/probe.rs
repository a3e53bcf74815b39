//! Asks releases of Codex what they read and what they refuse, and writes down what they answer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use app_server_codegen::repository::Tables;
use app_server_codegen::{Model, store};
use codex_wire::{Protocol, Release};
use probes::compare::{Decided, disagreements};
use probes::hooks::Output;
use probes::{Probes, Question, Subject, examples, exec, folder};
use serde_json::Value;

use crate::app_server::binaries;
use crate::fixtures::{OUTCOMES, read_recordings};
use crate::offline;

/// What of a release is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the app-server reads.
    AppServer,
    /// What is made of what hooks print.
    Hooks,
    /// How `codex exec` ends.
    Exec,
}

impl Part {
    /// All parts.
    pub const ALL: &'static [Part] = &[Part::AppServer, Part::Hooks, Part::Exec];

    fn as_str(self) -> &'static str {
        self.protocol().as_str()
    }

    fn protocol(self) -> Protocol {
        match self {
            Part::AppServer => Protocol::AppServer,
            Part::Hooks => Protocol::Hooks,
            Part::Exec => Protocol::Exec,
        }
    }

    /// The first release that has it.
    fn first(self) -> Release {
        match self {
            Part::Exec => exec::FIRST,
            part => part.protocol().release_list().first(),
        }
    }
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Part::ALL.iter().copied().find(|part| part.as_str() == text);
        found.ok_or_else(|| anyhow!("`{text}` is none of app-server, hooks, exec"))
    }
}

/// Asks releases. Those that are not in the cache are fetched, and removed again. Without a release, all are
/// asked that were not asked before. Tells `progress` what is being done.
///
/// # Errors
/// When a release cannot be had or asked, or a file cannot be read or written.
pub fn releases(
    root: &Path,
    versions: &[Release],
    parts: &[Part],
    mut progress: impl FnMut(&str),
) -> Result<()> {
    let versions = match versions {
        [] => left(root, parts)?,
        _ => versions.to_vec(),
    };
    for release in versions {
        let lent = binaries::lend(&release.to_string(), |path| {
            Ok(program(root, release, path, parts, &mut progress))
        });
        match lent {
            Ok(asked) => asked?,
            Err(error) => progress(&format!("{release} cannot be had: {error:#}")),
        }
    }
    Ok(())
}

/// Asks a program, without a network where this system lets us.
///
/// # Errors
/// As [`here`].
pub fn program(
    root: &Path,
    release: Release,
    program: &Path,
    parts: &[Part],
    progress: impl FnMut(&str),
) -> Result<()> {
    let mut arguments: Vec<OsString> = vec!["probe".into(), release.to_string().into()];
    for part in parts {
        arguments.extend(["--only".into(), part.as_str().into()]);
    }
    arguments.extend(["--offline".into(), "--program".into(), program.into()]);
    match offline::again(&arguments)? {
        Some(mut again) => {
            let status = again.status().context("asking without a network")?;
            ensure!(status.success(), "{release}: {status}");
            Ok(())
        }
        // The home that the program gets names a proxy where nothing listens.
        None => here(root, release, program, parts, progress),
    }
}

/// Asks a program in this process.
///
/// # Errors
/// When the release has none of the parts, the program cannot be asked, or a file cannot be read or
/// written.
pub fn here(
    root: &Path,
    release: Release,
    program: &Path,
    parts: &[Part],
    mut progress: impl FnMut(&str),
) -> Result<()> {
    let parts: Vec<Part> = parts
        .iter()
        .copied()
        .filter(|part| part.first() <= release)
        .collect();
    if parts.is_empty() {
        bail!("{release} has nothing to ask about");
    }
    // Newer releases look for helpers beside the file itself, so links are followed.
    let program = program
        .canonicalize()
        .with_context(|| program.display().to_string())?;
    let stage = tempfile::tempdir()?;
    let subject = Subject {
        release,
        program: &program,
        stage: &stage.path().join("stage"),
    };
    let tables = Tables::load()?;
    let folder = folder::folder(root);
    let mut probes = Probes::load(&folder)?;
    for part in parts {
        progress(&format!("{release}: {}", part.as_str()));
        match part {
            Part::AppServer => {
                probes
                    .app_server
                    .ask(&model(&tables)?, &examples(root)?, &subject)?;
            }
            Part::Hooks => probes.hooks.ask_hooks(&subject, &tried(root)?)?,
            Part::Exec => probes.exec.ask_exec(&subject)?,
        }
        probes.write(&folder, &tables.domains)?;
    }
    Ok(())
}

/// The releases that were not asked for some of the parts.
fn left(root: &Path, parts: &[Part]) -> Result<Vec<Release>> {
    let probes = Probes::load(&folder::folder(root))?;
    let mut out = Vec::new();
    for part in parts {
        let asked = match part {
            Part::AppServer => &probes.app_server.asked,
            Part::Hooks => &probes.hooks.asked,
            Part::Exec => &probes.exec.asked,
        };
        let all = part.protocol().release_list().releases().iter();
        let all = all.filter(|release| **release >= part.first());
        out.extend(all.filter(|release| !asked.contains(*release)));
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// The messages of breaking changes, which a test of `codex-wire-diff` lists.
fn examples(root: &Path) -> Result<Vec<Question>> {
    let path = root.join("crates/codex-wire-diff/tests/it/golden/examples.txt");
    let list = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    examples::parse(&list).map_err(|error| anyhow!(error))
}

fn model(tables: &Tables) -> Result<Model> {
    let model = store::load(&store::folder())?;
    Ok(tables.overlay.apply(&model)?)
}

/// The outputs of hooks that fixtures have, by event. Events that no fixture has get those of one like them.
fn tried(root: &Path) -> Result<BTreeMap<String, Vec<Output>>> {
    let mut out: BTreeMap<String, Vec<Output>> = BTreeMap::new();
    for recording in read_recordings(root, OUTCOMES)? {
        let path = root.join(OUTCOMES).join(&recording.file);
        for line in fs::read_to_string(&path)?.lines() {
            let record: Value = serde_json::from_str(line)?;
            let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            let output = Output {
                stdout: text("stdout"),
                stderr: text("stderr"),
                exit: i32::try_from(record["exit"].as_i64().unwrap_or_default())?,
            };
            let all = out.entry(text("event")).or_default();
            if !all.contains(&output) {
                all.push(output);
            }
        }
    }
    for (event, like) in [
        ("SubagentStart", "SessionStart"),
        ("SubagentStop", "Stop"),
        ("Interrupt", "Stop"),
    ] {
        if out.contains_key(event) {
            continue;
        }
        let all = out.get(like).into_iter().flatten();
        let all = all.map(|output| Output {
            stdout: output.stdout.replace(like, event),
            ..output.clone()
        });
        let all = all.collect();
        out.insert(event.to_owned(), all);
    }
    Ok(out)
}

/// Where our schemas say otherwise than releases answered: what nobody has decided, in the form of the probes,
/// and behind it the reasons of the rest, each with how much it explains.
///
/// # Errors
/// When the probes or what is decided cannot be read.
pub fn compare(root: &Path) -> Result<String> {
    let probes = Probes::load(&folder::folder(root))?;
    let failed = |error: String| anyhow!(error);
    let asked: Vec<Release> = probes.app_server.asked.iter().copied().collect();
    let path = Decided::path(root);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let decided = Decided::parse(&text, &asked).map_err(failed)?;
    let found = disagreements(&probes.app_server).map_err(failed)?;
    let now = decided.updated(&found);
    let mut out = now
        .undecided()
        .map_or_else(String::new, |log| log.text(&asked));
    for (reason, count) in now.reasons() {
        let _ = writeln!(out, "# {count}: {reason}");
    }
    Ok(out)
}
