//! Replaces secrets in what is recorded.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem::Finder;

/// The character that stands for one of a secret.
const STAR: u8 = b'*';

/// How long an encoded form has to be. A shorter one is in any picture.
const SHORTEST: usize = 8;

/// Secrets that are never recorded.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    forms: Vec<Form>,
}

/// How a secret can stand in a text.
#[derive(Clone, Debug)]
struct Form {
    finder: Finder<'static>,
    /// Whether the characters on each side hold a part of it, too.
    sides: [bool; 2],
}

impl Mask {
    /// A mask of these texts, and of their usual encodings: the escapes of JSON, also of JSON in JSON, percent-encoding,
    /// hexadecimal digits, and Base64 of a text in which they stand anywhere. Line ends within do not hide them.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut forms: BTreeSet<(Vec<u8>, [bool; 2])> = BTreeSet::new();
        for secret in secrets.into_iter().filter(|secret| !secret.is_empty()) {
            let mut quoted = secret.clone();
            for _ in 0..3 {
                forms.insert((quoted.clone().into_bytes(), [false; 2]));
                let text = serde_json::Value::from(quoted).to_string();
                quoted = text[1..text.len() - 1].to_owned();
            }
            let encoded = [escapes(&secret), percent(&secret), hexadecimal(&secret)];
            let encoded = encoded.into_iter().flatten();
            let encoded = encoded.map(|text| (text.into_bytes(), [false; 2]));
            let encoded = encoded.chain(base64(secret.as_bytes()));
            forms.extend(encoded.filter(|(text, _)| text.len() >= SHORTEST));
        }
        let mut forms: Vec<_> = forms.into_iter().collect();
        // Longer ones first: a secret may be a part of another.
        forms.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        let forms = forms.into_iter().map(|(text, sides)| Form {
            finder: Finder::new(&text).into_owned(),
            sides,
        });
        Mask {
            forms: forms.collect(),
        }
    }

    /// The bytes without the secrets.
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let mut out = Cow::Borrowed(bytes);
        if self.forms.is_empty() {
            return out;
        }
        for (start, end) in self.places(bytes) {
            out.to_mut()[start..end].fill(STAR);
        }
        // Programs that encode break lines.
        let (flat, places) = without_line_ends(&out);
        if flat.len() < out.len() {
            for at in self
                .places(&flat)
                .into_iter()
                .flat_map(|(start, end)| start..end)
            {
                out.to_mut()[places[at]] = STAR;
            }
        }
        out
    }

    fn places(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for form in &self.forms {
            let length = form.finder.needle().len();
            let [before, after] = form.sides;
            for start in form.finder.find_iter(bytes) {
                let end = start + length;
                let more = |at: usize| bytes.get(at).copied().is_some_and(is_base64);
                let before = before && start > 0 && more(start - 1);
                let after = after && more(end);
                found.push((start - usize::from(before), end + usize::from(after)));
            }
        }
        found
    }
}

/// A text with each character as an escape of JSON, and with escaped slashes.
fn escapes(secret: &str) -> Vec<String> {
    let mut units = [0; 2];
    let mut lower = String::new();
    for c in secret.chars() {
        for unit in c.encode_utf16(&mut units) {
            lower += &format!("\\u{unit:04x}");
        }
    }
    let upper = lower.to_uppercase().replace('U', "u");
    vec![lower, upper, secret.replace('/', "\\/")]
}

/// A text in percent-encoding: as in a path, in a form, and with every byte encoded.
fn percent(secret: &str) -> Vec<String> {
    let mut all = Vec::new();
    for upper in [true, false] {
        let byte = |byte: u8| match upper {
            true => format!("%{byte:02X}"),
            false => format!("%{byte:02x}"),
        };
        for plain in ["-_.~", "-_.!~*'()", "-_.*", ""] {
            let encoded = secret.bytes().map(|own| {
                let is_plain = own.is_ascii_alphanumeric() || plain.as_bytes().contains(&own);
                match (is_plain && !plain.is_empty(), own) {
                    (true, own) => char::from(own).to_string(),
                    (false, b' ') if plain == "-_.*" => "+".to_owned(),
                    (false, own) => byte(own),
                }
            });
            all.push(encoded.collect());
        }
    }
    all
}

fn hexadecimal(secret: &str) -> Vec<String> {
    let lower: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    vec![lower.to_uppercase(), lower]
}

