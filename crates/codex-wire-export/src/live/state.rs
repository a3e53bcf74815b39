//! What was handed out of a session, and what is to come.

use std::collections::BTreeMap;

use codex_wire_check::{Event as Observed, Step};
use codex_wire_session::{
    Body, Item, Status, Thread, ThreadOf, Time, Turn, TurnOf, TurnStatus, WatchEvent,
};
use serde_json::Value;

use super::notes::Notes;
use crate::document::{Content, Document};
use crate::family::Family;
use crate::gen_ai::GenAi;
use crate::source;
use crate::tool::Tool;
use crate::trace::ids::{SpanIds, key_of, trace_of};
use crate::trace::otlp::{Kind, Span, SpanId, TraceId, Traces};
use crate::trace::times::Times;
use crate::trace::walk::{Made, Parent, Place, Walk, outside, resource_spans};
use crate::trace::{Named, Summary, is_cumulative};

/// How many ids of spans are remembered, so that no two spans have the same.
const IDS: usize = 1 << 16;

/// Takes documents.
type Give<'g> = dyn FnMut(Document<'_>) + 'g;

/// What was handed out of a session, and what is to come.
pub(super) struct State {
    vocabulary: GenAi,
    ids: SpanIds,
    family: Family,
    threads: Vec<Known>,
    /// The thread that a line named last.
    last: usize,
    now: Option<Time>,
}

/// A thread.
#[derive(Default)]
struct Known {
    /// Its span and its trace, once something of it was handed out.
    root: Option<(SpanId, TraceId)>,
    summary: Summary,
    /// The turns that were told and may still change.
    turns: BTreeMap<usize, Told>,
    /// The turns of a thread without an id: it is known by all of it.
    held: Vec<(usize, Turn)>,
    /// What waits for the turn with its line.
    waiting: Notes,
    /// What the span of the thread will have.
    own: Notes,
}

/// A turn that was told.
struct Told {
    parent: Parent,
    responses: usize,
    /// Whether each item was told.
    items: Vec<bool>,
}

/// A turn that has ended, by its number.
#[derive(Clone, Copy)]
struct Ended<'a> {
    number: usize,
    turn: &'a Turn,
    /// Whether it cannot change any more.
    is_settled: bool,
}

impl<'a> Ended<'a> {
    fn new(number: usize, turn: &'a Turn) -> Self {
        Ended {
            number,
            turn,
            is_settled: false,
        }
    }

    fn settled(number: usize, turn: &'a Turn) -> Self {
        Ended {
            number,
            turn,
            is_settled: true,
        }
    }
}

/// A thread by its number, in an input of which each response is counted, or not.
#[derive(Clone, Copy)]
struct Of<'a> {
    thread: &'a Thread,
    number: usize,
    counts_responses: bool,
}

impl<'a> From<TurnOf<'a>> for Of<'a> {
    fn from(of: TurnOf<'a>) -> Self {
        let protocol = of.protocol.map(|protocol| protocol.to_string());
        Of {
            thread: of.thread,
            number: of.thread_number,
            counts_responses: source::counts_responses(protocol.as_deref()),
        }
    }
}

impl<'a> From<ThreadOf<'a>> for Of<'a> {
    fn from(of: ThreadOf<'a>) -> Self {
        let protocol = of.protocol.map(|protocol| protocol.to_string());
        Of {
            thread: of.thread,
            number: of.number,
            counts_responses: source::counts_responses(protocol.as_deref()),
        }
    }
}

impl State {
    pub(super) fn new(content: bool) -> Self {
        State {
            vocabulary: GenAi { content },
            ids: SpanIds::at_most(IDS),
            family: Family::default(),
            threads: Vec::new(),
            last: 0,
            now: None,
        }
    }

    pub(super) fn set_time(&mut self, now: Time) {
        self.now = Some(now);
    }

    /// Takes the findings of a line. They are of the thread that the line names, else of the one that was named last.
    pub(super) fn note(&mut self, step: &Step<'_>) {
        let mut at = None;
        if let Observed::Message { message, .. } = step.event {
            let named = thread_of(message).and_then(|id| self.family.number(id));
            self.last = named.unwrap_or(self.last);
            at = (!step.findings.is_empty()).then(|| written(message));
        }
        if step.findings.is_empty() {
            return;
        }
        let at = Times::at(at.flatten().or(self.now)).start();
        let waiting = &mut self.known(self.last).waiting;
        for finding in step.findings {
            waiting.finding(finding, at);
        }
    }

    /// This is known of a thread by now.
    pub(super) fn relate(&mut self, number: usize, thread: &Thread) {
        self.family.update(number, thread);
    }

