//! Makes spans of a session.

use std::borrow::Cow;

use codex_wire_session::{Item, Response, Session, Thread, Tokens, Turn, TurnStatus};

use super::ids::{SpanIds, key_of, thread_span, trace_of};
use super::otlp::{
    Attributes, Event, Kind, Resource, ResourceSpans, Scope, ScopeSpans, Span, SpanId, Status,
    TraceId, Traces,
};
use super::summary::Summary;
use super::times::Times;
use crate::family::Family;
use crate::source;
use crate::tool::Tool;

/// Tokens of a span. Each is said once: of the response of the model if each response is counted, else of the turn, or
/// of the thread if the count goes back to its beginning.
pub(crate) type Usage = Option<Tokens>;

/// The names and attributes of conventions.
pub(crate) trait Vocabulary {
    /// The schema of the names.
    fn schema_url(&self) -> Option<&'static str>;
    /// The span of a thread, with what it says of its turns.
    fn thread<'a>(&self, thread: &'a Thread, turns: &Summary, usage: Usage) -> Named<'a>;
    /// The span of a turn.
    fn turn<'a>(&self, thread: &'a Thread, turn: &'a Turn, usage: Usage) -> Named<'a>;
    /// The span of a response of the model.
    fn response<'a>(&self, thread: &'a Thread, response: &'a Response) -> Named<'a>;
    /// The span of a call of a tool.
    fn tool<'a>(&self, thread: &'a Thread, tool: &Tool<'a>) -> Named<'a>;
    /// The event of an item that has no span; none if it is a message.
    fn event<'a>(&self, item: &'a Item) -> Option<(Cow<'a, str>, Attributes<'a>)>;
}

/// What conventions say of a span.
pub(crate) struct Named<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) kind: Kind,
    pub(crate) attributes: Attributes<'a>,
}

/// The spans of a session.
pub(crate) fn traces<'a>(session: &'a Session, vocabulary: &dyn Vocabulary) -> Traces<'a> {
    let family = Family::of(session);
    let counts_responses = source::counts_responses(session.protocol.as_deref());
    let mut ids = SpanIds::default();
    let threads = session.threads.iter().enumerate();
    let resource_spans = threads.map(|(number, thread)| {
        let key = key_of(thread);
        let mut walk = Walk {
            vocabulary,
            counts_responses,
            ids: &mut ids,
            place: Place {
                trace: trace_of(&family, number, &key),
                thread,
                key: &key,
            },
        };
        resource_spans(vocabulary, thread, walk.thread(&family, number))
    });
    Traces {
        resource_spans: resource_spans.collect(),
    }
}

/// Spans of a thread, with where they come from.
pub(crate) fn resource_spans<'a>(
    vocabulary: &dyn Vocabulary,
    thread: &'a Thread,
    spans: Vec<Span<'a>>,
) -> ResourceSpans<'a> {
    let mut resource = Attributes::default();
    resource.text("service.name", "codex");
    resource.known("service.version", thread.release.as_deref());
    ResourceSpans {
        resource: Resource {
            attributes: resource,
        },
        scope_spans: vec![ScopeSpans {
            scope: Scope { name: "codex-wire" },
            spans,
            schema_url: vocabulary.schema_url(),
        }],
        schema_url: vocabulary.schema_url(),
    }
}

/// Makes the spans of a thread.
pub(crate) struct Walk<'a, 'w> {
    pub(crate) vocabulary: &'w dyn Vocabulary,
    pub(crate) counts_responses: bool,
    pub(crate) ids: &'w mut SpanIds,
    pub(crate) place: Place<'a, 'w>,
}

/// Where spans stand.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a, 'w> {
    pub(crate) trace: TraceId,
    pub(crate) thread: &'a Thread,
    /// What identifies the thread.
    pub(crate) key: &'w str,
}

/// A turn that has a span.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) span: SpanId,
    /// What identifies it within the thread.
    pub(crate) key: String,
}

