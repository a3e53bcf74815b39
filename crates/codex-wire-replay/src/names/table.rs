//! The members that hold names.

use NameKind::{Handle, Item, Path, Request, Thread, Time, Turn};

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// A thread, called conversation or session in old releases.
    Thread,
    /// A turn, called task or submission in old releases.
    Turn,
    /// An item or a call.
    Item,
    /// A request of Codex.
    Request,
    /// Something else, by an id that its maker chose: a process, a watch, a login, a file search.
    Handle,
    /// A file or folder, by its absolute path.
    Path,
    /// A point in time.
    Time,
}

/// The members that hold names, by their name on the wire, sorted.
const NAMES: &[(&str, NameKind)] = &[
    ("absolute_file_path", Path),
    ("activeSessionId", Thread),
    ("agentPath", Path),
    ("agentThreadId", Thread),
    ("agent_path", Path),
    ("ancestorThreadId", Thread),
    ("approvalId", Item),
    ("approval_id", Item),
    ("archivedAt", Time),
    ("attachedToThreadId", Thread),
    ("attachmentId", Handle),
    ("attachmentPath", Path),
    ("beforeProjectId", Handle),
    ("beforeThreadId", Thread),
    ("beforeTurnId", Turn),
    ("callId", Item),
    ("call_id", Item),
    ("challengeExpiresAt", Time),
    ("challengeId", Handle),
    ("changedPaths", Path),
    ("clientId", Handle),
    ("clientUserMessageId", Handle),
    ("codexHome", Path),
    ("codex_home", Path),
    ("completedAt", Time),
    ("completedAtMs", Time),
    ("conversationId", Thread),
    ("conversation_id", Thread),
    ("createdAt", Time),
    ("createdAtMs", Time),
    ("currentTimeAt", Time),
    ("cwd", Path),
    ("cwds", Path),
    ("destinationPath", Path),
    ("elicitationId", Item),
    ("elicitation_id", Item),
    ("emittedAtMs", Time),
    ("eventId", Handle),
    ("excludedThreadIds", Thread),
    ("expectedTurnId", Turn),
    ("expiresAt", Time),
    ("extraRoots", Path),
    ("extraUserRoots", Path),
    ("filePath", Path),
    ("forkedFromId", Thread),
    ("forked_from_id", Thread),
    ("fromObservedAtMs", Time),
    ("generationId", Handle),
    ("grantRoot", Path),
    ("grantedAt", Time),
    ("handoff_id", Item),
    ("hookRunId", Handle),
    ("importId", Handle),
    ("includedThreadIds", Thread),
    ("input_item_id", Item),
    ("installedAt", Time),
    ("installedRoot", Path),
    ("itemId", Item),
    ("itemIds", Item),
    ("item_id", Item),
    ("keyPath", Path),
    ("lastSeenAt", Time),
    ("lastTurnId", Turn),
    ("lastUsedAt", Time),
    ("localPluginPath", Path),
    ("logDir", Path),
    ("loginId", Handle),
    ("login_id", Handle),
    ("marketplacePath", Path),
    ("messageId", Item),
    ("modifiedAtMs", Time),
    ("move_path", Path),
    ("newThreadId", Thread),
    ("new_thread_id", Thread),
    ("observedAtMs", Time),
    ("originCallId", Item),
    ("parentThreadId", Thread),
    ("parentTurnId", Turn),
    ("parent_thread_id", Thread),
    ("path", Path),
    ("pluginPath", Path),
    ("processHandle", Handle),
    ("processId", Handle),
    ("process_id", Handle),
    ("projectId", Handle),
    ("projectlessWorkspaceRoot", Path),
    ("queuedSubmissionId", Handle),
    ("queuedSubmissionIds", Handle),
    ("readableRoots", Path),
    ("readable_roots", Path),
    ("realtimeSessionId", Handle),
    ("receiverThreadId", Thread),
    ("receiverThreadIds", Thread),
    ("receiver_thread_id", Thread),
    ("receiver_thread_ids", Thread),
    ("recencyAt", Time),
    ("requestId", Request),
    ("resetsAt", Time),
    ("responseId", Item),
    ("retirementAt", Time),
    ("reviewId", Item),
    ("reviewThreadId", Thread),
    ("rolloutPath", Path),
    ("rollout_path", Path),
    ("rootTurnId", Turn),
    ("roots", Path),
    ("runtimeWorkspaceRoots", Path),
    ("samplePaths", Path),
    ("savePath", Path),
    ("savedPath", Path),
    ("saved_path", Path),
    ("scriptPath", Path),
    ("sectionEnteredAt", Time),
    ("sectionId", Handle),
    ("senderThreadId", Thread),
    ("sender_thread_id", Thread),
    ("sessionId", Thread),
    ("session_id", Thread),
    ("sourcePath", Path),
    ("sourceTurnId", Turn),
    ("source_event_ids", Handle),
    ("source_path", Path),
    ("sparsePaths", Path),
    ("sqliteHome", Path),
    ("startedAt", Time),
    ("startedAtMs", Time),
    ("subpath", Path),
    ("subscriptionId", Handle),
    ("targetItemId", Item),
    ("targetPath", Path),
    ("threadId", Thread),
    ("threadIds", Thread),
    ("thread_id", Thread),
    ("toObservedAtMs", Time),
    ("tokenExpiresAt", Time),
    ("turnId", Turn),
    ("turn_id", Turn),
    ("updatedAt", Time),
    ("upgradedRoots", Path),
    ("voiceSessionId", Handle),
    ("watchId", Handle),
    ("websocketRequestId", Handle),
    ("writableRoots", Path),
    ("writable_roots", Path),
];

