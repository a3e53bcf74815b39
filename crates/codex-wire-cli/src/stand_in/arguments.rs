//! What a client asks of `codex` with its arguments.
//!
//! Everything that depends on the release is decided here, so that the rest knows no argument.

use std::ffi::OsString;
use std::path::PathBuf;

use codex_wire_base::Release;

/// What a client asks.
pub(super) enum Asked {
    /// To print something and exit.
    Print(Answer),
    Exec(Exec),
    AppServer,
    Proto,
}

/// What is printed before an exit.
pub(super) struct Answer {
    pub(super) status: u8,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A run of `codex exec`.
pub(super) struct Exec {
    /// The prompt; `None` if it comes from standard input.
    pub(super) prompt: Option<String>,
    /// Whether a thread is resumed, and which one; the last if none is named.
    pub(super) resume: Option<Option<String>>,
    /// Whether lines are printed rather than text.
    pub(super) json: bool,
    /// Where the last message is written.
    pub(super) last_message: Option<PathBuf>,
}

/// Options of `codex` that take a value.
const WITH_VALUE: &[&str] = &[
    "-c",
    "--config",
    "-m",
    "--model",
    "-p",
    "--profile",
    "-s",
    "--sandbox",
    "-C",
    "--cd",
    "-a",
    "--ask-for-approval",
    "-i",
    "--image",
    "-o",
    "--output-last-message",
    "--output-schema",
    "--add-dir",
    "--color",
    "--enable",
    "--disable",
    "--local-provider",
    "--listen",
];

/// Reads the arguments, without the name of the program.
pub(super) fn parse(release: Release, arguments: impl Iterator<Item = OsString>) -> Asked {
    let mut words: Vec<String> = Vec::new();
    let mut flags: Vec<String> = Vec::new();
    let mut last_message = None;
    let mut arguments = arguments.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = arguments.next() {
        if word == "--" {
            words.extend(arguments.by_ref());
        } else if word.starts_with('-') && word != "-" {
            let (name, mut value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word.clone(), None),
            };
            if value.is_none() && WITH_VALUE.contains(&name.as_str()) {
                value = arguments.next();
            }
            if matches!(name.as_str(), "-o" | "--output-last-message") {
                last_message = value.map(PathBuf::from);
            }
            flags.push(name);
        } else {
            words.push(word);
        }
    }
    let has = |names: &[&str]| flags.iter().any(|flag| names.contains(&flag.as_str()));
    if has(&["-V", "--version"]) {
        // The program has had two names.
        return print(0, &format!("codex-cli {release}\n"), "");
    }
    match words.first().map(String::as_str) {
        Some("exec" | "e") => {
            let mut rest = words[1..].iter().cloned();
            let first = rest.next();
            let is_resume = first.as_deref() == Some("resume");
            let (resume, prompt) = match is_resume {
                true if has(&["--last"]) => (Some(None), rest.next()),
                true => (Some(rest.next()), rest.next()),
                false => (None, first),
            };
            Asked::Exec(Exec {
                prompt: prompt.filter(|prompt| prompt != "-"),
                resume,
                json: has(&["--json", "--experimental-json"]),
                last_message,
            })
        }
        Some("app-server") if has(&["-h", "--help"]) => {
            print(0, "Usage: codex app-server [OPTIONS] [COMMAND]\n", "")
        }
        Some("app-server") => Asked::AppServer,
        Some("proto") => Asked::Proto,
        // Codex says this on standard error.
        Some("login") if words.get(1).is_some_and(|word| word == "status") => {
            print(0, "", "Logged in using an API key\n")
        }
        Some(other) => print(
            2,
            "",
            &format!("error: unrecognized subcommand '{other}'\n"),
        ),
        None => print(1, "", "Error: stdin is not a terminal\n"),
    }
}

fn print(status: u8, stdout: &str, stderr: &str) -> Asked {
    Asked::Print(Answer {
        status,
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exec(words: &str) -> Exec {
        let words = words.split(' ').map(OsString::from);
        match parse(Release::new(0, 125, 0), words) {
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
        let last = exec("exec resume --last -o out.txt go");
        assert_eq!(last.resume, Some(None));
        assert_eq!(last.prompt.as_deref(), Some("go"));
        assert_eq!(last.last_message, Some("out.txt".into()));
    }
}
