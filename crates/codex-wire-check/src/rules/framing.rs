//! Rules about lines: encoding, line ends, JSON syntax.

use crate::rule::{Exception, Status, rules, since, v};
use crate::severity::Severity;

/// What is known of rules that no release is known to break.
const EVERYWHERE: &str = "No recorded stream of any release breaks it.";

rules! {
    BAD_RECORD {
        demands: "records of a transcript have the format's shape",
        id: "framing/bad-record",
        reading: "A line of a recording says what happened: `start`, `connected`, `line`, `closed` \
            or `exit`. One that has the kind of a record but not its members cannot be taken \
            apart, so what it holds is not checked. The recorder is to blame, not Codex.",
        evidence: "The format is this project's own.",
    }
    BLANK_LINE {
        demands: "every line holds a message; Codex writes no blank lines",
        id: "framing/blank-line",
        level: Severity::Warning,
        reading: "Readers that take every line for a message stumble over a blank one. It \
            usually comes from whatever copied the stream.",
        evidence: EVERYWHERE,
    }
    BOM {
        demands: "the stream does not begin with a byte order mark",
        id: "framing/bom",
        level: Severity::Warning,
        reading: "A byte order mark is no JSON, and the first line fails in strict readers. \
            Some Windows shells and editors put it there.",
        evidence: EVERYWHERE,
    }
    CRLF {
        demands: "lines end with a line feed alone",
        id: "framing/crlf",
        level: Severity::Warning,
        reading: "JSON readers take a carriage return for white space, others do not. It comes \
            from a conversion of line endings on the way.",
        evidence: EVERYWHERE,
    }
    CUT_LINE {
        demands: "the last line is complete",
        id: "framing/cut-line",
        reading: "The stream ends in the middle of a message: the writer was killed, or the copy \
            is not whole. Codex writes a message and its line feed at once.",
        evidence: "Every recorded stream that is not empty ends with a line feed, those of \
            killed processes included.",
    }
    DOUBLED_ID {
        demands: "a web search carries the key `id` once; releases from 0.92.0 write it twice, \
            with the item's id first and the search's second",
        id: "framing/duplicate-id",
        level: Severity::Warning,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: since(v(92)),
            of: &["web_search"],
            level: Some(Severity::Warning),
            seen: "every web search is written so",
        }],
        reading: "This is a defect of Codex. Most JSON readers keep the last of two equal keys \
            and so lose the item's id; strict ones refuse the line. A reader that wants both \
            has to look at the text.",
        evidence: "Every recorded web search from 0.92.0 on doubles it, none before.",
    }
    DUPLICATE_KEY {
        demands: "an object carries each key once",
        id: "framing/duplicate-key",
        reading: "Readers disagree about which of two equal keys counts, so they read different \
            messages. Web searches from 0.92.0 on are the known case and have a rule of their \
            own, `framing/duplicate-id`.",
        evidence: EVERYWHERE,
    }
    INVALID_UTF8 {
        demands: "lines are UTF-8",
        id: "framing/invalid-utf8",
        reading: "JSON is UTF-8. Codex replaces bytes that are not before it writes them, so \
            invalid ones come from elsewhere: another program on the same pipe, or a copy that \
            changed the encoding.",
        evidence: "Commands that write random bytes were recorded in every release; their output \
            arrives as U+FFFD.",
    }
    LINE_TOO_LONG {
        demands: "no line is longer than the limit (`--max-line-bytes`)",
        id: "framing/line-too-long",
        reading: "The limit protects the checker's memory. A longer line is passed over, and \
            rules about what follows from it are held back.",
        evidence: "The longest recorded line has about 1.07 MB.",
    }
    MALFORMED_JSON {
        demands: "every line is one JSON value",
        id: "framing/malformed-json",
        reading: "The line cannot be read at all. Often it is not from Codex: a log line, a \
            prompt of a shell, two programs writing to one pipe. What the line held is lost, so \
            rules about missing starts and ends are held back for the rest of the stream.",
        evidence: EVERYWHERE,
    }
    NOT_AN_OBJECT {
        demands: "every line is a JSON object",
        id: "framing/not-an-object",
        reading: "Messages are objects in all protocols. A number, a text or an array on a line \
            of its own was not written as a message.",
        evidence: EVERYWHERE,
    }
    NUL_BYTE {
        demands: "lines hold no NUL bytes",
        id: "framing/nul-byte",
        reading: "Within JSON text a NUL is written as `\\u0000`. A bare one is what a file \
            system leaves of a file that was not written to its end.",
        evidence: EVERYWHERE,
    }
    TOO_MANY_VALUES {
        demands: "no message with a fault has more values than are looked at (`--max-values`)",
        id: "framing/too-many-values",
        reading: "The limit protects the checker's memory. A message that is right may have any number \
            of values. Of one that is not, those beyond the limit are not held against the schema, so \
            there may be more wrong with it than is told.",
        evidence: "The recorded message with the most values has 1,725 of them.",
    }
    TOO_DEEP {
        demands: "values are not nested beyond the limit (`--max-depth`)",
        id: "framing/too-deep",
        reading: "Deep nesting exhausts the stack of readers. Codex writes a few levels; \
            arguments of tools may hold more.",
        evidence: "The deepest recorded message has fewer than 20 levels.",
    }
}
