//! Writes blocks as text for a terminal: a column for who and what, and the text beside it.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::block::{Block, Part, Tone};
use super::clean;
use super::options::ConversationOptions;
use crate::fit::cut;
use crate::numbers::counted;

/// The columns before the text.
const INDENT: usize = 13;

/// The longest heading in columns, and the longest row of what people read from row to row. Outputs and diffs have the
/// whole width.
const HEADING: usize = 100;

/// How many rows of an output are shown from its beginning, and from its end.
const OUTPUT: (usize, usize) = (5, 6);

/// How many rows of a diff are shown.
const DIFF: (usize, usize) = (40, 0);

/// The most bytes of an output whose lines are wrapped; those of a longer one are cut.
const SHORT: usize = 2000;

/// How many rows of a title, such as a command, are shown.
const TITLE: (usize, usize) = (6, 0);

/// Text for a terminal.
pub(super) struct Text<'o> {
    pub(super) options: &'o ConversationOptions,
    /// Whether the last block was of one row, so that another such one may follow without a gap.
    pub(super) is_compact: bool,
}

impl Text<'_> {
    /// The heading of a thread, with what is known of it.
    pub(super) fn thread(
        &mut self,
        out: &mut dyn Write,
        title: &str,
        facts: &[String],
        is_first: bool,
    ) -> io::Result<()> {
        if !is_first {
            writeln!(out)?;
        }
        self.rule(out, '━', title, "")?;
        let place = self.options.styles.dim;
        if !facts.is_empty() {
            for row in self.wrapped(&joined(facts), 3) {
                writeln!(out, "   {place}{row}{place:#}")?;
            }
        }
        self.is_compact = false;
        Ok(())
    }

    /// The heading of a turn.
    pub(super) fn turn(
        &mut self,
        out: &mut dyn Write,
        title: &str,
        facts: &[String],
    ) -> io::Result<()> {
        writeln!(out)?;
        self.rule(out, '─', title, &joined(facts))?;
        self.is_compact = false;
        Ok(())
    }

    fn rule(&self, out: &mut dyn Write, line: char, title: &str, facts: &str) -> io::Result<()> {
        let styles = self.options.styles;
        let (frame, place, dim) = (styles.frame, styles.place, styles.dim);
        let lead: String = [line; 2].iter().collect();
        let title = one_line(title);
        let gap = if facts.is_empty() { "" } else { " · " };
        let used = 2 + 1 + title.width() + gap.width() + facts.width() + 1;
        let wide = self.options.width.min(HEADING);
        let rest: String = std::iter::repeat_n(line, wide.saturating_sub(used)).collect();
        write!(
            out,
            "{frame}{lead}{frame:#} {place}{title}{place:#}{dim}{gap}{facts}{dim:#}"
        )?;
        match rest.is_empty() {
            true => writeln!(out),
            false => writeln!(out, " {frame}{rest}{frame:#}"),
        }
    }

    /// How a turn or a thread ended.
    pub(super) fn end(
        &mut self,
        out: &mut dyn Write,
        tone: Tone,
        label: &str,
        facts: &[String],
    ) -> io::Result<()> {
        let style = match tone {
            Tone::Bad => self.options.styles.error,
            Tone::Warning => self.options.styles.warning,
            _ => self.options.styles.good,
        };
        let dim = self.options.styles.dim;
        writeln!(out)?;
        let rows = self.wrapped(&joined(facts), INDENT);
        let mut rows = rows.iter();
        let first = rows.next().map_or("", |row| row);
        let pad = " ".repeat(INDENT.saturating_sub(1 + label.width()).max(1));
        writeln!(out, " {style}{label}{style:#}{pad}{dim}{first}{dim:#}")?;
        for row in rows {
            writeln!(out, "{:INDENT$}{dim}{row}{dim:#}", "")?;
        }
        self.is_compact = false;
        Ok(())
    }

    /// A block.
    pub(super) fn block(&mut self, out: &mut dyn Write, block: &Block) -> io::Result<()> {
        let is_compact = block.parts.is_empty();
        if !(is_compact && self.is_compact) {
            writeln!(out)?;
        }
        self.is_compact = is_compact;
        let styles = self.options.styles;
        let label_style = match block.tone {
            Tone::Plain => styles.place,
            Tone::Speaker => styles.speaker,
            Tone::Dim => styles.dim,
            Tone::Warning => styles.warning,
            Tone::Bad => styles.error,
        };
        let pad = " ".repeat(INDENT - 1 - block.label.width().min(INDENT - 2));
        write!(out, " {label_style}{}{label_style:#}{pad}", block.label)?;
        let (first, rest) = match block.parts.split_first() {
            // The text stands beside the label.
            Some((first @ (Part::Prose(_) | Part::Step(..)), rest))
                if block.title.is_empty() && block.notes.is_empty() =>
            {
                (Some(first), rest)
            }
            _ => (None, &*block.parts),
        };
        match first {
            Some(first) => self.part(out, first, block.tone, true)?,
            None => self.title(out, block)?,
        }
        for part in rest {
            self.part(out, part, block.tone, false)?;
        }
        Ok(())
    }

    fn title(&self, out: &mut dyn Write, block: &Block) -> io::Result<()> {
        let style = match block.tone {
            Tone::Dim => self.options.styles.dim,
            _ => Style::new(),
        };
        let mut rows: Vec<String> = Vec::new();
        for line in clean::lines(&block.title) {
            rows.extend(self.wrapped(&line, INDENT));
        }
        if rows.is_empty() {
            rows.push(String::new());
        }
        let (rows, cut) = self.shortened(rows, TITLE);
        let notes = joined(&block.notes);
        let last = rows.len() - 1;
        for (at, row) in rows.iter().enumerate() {
            let lead = if at == 0 { 0 } else { INDENT };
            write!(out, "{:lead$}{style}{row}{style:#}", "")?;
            if at == last && cut == 0 && !notes.is_empty() {
                self.notes(out, block.tone, INDENT + row.width(), &notes)?;
            }
            writeln!(out)?;
        }
        if cut > 0 {
            let dim = self.options.styles.dim;
            let more = counted(cut as u64, "more row", "more rows");
            write!(out, "{:INDENT$}{dim}… {more}{dim:#}", "")?;
            if !notes.is_empty() {
                self.notes(out, block.tone, INDENT + 2 + more.width(), &notes)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Notes on the right, or right behind a row that leaves no room.
    fn notes(&self, out: &mut dyn Write, tone: Tone, used: usize, notes: &str) -> io::Result<()> {
        let style = match tone {
            Tone::Bad => self.options.styles.error,
            Tone::Warning => self.options.styles.warning,
            _ => self.options.styles.dim,
        };
        let wide = self.options.width.min(HEADING);
        let gap = wide.saturating_sub(used + notes.width());
        if gap >= 2 || wide == 0 {
            let gap = gap.max(2);
            return write!(out, "{:gap$}{style}{notes}{style:#}", "");
        }
        let lead = wide.saturating_sub(notes.width()).max(INDENT);
        write!(out, "\n{:lead$}{style}{notes}{style:#}", "")
    }

    /// A part. `is_begun` if the label stands on its first row.
    fn part(&self, out: &mut dyn Write, part: &Part, tone: Tone, is_begun: bool) -> io::Result<()> {
        let styles = self.options.styles;
        match part {
            Part::Prose(text) => {
                let style = match tone {
                    Tone::Dim => styles.dim,
                    _ => Style::new(),
                };
                self.prose(out, text, style, is_begun)
            }
            Part::Output(text) => self.gutter(out, text, OUTPUT, |_| styles.dim),
            Part::Json(text) => self.gutter(out, text, OUTPUT, |_| Style::new()),
            Part::Diff(text) => self.gutter(out, text, DIFF, |line| match line.as_bytes() {
                [b'+', ..] => styles.added,
                [b'-', ..] => styles.removed,
                [b'@', ..] => styles.dim,
                _ => Style::new(),
            }),
            Part::Step(is_done, text) => {
                let (sign, style) = match is_done {
                    true => ("✓", styles.good),
                    false => ("○", styles.dim),
                };
                let rows = self.wrapped(&one_line(text), INDENT + 2);
                for (at, row) in rows.iter().enumerate() {
                    let sign = if at == 0 { sign } else { " " };
                    let lead = if at == 0 && is_begun { 0 } else { INDENT };
                    writeln!(out, "{:lead$}{style}{sign}{style:#} {row}", "")?;
                }
                Ok(())
            }
        }
    }

    fn prose(
        &self,
        out: &mut dyn Write,
        text: &str,
        style: Style,
        mut is_begun: bool,
    ) -> io::Result<()> {
        for line in clean::lines(text.trim_end()) {
            for row in self.wrapped(&line, INDENT) {
                let lead = if is_begun { 0 } else { INDENT };
                is_begun = false;
                match row.is_empty() {
                    true => writeln!(out)?,
                    false => writeln!(out, "{:lead$}{style}{row}{style:#}", "")?,
                }
            }
        }
        if is_begun {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Lines behind a gutter, with the middle left out if there are many.
    fn gutter(
        &self,
        out: &mut dyn Write,
        text: &str,
        most: (usize, usize),
        style: impl Fn(&str) -> Style,
    ) -> io::Result<()> {
        let frame = self.options.styles.frame;
        let dim = self.options.styles.dim;
        let text = text.trim_end_matches('\n');
        let left_out = clean::left_out(text.lines().count(), most, self.options.full);
        for (at, line) in clean::lines(text).enumerate() {
            if left_out.contains(&at) {
                if at == left_out.start {
                    let more = counted(left_out.len() as u64, "more line", "more lines");
                    writeln!(out, "{:INDENT$}{frame}┆{frame:#} {dim}… {more}{dim:#}", "")?;
                }
                continue;
            }
            let style = style(&line);
            // Of a few lines, nothing is cut.
            let rows = match left_out.is_empty() && text.len() < SHORT {
                true => rows(&line, self.options.width, INDENT + 2),
                false => vec![self.cut(&line, INDENT + 2)],
            };
            for row in rows {
                writeln!(out, "{:INDENT$}{frame}│{frame:#} {style}{row}{style:#}", "")?;
            }
        }
        Ok(())
    }

    /// The first and the last of the rows, and how many are left out.
    fn shortened(&self, mut rows: Vec<String>, most: (usize, usize)) -> (Vec<String>, usize) {
        let more = rows.len().saturating_sub(most.0 + most.1);
        if self.options.full || more < 2 {
            return (rows, 0);
        }
        rows.truncate(most.0);
        (rows, more)
    }

    /// A line in rows that can be read and fit behind so many columns.
    fn wrapped(&self, line: &str, before: usize) -> Vec<String> {
        rows(line, self.options.width.min(HEADING), before)
    }

    /// A line cut to what fits behind so many columns.
    fn cut(&self, line: &str, before: usize) -> String {
        match self.options.width {
            0 => line.to_owned(),
            _ if self.options.full => line.to_owned(),
            width => cut(line, width.saturating_sub(before).max(20)),
        }
    }
}

/// A line in rows of a width that fit behind so many columns; 0 for no limit.
fn rows(line: &str, width: usize, before: usize) -> Vec<String> {
    if width == 0 {
        return vec![line.to_owned()];
    }
    let room = width.saturating_sub(before).max(20);
    let indent = &line[..line.len() - line.trim_start().len()];
    let indent = if indent.width() < room / 2 {
        indent
    } else {
        ""
    };
    let options = textwrap::Options::new(room)
        .subsequent_indent(indent)
        // Dates and paths stay whole.
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let rows = textwrap::wrap(line, options);
    rows.into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// A text on one line.
fn one_line(text: &str) -> String {
    clean::lines(text).collect::<Vec<_>>().join(" ")
}

/// Facts or notes on one line.
fn joined(facts: &[String]) -> String {
    let facts: Vec<String> = facts.iter().map(|fact| one_line(fact)).collect();
    facts.join(" · ")
}
