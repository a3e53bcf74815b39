//! Builds the commands of a release for clap, from its help and the facts that the help does not say.

use clap::builder::{OsStringValueParser, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, Command, value_parser};
use codex_wire_base::Release;

use super::Answer;
use super::data::{self, COMMANDS};
use super::help::{Help, Opt, Positional};
use super::values::{self, Listen};

/// The identifier of the arguments of a command that nobody plays.
const REST: &str = "[REST]";

/// All commands of a release.
pub(super) fn command(release: Release) -> Command {
    let facts = data::text_of(data::FACTS, release);
    node(release, &facts, "codex", "codex")
}

/// The help text that clap wants to show. It shows the name of the file instead.
pub(super) fn help(release: Release, rendered: &str) -> Answer {
    let (kind, name) = rendered.trim().split_once(' ').unwrap_or_default();
    let command = COMMANDS.iter().find(|command| command.name == name);
    let woven = command.map(|command| match kind {
        "short" => command.short_help,
        _ => command.help,
    });
    Answer {
        status: 0,
        stdout: data::text_of(woven.unwrap_or_default(), release),
        stderr: String::new(),
    }
}

/// The positional argument with this name in the help.
pub(super) fn positional_id(name: &str) -> String {
    format!("[{name}]")
}

/// A command, by the name of its files and its last word.
fn node(release: Release, facts: &str, file: &str, word: &str) -> Command {
    let mut command = Command::new(word.to_owned());
    let recorded = COMMANDS.iter().find(|known| known.name == file);
    let text = recorded
        .map(|recorded| data::text_of(recorded.help, release))
        .unwrap_or_default();
    if text.is_empty() {
        let rest = Arg::new(REST)
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true);
        return command
            .disable_help_flag(true)
            .arg(rest.value_parser(OsStringValueParser::new()));
    }
    let help = Help::read(&text);
    command = command
        .about(format!("short {file}"))
        .long_about(format!("long {file}"))
        .help_template("{about}");
    command = match &help.usage[..] {
        // clap writes the second line itself.
        [first, second] if *second == format!("{first} <COMMAND>") => {
            command.subcommand_negates_reqs(true)
        }
        [_, _, ..] => command.override_usage(help.usage.join("\n       ")),
        _ => command,
    };
    for option in &help.options {
        command = match option.long.as_str() {
            "help" => command,
            "version" => command.version(file.to_owned()),
            _ => command.arg(arg(option)),
        };
    }
    for positional in &help.positionals {
        command = command.arg(positional_arg(positional));
    }
    let name = file.replace('-', " ").replace("app server", "app-server");
    for fact in facts
        .lines()
        .filter_map(|line| line.strip_prefix(&name)?.strip_prefix(": "))
    {
        command = with_fact(command, fact);
    }
    for below in &help.commands {
        let file = match file {
            "codex" => below.name.clone(),
            _ => format!("{file}-{}", below.name),
        };
        if below.name != "help" {
            let below =
                node(release, facts, &file, &below.name).visible_aliases(below.aliases.clone());
            command = command.subcommand(below);
        }
    }
    command
}

fn arg(option: &Opt) -> Arg {
    let arg = Arg::new(option.long.clone()).long(option.long.clone());
    let mut arg = match option.short {
        Some(short) => arg.short(short),
        None => arg,
    };
    let Some(name) = &option.value else {
        return arg.action(ArgAction::SetTrue);
    };
    arg = arg
        .value_name(name.clone())
        .action(ArgAction::Set)
        .value_parser(parser(name));
    if !option.values.is_empty() {
        arg = arg.value_parser(PossibleValuesParser::new(option.values.clone()));
    }
    if option.is_many {
        arg = arg.num_args(1..);
    }
    if option.long == "image" {
        // No help says so, and no refusal shows it.
        arg = arg.value_delimiter(',');
    }
    arg
}

fn positional_arg(positional: &Positional) -> Arg {
    let id = positional_id(&positional.name);
    let arg = Arg::new(id).value_name(positional.name.clone());
    let arg = arg
        .required(positional.is_required)
        .value_parser(OsStringValueParser::new());
    if positional.is_many {
        return arg.num_args(1..).action(ArgAction::Append);
    }
    arg
}

/// How a value with this name is read. A path cannot be empty.
fn parser(name: &str) -> ValueParser {
    match name {
        "DIR" | "FILE" | "PATH" => ValueParser::path_buf(),
        "SECONDS" => value_parser!(u64).into(),
        _ => OsStringValueParser::new().into(),
    }
}

/// Adds one fact to a command: `--yolo = --dangerously-bypass-approvals-and-sandbox`, `--config
/// repeats`, `--full-auto hidden`, `--last excludes [SESSION_ID]`, or
/// `--listen refuses ?bogus: unsupported …`.
fn with_fact(command: Command, fact: &str) -> Command {
    let mut words = fact.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (subject, verb, object) = (next(), next(), next());
    let word = subject.trim_start_matches("--").to_owned();
    match verb {
        "=" => change(command, &id(object), |arg| arg.alias(word)),
        "repeats" => change(command, &word, |arg| {
            let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
            arg.action(if is_flag {
                ArgAction::Count
            } else {
                ArgAction::Append
            })
        }),
        "hidden" => {
            let value = object.trim_matches(['<', '>']);
            let option = Opt {
                long: word,
                value: (!value.is_empty()).then(|| value.to_owned()),
                ..Opt::default()
            };
            command.arg(arg(&option).hide(true))
        }
        "excludes" if has(&command, &id(object)) => {
            change(command, &id(subject), |arg| arg.conflicts_with(id(object)))
        }
        "refuses" => {
            let refusal = object
                .strip_prefix("?bogus: ")
                .unwrap_or_default()
                .to_owned();
            change(command, &word, |arg| match word.as_str() {
                "listen" => arg.value_parser(move |text: &str| Listen::read(text, &refusal)),
                "profile" => arg.value_parser(move |text: &str| values::profile(text, &refusal)),
                _ => arg,
            })
        }
        _ => command,
    }
}

/// Changes an argument, if there is one; clap would panic without it.
fn change(command: Command, id: &str, change: impl FnOnce(Arg) -> Arg) -> Command {
    match has(&command, id) {
        true => command.mut_arg(id, change),
        false => command,
    }
}

fn has(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == id)
}

/// The identifier of an argument, as a refusal names it.
fn id(name: &str) -> String {
    match name.strip_prefix("--") {
        Some(word) => word.to_owned(),
        None => positional_id(name.trim_matches(['[', ']', '<', '>', '.'])),
    }
}
