//! Implements `codex-wire explain RULE`: what a rule requires, why, and in which releases it does
//! not hold.

use std::io::Write as _;
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use clap::Args;
use codex_wire_check::{rule_names, rules};
use codex_wire_replay::faults::{self, Injection};
use codex_wire_report::rules::{write_client_rule, write_rule};
use codex_wire_report::{Styles, wrapped};

use crate::output;

const EXAMPLES: &str = "\
Examples:
  codex-wire explain sequence/exec-open-at-completion
  codex-wire explain turn-fails
      A fault, as `codex-wire faults` lists it; `fault/turn-fails` is the same.

Exit codes:
  0  it was explained
  2  nothing has this name";

/// Explain a rule or a fault: what it requires or does, why, and in which releases
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The name of the rule, as in findings, or of a fault, as `replay --fault` takes it and `faults` lists it
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,
}

/// The pages that show the transcripts in full.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules");

/// The pages of commands.
const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs");

/// The pages of faults.
const FAULT_PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/faults");

/// Transcripts of all rules, one that respects and one that breaks each, shortened to what
/// matters. Written by the tests of the rules.
const TRANSCRIPTS: &str = include_str!("explain/examples.txt");

/// Explains a rule.
pub(crate) fn run(args: &ExplainArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    if args.rule.starts_with("fault/") {
        return explain_fault(&args.rule, color);
    }
    let mut out = output::stdout(color);
    let styles = Styles::coloured();
    if let Some(rule) = codex_wire_live::rules().find(|rule| rule.id == args.rule) {
        let page = match rule.group() {
            "conformance" => "conformance.md",
            _ => "replay.md",
        };
        write_client_rule(&mut out, rule, &format!("{DOCS}/{page}"), &styles)?;
    } else if let Some(rule) = rules::find(&args.rule) {
        let page = format!("{PAGES}/{}.md", rule.id);
        write_rule(&mut out, rule, TRANSCRIPTS, &page, &styles)?;
    } else if let Some(fault) = faults::find(&args.rule) {
        return explain_fault(fault.id, color);
    } else {
        let name = &args.rule;
        let group = name.strip_suffix("/*").unwrap_or(name);
        if rule_names::groups().contains(&group) {
            anyhow::bail!("`{name}` is a group: `codex-wire rules {group}` lists its rules");
        }
        let fault = Injection::parse(name).err().map(|error| error.to_string());
        match (rule_names::suggestion(name), fault) {
            (rule, _) if rule.starts_with("did you mean") => {
                anyhow::bail!("there is no rule `{name}`; {rule}")
            }
            (_, Some(fault)) if fault.contains("did you mean") => anyhow::bail!(fault),
            _ => anyhow::bail!(
                "there is no rule or fault `{name}`; `codex-wire rules` and `codex-wire faults` list them"
            ),
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Explains a fault that `replay --fault` injects.
fn explain_fault(id: &str, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let Some(fault) = faults::find(id) else {
        anyhow::bail!("there is no fault `{id}`; `codex-wire faults` lists them");
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
