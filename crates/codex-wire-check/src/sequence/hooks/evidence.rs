//! What rules about hooks are about, and how they are known.

use codex_wire_base::MessageSet;

/// What the rules about what hooks print are about.
pub(super) const HOOKS: &[MessageSet] = &[MessageSet::HooksOutput];

/// Evidence of a rule about hooks: what was tried, then `$text`.
macro_rules! tried {
    ($($text:literal)?) => {
        concat!(
            "The programs of all releases from 0.114.0 to 0.169.0 were given such outputs, and said in \
             `hook/completed` what they made of them: `probes/hooks`; `fixtures/hooks-outcomes` has \
             those that were tried one by one.",
            $(" ", $text)?
        )
    };
}

pub(super) use tried;
