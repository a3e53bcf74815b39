//! What a client does differently with a stand-in that plays a script, each with its reason.

use serde_json::Value;

use crate::shown::Shown;
use crate::stage::Seen;

/// A difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference {
    /// The clients that show it.
    pub(crate) clients: &'static [&'static str],
    /// The scenarios of these clients that show it; all of them, if none is named.
    pub(crate) scenarios: &'static [&'static str],
    pub(crate) part: Part,
    /// Why it is there. It stands in the documentation.
    pub(crate) reason: &'static str,
}

/// What differs in what is shown or sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Whether there are messages of this method.
    Message(&'static str),
    /// The value of members of this name.
    Member(&'static str),
    /// In how many pieces a text comes, in members of this name.
    Pieces(&'static str),
}

impl Part {
    /// What differs, in the documentation.
    fn words(self) -> String {
        match self {
            Part::Message(name) => format!("messages `{name}`"),
            Part::Member(name) => format!("`{name}`"),
            Part::Pieces(name) => format!("the pieces of `{name}`"),
        }
    }
}

use Part::{Member, Message, Pieces};

/// All of them.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        clients: &["codex-codes"],
        scenarios: &[],
        part: Message("configWarning"),
        reason: MACHINE,
    },
    Difference {
        clients: &["codex-codes"],
        scenarios: &[],
        part: Message("remoteControl/status/changed"),
        reason: MACHINE,
    },
    Difference {
        clients: &["python-sdk"],
        scenarios: &["thread"],
        part: Member("models"),
        reason: MODELS,
    },
    Difference {
        clients: &["codex-acp", "codex-sdk-python"],
        scenarios: &[],
        part: Member("model"),
        reason: MODELS,
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &[],
        part: Member("availableCommands"),
        reason: "a script has no skills, which the adapter lists among its commands",
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &["prompt"],
        part: Member("error"),
        reason: "releases list their methods in an order of their own when they refuse one",
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &[],
        part: Message("account/read"),
        reason: "a script has no settings: without a provider in them, the adapter asks for the account once more",
    },
    Difference {
        clients: &["python-sdk", "ai-sdk-provider", "codex-sdk-python"],
        scenarios: &[],
        part: Pieces("delta"),
        reason: PIECES,
    },
    Difference {
        clients: &["codex-codes"],
        scenarios: &[],
        part: Pieces("payload"),
        reason: PIECES,
    },
    Difference {
        clients: &["codex-codes"],
        scenarios: &[],
        part: Message("item/reasoning/summaryTextDelta"),
        reason: PIECES,
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &[],
        part: Pieces("text"),
        reason: PIECES,
    },
    Difference {
        clients: &["python-sdk", "codex-codes", "ai-sdk-provider"],
        scenarios: &["streamed", "everything", "server_streamed"],
        part: Member("diff"),
        reason: CONTEXT,
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &[],
        part: Member("newText"),
        reason: CONTEXT,
    },
    Difference {
        clients: &["codex-acp"],
        scenarios: &[],
        part: Member("oldText"),
        reason: CONTEXT,
    },
    Difference {
        clients: &["python-sdk", "codex-codes"],
        scenarios: &["interrupted"],
        part: Message("item/completed"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["python-sdk", "codex-codes"],
        scenarios: &["interrupted"],
        part: Member("items"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["python-sdk", "codex-codes"],
        scenarios: &["interrupted"],
        part: Member("itemsView"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["codex-sdk-python"],
        scenarios: &["server_interrupted"],
        part: Message("item/completed"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["codex-sdk-python"],
        scenarios: &["server_interrupted"],
        part: Member("items"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["codex-sdk-python"],
        scenarios: &["server_interrupted"],
        part: Member("itemsView"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["codex-codes"],
        scenarios: &["interrupted"],
        part: Message("account/rateLimits/updated"),
        reason: BROKEN_OFF,
    },
    Difference {
        clients: &["codex-sdk-python"],
        scenarios: &[],
        part: Member("modelProvider"),
        reason: "a script has no settings",
    },
    Difference {
        clients: &["codex-sdk-python"],
        scenarios: &["server_approved"],
        part: Message("item/commandExecution/outputDelta"),
        reason: "whether an output comes before its command has ended is left to chance",
    },
    Difference {
        clients: &["hermes-agent"],
        scenarios: &["compacted"],
        part: Member("token_usage_last"),
        reason: "after a compaction, Codex estimates the tokens of what it tells the model itself",
    },
];

const MACHINE: &str = "it is about the machine";
const MODELS: &str = "a script does not know the models of a release: its list has one";
const PIECES: &str = "the model decides in which pieces a text comes; a script has it word by word";
const CONTEXT: &str = "a stand-in reads no files: what changes has the lines of the patch alone";
const BROKEN_OFF: &str =
    "a message of a script does not break off: it is complete before the model hangs";

/// The table of the documentation: a row for each reason.
pub(crate) fn table() -> String {
    let mut rows: Vec<(&str, Vec<String>, Vec<&str>)> = Vec::new();
    for difference in DIFFERENCES {
        let at = rows.iter().position(|row| row.0 == difference.reason);
        let at = at.unwrap_or_else(|| {
            rows.push((difference.reason, Vec::new(), Vec::new()));
            rows.len() - 1
        });
        let words = difference.part.words();
        if !rows[at].1.contains(&words) {
            rows[at].1.push(words);
        }
        for client in difference.clients {
            if !rows[at].2.contains(client) {
                rows[at].2.push(client);
            }
        }
    }
    let mut table = String::from("| what differs | shown by | why |\n|---|---|---|\n");
    for (reason, parts, clients) in rows {
        let (parts, clients) = (parts.join(", "), clients.join(", "));
        table += &format!("| {parts} | {clients} | {reason} |\n");
    }
    table
}

/// What a client did, without what is known to differ.
pub(crate) fn leave_out(client: &str, scenario: &str, seen: Seen) -> Seen {
    let known = |difference: &&Difference| {
        let scenarios = difference.scenarios;
        difference.clients.contains(&client)
            && (scenarios.is_empty() || scenarios.contains(&scenario))
    };
    let without = |mut shown: Shown| {
        for difference in DIFFERENCES.iter().filter(known) {
            shown = shown.changed(|lines| match difference.part {
                Message(method) => lines.retain(|line| !has_method(line, method)),
                Member(name) => lines.iter_mut().for_each(|line| cover(line, name)),
                Pieces(name) => join(lines, name),
            });
        }
        shown
    };
    Seen {
        shown: without(seen.shown),
        sent: without(seen.sent),
        ..seen
    }
}

/// Whether a line shows a message of this method.
fn has_method(line: &Value, method: &str) -> bool {
    let mut members = line.as_object().into_iter().flatten();
    members.any(|(_, shown)| shown.get("method").is_some_and(|found| found == method))
}

/// Makes one line of those that follow each other and differ in a text of this name alone.
fn join(lines: &mut Vec<Value>, name: &str) {
    let mut joined: Vec<Value> = Vec::new();
    for line in std::mem::take(lines) {
        let place = place_of(&line, name);
        match (place, joined.last_mut()) {
            (Some(place), Some(last)) if without(last, &place) == without(&line, &place) => {
                let text = |value: &Value| {
                    let text = value.pointer(&place).and_then(Value::as_str);
                    text.unwrap_or_default().to_owned()
                };
                let whole = text(last) + &text(&line);
                if let Some(value) = last.pointer_mut(&place) {
                    *value = whole.into();
                }
            }
            _ => joined.push(line),
        }
    }
    *lines = joined;
}

/// Where the first text of this name is.
fn place_of(value: &Value, name: &str) -> Option<String> {
    let mut members = value.as_object()?.iter();
    members.find_map(|(key, value)| match value {
        Value::String(_) if key == name => Some(format!("/{key}")),
        value => Some(format!("/{key}{}", place_of(value, name)?)),
    })
}

/// A line without the text at a place.
fn without(line: &Value, place: &str) -> Value {
    let mut line = line.clone();
    if let Some(text) = line.pointer_mut(place) {
        *text = Value::Null;
    }
    line
}

/// Covers the values of all members of this name.
fn cover(value: &mut Value, name: &str) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| cover(value, name)),
        Value::Object(members) => {
            for (key, value) in members {
                match key == name {
                    true => *value = "<differs>".into(),
                    false => cover(value, name),
                }
            }
        }
        _ => {}
    }
}
