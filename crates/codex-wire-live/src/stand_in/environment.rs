//! What a stand-in finds around it.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;

/// The variable with the home of Codex, and the folder in the home of the user that it is otherwise.
const HOME: &str = "CODEX_HOME";
const DEFAULT_HOME: &str = ".codex";

/// The variables and the working directory of a stand-in.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: HashMap<OsString, OsString>,
    /// The working directory, if it is not that of the process.
    cwd: Option<PathBuf>,
    user_home: Option<PathBuf>,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        Environment {
            variables: env::vars_os().collect(),
            cwd: None,
            user_home: env::home_dir(),
        }
    }

    /// One without variables, in this folder, which is also the home of the user.
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Environment {
            variables: HashMap::new(),
            cwd: Some(folder.clone()),
            user_home: Some(folder),
        }
    }

    /// The same with a variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// A path in the working directory.
    pub(crate) fn here(&self, path: impl AsRef<Path>) -> PathBuf {
        match &self.cwd {
            Some(cwd) => cwd.join(path),
            None => path.as_ref().to_owned(),
        }
    }

    /// The absolute path of the working directory.
    pub(crate) fn cwd(&self) -> io::Result<PathBuf> {
        match &self.cwd {
            Some(cwd) => std::path::absolute(cwd),
            None => env::current_dir(),
        }
    }

    /// The home of Codex that is given, if one is.
    pub(crate) fn given_home(&self) -> Option<PathBuf> {
        let home = self.get(HOME).filter(|home| !home.is_empty());
        home.map(PathBuf::from)
    }

    /// The absolute path of the home that Codex would have.
    pub fn codex_home(&self) -> Option<PathBuf> {
        let home = match self.given_home() {
            Some(home) => home,
            None => self.user_home.as_ref()?.join(DEFAULT_HOME),
        };
        std::path::absolute(home).ok()
    }

    /// Whether Codex would take this folder for its home.
    pub fn is_codex_home(&self, folder: &Path) -> bool {
        let home = self.codex_home().and_then(|home| home.canonicalize().ok());
        home.is_some() && folder.canonicalize().ok() == home
    }
}

/// What a stand-in reads and writes instead of the standard streams of Codex. Each write is one of the
/// system: what is written at once arrives at once.
#[derive(Debug)]
pub struct Streams {
    pub(crate) input: File,
    pub(crate) output: File,
    pub(crate) errors: Errors,
}

/// Standard error, for all threads.
#[derive(Clone, Debug)]
pub(crate) struct Errors(Arc<File>);

impl Streams {
    /// Standard input, output and error.
    pub fn new(input: File, output: File, errors: File) -> Self {
        Streams {
            input,
            output,
            errors: Errors(Arc::new(errors)),
        }
    }
}

impl Errors {
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        (&*self.0).write_all(bytes)
    }
}

/// Opens a file of this process that may have lines already; see [`own_path`].
pub(crate) fn appended(path: &Path) -> Result<File, Error> {
    let path = own_path(path);
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    opened.map_err(Error::write(&path))
}

/// A path of this process in which `{pid}` is its number, so that clients in parallel do not write
/// one file.
pub(crate) fn own_path(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => text
            .replace("{pid}", &std::process::id().to_string())
            .into(),
        None => path.to_owned(),
    }
}
