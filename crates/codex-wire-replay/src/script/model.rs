//! What a script says: the turns, and in each the steps of the model.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;

/// A script: what the model does, for any release.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// The name of the model.
    pub model: String,
    /// The turns, at least one.
    pub turns: Vec<Turn>,
}

impl Script {
    /// The turn at a position. After the last turn, it comes again: a script of one turn answers
    /// every prompt.
    pub fn turn(&self, index: usize) -> &Turn {
        &self.turns[index.min(self.turns.len() - 1)]
    }
}

/// What the model does between a prompt and the end of the turn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A step of the model, and where the script has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// What the model does.
    pub action: Action,
    /// Where the script says so.
    pub place: Place,
}

/// A place in the text of a script. Both numbers begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Place {
    /// Where a byte of a text stands.
    pub(crate) fn at(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
        Place {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }

    /// The error that there is something wrong here.
    pub(crate) fn error(self, message: impl Into<String>) -> Error {
        Error::Script {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }
}

/// What the model does in a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// It writes a message.
    Say(Say),
    /// It thinks.
    Reason(Reason),
    /// It runs a command.
    Run(Run),
    /// It changes files.
    Patch(Patch),
    /// It asks the user.
    Ask(Ask),
    /// It says what it is going to do.
    Plan(Plan),
    /// It searches the web.
    Search(Search),
    /// It calls a tool of an MCP server.
    Call(Call),
    /// It starts another agent.
    Spawn(Spawn),
    /// The connection to the model breaks, and Codex connects again.
    Retry(Retry),
    /// The turn fails.
    Fail(Fail),
    /// Nothing more comes.
    Hang(Hang),
    /// How many tokens the answers of the model cost from here on.
    Usage(Usage),
}

impl Action {
    /// Whether Codex asks the client first.
    pub fn approval(&self) -> Approval {
        match self {
            Action::Run(run) => run.approval,
            Action::Patch(patch) => patch.approval,
            _ => Approval::default(),
        }
    }
}

macro_rules! actions {
    ($($name:literal $variant:ident),* $(,)?) => {
        impl Action {
            /// The names of the actions: the key that each step has.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the action.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Action::$variant(_) => $name),*
                }
            }

            /// Reads the step whose key is `name`.
            pub(crate) fn read<'de, D: serde::Deserializer<'de>>(
                name: &str,
                step: D,
            ) -> Result<Option<Self>, D::Error> {
                Ok(Some(match name {
                    $($name => Action::$variant(Deserialize::deserialize(step)?),)*
                    _ => return Ok(None),
                }))
            }
        }
    };
}

actions! {
    "say" Say,
    "reason" Reason,
    "run" Run,
    "patch" Patch,
    "ask" Ask,
    "plan" Plan,
    "search" Search,
    "call" Call,
    "spawn" Spawn,
    "retry" Retry,
    "fail" Fail,
    "hang" Hang,
    "usage" Usage,
}

/// The model writes a message to the user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Say {
    /// The text. Clients of the app-server get it in deltas.
    pub say: String,
}

/// The model thinks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The summary of what it thinks, or the parts of the summary.
    pub reason: OneOrMore,
}

/// The model runs a command in a shell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The command.
    pub run: String,
    /// What it writes. A text comes when the command has ended; of a list, each part comes as it
    /// is written.
    #[serde(default)]
    pub output: OneOrMore,
    /// The exit code.
    #[serde(default)]
    pub exit: i32,
    /// Whether Codex asks the client first, and which answer alone the script has. `codex exec` has nobody to ask,
    /// and runs it unless it is declined.
    #[serde(default)]
    pub approval: Approval,
}

/// The model changes files.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The patch in the format of Codex: `*** Begin Patch` to `*** End Patch`.
    pub patch: String,
    /// Whether the files cannot be changed.
    #[serde(default)]
    pub fails: bool,
    /// Whether Codex asks the client first, and which answer alone the script has. `codex exec` has nobody to ask,
    /// and changes them unless that is declined.
    #[serde(default)]
    pub approval: Approval,
}

/// Whether Codex asks the client before it does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "`true`, `false`, or one of \"accept\", \"acceptForSession\", \"decline\", \"cancel\""
)]
pub enum Approval {
    /// Whether it asks. The turn goes on with any answer.
    Asks(bool),
    /// It asks, and the turn goes on with this answer only. Any other one ends the session.
    Only(Decision),
}

impl Default for Approval {
    fn default() -> Self {
        Approval::Asks(false)
    }
}

impl Approval {
    /// Whether Codex asks.
    pub fn asks(self) -> bool {
        self != Approval::Asks(false)
    }

    /// The only answer that there is in the script.
    pub fn only(self) -> Option<Decision> {
        match self {
            Approval::Asks(_) => None,
            Approval::Only(decision) => Some(decision),
        }
    }
}

/// What a client says to a request for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Do it.
    Accept,
    /// Do it, and the same for the rest of the session without asking.
    AcceptForSession,
    /// Do not, and go on.
    Decline,
    /// Do not, and interrupt the turn.
    Cancel,
}

