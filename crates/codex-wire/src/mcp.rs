//! The parts of the Model Context Protocol that Codex passes on: content blocks of tool results.

use crate::json::{Cursor, Extra, Kind, Number};
use crate::{Error, Maybe, Unknown, Wire};

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
    /// A kind this crate does not know.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// Members this type does not name.
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
    /// A value this crate does not know.
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
