//! Takes one line through the stages.
//!
//! [`Session::line`] is where every line enters. `check.rs` (files), `stream.rs` (bytes that are
//! pushed) and `identify.rs` call it, once for each line, in order. If `check.rs` runs several
//! threads, they scan lines before their turn with the fast path. Lines that they accept enter by
//! [`Session::line_ahead`].
//!
//! The methods follow the line on its way, and each calls the next:
//!
//! | method | has |
//! |---|---|
//! | `line` | a line, with its number |
//! | `bytes` | its bytes: checks length, byte order mark, UTF-8 |
//! | `text` | text: also the line inside a record of our transcript format enters here |
//! | `json` | a JSON object: from the fast path, or parsed |
//! | `message` | a message: dialect, RPC, release inference, validation, sequence |
//!
//! The stages themselves are in the folders of that name; `stages.rs` calls them. The session holds
//! one state for each stage. What is known of this one line travels in its [`LineContext`]. A stage
//! returns violations, and the session passes them to `diagnostics`.
//!
//! To add a step for each message, add it to [`Session::message`], after the stages whose results it
//! needs.

use super::state::Session;
use crate::dialect::Dialect;
use crate::dialect::mcp_server::McpServer;
use crate::fast_path::accept::Accepted;
use crate::framing::frame::{Framed, Parsed, frame, parse, text_of};
use crate::framing::message::Message;
use crate::framing::record::direction;
use crate::framing::scan::DuplicateKey;
use crate::line::LineContext;
use crate::rpc::readings::Readings;
use crate::writer::Writer;
use codex_wire_base::lines::Line;
use codex_wire_prefilter::{Tape, View};

/// Which stages between RPC and sequence a message still needs after the fast path.
enum Left {
    /// None: the message is valid, and excludes no release.
    Nothing,
    /// Its duplicate keys have to be reported.
    Duplicates,
    /// Release inference and validation.
    All,
}

