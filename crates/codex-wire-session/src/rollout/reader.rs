//! Reads the lines of a session file into a thread, and hands out what can no longer change.

use codex_wire_base::Release;
use serde_json::Value;

use super::lineage;
use super::settings;
use super::state::RolloutReader;
use crate::build::thread::{Finished, Here, Taken, ThreadBuilder};
use crate::members::Members;
use crate::model::{Body, Compaction, End, Thread, TurnStatus};
use crate::tokens;
use crate::values::git;

/// How many turns may still change: an event may belong to an item of the turn before.
const OPEN_TURNS: usize = 3;

impl RolloutReader {
    /// Takes the next message.
    pub(crate) fn message(&mut self, line: u64, message: &Value) {
        self.messages += 1;
        self.here = Here { line, at: None };
        let Some(payload) = message.get("payload") else {
            self.early(message);
            return;
        };
        let at = message.text("timestamp").and_then(|text| text.parse().ok());
        self.here.at = at;
        let of_resume = ["task_started", "thread_settings_applied"];
        if !payload
            .text("type")
            .is_some_and(|kind| of_resume.contains(&kind))
        {
            self.settle_settings();
        }
        match message.text("type").unwrap_or_default() {
            "session_meta" => self.meta(payload),
            "turn_context" => self.context(payload),
            "response_item" => self.response_item(payload),
            "event_msg" => self.event(payload),
            "token_usage_record" => self.usage_record(payload),
            "compacted" => self.compacted(payload),
            "inter_agent_communication" => self.agent_letter(payload),
            _ => {}
        }
        self.touch();
    }

    /// The file goes on from another one that ends so.
    pub(crate) fn continue_from(&mut self, base: &End) {
        self.counter.continue_from(base.total);
        self.builder.settings = base.settings.clone();
    }

    /// How the file ends.
    pub(crate) fn file_end(&self) -> End {
        End {
            total: self.counter.total(),
            settings: self.builder.settings.clone(),
        }
    }

    /// The thread so far.
    pub(crate) fn thread(&self) -> &Thread {
        &self.builder.thread
    }

    /// What is read so far.
    pub(crate) fn builder(&mut self) -> &mut ThreadBuilder {
        &mut self.builder
    }

    /// Takes out what can no longer change.
    pub(crate) fn take(&mut self) -> Taken {
        self.builder.take(OPEN_TURNS)
    }

    /// The thread of the lines so far.
    pub(crate) fn finish(mut self) -> Finished {
        if self.is_draft
            && let Some(draft) = self.builder.pop()
        {
            if draft.responses.is_empty() {
                self.builder.thread.outside = draft.items;
            } else {
                self.builder.push(draft);
            }
        }
        if self.is_open
            && let Some(turn) = self.builder.last_mut()
        {
            turn.status = TurnStatus::Unfinished;
        }
        self.builder.finish()
    }

    /// A line of 0.20.0 to 0.29.0: the header, an item, or a mark between items.
    fn early(&mut self, line: &Value) {
        if line.get("record_type").is_some() {
            return;
        }
        if line.get("type").is_some() {
            self.response_item(line);
            return;
        }
        self.is_early = true;
        let thread = &mut self.builder.thread;
        thread.id = line.owned("id");
        thread.created = line.text("timestamp").and_then(|text| text.parse().ok());
        thread.git = line.some("git").map(git);
    }

    fn meta(&mut self, meta: &Value) {
        let id = meta.text("id");
        let thread = &mut self.builder.thread;
        if thread.id.is_none() {
            thread.id = id.map(str::to_owned);
            thread.created = meta.text("timestamp").and_then(|text| text.parse().ok());
            thread.release = meta.owned("cli_version");
            thread.client = meta.owned("originator");
            thread.cwd = meta.owned("cwd");
            thread.model_provider = meta.owned("model_provider");
            thread.git = meta.some("git").map(git);
            thread.lineage = lineage::of(meta);
            if thread.lineage.continues.is_some() {
                self.counter.continue_from(None);
            }
            let version = meta.text("cli_version");
            self.made_by = version.and_then(|version| version.parse().ok());
            // A sub-agent may begin with the last turns of its parent. Nothing marks them up to 0.147.0, but that
            // they come before its own first turn.
            let is_spawned = thread.lineage.is_sub_agent && !thread.lineage.is_review;
            self.is_copying = is_spawned && self.messages == 1 && self.has_turn_ids();
        } else if thread.id.as_deref() != id && self.messages == 2 {
            // A legacy fork: what follows was copied, with times of the copy.
            self.is_copying = true;
            let parent = &mut thread.lineage.forked_from;
            if parent.is_none() {
                *parent = id.map(str::to_owned);
            }
            thread.lineage.copies_are_guessed = self.made_by < Some(Release::new(0, 100, 0));
        }
    }

    fn context(&mut self, context: &Value) {
        if let Some(id) = context.text("turn_id") {
            self.notice_own_turn(id);
        }
        self.builder.settings = settings::of_context(context);
        self.set_settings();
    }

    fn usage_record(&mut self, record: &Value) {
        self.builder.thread.reported = Some(tokens::snake(&record["thread_token_usage"]));
        let tokens = self.counter.record(tokens::snake(&record["usage"]));
        self.response(tokens);
    }

    fn compacted(&mut self, compacted: &Value) {
        let summary = compacted.owned("message");
        // The answer that the summary is made of is an item too, in some releases.
        self.drop_answer_in(summary.as_deref().unwrap_or_default());
        let item = self.new_item(Body::Compaction(Compaction { summary }));
        self.add(None, item);
    }
}
