//! The members of a trajectory, as the models of harbor have them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

/// The oldest version that has all that is written here.
pub(super) const VERSION: &str = "ATIF-v1.7";

/// A trajectory.
#[derive(Debug, Serialize)]
pub(crate) struct Trajectory<'a> {
    pub(super) schema_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trajectory_id: Option<&'a str>,
    pub(super) agent: Agent<'a>,
    pub(super) steps: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) final_metrics: Option<FinalMetrics>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subagent_trajectories: Vec<Trajectory<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Agent<'a> {
    pub(super) name: &'static str,
    pub(super) version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    System,
    User,
    Agent,
}

#[derive(Debug, Serialize)]
pub(super) struct Step<'a> {
    pub(super) step_id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timestamp: Option<String>,
    pub(super) source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'a str>,
    pub(super) message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observation: Option<Observation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metrics: Option<Metrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_copied_context: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) llm_call_count: Option<u64>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolCall<'a> {
    pub(super) tool_call_id: Cow<'a, str>,
    pub(super) function_name: Cow<'a, str>,
    pub(super) arguments: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Observation<'a> {
    pub(super) results: Vec<ObservationResult<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct ObservationResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subagent_trajectory_ref: Vec<SubAgentRef<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct SubAgentRef<'a> {
    pub(super) trajectory_id: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct Metrics {
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) cached_tokens: u64,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct FinalMetrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_prompt_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_cached_tokens: Option<u64>,
    pub(super) total_steps: usize,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
}
