//! Reads the TOML text of a baseline with the line of each entry, and rewrites entries without
//! touching the rest of the text.

use std::collections::BTreeMap;
use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, value};

use super::entries::{Baseline, BaselineError, Expected};
use crate::rules;

/// The table that lists the entries.
const EXPECTED: &str = "expected";

impl Baseline {
    /// Reads the text of a baseline.
    ///
    /// # Errors
    /// When it is not TOML, has unknown members, or an entry is not whole; with the line.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let line = |span: Option<Range<usize>>| line_of(text, span);
        let document = Document::parse(text)
            .map_err(|error| BaselineError::new(line(error.span()), error.message().trim()))?;
        let mut entries = Vec::new();
        for (key, item) in document.iter() {
            let span = document.key(key).and_then(toml_edit::Key::span);
            match (key, item) {
                (EXPECTED, Item::ArrayOfTables(tables)) => {
                    for table in tables {
                        entries.push(entry(table, text)?);
                    }
                }
                (EXPECTED, _) => {
                    let fault = "write each entry as a table of its own, under [[expected]]";
                    return Err(BaselineError::new(line(span), fault));
                }
                _ => {
                    let fault = format!("`{key}` is not known; entries stand under [[expected]]");
                    return Err(BaselineError::new(line(span), fault));
                }
            }
        }
        Baseline::new(entries)
    }
}

fn entry(table: &Table, text: &str) -> Result<Expected, BaselineError> {
    let begins = line_of(text, table.span());
    let mut members = BTreeMap::new();
    for (key, item) in table {
        let line = line_of(text, table.key(key).and_then(toml_edit::Key::span));
        if !["rule", "path", "place", "message", "reason"].contains(&key) {
            let fault =
                format!("`{key}` is not known; known: rule, path, place, message and reason");
            return Err(BaselineError::new(line, fault));
        }
        let Some(text) = item.as_str() else {
            let fault = format!("`{key}` is a text");
            return Err(BaselineError::new(line, fault));
        };
        members.insert(key, (line, text));
    }
    let get = |key: &str| {
        let missing = || BaselineError::new(begins, format!("the entry has no `{key}`"));
        members.get(key).copied().ok_or_else(missing)
    };
    let (line, id) = get("rule")?;
    let rule = rules::find(id)
        .ok_or_else(|| BaselineError::new(line, format!("there is no rule `{id}`")))?;
    Ok(Expected {
        rule,
        path: get("path")?.1.to_owned(),
        place: members.get("place").map(|(_, place)| (*place).to_owned()),
        message: get("message")?.1.to_owned(),
        reason: get("reason")?.1.to_owned(),
        line: begins,
    })
}

/// The line a part of a text begins in.
fn line_of(text: &str, span: Option<Range<usize>>) -> u64 {
    let before = span.and_then(|span| text.get(..span.start));
    let ends = before.unwrap_or_default().bytes().filter(|b| *b == b'\n');
    ends.count() as u64 + 1
}

/// What to change.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// The messages of entries that say something else now, by the entries' order.
    pub(super) messages: BTreeMap<usize, String>,
    /// The entries to take out, by their order.
    pub(super) removed: Vec<usize>,
    /// The entries to put at the end.
    pub(super) added: Vec<Expected>,
}

/// The text with these changes. Comments, order and reasons stay; the comments right above an
/// entry go with it.
pub(super) fn rewrite(text: &str, edits: &Edits) -> Result<String, BaselineError> {
    let document = Document::parse(text).map_err(|error| {
        let line = line_of(text, error.span());
        BaselineError::new(line, error.message())
    })?;
    let mut document: DocumentMut = document.into_mut();
    // What stands above the first entry and is set apart from it is about the whole file.
    let mut about_all = String::new();
    if let Some(Item::ArrayOfTables(tables)) = document.get_mut(EXPECTED) {
        for (at, message) in &edits.messages {
            let held = tables
                .get_mut(*at)
                .and_then(|table| table.get_mut("message"));
            if let Some(held) = held {
                replace(held, message);
            }
        }
        for at in edits.removed.iter().rev() {
            let table = tables.remove(*at);
            if *at == 0 {
                detached(&prefix(&table)).clone_into(&mut about_all);
            }
        }
        if let (false, Some(first)) = (about_all.is_empty(), tables.get_mut(0)) {
            let own = prefix(first);
            let together = std::mem::take(&mut about_all) + own.trim_start_matches(['\r', '\n']);
            first.decor_mut().set_prefix(together);
        }
    }
    if !about_all.is_empty() {
        let after = document.trailing().as_str().unwrap_or_default().to_owned();
        document.set_trailing(about_all + &after);
    }
    let mut text = document.to_string();
    // New entries are written behind everything, comments at the end of the file included.
    for entry in &edits.added {
        if !text.is_empty() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            if !text.ends_with("\n\n") {
                text.push('\n');
            }
        }
        text += &written(entry);
    }
    Ok(text)
}

/// Puts another text in the place of one, with the blanks and the comment around it kept.
fn replace(item: &mut Item, text: &str) {
    let decor = item.as_value().map(|old| old.decor().clone());
    *item = value(text);
    if let (Some(new), Some(decor)) = (item.as_value_mut(), decor) {
        *new.decor_mut() = decor;
    }
}

fn prefix(table: &Table) -> String {
    let prefix = table.decor().prefix();
    let prefix = prefix.and_then(toml_edit::RawString::as_str);
    prefix.unwrap_or_default().to_owned()
}

/// The part of what stands above an entry that a blank line sets apart from it.
fn detached(prefix: &str) -> &str {
    let mut end = 0;
    let mut at = 0;
    for line in prefix.split_inclusive('\n') {
        at += line.len();
        // A blank line in front of everything sets nothing apart.
        if line.trim().is_empty() && line.ends_with('\n') && !prefix[..at].trim().is_empty() {
            end = at;
        }
    }
    &prefix[..end]
}

/// An entry as it is written.
fn written(entry: &Expected) -> String {
    let mut table = Table::new();
    table.insert("rule", value(entry.rule.id));
    table.insert("path", value(&entry.path));
    if let Some(place) = &entry.place {
        table.insert("place", value(place));
    }
    table.insert("message", value(&entry.message));
    table.insert("reason", value(&entry.reason));
    format!("[[{EXPECTED}]]\n{table}")
}
