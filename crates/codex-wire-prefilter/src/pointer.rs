//! Reads the names in JSON Pointers (RFC 6901), as `codex_wire_base::pointer` does, which this crate must not know.

/// A name as it stands in a JSON text, of a segment of a pointer without the slash before it.
pub(crate) fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
