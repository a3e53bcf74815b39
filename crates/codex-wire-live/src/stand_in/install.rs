//! Installs a stand-in: a program named `codex`, with everything it needs.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_base::Release;
use codex_wire_replay::{Lines, Recording};
use toml::{Table, Value};

use crate::error::Error;
use crate::stand_in::repertoire::Repertoire;
use crate::stand_in::settings::{FILE, ON_MISS, Settings};
use crate::stand_in::speed::Speed;

/// The name of the program.
const PROGRAM: &str = if cfg!(windows) { "codex.exe" } else { "codex" };

/// The folder of the recordings or the script, beside the program.
const RECORDINGS: &str = "codex-replay";

/// A stand-in in a folder.
#[derive(Clone, Debug)]
pub struct Installed {
    folder: PathBuf,
    release: Release,
    as_release: Option<Release>,
    /// The script, or else the entries of the recordings.
    played: Result<String, Vec<Value>>,
}

/// Installs a stand-in in a folder. `program` is one that plays if its name is `codex`, as an
/// [`Installation`](crate::stand_in::Installation) does; it is linked or copied.
///
/// # Errors
/// If something cannot be written, or the release is not known.
pub fn install(
    folder: &Path,
    program: &Path,
    settings: &Settings,
    repertoire: &Repertoire,
) -> Result<Installed, Error> {
    let (place, shelf) = (folder.join(PROGRAM), folder.join(RECORDINGS));
    if folder.exists() && !folder.is_dir() {
        return Err(Error::NotAFolder(folder.to_owned()));
    }
    if !folder.join(FILE).exists()
        && let Some(other) = [&place, &shelf].into_iter().find(|path| path.exists())
    {
        return Err(Error::NotAStandIn(other.clone()));
    }
    let script = repertoire.script().map(|script| {
        let (name, text) = script.as_file();
        let file = format!("{RECORDINGS}/{}", name.unwrap_or("script.toml"));
        (file, text)
    });
    let recordings = (1..).zip(repertoire.originals());
    let recordings = recordings.map(|(number, own)| (format!("{RECORDINGS}/{number}.jsonl"), own));
    let recordings: Vec<(String, &Recording)> = recordings.collect();
    let entries = recordings.iter();
    let entries = entries.map(|(file, recording)| Value::Table(entry(file, recording)));
    let installed = Installed {
        folder: folder.to_owned(),
        release: repertoire.release().ok_or(Error::NoRelease)?,
        as_release: repertoire.as_release(),
        played: match &script {
            Some((file, _)) => Ok(file.clone()),
            None => Err(entries.collect()),
        },
    };
    fs::create_dir_all(folder).map_err(Error::write(folder))?;
    // By its settings a folder is known as one of ours, also if the rest cannot be written.
    installed.configure(settings)?;
    if shelf.exists() {
        fs::remove_dir_all(&shelf).map_err(Error::write(&shelf))?;
    }
    fs::create_dir_all(&shelf).map_err(Error::write(&shelf))?;
    for (file, recording) in recordings {
        let path = folder.join(file);
        fs::write(&path, bytes(recording)).map_err(Error::write(&path))?;
    }
    if let Some((file, text)) = &script {
        let path = folder.join(file);
        fs::write(&path, text).map_err(Error::write(&path))?;
    }
    place_program(program, &place)?;
    Ok(installed)
}

impl Installed {
    /// The program.
    pub fn program(&self) -> PathBuf {
        self.folder.join(PROGRAM)
    }

    /// How many recordings it plays; nothing if it plays a script.
    pub fn recordings(&self) -> Option<usize> {
        self.played.as_ref().err().map(Vec::len)
    }

    /// The release that it says it is.
    pub fn release(&self) -> Release {
        self.release
    }

