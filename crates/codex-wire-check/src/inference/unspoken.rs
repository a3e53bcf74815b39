//! Reports messages of a dialect that the stated release does not speak.
//!
//! Validated against that release, they would only be unknown messages. The finding instead says
//! which dialect they are, and in which releases it is spoken.

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{Release, ReleaseSet};

use super::identification::StreamDialect;
use super::releases::Inference;
use crate::dialect::Dialect;
use crate::dialect::ranges::Ranges;
use crate::framing::message::Message;
use crate::rule::{EVERY_MESSAGE_FITS, rules};
use crate::violation::Violation;
use crate::writer::Writer;

/// The writer of such a message, as far as it is known, and the violation: what the message is and
/// where it is valid.
pub(crate) fn violation(
    (ranges, inference): (&Ranges, &Inference),
    recorded: Option<Writer>,
    message: &Message<'_>,
    stated: Release,
) -> (Option<Writer>, Violation) {
    let dialect = ranges.dialect;
    let (writer, bits) = match dialect {
        // Which of its messages it is depends on what was asked before.
        Dialect::AppServer => (None, ReleaseSet::EMPTY),
        _ => {
            let side = dialect.side_of(message.view, recorded);
            let writer = dialect.writer_of(side);
            (Some(writer), inference.of(side, message.tree()))
        }
    };
    let is_inferred = !bits.is_empty();
    let range = ranges.range(if is_inferred { bits } else { ranges.all() });
    let grows =
        dialect.message_sets()[0].is_current() && range.until == dialect.release_list().latest();
    let availability = ReleaseBounds {
        since: Some(range.since),
        until: Some(range.until).filter(|_: &Release| !grows),
    };
    let about = StreamDialect::of(dialect, range.until).about();
    let what = if is_inferred { "valid" } else { "spoken" };
    let text = format!("a message of {about}, {what} in {availability}, not in {stated}");
    let violation = Violation::new(&WRONG_RELEASE, "", text);
    (
        writer,
        Violation {
            releases: is_inferred.then_some(availability),
            ..violation
        },
    )
}

rules! {
    WRONG_RELEASE {
        summary: "members, kinds and values belong to the release in question, not only to \
            another",
        id: "schema/wrong-release",
        explanation: "This part of the message is valid in other releases, and the finding names \
            them. One of them wrote the message, or a program that imitates one; or `--release` \
            is wrong.",
        evidence: EVERY_MESSAGE_FITS,
    }
}
