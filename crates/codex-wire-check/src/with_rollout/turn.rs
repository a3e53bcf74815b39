//! Compares a turn of a live stream with that of the session file.

use std::collections::{HashMap, HashSet, VecDeque};

use super::difference::Difference;
use super::evidence::pairs;
use super::facts::{End, Fact, Fingerprint, Kind, Origin, Status, Turn, Usage};
use crate::rule::{Exception, Status as RuleStatus, between, since, until, v};
use crate::rule_macros::rules;
use crate::severity::Severity;
use crate::violation::Broken;

/// What exceptions of rules call an item of which the session file has only the call.
const CALL: &str = "function_call";

/// What Codex up to 0.63.0 says of itself when it has shortened the history. The session files of
/// the oldest releases do not keep it.
const COMPACTED: &str = "Compact task completed";

fn is_compacted(fact: &Fact) -> bool {
    fact.kind == Kind::Message && fact.what == Some(Fingerprint::of(COMPACTED))
}

/// What is compared of a turn of the stream, and the line that the turn begins on.
struct OfTurn {
    kind: Kind,
    line: u64,
    /// Where the turn was interrupted in the session file. Since 0.150.0 a command that ran is written
    /// behind that, and not to every stream.
    interrupted: Option<u64>,
}

/// Compares one turn.
pub(super) fn compare(stream: &Turn, file: &Turn, out: &mut Vec<Difference>) {
    if stream.is_review || file.is_review {
        return;
    }
    let is_finished = stream.end.is_some();
    // A file without events lacks what the model was writing when it was interrupted.
    let is_interrupted =
        stream.has_interruption || matches!(stream.end, Some((End::Interrupted, _)));
    let has_events = file.facts.iter().any(|fact| fact.origin == Origin::Event);
    let is_whole = is_finished && (has_events || !is_interrupted);
    // Nor has it what the model wrote before the connection was lost.
    let has_texts = has_events || !stream.has_retry;
    for kind in Kind::ALL {
        let of = |turn: &Turn| -> Vec<Fact> {
            let facts = turn.facts.iter().filter(|fact| fact.kind == kind);
            let facts = facts.filter(|fact| !is_compacted(fact));
            facts.cloned().collect()
        };
        let of_turn = OfTurn {
            kind,
            line: stream.line,
            interrupted: match file.end {
                Some((End::Interrupted, line)) => Some(line),
                _ => None,
            },
        };
        let (own, mut others) = (of(stream), of(file));
        without_calls(&mut others, file.has_items);
        match kind {
            Kind::Prompt | Kind::Reasoning if own.is_empty() && !stream.has_all_texts => {}
            _ if kind.is_text() && !has_texts => {}
            _ if kind.is_text() => texts(&of_turn, is_whole, &own, &others, out),
            _ => items(&of_turn, is_finished, &own, &others, out),
        }
    }
    if !is_finished {
        return;
    }
    order(stream, file, out);
    // Tokens of a compaction after the last message are counted later in the stream.
    let is_earlier = |(own, _): (Usage, u64)| {
        let mut earlier = file.earlier_usage.iter().flatten();
        file.has_compaction && earlier.any(|others| own.difference(others).is_none())
    };
    if let (Some((own, line)), Some((others, file_line))) = (stream.usage, file.usage)
        && !stream.usage.is_some_and(is_earlier)
        && let Some((name, in_stream, in_file)) = own.difference(&others)
    {
        let how = CountDiffers {
            name,
            in_stream,
            in_file,
        };
        out.push(Difference::at(line, how).in_file(file_line));
    }
    match (stream.end, file.end) {
        (Some((own, line)), Some((others, file_line))) if !own.fits(others) => {
            let how = OtherEnd {
                own: own.words(),
                others: others.words(),
            };
            out.push(Difference::at(line, how).in_file(file_line));
        }
        (Some((_, line)), None) if file.id.is_some() => {
            out.push(Difference::at(line, NoEnd).in_file(file.line));
        }
        _ => {}
    }
}

