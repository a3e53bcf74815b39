//! Makes invalid lines: still JSON, but not what the release writes.

use crate::random::Random;

/// Members that are strings, of which every message has one.
const STRINGS: &[&str] = &[
    "delta",
    "text",
    "status",
    "message",
    "thread_id",
    "threadId",
];

/// A fault that a line can be given, if it has the place for it.
type Fault = fn(&str) -> Option<String>;

/// The faults, as often as each other: another member, a kind that no release writes, a member that is
/// missing because it has another name, and a number for a string.
const FAULTS: &[Fault] = &[one_more, unknown_kind, renamed, number_for_string];

/// The line with a fault.
pub(crate) fn made_wrong(line: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let start = random.below(FAULTS.len());
    let turns = FAULTS.iter().cycle().skip(start).take(FAULTS.len());
    let wrong = turns.filter_map(|fault| fault(&text)).next();
    wrong.unwrap_or_else(|| text.into_owned()).into_bytes()
}

fn one_more(line: &str) -> Option<String> {
    let object = line.trim_end().strip_suffix('}')?;
    Some(format!(r#"{object},"surprise":1}}"#))
}

fn unknown_kind(line: &str) -> Option<String> {
    let tag = match line.contains(r#""method":""#) {
        true => r#""method":""#,
        false => r#""type":""#,
    };
    let place = line.find(tag)? + tag.len();
    let (before, after) = line.split_at(place);
    Some(format!("{before}un{after}"))
}

fn renamed(line: &str) -> Option<String> {
    let names = [r#""item":"#, r#""params":"#, r#""result":"#, r#""delta":"#];
    let name = names.into_iter().find(|name| line.contains(name))?;
    Some(line.replacen(name, r#""other":"#, 1))
}

/// The first of the strings, as a number; not where what a tool is called with is anything.
fn number_for_string(line: &str) -> Option<String> {
    if line.contains(r#""arguments":"#) {
        return None;
    }
    let string = |name: &&str| {
        let name = format!(r#""{name}":""#);
        Some(line.find(&name)? + name.len())
    };
    let start = STRINGS.iter().filter_map(string).min()?;
    let mut escaped = false;
    let end = line[start..].find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    let (before, after) = (&line[..start - 1], &line[start + end + 1..]);
    Some(format!("{before}7{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_where_it_says() {
        let line = r#"{"type":"error","message":"a \"b\" \\","id":1}"#;
        assert_eq!(
            number_for_string(line).unwrap(),
            r#"{"type":"error","message":7,"id":1}"#
        );
        assert_eq!(
            unknown_kind(line).unwrap(),
            line.replace("error", "unerror")
        );
        assert_eq!(
            one_more(line).unwrap(),
            r#"{"type":"error","message":"a \"b\" \\","id":1,"surprise":1}"#
        );
        assert_eq!(renamed(line), None);
        assert_eq!(
            renamed(r#"{"method":"a","params":{}}"#).unwrap(),
            r#"{"method":"a","other":{}}"#
        );
    }
}
