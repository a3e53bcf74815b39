//! The messages of one release of the app-server.

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Parts, Profile, Stability, annotated};

use super::super::facts::Facts;
use super::super::fit::{Fit, Fitted, Fitting, Lack};
use crate::compose::json::Node;
use crate::compose::observed::Observed;

/// All of these.
const SETS: [MessageSet; 7] = [
    MessageSet::AppServerItems,
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerServerRequests,
    MessageSet::AppServerServerResponses,
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerClientNotifications,
    MessageSet::AppServerClientResponses,
];

/// What a release says and reads.
pub(super) struct Speech {
    pub(super) release: Release,
    pub(super) observed: Observed,
    parts: Vec<(MessageSet, Parts)>,
}

impl Speech {
    pub(super) fn new(release: Release) -> Self {
        let parts = |set: &MessageSet| {
            let parts = Parts::new(*set, release, Profile::Exact, Stability::Experimental);
            (*set, parts)
        };
        Speech {
            release,
            observed: Observed(release),
            parts: SETS.iter().map(parts).collect(),
        }
    }

    /// Whether the release has the method.
    pub(super) fn has(&self, set: MessageSet, method: &str) -> bool {
        let union = self.parts(set).and_then(|parts| parts.root().tagged());
        union.is_some_and(|union| union.variant(method).is_some())
    }

    /// Whether the release writes that notification.
    pub(super) fn notifies(&self, method: &str) -> bool {
        self.has(MessageSet::AppServerServerNotifications, method)
    }

    /// Whether only clients that opted in may send the request.
    pub(super) fn is_experimental(&self, method: &str) -> bool {
        let union = annotated(MessageSet::AppServerClientRequests)
            .root()
            .tagged();
        let variant = union.and_then(|union| union.variant(method));
        variant.is_some_and(|variant| variant.availability.is_experimental(self.release))
    }

    /// A message of this release.
    pub(super) fn message(&self, set: MessageSet, facts: &Facts, message: &Node) -> Fitting {
        self.message_since(None, set, facts, message)
    }

    /// A message of this release, with what has come since another.
    pub(super) fn message_since(
        &self,
        recorded: Option<&Speech>,
        set: MessageSet,
        facts: &Facts,
        message: &Node,
    ) -> Fitting {
        let recorded = recorded.and_then(|recorded| recorded.parts(set));
        match self.parts(set) {
            Some(parts) => Fit::new(parts, facts).since(recorded).message(message),
            None => none(),
        }
    }

    /// The result of a request of this release.
    pub(super) fn result(
        &self,
        set: MessageSet,
        method: &str,
        facts: &Facts,
        result: &Node,
    ) -> Fitting {
        self.result_since(None, set, method, facts, result)
    }

    /// The result of a request of this release, with what has come since another.
    pub(super) fn result_since(
        &self,
        recorded: Option<&Speech>,
        set: MessageSet,
        method: &str,
        facts: &Facts,
        result: &Node,
    ) -> Fitting {
        let recorded = recorded.and_then(|recorded| recorded.parts(set));
        let fit = self.parts(set).map(|parts| Fit::new(parts, facts));
        let fitted = fit.and_then(|fit| fit.since(recorded).result(method, result));
        fitted.unwrap_or_else(none)
    }

    fn parts(&self, set: MessageSet) -> Option<&Parts> {
        let mut parts = self.parts.iter();
        parts
            .find(|(other, _)| *other == set)
            .map(|(_, parts)| parts)
    }

    /// Whether the release has items of that kind.
    pub(super) fn has_item(&self, kind: &str) -> bool {
        self.has(MessageSet::AppServerItems, kind)
    }
}

fn none() -> Result<Fitted, Lack> {
    Err(Lack {
        pointer: String::new(),
        what: "such a message".to_owned(),
    })
}
