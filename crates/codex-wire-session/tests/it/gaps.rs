//! What a surface cannot know, so that the same run differs.

use std::fmt;

use codex_wire_base::Release;
use codex_wire_session::{Tokens, TurnStatus};

/// Where a stream comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surface {
    Exec,
    AppServer,
    File,
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Surface::Exec => "`codex exec`",
            Surface::AppServer => "app-server",
            Surface::File => "session file",
        })
    }
}

/// Which of the two says something that the other does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Stream,
    File,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Turns,
    Status,
    Tokens,
    Prompt,
    Answer,
    Letter,
    Context,
    Reasoning,
    Command,
    Patch,
    McpCall,
    ToolCall,
    WebSearch,
    Plan,
    TodoList,
    Image,
    Compaction,
    Review,
    Approval,
    SubAgent,
    Error,
    Warning,
    HookRun,
    Other,
}

/// An item as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// It has not ended.
    pub(crate) is_open: bool,
    pub(crate) side: Side,
}

impl Fact {
    pub(crate) fn is_same(&self, other: &Fact) -> bool {
        self.kind == other.kind && self.text == other.text
    }
}

/// Something that one of the two says, and the other does not.
#[derive(Clone)]
pub(crate) struct Difference {
    pub(crate) release: Release,
    pub(crate) scenario: String,
    pub(crate) has_exec: bool,
    pub(crate) has_app_server: bool,
    pub(crate) kind: Kind,
    pub(crate) side: Side,
    pub(crate) text: String,
    pub(crate) is_open: bool,
    /// The statuses of the turn: the stream's and the file's.
    pub(crate) statuses: Option<(TurnStatus, TurnStatus)>,
    /// The tokens of the turn: the stream's and the file's.
    pub(crate) tokens: Option<(Tokens, Tokens)>,
    /// What the other says of this kind that this one does not.
    pub(crate) other: Vec<String>,
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            kind, side, text, ..
        } = self;
        let from = match (self.has_exec, self.has_app_server) {
            (true, false) => "exec",
            (false, true) => "app-server",
            _ => "both",
        };
        write!(f, "{from} {side:?} {kind:?} {text:.160}")?;
        if self.is_open {
            f.write_str(" (open)")?;
        }
        if !self.other.is_empty() {
            write!(f, " <> {:.200}", format!("{:?}", self.other))?;
        }
        Ok(())
    }
}

/// Something that a surface cannot know.
pub(crate) struct Gap {
    /// Which; none for what is the same, said in another way.
    pub(crate) unknown_to: Option<Surface>,
    /// What.
    pub(crate) what: &'static str,
    /// In which releases.
    pub(crate) releases: &'static str,
    pub(crate) covers: fn(&Difference) -> bool,
}

impl Difference {
    /// The file says it, and the stream does not.
    fn only_file(&self, kinds: &[Kind]) -> bool {
        self.side == Side::File && kinds.contains(&self.kind)
    }

    /// The stream says it, and the file does not.
    fn only_stream(&self, kinds: &[Kind]) -> bool {
        self.side == Side::Stream && kinds.contains(&self.kind)
    }

    /// The other says the same of this item, except for what stands behind these words.
    fn other_begins(&self, words: &str) -> bool {
        self.other.iter().any(|other| other.starts_with(words))
    }

    fn is(&self, scenarios: &[&str]) -> bool {
        scenarios.contains(&&*self.scenario)
    }

    fn until(&self, minor: u32) -> bool {
        self.release < Release::new(0, minor + 1, 0)
    }
}

/// The first words of a text: a command without its end, a call without its status.
fn first(text: &str, words: usize) -> String {
    let words: Vec<&str> = text.split(' ').take(words).collect();
    words.join(" ")
}

fn counts(tokens: Tokens) -> [u64; 3] {
    [tokens.input, tokens.cached_input, tokens.output]
}

