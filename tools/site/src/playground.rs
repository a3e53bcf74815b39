//! The playground: the page, the module that checks, and the scripts that hand it a file.

use minijinja::context;

use crate::pages::{Head, Pages};
use crate::{Error, Sources};

/// What the page offers to try.
const EXAMPLE: &str = include_str!("../assets/playground-example.jsonl");

/// Writes it, if there is a module.
pub(crate) fn write(pages: &mut Pages, sources: &Sources) -> Result<(), Error> {
    let Some(playground) = &sources.playground else {
        return Ok(());
    };
    for (path, text) in [
        (
            "assets/playground.js",
            include_str!("../assets/playground.js"),
        ),
        (
            "assets/playground-worker.js",
            include_str!("../assets/playground-worker.js"),
        ),
    ] {
        pages.file(path.to_owned(), text.as_bytes().to_vec());
    }
    pages.file(
        "playground/checker.wasm".to_owned(),
        playground.module.clone(),
    );
    let head = Head {
        path: "playground/index.html".to_owned(),
        title: "Playground".to_owned(),
        about: "Check a transcript or a session file of Codex in the browser; nothing is sent anywhere."
            .to_owned(),
        section: "playground",
    };
    let content = context! { style => playground.style, example => EXAMPLE };
    pages.page(head, "playground.html", content)
}
