//! Leaves out what a release does not know.

use std::ops::Range;

use super::part::Unsupported;

/// The text without the parts that a release does not know; `None` if one of them cannot be left out.
///
/// `found` is what was found in this text.
pub fn without(text: &str, found: &[Unsupported]) -> Option<String> {
    let mut cuts: Vec<Range<usize>> = found
        .iter()
        .map(|part| part.cut.clone())
        .collect::<Option<_>>()?;
    cuts.sort_by_key(|cut| cut.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut cuts = cuts.into_iter().peekable();
    while let Some(mut cut) = cuts.next() {
        // A member begins where the one before it ends, and one cut may be within another.
        while let Some(next) = cuts.next_if(|next| next.start <= cut.end) {
            cut.end = cut.end.max(next.end);
        }
        out.push_str(text.get(at..cut.start)?);
        at = cut.end;
        // A member that is not the first begins with its comma. The first one leaves that of the next.
        if out.trim_end().ends_with(['{', '[']) {
            let rest = text.get(at..)?;
            if let Some(behind) = rest.trim_start().strip_prefix(',') {
                at = text.len() - behind.len();
            }
        }
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