/// What becomes of an item. Messages and thoughts are attributes of their turn.
pub(crate) enum Made<'a> {
    Span(Span<'a>),
    Event(Event<'a>),
    Message,
}

impl<'a> Walk<'a, '_> {
    /// The id of the span of a thread.
    pub(crate) fn thread_id(&mut self, number: usize) -> SpanId {
        self.ids.next(&["thread", self.place.key], number)
    }

    /// The span of a thread with that id.
    pub(crate) fn thread_span(
        &self,
        id: SpanId,
        parent: Option<&str>,
        turns: &Summary,
    ) -> Span<'a> {
        let thread = self.place.thread;
        let is_cumulative = !self.counts_responses && turns.is_cumulative;
        let usage = is_cumulative.then_some(thread.tokens);
        let named = self.vocabulary.thread(thread, turns, usage);
        let failure = turns.failure.as_ref().map(|error| error.message.clone());
        let status = failure.map(|message| {
            let message = (!message.is_empty()).then(|| message.into());
            Status::error(message)
        });
        let times = Times::of_thread(thread, turns.times);
        self.span(id, parent.map(thread_span), named, times, status)
    }

    /// The span of a turn. `is_cumulative` if counts of the thread go back to its beginning.
    pub(crate) fn turn_span(
        &mut self,
        thread: SpanId,
        number: usize,
        turn: &'a Turn,
        is_cumulative: bool,
    ) -> (Parent, Span<'a>) {
        let key = match &turn.id {
            Some(id) => id.clone(),
            None => number.to_string(),
        };
        let id = self.ids.next(&["turn", self.place.key, &key], number);
        let is_summed = !self.counts_responses && !turn.responses.is_empty() && !is_cumulative;
        let usage = is_summed.then(|| turn.tokens());
        let named = self.vocabulary.turn(self.place.thread, turn, usage);
        let status = failure(turn);
        let span = self.span(id, Some(thread), named, Times::of_turn(turn), status);
        (Parent { span: id, key }, span)
    }

    /// The span of a response in a turn.
    pub(crate) fn response_span(
        &mut self,
        parent: &Parent,
        number: usize,
        response: &'a Response,
    ) -> Span<'a> {
        let line = response.line.to_string();
        let key = ["response", self.place.key, &parent.key, &line];
        let id = self.ids.next(&key, number);
        let named = self.vocabulary.response(self.place.thread, response);
        let times = Times::at(response.at);
        self.span(id, Some(parent.span), named, times, None)
    }

    /// What becomes of an item of a turn, or of one outside of turns.
    pub(crate) fn item(&mut self, parent: &Parent, number: usize, item: &'a Item) -> Made<'a> {
        let Some(tool) = Tool::of(item) else {
            return match self.vocabulary.event(item) {
                Some((name, attributes)) => Made::Event(Event {
                    time_unix_nano: Times::of_item(item).start(),
                    name,
                    attributes,
                }),
                None => Made::Message,
            };
        };
        let id = self.item_id(parent, number, item);
        let status = tool.failure().map(|_| Status::error(None));
        let named = self.vocabulary.tool(self.place.thread, &tool);
        let times = Times::of_item(item);
        Made::Span(self.span(id, Some(parent.span), named, times, status))
    }

    /// The id of the span of an item.
    pub(crate) fn item_id(&mut self, parent: &Parent, number: usize, item: &Item) -> SpanId {
        let line = item.lines.from.to_string();
        let key = item.id.as_deref().unwrap_or(&line);
        let key = ["item", self.place.key, &parent.key, key];
        self.ids.next(&key, number)
    }

    /// A span of the thread.
    pub(crate) fn span(
        &self,
        id: SpanId,
        parent: Option<SpanId>,
        named: Named<'a>,
        times: Times,
        status: Option<Status<'a>>,
    ) -> Span<'a> {
        let Named {
            name,
            kind,
            attributes,
        } = named;
        Span {
            trace_id: self.place.trace,
            span_id: id,
            parent_span_id: parent,
            name,
            kind,
            start_time_unix_nano: times.start(),
            end_time_unix_nano: times.end(),
            attributes,
            events: Vec::new(),
            dropped_events_count: 0,
            status,
        }
    }

    fn thread(&mut self, family: &Family, number: usize) -> Vec<Span<'a>> {
        let thread = self.place.thread;
        let id = self.thread_id(number);
        let summary = Summary::of(thread);
        let mut spans = vec![self.thread_span(id, family.parent(number), &summary)];
        // Copied turns are in the trace of the thread that they come from.
        for (number, turn) in thread.turns.iter().enumerate() {
            if !turn.is_copied {
                let (parent, span) = self.turn_span(id, number, turn, summary.is_cumulative);
                let at = spans.len();
                spans.push(span);
                if self.counts_responses {
                    for (number, response) in turn.responses.iter().enumerate() {
                        spans.push(self.response_span(&parent, number, response));
                    }
                }
                spans[at].events = self.items(&parent, &turn.items, &mut spans);
            }
        }
        spans[0].events = self.items(&outside(id), &thread.outside, &mut spans);
        spans
    }

    /// Makes spans of calls of tools, and returns events for the rest.
    pub(crate) fn items(
        &mut self,
        parent: &Parent,
        items: &'a [Item],
        spans: &mut Vec<Span<'a>>,
    ) -> Vec<Event<'a>> {
        let mut events = Vec::new();
        for (number, item) in items.iter().enumerate() {
            match self.item(parent, number, item) {
                Made::Span(span) => spans.push(span),
                Made::Event(event) => events.push(event),
                Made::Message => {}
            }
        }
        events
    }
}

/// What is outside of turns stands below the span of the thread.
pub(crate) fn outside(thread: SpanId) -> Parent {
    Parent {
        span: thread,
        key: "outside".to_owned(),
    }
}

/// That a turn failed. Codex writes the message, for people.
fn failure(turn: &Turn) -> Option<Status<'_>> {
    let message = turn.error.as_ref().map(|error| error.message.as_str());
    (turn.status == TurnStatus::Failed).then(|| Status::error(message.map(Cow::Borrowed)))
}
