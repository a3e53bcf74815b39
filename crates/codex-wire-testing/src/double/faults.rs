//! Tries a client with each fault of a stand-in.
//!
//! No expectations have to be written: what the client shows with a fault is compared with what it shows without.

use std::fmt::{self, Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use codex_wire_base::Protocol;
use codex_wire_replay::faults::{Expectation, FAULTS, Fault, Injection};
use libtest_mimic::{Arguments, Trial};

use super::error::Error;
use super::running::Double;

/// How long a client may take by default.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How a client is tried with faults.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FaultTests {
    /// How long the client may take each time; 20 seconds if that is not said.
    pub timeout: Duration,
}

impl Default for FaultTests {
    fn default() -> Self {
        FaultTests { timeout: TIMEOUT }
    }
}

impl FaultTests {
    /// With 20 seconds for each run of the client.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with so much time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// What a client got wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultFailure {
    /// The client does not do what it should without any fault, so nothing else is decided.
    #[error("without any fault, {0}")]
    Undisturbed(String),
    /// It got some faults wrong: what each test says.
    #[error("{}\n\n{} of {tried} faults are not handled", list(.failures), .failures.len())]
    Faults {
        /// How many faults were tried.
        tried: usize,
        /// The id of each fault, and what is wrong with it.
        failures: Vec<(&'static str, String)>,
    },
    /// Something else went wrong.
    #[error(transparent)]
    Double(#[from] Error),
}

fn list(failures: &[(&'static str, String)]) -> String {
    let texts = failures.iter().map(|(id, text)| format!("{id}: {text}"));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Runs a client with each fault that its protocol has. `client` gets the path of the program `codex`, and returns what
/// the client shows, or how it fails. It is run twice undisturbed, and once with each fault. A fault that has no place
/// in the script, such as one of the second turn where there is one, or in the release, is left out.
///
/// # Errors
/// With all that the client got wrong; if it fails undisturbed, with just that.
pub fn test_faults<T, E>(
    codex: &Double,
    tests: &FaultTests,
    client: impl Fn(&Path) -> Result<T, E> + Send + Sync + 'static,
) -> Result<(), FaultFailure>
where
    T: PartialEq + Debug + Send + 'static,
    E: Display + Send + 'static,
{
    let tried = Tried::begin(codex, tests, client)?;
    let (mut count, mut failures) = (0, Vec::new());
    for fault in tried.faults() {
        let met = tried.fault(codex, fault)?;
        count += usize::from(!matches!(met, Met::NoPlace));
        if let Met::Wrong(failure) = met {
            failures.push((fault.short(), failure));
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(FaultFailure::Faults {
            tried: count,
            failures,
        }),
    }
}

/// The `main` of a test target with `harness = false`: [`test_faults`], with each fault as a test of its own. It ends
/// the process as a test harness does.
pub fn main_with_faults<T, E>(
    codex: Result<Double, Error>,
    tests: &FaultTests,
    client: impl Fn(&Path) -> Result<T, E> + Send + Sync + 'static,
) -> !
where
    T: PartialEq + Debug + Send + Sync + 'static,
    E: Display + Send + Sync + 'static,
{
    let begun = codex.map_err(FaultFailure::Double).and_then(|codex| {
        let tried = Tried::begin(&codex, tests, client)?;
        Ok((Arc::new(codex), Arc::new(tried)))
    });
    let trials = match begun {
        Err(failure) => vec![Trial::test("undisturbed", || Err(failure.into()))],
        Ok((codex, tried)) => {
            let of = |fault: &'static Fault| {
                let (codex, tried) = (Arc::clone(&codex), Arc::clone(&tried));
                Trial::test(fault.short(), move || match tried.fault(&codex, fault)? {
                    Met::Wrong(failure) => Err(failure.into()),
                    Met::Coped | Met::NoPlace => Ok(()),
                })
            };
            tried.faults().into_iter().map(of).collect()
        }
    };
    // The double lives as long as the tests do.
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    conclusion.exit()
}

/// What a client shows, or why it shows nothing.
#[derive(Debug)]
enum Shown<T> {
    Value(T),
    Failure(String),
    /// It did not end in time.
    Hangs,
}

/// What runs a client.
type Client<T, E> = Arc<dyn Fn(&Path) -> Result<T, E> + Send + Sync>;

/// How a client met a fault.
enum Met {
    /// There was no place for it.
    NoPlace,
    /// As it should.
    Coped,
    /// What is wrong with what it showed.
    Wrong(String),
}

/// A client, and what it shows without a fault.
struct Tried<T, E> {
    client: Client<T, E>,
    timeout: Duration,
    protocol: Option<Protocol>,
    value: T,
}

impl<T, E> Tried<T, E>
where
    T: PartialEq + Debug + Send + 'static,
    E: Display + Send + 'static,
{
    /// Runs the client twice without a fault.
    fn begin(
        codex: &Double,
        tests: &FaultTests,
        client: impl Fn(&Path) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<Self, FaultFailure> {
        let client: Client<T, E> = Arc::new(client);
        let wrong = |text: String| Err(FaultFailure::Undisturbed(text));
        let mut protocol = None;
        let mut shown = || -> Result<T, FaultFailure> {
            let double = codex.with_faults::<String>([])?;
            let shown = show(&client, double.path(), tests.timeout);
            let runs = double.runs()?;
            let unexpected = double.unexpected()?;
            protocol = runs.first().and_then(|run| run.protocol.parse().ok());
            // A client may try what a release refuses, and handle that.
            let because = unexpected.first();
            let because = because.map_or(String::new(), |what| format!("; {what}"));
            match shown {
                Shown::Hangs => wrong(hangs(tests.timeout) + &because),
                Shown::Failure(failure) => wrong(format!("the client fails: {failure}{because}")),
                Shown::Value(_) if runs.is_empty() => {
                    wrong("the client does not start the program that it is given".to_owned())
                }
                Shown::Value(value) => Ok(value),
            }
        };
        let (value, second) = (shown()?, shown()?);
        if value != second {
            return Err(FaultFailure::Undisturbed(format!(
                "the client shows something else each time, so nothing can be compared\n  first:  {value:?}\n  \
                 second: {second:?}"
            )));
        }
        Ok(Tried {
            client,
            timeout: tests.timeout,
            protocol,
            value,
        })
    }

    /// The faults that fit what the client speaks.
    fn faults(&self) -> Vec<&'static Fault> {
        let all = FAULTS.iter().copied();
        let fits = |fault: &&Fault| self.protocol.is_none_or(|of| fault.protocols.contains(&of));
        all.filter(fits).collect()
    }

    /// Runs the client with a fault.
    fn fault(&self, codex: &Double, fault: &'static Fault) -> Result<Met, Error> {
        let (inject, expectation) = Injection::to_try(fault).with_company(self.protocol);
        let double = match codex.with_faults(inject.iter().map(Injection::short)) {
            // A release may get no faults of messages: the program says so of the fault, or of one beside it.
            Err(Error::Refused { message }) if message.contains("fault/") => {
                return Ok(Met::NoPlace);
            }
            made => made?,
        };
        let shown = show(&self.client, double.path(), self.timeout);
        if !double.injected()?.iter().any(|id| id == fault.id) {
            return Ok(Met::NoPlace);
        }
        double.end()?;
        let wrong = match (shown, expectation) {
            (Shown::Hangs, _) => Some(hangs(self.timeout)),
            (Shown::Value(value), Expectation::Same | Expectation::SameOrFailure) => {
                let differs = !self.shows_the_same(&value, fault);
                differs.then(|| {
                    format!(
                        "the client shows something else\n  without: {:?}\n  with:    {value:?}",
                        self.value
                    )
                })
            }
            (Shown::Failure(failure), Expectation::Same) => {
                Some(format!("the client fails: {failure}"))
            }
            (Shown::Value(value), Expectation::Failure(_) | Expectation::End) => {
                let same = self.shows_the_same(&value, fault);
                same.then(|| format!("the client shows what it shows without it: {value:?}"))
            }
            (Shown::Failure(_), _) => None,
        };
        let told = |wrong| format!("{}\n  {wrong}\n  {}", fault.summary, fault.client);
        Ok(wrong.map_or(Met::Coped, |wrong| Met::Wrong(told(wrong))))
    }

    /// Whether a value is that of the undisturbed run, except for what the fault puts into texts.
    fn shows_the_same(&self, value: &T, fault: &Fault) -> bool {
        let without = |value: &T| {
            let text = format!("{value:?}");
            fault.residue.iter().fold(text, |text, residue| {
                // As a text shows it, and as such a text is shown.
                let shown = format!("{residue:?}");
                let shown = shown.trim_matches('"');
                text.replace(residue, "").replace(shown, "")
            })
        };
        *value == self.value
            || (!fault.residue.is_empty() && without(value) == without(&self.value))
    }
}

fn hangs(timeout: Duration) -> String {
    format!("the client does not end within {timeout:?}")
}

/// Runs a client in a thread of its own. One that does not end in time is left alone: it ends when its Codex does, or
/// never.
fn show<T, E>(client: &Client<T, E>, path: &Path, timeout: Duration) -> Shown<T>
where
    T: Send + 'static,
    E: Display + Send + 'static,
{
    let (client, path): (_, PathBuf) = (Arc::clone(client), path.to_owned());
    let (shown, shows) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let result = client(&path).map_err(|error| error.to_string());
        // Nobody waits any more if it took too long.
        let _ = shown.send(result);
    });
    match shows.recv_timeout(timeout) {
        Ok(Ok(value)) => Shown::Value(value),
        Ok(Err(failure)) => Shown::Failure(failure),
        Err(mpsc::RecvTimeoutError::Timeout) => Shown::Hangs,
        // A test that panics has failed.
        Err(mpsc::RecvTimeoutError::Disconnected) => Shown::Failure("it panics".to_owned()),
    }
}

impl<T, E> fmt::Debug for Tried<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tried").finish_non_exhaustive()
    }
}
