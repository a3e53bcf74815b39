//! Parses `--deny`, `--warn` and `--allow`: levels by rule, in the order of the command line.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use codex_wire_check::rule_names::{self, NoSuchRule};
use codex_wire_check::{Levels, Rule, Severity};

/// The levels that the flags set. A later flag overrides an earlier one, so the order of all three
/// flags matters; clap's derive keeps only the order within one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct LevelFlags(Vec<(Selection, Option<Severity>)>);

impl LevelFlags {
    /// Whether there are no such flags.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Levels in this order, as if flags set them.
    pub(crate) fn of(
        levels: impl IntoIterator<Item = (Vec<&'static Rule>, Option<Severity>)>,
    ) -> Self {
        let levels = levels.into_iter();
        LevelFlags(
            levels
                .map(|(rules, level)| (Selection(rules), level))
                .collect(),
        )
    }

    /// Sets these levels first, so that the flags win.
    pub(crate) fn after(&mut self, first: LevelFlags) {
        self.0.splice(0..0, first.0);
    }

    /// The severities to check with.
    pub(crate) fn levels(&self) -> Levels {
        let mut levels = Levels::default();
        for (selection, level) in &self.0 {
            for rule in &selection.0 {
                levels.set(rule, *level);
            }
        }
        levels
    }
}

/// The rules that one value selects. A type of its own, because clap reads several values of a flag
/// into a list.
#[derive(Clone, Debug)]
struct Selection(Vec<&'static Rule>);

fn selection(text: &str) -> Result<Selection, NoSuchRule> {
    rule_names::select(text).map(Selection)
}

const FLAGS: [(&str, Option<Severity>, &str); 3] = [
    (
        "deny",
        Some(Severity::Error),
        "Fail on findings of RULE: exit code 1",
    ),
    (
        "warn",
        Some(Severity::Warning),
        "Report findings of RULE, but do not fail",
    ),
    ("allow", None, "Do not check RULE"),
];

impl Args for LevelFlags {
    fn augment_args(command: Command) -> Command {
        FLAGS.into_iter().fold(command, |command, (name, _, help)| {
            command.arg(
                Arg::new(name)
                    .long(name)
                    .value_name("RULE")
                    .help(help)
                    .help_heading("Rules")
                    .action(ArgAction::Append)
                    .value_delimiter(',')
                    .value_parser(selection),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LevelFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut placed = Vec::new();
        for (name, level, _) in FLAGS {
            let indices = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<Selection>(name).into_iter().flatten();
            placed.extend(indices.zip(values).map(|(at, value)| (at, value, level)));
        }
        placed.sort_by_key(|(at, ..)| *at);
        let flags = placed
            .into_iter()
            .map(|(_, value, level)| (value.clone(), level));
        Ok(LevelFlags(flags.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use codex_wire_check::rules;

    use super::*;

    #[test]
    fn later_flags_win() {
        let levels = |words: &[&str]| {
            let command = LevelFlags::augment_args(Command::new("t").no_binary_name(true));
            let matches = command.try_get_matches_from(words).unwrap();
            LevelFlags::from_arg_matches(&matches).unwrap().levels()
        };
        let crlf = |words: &[&str]| levels(words).get(rules::find("framing/crlf").unwrap());
        assert_eq!(crlf(&[]), None);
        assert_eq!(crlf(&["--deny", "*", "--allow", "framing/*"]), Some(None));
        let deny_last = [
            "--allow",
            "framing/bom,framing/crlf",
            "--warn",
            "framing/*",
            "--deny",
            "*",
        ];
        assert_eq!(crlf(&deny_last), Some(Some(Severity::Error)));
        let between = [
            "--deny",
            "framing/crlf",
            "--warn",
            "*",
            "--deny",
            "framing/bom",
        ];
        assert_eq!(crlf(&between), Some(Some(Severity::Warning)));
    }
}
