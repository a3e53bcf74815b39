//! Runs a Codex for what it says, where it can do no harm: without a network, in a home of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::offline;

/// A Codex that answers at all does so within this time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A loopback port where nothing listens.
const NOWHERE: &str = "http://127.0.0.1:9";

/// What a process printed, and its exit status.
#[derive(Debug)]
pub(super) struct Output {
    /// The exit status; `None` if it had to be killed.
    pub(super) status: Option<i32>,
    /// Its standard output.
    pub(super) stdout: String,
    /// Its standard error.
    pub(super) stderr: String,
}

/// A program, and the folder it runs in.
#[derive(Debug)]
pub(super) struct Stage {
    program: PathBuf,
    folder: PathBuf,
    /// A command that takes the network away, if this system lets us.
    prefix: &'static [&'static str],
}

impl Stage {
    /// A stage below a folder, which is made.
    pub(super) fn new(program: &Path, folder: &Path) -> Result<Self> {
        for name in ["home/.codex", "work", "temporary"] {
            fs::create_dir_all(folder.join(name))?;
        }
        Ok(Stage {
            program: program.to_owned(),
            folder: folder.canonicalize()?,
            prefix: offline::prefix(),
        })
    }

    /// What Codex prints for some arguments when its standard input is empty.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Output> {
        let home = self.folder.join("home");
        let program = self
            .program
            .to_str()
            .context("the program has a strange path")?;
        let words = [self.prefix, &[program], arguments].concat();
        let (out, errors) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.folder.join("work"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &home)
            .env("CODEX_HOME", home.join(".codex"))
            // Codex warns if its home is in the folder for temporary files.
            .env("TMPDIR", self.folder.join("temporary"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .envs(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, NOWHERE)))
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&errors)?)
            .spawn()?;
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() > end => {
                    child.kill()?;
                    break child.wait()?;
                }
                None => sleep(Duration::from_millis(2)),
            }
        };
        let text = |path: &Path| -> Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
        };
        Ok(Output {
            status: status.code(),
            stdout: text(&out)?,
            stderr: text(&errors)?,
        })
    }
}
