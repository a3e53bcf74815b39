//! Reports messages of a dialect that the stated release does not speak.
//!
//! Validated against that release, they would only be unknown messages. The finding instead says
//! which dialect they are, and in which releases it is spoken.

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, ReleaseSet};
use codex_wire_program::View;

use super::message::Message;
use super::{Run, Source};
use crate::finding::Writer;
use crate::form::Form;
use crate::identify::StreamForm;
use crate::rules;
use crate::scan::locate;

impl Run<'_> {
    /// The form of such a message.
    pub(super) fn unspoken(&mut self, message: View<'_>) -> Option<Form> {
        let release = self.stated.filter(|_| self.identity.is_none())?;
        let protocol = self.checker.options.protocol;
        let found = match (self.unspoken, Form::of(message)?) {
            // A legacy stream goes on with core events behind its two header lines.
            (Some(Form::ExecLegacy), Form::Core) => Form::ExecLegacy,
            (_, found) => found,
        };
        // Whoever states a protocol wants it judged by that.
        let may_be = protocol.is_none_or(|stated| stated == found.protocol());
        let sure = self.unspoken == Some(found) || found.is_sure_of(message);
        if found.speaks(release) || !may_be || !sure {
            return None;
        }
        self.unspoken = Some(found);
        self.unspoken
    }

    /// Says what the message is and where it is right.
    pub(super) fn tell_unspoken(&mut self, source: &Source<'_>, form: Form, message: &Message<'_>) {
        let Some(release) = self.stated else { return };
        let spec = self.checker.spec(form);
        let bits = match form {
            // Which of its messages it is depends on what was asked before.
            Form::AppServer => ReleaseSet::EMPTY,
            _ => {
                let side = form.side_of(message.view, source.from);
                self.writer = Some(match spec.form.surfaces()[side].is_written() {
                    true => Writer::Codex,
                    false => Writer::Client,
                });
                spec.place(side, message.tree())
            }
        };
        let is_placed = !bits.is_empty();
        let range = spec.range(if is_placed { bits } else { spec.all() });
        let grows = form.surfaces()[0].is_current() && range.until == form.timeline().latest();
        let life = Lifetime {
            since: Some(range.since),
            until: Some(range.until).filter(|_: &Release| !grows),
        };
        let about = StreamForm::of(form, range.until).about();
        let what = if is_placed { "valid" } else { "spoken" };
        let text = format!("a message of {about}, {what} in {life}, not in {release}");
        let place = locate(source.text, "", false).unwrap_or(0..source.text.len());
        self.push(&rules::WRONG_RELEASE, source, place, "", text, |finding| {
            finding.releases = is_placed.then_some(life);
        });
    }
}
