//! Parses `--deny`, `--warn` and `--allow`: levels by rule, in the order of the command line.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use codex_wire_check::{Levels, Rule, Severity, rules};

/// What the flags said. A later flag wins over an earlier one, so their order among each other
/// matters; clap's derive keeps it only within one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct LevelFlags(Vec<(Selection, Option<Severity>)>);

impl LevelFlags {
    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
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

/// The rules that one value selects.
#[derive(Clone, Debug)]
struct Selection(Vec<&'static Rule>);

/// Reads the name of a rule, or a group such as `framing/*`.
fn selection(text: &str) -> Result<Selection, String> {
    let found: Vec<_> = match text.strip_suffix('*') {
        Some(group) if group.is_empty() || group.ends_with('/') => of_group(group).collect(),
        _ => rules::find(text).into_iter().collect(),
    };
    if found.is_empty() {
        return Err(format!("no such rule; {}", suggestion(text)));
    }
    Ok(Selection(found))
}

/// The rules whose names begin like that.
fn of_group(group: &str) -> impl Iterator<Item = &'static Rule> {
    let rules = rules::RULES.iter().copied();
    rules.filter(move |rule| rule.id.starts_with(group))
}

/// Names near to one that does not exist, or where to find them all.
pub(crate) fn suggestion(text: &str) -> String {
    let group = text.trim_end_matches(['/', '*']);
    if of_group(&format!("{group}/")).next().is_some() {
        return format!("did you mean `{group}/*`?");
    }
    let mut near: Vec<(usize, &str)> = rules::RULES
        .iter()
        .map(|rule| (remoteness(text, rule.id), rule.id))
        .filter(|(remote, _)| *remote <= 3)
        .collect();
    near.sort();
    if near.is_empty() {
        return "`codex-wire rules` lists them".to_owned();
    }
    let names: Vec<String> = near
        .iter()
        .take(3)
        .map(|(_, id)| format!("`{id}`"))
        .collect();
    format!("did you mean {}?", names.join(" or "))
}

/// How far a text is from a rule's name. The group may be left out or wrong.
fn remoteness(text: &str, id: &str) -> usize {
    let name = |full: &str| full.rsplit('/').next().unwrap_or_default().to_owned();
    let (short, own) = (name(text), name(id));
    let whole = distance(text, id);
    let part = distance(&short, &own) + 1;
    let held = short.len() > 2 && own.split('-').any(|word| word == short);
    whole.min(part).min(if held { 2 } else { usize::MAX })
}

/// How many letters have to be put in, taken out or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
    use super::*;

    fn ids(text: &str) -> Vec<&'static str> {
        selection(text)
            .map(|s| s.0.iter().map(|rule| rule.id).collect())
            .unwrap_or_default()
    }

    #[test]
    fn names_and_groups() {
        assert_eq!(ids("framing/crlf"), ["framing/crlf"]);
        assert!(ids("framing/*").iter().all(|id| id.starts_with("framing/")));
        assert!(ids("framing/*").len() > 5);
        assert_eq!(ids("*").len(), rules::RULES.len());
        for bad in [
            "",
            "crlf",
            "framing",
            "framing/",
            "fr*",
            "framing/c*",
            "FRAMING/*",
        ] {
            assert_eq!(ids(bad), [""; 0], "{bad}");
        }
    }

    #[test]
    fn near_names_are_suggested() {
        let suggested = |text| selection(text).unwrap_err();
        assert!(suggested("framing/crfl").contains("`framing/crlf`"));
        assert!(suggested("crlf").contains("`framing/crlf`"));
        assert!(suggested("schema/crlf").contains("`framing/crlf`"));
        assert!(suggested("utf8").contains("`framing/invalid-utf8`"));
        for group in ["framing", "framing/", "framing*"] {
            assert!(suggested(group).contains("`framing/*`"), "{group}");
        }
        assert!(suggested("nothing-like-it").contains("codex-wire rules"));
        assert!(suggested("").contains("codex-wire rules"));
    }

    #[test]
    fn later_flags_win() {
        let levels = |words: &[&str]| {
            let command = LevelFlags::augment_args(Command::new("t").no_binary_name(true));
            let matches = command.try_get_matches_from(words).unwrap();
            LevelFlags::from_arg_matches(&matches).unwrap().levels()
        };
        let crlf = |words: &[&str]| levels(words).get(&rules::CRLF);
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

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