    pub(super) fn seen(&mut self, seen: &WatchEvent<'_>, give: &mut Give<'_>) {
        match *seen {
            WatchEvent::Item(of, _) => {
                let ended = Ended::new(of.turn_of.number, of.turn);
                self.late(of.turn_of.into(), ended, give);
            }
            WatchEvent::TurnEnded(of, turn) => {
                if !turn.is_copied
                    && let Some(key) = &of.thread.id
                {
                    self.turn(of.into(), key, Ended::new(of.number, turn), give);
                }
            }
            WatchEvent::TurnSettled(of, turn) => self.settled(of, turn, give),
            WatchEvent::RolledBack(of) => {
                let at = Times::at(self.now).start();
                let known = self.known(of.thread_number);
                let told = known.turns.get(&of.number);
                let first =
                    told.map_or_else(|| of.number.to_string(), |told| told.parent.key.clone());
                known.own.rollback(first, at);
            }
            WatchEvent::Thread(of) => self.thread(of.into(), give),
            _ => {}
        }
    }

    fn known(&mut self, number: usize) -> &mut Known {
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, Known::default);
        }
        &mut self.threads[number]
    }

    /// Makes spans of a thread that a key identifies, with what is known of it and the id of its span.
    fn walk<'a, 'w>(
        &'w mut self,
        of: Of<'a>,
        key: &'w str,
    ) -> (Walk<'a, 'w>, &'w mut Known, &'w Family, SpanId) {
        self.known(of.number);
        let State {
            vocabulary,
            ids,
            family,
            threads,
            ..
        } = self;
        let known = &mut threads[of.number];
        // A thread stays in one trace, whatever is learned of its parents later.
        let (span, trace) = match known.root {
            Some(root) => root,
            None => {
                family.update(of.number, of.thread);
                let span = ids.next(&["thread", key], of.number);
                (span, trace_of(family, of.number, key))
            }
        };
        known.root = Some((span, trace));
        let walk = Walk {
            vocabulary,
            counts_responses: of.counts_responses,
            ids,
            place: Place {
                trace,
                thread: of.thread,
                key,
            },
        };
        (walk, known, family, span)
    }

    /// A turn has ended.
    fn turn(&mut self, of: Of<'_>, key: &str, ended: Ended<'_>, give: &mut Give<'_>) {
        let turn = ended.turn;
        let (mut walk, known, _, thread) = self.walk(of, key);
        let is_cumulative = known.summary.is_cumulative || is_cumulative(turn);
        let (parent, mut span) = walk.turn_span(thread, ended.number, turn, is_cumulative);
        let mut told = Told {
            parent,
            responses: turn.responses.len(),
            items: Vec::new(),
        };
        let mut spans = Vec::new();
        if of.counts_responses {
            for (number, response) in turn.responses.iter().enumerate() {
                spans.push(walk.response_span(&told.parent, number, response));
            }
        }
        for (number, item) in told.items(turn, ended.is_settled) {
            match walk.item(&told.parent, number, item) {
                Made::Span(span) => spans.push(span),
                Made::Event(event) => span.events.push(event),
                // The span of the turn has it.
                Made::Message => {}
            }
        }
        // Whatever came after the beginning of a turn that did not end is of it.
        let to = match turn.status {
            TurnStatus::Unfinished => u64::MAX,
            _ => turn.lines.to,
        };
        let from = turn.lines.from;
        let notes = known.waiting.within(from, to, &mut known.own);
        let (events, dropped) = notes.events();
        span.events.extend(events);
        span.dropped_events_count = dropped;
        spans.insert(0, span);
        known.turns.insert(ended.number, told);
        self.give(of, spans, give);
    }

    /// Tells what has come after the end of a turn, if its end was told. That span was sent and cannot change, so
    /// everything is a span of its own.
    fn late(&mut self, of: Of<'_>, ended: Ended<'_>, give: &mut Give<'_>) {
        let turn = ended.turn;
        let Some(key) = &of.thread.id else { return };
        let is_told = |known: &Known| known.turns.contains_key(&ended.number);
        if !self.threads.get(of.number).is_some_and(is_told) {
            return;
        }
        let vocabulary = self.vocabulary;
        let (mut walk, known, _, _) = self.walk(of, key);
        let is_cumulative = known.summary.is_cumulative || is_cumulative(turn);
        let Some(told) = known.turns.get_mut(&ended.number) else {
            return;
        };
        let mut spans = Vec::new();
        // Counts that go back to the beginning stand on the thread.
        let counted = turn.responses.iter().enumerate().skip(told.responses);
        for (number, response) in counted.filter(|_| of.counts_responses || !is_cumulative) {
            spans.push(walk.response_span(&told.parent, number, response));
        }
        told.responses = turn.responses.len();
        for (number, item) in told.items(turn, ended.is_settled) {
            let named = match walk.item(&told.parent, number, item) {
                Made::Span(span) => {
                    spans.push(span);
                    continue;
                }
                Made::Event(event) => Some(Named {
                    name: event.name,
                    kind: Kind::Internal,
                    attributes: event.attributes,
                }),
                Made::Message => vocabulary.late_message(of.thread, turn, item),
            };
            if let Some(named) = named {
                let id = walk.item_id(&told.parent, number, item);
                let times = Times::of_item(item);
                spans.push(walk.span(id, Some(told.parent.span), named, times, None));
            }
        }
        if !spans.is_empty() {
            self.give(of, spans, give);
        }
    }

    /// Nothing of a turn can change any more.
    fn settled(&mut self, of: TurnOf<'_>, turn: &Turn, give: &mut Give<'_>) {
        let known = self.known(of.thread_number);
        known.summary.add(turn);
        if of.thread.id.is_none() {
            known.held.push((of.number, turn.clone()));
            return;
        }
        self.late(of.into(), Ended::settled(of.number, turn), give);
        self.known(of.thread_number).turns.remove(&of.number);
    }

    /// The input is over.
    fn thread(&mut self, of: Of<'_>, give: &mut Give<'_>) {
        let held = std::mem::take(&mut self.known(of.number).held);
        let key = match &of.thread.id {
            Some(id) => id.clone(),
            None => {
                let mut whole = of.thread.clone();
                whole.turns = held.iter().map(|(_, turn)| turn.clone()).collect();
                key_of(&whole)
            }
        };
        for (number, turn) in held.iter().filter(|(_, turn)| !turn.is_copied) {
            self.turn(of, &key, Ended::settled(*number, turn), give);
        }
        let (mut walk, known, family, id) = self.walk(of, &key);
        let parent = family.parent(of.number);
        let mut span = walk.thread_span(id, parent, &known.summary);
        let mut spans = Vec::new();
        span.events = walk.items(&outside(id), &of.thread.outside, &mut spans);
        let mut notes = std::mem::take(&mut known.own);
        notes.append(std::mem::take(&mut known.waiting));
        let (events, dropped) = notes.events();
        span.events.extend(events);
        span.dropped_events_count = dropped;
        spans.insert(0, span);
        self.give(of, spans, give);
        self.threads[of.number] = Known::default();
    }

    fn give(&self, of: Of<'_>, spans: Vec<Span<'_>>, give: &mut Give<'_>) {
        give(Document(Content::Traces(Traces {
            resource_spans: vec![resource_spans(&self.vocabulary, of.thread, spans)],
        })));
    }
}

