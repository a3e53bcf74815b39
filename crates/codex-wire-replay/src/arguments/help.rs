//! Reads help texts, as clap writes them: which options, values and commands there are.

/// What the help of a command says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// The lines behind `Usage:`.
    pub usage: Vec<String>,
    /// The commands below this one.
    pub commands: Vec<Subcommand>,
    /// The arguments that have no flag, in their order.
    pub positionals: Vec<Positional>,
    /// The options, in their order.
    pub options: Vec<Opt>,
}

/// A command below another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subcommand {
    /// Its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
}

/// An argument without a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positional {
    /// As the help writes it, without its brackets: `PROMPT`.
    pub name: String,
    /// Whether it cannot be left out.
    pub is_required: bool,
    /// Whether there can be several.
    pub is_many: bool,
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opt {
    /// The letter of its short flag.
    pub short: Option<char>,
    /// The word of its long flag.
    pub long: String,
    /// The name of its value, if it takes one.
    pub value: Option<String>,
    /// Whether one flag can have several values.
    pub is_many: bool,
    /// The only values it takes; any if there are none.
    pub values: Vec<String>,
}

impl Opt {
    /// Its long flag, with the dashes.
    pub fn flag(&self) -> String {
        format!("--{}", self.long)
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
    /// Reads the text that `--help` prints.
    pub fn read(text: &str) -> Self {
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
                _ if is_usage => {
                    part = Part::Usage;
                    help.usage.push(line["Usage: ".len()..].to_owned());
                }
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
                text if part == Part::Usage => help.usage.push(text.to_owned()),
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
            Part::Arguments => self.positionals.extend(positional(text)),
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

fn subcommand(text: &str) -> Subcommand {
    let aliases = text.split_once("[aliases: ").map(|(_, rest)| rest);
    let aliases = aliases
        .and_then(|rest| rest.split(']').next())
        .unwrap_or_default();
    Subcommand {
        name: text.split(' ').next().unwrap_or_default().to_owned(),
        aliases: words(aliases),
    }
}

fn words(list: &str) -> Vec<String> {
    let words = list.split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `[PROMPT]`, `<SESSION_ID>` or `[PATH]...`, and in short help an explanation behind it.
fn positional(text: &str) -> Option<Positional> {
    let close = match text.chars().next()? {
        '[' => ']',
        '<' => '>',
        _ => return None,
    };
    let end = text.find(close)?;
    Some(Positional {
        name: text[1..end].to_owned(),
        is_required: close == '>',
        is_many: text[end + 1..].starts_with("..."),
    })
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
             Arguments:\n  [PROMPT]\n          Text\n\n  <ID>...\n          Ids\n\n\
             Options:\n  -i, --image <FILE>...\n          Images\n          \n      --json\n          \
             Lines\n\n  -s, --sandbox <MODE>\n          Which\n          \n          [default: a]\n          \
             [possible values: a, b,\n          c]\n\n      --policy <P>\n          When\n\n          \
             Possible values:\n          - on:  If\n            so\n          - never: No\n\n\
             More options:\n  -h, --help\n          Print help\n",
        );
        assert_eq!(
            help.usage,
            ["codex x [OPTIONS] [PROMPT]", "codex x <COMMAND>"]
        );
        let names: Vec<_> = help.commands.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["resume", "help"]);
        assert_eq!(help.commands[0].aliases, ["r", "again"]);
        let positionals: Vec<_> = help
            .positionals
            .iter()
            .map(|one| (one.name.as_str(), one.is_required, one.is_many))
            .collect();
        assert_eq!(positionals, [("PROMPT", false, false), ("ID", true, true)]);
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
    }
}
