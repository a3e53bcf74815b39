//! Recognizes what programs write in place of a value that is not to be seen.

/// What to say of a finding at such a value.
pub(super) const HELP: &str = "the value is a mark of redaction: a program that copied the line put it in place of what was there";

/// Words in brackets, in lower case, that stand for what was taken out.
const WORDS: [&str; 10] = [
    "elided",
    "hidden",
    "masked",
    "omitted",
    "private",
    "redacted",
    "removed",
    "scrubbed",
    "trimmed",
    "truncated",
];

/// Prefixes of hashes in place of a value.
const HASHES: [&str; 5] = ["sha256:", "sha1:", "sha512:", "md5:", "hash:"];

/// How long a mark is at most.
const LONGEST: usize = 160;

/// Whether a value, as it is written in JSON, is a mark: `"[redacted]"`, `"<removed>"`, `"sha256:0f3a…"`,
/// `"[trimmed for fixture]"`, `"***"`.
pub(super) fn is_mark(written: &str) -> bool {
    let text = written
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let Some(text) = text.filter(|text| !text.is_empty() && text.len() <= LONGEST) else {
        return false;
    };
    let text = text.to_ascii_lowercase();
    let is_hash = HASHES.iter().any(|prefix| {
        let digits = text.strip_prefix(prefix).unwrap_or_default();
        digits.len() >= 6
            && digits
                .trim_end_matches(['.', '…'])
                .bytes()
                .all(|b| b.is_ascii_hexdigit())
    });
    let is_masked = text.len() >= 3 && text.bytes().all(|byte| byte == b'*');
    let inside = [('[', ']'), ('<', '>'), ('{', '}'), ('(', ')')]
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    let mut words = inside
        .unwrap_or_default()
        .split(|c: char| !c.is_ascii_alphabetic());
    is_hash || is_masked || text == "redacted" || words.any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::is_mark;

    #[test]
    fn marks_are_recognized() {
        for mark in [
            "[redacted]",
            "[REDACTED]",
            "<redacted:token>",
            "[trimmed for fixture]",
            "{{removed}}",
            "sha256:0f3a9c",
            "sha256:0f3a9c0b…",
            "***",
            "REDACTED",
        ] {
            assert!(is_mark(&format!("\"{mark}\"")), "{mark}");
        }
        for other in [
            "\"\"",
            "\"in_progress\"",
            "7",
            "[]",
            "\"[x]\"",
            "\"sha256:\"",
            "\"sha256:zz\"",
            "\"**\"",
        ] {
            assert!(!is_mark(other), "{other}");
        }
    }
}
