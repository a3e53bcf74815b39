//! How a stand-in plays.
//!
//! An installed stand-in cannot be given flags: clients pass their own. Its settings come from
//! `codex-replay.toml` beside the program, then from a file of that name in the working directory, then
//! from variables of the environment. Later ones override earlier ones.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_base::{NamedRelease, Release};
use codex_wire_replay::faults::{Faults, Injection};
use codex_wire_replay::{About, OnMiss};
use toml::{Table, Value};

use crate::error::{BoxError, Error};
use crate::notice::{Notice, Notices};
use crate::stand_in::environment::{Environment, own_path};
use crate::stand_in::speed::Speed;

/// The name of the file with the settings of an installed stand-in.
pub const FILE: &str = "codex-replay.toml";

/// What may happen on a miss, by name.
pub const ON_MISS: [(&str, OnMiss); 3] = [
    ("error", OnMiss::Error),
    ("fail", OnMiss::Fail),
    ("synthesize", OnMiss::Synthesize),
];

/// The settings that are texts, in files and, with `CODEX_REPLAY_` before them, in variables.
const KEYS: [&str; 13] = [
    "release",
    "as-release",
    "speed",
    "on-miss",
    "times",
    "record",
    "report",
    "script",
    "seed",
    "fault-log",
    "miss-log",
    "client-log",
    "owner",
];

/// The variables with lists.
const FAULTS: &str = "CODEX_REPLAY_FAULTS";
const RECORDINGS: &str = "CODEX_REPLAY_RECORDINGS";

fn on_miss(text: &str) -> Result<OnMiss, Error> {
    let found = ON_MISS.iter().find(|(name, _)| *name == text);
    let found = found.map(|(_, on_miss)| *on_miss);
    found.ok_or(Error::Invalid("write `error`, `fail` or `synthesize`"))
}

/// How a stand-in plays.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The release it says it is.
    pub release: Option<Release>,
    /// The release as which recordings are played; that of each if not given.
    pub as_release: Option<Release>,
    /// When lines are written.
    pub speed: Speed,
    /// What happens on a miss, if that was said.
    pub on_miss: Option<OnMiss>,
    /// Whether recorded times are moved to now.
    pub times_now: bool,
    /// Where the exchange is recorded.
    pub record: Option<PathBuf>,
    /// The reports about the client that are wanted.
    pub reports: Vec<ReportFile>,
    /// Where is written what the client does.
    pub client_log: Option<PathBuf>,
    /// The process with which an installed stand-in ends.
    pub owner: Option<u32>,
    /// Where the requests are written that nothing answers, a line each.
    pub miss_log: Option<PathBuf>,
    /// The faults.
    pub injections: Vec<Injection>,
    /// What faults leave open follows from it.
    pub seed: u64,
    /// Where the ids of injected faults are written.
    pub fault_log: Option<PathBuf>,
    /// Where the state of an installed stand-in is kept if the client gives no home.
    pub folder: Option<PathBuf>,
    /// The recordings of an installed stand-in.
    pub recordings: Vec<RecordingFile>,
    /// The script that is played instead of recordings.
    pub script: Option<PathBuf>,
}

/// A report, as settings name it. Which formats there are, whoever writes it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// The name of the format.
    pub format: String,
    /// The file.
    pub path: PathBuf,
}

/// A recording, as settings name it.
#[derive(Clone, Debug)]
pub struct RecordingFile {
    /// The file.
    pub path: PathBuf,
    /// Its name, if that is not its path.
    pub name: Option<String>,
    /// What is known of it.
    pub about: About,
}

impl Settings {
    /// Those that are not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings of the program that was installed in `folder`. In the paths of what it writes, `{pid}` is the number
    /// of this process.
    ///
    /// # Errors
    /// If a file cannot be read, or something in it or in a variable is not a setting.
    pub fn of_installed(
        folder: &Path,
        environment: &Environment,
        notices: &Notices,
    ) -> Result<Self, Error> {
        let mut settings = Settings {
            folder: Some(folder.to_owned()),
            ..Settings::default()
        };
        settings.file(&folder.join(FILE), notices)?;
        let here = environment.here(FILE);
        if here.is_file() && !is_same(&here, &folder.join(FILE)) {
            settings.file(&here, notices)?;
        }
        settings.environment(environment, notices)?;
        settings.release = settings.as_release.or(settings.release);
        Ok(settings)
    }

