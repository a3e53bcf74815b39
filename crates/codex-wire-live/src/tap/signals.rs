//! Handles signals: passes them on to the command, and finds out which signal ended it.

use std::process::ExitStatus;

pub(crate) use system::{Signals, ended_by};

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::ExitStatusExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use shared_child::SharedChild;
    use shared_child::unix::SharedChildExt;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;
    use signal_hook::low_level::siginfo::{Cause, Origin};

    use super::ExitStatus;

    /// Passes signals on to the command.
    pub(crate) struct Signals {
        /// Whether the command has exited, so that signals are for us.
        kept: Arc<AtomicBool>,
        came: Arc<AtomicBool>,
    }

    impl Signals {
        /// Starts to pass signals on.
        pub(crate) fn forward(child: &Arc<SharedChild>) -> io::Result<Self> {
            let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
            let mut signals = SignalsInfo::<WithOrigin>::new(wanted)?;
            let (kept, came) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
            let this = Signals {
                kept: Arc::clone(&kept),
                came: Arc::clone(&came),
            };
            let child = Arc::clone(child);
            thread::spawn(move || {
                for origin in signals.forever() {
                    if kept.load(Ordering::Acquire) {
                        came.store(true, Ordering::Release);
                    } else if !is_of_terminal(&origin) {
                        // If the command has just exited, it needs no signal.
                        let _ = child.send_signal(origin.signal);
                    }
                }
            });
            Ok(this)
        }

        /// The command has exited: from now on signals are for us.
        pub(crate) fn keep(&self) {
            self.kept.store(true, Ordering::Release);
        }

        /// Whether a signal came after the command had exited.
        pub(crate) fn came(&self) -> bool {
            self.came.load(Ordering::Acquire)
        }
    }

    /// Whether a terminal sent it. Terminals send signals to the whole process group, so the command
    /// has it already. Many programs exit at once after a second signal.
    fn is_of_terminal(origin: &Origin) -> bool {
        matches!(origin.cause, Cause::Kernel)
    }

    /// The name of the signal that ended a program.
    pub(crate) fn ended_by(status: ExitStatus) -> Option<String> {
        let number = status.signal()?;
        let name = signal_hook::low_level::signal_name(number);
        Some(name.map_or_else(|| number.to_string(), str::to_owned))
    }
}

/// On systems without signals, the console notifies all its programs itself.
#[cfg(not(unix))]
mod system {
    use std::io;
    use std::sync::Arc;

    use shared_child::SharedChild;

    use super::ExitStatus;

    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn forward(_: &Arc<SharedChild>) -> io::Result<Self> {
            Ok(Signals)
        }

        pub(crate) fn keep(&self) {}

        pub(crate) fn came(&self) -> bool {
            false
        }
    }

    pub(crate) fn ended_by(_: ExitStatus) -> Option<String> {
        None
    }
}
