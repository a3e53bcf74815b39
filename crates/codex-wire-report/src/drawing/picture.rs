//! Gathers what is drawn of a session, in bounds.

use std::fmt::Write as _;

use codex_wire_session::{Item, Time, Turn, TurnStatus};

use super::marks::{First, Mark, Marks};
use super::noted::Noted;
use super::tracks::{Track, tracks};
use crate::html::Plot;
use crate::numbers::duration_text;

/// The longest time that is drawn: some thirty thousand years.
const LONGEST: u64 = 1_000_000_000_000_000;

/// How many threads have a track.
const THREADS: usize = 60;

/// What is drawn of a session.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub(crate) threads: First<Track>,
    turns: Marks,
    items: Marks,
    plot: Plot,
}

impl Picture {
    /// A picture with at most so many turns and so many items.
    pub(crate) fn new(most: usize) -> Self {
        Picture {
            threads: First::new(THREADS),
            turns: Marks::new(most),
            items: Marks::new(most),
            plot: Plot::new(),
        }
    }

    /// A thread, with the number it has in the input, its name as HTML, and the id of its heading.
    pub(crate) fn thread(&mut self, number: usize, name: Option<String>, id: Option<String>) {
        let known = self.threads.kept.len() + self.threads.more as usize;
        for at in known..=number {
            self.threads.push(Track {
                name: format!("Thread {}", at + 1),
                id: None,
            });
        }
        let Some(track) = self.threads.kept.get_mut(number) else {
            return;
        };
        if let Some(name) = name {
            track.name = name;
        }
        track.id = id.or(track.id.take());
    }

    /// An item: a class of the style sheet, its name as HTML, and the id of what it leads to.
    pub(crate) fn item(
        &mut self,
        thread: usize,
        item: &Item,
        kind: &'static str,
        mut title: String,
        id: Option<String>,
    ) {
        let took = item.duration_ms.map(|ms| ms.min(LONGEST) as i64);
        let from = item.started.map(Time::ms);
        let to = item.completed.map(Time::ms);
        let (from, to) = match (from, to, took) {
            // What Codex says is more exact than when it wrote.
            (Some(from), _, Some(took)) => (from, from + took),
            (None, Some(to), Some(took)) => (to - took, to),
            (Some(from), Some(to), None) => (from, to.max(from)),
            (Some(at), None, None) | (None, Some(at), None) => (at, at),
            (None, None, _) => return,
        };
        if to > from {
            let _ = write!(title, " · {}", duration_text((to - from) as u64));
        }
        self.items.push(Mark {
            thread,
            from,
            to,
            kind,
            title,
            id,
            lines: (item.lines.from, item.lines.to),
        });
    }

    /// A turn that has ended: its thread, its number there, and the id of its heading.
    pub(crate) fn turn(
        &mut self,
        (thread, number): (usize, usize),
        turn: &Turn,
        id: Option<String>,
    ) {
        let name = match thread {
            0 => format!("Turn {}", number + 1),
            thread => format!("Thread {}, turn {}", thread + 1, number + 1),
        };
        let took = turn.duration_ms.map(|ms| ms.min(LONGEST) as i64);
        let (kind, word) = ending(turn);
        let from = turn.started.map(Time::ms);
        let to = took.and_then(|took| Some(from? + took));
        if let (Some(from), Some(to)) = (from, to.or(turn.ended.map(Time::ms)))
            && to >= from
        {
            let took = duration_text((to - from) as u64);
            let gap = if word.is_empty() { "" } else { " · " };
            self.turns.push(Mark {
                thread,
                from,
                to,
                kind,
                title: format!("{name} · {took}{gap}{word}"),
                id: id.clone(),
                lines: (0, 0),
            });
        }
        if !turn.is_copied {
            self.plot.push(turn.tokens(), name, id);
        }
    }

    /// The tracks and the plot as HTML, with what the colours stand for if nothing else on the page says it; nothing if
    /// there is nothing to draw.
    pub(crate) fn html(&self, noted: &Noted<'_>, has_key: bool) -> String {
        let tracks = tracks(&self.threads, &self.turns, &self.items, noted, has_key);
        let plot = self.plot.html("turn", "turns");
        match tracks.is_empty() && plot.is_empty() {
            true => String::new(),
            false => format!("<div class=\"pictures\">{tracks}{plot}</div>"),
        }
    }
}

/// How a turn ended: a class of the style sheet, and in a word.
pub(crate) fn ending(turn: &Turn) -> (&'static str, &'static str) {
    match turn.status {
        TurnStatus::Failed => ("failed", "failed"),
        TurnStatus::Interrupted => ("stopped", "interrupted"),
        TurnStatus::Unfinished => ("stopped", "unfinished"),
        TurnStatus::Completed => ("completed", "completed"),
        _ => ("completed", ""),
    }
}
