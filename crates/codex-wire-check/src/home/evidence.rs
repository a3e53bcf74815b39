//! What the rules about a home were checked on.

/// Evidence: the homes that the rules were checked on, then `$text`.
macro_rules! homes {
    ($text:literal) => {
        concat!(
            "Checked on 621 homes that Codex left: those of all scenes of `cargo xtask record` with 8 releases from 0.105.0 to \
             0.169.0, 22 in which releases from 0.98.0 on went on with the threads of each other, and 55 of which Codex was killed. ",
            $text
        )
    };
}

pub(super) use homes;