/// Removes the calls of items that the session file keeps. Web searches have no id by which to find
/// them.
fn without_calls(facts: &mut Vec<Fact>, has_items: bool) {
    let events = facts.iter().filter(|fact| fact.origin == Origin::Event);
    let ids: HashSet<Option<Fingerprint>> = events.map(|fact| fact.id).collect();
    let is_kept = |fact: &Fact| match (fact.origin, fact.id) {
        (Origin::Event, _) => true,
        (Origin::Call, _) if has_items => false,
        (Origin::Call, None) => ids.is_empty(),
        (Origin::Call, id) => !ids.contains(&id),
    };
    facts.retain(is_kept);
}

/// Compares texts, which have the same order on both sides.
fn texts(
    of_turn: &OfTurn,
    is_finished: bool,
    own: &[Fact],
    others: &[Fact],
    out: &mut Vec<Difference>,
) {
    let kind = of_turn.kind;
    let same = |(one, other): &(&Fact, &Fact)| one.what == other.what;
    let words = kind.words();
    let differs = |one: &Fact, other: &Fact| differs(kind, one, other, TextDiffers { words });
    if !is_finished {
        let changed = own.iter().zip(others).find(|pair| !same(pair));
        out.extend(changed.map(|(one, other)| differs(one, other)));
        return;
    }
    let start = own.iter().zip(others).take_while(same).count();
    let before = own[..start].last().map_or(of_turn.line, |one| one.line);
    let (own, others) = (&own[start..], &others[start..]);
    let end = own.iter().rev().zip(others.iter().rev());
    let end = end.take_while(same).count();
    let (own, others) = (&own[..own.len() - end], &others[..others.len() - end]);
    let (missing, added) = (without(own, others), without(others, own));
    match (&missing[..], &added[..]) {
        ([], []) => out.extend(own.first().map(|one| {
            let difference = Difference::at(one.line, OtherPlace { words });
            let other = others.first().map(|other| other.line);
            difference.of(kind.name()).in_file(other)
        })),
        (missing, added) if missing.len() == added.len() => {
            let pairs = missing.iter().zip(added);
            let most = if kind == Kind::Reasoning {
                1
            } else {
                usize::MAX
            };
            out.extend(pairs.take(most).map(|(one, other)| differs(one, other)));
        }
        (missing, added) => {
            let near = own.first().map_or(before, |one| one.line);
            report_unmatched(kind, missing, added, near, out);
        }
    }
}

/// The facts of one side that the other does not have.
fn without<'f>(own: &'f [Fact], others: &[Fact]) -> Vec<&'f Fact> {
    let mut counts = HashMap::new();
    for other in others {
        *counts.entry(other.what).or_insert(0_usize) += 1;
    }
    let is_left = |fact: &&Fact| match counts.get_mut(&fact.what) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    own.iter().filter(is_left).collect()
}

/// Compares items that are done by calls: they can end in another order than they were called in.
fn items(
    of_turn: &OfTurn,
    is_finished: bool,
    own: &[Fact],
    others: &[Fact],
    out: &mut Vec<Difference>,
) {
    let kind = of_turn.kind;
    let Matched {
        pairs,
        mut left,
        mut rest,
    } = matched(own, others);
    for (one, other) in pairs {
        if one.what.is_some() && other.what.is_some() && one.what != other.what {
            out.push(is_another(kind, one, other));
        } else {
            out.extend(difference(kind, one, other));
        }
    }
    if !is_finished {
        return;
    }
    // What the user declined is not an item of the file in 0.165.0.
    left.retain(|one| one.status != Some(Status::Declined));
    // A call may have led to nothing.
    rest.retain(|other| match other.origin {
        Origin::Event => of_turn.interrupted.is_none_or(|end| other.line < end),
        Origin::Call => other.is_done,
    });
    if left.len() == rest.len() {
        let pairs = left.iter().zip(&rest);
        out.extend(pairs.map(|(one, other)| is_another(kind, one, other)));
        return;
    }
    let near = own.last().map_or(of_turn.line, |one| one.line);
    report_unmatched(kind, &left, &rest, near, out);
}

/// The items of both sides that are the same, and those that only one side has.
struct Matched<'f> {
    pairs: Vec<(&'f Fact, &'f Fact)>,
    left: Vec<&'f Fact>,
    rest: Vec<&'f Fact>,
}

