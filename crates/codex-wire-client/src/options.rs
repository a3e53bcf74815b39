//! Settings of a client.

use std::time::Duration;

use codex_wire::app_server::{ClientInfo, InitializeCapabilities, InitializeParams};

use crate::support::OnUnsupported;

/// How many bytes of messages are kept for a turn that is not read while others are.
const LIMIT: usize = 64 << 20;

/// How long an answer may take. Codex asks the network for some.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Who a client is, and what it wants.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The name and version that the client gives in `initialize`. Codex sends them on, in its user agent.
    pub info: ClientInfo,
    /// What the client can take, and the notifications that it does not want.
    pub capabilities: Option<InitializeCapabilities>,
    /// How long a request may wait for its answer; 60 seconds.
    pub timeout: Option<Duration>,
    /// How long a turn may say nothing. Without it, a turn is waited for as long as Codex runs: a command that prints
    /// nothing can run for hours.
    pub silence: Option<Duration>,
    /// How many bytes of messages are kept for a turn that is not read while others are, and of those outside turns that
    /// [`Client::incoming`](crate::Client::incoming) has not taken, and how long a line may be; 64 MiB.
    pub limit: usize,
    /// Whether the program answers requests of Codex that are of no turn that is read, such as one for new tokens:
    /// it gets them from [`Client::incoming`](crate::Client::incoming). Otherwise they are refused at once.
    pub answers_outside: bool,
    /// What becomes of a message with parts that the release of Codex does not know; it is not sent.
    pub on_unsupported: OnUnsupported,
}

impl Options {
    /// For a client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Options {
            info: ClientInfo::new(name, version),
            capabilities: None,
            timeout: Some(TIMEOUT),
            silence: None,
            limit: LIMIT,
            answers_outside: false,
            on_unsupported: OnUnsupported::default(),
        }
    }

    /// The same with these capabilities. Experimental methods and members need `experimental_api`.
    #[must_use]
    pub fn capabilities(mut self, capabilities: InitializeCapabilities) -> Self {
        self.capabilities = Some(capabilities);
        self
    }

    /// The same with another timeout for answers; without one, a request waits as long as Codex runs.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// The same for turns that say something at least this often.
    #[must_use]
    pub fn silence(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.silence = silence.into();
        self
    }

    /// The same with another limit.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The same for a program that answers requests which are of no turn that is read.
    #[must_use]
    pub fn answers_outside(mut self) -> Self {
        self.answers_outside = true;
        self
    }

    /// The same with another choice for what the release of Codex does not know.
    #[must_use]
    pub fn on_unsupported(mut self, choice: OnUnsupported) -> Self {
        self.on_unsupported = choice;
        self
    }

    /// What the client says first.
    pub(crate) fn introduction(self) -> InitializeParams {
        let mut params = InitializeParams::new(self.info);
        if let Some(capabilities) = self.capabilities {
            params.capabilities = capabilities.into();
        }
        params
    }
}
