//! The rules: those of gitleaks, and our own.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

/// The rules of gitleaks 8.30.1, without those for files of some names only.
const GITLEAKS: &str = include_str!("gitleaks.json");

/// How a rule of gitleaks ends a key.
const GITLEAKS_END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;

/// How we end one: in transcripts a key also ends before the next parameter of an address, a bracket, a tag, a colour of a
/// terminal, and letters and signs beyond ASCII. Marks of Markdown and signs that may be a part of a key may stand before the end.
const END: &str = r#"(?:[.:/@%~_*$^]{0,4}(?:[\x60'"\s;,&#?!|>)\]}\\\x1b\x80-\xff]|</|$))"#;

/// Other parts of the rules of gitleaks, and what stands there instead: quotes have backslashes where they stand in others, and
/// names are in backticks, between asterisks and in tables.
const PARTS: [(&str, &str); 3] = [
    (r#"[\s'"]{0,3}"#, r#"[\s'"\\\x60*]{0,6}"#),
    (r#"[\x60'"\s=]{0,5}"#, r#"[\x60'"\s=\\*]{0,8}"#),
    (r"|\|\||:|", r"|\|{1,2}|:|"),
];

/// Our own: what gitleaks does not look for. `(name, regex, words of which one has to be there)`
const OWN: &[(&str, &str, &[&str])] = &[
    (
        HOME,
        // More words may be a part of the name.
        r#"(?i)[/\\](?:home|users)(?:/|\\{1,4})([^/\\\s"'`<>|:;,*?$&(){}\[\]]+)(?:\\{0,4} [\w\x80-\xff][^/\\\s"'`<>|:;,*?$&(){}\[\]]*){0,3}"#,
        &[
            "/home/", "/users/", r"\home\", r"\users\", r"/home\", r"/users\", r"\home/",
            r"\users/",
        ],
    ),
    (
        "mail-address",
        // Some scripts have no spaces: a name in letters of these is one if it has no others, and Latin letters end
        // where these begin.
        concat!(
            r"(?u)((?:[A-Za-z0-9\p{Latin}\p{Greek}\p{Cyrillic}][A-Za-z0-9._%+\p{Latin}\p{Greek}\p{Cyrillic}\p{M}-]*|[\p{L}--\p{Latin}]+)",
            r"@(?:[A-Za-z0-9\p{L}\p{M}-]+\.)+(?:xn--[A-Za-z0-9-]+|\p{Latin}{2,}|[\p{L}\p{M}]{2,}))(?:(?-u:\W)|$)"
        ),
        &["@"],
    ),
    (
        "url-credentials",
        // What has only digits before a slash is a port, unless no host is before it.
        concat!(
            r#"\b[A-Za-z][A-Za-z0-9+.-]*://("#,
            // The last `@` before the path is not part of the password.
            r#"[^/\s"'`<>@:]*:[^/\s"'`<>@]+(?:@[^/?#\s"'`<>@]+)*|"#,
            r#":[0-9]+/[^\s"'`<>@]*|"#,
            r#"[^/\s"'`<>@:\[]*:[0-9]*[^0-9/\s"'`<>@][^\s"'`<>@]*)@"#,
        ),
        &["://"],
    ),
    (
        "openai-key",
        // Their lengths changed more than once.
        r"\b(sk-[A-Za-z0-9_-]*T3BlbkFJ[A-Za-z0-9_-]*)",
        &["t3blbkfj"],
    ),
    (
        "authorization",
        r#"\b(?i:bearer|basic|authorization["']?:[ \t]*["']?token)[ \t]+([A-Za-z0-9+/=._~-]{12,})"#,
        &["bearer", "basic", "authorization"],
    ),
    (
        PASSWORD,
        concat!(
            r#"(?i)(?:passw(?:or)?d|pwd)["'\x60*\\]{0,6}[ \t]*(?:=>|:=|[:=])[ \t]*[*\x60\\]{0,6}[ \t]*"#,
            r#"(?:"([^"\s\\]{8,})|'([^'\s\\]{8,})|"#,
            // A call or an index is code.
            r#"([^"'\x60\s\\()\[\]{}<>\x1b]{8,})(?:["'\x60\s\\)\]}<>\x1b]|$))"#,
        ),
        &["passw", "pwd"],
    ),
    (
        PASSWORD_ARGUMENT,
        // Also in a list of arguments, and in `.netrc`.
        concat!(
            r#"(?i)(?:--passw(?:or)?d(?:[ \t]+|\\{0,3}",[ \t]*\\{0,3}")|\blogin[ \t]+\S+\s+password[ \t]+)"#,
            r#"["'\x60]?([^"'\x60\s\\]{8,})"#,
        ),
        &["--passw", "login"],
    ),
];

/// The rules for passwords with signs that those of gitleaks do not expect, and behind a space.
const PASSWORD: &str = "password";
const PASSWORD_ARGUMENT: &str = "password-argument";

/// The rule whose finds are not sought elsewhere: names of people are words.
pub(super) const HOME: &str = "home-folder";

/// Names in `/home` and `/Users` that are nobody's.
const NOBODY: &[&str] = &["shared", "public", "linuxbrew", "default"];

/// Hosts in documents, where addresses are nobody's.
const NO_HOST: &[&str] = &["example.com", "example.org", "example.net"];

/// In which of the rules a text is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// Those that may need the name of a member before a string. Of ours only passwords do.
    Named,
    /// Those that go over several lines.
    Lines,
}

/// All rules.
pub(super) struct Rules {
    rules: Vec<Rule>,
    /// The words by which rules are chosen.
    words: AhoCorasick,
    /// The rule of each.
    of: Vec<usize>,
    stopwords: Vec<&'static str>,
    allowed: OnceLock<Vec<Regex>>,
    allowed_texts: Vec<String>,
}

/// A rule. Its regular expressions are compiled when they are first needed.
struct Rule {
    id: &'static str,
    text: String,
    regex: OnceLock<Option<Regex>>,
    entropy: f64,
    group: Option<usize>,
    stopwords: Vec<String>,
    allowed: Allowed,
    allowed_matches: Allowed,
}

/// What a find may be without being a secret.
#[derive(Default)]
struct Allowed {
    texts: Vec<String>,
    regexes: OnceLock<Vec<Regex>>,
}

impl Allowed {
    fn has(&self, text: &[u8]) -> bool {
        let regexes = self.regexes.get_or_init(|| compiled(&self.texts));
        regexes.iter().any(|regex| regex.is_match(text))
    }
}

#[derive(Deserialize)]
struct Document<'d> {
    #[serde(borrow)]
    stopwords: Vec<&'d str>,
    allowed: Vec<String>,
    rules: Vec<Read<'d>>,
}

