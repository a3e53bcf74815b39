//! Writes a block as HTML: its label, what it is about, how it ended, and its parts, folded if they are long.

use std::fmt::Write as _;

use super::escape::{beginning, one_line, push};
use super::prose::push_prose;
use crate::conversation::block::{Block, Part, Tone};
use crate::conversation::clean;
use crate::conversation::options::Topic;
use crate::numbers::{counted, grouped};

/// How many lines of an output or a diff are written from its beginning, and from its end.
const OUTPUT: (usize, usize) = (100, 100);
const DIFF: (usize, usize) = (400, 0);

/// How many lines of a title, such as a command, are written.
const TITLE: (usize, usize) = (20, 0);

/// The longest line.
const LONGEST: usize = 2000;

/// What has no more lines than this is not folded.
const SHORT: usize = 6;
const SHORT_DIFF: usize = 60;

/// How much of a folded text stands on the line that unfolds it.
const BEGINNING: usize = 100;

/// Where a block stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) id: String,
    /// The lines of the source.
    pub(super) lines: Option<(u64, u64)>,
    /// When it began.
    pub(super) time: Option<String>,
}

/// A block as HTML.
pub(super) fn block(block: &Block, place: &Place, full: bool) -> String {
    let mut out = String::new();
    let Place { id, lines, time } = place;
    let (topic, label, tone) = (block.topic, block.label, tone(block.tone));
    let said = match (topic, label) {
        (Topic::Messages, "user") => " user",
        (Topic::Messages, "agent") => " agent",
        _ => "",
    };
    let _ = write!(
        out,
        "<div class=\"item {topic} {tone}{said}\" id=\"{id}\"><p class=\"label\">{label}</p><div class=\"what\">"
    );
    let writer = Writer { block, full };
    writer.title(&mut out);
    writer.parts(&mut out);
    out.push_str("</div>");
    let when = time.as_ref().map(|time| format!(" · {time}"));
    let when = when.unwrap_or_default();
    let _ = match lines {
        Some((from, to)) if from == to => write!(
            out,
            "<a class=\"at\" href=\"#{id}\" title=\"line {from} of the source{when}\">L{from}</a>"
        ),
        Some((from, to)) => write!(
            out,
            "<a class=\"at\" href=\"#{id}\" title=\"lines {from} to {to} of the source{when}\">L{from}</a>"
        ),
        None => write!(out, "<a class=\"at\" href=\"#{id}\">#</a>"),
    };
    out.push_str("</div>\n");
    out
}

/// A class of the style sheet.
pub(super) fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Speaker => "speaker",
        Tone::Dim => "dim",
        Tone::Warning => "warning",
        Tone::Bad => "bad",
    }
}

struct Writer<'b> {
    block: &'b Block,
    full: bool,
}

