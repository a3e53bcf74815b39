//! Recorded session files with one line dropped, repeated, swapped with the next one or moved: how
//! many of each kind are denied.
//!
//! A kind is a way of changing a file, the kind of line it is done to, and the group of releases that
//! writes such files. `undecidable.txt` names the kinds that cannot be decided, each with a recording
//! in which a real file is the same. All others are decidable, and nearly all of those are denied. `missed.txt`
//! names each mutant that is not denied: a rule that finds less, or more, changes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use codex_wire::Release;

use super::Checkers;
use super::file::{File, Line, order, recorded};
use crate::support::{is_called, unseen};

/// How many mutants of a kind are made at most, each of another place, spread over all files.
const OF_A_KIND: usize = 10;

/// How many of a hundred decidable mutants are denied at least.
const DENIED: f64 = 98.0;

/// The head of the list of those that are not denied.
const MISSED: &str = "\
# Mutants of recorded session files that no rule denies: how many of which kind are denied, and the line of the
# file that was changed in each of the others. `undecidable.txt` says why for whole kinds.
";

#[derive(Clone, Copy, Debug)]
enum Way {
    Drop,
    Double,
    Swap,
    Move,
}

#[derive(Clone, Copy, Debug)]
struct Mutant {
    file: usize,
    line: usize,
    way: Way,
    /// Where a moved line goes.
    to: usize,
}

/// Releases whose files are alike.
fn group(file: &File) -> &'static str {
    let paginated = file.lines[0].payload()["history_mode"] == "paginated";
    let before = |minor: u32| file.release < Release::new(0, minor, 0);
    match () {
        () if file.is_early() => "early",
        () if paginated => "paginated",
        () if before(66) => "legacy, up to 0.63.0",
        () if before(100) => "legacy, 0.66.0 to 0.98.0",
        () => "legacy, since 0.105.0",
    }
}

fn kinds(files: &[File]) -> BTreeMap<String, Vec<Mutant>> {
    let mut out = BTreeMap::<String, Vec<Mutant>>::new();
    for (index, file) in files.iter().enumerate() {
        let kinds: Vec<String> = file.lines.iter().map(Line::kind).collect();
        for (at, kind) in kinds.iter().enumerate() {
            // The last line may be missing in any file, and so may what is said behind it.
            let count = kinds.len();
            let to = (at * 7 + index) % count;
            let mut add = |what: String, way: Way| {
                let mutant = Mutant {
                    file: index,
                    line: at,
                    way,
                    to,
                };
                let name = format!("{}: {what}", group(file));
                out.entry(name).or_default().push(mutant);
            };
            if at + 1 < count {
                add(format!("drop `{kind}`"), Way::Drop);
            }
            add(format!("double `{kind}`"), Way::Double);
            if at + 1 < count && file.lines[at].text != file.lines[at + 1].text {
                let next = &kinds[at + 1];
                add(format!("swap `{kind}` and `{next}`"), Way::Swap);
            }
            if to.abs_diff(at) > 1 {
                add(format!("move `{kind}`"), Way::Move);
            }
        }
    }
    out
}

fn changed(lines: &[Line], mutant: &Mutant) -> Vec<Line> {
    let mut out = lines.to_vec();
    let at = mutant.line;
    match mutant.way {
        Way::Drop => drop(out.remove(at)),
        Way::Double => out.insert(at, lines[at].clone()),
        Way::Swap => out.swap(at, at + 1),
        Way::Move => {
            let line = out.remove(at);
            out.insert(mutant.to, line);
        }
    }
    out
}

/// Some of each kind, evenly spread.
fn some_of(all: &[Mutant]) -> Vec<Mutant> {
    let count = all.len().min(OF_A_KIND);
    (0..count).map(|n| all[n * all.len() / count]).collect()
}

#[derive(Default)]
struct Count {
    made: usize,
    denied: usize,
    missed: Vec<String>,
}

/// A file by the folder of its run, and the start of the thread's id that ends its name.
fn short(name: &str) -> String {
    let run: Vec<&str> = name.split('/').take(3).collect();
    let file = name.rsplit('/').next().unwrap_or_default();
    let thread = file.get("rollout-2026-11-22T15-19-32-".len()..);
    let thread = thread.and_then(|id| id.get(..8)).unwrap_or(file);
    format!("{}/{thread}", run.join("/"))
}

/// The committed list: patterns of kinds, with `*` for anything, and recordings.
fn undecidable() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("undecidable.txt").lines();
    let entries = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| match line.split(" | ").collect::<Vec<_>>()[..] {
        [pattern, evidence, reason] if !reason.is_empty() => (pattern, evidence),
        _ => panic!("{line}: no kind, recording and reason"),
    };
    entries.map(entry).collect()
}

pub(super) fn are_denied() {
    let files = recorded();
    let files: Vec<File> = files.into_iter().filter(|file| !file.is_partial).collect();
    let mut checkers = Checkers::default();
    let mut counts = BTreeMap::<String, Count>::new();
    for (kind, all) in kinds(&files) {
        let count = counts.entry(kind).or_default();
        for mutant in some_of(&all) {
            let file = &files[mutant.file];
            let lines = changed(&file.lines, &mutant);
            let found = order(&checkers.check(file, &lines));
            count.made += 1;
            count.denied += usize::from(!found.is_empty());
            if found.is_empty() {
                let to = matches!(mutant.way, Way::Move).then(|| format!(" to {}", mutant.to + 1));
                let (name, line) = (short(&file.name), mutant.line + 1);
                let to = to.unwrap_or_default();
                count.missed.push(format!("{name}:{line}{to}"));
            }
        }
    }
    let list = undecidable();
    let is_listed = |kind: &str| list.iter().any(|(pattern, _)| is_called(kind, pattern));
    let mut by_way = BTreeMap::<String, [usize; 4]>::new();
    let mut missed = Vec::new();
    let mut listed = String::from(MISSED);
    for (kind, count) in &counts {
        if count.denied < count.made {
            let (denied, made) = (count.denied, count.made);
            let places = count.missed.join(", ");
            let _ = writeln!(listed, "{denied} of {made} {kind}: {places}");
        }
        let way = kind.split('`').next().unwrap_or_default().trim();
        let sum = by_way.entry(way.to_owned()).or_default();
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
    // The recordings that are evidence are known of fixtures only.
    if unseen().is_some() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sequence_rollout/missed.txt");
    golden_files::assert_file(&file, &listed);
    for (pattern, evidence) in &list {
        let recording = files.iter().any(|file| file.name.starts_with(evidence));
        assert!(recording, "{pattern}: {evidence} is not a recording");
        let mut own = counts.iter().filter(|(kind, _)| is_called(kind, pattern));
        let needed = own.any(|(_, count)| count.denied < count.made);
        assert!(needed, "{pattern}: each of them is denied");
    }
    assert!(decidable >= 2000, "{decidable}");
}
