//! Defines facts: what a live stream and a session file both say of a thread, in one form.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use serde_json::Value;

/// How many facts and turns of one thread are kept. A test says how large they are.
const MOST_FACTS: usize = 1 << 17;

/// Outputs longer than this are not compared: Codex shortens them, in a way that differs between the
/// stream and the session file.
const LONGEST_OUTPUT: usize = 8 << 10;

/// A text, by its hash. Two texts with the same hash are taken to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn of(value: &(impl Hash + ?Sized)) -> Self {
        Fingerprint(FixedState::with_seed(0).hash_one(value))
    }

    /// That of a JSON value, whatever the order of its members.
    pub(super) fn of_json(value: &Value) -> Self {
        fn sorted(value: &Value, out: &mut String) {
            match value {
                Value::Object(members) => {
                    let mut names: Vec<&String> = members.keys().collect();
                    names.sort();
                    for name in names {
                        out.push_str(name);
                        out.push('\u{1}');
                        sorted(&members[name], out);
                    }
                    out.push('\u{2}');
                }
                Value::Array(values) => {
                    for value in values {
                        sorted(value, out);
                        out.push('\u{3}');
                    }
                }
                other => out.push_str(&other.to_string()),
            }
        }
        let mut text = String::new();
        sorted(value, &mut text);
        Fingerprint::of(text.as_str())
    }

    /// That of the output of a command, if it is short enough to be whole everywhere.
    pub(super) fn of_output(text: &str) -> Option<Self> {
        (text.len() <= LONGEST_OUTPUT).then(|| Fingerprint::of(text))
    }
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Prompt,
    Message,
    Reasoning,
    Command,
    FileChange,
    McpCall,
    WebSearch,
}

impl Kind {
    pub(super) const ALL: [Kind; 7] = [
        Kind::Prompt,
        Kind::Message,
        Kind::Reasoning,
        Kind::Command,
        Kind::FileChange,
        Kind::McpCall,
        Kind::WebSearch,
    ];

    /// What the exceptions of rules call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Prompt => "user_message",
            Kind::Message => "agent_message",
            Kind::Reasoning => "reasoning",
            Kind::Command => "command_execution",
            Kind::FileChange => "file_change",
            Kind::McpCall => "mcp_tool_call",
            Kind::WebSearch => "web_search",
        }
    }

    /// What findings call it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Kind::Prompt => "user message",
            Kind::Message => "agent message",
            Kind::Reasoning => "line of reasoning",
            Kind::Command => "command",
            Kind::FileChange => "file change",
            Kind::McpCall => "MCP tool call",
            Kind::WebSearch => "web search",
        }
    }

    /// The article before its words.
    pub(super) fn article(self) -> &'static str {
        match self {
            Kind::Message | Kind::McpCall => "an",
            _ => "a",
        }
    }

    /// Whether it is a text, and nothing else.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Kind::Prompt | Kind::Message | Kind::Reasoning)
    }
}

/// How an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Completed,
    Failed,
    Declined,
}

impl Status {
    pub(super) fn read(word: &str) -> Option<Self> {
        match word {
            "completed" => Some(Status::Completed),
            "failed" => Some(Status::Failed),
            "declined" => Some(Status::Declined),
            _ => None,
        }
    }
}

/// What a fact was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An item or event: both sides write it at the same moment.
    Event,
    /// A call of the model, which may have led to nothing. It is written at another moment.
    Call,
}

/// One item of a thread. `None` is what this side does not say.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) kind: Kind,
    pub(super) line: u64,
    pub(super) origin: Origin,
    /// The id of the call, if it is the model's.
    pub(super) id: Option<Fingerprint>,
    /// What it is: the text, the command, the paths, the tool or the query.
    pub(super) what: Option<Fingerprint>,
    pub(super) arguments: Option<Fingerprint>,
    pub(super) status: Option<Status>,
    pub(super) exit_code: Option<i64>,
    pub(super) output: Option<Fingerprint>,
    /// Whether it is a call whose output shows that it was done.
    pub(super) is_done: bool,
}

impl Fact {
    pub(super) fn new(kind: Kind, line: u64, what: Option<Fingerprint>) -> Self {
        Fact {
            kind,
            line,
            origin: Origin::Event,
            id: None,
            what,
            arguments: None,
            status: None,
            exit_code: None,
            output: None,
            is_done: false,
        }
    }

