//! Plays a script in the place of recordings.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_replay::Error;
use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::{self, AppServer, ExecRun, Proto, Script};

use super::settings::Settings;

/// The variable with the home of Codex, and the folder in the home of the user that it is otherwise.
const HOME: &str = "CODEX_HOME";
const DEFAULT_HOME: &str = ".codex";

/// The release that is played if none is named: the newest that there is.
pub(crate) fn newest() -> Release {
    let lists = Protocol::ALL.iter().map(|protocol| protocol.release_list());
    let newest = lists.map(codex_wire_base::ReleaseList::latest).max();
    newest.unwrap_or_else(|| MessageSet::Exec.release_list().latest())
}

/// A script and the file it is from, which its errors begin with.
pub(crate) struct ScriptFile {
    path: PathBuf,
    script: Script,
}

impl ScriptFile {
    /// Reads a script.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let script = Script::parse(&text).map_err(|error| located(path, &error))?;
        Ok(ScriptFile {
            path: path.to_owned(),
            script,
        })
    }

    /// A run of `codex exec`.
    pub(crate) fn exec(
        &self,
        release: Release,
        run: &ExecRun,
        settings: &Settings,
    ) -> anyhow::Result<ExecPlay> {
        oldest("codex exec", MessageSet::ExecLegacy, release)?;
        script::exec(&self.script, release, run, &surroundings(settings)?)
            .map_err(|error| located(&self.path, &error))
    }

    /// A connection of `codex app-server`.
    pub(crate) fn app_server(
        &self,
        release: Release,
        settings: &Settings,
    ) -> anyhow::Result<AppServer> {
        let messages = MessageSet::AppServerServerNotifications;
        oldest("codex app-server", messages, release)?;
        let server = AppServer::new(self.script.clone(), release, surroundings(settings)?);
        let server = server.map_err(|error| located(&self.path, &error))?;
        Ok(match settings.on_miss {
            Some(on_miss) => server.on_miss(on_miss),
            None => server,
        })
    }

    /// A connection of `codex proto`.
    pub(crate) fn proto(&self, release: Release, settings: &Settings) -> anyhow::Result<Proto> {
        oldest("codex proto", MessageSet::CoreEvents, release)?;
        let latest = MessageSet::CoreEvents.release_list().latest();
        if release > latest {
            bail!("a script is played as `codex proto` up to {latest}, not of {release}");
        }
        let proto = Proto::new(self.script.clone(), release, &surroundings(settings)?);
        let proto = proto.map_err(|error| located(&self.path, &error))?;
        Ok(proto.on_miss(settings.on_miss.unwrap_or_default()))
    }

    /// Refuses a script that a release can play in no way, or that gets a fault in none of the ways in which
    /// it can be played. Which of them it is, the client says when it starts the program.
    pub(crate) fn is_playable(&self, release: Release, settings: &Settings) -> anyhow::Result<()> {
        let run = self.exec(release, &ExecRun::default(), settings);
        let server = self.app_server(release, settings).map(drop);
        let proto = self.proto(release, settings).map(drop);
        if run.is_err() && server.is_err() {
            return run.map(drop);
        }
        let faults = settings.faults();
        let ways = [
            run.map(|play| faults.fit_run(&play, Some(release))).ok(),
            server.map(|()| faults.fit(Protocol::AppServer)).ok(),
            proto.map(|()| faults.fit(Protocol::Core)).ok(),
        ];
        // One of the ways is enough; otherwise the first refusal is shown.
        let all = ways.into_iter().flatten();
        let fits = all.reduce(|before, way| before.or_else(|error| way.map_err(|_| error)));
        fits.unwrap_or(Ok(()))
            .with_context(|| self.path.display().to_string())
    }
}

fn located(path: &Path, error: &Error) -> anyhow::Error {
    let path = path.display();
    match error {
        Error::Script {
            line,
            column,
            message,
        } => anyhow!("{path}:{line}:{column}: {message}"),
        other => anyhow!("{path}: {other}"),
    }
}

/// Refuses releases from before a protocol.
fn oldest(what: &str, messages: MessageSet, release: Release) -> anyhow::Result<()> {
    let first = messages.release_list().first();
    if release < first {
        bail!("a script is played as `{what}` of {first} and later releases, not of {release}");
    }
    Ok(())
}

/// The surroundings of the played Codex: those that a real one would find here. The time is always the
/// same, unless the settings say that it is now.
fn surroundings(settings: &Settings) -> anyhow::Result<script::Settings> {
    let mut found = script::Settings::default();
    let cwd = match &settings.cwd {
        Some(cwd) => std::path::absolute(cwd),
        None => env::current_dir(),
    };
    found.cwd = text(cwd.context("cannot find the working directory")?);
    if let Some(home) = home() {
        found.codex_home = text(home);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
    if let Some(now) = now.filter(|_| settings.times_now) {
        found.now_ms = now;
    }
    Ok(found)
}

fn home() -> Option<PathBuf> {
    let given = env::var_os(HOME).filter(|home| !home.is_empty());
    let home = match given {
        Some(home) => PathBuf::from(home),
        None => env::home_dir()?.join(DEFAULT_HOME),
    };
    std::path::absolute(home).ok()
}

/// A path as JSON can hold it.
fn text(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}
