//! Docstrings, which both flavours share.

use crate::comments::Comment;
use crate::model::Alternative;

/// The widest line of text.
const WIDTH: usize = 100;

/// The docstring of a part, of a union with its alternatives; empty if there is nothing to say.
pub(super) fn docstring(comment: &Comment, alternatives: &[Alternative], indent: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    for paragraph in comment.text.split("\n\n").filter(|text| !text.is_empty()) {
        paragraphs.push(wrapped(paragraph, indent));
    }
    let releases = releases_of(comment);
    if !releases.is_empty() {
        paragraphs.push(releases);
    }
    let listed = alternatives.iter().filter_map(|alternative| {
        let releases = releases_of(&alternative.comment);
        let words = alternative.comment.text.split_whitespace();
        let text = words.collect::<Vec<_>>().join(" ");
        let about: Vec<_> = [text, releases]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect();
        let about = about.join(" ");
        (!about.is_empty()).then(|| wrapped(&format!("- `{}`: {about}", alternative.tag), indent))
    });
    let listed: Vec<String> = listed.collect();
    if !listed.is_empty() {
        paragraphs.push(listed.join(&format!("\n{indent}")));
    }
    if paragraphs.is_empty() {
        return String::new();
    }
    let text = paragraphs.join(&format!("\n\n{indent}"));
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let is_long = text.contains('\n') || text.ends_with('"');
    let end = if is_long {
        format!("\n{indent}")
    } else {
        String::new()
    };
    format!("{indent}\"\"\"{text}{end}\"\"\"\n")
}

/// In which releases something is, in words.
fn releases_of(comment: &Comment) -> String {
    let mut out = match (comment.since, comment.until) {
        (None, None) => String::new(),
        (Some(since), None) => format!("Since {since}."),
        (None, Some(until)) => format!("Until {until}."),
        (Some(since), Some(until)) if since == until => format!("In {since} only."),
        (Some(since), Some(until)) => format!("From {since} to {until}."),
    };
    if comment.is_experimental {
        out.push_str(if out.is_empty() {
            "Experimental."
        } else {
            " Experimental."
        });
    }
    out
}

/// A paragraph in lines that are not too long.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut width = indent.len();
    for word in text.split_whitespace() {
        if width > indent.len() && width + 1 + word.len() > WIDTH {
            out.push('\n');
            out.push_str(indent);
            width = indent.len();
        } else if width > indent.len() {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.len();
    }
    out
}
