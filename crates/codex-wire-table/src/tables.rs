//! The tables and their columns.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};

use crate::cells::Cell;
use crate::column::{Column, ColumnType};
use crate::error::Error;

/// The version of the tables. It rises when a column goes away or means something else.
pub const VERSION: u32 = 1;

/// The columns with which each table begins.
const FIRST: &[Column] = &[
    Column::new(
        "path",
        ColumnType::Text,
        "The name of the transcript: its path, `ARCHIVE!MEMBER` in an archive, or what the frame calls it.",
    ),
    Column::new(
        "digest",
        ColumnType::Text,
        "SHA-256 of the transcript, unpacked, in hexadecimal. Null if its bytes could not be read.",
    ),
];

/// The columns with which each table ends; in Parquet they are the names of the folders.
const LAST: &[Column] = &[
    Column::new(
        "day",
        ColumnType::Day,
        "The day in UTC on which the transcript begins: by its first turn with a time, else by the thread, else by the id of the thread, which holds the time at which it was made (a UUID of version 7). Null if nothing says it.",
    ),
    Column::new(
        "protocol",
        ColumnType::Text,
        "`exec`, `core`, `app-server`, `rollout` (session files), `hooks` or `notify`. Null if nothing shows it.",
    ),
];

/// A row of a table.
pub(crate) trait Row {
    const TABLE: Table;
    const COLUMNS: &'static [Column];

