//! Writes what people and models wrote: of their Markdown, code, tables, headings and what is bold is shown as such.
//! Links are not: where a text leads to is nothing a reader should find out by a click.

use super::escape::push;
use crate::conversation::clean;

/// Adds a text as paragraphs.
pub(super) fn push_prose(out: &mut String, text: &str) {
    out.push_str("<div class=\"prose\" dir=\"auto\">");
    let mut open = Open::Nothing;
    for line in clean::lines(text.trim_end()) {
        open = next(out, open, &line);
    }
    open.close(out);
    out.push_str("</div>");
}

/// What the last line has left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Paragraph,
    Table,
    /// Code behind so many signs.
    Code(char, usize),
}

impl Open {
    fn close(self, out: &mut String) {
        match self {
            Open::Nothing => {}
            Open::Paragraph => out.push_str("</p>"),
            Open::Table | Open::Code(..) => out.push_str("</pre>"),
        }
    }
}

/// Adds a line. Returns what is open behind it.
fn next(out: &mut String, open: Open, line: &str) -> Open {
    let start = line.trim_start();
    let fence = fence(start);
    if let Open::Code(sign, most) = open {
        let ends = fence.is_some_and(|(with, count)| with == sign && count >= most)
            && start.trim_end().chars().all(|c| c == sign);
        if ends {
            open.close(out);
            return Open::Nothing;
        }
        push(out, line);
        out.push('\n');
        return open;
    }
    if let Some((sign, count)) = fence {
        open.close(out);
        // The first end of a line in it counts for nothing.
        out.push_str("<pre>\n");
        return Open::Code(sign, count);
    }
    if line.trim().is_empty() {
        open.close(out);
        return Open::Nothing;
    }
    if start.starts_with('|') {
        if open != Open::Table {
            open.close(out);
            // The first end of a line in it counts for nothing.
            out.push_str("<pre>\n");
        }
        push(out, line);
        out.push('\n');
        return Open::Table;
    }
    if let Some(heading) = heading(start) {
        open.close(out);
        out.push_str("<p class=\"head\">");
        push_inline(out, heading);
        out.push_str("</p>");
        return Open::Nothing;
    }
    match open {
        // What stands below a paragraph goes on with it.
        Open::Paragraph => out.push('\n'),
        _ => {
            open.close(out);
            out.push_str("<p>");
        }
    }
    push_inline(out, line);
    Open::Paragraph
}

/// The sign of a fence around code, and how often it stands there.
fn fence(line: &str) -> Option<(char, usize)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == sign).count();
    // Code on one line is not a fence.
    let is_fence = count >= 3 && !line[count..].contains('`');
    is_fence.then_some((sign, count))
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6)
        .contains(&level)
        .then(|| rest.strip_prefix(' '))
        .flatten()
}

/// Adds a line, with code and bold words in it.
fn push_inline(out: &mut String, line: &str) {
    let mut rest = line;
    // Signs that nothing closes are looked for once, so that a long line costs no more than its length.
    let (mut code, mut bold) = (true, true);
    while let Some(at) = rest.find(['`', '*']) {
        push(out, &rest[..at]);
        rest = &rest[at..];
        let (sign, element, may) = match rest.starts_with('`') {
            true => ("`", "code", &mut code),
            false => ("**", "strong", &mut bold),
        };
        let run = rest.len() - rest.trim_start_matches(&sign[..1]).len();
        let inner = &rest[run.min(rest.len())..];
        if run == sign.len() && *may {
            match inner.find(sign) {
                None => *may = false,
                Some(end) if !inner.starts_with(' ') || sign == "`" => {
                    out.push_str(&format!("<{element}>"));
                    push(out, &inner[..end]);
                    out.push_str(&format!("</{element}>"));
                    rest = &inner[end + sign.len()..];
                    continue;
                }
                Some(_) => {}
            }
        }
        push(out, &rest[..run]);
        rest = inner;
    }
    push(out, rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> String {
        let mut out = String::new();
        push_prose(&mut out, text);
        let out = out.strip_prefix("<div class=\"prose\" dir=\"auto\">");
        let out = out.and_then(|out| out.strip_suffix("</div>"));
        out.expect("a division").to_owned()
    }

    #[test]
    fn markdown_is_shown_in_part() {
        for (text, shown) in [
            ("a\nb\n\nc", "<p>a\nb</p><p>c</p>"),
            ("# A *b*\nc", "<p class=\"head\">A *b*</p><p>c</p>"),
            ("#7 is <open>", "<p>#7 is &lt;open&gt;</p>"),
            (
                "a `b<c` **d** e",
                "<p>a <code>b&lt;c</code> <strong>d</strong> e</p>",
            ),
            ("a ` b ** c", "<p>a ` b ** c</p>"),
            ("2 ** 3 ** 4", "<p>2 ** 3 ** 4</p>"),
            ("2*3*4 ***", "<p>2*3*4 ***</p>"),
            (
                "```sh\n<a>\n\n~~~\n```\nb",
                "<pre>\n&lt;a&gt;\n\n~~~\n</pre><p>b</p>",
            ),
            ("````\n```\n````", "<pre>\n```\n</pre>"),
            ("```a```", "<p>```a```</p>"),
            ("```\nnever closed", "<pre>\nnever closed\n</pre>"),
            ("|a|b|\n|-|-|\nc", "<pre>\n|a|b|\n|-|-|\n</pre><p>c</p>"),
            ("[a](javascript:b)", "<p>[a](javascript:b)</p>"),
        ] {
            assert_eq!(prose(text), shown);
        }
    }
}
