//! Builds a session from the lines of its file.

use crate::Error;
use crate::rollout::session::state::State;
use crate::rollout::session::{Session, Tokens, Unread};
use crate::rollout::{EarlyLine, HistoryPosition, RolloutItem, RolloutLine};

/// Builds a [`Session`] from the lines of a file, in their order.
///
/// For files that are still written: push lines as they come, and [`finish`](Self::finish) a clone.
#[derive(Clone, Debug, Default)]
pub struct SessionBuilder {
    state: State,
}

impl SessionBuilder {
    /// A session without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line, with or without its newline. One that cannot be read is listed in
    /// [`Session::unread`].
    pub fn push(&mut self, line: &[u8]) {
        self.state.line += 1;
        if let Some(unread) = self.state.session.unread.last_mut() {
            unread.is_torn = false;
        }
        let text = line.strip_suffix(b"\n");
        let is_torn = text.is_none();
        let text = text.unwrap_or(line);
        if text.is_empty() {
            return;
        }
        if let Err(error) = self.read(text) {
            self.state.session.unread.push(Unread {
                line: self.state.line,
                problem: error.to_string(),
                is_torn,
            });
        }
    }

    /// Where the file goes on from, once its first line was pushed.
    pub fn history_base(&self) -> Option<&HistoryPosition> {
        self.state.session.lineage.history_base.as_ref()
    }

    /// Says what the file goes on from: the session of the base, up to the place that
    /// [`history_base`](Self::history_base) names. Without it, counts that repeat those of the base
    /// are told by where they stand.
    pub fn continue_from(&mut self, base: Session) {
        self.state.continue_from(base);
    }

    /// The session of the lines so far.
    pub fn finish(self) -> Session {
        self.state.finish()
    }

    fn read(&mut self, text: &[u8]) -> Result<(), Error> {
        let state = &mut self.state;
        if state.is_early || state.line == 1 {
            let line = crate::from_slice::<RolloutLine>(text);
            if line.is_err()
                && let EarlyLine::Header(header) = crate::from_slice::<EarlyLine>(text)?
            {
                state.is_early = true;
                state.session.id = Some(header.id);
                state.session.created = Some(header.timestamp);
                return Ok(());
            }
            if state.is_early && line.is_err() {
                if let EarlyLine::Item(item) = crate::from_slice::<EarlyLine>(text)? {
                    state.response_item(&item);
                }
                return Ok(());
            }
        }
        let line = crate::from_slice::<RolloutLine>(text)?;
        state.at = Some(line.timestamp.clone());
        match &line.item {
            RolloutItem::SessionMeta(meta) => state.meta(meta),
            RolloutItem::TurnContext(context) => state.context(context),
            RolloutItem::ResponseItem(item) => state.response_item(item),
            RolloutItem::EventMsg(event) => state.event(event),
            RolloutItem::TokenUsageRecord(record) => {
                state.session.reported = Some(Tokens::from(&record.thread_token_usage));
                let tokens = state.counter.record(Tokens::from(&record.usage));
                state.response(tokens);
            }
            RolloutItem::Compacted(compacted) => state.compacted(compacted),
            _ => {}
        }
        state.touch();
        Ok(())
    }
}
