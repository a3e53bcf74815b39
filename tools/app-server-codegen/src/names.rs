//! Converts names from the wire's spelling to Rust's.

/// `thread/start`, `item_completed` and `workspace-write` in PascalCase.
pub fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut up = true;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            up = true;
        } else if up {
            out.extend(c.to_uppercase());
            up = false;
        } else {
            out.push(c);
        }
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'N');
    }
    out
}

/// A member's name in snake_case, safe as a Rust identifier.
pub fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
        } else {
            let next_is_lower = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
            let word_begins = c.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && next_is_lower));
            if word_begins && !out.ends_with('_') {
                out.push('_');
            }
            out.extend(c.to_lowercase());
        }
        before = c;
    }
    out
}

/// What tells a name from another that is the same in PascalCase.
pub fn spelling(tag: &str) -> &'static str {
    if tag.contains('_') {
        "Snake"
    } else if tag.contains('-') {
        "Kebab"
    } else if tag.contains('/') {
        "Path"
    } else if tag.starts_with(|c: char| c.is_ascii_uppercase()) {
        "Pascal"
    } else {
        "Camel"
    }
}

/// The words that are reserved in Rust.
const KEYWORDS: &str = "\
    abstract as async await become box break const continue do dyn else enum extern false \
    final fn for gen if impl in let loop macro macro_rules match mod move mut override priv \
    pub ref return static struct trait true try type typeof unsafe unsized use virtual where \
    while yield";

/// Whether a word is reserved in Rust.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_of_the_wire_become_those_of_rust() {
        for (name, expected) in [
            ("thread/start", "ThreadStart"),
            ("item_completed", "ItemCompleted"),
            ("workspace-write", "WorkspaceWrite"),
            ("W3cTraceContext", "W3cTraceContext"),
            ("1080p", "N1080p"),
        ] {
            assert_eq!(pascal(name), expected);
        }
        for (name, expected) in [
            ("threadId", "thread_id"),
            ("emittedAtMs", "emitted_at_ms"),
            ("mcpServerURLs", "mcp_server_ur_ls"),
            ("HTTPStatus", "http_status"),
            ("_meta", "meta"),
            ("already_snake", "already_snake"),
        ] {
            assert_eq!(snake(name), expected);
        }
        assert!(is_keyword("type") && !is_keyword("kind"));
    }
}
