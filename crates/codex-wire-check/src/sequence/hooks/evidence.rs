//! What rules about hooks are about, and how they are known.

use codex_wire_base::MessageSet;

/// What the rules about what hooks print are about.
pub(super) const HOOKS: &[MessageSet] = &[MessageSet::HooksOutput];

/// What the rules about what hooks read are about.
pub(super) const INPUTS: &[MessageSet] = &[MessageSet::HooksInput];

/// What the rules about what hooks read were checked against.
macro_rules! recorded {
    ($text:literal) => {
        concat!(
            "Checked on 2,388 inputs in 220 recorded logs of 11 releases from 0.116.0 to 0.169.0. ",
            $text
        )
    };
}

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

pub(super) use {recorded, tried};
