//! What a test program says to play by itself, without an installed `codex-wire`.

/// Plays, and ends the process, if this program was started as the program of a double; otherwise does nothing. It is the
/// first line of `main` of a test target with `harness = false`. Other tests have
/// [`stand_in_program!`](crate::stand_in_program) in its place.
///
/// Only Unix has it: elsewhere a double needs the program `codex-wire`.
pub fn play_if_started() {
    #[cfg(unix)]
    super::process::ask_in_main();
}

/// What the test does that `stand_in_program!` writes.
#[doc(hidden)]
pub fn play_in_test() {
    #[cfg(unix)]
    super::process::ask();
}

/// Lets a test program play by itself, without an installed `codex-wire`. It stands once in each, outside of functions,
/// and becomes a test named `codex_wire_stand_in`, which always passes: what a client starts is that test.
#[macro_export]
macro_rules! stand_in_program {
    () => {
        #[test]
        fn codex_wire_stand_in() {
            $crate::double::play_in_test();
        }
    };
}