impl Session<'_> {
    /// Checks one line. `recorded` is the side that wrote it, if the caller knows it. Returns a
    /// reason if the rest of the input is not worth reading.
    pub(crate) fn line(&mut self, line: &Line<'_>, recorded: Option<Writer>) -> Option<String> {
        let given_up = self.framing.next_line(line);
        if given_up.is_some() {
            return given_up;
        }
        if !self.further_delta(line, recorded) {
            self.bytes(line, recorded);
        }
        self.is_hopeless()
    }

    /// Checks a line of a plain log that the fast path has accepted before its turn. If the
    /// possible releases have changed since then, the line is checked as any other.
    pub(crate) fn line_ahead(
        &mut self,
        line: &Line<'_>,
        accepted: Accepted,
        tape: &Tape,
    ) -> Option<String> {
        if !accepted.is_of_now(self.releases.possible) {
            return self.line(line, None);
        }
        let given_up = self.framing.next_line(line);
        if given_up.is_some() {
            return given_up;
        }
        if self.further_delta(line, None) {
            return self.is_hopeless();
        }
        // It was text when it was scanned.
        match text_of(line.bytes) {
            Ok(text) => {
                let mut context = self.context(line, None);
                context.text = text;
                let view = tape.view(text, accepted.repeated);
                self.accepted(&mut context, view, accepted);
            }
            Err(_) => self.bytes(line, None),
        }
        self.is_hopeless()
    }

    /// Checks the line as bytes, then as text.
    fn bytes(&mut self, line: &Line<'_>, recorded: Option<Writer>) {
        let mut context = self.context(line, recorded);
        let diagnostics = &mut self.diagnostics;
        let limits = &self.checker.options.limits;
        let framed = frame(line, &mut context, limits, |context, violation| {
            diagnostics.report_line(context, &violation);
        });
        match framed {
            Framed::Text => self.text(&mut context),
            Framed::Blank => {}
            Framed::TooLong => self.lost(&context),
            Framed::Cut => self.cut(&context),
            Framed::NotText { bytes, garbled } => {
                self.lost(&context);
                self.framing.last.garbled |= garbled;
                self.unrecognized();
                self.dialect.examine_bytes(bytes);
            }
        }
    }

    /// Checks the line as text. For the line inside a record it runs while the record is still
    /// being read, so each has a tape of its own.
    pub(crate) fn text(&mut self, context: &mut LineContext<'_>) {
        let room = usize::from(context.recorded.is_some() || context.is_inner);
        let mut tape = std::mem::take(&mut self.framing.tapes[room]);
        self.json(context, &mut tape);
        self.framing.tapes[room] = tape;
    }

    /// Reads the line as JSON: with the fast path, or else with the parser.
    fn json(&mut self, context: &mut LineContext<'_>, tape: &mut Tape) {
        if let Some((view, accepted)) = self.fast_path().accept(context, tape) {
            return self.accepted(context, view, accepted);
        }
        match parse(context, &self.checker.options.limits, tape) {
            Parsed::Message(message, duplicates) => {
                self.message(context, message, None, &duplicates);
            }
            Parsed::Record(view) => self.record(context, view),
            Parsed::Other(message) => self.not_an_object(context, message.tree()),
            Parsed::TooDeep(violation) => {
                self.lost(context);
                self.diagnostics.report_line(context, &violation);
            }
            Parsed::Cut(violation) => {
                self.cut(context);
                self.diagnostics.report_line(context, &violation);
            }
            Parsed::Malformed(violation) => {
                self.lost(context);
                self.unrecognized();
                self.dialect.examine_text(context.text);
                self.diagnostics.report_line(context, &violation);
            }
        }
    }

    /// Checks a message that the fast path has accepted.
    fn accepted(&mut self, context: &mut LineContext<'_>, view: View<'_>, accepted: Accepted) {
        let limits = &self.checker.options.limits;
        let message = Message::accepted(view, context.text, limits.values);
        // The fast path has checked the grammar, so this cannot fail.
        let duplicates = match accepted.repeated {
            true => message.duplicates(limits.depth),
            false => Vec::new(),
        };
        self.message(context, message, Some(accepted), &duplicates);
    }

    /// Takes a message from the stage *dialect* to the stage *sequence*. `accepted` is given if the
    /// fast path has accepted it. `duplicates` are its keys that occur twice in their object.
    fn message(
        &mut self,
        context: &mut LineContext<'_>,
        message: Message<'_>,
        accepted: Option<Accepted>,
        duplicates: &[DuplicateKey],
    ) {
        self.messages += 1;
        context.message = self.messages;
        if self.is_of_mcp_server(context, &message) {
            return;
        }
        let before = self.diagnostics.counts();
        if accepted.is_none() && context.hook.is_none() && self.is_unspoken(context, &message) {
            return self.observe(context, message);
        }

        // Dialect: which kind of stream is it, and who writes such messages?
        let spec = self.find_dialect(context, &message, accepted.is_some());

        // RPC: which request does it answer?
        if spec.ranges.dialect == Dialect::AppServer {
            self.track_call(context, spec, &message);
        }
        // In a session file another release may have gone on with this line.
        if spec.ranges.dialect == Dialect::Rollout {
            self.releases.runs.observe(context.line, message.view);
            context.is_copied = self.releases.runs.is_copied();
        }
        let writer = context.writer.unwrap_or(Writer::Codex);
        if let Some(violation) = direction(context.recorded, writer) {
            self.diagnostics.report(context, violation);
        }

        match self.left_to_do(context, accepted.as_ref(), duplicates) {
            Left::Nothing => {}
            Left::Duplicates => self.report_duplicates_of(context, spec, &message, duplicates),
            Left::All => {
                let values = self.checker.options.limits.values;
                let call = (context.call.as_ref(), context.hook);
                let has_duplicates = !duplicates.is_empty();
                let readings =
                    Readings::new(&message, call, has_duplicates, (context.text, values));
                let is_right =
                    accepted.filter(|accepted| self.fast_path().is_right(accepted, context));

                // Release inference: which releases could have written it?
                let inferred = self.infer(context, spec, &readings);

                // Validation: what is wrong with it?
                if let Some(bits) = inferred {
                    self.validate(context, spec, (&readings, duplicates), bits, is_right);
                }
            }
        }

        // Sequence: may it come now?
        let view = message.view;
        if self.dialect.mcp_server == McpServer::Event {
            return self.observe(context, message);
        }
        self.follow_order(context, view, !duplicates.is_empty(), before);

        let is_right = self.diagnostics.counts().total() == before.total();
        if duplicates.is_empty() && is_right {
            self.expect_deltas(context, view);
        }
        self.observe(context, message);
    }

    /// Decides which stages a message still needs, depending on what the fast path has found.
    fn left_to_do(
        &self,
        context: &LineContext<'_>,
        accepted: Option<&Accepted>,
        duplicates: &[DuplicateKey],
    ) -> Left {
        let fast_path = self.fast_path();
        // `identify` only excludes releases. A message that all of them write excludes none, and if
        // no release is left, there is none to exclude.
        if let Some(identity) = &self.releases.identity
            && (identity.is_mixed() || accepted.is_some_and(|a| fast_path.is_no_news(a, context)))
        {
            return Left::Nothing;
        }
        let is_right = accepted.is_some_and(|accepted| fast_path.is_right(accepted, context));
        if !is_right || self.releases.release().is_none() {
            return Left::All;
        }
        match (duplicates.is_empty(), context.writer) {
            (true, _) => Left::Nothing,
            // Only the duplicate keys of a message of Codex are left to report.
            (false, Some(Writer::Codex)) => Left::Duplicates,
            (false, _) => Left::All,
        }
    }
}
