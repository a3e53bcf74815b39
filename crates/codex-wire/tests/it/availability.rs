//! Rustdoc says when every member, variant and value is there: what the `#[wire(…)]` attributes
//! say stands in the documentation too, where people look for it.

use std::path::Path;

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, Item, Lit, LitStr, Meta, Token};

use crate::support::files;

/// A member, variant or value with what is said of it.
struct Part {
    place: String,
    docs: String,
    /// The releases the attributes name.
    releases: Vec<String>,
    is_experimental: bool,
    /// The method it stands for.
    method: Option<String>,
}

impl Part {
    fn complaints(&self) -> Vec<String> {
        // A paragraph may be broken into lines anywhere.
        let docs = self.docs.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out = Vec::new();
        let mut wants = |what: &str, there: bool| {
            if !there {
                out.push(format!("{} does not say {what}", self.place));
            }
        };
        for release in &self.releases {
            let ends = [" ", ".", ","];
            let is_there = ends
                .iter()
                .any(|end| format!("{docs} ").contains(&format!(" {release}{end}")));
            wants(release, is_there);
        }
        if self.is_experimental {
            wants("Experimental", docs.contains("Experimental"));
        }
        if let Some(method) = &self.method {
            wants(method, docs.contains(&format!("`{method}`")));
        }
        out
    }
}

/// The parts of the types in a source file.
fn parts(path: &Path, text: &str) -> Vec<Part> {
    let file = syn::parse_file(text).expect("sources are Rust");
    let shown = files::short(path);
    let mut out = Vec::new();
    for item in &file.items {
        match item {
            Item::Struct(item) if derives(&item.attrs) => {
                let Fields::Named(fields) = &item.fields else {
                    continue;
                };
                for field in &fields.named {
                    let ident = field.ident.as_ref().expect("a named field");
                    let place = format!("{shown}: {}.{ident}", item.ident);
                    out.push(part(place, &field.attrs, false));
                }
            }
            Item::Enum(item) if derives(&item.attrs) => {
                let of_methods = wire(&item.attrs)
                    .iter()
                    .any(|meta| meta.path().is_ident("content"));
                for variant in &item.variants {
                    let place = format!("{shown}: {}::{}", item.ident, variant.ident);
                    out.push(part(place, &variant.attrs, of_methods));
                }
            }
            _ => {}
        }
    }
    out
}

fn part(place: String, attributes: &[Attribute], of_methods: bool) -> Part {
    let mut part = Part {
        place,
        docs: docs(attributes),
        releases: Vec::new(),
        is_experimental: false,
        method: None,
    };
    for meta in wire(attributes) {
        match &meta {
            Meta::NameValue(pair) => {
                let text = string(&pair.value);
                if pair.path.is_ident("since") || pair.path.is_ident("until") {
                    part.releases.extend(text);
                } else if pair.path.is_ident("rename") && of_methods {
                    part.method = text;
                }
            }
            Meta::List(list) if list.path.is_ident("gap") || list.path.is_ident("experimental") => {
                part.is_experimental |= list.path.is_ident("experimental");
                let ends = list
                    .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                    .expect("the derive takes these");
                part.releases.extend(ends.iter().filter_map(|end| {
                    let Meta::NameValue(pair) = end else {
                        return None;
                    };
                    string(&pair.value)
                }));
            }
            Meta::Path(path) => part.is_experimental |= path.is_ident("experimental"),
            Meta::List(_) => {}
        }
    }
    part
}

fn derives(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string().contains("Wire"))
    })
}

fn wire(attributes: &[Attribute]) -> Vec<Meta> {
    let lists = attributes.iter().filter(|a| a.path().is_ident("wire"));
    lists
        .flat_map(|list| {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .expect("the derive takes these")
        })
        .collect()
}

fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        string(&pair.value).filter(|_| pair.path.is_ident("doc"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn string(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(LitStr::value(text)),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn the_documentation_of_every_part_says_its_releases() {
    let mut complaints = Vec::new();
    let (mut limited, mut methods) = (0, 0);
    for path in files::below(&files::root().join("crates/codex-wire/src"), "rs") {
        for part in parts(&path, &files::read(&path)) {
            limited += usize::from(!part.releases.is_empty() || part.is_experimental);
            methods += usize::from(part.method.is_some());
            complaints.extend(part.complaints());
        }
    }
    assert!(
        limited > 1500 && methods > 300,
        "{limited} parts, {methods} methods"
    );
    assert_eq!(complaints, [""; 0], "{} complaints", complaints.len());
}

#[test]
fn a_part_that_does_not_say_its_releases_is_noticed() {
    let text = r#"
        #[derive(Wire)]
        struct Thread {
            /// Since 0.90.0.
            #[wire(since = "0.90.0")]
            good: Maybe<u8>,
            /// The name. Since 0.90.0.
            #[wire(since = "0.9.0", experimental, gap(since = "0.91.0", until = "0.92.0"))]
            bad: Maybe<u8>,
        }
        #[derive(Wire)]
        #[wire(tag = "method", content = "params")]
        enum Call {
            /// Starts.
            #[wire(rename = "thread/start")]
            Start,
        }
    "#;
    let parts = parts(&files::root().join("x.rs"), text);
    let complaints: Vec<String> = parts.iter().flat_map(Part::complaints).collect();
    assert_eq!(
        complaints,
        [
            "x.rs: Thread.bad does not say 0.9.0",
            "x.rs: Thread.bad does not say 0.91.0",
            "x.rs: Thread.bad does not say 0.92.0",
            "x.rs: Thread.bad does not say Experimental",
            "x.rs: Call::Start does not say thread/start",
        ]
    );
}
