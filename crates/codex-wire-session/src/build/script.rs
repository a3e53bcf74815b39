//! What a command runs, without the call of a shell around it.

use crate::model::Command;

/// Shells that Codex gives a script to.
const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];

/// A command from its words.
pub(crate) fn of_words(words: Vec<String>) -> Command {
    let command = match script(&words) {
        Some(script) => script.to_owned(),
        None => line(&words),
    };
    Command {
        command,
        argv: Some(words),
        ..Command::default()
    }
}

/// A command from one line, in which the words are quoted as a shell reads them.
pub(crate) fn of_line(line: &str) -> Command {
    let words = shlex::split(line);
    // Words that are quoted in another way than Codex quotes them are not what Codex ran.
    let words = words.filter(|words| script(words).is_some());
    match words {
        Some(words) => of_words(words),
        None => Command {
            command: line.to_owned(),
            ..Command::default()
        },
    }
}

/// The script that these words give a shell.
fn script(words: &[String]) -> Option<&str> {
    let [shell, flag, script] = words else {
        return None;
    };
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let is_shell = SHELLS.contains(&name) && ["-c", "-lc"].contains(&flag.as_str());
    is_shell.then_some(script)
}

/// Words as one line, quoted as Codex does it: with the same crate.
fn line(words: &[String]) -> String {
    let quoted = shlex::try_join(words.iter().map(String::as_str));
    // A NUL cannot be quoted.
    quoted.unwrap_or_else(|_| words.join(" "))
}