/// Matches items by their ids, then by what they are with their arguments, then by what they are.
fn matched<'f>(own: &'f [Fact], others: &'f [Fact]) -> Matched<'f> {
    type Key = (u8, Option<Fingerprint>, Option<Fingerprint>, bool);
    let keys = |fact: &Fact| -> [Option<Key>; 3] {
        let has_id = fact.id.is_some();
        let known = fact.what.is_some();
        [
            has_id.then_some((0, fact.id, None, true)),
            known.then_some((1, fact.what, fact.arguments, has_id)),
            known.then_some((2, fact.what, None, has_id)),
        ]
    };
    let mut queues: HashMap<Key, VecDeque<usize>> = HashMap::new();
    for (index, other) in others.iter().enumerate() {
        for key in keys(other).into_iter().flatten() {
            queues.entry(key).or_default().push_back(index);
        }
    }
    let mut is_used = vec![false; others.len()];
    let mut pairs = Vec::new();
    let mut open: Vec<&Fact> = own.iter().collect();
    for step in 0..3 {
        for one in std::mem::take(&mut open) {
            // Two ids that differ are two items.
            let sides: &[bool] = if one.id.is_some() {
                &[false]
            } else {
                &[true, false]
            };
            let found = keys(one)[step].and_then(|(step, what, arguments, _)| {
                let sides = if step == 0 { &[true] } else { sides };
                sides.iter().find_map(|side| {
                    let queue = queues.get_mut(&(step, what, arguments, *side))?;
                    std::iter::from_fn(|| queue.pop_front()).find(|index| !is_used[*index])
                })
            });
            match found {
                Some(index) => {
                    is_used[index] = true;
                    pairs.push((one, &others[index]));
                }
                None => open.push(one),
            }
        }
    }
    // One of the sides may not say what an item is.
    let unused = others
        .iter()
        .zip(&is_used)
        .filter(|(_, is_used)| !**is_used);
    let (known, vague): (Vec<&Fact>, Vec<&Fact>) = unused
        .map(|(other, _)| other)
        .partition(|other| other.what.is_some());
    let (mut known, mut vague) = (VecDeque::from(known), VecDeque::from(vague));
    let mut left = Vec::new();
    for one in open {
        let other = match one.what {
            Some(_) => vague.pop_front(),
            None => known.pop_front().or_else(|| vague.pop_front()),
        };
        match other {
            Some(other) => pairs.push((one, other)),
            None => left.push(one),
        }
    }
    let mut rest: Vec<&Fact> = known.into_iter().chain(vague).collect();
    rest.sort_by_key(|other| other.line);
    Matched { pairs, left, rest }
}

fn differs(kind: Kind, one: &Fact, other: &Fact, how: impl Broken) -> Difference {
    let difference = Difference::at(one.line, how);
    difference.of(kind.name()).in_file(other.line)
}

/// Another item: the call of the model may be another one than what was done.
fn is_another(kind: Kind, one: &Fact, other: &Fact) -> Difference {
    let words = kind.words();
    let difference = differs(kind, one, other, AnotherItem { words });
    match other.origin {
        Origin::Event => difference,
        Origin::Call => difference.of(CALL),
    }
}

/// What differs between the two sides of an item.
fn difference(kind: Kind, one: &Fact, other: &Fact) -> Option<Difference> {
    fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
        one.zip(other).is_some_and(|(one, other)| one != other)
    }
    let words = kind.words();
    if differ(one.arguments, other.arguments) {
        return Some(differs(kind, one, other, ArgumentsDiffer { words }));
    }
    if let (Some(own), Some(others)) = (one.exit_code, other.exit_code)
        && own != others
    {
        return Some(differs(kind, one, other, ExitCodeDiffers { own, others }));
    }
    if differ(one.status, other.status) {
        return Some(differs(kind, one, other, StatusDiffers { words }));
    }
    differ(one.output, other.output).then(|| differs(kind, one, other, OutputDiffers { words }))
}

/// Reports what only one side has. `near` is a line of the stream near what it lacks.
fn report_unmatched(
    kind: Kind,
    missing: &[&Fact],
    added: &[&Fact],
    near: u64,
    out: &mut Vec<Difference>,
) {
    let words = kind.words();
    out.extend(missing.iter().map(|one| {
        let difference = Difference::at(one.line, ItemMissing { words });
        difference.of(kind.name())
    }));
    let article = kind.article();
    out.extend(added.iter().map(|other| {
        let difference = Difference::at(near, ItemAdded { article, words });
        difference.of(kind.name()).in_file(other.line)
    }));
}

