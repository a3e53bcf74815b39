//! A run of a hook: what it read, what it printed, and how it ended.
//!
//! What a hook prints is a message only if it is a JSON object. Which of its forms means what depends
//! on the event.

use codex_wire_base::lines::Line;
use serde_json::Value;

use super::Pipeline;
use super::observed::About;
use crate::diagnostics::report;
use crate::dialect::Dialect;
use crate::framing::record::{HookRun, Printed};
use crate::line::{Origin, Text};
use crate::phrasing::Word;
use crate::sequence::hooks::{OtherEvent, run};
use crate::violation::Broken;
use crate::writer::Writer;

impl Pipeline<'_> {
    /// A run of a hook, as a record.
    pub(super) fn hook_run(&mut self, text: Text<'_>, run: &HookRun<'_>) {
        if let Some(stdin) = run.stdin {
            self.inner(text.inner(stdin, Some(Writer::Codex), None), Vec::new());
        }
        if let Some(printed) = &run.printed {
            let inner = text.inner(printed.stdout, Some(Writer::Client), None);
            self.hook_output(inner, run.event, printed);
        }
    }

    /// Checks all that a hook read, as one line. If its event is given, another one is reported.
    pub(crate) fn hook_input(&mut self, line: &Line<'_>, text: &str, event: Option<&str>) {
        self.framing.next_line(line);
        let text = Text::new(Origin::of(line, Some(Writer::Codex)), text);
        self.inner(text, Vec::new());
        let input: Option<Value> = serde_json::from_str(text.text).ok();
        let named = input
            .as_ref()
            .and_then(|input| input["hook_event_name"].as_str());
        if let (Some(named), Some(event)) = (named, event)
            && named != event
            && self.attribution.dialect.enter(Dialect::Hooks).is_some()
        {
            let other = OtherEvent {
                named: Word::of(named),
                event: event.to_owned(),
            };
            let line = report::ReportedLine {
                text,
                protocol: Dialect::Hooks.protocol(),
                message: Some(self.framing.messages),
                writer: Some(Writer::Codex),
            };
            let violations = vec![other.at("/hook_event_name")];
            let possible = self.possible();
            self.diagnostics.report(line, violations, &possible);
        }
    }

    /// Checks all that a hook printed, as one line.
    pub(crate) fn hook_document(&mut self, line: &Line<'_>, event: &str, printed: &Printed<'_>) {
        self.framing.next_line(line);
        let origin = Origin::of(line, Some(Writer::Client));
        self.hook_output(Text::new(origin, printed.stdout), event, printed);
    }

    /// What a hook printed.
    fn hook_output<'a>(&mut self, mut text: Text<'a>, event: &'a str, printed: &Printed<'a>) {
        let Some(is_new) = self.attribution.dialect.enter(Dialect::Hooks) else {
            return self.unrecognized(&text.origin);
        };
        if is_new {
            let ranges = self.checker.inference(Dialect::Hooks).ranges();
            self.releases.restart(ranges);
        }
        text.hook = Some(event);
        let output = printed.stdout.trim();
        let messages = self.framing.messages;
        if run::is_document(event, output, printed) {
            self.inner(text, Vec::new());
        } else if let Some(violation) = run::violation(event, output, printed) {
            let line = report::ReportedLine {
                text,
                protocol: Dialect::Hooks.protocol(),
                message: None,
                writer: Some(Writer::Client),
            };
            let possible = self.possible();
            self.diagnostics.report(line, vec![violation], &possible);
        }
        // What is not an object is an answer all the same.
        if self.framing.messages == messages {
            self.framing.messages += 1;
            self.is_exercised |= self.checks(Some(Writer::Client));
            if let Some(observed) = &mut self.observed {
                let about = About::line(&text.origin, Some(Writer::Client)).printed(event);
                observed.keep(about, || Value::from(output));
            }
        }
    }
}
