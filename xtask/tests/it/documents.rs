//! The annotated documents that `codex-wire-schema` embeds are what the types say.

use std::io::Read as _;

use codex_wire_schema::Family;
use flate2::read::DeflateDecoder;
use xtask::documents::{compressed, document};

pub(crate) fn the_documents_are_what_the_types_say() {
    for family in Family::ALL {
        let (path, now) = document(family);
        if golden_files::is_update() {
            std::fs::write(&path, compressed(&now).unwrap()).unwrap();
        }
        let committed = std::fs::read(&path).unwrap();
        // The text is compared: another version of the library may compress in another way.
        let mut text = String::new();
        DeflateDecoder::new(&*committed)
            .read_to_string(&mut text)
            .unwrap();
        let cut = |line: &str| line.chars().take(300).collect::<String>();
        let differs = text.lines().zip(now.lines()).find(|(old, new)| old != new);
        let differs = differs.map(|(old, new)| (cut(old), cut(new)));
        assert!(
            text == now,
            "{} is not what the types say, first at {differs:?}; `cargo xtask generate --only documents` writes it",
            path.display()
        );
    }
}
