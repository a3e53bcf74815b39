//! Replaces secrets in what is recorded.

use std::borrow::Cow;

use memchr::memmem;

/// The character that stands for one of a secret.
const STAR: u8 = b'*';

/// Secrets that are never recorded.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    secrets: Vec<Vec<u8>>,
}

impl Mask {
    /// A mask of these texts. The forms in which JSON writes them are masked too.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut all = Vec::new();
        for secret in secrets.into_iter().filter(|secret| !secret.is_empty()) {
            let quoted = serde_json::Value::from(secret.as_str()).to_string();
            all.push(quoted.trim_matches('"').as_bytes().to_vec());
            all.push(secret.into_bytes());
        }
        // Longer ones first: a secret may be a part of another.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        Mask { secrets: all }
    }

    /// The bytes without the secrets.
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let mut out = Cow::Borrowed(bytes);
        for secret in &self.secrets {
            let places: Vec<usize> = memmem::find_iter(&out, secret).collect();
            for place in places {
                out.to_mut()[place..place + secret.len()].fill(STAR);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_starred_wherever_they_are() {
        let mask = Mask::new(["sk-1".to_owned(), "a\"b".to_owned(), String::new()]);
        let masked = mask.bytes(br#"{"a":"sk-1 and sk-1","b":"a\"b","c":"sk-2"}"#);
        assert_eq!(&*masked, br#"{"a":"**** and ****","b":"****","c":"sk-2"}"#);
        let untouched = mask.bytes(b"nothing");
        assert!(matches!(untouched, Cow::Borrowed(_)));
    }
}