    /// The faults of one session.
    pub fn faults(&self) -> Faults {
        Faults::new(self.injections.clone(), self.seed)
    }

    fn file(&mut self, path: &Path, notices: &Notices) -> Result<(), Error> {
        let text = fs::read_to_string(path).map_err(Error::read(path))?;
        let table: Table = text.parse().map_err(|error| Error::NotToml {
            path: path.to_owned(),
            source: Box::new(error),
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        self.table(&table, folder, notices)
            .map_err(|source| Error::InFile {
                path: path.to_owned(),
                source: Box::new(source),
            })
    }

    fn table(&mut self, table: &Table, folder: &Path, notices: &Notices) -> Result<(), Error> {
        if table.contains_key("script") && table.contains_key("recording") {
            return Err(Error::Invalid("there is `script` or `recording`, not both"));
        }
        for (key, value) in table {
            match (key.as_str(), value) {
                ("version", Value::Integer(1)) => {}
                ("version", _) => return Err(setting(key, format!("{value} is unknown"))),
                ("fault", Value::String(text)) => self.inject(&[text.as_str()])?,
                ("fault", Value::Array(texts)) => {
                    let texts: Vec<&str> = texts.iter().map(|t| t.as_str().unwrap_or("")).collect();
                    self.inject(&texts)?;
                }
                ("report", Value::Array(texts)) => {
                    let texts = texts.iter().map(|text| text.as_str().unwrap_or_default());
                    let reports = texts.map(|text| report(text, folder));
                    self.reports = reports.collect::<Result<_, _>>()?;
                }
                (key @ ("seed" | "owner"), Value::Integer(number)) => {
                    self.set(key, &number.to_string(), folder, notices)?;
                }
                (key, Value::String(text)) if KEYS.contains(&key) => {
                    self.set(key, text, folder, notices)?;
                }
                ("recording", Value::Array(entries)) => {
                    self.recordings.clear();
                    self.script = None;
                    for entry in entries {
                        let Some(entry) = entry.as_table() else {
                            return Err(Error::Invalid(
                                "`recording` is a table: write [[recording]]",
                            ));
                        };
                        self.recordings.push(recording(entry, folder)?);
                    }
                }
                _ => return Err(Error::UnknownSetting(key.clone())),
            }
        }
        Ok(())
    }

    fn environment(&mut self, environment: &Environment, notices: &Notices) -> Result<(), Error> {
        let of_variable = |name: &str| {
            let name = name.to_owned();
            move |source| Error::InVariable {
                name,
                source: Box::new(source),
            }
        };
        for key in KEYS {
            let name = format!("CODEX_REPLAY_{}", key.to_uppercase().replace('-', "_"));
            if let Some(text) = environment.get(&name) {
                let text = text.to_string_lossy();
                self.set(key, &text, Path::new(""), notices)
                    .map_err(of_variable(&name))?;
            }
        }
        if let Some(list) = environment.get(FAULTS) {
            let list = list.to_string_lossy();
            let ids = list.split([',', ' ']).filter(|id| !id.is_empty());
            self.inject(&ids.collect::<Vec<_>>())
                .map_err(of_variable(FAULTS))?;
        }
        if let Some(paths) = environment.get(RECORDINGS) {
            self.script = None;
            let files = env::split_paths(paths).map(|path| RecordingFile {
                path,
                name: None,
                about: About::default(),
            });
            self.recordings = files.collect();
        }
        Ok(())
    }

    /// Faults instead of those that were set before.
    fn inject(&mut self, ids: &[&str]) -> Result<(), Error> {
        let injections = ids.iter().map(|id| Injection::parse(id));
        let injections = injections.collect::<Result<_, _>>();
        self.injections = injections.map_err(|error| setting("fault", error))?;
        Ok(())
    }

    fn set(
        &mut self,
        key: &str,
        text: &str,
        folder: &Path,
        notices: &Notices,
    ) -> Result<(), Error> {
        let bad = |error: Error| setting(key, error);
        match key {
            "release" => self.release = Some(release(text)?),
            "as-release" => {
                let found = NamedRelease::find_any(text).map_err(|error| setting(key, error))?;
                if let Some(stands_for) = found.stands_for {
                    notices.tell(&Notice::Release(stands_for));
                }
                self.as_release = Some(found.release);
            }
            "speed" => self.speed = Speed::parse(text).map_err(bad)?,
            "on-miss" => self.on_miss = Some(on_miss(text).map_err(bad)?),
            "times" => match text {
                "recorded" => self.times_now = false,
                "now" => self.times_now = true,
                _ => return Err(setting(key, "write `recorded` or `now`")),
            },
            "fault-log" => self.fault_log = Some(own_path(&folder.join(text))),
            "miss-log" => self.miss_log = Some(own_path(&folder.join(text))),
            "client-log" => self.client_log = Some(own_path(&folder.join(text))),
            "owner" => {
                let owner = text.parse().ok().filter(|owner| *owner > 0);
                let bad = || setting(key, format!("`{text}` is not the number of a process"));
                self.owner = Some(owner.ok_or_else(bad)?);
            }
            "seed" => {
                let seed = text.parse();
                let bad = |_| setting(key, format!("`{text}` is not a whole number"));
                self.seed = seed.map_err(bad)?;
            }
            "record" => self.record = Some(own_path(&folder.join(text))),
            // What is nearer counts, whether it is a script or recordings.
            "script" => {
                self.script = Some(folder.join(text));
                self.recordings.clear();
            }
            "report" => self.reports = vec![report(text, folder)?],
            _ => return Err(Error::UnknownSetting(key.to_owned())),
        }
        Ok(())
    }
}

fn setting(key: &str, reason: impl Into<BoxError>) -> Error {
    Error::Setting {
        key: key.to_owned(),
        source: reason.into(),
    }
}

fn release(text: &str) -> Result<Release, Error> {
    let release = text.parse();
    release.map_err(|_| setting("release", format!("`{text}` is not a release")))
}

fn report(text: &str, folder: &Path) -> Result<ReportFile, Error> {
    let parts = text.split_once('=').filter(|(_, path)| !path.is_empty());
    let bad = || setting("report", "write it as FORMAT=FILE, such as junit=out.xml");
    let (format, path) = parts.ok_or_else(bad)?;
    Ok(ReportFile {
        format: format.to_owned(),
        path: own_path(&folder.join(path)),
    })
}

fn recording(entry: &Table, folder: &Path) -> Result<RecordingFile, Error> {
    let (mut file, mut name, mut about) = (None, None, About::new());
    for (key, value) in entry {
        let other = || Error::UnknownSetting(key.clone());
        match (key.as_str(), value) {
            ("file", Value::String(text)) => file = Some(folder.join(text)),
            ("name", Value::String(text)) => name = Some(text.clone()),
            ("release", Value::String(text)) => about.release = Some(release(text)?),
            ("signal", Value::String(text)) => about.signal = Some(text.clone()),
            ("status", Value::Integer(status)) => {
                about.status = Some(i32::try_from(*status).map_err(|_| other())?);
            }
            ("command", Value::Array(words)) => {
                let words = words.iter().map(|word| word.as_str().map(str::to_owned));
                about.command = words.collect::<Option<_>>().ok_or_else(other)?;
            }
            _ => return Err(other()),
        }
    }
    Ok(RecordingFile {
        path: file.ok_or(Error::Invalid("a recording needs `file`"))?,
        name,
        about,
    })
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &mut Settings, table: &Table) {
        let folder = Path::new("/i");
        settings
            .table(table, folder, &Notices::ignored())
            .expect("settings");
    }

    fn with(settings: &mut Settings, name: &str, value: &str) -> Result<(), Error> {
        let environment = Environment::within("/").with(name, value);
        settings.environment(&environment, &Notices::ignored())
    }

    #[test]
    fn the_environment_comes_last() {
        let mut settings = Settings::default();
        let table: Table =
            "version = 1\nspeed = 'recorded'\non-miss = 'fail'\nreport = ['json=a.json']\n\
            [[recording]]\nfile = 'x.jsonl'\nstatus = 3\n"
                .parse()
                .expect("TOML");
        read(&mut settings, &table);
        assert_eq!(settings.speed, Speed::Times(1.0));
        assert_eq!(settings.recordings[0].path, Path::new("/i/x.jsonl"));
        assert_eq!(settings.recordings[0].about.status, Some(3));
        assert_eq!(settings.reports[0].path, Path::new("/i/a.json"));
        with(&mut settings, "CODEX_REPLAY_SPEED", "2x").expect("settings");
        assert_eq!(settings.speed, Speed::Times(2.0));
        assert_eq!(settings.on_miss, Some(OnMiss::Fail));
        with(&mut settings, "CODEX_REPLAY_REPORT", "junit=b.xml").expect("settings");
        let formats: Vec<&str> = settings.reports.iter().map(|r| r.format.as_str()).collect();
        assert_eq!(formats, ["junit"]);
    }

    #[test]
    fn the_nearer_one_of_script_and_recordings_counts() {
        let mut settings = Settings::default();
        let table: Table = "script = 'a.toml'".parse().expect("TOML");
        read(&mut settings, &table);
        assert_eq!(settings.script.as_deref(), Some(Path::new("/i/a.toml")));
        let table: Table = "[[recording]]\nfile = 'x.jsonl'".parse().expect("TOML");
        read(&mut settings, &table);
        assert_eq!((&settings.script, settings.recordings.len()), (&None, 1));
        with(&mut settings, "CODEX_REPLAY_SCRIPT", "b.toml").expect("settings");
        assert_eq!(settings.script.as_deref(), Some(Path::new("b.toml")));
        assert!(settings.recordings.is_empty());
    }

    #[test]
    fn faults_come_from_a_file_or_from_the_environment() {
        let mut settings = Settings::default();
        let table: Table =
            "fault = ['turn-fails@2', 'split-writes']\nseed = 7\nfault-log = 'f.txt'\n"
                .parse()
                .expect("TOML");
        read(&mut settings, &table);
        let shown = |settings: &Settings| -> Vec<String> {
            settings
                .injections
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(
            shown(&settings),
            ["fault/turn-fails@2", "fault/split-writes"]
        );
        assert_eq!(settings.seed, 7);
        assert_eq!(settings.fault_log.as_deref(), Some(Path::new("/i/f.txt")));
        with(&mut settings, FAULTS, "fault/slow-start@5").expect("settings");
        assert_eq!(shown(&settings), ["fault/slow-start@5"]);
        assert!(with(&mut settings, FAULTS, "walrus").is_err());
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for bad in [
            "sped = 'instant'",
            "speed = 3",
            "speed = '-1'",
            "version = 2",
            "[[recording]]\nname = 'a'",
            "[[recording]]\nfile = 'a'\nstatus = '3'",
            "[[recording]]\nfile = 'a'\nstatus = 3000000000",
            "[[recording]]\nfile = 'a'\nstauts = 3",
            "[[recording]]\nfile = 'a'\nrelease = 'bogus'",
            "[[recording]]\nfile = 'a'\nsignal = 9",
            "[[recording]]\nfile = 'a'\ncommand = 'exec hi'",
            "[[recording]]\nfile = 'a'\ncommand = [1]",
            "on-miss = 'guess'",
            "owner = 0",
            "owner = 'me'",
            "script = 'a.toml'\n[[recording]]\nfile = 'x.jsonl'",
        ] {
            let table: Table = bad.parse().expect("TOML");
            assert!(
                Settings::default()
                    .table(&table, Path::new(""), &Notices::ignored())
                    .is_err(),
                "{bad}"
            );
        }
    }
}
