//! Traffic while it happens: `tap` and `check --follow`, with helper programs that behave well
//! and badly, and with real binaries of Codex where they were fetched.
//!
//! The helper programs are this binary itself: see [`child`].

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a helper program says something")]

mod child;
#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod otlp;
mod readme;
#[cfg(unix)]
mod real;
#[cfg(unix)]
mod record;
#[cfg(unix)]
mod same;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod sockets;
mod stream;
mod support;
#[cfg(unix)]
mod tap;

use libtest_mimic::{Arguments, Trial};

fn main() -> std::process::ExitCode {
    if let Some(code) = child::main() {
        return code;
    }
    let mut arguments = Arguments::from_args();
    // Programs are waited for more than anything is computed.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads = arguments.test_threads.or(Some(2 * cores));
    let mut trials = stream::trials();
    trials.extend(readme::trials());
    #[cfg(unix)]
    for more in [
        tap::trials(),
        otlp::trials(),
        signals::trials(),
        follow::trials(),
        real::trials(),
        record::trials(),
        same::trials(),
        sockets::trials(),
    ] {
        trials.extend(more);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test by the name of its function.
#[macro_export]
macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        vec![$(libtest_mimic::Trial::test(
            concat!(module_path!(), "::", stringify!($name)).trim_start_matches("live::"),
            || {
                $name();
                Ok(())
            },
        )),*]
    };
}

/// All tests of a module.
pub(crate) type Trials = Vec<Trial>;