impl Decision {
    /// The word in the script.
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Accept => "accept",
            Decision::AcceptForSession => "acceptForSession",
            Decision::Decline => "decline",
            Decision::Cancel => "cancel",
        }
    }

    /// Whether it is to be done.
    pub(crate) fn accepts(self) -> bool {
        matches!(self, Decision::Accept | Decision::AcceptForSession)
    }
}

impl AsRef<str> for Decision {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// The model asks the user a question. `codex exec` has nobody to ask, and writes nothing.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub ask: String,
    /// A word or two above the question.
    #[serde(default = "Ask::default_header")]
    pub header: String,
    /// The answers to choose from.
    #[serde(default)]
    pub options: Vec<Choice>,
}

impl Ask {
    fn default_header() -> String {
        "Question".to_owned()
    }
}

/// An answer to choose.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The answer.
    pub label: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
}

/// The model says what it is going to do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The whole plan, each time that it changes.
    pub plan: Vec<PlanStep>,
    /// Why it changes.
    #[serde(default)]
    pub explanation: Option<String>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// What is to be done.
    pub step: String,
    /// How far it is.
    #[serde(default)]
    pub status: PlanStatus,
}

/// How far a step of a plan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

impl PlanStatus {
    /// The word in the script.
    pub fn as_str(self) -> &'static str {
        match self {
            PlanStatus::Pending => "pending",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Completed => "completed",
        }
    }
}

/// The model searches the web.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// What it searches for.
    pub search: String,
}

/// The model calls a tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The name of the tool.
    pub call: String,
    /// The name of the server.
    #[serde(default = "Call::default_server")]
    pub server: String,
    /// The arguments.
    #[serde(default = "Call::no_arguments")]
    #[cfg_attr(test, schemars(with = "serde_json::Map<String, Value>"))]
    pub arguments: Value,
    /// The text that the tool returns.
    #[serde(default)]
    pub result: String,
    /// Whether the tool says that it failed, with `result` as the reason.
    #[serde(default)]
    pub fails: bool,
}

impl Call {
    fn default_server() -> String {
        "tools".to_owned()
    }

    fn no_arguments() -> Value {
        Value::Object(serde_json::Map::new())
    }
}

/// The model starts another agent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// What the other agent is to do.
    pub spawn: String,
    /// What it answers. The model waits for it; without an answer it does not wait.
    #[serde(default)]
    pub answer: Option<String>,
}

/// The connection to the model breaks, and Codex connects again.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Why it breaks.
    pub retry: String,
    /// Which attempt this is.
    #[serde(default = "Retry::first")]
    pub attempt: u32,
    /// How many attempts Codex makes at most.
    #[serde(default = "Retry::most")]
    pub of: u32,
}

impl Retry {
    fn first() -> u32 {
        1
    }

    fn most() -> u32 {
        5
    }
}

/// The turn fails. No step follows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// The message that the user sees.
    pub fail: String,
    /// The kind of failure: `codexErrorInfo` of the app-server, such as `usageLimitExceeded`.
    #[serde(default = "Fail::other")]
    pub kind: String,
}

impl Fail {
    fn other() -> String {
        "other".to_owned()
    }
}

/// Nothing more comes until the client interrupts the turn or ends the process. No step follows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hang {
    /// Always `true`.
    #[cfg_attr(test, schemars(extend("const" = true)))]
    pub hang: bool,
}

/// How many tokens each answer of the model costs from here on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// The tokens of one answer.
    #[serde(deserialize_with = "Usage::tokens")]
    pub usage: Tokens,
}

impl Usage {
    /// What is left out is a part of what is not, at most all of it.
    fn tokens<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Tokens, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            input: Option<u32>,
            cached: Option<u32>,
            output: Option<u32>,
            reasoning: Option<u32>,
        }
        let given = Given::deserialize(deserializer)?;
        let usual = Tokens::default();
        let input = given.input.unwrap_or(usual.input);
        let output = given.output.unwrap_or(usual.output);
        Ok(Tokens {
            input,
            cached: given.cached.unwrap_or(usual.cached.min(input)),
            output,
            reasoning: given.reasoning.unwrap_or(usual.reasoning.min(output)),
        })
    }
}

/// The tokens of one answer of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Tokens {
    /// What it read.
    pub input: u32,
    /// How many of these were cached.
    pub cached: u32,
    /// What it wrote.
    pub output: u32,
    /// How many of these it thought with.
    pub reasoning: u32,
}

impl Default for Tokens {
    /// Those of the scripted model that drives a real Codex.
    fn default() -> Self {
        Tokens {
            input: 137,
            cached: 21,
            output: 12,
            reasoning: 3,
        }
    }
}

/// A text, or several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a text, or a list of texts")]
pub enum OneOrMore {
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}

impl OneOrMore {
    /// The texts.
    pub fn as_slice(&self) -> &[String] {
        match self {
            OneOrMore::One(text) => std::slice::from_ref(text),
            OneOrMore::More(texts) => texts,
        }
    }
}

impl Default for OneOrMore {
    fn default() -> Self {
        OneOrMore::One(String::new())
    }
}
