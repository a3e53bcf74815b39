//! Transcripts of the repository as timelines: a row for each request, action and result, with findings where they occur.
//!
//! `codex-wire-report` writes them as for a terminal. The colours of a terminal become classes, so that both look alike.

use std::collections::BTreeMap;

use codex_wire_check::{Checker, Options};
use codex_wire_report::{Styles, Timeline, TimelineOptions};

use crate::markdown::escape;

/// The transcripts that pages are about.
pub(crate) struct Timelines<'s> {
    transcripts: &'s BTreeMap<String, Vec<u8>>,
}

impl<'s> Timelines<'s> {
    pub(crate) fn new(transcripts: &'s BTreeMap<String, Vec<u8>>) -> Self {
        Timelines { transcripts }
    }

    /// A transcript as HTML, by its path in the repository; nothing if it is none.
    pub(crate) fn of(&self, path: &str) -> Option<String> {
        let bytes = self.transcripts.get(path)?;
        let (folder, name) = path.rsplit_once('/')?;
        let settings = self.transcripts.get(&format!("{folder}/settings"));
        let settings = settings.map(|text| String::from_utf8_lossy(text));
        let options = options(settings.as_deref().unwrap_or_default())?;
        let checker = Checker::new(options).ok()?;
        let mut shown = TimelineOptions::new();
        shown.width = WIDTH;
        shown.show_values = true;
        shown.styles = Styles::coloured();
        let mut out = Vec::new();
        let mut timeline = Timeline::new(shown, &mut out);
        let outcome = checker.observe(name, bytes.as_slice(), |step| timeline.step(step));
        timeline.finish(&outcome.ok()?).ok()?;
        let html = html(&String::from_utf8_lossy(&out));
        Some(format!(
            "<pre class=\"timeline\" tabindex=\"0\">{html}</pre>\n"
        ))
    }
}

/// The longest row. A page wraps what is longer than it is wide.
const WIDTH: usize = 400;

/// What an example is checked with, as the file `settings` beside it says: protocol, release, profile and limits.
/// Nothing if it says something else.
fn options(settings: &str) -> Option<Options> {
    let mut options = Options::new();
    for word in settings.split_whitespace() {
        if let Some((limit, number)) = word.split_once('=') {
            let number = number.parse().ok()?;
            match limit {
                "max-line-bytes" => options.limits.line_bytes = number,
                "max-depth" => options.limits.depth = number,
                "max-values" => options.limits.values = number,
                _ => return None,
            }
        } else if let Ok(protocol) = word.parse() {
            options.protocol = Some(protocol);
        } else if let Ok(profile) = word.parse() {
            options.profile = profile;
        } else {
            options.release = Some(word.parse().ok()?);
        }
    }
    Some(options)
}

/// Colours of a terminal, and what of them a page shows.
const TONES: [(&str, &str); 5] = [
    ("91", "error"),
    ("33", "warn"),
    ("36", "note"),
    ("32", "conforms"),
    ("2", "dim"),
];

/// A text with colours of a terminal as HTML. The text of a transcript has none: reports escape it.
fn html(text: &str) -> String {
    let mut out = String::new();
    let mut is_open = false;
    let mut pieces = text.split("\u{1b}[");
    out.push_str(&escape(pieces.next().unwrap_or_default()));
    for piece in pieces {
        let (code, rest) = piece.split_once('m').unwrap_or(("", piece));
        let tone = TONES.iter().find(|(known, _)| *known == code);
        if is_open && (tone.is_some() || code == "0") {
            out.push_str("</span>");
            is_open = false;
        }
        if let Some((_, class)) = tone {
            out.push_str(&format!("<span class=\"{class}\">"));
            is_open = true;
        }
        out.push_str(&escape(rest));
    }
    if is_open {
        out.push_str("</span>");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_text_stays_text() {
        let shown = html("a <b> \u{1b}[1m\u{1b}[91m!! <i>\u{1b}[0m c");
        assert_eq!(
            shown,
            "a &lt;b&gt; <span class=\"error\">!! &lt;i&gt;</span> c"
        );
    }

    #[test]
    fn nothing_of_a_setting_is_ignored() {
        assert!(options("hooks 0.125.0").is_some());
        assert!(options("max-depth=8").is_some());
        assert!(options("max-patience=8").is_none());
    }
}
