//! The table of scenarios and releases, the findings as text, and the badge.

use std::io::{self, Write};

use anstyle::Style;
use codex_wire_live::conformance::{Cell, Matrix, Tried};
use codex_wire_report::Styles;
use serde_json::json;

/// Writes what was tried, and the findings.
pub(super) fn text(out: &mut dyn Write, all: &[Tried], styles: &Styles) -> io::Result<()> {
    let matrix = Matrix::new(all);
    let (names, releases) = (matrix.names(), matrix.releases());
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let bold = Style::new().bold();
    for name in names {
        for release in &releases {
            let Some(cell) = matrix.cell(name, *release) else {
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
    let (tried, failed, warned) = (matrix.runs(), matrix.failed(), matrix.warnings());
    writeln!(
        out,
        "\n{tried} {}: {} passed, {failed} failed, {warned} warnings",
        if tried == 1 { "run" } else { "runs" },
        tried - failed
    )
}

/// The table of scenarios and releases, with the first thing that breaks.
pub(super) fn markdown(all: &[Tried]) -> String {
    let matrix = Matrix::new(all);
    let releases = matrix.releases();
    let head: Vec<String> = releases.iter().map(ToString::to_string).collect();
    let mut out = format!(
        "| scenario | {} |\n|---{}|\n",
        head.join(" | "),
        "|---".repeat(head.len())
    );
    for name in matrix.names() {
        let cells = releases
            .iter()
            .map(|release| match matrix.cell(name, *release) {
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
    let matrix = Matrix::new(all);
    let (tried, failed) = (matrix.runs(), matrix.failed());
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
