//! The settings in force, as `thread_settings_applied` has them.
//!
//! The types of the settings stand in `turn_context` lines too, from releases before this event.

use crate::core_protocol::ReasoningSummary;
use crate::json::Extra;
use crate::rollout::{
    ApprovalsReviewer, AskForApproval, CollaborationMode, PermissionProfile, Personality,
};
use crate::{Maybe, Wire};

/// The settings in force. Written in the first turn from 0.165.0, whenever they change, and once or
/// twice when a thread is resumed, before its turn.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadSettingsAppliedEvent {
    /// The thread. Recorded from 0.157.0, and not in 0.151.0.
    ///
    /// Since 0.152.0. May be left out until 0.156.1.
    #[wire(since = "0.152.0", optional(until = "0.156.1"))]
    pub thread_id: Maybe<String>,
    /// The settings.
    pub thread_settings: Box<ThreadSettings>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The settings of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadSettings {
    /// The model.
    pub model: String,
    /// Its provider, by its name in the configuration.
    pub model_provider_id: String,
    /// The tier of service; recorded: `default`.
    #[wire(optional)]
    pub service_tier: Maybe<String>,
    /// When somebody is asked before a command runs.
    pub approval_policy: AskForApproval,
    /// Who is asked.
    pub approvals_reviewer: ApprovalsReviewer,
    /// Who was meant to be asked. Recorded in 0.168.0, and not in 0.167.2.
    ///
    /// Since 0.168.0.
    #[wire(since = "0.168.0")]
    pub requested_approvals_reviewer: Maybe<ApprovalsReviewer>,
    /// What commands may touch.
    pub permission_profile: PermissionProfile,
    /// The named profile it comes from. Not recorded: from upstream's type.
    #[wire(optional)]
    pub active_permission_profile: Maybe<ActivePermissionProfile>,
    /// The working folder.
    pub cwd: String,
    /// The folders of the workspace. Recorded from 0.157.0, and not in 0.151.0.
    ///
    /// Since 0.152.0. May be left out until 0.156.1.
    #[wire(since = "0.152.0", optional(until = "0.156.1"))]
    pub runtime_workspace_roots: Maybe<Vec<String>>,
    /// How hard the model thinks; any word the model knows.
    #[wire(optional)]
    pub reasoning_effort: Maybe<String>,
    /// How its thoughts are summed up.
    #[wire(optional)]
    pub reasoning_summary: Maybe<ReasoningSummary>,
    /// How the agent talks, if it is set: asked of 0.166.0 and 0.169.0 with a configuration that sets it.
    #[wire(optional)]
    pub personality: Maybe<Personality>,
    /// How the agent works with the user.
    pub collaboration_mode: CollaborationMode,
    /// The plugins that are off. Recorded from 0.157.0, and not in 0.151.0.
    ///
    /// Since 0.152.0. May be left out until 0.156.1.
    #[wire(since = "0.152.0", optional(until = "0.156.1"))]
    pub disabled_plugin_ids: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A named permission profile.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ActivePermissionProfile {
    /// Its name.
    pub id: String,
    /// The profile it builds on.
    #[wire(optional, nullable)]
    pub extends: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
