//! What of a conversation is written, and how.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use codex_wire_session::Time;

use crate::styles::Styles;

/// What of a conversation is written, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConversationOptions {
    /// The form.
    pub form: Form,
    /// The longest row in columns, 0 for no limit. Only of text.
    pub width: usize,
    /// Whether outputs, diffs and arguments are written in full; only the beginning and the end are otherwise.
    pub full: bool,
    /// Whether texts, commands, paths and arguments are masked. Names of tools and models are not.
    pub mask: bool,
    /// The only kinds of item that are written. If there are none: all but what Codex adds to the conversation.
    pub only: Vec<Topic>,
    /// The only turns that are written, from 1; all if there are none.
    pub turns: Vec<Turns>,
    /// Only what holds this text is written. Letters in capitals count if it has some.
    pub grep: Option<String>,
    /// The colours. Only of text.
    pub styles: Styles,
    /// Whether findings are written where they occur, as blocks of the topic [`Errors`](Topic::Errors). A severity is that
    /// of the moment: it may depend on what comes later. They are counted at the end in any case.
    pub findings: bool,
    /// Whether to flush after each item, because somebody reads along.
    pub live: bool,
    /// The number of the input in the page, from 0: the ids of two inputs differ. Only of HTML.
    pub input: usize,
    /// Writes a point in time.
    pub clock: fn(Time) -> String,
}

impl ConversationOptions {
    /// Everything that people read, in rows of 100 columns, without colours, times in UTC.
    pub fn new() -> Self {
        ConversationOptions {
            form: Form::Text,
            width: 100,
            full: false,
            mask: false,
            only: Vec::new(),
            turns: Vec::new(),
            grep: None,
            styles: Styles::plain(),
            findings: false,
            live: false,
            input: 0,
            clock: |time| time.to_string(),
        }
    }

    /// Whether items of that topic are written.
    pub(super) fn takes(&self, topic: Topic) -> bool {
        match self.only.is_empty() {
            true => topic != Topic::Context,
            false => self.only.contains(&topic),
        }
    }

    /// Whether a turn is written. Its number is from 0.
    pub(super) fn takes_turn(&self, number: usize) -> bool {
        self.turns.is_empty()
            || self
                .turns
                .iter()
                .any(|turns| turns.0.contains(&(number + 1)))
    }
}

impl Default for ConversationOptions {
    fn default() -> Self {
        ConversationOptions::new()
    }
}

/// The form of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Text for a terminal.
    Text,
    /// Markdown, for a comment or a page.
    Markdown,
    /// HTML, for a browser. [`begin_html`](super::begin_html) writes what comes before it,
    /// [`end_html`](super::end_html) what comes after it.
    Html,
}

/// A kind of item, as people choose them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// What the user and the agents say.
    Messages,
    /// What the model thought.
    Reasoning,
    /// Commands with their output.
    Commands,
    /// Changes of files.
    Patches,
    /// Calls of tools, of MCP servers and others.
    Tools,
    /// Searches of the web.
    Searches,
    /// Plans and lists of steps.
    Plans,
    /// Images.
    Images,
    /// Requests for approval, with their answers.
    Approvals,
    /// What is done with sub-agents.
    Agents,
    /// Reviews.
    Reviews,
    /// Errors, warnings, and turns that failed.
    Errors,
    /// Hooks that ran.
    Hooks,
    /// What Codex adds to the conversation.
    Context,
    /// Compactions, and what has no kind here.
    Other,
}

impl Topic {
    /// All of them.
    pub const ALL: [Topic; 15] = [
        Topic::Messages,
        Topic::Reasoning,
        Topic::Commands,
        Topic::Patches,
        Topic::Tools,
        Topic::Searches,
        Topic::Plans,
        Topic::Images,
        Topic::Approvals,
        Topic::Agents,
        Topic::Reviews,
        Topic::Errors,
        Topic::Hooks,
        Topic::Context,
        Topic::Other,
    ];

    /// Its name, such as `commands`.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Messages => "messages",
            Topic::Reasoning => "reasoning",
            Topic::Commands => "commands",
            Topic::Patches => "patches",
            Topic::Tools => "tools",
            Topic::Searches => "searches",
            Topic::Plans => "plans",
            Topic::Images => "images",
            Topic::Approvals => "approvals",
            Topic::Agents => "agents",
            Topic::Reviews => "reviews",
            Topic::Errors => "errors",
            Topic::Hooks => "hooks",
            Topic::Context => "context",
            Topic::Other => "other",
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text does not name a kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATopic;

impl fmt::Display for NotATopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected one of ")?;
        for (at, topic) in Topic::ALL.into_iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{topic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for NotATopic {}

impl FromStr for Topic {
    type Err = NotATopic;

    fn from_str(text: &str) -> Result<Self, NotATopic> {
        let named = |topic: &Topic| topic.name() == text;
        Topic::ALL.into_iter().find(named).ok_or(NotATopic)
    }
}

/// Turns by their numbers from 1: `3`, `3..5`, `3..` or `..5`, the last one included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(RangeInclusive<usize>);

/// A text does not name turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotTurns;

impl fmt::Display for NotTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a number from 1, such as 3, or a range, such as 3..5, 3.. or ..5")
    }
}

impl std::error::Error for NotTurns {}

impl FromStr for Turns {
    type Err = NotTurns;

    fn from_str(text: &str) -> Result<Self, NotTurns> {
        let number = |text: &str| {
            let number: usize = text.parse().map_err(|_| NotTurns)?;
            (number > 0).then_some(number).ok_or(NotTurns)
        };
        let (first, last) = match text.split_once("..") {
            None => (number(text)?, number(text)?),
            Some(("", "")) => return Err(NotTurns),
            Some((first, "")) => (number(first)?, usize::MAX),
            Some(("", last)) => (1, number(last)?),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        (first <= last)
            .then_some(Turns(first..=last))
            .ok_or(NotTurns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_numbers_or_ranges() {
        let turns = |text: &str| text.parse::<Turns>().map(|turns| turns.0);
        assert_eq!(turns("3"), Ok(3..=3));
        assert_eq!(turns("3..5"), Ok(3..=5));
        assert_eq!(turns("3.."), Ok(3..=usize::MAX));
        assert_eq!(turns("..5"), Ok(1..=5));
        for wrong in ["", "0", "5..3", "..", "a", "-1", "1..0", "1...3"] {
            assert_eq!(turns(wrong), Err(NotTurns), "{wrong}");
        }
    }

    #[test]
    fn topics_have_names() {
        for topic in Topic::ALL {
            assert_eq!(topic.name().parse(), Ok(topic));
        }
        assert_eq!("command".parse::<Topic>(), Err(NotATopic));
    }
}
