//! Implements `codex-wire rules`: lists the rules.
//!
//! As JSON: `{"version":1,"rules":[{"id","group","level","status","about":["exec"…],"releases":
//! {"since","until"},"demands","reading","evidence","exceptions":[{"releases","of","level",
//! "seen"}]}]}`. Ends that are open are left out of `releases`; a `level` of `null` means that
//! it is not a violation there.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::ColorChoice;
use anstyle::Style;
use codex_wire_base::shape::Lifetime;
use codex_wire_check::{Exception, Rule, Severity, rules};
use codex_wire_report::{Format, Styles};
use serde_json::{Value, json};

use crate::args::RulesArgs;
use crate::output;
use crate::wrap::wrapped;

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

/// The names of the groups, in order.
pub(crate) fn groups() -> Vec<&'static str> {
    let mut groups: Vec<_> = rules::RULES.iter().map(|rule| rule.group()).collect();
    groups.dedup();
    groups
}

/// The colour of a level.
pub(crate) fn style(level: Severity) -> Style {
    let styles = Styles::coloured();
    match level {
        Severity::Error => styles.deny,
        Severity::Warning => styles.warn,
        Severity::Note => styles.note,
    }
}

fn text(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let bold = Style::new().bold();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        let style = style(rule.level);
        writeln!(
            out,
            "{bold}{:<width$}{bold:#}  {style}{}{style:#}  {}",
            rule.id,
            rule.level,
            rule.status.as_str(),
        )?;
        write!(out, "{}", wrapped(rule.demands, 4))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let rule = |rule: &&Rule| {
        let about: Vec<_> = rule.about.iter().map(|surface| surface.as_str()).collect();
        let exceptions: Vec<_> = rule.exceptions.iter().map(exception).collect();
        json!({
            "id": rule.id,
            "group": rule.group(),
            "level": rule.level.as_str(),
            "status": rule.status.as_str(),
            "about": about,
            "releases": releases(rule.releases),
            "demands": rule.demands,
            "reading": rule.reading,
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

fn releases(life: Lifetime) -> Value {
    let ends = [("since", life.since), ("until", life.until)];
    ends.into_iter()
        .filter_map(|(name, end)| Some((name.to_owned(), Value::from(end?.to_string()))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
