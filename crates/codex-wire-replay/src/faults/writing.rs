//! How the lines of a session are written, with its faults.

use std::fmt;
use std::time::Duration;

use super::effect::{Act, Effect, Line, Parts};
use super::injection::Faults;
use super::random::Random;
use super::response::ends_turn;
use crate::exec::ExecPlay;

/// What is done where the lines of one session are written. It writes nothing, and knows no clock: whoever writes
/// does the [`Act`]s in their order.
///
/// ```
/// use codex_wire_replay::faults::{Act, Faults, Injection, Parts, Writing};
///
/// let faults = Faults::new(vec![Injection::parse("byte-by-byte")?], 0);
/// let mut writing = Writing::new(&faults);
/// let acts = writing.line(b"{}\n".to_vec());
/// assert_eq!(acts, [Act::Write(b"{}\n".to_vec(), Parts::Bytes)]);
/// assert_eq!(faults.log().take(), ["fault/byte-by-byte"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writing {
    effects: Vec<Box<dyn Effect>>,
    random: Random,
    /// How many lines were written.
    lines: u64,
}

impl Writing {
    /// Writing with these faults.
    pub fn new(faults: &Faults) -> Self {
        Writing {
            effects: faults.effects(),
            random: Random::new(faults.seed),
            lines: 0,
        }
    }

    /// Before anything is read or written.
    pub fn begin(&mut self) -> Vec<Act> {
        let acts = self.effects.iter_mut().flat_map(|effect| effect.begin());
        acts.collect()
    }

    /// The client has written this line.
    pub fn heard(&mut self, line: &str) {
        for effect in &mut self.effects {
            effect.heard(line);
        }
    }

    /// A line of a conversation is to be written, with its newline.
    pub fn line(&mut self, line: Vec<u8>) -> Vec<Act> {
        let mut lines = vec![line];
        for effect in &mut self.effects {
            lines = lines
                .into_iter()
                .flat_map(|line| effect.queue(line))
                .collect();
        }
        self.acts(lines)
    }

    /// How long the lines that are kept may wait, from the first of them on; nothing if none are kept.
    pub fn keeps(&self) -> Option<Duration> {
        self.effects
            .iter()
            .filter_map(|effect| effect.keeps())
            .min()
    }

    /// The lines that are kept are due.
    pub fn kept(&mut self) -> Vec<Act> {
        let lines = self.effects.iter_mut().flat_map(|effect| effect.kept());
        let lines: Vec<Vec<u8>> = lines.collect();
        self.acts(lines)
    }

    /// All lines of a run of `codex exec`, each with the milliseconds before it.
    pub fn run<'r>(&'r mut self, run: &'r ExecPlay) -> impl Iterator<Item = (u64, Vec<Act>)> + 'r {
        let has_end = run.lines().any(|(_, line)| ends_turn(&line));
        let last = run.lines().count();
        let lines = (1..).zip(run.lines());
        lines.map(move |(number, (after, line))| {
            let is_end = ends_turn(&line) || (!has_end && number == last);
            (after, self.act(line.into_owned(), is_end))
        })
    }

    /// After the last line, before the process ends.
    pub fn end(&mut self) -> Vec<Act> {
        let mut acts = self.kept();
        acts.extend(self.effects.iter_mut().flat_map(|effect| effect.end()));
        acts
    }

    fn acts(&mut self, lines: Vec<Vec<u8>>) -> Vec<Act> {
        let lines = lines.into_iter().flat_map(|line| {
            let is_end = ends_turn(&line);
            self.act(line, is_end)
        });
        lines.collect()
    }

    /// What is done for one line.
    fn act(&mut self, mut bytes: Vec<u8>, is_end: bool) -> Vec<Act> {
        self.lines += 1;
        let Writing {
            effects,
            random,
            lines,
        } = self;
        let number = *lines;
        let mut acts = Vec::new();
        for effect in effects.iter_mut() {
            acts.extend(effect.before(&Line::new(&bytes, number, is_end), random));
        }
        let mut all = effects.iter_mut();
        if let Some(others) =
            all.find_map(|effect| effect.instead(&Line::new(&bytes, number, is_end)))
        {
            acts.extend(others);
            return acts;
        }
        for effect in effects.iter_mut() {
            if let Some(other) = effect.bytes(&Line::new(&bytes, number, is_end)) {
                bytes = other;
            }
        }
        let mut all = effects.iter_mut();
        let parts = all.find_map(|effect| effect.parts(&bytes, random));
        acts.push(Act::Write(bytes, parts.unwrap_or(Parts::Any)));
        acts
    }
}

impl fmt::Debug for Writing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Writing");
        out.field("lines", &self.lines).finish_non_exhaustive()
    }
}
