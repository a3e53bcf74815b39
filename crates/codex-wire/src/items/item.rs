//! An item whose spelling (exec or app-server) is not known beforehand.

use std::borrow::Cow;

use crate::error::ErrorKind;
use crate::items::{ItemKind, ItemView};
use crate::json::{Cursor, Kind, Raw};
use crate::{Error, Wire, app_server, exec};

/// An item of either spelling, read without knowing which.
///
/// The tag decides. Where the members do not go with it, as when another tool has rewritten the
/// item, the other protocol's spelling of the tag is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
// Items are examined one by one: a box for each would cost more than the room it saves.
#[allow(clippy::large_enum_variant)]
pub enum Item {
    /// As `codex exec` spells it.
    Exec(exec::ThreadItem),
    /// As `codex app-server` spells it.
    AppServer(app_server::ThreadItem),
}

impl Item {
    /// What the item says, whatever its spelling.
    pub fn view(&self) -> ItemView<'_> {
        match self {
            Item::Exec(item) => item.into(),
            Item::AppServer(item) => item.into(),
        }
    }
}

impl From<exec::ThreadItem> for Item {
    fn from(item: exec::ThreadItem) -> Self {
        Item::Exec(item)
    }
}

impl From<app_server::ThreadItem> for Item {
    fn from(item: app_server::ThreadItem) -> Self {
        Item::AppServer(item)
    }
}

impl Wire for Item {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.expect_kind(Kind::Object)?;
        let start = cursor.clone();
        let tag = match cursor.peek_tag("type")? {
            Some(tag) => tag.into_owned(),
            // Only exec has ever spelt the tag otherwise.
            None => return exec::ThreadItem::read(cursor).map(Item::Exec),
        };
        let first = if is_of_exec(&tag) {
            exec::ThreadItem::read(cursor).map(Item::Exec)
        } else {
            app_server::ThreadItem::read(cursor).map(Item::from)
        };
        match first {
            Ok(item) if item.view().kind() != ItemKind::Unknown => Ok(item),
            Err(error) if matches!(error.kind(), ErrorKind::Syntax(_) | ErrorKind::TooDeep) => {
                Err(error)
            }
            first => {
                *cursor = start;
                let text = Raw::read(cursor)?;
                match respelt(&text, &tag) {
                    Ok(item) if item.view().kind() != ItemKind::Unknown => Ok(item),
                    // An error here would be about a text that is not in the line.
                    _ => first,
                }
            }
        }
    }
}

/// Whether exec has the tag. Of `reasoning`, which both have, exec's form is tried first.
fn is_of_exec(tag: &str) -> bool {
    tag == "reasoning" || tag == "error" || tag.contains('_')
}

/// The item read as the other protocol's, with its tag spelt as that protocol does.
fn respelt(text: &Raw, tag: &str) -> Result<Item, Error> {
    if is_of_exec(tag) {
        let tag = match tag {
            "collab_tool_call" => "collabAgentToolCall".to_owned(),
            tag => camel(tag),
        };
        crate::from_str::<app_server::ThreadItem>(&with_tag(text, &tag)?).map(Item::from)
    } else {
        let tag = match tag {
            "collabAgentToolCall" => "collab_tool_call".to_owned(),
            tag => snake(tag),
        };
        crate::from_str(&with_tag(text, &tag)?).map(Item::Exec)
    }
}

/// The object with another value of `type`.
fn with_tag(text: &Raw, tag: &str) -> Result<String, Error> {
    let mut out = String::new();
    Cursor::new(text.get()).object(|cursor, key| {
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push_str(&crate::to_string(&key.to_owned()));
        out.push(':');
        let value = Raw::read(cursor)?;
        let value = match key {
            "type" => Cow::Owned(crate::to_string(&tag.to_owned())),
            _ => Cow::Borrowed(value.get()),
        };
        out.push_str(&value);
        Ok(())
    })?;
    out.push('}');
    Ok(out)
}

fn camel(snake: &str) -> String {
    let mut out = String::new();
    for (index, word) in snake.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => out.extend(first.to_uppercase()),
            Some(first) => out.push(first),
            None => {}
        }
        out.push_str(letters.as_str());
    }
    out
}

fn snake(camel: &str) -> String {
    let mut out = String::new();
    for letter in camel.chars() {
        if letter.is_uppercase() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
