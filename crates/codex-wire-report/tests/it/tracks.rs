//! The tracks on the page of a check: times and kinds, findings where they are, and nothing else of a transcript.

use std::collections::BTreeSet;

use codex_wire_check::{Checker, Options, Outcome, Severity};
use codex_wire_report::{Format, Report, Settings, TrackWatch, Tracks};

use crate::html::{HOSTILE, disturbed, recordings};
use crate::html_reader::Page;
use crate::page::checked;
use crate::samples::{stated, unknown_value, with_findings};

fn tracks(input: &[u8]) -> Tracks {
    let checker = Checker::new(Options::new()).unwrap();
    let mut watch = TrackWatch::new("run.jsonl");
    let step = |step: &codex_wire_check::Step<'_>| {
        watch.step(step);
        Ok(())
    };
    checker.observe("run.jsonl", input, step).unwrap();
    watch.finish()
}

/// The page of an input with these tracks.
fn page(tracks: &Tracks, outcome: &Outcome) -> String {
    let mut out = Vec::new();
    let mut report = Report::begin(Format::Html, Settings::new("demo", "1.0.0"), &mut out).unwrap();
    report.tracks(tracks);
    report.outcome(outcome).unwrap();
    report.finish().unwrap();
    String::from_utf8(out).unwrap()
}

fn has_tracks(html: &str) -> bool {
    html.contains("<div class=\"track\">")
}

/// The elements of a page with their attributes, and its classes.
fn parts(page: &Page) -> BTreeSet<String> {
    let elements = page.elements.iter();
    let elements =
        elements.flat_map(|(tag, names)| names.iter().map(move |name| format!("{tag} {name}")));
    let tags = page.elements.keys().cloned();
    let classes = page.classes.iter().map(|class| format!(".{class}"));
    elements.chain(tags).chain(classes).collect()
}

#[test]
fn hostile_texts_are_not_in_lanes() {
    let without = stated("run.jsonl", 3);
    let recordings = recordings();
    let mut known = BTreeSet::new();
    let mut drawn = 0;
    for (_, input) in &recordings {
        let html = page(&tracks(input), &without);
        drawn += usize::from(has_tracks(&html));
        known.extend(parts(&checked(&html)));
    }
    assert!(drawn > 10, "{drawn}");
    let mut drawn = 0;
    for (at, (name, input)) in recordings.iter().enumerate() {
        let hostile = HOSTILE[at % HOSTILE.len()];
        // Without times there is nothing to draw.
        let is_time = |text: &str| text.starts_with("20") && text.ends_with('Z');
        let input = disturbed(input, &mut |old| match is_time(old) {
            true => old.to_owned(),
            false => hostile.to_owned(),
        });
        let html = page(&tracks(&input), &without);
        drawn += usize::from(has_tracks(&html));
        let page = checked(&html);
        assert!(!page.text.contains(hostile), "{name}: {hostile:?}");
        let parts = parts(&page);
        let new: Vec<_> = parts.difference(&known).collect();
        assert!(new.is_empty(), "{name}: {hostile:?}: {new:?}");
    }
    assert!(drawn > 3, "{drawn}");
}

/// A session file that is drawn.
fn session_file() -> Vec<u8> {
    let all = recordings().into_iter();
    let mut all = all.filter(|(name, _)| name.contains("rollout/0.169.0/extended"));
    let found = all.find(|(_, input)| has_tracks(&page(&tracks(input), &stated("run.jsonl", 3))));
    found.unwrap().1
}

/// A bar leads to the worst finding in its lines.
#[test]
fn bars_lead_to_findings() {
    let input = session_file();
    let tracks = tracks(&input);
    let lines = input.iter().filter(|byte| **byte == b'\n').count() as u64;
    let link = "<a href=\"#input-1-finding-1\" tabindex=\"-1\"><rect class=";
    for (severity, class, words) in [
        (Severity::Error, "bad", " · an error"),
        (Severity::Warning, "noted", " · a warning"),
    ] {
        let bars = (1..=lines).map(|line| {
            let mut finding = unknown_value();
            finding.place.line = line;
            finding.severity = severity;
            let html = page(
                &tracks,
                &with_findings(stated("run.jsonl", 3), vec![finding], 0),
            );
            checked(&html);
            let bar = html.split(link).nth(1).unwrap_or_default();
            let (bar, _) = bar.split_once("</a>").unwrap_or_default();
            bar.to_owned()
        });
        let bars: Vec<String> = bars.filter(|bar| !bar.is_empty()).collect();
        assert!(bars.len() > 3, "{bars:?}");
        for bar in bars {
            assert!(bar.starts_with(&format!("\"{class}\"")), "{bar}");
            assert!(bar.contains(&format!("{words}</title>")), "{bar}");
        }
    }
}

/// A page has a few inputs drawn, whatever their number is.
#[test]
fn the_first_inputs_are_drawn() {
    let input = session_file();
    let tracks = tracks(&input);
    let mut out = Vec::new();
    let mut report = Report::begin(Format::Html, Settings::new("demo", "1.0.0"), &mut out).unwrap();
    for at in 0..80 {
        report.tracks(&tracks);
        report.outcome(&stated(&format!("{at}.jsonl"), 1)).unwrap();
        report
            .outcome(&stated(&format!("{at}-not-drawn.jsonl"), 1))
            .unwrap();
    }
    report.finish().unwrap();
    let html = String::from_utf8(out).unwrap();
    checked(&html);
    assert_eq!(html.matches("<details class=\"drawn\"").count(), 25);
}
