//! Implements `codex-wire explain RULE`: what a rule requires, why, and in which releases it does
//! not hold.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use codex_wire_check::{Exception, Rule, rules as registry};

use crate::args::ExplainArgs;
use crate::wrap::wrapped;
use crate::{levels, output, rules};

/// Where the pages are that show the transcripts whole.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules");

/// Explains a rule.
pub(crate) fn run(args: &ExplainArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let Some(rule) = registry::find(&args.rule) else {
        if let Some(rule) = registry::renamed(&args.rule) {
            anyhow::bail!("`{}` is called `{}` now", args.rule, rule.id);
        }
        let near = levels::suggestion(&args.rule);
        anyhow::bail!("there is no rule `{}`; {near}", args.rule);
    };
    let mut out = output::stdout(color);
    text(&mut out, rule)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let bold = Style::new().bold();
    let style = rules::style(rule.level);
    writeln!(
        out,
        "{bold}{}{bold:#}  {style}{}{style:#}  {}\n",
        rule.id,
        rule.level,
        rule.status.as_str()
    )?;
    write!(
        out,
        "{}",
        wrapped(&format!("Requires that {}.", rule.demands), 0)
    )?;
    write!(out, "\n{}", wrapped(rule.reading, 0))?;
    writeln!(out, "\n{bold}Applies to{bold:#}\n{}", about(rule))?;
    if !rule.exceptions.is_empty() {
        writeln!(out, "\n{bold}Exceptions{bold:#}")?;
        for exception in rule.exceptions {
            write!(out, "{}", wrapped(&told(exception), 2))?;
        }
    }
    writeln!(out, "\n{bold}Evidence{bold:#}")?;
    write!(out, "{}", wrapped(rule.evidence, 2))?;
    examples(out, rule)?;
    writeln!(out, "\nBoth transcripts in full: {PAGES}/{}.md", rule.id)
}

/// Transcripts of all rules, one that respects and one that breaks each, shortened to what
/// matters. Written by the tests of the rules.
const EXAMPLES: &str = include_str!("explain/examples.txt");

/// What the rule's page shows, in short: its titles stand at the margin.
fn examples(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let bold = Style::new().bold();
    let own = EXAMPLES
        .lines()
        .skip_while(|line| line.strip_prefix("= ") != Some(rule.id))
        .skip(1)
        .take_while(|line| !line.starts_with("= "));
    for line in own.filter(|line| !line.is_empty()) {
        match line.starts_with(' ') {
            true => writeln!(out, "{}", line.trim_end())?,
            false => writeln!(out, "\n{bold}{line}{bold:#}")?,
        }
    }
    Ok(())
}

fn about(rule: &Rule) -> String {
    let surfaces: Vec<_> = rule.about.iter().map(|surface| surface.as_str()).collect();
    let streams = match surfaces.as_slice() {
        [] => "all streams".to_owned(),
        some => some.join(", "),
    };
    format!("  {streams}; {}", rule.releases)
}

fn told(exception: &Exception) -> String {
    let of = match exception.of {
        [] => String::new(),
        kinds => format!(", {}", kinds.join(" and ")),
    };
    let level = match exception.level {
        Some(level) => level.as_str(),
        None => "allowed",
    };
    format!("{}{of}: {level}; {}.", exception.releases, exception.seen)
}
