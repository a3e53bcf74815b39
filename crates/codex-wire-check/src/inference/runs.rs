//! Decides where in a session file another process may have gone on writing.
//!
//! A session file is appended to by every process that resumes its thread, without a mark, and each
//! may be of another release. So releases are inferred per *run* of lines, not per file. A run ends
//! where a line cannot be of the releases of the run, if a process may have begun there: in front of
//! a turn. The lines that open a turn stand together; within them, and within the turn, a line of
//! another release is wrong.
//!
//! Evidence: 75 session files that one release wrote and another resumed, forked or migrated
//! (`fixtures/rollout-cross`).

use codex_wire_base::Release;
use serde_json::Value;

use crate::dialect::session_file::SessionLine;

/// The first release that writes paginated files.
pub(crate) const PAGINATED: Release = Release::new(0, 147, 0);

/// The lines of a session file, as far as they show where a process may have begun.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Whether the last line was one of those that open a turn.
    is_opening: bool,
    /// Whether the last line was one of those with which a process or a turn begins.
    is_starting: bool,
    /// Whether `task_started` was seen: from 0.100.0 on it is the first line of a turn, or follows
    /// what belongs to none.
    has_starts: bool,
    /// Whether the last line of those that open a turn ends the prompt.
    is_prompted: bool,
    /// The first line of the turn that was opened last, if no run has begun since then.
    opened: Option<u64>,
    /// The id of the thread: that of the first `session_meta`.
    thread: Option<String>,
    /// Whether the lines at hand are a copy of those of another thread, or of another form.
    is_copied: bool,
    /// Whether the file is a copy of a legacy one.
    is_migrated: bool,
}

/// What a line does to the runs.
enum Role {
    /// A file, or a copy of another one, begins with it.
    Begins,
    /// A process or a turn begins with it, or with lines of this kind in front of it.
    Starts,
    /// It is one of the lines that open a turn.
    Opens,
    /// The same, and the prompt is complete with it.
    Prompts,
    /// It belongs to a turn, or to none.
    Within,
}

impl Runs {
    /// The line in front of which a process may have begun, if no run begins there yet.
    pub(crate) fn opened(&self) -> Option<u64> {
        self.opened
    }

    /// Whether the last line is a copy. A fork of a legacy thread copies the lines of the thread it
    /// comes from, that thread's `session_meta` first; a migration writes a legacy file again as a
    /// paginated one. The release that copies lines reads them and writes them again, so that they
    /// have new members of that release, and lack what it cannot know: no release writes such lines
    /// otherwise.
    pub(crate) fn is_copied(&self) -> bool {
        self.is_copied
    }

    /// Whether the file was written again as a paginated one, by a release later than the one that
    /// created it.
    pub(crate) fn is_migrated(&self) -> bool {
        self.is_migrated
    }

    /// Takes note of a line, which has that number.
    pub(crate) fn observe(&mut self, number: u64, line: &SessionLine<'_>) {
        self.observe_copies(line);
        let role = role_of(line);
        let begins = match role {
            Role::Begins => true,
            Role::Starts => !self.is_starting,
            Role::Opens => !self.is_opening || self.is_prompted && !self.has_starts,
            Role::Prompts => !self.is_opening,
            Role::Within => false,
        };
        self.has_starts |= line.inner == Some("task_started");
        if begins {
            self.opened = Some(number);
        }
        self.is_opening = !matches!(role, Role::Within);
        self.is_starting = matches!(role, Role::Starts);
        self.is_prompted =
            matches!(role, Role::Prompts) || self.is_prompted && self.is_opening && !begins;
    }

    fn observe_copies(&mut self, line: &SessionLine<'_>) {
        let of = |key: &str| line.of_payload(key);
        let is_meta = line.tag == Some("session_meta");
        // Only a header begins a copy, and only a copy ends with a turn.
        if !is_meta && !self.is_copied {
            return;
        }
        match (&self.thread, of(if is_meta { "id" } else { "turn_id" })) {
            (None, Some(id)) if is_meta => {
                self.thread = Some(id.to_owned());
                let creator = of("cli_version").and_then(|version| version.parse().ok());
                self.is_migrated = of("history_mode") == Some("paginated")
                    && creator.is_some_and(|creator: Release| creator < PAGINATED);
                self.is_copied = self.is_migrated;
            }
            (Some(thread), Some(id)) if is_meta => self.is_copied |= id != thread,
            // Ids begin with the time at which they were made, so that those of turns of the thread
            // itself are greater than its own.
            (Some(thread), Some(turn)) if turn.len() == thread.len() => {
                self.is_copied &= self.is_migrated || turn < thread.as_str();
            }
            _ => {}
        }
    }

    /// Begins a run, because a line is of none of the releases of the run before. Returns the number
    /// of its first line; `None` where no process can have begun.
    pub(crate) fn begin(&mut self) -> Option<u64> {
        let since = self.opened.filter(|line| *line > 1)?;
        self.opened = None;
        Some(since)
    }
}

/// The release that a `session_meta` names: that which created the file.
pub(crate) fn creator(message: &Value) -> Option<Release> {
    if message.get("type")?.as_str() != Some("session_meta") {
        return None;
    }
    message
        .pointer("/payload/cli_version")?
        .as_str()?
        .parse()
        .ok()
}

/// What a line does to the runs.
fn role_of(line: &SessionLine<'_>) -> Role {
    match line.tag {
        Some("session_meta") => Role::Begins,
        Some("world_state") => Role::Opens,
        Some("turn_context") => Role::Prompts,
        Some("event_msg") => match line.inner {
            Some("task_started" | "thread_settings_applied") => Role::Starts,
            Some("user_message") => Role::Prompts,
            Some("item_completed") if is_prompt(line) => Role::Prompts,
            _ => Role::Within,
        },
        Some("response_item") if line.inner == Some("message") => match line.of_payload("role") {
            Some("user" | "developer") => Role::Opens,
            _ => Role::Within,
        },
        _ => Role::Within,
    }
}

fn is_prompt(line: &SessionLine<'_>) -> bool {
    let item = line.payload.and_then(|payload| payload.get("item"));
    item.and_then(|item| item.get_str("type")) == Some("UserMessage")
}
