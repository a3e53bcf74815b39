//! Finds the command to show when Codex asks the user for approval.

use std::fmt;

use crate::app_server::types::{
    CommandAction, CommandExecutionRequestApprovalParams, ExecCommandApprovalParams, ThreadItem,
};

/// The command an approval is about, for display, and how much of it that is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandText<'a> {
    /// All of it, as text for the shell.
    Whole(&'a str),
    /// What Codex found when it took the command apart: the parts without the shell that runs
    /// them and without what stands between them.
    Parts(Vec<&'a str>),
    /// The words of the rule Codex offers. The command begins with them and may go on, so
    /// showing them as the command would hide what else runs.
    Beginning(&'a [String]),
}

impl fmt::Display for CommandText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandText::Whole(text) => f.write_str(text),
            CommandText::Parts(parts) => f.write_str(&parts.join("; ")),
            CommandText::Beginning(words) => write!(f, "{} …", shell_words(words)),
        }
    }
}

impl CommandExecutionRequestApprovalParams {
    /// The command to show, from the first place that has it: the request itself (from 0.89.0);
    /// the item of the command, which `item/started` brought before the request where the client
    /// kept it; the parts of the command; the words of the offered rule.
    ///
    /// Nothing where none does, as when the approval is about a host on the network alone.
    pub fn command_text<'a>(&'a self, item: Option<&'a ThreadItem>) -> Option<CommandText<'a>> {
        let command = self.command();
        if let Some(command) = command.or_else(|| item.and_then(ThreadItem::command)) {
            return Some(CommandText::Whole(command));
        }
        if let Some(actions) = self.command_actions()
            && let Some(parts) = actions.iter().map(CommandAction::command).collect()
        {
            return Some(CommandText::Parts(parts)).filter(|_| !actions.is_empty());
        }
        let words = self.amendment().filter(|words| !words.is_empty());
        words.map(CommandText::Beginning)
    }
}

impl ExecCommandApprovalParams {
    /// The command to show: its words, quoted as a shell needs them.
    pub fn command_text(&self) -> String {
        shell_words(self.command().unwrap_or_default())
    }
}

impl CommandAction {
    /// The part of the command it is about, unless the kind is unknown.
    pub fn command(&self) -> Option<&str> {
        self.part()
    }
}

/// Words as one line a POSIX shell would take apart into them again.
fn shell_words(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+^".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