    pub(super) fn text(kind: Kind, line: u64, text: &str) -> Self {
        Fact::new(kind, line, Some(Fingerprint::of(text)))
    }

    /// A summary of reasoning, as one fact for each of its lines: the sides divide it differently.
    pub(super) fn reasoning(line: u64, text: &str) -> impl Iterator<Item = Fact> {
        text.split('\n')
            .map(move |part| Fact::text(Kind::Reasoning, line, part))
    }
}

/// The tokens that a thread used up to some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
    pub(super) reasoning: Option<u64>,
}

impl Usage {
    /// Reads counts, whose names are in snake case or in camel case.
    pub(super) fn read(counts: &Value) -> Option<Self> {
        let count = |snake: &str, camel: &str| {
            let value = counts.get(snake).or_else(|| counts.get(camel));
            value.and_then(Value::as_u64)
        };
        Some(Usage {
            input: count("input_tokens", "inputTokens")?,
            cached: count("cached_input_tokens", "cachedInputTokens")?,
            output: count("output_tokens", "outputTokens")?,
            reasoning: count("reasoning_output_tokens", "reasoningOutputTokens"),
        })
    }

    /// The first count that differs, with the number on each side.
    pub(super) fn difference(&self, other: &Usage) -> Option<(&'static str, u64, u64)> {
        let reasoning = self.reasoning.zip(other.reasoning);
        let pairs = [
            ("input_tokens", Some((self.input, other.input))),
            ("cached_input_tokens", Some((self.cached, other.cached))),
            ("output_tokens", Some((self.output, other.output))),
            ("reasoning_output_tokens", reasoning),
        ];
        pairs.into_iter().find_map(|(name, pair)| {
            let (own, others) = pair?;
            (own != others).then_some((name, own, others))
        })
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Failed,
    Interrupted,
    /// Not interrupted; this side does not say more.
    NotInterrupted,
}

impl End {
    pub(super) fn words(self) -> &'static str {
        match self {
            End::Completed => "completed",
            End::Failed => "failed",
            End::Interrupted => "interrupted",
            End::NotInterrupted => "completed or failed",
        }
    }

    pub(super) fn fits(self, other: End) -> bool {
        let interrupted = |end| end == End::Interrupted;
        match (self, other) {
            (End::NotInterrupted, end) | (end, End::NotInterrupted) => !interrupted(end),
            (one, other) => one == other,
        }
    }
}

/// A turn of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// Its id, if both sides write the same.
    pub(super) id: Option<Fingerprint>,
    /// The line it begins on.
    pub(super) line: u64,
    pub(super) facts: Vec<Fact>,
    /// What the thread had used at the end of the turn, and the line that says so.
    pub(super) usage: Option<(Usage, u64)>,
    /// What it had used before that, newest first.
    pub(super) earlier_usage: [Option<Usage>; 2],
    pub(super) end: Option<(End, u64)>,
    /// Whether the history was shortened in the turn.
    pub(super) has_compaction: bool,
    /// Whether the connection to the model was lost.
    pub(super) has_retry: bool,
    /// Whether this side keeps items, and not only calls.
    pub(super) has_items: bool,
    /// Whether it is several turns, and one of them did not end or was interrupted.
    pub(super) has_interruption: bool,
    /// Whether its prompts and reasoning must be there. `codex exec` does not write prompts, and can be
    /// set to hide reasoning.
    pub(super) has_all_texts: bool,
    /// Whether it is a review, whose items are in the session file of the reviewer.
    pub(super) is_review: bool,
}

impl Turn {
    /// Sets what the thread has used up to that line.
    pub(super) fn count(&mut self, usage: Usage, line: u64) {
        if let Some((before, _)) = self.usage.filter(|(before, _)| *before != usage) {
            self.earlier_usage = [Some(before), self.earlier_usage[0]];
        }
        self.usage = Some((usage, line));
    }
}

