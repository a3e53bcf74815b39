//! What a client asks of Codex.

use std::ffi::{OsStr, OsString};

use clap::ArgMatches;

use super::answers::{bad_override, no_terminal};
use super::grammar::REST;
use super::options::raw;
use super::{Answer, Listen, Options};
use crate::type_files::Language;

/// What a client asks of Codex with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invocation {
    /// To print the version or a help text.
    Print(Answer),
    /// To say whether somebody is logged in; [`CommandLine::login_status`](super::CommandLine::login_status)
    /// has the answers.
    LoginStatus,
    /// `codex exec`, or `codex review`, which prints as `codex exec review` does.
    Exec(Exec),
    /// `codex app-server`.
    AppServer(AppServer),
    /// `codex proto`.
    Proto(Options),
    /// `codex app-server generate-ts` or `generate-json-schema`.
    TypeFiles(TypeFiles),
    /// `codex mcp list`: which tool servers are configured.
    McpList {
        /// Whether as JSON.
        json: bool,
    },
    /// `codex features list`, where nothing is configured.
    FeaturesList,
    /// A command that the release has and that speaks none of the protocols: its words, such as `mcp` and
    /// `list`. Nobody looks at the arguments behind it.
    Other(Vec<String>),
}

/// What `codex exec` was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exec {
    /// Which thread it runs in.
    pub run: Run,
    /// What to say to the model.
    pub prompt: Prompt,
    /// The options of `exec` and of the command below it, with overrides of the configuration from
    /// before `exec`. Most releases ignore the other options there.
    pub options: Options,
}

impl Exec {
    /// What it has to print.
    pub fn format(&self) -> Format {
        match () {
            () if self.options.has("experimental-json") => Format::ExperimentalJson,
            () if self.options.has("json") => Format::Json,
            () => Format::Text,
        }
    }
}

/// What `codex exec` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text for people.
    Text,
    /// The lines of `--json`. In releases that know only `--json`, `--experimental-json` is another name
    /// for it.
    Json,
    /// The lines of `--experimental-json`, in releases where that is not the same as `--json`.
    ExperimentalJson,
}

/// Which thread `codex exec` runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Run {
    /// A new one.
    Start,
    /// One that there is.
    Resume(Session),
    /// A copy of one that there is.
    Fork(Session),
    /// A new one, for a review.
    Review,
}

/// A thread that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Session {
    /// The one with this id, or in later releases this name.
    Id(OsString),
    /// The last one.
    Last,
    /// None was named. Codex starts a new thread then.
    Unnamed,
}

/// What to say to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prompt {
    /// This.
    Text(OsString),
    /// What comes from standard input, since the prompt is `-`.
    Dash,
    /// What comes from standard input, since there is no prompt.
    Absent,
}

/// What `codex app-server` was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppServer {
    /// Where it listens.
    pub listen: Listen,
    /// Its options, with overrides of the configuration from before `app-server`.
    pub options: Options,
}

/// Which files `codex app-server` is to write of its types.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypeFiles {
    /// What the types are written in.
    pub language: Language,
    /// The folder for the files.
    pub out: OsString,
    /// Whether the experimental API is in them.
    pub is_experimental: bool,
    /// The program that formats the files, if one is named.
    pub prettier: Option<OsString>,
}

/// The options that every command takes from before it.
const OVERRIDES: &[&str] = &["config", "enable", "disable"];

/// Reads what clap found.
pub(super) fn read(matches: &ArgMatches) -> Result<Invocation, Answer> {
    let before = Options::read(matches);
    let Some((name, inner)) = matches.subcommand() else {
        check(&before)?;
        return Err(no_terminal());
    };
    let options = before.only(OVERRIDES).before(Options::read(inner));
    let below = inner.subcommand();
    match (name, below) {
        ("exec", _) => exec(inner, options),
        ("app-server", None) => {
            check(&options)?;
            Ok(Invocation::AppServer(AppServer {
                listen: listen(inner, &options),
                options,
            }))
        }
        ("review", None) if inner.try_contains_id(REST).is_err() => {
            exec_of(Run::Review, positional(inner, "PROMPT"), options)
        }
        ("app-server", Some((command, below))) => {
            let files = type_files(command, &Options::read(below));
            let words = [name, command].map(str::to_owned);
            Ok(files.map_or(Invocation::Other(words.into()), Invocation::TypeFiles))
        }
        ("proto", None) => {
            check(&options)?;
            Ok(Invocation::Proto(options))
        }
        ("login", Some(("status", _))) => Ok(Invocation::LoginStatus),
        ("features", None) if is_unconfigured(&options) && rest(inner) == ["list"] => {
            Ok(Invocation::FeaturesList)
        }
        ("mcp", None) if has_no_servers(&options) => match mcp_list(inner) {
            Some(json) => check(&options).map(|()| Invocation::McpList { json }),
            None => Ok(Invocation::Other(vec![name.to_owned()])),
        },
        _ => {
            let mut words = vec![name.to_owned()];
            words.extend(below.map(|(name, _)| name.to_owned()));
            Ok(Invocation::Other(words))
        }
    }
}

