//! The columns of a table of usage.

use codex_wire_session::usage::{Row, Sums, Table};

use crate::escape::escaped;
use crate::numbers::grouped;

/// A column of numbers.
pub(super) struct Column {
    pub(super) name: &'static str,
    /// For people.
    pub(super) shown: fn(&Sums) -> String,
    /// For machines.
    pub(super) plain: fn(&Sums) -> String,
}

/// The columns of a table: those that a row has something in.
pub(super) fn columns(table: &Table) -> Vec<Column> {
    fn count(name: &'static str, shown: fn(&Sums) -> String, plain: fn(&Sums) -> String) -> Column {
        Column { name, shown, plain }
    }
    macro_rules! number {
        ($name:literal, $($member:ident).+) => {
            count(
                $name,
                |sums| grouped(sums.$($member).+),
                |sums| sums.$($member).+.to_string(),
            )
        };
    }
    if table.by.contains(&"tool") {
        return vec![
            number!("calls", calls),
            number!("failed", failed_calls),
            count("time", |s| span(s.duration_ms), |s| known(s.duration_ms)),
            count("mean", |s| span(s.mean_ms()), |s| known(s.mean_ms())),
            count("longest", |s| span(s.longest_ms), |s| known(s.longest_ms)),
        ];
    }
    let mut columns = vec![number!("turns", turns)];
    if table.total.failed > 0 {
        columns.push(number!("failed", failed));
    }
    if table.total.interrupted > 0 {
        columns.push(number!("interrupted", interrupted));
    }
    columns.extend([
        number!("input", tokens.input),
        number!("cached", tokens.cached_input),
        number!("output", tokens.output),
        number!("reasoning", tokens.reasoning_output),
        number!("total", tokens.total),
        count("time", |s| span(s.duration_ms), |s| known(s.duration_ms)),
    ]);
    if table.prices.is_some() {
        columns.push(count(
            "cost",
            |s| s.cost.map(|cost| format!("{cost:.2}")).unwrap_or_default(),
            |s| s.cost.map(|cost| cost.to_string()).unwrap_or_default(),
        ));
    }
    columns
}

/// The names of the columns.
pub(super) fn head(table: &Table, columns: &[Column]) -> Vec<String> {
    let keys = table.by.iter().map(|key| (*key).to_owned());
    let names = columns
        .iter()
        .map(|column| match (column.name, &table.currency) {
            ("cost", Some(currency)) => escaped(currency).into_owned(),
            (name, _) => name.to_owned(),
        });
    keys.chain(names).collect()
}

/// A row for people.
pub(super) fn cells(row: &Row, columns: &[Column]) -> Vec<String> {
    let keys = row.keys.iter().map(|key| escaped(key).into_owned());
    let numbers = columns.iter().map(|column| (column.shown)(&row.sums));
    keys.chain(numbers).collect()
}

/// Whether rows with this key follow each other in time.
pub(super) fn is_time(key: &str) -> bool {
    matches!(key, "day" | "week" | "month")
}

/// A stretch of time in milliseconds, if it is known.
fn known(ms: Option<u64>) -> String {
    ms.map(|ms| ms.to_string()).unwrap_or_default()
}

/// A stretch of time: `950 ms`, `12.3 s`, `4 min 05 s`, `2 h 03 min`; nothing where none is known.
fn span(ms: Option<u64>) -> String {
    let Some(ms) = ms else { return String::new() };
    let seconds = ms / 1000;
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{seconds}.{} s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}
