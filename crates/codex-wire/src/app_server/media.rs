//! Finds where an image or a sound is: in one of several members.

use crate::app_server::types::{
    AudioUserInput, ImageGenerationThreadItem, ImageUserInput, InputAudioContentItem,
    InputAudioFunctionCallOutputContentItem, InputImageContentItem,
    InputImageFunctionCallOutputContentItem,
};

/// Where an image or a sound is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Media<'a> {
    /// At a URL, which may be a `data:` URL that holds it.
    Url(&'a str),
    /// In a file that the provider keeps, by its id.
    File(&'a str),
    /// Here, in base64.
    Base64(&'a str),
}

/// A type of which some members say where an image or a sound is to be had.
macro_rules! media {
    ($($ty:ident: $first:ident as $kind:ident);* $(;)?) => {$(
        impl $ty {
            /// Where it is to be had. `None` where no member says so, which no release writes;
            /// where several do, the one that is there in all releases.
            pub fn media(&self) -> Option<Media<'_>> {
                let here = self.$first.value().map(|text| Media::$kind(text));
                here.or_else(|| self.file_id.value().map(|id| Media::File(id)))
            }
        }
    )*};
}

media! {
    AudioUserInput: url as Url;
    ImageUserInput: url as Url;
    ImageGenerationThreadItem: result as Base64;
    InputAudioContentItem: audio_url as Url;
    InputAudioFunctionCallOutputContentItem: audio_url as Url;
    InputImageContentItem: image_url as Url;
    InputImageFunctionCallOutputContentItem: image_url as Url;
}
