//! Model providers.

use crate::json::Extra;
use crate::{Map, Maybe, Wire};

/// A service that runs models, as `configure_session` names it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ModelProviderInfo {
    /// Its name for people.
    pub name: String,
    /// Where it is reached.
    #[wire(nullable)]
    pub base_url: Maybe<String>,
    /// The environment variable that holds the key.
    #[wire(nullable)]
    pub env_key: Maybe<String>,
    /// How to come by a key, for people.
    #[wire(nullable)]
    pub env_key_instructions: Maybe<String>,
    /// The protocol it speaks; `chat` where it is left out.
    #[wire(default)]
    pub wire_api: Maybe<WireApi>,
    /// Added to the query of every request.
    #[wire(nullable)]
    pub query_params: Maybe<Map<String>>,
    /// Added to the headers of every request.
    #[wire(nullable)]
    pub http_headers: Maybe<Map<String>>,
    /// Added to the headers of every request, with values from environment variables.
    #[wire(nullable)]
    pub env_http_headers: Maybe<Map<String>>,
    /// How often a request that fails is tried again.
    #[wire(nullable)]
    pub request_max_retries: Maybe<u64>,
    /// How often a stream that breaks off is opened again.
    #[wire(nullable)]
    pub stream_max_retries: Maybe<u64>,
    /// After how many silent milliseconds a stream counts as broken.
    #[wire(nullable)]
    pub stream_idle_timeout_ms: Maybe<u64>,
    /// Whether the user must log in with OpenAI; `false` where it is left out.
    #[wire(default)]
    pub requires_openai_auth: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A protocol for models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum WireApi {
    /// OpenAI's Responses API.
    Responses,
    /// The older Chat Completions API.
    #[default]
    Chat,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