/// Members that end like an id or a path, but hold none that differs between runs: names that people
/// or a server gave, and paths of a machine that Codex only reports.
pub const NOT_NAMES: &[&str] = &[
    "accessKeyId",
    "accountId",
    "accountUserId",
    "appId",
    "appIds",
    "bundle_ids",
    "canonicalConnectorId",
    "chatgptAccountId",
    "connectorId",
    "creatorAccountUserId",
    "credentialId",
    "creditId",
    "defaultProviderId",
    "disabledPluginIds",
    "environmentId",
    "failedMaterializationRemotePluginIds",
    "failedRemotePluginIds",
    "featuredPluginIds",
    "fileId",
    "file_id",
    "forcedChatgptWorkspaceId",
    "hazelnutId",
    "historyLogId",
    "history_log_id",
    "installAttemptId",
    "installationId",
    "keyId",
    "limitId",
    "limit_id",
    "linkId",
    "log_id",
    "managedDir",
    "materializedAppIds",
    "missingAppIds",
    "model_provider_id",
    "pluginId",
    "previousAccountId",
    "principalId",
    "providerId",
    "remotePluginId",
    "selectedWorkspaceAccountId",
    "templateId",
    "userId",
    "versionId",
    "windowsManagedDir",
];

/// Whether a member is in the table.
pub fn listed(member: &str) -> bool {
    NAMES.iter().any(|(name, _)| *name == member)
}

/// The kind of name that a member holds. `parent` is the member that the object around it stands in:
/// it tells what an `id` is of.
pub fn kind_of(parent: &str, member: &str) -> Option<NameKind> {
    if member == "id" {
        return match parent {
            "thread" | "conversation" => Some(Thread),
            "turn" => Some(Turn),
            "item" => Some(Item),
            _ => None,
        };
    }
    let found = NAMES.binary_search_by(|(name, _)| (*name).cmp(member));
    found.ok().map(|at| NAMES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn an_id_is_of_what_it_stands_in() {
        assert_eq!(kind_of("thread", "id"), Some(Thread));
        assert_eq!(kind_of("turn", "id"), Some(Turn));
        assert_eq!(kind_of("data", "id"), None);
        assert_eq!(kind_of("params", "threadId"), Some(Thread));
        assert_eq!(kind_of("params", "model"), None);
    }
}
