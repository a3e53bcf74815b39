//! Builds the commands of a release for clap, from the facts that were recorded.
//!
//! A fact is one of these:
//!
//! ```text
//! --color <COLOR> of always|never|auto            a flag, with the name of its value and the values it takes
//! --image -i <FILE>... repeats                    one that takes several values, and may be given again
//! --profile -p <CONFIG_PROFILE_V2> plain          one whose value has only letters, digits, `-` and `_`
//! --out -o <DIR> required                         one without which the command does not go
//! --full-auto hidden                              one that no help shows
//! --yolo = --dangerously-bypass-approvals-and-sandbox
//! --base excludes [PROMPT]
//! <SESSION_ID> [PROMPT]                           arguments without a flag, in their order
//! command exec e                                  a command below this one, with its other names
//! ```

use clap::builder::{OsStringValueParser, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, Command, value_parser};
use codex_wire_base::Release;

use super::data;
use super::values::{Listen, plain};

/// How wide help texts are.
const WIDTH: usize = 100;

/// The identifier of the arguments of a command that is not played.
pub(super) const REST: &str = "REST";

/// A command and a fact about it.
type Fact = (&'static str, &'static str);

/// All commands of a release. `version` is what `--version` names.
pub(super) fn command(recorded: Release, version: &str) -> Command {
    let facts: Vec<Fact> = data::facts(recorded).collect();
    // Codex has another name in front of its version than its program has.
    let command = Command::new("codex-cli").bin_name("codex");
    with_facts(command, &facts, "codex", version)
        .about(format!(
            "Codex {version}, played by codex-wire: what this release takes"
        ))
        .term_width(WIDTH)
}

/// Adds what is known of a command. `path` is the name of the command in the facts.
fn with_facts(mut command: Command, facts: &[Fact], path: &str, version: &str) -> Command {
    let own = facts.iter().filter(|(known, _)| *known == path);
    let own: Vec<&str> = own.map(|(_, fact)| *fact).collect();
    if own.is_empty() {
        let rest = Arg::new(REST)
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true);
        return command
            .disable_help_flag(true)
            .arg(rest.value_parser(OsStringValueParser::new()));
    }
    for fact in &own {
        command = match fact.split_once(' ').unwrap_or((fact, "")) {
            // Facts about two arguments come when all arguments are there.
            (_, rest) if rest.starts_with("= ") || rest.starts_with("excludes ") => command,
            ("--version", _) => command.version(version.to_owned()),
            ("command", names) => {
                let mut names = names.split(' ');
                let name = names.next().unwrap_or_default();
                let path = match path {
                    "codex" => name.to_owned(),
                    _ => format!("{path} {name}"),
                };
                let below = Command::new(name).visible_aliases(names);
                command.subcommand(with_facts(below, facts, &path, version))
            }
            (flag, rest) if flag.starts_with("--") => command.arg(option(flag, rest)),
            _ => command.args(fact.split(' ').map(positional)),
        };
    }
    own.into_iter().fold(command, with_relation)
}

/// The argument of a flag, from what stands behind the flag.
fn option(flag: &'static str, rest: &'static str) -> Arg {
    let name = id(flag);
    let mut arg = Arg::new(name).long(name).action(ArgAction::SetTrue);
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        arg = match word {
            "of" => {
                let values = words.next().unwrap_or_default().split('|');
                arg.value_parser(match name {
                    "listen" => {
                        let forms: Vec<&str> = values.collect();
                        ValueParser::new(move |text: &str| Listen::read(text, &forms))
                    }
                    _ => PossibleValuesParser::new(values).into(),
                })
            }
            "plain" => arg.value_parser(plain),
            "repeats" => match arg.get_action() {
                ArgAction::SetTrue => arg.action(ArgAction::Count),
                _ => arg.action(ArgAction::Append),
            },
            "hidden" => arg.hide(true),
            "required" => arg.required(true),
            _ => match word.strip_prefix('<') {
                Some(value) => with_value(arg, value),
                None => arg.short(word.chars().nth(1)),
            },
        };
    }
    match name {
        // No help says so, and no refusal shows it.
        "image" => arg.value_delimiter(','),
        _ => arg,
    }
}

/// Lets an option take a value, `FILE>` or `FILE>...`.
fn with_value(arg: Arg, value: &'static str) -> Arg {
    let name = value.trim_end_matches(['>', '.']);
    let arg = arg.value_name(name).action(ArgAction::Set);
    let arg = match value.ends_with('.') {
        true => arg.num_args(1..),
        false => arg,
    };
    arg.value_parser(match name {
        // A path cannot be empty.
        "DIR" | "FILE" | "PATH" => ValueParser::path_buf(),
        "SECONDS" => value_parser!(u64).into(),
        _ => OsStringValueParser::new().into(),
    })
}

/// An argument without a flag: `[PROMPT]` or `<SESSION_ID>`.
fn positional(word: &'static str) -> Arg {
    Arg::new(id(word))
        .value_name(id(word))
        .required(word.starts_with('<'))
        .value_parser(OsStringValueParser::new())
}

/// Adds a fact about two arguments; all others are there already.
fn with_relation(command: Command, fact: &'static str) -> Command {
    let words: Vec<&str> = fact.split(' ').collect();
    let has = |name| command.get_arguments().any(|arg| arg.get_id() == name);
    match words[..] {
        [other, "=", flag] if has(id(flag)) => {
            command.mut_arg(id(flag), |arg| arg.alias(id(other)))
        }
        [one, "excludes", other] if has(id(one)) && has(id(other)) => {
            command.mut_arg(id(one), |arg| arg.conflicts_with(id(other)))
        }
        _ => command,
    }
}

/// The identifier of an argument: `json` for `--json`, `PROMPT` for `[PROMPT]`.
fn id(name: &str) -> &str {
    name.trim_start_matches("--")
        .trim_matches(['[', ']', '<', '>'])
}
