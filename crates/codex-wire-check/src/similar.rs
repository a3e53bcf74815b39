//! Finds the name that a misspelled one was meant to be.

use strsim::osa_distance;

/// A text longer than any name is not a misspelled name, and is not compared.
const LONGEST: usize = 64;

/// The one of some names that a text was most likely meant to be: written in another style, or with a letter in
/// four that differs, at most three. Of several that are as near, the first.
pub(crate) fn similar<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if text.len() > LONGEST {
        return None;
    }
    let plain = plain(text);
    let allowed = (plain.len() / 4).min(3);
    names
        .map(|name| (osa_distance(&plain, &self::plain(name)), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A name without what differs between styles: `agent_message`, `agentMessage`, `agent.message`.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !"_-./".contains(*c));
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_misspelled_is_found_and_what_is_other_is_not() {
        let names = [
            "agent_message",
            "agent_reasoning",
            "error",
            "mcp_tool_call",
            "todo_list",
        ];
        let meant = |text| similar(text, names.into_iter());
        assert_eq!(meant("agent_mesage"), Some("agent_message"));
        assert_eq!(meant("agentMessage"), Some("agent_message"));
        assert_eq!(meant("agnet.message"), Some("agent_message"));
        assert_eq!(meant("todo-lists"), Some("todo_list"));
        assert_eq!(meant("eror"), Some("error"));
        for other in ["", "err", "warning", "agent", "command_execution"] {
            assert_eq!(meant(other), None, "{other}");
        }
        assert_eq!(meant(&"agent_message".repeat(9)), None);
    }
}
