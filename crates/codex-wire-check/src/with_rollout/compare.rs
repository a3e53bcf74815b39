//! Finds the turns of the session file that a live stream is about.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::difference::Difference;
use super::evidence::pairs;
use super::facts::{End, Fingerprint, Kind, Origin, Thread, Turn};
use super::turn::{self, EarlierTurn};
use crate::rule_macros::rules;

/// How many places in the file are tried that are equally like the stream.
const MOST_TRIED: usize = 16;

/// Compares a thread of the stream with that of the session file.
pub(super) fn compare(stream: &Thread, file: &Thread) -> Vec<Difference> {
    if stream.is_mixed {
        return Vec::new();
    }
    let marked = |turns: &[Turn]| turns.iter().any(|turn| turn.id.is_some());
    match marked(&stream.turns) && !stream.has_local_ids && marked(&file.turns) {
        true => by_id(&stream.turns, &file.turns),
        false => by_content(&stream.turns, &file.turns),
    }
}

/// Compares turns that have the same ids on both sides.
fn by_id(stream: &[Turn], file: &[Turn]) -> Vec<Difference> {
    let mut out = Vec::new();
    let mut matched = Vec::new();
    let mut indexes = HashMap::new();
    for (index, turn) in file.iter().enumerate() {
        indexes.entry(turn.id).or_insert(index);
    }
    for own in stream {
        let Some(&index) = own.id.and_then(|id| indexes.get(&Some(id))) else {
            let is_of_file = !own.is_review && own.end.is_some() && !own.facts.is_empty();
            if is_of_file {
                out.push(Difference::at(own.line, TurnMissing));
            }
            continue;
        };
        matched.push((index, own.line));
        turn::compare(own, &file[index], &mut out);
    }
    let known: BTreeMap<usize, u64> = matched.iter().copied().collect();
    let (first, last) = (known.keys().next(), known.keys().next_back());
    if let (Some(first), Some(last)) = (first, last) {
        let mut before = 0;
        for (index, turn) in file.iter().enumerate().take(*last).skip(*first) {
            let says_something = turn.facts.iter().any(|fact| fact.origin == Origin::Event);
            if let Some(line) = known.get(&index) {
                before = *line;
            } else if !turn.is_review && says_something {
                out.push(Difference::at(before, TurnAdded).in_file(turn.line));
            }
        }
    }
    if let Some(pair) = matched.windows(2).find(|pair| pair[0].0 > pair[1].0) {
        let difference = Difference::at(pair[1].1, EarlierTurn);
        out.push(difference.in_file(file[pair[1].0].line));
    }
    out
}

/// Compares turns whose ids differ, or that have none: the stream with the consecutive turns of the
/// file that are most like it. Not every turn of the stream has one in an older file, so the turns
/// are taken together.
fn by_content(stream: &[Turn], file: &[Turn]) -> Vec<Difference> {
    let of_file = |turns: &[Turn]| -> Vec<Turn> {
        let kept = turns.iter().filter(|turn| !turn.is_review);
        kept.cloned().collect()
    };
    let own = of_file(stream);
    let Some(whole) = joined(&own) else {
        return Vec::new();
    };
    let number = own.iter().filter(|turn| !turn.facts.is_empty()).count();
    let number = number.clamp(1, file.len().max(1));
    let wanted: HashSet<(Kind, Option<Fingerprint>)> = whole
        .facts
        .iter()
        .map(|fact| (fact.kind, fact.what))
        .collect();
    // How many facts of the turns before are in the stream too.
    let mut sums = vec![0];
    for turn in file {
        let facts = turn.facts.iter();
        let known = facts.filter(|fact| wanted.contains(&(fact.kind, fact.what)));
        sums.push(sums[sums.len() - 1] + known.count());
    }
    let against = |turns_of_file: &[Turn]| {
        let mut out = Vec::new();
        match joined(turns_of_file) {
            Some(turn) => turn::compare(&whole, &turn, &mut out),
            None if whole.end.is_some() && !whole.facts.is_empty() => {
                out.push(Difference::at(whole.line, TurnMissing));
            }
            None => {}
        }
        out
    };
    let starts = 0..=file.len().saturating_sub(number);
    let score = |start: &usize| sums[file.len().min(start + number)] - sums[*start];
    let best = starts.clone().map(|start| score(&start)).max();
    // A stream is most often that of the newest turns. Turns can say the same and count other tokens.
    let candidates = starts.rev().filter(|start| Some(score(start)) == best);
    let mut found: Option<Vec<Difference>> = None;
    for start in candidates.take(MOST_TRIED) {
        let window = &file[start..file.len().min(start + number)];
        if window.iter().any(|turn| turn.is_review) {
            return Vec::new();
        }
        let differences = against(window);
        if found
            .as_ref()
            .is_none_or(|found| differences.len() < found.len())
        {
            found = Some(differences);
        }
    }
    let found = found.unwrap_or_default();
    if found.is_empty() || number == file.len() || number == 1 {
        return found;
    }
    // A message that the user sends into a turn looks like the start of another in an older file.
    let all = against(&of_file(file));
    match all.len() < found.len() {
        true => all,
        false => found,
    }
}

/// Several turns as one.
fn joined(turns: &[Turn]) -> Option<Turn> {
    let mut all = turns.first()?.clone();
    for turn in &turns[1..] {
        all.facts.extend(turn.facts.iter().cloned());
        all.has_items |= turn.has_items;
        all.has_compaction |= turn.has_compaction;
        all.has_retry |= turn.has_retry;
        all.earlier_usage = turn.earlier_usage;
        all.usage = turn.usage.or(all.usage);
        all.has_interruption |= matches!(all.end, None | Some((End::Interrupted, _)));
        all.end = turn.end;
    }
    Some(all)
}

rules! {
    WITH_ROLLOUT_TURN_ADDED {
        summary: "the stream has each turn of the session file that is between two of its own",
        id: "with-rollout/turn-added",
        explanation: "Checked with `--with-rollout`, for the app-server since 0.100.0: turns have the same ids \
            on both sides. The file may have turns before those of the stream, of earlier runs or of the \
            thread that was forked, and after them.",
        evidence: pairs!("The turns of each stream follow each other in the file, except for reviews."),
    } => {
        TurnAdded: "the session file has a turn after this one that the stream does not have",
    }
    WITH_ROLLOUT_TURN_MISSING {
        summary: "the session file has each turn of the stream",
        id: "with-rollout/turn-missing",
        explanation: "Checked with `--with-rollout`. Each turn that ended in the stream with a message or \
            another item is in the session file. A thread that was reverted has several files, which \
            have to be named all: name the folder instead.",
        evidence: pairs!("Each turn of the streams is in one of the files of its thread, except for reviews."),
    } => {
        TurnMissing: "the session file does not have this turn",
    }
}
