//! Rules about single messages: kinds, members, types, values, and who may write them.

use crate::rule::rules;

/// What is known of rules that no release is known to break.
const EVERYWHERE: &str = "Every recorded message of every release fits the schema of its release.";

rules! {
    MISSING_MEMBER {
        demands: "members the release always writes are there",
        id: "schema/missing-member",
        reading: "Typed readers refuse the whole message when a required member is missing. \
            Where the finding names other releases, the writer is one of those, or the stated \
            release is wrong.",
        evidence: EVERYWHERE,
    }
    MIXED_RELEASES {
        demands: "one release can have written all messages of the stream",
        id: "schema/mixed-releases",
        reading: "Each message tells which releases could have written it. Here nothing is left: \
            two streams were joined, or the writer mixes dialects. The messages before decide \
            by which releases the rest is judged.",
        evidence: "Every recorded stream is identified as written by a range that holds its \
            release.",
    }
    NULL {
        demands: "members are `null` only where the release writes `null`",
        id: "schema/null",
        reading: "Absent and `null` are two things on the wire, and which of them is written \
            changed between releases.",
        evidence: EVERYWHERE,
    }
    OUT_OF_RANGE {
        demands: "numbers fit the type the release writes them from",
        id: "schema/out-of-range",
        reading: "Codex writes numbers from integers of a fixed size. A larger one overflows \
            readers with the same types.",
        evidence: EVERYWHERE,
    }
    UNKNOWN_KIND {
        demands: "events, items and actions are of a kind some release writes",
        id: "schema/unknown-kind",
        reading: "Nothing is known of such a message, so nothing else about it is checked. It is \
            a misspelt tag, a kind of a fork, or a kind newer than this program.",
        evidence: EVERYWHERE,
    }
    UNKNOWN_MEMBER {
        demands: "objects have only members some release writes (`--profile open` warns)",
        id: "schema/unknown-member",
        reading: "No release this program knows writes the member there. It is misspelt, at the \
            wrong place, an extension, or newer than this program. The open profile lets it \
            pass with a warning, as readers should.",
        evidence: EVERYWHERE,
    }
    UNKNOWN_VALUE {
        demands: "enumerations have only values some release writes",
        id: "schema/unknown-value",
        reading: "Readers with a closed enumeration refuse the message. The finding lists the \
            values there are.",
        evidence: EVERYWHERE,
    }
    WRONG_RELEASE {
        demands: "members, kinds and values belong to the release in question, not to another",
        id: "schema/wrong-release",
        reading: "What stands there is right in other releases, which the finding names: the \
            writer is one of them, or claims to be.",
        evidence: EVERYWHERE,
    }
    WRONG_SIDE {
        demands: "recorded lines are written by the side whose messages they are",
        id: "schema/wrong-side",
        reading: "In a recording of both directions, a message of Codex stands under the \
            client's name or the other way round. Usually the recorder mixed them up.",
        evidence: "Every recorded conversation keeps them apart.",
    }
    WRONG_TYPE {
        demands: "members have the JSON type the release writes",
        id: "schema/wrong-type",
        reading: "A number where a text belongs, an object where a list belongs, or text that is \
            not in the encoding the release uses. Typed readers refuse the message.",
        evidence: EVERYWHERE,
    }
}
