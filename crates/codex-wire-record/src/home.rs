//! Makes a home folder for a Codex, with a configuration that connects it to its model only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::Release;

use crate::configuration::Configuration;

/// A loopback port where nothing listens, as the proxy: no request leaves the machine.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Hosts that are reached without the proxy.
const LOCAL: &str = "127.0.0.1,localhost";

/// The working directory of Codex.
const PROJECT: &str = "project";

/// The folders of a home.
const FOLDERS: [&str; 3] = ["home", "codex-home", PROJECT];

/// A home, a configuration and a project for one run of Codex.
#[derive(Debug)]
pub struct Home {
    root: PathBuf,
    configuration: Configuration,
}

impl Home {
    /// Makes the folders below `root`, which is emptied, and a configuration that connects the release
    /// to the model on this loopback port.
    ///
    /// # Errors
    /// When a folder or file cannot be written.
    pub fn new(root: &Path, release: Release, port: u16) -> io::Result<Self> {
        Self::configured(root, Configuration::new(release, port))
    }

    /// Makes the folders below `root`, which is emptied, and this configuration. The project has one file,
    /// `README.md`.
    ///
    /// # Errors
    /// When a folder or file cannot be written.
    pub fn configured(root: &Path, configuration: Configuration) -> io::Result<Self> {
        if root.exists() {
            fs::remove_dir_all(root)?;
        }
        Self::kept(root, configuration)
    }

    /// The folders below `root`, with all that an earlier run left there but its hooks, and this configuration. What is
    /// missing is made as [`Home::configured`] makes it.
    ///
    /// # Errors
    /// When a folder or file cannot be written.
    pub fn kept(root: &Path, configuration: Configuration) -> io::Result<Self> {
        let is_new = !root.join(PROJECT).exists();
        for folder in FOLDERS {
            fs::create_dir_all(root.join(folder))?;
        }
        if is_new {
            fs::write(
                root.join(PROJECT).join("README.md"),
                "# Demo\n\nfirst line\n",
            )?;
        }
        let home = Home {
            root: root.canonicalize()?,
            configuration,
        };
        match fs::remove_file(home.hooks_file()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        home.configure()?;
        Ok(home)
    }

    /// The file that declares hooks. Codex reads it whatever the configuration says.
    pub(crate) fn hooks_file(&self) -> PathBuf {
        self.codex_home().join("hooks.json")
    }

    /// Whether a folder is a home that was made here.
    pub fn is_at(root: &Path) -> bool {
        FOLDERS.iter().all(|folder| root.join(folder).is_dir())
    }

    fn configure(&self) -> io::Result<()> {
        let path = self.codex_home().join("config.toml");
        fs::write(path, self.configuration.text())
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Adds something to the configuration.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn reconfigure(&mut self, change: impl FnOnce(&mut Configuration)) -> io::Result<()> {
        change(&mut self.configuration);
        self.configure()
    }

    /// Gives Codex a tool server (MCP) by the name of `tiny`, which has the tools `echo`, `fail`,
    /// `refuse` and `empty`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add_server(&mut self) -> io::Result<()> {
        let script = self.root.join("server.sh");
        fs::write(&script, include_str!("server.sh"))?;
        let command = vec!["/bin/sh".to_owned(), script.display().to_string()];
        self.reconfigure(|configuration| {
            configuration.servers.push(("tiny".to_owned(), command));
        })
    }

    /// The folder of everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory of Codex.
    pub fn project(&self) -> PathBuf {
        self.root.join(PROJECT)
    }

    /// The folder in which Codex keeps what it knows, `CODEX_HOME`.
    pub fn codex_home(&self) -> PathBuf {
        self.root.join("codex-home")
    }

    /// Makes a command run in the project, with an environment of its own.
    pub fn furnish<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let direct = match host(&self.configuration.base_url) {
            Some(host) => format!("{LOCAL},{host}"),
            None => LOCAL.to_owned(),
        };
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.join("home"))
            .env("CODEX_HOME", self.codex_home())
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("SHELL", "/bin/sh")
            .env("USER", "user")
            .env("HTTP_PROXY", NOWHERE)
            .env("HTTPS_PROXY", NOWHERE)
            .env("ALL_PROXY", NOWHERE)
            .env("NO_PROXY", direct)
    }
}

/// The host of a URL.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let host = authority.rsplit('@').next()?;
    // The brackets of an IPv6 address stay out.
    let host = match host.strip_prefix('[') {
        Some(host) => host.split(']').next()?,
        None => host.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_host() {
        for (url, expected) in [
            ("http://127.0.0.1:80/v1", Some("127.0.0.1")),
            (
                "https://user:word@models.example/v1",
                Some("models.example"),
            ),
            ("http://[::1]:80/v1", Some("::1")),
            ("models.example", None),
            ("http:///v1", None),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }
}
