//! Writes blocks as Markdown, for a comment or a page.

use std::io::{self, Write};

use super::block::{Block, Part, Tone};
use super::clean;
use super::options::ConversationOptions;
use crate::numbers::counted;

/// How many lines of an output or a diff are written from its beginning, and from its end.
const OUTPUT: (usize, usize) = (10, 10);
const DIFF: (usize, usize) = (80, 0);

/// Markdown.
pub(super) struct Markdown<'o> {
    pub(super) options: &'o ConversationOptions,
}

impl Markdown<'_> {
    pub(super) fn thread(
        &self,
        out: &mut dyn Write,
        title: &str,
        facts: &[String],
        is_first: bool,
    ) -> io::Result<()> {
        let gap = if is_first { "" } else { "\n" };
        writeln!(out, "{gap}# {}", inline(title))?;
        paragraph(out, facts)
    }

    pub(super) fn turn(
        &self,
        out: &mut dyn Write,
        title: &str,
        facts: &[String],
    ) -> io::Result<()> {
        writeln!(out, "\n## {}", inline(title))?;
        paragraph(out, facts)
    }

    pub(super) fn end(&self, out: &mut dyn Write, label: &str, facts: &[String]) -> io::Result<()> {
        let facts: Vec<String> = facts.iter().map(|fact| inline(fact)).collect();
        let gap = if facts.is_empty() { "" } else { ": " };
        writeln!(out, "\n*{label}*{gap}{}", facts.join(" · "))
    }

    pub(super) fn block(&self, out: &mut dyn Write, block: &Block) -> io::Result<()> {
        write!(out, "\n**{}**", block.label)?;
        let is_code = !matches!(block.tone, Tone::Speaker | Tone::Dim) || block.label == "other";
        let mut lines = clean::lines(&block.title);
        if let Some(first) = lines.next() {
            match is_code && !first.starts_with('…') {
                true => write!(out, " {}", code(&first))?,
                false => write!(out, " {}", inline(&first))?,
            }
        }
        let rest: Vec<String> = lines.collect();
        if !block.notes.is_empty() {
            let notes: Vec<String> = block.notes.iter().map(|note| inline(note)).collect();
            write!(out, " — {}", notes.join(", "))?;
        }
        writeln!(out)?;
        if !rest.is_empty() {
            self.fence(out, "", &rest.join("\n"), OUTPUT)?;
        }
        let mut was_step = false;
        for part in &block.parts {
            let is_step = matches!(part, Part::Step(..));
            if !(is_step && was_step) {
                writeln!(out)?;
            }
            was_step = is_step;
            self.part(out, part)?;
        }
        Ok(())
    }

    fn part(&self, out: &mut dyn Write, part: &Part) -> io::Result<()> {
        match part {
            // As a quotation, so that its headings are not those of the page.
            Part::Prose(text) => {
                for line in clean::lines(text.trim_end()) {
                    match line.is_empty() {
                        true => writeln!(out, ">")?,
                        false => writeln!(out, "> {line}")?,
                    }
                }
                Ok(())
            }
            Part::Output(text) => self.fence(out, "text", text, OUTPUT),
            Part::Json(text) => self.fence(out, "json", text, OUTPUT),
            Part::Diff(text) => self.fence(out, "diff", text, DIFF),
            Part::Step(is_done, text) => {
                let sign = if *is_done { "x" } else { " " };
                writeln!(out, "- [{sign}] {}", inline(text))
            }
        }
    }

    /// Lines between fences that none of them can close.
    fn fence(
        &self,
        out: &mut dyn Write,
        kind: &str,
        text: &str,
        most: (usize, usize),
    ) -> io::Result<()> {
        let lines: Vec<String> = clean::lines(text.trim_end_matches('\n')).collect();
        let longest = lines.iter().map(|line| ticks(line)).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        writeln!(out, "{fence}{kind}")?;
        let left_out = clean::left_out(lines.len(), most, self.options.full);
        for (at, line) in lines.iter().enumerate() {
            if !left_out.contains(&at) {
                writeln!(out, "{line}")?;
            } else if at == left_out.start {
                let more = counted(left_out.len() as u64, "more line", "more lines");
                writeln!(out, "… {more}")?;
            }
        }
        writeln!(out, "{fence}")
    }
}

/// Facts in a paragraph of their own, if there are any.
fn paragraph(out: &mut dyn Write, facts: &[String]) -> io::Result<()> {
    if facts.is_empty() {
        return Ok(());
    }
    let facts: Vec<String> = facts.iter().map(|fact| inline(fact)).collect();
    writeln!(out, "\n{}", facts.join(" · "))
}

/// The longest run of backticks.
fn ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A text as code on one line.
fn code(text: &str) -> String {
    let fence = "`".repeat(ticks(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text on one line, in which nothing is markup.
fn inline(text: &str) -> String {
    let text = clean::lines(text).collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>#|&!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_closes_what_it_stands_in() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a` ``"), "``` `a` `` ```");
        assert_eq!(inline("<b>*x*\n#"), "\\<b\\>\\*x\\* \\#");
        let options = ConversationOptions::new();
        let mut out = Vec::new();
        let markdown = Markdown { options: &options };
        markdown
            .fence(&mut out, "", "a\n````\nb", OUTPUT)
            .expect("a buffer");
        assert_eq!(out, b"`````\na\n````\nb\n`````\n");
    }
}
