//! Draws when the turns and items of each thread ran: a track for each thread, bars on it, and idle time cut out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::marks::{First, Mark, Marks};
use super::noted::Noted;
use crate::numbers::{counted, duration_text};

/// The width of a track.
const WIDTH: i64 = 1000;

/// The narrowest bar that can be seen.
const NARROWEST: f64 = 1.5;

/// Of which part of the time a gap is cut out, and the part of the width that shows it then.
const LONG_GAP: i64 = 8;
const GAP_WIDTH: f64 = 14.0;

/// The name of a thread, as HTML, and the id of its heading.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
}

/// The tracks as HTML; nothing if no time is known.
pub(super) fn tracks(
    threads: &First<Track>,
    turns: &Marks,
    items: &Marks,
    noted: &Noted<'_>,
    has_key: bool,
) -> String {
    let mut out = String::new();
    let all = || turns.all().iter().chain(items.all());
    let Some(axis) = Axis::of(all()) else {
        return out;
    };
    out.push_str("<section class=\"tracks\"><h2>Time</h2>");
    for (number, track) in threads.kept.iter().enumerate() {
        if !all().any(|mark| mark.thread == number) {
            continue;
        }
        let name = &track.name;
        out.push_str("<div class=\"track\">");
        let _ = match &track.id {
            Some(id) => write!(out, "<a class=\"name\" href=\"#{id}\">{name}</a>"),
            None => write!(out, "<span class=\"name\">{name}</span>"),
        };
        let _ = write!(
            out,
            "<svg viewBox=\"0 0 {WIDTH} 30\" preserveAspectRatio=\"none\" role=\"group\" aria-label=\"{name}: turns and items on a line of time\">"
        );
        for gap in &axis.gaps {
            let (x, width) = (gap.x, GAP_WIDTH);
            let idle = duration(gap.ms);
            let _ = write!(
                out,
                "<rect class=\"gap\" x=\"{x:.1}\" y=\"0\" width=\"{width}\" height=\"30\"><title>idle for {idle}</title></rect>"
            );
        }
        let on_track = |mark: &&Mark| mark.thread == number;
        for mark in turns.all().iter().filter(on_track) {
            bar(&mut out, &axis, mark, noted, 2, 8);
        }
        for mark in items.all().iter().filter(on_track) {
            bar(&mut out, &axis, mark, noted, 13, 15);
        }
        out.push_str("</svg></div>");
    }
    if has_key {
        key(&mut out, items);
    }
    let mut notes = vec![format!("{} in all", duration(axis.ms))];
    if !axis.gaps.is_empty() {
        let idle: i64 = axis.gaps.iter().map(|gap| gap.ms).sum();
        let gaps = counted(axis.gaps.len() as u64, "gap", "gaps");
        notes.push(format!("idle for {} in {gaps}, cut out", duration(idle)));
    }
    for (left_out, one, many) in [
        (turns.left_out(), "short turn", "short turns"),
        (items.left_out(), "short item", "short items"),
        (threads.more, "thread", "threads"),
    ] {
        if left_out > 0 {
            notes.push(format!("{} not drawn", counted(left_out, one, many)));
        }
    }
    let _ = write!(out, "<p class=\"note\">{}</p></section>", notes.join(" · "));
    out
}

/// What the colours of the items stand for, except for that of failures.
fn key(out: &mut String, items: &Marks) {
    let kinds: BTreeSet<&str> = items.all().iter().map(|mark| mark.kind).collect();
    out.push_str("<p class=\"note key\">");
    for kind in kinds.into_iter().filter(|kind| *kind != "bad") {
        let _ = write!(out, "<span class=\"{kind}\">{kind}</span> ");
    }
    out.push_str("</p>");
}

fn bar(out: &mut String, axis: &Axis, mark: &Mark, noted: &Noted<'_>, y: u8, height: u8) {
    let x = axis.x(mark.from);
    let width = (axis.x(mark.to) - x).max(NARROWEST);
    let x = x.min(WIDTH as f64 - width);
    let note = noted.of(mark.lines);
    let (kind, words) = note.map_or((mark.kind, ""), |note| (note.class, note.words));
    let id = note.map(|note| note.id).or(mark.id.as_deref());
    let title = &mark.title;
    let bar = format!(
        "<rect class=\"{kind}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\"><title>{title}{words}</title></rect>"
    );
    let _ = match id {
        Some(id) => write!(out, "<a href=\"#{id}\" tabindex=\"-1\">{bar}</a>"),
        None => write!(out, "{bar}"),
    };
}

