//! Recorded streams of all protocols with the shape of one message changed: how many are denied.
//!
//! A change is decidable unless the schema of the release allows the message as it is then: what a
//! release may write cannot be seen from what it has written. The schema is asked by itself, with
//! another validator than prefilters are. `CODEX_WIRE_UNSEEN` names a folder of other recordings
//! to do so with.

use std::collections::BTreeMap;
use std::sync::Mutex;

use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options, Profile};
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::app_server::oracle::{Compiled, Oracle};
use crate::app_server::said::{Pairing, Said};
use crate::sequence::stream::{Line, Stream, recorded};
use crate::support::mutants::Change;
use crate::support::{trial, unseen};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("shapes::mutants_are_denied", mutants_are_denied)]
}

/// How many of a hundred decidable mutants are denied at least.
const DENIED: f64 = 98.0;

/// Longer ones hold nothing else, and every stream is checked as a whole.
const LONGEST: usize = 100_000;

/// What became of the mutants of one kind of change.
#[derive(Default)]
struct Count {
    made: usize,
    decidable: usize,
    denied: usize,
    missed: Vec<String>,
}

/// The messages of a stream as their message sets describe them.
pub(crate) fn messages(stream: &Stream) -> Vec<Option<Said>> {
    let mut pairing = Pairing::default();
    let mut of = |line: &Line| {
        if line.kind.is_empty() || line.text.len() > 4000 {
            return None;
        }
        let message_set = match stream.protocol {
            Protocol::AppServer => return pairing.observe(&line.record()),
            Protocol::Core if line.client => MessageSet::CoreSubmissions,
            Protocol::Core => MessageSet::CoreEvents,
            _ if stream.name.starts_with("exec-legacy") => MessageSet::ExecLegacy,
            _ => MessageSet::Exec,
        };
        let message = line.value.clone();
        Some(Said {
            message_set,
            message,
        })
    };
    stream.lines.iter().map(&mut of).collect()
}

/// Those of one release with their schemas.
#[derive(Default)]
struct Validators {
    of_release: BTreeMap<String, Oracle>,
    compiled: Compiled,
}

impl Validators {
    fn accept(&mut self, said: &Said, release: Release) -> bool {
        let oracle = self.of_release.entry(said.message_set.to_string());
        let shared = self.compiled.clone();
        let make = || Oracle::with(shared, said.message_set, release, Profile::Exact);
        oracle.or_insert_with(make).accepts(said)
    }
}

fn count(streams: &[Stream]) -> BTreeMap<String, Count> {
    // How many are tried on each stream. Of unseen recordings there is no other test.
    let changes = match unseen() {
        Some(_) => 16,
        None => sampling::few_or(1, 3),
    };
    let mut by_release = BTreeMap::<(u8, Release), Vec<usize>>::new();
    for (index, stream) in streams.iter().enumerate() {
        let key = (stream.protocol as u8, stream.release);
        by_release.entry(key).or_default().push(index);
    }
    let work = Mutex::new(by_release);
    let counts = Mutex::new(BTreeMap::<String, Count>::new());
    let one = || {
        let compiled = Compiled::default();
        loop {
            let Some(((_, release), indices)) = work.lock().unwrap().pop_last() else {
                return;
            };
            let mut options = Options::exact(streams[indices[0]].protocol, release);
            options.profile = Profile::Exact;
            let checker = Checker::new(options).unwrap();
            let mut validators = Validators {
                compiled: compiled.clone(),
                ..Default::default()
            };
            let denies = |stream: &Stream, change: Option<(usize, &Line)>| {
                let lines = stream.lines.iter().enumerate();
                let text = stream.recording(lines.map(|(at, line)| match change {
                    Some((changed, other)) if changed == at => other,
                    _ => line,
                }));
                checker.check(&stream.name, text.as_bytes()).counts.error > 0
            };
            for index in indices {
                let stream = &streams[index];
                let said = messages(stream);
                let mut whole: Vec<usize> = Vec::new();
                for (at, said) in said.iter().enumerate() {
                    if said
                        .as_ref()
                        .is_some_and(|said| validators.accept(said, release))
                    {
                        whole.push(at);
                    }
                }
                let size: usize = stream.lines.iter().map(|line| line.text.len()).sum();
                // Where a client errs on purpose, nothing more can be decided.
                if whole.is_empty() || size > LONGEST || denies(stream, None) {
                    continue;
                }
                let mut runner = TestRunner::deterministic();
                let picks = (any::<Index>(), any::<Index>(), 0..10_000usize);
                let picks = prop::collection::vec(picks, changes);
                let picks = picks.new_tree(&mut runner).unwrap().current();
                for (number, (which, _, seed)) in picks.into_iter().enumerate() {
                    let change = Change::ALL[(number + index) % Change::ALL.len()];
                    let at = *which.get(&whole);
                    let before = said[at].as_ref().unwrap();
                    let mut after = before.clone();
                    if !after.change(change, seed) || after == *before {
                        continue;
                    }
                    let is_valid = validators.accept(&after, release);
                    let mut line = stream.lines[at].clone();
                    line.text = line_of(&after);
                    let is_denied = denies(stream, Some((at, &line)));
                    let mut counts = counts.lock().unwrap();
                    let count = counts.entry(format!("{change:?}")).or_default();
                    count.made += 1;
                    if is_valid {
                        continue;
                    }
                    count.decidable += 1;
                    count.denied += usize::from(is_denied);
                    if !is_denied {
                        let (name, text) = (&stream.name, &line.text);
                        count.missed.push(format!("{name}:{}: {text}", at + 2));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(one);
        scope.spawn(one);
    });
    counts.into_inner().unwrap()
}

/// The message as its line has it.
fn line_of(said: &Said) -> String {
    let mut message = said.message.clone();
    if said.is_answer()
        && let Some(members) = message.as_object_mut()
    {
        members.remove("method");
    }
    message.to_string()
}

fn mutants_are_denied() {
    let counts = count(&recorded());
    let sum = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    let (made, decidable) = (sum(|count| count.made), sum(|count| count.decidable));
    let denied = sum(|count| count.denied);
    let ratio = denied as f64 * 100.0 / decidable as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (change, count) in &counts {
            let Count {
                made,
                decidable,
                denied,
                missed,
            } = count;
            println!("{change}: {made} made; {denied} of {decidable} denied");
            missed
                .iter()
                .for_each(|missed| println!("  missed: {missed}"));
        }
        println!(
            "{made} made; {denied} of {decidable} that can be decided are denied: {ratio:.2} %"
        );
    }
    assert!(decidable > 0, "nothing was decidable");
    assert!(ratio >= DENIED, "{ratio}");
    assert!(unseen().is_some() || decidable >= 1000, "{decidable}");
}
