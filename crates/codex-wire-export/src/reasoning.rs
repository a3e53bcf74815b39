//! What the model thought.

use codex_wire_session::Reasoning;

/// Reasoning where the model shows it, else its summary.
pub(crate) fn thought(reasoning: &Reasoning) -> &str {
    match reasoning.content.is_empty() {
        true => &reasoning.summary,
        false => &reasoning.content,
    }
}
