//! Images and sounds: one of several members says where each is to be had.

use codex_wire::Release;
use codex_wire::app_server::{
    AudioUserInput, ImageGenerationThreadItem, ImageUserInput, InputAudioContentItem,
    InputAudioFunctionCallOutputContentItem, InputImageContentItem,
    InputImageFunctionCallOutputContentItem, Media,
};

use crate::app_server_types::all;

/// Every type that has a choice of members has a method that returns which was chosen.
#[test]
fn every_choice_of_members_has_an_accessor() {
    let chosen: Vec<&str> = all()
        .iter()
        .filter(|ty| !ty.shape.choices.is_empty())
        .map(|ty| ty.shape.name)
        .collect();
    macro_rules! chosen {
        ($($ty:ident: $($text:literal => $media:expr),*);* $(;)?) => {
            $($(
                let value: $ty = codex_wire::from_str($text).unwrap();
                assert_eq!(value.media(), $media, "{} {}", stringify!($ty), $text);
            )*)*
            assert_eq!(chosen, [$(stringify!($ty)),*]);
        };
    }
    chosen! {
        AudioUserInput: r#"{"url":"u"}"# => Some(Media::Url("u")), "{}" => None;
        ImageGenerationThreadItem:
            r#"{"status":"s","result":"cGljdHVyZQ=="}"# => Some(Media::Base64("cGljdHVyZQ==")),
            r#"{"status":"s","fileId":"f"}"# => Some(Media::File("f"));
        ImageUserInput: r#"{"fileId":"f"}"# => Some(Media::File("f")),
            r#"{"fileId":"f","url":"u"}"# => Some(Media::Url("u"));
        InputAudioContentItem: r#"{"audio_url":"u"}"# => Some(Media::Url("u"));
        InputAudioFunctionCallOutputContentItem: r#"{"file_id":"f"}"# => Some(Media::File("f"));
        InputImageContentItem: r#"{"image_url":"u"}"# => Some(Media::Url("u"));
        InputImageFunctionCallOutputContentItem: r#"{"image_url":null}"# => None;
    }
}

/// What a release asks for can be asked of the description.
#[test]
fn a_description_says_when_one_is_asked_for() {
    use codex_wire::Described as _;
    let shape = ImageUserInput::SHAPE;
    let (before, since) = (Release::new(0, 155, 0), Release::new(0, 156, 0));
    assert!(shape.has_chosen(before, |_| false));
    assert!(!shape.has_chosen(since, |name| name == "detail"));
    assert!(shape.has_chosen(since, |name| name == "url"));
    assert!(shape.has_chosen(since, |name| name == "fileId"));
}
