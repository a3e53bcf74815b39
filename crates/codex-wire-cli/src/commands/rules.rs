//! Implements `codex-wire rules`: lists the rules.

use std::io::Write as _;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Args;
use codex_wire_base::Protocol;
use codex_wire_check::{Rule, rule_names, rules};
use codex_wire_report::rules::{write_rules, write_rules_json};
use codex_wire_report::{Format, Styles};

use crate::flags::values::{named, protocol, text_or_json};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  codex-wire rules
  codex-wire rules sequence --protocol exec
  codex-wire rules --format json | jq -r '.rules[] | select(.status == \"advisory\") | .id'

Exit codes:
  0  the rules were listed
  2  no rule of the group is about the protocol";

/// List the rules
///
/// Prints the name of each rule, its level, whether real Codex always respects it (holds) or not
/// (advisory), and what it requires.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulesArgs {
    /// Only rules of this group
    #[arg(value_name = "GROUP", value_parser = named(rule_names::groups(), |group| group))]
    pub(crate) group: Option<&'static str>,

    /// Only rules about this protocol
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The output format
    #[arg(long, value_parser = text_or_json(), default_value = Format::Text.as_str())]
    pub(crate) format: Format,
}

/// Lists the rules.
pub(crate) fn run(args: &RulesArgs, color: ColorChoice) -> anyhow::Result<ExitCode> {
    let wanted = |rule: &&&Rule| {
        args.group
            .as_ref()
            .is_none_or(|group| rule.group() == *group)
            && args.protocol.is_none_or(|protocol| rule.concerns(protocol))
    };
    let rules: Vec<&Rule> = rules::RULES.iter().filter(wanted).copied().collect();
    if rules.is_empty() {
        anyhow::bail!("no rule of this group is about this protocol");
    }
    let mut out = output::stdout(color);
    match args.format {
        Format::Json => write_rules_json(&mut out, &rules)?,
        _ => write_rules(&mut out, &rules, &Styles::coloured())?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
