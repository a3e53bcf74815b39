//! What the rules about a stream and its session file were checked on.

/// Evidence: the pairs that the rules were checked on, then `$text`.
macro_rules! pairs {
    ($text:literal) => {
        concat!(
            "Checked on 589 pairs of a recorded stream and the session files of one of its threads: \
             538 of 22 releases from 0.21.0 to 0.169.0, and 51 of runs in which a release went on \
             with the file of another. Then on 1,463 streams of runs that are not kept: of 29 other \
             releases from 0.23.0 to 0.165.0, and with hooks. ",
            $text
        )
    };
}

pub(super) use pairs;
