//! What a client asks of `codex` with its arguments.
//!
//! `codex-wire-replay` reads them as the release does, and refuses what it refuses. Here is decided
//! what of it can be played.

use std::ffi::OsString;
use std::path::PathBuf;

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::arguments::{
    Answer, CommandLine, Format, Invocation, Listen, Options, Prompt, Run, Session, TypeFiles,
};

use crate::error::Error;

/// The commands of `codex exec`.
pub(crate) const START: &str = "";
pub(crate) const RESUME: &str = "resume";
pub(crate) const FORK: &str = "fork";
pub(crate) const REVIEW: &str = "review";

/// What a client asks.
pub(crate) enum Asked {
    /// To print something and exit.
    Print(Answer),
    Exec(Exec),
    /// To be an app-server that listens there.
    AppServer(Listen),
    Proto,
    /// To write files of this release.
    TypeFiles(Release, TypeFiles),
}

impl Asked {
    /// The protocol that is played, if anything is.
    pub(crate) fn protocol(&self) -> Option<Protocol> {
        match self {
            Asked::Print(_) | Asked::TypeFiles(..) => None,
            Asked::Exec(_) => Some(Protocol::Exec),
            Asked::AppServer(_) => Some(Protocol::AppServer),
            Asked::Proto => Some(Protocol::Core),
        }
    }
}

/// A run of `codex exec`.
pub(crate) struct Exec {
    /// The prompt; `None` if it comes from standard input.
    pub(crate) prompt: Option<String>,
    /// What is printed if it comes from standard input, and there is none.
    pub(crate) no_prompt: Answer,
    /// The command of `codex exec`, such as `review`; empty for a new thread with a prompt.
    pub(crate) command: &'static str,
    /// Whether a thread is resumed, and which one; the last if none is named.
    pub(crate) resume: Option<Option<String>>,
    /// Whether lines are printed rather than text.
    pub(crate) json: bool,
    /// Where the last message is written.
    pub(crate) last_message: Option<PathBuf>,
    /// The folder in which it runs, if one is named.
    pub(crate) cwd: Option<PathBuf>,
    /// The model, if one is named.
    pub(crate) model: Option<String>,
    /// What is reviewed, in the words in which Codex tells the user, if no prompt says it.
    pub(crate) target: Option<String>,
}

