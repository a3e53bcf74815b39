//! What the rules of session files are about, and what they were checked against.

use codex_wire_base::{MessageSet, Release};

/// Session files with an envelope.
pub(crate) const LINES: &[MessageSet] = &[MessageSet::Rollout];

/// Session files without one.
pub(crate) const EARLY: &[MessageSet] = &[MessageSet::RolloutEarly];

/// All session files.
pub(crate) const FILES: &[MessageSet] = &[MessageSet::Rollout, MessageSet::RolloutEarly];

/// The last recorded release in which legacy threads were the rule for every kind of session.
pub(crate) const LAST_LEGACY: Release = Release::new(0, 150, 1);

/// What the rules about session files were checked against.
macro_rules! files {
    ($text:literal) => {
        concat!(
            "Checked on 596 session files of 28 releases from 0.21.0 to 0.169.0, on 56 that another \
             release resumed, forked or migrated, and on 1,710 of 40 releases that are not kept. ",
            $text
        )
    };
}

/// What newer rules about session files were checked against.
macro_rules! kept {
    ($text:literal) => {
        concat!(
            "Checked on 801 session files of 30 releases from 0.21.0 to 0.169.0, and on 56 that another \
             release resumed, forked or migrated. ",
            $text
        )
    };
}

pub(super) use {files, kept};
