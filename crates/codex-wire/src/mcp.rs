//! The parts of the Model Context Protocol that Codex passes on: tools and what they answer.

use crate::json::{Cursor, Extra, Kind, Number, Raw};
use crate::{Error, Maybe, Unknown, Wire};

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CallToolResult {
    /// The answer's blocks.
    pub content: Vec<McpContent>,
    /// Whether the tool says that it failed; left out where it does not say.
    #[wire(rename = "isError", optional)]
    pub is_error: Maybe<bool>,
    /// The answer as data, where the tool has an output schema; any JSON.
    #[wire(rename = "structuredContent", optional)]
    pub structured_content: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl CallToolResult {
    /// Whether the tool succeeded: it does not say that it failed.
    pub fn is_success(&self) -> bool {
        !matches!(self.is_error, Maybe::Value(true))
    }
}

/// A tool, as its server describes it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Tool {
    /// Hints about what it does.
    #[wire(optional)]
    pub annotations: Maybe<ToolAnnotations>,
    /// What it does, for the model.
    #[wire(optional)]
    pub description: Maybe<String>,
    /// What it takes.
    #[wire(rename = "inputSchema")]
    pub input_schema: ToolInputSchema,
    /// Its name on its server.
    pub name: String,
    /// What it answers as data.
    #[wire(rename = "outputSchema", optional)]
    pub output_schema: Maybe<ToolOutputSchema>,
    /// Its name for people.
    #[wire(optional)]
    pub title: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Hints about a tool. A server may lie about them.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// Whether it may destroy something.
    #[wire(rename = "destructiveHint", optional)]
    pub destructive_hint: Maybe<bool>,
    /// Whether calling it twice is the same as calling it once.
    #[wire(rename = "idempotentHint", optional)]
    pub idempotent_hint: Maybe<bool>,
    /// Whether it deals with the world outside.
    #[wire(rename = "openWorldHint", optional)]
    pub open_world_hint: Maybe<bool>,
    /// Whether it changes nothing.
    #[wire(rename = "readOnlyHint", optional)]
    pub read_only_hint: Maybe<bool>,
    /// Its name for people.
    #[wire(optional)]
    pub title: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool takes, as JSON Schema cut down to three members.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolInputSchema {
    /// The schemas of the arguments by name; any JSON.
    #[wire(optional)]
    pub properties: Maybe<Raw>,
    /// The arguments that must be given.
    #[wire(optional)]
    pub required: Maybe<Vec<String>>,
    /// `object`; an unchecked string.
    #[wire(rename = "type")]
    pub kind: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool answers as data, as JSON Schema cut down to three members.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolOutputSchema {
    /// The schemas of the members by name; any JSON.
    #[wire(optional)]
    pub properties: Maybe<Raw>,
    /// The members that are always there.
    #[wire(optional)]
    pub required: Maybe<Vec<String>>,
    /// `object`; an unchecked string.
    #[wire(rename = "type")]
    pub kind: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// One block of a tool's answer, kept as it came.
///
/// Up to 0.94.0 Codex wrote only the kinds of [`ContentBlock`], each with its members in the
/// order of the alphabet, `type` among them; from 0.95.0 it passes on whatever the server
/// sent, so any JSON value may stand here.
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

impl From<ContentBlock> for McpContent {
    fn from(block: ContentBlock) -> Self {
        McpContent(Raw::from(serde_json::json!(block)))
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
            .prop_map(McpContent::from)
            .boxed();
        if recipe.release < crate::Release::new(0, 95, 0) {
            return block;
        }
        let any = Raw::generate(recipe).prop_map(McpContent).boxed();
        crate::generate::one_of(vec![block, any])
    }
}

/// One block of a tool's answer, as an MCP server sends it.
///
/// Codex read and rewrote the known kinds up to 0.94.0, so that nothing else reached its
/// streams; from 0.95.0 it passes on whatever the server sent.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// A pointer to a resource the client may fetch.
    ResourceLink(ResourceLink),
    /// A resource with its contents.
    #[wire(rename = "resource")]
    Resource(EmbeddedResource),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text from a tool.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextContent {
    /// Whom the block is for.
    #[wire(optional)]
    pub annotations: Maybe<Annotations>,
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image from a tool.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageContent {
    /// Whom the block is for.
    #[wire(optional)]
    pub annotations: Maybe<Annotations>,
    /// The image, base64.
    pub data: String,
    /// Its media type, such as `image/png`.
    #[wire(rename = "mimeType")]
    pub mime_type: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sound from a tool.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AudioContent {
    /// Whom the block is for.
    #[wire(optional)]
    pub annotations: Maybe<Annotations>,
    /// The sound, base64.
    pub data: String,
    /// Its media type, such as `audio/wav`.
    #[wire(rename = "mimeType")]
    pub mime_type: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A pointer to a resource the client may fetch.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ResourceLink {
    /// Whom the block is for.
    #[wire(optional)]
    pub annotations: Maybe<Annotations>,
    /// What the resource is.
    #[wire(optional)]
    pub description: Maybe<String>,
    /// Its media type.
    #[wire(rename = "mimeType", optional)]
    pub mime_type: Maybe<String>,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    #[wire(optional)]
    pub size: Maybe<i64>,
    /// Its name for people.
    #[wire(optional)]
    pub title: Maybe<String>,
    /// Where it is.
    pub uri: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A resource with its contents.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// Whom the block is for.
    #[wire(optional)]
    pub annotations: Maybe<Annotations>,
    /// The contents.
    pub resource: ResourceContents,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The contents of a resource: text, or bytes in base64.
///
/// There is no tag on the wire; the member `blob` decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

/// A resource that is text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextResourceContents {
    /// Its media type.
    #[wire(rename = "mimeType", optional)]
    pub mime_type: Maybe<String>,
    /// The text.
    pub text: String,
    /// Where it is.
    pub uri: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A resource that is bytes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct BlobResourceContents {
    /// The bytes, base64.
    pub blob: String,
    /// Their media type.
    #[wire(rename = "mimeType", optional)]
    pub mime_type: Maybe<String>,
    /// Where they are.
    pub uri: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whom a block is for and how much it matters.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Annotations {
    /// Who should see the block.
    #[wire(optional)]
    pub audience: Maybe<Vec<Role>>,
    /// When it last changed, as the server wrote it.
    #[wire(rename = "lastModified", optional)]
    pub last_modified: Maybe<String>,
    /// From 0, least, to 1, most important.
    #[wire(optional)]
    pub priority: Maybe<Number>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A side of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum Role {
    /// The model.
    Assistant,
    /// The person.
    User,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

impl Wire for ResourceContents {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.expect_kind(Kind::Object)?;
        let mut ahead = cursor.clone();
        let mut is_blob = false;
        ahead.object(|cursor, key| {
            is_blob |= key == "blob";
            cursor.skip()
        })?;
        if is_blob {
            BlobResourceContents::read(cursor).map(ResourceContents::Blob)
        } else {
            TextResourceContents::read(cursor).map(ResourceContents::Text)
        }
    }
}

impl serde::Serialize for ResourceContents {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ResourceContents::Text(text) => text.serialize(serializer),
            ResourceContents::Blob(blob) => blob.serialize(serializer),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ResourceContents {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ResourceContents".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let text = generator.subschema_for::<TextResourceContents>();
        let blob = generator.subschema_for::<BlobResourceContents>();
        schemars::json_schema!({
            "description": "The contents of a resource: text, or bytes in base64.",
            "anyOf": [text, blob],
        })
    }
}

#[cfg(feature = "proptest")]
impl crate::generate::Generate for ResourceContents {
    fn generate(recipe: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
        use proptest::strategy::Strategy as _;
        crate::generate::one_of(vec![
            TextResourceContents::generate(recipe)
                .prop_map(ResourceContents::Text)
                .boxed(),
            BlobResourceContents::generate(recipe)
                .prop_map(ResourceContents::Blob)
                .boxed(),
        ])
    }
}
