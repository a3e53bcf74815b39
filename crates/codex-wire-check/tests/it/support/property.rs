//! Running properties: how often, and what is said when one fails.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::Value;

/// A message as a line of a fixture.
pub(crate) trait AsLine: std::fmt::Debug {
    /// The line.
    fn line(&self) -> String;
}

impl AsLine for Value {
    fn line(&self) -> String {
        self.to_string()
    }
}

impl AsLine for Vec<u8> {
    fn line(&self) -> String {
        String::from_utf8_lossy(self).into_owned()
    }
}

/// Runs a property on `cases` values in a wide run, on a third of them in others, or on as many as
/// `PROPTEST_CASES` says. A failing one is
/// shrunk and printed as a line for a fixture, and its seed is kept in `proptest-regressions`.
///
/// # Panics
/// When a value fails.
#[track_caller]
pub(crate) fn holds<S>(
    source: &'static str,
    cases: u32,
    about: &str,
    values: &S,
    property: impl Fn(S::Value) -> Result<(), String>,
) where
    S: Strategy,
    S::Value: AsLine,
{
    let mut config = Config::with_source_file(source);
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = if sampling::is_wide() {
            cases
        } else {
            cases.div_ceil(3)
        };
    }
    let outcome =
        TestRunner::new(config).run(values, |value| property(value).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => {
            panic!("{about}: {reason}\nas a fixture:\n{}", value.line());
        }
        Err(TestError::Abort(reason)) => panic!("{about}: {reason}"),
    }
}
