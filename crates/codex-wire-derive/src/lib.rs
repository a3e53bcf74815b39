//! Implements `#[derive(Wire)]`: it makes readers, writers and descriptions for the types of
//! codex-wire.
//!
//! The derive turns a type and its `#[wire(…)]` attributes into the reader, the writer, the
//! description with releases and, behind features of `codex-wire`, the JSON Schema and the proptest
//! strategy. All of them come from one list of members, so they cannot disagree.
//!
//! serde's own derive was not enough, for more than one reason. An internally tagged enum buffers
//! the object before it knows the variant, which loses the place of every error. `flatten` does the
//! same. And a derived struct refuses a line with a duplicate key, which every web search of Codex
//! since 0.92.0 has. Hand-written visitors could do each of these, a thousand times over.
//!
//! The derive is made for the types of `codex-wire`; types of other crates may use it too. There is
//! no `cfg` in its output, because that would ask the features of the crate the output is in.
//! Macros of `codex-wire-base` decide instead, which know that crate's features. (`outside/` is a
//! crate outside the workspace; a test builds it with three sets of features.) If the features
//! `schema` and `proptest` are on, the types of members need a schema (`schemars::JsonSchema`) and
//! a strategy (`codex_wire::generate::Generate`), which derived types and those of `codex-wire`
//! have.
//!
//! The output is marked `#[inline]`, so that a type is compiled where it is read, as generic code
//! is, and a program that reads a few of many types compiles only those. Strategies are the
//! exception, because several test programs share them.
//!
//! It must not know any protocol: names, tags and releases come from the attributes alone, which the
//! derive itself documents.

mod adjacent;
mod attributes;
mod building;
mod describe;
mod docs;
mod embedding;
mod enumeration;
mod externally_tagged;
mod generate;
mod members;
mod object;
mod release;
mod structure;
mod union;
mod untagged;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, Fields};

/// Derives reading, writing and the description of a type, and what builds its values: `new` with the members that
/// every release writes, `with_…` for each of the others, and `Default` where all are such.
///
/// A struct is an object, and has one `#[wire(extra)]` member that keeps what it does not name. An enum is a string, a
/// tagged union or a member with several types, and has one `#[wire(unknown)]` variant. A member that is not always
/// there is a `Maybe`:
///
/// ```text
/// #[derive(Clone, Debug, PartialEq, Eq, Wire)]
/// #[wire(rename_all = "camelCase")]
/// struct Poem {
///     line_count: u32,
///     #[wire(since = "0.125.0", optional, nullable)]
///     title: Maybe<String>,
///     #[wire(extra)]
///     extra: Extra,
/// }
/// ```
///
/// # Attributes
///
/// On a struct: `tag = "…"` names the tag member of the union it embeds, and `content = "…"`
/// beside it the member that holds what the tag governs; `closed` says that no reader takes
/// members other than the named ones, `others` that Codex itself writes some.
///
/// On a member:
/// - `rename = "…"`: the name on the wire where it is not the Rust name
/// - `since = "…"`, `until = "…"`: the releases that have it
/// - `gap(since = "…", until = "…")`: releases between that do not have it; may be repeated
/// - `experimental`, `experimental(since = "…", until = "…")`: only clients that opted into the
///   experimental API have it, always or in releases; may be repeated
/// - `optional`, `optional(since = "…", until = "…")`: may be left out, always or in releases;
///   may be repeated
/// - `nullable`, `nullable(since = "…", until = "…")`: may be `null`, always or in releases;
///   may be repeated
/// - `default`: Codex always writes it, and takes a default where it is left out
/// - `recursive`: it holds the type it belongs to again, at some depth
/// - `tag_behind`: in a variant of a tagged union, the tag is written behind this member; otherwise
///   it is the first one
/// - `extra`: keeps the members the type does not name
/// - `order`: keeps the order of the members, where that changed between releases
/// - `variant`: the embedded tagged union; where its content stands beside its tag, members declared
///   behind it are written behind it
/// - `tag_key`: which spelling of the tag was used
///
/// On an enum: `tag = "…"` names the tag member; `externally_tagged` writes `{"kind": …}` or
/// `"kind"`; the variants of an `untagged` one are tried in order; an enum
/// with members and none of these can only be embedded. So can one with `tag = "…"`,
/// `content = "…"` and `variant_suffix = "…"`: what the tag governs is one member beside it, and
/// the definitions of its kinds in schemas are named after the variant, with the suffix. Those of
/// an `externally_tagged` enum are named after the variant, then the type.
///
/// On a variant: `rename`, `since`, `until`, `gap`, `experimental` as above, and `unknown` for
/// the one that keeps what no release has written yet; `definition = "…"` is the name of its own
/// definition in schemas, where the rule above gives a bad one. Where the enum has a `content`,
/// `optional` and `nullable` say that of the content, which is a `Maybe` then; a variant without
/// a type has none. Names are snake_case where `rename` does not say otherwise, or as
/// `rename_all = "camelCase"` and `rename_all = "kebab-case"` on the type say.
///
/// On an enum of plain variants, `open`, `open(since = "…", until = "…")`: any other string is
/// taken too, always or in releases.
#[proc_macro_derive(Wire, attributes(wire))]
pub fn derive_wire(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn expand(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => structure::expand(input, fields),
            _ => Err(syn::Error::new_spanned(
                input,
                "a wire object needs named members",
            )),
        },
        Data::Enum(data) => {
            let attributes = attributes::of_type(&input.attrs)?;
            if let (Some(tag), Some(content)) = (&attributes.tag, &attributes.content) {
                return adjacent::expand(input, data, &attributes, (tag, content));
            }
            if attributes.externally_tagged {
                return externally_tagged::expand(input, data, &attributes);
            }
            if attributes.untagged {
                return untagged::expand(input, data, &attributes);
            }
            let plain = data
                .variants
                .iter()
                .all(|v| v.fields.is_empty() || attributes::is_unknown(v));
            if plain {
                enumeration::expand(input, data, &attributes)
            } else {
                union::expand(input, data, &attributes)
            }
        }
        Data::Union(_) => Err(syn::Error::new_spanned(
            input,
            "the wire has no untagged unions of memory",
        )),
    }
}
