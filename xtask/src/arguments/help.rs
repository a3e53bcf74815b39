//! Reads help texts of Codex: which options, values and commands there are.

/// What the help of a command says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Help {
    /// The commands below this one, each with its other names.
    pub(super) commands: Vec<Vec<String>>,
    /// The arguments that have no flag, in their order: `[PROMPT]`, `<SESSION_ID>`.
    pub(super) positionals: Vec<String>,
    /// The options, in their order.
    pub(super) options: Vec<Opt>,
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Opt {
    /// The letter of its short flag.
    pub(super) short: Option<char>,
    /// The word of its long flag.
    pub(super) long: String,
    /// The name of its value, if it takes one.
    pub(super) value: Option<String>,
    /// Whether one flag can have several values.
    pub(super) is_many: bool,
    /// The only values it takes; any if there are none.
    pub(super) values: Vec<String>,
    /// Whether its value is a plain name. No help says so, and neither of the following.
    pub(super) is_plain: bool,
    /// Whether it may be given again.
    pub(super) repeats: bool,
    /// Whether no help shows it.
    pub(super) is_hidden: bool,
}

impl Opt {
    /// Its long flag, with the dashes.
    pub(super) fn flag(&self) -> String {
        format!("--{}", self.long)
    }

    /// As a fact: `--image -i <FILE>... repeats`.
    pub(super) fn fact(&self) -> String {
        let mut fact = self.flag();
        if let Some(short) = self.short {
            fact += &format!(" -{short}");
        }
        if let Some(value) = &self.value {
            fact += &format!(" <{value}>{}", if self.is_many { "..." } else { "" });
        }
        if !self.values.is_empty() {
            fact += &format!(" of {}", self.values.join("|"));
        }
        for (is_so, word) in [
            (self.is_plain, " plain"),
            (self.repeats, " repeats"),
            (self.is_hidden, " hidden"),
        ] {
            fact += if is_so { word } else { "" };
        }
        fact
    }
}

/// The parts of a help text, each below its own heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    About,
    Usage,
    Commands,
    Arguments,
    Options,
}

impl Help {
    /// All that it says, as facts.
    pub(super) fn facts(&self) -> impl Iterator<Item = String> {
        let options = self.options.iter();
        let options = options.filter(|option| !["help", "version"].contains(&option.long.as_str()));
        self.others().chain(options.map(Opt::fact))
    }

    /// What it says of other things than options, and whether there is a version, as facts.
    pub(super) fn others(&self) -> impl Iterator<Item = String> {
        let positionals = self.positionals.join(" ");
        let positionals = (!positionals.is_empty()).then_some(positionals);
        let commands = self.commands.iter().filter(|names| names[0] != "help");
        let commands = commands.map(|names| format!("command {}", names.join(" ")));
        let version = self.options.iter().find(|option| option.long == "version");
        let others = positionals.into_iter().chain(version.map(Opt::fact));
        others.chain(commands)
    }

    /// Reads the text that `--help` prints.
    pub(super) fn read(text: &str) -> Self {
        let mut help = Help::default();
        let mut part = Part::About;
        let mut explanation = String::new();
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            let is_heading = indent == 0 && line.ends_with(':');
            let is_usage = line.starts_with("Usage: ");
            // An entry begins left of its explanation, which may name values that it takes.
            let is_entry = (2..=7).contains(&indent) && part != Part::Usage;
            if is_heading || is_usage || is_entry {
                help.explain(&explanation);
                explanation.clear();
            }
            match line.trim() {
                _ if is_usage => part = Part::Usage,
                "Commands:" if is_heading => part = Part::Commands,
                "Arguments:" if is_heading => part = Part::Arguments,
                // Some releases have further headings, all of them above options.
                _ if is_heading && part != Part::About => part = Part::Options,
                "" => {
                    if part == Part::Usage {
                        part = Part::Options;
                    }
                    explanation.push('\n');
                }
                _ if part == Part::Usage => {}
                text if is_entry => help.entry(part, text),
                text => {
                    explanation.push_str(text);
                    explanation.push('\n');
                }
            }
        }
        help.explain(&explanation);
        help
    }

    fn entry(&mut self, part: Part, text: &str) {
        match part {
            Part::Commands => self.commands.push(subcommand(text)),
            Part::Arguments => self.positionals.extend(positional(text).map(str::to_owned)),
            Part::Options => self.options.extend(option(text)),
            Part::About | Part::Usage => {}
        }
    }

    /// The explanation of the last option names the values that it takes.
    fn explain(&mut self, explanation: &str) {
        let Some(option) = self.options.last_mut() else {
            return;
        };
        if option.value.is_none() || !option.values.is_empty() {
            return;
        }
        if let Some((_, list)) = explanation.split_once("[possible values: ") {
            let list = list.split(']').next().unwrap_or_default();
            option.values = list
                .split(',')
                .map(|value| value.trim().to_owned())
                .collect();
        } else if let Some((_, list)) = explanation.split_once("Possible values:\n") {
            let value = |line: &str| {
                let value = line.strip_prefix("- ")?.split(':').next()?;
                Some(value.trim().to_owned())
            };
            option.values = list.lines().filter_map(value).collect();
        }
    }
}

