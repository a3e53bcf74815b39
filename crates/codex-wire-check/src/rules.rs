//! The rules: what each demands and how severe a breach is unless the user says otherwise.

use std::fmt;

use crate::finding::Severity;

/// Something a transcript has to respect.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its stable name: `frame/…` for lines, `shape/…` for messages.
    pub id: &'static str,
    /// How severe a breach is by default.
    pub level: Severity,
    /// What it demands, in one sentence.
    pub demands: &'static str,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

macro_rules! rules {
    ($($name:ident = $id:literal, $level:ident, $demands:literal;)*) => {
        $(
            #[doc = $demands]
            pub static $name: Rule = Rule {
                id: $id,
                level: Severity::$level,
                demands: $demands,
            };
        )*

        /// All rules, by name within their group.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    BAD_RECORD = "frame/bad-record", Deny,
        "records of a transcript have the format's shape";
    BLANK_LINE = "frame/blank-line", Warn,
        "every line holds a message; Codex writes no blank lines";
    BOM = "frame/bom", Warn,
        "the stream does not begin with a byte order mark";
    CRLF = "frame/crlf", Warn,
        "lines end with a line feed alone";
    CUT_LINE = "frame/cut-line", Deny,
        "the last line is complete";
    DOUBLED_ID = "frame/doubled-id", Warn,
        "a web search carries the key `id` once; releases from 0.92.0 write it twice, with the \
         item's id first and the search's second";
    DUPLICATE_KEY = "frame/duplicate-key", Deny,
        "an object carries each key once";
    INVALID_UTF8 = "frame/invalid-utf8", Deny,
        "lines are UTF-8";
    LINE_TOO_LONG = "frame/line-too-long", Deny,
        "no line is longer than the limit (`--max-line-bytes`)";
    MALFORMED_JSON = "frame/malformed-json", Deny,
        "every line is one JSON value";
    NOT_AN_OBJECT = "frame/not-an-object", Deny,
        "every line is a JSON object";
    NUL_BYTE = "frame/nul-byte", Deny,
        "lines hold no NUL bytes";
    TOO_DEEP = "frame/too-deep", Deny,
        "values are not nested beyond the limit (`--max-depth`)";
    MISSING_MEMBER = "shape/missing-member", Deny,
        "members the release always writes are there";
    MIXED_RELEASES = "shape/mixed-releases", Deny,
        "one release can have written all messages of the stream";
    NULL = "shape/null", Deny,
        "members are `null` only where the release writes `null`";
    OUT_OF_RANGE = "shape/out-of-range", Deny,
        "numbers fit the type the release writes them from";
    UNKNOWN_KIND = "shape/unknown-kind", Deny,
        "events, items and actions are of a kind some release writes";
    UNKNOWN_MEMBER = "shape/unknown-member", Deny,
        "objects have only members some release writes (`--profile open` warns)";
    UNKNOWN_VALUE = "shape/unknown-value", Deny,
        "enumerations have only values some release writes";
    WRONG_RELEASE = "shape/wrong-release", Deny,
        "members, kinds and values belong to the release in question, not to another";
    WRONG_SIDE = "shape/wrong-side", Deny,
        "recorded lines are written by the side whose messages they are";
    WRONG_TYPE = "shape/wrong-type", Deny,
        "members have the JSON type the release writes";
}

/// The rule of that name.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}
