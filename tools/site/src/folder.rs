//! Reads the texts of the repository, and writes the site into a folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::MessageSet;
use codex_wire_schema::{archive, publish};

use crate::error::{Error, at};
use crate::links::transcripts_of;
use crate::{Files, Playground, Sources, build};

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Which schemas the site has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schemas {
    /// Those that the repository keeps.
    Few,
    /// Those of all releases, too, at the paths that their ids name.
    All,
}

/// The file by which a folder is known to hold a site.
const MARK: &str = ".codex-wire-site";

/// Writes the site of a repository into a folder, with the checker for browsers if there is one. What was in the folder goes,
/// if it was a site.
///
/// # Errors
/// When something cannot be read or written, or the folder has something else in it.
pub fn write(
    root: &Path,
    out: &Path,
    schemas: Schemas,
    playground: Option<Playground>,
) -> Result<Written, Error> {
    let mut sources = sources(root)?;
    sources.playground = playground;
    let files = build(&sources)?;
    empty(out)?;
    write_files(out, &files, schemas)
}

/// Writes files that were made already.
///
/// # Errors
/// When one cannot be written.
pub fn write_files(out: &Path, files: &Files, schemas: Schemas) -> Result<Written, Error> {
    let mut written = Written::default();
    let mut file = |path: &str, bytes: &[u8]| {
        let file = out.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        fs::write(&file, bytes).map_err(at(&file))?;
        written.files += 1;
        written.bytes += bytes.len() as u64;
        Ok(())
    };
    file(MARK, b"")?;
    for (path, bytes) in files {
        file(path, bytes)?;
    }
    for schema in publish() {
        file(&format!("schemas/{}", schema.path), schema.text.as_bytes())?;
    }
    if schemas == Schemas::All {
        archive(MessageSet::ALL, &mut |schema| {
            file(&format!("schemas/{}", schema.path), schema.text.as_bytes())
        })?;
    }
    Ok(written)
}

/// Makes room for a site.
fn empty(out: &Path) -> Result<(), Error> {
    let Ok(mut entries) = fs::read_dir(out) else {
        return Ok(());
    };
    if out.join(MARK).exists() {
        return fs::remove_dir_all(out).map_err(at(out));
    }
    match entries.next() {
        Some(_) => Err(Error::NotASite {
            folder: out.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The texts of a repository that the site is made of, without the checker for browsers, which has to be compiled.
///
/// # Errors
/// When one cannot be read.
pub fn sources(root: &Path) -> Result<Sources, Error> {
    let mut pages = vec![root.join("README.md")];
    files(&root.join("docs"), &["md"], &mut pages)?;
    let mut pictures = BTreeMap::new();
    let mut paths = Vec::new();
    files(&root.join("docs/img"), &["svg", "png", "webp"], &mut paths)?;
    for picture in paths {
        let bytes = fs::read(&picture).map_err(at(&picture))?;
        pictures.insert(below(root, &picture), bytes);
    }
    let mut types = Vec::new();
    for folder in [
        "packages/types",
        "packages/python/src/codex_wire/types",
        "go",
        "crates/codex-wire/src",
    ] {
        files(&root.join(folder), &["ts", "py", "go", "rs"], &mut types)?;
    }
    let mut recordings = Vec::new();
    files(
        &root.join("crates/codex-wire-cli/tests/clients"),
        &["jsonl"],
        &mut recordings,
    )?;
    // Beside each recording stands what the client showed and sent, which others read.
    recordings.retain(|path| {
        let name = path.file_stem().and_then(OsStr::to_str);
        name.is_some_and(|name| name.parse::<u32>().is_ok())
    });
    let pages = texts(root, &pages)?;
    Ok(Sources {
        transcripts: transcripts(root, &pages)?,
        pages,
        recordings: texts(root, &recordings)?,
        pictures,
        types: texts(root, &types)?,
        dates: dates(root),
        playground: None,
        repository: repository(root)?,
    })
}

/// The transcripts that pages of rules and scenarios link to, with the settings beside them.
fn transcripts(
    root: &Path,
    pages: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut out = BTreeMap::new();
    for (path, text) in pages {
        if !path.starts_with("docs/rules/") && !path.starts_with("docs/scenarios/") {
            continue;
        }
        for transcript in transcripts_of(path, text) {
            let file = root.join(&transcript);
            let settings = file.with_file_name("settings");
            if settings.exists() {
                let bytes = fs::read(&settings).map_err(at(&settings))?;
                out.insert(below(root, &settings), bytes);
            }
            out.insert(transcript, fs::read(&file).map_err(at(&file))?);
        }
    }
    Ok(out)
}

/// The address of the repository, from the file that has it for all packages.
fn repository(root: &Path) -> Result<String, Error> {
    let path = root.join("packages/project.json");
    let project: serde_json::Value =
        serde_json::from_str(&text(&path)?).map_err(|error| at(&path)(error.into()))?;
    let name = project["repository"].as_str().unwrap_or_default();
    Ok(format!("https://github.com/{name}"))
}

/// When the pages of changes were added, as git knows it; nothing where there is no history.
fn dates(root: &Path) -> BTreeMap<String, String> {
    let log = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "log",
            "--diff-filter=A",
            "--name-only",
            "--format=@%cI",
            "--",
            "docs/changes",
        ])
        .output();
    let log = log.ok().filter(|log| log.status.success());
    let log = log.map(|log| String::from_utf8_lossy(&log.stdout).into_owned());
    let mut dates = BTreeMap::new();
    let mut date = None;
    for line in log.unwrap_or_default().lines() {
        match (line.strip_prefix('@'), &date) {
            (Some(stated), _) => date = Some(stated.to_owned()),
            // The newest comes first: a page that came again has the later date.
            (None, Some(date)) if !line.is_empty() => {
                dates.entry(line.to_owned()).or_insert_with(|| date.clone());
            }
            (None, _) => {}
        }
    }
    dates
}

fn texts(root: &Path, paths: &[PathBuf]) -> Result<BTreeMap<String, String>, Error> {
    let each = paths.iter();
    each.map(|path| Ok((below(root, path), text(path)?)))
        .collect()
}

fn text(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(at(path))
}

/// A path below a folder, with slashes.
fn below(root: &Path, path: &Path) -> String {
    let short = path.strip_prefix(root).unwrap_or(path);
    let parts = short.iter().map(OsStr::to_string_lossy);
    parts.collect::<Vec<_>>().join("/")
}

/// The files below a folder that end so, in order.
fn files(folder: &Path, ends: &[&str], out: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        paths.push(entry.map_err(at(folder))?.path());
    }
    paths.sort();
    for path in paths {
        let end = path.extension().and_then(OsStr::to_str);
        if path.is_dir() {
            files(&path, ends, out)?;
        } else if end.is_some_and(|end| ends.contains(&end)) {
            out.push(path);
        }
    }
    Ok(())
}
