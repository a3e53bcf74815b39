//! What the rules about the order of the app-server are about, and since when.

use codex_wire_base::MessageSet;
use codex_wire_base::shape::ReleaseBounds;

use crate::rule::{since, until, v};

/// What Codex tells by itself.
pub(crate) const TOLD: &[MessageSet] = &[MessageSet::AppServerServerNotifications];

/// What Codex answers and tells.
pub(crate) const CODEX: &[MessageSet] = &[
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerServerResponses,
];

/// What Codex asks.
pub(crate) const ASKED: &[MessageSet] = &[MessageSet::AppServerServerRequests];

/// What the client sends by itself.
pub(crate) const CLIENT: &[MessageSet] = &[
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerClientNotifications,
];

/// The first release that is known to tell how turns end.
pub(crate) const ENDS: ReleaseBounds = since(v(63));

/// The first release whose notifications name their thread.
pub(crate) const NAMED: ReleaseBounds = since(v(72));

/// The first release with `thread/status/changed`.
pub(crate) const STATUS: ReleaseBounds = since(v(105));

/// The first release with `serverRequest/resolved`.
pub(crate) const RESOLVED: ReleaseBounds = since(v(111));

/// Up to the last release before the first that orders statuses and starts of turns.
pub(crate) const OLD_STARTS: ReleaseBounds = until(v(110));