/// The turns of one thread on one side.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) turns: Vec<Turn>,
    /// Whether the ids of turns are counted for each connection, and so are not those of the file.
    pub(super) has_local_ids: bool,
    /// Whether prompts and reasoning of its turns must be there.
    pub(super) has_all_texts: bool,
    /// Whether turns of other threads are among them, so that none can be compared.
    pub(super) is_mixed: bool,
    /// Where the turns with ids are.
    indexes: HashMap<Fingerprint, usize>,
    /// How many facts and turns there are.
    kept: usize,
}

impl Thread {
    /// Begins a turn.
    pub(super) fn begin(&mut self, id: Option<Fingerprint>, line: u64) -> &mut Turn {
        if self.is_full() && !self.turns.is_empty() {
            return self.at(self.turns.len() - 1);
        }
        if let Some(id) = id {
            self.indexes.insert(id, self.turns.len());
        }
        self.turns.push(Turn {
            id,
            line,
            has_all_texts: self.has_all_texts,
            ..Turn::default()
        });
        self.at(self.turns.len() - 1)
    }

    fn at(&mut self, index: usize) -> &mut Turn {
        &mut self.turns[index]
    }

    /// The turn that is under way, or one that begins here.
    pub(super) fn last(&mut self, line: u64) -> &mut Turn {
        if self.turns.is_empty() {
            return self.begin(None, line);
        }
        self.at(self.turns.len() - 1)
    }

    /// The turn with that id.
    pub(super) fn of_id(&mut self, id: Fingerprint) -> Option<&mut Turn> {
        let index = *self.indexes.get(&id)?;
        self.turns.get_mut(index)
    }

    /// The turn with that id, or one that begins here.
    pub(super) fn turn(&mut self, id: Option<Fingerprint>, line: u64) -> &mut Turn {
        let Some(known) = id else {
            return self.last(line);
        };
        match self.indexes.get(&known) {
            Some(index) => self.at(*index),
            None => self.begin(id, line),
        }
    }

    /// Adds the turns of another file of the same thread.
    pub(super) fn append(&mut self, other: Thread) {
        self.turns.extend(other.turns);
        self.kept += other.kept;
    }

    /// Whether some facts were not kept.
    pub(super) fn is_cut(&self) -> bool {
        self.kept > MOST_FACTS
    }

    /// Whether there are too many facts to keep one more.
    pub(super) fn is_full(&mut self) -> bool {
        self.kept += 1;
        self.kept > MOST_FACTS
    }
}

/// The text of an array of parts, of which some may not be texts.
pub(super) fn texts(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// A list of texts, as one.
pub(super) fn lines(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(Value::as_str).collect();
    texts.join("\n")
}

/// A command by its script: without the shell that runs it, which the model may have left to Codex.
pub(super) fn script_of(words: &[&str]) -> Fingerprint {
    match words {
        [_, "-lc" | "-c", script] => Fingerprint::of(*script),
        [script] => Fingerprint::of(*script),
        _ => Fingerprint::of(words.join("\u{1}").as_str()),
    }
}

/// A command that is one text, quoted for a shell.
pub(super) fn script_of_text(command: &str) -> Fingerprint {
    match shlex::split(command) {
        Some(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words[..] {
                [_, "-lc" | "-c", _] => script_of(&words),
                _ => Fingerprint::of(words.join("\u{1}").as_str()),
            }
        }
        None => Fingerprint::of(command),
    }
}

/// The words of a command.
pub(super) fn words_of(command: &Value) -> Vec<&str> {
    let words = command.as_array().into_iter().flatten();
    words.filter_map(Value::as_str).collect()
}

/// The changes of a patch: paths, and what happens to the file.
pub(super) fn changes_of<'a>(changes: impl Iterator<Item = (&'a str, &'a str)>) -> Fingerprint {
    let mut sorted: Vec<(&str, &str)> = changes.collect();
    sorted.sort_unstable();
    Fingerprint::of(&sorted)
}

/// A tool of an MCP server. The model knows both by names in which other characters are replaced.
pub(super) fn tool_of(server: &str, tool: &str) -> Fingerprint {
    let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    Fingerprint::of(&(plain(server), plain(tool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `docs/limits.md` says how much memory the facts of a side take.
    #[test]
    fn facts_are_small() {
        let largest = size_of::<Fact>().max(size_of::<Turn>());
        assert!(largest * MOST_FACTS <= 32 << 20, "{largest} bytes");
    }
}
