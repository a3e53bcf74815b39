//! Calls of tools on MCP servers.

use crate::json::{Cursor, Extra, Raw};
use crate::mcp::ContentBlock;
use crate::{Error, Maybe, Wire};

/// A call of a tool on an MCP server.
///
/// Two kinds of failure look different: a tool that reports an error gives `failed` with its
/// text in `result` and `error: null`; a call that does not go through gives `error`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallItem {
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What it is called with; any JSON, `null` included.
    #[wire(since = "0.51.0", nullable)]
    pub arguments: Maybe<Raw>,
    /// What it answered.
    #[wire(since = "0.51.0", nullable)]
    pub result: Maybe<McpToolCallResult>,
    /// Why the call did not go through.
    #[wire(since = "0.51.0", nullable)]
    pub error: Maybe<McpToolCallError>,
    /// How far the call is.
    pub status: McpToolCallStatus,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallResult {
    /// The answer's blocks.
    pub content: Vec<McpContent>,
    /// The server's metadata, where it sent any.
    #[wire(rename = "_meta", since = "0.132.0", optional)]
    pub meta: Maybe<Raw>,
    /// The answer as data, where the tool has an output schema; any JSON.
    #[wire(nullable)]
    pub structured_content: Maybe<Raw>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a call did not go through.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallError {
    /// For people.
    pub message: String,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum McpToolCallStatus {
    /// It runs.
    InProgress,
    /// It succeeded.
    Completed,
    /// It failed, either way.
    Failed,
    /// A value this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// One block of a tool's answer, kept as it came.
///
/// Up to 0.94.0 Codex wrote only the kinds of [`ContentBlock`]; from 0.95.0 it passes on
/// whatever the server sent, so any JSON value may stand here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpContent(Raw);

impl McpContent {
    /// The block as text.
    pub fn raw(&self) -> &Raw {
        &self.0
    }

    /// The block, if it has the shape of one.
    ///
    /// # Errors
    /// When the server sent something that is not a content block.
    pub fn block(&self) -> Result<ContentBlock, Error> {
        self.0.parse()
    }
}

impl From<Raw> for McpContent {
    fn from(raw: Raw) -> Self {
        McpContent(raw)
    }
}

impl Wire for McpContent {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        Raw::read(cursor).map(McpContent)
    }
}

impl serde::Serialize for McpContent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for McpContent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "McpContent".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut typed = generator.subschema_for::<ContentBlock>();
        typed.insert("x-until".into(), "0.94.0".into());
        schemars::json_schema!({
            "description": "One block of a tool's answer. From 0.95.0 whatever the server sent.",
            "anyOf": [typed, {"x-since": "0.95.0"}],
        })
    }
}

#[cfg(feature = "proptest")]
impl crate::generate::Generate for McpContent {
    fn generate(recipe: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
        use proptest::strategy::Strategy as _;
        let block = ContentBlock::generate(recipe)
            .prop_map(|block| McpContent(Raw::from(serde_json::json!(block))))
            .boxed();
        if recipe.release < crate::Release::new(0, 95, 0) {
            return block;
        }
        let any = Raw::generate(recipe).prop_map(McpContent).boxed();
        crate::generate::one_of(vec![block, any])
    }
}
