//! Traces of a session while it happens.

mod notes;
mod state;

use std::fmt;

use codex_wire_check::Step;
use codex_wire_session::{Time, Watch};

use crate::document::Document;
use crate::options::Options;
use state::State;

/// Makes traces of a session while it happens: documents of OTLP, each as soon as a turn has ended.
///
/// The steps of a [`Checker`](codex_wire_check::Checker) go in. A document with the span of a turn and those below it comes
/// out when the turn has ended, and one with the span of the thread when the input is over. Spans have the ids that
/// [`export`](crate::export) gives them, if the thread has an id; a thread without one is known by all of it, so that
/// nothing of it comes before the end.
///
/// A span that was handed out cannot change. What Codex reports later of a turn has spans of its own below it. Each
/// finding is an event of the turn with its line, or else of the thread.
///
/// ```
/// use codex_wire_check::{Checker, Options};
/// use codex_wire_export::Live;
///
/// let stream = br#"{"type":"thread.started","thread_id":"t"}
/// {"type":"turn.started"}
/// {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
/// "#;
/// let mut live = Live::new("run.jsonl", codex_wire_export::Options::new());
/// let mut sent = Vec::new();
/// Checker::new(Options::new())?.observe("run.jsonl", &stream[..], |step| {
///     live.step(step, &mut |document| sent.push(serde_json::json!(document)));
///     Ok(())
/// })?;
/// // The turn has ended, the thread has not.
/// assert_eq!(sent[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"], "turn");
/// assert_eq!(sent.len(), 1);
/// live.finish(&mut |document| sent.push(serde_json::json!(document)));
/// assert_eq!(sent.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Live {
    watch: Watch,
    state: State,
}

impl Live {
    /// Makes traces of an input with that name.
    pub fn new(source: &str, options: Options) -> Self {
        Live {
            watch: Watch::new(source),
            state: State::new(options.content),
        }
    }

    /// The next lines are written at this time, unless they say another one. Without it, spans of sources that say no
    /// times have none.
    pub fn set_time(&mut self, now: Time) {
        self.watch.set_time(now);
        self.state.set_time(now);
    }

    /// Takes the next step, and hands out what can be told now.
    pub fn step(&mut self, step: &Step<'_>, give: &mut dyn FnMut(Document<'_>)) {
        let state = &mut self.state;
        state.note(step);
        self.watch
            .step(step, &mut |seen| state.seen(&seen, &mut *give));
        for of in self.watch.changed() {
            state.relate(of.number, of.thread);
        }
    }

    /// The input is over: hands out the rest.
    pub fn finish(self, give: &mut dyn FnMut(Document<'_>)) {
        let Live { watch, mut state } = self;
        watch.finish(&mut |seen| state.seen(&seen, &mut *give));
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Live");
        out.field("watch", &self.watch).finish_non_exhaustive()
    }
}