    /// Hands out the cells in the order of the columns.
    fn cells(&self, add: &mut dyn FnMut(Cell<'_>));
}

macro_rules! cell_type {
    (Text, $life:lifetime) => { Option<&$life str> };
    (Content, $life:lifetime) => { Option<&$life str> };
    (Count, $life:lifetime) => { Option<u64> };
    (Number, $life:lifetime) => { Option<i64> };
    (Flag, $life:lifetime) => { Option<bool> };
    (Moment, $life:lifetime) => { Option<codex_wire_session::Time> };
    (Names, $life:lifetime) => { Option<&$life [&$life str]> };
}

/// Declares a row and the columns of its table, so that they cannot differ.
macro_rules! row {
    ($(#[$attribute:meta])* $row:ident of $table:ident { $($name:ident: $kind:ident = $about:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Default)]
        pub(crate) struct $row<'a> {
            $(pub(crate) $name: cell_type!($kind, 'a),)*
        }

        impl Row for $row<'_> {
            const TABLE: Table = Table::$table;
            const COLUMNS: &'static [Column] =
                &[$(Column::new(stringify!($name), ColumnType::$kind, $about)),*];

            fn cells(&self, add: &mut dyn FnMut(Cell<'_>)) {
                $(add(Cell::$kind(self.$name));)*
            }
        }
    };
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Table {
    /// A row for each input, also for one that could not be read.
    Transcripts,
    /// A row for each thread.
    Threads,
    /// A row for each turn.
    Turns,
    /// A row for each item: what happened in a turn, or outside of turns.
    Items,
    /// A row for each command that ran.
    Commands,
    /// A row for each call of a tool, commands and patches included.
    Tools,
    /// A row for each count of tokens.
    Usage,
    /// A row for each finding of a check with default options.
    Findings,
}

impl Table {
    /// All tables.
    pub const ALL: &'static [Table] = &[
        Table::Transcripts,
        Table::Threads,
        Table::Turns,
        Table::Items,
        Table::Commands,
        Table::Tools,
        Table::Usage,
        Table::Findings,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Table::Transcripts => "transcripts",
            Table::Threads => "threads",
            Table::Turns => "turns",
            Table::Items => "items",
            Table::Commands => "commands",
            Table::Tools => "tools",
            Table::Usage => "usage",
            Table::Findings => "findings",
        }
    }

    /// What a row of it is.
    pub fn about(self) -> &'static str {
        match self {
            Table::Transcripts => "A row for each input, also for one that could not be read.",
            Table::Threads => "A row for each thread of a transcript.",
            Table::Turns => "A row for each turn of a thread.",
            Table::Items => "A row for each item: what happened in a turn, or outside of turns.",
            Table::Commands => "A row for each command that ran.",
            Table::Tools => {
                "A row for each call of a tool by the model, commands and patches included."
            }
            Table::Usage => {
                "A row for each count of tokens: of a response of the model, or where the source has only a sum of several, of those."
            }
            Table::Findings => {
                "A row for each finding of `codex-wire check` with default options: at most 1,000 of a transcript, whose row counts all."
            }
        }
    }

    /// Its columns, in their order.
    pub fn columns(self) -> impl Iterator<Item = &'static Column> {
        let own = match self {
            Table::Transcripts => TranscriptRow::COLUMNS,
            Table::Threads => ThreadRow::COLUMNS,
            Table::Turns => TurnRow::COLUMNS,
            Table::Items => ItemRow::COLUMNS,
            Table::Commands => CommandRow::COLUMNS,
            Table::Tools => ToolRow::COLUMNS,
            Table::Usage => UsageRow::COLUMNS,
            Table::Findings => FindingRow::COLUMNS,
        };
        FIRST.iter().chain(own).chain(LAST)
    }

    /// Its schema of Arrow, with the name and the version of the table.
    pub fn schema(self) -> SchemaRef {
        let fields: Vec<_> = self.columns().map(Column::field).collect();
        let about = [
            ("codex_wire.table".to_owned(), self.as_str().to_owned()),
            ("codex_wire.version".to_owned(), VERSION.to_string()),
        ];
        Arc::new(Schema::new(fields).with_metadata(about))
    }

    /// How many columns of the end are the names of folders in Parquet.
    pub(crate) const FOLDERS: usize = LAST.len();
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Table {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Table::ALL.iter().find(|table| table.as_str() == name);
        found
            .copied()
            .ok_or_else(|| Error::NoTable(name.to_owned()))
    }
}

row! {
    TranscriptRow of Transcripts {
        bytes: Count = "How many bytes it has, unpacked.",
        verdict: Text = "`conforms`, `findings` (one at least is an error), `not-exercised` (it has no messages) or `unreadable`.",
        error: Text = "Why it could not be read, or why its session was not read to the end.",
        release_min: Text = "The oldest release of Codex that could have written it.",
        release_max: Text = "The newest release of Codex that could have written it.",
        lines: Count = "How many lines it has.",
        messages: Count = "How many messages it has.",
        unread_lines: Count = "How many lines hold no message.",
        errors: Count = "How many findings are errors.",
        warnings: Count = "How many findings are warnings.",
        notes: Count = "How many findings are notes.",
        threads: Count = "How many threads it has. Null where the protocol has no sessions.",
        turns: Count = "How many turns it has, copied ones included.",
        started_at: Moment = "When the first of its own turns began.",
        ended_at: Moment = "When the last of its own turns ended, or its last line was written.",
    }
}

row! {
    ThreadRow of Threads {
        thread: Text = "The id of the thread.",
        thread_number: Count = "Its number in the transcript, from 0.",
        name: Content = "The name that somebody gave it.",
        created_at: Moment = "When it began.",
        release: Text = "The release of Codex that made it.",
        client: Text = "The client that made it, such as `codex_exec`.",
        model_provider: Text = "The provider of the model.",
        cwd: Text = "The working folder at the beginning.",
        git_commit: Text = "The commit that was checked out.",
        git_branch: Text = "The branch.",
        git_origin: Content = "The address of `origin`, which may hold a password.",
        root: Text = "The first thread of its tree, as far as is known: as the source says, else its parent, else itself.",
        forked_from: Text = "The thread that it is a fork of.",
        parent: Text = "The thread that started it as a sub-agent.",
        is_sub_agent: Flag = "Whether it is a sub-agent, a reviewer included.",
        is_review: Flag = "Whether it is the work of a reviewer.",
        nickname: Text = "The name of the sub-agent for people.",
        agent_path: Text = "The place of the sub-agent among the agents, such as `/root/kid_one`.",
        continues: Text = "The thread of the session file that this one goes on from.",
        copies_are_guessed: Flag = "Whether times alone say which turns were copied from the parent, so that it may be wrong.",
        rolled_back_from: Count = "The number of the first turn that the user took back when its row was written already.",
        turns: Count = "How many turns it has, copied ones included.",
        input_tokens: Count = "Tokens sent to the model, cached ones included, without copied turns. Null if nothing was counted.",
        cached_input_tokens: Count = "Those of the input that were read from the cache.",
        cache_write_input_tokens: Count = "Those of the input that were written to the cache.",
        output_tokens: Count = "Tokens written by the model, reasoning included.",
        reasoning_output_tokens: Count = "Those of the output that were reasoning.",
        total_tokens: Count = "All tokens, as the provider counts.",
        reported_total_tokens: Count = "The last total that Codex reported, which may include what other transcripts hold.",
        context_window: Count = "How many tokens the model takes at once.",
    }
}

row! {
    TurnRow of Turns {
        thread: Text = "The id of its thread.",
        thread_number: Count = "The number of the thread in the transcript, from 0.",
        turn: Text = "The id of the turn. `codex exec` names none.",
        turn_number: Count = "Its number in the thread, from 0.",
        root_turn: Text = "The turn of the root thread that it serves.",
        first_line: Count = "Its first line.",
        last_line: Count = "Its last line.",
        started_at: Moment = "When it began.",
        ended_at: Moment = "When it ended, or its last line was written.",
        duration_ms: Count = "How long it took in milliseconds: as Codex says, else from its beginning to its end.",
        status: Text = "`completed`, `failed`, `interrupted`, `unfinished` (it did not end) or `unmarked` (the release marks no ends).",
        error_kind: Text = "The kind of error of a turn that failed, as the protocol names it.",
        error: Text = "What Codex says of the error.",
        model: Text = "The model.",
        effort: Text = "The effort of reasoning. Null if it is the default.",
        cwd: Text = "The working folder.",
        approval_policy: Text = "When a person has to approve what runs.",
        sandbox_policy: Text = "What commands may touch, such as `workspace-write`.",
        mode: Text = "How the agent works with the user: `default` or `plan`.",
        release: Text = "The release of Codex that made the thread.",
        items: Count = "How many items it has.",
        commands: Count = "How many of them are commands.",
        tool_calls: Count = "How many of them are calls of tools, commands and patches included.",
        failed_calls: Count = "How many calls of tools failed.",
        responses: Count = "How many counts of tokens it has.",
        retries: Count = "How often Codex asked the model again after an error.",
        is_copied: Flag = "Whether it is history of another thread, which a fork copied into this file: its tokens count there.",
        is_rolled_back: Flag = "Whether the user took it back.",
        is_cumulative: Flag = "Whether its tokens go back to the beginning of the thread, so that they may hold those of earlier runs.",
        input_tokens: Count = "Tokens sent to the model, cached ones included. Null if nothing was counted.",
        cached_input_tokens: Count = "Those of the input that were read from the cache.",
        cache_write_input_tokens: Count = "Those of the input that were written to the cache.",
        output_tokens: Count = "Tokens written by the model, reasoning included.",
        reasoning_output_tokens: Count = "Those of the output that were reasoning.",
        total_tokens: Count = "All tokens, as the provider counts.",
        prompt: Content = "The first thing that the user said.",
        answer: Content = "The last thing that the agent said.",
    }
}

row! {
    ItemRow of Items {
        thread: Text = "The id of its thread.",
        thread_number: Count = "The number of the thread in the transcript, from 0.",
        turn_number: Count = "The number of its turn in the thread, from 0. Null outside of turns.",
        item_number: Count = "Its number in the turn, or outside of turns, from 0.",
        item: Text = "Its id.",
        item_type: Text = "What it is: `message`, `reasoning`, `command`, `patch`, `mcp_call`, `tool_call`, `web_search`, `plan`, `todo_list`, `image`, `compaction`, `review`, `approval`, `sub_agent`, `error`, `warning`, `hook_run`, or `other`.",
        first_line: Count = "The line on which it began.",
        last_line: Count = "The line on which it ended.",
        started_at: Moment = "When it began.",
        completed_at: Moment = "When it ended.",
        duration_ms: Count = "How long it took in milliseconds: as Codex says, else from its beginning to its end.",
        status: Text = "`in_progress`, `completed`, `failed` or `declined`; of a hook in the words of the source.",
        is_copied: Flag = "Whether its turn is history of another thread.",
        tool: Text = "The name of the tool, if it is a call of one.",
        role: Text = "Who speaks in a message: `user`, `assistant`, `context` (Codex) or `agent` (another one).",
        kind: Text = "Of an error its kind, of a hook its event, of an approval what it is about, of a message its phase, of a sub-agent what is done, of a web search its action, of `other` the word of the source.",
        decision: Text = "The answer to a request for approval, in the words of the source.",
        decided_by: Text = "The client that gave the answer.",
        is_declined: Flag = "Whether the answer to a request for approval was no.",
        about_item: Text = "The id of the item that waits for the approval.",
        exit_code: Number = "The exit code of a command.",
        files: Names = "The files that a patch changes, or of an image its file.",
        images: Count = "How many images come with a message.",
        text: Content = "What was said, thought, searched or asked.",
        output: Content = "What a command, a patch or a tool answered.",
    }
}

row! {
    CommandRow of Commands {
        thread: Text = "The id of its thread.",
        thread_number: Count = "The number of the thread in the transcript, from 0.",
        turn_number: Count = "The number of its turn in the thread, from 0. Null outside of turns.",
        item_number: Count = "The number of its item in the turn, or outside of turns, from 0.",
        item: Text = "The id of its item.",
        first_line: Count = "The line on which it began.",
        last_line: Count = "The line on which it ended.",
        started_at: Moment = "When it began.",
        completed_at: Moment = "When it ended.",
        duration_ms: Count = "How long it took in milliseconds: as Codex says, else from its beginning to its end.",
        status: Text = "`in_progress`, `completed`, `failed` or `declined`.",
        exit_code: Number = "Its exit code.",
        is_by_user: Flag = "Whether the user ran it, and not the agent.",
        is_copied: Flag = "Whether its turn is history of another thread.",
        cwd: Text = "The folder that it ran in.",
        output_bytes: Count = "How many bytes of its output the transcript keeps.",
        command: Content = "What ran.",
        output: Content = "What it wrote, as far as the transcript keeps it.",
    }
}

row! {
    ToolRow of Tools {
        thread: Text = "The id of its thread.",
        thread_number: Count = "The number of the thread in the transcript, from 0.",
        turn_number: Count = "The number of its turn in the thread, from 0. Null outside of turns.",
        item_number: Count = "The number of its item in the turn, or outside of turns, from 0.",
        item: Text = "The id of its item.",
        tool: Text = "The tool: `command`, `patch`, `SERVER/TOOL` of an MCP server, or its name.",
        server: Text = "The MCP server.",
        started_at: Moment = "When the call began.",
        completed_at: Moment = "When it ended.",
        duration_ms: Count = "How long it took in milliseconds: as Codex says, else from its beginning to its end.",
        status: Text = "`in_progress`, `completed`, `failed` or `declined`. Null if nothing says it.",
        is_copied: Flag = "Whether its turn is history of another thread.",
        arguments: Content = "What it was called with.",
        output: Content = "What it answered.",
    }
}

row! {
    UsageRow of Usage {
        thread: Text = "The id of its thread.",
        thread_number: Count = "The number of the thread in the transcript, from 0.",
        turn_number: Count = "The number of its turn in the thread, from 0.",
        root: Text = "The first thread of its tree, as far as is known.",
        line: Count = "The line that counts.",
        counted_at: Moment = "When that line was written, else when the turn began.",
        model: Text = "The model.",
        cwd: Text = "The working folder.",
        is_copied: Flag = "Whether its turn is history of another thread: it counts there.",
        is_cumulative: Flag = "Whether it goes back to the beginning of the thread, so that it may hold what earlier runs used.",
        input_tokens: Count = "Tokens sent to the model, cached ones included.",
        cached_input_tokens: Count = "Those of the input that were read from the cache.",
        cache_write_input_tokens: Count = "Those of the input that were written to the cache.",
        output_tokens: Count = "Tokens written by the model, reasoning included.",
        reasoning_output_tokens: Count = "Those of the output that were reasoning.",
        total_tokens: Count = "All tokens, as the provider counts.",
    }
}

row! {
    FindingRow of Findings {
        rule: Text = "The rule that is broken.",
        severity: Text = "`error`, `warning` or `note`.",
        line: Count = "The line.",
        message_number: Count = "The number of the message, from 1. Null if the line holds none.",
        pointer: Text = "The JSON Pointer to the part of the message.",
        writer: Text = "Who wrote the line: `codex` or `client`.",
        finding: Text = "What is wrong, without text of a session.",
    }
}