/// Compares the order of items of different kinds, where both sides write them at the same moment.
fn order(stream: &Turn, file: &Turn, out: &mut Vec<Difference>) {
    let kinds = Kind::ALL.into_iter().filter(|kind| {
        let of_kind = |fact: &&Fact| fact.kind == *kind;
        let mut others = file.facts.iter().filter(of_kind);
        *kind != Kind::Reasoning
            && stream.facts.iter().any(|fact| fact.kind == *kind)
            && others.all(|fact| fact.origin == Origin::Event)
    });
    let kinds: Vec<Kind> = kinds.collect();
    let of = |turn: &Turn| -> Vec<(Kind, Option<Fingerprint>, u64)> {
        let facts = turn.facts.iter().filter(|fact| kinds.contains(&fact.kind));
        facts
            .map(|fact| (fact.kind, fact.what, fact.line))
            .collect()
    };
    let (own, others) = (of(stream), of(file));
    let sorted = |facts: &[(Kind, Option<Fingerprint>, u64)]| {
        let mut facts: Vec<_> = facts.iter().map(|(kind, what, _)| (*kind, *what)).collect();
        facts.sort_unstable();
        facts
    };
    if sorted(&own) != sorted(&others) {
        return;
    }
    let changed = own
        .iter()
        .zip(&others)
        .find(|(one, other)| (one.0, one.1) != (other.0, other.1));
    let is_reported = |kind: Kind| {
        out.iter()
            .any(|known| known.rule == &WITH_ROLLOUT_ORDER && known.of == Some(kind.name()))
    };
    if let Some(((kind, _, line), (_, _, file_line))) = changed
        && !is_reported(*kind)
    {
        let words = kind.words();
        let difference = Difference::at(*line, OtherPlace { words });
        out.push(difference.of(kind.name()).in_file(*file_line));
    }
}

