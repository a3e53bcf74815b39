//! How a stand-in plays: the flags of `codex-wire replay`, or the settings of an installed `codex`.
//!
//! An installed stand-in cannot be given flags: clients pass their own. Its settings come from
//! `codex-replay.toml` beside the program, then from a file of that name in the working directory, then
//! from variables of the environment. Later ones override earlier ones.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_base::Release;
use codex_wire_replay::faults::{Faults, Injection};
use codex_wire_replay::{About, OnMiss, Recording};
use toml::{Table, Value};

use super::{as_release, recordings};
use crate::reports::ReportTo;
use crate::resolve_release;

/// The name of the file with the settings.
pub(crate) const FILE: &str = "codex-replay.toml";

/// When lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Speed {
    /// At once.
    #[default]
    Instant,
    /// So many times as fast as recorded.
    Times(f64),
}

impl Speed {
    /// Reads `instant`, `recorded`, or a factor such as `10`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "instant" => Ok(Speed::Instant),
            "recorded" => Ok(Speed::Times(1.0)),
            text => match text.strip_suffix('x').unwrap_or(text).parse::<f64>() {
                Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Speed::Times(factor)),
                _ => {
                    Err("write `instant`, `recorded`, or how many times as fast, such as 10".into())
                }
            },
        }
    }

    /// How long to wait for what took so long in the recording.
    pub(crate) fn of(self, ms: u64) -> Duration {
        match self {
            Speed::Instant => Duration::ZERO,
            Speed::Times(factor) => Duration::from_millis(ms).div_f64(factor),
        }
    }
}

/// What may happen on a miss, by name.
pub(crate) const ON_MISS: [(&str, OnMiss); 3] = [
    ("error", OnMiss::Error),
    ("fail", OnMiss::Fail),
    ("synthesize", OnMiss::Synthesize),
];

fn on_miss(text: &str) -> Result<OnMiss, String> {
    let found = ON_MISS.iter().find(|(name, _)| *name == text);
    let found = found.map(|(_, on_miss)| *on_miss);
    found.ok_or_else(|| "write `error`, `fail` or `synthesize`".to_owned())
}

/// How a stand-in plays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// The release it says it is.
    pub(crate) release: Option<Release>,
    /// The release as which recordings are played; that of each if not given.
    pub(crate) as_release: Option<Release>,
    pub(crate) speed: Speed,
    /// What happens on a miss, if that was said.
    pub(crate) on_miss: Option<OnMiss>,
    /// Whether recorded times are moved to now.
    pub(crate) times_now: bool,
    /// Where the exchange is recorded.
    pub(crate) record: Option<PathBuf>,
    pub(crate) reports: Vec<ReportTo>,
    pub(crate) injections: Vec<Injection>,
    /// What faults leave open follows from it.
    pub(crate) seed: u64,
    /// Where the ids of injected faults are written.
    pub(crate) fault_log: Option<PathBuf>,
    /// Where the state of an installed stand-in is kept if the client gives no home.
    pub(crate) folder: Option<PathBuf>,
    /// Recordings: file, and what is known of it.
    pub(crate) recordings: Vec<(PathBuf, Option<String>, About)>,
    /// The script that is played in the place of recordings.
    pub(crate) script: Option<PathBuf>,
    /// The folder in which a played script runs; the working directory if not given.
    pub(crate) cwd: Option<PathBuf>,
}

impl Settings {
    /// The settings of the program that was installed in `folder`.
    pub(crate) fn of_installed(folder: &Path) -> anyhow::Result<Self> {
        let mut settings = Settings {
            folder: Some(folder.to_owned()),
            ..Settings::default()
        };
        settings.file(&folder.join(FILE))?;
        let here = Path::new(FILE);
        if here.is_file() && !is_same(here, &folder.join(FILE)) {
            settings.file(here)?;
        }
        settings.environment(&|name| env::var_os(name))?;
        settings.release = settings.as_release.or(settings.release);
        Ok(settings)
    }

    /// Reads the recordings.
    pub(crate) fn read_recordings(&self) -> anyhow::Result<Vec<Recording>> {
        let mut read = Vec::new();
        for (path, name, about) in &self.recordings {
            let bytes = recordings::bytes(path)?;
            let name = name.clone().unwrap_or_else(|| path.display().to_string());
            let recording = Recording::read(&name, bytes, about.clone());
            read.push(recording.with_context(|| format!("cannot play {}", path.display()))?);
        }
        match self.as_release {
            Some(release) => as_release::convert(read, release),
            None => Ok(read),
        }
    }

