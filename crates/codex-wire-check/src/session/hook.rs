//! A run of a hook: what it read, what it printed, and how it ended.
//!
//! What a hook prints is a message only if it is a JSON object. Which of its forms means what depends
//! on the event.

use super::state::Session;
use crate::dialect::Dialect;
use crate::finding::Severity;
use crate::framing::record::{HookRun, Printed};
use crate::line::LineContext;
use crate::phrasing::shown;
use crate::rules::HOOK_OTHER_EVENT;
use crate::sequence::hooks::effects::refused;
use crate::sequence::hooks::run;
use crate::violation::Violation;
use crate::writer::Writer;
use serde_json::Value;

impl Session<'_> {
    /// A run of a hook, as a record.
    pub(super) fn hook_run(&mut self, context: &LineContext<'_>, run: &HookRun<'_>) {
        if let Some(stdin) = run.stdin {
            self.text(&mut context.inner(stdin, Some(Writer::Codex), None));
        }
        if let Some(printed) = &run.printed {
            let mut inner = context.inner(printed.stdout, Some(Writer::Client), None);
            self.hook_output(&mut inner, run.event, printed);
        }
    }

    /// Reports an input that is of another event than the hook.
    pub(crate) fn expect_event(&mut self, context: &LineContext<'_>, event: &str) {
        let input: Option<Value> = serde_json::from_str(context.text).ok();
        let named = input
            .as_ref()
            .and_then(|input| input["hook_event_name"].as_str());
        if let Some(named) = named.filter(|named| *named != event)
            && self.dialect.enter(Dialect::Hooks).is_some()
        {
            let text = format!("the input is of `{}`, not of `{event}`", shown(named));
            let violation = Violation::new(&HOOK_OTHER_EVENT, "/hook_event_name", text);
            self.report_sequence(context, vec![violation], true);
        }
    }

    /// What a hook printed. `context` has its text.
    pub(crate) fn hook_output<'a>(
        &mut self,
        context: &mut LineContext<'a>,
        event: &'a str,
        printed: &Printed<'a>,
    ) {
        let Some(is_new) = self.dialect.enter(Dialect::Hooks) else {
            return self.unrecognized();
        };
        let spec = self.checker.spec(Dialect::Hooks);
        if is_new {
            self.releases.restart(&spec.ranges);
        }
        context.hook = Some(event);
        context.protocol = Dialect::Hooks.protocol();
        context.writer = Some(Writer::Client);
        let text = printed.stdout.trim();
        let from = self.diagnostics.findings().len();
        let messages = self.messages;
        if run::is_document(event, text, printed) {
            self.text(context);
        } else if let Some(violation) = run::violation(event, text, printed) {
            self.report_sequence(context, vec![violation], false);
        }
        // What is no object is an answer all the same.
        if self.messages == messages {
            self.messages += 1;
            if let Some(observed) = &mut self.observed {
                observed.keep(context, Value::from(text));
            }
        }
        self.diagnostics
            .explain(from, Severity::Error, &refused(event));
    }
}