impl Writer<'_> {
    fn title(&self, out: &mut String) {
        let Block {
            title,
            notes,
            topic,
            tone,
            ..
        } = self.block;
        if title.is_empty() && notes.is_empty() {
            return;
        }
        out.push_str("<div class=\"title\">");
        let is_code = matches!(
            topic,
            Topic::Commands | Topic::Tools | Topic::Patches | Topic::Images | Topic::Searches
        );
        let is_address = matches!(topic, Topic::Images | Topic::Searches);
        if is_address && let Some(address) = web_address(title) {
            let mut address_text = String::new();
            push(&mut address_text, address);
            let _ = write!(
                out,
                "<a class=\"code\" rel=\"noopener noreferrer\" href=\"{address_text}\">{address_text}</a>"
            );
        } else if !title.is_empty() {
            let element = if is_code { "code" } else { "span" };
            let _ = write!(out, "<{element} class=\"text\">");
            self.lines(out, title, TITLE, push);
            let _ = write!(out, "</{element}>");
        }
        if !notes.is_empty() {
            let tone = self::tone(*tone);
            out.push_str("<span class=\"notes\">");
            for note in notes {
                let _ = write!(out, "<span class=\"{tone}\">{}</span>", one_line(note));
            }
            out.push_str("</span>");
        }
        out.push_str("</div>");
    }

    fn parts(&self, out: &mut String) {
        // The name of a file stands on the line that unfolds its diff.
        let mut file = None;
        let mut in_steps = false;
        for part in &self.block.parts {
            if let Part::Step(is_done, text) = part
                && self.block.topic != Topic::Patches
            {
                if !std::mem::replace(&mut in_steps, true) {
                    out.push_str("<ul class=\"steps\">");
                }
                let (class, sign) = match is_done {
                    true => ("done", "✓"),
                    false => ("open", "○"),
                };
                let text = one_line(text);
                let _ = write!(out, "<li class=\"{class}\"><b>{sign}</b> {text}</li>");
                continue;
            }
            if std::mem::take(&mut in_steps) {
                out.push_str("</ul>");
            }
            match part {
                Part::Step(_, text) => push_file(out, file.replace(text)),
                Part::Diff(text) => self.diff(out, text, file.take()),
                Part::Prose(text) => {
                    push_file(out, file.take());
                    self.prose(out, text);
                }
                Part::Output(text) => {
                    self.output(out, text, "output", self.block.tone == Tone::Bad);
                }
                Part::Json(text) => self.output(out, text, "arguments", false),
            }
        }
        if in_steps {
            out.push_str("</ul>");
        }
        push_file(out, file);
    }

    fn prose(&self, out: &mut String, text: &str) {
        let is_folded = matches!(
            self.block.topic,
            Topic::Reasoning | Topic::Context | Topic::Other | Topic::Agents
        );
        let has_more = text.trim().lines().nth(1).is_some() || text.len() > BEGINNING;
        if !(is_folded && has_more) {
            return push_prose(out, text);
        }
        let summary = beginning(text, BEGINNING);
        let _ = write!(
            out,
            "<details><summary><span class=\"beginning\">{summary}</span></summary>"
        );
        push_prose(out, text);
        out.push_str("</details>");
    }

    /// What a program or a tool wrote.
    fn output(&self, out: &mut String, text: &str, what: &str, is_bad: bool) {
        let text = text.trim_end_matches('\n');
        let count = text.lines().count();
        let is_folded = count > SHORT || what == "arguments";
        if is_folded {
            let is_open = is_bad && count <= SHORT_DIFF;
            self.details(out, what, count, is_open);
        }
        out.push_str("<pre>\n");
        self.lines(out, text, OUTPUT, |out, line| {
            push(out, line);
            out.push('\n');
        });
        out.push_str(if is_folded {
            "</pre></details>"
        } else {
            "</pre>"
        });
    }

    fn diff(&self, out: &mut String, text: &str, file: Option<&String>) {
        let text = text.trim_end_matches('\n');
        let count = text.lines().count();
        let is_folded = count > SHORT_DIFF;
        if is_folded {
            let what = file.map_or_else(|| "diff".to_owned(), |file| one_line(file));
            self.details(out, &what, count, false);
        } else {
            push_file(out, file);
        }
        out.push_str("<pre class=\"diff\">\n");
        self.lines(out, text, DIFF, |out, line| {
            let element = match line.as_bytes() {
                [b'+', ..] => Some("ins"),
                [b'-', ..] => Some("del"),
                [b'@', ..] => Some("b"),
                _ => None,
            };
            let Some(element) = element else {
                push(out, line);
                return out.push('\n');
            };
            let _ = write!(out, "<{element}>");
            push(out, line);
            let _ = write!(out, "\n</{element}>");
        });
        out.push_str(if is_folded {
            "</pre></details>"
        } else {
            "</pre>"
        });
    }

    /// Begins a part that can be folded. Its name is HTML.
    fn details(&self, out: &mut String, what: &str, lines: usize, is_open: bool) {
        let open = if is_open { " open" } else { "" };
        let lines = counted(lines as u64, "line", "lines");
        let _ = write!(
            out,
            "<details{open}><summary>{what} <small>{lines}</small></summary>"
        );
    }

    /// The first and the last lines of a text, each no longer than can be read.
    fn lines(
        &self,
        out: &mut String,
        text: &str,
        most: (usize, usize),
        mut push_line: impl FnMut(&mut String, &str),
    ) {
        let left_out = clean::left_out(text.lines().count(), most, self.full);
        for (at, line) in clean::lines(text).enumerate() {
            if left_out.contains(&at) {
                if at == left_out.start {
                    let more = counted(left_out.len() as u64, "more line", "more lines");
                    let _ = writeln!(out, "<i>… {more}</i>");
                }
                continue;
            }
            if at > 0 && most == TITLE {
                out.push('\n');
            }
            let cut = line.char_indices().nth(LONGEST).filter(|_| !self.full);
            match cut {
                None => push_line(out, &line),
                Some((end, _)) => {
                    push_line(out, &line[..end]);
                    let more = grouped(line[end..].chars().count() as u64);
                    let _ = writeln!(out, "<i>… {more} more characters</i>");
                }
            }
        }
    }
}

fn push_file(out: &mut String, file: Option<&String>) {
    if let Some(file) = file {
        let _ = write!(out, "<p class=\"file\">{}</p>", one_line(file));
    }
}

/// The text if it is the address of a page in the web and nothing else.
fn web_address(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"'<>`\\^{|}".contains(c);
    (!rest.is_empty() && rest.chars().all(is_plain)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_web_are_linked() {
        for (text, is_link) in [
            ("https://example.org/a?b=c&d#e", true),
            ("http://example.org", true),
            ("https://", false),
            ("javascript:alert(1)", false),
            ("https://a b", false),
            ("https://a\"onclick=", false),
            ("https://a\u{202e}", false),
            ("file:///etc/passwd", false),
            (" https://example.org", false),
        ] {
            assert_eq!(web_address(text).is_some(), is_link, "{text}");
        }
    }
}