/// Reads the arguments, without the name of the program.
pub(crate) fn parse(
    release: Release,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Asked, Error> {
    let command_line = CommandLine::of(release);
    let invocation = match command_line.parse(arguments) {
        Ok(invocation) => invocation,
        Err(refusal) => return Ok(Asked::Print(refusal)),
    };
    Ok(match invocation {
        Invocation::Print(answer) => Asked::Print(answer),
        // There is nobody to ask for a key.
        Invocation::LoginStatus => Asked::Print(command_line.login_status(true)),
        // A stand-in reads no configuration.
        Invocation::McpList { json } => match command_line.mcp_list(json) {
            Some(answer) => Asked::Print(answer),
            None => return Err(not_played("`codex mcp list`")),
        },
        Invocation::FeaturesList => match command_line.features_list() {
            Some(answer) => Asked::Print(answer),
            None => return Err(not_played("`codex features list` of this release")),
        },
        Invocation::Exec(exec) => {
            let text = |text: OsString| text.to_string_lossy().into_owned();
            let (command, resume) = match exec.run.clone() {
                Run::Start => (START, None),
                Run::Resume(Session::Id(id)) => (RESUME, Some(Some(text(id)))),
                Run::Resume(_) => (RESUME, Some(None)),
                Run::Fork(_) => (FORK, None),
                Run::Review => (REVIEW, None),
                _ => return Err(not_played("this command of `codex exec`")),
            };
            let last_message = exec.options.values("output-last-message").last();
            Asked::Exec(Exec {
                target: target(&exec.options).filter(|_| command == REVIEW),
                no_prompt: command_line.no_prompt(exec.prompt == Prompt::Dash),
                command,
                resume,
                json: exec.format() != Format::Text,
                last_message: last_message.map(PathBuf::from),
                cwd: exec.options.value("cd").map(PathBuf::from),
                model: exec
                    .options
                    .value("model")
                    .map(|model| text(model.to_owned())),
                prompt: match exec.prompt {
                    Prompt::Text(prompt) => Some(text(prompt)),
                    // What is reviewed is said by options.
                    Prompt::Absent if command == REVIEW => Some(String::new()),
                    _ => None,
                },
            })
        }
        Invocation::AppServer(app_server) => match app_server.listen {
            Listen::Off => return Err(not_played("an app-server that listens nowhere")),
            listen => Asked::AppServer(listen),
        },
        Invocation::TypeFiles(files) => Asked::TypeFiles(release, files),
        Invocation::Proto(_) => Asked::Proto,
        Invocation::Other(words) => {
            return Err(not_played(&format!("`codex {}`", words.join(" "))));
        }
        _ => return Err(not_played("this use of `codex`")),
    })
}

/// What the options of a review say, as the app-server says it, too.
fn target(options: &Options) -> Option<String> {
    let text = |name: &str| Some(options.value(name)?.to_string_lossy().into_owned());
    if let Some(branch) = text("base") {
        return Some(format!("changes against '{branch}'"));
    }
    if let Some(commit) = text("commit") {
        let short: String = commit.chars().take(7).collect();
        let title = text("title").map_or_else(String::new, |title| format!(": {title}"));
        return Some(format!("commit {short}{title}"));
    }
    options
        .has("uncommitted")
        .then(|| "current changes".to_owned())
}

fn not_played(what: &str) -> Error {
    Error::NotPlayed(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Asked {
        let words = words.split(' ').map(OsString::from);
        parse(Release::new(0, 125, 0), words).expect("it can be played")
    }

    fn exec(words: &str) -> Exec {
        match asked(words) {
            Asked::Exec(exec) => exec,
            _ => panic!("not exec"),
        }
    }

    #[test]
    fn runs_are_read_as_clients_write_them() {
        let plain = exec("exec --json -m gpt-5 hello");
        assert_eq!(plain.prompt.as_deref(), Some("hello"));
        assert!(plain.json && plain.resume.is_none());
        // The SDK for TypeScript writes the prompt to standard input.
        let sdk = exec("exec --experimental-json --cd /x resume some-id");
        assert_eq!(sdk.resume, Some(Some("some-id".to_owned())));
        assert_eq!(sdk.prompt, None);
        assert_eq!(sdk.cwd, Some("/x".into()));
        let review = exec("exec review --uncommitted");
        assert_eq!(
            (review.command, review.prompt.as_deref()),
            (REVIEW, Some(""))
        );
        let commit = exec("review --commit 0123456789 --title Tee");
        assert_eq!(
            (commit.command, commit.target.as_deref()),
            (REVIEW, Some("commit 0123456: Tee"))
        );
        assert!(!commit.json);
        let custom = exec("exec review look");
        assert_eq!(
            (custom.prompt.as_deref(), custom.target),
            (Some("look"), None)
        );
        let last = exec("exec resume --last -o out.txt go");
        assert_eq!(last.resume, Some(None));
        assert_eq!(last.prompt.as_deref(), Some("go"));
        assert_eq!(last.last_message, Some("out.txt".into()));
    }

    #[test]
    fn no_tool_servers_are_listed() {
        for (words, expected) in [
            (
                "mcp list",
                "No MCP servers configured yet. Try `codex mcp add my-tool -- my-command`.\n",
            ),
            ("mcp list --json", "[]\n"),
        ] {
            let Asked::Print(list) = asked(words) else {
                panic!("{words}: no list");
            };
            assert_eq!((list.status, list.stdout.as_str()), (0, expected));
        }
        // There would be a server.
        let refused = |words: &str| {
            let words = words.split(' ').map(OsString::from);
            parse(Release::new(0, 125, 0), words)
                .err()
                .map(|error| error.to_string())
        };
        for words in [
            "-c mcp_servers.a.command=\"b\" mcp list",
            "mcp list --jsn",
            "mcp get a",
        ] {
            assert!(refused(words).is_some(), "{words}");
        }
    }

    #[test]
    fn what_the_release_refuses_is_refused() {
        let Asked::Print(refusal) = asked("app-server --no-such-flag") else {
            panic!("it is accepted");
        };
        assert_eq!(refusal.status, 2);
        assert!(
            refusal
                .stderr
                .contains("unexpected argument '--no-such-flag'")
        );
        let Asked::Print(help) = asked("app-server --help") else {
            panic!("no help");
        };
        assert!(help.stdout.contains("--listen <URL>"), "{}", help.stdout);
    }
}
