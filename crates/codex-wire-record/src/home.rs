//! Makes a home folder for a Codex, with a configuration that connects it to the scripted model
//! only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::Release;

/// A loopback port where nothing listens, as the proxy: no request leaves the machine.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A home, a configuration and a project for one run of Codex.
#[derive(Debug)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Makes the folders below `root`, which is emptied, and a configuration that connects the release
    /// to the model on this loopback port.
    ///
    /// # Errors
    /// When a folder or file cannot be written.
    pub fn new(root: &Path, release: Release, port: u16) -> io::Result<Self> {
        if root.exists() {
            fs::remove_dir_all(root)?;
        }
        for folder in ["home", "codex-home", "project"] {
            fs::create_dir_all(root.join(folder))?;
        }
        fs::write(root.join("project/README.md"), "# Demo\n\nfirst line\n")?;
        let text = configuration(release, port);
        fs::write(root.join("codex-home/config.toml"), text)?;
        Ok(Home {
            root: root.canonicalize()?,
        })
    }

    /// Gives Codex a tool server (MCP) by the name of `tiny`, which has the tools `echo` and `fail`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add_server(&self) -> io::Result<()> {
        let script = self.root.join("server.sh");
        fs::write(&script, include_str!("server.sh"))?;
        let path = self.root.join("codex-home/config.toml");
        let mut text = fs::read_to_string(&path)?;
        let script = script.display();
        text += &format!("[mcp_servers.tiny]\ncommand = \"/bin/sh\"\nargs = [\"{script}\"]\n");
        fs::write(path, text)
    }

    /// The working directory of Codex.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Makes a command run in the project, with an environment of its own.
    pub fn furnish<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.join("home"))
            .env("CODEX_HOME", self.root.join("codex-home"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("SHELL", "/bin/sh")
            .env("USER", "user")
            .env("HTTP_PROXY", NOWHERE)
            .env("HTTPS_PROXY", NOWHERE)
            .env("ALL_PROXY", NOWHERE)
            .env("NO_PROXY", "127.0.0.1,localhost")
    }
}

/// The configuration: the scripted model, and nothing that uses the network.
fn configuration(release: Release, port: u16) -> String {
    let since = |minor| release >= Release::new(0, minor, 0);
    // If a release does not know the model, it does not know its tools either.
    let model = match () {
        () if since(154) => "gpt-5.5",
        () if since(118) => "gpt-5.4",
        () if since(92) => "gpt-5.2-codex",
        () if since(60) => "gpt-5.1-codex-max",
        () => "gpt-5",
    };
    let mut text = format!("model = \"{model}\"\nmodel_provider = \"recorder\"\n");
    if since(80) {
        text += "check_for_update_on_startup = false\n";
    }
    if since(95) {
        text += "[analytics]\nenabled = false\n";
    }
    if since(80) && !since(100) {
        text += "[features]\nremote_models = false\n";
    }
    if since(110) {
        text += "[features]\nplugins = false\n";
    }
    text += &format!(
        "[model_providers.recorder]\nname = \"recorder\"\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\n\
         request_max_retries = 1\nstream_max_retries = 1\nstream_idle_timeout_ms = 20000\n\
         requires_openai_auth = false\n"
    );
    text
}
