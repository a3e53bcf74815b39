//! SIGTERM, as the release takes it: since 0.155.0, `codex app-server` ends with status 0. Before, it dies of the
//! signal, as a process does that knows nothing of it.

use codex_wire_base::Release;

use crate::error::Error;

pub(crate) use system::Termination;

/// The first release whose app-server ends by itself.
const SINCE: Release = Release::new(0, 155, 0);

impl Termination {
    /// For a release of `codex app-server`; for the latest one if it is not known.
    pub(crate) fn of_server(release: Option<Release>) -> Result<Self, Error> {
        match release.is_none_or(|release| release >= SINCE) {
            true => Termination::expect().map_err(Error::system("watch for signals")),
            false => Ok(Termination::default()),
        }
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;

    /// How long a session may take to see that it is to end. It may be writing to a client that reads no more.
    const GRACE: Duration = Duration::from_millis(500);

    /// Whether the signal came, as far as it is waited for.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Termination {
        flags: Option<Arc<Flags>>,
    }

    #[derive(Debug, Default)]
    struct Flags {
        came: AtomicBool,
        seen: AtomicBool,
        ignored: AtomicBool,
    }

    impl Termination {
        /// From now on the signal ends the session, and the process if the session does not end.
        pub(super) fn expect() -> io::Result<Self> {
            let flags = Arc::<Flags>::default();
            let mut signals = Signals::new([SIGTERM])?;
            let told = Arc::clone(&flags);
            // It waits until the process ends.
            thread::spawn(move || {
                for _ in signals.forever() {
                    if told.ignored.load(Ordering::Acquire) {
                        continue;
                    }
                    // A second one is for a process that takes too long after its session.
                    if !told.came.swap(true, Ordering::AcqRel) {
                        thread::sleep(GRACE);
                        if told.seen.load(Ordering::Acquire) {
                            continue;
                        }
                    }
                    signal_hook::low_level::exit(0);
                }
            });
            Ok(Termination { flags: Some(flags) })
        }

        /// Whether it is waited for.
        pub(crate) fn is_expected(&self) -> bool {
            self.flags.is_some()
        }

        /// Whether it came. Whoever asks ends the session then.
        pub(crate) fn came(&self) -> bool {
            let came = self
                .flags
                .as_ref()
                .filter(|flags| flags.came.load(Ordering::Acquire));
            came.map(|flags| flags.seen.store(true, Ordering::Release))
                .is_some()
        }

        /// From now on the signal has no effect.
        pub(crate) fn ignore(&self) {
            match &self.flags {
                Some(flags) => flags.ignored.store(true, Ordering::Release),
                // A signal that cannot be ignored is not: the client sees a process that ends.
                None => drop(signal_hook::flag::register(SIGTERM, Arc::default())),
            }
        }
    }
}

/// Other systems have no such signal.
#[cfg(not(unix))]
mod system {
    use std::io;

    #[derive(Clone, Debug, Default)]
    pub(crate) struct Termination;

    impl Termination {
        pub(super) fn expect() -> io::Result<Self> {
            Ok(Termination)
        }

        pub(crate) fn is_expected(&self) -> bool {
            false
        }

        pub(crate) fn came(&self) -> bool {
            false
        }

        pub(crate) fn ignore(&self) {}
    }
}
