//! Reads a page as a browser does: its elements with their attributes, ids, links and text.

use std::collections::{BTreeMap, BTreeSet};

use html5gum::{DefaultEmitter, Error, Token, Tokenizer};

/// What stands on a page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The attributes of each element.
    pub(crate) elements: BTreeMap<String, BTreeSet<String>>,
    /// Classes, as far as the style sheet can name them.
    pub(crate) classes: BTreeSet<String>,
    pub(crate) ids: BTreeSet<String>,
    pub(crate) links: Vec<BTreeMap<String, String>>,
    /// The text, without that of the style sheet.
    pub(crate) text: String,
}

/// Elements that have no end.
const VOID: [&str; 3] = ["br", "input", "meta"];

/// Reads a page.
///
/// # Panics
/// If it is not well-formed, or has an id twice.
pub(crate) fn read(html: &str) -> Page {
    let mut page = Page::default();
    let mut open: Vec<String> = Vec::new();
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = utf8(&tag.name);
                let attributes: BTreeMap<String, String> = tag
                    .attributes
                    .iter()
                    .map(|(name, value)| (utf8(name), utf8(value)))
                    .collect();
                let names = page.elements.entry(name.clone()).or_default();
                names.extend(attributes.keys().cloned());
                if let Some(classes) = attributes.get("class") {
                    page.classes.extend(classes.split(' ').map(str::to_owned));
                }
                if let Some(id) = attributes.get("id") {
                    assert!(page.ids.insert(id.clone()), "twice: {id}");
                }
                if !tag.self_closing && !VOID.contains(&&*name) {
                    open.push(name.clone());
                }
                if name == "a" {
                    page.links.push(attributes);
                }
            }
            Token::EndTag(tag) => {
                let name = utf8(&tag.name);
                assert_eq!(open.pop().as_ref(), Some(&name), "ends what is not open");
            }
            Token::String(text) if open.last().is_none_or(|open| open != "style") => {
                page.text.push_str(&utf8(&text));
            }
            Token::String(_) => {}
            Token::Doctype(doctype) => assert_eq!(&*doctype.name, b"html"),
            Token::Comment(comment) => panic!("a comment: {comment:?}"),
            // A browser takes such a character as it is.
            Token::Error(Error::NoncharacterInInputStream) => {}
            Token::Error(error) => panic!("{error}"),
        }
    }
    assert_eq!(open, [""; 0]);
    page
}

fn utf8(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).unwrap().to_owned()
}

/// The elements with their attributes, one on a line.
pub(crate) fn elements(page: &Page) -> String {
    let mut out = String::new();
    for (element, attributes) in &page.elements {
        out.push_str(element);
        for attribute in attributes {
            out.push(' ');
            out.push_str(attribute);
        }
        out.push('\n');
    }
    out
}
