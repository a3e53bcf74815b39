//! Writes and reads the names in JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// A name as it stands in a pointer, without the slash before it.
pub fn escaped(name: &str) -> Cow<'_, str> {
    match memchr::memchr2(b'~', b'/', name.as_bytes()) {
        None => Cow::Borrowed(name),
        Some(_) => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
    }
}

/// A name as it stands in a JSON text, of a segment of a pointer without the slash before it.
pub fn unescaped(segment: &str) -> Cow<'_, str> {
    match segment.contains('~') {
        true => Cow::Owned(segment.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(segment),
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
        let names: Vec<_> = pointer.split('/').skip(1).map(unescaped).collect();
        assert_eq!(names, ["params", "a/b", "~1", ""]);
    }
}
