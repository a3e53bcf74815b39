//! Changes a part of a line, and leaves every other byte as it is.

use std::ops::Range;

use codex_wire_base::Error;
use codex_wire_base::json::{Cursor, Kind};

/// Where the value at a path of member names stands.
pub(super) fn span(line: &str, path: &[&str]) -> Option<Range<usize>> {
    let mut found = None;
    // A line that is not JSON has nothing to find.
    let _ = enter(&mut Cursor::new(line), path, &mut found);
    found
}

fn enter(
    cursor: &mut Cursor<'_>,
    path: &[&str],
    found: &mut Option<Range<usize>>,
) -> Result<(), Error> {
    let Some((first, rest)) = path.split_first() else {
        cursor.kind()?;
        let start = cursor.offset();
        cursor.skip()?;
        found.get_or_insert(start..cursor.offset());
        return Ok(());
    };
    if cursor.kind()? != Kind::Object {
        return cursor.skip();
    }
    cursor.object(|cursor, name| match name == *first {
        true => enter(cursor, rest, found),
        false => cursor.skip(),
    })
}

/// The line with another value at a path.
pub(super) fn replaced(line: &str, path: &[&str], json: &str) -> Option<String> {
    let span = span(line, path)?;
    Some(format!(
        "{}{json}{}",
        &line[..span.start],
        &line[span.end..]
    ))
}

/// The line with one more member at the end of the object at a path.
pub(super) fn with_member(line: &str, path: &[&str], name: &str, json: &str) -> Option<String> {
    let span = span(line, path)?;
    let object = line[span.clone()].strip_suffix('}')?;
    let comma = match object.trim_end().ends_with('{') {
        true => "",
        false => ",",
    };
    let end = span.end - 1;
    Some(format!(
        "{}{comma}\"{name}\":{json}{}",
        &line[..end],
        &line[end..]
    ))
}

/// The line with another value at a path; a member that is missing is added.
pub(super) fn set(line: &str, path: &[&str], json: &str) -> Option<String> {
    if span(line, path).is_some() {
        return replaced(line, path, json);
    }
    let (name, parent) = path.split_last()?;
    with_member(line, parent, name, json)
}

/// The string at a path.
pub(super) fn text(line: &str, path: &[&str]) -> Option<String> {
    serde_json::from_str(&line[span(line, path)?]).ok()
}

/// The line with some strings changed. `change` gets the names of the members around a string, the
/// outermost first, and the string; elements of an array stand where the array stands.
pub(super) fn map_strings(
    line: &str,
    change: &mut dyn FnMut(&[String], &str) -> Option<String>,
) -> String {
    let mut walk = Walk {
        text: line,
        path: Vec::new(),
        out: String::with_capacity(line.len()),
        copied: 0,
    };
    if walk.value(&mut Cursor::new(line), change).is_err() {
        return line.to_owned();
    }
    walk.out.push_str(&line[walk.copied..]);
    walk.out
}

struct Walk<'a> {
    text: &'a str,
    path: Vec<String>,
    out: String,
    /// How much of the text is in `out`.
    copied: usize,
}

impl Walk<'_> {
    fn value(
        &mut self,
        cursor: &mut Cursor<'_>,
        change: &mut dyn FnMut(&[String], &str) -> Option<String>,
    ) -> Result<(), Error> {
        match cursor.kind()? {
            Kind::Object => cursor.object(|cursor, name| {
                self.path.push(name.to_owned());
                let done = self.value(cursor, change);
                self.path.pop();
                done
            }),
            Kind::Array => cursor.array(|cursor, _| self.value(cursor, change)),
            Kind::String => {
                let start = cursor.offset();
                let text = cursor.string()?;
                if let Some(changed) = change(&self.path, &text) {
                    self.out.push_str(&self.text[self.copied..start]);
                    self.out
                        .push_str(&serde_json::Value::from(changed).to_string());
                    self.copied = cursor.offset();
                }
                Ok(())
            }
            _ => cursor.skip(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"method":"m", "params":{"id":"a","id":"b","x":1.50,"o":{}}}"#;

    #[test]
    fn every_other_byte_stays() {
        assert_eq!(
            replaced(LINE, &["params", "x"], "2").as_deref(),
            Some(r#"{"method":"m", "params":{"id":"a","id":"b","x":2,"o":{}}}"#)
        );
        assert_eq!(
            set(LINE, &["params", "o", "n"], "null").as_deref(),
            Some(r#"{"method":"m", "params":{"id":"a","id":"b","x":1.50,"o":{"n":null}}}"#)
        );
        assert_eq!(
            set(LINE, &["params", "y"], "null").as_deref(),
            Some(r#"{"method":"m", "params":{"id":"a","id":"b","x":1.50,"o":{},"y":null}}"#)
        );
        assert_eq!(set(LINE, &["none", "y"], "1"), None);
        assert_eq!(text(LINE, &["params", "id"]).as_deref(), Some("a"));
    }

    #[test]
    fn strings_are_changed_in_place() {
        let changed = map_strings(LINE, &mut |path, text| {
            (path == ["params", "id"]).then(|| format!("<{text}>"))
        });
        assert_eq!(
            changed,
            r#"{"method":"m", "params":{"id":"<a>","id":"<b>","x":1.50,"o":{}}}"#
        );
        assert_eq!(map_strings("no {", &mut |_, _| Some(String::new())), "no {");
    }
}