fn duration(ms: i64) -> String {
    let ms = u64::try_from(ms).unwrap_or(0);
    match ms {
        0..3_600_000 => duration_text(ms),
        ms => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Where points in time stand.
struct Axis {
    /// Times that something ran, from the first to the last, and where each begins.
    runs: Vec<(i64, i64, f64)>,
    gaps: Vec<Gap>,
    scale: f64,
    /// From the first to the last.
    ms: i64,
}

/// Time in which nothing ran.
struct Gap {
    x: f64,
    ms: i64,
}

impl Axis {
    fn of<'a>(marks: impl Iterator<Item = &'a Mark>) -> Option<Self> {
        let mut spans: Vec<(i64, i64)> = marks.map(|mark| (mark.from, mark.to)).collect();
        spans.sort_unstable();
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for (from, to) in spans {
            match runs.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => runs.push((from, to.max(from))),
            }
        }
        let (first, last) = (runs.first()?.0, runs.last()?.1);
        let ms = last.saturating_sub(first);
        if ms == 0 {
            return None;
        }
        // What is not idle for long counts as work. Two thirds of the width are kept for work.
        let work: i64 = runs.iter().map(|run| run.1 - run.0).sum();
        let most = (WIDTH as f64 / 3.0 / GAP_WIDTH) as usize;
        let mut idle: Vec<i64> = runs.windows(2).map(|two| two[1].0 - two[0].1).collect();
        idle.sort_unstable_by(|a, b| b.cmp(a));
        let too_many = idle.get(most).copied().unwrap_or(0);
        let least = (work / LONG_GAP).max(too_many).max(1000);
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for (from, to) in runs {
            match joined.last_mut() {
                Some(last) if from - last.1 <= least => last.1 = to,
                _ => joined.push((from, to)),
            }
        }
        let gaps = joined.len() - 1;
        let work: i64 = joined.iter().map(|run| run.1 - run.0).sum();
        let scale = (WIDTH as f64 - gaps as f64 * GAP_WIDTH) / (work.max(1)) as f64;
        let mut axis = Axis {
            runs: Vec::new(),
            gaps: Vec::new(),
            scale,
            ms,
        };
        let mut x = 0.0;
        for (from, to) in joined {
            if let Some((_, before, _)) = axis.runs.last() {
                let ms = from - before;
                axis.gaps.push(Gap { x, ms });
                x += GAP_WIDTH;
            }
            axis.runs.push((from, to, x));
            x += (to - from) as f64 * scale;
        }
        Some(axis)
    }

    fn x(&self, time: i64) -> f64 {
        let at = self.runs.partition_point(|run| run.0 <= time);
        let Some((from, to, x)) = at.checked_sub(1).and_then(|at| self.runs.get(at)) else {
            return 0.0;
        };
        x + (time.min(*to) - from) as f64 * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::super::marks::mark;
    use super::*;

    #[test]
    fn idle_time_is_cut_out() {
        let marks = [
            mark(0, 10_000),
            mark(11_000, 20_000),
            mark(3_600_000, 3_620_000),
        ];
        let axis = Axis::of(marks.iter()).expect("times");
        let gaps: Vec<i64> = axis.gaps.iter().map(|gap| gap.ms).collect();
        assert_eq!(gaps, [3_580_000]);
        assert_eq!(axis.x(0), 0.0);
        assert!((axis.x(20_000) - 493.0).abs() < 0.1);
        assert!((axis.x(3_600_000) - 507.0).abs() < 0.1);
        assert!((axis.x(3_620_000) - 1000.0).abs() < 0.1);
    }

    #[test]
    fn a_single_point_in_time_is_no_line() {
        assert!(Axis::of([].iter()).is_none());
        assert!(Axis::of([mark(5, 5)].iter()).is_none());
    }
}
