//! The folder of what releases answered: `probes` in the checkout.
//!
//! | file | what |
//! |---|---|
//! | `app-server/reads/<domain>.txt` | what a server reads that nobody greeted |
//! | `app-server/methods.txt` | the methods of a server, each called with an empty object |
//! | `app-server/experimental.txt` | experimental things, of a client that did not ask for them |
//! | `app-server/examples.txt` | messages that show a breaking change |
//! | `hooks/<event>.txt` | what Codex makes of what a hook prints |
//! | `exec/runs.txt` | how runs of `codex exec` end |
//! | `<folder>/releases.txt` | the releases that were asked |

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use app_server_codegen::domains::Domains;
use codex_wire_base::Release;

use crate::error::Error;
use crate::log::Log;

/// What releases answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// Of the app-server.
    pub app_server: AppServer,
    /// What Codex makes of what hooks print.
    pub hooks: Section,
    /// How runs of `codex exec` end.
    pub exec: Section,
}

/// What releases of the app-server answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppServer {
    /// The releases that were asked.
    pub asked: BTreeSet<Release>,
    /// What a server reads that nobody greeted.
    pub reads: Log,
    /// The methods, each called with an empty object.
    pub methods: Log,
    /// Experimental things, of a client that did not ask for them.
    pub experimental: Log,
    /// Messages that show a breaking change, to a server that nobody greeted.
    pub examples: Log,
}

/// What releases answered to questions of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The releases that were asked.
    pub asked: BTreeSet<Release>,
    /// What they answered.
    pub log: Log,
}

/// The folder in the checkout.
pub fn folder(root: &Path) -> PathBuf {
    root.join("probes")
}

impl Probes {
    /// Reads all files below a folder.
    ///
    /// # Errors
    /// When a file cannot be read or is malformed.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let app_server = folder.join("app-server");
        let asked = asked(&app_server)?;
        let all = list(&asked);
        let file = |name: &str| log(&app_server.join(name), &all);
        let app_server = AppServer {
            reads: logs(&app_server.join("reads"), &all)?,
            methods: file("methods.txt")?,
            experimental: file("experimental.txt")?,
            examples: file("examples.txt")?,
            asked,
        };
        Ok(Probes {
            app_server,
            hooks: section(&folder.join("hooks"))?,
            exec: section(&folder.join("exec"))?,
        })
    }

    /// Writes all files below a folder. `domains` say in which one a definition is.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn write(&self, folder: &Path, domains: &Domains) -> Result<(), Error> {
        let mut files = BTreeMap::new();
        let AppServer {
            asked,
            reads,
            methods,
            experimental,
            examples,
        } = &self.app_server;
        let all = list(asked);
        let mut add = |name: &str, log: &Log, all: &[Release]| {
            let text = log.text(all);
            if !text.is_empty() {
                files.insert(format!("{name}.txt"), text);
            }
        };
        for (domain, log) in reads.clone().split(|about| domain(domains, about)) {
            add(&format!("app-server/reads/{domain}"), &log, &all);
        }
        add("app-server/methods", methods, &all);
        add("app-server/experimental", experimental, &all);
        add("app-server/examples", examples, &all);
        let hooks = list(&self.hooks.asked);
        for (event, log) in self.hooks.log.clone().split(str::to_owned) {
            add(&format!("hooks/{event}"), &log, &hooks);
        }
        add("exec/runs", &self.exec.log, &list(&self.exec.asked));
        for (name, asked) in [
            ("app-server", asked),
            ("hooks", &self.hooks.asked),
            ("exec", &self.exec.asked),
        ] {
            let mut text = String::new();
            for release in asked {
                let _ = writeln!(text, "{release}");
            }
            files.insert(format!("{name}/{RELEASES}"), text);
        }
        write(folder, &files)
    }
}

const RELEASES: &str = "releases.txt";

fn list(asked: &BTreeSet<Release>) -> Vec<Release> {
    asked.iter().copied().collect()
}

/// The file of a definition, or of a part of one.
fn domain(domains: &Domains, about: &str) -> String {
    // The params of a method have their own file.
    if about.contains(' ') {
        return "methods".to_owned();
    }
    let definition = about.split(['.', '/', '[', '{']).next().unwrap_or(about);
    let domain = domains.of(definition);
    domain.map_or_else(|| "other".to_owned(), |domain| domain.name.clone())
}

fn asked(folder: &Path) -> Result<BTreeSet<Release>, Error> {
    let path = folder.join(RELEASES);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let text = read(&path)?;
    let lines = text.lines().enumerate();
    lines
        .map(|(index, line)| {
            let release = line.parse::<Release>();
            release.map_err(|error| fault(&path, index + 1, error.to_string()))
        })
        .collect()
}

fn section(folder: &Path) -> Result<Section, Error> {
    let asked = asked(folder)?;
    let log = logs(folder, &list(&asked))?;
    Ok(Section { asked, log })
}

/// All logs in a folder.
fn logs(folder: &Path, asked: &[Release]) -> Result<Log, Error> {
    let mut out = Log::default();
    for name in names(folder)? {
        if name != RELEASES {
            out.extend(log(&folder.join(name), asked)?);
        }
    }
    Ok(out)
}

fn log(path: &Path, asked: &[Release]) -> Result<Log, Error> {
    if !path.exists() {
        return Ok(Log::default());
    }
    let text = read(path)?;
    Log::parse(&text, asked).map_err(|(line, message)| fault(path, line, message))
}

/// Files in a folder, which may be missing.
fn names(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut out = BTreeSet::new();
    if !folder.exists() {
        return Ok(out);
    }
    let failed = |error| Error::file(folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            out.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(out)
}

/// Writes these files below a folder, and removes all other texts there.
fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), Error> {
    for part in ["app-server", "app-server/reads", "hooks", "exec"] {
        let part_folder = folder.join(part);
        fs::create_dir_all(&part_folder).map_err(|error| Error::file(&part_folder, error))?;
        for name in names(&part_folder)? {
            if !files.contains_key(&format!("{part}/{name}")) {
                let path = part_folder.join(name);
                fs::remove_file(&path).map_err(|error| Error::file(&path, error))?;
            }
        }
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Error::file(&path, error))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::file(path, error))
}

fn fault(path: &Path, line: usize, message: String) -> Error {
    Error::Text {
        file: path.display().to_string(),
        line,
        message,
    }
}
