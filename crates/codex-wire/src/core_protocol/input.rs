//! User input: text and images.

use crate::json::Extra;
use crate::{Unknown, Wire};

/// A part of the input of a user.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum InputItem {
    /// Text.
    Text(TextInput),
    /// An image.
    Image(ImageInput),
    /// An image in a file, which Codex reads when it sends the turn to the model.
    LocalImage(LocalImageInput),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl InputItem {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        TextInput::new(text).into()
    }

    /// An image, given as a `data:` URL.
    pub fn image(image_url: impl Into<String>) -> Self {
        ImageInput::new(image_url).into()
    }

    /// An image in a file.
    pub fn local_image(path: impl Into<String>) -> Self {
        LocalImageInput::new(path).into()
    }
}

impl From<&str> for InputItem {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for InputItem {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TextInput {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageInput {
    /// The image as a `data:` URL.
    pub image_url: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image in a file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct LocalImageInput {
    /// The file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
