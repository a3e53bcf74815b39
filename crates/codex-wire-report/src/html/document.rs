//! The frame of a page: what a browser may do with it, and how it looks.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("style.css");

/// What a content security policy names in `style-src`, between quotes, to allow the style sheet of pages:
/// `sha256-…`. A page within another one is under the policy of both.
pub fn style_source() -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(STYLE)))
}

/// Begins a page. The title and the name of what makes it are HTML.
pub(crate) fn begin(out: &mut dyn Write, title: &str, generator: &str) -> io::Result<()> {
    let style_source = style_source();
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{style_source}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"generator\" content=\"{generator}\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
}

/// Ends a page.
pub(crate) fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</main>\n</body>\n</html>")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the style sheet is that of the element.
    #[test]
    fn the_style_sheet_closes_nothing_and_fetches_nothing() {
        assert!(!STYLE.contains('<') && !STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
