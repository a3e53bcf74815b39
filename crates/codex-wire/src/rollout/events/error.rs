//! Errors.

use crate::json::Extra;
use crate::{Maybe, UnknownExternal, Wire};

/// Something failed. Stored from 0.104.0 to 0.128.0 only, in threads whose client asked for the
/// extended history.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ErrorEvent {
    /// For people.
    pub message: String,
    /// What kind of error it is.
    #[wire(nullable)]
    pub codex_error_info: Maybe<CodexErrorInfo>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What kind of error it is: a word, or `{"kind": …}`. snake_case, where the app-server has
/// camelCase.
///
/// Recorded: `other`. The rest is from the official schemas of the app-server, which have these
/// events up to 0.114.0; the dates of what came later are those of its own `CodexErrorInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum CodexErrorInfo {
    /// The running turn takes no further input.
    ///
    /// Since 0.117.0.
    #[wire(since = "0.117.0")]
    ActiveTurnNotSteerable(ActiveTurnNotSteerable),
    /// The model service rejects the request.
    BadRequest,
    /// The history no longer fits into the context window of the model.
    ContextWindowExceeded,
    /// The model service refuses for its policy on cybersecurity.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0")]
    CyberPolicy,
    /// The flex service tier is not available.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0")]
    FlexUnavailable,
    /// The model service could not be reached, or answered with an error status.
    HttpConnectionFailed(ErrorStatus),
    /// A hook denied the request to the model.
    ///
    /// Since 0.169.0.
    #[wire(since = "0.169.0")]
    InferenceHookDenied,
    /// Something failed inside Codex or the model service.
    InternalServerError,
    /// The model service refuses for its policy on misalignment.
    ///
    /// Since 0.148.0.
    #[wire(since = "0.148.0")]
    MisalignmentPolicyViolation,
    /// The model does not exist, or the account may not use it.
    ///
    /// Since 0.165.0.
    #[wire(since = "0.165.0")]
    ModelNotFound,
    /// An error without a kind of its own.
    Other,
    /// There is no capacity that the policy of the account allows.
    ///
    /// Since 0.166.0.
    #[wire(since = "0.166.0")]
    PolicyCapacityUnavailable,
    /// Too many requests in too short a time.
    ///
    /// Since 0.151.0.
    #[wire(since = "0.151.0")]
    RateLimitExceeded,
    /// The response stream could not be opened.
    ResponseStreamConnectionFailed(ErrorStatus),
    /// The response stream broke off before its end.
    ResponseStreamDisconnected(ErrorStatus),
    /// The request failed again and again; Codex has given up.
    ResponseTooManyFailedAttempts(ErrorStatus),
    /// The sandbox failed.
    SandboxError,
    /// The model service is overloaded.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0")]
    ServerOverloaded,
    /// The budget of the session is used up.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    SessionBudgetExceeded,
    /// The thread could not be rolled back.
    ThreadRollbackFailed,
    /// Too many actions of the turn were denied.
    ///
    /// Since 0.159.0.
    #[wire(since = "0.159.0")]
    TooManyDenials,
    /// The login is missing or was refused.
    Unauthorized,
    /// The usage limit of the account is reached.
    UsageLimitExceeded,
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// The HTTP status that came with an error.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ErrorStatus {
    /// The status; `null` if there was no answer.
    #[wire(nullable)]
    pub http_status_code: Maybe<u16>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a turn takes no further input.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ActiveTurnNotSteerable {
    /// What kind of turn it is.
    pub turn_kind: NonSteerableTurnKind,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A kind of turn that takes no further input.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum NonSteerableTurnKind {
    /// A compaction.
    Compact,
    /// A review.
    Review,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