    /// The faults of one session.
    pub(crate) fn faults(&self) -> Faults {
        Faults::new(self.injections.clone(), self.seed)
    }

    /// A path of this process in which `{pid}` is its number, so that clients in parallel do not write
    /// one file.
    pub(crate) fn own(path: &Path) -> PathBuf {
        match path.to_str() {
            Some(text) => text
                .replace("{pid}", &std::process::id().to_string())
                .into(),
            None => path.to_owned(),
        }
    }

    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let table: Table = text
            .parse()
            .with_context(|| format!("cannot read {shown}"))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        self.table(&table, folder)
            .with_context(|| format!("in {shown}"))
    }

    fn table(&mut self, table: &Table, folder: &Path) -> anyhow::Result<()> {
        if table.contains_key("script") && table.contains_key("recording") {
            bail!("there is `script` or `recording`, not both");
        }
        for (key, value) in table {
            match (key.as_str(), value) {
                ("version", Value::Integer(1)) => {}
                ("version", _) => bail!("version {value} of the settings is unknown"),
                (
                    "release" | "as-release" | "speed" | "on-miss" | "times" | "record" | "report"
                    | "script",
                    Value::String(text),
                ) => {
                    self.set(key, text, folder)?;
                }
                ("report", Value::Array(texts)) => {
                    for text in texts {
                        self.set(key, text.as_str().unwrap_or_default(), folder)?;
                    }
                }
                ("fault-log" | "seed", Value::String(text)) => self.set(key, text, folder)?,
                ("seed", Value::Integer(seed)) => self.set(key, &seed.to_string(), folder)?,
                ("fault", Value::String(text)) => self.inject(&[text.as_str()])?,
                ("fault", Value::Array(texts)) => {
                    let texts: Vec<&str> = texts.iter().map(|t| t.as_str().unwrap_or("")).collect();
                    self.inject(&texts)?;
                }
                ("recording", Value::Array(entries)) => {
                    self.recordings.clear();
                    self.script = None;
                    for entry in entries {
                        let Some(entry) = entry.as_table() else {
                            bail!("`recording` is a table: write [[recording]]");
                        };
                        self.recordings.push(recording(entry, folder)?);
                    }
                }
                _ => bail!("`{key}` is not a setting, or has another type"),
            }
        }
        Ok(())
    }

    fn environment(&mut self, get: &dyn Fn(&str) -> Option<OsString>) -> anyhow::Result<()> {
        for key in [
            "release",
            "as-release",
            "speed",
            "on-miss",
            "times",
            "record",
            "report",
            "script",
        ] {
            let name = format!("CODEX_REPLAY_{}", key.to_uppercase().replace('-', "_"));
            if let Some(text) = get(&name) {
                let text = text.to_string_lossy().into_owned();
                self.set(key, &text, Path::new("")).with_context(|| name)?;
            }
        }
        for key in ["seed", "fault-log"] {
            let name = format!("CODEX_REPLAY_{}", key.to_uppercase().replace('-', "_"));
            if let Some(text) = get(&name) {
                let text = text.to_string_lossy().into_owned();
                self.set(key, &text, Path::new("")).with_context(|| name)?;
            }
        }
        if let Some(list) = get("CODEX_REPLAY_FAULTS") {
            let list = list.to_string_lossy().into_owned();
            let ids = list.split([',', ' ']).filter(|id| !id.is_empty());
            self.inject(&ids.collect::<Vec<_>>())
                .context("CODEX_REPLAY_FAULTS")?;
        }
        if let Some(paths) = get("CODEX_REPLAY_RECORDINGS") {
            self.script = None;
            self.recordings = env::split_paths(&paths)
                .map(|path| (path, None, About::default()))
                .collect();
        }
        Ok(())
    }

    /// Faults in the place of those that were set before.
    fn inject(&mut self, ids: &[&str]) -> anyhow::Result<()> {
        let injections = ids.iter().map(|id| Injection::parse(id));
        let injections = injections.collect::<Result<_, _>>();
        self.injections = injections.context("`fault`")?;
        Ok(())
    }

    fn set(&mut self, key: &str, text: &str, folder: &Path) -> anyhow::Result<()> {
        let bad = |message: String| anyhow::anyhow!("`{key}`: {message}");
        match key {
            "release" => {
                let release = text.parse();
                self.release =
                    Some(release.map_err(|_| bad(format!("`{text}` is not a release")))?);
            }
            "as-release" => {
                let release = resolve_release::of_any(text, ColorChoice::Auto);
                self.as_release = Some(release.map_err(|error| bad(error.to_string()))?);
            }
            "speed" => self.speed = Speed::parse(text).map_err(bad)?,
            "on-miss" => self.on_miss = Some(on_miss(text).map_err(bad)?),
            "times" => match text {
                "recorded" => self.times_now = false,
                "now" => self.times_now = true,
                _ => return Err(bad("write `recorded` or `now`".to_owned())),
            },
            "fault-log" => self.fault_log = Some(folder.join(text)),
            "seed" => {
                let seed = text.parse();
                self.seed = seed.map_err(|_| bad(format!("`{text}` is not a whole number")))?;
            }
            "record" => self.record = Some(folder.join(text)),
            // What is nearer counts, whether it is a script or recordings.
            "script" => {
                self.script = Some(folder.join(text));
                self.recordings.clear();
            }
            _ => {
                let mut report = ReportTo::parse(text).map_err(bad)?;
                report.path = folder.join(&report.path);
                self.reports.push(report);
            }
        }
        Ok(())
    }
}

