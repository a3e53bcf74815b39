//! Flags of commands that tell a collector what happens.

use clap::Args;

/// Which collector gets the session, and how much of it.
#[derive(Clone, Debug, Args)]
pub(crate) struct TelemetryFlags {
    /// Send the session to a collector of OpenTelemetry while it happens, such as http://127.0.0.1:4318
    ///
    /// A trace with each turn is sent to `/v1/traces` below this address when the turn has ended, and the span of the
    /// thread at the end. Spans are those of `convert --to otlp`; each finding is an event of its turn. Sending
    /// delays nothing: what a collector does not take in time is lost, and standard error says how much. The exit code
    /// does not depend on it. There is no TLS: for a collector elsewhere, run one on this machine that passes traces on.
    #[arg(long, value_name = "URL", help_heading = "Traces")]
    pub(crate) otlp: Option<String>,

    /// Say in traces what was said, what tools were called with and what they answered
    #[arg(long, requires = "otlp", help_heading = "Traces")]
    pub(crate) content: bool,
}
