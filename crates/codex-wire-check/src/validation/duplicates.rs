//! Reports duplicate keys, except where Codex itself writes them: every web search has two `id`
//! keys.
//!
//! Whether Codex writes a key twice is looked up in the schema. That takes a parsed tree and a walk
//! along the schema, so the answer is kept for the next message of the kind.

use std::rc::Rc;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{Release, ReleaseSet};
use codex_wire_prefilter::View;
use codex_wire_schema::ir::Object;
use serde_json::Value;

use super::validators::Validators;
use crate::attribution::Attributed;
use crate::dialect::Dialect;
use crate::framing::message::Message;
use crate::framing::scan::DuplicateKey;
use crate::phrasing::member;
use crate::pointer::{POINTER_BYTES, begin, push_segment};
use crate::rpc::dress::dressed;
use crate::rule::{Exception, NO_STREAM_BREAKS_IT, Status, since, v};
use crate::rule_macros::rules;
use crate::severity::Severity;
use crate::violation::{Broken, Place, Violation};

/// How many keys are remembered: Codex has one, in events of two kinds.
const MOST: usize = 8;

/// How long their names and tags may be.
const LONGEST: usize = 64;

/// What the schema says of keys that stood twice in items of exec.
#[derive(Default)]
pub(crate) struct KnownDuplicates(Vec<KnownDuplicate>);

/// What the schema says of a key that stood twice in an item of exec.
struct KnownDuplicate {
    by: ReleaseSet,
    key: String,
    /// The tags of the event and of its item: the schema chooses by nothing else.
    tags: [String; 2],
    availability: Option<ReleaseBounds>,
}

/// What the schema says of the object that was asked about last: many keys may be duplicate in one.
#[derive(Default)]
pub(crate) struct LastObject(Option<(Rc<str>, Option<&'static Object>)>);

impl LastObject {
    /// The releases that write a key twice, if any do; `declared` says what is known of its object.
    fn availability(
        &mut self,
        duplicate: &DuplicateKey,
        declared: impl FnOnce() -> Option<&'static Object>,
    ) -> Option<ReleaseBounds> {
        let known = self
            .0
            .as_ref()
            .filter(|(object, _)| Rc::ptr_eq(object, &duplicate.object));
        let object = match known {
            Some((_, object)) => *object,
            None => {
                let object = declared();
                self.0 = Some((Rc::clone(&duplicate.object), object));
                object
            }
        };
        let second = object?.member(&duplicate.key)?.second.as_ref()?;
        Some(second.availability.range)
    }

    /// The releases that write a key of a message of a side twice.
    pub(crate) fn of_tree(
        &mut self,
        validators: &Validators,
        side: Option<usize>,
        by: ReleaseSet,
        message: &Value,
        duplicate: &DuplicateKey,
    ) -> Option<ReleaseBounds> {
        self.availability(duplicate, || {
            validators.object(side, by, message, &duplicate.object)
        })
    }
}

impl KnownDuplicates {
    /// The releases that write a key of a message twice, which the fast path has accepted.
    pub(crate) fn of_message(
        &mut self,
        validators: &Validators,
        attributed: &Attributed<'_, '_>,
        by: ReleaseSet,
        last: &mut LastObject,
        duplicate: &DuplicateKey,
    ) -> Option<ReleaseBounds> {
        let Attributed {
            side,
            message,
            call,
            ..
        } = attributed;
        let side = *side;
        if let Some(tags) = of_item(validators.ranges().dialect, message.view, duplicate) {
            return self.of_item(validators, side, by, message, duplicate, tags);
        }
        last.availability(duplicate, || {
            let message = dressed(call.as_ref(), message.line.hook, message.tree());
            validators.object(side, by, &message, &duplicate.object)
        })
    }

    /// The releases that write a key of an item twice, which is asked of the schema once.
    fn of_item(
        &mut self,
        validators: &Validators,
        side: Option<usize>,
        by: ReleaseSet,
        message: &Message<'_>,
        duplicate: &DuplicateKey,
        tags: [&str; 2],
    ) -> Option<ReleaseBounds> {
        let fits = |known: &&KnownDuplicate| {
            known.by == by && known.key == duplicate.key && known.tags == tags
        };
        if let Some(known) = self.0.iter().find(fits) {
            return known.availability;
        }
        let availability =
            LastObject::default().of_tree(validators, side, by, message.tree(), duplicate);
        if [duplicate.key.as_str(), tags[0], tags[1]]
            .iter()
            .any(|text| text.len() > LONGEST)
        {
            return availability;
        }
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.push(KnownDuplicate {
            by,
            key: duplicate.key.clone(),
            tags: tags.map(str::to_owned),
            availability,
        });
        availability
    }
}

/// What is wrong with a duplicate key that some releases write, in a message that `newest` could have
/// written. Where it is not shown, its place is left out.
pub(crate) fn violation_of(
    key: &DuplicateKey,
    is_shown: bool,
    availability: Option<ReleaseBounds>,
    newest: Release,
) -> Violation {
    let mut pointer = String::new();
    if is_shown {
        pointer.push_str(&key.object);
        push_segment(&mut pointer, begin(&key.key, POINTER_BYTES + 1));
    }
    let place = Place {
        range: Some(key.second.clone()),
        ..Place::last(pointer)
    };
    let name = member(&key.key);
    let availability = availability.filter(|_| key.times == 2);
    if availability.is_some_and(|availability| availability.contains(newest)) {
        return DuplicateId { name }.at_place(place).help(
            "a defect of Codex since 0.92.0: the first is the item's id, the second the \
             search's; most JSON readers keep only the second",
        );
    }
    let violation = match key.times {
        2 => KeyTwice { name }.at_place(place),
        times => KeyTimes { name, times }.at_place(place),
    };
    Violation {
        further: key.further,
        ..violation.valid_in(availability)
    }
}

/// The tags of an event of exec and of its item, if that is where a key stands twice.
fn of_item<'a>(
    dialect: Dialect,
    message: View<'a>,
    duplicate: &DuplicateKey,
) -> Option<[&'a str; 2]> {
    let is_item = dialect == Dialect::Exec && &*duplicate.object == "/item";
    let item = message.get("item").filter(|_| is_item)?;
    Some([message.get_str("type")?, item.get_str("type")?])
}

rules! {
    DUPLICATE_ID {
        summary: "a web search has the key `id` once; Codex 0.92.0 and later write it twice, \
            first with the id of the item, then with the id of the search",
        id: "framing/duplicate-id",
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: since(v(92)),
            of: &["web_search"],
            level: Some(Severity::Warning),
            seen: "every web search has two `id` keys",
        }],
        explanation: "This is a defect of Codex, and a client cannot prevent it. Most JSON parsers \
            keep only the last of two equal keys and so lose the id of the item; strict parsers \
            reject the line. To get both ids, read the raw line. To hide the warning, use \
            `--allow framing/duplicate-id`.",
        evidence: "Every recorded web search of 0.92.0 and later has two `id` keys; earlier ones \
            have one.",
    } => {
        DuplicateId { name: String }: "the key {name} occurs twice",
    }
    DUPLICATE_KEY {
        summary: "an object has each key once",
        id: "framing/duplicate-key",
        explanation: "Parsers disagree about which of two equal keys counts, so two programs read \
            two different messages. Web searches of 0.92.0 and later are a known case with a \
            rule of their own, `framing/duplicate-id`.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        KeyTwice { name: String }: "the key {name} occurs twice",
        KeyTimes { name: String, times: usize }: "the key {name} occurs {times} times",
    }
}
