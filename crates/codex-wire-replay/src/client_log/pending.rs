//! What Codex has asked a client, until it is answered.

use serde_json::Value;

use super::event::{Answer, ApprovalKind, Approved, ClientAction};
use crate::script::decision::Answered;

/// A request of Codex that the client has not answered.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Approval {
        kind: ApprovalKind,
        command: Option<String>,
        files: Option<Vec<String>>,
    },
    /// Questions, each with its id.
    Questions(Vec<(String, String)>),
}

impl Pending {
    pub(super) fn command(command: Option<String>) -> Self {
        Pending::Approval {
            kind: ApprovalKind::Command,
            command,
            files: None,
        }
    }

    pub(super) fn patch(files: Vec<String>) -> Self {
        Pending::Approval {
            kind: ApprovalKind::Patch,
            command: None,
            files: Some(files),
        }
    }

    /// What the client said to the request or event of that name. Nothing if that is an error.
    pub(super) fn answered(self, asked: &str, result: Option<&Value>) -> Vec<ClientAction> {
        match self {
            Pending::Approval {
                kind,
                command,
                files,
            } => vec![ClientAction::Approval(Approved {
                kind,
                command,
                files,
                decision: Answered::of(asked, result).word,
            })],
            Pending::Questions(questions) => {
                let given = result.map(|result| &result["answers"]);
                let answers = questions.into_iter().map(|(id, question)| {
                    let answers = given.map(|given| texts(&given[&id]["answers"]));
                    ClientAction::Answer(Answer {
                        question,
                        answers: answers.unwrap_or_default(),
                    })
                });
                answers.collect()
            }
        }
    }
}

/// The texts of a list.
pub(super) fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    let texts = texts.filter_map(|text| text.as_str().map(str::to_owned));
    texts.collect()
}

/// A command without the shell that runs it, whether it is a text or a list of words.
pub(super) fn bare(command: &Value) -> Option<String> {
    let words = match command {
        Value::String(text) => shlex::split(text).unwrap_or_default(),
        words => texts(words),
    };
    if let [_, .., flag, command] = words.as_slice()
        && matches!(flag.as_str(), "-c" | "-lc" | "-Command" | "/c")
    {
        return Some(command.clone());
    }
    match command {
        Value::String(text) => Some(text.clone()),
        // A word with a zero byte is not a word of a command.
        _ if words.is_empty() => None,
        _ => shlex::try_join(words.iter().map(String::as_str)).ok(),
    }
}

/// A path as a patch names it: relative to the innermost working directory, if it is in one.
pub(super) fn relative(path: &str, directories: &[String]) -> String {
    let below = directories.iter().filter_map(|directory| {
        let directory = directory.trim_end_matches(['/', '\\']);
        let below = path
            .strip_prefix(directory)
            .filter(|_| !directory.is_empty());
        below?.strip_prefix(['/', '\\'])
    });
    let shortest = below.min_by_key(|below| below.len());
    shortest.unwrap_or(path).to_owned()
}