rules! {
    WITH_ROLLOUT_ITEM_ADDED {
        summary: "the stream has each item of the session file",
        id: "with-rollout/item-added",
        explanation: "Checked with `--with-rollout`. A turn that ended in the stream has all its messages, \
            commands, file changes, MCP tool calls and web searches there. If the session file has one \
            more, the stream lost it. A call of the model counts as an item if its output shows that it \
            was done: others may have led to nothing. Turns that do not end in the stream may have \
            more in the file, and so may interrupted ones: since 0.150.0, a command that was running is \
            written to the file after the turn.",
        exceptions: &[Exception {
            releases: between(v(61), v(61)),
            of: &["file_change"],
            level: None,
            seen: "the app-server wrote no item for a file change that the client had allowed",
        }],
        evidence: pairs!("Each item of the file is in the stream. Reviews are not compared: the \
            items of the reviewer are in a file of its own. Commands of the user (`userShell`) are \
            not compared either, because only newer files have them."),
    } => {
        ItemAdded { article: &'static str, words: &'static str }:
            "the session file has {article} {words} here that the stream does not have",
    }
    WITH_ROLLOUT_ITEM_DIFFERS {
        summary: "commands, file changes, tool calls and searches say the same in the stream and in the session file",
        id: "with-rollout/item-differs",
        status: RuleStatus::Advisory,
        explanation: "Checked with `--with-rollout`. Compared are the command, its exit code, status and \
            output; the paths of a file change and what happens to them; server, tool and arguments of \
            an MCP tool call; the query of a web search. Items are matched by the id of the call, \
            where both sides have it. If the file keeps no items but only calls and their outputs, the \
            exit code and the output are read from the output. An output is compared if neither side \
            shortens it: up to 8 KiB, and not after a time-out.",
        exceptions: &[Exception {
            releases: since(v(131)),
            of: &["function_call"],
            level: Some(Severity::Note),
            seen: "a hook (`PreToolUse`) replaced the command. If the file keeps no item, it has only \
                the call of the model with the command from before",
        }],
        evidence: pairs!("They are equal in each pair: 233 exit codes and 222 outputs that were read from \
            outputs of calls, and 79 of items. Recordings have no outputs that were shortened."),
    } => {
        ArgumentsDiffer { words: &'static str }: "this {words} has other arguments in the session file",
        ExitCodeDiffers { own: i64, others: i64 }: "the exit code is {own}, and {others} in the session file",
        StatusDiffers { words: &'static str }: "this {words} has another status in the session file",
        OutputDiffers { words: &'static str }: "this {words} has another output in the session file",
        AnotherItem { words: &'static str }: "this {words} is another one in the session file",
    }
    WITH_ROLLOUT_ITEM_MISSING {
        summary: "the session file has each item of the stream",
        id: "with-rollout/item-missing",
        explanation: "Checked with `--with-rollout`. Messages, reasoning and what the agent does are in the \
            session file, as items or as calls of the model. If the file lacks one, it was written by \
            another run, or changed. To-do lists, errors and the tools of sub-agents are not compared: \
            the file has no items for them, nor always for what the user declined. A turn that does not end in the stream may have less in the \
            file: up to 0.63.0, what was under way when Codex was killed is lost.",
        exceptions: &[Exception {
            releases: until(v(58)),
            of: &["web_search"],
            level: None,
            seen: "session files up to 0.50.0 do not keep web searches; those of 0.63.0 and later do",
        }],
        evidence: pairs!("Each item of the stream is in the file."),
    } => {
        ItemMissing { words: &'static str }: "the session file does not have this {words}",
    }
    WITH_ROLLOUT_ORDER {
        summary: "items have the same order in the stream and in the session file",
        id: "with-rollout/order",
        explanation: "Checked with `--with-rollout`. Messages come in the same order on both sides. So do \
            all items, if the file keeps items. Calls of the model are written when they are made, and \
            items of the stream when they end: their order is not compared.",
        evidence: pairs!("The order is the same in each pair."),
    } => {
        OtherPlace { words: &'static str }: "this {words} has another place in the session file",
        EarlierTurn: "this turn is earlier in the session file",
    }
    WITH_ROLLOUT_TEXT_DIFFERS {
        summary: "messages and reasoning have the same text in the stream and in the session file",
        id: "with-rollout/text-differs",
        explanation: "Checked with `--with-rollout`. Compared are the messages of the agent and its summaries \
            of reasoning, and those of the user where the stream has them: the app-server writes \
            them, `codex exec` does not. `codex exec` can be set to hide reasoning; then it is not \
            compared.",
        evidence: pairs!("Of messages, 590 in streams are equal in the file, and no text differs."),
    } => {
        TextDiffers { words: &'static str }: "this {words} has another text in the session file",
    }
    WITH_ROLLOUT_TURN_END {
        summary: "a turn ends in the session file as in the stream",
        id: "with-rollout/turn-end",
        explanation: "Checked with `--with-rollout`. Files before 0.100.0 do not say how a turn ends, except \
            for interruptions. Up to 0.144.6 they do not tell a turn that failed from one that was \
            completed. A turn that does not end in the stream, because Codex was stopped, is not \
            compared.",
        evidence: pairs!("Turns end in the same way in each pair, except for reviews."),
    } => {
        OtherEnd { own: &'static str, others: &'static str }: "the turn is {own}, and {others} in the session file",
        NoEnd: "the turn ends here, and does not end in the session file",
    }
    WITH_ROLLOUT_USAGE_DIFFERS {
        summary: "the stream and the session file count the same tokens",
        id: "with-rollout/usage-differs",
        explanation: "Checked with `--with-rollout`. At the end of a turn, both sides say how many tokens \
            the thread has used: `turn.completed` and `thread/tokenUsage/updated` in streams, \
            `token_count` in files. In files before 0.100.0, where turns have no marks, only the last \
            turn of a stream is compared. Streams and files before 0.34.0 have no such count.",
        evidence: pairs!("The counts are equal at the end of each turn that ended and did not fail. \
            `codex exec` does not count a turn that failed, and counts nothing for a review."),
    } => {
        CountDiffers { name: &'static str, in_stream: u64, in_file: u64 }:
            "`{name}` is {in_stream}, and {in_file} in the session file",
    }
}
