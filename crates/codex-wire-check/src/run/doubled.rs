//! Reports duplicate keys, except where Codex itself writes them: every web search has two `id`
//! keys.
//!
//! Whether Codex writes a key twice is looked up in the schema. That takes a parsed tree and a walk
//! along the schema, so the answer is kept for the next message of the kind.

use std::rc::Rc;

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, ReleaseSet};
use codex_wire_program::View;
use codex_wire_schema::lifetime_beside;
use serde_json::Value;

use super::message::Message;
use super::rpc::dressed;
use super::{Run, Source};
use crate::finding::Finding;
use crate::form::{Form, Spec};
use crate::rules;
use crate::scan::{Doubled, POINTER_BYTES, begin, push_segment};
use crate::words::member;

/// How many keys are remembered: Codex has one, in events of two kinds.
const MOST: usize = 8;

/// How long their names and tags may be.
const LONGEST: usize = 64;

/// What the schema says of a key that stood twice in an item of exec.
#[derive(Debug)]
pub(super) struct Second {
    by: ReleaseSet,
    key: String,
    /// The tags of the event and of its item: the schema chooses by nothing else.
    tags: [String; 2],
    life: Option<Lifetime>,
}

/// What the schema says of the members of the object that was asked about last: many keys may be
/// doubled in one.
#[derive(Default)]
struct Seconds(Option<(Rc<str>, Option<&'static Value>)>);

impl Seconds {
    /// The releases that write a key twice, if any do; `members` says what is known of its object.
    fn of(
        &mut self,
        double: &Doubled,
        members: impl FnOnce() -> Option<&'static Value>,
    ) -> Option<Lifetime> {
        let known = self
            .0
            .as_ref()
            .filter(|(object, _)| Rc::ptr_eq(object, &double.object));
        let members = match known {
            Some((_, members)) => *members,
            None => {
                let members = members();
                self.0 = Some((Rc::clone(&double.object), members));
                members
            }
        };
        Some(lifetime_beside(members?.get(&double.key)?.get("x-second")?))
    }
}

impl Run<'_> {
    /// Doubled keys of a message that is right otherwise.
    pub(super) fn doubled_alone(
        &mut self,
        source: &Source<'_>,
        spec: &Spec,
        side: Option<usize>,
        message: &Message<'_>,
        doubled: &[Doubled],
    ) {
        let newest = spec.range(self.possible).until;
        let call = self.call;
        let mut seconds = Seconds::default();
        for double in doubled {
            let life = match of_item(spec, message.view, double) {
                Some(tags) => self.known_second(spec, side, message, double, tags),
                None => {
                    let by = (side, self.possible);
                    seconds.of(double, || {
                        let message = dressed(call.as_ref(), message.tree());
                        spec.members(by, &message, &double.object)
                    })
                }
            };
            self.double(source, newest, double, life);
        }
    }

    /// Doubled keys of a message that these releases could have written.
    pub(super) fn doubled(
        &mut self,
        source: &Source<'_>,
        spec: &Spec,
        (side, by): (Option<usize>, ReleaseSet),
        message: &Value,
        doubled: &[Doubled],
    ) {
        let newest = spec.range(by).until;
        let mut seconds = Seconds::default();
        for double in doubled {
            let life = seconds.of(double, || spec.members((side, by), message, &double.object));
            self.double(source, newest, double, life);
        }
    }

    /// One of them, and which releases write it twice.
    fn double(
        &mut self,
        source: &Source<'_>,
        newest: Release,
        double: &Doubled,
        life: Option<Lifetime>,
    ) {
        self.only_count(&rules::DUPLICATE_KEY, source, double.further);
        let life = life.filter(|_| double.times == 2);
        let (rule, help) = match life.is_some_and(|life| life.contains(newest)) {
            true => (
                &rules::DOUBLED_ID,
                Some(
                    "a defect of Codex since 0.92.0: the first is the item's id, the second the \
                     search's; most JSON readers keep only the second",
                ),
            ),
            false => (&rules::DUPLICATE_KEY, None),
        };
        if self.is_full() {
            return self.only_count(rule, source, 1);
        }
        let mut pointer = double.object.to_string();
        push_segment(&mut pointer, begin(&double.key, POINTER_BYTES + 1));
        let range = double.second.clone();
        let key = member(&double.key);
        let text = match double.times {
            2 => format!("the key {key} stands here twice"),
            times => format!("the key {key} stands here {times} times"),
        };
        let finish = |finding: &mut Finding| {
            finding.releases = life.filter(|_| help.is_none());
            finding.help = help.map(str::to_owned);
        };
        self.push(rule, source, range, &pointer, text, finish);
    }

    /// The releases that write a key of an item twice, which is asked of the schema once.
    fn known_second(
        &mut self,
        spec: &Spec,
        side: Option<usize>,
        message: &Message<'_>,
        double: &Doubled,
        tags: [&str; 2],
    ) -> Option<Lifetime> {
        let by = self.possible;
        let fits =
            |known: &&Second| known.by == by && known.key == double.key && known.tags == tags;
        if let Some(known) = self.seconds.iter().find(fits) {
            return known.life;
        }
        let life = Seconds::default().of(double, || {
            spec.members((side, by), message.tree(), &double.object)
        });
        if [double.key.as_str(), tags[0], tags[1]]
            .iter()
            .any(|text| text.len() > LONGEST)
        {
            return life;
        }
        if self.seconds.len() == MOST {
            self.seconds.clear();
        }
        self.seconds.push(Second {
            by,
            key: double.key.clone(),
            tags: tags.map(str::to_owned),
            life,
        });
        life
    }
}

/// The tags of an event of exec and of its item, if that is where a key stands twice.
fn of_item<'a>(spec: &Spec, message: View<'a>, double: &Doubled) -> Option<[&'a str; 2]> {
    let is_item = spec.form == Form::Exec && &*double.object == "/item";
    let item = message.get("item").filter(|_| is_item)?;
    Some([message.get_str("type")?, item.get_str("type")?])
}
