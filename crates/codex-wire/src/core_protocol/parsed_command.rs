//! What a command does, as Codex parses it.

use std::borrow::Cow;

use crate::json::{Extra, Raw};
use crate::{Maybe, Unknown, UnknownExternal, Wire};

/// What Codex takes a command, or a part of it, to do.
///
/// Up to 0.23.0 written as `{"Read": {…}}`, from 0.24.0 as `{"type": "read", …}`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum ParsedCommand {
    /// The kind stands beside the members.
    ///
    /// Since 0.24.0.
    #[wire(since = "0.24.0")]
    Tagged(TaggedParsedCommand),
    /// The kind stands around the members.
    ///
    /// Until 0.23.0.
    #[wire(until = "0.23.0")]
    Early(EarlyParsedCommand),
    /// A shape this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// What a command does, in all forms of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParsedCommandKind {
    /// A file is read.
    Read,
    /// Files are listed.
    ListFiles,
    /// Text or files are searched for.
    Search,
    /// Code is formatted.
    Format,
    /// Tests are run.
    Test,
    /// Code is checked.
    Lint,
    /// Nothing of note is done, such as printing a line between commands.
    Noop,
    /// Anything else.
    Other,
    /// A kind or shape this crate does not know.
    Unknown,
}

/// What a command does, from 0.24.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum TaggedParsedCommand {
    /// A file is read.
    Read(ReadCommand),
    /// Files are listed.
    ListFiles(ListFilesCommand),
    /// Text or files are searched for.
    Search(SearchCommand),
    /// Code is formatted.
    ///
    /// Until 0.27.0.
    #[wire(until = "0.27.0")]
    Format(FormatCommand),
    /// Tests are run.
    ///
    /// Until 0.27.0.
    #[wire(until = "0.27.0")]
    Test(TestCommand),
    /// Code is checked.
    ///
    /// Until 0.27.0.
    #[wire(until = "0.27.0")]
    Lint(LintCommand),
    /// Nothing of note is done, such as printing a line between commands.
    ///
    /// Until 0.27.0.
    #[wire(until = "0.27.0")]
    Noop(NoopCommand),
    /// Anything else.
    #[wire(rename = "unknown")]
    Other(UnknownCommand),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// What a command does, up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum EarlyParsedCommand {
    /// A file is read.
    #[wire(rename = "Read")]
    Read(EarlyReadCommand),
    /// Files are listed.
    #[wire(rename = "ListFiles")]
    ListFiles(EarlyListFilesCommand),
    /// Text or files are searched for.
    #[wire(rename = "Search")]
    Search(EarlySearchCommand),
    /// Code is formatted.
    #[wire(rename = "Format")]
    Format(EarlyFormatCommand),
    /// Tests are run.
    #[wire(rename = "Test")]
    Test(EarlyTestCommand),
    /// Code is checked.
    #[wire(rename = "Lint")]
    Lint(EarlyLintCommand),
    /// Nothing of note is done, such as printing a line between commands.
    ///
    /// Since 0.22.0.
    #[wire(rename = "Noop", since = "0.22.0")]
    Noop(EarlyNoopCommand),
    /// Anything else.
    #[wire(rename = "Unknown")]
    Other(EarlyUnknownCommand),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// The text of a command: a list of words up to 0.22.0-alpha.1, one string from 0.22.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum CommandText {
    /// As a shell would take it.
    ///
    /// Since 0.22.0.
    #[wire(since = "0.22.0")]
    Line(String),
    /// Word by word.
    ///
    /// Until 0.22.0-alpha.1.
    #[wire(until = "0.22.0-alpha.1")]
    Words(Vec<String>),
    /// A shape this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

impl CommandText {
    /// The text; words are joined by spaces and not quoted. Nothing for an unknown shape.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            CommandText::Line(line) => Some(Cow::Borrowed(line)),
            CommandText::Words(words) => Some(Cow::Owned(words.join(" "))),
            CommandText::Unknown(_) => None,
        }
    }
}

impl ParsedCommand {
    /// What the command does.
    pub fn kind(&self) -> ParsedCommandKind {
        use ParsedCommandKind as Kind;
        match self {
            ParsedCommand::Tagged(command) => match command {
                TaggedParsedCommand::Read(_) => Kind::Read,
                TaggedParsedCommand::ListFiles(_) => Kind::ListFiles,
                TaggedParsedCommand::Search(_) => Kind::Search,
                TaggedParsedCommand::Format(_) => Kind::Format,
                TaggedParsedCommand::Test(_) => Kind::Test,
                TaggedParsedCommand::Lint(_) => Kind::Lint,
                TaggedParsedCommand::Noop(_) => Kind::Noop,
                TaggedParsedCommand::Other(_) => Kind::Other,
                TaggedParsedCommand::Unknown(_) => Kind::Unknown,
            },
            ParsedCommand::Early(command) => match command {
                EarlyParsedCommand::Read(_) => Kind::Read,
                EarlyParsedCommand::ListFiles(_) => Kind::ListFiles,
                EarlyParsedCommand::Search(_) => Kind::Search,
                EarlyParsedCommand::Format(_) => Kind::Format,
                EarlyParsedCommand::Test(_) => Kind::Test,
                EarlyParsedCommand::Lint(_) => Kind::Lint,
                EarlyParsedCommand::Noop(_) => Kind::Noop,
                EarlyParsedCommand::Other(_) => Kind::Other,
                EarlyParsedCommand::Unknown(_) => Kind::Unknown,
            },
            ParsedCommand::Unknown(_) => Kind::Unknown,
        }
    }

