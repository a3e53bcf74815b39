//! What Codex prints and exits with, where its arguments are fine and it goes no further.

use codex_wire_base::Release;

/// What Codex prints before it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The exit status.
    pub status: u8,
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

impl Answer {
    /// What goes to standard output, with exit status 0.
    pub(super) fn printed(stdout: String) -> Self {
        Answer {
            stdout,
            ..Answer::default()
        }
    }

    /// What goes to standard error, with this exit status.
    pub(super) fn failed(status: u8, stderr: impl Into<String>) -> Self {
        Answer {
            status,
            stdout: String::new(),
            stderr: stderr.into(),
        }
    }
}

/// What `codex login status` prints, on standard error. The key is none: it only has the length of one.
pub(super) fn login_status(release: Release, is_logged_in: bool) -> Answer {
    match is_logged_in {
        false => Answer::failed(1, "Not logged in\n"),
        true if release < Release::new(0, 169, 0) => {
            Answer::failed(0, "Logged in using an API key - sk-none-***00000\n")
        }
        true => Answer::failed(
            0,
            "API key configured - sk-none-***00000\nAuthentication is checked when you send a request.\n",
        ),
    }
}

/// What `codex mcp list` prints where no server is configured. Asked: 0.42.0, 0.44.0, 0.63.0, 0.98.0, 0.125.0, 0.163.0, 0.169.0.
pub(super) fn mcp_list(json: bool) -> Answer {
    let text = match json {
        true => "[]\n",
        false => "No MCP servers configured yet. Try `codex mcp add my-tool -- my-command`.\n",
    };
    Answer::printed(text.to_owned())
}

/// What `codex exec` prints if its prompt comes from standard input and there is none.
pub(super) fn no_prompt(is_dash: bool) -> Answer {
    let reading = match is_dash {
        true => "",
        false => "Reading prompt from stdin...\n",
    };
    Answer::failed(1, format!("{reading}No prompt provided via stdin.\n"))
}

/// What a command prints for an override of the configuration that has no `=`, or no key.
pub(super) fn bad_override(text: &str) -> Answer {
    let what = match text.contains('=') {
        true => "Empty key in override",
        false => "Invalid override (missing '=')",
    };
    Answer::failed(1, format!("Error parsing -c overrides: {what}: {text}\n"))
}

/// What Codex prints where it would talk to a person.
pub(super) fn no_terminal() -> Answer {
    Answer::failed(1, "Error: stdin is not a terminal\n")
}