/// What a command below `app-server` is to write. Overrides of the configuration mean nothing to it, and Codex does
/// not look at them.
fn type_files(command: &str, options: &Options) -> Option<TypeFiles> {
    let mut languages = [Language::JsonSchema, Language::TypeScript].into_iter();
    Some(TypeFiles {
        language: languages.find(|language| language.command() == command)?,
        out: options.value("out")?.into(),
        is_experimental: options.has("experimental"),
        prettier: options.value("prettier").map(OsStr::to_owned),
    })
}

/// Whether no tool server is configured with the arguments.
fn has_no_servers(options: &Options) -> bool {
    let mut overrides = options.values("config");
    !overrides.any(|text| text.to_string_lossy().contains("mcp_servers"))
}

/// Whether `codex mcp list` is to print JSON, if the arguments of `codex mcp` are those of it.
fn mcp_list(matches: &ArgMatches) -> Option<bool> {
    match rest(matches)[..] {
        [list] if list == "list" => Some(false),
        [list, json] if list == "list" && json == "--json" => Some(true),
        _ => None,
    }
}

/// Whether nothing is said about the configuration.
fn is_unconfigured(options: &Options) -> bool {
    !OVERRIDES.iter().any(|option| options.has(option))
}

/// The arguments of a command that is not played.
fn rest(matches: &ArgMatches) -> Vec<&OsStr> {
    let words = matches.get_many::<OsString>(REST).into_iter().flatten();
    words.map(OsString::as_os_str).collect()
}

fn exec(matches: &ArgMatches, options: Options) -> Result<Invocation, Answer> {
    let mut prompt = positional(matches, "PROMPT");
    let (run, options) = match matches.subcommand() {
        None => (Run::Start, options),
        Some((name, below)) => {
            let options = options.before(Options::read(below));
            prompt = positional(below, "PROMPT").or(prompt);
            let mut id = positional(below, "SESSION_ID");
            let is_last = options.has("last");
            if is_last && positional(below, "PROMPT").is_none() && id.is_some() {
                // The only word is what to say, since the thread is known.
                prompt = id.take();
            }
            let session = match id {
                Some(id) => Session::Id(id),
                None if is_last => Session::Last,
                None => Session::Unnamed,
            };
            let run = match name {
                "resume" => Run::Resume(session),
                "fork" => Run::Fork(session),
                _ => Run::Review,
            };
            (run, options)
        }
    };
    exec_of(run, prompt, options)
}

fn exec_of(run: Run, prompt: Option<OsString>, options: Options) -> Result<Invocation, Answer> {
    let prompt = match prompt {
        Some(text) if text == "-" => Prompt::Dash,
        Some(text) => Prompt::Text(text),
        None => Prompt::Absent,
    };
    check(&options)?;
    Ok(Invocation::Exec(Exec {
        run,
        prompt,
        options,
    }))
}

/// Overrides of the configuration are the first thing that Codex looks at.
fn check(options: &Options) -> Result<(), Answer> {
    let is_bad = |text: &OsStr| {
        let text = text.to_string_lossy();
        let key = text.split_once('=').map(|(key, _)| key.trim());
        key.is_none_or(str::is_empty)
    };
    match options.values("config").find(|text| is_bad(text)) {
        Some(text) => Err(bad_override(&text.to_string_lossy())),
        None => Ok(()),
    }
}

fn listen(matches: &ArgMatches, options: &Options) -> Listen {
    let value = matches.try_get_one::<Listen>("listen").ok().flatten();
    match value {
        Some(listen) if options.has("listen") => listen.clone(),
        _ => Listen::Stdio,
    }
}

fn positional(matches: &ArgMatches, name: &str) -> Option<OsString> {
    raw(matches, name).pop()
}