    /// The text of the command, or of the part of it.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        match self {
            ParsedCommand::Tagged(command) => {
                let text = match command {
                    TaggedParsedCommand::Read(command) => &command.cmd,
                    TaggedParsedCommand::ListFiles(command) => &command.cmd,
                    TaggedParsedCommand::Search(command) => &command.cmd,
                    TaggedParsedCommand::Format(command) => &command.cmd,
                    TaggedParsedCommand::Test(command) => &command.cmd,
                    TaggedParsedCommand::Lint(command) => &command.cmd,
                    TaggedParsedCommand::Noop(command) => &command.cmd,
                    TaggedParsedCommand::Other(command) => &command.cmd,
                    TaggedParsedCommand::Unknown(_) => return None,
                };
                Some(Cow::Borrowed(text))
            }
            ParsedCommand::Early(command) => match command {
                EarlyParsedCommand::Read(command) => command.cmd.text(),
                EarlyParsedCommand::ListFiles(command) => command.cmd.text(),
                EarlyParsedCommand::Search(command) => command.cmd.text(),
                EarlyParsedCommand::Format(command) => command.cmd.text(),
                EarlyParsedCommand::Test(command) => command.cmd.text(),
                EarlyParsedCommand::Lint(command) => command.cmd.text(),
                EarlyParsedCommand::Noop(command) => command.cmd.text(),
                EarlyParsedCommand::Other(command) => command.cmd.text(),
                EarlyParsedCommand::Unknown(_) => None,
            },
            ParsedCommand::Unknown(_) => None,
        }
    }
}

/// A file is read.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ReadCommand {
    /// The command.
    pub cmd: String,
    /// The file's name, without its folder.
    pub name: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Files are listed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ListFilesCommand {
    /// The command.
    pub cmd: String,
    /// Where; `null` for the current folder.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Text or files are searched for.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SearchCommand {
    /// The command.
    pub cmd: String,
    /// What for.
    #[wire(nullable)]
    pub query: Maybe<String>,
    /// Where.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Code is formatted.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FormatCommand {
    /// The command.
    pub cmd: String,
    /// By which program.
    #[wire(nullable)]
    pub tool: Maybe<String>,
    /// Which files; never seen filled.
    #[wire(nullable)]
    pub targets: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Tests are run.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TestCommand {
    /// The command.
    pub cmd: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Code is checked.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LintCommand {
    /// The command.
    pub cmd: String,
    /// By which program.
    #[wire(nullable)]
    pub tool: Maybe<String>,
    /// Which files; never seen filled.
    #[wire(nullable)]
    pub targets: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Nothing of note is done, such as printing a line between commands.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct NoopCommand {
    /// The command.
    pub cmd: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Anything else.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UnknownCommand {
    /// The command.
    pub cmd: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file is read; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyReadCommand {
    /// The command.
    pub cmd: CommandText,
    /// The file's name, without its folder.
    pub name: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Files are listed; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyListFilesCommand {
    /// The command.
    pub cmd: CommandText,
    /// Where; `null` for the current folder.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Text or files are searched for; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlySearchCommand {
    /// The command.
    pub cmd: CommandText,
    /// What for.
    #[wire(nullable)]
    pub query: Maybe<String>,
    /// Where.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Code is formatted; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyFormatCommand {
    /// The command.
    pub cmd: CommandText,
    /// By which program.
    #[wire(nullable)]
    pub tool: Maybe<String>,
    /// Which files; never seen filled.
    #[wire(nullable)]
    pub targets: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Tests are run; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyTestCommand {
    /// The command.
    pub cmd: CommandText,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Code is checked; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyLintCommand {
    /// The command.
    pub cmd: CommandText,
    /// By which program.
    #[wire(nullable)]
    pub tool: Maybe<String>,
    /// Which files; never seen filled.
    #[wire(nullable)]
    pub targets: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Nothing of note is done, such as printing a line between commands; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyNoopCommand {
    /// The command.
    pub cmd: CommandText,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Anything else; up to 0.23.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EarlyUnknownCommand {
    /// The command.
    pub cmd: CommandText,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
