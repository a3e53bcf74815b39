//! The ways to validate a line, yes or no and nothing else.

#[cfg(feature = "peers")]
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io;
use std::rc::Rc;

use codex_wire::{MessageSet, Release};
use codex_wire_prefilter::{Prefilter, Scanner, Verdict};
use codex_wire_schema::release_ranges;
use jsonschema::Validator;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::corpus::Corpus;
use crate::exact;
#[cfg(feature = "peers")]
use crate::peers::{Boon, SimdJson};

/// What the lines of each release of a corpus are checked against. Releases that write the same
/// share it.
pub struct Shapes {
    of_release: BTreeMap<Release, Rc<Shape>>,
}

struct Shape {
    prefilter: Prefilter,
    /// The same with the instructions that every processor of this kind has.
    baseline: Prefilter,
    /// The same with none but those of any processor.
    portable: Prefilter,
    validator: Validator,
    /// Compiled when it is first asked: it takes a second for the notifications of a release.
    #[cfg(feature = "peers")]
    boon: OnceCell<Boon>,
    #[cfg(feature = "peers")]
    schema: Value,
}

#[cfg(feature = "peers")]
impl Shape {
    fn boon(&self) -> &Boon {
        self.boon.get_or_init(|| Boon::new(&self.schema))
    }
}

/// A way to look at a line, with its name in tables.
pub type Way = (&'static str, fn(&Shapes, &Corpus) -> usize);

/// All of them. The first is ours, the second what one would write instead.
pub const WAYS: &[Way] = &[
    ("prefilter", Shapes::prefilter),
    ("serde_json Value and jsonschema", Shapes::validator),
    ("prefilter, without AVX2", Shapes::baseline),
    ("prefilter, portable", Shapes::portable),
    ("serde_json IgnoredAny", Shapes::ignored),
    ("serde_json Value", Shapes::value),
    #[cfg(feature = "peers")]
    BOON,
    #[cfg(feature = "peers")]
    ("sonic-rs Value", Shapes::sonic),
    #[cfg(feature = "peers")]
    ("simd-json, borrowed tree", Shapes::simd_tree),
    #[cfg(feature = "peers")]
    ("simd-json, tape", Shapes::simd_tape),
    ("UTF-8 check", Shapes::utf8),
    ("line split", Shapes::split),
];

#[cfg(feature = "peers")]
const BOON: Way = ("serde_json Value and boon", Shapes::boon);

/// Those that validate every line, right or wrong.
pub const VALIDATORS: &[Way] = &[
    ("prefilter, then jsonschema", Shapes::validated),
    ("serde_json Value and jsonschema", Shapes::validator),
];

/// What the ways are compared on.
///
/// # Errors
/// When the recorded transcripts cannot be read.
pub fn contests() -> io::Result<Vec<(MessageSet, Corpus)>> {
    let notifications = MessageSet::AppServerServerNotifications;
    Ok(vec![
        (MessageSet::Exec, Corpus::long_outputs()),
        (MessageSet::Exec, Corpus::generated()),
        (MessageSet::Exec, Corpus::recorded()?),
        (MessageSet::Exec, Corpus::long_line()),
        (notifications, Corpus::app_server_generated()),
        (notifications, Corpus::app_server_recorded()?),
        (
            MessageSet::AppServerServerResponses,
            Corpus::answer_with_method(),
        ),
        (MessageSet::CoreEvents, Corpus::core_generated()),
    ])
}

/// Lets each way look at a corpus so many times.
pub fn runs<'a>(
    ways: &[Way],
    shapes: &'a Shapes,
    corpus: &'a Corpus,
    times: usize,
) -> Vec<Box<dyn FnMut() + 'a>> {
    let run = |(_, way): &Way| {
        let way = *way;
        Box::new(move || {
            for _ in 0..times {
                way(shapes, corpus);
            }
        }) as Box<dyn FnMut() + 'a>
    };
    ways.iter().map(run).collect()
}

/// What the validators are compared on: one line of ten is wrong.
pub fn contests_with_faults() -> Vec<(MessageSet, Corpus)> {
    vec![
        (
            MessageSet::Exec,
            Corpus::long_outputs().with_faults("long outputs, 10 % wrong", 100),
        ),
        (
            MessageSet::AppServerServerNotifications,
            Corpus::app_server_generated().with_faults("app-server, deltas, 10 % wrong", 100),
        ),
    ]
}

impl Shapes {
    /// Compiles what the lines of a corpus need.
    pub fn new(message_set: MessageSet, corpus: &Corpus) -> Self {
        let all = Scanner::all();
        let shape = |schema: Value| {
            let compile = |scanner| {
                Prefilter::compile_for(&schema, scanner).expect("our own schemas compile")
            };
            Rc::new(Shape {
                prefilter: compile(Scanner::best()),
                baseline: compile(all[1.min(all.len() - 1)]),
                portable: compile(all[0]),
                validator: exact::validator(&schema),
                #[cfg(feature = "peers")]
                boon: OnceCell::new(),
                #[cfg(feature = "peers")]
                schema,
            })
        };
        let mut shapes: HashMap<Option<Release>, Rc<Shape>> = HashMap::new();
        let mut of_release = BTreeMap::new();
        for (release, _) in &corpus.transcripts {
            let mut ranges = release_ranges(message_set).iter();
            let alike = ranges.find(|range| range.contains(*release));
            let made = shapes
                .entry(alike.map(|range| range.since))
                .or_insert_with(|| shape(exact::schema(message_set, *release)));
            of_release.insert(*release, made.clone());
        }
        Shapes { of_release }
    }

