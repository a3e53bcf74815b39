//! The table of scenarios and releases, the findings as text, and the badge.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;
use codex_wire_base::Release;
use codex_wire_check::Severity;
use codex_wire_live::conformance::{Outcome, Tried};
use codex_wire_report::Styles;
use serde_json::json;

/// What came of a scenario in a release.
#[derive(Default)]
struct Cell {
    passed: usize,
    tried: usize,
    /// What was found first: the name of the finding and of the fault.
    first: Option<String>,
    /// Findings that the baseline lists.
    expected: usize,
    unfit: Option<String>,
}

fn cell(all: &[Tried], name: &str, release: Release) -> Option<Cell> {
    let own = all
        .iter()
        .filter(|t| t.scenario.name() == name && t.scenario.release() == release);
    let mut cell = None;
    for tried in own {
        let cell = cell.get_or_insert_with(Cell::default);
        match &tried.outcome {
            Outcome::DoesNotFit(reason) => cell.unfit = Some(reason.clone()),
            Outcome::Ran { findings, .. } => {
                cell.tried += 1;
                cell.expected += findings.iter().filter(|f| f.expected.is_some()).count();
                match tried.worst() {
                    None => cell.passed += 1,
                    Some(finding) => {
                        let fault = tried.fault.map_or("undisturbed", |fault| fault.short());
                        cell.first
                            .get_or_insert_with(|| format!("{} ({fault})", finding.rule.id));
                    }
                }
            }
            _ => {}
        }
    }
    cell
}

/// The names of scenarios, in order, and the releases, oldest first.
fn axes(all: &[Tried]) -> (Vec<&str>, Vec<Release>) {
    let mut names: Vec<&str> = Vec::new();
    for tried in all {
        if !names.contains(&tried.scenario.name()) {
            names.push(tried.scenario.name());
        }
    }
    let releases: BTreeSet<Release> = all.iter().map(|tried| tried.scenario.release()).collect();
    (names, releases.into_iter().collect())
}

/// Writes what was tried, and the findings.
pub(super) fn text(out: &mut dyn Write, all: &[Tried], styles: &Styles) -> io::Result<()> {
    let (names, releases) = axes(all);
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let bold = Style::new().bold();
    for name in names {
        for release in &releases {
            let Some(cell) = cell(all, name, *release) else {
                continue;
            };
            let shown = release.to_string();
            write!(out, "{bold}{name:<width$}{bold:#}  {shown:<8}  ")?;
            match (&cell.unfit, &cell.first) {
                (Some(reason), _) => writeln!(out, "does not fit: {reason}")?,
                (None, first) => {
                    write!(out, "{} of {} passed", cell.passed, cell.tried)?;
                    if cell.expected > 0 {
                        write!(out, ", {} expected", cell.expected)?;
                    }
                    match first {
                        Some(first) => writeln!(out, "; first: {first}")?,
                        None => writeln!(out)?,
                    }
                }
            }
        }
    }
    for tried in all {
        let findings = tried.findings().iter();
        for finding in findings.filter(|finding| finding.expected.is_none()) {
            let style = styles.severity(finding.severity);
            let (severity, id) = (finding.severity, finding.rule.id);
            writeln!(
                out,
                "\n{style}{severity}{style:#}[{id}] {}: {}",
                tried.path(),
                finding.message
            )?;
            if let Some(help) = &finding.help {
                writeln!(out, "    {help}")?;
            }
        }
    }
    let (failed, warned) = totals(all);
    let tried = all.iter().filter(|tried| tried.has_run()).count();
    writeln!(
        out,
        "\n{tried} {}: {} passed, {failed} failed, {warned} warnings",
        if tried == 1 { "run" } else { "runs" },
        tried - failed
    )
}

/// The number of runs that failed, and of warnings.
fn totals(all: &[Tried]) -> (usize, usize) {
    let failed = all.iter().filter(|tried| tried.worst().is_some()).count();
    let findings = all.iter().flat_map(Tried::findings);
    let is_warning =
        |f: &&codex_wire_check::Finding| f.severity == Severity::Warning && f.expected.is_none();
    (failed, findings.filter(is_warning).count())
}

/// The table of scenarios and releases, with the first thing that breaks.
pub(super) fn markdown(all: &[Tried]) -> String {
    let (names, releases) = axes(all);
    let head: Vec<String> = releases.iter().map(ToString::to_string).collect();
    let mut out = format!(
        "| scenario | {} |\n|---{}|\n",
        head.join(" | "),
        "|---".repeat(head.len())
    );
    for name in names {
        let cells = releases
            .iter()
            .map(|release| match cell(all, name, *release) {
                None => "–".to_owned(),
                Some(Cell { unfit: Some(_), .. }) => "does not fit".to_owned(),
                Some(Cell {
                    first: None,
                    passed,
                    ..
                }) => format!("{passed} passed"),
                Some(Cell {
                    first: Some(first),
                    passed,
                    tried,
                    ..
                }) => format!("{passed} of {tried}: {first}"),
            });
        let cells: Vec<String> = cells.collect();
        let name = name.replace('|', r"\|").replace(['\n', '\r'], " ");
        out += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    out
}

/// The badge, as an endpoint of shields.io reads it.
pub(super) fn badge(all: &[Tried]) -> String {
    let tried = all.iter().filter(|tried| tried.has_run()).count();
    let (failed, _) = totals(all);
    let color = match failed {
        0 => "brightgreen",
        _ if failed * 4 <= tried => "yellow",
        _ => "red",
    };
    let badge = json!({
        "schemaVersion": 1,
        "label": "codex-wire conformance",
        "message": format!("{} of {tried}", tried - failed),
        "color": color,
    });
    format!("{badge}\n")
}
