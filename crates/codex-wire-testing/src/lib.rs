//! Checks transcripts of Codex in the tests of other projects: a test fails if a transcript does not
//! conform.
//!
//! ```
//! use codex_wire_testing::{Options, Protocol, assert_conforms, by_release_folder, check};
//!
//! // Each recording conforms to the release that its folder names: `0.44.0/message.jsonl` and others.
//! assert_conforms("tests/recordings", &by_release_folder(Protocol::Exec));
//!
//! // The findings as data: that recording has not what a later release writes.
//! let later = Options::new().release("0.169.0".parse()?);
//! let outcome = check("tests/recordings/0.44.0/message.jsonl", &later)?;
//! let finding = &outcome.findings[0];
//! assert_eq!(finding.rule.id, "schema/missing-member");
//! assert_eq!((finding.place.line, finding.place.pointer.as_str()), (4, "/usage"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate opens files, starts `codex-wire` or the test itself, and prints as test harnesses do. It must not know how something
//! is checked (`codex-wire-check` does that), put into words (`codex-wire-report`) or played (`codex-wire-live`), nor protocol
//! types or command lines other than those of a test harness and of `codex-wire replay`.
//!
//! # A test for each transcript
//!
//! One line makes every transcript under a folder a named test. In `Cargo.toml`:
//!
//! ```toml
//! [dev-dependencies]
//! codex-wire-testing = "0.1"
//!
//! [[test]]
//! name = "transcripts"
//! harness = false
//! ```
//!
//! and in `tests/transcripts.rs`:
//!
//! ```no_run
//! use codex_wire_testing::Options;
//!
//! fn main() {
//!     codex_wire_testing::main("tests/transcripts", Options::new());
//! }
//! ```
//!
//! `cargo test --test transcripts` then runs one test for each file. `-- --list` lists them, and a
//! word runs only the files with this word in their path. A failed test prints the findings.
//!
//! # Several releases
//!
//! Put transcripts of several releases into folders named after them:
//!
//! ```no_run
//! use codex_wire_testing::{Protocol, by_release_folder};
//!
//! fn main() {
//!     // tests/transcripts/0.44.0/message.jsonl is checked against 0.44.0.
//!     codex_wire_testing::main("tests/transcripts", by_release_folder(Protocol::Exec));
//! }
//! ```
//!
//! # Expected findings
//!
//! List findings that you expect in a [baseline](codex_wire_check::baseline), a TOML file. Each of its
//! entries becomes a test too. It fails when the finding no longer occurs:
//!
//! ```no_run
//! use codex_wire_testing::{Options, main_with_baseline};
//!
//! fn main() {
//!     main_with_baseline("tests/transcripts", Options::new(), "tests/known.toml");
//! }
//! ```
//!
//! The paths in it begin with the folder, as in `tests/transcripts/run.jsonl`. `codex-wire check
//! --baseline tests/known.toml --update-baseline tests/transcripts` writes it.
//!
//! # Inside another test
//!
//! If you do not want a test target for this, one line checks a folder or a file inside an ordinary
//! test.
//! [`assert_conforms`] panics with the findings, [`check`] returns them: the first example has both.
//!
//! # A double of Codex
//!
//! With the feature `double`, a program named `codex` plays in a test, and tells what the client did. `stand_in` plays a
//! recording, and `double::FakeCodex` what the test says. The program `codex-wire` plays, or, with the feature `stand-in`, the
//! test itself:
#![cfg_attr(
    all(unix, feature = "stand-in"),
    doc = include_str!("double/example.md")
)]
#![allow(
    clippy::needless_doctest_main,
    reason = "the examples show a test target with its own main"
)]

#[cfg(feature = "double")]
pub mod double;
mod error;
mod options;
mod transcripts;
mod trials;

use std::path::Path;

use libtest_mimic::Arguments;

pub use codex_wire_base::Protocol;
pub use codex_wire_check::Options;
pub use codex_wire_report::describe;
#[cfg(feature = "double")]
pub use double::stand_in;
pub use error::{BoxError, Error};
pub use options::{NoReleaseFolder, OptionsFor, by_release_folder};
pub use transcripts::{check, transcripts};

/// The `main` of a test target with `harness = false`. It checks every transcript under `folder`, each
/// as a test named after its path there, and ends the process as a test harness does.
///
/// Transcripts are the files that end in `.jsonl`. The path is relative to the folder of the package,
/// where cargo runs tests. A folder without transcripts fails, because a test that checks nothing
/// always passes.
pub fn main(folder: impl AsRef<Path>, options: impl OptionsFor) -> ! {
    trials::run(&Arguments::from_args(), folder.as_ref(), options, None).exit()
}

/// The same as [`main`], with a baseline: findings that the file at `baseline` lists are expected. Each
/// of its entries is a test that fails when the finding no longer occurs.
pub fn main_with_baseline(
    folder: impl AsRef<Path>,
    options: impl OptionsFor,
    baseline: impl AsRef<Path>,
) -> ! {
    let baseline = Some(baseline.as_ref());
    trials::run(&Arguments::from_args(), folder.as_ref(), options, baseline).exit()
}

/// Checks the transcript at `path`, or every transcript under the folder at `path`, as [`main`]
/// finds them.
///
/// # Panics
/// If a transcript does not conform, has no messages or cannot be read, or if a folder has no
/// transcripts. The message has the findings.
#[track_caller]
pub fn assert_conforms(path: impl AsRef<Path>, options: &impl OptionsFor) {
    let path = path.as_ref();
    let checked = match path.is_dir() {
        true => trials::all_conform(path, options),
        false => trials::conforms(path, options),
    };
    if let Err(findings) = checked {
        panic!("{findings}");
    }
}

/// The examples of the README of the repository: they compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
