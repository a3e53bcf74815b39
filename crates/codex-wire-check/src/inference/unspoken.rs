//! Reports messages of a dialect that the stated release does not speak.
//!
//! Validated against that release, they would only be unknown messages. The finding instead says
//! which dialect they are, and in which releases it is spoken.

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{Release, ReleaseSet};

use super::identification::StreamDialect;
use super::releases::Inference;
use crate::dialect::Dialect;
use crate::framing::message::Message;
use crate::rule::EVERY_MESSAGE_FITS;
use crate::rule_macros::rules;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// The writer of such a message, as far as it is known, and the violation: what the message is and
/// where it is valid.
pub(crate) fn unspoken(
    inference: &Inference,
    message: &Message<'_>,
    stated: Release,
) -> (Option<Writer>, Violation) {
    let ranges = inference.ranges();
    let dialect = ranges.dialect;
    let (writer, bits) = match dialect {
        // Which of its messages it is depends on what was asked before.
        Dialect::AppServer => (None, ReleaseSet::EMPTY),
        _ => {
            let side = dialect.side_of(message.view, message.line.origin.stated_writer);
            let writer = dialect.writer_of(side);
            (Some(writer), inference.of(side, message.tree()))
        }
    };
    let is_inferred = !bits.is_empty();
    let range = ranges.range(if is_inferred { bits } else { ranges.all() });
    let grows =
        dialect.message_sets()[0].is_current() && range.until == dialect.release_list().latest();
    let releases = ReleaseBounds {
        since: Some(range.since),
        until: Some(range.until).filter(|_: &Release| !grows),
    };
    let about = StreamDialect::of(dialect, range.until).about();
    let violation = match is_inferred {
        true => ValidElsewhere {
            about,
            releases,
            stated,
        }
        .at_last("")
        .valid_in(Some(releases)),
        false => SpokenElsewhere {
            about,
            releases,
            stated,
        }
        .at_last(""),
    };
    (writer, violation)
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
    } => {
        ValidElsewhere { about: &'static str, releases: ReleaseBounds, stated: Release }:
            "a message of {about}, valid in {releases}, not in {stated}",
        SpokenElsewhere { about: &'static str, releases: ReleaseBounds, stated: Release }:
            "a message of {about}, spoken in {releases}, not in {stated}",
    }
}