#[derive(Deserialize)]
struct Read<'d> {
    id: &'d str,
    regex: String,
    keywords: Vec<String>,
    #[serde(default)]
    entropy: f64,
    group: Option<usize>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default)]
    allowed: Vec<String>,
    #[serde(default)]
    allowed_matches: Vec<String>,
}

impl Rules {
    pub(super) fn new() -> Self {
        // A test reads the file: it is ours.
        let document: Document<'static> =
            serde_json::from_str(GITLEAKS).unwrap_or_else(|error| unreachable!("{error}"));
        let (mut rules, mut words, mut of) = (Vec::new(), Vec::new(), Vec::new());
        for read in document.rules {
            words.extend(read.keywords);
            of.resize(words.len(), rules.len());
            let end = end(read.id, &read.regex);
            let text = PARTS
                .iter()
                .fold(read.regex, |text, (part, by)| text.replace(part, by));
            rules.push(Rule {
                id: read.id,
                text: between_marks(&text.replace(GITLEAKS_END, &end)),
                regex: OnceLock::new(),
                entropy: read.entropy,
                group: read.group,
                stopwords: read.stopwords,
                allowed: Allowed {
                    texts: read.allowed,
                    ..Allowed::default()
                },
                allowed_matches: Allowed {
                    texts: read.allowed_matches,
                    ..Allowed::default()
                },
            });
        }
        for (id, regex, keywords) in OWN {
            words.extend(keywords.iter().map(|word| (*word).to_owned()));
            of.resize(words.len(), rules.len());
            rules.push(Rule {
                id,
                text: between_marks(regex),
                regex: OnceLock::new(),
                entropy: 0.0,
                group: None,
                stopwords: Vec::new(),
                allowed: Allowed::default(),
                allowed_matches: Allowed::default(),
            });
        }
        Rules {
            words: matcher(&words, true),
            rules,
            of,
            stopwords: document.stopwords,
            allowed: OnceLock::new(),
            allowed_texts: document.allowed,
        }
    }

