//! What the rules about the order of the app-server are about, and since when.

use codex_wire_base::MessageSet;
use codex_wire_base::shape::ReleaseBounds;

use crate::rule::{since, until, v};

/// What Codex sends by itself.
pub(crate) const NOTIFICATIONS: &[MessageSet] = &[MessageSet::AppServerServerNotifications];

/// What Codex sends by itself, and its responses.
pub(crate) const CODEX: &[MessageSet] = &[
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerServerResponses,
];

/// The requests of Codex.
pub(crate) const SERVER_REQUESTS: &[MessageSet] = &[MessageSet::AppServerServerRequests];

/// What the client sends by itself.
pub(crate) const CLIENT: &[MessageSet] = &[
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerClientNotifications,
];

/// The first release whose recordings have `turn/completed`.
pub(crate) const ENDS: ReleaseBounds = since(v(63));

/// The first release whose notifications name their thread.
pub(crate) const NAMED: ReleaseBounds = since(v(72));

/// The first release with `thread/status/changed`.
pub(crate) const STATUS: ReleaseBounds = since(v(105));

/// The first release with `serverRequest/resolved`.
pub(crate) const RESOLVED: ReleaseBounds = since(v(111));

/// Up to the last release before the first that orders statuses and starts of turns.
pub(crate) const OLD_STARTS: ReleaseBounds = until(v(110));
