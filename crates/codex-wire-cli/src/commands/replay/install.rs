//! Implements `--install`: writes a program named `codex` with everything it needs.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anstream::ColorChoice;
use anyhow::{Context, bail};
use codex_wire_replay::{Lines, Recording};
use toml::{Table, Value};

use super::as_release::Inferred;
use super::settings::{FILE, ON_MISS, Settings, Speed};
use crate::output;

/// The name of the program.
const PROGRAM: &str = if cfg!(windows) { "codex.exe" } else { "codex" };

/// The folder of the recordings or the script, beside the program.
const RECORDINGS: &str = "codex-replay";

/// Writes the program, its settings and its recordings, or its script, to a folder.
pub(super) fn install(
    folder: &Path,
    settings: &Settings,
    recordings: &[Recording],
    inferred: Option<&Inferred>,
    color: ColorChoice,
) -> anyhow::Result<()> {
    let program = folder.join(PROGRAM);
    if program.exists() && !folder.join(FILE).exists() {
        bail!(
            "{} is not a stand-in; refusing to replace it",
            program.display()
        );
    }
    // It may be the one that was installed here.
    let script = settings.script.as_deref().map(read_script).transpose()?;
    let shelf = folder.join(RECORDINGS);
    if shelf.exists() {
        fs::remove_dir_all(&shelf).with_context(|| cannot(&shelf))?;
    }
    fs::create_dir_all(&shelf).with_context(|| cannot(&shelf))?;
    let mut entries = Vec::new();
    for (number, recording) in (1..).zip(recordings) {
        let file = format!("{RECORDINGS}/{number}.jsonl");
        let path = folder.join(&file);
        fs::write(&path, bytes(recording)).with_context(|| cannot(&path))?;
        entries.push(Value::Table(entry(&file, recording)));
    }
    if let Some((file, bytes)) = &script {
        let path = folder.join(file);
        fs::write(&path, bytes).with_context(|| cannot(&path))?;
    }
    let Some(release) = settings.release else {
        bail!("no recording says which release it is: give --release");
    };
    let mut table = Table::new();
    table.insert("version".into(), Value::Integer(1));
    table.insert("release".into(), release.to_string().into());
    if let Some(release) = settings.as_release {
        table.insert("as-release".into(), release.to_string().into());
    }
    if let Speed::Times(factor) = settings.speed {
        table.insert("speed".into(), factor.to_string().into());
    }
    let on_miss = ON_MISS
        .iter()
        .find(|(_, known)| Some(*known) == settings.on_miss);
    if let Some((name, _)) = on_miss {
        table.insert("on-miss".into(), (*name).into());
    }
    if settings.times_now {
        table.insert("times".into(), "now".into());
    }
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Some(path) = &settings.record {
        table.insert("record".into(), absolute(path).display().to_string().into());
    }
    let reports = settings.reports.iter();
    let reports = reports.map(|r| format!("{}={}", r.format.as_str(), absolute(&r.path).display()));
    let reports: Vec<Value> = reports.map(Value::from).collect();
    if !reports.is_empty() {
        table.insert("report".into(), Value::Array(reports));
    }
    if !settings.injections.is_empty() {
        let faults = settings.injections.iter();
        let faults = faults.map(|fault| Value::from(fault.to_string()));
        table.insert("fault".into(), Value::Array(faults.collect()));
    }
    if let Ok(seed @ 1..) = i64::try_from(settings.seed) {
        table.insert("seed".into(), seed.into());
    }
    if let Some(path) = &settings.fault_log {
        table.insert(
            "fault-log".into(),
            absolute(path).display().to_string().into(),
        );
    }
    let many = recordings.len();
    let what = match script {
        Some((file, _)) => {
            table.insert("script".into(), file.into());
            "a script".to_owned()
        }
        None => {
            table.insert("recording".into(), Value::Array(entries));
            match many {
                1 => "1 recording".to_owned(),
                many => format!("{many} recordings"),
            }
        }
    };
    let path = folder.join(FILE);
    fs::write(&path, table.to_string()).with_context(|| cannot(&path))?;
    place_program(&program)?;
    let remark = match inferred {
        None => String::new(),
        // One that is played as another release, or one of several.
        Some(inferred) if many > 1 || inferred.release != release => {
            format!("; {}", inferred.sentence())
        }
        Some(_) => format!(", {}", Inferred::WHY),
    };
    let program = program.display();
    output::remark(
        color,
        &format!("{program} plays {what} as Codex {release}{remark}"),
    );
    Ok(())
}

/// The file that a script becomes, and its text.
fn read_script(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let name = path.file_name().and_then(OsStr::to_str);
    let file = format!("{RECORDINGS}/{}", name.unwrap_or("script.toml"));
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((file, bytes))
}

/// Puts this program there: by a hard link where that is possible, else as a copy.
fn place_program(path: &Path) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot find this program")?;
    if path.exists() {
        fs::remove_file(path).with_context(|| cannot(path))?;
    }
    if fs::hard_link(&own, path).is_err() {
        fs::copy(&own, path).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// The recording as a file. Transcripts are written again, with all that is known of them.
fn bytes(recording: &Recording) -> Vec<u8> {
    match &recording.lines {
        Lines::Plain(bytes) => bytes.clone(),
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

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