/// What is the same in Base64 whatever comes before and after: for each number of bytes before, up to three.
fn base64(secret: &[u8]) -> Vec<(Vec<u8>, [bool; 2])> {
    let mut all = Vec::new();
    for before in 0..3 {
        let mut text = vec![0; before];
        text.extend_from_slice(secret);
        // A character has six bits.
        let (start, end) = ((8 * before).div_ceil(6), 8 * text.len() / 6);
        let sides = [8 * before % 6 != 0, 8 * text.len() % 6 != 0];
        for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
            all.extend(
                encoded
                    .as_bytes()
                    .get(start..end)
                    .map(|own| (own.to_vec(), sides)),
            );
        }
    }
    all
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// The bytes without line ends, also those that are escaped, and where each of them stands.
fn without_line_ends(bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut flat, mut places) = (
        Vec::with_capacity(bytes.len()),
        Vec::with_capacity(bytes.len()),
    );
    let mut at = 0;
    while at < bytes.len() {
        let slashes = bytes[at..]
            .iter()
            .take_while(|byte| **byte == b'\\')
            .count();
        let next = bytes.get(at + slashes);
        let is_end = match slashes {
            0 => matches!(next, Some(b'\n' | b'\r')),
            _ => matches!(next, Some(b'n' | b'r')),
        };
        let end = at + slashes + 1;
        if !is_end {
            let end = end.min(bytes.len());
            flat.extend_from_slice(&bytes[at..end]);
            places.extend(at..end);
        }
        at = end;
    }
    (flat, places)
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::*;

    #[test]
    fn secrets_are_starred_wherever_they_are() {
        let mask = Mask::new(["sk-1".to_owned(), "a\"b".to_owned(), String::new()]);
        let masked = mask.bytes(br#"{"a":"sk-1 and sk-1","b":"a\"b","c":"sk-2"}"#);
        assert_eq!(&*masked, br#"{"a":"**** and ****","b":"****","c":"sk-2"}"#);
        let untouched = mask.bytes(b"nothing");
        assert!(matches!(untouched, Cow::Borrowed(_)));
    }

    const KEY: &str = "sk-proj-9f/Q+7_xA?zE>m~w Kb%\"8\\é";

    #[track_caller]
    fn is_masked(mask: &Mask, text: &str) {
        let masked = String::from_utf8(mask.bytes(text.as_bytes()).into_owned());
        let masked = masked.unwrap_or_default();
        let stars = masked.matches('*').count();
        assert!(stars >= KEY.len(), "{text}: {masked}");
        let rest: usize = masked.chars().filter(|c| *c != '*').count();
        assert_eq!(masked.len(), text.len());
        assert!(rest <= 24, "{text}: {masked}");
    }

    #[test]
    fn usual_encodings_are_masked() {
        let mask = Mask::new([KEY.to_owned()]);
        for before in ["", "a", "ab", "abc", "key="] {
            for after in ["", "\n", "..", "..."] {
                let text = format!("{before}{KEY}{after}");
                for engine in [&STANDARD, &URL_SAFE, &STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                    is_masked(&mask, &engine.encode(&text));
                }
            }
        }
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
        is_masked(&mask, &hex);
        is_masked(&mask, &hex.to_uppercase());
        let all = hex.as_bytes().chunks(2);
        let all: String = all
            .map(|two| format!("%{}{}", two[0] as char, two[1] as char))
            .collect();
        is_masked(&mask, &all);
        for quoted in [
            "sk-proj-9f%2FQ%2B7_xA%3FzE%3Em~w%20Kb%25%228%5C%C3%A9",
            "sk-proj-9f%2fQ%2b7_xA%3fzE%3em~w%20Kb%25%228%5c%c3%a9",
            "sk-proj-9f%2FQ%2B7_xA%3FzE%3Em%7Ew+Kb%25%228%5C%C3%A9",
        ] {
            is_masked(&mask, quoted);
        }
        let mut json = KEY.to_owned();
        for _ in 0..3 {
            is_masked(&mask, &json);
            json = serde_json::Value::from(json).to_string();
        }
        let escaped: String = KEY
            .chars()
            .map(|c| format!("\\u{:04x}", c as u32))
            .collect();
        is_masked(&mask, &escaped);
    }

    #[test]
    fn line_ends_hide_nothing() {
        let mask = Mask::new([KEY.repeat(4)]);
        let encoded = STANDARD.encode(KEY.repeat(4));
        for end in ["\n", "\\n", "\\r\\n", "\\\\n"] {
            for width in [4, 19, 60, 76] {
                let lines: Vec<&str> = encoded
                    .as_bytes()
                    .chunks(width)
                    .map(|line| std::str::from_utf8(line).unwrap_or_default())
                    .collect();
                let text = lines.join(end);
                let masked = mask.bytes(text.as_bytes());
                let left = String::from_utf8_lossy(&masked)
                    .replace(end, "")
                    .replace('*', "");
                assert!(left.len() < 3, "{text}: {left}");
            }
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        let mask = Mask::new(["key".to_owned()]);
        let text = b"a2V5 and 6b6579 are short: any picture has them";
        assert!(matches!(mask.bytes(text), Cow::Borrowed(_)));
    }
}
