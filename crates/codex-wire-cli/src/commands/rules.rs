//! Implements `codex-wire rules`: lists the rules.
//!
//! As JSON: `{"version":1,"rules":[{"id","group","level","status","about":["exec"…],"releases":
//! {"since","until"},"summary","explanation","evidence","exceptions":[{"releases","of","level",
//! "seen"}]}]}`. An open end of `releases` is left out. A `level` of `null` means that the
//! exception is allowed.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use clap::Args;
use codex_wire_base::Protocol;
use codex_wire_base::shape::ReleaseBounds;
use codex_wire_check::{Exception, Rule, Severity, rules};
use codex_wire_report::{Format, Styles};
use serde_json::{Value, json};

use crate::flags::values::{named, protocol, text_or_json};
use crate::word_wrap::wrapped;
use crate::{output, rule_names};

const EXAMPLES: &str = "\
Examples:
  codex-wire rules
  codex-wire rules sequence --protocol exec
  codex-wire rules --format json | jq -r '.rules[] | select(.status == \"advisory\") | .id'";

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
        Format::Json => json(&mut out, &rules)?,
        _ => text(&mut out, &rules)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let bold = Style::new().bold();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        let style = Styles::coloured().severity(rule.level);
        writeln!(
            out,
            "{bold}{:<width$}{bold:#}  {style}{}{style:#}  {}",
            rule.id,
            rule.level,
            rule.status.as_str(),
        )?;
        write!(out, "{}", wrapped(rule.summary, 4))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let rule = |rule: &&Rule| {
        let about: Vec<_> = rule
            .about
            .iter()
            .map(|message_set| message_set.as_str())
            .collect();
        let exceptions: Vec<_> = rule.exceptions.iter().map(exception).collect();
        json!({
            "id": rule.id,
            "group": rule.group(),
            "level": rule.level.as_str(),
            "status": rule.status.as_str(),
            "about": about,
            "releases": releases(rule.releases),
            "summary": rule.summary,
            "explanation": rule.explanation,
            "evidence": rule.evidence,
            "exceptions": exceptions,
        })
    };
    let rules: Vec<_> = rules.iter().map(rule).collect();
    serde_json::to_writer_pretty(&mut *out, &json!({"version": 1, "rules": rules}))?;
    writeln!(out)
}

fn exception(exception: &Exception) -> Value {
    json!({
        "releases": releases(exception.releases),
        "of": exception.of,
        "level": exception.level.map(Severity::as_str),
        "seen": exception.seen,
    })
}

fn releases(releases: ReleaseBounds) -> Value {
    let ends = [("since", releases.since), ("until", releases.until)];
    ends.into_iter()
        .filter_map(|(name, end)| Some((name.to_owned(), Value::from(end?.to_string()))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
