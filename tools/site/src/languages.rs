//! The declaration of a type in other languages, cut out of the packages.

use std::collections::HashMap;

use codex_wire_schema::Family;
use serde::Serialize;

use crate::Sources;

/// A declaration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Declared {
    pub(crate) language: &'static str,
    /// The name of the type.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The file that has it.
    pub(crate) file: String,
}

/// The declarations of a family, by name.
pub(crate) struct Declarations(Vec<(&'static str, Found)>);

/// The declarations of a language by name.
type Found = HashMap<String, Declaration>;

/// The file of a declaration, and its text.
#[derive(Clone, Debug)]
struct Declaration {
    file: String,
    text: String,
}

struct Language {
    name: &'static str,
    /// What a declaration begins with.
    heads: &'static [&'static str],
    /// What a comment begins with; such lines are left out.
    comments: &'static [&'static str],
    /// Whether a file is of a family.
    has: fn(Family, &str) -> bool,
}

const LANGUAGES: [Language; 4] = [
    Language {
        name: "TypeScript",
        heads: &["export interface ", "export type "],
        comments: &["/**", "*/", "* ", "*\n", "//"],
        has: |family, path| {
            let names: &[&str] = match family {
                Family::Core => &["core", "exec-legacy"],
                family => &[family.as_str()],
            };
            names
                .iter()
                .any(|name| path == format!("packages/types/{name}.d.ts"))
        },
    },
    Language {
        name: "Python",
        heads: &["class ", "type "],
        comments: &["\"\"\""],
        has: |family, path| {
            let name = family.as_str().replace('-', "_");
            path == format!("packages/python/src/codex_wire/types/{name}.py")
        },
    },
    Language {
        name: "Go",
        heads: &["type "],
        comments: &["//"],
        has: |family, path| {
            let name = family.as_str().replace('-', "");
            path.starts_with(&format!("go/{name}/"))
        },
    },
    Language {
        name: "Rust",
        heads: &["pub struct ", "pub enum "],
        comments: &["///", "//"],
        has: |family, path| {
            let folder = match family {
                Family::AppServer => "app_server/types/",
                Family::Core => "core_protocol/",
                Family::Exec => "exec/",
                Family::Hooks => "hooks/",
                Family::Notify => "notify.rs",
                _ => "rollout/",
            };
            path.starts_with(&format!("crates/codex-wire/src/{folder}"))
        },
    },
];

impl Declarations {
    pub(crate) fn of(family: Family, sources: &Sources) -> Self {
        let of_language = |language: &Language| {
            let mut found = Found::new();
            for (path, text) in &sources.types {
                if (language.has)(family, path) {
                    cut_out(language, path, text, &mut found);
                }
            }
            (language.name, found)
        };
        Declarations(LANGUAGES.iter().map(of_language).collect())
    }

    /// The declarations of a type.
    pub(crate) fn named(&self, name: &str) -> Vec<Declared> {
        let each = self.0.iter().filter_map(|(language, found)| {
            let found = found.get(name)?;
            Some(Declared {
                language,
                name: name.to_owned(),
                text: found.text.clone(),
                file: found.file.clone(),
            })
        });
        each.collect()
    }
}

/// Takes the declarations out of a file: from a line that begins one to the line before the next text that is not
/// indented and does not close it.
fn cut_out(language: &Language, path: &str, text: &str, found: &mut Found) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let rest = language
            .heads
            .iter()
            .find_map(|head| line.strip_prefix(head));
        let alias = line.contains(": _t.TypeAlias = ").then_some(line);
        let Some(rest) = rest.or(alias) else { continue };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        let mut taken = vec![line];
        while let Some(next) = lines
            .next_if(|next| next.is_empty() || next.starts_with([' ', '\t', '}', ')', ']', '|']))
        {
            taken.push(next);
        }
        let mut kept = Vec::new();
        let mut in_docstring = false;
        for line in taken {
            let bare = line.trim_start();
            let marks = bare.matches("\"\"\"").count();
            if language.name == "Python" && (in_docstring || marks > 0) {
                in_docstring ^= marks == 1;
                continue;
            }
            let is_comment = |mark: &str| bare.starts_with(mark.trim_end());
            if bare.is_empty() || language.comments.iter().any(|mark| is_comment(mark)) {
                continue;
            }
            kept.push(line);
        }
        found.entry(name.to_owned()).or_insert_with(|| Declaration {
            file: path.to_owned(),
            text: kept.join("\n"),
        });
    }
}
