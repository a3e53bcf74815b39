//! Recorded streams of all protocols with one line dropped, repeated, swapped with the next one
//! about the same thing, or given an id that nothing else has: how many of each kind are denied.
//!
//! A kind is a way of changing a stream and the kind of message it is done to. Of the app-server
//! these are the messages by which threads, turns, items and questions begin, go on and end.
//! `CODEX_WIRE_UNSEEN` names a folder of other recordings to do so with; what is asserted of the list
//! needs those of `fixtures/` and is left out then.
//!
//! `undecidable.txt` names the kinds that cannot be decided, each with a recording in which a
//! real stream does the same. All others are decidable, and nearly all of those are denied. `missed.txt` names
//! each mutant that is not denied: a rule that finds less, or more, changes it.

pub(crate) mod stream;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options};
use libtest_mimic::Trial;
use serde_json::json;

use self::stream::{Line, Stream, recorded};
use crate::support::{is_called, trial, unseen};

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("sequence::mutants_are_denied", mutants_are_denied)]
}

/// How many mutants of a kind are made at most, each of another place, spread over all streams.
const OF_A_KIND: usize = 8;

/// How many of a hundred decidable mutants are denied at least.
const DENIED: f64 = 98.0;

/// The head of the list of those that are not denied.
const MISSED: &str = "\
# Mutants of recorded streams that no rule denies: how many of which kind are denied, and the line of the
# recording that was changed in each of the others. `undecidable.txt` says why for whole kinds.
";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Drop,
    Double,
    Swap,
    Retarget,
}

/// Members that say what a message belongs to.
const IDS: [&str; 18] = [
    "/id",
    "/item/id",
    "/msg/call_id",
    "/op/id",
    "/params/callId",
    "/params/item/id",
    "/params/itemId",
    "/params/processHandle",
    "/params/processId",
    "/params/requestId",
    "/params/run/id",
    "/params/thread/id",
    "/params/threadId",
    "/params/turn/id",
    "/params/turnId",
    "/result/thread/id",
    "/result/turn/id",
    "/thread_id",
];

/// One stream with one line changed.
#[derive(Clone, Debug)]
struct Mutant {
    stream: usize,
    line: usize,
    way: Way,
    /// The id that is another, where it is retargeted.
    id: &'static str,
}

/// The messages of the app-server that are about threads, turns, items and questions, by how
/// their kinds begin.
const ABOUT_SEQUENCES: [&str; 31] = [
    "answer to initialize",
    "answer to item/",
    "answer to mcpServer/elicitation/request",
    "answer to review/start",
    "answer to thread/start",
    "answer to turn/interrupt",
    "answer to turn/start",
    "error",
    "hook/",
    "initialized",
    "item/agentMessage/delta",
    "item/autoApprovalReview/",
    "item/completed",
    "item/plan/delta",
    "item/reasoning/",
    "item/started",
    "request initialize",
    "request item/",
    "request mcpServer/elicitation/request",
    "request review/start",
    "request thread/start",
    "request turn/interrupt",
    "request turn/start",
    "serverRequest/resolved",
    "thread/closed",
    "thread/deleted",
    "thread/started",
    "thread/status/changed",
    "thread/tokenUsage/updated",
    "turn/completed",
    "turn/started",
];

fn is_about_sequences(stream: &Stream, line: &Line) -> bool {
    let mut known = ABOUT_SEQUENCES.iter();
    let plain =
        stream.protocol != Protocol::AppServer || known.any(|kind| line.kind.starts_with(kind));
    !line.kind.is_empty() && plain && !line.kind.starts_with("error to")
}

/// What kinds are told apart by: the folder of the stream, and the older forms of the app-server.
fn family(stream: &Stream) -> &str {
    let folder = stream.name.split('/').next().unwrap_or_default();
    let is_old = |line: &Line| {
        ["newConversation", "resumeConversation"]
            .iter()
            .any(|method| line.kind.ends_with(method))
    };
    match stream.protocol {
        Protocol::AppServer if stream.release < Release::new(0, 63, 0) => {
            "app-server, before 0.63.0"
        }
        Protocol::AppServer if stream.lines.iter().any(is_old) => "app-server, old API",
        _ => folder,
    }
}

/// What a message is about, as closely as it says.
fn about(line: &Line) -> Option<String> {
    let item = [
        "/item/id",
        "/params/item/id",
        "/params/itemId",
        "/msg/call_id",
        "/params/run/id",
        "/params/turn/id",
        "/result/turn/id",
    ];
    let id = item.iter().find_map(|id| line.value.pointer(id)?.as_str());
    id.map(str::to_owned)
}