impl Told {
    /// The items of a turn that can be told and were not. What may still change has to wait, unless nothing can.
    fn items<'a>(&mut self, turn: &'a Turn, is_settled: bool) -> Vec<(usize, &'a Item)> {
        self.items.resize(turn.items.len(), false);
        let items = turn.items.iter().enumerate().zip(&mut self.items);
        let new = items.filter_map(move |(numbered, is_told)| {
            let is_new = !*is_told && (is_settled || !may_change(turn, numbered.1));
            *is_told |= is_new;
            is_new.then_some(numbered)
        });
        new.collect()
    }
}

/// Whether an item may still change after the end of its turn: what has not ended, what nobody has answered, and
/// commands of an interrupted turn whose end was not reported.
fn may_change(turn: &Turn, item: &Item) -> bool {
    if let Body::Approval(approval) = &item.body {
        return approval.answer.is_none();
    }
    let Some(tool) = Tool::of(item) else {
        return false;
    };
    match tool.status {
        Some(status) => status == Status::InProgress,
        None => turn.status == TurnStatus::Interrupted && matches!(item.body, Body::Command(_)),
    }
}

/// The id of the thread that a message of the app-server names.
fn thread_of(message: &Value) -> Option<&str> {
    let params = message.get("params")?;
    let named = params
        .get("threadId")
        .or_else(|| params.get("conversationId"));
    named?.as_str()
}

/// When a message was written, if it says so.
fn written(message: &Value) -> Option<Time> {
    let emitted = message.get("emittedAtMs").and_then(Value::as_i64);
    let timestamp = || message.get("timestamp")?.as_str()?.parse().ok();
    emitted.and_then(Time::from_ms).or_else(timestamp)
}
