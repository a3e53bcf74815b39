//! The registry of rules: every rule, with its text, evidence, releases and default level.
//!
//! Each rule is declared with `rules!` in the file that checks it. Every rule has two transcripts under
//! `fixtures/rules`: one respects it, one breaks it.

use std::sync::LazyLock;

use crate::rule::Rules;
pub use crate::rule::{Exception, Rule, Status};
use crate::{
    attribution, framing, history_base, home, inference, rpc, sequence, validation, with_rollout,
};

/// The rules of each part of this crate.
static PARTS: Rules = Rules::Folder(&[
    &framing::ALL,
    &attribution::ALL,
    &rpc::ALL,
    &inference::ALL,
    &validation::ALL,
    &sequence::ALL,
    &history_base::ALL,
    &with_rollout::ALL,
    &home::ALL,
]);

/// All rules, ordered by their ids.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    PARTS.collect(&mut rules);
    rules.sort_unstable_by_key(|rule| rule.id);
    rules
});

/// The rule with that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    let found = RULES.binary_search_by_key(&id, |rule| rule.id).ok()?;
    RULES.get(found).copied()
}
