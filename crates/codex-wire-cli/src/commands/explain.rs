//! Implements `codex-wire explain RULE`: what a rule requires, why, and in which releases it does
//! not hold.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use clap::Args;
use codex_wire_check::{Exception, Rule, rules};
use codex_wire_replay::faults;
use codex_wire_report::Styles;

use crate::word_wrap::wrapped;
use crate::{output, rule_names};

const EXAMPLES: &str = "\
Examples:
  codex-wire explain sequence/exec-open-at-completion
  codex-wire explain fault/turn-fails";

/// Explain a rule or a fault: what it requires or does, why, and in which releases
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The name of the rule, as in findings, or of a fault, as `replay --fault` takes it
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,
}

/// The pages that show the transcripts in full.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules");

/// The pages of commands.
const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs");

/// The pages of faults.
const FAULT_PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/faults");

/// Explains a rule.
pub(crate) fn run(args: &ExplainArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    if args.rule.starts_with("fault/") {
        return explain_fault(&args.rule, color);
    }
    if let Some(rule) = codex_wire_live::rules().find(|rule| rule.id == args.rule) {
        return explain_of_program(rule, color);
    }
    let Some(rule) = rules::find(&args.rule) else {
        let similar = rule_names::suggestion(&args.rule);
        anyhow::bail!("there is no rule `{}`; {similar}", args.rule);
    };
    let mut out = output::stdout(color);
    text(&mut out, rule)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Explains a rule about a client that runs. It has no transcripts: what a client shows is none.
fn explain_of_program(rule: &Rule, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let mut out = output::stdout(color);
    let bold = Style::new().bold();
    let style = Styles::coloured().severity(rule.level);
    let (id, level) = (rule.id, rule.level);
    writeln!(out, "{bold}{id}{bold:#}  {style}{level}{style:#}\n")?;
    let summary = format!("Requires that {}.", rule.summary);
    write!(out, "{}", wrapped(&summary, 0))?;
    write!(out, "\n{}", wrapped(rule.explanation, 0))?;
    let page = match rule.group() {
        "conformance" => "conformance.md",
        _ => "replay.md",
    };
    writeln!(out, "\nThe page: {DOCS}/{page}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Explains a fault that `replay --fault` injects.
fn explain_fault(id: &str, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let Some(fault) = faults::find(id) else {
        let all: Vec<&str> = faults::FAULTS.iter().map(|fault| fault.id).collect();
        anyhow::bail!("there is no fault `{id}`; there are {}", all.join(", "));
    };
    let mut out = output::stdout(color);
    let bold = Style::new().bold();
    let protocols: Vec<&str> = fault
        .protocols
        .iter()
        .map(|protocol| protocol.as_str())
        .collect();
    writeln!(out, "{bold}{}{bold:#}  {}\n", fault.id, fault.summary)?;
    write!(out, "{}", wrapped(fault.stand_in, 0))?;
    write!(
        out,
        "\n{bold}What a client should do{bold:#}\n{}",
        wrapped(fault.client, 2)
    )?;
    writeln!(
        out,
        "\n{bold}Applies to{bold:#}\n  {}; {}",
        protocols.join(", "),
        fault.since
    )?;
    let place = format!("`{}`: {}.", fault.short(), fault.place.sentence());
    write!(out, "\n{bold}Where{bold:#}\n{}", wrapped(&place, 2))?;
    write!(
        out,
        "\n{bold}Evidence{bold:#}\n{}",
        wrapped(fault.evidence, 2)
    )?;
    writeln!(out, "\nThe page: {FAULT_PAGES}/{}.md", fault.short())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let bold = Style::new().bold();
    let style = Styles::coloured().severity(rule.level);
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
        wrapped(&format!("Requires that {}.", rule.summary), 0)
    )?;
    write!(out, "\n{}", wrapped(rule.explanation, 0))?;
    writeln!(out, "\n{bold}Applies to{bold:#}\n{}", applies_to(rule))?;
    if !rule.exceptions.is_empty() {
        writeln!(out, "\n{bold}Exceptions{bold:#}")?;
        for exception in rule.exceptions {
            write!(out, "{}", wrapped(&sentence(exception), 2))?;
        }
    }
    writeln!(out, "\n{bold}Evidence{bold:#}")?;
    write!(out, "{}", wrapped(rule.evidence, 2))?;
    examples(out, rule)?;
    writeln!(out, "\nBoth transcripts in full: {PAGES}/{}.md", rule.id)
}

/// Transcripts of all rules, one that respects and one that breaks each, shortened to what
/// matters. Written by the tests of the rules.
const TRANSCRIPTS: &str = include_str!("explain/examples.txt");

/// Writes the transcripts of the rule. Lines without indentation are titles.
fn examples(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let bold = Style::new().bold();
    let own = TRANSCRIPTS
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

fn applies_to(rule: &Rule) -> String {
    let message_sets: Vec<_> = rule
        .about
        .iter()
        .map(|message_set| message_set.as_str())
        .collect();
    let streams = match message_sets.as_slice() {
        [] => "all streams".to_owned(),
        some => some.join(", "),
    };
    format!("  {streams}; {}", rule.releases)
}

fn sentence(exception: &Exception) -> String {
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
