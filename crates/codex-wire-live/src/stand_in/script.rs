//! Plays a script instead of recordings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::{self, AppServer, ExecRun, Proto, Script};

use crate::error::Error;
use crate::stand_in::environment::Environment;
use crate::stand_in::settings::Settings;

/// The release that is played if none is named: the newest that there is.
pub fn newest() -> Release {
    let lists = Protocol::ALL.iter().map(|protocol| protocol.release_list());
    let newest = lists.map(codex_wire_base::ReleaseList::latest).max();
    newest.unwrap_or_else(|| MessageSet::Exec.release_list().latest())
}

/// A script and the file it is from, which its errors begin with.
#[derive(Clone, Debug)]
pub struct ScriptFile {
    path: PathBuf,
    text: String,
    script: Script,
}

impl ScriptFile {
    /// Reads a script: JSON if the name of the file ends in `.json`, else TOML.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a script.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(Error::read(path))?;
        let is_json = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let script = match is_json {
            true => Script::parse_json(&text),
            false => Script::parse(&text),
        };
        let script = script.map_err(located(path))?;
        Ok(ScriptFile {
            path: path.to_owned(),
            text,
            script,
        })
    }

    /// The name of its file, if it has one, and its text. A file need not be readable twice.
    pub(crate) fn as_file(&self) -> (Option<&str>, &str) {
        (self.path.file_name().and_then(OsStr::to_str), &self.text)
    }

    /// What it says.
    pub fn into_script(self) -> Script {
        self.script
    }

    /// A run of `codex exec`.
    pub(crate) fn exec(
        &self,
        release: Release,
        run: &ExecRun,
        settings: &Settings,
        around: &Around<'_>,
    ) -> Result<ExecPlay, Error> {
        oldest("codex exec", MessageSet::ExecLegacy, release)?;
        script::exec(&self.script, release, run, &around.found(settings)?)
            .map_err(located(&self.path))
    }

    /// A connection of `codex app-server`.
    pub(crate) fn app_server(
        &self,
        release: Release,
        settings: &Settings,
        around: &Around<'_>,
    ) -> Result<AppServer, Error> {
        let messages = MessageSet::AppServerServerNotifications;
        oldest("codex app-server", messages, release)?;
        let server = AppServer::new(self.script.clone(), release, around.found(settings)?);
        let server = server.map_err(located(&self.path))?;
        Ok(match settings.on_miss {
            Some(on_miss) => server.on_miss(on_miss),
            None => server,
        })
    }

    /// A connection of `codex proto`.
    pub(crate) fn proto(
        &self,
        release: Release,
        settings: &Settings,
        around: &Around<'_>,
    ) -> Result<Proto, Error> {
        oldest("codex proto", MessageSet::CoreEvents, release)?;
        let latest = MessageSet::CoreEvents.release_list().latest();
        if release > latest {
            return Err(Error::NewerThanProto { latest, release });
        }
        let proto = Proto::new(self.script.clone(), release, &around.found(settings)?);
        let proto = proto.map_err(located(&self.path))?;
        Ok(proto.on_miss(settings.on_miss.unwrap_or_default()))
    }

    /// Refuses a script that a release can play in no way, or that gets a fault in none of the ways in which
    /// it can be played. Which of them it is, the client says when it starts the program.
    ///
    /// # Errors
    /// Why it can be played in no way.
    pub fn is_playable(
        &self,
        release: Release,
        settings: &Settings,
        environment: &Environment,
    ) -> Result<(), Error> {
        let around = Around::of(environment);
        let run = self.exec(release, &ExecRun::default(), settings, &around);
        let server = self.app_server(release, settings, &around).map(drop);
        let proto = self.proto(release, settings, &around).map(drop);
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
        fits.unwrap_or(Ok(())).map_err(|source| Error::OfScript {
            path: self.path.clone(),
            source,
        })
    }
}

/// Where a stand-in plays a script.
pub(crate) struct Around<'e> {
    environment: &'e Environment,
    /// The folder in which the run works, if the client names one.
    pub(crate) cwd: Option<PathBuf>,
}

impl<'e> Around<'e> {
    pub(crate) fn of(environment: &'e Environment) -> Self {
        Around {
            environment,
            cwd: None,
        }
    }

    /// The surroundings of the played Codex: those that a real one would find here. The time is always the
    /// same, unless the settings say that it is now.
    fn found(&self, settings: &Settings) -> Result<script::Settings, Error> {
        let mut found = script::Settings::default();
        let cwd = match &self.cwd {
            Some(cwd) => std::path::absolute(cwd),
            None => self.environment.cwd(),
        };
        found.cwd = text(&cwd.map_err(Error::system("find the working directory"))?);
        if let Some(home) = self.environment.codex_home() {
            found.codex_home = text(&home);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
        if let Some(now) = now.filter(|_| settings.times_now) {
            found.now_ms = now;
        }
        Ok(found)
    }
}

fn located(path: &Path) -> impl FnOnce(codex_wire_replay::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| match error {
        codex_wire_replay::Error::Script {
            line,
            column,
            message,
        } => Error::Script {
            path,
            line,
            column,
            message,
        },
        source => Error::OfScript { path, source },
    }
}

/// Refuses releases from before a protocol.
fn oldest(what: &'static str, messages: MessageSet, release: Release) -> Result<(), Error> {
    let first = messages.release_list().first();
    match release < first {
        true => Err(Error::OlderThanCommand {
            what,
            first,
            release,
        }),
        false => Ok(()),
    }
}

/// A path as JSON can hold it.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
