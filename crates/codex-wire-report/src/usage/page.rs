//! Writes what turns used as a page for a browser: sums, a plot if rows follow each other in time, and the table with a bar for each row.

use std::fmt::Write as _;
use std::io::{self, Write};

use codex_wire_session::Tokens;
use codex_wire_session::usage::{Sums, Table};

use super::columns::{Column, columns, is_time};
use crate::html::{self, Plot, text};
use crate::numbers::counted;

/// Writes the table as a page, without what it costs.
///
/// # Errors
/// When writing fails.
pub fn write_usage_html(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let mut columns = columns(table);
    columns.retain(|column| column.name != "cost");
    html::begin(out, "What sessions used", "codex-wire usage")?;
    let facts = columns.iter();
    let facts = html::facts(facts.map(|column| (column.name, (column.shown)(&table.total))));
    writeln!(
        out,
        "<article class=\"session\"><h1><small>codex-wire usage</small>What sessions used</h1>\
         <section class=\"overview\">{facts}"
    )?;
    let plot = plot(table);
    if !plot.is_empty() {
        writeln!(out, "<div class=\"pictures\">{plot}</div>")?;
    }
    rows(out, table, &columns)?;
    // A plot has a key of its own.
    if plot.is_empty() && table.total.tokens.total > 0 && !table.by.contains(&"tool") {
        writeln!(
            out,
            "<p class=\"note key\"><span class=\"cached\">cached input</span> <span class=\"input\">input</span> \
             <span class=\"output\">output</span></p>"
        )?;
    }
    writeln!(out, "</section></article>")?;
    html::end(out)
}

/// The tokens over time.
fn plot(table: &Table) -> String {
    let key = match table.by.as_slice() {
        [key] if is_time(key) => *key,
        _ => return String::new(),
    };
    let mut plot = Plot::new();
    for row in &table.rows {
        let name = row.keys.first().map(|key| text(key)).unwrap_or_default();
        plot.push(row.sums.tokens, name, None);
    }
    plot.html(key, &format!("{key}s"))
}

fn rows(out: &mut dyn Write, table: &Table, columns: &[Column]) -> io::Result<()> {
    let by_tool = table.by.contains(&"tool");
    let most = table.rows.iter().map(|row| size(&row.sums, by_tool)).max();
    let most = most.unwrap_or(0);
    write!(
        out,
        "<div class=\"table\" role=\"region\" aria-label=\"usage\" tabindex=\"0\"><table><thead><tr>"
    )?;
    for key in &table.by {
        write!(out, "<th>{key}</th>")?;
    }
    for column in columns {
        write!(out, "<th class=\"number\">{}</th>", column.name)?;
    }
    let bars = if by_tool { "calls" } else { "tokens" };
    writeln!(out, "<th class=\"bar\">{bars}</th></tr></thead><tbody>")?;
    for row in &table.rows {
        write!(out, "<tr>")?;
        for key in &row.keys {
            write!(out, "<td>{}</td>", text(key))?;
        }
        numbers(out, &row.sums, columns)?;
        let bar = bar(&row.sums, by_tool, most);
        writeln!(out, "<td class=\"bar\">{bar}</td></tr>")?;
    }
    if table.rows.len() != 1 {
        write!(
            out,
            "<tr class=\"total\"><td colspan=\"{}\">total</td>",
            table.by.len()
        )?;
        numbers(out, &table.total, columns)?;
        writeln!(out, "<td></td></tr>")?;
    }
    writeln!(out, "</tbody></table></div>")?;
    if let Some(more @ 1..) = table.row_count.checked_sub(table.rows.len()) {
        let more = counted(more as u64, "more row", "more rows");
        writeln!(
            out,
            "<p class=\"note\">… and {more}; the total is that of all</p>"
        )?;
    }
    Ok(())
}

fn numbers(out: &mut dyn Write, sums: &Sums, columns: &[Column]) -> io::Result<()> {
    for column in columns {
        write!(out, "<td class=\"number\">{}</td>", (column.shown)(sums))?;
    }
    Ok(())
}

/// What the bar of a row stands for.
fn size(sums: &Sums, by_tool: bool) -> u64 {
    match by_tool {
        true => sums.calls,
        false => sums.tokens.input.saturating_add(sums.tokens.output),
    }
}

/// A bar as long as the row is of the highest.
fn bar(sums: &Sums, by_tool: bool, most: u64) -> String {
    let mut out = String::new();
    if size(sums, by_tool) == 0 {
        return out;
    }
    out.push_str("<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let Tokens {
        input,
        cached_input,
        output,
        ..
    } = sums.tokens;
    let cached = cached_input.min(input);
    let parts = match by_tool {
        true => vec![(sums.calls, "tools")],
        false => vec![
            (cached, "cached"),
            (input - cached, "input"),
            (output, "output"),
        ],
    };
    let mut x = 0.0;
    for (count, kind) in parts {
        let width = count as f64 / most as f64 * 100.0;
        if width > 0.0 {
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<rect class=\"{kind}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"10\"/>"
            );
            x += width;
        }
    }
    out.push_str("</svg>");
    out
}