/// The kinds of mutants there are, each with all of its places.
fn kinds(streams: &[Stream]) -> BTreeMap<String, Vec<Mutant>> {
    let mut out = BTreeMap::<String, Vec<Mutant>>::new();
    for (index, stream) in streams.iter().enumerate() {
        let lines = &stream.lines;
        for (at, line) in lines.iter().enumerate() {
            if !is_about_sequences(stream, line) {
                continue;
            }
            let protocol = family(stream);
            let mut add = |what: String, way: Way, id: &'static str| {
                let mutant = Mutant {
                    stream: index,
                    line: at,
                    way,
                    id,
                };
                out.entry(format!("{protocol}: {what}"))
                    .or_default()
                    .push(mutant);
            };
            let kind = &line.kind;
            add(format!("drop `{kind}`"), Way::Drop, "");
            add(format!("double `{kind}`"), Way::Double, "");
            let id = about(line);
            let later = |next: &&Line| about(next) == id;
            if let Some(next) = lines[at + 1..].iter().find(later).filter(|_| id.is_some())
                && next.text != line.text
                && is_about_sequences(stream, next)
            {
                add(format!("swap `{kind}` and `{}`", next.kind), Way::Swap, "");
            }
            for id in IDS {
                if line
                    .value
                    .pointer(id)
                    .is_some_and(|id| id.is_string() || id.is_i64())
                {
                    add(format!("other `{id}` of `{kind}`"), Way::Retarget, id);
                }
            }
        }
    }
    out
}

fn changed<'a>(lines: &'a [Line], mutant: &Mutant) -> Vec<Cow<'a, Line>> {
    let mut out: Vec<_> = lines.iter().map(Cow::Borrowed).collect();
    let at = mutant.line;
    match mutant.way {
        Way::Drop => drop(out.remove(at)),
        Way::Double => out.insert(at, Cow::Borrowed(&lines[at])),
        Way::Swap => {
            let id = about(&lines[at]);
            let next = (at + 1..lines.len()).find(|next| about(&lines[*next]) == id);
            out.swap(at, next.unwrap_or(at));
        }
        Way::Retarget => {
            let line = out[at].to_mut();
            let id = line.value.pointer_mut(mutant.id).unwrap();
            let before = id.to_string();
            *id = match id.as_i64() {
                Some(number) => json!(number + 4000),
                None => json!(another(id.as_str().unwrap_or_default())),
            };
            let after = id.to_string();
            // As it is written except for the id, which mostly stands in it once with its key.
            let name = mutant.id.rsplit('/').next().unwrap_or_default();
            let key = format!("\"{name}\":");
            let pair = format!("{key}{before}");
            line.text = match line.text.matches(&pair).count() {
                1 => line.text.replacen(&pair, &format!("{key}{after}"), 1),
                _ => line.value.to_string(),
            };
        }
    }
    out
}

/// An id of the same form that nothing else has.
fn another(id: &str) -> String {
    match id.strip_prefix("item_") {
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("item_4{number}"),
        _ => {
            let digits = id.rfind(|c: char| c.is_ascii_hexdigit());
            let (head, tail) = id.split_at(digits.unwrap_or(0));
            let other = if tail.starts_with('e') { "f" } else { "e" };
            format!("{head}{other}{}", tail.get(1..).unwrap_or_default())
        }
    }
}

/// Some of each kind, evenly spread.
fn some_of(all: &[Mutant]) -> Vec<Mutant> {
    let count = all.len().min(OF_A_KIND);
    (0..count)
        .map(|n| all[n * all.len() / count].clone())
        .collect()
}

#[derive(Default)]
struct Count {
    made: usize,
    denied: usize,
    missed: Vec<String>,
}

