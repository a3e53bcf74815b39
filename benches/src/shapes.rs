//! The ways to tell whether a line has the right shape: yes or no, and nothing else.

use std::collections::BTreeMap;
use std::hint::black_box;

use codex_wire::{Release, Surface};
use codex_wire_program::{Program, Scanner, Verdict};
use jsonschema::Validator;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::corpus::Corpus;
use crate::exact;

/// What the lines of each release of a corpus are held against.
pub struct Shapes {
    of_release: BTreeMap<Release, Shape>,
}

struct Shape {
    program: Program,
    /// The same without the instructions that not every processor has.
    portable: Program,
    validator: Validator,
}

/// A way to look at a line, with its name in tables.
pub type Way = (&'static str, fn(&Shapes, &Corpus) -> usize);

/// All of them. The first is ours, the second what one would write instead.
pub const WAYS: &[Way] = &[
    ("shape program", Shapes::program),
    ("serde_json Value and jsonschema", Shapes::validator),
    ("shape program, portable", Shapes::portable),
    ("serde_json IgnoredAny", Shapes::ignored),
    ("serde_json Value", Shapes::value),
    ("sonic-rs Value", Shapes::sonic),
    ("UTF-8 check", Shapes::utf8),
];

impl Shapes {
    /// Compiles what the lines of a corpus need.
    pub fn new(surface: Surface, corpus: &Corpus) -> Self {
        let shape = |release| {
            let schema = exact::schema(surface, release);
            let compile =
                |scanner| Program::compile_for(&schema, scanner).expect("our own schemas compile");
            Shape {
                program: compile(Scanner::best()),
                portable: compile(Scanner::all()[0]),
                validator: exact::validator(&schema),
            }
        };
        let releases = corpus.transcripts.iter().map(|(release, _)| *release);
        Shapes {
            of_release: releases.map(|release| (release, shape(release))).collect(),
        }
    }

    /// The corpus with only the lines of the surface, which the validator tells.
    pub fn of_surface(&self, corpus: &Corpus) -> Corpus {
        let mut lines = corpus.messages().map(|(release, line)| {
            let value: Value = serde_json::from_slice(line).unwrap_or_default();
            self.of_release[&release].validator.is_valid(&value)
        });
        corpus.only(corpus.name, |_| lines.next().unwrap_or_default())
    }

    /// How many lines the program accepts.
    pub fn program(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            accepts(&self.of_release[&release].program, line)
        })
    }

    /// How many it accepts with the instructions that every processor has.
    pub fn portable(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            accepts(&self.of_release[&release].portable, line)
        })
    }

    /// How many the validator accepts, with a tree for each.
    pub fn validator(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            let value = serde_json::from_slice(line);
            value.is_ok_and(|value: Value| self.of_release[&release].validator.is_valid(&value))
        })
    }

    /// How many are JSON.
    pub fn ignored(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| {
            serde_json::from_slice::<IgnoredAny>(line).is_ok()
        })
    }

    /// How many become a tree.
    pub fn value(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| {
            serde_json::from_slice::<Value>(line).is_ok()
        })
    }

    /// How many become a tree of sonic-rs.
    pub fn sonic(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| {
            sonic_rs::from_slice::<sonic_rs::Value>(line).is_ok()
        })
    }

    /// How many are text.
    pub fn utf8(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| std::str::from_utf8(line).is_ok())
    }
}

fn accepts(program: &Program, line: &[u8]) -> bool {
    matches!(program.check(line), Verdict::Accepted { .. })
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(corpus: &Corpus, is_right: impl Fn(Release, &[u8]) -> bool) -> usize {
    let lines = corpus.messages();
    lines
        .filter(|(release, line)| is_right(*release, black_box(line)))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_takes_every_line() {
        let recorded = Corpus::app_server_recorded().expect("the recorded transcripts");
        for (surface, corpus) in [
            (Surface::Exec, Corpus::generated_of(1 << 20)),
            (
                Surface::AppServerServerNotifications,
                Corpus::flood_of(1 << 18),
            ),
            (Surface::AppServerServerNotifications, recorded),
        ] {
            let shapes = Shapes::new(surface, &corpus);
            let corpus = shapes.of_surface(&corpus);
            assert!(corpus.lines().len() > 500, "{}", corpus.name);
            for (name, way) in WAYS {
                assert_eq!(way(&shapes, &corpus), corpus.lines().len(), "{name}");
            }
        }
    }
}
