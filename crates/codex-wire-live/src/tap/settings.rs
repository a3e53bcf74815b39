//! How traffic is tapped.

use std::fmt;
use std::time::Instant;

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Limits, Step, Stream};

use crate::notice::Notices;
use crate::recorder::Recorder;

/// How many bytes may wait to be checked.
pub(crate) const QUEUE: usize = 32 << 20;

/// What stands between a client and Codex: on the pipes of a command that it [runs](Tap::run), or on the
/// sockets of an app-server, where it [listens](Tap::listen).
pub struct Tap<'c> {
    pub(crate) checker: &'c Checker,
    pub(crate) name: String,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) release: Option<String>,
    pub(crate) longest: usize,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) notices: Notices,
    pub(crate) passes_signals: bool,
    pub(crate) begun: Instant,
    observer: Option<Observer<'c>>,
}

/// Somebody who sees every line.
type Observer<'c> = Box<dyn FnMut(&Step<'_>) + Send + 'c>;

impl<'c> Tap<'c> {
    /// Checks the traffic under this name. Times are counted from now on.
    pub fn new(checker: &'c Checker, name: impl Into<String>) -> Self {
        Tap {
            checker,
            name: name.into(),
            protocol: None,
            release: None,
            longest: Limits::default().line_bytes,
            recorder: None,
            notices: Notices::ignored(),
            passes_signals: false,
            begun: Instant::now(),
            observer: None,
        }
    }

    /// The protocol, if it is known; else the first message shows it.
    #[must_use]
    pub fn protocol(mut self, protocol: Option<Protocol>) -> Self {
        self.protocol = protocol;
        self
    }

    /// The release that a recording names, if it is known; else the first answer of an app-server says it.
    #[must_use]
    pub fn release(mut self, release: Option<String>) -> Self {
        self.release = release;
        self
    }

    /// How many bytes of a line are recorded and checked. That is a limit of the checker, too.
    #[must_use]
    pub fn longest_line(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Records the traffic. What is in the file stays there until the command runs.
    #[must_use]
    pub fn recorder(mut self, recorder: Option<Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Where notices go; if it is not set, nowhere.
    #[must_use]
    pub fn notices(mut self, notices: Notices) -> Self {
        self.notices = notices;
        self
    }

    /// Passes signals that end a program, or that it handles, on to the command as long as it runs. From then
    /// on, this process does not handle them in any other way.
    #[must_use]
    pub fn passing_signals(mut self) -> Self {
        self.passes_signals = true;
        self
    }

    /// Lets somebody see every line once it was checked, on the thread that takes the findings.
    #[must_use]
    pub fn observed_by(mut self, observer: impl FnMut(&Step<'_>) + Send + 'c) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// The check of the traffic.
    pub(crate) fn stream(&mut self) -> Stream<'c> {
        let stream = self.checker.stream(&self.name);
        match self.observer.take() {
            Some(observer) => stream.observed_by(observer),
            None => stream,
        }
    }
}

impl fmt::Debug for Tap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Tap");
        out.field("name", &self.name).finish_non_exhaustive()
    }
}