/// The name of a command and its other names.
fn subcommand(text: &str) -> Vec<String> {
    let name = text.split(' ').next().unwrap_or_default();
    let aliases = text.split_once("[aliases: ").map(|(_, rest)| rest);
    let aliases = aliases.and_then(|rest| rest.split(']').next());
    let aliases = aliases.into_iter().flat_map(|list| list.split(", "));
    std::iter::once(name)
        .chain(aliases)
        .map(str::to_owned)
        .collect()
}

/// `[PROMPT]` or `<SESSION_ID>`, and in some help an explanation behind it.
fn positional(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '[' => ']',
        '<' => '>',
        _ => return None,
    };
    text.get(..=text.find(close)?)
}

/// `-c, --config <key=value>`, `--json`, `-i, --image <FILE>...`, and in short help an explanation
/// behind it.
fn option(text: &str) -> Option<Opt> {
    let mut option = Opt::default();
    let mut rest = text;
    if let Some((short, long)) = text.split_once(", --") {
        option.short = short.strip_prefix('-')?.chars().next();
        rest = long;
    } else {
        rest = rest.strip_prefix("--")?;
    }
    let end = rest.find([' ', '[']).unwrap_or(rest.len());
    option.long = rest[..end].to_owned();
    if let Some(value) = rest[end..].strip_prefix(" <") {
        let (value, behind) = value.split_once('>')?;
        option.value = Some(value.to_owned());
        option.is_many = behind.starts_with("...");
    }
    Some(option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_help_is_read() {
        let help = Help::read(
            "About: not an option\n\nUsage: codex x [OPTIONS] [PROMPT]\n       codex x <COMMAND>\n\n\
             Commands:\n  resume  Go on [aliases: r, again]\n          and on\n  help    This\n\n\
             Arguments:\n  [PROMPT]\n          Text\n\n  <ID>\n          Ids\n\n\
             Options:\n  -i, --image <FILE>...\n          Images\n          \n      --json\n          \
             Lines\n\n  -s, --sandbox <MODE>\n          Which\n          \n          [default: a]\n          \
             [possible values: a, b,\n          c]\n\n      --policy <P>\n          When\n\n          \
             Possible values:\n          - on:  If\n            so\n          - never: No\n\n\
             More options:\n  -h, --help\n          Print help\n",
        );
        assert_eq!(help.commands, [vec!["resume", "r", "again"], vec!["help"]]);
        assert_eq!(help.positionals, ["[PROMPT]", "<ID>"]);
        let flags: Vec<_> = help.options.iter().map(Opt::flag).collect();
        assert_eq!(
            flags,
            ["--image", "--json", "--sandbox", "--policy", "--help"]
        );
        let [image, json, sandbox, policy, last] = &help.options[..] else {
            panic!()
        };
        assert_eq!(
            (image.short, image.value.as_deref(), image.is_many),
            (Some('i'), Some("FILE"), true)
        );
        assert_eq!((json.short, &json.value), (None, &None));
        assert_eq!(sandbox.values, ["a", "b", "c"]);
        assert_eq!(policy.values, ["on", "never"]);
        assert_eq!(last.short, Some('h'));
        let facts: Vec<String> = help.facts().collect();
        let expected = [
            "[PROMPT] <ID>",
            "command resume r again",
            "--image -i <FILE>...",
            "--json",
            "--sandbox -s <MODE> of a|b|c",
            "--policy <P> of on|never",
        ];
        assert_eq!(facts, expected);
    }
}
