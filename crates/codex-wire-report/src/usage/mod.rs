//! Writes what turns used: as a table and as a page for people, as JSON, and as CSV.

mod columns;
#[cfg(feature = "html")]
mod page;

use std::io::{self, Write};

use codex_wire_session::usage::{Row, Table};

use crate::escape::{escaped, escaped_json};
use crate::styles::Styles;
use columns::{cells, columns, head};
#[cfg(feature = "html")]
pub use page::write_usage_html;

/// How wide the bars of a plot are.
const BAR: usize = 24;

/// How a table of usage is written for people.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UsageOptions {
    /// The colours.
    pub styles: Styles,
    /// Whether rows by time have a bar each.
    pub plot: bool,
}

impl UsageOptions {
    /// Without colours and bars.
    pub fn new() -> Self {
        UsageOptions::default()
    }
}

/// Writes the table for people.
///
/// # Errors
/// When writing fails.
pub fn write_usage(out: &mut dyn Write, table: &Table, options: UsageOptions) -> io::Result<()> {
    let Styles { place, frame, .. } = options.styles;
    let columns = columns(table);
    let mut lines: Vec<Vec<String>> = vec![head(table, &columns)];
    lines.extend(table.rows.iter().map(|row| cells(row, &columns)));
    if table.rows.len() != 1 {
        let mut keys = vec![String::new(); table.by.len()];
        if let Some(first) = keys.first_mut() {
            "total".clone_into(first);
        }
        lines.push(cells(&Row::new(keys, table.total), &columns));
    }
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|at| lines.iter().map(|line| width(&line[at])).max().unwrap_or(0))
        .collect();
    let is_by_time = table.by.first().is_some_and(|key| columns::is_time(key));
    let most = table.rows.iter().map(|row| row.sums.tokens.total).max();
    for (number, line) in lines.iter().enumerate() {
        let mut text = String::new();
        for (at, (cell, wide)) in line.iter().zip(&widths).enumerate() {
            let space = " ".repeat(wide - width(cell));
            let gap = if at == 0 { "" } else { "  " };
            // Words are on the left, numbers on the right.
            match at < table.by.len() {
                true => text.extend([gap, cell, &space]),
                false => text.extend([gap, &space, cell]),
            }
        }
        let text = text.trim_end();
        let row = number.checked_sub(1).and_then(|row| table.rows.get(row));
        match row {
            None if number == 0 => writeln!(out, "{frame}{text}{frame:#}")?,
            None => writeln!(out, "{place}{text}{place:#}")?,
            Some(row) if options.plot && is_by_time => {
                let bar = bar(row.sums.tokens.total, most.unwrap_or(0));
                writeln!(out, "{text}  {frame}{bar}{frame:#}")?;
            }
            Some(_) => writeln!(out, "{text}")?,
        }
    }
    notes(out, table)
}

fn notes(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    if table.rows.len() < table.row_count {
        let more = table.row_count - table.rows.len();
        writeln!(out, "… {more} more; the total is that of all")?;
    }
    if let Some(prices) = &table.prices {
        writeln!(out, "\nprices: {}", escaped(prices))?;
        if !table.unpriced.is_empty() {
            let names: Vec<String> = table
                .unpriced
                .iter()
                .map(|name| escaped(name).into_owned())
                .collect();
            writeln!(out, "without a price: {}", names.join(", "))?;
        }
    }
    Ok(())
}

/// Writes the table as JSON.
///
/// # Errors
/// When writing fails.
pub fn write_usage_json(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let json = serde_json::to_string_pretty(table)?;
    writeln!(out, "{}", escaped_json(&json))
}

/// Writes the rows as CSV, as of RFC 4180.
///
/// # Errors
/// When writing fails.
pub fn write_usage_csv(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let columns = columns(table);
    let mut head: Vec<String> = table.by.iter().map(|key| (*key).to_owned()).collect();
    head.extend(columns.iter().map(|column| column.name.replace(' ', "_")));
    line(out, &head)?;
    for row in &table.rows {
        let mut cells: Vec<String> = row.keys.clone();
        cells.extend(columns.iter().map(|column| (column.plain)(&row.sums)));
        line(out, &cells)?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    let quoted: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    write!(out, "{}\r\n", quoted.join(","))
}

fn quoted(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A bar as long as this is of the most, in eighths of a character.
fn bar(number: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = u128::from(number) * (BAR as u128) * 8 / u128::from(most.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(0);
    let (full, part) = (eighths / 8, eighths % 8);
    format!("{}{}", "█".repeat(full), PARTS[part])
}