fn recording(entry: &Table, folder: &Path) -> anyhow::Result<(PathBuf, Option<String>, About)> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let Some(file) = text("file") else {
        bail!("a recording needs `file`");
    };
    let command = entry.get("command").and_then(Value::as_array);
    let status = entry.get("status").and_then(Value::as_integer);
    let mut about = About::new();
    about.release = text("release").and_then(|release| release.parse().ok());
    about.command = command
        .into_iter()
        .flatten()
        .filter_map(|word| word.as_str().map(str::to_owned))
        .collect();
    about.status = status.and_then(|status| i32::try_from(status).ok());
    about.signal = text("signal").map(str::to_owned);
    Ok((folder.join(file), text("name").map(str::to_owned), about))
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_comes_last() {
        let mut settings = Settings::default();
        let table: Table =
            "version = 1\nspeed = 'recorded'\non-miss = 'fail'\nreport = ['json=a.json']\n\
            [[recording]]\nfile = 'x.jsonl'\nstatus = 3\n"
                .parse()
                .expect("TOML");
        settings.table(&table, Path::new("/i")).expect("settings");
        assert_eq!(settings.speed, Speed::Times(1.0));
        assert_eq!(settings.recordings[0].0, Path::new("/i/x.jsonl"));
        assert_eq!(settings.recordings[0].2.status, Some(3));
        assert_eq!(settings.reports[0].path, Path::new("/i/a.json"));
        let speed = |name: &str| (name == "CODEX_REPLAY_SPEED").then(|| "2x".into());
        settings.environment(&speed).expect("settings");
        assert_eq!(settings.speed, Speed::Times(2.0));
        assert_eq!(settings.on_miss, Some(OnMiss::Fail));
    }

    #[test]
    fn the_nearer_one_of_script_and_recordings_counts() {
        let mut settings = Settings::default();
        let table: Table = "script = 'a.toml'".parse().expect("TOML");
        settings.table(&table, Path::new("/i")).expect("settings");
        assert_eq!(settings.script.as_deref(), Some(Path::new("/i/a.toml")));
        let table: Table = "[[recording]]\nfile = 'x.jsonl'".parse().expect("TOML");
        settings.table(&table, Path::new("/i")).expect("settings");
        assert_eq!((&settings.script, settings.recordings.len()), (&None, 1));
        let script = |name: &str| (name == "CODEX_REPLAY_SCRIPT").then(|| "b.toml".into());
        settings.environment(&script).expect("settings");
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
        settings.table(&table, Path::new("/i")).expect("settings");
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
        let from =
            |name: &str| (name == "CODEX_REPLAY_FAULTS").then(|| "fault/slow-start@5".into());
        settings.environment(&from).expect("settings");
        assert_eq!(shown(&settings), ["fault/slow-start@5"]);
        let wrong = |name: &str| (name == "CODEX_REPLAY_FAULTS").then(|| "walrus".into());
        assert!(settings.environment(&wrong).is_err());
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for bad in [
            "sped = 'instant'",
            "speed = 3",
            "speed = '-1'",
            "version = 2",
            "[[recording]]\nname = 'a'",
            "on-miss = 'guess'",
            "script = 'a.toml'\n[[recording]]\nfile = 'x.jsonl'",
        ] {
            let table: Table = bad.parse().expect("TOML");
            assert!(
                Settings::default().table(&table, Path::new("")).is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn speeds_scale() {
        assert_eq!(
            Speed::parse("10").expect("a speed").of(50),
            Duration::from_millis(5)
        );
        assert_eq!(Speed::Instant.of(50), Duration::ZERO);
        assert!(Speed::parse("0").is_err() && Speed::parse("fast").is_err());
    }
}
