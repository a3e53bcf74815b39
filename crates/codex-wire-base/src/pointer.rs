//! Writes JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// A name as it stands in a pointer, without the slash before it.
pub fn escaped(name: &str) -> Cow<'_, str> {
    match memchr::memchr2(b'~', b'/', name.as_bytes()) {
        None => Cow::Borrowed(name),
        Some(_) => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
    }
}

/// Adds a name to a pointer.
pub fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&escaped(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tildes_and_slashes_are_escaped() {
        let mut pointer = String::new();
        for name in ["params", "a/b", "~1", ""] {
            push(&mut pointer, name);
        }
        assert_eq!(pointer, "/params/a~1b/~01/");
    }
}