/// Makes some mutants of each kind and counts those that are denied.
fn count(streams: &[Stream]) -> BTreeMap<String, Count> {
    let counts = Mutex::new(BTreeMap::<String, Count>::new());
    let mut by_checker = BTreeMap::<(u8, Release), Vec<(String, Mutant)>>::new();
    for (kind, all) in kinds(streams) {
        for mutant in some_of(&all) {
            let stream = &streams[mutant.stream];
            let key = (stream.protocol as u8, stream.release);
            by_checker
                .entry(key)
                .or_default()
                .push((kind.clone(), mutant));
        }
    }
    let work = Mutex::new(by_checker);
    let one = || {
        loop {
            let Some((_, mutants)) = work.lock().unwrap().pop_last() else {
                return;
            };
            let first = &streams[mutants[0].1.stream];
            let options = Options::exact(first.protocol, first.release);
            let checker = Arc::new(Checker::new(options).unwrap());
            let denies = |stream: &Stream, lines: &[Cow<'_, Line>]| {
                let text = stream.recording(lines.iter().map(Cow::as_ref));
                checker.check(&stream.name, text.as_bytes()).counts.error
            };
            let mut whole = BTreeMap::<usize, u64>::new();
            for (kind, mutant) in mutants {
                let stream = &streams[mutant.stream];
                let before = *whole.entry(mutant.stream).or_insert_with(|| {
                    let lines: Vec<_> = stream.lines.iter().map(Cow::Borrowed).collect();
                    denies(stream, &lines)
                });
                // Where a client errs on purpose, nothing more can be decided.
                if before > 0 {
                    continue;
                }
                let denied = denies(stream, &changed(&stream.lines, &mutant)) > 0;
                let mut counts = counts.lock().unwrap();
                let count = counts.entry(kind).or_default();
                count.made += 1;
                count.denied += usize::from(denied);
                if !denied {
                    count
                        .missed
                        .push(format!("{}:{}", stream.name, mutant.line + 2));
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

/// An entry of the list of kinds that cannot be decided.
struct Undecidable {
    /// What kinds are called, with `*` for anything.
    pattern: &'static str,
    /// A recording in which a real stream does the same.
    evidence: &'static str,
}

/// The committed list.
fn undecidable() -> Vec<Undecidable> {
    let lines = include_str!("undecidable.txt").lines();
    let entries = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| match line.split(" | ").collect::<Vec<_>>()[..] {
        [pattern, evidence, reason] if !reason.is_empty() => Undecidable { pattern, evidence },
        _ => panic!("{line}: no kind, recording and reason"),
    };
    entries.map(entry).collect()
}

fn mutants_are_denied() {
    let streams = recorded();
    let counts = count(&streams);
    let list = undecidable();
    let is_listed = |kind: &str| list.iter().any(|entry| is_called(kind, entry.pattern));
    let mut by_way = BTreeMap::<String, [usize; 4]>::new();
    let mut missed = Vec::new();
    let mut listed = String::from(MISSED);
    for (kind, count) in &counts {
        if count.denied < count.made {
            let mut places = count.missed.clone();
            places.sort();
            let (denied, made) = (count.denied, count.made);
            let _ = writeln!(listed, "{denied} of {made} {kind}: {}", places.join(", "));
        }
        let way = kind.split(' ').take_while(|word| !word.starts_with('`'));
        let way: Vec<&str> = way.filter(|word| *word != "of").collect();
        let sum = by_way.entry(way.join(" ")).or_default();
        sum[0] += count.made;
        if is_listed(kind) {
            continue;
        }
        sum[1] += 1;
        sum[2] += count.made;
        sum[3] += count.denied;
        if count.denied < count.made {
            let (denied, made) = (count.denied, count.made);
            missed.push(format!(
                "{denied} of {made} {kind}: {}",
                count.missed.join(", ")
            ));
        }
    }
    let sum = |index: usize| by_way.values().map(|sums| sums[index]).sum::<usize>();
    let (made, decidable, denied) = (sum(0), sum(2), sum(3));
    let ratio = denied as f64 * 100.0 / decidable as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (way, [made, kinds, decidable, denied]) in &by_way {
            println!("{way}: {made} made; {denied} of {decidable} denied, of {kinds} kinds");
        }
        println!(
            "{made} made; {denied} of {decidable} that can be decided are denied: {ratio:.2} %"
        );
        missed
            .iter()
            .for_each(|missed| println!("missed: {missed}"));
    }
    assert!(ratio >= DENIED, "{ratio}");
    // How many there are of a kind, and the recordings that are its evidence, are known of fixtures.
    if unseen().is_some() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sequence/missed.txt");
    golden_files::assert_file(&file, &listed);
    for Undecidable { pattern, evidence } in &list {
        let recording = streams.iter().any(|stream| stream.name == *evidence);
        assert!(recording, "{pattern}: {evidence} is not a recording");
        let mut own = counts.iter().filter(|(kind, _)| is_called(kind, pattern));
        let needed = own.any(|(_, count)| count.denied < count.made);
        assert!(needed, "{pattern}: each of them is denied");
    }
    assert!(decidable >= 1600, "{decidable}");
}
