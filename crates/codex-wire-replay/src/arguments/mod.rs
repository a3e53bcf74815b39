//! The command line of `codex`, as each release takes it.