    /// Writes its settings. What is played stays what was installed.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn configure(&self, settings: &Settings) -> Result<(), Error> {
        let mut table = table(settings);
        table.insert("release".into(), self.release.to_string().into());
        if let Some(release) = self.as_release {
            table.insert("as-release".into(), release.to_string().into());
        }
        match &self.played {
            Ok(file) => table.insert("script".into(), file.clone().into()),
            Err(entries) => table.insert("recording".into(), Value::Array(entries.clone())),
        };
        let path = self.folder.join(FILE);
        fs::write(&path, table.to_string()).map_err(Error::write(&path))
    }
}

/// The settings that say how something is played.
fn table(settings: &Settings) -> Table {
    let mut table = Table::new();
    let mut set = |key: &str, value: Value| table.insert(key.into(), value);
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.display().to_string()
    };
    set("version", Value::Integer(1));
    if let Speed::Times(factor) = settings.speed {
        set("speed", factor.to_string().into());
    }
    let on_miss = ON_MISS
        .iter()
        .find(|(_, known)| Some(*known) == settings.on_miss);
    if let Some((name, _)) = on_miss {
        set("on-miss", (*name).into());
    }
    if settings.times_now {
        set("times", "now".into());
    }
    let files = [
        ("record", &settings.record),
        ("fault-log", &settings.fault_log),
        ("miss-log", &settings.miss_log),
        ("client-log", &settings.client_log),
    ];
    for (key, path) in files {
        if let Some(path) = path {
            set(key, absolute(path).into());
        }
    }
    let reports = settings.reports.iter();
    let reports = reports.map(|report| format!("{}={}", report.format, absolute(&report.path)));
    let reports: Vec<Value> = reports.map(Value::from).collect();
    if !reports.is_empty() {
        set("report", Value::Array(reports));
    }
    if !settings.injections.is_empty() {
        let faults = settings.injections.iter();
        let faults = faults.map(|fault| Value::from(fault.to_string()));
        set("fault", Value::Array(faults.collect()));
    }
    if let Some(owner) = settings.owner {
        set("owner", i64::from(owner).into());
    }
    if settings.seed > 0 {
        // A number of TOML has a sign.
        let number = i64::try_from(settings.seed).map(Value::from);
        set(
            "seed",
            number.unwrap_or_else(|_| settings.seed.to_string().into()),
        );
    }
    table
}

/// Puts a program there: by a hard link where that is possible, else as a copy.
fn place_program(program: &Path, path: &Path) -> Result<(), Error> {
    if path.exists() {
        fs::remove_file(path).map_err(Error::write(path))?;
    }
    if fs::hard_link(program, path).is_err() {
        fs::copy(program, path).map_err(Error::write(path))?;
    }
    Ok(())
}

/// The recording as a file. Transcripts are written again, with all that is known of them.
fn bytes(recording: &Recording) -> Vec<u8> {
    match &recording.lines {
        Lines::Plain(bytes) => bytes.to_vec(),
        Lines::Transcript(_) => recording.to_transcript().into_bytes(),
    }
}

fn entry(file: &str, recording: &Recording) -> Table {
    let mut entry = Table::new();
    let about = &recording.about;
    entry.insert("file".into(), file.into());
    entry.insert("name".into(), recording.name.clone().into());
    if let Some(release) = about.release {
        entry.insert("release".into(), release.to_string().into());
    }
    if !about.command.is_empty() {
        entry.insert("command".into(), about.command.clone().into());
    }
    if let Some(status) = about.status {
        entry.insert("status".into(), i64::from(status).into());
    }
    if let Some(signal) = &about.signal {
        entry.insert("signal".into(), signal.clone().into());
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Notices;
    use crate::stand_in::environment::Environment;

    #[test]
    fn every_seed_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::within("/");
        for seed in [0, 7, i64::MAX.unsigned_abs(), u64::MAX] {
            let mut settings = Settings::new();
            settings.seed = seed;
            fs::write(folder.path().join(FILE), table(&settings).to_string()).unwrap();
            let read = Settings::of_installed(folder.path(), &environment, &Notices::ignored());
            assert_eq!(read.unwrap().seed, seed);
        }
    }
}
