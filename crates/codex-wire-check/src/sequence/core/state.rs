//! The state of a stream of core events.

use super::client::Client;
use super::task::Task;
use crate::bounded_map::BoundedMap;
use crate::options::Limits;
use crate::sequence::value::Counts;
use crate::violation::MessageRef;

/// The state of the stream.
pub(crate) struct Core {
    pub(super) legacy: bool,
    pub(super) limit: usize,
    pub(super) session: Session,
    /// Whether a line of Codex was lost.
    pub(super) lost: bool,
}

/// One session. Usually there is one in an input; a log may hold several.
pub(super) struct Session {
    /// Its first event.
    pub(super) begun: Option<MessageRef>,
    /// Whether the beginning is missing.
    pub(super) truncated: bool,
    /// `session_configured`, and its id as a digest.
    pub(super) configured: Option<(MessageRef, u64)>,
    /// The header lines of the legacy stream.
    pub(super) header: Header,
    pub(super) client: Client,
    pub(super) task: Option<Task>,
    /// How tasks ended, by id.
    pub(super) ended: BoundedMap<String, Ended>,
    /// A review that was entered before its task was started.
    pub(super) review: Option<(String, MessageRef)>,
    /// The token counts of the session.
    pub(super) tokens: Counts,
    /// `shutdown_complete`, and whether events of tasks after it were reported.
    pub(super) closed: Option<(MessageRef, bool)>,
}

/// Which header lines of the legacy stream have come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    None,
    Settings,
    Whole,
}

#[derive(Clone, Copy)]
pub(super) struct Ended {
    pub(super) message_ref: MessageRef,
    pub(super) aborted: bool,
}

impl Session {
    pub(super) fn new(limit: usize) -> Self {
        Session {
            begun: None,
            truncated: false,
            configured: None,
            header: Header::None,
            client: Client::new(limit),
            task: None,
            ended: BoundedMap::new(limit),
            review: None,
            tokens: Counts::default(),
            closed: None,
        }
    }
}

impl Core {
    /// The machine for `codex proto`.
    pub(crate) fn new(limits: &Limits) -> Self {
        Core {
            legacy: false,
            limit: limits.sequence_ids,
            session: Session::new(limits.sequence_ids),
            lost: false,
        }
    }

    /// The machine for the legacy exec stream.
    pub(crate) fn legacy(limits: &Limits) -> Self {
        Core {
            legacy: true,
            ..Core::new(limits)
        }
    }
}