    /// Finds the secrets in a text: the name of the rule, and where it is.
    pub(super) fn find(
        &self,
        text: &[u8],
        which: Which,
        mut found: impl FnMut(&'static str, Range<usize>),
    ) {
        let mut chosen = vec![false; self.rules.len()];
        let mut left = self.rules.len();
        for word in self.words.find_overlapping_iter(text) {
            let rule = self.of[word.pattern().as_usize()];
            if !std::mem::replace(&mut chosen[rule], true) {
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        let rules = self.rules.iter().zip(chosen);
        for (rule, _) in rules.filter(|(rule, is_chosen)| *is_chosen && rule.is_of(which)) {
            let Some(regex) = rule.regex() else { continue };
            for captures in regex.captures_iter(text) {
                let Some(whole) = captures.get(0) else {
                    continue;
                };
                let group = match rule.group {
                    Some(group) => captures.get(group),
                    // The first that is not empty, as gitleaks takes it.
                    None => captures
                        .iter()
                        .skip(1)
                        .flatten()
                        .find(|group| !group.is_empty()),
                };
                let secret = group.unwrap_or(whole);
                if self.is_secret(rule, whole.as_bytes(), secret.as_bytes()) {
                    let mut secret = secret.range();
                    if rule.id == HOME && is_folder(text, whole.range(), secret.start) {
                        secret.end = whole.end();
                    }
                    found(rule.id, secret);
                }
            }
        }
    }

    fn is_secret(&self, rule: &Rule, whole: &[u8], secret: &[u8]) -> bool {
        let lower = secret.to_ascii_lowercase();
        let has = |word: &str| memchr::memmem::find(&lower, word.as_bytes()).is_some();
        match rule.id {
            HOME => return !NOBODY.iter().any(|name| name.as_bytes() == lower),
            "mail-address" => {
                let is_nobodys = |host| NO_HOST.iter().any(|name| name.as_bytes() == host);
                let host = lower.split(|byte| *byte == b'@').next_back();
                return !lower.starts_with(b"git@") && !host.is_some_and(is_nobodys);
            }
            "authorization" => return !is_word(secret),
            PASSWORD => return is_password(secret) && has_other_sign(secret),
            PASSWORD_ARGUMENT => return is_password(secret),
            "url-credentials" | "openai-key" => return true,
            _ => {}
        }
        let allowed = self.allowed.get_or_init(|| compiled(&self.allowed_texts));
        (rule.entropy == 0.0 || entropy(secret) > rule.entropy)
            && !rule.stopwords.iter().any(|word| has(word))
            && !self.stopwords.iter().any(|word| has(word))
            && !rule.allowed.has(secret)
            && !rule.allowed_matches.has(whole)
            && !allowed.iter().any(|regex| regex.is_match(secret))
    }
}

impl Rule {
    fn is_of(&self, which: Which) -> bool {
        match which {
            Which::All => true,
            Which::Named => {
                let is_own = OWN.iter().any(|(id, ..)| *id == self.id);
                !is_own || [PASSWORD, PASSWORD_ARGUMENT].contains(&self.id)
            }
            Which::Lines => self.id == "private-key",
        }
    }

    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| compile(&self.text)).as_ref()
    }
}

/// Whether what stands before the name of a home folder stands also behind all words that may be a part of it.
fn is_folder(text: &[u8], whole: Range<usize>, name: usize) -> bool {
    let before = &text[whole.start..name];
    let last = before.last();
    let others = before.iter().rposition(|byte| Some(byte) != last);
    let separator = &before[others.map_or(0, |at| at + 1)..];
    text[whole.end..].starts_with(separator)
}

/// Whether it is a word of prose or of the protocol, as `requirements` and `aggregated_output`: a key made by chance
/// hardly has small letters alone.
fn is_word(text: &[u8]) -> bool {
    let in_words = |byte: &u8| byte.is_ascii_lowercase() || b"._-/".contains(byte);
    text.len() <= 64 && text.iter().all(in_words)
}

/// Whether what stands where a password does looks like one, and not like a path, an address, a variable or a word.
fn is_password(text: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    let is_other = text
        .first()
        .is_some_and(|byte| b"/~.$%&{<(-".contains(byte));
    !is_other
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && memchr::memmem::find(text, b"://").is_none()
}

/// Whether a text has signs that the rules of gitleaks expect in no key, before those that may stand behind one.
fn has_other_sign(text: &[u8]) -> bool {
    let behind = |byte: &u8| b".,;:".contains(byte);
    let end = text.iter().rposition(|byte| !behind(byte));
    let is_other = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"_.=-".contains(byte);
    text[..end.map_or(0, |at| at + 1)].iter().any(is_other)
}

/// How a rule ends a key. If the form of the key is known, signs that it never has end it, whatever follows.
fn end(id: &str, regex: &str) -> String {
    if id == "generic-api-key" {
        return END.to_owned();
    }
    let signs: String = ["/", "%"]
        .into_iter()
        .filter(|sign| !regex.contains(sign))
        .collect();
    format!("(?:[*~@$^:{signs}]|{END})")
}

/// A regular expression that finds the same, also between underscores and behind a colour, which ends with a letter.
fn between_marks(regex: &str) -> String {
    let (flags, rest) = match regex.strip_prefix("(?i)") {
        Some(rest) => ("(?i)", rest),
        None => ("", regex),
    };
    let (before, rest) = match rest.strip_prefix(r"\b") {
        Some(rest) => (r"(?:\b|_|\x1b\[[0-9;]*m)", rest),
        None => ("", rest),
    };
    let (rest, after) = match rest.strip_suffix(r"\b") {
        Some(rest) => (rest, r"(?:\b|_)"),
        None => (rest, ""),
    };
    format!("{flags}{before}{rest}{after}")
}

/// Finds words, one within another too.
pub(super) fn matcher(words: &[impl AsRef<[u8]>], in_any_case: bool) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(in_any_case)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(words)
        // There are fewer than it can number.
        .unwrap_or_else(|error| unreachable!("{error}"))
}

fn compiled(texts: &[String]) -> Vec<Regex> {
    texts.iter().filter_map(|text| compile(text)).collect()
}

/// As Go reads it: classes such as `\w` are of ASCII.
fn compile(text: &str) -> Option<Regex> {
    RegexBuilder::new(text)
        .unicode(false)
        .size_limit(64 << 20)
        .build()
        .ok()
}

/// Bits for each byte, as they occur in the text.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let length = text.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    });
    bits.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        let rules = Rules::new();
        assert!(rules.rules.len() > 200, "{} rules", rules.rules.len());
        for rule in &rules.rules {
            assert!(rule.regex().is_some(), "{}", rule.id);
            for allowed in [&rule.allowed, &rule.allowed_matches] {
                assert_eq!(
                    compiled(&allowed.texts).len(),
                    allowed.texts.len(),
                    "{}",
                    rule.id
                );
            }
        }
        let allowed = compiled(&rules.allowed_texts);
        assert_eq!(allowed.len(), rules.allowed_texts.len());
    }
}
