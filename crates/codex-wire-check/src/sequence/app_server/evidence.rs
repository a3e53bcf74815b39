//! What the rules about the order of the app-server are about, and since when.

use codex_wire_base::Surface;
use codex_wire_base::shape::Lifetime;

use crate::rule::{since, until, v};

/// What Codex tells of its own accord.
pub(crate) const TOLD: &[Surface] = &[Surface::AppServerServerNotifications];

/// What Codex answers and tells.
pub(crate) const CODEX: &[Surface] = &[
    Surface::AppServerServerNotifications,
    Surface::AppServerServerResponses,
];

/// What Codex asks.
pub(crate) const ASKED: &[Surface] = &[Surface::AppServerServerRequests];

/// What the client sends of its own accord.
pub(crate) const CLIENT: &[Surface] = &[
    Surface::AppServerClientRequests,
    Surface::AppServerClientNotifications,
];

/// The first release that is known to tell how turns end.
pub(crate) const ENDS: Lifetime = since(v(63));

/// The first release whose notifications name their thread.
pub(crate) const NAMED: Lifetime = since(v(72));

/// The first release with `thread/status/changed`.
pub(crate) const STATUS: Lifetime = since(v(105));

/// The first release with `serverRequest/resolved`.
pub(crate) const RESOLVED: Lifetime = since(v(111));

/// Up to the last release before the first that orders statuses and starts of turns.
pub(crate) const OLD_STARTS: Lifetime = until(v(110));