pub(crate) const GAPS: &[Gap] = &[
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "what the user said",
        releases: "since 0.42.0",
        covers: |d| d.has_exec && d.only_file(&[Kind::Prompt]),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "calls of tools that are neither commands, patches, searches nor MCP: goals, images, questions, tools \
               that do not exist",
        releases: "all",
        covers: |d| d.has_exec && d.only_file(&[Kind::ToolCall, Kind::Image]),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "that the history was summed up, except for a warning in some releases",
        releases: "all",
        covers: |d| d.has_exec && d.only_file(&[Kind::Compaction]),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "that a review begins and ends",
        releases: "all",
        covers: |d| d.has_exec && d.only_file(&[Kind::Review]),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "what other agents write to this one, and some of what it does with them",
        releases: "all",
        covers: |d| d.has_exec && d.only_file(&[Kind::Letter, Kind::SubAgent]),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "that a turn was interrupted: the stream ends",
        releases: "all",
        covers: |d| {
            d.has_exec
                && d.statuses.is_some_and(|(stream, file)| {
                    let is_cut = matches!(stream, TurnStatus::Unfinished | TurnStatus::Unmarked);
                    is_cut && matches!(file, TurnStatus::Interrupted | TurnStatus::Unmarked)
                })
        },
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "the tokens of a turn that failed or did not end",
        releases: "all",
        covers: |d| d.has_exec && d.tokens.is_some_and(|(stream, _)| stream.is_zero()),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "tokens of reasoning up to 0.124.0, those written to the cache up to 0.144.6, and the total",
        releases: "all",
        covers: |d| d.has_exec && d.tokens.is_some_and(|(a, b)| counts(a) == counts(b)),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "the tokens of one turn of a resumed thread: it counts since the thread began",
        releases: "since 0.80.0",
        covers: |d| {
            let is_resumed = d.is(&[
                "resume",
                "i_paginated",
                "compressed",
                "fork",
                "tui",
                "auto_compact",
            ]);
            d.has_exec && is_resumed && d.kind == Kind::Tokens && !d.until(79)
        },
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "some searches: that of a page is not printed, or under other words",
        releases: "0.63.0 to 0.88.0",
        covers: |d| d.has_exec && d.only_file(&[Kind::WebSearch]) && d.until(88),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "the arguments of MCP calls",
        releases: "up to 0.50.0",
        covers: |d| d.has_exec && d.kind == Kind::McpCall && d.until(60),
    },
    Gap {
        unknown_to: Some(Surface::AppServer),
        what: "calls of tools that it has no items for: goals, questions, tools that do not exist",
        releases: "all",
        covers: |d| d.has_app_server && d.only_file(&[Kind::ToolCall]),
    },
    Gap {
        unknown_to: Some(Surface::AppServer),
        what: "tokens",
        releases: "up to 0.63.0",
        covers: |d| d.has_app_server && d.kind == Kind::Tokens && d.until(63),
    },
    Gap {
        unknown_to: Some(Surface::AppServer),
        what: "that a review begins",
        releases: "up to 0.63.0",
        covers: |d| d.has_app_server && d.only_file(&[Kind::Review]) && d.until(63),
    },
    Gap {
        unknown_to: Some(Surface::AppServer),
        what: "a patch that was declined, except for the request",
        releases: "up to 0.44.0",
        covers: |d| {
            let is_declined = d.text.starts_with("Some(Declined)");
            d.has_app_server && d.only_file(&[Kind::Patch]) && is_declined && d.until(44)
        },
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "approvals",
        releases: "all",
        covers: |d| d.only_stream(&[Kind::Approval]),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "warnings, and errors that Codex got over",
        releases: "all",
        covers: |d| d.only_stream(&[Kind::Warning, Kind::Error, Kind::HookRun]),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "the end of a turn",
        releases: "up to 0.98.0",
        covers: |d| {
            d.statuses
                .is_some_and(|(_, file)| file == TurnStatus::Unmarked)
                && d.until(99)
        },
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "that a turn failed",
        releases: "up to 0.144.6",
        covers: |d| d.until(144) && d.statuses == Some((TurnStatus::Failed, TurnStatus::Completed)),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "an answer that was cut off",
        releases: "all",
        covers: |d| {
            d.only_stream(&[Kind::Answer]) && d.is(&["i_turns", "i_paginated", "interrupted"])
        },
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "what a reviewer does: it has a file of its own",
        releases: "all",
        covers: |d| {
            d.is(&["review", "i_review"])
                && (d.only_stream(&[Kind::Command, Kind::Answer, Kind::Reasoning])
                    || d.kind == Kind::Tokens && d.until(72))
        },
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "commands of the user",
        releases: "up to 0.150.1",
        covers: |d| {
            d.only_stream(&[Kind::Command]) && d.text.contains("user shell") && d.until(150)
        },
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "whether a call of an MCP tool failed",
        releases: "up to 0.128.0",
        covers: |d| d.kind == Kind::McpCall && d.until(128) && d.other_begins(&first(&d.text, 2)),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "how a command ended that was stopped, and what it had written",
        releases: "all",
        covers: |d| {
            d.kind == Kind::Command
                && d.is(&["killed", "interrupted", "i_turns", "i_paginated"])
                && (d.is_open || d.other_begins(&first(&d.text, 3)))
        },
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "patches that fail before they change a file",
        releases: "all",
        covers: |d| d.only_file(&[Kind::Patch]) && d.text.starts_with("Some(Failed)"),
    },
    Gap {
        unknown_to: Some(Surface::Exec),
        what: "which turns are those of sub-agents",
        releases: "0.94.0 to 0.111.0",
        covers: |d| d.has_exec && d.kind == Kind::Turns && d.is(&["collab"]) && d.until(111),
    },
    Gap {
        unknown_to: Some(Surface::AppServer),
        what: "a command that the policy rejects before it runs",
        releases: "all",
        covers: |d| d.only_file(&[Kind::Command]) && d.text.contains("reject command"),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "that a compaction is a turn of its own",
        releases: "up to 0.98.0",
        covers: |d| d.kind == Kind::Turns && d.is(&["i_compact"]) && d.until(99),
    },
    Gap {
        unknown_to: Some(Surface::File),
        what: "searches of the web",
        releases: "up to 0.60.1",
        covers: |d| d.only_stream(&[Kind::WebSearch]) && d.until(60),
    },
    Gap {
        unknown_to: None,
        what: "what Codex tells the model stands in session files only",
        releases: "all",
        covers: |d| d.only_file(&[Kind::Context]),
    },
    Gap {
        unknown_to: None,
        what: "a section of reasoning is an item of its own",
        releases: "up to 0.116.0",
        covers: |d| {
            let is_part = |other: &String| other.contains(&d.text) || d.text.contains(&**other);
            d.kind == Kind::Reasoning && d.other.iter().any(is_part) && d.until(116)
        },
    },
];
