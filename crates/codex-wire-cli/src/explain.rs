//! `codex-wire explain RULE`: what a rule demands, why, and where it does not hold.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use codex_wire_check::{Exception, Rule, rules as registry};

use crate::args::ExplainArgs;
use crate::wrap::wrapped;
use crate::{levels, output, rules};

/// Where the pages are that show a transcript which breaks the rule.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules");

/// Explains a rule.
pub(crate) fn run(args: &ExplainArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let Some(rule) = registry::find(&args.rule) else {
        let near = levels::suggestion(&args.rule);
        anyhow::bail!("`{}` is no rule; {near}", args.rule);
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
        wrapped(&format!("Demands that {}.", rule.demands), 0)
    )?;
    write!(out, "\n{}", wrapped(rule.reading, 0))?;
    writeln!(out, "\n{bold}About{bold:#}\n{}", about(rule))?;
    if !rule.exceptions.is_empty() {
        writeln!(out, "\n{bold}Exceptions{bold:#}")?;
        for exception in rule.exceptions {
            write!(out, "{}", wrapped(&told(exception), 2))?;
        }
    }
    writeln!(out, "\n{bold}Evidence{bold:#}")?;
    write!(out, "{}", wrapped(rule.evidence, 2))?;
    writeln!(out, "\nWith transcripts: {PAGES}/{}.md", rule.id)
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
        None => "no breach",
    };
    format!("{}{of}: {level}; {}.", exception.releases, exception.seen)
}