    /// The corpus with only the lines of the message set, which the validator recognizes.
    pub fn of_message_set(&self, corpus: &Corpus) -> Corpus {
        let mut lines = corpus.messages().map(|(release, line)| {
            let value: Value = serde_json::from_slice(line).unwrap_or_default();
            self.of_release[&release].validator.is_valid(&value)
        });
        corpus.only(corpus.name, |_| lines.next().unwrap_or_default())
    }

    /// How many lines the prefilter accepts.
    pub fn prefilter(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            accepts(&self.of_release[&release].prefilter, line)
        })
    }

    /// How many it accepts with the instructions that every processor of this kind has.
    pub fn baseline(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            accepts(&self.of_release[&release].baseline, line)
        })
    }

    /// How many it accepts with none but the instructions of any processor.
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

    /// How many the prefilter accepts, or else the validator: what a checker asks for.
    pub fn validated(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            let shape = &self.of_release[&release];
            let valid = |value: Value| shape.validator.is_valid(&value);
            accepts(&shape.prefilter, line) || serde_json::from_slice(line).is_ok_and(valid)
        })
    }

    /// How many there are, found in the whole text.
    pub fn split(&self, corpus: &Corpus) -> usize {
        let transcripts = corpus.transcripts.iter();
        transcripts
            .map(|(_, bytes)| memchr::memchr_iter(b'\n', black_box(bytes)).count())
            .sum()
    }

    /// How many are text.
    pub fn utf8(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| std::str::from_utf8(line).is_ok())
    }
}

#[cfg(feature = "peers")]
impl Shapes {
    /// How many become a tree of sonic-rs.
    pub fn sonic(&self, corpus: &Corpus) -> usize {
        count(corpus, |_, line| {
            sonic_rs::from_slice::<sonic_rs::Value>(line).is_ok()
        })
    }

    /// How many boon accepts, with a tree for each.
    pub fn boon(&self, corpus: &Corpus) -> usize {
        count(corpus, |release, line| {
            let value = serde_json::from_slice(line);
            value.is_ok_and(|value: Value| self.of_release[&release].boon().accepts(&value))
        })
    }

    /// How many become a tree of simd-json, of a copy.
    pub fn simd_tree(&self, corpus: &Corpus) -> usize {
        let mut reader = SimdJson::new();
        count(corpus, |_, line| reader.tree(line))
    }

    /// How many become a tape of simd-json, of a copy.
    pub fn simd_tape(&self, corpus: &Corpus) -> usize {
        let mut reader = SimdJson::new();
        count(corpus, |_, line| reader.tape(line))
    }
}

fn accepts(prefilter: &Prefilter, line: &[u8]) -> bool {
    matches!(prefilter.check(line), Verdict::Accepted { .. })
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(corpus: &Corpus, mut is_valid: impl FnMut(Release, &[u8]) -> bool) -> usize {
    let lines = corpus.messages();
    lines
        .filter(|(release, line)| is_valid(*release, black_box(line)))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_takes_every_line() {
        let notifications = MessageSet::AppServerServerNotifications;
        let recorded = Corpus::app_server_recorded().expect("the recorded transcripts");
        for (message_set, corpus, least) in [
            (MessageSet::Exec, Corpus::generated_of(1 << 20), 500),
            (MessageSet::Exec, Corpus::long_outputs_of(1 << 20), 500),
            (MessageSet::Exec, Corpus::long_line(), 1),
            (notifications, Corpus::flood_of(1 << 18), 500),
            (notifications, recorded, 500),
            (
                MessageSet::AppServerServerResponses,
                Corpus::answer_with_method(),
                1,
            ),
            (MessageSet::CoreEvents, Corpus::core_generated(), 500),
        ] {
            let shapes = Shapes::new(message_set, &corpus);
            let corpus = shapes.of_message_set(&corpus);
            assert!(corpus.lines().len() >= least, "{}", corpus.name);
            for (name, way) in WAYS {
                let corpus = corpus.clone();
                // It compiles schemas too slowly to do so for all releases.
                #[cfg(feature = "peers")]
                let corpus = match *name == BOON.0 {
                    true => of_newest(corpus),
                    false => corpus,
                };
                assert_eq!(way(&shapes, &corpus), corpus.lines().len(), "{name}");
                assert!(corpus.lines().len() > 0, "{name}");
            }
        }
    }

    /// The lines of the newest release.
    #[cfg(feature = "peers")]
    fn of_newest(corpus: Corpus) -> Corpus {
        let mut transcripts = corpus.transcripts;
        let newest = transcripts.last().map(|(release, _)| *release);
        transcripts.retain(|(release, _)| Some(*release) == newest);
        Corpus::of(corpus.name, transcripts)
    }

    #[test]
    fn wrong_lines_are_refused_by_all_validators() {
        for (message_set, corpus) in [
            (MessageSet::Exec, Corpus::generated_of(1 << 20)),
            (
                MessageSet::AppServerServerNotifications,
                Corpus::flood_of(1 << 18),
            ),
        ] {
            let shapes = Shapes::new(message_set, &corpus);
            let wrong = corpus.with_faults("wrong", 1000);
            assert_eq!(wrong.lines().len(), corpus.lines().len());
            for (name, way) in WAYS[..2].iter().chain(VALIDATORS) {
                assert_eq!(way(&shapes, &wrong), 0, "{name}");
            }
            #[cfg(feature = "peers")]
            assert_eq!(shapes.boon(&wrong), 0);
            assert_eq!(shapes.value(&wrong), wrong.lines().len(), "all are JSON");
            let some = corpus.with_faults("some wrong", 100);
            let right = shapes.validator(&some);
            assert!((87..93).contains(&(right * 100 / some.lines().len())));
            assert_eq!(shapes.validated(&some), right);
        }
    }
}
