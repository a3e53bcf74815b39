//! The release that Codex says it is.

use codex_wire_base::Release;
use serde_json::Value;

/// The release in the answer to `initialize`, as it is written there: `userAgent` is
/// `client/0.125.0 (Debian 12.0.0; x86_64) …`.
pub(crate) fn of_answer(line: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let agent = message["result"]["userAgent"].as_str()?;
    Some(Release::in_user_agent(agent)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_an_answer() {
        let answer = |agent: &str| {
            of_answer(format!(r#"{{"id":1,"result":{{"userAgent":"{agent}"}}}}"#).as_bytes())
        };
        let agent = "my/client/0.98.0 (Debian 12.0.0; x86_64) dumb (my/client; 1.0.0)";
        assert_eq!(answer(agent).as_deref(), Some("0.98.0"));
        assert_eq!(answer("client"), None);
        assert_eq!(of_answer(br#"{"id":1,"result":{}}"#), None);
        assert_eq!(of_answer(b"0.98.0"), None);
    }
}
