//! Makes spans of a session.

use std::borrow::Cow;

use codex_wire_session::{Item, Response, Session, Thread, Tokens, Turn, TurnStatus};

use super::ids::{Keys, SpanIds, thread_span};
use super::otlp::{
    Attributes, Event, Kind, Resource, ResourceSpans, Scope, ScopeSpans, Span, SpanId, Status,
    TraceId, Traces,
};
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
    /// The span of a thread.
    fn thread<'a>(&self, thread: &'a Thread, usage: Usage) -> Named<'a>;
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
    let keys = Keys::of(session, &family);
    let mut walk = Walk {
        vocabulary,
        counts_responses: source::counts_responses(session),
        ids: SpanIds::default(),
    };
    let threads = session.threads.iter().enumerate();
    let resource_spans = threads.map(|(number, thread)| {
        let mut resource = Attributes::default();
        resource.text("service.name", "codex");
        resource.known("service.version", thread.release.as_deref());
        ResourceSpans {
            resource: Resource {
                attributes: resource,
            },
            scope_spans: vec![ScopeSpans {
                scope: Scope { name: "codex-wire" },
                spans: walk.thread(&keys, &family, number, thread),
                schema_url: vocabulary.schema_url(),
            }],
            schema_url: vocabulary.schema_url(),
        }
    });
    Traces {
        resource_spans: resource_spans.collect(),
    }
}

struct Walk<'v> {
    vocabulary: &'v dyn Vocabulary,
    counts_responses: bool,
    ids: SpanIds,
}

/// Where a span stands.
#[derive(Clone, Copy)]
struct Place<'a, 'k> {
    trace: TraceId,
    thread: &'a Thread,
    /// What identifies the thread.
    key: &'k str,
    parent: SpanId,
}

impl Walk<'_> {
    fn thread<'a>(
        &mut self,
        keys: &Keys,
        family: &Family<'_>,
        number: usize,
        thread: &'a Thread,
    ) -> Vec<Span<'a>> {
        let key = keys.thread(number);
        let id = self.ids.next(&["thread", key], number);
        let trace = keys.trace(number);
        let place = Place {
            trace,
            thread,
            key,
            parent: id,
        };
        let parent = family.parent(number).map(thread_span);
        let usage = self.is_cumulative(thread).then_some(thread.tokens);
        let last = thread.own_turns().last();
        let status = last.and_then(failure);
        let named = self.vocabulary.thread(thread, usage);
        let times = Times::of_thread(thread);
        let mut spans = vec![span(place, id, parent, named, times, status)];
        // Copied turns are in the trace of the thread that they come from.
        for (number, turn) in thread.turns.iter().enumerate() {
            if !turn.is_copied {
                self.turn(place, number, turn, &mut spans);
            }
        }
        let events = self.items(place, "outside", &thread.outside, &mut spans);
        spans[0].events = events;
        spans
    }

    fn turn<'a>(
        &mut self,
        place: Place<'a, '_>,
        number: usize,
        turn: &'a Turn,
        spans: &mut Vec<Span<'a>>,
    ) {
        let key = match &turn.id {
            Some(id) => id.clone(),
            None => number.to_string(),
        };
        let id = self.ids.next(&["turn", place.key, &key], number);
        let is_summed = !self.counts_responses
            && !turn.responses.is_empty()
            && !self.is_cumulative(place.thread);
        let usage = is_summed.then(|| turn.tokens());
        let named = self.vocabulary.turn(place.thread, turn, usage);
        let own = span(
            place,
            id,
            Some(place.parent),
            named,
            Times::of_turn(turn),
            failure(turn),
        );
        let at = spans.len();
        spans.push(own);
        let within = Place {
            parent: id,
            ..place
        };
        if self.counts_responses {
            for (number, response) in turn.responses.iter().enumerate() {
                let line = response.line.to_string();
                let id = self.ids.next(&["response", place.key, &key, &line], number);
                let named = self.vocabulary.response(place.thread, response);
                let times = Times::at(response.at);
                spans.push(span(within, id, Some(within.parent), named, times, None));
            }
        }
        let events = self.items(within, &key, &turn.items, spans);
        spans[at].events = events;
    }

    /// Makes spans of calls of tools, and returns events for the rest.
    fn items<'a>(
        &mut self,
        place: Place<'a, '_>,
        turn: &str,
        items: &'a [Item],
        spans: &mut Vec<Span<'a>>,
    ) -> Vec<Event<'a>> {
        let mut events = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let times = Times::of_item(item);
            let Some(tool) = Tool::of(item) else {
                if let Some((name, attributes)) = self.vocabulary.event(item) {
                    events.push(Event {
                        time_unix_nano: times.start(),
                        name,
                        attributes,
                    });
                }
                continue;
            };
            let line = item.lines.from.to_string();
            let key = item.id.as_deref().unwrap_or(&line);
            let id = self.ids.next(&["item", place.key, turn, key], number);
            let status = tool.failure().map(|_| Status::error(None));
            let named = self.vocabulary.tool(place.thread, &tool);
            spans.push(span(place, id, Some(place.parent), named, times, status));
        }
        events
    }

    /// Whether counts of a thread go back to its beginning, so that the last holds those before it.
    fn is_cumulative(&self, thread: &Thread) -> bool {
        let mut responses = thread.own_turns().flat_map(|turn| &turn.responses);
        !self.counts_responses && responses.any(|response| response.is_cumulative)
    }
}

fn span<'a>(
    place: Place<'a, '_>,
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
        trace_id: place.trace,
        span_id: id,
        parent_span_id: parent,
        name,
        kind,
        start_time_unix_nano: times.start(),
        end_time_unix_nano: times.end(),
        attributes,
        events: Vec::new(),
        status,
    }
}

/// That a turn failed. Codex writes the message, for people.
fn failure(turn: &Turn) -> Option<Status<'_>> {
    let message = turn.error.as_ref().map(|error| error.message.as_str());
    (turn.status == TurnStatus::Failed).then(|| Status::error(message))
}
